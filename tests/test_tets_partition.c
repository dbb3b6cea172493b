// Divided tetrahedra: whatever the labels, weights and events, the parts tile, and neighbours agree.
#include "testing.h"
#include "tets_dividing.h"

#include "base/random.h"
#include "math/vec.h"
#include "mesh/tets/tets_partition.h"
#include "random_point.h"
#include <stdlib.h>

static const uint32_t own_order[4] = {0, 1, 2, 3};

typedef struct Divided
{
    rblVec3d corners[4];
    rblTetRule rule;
} Divided;

static void random_corners(rblRandom* random, rblVec3d out[4])
{
    do
    {
        for (uint32_t i = 0; i < 4; ++i)
        {
            out[i] = random_vec3d(random, -1, 1);
        }
    } while (!(rbl_tet_volume(out) > 0.01));
}

// Weights whose ratios stay within what tets_clamp_weights() allows.
static double random_weight(rblRandom* random)
{
    const double u = rbl_random_double(random);
    return u < 0.3 ? rbl_random_range(random, 1.0, 1.2)
                   : (u < 0.6 ? rbl_random_range(random, 40.0, 49.0) : rbl_random_range(random, 1.0, 49.0));
}

// The rule of a mesh of one tetrahedron.
static void divide(const rblTetsEvent* events, uint32_t event_count, rblTetRule* out)
{
    const rblTetsView tet = {.nodes = own_order, .node_count = 4, .tet_count = 1};
    const rblTetsPartition partition = {&tet, events, event_count};
    rbl_tets_rule(&partition, 0, out);
}

// Up to three generations: each breaks one of the parts there are.
static Divided random_divided(rblRandom* random, uint32_t generations, uint32_t most_labels)
{
    Divided d;
    random_corners(random, d.corners);
    uint32_t labels[3][4];
    double weights[3][4];
    rblTetsEvent events[3];
    divide(events, 0, &d.rule);
    for (uint32_t e = 0; e < generations; ++e)
    {
        const uint32_t part = rbl_random_below(random, d.rule.part_count);
        for (uint32_t i = 0; i < 4; ++i)
        {
            labels[e][i] = rbl_random_below(random, most_labels);
            weights[e][i] = random_weight(random);
            labels[e][i] = d.rule.parts[i] == part ? labels[e][i] : RBL_NONE;
        }
        events[e] = (rblTetsEvent){labels[e], weights[e], 1 + e * most_labels};
        divide(events, e + 1, &d.rule);
    }
    return d;
}

static void random_barycentric(rblRandom* random, double b[4])
{
    double sum = 0.0;
    for (uint32_t i = 0; i < 4; ++i)
    {
        b[i] = rbl_random_double(random);
        b[i] *= rbl_random_double(random);
        sum += b[i];
    }
    for (uint32_t i = 0; i < 4; ++i)
    {
        b[i] /= sum;
    }
}

static rblVec3d point_at(const rblVec3d corners[4], const double b[4])
{
    rblVec3d p = {0, 0, 0};
    for (uint32_t i = 0; i < 4; ++i)
    {
        p = rbl_mul_add3d(p, b[i], corners[i]);
    }
    return p;
}

// How far a point is inside a part by the planes of its facets.
static double depth_in(const Divided* d, uint32_t part, rblVec3d p)
{
    rblTetFacet facets[MAX_FACETS];
    const uint32_t count = tet_facets(&d->rule, part, facets);
    double depth = 1e30;
    for (uint32_t f = 0; f < count; ++f)
    {
        const rblVec3d a = rbl_tet_corner_position(&d->rule, facets[f].corners[0], own_order, d->corners);
        rblVec3d normal = {0, 0, 0};
        for (uint32_t c = 1; c + 1 < facets[f].corner_count; ++c)
        {
            const rblVec3d b = rbl_tet_corner_position(&d->rule, facets[f].corners[c], own_order, d->corners);
            const rblVec3d e =
                rbl_tet_corner_position(&d->rule, facets[f].corners[c + 1], own_order, d->corners);
            normal = rbl_add3d(normal, rbl_cross3d(rbl_sub3d(b, a), rbl_sub3d(e, a)));
        }
        assert_true(rbl_length3d(normal) > 0.0);
        depth = rbl_mind(depth, -rbl_dot3d(normal, rbl_sub3d(p, a)) / rbl_length3d(normal));
    }
    return depth;
}

// ---- one tetrahedron ----

