#include "io/json/json.h"

#include "base/assert.h"
#include "base/number.h"
#include "io/file.h"
#include "io/json/json_private.h"
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

void rbl_json_free(rblJsonDocument* document)
{
    rbl_array_free(&document->nodes);
    rbl_array_free(&document->characters);
    rbl_array_free(&document->sorted);
}

void rbl_json_locate(const rblJsonDocument* document, size_t offset, uint32_t* line, uint32_t* column)
{
    *line = 1;
    *column = 1;
    for (size_t i = 0; i < offset; ++i)
    {
        const unsigned char byte = (unsigned char)document->text[i];
        const bool split = byte == '\r' && i + 1 < document->size && document->text[i + 1] == '\n';
        if (byte == '\n' || (byte == '\r' && !split))
        {
            *line += 1;
            *column = 1;
        }
        else if ((byte & 0xC0) != 0x80) // continuation bytes belong to the character before them
        {
            *column += 1;
        }
    }
}

int rbl_json_compare_keys(const rblJsonDocument* document, const rblJsonNode* a, const rblJsonNode* b)
{
    const uint32_t shorter = a->as.span.count < b->as.span.count ? a->as.span.count : b->as.span.count;
    const char* characters = document->characters.data;
    const int order = memcmp(characters + a->as.span.first, characters + b->as.span.first, shorter);
    return order != 0 ? order : (a->as.span.count > b->as.span.count) - (a->as.span.count < b->as.span.count);
}

void rbl_json_printable(const char* text, size_t length, char* out, size_t size)
{
    size_t used = 0;
    for (size_t i = 0; i < length && used + 1 < size; ++i)
    {
        const unsigned char byte = (unsigned char)text[i];
        out[used++] = byte < 0x20 || byte == 0x7F ? '?' : text[i];
    }
    out[used] = '\0';
}

static const rblJsonNode* node_of(rblJson value)
{
    return &value.document->nodes.data[value.node];
}

static rblJson at_node(rblJson value, uint32_t node)
{
    return (rblJson){value.document, node};
}

static rblJson absent(rblJson value)
{
    return at_node(value, RBL_JSON_NO_NODE);
}

rblJson rbl_json_root(const rblJsonDocument* document)
{
    return (rblJson){document, document->root};
}

bool rbl_json_is(rblJson value, rblJsonType type)
{
    return rbl_json_exists(value) && node_of(value)->type == type;
}

uint32_t rbl_json_count(rblJson value)
{
    return rbl_json_exists(value) && node_of(value)->type >= RBL_JSON_ARRAY ? node_of(value)->as.span.count
                                                                            : 0;
}

rblJson rbl_json_item(rblJson array, uint32_t index)
{
    const bool found = rbl_json_is(array, RBL_JSON_ARRAY) && index < node_of(array)->as.span.count;
    return found ? at_node(array, node_of(array)->as.span.first + index) : absent(array);
}

rblJson rbl_json_member_at(rblJson object, uint32_t index, rblJson* key)
{
    const bool found = rbl_json_is(object, RBL_JSON_OBJECT) && index < node_of(object)->as.span.count;
    const uint32_t place = found ? node_of(object)->as.span.first + 2 * index : RBL_JSON_NO_NODE;
    if (key != NULL)
    {
        *key = at_node(object, place);
    }
    return found ? at_node(object, place + 1) : absent(object);
}

// Compare `key` with the key at a node, as rbl_json_compare_keys() does.
static int compare_with_key(const rblJsonDocument* document, const char* key, size_t length, uint32_t node)
{
    const rblJsonNode* other = &document->nodes.data[node];
    const size_t shorter = length < other->as.span.count ? length : other->as.span.count;
    const int order = memcmp(key, document->characters.data + other->as.span.first, shorter);
    return order != 0 ? order : (length > other->as.span.count) - (length < other->as.span.count);
}

static rblJson find_sorted(rblJson object, const char* key, size_t length)
{
    const rblJsonNode* node = node_of(object);
    const uint32_t* keys = object.document->sorted.data + node->sorted;
    uint32_t low = 0;
    uint32_t high = node->as.span.count;
    while (low < high)
    {
        const uint32_t middle = low + (high - low) / 2;
        const int order = compare_with_key(object.document, key, length, keys[middle]);
        if (order == 0)
        {
            return at_node(object, keys[middle] + 1);
        }
        low = order > 0 ? middle + 1 : low;
        high = order > 0 ? high : middle;
    }
    return absent(object);
}

