#include "mesh/simplify/collapse_mesh.h"

#include "base/error.h"
#include "mesh/topology.h"
#include <string.h>

// ---- construction ----

static uint32_t start_vertex(const rblCollapseMesh* mesh, uint32_t corner)
{
    return mesh->corner_vertices[corner];
}

static uint32_t end_vertex(const rblCollapseMesh* mesh, uint32_t corner)
{
    return mesh->corner_vertices[rbl_triangle_next(corner)];
}

static rblResult check_edges(const rblTopology* topology)
{
    const rblMeshView* view = topology->view;
    for (uint32_t c = 0; c < view->corner_count; ++c)
    {
        const uint32_t a = view->corner_vertices[c];
        const uint32_t b = view->corner_vertices[rbl_triangle_next(c)];
        if (a == b)
        {
            return rbl_fail(RBL_ERROR_GEOMETRY,
                            "simplify: triangle %u has vertex %u twice; repair the mesh first", c / 3, a);
        }
        if (topology->twins[c] == RBL_NON_MANIFOLD)
        {
            return rbl_fail(RBL_ERROR_GEOMETRY,
                            "simplify: edge %u-%u has more than two faces; repair the mesh first", a, b);
        }
        if (rbl_has_twin(topology, c) && rbl_same_direction(topology, c))
        {
            return rbl_fail(
                RBL_ERROR_GEOMETRY,
                "simplify: the faces at edge %u-%u are not consistently oriented; repair the mesh first", a,
                b);
        }
    }
    return RBL_OK;
}

// The corner at the right end of the fan, from which a walk to the left visits the whole fan.
static uint32_t rightmost(const rblCollapseMesh* mesh, uint32_t corner)
{
    uint32_t right = corner;
    for (uint32_t c = corner; c != RBL_NONE; c = rbl_spin_right(mesh, c))
    {
        right = c;
        if (rbl_spin_right(mesh, c) == corner)
        {
            return corner;
        }
    }
    return right;
}

// Every corner of a vertex must be in the one fan that starts at vertex_corners.
static rblResult find_fans(rblCollapseMesh* mesh)
{
    memset(mesh->vertex_corners, 0xFF, sizeof *mesh->vertex_corners * mesh->vertex_count);
    memset(mesh->marks, 0, sizeof *mesh->marks * mesh->vertex_count);
    const uint32_t corners = 3 * mesh->triangle_count;
    for (uint32_t c = 0; c < corners; ++c)
    {
        const uint32_t v = start_vertex(mesh, c);
        mesh->marks[v] += 1; // how many corners the vertex has, to compare with its fan below
        if (mesh->vertex_corners[v] == RBL_NONE)
        {
            mesh->vertex_corners[v] = rightmost(mesh, c);
        }
    }
    for (uint32_t v = 0; v < mesh->vertex_count; ++v)
    {
        uint32_t reached = 0;
        const uint32_t first = mesh->vertex_corners[v];
        for (uint32_t c = first; c != RBL_NONE; c = rbl_fan_next(mesh, first, c))
        {
            ++reached;
        }
        if (reached != mesh->marks[v])
        {
            return rbl_fail(RBL_ERROR_GEOMETRY, "simplify: vertex %u is not manifold; repair the mesh first",
                            v);
        }
    }
    memset(mesh->marks, 0, sizeof *mesh->marks * mesh->vertex_count);
    return RBL_OK;
}

static bool same_attributes(const rblMeshView* view, uint32_t a, uint32_t b)
{
    for (uint32_t i = 0; i < view->layer_count; ++i)
    {
        const uint32_t n = view->layers[i].components;
        const float* data = view->layers[i].data;
        for (uint32_t k = 0; k < n; ++k)
        {
            if (data[(size_t)a * n + k] != data[(size_t)b * n + k])
            {
                return false;
            }
        }
    }
    return true;
}

// Runs of equal corners around one vertex become wedges; in a closed fan the last run may continue the first.
static void number_wedges(rblCollapseMesh* mesh, const rblMeshView* view, bool seams, uint32_t first)
{
    const uint32_t first_wedge = mesh->wedge_count++;
    mesh->corner_wedges[first] = first_wedge;
    uint32_t last = first;
    for (uint32_t c = rbl_fan_next(mesh, first, first); c != RBL_NONE; c = rbl_fan_next(mesh, first, c))
    {
        const bool same = !seams || same_attributes(view, last, c);
        mesh->corner_wedges[c] = same ? mesh->corner_wedges[last] : mesh->wedge_count++;
        last = c;
    }
    const uint32_t last_wedge = mesh->corner_wedges[last];
    if (last_wedge == first_wedge || rbl_spin_left(mesh, last) != first ||
        !same_attributes(view, last, first))
    {
        return;
    }
    for (uint32_t c = last; mesh->corner_wedges[c] == last_wedge; c = rbl_spin_right(mesh, c))
    {
        mesh->corner_wedges[c] = first_wedge;
    }
    mesh->wedge_count -= 1; // the last wedge was the newest one
}

