// Material presets: density kg/m^3, friction, restitution, Young's modulus Pa, Poisson's ratio, tensile strength Pa, surface
// energy J/m^2 per face. Handbook values, rounded.
#include "rubble/material.h"
#include "base/error.h"
#include <string.h>

static const char* const names[] = {"glass", "ceramic", "concrete", "stone",  "plaster", "ice",
                                    "wood",  "clay",    "steel",    "rubber", NULL};

#define PRESET(d, f, r, e, p, s, g)                                                                          \
    {                                                                                                        \
        .density = d, .friction = f, .restitution = r, .young = e, .poisson = p, .strength = s,              \
        .surface_energy = g                                                                                  \
    }

static const rblMaterial presets[] = {
    PRESET(2500.0f, 0.40f, 0.10f, 7.0e10f, 0.22f, 4.0e7f, 8.0f),
    PRESET(2400.0f, 0.45f, 0.10f, 7.5e10f, 0.20f, 3.0e7f, 15.0f),
    PRESET(2400.0f, 0.65f, 0.05f, 3.0e10f, 0.20f, 3.0e6f, 50.0f),
    PRESET(2600.0f, 0.60f, 0.10f, 5.0e10f, 0.25f, 1.0e7f, 40.0f),
    PRESET(1100.0f, 0.55f, 0.05f, 4.5e9f, 0.24f, 2.5e6f, 5.0f),
    PRESET(917.0f, 0.05f, 0.10f, 9.0e9f, 0.33f, 1.5e6f, 0.5f),
    PRESET(650.0f, 0.45f, 0.15f, 1.1e10f, 0.35f, 5.0e7f, 200.0f),
    PRESET(1900.0f, 0.60f, 0.05f, 1.5e10f, 0.20f, 5.0e6f, 10.0f),
    PRESET(7850.0f, 0.50f, 0.30f, 2.0e11f, 0.29f, 4.0e8f, 5.0e4f),
    PRESET(1150.0f, 0.90f, 0.70f, 5.0e7f, 0.49f, 1.5e7f, 5.0e3f),
};

const char* const* rbl_material_preset_names(void)
{
    return names;
}

rblResult rbl_material_preset(const char* name, rblMaterial* out)
{
    if (name == NULL || out == NULL)
    {
        return rbl_fail(RBL_ERROR_ARGUMENT, "material: name and out must not be null");
    }
    for (size_t i = 0; names[i] != NULL; ++i)
    {
        if (strcmp(name, names[i]) == 0)
        {
            *out = presets[i];
            return RBL_OK;
        }
    }
    return rbl_fail(
        RBL_ERROR_ARGUMENT,
        "material: no preset '%s' (glass ceramic concrete stone plaster ice wood clay steel rubber)", name);
}
