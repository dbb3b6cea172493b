// How a fracture divides tetrahedra: one rule for the inside test, the field and the surface of fragments (the multi-material rule
// of issue 7; it takes the place of the six planes of Glondu 2012, 4.1).
//
// An event gives each node i of what breaks a label l_i and a weight w_i > 0. A point with barycentric coordinates b gets the label
//   argmax over labels l of  phi_l = sum over nodes with l_i = l of w_i b_i          (ties: the lowest label).
// Two labels: the border is the plane phi_1 = phi_2; with w_i = |g(x_i)| that is the linear zero set of g. An edge between different
// labels is cut once, w_i / (w_i + w_j) of the way from i, others never. On a face only its own nodes count, so that both sides of it agree.
// A later event breaks one label of an earlier one: nodes of that label get new labels, and only these count within it. So a
// tetrahedron has at most four parts, each convex, and the corners of these are where parts of different nodes meet: one point on every edge
// (2 parts), face (3) and cell (4) whose nodes all differ, and the nodes. A set of nodes of the tetrahedron, bit i for node i, names a corner.
#ifndef RBL_MESH_TETS_TETS_PARTITION_H
#define RBL_MESH_TETS_TETS_PARTITION_H

#include "mesh/tets/tets.h"

// A fracture. Arrays have an entry per node of the mesh.
typedef struct rblTetsEvent
{
    const uint32_t* labels; // of nodes that break; RBL_NONE for all others
    const double* weights;  // positive; read where there is a label
    uint32_t first_label;   // added to the labels: what they are called among those of all events
} rblTetsEvent;

// Events on one mesh: each breaks a label of an earlier one, the first the whole.
typedef struct rblTetsPartition
{
    const rblTetsView* tets;
    const rblTetsEvent* events;
    uint32_t event_count;
} rblTetsPartition;

// An event's say within a tetrahedron: its nodes fall into groups.
typedef struct rblTetSplit
{
    uint32_t nodes;     // that it divides
    uint32_t groups[4]; // sets of nodes with one label each, in the order of labels
    uint32_t group_count;
    double weights[4]; // per node
} rblTetSplit;

// How a tetrahedron is divided. A group of nodes that no split divides is a part.
typedef struct rblTetRule
{
    uint32_t part_count;
    uint32_t parts[4];   // per node: its part
    uint32_t members[4]; // per part: its nodes
    uint32_t labels[4];  // per part
    uint32_t events[4];  // per part: the last event with a say in it; RBL_NONE: none
    rblTetSplit splits[3];
    uint32_t split_count;
} rblTetRule;

// A facet between two parts or on a face of the tetrahedron: a convex flat polygon, counter-clockwise seen from outside of the part.
typedef struct rblTetFacet
{
    uint32_t corners[4]; // sets of nodes
    uint32_t corner_count;
    uint32_t other; // part on the other side, or 4 + k: the face opposite to node k
} rblTetFacet;

// ---- the rule ----

static inline uint32_t rbl_tet_lowest_node(uint32_t nodes)
{
    return (nodes & 1u) != 0 ? 0 : ((nodes & 2u) != 0 ? 1 : ((nodes & 4u) != 0 ? 2 : 3));
}

// All events of a partition. Without any the label is 0.
void rbl_tets_rule(const rblTetsPartition* partition, uint32_t tet, rblTetRule* out);

// Whether all nodes have the same label: the cheap question. Then *label is that, and *event the one that gave it.
bool rbl_tets_is_whole(const rblTetsPartition* partition, uint32_t tet, uint32_t* label, uint32_t* event);

// The part of a point.
uint32_t rbl_tet_part(const rblTetRule* rule, const double barycentric[4]);

// Barycentric coordinates, by signed volumes; their sum is 1 to rounding.
void rbl_tet_barycentric(const rblVec3d corners[4], rblVec3d point, double out[4]);

// ---- geometry ----

// The position of a corner. It depends on the nodes of the corner alone: `order` is the number of each node in the mesh, by which sums
// are ordered, so that tetrahedra that share the corner compute the same bits.
rblVec3d rbl_tet_corner_position(const rblTetRule* rule, uint32_t nodes, const uint32_t order[4],
                                 const rblVec3d corners[4]);

// The facet between two different parts, counter-clockwise seen from the second.
rblTetFacet rbl_tet_facet(const rblTetRule* rule, uint32_t from, uint32_t to);

#endif
