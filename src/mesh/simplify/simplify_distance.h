// The distance of the input from the simplified mesh (after Ciampalini, Cignoni, Montani and Scopigno 1997,
// "Multiresolution decimation based on global error"). Every input vertex that is no longer at its position is stored
// with a triangle close to it. When the triangles around an edge change, their points get new triangles. So the distance
// of each input vertex to the result is at most the largest distance reported.
#ifndef RBL_MESH_SIMPLIFY_SIMPLIFY_DISTANCE_H
#define RBL_MESH_SIMPLIFY_SIMPLIFY_DISTANCE_H

#include "mesh/simplify/simplify_cost.h"

typedef struct rblDistanceTracker
{
    const rblAllocator* allocator;
    const rblSimplifyCost* cost;
    const rblVec3d* originals; // per vertex: positions of the input, not scaled
    uint32_t* first_points;    // per triangle: a list of input vertices, RBL_NONE: none
    uint32_t* next_points;     // per vertex: the next in the same list
    // Computed by measure, used by accept:
    uint32_t* ring;        // corners of the remaining triangles at the kept vertex, counter-clockwise
    uint32_t* found;       // points of triangles that change
    uint32_t* found_homes; // their new triangles
    uint32_t ring_count;
    uint32_t removed_part; // how many of the ring belong to the removed vertex
    uint32_t found_count;
    double measured;     // squared
    double close_enough; // squared: points closer than this need no closer triangle; accept raises it
} rblDistanceTracker;

rblResult rbl_distance_tracker_init(rblDistanceTracker* tracker, const rblSimplifyCost* cost,
                                    const rblVec3d* originals, const rblAllocator* allocator);
void rbl_distance_tracker_free(rblDistanceTracker* tracker);

// The largest of these distances, in scaled metres: of the points around the edge to the surface after the collapse; of
// the new position of the kept vertex to the surface before it; of a vertex removed from a border, seam or limit to the
// rest of it. The search can stop at any distance above `limit`.
double rbl_distance_measure(rblDistanceTracker* tracker, const rblCandidate* candidate, double limit);

// Record that the last measured collapse is carried out. Call it before rbl_simplify_apply().
void rbl_distance_accept(rblDistanceTracker* tracker, const rblCandidate* candidate);

#endif