static uint8_t edge_features(const rblCollapseMesh* mesh, const rblMeshView* view, uint32_t corner)
{
    const uint32_t twin = mesh->twins[corner];
    if (twin == RBL_NONE)
    {
        return RBL_FEATURE_BORDER;
    }
    uint8_t features = 0;
    const uint32_t* wedges = mesh->corner_wedges;
    if (wedges[corner] != wedges[rbl_triangle_next(twin)] ||
        wedges[rbl_triangle_next(corner)] != wedges[twin])
    {
        features |= RBL_FEATURE_SEAM;
    }
    if (view->face_materials[corner / 3] != view->face_materials[twin / 3])
    {
        features |= RBL_FEATURE_MATERIAL;
    }
    if (view->face_groups[corner / 3] != view->face_groups[twin / 3])
    {
        features |= RBL_FEATURE_GROUP;
    }
    return features;
}

static rblVertexKind kind_of(const rblCollapseMesh* mesh, uint32_t first)
{
    uint32_t count = 0;
    uint8_t all = 0;
    uint8_t common = UINT8_MAX;
    uint32_t last = first;
    for (uint32_t c = first; c != RBL_NONE; c = rbl_fan_next(mesh, first, c))
    {
        const uint8_t features = mesh->features[c];
        count += features != 0;
        all |= features;
        common &= features != 0 ? features : UINT8_MAX;
        last = c;
    }
    // The last edge of an open fan starts at another vertex.
    const uint32_t left_edge = rbl_triangle_previous(last);
    if (mesh->twins[left_edge] == RBL_NONE)
    {
        count += 1;
        all |= mesh->features[left_edge];
        common &= mesh->features[left_edge];
    }
    if (count == 0)
    {
        return RBL_VERTEX_FREE;
    }
    return count == 2 && all == common ? RBL_VERTEX_CURVE : RBL_VERTEX_FIXED;
}

static void classify(rblCollapseMesh* mesh, const rblMeshView* view, bool seams)
{
    for (uint32_t v = 0; v < mesh->vertex_count; ++v)
    {
        if (mesh->vertex_corners[v] != RBL_NONE)
        {
            number_wedges(mesh, view, seams, mesh->vertex_corners[v]);
        }
    }
    for (uint32_t c = 0; c < 3 * mesh->triangle_count; ++c)
    {
        mesh->features[c] = edge_features(mesh, view, c);
    }
    for (uint32_t v = 0; v < mesh->vertex_count; ++v)
    {
        const uint32_t first = mesh->vertex_corners[v];
        mesh->vertex_kinds[v] = (uint8_t)(first != RBL_NONE ? kind_of(mesh, first) : RBL_VERTEX_FIXED);
    }
}

static bool allocate(rblCollapseMesh* mesh)
{
    const size_t vertices = mesh->vertex_count;
    const size_t corners = 3 * (size_t)mesh->triangle_count;
    mesh->corner_vertices = RBL_NEW_ARRAY(mesh->allocator, uint32_t, corners);
    mesh->corner_wedges = RBL_NEW_ARRAY(mesh->allocator, uint32_t, corners);
    mesh->twins = RBL_NEW_ARRAY(mesh->allocator, uint32_t, corners);
    mesh->features = RBL_NEW_ARRAY(mesh->allocator, uint8_t, corners);
    mesh->dead = rbl_alloc_zero(mesh->allocator, mesh->triangle_count);
    mesh->vertex_corners = RBL_NEW_ARRAY(mesh->allocator, uint32_t, vertices);
    mesh->vertex_kinds = RBL_NEW_ARRAY(mesh->allocator, uint8_t, vertices);
    mesh->marks = RBL_NEW_ARRAY(mesh->allocator, uint32_t, vertices);
    return mesh->corner_vertices != NULL && mesh->corner_wedges != NULL && mesh->twins != NULL &&
           mesh->features != NULL && mesh->dead != NULL && mesh->vertex_corners != NULL &&
           mesh->vertex_kinds != NULL && mesh->marks != NULL;
}

