// Wavefront OBJ. The text is parsed in independent chunks of whole lines, which are combined afterwards.
#ifndef RBL_IO_OBJ_OBJ_H
#define RBL_IO_OBJ_OBJ_H

#include "base/array.h"
#include "io/names.h"
#include "io/readers.h"

// The references of a corner: "f v/vt/vn".
typedef enum rblObjReference
{
    RBL_OBJ_VERTEX,
    RBL_OBJ_UV,
    RBL_OBJ_NORMAL,
    RBL_OBJ_REFERENCE_COUNT
} rblObjReference;

// Floats per vertex (its colour), UV, normal.
static const uint32_t rbl_obj_components[RBL_OBJ_REFERENCE_COUNT] = {4, 2, 3};

// Statements that are skipped, with one warning per file.
typedef enum rblObjIgnored
{
    RBL_OBJ_LINES_AND_POINTS,
    RBL_OBJ_FREE_FORM,
    RBL_OBJ_UNKNOWN,
    RBL_OBJ_IGNORED_COUNT
} rblObjIgnored;

// A usemtl, g or o statement: the name is valid from `face` on.
typedef struct rblObjSwitch
{
    uint32_t face; // of the chunk
    rblNameKind kind;
    const char* name;
    size_t length;
} rblObjSwitch;

typedef struct rblObjChunk
{
    const char* begin;
    const char* end;
    const char* last_line_end; // a statement that starts before it cannot run past the text
    bool keep_non_finite;

    RBL_ARRAY(rblVec3d) positions;
    // The elements of the file: 4 floats of colour per position (empty when no position has one), 2 per UV, 3 per
    // normal.
    rblFloatArray values[RBL_OBJ_REFERENCE_COUNT];

    rblIndexArray face_starts; // first corner of each face; corners of the chunk
    // Per corner the index of its reference, counted from 0 through the whole file, RBL_NONE for none. The arrays of UVs
    // and normals are empty until the first corner has one.
    rblIndexArray references[RBL_OBJ_REFERENCE_COUNT];
    // Corners with a negative index: it is relative to the start of this chunk, and signed.
    rblIndexArray relative[RBL_OBJ_REFERENCE_COUNT];
    RBL_ARRAY(rblObjSwitch) switches;

    // Offsets of the chunk in the whole file; set when all chunks are parsed.
    size_t first_face, first_corner;
    size_t first_defined[RBL_OBJ_REFERENCE_COUNT];
    // The first corner with an invalid reference, as a corner of the chunk; SIZE_MAX when there is none.
    size_t bad_corner;
    rblObjReference bad_kind;
    int64_t bad_index;

    const char* error; // the first error, null when there is none
    const char* error_at;
    bool error_quotes; // the token at error_at is added to the message
    bool out_of_memory;
    const char* ignored[RBL_OBJ_IGNORED_COUNT]; // the first occurrence of each kind
} rblObjChunk;

// All chunks of a file, in order.
typedef struct rblObjParts
{
    const rblSource* source;
    rblObjChunk* chunks;
    uint32_t count;
    size_t defined[RBL_OBJ_REFERENCE_COUNT]; // positions, UVs, normals in all chunks
    size_t faces, corners;                   // in all chunks
} rblObjParts;

// Combine parsed and checked chunks in an empty builder.
rblResult rbl_obj_gather(rblObjParts* parts, rblMeshBuilder* builder);

void rbl_obj_chunk_init(rblObjChunk* chunk, const char* begin, const char* end, bool keep_non_finite,
                        const rblAllocator* allocator);
void rbl_obj_chunk_free(rblObjChunk* chunk);

// Reserve capacity by an estimate from the text of the chunk. False when out of memory.
bool rbl_obj_chunk_reserve(rblObjChunk* chunk);

// Fill the chunk from its text. Errors are stored in it.
void rbl_obj_chunk_parse(rblObjChunk* chunk);

// How many positions, UVs or normals the chunk defines so far.
static inline size_t rbl_obj_defined(const rblObjChunk* chunk, rblObjReference kind)
{
    return kind == RBL_OBJ_VERTEX ? chunk->positions.count
                                  : chunk->values[kind].count / rbl_obj_components[kind];
}

// The start of the n-th face statement of a text, for messages.
const char* rbl_obj_find_face(const char* begin, const char* end, size_t n);

#endif
