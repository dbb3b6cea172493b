// Types and functions that the files of crack growth share.
#ifndef RBL_FRACTURE_STRESS_CRACKS_PRIVATE_H
#define RBL_FRACTURE_STRESS_CRACKS_PRIVATE_H

#include "base/arena.h"
#include "base/array.h"
#include "base/hash_map.h"
#include "fracture/stress/cracks.h"
#include "math/trig.h"
#include "math/vec.h"
#include <math.h>

// A tetrahedron that a front may enter; the nearest to the start of the crack is first.
typedef struct rblGrowthItem
{
    double key;
    uint32_t item;
} rblGrowthItem;

typedef RBL_ARRAY(rblGrowthItem) rblGrowthFront;

// A heap; of equal keys the lower item comes first, so that the order is deterministic.
bool rbl_growth_push(rblGrowthFront* front, rblGrowthItem item);

// An edge that is cut, and the position of the cut by the crack: log(value at a / value at b).
typedef struct rblCutEdge
{
    uint32_t a, b;
    double ratio;
} rblCutEdge;

// A crack that is being grown. Node values are those of its implicit function where `known` is the crack's stamp.
typedef struct rblCrack
{
    uint32_t label;       // of the fragment that it goes through
    uint32_t first_label; // parts that it separates have labels from here on, and `label`
    uint32_t stamp;
    rblVec3d start, normal;
    rblVec3d sides[2];  // of the plane that it begins in
    double cell;        // m: side of the squares in which sheets are told apart
    double area, cost;  // of what has been cut
    double driven;      // part of the cost that contacts pay
    double energy_area; // integral over it of the energy density of the tension across
    double free_area;   // of a flaw that is there already
    double released;    // by Griffith's estimate for a penny of that area
    double cut_off;     // m^3: of the parts with new labels
    bool stalled;
} rblCrack;

#define RBL_SHEET_CELLS 128u // a side

// How high a crack lies above the plane that it began in, in a square of that.
typedef struct rblSheetCell
{
    uint32_t stamp; // of the crack that passes here
    float height;
} rblSheetCell;

// The first cache line of a block with one line more than needed.
static inline void* rbl_at_line(void* memory)
{
    return (void*)(((uintptr_t)memory + 63) & ~(uintptr_t)63);
}

// Label and stamps of a node, close together in memory because cracks grow from node to node.
typedef struct rblCrackMark
{
    uint32_t label;
    uint32_t known;   // the stamp of the crack whose value it has
    uint32_t visited; // the stamp of the crack from which it was reached when parts were found
    uint32_t
        place; // with a value: in `band`; then, when parts are found, from which node of the band it was reached
} rblCrackMark;

// Where a node is, and the value of the crack's implicit function there.
typedef struct rblCrackNode
{
    rblVec3d position;
    double value;
} rblCrackNode;

// More data of a node for fronts, in one cache line.
typedef struct rblCrackStuff
{
    rblStress stress; // that earlier cracks left; undefined outside of the solid
    double toughness;
    double edge; // m: mean length of its edges
} rblCrackStuff;

// A direction at a node of the band; four numbers, since two at a time are added.
typedef struct rblCrackNormal
{
    double v[4];
} rblCrackNormal;

static inline rblCrackNormal rbl_crack_normal(rblVec3d n)
{
    return (rblCrackNormal){{n.x, n.y, n.z, 0.0}};
}

// Of length 1. Sums of directions are far from where squares overflow; `fallback` where they cancel.
static inline rblVec3d rbl_crack_direction(const rblCrackNormal* sum, rblVec3d fallback)
{
    const double square = sum->v[0] * sum->v[0] + sum->v[1] * sum->v[1] + sum->v[2] * sum->v[2];
    if (!(square > 1e-30))
    {
        return fallback;
    }
    const double scale = 1.0 / sqrt(square);
    return (rblVec3d){scale * sum->v[0], scale * sum->v[1], scale * sum->v[2]};
}

