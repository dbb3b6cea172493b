// The search for the direction along which two polytopes are farthest apart or overlap least.
#ifndef RBL_FIELD_CONVEX_CONVEX_CONTACT_AXES_H
#define RBL_FIELD_CONVEX_CONVEX_CONTACT_AXES_H

#include "field/convex/convex_contact.h"

// Faces are preferred to edges, and the first shape's faces to the second's, where the difference is below these: resting
// bodies must not change their minds from step to step. The first is of the smaller hull's size, the others of the depth.
#define RBL_AXIS_PREFERENCE 1e-3f
#define RBL_EDGE_PREFERENCE 0.05f
#define RBL_FACE_PREFERENCE 0.02f

typedef struct rblHullPair
{
    const rblHull* a;
    const rblHull* b;
    rblPose pose; // b in a's axes
    float margin;
    float size;     // of the smaller hull
    float rounding; // bound of the rounding error of a separation
} rblHullPair;

// Where to begin: any direction and any point. Good ones only save time.
typedef struct rblAxisGuess
{
    rblVec3 axis;  // unit
    rblVec3 point; // in a's axes
    float separation;
    float reach_a, reach_b; // the largest n . x of a, and of b against the axis, each in its own axes
} rblAxisGuess;

// The best candidates of each kind, -INFINITY where none can win.
typedef struct rblHullAxes
{
    float face_a, face_b, edges; // separations
    uint32_t on_face_a, on_face_b;
    uint32_t edge_a, edge_b;
    rblVec3 edge_normal;
} rblHullAxes;

// What lies behind each face of a hull at the guessed point, and which faces remain.
typedef struct rblHullFront
{
    float depths[RBL_HULL_MAX_FACES + 2]; // lower bounds at the point moved inside
    float inwards;                        // how far the point was moved
    rblVec3 vertex;                       // of the other hull, farthest along the guessed axis
    float behind[RBL_HULL_MAX_FACES + 2]; // its depths
    uint16_t faces[RBL_HULL_MAX_FACES];
    uint32_t count;
} rblHullFront;

// How far apart the hulls are along the guessed axis: sets all but axis and point.
void rbl_hulls_measure(const rblHullPair* pair, rblAxisGuess* guess);

// How much a guess leaves to be searched: what can win lies behind the guessed point by no more than this, metres.
float rbl_hulls_tolerance(const rblHullPair* pair, const rblAxisGuess* guess, rblHullFront* front_a,
                          rblHullFront* front_b);

// Pairs of edges are meant only where they beat the best face by the preference; none are looked for when a face shows that
// the hulls are farther apart than the margin.
void rbl_hulls_search(const rblHullPair* pair, float looseness, rblHullFront* front_a, rblHullFront* front_b,
                      rblHullAxes* axes);

// Pairs of edges that come near the best face, for when that turns out not to be met. False when there are none.
bool rbl_hulls_next_edges(const rblHullPair* pair, rblHullFront* front_a, rblHullFront* front_b,
                          rblHullAxes* axes);

// The difference that is not worth changing one's mind for, at separation s.
static inline float rbl_axis_preference(const rblHullPair* pair, float s, float relative)
{
    return RBL_AXIS_PREFERENCE * pair->size + 2.0f * pair->rounding + relative * rbl_maxf(-s, 0.0f);
}

#endif
