// Transforms the meshes of all items into one tree of triangles in the unit ball.
#include "scene/picture/picture_scene.h"

#include "base/error.h"
#include "base/timer.h"
#include "math/aabb.h"
#include "math/mat3.h"
#include "math/quat.h"
#include "mesh/normals.h"
#include <stdio.h>

// ---- normals in 32 bits ----

static float sign_of(float x)
{
    return x < 0.0f ? -1.0f : 1.0f;
}

static uint32_t to_snorm16(float x)
{
    return (uint32_t)(int32_t)floorf(rbl_clampf(x, -1.0f, 1.0f) * 32767.0f + 0.5f) & 0xFFFFu;
}

uint32_t rbl_pack_normal(rblVec3 n)
{
    const float sum = fabsf(n.x) + fabsf(n.y) + fabsf(n.z);
    if (!(sum > 0.0f))
    {
        return 0x80008000u; // the code of no normal: -32768 is out of the range of components
    }
    float u = n.x / sum;
    float v = n.y / sum;
    if (n.z < 0.0f)
    {
        const float folded = (1.0f - fabsf(v)) * sign_of(u);
        v = (1.0f - fabsf(u)) * sign_of(v);
        u = folded;
    }
    return to_snorm16(u) | to_snorm16(v) << 16;
}

static float from_snorm16(uint32_t bits)
{
    return (float)((int32_t)(bits ^ 0x8000u) - 0x8000) * (1.0f / 32767.0f);
}

rblVec3 rbl_unpack_normal(uint32_t packed)
{
    if (packed == 0x80008000u)
    {
        return (rblVec3){0, 0, 0};
    }
    float u = from_snorm16(packed & 0xFFFFu);
    float v = from_snorm16(packed >> 16);
    const float z = 1.0f - fabsf(u) - fabsf(v);
    if (z < 0.0f)
    {
        const float folded = (1.0f - fabsf(v)) * sign_of(u);
        v = (1.0f - fabsf(u)) * sign_of(v);
        u = folded;
    }
    return rbl_normalize3((rblVec3){u, v, z}, (rblVec3){0, 1, 0});
}

// ---- items ----

typedef struct Item
{
    const rblPictureItem* item;
    rblMesh* mesh;
    const rblMeshView* view;
    rblIndexArray corners; // three per triangle
    rblIndexArray faces;   // per triangle
    uint32_t* labels;      // by face: its part within this item
    uint8_t* closed;       // by face; null without a cut
    uint8_t* crack;        // by material; null when none is a crack material
    float* made_normals;   // smooth normals when the mesh has none
    const float* normals;  // per corner, three floats
    const float* colors;   // per corner, four floats; null when the mesh has none
    rblMat3d rotation;
    rblVec3d translation;
    uint32_t first_part;
    uint32_t first_triangle;
} Item;

typedef struct Gatherer
{
    rblPictureScene* scene;
    const rblPictureDef* def;
    const rblAllocator* allocator;
    Item* items;
    uint32_t item_count;
    rblVec3* positions; // three per triangle
} Gatherer;

static void free_item(Item* item, const rblAllocator* allocator)
{
    if (item->mesh == NULL)
    {
        return;
    }
    rbl_array_free(&item->corners);
    rbl_array_free(&item->faces);
    RBL_FREE_ARRAY(allocator, item->labels, item->view->face_count);
    RBL_FREE_ARRAY(allocator, item->closed, item->view->face_count);
    RBL_FREE_ARRAY(allocator, item->crack, item->view->material_count);
    RBL_FREE_ARRAY(allocator, item->made_normals, 3 * (size_t)item->view->corner_count);
    rbl_mesh_release(item->mesh);
}

static const float* find_layer(const rblMeshView* view, rblLayerKind kind)
{
    for (uint32_t i = 0; i < view->layer_count; ++i)
    {
        if (view->layers[i].kind == kind)
        {
            return view->layers[i].data;
        }
    }
    return NULL;
}

