/// Fracture patterns: how a body falls apart. All of space is scored once; at an impact the pattern is centred at the point,
/// turned to the normal, fitted to the body and intersected with it (Su 2009, section 4).
#ifndef RUBBLE_PATTERN_H
#define RUBBLE_PATTERN_H

#include "rubble/math.h"
#include "rubble/mesh.h"
#include "rubble/result.h"
#include <stdint.h>

RBL_EXTERN_C_BEGIN

/// What pieces look like (docs/patterns.md).
typedef enum rblPatternKind
{
    RBL_PATTERN_RADIAL,    ///< spokes and rings about the normal: glass
    RBL_PATTERN_VORONOI,   ///< pieces of about one size
    RBL_PATTERN_CLUSTERED, ///< Voronoi cells that crowd at the impact
    RBL_PATTERN_SLABS,     ///< slices across an axis
    RBL_PATTERN_SPLINTERS, ///< long thin pieces along an axis: wood
    RBL_PATTERN_BRICKS,    ///< courses in running bond, along the body's own axes
    RBL_PATTERN_PLANES,    ///< a few flat cracks right through the body
    RBL_PATTERN_FILE, ///< from a mesh with one closed component per region, or a label volume (docs/patterns.md)
    RBL_PATTERN_KIND_COUNT
} rblPatternKind;

/// That rblPatternDef can ask for.
#define RBL_PATTERN_MAX_PIECES 10000

/// A pattern before it meets a body. Start from rbl_default_pattern_def(), which rbl_pattern_preset() changes. Lengths in metres.
typedef struct rblPatternDef
{
    uint32_t struct_size; ///< bytes of this struct; set by rbl_default_pattern_def()
    uint32_t cookie;      ///< set by rbl_default_pattern_def()
    rblPatternKind kind;
    const char* file; ///< of RBL_PATTERN_FILE
    uint32_t pieces;  ///< wanted, 1 to RBL_PATTERN_MAX_PIECES; default 25. A file has as many as it has
    uint64_t seed;    ///< what is random follows from it; default 1
    double size;      ///< of a file's box, its longest side; 0, the default: just large enough for the body
    double
        radius; ///< farther than this from the impact the body stays one piece; 0, the default: it breaks all over
    double falloff;      ///< pieces grow beyond this distance from the impact; 0: as the kind does by itself
    double jitter;       ///< 0 as regular as the kind can be, to 1; default 0.5
    double noise;        ///< height of the bumps on drawn crack faces; default 0, flat
    double noise_length; ///< from bump to bump; 0: eight times their height
    double
        aspect; ///< length of splinters by their width, of bricks by their height, 0.001 to 1000; 0: as usual (8, 3.3)
    rblVec3d
        axis; ///< in the body's axes: along splinters, across slabs, up through courses; zero: chosen for the body
} rblPatternDef;

/// 25 pieces of clustered cells.
RBL_API void rbl_pattern_def_init(rblPatternDef* def, size_t size);
static inline rblPatternDef rbl_default_pattern_def(void)
{
    rblPatternDef def;
    rbl_pattern_def_init(&def, sizeof def);
    return def;
}

/// What a material breaks like: glass, ice and ceramic radial; concrete, plaster and clay clustered; wood in splinters; stone,
/// steel and rubber as Voronoi cells. `out` starts from rbl_default_pattern_def(). Refused: names that rbl_material_preset() does not know.
RBL_API rblResult rbl_pattern_preset(const char* material, rblPatternDef* out);

/// "radial", "voronoi" and so on, "file" for files. Never null.
RBL_API const char* rbl_pattern_kind_name(rblPatternKind kind);

/// By name. RBL_ERROR_ARGUMENT with the nearest name for words that are none; "file" is none.
RBL_API rblResult rbl_pattern_kind_from_name(const char* name, rblPatternKind* out);

/// Whether a definition can be used, and if not why.
RBL_API rblResult rbl_pattern_check(const rblPatternDef* def);

/// The pattern in a box that is hit at a point, by something that moves along `normal`, an axis or the opposite of one: one mesh
/// with a closed part and a group ("piece 0", ...) for every piece and, between pieces, the material RBL_CRACK_MATERIAL. Of a file
/// the regions as they are there, labels as blocks. Refused: a box without volume, a normal along no axis, files that cannot be
/// read or whose regions do not tile their box, with the location.
RBL_API rblResult rbl_pattern_draw(const rblPatternDef* def, rblAabbd box, rblVec3d point, rblVec3d normal,
                                   rblMeshId* out);

/// What rbl_pattern_draw() made, as a GLB file with a node for every piece. Refused: meshes without groups.
RBL_API rblResult rbl_pattern_save_glb(rblMeshId drawn, const char* path);

RBL_EXTERN_C_END

#endif
