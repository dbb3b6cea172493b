// Which bodies come near each other: a persistent set of pairs over fat boxes.
//
// A proxy is a body's box, grown by a margin so that small motions change nothing. Only proxies that leave their fat box
// (or are born, or change their filter) look for new partners, all of them in one traversal; a pair ends when the fat boxes part.
// Static and dynamic proxies are kept apart. Results do not depend on the number of workers: pairs begin and end in order of ids.
#ifndef RBL_DYNAMICS_BROAD_PHASE_H
#define RBL_DYNAMICS_BROAD_PHASE_H

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

// Whether a pair is wanted at all: filters, both static, joined bodies. Called from several threads.
typedef bool rblPairFilterFcn(uint32_t a, uint32_t b, const void* context);

rblResult rbl_broad_phase_create(const rblAllocator* allocator, rblBroadPhase** out);
void rbl_broad_phase_destroy(rblBroadPhase* broad);

// Proxies are named by the caller (body slots). Adding one that exists, or moving one that does not, is a bug.
// `moving`: dynamic or kinematic. Boxes may be infinite (planes).
rblResult rbl_broad_phase_add(rblBroadPhase* broad, uint32_t proxy, rblAabb box, bool moving);
void rbl_broad_phase_remove(rblBroadPhase* broad, uint32_t proxy);

// New tight boxes of many proxies at once: the box of the body swept through the coming step. `margin` grows fat boxes.
// Proxies not named stay where they are (asleep).
rblResult rbl_broad_phase_move(rblBroadPhase* broad, const uint32_t* proxies, const rblAabb* boxes,
                               uint32_t count, float margin, rblJobs* jobs);

// Look at this proxy's partners again in the next update, although it has not moved.
void rbl_broad_phase_touch(rblBroadPhase* broad, uint32_t proxy);

// Find what changed since the last update: pairs that begin and pairs that end (also of removed proxies), each sorted by (a, b).
rblResult rbl_broad_phase_update(rblBroadPhase* broad, rblPairFilterFcn* filter, const void* context,
                                 rblJobs* jobs, rblProxyPairArray* begun, rblProxyPairArray* ended);

// Every proxy whose fat box overlaps a box, in no promised order but the same every time. Return false to stop.
typedef bool rblProxyVisitor(uint32_t proxy, void* context);
void rbl_broad_phase_query(const rblBroadPhase* broad, rblAabb box, rblProxyVisitor* visit, void* context);

// Proxies whose fat box grown by `radius` a ray meets; the visitor returns the new t_max (smaller to cut the ray, negative to stop).
typedef float rblProxyRayVisitor(uint32_t proxy, const rblRay* ray, void* context);
void rbl_broad_phase_ray(const rblBroadPhase* broad, const rblRay* ray, rblVec3 half_size,
                         rblProxyRayVisitor* visit, void* context);

uint32_t rbl_broad_phase_pair_count(const rblBroadPhase* broad);
size_t rbl_broad_phase_bytes(const rblBroadPhase* broad);

#endif