static rblResult find_normals(Item* item, const rblAllocator* allocator)
{
    item->normals = find_layer(item->view, RBL_LAYER_NORMAL);
    if (item->normals != NULL)
    {
        return RBL_OK;
    }
    item->made_normals = RBL_NEW_ARRAY(allocator, float, 3 * (size_t)item->view->corner_count);
    if (item->made_normals == NULL)
    {
        return rbl_fail_memory();
    }
    item->normals = item->made_normals;
    return rbl_corner_normals(item->view, RBL_DEFAULT_CREASE_ANGLE, allocator, item->made_normals);
}

static rblResult find_crack_materials(Item* item, const rblAllocator* allocator)
{
    const rblMeshView* view = item->view;
    bool any = false;
    for (uint32_t m = 0; m < view->material_count; ++m)
    {
        any = any || rbl_is_crack_material(view->material_names[m]);
    }
    if (!any)
    {
        return RBL_OK;
    }
    item->crack = RBL_NEW_ARRAY(allocator, uint8_t, view->material_count);
    if (item->crack == NULL)
    {
        return rbl_fail_memory();
    }
    for (uint32_t m = 0; m < view->material_count; ++m)
    {
        item->crack[m] = rbl_is_crack_material(view->material_names[m]);
    }
    return RBL_OK;
}

static rblResult open_item(Item* item, const rblPictureItem* source, bool cut, const rblAllocator* allocator,
                           uint32_t* part_count)
{
    RBL_TRY(rbl_mesh_acquire(source->mesh, &item->mesh));
    item->item = source;
    item->view = rbl_mesh_get_view(item->mesh);
    const uint32_t face_count = item->view->face_count;
    rbl_array_init(&item->corners, allocator);
    rbl_array_init(&item->faces, allocator);
    item->colors = find_layer(item->view, RBL_LAYER_COLOR);
    item->rotation = rbl_quatd_to_mat3d(rbl_to_double_quat(source->pose.q));
    item->translation = rbl_to_double3(source->pose.p);
    item->labels = RBL_NEW_ARRAY(allocator, uint32_t, face_count);
    item->closed = cut ? RBL_NEW_ARRAY(allocator, uint8_t, face_count) : NULL;
    if (item->labels == NULL || (cut && item->closed == NULL))
    {
        return rbl_fail_memory();
    }
    RBL_TRY(rbl_triangulate_corners(item->view, &item->corners, &item->faces));
    RBL_TRY(rbl_picture_face_parts(item->view, source->parts, allocator, item->labels, part_count));
    RBL_TRY(cut ? rbl_picture_closed_faces(item->view, allocator, item->closed) : RBL_OK);
    RBL_TRY(find_crack_materials(item, allocator));
    return find_normals(item, allocator);
}

static rblVec3d placed(const Item* item, uint32_t corner)
{
    const rblVec3d p = item->view->positions[item->view->corner_vertices[corner]];
    return rbl_add3d(rbl_mat3d_apply(&item->rotation, p), item->translation);
}

// ---- passes over all items ----

static rblResult fail_item(rblResult result, uint32_t index)
{
    char prefix[40];
    snprintf(prefix, sizeof prefix, "picture: item %u", index);
    return rbl_fail_within(result, prefix);
}

static rblResult open_items(Gatherer* g)
{
    uint64_t triangles = 0, parts = 0;
    for (uint32_t i = 0; i < g->item_count; ++i)
    {
        Item* item = &g->items[i];
        uint32_t part_count = 0;
        const rblResult result =
            open_item(item, &g->def->items[i], g->def->has_cut != 0, g->allocator, &part_count);
        if (result != RBL_OK)
        {
            return fail_item(result, i);
        }
        item->first_part = (uint32_t)parts;
        item->first_triangle = (uint32_t)triangles;
        triangles += item->faces.count;
        parts += part_count;
        if (triangles > RBL_MAX_LEAVES || parts > RBL_MAX_LEAVES)
        {
            return rbl_fail(RBL_ERROR_LIMIT, "picture: more than %u triangles", RBL_MAX_LEAVES);
        }
    }
    g->scene->triangle_count = (uint32_t)triangles;
    g->scene->part_count = (uint32_t)parts;
    return RBL_OK;
}

