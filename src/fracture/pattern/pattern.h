// Patterns fitted to a body: regions in pattern space. The origin of pattern space is the point of impact, and the
// normal into the body is -y. A region is a union of convex cells, or the voxels of a volume that have one label.
#ifndef RBL_FRACTURE_PATTERN_PATTERN_H
#define RBL_FRACTURE_PATTERN_PATTERN_H

#include "cut/cells/cells.h"
#include "cut/labels/label_volume.h"
#include "rubble/pattern.h"

// Names of the patterns in the order of rblPatternKind, without that of files; ends with null.
extern const char* const rbl_pattern_words[RBL_PATTERN_FILE + 1];

typedef bool rblContainsFcn(rblVec3d point, void* context);

// The body that a pattern is created for, in pattern space. Seeds are placed inside the body, so that the number of
// pieces is about the requested one.
typedef struct rblPatternBody
{
    rblAabbd bounds;
    rblMat3d axes;            // columns: the axes of the body in pattern space; a rotation
    const rblVec3d* points;   // inside the body, evenly distributed; null: chosen in the box
    uint32_t point_count;     // rbl_pattern_points_for() points are enough
    rblContainsFcn* contains; // whether a point is inside the body; null: the whole box is
    void* contains_context;
    bool tight; // whether the box of the cells is `bounds`; false: a slightly larger box
} rblPatternBody;

typedef struct rblPattern
{
    rblPatternKind kind;
    uint32_t region_count;
    // In a box around the body; the cells of a label volume follow its labels (label_cells.h).
    rblCells* cells;
    double radius;     // of the definition; 0 for patterns from files
    uint32_t rest;     // the region beyond the radius, which stays one piece; UINT32_MAX: none
    uint32_t* regions; // per cell: region, below region_count; 0 for empty cells
    // Of a pattern from a file, centred at the impact; its labels are the regions; else null.
    rblLabelVolume* volume;
    bool borrows_labels; // whether the caller owns the labels
    double noise, noise_length;
    const rblAllocator* allocator;
} rblPattern;

// Copy the definition of the caller to the version that the library uses. Refused: as by rbl_pattern_check().
rblResult rbl_pattern_read(const rblPatternDef* given, rblPatternDef* out);

// Refused: a definition that rbl_pattern_check() refuses, a body without volume, points that are not finite, files that
// cannot be read or that do not fill their box.
rblResult rbl_pattern_create(const rblPatternDef* def, const rblPatternBody* body, rblJobs* jobs,
                             const rblAllocator* allocator, rblPattern** out);
// The same for a file that was loaded before with rbl_labels_load(), as breakers do. `loaded` must outlive the pattern.
rblResult rbl_pattern_fit_labels(const rblPatternDef* def, const rblPatternBody* body,
                                 const rblLabelVolume* loaded, rblJobs* jobs, const rblAllocator* allocator,
                                 rblPattern** out);
void rbl_pattern_free(rblPattern* pattern);

// Number of points inside the body that a pattern of `pieces` pieces needs.
uint32_t rbl_pattern_points_for(uint32_t pieces);

#define RBL_PATTERN_TRIES 64 // candidates per point inside a body

// Find up to `count` points inside a body, evenly distributed over its box; returns how many were found with
// RBL_PATTERN_TRIES candidates per point. `numbers` (may be null) receives the index of the candidate of each point. A
// call for n < count finds the first n points whose candidates are below n RBL_PATTERN_TRIES.
uint32_t rbl_pattern_spread_points(rblAabbd bounds, rblContainsFcn* contains, void* context, uint32_t count,
                                   rblVec3d* out, uint32_t* numbers);

// Normalize a vector without overflow or underflow; false: its length is 0.
bool rbl_pattern_unit(rblVec3d* v);

// The rotation from the axes of the body to pattern space: x_pattern = R (x - point). `normal` points into the body;
// any length except 0.
rblMat3d rbl_pattern_turn(rblVec3d normal);

#endif
