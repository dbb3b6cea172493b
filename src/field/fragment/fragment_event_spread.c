// Spread of distances to cracks, from the cut tetrahedra through the mesh, ring by ring, as long as a crack is closer
// than the known surface.
//
// The paper's front carries planes and averages them (Glondu 2012, Eq. 1 and 2). We tested this: planes continue where
// their crack has ended, averages of different planes are too far away, and both errors grow from ring to ring
// (docs/fields.md). Here every node stores the crack piece that is nearest among those of its neighbours, and computes
// the distance to it: errors do not accumulate.
#include "base/error.h"
#include "field/fragment/fragment_event.h"
#include "math/simd.h"
#include "math/vec.h"

typedef struct Spread
{
    rblFragmentEvent* event;
    uint32_t* nearest;   // per node of the event: its piece; RBL_NONE: no piece of this event
    uint8_t* waiting;    // per node: 1 if it is in the next ring already
    rblIndexArray front; // nodes of the last ring
    rblIndexArray next;
} Spread;

// Up to four nodes that may be closer to one crack piece than to their present one.
typedef struct Offer
{
    uint32_t locals[4];
    float limits[4]; // m, largest distance that is accepted
    uint32_t count;
} Offer;

// Distances of nodes from a disc.
static void measure(const Spread* s, const rblCrackPiece* piece, const Offer* offer, float out[4])
{
    const rblFragmentEvent* e = s->event;
    rblFloat4 x[4];
    for (uint32_t i = 0; i < 4; ++i)
    {
        const uint32_t local = offer->locals[i < offer->count ? i : 0];
        x[i] = rbl_load4(&e->background->nodes[e->nodes[local]].position.x);
    }
    rbl_transpose4(&x[0], &x[1], &x[2], &x[3]);
    const rblFloat4 zero = rbl_splat4(0.0f);
    const rblFloat4 dx = rbl_sub4(rbl_splat4(piece->center.x), x[0]);
    const rblFloat4 dy = rbl_sub4(rbl_splat4(piece->center.y), x[1]);
    const rblFloat4 dz = rbl_sub4(rbl_splat4(piece->center.z), x[2]);
    const rblFloat4 square = rbl_add4(rbl_add4(rbl_mul4(dx, dx), rbl_mul4(dy, dy)), rbl_mul4(dz, dz));
    const rblFloat4 height = rbl_add4(
        rbl_add4(rbl_mul4(dx, rbl_splat4(piece->normal.x)), rbl_mul4(dy, rbl_splat4(piece->normal.y))),
        rbl_mul4(dz, rbl_splat4(piece->normal.z)));
    const rblFloat4 up = rbl_mul4(height, height);
    const rblFloat4 aside = rbl_sqrt4(rbl_max4(rbl_sub4(square, up), zero));
    const rblFloat4 beyond = rbl_max4(rbl_sub4(aside, rbl_splat4(piece->radius)), zero);
    rbl_store4(out, rbl_sqrt4(rbl_add4(up, rbl_mul4(beyond, beyond))));
}

// Nodes that are closer to the piece than to their present one take it and enter the next ring.
static bool offer_piece(Spread* s, uint32_t which, Offer* offer)
{
    rblFragmentEvent* e = s->event;
    float distances[4];
    bool ok = true;
    measure(s, &e->pieces[which], offer, distances);
    for (uint32_t i = 0; i < offer->count && ok; ++i)
    {
        const uint32_t local = offer->locals[i];
        if (!(distances[i] < rbl_minf(e->cracks[local].distance, offer->limits[i])))
        {
            continue;
        }
        e->touched += s->nearest[local] == RBL_NONE;
        s->nearest[local] = which;
        e->cracks[local] = e->pieces[which];
        e->cracks[local].distance = distances[i];
        ok = s->waiting[local] || rbl_array_push(&s->next, local);
        s->waiting[local] = 1;
    }
    offer->count = 0;
    return ok;
}

static void add_to(Offer* offer, uint32_t local, float limit)
{
    offer->locals[offer->count] = local;
    offer->limits[offer->count++] = limit;
}

// ---- rings ----

// Start with the nodes of tetrahedra that this event cut, and the crack pieces there.
static bool begin(Spread* s)
{
    const rblFragmentEvent* e = s->event;
    bool ok = true;
    for (uint32_t i = e->first_new_piece; i < e->piece_count && ok; ++i)
    {
        const rblBorder* sides = &e->borders[e->first_new_border + 2 * (i - e->first_new_piece)];
        Offer offer = {.count = 0};
        for (uint32_t k = 0; k < 4; ++k)
        {
            const uint32_t node = e->background->view->nodes[4 * (size_t)e->piece_tets[i] + k];
            const uint32_t local = rbl_rank_find(e->node_ranks, node);
            if (local != RBL_NONE &&
                (e->labels[local] == sides[0].label || e->labels[local] == sides[1].label))
            {
                add_to(&offer, local, INFINITY);
            }
        }
        ok = offer_piece(s, i, &offer);
    }
    return ok;
}

// A crack farther than the original surface is still stored up to this distance: at points between nodes it may be the
// closer one.
static float limit_of(const rblBackground* b, uint32_t node)
{
    return rbl_maxf(b->nodes[node].distance, 0.0f) + b->edge;
}

// Test the piece of a node at its neighbours in the same fragment that are farther from a crack.
static bool update_neighbors(Spread* s, uint32_t local)
{
    const rblFragmentEvent* e = s->event;
    const rblBackground* b = e->background;
    const uint32_t node = e->nodes[local];
    const uint32_t piece = s->nearest[local];
    const float distance = e->cracks[local].distance;
    Offer offer = {.count = 0};
    bool ok = true;
    for (uint32_t k = b->first_edges[node]; k < b->first_edges[node + 1] && ok; ++k)
    {
        const uint32_t other = rbl_rank_find(e->node_ranks, b->edges[k].node);
        if (other == RBL_NONE || e->labels[other] != e->labels[local] || s->nearest[other] == piece ||
            e->cracks[other].distance < distance)
        {
            continue;
        }
        add_to(&offer, other, limit_of(b, b->edges[k].node));
        ok = offer.count < 4 || offer_piece(s, piece, &offer);
    }
    return ok && (offer.count == 0 || offer_piece(s, piece, &offer));
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
            if (!update_neighbors(s, s->front.data[i]))
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
