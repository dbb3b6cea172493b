// Outlines in the half plane (radius, height), and solids of revolution.
#ifndef RBL_MESH_SOLIDS_SOLIDS_PROFILE_H
#define RBL_MESH_SOLIDS_SOLIDS_PROFILE_H

#include "mesh/solids/solids.h"

typedef struct rblProfilePoint
{
    double r, y;
} rblProfilePoint;

// The profile remembers when memory runs out, as rblMeshBuilder does, and rbl_make_turned() reports it.
typedef struct rblProfile
{
    RBL_ARRAY(rblProfilePoint) points;
    bool failed;
} rblProfile;

void rbl_profile_init(rblProfile* profile, const rblAllocator* allocator);
void rbl_profile_free(rblProfile* profile);

// Add a point; a point equal to the last one is dropped.
void rbl_profile_point(rblProfile* profile, double r, double y);

// A cubic Bezier curve from the last point to `end`, in `steps` straight segments.
void rbl_profile_curve(rblProfile* profile, rblProfilePoint c1, rblProfilePoint c2, rblProfilePoint end,
                       uint32_t steps);

// A half circle from the last point to `end`, bulging to the right of that direction.
void rbl_profile_half_circle(rblProfile* profile, rblProfilePoint end, uint32_t steps);

// The curve at `distance` to the left of an open curve (negative: to the right), added to `out` in the same order. Ends
// on the axis stay on it; sharp corners on the outer side become arcs. False when the curvature is too large for that
// distance; *where is then the index of the point.
bool rbl_profile_offset(const rblProfilePoint* points, uint32_t count, double distance, rblProfile* out,
                        uint32_t* where);

// The defect of a closed outline, if any.
typedef enum rblProfileDefect
{
    RBL_PROFILE_SOUND,
    RBL_PROFILE_REPEATS_A_POINT,  // places: the point and its successor
    RBL_PROFILE_MEETS_THE_AXIS,   // places: a point alone on the axis, or beyond it
    RBL_PROFILE_MEETS_ITSELF,     // places: the points where the two edges begin
    RBL_PROFILE_ENCLOSES_NOTHING, // no places
} rblProfileDefect;

// The orientation of a valid outline (radius to the right, height up).
bool rbl_profile_is_counter_clockwise(const rblProfilePoint* points, uint32_t count);

// Refuse an outline that is not valid, with a message; `what` is its name in it.
rblResult rbl_profile_require(const rblSolidInput* input, const rblProfile* profile, const char* what);

// The radius of the ring at point `point` of the outline, `step` of `segments` round it.
typedef double rblRingFcn(uint32_t point, uint32_t step, uint32_t segments, void* context);

typedef struct rblTurning
{
    const rblProfile* profile; // closed, counter-clockwise and valid
    uint32_t segments;
    double crease_angle;
    rblRingFcn* ring; // null: circles. The outline must stay valid at every step
    void* context;
} rblTurning;

// Revolve an outline about the Y axis: x = r cos, z = -r sin, so that angles increase counter-clockwise seen from above.
// Edges on the axis disappear and their ends become poles. UVs: u once around, v the length along the outline, one unit
// is the largest circumference; horizontal edges are flat discs instead.
rblResult rbl_make_turned(const rblTurning* turning, const rblAllocator* allocator, rblMesh** out);

#endif
