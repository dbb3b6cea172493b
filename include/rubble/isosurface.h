/// Surfaces of scalar fields.
#ifndef RUBBLE_ISOSURFACE_H
#define RUBBLE_ISOSURFACE_H

#include "rubble/mesh.h"

RBL_EXTERN_C_BEGIN

/// A scalar field, smaller inside than outside. Called from several threads at once; must give the same value each time.
/// Infinite values are fine. A signed distance is the best, but only the place of the level and the slope there matter.
typedef double rblFieldFcn(rblVec3d point, void* context);

/// The gradient of the field; need not be unit length. Where it is zero or not finite, central differences are used.
typedef rblVec3d rblGradientFcn(rblVec3d point, void* context);

/// How vertices are placed.
typedef enum rblIsosurfaceMethod
{
    RBL_DUAL_CONTOURING, ///< keeps edges and corners (Ju et al. 2002), manifold output (Schaefer et al. 2007)
    RBL_SURFACE_NETS     ///< smooth: vertices at the mean of the edge crossings (Gibson 1998)
} rblIsosurfaceMethod;

/// What to extract. Start from rbl_default_isosurface_def().
typedef struct rblIsosurfaceDef
{
    uint32_t struct_size; ///< bytes of this struct; set by rbl_default_isosurface_def()
    uint32_t cookie;      ///< set by rbl_default_isosurface_def()
    rblAabbd bounds;      ///< the surface should lie inside; what crosses the border is closed off along it
    uint32_t cells[3];    ///< grid cells along x, y, z; 2 to 1024 each
    rblIsosurfaceMethod method; ///< default RBL_DUAL_CONTOURING
    rblFieldFcn* field;         ///< required
    rblGradientFcn* gradient;   ///< null: central differences of the field, six or more calls per crossing
    void* context;              ///< handed to both
    double level;               ///< inside is where field < level; default 0
} rblIsosurfaceDef;

/// 64 cells a side of the box from -1 to 1, by dual contouring; the field is for you to set.
RBL_API void rbl_isosurface_def_init(rblIsosurfaceDef* def, size_t size);
static inline rblIsosurfaceDef rbl_default_isosurface_def(void)
{
    rblIsosurfaceDef def;
    rbl_isosurface_def_init(&def, sizeof def);
    return def;
}

/// Extract the surface: closed, manifold, oriented outward (towards larger values), whatever the field; no degenerate
/// faces; flat quads and triangles. Memory: one bit per node of the grid, and about 200 bytes per cell that the surface
/// passes through. docs/isosurface.md tells how, and what can be expected.
/// RBL_ERROR_GEOMETRY when the grid sees no surface, RBL_ERROR_ARGUMENT when the field returns NaN.
RBL_API rblResult rbl_mesh_isosurface(const rblIsosurfaceDef* def, rblMeshId* out);

RBL_EXTERN_C_END

#endif
