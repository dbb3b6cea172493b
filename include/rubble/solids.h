/// Procedural solids: closed, manifold, outward, free of self-intersections, in metres, Y up, with a UV and a
/// normal layer. The kinds and their parameters are listed in docs/solids.md and by rbl_solid_kinds().
#ifndef RUBBLE_SOLIDS_H
#define RUBBLE_SOLIDS_H

#include "rubble/mesh.h"

RBL_EXTERN_C_BEGIN

/// A parameter of a solid: what it is called in scenes and on the command line, and what it means.
typedef struct rblSolidParameter
{
    const char* name;
    const char* help;       ///< one line
    uint32_t components;    ///< numbers it takes: 1, 2 or 3; 0: a list of [radius, height] pairs
    double fallback[3];     ///< the default of a parameter that is not a list
    double lowest, highest; ///< each number must lie in this range; lists have limits of their own besides
    int is_integer;         ///< must be whole
    const double* list_fallback;  ///< the default of a list, null for others
    uint32_t list_fallback_count; ///< numbers in it: 2 per pair
} rblSolidParameter;

/// A kind of solid that rbl_mesh_make() knows.
typedef struct rblSolidKind
{
    const char* name;
    const char* help; ///< one line: what it is and where its origin lies
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
    uint32_t count;       ///< of numbers; of pairs for a list
} rblSolidValue;

/// The longest list a parameter takes, in pairs.
#define RBL_SOLID_MAX_PAIRS 4096

/// Make a solid by name. Parameters not given take their defaults. Refused by name with RBL_ERROR_ARGUMENT:
/// unknown kinds and parameters, one given twice, wrong counts, values that are NaN, out of range or not
/// whole, and values that together would make a surface that meets itself.
RBL_API rblResult rbl_mesh_make(const char* kind, const rblSolidValue* values, uint32_t value_count,
                                rblMeshId* out);

RBL_EXTERN_C_END

#endif
