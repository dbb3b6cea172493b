/// Fracture patterns: partitions of space into regions. At an impact the pattern is centred at the impact point, rotated to the normal,
/// fitted to the body and intersected with it (Su 2009, section 4).
#ifndef RUBBLE_PATTERN_H
#define RUBBLE_PATTERN_H

#include "rubble/math.h"
#include "rubble/mesh.h"
#include "rubble/result.h"
#include <stdint.h>

RBL_EXTERN_C_BEGIN

/// The kind of a pattern (docs/patterns.md).
typedef enum rblPatternKind
{
    RBL_PATTERN_RADIAL,    ///< spokes and rings about the normal: glass
    RBL_PATTERN_VORONOI,   ///< Voronoi cells of about equal size
    RBL_PATTERN_CLUSTERED, ///< Voronoi cells that are smaller near the impact
    RBL_PATTERN_SLABS,     ///< slices across an axis
    RBL_PATTERN_SPLINTERS, ///< long thin pieces along an axis: wood
    RBL_PATTERN_BRICKS,    ///< courses in running bond, along the body's own axes
    RBL_PATTERN_PLANES,    ///< a few plane cracks through the whole body
    RBL_PATTERN_FILE, ///< from a mesh with one closed component per region, or a label volume (docs/patterns.md)
    RBL_PATTERN_KIND_COUNT
} rblPatternKind;

/// Upper limit of rblPatternDef.pieces.
#define RBL_PATTERN_MAX_PIECES 10000

/// Definition of a pattern. Start from rbl_default_pattern_def(), which rbl_pattern_preset() changes. Lengths in metres.
typedef struct rblPatternDef
{
    uint32_t struct_size; ///< bytes of this struct; set by rbl_default_pattern_def()
    uint32_t cookie;      ///< set by rbl_default_pattern_def()
    rblPatternKind kind;
    const char* file; ///< of RBL_PATTERN_FILE
    uint32_t pieces;  ///< requested number, 1 to RBL_PATTERN_MAX_PIECES; default 25. Not used for files
    uint64_t seed;    ///< of the random numbers; default 1
    double size;      ///< longest side of a file's box; 0, the default: just large enough for the body
    double
        radius; ///< beyond this distance from the impact the body stays one piece; 0, the default: the whole body breaks
    double falloff; ///< distance from the impact at which pieces are twice as large; 0: default of the kind
    double jitter;  ///< irregularity, 0 to 1; default 0.5
    double noise;   ///< height of the bumps on drawn crack faces; default 0, flat
    double noise_length; ///< distance of the bumps; 0: eight times their height
    double
        aspect; ///< ratio of length to width of splinters, of length to height of bricks, 0.001 to 1000; 0: 8 and 3.3
    rblVec3d
        axis; ///< in the body's axes: along splinters, normal of slabs, upward for bricks; zero: chosen for the body
} rblPatternDef;

/// 25 pieces of clustered cells.
RBL_API void rbl_pattern_def_init(rblPatternDef* def, size_t size);
static inline rblPatternDef rbl_default_pattern_def(void)
{
    rblPatternDef def;
    rbl_pattern_def_init(&def, sizeof def);
    return def;
}

/// The usual pattern of a material: glass, ice and ceramic radial; concrete, plaster and clay clustered; wood in splinters; stone,
/// steel and rubber as Voronoi cells. `out` starts from rbl_default_pattern_def(). Refused: names that rbl_material_preset() does not know.
RBL_API rblResult rbl_pattern_preset(const char* material, rblPatternDef* out);

/// "radial", "voronoi" and so on, "file" for files. Never null.
RBL_API const char* rbl_pattern_kind_name(rblPatternKind kind);

/// Find a kind by its name. RBL_ERROR_ARGUMENT for unknown names and for "file"; the message lists the names.
RBL_API rblResult rbl_pattern_kind_from_name(const char* name, rblPatternKind* out);

/// Check a definition; the message says what is wrong.
RBL_API rblResult rbl_pattern_check(const rblPatternDef* def);

/// Draw the pattern in a box for an impact at a point; `normal` points into the box and is parallel to an axis. The mesh has a closed
/// part and a group ("piece 0", ...) for every piece; faces between pieces have the material RBL_CRACK_MATERIAL. Regions of a file
/// are drawn as they are, labels as blocks. Refused: a box without volume, a normal that is not parallel to an axis, files that cannot
/// be read or whose regions do not tile their box (the message gives the position).
RBL_API rblResult rbl_pattern_draw(const rblPatternDef* def, rblAabbd box, rblVec3d point, rblVec3d normal,
                                   rblMeshId* out);

/// Save a mesh of rbl_pattern_draw() as a GLB file with a node for every piece. Refused: meshes without groups.
RBL_API rblResult rbl_pattern_save_glb(rblMeshId drawn, const char* path);

RBL_EXTERN_C_END

#endif
