// What a scene says about breaking: methods, patterns, anchors; and the breakers made from it.
#include "io/file.h"
#include "io/json/json_values.h"
#include "scene/read/scene.h"
#include <math.h>
#include <stdio.h>
#include <string.h>

static const char* const fracture_keys[] = {
    "method",   "pattern",   "pieces",   "radius",        "falloff",    "jitter",       "noise",
    "aspect",   "axis",      "seed",     "crumbs",        "accumulate", "generations",  "aligned",
    "lifetime", "smallest",  "thinnest", "mostFragments", "share",      "smallestBody", "tetrahedra",
    "edge",     "variation", "modes",    "rebuild",       NULL};
static const char* const variation_keys[] = {"noise", "noiseLength", "layers", "grid", NULL};
static const char* const layer_keys[] = {"axis", "spacing", "thickness", "factor", NULL};
static const char* const fracture_methods[] = {"none", "prescored", "voronoi", "stress", "xfem", NULL};
static const char* const fracture_patterns[] = {"radial",    "voronoi", "clustered", "slabs",
                                                "splinters", "bricks",  "planes",    NULL};
static const char* const crumb_policies[] = {"merge", "debris", NULL}; // as rblCrumbs
static const char* const anchor_keys[] = {"box", NULL};

const char* rbl_fracture_method_name(rblFractureMethod method)
{
    return (uint32_t)method < RBL_FRACTURE_METHOD_COUNT ? fracture_methods[method] : "unknown";
}

// ---- patterns ----

static rblResult read_pattern(rblJson json, rblPatternDef* out)
{
    const char* text = NULL;
    RBL_TRY(rbl_json_get_string(json, &text));
    for (uint32_t i = 0; fracture_patterns[i] != NULL; ++i)
    {
        if (strcmp(fracture_patterns[i], text) == 0)
        {
            return rbl_pattern_kind_from_name(text, &out->kind);
        }
    }
    // What looks like a file must be there when the scene is prepared.
    if (strchr(text, '.') == NULL)
    {
        return rbl_fail_unknown(json, "pattern", fracture_patterns,
                                sizeof fracture_patterns / sizeof fracture_patterns[0] - 1);
    }
    out->kind = RBL_PATTERN_FILE;
    out->file = text;
    return RBL_OK;
}

static rblResult read_length(rblJson json, const char* key, double* out)
{
    float value = (float)*out;
    RBL_TRY(rbl_optional_float(json, key, RBL_NOT_NEGATIVE, &value));
    *out = (double)value;
    return RBL_OK;
}

static rblResult read_pieces(rblJson json, uint32_t* pieces)
{
    RBL_TRY(rbl_json_optional_u32(json, "pieces", pieces));
    return *pieces >= 1 && *pieces <= RBL_PATTERN_MAX_PIECES
               ? RBL_OK
               : rbl_json_fail(rbl_json_find(json, "pieces"), RBL_ERROR_FORMAT, "must be 1 to %u",
                               RBL_PATTERN_MAX_PIECES);
}

static rblResult read_pattern_numbers(rblJson json, rblPatternDef* pattern)
{
    uint32_t seed = (uint32_t)pattern->seed;
    rblVec3 axis = {0, 0, 0};
    RBL_TRY(read_pieces(json, &pattern->pieces));
    RBL_TRY(read_length(json, "radius", &pattern->radius));
    RBL_TRY(read_length(json, "falloff", &pattern->falloff));
    RBL_TRY(read_length(json, "jitter", &pattern->jitter));
    RBL_TRY(read_length(json, "noise", &pattern->noise));
    RBL_TRY(read_length(json, "aspect", &pattern->aspect));
    RBL_TRY(rbl_json_optional_u32(json, "seed", &seed));
    RBL_TRY(rbl_optional_vector(json, "axis", &axis));
    if (pattern->jitter > 1.0)
    {
        return rbl_json_fail(rbl_json_find(json, "jitter"), RBL_ERROR_FORMAT, "must be 0 to 1");
    }
    pattern->seed = seed;
    pattern->axis = (rblVec3d){(double)axis.x, (double)axis.y, (double)axis.z};
    return RBL_OK;
}

// ---- breakers ----

