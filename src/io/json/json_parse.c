// From text to nodes, without recursion. Children stay on one stack until their container closes; then all of them
// move to the end of the nodes of the document together, which makes them contiguous.
#include "base/assert.h"
#include "base/number.h"
#include "base/sort.h"
#include "io/file.h"
#include "io/json/json.h"
#include "io/json/json_private.h"
#include "io/utf8.h"
#include <string.h>

typedef struct OpenContainer
{
    size_t first_pending; // start of its children on the stack
    uint32_t offset;
    bool object;
} OpenContainer;

typedef struct Parser
{
    rblJsonDocument* document;
    const char* at;
    const char* end;
    RBL_ARRAY(rblJsonNode) pending;
    rblIndexArray scratch;
    OpenContainer open[RBL_JSON_MAX_DEPTH];
    uint32_t depth;
} Parser;

static rblResult fail_at(const Parser* parser, const char* at, const char* what)
{
    uint32_t line, column;
    const rblJsonDocument* document = parser->document;
    rbl_json_locate(document, (size_t)(at - document->text), &line, &column);
    return rbl_fail(RBL_ERROR_FORMAT, "%s:%u:%u: %s", rbl_short_name(document->name), line, column, what);
}

static void skip_space(Parser* parser)
{
    while (parser->at < parser->end &&
           (*parser->at == ' ' || *parser->at == '\n' || *parser->at == '\r' || *parser->at == '\t'))
    {
        parser->at += 1;
    }
}

static bool next_is(const Parser* parser, char wanted)
{
    return parser->at < parser->end && *parser->at == wanted;
}

static bool next_is_digit(const Parser* parser)
{
    return parser->at < parser->end && *parser->at >= '0' && *parser->at <= '9';
}

static rblResult push_node(Parser* parser, rblJsonNode node)
{
    return rbl_array_push(&parser->pending, node) ? RBL_OK : rbl_fail_memory();
}

static rblJsonNode new_node(const Parser* parser, rblJsonType type)
{
    return (rblJsonNode){
        .offset = (uint32_t)(parser->at - parser->document->text), .parent = RBL_JSON_NO_NODE, .type = type};
}

// ---- numbers ----

static bool skip_digits(Parser* parser)
{
    const char* begin = parser->at;
    while (next_is_digit(parser))
    {
        parser->at += 1;
    }
    return parser->at > begin;
}

// number = [ "-" ] int [ frac ] [ exp ], int without leading zeros (RFC 8259, section 6).
static bool skip_number(Parser* parser)
{
    parser->at += next_is(parser, '-');
    if (next_is(parser, '0'))
    {
        parser->at += 1;
    }
    else if (!skip_digits(parser))
    {
        return false;
    }
    if (next_is(parser, '.'))
    {
        parser->at += 1;
        if (!skip_digits(parser))
        {
            return false;
        }
    }
    if (next_is(parser, 'e') || next_is(parser, 'E'))
    {
        parser->at += 1;
        parser->at += next_is(parser, '-') || next_is(parser, '+');
        return skip_digits(parser);
    }
    return true;
}

static rblResult parse_number(Parser* parser)
{
    const char* begin = parser->at;
    rblJsonNode node = new_node(parser, RBL_JSON_NUMBER);
    if (!skip_number(parser) || next_is_digit(parser))
    {
        return fail_at(parser, begin, "not a JSON number");
    }
    const char* parsed = rbl_parse_double(begin, parser->at, &node.as.number);
    RBL_ASSERT(parsed == parser->at);
    (void)parsed;
    if (node.as.number - node.as.number != 0.0)
    {
        return fail_at(parser, begin, "the number is too large for 64-bit floating point");
    }
    return push_node(parser, node);
}

// ---- strings ----

static bool put_characters(Parser* parser, const char* bytes, size_t count)
{
    rblCharArray* characters = &parser->document->characters;
    if (!rbl_array_reserve_more(characters, count))
    {
        return false;
    }
    if (count > 0)
    {
        memcpy(characters->data + characters->count, bytes, count);
        characters->count += count;
    }
    return true;
}

// Four hexadecimal digits; false when there are fewer.
static bool parse_code_unit(Parser* parser, uint32_t* out)
{
    if (parser->end - parser->at < 4)
    {
        return false;
    }
    *out = 0;
    for (int i = 0; i < 4; ++i)
    {
        const char c = *parser->at++;
        const bool digit = c >= '0' && c <= '9';
        const char lower = (char)(c | 0x20);
        if (!digit && (lower < 'a' || lower > 'f'))
        {
            return false;
        }
        *out = *out << 4 | (uint32_t)(digit ? c - '0' : lower - 'a' + 10);
    }
    return true;
}

