// Whole components: those without volume are removed, the others are oriented outward.
#include "base/error.h"
#include "math/aabb.h"
#include "mesh/components.h"
#include "mesh/repair/repair.h"
#include <string.h>

// Smallest mean thickness of a component relative to its size, also for a tolerance of 0; less is rounding error.
#define THINNEST 1e-12

// Maximum number of triangles of a component that are tested for lying inside other components.
#define MAX_SAMPLES 4096u

typedef struct Component
{
    rblVec3d origin; // any vertex of it
    double volume6;  // six times the volume; about `origin`
    double area2;    // twice the area
    rblAabbd bounds;
    bool closed; // no boundary, and a consistent orientation
    bool seen;
} Component;

static void measure_face(const rblRepair* r, uint32_t f, Component* component)
{
    const rblRepairFace* face = &r->faces.data[f];
    if (!component->seen)
    {
        const rblVec3d p = rbl_repair_position(r, face->begin);
        *component = (Component){.origin = p, .bounds = {p, p}, .closed = true, .seen = true};
    }
    component->volume6 += rbl_repair_volume6(r, f, component->origin);
    component->area2 += rbl_length3d(rbl_repair_normal_area2(r, f));
    for (uint32_t c = face->begin; c < face->begin + face->size; ++c)
    {
        const uint32_t twin = r->corners.data[c].twin;
        component->closed =
            component->closed && twin != RBL_NONE && rbl_repair_vertex(r, twin) != rbl_repair_vertex(r, c);
        component->bounds = rbl_aabbd_add(component->bounds, rbl_repair_position(r, c));
    }
}

// Measure all components, in the scratch arena; `labels` has an entry per face.
static rblResult measure_components(rblRepair* r, uint32_t* labels, Component** out, uint32_t* count)
{
    RBL_TRY(rbl_repair_components(r, labels, count));
    Component* components = RBL_SCRATCH(r, Component, *count);
    if (components == NULL)
    {
        return rbl_fail_memory();
    }
    for (uint32_t i = 0; i < *count; ++i)
    {
        components[i].seen = false;
    }
    for (uint32_t f = 0; f < r->faces.count; ++f)
    {
        measure_face(r, f, &components[labels[f]]);
    }
    *out = components;
    return RBL_OK;
}

// Closed, but thinner on average than the tolerance. The two sides of a plate of area A have the area 2 A.
static bool lacks_volume(const rblRepair* r, const Component* component)
{
    const double size = rbl_distance3d(component->bounds.lower, component->bounds.upper);
    const double thinnest = rbl_maxd(r->tolerance, THINNEST * size);
    return component->closed && !(fabs(component->volume6) / 6 > thinnest * component->area2 / 4);
}

rblResult rbl_repair_drop_components(rblRepair* r)
{
    Component* components;
    uint32_t count;
    uint32_t* labels = RBL_SCRATCH(r, uint32_t, r->faces.count);
    if (labels == NULL)
    {
        return rbl_fail_memory();
    }
    RBL_TRY(measure_components(r, labels, &components, &count));
    for (uint32_t i = 0; i < count; ++i)
    {
        r->report->dropped_components += lacks_volume(r, &components[i]);
    }
    for (size_t f = 0; f < r->faces.count; ++f)
    {
        if (lacks_volume(r, &components[labels[f]]))
        {
            r->faces.data[f].size = 0;
        }
    }
    return rbl_repair_compact(r);
}

// ---- outward ----

// A view of the faces of closed components only; `faces` receives the original face of each.
static rblResult view_closed(rblRepair* r, const uint32_t* labels, const Component* components,
                             rblMeshView* view, uint32_t* faces)
{
    uint32_t* starts = RBL_SCRATCH(r, uint32_t, r->faces.count);
    uint32_t* vertices = RBL_SCRATCH(r, uint32_t, r->corners.count);
    if (starts == NULL || vertices == NULL)
    {
        return rbl_fail_memory();
    }
    *view = (rblMeshView){.vertex_count = (uint32_t)r->positions.count, .positions = r->positions.data};
    view->face_starts = starts;
    view->corner_vertices = vertices;
    for (uint32_t f = 0; f < r->faces.count; ++f)
    {
        const rblRepairFace* face = &r->faces.data[f];
        if (!components[labels[f]].closed)
        {
            continue;
        }
        faces[view->face_count] = f;
        starts[view->face_count++] = view->corner_count;
        for (uint32_t c = face->begin; c < face->begin + face->size; ++c)
        {
            vertices[view->corner_count++] = rbl_repair_vertex(r, c);
        }
    }
    starts[view->face_count] = view->corner_count;
    return RBL_OK;
}

