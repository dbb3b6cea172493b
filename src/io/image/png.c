#include "io/image/png.h"

#include "base/error.h"
#include "io/compress/checksum.h"
#include <string.h>

// Filter types of the format, and the largest size of a data chunk, in bytes.
#define FILTERS    5u
#define IDAT_BYTES (1u << 20)

typedef struct Image
{
    const uint8_t* pixels;
    uint32_t height;
    uint32_t channels;
    size_t stride; // bytes per row
} Image;

// ---- filters (section 9.2): a byte minus its prediction from the left, upper and upper left neighbours ----

static uint8_t paeth(uint8_t left, uint8_t up, uint8_t corner)
{
    const int to_left = up > corner ? up - corner : corner - up;
    const int to_up = left > corner ? left - corner : corner - left;
    const int sum = left + up - 2 * corner;
    const int to_corner = sum < 0 ? -sum : sum;
    if (to_left <= to_up && to_left <= to_corner)
    {
        return left;
    }
    return to_up <= to_corner ? up : corner;
}

static uint8_t predict(uint32_t filter, uint8_t left, uint8_t up, uint8_t corner)
{
    switch (filter)
    {
    case 0:
        return 0;
    case 1:
        return left;
    case 2:
        return up;
    case 3:
        return (uint8_t)((left + up) / 2);
    default:
        return paeth(left, up, corner);
    }
}

// Filter one row and return the sum of the absolute values of the results as signed bytes. The row with the smallest
// sum usually compresses best (the heuristic of the PNG specification, section 12.8).
static uint64_t filter_row(const Image* image, uint32_t y, uint32_t filter, uint8_t* out)
{
    const uint8_t* row = image->pixels + y * image->stride;
    const uint8_t* above = y > 0 ? row - image->stride : NULL;
    uint64_t sum = 0;
    for (size_t i = 0; i < image->stride; ++i)
    {
        const bool first = i < image->channels;
        const uint8_t left = first ? 0 : row[i - image->channels];
        const uint8_t up = above != NULL ? above[i] : 0;
        const uint8_t corner = first || above == NULL ? 0 : above[i - image->channels];
        out[i] = (uint8_t)(row[i] - predict(filter, left, up, corner));
        sum += out[i] < 128 ? out[i] : 256u - out[i];
    }
    return sum;
}

// `out` receives the number of the best filter and then the filtered row.
static void filter_best(const Image* image, uint32_t y, uint8_t* scratch, uint8_t* out)
{
    uint64_t best = UINT64_MAX;
    for (uint32_t filter = 0; filter < FILTERS; ++filter)
    {
        const uint64_t sum = filter_row(image, y, filter, scratch);
        if (sum < best)
        {
            best = sum;
            out[0] = (uint8_t)filter;
            memcpy(out + 1, scratch, image->stride);
        }
    }
}

static rblResult compress_rows(const Image* image, uint8_t* filtered, size_t size, rblByteArray* out)
{
    uint8_t* scratch = rbl_alloc(out->allocator, image->stride);
    if (scratch == NULL)
    {
        return rbl_fail_memory();
    }
    for (uint32_t y = 0; y < image->height; ++y)
    {
        filter_best(image, y, scratch, filtered + y * (image->stride + 1));
    }
    rbl_free(out->allocator, scratch, image->stride);
    return rbl_zlib_compress(filtered, size, out);
}

static rblResult compress_image(const Image* image, rblByteArray* out)
{
    size_t size;
    if (!rbl_checked_multiply(image->stride + 1, image->height, &size))
    {
        return rbl_fail(RBL_ERROR_LIMIT, "png: the image is too large for this platform");
    }
    uint8_t* filtered = rbl_alloc(out->allocator, size);
    if (filtered == NULL)
    {
        return rbl_fail_memory();
    }
    const rblResult result = compress_rows(image, filtered, size, out);
    rbl_free(out->allocator, filtered, size);
    return result;
}

// ---- chunks ----

static void write_u32(uint8_t* out, uint32_t value)
{
    for (uint32_t i = 0; i < 4; ++i)
    {
        out[i] = (uint8_t)(value >> (24 - 8 * i));
    }
}

static bool put(rblByteArray* out, const void* bytes, size_t size)
{
    if (!rbl_array_reserve_more(out, size))
    {
        return false;
    }
    if (size > 0)
    {
        memcpy(out->data + out->count, bytes, size);
        out->count += size;
    }
    return true;
}

// Length, type, data, and the CRC of type and data.
static bool put_chunk(rblByteArray* out, const char type[4], const uint8_t* data, uint32_t size)
{
    uint8_t number[4];
    write_u32(number, size);
    const bool ok = put(out, number, 4) && put(out, type, 4) && put(out, data, size);
    write_u32(number, rbl_crc32(rbl_crc32(RBL_CRC32_START, type, 4), data, size));
    return ok && put(out, number, 4);
}

static bool put_file(rblByteArray* out, const Image* image, uint32_t width, const rblByteArray* stream)
{
    static const uint8_t signature[8] = {0x89, 'P', 'N', 'G', '\r', '\n', 0x1A, '\n'};
    static const uint8_t color_types[] = {0, 0, 4, 2, 6};
    uint8_t header[13] = {[8] = 8, [9] = color_types[image->channels]};
    write_u32(header, width);
    write_u32(header + 4, image->height);
    bool ok = put(out, signature, sizeof signature) && put_chunk(out, "IHDR", header, sizeof header);
    for (size_t at = 0; ok && at < stream->count; at += IDAT_BYTES)
    {
        const size_t left = stream->count - at;
        ok = put_chunk(out, "IDAT", stream->data + at, (uint32_t)(left < IDAT_BYTES ? left : IDAT_BYTES));
    }
    return ok && put_chunk(out, "IEND", NULL, 0);
}

rblResult rbl_png_encode(const uint8_t* pixels, uint32_t width, uint32_t height, uint32_t channels,
                         rblByteArray* out)
{
    const uint32_t largest = 0x7FFFFFFF; // limit of the format
    if (pixels == NULL || width == 0 || height == 0 || width > largest || height > largest || channels == 0 ||
        channels > 4)
    {
        return rbl_fail(RBL_ERROR_ARGUMENT,
                        "png: pixels must not be null, width and height be from 1 to 2^31 - 1, "
                        "channels from 1 to 4");
    }
    Image image = {.pixels = pixels, .height = height, .channels = channels};
    if (!rbl_checked_multiply(width, channels, &image.stride) || image.stride == SIZE_MAX)
    {
        return rbl_fail(RBL_ERROR_LIMIT, "png: the image is too large for this platform");
    }
    rblByteArray stream;
    rbl_array_init(&stream, out->allocator);
    rblResult result = compress_image(&image, &stream);
    if (result == RBL_OK && !put_file(out, &image, width, &stream))
    {
        result = rbl_fail_memory();
    }
    rbl_array_free(&stream);
    return result;
}