// After "\u": one code unit, or the two units of a surrogate pair.
static rblResult parse_unicode_escape(Parser* parser, const char* begin)
{
    uint32_t code;
    if (!parse_code_unit(parser, &code))
    {
        return fail_at(parser, begin, "\\u must be followed by four hexadecimal digits");
    }
    if (code >= 0xD800 && code <= 0xDBFF)
    {
        uint32_t low = 0;
        const bool pair = parser->end - parser->at >= 6 && parser->at[0] == '\\' && parser->at[1] == 'u';
        parser->at += pair ? 2 : 0;
        if (!pair || !parse_code_unit(parser, &low) || low < 0xDC00 || low > 0xDFFF)
        {
            return fail_at(parser, begin, "half of a surrogate pair");
        }
        code = 0x10000 + ((code - 0xD800) << 10) + (low - 0xDC00);
    }
    else if (code >= 0xDC00 && code <= 0xDFFF)
    {
        return fail_at(parser, begin, "half of a surrogate pair");
    }
    char bytes[4];
    return put_characters(parser, bytes, rbl_utf8_encode(code, bytes)) ? RBL_OK : rbl_fail_memory();
}

static rblResult parse_escape(Parser* parser)
{
    static const char letters[] = "\"\\/bfnrt";
    static const char meanings[] = "\"\\/\b\f\n\r\t";
    const char* begin = parser->at;
    parser->at += 1;
    const char letter = parser->at < parser->end ? *parser->at++ : '\0';
    if (letter == 'u')
    {
        return parse_unicode_escape(parser, begin);
    }
    const char* known = letter != '\0' ? strchr(letters, letter) : NULL;
    if (known == NULL)
    {
        return fail_at(parser, begin, "unknown escape in a string");
    }
    return put_characters(parser, &meanings[known - letters], 1) ? RBL_OK : rbl_fail_memory();
}

// Copy everything up to the next quote or backslash.
static rblResult parse_plain(Parser* parser)
{
    const char* begin = parser->at;
    while (parser->at < parser->end && *parser->at != '"' && *parser->at != '\\')
    {
        if ((unsigned char)*parser->at < 0x20)
        {
            return fail_at(parser, parser->at, "control character in a string");
        }
        const size_t step = rbl_utf8_length(parser->at, parser->end);
        if (step == 0)
        {
            return fail_at(parser, parser->at, "not UTF-8");
        }
        parser->at += step;
    }
    return put_characters(parser, begin, (size_t)(parser->at - begin)) ? RBL_OK : rbl_fail_memory();
}

static rblResult parse_string(Parser* parser)
{
    const char* begin = parser->at;
    rblCharArray* characters = &parser->document->characters;
    rblJsonNode node = new_node(parser, RBL_JSON_STRING);
    node.as.span.first = (uint32_t)characters->count;
    parser->at += 1;
    while (!next_is(parser, '"'))
    {
        if (parser->at == parser->end)
        {
            return fail_at(parser, begin, "the string does not end");
        }
        RBL_TRY(*parser->at == '\\' ? parse_escape(parser) : parse_plain(parser));
    }
    parser->at += 1;
    node.as.span.count = (uint32_t)(characters->count - node.as.span.first);
    return put_characters(parser, "", 1) ? push_node(parser, node) : rbl_fail_memory();
}

static rblResult parse_key(Parser* parser)
{
    skip_space(parser);
    if (!next_is(parser, '"'))
    {
        return fail_at(parser, parser->at, "expected a key in quotes");
    }
    RBL_TRY(parse_string(parser));
    skip_space(parser);
    if (!next_is(parser, ':'))
    {
        return fail_at(parser, parser->at, "expected ':' after a key");
    }
    parser->at += 1;
    return RBL_OK;
}

// ---- containers ----

static bool key_is_before(uint32_t a, uint32_t b, const void* context)
{
    const rblJsonDocument* document = context;
    return rbl_json_compare_keys(document, &document->nodes.data[a], &document->nodes.data[b]) < 0;
}