static rblResult allocate_scene(Gatherer* g)
{
    rblPictureScene* scene = g->scene;
    bool colored = false;
    for (uint32_t i = 0; i < g->item_count; ++i)
    {
        colored = colored || g->items[i].colors != NULL;
    }
    const size_t corners = 3 * (size_t)scene->triangle_count;
    scene->faces = RBL_NEW_ARRAY(g->allocator, rblPictureFace, scene->triangle_count);
    scene->parts = RBL_NEW_ARRAY(g->allocator, rblPicturePart, scene->part_count);
    scene->colors = colored ? RBL_NEW_ARRAY(g->allocator, uint32_t, corners) : NULL;
    g->positions = RBL_NEW_ARRAY(g->allocator, rblVec3, corners);
    const bool ok = scene->faces != NULL && scene->parts != NULL && g->positions != NULL &&
                    (!colored || scene->colors != NULL);
    return ok ? RBL_OK : rbl_fail_memory();
}

static void begin_parts(Gatherer* g)
{
    for (uint32_t i = 0; i < g->item_count; ++i)
    {
        const Item* item = &g->items[i];
        const uint32_t end = i + 1 < g->item_count ? g->items[i + 1].first_part : g->scene->part_count;
        const bool split = item->item->parts != RBL_PARTS_WHOLE && end - item->first_part > 1;
        for (uint32_t p = item->first_part; p < end; ++p)
        {
            g->scene->parts[p] = (rblPicturePart){
                .skin = split ? rbl_picture_color(p - item->first_part) : item->item->color,
                .crack = item->item->crack_color,
                .bounds = rbl_aabbd_empty(),
            };
        }
    }
}

// The area-weighted centroid of the surface of a part. For a convex part it is inside.
static void measure_triangle(rblPicturePart* part, rblVec3d a, rblVec3d b, rblVec3d c)
{
    const double area = rbl_length3d(rbl_cross3d(rbl_sub3d(b, a), rbl_sub3d(c, a)));
    const rblVec3d sum = rbl_add3d(a, rbl_add3d(b, c));
    part->area += area;
    part->centroid = rbl_mul_add3d(part->centroid, area / 3.0, sum);
    part->bounds = rbl_aabbd_add(rbl_aabbd_add(rbl_aabbd_add(part->bounds, a), b), c);
}

static rblResult measure_item(const Gatherer* g, const Item* item)
{
    for (size_t t = 0; t < item->faces.count; ++t)
    {
        const uint32_t* corners = &item->corners.data[3 * t];
        const rblVec3d a = placed(item, corners[0]);
        const rblVec3d b = placed(item, corners[1]);
        const rblVec3d c = placed(item, corners[2]);
        if (!rbl_finite3d(a) || !rbl_finite3d(b) || !rbl_finite3d(c))
        {
            return rbl_fail(RBL_ERROR_GEOMETRY,
                            "face %u has a corner that is not finite; repair the mesh first",
                            item->faces.data[t]);
        }
        measure_triangle(&g->scene->parts[item->first_part + item->labels[item->faces.data[t]]], a, b, c);
    }
    return RBL_OK;
}

static rblResult measure_parts(Gatherer* g)
{
    begin_parts(g);
    for (uint32_t i = 0; i < g->item_count; ++i)
    {
        const rblResult result = measure_item(g, &g->items[i]);
        if (result != RBL_OK)
        {
            return fail_item(result, i);
        }
    }
    for (uint32_t p = 0; p < g->scene->part_count; ++p)
    {
        rblPicturePart* part = &g->scene->parts[p];
        part->centroid =
            part->area > 0.0 ? rbl_scale3d(part->centroid, 1.0 / part->area) : rbl_aabbd_center(part->bounds);
    }
    return RBL_OK;
}

