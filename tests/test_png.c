// PNG and what is under it: checksums, prefix codes, Deflate. Everything written is read back by an independent reader.
#include "testing.h"

#include "base/random.h"
#include "failing_allocator.h"
#include "inflate.h"
#include "io/compress/checksum.h"
#include "io/compress/deflate.h"
#include "io/compress/huffman.h"
#include "io/image/png.h"
#include <stdlib.h>

// ---- checksums ----

static void checksums_match_known_values(void** state)
{
    (void)state;
    assert_int_equal(rbl_crc32(RBL_CRC32_START, "123456789", 9), 0xCBF43926u);
    assert_int_equal(rbl_crc32(rbl_crc32(RBL_CRC32_START, "1234", 4), "56789", 5), 0xCBF43926u);
    assert_int_equal(rbl_crc32(RBL_CRC32_START, "", 0), 0);
    assert_int_equal(rbl_adler32(RBL_ADLER32_START, "Wikipedia", 9), 0x11E60398u);
    static uint8_t many[100000];
    memset(many, 0xFF, sizeof many);
    uint64_t a = 1, b = 0;
    for (size_t i = 0; i < sizeof many; ++i)
    {
        a = (a + 0xFF) % 65521;
        b = (b + a) % 65521;
    }
    assert_int_equal(rbl_adler32(RBL_ADLER32_START, many, sizeof many), (uint32_t)(b << 16 | a));
}

// ---- prefix codes ----

static double code_cost(const uint8_t* lengths, const uint32_t* counts, uint32_t symbols)
{
    double bits = 0.0;
    for (uint32_t s = 0; s < symbols; ++s)
    {
        bits += (double)lengths[s] * counts[s];
    }
    return bits;
}

// Unlimited Huffman by the textbook: join the two lightest trees until one is left. Returns the total cost.
static double huffman_cost(const uint32_t* counts, uint32_t symbols)
{
    double weights[RBL_HUFFMAN_MAX_SYMBOLS];
    uint32_t trees = 0;
    double cost = 0.0;
    for (uint32_t s = 0; s < symbols; ++s)
    {
        if (counts[s] > 0)
        {
            weights[trees++] = counts[s];
        }
    }
    while (trees > 1)
    {
        for (uint32_t pass = 0; pass < 2; ++pass)
        {
            uint32_t lightest = pass;
            for (uint32_t i = pass; i < trees; ++i)
            {
                lightest = weights[i] < weights[lightest] ? i : lightest;
            }
            const double swap = weights[pass];
            weights[pass] = weights[lightest];
            weights[lightest] = swap;
        }
        weights[1] += weights[0];
        cost += weights[1];
        weights[0] = weights[--trees];
    }
    return cost;
}

static void codes_are_complete_limited_and_best(void** state)
{
    (void)state;
    rblRandom random = rbl_random_seed(21, 0);
    for (int round = 0; round < 300; ++round)
    {
        uint32_t counts[RBL_HUFFMAN_MAX_SYMBOLS];
        const uint32_t symbols = 2 + rbl_random_below(&random, RBL_HUFFMAN_MAX_SYMBOLS - 1);
        uint32_t used = 0;
        for (uint32_t s = 0; s < symbols; ++s)
        {
            // Steep distributions make codes that want to be longer than the limit.
            const bool unused = rbl_random_below(&random, 3) == 0;
            const uint32_t count = rbl_random_u32(&random) >> 12;
            counts[s] = unused ? 0 : 1 + (count >> rbl_random_below(&random, 20));
            used += counts[s] > 0;
        }
        for (uint32_t limit = 9; limit <= 15; limit += 3)
        {
            rblHuffmanCode code;
            rbl_huffman_build(&code, counts, symbols, limit);
            double unused = 1.0;
            for (uint32_t s = 0; s < symbols; ++s)
            {
                assert_true(code.lengths[s] <= limit && (code.lengths[s] > 0) == (counts[s] > 0));
                unused -= code.lengths[s] > 0 ? 1.0 / (double)(1u << code.lengths[s]) : 0.0;
            }
            assert_true(used < 2 || unused == 0.0);
            const double cost = code_cost(code.lengths, counts, symbols);
            const double best = huffman_cost(counts, symbols);
            assert_true(used < 2 || cost >= best);
            assert_true(used < 2 || cost <= best * 1.2);
        }
    }
}

