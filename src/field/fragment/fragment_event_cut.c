// The tetrahedra that a fracture cuts, and the planes of their parts.
#include "base/error.h"
#include "field/fragment/fragment_event.h"
#include "math/vec.h"

// The nodes of a tetrahedron that belong to the broken fragment.
typedef struct TetNodes
{
    uint32_t labels[4]; // RBL_NONE: the node belongs to another fragment of an earlier event
    float weights[4];
    uint32_t distinct[4]; // different labels, in the order of nodes
    uint32_t count;       // number of different labels
} TetNodes;

static TetNodes nodes_of(const rblFragmentEvent* e, uint32_t tet)
{
    const uint32_t* nodes = e->background->view->nodes + 4 * (size_t)tet;
    TetNodes t = {.count = 0};
    for (uint32_t i = 0; i < 4; ++i)
    {
        const uint32_t local = rbl_rank_find(e->node_ranks, nodes[i]);
        if (local == RBL_NONE)
        {
            t.labels[i] = RBL_NONE;
            t.weights[i] = 0.0f;
            continue;
        }
        t.labels[i] = e->labels[local];
        t.weights[i] = e->weights[local];
        bool known = false;
        for (uint32_t k = 0; k < t.count; ++k)
        {
            known = known || t.distinct[k] == t.labels[i];
        }
        if (!known)
        {
            t.distinct[t.count++] = t.labels[i];
        }
    }
    return t;
}

// The labels of a tetrahedron's nodes; RBL_NONE: a node of another fragment. Returns whether all are the same: most
// tetrahedra are not cut.
static bool read_labels(const rblFragmentEvent* e, uint32_t tet, uint32_t out[4])
{
    const uint32_t* nodes = e->background->view->nodes + 4 * (size_t)tet;
    for (uint32_t i = 0; i < 4; ++i)
    {
        const uint32_t local = rbl_rank_find(e->node_ranks, nodes[i]);
        out[i] = local != RBL_NONE ? e->labels[local] : RBL_NONE;
    }
    const uint32_t other = (out[0] ^ out[1]) | (out[0] ^ out[2]) | (out[0] ^ out[3]);
    return other == 0 && out[0] != RBL_NONE;
}

static uint32_t count_distinct(const uint32_t labels[4])
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < 4; ++i)
    {
        bool is_new = labels[i] != RBL_NONE;
        for (uint32_t k = 0; k < i; ++k)
        {
            is_new = is_new && labels[k] != labels[i];
        }
        count += is_new;
    }
    return count;
}

// ---- planes ----

// w_i b_i as a linear function of the position, in doubles: b_i is 1 at its node and 0 on the opposite face.
typedef struct Function
{
    rblVec3d slope;
    double offset;
} Function;

static void find_functions(const rblTetsView* view, uint32_t tet, const float weights[4], Function out[4])
{
    rblVec3d corners[4];
    rbl_tet_corners(view, tet, corners);
    const double six = 6.0 * rbl_tet_volume(corners);
    for (uint32_t i = 0; i < 4; ++i)
    {
        const uint8_t* face = rbl_tet_faces[i];
        const rblVec3d a = corners[face[0]];
        const rblVec3d across = rbl_cross3d(rbl_sub3d(corners[face[1]], a), rbl_sub3d(corners[face[2]], a));
        out[i].slope = rbl_scale3d(across, -(double)weights[i] / six);
        out[i].offset = -rbl_dot3d(out[i].slope, a);
    }
}

// The plane phi_own - phi_other = 0, with a unit normal.
static rblCutPlane plane_between(const TetNodes* t, const Function functions[4], uint32_t own, uint32_t other)
{
    Function sum = {{0, 0, 0}, 0};
    for (uint32_t i = 0; i < 4; ++i)
    {
        const double sign = t->labels[i] == own ? 1.0 : (t->labels[i] == other ? -1.0 : 0.0);
        sum.slope = rbl_add3d(sum.slope, rbl_scale3d(functions[i].slope, sign));
        sum.offset += sign * functions[i].offset;
    }
    const double inverse = 1.0 / rbl_length3d(sum.slope);
    return (rblCutPlane){.normal = rbl_to_float3(rbl_scale3d(sum.slope, inverse)),
                         .offset = (float)(sum.offset * inverse)};
}

