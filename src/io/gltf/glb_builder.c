#include "io/gltf/glb_builder.h"

#include "base/assert.h"
#include "base/error.h"
#include "io/gltf/glb.h"
#include "io/gltf/gltf_private.h"
#include "rubble/version.h"
#include <stdio.h>
#include <string.h>

void rbl_glb_builder_init(rblGlbBuilder* glb, const rblAllocator* allocator)
{
    char generator[32];
    *glb = (rblGlbBuilder){0};
    rbl_json_writer_init(&glb->json, 0, allocator);
    rbl_array_init(&glb->binary, allocator);
    rbl_array_init(&glb->views, allocator);
    rbl_array_init(&glb->accessors, allocator);
    snprintf(generator, sizeof generator, "rubble %s", rbl_version());
    rbl_json_begin_object(&glb->json);
    rbl_json_key(&glb->json, "asset");
    rbl_json_begin_object(&glb->json);
    rbl_json_key(&glb->json, "version");
    rbl_json_string(&glb->json, "2.0");
    rbl_json_key(&glb->json, "generator");
    rbl_json_string(&glb->json, generator);
    rbl_json_key(&glb->json, "extras"); // glTF allows only metres; stated for readers who do not know
    rbl_json_begin_object(&glb->json);
    rbl_json_key(&glb->json, "units");
    rbl_json_string(&glb->json, "metres");
    rbl_json_key(&glb->json, "upAxis");
    rbl_json_string(&glb->json, "Y");
    rbl_json_end_object(&glb->json);
    rbl_json_end_object(&glb->json);
}

void rbl_glb_builder_free(rblGlbBuilder* glb)
{
    rbl_json_writer_free(&glb->json);
    rbl_array_free(&glb->binary);
    rbl_array_free(&glb->views);
    rbl_array_free(&glb->accessors);
}

// ---- binary data ----

// Append a view of `size` bytes, aligned to four; null when out of memory.
static uint8_t* add_view(rblGlbBuilder* glb, size_t size, rblGlbTarget target)
{
    const size_t offset = (glb->binary.count + 3) & ~(size_t)3;
    const size_t padding = offset - glb->binary.count;
    const rblGlbView view = {offset, size, target};
    if (glb->failed || size > SIZE_MAX / 2 || !rbl_array_reserve_more(&glb->binary, padding + size) ||
        !rbl_array_push(&glb->views, view))
    {
        glb->failed = true;
        return NULL;
    }
    memset(glb->binary.data + glb->binary.count, 0, padding);
    glb->binary.count = offset + size;
    return glb->binary.data + offset;
}

static uint32_t add_accessor(rblGlbBuilder* glb, rblGlbAccessor accessor)
{
    accessor.view = (uint32_t)(glb->views.count - 1);
    if (glb->failed || !rbl_array_push(&glb->accessors, accessor))
    {
        glb->failed = true;
        return 0;
    }
    return (uint32_t)(glb->accessors.count - 1);
}

static void write_number(uint8_t* out, uint32_t value, uint32_t bytes)
{
    for (uint32_t i = 0; i < bytes; ++i)
    {
        out[i] = (uint8_t)(value >> (8 * i));
    }
}

static void widen_bounds(rblGlbAccessor* accessor, const float* element, bool first)
{
    for (uint32_t i = 0; i < accessor->components; ++i)
    {
        accessor->lower[i] = first || element[i] < accessor->lower[i] ? element[i] : accessor->lower[i];
        accessor->upper[i] = first || element[i] > accessor->upper[i] ? element[i] : accessor->upper[i];
    }
}

uint32_t rbl_glb_add_floats(rblGlbBuilder* glb, const rblGlbFloats* floats)
{
    RBL_ASSERT(floats->count > 0 && floats->components >= 1 && floats->components <= 4);
    rblGlbAccessor accessor = {.component_type = RBL_GLTF_FLOAT,
                               .count = floats->count,
                               .components = floats->components,
                               .bounded = floats->bounded};
    uint8_t* out = add_view(glb, (size_t)floats->count * floats->components * 4, floats->target);
    for (uint32_t e = 0; out != NULL && e < floats->count; ++e)
    {
        const float* element = floats->values + e * floats->stride;
        widen_bounds(&accessor, element, e == 0);
        for (uint32_t i = 0; i < floats->components; ++i, out += 4)
        {
            uint32_t bits;
            memcpy(&bits, &element[i], sizeof bits);
            write_number(out, bits, 4);
        }
    }
    return add_accessor(glb, accessor);
}

uint32_t rbl_glb_add_indices(rblGlbBuilder* glb, const uint32_t* indices, uint32_t count,
                             uint32_t vertex_count)
{
    // The largest value of each index type is reserved: it restarts primitives (3.7.2.1).
    const bool narrow = vertex_count <= UINT16_MAX;
    const uint32_t bytes = narrow ? 2 : 4;
    uint8_t* out = add_view(glb, (size_t)count * bytes, RBL_GLB_INDICES);
    for (uint32_t i = 0; out != NULL && i < count; ++i)
    {
        write_number(out + (size_t)i * bytes, indices[i], bytes);
    }
    return add_accessor(
        glb, (rblGlbAccessor){.component_type = narrow ? RBL_GLTF_UNSIGNED_SHORT : RBL_GLTF_UNSIGNED_INT,
                              .count = count,
                              .components = 1});
}

