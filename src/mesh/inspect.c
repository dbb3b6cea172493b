#include "mesh/inspect.h"

#include "base/def.h"
#include "base/error.h"
#include "base/sort.h"
#include "math/aabb.h"
#include "math/triangle_intersection.h"
#include "mesh/components.h"
#include "mesh/self_intersection.h"
#include <string.h>

// Shared by the passes below; each pass fills some fields of the report.
typedef struct Inspection
{
    const rblMeshView* view;
    const rblAllocator* allocator;
    rblTopology topology;
    rblTriangleSet triangles;
    rblComponents components;
    rblMeshReport report;
    bool faces_repeat_vertices;
    bool finite; // all corners are finite
    // At every edge of three or more faces, as many faces run in one direction as in the other.
    bool crowd_balanced;
} Inspection;

RBL_DEF_KIND(inspect_options, rblInspectOptions, "inspect", rbl_default_inspect_options, 0x1D5EC7EDu);

void rbl_inspect_options_init(rblInspectOptions* def, size_t size)
{
    const rblInspectOptions defaults = {.self_intersections = true};
    rbl_def_init(&inspect_options, &defaults, def, size);
}

static void note(rblDefect* defect, uint32_t element)
{
    if (defect->count < RBL_EXAMPLE_COUNT)
    {
        defect->examples[defect->count] = element;
    }
    defect->count += 1;
}

static void fill_bounds(Inspection* inspection)
{
    const rblMeshView* view = inspection->view;
    rblAabbd bounds = rbl_aabbd_empty();
    inspection->finite = true;
    for (uint32_t c = 0; c < view->corner_count; ++c)
    {
        const rblVec3d p = view->positions[view->corner_vertices[c]];
        if (rbl_finite3d(p))
        {
            bounds = rbl_aabbd_add(bounds, p);
        }
        else
        {
            inspection->finite = false;
        }
    }
    inspection->report.bounds = bounds;
}

// ---- edges ----

static void count_plain_edges(Inspection* inspection)
{
    const rblTopology* t = &inspection->topology;
    for (uint32_t c = 0; c < inspection->view->corner_count; ++c)
    {
        if (t->twins[c] == RBL_BOUNDARY)
        {
            note(&inspection->report.boundary_edges, c);
        }
        else if (rbl_has_twin(t, c) && c < t->twins[c] && rbl_same_direction(t, c))
        {
            note(&inspection->report.misoriented_edges, c);
        }
    }
}

// Count one corner of an edge of three or more faces. `numbers` maps edges to indices of `balance`, which sums up the
// directions.
static bool add_crowded(Inspection* inspection, uint32_t corner, rblHashMap* numbers, rblIndexArray* balance)
{
    const uint32_t a = inspection->view->corner_vertices[corner];
    const uint32_t b = inspection->view->corner_vertices[rbl_next_corner(&inspection->topology, corner)];
    bool added;
    const uint32_t* number =
        rbl_hash_map_get_or_add(numbers, rbl_pair_key(a, b), (uint32_t)balance->count, &added);
    if (number == NULL || (added && !rbl_array_push(balance, 0u)))
    {
        return false;
    }
    if (added)
    {
        note(&inspection->report.non_manifold_edges, corner);
    }
    balance->data[*number] += a < b ? 1u : UINT32_MAX; // unsigned wrap-around subtracts 1
    return true;
}

static rblResult count_crowded_edges(Inspection* inspection)
{
    rblHashMap numbers;
    rblIndexArray balance;
    rbl_hash_map_init(&numbers, inspection->allocator);
    rbl_array_init(&balance, inspection->allocator);
    bool ok = true;
    for (uint32_t c = 0; c < inspection->view->corner_count && ok; ++c)
    {
        ok = inspection->topology.twins[c] != RBL_NON_MANIFOLD ||
             add_crowded(inspection, c, &numbers, &balance);
    }
    inspection->crowd_balanced = true;
    for (size_t i = 0; i < balance.count; ++i)
    {
        inspection->crowd_balanced = inspection->crowd_balanced && balance.data[i] == 0;
    }
    rbl_array_free(&balance);
    rbl_hash_map_free(&numbers);
    return ok ? RBL_OK : rbl_fail_memory();
}

