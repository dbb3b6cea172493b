// Cracks that grow through tetrahedra by the stress: Rankine initiation, a surface that follows the stress as an implicit
// function with values at nodes, and the balance of released energy and surface energy (Glondu 2012 cites, but does
// not describe its fracture step). The result is a label and a weight per node, from which mesh/tets/tets_partition.h creates
// fragments.
#ifndef RBL_FRACTURE_STRESS_CRACKS_H
#define RBL_FRACTURE_STRESS_CRACKS_H

#include "base/memory.h"
#include "rubble/elasticity.h"

// Data of a tetrahedron for crack fronts, in one cache line.
typedef struct rblGraphTet
{
    uint32_t nodes[4], neighbors[4]; // as the mesh has them
    rblVec3d middle;                 // m
    uint64_t unused;
} rblGraphTet;

// The neighbours of each node: from starts[i] to starts[i + 1], sorted. Along edges of the solid's tetrahedra only (`solid`), or of all.
typedef struct rblTetGraph
{
    uint32_t* starts;
    uint32_t* nodes;
    double* lengths;     // m, of the edges, in the order of `nodes`
    double* mean_edges;  // m, per node; 0 where it has none
    double* volumes;     // m^3, per node: a quarter of each of its tetrahedra
    uint32_t* tets;      // per node: one of its tetrahedra; undefined where it has none
    rblGraphTet* around; // per tetrahedron, at a multiple of 64 bytes
    void* around_memory;
    uint32_t node_count;
    uint32_t tet_count;
    uint32_t edge_count; // each edge twice
    const rblAllocator* allocator;
} rblTetGraph;

rblResult rbl_tet_graph_create(const rblTetsView* tets, bool solid, const rblAllocator* allocator,
                               rblTetGraph* out);
void rbl_tet_graph_free(rblTetGraph* graph);

// A force on the body, by Hertz' contact.
typedef struct rblCrackLoad
{
    rblVec3d point;     // m
    rblVec3d direction; // of the force, of length 1
    double radius;      // m, of the contact
    double reach;       // m: how far the contact alone drives a crack
} rblCrackLoad;

// A body under stress. Arrays are per node; values of nodes outside the body are not read.
typedef struct rblCrackBody
{
    const rblTetsView* tets;
    const rblTetGraph* solid_graph;
    const rblTetGraph* graph;
    const rblStress* stress; // of nodes of the solid
    const double* strength;  // Pa; infinite: never
    double stronger;         // factor of the strength: where little is under tension there are few flaws
    const rblCrackLoad* loads;
    uint32_t load_count;     // 0: the stress does not come from loads, and no fragment is without a load
    const double* toughness; // G_c, J/m^2
    double young, poisson;   // to compute energy from stress
    double budget;           // largest cost of all cracks together, J; infinite: no limit
    double smallest;         // m^3: fragments smaller than this are merged into a neighbour
    uint32_t max_fragments;  // at least 1
} rblCrackBody;

typedef struct rblCrackReport
{
    uint32_t fragments; // number of labels; 1: the body does not break
    uint32_t cracks;    // that separated a fragment
    uint32_t open;      // that go right through but separated nothing, such as the first through a ring
    uint32_t stalled;   // that ended inside for lack of energy
    uint32_t merged;    // fragments that were too small
    double area;        // of cracks that go right through, within the solid, m^2
    double cost;        // of these: toughness times area, J
    double released;    // elastic energy that they release, by Griffith's estimate, J
    double elastic;     // J in the body before
    double worst_ratio; // largest ratio of principal stress to strength: cracks start above 1
} rblCrackReport;

// Elastic energy by volume, J/m^3.
double rbl_energy_density(double young, double poisson, const rblStress* stress);

// The largest principal stress, or 0 where it is certainly below `least`: a test that takes a tenth of the time.
double rbl_largest_unless_below(const rblStress* stress, double least);

// The part of a tension that a penny-shaped crack leaves above its middle, at a distance relative to its radius (cracks_relief.c).
double rbl_crack_tension_left(double distance);

// Grow cracks until no node is above its strength, or the budget is spent. `labels` are 0 in the body and RBL_NONE elsewhere
// and receive the fragment of each node; `weights` those of the partition rule. Fails when out of memory only, and then labels and
// weights are undefined.
rblResult rbl_grow_cracks(const rblCrackBody* body, const rblAllocator* allocator, uint32_t* labels,
                          double* weights, rblCrackReport* report);

#endif
