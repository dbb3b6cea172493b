// Simplification by quadric edge collapse (Garland and Heckbert 1997, and 1998, "Simplifying Surfaces with Color and
// Texture using Quadric Error Metrics"): the cheapest edge is collapsed, repeatedly.
#include "rubble/simplify.h"

#include "base/def.h"
#include "base/error.h"
#include "math/float_bits.h"
#include "mesh/simplify/collapse_heap.h"
#include "mesh/simplify/simplify_cost.h"
#include "mesh/simplify/simplify_distance.h"

// Maximum number of passes over the remaining edges. An edge that cannot be collapsed yet because of its neighbours
// is dropped from the heap, and the next pass tries it again.
#define MAX_PASSES 16

typedef struct Simplifier
{
    const rblAllocator* allocator;
    rblCollapseMesh mesh;
    rblSimplifyCost cost;
    rblDistanceTracker distances;
    rblCollapseHeap heap;
    uint32_t* versions; // per vertex: number of changes
    uint32_t target;
    double max_error; // scaled metres, like `error`
    double error;
} Simplifier;

RBL_DEF_KIND(simplify_options, rblSimplifyOptions, "simplify", rbl_default_simplify_options, 0x51312F1Du);

void rbl_simplify_options_init(rblSimplifyOptions* def, size_t size)
{
    const rblSimplifyOptions defaults = {.max_error = (double)INFINITY, .attribute_weight = 1.0};
    rbl_def_init(&simplify_options, &defaults, def, size);
}

static rblResult check_options(const rblSimplifyOptions* options)
{
    if (!(options->max_error >= 0.0))
    {
        return rbl_fail(RBL_ERROR_ARGUMENT, "simplify: max_error is %g, must be 0 or more",
                        options->max_error);
    }
    if (!(options->attribute_weight >= 0.0) || !rbl_finite(options->attribute_weight))
    {
        return rbl_fail(RBL_ERROR_ARGUMENT, "simplify: attribute_weight is %g, must be finite, 0 or more",
                        options->attribute_weight);
    }
    return RBL_OK;
}

static uint32_t version_of(const Simplifier* s, uint32_t a, uint32_t b)
{
    // Both counters only grow, so the sum changes when one of them does.
    return s->versions[a] + s->versions[b];
}

static bool push_edge(Simplifier* s, uint32_t corner)
{
    rblCandidate candidate;
    if (!rbl_simplify_candidate(&s->cost, corner, &candidate))
    {
        return true;
    }
    const uint32_t a = candidate.collapse.removed;
    const uint32_t b = candidate.collapse.kept;
    return rbl_collapse_heap_push(
        &s->heap, (rblHeapEdge){candidate.cost, a < b ? a : b, a < b ? b : a, corner, version_of(s, a, b)});
}

static bool push_all(Simplifier* s)
{
    bool ok = true;
    for (uint32_t c = 0; c < 3 * s->mesh.triangle_count && ok; ++c)
    {
        const uint32_t twin = s->mesh.twins[c];
        if (!s->mesh.dead[c / 3] && (twin == RBL_NONE || c < twin))
        {
            ok = push_edge(s, c);
        }
    }
    return ok;
}

static bool push_around(Simplifier* s, uint32_t vertex)
{
    bool ok = true;
    const uint32_t first = s->mesh.vertex_corners[vertex];
    for (uint32_t c = first; c != RBL_NONE && ok; c = rbl_fan_next(&s->mesh, first, c))
    {
        ok = push_edge(s, c);
        const uint32_t left = rbl_triangle_previous(c);
        if (ok && s->mesh.twins[left] == RBL_NONE)
        {
            ok = push_edge(s, left);
        }
    }
    return ok;
}

static bool is_stale(const Simplifier* s, const rblHeapEdge* edge)
{
    return s->mesh.vertex_corners[edge->low] == RBL_NONE || s->mesh.vertex_corners[edge->high] == RBL_NONE ||
           version_of(s, edge->low, edge->high) != edge->version;
}

