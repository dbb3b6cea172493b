// What the files of crack growth share.
#ifndef RBL_FRACTURE_CRACKS_PRIVATE_H
#define RBL_FRACTURE_CRACKS_PRIVATE_H

#include "base/arena.h"
#include "base/array.h"
#include "fracture/cracks.h"
#include "math/trig.h"
#include "math/vec.h"

// A tetrahedron that a front may enter, or a node that relief reaches: nearest first.
typedef struct rblGrowthItem
{
    double key;
    uint32_t item;
    uint32_t from; // the tetrahedron that the front comes from
} rblGrowthItem;

typedef RBL_ARRAY(rblGrowthItem) rblGrowthFront;

// A heap; of equal keys the lower item comes first, so that the order depends on nothing else.
bool rbl_growth_push(rblGrowthFront* front, rblGrowthItem item);
rblGrowthItem rbl_growth_pop(rblGrowthFront* front);

// An edge that is cut, and where a crack would have it: log(value at a / value at b).
typedef struct rblCutEdge
{
    uint32_t a, b;
    double ratio;
} rblCutEdge;

// A crack that is being grown. Node values are those of its implicit function where `known` is the crack's stamp.
typedef struct rblCrack
{
    uint32_t label; // of the fragment that it goes through
    uint32_t stamp;
    rblVec3d start, normal;
    double area, cost;  // of what has been cut
    double energy_area; // integral of the energy density over it
    double free_area;   // of a flaw that is there already
    double released;    // by Griffith's estimate for a penny of that area
    bool stalled;
} rblCrack;

typedef struct rblCrackGrowth
{
    const rblCrackBody* body;
    uint32_t* labels;
    uint32_t label_count;
    double* values;           // per node, of the crack that is grown
    uint32_t* known;          // per node: the stamp of the crack whose value it has
    uint32_t* seen;           // per tetrahedron: the stamp of the crack that came by
    rblVec3d* normals;        // per tetrahedron that was seen: of the crack in it
    rblVec3d* node_normals;   // per node with a value: of the crack near it
    double* relief;           // per node: the part of its stress that earlier cracks left, 0 to 1
    double* own;              // per node: the value of the first crack that cut an edge of it; 0: none did
    double* peak;             // per node: largest principal stress; 0 where a crack has been tried
    rblIndexArray candidates; // nodes whose stress reaches their strength
    rblIndexArray queue;
    rblIndexArray cut_nodes; // that have values of this crack
    rblGrowthFront front;
    RBL_ARRAY(rblCutEdge) edges; // of all cracks
    double energy_left;          // J of elastic energy and budget that no crack has spent
    rblArena arena;
    const rblAllocator* allocator;
} rblCrackGrowth;

// Values are kept this part of the mean edge away from zero, so that no cut comes closer to a node.
#define RBL_LEAST_CRACK_VALUE 0.04

// Mean length of the edges of a node; 0 where it has none.
double rbl_mean_edge(const rblTetGraph* graph, const rblVec3d* positions, uint32_t node);

// Elastic energy by volume, J/m^3.
double rbl_energy_density(const rblCrackBody* body, const rblStress* stress);

// Mean stress of a tetrahedron's nodes that belong to `label`, with what relief has left of it. False: none is in the solid.
bool rbl_crack_stress(const rblCrackGrowth* growth, uint32_t tet, uint32_t label, rblStress* out);

// Even out the values of a crack that was grown (cracks_smooth.c). False when out of memory.
bool rbl_crack_smooth(rblCrackGrowth* growth, const rblCrack* crack);

// Grow a crack from the start that is set (cracks_grow.c). False when out of memory.
bool rbl_crack_run(rblCrackGrowth* growth, rblCrack* crack);

// Give new labels to what the crack cut off (cracks_split.c); `parts` receives how many parts there are now of what it went
// through. False when out of memory.
bool rbl_crack_split(rblCrackGrowth* growth, const rblCrack* crack, uint32_t* parts);

// Join fragments that are too small, number them without gaps, label the rim, find weights (cracks_finish.c).
bool rbl_cracks_finish(rblCrackGrowth* growth, double* weights, rblCrackReport* report);

#endif
