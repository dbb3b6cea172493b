#include "mesh/simplify/simplify_distance.h"

#include "base/error.h"
#include "math/float_bits.h"
#include <string.h>

// Squared distances below this are rounding errors, in squared scaled metres: their root, 1e-13, is about 450 units
// in the last place of a coordinate of 1.
#define ROUNDING 1e-26

rblResult rbl_distance_tracker_init(rblDistanceTracker* tracker, const rblSimplifyCost* cost,
                                    const rblVec3d* originals, const rblAllocator* allocator)
{
    const size_t vertices = cost->mesh->vertex_count;
    const size_t triangles = cost->mesh->triangle_count;
    *tracker = (rblDistanceTracker){
        .allocator = allocator, .cost = cost, .originals = originals, .close_enough = ROUNDING};
    tracker->first_points = RBL_NEW_ARRAY(allocator, uint32_t, triangles);
    tracker->next_points = RBL_NEW_ARRAY(allocator, uint32_t, vertices);
    tracker->ring = RBL_NEW_ARRAY(allocator, uint32_t, triangles);
    tracker->found = RBL_NEW_ARRAY(allocator, uint32_t, vertices);
    tracker->found_homes = RBL_NEW_ARRAY(allocator, uint32_t, vertices);
    if (tracker->first_points == NULL || tracker->next_points == NULL || tracker->ring == NULL ||
        tracker->found == NULL || tracker->found_homes == NULL)
    {
        rbl_distance_tracker_free(tracker);
        return rbl_fail_memory();
    }
    memset(tracker->first_points, 0xFF, sizeof *tracker->first_points * triangles);
    return RBL_OK;
}

void rbl_distance_tracker_free(rblDistanceTracker* tracker)
{
    if (tracker->cost == NULL)
    {
        return;
    }
    const size_t vertices = tracker->cost->mesh->vertex_count;
    const size_t triangles = tracker->cost->mesh->triangle_count;
    RBL_FREE_ARRAY(tracker->allocator, tracker->first_points, triangles);
    RBL_FREE_ARRAY(tracker->allocator, tracker->next_points, vertices);
    RBL_FREE_ARRAY(tracker->allocator, tracker->ring, triangles);
    RBL_FREE_ARRAY(tracker->allocator, tracker->found, vertices);
    RBL_FREE_ARRAY(tracker->allocator, tracker->found_homes, vertices);
    *tracker = (rblDistanceTracker){.allocator = tracker->allocator};
}

// ---- distances ----

static double squared_to_segment(rblVec3d p, rblVec3d a, rblVec3d b)
{
    const rblVec3d ab = rbl_sub3d(b, a);
    const rblVec3d ap = rbl_sub3d(p, a);
    const double length2 = rbl_dot3d(ab, ab);
    const double t = length2 > 0.0 ? rbl_clampd(rbl_dot3d(ap, ab) / length2, 0.0, 1.0) : 0.0;
    const rblVec3d rest = rbl_mul_add3d(ap, -t, ab);
    return rbl_dot3d(rest, rest);
}

static double squared_to_triangle(rblVec3d p, rblVec3d a, rblVec3d b, rblVec3d c)
{
    const rblVec3d pa = rbl_sub3d(a, p), pb = rbl_sub3d(b, p), pc = rbl_sub3d(c, p);
    const rblVec3d normal = rbl_cross3d(rbl_sub3d(b, a), rbl_sub3d(c, a));
    const double area2 = rbl_dot3d(normal, normal);
    const bool above = rbl_dot3d(rbl_cross3d(pa, pb), normal) >= 0.0 &&
                       rbl_dot3d(rbl_cross3d(pb, pc), normal) >= 0.0 &&
                       rbl_dot3d(rbl_cross3d(pc, pa), normal) >= 0.0;
    if (above && area2 > 0.0)
    {
        const double height = rbl_dot3d(pa, normal);
        return height * height / area2;
    }
    return rbl_mind(squared_to_segment(p, a, b),
                    rbl_mind(squared_to_segment(p, b, c), squared_to_segment(p, c, a)));
}

static rblVec3d original_of(const rblDistanceTracker* tracker, uint32_t vertex)
{
    const rblVec3d p = tracker->originals[vertex];
    const int exponent = -tracker->cost->exponent;
    return rbl_vec3d(rbl_scaled(p.x, exponent), rbl_scaled(p.y, exponent), rbl_scaled(p.z, exponent));
}

