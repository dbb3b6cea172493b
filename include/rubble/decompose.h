/// Convex decomposition: a closed mesh as a few convex parts that cover it.
#ifndef RUBBLE_DECOMPOSE_H
#define RUBBLE_DECOMPOSE_H

#include "rubble/mesh.h"
#include "rubble/progress.h"
#include "rubble/shape.h"

RBL_EXTERN_C_BEGIN

#define RBL_DECOMPOSE_MAX_PARTS 1024

/// How to decompose. Start from rbl_default_decompose_options().
typedef struct rblDecomposeOptions
{
    uint32_t struct_size; ///< bytes of this struct; set by rbl_default_decompose_options()
    uint32_t cookie;      ///< set by rbl_default_decompose_options()
    uint32_t max_parts;   ///< most parts; 1 to RBL_DECOMPOSE_MAX_PARTS, default 16; 1: the convex hull
    uint32_t resolution;  ///< positions of cutting planes along each axis of a part; 2 to 64, default 16
    /// A part is cut as long as its hull has more volume outside the solid than this share of the volume of the solid; 1e-6 to 1,
    /// default 0.02. Parts that exceed it remain where max_parts are reached.
    double tolerance;
    uint64_t seed;        ///< of the directions of further planes; default 1
    rblProgress progress; ///< default nobody
} rblDecomposeOptions;

/// The defaults named above.
RBL_API void rbl_decompose_options_init(rblDecomposeOptions* def, size_t size);
static inline rblDecomposeOptions rbl_default_decompose_options(void)
{
    rblDecomposeOptions def;
    rbl_decompose_options_init(&def, sizeof def);
    return def;
}

/// The quality of a decomposition.
typedef struct rblDecomposeReport
{
    uint32_t part_count;
    double volume;      ///< of the solid, m^3
    double hull_volume; ///< sum of the parts, m^3; parts may overlap
    double
        worst_share; ///< volume of a part outside the solid, or in another part, as a share of the volume of the solid: the largest
    bool within_tolerance; ///< whether this is at most the tolerance
} rblDecomposeReport;

/// Cut a solid into pieces by planes, again and again where the convex hull of a piece is largest outside it, join pieces whose common
/// hull is small enough, and return the convex hulls of the pieces, largest first. Together they cover the solid. A convex mesh gives
/// one part. `out` has room for max_parts meshes, which the caller destroys; the first report.part_count are written, each with one
/// group, "part 1" and so on. `options` may be null for the defaults. `report` may be null; then fill `out` with null ids to know where
/// they end. Refused: a mesh that is open, not manifold, not oriented outward; on failure there are
/// no meshes. The result does not depend on the number of workers.
RBL_API rblResult rbl_mesh_decompose(rblMeshId mesh, const rblDecomposeOptions* options, rblMeshId* out,
                                     rblDecomposeReport* report);

/// A compound of the hulls of a decomposition, or one hull if there is one part. Its mass is that of the hulls. Refused: as above, and
/// parts that are too thin for a hull.
RBL_API rblResult rbl_shape_create_parts(rblMeshId mesh, const rblDecomposeOptions* options, rblShapeId* out,
                                         rblDecomposeReport* report);

RBL_EXTERN_C_END

#endif
