// Scenes whose bodies break: what they say, and what a run keeps of births and deaths.
#include "testing.h"

#include "rubble/io.h"
#include "rubble/picture.h"
#include "scene/export/export.h"
#include "scene/movie/movie.h"
#include "smash_testing.h"
#include <stdlib.h>
#include <string.h>

static void check_refused(const char* body, const char* words)
{
    char text[1024];
    rblSceneId scene;
    snprintf(text, sizeof text,
             "{\"rubble\":1,\"shapes\":{\"box\":{\"kind\":\"box\",\"size\":[1,1,1]},"
             "\"ground\":{\"kind\":\"plane\",\"normal\":[0,1,0]}},\"bodies\":[%s]}",
             body);
    check_fails(RBL_ERROR_FORMAT, rbl_scene_load_memory(text, strlen(text), "bad.json", &scene));
    if (strstr(rbl_last_error(), words) == NULL)
    {
        fail_msg("'%s' does not say '%s'", rbl_last_error(), words);
    }
}

// What the breaker of a prepared scene was made from.
static const rblPrescoredDef* prescored_of(rblSceneId scene, uint32_t breaker)
{
    rblSceneView view;
    const rblBreaker* found = NULL;
    check_ok(rbl_scene_prepare(scene));
    check_ok(rbl_scene_view(scene, &view));
    assert_string_equal(view.breakers[breaker].kind, "prescored");
    check_ok(rbl_breaker_acquire(view.breakers[breaker].id, &found));
    rbl_breaker_release(found); // the scene has it
    return rbl_breaker_kind_def(found);
}

static void scenes_say_how_bodies_break(void** state)
{
    (void)state;
    const rblSceneId scene = load(smash);
    rblSceneView view;
    check_ok(rbl_scene_view(scene, &view));
    assert_int_equal(view.breaker_count, 2);
    assert_int_equal(view.breakers[0].id.index1, 0);
    assert_int_equal(prescored_of(scene, 0)->pattern.kind, RBL_PATTERN_RADIAL);
    assert_int_equal(prescored_of(scene, 0)->pattern.pieces, 20);
    assert_int_equal(prescored_of(scene, 1)->generations, 1);
    assert_int_equal(view.bodies[3].breaker, 0);
    assert_int_equal(view.bodies[4].breaker, RBL_NONE);
    assert_int_equal(view.bodies[5].anchor.kind, RBL_ANCHOR_BOTTOM);
    check_ok(rbl_scene_destroy(scene));
}

// What a scene does not say about a pattern, the preset of the material does.
static void bodies_break_like_their_material(void** state)
{
    (void)state;
    static const struct
    {
        const char* material;
        rblPatternKind kind;
    } cases[] = {{"glass", RBL_PATTERN_RADIAL},       {"pane", RBL_PATTERN_RADIAL},
                 {"wood", RBL_PATTERN_SPLINTERS},     {"stone", RBL_PATTERN_VORONOI},
                 {"concrete", RBL_PATTERN_CLUSTERED}, {"plain", RBL_PATTERN_VORONOI}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; ++i)
    {
        char text[512];
        snprintf(text, sizeof text,
                 "{\"rubble\":1,\"materials\":{\"pane\":{\"preset\":\"glass\",\"density\":2000},"
                 "\"plain\":{\"density\":900}},\"shapes\":{\"box\":{\"kind\":\"box\",\"size\":[1,1,1]}},"
                 "\"bodies\":[{\"shape\":\"box\",\"material\":\"%s\",\"fracture\":{\"method\":\"prescored\","
                 "\"jitter\":0.25,\"pieces\":7}}]}",
                 cases[i].material);
        const rblSceneId scene = load(text);
        const rblPrescoredDef* def = prescored_of(scene, 0);
        assert_int_equal(def->pattern.kind, cases[i].kind);
        assert_int_equal(def->pattern.pieces, 7);
        check_close(def->pattern.jitter, 0.25, 1e-7);
        check_ok(rbl_scene_destroy(scene));
    }
}

