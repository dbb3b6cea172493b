#define _POSIX_C_SOURCE 200809L // fstat, fileno, pread
#include "base/error.h"
#include "base/jobs.h"
#include "io/file.h"
#include <errno.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

// Bytes: first buffer of a stream of unknown size, and the part of a large file that one job reads.
#define FIRST_PIECE    65536
#define PARALLEL_PIECE ((size_t)1 << 20)
#define PARALLEL_MIN   (4 * PARALLEL_PIECE) // smaller files are read by one thread

static rblResult fail_read(const char* path, int error)
{
    return rbl_fail(RBL_ERROR_FILE, "%s: cannot be read: %s", rbl_short_name(path), strerror(error));
}

static rblResult fail_large(const char* path, size_t max_bytes)
{
    return rbl_fail(RBL_ERROR_LIMIT, "%s: larger than the limit of %zu bytes", rbl_short_name(path),
                    max_bytes);
}

// The capacity for the first read: one byte more than the reported file size, so that the end is found without
// growing.
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

// ---- large files, in parallel ----

typedef struct Pieces
{
    int descriptor;
    uint8_t* bytes;
    size_t size;
    uint8_t short_blocks[RBL_MAX_BLOCKS]; // set by a block that could not read all of its pieces
} Pieces;

static bool read_piece(const Pieces* pieces, size_t from, size_t to)
{
    while (from < to)
    {
        const ssize_t got = pread(pieces->descriptor, pieces->bytes + from, to - from, (off_t)from);
        if (got <= 0)
        {
            return false;
        }
        from += (size_t)got;
    }
    return true;
}

static void read_pieces(rblRange range, void* context)
{
    Pieces* pieces = context;
    const size_t from = range.begin * PARALLEL_PIECE;
    const size_t to = range.end * PARALLEL_PIECE;
    pieces->short_blocks[range.block] = !read_piece(pieces, from, to < pieces->size ? to : pieces->size);
}

// Fill the buffer, which is one byte larger than the reported file size. False when the actual size differs: the file
// is then read again from the start, sequentially.
static bool read_in_parallel(FILE* stream, rblFileBytes* file)
{
    Pieces pieces = {.descriptor = fileno(stream), .bytes = file->bytes, .size = file->capacity - 1};
    if (pieces.size < PARALLEL_MIN || rbl_jobs_worker_count(rbl_default_jobs()) == 1 ||
        pieces.size / PARALLEL_PIECE >= UINT32_MAX)
    {
        return false;
    }
    const uint32_t count = (uint32_t)((pieces.size + PARALLEL_PIECE - 1) / PARALLEL_PIECE);
    rbl_parallel_for(rbl_default_jobs(), count, 1, read_pieces, &pieces);
    bool complete = pread(pieces.descriptor, file->bytes + pieces.size, 1, (off_t)pieces.size) == 0;
    for (uint32_t i = 0; i < rbl_block_count(count, 1); ++i)
    {
        complete = complete && pieces.short_blocks[i] == 0;
    }
    file->size = complete ? pieces.size : 0;
    return complete;
}

// ---- all files ----

static rblResult read_all(const char* path, FILE* stream, size_t max_bytes, rblFileBytes* file)
{
    size_t capacity;
    RBL_TRY(first_capacity(path, stream, max_bytes, &capacity));
    if (!grow(file, capacity))
    {
        return rbl_fail_memory();
    }
    if (read_in_parallel(stream, file))
    {
        return RBL_OK;
    }
    for (;;)
    {
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
        if (!grow(file, file->capacity < most / 2 ? file->capacity * 2 : most))
        {
            return rbl_fail_memory();
        }
    }
}

rblResult rbl_file_read(const char* path, size_t max_bytes, const rblAllocator* allocator, rblFileBytes* out)
{
    FILE* stream = fopen(path, "rb");
    if (stream == NULL)
    {
        return rbl_fail(RBL_ERROR_FILE, "%s: cannot be opened: %s", rbl_short_name(path), strerror(errno));
    }
    setvbuf(stream, NULL, _IONBF, 0); // the file is read in one piece: a buffer would only add a copy
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
