// What fits what: crack faces of fragments in a world, down to their triangles.
#include "testing.h"

#include "rubble/mesh.h"
#include "rubble/prescored.h"
#include "world_testing.h"

#define MAX_FACES 4096

typedef struct Fragment
{
    rblMeshView surface;
    uint32_t faces[MAX_FACES];
    bool used[MAX_FACES];
} Fragment;

static Fragment fragments[64];

static rblBodyId make_block(rblWorldId world, double noise)
{
    rblPrescoredDef breaking = rbl_default_prescored_def();
    breaking.pattern.kind = RBL_PATTERN_VORONOI;
    breaking.pattern.pieces = 14;
    breaking.pattern.noise = noise;
    rblBodyDef def = rbl_default_body_def();
    rblBodyId body;
    check_ok(rbl_breaker_create_prescored(&breaking, &def.breaker));
    check_ok(rbl_shape_create_box((rblVec3){0.6f, 0.4f, 0.2f}, &def.shape));
    def.pose.p = (rblVec3){0, 5, 0};
    check_ok(rbl_body_create(world, &def, &body));
    check_ok(rbl_shape_destroy(def.shape));
    check_ok(rbl_breaker_destroy(def.breaker));
    return body;
}

static void look_at(rblWorldId world, rblBodyId id, Fragment* out)
{
    rblBodyState body;
    rblShapeView view;
    rblMeshId mesh;
    uint32_t count = 0;
    check_ok(rbl_body_state(world, id, &body));
    check_ok(rbl_shape_view(body.shape, &view));
    check_ok(rbl_shape_surface(&view, &mesh));
    check_ok(rbl_mesh_view(mesh, &out->surface));
    check_ok(rbl_fragment_faces(&view, out->faces, MAX_FACES, &count));
    assert_true(count <= MAX_FACES);
    assert_int_equal(count, out->surface.face_count);
    for (uint32_t f = 0; f < count; ++f)
    {
        out->used[f] = false;
        assert_true((out->faces[f] == UINT32_MAX) == (out->surface.face_origins[f] != UINT32_MAX));
    }
}

// The next triangle of a crack face from `face` on.
static uint32_t next_triangle(const Fragment* fragment, uint32_t crack, uint32_t face)
{
    while (face < fragment->surface.face_count && fragment->faces[face] != crack)
    {
        ++face;
    }
    return face;
}

static rblVec3d corner_at(const Fragment* fragment, uint32_t face, uint32_t k)
{
    return fragment->surface.positions[fragment->surface.corner_vertices[3 * (size_t)face + k]];
}

static uint32_t check_mate(const rblMate* mate)
{
    Fragment* a = &fragments[mate->piece_a];
    Fragment* b = &fragments[mate->piece_b];
    uint32_t f = next_triangle(a, mate->face_a, 0);
    uint32_t g = next_triangle(b, mate->face_b, 0);
    uint32_t triangles = 0;
    while (f < a->surface.face_count)
    {
        assert_true(g < b->surface.face_count && !a->used[f] && !b->used[g]);
        a->used[f] = b->used[g] = true;
        for (uint32_t k = 0; k < 3; ++k)
        {
            const rblVec3d p = corner_at(a, f, k);
            const rblVec3d q = corner_at(b, g, 2 - k);
            assert_true(p.x == q.x && p.y == q.y && p.z == q.z);
        }
        triangles += 1;
        f = next_triangle(a, mate->face_a, f + 1);
        g = next_triangle(b, mate->face_b, g + 1);
    }
    assert_int_equal(g, b->surface.face_count);
    return triangles;
}

static void every_crack_face_of_a_broken_body_knows_its_mate(void** state)
{
    (void)state;
    for (int rough = 0; rough < 2; ++rough)
    {
        const rblWorldDef def = rbl_default_world_def();
        rblWorldId world;
        check_ok(rbl_world_create(&def, &world));
        const rblBodyId body = make_block(world, rough ? 0.004 : 0.0);
        check_ok(rbl_world_step(world, STEP));
        check_ok(rbl_body_break(world, body, (rblVec3){0, 5.2f, 0}, (rblVec3){0, -1, 0}));
        const rblBreakEvent* events = NULL;
        uint32_t count = 0;
        check_ok(rbl_world_break_events(world, &events, &count));
        assert_int_equal(count, 1);
        const rblBreakEvent* event = &events[0];
        assert_true(event->fragment_count >= 8 && event->fragment_count <= 64 &&
                    event->mate_count >= event->fragment_count);
        for (uint32_t i = 0; i < event->fragment_count; ++i)
        {
            look_at(world, event->fragments[i], &fragments[i]);
        }
        for (uint32_t m = 0; m < event->mate_count; ++m)
        {
            assert_true(check_mate(&event->mates[m]) >= 1);
        }
        for (uint32_t i = 0; i < event->fragment_count; ++i)
        {
            for (uint32_t f = 0; f < fragments[i].surface.face_count; ++f)
            {
                assert_true(fragments[i].used[f] == (fragments[i].faces[f] != UINT32_MAX));
            }
        }
        check_ok(rbl_world_step(world, STEP)); // told with this one,
        check_ok(rbl_world_break_events(world, &events, &count));
        assert_int_equal(count, 1);
        assert_true(events[0].mate_count > 0 && events[0].mates[0].piece_a != events[0].mates[0].piece_b);
        check_ok(rbl_world_step(world, STEP)); // and gone with the next
        check_ok(rbl_world_break_events(world, &events, &count));
        assert_int_equal(count, 0);
        check_ok(rbl_world_destroy(world));
    }
}

static void what_is_no_fragment_has_no_crack_faces(void** state)
{
    (void)state;
    rblShapeId box;
    rblShapeView view;
    uint32_t count = 7;
    check_ok(rbl_shape_create_box((rblVec3){1, 1, 1}, &box));
    check_ok(rbl_shape_view(box, &view));
    check_fails(RBL_ERROR_UNSUPPORTED, rbl_fragment_faces(&view, NULL, 0, &count));
    check_fails(RBL_ERROR_ARGUMENT, rbl_fragment_faces(NULL, NULL, 0, &count));
    check_fails(RBL_ERROR_ARGUMENT, rbl_fragment_faces(&view, NULL, 0, NULL));
    assert_int_equal(count, 7);
    check_ok(rbl_shape_destroy(box));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_crack_face_of_a_broken_body_knows_its_mate),
        cmocka_unit_test(what_is_no_fragment_has_no_crack_faces),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
