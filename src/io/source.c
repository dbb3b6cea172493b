// Messages with the position of an error in a file.
#include "base/log.h"
#include "io/readers.h"
#include <stdarg.h>
#include <stdio.h>

// Lines end with LF, CR LF or CR.
static size_t line_of(const rblSource* source, const uint8_t* at)
{
    size_t line = 1;
    for (const uint8_t* c = source->bytes; c < at; ++c)
    {
        line += *c == '\n' || (*c == '\r' && (c + 1 == source->bytes + source->size || c[1] != '\n'));
    }
    return line;
}

rblResult rbl_fail_line(const rblSource* source, const void* at, rblResult result, const char* format, ...)
{
    char text[RBL_ERROR_TEXT_SIZE];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    return rbl_fail(result, "%s:%zu: %s", rbl_short_name(source->name), line_of(source, at), text);
}

rblResult rbl_fail_byte(const rblSource* source, uint64_t offset, rblResult result, const char* format, ...)
{
    char text[RBL_ERROR_TEXT_SIZE];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    return rbl_fail(result, "%s: byte %llu: %s", rbl_short_name(source->name), (unsigned long long)offset,
                    text);
}

void rbl_warn_line(const rblSource* source, const void* at, const char* format, ...)
{
    char text[RBL_ERROR_TEXT_SIZE];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    if (at == NULL)
    {
        rbl_log_message(RBL_LOG_WARNING, "%s: %s", rbl_short_name(source->name), text);
        return;
    }
    rbl_log_message(RBL_LOG_WARNING, "%s:%zu: %s", rbl_short_name(source->name), line_of(source, at), text);
}
