// Numbers as bytes and back, and the check over them.
#include "testing.h"

#include "base/bytes.h"
#include "base/random.h"

static const uint64_t numbers[] = {0,        1,          127,        128,        16383,          16384,
                                   1u << 30, UINT32_MAX, 1ull << 35, 1ull << 62, UINT64_MAX / 2, UINT64_MAX};
#define NUMBERS (sizeof numbers / sizeof numbers[0])

static void every_number_comes_back(void** state)
{
    (void)state;
    rblByteSink sink;
    rbl_sink_init(&sink, rbl_default_allocator());
    for (size_t i = 0; i < NUMBERS; ++i)
    {
        rbl_put_varint(&sink, numbers[i]);
        rbl_put_u64(&sink, numbers[i]);
        rbl_put_varint(&sink, rbl_zigzag(-(int64_t)(numbers[i] / 2)));
    }
    rbl_put_f32(&sink, -0.1f);
    rbl_put_f64(&sink, 1e-300);
    rbl_put_string(&sink, "rock");
    assert_false(sink.failed);
    rblByteSource source = {.data = sink.bytes.data, .size = sink.bytes.count};
    for (size_t i = 0; i < NUMBERS; ++i)
    {
        assert_true(rbl_take_varint(&source) == numbers[i]);
        assert_true(rbl_take_u64(&source) == numbers[i]);
        assert_true(rbl_unzigzag(rbl_take_varint(&source)) == -(int64_t)(numbers[i] / 2));
    }
    assert_true(rbl_take_f32(&source) == -0.1f);
    assert_true(rbl_take_f64(&source) == 1e-300);
    size_t size = 0;
    const char* text = rbl_take_text(&source, &size);
    assert_int_equal(size, 4);
    assert_memory_equal(text, "rock", 4);
    assert_int_equal(rbl_source_left(&source), 0);
    assert_false(source.failed);
    assert_int_equal(rbl_take_u32(&source), 0);
    assert_true(source.failed);
    rbl_sink_free(&sink);
}

static void claims_larger_than_the_bytes_are_failures(void** state)
{
    (void)state;
    static const uint8_t claim[] = {0xFF, 0xFF, 0xFF, 0xFF, 0x0F, 1, 2, 3};
    rblByteSource count = {.data = claim, .size = sizeof claim};
    assert_int_equal(rbl_take_count(&count, 1), 0);
    assert_true(count.failed);
    rblByteSource text = {.data = claim, .size = sizeof claim};
    size_t size = 0;
    assert_null(rbl_take_text(&text, &size));
    static const uint8_t endless[11] = {0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF};
    rblByteSource varint = {.data = endless, .size = sizeof endless};
    (void)rbl_take_varint(&varint);
    assert_true(varint.failed);
}

// Any single bit that flips, any byte that is missing or added, any other seed changes the check.
static void the_check_notices_every_small_change(void** state)
{
    (void)state;
    uint8_t bytes[131];
    rblRandom random = rbl_random_seed(7, 0);
    for (size_t i = 0; i < sizeof bytes; ++i)
    {
        bytes[i] = (uint8_t)rbl_random_u32(&random);
    }
    for (size_t size = 0; size < sizeof bytes; ++size)
    {
        const uint64_t check = rbl_check64(3, bytes, size);
        assert_true(rbl_check64(4, bytes, size) != check);
        assert_true(rbl_check64(3, bytes, size + 1) != check);
        for (size_t bit = 0; bit < 8 * size; ++bit)
        {
            bytes[bit / 8] ^= (uint8_t)(1u << bit % 8);
            assert_true(rbl_check64(3, bytes, size) != check);
            bytes[bit / 8] ^= (uint8_t)(1u << bit % 8);
        }
    }
    // Files written by one version are read by the next: the check never changes.
    assert_true(rbl_check64(0, "rubble", 6) == 0x5F6E7F28AEB52571u);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_number_comes_back),
        cmocka_unit_test(claims_larger_than_the_bytes_are_failures),
        cmocka_unit_test(the_check_notices_every_small_change),
    };
    return cmocka_run_group_tests_name("bytes", tests, NULL, NULL);
}
