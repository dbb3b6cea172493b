#include "base/error.h"
#include "mesh/mesh.h"
#include <stdio.h>

// Materials and groups in one form: names, one number per face, and the builder call that adds a name.
typedef struct NameList
{
    const char* const* names;
    uint32_t count;
    const uint32_t* numbers; // per face
    const char* what;        // word for generated names
    uint32_t (*intern)(rblMeshBuilder* builder, const char* name);
} NameList;

static NameList material_list(const rblMeshView* view)
{
    return (NameList){view->material_names, view->material_count, view->face_materials, "material",
                      rbl_mesh_builder_material};
}

static NameList group_list(const rblMeshView* view)
{
    return (NameList){view->group_names, view->group_count, view->face_groups, "group",
                      rbl_mesh_builder_group};
}

// One input, and the numbers of its layers and names in the joined mesh.
typedef struct Input
{
    const rblMeshView* view;
    const uint32_t* layers;    // per layer: its index in the builder
    const uint32_t* materials; // per name: its number in the builder; unused when the input has none
    const uint32_t* groups;
    uint32_t first_vertex;
    uint32_t first_face;
} Input;

// The index in the builder of each layer: the n-th layer of a kind becomes the n-th layer of that kind in the
// builder.
static void match_layers(const rblMeshView* view, rblMeshBuilder* builder, uint32_t* map)
{
    for (uint32_t i = 0; i < view->layer_count; ++i)
    {
        const rblLayerKind kind = view->layers[i].kind;
        uint32_t before = 0;
        for (uint32_t k = 0; k < i; ++k)
        {
            before += view->layers[k].kind == kind;
        }
        uint32_t target = 0;
        for (; target < builder->layers.count; ++target)
        {
            if (builder->layers.data[target].kind == kind && before-- == 0)
            {
                break;
            }
        }
        map[i] = target < builder->layers.count ? target : rbl_mesh_builder_layer(builder, kind);
    }
}

static void match_names(const NameList* list, rblMeshBuilder* builder, uint32_t* map)
{
    for (uint32_t i = 0; i < list->count; ++i)
    {
        map[i] = list->intern(builder, list->names[i]);
    }
}

// Numbers without names keep their value when no input has names; otherwise they get generated names such as
// "material 3".
static uint32_t joined_number(const NameList* list, const uint32_t* map, bool any_names,
                              rblMeshBuilder* builder, uint32_t face)
{
    const uint32_t number = list->numbers[face];
    if (list->count > 0)
    {
        return map[number];
    }
    if (!any_names)
    {
        return number;
    }
    char name[32];
    snprintf(name, sizeof name, "%s %u", list->what, number);
    return list->intern(builder, name);
}

static void add_face(const Input* input, uint32_t face, bool any_materials, bool any_groups,
                     rblMeshBuilder* builder)
{
    const rblMeshView* view = input->view;
    for (uint32_t c = view->face_starts[face]; c < view->face_starts[face + 1]; ++c)
    {
        const uint32_t added =
            rbl_mesh_builder_corner(builder, input->first_vertex + view->corner_vertices[c]);
        for (uint32_t i = 0; i < view->layer_count; ++i)
        {
            const rblLayer* layer = &view->layers[i];
            rbl_mesh_builder_set(builder, input->layers[i], added,
                                 layer->data + (size_t)c * layer->components);
        }
    }
    const NameList materials = material_list(view);
    const NameList groups = group_list(view);
    const uint32_t material = joined_number(&materials, input->materials, any_materials, builder, face);
    const uint32_t group = joined_number(&groups, input->groups, any_groups, builder, face);
    rbl_mesh_builder_face(builder, material, group, input->first_face + face);
}

typedef struct Totals
{
    uint64_t vertices, faces, corners;
    size_t max_entries; // largest number of layers and names of one input
    bool any_materials, any_groups;
} Totals;

static Totals sum_up(const rblMeshView* const* views, uint32_t count)
{
    Totals totals = {0};
    for (uint32_t i = 0; i < count; ++i)
    {
        const rblMeshView* view = views[i];
        totals.vertices += view->vertex_count;
        totals.faces += view->face_count;
        totals.corners += view->corner_count;
        totals.any_materials = totals.any_materials || view->material_count > 0;
        totals.any_groups = totals.any_groups || view->group_count > 0;
        const size_t entries = (size_t)view->layer_count + view->material_count + view->group_count;
        totals.max_entries = entries > totals.max_entries ? entries : totals.max_entries;
    }
    return totals;
}

