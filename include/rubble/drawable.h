/// Meshes as graphics hardware takes them: vertices with normals, and triangles, those of crack faces last.
#ifndef RUBBLE_DRAWABLE_H
#define RUBBLE_DRAWABLE_H

#include "rubble/mesh.h"

RBL_EXTERN_C_BEGIN

/// Vertices are shared where position and normal agree. Crack faces (RBL_CRACK_MATERIAL) are flat; other faces have the normals of
/// the mesh, or smooth ones with creases at 40 degrees.
typedef struct rblDrawable
{
    float*
        positions; ///< 3 for each vertex, in the frame of the mesh: exact to 2^-24 of the distance from its origin
    float* normals;    ///< 3 for each vertex, unit length
    uint32_t* indices; ///< 3 for each triangle
    uint32_t vertex_count;
    uint32_t index_count;
    uint32_t crack_start; ///< the first index of crack faces; index_count: there are none
} rblDrawable;

/// Make one from any mesh, which may be destroyed afterwards. To be freed with rbl_drawable_free().
RBL_API rblResult rbl_drawable_create(rblMeshId mesh, rblDrawable* out);

/// Free it; zeros are fine.
RBL_API void rbl_drawable_free(rblDrawable* drawable);

RBL_EXTERN_C_END

#endif
