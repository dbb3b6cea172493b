// Internals of the prescored breaker.
#ifndef RBL_FRACTURE_PRESCORED_PRESCORED_PRIVATE_H
#define RBL_FRACTURE_PRESCORED_PRESCORED_PRIVATE_H

#include "base/array.h"
#include "fracture/kit/kit.h"
#include "fracture/pattern/pattern.h"
#include "math/mat3.h"
#include "rubble/prescored.h"

// ---- the kind (prescored_kind.c): as rblBreakerKind.create and put_data ----

rblResult rbl_prescored_create(const void* def, const void* data, size_t size, rblBreakerDef* out);
rblResult rbl_prescored_put_data(const void* context, rblByteSink* sink);

// ---- the criterion (prescored_strength.c) ----

// Ratio of the energy of an impact to the breaking energy; the body breaks from 1 on. It grows with the energy for a given pair
// of bodies; 0 for materials without strength.
double rbl_strength_severity(const rblBreakBody* body, const rblImpact* impact);

// ---- breaking (prescored_shatter.c) ----

// Evenly distributed points inside a body, in its axes; patterns are fitted to them.
typedef struct rblInsidePoints
{
    rblVec3d* points;
    uint32_t count, capacity;
} rblInsidePoints;

// As rblBreakerDef.shatter. `labels` are those of a pattern from a file, else null.
rblResult rbl_prescored_shatter(const rblPrescoredDef* def, const rblLabelVolume* labels,
                                const rblInsidePoints* inside, const rblBreakBody* body,
                                const rblVerdict* verdict, rblJobs* jobs, rblFracture* out);

// ---- cutting a solid (prescored_cut.c) ----

// A pattern and its position relative to a solid.
typedef struct rblPlacing
{
    const rblPattern* pattern;
    const rblShapeView* solid;
    rblMat3d turn; // from the solid's axes to those of the pattern: turn x + offset
    rblVec3d offset;
} rblPlacing;

static inline rblVec3d rbl_into_pattern(const rblPlacing* placing, rblVec3d x)
{
    return rbl_add3d(rbl_mat3d_apply(&placing->turn, x), placing->offset);
}

// Cut the surface of the solid. The caller owns one reference. Refused: solids without a surface.
rblResult rbl_breakage_create(const rblPlacing* placing, const rblCutOptions* options, rblJobs* jobs,
                              rblBreakage** out);

// ---- parts of pieces in cells (prescored_parts.c) ----

// A plane: a part is where normal.x <= offset.
typedef struct rblWall
{
    rblVec3d normal;
    double offset;
    bool shell; // it touches the part; otherwise it separates two parts
} rblWall;

// The part of a piece in one cell. A cell that the solid crosses several times may have several pieces.
typedef struct rblPart
{
    uint32_t piece, cell;
    rblAabbd box;                  // of the part, in the solid's axes
    bool alone;                    // no other part is in the cell
    uint32_t first_wall, end_wall; // otherwise: it is behind these of rblParts.walls,
    uint32_t first_hole, end_hole; // and outside of these parts, of rblParts.holes
} rblPart;

typedef struct rblParts
{
    const rblPlacing* placing;
    const rblBreakage* breakage;
    rblIndexArray corners;   // of the surface's triangles
    bool joined;             // some pieces are in several cells
    RBL_ARRAY(rblPart) list; // piece by piece
    RBL_ARRAY(rblWall) walls;
    rblIndexArray holes;    // parts
    uint32_t* piece_starts; // pieces + 1
    uint32_t* by_cell;      // parts, cell by cell
    uint32_t* cell_starts;  // cells + 1
    const rblAllocator* allocator;
} rblParts;

rblResult rbl_parts_init(rblParts* parts, const rblPlacing* placing, const rblBreakage* breakage);
void rbl_parts_free(rblParts* parts);

// Walls, shells and holes of parts that share a cell (prescored_walls.c).
rblResult rbl_parts_tell_apart(rblParts* parts);

// By the boxes of two parts.
bool rbl_part_is_smaller(const rblParts* parts, uint32_t a, uint32_t b);

// A corner of rblPieces.triangles[number].
rblVec3d rbl_parts_triangle_corner(const rblParts* parts, uint32_t number, uint32_t corner);

// Which piece a point on the surface of the solid belongs to; RBL_NONE where there is none.
uint32_t rbl_parts_locate(const rblParts* parts, rblVec3d point);

// ---- samples (prescored_samples.c) ----

// Surface samples of the solid by piece: those of piece p are from starts[p] to starts[p + 1].
typedef struct rblSortedSamples
{
    rblVec3* points;
    uint32_t* starts;
    uint32_t capacity, piece_count;
    const rblAllocator* allocator;
} rblSortedSamples;

rblResult rbl_sort_samples(const rblParts* parts, rblJobs* jobs, rblSortedSamples* out);
void rbl_sorted_samples_free(rblSortedSamples* samples);

// Samples of the crack faces of a piece with their edges and corners. False when out of memory.
bool rbl_sample_cracks(const rblBreakage* breakage, uint32_t piece, double spacing, rblSampleList* out);

// Corners where three or more planes of a piece's surface meet. False when out of memory.
bool rbl_piece_corners(const rblParts* parts, uint32_t piece, rblSampleList* out);

// The same for pieces of many cells whose facets approximate curved faces: sharp corners only.
bool rbl_piece_sharp_corners(const rblParts* parts, uint32_t piece, rblSampleList* out);

// Call for every polygon of a piece, with its vertices as pieces->corners numbers them, until it returns false.
typedef bool rblPolygonFcn(const uint32_t* vertices, uint32_t count, void* context);
bool rbl_visit_polygons(const rblParts* parts, uint32_t piece, rblPolygonFcn* visit, void* context);

// ---- hulls (prescored_hulls.c) ----

// Corners of a hull that approximates the piece: all corners if it is convex and has few. `fits` is false if no hull does.
rblResult rbl_piece_hull_points(const rblParts* parts, uint32_t piece, rblSampleList* out, bool* fits);

// ---- shapes (prescored_shapes.c) ----

// A shape for every piece, in the solid's axes. On failure none is left.
rblResult rbl_breakage_shapes(rblBreakage* breakage, const rblPlacing* placing, rblJobs* jobs,
                              rblShapeId* out);

#endif
