// glTF 2.0: a JSON text with buffers in files or embedded (.gltf), or everything in one container (.glb).
#include "io/gltf/glb.h"
#include "io/gltf/gltf_private.h"

static rblResult read_scene(rblGltf* gltf, rblMeshBuilder* builder)
{
    rblGltfInstances instances;
    rbl_array_init(&instances, gltf->source->allocator);
    rblResult result = rbl_gltf_collect(gltf, &instances);
    result = result == RBL_OK ? rbl_gltf_build(gltf, &instances, builder) : result;
    rbl_array_free(&instances);
    return result;
}

static rblResult read_json(rblGltf* gltf, const rblSource* source, const uint8_t* text, size_t size,
                           rblMeshBuilder* builder)
{
    RBL_TRY(rbl_gltf_open(gltf, source, (const char*)text, size));
    const rblResult result = read_scene(gltf, builder);
    rbl_gltf_close(gltf);
    return result;
}

rblResult rbl_read_gltf(const rblSource* source, rblMeshBuilder* builder)
{
    rblGltf gltf = {0};
    return read_json(&gltf, source, source->bytes, source->size, builder);
}

// ---- GLB (4.4): header, JSON chunk, BIN chunk, chunks of other kinds ----

static uint32_t read_u32(const uint8_t* p)
{
    return (uint32_t)p[0] | (uint32_t)p[1] << 8 | (uint32_t)p[2] << 16 | (uint32_t)p[3] << 24;
}

static rblResult check_header(const rblSource* source)
{
    if (source->size < RBL_GLB_HEADER_SIZE || read_u32(source->bytes) != RBL_GLB_MAGIC)
    {
        return rbl_fail_byte(source, 0, RBL_ERROR_FORMAT, "not a GLB file: it must begin with \"glTF\"");
    }
    const uint32_t version = read_u32(source->bytes + 4);
    if (version != RBL_GLB_VERSION)
    {
        return rbl_fail_byte(source, 4, RBL_ERROR_UNSUPPORTED, "GLB version %u, must be 2", version);
    }
    const uint32_t length = read_u32(source->bytes + 8);
    if (length != source->size)
    {
        return rbl_fail_byte(source, 8, RBL_ERROR_FORMAT, "the header gives %u bytes, but the file has %zu",
                             length, source->size);
    }
    return RBL_OK;
}

typedef struct Chunk
{
    size_t offset; // of its data
    uint32_t size;
    uint32_t type;
} Chunk;

// The chunk at `offset`; the next one begins at its end.
static rblResult read_chunk(const rblSource* source, size_t offset, Chunk* chunk)
{
    const size_t left = source->size - offset;
    if (left < RBL_GLB_CHUNK_HEADER_SIZE)
    {
        return rbl_fail_byte(source, offset, RBL_ERROR_FORMAT,
                             "a chunk header of 8 bytes does not fit the last %zu", left);
    }
    chunk->size = read_u32(source->bytes + offset);
    chunk->type = read_u32(source->bytes + offset + 4);
    chunk->offset = offset + RBL_GLB_CHUNK_HEADER_SIZE;
    if (chunk->size > left - RBL_GLB_CHUNK_HEADER_SIZE)
    {
        return rbl_fail_byte(source, offset, RBL_ERROR_FORMAT,
                             "a chunk of %u bytes does not fit the last %zu", chunk->size,
                             left - RBL_GLB_CHUNK_HEADER_SIZE);
    }
    return RBL_OK;
}

rblResult rbl_read_glb(const rblSource* source, rblMeshBuilder* builder)
{
    rblGltf gltf = {0};
    Chunk json = {0};
    Chunk other = {0};
    RBL_TRY(check_header(source));
    RBL_TRY(read_chunk(source, RBL_GLB_HEADER_SIZE, &json));
    if (json.type != RBL_GLB_JSON)
    {
        return rbl_fail_byte(source, RBL_GLB_HEADER_SIZE + 4, RBL_ERROR_FORMAT,
                             "the first chunk must be JSON");
    }
    for (size_t next = json.offset + json.size; next < source->size; next = other.offset + other.size)
    {
        RBL_TRY(read_chunk(source, next, &other));
        if (other.type == RBL_GLB_BIN && gltf.binary == NULL)
        {
            gltf.binary = source->bytes + other.offset;
            gltf.binary_size = other.size;
        }
    }
    return read_json(&gltf, source, source->bytes + json.offset, json.size, builder);
}