// Values of a crack in the arrays below are valid where `known` or `seen` is its stamp. Nothing is cleared between cracks, so the time
// of a crack depends only on its size.
typedef struct rblCrackGrowth
{
    const rblCrackBody* body;
    rblCrackMark* marks; // these four per node
    rblCrackNode* nodes;
    rblCrackStuff* stuff;
    double* distances;      // per node: m, to the last crack, where relief looked
    uint32_t* sources;      // per node: the place in `band` of the node of the crack that this distance is to
    rblIndexArray relieved; // nodes with a distance
    rblIndexArray load_nodes; // nodes that a load acts on
    RBL_ARRAY(bool) loaded;   // per label: whether a load acts on it
    RBL_ARRAY(bool) crumbs;   // per label: whether it is too small for a fragment
    uint32_t label_count;
    uint32_t stamp;          // of the last crack
    rblCrackNormal* normals; // per node of the band: of the crack near it
    uint32_t* seen;          // per tetrahedron: the stamp of the crack that came by
    double* own;             // per node: the value of the first crack that cut an edge of it; 0: none did
    double*
        peak; // per node: largest principal stress; 0 where a crack has been tried, or where it is below the strength
    rblIndexArray candidates;  // nodes whose stress reaches their strength
    rblIndexArray queue;       // of nodes that something spreads to
    rblIndexArray band;        // nodes that have values of this crack
    rblIndexArray band_starts; // per node of the band, and the end: in `band_links`
    rblIndexArray band_links;  // places of the nodes around it that are in the band, too
    rblSheetCell* sheet;       // squares of the plane, all of it wrapped around
    rblGrowthFront front;
    RBL_ARRAY(rblCutEdge) edges; // of all cracks
    rblHashMap open;             // edges that are cut, with ends that nothing had separated then
    double energy_left;          // J of elastic energy and budget that no crack has spent
    rblArena arena;
    const rblAllocator* allocator;
} rblCrackGrowth;

// Smallest absolute value, in mean edge lengths: no cut comes closer to a node.
#define RBL_MIN_CRACK_VALUE 0.04

// Smooth the values of a grown crack (cracks_smooth.c). False when out of memory.
bool rbl_crack_smooth(rblCrackGrowth* growth, const rblCrack* crack);

// Grow a crack from the start that is set (cracks_grow.c). False when out of memory.
bool rbl_crack_run(rblCrackGrowth* growth, rblCrack* crack);

// Give new labels to the parts that the crack separated, with the open cracks before it (cracks_split.c); `parts` receives the number of
// parts of the fragment. Where it separates nothing the crack stays open. False when out of memory.
bool rbl_crack_split(rblCrackGrowth* growth, rblCrack* crack, uint32_t* parts);

// A stress of which what acts across a plane with this normal is multiplied by `left`.
rblStress rbl_relieve_across(const rblStress* stress, rblVec3d normal, double left);

// The tension at the edge of a contact is above the strength where the load has a reach, but acts on less than tetrahedra resolve. So
// cracks begin at the node closest to it: number 0 along the force, and 1 to 4 down its flanks. Their normal is the first axis
// (cracks_loads.c).
#define RBL_CONTACT_CRACKS 5u
uint32_t rbl_crack_contact_node(const rblCrackGrowth* growth, const rblCrackLoad* load);
rblMat3d rbl_crack_contact_axes(const rblCrackGrowth* growth, const rblCrackLoad* load, uint32_t node,
                                uint32_t number);

// Lower the stress around a crack that goes right through. False when out of memory.
bool rbl_crack_relieve(rblCrackGrowth* growth, const rblCrack* crack);

// Find the nodes that loads act on, and the labels that have any. False when out of memory.
bool rbl_crack_find_loaded(rblCrackGrowth* growth);

// The same after a crack that goes right through. False when out of memory.
bool rbl_crack_move_loads(rblCrackGrowth* growth, const rblCrack* crack);

// Join fragments that are too small, number them without gaps, label the rim, find weights (cracks_finish.c).
bool rbl_cracks_finish(rblCrackGrowth* growth, double* weights, rblCrackReport* report);

#endif
