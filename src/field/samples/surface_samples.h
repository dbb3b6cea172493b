// Sample points on a closed surface: corners and sharp convex edges kept, faces covered evenly.
#ifndef RBL_FIELD_SAMPLES_SURFACE_SAMPLES_H
#define RBL_FIELD_SAMPLES_SURFACE_SAMPLES_H

#include "mesh/mesh.h"

typedef RBL_ARRAY(rblVec3) rblSurfacePoints;

typedef struct rblSurfaceSampling
{
    double spacing;      // of samples on faces, metres; edges get twice as many per metre
    uint32_t max_count;  // both spacings grow until no more samples than this are left
    uint64_t seed;       // of the darts thrown at faces
    double spacing_used; // out: what `spacing` became
} rblSurfaceSampling;

// Samples of a closed surface, no two of them equal; `out` holds the result alone. In this order of precedence, each
// kept when no earlier one is too near:
//   corners: vertices where one or more than two sharp edges end, where two meet at an angle, and tips of cones;
//   points along sharp edges, half a spacing apart; vertices; darts thrown at the faces (Poisson discs).
// An edge is sharp when its faces turn away from each other by more than 30 degrees; edges that look inwards are not
// sampled for themselves, because nothing can touch them but what has edges and corners of its own.
rblResult rbl_surface_samples(const rblMeshView* view, rblSurfaceSampling* sampling, rblSurfacePoints* out);

#endif
