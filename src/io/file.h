// Whole files in, whole files out. Every failure names the file and says what the system said.
#ifndef RBL_IO_FILE_H
#define RBL_IO_FILE_H

#include "base/memory.h"
#include "rubble/io.h"
#include <stdio.h>

// A file name for a message. The end of a long one tells more than its beginning, and must leave room for what is
// wrong with the file.
const char* rbl_short_name(const char* name);

// ---- reading ----

typedef struct rblFileBytes
{
    uint8_t* bytes; // may be null when size is 0
    size_t size;
    size_t capacity;
    const rblAllocator* allocator;
} rblFileBytes;

// Read all of a file, pipe or device. RBL_ERROR_FILE when it cannot be read, RBL_ERROR_LIMIT when it is larger than
// max_bytes. On failure there is nothing to free.
rblResult rbl_file_read(const char* path, size_t max_bytes, const rblAllocator* allocator, rblFileBytes* out);
void rbl_file_bytes_free(rblFileBytes* file);

// By the ending of the name, in any case; RBL_FORMAT_AUTO when it is none of ours.
rblFileFormat rbl_format_of_path(const char* path);

// ---- writing ----

// Collects output, for a file or in memory. A failure is remembered and reported by rbl_writer_close(): until then
// everything after it goes nowhere, and callers need not check every call.
typedef struct rblWriter
{
    const rblAllocator* allocator;
    char* buffer;
    size_t size;      // bytes in the buffer: all of them (memory) or those not yet in the file
    size_t capacity;  // of the buffer
    uint64_t written; // bytes already in the file
    FILE* file;       // null: memory
    char* target;     // the file to replace
    char* temporary;  // what is written until it is complete; null when the target is written directly
    size_t names_size;
    int error; // errno of the first failure
    bool failed;
} rblWriter;

// Begin a file. It is written beside `path` and takes its place when it is complete, so that an existing file is
// replaced whole or not at all; it keeps the permissions of the old one. Links are followed; devices and pipes are
// written as they are. On failure there is nothing to close.
rblResult rbl_writer_open(rblWriter* writer, const char* path, const rblAllocator* allocator);

// Begin a block of memory; after a successful rbl_writer_close() it is in buffer and size until rbl_writer_discard().
rblResult rbl_writer_open_memory(rblWriter* writer, const rblAllocator* allocator);

// Finish: the file takes its place. On failure everything is discarded and what was there before is untouched.
rblResult rbl_writer_close(rblWriter* writer);

// Give up before rbl_writer_close(), or free the memory after it. Fine on a zeroed writer, and twice.
void rbl_writer_discard(rblWriter* writer);

void rbl_write_bytes(rblWriter* writer, const void* bytes, size_t size);
void rbl_write_text(rblWriter* writer, const char* text);

// At least RBL_WRITER_ROOM bytes to write into, never null, valid until the next call; say with rbl_writer_advance()
// how many were used. This is how numbers are printed without a copy.
#define RBL_WRITER_ROOM 256
char* rbl_writer_make_room(rblWriter* writer);

static inline char* rbl_writer_room(rblWriter* writer)
{
    return writer->capacity - writer->size >= RBL_WRITER_ROOM ? writer->buffer + writer->size
                                                              : rbl_writer_make_room(writer);
}

static inline void rbl_writer_advance(rblWriter* writer, const char* end)
{
    writer->size = (size_t)(end - writer->buffer);
}

#endif
