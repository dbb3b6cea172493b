// Creates the shapes of a scene: reads files, makes procedural solids, turns meshes into hulls or level sets.
#include "base/log.h"
#include "field/shape_keys.h"
#include "io/file.h"
#include "io/json/json_values.h"
#include "math/aabb.h"
#include "math/mat3.h"
#include "math/vec.h"
#include "mesh/mesh.h"
#include "rubble/decompose.h"
#include "rubble/inspect.h"
#include "rubble/io.h"
#include "rubble/repair.h"
#include "scene/read/scene.h"
#include <stdio.h>
#include <string.h>

// Share of the volume of the hull: a mesh whose volume differs by less is treated as convex, because hulls collide exactly and
// fast.
#define CONVEX_SHARE 1e-3

// ---- files ----

const char* rbl_scene_path(rblScene* scene, const char* file)
{
    const char* slash = strrchr(scene->name, '/');
    const size_t folder = file[0] == '/' || slash == NULL ? 0 : (size_t)(slash - scene->name) + 1;
    const size_t size = folder + strlen(file) + 1;
    char* path = rbl_arena_alloc(&scene->arena, size);
    if (path != NULL)
    {
        memcpy(path, scene->name, folder);
        memcpy(path + folder, file, size - folder);
    }
    return path;
}

// Scale a mesh to a height, m.
static rblResult scale_to_height(rblMeshId* mesh, float height)
{
    rblMeshView view;
    rblMeshId scaled;
    RBL_TRY(rbl_mesh_view(*mesh, &view));
    const rblAabbd bounds = rbl_mesh_bounds(&view);
    const double extent = bounds.upper.y - bounds.lower.y;
    if (!(extent > 0.0))
    {
        return rbl_fail(RBL_ERROR_GEOMETRY, "the mesh has no extent in y and cannot be scaled to a height");
    }
    const double scale = (double)height / extent;
    const rblMat3d linear = rbl_mat3d_diagonal(scale, scale, scale);
    RBL_TRY(rbl_mesh_transform(*mesh, &linear, rbl_vec3d(0, 0, 0), &scaled));
    rbl_mesh_destroy(*mesh);
    *mesh = scaled;
    return RBL_OK;
}

// Repair a mesh that is not closed, or fail with the reason. Files often separate surfaces along seams.
static rblResult repair(rblMeshId* mesh, const char* name)
{
    rblInspectOptions options = rbl_default_inspect_options();
    rblMeshReport found;
    options.self_intersections = false;
    RBL_TRY(rbl_mesh_inspect(*mesh, &options, &found));
    if (found.closed && found.manifold && found.oriented && found.outward)
    {
        return RBL_OK;
    }
    rblMeshId mended;
    rblRepairReport report;
    RBL_TRY(rbl_mesh_repair(*mesh, NULL, &mended, &report));
    rbl_mesh_destroy(*mesh);
    *mesh = mended;
    if (!report.solid)
    {
        return rbl_fail(RBL_ERROR_GEOMETRY, "%s is not a solid and could not be repaired: %s",
                        rbl_short_name(name), report.reason);
    }
    rbl_log_message(RBL_LOG_INFO, "%s: the surface was repaired", rbl_short_name(name));
    return RBL_OK;
}

static rblResult load_mesh(rblScene* scene, const rblShapeDef* def, rblMeshId* out)
{
    const char* path = rbl_scene_path(scene, def->file);
    if (path == NULL)
    {
        return rbl_fail_memory();
    }
    rblMeshId mesh;
    RBL_TRY(rbl_mesh_load(path, NULL, &mesh));
    rblResult result = repair(&mesh, path);
    if (result == RBL_OK && def->height > 0.0f)
    {
        result = scale_to_height(&mesh, def->height);
    }
    if (result != RBL_OK)
    {
        rbl_mesh_destroy(mesh);
        return result;
    }
    *out = mesh;
    return RBL_OK;
}

// ---- meshes to shapes ----

