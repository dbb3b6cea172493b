// Large texts are read by several workers: the mesh, or the message, is the same as with one.
#define _XOPEN_SOURCE 700 // mkdtemp
#include "io_testing.h"

#include <unistd.h>

#define VERTICES 18000u
#define FACES    26000u

typedef struct Text
{
    char* bytes;
    size_t size;
} Text;

static void add(Text* text, const char* piece)
{
    const size_t length = strlen(piece);
    memcpy(text->bytes + text->size, piece, length + 1);
    text->size += length;
}

// How a row may be spoiled.
typedef enum Spoil
{
    SPOIL_NOTHING,
    SPOIL_CARRIAGE_RETURNS, // every line ends with CR LF
    SPOIL_BLANKS,           // many blanks and tabs
    SPOIL_WRAPPED,          // rows that go on in the next line (PLY), or comments (OFF)
    SPOIL_EMPTY_LINE,       // one empty line
    SPOIL_NUMBER,           // one number that is none
    SPOIL_NAN,
    SPOIL_INDEX,      // one index out of range
    SPOIL_SHORT_FACE, // one face with too few indices
    SPOIL_COUNT
} Spoil;

static Text make_rows(bool is_ply, Spoil spoil)
{
    Text text = {malloc((size_t)64 * (VERTICES + FACES) + 1000), 0};
    char line[200];
    const char* end = spoil == SPOIL_CARRIAGE_RETURNS ? "\r\n" : "\n";
    snprintf(line, sizeof line,
             is_ply ? "ply\nformat ascii 1.0\nelement vertex %u\nproperty float x\nproperty double "
                      "y\nproperty float z\n"
                      "element face %u\nproperty list uchar int vertex_indices\nend_header\n"
                    : "OFF\n%u %u 0\n",
             VERTICES, FACES);
    add(&text, line);
    rblRandom random = rbl_random_seed(3, 3);
    const uint32_t bad_vertex = VERTICES / 3;
    const uint32_t bad_face = FACES / 2;
    for (uint32_t v = 0; v < VERTICES; ++v)
    {
        const double x = rbl_random_range(&random, -1, 1);
        const double y = rbl_random_range(&random, -1, 1);
        const bool bad = v == bad_vertex;
        const char* blank = spoil == SPOIL_BLANKS ? " \t " : " ";
        const char* broken = spoil == SPOIL_WRAPPED && bad ? (is_ply ? "\n" : " 5 #x\n") : "";
        snprintf(line, sizeof line, "%s%.17g%s%.9g%s%s%s%s", spoil == SPOIL_BLANKS ? "  " : "", x, blank, y,
                 blank,
                 spoil == SPOIL_NUMBER && bad ? "1,5"
                 : spoil == SPOIL_NAN && bad  ? "nan"
                                              : "7",
                 broken, broken[0] != '\0' && !is_ply ? "" : end);
        add(&text, line);
        if (spoil == SPOIL_EMPTY_LINE && bad)
        {
            add(&text, "\n");
        }
    }
    for (uint32_t f = 0; f < FACES; ++f)
    {
        const uint32_t a = rbl_random_below(&random, VERTICES);
        const bool bad = f == bad_face;
        const uint32_t last = spoil == SPOIL_INDEX && bad ? VERTICES : 2;
        if (spoil == SPOIL_SHORT_FACE && bad)
        {
            snprintf(line, sizeof line, "3 %u 1%s", a, end);
        }
        else if (f % 7 == 0)
        {
            snprintf(line, sizeof line, "5 %u 0 1 %u 3%s", a, last, end);
        }
        else
        {
            snprintf(line, sizeof line, "3 %u 1 %u%s", a, last, end);
        }
        add(&text, line);
    }
    return text;
}

