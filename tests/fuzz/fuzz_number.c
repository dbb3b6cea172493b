// Numbers: what is read is what strtod reads in the C locale, and what is written reads back.
#include "base/number.h"
#include "fuzz.h"
#include <string.h>

static bool same(double a, double b)
{
    return memcmp(&a, &b, sizeof a) == 0 ||
           (a - a != 0.0 && b - b != 0.0 && (a > 0) == (b > 0) && (a < 0) == (b < 0));
}

static void check_parse(const char* text, size_t size)
{
    double value = 0;
    int64_t whole;
    const char* after = rbl_parse_double(text, text + size, &value);
    FUZZ_CHECK(after == NULL || (after > text && after <= text + size));
    const char* after_whole = rbl_parse_i64(text, text + size, &whole);
    FUZZ_CHECK(after_whole == NULL || (after_whole > text && after_whole <= text + size));
    if (after == NULL)
    {
        return;
    }
    const size_t length = (size_t)(after - text);
    char* copy = malloc(length + 1);
    FUZZ_CHECK(copy != NULL);
    memcpy(copy, text, length);
    copy[length] = '\0';
    FUZZ_CHECK(same(value, strtod(copy, NULL)));
    free(copy);
}

static void check_format(double value)
{
    char text[RBL_NUMBER_SIZE];
    double back = 0;
    const size_t length = rbl_format_double(value, text);
    FUZZ_CHECK(length < RBL_NUMBER_SIZE && text[length] == '\0');
    FUZZ_CHECK(rbl_parse_double(text, text + length, &back) == text + length && same(value, back));
    for (uint32_t digits = 0; digits < 16; digits += 5)
    {
        FUZZ_CHECK(rbl_format_fixed(value, digits, text) < RBL_NUMBER_SIZE);
    }
    const size_t float_length = rbl_format_float((float)value, text);
    FUZZ_CHECK(float_length < RBL_NUMBER_SIZE && text[float_length] == '\0');
    FUZZ_CHECK(rbl_parse_double(text, text + float_length, &back) == text + float_length);
    FUZZ_CHECK(same((double)(float)back, (double)(float)value));
}

int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size)
{
    check_parse((const char*)data, size);
    double value;
    if (size >= sizeof value)
    {
        memcpy(&value, data, sizeof value);
        check_format(value);
    }
    return 0;
}
