// Bumps on drawn crack faces: the same on both sides, closed, and nothing else changes by them.
#include "testing.h"

#include "cut/pieces/pieces_save.h"
#include "fracture/shatter.h"
#include "pieces_testing.h"
#include "rubble/picture.h"
#include <string.h>

#define HEIGHT 0.002

typedef struct Drawn
{
    rblMeshId mesh;
    rblMeshView view;
    uint32_t* faces;
} Drawn;

static rblPieces* break_solid(rblMeshId solid, rblPatternKind kind, double noise)
{
    rblShatterDef def = rbl_default_shatter_def();
    def.pattern.kind = kind;
    def.pattern.pieces = 12;
    def.pattern.noise = noise;
    check_ok(rbl_shatter_place(solid, NULL, NULL, &def, NULL));
    rblPieces* pieces;
    check_ok(rbl_shatter_mesh(solid, &def, rbl_serial_jobs(), rbl_default_allocator(), &pieces));
    return pieces;
}

static Drawn* draw_all(const rblPieces* pieces, const rblMeshView* surface)
{
    Drawn* drawn = RBL_NEW_ARRAY(rbl_default_allocator(), Drawn, pieces->piece_count);
    assert_non_null(drawn);
    for (uint32_t p = 0; p < pieces->piece_count; ++p)
    {
        check_ok(rbl_piece_mesh(pieces, p, surface, &drawn[p].mesh, &drawn[p].faces));
        drawn[p].view = view_of(drawn[p].mesh);
    }
    return drawn;
}

static void free_all(Drawn* drawn, const rblPieces* pieces)
{
    for (uint32_t p = 0; p < pieces->piece_count; ++p)
    {
        RBL_FREE_ARRAY(pieces->allocator, drawn[p].faces, drawn[p].view.face_count);
        check_ok(rbl_mesh_destroy(drawn[p].mesh));
    }
    RBL_FREE_ARRAY(rbl_default_allocator(), drawn, pieces->piece_count);
}

static rblVec3d corner_at(const rblMeshView* view, uint32_t face, uint32_t k)
{
    return view->positions[view->corner_vertices[view->face_starts[face] + k]];
}

// Every triangle of a crack has one mate, with the same corners to the bit in opposite order.
static void check_mated(const rblPieces* pieces, const rblMeshView* surface, const Drawn* drawn)
{
    const rblAllocator* allocator = rbl_default_allocator();
    uint32_t cracks = 0;
    for (uint32_t p = 0; p < pieces->piece_count; ++p)
    {
        for (uint32_t f = 0; f < drawn[p].view.face_count; ++f)
        {
            cracks += strcmp(drawn[p].view.material_names[drawn[p].view.face_materials[f]],
                             RBL_CRACK_MATERIAL) == 0;
        }
    }
    rblPieceMates mates;
    rbl_array_init(&mates, allocator);
    check_ok(rbl_pieces_find_mates(pieces, surface, &mates));
    assert_int_equal(2 * mates.count, cracks);
    for (size_t m = 0; m < mates.count; ++m)
    {
        const rblPieceMate* mate = &mates.data[m];
        for (uint32_t k = 0; k < 3; ++k)
        {
            const rblVec3d a = corner_at(&drawn[mate->piece_a].view, mate->face_a, k);
            const rblVec3d b = corner_at(&drawn[mate->piece_b].view, mate->face_b, 2 - k);
            assert_true(a.x == b.x && a.y == b.y && a.z == b.z);
        }
    }
    rbl_array_free(&mates);
}

static void bumps_are_closed_fit_and_fill_the_solid(void** state)
{
    (void)state;
    const char* const solids[] = {"box", "vase", "statue", "plate"};
    const rblPatternKind kinds[] = {RBL_PATTERN_VORONOI, RBL_PATTERN_RADIAL, RBL_PATTERN_CLUSTERED,
                                    RBL_PATTERN_PLANES};
    for (size_t c = 0; c < sizeof solids / sizeof *solids; ++c)
    {
        const rblMeshId solid = make_solid(solids[c]);
        const rblMeshView view = view_of(solid);
        rblPieces* pieces = break_solid(solid, kinds[c], HEIGHT);
        Drawn* drawn = draw_all(pieces, &view);
        double volume = 0.0;
        double most = 0.0;
        uint32_t crossing = 0;
        for (uint32_t p = 0; p < pieces->piece_count; ++p)
        {
            rblMeshReport report;
            check_ok(rbl_mesh_inspect(drawn[p].mesh, NULL, &report));
            assert_true(report.closed && report.manifold && report.oriented);
            crossing += report.self_intersections.count > 0;
            volume += report.volume;
            const double own = pieces->pieces[p].mass.volume;
            // Half of the surface at most is crack, and no bump is higher than HEIGHT.
            assert_true(fabs(report.volume - own) <= HEIGHT * pieces->pieces[p].area);
            most = rbl_maxd(fabs(report.volume - own) / own, most);
        }
        print_message("%s: volumes off by %.2g at most, %u of %u pieces cross themselves\n", solids[c], most,
                      crossing, pieces->piece_count);
        check_relative(volume, sum_volumes(pieces), 1e-9);
        check_mated(pieces, &view, drawn);
        free_all(drawn, pieces);
        rbl_pieces_free(pieces);
        check_ok(rbl_mesh_destroy(solid));
    }
}

// Outer faces, masses and neighbours are what they are without bumps; crack faces have more triangles, within their height.
static void bumps_change_nothing_but_crack_faces(void** state)
{
    (void)state;
    const rblMeshId solid = make_solid("box");
    const rblMeshView view = view_of(solid);
    rblPieces* flat = break_solid(solid, RBL_PATTERN_VORONOI, 0.0);
    rblPieces* rough = break_solid(solid, RBL_PATTERN_VORONOI, HEIGHT);
    Drawn* smooth = draw_all(flat, &view);
    Drawn* bumpy = draw_all(rough, &view);
    assert_int_equal(flat->piece_count, rough->piece_count);
    for (uint32_t p = 0; p < flat->piece_count; ++p)
    {
        const rblMeshView* a = &smooth[p].view;
        const rblMeshView* b = &bumpy[p].view;
        assert_memory_equal(&flat->pieces[p].mass, &rough->pieces[p].mass, sizeof flat->pieces[p].mass);
        assert_int_equal(a->layer_count, b->layer_count);
        assert_true(b->face_count > 2 * a->face_count);
        uint32_t outer[2] = {0, 0};
        for (uint32_t f = 0; f < a->face_count; ++f)
        {
            outer[0] += a->face_origins[f] != RBL_NONE;
        }
        for (uint32_t f = 0; f < b->face_count; ++f)
        {
            outer[1] += b->face_origins[f] != RBL_NONE;
        }
        assert_int_equal(outer[0], outer[1]);
        const rblAabbd box = rbl_mesh_bounds(a);
        const rblAabbd bumps = rbl_mesh_bounds(b);
        assert_true(bumps.lower.x >= box.lower.x - HEIGHT && bumps.upper.x <= box.upper.x + HEIGHT);
    }
    free_all(smooth, flat);
    free_all(bumpy, rough);
    rbl_pieces_free(flat);
    rbl_pieces_free(rough);
    check_ok(rbl_mesh_destroy(solid));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(bumps_are_closed_fit_and_fill_the_solid),
        cmocka_unit_test(bumps_change_nothing_but_crack_faces),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