// Every way to give n symbols lengths up to the limit, by brute force.
static void best_lengths(const uint32_t* counts, uint32_t n, uint32_t limit, uint32_t at, double unused,
                         double cost, double* best)
{
    if (at == n)
    {
        *best = unused >= 0.0 && cost < *best ? cost : *best;
        return;
    }
    for (uint32_t length = 1; length <= limit; ++length)
    {
        best_lengths(counts, n, limit, at + 1, unused - 1.0 / (double)(1u << length),
                     cost + (double)length * counts[at], best);
    }
}

static void limited_codes_equal_brute_force(void** state)
{
    (void)state;
    rblRandom random = rbl_random_seed(22, 0);
    for (int round = 0; round < 60; ++round)
    {
        uint32_t counts[6];
        const uint32_t n = 3 + rbl_random_below(&random, 4);
        for (uint32_t s = 0; s < n; ++s)
        {
            const uint32_t count = rbl_random_u32(&random) >> 8;
            counts[s] = 1 + (count >> rbl_random_below(&random, 24));
        }
        for (uint32_t limit = n > 4 ? 3 : 2; limit <= 5; ++limit)
        {
            rblHuffmanCode code;
            double best = 1e300;
            rbl_huffman_build(&code, counts, n, limit);
            best_lengths(counts, n, limit, 0, 1.0, 0.0, &best);
            assert_true(code_cost(code.lengths, counts, n) == best);
        }
    }
}

// ---- Deflate ----

// Compress and take back; returns the compressed size.
static size_t check_stream(const uint8_t* bytes, size_t size, uint32_t block_kinds[3])
{
    rblByteArray stream;
    rbl_array_init(&stream, rbl_default_allocator());
    check_ok(rbl_zlib_compress(bytes, size, &stream));
    Inflate z = {.in = stream.data, .size = stream.count, .out_capacity = size};
    z.out = malloc(size + 1);
    assert_non_null(z.out);
    assert_true(inflate_zlib(&z));
    assert_int_equal(z.out_count, size);
    assert_memory_equal(z.out, bytes, size);
    free(z.out);
    if (block_kinds != NULL)
    {
        memcpy(block_kinds, z.block_kinds, sizeof z.block_kinds);
    }
    const size_t compressed = stream.count;
    rbl_array_free(&stream);
    return compressed;
}

static void short_streams_come_back(void** state)
{
    (void)state;
    rblRandom random = rbl_random_seed(23, 0);
    uint8_t bytes[700];
    for (size_t size = 0; size < sizeof bytes; ++size)
    {
        const uint32_t letters = 1 + rbl_random_below(&random, size % 3 == 0 ? 256 : 3);
        for (size_t i = 0; i < size; ++i)
        {
            bytes[i] = (uint8_t)rbl_random_below(&random, letters);
        }
        check_stream(bytes, size, NULL);
    }
}

