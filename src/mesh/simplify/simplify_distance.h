// How far the input lies from what is left of it (after Ciampalini, Cignoni, Montani and Scopigno 1997,
// "Multiresolution decimation based on global error"). Every vertex of the input that is gone from its place
// is kept with a triangle close to it; when triangles around an edge change, their points look for new ones.
// So the distance of each input vertex to the result is never more than the largest distance reported.
#ifndef RBL_MESH_SIMPLIFY_SIMPLIFY_DISTANCE_H
#define RBL_MESH_SIMPLIFY_SIMPLIFY_DISTANCE_H

#include "mesh/simplify/simplify_cost.h"

typedef struct rblDistanceTracker
{
    const rblAllocator* allocator;
    const rblSimplifyCost* cost;
    const rblVec3d* originals; // per vertex: the input's positions, not scaled
    uint32_t* first_points;    // per triangle: a list of input vertices, RBL_NONE: none
    uint32_t* next_points;     // per vertex: the next in the same list
    // Filled by measure, used by accept:
    uint32_t* ring;  // corners at the place of the kept vertex, counter-clockwise, of triangles that survive
    uint32_t* found; // points of triangles that change
    uint32_t* found_homes; // the triangles they go to
    uint32_t ring_count;
    uint32_t removed_part; // how many of the ring are the removed vertex's
    uint32_t found_count;
    double measured;     // squared
    double close_enough; // squared: no need to look for closer triangles than this, accept raises it
} rblDistanceTracker;

rblResult rbl_distance_tracker_init(rblDistanceTracker* tracker, const rblSimplifyCost* cost,
                                    const rblVec3d* originals, const rblAllocator* allocator);
void rbl_distance_tracker_free(rblDistanceTracker* tracker);

// The largest distance, in scaled metres, of the points around the edge to the surface after the collapse, of
// the kept vertex's new place to the surface before it, and of a vertex taken out of a border, seam or limit
// to what is left of that. May stop at any distance above `limit`.
double rbl_distance_measure(rblDistanceTracker* tracker, const rblCandidate* candidate, double limit);

// Note that the collapse measured last is carried out. Call it before rbl_simplify_apply().
void rbl_distance_accept(rblDistanceTracker* tracker, const rblCandidate* candidate);

#endif
