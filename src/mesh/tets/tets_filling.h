// The parts of rbl_tets_fill(), in the order of the work: solid, octree, lattice, cuts, output.
//
// Lattice coordinates are in half cubes of the finest level: their corners have even coordinates, their centres odd
// ones. A cube of level l has a side of 2^l finest cubes.
#ifndef RBL_MESH_TETS_TETS_FILLING_H
#define RBL_MESH_TETS_TETS_FILLING_H

#include "base/hash_map.h"
#include "base/jobs.h"
#include "bvh/query/signed_distance.h"
#include "mesh/mesh.h"
#include "mesh/tets/tets.h"
#include "mesh/tets/tets_locate.h"

// ---- the solid (tets_solid.c) ----

// A closed surface for distance queries, in its own coordinates: the origin is the centre of its box, so that 32 bits
// keep their precision far from the origin of the world.
typedef struct rblFillSolid
{
    rblForest forest;
    rblBvh bvh;
    rblWinding winding;
    rblVec3d center; // of the box, in mesh coordinates
    rblVec3d half;   // half its size
    double volume;
    rblJobs* jobs;
} rblFillSolid;

// RBL_ERROR_GEOMETRY: the surface is open, not consistently oriented, or its volume is not positive.
rblResult rbl_fill_solid_init(rblFillSolid* solid, const rblMeshView* view, rblJobs* jobs,
                              const rblAllocator* allocator);
void rbl_fill_solid_free(rblFillSolid* solid);

// The result of the previous query: a ball without surface. A point whose own ball overlaps it is on the same side.
typedef struct rblFillBall
{
    rblVec3d center;
    float distance; // 0: no ball
    uint32_t hint;  // a leaf near it
} rblFillBall;

// Signed distance, negative inside, clamped to `radius`. Consecutive points should be close to each other; the first
// ball has a distance of 0.
float rbl_fill_distance(const rblFillSolid* solid, rblVec3d point, double radius, rblFillBall* ball);

// Whether the surface is within `radius` of a point.
bool rbl_fill_touches(const rblFillSolid* solid, rblVec3d point, double radius);

// The parameter of the first intersection of the segment between two points with the surface; negative: none.
double rbl_fill_crossing(const rblFillSolid* solid, rblVec3d from, rblVec3d to);

// ---- the octree (tets_octree.c) ----

#define RBL_FILL_MAX_LEVELS 20 // coordinates of finest cubes have 19 bits, of nodes 20

typedef struct rblCube
{
    uint32_t x, y, z; // in cubes of its level
    float distance;   // of its centre, negative inside; exact near the surface, deeper inside a lower bound
    bool split;
} rblCube;

typedef RBL_ARRAY(rblCube) rblCubeArray;

typedef struct rblCubeTree
{
    double edge;     // side of a finest cube, m
    rblVec3d origin; // of the lattice, in the coordinates of the solid
    double margin;
    uint32_t levels; // leaves have levels 0 to this one
    uint32_t top;    // level of the largest cubes; all of them are split when it is above `levels`
    rblCubeArray cubes[RBL_FILL_MAX_LEVELS + 1]; // by level
    rblHashMap places;                           // from rbl_cube_key() to the index in its level
} rblCubeTree;

static inline uint64_t rbl_cube_key(uint32_t level, uint32_t x, uint32_t y, uint32_t z)
{
    return (uint64_t)level << 58 | (uint64_t)x << 38 | (uint64_t)y << 19 | z;
}

// Cubes of one size wherever the surface can cut edges or move nodes, larger ones inside, at most twice as large as any
// neighbour.
rblResult rbl_cube_tree_build(rblCubeTree* tree, const rblFillSolid* solid, double edge, uint32_t levels,
                              double margin, const rblAllocator* allocator);
void rbl_cube_tree_free(rblCubeTree* tree);

// ---- the lattice (tets_lattice.c) ----

typedef struct rblLatticeNode
{
    uint32_t x, y, z; // lattice coordinates
    float distance;   // exact near the surface, else a lower bound; negative inside
    int8_t sign;      // 1 inside, -1 outside, 0 on the surface
    bool known;
} rblLatticeNode;