// ---- vertices ----

static rblResult count_vertices(Inspection* inspection)
{
    const rblMeshView* view = inspection->view;
    uint32_t* fans = RBL_NEW_ARRAY(inspection->allocator, uint32_t, view->corner_count);
    uint32_t* fan_counts = RBL_NEW_ARRAY(inspection->allocator, uint32_t, view->vertex_count);
    rblResult result = fans != NULL && fan_counts != NULL ? RBL_OK : rbl_fail_memory();
    result = result == RBL_OK ? rbl_corner_fans(&inspection->topology, fans) : result;
    if (result == RBL_OK)
    {
        memset(fan_counts, 0, sizeof *fan_counts * view->vertex_count);
        for (uint32_t c = 0; c < view->corner_count; ++c)
        {
            fan_counts[view->corner_vertices[c]] += fans[c] == c;
        }
        for (uint32_t v = 0; v < view->vertex_count; ++v)
        {
            if (fan_counts[v] != 1)
            {
                note(fan_counts[v] == 0 ? &inspection->report.isolated_vertices
                                        : &inspection->report.non_manifold_vertices,
                     v);
            }
        }
    }
    RBL_FREE_ARRAY(inspection->allocator, fans, view->corner_count);
    RBL_FREE_ARRAY(inspection->allocator, fan_counts, view->vertex_count);
    return result;
}

// ---- faces ----

// Whether a face is not finite, or has collinear corners.
static bool lacks_area(const rblMeshView* view, uint32_t face)
{
    const uint32_t begin = view->face_starts[face];
    const uint32_t end = view->face_starts[face + 1];
    const rblVec3d first = view->positions[view->corner_vertices[begin]];
    rblVec3d second = first;
    bool flat = true;
    for (uint32_t c = begin; c < end; ++c)
    {
        const rblVec3d p = view->positions[view->corner_vertices[c]];
        if (!rbl_finite3d(p))
        {
            return true;
        }
        second = rbl_equal3d(first, second) ? p : second;
        flat = flat && rbl_collinear3d(first, second, p);
    }
    return flat;
}

static rblResult count_degenerate_faces(Inspection* inspection)
{
    const rblMeshView* view = inspection->view;
    uint32_t* last_face = RBL_NEW_ARRAY(inspection->allocator, uint32_t, view->vertex_count);
    if (last_face == NULL)
    {
        return rbl_fail_memory();
    }
    memset(last_face, 0xFF, sizeof *last_face * view->vertex_count);
    for (uint32_t f = 0; f < view->face_count; ++f)
    {
        bool repeats = false;
        for (uint32_t c = view->face_starts[f]; c < view->face_starts[f + 1]; ++c)
        {
            repeats = repeats || last_face[view->corner_vertices[c]] == f;
            last_face[view->corner_vertices[c]] = f;
        }
        inspection->faces_repeat_vertices = inspection->faces_repeat_vertices || repeats;
        if (repeats || lacks_area(view, f))
        {
            note(&inspection->report.degenerate_faces, f);
        }
    }
    RBL_FREE_ARRAY(inspection->allocator, last_face, view->vertex_count);
    return RBL_OK;
}

// A hash that does not depend on the order of the vertices.
static uint64_t vertex_set_hash(const rblMeshView* view, uint32_t face)
{
    uint64_t sum = 0;
    for (uint32_t c = view->face_starts[face]; c < view->face_starts[face + 1]; ++c)
    {
        sum += rbl_hash_u64(view->corner_vertices[c] + UINT64_C(0x9E3779B97F4A7C15));
    }
    return rbl_hash_u64(sum ^ rbl_face_size(view, face));
}

static void sorted_vertices(const rblMeshView* view, uint32_t face, uint32_t* out, uint32_t* scratch)
{
    const uint32_t size = rbl_face_size(view, face);
    memcpy(out, view->corner_vertices + view->face_starts[face], sizeof *out * size);
    rbl_sort_indices(out, scratch, size, rbl_before_by_value, NULL);
}

typedef struct Duplicates
{
    const rblMeshView* view;
    rblHashMap first_face;     // by vertex set
    uint32_t *a, *b, *scratch; // capacity for the largest face
    uint32_t capacity;
} Duplicates;

