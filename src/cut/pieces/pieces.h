// A closed surface cut by cells: the exact intersection of a solid with every region of a partition of space.
//
// All topology is decided by exact predicates on the functions f of the cells at the surface's vertices, and
// every vertex has one name: a vertex of the surface, (edge, 2 cells), (triangle, 3 cells), or (4 cells). Two
// pieces that touch therefore share vertices, and each piece is closed and manifold by index.
// docs/fracture.md has the whole story.
#ifndef RBL_CUT_PIECES_PIECES_H
#define RBL_CUT_PIECES_PIECES_H

#include "base/jobs.h"
#include "cut/cells/cells.h"
#include "mesh/mesh.h"
#include "rubble/inspect.h"

// The most corners that a piece which is called convex can have: what a hull shape takes.
#define RBL_PIECE_HULL_CORNERS 64

// A polygon of one side of a piece: part of a triangle of the surface (convex, one loop), or a crack face
// (the first loop runs around it, the others around its holes). Counter-clockwise seen from outside the
// piece; mates share their loops, read backwards on the second side. Triangles that lie wholly in one piece
// are no faces: rblPieces.triangles has them.
typedef struct rblPieceFace
{
    uint32_t triangle; // of the surface; RBL_NONE: crack face
    uint32_t mate;     // crack face: the face on the other side, in the list of all faces; else RBL_NONE
    uint32_t piece;    // that it is a side of
    uint32_t cell;     // of that piece
    uint32_t other;    // crack face: the cell on the other side; else RBL_NONE
    uint32_t first_loop, end_loop; // in loop_starts
    bool reversed;                 // the loops run clockwise seen from outside: the second of two mates
} rblPieceFace;

typedef struct rblPiece
{
    uint32_t first_triangle, end_triangle; // in rblPieces.triangles
    uint32_t first_face, end_face;         // in rblPieces.faces
    uint32_t region;                       // of its cells: as given, or that of the largest of those merged
    rblMassProperties mass; // at density 1, exact integrals over the faces, in the surface's axes
    rblAabbd bounds;        // in the surface's axes
    double area;            // of the whole surface, cracks included
    bool convex;            // to 1e-6 of its size, and has no more than RBL_PIECE_HULL_CORNERS corners
} rblPiece;

// Where a vertex that the cut made lies: on an edge (a, b), at a + weights[0] (b - a); in a triangle, at the
// sum of weights of its three corners; or inside the solid, where four cells meet.
typedef struct rblPieceVertex
{
    uint32_t triangle; // RBL_NONE: on an edge, or inside
    uint32_t ends[2];  // of the edge, vertices of the surface; RBL_NONE: not on an edge
    double weights[3];
} rblPieceVertex;

typedef struct rblPieces
{
    uint32_t surface_vertex_count; // vertices below this are those of the surface itself
    rblVec3d* vertices;            // the others, in the surface's axes; shared between pieces that touch
    rblPieceVertex* origins;       // of `vertices`
    uint32_t* triangles;           // of the surface, those that lie wholly in one piece, piece by piece
    uint32_t* triangle_cells;      // and the cell that each of them is in
    rblPieceFace* faces;           // all others, piece by piece
    uint32_t* loop_starts;         // first corner of each loop, and the end
    uint32_t*
        corners; // vertices: v < surface_vertex_count of the surface, else vertices[v - surface_vertex_count]
    rblPiece* pieces; // in order of (region, component)
    uint32_t vertex_count, triangle_count, face_count, loop_count, corner_count, piece_count;
    double crack_area; // of one side
    uint32_t merged;   // crumbs that became part of a neighbour
    double noise,
        noise_length; // of bumps on crack faces that are drawn; masses and `faces` know nothing of them
    const rblAllocator* allocator;
    size_t vertex_capacity, origin_capacity, loop_capacity, corner_capacity; // that the arrays have room for
} rblPieces;

typedef struct rblCutOptions
{
    const uint32_t* regions; // per cell: which cells belong together; null: each by itself
    double smallest_volume;  // m^3: smaller pieces are merged into the neighbour with the largest common face
    double thinnest;         // m: and those thinner than this (volume / half the area); 0: none
    double stray;        // m^3: smaller parts of a cell are of one piece with its largest, with air between
    uint32_t max_pieces; // the smallest are merged until no more are left; 0: no limit
    double noise;        // m: height of the bumps on drawn crack faces; 0: flat
    double noise_length; // m: from bump to bump; positive where there are any
    double radius;       // m: pieces that no edge or outer face brings this near to `center` are merged, too
    rblVec3d center;     // in the surface's axes
    uint32_t rest;       // but for those of this region; 0 radius: none are
} rblCutOptions;

// Cut a closed, oriented mesh; faces of more than three corners are cut as the triangles of
// rbl_triangulate_corners(), and `triangle` counts those. `linear`, `offset` take the surface's axes to those
// of the cells, x -> linear x + offset: a similarity without mirroring. Null options: each cell by itself,
// nothing merged. Refused: a surface that sticks out of the cells' box, that is open or not oriented where it
// is cut, that has no volume or is inside out, numbers that are not finite. A surface that crosses itself is
// cut all the same: every piece is closed, and volumes count space as often as the surface winds around it.
rblResult rbl_cut_pieces(const rblMeshView* surface, const rblCells* cells, const rblMat3d* linear,
                         rblVec3d offset, const rblCutOptions* options, rblJobs* jobs,
                         const rblAllocator* allocator, rblPieces** out);
void rbl_pieces_free(rblPieces* pieces);

// Where a vertex of the pieces of `surface` is.
static inline rblVec3d rbl_piece_position(const rblPieces* pieces, const rblMeshView* surface,
                                          uint32_t vertex)
{
    return vertex < pieces->surface_vertex_count ? surface->positions[vertex]
                                                 : pieces->vertices[vertex - pieces->surface_vertex_count];
}

// The surface of a piece to draw: triangles, closed and manifold by index, with the layers, materials and
// groups of `surface` (the one that was cut) on its outer faces, and crack faces with a material "crack"
// after the others and planar UVs in metres; face_origins name the face of `surface`, RBL_NONE for cracks.
// Mates have the same triangles, turned over, and the same bumps. `piece_faces`, if not null, receives the rblPieceFace of every
// face of the mesh, RBL_NONE for triangles that were not cut (to be freed by the caller with the pieces'
// allocator).
rblResult rbl_piece_mesh(const rblPieces* pieces, uint32_t piece, const rblMeshView* surface, rblMeshId* out,
                         uint32_t** piece_faces);

#endif