typedef RBL_ARRAY(rblLatticeNode) rblLatticeNodeArray;

typedef struct rblLatticeTet
{
    uint32_t nodes[4]; // of finest ones: two corners, two centres
} rblLatticeTet;

typedef RBL_ARRAY(rblLatticeTet) rblLatticeTetArray;

// The first tetrahedron over each of the six faces of a leaf (-x, +x, -y, ...); RBL_NONE: none.
typedef struct rblLeafFaces
{
    uint32_t starts[6];
} rblLeafFaces;

// Flag of an entry with exactly four tetrahedra, one at each edge of the face.
#define RBL_FACE_OF_FOUR 0x80000000u

typedef RBL_ARRAY(rblLeafFaces) rblLeafFacesArray;

struct rblLattice
{
    const rblCubeTree* tree;
    rblLatticeNodeArray nodes;
    rblVec3dArray positions; // of the nodes, in the coordinates of the solid; moved by rbl_cuts_move_nodes()
    rblHashMap places;       // from rbl_lattice_key() to the node
    rblLatticeTetArray tets; // the first `fine_count` are body-centred cubic tetrahedra, between finest cubes
    uint32_t fine_count;
    rblLeafFacesArray faces;                             // per leaf: those of level 0 first
    uint32_t leaf_starts[RBL_FILL_MAX_LEVELS + 2];       // per level: the number of leaves on lower levels
    rblIndexArray leaf_numbers[RBL_FILL_MAX_LEVELS + 1]; // per level and cube: the index of its leaf
};

static inline uint64_t rbl_lattice_key(uint32_t x, uint32_t y, uint32_t z)
{
    return (uint64_t)x << 42 | (uint64_t)y << 21 | z;
}

rblResult rbl_lattice_build(rblLattice* lattice, const rblCubeTree* tree, const rblFillSolid* solid,
                            const rblAllocator* allocator);
void rbl_lattice_free(rblLattice* lattice);

// The position of a node before it is moved, in the coordinates of the solid.
static inline rblVec3d rbl_lattice_index(const rblLattice* lattice, uint32_t node)
{
    const rblLatticeNode* n = &lattice->nodes.data[node];
    const rblCubeTree* tree = lattice->tree;
    const double half = 0.5 * tree->edge;
    return (rblVec3d){tree->origin.x + half * (double)n->x, tree->origin.y + half * (double)n->y,
                      tree->origin.z + half * (double)n->z};
}

// ---- cuts (tets_cuts.c) ----

typedef struct rblCutEdge
{
    uint32_t a, b;     // nodes of the lattice
    double fraction;   // parameter of the cut from a to b; negative: no cut
    uint32_t node;     // of the output; RBL_NONE: none
    float hidden;      // fraction between two cuts when both ends are on one side
    float hidden_from; // start of that part
} rblCutEdge;

typedef RBL_ARRAY(rblCutEdge) rblCutEdgeArray;

typedef struct rblCuts
{
    rblCutEdgeArray edges;
    rblHashMap places; // from rbl_pair_key() of the nodes to the edge
    uint32_t moved;    // number of nodes moved by rbl_cuts_move_nodes()
    uint32_t
        pulled_back; // nodes that were moved only part of the way to the surface, because a tetrahedron would have become flat
} rblCuts;

rblResult rbl_cuts_find(rblCuts* cuts, const rblLattice* lattice, const rblFillSolid* solid,
                        const rblAllocator* allocator);
void rbl_cuts_free(rblCuts* cuts);

// Move nodes onto the surface where it cuts an edge too close to them (Labelle and Shewchuk 2007, section 3.2).
rblResult rbl_cuts_move_nodes(rblCuts* cuts, rblLattice* lattice);

// ---- the output (tets_output.c) ----

// The tetrahedra of the lattice and its cuts as the arrays of a mesh, and the locator. `fill` receives the counts.
rblResult rbl_fill_output(const rblLattice* lattice, rblCuts* cuts, const rblFillSolid* solid,
                          rblTetsParts* parts, rblTetsLocator** locator, rblTetsFill* fill);

#endif
