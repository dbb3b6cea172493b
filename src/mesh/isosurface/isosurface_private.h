// Shared by the passes of the isosurface. Each pass is one file; isosurface.c calls them in order.
//
// Cell corners are numbered by their bits: 1 for the upper x, 2 for the upper y, 4 for the upper z. Cell edges are
// numbered 4 * axis + k, where k counts their start corners in increasing order; sides 2 * axis, plus 1 for the upper
// one. A cell owns the three edges that start at its corner 0; every edge that crosses the surface is owned by exactly
// one active cell.
#ifndef RBL_MESH_ISOSURFACE_ISOSURFACE_PRIVATE_H
#define RBL_MESH_ISOSURFACE_ISOSURFACE_PRIVATE_H

#include "base/jobs.h"
#include "math/aabb.h"
#include "mesh/isosurface/isosurface.h"

// Largest number of cells along an axis: rblIsoCell.place has 10 bits per axis.
#define RBL_ISO_MAX_CELLS 1024

// Vertices keep this distance from the sides of their cells, in cell sizes: vertices of different cells never coincide.
#define RBL_ISO_INSET 1e-4

// A cell that the surface crosses.
typedef struct rblIsoCell
{
    uint32_t place;          // x | y << 10 | z << 20
    uint32_t edge_patches;   // two bits per cell edge: the patch it crosses (isosurface_patches.c)
    uint32_t first_vertex;   // one vertex per patch
    uint32_t first_crossing; // of the owned edges, in axis order
    uint8_t inside;          // one bit per corner
    uint8_t patch_count;     // 1 to 4
    uint8_t joined; // one bit per side with alternating corners: the inside corners are connected there
    uint8_t rank;   // of its feature (dual contouring, one patch): 1 face, 2 edge, 3 corner; else 0
} rblIsoCell;

// The intersection of an edge with the surface (isosurface_crossings.c).
typedef struct rblIsoCrossing
{
    double t;        // 0 at the lower end of the edge, 1 at the upper
    rblVec3d normal; // unit
} rblIsoCrossing;

// The crossings of one patch, relative to the lower corner of its cell and in units of the longest cell edge: the
// precision then depends neither on the position nor on the size of the grid. Up to 12 from edges, 12 more from
// diagonals.
typedef struct rblIsoPatch
{
    uint32_t count;
    rblVec3d points[24];
    rblVec3d normals[24];
    rblVec3d mean;
} rblIsoPatch;

// The least squares problem of a patch, in the same coordinates (isosurface_feature.c).
typedef struct rblIsoFeature
{
    double matrix[3][3]; // A, without its weak directions
    uint32_t rank;       // 1: a face, 2: an edge, 3: a corner
    rblVec3d best;       // the minimum that is nearest to the mean; can be outside the cell
    rblVec3d mean;       // of the crossings
    rblVec3d target;     // the point to be close to where the planes leave a choice: the mean, unless changed
    double pull;         // weight of the target
} rblIsoFeature;

// A cell with an edge or a corner of the solid (isosurface_sharp.c).
typedef struct rblIsoSharp
{
    uint32_t cell;
    rblIsoFeature feature;
} rblIsoSharp;

// The first point, in the order of the work, at which the field was NaN. One per block.
typedef struct rblIsoFault
{
    bool found;
    rblVec3d point;
} rblIsoFault;

typedef struct rblIsosurface
{
    const rblIsosurfaceDef* def;
    const rblAllocator* allocator;
    rblVec3d step; // cell size

    // One bit per node, rows along x padded to words: 1 where field < level and not on the border.
    uint64_t* inside;
    size_t row_words;

    uint32_t* row_starts; // first active cell of each row (y, z); one more than there are rows
    rblIsoCell* cells;    // active cells by z, y, x
    uint32_t cell_count;

    rblIsoCrossing* crossings;
    uint32_t crossing_count;

    rblVec3d* vertices;
    uint32_t vertex_count;

    rblIsoSharp* sharp;
    uint32_t sharp_count;
} rblIsosurface;

// ---- the passes ----

rblResult rbl_iso_sample(rblIsosurface* iso);
rblResult rbl_iso_find_cells(rblIsosurface* iso);
rblResult rbl_iso_find_patches(rblIsosurface* iso);
rblResult rbl_iso_find_crossings(rblIsosurface* iso);
rblResult rbl_iso_place_vertices(rblIsosurface* iso);
rblResult rbl_iso_sharpen(rblIsosurface* iso);
void rbl_iso_untangle(rblIsosurface* iso);
rblResult rbl_iso_reach_tips(rblIsosurface* iso);
rblResult rbl_iso_make_faces(const rblIsosurface* iso, rblMesh** out);

// ---- small helpers ----

static inline double rbl_iso_component(rblVec3d v, uint32_t axis)
{
    return axis == 0 ? v.x : (axis == 1 ? v.y : v.z);
}

static inline uint32_t rbl_iso_row_count(const rblIsosurface* iso)
{
    return iso->def->cells[1] * iso->def->cells[2];
}

static inline void rbl_iso_cell_place(const rblIsoCell* cell, uint32_t place[3])
{
    place[0] = cell->place & 1023;
    place[1] = cell->place >> 10 & 1023;
    place[2] = cell->place >> 20;
}