static void impossible_words_are_refused(void** state)
{
    (void)state;
    check_refused("{\"shape\":\"box\",\"fracture\":{\"method\":\"hammer\"}}", "hammer");
    check_refused("{\"shape\":\"box\",\"fracture\":{\"method\":\"prescored\",\"pattern\":\"radiall\"}}",
                  "radial");
    check_refused("{\"shape\":\"box\",\"fracture\":{\"method\":\"prescored\",\"pieces\":0}}", "1 to 10000");
    check_refused("{\"shape\":\"box\",\"fracture\":{\"method\":\"prescored\",\"pieces\":1000000}}",
                  "1 to 10000");
    check_refused("{\"shape\":\"box\",\"fracture\":{\"method\":\"prescored\",\"jitter\":1.5}}", "0 to 1");
    check_refused("{\"shape\":\"box\",\"fracture\":{\"method\":\"prescored\",\"radius\":-1}}", "radius");
    check_refused("{\"shape\":\"box\",\"fracture\":{\"method\":\"prescored\",\"crumbs\":\"vanish\"}}",
                  "crumbs");
    check_refused("{\"shape\":\"box\",\"fracture\":{\"method\":\"prescored\",\"share\":-0.5}}", "share");
    check_refused("{\"shape\":\"box\",\"fracture\":{\"method\":\"prescored\",\"mostFragments\":-1}}",
                  "mostFragments");
    check_refused("{\"shape\":\"box\",\"fracture\":{\"method\":\"prescored\",\"edge\":1}}",
                  "a key of the method 'stress', not of 'prescored'");
    check_refused("{\"shape\":\"box\",\"fracture\":{\"method\":\"stress\",\"crumbs\":\"merge\"}}",
                  "a key of the method 'prescored', not of 'stress'");
    check_refused("{\"shape\":\"box\",\"fracture\":{\"method\":\"stress\",\"seeds\":1}}",
                  "did you mean 'seed'");
    check_refused("{\"shape\":\"box\",\"anchor\":\"bottom\"}", "static");
    check_refused("{\"shape\":\"box\",\"type\":\"static\",\"anchor\":{\"box\":[[0,0,0],[1,0,1]]}}", "below");
    check_refused("{\"shape\":\"ground\",\"type\":\"static\",\"fracture\":{\"method\":\"prescored\"}}",
                  "plane");
    check_refused("{\"name\":\"a\",\"shape\":\"box\"}],\"events\":[{\"time\":1,\"break\":{\"body\":\"a\"}}",
                  "cannot break");
}

static void reserved_methods_have_their_own_keys(void** state)
{
    (void)state;
    static const char* const fine[] = {"", "\"method\":\"none\"", "\"method\":\"xfem\"",
                                       "\"method\":\"voronoi\"",
                                       "\"method\":\"voronoi\",\"pattern\":\"slabs\",\"pieces\":9"};
    static const char* const bad[][2] = {
        {"\"pieces\":9", "fracture.pieces: a key of the method 'prescored', not of 'none'"},
        {"\"method\":\"none\",\"edge\":1", "fracture.edge: a key of the method 'stress', not of 'none'"},
        {"\"method\":\"xfem\",\"pattern\":\"slabs\"",
         "fracture.pattern: a key of the method 'prescored', not of 'xfem'"},
        {"\"method\":\"xfem\",\"depth\":1", "fracture.depth: unknown key"},
        {"\"method\":\"voronoi\",\"radius\":1",
         "fracture.radius: a key of the method 'prescored', not of 'voronoi'"},
        {"\"method\":\"voronoi\",\"pieces\":0", "fracture.pieces: is 0, must be 1 to 10000"},
        {"\"method\":\"voronoi\",\"pattern\":\"slab\"", "did you mean 'slabs'?"},
    };
    char text[512];
    for (size_t i = 0; i < sizeof fine / sizeof *fine; ++i)
    {
        rblSceneView view;
        snprintf(text, sizeof text,
                 "{\"rubble\":1,\"shapes\":{\"box\":{\"kind\":\"box\",\"size\":[1,1,1]}},\"bodies\":[{"
                 "\"shape\":\"box\","
                 "\"fracture\":{%s}}]}",
                 fine[i]);
        const rblSceneId scene = load(text);
        check_ok(rbl_scene_view(scene, &view));
        assert_int_equal(view.bodies[0].breaker, RBL_NONE);
        check_ok(rbl_scene_destroy(scene));
    }
    for (size_t i = 0; i < sizeof bad / sizeof *bad; ++i)
    {
        snprintf(text, sizeof text, "{\"shape\":\"box\",\"fracture\":{%s}}", bad[i][0]);
        check_refused(text, bad[i][1]);
    }
}

