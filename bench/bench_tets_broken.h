// Solids that break again and again into the cells of seeds, on one background.
#ifndef RBL_BENCH_BENCH_TETS_BROKEN_H
#define RBL_BENCH_BENCH_TETS_BROKEN_H

#include "base/random.h"
#include "field/fragment/fragment_field.h"
#include "mesh/tets/tets_partition.h"
#include "rubble/rubble.h"

#define RBL_BROKEN_EVENTS 24

typedef struct rblBroken
{
    rblMeshId mesh;
    rblTetsId tets;
    rblShapeId solid;
    rblBackground* background;
    uint32_t count; // of events
    rblFragmentEvent* events[RBL_BROKEN_EVENTS];
    uint32_t parents[RBL_BROKEN_EVENTS], parent_labels[RBL_BROKEN_EVENTS]; // RBL_NONE: the whole
    uint32_t* labels[RBL_BROKEN_EVENTS];
    double* weights[RBL_BROKEN_EVENTS];
    rblTetsEvent rules[RBL_BROKEN_EVENTS];
    rblRandom random;
} rblBroken;

// A fragment that did not break any further.
typedef struct rblBrokenPart
{
    uint32_t event, label;
} rblBrokenPart;

// `kind` as for rbl_mesh_make(). rbl_broken_free() in any case.
rblResult rbl_broken_make(rblBroken* broken, const char* kind, uint32_t tets);
void rbl_broken_free(rblBroken* broken);

// The fragment with most nodes breaks, at first the whole.
rblResult rbl_broken_break(rblBroken* broken, uint32_t seed_count);

// All fragments, `out` has the capacity `most`. Returns their number.
uint32_t rbl_broken_parts(const rblBroken* broken, rblBrokenPart* out, uint32_t most);

rblFragmentField rbl_broken_field(const rblBroken* broken, rblBrokenPart part);

// The part's number among those of all events, as the partition has it.
uint32_t rbl_broken_label(const rblBroken* broken, rblBrokenPart part);

static inline rblTetsPartition rbl_broken_partition(const rblBroken* broken)
{
    return (rblTetsPartition){broken->background->view, broken->rules, broken->count};
}

#endif
