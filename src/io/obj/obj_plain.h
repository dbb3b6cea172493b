// A fast path for the two statements that most OBJ files consist of. `c` is at the first blank, and a line end is known
// to follow, so that no check for the end of the text is needed. Null, and nothing changed, for anything unusual or
// invalid: the general code in obj_parse.c then handles it.
#ifndef RBL_IO_OBJ_OBJ_PLAIN_H
#define RBL_IO_OBJ_OBJ_PLAIN_H

#include "base/number.h"
#include "io/obj/obj.h"
#include "io/text.h"
#include "math/vec.h"

// Three numbers, one blank before each.
static inline const char* rbl_obj_plain_position(rblObjChunk* chunk, const char* c)
{
    double v[3];
    for (int i = 0; i < 3; ++i)
    {
        c = *c == ' ' ? rbl_parse_double(c + 1, chunk->end, &v[i]) : NULL;
        if (c == NULL)
        {
            return NULL;
        }
    }
    const bool finite = rbl_finite(v[0]) && rbl_finite(v[1]) && rbl_finite(v[2]);
    if (!rbl_is_line_end(*c) || !finite || chunk->values[RBL_OBJ_VERTEX].count > 0 ||
        !rbl_array_push(&chunk->positions, rbl_vec3d(v[0], v[1], v[2])))
    {
        return NULL;
    }
    return c;
}

// Digits of an index from 1 to 999999999; returns their end. Null for anything else.
static inline const char* rbl_obj_plain_index(const char* c, uint32_t* out)
{
    const char* const first = c;
    uint32_t value = 0;
    while (rbl_is_digit(*c))
    {
        value = value * 10 + (uint32_t)(*c++ - '0');
    }
    *out = value - 1;
    return value != 0 && c - first < 10 ? c : NULL;
}

// Positive indices, one blank before each corner.
static inline const char* rbl_obj_plain_face(rblObjChunk* chunk, const char* c)
{
    rblIndexArray* const arrays = chunk->references;
    const size_t first = arrays[RBL_OBJ_VERTEX].count;
    size_t counts[RBL_OBJ_REFERENCE_COUNT] = {first, arrays[RBL_OBJ_UV].count, arrays[RBL_OBJ_NORMAL].count};
    // UVs and normals only where every corner so far has one: otherwise the gaps must be filled first.
    const size_t last = arrays[RBL_OBJ_VERTEX].capacity;
    const size_t last_uv = counts[RBL_OBJ_UV] == first ? arrays[RBL_OBJ_UV].capacity : 0;
    const size_t last_normal = counts[RBL_OBJ_NORMAL] == first ? arrays[RBL_OBJ_NORMAL].capacity : 0;
    while (*c == ' ' && counts[RBL_OBJ_VERTEX] < last)
    {
        c = rbl_obj_plain_index(c + 1, &arrays[RBL_OBJ_VERTEX].data[counts[RBL_OBJ_VERTEX]++]);
        if (c != NULL && *c == '/' && c[1] != '/')
        {
            c = counts[RBL_OBJ_UV] < last_uv
                    ? rbl_obj_plain_index(c + 1, &arrays[RBL_OBJ_UV].data[counts[RBL_OBJ_UV]++])
                    : NULL;
        }
        else if (c != NULL && *c == '/')
        {
            ++c;
        }
        if (c != NULL && *c == '/')
        {
            c = counts[RBL_OBJ_NORMAL] < last_normal
                    ? rbl_obj_plain_index(c + 1, &arrays[RBL_OBJ_NORMAL].data[counts[RBL_OBJ_NORMAL]++])
                    : NULL;
        }
        if (c == NULL)
        {
            return NULL;
        }
    }
    const size_t count = counts[RBL_OBJ_VERTEX];
    const bool even =
        (counts[RBL_OBJ_UV] == count || counts[RBL_OBJ_UV] == arrays[RBL_OBJ_UV].count) &&
        (counts[RBL_OBJ_NORMAL] == count || counts[RBL_OBJ_NORMAL] == arrays[RBL_OBJ_NORMAL].count);
    if (!rbl_is_line_end(*c) || !even || count - first < 3 || count > UINT32_MAX - 3 ||
        !rbl_array_push(&chunk->face_starts, (uint32_t)first))
    {
        return NULL;
    }
    for (int kind = 0; kind < RBL_OBJ_REFERENCE_COUNT; ++kind)
    {
        arrays[kind].count = counts[kind];
    }
    return c;
}

// The statement at `c`, which starts here.
static inline const char* rbl_obj_parse_plain(rblObjChunk* chunk, const char* c)
{
    if (c >= chunk->last_line_end || c[1] != ' ')
    {
        return NULL;
    }
    return *c == 'f'   ? rbl_obj_plain_face(chunk, c + 1)
           : *c == 'v' ? rbl_obj_plain_position(chunk, c + 1)
                       : NULL;
}

#endif
