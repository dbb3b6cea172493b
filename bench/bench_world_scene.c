// Building scenes for `rubble bench world`.
#include "bench/bench_world.h"

#include "base/error.h"
#include "math/aabb.h"
#include "math/quat.h"
#include <stdlib.h>
#include <string.h>

rblWorldScene rbl_world_scene(double seconds)
{
    rblTrialSetup setup = {.gravity = {0.0f, -9.81f, 0.0f}, .step = 1.0f / 30.0f, .threads = 1, .repeats = 1};
    setup.steps = (uint32_t)(30.0 * seconds + 0.5);
    return (rblWorldScene){.trial = {.setup = setup}};
}

void rbl_world_scene_free(rblWorldScene* scene)
{
    for (uint32_t i = 0; i < scene->trial.setup.shape_count; ++i)
    {
        if (scene->shapes[i].index1 != 0)
        {
            rbl_shape_destroy(scene->shapes[i]);
        }
    }
    free(scene->shapes);
    scene->shapes = NULL;
    rbl_trial_free(&scene->trial);
}

// Room for `extra` more elements; doubles whenever the count passes a power of two.
static rblResult grow(void** data, uint32_t count, uint32_t extra, size_t size)
{
    size_t capacity = 16;
    while (capacity < (size_t)count + extra)
    {
        capacity *= 2;
    }
    const bool enough = *data != NULL && capacity / 2 < count;
    void* grown = enough ? *data : realloc(*data, capacity * size);
    if (grown == NULL)
    {
        return rbl_fail_memory();
    }
    *data = grown;
    return RBL_OK;
}

static void put3(double out[3], rblVec3d v)
{
    out[0] = v.x;
    out[1] = v.y;
    out[2] = v.z;
}

// Surface of a shape in the body's own axes, as triangles.
static rblResult add_surface(rblTrial* trial, rblTrialShape* shape, const rblMeshView* mesh)
{
    shape->first_point = trial->setup.point_count;
    shape->point_count = mesh->vertex_count;
    shape->first_triangle = trial->setup.triangle_count;
    shape->triangle_count = mesh->face_count;
    RBL_TRY(grow((void**)&trial->points, shape->first_point, shape->point_count, 3 * sizeof(float)));
    RBL_TRY(
        grow((void**)&trial->triangles, shape->first_triangle, shape->triangle_count, 3 * sizeof(uint32_t)));
    for (uint32_t i = 0; i < mesh->vertex_count; ++i)
    {
        const double from[3] = {mesh->positions[i].x - shape->center[0],
                                mesh->positions[i].y - shape->center[1],
                                mesh->positions[i].z - shape->center[2]};
        double turned[3];
        rbl_trial_turn_back(shape->axes, from, turned);
        for (int k = 0; k < 3; ++k)
        {
            trial->points[3 * (shape->first_point + i) + (uint32_t)k] = (float)turned[k];
        }
    }
    memcpy(trial->triangles + 3 * shape->first_triangle, mesh->corner_vertices,
           3 * sizeof(uint32_t) * mesh->face_count);
    trial->setup.point_count += shape->point_count;
    trial->setup.triangle_count += shape->triangle_count;
    return RBL_OK;
}

static rblResult add_triangulated(rblTrial* trial, rblTrialShape* shape, rblMeshId surface)
{
    rblMeshId triangles;
    rblMeshView view;
    RBL_TRY(rbl_mesh_triangulate(surface, &triangles));
    rblResult result = rbl_mesh_view(triangles, &view);
    if (result == RBL_OK)
    {
        result = add_surface(trial, shape, &view);
    }
    rbl_mesh_destroy(triangles);
    return result;
}

// Boxes and balls keep their axes; others get those of their inertia.
static void put_mass(rblTrialShape* out, const rblMassProperties* mass)
{
    const bool own = out->kind == RBL_TRIAL_HULL || out->kind == RBL_TRIAL_MESH;
    const rblQuatd axes = own ? rbl_quatd_from_mat3d(&mass->principal_axes) : rbl_quatd_identity();
    out->volume = mass->volume;
    put3(out->center, mass->center);
    put3(out->moments,
         own ? mass->moments : (rblVec3d){mass->inertia.cx.x, mass->inertia.cy.y, mass->inertia.cz.z});
    const double rotation[4] = {axes.x, axes.y, axes.z, axes.w};
    memcpy(out->axes, rotation, sizeof rotation);
}

static rblResult add_described(rblWorldScene* scene, rblShapeId id, const rblShapeView* view,
                               rblTrialShape shape, rblMeshId surface, uint32_t* out)
{
    rblTrial* trial = &scene->trial;
    const uint32_t count = trial->setup.shape_count;
    RBL_TRY(grow((void**)&trial->shapes, count, 1, sizeof *trial->shapes));
    RBL_TRY(grow((void**)&scene->shapes, count, 1, sizeof *scene->shapes));
    put_mass(&shape, &view->mass);
    if (shape.kind == RBL_TRIAL_HULL || shape.kind == RBL_TRIAL_MESH || shape.kind == RBL_TRIAL_GROUND)
    {
        rblMeshId drawn = surface;
        if (drawn.index1 == 0)
        {
            RBL_TRY(rbl_shape_surface(view, &drawn));
        }
        RBL_TRY(add_triangulated(trial, &shape, drawn));
    }
    trial->shapes[count] = shape;
    scene->shapes[count] = id;
    trial->setup.shape_count += 1;
    *out = count;
    return RBL_OK;
}

