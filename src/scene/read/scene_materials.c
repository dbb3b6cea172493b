// Materials of a scene: its own and presets.
#include "io/json/json_values.h"
#include "scene/read/scene.h"
#include <string.h>

static const char* const material_keys[] = {"preset",       "density", "friction", "restitution",
                                            "young",        "poisson", "strength", "surfaceEnergy",
                                            "breakImpulse", "color",   NULL};

// Colours of presets, in the order of rbl_material_preset_names(): linear red, green, blue.
static const float preset_colors[][3] = {
    {0.55f, 0.75f, 0.78f}, // glass
    {0.80f, 0.78f, 0.72f}, // ceramic
    {0.40f, 0.39f, 0.37f}, // concrete
    {0.33f, 0.31f, 0.28f}, // stone
    {0.75f, 0.73f, 0.68f}, // plaster
    {0.62f, 0.80f, 0.90f}, // ice
    {0.40f, 0.23f, 0.10f}, // wood
    {0.48f, 0.16f, 0.07f}, // clay
    {0.45f, 0.46f, 0.48f}, // steel
    {0.04f, 0.04f, 0.045f} // rubber
};
#define PRESET_STONE 3

static uint32_t preset_count(void)
{
    uint32_t count = 0;
    while (rbl_material_preset_names()[count] != NULL)
    {
        ++count;
    }
    return count;
}

static rblResult use_preset(const char* name, uint32_t preset, rblSceneMaterial* out)
{
    const uint32_t color_count = sizeof preset_colors / sizeof preset_colors[0];
    RBL_TRY(rbl_material_preset(rbl_material_preset_names()[preset], &out->values));
    out->name = name;
    out->preset = rbl_material_preset_names()[preset];
    memcpy(out->color, preset_colors[preset < color_count ? preset : PRESET_STONE], sizeof out->color);
    return RBL_OK;
}

static uint32_t find_preset(const char* name)
{
    uint32_t preset = 0;
    while (preset < preset_count() && strcmp(rbl_material_preset_names()[preset], name) != 0)
    {
        ++preset;
    }
    return preset;
}

rblResult rbl_scene_material_preset(const char* name, rblSceneMaterial* out)
{
    if (name == NULL || out == NULL)
    {
        return rbl_fail(RBL_ERROR_ARGUMENT, "scene: name and out must not be null");
    }
    const uint32_t preset = find_preset(name);
    return preset < preset_count() ? use_preset(rbl_material_preset_names()[preset], preset, out)
                                   : rbl_fail(RBL_ERROR_ARGUMENT, "no material '%.100s'", name);
}

static rblResult add(rblScene* scene, const rblSceneMaterial* material)
{
    const bool added = rbl_array_push(&scene->materials, *material) &&
                       rbl_scene_names_add(&scene->material_names, material->name);
    return added ? RBL_OK : rbl_fail_memory();
}

static rblResult check_share(rblJson object, const char* key, float value, float lowest, float highest,
                             const char* range)
{
    const rblJson at = rbl_json_find(object, key);
    return value >= lowest && value <= highest ? RBL_OK
                                               : rbl_json_fail(at, RBL_ERROR_FORMAT, "must be %s", range);
}

static rblResult read_color(rblJson json, float color[3])
{
    const rblJson value = rbl_json_find(json, "color");
    rblVec3 rgb = {color[0], color[1], color[2]};
    if (rbl_json_exists(value))
    {
        RBL_TRY(rbl_get_vector(value, RBL_NOT_NEGATIVE, &rgb));
        if (rgb.x > 1.0f || rgb.y > 1.0f || rgb.z > 1.0f)
        {
            return rbl_json_fail(value, RBL_ERROR_FORMAT,
                                 "red, green and blue are (%g, %g, %g), must be 0 to 1", RBL_XYZ(rgb));
        }
    }
    color[0] = rgb.x;
    color[1] = rgb.y;
    color[2] = rgb.z;
    return RBL_OK;
}