// The corner at which a cell edge starts; it ends at that corner with the bit of the axis set.
static inline uint32_t rbl_iso_edge_corner(uint32_t edge)
{
    static const uint8_t corners[12] = {0, 2, 4, 6, 0, 1, 4, 5, 0, 1, 2, 3};
    return corners[edge];
}

static inline bool rbl_iso_crosses(uint32_t inside, uint32_t edge)
{
    const uint32_t corner = rbl_iso_edge_corner(edge);
    return ((inside >> corner ^ inside >> (corner | 1u << edge / 4)) & 1) != 0;
}

static inline uint32_t rbl_iso_edge_patch(const rblIsoCell* cell, uint32_t edge)
{
    return cell->edge_patches >> 2 * edge & 3;
}

// One node coordinate; the last node is exactly the upper bound.
static inline double rbl_iso_coordinate(double lower, double upper, uint32_t i, uint32_t count)
{
    return i == count ? upper : lower + (upper - lower) * ((double)i / (double)count);
}

static inline rblVec3d rbl_iso_node(const rblIsosurface* iso, uint32_t x, uint32_t y, uint32_t z)
{
    const rblAabbd* b = &iso->def->bounds;
    const uint32_t* n = iso->def->cells;
    return (rblVec3d){rbl_iso_coordinate(b->lower.x, b->upper.x, x, n[0]),
                      rbl_iso_coordinate(b->lower.y, b->upper.y, y, n[1]),
                      rbl_iso_coordinate(b->lower.z, b->upper.z, z, n[2])};
}

// The lower corner of a cell.
static inline rblVec3d rbl_iso_cell_corner(const rblIsosurface* iso, const rblIsoCell* cell)
{
    uint32_t place[3];
    rbl_iso_cell_place(cell, place);
    return rbl_iso_node(iso, place[0], place[1], place[2]);
}

// The active cell with these coordinates, RBL_NONE when the surface does not cross it.
uint32_t rbl_iso_find_cell(const rblIsosurface* iso, uint32_t x, uint32_t y, uint32_t z);

// Corner i of a side, in cyclic order from 0 to 3, and the edge from there to the next corner.
uint32_t rbl_iso_side_corner(uint32_t side, uint32_t i);
uint32_t rbl_iso_side_edge(uint32_t side, uint32_t i);

// On a side with alternating corners: 0 or 1, the first of the two opposite corners that are cut off.
uint32_t rbl_iso_cut_corner(const rblIsoCell* cell, uint32_t side);

// Whether one patch of the cell crosses the side twice.
bool rbl_iso_passes_twice(const rblIsoCell* cell, uint32_t side);

// The crossing of one of the three edges that a cell owns.
uint32_t rbl_iso_owned_crossing(const rblIsoCell* cell, uint32_t axis);

// The crossings of all patches of a cell.
void rbl_iso_gather_patches(const rblIsosurface* iso, const rblIsoCell* cell, rblIsoPatch patches[4]);

// The unit of patch coordinates.
static inline double rbl_iso_unit(const rblIsosurface* iso)
{
    return rbl_maxd(iso->step.x, rbl_maxd(iso->step.y, iso->step.z));
}

// A corner of a cell in patch coordinates.
static inline rblVec3d rbl_iso_corner_offset(const rblIsosurface* iso, uint32_t corner)
{
    const double unit = rbl_iso_unit(iso);
    return (rblVec3d){(corner & 1) != 0 ? iso->step.x / unit : 0.0,
                      (corner & 2) != 0 ? iso->step.y / unit : 0.0,
                      (corner & 4) != 0 ? iso->step.z / unit : 0.0};
}

// The range of the vertices of a cell, in patch coordinates.
static inline rblAabbd rbl_iso_cell_box(const rblIsosurface* iso)
{
    const rblVec3d size = rbl_iso_corner_offset(iso, 7);
    return (rblAabbd){rbl_scale3d(size, RBL_ISO_INSET), rbl_scale3d(size, 1.0 - RBL_ISO_INSET)};
}

// The point, clamped to the range of the vertices of the cell at `place`.
rblVec3d rbl_iso_keep_inside(const rblIsosurface* iso, const uint32_t place[3], rblVec3d point);

rblIsoFeature rbl_iso_fit_feature(const rblIsoPatch* patch);

// The point of a box that fits the planes best and, among such points, is nearest to the target.
rblVec3d rbl_iso_feature_in_box(const rblIsoFeature* feature, rblAabbd box);

// Intersect a segment with the surface; false unless one end is inside and the other outside.
bool rbl_iso_cross_segment(const rblIsosurface* iso, rblVec3d inner, rblVec3d outer, rblIsoCrossing* out,
                           rblIsoFault* fault);

// The field at a point. NaN is recorded in `fault` unless there is an earlier one.
double rbl_iso_evaluate(const rblIsosurface* iso, rblVec3d point, rblIsoFault* fault);

// RBL_OK, or an error that names the first fault.
rblResult rbl_iso_check_faults(const rblIsoFault* faults, uint32_t count);

#endif