// In GLB files what breaking laid open has the second of a body's two materials.
static void check_cracks_have_their_material(const rblRun* run)
{
    rblMeshId mesh;
    rblMeshView view;
    uint32_t skin = 0;
    uint32_t cracks = 0;
    check_ok(rbl_export_glb(run, "scene_fracture.glb", &(rblExportOptions){.every = 1}));
    check_ok(rbl_mesh_load("scene_fracture.glb", NULL, &mesh));
    check_ok(rbl_mesh_view(mesh, &view));
    for (uint32_t f = 0; f < view.face_count; ++f)
    {
        const char* name = view.material_names[view.face_materials[f]];
        skin += strcmp(name, "pane") == 0;
        cracks += strcmp(name, "pane " RBL_CRACK_MATERIAL) == 0;
    }
    assert_true(skin > 12 && cracks > 20);
    check_ok(rbl_mesh_destroy(mesh));
    remove("scene_fracture.glb");
}

static void runs_know_births_and_deaths(void** state)
{
    (void)state;
    const rblSceneId scene = load(smash);
    rblSimulation simulation;
    check_ok(rbl_simulation_start(&simulation, scene, true));
    run_through(&simulation);
    const rblRun* run = &simulation.run;
    const rblStatistics* statistics = &run->statistics;
    uint32_t pieces = 0;
    uint32_t breaks = 0;
    for (size_t i = 0; i < statistics->events.count; ++i)
    {
        const rblEventRecord* event = &statistics->events.data[i];
        if (strcmp(event->type, "break") != 0)
        {
            continue;
        }
        const bool plate = strcmp(event->body, "plate") == 0;
        breaks += 1;
        pieces += event->pieces;
        assert_true(event->pieces > 4 && event->surface_energy > 0.0 && event->heat >= 0.0);
        assert_true(plate ? event->impulse > 3.0 : event->impulse == 0.0);
        assert_true(event->mass_error < 1e-6);
    }
    assert_int_equal(breaks, 2);
    const rblStepRecord* last = &statistics->steps.data[statistics->steps.count - 1];
    assert_int_equal(last->counters.fragments, pieces);
    uint32_t born = 0;
    uint32_t still = 0;
    for (size_t i = 0; i < run->bodies.count; ++i)
    {
        const rblRunBody* body = &run->bodies.data[i];
        if (body->parent == RBL_NONE)
        {
            continue;
        }
        const rblRunBody* parent = &run->bodies.data[body->parent];
        born += 1;
        still += body->type == RBL_BODY_STATIC;
        assert_int_equal(parent->death, body->birth);
        assert_int_equal(parent->material, body->material);
        assert_true(strncmp(parent->name, body->name, strlen(parent->name)) == 0);
        assert_true(run->shapes.data[body->shape].surface.index1 != 0);
        assert_int_equal(body->keys.data[0].step, body->birth);
    }
    assert_int_equal(born, pieces);
    assert_true(still > 0);
    const rblRunSummary summary = rbl_statistics_summary(statistics);
    assert_true(summary.worst_rise < 1e-6 * summary.scale);
    check_cracks_have_their_material(run);
    for (uint32_t i = 0; i < run->bodies.count; ++i)
    {
        const uint32_t parent = run->bodies.data[i].parent;
        const rblVec3 own = rbl_movie_color(run, i);
        const rblVec3 color = rbl_movie_color(run, parent != RBL_NONE ? parent : i);
        assert_true(own.x == color.x && own.y == color.y && own.z == color.z);
    }
    rbl_simulation_free(&simulation);
    check_ok(rbl_scene_destroy(scene));
}

// Eight octants that meet at the point of impact.
static void a_label_volume_breaks_a_body_of_a_scene(void** state)
{
    (void)state;
    static const char text[] =
        "{\"rubble\":1,\"step\":0.0333333333,\"duration\":0.3,"
        "\"shapes\":{\"block\":{\"kind\":\"box\",\"size\":[0.4,0.4,0.4]}},"
        "\"bodies\":[{\"name\":\"block\",\"shape\":\"block\",\"material\":\"ceramic\","
        "\"fracture\":{\"method\":\"prescored\",\"pattern\":\"scene_octants.nrrd\"}}],"
        "\"events\":[{\"time\":0.1,\"break\":{\"body\":\"block\",\"at\":[0,0,0],\"normal\":[0,-1,0]}}]}";
    FILE* file = fopen("scene_octants.nrrd", "wb");
    assert_non_null(file);
    fputs("NRRD0004\ntype: uint8\ndimension: 3\nsizes: 2 2 2\nencoding: raw\n\nabcdefgh", file);
    fclose(file);
    const rblSceneId scene = load(text);
    rblSimulation simulation;
    check_ok(rbl_simulation_start(&simulation, scene, true));
    remove("scene_octants.nrrd");
    run_through(&simulation);
    const rblStatistics* statistics = &simulation.run.statistics;
    assert_int_equal(statistics->events.count, 1);
    assert_int_equal(statistics->events.data[0].pieces, 8);
    const rblRunSummary summary = rbl_statistics_summary(statistics);
    assert_true(summary.worst_rise < 1e-6 * summary.scale);
    rbl_simulation_free(&simulation);
    check_ok(rbl_scene_destroy(scene));
}

