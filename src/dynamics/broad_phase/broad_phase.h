// Which bodies come near each other: a persistent set of pairs over fat boxes.
//
// A proxy is a body's box, grown by a slack so that small motions change nothing. Only proxies that leave their fat box (or
// are born, or touched) look for new partners, all of them in one parallel search; a pair ends when the fat boxes part. At
// every update the set is exactly: all pairs of overlapping fat boxes, one of the two at least moving, that the filter wants.
//
// Fat boxes depend on the motion of their own proxy alone, so the set does not depend on the order of calls, nor does
// anything depend on the number of workers. See docs/broad-phase.md.
#ifndef RBL_DYNAMICS_BROAD_PHASE_BROAD_PHASE_H
#define RBL_DYNAMICS_BROAD_PHASE_BROAD_PHASE_H

#include "base/array.h"
#include "base/jobs.h"
#include "rubble/world.h"

typedef struct rblBroadPhase rblBroadPhase;

// Two proxies whose fat boxes overlap, a < b.
typedef struct rblProxyPair
{
    uint32_t a, b;
} rblProxyPair;

typedef RBL_ARRAY(rblProxyPair) rblProxyPairArray;

// Whether a pair is wanted at all: filters, joined bodies. Called from several threads, a < b. It must answer the same until
// one of the two is touched. Pairs of two proxies that do not move never come here.
typedef bool rblPairFilterFcn(uint32_t a, uint32_t b, const void* context);

rblResult rbl_broad_phase_create(const rblAllocator* allocator, rblBroadPhase** out);
void rbl_broad_phase_destroy(rblBroadPhase* broad);

// ---- proxies ----

// Proxies are named by the caller (body slots, below 2^30; memory grows with the largest). Adding one that exists, or moving
// one that does not, is a bug. `moving`: dynamic or kinematic. Boxes may be unbounded (planes). Refused, with a message that
// names the proxy: boxes that are NaN or inside out. Boxes of moving proxies get a slack in proportion to their size; those of
// others none. Whatever distance must be seen belongs to the box itself.
rblResult rbl_broad_phase_add(rblBroadPhase* broad, uint32_t proxy, rblAabb box, bool moving);
void rbl_broad_phase_remove(rblBroadPhase* broad, uint32_t proxy);

// Remove and add again, as one that moves or as one that does not. Nothing is changed when it fails.
rblResult rbl_broad_phase_change_tree(rblBroadPhase* broad, uint32_t proxy, rblAabb box, bool moving);

// New tight boxes of many proxies at once, each proxy once: the box of the body swept through the coming step. `margin` is
// added to the slack of those that leave their fat box slowly (fast ones get none); 0 is fine. Proxies not named stay where
// they are (asleep). When
// one box is refused, or memory runs out, none has moved.
rblResult rbl_broad_phase_move(rblBroadPhase* broad, const uint32_t* proxies, const rblAabb* boxes,
                               uint32_t count, float margin, rblJobs* jobs);

// Whether moving a proxy to any box that holds `inner` and lies in `outer`, with no margin, would change nothing.
bool rbl_broad_phase_serves(const rblBroadPhase* broad, uint32_t proxy, rblAabb inner, rblAabb outer);

// Look at this proxy's partners again in the next update and ask the filter anew, although it has not moved.
void rbl_broad_phase_touch(rblBroadPhase* broad, uint32_t proxy);

rblAabb rbl_broad_phase_fat_box(const rblBroadPhase* broad, uint32_t proxy);

// ---- pairs ----

// Find what changed since the last update: both arrays are replaced, each sorted by (a, b). A proxy that was removed has all
// its pairs ended; when it was added again they begin anew, so that a pair may be in both: take the ended ones first. When
// it fails everything is as before, and the next update does it all.
rblResult rbl_broad_phase_update(rblBroadPhase* broad, rblPairFilterFcn* filter, const void* context,
                                 rblJobs* jobs, rblProxyPairArray* begun, rblProxyPairArray* ended);

// All pairs as of the last update, sorted by (a, b), valid until the next. Null when there are none.
const rblProxyPair* rbl_broad_phase_pairs(const rblBroadPhase* broad);
uint32_t rbl_broad_phase_pair_count(const rblBroadPhase* broad);

// ---- snapshots ----

// All that the future depends on, beside the pairs: of every number below a bound, also of those that are not there (one may
// have been removed since the last update). Load them into an empty broad phase, then the pairs: it goes on as the saved
// one would have, with whatever was pending.
typedef struct rblProxyState
{
    rblAabb fat;
    uint32_t flags;
} rblProxyState;

rblProxyState rbl_broad_phase_save(const rblBroadPhase* broad, uint32_t proxy);
rblResult rbl_broad_phase_load(rblBroadPhase* broad, uint32_t proxy, const rblProxyState* state);
rblResult rbl_broad_phase_load_pairs(rblBroadPhase* broad, const rblProxyPair* pairs, uint32_t count);

// ---- queries ----

// Between any two calls; several threads may ask at once. Every proxy whose fat box overlaps a box, touching included: those that
// never move first, else in no promised order but the same every time. Return false to stop.
typedef bool rblProxyVisitor(uint32_t proxy, void* context);
void rbl_broad_phase_query(const rblBroadPhase* broad, rblAabb box, rblProxyVisitor* visit, void* context);

// Proxies whose fat box, grown by `half_size`, a ray meets; none is missed, and one that is missed by a rounding error may be
// visited. Near ones come first within each tree. The visitor returns the new t_max: smaller to cut the ray, negative to
// stop. A ray that is not finite or has no direction meets nothing.
typedef float rblProxyRayVisitor(uint32_t proxy, const rblRay* ray, void* context);
void rbl_broad_phase_ray(const rblBroadPhase* broad, const rblRay* ray, rblVec3 half_size,
                         rblProxyRayVisitor* visit, void* context);

// Check of the whole structure, for tests: the first proxy that stands wrong, UINT32_MAX when all is well.
uint32_t rbl_broad_phase_find_fault(const rblBroadPhase* broad);

#endif