static void add_plane(rblCutPart* part, rblCutPlane plane)
{
    part->planes[part->plane_count++] = plane;
    part->own_count += 1;
}

static const rblCutPart* inherited_part(const rblFragmentEvent* e, uint32_t tet)
{
    const rblFragmentEvent* parent = e->parent;
    const uint32_t state = parent == NULL ? 0 : parent->states[rbl_rank_find(parent->tet_ranks, tet)];
    return (state & RBL_CUT) != 0 ? rbl_fragment_part(parent, state & ~RBL_CUT, e->parent_label) : NULL;
}

// Both sides of a border have the same plane with opposite signs, bit for bit. Returns the position for the planes of
// the next tetrahedron.
static rblCutPlane* write_parts(rblFragmentEvent* e, uint32_t tet, rblCutPart* parts, rblCutPlane* planes)
{
    const TetNodes t = nodes_of(e, tet);
    const rblCutPart* inherited = inherited_part(e, tet);
    Function functions[4];
    find_functions(e->background->view, tet, t.weights, functions);
    const uint32_t before = inherited != NULL ? inherited->plane_count : 0;
    for (uint32_t k = 0; k < t.count; ++k)
    {
        parts[k] = (rblCutPart){.label = t.distinct[k], .plane_count = before, .planes = planes};
        for (uint32_t i = 0; i < before; ++i)
        {
            planes[i] = inherited->planes[i];
        }
        planes += before + t.count - 1;
    }
    for (uint32_t k = 0; k < t.count; ++k)
    {
        for (uint32_t l = k + 1; l < t.count; ++l)
        {
            const rblCutPlane plane = plane_between(&t, functions, t.distinct[k], t.distinct[l]);
            add_plane(&parts[k], plane);
            add_plane(&parts[l], (rblCutPlane){.normal = rbl_neg3(plane.normal), .offset = -plane.offset});
        }
    }
    e->new_cut_count += t.count > 1;
    return planes;
}

// ---- cut edges ----

typedef RBL_ARRAY(rblCutPoint) CutPoints;

// From the lower node to the higher one, so that both ends compute the same bits.
static rblVec3 cut_point(const rblFragmentEvent* e, uint32_t a, uint32_t b)
{
    const uint32_t low = a < b ? a : b, high = a < b ? b : a;
    const rblVec3 from = e->background->nodes[e->nodes[low]].position;
    const rblVec3 to = e->background->nodes[e->nodes[high]].position;
    const float fraction = e->weights[low] / (e->weights[low] + e->weights[high]);
    return rbl_mul_add3(from, fraction, rbl_sub3(to, from));
}

static bool cut_edges_at(const rblFragmentEvent* e, uint32_t local, CutPoints* points)
{
    const rblBackground* b = e->background;
    const uint32_t node = e->nodes[local];
    bool ok = true;
    for (uint32_t k = b->first_edges[node]; k < b->first_edges[node + 1] && ok; ++k)
    {
        const uint32_t other = rbl_rank_find(e->node_ranks, b->edges[k].node);
        if (other != RBL_NONE && e->labels[other] != e->labels[local])
        {
            const rblCutPoint point = {cut_point(e, local, other), local};
            ok = rbl_array_push(points, point);
        }
    }
    return ok;
}

static bool inherit_cut_points(const rblFragmentEvent* e, CutPoints* points)
{
    const rblFragmentEvent* parent = e->parent;
    bool ok = true;
    for (uint32_t i = 0; parent != NULL && i < parent->cut_point_count && ok; ++i)
    {
        const rblCutPoint* point = &parent->cut_points[i];
        if (parent->labels[point->local] == e->parent_label)
        {
            const rblCutPoint kept = {point->point,
                                      rbl_rank_find(e->node_ranks, parent->nodes[point->local])};
            ok = rbl_array_push(points, kept);
        }
    }
    return ok;
}

