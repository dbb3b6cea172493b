// Kinds of shapes in scene files.
#ifndef RBL_FIELD_SHAPE_KEYS_H
#define RBL_FIELD_SHAPE_KEYS_H

#include "base/parameters.h"
#include "field/shape.h"
#include "io/json/json.h"

// An object whose "kind" is the name of the kind: its other keys, and the shape that they describe.
struct rblShapeKeys
{
    const rblParameter* rows; // of a definition
    size_t def_size;
    const void* defaults; // a definition to start from

    // Keys that rows cannot describe, null-terminated, or null: none.
    const char* const* more;

    // Read these, and check what rows cannot. Memory comes from the arena. Null: nothing to do.
    rblResult (*read)(rblJson object, rblArena* arena, void* def);

    rblResult (*create)(const void* def, rblShapeId* out);
};

// A row for a length: above 0, metres.
#define RBL_LENGTH_ROW(name, def_type, member, text)                                                         \
    {                                                                                                        \
        .key = (name), .type = RBL_PARAMETER_FLOAT, .offset = offsetof(def_type, member), .about = (text),   \
        .max = RBL_PARAMETER_UNLIMITED, .min_excluded = true, .required = true                               \
    }

#endif
