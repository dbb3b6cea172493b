#define _XOPEN_SOURCE 700 // stat, fchmod, realpath
#include "base/assert.h"
#include "base/error.h"
#include "io/file.h"
#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

// Bytes that are collected before a file is written, the first size of a memory block, and the number of names that are
// tried for a temporary file.
#define BUFFER_SIZE           262144
#define MEMORY_START          4096
#define TEMPORARY_TRIES       1000
#define TEMPORARY_SUFFIX_SIZE 16 // ".tmp", a number below TEMPORARY_TRIES, a terminator

static rblResult fail_write(const char* path, int error)
{
    return rbl_fail(RBL_ERROR_FILE, "%s: cannot be written: %s", rbl_short_name(path), strerror(error));
}

// ---- names ----

#if defined(PATH_MAX) && !defined(__wasm__)
#define RESOLVED_SIZE (PATH_MAX + 1)

// Renaming over a link would replace the link; the target of the link has to be replaced instead.
static const char* resolve(const char* path, char resolved[RESOLVED_SIZE])
{
    struct stat status;
    const bool is_link = lstat(path, &status) == 0 && S_ISLNK(status.st_mode);
    return is_link && realpath(path, resolved) != NULL ? resolved : path;
}

static void keep_permissions(FILE* file, const struct stat* old)
{
    // If this fails, the new file has the default permissions.
    (void)!fchmod(fileno(file), old->st_mode & 07777);
}
#else
#define RESOLVED_SIZE 1

static const char* resolve(const char* path, char resolved[RESOLVED_SIZE])
{
    (void)resolved;
    return path;
}

static void keep_permissions(FILE* file, const struct stat* old)
{
    (void)file;
    (void)old;
}
#endif

static bool copy_names(rblWriter* writer, const char* path)
{
    const size_t length = strlen(path);
    writer->names_size = 2 * length + 1 + TEMPORARY_SUFFIX_SIZE;
    writer->target = rbl_alloc(writer->allocator, writer->names_size);
    if (writer->target == NULL)
    {
        return false;
    }
    memcpy(writer->target, path, length + 1);
    return true;
}

// A new temporary file next to the target, which no other process uses.
static rblResult open_temporary(rblWriter* writer)
{
    const size_t length = strlen(writer->target);
    char* name = writer->target + length + 1;
    for (int i = 0; i < TEMPORARY_TRIES; ++i)
    {
        snprintf(name, length + TEMPORARY_SUFFIX_SIZE, "%s.tmp%d", writer->target, i);
        writer->file = fopen(name, "wbx");
        if (writer->file != NULL)
        {
            writer->temporary = name;
            return RBL_OK;
        }
        if (errno != EEXIST)
        {
            return fail_write(writer->target, errno);
        }
    }
    return rbl_fail(RBL_ERROR_FILE, "%s: cannot be written: remove the left-over files %s.tmp*",
                    rbl_short_name(writer->target), rbl_short_name(writer->target));
}

static rblResult open_target(rblWriter* writer)
{
    struct stat status;
    if (stat(writer->target, &status) != 0)
    {
        return open_temporary(writer);
    }
    if (S_ISDIR(status.st_mode))
    {
        return fail_write(writer->target, EISDIR);
    }
    if (S_ISREG(status.st_mode))
    {
        RBL_TRY(open_temporary(writer));
        keep_permissions(writer->file, &status);
        return RBL_OK;
    }
    writer->file = fopen(writer->target, "wb");
    return writer->file != NULL ? RBL_OK : fail_write(writer->target, errno);
}

// ---- opening and closing ----

static rblResult make_buffer(rblWriter* writer, size_t size)
{
    writer->buffer = rbl_alloc(writer->allocator, size);
    writer->capacity = writer->buffer != NULL ? size : 0;
    return writer->buffer != NULL ? RBL_OK : rbl_fail_memory();
}

rblResult rbl_writer_open(rblWriter* writer, const char* path, const rblAllocator* allocator)
{
    *writer = (rblWriter){.allocator = allocator};
    char resolved[RESOLVED_SIZE];
    rblResult result = make_buffer(writer, BUFFER_SIZE);
    if (result == RBL_OK && !copy_names(writer, resolve(path, resolved)))
    {
        result = rbl_fail_memory();
    }
    if (result == RBL_OK)
    {
        result = open_target(writer);
    }
    if (result != RBL_OK)
    {
        rbl_writer_discard(writer);
        return result;
    }
    setvbuf(writer->file, NULL, _IONBF, 0); // the writer has its own buffer
    return RBL_OK;
}

