// The crack pieces around the fragments of an event: one disc for each border between two parts in a tetrahedron.
#include "base/error.h"
#include "field/fragment/fragment_event.h"
#include "math/vec.h"

// The nodes of a tetrahedron that belong to the broken fragment.
typedef struct Corners
{
    uint32_t locals[4], labels[4];
    uint32_t count;
    uint32_t lost[4]; // nodes of the background that belong to other fragments of earlier events
    uint32_t lost_count;
} Corners;

static Corners corners_of(const rblFragmentEvent* e, uint32_t tet)
{
    Corners c;
    c.count = 0;
    c.lost_count = 0;
    for (uint32_t k = 0; k < 4; ++k)
    {
        const uint32_t node = e->background->view->nodes[4 * (size_t)tet + k];
        const uint32_t local = rbl_rank_find(e->node_ranks, node);
        if (local == RBL_NONE)
        {
            c.lost[c.lost_count++] = node;
            continue;
        }
        c.locals[c.count] = local;
        c.labels[c.count++] = e->labels[local];
    }
    return c;
}

// Per corner: its position times 1 / w_i, and 1 / w_i.
typedef struct Shares
{
    rblVec3 points[4];
    float shares[4];
} Shares;

static void find_shares(const rblFragmentEvent* e, const Corners* c, Shares* out)
{
    for (uint32_t k = 0; k < c->count; ++k)
    {
        const uint32_t local = c->locals[k];
        out->shares[k] = 1.0f / e->weights[local];
        out->points[k] = rbl_scale3(e->background->nodes[e->nodes[local]].position, out->shares[k]);
    }
}

// The point where w_i b_i is equal for nodes of different labels: on their common edge, on their face, or inside. There
// b_i is proportional to 1 / w_i.
static rblVec3 meeting_point(const Shares* s, const uint32_t* which, uint32_t count)
{
    rblVec3 sum = s->points[which[0]];
    float shares = s->shares[which[0]];
    for (uint32_t k = 1; k < count; ++k)
    {
        sum = rbl_add3(sum, s->points[which[k]]);
        shares += s->shares[which[k]];
    }
    return rbl_scale3(sum, 1.0f / shares);
}

// Whether the four nodes have four different labels, two of them a and b.
static bool four_labels(const Corners* c, uint32_t a, uint32_t b)
{
    uint32_t others[2] = {0, 0}, count = 0;
    for (uint32_t m = 0; m < c->count; ++m)
    {
        if (c->labels[m] != a && c->labels[m] != b)
        {
            others[count++] = c->labels[m];
        }
    }
    return count == 2 && others[0] != others[1];
}

// The corners with a label, in rising order. Returns their number.
static uint32_t list_with(const Corners* c, uint32_t label, uint32_t out[4])
{
    uint32_t count = 0;
    for (uint32_t k = 0; k < c->count; ++k)
    {
        out[count] = k;
        count += c->labels[k] == label;
    }
    return count;
}

// Corners of the border between two labels, at most four: on edges, on faces with a third label, and where four labels
// meet.
static uint32_t border_corners(const Corners* c, const Shares* shares, uint32_t a, uint32_t b, rblVec3 out[4])
{
    uint32_t with_a[4], with_b[4], count = 0;
    const uint32_t a_count = list_with(c, a, with_a), b_count = list_with(c, b, with_b);
    for (uint32_t k = 0; k < a_count * b_count; ++k)
    {
        uint32_t which[3] = {with_a[k / b_count], with_b[k % b_count], 0};
        out[count++] = meeting_point(shares, which, 2);
        for (uint32_t m = 0; m < c->count && a_count + b_count < c->count; ++m)
        {
            if (c->labels[m] != a && c->labels[m] != b && count < 4)
            {
                which[2] = m;
                out[count++] = meeting_point(shares, which, 3);
            }
        }
    }
    if (c->count == 4 && four_labels(c, a, b))
    {
        const uint32_t all[4] = {0, 1, 2, 3};
        out[count++] = meeting_point(shares, all, 4);
    }
    return count;
}

static rblVec3 mean_of(const rblVec3* points, uint32_t count)
{
    rblVec3 sum = {0, 0, 0};
    for (uint32_t i = 0; i < count; ++i)
    {
        sum = rbl_add3(sum, points[i]);
    }
    return rbl_scale3(sum, 1.0f / (float)count);
}

// Two discs around some corners: one with their mean distance from the centre, and one that contains all.
typedef struct Discs
{
    rblVec3 middle;
    float mean, most;
} Discs;

static Discs discs_about(const rblVec3* corners, uint32_t count)
{
    Discs discs = {.middle = mean_of(corners, count)};
    for (uint32_t i = 0; i < count; ++i)
    {
        const float distance = rbl_length3(rbl_sub3(corners[i], discs.middle));
        discs.mean += distance / (float)count;
        discs.most = rbl_maxf(distance, discs.most);
    }
    return discs;
}

// ---- list of pieces ----

typedef struct Listing
{
    rblFragmentEvent* event;
    RBL_ARRAY(rblCrackPiece) pieces;
    RBL_ARRAY(rblBorder) borders;
    rblIndexArray tets;
} Listing;

static bool add_piece(Listing* l, const rblCrackPiece* piece, uint32_t tet)
{
    return rbl_array_push(&l->pieces, *piece) && rbl_array_push(&l->tets, tet);
}

// Add a fragment at the border of the last piece.
static bool add_border(Listing* l, uint32_t label)
{
    const rblBorder border = {label, (uint32_t)l->pieces.count - 1};
    return rbl_array_push(&l->borders, border);
}

