// Definitions of the public interface. Each begins with `uint32_t struct_size; uint32_t cookie;`: the size is what the caller's
// compiler knows, so that new fields at the end of a definition do not break programs that were built before.
#ifndef RBL_BASE_DEF_H
#define RBL_BASE_DEF_H

#include "base/error.h"
#include <stddef.h>
#include <stdint.h>

typedef struct rblDefKind
{
    const char* prefix; // of error messages
    const char* start;  // the call that makes one
    uint32_t size;      // bytes that this library knows
    uint32_t cookie;
} rblDefKind;

// RBL_DEF_KIND(world_def, rblWorldDef, "world", rbl_default_world_def, 0x57524c44u);
#define RBL_DEF_KIND(name, type, prefix, make, number)                                                       \
    _Static_assert(offsetof(type, struct_size) == 0 && offsetof(type, cookie) == 4, "they come first");      \
    static const rblDefKind name = {prefix, #make "()", sizeof(type), number}

// Fill `size` bytes of a definition from `defaults`, which is of the size that the library knows. What the library does not know is zero.
void rbl_def_init(const rblDefKind* kind, const void* defaults, void* def, size_t size);

// Copy the caller's definition over `out`, which holds the defaults: what a smaller definition does not have stays. Refused: null,
// one that `start` did not make, a size that is larger than known, or not a multiple of 4, or without a cookie.
rblResult rbl_def_read(const rblDefKind* kind, const void* given, void* out);

// Write `value`, which is of the size that the library knows, into the caller's definition, as much as it has. Refused as above.
rblResult rbl_def_write(const rblDefKind* kind, const void* value, void* def);

#endif
