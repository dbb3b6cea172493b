// One function per file format and direction; io_api.c dispatches to them.
#ifndef RBL_IO_READERS_H
#define RBL_IO_READERS_H

#include "base/error.h"
#include "io/file.h"
#include "mesh/mesh.h"

// The input of a reader.
typedef struct rblSource
{
    const char* name;     // the file in messages
    const char* path;     // for other files in the same folder; null when the bytes came from memory
    const uint8_t* bytes; // may be null when size is 0
    size_t size;
    size_t
        max_bytes; // limit for every other file that is opened, and for allocations from counts in the file
    bool keep_non_finite; // positions only: attributes that are not finite are then read as zero
    const rblAllocator* allocator;
} rblSource;

// Fill an empty builder. On failure the content of the builder is undefined; the caller discards it. Every invalid input
// gives RBL_ERROR_FORMAT, RBL_ERROR_UNSUPPORTED or RBL_ERROR_LIMIT, with a position in the file. Face origins are the
// face numbers of the file. The reader must check indices: the builder does not.
typedef rblResult rblReadFcn(const rblSource* source, rblMeshBuilder* builder);

rblReadFcn rbl_read_obj;
rblReadFcn rbl_read_ply;
rblReadFcn rbl_read_stl;
rblReadFcn rbl_read_off;
rblReadFcn rbl_read_glb;
rblReadFcn rbl_read_gltf;

// Write a mesh. Data that the format does not support is skipped, with one line in the log. Fails for an invalid mesh or
// out of memory; errors of the file are reported by rbl_writer_close().
typedef rblResult rblWriteFcn(const rblMeshView* view, const rblSaveOptions* options, rblWriter* writer);

rblWriteFcn rbl_write_obj;
rblWriteFcn rbl_write_ply;
rblWriteFcn rbl_write_stl;
rblWriteFcn rbl_write_off;
rblWriteFcn rbl_write_glb;

// "name:line: message"; `at` is a position in the text of the source.
rblResult rbl_fail_line(const rblSource* source, const void* at, rblResult result, const char* format, ...)
    RBL_PRINTF_LIKE(4, 5);

// "name: byte 123: message"
rblResult rbl_fail_byte(const rblSource* source, uint64_t offset, rblResult result, const char* format, ...)
    RBL_PRINTF_LIKE(4, 5);

// A warning in the log, "name:line: message"; `at` may be null for the whole file.
void rbl_warn_line(const rblSource* source, const void* at, const char* format, ...) RBL_PRINTF_LIKE(3, 4);

#endif