rblResult rbl_writer_open_memory(rblWriter* writer, const rblAllocator* allocator)
{
    *writer = (rblWriter){.allocator = allocator};
    return make_buffer(writer, MEMORY_START);
}

void rbl_writer_discard(rblWriter* writer)
{
    if (writer->file != NULL)
    {
        fclose(writer->file);
    }
    if (writer->temporary != NULL)
    {
        remove(writer->temporary);
    }
    if (writer->allocator != NULL)
    {
        rbl_free(writer->allocator, writer->buffer, writer->capacity);
        rbl_free(writer->allocator, writer->target, writer->names_size);
    }
    *writer = (rblWriter){.allocator = writer->allocator};
}

static void remember_failure(rblWriter* writer, int error)
{
    if (!writer->failed)
    {
        writer->failed = true;
        writer->error = error;
    }
}

static void flush_to_file(rblWriter* writer)
{
    if (!writer->failed && fwrite(writer->buffer, 1, writer->size, writer->file) != writer->size)
    {
        remember_failure(writer, errno);
    }
    writer->written += writer->size;
    writer->size = 0;
}

static void finish_file(rblWriter* writer)
{
    flush_to_file(writer);
    FILE* file = writer->file;
    writer->file = NULL;
    if (fclose(file) != 0)
    {
        remember_failure(writer, errno);
    }
    if (writer->failed || writer->temporary == NULL)
    {
        return;
    }
    if (rename(writer->temporary, writer->target) != 0)
    {
        remember_failure(writer, errno);
        return;
    }
    writer->temporary = NULL;
}

rblResult rbl_writer_close(rblWriter* writer)
{
    const bool is_file = writer->file != NULL;
    if (is_file)
    {
        finish_file(writer);
    }
    rblResult result = RBL_OK;
    if (writer->failed)
    {
        result = is_file ? fail_write(writer->target, writer->error) : rbl_fail_memory();
    }
    if (is_file || writer->failed)
    {
        rbl_writer_discard(writer);
    }
    return result;
}

// ---- writing ----

// Make at least `more` bytes available at the end of the memory block; after a failure, at its beginning.
static void grow_memory(rblWriter* writer, size_t more)
{
    const size_t wanted = writer->size + more;
    const size_t doubled = writer->capacity * 2;
    const size_t capacity = doubled > wanted ? doubled : wanted;
    char* grown = wanted < more ? NULL : rbl_alloc(writer->allocator, capacity);
    if (grown == NULL)
    {
        remember_failure(writer, ENOMEM);
        writer->size = 0;
        return;
    }
    memcpy(grown, writer->buffer, writer->size);
    rbl_free(writer->allocator, writer->buffer, writer->capacity);
    writer->buffer = grown;
    writer->capacity = capacity;
}

char* rbl_writer_flush_or_grow(rblWriter* writer)
{
    if (writer->failed)
    {
        writer->size = 0;
    }
    else if (writer->file != NULL)
    {
        flush_to_file(writer);
    }
    else
    {
        grow_memory(writer, RBL_WRITER_RESERVE);
    }
    RBL_ASSERT(writer->capacity - writer->size >= RBL_WRITER_RESERVE);
    return writer->buffer + writer->size;
}

void rbl_write_bytes(rblWriter* writer, const void* bytes, size_t size)
{
    const char* from = bytes;
    if (writer->file == NULL && size > writer->capacity - writer->size && !writer->failed)
    {
        grow_memory(writer, size);
    }
    while (size > 0)
    {
        size_t space = writer->capacity - writer->size;
        if (space == 0)
        {
            rbl_writer_flush_or_grow(writer);
            space = writer->capacity - writer->size;
        }
        const size_t piece = size < space ? size : space;
        memcpy(writer->buffer + writer->size, from, piece);
        writer->size += piece;
        from += piece;
        size -= piece;
    }
}

void rbl_write_text(rblWriter* writer, const char* text)
{
    rbl_write_bytes(writer, text, strlen(text));
}

// ---- before the work ----

rblResult rbl_output_check(const char* path)
{
    if (path == NULL)
    {
        return rbl_fail(RBL_ERROR_ARGUMENT, "output: the path must not be null");
    }
    struct stat status;
    if (stat(path, &status) == 0 && !S_ISREG(status.st_mode) && !S_ISDIR(status.st_mode))
    {
        return RBL_OK; // a pipe or a device: opening it twice would be seen at the other end
    }
    rblWriter writer;
    RBL_TRY(rbl_writer_open(&writer, path, rbl_default_allocator()));
    rbl_writer_discard(&writer);
    return RBL_OK;
}
