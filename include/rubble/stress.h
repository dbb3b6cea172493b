/// The stress breaker: a body is filled with tetrahedra, impacts are turned into stress in it, cracks begin where tension exceeds the
/// strength and grow across it for as long as the elastic energy that they set free pays for them (docs/stress.md).
#ifndef RUBBLE_STRESS_H
#define RUBBLE_STRESS_H

#include "rubble/breaker.h"

RBL_EXTERN_C_BEGIN

/// How strength and toughness vary in space, in the axes of the shape that is broken first. All factors multiply.
typedef struct rblStrengthVariation
{
    float noise;         ///< 0 to 0.99: both are 1 - noise to 1 times the material's, at random; default 0.2
    float noise_length;  ///< m, from weak to strong; 0, the default: a tenth of the body's length
    rblVec3 layer_axis;  ///< across layers; zero, the default: there are none
    float layer_spacing; ///< m, from one weak layer to the next
    float layer_thickness; ///< m, of weak ones
    float layer_factor;    ///< above 0, at most 1: of those
    /// Null, or a NRRD file of positive factors (uint8, uint16: 255 and 65535 are 1; float, double: as they are), spread over the
    /// shape's box. Read when the breaker is made.
    const char* grid_file;
} rblStrengthVariation;

/// Start from rbl_default_stress_def() and change fields.
typedef struct rblStressDef
{
    uint32_t struct_size;   ///< bytes of this struct; set by rbl_default_stress_def()
    uint32_t cookie;        ///< set by rbl_default_stress_def()
    uint32_t tetrahedra;    ///< to fill a body with, at least; default 8000
    double edge;            ///< m, of tetrahedra at the surface; 0, the default: by `tetrahedra`
    uint32_t max_fragments; ///< of one break; default 64
    float smallest;       ///< fragments smaller than this part of the body's volume are merged; default 1e-3
    uint32_t generations; ///< how often pieces of pieces break: 1, only the body itself; default 2
    float smallest_body;  ///< m: pieces that are shorter than this in all directions stay whole; default 0.02
    /// 0, the default: the stress of an impact on a whole body is solved for. Else so many modes of it are found when it is prepared, and
    /// the stress is what they represent of the impact: sooner known, and as good as they are many. Fragments are always solved for.
    uint32_t modes;
    /// Steps after a break at which fragments get hierarchies of samples of their own, made in the meantime beside the simulation; 0, the
    /// default: they keep those of their parents, updated.
    uint32_t rebuild;
    uint64_t seed;                  ///< of the noise
    rblStrengthVariation variation; ///< of the strength from point to point; last, as it may grow
} rblStressDef;

/// The defaults named above.
RBL_API void rbl_stress_def_init(rblStressDef* def, size_t size);
static inline rblStressDef rbl_default_stress_def(void)
{
    rblStressDef def;
    rbl_stress_def_init(&def, sizeof def);
    return def;
}

/// Make one. Refused: numbers that are not finite or out of their ranges, a grid file that cannot be read or has factors that are
/// not positive and finite, with the location.
RBL_API rblResult rbl_breaker_create_stress(const rblStressDef* def, rblBreakerId* out);

RBL_EXTERN_C_END

#endif