static rblResult read_policies(rblJson json, rblPrescoredDef* def)
{
    const rblJson crumbs = rbl_json_find(json, "crumbs");
    uint32_t policy = def->crumbs;
    if (rbl_json_exists(crumbs))
    {
        RBL_TRY(rbl_get_choice(crumbs, "way with crumbs", crumb_policies, &policy));
    }
    def->crumbs = (rblCrumbs)policy;
    RBL_TRY(rbl_optional_float(json, "lifetime", RBL_NOT_NEGATIVE, &def->lifetime));
    RBL_TRY(rbl_optional_float(json, "smallest", RBL_NOT_NEGATIVE, &def->smallest));
    if (!(def->smallest < 1.0f))
    {
        return rbl_json_fail(rbl_json_find(json, "smallest"), RBL_ERROR_FORMAT, "must be below 1");
    }
    RBL_TRY(rbl_optional_float(json, "thinnest", RBL_NOT_NEGATIVE, &def->thinnest));
    RBL_TRY(rbl_json_optional_u32(json, "mostFragments", &def->most_fragments));
    RBL_TRY(rbl_json_optional_bool(json, "accumulate", &def->accumulate));
    return rbl_json_optional_bool(json, "aligned", &def->aligned);
}

static rblResult read_recursion(rblJson json, rblPrescoredDef* def)
{
    RBL_TRY(rbl_optional_float(json, "share", RBL_NOT_NEGATIVE, &def->share));
    RBL_TRY(rbl_optional_float(json, "smallestBody", RBL_NOT_NEGATIVE, &def->smallest_body));
    return rbl_json_optional_u32(json, "generations", &def->generations);
}

// Without a pattern a body breaks like what its material began as.
static rblResult read_breaker(const rblScene* scene, rblJson json, uint32_t material, rblPrescoredDef* def)
{
    const rblJson pattern = rbl_json_find(json, "pattern");
    *def = rbl_default_prescored_def();
    if (rbl_json_exists(pattern))
    {
        RBL_TRY(read_pattern(pattern, &def->pattern));
    }
    else
    {
        RBL_TRY(rbl_pattern_preset(scene->materials.data[material].preset, &def->pattern));
    }
    RBL_TRY(read_pattern_numbers(json, &def->pattern));
    RBL_TRY(read_policies(json, def));
    return read_recursion(json, def);
}

// ---- by stress ----

static rblResult read_layers(rblJson json, rblStrengthVariation* out)
{
    RBL_TRY(rbl_check_keys(json, layer_keys));
    out->layer_axis = (rblVec3){0, 1, 0};
    out->layer_factor = 0.5f;
    RBL_TRY(rbl_optional_vector(json, "axis", &out->layer_axis));
    RBL_TRY(rbl_optional_float(json, "spacing", RBL_POSITIVE, &out->layer_spacing));
    out->layer_thickness = 0.1f * out->layer_spacing;
    RBL_TRY(rbl_optional_float(json, "thickness", RBL_POSITIVE, &out->layer_thickness));
    return rbl_optional_float(json, "factor", RBL_POSITIVE, &out->layer_factor);
}

static rblResult read_variation(rblJson json, rblStrengthVariation* out)
{
    const rblJson layers = rbl_json_find(json, "layers");
    const rblJson grid = rbl_json_find(json, "grid");
    RBL_TRY(rbl_check_keys(json, variation_keys));
    RBL_TRY(rbl_optional_float(json, "noise", RBL_NOT_NEGATIVE, &out->noise));
    RBL_TRY(rbl_optional_float(json, "noiseLength", RBL_NOT_NEGATIVE, &out->noise_length));
    RBL_TRY(rbl_json_exists(layers) ? read_layers(layers, out) : RBL_OK);
    return rbl_json_exists(grid) ? rbl_json_get_string(grid, &out->grid_file) : RBL_OK;
}

static rblResult read_stress(rblJson json, rblStressDef* def)
{
    const rblJson variation = rbl_json_find(json, "variation");
    uint32_t seed = 1;
    *def = rbl_default_stress_def();
    RBL_TRY(rbl_json_optional_u32(json, "tetrahedra", &def->tetrahedra));
    RBL_TRY(read_length(json, "edge", &def->edge));
    RBL_TRY(rbl_json_optional_u32(json, "mostFragments", &def->most_fragments));
    RBL_TRY(rbl_optional_float(json, "smallest", RBL_NOT_NEGATIVE, &def->smallest));
    RBL_TRY(rbl_optional_float(json, "smallestBody", RBL_NOT_NEGATIVE, &def->smallest_body));
    RBL_TRY(rbl_json_optional_u32(json, "generations", &def->generations));
    RBL_TRY(rbl_json_optional_u32(json, "modes", &def->modes));
    RBL_TRY(rbl_json_optional_u32(json, "rebuild", &def->rebuild));
    RBL_TRY(rbl_json_optional_u32(json, "seed", &seed));
    def->seed = seed;
    return rbl_json_exists(variation) ? read_variation(variation, &def->variation) : RBL_OK;
}

