#include "mesh/topology.h"

#include "base/error.h"
#include "base/hash_map.h"
#include "base/union_find.h"
#include <string.h>

void rbl_topology_free(rblTopology* t)
{
    RBL_FREE_ARRAY(t->allocator, t->corner_faces, t->view->corner_count);
    RBL_FREE_ARRAY(t->allocator, t->twins, t->view->corner_count);
    RBL_FREE_ARRAY(t->allocator, t->vertex_corners, t->view->vertex_count);
    *t = (rblTopology){.view = t->view, .allocator = t->allocator};
}

static void fill_corners(rblTopology* t)
{
    const rblMeshView* view = t->view;
    memset(t->vertex_corners, 0xFF, sizeof *t->vertex_corners * view->vertex_count);
    for (uint32_t f = 0; f < view->face_count; ++f)
    {
        for (uint32_t c = view->face_starts[f]; c < view->face_starts[f + 1]; ++c)
        {
            t->corner_faces[c] = f;
            if (t->vertex_corners[view->corner_vertices[c]] == RBL_NONE)
            {
                t->vertex_corners[view->corner_vertices[c]] = c;
            }
        }
    }
}

static void edge_ends(const rblTopology* t, uint32_t corner, uint32_t* low, uint32_t* high)
{
    const uint32_t a = t->view->corner_vertices[corner];
    const uint32_t b = t->view->corner_vertices[rbl_next_corner(t, corner)];
    *low = a < b ? a : b;
    *high = a < b ? b : a;
}

// Stable counting sort of corners by one end of their edge.
static void sort_by_end(const rblTopology* t, bool by_high, const uint32_t* in, uint32_t* out,
                        uint32_t* starts)
{
    const uint32_t corners = t->view->corner_count;
    uint32_t ends[2];
    memset(starts, 0, sizeof *starts * ((size_t)t->view->vertex_count + 1));
    for (uint32_t c = 0; c < corners; ++c)
    {
        edge_ends(t, c, &ends[0], &ends[1]);
        starts[ends[by_high] + 1] += 1;
    }
    for (uint32_t v = 0; v < t->view->vertex_count; ++v)
    {
        starts[v + 1] += starts[v];
    }
    for (uint32_t i = 0; i < corners; ++i)
    {
        const uint32_t corner = in != NULL ? in[i] : i;
        edge_ends(t, corner, &ends[0], &ends[1]);
        out[starts[ends[by_high]]++] = corner;
    }
}

// Corners are sorted by edge: one corner is a boundary edge, two are twins, more are a non-manifold edge.
static void pair_twins(rblTopology* t, const uint32_t* sorted)
{
    const uint32_t corners = t->view->corner_count;
    uint32_t end;
    for (uint32_t begin = 0; begin < corners; begin = end)
    {
        uint32_t low, high, other_low, other_high;
        edge_ends(t, sorted[begin], &low, &high);
        for (end = begin + 1; end < corners; ++end)
        {
            edge_ends(t, sorted[end], &other_low, &other_high);
            if (other_low != low || other_high != high)
            {
                break;
            }
        }
        for (uint32_t i = begin; i < end; ++i)
        {
            t->twins[sorted[i]] = end - begin > 2 ? RBL_NON_MANIFOLD : RBL_BOUNDARY;
        }
        if (end - begin == 2)
        {
            t->twins[sorted[begin]] = sorted[begin + 1];
            t->twins[sorted[begin + 1]] = sorted[begin];
        }
    }
}

