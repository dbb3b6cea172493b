// glTF files made by hand, for the tests of the reader.
#ifndef RBL_TESTS_GLB_FILES_H
#define RBL_TESTS_GLB_FILES_H

#include "testing.h"

#include "io/readers.h"
#include <stdlib.h>
#include <string.h>

typedef struct GlbFile
{
    uint8_t* bytes; // exactly `size`, so that the sanitizer sees one byte too many
    size_t size;
} GlbFile;

static inline void glb_put_u32(uint8_t* out, uint32_t value)
{
    for (int i = 0; i < 4; ++i)
    {
        out[i] = (uint8_t)(value >> (8 * i));
    }
}

// A container around a JSON text, in which ' stands for ", and binary data (none when size is 0).
static inline GlbFile glb_file(const char* json, const void* binary, size_t size)
{
    const size_t text = strlen(json);
    const size_t json_size = (text + 3) / 4 * 4;
    const size_t binary_size = (size + 3) / 4 * 4;
    GlbFile file = {.size = 20 + json_size + (size > 0 ? 8 + binary_size : 0)};
    file.bytes = calloc(file.size, 1);
    assert_non_null(file.bytes);
    memcpy(file.bytes, "glTF\x02\0\0\0", 8);
    glb_put_u32(file.bytes + 8, (uint32_t)file.size);
    glb_put_u32(file.bytes + 12, (uint32_t)json_size);
    memcpy(file.bytes + 16, "JSON", 4);
    memset(file.bytes + 20, ' ', json_size);
    for (size_t i = 0; i < text; ++i)
    {
        file.bytes[20 + i] = (uint8_t)(json[i] == '\'' ? '"' : json[i]);
    }
    if (size > 0)
    {
        uint8_t* chunk = file.bytes + 20 + json_size;
        glb_put_u32(chunk, (uint32_t)binary_size);
        memcpy(chunk + 4, "BIN", 4);
        memcpy(chunk + 8, binary, size);
    }
    return file;
}

static inline rblSource glb_source(const uint8_t* bytes, size_t size)
{
    return (rblSource){.name = "t",
                       .bytes = bytes,
                       .size = size,
                       .max_bytes = (size_t)1 << 26,
                       .allocator = rbl_default_allocator()};
}

static inline rblResult glb_read_with(rblReadFcn* read, const rblSource* source, rblMesh** mesh)
{
    rblMeshBuilder builder;
    rbl_mesh_builder_init(&builder, source->allocator);
    const rblResult result = read(source, &builder);
    if (result != RBL_OK)
    {
        rbl_mesh_builder_discard(&builder);
        return result;
    }
    return rbl_mesh_builder_finish(&builder, mesh);
}

static inline rblResult glb_read(const char* json, const void* binary, size_t size, rblMesh** mesh)
{
    const GlbFile file = glb_file(json, binary, size);
    const rblSource source = glb_source(file.bytes, file.size);
    const rblResult result = glb_read_with(rbl_read_glb, &source, mesh);
    free(file.bytes);
    return result;
}

// One right triangle: three float positions, then indices as bytes, shorts and ints.
typedef struct Triangle
{
    float positions[9];
    uint8_t bytes[4];
    uint16_t shorts[4];
    uint32_t ints[3];
} Triangle;

static const Triangle triangle = {{0, 0, 0, 1, 0, 0, 0, 2, 0}, {0, 1, 2, 0}, {0, 1, 2, 0}, {0, 1, 2}};

#define ASSET "'asset':{'version':'2.0'}"
#define TRIANGLE_BUFFER                                                                                      \
    "'buffers':[{'byteLength':60}],'bufferViews':[{'buffer':0,'byteLength':36},{'buffer':0,'byteOffset':36," \
    "'byteLength':24}]"
#define POSITIONS "{'bufferView':0,'componentType':5126,'count':3,'type':'VEC3'}"
#define MESH      "'meshes':[{'primitives':[{'attributes':{'POSITION':0}}]}]"
#define SCENE     "'scene':0,'scenes':[{'nodes':[0]}]"

static const char plain_triangle[] =
    "{" ASSET "," TRIANGLE_BUFFER ",'accessors':[" POSITIONS "]," MESH "," SCENE ",'nodes':[{'mesh':0}]}";

static inline rblResult read_triangle(const char* json, rblMesh** mesh)
{
    return glb_read(json, &triangle, sizeof triangle, mesh);
}

// A file whose buffer lies beside it, and that buffer.
static const char external[] =
    "{\"asset\":{\"version\":\"2.0\"},\"buffers\":[{\"byteLength\":36,\"uri\":\"test_glb%20buffer.bin\"}],"
    "\"bufferViews\":["
    "{\"buffer\":0,\"byteLength\":36}],\"accessors\":[{\"bufferView\":0,\"componentType\":5126,\"count\":3,"
    "\"type\":"
    "\"VEC3\"}],\"meshes\":[{\"primitives\":[{\"attributes\":{\"POSITION\":0}}]}]}";

static inline void write_buffer(size_t size)
{
    FILE* file = fopen("test_glb buffer.bin", "wb");
    assert_non_null(file);
    assert_int_equal(fwrite(&triangle, 1, size, file), size);
    fclose(file);
}

// Everything up to the scene and the nodes.
#define NODES_BEFORE "{" ASSET "," TRIANGLE_BUFFER ",'accessors':[" POSITIONS "]," MESH ","

static inline void check_position(const rblMesh* mesh, uint32_t corner, double x, double y, double z)
{
    const rblMeshView* view = rbl_mesh_get_view(mesh);
    assert_true(corner < view->corner_count);
    const rblVec3d p = view->positions[view->corner_vertices[corner]];
    check_close(p.x, x, 1e-12);
    check_close(p.y, y, 1e-12);
    check_close(p.z, z, 1e-12);
}

#endif
