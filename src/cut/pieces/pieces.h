// Cut of a closed surface by cells: the exact intersection of a solid with every region of a partition of space.
//
// Exact predicates on the functions f of the cells at the vertices of the surface decide all topology. Every vertex has
// one symbolic identity: a vertex of the surface, (edge, 2 cells), (triangle, 3 cells), or (4 cells). Therefore two
// pieces that touch share vertices, and each piece is closed and manifold by index. docs/fracture.md explains the
// method.
#ifndef RBL_CUT_PIECES_PIECES_H
#define RBL_CUT_PIECES_PIECES_H

#include "base/jobs.h"
#include "cut/cells/cells.h"
#include "mesh/mesh.h"
#include "rubble/inspect.h"

// Largest number of corners of a piece with `convex` set: the limit of hull shapes.
#define RBL_PIECE_HULL_CORNERS 64

// A polygon on the surface of a piece: part of a triangle of the surface (convex, one loop), or a crack face (the first
// loop is its outer border, the others are its holes). Loops are counter-clockwise seen from outside the piece. Mates
// share their loops; the second mate reads them backwards. A triangle of the surface that is in one piece as a whole is
// not a face: rblPieces.triangles lists it.
typedef struct rblPieceFace
{
    uint32_t triangle;             // triangle of the surface; RBL_NONE: crack face
    uint32_t mate;                 // crack face: index of the face on the other side; else RBL_NONE
    uint32_t piece;                // the piece that it belongs to
    uint32_t cell;                 // the cell of that piece
    uint32_t other;                // crack face: the cell on the other side; else RBL_NONE
    uint32_t first_loop, end_loop; // range in loop_starts
    bool reversed; // whether the loops are clockwise seen from outside: the second of two mates
} rblPieceFace;

typedef struct rblPiece
{
    uint32_t first_triangle, end_triangle; // range in rblPieces.triangles
    uint32_t first_face, end_face;         // range in rblPieces.faces
    uint32_t region;        // region of its cells; after a merge the region of the largest part
    rblMassProperties mass; // at density 1; exact integrals over the faces, in the axes of the surface
    rblAabbd bounds;        // in the axes of the surface
    double area;            // of the whole piece with crack faces, m^2
    bool convex;            // convex within 1e-6 of its size, with at most RBL_PIECE_HULL_CORNERS corners
} rblPiece;

// Origin of a vertex that the cut created: on an edge (a, b), at a + weights[0] (b - a); in a triangle, at the weighted
// sum of its three corners; or inside the solid, where four cells meet.
typedef struct rblPieceVertex
{
    uint32_t triangle; // triangle of the surface; RBL_NONE: on an edge or inside
    uint32_t ends[2];  // vertices of the edge; RBL_NONE: not on an edge
    double weights[3];
} rblPieceVertex;

typedef struct rblPieces
{
    uint32_t surface_vertex_count; // vertices below this index are those of the surface
    rblVec3d* vertices;       // the other vertices, in the axes of the surface; pieces that touch share them
    rblPieceVertex* origins;  // per entry of `vertices`
    uint32_t* triangles;      // triangles of the surface that are in one piece as a whole, sorted by piece
    uint32_t* triangle_cells; // per entry of `triangles`: its cell
    rblPieceFace* faces;      // all other faces, sorted by piece
    uint32_t* loop_starts;    // first corner of each loop; one more entry for the end
    // Vertex indices: below surface_vertex_count of the surface, else vertices[v - surface_vertex_count].
    uint32_t* corners;
    rblPiece* pieces; // sorted by region, then by component
    uint32_t vertex_count, triangle_count, face_count, loop_count, corner_count, piece_count;
    double crack_area; // m^2, of one side
    uint32_t merged;   // number of crumbs that were merged with a neighbour
    // m, distance between bumps on drawn crack faces; masses and `faces` ignore bumps.
    double noise, noise_length;
    const rblAllocator* allocator;
    // Allocated entries of the arrays.
    size_t vertex_capacity, origin_capacity, loop_capacity, corner_capacity;
} rblPieces;

typedef struct rblCutOptions
{
    // Per cell: its region; cells of one region are one piece if they are connected; null: each cell is a region.
    const uint32_t* regions;
    double smallest_volume; // m^3; a smaller piece is merged with the neighbour with the largest common face
    double thinnest; // m; a piece with a smaller thickness (volume / half the area) is merged, too; 0: none
    // m^3; a disconnected part of a cell with a smaller volume belongs to the same piece as the largest part of the
    // cell.
    double stray;
    uint32_t max_pieces; // the smallest pieces are merged until this number is left; 0: no limit
    double noise;        // m, height of bumps on drawn crack faces; 0: flat
    double noise_length; // m, distance between bumps; positive if there are bumps
    // m; a piece whose edges and outer faces are all farther from `center` is merged, too; 0: none.
    double radius;
    rblVec3d center; // in the axes of the surface
    uint32_t rest;   // the region whose pieces are not merged because of `radius`
} rblCutOptions;

// Cut a closed, oriented mesh. Faces with more than three corners are cut as the triangles of
// rbl_triangulate_corners(); `triangle` is an index of these. x -> linear x + offset transforms from the axes of the
// surface to those of the cells: a similarity without reflection. Null options: each cell is a region, nothing is
// merged. Refused: a surface that is not inside the box of the cells, that is open or not oriented where it is cut,
// that has no volume or is oriented inward, numbers that are not finite. A surface that intersects itself is cut, too:
// every piece is closed, and volumes count each part of space as often as the surface winds around it.
rblResult rbl_cut_pieces(const rblMeshView* surface, const rblCells* cells, const rblMat3d* linear,
                         rblVec3d offset, const rblCutOptions* options, rblJobs* jobs,
                         const rblAllocator* allocator, rblPieces** out);
void rbl_pieces_free(rblPieces* pieces);

// Position of a vertex of the pieces of `surface`.
static inline rblVec3d rbl_piece_position(const rblPieces* pieces, const rblMeshView* surface,
                                          uint32_t vertex)
{
    return vertex < pieces->surface_vertex_count ? surface->positions[vertex]
                                                 : pieces->vertices[vertex - pieces->surface_vertex_count];
}

// The surface of a piece for drawing: triangles, closed and manifold by index. Outer faces have the layers, materials
// and groups of `surface` (the surface that was cut). Crack faces have a material "crack" after the others and planar
// UVs in metres. face_origins are faces of `surface`, RBL_NONE for cracks. Mates have the same triangles with opposite
// orientation, and the same bumps. `piece_faces`, if not null, receives the rblPieceFace of every face of the mesh,
// RBL_NONE for triangles that were not cut; the caller frees it with the allocator of the pieces.
rblResult rbl_piece_mesh(const rblPieces* pieces, uint32_t piece, const rblMeshView* surface, rblMeshId* out,
                         uint32_t** piece_faces);

#endif