static void parts_tile_the_tetrahedron(void** state)
{
    (void)state;
    rblRandom random = rbl_random_seed(1, 7);
    uint32_t seen[5] = {0};
    for (uint32_t n = 0; n < 5000; ++n)
    {
        const Divided d = random_divided(&random, 1 + n % 3, 2 + n % 3);
        seen[d.rule.part_count] += 1;
        const double whole = rbl_tet_volume(d.corners);
        double volume = 0.0;
        rblVec3d first = {0, 0, 0};
        for (uint32_t p = 0; p < d.rule.part_count; ++p)
        {
            const TetIntegrals part = tet_part_integrals(&d.rule, d.corners, p);
            assert_true(part.volume > 0.0);
            volume += part.volume;
            first = rbl_add3d(first, part.first);
        }
        check_close(volume, whole, 1e-12 * whole);
        const rblVec3d center = point_at(d.corners, (const double[4]){0.25, 0.25, 0.25, 0.25});
        check_close(rbl_distance3d(first, rbl_scale3d(center, whole)), 0.0, 1e-12);
    }
    assert_true(seen[1] > 10 && seen[2] > 100 && seen[3] > 100 && seen[4] > 100);
}

static void every_point_is_in_the_part_that_the_rule_says(void** state)
{
    (void)state;
    rblRandom random = rbl_random_seed(2, 7);
    uint32_t clear = 0;
    for (uint32_t n = 0; n < 2000; ++n)
    {
        const Divided d = random_divided(&random, 1 + n % 3, 4);
        for (uint32_t m = 0; m < 20; ++m)
        {
            double b[4];
            random_barycentric(&random, b);
            const rblVec3d p = point_at(d.corners, b);
            const uint32_t part = rbl_tet_part(&d.rule, b);
            bool near = false;
            for (uint32_t q = 0; q < d.rule.part_count; ++q)
            {
                near = near || fabs(depth_in(&d, q, p)) < 1e-9;
            }
            for (uint32_t q = 0; q < d.rule.part_count && !near; ++q)
            {
                assert_int_equal(depth_in(&d, q, p) > 0.0, q == part);
            }
            clear += near ? 0 : 1;
        }
    }
    assert_true(clear > 35000);
}

static void facets_look_from_one_part_to_the_other(void** state)
{
    (void)state;
    rblRandom random = rbl_random_seed(3, 7);
    for (uint32_t n = 0; n < 2000; ++n)
    {
        const Divided d = random_divided(&random, 1 + n % 3, 4);
        for (uint32_t p = 0; p < d.rule.part_count; ++p)
        {
            for (uint32_t q = 0; q < p; ++q)
            {
                const rblTetFacet there = rbl_tet_facet(&d.rule, p, q), back = rbl_tet_facet(&d.rule, q, p);
                assert_int_equal(there.corner_count, back.corner_count);
                uint32_t start = 0;
                while (back.corners[start] != there.corners[0])
                {
                    assert_true(++start < back.corner_count);
                }
                for (uint32_t c = 0; c < there.corner_count; ++c)
                {
                    const uint32_t turned = (start + back.corner_count - c) % back.corner_count;
                    assert_int_equal(there.corners[c], back.corners[turned]);
                    assert_true(tet_is_corner(&d.rule, there.corners[c]));
                }
            }
        }
    }
}

// Half the distance function of the planes, measured anew.
static void borders_are_as_far_as_their_planes(void** state)
{
    (void)state;
    rblRandom random = rbl_random_seed(4, 7);
    for (uint32_t n = 0; n < 3000; ++n)
    {
        const Divided d = random_divided(&random, 1 + n % 3, 4);
        double b[4];
        random_barycentric(&random, b);
        const uint32_t part = rbl_tet_part(&d.rule, b);
        rblVec3d normal;
        const double distance = tet_border(&d.rule, d.corners, part, b, &normal);
        if (d.rule.part_count == 1)
        {
            assert_true(distance > 1e300);
            continue;
        }
        assert_true(distance >= 0.0);
        check_close(rbl_length3d(normal), 1.0, 1e-12);
        // Just beyond the plane the point is no longer in the part.
        const rblVec3d p = point_at(d.corners, b);
        double there[4], here[4];
        rbl_tet_barycentric(d.corners, rbl_mul_add3d(p, distance + 1e-9, normal), there);
        rbl_tet_barycentric(d.corners, rbl_mul_add3d(p, distance - 1e-9, normal), here);
        assert_int_not_equal(rbl_tet_part(&d.rule, there), part);
        assert_int_equal(rbl_tet_part(&d.rule, here), part);
    }
}