// Collapse an edge if the collapse is allowed. False when out of memory.
static bool try_edge(Simplifier* s, const rblHeapEdge* edge)
{
    rblCandidate candidate;
    if (is_stale(s, edge) || !rbl_simplify_candidate(&s->cost, edge->corner, &candidate) ||
        !rbl_collapse_allowed(&s->mesh, &candidate.collapse) ||
        !rbl_simplify_keeps_shape(&s->cost, &candidate) || candidate.attribute_error > s->max_error)
    {
        return true;
    }
    const double distance = rbl_distance_measure(&s->distances, &candidate, s->max_error);
    if (!(distance <= s->max_error))
    {
        return true;
    }
    rbl_distance_accept(&s->distances, &candidate);
    rbl_simplify_apply(&s->cost, &candidate);
    s->error = rbl_maxd(rbl_maxd(distance, candidate.attribute_error), s->error);
    s->versions[candidate.collapse.kept] += 1;
    return push_around(s, candidate.collapse.kept);
}

static bool run_pass(Simplifier* s)
{
    rbl_array_clear(&s->heap);
    bool ok = push_all(s);
    while (ok && s->heap.count > 0 && s->mesh.live_triangles > s->target)
    {
        const rblHeapEdge edge = rbl_collapse_heap_pop(&s->heap);
        ok = try_edge(s, &edge);
    }
    return ok;
}

static rblResult collapse_edges(Simplifier* s)
{
    for (int pass = 0; pass < MAX_PASSES && s->mesh.live_triangles > s->target; ++pass)
    {
        const uint32_t before = s->mesh.live_triangles;
        if (!run_pass(s))
        {
            return rbl_fail_memory();
        }
        if (s->mesh.live_triangles == before)
        {
            break;
        }
    }
    return RBL_OK;
}

// ---- input and output ----

static rblVec3d final_position(const Simplifier* s, const rblMeshView* view, uint32_t vertex)
{
    const rblVec3d p = s->cost.positions[vertex];
    const int exponent = s->cost.exponent;
    return s->cost.moved[vertex]
               ? rbl_vec3d(rbl_scaled(p.x, exponent), rbl_scaled(p.y, exponent), rbl_scaled(p.z, exponent))
               : view->positions[vertex];
}

static void add_corner(const Simplifier* s, const rblMeshView* view, rblMeshBuilder* builder, uint32_t corner,
                       uint32_t vertex)
{
    if (s->cost.component_count == 0)
    {
        rbl_mesh_builder_corner_copy(builder, vertex, view, corner);
        return;
    }
    const uint32_t added = rbl_mesh_builder_corner(builder, vertex);
    const float* values =
        s->cost.wedge_values + (size_t)s->mesh.corner_wedges[corner] * s->cost.component_count;
    for (uint32_t i = 0; i < view->layer_count; ++i)
    {
        rbl_mesh_builder_set(builder, i, added, values);
        values += view->layers[i].components;
    }
}

// Build the remaining mesh, in the order of the input. `versions` is reused for the new vertex indices.
static rblResult build_result(Simplifier* s, const rblMeshView* view, rblMesh** out)
{
    rblMeshBuilder builder;
    rbl_mesh_builder_init(&builder, s->allocator);
    rbl_mesh_builder_like(&builder, view);
    uint32_t* numbers = s->versions;
    for (uint32_t v = 0; v < view->vertex_count; ++v)
    {
        if (s->mesh.vertex_corners[v] != RBL_NONE)
        {
            numbers[v] = rbl_mesh_builder_vertex(&builder, final_position(s, view, v));
        }
    }
    for (uint32_t t = 0; t < view->face_count; ++t)
    {
        if (s->mesh.dead[t])
        {
            continue;
        }
        for (uint32_t c = 3 * t; c < 3 * t + 3; ++c)
        {
            add_corner(s, view, &builder, c, numbers[s->mesh.corner_vertices[c]]);
        }
        rbl_mesh_builder_face(&builder, view->face_materials[t], view->face_groups[t], view->face_origins[t]);
    }
    return rbl_mesh_builder_finish(&builder, out);
}

