// Charts of runs, and the statistics that they are read from.
#define _XOPEN_SOURCE 700 // mkdtemp
#include "testing.h"

#include "scene/movie/chart.h"
#include "scene/movie/plot.h"
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static char folder[] = "/tmp/rubble_plot_XXXXXX";
static char svg_path[64];
static char json_path[64];

static int make_folder(void** state)
{
    (void)state;
    assert_non_null(mkdtemp(folder));
    snprintf(svg_path, sizeof svg_path, "%s/plot.svg", folder);
    snprintf(json_path, sizeof json_path, "%s/stats.json", folder);
    return 0;
}

static int remove_folder(void** state)
{
    (void)state;
    unlink(svg_path);
    unlink(json_path);
    return rmdir(folder);
}

// A run of `count` steps of 10 ms that loses energy, with one step of 1000 ms.
static void fill(rblStatistics* statistics, uint32_t count, uint32_t spike)
{
    rbl_statistics_init(statistics, rbl_default_allocator());
    for (uint32_t i = 0; i <= count; ++i)
    {
        const rblStepRecord record = {
            .time = 0.01 * i,
            .counters = {.bodies = 7, .awake = 7 - i % 3, .pairs = 11, .contacts = 5, .colliding = 9},
            .energy = {.kinetic = 1.0 / (1.0 + i),
                       .potential = -3.0,
                       .dissipated = 0.25,
                       .momentum = {1, 2, 3}},
            .times = {.total = i == spike ? 1000.0 : 2.0, .narrow = 1.0, .solve = 0.5}};
        assert_true(rbl_array_push(&statistics->steps, record));
    }
    const rblEventRecord event = {.time = 0.02, .type = "spawn", .body = "a \"ball\"", .impulse = 0.5};
    assert_true(rbl_array_push(&statistics->events, event));
}

static char* read_text(const char* path)
{
    FILE* file = fopen(path, "rb");
    assert_non_null(file);
    char* text = malloc(1 << 22);
    const size_t size = fread(text, 1, (1 << 22) - 1, file);
    text[size] = '\0';
    fclose(file);
    return text;
}

static uint32_t count_of(const char* text, const char* piece)
{
    uint32_t count = 0;
    for (const char* c = strstr(text, piece); c != NULL; c = strstr(c + 1, piece))
    {
        ++count;
    }
    return count;
}

static void ticks_are_round_and_few(void** state)
{
    (void)state;
    check_close(rbl_chart_tick(10.0, 5), 2.0, 1e-12);
    check_close(rbl_chart_tick(11.0, 5), 5.0, 1e-12);
    check_close(rbl_chart_tick(0.003, 5), 0.001, 1e-15);
    check_close(rbl_chart_tick(7e9, 10), 1e9, 1.0);
    for (double range = 1e-8; range < 1e8; range *= 1.7)
    {
        const double tick = rbl_chart_tick(range, 6);
        assert_true(range / tick <= 6.0 * (1.0 + 1e-9) && range / tick > 6.0 / 2.6);
    }
    assert_true(rbl_chart_tick(0.0, 5) > 0.0);
    assert_true(rbl_chart_tick((double)NAN, 5) > 0.0);
}

static void a_spike_survives_many_steps(void** state)
{
    (void)state;
    rblStatistics statistics;
    fill(&statistics, 20000, 12345);
    check_ok(rbl_plot_write(&statistics, "a <long> run & more", svg_path));
    char* text = read_text(svg_path);
    assert_true(strlen(text) < 600000);
    assert_non_null(strstr(text, "max 1k"));
    // The area of the first chart reaches from 94 to 244: the only step of 1000 ms is at its top.
    assert_non_null(strstr(text, " 94L"));
    assert_int_equal(count_of(text, "<g "), count_of(text, "</g>"));
    assert_int_equal(count_of(text, "class=\"title\""), 4);
    assert_non_null(strstr(text, "a &lt;long&gt; run &amp; more"));
    assert_non_null(strstr(text, "prefers-color-scheme:dark"));
    assert_int_equal(count_of(text, "nan"), 0);
    free(text);
    rbl_statistics_free(&statistics);
}

static void one_step_and_no_motion_can_be_drawn(void** state)
{
    (void)state;
    rblStatistics statistics;
    rbl_statistics_init(&statistics, rbl_default_allocator());
    check_fails(RBL_ERROR_ARGUMENT, rbl_plot_write(&statistics, "empty", svg_path));
    const rblStepRecord start = {0};
    assert_true(rbl_array_push(&statistics.steps, start));
    check_ok(rbl_plot_write(&statistics, "\x01\xff", svg_path));
    char* text = read_text(svg_path);
    assert_non_null(strstr(text, ">?"
                                 "?<"));
    assert_int_equal(count_of(text, "nan") + count_of(text, "inf"), 0);
    free(text);
    rbl_statistics_free(&statistics);
}

