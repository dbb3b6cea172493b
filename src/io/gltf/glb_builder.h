// Makes GLB files: packs numbers into the binary chunk, keeps the lists of views and accessors, writes the container.
//   rblGlbBuilder glb; rbl_glb_builder_init(&glb, allocator);
//   const uint32_t positions = rbl_glb_add_floats(&glb, &(rblGlbFloats){...});
//   rbl_json_key(&glb.json, "meshes"); ...                     the other top-level members of the file, in any order
//   result = rbl_glb_builder_write(&glb, writer); rbl_glb_builder_free(&glb);
// The builder remembers when memory runs out, and rbl_glb_builder_write() reports it.
#ifndef RBL_IO_GLTF_GLB_BUILDER_H
#define RBL_IO_GLTF_GLB_BUILDER_H

#include "io/compress/deflate.h"
#include "io/file.h"
#include "rubble/json.h"

typedef enum rblGlbTarget
{
    RBL_GLB_PLAIN = 0, // neither vertices nor indices: animation, skins
    RBL_GLB_VERTICES = 34962,
    RBL_GLB_INDICES = 34963
} rblGlbTarget;

typedef struct rblGlbAccessor
{
    uint32_t view;
    uint32_t component_type; // RBL_GLTF_FLOAT and so on
    uint32_t count;
    uint32_t components;
    bool bounded;
    float lower[4], upper[4]; // when bounded
} rblGlbAccessor;

typedef struct rblGlbView
{
    size_t offset;
    size_t size;
    rblGlbTarget target;
} rblGlbView;

typedef struct rblGlbBuilder
{
    rblJsonWriter json; // inside the top-level object
    rblByteArray binary;
    RBL_ARRAY(rblGlbView) views;
    RBL_ARRAY(rblGlbAccessor) accessors;
    bool failed;
} rblGlbBuilder;

void rbl_glb_builder_init(rblGlbBuilder* glb, const rblAllocator* allocator);
void rbl_glb_builder_free(rblGlbBuilder* glb);

typedef struct rblGlbFloats
{
    const float* values;
    size_t stride;       // floats from one element to the next
    uint32_t count;      // elements; at least 1
    uint32_t components; // 1 to 4
    rblGlbTarget target;
    bool bounded; // store the minimum and maximum: positions and animation times need them
} rblGlbFloats;

// Both return the index of the new accessor, which has its own view.
uint32_t rbl_glb_add_floats(rblGlbBuilder* glb, const rblGlbFloats* floats);
uint32_t rbl_glb_add_indices(rblGlbBuilder* glb, const uint32_t* indices, uint32_t count,
                             uint32_t vertex_count);

// RBL_ERROR_LIMIT, with the name and both sizes, when a file of at least `size` bytes exceeds the limit of GLB, 2^32 - 1
// bytes. `name` may be null; `advice` is a text that says what to do instead.
rblResult rbl_glb_check_size(const char* name, uint64_t size, const char* advice);

// Finish the JSON and write everything. RBL_ERROR_LIMIT as above, with nothing written.
rblResult rbl_glb_builder_write(rblGlbBuilder* glb, rblWriter* writer);

#endif