rblResult rbl_topology_init(rblTopology* t, const rblMeshView* view, const rblAllocator* allocator)
{
    *t = (rblTopology){.view = view, .allocator = allocator};
    t->corner_faces = RBL_NEW_ARRAY(allocator, uint32_t, view->corner_count);
    t->twins = RBL_NEW_ARRAY(allocator, uint32_t, view->corner_count);
    t->vertex_corners = RBL_NEW_ARRAY(allocator, uint32_t, view->vertex_count);
    uint32_t* starts = RBL_NEW_ARRAY(allocator, uint32_t, (size_t)view->vertex_count + 1);
    uint32_t* sorted = RBL_NEW_ARRAY(allocator, uint32_t, view->corner_count);
    const bool ok = t->corner_faces != NULL && t->twins != NULL && t->vertex_corners != NULL &&
                    starts != NULL && sorted != NULL;
    if (ok)
    {
        fill_corners(t);
        sort_by_end(t, true, NULL, t->twins, starts); // twins are used as scratch until they are computed
        sort_by_end(t, false, t->twins, sorted, starts);
        pair_twins(t, sorted);
    }
    RBL_FREE_ARRAY(allocator, starts, (size_t)view->vertex_count + 1);
    RBL_FREE_ARRAY(allocator, sorted, view->corner_count);
    if (!ok)
    {
        rbl_topology_free(t);
        return rbl_fail_memory();
    }
    return RBL_OK;
}

// Called for each corner whose edge also belongs to an earlier corner or a twin.
typedef void PairFcn(const rblTopology* t, uint32_t corner, uint32_t other, uint32_t* parents);

// Corners at edges of three or more faces have no twins; a hash of edges connects each corner to the first one.
static bool pair_crowded(const rblTopology* t, PairFcn* fcn, uint32_t* parents)
{
    rblHashMap first_corner;
    rbl_hash_map_init(&first_corner, t->allocator);
    bool ok = true;
    for (uint32_t c = 0; c < t->view->corner_count && ok; ++c)
    {
        if (t->twins[c] != RBL_NON_MANIFOLD)
        {
            continue;
        }
        const uint32_t a = t->view->corner_vertices[c];
        const uint32_t b = t->view->corner_vertices[rbl_next_corner(t, c)];
        bool added;
        const uint32_t* first = rbl_hash_map_get_or_add(&first_corner, rbl_pair_key(a, b), c, &added);
        ok = first != NULL;
        if (ok && !added)
        {
            fcn(t, c, *first, parents);
        }
    }
    rbl_hash_map_free(&first_corner);
    return ok;
}

// Unite along every edge. Afterwards the parent of every element is its root, which is the first element of its set.
static rblResult unite_along_edges(const rblTopology* t, PairFcn* fcn, uint32_t* parents, uint32_t count)
{
    for (uint32_t i = 0; i < count; ++i)
    {
        parents[i] = i;
    }
    for (uint32_t c = 0; c < t->view->corner_count; ++c)
    {
        if (rbl_has_twin(t, c) && t->twins[c] < c)
        {
            fcn(t, c, t->twins[c], parents);
        }
    }
    if (!pair_crowded(t, fcn, parents))
    {
        return rbl_fail_memory();
    }
    for (uint32_t i = 0; i < count; ++i)
    {
        parents[i] = rbl_union_root(parents, i);
    }
    return RBL_OK;
}

static void unite_faces(const rblTopology* t, uint32_t corner, uint32_t other, uint32_t* parents)
{
    rbl_union_join(parents, t->corner_faces[corner], t->corner_faces[other]);
}

rblResult rbl_face_components(const rblTopology* t, uint32_t* labels, uint32_t* count)
{
    RBL_TRY(unite_along_edges(t, unite_faces, labels, t->view->face_count));
    // Roots precede their members, so one pass numbers them in place.
    uint32_t next = 0;
    for (uint32_t f = 0; f < t->view->face_count; ++f)
    {
        labels[f] = labels[f] == f ? next++ : labels[labels[f]];
    }
    *count = next;
    return RBL_OK;
}

// At both ends of an edge the corners of the two faces are neighbours in a fan.
static void unite_corners(const rblTopology* t, uint32_t corner, uint32_t other, uint32_t* parents)
{
    const uint32_t* vertices = t->view->corner_vertices;
    const uint32_t end = rbl_next_corner(t, corner);
    const uint32_t other_end = rbl_next_corner(t, other);
    const bool same_way = vertices[corner] == vertices[other];
    rbl_union_join(parents, corner, same_way ? other : other_end);
    rbl_union_join(parents, end, same_way ? other_end : other);
}

rblResult rbl_corner_fans(const rblTopology* t, uint32_t* fans)
{
    return unite_along_edges(t, unite_corners, fans, t->view->corner_count);
}