// A piece at the border of the parent is at the border of those of its fragments that are in the same tetrahedron.
static bool inherit(Listing* l)
{
    const rblFragmentEvent* parent = l->event->parent;
    bool ok = true;
    for (uint32_t i = 0; parent != NULL && i < parent->border_count && ok; ++i)
    {
        const rblBorder* border = &parent->borders[i];
        if (border->label != l->event->parent_label)
        {
            continue;
        }
        const Corners c = corners_of(l->event, parent->piece_tets[border->piece]);
        ok = add_piece(l, &parent->pieces[border->piece], parent->piece_tets[border->piece]);
        for (uint32_t k = 0; k < c.count && ok; ++k)
        {
            bool known = false;
            for (uint32_t m = 0; m < k; ++m)
            {
                known = known || c.labels[m] == c.labels[k];
            }
            ok = known || add_border(l, c.labels[k]);
        }
    }
    return ok;
}

// The plane of a part towards another part: planes of this event are the last, in the order of the other parts.
static rblCutPlane* plane_towards(const rblFragmentEvent* e, uint32_t first, uint32_t part, uint32_t other)
{
    rblCutPart* p = &e->parts[part];
    return &p->planes[p->plane_count - p->own_count + (other - first) - (other > part)];
}

// In a tetrahedron with nodes of other fragments, earlier planes cut the border before these nodes.
static rblCrackPiece piece_between(const rblFragmentEvent* e, const Corners* c, const Shares* shares,
                                   uint32_t first, uint32_t i, uint32_t j)
{
    rblVec3 corners[6];
    const uint32_t count = border_corners(c, shares, e->parts[i].label, e->parts[j].label, corners);
    for (uint32_t k = 0; k < c->lost_count; ++k)
    {
        corners[count + k] = e->background->nodes[c->lost[k]].position;
    }
    const Discs border = discs_about(corners, count);
    const Discs whole = c->lost_count > 0 ? discs_about(corners, count + c->lost_count) : border;
    rblCutPlane* here = plane_towards(e, first, i, j);
    rblCutPlane* there = plane_towards(e, first, j, i);
    here->middle = there->middle = whole.middle;
    here->reach = there->reach = whole.most;
    return (rblCrackPiece){.center = border.middle, .radius = border.mean, .normal = here->normal};
}

static bool list_in(Listing* l, uint32_t tet, uint32_t cut)
{
    const rblFragmentEvent* e = l->event;
    const Corners c = corners_of(e, tet);
    const uint32_t first = e->first_parts[cut], end = e->first_parts[cut + 1];
    Shares shares;
    find_shares(e, &c, &shares);
    bool ok = true;
    for (uint32_t i = first; i < end; ++i)
    {
        for (uint32_t j = i + 1; j < end && ok; ++j)
        {
            const rblCrackPiece piece = piece_between(e, &c, &shares, first, i, j);
            ok = add_piece(l, &piece, tet) && add_border(l, e->parts[i].label) &&
                 add_border(l, e->parts[j].label);
        }
    }
    return ok;
}

static bool list_new(Listing* l)
{
    const rblFragmentEvent* e = l->event;
    bool ok = true;
    for (uint32_t cut = 0; cut < e->cut_count && ok; ++cut)
    {
        if (e->parts[e->first_parts[cut]].own_count > 0)
        {
            ok = list_in(l, e->tets[e->cut_tets[cut]], cut);
        }
    }
    return ok;
}

rblResult rbl_fragment_event_list_pieces(rblFragmentEvent* e)
{
    Listing l = {.event = e};
    rbl_array_init(&l.pieces, e->allocator);
    rbl_array_init(&l.borders, e->allocator);
    rbl_array_init(&l.tets, e->allocator);
    bool ok = rbl_array_reserve(&l.pieces, e->new_cut_count) &&
              rbl_array_reserve(&l.tets, e->new_cut_count) &&
              rbl_array_reserve(&l.borders, 2 * (size_t)e->new_cut_count) && inherit(&l);
    e->first_new_piece = (uint32_t)l.pieces.count;
    e->first_new_border = (uint32_t)l.borders.count;
    ok = ok && list_new(&l);
    e->pieces = l.pieces.data;
    e->piece_count = (uint32_t)l.pieces.count;
    e->piece_capacity = (uint32_t)l.pieces.capacity;
    e->piece_tets = l.tets.data;
    e->piece_tet_capacity = (uint32_t)l.tets.capacity;
    e->borders = l.borders.data;
    e->border_count = (uint32_t)l.borders.count;
    e->border_capacity = (uint32_t)l.borders.capacity;
    return ok ? RBL_OK : rbl_fail_memory();
}

// ---- by label ----

// A stable counting sort. On return `starts` has the ends of the labels.
static void sort_by_label(const rblFragmentEvent* e, uint32_t* starts, rblBorder* out)
{
    for (uint32_t i = 0; i < e->border_count; ++i)
    {
        starts[e->borders[i].label + 1] += 1;
    }
    for (uint32_t i = 0; i < e->label_count; ++i)
    {
        starts[i + 1] += starts[i];
    }
    for (uint32_t i = 0; i < e->border_count; ++i)
    {
        out[starts[e->borders[i].label]++] = e->borders[i];
    }
}

rblResult rbl_fragment_event_sort_pieces(rblFragmentEvent* e)
{
    const rblAllocator* allocator = e->allocator;
    e->label_ends = rbl_alloc_zero(allocator, sizeof *e->label_ends * ((size_t)e->label_count + 1));
    e->by_label = RBL_NEW_ARRAY(allocator, rblBorder, e->border_count);
    if ((e->by_label == NULL && e->border_count > 0) || e->label_ends == NULL)
    {
        return rbl_fail_memory();
    }
    sort_by_label(e, e->label_ends, e->by_label);
    return RBL_OK;
}
