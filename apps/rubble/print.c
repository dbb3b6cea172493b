#include "print.h"

#include "tool.h"
#include <math.h>
#include <string.h>

#define LABEL_WIDTH 24

static void strip_zeros(char* text)
{
    if (strchr(text, '.') == NULL)
    {
        return;
    }
    size_t length = strlen(text);
    while (text[length - 1] == '0')
    {
        text[--length] = '\0';
    }
    if (text[length - 1] == '.')
    {
        text[--length] = '\0';
    }
}

// One digit before the point and an exponent.
static size_t print_small(double value, uint32_t digits, char out[RBL_NUMBER_SIZE])
{
    double scaled = value;
    uint32_t exponent = 0;
    while (fabs(scaled) < 1.0)
    {
        scaled *= 10.0;
        ++exponent;
    }
    rbl_format_fixed(scaled, digits - 1, out);
    strip_zeros(out);
    char* first = out + (value < 0.0);
    if (strcmp(first, "10") == 0)
    {
        first[1] = '\0';
        --exponent;
    }
    const size_t length = strlen(out);
    snprintf(out + length, RBL_NUMBER_SIZE - length, "e-%u", exponent);
    return strlen(out);
}

size_t print_number(double value, uint32_t digits, char out[RBL_NUMBER_SIZE])
{
    const double size = fabs(value);
    if (!(size < 1e15)) // NaN and infinity too
    {
        return size <= 1e38 ? rbl_format_float((float)value, out) : rbl_format_double(value, out);
    }
    if (size < 1e-4 && size > 0.0)
    {
        return print_small(value, digits, out);
    }
    double limit = 1.0;
    for (uint32_t i = 1; i < digits; ++i)
    {
        limit *= 10.0;
    }
    // As many decimals as it takes to see `digits` digits.
    uint32_t decimals = 0;
    for (double scaled = size; scaled < limit && size > 0.0; scaled *= 10.0)
    {
        ++decimals;
    }
    rbl_format_fixed(value, decimals, out);
    strip_zeros(out);
    if (strcmp(out, "-0") == 0)
    {
        strcpy(out, "0");
    }
    return strlen(out);
}

void print_vector(rblVec3d vector, char out[PRINT_VECTOR_SIZE])
{
    size_t length = print_number(vector.x, 6, out);
    out[length++] = ' ';
    length += print_number(vector.y, 6, out + length);
    out[length++] = ' ';
    print_number(vector.z, 6, out + length);
}

void print_line(FILE* out, const char* label, const char* text)
{
    fprintf(out, "  %-*s%s\n", LABEL_WIDTH, label, text);
}

int print_json(rblJsonWriter* writer)
{
    int code = TOOL_DONE;
    if (rbl_json_writer_finish(writer) != RBL_OK)
    {
        code = tool_fail_last();
    }
    else
    {
        fwrite(writer->text, 1, writer->size, stdout);
    }
    rbl_json_writer_free(writer);
    return code;
}

void json_vector(rblJsonWriter* writer, rblVec3d vector)
{
    rbl_json_begin_row(writer);
    rbl_json_number(writer, vector.x);
    rbl_json_number(writer, vector.y);
    rbl_json_number(writer, vector.z);
    rbl_json_end_array(writer);
}