// From p to the triangle of a corner, with the vertex of that corner at `apex`.
static double squared_to_corner(const rblSimplifyCost* cost, rblVec3d p, uint32_t corner, rblVec3d apex)
{
    const uint32_t* vertices = cost->mesh->corner_vertices;
    return squared_to_triangle(p, apex, cost->positions[vertices[rbl_triangle_next(corner)]],
                               cost->positions[vertices[rbl_triangle_previous(corner)]]);
}

// ---- the ring of triangles around the new position ----

// The corners of one end of the edge in order, without those in removed triangles: counter-clockwise from the
// half-edge that leaves this end, or from the border if that half-edge is missing.
static void add_to_ring(rblDistanceTracker* tracker, uint32_t vertex, uint32_t leaving, uint32_t arriving)
{
    const rblCollapseMesh* mesh = tracker->cost->mesh;
    const uint32_t stop = arriving != RBL_NONE ? rbl_triangle_next(arriving) : RBL_NONE;
    uint32_t c = leaving != RBL_NONE ? rbl_spin_left(mesh, leaving) : mesh->vertex_corners[vertex];
    while (c != RBL_NONE && c != stop)
    {
        tracker->ring[tracker->ring_count++] = c;
        c = rbl_spin_left(mesh, c);
    }
}

// The ring around the new position: first the triangles of the removed vertex, from left of the edge to right of it,
// then those of the kept vertex from right to left.
static void find_ring(rblDistanceTracker* tracker, const rblCollapse* collapse)
{
    tracker->ring_count = 0;
    add_to_ring(tracker, collapse->removed, collapse->forward, collapse->backward);
    tracker->removed_part = tracker->ring_count;
    add_to_ring(tracker, collapse->kept, collapse->backward, collapse->forward);
}

// Search from entry `start` of the ring in both directions while the distance decreases.
static double search_near(const rblDistanceTracker* tracker, rblVec3d p, rblVec3d place, uint32_t start,
                          uint32_t* home)
{
    const uint32_t count = tracker->ring_count;
    const uint32_t steps[2] = {1, count - 1};
    double best = squared_to_corner(tracker->cost, p, tracker->ring[start], place);
    uint32_t at = start;
    for (int way = 0; way < 2; ++way)
    {
        for (uint32_t tried = 1; tried < count; ++tried)
        {
            const uint32_t next = (at + steps[way]) % count;
            const double distance = squared_to_corner(tracker->cost, p, tracker->ring[next], place);
            if (!(distance < best))
            {
                break;
            }
            best = distance;
            at = next;
        }
    }
    *home = tracker->ring[at] / 3;
    return best;
}

// Search the whole ring until a triangle is close enough.
static double search_all(const rblDistanceTracker* tracker, rblVec3d p, rblVec3d place, uint32_t* home)
{
    double best = (double)INFINITY;
    for (uint32_t i = 0; i < tracker->ring_count && best > tracker->close_enough; ++i)
    {
        const double distance = squared_to_corner(tracker->cost, p, tracker->ring[i], place);
        if (distance < best)
        {
            best = distance;
            *home = tracker->ring[i] / 3;
        }
    }
    return best;
}

// The ring triangle that a point is assigned to, and the squared distance to it. Searching the whole ring for every
// point would take quadratic time at vertices of thousands of triangles.
static double point_distance(rblDistanceTracker* tracker, uint32_t point, rblVec3d place, uint32_t start)
{
    const rblVec3d p = original_of(tracker, point);
    uint32_t home;
    double distance = search_near(tracker, p, place, start, &home);
    if (distance > tracker->close_enough)
    {
        distance = search_all(tracker, p, place, &home);
    }
    tracker->found[tracker->found_count] = point;
    tracker->found_homes[tracker->found_count] = home;
    tracker->found_count += 1;
    return distance;
}

// The largest distance of all points of one triangle; the search for their new triangles starts at a ring entry.
static double list_distance(rblDistanceTracker* tracker, uint32_t triangle, rblVec3d place, uint32_t start)
{
    double largest = 0.0;
    for (uint32_t p = tracker->first_points[triangle]; p != RBL_NONE; p = tracker->next_points[p])
    {
        largest = rbl_maxd(point_distance(tracker, p, place, start), largest);
    }
    return largest;
}

