/// Meshes: immutable polygon surfaces with attributes, addressed by id.
#ifndef RUBBLE_MESH_H
#define RUBBLE_MESH_H

#include "rubble/bvh.h"
#include "rubble/export.h"
#include "rubble/math.h"
#include "rubble/result.h"
#include <stdint.h>

RBL_EXTERN_C_BEGIN

/// "No such element", wherever an element index is expected.
#define RBL_NONE UINT32_MAX

/// Handle to a mesh. Zero is null; pass by value, compare, store.
typedef struct rblMeshId
{
    uint32_t index1;     ///< slot + 1, so zeroed memory is the null id
    uint32_t generation; ///< bumped when the slot is reused: stale ids are caught
} rblMeshId;

/// What the values of a layer are.
typedef enum rblLayerKind
{
    RBL_LAYER_NORMAL, ///< 3 floats, unit length
    RBL_LAYER_UV,     ///< 2 floats; a mesh may have any number of UV layers
    RBL_LAYER_COLOR,  ///< 4 floats, linear red green blue alpha
    RBL_LAYER_KIND_COUNT
} rblLayerKind;

/// One attribute, stored per corner so that seams need no doubled vertices.
typedef struct rblLayer
{
    rblLayerKind kind;
    uint32_t components; ///< floats per corner, fixed by the kind: 3, 2, 4
    const float* data;   ///< corner_count * components floats
} rblLayer;

/// All of a mesh, as plain arrays. Face f has corners face_starts[f] .. face_starts[f + 1] - 1,
/// counter-clockwise seen from outside; corner c sits at vertex corner_vertices[c].
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
        face_materials; ///< face_count indices into material_names (or any number when that is empty)
    const uint32_t* face_groups;  ///< face_count indices into group_names (or any number when that is empty)
    const uint32_t* face_origins; ///< face_count: the face this one came from, RBL_NONE for one newly made

    uint32_t material_count;
    const char* const* material_names;
    uint32_t group_count;
    const char* const* group_names;
} rblMeshView;

/// Copy arrays into a new mesh. In `view`, layers, face_materials, face_groups, face_origins and the names
/// may be null; origins then count up from 0. Refused: no faces, faces of fewer than 3 corners, indices out
/// of range, starts that do not rise, positions or attributes that are not finite.
RBL_API rblResult rbl_mesh_create(const rblMeshView* view, rblMeshId* out);

/// Destroy a mesh. The id is stale afterwards; views of it must no longer be used.
RBL_API rblResult rbl_mesh_destroy(rblMeshId mesh);

/// The mesh's own arrays, valid until it is destroyed.
RBL_API rblResult rbl_mesh_view(rblMeshId mesh, rblMeshView* out);

/// A copy in which every face is a triangle (ear clipping in the face's own plane; a convex face becomes a
/// fan): a face of n corners gives exactly n - 2, whatever its shape. Origins name the face that each
/// triangle is part of.
RBL_API rblResult rbl_mesh_triangulate(rblMeshId mesh, rblMeshId* out);

/// A copy with x -> linear * x + offset applied; normals follow, and faces are turned over when `linear`
/// mirrors. Refused when `linear` is singular or not finite, or when a position would overflow.
RBL_API rblResult rbl_mesh_transform(rblMeshId mesh, const rblMat3d* linear, rblVec3d offset, rblMeshId* out);

/// One mesh holding all of the given ones side by side. Layers are matched by kind and order, missing ones
/// filled with zeros. Material and group names are merged by name; where only some inputs have names, the
/// numbers of the others become names such as "material 3". Origins count through the inputs in order.
RBL_API rblResult rbl_mesh_join(const rblMeshId* meshes, uint32_t count, rblMeshId* out);

/// A hierarchy (rubble/bvh.h) over the triangles of a mesh, in the order of rbl_mesh_triangulate(): triangle t of its
/// only span is face t of that. It keeps no reference to the mesh.
RBL_API rblResult rbl_mesh_create_bvh(rblMeshId mesh, rblBvhQuality quality, bool winding, rblBvhId* out);

/// How many meshes are alive: a leak check for tests.
RBL_API uint32_t rbl_mesh_alive_count(void);

RBL_EXTERN_C_END

#endif
