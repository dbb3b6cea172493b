// Bodies that break by stress in files: checkpoints, recordings of calls, and the bytes of their fragments.
#include "testing.h"

#include "base/random.h"
#include "field/fragment/fragment_shape.h"
#include "io/file.h"
#include "prescored_testing.h"
#include "replay_testing.h"
#include "rubble/prescored.h"
#include "rubble/recorder.h"
#include "rubble/stress.h"
#include "scene/record/call_codec.h"
#include "scene/record/checkpoint.h"
#include "scene/run/simulate.h"
#include "shape_testing.h"
#include <stdlib.h>
#include <string.h>

// ---- checkpoints ----

// A brick bursts on the floor, and a heavy slab comes down on all that is left of it.
static const char burst[] =
    "{\"rubble\":1,\"step\":0.0166666667,\"duration\":0.4,\"seed\":3,"
    "\"shapes\":{\"ground\":{\"kind\":\"plane\",\"normal\":[0,1,0]},"
    "\"brick\":{\"kind\":\"box\",\"size\":[0.2,0.06,0.1]},\"slab\":{\"kind\":\"box\",\"size\":[1,0.04,1]}},"
    "\"bodies\":[{\"shape\":\"ground\",\"type\":\"static\",\"material\":\"stone\"},"
    "{\"name\":\"brick\",\"shape\":\"brick\",\"material\":\"clay\",\"position\":[0,0.2,0],"
    "\"velocity\":[0,-7,0],\"rotation\":[0.2,0.1,0.3,0.9273618],"
    "\"fracture\":{\"method\":\"stress\",\"tetrahedra\":400,\"generations\":3,\"smallestBody\":0.01}},"
    "{\"name\":\"slab\",\"shape\":\"slab\",\"material\":\"steel\",\"position\":[0,2.2,0],"
    "\"velocity\":[0,-12,0]}]}";

static rblSceneId load_burst(void)
{
    rblSceneId scene;
    check_ok(rbl_scene_load_memory(burst, strlen(burst), "burst.json", &scene));
    return scene;
}

// The same, with hierarchies of samples that are rebuilt four steps after each break.
static rblSceneId load_rebuilding(void)
{
    char text[sizeof burst + 16];
    rblSceneId scene;
    const char* at = strstr(burst, "\"tetrahedra\"");
    snprintf(text, sizeof text, "%.*s\"rebuild\":4,%s", (int)(at - burst), burst, at);
    check_ok(rbl_scene_load_memory(text, strlen(text), "rebuilding.json", &scene));
    return scene;
}

static void run_through(rblSimulation* simulation)
{
    while (simulation->step < simulation->view.step_count)
    {
        check_ok(rbl_simulation_advance(simulation));
    }
}

static const char check_path[] = "stress_kept.check";

// Stop after some steps, go on elsewhere.
static void run_in_two_parts(rblSceneId scene, uint32_t steps, const rblStatistics* whole)
{
    rblSimulation simulation;
    check_ok(rbl_simulation_start(&simulation, scene, false));
    while (simulation.step < steps)
    {
        check_ok(rbl_simulation_advance(&simulation));
    }
    check_ok(rbl_checkpoint_save(&simulation, check_path));
    rbl_simulation_free(&simulation);
    check_ok(rbl_checkpoint_resume(&simulation, scene, check_path));
    run_through(&simulation);
    const rblStatistics* found = &simulation.run.statistics;
    assert_int_equal(found->steps.count, whole->steps.count);
    assert_int_equal(found->events.count, whole->events.count);
    for (size_t i = 0; i < whole->steps.count; ++i)
    {
        assert_true(found->steps.data[i].hash == whole->steps.data[i].hash);
        assert_true(found->steps.data[i].energy.dissipated == whole->steps.data[i].energy.dissipated);
    }
    rbl_simulation_free(&simulation);
    remove(check_path);
}