static void debris_of_a_scene_vanishes_with_an_event(void** state)
{
    (void)state;
    static const char text[] =
        "{\"rubble\":1,\"step\":0.0333333333,\"duration\":0.6,\"shapes\":{\"block\":{\"kind\":\"box\","
        "\"size\":[0.6,0.4,0.2]}},\"bodies\":[{\"name\":\"block\",\"shape\":\"block\",\"material\":"
        "\"ceramic\","
        "\"fracture\":{\"method\":\"prescored\",\"pattern\":\"clustered\",\"pieces\":60,\"crumbs\":"
        "\"debris\","
        "\"smallest\":0.01,\"lifetime\":0.2}}],"
        "\"events\":[{\"time\":0.1,\"break\":{\"body\":\"block\",\"at\":[0,0.2,0],\"normal\":[0,-1,0]}}]}";
    const rblSceneId scene = load(text);
    rblSimulation simulation;
    check_ok(rbl_simulation_start(&simulation, scene, true));
    run_through(&simulation);
    const rblStatistics* statistics = &simulation.run.statistics;
    const rblStepRecord* last = &statistics->steps.data[statistics->steps.count - 1];
    assert_int_equal(statistics->events.count, 2);
    assert_string_equal(statistics->events.data[1].type, "vanish");
    const uint32_t vanished = statistics->events.data[1].pieces;
    assert_true(vanished > 3);
    assert_int_equal(last->counters.bodies + vanished, statistics->events.data[0].pieces);
    uint32_t dead = 0;
    for (size_t i = 0; i < simulation.run.bodies.count; ++i)
    {
        dead += simulation.run.bodies.data[i].parent != RBL_NONE &&
                simulation.run.bodies.data[i].death != RBL_NONE;
    }
    assert_int_equal(dead, vanished);
    const rblRunSummary summary = rbl_statistics_summary(statistics);
    assert_true(summary.worst_rise < 1e-6 * summary.scale);
    rbl_simulation_free(&simulation);
    check_ok(rbl_scene_destroy(scene));
}

static void scenes_cap_fragments_and_say_how_pieces_break_again(void** state)
{
    (void)state;
    static const char text[] =
        "{\"rubble\":1,\"duration\":0.2,\"shapes\":{\"block\":{\"kind\":\"box\",\"size\":[0.6,0.4,0.2]}},"
        "\"bodies\":[{\"name\":\"block\",\"shape\":\"block\",\"material\":\"ceramic\","
        "\"fracture\":{\"method\":\"prescored\",\"pattern\":\"voronoi\",\"pieces\":60,\"mostFragments\":9,"
        "\"thinnest\":0.001,\"share\":0.5,\"smallestBody\":0.1}}],"
        "\"events\":[{\"time\":0.1,\"break\":{\"body\":\"block\",\"at\":[0,0.2,0],\"normal\":[0,-1,0]}}]}";
    const rblSceneId scene = load(text);
    rblSimulation simulation;
    assert_true(prescored_of(scene, 0)->thinnest == 0.001f);
    assert_true(prescored_of(scene, 0)->share == 0.5f);
    assert_true(prescored_of(scene, 0)->smallest_body == 0.1f);
    check_ok(rbl_simulation_start(&simulation, scene, true));
    run_through(&simulation);
    assert_int_equal(simulation.run.statistics.events.count, 1);
    assert_int_equal(simulation.run.statistics.events.data[0].pieces, 9);
    rbl_simulation_free(&simulation);
    check_ok(rbl_scene_destroy(scene));
}

