// Pieces of shapes: surfaces that are made late, what recordings hold of them, no memory, and definitions that make no sense.
#include "testing.h"

#include "failing_allocator.h"
#include "piece_testing.h"
#include "scene/record/call_codec.h"
#include <string.h>

typedef struct Late
{
    int built, freed;
    bool fails;
} Late;

static rblResult build_late(void* context, rblMeshId* out)
{
    Late* late = context;
    late->built += 1;
    return late->fails ? RBL_ERROR_MEMORY : rbl_mesh_make("icosphere", NULL, 0, out);
}

static void free_late(void* context)
{
    ((Late*)context)->freed += 1;
}

static const rblVec3 corners[5] = {{0, 0, 0}, {0.3f, 0, 0}, {0, 0.3f, 0}, {0, 0, 0.3f}, {0.3f, 0.3f, 0.3f}};

static void a_surface_is_built_once_and_only_when_asked_for(void** state)
{
    (void)state;
    Late late = {.fails = true};
    rblShapeId plain;
    check_ok(rbl_shape_create_hull(corners, 5, &plain));
    rblMassProperties mass = view_of(plain).mass;
    mass.volume *= 0.99;
    const rblConvexPieceDef def = {
        corners, 5, &mass, {.build = build_late, .free = free_late, .context = &late}};
    rblShapeId id;
    check_ok(rbl_shape_create_convex_piece(&def, &id));
    const rblShapeView view = view_of(id);
    assert_string_equal(view.kind, "convex piece");
    assert_true(view.convex);
    check_close(view.mass.volume, mass.volume, 0.0);
    assert_int_equal(view.surface.index1, 0);
    assert_int_equal(late.built, 0);
    rblMeshId mesh = {0, 0};
    rblMeshId again = {0, 0};
    assert_int_equal(rbl_shape_surface(&view, &mesh), RBL_ERROR_MEMORY);
    late.fails = false;
    check_ok(rbl_shape_surface(&view, &mesh));
    check_ok(rbl_shape_surface(&view, &again));
    assert_int_equal(late.built, 2);
    assert_int_equal(mesh.index1, again.index1);
    rblMeshView surface;
    check_ok(rbl_mesh_view(mesh, &surface));
    assert_int_equal(late.freed, 0);
    check_ok(rbl_shape_destroy(id));
    assert_int_equal(late.freed, 1);
    check_fails(RBL_ERROR_STALE, rbl_mesh_view(mesh, &surface));
    // Hulls make theirs themselves.
    const rblShapeView hull = view_of(plain);
    check_ok(rbl_shape_surface(&hull, &mesh));
    check_ok(rbl_shape_surface(&hull, &again));
    assert_true(mesh.index1 != 0 && mesh.index1 == again.index1);
    check_fails(RBL_ERROR_ARGUMENT, rbl_shape_surface(NULL, &mesh));
    check_fails(RBL_ERROR_ARGUMENT, rbl_shape_surface(&hull, NULL));
    check_ok(rbl_shape_destroy(plain));
    const rblShapeId ground = make_ground();
    const rblShapeView flat = view_of(ground);
    check_ok(rbl_shape_surface(&flat, &mesh));
    assert_int_equal(mesh.index1, 0);
    check_ok(rbl_shape_destroy(ground));
}

static uint32_t zero(const rblShape* shape, void* context)
{
    (void)shape;
    (void)context;
    return 0;
}

// Through bytes and back: the same answers to the last bit, and a surface.
static void check_recorded(rblShapeId id, rblShapeId root)
{
    rblShapeView view = view_of(id);
    check_ok(rbl_shape_samples(&view, &view.samples, &view.sample_count));
    rblByteSink sink;
    rbl_sink_init(&sink, rbl_default_allocator());
    const rblSourceNumbers numbers = {.shape = zero};
    const rblSourceTables tables = {.shapes = &root, .shape_count = 1}, none = {0};
    check_ok(rbl_put_shape(&sink, view.shape, &numbers));
    rblByteSource source = {.data = sink.bytes.data, .size = sink.bytes.count};
    rblShapeId again;
    check_ok(rbl_take_shape(&source, &tables, &again));
    rblShapeView copy = view_of(again);
    check_ok(rbl_shape_samples(&copy, &copy.samples, &copy.sample_count));
    assert_string_equal(copy.kind, view.kind);
    assert_int_equal(copy.sample_count, view.sample_count);
    assert_memory_equal(copy.samples, view.samples, view.sample_count * sizeof(rblVec3));
    assert_memory_equal(&copy.mass, &view.mass, sizeof view.mass);
    assert_memory_equal(&copy.radius, &view.radius, 3 * sizeof(float));
    rblRandom random = rbl_random_seed(5, 5);
    for (int i = 0; i < 1000; ++i)
    {
        const rblVec3 p = random_point_in(&random, rbl_aabb_grown(view.bounds, 0.1f));
        rblVec3 gradients[2];
        assert_true(rbl_shape_distance(view.shape, p, &gradients[0]) ==
                    rbl_shape_distance(copy.shape, p, &gradients[1]));
        assert_memory_equal(&gradients[0], &gradients[1], sizeof gradients[0]);
    }
    rblMeshId meshes[2];
    check_ok(rbl_shape_surface(&view, &meshes[0]));
    check_ok(rbl_shape_surface(&copy, &meshes[1]));
    assert_int_equal(meshes[0].index1 != 0, meshes[1].index1 != 0);
    check_ok(rbl_shape_destroy(again));
    // Cut short anywhere, it is refused.
    for (size_t size = 0; size < sink.bytes.count; size += 1 + sink.bytes.count / 200)
    {
        source = (rblByteSource){.data = sink.bytes.data, .size = size};
        check_fails(RBL_ERROR_FORMAT, rbl_take_shape(&source, &tables, &again));
    }
    source = (rblByteSource){.data = sink.bytes.data, .size = sink.bytes.count};
    if (strcmp(view.kind, "piece") == 0)
    {
        check_fails(RBL_ERROR_FORMAT, rbl_take_shape(&source, &none, &again));
    }
    rbl_sink_free(&sink);
}