static rblResult read_values(rblJson json, rblMaterial* m)
{
    RBL_TRY(rbl_optional_float(json, "density", RBL_POSITIVE, &m->density));
    RBL_TRY(rbl_optional_float(json, "friction", RBL_NOT_NEGATIVE, &m->friction));
    RBL_TRY(rbl_optional_float(json, "restitution", RBL_NOT_NEGATIVE, &m->restitution));
    RBL_TRY(check_share(json, "restitution", m->restitution, 0.0f, 1.0f, "0 to 1"));
    RBL_TRY(rbl_optional_float(json, "young", RBL_POSITIVE, &m->young));
    RBL_TRY(rbl_optional_float(json, "poisson", RBL_ANY_NUMBER, &m->poisson));
    RBL_TRY(check_share(json, "poisson", m->poisson, -0.999999f, 0.499999f, "between -1 and 0.5"));
    RBL_TRY(rbl_optional_float(json, "strength", RBL_NOT_NEGATIVE, &m->strength));
    RBL_TRY(rbl_optional_float(json, "surfaceEnergy", RBL_NOT_NEGATIVE, &m->surface_energy));
    return rbl_optional_float(json, "breakImpulse", RBL_NOT_NEGATIVE, &m->break_impulse);
}

static rblResult read_material(rblScene* scene, rblJson json, const char* name)
{
    RBL_TRY(rbl_check_keys(json, material_keys));
    uint32_t preset = PRESET_STONE;
    const rblJson chosen = rbl_json_find(json, "preset");
    if (rbl_json_exists(chosen))
    {
        RBL_TRY(rbl_get_choice(chosen, "preset", rbl_material_preset_names(), &preset));
    }
    rblSceneMaterial material;
    RBL_TRY(use_preset(name, preset, &material));
    RBL_TRY(read_color(json, material.color));
    RBL_TRY(read_values(json, &material.values));
    return add(scene, &material);
}

rblResult rbl_scene_read_materials(rblScene* scene, rblJson root)
{
    const rblJson materials = rbl_json_find(root, "materials");
    if (!rbl_json_exists(materials))
    {
        return RBL_OK;
    }
    RBL_TRY(rbl_json_expect(materials, RBL_JSON_OBJECT));
    for (uint32_t i = 0; i < rbl_json_count(materials); ++i)
    {
        rblJson key;
        const char* name = NULL;
        const rblJson material = rbl_json_member_at(materials, i, &key);
        RBL_TRY(rbl_json_get_string(key, &name));
        RBL_TRY(read_material(scene, material, name));
    }
    return RBL_OK;
}

static rblResult fail_unknown(const rblScene* scene, rblJson value)
{
    const char* text = NULL;
    RBL_TRY(rbl_json_get_string(value, &text));
    rblSceneNames all;
    rbl_scene_names_init(&all, scene->allocator);
    bool ok = true;
    for (size_t i = 0; ok && i < scene->material_names.names.count; ++i)
    {
        ok = rbl_array_push(&all.names, scene->material_names.names.data[i]);
    }
    for (uint32_t i = 0; ok && i < preset_count(); ++i)
    {
        ok = rbl_array_push(&all.names, rbl_material_preset_names()[i]);
    }
    const rblResult result =
        ok ? rbl_fail_unknown(value, "material", all.names.data, (uint32_t)all.names.count)
           : rbl_fail_memory();
    rbl_scene_names_free(&all);
    return result;
}

rblResult rbl_scene_lookup_material(rblScene* scene, rblJson value, uint32_t* out)
{
    const char* name = "stone";
    if (rbl_json_exists(value))
    {
        RBL_TRY(rbl_json_get_string(value, &name));
    }
    *out = rbl_scene_names_find(&scene->material_names, name);
    if (*out != RBL_NONE)
    {
        return RBL_OK;
    }
    if (find_preset(name) < preset_count())
    {
        rblSceneMaterial material;
        RBL_TRY(rbl_scene_material_preset(name, &material));
        *out = (uint32_t)scene->materials.count;
        return add(scene, &material);
    }
    return fail_unknown(scene, value);
}
