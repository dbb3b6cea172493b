// Names of patterns, and presets of materials.
#include "base/def.h"
#include "base/error.h"
#include "fracture/pattern/pattern.h"
#include "math/vec.h"
#include "rubble/material.h"
#include "rubble/text.h"
#include <string.h>

#define MAX_ASPECT 1000.0 // largest aspect; the smallest is its inverse

const char* const rbl_pattern_words[RBL_PATTERN_FILE + 1] = {"radial",    "voronoi", "clustered", "slabs",
                                                             "splinters", "bricks",  "planes",    NULL};

const char* rbl_pattern_kind_name(rblPatternKind kind)
{
    return (uint32_t)kind < RBL_PATTERN_FILE ? rbl_pattern_words[kind]
           : kind == RBL_PATTERN_FILE        ? "file"
                                             : "none";
}

rblResult rbl_pattern_kind_from_name(const char* name, rblPatternKind* out)
{
    if (name == NULL || out == NULL)
    {
        return rbl_fail(RBL_ERROR_ARGUMENT, "pattern: name and out must not be null");
    }
    for (uint32_t k = 0; k < RBL_PATTERN_FILE; ++k)
    {
        if (strcmp(name, rbl_pattern_words[k]) == 0)
        {
            *out = (rblPatternKind)k;
            return RBL_OK;
        }
    }
    return rbl_fail(
        RBL_ERROR_ARGUMENT,
        "pattern: '%.60s' is unknown, must be one of radial voronoi clustered slabs splinters bricks planes",
        name);
}

RBL_DEF_KIND(pattern_def, rblPatternDef, "pattern", rbl_default_pattern_def, 0x50415431u);

void rbl_pattern_def_init(rblPatternDef* def, size_t size)
{
    const rblPatternDef defaults = {.kind = RBL_PATTERN_CLUSTERED, .pieces = 25, .seed = 1, .jitter = 0.5};
    rbl_def_init(&pattern_def, &defaults, def, size);
}

typedef struct Preset
{
    const char* material;
    rblPatternKind kind;
    double jitter;
} Preset;

static const Preset presets[] = {
    {"glass", RBL_PATTERN_RADIAL, 0.5},       {"ceramic", RBL_PATTERN_RADIAL, 0.8},
    {"concrete", RBL_PATTERN_CLUSTERED, 0.6}, {"stone", RBL_PATTERN_VORONOI, 0.6},
    {"plaster", RBL_PATTERN_CLUSTERED, 0.9},  {"ice", RBL_PATTERN_RADIAL, 1.0},
    {"wood", RBL_PATTERN_SPLINTERS, 0.5},     {"clay", RBL_PATTERN_CLUSTERED, 0.3},
    {"steel", RBL_PATTERN_VORONOI, 0.5},      {"rubber", RBL_PATTERN_VORONOI, 0.5},
};

rblResult rbl_pattern_preset(const char* material, rblPatternDef* out)
{
    rblMaterial known;
    rblPatternDef def = rbl_default_pattern_def();
    RBL_TRY(rbl_material_preset(material, &known));
    for (size_t p = 0; p < sizeof presets / sizeof *presets; ++p)
    {
        if (strcmp(material, presets[p].material) == 0)
        {
            def.kind = presets[p].kind;
            def.jitter = presets[p].jitter;
        }
    }
    return rbl_def_write(&pattern_def, &def, out);
}

static rblResult check_length(double value, const char* name)
{
    return value >= 0.0 && rbl_finite(value)
               ? RBL_OK
               : rbl_fail(RBL_ERROR_ARGUMENT, "pattern: %s is %g, must be 0 or a positive number", name,
                          value);
}

static rblResult check_def(const rblPatternDef* def)
{
    if ((uint32_t)def->kind >= RBL_PATTERN_KIND_COUNT)
    {
        return rbl_fail(RBL_ERROR_ARGUMENT, "pattern: kind is %d, must be 0 to %d", (int)def->kind,
                        RBL_PATTERN_KIND_COUNT - 1);
    }
    if (def->kind == RBL_PATTERN_FILE && (def->file == NULL || def->file[0] == '\0'))
    {
        return rbl_fail(RBL_ERROR_ARGUMENT, "pattern: the path of the file must not be null");
    }
    if (def->pieces < 1 || def->pieces > RBL_PATTERN_MAX_PIECES)
    {
        return rbl_fail(RBL_ERROR_ARGUMENT, "pattern: pieces is %u, must be 1 to %d", def->pieces,
                        RBL_PATTERN_MAX_PIECES);
    }
    if (!(def->jitter >= 0.0 && def->jitter <= 1.0))
    {
        return rbl_fail(RBL_ERROR_ARGUMENT, "pattern: jitter is %g, must be 0 to 1", def->jitter);
    }
    if (!rbl_finite3d(def->axis))
    {
        return rbl_fail(RBL_ERROR_ARGUMENT, "pattern: axis is (%g, %g, %g), must be finite",
                        RBL_XYZ(def->axis));
    }
    RBL_TRY(check_length(def->size, "size"));
    RBL_TRY(check_length(def->radius, "radius"));
    RBL_TRY(check_length(def->falloff, "falloff"));
    RBL_TRY(check_length(def->noise, "noise"));
    RBL_TRY(check_length(def->noise_length, "noise_length"));
    RBL_TRY(check_length(def->aspect, "aspect"));
    const bool usable = def->aspect == 0.0 || (def->aspect >= 1.0 / MAX_ASPECT && def->aspect <= MAX_ASPECT);
    return usable ? RBL_OK
                  : rbl_fail(RBL_ERROR_ARGUMENT, "pattern: aspect must be 0 or from %g to %g",
                             1.0 / MAX_ASPECT, MAX_ASPECT);
}

rblResult rbl_pattern_read(const rblPatternDef* given, rblPatternDef* out)
{
    *out = rbl_default_pattern_def();
    RBL_TRY(rbl_def_read(&pattern_def, given, out));
    return check_def(out);
}

rblResult rbl_pattern_check(const rblPatternDef* given)
{
    rblPatternDef def;
    return rbl_pattern_read(given, &def);
}
