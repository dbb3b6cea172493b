// Tetrahedral meshes inside the library. They are read through an rblTetsView, made by rbl_tets_new(), and never changed
// afterwards.
#ifndef RBL_MESH_TETS_TETS_H
#define RBL_MESH_TETS_TETS_H

#include "base/array.h"
#include "mesh/mesh.h"
#include "rubble/tetrahedra.h"

typedef struct rblTets rblTets;
typedef struct rblTetsLocator rblTetsLocator;

// The largest number of tetrahedra of a mesh: 4 * index + 3 and the special values must fit in 32 bits.
#define RBL_MAX_TETS (UINT32_MAX / 4 - 1)

typedef RBL_ARRAY(rblVec3d) rblVec3dArray;

// The arrays of a new mesh; rbl_tets_new() takes ownership.
typedef struct rblTetsParts
{
    rblVec3dArray positions;
    rblIndexArray nodes;   // four per tetrahedron
    rblIndexArray regions; // one per tetrahedron; empty: all 1
    uint32_t solid_node_count;
    uint32_t solid_tet_count;
} rblTetsParts;

void rbl_tets_parts_init(rblTetsParts* parts, const rblAllocator* allocator);
void rbl_tets_parts_free(rblTetsParts* parts);

// Check, orient, find neighbours. Parts are empty afterwards, also on failure. `locator` may be null; then a locator
// over the boxes of the tetrahedra is built. The call takes ownership of it too.
rblResult rbl_tets_new(rblTetsParts* parts, rblTetsLocator* locator, const rblAllocator* allocator,
                       rblTets** out);
void rbl_tets_free(rblTets* tets);

const rblTetsView* rbl_tets_get_view(const rblTets* tets);
const rblTetsLocator* rbl_tets_get_locator(const rblTets* tets);

// ---- ids ----

// Give a mesh an id; the registry owns this reference from now on. On failure it is released.
rblResult rbl_tets_register(rblTets* tets, rblTetsId* out);

// The mesh that an id refers to, kept alive until released, even when another thread destroys the id.
rblResult rbl_tets_acquire(rblTetsId id, rblTets** out);
void rbl_tets_release(rblTets* tets);

// ---- small helpers ----

// The nodes of the face opposite to node k, counter-clockwise seen from outside.
extern const uint8_t rbl_tet_faces[4][3];

// The two nodes of edge e.
extern const uint8_t rbl_tet_edges[6][2];

static inline void rbl_tet_corners(const rblTetsView* view, uint32_t tet, rblVec3d out[4])
{
    for (uint32_t i = 0; i < 4; ++i)
    {
        out[i] = view->positions[view->nodes[4 * (size_t)tet + i]];
    }
}

// The surface of the first `tet_count` tetrahedra as a mesh.
rblResult rbl_tets_surface_mesh(const rblTetsView* view, uint32_t tet_count, rblMesh** out);

// Signed volume, m^3.
double rbl_tet_volume(const rblVec3d corners[4]);

// The cosines of the six dihedral angles at the edges of rbl_tet_edges: a larger cosine is a sharper angle. NaN for a
// flat tetrahedron.
void rbl_tet_angle_cosines(const rblVec3d corners[4], double cosines[6]);

#endif