static bool same_vertices(Duplicates* duplicates, uint32_t face, uint32_t other)
{
    const uint32_t size = rbl_face_size(duplicates->view, face);
    if (size != rbl_face_size(duplicates->view, other))
    {
        return false;
    }
    sorted_vertices(duplicates->view, face, duplicates->a, duplicates->scratch);
    sorted_vertices(duplicates->view, other, duplicates->b, duplicates->scratch);
    return memcmp(duplicates->a, duplicates->b, sizeof *duplicates->a * size) == 0;
}

static bool find_duplicates(Duplicates* duplicates, rblDefect* defect)
{
    for (uint32_t f = 0; f < duplicates->view->face_count; ++f)
    {
        uint64_t key = vertex_set_hash(duplicates->view, f);
        for (;;)
        {
            bool added;
            const uint32_t* first = rbl_hash_map_get_or_add(&duplicates->first_face, key, f, &added);
            if (first == NULL)
            {
                return false;
            }
            if (added)
            {
                break;
            }
            if (same_vertices(duplicates, f, *first))
            {
                note(defect, f);
                break;
            }
            key = rbl_hash_u64(key + 1); // equal hashes, different sets
        }
    }
    return true;
}

static rblResult count_duplicate_faces(Inspection* inspection)
{
    const rblAllocator* allocator = inspection->allocator;
    Duplicates duplicates = {.view = inspection->view};
    for (uint32_t f = 0; f < inspection->view->face_count; ++f)
    {
        const uint32_t size = rbl_face_size(inspection->view, f);
        duplicates.capacity = size > duplicates.capacity ? size : duplicates.capacity;
    }
    rbl_hash_map_init(&duplicates.first_face, allocator);
    duplicates.a = RBL_NEW_ARRAY(allocator, uint32_t, duplicates.capacity);
    duplicates.b = RBL_NEW_ARRAY(allocator, uint32_t, duplicates.capacity);
    duplicates.scratch = RBL_NEW_ARRAY(allocator, uint32_t, duplicates.capacity);
    const bool ok = duplicates.a != NULL && duplicates.b != NULL && duplicates.scratch != NULL &&
                    rbl_hash_map_reserve(&duplicates.first_face, inspection->view->face_count) &&
                    find_duplicates(&duplicates, &inspection->report.duplicate_faces);
    RBL_FREE_ARRAY(allocator, duplicates.a, duplicates.capacity);
    RBL_FREE_ARRAY(allocator, duplicates.b, duplicates.capacity);
    RBL_FREE_ARRAY(allocator, duplicates.scratch, duplicates.capacity);
    rbl_hash_map_free(&duplicates.first_face);
    return ok ? RBL_OK : rbl_fail_memory();
}

static rblResult count_intersections(Inspection* inspection)
{
    rblIntersectionArray pairs;
    rbl_array_init(&pairs, inspection->allocator);
    const rblResult result = rbl_triangle_intersections(&inspection->triangles, NULL, &pairs);
    for (size_t i = 0; i < pairs.count && result == RBL_OK; ++i)
    {
        if (i < RBL_EXAMPLE_COUNT)
        {
            inspection->report.intersecting_faces[i][0] = pairs.data[i].faces[0];
            inspection->report.intersecting_faces[i][1] = pairs.data[i].faces[1];
        }
        note(&inspection->report.self_intersections, pairs.data[i].faces[0]);
    }
    rbl_array_free(&pairs);
    return result;
}

// ---- report ----

static double surface_area(const rblTriangleSet* set)
{
    double area = 0;
    for (uint32_t t = 0; t < rbl_triangle_count(set); ++t)
    {
        rblVec3d p[3];
        rbl_triangle_points(set, t, p);
        if (rbl_finite3d(p[0]) && rbl_finite3d(p[1]) && rbl_finite3d(p[2]))
        {
            area += 0.5 * rbl_length3d(rbl_cross3d(rbl_sub3d(p[1], p[0]), rbl_sub3d(p[2], p[0])));
        }
    }
    return area;
}