// Every part moves by F (c - m), with c its centroid and m the middle of everything. Two convex parts that do not overlap have
// a separating plane with each centroid on its own side. For its normal n, n . (c1 - c2) > 0. So the parts move apart along n:
// convex tilings separate for every F > 0.
static void move_parts_apart(Gatherer* g)
{
    rblAabbd all = rbl_aabbd_empty();
    for (uint32_t p = 0; p < g->scene->part_count; ++p)
    {
        all = rbl_aabbd_union(all, g->scene->parts[p].bounds);
    }
    const rblVec3d middle = rbl_aabbd_center(all);
    for (uint32_t p = 0; p < g->scene->part_count; ++p)
    {
        rblPicturePart* part = &g->scene->parts[p];
        part->offset = rbl_scale3d(rbl_sub3d(part->centroid, middle), g->def->explode);
    }
}

static rblResult choose_scale(Gatherer* g)
{
    rblPictureScene* scene = g->scene;
    rblAabbd all = rbl_aabbd_empty();
    for (uint32_t p = 0; p < scene->part_count; ++p)
    {
        const rblPicturePart* part = &scene->parts[p];
        all = rbl_aabbd_union(all, (rblAabbd){rbl_add3d(part->bounds.lower, part->offset),
                                              rbl_add3d(part->bounds.upper, part->offset)});
    }
    const double diagonal = rbl_length3d(rbl_aabbd_size(all));
    if (!rbl_finite(diagonal))
    {
        return rbl_fail(RBL_ERROR_LIMIT, "picture: the scene is too large to be measured");
    }
    scene->center = rbl_aabbd_center(all);
    scene->scale = diagonal > 1e-290 ? 2.0 / diagonal : 1.0;
    scene->bounds = (rblAabb){rbl_to_float3(rbl_to_picture(scene, all.lower)),
                              rbl_to_float3(rbl_to_picture(scene, all.upper))};
    const double lowest = (double)scene->bounds.lower.y;
    scene->ground = (float)(g->def->has_floor ? (g->def->floor - scene->center.y) * scene->scale : lowest) -
                    RBL_PICTURE_GAP;
    return RBL_OK;
}

static void place_cut(rblPictureScene* scene, const rblPictureDef* def)
{
    scene->has_cut = def->has_cut != 0;
    if (scene->has_cut)
    {
        const rblVec3d normal = rbl_normalize3d(def->cut_normal, rbl_vec3d(0, 1, 0));
        scene->cut_normal = rbl_to_float3(normal);
        scene->cut_offset = (float)rbl_dot3d(normal, rbl_to_picture(scene, def->cut_point));
    }
}

// ---- triangles ----

static uint32_t pack_color(const float* rgba)
{
    uint32_t packed = 0;
    for (uint32_t i = 0; i < 4; ++i)
    {
        packed |= (uint32_t)(rbl_clampf(rgba[i], 0.0f, 1.0f) * 255.0f + 0.5f) << (8 * i);
    }
    return packed;
}

static uint32_t surface_of(const Item* item, uint32_t face)
{
    uint32_t surface = (item->first_part + item->labels[face]) << 2;
    const uint32_t material = item->view->face_materials[face];
    if (item->crack != NULL && material < item->view->material_count && item->crack[material])
    {
        surface |= RBL_FACE_CRACK;
    }
    return item->closed != NULL && item->closed[face] ? surface | RBL_FACE_CLOSED : surface;
}

static void write_triangle(const Gatherer* g, const Item* item, uint32_t t)
{
    rblPictureScene* scene = g->scene;
    const uint32_t face = item->faces.data[t];
    const size_t out = (size_t)item->first_triangle + t;
    const rblVec3d offset = scene->parts[item->first_part + item->labels[face]].offset;
    scene->faces[out].surface = surface_of(item, face);
    for (uint32_t i = 0; i < 3; ++i)
    {
        const uint32_t corner = item->corners.data[3 * (size_t)t + i];
        const float* n = &item->normals[3 * (size_t)corner];
        const rblVec3d normal =
            rbl_mat3d_apply(&item->rotation, rbl_vec3d((double)n[0], (double)n[1], (double)n[2]));
        scene->faces[out].normals[i] = rbl_pack_normal(rbl_to_float3(normal));
        g->positions[3 * out + i] =
            rbl_to_float3(rbl_to_picture(scene, rbl_add3d(placed(item, corner), offset)));
        if (scene->colors != NULL)
        {
            scene->colors[3 * out + i] =
                item->colors != NULL ? pack_color(&item->colors[4 * (size_t)corner]) : 0;
        }
    }
}

