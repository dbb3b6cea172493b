// How a fracture divides tetrahedra: one rule for the inside test, the field and the surface of fragments. It is a
// multi-material rule and replaces the six planes of Glondu 2012, 4.1.
//
// An event gives each node i of the broken region a label l_i and a weight w_i > 0. A point with barycentric coordinates
// b gets the label
//   argmax over labels l of  phi_l = sum over nodes with l_i = l of w_i b_i          (ties: the lowest label).
// Two labels: the border is the plane phi_1 = phi_2; with w_i = |g(x_i)| that is the linear zero set of g. An edge
// between different labels is cut once, at the parameter w_i / (w_i + w_j) from i; other edges are never cut. On a face
// only its own nodes count, so that both sides of it agree. A later event breaks one label of an earlier one: nodes of
// that label get new labels, and only these count within it. So a tetrahedron has at most four parts, each convex. A
// corner of a part is a point where parts of different nodes meet: one point on every edge (2 parts), face (3 parts) and
// tetrahedron (4 parts) whose nodes are all of different parts, and the nodes themselves. A corner is identified by its
// set of nodes, bit i for node i.
#ifndef RBL_MESH_TETS_TETS_PARTITION_H
#define RBL_MESH_TETS_TETS_PARTITION_H

#include "mesh/tets/tets.h"

// An event, one fracture. Arrays have an entry per node of the mesh.
typedef struct rblTetsEvent
{
    const uint32_t* labels; // of the nodes that break; RBL_NONE for all others
    const double* weights;  // positive; read where there is a label
    uint32_t first_label;   // added to the labels, so that labels of different events differ
} rblTetsEvent;

// The events of one mesh: the first breaks the whole mesh, each later one a label of an earlier event.
typedef struct rblTetsPartition
{
    const rblTetsView* tets;
    const rblTetsEvent* events;
    uint32_t event_count;
} rblTetsPartition;

// The split of a tetrahedron by one event: its nodes form groups.
typedef struct rblTetSplit
{
    uint32_t nodes;     // the nodes that it splits
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
    uint32_t events[4];  // per part: the last event that split it; RBL_NONE: none
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

// Apply all events of a partition. Without events the label is 0.
void rbl_tets_rule(const rblTetsPartition* partition, uint32_t tet, rblTetRule* out);

// Whether all nodes have the same label, a fast test. Then *label is this label, and *event its event.
bool rbl_tets_is_whole(const rblTetsPartition* partition, uint32_t tet, uint32_t* label, uint32_t* event);

// The part of a point.
uint32_t rbl_tet_part(const rblTetRule* rule, const double barycentric[4]);

// Barycentric coordinates from signed volumes; their sum is 1 up to rounding.
void rbl_tet_barycentric(const rblVec3d corners[4], rblVec3d point, double out[4]);

// ---- geometry ----

// The position of a corner. It depends on the nodes of the corner alone: `order` is the number of each node in the mesh, by which sums
// are ordered, so that tetrahedra that share the corner compute the same bits.
rblVec3d rbl_tet_corner_position(const rblTetRule* rule, uint32_t nodes, const uint32_t order[4],
                                 const rblVec3d corners[4]);

// The facet between two different parts, counter-clockwise seen from the second.
rblTetFacet rbl_tet_facet(const rblTetRule* rule, uint32_t from, uint32_t to);

#endif
