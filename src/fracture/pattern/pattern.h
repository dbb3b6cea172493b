// Patterns fitted to a body: regions of space, in pattern space, where the impact is the origin and the body lies on the side
// of -y (the normal into the body is -y). A region is a union of convex cells, or the voxels with one label of a volume.
#ifndef RBL_FRACTURE_PATTERN_PATTERN_H
#define RBL_FRACTURE_PATTERN_PATTERN_H

#include "cut/cells/cells.h"
#include "cut/labels/label_volume.h"
#include "rubble/pattern.h"

typedef bool rblContainsFcn(rblVec3d point, void* context);

// The body that a pattern is made for, in pattern space. Seeds are placed inside the body, so that the number of pieces
// is as requested.
typedef struct rblPatternBody
{
    rblAabbd bounds;
    rblMat3d axes;            // the body's axes in pattern space: columns, a rotation
    const rblVec3d* points;   // inside the body, spread evenly; null: anywhere in the box
    uint32_t point_count;     // about four per piece, but at least 500
    rblContainsFcn* contains; // whether a point is inside the body; null: all of the box is
    void* contains_context;
    bool tight; // the cells' box is `bounds` itself; otherwise a little more
} rblPatternBody;

typedef struct rblPattern
{
    rblPatternKind kind;
    uint32_t region_count;
    rblCells* cells;   // in a box around the body; of a label volume they follow the labels (label_cells.h)
    double radius;     // of the definition; of a file 0
    uint32_t rest;     // the region beyond it; UINT32_MAX: none
    uint32_t* regions; // per cell, below region_count; cells of one region belong together; 0 for empty ones
    rblLabelVolume*
        volume; // of a file, in pattern space, centred at the impact; regions are its labels; else null
    bool borrows_labels; // the caller owns the labels
    double noise, noise_length;
    const rblAllocator* allocator;
} rblPattern;

// A copy of the caller's definition, of the size that the library knows. Refused: as by rbl_pattern_check().
rblResult rbl_pattern_read(const rblPatternDef* given, rblPatternDef* out);

// Refused: a definition that rbl_pattern_check() refuses, a body without volume, points that are not finite, files that cannot
// be read or do not tile their box.
rblResult rbl_pattern_create(const rblPatternDef* def, const rblPatternBody* body, rblJobs* jobs,
                             const rblAllocator* allocator, rblPattern** out);
// The same for a file that was read before with rbl_labels_load(): what a breaker does at an impact. `loaded` must outlive the
// pattern.
rblResult rbl_pattern_fit_labels(const rblPatternDef* def, const rblPatternBody* body,
                                 const rblLabelVolume* loaded, rblJobs* jobs, const rblAllocator* allocator,
                                 rblPattern** out);
void rbl_pattern_free(rblPattern* pattern);

// The number of points of a body that a pattern of `pieces` pieces uses.
uint32_t rbl_pattern_points_for(uint32_t pieces);

#define RBL_PATTERN_TRIES 64 // candidates per point inside a body

// Up to `count` points inside a body, evenly spread over its box; returns how many were found with RBL_PATTERN_TRIES
// candidates per point. `numbers` (may be null) receives the index of the candidate: those below RBL_PATTERN_TRIES n, up to n of them, are what a call for n finds.
uint32_t rbl_pattern_spread_points(rblAabbd bounds, rblContainsFcn* contains, void* context, uint32_t count,
                                   rblVec3d* out, uint32_t* numbers);

// Normalise a vector without overflow or underflow; false: its length is 0.
bool rbl_pattern_unit(rblVec3d* v);

// From x in the body's axes to pattern space: linear (x - point). `normal` points into the body, any length but zero.
rblMat3d rbl_pattern_turn(rblVec3d normal);

#endif
