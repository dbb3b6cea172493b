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
    uint32_t min, max; // number of vectors
} rblVectorListKey;

// An object whose "kind" is the name of the kind: its other keys, and the creation of the shape.
struct rblShapeKeys
{
    const char* about;        // one line for the reference: the shape, and the position of its origin
    const rblParameter* rows; // of a definition
    size_t def_size;
    const void* defaults; // the default definition

    const rblVectorListKey* list; // a required list; null: none

    // Read the list and check what rows cannot check. The arena provides the memory. Null: not needed.
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
