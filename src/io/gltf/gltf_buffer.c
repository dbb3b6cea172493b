// The sources of the bytes: the binary chunk, a data URI, or a file in the same folder.
#include "io/compress/base64.h"
#include "io/gltf/gltf_private.h"
#include <string.h>

// ---- URIs ----

static bool has_scheme(const char* uri)
{
    for (const char* c = uri; *c != '\0' && *c != '/' && *c != '?' && *c != '#'; ++c)
    {
        if (*c == ':')
        {
            return true;
        }
    }
    return false;
}

static int hex_value(char c)
{
    const char lower = (char)(c | 0x20);
    if (c >= '0' && c <= '9')
    {
        return c - '0';
    }
    return lower >= 'a' && lower <= 'f' ? lower - 'a' + 10 : -1;
}

// Decode %XX in place. False for a percent sign without two digits and for characters that file names must not
// contain.
static bool decode_percent(char* text)
{
    char* out = text;
    for (const char* c = text; *c != '\0'; ++c)
    {
        char decoded = *c;
        if (decoded == '%')
        {
            const int high = hex_value(c[1]);
            const int low = high >= 0 ? hex_value(c[2]) : -1;
            if (low < 0)
            {
                return false;
            }
            decoded = (char)(unsigned char)(high * 16 + low);
            c += 2;
        }
        if ((unsigned char)decoded < 0x20 || decoded == '\\' || decoded == ':')
        {
            return false;
        }
        *out++ = decoded;
    }
    *out = '\0';
    return true;
}

// True when ".." leaves the starting folder, anywhere in the path.
static bool leaves_folder(const char* path)
{
    int depth = 0;
    while (*path != '\0')
    {
        const size_t length = strcspn(path, "/");
        if (length == 2 && path[0] == '.' && path[1] == '.')
        {
            depth -= 1;
        }
        else if (length > 0 && !(length == 1 && path[0] == '.'))
        {
            depth += 1;
        }
        if (depth < 0)
        {
            return true;
        }
        path += length + (path[length] == '/');
    }
    return depth == 0; // the path is the folder itself
}

static rblResult check_uri(const char* uri, char* name)
{
    if (has_scheme(uri))
    {
        return rbl_fail(RBL_ERROR_UNSUPPORTED,
                        "only data URIs and files in the same folder are supported, not \"%.100s\"", uri);
    }
    if (!decode_percent(name))
    {
        return rbl_fail(RBL_ERROR_FORMAT, "\"%.100s\" is not the name of a file", uri);
    }
    if (name[0] == '/' || leaves_folder(name))
    {
        return rbl_fail(RBL_ERROR_UNSUPPORTED, "\"%.100s\" is not a file beside this one", uri);
    }
    return RBL_OK;
}

rblResult rbl_gltf_resolve(const char* uri, const char* base, const rblAllocator* allocator, char** out,
                           size_t* size)
{
    size_t folder = strlen(base);
    while (folder > 0 && base[folder - 1] != '/')
    {
        folder -= 1;
    }
    const size_t length = strlen(uri);
    const size_t bytes = folder + length + 1;
    char* path = rbl_alloc(allocator, bytes);
    if (path == NULL)
    {
        return rbl_fail_memory();
    }
    memcpy(path, base, folder);
    memcpy(path + folder, uri, length + 1);
    const rblResult result = check_uri(uri, path + folder);
    if (result != RBL_OK)
    {
        rbl_free(allocator, path, bytes);
        return result;
    }
    *out = path;
    *size = bytes;
    return RBL_OK;
}

// ---- buffers ----

static rblResult load_file(rblGltf* gltf, rblJson uri, const char* text, rblGltfBuffer* slot)
{
    const rblSource* source = gltf->source;
    char* path;
    size_t path_size;
    if (source->path == NULL)
    {
        return rbl_json_fail(uri, RBL_ERROR_UNSUPPORTED,
                             "\"%.100s\" cannot be found: this file came from memory", text);
    }
    rblResult result = rbl_gltf_resolve(text, source->path, source->allocator, &path, &path_size);
    if (result == RBL_OK)
    {
        const size_t left = source->max_bytes - (size_t)gltf->loaded_bytes;
        result = rbl_file_read(path, left, source->allocator, &slot->owned);
        rbl_free(source->allocator, path, path_size);
    }
    return result != RBL_OK ? rbl_json_fail(uri, result, "%s", rbl_last_error()) : RBL_OK;
}

