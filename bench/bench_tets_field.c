// Fields of fragments after 1, 5 and 20 fractures against the exact partition and exact distances (Glondu 2012, 4).
#include "bench/bench_tets.h"
#include "bench/bench_tets_broken.h"

#include "base/error.h"
#include "bvh/triangle/triangle_distance.h"
#include "field/level_set/level_set_oracle.h"
#include "math/aabb.h"
#include "math/vec.h"
#include "mesh/mesh.h"
#include "mesh/tets/tets_locate.h"
#include "tests/random_point.h"
#include "tests/tets_dividing.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#define MAX_PARTS 512
#define FIELDS    8   // that are measured
#define POINTS    500 // of each
#define ASKED     6000

// ---- cracks ----

typedef struct Cracks
{
    rblVec3d* corners; // three each
    uint32_t count;
} Cracks;

static void add_facet(const rblTetRule* rule, const rblTetFacet* facet, const uint32_t* nodes,
                      const rblVec3d* corners, Cracks* out)
{
    rblVec3d points[8] = {{0.0, 0.0, 0.0}};
    for (uint32_t i = 0; i < facet->corner_count; ++i)
    {
        points[i] = rbl_tet_corner_position(rule, facet->corners[i], nodes, corners);
    }
    for (uint32_t i = 2; i < facet->corner_count; ++i)
    {
        rblVec3d* triangle = out->corners + 3 * (size_t)out->count++;
        triangle[0] = points[0];
        triangle[1] = points[i - 1];
        triangle[2] = points[i];
    }
}

// Where the rule says that a fragment ends and another begins.
static rblResult list_cracks(const rblBroken* broken, uint32_t label, Cracks* out)
{
    const rblTetsView* view = broken->background->view;
    const rblTetsPartition partition = rbl_broken_partition(broken);
    *out = (Cracks){malloc(sizeof(rblVec3d) * 48 * view->tet_count), 0};
    for (uint32_t tet = 0; tet < view->tet_count && out->corners != NULL; ++tet)
    {
        rblTetRule rule;
        rblVec3d corners[4];
        rbl_tets_rule(&partition, tet, &rule);
        rbl_tet_corners(view, tet, corners);
        for (uint32_t part = 0; part < rule.part_count && rule.part_count > 1; ++part)
        {
            rblTetFacet facets[MAX_FACETS];
            const uint32_t count = rule.labels[part] == label ? tet_facets(&rule, part, facets) : 0;
            for (uint32_t f = 0; f < count; ++f)
            {
                if (facets[f].other < 4)
                {
                    add_facet(&rule, &facets[f], view->nodes + 4 * (size_t)tet, corners, out);
                }
            }
        }
    }
    return out->corners != NULL ? RBL_OK : rbl_fail_memory();
}

static double crack_distance(const Cracks* cracks, rblVec3d p)
{
    double best = (double)INFINITY;
    for (uint32_t i = 0; i < cracks->count; ++i)
    {
        const rblVec3d* t = cracks->corners + 3 * (size_t)i;
        const rblTriangled triangle = {{t[0], t[1], t[2]}};
        best = rbl_tets_bench_smaller(best, rbl_triangle_distance2(&triangle, p, best));
    }
    return sqrt(best);
}

// ---- inside ----

// Points of the solid that are in another fragment than the rule says, but for those on a border to rounding.
static uint32_t count_wrong(rblBroken* broken, rblRandom* random, uint32_t asked)
{
    rblBrokenPart parts[MAX_PARTS];
    const uint32_t count = rbl_broken_parts(broken, parts, MAX_PARTS);
    const rblTetsPartition partition = rbl_broken_partition(broken);
    const rblBackground* background = broken->background;
    uint32_t wrong = 0;
    for (uint32_t i = 0; i < asked; ++i)
    {
        const rblVec3 p = random_point_in(random, background->solid->view.bounds);
        bool far;
        const uint32_t tet = rbl_tets_find(background->tets, rbl_to_double3(p));
        if (tet == RBL_NONE || rbl_level_set_distance_only(background->grid, p, &far) > 0.0f)
        {
            continue;
        }
        rblTetRule rule;
        rblVec3d corners[4], normal;
        double at[4];
        rbl_tets_rule(&partition, tet, &rule);
        rbl_tet_corners(background->view, tet, corners);
        rbl_tet_barycentric(corners, rbl_to_double3(p), at);
        const uint32_t part = rbl_tet_part(&rule, at);
        if (tet_border(&rule, corners, part, at, &normal) < 1e-5 * (double)background->edge)
        {
            continue;
        }
        for (uint32_t k = 0; k < count; ++k)
        {
            const rblFragmentField field = rbl_broken_field(broken, parts[k]);
            wrong +=
                rbl_fragment_inside(&field, p) != (rbl_broken_label(broken, parts[k]) == rule.labels[part]);
        }
    }
    return wrong;
}

// ---- distances ----

typedef struct Errors
{
    double near, deep, most; // in edges: sums, then means, and the largest
    uint32_t near_count, deep_count;
    uint32_t rays, bad_rays;
    double worst_fall; // along a ray, in edges
    uint32_t inward;   // gradients that do not lead out
} Errors;

// Along a ray inwards, as long as the gradient is about the same.
static void follow_ray(const rblFragmentField* field, rblVec3 p, rblVec3 out, Errors* errors)
{
    const float edge = field->event->background->edge;
    rblVec3 gradient;
    float before = rbl_fragment_distance(field, p, &gradient);
    bool bad = false;
    for (int i = 1; i <= 20; ++i)
    {
        const rblVec3 at = rbl_mul_add3(p, -0.1f * (float)i * edge, out);
        const float now = rbl_fragment_distance(field, at, &gradient);
        if (now > 0.0f || rbl_dot3(gradient, out) < 0.9f)
        {
            break;
        }
        bad = bad || now > before;
        errors->worst_fall = rbl_tets_bench_larger((double)((now - before) / edge), errors->worst_fall);
        before = now;
    }
    errors->rays += 1;
    errors->bad_rays += bad;
}