static rblResult fail_duplicate(const Parser* parser, const rblJsonNode* first, const rblJsonNode* second)
{
    const rblJsonDocument* document = parser->document;
    char key[64];
    rbl_json_printable(document->characters.data + second->as.span.first, second->as.span.count, key,
                       sizeof key);
    uint32_t line, column, second_line, second_column;
    rbl_json_locate(document, first->offset, &line, &column);
    rbl_json_locate(document, second->offset, &second_line, &second_column);
    return rbl_fail(RBL_ERROR_FORMAT, "%s:%u:%u: the key \"%s\" was given before, at %u:%u",
                    rbl_short_name(document->name), second_line, second_column, key, line, column);
}

// Few members: all pairs are compared; rbl_json_find() searches linearly too.
static rblResult check_few_keys(const Parser* parser, const rblJsonNode* object)
{
    if (object->as.span.count == 0)
    {
        return RBL_OK;
    }
    const rblJsonNode* nodes = &parser->document->nodes.data[object->as.span.first];
    for (uint32_t i = 1; i < object->as.span.count; ++i)
    {
        for (uint32_t j = 0; j < i; ++j)
        {
            if (rbl_json_compare_keys(parser->document, &nodes[2 * j], &nodes[2 * i]) == 0)
            {
                return fail_duplicate(parser, &nodes[2 * j], &nodes[2 * i]);
            }
        }
    }
    return RBL_OK;
}

// Many members: sorted, so that duplicates are adjacent and look-ups use binary search. No hash table, because a file
// could be constructed with collisions.
static rblResult sort_keys(Parser* parser, rblJsonNode* object)
{
    rblJsonDocument* document = parser->document;
    const uint32_t count = object->as.span.count;
    const size_t begin = document->sorted.count;
    if (!rbl_array_reserve_more(&document->sorted, count) || !rbl_array_resize(&parser->scratch, count))
    {
        return rbl_fail_memory();
    }
    object->sorted = (uint32_t)begin;
    document->sorted.count += count;
    uint32_t* keys = document->sorted.data + begin;
    for (uint32_t i = 0; i < count; ++i)
    {
        keys[i] = object->as.span.first + 2 * i;
    }
    rbl_sort_indices(keys, parser->scratch.data, count, key_is_before, document);
    for (uint32_t i = 1; i < count; ++i)
    {
        const rblJsonNode* first = &document->nodes.data[keys[i - 1]];
        const rblJsonNode* second = &document->nodes.data[keys[i]];
        if (rbl_json_compare_keys(document, first, second) == 0)
        {
            return fail_duplicate(parser, first, second);
        }
    }
    return RBL_OK;
}

// Move `count` nodes from the end of the stack to the end of the document.
static rblResult settle(Parser* parser, size_t count)
{
    rblJsonDocument* document = parser->document;
    const size_t first = document->nodes.count;
    if (!rbl_array_reserve_more(&document->nodes, count))
    {
        return rbl_fail_memory();
    }
    parser->pending.count -= count;
    for (size_t i = 0; i < count; ++i)
    {
        const rblJsonNode* node = &parser->pending.data[parser->pending.count + i];
        document->nodes.data[first + i] = *node;
        if (node->type < RBL_JSON_ARRAY)
        {
            continue;
        }
        const uint32_t children = node->as.span.count << (node->type == RBL_JSON_OBJECT);
        for (uint32_t c = 0; c < children; ++c)
        {
            document->nodes.data[node->as.span.first + c].parent = (uint32_t)(first + i);
        }
    }
    document->nodes.count += count;
    return RBL_OK;
}

static rblResult close_container(Parser* parser)
{
    parser->at += 1;
    const OpenContainer* open = &parser->open[--parser->depth];
    const size_t count = parser->pending.count - open->first_pending;
    rblJsonNode node = {.offset = open->offset, .parent = RBL_JSON_NO_NODE};
    node.type = open->object ? RBL_JSON_OBJECT : RBL_JSON_ARRAY;
    node.as.span.first = (uint32_t)parser->document->nodes.count;
    node.as.span.count = (uint32_t)(open->object ? count / 2 : count);
    RBL_TRY(settle(parser, count));
    if (open->object)
    {
        const bool few = node.as.span.count <= RBL_JSON_FEW_MEMBERS;
        RBL_TRY(few ? check_few_keys(parser, &node) : sort_keys(parser, &node));
    }
    return push_node(parser, node);
}

