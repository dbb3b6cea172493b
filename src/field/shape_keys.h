// Kinds of shapes in scene files.
#ifndef RBL_FIELD_SHAPE_KEYS_H
#define RBL_FIELD_SHAPE_KEYS_H

#include "base/parameters.h"
#include "field/shape.h"
#include "io/json/json.h"

// A key that rows cannot describe: a list of vectors.
typedef struct rblVectorListKey
{
    const char* key;
    const char* about;
    uint32_t min, max; // how many
} rblVectorListKey;

// An object whose "kind" is the name of the kind: its other keys, and the shape that they describe.
struct rblShapeKeys
{
    const char* about;        // one line for the reference: what the shape is, and where its origin is
    const rblParameter* rows; // of a definition
    size_t def_size;
    const void* defaults; // a definition to start from

    const rblVectorListKey* list; // required where there is one; null: there is none

    // Read the list, and check what rows cannot. Memory comes from the arena. Null: nothing to do.
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
