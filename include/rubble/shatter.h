/// Fracture without a simulation: a mesh and a pattern, intersected exactly into closed pieces that fit (docs/fracture.md).
#ifndef RUBBLE_SHATTER_H
#define RUBBLE_SHATTER_H

#include "rubble/inspect.h"
#include "rubble/pattern.h"

RBL_EXTERN_C_BEGIN

/// How a mesh is broken. Start from rbl_default_shatter_def() and change fields.
typedef struct rblShatterDef
{
    uint32_t struct_size; ///< bytes of this struct; set by rbl_default_shatter_def()
    uint32_t cookie;      ///< set by rbl_default_shatter_def()
    rblVec3d point;       ///< of the impact, in the mesh's axes; default the origin
    rblVec3d normal;      ///< into the body, any length but zero; default straight down
    double
        smallest_part; ///< pieces below this part of an even share of the volume are merged into a neighbour; default 0.01
    double
        thinnest_part; ///< and those thinner than this part of the body's thickness (volume by half the area); default 0.01
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

/// Set point and normal of a definition to where a mesh is hit. A point outside of it goes to the nearest one on its surface;
/// `moved` (may be null) receives how far. Null point: the top of the mesh above its middle. Null normal: against that of the surface
/// nearest to the point. Refused: a point that is not finite, a normal that is not or has no length.
RBL_API rblResult rbl_shatter_place(rblMeshId mesh, const rblVec3d* point, const rblVec3d* normal,
                                    rblShatterDef* def, double* moved);

/// Handle to the pieces of a mesh. Zero is null; pass by value, compare, store. Stale ids are caught.
typedef struct rblPiecesId
{
    uint32_t index1;
    uint32_t generation;
} rblPiecesId;

/// Break a mesh, which must be closed, manifold and oriented outward (rbl_mesh_repair()), and may be destroyed afterwards. Null
/// def: the defaults. Refused: a pattern that rbl_pattern_check() refuses, a point that is not finite, a normal of no length.
RBL_API rblResult rbl_mesh_shatter(rblMeshId mesh, const rblShatterDef* def, rblPiecesId* out);

/// Destroy pieces. Meshes that rbl_pieces_mesh() made stay.
RBL_API rblResult rbl_pieces_destroy(rblPiecesId pieces);

/// All of them together.
typedef struct rblPiecesInfo
{
    uint32_t count;
    uint32_t merged;   ///< crumbs that became part of a neighbour
    double crack_area; ///< of one side, m^2
} rblPiecesInfo;

/// Look at them.
RBL_API rblResult rbl_pieces_info(rblPiecesId pieces, rblPiecesInfo* out);

/// One piece.
typedef struct rblPieceInfo
{
    rblMassProperties mass; ///< at density 1, exact integrals over its faces, in the mesh's axes
    rblAabbd bounds;        ///< in the mesh's axes
    double area;            ///< of all of its surface, cracks included, m^2
    bool convex;            ///< to 1e-6 of its size
} rblPieceInfo;

/// Look at one. Refused: a number that is not below the count.
RBL_API rblResult rbl_pieces_piece(rblPiecesId pieces, uint32_t piece, rblPieceInfo* out);

/// The surface of a piece, in place: triangles, closed and manifold by index, with the layers, materials and groups of the mesh on
/// its outer faces; crack faces have the material RBL_CRACK_MATERIAL and UVs in metres. face_origins name the face of the mesh,
/// RBL_NONE for cracks. To be destroyed by the caller.
RBL_API rblResult rbl_pieces_mesh(rblPiecesId pieces, uint32_t piece, rblMeshId* out);

/// Two triangles that fit: faces of the meshes that rbl_pieces_mesh() makes, piece_a < piece_b.
typedef struct rblPieceMate
{
    uint32_t piece_a, face_a, piece_b, face_b;
} rblPieceMate;

/// Mating faces, every pair once, by pieces and face a. `count` receives how many there are; the first `capacity` of them are
/// written to `out`, which may be null when that is 0.
RBL_API rblResult rbl_pieces_mates(rblPiecesId pieces, rblPieceMate* out, size_t capacity, size_t* count);

/// FOLDER/piece_0000.obj, ... in place, and FOLDER/pieces.json: masses at a density (kg/m^3), centres, neighbours, mating faces
/// (docs/fracture.md). Pieces of an earlier time are removed first. `force`: into a folder with other files too.
RBL_API rblResult rbl_pieces_save_folder(rblPiecesId pieces, double density, const char* folder, bool force);

/// One GLB file with a node for every piece. `explode`: how far they are moved away from the middle, by their distance from it; 0: in
/// place.
RBL_API rblResult rbl_pieces_save_glb(rblPiecesId pieces, double density, double explode, const char* path);

/// How many sets of pieces are alive: a leak check for tests.
RBL_API uint32_t rbl_pieces_alive_count(void);

RBL_EXTERN_C_END

#endif
