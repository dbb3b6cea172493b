// Maps positions to vertices: equal positions become one vertex; vertices are numbered in order of first appearance.
#ifndef RBL_IO_WELD_H
#define RBL_IO_WELD_H

#include "mesh/mesh.h"

typedef struct rblWelder
{
    rblMeshBuilder* builder; // gets the vertices
    uint32_t* slots;         // open addressing: vertex + 1, 0 when free
    size_t capacity;         // a power of two, or 0
} rblWelder;

// Capacity for `expected` vertices; 0 is allowed. False when out of memory.
bool rbl_welder_init(rblWelder* welder, rblMeshBuilder* builder, size_t expected);
void rbl_welder_free(rblWelder* welder);

// The vertex at a position, compared by bits, except that -0 equals 0. RBL_NONE when out of memory.
uint32_t rbl_welder_vertex(rblWelder* welder, rblVec3d position);

#endif
