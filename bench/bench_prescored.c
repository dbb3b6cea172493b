// Prescored fracture: what a break costs, that pieces tile, how they are born, and a table full of balls (Su 2009).
#include "bench/bench_prescored.h"

#include "base/error.h"
#include "base/random.h"
#include "math/aabb.h"
#include "math/quat.h"
#include "math/transform.h"
#include "math/vec.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

void rbl_smash_row(rblBench* bench, const char* subject, const char* metric, double value, const char* unit)
{
    rbl_smash_goal(bench, subject, metric, value, unit, 0.0);
}

void rbl_smash_goal(rblBench* bench, const char* subject, const char* metric, double value, const char* unit,
                    double paper)
{
    rbl_bench_row(
        bench,
        &(rblBenchRow){.subject = subject, .metric = metric, .value = value, .unit = unit, .paper = paper});
}

void rbl_smash_worst(rblBench* bench, const char* figure, double value, const char* unit, const char* name)
{
    char line[256];
    snprintf(line, sizeof line, "worst %s, %.3g %s: %s", figure, value, unit, name);
    rbl_bench_note(bench, line);
}

// ---- solids ----

static rblResult make_stone(rblShapeId* out)
{
    rblRandom random = rbl_random_seed(3, 1);
    rblVec3 points[24];
    for (int i = 0; i < 24; ++i)
    {
        const rblVec3 at = {rbl_random_float(&random) - 0.5f, rbl_random_float(&random) - 0.5f,
                            rbl_random_float(&random) - 0.5f};
        points[i] = rbl_scale3(rbl_normalize3(at, rbl_vec3(1, 0, 0)), 0.2f);
    }
    return rbl_shape_create_hull(points, 24, out);
}

static rblResult make_level_set(const char* kind, rblShapeId* out)
{
    rblLevelSetDef def = rbl_default_level_set_def();
    def.max_cells = 64;
    RBL_TRY(rbl_mesh_make(kind, NULL, 0, &def.mesh));
    const rblResult result = rbl_shape_create_level_set(&def, out);
    rbl_mesh_destroy(def.mesh);
    return result;
}

static rblResult make_solid(uint32_t index, rblSmashSolid* out)
{
    static const char* const names[RBL_SMASH_SOLIDS] = {
        "box",    "wall", "pane",  "cylinder", "sphere", "capsule",   "stone",
        "statue", "bowl", "plate", "vase",     "column", "piggybank", "torus"};
    out->name = names[index];
    switch (index)
    {
    case 0:
        return rbl_shape_create_box(rbl_vec3(0.5f, 0.3f, 0.4f), &out->shape);
    case 1:
        return rbl_shape_create_box(rbl_vec3(1.5f, 1.0f, 0.1f), &out->shape);
    case 2:
        return rbl_shape_create_box(rbl_vec3(1.0f, 1.0f, 0.006f), &out->shape);
    case 3:
        return rbl_shape_create_cylinder(0.275f, 1.05f, &out->shape);
    case 4:
        return rbl_shape_create_sphere(0.2f, &out->shape);
    case 5:
        return rbl_shape_create_capsule(0.1f, 0.6f, &out->shape);
    case 6:
        return make_stone(&out->shape);
    default:
        return make_level_set(names[index], &out->shape);
    }
}

// ---- inside ----

// Which side of the edge a -> b the point lies on, seen along x. The same number for both triangles of an edge, but for
// its sign: the ends are taken in the order of their indices.
static double side(const rblMeshView* mesh, uint32_t a, uint32_t b, rblVec3d p)
{
    const bool swapped = b < a;
    const rblVec3d u = mesh->positions[swapped ? b : a];
    const rblVec3d v = mesh->positions[swapped ? a : b];
    const double area = (u.y - p.y) * (v.z - p.z) - (v.y - p.y) * (u.z - p.z);
    return swapped ? -area : area;
}

static bool outside_of_range(double a, double b, double c, double x)
{
    return (a < x && b < x && c < x) || (a > x && b > x && c > x);
}

// Whether the ray from p to +x crosses a triangle.
static bool crosses(const rblMeshView* mesh, const uint32_t* corners, rblVec3d p)
{
    const rblVec3d a = mesh->positions[corners[0]];
    const rblVec3d b = mesh->positions[corners[1]];
    const rblVec3d c = mesh->positions[corners[2]];
    if (outside_of_range(a.y, b.y, c.y, p.y) || outside_of_range(a.z, b.z, c.z, p.z) ||
        (a.x < p.x && b.x < p.x && c.x < p.x))
    {
        return false;
    }
    const double wa = side(mesh, corners[1], corners[2], p);
    const double wb = side(mesh, corners[2], corners[0], p);
    const double wc = side(mesh, corners[0], corners[1], p);
    const bool hit = (wa > 0.0 && wb > 0.0 && wc > 0.0) || (wa < 0.0 && wb < 0.0 && wc < 0.0);
    return hit && (wa * (a.x - p.x) + wb * (b.x - p.x) + wc * (c.x - p.x)) / (wa + wb + wc) > 0.0;
}

bool rbl_smash_inside(const rblMeshView* mesh, rblVec3d point)
{
    bool inside = false;
    for (uint32_t f = 0; f < mesh->face_count; ++f)
    {
        inside ^= crosses(mesh, &mesh->corner_vertices[mesh->face_starts[f]], point);
    }
    return inside;
}

