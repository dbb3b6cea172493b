// Clipping of polygons, and selection of few contacts from many.
#include "base/error.h"
#include "field/contact/collide.h"
#include "field/convex/convex_contact.h"

// ---- clipping (Sutherland and Hodgman 1974) ----

static rblClipVertex cut_edge(const rblClipVertex* from, const rblClipVertex* to, float from_side,
                              float to_side, uint16_t edge)
{
    const float t = from_side / (from_side - to_side);
    return (rblClipVertex){rbl_mul_add3(from->p, t, rbl_sub3(to->p, from->p)), edge, 0};
}

// Clip by one plane. `side`: signed distance of each corner, positive outside.
static uint32_t clip_plane(const rblClipVertex* in, const float* side, uint32_t count, uint16_t plane_edge,
                           rblClipVertex* out)
{
    uint32_t made = 0;
    const uint32_t edges = count == 2 ? 1 : count; // a segment has one edge
    for (uint32_t i = 0; i < count; ++i)
    {
        const uint32_t next = i + 1 < count ? i + 1 : 0;
        const bool inside = side[i] <= 0.0f;
        if (inside)
        {
            out[made++] = in[i];
        }
        if (i < edges && inside != (side[next] <= 0.0f))
        {
            const uint16_t edge = inside ? plane_edge : in[i].edge;
            out[made++] = cut_edge(&in[i], &in[next], side[i], side[next], edge);
        }
    }
    return made;
}

uint32_t rbl_clip(rblClipVertex* polygon, uint32_t count, const rblClipVertex* by, uint32_t by_count,
                  rblVec3 axis)
{
    rblClipVertex other[RBL_CLIP_CAPACITY];
    float side[RBL_CLIP_CAPACITY];
    rblClipVertex* in = polygon;
    rblClipVertex* out = other;
    for (uint32_t k = 0; k < by_count && count > 0; ++k)
    {
        const rblVec3 corner = by[k].p;
        const rblVec3 outward = rbl_cross3(rbl_sub3(by[k + 1 < by_count ? k + 1 : 0].p, corner), axis);
        bool any_outside = false;
        for (uint32_t i = 0; i < count; ++i)
        {
            side[i] = rbl_dot3(outward, rbl_sub3(in[i].p, corner));
            any_outside = any_outside || side[i] > 0.0f;
        }
        if (any_outside)
        {
            count = clip_plane(in, side, count, (uint16_t)(by[k].edge | RBL_CLIPPED_EDGE), out);
            rblClipVertex* swap = in;
            in = out;
            out = swap;
        }
    }
    if (in != polygon)
    {
        for (uint32_t i = 0; i < count; ++i)
        {
            polygon[i] = in[i];
        }
    }
    return count;
}

// ---- selection ----

// Squared sine of the angle at the first of three contacts, at least, for a linear prediction.
#define MIN_SINE_SQUARED 1e-4f
#define FLAT             0.01f // relative to the largest distance between contacts; depth of points on a flat face

static void keep(rblManifold* m, uint32_t index, uint32_t chosen)
{
    const rblContactPoint swap = m->points[index];
    m->points[index] = m->points[chosen];
    m->points[chosen] = swap;
}

static uint32_t deepest(const rblManifold* m)
{
    uint32_t best = 0;
    for (uint32_t i = 1; i < m->count; ++i)
    {
        best = m->points[i].distance < m->points[best].distance ? i : best;
    }
    return best;
}

static uint32_t farthest_from(const rblManifold* m, rblVec3 p)
{
    uint32_t best = 1;
    float most = -1.0f;
    for (uint32_t i = 1; i < m->count; ++i)
    {
        const rblVec3 difference = rbl_sub3(m->points[i].point, p);
        const float squared = rbl_dot3(difference, difference);
        if (squared > most)
        {
            most = squared;
            best = i;
        }
    }
    return best;
}

// The contact with the largest signed area of the triangle over an edge, seen along the normal, times `sign`.
static uint32_t largest_triangle(const rblManifold* m, uint32_t begin, rblVec3 a, rblVec3 b, float sign,
                                 float* area)
{
    uint32_t best = begin;
    *area = -INFINITY;
    for (uint32_t i = begin; i < m->count; ++i)
    {
        const rblVec3 cross = rbl_cross3(rbl_sub3(b, a), rbl_sub3(m->points[i].point, a));
        const float signed_area = sign * rbl_dot3(cross, m->points[0].normal);
        if (signed_area > *area)
        {
            *area = signed_area;
            best = i;
        }
    }
    return best;
}