static void runs_go_on_from_before_between_and_after_breaks(void** state)
{
    (void)state;
    const rblSceneId scene = load_burst();
    rblSimulation whole;
    check_ok(rbl_simulation_start(&whole, scene, false));
    run_through(&whole);
    const rblStatistics* statistics = &whole.run.statistics;
    const size_t breaks = statistics->events.count;
    assert_true(breaks >= 3); // the brick, pieces, and pieces of these
    assert_true(statistics->events.data[breaks - 1].time > statistics->events.data[0].time + 0.1);
    for (uint32_t steps = 0; steps < whole.view.step_count; steps += steps < 3 ? 1 : 8)
    {
        run_in_two_parts(scene, steps, statistics);
    }
    rbl_simulation_free(&whole);
    check_ok(rbl_scene_destroy(scene));
    assert_int_equal(rbl_shape_alive_count(), 0);
    assert_int_equal(rbl_tets_alive_count(), 0);
}

// ---- hierarchies rebuilt beside the simulation ----

static void runs_with_rebuilt_hierarchies_go_on_between_break_and_swap(void** state)
{
    (void)state;
    const rblSceneId scene = load_rebuilding();
    rblSimulation whole;
    check_ok(rbl_simulation_start(&whole, scene, false));
    run_through(&whole);
    for (uint32_t steps = 2; steps <= 8; steps += 3)
    {
        run_in_two_parts(scene, steps, &whole.run.statistics);
    }
    rbl_simulation_free(&whole);
    check_ok(rbl_scene_destroy(scene));
}

static void hierarchies_come_at_the_same_step_for_any_number_of_threads(void** state)
{
    (void)state;
    const uint32_t counts[4] = {1, 2, 3, 8};
    uint64_t hash = 0;
    for (int i = 0; i < 4; ++i)
    {
        const rblTasks tasks = tasks_of(counts[i]);
        rblSimulation simulation;
        check_ok(rbl_set_tasks(&tasks));
        const rblSceneId scene = load_rebuilding();
        check_ok(rbl_simulation_start(&simulation, scene, false));
        run_through(&simulation);
        hash = i == 0 ? simulation.run.statistics.hash : hash;
        assert_true(simulation.run.statistics.hash == hash);
        rbl_simulation_free(&simulation);
        check_ok(rbl_scene_destroy(scene));
        check_ok(rbl_set_tasks(NULL));
    }
    assert_int_equal(rbl_shape_alive_count(), 0);
}

// A brick that is broken on demand, and the first of its pieces.
static rblBodyId break_brick(rblWorldId world, uint32_t rebuild)
{
    rblStressDef stress = rbl_default_stress_def();
    rblBodyDef def = rbl_default_body_def();
    const rblBreakEvent* events;
    uint32_t count;
    rblBodyId body;
    stress.tetrahedra = 400;
    stress.rebuild = rebuild;
    check_ok(rbl_breaker_create_stress(&stress, &def.breaker));
    check_ok(rbl_shape_create_box(rbl_vec3(0.2f, 0.06f, 0.1f), &def.shape));
    check_ok(rbl_material_preset("clay", &def.material));
    check_ok(rbl_body_create(world, &def, &body));
    check_ok(rbl_breaker_destroy(def.breaker));
    check_ok(rbl_shape_destroy(def.shape));
    check_ok(rbl_body_break(world, body, (rblVec3){0, 0.03f, 0}, (rblVec3){0, -1, 0}));
    check_ok(rbl_world_step(world, 1.0f / 60.0f));
    check_ok(rbl_world_break_events(world, &events, &count));
    assert_true(count == 1 && events[0].fragment_count >= 2);
    return events[0].fragments[0];
}

static rblShapeView shape_of(rblWorldId world, rblBodyId body)
{
    rblBodyState state;
    check_ok(rbl_body_state(world, body, &state));
    return view_of(state.shape);
}