typedef struct WriteContext
{
    const Gatherer* gatherer;
    const Item* item;
} WriteContext;

static void write_range(rblRange range, void* context)
{
    const WriteContext* write = context;
    for (uint32_t t = range.begin; t < range.end; ++t)
    {
        write_triangle(write->gatherer, write->item, t);
    }
}

static void write_triangles(const Gatherer* g, rblJobs* jobs)
{
    for (uint32_t i = 0; i < g->item_count; ++i)
    {
        WriteContext context = {g, &g->items[i]};
        rbl_parallel_for(jobs, (uint32_t)g->items[i].faces.count, 4096, write_range, &context);
    }
}

// The tree is built once and queried some ten million times, so a top-down build is worth its time.
static rblResult build_tree(Gatherer* g, rblJobs* jobs)
{
    rblPictureScene* scene = g->scene;
    const double start = rbl_timer_seconds();
    const rblTriangleSpan span = {
        .positions = g->positions,
        .stride = sizeof(rblVec3),
        .vertex_count = 3 * scene->triangle_count,
        .triangle_count = scene->triangle_count,
    };
    RBL_TRY(rbl_forest_build(&scene->forest, &span, 1, RBL_BVH_BALANCED, jobs));
    scene->tree = rbl_forest_tree(&scene->forest, 0);
    RBL_TRY(rbl_ray_tree_build(&scene->rays, &scene->tree, jobs));
    scene->build_seconds = rbl_timer_seconds() - start;
    return RBL_OK;
}

static rblResult gather(Gatherer* g, rblJobs* jobs)
{
    RBL_TRY(open_items(g));
    RBL_TRY(allocate_scene(g));
    RBL_TRY(measure_parts(g));
    move_parts_apart(g);
    RBL_TRY(choose_scale(g));
    place_cut(g->scene, g->def);
    write_triangles(g, jobs);
    return RBL_OK;
}

rblResult rbl_picture_scene_init(rblPictureScene* scene, const rblPictureDef* def,
                                 const rblAllocator* allocator, rblJobs* jobs)
{
    const double start = rbl_timer_seconds();
    *scene = (rblPictureScene){.allocator = allocator};
    rbl_forest_init(&scene->forest, allocator);
    rbl_ray_tree_init(&scene->rays, allocator);
    Gatherer g = {.scene = scene, .def = def, .allocator = allocator, .item_count = def->item_count};
    g.items = rbl_alloc_zero(allocator, def->item_count * sizeof(Item));
    rblResult result = g.items != NULL ? gather(&g, jobs) : rbl_fail_memory();
    for (uint32_t i = 0; g.items != NULL && i < g.item_count; ++i)
    {
        free_item(&g.items[i], allocator);
    }
    RBL_FREE_ARRAY(allocator, g.items, g.item_count);
    scene->prepare_seconds = rbl_timer_seconds() - start;
    if (result == RBL_OK)
    {
        result = build_tree(&g, jobs);
    }
    RBL_FREE_ARRAY(allocator, g.positions, 3 * (size_t)scene->triangle_count);
    if (result != RBL_OK)
    {
        rbl_picture_scene_free(scene);
    }
    return result;
}

void rbl_picture_scene_free(rblPictureScene* scene)
{
    const rblAllocator* allocator = scene->allocator;
    RBL_FREE_ARRAY(allocator, scene->faces, scene->triangle_count);
    RBL_FREE_ARRAY(allocator, scene->parts, scene->part_count);
    RBL_FREE_ARRAY(allocator, scene->colors, 3 * (size_t)scene->triangle_count);
    rbl_ray_tree_free(&scene->rays);
    rbl_forest_free(&scene->forest);
    *scene = (rblPictureScene){.allocator = allocator};
}
