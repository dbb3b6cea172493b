// Numbers as texts: the shortest ones that read back, and as many digits as asked for.
#include "testing.h"

#include "base/number.h"
#include "base/random.h"
#include "number_testing.h"
#include <float.h>
#include <stdlib.h>
#include <string.h>

// How many significant digits a text has.
static int significant_digits(const char* text)
{
    int count = 0;
    int zeros = 0;
    for (; *text != '\0' && *text != 'e'; ++text)
    {
        if (*text == '0')
        {
            zeros += count > 0;
        }
        else if (*text > '0' && *text <= '9')
        {
            count += zeros + 1;
            zeros = 0;
        }
    }
    return count;
}

static void check_shortest(double value)
{
    char text[RBL_NUMBER_SIZE];
    const size_t length = rbl_format_double(value, text);
    assert_int_equal(length, strlen(text));
    check_parse(text);
    if (!same_bits(strtod(text, NULL), value))
    {
        fail_msg("%a is written as %s", value, text);
    }
    const int digits = significant_digits(text);
    char rival[64];
    // The nearest text of one digit less must not read back.
    if (digits > 1)
    {
        snprintf(rival, sizeof rival, "%.*e", digits - 2, value);
        if (strtod(rival, NULL) == value)
        {
            fail_msg("%s is not the shortest: %s", text, rival);
        }
    }
    // With as many digits, the C library's correctly rounded text is at best as near.
    snprintf(rival, sizeof rival, "%.*e", digits > 0 ? digits - 1 : 0, value);
    if (strtod(rival, NULL) == value && strtold(rival, NULL) != strtold(text, NULL))
    {
        fail_msg("%s is not the nearest: %s", text, rival);
    }
}

static void shortest_text_reads_back_and_is_shortest(void** state)
{
    (void)state;
    rblRandom random = rbl_random_seed(1, 1);
    for (int i = 0; i < 60000; ++i)
    {
        const double value = rbl_from_bits(rbl_random_u64(&random));
        if (isfinite(value))
        {
            check_shortest(value);
        }
        check_shortest(rbl_random_range(&random, -10, 10));
        check_shortest((double)(float)rbl_random_range(&random, -1, 1));
    }
    for (int e = -1074; e < 1024; ++e)
    {
        const double power = ldexp(1, e);
        check_shortest(power);
        check_shortest(nextafter(power, 0));
        check_shortest(nextafter(power, INFINITY));
    }
    for (int i = 0; i < 2000; ++i)
    {
        check_shortest(i);
        check_shortest(i / 1000.0);
        check_shortest(9007199254740992.0 - i);
        check_shortest(9007199254740992.0 + 2 * i);
        check_shortest(rbl_from_bits((uint64_t)i));
    }
    check_shortest(DBL_MAX);
    check_shortest(-DBL_MIN);
}

static void shortest_texts_look_as_promised(void** state)
{
    (void)state;
    static const struct
    {
        double value;
        const char* text;
    } cases[] = {{0.0, "0"},
                 {-0.0, "-0"},
                 {1, "1"},
                 {-1.5, "-1.5"},
                 {0.1, "0.1"},
                 {100, "100"},
                 {1e15, "1000000000000000"},
                 {1234567890123456, "1234567890123456"},
                 {1e16, "1e+16"},
                 {1e22, "1e+22"},
                 {1e30, "1e+30"},
                 {1.5e30, "1.5e+30"},
                 {0.00001, "0.00001"},
                 {0.0000123, "0.0000123"},
                 {0.000001, "1e-6"},
                 {5e-324, "5e-324"},
                 {1.7976931348623157e308, "1.7976931348623157e+308"},
                 {-2.2250738585072014e-308, "-2.2250738585072014e-308"},
                 {9007199254740992, "9007199254740992"},
                 {123.456, "123.456"},
                 {INFINITY, "inf"},
                 {-INFINITY, "-inf"}};
    char text[RBL_NUMBER_SIZE];
    for (size_t i = 0; i < sizeof cases / sizeof *cases; ++i)
    {
        assert_int_equal(rbl_format_double(cases[i].value, text), strlen(cases[i].text));
        assert_string_equal(text, cases[i].text);
    }
    rbl_format_double((double)NAN, text);
    assert_string_equal(text, "nan");
    rbl_format_float(-NAN, text);
    assert_string_equal(text, "nan");
    rbl_format_float(-INFINITY, text);
    assert_string_equal(text, "-inf");
    rbl_format_float(-0.0f, text);
    assert_string_equal(text, "-0");
    rbl_format_float(0.1f, text);
    assert_string_equal(text, "0.1");
    rbl_format_float(16777216.0f, text);
    assert_string_equal(text, "16777216");
}