static uint64_t run_on(rblWorldId world, int steps)
{
    uint64_t hash;
    for (int i = 0; i < steps; ++i)
    {
        check_ok(rbl_world_step(world, 1.0f / 60.0f));
    }
    check_ok(rbl_world_hash(world, &hash));
    return hash;
}

// The new shape has the same samples in another order, the surface of the old one, and its crack faces.
static void rebuilt_fragments_are_the_same_things(void** state)
{
    (void)state;
    rblWorldDef def = rbl_default_world_def();
    rblWorldId world;
    size_t size;
    check_ok(rbl_world_create(&def, &world));
    const rblBodyId piece = break_brick(world, 3);
    const rblShapeView before = shape_of(world, piece);
    check_ok(rbl_world_save(world, NULL, 0, &size));
    void* saved = malloc(size);
    check_ok(rbl_world_save(world, saved, size, &size));
    (void)run_on(world, 1);
    assert_ptr_equal(shape_of(world, piece).shape, before.shape);
    const uint64_t hash = run_on(world, 9);
    const rblShapeView after = shape_of(world, piece);
    assert_ptr_not_equal(after.shape, before.shape);
    assert_memory_equal(&after.mass, &before.mass, sizeof after.mass);
    assert_memory_equal(&after.bounds, &before.bounds, sizeof after.bounds);
    assert_true(after.sample_count > 0 && after.sample_count <= before.sample_count);
    rblMeshId meshes[2];
    rblMeshView views[2];
    uint32_t faces[2];
    check_ok(rbl_shape_surface(&before, &meshes[0]));
    check_ok(rbl_shape_surface(&after, &meshes[1]));
    check_ok(rbl_mesh_view(meshes[0], &views[0]));
    check_ok(rbl_mesh_view(meshes[1], &views[1]));
    assert_int_equal(views[0].face_count, views[1].face_count);
    check_ok(rbl_fragment_faces(&before, NULL, 0, &faces[0]));
    check_ok(rbl_fragment_faces(&after, NULL, 0, &faces[1]));
    assert_int_equal(faces[0], faces[1]);
    for (int i = 0; i < 2; ++i) // back to before the swap, and on: the same again
    {
        check_ok(rbl_world_restore(world, saved, size));
        assert_ptr_equal(shape_of(world, piece).shape, before.shape);
        assert_true(run_on(world, 10) == hash);
    }
    free(saved);
    check_ok(rbl_world_destroy(world));
    assert_int_equal(rbl_shape_alive_count(), 0);
}

// ---- calls ----

static const char recording[] = "stress_kept.rbl";
static const char grid[] = "stress_kept.nrrd";

static rblBreakerId breaker_with_grid(void)
{
    FILE* file = fopen(grid, "wb");
    assert_non_null(file);
    fprintf(file, "NRRD0004\ntype: uint8\ndimension: 3\nsizes: 2 1 2\nencoding: raw\n\nz~y}");
    fclose(file);
    rblStressDef def = rbl_default_stress_def();
    rblBreakerId breaker;
    def.tetrahedra = 200;
    def.smallest_body = 0.0f;
    def.rebuild = 2;
    def.variation.grid_file = grid;
    check_ok(rbl_breaker_create_stress(&def, &breaker));
    remove(grid);
    return breaker;
}

static rblBodyId put_brick(rblWorldId world, rblBreakerId breaker, rblShapeId shape, float x)
{
    rblBodyDef def = rbl_default_body_def();
    rblBodyId body;
    check_ok(rbl_material_preset("clay", &def.material));
    def.shape = shape;
    def.pose.p = (rblVec3){x, 1, 0};
    def.breaker = breaker;
    check_ok(rbl_body_create(world, &def, &body));
    return body;
}