static void add_inputs(const rblMeshView* const* views, uint32_t count, const Totals* totals, uint32_t* map,
                       rblMeshBuilder* builder)
{
    Input input = {0};
    for (uint32_t i = 0; i < count && !builder->failed; ++i)
    {
        const rblMeshView* view = input.view = views[i];
        // No layers and no names: there is no map.
        uint32_t* materials = map != NULL ? map + view->layer_count : NULL;
        uint32_t* groups = map != NULL ? materials + view->material_count : NULL;
        const NameList material_names = material_list(view);
        const NameList group_names = group_list(view);
        match_layers(view, builder, map);
        match_names(&material_names, builder, materials);
        match_names(&group_names, builder, groups);
        input.layers = map;
        input.materials = materials;
        input.groups = groups;
        for (uint32_t v = 0; v < view->vertex_count; ++v)
        {
            rbl_mesh_builder_vertex(builder, view->positions[v]);
        }
        for (uint32_t f = 0; f < view->face_count; ++f)
        {
            add_face(&input, f, totals->any_materials, totals->any_groups, builder);
        }
        input.first_vertex += view->vertex_count;
        input.first_face += view->face_count;
    }
}

static rblResult make_joined(const rblMeshView* const* views, uint32_t count, const rblAllocator* allocator,
                             rblMesh** out)
{
    const Totals totals = sum_up(views, count);
    if (totals.corners > RBL_MAX_ELEMENTS || totals.vertices > RBL_MAX_ELEMENTS)
    {
        return rbl_fail(RBL_ERROR_LIMIT,
                        "mesh: too many corners or vertices in total, each must be at most %u",
                        RBL_MAX_ELEMENTS);
    }
    uint32_t* map = RBL_NEW_ARRAY(allocator, uint32_t, totals.max_entries);
    if (map == NULL && totals.max_entries > 0)
    {
        return rbl_fail_memory();
    }
    rblMeshBuilder builder;
    rbl_mesh_builder_init(&builder, allocator);
    rbl_mesh_builder_reserve(&builder, (size_t)totals.vertices, (size_t)totals.faces, (size_t)totals.corners);
    add_inputs(views, count, &totals, map, &builder);
    RBL_FREE_ARRAY(allocator, map, totals.max_entries);
    return rbl_mesh_builder_finish(&builder, out);
}

// Acquire all meshes, or none.
static rblResult acquire_all(const rblMeshId* ids, uint32_t count, rblMesh** meshes,
                             const rblMeshView** views)
{
    for (uint32_t i = 0; i < count; ++i)
    {
        const rblResult result = rbl_mesh_acquire(ids[i], &meshes[i]);
        if (result != RBL_OK)
        {
            while (i > 0)
            {
                rbl_mesh_release(meshes[--i]);
            }
            return rbl_fail_within(result, "join");
        }
        views[i] = rbl_mesh_get_view(meshes[i]);
    }
    return RBL_OK;
}

rblResult rbl_mesh_join(const rblMeshId* ids, uint32_t count, rblMeshId* out)
{
    if (ids == NULL || count == 0 || out == NULL)
    {
        return rbl_fail(RBL_ERROR_ARGUMENT, "mesh: meshes and out must not be null, and count must not be 0");
    }
    const rblAllocator* allocator = rbl_default_allocator();
    rblMesh** meshes = RBL_NEW_ARRAY(allocator, rblMesh*, count);
    const rblMeshView** views = RBL_NEW_ARRAY(allocator, const rblMeshView*, count);
    rblResult result = meshes != NULL && views != NULL ? RBL_OK : rbl_fail_memory();
    if (result == RBL_OK)
    {
        result = acquire_all(ids, count, meshes, views);
    }
    rblMesh* joined = NULL;
    if (result == RBL_OK)
    {
        result = make_joined(views, count, allocator, &joined);
        for (uint32_t i = 0; i < count; ++i)
        {
            rbl_mesh_release(meshes[i]);
        }
    }
    RBL_FREE_ARRAY(allocator, meshes, count);
    RBL_FREE_ARRAY(allocator, views, count);
    RBL_TRY(result);
    return rbl_mesh_register(joined, out);
}
