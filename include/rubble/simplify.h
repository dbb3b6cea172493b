/// Fewer triangles, same solid.
#ifndef RUBBLE_SIMPLIFY_H
#define RUBBLE_SIMPLIFY_H

#include "rubble/mesh.h"

RBL_EXTERN_C_BEGIN

/// How far to go. Start from rbl_default_simplify_options().
typedef struct rblSimplifyOptions
{
    uint32_t struct_size;      ///< bytes of this struct; set by rbl_default_simplify_options()
    uint32_t cookie;           ///< set by rbl_default_simplify_options()
    uint32_t target_triangles; ///< stop at this many; 0: only max_error decides
    double max_error;          ///< take no collapse that would move the surface further, m; default: no limit
    double attribute_weight;   ///< how much normals, UVs and colours count against shape; default 1: a change
                               ///< by 1 counts like a tenth of the box's longest side. 0: seams are not kept
} rblSimplifyOptions;

/// The defaults named above.
RBL_API void rbl_simplify_options_init(rblSimplifyOptions* def, size_t size);
static inline rblSimplifyOptions rbl_default_simplify_options(void)
{
    rblSimplifyOptions def;
    rbl_simplify_options_init(&def, sizeof def);
    return def;
}

/// Quadric edge collapse (Garland and Heckbert 1997, 1998) that never changes topology: a closed manifold
/// stays closed and manifold, of the same genus. Faces are triangulated first. Borders, attribute seams and
/// the limits of materials and groups stay in place: their vertices may be thinned out but not moved. No
/// triangle turns over. When target_triangles cannot be reached that way the result has more. `options` may
/// be null for the defaults. `error` (may be null) receives the largest collapse cost taken, in metres: no
/// vertex of the input lies further from the result. Sheets that lie closer together than that
/// may come to intersect. RBL_ERROR_GEOMETRY: the mesh is not manifold, or its faces are not consistently
/// oriented.
RBL_API rblResult rbl_mesh_simplify(rblMeshId mesh, const rblSimplifyOptions* options, rblMeshId* out,
                                    double* error);

RBL_EXTERN_C_END

#endif