static bool is_same_variation(const rblStrengthVariation* a, const rblStrengthVariation* b)
{
    return a->noise == b->noise && a->noise_length == b->noise_length && a->layer_axis.x == b->layer_axis.x &&
           a->layer_axis.y == b->layer_axis.y && a->layer_axis.z == b->layer_axis.z &&
           a->layer_spacing == b->layer_spacing && a->layer_thickness == b->layer_thickness &&
           a->layer_factor == b->layer_factor && a->grid_file == NULL && b->grid_file == NULL;
}

// Bodies that break alike share a breaker, and with it what is known of their shape: to fill one takes a while.
static uint32_t find_same_stress(const rblScene* scene, const rblStressDef* def)
{
    for (uint32_t i = 0; i < scene->breakers.count; ++i)
    {
        const rblStressDef* other = &scene->breakers.data[i].stress;
        if (scene->breakers.data[i].method == RBL_FRACTURE_STRESS && other->tetrahedra == def->tetrahedra &&
            other->edge == def->edge && other->modes == def->modes && other->rebuild == def->rebuild &&
            other->most_fragments == def->most_fragments && other->smallest == def->smallest &&
            other->generations == def->generations && other->smallest_body == def->smallest_body &&
            other->seed == def->seed && is_same_variation(&other->variation, &def->variation))
        {
            return i;
        }
    }
    return RBL_NONE;
}

// ---- all of them ----

static rblResult add_breaker(rblScene* scene, rblJson json, const rblSceneBreaker* def)
{
    return rbl_array_push(&scene->breakers, *def) && rbl_array_push(&scene->breaker_jsons, json)
               ? RBL_OK
               : rbl_fail_memory();
}

rblResult rbl_read_fracture(rblScene* scene, rblJson body, rblSceneBody* out)
{
    const rblJson json = rbl_json_find(body, "fracture");
    uint32_t method = RBL_FRACTURE_NONE;
    rblSceneBreaker def;
    out->breaker = RBL_NONE;
    out->fracture = RBL_FRACTURE_NONE;
    if (!rbl_json_exists(json))
    {
        return RBL_OK;
    }
    RBL_TRY(rbl_check_keys(json, fracture_keys));
    const rblJson chosen = rbl_json_find(json, "method");
    if (rbl_json_exists(chosen))
    {
        RBL_TRY(rbl_get_choice(chosen, "method of fracture", fracture_methods, &method));
    }
    RBL_TRY(read_breaker(scene, json, out->material, &def.prescored));
    RBL_TRY(read_stress(json, &def.stress));
    def.method = (rblFractureMethod)method;
    out->fracture = def.method;
    if (method != RBL_FRACTURE_PRESCORED && method != RBL_FRACTURE_STRESS)
    {
        // Files are looked for, whatever the method is.
        return def.prescored.pattern.kind == RBL_PATTERN_FILE ? add_breaker(scene, json, &def) : RBL_OK;
    }
    if (scene->shape_defs.data[out->shape].source == RBL_SOURCE_PLANE)
    {
        return rbl_json_fail(json, RBL_ERROR_FORMAT, "a plane has no end and cannot break");
    }
    out->breaker = method == RBL_FRACTURE_STRESS ? find_same_stress(scene, &def.stress) : RBL_NONE;
    if (out->breaker != RBL_NONE)
    {
        return RBL_OK;
    }
    out->breaker = (uint32_t)scene->breakers.count;
    return add_breaker(scene, json, &def);
}

static rblResult find_pattern_file(rblScene* scene, uint32_t index, rblPatternDef* pattern)
{
    if (pattern->kind != RBL_PATTERN_FILE)
    {
        return RBL_OK;
    }
    pattern->file = rbl_scene_path(scene, pattern->file);
    if (pattern->file == NULL)
    {
        return rbl_fail_memory();
    }
    FILE* opened = fopen(pattern->file, "rb");
    if (opened == NULL)
    {
        return rbl_json_fail(rbl_json_find(scene->breaker_jsons.data[index], "pattern"), RBL_ERROR_FILE,
                             "no pattern and no file '%.200s'", rbl_short_name(pattern->file));
    }
    fclose(opened);
    return RBL_OK;
}

