/// Extraction of surfaces from scalar fields.
#ifndef RUBBLE_ISOSURFACE_H
#define RUBBLE_ISOSURFACE_H

#include "rubble/mesh.h"

RBL_EXTERN_C_BEGIN

/// A scalar field, smaller inside than outside. It is called from several threads at once and must return the same value
/// for the same point. Infinite values are allowed. A signed distance is best, but only the position of the level set and
/// the gradient there matter.
typedef double rblFieldFcn(rblVec3d point, void* context);

/// The gradient of the field; need not be unit length. Where it is zero or not finite, central differences are used.
typedef rblVec3d rblGradientFcn(rblVec3d point, void* context);

/// How vertices are placed.
typedef enum rblIsosurfaceMethod
{
    RBL_DUAL_CONTOURING, ///< keeps edges and corners (Ju et al. 2002), manifold output (Schaefer et al. 2007)
    RBL_SURFACE_NETS     ///< smooth: vertices at the mean of the edge crossings (Gibson 1998)
} rblIsosurfaceMethod;

/// Definition of an isosurface. Start from rbl_default_isosurface_def().
typedef struct rblIsosurfaceDef
{
    uint32_t struct_size; ///< bytes of this struct; set by rbl_default_isosurface_def()
    uint32_t cookie;      ///< set by rbl_default_isosurface_def()
    rblAabbd bounds;      ///< the surface should lie inside; where it crosses the border it is closed there
    uint32_t cells[3];    ///< grid cells along x, y, z; 2 to 1024 each
    rblIsosurfaceMethod method; ///< default RBL_DUAL_CONTOURING
    rblFieldFcn* field;         ///< required
    rblGradientFcn* gradient;   ///< null: central differences of the field, six or more calls per crossing
    void* context;              ///< passed to both functions
    double level;               ///< inside is where field < level; default 0
} rblIsosurfaceDef;

/// 64 cells per axis over the box from -1 to 1, dual contouring; set `field` yourself.
RBL_API void rbl_isosurface_def_init(rblIsosurfaceDef* def, size_t size);
static inline rblIsosurfaceDef rbl_default_isosurface_def(void)
{
    rblIsosurfaceDef def;
    rbl_isosurface_def_init(&def, sizeof def);
    return def;
}

/// Extract the surface: closed, manifold, oriented outward (towards larger values) for every field; without degenerate
/// faces; flat quads and triangles. Memory: one bit per grid node, and about 200 bytes per cell that the surface crosses.
/// docs/isosurface.md describes the method and its limits. RBL_ERROR_GEOMETRY when the grid crosses no surface,
/// RBL_ERROR_ARGUMENT when the field returns NaN.
RBL_API rblResult rbl_mesh_isosurface(const rblIsosurfaceDef* def, rblMeshId* out);

RBL_EXTERN_C_END

#endif
