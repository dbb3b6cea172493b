/// Procedural solids: closed, manifold, outward, without self-intersections, in metres, Y up, with a UV and a normal
/// layer. docs/solids.md and rbl_solid_kinds() list the kinds and their parameters.
#ifndef RUBBLE_SOLIDS_H
#define RUBBLE_SOLIDS_H

#include "rubble/mesh.h"

RBL_EXTERN_C_BEGIN

/// A parameter of a solid: its name in scenes and on the command line, and its meaning.
typedef struct rblSolidParameter
{
    const char* name;
    const char* help;             ///< one line
    uint32_t components;          ///< number of values: 1, 2 or 3; 0: a list of [radius, height] pairs
    double fallback[3];           ///< the default of a parameter that is not a list
    double lowest, highest;       ///< allowed range of each value; lists have further limits
    int is_integer;               ///< values must be integers
    const double* list_fallback;  ///< the default of a list, null for others
    uint32_t list_fallback_count; ///< number of values in it: 2 per pair
} rblSolidParameter;

/// A kind of solid that rbl_mesh_make() knows.
typedef struct rblSolidKind
{
    const char* name;
    const char* help; ///< one line: what it is and where its origin is
    uint32_t parameter_count;
    const rblSolidParameter* parameters;
} rblSolidKind;

/// All kinds, in the order in which tools list them. Static storage.
RBL_API const rblSolidKind* rbl_solid_kinds(uint32_t* count);

/// A value given for a parameter.
typedef struct rblSolidValue
{
    const char* name;     ///< one of the kind's parameter names
    const double* values; ///< as many as the parameter takes; for a list, 2 * count
    uint32_t count;       ///< number of values; of pairs for a list
} rblSolidValue;

/// The longest list of a parameter, in pairs.
#define RBL_SOLID_MAX_PAIRS 4096

/// Make a solid by name. Parameters that are not given have their defaults. RBL_ERROR_ARGUMENT, with the name: unknown
/// kinds and parameters, a parameter given twice, wrong counts, values that are NaN, out of range or not integers, and
/// combinations of values whose surface would intersect itself.
RBL_API rblResult rbl_mesh_make(const char* kind, const rblSolidValue* values, uint32_t value_count,
                                rblMeshId* out);

RBL_EXTERN_C_END

#endif