// Ticks far from zero, and numbers beyond all bounds: axes have few ticks and coordinates stay finite.
static void wild_numbers_are_drawn_at_the_edge(void** state)
{
    (void)state;
    static const double energies[] = {1e305, -1.7e308, (double)INFINITY, (double)NAN};
    for (size_t i = 0; i < sizeof energies / sizeof energies[0]; ++i)
    {
        rblStatistics statistics;
        fill(&statistics, 100, 3);
        statistics.steps.data[7].energy.kinetic = energies[i];
        statistics.steps.data[8].energy.potential = -energies[i];
        for (size_t k = 0; k < statistics.steps.count; ++k)
        {
            statistics.steps.data[k].time = 1e17 + 16.0 * (double)k;
        }
        check_ok(rbl_plot_write(&statistics, "wild", svg_path));
        char* text = read_text(svg_path);
        assert_true(count_of(text, "class=\"tick") < 100);
        static const char* const wrong[] = {"\"nan", "\"inf", "\"-inf", "Lnan",
                                            "Linf",  " nanL", " infL",  " -infL"};
        for (size_t k = 0; k < sizeof wrong / sizeof wrong[0]; ++k)
        {
            assert_int_equal(count_of(text, wrong[k]), 0);
        }
        free(text);
        rbl_statistics_free(&statistics);
    }
}

static void statistics_read_back_as_they_were(void** state)
{
    (void)state;
    rblStatistics written;
    rblStatistics read;
    rblArena texts;
    const char* scene = NULL;
    fill(&written, 50, 3);
    rbl_statistics_init(&read, rbl_default_allocator());
    rbl_arena_init(&texts, 1024, rbl_default_allocator());
    check_ok(rbl_statistics_write(&written, "my scene", json_path));
    check_ok(rbl_statistics_read(json_path, &texts, &read, &scene));
    assert_string_equal(scene, "my scene");
    assert_int_equal(read.steps.count, written.steps.count);
    for (size_t i = 0; i < read.steps.count; ++i)
    {
        const rblStepRecord* a = &read.steps.data[i];
        const rblStepRecord* b = &written.steps.data[i];
        assert_true(a->time == b->time && a->energy.kinetic == b->energy.kinetic);
        assert_true(a->energy.potential == b->energy.potential &&
                    a->energy.momentum[2] == b->energy.momentum[2]);
        assert_int_equal(a->counters.colliding, b->counters.colliding);
        assert_true(a->times.total == b->times.total && a->times.narrow == b->times.narrow);
    }
    assert_int_equal(read.events.count, 1);
    assert_string_equal(read.events.data[0].body, "a \"ball\"");
    rbl_statistics_free(&written);
    rbl_statistics_free(&read);
    rbl_arena_free(&texts);
}

static void refuse(const char* json, const char* reason)
{
    FILE* file = fopen(json_path, "wb");
    assert_non_null(file);
    fputs(json, file);
    fclose(file);
    rblStatistics statistics;
    rblArena texts;
    const char* scene = NULL;
    rbl_statistics_init(&statistics, rbl_default_allocator());
    rbl_arena_init(&texts, 1024, rbl_default_allocator());
    assert_true(rbl_statistics_read(json_path, &texts, &statistics, &scene) != RBL_OK);
    if (strstr(rbl_last_error(), reason) == NULL)
    {
        fail_msg("\"%s\" does not say \"%s\"", rbl_last_error(), reason);
    }
    rbl_statistics_free(&statistics);
    rbl_arena_free(&texts);
}

#define STEP(t)                                                                                              \
    "{\"t\":" t ",\"bodies\":1,\"awake\":1,\"pairs\":0,\"contacts\":0,\"colliding\":0,\"kinetic\":0,"        \
    "\"potential\":0,\"work\":0,\"dissipated\":0,\"momentum\":[0,0,0],\"angularMomentum\":[0,0,0],"          \
    "\"ms\":{\"total\":0,\"broad\":0,\"narrow\":0,\"solve\":0,\"integrate\":0,\"fracture\":0,\"update\":0}}"

static void what_is_not_statistics_is_refused_with_the_place(void** state)
{
    (void)state;
    refuse("{}", "scene");
    refuse("{\"scene\":\"a\"}", "steps");
    refuse("{\"scene\":\"a\",\"steps\":{}}", "expected an array");
    refuse("{\"scene\":\"a\",\"steps\":[{\"t\":0}]}", "steps[0]");
    refuse("{\"scene\":\"a\",\"steps\":[" STEP("0") "," STEP("0") "]}", "steps[1].t: time must rise");
    refuse("{\"scene\":\"a\",\"steps\":[" STEP("0") "]}", "events");
    refuse("not json", "1:1");
    check_fails(RBL_ERROR_FILE,
                rbl_statistics_read("/no/such.json", NULL,
                                    &(rblStatistics){.steps = {.allocator = rbl_default_allocator()}},
                                    &(const char*){NULL}));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(ticks_are_round_and_few),
        cmocka_unit_test(a_spike_survives_many_steps),
        cmocka_unit_test(one_step_and_no_motion_can_be_drawn),
        cmocka_unit_test(wild_numbers_are_drawn_at_the_edge),
        cmocka_unit_test(statistics_read_back_as_they_were),
        cmocka_unit_test(what_is_not_statistics_is_refused_with_the_place),
    };
    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
