// Shared by the files of the glTF 2.0 reader. Section numbers refer to the specification, Khronos "glTF 2.0".
#ifndef RBL_IO_GLTF_GLTF_PRIVATE_H
#define RBL_IO_GLTF_GLTF_PRIVATE_H

#include "io/json/json.h"
#include "io/readers.h"

typedef struct rblGltfBuffer
{
    const uint8_t* bytes;
    size_t size;
    rblFileBytes owned; // bytes that were read or decoded for it; empty for the binary chunk of a GLB
    bool loaded;
} rblGltfBuffer;

enum
{
    RBL_GLTF_BYTE = 5120,
    RBL_GLTF_UNSIGNED_BYTE = 5121,
    RBL_GLTF_SHORT = 5122,
    RBL_GLTF_UNSIGNED_SHORT = 5123,
    RBL_GLTF_UNSIGNED_INT = 5125,
    RBL_GLTF_FLOAT = 5126
};

// A typed view of bytes that have been checked to exist (3.6.2).
typedef struct rblGltfAccessor
{
    const uint8_t* bytes; // first element; null: all zero
    size_t stride;
    uint32_t count;
    uint32_t components;
    uint32_t component_type;
    bool normalized;
    bool ready;
    uint32_t sparse_count; // replaced elements; sparse_indices increase
    uint32_t sparse_index_type;
    const uint8_t* sparse_indices;
    const uint8_t* sparse_values;
} rblGltfAccessor;

// x -> cx * x.x + cy * x.y + cz * x.z + offset
typedef struct rblGltfTransform
{
    rblVec3d cx, cy, cz, offset;
} rblGltfTransform;

// A mesh with its transform in the scene.
typedef struct rblGltfInstance
{
    uint32_t mesh;
    uint32_t node; // RBL_NONE: a file without nodes
    rblGltfTransform transform;
} rblGltfInstance;

typedef RBL_ARRAY(rblGltfInstance) rblGltfInstances;

// Features that are skipped, with one warning per file.
typedef enum rblGltfLeftOut
{
    RBL_GLTF_POINTS_AND_LINES,
    RBL_GLTF_MORPH_TARGETS,
    RBL_GLTF_SKINS,
    RBL_GLTF_LEFT_OUT_COUNT
} rblGltfLeftOut;

typedef struct rblGltf
{
    const rblSource* source;
    const uint8_t* binary; // the BIN chunk of a GLB; null when there is none
    size_t binary_size;
    rblJsonDocument document;
    rblJson buffers, views, accessors, meshes, nodes, materials; // arrays, or absent
    rblGltfBuffer* buffer_slots;                                 // per buffer; filled when first used
    rblGltfAccessor* accessor_slots;                             // per accessor; filled when first used
    uint64_t loaded_bytes;                                       // of buffers that were read or decoded
    uint64_t corners;                                            // number so far, for the limit
    uint64_t sparse_elements;                                    // of all accessors so far, for the limit
    bool warned[RBL_GLTF_LEFT_OUT_COUNT];
} rblGltf;

// ---- gltf_open.c ----

// Parse and check everything that does not need a buffer: version, required extensions, the kinds of the lists.
rblResult rbl_gltf_open(rblGltf* gltf, const rblSource* source, const char* text, size_t size);
void rbl_gltf_close(rblGltf* gltf);

// The item of `list` with the index in `value`; `what` is its kind in messages.
rblResult rbl_gltf_refer(rblJson value, rblJson list, const char* what, uint32_t* index);

void rbl_gltf_warn(rblGltf* gltf, rblJson where, rblGltfLeftOut what);

// ---- gltf_buffer.c ----

// The bytes of a buffer view.
rblResult rbl_gltf_view(rblGltf* gltf, rblJson reference, const uint8_t** bytes, size_t* size,
                        size_t* stride);

// Turn a relative URI into a path in the folder of `base`. Refused: other schemes, absolute paths, paths that leave the
// folder of `base`, and names with a special meaning on some system. The caller frees the result with its size.
rblResult rbl_gltf_resolve(const char* uri, const char* base, const rblAllocator* allocator, char** out,
                           size_t* size);

// ---- gltf_accessor.c ----

// The accessor with the index in `reference`; it is checked once.
rblResult rbl_gltf_accessor(rblGltf* gltf, rblJson reference, const rblGltfAccessor** out);

// Element `index` as numbers, with normalisation and sparse replacement applied. `out` has 4 elements.
void rbl_gltf_read(const rblGltfAccessor* accessor, uint32_t index, double* out);

// Element `index` of an accessor of unsigned scalars.
uint32_t rbl_gltf_read_index(const rblGltfAccessor* accessor, uint32_t index);

// ---- gltf_scene.c ----

// Every instance of every mesh in the default scene, in depth-first order.
rblResult rbl_gltf_collect(rblGltf* gltf, rblGltfInstances* instances);

// ---- gltf_mesh.c ----

#define RBL_GLTF_MAX_SETS 64u // of UVs, and of colours

// The attribute layers of the result, in this order: normal, UVs, colours.
typedef struct rblGltfLayers
{
    uint32_t normals; // 0 or 1
    uint32_t uvs;
    uint32_t colors;
} rblGltfLayers;

// Extend `layers` by the attributes of the triangles of a mesh.
rblResult rbl_gltf_survey(rblGltf* gltf, uint32_t mesh, rblGltfLayers* layers);

// The triangles of a mesh in its own space; null when it has none. Face materials are those of the file, RBL_NONE for
// none. Vertices with equal positions become one, over all primitives of the mesh: renderers duplicate a vertex wherever
// normals, UVs or materials change, and without this a solid would be read as separate pieces.
rblResult rbl_gltf_mesh(rblGltf* gltf, uint32_t mesh, const rblGltfLayers* layers, rblMesh** out);

// Count corners against the memory limit; the message names `where` when the limit is exceeded.
rblResult rbl_gltf_charge(rblGltf* gltf, const rblGltfLayers* layers, rblJson where, uint64_t corners);

// ---- gltf_build.c ----

// Add every instance to the builder.
rblResult rbl_gltf_build(rblGltf* gltf, const rblGltfInstances* instances, rblMeshBuilder* builder);

#endif
