// What the targets of the text formats share: whatever loads can be saved, and comes back the same.
#ifndef RBL_FUZZ_TEXT_H
#define RBL_FUZZ_TEXT_H

#include "fuzz.h"

// True when a format keeps vertices and polygons as they are; STL welds vertices and writes triangles.
typedef enum FuzzKeeps
{
    FUZZ_KEEPS_POLYGONS,
    FUZZ_KEEPS_TRIANGLES
} FuzzKeeps;

static inline void fuzz_same_counts(const rblMeshView* a, const rblMeshView* b, FuzzKeeps keeps)
{
    FUZZ_CHECK(rbl_mesh_triangle_count(a) == rbl_mesh_triangle_count(b));
    if (keeps == FUZZ_KEEPS_POLYGONS)
    {
        FUZZ_CHECK(a->vertex_count == b->vertex_count);
        FUZZ_CHECK(a->face_count == b->face_count);
        FUZZ_CHECK(a->corner_count == b->corner_count);
    }
}

static inline void fuzz_save_and_load(rblReadFcn* read, rblWriteFcn* write, const rblMeshView* view,
                                      bool text, bool keep_non_finite, FuzzKeeps keeps)
{
    rblSaveOptions options = rbl_default_save_options();
    options.text = text;
    rblWriter writer;
    FUZZ_CHECK(rbl_writer_open_memory(&writer, rbl_default_allocator()) == RBL_OK);
    if (write(view, &options, &writer) == RBL_OK)
    {
        FUZZ_CHECK(rbl_writer_close(&writer) == RBL_OK);
        rblMesh* back = fuzz_read(read, (const uint8_t*)writer.buffer, writer.size, keep_non_finite);
        FUZZ_CHECK(back != NULL);
        fuzz_same_counts(view, rbl_mesh_get_view(back), keeps);
        rbl_mesh_free(back);
    }
    rbl_writer_discard(&writer);
}

static inline int fuzz_text_format(rblReadFcn* read, rblWriteFcn* write, const uint8_t* data, size_t size,
                                   FuzzKeeps keeps)
{
    for (int keep = 0; keep < 2; ++keep)
    {
        rblMesh* mesh = fuzz_read(read, data, size, keep != 0);
        for (int text = 0; text < 2 && mesh != NULL; ++text)
        {
            fuzz_save_and_load(read, write, rbl_mesh_get_view(mesh), text != 0, keep != 0, keeps);
        }
        rbl_mesh_free(mesh);
    }
    FUZZ_CHECK(rbl_bytes_in_use() == 0);
    return 0;
}

#endif
