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
    RBL_ARRAY(rblCrackPiece) pieces; // of this event
    uint32_t* nearest;               // per node of the event: its piece; RBL_NONE: none of this event
    uint8_t* waiting;                // per node: it is in the next ring already
    rblIndexArray front;             // nodes reached in the last ring
    rblIndexArray next;
} Spread;

// ---- pieces ----

// The nodes of a tetrahedron that broke.
typedef struct Corners
{
    uint32_t nodes[4], locals[4], labels[4];
    uint32_t count;
} Corners;

static Corners corners_of(const rblFragmentEvent* e, uint32_t tet)
{
    Corners c = {.count = 0};
    for (uint32_t k = 0; k < 4; ++k)
    {
        const uint32_t node = e->background->view->nodes[4 * (size_t)tet + k];
        const uint32_t local = rbl_rank_find(e->node_ranks, node);
        if (local != RBL_NONE)
        {
            c.nodes[c.count] = node;
            c.locals[c.count] = local;
            c.labels[c.count++] = e->labels[local];
        }
    }
    return c;
}

// The disc about the points at which edges between two labels are cut: through all of them where these are the only ones.
static rblCrackPiece piece_between(const rblFragmentEvent* e, const Corners* c, uint32_t a, uint32_t b,
                                   const rblCutPlane* plane)
{
    rblVec3 points[4];
    uint32_t count = 0;
    rblVec3 sum = {0, 0, 0};
    for (uint32_t i = 0; i < c->count; ++i)
    {
        for (uint32_t j = 0; j < c->count; ++j)
        {
            if (c->labels[i] == a && c->labels[j] == b)
            {
                const float weight = e->weights[c->locals[i]];
                const float share = weight / (weight + e->weights[c->locals[j]]);
                const rblVec3 from = e->background->nodes[c->nodes[i]].position;
                const rblVec3 to = e->background->nodes[c->nodes[j]].position;
                points[count] = rbl_mul_add3(from, share, rbl_sub3(to, from));
                sum = rbl_add3(sum, points[count++]);
            }
        }
    }
    rblCrackPiece piece = {.center = rbl_scale3(sum, 1.0f / (float)count), .normal = plane->normal};
    for (uint32_t i = 0; i < count; ++i)
    {
        piece.radius += rbl_length3(rbl_sub3(points[i], piece.center)) / (float)count;
    }
    return piece;
}

static float distance_to(const rblCrackPiece* piece, rblVec3 p)
{
    const rblVec3 way = rbl_sub3(piece->center, p);
    const float height = rbl_dot3(way, piece->normal);
    const float aside = sqrtf(rbl_maxf(rbl_dot3(way, way) - height * height, 0.0f));
    const float beyond = rbl_maxf(aside - piece->radius, 0.0f);
    return sqrtf(height * height + beyond * beyond);
}

static bool try_piece(Spread* s, uint32_t local, uint32_t which, float limit)
{
    rblFragmentEvent* e = s->event;
    const float distance =
        distance_to(&s->pieces.data[which], e->background->nodes[e->nodes[local]].position);
    if (!(distance < rbl_minf(e->cracks[local].distance, limit)))
    {
        return true;
    }
    e->touched += s->nearest[local] == RBL_NONE;
    s->nearest[local] = which;
    e->cracks[local] = s->pieces.data[which];
    e->cracks[local].distance = distance;
    if (s->waiting[local])
    {
        return true;
    }
    s->waiting[local] = 1;
    return rbl_array_push(&s->next, local);
}

// ---- rings ----

// Nodes of a tetrahedron that this event cut know its pieces of crack.
static bool begin_in(Spread* s, uint32_t tet, uint32_t cut)
{
    const rblFragmentEvent* e = s->event;
    const Corners c = corners_of(e, tet);
    bool ok = true;
    for (uint32_t i = e->first_parts[cut]; i < e->first_parts[cut + 1]; ++i)
    {
        const rblCutPart* part = &e->parts[i];
        const rblCutPlane* plane = &part->planes[part->plane_count - part->own_count];
        for (uint32_t j = e->first_parts[cut]; j < e->first_parts[cut + 1]; ++j)
        {
            if (j == i)
            {
                continue;
            }
            if (j > i)
            {
                const uint32_t other = e->parts[j].label;
                ok = ok && rbl_array_push(&s->pieces, piece_between(e, &c, part->label, other, plane));
                for (uint32_t k = 0; k < c.count && ok; ++k)
                {
                    ok = (c.labels[k] != part->label && c.labels[k] != other) ||
                         try_piece(s, c.locals[k], (uint32_t)s->pieces.count - 1, INFINITY);
                }
            }
            plane += 1;
        }
    }
    return ok;
}

static bool begin(Spread* s)
{
    const rblFragmentEvent* e = s->event;
    bool ok = true;
    for (uint32_t i = 0; i < e->tet_count && ok; ++i)
    {
        const uint32_t cut = e->states[i] & ~RBL_CUT;
        if ((e->states[i] & RBL_CUT) != 0 && e->parts[e->first_parts[cut]].own_count > 0)
        {
            ok = begin_in(s, e->tets[i], cut);
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
    rbl_array_init(&s.pieces, allocator);
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
    rbl_array_free(&s.pieces);
    rbl_array_free(&s.front);
    rbl_array_free(&s.next);
    return ok ? RBL_OK : rbl_fail_memory();
}