static void mark_cut_nodes(rblFragmentEvent* e)
{
    memset(e->exposed, 0, e->node_count);
    for (uint32_t cut = 0; cut < e->cut_count; ++cut)
    {
        const uint32_t* nodes = e->background->view->nodes + 4 * (size_t)e->tets[e->cut_tets[cut]];
        for (uint32_t k = 0; k < 4; ++k)
        {
            const uint32_t local = rbl_rank_find(e->node_ranks, nodes[k]);
            if (local != RBL_NONE)
            {
                e->exposed[local] = 1;
            }
        }
    }
}

static rblResult list_cut_points(rblFragmentEvent* e)
{
    CutPoints points;
    rbl_array_init(&points, e->allocator);
    bool ok = inherit_cut_points(e, &points);
    for (uint32_t i = 0; i < e->node_count && ok; ++i)
    {
        ok = !e->exposed[i] || cut_edges_at(e, i, &points);
    }
    e->cut_points = points.data;
    e->cut_point_count = (uint32_t)points.count;
    e->cut_point_capacity = (uint32_t)points.capacity;
    return ok ? RBL_OK : rbl_fail_memory();
}

// ---- creation ----

// Per tetrahedron the number of cut tetrahedra and of parts before it, and the total number of planes.
typedef struct CutCount
{
    rblIndexArray tets;
    rblIndexArray first_parts;
    uint32_t parts, planes;
} CutCount;

static bool count_parts(rblFragmentEvent* e, CutCount* c)
{
    bool ok = true;
    for (uint32_t i = 0; i < e->tet_count && ok; ++i)
    {
        uint32_t labels[4];
        const bool uncut = read_labels(e, e->tets[i], labels);
        e->states[i] = labels[0];
        if (!uncut)
        {
            const uint32_t count = count_distinct(labels);
            const rblCutPart* inherited = inherited_part(e, e->tets[i]);
            e->states[i] = RBL_CUT | (uint32_t)c->tets.count;
            ok = rbl_array_push(&c->tets, i) && rbl_array_push(&c->first_parts, c->parts);
            c->parts += count;
            c->planes += count * (count - 1 + (inherited != NULL ? inherited->plane_count : 0));
        }
    }
    return ok && rbl_array_push(&c->first_parts, c->parts);
}

// Allocate exactly the counted sizes: events exist for a long time.
static bool reserve(rblFragmentEvent* e, const CutCount* c)
{
    const rblAllocator* allocator = e->allocator;
    e->cut_count = (uint32_t)c->tets.count;
    e->plane_count = c->planes;
    e->first_parts = RBL_NEW_ARRAY(allocator, uint32_t, (size_t)e->cut_count + 1);
    if (e->first_parts == NULL)
    {
        return false;
    }
    memcpy(e->first_parts, c->first_parts.data, sizeof *e->first_parts * ((size_t)e->cut_count + 1));
    e->exposed = RBL_NEW_ARRAY(allocator, uint8_t, e->node_count);
    e->cut_tets = RBL_NEW_ARRAY(allocator, uint32_t, e->cut_count);
    e->parts = RBL_NEW_ARRAY(allocator, rblCutPart, c->parts);
    e->planes = RBL_NEW_ARRAY(allocator, rblCutPlane, c->planes);
    if (e->exposed == NULL || (e->cut_tets == NULL && e->cut_count > 0) ||
        (e->parts == NULL && c->parts > 0) || (e->planes == NULL && c->planes > 0))
    {
        return false;
    }
    for (uint32_t i = 0; i < e->cut_count; ++i)
    {
        e->cut_tets[i] = c->tets.data[i];
    }
    return true;
}

rblResult rbl_fragment_event_cut(rblFragmentEvent* e)
{
    CutCount c = {.parts = 0};
    rbl_array_init(&c.tets, e->allocator);
    rbl_array_init(&c.first_parts, e->allocator);
    const bool ok = count_parts(e, &c) && reserve(e, &c);
    rbl_array_free(&c.tets);
    rbl_array_free(&c.first_parts);
    if (!ok)
    {
        return rbl_fail_memory();
    }
    rblCutPlane* planes = e->planes;
    for (uint32_t cut = 0; cut < e->cut_count; ++cut)
    {
        planes = write_parts(e, e->tets[e->cut_tets[cut]], e->parts + e->first_parts[cut], planes);
    }
    mark_cut_nodes(e);
    return list_cut_points(e);
}