void rbl_collapse_mesh_free(rblCollapseMesh* mesh)
{
    const size_t vertices = mesh->vertex_count;
    const size_t corners = 3 * (size_t)mesh->triangle_count;
    RBL_FREE_ARRAY(mesh->allocator, mesh->corner_vertices, corners);
    RBL_FREE_ARRAY(mesh->allocator, mesh->corner_wedges, corners);
    RBL_FREE_ARRAY(mesh->allocator, mesh->twins, corners);
    RBL_FREE_ARRAY(mesh->allocator, mesh->features, corners);
    rbl_free(mesh->allocator, mesh->dead, mesh->triangle_count);
    RBL_FREE_ARRAY(mesh->allocator, mesh->vertex_corners, vertices);
    RBL_FREE_ARRAY(mesh->allocator, mesh->vertex_kinds, vertices);
    RBL_FREE_ARRAY(mesh->allocator, mesh->marks, vertices);
    *mesh = (rblCollapseMesh){.allocator = mesh->allocator};
}

static rblResult fill(rblCollapseMesh* mesh, const rblMeshView* view, bool seams)
{
    rblTopology topology;
    RBL_TRY(rbl_topology_init(&topology, view, mesh->allocator));
    const rblResult result = check_edges(&topology);
    for (uint32_t c = 0; result == RBL_OK && c < view->corner_count; ++c)
    {
        mesh->corner_vertices[c] = view->corner_vertices[c];
        mesh->twins[c] = rbl_has_twin(&topology, c) ? topology.twins[c] : RBL_NONE;
    }
    rbl_topology_free(&topology);
    RBL_TRY(result);
    RBL_TRY(find_fans(mesh));
    classify(mesh, view, seams);
    return RBL_OK;
}

rblResult rbl_collapse_mesh_init(rblCollapseMesh* mesh, const rblMeshView* view, bool seams,
                                 const rblAllocator* allocator)
{
    *mesh = (rblCollapseMesh){.allocator = allocator,
                              .vertex_count = view->vertex_count,
                              .triangle_count = view->face_count,
                              .live_triangles = view->face_count};
    const rblResult result = allocate(mesh) ? fill(mesh, view, seams) : rbl_fail_memory();
    if (result != RBL_OK)
    {
        rbl_collapse_mesh_free(mesh);
    }
    return result;
}

// ---- collapses ----

rblCollapse rbl_collapse_of(const rblCollapseMesh* mesh, uint32_t corner, uint32_t removed)
{
    const uint32_t twin = mesh->twins[corner];
    if (start_vertex(mesh, corner) == removed)
    {
        return (rblCollapse){removed, end_vertex(mesh, corner), corner, twin};
    }
    return (rblCollapse){removed, start_vertex(mesh, corner), twin, corner};
}

// Mark the neighbours of a vertex; returns how many there are.
static uint32_t mark_neighbours(rblCollapseMesh* mesh, uint32_t vertex)
{
    mesh->mark += 1;
    uint32_t count = 0;
    const uint32_t first = mesh->vertex_corners[vertex];
    for (uint32_t c = first; c != RBL_NONE; c = rbl_fan_next(mesh, first, c))
    {
        const uint32_t ends[2] = {end_vertex(mesh, c), start_vertex(mesh, rbl_triangle_previous(c))};
        for (int i = 0; i < 2; ++i)
        {
            count += mesh->marks[ends[i]] != mesh->mark;
            mesh->marks[ends[i]] = mesh->mark;
        }
    }
    return count;
}

// How many neighbours of a vertex are marked; *count gets how many there are.
static uint32_t marked_neighbours(const rblCollapseMesh* mesh, uint32_t vertex, uint32_t* count)
{
    uint32_t marked = 0;
    uint32_t last = RBL_NONE;
    *count = 0;
    const uint32_t first = mesh->vertex_corners[vertex];
    for (uint32_t c = first; c != RBL_NONE; c = rbl_fan_next(mesh, first, c))
    {
        marked += mesh->marks[end_vertex(mesh, c)] == mesh->mark;
        *count += 1;
        last = rbl_triangle_previous(c);
    }
    if (mesh->twins[last] == RBL_NONE) // the last neighbour of an open fan
    {
        marked += mesh->marks[start_vertex(mesh, last)] == mesh->mark;
        *count += 1;
    }
    return marked;
}

// When the triangle of a half-edge is removed, its two other edges become one. They must not both be features,
// because one of them would be lost: a border would close, a strip of a material would be cut, or an island would
// disappear.
static bool joins_features(const rblCollapseMesh* mesh, uint32_t half_edge)
{
    return half_edge != RBL_NONE && mesh->features[rbl_triangle_next(half_edge)] != 0 &&
           mesh->features[rbl_triangle_previous(half_edge)] != 0;
}

static bool is_inner(const rblCollapseMesh* mesh, uint32_t vertex)
{
    return mesh->twins[mesh->vertex_corners[vertex]] != RBL_NONE;
}

