// Stencils: every way in which a surface can cut a lattice tetrahedron keeps angles, volume and the faces it shares.
#include "testing.h"

#include "math/vec.h"
#include "mesh/tets/tets.h"
#include "mesh/tets/tets_stencil.h"

#define DEGREES (180.0 / 3.14159265358979323846)

static const rblVec3d lattice_nodes[4] = {{0, 0, 0}, {1, 0, 0}, {0.5, 0.5, -0.5}, {0.5, 0.5, 0.5}};

typedef struct Case
{
    int8_t signs[4];
    uint8_t preferred[2];
    uint32_t ways[4]; // per node on the surface: along which of 14 edges it moved, from 1; 0: it has not
    uint32_t on_surface, inside, outside;
    uint8_t cuts[6]; // edges that are cut
    uint32_t cut_count;
} Case;

static rblVec3d direction_of(uint32_t way)
{
    if (way == 0)
    {
        return rbl_vec3d(0, 0, 0);
    }
    if (way <= 6)
    {
        const double side = way % 2 != 0 ? 1.0 : -1.0;
        const uint32_t axis = (way - 1) / 2;
        return rbl_vec3d(axis == 0 ? side : 0, axis == 1 ? side : 0, axis == 2 ? side : 0);
    }
    const uint32_t bits = way - 7;
    return rbl_vec3d(bits & 1 ? 0.5 : -0.5, bits & 2 ? 0.5 : -0.5, bits & 4 ? 0.5 : -0.5);
}

static Case make_case(uint32_t code, uint32_t preference)
{
    Case c = {.preferred = {(uint8_t)(preference & 1), (uint8_t)(2 + (preference >> 1))}};
    for (uint32_t i = 0; i < 4; ++i, code /= 3)
    {
        c.signs[i] = (int8_t)(code % 3) - 1;
        c.on_surface += c.signs[i] == 0;
        c.inside += c.signs[i] > 0;
        c.outside += c.signs[i] < 0;
    }
    for (uint8_t e = 0; e < 6; ++e)
    {
        if (c.signs[rbl_stencil_edges[e][0]] * c.signs[rbl_stencil_edges[e][1]] < 0)
        {
            c.cuts[c.cut_count++] = e;
        }
    }
    return c;
}

// A node never moves towards one that moved before it towards this one, so that no ring of such moves exists.
static bool moves_in_a_ring(const Case* c)
{
    uint32_t towards[4];
    for (uint32_t i = 0; i < 4; ++i)
    {
        towards[i] = 4;
        const rblVec3d end = rbl_add3d(lattice_nodes[i], direction_of(c->ways[i]));
        for (uint32_t j = 0; j < 4 && c->ways[i] != 0; ++j)
        {
            towards[i] = rbl_distance3d(end, lattice_nodes[j]) < 1e-9 ? j : towards[i];
        }
    }
    for (uint32_t i = 0; i < 4; ++i)
    {
        uint32_t at = towards[i];
        for (uint32_t step = 0; step < 4 && at < 4; ++step)
        {
            if (at == i)
            {
                return true;
            }
            at = towards[at];
        }
    }
    return false;
}

typedef struct Extremes
{
    double smallest_angle, largest_angle, smallest_volume;
} Extremes;

static void measure_places(const Case* c, const rblStencil* stencil, const rblVec3d places[10], Extremes* out)
{
    double volume = 0.0;
    for (uint32_t t = 0; t < stencil->count; ++t)
    {
        rblVec3d corners[4];
        double cosines[6];
        for (uint32_t i = 0; i < 4; ++i)
        {
            corners[i] = places[stencil->places[t][i]];
        }
        const double own = rbl_tet_volume(corners);
        volume += own;
        out->smallest_volume = own < out->smallest_volume ? own : out->smallest_volume;
        rbl_tet_angle_cosines(corners, cosines);
        for (uint32_t e = 0; e < 6; ++e)
        {
            const double angle = acos(cosines[e]) * DEGREES;
            out->smallest_angle = angle < out->smallest_angle ? angle : out->smallest_angle;
            out->largest_angle = angle > out->largest_angle ? angle : out->largest_angle;
        }
    }
    // Where a face is cut, its far edge stays straight only when its nodes have not moved; those of cut edges never have.
    check_close(volume, rbl_tet_volume(places), 1e-12);
    assert_true(c->on_surface < 4);
}