// The nesting depth of a component, determined at its triangles.
typedef struct Nesting
{
    int32_t depth;
    uint32_t samples;
    bool crosses; // the triangles disagree: the component intersects another one
} Nesting;

// All components have positive volume, so the winding number is the number of components around a point. It is
// evaluated at the centres of triangles and not at vertices, because components that touch do so at vertices.
static void ask_triangles(const rblComponents* components, const rblTriangleSet* triangles, Nesting* nestings)
{
    for (uint32_t t = 0; t < rbl_triangle_count(triangles); ++t)
    {
        const uint32_t which = components->labels[triangles->faces.data[t]];
        Nesting* nesting = &nestings[which];
        rblVec3d p[3];
        rbl_triangle_points(triangles, t, p);
        const rblVec3d center = rbl_scale3d(rbl_add3d(p[0], rbl_add3d(p[1], p[2])), 1.0 / 3.0);
        int32_t depth;
        if (nesting->samples < MAX_SAMPLES &&
            rbl_component_winding_at(components, triangles, which, center, &depth))
        {
            nesting->crosses = nesting->crosses || (nesting->samples > 0 && depth != nesting->depth);
            nesting->depth = depth;
            nesting->samples += 1;
        }
    }
}

// Mark the faces of components inside an odd number of others: they bound cavities.
static rblResult mark_nested(rblRepair* r, const rblComponents* components, const rblTriangleSet* triangles,
                             const uint32_t* faces, uint8_t* marks)
{
    Nesting* nestings = RBL_SCRATCH(r, Nesting, components->count);
    if (nestings == NULL)
    {
        return rbl_fail_memory();
    }
    memset(nestings, 0, sizeof *nestings * components->count);
    ask_triangles(components, triangles, nestings);
    for (uint32_t f = 0; f < components->face_count; ++f)
    {
        const Nesting* nesting = &nestings[components->labels[f]];
        marks[faces[f]] = !nesting->crosses && nesting->depth % 2 != 0;
    }
    return RBL_OK;
}

static rblResult mark_cavities(rblRepair* r, const rblMeshView* view, const uint32_t* faces, uint8_t* marks)
{
    rblTopology topology;
    rblTriangleSet triangles;
    rblComponents components = {.allocator = r->allocator};
    RBL_TRY(rbl_topology_init(&topology, view, r->allocator));
    rblResult result = rbl_triangle_set_init(&triangles, view, r->allocator);
    if (result == RBL_OK)
    {
        result = rbl_components_init(&components, &topology);
        result = result == RBL_OK ? mark_nested(r, &components, &triangles, faces, marks) : result;
        rbl_components_free(&components);
        rbl_triangle_set_free(&triangles);
    }
    rbl_topology_free(&topology);
    return result;
}

rblResult rbl_repair_orient_outward(rblRepair* r)
{
    Component* components;
    uint32_t count;
    uint32_t* labels = RBL_SCRATCH(r, uint32_t, r->faces.count);
    uint32_t* faces = RBL_SCRATCH(r, uint32_t, r->faces.count);
    uint8_t* marks = RBL_SCRATCH(r, uint8_t, r->faces.count);
    if (labels == NULL || faces == NULL || marks == NULL)
    {
        return rbl_fail_memory();
    }
    RBL_TRY(measure_components(r, labels, &components, &count));
    for (size_t f = 0; f < r->faces.count; ++f)
    {
        marks[f] = components[labels[f]].closed && components[labels[f]].volume6 < 0;
    }
    RBL_TRY(rbl_repair_flip(r, marks));
    rblMeshView view;
    RBL_TRY(view_closed(r, labels, components, &view, faces));
    if (count < 2 || view.face_count == 0)
    {
        return RBL_OK;
    }
    memset(marks, 0, r->faces.count);
    RBL_TRY(mark_cavities(r, &view, faces, marks));
    return rbl_repair_flip(r, marks);
}