// Takes the shape over, also when it fails.
static rblResult add_shape(rblWorldScene* scene, rblShapeId id, rblTrialShape shape, rblMeshId surface,
                           uint32_t* out)
{
    rblShapeView view;
    rblResult result = rbl_shape_view(id, &view);
    result = result == RBL_OK ? add_described(scene, id, &view, shape, surface, out) : result;
    if (result != RBL_OK)
    {
        rbl_shape_destroy(id);
    }
    return result;
}

static const rblMeshId no_mesh = {0, 0};

rblResult rbl_world_scene_plane(rblWorldScene* scene, uint32_t* out)
{
    rblShapeId id;
    RBL_TRY(rbl_shape_create_plane((rblVec3){0.0f, 1.0f, 0.0f}, &id));
    return add_shape(scene, id, (rblTrialShape){.kind = RBL_TRIAL_PLANE}, no_mesh, out);
}

rblResult rbl_world_scene_box(rblWorldScene* scene, float x, float y, float z, uint32_t* out)
{
    rblShapeId id;
    RBL_TRY(rbl_shape_create_box((rblVec3){x, y, z}, &id));
    return add_shape(scene, id, (rblTrialShape){.kind = RBL_TRIAL_BOX, .size = {x, y, z}}, no_mesh, out);
}

rblResult rbl_world_scene_ball(rblWorldScene* scene, float radius, uint32_t* out)
{
    rblShapeId id;
    RBL_TRY(rbl_shape_create_sphere(radius, &id));
    return add_shape(scene, id, (rblTrialShape){.kind = RBL_TRIAL_BALL, .size = {radius}}, no_mesh, out);
}

// Peers get its surface.
rblResult rbl_world_scene_capsule(rblWorldScene* scene, float radius, float height, uint32_t* out)
{
    rblShapeId id;
    RBL_TRY(rbl_shape_create_capsule(radius, height, &id));
    return add_shape(scene, id, (rblTrialShape){.kind = RBL_TRIAL_MESH}, no_mesh, out);
}

rblResult rbl_world_scene_hull(rblWorldScene* scene, const rblVec3* points, uint32_t count, uint32_t* out)
{
    rblShapeId id;
    RBL_TRY(rbl_shape_create_hull(points, count, &id));
    return add_shape(scene, id, (rblTrialShape){.kind = RBL_TRIAL_HULL}, no_mesh, out);
}

rblResult rbl_world_scene_level_set(rblWorldScene* scene, rblMeshId mesh, uint32_t* out)
{
    rblShapeId id;
    rblLevelSetDef def = rbl_default_level_set_def();
    def.mesh = mesh;
    RBL_TRY(rbl_shape_create_level_set(&def, &id));
    return add_shape(scene, id, (rblTrialShape){.kind = RBL_TRIAL_MESH}, mesh, out);
}

rblResult rbl_world_scene_ground(rblWorldScene* scene, rblMeshId mesh, uint32_t* out)
{
    rblShapeId id;
    RBL_TRY(rbl_shape_create_triangles(mesh, &id));
    return add_shape(scene, id, (rblTrialShape){.kind = RBL_TRIAL_GROUND}, mesh, out);
}

rblResult rbl_world_scene_parts(rblWorldScene* scene, rblMeshId mesh, uint32_t most, uint32_t* out)
{
    rblShapeId id;
    rblDecomposeOptions options = rbl_default_decompose_options();
    options.max_parts = most;
    RBL_TRY(rbl_shape_create_parts(mesh, &options, &id, NULL));
    return add_shape(scene, id, (rblTrialShape){.kind = RBL_TRIAL_MESH}, mesh, out);
}

rblResult rbl_world_scene_copy(rblWorldScene* scene, const rblShapeView* view, uint32_t* out)
{
    const rblVec3 upper = view->bounds.upper;
    rblTrialShape shape = {.kind = RBL_TRIAL_MESH};
    const rblVec3 size = rbl_aabb_size(view->bounds);
    const double box = (double)size.x * (double)size.y * (double)size.z;
    if (!view->bounded)
    {
        shape.kind = RBL_TRIAL_PLANE;
    }
    else if (view->rolling == RBL_ROLLS_AS_BALL)
    {
        shape = (rblTrialShape){.kind = RBL_TRIAL_BALL, .size = {upper.x}};
    }
    else if (view->convex && view->mass.volume > (1.0 - 1e-6) * box)
    {
        shape =
            (rblTrialShape){.kind = RBL_TRIAL_BOX, .size = {2.0f * upper.x, 2.0f * upper.y, 2.0f * upper.z}};
    }
    return add_described(scene, (rblShapeId){0, 0}, view, shape, no_mesh, out);
}

rblTrialBody rbl_world_body(uint32_t shape, float x, float y, float z)
{
    return (rblTrialBody){.shape = shape,
                          .moves = 1,
                          .position = {x, y, z},
                          .rotation = {0.0f, 0.0f, 0.0f, 1.0f},
                          .density = 1000.0f,
                          .friction = 0.5f};
}

rblResult rbl_world_scene_join(rblWorldScene* scene, const rblTrialJoint* joint)
{
    rblTrial* trial = &scene->trial;
    RBL_TRY(grow((void**)&trial->joints, trial->setup.joint_count, 1, sizeof *trial->joints));
    trial->joints[trial->setup.joint_count++] = *joint;
    return RBL_OK;
}

rblResult rbl_world_scene_add(rblWorldScene* scene, const rblTrialBody* body)
{
    rblTrial* trial = &scene->trial;
    RBL_TRY(grow((void**)&trial->bodies, trial->setup.body_count, 1, sizeof *trial->bodies));
    trial->bodies[trial->setup.body_count++] = *body;
    return RBL_OK;
}