static void judge_topology(Inspection* inspection)
{
    rblMeshReport* report = &inspection->report;
    const rblMeshView* view = inspection->view;
    report->vertices = view->vertex_count;
    report->faces = view->face_count;
    report->triangles = rbl_mesh_triangle_count(view);
    report->closed = report->boundary_edges.count == 0;
    report->manifold = report->non_manifold_edges.count == 0 && report->non_manifold_vertices.count == 0 &&
                       !inspection->faces_repeat_vertices;
    report->oriented = report->misoriented_edges.count == 0;
    report->components = inspection->components.count;
    report->genus = -1;
    if (report->closed && report->manifold && report->oriented)
    {
        // Euler: vertices - edges + faces = 2 (components - genus)
        const int64_t vertices = (int64_t)view->vertex_count - report->isolated_vertices.count;
        const int64_t euler = vertices - view->corner_count / 2 + view->face_count;
        report->genus = (int32_t)(report->components - euler / 2);
    }
}

static bool is_outward(const Inspection* inspection)
{
    const rblComponents* components = &inspection->components;
    for (uint32_t i = 0; i < components->count; ++i)
    {
        if (!(components->volumes[i] > 0) &&
            (!(components->volumes[i] < 0) ||
             rbl_component_winding(components, &inspection->triangles, i) < 1))
        {
            return false;
        }
    }
    return true;
}

static void judge_geometry(Inspection* inspection)
{
    rblMeshReport* report = &inspection->report;
    const bool bounds_solids =
        report->closed && report->oriented && inspection->crowd_balanced && inspection->finite;
    const rblVec3d center = rbl_aabbd_center(report->bounds);
    report->area = surface_area(&inspection->triangles);
    report->volume = rbl_component_volumes(&inspection->components, &inspection->triangles,
                                           bounds_solids ? NULL : &center);
    report->outward = bounds_solids && is_outward(inspection);
}

static rblResult run_passes(Inspection* inspection, bool intersections)
{
    RBL_TRY(rbl_topology_init(&inspection->topology, inspection->view, inspection->allocator));
    RBL_TRY(rbl_triangle_set_init(&inspection->triangles, inspection->view, inspection->allocator));
    RBL_TRY(rbl_components_init(&inspection->components, &inspection->topology));
    fill_bounds(inspection);
    count_plain_edges(inspection);
    RBL_TRY(count_crowded_edges(inspection));
    RBL_TRY(count_vertices(inspection));
    RBL_TRY(count_degenerate_faces(inspection));
    RBL_TRY(count_duplicate_faces(inspection));
    if (intersections)
    {
        RBL_TRY(count_intersections(inspection));
    }
    judge_topology(inspection);
    judge_geometry(inspection);
    return RBL_OK;
}

rblResult rbl_inspect_view(const rblMeshView* view, const rblInspectOptions* options, rblMeshReport* out)
{
    const rblAllocator* allocator = rbl_default_allocator();
    Inspection inspection = {.view = view, .allocator = allocator};
    inspection.topology = (rblTopology){.view = view, .allocator = allocator};
    rbl_array_init(&inspection.triangles.corners, allocator);
    rbl_array_init(&inspection.triangles.faces, allocator);
    inspection.components.allocator = allocator;
    const rblResult result = run_passes(&inspection, options == NULL || options->self_intersections);
    rbl_components_free(&inspection.components);
    rbl_triangle_set_free(&inspection.triangles);
    rbl_topology_free(&inspection.topology);
    if (result == RBL_OK)
    {
        *out = inspection.report;
    }
    return result;
}

rblResult rbl_mesh_inspect(rblMeshId id, const rblInspectOptions* options, rblMeshReport* out)
{
    if (out == NULL)
    {
        return rbl_fail(RBL_ERROR_ARGUMENT, "inspect: out must not be null");
    }
    rblInspectOptions chosen = rbl_default_inspect_options();
    RBL_TRY(options != NULL ? rbl_def_read(&inspect_options, options, &chosen) : RBL_OK);
    rblMesh* mesh;
    RBL_TRY(rbl_mesh_acquire(id, &mesh));
    const rblResult result = rbl_inspect_view(rbl_mesh_get_view(mesh), &chosen, out);
    rbl_mesh_release(mesh);
    return result;
}
