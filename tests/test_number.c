// Numbers from text, against the C library in the C locale and against exact arithmetic.
#include "testing.h"

#include "base/number.h"
#include "base/number/natural.h"
#include "base/number/powers_of_ten.h"
#include "base/random.h"
#include "number_testing.h"
#include <float.h>
#include <locale.h>
#include <stdlib.h>
#include <string.h>

static void powers_of_ten_are_the_leading_bits(void** state)
{
    (void)state;
    for (int32_t k = RBL_POWER_OF_TEN_MIN; k <= RBL_POWER_OF_TEN_MAX; ++k)
    {
        const rblPowerOfTen* power = &rbl_powers_of_ten[k - RBL_POWER_OF_TEN_MIN];
        assert_true(power->high >> 63 == 1);
        // m * 2^e <= 10^k < (m + 1) * 2^e, multiplied out until both sides are integers.
        const int32_t e = rbl_floor_log2_pow10(k) - 127;
        rblNatural ten;
        rblNatural lower;
        rbl_natural_set(&ten, 1);
        rbl_natural_set(&lower, power->high);
        rbl_natural_shift_left(&lower, 32);
        rbl_natural_multiply_add(&lower, 1, (uint32_t)(power->low >> 32));
        rbl_natural_shift_left(&lower, 32);
        rbl_natural_multiply_add(&lower, 1, (uint32_t)power->low);
        rblNatural upper = lower;
        rbl_natural_multiply_add(&upper, 1, 1);
        rbl_natural_multiply_pow10(k > 0 ? &ten : &lower, (uint32_t)abs(k));
        rbl_natural_multiply_pow10(k > 0 ? &lower : &upper, k > 0 ? 0 : (uint32_t)abs(k));
        rbl_natural_shift_left(e > 0 ? &lower : &ten, (uint32_t)abs(e));
        rbl_natural_shift_left(e > 0 ? &upper : &ten, e > 0 ? (uint32_t)e : 0);
        assert_true(rbl_natural_compare(&lower, &ten) <= 0);
        assert_true(rbl_natural_compare(&ten, &upper) < 0);
        assert_true((rbl_natural_compare(&lower, &ten) == 0) == (k >= 0 && k <= RBL_POWER_OF_TEN_EXACT));
    }
}

static void naturals_subtract_what_they_multiplied(void** state)
{
    (void)state;
    rblRandom random = rbl_random_seed(7, 1);
    for (int i = 0; i < 200; ++i)
    {
        rblNatural a;
        rbl_natural_set(&a, rbl_random_u64(&random));
        rbl_natural_shift_left(&a, rbl_random_below(&random, 200));
        rblNatural sum = a;
        rbl_natural_multiply_add(&sum, 12345, 678);
        for (int k = 0; k < 12345; ++k)
        {
            rbl_natural_subtract(&sum, &a);
        }
        rblNatural rest;
        rbl_natural_set(&rest, 678);
        assert_int_equal(rbl_natural_compare(&sum, &rest), 0);
    }
}

static void known_texts_are_read_as_strtod_reads_them(void** state)
{
    (void)state;
    static const char* const texts[] = {
        "0",
        "-0",
        "+0",
        "0.0",
        "-0.0e5",
        "00012",
        "1",
        "-1",
        "+1",
        "1.",
        ".5",
        "-.5e1",
        "1e5",
        "1E5",
        "1e+5",
        "1e-5",
        "0.1",
        "0.3",
        "123456789",
        "9007199254740992",
        "9007199254740993",
        "9007199254740995",
        "9007199254740993.0",
        "90071992547409930000e-4",
        "9007199254740993000000000000000000000000000000000000001e-37",
        "1.7976931348623157e308",
        "1.7976931348623158e308",
        "1.7976931348623159e308",
        "1e309",
        "-1e400",
        "1e99999999999",
        "2.2250738585072014e-308",
        "2.2250738585072011e-308",
        "2.2250738585072012e-308",
        "4.9406564584124654e-324",
        "2.4703282292062327e-324",
        "2.4703282292062328e-324",
        "1e-324",
        "1e-400",
        "1e-99999999999",
        "0e99999999999999",
        "6.0221407623e23",
        "8.41470984807896506652e-1",
        "1.00000000000000000000000000000000000000000000000000000000001",
        "0.50000000000000000000000000",
        "0.000000000000000000000000000000000000000000000000000001e54",
        "1.00000000000000011102230246251565",
        "1.00000000000000011102230246251566",
        "1.0000000000000003330669073875469",
        "5e-324",
        "3e-324",
        "2e-324",
        "179769313486231580793728971405303415079934132710037826936173778980444968292764"
        "7509466490179775872070963302864166928879109465555478519404026306574886715058206819089020007083836762"
        "73854845817"
        "7115317644757302700698555713669596228429148198608349364752927190741684443655107043427115596995080930"
        "42880",
        "18446744073709551615",
        "18446744073709551616",
        "18446744073709551617",
        "99999999999999999999999",
        "7.2057594037927933e16",
        "1448997445238699",
        "9.5367431640625e-7",
        "inf",
        "-INF",
        "Infinity",
        "-iNfInItY",
        "123456789012345678",
        "1234567.8",
        "0.12345678",
        "0.123456789",
        "12345678.12345678",
        "0.1234567812345678"};
    for (size_t i = 0; i < sizeof texts / sizeof *texts; ++i)
    {
        check_parse(texts[i]);
    }
}