// The hull of a mesh when the mesh is convex; a null id otherwise.
static rblResult make_convex(rblScene* scene, const rblMeshView* view, double volume, rblShapeId* out)
{
    *out = (rblShapeId){0};
    if (view->vertex_count > RBL_HULL_MAX_VERTICES)
    {
        return RBL_OK;
    }
    rblVec3* points = RBL_NEW_ARRAY(scene->allocator, rblVec3, view->vertex_count);
    if (points == NULL)
    {
        return rbl_fail_memory();
    }
    for (uint32_t i = 0; i < view->vertex_count; ++i)
    {
        points[i] = rbl_to_float3(view->positions[i]);
    }
    rblShapeId hull;
    rblShapeView made;
    rblResult result = rbl_shape_create_hull(points, view->vertex_count, &hull);
    RBL_FREE_ARRAY(scene->allocator, points, view->vertex_count);
    if (result != RBL_OK)
    {
        return result == RBL_ERROR_MEMORY ? result : RBL_OK; // too thin for a hull: a level set may work
    }
    result = rbl_shape_view(hull, &made);
    if (result == RBL_OK && made.mass.volume * (1.0 - CONVEX_SHARE) <= volume)
    {
        *out = hull;
        return RBL_OK;
    }
    rbl_shape_destroy(hull);
    return result;
}

static rblResult shape_of_parts(rblShapeDef* def)
{
    rblDecomposeOptions options = rbl_default_decompose_options();
    options.max_parts = def->parts;
    options.tolerance = def->part_tolerance > 0.0f ? (double)def->part_tolerance : options.tolerance;
    return rbl_shape_create_parts(def->surface, &options, &def->shape, NULL);
}

static rblResult shape_of_mesh(rblScene* scene, rblShapeDef* def)
{
    rblMeshView view;
    rblMassProperties mass;
    RBL_TRY(rbl_mesh_view(def->surface, &view));
    RBL_TRY(rbl_mesh_mass_properties(def->surface, 1.0, &mass));
    RBL_TRY(make_convex(scene, &view, mass.volume, &def->shape));
    if (def->shape.index1 != 0)
    {
        return RBL_OK;
    }
    if (def->parts > 0)
    {
        return shape_of_parts(def);
    }
    rblLevelSetDef level_set = rbl_default_level_set_def();
    level_set.mesh = def->surface;
    level_set.error = def->error;
    level_set.max_cells = def->cells > 0 ? def->cells : level_set.max_cells;
    return rbl_shape_create_level_set(&level_set, &def->shape);
}

static rblResult make_shape(rblScene* scene, rblShapeDef* def)
{
    if (def->file != NULL)
    {
        if (def->surface.index1 == 0)
        {
            RBL_TRY(load_mesh(scene, def, &def->surface));
        }
        return shape_of_mesh(scene, def);
    }
    if (def->solid != NULL)
    {
        RBL_TRY(rbl_mesh_make(def->solid->name, def->values, def->value_count, &def->surface));
        return shape_of_mesh(scene, def);
    }
    return def->kind->keys->create(def->def, &def->shape);
}

void rbl_discard_shapes(rblScene* scene)
{
    for (size_t i = 0; i < scene->shape_defs.count; ++i)
    {
        rblShapeDef* def = &scene->shape_defs.data[i];
        if (def->shape.index1 != 0)
        {
            rbl_shape_destroy(def->shape);
        }
        if (def->surface.index1 != 0)
        {
            rbl_mesh_destroy(def->surface);
        }
        def->shape = (rblShapeId){0};
        def->surface = (rblMeshId){0};
    }
    scene->prepared = false;
}

rblResult rbl_scene_make_shapes(rblScene* scene)
{
    if (scene->prepared)
    {
        return RBL_OK;
    }
    rblResult result = rbl_scene_prepare_breakers(scene);
    for (size_t i = 0; result == RBL_OK && i < scene->shape_defs.count; ++i)
    {
        rblShapeDef* def = &scene->shape_defs.data[i];
        result = make_shape(scene, def);
        if (result != RBL_OK)
        {
            const rblJson file = rbl_json_find(def->json, "file");
            result = rbl_fail_at(rbl_json_exists(file) ? file : def->json, result);
        }
    }
    scene->prepared = result == RBL_OK;
    if (result != RBL_OK)
    {
        rbl_discard_shapes(scene);
        rbl_discard_breakers(scene);
    }
    return result;
}

rblResult rbl_scene_adopt_surface(rblSceneId id, uint32_t shape, rblMeshId surface)
{
    rblScene* scene = NULL;
    RBL_TRY(rbl_scene_find(id, &scene));
    rblShapeDef* def = &scene->shape_defs.data[shape];
    scene->adopted = true;
    if (def->file == NULL)
    {
        return RBL_OK;
    }
    return surface.index1 != 0 ? rbl_mesh_share(surface, &def->surface)
                               : rbl_fail(RBL_ERROR_FORMAT, "shape %u: its mesh is missing", shape);
}