// Break a body and then the first of its pieces.
static void break_twice(rblWorldId world, rblBodyId body, float x)
{
    const rblBreakEvent* events;
    uint32_t count;
    rblBodyState state;
    check_ok(rbl_body_break(world, body, (rblVec3){x, 1.03f, 0}, (rblVec3){0, -1, 0}));
    check_ok(rbl_world_step(world, 1.0f / 60.0f));
    check_ok(rbl_world_break_events(world, &events, &count));
    assert_true(count == 1 && events[0].fragment_count >= 2);
    const rblBodyId piece = events[0].fragments[0];
    check_ok(rbl_body_state(world, piece, &state));
    check_ok(rbl_body_break(world, piece, state.pose.p, (rblVec3){0.6f, 0, 0.8f}));
    check_ok(rbl_world_step(world, 1.0f / 60.0f));
}

// How the recording begins: with an empty world, or one in which something has broken already, twice.
static void record_breaks(bool late)
{
    rblWorldDef def = rbl_default_world_def();
    rblWorldId world;
    rblBodyId bodies[3];
    rblShapeId shape;
    check_ok(rbl_world_create(&def, &world));
    check_ok(late ? RBL_OK : rbl_world_record(world, recording));
    const rblBreakerId breaker = breaker_with_grid();
    check_ok(rbl_shape_create_box(rbl_vec3(0.2f, 0.06f, 0.1f), &shape));
    for (int i = 0; i < 3; ++i)
    {
        bodies[i] = put_brick(world, breaker, shape, (float)i);
    }
    check_ok(rbl_breaker_destroy(breaker));
    check_ok(rbl_shape_destroy(shape));
    break_twice(world, bodies[0], 0.0f);
    check_ok(late ? rbl_world_record(world, recording) : RBL_OK);
    break_twice(world, bodies[1], 1.0f);
    check_ok(rbl_world_step(world, 1.0f / 60.0f));
    check_ok(rbl_world_stop_recording(world));
    check_ok(rbl_world_destroy(world));
}

static void recorded_breaks_happen_again_without_the_grid_file(void** state)
{
    (void)state;
    for (int late = 0; late < 2; ++late)
    {
        rblFileBytes file;
        record_breaks(late != 0);
        check_ok(rbl_file_read(recording, SIZE_MAX, rbl_default_allocator(), &file));
        remove(recording);
        assert_int_equal(recording_count_chunks(&file, RBL_CHUNK_BREAKER), 1); // three bodies share it
        assert_int_equal(recording_count_chunks(&file, RBL_CHUNK_EVENT), late ? 2 : 0);
        check_recording_replays(&file, "stress");
        rbl_file_bytes_free(&file);
    }
}

static void damage_chunks(const rblFileBytes* file, uint32_t type, uint32_t trials, rblRandom* random)
{
    uint8_t* bytes = malloc(file->size);
    size_t offset = RBL_FILE_HEADER_SIZE;
    for (uint32_t trial = 0; trial < trials; ++trial)
    {
        do
        {
            offset = recording_chunk_end(file->bytes, file->size, offset);
            offset = offset == 0 || offset == file->size ? RBL_FILE_HEADER_SIZE : offset;
        } while (rbl_load_u32(file->bytes + offset) != type);
        const size_t length =
            recording_chunk_end(file->bytes, file->size, offset) - offset - RBL_CHUNK_HEADER_SIZE;
        const uint32_t range = trial % 2 == 0 && length > 40 ? 40 : (uint32_t)length;
        memcpy(bytes, file->bytes, file->size);
        for (uint32_t k = 1 + rbl_random_below(random, 2); k > 0; --k)
        {
            bytes[offset + RBL_CHUNK_HEADER_SIZE + rbl_random_below(random, range)] =
                (uint8_t)rbl_random_u32(random);
        }
        recording_seal(bytes, file->size);
        rblReplayReport report;
        (void)rbl_calls_replay_memory(bytes, file->size, "hostile", &report);
        assert_int_equal(rbl_breaker_alive_count(), 0);
        assert_int_equal(rbl_shape_alive_count(), 0);
    }
    free(bytes);
}