// Impulses that the solver finds for heaps of wedged pieces need no clamp: it would let things through each other.
static const char touched[] =
    "{\"rubble\":1,\"step\":0.1,\"duration\":0.6,\"gravity\":[0,0,0],"
    "\"materials\":{\"hard\":{\"preset\":\"glass\",\"breakImpulse\":1e9}},"
    "\"shapes\":{\"box\":{\"kind\":\"box\",\"size\":[1,1,1]}},"
    "\"bodies\":[{\"name\":\"a_piece_1\",\"shape\":\"box\",\"material\":\"hard\","
    "\"fracture\":{\"method\":\"prescored\",\"pattern\":\"voronoi\",\"pieces\":12}}],"
    "\"events\":[{\"time\":0,\"break\":{\"body\":\"a_piece_1\"}},"
    "{\"time\":0.2,\"remove\":\"a_piece_1_piece_0\"},"
    "{\"time\":0.2,\"setVelocity\":{\"body\":\"a_piece_1_piece_2\",\"velocity\":[0,0,50]}},"
    "{\"time\":0.2,\"impulse\":{\"body\":\"a_piece_1_piece_99\",\"impulse\":[0,0,4]}},"
    "{\"time\":0.4,\"break\":{\"body\":\"a_piece_1_piece_1\"}},"
    "{\"time\":0.5,\"impulse\":{\"body\":\"a_piece_1_piece_1\",\"impulse\":[0,0,4]}}]}";

static void events_reach_pieces_by_name(void** state)
{
    (void)state;
    const rblSceneId scene = load(touched);
    rblSimulation simulation;
    rblBodyState body;
    check_ok(rbl_simulation_start(&simulation, scene, true));
    for (uint32_t i = 0; i < 3; ++i)
    {
        check_ok(rbl_simulation_advance(&simulation));
    }
    const rblBodyId removed = rbl_simulation_find_piece(&simulation, "a_piece_1_piece_0");
    const rblBodyId pushed = rbl_simulation_find_piece(&simulation, "a_piece_1_piece_2");
    const rblBodyId broken = rbl_simulation_find_piece(&simulation, "a_piece_1_piece_1");
    assert_int_not_equal(removed.index1, 0);
    assert_false(rbl_body_is_valid(simulation.world, removed));
    check_ok(rbl_body_state(simulation.world, pushed, &body));
    assert_true(body.pose.p.z > 0.1f);
    assert_true(rbl_body_is_valid(simulation.world, broken));
    run_through(&simulation);
    assert_false(rbl_body_is_valid(simulation.world, broken));
    assert_int_equal(rbl_simulation_find_piece(&simulation, "a_piece_1_piece_99").index1, 0);
    assert_int_not_equal(rbl_simulation_find_piece(&simulation, "a_piece_1_piece_1_piece_0").index1, 0);
    check_fails(RBL_ERROR_ARGUMENT, rbl_scene_apply_to_piece(scene, simulation.world, 0, broken));
    rbl_simulation_free(&simulation);
    check_ok(rbl_scene_destroy(scene));
}

static void events_of_impossible_pieces_are_refused(void** state)
{
    (void)state;
    static const char* const names[] = {"b_piece_0", "a_piece_1_piece_", "a_piece_1_piece_x",
                                        "a_piece_1_piece_0_bit_1", "_piece_0"};
    for (size_t i = 0; i < sizeof names / sizeof names[0]; ++i)
    {
        char text[512];
        rblSceneId scene;
        snprintf(text, sizeof text,
                 "{\"rubble\":1,\"shapes\":{\"box\":{\"kind\":\"box\",\"size\":[1,1,1]}},"
                 "\"bodies\":[{\"name\":\"a_piece_1\",\"shape\":\"box\",\"fracture\":"
                 "{\"method\":\"prescored\"}},{\"name\":\"b\",\"shape\":\"box\"}],"
                 "\"events\":[{\"time\":0,\"remove\":\"%s\"}]}",
                 names[i]);
        check_fails(RBL_ERROR_FORMAT, rbl_scene_load_memory(text, strlen(text), "bad.json", &scene));
        assert_non_null(strstr(rbl_last_error(), "no body"));
    }
}

