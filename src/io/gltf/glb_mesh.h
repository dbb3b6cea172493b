// The conversion of a mesh for a GLB file: one list of vertices that all primitives share, one primitive per material.
//   rblGlbMesh mesh; result = rbl_glb_mesh_prepare(&mesh, view, origin, allocator);
//   accessors = rbl_glb_mesh_add(&mesh, glb);                        the numbers, once
//   rbl_json_key(&glb->json, "meshes"); rbl_json_begin_array(...);
//   rbl_glb_mesh_put(&mesh, &glb->json, accessors, 0, NULL); ...     the mesh, any number of times
//   rbl_glb_mesh_free(&mesh);
//
// glTF stores positions in 32 bits, here relative to an origin that the caller gives. The caller's node adds the origin.
// UVs are flipped: in glTF, v points down.
#ifndef RBL_IO_GLTF_GLB_MESH_H
#define RBL_IO_GLTF_GLB_MESH_H

#include "io/gltf/glb_builder.h"
#include "rubble/mesh.h"

typedef struct rblGlbMesh
{
    const rblMeshView* view;
    const rblAllocator* allocator;
    rblVec3d origin;        // of the positions, in the frame of the view
    uint32_t normal_layer;  // RBL_NONE: faces get flat normals
    uint32_t width;         // floats per vertex: position, normal, UVs, colours
    rblIndexArray corners;  // triangles, three corners each
    rblIndexArray faces;    // per triangle: its face
    uint32_t* order;        // triangles by material
    rblFloatArray vertices; // output so far, `width` floats each
    rblIndexArray chain;   // per output vertex: the previous one of the same mesh vertex, RBL_NONE at the end
    uint32_t* heads;       // per mesh vertex: its last output vertex, or RBL_NONE
    rblIndexArray indices; // of all primitives, one after another
    float* scratch;        // one vertex
} rblGlbMesh;

// Accessors of one mesh.
typedef struct rblGlbAttributes
{
    uint32_t position;
    uint32_t normal;
    uint32_t first_layer;   // accessors of the UV and colour layers are consecutive
    uint32_t first_indices; // those of the primitives too
} rblGlbAttributes;

// An origin with which positions keep their precision: 32-bit numbers near the middle of the mesh, on the axes on which its
// distance from 0 is larger than its size; 0 on the others.
rblVec3d rbl_glb_mesh_origin(const rblMeshView* view);

// The view must outlive the mesh. Call rbl_glb_mesh_free() also after a failure.
rblResult rbl_glb_mesh_prepare(rblGlbMesh* mesh, const rblMeshView* view, rblVec3d origin,
                               const rblAllocator* allocator);
void rbl_glb_mesh_free(rblGlbMesh* mesh);

rblGlbAttributes rbl_glb_mesh_add(const rblGlbMesh* mesh, rblGlbBuilder* glb);

// The mesh as an object. Its primitives have the materials first_material, first_material + 1, ..., or with a table
// first_material + table[material of the view].
void rbl_glb_mesh_put(const rblGlbMesh* mesh, rblJsonWriter* json, rblGlbAttributes attributes,
                      uint32_t first_material, const uint8_t* table);

// Primitives in order: the end of the range of triangles of one material that starts at `begin`, and that material.
size_t rbl_glb_mesh_run_end(const rblGlbMesh* mesh, size_t begin);
uint32_t rbl_glb_mesh_material(const rblGlbMesh* mesh, size_t place);

#endif