// *complete: the value is finished (a scalar, or an empty container); otherwise its first child follows.
static rblResult open_container(Parser* parser, bool* complete)
{
    const bool object = *parser->at == '{';
    if (parser->depth == RBL_JSON_MAX_DEPTH)
    {
        uint32_t line, column;
        rbl_json_locate(parser->document, (size_t)(parser->at - parser->document->text), &line, &column);
        return rbl_fail(RBL_ERROR_LIMIT, "%s:%u:%u: nested deeper than %d levels",
                        rbl_short_name(parser->document->name), line, column, RBL_JSON_MAX_DEPTH);
    }
    parser->open[parser->depth++] =
        (OpenContainer){parser->pending.count, (uint32_t)(parser->at - parser->document->text), object};
    parser->at += 1;
    skip_space(parser);
    *complete = next_is(parser, object ? '}' : ']');
    if (*complete)
    {
        return close_container(parser);
    }
    return object ? parse_key(parser) : RBL_OK;
}

static rblResult parse_word(Parser* parser)
{
    static const struct
    {
        const char* word;
        size_t length;
        rblJsonType type;
        bool value;
    } words[] = {{"null", 4, RBL_JSON_NULL, false},
                 {"true", 4, RBL_JSON_BOOL, true},
                 {"false", 5, RBL_JSON_BOOL, false}};
    for (size_t i = 0; i < sizeof words / sizeof *words; ++i)
    {
        const size_t left = (size_t)(parser->end - parser->at);
        if (left >= words[i].length && memcmp(parser->at, words[i].word, words[i].length) == 0)
        {
            rblJsonNode node = new_node(parser, words[i].type);
            node.as.boolean = words[i].value;
            parser->at += words[i].length;
            return push_node(parser, node);
        }
    }
    return fail_at(parser, parser->at,
                   parser->at == parser->end ? "the text ends early" : "expected a JSON value");
}

static rblResult parse_value(Parser* parser, bool* complete)
{
    skip_space(parser);
    *complete = true;
    const char next = parser->at < parser->end ? *parser->at : '\0';
    if (next == '{' || next == '[')
    {
        return open_container(parser, complete);
    }
    if (next == '"')
    {
        return parse_string(parser);
    }
    return next == '-' || next_is_digit(parser) ? parse_number(parser) : parse_word(parser);
}

// The text after a complete value inside a container: a comma and the next child, or the end of the container.
static rblResult parse_after_value(Parser* parser, bool* complete)
{
    const bool object = parser->open[parser->depth - 1].object;
    skip_space(parser);
    if (next_is(parser, object ? '}' : ']'))
    {
        return close_container(parser);
    }
    if (!next_is(parser, ','))
    {
        return fail_at(parser, parser->at, object ? "expected ',' or '}'" : "expected ',' or ']'");
    }
    parser->at += 1;
    *complete = false;
    return object ? parse_key(parser) : RBL_OK;
}

static rblResult parse_text(Parser* parser)
{
    bool complete = false;
    while (!complete)
    {
        RBL_TRY(parse_value(parser, &complete));
        while (complete && parser->depth > 0)
        {
            RBL_TRY(parse_after_value(parser, &complete));
        }
    }
    skip_space(parser);
    if (parser->at != parser->end)
    {
        return fail_at(parser, parser->at, "more text after the end of the value");
    }
    RBL_TRY(settle(parser, 1));
    parser->document->root = (uint32_t)(parser->document->nodes.count - 1);
    return RBL_OK;
}

static rblResult parse_into(rblJsonDocument* document, const rblAllocator* allocator)
{
    Parser parser = {.document = document, .at = document->text, .end = document->text + document->size};
    rbl_array_init(&parser.pending, allocator);
    rbl_array_init(&parser.scratch, allocator);
    if (document->size >= 3 && memcmp(document->text, "\xEF\xBB\xBF", 3) == 0)
    {
        parser.at += 3;
    }
    const rblResult result = parse_text(&parser);
    rbl_array_free(&parser.pending);
    rbl_array_free(&parser.scratch);
    return result;
}

rblResult rbl_json_parse(rblJsonDocument* document, const char* text, size_t size, const char* name,
                         const rblAllocator* allocator)
{
    if (size >= UINT32_MAX)
    {
        return rbl_fail(RBL_ERROR_LIMIT, "%s: JSON of 4 GiB or more", rbl_short_name(name));
    }
    rblJsonDocument made = {.name = name, .text = text != NULL ? text : "", .size = size};
    rbl_array_init(&made.nodes, allocator);
    rbl_array_init(&made.characters, allocator);
    rbl_array_init(&made.sorted, allocator);
    const rblResult result = parse_into(&made, allocator);
    if (result != RBL_OK)
    {
        rbl_json_free(&made);
        return result;
    }
    *document = made;
    return RBL_OK;
}