static void every_kind_of_block_is_written_and_comes_back(void** state)
{
    (void)state;
    enum
    {
        SIZE = 300000
    };
    rblRandom random = rbl_random_seed(24, 0);
    uint8_t* bytes = malloc(SIZE);
    assert_non_null(bytes);
    uint32_t kinds[3];

    memset(bytes, 7, SIZE);
    assert_in_range(check_stream(bytes, SIZE, kinds), 1, 400);
    assert_int_equal(kinds[0], 0);

    for (size_t i = 0; i < SIZE; ++i)
    {
        bytes[i] = (uint8_t)rbl_random_u32(&random);
    }
    const size_t noise = check_stream(bytes, SIZE, kinds);
    assert_true(kinds[0] > 0);
    assert_in_range(noise, SIZE, SIZE + SIZE / 1000 + 16); // incompressible bytes cost next to nothing

    check_stream((const uint8_t*)"abcabcabc", 9, kinds);
    assert_int_equal(kinds[1], 1);

    for (size_t i = 0; i < SIZE; ++i)
    {
        bytes[i] = (uint8_t)("the quick brown fox jumps"[rbl_random_below(&random, 25)]);
    }
    assert_in_range(check_stream(bytes, SIZE, kinds), 1, SIZE * 3 / 5);
    assert_true(kinds[2] > 0);
    free(bytes);
}

static void matches_reach_back_to_the_edge_of_the_window(void** state)
{
    (void)state;
    rblRandom random = rbl_random_seed(25, 0);
    enum
    {
        SIZE = 3 * 32768
    };
    uint8_t* bytes = malloc(SIZE);
    assert_non_null(bytes);
    for (uint32_t period = 32768 - 3; period <= 32768 + 3; ++period)
    {
        for (size_t i = 0; i < SIZE; ++i)
        {
            bytes[i] = i < period ? (uint8_t)rbl_random_u32(&random) : bytes[i - period];
        }
        const size_t size = check_stream(bytes, SIZE, NULL);
        assert_true(period >= 32768 || size < 34500);
    }
    free(bytes);
}

// ---- PNG ----

static uint32_t read_u32(const uint8_t* p)
{
    return (uint32_t)p[0] << 24 | (uint32_t)p[1] << 16 | (uint32_t)p[2] << 8 | p[3];
}

// Undo the filters (PNG specification, section 9.2) in place; rows keep their leading filter byte.
static void unfilter(uint8_t* rows, uint32_t height, size_t stride, uint32_t channels)
{
    for (uint32_t y = 0; y < height; ++y)
    {
        uint8_t* row = rows + y * (stride + 1) + 1;
        for (size_t i = 0; i < stride; ++i)
        {
            const int a = i >= channels ? row[i - channels] : 0;
            const uint8_t* above = y > 0 ? row - (stride + 1) : NULL;
            const int b = above != NULL ? above[i] : 0;
            const int c = i >= channels && above != NULL ? above[i - channels] : 0;
            const int p = a + b - c;
            const int nearest =
                abs(p - a) <= abs(p - b) && abs(p - a) <= abs(p - c) ? a : (abs(p - b) <= abs(p - c) ? b : c);
            const int predictions[5] = {0, a, b, (a + b) / 2, nearest};
            assert_in_range(row[-1], 0, 4);
            row[i] = (uint8_t)(row[i] + predictions[row[-1]]);
        }
    }
}

// Check the chunks and return the joined image data in `idat`.
static void read_chunks(const rblByteArray* file, uint32_t width, uint32_t height, uint32_t channels,
                        rblByteArray* idat)
{
    static const uint8_t types[] = {0, 0, 4, 2, 6};
    assert_memory_equal(file->data, "\x89PNG\r\n\x1A\n", 8);
    size_t at = 8;
    bool ended = false;
    while (!ended)
    {
        assert_true(file->count - at >= 12);
        const uint8_t* chunk = file->data + at;
        const uint32_t size = read_u32(chunk);
        assert_true(file->count - at - 12 >= size);
        assert_int_equal(read_u32(chunk + 8 + size), rbl_crc32(RBL_CRC32_START, chunk + 4, size + 4));
        if (at == 8)
        {
            assert_memory_equal(chunk + 4, "IHDR", 4);
            assert_int_equal(size, 13);
            assert_int_equal(read_u32(chunk + 8), width);
            assert_int_equal(read_u32(chunk + 12), height);
            const uint8_t rest[5] = {8, types[channels], 0, 0, 0};
            assert_memory_equal(chunk + 16, rest, 5);
        }
        for (uint32_t i = 0; memcmp(chunk + 4, "IDAT", 4) == 0 && i < size; ++i)
        {
            assert_true(rbl_array_push(idat, chunk[8 + i]));
        }
        ended = memcmp(chunk + 4, "IEND", 4) == 0;
        at += 12 + size;
    }
    assert_int_equal(at, file->count);
}

