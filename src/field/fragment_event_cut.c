// Which tetrahedra a fracture cuts, and the planes of their parts.
#include "base/error.h"
#include "field/fragment_event.h"
#include "math/vec.h"

// The nodes of a tetrahedron that break, as this event sees them.
typedef struct TetNodes
{
    uint32_t labels[4]; // RBL_NONE: lost to an earlier event
    float weights[4];
    uint32_t distinct[4]; // labels, in the order of nodes
    uint32_t count;       // of these
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

// The label that all nodes have, RBL_NONE when they differ or some were lost before.
static uint32_t common_label(const rblFragmentEvent* e, uint32_t tet)
{
    const uint32_t* nodes = e->background->view->nodes + 4 * (size_t)tet;
    uint32_t common = RBL_NONE;
    for (uint32_t i = 0; i < 4; ++i)
    {
        const uint32_t local = rbl_rank_find(e->node_ranks, nodes[i]);
        const uint32_t label = local != RBL_NONE ? e->labels[local] : RBL_NONE;
        if (label == RBL_NONE || (i > 0 && label != common))
        {
            return RBL_NONE;
        }
        common = label;
    }
    return common;
}

// ---- planes ----

// w_i b_i as a linear function of the place, in 64 bits: b_i falls from 1 at its node to 0 on the face opposite.
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

// phi_own - phi_other = 0, of unit normal.
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

// Both sides of a border have the same digits, with opposite signs.
static void write_parts(rblFragmentEvent* e, uint32_t tet, rblCutPart* parts)
{
    const TetNodes t = nodes_of(e, tet);
    const rblCutPart* inherited = inherited_part(e, tet);
    Function functions[4];
    find_functions(e->background->view, tet, t.weights, functions);
    for (uint32_t k = 0; k < t.count; ++k)
    {
        parts[k] = inherited != NULL ? *inherited : (rblCutPart){.label = 0};
        parts[k].label = t.distinct[k];
        parts[k].own_count = 0;
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
}

// ---- cut edges ----

typedef RBL_ARRAY(rblCutPoint) CutPoints;

// From the lower node to the higher one, so that both ends have the same digits.
static rblVec3 cut_point(const rblFragmentEvent* e, uint32_t a, uint32_t b)
{
    const uint32_t low = a < b ? a : b, high = a < b ? b : a;
    const rblVec3 from = e->background->nodes[e->nodes[low]].position;
    const rblVec3 to = e->background->nodes[e->nodes[high]].position;
    const float share = e->weights[low] / (e->weights[low] + e->weights[high]);
    return rbl_mul_add3(from, share, rbl_sub3(to, from));
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

static void mark_cut_nodes(const rblFragmentEvent* e, uint8_t* marks)
{
    for (uint32_t i = 0; i < e->tet_count; ++i)
    {
        for (uint32_t k = 0; k < 4 && (e->states[i] & RBL_CUT) != 0; ++k)
        {
            const uint32_t node = e->background->view->nodes[4 * (size_t)e->tets[i] + k];
            const uint32_t local = rbl_rank_find(e->node_ranks, node);
            if (local != RBL_NONE)
            {
                marks[local] = 1;
            }
        }
    }
}

static rblResult list_cut_points(rblFragmentEvent* e)
{
    CutPoints points;
    uint8_t* marks = rbl_alloc_zero(e->allocator, e->node_count);
    rbl_array_init(&points, e->allocator);
    bool ok = marks != NULL && inherit_cut_points(e, &points);
    if (ok)
    {
        mark_cut_nodes(e, marks);
    }
    for (uint32_t i = 0; i < e->node_count && ok; ++i)
    {
        ok = !marks[i] || cut_edges_at(e, i, &points);
    }
    RBL_FREE_ARRAY(e->allocator, marks, e->node_count);
    e->cut_points = points.data;
    e->cut_point_count = (uint32_t)points.count;
    e->cut_point_capacity = (uint32_t)points.capacity;
    return ok ? RBL_OK : rbl_fail_memory();
}

// ---- all of them ----

// States of whole ones, and how many parts the others have.
static bool count_parts(rblFragmentEvent* e, rblIndexArray* first)
{
    uint32_t parts = 0;
    for (uint32_t i = 0; i < e->tet_count; ++i)
    {
        const uint32_t label = common_label(e, e->tets[i]);
        e->states[i] = label;
        if (label == RBL_NONE)
        {
            const TetNodes t = nodes_of(e, e->tets[i]);
            e->states[i] = RBL_CUT | (uint32_t)first->count;
            if (!rbl_array_push(first, parts))
            {
                return false;
            }
            parts += t.count;
        }
    }
    e->cut_count = (uint32_t)first->count;
    return rbl_array_push(first, parts);
}

rblResult rbl_fragment_event_cut(rblFragmentEvent* e)
{
    rblIndexArray first;
    rbl_array_init(&first, e->allocator);
    if (!count_parts(e, &first))
    {
        rbl_array_free(&first);
        e->cut_count = 0;
        return rbl_fail_memory();
    }
    const uint32_t parts = first.data[e->cut_count];
    e->first_parts = RBL_NEW_ARRAY(e->allocator, uint32_t, (size_t)e->cut_count + 1);
    e->parts = RBL_NEW_ARRAY(e->allocator, rblCutPart, parts);
    if (e->first_parts != NULL)
    {
        memcpy(e->first_parts, first.data, sizeof *e->first_parts * ((size_t)e->cut_count + 1));
    }
    rbl_array_free(&first);
    if (e->first_parts == NULL || (e->parts == NULL && parts > 0))
    {
        return rbl_fail_memory();
    }
    for (uint32_t i = 0; i < e->tet_count; ++i)
    {
        if ((e->states[i] & RBL_CUT) != 0)
        {
            write_parts(e, e->tets[i], e->parts + e->first_parts[e->states[i] & ~RBL_CUT]);
        }
    }
    return list_cut_points(e);
}