static rblResult run(Simplifier* s, const rblMeshView* view, const rblSimplifyOptions* options, rblMesh** out)
{
    const bool attributes = view->layer_count > 0 && options->attribute_weight > 0.0;
    RBL_TRY(rbl_collapse_mesh_init(&s->mesh, view, attributes, s->allocator));
    RBL_TRY(rbl_simplify_cost_init(&s->cost, &s->mesh, view, options->attribute_weight, s->allocator));
    RBL_TRY(rbl_distance_tracker_init(&s->distances, &s->cost, view->positions, s->allocator));
    s->versions = rbl_alloc_zero(s->allocator, sizeof *s->versions * view->vertex_count);
    if (s->versions == NULL)
    {
        return rbl_fail_memory();
    }
    s->target = options->target_triangles;
    s->max_error = rbl_finite(options->max_error) ? rbl_scaled(options->max_error, -s->cost.exponent)
                                                  : options->max_error;
    RBL_TRY(collapse_edges(s));
    return build_result(s, view, out);
}

static rblResult simplify_triangles(const rblMeshView* view, const rblSimplifyOptions* options,
                                    const rblAllocator* allocator, rblMesh** out, double* error)
{
    Simplifier s = {.allocator = allocator, .mesh.allocator = allocator};
    s.cost = (rblSimplifyCost){.allocator = allocator, .mesh = &s.mesh};
    rbl_array_init(&s.heap, allocator);
    const rblResult result = run(&s, view, options, out);
    *error = rbl_scaled(s.error, s.cost.exponent);
    RBL_FREE_ARRAY(allocator, s.versions, view->vertex_count);
    rbl_array_free(&s.heap);
    rbl_distance_tracker_free(&s.distances);
    rbl_simplify_cost_free(&s.cost);
    rbl_collapse_mesh_free(&s.mesh);
    return result;
}

static rblResult check_positions(const rblMeshView* view)
{
    for (uint32_t v = 0; v < view->vertex_count; ++v)
    {
        if (!rbl_finite3d(view->positions[v]))
        {
            return rbl_fail(RBL_ERROR_GEOMETRY, "simplify: position %u is not finite; repair the mesh first",
                            v);
        }
    }
    return RBL_OK;
}

static rblResult simplify_view(const rblMeshView* view, const rblSimplifyOptions* options, rblMesh** out,
                               double* error)
{
    const rblAllocator* allocator = rbl_default_allocator();
    RBL_TRY(check_positions(view));
    rblMesh* triangles;
    RBL_TRY(rbl_mesh_triangulated(view, allocator, &triangles));
    const rblResult result = simplify_triangles(rbl_mesh_get_view(triangles), options, allocator, out, error);
    rbl_mesh_free(triangles);
    return result;
}

rblResult rbl_mesh_simplify(rblMeshId id, const rblSimplifyOptions* options, rblMeshId* out, double* error)
{
    if (out == NULL)
    {
        return rbl_fail(RBL_ERROR_ARGUMENT, "simplify: out must not be null");
    }
    rblSimplifyOptions used = rbl_default_simplify_options();
    RBL_TRY(options != NULL ? rbl_def_read(&simplify_options, options, &used) : RBL_OK);
    RBL_TRY(check_options(&used));
    rblMesh* mesh;
    RBL_TRY(rbl_mesh_acquire(id, &mesh));
    rblMesh* simple;
    double largest;
    const rblResult result = simplify_view(rbl_mesh_get_view(mesh), &used, &simple, &largest);
    rbl_mesh_release(mesh);
    RBL_TRY(result);
    RBL_TRY(rbl_mesh_register(simple, out));
    if (error != NULL)
    {
        *error = largest;
    }
    return RBL_OK;
}