static void nan_is_read_in_any_case(void** state)
{
    (void)state;
    static const char* const texts[] = {"nan", "NaN", "-NAN", "+nan"};
    for (size_t i = 0; i < sizeof texts / sizeof *texts; ++i)
    {
        double value = 0;
        assert_ptr_equal(rbl_parse_double(texts[i], texts[i] + strlen(texts[i]), &value),
                         texts[i] + strlen(texts[i]));
        assert_true(isnan(value));
    }
}

static void what_is_no_number_is_refused_and_changes_nothing(void** state)
{
    (void)state;
    static const char* const texts[] = {"",    "-",   "+",  ".",  "-.", "e5", ".e5", "abc",
                                        "--1", "+-1", "na", "in", "/",  ":",  " 1"};
    for (size_t i = 0; i < sizeof texts / sizeof *texts; ++i)
    {
        double value = 42;
        int64_t integer = 42;
        assert_null(rbl_parse_double(texts[i], texts[i] + strlen(texts[i]), &value));
        assert_null(rbl_parse_i64(texts[i], texts[i] + strlen(texts[i]), &integer));
        assert_true(value == 42 && integer == 42);
    }
}

static void reading_stops_where_the_number_ends(void** state)
{
    (void)state;
    static const struct
    {
        const char* text;
        size_t length;
        double value;
    } cases[] = {{"1e", 1, 1},
                 {"1e+", 1, 1},
                 {"1e+x", 1, 1},
                 {"2.5.5", 3, 2.5},
                 {"1.5e3e4", 5, 1500},
                 {"3,5", 1, 3},
                 {"infinit", 3, INFINITY},
                 {"12/34", 2, 12},
                 {"0x10", 1, 0},
                 {"1_000", 1, 1},
                 {"0.1234567 8", 9, 0.1234567},
                 {"1.25\n7", 4, 1.25},
                 {"7 ", 1, 7},
                 {"1.\xC2\xA0", 2, 1},
                 {"1.5\xFF", 3, 1.5}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; ++i)
    {
        double value = -1;
        const char* text = cases[i].text;
        const char* after = rbl_parse_double(text, text + strlen(text), &value);
        if (after != text + cases[i].length || value != cases[i].value)
        {
            fail_msg("\"%s\": %td characters, %g", text, after != NULL ? after - text : -1, value);
        }
        // The same number when the text ends right there.
        assert_ptr_equal(rbl_parse_double(text, text + cases[i].length, &value), text + cases[i].length);
        assert_true(value == cases[i].value);
    }
}

static void integers_keep_their_limits(void** state)
{
    (void)state;
    static const struct
    {
        const char* text;
        int64_t value;
        bool fits;
    } cases[] = {{"0", 0, true},
                 {"-0", 0, true},
                 {"+17", 17, true},
                 {"9223372036854775807", INT64_MAX, true},
                 {"9223372036854775808", 0, false},
                 {"-9223372036854775808", INT64_MIN, true},
                 {"-9223372036854775809", 0, false},
                 {"99999999999999999999999", 0, false},
                 {"00000000000000000000000000012", 12, true}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; ++i)
    {
        int64_t value = 5;
        const char* text = cases[i].text;
        const char* after = rbl_parse_i64(text, text + strlen(text), &value);
        assert_ptr_equal(after, cases[i].fits ? text + strlen(text) : NULL);
        assert_true(value == (cases[i].fits ? cases[i].value : 5));
    }
    int64_t value = 0;
    const char* text = "12/3";
    assert_ptr_equal(rbl_parse_i64(text, text + 4, &value), text + 2);
}

static void decimals_of_any_length_round_as_strtod_rounds(void** state)
{
    (void)state;
    rblRandom random = rbl_random_seed(3, 1);
    char text[1300];
    for (int i = 0; i < 20000; ++i)
    {
        const double value = rbl_from_bits(rbl_random_u64(&random));
        if (!isfinite(value))
        {
            continue;
        }
        snprintf(text, sizeof text, "%.*e", (int)rbl_random_below(&random, 30), value);
        check_parse(text);
    }
    for (int i = 0; i < 3000; ++i)
    {
        const size_t length = 1 + rbl_random_below(&random, i % 10 == 0 ? 1000 : 60);
        const size_t point = rbl_random_below(&random, (uint32_t)length + 1);
        for (size_t k = 0; k <= length; ++k)
        {
            text[k] = k == point ? '.' : (char)('0' + rbl_random_below(&random, 10));
        }
        snprintf(text + length + 1, 16, "e%d", (int)rbl_random_below(&random, 700) - 350 - (int)point);
        check_parse(text);
    }
}

