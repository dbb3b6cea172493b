// Reads and writes whole files. Every error message names the file and has the text of the system error.
#ifndef RBL_IO_FILE_H
#define RBL_IO_FILE_H

#include "base/memory.h"
#include "rubble/io.h"
#include <stdio.h>

// A file name for a message. A long name is shortened at its start, because its end is more useful, so that the message
// still fits.
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

// ---- writing ----

// Collects output, for a file or in memory. The writer remembers a failure and rbl_writer_close() reports it, so that
// callers need not check every call. Output after a failure is dropped.
typedef struct rblWriter
{
    const rblAllocator* allocator;
    char* buffer;
    size_t size;      // bytes in the buffer: all of them (memory) or those not yet in the file
    size_t capacity;  // of the buffer
    uint64_t written; // bytes already in the file
    FILE* file;       // null: memory
    char* target;     // the file to replace
    char* temporary;  // the temporary file; null when the target is written directly
    size_t names_size;
    int error; // errno of the first failure
    bool failed;
} rblWriter;

// Start a file. The writer writes a temporary file beside `path` and renames it when it is complete, so that an existing
// file is replaced completely or not at all; the permissions of the old file are kept. Links are followed; devices and
// pipes are written directly. On failure there is nothing to close.
rblResult rbl_writer_open(rblWriter* writer, const char* path, const rblAllocator* allocator);

// Start a block of memory; after a successful rbl_writer_close() it is in buffer and size until rbl_writer_discard().
rblResult rbl_writer_open_memory(rblWriter* writer, const rblAllocator* allocator);

// Finish and rename the file. On failure the output is discarded and the old file is unchanged.
rblResult rbl_writer_close(rblWriter* writer);

// Abandon the output before rbl_writer_close(), or free the memory after it. A zeroed writer and a second call are
// allowed.
void rbl_writer_discard(rblWriter* writer);

void rbl_write_bytes(rblWriter* writer, const void* bytes, size_t size);
void rbl_write_text(rblWriter* writer, const char* text);

// A buffer of at least RBL_WRITER_RESERVE bytes, never null, valid until the next call; rbl_writer_advance() sets the
// number of bytes used. With it numbers are printed without a copy.
#define RBL_WRITER_RESERVE 256
char* rbl_writer_flush_or_grow(rblWriter* writer);

static inline char* rbl_writer_reserve(rblWriter* writer)
{
    return writer->capacity - writer->size >= RBL_WRITER_RESERVE ? writer->buffer + writer->size
                                                                 : rbl_writer_flush_or_grow(writer);
}

static inline void rbl_writer_advance(rblWriter* writer, const char* end)
{
    writer->size = (size_t)(end - writer->buffer);
}

#endif
