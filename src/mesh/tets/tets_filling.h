// The parts of rbl_tets_fill(), in the order in which they work: solid, octree, lattice, cuts, output.
//
// Lattice coordinates count in half cubes of the finest level: the corners of those have even ones, their centres odd
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

// A closed surface to be asked for distances, in its own coordinates: the centre of its box is the origin, so that 32 bits keep
// their digits far from the world's origin.
typedef struct rblFillSolid
{
    rblForest forest;
    rblBvh bvh;
    rblWinding winding;
    rblVec3d center; // of the box, in the mesh's coordinates
    rblVec3d half;   // of its size
    double volume;
    rblJobs* jobs;
} rblFillSolid;

// RBL_ERROR_GEOMETRY: open, faces that disagree, no volume or a negative one.
rblResult rbl_fill_solid_init(rblFillSolid* solid, const rblMeshView* view, rblJobs* jobs,
                              const rblAllocator* allocator);
void rbl_fill_solid_free(rblFillSolid* solid);

// What one point hands on to the next: the surface is as far away as this from it, so that one whose ball reaches into this one is on the
// same side.
typedef struct rblFillBall
{
    rblVec3d center;
    float distance; // 0: nothing is known
    uint32_t hint;  // a leaf near it
} rblFillBall;

// Distance, negative inside, cut off at `radius`. Neighbours should follow each other; the ball begins with a distance of 0.
float rbl_fill_distance(const rblFillSolid* solid, rblVec3d point, double radius, rblFillBall* ball);

// Whether the surface comes as near as this to a point.
bool rbl_fill_touches(const rblFillSolid* solid, rblVec3d point, double radius);

// Where the way between two points meets the surface first, as a fraction of it; negative: nowhere.
double rbl_fill_crossing(const rblFillSolid* solid, rblVec3d from, rblVec3d to);

// ---- the octree (tets_octree.c) ----

#define RBL_FILL_MAX_LEVELS 20 // coordinates of finest cubes have 19 bits, of nodes 20

typedef struct rblCube
{
    uint32_t x, y, z; // in cubes of its level
    float distance; // of its centre, negative inside; exact near the surface, farther in no deeper than true
    bool split;
} rblCube;

typedef RBL_ARRAY(rblCube) rblCubeArray;

typedef struct rblCubeTree
{
    double edge;     // side of a finest cube, m
    rblVec3d origin; // of the lattice, in the solid's coordinates
    double margin;
    uint32_t levels; // leaves have levels 0 to this one
    uint32_t top;    // level of the largest cubes, all of them split when above `levels`
    rblCubeArray cubes[RBL_FILL_MAX_LEVELS + 1]; // by level
    rblHashMap places;                           // from rbl_cube_key() to the place in its level
} rblCubeTree;

static inline uint64_t rbl_cube_key(uint32_t level, uint32_t x, uint32_t y, uint32_t z)
{
    return (uint64_t)level << 58 | (uint64_t)x << 38 | (uint64_t)y << 19 | z;
}

// Cubes of one size wherever the surface may cut or move their nodes, larger ones inside, at most twice as large as any neighbour.
rblResult rbl_cube_tree_build(rblCubeTree* tree, const rblFillSolid* solid, double edge, uint32_t levels,
                              double margin, const rblAllocator* allocator);
void rbl_cube_tree_free(rblCubeTree* tree);

// ---- the lattice (tets_lattice.c) ----

typedef struct rblLatticeNode
{
    uint32_t x, y, z; // lattice coordinates
    float distance;   // exact when close to the surface, else no farther than true; negative inside
    int8_t sign;      // 1 inside, -1 outside, 0 on the surface
    bool known;
} rblLatticeNode;

typedef RBL_ARRAY(rblLatticeNode) rblLatticeNodeArray;

typedef struct rblLatticeTet
{
    uint32_t nodes[4]; // of finest ones: two corners, two centres
} rblLatticeTet;

typedef RBL_ARRAY(rblLatticeTet) rblLatticeTetArray;

// Where the tetrahedra over the six faces of a leaf begin (-x, +x, -y, ...); RBL_NONE: nothing is there.
typedef struct rblLeafFaces
{
    uint32_t starts[6];
} rblLeafFaces;

// Set in a start when there are exactly four, one at each edge of the face.
#define RBL_FACE_OF_FOUR 0x80000000u

typedef RBL_ARRAY(rblLeafFaces) rblLeafFacesArray;

struct rblLattice
{
    const rblCubeTree* tree;
    rblLatticeNodeArray nodes;
    rblVec3dArray positions; // of the nodes, in the solid's coordinates; moved by rbl_cuts_move_nodes()
    rblHashMap places;       // from rbl_lattice_key() to the node
    rblLatticeTetArray
        tets; // the first `fine_count` are of the body-centred cubic kind, between finest cubes
    uint32_t fine_count;
    rblLeafFacesArray faces;                       // per leaf: those of level 0 first
    uint32_t leaf_starts[RBL_FILL_MAX_LEVELS + 2]; // per level: how many leaves there are on levels below
    rblIndexArray leaf_numbers[RBL_FILL_MAX_LEVELS + 1]; // per level and cube: which leaf it is
};

static inline uint64_t rbl_lattice_key(uint32_t x, uint32_t y, uint32_t z)
{
    return (uint64_t)x << 42 | (uint64_t)y << 21 | z;
}

rblResult rbl_lattice_build(rblLattice* lattice, const rblCubeTree* tree, const rblFillSolid* solid,
                            const rblAllocator* allocator);
void rbl_lattice_free(rblLattice* lattice);

// Where a node stands before it moves, in the solid's coordinates.
static inline rblVec3d rbl_lattice_place(const rblLattice* lattice, uint32_t node)
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
    double fraction;   // of the way from a to b where the surface cuts; negative: it does not
    uint32_t node;     // of the output; RBL_NONE: none
    float hidden;      // fraction between two cuts when both ends are on one side
    float hidden_from; // where that part begins
} rblCutEdge;

typedef RBL_ARRAY(rblCutEdge) rblCutEdgeArray;

typedef struct rblCuts
{
    rblCutEdgeArray edges;
    rblHashMap places; // from rbl_pair_key() of the nodes to the edge
    uint32_t moved;    // nodes, by rbl_cuts_move_nodes()
    uint32_t
        pulled_back; // nodes that moved less far than to the surface, because a tetrahedron would have been flat
} rblCuts;

rblResult rbl_cuts_find(rblCuts* cuts, const rblLattice* lattice, const rblFillSolid* solid,
                        const rblAllocator* allocator);
void rbl_cuts_free(rblCuts* cuts);

// Move nodes onto the surface that it cuts too close to (Labelle and Shewchuk 2007, section 3.2).
rblResult rbl_cuts_move_nodes(rblCuts* cuts, rblLattice* lattice);

// ---- the output (tets_output.c) ----

// What is left of the lattice and of its cuts as parts of a mesh, and how to find a point in it. `fill` gets its counts.
rblResult rbl_fill_output(const rblLattice* lattice, rblCuts* cuts, const rblFillSolid* solid,
                          rblTetsParts* parts, rblTetsLocator** locator, rblTetsFill* fill);

#endif
