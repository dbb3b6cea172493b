// The broad phase: a persistent set of pairs of bodies whose fat boxes overlap.
//
// A proxy is the box of a body, enlarged by a slack, so that small motions change nothing. A proxy searches for new pairs only
// when it leaves its fat box, is added, or is touched. All these proxies search in one parallel loop. A pair ends when its fat
// boxes separate. After every update the set contains exactly the pairs of overlapping fat boxes with at least one moving proxy
// that the filter accepts.
//
// A fat box depends only on the motion of its own proxy. So the set depends neither on the order of calls nor on the number of
// workers. See docs/broad-phase.md.
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

// Whether two bodies may form a pair: filters and joints decide. Called from several threads, with a < b. The result for a pair
// must not change until one of the two proxies is touched. The filter is not called for two proxies that do not move.
typedef bool rblPairFilterFcn(uint32_t a, uint32_t b, const void* context);

rblResult rbl_broad_phase_create(const rblAllocator* allocator, rblBroadPhase** out);
void rbl_broad_phase_destroy(rblBroadPhase* broad);

// ---- proxies ----

// The caller chooses the number of a proxy: a body slot below 2^30. Memory grows with the largest number. A proxy must not be
// added twice, and only existing proxies may be moved. `moving`: dynamic or kinematic. Boxes may be unbounded (planes). A box
// that is NaN or whose lower corner is above its upper one is an error, and the message names the proxy. Boxes of moving
// proxies get a slack proportional to their size, other boxes get none. The caller includes the contact margin in the box.
rblResult rbl_broad_phase_add(rblBroadPhase* broad, uint32_t proxy, rblAabb box, bool moving);
void rbl_broad_phase_remove(rblBroadPhase* broad, uint32_t proxy);

// Remove and add again, with another value of `moving`. A call that fails changes nothing.
rblResult rbl_broad_phase_change_tree(rblBroadPhase* broad, uint32_t proxy, rblAabb box, bool moving);

// Set new boxes of many proxies, each at most once: the bounds of the body swept over the next step. `margin` is added to the
// slack of proxies that leave their fat box slowly (fast ones get no slack); it may be 0. Other proxies keep their boxes
// (sleeping bodies). When a box is invalid, or memory runs out, no proxy has moved.
rblResult rbl_broad_phase_move(rblBroadPhase* broad, const uint32_t* proxies, const rblAabb* boxes,
                               uint32_t count, float margin, rblJobs* jobs);

// Whether a move of the proxy to any box that contains `inner` and lies in `outer`, with margin 0, keeps its fat box.
bool rbl_broad_phase_serves(const rblBroadPhase* broad, uint32_t proxy, rblAabb inner, rblAabb outer);

// Search for the pairs of this proxy in the next update and call the filter again, although it has not moved.
void rbl_broad_phase_touch(rblBroadPhase* broad, uint32_t proxy);

rblAabb rbl_broad_phase_fat_box(const rblBroadPhase* broad, uint32_t proxy);

// ---- pairs ----

// Find the pairs that began and ended since the last update: both arrays are replaced, each sorted by (a, b). All pairs of a
// removed proxy end. When it was added again, they begin again, so a pair may be in both arrays: ended pairs must be processed
// first. A call that fails changes nothing, and the next update repeats the search.
rblResult rbl_broad_phase_update(rblBroadPhase* broad, rblPairFilterFcn* filter, const void* context,
                                 rblJobs* jobs, rblProxyPairArray* begun, rblProxyPairArray* ended);

// All pairs of the last update, sorted by (a, b), valid until the next update. Null when there are none, or no memory.
const rblProxyPair* rbl_broad_phase_pairs(rblBroadPhase* broad);
uint32_t rbl_broad_phase_pair_count(const rblBroadPhase* broad);

// ---- snapshots ----

// The complete state of a proxy, except for its pairs. It exists for every number below the capacity, also for removed proxies,
// because a removal may be pending. An empty broad phase that loads all proxies and then the pairs continues exactly as the
// saved one, with the same pending changes.
typedef struct rblProxyState
{
    rblAabb fat;
    uint32_t flags;
} rblProxyState;

rblProxyState rbl_broad_phase_save(const rblBroadPhase* broad, uint32_t proxy);
rblResult rbl_broad_phase_load(rblBroadPhase* broad, uint32_t proxy, const rblProxyState* state);
rblResult rbl_broad_phase_load_pairs(rblBroadPhase* broad, const rblProxyPair* pairs, uint32_t count);

// ---- queries ----

// Visit every proxy whose fat box overlaps or touches a box. Several threads may query between two other calls. Static proxies
// come first; the rest of the order is unspecified but deterministic. The visitor returns false to stop.
typedef bool rblProxyVisitor(uint32_t proxy, void* context);
void rbl_broad_phase_query(const rblBroadPhase* broad, rblAabb box, rblProxyVisitor* visit, void* context);

// Visit the proxies whose fat box, enlarged by `half_size`, a ray intersects. No such proxy is left out; rounding may add
// others. Within each tree, near proxies come first. The visitor returns the new t_max: smaller to shorten the ray, negative to
// stop. A ray that is not finite or has no direction intersects nothing.
typedef float rblProxyRayVisitor(uint32_t proxy, const rblRay* ray, void* context);
void rbl_broad_phase_ray(const rblBroadPhase* broad, const rblRay* ray, rblVec3 half_size,
                         rblProxyRayVisitor* visit, void* context);

bool rbl_broad_phase_has(const rblBroadPhase* broad, uint32_t proxy);

// Checks of the whole structure, for tests: whether the pairs are sorted and their lists intact; the first proxy with an error,
// or UINT32_MAX.
bool rbl_broad_phase_has_valid_pairs(const rblBroadPhase* broad);
uint32_t rbl_broad_phase_find_fault(const rblBroadPhase* broad);

#endif
