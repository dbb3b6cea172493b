/// Fewer triangles, same solid.
#ifndef RUBBLE_SIMPLIFY_H
#define RUBBLE_SIMPLIFY_H

#include "rubble/mesh.h"

RBL_EXTERN_C_BEGIN

typedef struct rblSimplifyOptions
{
    uint32_t target_triangles; ///< stop at this many; 0: only max_error decides
    double max_error;          ///< stop when the next collapse would move the surface further, m; default: no limit
    double attribute_weight;   ///< how much normals, UVs and colours count against shape; default 1
    uint32_t cookie;           ///< set by rbl_default_simplify_options()
} rblSimplifyOptions;

RBL_API rblSimplifyOptions rbl_default_simplify_options(void);

/// Quadric edge collapse (Garland and Heckbert 1997, 1998) that never changes topology: a closed manifold stays
/// closed and manifold, borders and attribute seams stay where they are. Faces are triangulated first.
/// `error` (may be null) receives the largest collapse cost taken, in metres.
RBL_API rblResult rbl_mesh_simplify(rblMeshId mesh, const rblSimplifyOptions* options, rblMeshId* out,
                                    double* error);

RBL_EXTERN_C_END

#endif
