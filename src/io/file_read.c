#define _POSIX_C_SOURCE 200809L // fstat, fileno
#include "base/error.h"
#include "io/file.h"
#include <errno.h>
#include <string.h>
#include <sys/stat.h>

#define FIRST_PIECE 65536

static rblResult fail_read(const char* path, int error)
{
    return rbl_fail(RBL_ERROR_FILE, "%s: cannot be read: %s", path, strerror(error));
}

static rblResult fail_large(const char* path, size_t max_bytes)
{
    return rbl_fail(RBL_ERROR_LIMIT, "%s: larger than the limit of %zu bytes", path, max_bytes);
}

// How much to read at first: one byte more than the file seems to have, so that its end is seen without growing.
static rblResult first_capacity(const char* path, FILE* file, size_t max_bytes, size_t* out)
{
    struct stat status;
    if (fstat(fileno(file), &status) != 0)
    {
        return fail_read(path, errno);
    }
    if (S_ISDIR(status.st_mode))
    {
        return fail_read(path, EISDIR);
    }
    *out = FIRST_PIECE;
    if (S_ISREG(status.st_mode) && status.st_size > 0)
    {
        if ((uint64_t)status.st_size > max_bytes)
        {
            return fail_large(path, max_bytes);
        }
        *out = (size_t)status.st_size + 1;
    }
    return RBL_OK;
}

static bool grow(rblFileBytes* file, size_t capacity)
{
    uint8_t* grown = rbl_alloc(file->allocator, capacity);
    if (grown == NULL)
    {
        return false;
    }
    if (file->size > 0)
    {
        memcpy(grown, file->bytes, file->size);
    }
    rbl_free(file->allocator, file->bytes, file->capacity);
    file->bytes = grown;
    file->capacity = capacity;
    return true;
}

static rblResult read_all(const char* path, FILE* stream, size_t max_bytes, rblFileBytes* file)
{
    size_t capacity;
    RBL_TRY(first_capacity(path, stream, max_bytes, &capacity));
    for (;;)
    {
        if (!grow(file, capacity))
        {
            return rbl_fail_memory();
        }
        file->size += fread(file->bytes + file->size, 1, file->capacity - file->size, stream);
        if (ferror(stream))
        {
            return fail_read(path, errno);
        }
        if (file->size > max_bytes)
        {
            return fail_large(path, max_bytes);
        }
        if (file->size < file->capacity)
        {
            return RBL_OK;
        }
        const size_t most = max_bytes < SIZE_MAX ? max_bytes + 1 : max_bytes;
        capacity = file->capacity < most / 2 ? file->capacity * 2 : most;
    }
}

rblResult rbl_file_read(const char* path, size_t max_bytes, const rblAllocator* allocator, rblFileBytes* out)
{
    FILE* stream = fopen(path, "rb");
    if (stream == NULL)
    {
        return rbl_fail(RBL_ERROR_FILE, "%s: cannot be opened: %s", path, strerror(errno));
    }
    setvbuf(stream, NULL, _IONBF, 0); // it is read in one piece: a buffer would only be one more copy
    rblFileBytes file = {.allocator = allocator};
    const rblResult result = read_all(path, stream, max_bytes, &file);
    fclose(stream);
    if (result != RBL_OK)
    {
        rbl_file_bytes_free(&file);
        return result;
    }
    *out = file;
    return RBL_OK;
}

void rbl_file_bytes_free(rblFileBytes* file)
{
    if (file->bytes != NULL)
    {
        rbl_free(file->allocator, file->bytes, file->capacity);
    }
    *file = (rblFileBytes){.allocator = file->allocator};
}