static void check_image(const uint8_t* pixels, uint32_t width, uint32_t height, uint32_t channels)
{
    rblByteArray file, idat;
    rbl_array_init(&file, rbl_default_allocator());
    rbl_array_init(&idat, rbl_default_allocator());
    check_ok(rbl_png_encode(pixels, width, height, channels, &file));
    read_chunks(&file, width, height, channels, &idat);
    const size_t stride = (size_t)width * channels;
    Inflate z = {.in = idat.data, .size = idat.count, .out_capacity = (stride + 1) * height};
    z.out = malloc(z.out_capacity);
    assert_non_null(z.out);
    assert_true(inflate_zlib(&z));
    assert_int_equal(z.out_count, z.out_capacity);
    unfilter(z.out, height, stride, channels);
    for (uint32_t y = 0; y < height; ++y)
    {
        assert_memory_equal(z.out + y * (stride + 1) + 1, pixels + y * stride, stride);
    }
    free(z.out);
    rbl_array_free(&file);
    rbl_array_free(&idat);
}

static void fill_image(uint8_t* pixels, uint32_t width, uint32_t height, uint32_t channels, uint32_t kind,
                       rblRandom* random)
{
    for (uint32_t y = 0; y < height; ++y)
    {
        for (uint32_t x = 0; x < width; ++x)
        {
            for (uint32_t c = 0; c < channels; ++c)
            {
                const uint32_t smooth = x * (c + 1) + y * 2;
                const uint32_t noise = rbl_random_u32(random);
                const uint32_t values[4] = {smooth, noise, smooth + (noise & 3), 200};
                pixels[((size_t)y * width + x) * channels + c] = (uint8_t)values[kind];
            }
        }
    }
}

static void images_of_every_shape_and_kind_come_back(void** state)
{
    (void)state;
    static const uint32_t sizes[][2] = {{1, 1}, {1, 40}, {40, 1}, {3, 5}, {17, 33}, {200, 61}};
    rblRandom random = rbl_random_seed(26, 0);
    uint8_t* pixels = malloc(200 * 61 * 4);
    assert_non_null(pixels);
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; ++i)
    {
        for (uint32_t channels = 1; channels <= 4; ++channels)
        {
            for (uint32_t kind = 0; kind < 4; ++kind)
            {
                fill_image(pixels, sizes[i][0], sizes[i][1], channels, kind, &random);
                check_image(pixels, sizes[i][0], sizes[i][1], channels);
            }
        }
    }
    free(pixels);
}

static void large_images_are_cut_into_chunks(void** state)
{
    (void)state;
    rblRandom random = rbl_random_seed(27, 0);
    uint8_t* pixels = malloc(700 * 700 * 3);
    assert_non_null(pixels);
    fill_image(pixels, 700, 700, 3, 1, &random); // noise: more than one IDAT
    check_image(pixels, 700, 700, 3);
    free(pixels);
}

static void smooth_images_shrink(void** state)
{
    (void)state;
    rblRandom random = rbl_random_seed(28, 0);
    uint8_t pixels[128 * 128 * 3];
    fill_image(pixels, 128, 128, 3, 0, &random);
    rblByteArray file;
    rbl_array_init(&file, rbl_default_allocator());
    check_ok(rbl_png_encode(pixels, 128, 128, 3, &file));
    assert_in_range(file.count, 1, 1000);
    rbl_array_free(&file);
}

