// Distances to cracks, from the cut tetrahedra through the mesh, ring by ring, as far as they are nearer than what was known.
//
// The paper's front carries planes and averages them (Glondu 2012, Eq. 1 and 2). That was tried: planes go on where their crack has
// ended, averages of unlike ones are too far, and both errors grow from ring to ring (docs/fields.md). Here every node carries the piece of
// crack that is nearest as far as its neighbours know, and measures the distance to that itself: nothing adds up.
#include "base/error.h"
#include "field/fragment_event.h"
#include "math/vec.h"

typedef struct Spread
{
    rblFragmentEvent* event;
    uint32_t* nearest;   // per node of the event: its piece; RBL_NONE: none of this event
    uint8_t* waiting;    // per node: it is in the next ring already
    rblIndexArray front; // nodes reached in the last ring
    rblIndexArray next;
} Spread;

// From a point to a disc, when that is less than `limit`; else anything not less.
static float distance_below(const rblCrackPiece* piece, rblVec3 p, float limit)
{
    const rblVec3 way = rbl_sub3(piece->center, p);
    const float square = rbl_dot3(way, way);
    const float reach = limit + piece->radius;
    if (!(square < reach * reach))
    {
        return limit;
    }
    const float height = rbl_dot3(way, piece->normal);
    const float aside = sqrtf(rbl_maxf(square - height * height, 0.0f));
    const float beyond = rbl_maxf(aside - piece->radius, 0.0f);
    return sqrtf(height * height + beyond * beyond);
}

static bool try_piece(Spread* s, uint32_t local, uint32_t which, float limit)
{
    rblFragmentEvent* e = s->event;
    const float least = rbl_minf(e->cracks[local].distance, limit);
    const float distance =
        distance_below(&e->pieces[which], e->background->nodes[e->nodes[local]].position, least);
    if (!(distance < least))
    {
        return true;
    }
    e->touched += s->nearest[local] == RBL_NONE;
    s->nearest[local] = which;
    e->cracks[local] = e->pieces[which];
    e->cracks[local].distance = distance;
    if (s->waiting[local])
    {
        return true;
    }
    s->waiting[local] = 1;
    return rbl_array_push(&s->next, local);
}

// ---- rings ----

// Nodes of tetrahedra that this event cut know the pieces of crack there.
static bool begin(Spread* s)
{
    const rblFragmentEvent* e = s->event;
    bool ok = true;
    for (uint32_t i = e->first_new_piece; i < e->piece_count && ok; ++i)
    {
        const rblBorder* sides = &e->borders[e->first_new_border + 2 * (i - e->first_new_piece)];
        for (uint32_t k = 0; k < 4 && ok; ++k)
        {
            const uint32_t node = e->background->view->nodes[4 * (size_t)e->piece_tets[i] + k];
            const uint32_t local = rbl_rank_find(e->node_ranks, node);
            if (local != RBL_NONE &&
                (e->labels[local] == sides[0].label || e->labels[local] == sides[1].label))
            {
                ok = try_piece(s, local, i, INFINITY);
            }
        }
    }
    return ok;
}

// How far beyond the original surface's distance a crack's is still kept: between nodes the nearer of both is not known before.
static float limit_of(const rblBackground* b, uint32_t node)
{
    return rbl_maxf(b->nodes[node].distance, 0.0f) + b->edge;
}

// A node tells its neighbours in the same fragment that are no nearer to a crack than itself.
static bool tell_neighbors(Spread* s, uint32_t local)
{
    const rblFragmentEvent* e = s->event;
    const rblBackground* b = e->background;
    const uint32_t node = e->nodes[local];
    for (uint32_t k = b->first_edges[node]; k < b->first_edges[node + 1]; ++k)
    {
        const uint32_t other = rbl_rank_find(e->node_ranks, b->edges[k].node);
        if (other == RBL_NONE || e->labels[other] != e->labels[local] ||
            s->nearest[other] == s->nearest[local] || e->cracks[other].distance < e->cracks[local].distance)
        {
            continue;
        }
        if (!try_piece(s, other, s->nearest[local], limit_of(b, b->edges[k].node)))
        {
            return false;
        }
    }
    return true;
}

static bool spread(Spread* s)
{
    while (s->next.count > 0)
    {
        const rblIndexArray ring = s->next;
        s->next = s->front;
        s->front = ring;
        rbl_array_clear(&s->next);
        for (size_t i = 0; i < s->front.count; ++i)
        {
            s->waiting[s->front.data[i]] = 0;
        }
        for (size_t i = 0; i < s->front.count; ++i)
        {
            if (!tell_neighbors(s, s->front.data[i]))
            {
                return false;
            }
        }
        s->event->rings += 1;
    }
    return true;
}

rblResult rbl_fragment_event_spread(rblFragmentEvent* event)
{
    const rblAllocator* allocator = event->allocator;
    Spread s = {.event = event,
                .nearest = RBL_NEW_ARRAY(allocator, uint32_t, event->node_count),
                .waiting = rbl_alloc_zero(allocator, event->node_count)};
    rbl_array_init(&s.front, allocator);
    rbl_array_init(&s.next, allocator);
    bool ok = s.nearest != NULL && s.waiting != NULL;
    if (ok)
    {
        memset(s.nearest, 0xFF, sizeof *s.nearest * event->node_count);
        ok = begin(&s) && spread(&s);
    }
    RBL_FREE_ARRAY(allocator, s.nearest, event->node_count);
    RBL_FREE_ARRAY(allocator, s.waiting, event->node_count);
    rbl_array_free(&s.front);
    rbl_array_free(&s.next);
    return ok ? RBL_OK : rbl_fail_memory();
}