static void two_labels_meet_where_a_linear_function_is_zero(void** state)
{
    (void)state;
    rblRandom random = rbl_random_seed(5, 7);
    for (uint32_t n = 0; n < 1000; ++n)
    {
        rblVec3d corners[4];
        random_corners(&random, corners);
        const rblVec3d along = {rbl_random_range(&random, -1, 1), rbl_random_range(&random, -1, 1),
                                rbl_random_range(&random, -1, 1)};
        const double offset = rbl_random_range(&random, -0.5, 0.5);
        uint32_t labels[4];
        double weights[4];
        for (uint32_t i = 0; i < 4; ++i)
        {
            const double g = rbl_dot3d(along, corners[i]) + offset;
            labels[i] = g > 0.0 ? 1 : 0;
            weights[i] = fabs(g);
        }
        rblTetRule rule;
        divide(&(const rblTetsEvent){labels, weights, 0}, 1, &rule);
        for (uint32_t m = 0; m < 20; ++m)
        {
            double b[4];
            random_barycentric(&random, b);
            const double g = rbl_dot3d(along, point_at(corners, b)) + offset;
            if (fabs(g) > 1e-12)
            {
                assert_int_equal(rule.labels[rbl_tet_part(&rule, b)], g > 0.0 ? 1 : 0);
            }
        }
        for (uint32_t e = 0; e < 6; ++e)
        {
            const uint32_t nodes = 1u << rbl_tet_edges[e][0] | 1u << rbl_tet_edges[e][1];
            const bool cut = labels[rbl_tet_edges[e][0]] != labels[rbl_tet_edges[e][1]];
            assert_int_equal(tet_is_corner(&rule, nodes), cut);
            if (cut)
            {
                const rblVec3d at = rbl_tet_corner_position(&rule, nodes, own_order, corners);
                check_close(rbl_dot3d(along, at) + offset, 0.0, 1e-14);
            }
        }
    }
}

static void ties_go_to_the_lowest_label(void** state)
{
    (void)state;
    const uint32_t none[4] = {RBL_NONE, RBL_NONE, RBL_NONE, RBL_NONE}, labels[4] = {2, 0, 1, 0};
    const double weights[4] = {1, 1, 1, 1};
    const rblTetsEvent events[2] = {{none, weights, 1}, {labels, weights, 5}};
    rblTetRule rule;
    divide(events, 2, &rule);
    assert_int_equal(rule.part_count, 3);
    assert_int_equal(rule.labels[rbl_tet_part(&rule, (const double[4]){0.5, 0.25, 0, 0.25})], 5);
    assert_int_equal(rule.labels[rbl_tet_part(&rule, (const double[4]){0.5, 0, 0.5, 0})], 6);
    assert_int_equal(rule.events[0], 1);
}

// ---- a mesh ----

typedef struct Broken
{
    rblTetsId id;
    rblTetsView view;
    uint32_t* labels[3];
    double* weights[3];
    rblTetsEvent events[3];
    rblTetsPartition partition;
} Broken;

// Seeds in space label the nodes of what is broken.
static void break_nodes(Broken* broken, uint32_t event, uint32_t kept, uint32_t seeds, rblRandom* random)
{
    const rblTetsView* view = &broken->view;
    rblVec3d at[32];
    for (uint32_t s = 0; s < seeds; ++s)
    {
        uint32_t node;
        do
        {
            node = rbl_random_below(random, view->node_count);
        } while (event > 0 && broken->labels[event - 1][node] != kept);
        at[s] = view->positions[node];
    }
    for (uint32_t n = 0; n < view->node_count; ++n)
    {
        const bool breaks = event == 0 || broken->labels[event - 1][n] == kept;
        uint32_t best = 0;
        for (uint32_t s = 1; s < seeds; ++s)
        {
            best = rbl_distance3d(at[s], view->positions[n]) < rbl_distance3d(at[best], view->positions[n])
                       ? s
                       : best;
        }
        broken->labels[event][n] = breaks ? best : RBL_NONE;
        broken->weights[event][n] =
            rbl_random_double(random) < 0.1 ? 0.0 : rbl_random_range(random, 1e-4, 1.0);
    }
}

static void make_broken(Broken* broken, uint32_t events, uint64_t seed)
{
    *broken = (Broken){0};
    rblMeshId solid;
    check_ok(rbl_mesh_make("torus", NULL, 0, &solid));
    rblTetsDef def = rbl_default_tets_def();
    def.count = 2000;
    check_ok(rbl_tets_fill(solid, &def, NULL, &broken->id));
    check_ok(rbl_mesh_destroy(solid));
    check_ok(rbl_tets_view(broken->id, &broken->view));
    rblRandom random = rbl_random_seed(seed, 8);
    uint32_t first = 0;
    for (uint32_t e = 0; e < events; ++e)
    {
        broken->labels[e] = malloc(sizeof(uint32_t) * broken->view.node_count);
        broken->weights[e] = malloc(sizeof(double) * broken->view.node_count);
        break_nodes(broken, e, 1, 6, &random);
        tets_clamp_weights(&broken->view, broken->labels[e], broken->weights[e]);
        broken->events[e] = (rblTetsEvent){broken->labels[e], broken->weights[e], first};
        first += 6;
    }
    broken->partition = (rblTetsPartition){&broken->view, broken->events, events};
}