bool rbl_may_remove(const rblCollapseMesh* mesh, uint32_t corner, uint32_t removed)
{
    const uint8_t kind = mesh->vertex_kinds[removed];
    return kind == RBL_VERTEX_FREE || (kind == RBL_VERTEX_CURVE && mesh->features[corner] != 0);
}

bool rbl_collapse_allowed(rblCollapseMesh* mesh, const rblCollapse* collapse)
{
    if (joins_features(mesh, collapse->forward) || joins_features(mesh, collapse->backward))
    {
        return false;
    }
    // The link condition (Dey, Edelsbrunner, Guha and Nekhayev 1999): the common neighbours of both ends are exactly
    // the vertices opposite the edge, and the surface is not a tetrahedron. (Edges inside the surface that join two
    // border vertices are excluded by rbl_may_remove().)
    const uint32_t opposite = collapse->forward != RBL_NONE && collapse->backward != RBL_NONE ? 2 : 1;
    uint32_t kept_count;
    const uint32_t removed_count = mark_neighbours(mesh, collapse->removed);
    const uint32_t shared = marked_neighbours(mesh, collapse->kept, &kept_count);
    const bool tetrahedron = removed_count == 3 && kept_count == 3 && is_inner(mesh, collapse->removed) &&
                             is_inner(mesh, collapse->kept);
    return shared == opposite && !tetrahedron;
}

// Give the corners of the removed vertex on one side of the edge to the kept vertex: from the corner in the removed
// triangle, away from the edge, up to the next feature.
static void move_corners(rblCollapseMesh* mesh, uint32_t from, bool left, uint32_t kept, uint32_t wedge)
{
    for (uint32_t c = from; c != RBL_NONE;)
    {
        mesh->corner_vertices[c] = kept;
        mesh->corner_wedges[c] = wedge;
        const uint32_t crossed = left ? rbl_triangle_previous(c) : c;
        if (mesh->features[crossed] != 0)
        {
            return;
        }
        c = left ? rbl_spin_left(mesh, c) : rbl_spin_right(mesh, c);
        if (c == from || (c != RBL_NONE && mesh->corner_vertices[c] == kept))
        {
            return;
        }
    }
}

// Remove the triangle of a half-edge and join its two other edges.
static void remove_triangle(rblCollapseMesh* mesh, uint32_t half_edge, uint32_t* touched)
{
    const uint32_t next = rbl_triangle_next(half_edge);
    const uint32_t previous = rbl_triangle_previous(half_edge);
    const uint32_t a = mesh->twins[next];
    const uint32_t b = mesh->twins[previous];
    const uint8_t features = mesh->features[next] | mesh->features[previous];
    if (a != RBL_NONE)
    {
        mesh->twins[a] = b;
        mesh->features[a] = features;
    }
    if (b != RBL_NONE)
    {
        mesh->twins[b] = a;
        mesh->features[b] = features;
    }
    mesh->dead[half_edge / 3] = 1;
    mesh->live_triangles -= 1;
    touched[0] = a;
    touched[1] = b;
}

// Give both ends of a half-edge next to a removed triangle a corner that still exists.
static void anchor(rblCollapseMesh* mesh, uint32_t half_edge)
{
    if (half_edge != RBL_NONE)
    {
        const uint32_t ends[2] = {half_edge, rbl_triangle_next(half_edge)};
        mesh->vertex_corners[start_vertex(mesh, ends[0])] = rightmost(mesh, ends[0]);
        mesh->vertex_corners[start_vertex(mesh, ends[1])] = rightmost(mesh, ends[1]);
    }
}

void rbl_collapse_apply(rblCollapseMesh* mesh, const rblCollapse* collapse)
{
    uint32_t touched[4] = {RBL_NONE, RBL_NONE, RBL_NONE, RBL_NONE};
    if (collapse->forward != RBL_NONE)
    {
        const uint32_t wedge = mesh->corner_wedges[rbl_triangle_next(collapse->forward)];
        move_corners(mesh, collapse->forward, true, collapse->kept, wedge);
    }
    if (collapse->backward != RBL_NONE)
    {
        const uint32_t wedge = mesh->corner_wedges[collapse->backward];
        move_corners(mesh, rbl_triangle_next(collapse->backward), false, collapse->kept, wedge);
    }
    if (collapse->forward != RBL_NONE)
    {
        remove_triangle(mesh, collapse->forward, touched);
    }
    if (collapse->backward != RBL_NONE)
    {
        remove_triangle(mesh, collapse->backward, touched + 2);
    }
    mesh->vertex_corners[collapse->removed] = RBL_NONE;
    for (int i = 0; i < 4; ++i)
    {
        anchor(mesh, touched[i]);
    }
}
