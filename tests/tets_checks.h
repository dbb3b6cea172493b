// What every mesh of tetrahedra must be, checked from scratch.
#ifndef RBL_TESTS_TETS_CHECKS_H
#define RBL_TESTS_TETS_CHECKS_H

#include "math/vec.h"
#include "mesh/tets/tets.h"

typedef struct TetsFacts
{
    double smallest_angle, largest_angle; // degrees, of all tetrahedra
    double solid_volume, rim_volume;
} TetsFacts;

static inline bool shares_three(const rblTetsView* view, uint32_t a, uint32_t b)
{
    uint32_t shared = 0;
    for (uint32_t i = 0; i < 4; ++i)
    {
        for (uint32_t j = 0; j < 4; ++j)
        {
            shared += view->nodes[4 * (size_t)a + i] == view->nodes[4 * (size_t)b + j];
        }
    }
    return shared == 3;
}

static inline void check_neighbors(const rblTetsView* view, uint32_t tet)
{
    for (uint32_t k = 0; k < 4; ++k)
    {
        const uint32_t other = view->neighbors[4 * (size_t)tet + k];
        if (other == RBL_NONE)
        {
            continue;
        }
        assert_true(other < view->tet_count && shares_three(view, tet, other));
        bool back = false;
        for (uint32_t i = 0; i < 4; ++i)
        {
            back = back || view->neighbors[4 * (size_t)other + i] == tet;
            assert_int_not_equal(view->nodes[4 * (size_t)other + i], view->nodes[4 * (size_t)tet + k]);
        }
        assert_true(back);
    }
}

static inline TetsFacts check_tets(rblTetsId tets)
{
    rblTetsView view;
    check_ok(rbl_tets_view(tets, &view));
    TetsFacts facts = {180, 0, 0, 0};
    for (uint32_t tet = 0; tet < view.tet_count; ++tet)
    {
        rblVec3d corners[4];
        double cosines[6];
        rbl_tet_corners(&view, tet, corners);
        const double volume = rbl_tet_volume(corners);
        assert_true(volume > 0.0);
        *(tet < view.solid_tet_count ? &facts.solid_volume : &facts.rim_volume) += volume;
        rbl_tet_angle_cosines(corners, cosines);
        for (uint32_t e = 0; e < 6; ++e)
        {
            const double angle = acos(cosines[e]) * (180.0 / 3.14159265358979323846);
            facts.smallest_angle = angle < facts.smallest_angle ? angle : facts.smallest_angle;
            facts.largest_angle = angle > facts.largest_angle ? angle : facts.largest_angle;
        }
        check_neighbors(&view, tet);
        for (uint32_t i = 0; i < 4; ++i)
        {
            assert_true(view.nodes[4 * (size_t)tet + i] <
                        (tet < view.solid_tet_count ? view.solid_node_count : view.node_count));
        }
    }
    return facts;
}

// The surface encloses exactly the volume of the tetrahedra: no crack, no overlap, no face left open inside.
static inline rblMeshReport check_surface(rblTetsId tets, bool rim, double volume)
{
    rblMeshId surface;
    rblMeshReport report;
    rblInspectOptions options = rbl_default_inspect_options();
    options.self_intersections = false;
    check_ok(rbl_tets_surface(tets, rim, &surface));
    check_ok(rbl_mesh_inspect(surface, &options, &report));
    assert_true(report.closed);
    assert_int_equal(report.misoriented_edges.count, 0);
    check_relative(report.volume, volume, 1e-9);
    check_ok(rbl_mesh_destroy(surface));
    return report;
}

#endif