static void saved_files_hold_the_encoded_bytes(void** state)
{
    (void)state;
    const uint8_t pixels[12] = {255, 0, 0, 0, 255, 0, 0, 0, 255, 9, 9, 9};
    uint8_t read[256];
    rblByteArray file;
    rbl_array_init(&file, rbl_default_allocator());
    check_ok(rbl_png_encode(pixels, 2, 2, 3, &file));
    check_ok(rbl_image_save_png("test_png.png", pixels, 2, 2, 3));
    FILE* stream = fopen("test_png.png", "rb");
    assert_non_null(stream);
    assert_int_equal(fread(read, 1, sizeof read, stream), file.count);
    assert_memory_equal(read, file.data, file.count);
    fclose(stream);
    rbl_array_free(&file);
    check_fails(RBL_ERROR_ARGUMENT, rbl_image_save_png("test_png.png", pixels, 2, 2, 7));
    check_fails(RBL_ERROR_ARGUMENT, rbl_image_save_png(NULL, pixels, 2, 2, 3));
    check_fails(RBL_ERROR_FILE, rbl_image_save_png("no such folder/test_png.png", pixels, 2, 2, 3));
    remove("test_png.png");
    assert_int_equal(rbl_bytes_in_use(), 0);
}

static void wrong_arguments_are_refused(void** state)
{
    (void)state;
    const uint8_t pixel[4] = {1, 2, 3, 4};
    rblByteArray file;
    rbl_array_init(&file, rbl_default_allocator());
    check_fails(RBL_ERROR_ARGUMENT, rbl_png_encode(NULL, 1, 1, 1, &file));
    check_fails(RBL_ERROR_ARGUMENT, rbl_png_encode(pixel, 0, 1, 1, &file));
    check_fails(RBL_ERROR_ARGUMENT, rbl_png_encode(pixel, 1, 0, 1, &file));
    check_fails(RBL_ERROR_ARGUMENT, rbl_png_encode(pixel, 1, 1, 0, &file));
    check_fails(RBL_ERROR_ARGUMENT, rbl_png_encode(pixel, 1, 1, 5, &file));
    check_fails(RBL_ERROR_ARGUMENT, rbl_png_encode(pixel, 0x80000000u, 1, 1, &file));
    check_fails(RBL_ERROR_ARGUMENT, rbl_png_encode(pixel, 1, UINT32_MAX, 1, &file));
    assert_int_equal(file.count, 0);
}

static void running_out_of_memory_is_reported_and_leaks_nothing(void** state)
{
    (void)state;
    rblRandom random = rbl_random_seed(29, 0);
    uint8_t pixels[40 * 40];
    fill_image(pixels, 40, 40, 1, 2, &random);
    rblResult result = RBL_ERROR_MEMORY;
    for (size_t granted = 0; result != RBL_OK; ++granted)
    {
        FailingAllocator memory;
        failing_allocator_start(&memory, granted);
        rblByteArray file;
        rbl_array_init(&file, &memory.allocator);
        result = rbl_png_encode(pixels, 40, 40, 1, &file);
        rbl_array_free(&file);
        assert_true(result == RBL_OK || result == RBL_ERROR_MEMORY);
        assert_int_equal(memory.live, 0);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(checksums_match_known_values),
        cmocka_unit_test(codes_are_complete_limited_and_best),
        cmocka_unit_test(limited_codes_equal_brute_force),
        cmocka_unit_test(short_streams_come_back),
        cmocka_unit_test(every_kind_of_block_is_written_and_comes_back),
        cmocka_unit_test(matches_reach_back_to_the_edge_of_the_window),
        cmocka_unit_test(images_of_every_shape_and_kind_come_back),
        cmocka_unit_test(large_images_are_cut_into_chunks),
        cmocka_unit_test(smooth_images_shrink),
        cmocka_unit_test(saved_files_hold_the_encoded_bytes),
        cmocka_unit_test(wrong_arguments_are_refused),
        cmocka_unit_test(running_out_of_memory_is_reported_and_leaks_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
