// Large texts with one vertex or face per line, read by several workers in parallel: PLY as text, and OFF.
#ifndef RBL_IO_TEXT_ROWS_H
#define RBL_IO_TEXT_ROWS_H

#include "io/readers.h"
#include "io/text.h"

// Read the vertex on the line at `line`. Returns the end of its last number, or null for any unusual or invalid line.
// Called from several threads at once.
typedef const char* rblVertexRowFcn(const char* line, const char* end, uint32_t row, void* context);

typedef struct rblTextRows
{
    const char* begin; // the first vertex
    const char* end;
    uint32_t vertex_count;
    uint32_t face_count; // "n i j k ..." with n indices, on the lines after the vertices
    rblVertexRowFcn* vertex;
    void* context;
} rblTextRows;

// Read all rows: vertices through the function, faces into the builder, which has none yet. False, and the builder
// unchanged, when there is only one worker, little work, or any line that is not exactly as expected. The caller then
// reads the text serially and reports errors with their position.
bool rbl_text_rows_read(const rblTextRows* rows, rblMeshBuilder* builder);

// Material 0, group 0 and origins 0, 1, 2, ... for a builder whose face_starts and corner_vertices are filled. False
// when out of memory.
bool rbl_finish_plain_faces(rblMeshBuilder* builder);

// The digits at `c`, after any characters of the classes to skip, as an index below 10^9. Null for anything else.
static inline const char* rbl_read_index(const char* c, const char* end, unsigned skip, uint32_t* out)
{
    while (c < end && rbl_text_is(*c, skip))
    {
        ++c;
    }
    const char* const first = c;
    uint32_t value = 0;
    while (c < end && rbl_is_digit(*c))
    {
        value = value * 10 + (uint32_t)(*c++ - '0');
    }
    *out = value;
    const bool usual = c > first && c - first < 10 && (c == end || rbl_is_space(*c));
    return usual ? c : NULL;
}

#endif
