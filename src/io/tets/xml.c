#include "io/tets/xml.h"

#include "base/number.h"
#include "io/text.h"
#include <string.h>

bool rbl_xml_text_is(rblXmlText text, const char* word)
{
    const size_t length = strlen(word);
    return (size_t)(text.end - text.begin) == length && memcmp(text.begin, word, length) == 0;
}

const char* rbl_xml_find(const char* at, const char* end, const char* word)
{
    const size_t length = strlen(word);
    for (; (size_t)(end - at) >= length; ++at)
    {
        const char* first = memchr(at, word[0], (size_t)(end - at));
        if (first == NULL || (size_t)(end - first) < length)
        {
            return NULL;
        }
        if (memcmp(first, word, length) == 0)
        {
            return first;
        }
        at = first;
    }
    return NULL;
}

rblResult rbl_xml_next_tag(rblXml* xml, rblXmlTag* tag, bool* found)
{
    *found = false;
    for (;;)
    {
        const char* open = xml->at < xml->end ? memchr(xml->at, '<', (size_t)(xml->end - xml->at)) : NULL;
        if (open == NULL)
        {
            return RBL_OK;
        }
        const bool comment = xml->end - open >= 4 && memcmp(open, "<!--", 4) == 0;
        const char* close = rbl_xml_find(open, xml->end, comment ? "-->" : ">");
        if (close == NULL)
        {
            return rbl_fail_line(xml->source, open, RBL_ERROR_FORMAT, "a tag is not closed");
        }
        xml->at = close + (comment ? 3 : 1);
        if (comment || open[1] == '?' || open[1] == '!')
        {
            continue;
        }
        const char* end = open + 1;
        while (end < close && !rbl_is_space(*end) && (*end != '/' || end == open + 1))
        {
            ++end;
        }
        tag->empty = close[-1] == '/';
        tag->name = (rblXmlText){open + 1, end};
        tag->attributes = (rblXmlText){end, close};
        *found = true;
        return RBL_OK;
    }
}

rblXmlText rbl_xml_attribute(const rblXmlTag* tag, const char* name)
{
    const size_t length = strlen(name);
    const char* c = tag->attributes.begin;
    while (c < tag->attributes.end)
    {
        while (c < tag->attributes.end && rbl_is_space(*c))
        {
            ++c;
        }
        const char* word = c;
        while (c < tag->attributes.end && *c != '=' && !rbl_is_space(*c))
        {
            ++c;
        }
        const bool match = (size_t)(c - word) == length && memcmp(word, name, length) == 0;
        while (c < tag->attributes.end && *c != '"' && *c != '\'')
        {
            ++c;
        }
        const char* open = c;
        const char* close =
            c < tag->attributes.end ? memchr(c + 1, *c, (size_t)(tag->attributes.end - c - 1)) : NULL;
        if (close == NULL)
        {
            break;
        }
        if (match)
        {
            return (rblXmlText){open + 1, close};
        }
        c = close + 1;
    }
    return (rblXmlText){tag->attributes.end, tag->attributes.end};
}

rblResult rbl_xml_count_attribute(const rblXml* xml, const rblXmlTag* tag, const char* name, uint64_t* out)
{
    const rblXmlText text = rbl_xml_attribute(tag, name);
    int64_t value = 0;
    if (rbl_parse_i64(text.begin, text.end, &value) != text.end || value < 0 || text.begin == text.end)
    {
        return rbl_fail_line(xml->source, tag->name.begin, RBL_ERROR_FORMAT,
                             "%s is missing or not an integer", name);
    }
    *out = (uint64_t)value;
    return RBL_OK;
}
