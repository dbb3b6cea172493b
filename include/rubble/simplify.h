/// Simplification: fewer triangles, same topology.
#ifndef RUBBLE_SIMPLIFY_H
#define RUBBLE_SIMPLIFY_H

#include "rubble/mesh.h"

RBL_EXTERN_C_BEGIN

/// When to stop. Start from rbl_default_simplify_options().
typedef struct rblSimplifyOptions
{
    uint32_t struct_size;      ///< bytes of this struct; set by rbl_default_simplify_options()
    uint32_t cookie;           ///< set by rbl_default_simplify_options()
    uint32_t target_triangles; ///< stop at this number; 0: only max_error decides
    double max_error;        ///< skip collapses that move the surface further than this, m; default: no limit
    double attribute_weight; ///< weight of normals, UVs and colours against shape; default 1: a change
        ///< by 1 costs as much as a tenth of the longest side of the box. 0: seams are not kept
} rblSimplifyOptions;

/// The defaults named above.
RBL_API void rbl_simplify_options_init(rblSimplifyOptions* def, size_t size);
static inline rblSimplifyOptions rbl_default_simplify_options(void)
{
    rblSimplifyOptions def;
    rbl_simplify_options_init(&def, sizeof def);
    return def;
}

/// Quadric edge collapse (Garland and Heckbert 1997, 1998) that never changes the topology: a closed manifold stays
/// closed and manifold, with the same genus. Faces are triangulated first. Boundaries, attribute seams and borders of
/// materials and groups keep their place: their vertices may be removed but not moved. No triangle is flipped. When
/// target_triangles cannot be reached under these rules, the result has more triangles. `options` may be null for the
/// defaults. `error` (may be null) receives the largest cost of a collapse, in metres: no vertex of the input is further
/// from the result. Sheets that are closer to each other than that can intersect afterwards. RBL_ERROR_GEOMETRY: the mesh
/// is not manifold, or its faces are not consistently oriented.
RBL_API rblResult rbl_mesh_simplify(rblMeshId mesh, const rblSimplifyOptions* options, rblMeshId* out,
                                    double* error);

RBL_EXTERN_C_END

#endif
