#include "field/shape_kinds.h"

#include "base/error.h"
#include "base/thread.h"
#include <string.h>

// One line for each kind: its descriptor is rbl_NAME_kind.
#define SHAPE_KINDS(KIND)                                                                                    \
    KIND(plane)                                                                                              \
    KIND(sphere)                                                                                             \
    KIND(capsule)                                                                                            \
    KIND(box)                                                                                                \
    KIND(cylinder)                                                                                           \
    KIND(hull)                                                                                               \
    KIND(level_set)                                                                                          \
    KIND(compound)                                                                                           \
    KIND(triangles)                                                                                          \
    KIND(user)                                                                                               \
    KIND(piece)                                                                                              \
    KIND(convex_piece)                                                                                       \
    KIND(fragment)

#define DECLARE(name) extern const rblShapeKind rbl_##name##_kind;
#define ADDRESS(name) &rbl_##name##_kind,

SHAPE_KINDS(DECLARE)

static const rblShapeKind* const built_in[] = {SHAPE_KINDS(ADDRESS)};

#define BUILT_IN_COUNT (sizeof built_in / sizeof built_in[0])
#define MAX_ADDED      32u // largest number of kinds that are registered at run time

static rblMutex mutex = RBL_MUTEX_INIT;
static const rblShapeKind* added[MAX_ADDED];
static atomic_uint added_count;

const rblShapeKind* rbl_shape_kind_at(uint32_t index)
{
    if (index < BUILT_IN_COUNT)
    {
        return built_in[index];
    }
    const uint32_t number = index - (uint32_t)BUILT_IN_COUNT;
    return number < atomic_load(&added_count) ? added[number] : NULL;
}

const rblShapeKind* rbl_shape_kind_find(const char* name)
{
    const rblShapeKind* kind;
    for (uint32_t i = 0; (kind = rbl_shape_kind_at(i)) != NULL; ++i)
    {
        if (strcmp(kind->name, name) == 0)
        {
            return kind;
        }
    }
    return NULL;
}

rblResult rbl_shape_kind_register(const rblShapeKind* kind)
{
    if (kind == NULL || kind->name == NULL || kind->name[0] == '\0')
    {
        return rbl_fail(RBL_ERROR_ARGUMENT,
                        "shape kind: kind must not be null, and its name must not be empty");
    }
    rbl_mutex_lock(&mutex);
    const uint32_t count = atomic_load(&added_count);
    rblResult result = RBL_OK;
    if (rbl_shape_kind_find(kind->name) != NULL)
    {
        result =
            rbl_fail(RBL_ERROR_ARGUMENT, "shape kind: the name '%s' exists already, must be new", kind->name);
    }
    else if (count == MAX_ADDED)
    {
        result = rbl_fail(RBL_ERROR_LIMIT,
                          "shape kind: the table is full, must be at most %u registered kinds", MAX_ADDED);
    }
    else
    {
        added[count] = kind;
        atomic_store(&added_count, count + 1);
    }
    rbl_mutex_unlock(&mutex);
    return result;
}