rblJson rbl_json_find(rblJson object, const char* key)
{
    if (!rbl_json_is(object, RBL_JSON_OBJECT))
    {
        return absent(object);
    }
    const size_t length = strlen(key);
    const rblJsonNode* node = node_of(object);
    if (node->as.span.count > RBL_JSON_FEW_MEMBERS)
    {
        return find_sorted(object, key, length);
    }
    for (uint32_t i = 0; i < node->as.span.count; ++i)
    {
        const uint32_t place = node->as.span.first + 2 * i;
        if (compare_with_key(object.document, key, length, place) == 0)
        {
            return at_node(object, place + 1);
        }
    }
    return absent(object);
}

// Line and column of a value, both counted from 1; columns count characters.
static void find_position(rblJson value, uint32_t* line, uint32_t* column)
{
    rbl_json_locate(value.document, node_of(value)->offset, line, column);
}

// ---- paths ----

static bool is_plain_name(const char* text, size_t length)
{
    for (size_t i = 0; i < length; ++i)
    {
        const char lower = (char)(text[i] | 0x20);
        const bool digit = text[i] >= '0' && text[i] <= '9';
        if (!(lower >= 'a' && lower <= 'z') && text[i] != '_' && !(digit && i > 0))
        {
            return false;
        }
    }
    return length > 0;
}

// One step of a path: "[3]", ".name" or "["odd name"]". `first`: without a leading dot.
static void write_step(rblJson value, bool first, char* out, size_t size)
{
    const rblJsonNode* node = node_of(value);
    const rblJsonNode* parent = &value.document->nodes.data[node->parent];
    const uint32_t place = value.node - parent->as.span.first;
    if (parent->type == RBL_JSON_ARRAY)
    {
        snprintf(out, size, "[%u]", place);
        return;
    }
    const rblJsonNode* key = &value.document->nodes.data[parent->as.span.first + (place & ~1u)];
    const char* text = value.document->characters.data + key->as.span.first;
    char name[64];
    rbl_json_printable(text, key->as.span.count, name, sizeof name);
    const bool plain = is_plain_name(text, key->as.span.count);
    snprintf(out, size, plain ? (first ? "%s" : ".%s") : "[\"%s\"]", name);
}

void rbl_json_path(rblJson value, char* out, size_t size)
{
    // Written from the end of the buffer backwards, because values know only their parents.
    char step[80];
    size_t begin = size - 1;
    out[begin] = '\0';
    while (node_of(value)->parent != RBL_JSON_NO_NODE)
    {
        const rblJson parent = at_node(value, node_of(value)->parent);
        write_step(value, node_of(parent)->parent == RBL_JSON_NO_NODE, step, sizeof step);
        const size_t length = strlen(step);
        if (length + 3 > begin)
        {
            begin -= 3;
            memcpy(out + begin, "...", 3);
            break;
        }
        begin -= length;
        memcpy(out + begin, step, length);
        value = parent;
    }
    memmove(out, out + begin, size - begin);
}

// ---- getters ----

rblResult rbl_json_fail(rblJson value, rblResult result, const char* format, ...)
{
    char message[RBL_ERROR_TEXT_SIZE];
    char path[160];
    uint32_t line, column;
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(message, sizeof message, format, arguments);
    va_end(arguments);
    rbl_json_printable(message, strlen(message), message, sizeof message); // the message may quote the file
    rbl_json_path(value, path, sizeof path);
    find_position(value, &line, &column);
    return rbl_fail(result, "%s:%u:%u: %s%s%s", rbl_short_name(value.document->name), line, column, path,
                    path[0] != '\0' ? ": " : "", message);
}

rblResult rbl_json_expect(rblJson value, rblJsonType type)
{
    static const char* const names[] = {"null",     "true or false", "a number",
                                        "a string", "an array",      "an object"};
    RBL_ASSERT(rbl_json_exists(value));
    const rblJsonType found = node_of(value)->type;
    return found == type
               ? RBL_OK
               : rbl_json_fail(value, RBL_ERROR_FORMAT, "expected %s, found %s", names[type], names[found]);
}

rblResult rbl_json_get_number(rblJson value, double* out)
{
    RBL_TRY(rbl_json_expect(value, RBL_JSON_NUMBER));
    *out = node_of(value)->as.number;
    return RBL_OK;
}

rblResult rbl_json_get_bool(rblJson value, bool* out)
{
    RBL_TRY(rbl_json_expect(value, RBL_JSON_BOOL));
    *out = node_of(value)->as.boolean;
    return RBL_OK;
}

