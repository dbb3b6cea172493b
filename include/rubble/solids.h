/// Procedural solids: watertight, with UVs, in metres.
#ifndef RUBBLE_SOLIDS_H
#define RUBBLE_SOLIDS_H

#include "rubble/mesh.h"

RBL_EXTERN_C_BEGIN

/// A parameter of a solid: what it is called in scenes and on the command line, and what it means.
typedef struct rblSolidParameter
{
    const char* name;
    const char* help;
    uint32_t components;     ///< numbers it takes: 1, 2 or 3; 0: a list of [radius, height] pairs
    double fallback[3];      ///< the default
    double lowest, highest;  ///< each number must lie in this range
    int is_integer;          ///< must be whole
} rblSolidParameter;

/// A kind of solid that rbl_mesh_make() knows.
typedef struct rblSolidKind
{
    const char* name;
    const char* help;
    uint32_t parameter_count;
    const rblSolidParameter* parameters;
} rblSolidKind;

/// All kinds, in the order they are shown. Static storage.
RBL_API const rblSolidKind* rbl_solid_kinds(uint32_t* count);

/// A value given for a parameter.
typedef struct rblSolidValue
{
    const char* name;     ///< one of the kind's parameter names
    const double* values; ///< as many numbers as the parameter takes; for a list, 2 * count
    uint32_t count;
} rblSolidValue;

/// Make a solid by name. Parameters not given take their defaults. Unknown kinds and names, wrong counts and values
/// out of range are refused by name.
RBL_API rblResult rbl_mesh_make(const char* kind, const rblSolidValue* values, uint32_t value_count, rblMeshId* out);

RBL_EXTERN_C_END

#endif
