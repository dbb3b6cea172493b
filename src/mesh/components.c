#include "mesh/components.h"

#include "base/error.h"
#include "math/predicates.h"
#include "math/vec.h"

// Maximum number of vertices of a component that are tested. If all of them lie on other components, it counts as
// touching them everywhere.
#define MAX_SAMPLES 64

void rbl_components_free(rblComponents* components)
{
    RBL_FREE_ARRAY(components->allocator, components->labels, components->face_count);
    RBL_FREE_ARRAY(components->allocator, components->next_face, components->face_count);
    RBL_FREE_ARRAY(components->allocator, components->first_face, components->count);
    RBL_FREE_ARRAY(components->allocator, components->volumes, components->count);
    *components = (rblComponents){.allocator = components->allocator};
}

static rblResult fill(rblComponents* components, const rblTopology* topology)
{
    const rblAllocator* allocator = components->allocator;
    const uint32_t faces = components->face_count = topology->view->face_count;
    components->labels = RBL_NEW_ARRAY(allocator, uint32_t, faces);
    components->next_face = RBL_NEW_ARRAY(allocator, uint32_t, faces);
    if (components->labels == NULL || components->next_face == NULL)
    {
        return rbl_fail_memory();
    }
    uint32_t count;
    RBL_TRY(rbl_face_components(topology, components->labels, &count));
    components->count = count;
    components->first_face = RBL_NEW_ARRAY(allocator, uint32_t, count);
    components->volumes = RBL_NEW_ARRAY(allocator, double, count);
    if (components->first_face == NULL || components->volumes == NULL)
    {
        return rbl_fail_memory();
    }
    for (uint32_t i = 0; i < count; ++i)
    {
        components->first_face[i] = RBL_NONE;
        components->volumes[i] = 0;
    }
    for (uint32_t f = faces; f-- > 0;)
    {
        components->next_face[f] = components->first_face[components->labels[f]];
        components->first_face[components->labels[f]] = f;
    }
    return RBL_OK;
}

rblResult rbl_components_init(rblComponents* components, const rblTopology* topology)
{
    *components = (rblComponents){.allocator = topology->allocator};
    const rblResult result = fill(components, topology);
    if (result != RBL_OK)
    {
        rbl_components_free(components);
    }
    return result;
}

// ---- volume ----

double rbl_component_volumes(rblComponents* components, const rblTriangleSet* set, const rblVec3d* common)
{
    const rblMeshView* view = set->view;
    for (uint32_t i = 0; i < components->count; ++i)
    {
        components->volumes[i] = 0;
    }
    for (uint32_t t = 0; t < rbl_triangle_count(set); ++t)
    {
        rblVec3d p[3];
        rbl_triangle_points(set, t, p);
        if (!rbl_finite3d(p[0]) || !rbl_finite3d(p[1]) || !rbl_finite3d(p[2]))
        {
            continue;
        }
        const uint32_t label = components->labels[set->faces.data[t]];
        const uint32_t first_corner = view->face_starts[components->first_face[label]];
        const rblVec3d origin =
            common != NULL ? *common : view->positions[view->corner_vertices[first_corner]];
        const rblVec3d a = rbl_sub3d(p[0], origin);
        const rblVec3d b = rbl_sub3d(p[1], origin);
        const rblVec3d c = rbl_sub3d(p[2], origin);
        components->volumes[label] += rbl_dot3d(a, rbl_cross3d(b, c));
    }
    double sum = 0;
    for (uint32_t i = 0; i < components->count; ++i)
    {
        components->volumes[i] /= 6;
        sum += components->volumes[i];
    }
    return sum;
}

// ---- nesting ----

typedef struct Ray
{
    const rblTriangleSet* set;
    const uint32_t* labels;
    uint32_t own; // component to ignore
    rblVec3d origin;
    int32_t winding;
    bool touched; // the origin lies on a triangle
} Ray;

// The winding of the projected triangle around the ray (Sunday 2001): -1, 0 or 1. A ray through an edge or a vertex
// is decided as if it were moved by an infinitesimal amount, the same for all triangles, so that no triangle is
// counted twice or missed.
static int seen_winding(const rblVec3d t[3], rblVec3d p)
{
    const double at[2] = {p.y, p.z};
    int winding = 0;
    for (int e = 0; e < 3; ++e)
    {
        const double from[2] = {t[e].y, t[e].z};
        const double to[2] = {t[(e + 1) % 3].y, t[(e + 1) % 3].z};
        if (from[1] <= p.z && to[1] > p.z)
        {
            winding += rbl_orient2d(from, to, at) > 0;
        }
        else if (from[1] > p.z && to[1] <= p.z)
        {
            winding -= rbl_orient2d(from, to, at) < 0;
        }
    }
    return winding;
}

static bool cross_triangle(uint32_t triangle, void* context)
{
    Ray* ray = context;
    if (ray->labels[ray->set->faces.data[triangle]] == ray->own)
    {
        return true;
    }
    rblVec3d t[3];
    rbl_triangle_points(ray->set, triangle, t);
    const int winding = seen_winding(t, ray->origin);
    if (winding != 0)
    {
        // The ray crosses the triangle when its origin is behind a face whose normal points along the ray, or in
        // front of a face whose normal points against it.
        const double side = rbl_orient3d(t[0], t[1], t[2], ray->origin) * winding;
        ray->winding += side > 0 ? winding : 0;
        ray->touched = side == 0;
    }
    return !ray->touched;
}

bool rbl_component_winding_at(const rblComponents* components, const rblTriangleSet* set, uint32_t which,
                              rblVec3d point, int32_t* winding)
{
    const rblAabbd line = {point, {(double)INFINITY, point.y, point.z}};
    Ray ray = {.set = set, .labels = components->labels, .own = which, .origin = point};
    rbl_triangles_in_box(set, &line, cross_triangle, &ray);
    *winding = ray.winding;
    return !ray.touched;
}

int32_t rbl_component_winding(const rblComponents* components, const rblTriangleSet* set, uint32_t which)
{
    const rblMeshView* view = set->view;
    uint32_t samples = 0;
    for (uint32_t f = components->first_face[which]; f != RBL_NONE; f = components->next_face[f])
    {
        for (uint32_t c = view->face_starts[f]; c < view->face_starts[f + 1] && samples < MAX_SAMPLES; ++c)
        {
            int32_t winding;
            if (rbl_component_winding_at(components, set, which, view->positions[view->corner_vertices[c]],
                                         &winding))
            {
                return winding;
            }
            samples += 1;
        }
    }
    return 0;
}