static rblResult make_stress(rblScene* scene, uint32_t index, rblBreakerId* out)
{
    rblStressDef def = scene->breakers.data[index].stress;
    if (def.variation.grid_file != NULL)
    {
        def.variation.grid_file = rbl_scene_path(scene, def.variation.grid_file);
        RBL_TRY(def.variation.grid_file != NULL ? RBL_OK : rbl_fail_memory());
    }
    const rblResult result = rbl_breaker_create_stress(&def, out);
    return result == RBL_OK ? RBL_OK : rbl_fail_at(scene->breaker_jsons.data[index], result);
}

static rblResult make_breaker(rblScene* scene, uint32_t index, rblBreakerId* out)
{
    rblPrescoredDef def = scene->breakers.data[index].prescored;
    RBL_TRY(find_pattern_file(scene, index, &def.pattern));
    if (scene->breakers.data[index].method == RBL_FRACTURE_STRESS)
    {
        return make_stress(scene, index, out);
    }
    const rblResult result = rbl_breaker_create_prescored(&def, out);
    return result == RBL_OK ? RBL_OK : rbl_fail_at(scene->breaker_jsons.data[index], result);
}

rblResult rbl_prepare_breakers(rblScene* scene)
{
    if (!rbl_array_reserve(&scene->breaker_ids, scene->breakers.count))
    {
        return rbl_fail_memory();
    }
    for (uint32_t i = 0; i < scene->breakers.count; ++i)
    {
        rblBreakerId id;
        RBL_TRY(make_breaker(scene, i, &id));
        scene->breaker_ids.data[scene->breaker_ids.count++] = id;
    }
    return RBL_OK;
}

void rbl_discard_breakers(rblScene* scene)
{
    for (size_t i = 0; i < scene->breaker_ids.count; ++i)
    {
        (void)rbl_breaker_destroy(scene->breaker_ids.data[i]);
    }
    rbl_array_clear(&scene->breaker_ids);
}

// ---- anchors ----

static rblResult read_anchor_box(rblJson anchor, rblAabb* out)
{
    rblJson box;
    RBL_TRY(rbl_check_keys(anchor, anchor_keys));
    RBL_TRY(rbl_json_require(anchor, "box", &box));
    RBL_TRY(rbl_json_expect(box, RBL_JSON_ARRAY));
    if (rbl_json_count(box) != 2)
    {
        return rbl_json_fail(box, RBL_ERROR_FORMAT,
                             "expected [[x, y, z], [x, y, z]]: lower and upper corner");
    }
    RBL_TRY(rbl_get_vector(rbl_json_item(box, 0), RBL_ANY_NUMBER, &out->lower));
    RBL_TRY(rbl_get_vector(rbl_json_item(box, 1), RBL_ANY_NUMBER, &out->upper));
    if (!(out->lower.x < out->upper.x && out->lower.y < out->upper.y && out->lower.z < out->upper.z))
    {
        return rbl_json_fail(box, RBL_ERROR_FORMAT, "the lower corner must be below the upper one");
    }
    return RBL_OK;
}

rblResult rbl_read_anchor(rblJson body, rblSceneBody* out)
{
    static const char* const words[] = {"touch", "bottom", "none", NULL};
    static const rblAnchorKind kinds[] = {RBL_ANCHOR_TOUCH, RBL_ANCHOR_BOTTOM, RBL_ANCHOR_NONE};
    const rblJson anchor = rbl_json_find(body, "anchor");
    uint32_t word = 0;
    out->anchor = (rblAnchor){.kind = RBL_ANCHOR_TOUCH};
    if (!rbl_json_exists(anchor))
    {
        return RBL_OK;
    }
    if (out->type != RBL_BODY_STATIC)
    {
        return rbl_json_fail(anchor, RBL_ERROR_FORMAT, "only a static body can be anchored");
    }
    if (!rbl_json_is(anchor, RBL_JSON_STRING))
    {
        out->anchor.kind = RBL_ANCHOR_BOX;
        return read_anchor_box(anchor, &out->anchor.box);
    }
    RBL_TRY(rbl_get_choice(anchor, "anchor", words, &word));
    out->anchor.kind = kinds[word];
    return RBL_OK;
}
