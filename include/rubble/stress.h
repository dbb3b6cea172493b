/// The stress breaker: a body is filled with tetrahedra, the stress of its impacts is computed, cracks start where the tension exceeds
/// the strength and grow across it as long as the elastic energy that they release pays for their surface (docs/stress.md).
#ifndef RUBBLE_STRESS_H
#define RUBBLE_STRESS_H

#include "rubble/breaker.h"

RBL_EXTERN_C_BEGIN

/// Variation of strength and toughness in space, in the axes of the unbroken shape. All factors multiply.
typedef struct rblStrengthVariation
{
    float noise; ///< 0 to 0.99: random factors of 1 - noise to 1; default 0.2
    float
        noise_length; ///< m, distance from weak to strong regions; 0, the default: a tenth of the body's length
    rblVec3 layer_axis;    ///< normal of weak layers; zero, the default: no layers
    float layer_spacing;   ///< m, distance of weak layers
    float layer_thickness; ///< m, thickness of weak layers
    float layer_factor;    ///< factor in weak layers, above 0, at most 1
    /// Null, or an NRRD file of positive factors (uint8, uint16: 255 and 65535 mean 1; float, double: the value), stretched to the
    /// shape's box. It is read when the breaker is created.
    const char* grid_file;
} rblStrengthVariation;

/// Definition of a stress breaker. Start from rbl_default_stress_def() and change fields.
typedef struct rblStressDef
{
    uint32_t struct_size; ///< bytes of this struct; set by rbl_default_stress_def()
    uint32_t cookie;      ///< set by rbl_default_stress_def()
    uint32_t tetrahedra;  ///< minimum number of tetrahedra of a body; default 8000
    double edge; ///< edge length of tetrahedra at the surface, m; 0, the default: chosen by `tetrahedra`
    uint32_t max_fragments; ///< of one break; default 64
    float smallest;         ///< fragments below this fraction of the body's volume are merged; default 1e-3
    uint32_t generations;   ///< how often fragments break again; 1: only the body itself breaks; default 2
    float smallest_body;    ///< fragments shorter than this in all directions stay whole, m; default 0.02
    /// Number of vibration modes of an unbroken body, computed when it is prepared. The stress of an impact is then a sum of modes: faster
    /// than a solve, and more accurate with more modes. 0, the default: the stress is solved for. Fragments always use a solve.
    uint32_t modes;
    /// Number of steps after a break at which fragments get new hierarchies of their samples, built in the background; 0, the default:
    /// they keep the updated hierarchies of their parents.
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

/// Create a stress breaker. Refused: numbers that are not finite or out of their ranges, a grid file that cannot be read or has
/// factors that are not positive and finite (the message gives the grid position).
RBL_API rblResult rbl_breaker_create_stress(const rblStressDef* def, rblBreakerId* out);

RBL_EXTERN_C_END

#endif
