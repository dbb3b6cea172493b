/// Meshes: immutable polygon surfaces with attributes, addressed by id.
#ifndef RUBBLE_MESH_H
#define RUBBLE_MESH_H

#include "rubble/bvh.h"
#include "rubble/linkage.h"
#include "rubble/math.h"
#include "rubble/result.h"
#include <stdint.h>

RBL_EXTERN_C_BEGIN

/// Handle to a mesh. Zero is null; pass by value, compare, store.
typedef struct rblMeshId
{
    uint32_t index1;     ///< slot + 1, so zeroed memory is the null id
    uint32_t generation; ///< incremented when the slot is reused, so that stale ids are detected
} rblMeshId;

/// The meaning of the values of a layer.
typedef enum rblLayerKind
{
    RBL_LAYER_NORMAL, ///< 3 floats, unit length
    RBL_LAYER_UV,     ///< 2 floats; a mesh can have several UV layers
    RBL_LAYER_COLOR,  ///< 4 floats, linear red, green, blue, alpha
    RBL_LAYER_KIND_COUNT
} rblLayerKind;

/// One attribute. Attributes are stored per corner, so that a seam needs no duplicate vertices.
typedef struct rblLayer
{
    rblLayerKind kind;
    uint32_t components; ///< floats per corner, fixed by the kind: 3, 2, 4
    const float* data;   ///< corner_count * components floats
} rblLayer;

/// The arrays of a mesh. Face f has the corners face_starts[f] .. face_starts[f + 1] - 1, counter-clockwise seen from
/// outside; corner c lies at vertex corner_vertices[c].
typedef struct rblMeshView
{
    uint32_t vertex_count;
    uint32_t face_count;
    uint32_t corner_count;
    const rblVec3d* positions;       ///< vertex_count
    const uint32_t* face_starts;     ///< face_count + 1
    const uint32_t* corner_vertices; ///< corner_count

    uint32_t layer_count;
    const rblLayer* layers;

    const uint32_t*
        face_materials;           ///< face_count indices into material_names (any number when that is empty)
    const uint32_t* face_groups;  ///< face_count indices into group_names (any number when that is empty)
    const uint32_t* face_origins; ///< face_count: the face of the source mesh, RBL_NONE for a new face

    uint32_t material_count;
    const char* const* material_names;
    uint32_t group_count;
    const char* const* group_names;
} rblMeshView;

/// Copy arrays into a new mesh. In `view`, layers, face_materials, face_groups, face_origins and the names may be null;
/// origins are then 0, 1, 2, ... Refused: a mesh without faces, faces of fewer than 3 corners, indices out of range,
/// starts that do not increase, positions or attributes that are not finite.
RBL_API rblResult rbl_mesh_create(const rblMeshView* view, rblMeshId* out);

/// Destroy a mesh. The id is stale afterwards; views of it must no longer be used.
RBL_API rblResult rbl_mesh_destroy(rblMeshId mesh);

/// The arrays of a mesh, valid until it is destroyed.
RBL_API rblResult rbl_mesh_view(rblMeshId mesh, rblMeshView* out);

/// A copy in which every face is a triangle (ear clipping in the plane of the face; a convex face becomes a fan). A face
/// of n corners gives exactly n - 2 triangles, whatever its shape. The origin of a triangle is its face.
RBL_API rblResult rbl_mesh_triangulate(rblMeshId mesh, rblMeshId* out);

/// A copy with x -> linear * x + offset applied. Normals are transformed too, and faces are flipped when `linear`
/// mirrors. Refused: `linear` is singular or not finite, or a position would overflow.
RBL_API rblResult rbl_mesh_transform(rblMeshId mesh, const rblMat3d* linear, rblVec3d offset, rblMeshId* out);

/// One mesh with all faces of the given meshes. Layers are matched by kind and order; missing layers are filled with
/// zeros. Materials and groups are merged by name; where only some inputs have names, the numbers of the others become
/// names such as "material 3". Origins are numbered through all inputs in order.
RBL_API rblResult rbl_mesh_join(const rblMeshId* meshes, uint32_t count, rblMeshId* out);

/// A BVH (rubble/bvh.h) over the triangles of a mesh. It has one span, and triangle t of it is face t of
/// rbl_mesh_triangulate(). The BVH keeps no reference to the mesh.
RBL_API rblResult rbl_mesh_create_bvh(rblMeshId mesh, rblBvhQuality quality, bool winding, rblBvhId* out);

/// The number of meshes that exist: a leak check for tests.
RBL_API uint32_t rbl_mesh_alive_count(void);

RBL_EXTERN_C_END

#endif