static void hostile_events_and_fragments_do_no_harm(void** state)
{
    (void)state;
    rblFileBytes file;
    rblRandom random = rbl_random_seed(12, 0);
    record_breaks(true);
    check_ok(rbl_file_read(recording, SIZE_MAX, rbl_default_allocator(), &file));
    remove(recording);
    damage_chunks(&file, RBL_CHUNK_EVENT, 12, &random);
    damage_chunks(&file, RBL_CHUNK_RECIPE, 12, &random);
    rbl_file_bytes_free(&file);
}

// ---- bytes ----

static uint32_t zero(const rblFragmentEvent* event, void* context)
{
    (void)event;
    (void)context;
    return 0;
}

static rblFragmentEvent* event_again(const rblFragmentEvent* event, rblShapeId shape, uint32_t parent,
                                     const rblRecipeTables* tables)
{
    rblEventOrigin origin;
    rblByteSink sink;
    rblFragmentEvent* made = NULL;
    assert_true(rbl_event_find_origin(event, &origin));
    assert_ptr_equal(origin.shape, view_of(shape).shape);
    rbl_sink_init(&sink, rbl_default_allocator());
    rbl_put_event(&sink, event, &(rblEventLocation){.parent = parent, .material = origin.material});
    rblByteSource source = {.data = sink.bytes.data, .size = sink.bytes.count};
    check_ok(rbl_take_event(&source, tables, &made));
    assert_int_equal(rbl_source_left(&source), 0);
    for (size_t size = 0; size < sink.bytes.count; size += 1 + sink.bytes.count / 100)
    {
        rblFragmentEvent* none = NULL;
        source = (rblByteSource){.data = sink.bytes.data, .size = size};
        check_fails(RBL_ERROR_FORMAT, rbl_take_event(&source, tables, &none));
        assert_null(none);
    }
    rbl_sink_free(&sink);
    return made;
}

static void check_same_event(const rblFragmentEvent* a, const rblFragmentEvent* b)
{
    assert_true(a->node_count == b->node_count && a->tet_count == b->tet_count && a->depth == b->depth);
    assert_true(a->cut_count == b->cut_count && a->cut_point_count == b->cut_point_count);
    assert_memory_equal(a->labels, b->labels, a->node_count * sizeof *a->labels);
    assert_memory_equal(a->weights, b->weights, a->node_count * sizeof *a->weights);
    assert_memory_equal(a->cracks, b->cracks, a->node_count * sizeof *a->cracks);
    assert_memory_equal(a->states, b->states, a->tet_count * sizeof *a->states);
}

static void check_same_fragment(rblShapeId id, const rblRecipeTables* tables)
{
    const rblSourceNumbers numbers = {.event = zero};
    const rblShapeView view = view_of(id);
    const rblSampleTree *tree, *other;
    rblByteSink sink;
    rblShapeId again;
    rbl_sink_init(&sink, rbl_default_allocator());
    check_ok(rbl_put_shape(&sink, view.shape, &numbers));
    rblByteSource source = {.data = sink.bytes.data, .size = sink.bytes.count};
    check_ok(rbl_take_shape(&source, &tables->made, &again));
    const rblShapeView copy = view_of(again);
    assert_memory_equal(&copy.mass, &view.mass, sizeof view.mass);
    assert_memory_equal(&copy.bounds, &view.bounds, sizeof view.bounds);
    assert_true(copy.radius == view.radius && copy.inner_radius == view.inner_radius);
    check_ok(rbl_shape_tree(view.shape, &tree));
    check_ok(rbl_shape_tree(copy.shape, &other));
    assert_int_equal(tree->count, other->count);
    assert_memory_equal(tree->points, other->points, tree->count * sizeof *tree->points);
    assert_memory_equal(tree->children, other->children, (tree->count - 1) * sizeof *tree->children);
    rblRandom random = rbl_random_seed(5, 5);
    for (int i = 0; i < 500; ++i)
    {
        const rblAabb box = rbl_aabb_grown(view.bounds, 0.01f);
        const rblVec3 size = rbl_aabb_size(box), at = random_in_cube(&random, 0.5f);
        const rblVec3 p =
            rbl_mul_add3(rbl_aabb_center(box), 1.0f, rbl_vec3(at.x * size.x, at.y * size.y, at.z * size.z));
        assert_true(rbl_shape_distance(view.shape, p, NULL) == rbl_shape_distance(copy.shape, p, NULL));
    }
    check_ok(rbl_shape_destroy(again));
    for (size_t size = 0; size < sink.bytes.count; size += 1 + sink.bytes.count / 100)
    {
        source = (rblByteSource){.data = sink.bytes.data, .size = size};
        check_fails(RBL_ERROR_FORMAT, rbl_take_shape(&source, &tables->made, &again));
    }
    rbl_sink_free(&sink);
}

