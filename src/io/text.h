// Reading text formats: characters, tokens and lines. Lines end with LF, CR LF or CR.
#ifndef RBL_IO_TEXT_H
#define RBL_IO_TEXT_H

#include "base/number/digits.h"
#include <stddef.h>

// Character classes, as bits.
enum
{
    RBL_TEXT_BLANK = 1,
    RBL_TEXT_LINE_END = 2,
    RBL_TEXT_COMMENT = 4,
    RBL_TEXT_BACKSLASH = 8
};

static const uint8_t rbl_text_classes[256] = {
    [' '] = RBL_TEXT_BLANK,   ['\t'] = RBL_TEXT_BLANK,    ['\v'] = RBL_TEXT_BLANK,
    ['\f'] = RBL_TEXT_BLANK,  ['\n'] = RBL_TEXT_LINE_END, ['\r'] = RBL_TEXT_LINE_END,
    ['#'] = RBL_TEXT_COMMENT, ['\\'] = RBL_TEXT_BACKSLASH};

static inline bool rbl_text_is(char c, unsigned classes)
{
    return (rbl_text_classes[(unsigned char)c] & classes) != 0;
}

static inline bool rbl_is_blank(char c)
{
    return rbl_text_is(c, RBL_TEXT_BLANK);
}

static inline bool rbl_is_line_end(char c)
{
    return rbl_text_is(c, RBL_TEXT_LINE_END);
}

static inline bool rbl_is_space(char c)
{
    return rbl_text_is(c, RBL_TEXT_BLANK | RBL_TEXT_LINE_END);
}

// The next line end, or `end`.
static inline const char* rbl_find_line_end(const char* text, const char* end)
{
    while (text < end && !rbl_is_line_end(*text))
    {
        ++text;
    }
    return text;
}

// The position after a line end at `text`.
static inline const char* rbl_skip_line_end(const char* text, const char* end)
{
    const bool pair = end - text >= 2 && text[0] == '\r' && text[1] == '\n';
    return text + (pair ? 2 : text < end);
}

// The position after a byte order mark, which some editors write.
static inline const char* rbl_skip_byte_order_mark(const char* text, const char* end)
{
    const bool mark = end - text >= 3 && text[0] == '\xEF' && text[1] == '\xBB' && text[2] == '\xBF';
    return text + (mark ? 3 : 0);
}

// The token at `text` for a message: shortened, and without control characters.
#define RBL_QUOTE_SIZE 32
static inline void rbl_quote_token(const char* text, const char* end, char out[RBL_QUOTE_SIZE])
{
    size_t length = 0;
    while (text + length < end && length < RBL_QUOTE_SIZE - 1 && !rbl_is_space(text[length]))
    {
        const char c = text[length];
        out[length++] = c > ' ' && c <= '~' ? c : '?';
    }
    out[length] = '\0';
}

#endif