// The deepest contact, the farthest from it, the one with the largest triangle with both, and the one that adds most
// area.
static void select_four(rblManifold* m)
{
    keep(m, 0, deepest(m));
    keep(m, 1, farthest_from(m, m->points[0].point));
    float left;
    float right;
    const uint32_t on_left = largest_triangle(m, 2, m->points[0].point, m->points[1].point, 1.0f, &left);
    const uint32_t on_right = largest_triangle(m, 2, m->points[0].point, m->points[1].point, -1.0f, &right);
    const bool turn_left = left >= right;
    keep(m, 2, turn_left ? on_left : on_right);
    // The fourth is outside the triangle of the first three; their orientation decides which sign is outside.
    const float outside = turn_left ? -1.0f : 1.0f;
    uint32_t best = 3;
    float most = -INFINITY;
    for (uint32_t side = 0; side < 3; ++side)
    {
        float area;
        const uint32_t candidate =
            largest_triangle(m, 3, m->points[side].point, m->points[(side + 1) % 3].point, outside, &area);
        if (area > most)
        {
            most = area;
            best = candidate;
        }
    }
    keep(m, 3, best);
    m->count = RBL_CONTACTS_A_PAIR;
}

// The distance as a linear function over the contact plane, from three contacts; it predicts the distances of the
// others.
typedef struct Trend
{
    rblVec3 origin, slope;
    float value;
} Trend;

static bool trend_of(const rblContactPoint* a, const rblContactPoint* b, const rblContactPoint* c, Trend* out)
{
    const rblVec3 ab = rbl_sub3(b->point, a->point);
    const rblVec3 ac = rbl_sub3(c->point, a->point);
    const rblVec3 normal = rbl_cross3(ab, ac);
    const float square = rbl_dot3(normal, normal);
    *out = (Trend){.origin = a->point, .value = a->distance};
    if (!(square > MIN_SINE_SQUARED * rbl_dot3(ab, ab) * rbl_dot3(ac, ac)))
    {
        return false;
    }
    const rblVec3 along_b = rbl_scale3(rbl_cross3(ac, normal), (b->distance - a->distance) / square);
    const rblVec3 along_c = rbl_scale3(rbl_cross3(normal, ab), (c->distance - a->distance) / square);
    out->slope = rbl_add3(along_b, along_c);
    return true;
}

// Four contacts, and all others that overlap by more than these predict. A rocking body with small faces changes its
// face within a step: with four contacts it would sink in between (a dome of 100 corners and 40 mm, at 30 Hz, by 11 mm,
// and would never come to rest).
static void select_deep(rblManifold* m)
{
    const uint32_t all = m->count;
    Trend trends[3];
    uint32_t trend_count = 0;
    select_four(m);
    for (uint32_t k = 1; k < RBL_CONTACTS_A_PAIR; ++k)
    {
        const uint32_t next = k + 1 < RBL_CONTACTS_A_PAIR ? k + 1 : 1;
        trend_count += trend_of(&m->points[0], &m->points[k], &m->points[next], &trends[trend_count]);
    }
    const float small = FLAT * rbl_length3(rbl_sub3(m->points[1].point, m->points[0].point));
    for (uint32_t i = RBL_CONTACTS_A_PAIR; i < all; ++i)
    {
        float predicted = -INFINITY;
        for (uint32_t k = 0; k < trend_count; ++k)
        {
            const rblVec3 difference = rbl_sub3(m->points[i].point, trends[k].origin);
            predicted = rbl_maxf(trends[k].value + rbl_dot3(trends[k].slope, difference), predicted);
        }
        if (m->points[i].distance < rbl_minf(0.0f, predicted - small))
        {
            keep(m, m->count++, i);
        }
    }
}

void rbl_manifold_add(rblManifold* m, rblVec3 point, rblVec3 normal, float distance, uint32_t feature)
{
    if (m->count == RBL_MANIFOLD_CAPACITY)
    {
        select_four(m);
    }
    m->points[m->count++] = (rblContactPoint){point, normal, distance, feature};
    m->colliding += distance < 0.0f;
}

static rblResult append_contacts(const rblManifold* manifold, rblContactSet* out)
{
    out->colliding += manifold->colliding;
    if (!rbl_contact_set_reserve(out, manifold->count))
    {
        return rbl_fail_memory();
    }
    for (uint32_t i = 0; i < manifold->count; ++i)
    {
        out->points[out->count++] = manifold->points[i];
    }
    return RBL_OK;
}

rblResult rbl_manifold_give(rblManifold* manifold, rblContactSet* out)
{
    if (manifold->count > RBL_CONTACTS_A_PAIR)
    {
        select_four(manifold);
    }
    return append_contacts(manifold, out);
}

rblResult rbl_manifold_give_deep(rblManifold* manifold, rblContactSet* out)
{
    if (manifold->count > RBL_CONTACTS_A_PAIR)
    {
        select_deep(manifold);
    }
    return append_contacts(manifold, out);
}
