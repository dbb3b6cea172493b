/// Fracture without a simulation: the exact intersection of a mesh with a pattern. The pieces are closed and fit (docs/fracture.md).
#ifndef RUBBLE_SHATTER_H
#define RUBBLE_SHATTER_H

#include "rubble/inspect.h"
#include "rubble/pattern.h"

RBL_EXTERN_C_BEGIN

/// Definition of a fracture of a mesh. Start from rbl_default_shatter_def() and change fields.
typedef struct rblShatterDef
{
    uint32_t struct_size; ///< bytes of this struct; set by rbl_default_shatter_def()
    uint32_t cookie;      ///< set by rbl_default_shatter_def()
    rblVec3d point;       ///< of the impact, in the mesh's axes; default the origin
    rblVec3d normal;      ///< into the body, any length but zero; default straight down
    double
        smallest_part; ///< pieces below this fraction of the mean piece volume are merged with a neighbour; default 0.01
    double
        thinnest_part; ///< pieces below this fraction of the body's thickness (volume / half the area) are merged; default 0.01
    rblPatternDef pattern; ///< default rbl_default_pattern_def(); last, as it may grow
} rblShatterDef;

/// The defaults named above.
RBL_API void rbl_shatter_def_init(rblShatterDef* def, size_t size);
static inline rblShatterDef rbl_default_shatter_def(void)
{
    rblShatterDef def;
    rbl_shatter_def_init(&def, sizeof def);
    return def;
}

/// Set point and normal of the impact in a definition. A point outside of the mesh moves to the nearest surface point; `moved` (may be
/// null) receives the distance. Null point: the top of the mesh above its centre. Null normal: opposite to the surface normal nearest to
/// the point. Refused: a point that is not finite, a normal that is not finite or has length 0.
RBL_API rblResult rbl_shatter_place(rblMeshId mesh, const rblVec3d* point, const rblVec3d* normal,
                                    rblShatterDef* def, double* moved);

/// Handle to the pieces of a mesh. Zero is null; pass by value, compare, store. Stale ids are caught.
typedef struct rblPiecesId
{
    uint32_t index1;
    uint32_t generation;
} rblPiecesId;

/// Break a mesh, which must be closed, manifold and oriented outward (rbl_mesh_repair()), and may be destroyed afterwards. Null
/// def: the defaults. Refused: a pattern that rbl_pattern_check() refuses, a point that is not finite, a normal of length 0.
RBL_API rblResult rbl_mesh_shatter(rblMeshId mesh, const rblShatterDef* def, rblPiecesId* out);

/// Destroy pieces. Meshes that rbl_pieces_mesh() made stay.
RBL_API rblResult rbl_pieces_destroy(rblPiecesId pieces);

/// Totals of a set of pieces.
typedef struct rblPiecesInfo
{
    uint32_t count;
    uint32_t merged;   ///< crumbs that were merged with a neighbour
    double crack_area; ///< of one side, m^2
} rblPiecesInfo;

/// Read the totals.
RBL_API rblResult rbl_pieces_info(rblPiecesId pieces, rblPiecesInfo* out);

/// One piece.
typedef struct rblPieceInfo
{
    rblMassProperties mass; ///< at density 1, exact integrals over the faces, in the mesh's axes
    rblAabbd bounds;        ///< in the mesh's axes
    double area;            ///< of the whole surface with crack faces, m^2
    bool convex;            ///< with a tolerance of 1e-6 of its size
} rblPieceInfo;

/// Read one piece. Refused: an index out of range.
RBL_API rblResult rbl_pieces_piece(rblPiecesId pieces, uint32_t piece, rblPieceInfo* out);

/// The surface of a piece, in place: triangles, closed and manifold by index, with the layers, materials and groups of the mesh on
/// its outer faces; crack faces have the material RBL_CRACK_MATERIAL and UVs in metres. face_origins has the face of the mesh,
/// RBL_NONE for cracks. The caller destroys the mesh.
RBL_API rblResult rbl_pieces_mesh(rblPiecesId pieces, uint32_t piece, rblMeshId* out);

/// Two mating triangles: faces of the meshes that rbl_pieces_mesh() makes, piece_a < piece_b.
typedef struct rblPieceMate
{
    uint32_t piece_a, face_a, piece_b, face_b;
} rblPieceMate;

/// All pairs of mating faces, sorted by piece_a, piece_b and face_a. `count` receives their number; the first `capacity` pairs are
/// written to `out`, which may be null when `capacity` is 0.
RBL_API rblResult rbl_pieces_mates(rblPiecesId pieces, rblPieceMate* out, size_t capacity, size_t* count);

/// Save FOLDER/piece_0000.obj, ... in the mesh's axes, and FOLDER/pieces.json: masses at a density (kg/m^3), centres, neighbours, mating faces
/// (docs/fracture.md). Pieces of an earlier call are removed first. `force`: also write into a folder that has other files.
RBL_API rblResult rbl_pieces_save_folder(rblPiecesId pieces, double density, const char* folder, bool force);

/// Save one GLB file with a node for every piece. `explode`: displacement of each piece from the centre, relative to its distance from
/// the centre; 0: none.
RBL_API rblResult rbl_pieces_save_glb(rblPiecesId pieces, double density, double explode, const char* path);

/// The number of sets of pieces that exist: a leak check for tests.
RBL_API uint32_t rbl_pieces_alive_count(void);

RBL_EXTERN_C_END

#endif