// A ball that somebody throws into a run is in it from then on.
static void guests_join_a_run(void** state)
{
    (void)state;
    const rblSceneId scene = load(touched);
    rblSimulation simulation;
    rblBodyDef def = rbl_default_body_def();
    rblSceneMaterial material;
    rblBodyId id;
    check_ok(rbl_simulation_start(&simulation, scene, true));
    check_ok(rbl_simulation_advance(&simulation));
    check_ok(rbl_shape_create_sphere(0.1f, &def.shape));
    check_ok(rbl_scene_material_preset("steel", &material));
    check_fails(RBL_ERROR_ARGUMENT, rbl_scene_material_preset("cheese", &material));
    def.material = material.values;
    def.pose.p = (rblVec3){0.0f, 9.0f, 0.0f};
    def.velocity = (rblVec3){1.0f, 0.0f, 0.0f};
    check_ok(rbl_body_create(simulation.world, &def, &id));
    check_ok(rbl_simulation_add_body(&simulation, id, "thrown", &material));
    run_through(&simulation);
    const rblRunBody* guest = NULL;
    for (size_t i = 0; i < simulation.run.bodies.count; ++i)
    {
        const rblRunBody* body = &simulation.run.bodies.data[i];
        guest = strcmp(body->name, "thrown") == 0 ? body : guest;
    }
    assert_non_null(guest);
    assert_int_equal(guest->birth, 2);
    assert_int_equal(guest->parent, RBL_NONE);
    assert_string_equal(simulation.run.materials.data[guest->material].name, "steel");
    assert_string_equal(simulation.run.shapes.data[guest->shape].source, "sphere");
    assert_int_equal(guest->keys.count, 5);
    rbl_simulation_free(&simulation);
    check_ok(rbl_shape_destroy(def.shape));
    check_ok(rbl_scene_destroy(scene));
}

static void heaps_of_pieces_are_solved_without_a_clamp(void** state)
{
    (void)state;
    static const char* const paths[] = {RBL_TEST_DOCS "/../scenes/wall_two_stages.json",
                                        RBL_TEST_DOCS "/../scenes/pillar.json"};
    for (size_t i = 0; i < 2; ++i)
    {
        rblSceneId scene;
        rblSimulation simulation;
        check_ok(rbl_scene_load(paths[i], &scene));
        check_ok(rbl_scene_prepare(scene));
        check_ok(rbl_simulation_start(&simulation, scene, false));
        run_through(&simulation);
        const rblRunSummary summary = rbl_statistics_summary(&simulation.run.statistics);
        assert_true(simulation.run.statistics.events.count > 0);
        assert_true(summary.clamped < 0.01 * summary.scale);
        rbl_simulation_free(&simulation);
        check_ok(rbl_scene_destroy(scene));
    }
}

static uint64_t hash_with(uint32_t workers)
{
    const rblTasks tasks = tasks_of(workers);
    check_ok(rbl_set_tasks(&tasks));
    const rblSceneId scene = load(smash);
    rblSimulation simulation;
    check_ok(rbl_simulation_start(&simulation, scene, false));
    run_through(&simulation);
    const uint64_t hash = simulation.run.statistics.hash;
    rbl_simulation_free(&simulation);
    check_ok(rbl_scene_destroy(scene));
    check_ok(rbl_set_tasks(NULL));
    return hash;
}

static void the_number_of_threads_changes_nothing(void** state)
{
    (void)state;
    const uint64_t hash = hash_with(1);
    assert_true(hash_with(2) == hash);
    assert_true(hash_with(3) == hash);
}

static void nothing_is_left(void** state)
{
    (void)state;
    assert_int_equal(rbl_shape_alive_count(), 0);
    assert_int_equal(rbl_breaker_alive_count(), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(scenes_say_how_bodies_break),
        cmocka_unit_test(bodies_break_like_their_material),
        cmocka_unit_test(impossible_words_are_refused),
        cmocka_unit_test(reserved_methods_have_their_own_keys),
        cmocka_unit_test(runs_know_births_and_deaths),
        cmocka_unit_test(a_label_volume_breaks_a_body_of_a_scene),
        cmocka_unit_test(debris_of_a_scene_vanishes_with_an_event),
        cmocka_unit_test(events_reach_pieces_by_name),
        cmocka_unit_test(events_of_impossible_pieces_are_refused),
        cmocka_unit_test(guests_join_a_run),
        cmocka_unit_test(heaps_of_pieces_are_solved_without_a_clamp),
        cmocka_unit_test(scenes_cap_fragments_and_say_how_pieces_break_again),
        cmocka_unit_test(the_number_of_threads_changes_nothing),
        cmocka_unit_test(nothing_is_left),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
