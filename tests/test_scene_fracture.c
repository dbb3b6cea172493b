// Scenes whose bodies break: what they say, what a run keeps of births and deaths, recordings and replays of it.
#include "testing.h"

#include "box_breaker.h"
#include "rubble/io.h"
#include "rubble/picture.h"
#include "rubble/recorder.h"
#include "scene/checkpoint.h"
#include "scene/movie.h"
#include "scene/recording.h"
#include "scene/replay.h"
#include "scene/scene.h"
#include "scene/simulate.h"
#include <stdlib.h>
#include <string.h>

// A plate on two rails under a falling ball, and a wall that is broken on demand.
static const char smash[] =
    "{\"rubble\":1,\"step\":0.0333333333,\"duration\":0.8,\"seed\":7,"
    "\"materials\":{\"pane\":{\"preset\":\"glass\",\"breakImpulse\":3}},"
    "\"shapes\":{\"ground\":{\"kind\":\"plane\",\"normal\":[0,1,0]},"
    "\"plate\":{\"kind\":\"box\",\"size\":[0.4,0.01,0.4]},\"ball\":{\"kind\":\"sphere\",\"radius\":0.05},"
    "\"rail\":{\"kind\":\"box\",\"size\":[0.05,0.4,0.5]},\"wall\":{\"kind\":\"box\",\"size\":[1,1,0.1]}},"
    "\"bodies\":[{\"shape\":\"ground\",\"type\":\"static\"},"
    "{\"shape\":\"rail\",\"type\":\"static\",\"position\":[-0.175,0.2,0]},"
    "{\"shape\":\"rail\",\"type\":\"static\",\"position\":[0.175,0.2,0]},"
    "{\"name\":\"plate\",\"shape\":\"plate\",\"material\":\"pane\",\"position\":[0,0.405,0],"
    "\"fracture\":{\"method\":\"prescored\",\"pattern\":\"radial\",\"pieces\":20,\"generations\":1}},"
    "{\"name\":\"ball\",\"shape\":\"ball\",\"material\":\"steel\",\"position\":[0.02,0.8,0.01],"
    "\"velocity\":[0,-4,0]},"
    "{\"name\":\"wall\",\"shape\":\"wall\",\"type\":\"static\",\"position\":[2,0.5,0],\"anchor\":\"bottom\","
    "\"fracture\":{\"method\":\"prescored\",\"pattern\":\"voronoi\",\"pieces\":12,\"generations\":1}}],"
    "\"events\":[{\"time\":0.3,\"break\":{\"body\":\"wall\",\"at\":[2,0.7,0.05],\"normal\":[0,0,-1]}},"
    "{\"time\":0.5,\"explode\":{\"at\":[2,0.5,0],\"radius\":2,\"impulse\":0.5}},"
    "{\"time\":0.6,\"impulse\":{\"body\":\"plate\",\"impulse\":[0,1,0]}}]}";

static rblSceneId load(const char* text)
{
    rblSceneId scene;
    check_ok(rbl_scene_load_memory(text, strlen(text), "smash.json", &scene));
    return scene;
}

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

static void scenes_say_how_bodies_break(void** state)
{
    (void)state;
    const rblSceneId scene = load(smash);
    rblSceneView view;
    check_ok(rbl_scene_view(scene, &view));
    assert_int_equal(view.breaker_count, 2);
    assert_int_equal(view.breakers[0].prescored.pattern.kind, RBL_PATTERN_RADIAL);
    assert_int_equal(view.breakers[0].prescored.pattern.pieces, 20);
    assert_int_equal(view.breakers[1].prescored.generations, 1);
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
        rblSceneView view;
        check_ok(rbl_scene_view(scene, &view));
        assert_int_equal(view.breakers[0].prescored.pattern.kind, cases[i].kind);
        assert_int_equal(view.breakers[0].prescored.pattern.pieces, 7);
        check_close(view.breakers[0].prescored.pattern.jitter, 0.25, 1e-7);
        check_ok(rbl_scene_destroy(scene));
    }
}