static void free_broken(Broken* broken)
{
    for (uint32_t e = 0; e < 3; ++e)
    {
        free(broken->labels[e]);
        free(broken->weights[e]);
    }
    check_ok(rbl_tets_destroy(broken->id));
}

// The same point of a shared face, and the corners on it, as both sides see them.
static void check_face(const Broken* broken, uint32_t tet, uint32_t k, rblRandom* random)
{
    const rblTetsView* view = &broken->view;
    const uint32_t other = view->neighbors[4 * (size_t)tet + k];
    const uint32_t* n = view->nodes + 4 * (size_t)tet;
    const uint32_t* m = view->nodes + 4 * (size_t)other;
    rblTetRule here, there;
    rbl_tets_rule(&broken->partition, tet, &here);
    rbl_tets_rule(&broken->partition, other, &there);
    double b[4], c[4] = {0};
    random_barycentric(random, b);
    b[k] = 0.0;
    uint32_t twin[4] = {0};
    for (uint32_t i = 0; i < 4; ++i)
    {
        for (uint32_t j = 0; j < 4; ++j)
        {
            if (n[i] == m[j])
            {
                twin[i] = j;
                c[j] = b[i];
            }
        }
    }
    assert_int_equal(here.labels[rbl_tet_part(&here, b)], there.labels[rbl_tet_part(&there, c)]);
    rblVec3d corners[4], others[4];
    rbl_tet_corners(view, tet, corners);
    rbl_tet_corners(view, other, others);
    for (uint32_t nodes = 1; nodes < 16; ++nodes)
    {
        uint32_t turned = 0;
        for (uint32_t i = 0; i < 4; ++i)
        {
            turned |= (nodes >> i & 1u) << twin[i];
        }
        if ((nodes >> k & 1u) == 0 && tet_is_corner(&here, nodes))
        {
            assert_true(tet_is_corner(&there, turned));
            const rblVec3d p = rbl_tet_corner_position(&here, nodes, n, corners);
            const rblVec3d q = rbl_tet_corner_position(&there, turned, m, others);
            assert_memory_equal(&p, &q, sizeof p);
        }
    }
}

static void neighbours_agree_to_the_bit_on_their_face(void** state)
{
    (void)state;
    rblRandom random = rbl_random_seed(6, 7);
    for (uint32_t events = 1; events <= 3; ++events)
    {
        Broken broken;
        make_broken(&broken, events, events);
        for (uint32_t t = 0; t < broken.view.tet_count; ++t)
        {
            for (uint32_t k = 0; k < 4; ++k)
            {
                if (broken.view.neighbors[4 * (size_t)t + k] != RBL_NONE)
                {
                    check_face(&broken, t, k, &random);
                }
            }
        }
        free_broken(&broken);
    }
}

static void fragments_of_fragments_leave_the_others_as_they_are(void** state)
{
    (void)state;
    rblRandom random = rbl_random_seed(7, 7);
    Broken broken;
    make_broken(&broken, 3, 5);
    rblTetsPartition before = broken.partition;
    before.event_count = 2;
    uint32_t again = 0;
    for (uint32_t t = 0; t < broken.view.tet_count; ++t)
    {
        rblTetRule now, then;
        uint32_t label, event;
        rbl_tets_rule(&broken.partition, t, &now);
        rbl_tets_rule(&before, t, &then);
        assert_int_equal(rbl_tets_is_whole(&broken.partition, t, &label, &event), now.part_count == 1);
        assert_true(now.part_count > 1 || (label == now.labels[0] && event == now.events[0]));
        for (uint32_t m = 0; m < 10; ++m)
        {
            double b[4];
            random_barycentric(&random, b);
            const uint32_t p = rbl_tet_part(&now, b), q = rbl_tet_part(&then, b);
            assert_int_equal(then.labels[q] == 6 + 1, now.events[p] == 2);
            assert_true(now.events[p] == 2 || now.labels[p] == then.labels[q]);
            again += now.events[p] == 2 ? 1 : 0;
        }
    }
    assert_true(again > 50);
    free_broken(&broken);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(parts_tile_the_tetrahedron),
        cmocka_unit_test(every_point_is_in_the_part_that_the_rule_says),
        cmocka_unit_test(facets_look_from_one_part_to_the_other),
        cmocka_unit_test(borders_are_as_far_as_their_planes),
        cmocka_unit_test(two_labels_meet_where_a_linear_function_is_zero),
        cmocka_unit_test(ties_go_to_the_lowest_label),
        cmocka_unit_test(neighbours_agree_to_the_bit_on_their_face),
        cmocka_unit_test(fragments_of_fragments_leave_the_others_as_they_are),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
