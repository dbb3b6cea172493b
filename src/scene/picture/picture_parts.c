// Divides meshes into parts.
#include "base/error.h"
#include "base/hash_map.h"
#include "math/aabb.h"
#include "mesh/topology.h"
#include "scene/picture/picture_scene.h"
#include <string.h>

// ---- crack faces ----

static char lower_case(char c)
{
    return c >= 'A' && c <= 'Z' ? (char)(c - 'A' + 'a') : c;
}

static bool contains_word(const char* text, const char* word)
{
    for (; *text != '\0'; ++text)
    {
        size_t i = 0;
        while (word[i] != '\0' && lower_case(text[i]) == word[i])
        {
            ++i;
        }
        if (word[i] == '\0')
        {
            return true;
        }
    }
    return false;
}

bool rbl_is_crack_material(const char* name)
{
    return contains_word(name, RBL_CRACK_MATERIAL) || contains_word(name, "interior") ||
           contains_word(name, "inside");
}

// ---- groups ----

static rblResult label_groups(const rblMeshView* view, const rblAllocator* allocator, uint32_t* labels,
                              uint32_t* count)
{
    rblHashMap numbers;
    rbl_hash_map_init(&numbers, allocator);
    *count = 0;
    for (uint32_t f = 0; f < view->face_count; ++f)
    {
        bool added = false;
        const uint32_t* label = rbl_hash_map_get_or_add(&numbers, view->face_groups[f], *count, &added);
        if (label == NULL)
        {
            rbl_hash_map_free(&numbers);
            return rbl_fail_memory();
        }
        labels[f] = *label;
        *count += added;
    }
    rbl_hash_map_free(&numbers);
    return RBL_OK;
}

// ---- components ----

typedef struct Component
{
    rblVec3d origin; // a vertex of the component: volumes are relative to it
    double volume;   // signed, times six
    rblAabbd bounds;
    uint32_t owner; // itself, or the solid that contains this cavity
    uint32_t label; // number of its part
} Component;

static void measure_face(const rblMeshView* view, uint32_t face, Component* component)
{
    const uint32_t* corners = &view->corner_vertices[view->face_starts[face]];
    const uint32_t size = rbl_face_size(view, face);
    if (rbl_aabbd_is_empty(component->bounds))
    {
        component->origin = view->positions[corners[0]];
    }
    const rblVec3d a = rbl_sub3d(view->positions[corners[0]], component->origin);
    for (uint32_t i = 0; i < size; ++i)
    {
        component->bounds = rbl_aabbd_add(component->bounds, view->positions[corners[i]]);
    }
    for (uint32_t i = 1; i + 1 < size; ++i)
    {
        const rblVec3d b = rbl_sub3d(view->positions[corners[i]], component->origin);
        const rblVec3d c = rbl_sub3d(view->positions[corners[i + 1]], component->origin);
        component->volume += rbl_dot3d(a, rbl_cross3d(b, c));
    }
}

// A cavity, whose surface is inside out, belongs to the smallest solid whose box contains it.
static uint32_t find_owner(const Component* components, uint32_t count, uint32_t cavity)
{
    uint32_t owner = cavity;
    for (uint32_t i = 0; i < count; ++i)
    {
        const rblAabbd* outer = &components[i].bounds;
        const rblAabbd* inner = &components[cavity].bounds;
        if (components[i].volume > 0.0 && rbl_aabbd_contains_point(*outer, inner->lower) &&
            rbl_aabbd_contains_point(*outer, inner->upper) &&
            (owner == cavity || components[i].volume < components[owner].volume))
        {
            owner = i;
        }
    }
    return owner;
}

// With more components, cavities are not searched: the search is quadratic, and such a mesh is a triangle soup.
#define MAX_SOLIDS 4096

