// A mesh on its way into a GLB file: one list of vertices that all primitives share, one primitive per material.
//   rblGlbMesh mesh; result = rbl_glb_mesh_prepare(&mesh, view, allocator);
//   accessors = rbl_glb_mesh_add(&mesh, glb);                        the numbers, once
//   rbl_json_key(&glb->json, "meshes"); rbl_json_begin_array(...);
//   rbl_glb_mesh_put(&mesh, &glb->json, accessors, 0, NULL); ...     the mesh, as often as it is wanted
//   rbl_glb_mesh_free(&mesh);
//
// glTF keeps positions in 32 bits. Along an axis on which the mesh stands farther from the origin than it is large,
// `offset` is the distance (itself a 32-bit number), to be added by the node, so that the positions keep their digits.
// UVs are turned over: glTF counts v downwards.
#ifndef RBL_IO_GLTF_GLB_MESH_H
#define RBL_IO_GLTF_GLB_MESH_H

#include "io/gltf/glb_builder.h"
#include "rubble/mesh.h"

typedef struct rblGlbMesh
{
    const rblMeshView* view;
    const rblAllocator* allocator;
    rblVec3d offset;
    uint32_t normal_layer;  // RBL_NONE: faces get their own normals
    uint32_t width;         // floats per vertex: position, normal, UVs, colours
    rblIndexArray corners;  // triangles, three by three
    rblIndexArray faces;    // per triangle: its face
    uint32_t* order;        // triangles by material
    rblFloatArray vertices; // made so far, `width` floats each
    rblIndexArray chain;    // per made vertex: the one made before for the same point, RBL_NONE at the end
    uint32_t* heads;        // per point of the mesh: the vertex made last, RBL_NONE
    rblIndexArray indices;  // of all primitives, one after the other
    float* scratch;         // one vertex
} rblGlbMesh;

// Accessors of one mesh.
typedef struct rblGlbAttributes
{
    uint32_t position;
    uint32_t normal;
    uint32_t first_layer;   // accessors of the UV and colour layers follow one another
    uint32_t first_indices; // those of the primitives too
} rblGlbAttributes;

// The view must outlive the mesh. rbl_glb_mesh_free() in any case.
rblResult rbl_glb_mesh_prepare(rblGlbMesh* mesh, const rblMeshView* view, const rblAllocator* allocator);
void rbl_glb_mesh_free(rblGlbMesh* mesh);

rblGlbAttributes rbl_glb_mesh_add(const rblGlbMesh* mesh, rblGlbBuilder* glb);

// The mesh as an object. Its primitives have the materials first_material, first_material + 1, ..., or, when there is a table,
// first_material + table[material of the view].
void rbl_glb_mesh_put(const rblGlbMesh* mesh, rblJsonWriter* json, rblGlbAttributes attributes,
                      uint32_t first_material, const uint8_t* table);

// Primitives in order: the end of the run of triangles of one material that begins at `begin`, and that material.
size_t rbl_glb_mesh_run_end(const rblGlbMesh* mesh, size_t begin);
uint32_t rbl_glb_mesh_material(const rblGlbMesh* mesh, size_t place);

#endif
