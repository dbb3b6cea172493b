// The stress breaker as a kind: its parameters in files.
#include "fracture/breaker_kinds.h"
#include "fracture/stress/stress_private.h"

#define MAX_TETRAHEDRA 4000000.0 // of a body

#define ROW(name, kind, field)                                                                               \
    .key = name, .type = RBL_PARAMETER_##kind, .offset = offsetof(rblStressDef, field)
#define NOT_NEGATIVE .max = RBL_PARAMETER_UNLIMITED

static const rblParameter layers[] = {
    {ROW("axis", VECTOR, variation.layer_axis),
     .about =
         "across weak layers, in the shape's axes; zero: there are none; default y where there is a spacing"},
    {ROW("spacing", FLOAT, variation.layer_spacing), NOT_NEGATIVE, .required = true,
     .about = "m, from one weak layer to the next"},
    {ROW("thickness", FLOAT, variation.layer_thickness), NOT_NEGATIVE,
     .about = "m, of each; default a tenth of the spacing"},
    {ROW("factor", FLOAT, variation.layer_factor), .max = 1.0, .about = "of their strength; default 0.5"},
    {.type = RBL_PARAMETER_END},
};

static const rblParameter variation[] = {
    {ROW("noise", FLOAT, variation.noise), .max = 0.99,
     .about = "strength and toughness are 1 - noise to 1 times the material's"},
    {ROW("noiseLength", FLOAT, variation.noise_length), .max = 1e6,
     .about = "m, from weak to strong; 0: a tenth of the body's length"},
    {.key = "layers", .type = RBL_PARAMETER_GROUP, .group = layers, .about = "weak layers"},
    {ROW("grid", FILE, variation.grid_file), .about = "a NRRD file of factors over the shape's box"},
    {.type = RBL_PARAMETER_END},
};

static const rblParameter parameters[] = {
    {ROW("tetrahedra", U32, tetrahedra), .max = MAX_TETRAHEDRA,
     .about = "smallest number of tetrahedra "
              "in the body"},
    {ROW("edge", DOUBLE, edge), NOT_NEGATIVE, .about = "m, of tetrahedra at the surface; 0: by `tetrahedra`"},
    {ROW("mostFragments", U32, max_fragments), .min = 2.0, .max = UINT32_MAX, .about = "of one break"},
    {ROW("smallest", FLOAT, smallest), .max = 1.0, .max_excluded = true,
     .about = "part of the body's volume: smaller fragments are merged"},
    {ROW("generations", U32, generations),
     .about = "how often pieces of pieces break: 1, only the body itself"},
    {ROW("smallestBody", FLOAT, smallest_body), NOT_NEGATIVE,
     .about = "m: pieces that are shorter than this in all directions stay whole"},
    {ROW("modes", U32, modes),
     .about = "number of modes of the whole body for a faster stress of impacts; 0: solve for each impact"},
    {ROW("rebuild", U32, rebuild),
     .about = "steps after a break until fragments get sample hierarchies of their own; 0: never"},
    {.key = "variation",
     .type = RBL_PARAMETER_GROUP,
     .group = variation,
     .about = "how strength and toughness vary in space"},
    {ROW("seed", U64, seed), .about = "of the noise"},
    {.type = RBL_PARAMETER_END},
};

static void set_defaults(void* def)
{
    rbl_stress_def_init(def, sizeof(rblStressDef));
}

// Weak layers in a file get default axis, thickness and factor.
static rblResult complete(void* def, uint64_t given, const char* material)
{
    (void)given;
    (void)material;
    rblStrengthVariation* v = &((rblStressDef*)def)->variation;
    const bool flat = v->layer_axis.x == 0.0f && v->layer_axis.y == 0.0f && v->layer_axis.z == 0.0f;
    if (v->layer_spacing > 0.0f)
    {
        v->layer_axis = flat ? (rblVec3){0.0f, 1.0f, 0.0f} : v->layer_axis;
        v->layer_thickness = v->layer_thickness == 0.0f ? 0.1f * v->layer_spacing : v->layer_thickness;
        v->layer_factor = v->layer_factor == 0.0f ? 0.5f : v->layer_factor;
    }
    return RBL_OK;
}

static const rblBreakerKindInternals internals = {rbl_stress_find_origin, rbl_stress_restore_event};

const rblBreakerKind rbl_stress_kind = {
    .name = "stress",
    .about = "cracks grow through the tetrahedra of a body where tension exceeds its strength",
    .def_size = sizeof(rblStressDef),
    .parameters = parameters,
    .set_defaults = set_defaults,
    .complete = complete,
    .create = rbl_stress_create,
    .put_data = rbl_stress_put_data,
    .internals = &internals,
};
