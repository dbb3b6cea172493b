// Cracks grown through tetrahedra where stress says so: Rankine initiation, a surface that follows the stress as an implicit
// function with values at nodes, and energy that is released against energy that a surface costs (PAPERS: Glondu 2012 cites,
// but does not describe its fracture step). What comes out is a label and a weight for every node, which
// mesh/tets/tets_partition.h turns into fragments.
#ifndef RBL_FRACTURE_STRESS_CRACKS_H
#define RBL_FRACTURE_STRESS_CRACKS_H

#include "base/memory.h"
#include "rubble/elasticity.h"

// What a front asks of a tetrahedron, in one line of the cache.
typedef struct rblGraphTet
{
    uint32_t nodes[4], neighbors[4]; // as the mesh has them
    rblVec3d middle;                 // m
    uint64_t unused;
} rblGraphTet;

// The nodes around each node: from starts[i] to starts[i + 1], rising. Edges of the solid's tetrahedra only (`solid`), or of all.
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

// What is under stress. Arrays are by node; those of nodes outside the body are not read.
typedef struct rblCrackBody
{
    const rblTetsView* tets;
    const rblTetGraph* solid_graph;
    const rblTetGraph* graph;
    const rblStress* stress; // of nodes of the solid
    const double* strength;  // Pa; infinite: never
    double stronger;         // so many times as strong is it all: what is small has few flaws
    const double* toughness; // J/m^2: G_c, what one area of crack costs
    double young, poisson;   // to tell energy from stress
    double budget;           // J that all cracks together may cost; infinite: nobody asks
    double smallest;         // m^3: fragments smaller than this are merged into a neighbour
    uint32_t max_fragments;  // at least 1
} rblCrackBody;

typedef struct rblCrackReport
{
    uint32_t fragments; // labels are below this; 1: it holds
    uint32_t cracks;    // that went through
    uint32_t stalled;   // that began and ended inside: energy did not pay, or they went around nothing
    uint32_t merged;    // fragments that were too small
    double area;        // m^2 of cracks that went through, in the solid
    double cost;        // J of them: toughness times area
    double released;    // J of elastic energy that they set free, by Griffith's estimate
    double elastic;     // J in the body before
    double worst_ratio; // largest principal stress by strength: cracks begin where it is above 1
} rblCrackReport;

// Elastic energy by volume, J/m^3.
double rbl_energy_density(double young, double poisson, const rblStress* stress);

// The largest principal stress, or 0 where it is certain to be below `least`: that costs a tenth.
double rbl_largest_unless_below(const rblStress* stress, double least);

// Grow cracks until nothing is above its strength, or nothing more can be paid. `labels` are 0 in the body and RBL_NONE elsewhere
// and receive the fragment of each node; `weights` those of the partition rule. Fails when out of memory only, and then labels and
// weights are undefined.
rblResult rbl_grow_cracks(const rblCrackBody* body, const rblAllocator* allocator, uint32_t* labels,
                          double* weights, rblCrackReport* report);

#endif
