#include "io/gltf/gltf_private.h"

#include <string.h>

// Extensions that change the look of a surface but not its geometry.
static bool is_harmless(const char* extension)
{
    static const char* const prefixes[] = {"KHR_materials_", "KHR_texture_",  "EXT_texture_",
                                           "MSFT_texture_",  "KHR_lights_",   "KHR_mesh_quantization",
                                           "KHR_xmp",        "KHR_animation_"};
    for (size_t i = 0; i < sizeof prefixes / sizeof *prefixes; ++i)
    {
        if (strncmp(extension, prefixes[i], strlen(prefixes[i])) == 0)
        {
            return true;
        }
    }
    return false;
}

static rblResult check_extensions(rblJson root)
{
    const rblJson required = rbl_json_find(root, "extensionsRequired");
    if (!rbl_json_exists(required))
    {
        return RBL_OK;
    }
    RBL_TRY(rbl_json_expect(required, RBL_JSON_ARRAY));
    for (uint32_t i = 0; i < rbl_json_count(required); ++i)
    {
        const char* name;
        RBL_TRY(rbl_json_get_string(rbl_json_item(required, i), &name));
        if (!is_harmless(name))
        {
            return rbl_json_fail(rbl_json_item(required, i), RBL_ERROR_UNSUPPORTED,
                                 "the file needs the extension %.64s, which Rubble does not read", name);
        }
    }
    return RBL_OK;
}

// Minor versions only add features (3.2): any 2.x can be read unless it declares a higher minimum version.
static rblResult check_version(rblJson root)
{
    rblJson asset, version;
    const char* text;
    const char* least = "2.0";
    RBL_TRY(rbl_json_require(root, "asset", &asset));
    RBL_TRY(rbl_json_require(asset, "version", &version));
    RBL_TRY(rbl_json_get_string(version, &text));
    RBL_TRY(rbl_json_optional_string(asset, "minVersion", &least));
    if (strncmp(text, "2.", 2) != 0 || strcmp(least, "2.0") != 0)
    {
        return rbl_json_fail(version, RBL_ERROR_UNSUPPORTED, "glTF %.16s, must be 2.0", text);
    }
    return RBL_OK;
}

static rblResult find_list(rblJson root, const char* key, rblJson* out)
{
    *out = rbl_json_find(root, key);
    if (!rbl_json_exists(*out))
    {
        return RBL_OK;
    }
    RBL_TRY(rbl_json_expect(*out, RBL_JSON_ARRAY));
    for (uint32_t i = 0; i < rbl_json_count(*out); ++i)
    {
        RBL_TRY(rbl_json_expect(rbl_json_item(*out, i), RBL_JSON_OBJECT));
    }
    return RBL_OK;
}

static rblResult find_lists(rblGltf* gltf)
{
    const rblJson root = rbl_json_root(&gltf->document);
    RBL_TRY(rbl_json_expect(root, RBL_JSON_OBJECT));
    RBL_TRY(check_version(root));
    RBL_TRY(check_extensions(root));
    RBL_TRY(find_list(root, "buffers", &gltf->buffers));
    RBL_TRY(find_list(root, "bufferViews", &gltf->views));
    RBL_TRY(find_list(root, "accessors", &gltf->accessors));
    RBL_TRY(find_list(root, "meshes", &gltf->meshes));
    RBL_TRY(find_list(root, "nodes", &gltf->nodes));
    return find_list(root, "materials", &gltf->materials);
}

static rblResult make_slots(rblGltf* gltf)
{
    const size_t buffers = rbl_json_count(gltf->buffers);
    const size_t accessors = rbl_json_count(gltf->accessors);
    gltf->buffer_slots = rbl_alloc_zero(gltf->source->allocator, buffers * sizeof *gltf->buffer_slots);
    gltf->accessor_slots = rbl_alloc_zero(gltf->source->allocator, accessors * sizeof *gltf->accessor_slots);
    const bool ok =
        (gltf->buffer_slots != NULL || buffers == 0) && (gltf->accessor_slots != NULL || accessors == 0);
    return ok ? RBL_OK : rbl_fail_memory();
}

rblResult rbl_gltf_open(rblGltf* gltf, const rblSource* source, const char* text, size_t size)
{
    const rblJson absent = {&gltf->document, RBL_JSON_NO_NODE};
    gltf->source = source;
    gltf->buffers = gltf->views = gltf->accessors = gltf->meshes = gltf->nodes = gltf->materials = absent;
    RBL_TRY(rbl_json_parse(&gltf->document, text, size, source->name, source->allocator));
    rblResult result = find_lists(gltf);
    result = result == RBL_OK ? make_slots(gltf) : result;
    if (result != RBL_OK)
    {
        rbl_gltf_close(gltf);
    }
    return result;
}

void rbl_gltf_close(rblGltf* gltf)
{
    const uint32_t buffers = rbl_json_count(gltf->buffers);
    for (uint32_t i = 0; gltf->buffer_slots != NULL && i < buffers; ++i)
    {
        rbl_file_bytes_free(&gltf->buffer_slots[i].owned);
    }
    RBL_FREE_ARRAY(gltf->source->allocator, gltf->buffer_slots, buffers);
    RBL_FREE_ARRAY(gltf->source->allocator, gltf->accessor_slots, rbl_json_count(gltf->accessors));
    gltf->buffer_slots = NULL;
    gltf->accessor_slots = NULL;
    rbl_json_free(&gltf->document);
}

rblResult rbl_gltf_refer(rblJson value, rblJson list, const char* what, uint32_t* index)
{
    uint32_t read;
    RBL_TRY(rbl_json_get_u32(value, &read));
    if (read >= rbl_json_count(list))
    {
        return rbl_json_fail(value, RBL_ERROR_FORMAT, "there is no %s %u: the file has %u", what, read,
                             rbl_json_count(list));
    }
    *index = read;
    return RBL_OK;
}

void rbl_gltf_warn(rblGltf* gltf, rblJson where, rblGltfLeftOut what)
{
    static const char* const messages[RBL_GLTF_LEFT_OUT_COUNT] = {
        "points and lines are left out", "morph targets are left out",
        "the skin is left out, the mesh keeps its rest pose"};
    if (!gltf->warned[what])
    {
        char path[64];
        rbl_json_path(where, path, sizeof path);
        rbl_warn_line(gltf->source, NULL, "%s: %s, here or below", path, messages[what]);
        gltf->warned[what] = true;
    }
}