// data:[type][;parameters];base64,DATA (RFC 2397)
static rblResult load_data_uri(rblGltf* gltf, rblJson uri, const char* text, rblGltfBuffer* slot)
{
    const char* comma = strchr(text, ',');
    if (comma == NULL || comma - text < 7 || strncmp(comma - 7, ";base64", 7) != 0)
    {
        return rbl_json_fail(uri, RBL_ERROR_UNSUPPORTED, "the data URI is not base64");
    }
    const char* digits = comma + 1;
    const size_t length = strlen(digits);
    const size_t capacity = length / 4 * 3 + 3;
    if (capacity > gltf->source->max_bytes - gltf->loaded_bytes)
    {
        return rbl_json_fail(uri, RBL_ERROR_LIMIT, "the buffers need more than %zu bytes",
                             gltf->source->max_bytes);
    }
    slot->owned = (rblFileBytes){.allocator = gltf->source->allocator, .capacity = capacity};
    slot->owned.bytes = rbl_alloc(gltf->source->allocator, capacity);
    if (slot->owned.bytes == NULL)
    {
        return rbl_fail_memory();
    }
    if (!rbl_base64_decode(digits, length, slot->owned.bytes, &slot->owned.size))
    {
        return rbl_json_fail(uri, RBL_ERROR_FORMAT, "the data is not valid base64");
    }
    return RBL_OK;
}

static rblResult load_uri(rblGltf* gltf, rblJson uri, rblGltfBuffer* slot)
{
    const char* text;
    RBL_TRY(rbl_json_get_string(uri, &text));
    const bool data = strncmp(text, "data:", 5) == 0;
    RBL_TRY(data ? load_data_uri(gltf, uri, text, slot) : load_file(gltf, uri, text, slot));
    gltf->loaded_bytes += slot->owned.size;
    slot->bytes = slot->owned.bytes;
    slot->size = slot->owned.size;
    return RBL_OK;
}

static rblResult load_buffer(rblGltf* gltf, uint32_t index, rblGltfBuffer* slot)
{
    const rblJson buffer = rbl_json_item(gltf->buffers, index);
    const rblJson uri = rbl_json_find(buffer, "uri");
    rblJson length;
    uint64_t bytes;
    RBL_TRY(rbl_json_require(buffer, "byteLength", &length));
    RBL_TRY(rbl_json_get_u64(length, &bytes));
    if (rbl_json_exists(uri))
    {
        rbl_file_bytes_free(&slot->owned); // of an attempt that failed
        RBL_TRY(load_uri(gltf, uri, slot));
    }
    else if (index == 0 && gltf->binary != NULL)
    {
        slot->bytes = gltf->binary;
        slot->size = gltf->binary_size;
    }
    else
    {
        return rbl_json_fail(buffer, RBL_ERROR_FORMAT,
                             "the buffer has no uri and the file no binary chunk for it");
    }
    if (bytes > slot->size)
    {
        return rbl_json_fail(length, RBL_ERROR_FORMAT, "%llu bytes are needed, but there are only %zu",
                             (unsigned long long)bytes, slot->size);
    }
    slot->size = (size_t)bytes;
    slot->loaded = true;
    return RBL_OK;
}

rblResult rbl_gltf_view(rblGltf* gltf, rblJson reference, const uint8_t** bytes, size_t* size, size_t* stride)
{
    uint32_t view_index, buffer_index;
    uint64_t offset = 0;
    uint64_t length;
    uint32_t step = 0;
    rblJson buffer, length_value;
    RBL_TRY(rbl_gltf_refer(reference, gltf->views, "buffer view", &view_index));
    const rblJson view = rbl_json_item(gltf->views, view_index);
    RBL_TRY(rbl_json_require(view, "buffer", &buffer));
    RBL_TRY(rbl_gltf_refer(buffer, gltf->buffers, "buffer", &buffer_index));
    RBL_TRY(rbl_json_require(view, "byteLength", &length_value));
    RBL_TRY(rbl_json_get_u64(length_value, &length));
    RBL_TRY(rbl_json_optional_u64(view, "byteOffset", &offset));
    RBL_TRY(rbl_json_optional_u32(view, "byteStride", &step));
    rblGltfBuffer* slot = &gltf->buffer_slots[buffer_index];
    if (!slot->loaded)
    {
        RBL_TRY(load_buffer(gltf, buffer_index, slot));
    }
    if (offset > slot->size || length > slot->size - offset)
    {
        return rbl_json_fail(view, RBL_ERROR_FORMAT, "the view ends after its buffer of %zu bytes",
                             slot->size);
    }
    *bytes = slot->bytes + offset;
    *size = (size_t)length;
    *stride = step;
    return RBL_OK;
}
