// Every definition of the public interface, as programs of other times hand it over: not made by its default call, of a size that is
// not known, and smaller than now.
#include "rubble/rubble.h"
#include "testing.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef union Def
{
    uint32_t head[2]; // struct_size, cookie
    rblWorldDef world;
    rblBodyDef body;
    rblJointDef joint;
    rblLevelSetDef level_set;
    rblUserShape user_shape;
    rblTetsDef tets;
    rblPatternDef pattern;
    rblPrescoredDef prescored;
    rblStressDef stress;
    rblBreakerDef breaker;
    rblSimplifyOptions simplify;
    rblDecomposeOptions decompose;
    rblInspectOptions inspect;
    rblRepairOptions repair;
    rblIsosurfaceDef isosurface;
    rblBvhDef bvh;
    rblElasticDef elastic;
    rblLoadOptions load;
    rblSaveOptions save;
    rblPictureDef picture;
    rblSheetDef sheet;
    rblBreakerKind breaker_kind;
    rblRunDef run;
    rblExportOptions export_options;
    rblMovieDef movie;
    rblShatterDef shatter;
    rblDatasetDef dataset;
    rblAllocator allocator;
    rblTasks tasks;
    rblCollideOptions collide_options;
    rblDebugDraw debug_draw;
} Def;

// What definitions refer to.
static rblMeshId box;
static rblTetsId tets;
static rblShapeId shape;
static rblWorldId world;
static rblBodyId body;
static rblSceneId scene;

typedef struct Case
{
    const char* start; // what the message names
    size_t size;
    size_t cut;   // a definition that ends here is good
    bool refuses; // bytes 0xff from there on
    void (*make)(Def* def);
    rblResult (*call)(const Def* def); // leaves nothing behind; null: no definition
} Case;

// ---- one of each ----

static void make_world(Def* def)
{
    def->world = rbl_default_world_def();
}

static rblResult call_world(const Def* def)
{
    rblWorldId id;
    const rblResult result = rbl_world_create(def != NULL ? &def->world : NULL, &id);
    return result == RBL_OK ? rbl_world_destroy(id) : result;
}

static void make_body(Def* def)
{
    def->body = rbl_default_body_def();
    def->body.shape = shape;
}

static rblResult call_body(const Def* def)
{
    rblBodyId id;
    const rblResult result = rbl_body_create(world, def != NULL ? &def->body : NULL, &id);
    return result == RBL_OK ? rbl_body_destroy(world, id) : result;
}

static void make_joint(Def* def)
{
    def->joint = rbl_default_joint_def();
    def->joint.a = body;
}

static rblResult call_joint(const Def* def)
{
    rblJointId id;
    const rblResult result = rbl_joint_create(world, def != NULL ? &def->joint : NULL, &id);
    return result == RBL_OK ? rbl_joint_destroy(world, id) : result;
}

static void make_level_set(Def* def)
{
    def->level_set = rbl_default_level_set_def();
    def->level_set.mesh = box;
}

static rblResult call_level_set(const Def* def)
{
    rblShapeId id;
    const rblResult result = rbl_shape_create_level_set(def != NULL ? &def->level_set : NULL, &id);
    return result == RBL_OK ? rbl_shape_destroy(id) : result;
}

static float ball_distance(const void* context, rblVec3 p, rblVec3* gradient)
{
    (void)context;
    const float length = sqrtf(p.x * p.x + p.y * p.y + p.z * p.z);
    *gradient = length > 0.0f ? (rblVec3){p.x / length, p.y / length, p.z / length} : (rblVec3){0, 1, 0};
    return length - 1.0f;
}