static void check_workers_agree(rblFileFormat format, const Text* text)
{
    rblMeshId serial;
    const rblResult expected = try_load(format, text->bytes, text->size, false, &serial);
    char message[512];
    snprintf(message, sizeof message, "%s", rbl_last_error());
    for (uint32_t workers = 2; workers <= 3; ++workers)
    {
        const rblTasks tasks = tasks_of(workers);
        check_ok(rbl_set_tasks(&tasks));
        rblMeshId id;
        const rblResult result = try_load(format, text->bytes, text->size, false, &id);
        check_ok(rbl_set_tasks(NULL));
        assert_int_equal(result, expected);
        if (result != RBL_OK)
        {
            assert_string_equal(rbl_last_error(), message);
            continue;
        }
        rblMeshView a;
        rblMeshView b;
        check_ok(rbl_mesh_view(serial, &a));
        check_ok(rbl_mesh_view(id, &b));
        check_same_surface(&a, &b);
        check_sound(id, true);
        assert_memory_equal(a.face_materials, b.face_materials, a.face_count * sizeof(uint32_t));
        assert_memory_equal(a.face_groups, b.face_groups, a.face_count * sizeof(uint32_t));
        check_ok(rbl_mesh_destroy(id));
    }
    if (expected == RBL_OK)
    {
        check_ok(rbl_mesh_destroy(serial));
    }
}

static void ply_texts_give_the_same_mesh_or_message(void** state)
{
    (void)state;
    for (Spoil spoil = SPOIL_NOTHING; spoil < SPOIL_COUNT; ++spoil)
    {
        const Text text = make_rows(true, spoil);
        check_workers_agree(RBL_FORMAT_PLY, &text);
        free(text.bytes);
    }
}

static void off_texts_give_the_same_mesh_or_message(void** state)
{
    (void)state;
    for (Spoil spoil = SPOIL_NOTHING; spoil < SPOIL_COUNT; ++spoil)
    {
        const Text text = make_rows(false, spoil);
        check_workers_agree(RBL_FORMAT_OFF, &text);
        free(text.bytes);
    }
}

static void truncated_texts_give_the_same_message(void** state)
{
    (void)state;
    for (int is_ply = 0; is_ply < 2; ++is_ply)
    {
        Text text = make_rows(is_ply, SPOIL_NOTHING);
        const size_t size = text.size;
        for (size_t cut = 1; cut < 30; cut += 9)
        {
            text.size = size - cut;
            check_workers_agree(is_ply ? RBL_FORMAT_PLY : RBL_FORMAT_OFF, &text);
        }
        free(text.bytes);
    }
}

static void large_files_are_read_whole_by_several_workers(void** state)
{
    (void)state;
    char folder[] = "/tmp/rubble-test-XXXXXX";
    assert_non_null(mkdtemp(folder));
    char path[64];
    snprintf(path, sizeof path, "%s/large.ply", folder);
    Text text = make_rows(true, SPOIL_NOTHING);
    // Comments behind the first two lines make it large.
    const size_t size = (size_t)6 << 20;
    FILE* file = fopen(path, "wb");
    fputs("ply\nformat ascii 1.0\n", file);
    for (size_t i = 0; i < size / 64; ++i)
    {
        fprintf(file, "comment %055zu\n", i);
    }
    const size_t skipped = strlen("ply\nformat ascii 1.0\n");
    fwrite(text.bytes + skipped, 1, text.size - skipped, file);
    fclose(file);
    const rblTasks tasks = tasks_of(4);
    check_ok(rbl_set_tasks(&tasks));
    rblMeshId id;
    rblMeshId expected;
    check_ok(rbl_mesh_load(path, NULL, &id));
    check_ok(rbl_set_tasks(NULL));
    check_ok(try_load(RBL_FORMAT_PLY, text.bytes, text.size, false, &expected));
    rblMeshView a;
    rblMeshView b;
    check_ok(rbl_mesh_view(expected, &a));
    check_ok(rbl_mesh_view(id, &b));
    check_same_surface(&a, &b);
    check_ok(rbl_mesh_destroy(id));
    check_ok(rbl_mesh_destroy(expected));
    free(text.bytes);
    remove(path);
    rmdir(folder);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(ply_texts_give_the_same_mesh_or_message),
        cmocka_unit_test(off_texts_give_the_same_mesh_or_message),
        cmocka_unit_test(truncated_texts_give_the_same_message),
        cmocka_unit_test(large_files_are_read_whole_by_several_workers),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