static void check_shortest_float(float value)
{
    char text[RBL_NUMBER_SIZE];
    const size_t length = rbl_format_float(value, text);
    assert_int_equal(length, strlen(text));
    const float back = strtof(text, NULL);
    if (memcmp(&back, &value, sizeof back) != 0)
    {
        fail_msg("%a is written as %s", (double)value, text);
    }
    const int digits = significant_digits(text);
    char rival[64];
    snprintf(rival, sizeof rival, "%.*e", digits > 1 ? digits - 2 : 0, (double)value);
    if (digits > 1 && strtof(rival, NULL) == value)
    {
        fail_msg("%s is not the shortest: %s", text, rival);
    }
    snprintf(rival, sizeof rival, "%.*e", digits > 0 ? digits - 1 : 0, (double)value);
    if (strtof(rival, NULL) == value && strtod(rival, NULL) != strtod(text, NULL))
    {
        fail_msg("%s is not the nearest: %s", text, rival);
    }
}

static void shortest_float_text_reads_back_and_is_shortest(void** state)
{
    (void)state;
    rblRandom random = rbl_random_seed(2, 1);
    for (int i = 0; i < 150000; ++i)
    {
        const float value = rbl_float_of_bits(rbl_random_u32(&random));
        if (isfinite(value))
        {
            check_shortest_float(value);
        }
    }
    for (uint32_t exponent = 0; exponent < 255; ++exponent)
    {
        for (uint32_t i = 0; i < 8; ++i)
        {
            check_shortest_float(rbl_float_of_bits((exponent << 23) + i));
            check_shortest_float(rbl_float_of_bits((exponent << 23) + 0x7FFFFF - i));
        }
    }
}

static void check_fixed(double value, uint32_t digits)
{
    char text[RBL_NUMBER_SIZE];
    const size_t length = rbl_format_fixed(value, digits, text);
    assert_int_equal(length, strlen(text));
    const uint32_t shown = digits < 14 ? digits : 14;
    char expected[400];
    snprintf(expected, sizeof expected, fabs(value) < 1e15 ? "%.*f" : "%.*e", (int)shown, value);
    assert_string_equal(text, expected);
}

static void fixed_digits_round_as_printf_rounds(void** state)
{
    (void)state;
    rblRandom random = rbl_random_seed(5, 1);
    for (int i = 0; i < 60000; ++i)
    {
        const uint32_t digits = rbl_random_below(&random, 16);
        const double mantissa = rbl_random_range(&random, -1, 1);
        check_fixed(ldexp(mantissa, (int)rbl_random_below(&random, 120) - 70), digits);
        check_fixed(rbl_random_range(&random, -1e15, 1e15), digits);
        check_fixed((double)(int32_t)rbl_random_u32(&random) / 1024, digits); // many exact ties
        if (i % 10 == 0)
        {
            const double any = rbl_from_bits(rbl_random_u64(&random));
            check_fixed(isfinite(any) ? any : 0, digits);
        }
    }
    const double cases[] = {0,
                            -0.0,
                            0.5,
                            1.5,
                            2.5,
                            -0.5,
                            0.125,
                            0.375,
                            0.05,
                            1e15,
                            9.5e15,
                            9.99e22,
                            999999999999999.875,
                            0.9,
                            0.9999,
                            0.9995,
                            9.995,
                            99.95,
                            -0.0001,
                            5e-324,
                            DBL_MAX,
                            -1e300,
                            1e23,
                            1e22,
                            9.5e20,
                            99999999999999990000.0};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; ++i)
    {
        for (uint32_t digits = 0; digits < 16; ++digits)
        {
            check_fixed(cases[i], digits);
        }
    }
    check_fixed(1.0 / 3, UINT32_MAX);
    char text[RBL_NUMBER_SIZE];
    rbl_format_fixed((double)NAN, 3, text);
    assert_string_equal(text, "nan");
    rbl_format_fixed(-INFINITY, 3, text);
    assert_string_equal(text, "-inf");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(shortest_text_reads_back_and_is_shortest),
        cmocka_unit_test(shortest_texts_look_as_promised),
        cmocka_unit_test(shortest_float_text_reads_back_and_is_shortest),
        cmocka_unit_test(fixed_digits_round_as_printf_rounds),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