static void make_user_shape(Def* def)
{
    static const rblVec3 samples[6] = {{1, 0, 0}, {-1, 0, 0}, {0, 1, 0}, {0, -1, 0}, {0, 0, 1}, {0, 0, -1}};
    def->user_shape = rbl_default_user_shape();
    def->user_shape.name = "ball";
    def->user_shape.distance = ball_distance;
    def->user_shape.bounds = (rblAabb){{-1, -1, -1}, {1, 1, 1}};
    def->user_shape.samples = samples;
    def->user_shape.sample_count = 6;
    def->user_shape.mass = (rblMassProperties){.mass = 4.19, .volume = 4.19, .moments = {1.6, 1.6, 1.6}};
    def->user_shape.mass.principal_axes = (rblMat3d){{1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
}

static rblResult call_user_shape(const Def* def)
{
    rblShapeId id;
    const rblResult result = rbl_shape_create_user(def != NULL ? &def->user_shape : NULL, &id);
    return result == RBL_OK ? rbl_shape_destroy(id) : result;
}

static void make_tets(Def* def)
{
    def->tets = rbl_default_tets_def();
    def->tets.edge = 0.2;
}

static rblResult call_tets(const Def* def)
{
    rblTetsId id;
    const rblResult result = rbl_tets_fill(box, def != NULL ? &def->tets : NULL, NULL, &id);
    return result == RBL_OK ? rbl_tets_destroy(id) : result;
}

static void make_pattern(Def* def)
{
    def->pattern = rbl_default_pattern_def();
}

static rblResult call_pattern(const Def* def)
{
    return rbl_pattern_check(def != NULL ? &def->pattern : NULL);
}

static void make_prescored(Def* def)
{
    def->prescored = rbl_default_prescored_def();
}

static rblResult call_prescored(const Def* def)
{
    rblBreakerId id;
    const rblResult result = rbl_breaker_create_prescored(def != NULL ? &def->prescored : NULL, &id);
    return result == RBL_OK ? rbl_breaker_destroy(id) : result;
}

static void make_stress(Def* def)
{
    def->stress = rbl_default_stress_def();
}

static rblResult call_stress(const Def* def)
{
    rblBreakerId id;
    const rblResult result = rbl_breaker_create_stress(def != NULL ? &def->stress : NULL, &id);
    return result == RBL_OK ? rbl_breaker_destroy(id) : result;
}

static rblResult decide(void* context, void* prepared, const rblBreakBody* which, const rblImpact* impacts,
                        uint32_t count, rblVerdict* out)
{
    (void)context, (void)prepared, (void)which, (void)impacts, (void)count, (void)out;
    return RBL_OK;
}

static rblResult shatter(void* context, void* prepared, const rblBreakBody* which, const rblVerdict* verdict,
                         rblJobs* jobs, rblFracture* out)
{
    (void)context, (void)prepared, (void)which, (void)verdict, (void)jobs, (void)out;
    return RBL_OK;
}

static void make_breaker(Def* def)
{
    def->breaker = rbl_default_breaker_def();
    def->breaker.name = "none";
    def->breaker.decide = decide;
    def->breaker.shatter = shatter;
}

static rblResult call_breaker(const Def* def)
{
    rblBreakerId id;
    const rblResult result = rbl_breaker_create(def != NULL ? &def->breaker : NULL, &id);
    return result == RBL_OK ? rbl_breaker_destroy(id) : result;
}

static void make_decompose(Def* def)
{
    def->decompose = rbl_default_decompose_options();
}

static rblResult call_decompose(const Def* def)
{
    rblMeshId parts[16] = {{0, 0}};
    const rblResult result = rbl_mesh_decompose(box, &def->decompose, parts, NULL);
    return result == RBL_OK ? rbl_mesh_destroy(parts[0]) : result;
}

static void make_simplify(Def* def)
{
    def->simplify = rbl_default_simplify_options();
}

static rblResult call_simplify(const Def* def)
{
    rblMeshId id;
    const rblResult result = rbl_mesh_simplify(box, &def->simplify, &id, NULL);
    return result == RBL_OK ? rbl_mesh_destroy(id) : result;
}

static void make_inspect(Def* def)
{
    def->inspect = rbl_default_inspect_options();
}

static rblResult call_inspect(const Def* def)
{
    rblMeshReport report;
    return rbl_mesh_inspect(box, &def->inspect, &report);
}

static void make_repair(Def* def)
{
    def->repair = rbl_default_repair_options();
}

static rblResult call_repair(const Def* def)
{
    rblMeshId id;
    rblRepairReport report;
    const rblResult result = rbl_mesh_repair(box, &def->repair, &id, &report);
    return result == RBL_OK ? rbl_mesh_destroy(id) : result;
}

static double ball_field(rblVec3d p, void* context)
{
    (void)context;
    return p.x * p.x + p.y * p.y + p.z * p.z - 0.5;
}

static void make_isosurface(Def* def)
{
    def->isosurface = rbl_default_isosurface_def();
    def->isosurface.cells[0] = def->isosurface.cells[1] = def->isosurface.cells[2] = 8;
    def->isosurface.field = ball_field;
}

static rblResult call_isosurface(const Def* def)
{
    rblMeshId id;
    const rblResult result = rbl_mesh_isosurface(def != NULL ? &def->isosurface : NULL, &id);
    return result == RBL_OK ? rbl_mesh_destroy(id) : result;
}

static void make_bvh(Def* def)
{
    def->bvh = rbl_default_bvh_def();
}

static rblResult call_bvh(const Def* def)
{
    rblBvhId id;
    const rblResult result = rbl_bvh_create(def != NULL ? &def->bvh : NULL, &id);
    return result == RBL_OK ? rbl_bvh_destroy(id) : result;
}

static void make_elastic(Def* def)
{
    def->elastic = rbl_default_elastic_def();
    def->elastic.tets = tets;
}

static rblResult call_elastic(const Def* def)
{
    rblElasticId id;
    const rblResult result = rbl_elastic_create(def != NULL ? &def->elastic : NULL, &id);
    return result == RBL_OK ? rbl_elastic_destroy(id) : result;
}

static void make_load(Def* def)
{
    def->load = rbl_default_load_options();
    def->load.format = RBL_FORMAT_OFF;
}

static rblResult call_load(const Def* def)
{
    static const char text[] = "OFF\n3 1 0\n0 0 0\n1 0 0\n0 1 0\n3 0 1 2\n";
    rblMeshId id;
    const rblResult result = rbl_mesh_load_memory(text, sizeof text - 1, "m", &def->load, &id);
    return result == RBL_OK ? rbl_mesh_destroy(id) : result;
}

static void make_save(Def* def)
{
    def->save = rbl_default_save_options();
    def->save.format = RBL_FORMAT_OFF;
}

static rblResult call_save(const Def* def)
{
    void* bytes = NULL;
    size_t size = 0;
    const rblResult result = rbl_mesh_save_memory(box, &def->save, &bytes, &size);
    if (result == RBL_OK)
    {
        rbl_free_saved(bytes, size);
    }
    return result;
}

static void make_picture(Def* def)
{
    static rblPictureItem item;
    item = rbl_default_picture_item(box);
    def->picture = rbl_default_picture_def();
    def->picture.items = &item;
    def->picture.item_count = 1;
    def->picture.width = def->picture.height = 8;
    def->picture.samples = 1;
}

static rblResult call_picture(const Def* def)
{
    uint8_t rgba[4 * 8 * 8];
    return rbl_picture_render(def != NULL ? &def->picture : NULL, rgba, NULL);
}

static void make_sheet(Def* def)
{
    def->sheet = rbl_default_sheet_def();
}

static rblResult call_sheet(const Def* def)
{
    uint32_t width = 0, height = 0;
    return rbl_sheet_size(def != NULL ? &def->sheet : NULL, 3, &width, &height);
}

static void set_chip_defaults(void* def)
{
    *(float*)def = 0.5f;
}

static rblResult create_chip(const void* def, const void* data, size_t size, rblBreakerDef* out)
{
    (void)def;
    (void)data;
    (void)size;
    (void)out;
    return RBL_ERROR_UNSUPPORTED;
}

static void make_breaker_kind(Def* def)
{
    static const rblParameter rows[] = {
        {.key = "size", .type = RBL_PARAMETER_FLOAT, .about = "m", .max = 1.0}, {.type = RBL_PARAMETER_END}};
    def->breaker_kind = rbl_default_breaker_kind();
    def->breaker_kind.name = "chip";
    def->breaker_kind.about = "of this test";
    def->breaker_kind.def_size = sizeof(float);
    def->breaker_kind.parameters = rows;
    def->breaker_kind.set_defaults = set_chip_defaults;
    def->breaker_kind.create = create_chip;
}

static rblResult call_breaker_kind(const Def* def)
{
    const rblResult result = rbl_breaker_kind_register(def != NULL ? &def->breaker_kind : NULL);
    return result == RBL_OK ? rbl_breaker_kind_unregister("chip") : result;
}

static void make_run(Def* def)
{
    def->run = rbl_default_run_def();
}

static rblResult call_run(const Def* def)
{
    rblRunId id;
    const rblResult result = rbl_run_create(scene, &def->run, &id);
    return result == RBL_OK ? rbl_run_destroy(id) : result;
}

static void make_export_options(Def* def)
{
    def->export_options = rbl_default_export_options();
}

static rblResult call_export_options(const Def* def)
{
    return rbl_export_check("defs.csv", &def->export_options);
}

static void make_movie(Def* def)
{
    def->movie = rbl_default_movie_def();
}

static rblResult call_movie(const Def* def)
{
    return rbl_movie_check(&def->movie, 1.0);
}

static void make_shatter(Def* def)
{
    def->shatter = rbl_default_shatter_def();
}

static rblResult call_shatter(const Def* def)
{
    rblPiecesId id;
    const rblResult result = rbl_mesh_shatter(box, &def->shatter, &id);
    return result == RBL_OK ? rbl_pieces_destroy(id) : result;
}

static void make_dataset(Def* def)
{
    static rblDatasetMesh mesh;
    mesh = (rblDatasetMesh){.file = "box.obj", .mesh = box};
    def->dataset = rbl_default_dataset_def();
    def->dataset.meshes = &mesh;
    def->dataset.mesh_count = 1;
    def->dataset.count = 1;
    def->dataset.min_pieces = def->dataset.max_pieces = 2;
}

static rblResult call_dataset(const Def* def)
{
    const rblResult result = rbl_dataset_write(def != NULL ? &def->dataset : NULL, "defs_dataset", NULL);
    return result == RBL_OK ? rbl_dataset_remove("defs_dataset") : result;
}

static void* take_memory(size_t size, size_t alignment, void* context)
{
    (void)context;
    return aligned_alloc(alignment, (size + alignment - 1) / alignment * alignment);
}

static void give_memory(void* memory, size_t size, void* context)
{
    (void)size;
    (void)context;
    free(memory);
}

static void make_allocator(Def* def)
{
    def->allocator = rbl_default_allocator_def();
    def->allocator.alloc = take_memory;
    def->allocator.free = give_memory;
}

// Objects exist, so that a good allocator comes too late: nothing is replaced.
static rblResult call_allocator(const Def* def)
{
    const rblResult result = rbl_set_allocator(&def->allocator);
    return result == RBL_ERROR_BUSY ? RBL_OK : result;
}

static void make_tasks(Def* def)
{
    def->tasks = rbl_default_tasks();
    def->tasks.worker_count = 2;
}

static rblResult call_tasks(const Def* def)
{
    const uint32_t before = rbl_worker_count();
    const rblResult result = rbl_set_tasks(&def->tasks);
    assert_true(result == RBL_OK || rbl_worker_count() == before);
    return result == RBL_OK ? rbl_set_tasks(NULL) : result;
}

static void make_collide_options(Def* def)
{
    def->collide_options = rbl_default_collide_options();
}

static rblResult call_collide_options(const Def* def)
{
    const rblTransform pose = {{0.1f, 0, 0}, {0, 0, 0, 1}};
    rblContactSet set = {0};
    rblShapeView view;
    check_ok(rbl_shape_view(shape, &view));
    const rblResult result = rbl_shape_collide(&view, &view, pose, &def->collide_options, NULL, &set);
    assert_true((result == RBL_OK) == (set.count > 0));
    rbl_contact_set_free(&set);
    return result;
}

static void make_debug_draw(Def* def)
{
    def->debug_draw = rbl_default_debug_draw();
}

static rblResult call_debug_draw(const Def* def)
{
    return rbl_world_draw(world, def != NULL ? &def->debug_draw : NULL);
}

#define CASE(start, type, stem, first, refuses)                                                              \
    {                                                                                                        \
        start, sizeof(type), offsetof(type, first), refuses, make_##stem, call_##stem                        \
    }

static const Case cases[] = {
    CASE("rbl_default_world_def", rblWorldDef, world, bounce_speed, true),
    CASE("rbl_default_body_def", rblBodyDef, body, gravity_scale, true),
    CASE("rbl_default_joint_def", rblJointDef, joint, length, true),
    CASE("rbl_default_level_set_def", rblLevelSetDef, level_set, error, true),
    CASE("rbl_default_user_shape", rblUserShape, user_shape, surface, true),
    CASE("rbl_default_tets_def", rblTetsDef, tets, margin, true),
    CASE("rbl_default_pattern_def", rblPatternDef, pattern, pieces, true),
    CASE("rbl_default_prescored_def", rblPrescoredDef, prescored, smallest, true),
    CASE("rbl_default_stress_def", rblStressDef, stress, edge, true),
    CASE("rbl_default_breaker_def", rblBreakerDef, breaker, destroy, false), // called in vain it would crash
    CASE("rbl_default_simplify_options", rblSimplifyOptions, simplify, max_error, true),
    CASE("rbl_default_inspect_options", rblInspectOptions, inspect, self_intersections, false),
    CASE("rbl_default_repair_options", rblRepairOptions, repair, weld_distance, true),
    CASE("rbl_default_isosurface_def", rblIsosurfaceDef, isosurface, level, true),
    CASE("rbl_default_bvh_def", rblBvhDef, bvh, quality, true),
    CASE("rbl_default_elastic_def", rblElasticDef, elastic, solver, true),
    CASE("rbl_default_load_options", rblLoadOptions, load, keep_non_finite, false),
    CASE("rbl_default_save_options", rblSaveOptions, save, text, false),
    CASE("rbl_default_picture_def", rblPictureDef, picture, field_of_view, true),
    CASE("rbl_default_sheet_def", rblSheetDef, sheet, cell_width, true),
    CASE("rbl_default_breaker_kind", rblBreakerKind, breaker_kind, put_data, false),
    CASE("rbl_default_run_def", rblRunDef, run, recording, false), // read as a path it would crash
    CASE("rbl_default_export_options", rblExportOptions, export_options, progress, false),
    CASE("rbl_default_movie_def", rblMovieDef, movie, rate, true),
    CASE("rbl_default_shatter_def", rblShatterDef, shatter, smallest_part, true),
    CASE("rbl_default_dataset_def", rblDatasetDef, dataset, density, true),
    CASE("rbl_default_allocator_def", rblAllocator, allocator, context, false),
    CASE("rbl_default_tasks", rblTasks, tasks, enqueue, false), // called in vain it would crash
    CASE("rbl_default_collide_options", rblCollideOptions, collide_options, margin, false),
    CASE("rbl_default_debug_draw", rblDebugDraw, debug_draw, line, false), // as with tasks
    CASE("rbl_default_decompose_options", rblDecomposeOptions, decompose, tolerance, true),
};
enum
{
    CASE_COUNT = sizeof cases / sizeof *cases
};

// ---- properties ----

static void check_message(const Case* c, const char* part)
{
    if (strstr(rbl_last_error(), part) == NULL)
    {
        fail_msg("%s: \"%s\" does not say \"%s\"", c->start, rbl_last_error(), part);
    }
}

static void check_accepted(const Case* c, const Def* def)
{
    if (c->call(def) != RBL_OK)
    {
        fail_msg("%s: %s", c->start, rbl_last_error());
    }
}

static void a_definition_comes_from_its_default_call(void** state)
{
    (void)state;
    for (int i = 0; i < CASE_COUNT; ++i)
    {
        Def def;
        cases[i].make(&def);
        assert_int_equal(def.head[0], cases[i].size);
        check_accepted(&cases[i], &def);
        memset(&def, 0, sizeof def);
        check_fails(RBL_ERROR_ARGUMENT, cases[i].call(&def));
        check_message(&cases[i], cases[i].start);
        cases[i].make(&def);
        def.head[1] ^= 1;
        check_fails(RBL_ERROR_ARGUMENT, cases[i].call(&def));
        check_message(&cases[i], cases[i].start);
    }
}

static void a_definition_that_is_required_must_not_be_null(void** state)
{
    (void)state;
    static const int required[] = {0, 1, 2, 3, 4, 6, 7, 8, 9, 13, 14, 15, 18, 19, 20, 25, 29};
    for (size_t i = 0; i < sizeof required / sizeof *required; ++i)
    {
        check_fails(RBL_ERROR_ARGUMENT, cases[required[i]].call(NULL));
        check_message(&cases[required[i]], "must not be null");
    }
}

static void a_definition_of_unknown_size_is_refused_with_both_sizes(void** state)
{
    (void)state;
    for (int i = 0; i < CASE_COUNT; ++i)
    {
        const uint32_t size = (uint32_t)cases[i].size;
        const uint32_t wrong[5] = {size + 8, size + 4, size - 1, 4, 0};
        for (int k = 0; k < 5; ++k)
        {
            Def def;
            char given[24];
            char known[24];
            cases[i].make(&def);
            def.head[0] = wrong[k];
            check_fails(RBL_ERROR_ARGUMENT, cases[i].call(&def));
            snprintf(given, sizeof given, "has %u bytes", wrong[k]);
            snprintf(known, sizeof known, "at most %u", size);
            check_message(&cases[i], given);
            check_message(&cases[i], known);
        }
    }
}

// A program that was built when the definition ended sooner: what follows in its memory is anything.
static void a_smaller_definition_has_defaults_for_the_rest(void** state)
{
    (void)state;
    for (int i = 0; i < CASE_COUNT; ++i)
    {
        Def def;
        cases[i].make(&def);
        memset((char*)&def + cases[i].cut, 0xff, sizeof def - cases[i].cut);
        if (cases[i].refuses)
        {
            assert_int_not_equal(cases[i].call(&def), RBL_OK);
        }
        def.head[0] = (uint32_t)cases[i].cut;
        check_accepted(&cases[i], &def);
    }
}

static void defaults_fill_what_the_caller_has_and_no_more(void** state)
{
    (void)state;
    struct
    {
        rblWorldDef def;
        char more[16];
    } space;
    const rblWorldDef whole = rbl_default_world_def();
    memset(&space, 0x5a, sizeof space);
    const size_t smaller = offsetof(rblWorldDef, seed);
    rbl_world_def_init(&space.def, smaller);
    assert_int_equal(space.def.struct_size, smaller);
    assert_memory_equal((char*)&space + 8, (const char*)&whole + 8, smaller - 8);
    for (size_t i = smaller; i < sizeof space; ++i)
    {
        assert_int_equal(((unsigned char*)&space)[i], 0x5a);
    }
    rbl_world_def_init(&space.def, sizeof space); // a program that is newer than the library
    assert_int_equal(space.def.struct_size, sizeof space);
    assert_int_equal(space.more[15], 0);
    rblWorldId id;
    check_fails(RBL_ERROR_ARGUMENT, rbl_world_create(&space.def, &id));
}

static void a_preset_fills_what_the_caller_has(void** state)
{
    (void)state;
    rblPatternDef def = rbl_default_pattern_def();
    def.noise = 7.0;
    def.struct_size = (uint32_t)offsetof(rblPatternDef, noise);
    check_ok(rbl_pattern_preset("glass", &def));
    assert_int_equal(def.kind, RBL_PATTERN_RADIAL);
    assert_true(def.noise == 7.0);
    assert_int_equal(def.struct_size, offsetof(rblPatternDef, noise));
    memset(&def, 0, sizeof def);
    check_fails(RBL_ERROR_ARGUMENT, rbl_pattern_preset("glass", &def));
}

static void a_pattern_within_a_definition_has_the_size_of_now(void** state)
{
    (void)state;
    rblPrescoredDef def = rbl_default_prescored_def();
    rblBreakerId id;
    def.pattern.struct_size -= 8;
    check_fails(RBL_ERROR_ARGUMENT, rbl_breaker_create_prescored(&def, &id));
    assert_non_null(strstr(rbl_last_error(), "prescored: the pattern has"));
}

// ---- structs without a size, which have members for later versions ----

static void says(const char* words)
{
    if (strstr(rbl_last_error(), words) == NULL)
    {
        fail_msg("'%s' does not contain '%s'", rbl_last_error(), words);
    }
}

static void reserved_members_must_be_zero(void** state)
{
    (void)state;
    rblBodyState before, after;
    const rblBodyDef good = rbl_default_body_def();
    rblBodyDef def = good;
    rblBodyId id = {0};
    check_ok(rbl_body_state(world, body, &before));
    for (size_t i = 0; i < sizeof def.material.reserved / sizeof *def.material.reserved; ++i)
    {
        char words[80];
        def = good;
        def.shape = shape;
        def.material.reserved[i] = 0.5f;
        snprintf(words, sizeof words, "body: material.reserved[%zu] is 0.5, must be 0", i);
        check_fails(RBL_ERROR_ARGUMENT, rbl_body_create(world, &def, &id));
        says(words);
        check_fails(RBL_ERROR_ARGUMENT, rbl_body_set_material(world, body, &def.material));
        says(words);
    }
    def = good;
    def.shape = shape;
    def.filter.reserved = 7;
    check_fails(RBL_ERROR_ARGUMENT, rbl_body_create(world, &def, &id));
    says("body: filter.reserved is 7, must be 0");
    check_fails(RBL_ERROR_ARGUMENT, rbl_body_set_filter(world, body, def.filter));
    says("body: filter.reserved is 7, must be 0");
    for (size_t i = 0; i < sizeof def.anchor.reserved / sizeof *def.anchor.reserved; ++i)
    {
        def = good;
        def.shape = shape;
        def.anchor.reserved[i] = UINT32_MAX;
        check_fails(RBL_ERROR_ARGUMENT, rbl_body_create(world, &def, &id));
        says("body: anchor.reserved[");
        says("is 4294967295, must be 0");
    }
    check_ok(rbl_body_state(world, body, &after));
    assert_memory_equal(&before.material, &after.material, sizeof before.material);
    assert_memory_equal(&before.filter, &after.filter, sizeof before.filter);
    assert_int_equal(id.index1, 0);
}

// ---- setting up ----

static int set_up(void** state)
{
    (void)state;
    static const char text[] = "{\"rubble\":1,\"shapes\":{\"ground\":{\"kind\":\"plane\"}},\"bodies\":[{"
                               "\"shape\":\"ground\",\"type\":"
                               "\"static\"}]}";
    const rblWorldDef world_def = rbl_default_world_def();
    check_ok(rbl_scene_load_memory(text, strlen(text), "defs.json", &scene));
    rblTetsDef tets_def = rbl_default_tets_def();
    tets_def.edge = 0.2;
    rblMeshId quads;
    check_ok(rbl_mesh_make("box", NULL, 0, &quads));
    check_ok(rbl_mesh_triangulate(quads, &box));
    check_ok(rbl_mesh_destroy(quads));
    check_ok(rbl_tets_fill(box, &tets_def, NULL, &tets));
    check_ok(rbl_shape_create_sphere(0.5f, &shape));
    check_ok(rbl_world_create(&world_def, &world));
    rblBodyDef body_def = rbl_default_body_def();
    body_def.shape = shape;
    check_ok(rbl_body_create(world, &body_def, &body));
    return 0;
}

static int tear_down(void** state)
{
    (void)state;
    check_ok(rbl_scene_destroy(scene));
    check_ok(rbl_world_destroy(world));
    check_ok(rbl_shape_destroy(shape));
    check_ok(rbl_tets_destroy(tets));
    check_ok(rbl_mesh_destroy(box));
    assert_int_equal(rbl_bytes_in_use(), 0);
    return 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_definition_comes_from_its_default_call),
        cmocka_unit_test(a_definition_that_is_required_must_not_be_null),
        cmocka_unit_test(a_definition_of_unknown_size_is_refused_with_both_sizes),
        cmocka_unit_test(a_smaller_definition_has_defaults_for_the_rest),
        cmocka_unit_test(defaults_fill_what_the_caller_has_and_no_more),
        cmocka_unit_test(a_preset_fills_what_the_caller_has),
        cmocka_unit_test(a_pattern_within_a_definition_has_the_size_of_now),
        cmocka_unit_test(reserved_members_must_be_zero),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
