// Sample points on a closed surface: on corners and sharp convex edges, and evenly on faces.
#ifndef RBL_FIELD_SAMPLES_SURFACE_SAMPLES_H
#define RBL_FIELD_SAMPLES_SURFACE_SAMPLES_H

#include "mesh/mesh.h"

typedef RBL_ARRAY(rblVec3) rblSurfacePoints;

typedef struct rblSurfaceSampling
{
    double spacing;      // distance of samples on faces, m; edges get twice as many per metre
    uint32_t max_count;  // the spacings are enlarged until there are at most this many samples
    uint64_t seed;       // of the random points on faces
    double spacing_used; // out: the final spacing, m
} rblSurfaceSampling;

// Samples of a closed surface, no two of them equal; `out` has no other points. In the order of precedence; a sample is
// dropped if an earlier one is too close:
//   corners: vertices with one or more than two sharp edges, with two sharp edges at an angle, and tips of cones;
//   points on sharp edges, half a spacing apart; vertices; random points on the faces (Poisson discs).
// An edge is sharp if it is convex and the angle between its normals is above 30 degrees. Concave edges are not
// sampled: only edges and corners of other shapes can touch them, and those have samples.
rblResult rbl_surface_samples(const rblMeshView* view, rblSurfaceSampling* sampling, rblSurfacePoints* out);

#endif