// The decimal text of the point halfway between two neighbouring doubles, and texts a hair below and above it.
static void halfway_points_round_to_even(void** state)
{
    (void)state;
#if LDBL_MANT_DIG > DBL_MANT_DIG
    rblRandom random = rbl_random_seed(4, 1);
    for (int i = 0; i < 4000; ++i)
    {
        uint64_t bits = rbl_random_u64(&random) >> 1;
        if (i % 4 == 0)
        {
            bits &= 0x000FFFFFFFFFFFFFu; // subnormal
        }
        if (i % 4 == 1)
        {
            bits = 0x3FD0000000000000u + rbl_random_u64(&random) % 0x0080000000000000u; // around one
        }
        const double low = rbl_from_bits(bits);
        const double high = rbl_from_bits(bits + 1);
        if (!isfinite(low) || !isfinite(high))
        {
            continue;
        }
        const long double middle = ((long double)low + (long double)high) / 2;
        char text[1200];
        snprintf(text, sizeof text, "%.800Le", middle);
        check_parse(text);
        char* exponent = strchr(text, 'e');
        char tail[16];
        snprintf(tail, sizeof tail, "%s", exponent);
        exponent[-1] = '1'; // a hair more, at the 801st digit
        double value;
        rbl_parse_double(text, text + strlen(text), &value);
        assert_true(same_bits(value, high));
        char* last = exponent - 2;
        for (exponent[-1] = '9'; *last == '0'; --last)
        {
            *last = '9';
        }
        *last = (char)(*last - 1); // a hair less
        rbl_parse_double(text, text + strlen(text), &value);
        assert_true(same_bits(value, low));
    }
#endif
}

static void zeros_in_front_and_behind_change_nothing(void** state)
{
    (void)state;
    static char text[6000];
    for (int zeros = 0; zeros < 2500; zeros += 123)
    {
        char* c = text;
        memset(c, '0', (size_t)zeros);
        c += zeros;
        c += snprintf(c, 32, "123.4375");
        memset(c, '0', (size_t)zeros);
        c += zeros;
        snprintf(c, 8, "e-2");
        check_parse(text);
        snprintf(text, sizeof text, "0.%0*d1e%d", zeros + 1, 0, zeros + 2);
        check_parse(text);
        snprintf(text, sizeof text, "1%0*de-%d", zeros + 1, 0, zeros + 1);
        check_parse(text);
    }
}

static void the_locale_changes_nothing(void** state)
{
    (void)state;
    static const char* const names[] = {"de_DE.UTF-8", "de_DE.utf8",  "de_DE",
                                        "fr_FR.UTF-8", "pl_PL.UTF-8", "ru_RU.UTF-8"};
    const char* found = NULL;
    for (size_t i = 0; i < sizeof names / sizeof *names && found == NULL; ++i)
    {
        found = setlocale(LC_ALL, names[i]);
    }
    if (found == NULL)
    {
        print_message("no locale with a decimal comma is installed; checked in the C locale only\n");
    }
    double value = 0;
    const char* number = "3.25";
    const char* after = rbl_parse_double(number, number + 4, &value);
    char text[RBL_NUMBER_SIZE];
    char fixed[RBL_NUMBER_SIZE];
    rbl_format_double(1234567.5, text);
    rbl_format_fixed(1234567.5, 2, fixed);
    setlocale(LC_ALL, "C");
    assert_non_null(after);
    assert_true(value == 3.25);
    assert_string_equal(text, "1234567.5");
    assert_string_equal(fixed, "1234567.50");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(powers_of_ten_are_the_leading_bits),
        cmocka_unit_test(naturals_subtract_what_they_multiplied),
        cmocka_unit_test(known_texts_are_read_as_strtod_reads_them),
        cmocka_unit_test(nan_is_read_in_any_case),
        cmocka_unit_test(what_is_no_number_is_refused_and_changes_nothing),
        cmocka_unit_test(reading_stops_where_the_number_ends),
        cmocka_unit_test(integers_keep_their_limits),
        cmocka_unit_test(decimals_of_any_length_round_as_strtod_rounds),
        cmocka_unit_test(halfway_points_round_to_even),
        cmocka_unit_test(zeros_in_front_and_behind_change_nothing),
        cmocka_unit_test(the_locale_changes_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
