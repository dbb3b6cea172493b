// Cut of a closed surface by the cracks in a mesh of tetrahedra around it: the part of the solid in every fragment.
//
// The cracks are facets between parts of divided tetrahedra (mesh/tets/tets_partition.h): polygons whose common corners
// are rounded to double once. Every decision about intersections with the surface is the exact sign of a determinant of
// these corners and of vertices of the surface. The pieces are as those of rbl_cut_pieces(): closed and manifold by
// index, crack faces with mates. docs/fracture.md explains the method.
#ifndef RBL_CUT_TETS_TETS_CUT_H
#define RBL_CUT_TETS_TETS_CUT_H

#include "cut/pieces/pieces.h"
#include "mesh/tets/tets_partition.h"

// A surface inside a mesh of tetrahedra, with the lists of triangles in each tetrahedron. Immutable; refers to both.
typedef struct rblTetsSurface rblTetsSurface;

// Refused: a surface that is not inside the mesh, a surface without faces.
rblResult rbl_tets_surface_create(const rblMeshView* surface, const rblTets* tets,
                                  const rblAllocator* allocator, rblTetsSurface** out);
void rbl_tets_surface_free(rblTetsSurface* surface);

// The vertices of a triangle, with the triangle indices of rblPieces.
const uint32_t* rbl_tets_surface_triangle(const rblTetsSurface* surface, uint32_t triangle);

// Cut by all events of a partition of the surface's mesh. `event` RBL_NONE: the pieces have all labels, and the region
// of a piece is its label. Else only pieces with labels of this event are returned (the fragments of one break), with
// the labels of the event as regions; crack faces towards other labels existed before and have no mate. Options as for
// rbl_cut_pieces(), with regions per label; null: each label is a region, nothing is merged. Refused: as by
// rbl_cut_pieces().
rblResult rbl_cut_by_tets(const rblTetsSurface* surface, const rblTetsPartition* partition, uint32_t event,
                          const rblCutOptions* options, rblJobs* jobs, const rblAllocator* allocator,
                          rblPieces** out);

#endif
