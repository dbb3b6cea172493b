// Half-edge connectivity, computed from corners. Every mesh is accepted: non-manifold elements are marked, not refused.
#ifndef RBL_MESH_TOPOLOGY_H
#define RBL_MESH_TOPOLOGY_H

#include "mesh/mesh.h"

// Special values in `twins` besides corner indices.
#define RBL_BOUNDARY     UINT32_MAX       // the edge has one face
#define RBL_NON_MANIFOLD (UINT32_MAX - 1) // the edge has three or more faces

typedef struct rblTopology
{
    const rblMeshView* view;
    uint32_t* corner_faces; // per corner: its face
    uint32_t* twins;        // per corner: the other half-edge of its edge, RBL_BOUNDARY or RBL_NON_MANIFOLD.
        // Two faces that traverse an edge in the same direction are twins too; rbl_same_direction()
        // tests for it.
    uint32_t* vertex_corners; // per vertex: one corner at it, RBL_NONE when isolated
    const rblAllocator* allocator;
} rblTopology;

rblResult rbl_topology_init(rblTopology* topology, const rblMeshView* view, const rblAllocator* allocator);
void rbl_topology_free(rblTopology* topology);

static inline uint32_t rbl_next_corner(const rblTopology* t, uint32_t corner)
{
    const uint32_t face = t->corner_faces[corner];
    return corner + 1 == t->view->face_starts[face + 1] ? t->view->face_starts[face] : corner + 1;
}

static inline uint32_t rbl_previous_corner(const rblTopology* t, uint32_t corner)
{
    const uint32_t face = t->corner_faces[corner];
    return corner == t->view->face_starts[face] ? t->view->face_starts[face + 1] - 1 : corner - 1;
}

static inline bool rbl_has_twin(const rblTopology* t, uint32_t corner)
{
    return t->twins[corner] < RBL_NON_MANIFOLD;
}

// True when the two half-edges of an edge start at the same vertex: the orientation of the faces is inconsistent.
static inline bool rbl_same_direction(const rblTopology* t, uint32_t corner)
{
    return t->view->corner_vertices[corner] == t->view->corner_vertices[t->twins[corner]];
}

// Label faces by connected component (through edges with any number of faces). `labels` has face_count entries, 0 ..
// *count - 1 in order of first appearance.
rblResult rbl_face_components(const rblTopology* topology, uint32_t* labels, uint32_t* count);

// Group the corners at each vertex into fans: corners whose faces share an edge at that vertex, with any number of
// faces, belong to one fan. `fans` has corner_count entries and receives the first corner of the fan of each corner. A
// vertex is manifold (if its edges are) when all its corners are in one fan.
rblResult rbl_corner_fans(const rblTopology* topology, uint32_t* fans);

#endif