static void recordings_hold_fragments(void** state)
{
    (void)state;
    Late late = {0};
    rblShapeId ball;
    const rblShapeId dome = make_dome(&ball);
    check_recorded(dome, ball);
    const rblMassProperties mass = box_mass((rblAabb){{0, 0, 0}, {0.3f, 0.3f, 0.3f}});
    const rblConvexPieceDef def = {corners, 5, &mass, {.build = build_late, .context = &late}};
    rblShapeId shard;
    check_ok(rbl_shape_create_convex_piece(&def, &shard));
    check_recorded(shard, ball);
    assert_int_equal(late.built, 1);
    check_ok(rbl_shape_destroy(shard));
    check_ok(rbl_shape_destroy(dome));
    check_ok(rbl_shape_destroy(ball));
}

static void out_of_memory_frees_the_surface_too(void** state)
{
    (void)state;
    const rblMassProperties mass = box_mass((rblAabb){{0, 0, 0}, {0.3f, 0.3f, 0.3f}});
    const rblHalfSpace plane = {{0, -1, 0}, 0.0f, false};
    const uint32_t starts[2] = {0, 1};
    for (size_t granted = 0; granted < 60; ++granted)
    {
        FailingAllocator memory;
        failing_allocator_start(&memory, 1000000);
        check_ok(rbl_set_allocator(&memory.allocator));
        rblShapeId ball;
        check_ok(rbl_shape_create_sphere(0.3f, &ball));
        const rblShape* root = view_of(ball).shape;
        Late late = {0};
        const rblConvexPieceDef convex = {
            corners, 5, &mass, {.build = build_late, .free = free_late, .context = &late}};
        const rblPieceShapeDef field = {
            .parent = root,
            .region = {&plane, starts, NULL, 1},
            .samples = corners,
            .sample_count = 5,
            .mass = &mass,
            .bounds = {{0, 0, 0}, {0.3f, 0.3f, 0.3f}},
            .boxed = true,
            .surface = {.build = build_late, .free = free_late, .context = &late}};
        memory.left = granted;
        rblShapeId ids[2] = {{0, 0}, {0, 0}};
        if (rbl_shape_create_convex_piece(&convex, &ids[0]) == RBL_OK)
        {
            check_ok(rbl_shape_destroy(ids[0]));
        }
        if (rbl_shape_create_piece(&field, &ids[1]) == RBL_OK)
        {
            check_ok(rbl_shape_destroy(ids[1]));
        }
        assert_int_equal(late.freed, 2);
        assert_int_equal(late.built, 0);
        check_ok(rbl_shape_destroy(ball));
        assert_int_equal(memory.live, 0);
        check_ok(rbl_set_allocator(NULL));
    }
}

static void bad_pieces_are_refused(void** state)
{
    (void)state;
    rblShapeId ball;
    check_ok(rbl_shape_create_sphere(0.3f, &ball));
    const rblHalfSpace plane = {{0, -1, 0}, 0.0f, false};
    const uint32_t starts[2] = {0, 1};
    const rblMassProperties mass = box_mass((rblAabb){{0, 0, 0}, {0.3f, 0.3f, 0.3f}});
    const rblPieceShapeDef good = {.parent = view_of(ball).shape,
                                   .region = {&plane, starts, NULL, 1},
                                   .samples = corners,
                                   .sample_count = 5,
                                   .mass = &mass,
                                   .bounds = {{0, 0, 0}, {0.3f, 0.3f, 0.3f}}};
    rblShapeId id = {0, 0};
    rblPieceShapeDef def = good;
    def.sample_count = 0;
    check_fails(RBL_ERROR_ARGUMENT, rbl_shape_create_piece(&def, &id));
    def = good;
    def.bounds.upper.x = -1.0f;
    check_fails(RBL_ERROR_ARGUMENT, rbl_shape_create_piece(&def, &id));
    def = good;
    def.region.cell_count = 0;
    check_fails(RBL_ERROR_ARGUMENT, rbl_shape_create_piece(&def, &id));
    const rblMassProperties nothing = {0};
    def = good;
    def.mass = &nothing;
    check_fails(RBL_ERROR_GEOMETRY, rbl_shape_create_piece(&def, &id));
    // A box in which nothing of the region is.
    def = good;
    def.boxed = true;
    def.bounds = (rblAabb){{0, -0.3f, 0}, {0.3f, -0.1f, 0.3f}};
    check_fails(RBL_ERROR_GEOMETRY, rbl_shape_create_piece(&def, &id));
    check_ok(rbl_shape_destroy(ball));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_surface_is_built_once_and_only_when_asked_for),
        cmocka_unit_test(recordings_hold_fragments),
        cmocka_unit_test(out_of_memory_frees_the_surface_too),
        cmocka_unit_test(bad_pieces_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