static void measure_point(const rblFragmentField* field, rblVec3 p, double exact, Errors* errors)
{
    const float edge = field->event->background->edge;
    rblVec3 gradient, unused;
    const float distance = rbl_fragment_distance(field, p, &gradient);
    const double error = fabs(-(double)distance - exact) / (double)edge;
    const bool near = exact < 0.5 * (double)edge;
    errors->near += near ? error : 0.0;
    errors->deep += near ? 0.0 : error;
    errors->near_count += near;
    errors->deep_count += !near;
    errors->most = rbl_tets_bench_larger(error, errors->most);
    const rblVec3 beyond = rbl_mul_add3(p, 0.1f * edge - distance, gradient);
    errors->inward += rbl_fragment_distance(field, beyond, &unused) < 0.5f * distance - 0.1f * edge;
    follow_ray(field, p, gradient, errors);
}

static rblResult measure_part(const rblBroken* broken, rblBrokenPart part, const rblDistanceOracle* solid,
                              rblRandom* random, uint32_t points, Errors* errors)
{
    Cracks cracks;
    const rblFragmentField field = rbl_broken_field(broken, part);
    RBL_TRY(list_cracks(broken, rbl_broken_label(broken, part), &cracks));
    for (uint32_t i = 0; i < points; ++i)
    {
        const rblVec3 p = random_point_in(random, field.bounds);
        if (rbl_fragment_inside(&field, p))
        {
            uint32_t hint = RBL_NO_LEAF;
            const double surface = rbl_distance_oracle_evaluate(solid, rbl_to_double3(p), &hint);
            const double crack = crack_distance(&cracks, rbl_to_double3(p));
            measure_point(&field, p, rbl_tets_bench_smaller(surface, crack), errors);
        }
    }
    free(cracks.corners);
    return RBL_OK;
}

static rblResult measure_distances(rblBench* bench, const rblBroken* broken, rblRandom* random, Errors* out)
{
    rblBrokenPart parts[MAX_PARTS];
    const uint32_t count = rbl_broken_parts(broken, parts, MAX_PARTS);
    const uint32_t points = rbl_bench_size(bench, POINTS, 20);
    rblMesh* mesh;
    rblDistanceOracle solid;
    *out = (Errors){.near = 0.0};
    RBL_TRY(rbl_mesh_acquire(broken->mesh, &mesh));
    rblResult result = rbl_distance_oracle_init(&solid, rbl_mesh_get_view(mesh), rbl_default_allocator());
    if (result == RBL_OK)
    {
        for (uint32_t k = 0; k < count && result == RBL_OK; k += 1 + count / FIELDS)
        {
            result = measure_part(broken, parts[k], &solid, random, points, out);
        }
        rbl_distance_oracle_free(&solid);
    }
    rbl_mesh_release(mesh);
    out->near /= out->near_count > 0 ? out->near_count : 1;
    out->deep /= out->deep_count > 0 ? out->deep_count : 1;
    return result;
}

// ---- rows ----

static rblResult measure(rblBench* bench, rblBroken* broken, const char* kind, uint32_t fractures)
{
    char subject[64];
    Errors e;
    rblRandom random = rbl_random_seed(5, fractures);
    RBL_TRY(rbl_broken_make(broken, kind, rbl_bench_size(bench, 8000, 1000)));
    for (uint32_t i = 0; i < fractures; ++i)
    {
        RBL_TRY(rbl_broken_break(broken, fractures == 1 ? 5 : i % 5 == 4 ? 4 : 2));
    }
    const uint32_t wrong = count_wrong(broken, &random, rbl_bench_size(bench, ASKED, 100));
    RBL_TRY(measure_distances(bench, broken, &random, &e));
    snprintf(subject, sizeof subject, "field, %s, %u fracture%s", kind, fractures, fractures == 1 ? "" : "s");
    rbl_tets_bench_row(bench, subject, "points on the wrong side", wrong, "", 0.0);
    rbl_tets_bench_row(bench, subject, "rays along which the distance grows",
                       100.0 * (1.0 - (double)e.bad_rays / rbl_tets_bench_larger(1.0, e.rays)), "%", 0.0);
    rbl_tets_bench_row(bench, subject, "worst fall along a ray", e.worst_fall, "edges", 0.0);
    rbl_tets_bench_row(bench, subject, "error within half an edge, mean", e.near, "edges", 0.0);
    rbl_tets_bench_row(bench, subject, "error deeper, mean", e.deep, "edges", 0.0);
    rbl_tets_bench_row(bench, subject, "error, most", e.most, "edges", 0.0);
    rbl_tets_bench_row(bench, subject, "normals outward",
                       100.0 * (1.0 - (double)e.inward / rbl_tets_bench_larger(1.0, e.rays)), "%", 0.0);
    return RBL_OK;
}

rblResult rbl_bench_tets_field(rblBench* bench)
{
    static const struct
    {
        const char* kind;
        uint32_t fractures;
    } cases[] = {{"sphere", 1}, {"sphere", 5}, {"sphere", 20}, {"statue", 20}};
    rbl_bench_stage(bench, "fields of fragments");
    for (size_t i = 0; i < sizeof cases / sizeof *cases; ++i)
    {
        rblBroken broken = {.count = 0};
        const rblResult result = measure(bench, &broken, cases[i].kind, cases[i].fractures);
        rbl_broken_free(&broken);
        RBL_TRY(result);
    }
    return RBL_OK;
}
