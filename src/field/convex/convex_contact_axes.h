// Search of the direction with the largest separation of two polytopes, or with the smallest overlap.
#ifndef RBL_FIELD_CONVEX_CONVEX_CONTACT_AXES_H
#define RBL_FIELD_CONVEX_CONVEX_CONTACT_AXES_H

#include "field/convex/convex_contact.h"

// Faces are preferred to edges, and faces of the first shape to those of the second, if the difference is below these
// limits: the contacts of resting bodies must not alternate from step to step. The first is relative to the size of the
// smaller hull, the others to the depth.
#define RBL_AXIS_PREFERENCE 1e-3f
#define RBL_EDGE_PREFERENCE 0.05f
#define RBL_FACE_PREFERENCE 0.02f

typedef struct rblHullPair
{
    const rblHull* a;
    const rblHull* b;
    rblPose pose; // b in the axes of a
    float margin;
    float size;     // of the smaller hull
    float rounding; // bound of the rounding error of a separation
} rblHullPair;

// Start of the search: any direction and any point. Good ones only save time.
typedef struct rblAxisGuess
{
    rblVec3 axis;  // unit
    rblVec3 point; // in a's axes
    float separation;
    float reach_a, reach_b; // largest n . x of a, and of b along -n, each in its own axes
} rblAxisGuess;

// The best candidate of each type; -INFINITY if none can win.
typedef struct rblHullAxes
{
    float face_a, face_b, edges; // separations
    uint32_t on_face_a, on_face_b;
    uint32_t edge_a, edge_b;
    rblVec3 edge_normal;
} rblHullAxes;

// Depths behind each face of a hull, and the faces that remain after pruning.
typedef struct rblHullFront
{
    float depths[RBL_HULL_MAX_FACES +
                 2]; // lower bounds of the depth of the guessed point, after it was moved inside
    float inwards;   // m, by which the point was moved
    rblVec3 vertex;  // vertex of the other hull, farthest along the guessed axis
    float behind[RBL_HULL_MAX_FACES + 2]; // depths of `vertex`
    uint16_t faces[RBL_HULL_MAX_FACES];
    uint32_t count;
} rblHullFront;

// Computes the separation along the guessed axis: all members except axis and point.
void rbl_hulls_measure(const rblHullPair* pair, rblAxisGuess* guess);

// Uncertainty of a guess, m: the candidates that can win have at most this depth at the guessed point.
float rbl_hulls_uncertainty(const rblHullPair* pair, const rblAxisGuess* guess, rblHullFront* front_a,
                            rblHullFront* front_b);

// Pairs of edges are reported only if they beat the best face by the preference. They are not searched if a face shows
// that the gap is above the margin.
void rbl_hulls_search(const rblHullPair* pair, float uncertainty, rblHullFront* front_a,
                      rblHullFront* front_b, rblHullAxes* axes);

// Pairs of edges that are close to the best face, if the contact of the best face is not exact. Returns false if there
// are none.
bool rbl_hulls_next_edges(const rblHullPair* pair, rblHullFront* front_a, rblHullFront* front_b,
                          rblHullAxes* axes);

// Differences of the separation below this do not change the choice, at separation s.
static inline float rbl_axis_preference(const rblHullPair* pair, float s, float relative)
{
    return RBL_AXIS_PREFERENCE * pair->size + 2.0f * pair->rounding + relative * rbl_maxf(-s, 0.0f);
}

#endif
