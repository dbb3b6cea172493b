/// Materials: density, contact, elastic and fracture properties of a solid.
#ifndef RUBBLE_MATERIAL_H
#define RUBBLE_MATERIAL_H

#include "rubble/linkage.h"
#include "rubble/result.h"

RBL_EXTERN_C_BEGIN

/// Properties in SI units. The friction of a pair is the geometric mean, the restitution the maximum. Start from
/// rbl_material_preset(), or from zero.
typedef struct rblMaterial
{
    float density;        ///< kg/m^3
    float friction;       ///< Coulomb's coefficient
    float restitution;    ///< 0 to 1
    float young;          ///< Pa
    float poisson;        ///< -1 to 0.5, both excluded
    float strength;       ///< Pa; 0: never breaks by stress
    float surface_energy; ///< J/m^2 per face: G_c is twice that
    float break_impulse;  ///< N s; 0: the strength decides
    float reserved[4];    ///< for properties of later versions: must be 0
} rblMaterial;

/// A preset by name: glass ceramic concrete stone plaster ice wood clay steel rubber. Refused: other names.
RBL_API rblResult rbl_material_preset(const char* name, rblMaterial* out);

/// All preset names in order, null-terminated. Static storage.
RBL_API const char* const* rbl_material_preset_names(void);

RBL_EXTERN_C_END

#endif