// From the new position to the current triangles.
static double place_distance(const rblDistanceTracker* tracker, const rblCandidate* candidate)
{
    const rblCollapse* collapse = &candidate->collapse;
    const rblSimplifyCost* cost = tracker->cost;
    const rblVec3d removed = cost->positions[collapse->removed];
    const rblVec3d kept = cost->positions[collapse->kept];
    double best = (double)INFINITY;
    for (uint32_t i = 0; i < tracker->ring_count; ++i)
    {
        const rblVec3d apex = i < tracker->removed_part ? removed : kept;
        best = rbl_mind(squared_to_corner(cost, candidate->position, tracker->ring[i], apex), best);
    }
    if (collapse->forward != RBL_NONE)
    {
        best = rbl_mind(squared_to_corner(cost, candidate->position, collapse->forward, removed), best);
    }
    if (collapse->backward != RBL_NONE)
    {
        best = rbl_mind(squared_to_corner(cost, candidate->position, collapse->backward, kept), best);
    }
    return best;
}

static double feature_distance(const rblDistanceTracker* tracker, const rblCandidate* candidate)
{
    const rblSimplifyCost* cost = tracker->cost;
    const rblCollapseMesh* mesh = cost->mesh;
    const uint32_t removed = candidate->collapse.removed;
    if (mesh->vertex_kinds[removed] == RBL_VERTEX_FREE)
    {
        return 0.0;
    }
    double largest = 0.0;
    const uint32_t first = mesh->vertex_corners[removed];
    for (uint32_t c = first; c != RBL_NONE; c = rbl_fan_next(mesh, first, c))
    {
        const uint32_t edges[2] = {c, rbl_triangle_previous(c)};
        const uint32_t ends[2] = {rbl_triangle_next(c), rbl_triangle_previous(c)};
        for (int i = 0; i < 2; ++i)
        {
            const uint32_t end = mesh->corner_vertices[ends[i]];
            if (mesh->features[edges[i]] != 0 && end != candidate->collapse.kept)
            {
                largest = rbl_maxd(
                    squared_to_segment(cost->positions[removed], candidate->position, cost->positions[end]),
                    largest);
            }
        }
    }
    return largest;
}

double rbl_distance_measure(rblDistanceTracker* tracker, const rblCandidate* candidate, double limit)
{
    const rblCollapse* collapse = &candidate->collapse;
    const rblSimplifyCost* cost = tracker->cost;
    const rblVec3d place = candidate->position;
    const bool kept_moves = !rbl_equal3d(place, cost->positions[collapse->kept]);
    const double limit2 = limit * limit;
    find_ring(tracker, collapse);
    tracker->found_count = 0;
    double largest = kept_moves ? place_distance(tracker, candidate) : feature_distance(tracker, candidate);
    // A vertex becomes a point to track when it moves for the first time.
    if (!cost->moved[collapse->removed])
    {
        largest = rbl_maxd(point_distance(tracker, collapse->removed, place, 0), largest);
    }
    if (kept_moves && !cost->moved[collapse->kept])
    {
        largest = rbl_maxd(point_distance(tracker, collapse->kept, place, tracker->ring_count - 1), largest);
    }
    if (collapse->forward != RBL_NONE)
    {
        largest = rbl_maxd(list_distance(tracker, collapse->forward / 3, place, 0), largest);
    }
    if (collapse->backward != RBL_NONE)
    {
        const uint32_t right = tracker->removed_part > 0 ? tracker->removed_part - 1 : 0;
        largest = rbl_maxd(list_distance(tracker, collapse->backward / 3, place, right), largest);
    }
    const uint32_t changed = kept_moves ? tracker->ring_count : tracker->removed_part;
    for (uint32_t i = 0; i < changed && largest <= limit2; ++i)
    {
        largest = rbl_maxd(list_distance(tracker, tracker->ring[i] / 3, place, i), largest);
    }
    tracker->measured = largest;
    return sqrt(largest);
}

void rbl_distance_accept(rblDistanceTracker* tracker, const rblCandidate* candidate)
{
    const rblCollapse* collapse = &candidate->collapse;
    const bool kept_moves = !rbl_equal3d(candidate->position, tracker->cost->positions[collapse->kept]);
    const uint32_t changed = kept_moves ? tracker->ring_count : tracker->removed_part;
    for (uint32_t i = 0; i < changed; ++i)
    {
        tracker->first_points[tracker->ring[i] / 3] = RBL_NONE;
    }
    for (uint32_t i = 0; i < tracker->found_count; ++i)
    {
        const uint32_t home = tracker->found_homes[i];
        tracker->next_points[tracker->found[i]] = tracker->first_points[home];
        tracker->first_points[home] = tracker->found[i];
    }
    tracker->close_enough = rbl_maxd(tracker->measured, tracker->close_enough);
}
