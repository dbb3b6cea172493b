#include "io/xml.h"

#include "io/utf8.h"
#include <string.h>

// Size in bytes of the character at `text`; 0 if XML does not allow it.
static size_t character_length(const char* text, const char* end)
{
    const size_t length = rbl_utf8_length(text, end);
    const bool noncharacter =
        length == 3 && (memcmp(text, "\xEF\xBF\xBE", 3) == 0 || memcmp(text, "\xEF\xBF\xBF", 3) == 0);
    const bool control = length == 1 && (unsigned char)*text < ' ';
    return noncharacter || control ? 0 : length;
}

bool rbl_xml_can_hold(const char* text)
{
    const char* const end = text + strlen(text);
    size_t length = 1;
    for (; text < end && length > 0; text += length)
    {
        length = character_length(text, end);
    }
    return length > 0;
}

static const char* entity_of(char c)
{
    return c == '&' ? "&amp;" : c == '<' ? "&lt;" : c == '>' ? "&gt;" : c == '"' ? "&quot;" : NULL;
}

void rbl_write_xml(rblWriter* writer, const char* text)
{
    const char* const end = text + strlen(text);
    while (text < end)
    {
        const size_t length = character_length(text, end);
        const char* entity = length == 0 ? "?" : entity_of(*text);
        if (entity != NULL)
        {
            rbl_write_text(writer, entity);
        }
        else
        {
            rbl_write_bytes(writer, text, length);
        }
        const size_t whole = rbl_utf8_length(text, end);
        text += whole > 0 ? whole : 1;
    }
}