static void impossible_words_are_refused(void** state)
{
    (void)state;
    check_refused("{\"shape\":\"box\",\"fracture\":{\"method\":\"hammer\"}}", "hammer");
    check_refused("{\"shape\":\"box\",\"fracture\":{\"pattern\":\"radiall\"}}", "radial");
    check_refused("{\"shape\":\"box\",\"fracture\":{\"pieces\":0}}", "1 to 10000");
    check_refused("{\"shape\":\"box\",\"fracture\":{\"pieces\":1000000}}", "1 to 10000");
    check_refused("{\"shape\":\"box\",\"fracture\":{\"jitter\":1.5}}", "0 to 1");
    check_refused("{\"shape\":\"box\",\"fracture\":{\"radius\":-1}}", "radius");
    check_refused("{\"shape\":\"box\",\"fracture\":{\"crumbs\":\"vanish\"}}", "crumbs");
    check_refused("{\"shape\":\"box\",\"fracture\":{\"share\":-0.5}}", "share");
    check_refused("{\"shape\":\"box\",\"fracture\":{\"mostFragments\":-1}}", "mostFragments");
    check_refused("{\"shape\":\"box\",\"anchor\":\"bottom\"}", "static");
    check_refused("{\"shape\":\"box\",\"type\":\"static\",\"anchor\":{\"box\":[[0,0,0],[1,0,1]]}}", "below");
    check_refused("{\"shape\":\"ground\",\"type\":\"static\",\"fracture\":{\"method\":\"prescored\"}}",
                  "plane");
    check_refused("{\"name\":\"a\",\"shape\":\"box\"}],\"events\":[{\"time\":1,\"break\":{\"body\":\"a\"}}",
                  "cannot break");
}

static void run_through(rblSimulation* simulation)
{
    while (!rbl_simulation_done(simulation))
    {
        check_ok(rbl_simulation_advance(simulation));
    }
    check_ok(rbl_simulation_finish(simulation));
}