static void fragments_come_back_from_bytes_to_the_last_bit(void** state)
{
    (void)state;
    rblStressDef def = rbl_default_stress_def();
    rblBreakerId id;
    const rblBreaker* breaker = NULL;
    rblShapeId brick;
    def.tetrahedra = 500;
    def.smallest_body = 0.0f;
    check_ok(rbl_breaker_create_stress(&def, &id));
    check_ok(rbl_breaker_acquire(id, &breaker));
    check_ok(rbl_breaker_destroy(id));
    check_ok(rbl_shape_create_box(rbl_vec3(0.2f, 0.06f, 0.1f), &brick));
    const rblBreakBody body = body_of(brick, "clay");
    rblVerdict verdict = verdict_at(&body, rbl_vec3(0, 0.03f, 0), rbl_vec3(0, -1, 0));
    rblFracture first = shatter(breaker, &body, &verdict, rbl_serial_jobs());
    rblBreakBody part = body_of(first.fragments[0].shape, "clay");
    part.generation = 1;
    verdict = verdict_at(&part, rbl_to_float3(part.view.mass.center), rbl_vec3(1, 0, 0));
    rblFracture second = shatter(breaker, &part, &verdict, rbl_serial_jobs());
    assert_true(first.fragment_count >= 2 && second.fragment_count >= 2);
    const rblFragmentEvent* events[2] = {rbl_shape_fragment(view_of(first.fragments[0].shape).shape)->event,
                                         rbl_shape_fragment(view_of(second.fragments[0].shape).shape)->event};
    rblRecipeTables tables = {
        .made = {.shapes = &brick, .shape_count = 1}, .breakers = &breaker, .breaker_count = 1};
    rblFragmentEvent* made[2];
    made[0] = event_again(events[0], brick, RBL_NONE, &tables);
    tables.made.events = &made[0];
    tables.made.event_count = 1;
    made[1] = event_again(events[1], brick, 0, &tables);
    for (int i = 0; i < 2; ++i)
    {
        check_same_event(events[i], made[i]);
        tables.made.events = &made[i];
        check_same_fragment((i == 0 ? &first : &second)->fragments[1].shape, &tables);
        rbl_fragment_event_release(made[i]);
    }
    rbl_fracture_free(&second);
    rbl_fracture_free(&first);
    rbl_breaker_release(breaker);
    check_ok(rbl_shape_destroy(brick));
    assert_int_equal(rbl_tets_alive_count(), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(runs_go_on_from_before_between_and_after_breaks),
        cmocka_unit_test(runs_with_rebuilt_hierarchies_go_on_between_break_and_swap),
        cmocka_unit_test(hierarchies_come_at_the_same_step_for_any_number_of_threads),
        cmocka_unit_test(rebuilt_fragments_are_the_same_things),
        cmocka_unit_test(recorded_breaks_happen_again_without_the_grid_file),
        cmocka_unit_test(hostile_events_and_fragments_do_no_harm),
        cmocka_unit_test(fragments_come_back_from_bytes_to_the_last_bit),
    };
    return cmocka_run_group_tests_name("stress_kept", tests, NULL, NULL);
}