// ---- JSON ----

static void put_unsigned(rblJsonWriter* json, const char* key, uint64_t value)
{
    rbl_json_key(json, key);
    rbl_json_unsigned(json, value);
}

static void put_bound(rblJsonWriter* json, const char* key, const float* values, uint32_t count)
{
    rbl_json_key(json, key);
    rbl_json_begin_array(json);
    for (uint32_t i = 0; i < count; ++i)
    {
        rbl_json_float(json, values[i]);
    }
    rbl_json_end_array(json);
}

static void put_accessor(rblJsonWriter* json, const rblGlbAccessor* accessor)
{
    static const char* const types[] = {"", "SCALAR", "VEC2", "VEC3", "VEC4"};
    rbl_json_begin_object(json);
    put_unsigned(json, "bufferView", accessor->view);
    put_unsigned(json, "componentType", accessor->component_type);
    put_unsigned(json, "count", accessor->count);
    rbl_json_key(json, "type");
    rbl_json_string(json, types[accessor->components]);
    if (accessor->bounded)
    {
        put_bound(json, "min", accessor->lower, accessor->components);
        put_bound(json, "max", accessor->upper, accessor->components);
    }
    rbl_json_end_object(json);
}

static void put_view(rblJsonWriter* json, const rblGlbView* view)
{
    rbl_json_begin_object(json);
    put_unsigned(json, "buffer", 0);
    put_unsigned(json, "byteOffset", view->offset);
    put_unsigned(json, "byteLength", view->size);
    if (view->target != RBL_GLB_PLAIN)
    {
        put_unsigned(json, "target", view->target);
    }
    rbl_json_end_object(json);
}

static void put_lists(rblGlbBuilder* glb)
{
    rblJsonWriter* json = &glb->json;
    rbl_json_key(json, "accessors");
    rbl_json_begin_array(json);
    for (size_t i = 0; i < glb->accessors.count; ++i)
    {
        put_accessor(json, &glb->accessors.data[i]);
    }
    rbl_json_end_array(json);
    rbl_json_key(json, "bufferViews");
    rbl_json_begin_array(json);
    for (size_t i = 0; i < glb->views.count; ++i)
    {
        put_view(json, &glb->views.data[i]);
    }
    rbl_json_end_array(json);
    rbl_json_key(json, "buffers");
    rbl_json_begin_array(json);
    rbl_json_begin_object(json);
    put_unsigned(json, "byteLength", glb->binary.count);
    rbl_json_end_object(json);
    rbl_json_end_array(json);
}

// ---- container ----

static void write_u32(rblWriter* writer, uint32_t value)
{
    uint8_t bytes[4];
    write_number(bytes, value, 4);
    rbl_write_bytes(writer, bytes, 4);
}

// Chunks are padded to four bytes, JSON with spaces and binary with zeros.
static void write_chunk(rblWriter* writer, uint32_t type, const void* data, size_t size, const char* padding)
{
    const size_t extra = (4 - size % 4) % 4;
    write_u32(writer, (uint32_t)(size + extra));
    write_u32(writer, type);
    rbl_write_bytes(writer, data, size);
    rbl_write_bytes(writer, padding, extra);
}

static uint64_t chunk_size(size_t size)
{
    return RBL_GLB_CHUNK_HEADER_SIZE + (((uint64_t)size + 3) & ~(uint64_t)3);
}

rblResult rbl_glb_check_size(const char* name, uint64_t size, const char* advice)
{
    return size <= UINT32_MAX
               ? RBL_OK
               : rbl_fail(RBL_ERROR_LIMIT,
                          "%s: the GLB file has %llu bytes or more, must be at most %llu (4 GiB); %s",
                          name != NULL ? rbl_short_name(name) : "GLB", (unsigned long long)size,
                          (unsigned long long)UINT32_MAX, advice);
}

rblResult rbl_glb_builder_write(rblGlbBuilder* glb, rblWriter* writer)
{
    const bool binary = glb->views.count > 0;
    if (binary)
    {
        put_lists(glb);
    }
    rbl_json_end_object(&glb->json);
    RBL_TRY(rbl_json_writer_finish(&glb->json));
    if (glb->failed)
    {
        return rbl_fail_memory();
    }
    const rblJsonWriter* json = &glb->json;
    const uint64_t total =
        RBL_GLB_HEADER_SIZE + chunk_size(json->size) + (binary ? chunk_size(glb->binary.count) : 0);
    RBL_TRY(rbl_glb_check_size(writer->target, total, "write less, or another format"));
    write_u32(writer, RBL_GLB_MAGIC);
    write_u32(writer, RBL_GLB_VERSION);
    write_u32(writer, (uint32_t)total);
    write_chunk(writer, RBL_GLB_JSON, json->text, json->size, "   ");
    if (binary)
    {
        write_chunk(writer, RBL_GLB_BIN, glb->binary.data, glb->binary.count, "\0\0\0");
    }
    return RBL_OK;
}