// In GLB files what breaking laid open has the second of a body's two materials.
static void check_cracks_have_their_material(const rblRun* run)
{
    rblMeshId mesh;
    rblMeshView view;
    uint32_t skin = 0;
    uint32_t cracks = 0;
    check_ok(rbl_run_write_glb(run, "scene_fracture.glb"));
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

// Eight octants, meeting where the block is hit.
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
    rblSceneView view;
    rblSimulation simulation;
    check_ok(rbl_scene_view(scene, &view));
    assert_true(view.breakers[0].prescored.thinnest == 0.001f);
    assert_true(view.breakers[0].prescored.share == 0.5f);
    assert_true(view.breakers[0].prescored.smallest_body == 0.1f);
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
    check_ok(rbl_scene_preset("steel", &material));
    check_fails(RBL_ERROR_ARGUMENT, rbl_scene_preset("cheese", &material));
    def.material = material.values;
    def.pose.p = (rblVec3){0.0f, 9.0f, 0.0f};
    def.velocity = (rblVec3){1.0f, 0.0f, 0.0f};
    check_ok(rbl_body_create(simulation.world, &def, &id));
    check_ok(rbl_simulation_add_guest(&simulation, id, "thrown", &material));
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

static void record_to(const char* path, bool quantise, uint64_t* hash)
{
    const rblSceneId scene = load(smash);
    rblSimulation simulation;
    check_ok(rbl_simulation_start(&simulation, scene, false));
    check_ok(rbl_simulation_record(&simulation, path, quantise));
    run_through(&simulation);
    *hash = simulation.run.statistics.hash;
    rbl_simulation_free(&simulation);
    check_ok(rbl_scene_destroy(scene));
}

static void recordings_keep_fragments_and_replay_the_same(void** state)
{
    (void)state;
    const char* path = "scene_fracture.rbl";
    for (int quantise = 0; quantise < 2; ++quantise)
    {
        uint64_t hash;
        rblRun run;
        rblReplay replay;
        rblRecordingReport report;
        record_to(path, quantise != 0, &hash);
        check_ok(rbl_recording_load(path, &run, &report));
        assert_true(report.problem[0] == '\0' && run.statistics.hash == hash);
        const rblStepRecord* last = &run.statistics.steps.data[run.statistics.steps.count - 1];
        uint32_t pieces = 0;
        double energy = 0.0;
        for (size_t i = 0; i < run.statistics.events.count; ++i)
        {
            pieces += run.statistics.events.data[i].pieces;
            energy += run.statistics.events.data[i].surface_energy;
        }
        assert_true(pieces > 8 && energy > 0.0);
        assert_int_equal(last->counters.fragments, pieces);
        assert_int_equal(run.statistics.steps.data[0].counters.fragments, 0);
        check_ok(rbl_replay_start(&replay, &run, false));
        for (uint32_t i = 0; i < rbl_run_last_step(&run); ++i)
        {
            check_ok(rbl_replay_advance(&replay));
        }
        assert_int_equal(replay.first_difference, RBL_NONE);
        rbl_replay_free(&replay);
        rbl_run_free(&run);
        remove(path);
    }
}

// ---- checkpoints ----

static void check_same_statistics(const rblStatistics* a, const rblStatistics* b)
{
    assert_int_equal(a->steps.count, b->steps.count);
    assert_int_equal(a->events.count, b->events.count);
    for (size_t i = 0; i < a->steps.count; ++i)
    {
        assert_true(a->steps.data[i].hash == b->steps.data[i].hash);
        assert_int_equal(a->steps.data[i].counters.fragments, b->steps.data[i].counters.fragments);
        assert_true(a->steps.data[i].energy.dissipated == b->steps.data[i].energy.dissipated);
    }
    for (size_t i = 0; i < a->events.count; ++i)
    {
        assert_string_equal(a->events.data[i].body, b->events.data[i].body);
        assert_true(a->events.data[i].surface_energy == b->events.data[i].surface_energy);
        assert_true(a->events.data[i].heat == b->events.data[i].heat);
        assert_int_equal(a->events.data[i].pieces, b->events.data[i].pieces);
    }
}

static void check_same_bodies(const rblRun* a, const rblRun* b)
{
    assert_int_equal(a->bodies.count, b->bodies.count);
    assert_int_equal(a->shapes.count, b->shapes.count);
    for (size_t i = 0; i < a->bodies.count; ++i)
    {
        const rblRunBody* x = &a->bodies.data[i];
        const rblRunBody* y = &b->bodies.data[i];
        assert_string_equal(x->name, y->name);
        assert_true(x->shape == y->shape && x->parent == y->parent && x->mass == y->mass);
        assert_true(x->birth == y->birth && x->death == y->death);
        for (uint32_t step = 0; step <= rbl_run_last_step(a); ++step)
        {
            rblRunKey p = {0};
            rblRunKey q = {0};
            assert_true(rbl_run_state(a, (uint32_t)i, step, &p) == rbl_run_state(b, (uint32_t)i, step, &q));
            p.step = q.step = 0; // where it changed last: a step to go on from is whole
            assert_memory_equal(&p, &q, sizeof p);
        }
    }
}

// Stop after some steps, go on elsewhere.
static void record_in_two_parts(rblSceneId scene, const char* path, uint32_t steps)
{
    rblSimulation simulation;
    check_ok(rbl_simulation_start(&simulation, scene, false));
    check_ok(rbl_simulation_record(&simulation, path, false));
    while (simulation.step < steps)
    {
        check_ok(rbl_simulation_advance(&simulation));
    }
    check_ok(rbl_checkpoint_save(&simulation, "scene_fracture.check"));
    check_ok(rbl_simulation_advance(&simulation)); // dropped when it is gone on with
    rbl_simulation_free(&simulation);
    check_ok(rbl_checkpoint_resume(&simulation, scene, "scene_fracture.check"));
    assert_int_equal(simulation.step, steps);
    check_ok(rbl_simulation_record(&simulation, path, false));
    run_through(&simulation);
    rbl_simulation_free(&simulation);
    remove("scene_fracture.check");
}

static void runs_go_on_from_before_and_after_a_break(void** state)
{
    (void)state;
    const char* path = "scene_fracture.rbl";
    const rblSceneId scene = load(smash);
    rblSimulation whole;
    rblSceneView view;
    check_ok(rbl_scene_view(scene, &view));
    check_ok(rbl_simulation_start(&whole, scene, true));
    run_through(&whole);
    for (uint32_t steps = 0; steps + 1 < view.step_count; ++steps)
    {
        rblRun run;
        record_in_two_parts(scene, path, steps);
        check_ok(rbl_recording_load(path, &run, NULL));
        check_same_statistics(&run.statistics, &whole.run.statistics);
        check_same_bodies(&run, &whole.run);
        rbl_run_free(&run);
        remove(path);
    }
    rbl_simulation_free(&whole);
    check_ok(rbl_scene_destroy(scene));
}

// ---- calls ----

static rblBodyId put_box(rblWorldId world, rblBreakerId breaker, rblVec3 at, rblBodyType type)
{
    rblBodyDef def = rbl_default_body_def();
    rblBodyId body;
    check_ok(rbl_material_preset("plaster", &def.material));
    check_ok(rbl_shape_create_box((rblVec3){0.5f, 0.3f, 0.4f}, &def.shape));
    def.type = type;
    def.pose.p = at;
    def.breaker = breaker;
    def.anchor.kind = RBL_ANCHOR_NONE;
    check_ok(rbl_body_create(world, &def, &body));
    check_ok(rbl_shape_destroy(def.shape));
    return body;
}

static rblWorldId record_world(const char* path)
{
    rblWorldDef def = rbl_default_world_def();
    rblWorldId world;
    def.seed = 99;
    check_ok(rbl_world_create(&def, &world));
    check_ok(rbl_world_record(world, path));
    return world;
}

static void calls_that_break_happen_again(void** state)
{
    (void)state;
    const char* path = "scene_fracture_calls.rbl";
    rblPrescoredDef def = rbl_default_prescored_def();
    rblBreakerId breaker;
    rblReplayReport report;
    def.pattern.pieces = 7;
    check_ok(rbl_breaker_create_prescored(&def, &breaker));
    const rblWorldId world = record_world(path);
    put_box(world, breaker, (rblVec3){0, 0.2f, 0}, RBL_BODY_STATIC);
    const rblBodyId body = put_box(world, breaker, (rblVec3){0, 2, 0}, RBL_BODY_DYNAMIC);
    for (int i = 0; i < 30; ++i)
    {
        if (i == 5)
        {
            check_ok(rbl_body_break(world, body, (rblVec3){0, 2, 0}, (rblVec3){0, -1, 0}));
        }
        check_ok(rbl_world_step(world, 1.0f / 30.0f));
    }
    rblCounters counters;
    check_ok(rbl_world_counters(world, &counters));
    assert_true(counters.fragments > 3);
    check_ok(rbl_world_stop_recording(world));
    check_ok(rbl_world_destroy(world));
    check_ok(rbl_breaker_destroy(breaker));
    check_ok(rbl_replay_calls(path, &report));
    assert_true(report.same && report.complete);
    assert_int_equal(report.steps, 30);
    remove(path);
}

// A recording that begins when something has broken already, and something else is still to break.
static void recordings_begin_among_fragments(void** state)
{
    (void)state;
    const char* path = "scene_fracture_calls.rbl";
    rblPrescoredDef def = rbl_default_prescored_def();
    rblWorldDef world_def = rbl_default_world_def();
    rblBreakerId breaker;
    rblWorldId world;
    rblReplayReport report;
    rblCounters before;
    rblCounters after;
    def.pattern.pieces = 7;
    check_ok(rbl_breaker_create_prescored(&def, &breaker));
    check_ok(rbl_world_create(&world_def, &world));
    const rblBodyId floor = put_box(world, breaker, (rblVec3){0, 0.2f, 0}, RBL_BODY_STATIC);
    const rblBodyId body = put_box(world, breaker, (rblVec3){0, 1, 0}, RBL_BODY_DYNAMIC);
    check_ok(rbl_body_break(world, body, (rblVec3){0, 1, 0}, (rblVec3){0, -1, 0}));
    check_ok(rbl_world_step(world, 1.0f / 30.0f));
    check_ok(rbl_world_counters(world, &before));
    check_ok(rbl_world_record(world, path));
    check_ok(rbl_body_break(world, floor, (rblVec3){0, 0.3f, 0}, (rblVec3){0, -1, 0}));
    for (int i = 0; i < 20; ++i)
    {
        check_ok(rbl_world_step(world, 1.0f / 30.0f));
    }
    check_ok(rbl_world_counters(world, &after));
    assert_true(before.fragments > 3 && after.fragments > before.fragments + 3);
    check_ok(rbl_world_stop_recording(world));
    check_ok(rbl_world_destroy(world));
    check_ok(rbl_breaker_destroy(breaker));
    check_ok(rbl_replay_calls(path, &report));
    assert_true(report.same && report.complete);
    remove(path);
}

static void breakers_of_the_users_own_are_refused_by_name(void** state)
{
    (void)state;
    const char* path = "scene_fracture_calls.rbl";
    BoxBreaker boxes = {.counts = {2, 2, 2}};
    const rblBreakerId breaker = make_box_breaker(&boxes);
    const rblWorldId world = record_world(path);
    put_box(world, breaker, (rblVec3){0, 2, 0}, RBL_BODY_DYNAMIC);
    check_fails(RBL_ERROR_UNSUPPORTED, rbl_world_stop_recording(world));
    assert_non_null(strstr(rbl_last_error(), "'boxes'"));
    check_ok(rbl_world_destroy(world));
    check_ok(rbl_breaker_destroy(breaker));
    remove("scene_fracture_calls.rbl.part");
    remove(path);
}

static uint64_t hash_with(uint32_t workers)
{
    const rblTasks tasks = {.worker_count = workers};
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
        cmocka_unit_test(runs_know_births_and_deaths),
        cmocka_unit_test(a_label_volume_breaks_a_body_of_a_scene),
        cmocka_unit_test(debris_of_a_scene_vanishes_with_an_event),
        cmocka_unit_test(events_reach_pieces_by_name),
        cmocka_unit_test(events_of_impossible_pieces_are_refused),
        cmocka_unit_test(guests_join_a_run),
        cmocka_unit_test(heaps_of_pieces_are_solved_without_a_clamp),
        cmocka_unit_test(scenes_cap_fragments_and_say_how_pieces_break_again),
        cmocka_unit_test(recordings_keep_fragments_and_replay_the_same),
        cmocka_unit_test(runs_go_on_from_before_and_after_a_break),
        cmocka_unit_test(calls_that_break_happen_again),
        cmocka_unit_test(recordings_begin_among_fragments),
        cmocka_unit_test(breakers_of_the_users_own_are_refused_by_name),
        cmocka_unit_test(the_number_of_threads_changes_nothing),
        cmocka_unit_test(nothing_is_left),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
