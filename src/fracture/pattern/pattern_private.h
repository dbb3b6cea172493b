// Types and functions of the makers of patterns. The maker of a kind adds cells to a draft: linear functions with
// regions.
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
    rblPointArray points; // inside the body; gather_points()
    // Inside the body and within the radius; empty if the whole body breaks; limit_points().
    rblPointArray near;
    // Inside the body, denser near the impact; cells are counted by them; gather_probes().
    rblPointArray probes;
    rblRandom random;
    double extent;           // longest side of the box of the body, m
    double radius;           // m; the body beyond it stays one piece; 0: the whole body breaks
    uint32_t rest;           // the region beyond the radius; UINT32_MAX: none
    rblPointArray gradients; // per cell: gradient of its linear function
    rblDoubleArray offsets;
    rblIndexArray regions;
    uint32_t region_count;
    const rblAllocator* allocator;
} rblDraft;

// Makes the cells of one kind of pattern. The draft has no cells before.
typedef rblResult rblPatternMaker(rblDraft* draft);

rblPatternMaker rbl_make_radial, rbl_make_voronoi, rbl_make_slabs, rbl_make_bricks, rbl_make_planes;

rblResult rbl_draft_add(rblDraft* draft, rblVec3d gradient, double offset, uint32_t region);
void rbl_draft_clear(rblDraft* draft);

bool rbl_draft_contains(const rblDraft* draft, rblVec3d point);

// Number of regions that contain a probe, except `rest`.
rblResult rbl_draft_count(const rblDraft* draft, uint32_t* out);

// Remove cells without a probe: at most a very small part of the body is in them. Cells of `rest` and cells for which
// `needed` returns true stay.
typedef bool rblNeededFcn(rblVec3d gradient);
rblResult rbl_draft_trim(rblDraft* draft, rblNeededFcn* needed);

// Join cells beyond the radius of the definition to one region, `rest`. A cell is beyond it if most of its probes are.
rblResult rbl_draft_limit(rblDraft* draft);

// The axis of the definition in pattern space, unit. If the definition has none: the axis of the body's longest (or
// shortest) extent.
rblVec3d rbl_draft_axis(const rblDraft* draft, bool longest);

// Uniform in [-1, 1], times the jitter of the definition.
double rbl_draft_jitter(rblDraft* draft);

// The regions of a file, after a check, as a mesh with one group per region. Labels are drawn as blocks of voxels.
rblResult rbl_pattern_draw_file(const char* path, const rblAllocator* allocator, rblMeshId* out);

#endif