static rblVec3d random_point(rblRandom* random, rblAabb box)
{
    return (rblVec3d){rbl_random_range(random, (double)box.lower.x, (double)box.upper.x),
                      rbl_random_range(random, (double)box.lower.y, (double)box.upper.y),
                      rbl_random_range(random, (double)box.lower.z, (double)box.upper.z)};
}

static rblResult find_points(rblSmashSolid* solid, uint32_t count)
{
    rblRandom random = rbl_random_seed(11, 1);
    rblMeshId surface;
    rblMeshId triangles;
    rblMeshView mesh;
    solid->points = malloc(sizeof *solid->points * count);
    if (solid->points == NULL)
    {
        return rbl_fail_memory();
    }
    RBL_TRY(rbl_shape_surface(&solid->view, &surface));
    RBL_TRY(rbl_mesh_triangulate(surface, &triangles));
    const rblResult result = rbl_mesh_view(triangles, &mesh);
    for (uint64_t tries = 0; result == RBL_OK && solid->point_count < count && tries < 1000ull * count;
         ++tries)
    {
        const rblVec3d at = random_point(&random, solid->view.bounds);
        if (rbl_smash_inside(&mesh, at))
        {
            solid->points[solid->point_count++] = at;
        }
    }
    rbl_mesh_destroy(triangles);
    return result;
}

rblResult rbl_smash_solids(rblSmashSolid* out, uint32_t points_each)
{
    for (uint32_t i = 0; i < RBL_SMASH_SOLIDS; ++i)
    {
        RBL_TRY(make_solid(i, &out[i]));
        rblShapeView* view = &out[i].view;
        RBL_TRY(rbl_shape_view(out[i].shape, view));
        RBL_TRY(rbl_shape_samples(view, &view->samples, &view->sample_count));
        RBL_TRY(find_points(&out[i], points_each));
    }
    return RBL_OK;
}

void rbl_smash_solids_free(rblSmashSolid* solids)
{
    for (uint32_t i = 0; i < RBL_SMASH_SOLIDS; ++i)
    {
        free(solids[i].points);
        if (solids[i].shape.index1 != 0)
        {
            rbl_shape_destroy(solids[i].shape);
        }
    }
}

// ---- cases ----

static rblVec3 random_vector(rblRandom* random, float reach)
{
    const float x = 2.0f * rbl_random_float(random) - 1.0f;
    const float y = 2.0f * rbl_random_float(random) - 1.0f;
    const float z = 2.0f * rbl_random_float(random) - 1.0f;
    return rbl_vec3(reach * x, reach * y, reach * z);
}

static rblQuat random_turn(rblRandom* random)
{
    const rblVec3 axis = rbl_normalize3(random_vector(random, 1.0f), rbl_vec3(0, 1, 0));
    return rbl_quat_from_axis_angle(axis, 6.28f * rbl_random_float(random));
}

// An oblique impact at a sample of the surface.
static void random_impact(rblRandom* random, rblSmashCase* c)
{
    const rblShapeView* view = &c->solid->view;
    rblVec3 gradient;
    const rblVec3 at = view->samples[rbl_random_below(random, view->sample_count)];
    rbl_shape_distance(view->shape, at, &gradient);
    const rblVec3 inward = rbl_sub3(random_vector(random, 0.5f), gradient);
    c->point = rbl_transform_point(c->pose, at);
    c->normal = rbl_rotate3(c->pose.q, rbl_normalize3(inward, rbl_vec3(0, -1, 0)));
}

rblSmashCase rbl_smash_case(const rblSmashSolid* solids, uint32_t index)
{
    rblRandom random = rbl_random_seed(17, index);
    rblSmashCase c = {.solid = &solids[index % RBL_SMASH_SOLIDS], .def = rbl_default_prescored_def()};
    c.def.pattern.kind = (rblPatternKind)(index / RBL_SMASH_SOLIDS % RBL_PATTERN_FILE);
    c.def.pattern.pieces = 6 + rbl_random_below(&random, 45);
    c.def.pattern.jitter = rbl_random_double(&random);
    c.def.generations = 1;
    c.pose = (rblTransform){random_vector(&random, 2.0f), random_turn(&random)};
    random_impact(&random, &c);
    c.velocity = random_vector(&random, 3.0f);
    c.spin = random_vector(&random, 4.0f);
    c.seed = rbl_random_u64(&random);
    snprintf(c.name, sizeof c.name, "case %u, %s, %s, %u pieces", index, c.solid->name,
             rbl_pattern_kind_name(c.def.pattern.kind), c.def.pattern.pieces);
    return c;
}

rblResult rbl_bench_prescored(rblBench* bench)
{
    rblSmashSolid solids[RBL_SMASH_SOLIDS] = {{.name = NULL}};
    rbl_bench_stage(bench, "making solids");
    rblResult result = rbl_smash_solids(solids, rbl_bench_size(bench, 2000, 100));
    if (result == RBL_OK)
    {
        result = rbl_bench_prescored_time(bench);
    }
    if (result == RBL_OK)
    {
        result = rbl_bench_prescored_tiling(bench, solids);
    }
    if (result == RBL_OK)
    {
        result = rbl_bench_prescored_birth(bench, solids);
    }
    if (result == RBL_OK)
    {
        result = rbl_bench_prescored_table(bench);
    }
    if (result == RBL_OK)
    {
        result = rbl_bench_prescored_dataset(bench);
    }
    rbl_smash_solids_free(solids);
    return result;
}