static void join_cavities(Component* components, uint32_t count, uint32_t* part_count)
{
    *part_count = 0;
    for (uint32_t i = 0; i < count; ++i)
    {
        const bool turned = components[i].volume < 0.0 && count <= MAX_SOLIDS;
        components[i].owner = turned ? find_owner(components, count, i) : i;
        components[i].label = components[i].owner == i ? (*part_count)++ : RBL_NONE;
    }
    for (uint32_t i = 0; i < count; ++i)
    {
        components[i].label =
            components[components[i].owner].label; // an owner has positive volume, so it is its own owner
    }
}

static rblResult merge_components(const rblMeshView* view, const rblAllocator* allocator, uint32_t* labels,
                                  uint32_t* count)
{
    const uint32_t component_count = *count;
    Component* components = RBL_NEW_ARRAY(allocator, Component, component_count);
    if (components == NULL)
    {
        return rbl_fail_memory();
    }
    for (uint32_t i = 0; i < component_count; ++i)
    {
        components[i] = (Component){.bounds = rbl_aabbd_empty()};
    }
    for (uint32_t f = 0; f < view->face_count; ++f)
    {
        measure_face(view, f, &components[labels[f]]);
    }
    join_cavities(components, component_count, count);
    for (uint32_t f = 0; f < view->face_count; ++f)
    {
        labels[f] = components[labels[f]].label;
    }
    RBL_FREE_ARRAY(allocator, components, component_count);
    return RBL_OK;
}

static rblResult label_components(const rblMeshView* view, const rblAllocator* allocator, uint32_t* labels,
                                  uint32_t* count)
{
    rblTopology topology;
    RBL_TRY(rbl_topology_init(&topology, view, allocator));
    rblResult result = rbl_face_components(&topology, labels, count);
    rbl_topology_free(&topology);
    return result == RBL_OK && *count > 1 ? merge_components(view, allocator, labels, count) : result;
}

rblResult rbl_picture_face_parts(const rblMeshView* view, rblPictureParts parts,
                                 const rblAllocator* allocator, uint32_t* labels, uint32_t* count)
{
    if (parts == RBL_PARTS_GROUPS)
    {
        return label_groups(view, allocator, labels, count);
    }
    if (parts == RBL_PARTS_COMPONENTS)
    {
        return label_components(view, allocator, labels, count);
    }
    memset(labels, 0, view->face_count * sizeof *labels);
    *count = 1;
    return RBL_OK;
}

// ---- closed ----

static void mark_closed(const rblTopology* topology, const uint32_t* labels, uint8_t* component_closed,
                        uint32_t component_count, uint8_t* closed)
{
    const rblMeshView* view = topology->view;
    memset(component_closed, 1, component_count);
    for (uint32_t c = 0; c < view->corner_count; ++c)
    {
        if (!rbl_has_twin(topology, c) || rbl_same_direction(topology, c))
        {
            component_closed[labels[topology->corner_faces[c]]] = 0;
        }
    }
    for (uint32_t f = 0; f < view->face_count; ++f)
    {
        closed[f] = component_closed[labels[f]];
    }
}

rblResult rbl_picture_closed_faces(const rblMeshView* view, const rblAllocator* allocator, uint8_t* closed)
{
    rblTopology topology;
    RBL_TRY(rbl_topology_init(&topology, view, allocator));
    uint32_t count = 0;
    uint32_t* labels = RBL_NEW_ARRAY(allocator, uint32_t, view->face_count);
    rblResult result = labels != NULL ? rbl_face_components(&topology, labels, &count) : rbl_fail_memory();
    uint8_t* component_closed = result == RBL_OK ? RBL_NEW_ARRAY(allocator, uint8_t, count) : NULL;
    if (component_closed != NULL)
    {
        mark_closed(&topology, labels, component_closed, count, closed);
    }
    else if (result == RBL_OK)
    {
        result = rbl_fail_memory();
    }
    RBL_FREE_ARRAY(allocator, component_closed, count);
    RBL_FREE_ARRAY(allocator, labels, view->face_count);
    rbl_topology_free(&topology);
    return result;
}
