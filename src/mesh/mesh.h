// The mesh inside the library: read through an rblMeshView, made by an rblMeshBuilder, never changed
// afterwards.
//
// It is a half-edge structure in which a corner *is* a half-edge: corner c stands at corner_vertices[c] and
// its half-edge runs to the next corner of the same face. Twins and vertex fans are derived when needed
// (topology.h).
#ifndef RBL_MESH_MESH_H
#define RBL_MESH_MESH_H

#include "base/array.h"
#include "base/hash_map.h"
#include "rubble/mesh.h"

typedef struct rblMesh rblMesh;

// The most vertices or corners a mesh may have: their numbers, and the two marks of topology.h, fit in 32
// bits.
#define RBL_MAX_ELEMENTS (UINT32_MAX - 3)

typedef struct rblBuilderLayer
{
    rblLayerKind kind;
    uint32_t components;
    rblFloatArray data; // as many values as corners * components
} rblBuilderLayer;

typedef struct rblNameTable
{
    RBL_ARRAY(char*) names;
    rblHashMap numbers; // from the hash of a name to its number
} rblNameTable;

// Collects a mesh. Running out of memory or numbers is remembered and reported by
// rbl_mesh_builder_finish(), so that callers need not check every call; until then everything after the
// failure does nothing.
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
    bool too_large; // that was why
} rblMeshBuilder;

void rbl_mesh_builder_init(rblMeshBuilder* builder, const rblAllocator* allocator);

// Free everything; for when the mesh is not wanted after all.
void rbl_mesh_builder_discard(rblMeshBuilder* builder);

// Room in advance. A hint: pass counts that are known to be real, not counts out of a file header.
void rbl_mesh_builder_reserve(rblMeshBuilder* builder, size_t vertices, size_t faces, size_t corners);

// Add a layer and return its number. Corners that exist already get zeros.
uint32_t rbl_mesh_builder_layer(rblMeshBuilder* builder, rblLayerKind kind);

// The layers, material names and group names of `source`, in its order. Call it on an empty builder.
void rbl_mesh_builder_like(rblMeshBuilder* builder, const rblMeshView* source);

// All of `source`: the above, its vertices and its faces. Call it on an empty builder. Materials, groups and
// origins of the faces may be null, as in rbl_mesh_create().
void rbl_mesh_builder_copy(rblMeshBuilder* builder, const rblMeshView* source);

// The number of a name, added when it is new. RBL_NONE never: 0 after a failure.
uint32_t rbl_mesh_builder_material(rblMeshBuilder* builder, const char* name);
uint32_t rbl_mesh_builder_group(rblMeshBuilder* builder, const char* name);

uint32_t rbl_mesh_builder_vertex(rblMeshBuilder* builder, rblVec3d position);

// Add a corner to the face being built; its attributes are zero until set.
uint32_t rbl_mesh_builder_corner(rblMeshBuilder* builder, uint32_t vertex);
void rbl_mesh_builder_set(rblMeshBuilder* builder, uint32_t layer, uint32_t corner, const float* values);

// Add a corner with the attributes of a corner of `source`; layers correspond by number
// (rbl_mesh_builder_like).
uint32_t rbl_mesh_builder_corner_copy(rblMeshBuilder* builder, uint32_t vertex, const rblMeshView* source,
                                      uint32_t corner);

// The same with a weighted sum of several corners' attributes; normals are made unit again.
uint32_t rbl_mesh_builder_corner_blend(rblMeshBuilder* builder, uint32_t vertex, const rblMeshView* source,
                                       const uint32_t* corners, const double* weights, uint32_t count);

// Close the face made of the corners added since the last one.
uint32_t rbl_mesh_builder_face(rblMeshBuilder* builder, uint32_t material, uint32_t group, uint32_t origin);

// Forget the corners added since the last face.
void rbl_mesh_builder_cancel_face(rblMeshBuilder* builder);

// Turn the builder into a mesh and leave the builder empty. RBL_ERROR_MEMORY, RBL_ERROR_LIMIT
// (RBL_MAX_ELEMENTS) or RBL_ERROR_GEOMETRY (no faces); the builder is discarded then too. Indices are
// trusted: readers check theirs.
rblResult rbl_mesh_builder_finish(rblMeshBuilder* builder, rblMesh** out);

const rblMeshView* rbl_mesh_get_view(const rblMesh* mesh);
void rbl_mesh_free(rblMesh* mesh);

// ---- ids ----

// Give a finished mesh an id; the registry owns this reference to it from now on. On failure it is released.
rblResult rbl_mesh_register(rblMesh* mesh, rblMeshId* out);

// A second id of the same mesh, to be destroyed on its own: for those who must outlive the first one's owner.
rblResult rbl_mesh_share(rblMeshId id, rblMeshId* out);

// The mesh behind an id, kept alive until released, even if another thread destroys the id meanwhile.
rblResult rbl_mesh_acquire(rblMeshId id, rblMesh** out);
void rbl_mesh_release(rblMesh* mesh);

// ---- small helpers shared by every algorithm ----

static inline uint32_t rbl_face_size(const rblMeshView* view, uint32_t face)
{
    return view->face_starts[face + 1] - view->face_starts[face];
}

uint32_t rbl_layer_components(rblLayerKind kind);
uint32_t rbl_mesh_triangle_count(const rblMeshView* view);

// Twice the area times the unit normal (Newell), exact for planar faces, sensible for others.
rblVec3d rbl_face_normal_area2(const rblMeshView* view, uint32_t face);

rblAabbd rbl_mesh_bounds(const rblMeshView* view);

// ---- operations, each in a file of its own together with its public call ----

rblResult rbl_mesh_triangulated(const rblMeshView* view, const rblAllocator* allocator, rblMesh** out);

// The triangles of every face as corner indices, three by three, in face order: ear clipping in the face's
// plane for faces of more than three corners, and always exactly size - 2 triangles a face. `triangle_faces`
// (may be null) gets the face of each triangle. What the arrays held before is replaced.
rblResult rbl_triangulate_corners(const rblMeshView* view, rblIndexArray* corners,
                                  rblIndexArray* triangle_faces);

#endif
