// The mesh inside the library. It is read through an rblMeshView, made by an rblMeshBuilder, and never changed
// afterwards.
//
// It is a half-edge structure in which a corner *is* a half-edge: corner c is at vertex corner_vertices[c], and its
// half-edge goes to the next corner of the same face. Twins and vertex fans are computed when needed (topology.h).
#ifndef RBL_MESH_MESH_H
#define RBL_MESH_MESH_H

#include "base/array.h"
#include "base/hash_map.h"
#include "rubble/mesh.h"

typedef struct rblMesh rblMesh;

// The largest number of vertices or corners of a mesh: indices, and the two special values of topology.h, must fit in 32
// bits.
#define RBL_MAX_ELEMENTS (UINT32_MAX - 3)

typedef struct rblBuilderLayer
{
    rblLayerKind kind;
    uint32_t components;
    rblFloatArray data; // corners * components values
} rblBuilderLayer;

typedef struct rblNameTable
{
    RBL_ARRAY(char*) names;
    rblHashMap numbers; // from the hash of a name to its index
} rblNameTable;

// Collects the elements of a mesh. When memory or indices run out, the builder remembers it and
// rbl_mesh_builder_finish() reports it, so that callers need not check every call. Calls after the failure do nothing.
typedef struct rblMeshBuilder
{
    const rblAllocator* allocator;
    RBL_ARRAY(rblVec3d) positions;
    rblIndexArray face_starts; // first corner of each finished face
    rblIndexArray corner_vertices;
    RBL_ARRAY(rblBuilderLayer) layers;
    rblIndexArray face_materials;
    rblIndexArray face_groups;
    rblIndexArray face_origins;
    rblNameTable materials;
    rblNameTable groups;
    uint32_t open_corner; // first corner of the face being built
    bool failed;
    bool too_large; // the reason was RBL_MAX_ELEMENTS
} rblMeshBuilder;

void rbl_mesh_builder_init(rblMeshBuilder* builder, const rblAllocator* allocator);

// Free everything without making a mesh.
void rbl_mesh_builder_discard(rblMeshBuilder* builder);

// Reserve capacity. Pass counts that are known to be correct, not counts from a file header.
void rbl_mesh_builder_reserve(rblMeshBuilder* builder, size_t vertices, size_t faces, size_t corners);

// Add a layer and return its index. Existing corners get zeros.
uint32_t rbl_mesh_builder_layer(rblMeshBuilder* builder, rblLayerKind kind);

// The layers, material names and group names of `source`, in its order. Call it on an empty builder.
void rbl_mesh_builder_like(rblMeshBuilder* builder, const rblMeshView* source);

// Copy all of `source`: layers, names, vertices and faces. Call it on an empty builder. Materials, groups and origins of
// the faces may be null, as in rbl_mesh_create().
void rbl_mesh_builder_copy(rblMeshBuilder* builder, const rblMeshView* source);

// The index of a name, which is added when it is new. Never RBL_NONE: 0 after a failure.
uint32_t rbl_mesh_builder_material(rblMeshBuilder* builder, const char* name);
uint32_t rbl_mesh_builder_group(rblMeshBuilder* builder, const char* name);

uint32_t rbl_mesh_builder_vertex(rblMeshBuilder* builder, rblVec3d position);

// Add a corner to the current face; its attributes are zero until set.
uint32_t rbl_mesh_builder_corner(rblMeshBuilder* builder, uint32_t vertex);
void rbl_mesh_builder_set(rblMeshBuilder* builder, uint32_t layer, uint32_t corner, const float* values);

// Add a corner with the attributes of a corner of `source`; layers correspond by index (rbl_mesh_builder_like).
uint32_t rbl_mesh_builder_corner_copy(rblMeshBuilder* builder, uint32_t vertex, const rblMeshView* source,
                                      uint32_t corner);

// Add a corner with a weighted sum of the attributes of several corners; normals are normalised.
uint32_t rbl_mesh_builder_corner_blend(rblMeshBuilder* builder, uint32_t vertex, const rblMeshView* source,
                                       const uint32_t* corners, const double* weights, uint32_t count);

// Finish the face of the corners added since the last face.
uint32_t rbl_mesh_builder_face(rblMeshBuilder* builder, uint32_t material, uint32_t group, uint32_t origin);

// Remove the corners added since the last face.
void rbl_mesh_builder_cancel_face(rblMeshBuilder* builder);

// Turn the builder into a mesh and leave the builder empty. RBL_ERROR_MEMORY, RBL_ERROR_LIMIT (RBL_MAX_ELEMENTS) or
// RBL_ERROR_GEOMETRY (no faces); on failure the builder is empty too. Indices are not checked: readers must check
// theirs.
rblResult rbl_mesh_builder_finish(rblMeshBuilder* builder, rblMesh** out);

const rblMeshView* rbl_mesh_get_view(const rblMesh* mesh);
void rbl_mesh_free(rblMesh* mesh);

// ---- ids ----

// Give a finished mesh an id; the registry owns this reference from now on. On failure it is released.
rblResult rbl_mesh_register(rblMesh* mesh, rblMeshId* out);

// A second id of the same mesh, which is destroyed separately: for users that outlive the owner of the first id.
rblResult rbl_mesh_share(rblMeshId id, rblMeshId* out);

// The mesh that an id refers to, kept alive until released, even when another thread destroys the id.
rblResult rbl_mesh_acquire(rblMeshId id, rblMesh** out);
void rbl_mesh_release(rblMesh* mesh);

// ---- small helpers shared by every algorithm ----

static inline uint32_t rbl_face_size(const rblMeshView* view, uint32_t face)
{
    return view->face_starts[face + 1] - view->face_starts[face];
}

uint32_t rbl_layer_components(rblLayerKind kind);
uint32_t rbl_mesh_triangle_count(const rblMeshView* view);

// Twice the area times the unit normal (Newell): exact for planar faces, a good mean for others.
rblVec3d rbl_face_normal_area2(const rblMeshView* view, uint32_t face);

rblAabbd rbl_mesh_bounds(const rblMeshView* view);

// ---- operations; each has its own file together with its public call ----

rblResult rbl_mesh_triangulated(const rblMeshView* view, const rblAllocator* allocator, rblMesh** out);

// The triangles of every face as corner indices, three per triangle, in face order: ear clipping in the plane of the
// face for faces of more than three corners, and always exactly size - 2 triangles per face. `triangle_faces` (may be
// null) receives the face of each triangle. The previous content of the arrays is replaced.
rblResult rbl_triangulate_corners(const rblMeshView* view, rblIndexArray* corners,
                                  rblIndexArray* triangle_faces);

#endif
