// A closed surface cut by the cracks in a mesh of tetrahedra around it: the part of the solid in every fragment.
//
// The cracks are facets between parts of divided tetrahedra (mesh/tets/tets_partition.h), polygons that share corners rounded to double
// once. Every decision about where they meet the surface is the sign of a determinant of these corners and vertices of the surface, exact. The
// pieces are as those of rbl_cut_pieces(): closed and manifold by index, crack faces with mates. docs/fracture.md has the whole story.
#ifndef RBL_CUT_TETS_TETS_CUT_H
#define RBL_CUT_TETS_TETS_CUT_H

#include "cut/pieces/pieces.h"
#include "mesh/tets/tets_partition.h"

// A surface within a mesh of tetrahedra: which triangles pass through which. Never changed afterwards; refers to both.
typedef struct rblTetsSurface rblTetsSurface;

// Refused: a surface that is not within the mesh, or without faces.
rblResult rbl_tets_surface_create(const rblMeshView* surface, const rblTets* tets,
                                  const rblAllocator* allocator, rblTetsSurface** out);
void rbl_tets_surface_free(rblTetsSurface* surface);

// The vertices of a triangle, as rblPieces number them.
const uint32_t* rbl_tets_surface_triangle(const rblTetsSurface* surface, uint32_t triangle);

// Cut by all events of a partition of the surface's mesh. `event` RBL_NONE: the pieces are those of all labels, and the region of a
// piece is its label. Else only what has labels of that event comes out, the fragments of one that broke, with the labels of the
// event as regions; crack faces towards others, which were there before, have no mate. Options as for rbl_cut_pieces(), regions per label;
// null: each label by itself, nothing merged. Refused: what rbl_cut_pieces() refuses.
rblResult rbl_cut_by_tets(const rblTetsSurface* surface, const rblTetsPartition* partition, uint32_t event,
                          const rblCutOptions* options, rblJobs* jobs, const rblAllocator* allocator,
                          rblPieces** out);

#endif