// Parse the digits in the text again, because a 64-bit number may not fit in a double. False when they are not plain
// digits or the number is too large.
static bool read_digits(rblJson value, uint64_t* out)
{
    const char* at = value.document->text + node_of(value)->offset;
    const char* end = value.document->text + value.document->size;
    uint64_t sum = 0;
    for (; at < end && *at >= '0' && *at <= '9'; ++at)
    {
        const uint64_t digit = (uint64_t)(*at - '0');
        if (sum > (UINT64_MAX - digit) / 10)
        {
            return false;
        }
        sum = sum * 10 + digit;
    }
    *out = sum;
    return at == end || (*at != '.' && *at != 'e' && *at != 'E' && *at != '-');
}

rblResult rbl_json_get_u64(rblJson value, uint64_t* out)
{
    double number;
    uint64_t digits = 0;
    RBL_TRY(rbl_json_get_number(value, &number));
    const bool plain = read_digits(value, &digits);
    // Integers written with a point or an exponent are exact up to 2^53.
    const bool whole = number >= 0.0 && number <= 9007199254740992.0 && number == (double)(uint64_t)number;
    if (!plain && !whole)
    {
        return rbl_json_fail(value, RBL_ERROR_FORMAT, "expected an integer from 0 to 18446744073709551615");
    }
    *out = plain ? digits : (uint64_t)number;
    return RBL_OK;
}

rblResult rbl_json_get_u32(rblJson value, uint32_t* out)
{
    double number;
    RBL_TRY(rbl_json_get_number(value, &number));
    if (!(number >= 0.0 && number <= (double)UINT32_MAX && number == (double)(uint32_t)number))
    {
        return rbl_json_fail(value, RBL_ERROR_FORMAT, "expected an integer from 0 to 4294967295");
    }
    *out = (uint32_t)number;
    return RBL_OK;
}

rblResult rbl_json_get_string(rblJson value, const char** out)
{
    RBL_TRY(rbl_json_expect(value, RBL_JSON_STRING));
    const char* text = value.document->characters.data + node_of(value)->as.span.first;
    if (memchr(text, '\0', node_of(value)->as.span.count) != NULL)
    {
        return rbl_json_fail(value, RBL_ERROR_FORMAT, "the string contains a zero character");
    }
    *out = text;
    return RBL_OK;
}

rblResult rbl_json_get_numbers(rblJson value, double* out, uint32_t count)
{
    RBL_TRY(rbl_json_expect(value, RBL_JSON_ARRAY));
    if (rbl_json_count(value) != count)
    {
        return rbl_json_fail(value, RBL_ERROR_FORMAT, "expected %u numbers, found %u", count,
                             rbl_json_count(value));
    }
    for (uint32_t i = 0; i < count; ++i)
    {
        RBL_TRY(rbl_json_expect(rbl_json_item(value, i), RBL_JSON_NUMBER));
    }
    for (uint32_t i = 0; i < count; ++i)
    {
        out[i] = node_of(rbl_json_item(value, i))->as.number;
    }
    return RBL_OK;
}

rblResult rbl_json_require(rblJson object, const char* key, rblJson* out)
{
    RBL_TRY(rbl_json_expect(object, RBL_JSON_OBJECT));
    const rblJson found = rbl_json_find(object, key);
    if (!rbl_json_exists(found))
    {
        return rbl_json_fail(object, RBL_ERROR_FORMAT, "\"%s\" is missing", key);
    }
    *out = found;
    return RBL_OK;
}

rblResult rbl_json_optional_number(rblJson object, const char* key, double* out)
{
    const rblJson value = rbl_json_find(object, key);
    return rbl_json_exists(value) ? rbl_json_get_number(value, out) : RBL_OK;
}

rblResult rbl_json_optional_bool(rblJson object, const char* key, bool* out)
{
    const rblJson value = rbl_json_find(object, key);
    return rbl_json_exists(value) ? rbl_json_get_bool(value, out) : RBL_OK;
}

rblResult rbl_json_optional_u32(rblJson object, const char* key, uint32_t* out)
{
    const rblJson value = rbl_json_find(object, key);
    return rbl_json_exists(value) ? rbl_json_get_u32(value, out) : RBL_OK;
}

rblResult rbl_json_optional_u64(rblJson object, const char* key, uint64_t* out)
{
    const rblJson value = rbl_json_find(object, key);
    return rbl_json_exists(value) ? rbl_json_get_u64(value, out) : RBL_OK;
}

rblResult rbl_json_optional_string(rblJson object, const char* key, const char** out)
{
    const rblJson value = rbl_json_find(object, key);
    return rbl_json_exists(value) ? rbl_json_get_string(value, out) : RBL_OK;
}
