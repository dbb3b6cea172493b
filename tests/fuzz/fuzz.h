// What fuzz targets share. A target is one function; libFuzzer or replay.c calls it with bytes.
#ifndef RBL_FUZZ_H
#define RBL_FUZZ_H

#include "io/readers.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size);

// Like assert, in every build: a broken promise is a finding.
#define FUZZ_CHECK(condition)                                                                                \
    do                                                                                                       \
    {                                                                                                        \
        if (!(condition))                                                                                    \
        {                                                                                                    \
            fprintf(stderr, "%s:%d: %s does not hold\n", __FILE__, __LINE__, #condition);                    \
            abort();                                                                                         \
        }                                                                                                    \
    } while (0)

#define FUZZ_MAX_BYTES ((size_t)1 << 24)

static inline rblSource fuzz_source(const uint8_t* data, size_t size)
{
    return (rblSource){.name = "fuzz",
                       .bytes = size > 0 ? data : (const uint8_t*)"",
                       .size = size,
                       .max_bytes = FUZZ_MAX_BYTES,
                       .allocator = rbl_default_allocator()};
}

// What every reader promises of a mesh it returns.
static inline void fuzz_check_mesh(const rblMeshView* view, bool keep_non_finite)
{
    FUZZ_CHECK(view->face_count > 0 && view->face_starts[0] == 0);
    FUZZ_CHECK(view->face_starts[view->face_count] == view->corner_count);
    for (uint32_t f = 0; f < view->face_count; ++f)
    {
        FUZZ_CHECK(view->face_starts[f + 1] >= view->face_starts[f] + 3);
        FUZZ_CHECK(view->material_count == 0 || view->face_materials[f] < view->material_count);
        FUZZ_CHECK(view->group_count == 0 || view->face_groups[f] < view->group_count);
    }
    for (uint32_t c = 0; c < view->corner_count; ++c)
    {
        FUZZ_CHECK(view->corner_vertices[c] < view->vertex_count);
    }
    for (uint32_t v = 0; v < view->vertex_count && !keep_non_finite; ++v)
    {
        const rblVec3d p = view->positions[v];
        FUZZ_CHECK(p.x - p.x == 0.0 && p.y - p.y == 0.0 && p.z - p.z == 0.0);
    }
    for (uint32_t l = 0; l < view->layer_count; ++l)
    {
        const rblLayer* layer = &view->layers[l];
        for (size_t i = 0; i < (size_t)view->corner_count * layer->components; ++i)
        {
            FUZZ_CHECK(layer->data[i] - layer->data[i] == 0.0f);
        }
    }
}

// Read the bytes; null when they are refused, which must come with a message of one line.
static inline rblMesh* fuzz_read(rblReadFcn* read, const uint8_t* data, size_t size, bool keep_non_finite)
{
    rblSource source = fuzz_source(data, size);
    rblMeshBuilder builder;
    rblMesh* mesh = NULL;
    source.keep_non_finite = keep_non_finite;
    rbl_mesh_builder_init(&builder, source.allocator);
    rblResult result = read(&source, &builder);
    if (result == RBL_OK)
    {
        result = rbl_mesh_builder_finish(&builder, &mesh);
    }
    else
    {
        FUZZ_CHECK(strncmp(rbl_last_error(), "fuzz:", 5) == 0); // every reader names the file
    }
    rbl_mesh_builder_discard(&builder);
    if (result != RBL_OK)
    {
        const char* message = rbl_last_error();
        FUZZ_CHECK(message[0] != '\0');
        for (const char* c = message; *c != '\0'; ++c)
        {
            FUZZ_CHECK(*c != '\n' && *c != '\r');
        }
        return NULL;
    }
    fuzz_check_mesh(rbl_mesh_get_view(mesh), keep_non_finite);
    return mesh;
}

// Read with and without tolerance for numbers that are not finite. Nothing may be left behind.
static inline void fuzz_reader(rblReadFcn* read, const uint8_t* data, size_t size)
{
    for (int keep = 0; keep < 2; ++keep)
    {
        rbl_mesh_free(fuzz_read(read, data, size, keep != 0));
    }
    FUZZ_CHECK(rbl_bytes_in_use() == 0);
}

// What was written by `write` and read back must have as many triangles as before.
static inline void fuzz_round_trip(rblReadFcn* read, rblWriteFcn* write, const rblMeshView* view)
{
    const rblSaveOptions options = {0};
    rblWriter writer;
    FUZZ_CHECK(rbl_writer_open_memory(&writer, rbl_default_allocator()) == RBL_OK);
    if (write(view, &options, &writer) == RBL_OK)
    {
        FUZZ_CHECK(rbl_writer_close(&writer) == RBL_OK);
        rblMesh* back = fuzz_read(read, (const uint8_t*)writer.buffer, writer.size, false);
        FUZZ_CHECK(back != NULL);
        FUZZ_CHECK(rbl_mesh_triangle_count(rbl_mesh_get_view(back)) == rbl_mesh_triangle_count(view));
        rbl_mesh_free(back);
    }
    rbl_writer_discard(&writer);
}

#endif
