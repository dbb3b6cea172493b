// Corner attributes for formats that store them per vertex, or in lists with indices.
#ifndef RBL_IO_LAYERS_H
#define RBL_IO_LAYERS_H

#include "mesh/mesh.h"

// The first layer of a kind, null when there is none.
const rblLayer* rbl_find_layer(const rblMeshView* view, rblLayerKind kind);

// How many layers of a kind there are.
uint32_t rbl_count_layers(const rblMeshView* view, rblLayerKind kind);

// A layer as distinct values, and the index of the value of each corner.
typedef struct rblIndexedLayer
{
    uint32_t components;
    rblFloatArray values;  // `components` each, in order of first use, or one per vertex
    rblIndexArray indices; // per corner; empty when per_vertex
    bool
        per_vertex; // all corners of a vertex have the same value, so the index of a value is that of the vertex
} rblIndexedLayer;

// Per vertex when all corners of each vertex agree, otherwise by index. Vertices without corners get zeros. With
// `only_per_vertex` the values are empty when corners disagree.
rblResult rbl_index_layer(const rblMeshView* view, const rblLayer* layer, bool only_per_vertex,
                          const rblAllocator* allocator, rblIndexedLayer* out);
void rbl_indexed_layer_free(rblIndexedLayer* layer);

// Make a layer from values per vertex; each value goes to all corners of its vertex. No layer is made when there are no
// values or no faces, or when the builder already has a layer of that kind.
rblResult rbl_spread_to_corners(const rblFloatArray* values, rblLayerKind kind, rblMeshBuilder* builder);

// Make vectors of three floats unit length; zero stays zero.
void rbl_normalize_floats(float* xyz, size_t count);

#endif
