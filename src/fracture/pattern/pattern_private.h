// Types and functions of the makers of patterns: each adds cells, as linear functions with regions, to a draft.
#ifndef RBL_FRACTURE_PATTERN_PATTERN_PRIVATE_H
#define RBL_FRACTURE_PATTERN_PATTERN_PRIVATE_H

#include "base/array.h"
#include "base/error.h"
#include "base/random.h"
#include "fracture/pattern/pattern.h"

typedef RBL_ARRAY(rblVec3d) rblPointArray;

typedef struct rblDraft
{
    const rblPatternDef* def;
    const rblPatternBody* body;
    rblPointArray points; // inside the body
    rblPointArray near;   // those within the radius, and more of them; empty where all of the body breaks
    rblPointArray probes; // inside the body and denser towards the impact: what cells are counted by
    rblRandom random;
    double extent;           // longest side of the body's box
    double radius;           // beyond which the body stays one piece; 0: all of it breaks
    uint32_t rest;           // the region beyond it; UINT32_MAX: none
    rblPointArray gradients; // of the cells
    rblDoubleArray offsets;
    rblIndexArray regions;
    uint32_t region_count;
    const rblAllocator* allocator;
} rblDraft;

// Fills a draft whose `gradients`, `offsets` and `regions` are empty.
typedef rblResult rblPatternMaker(rblDraft* draft);

rblPatternMaker rbl_make_radial, rbl_make_voronoi, rbl_make_slabs, rbl_make_bricks, rbl_make_planes;

// One more cell.
rblResult rbl_draft_add(rblDraft* draft, rblVec3d gradient, double offset, uint32_t region);
void rbl_draft_clear(rblDraft* draft);

// Whether a point is inside the body.
bool rbl_draft_contains(const rblDraft* draft, rblVec3d point);

// The number of regions that contain a probe, without the rest.
rblResult rbl_draft_count(const rblDraft* draft, uint32_t* out);

// Drop cells without a probe, but for those that are needed all the same and those of the rest: they contain almost
// nothing of the body.
typedef bool rblNeededFcn(rblVec3d gradient);
rblResult rbl_draft_trim(rblDraft* draft, rblNeededFcn* needed);

// Join everything beyond the radius of the definition to one region: cells whose probes lie, on the whole, out there.
rblResult rbl_draft_limit(rblDraft* draft);

// The axis of the definition in pattern space, unit; where it is zero, the one along which the body is longest (or shortest).
rblVec3d rbl_draft_axis(const rblDraft* draft, bool longest);

// Uniform in [-1, 1] times the jitter of the definition.
double rbl_draft_jitter(rblDraft* draft);

// The regions of a file, checked, as a mesh with a group for each; labels as blocks.
rblResult rbl_pattern_draw_file(const char* path, const rblAllocator* allocator, rblMeshId* out);

#endif