// All ends of the ranges of cuts, and their middles.
static void measure_cuts(const Case* c, Extremes* out)
{
    const rblStencil stencil = rbl_stencil_cut(c->signs, c->preferred);
    uint32_t combinations = 1;
    for (uint32_t k = 0; k < c->cut_count; ++k)
    {
        combinations *= 3;
    }
    rblVec3d places[10];
    for (uint32_t i = 0; i < 4; ++i)
    {
        const double way = c->ways[i] <= 6 ? RBL_SNAP_LONG : RBL_SNAP_SHORT;
        places[i] = rbl_mul_add3d(lattice_nodes[i], way, direction_of(c->ways[i]));
    }
    for (uint32_t n = 0; n < combinations; ++n)
    {
        uint32_t digits = n;
        for (uint32_t k = 0; k < c->cut_count; ++k, digits /= 3)
        {
            const uint8_t* ends = rbl_stencil_edges[c->cuts[k]];
            const bool is_long = c->cuts[k] == 0 || c->cuts[k] == 5;
            const double snap = is_long ? RBL_SNAP_LONG : RBL_SNAP_SHORT;
            const double fraction = digits % 3 == 0 ? snap : digits % 3 == 1 ? 0.5 : 1.0 - snap;
            places[RBL_STENCIL_CUTS + c->cuts[k]] =
                rbl_lerp3d(lattice_nodes[ends[0]], lattice_nodes[ends[1]], fraction);
        }
        measure_places(c, &stencil, places, out);
    }
}

static void measure_moves(Case* c, Extremes* out)
{
    const uint32_t ways[4] = {c->signs[0] == 0 ? 15 : 1, c->signs[1] == 0 ? 15 : 1, c->signs[2] == 0 ? 15 : 1,
                              c->signs[3] == 0 ? 15 : 1};
    const uint32_t all = ways[0] * ways[1] * ways[2] * ways[3];
    for (uint32_t n = 0; n < all; ++n)
    {
        uint32_t digits = n;
        for (uint32_t i = 0; i < 4; ++i)
        {
            c->ways[i] = digits % ways[i];
            digits /= ways[i];
        }
        if (!moves_in_a_ring(c))
        {
            measure_cuts(c, out);
        }
    }
}

static void every_stencil_keeps_the_bounds(void** state)
{
    (void)state;
    Extremes extremes = {180, 0, 1};
    for (uint32_t code = 0; code < 81; ++code)
    {
        for (uint32_t preference = 0; preference < 4; ++preference)
        {
            Case c = make_case(code, preference);
            if (c.on_surface < 4)
            {
                measure_moves(&c, &extremes);
            }
        }
    }
    if (!(extremes.smallest_angle >= RBL_TETS_MIN_ANGLE && extremes.largest_angle <= RBL_TETS_MAX_ANGLE))
    {
        fail_msg("angles from %.4f to %.4f", extremes.smallest_angle, extremes.largest_angle);
    }
    assert_true(extremes.smallest_volume > 0.002);
    // The bounds are no wider than needed.
    assert_true(extremes.smallest_angle < RBL_TETS_MIN_ANGLE + 0.1);
    assert_true(extremes.largest_angle > RBL_TETS_MAX_ANGLE - 0.1);
}

// No node inside, none outside, and every tetrahedron on the side of its nodes.
static void stencils_separate_the_sides(void** state)
{
    (void)state;
    for (uint32_t code = 0; code < 81; ++code)
    {
        const Case c = make_case(code, code % 4);
        const rblStencil stencil = rbl_stencil_cut(c.signs, c.preferred);
        for (uint32_t t = 0; t < stencil.count; ++t)
        {
            for (uint32_t i = 0; i < 4; ++i)
            {
                const uint8_t place = stencil.places[t][i];
                const int sign = place < RBL_STENCIL_CUTS ? c.signs[place] : 0;
                assert_true(stencil.inside[t] ? sign >= 0 : sign <= 0);
            }
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_stencil_keeps_the_bounds),
        cmocka_unit_test(stencils_separate_the_sides),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
