// Approaching pairs, and the time of the next impact of each body.
//
// A body whose next impact comes after t seconds flies there (impact_flight.c) and has the rest of the step left. Bodies that
// touch each other fly together. A supported body flies only when it is isolated: static supports cannot move during its flight.
// Other bodies stay at their poses.
#include "base/union_find.h"
#include "dynamics/impact/impacts.h"
#include "dynamics/solve/contact_math.h"
#include "dynamics/stages.h"

// ---- tuning ----

#define MIN_BODIES    64    // bodies for one worker, at least
#define MIN_MANIFOLDS 256   // manifolds for one worker, at least
#define TOUCHING      0.25f // of the slop: fast bodies fly until their gap is this small

// ---- which pairs approach ----

typedef struct Look
{
    rblStep* step;
    float threshold;
    uint32_t round;
    bool approaching[RBL_MAX_BLOCKS]; // per block: a manifold has an impact, or may have one
} Look;

// Per body: its acceleration, the spin of its surface, and a bound of the speed of its points up to its impact. The contact
// point of a ball does not rotate with it. Neither does that of a shape that is not convex: another point touches a moment
// later.
static void bound_block(rblRange range, void* context)
{
    const Look* look = context;
    rblStep* step = look->step;
    rblWorld* world = step->world;
    for (uint32_t i = range.begin; i < range.end; ++i)
    {
        if (look->round > 0 && step->impact->isolations.data[i + 1] != RBL_ISOLATION_BUSY)
        {
            continue; // not read in this round
        }
        const rblSolverBody* body = &step->solver_bodies.data[i + 1];
        const rblBody* record = &world->bodies.data[body->slot];
        const rblVec3 pull = rbl_body_linear_acceleration(world, body);
        const float spin = rbl_length3(body->spin);
        const float turning = spin > 0.0f ? spin * record->shape.radius : 0.0f;
        const float falling = record->falls ? step->seconds * rbl_length3(pull) : 0.0f;
        const rblVec3 none = {0, 0, 0};
        const bool turns = record->shape.convex && record->shape.rolling != RBL_ROLLS_AS_BALL;
        step->impact->accelerations.data[i + 1] = pull;
        step->impact->surface_spins.data[i + 1] = turns ? body->spin : none;
        step->impact->speeds.data[i + 1] = rbl_length3(body->velocity) + turning + falling;
    }
}

// Motion that closes a gap.
typedef struct Motion
{
    float speed, acceleration;
    float threshold; // m/s: slower approach is no impact
} Motion;

// Time to cover a distance, s; `never` when that takes longer, or when the speed stays below the threshold.
static float time_to_cover(float distance, Motion motion, float never)
{
    const float square = motion.speed * motion.speed + 2.0f * motion.acceleration * distance;
    if (!(square > motion.threshold * motion.threshold))
    {
        return never;
    }
    const float sum = motion.speed + sqrtf(square); // twice the mean speed
    return sum > 0.0f ? rbl_minf(2.0f * distance / sum, never) : never;
}

// A lasting contact counts as closed when its gap is one slop. A pair that closes its gap only to that distance in this step
// has its impact there.
static float time_to_close(const rblManifold* manifold, float gap, Motion motion)
{
    const float never = manifold->seconds;
    const float whole = rbl_manifold_is_convex(manifold) ? time_to_cover(gap, motion, never) : never;
    return whole < never ? whole : time_to_cover(gap - manifold->slop, motion, never);
}

// Approach of two bodies at a contact, along the normal.
typedef struct Approach
{
    float speed;          // m/s
    float pull_a, pull_b; // m/s^2: by gravity and user forces
    float bend;           // m/s^2: by the curvature of the paths of rotating points
} Approach;

static float bend_at(rblVec3 spin, rblVec3 arm, rblVec3 normal)
{
    return rbl_dot3(rbl_cross3(spin, rbl_cross3(spin, arm)), normal);
}

// Neither shape is convex, and neither body is static.
static bool is_rough_pair(const rblStep* step, const rblManifold* manifold)
{
    const rblWorld* world = step->world;
    const rblPair* pair = &world->pairs.data[manifold->pair];
    const bool moving = manifold->a != 0 && manifold->b != 0;
    return moving && !step->surfaces.data[pair->a].exact && !step->surfaces.data[pair->b].exact;
}

// 1 when the time of impact includes gravity on a body, otherwise 0. A shape that is not convex and rolls on points has open
// gaps between them although it is supported, so such a body falls only when nothing supported it in the last step. Two
// moving bodies of that kind have many points that touch one after the other, and the first one is not representative: with
// gravity, statues in a heap overlapped by 5 mm instead of 2 mm at worst.
static float falls(const rblStep* step, const rblManifold* manifold, uint32_t index)
{
    const rblWorld* world = step->world;
    if (rbl_manifold_is_convex(manifold))
    {
        return 1.0f;
    }
    const bool free = index != 0 && world->bodies.data[step->solver_bodies.data[index].slot].falls;
    return free && !is_rough_pair(step, manifold) ? 1.0f : 0.0f;
}

static Approach approach_at(const rblStep* step, const rblManifold* manifold, const rblSolverContact* contact)
{
    const rblSolverBody* a = &step->solver_bodies.data[manifold->a];
    const rblSolverBody* b = &step->solver_bodies.data[manifold->b];
    const rblVec3 u = rbl_relative_velocity(a, b, contact->arm_a, contact->arm_b);
    return (Approach){
        .speed = -rbl_dot3(u, contact->normal),
        .pull_a = falls(step, manifold, manifold->a) *
                  rbl_dot3(step->impact->accelerations.data[manifold->a], contact->normal),
        .pull_b = -falls(step, manifold, manifold->b) *
                  rbl_dot3(step->impact->accelerations.data[manifold->b], contact->normal),
        .bend = bend_at(step->impact->surface_spins.data[manifold->a], contact->arm_a, contact->normal) -
                bend_at(step->impact->surface_spins.data[manifold->b], contact->arm_b, contact->normal),
    };
}

// A slow contact counts as closed within twice the slop. A fast body flies on until its contact touches.
static bool is_open(const rblManifold* manifold, const rblSolverContact* contact, float speed,
                    float threshold)
{
    const float least = speed > threshold && rbl_manifold_is_convex(manifold) ? TOUCHING : 2.0f;
    return contact->gap > least * manifold->slop;
}

// Sets `closed` and `has_impact` from the contacts that touch now, and `may_close` from the open ones. `may_close` includes
// gravity on both bodies, because their supports are not known yet.
static void look_at_contacts(const rblStep* step, rblManifold* manifold, float threshold)
{
    const float time = manifold->seconds;
    for (uint32_t i = 0; i < manifold->count; ++i)
    {
        const rblSolverContact* contact = &step->solver_contacts.data[manifold->first + i];
        const Approach approach = approach_at(step, manifold, contact);
        if (!is_open(manifold, contact, approach.speed, threshold))
        {
            manifold->closed = true;
            manifold->has_impact = manifold->has_impact || approach.speed > threshold;
            continue;
        }
        const float pull = rbl_maxf(approach.pull_a, 0.0f) + rbl_maxf(approach.pull_b, 0.0f);
        const float faster = time * (pull + rbl_maxf(approach.bend, 0.0f));
        const bool reaches = time * (approach.speed + 0.5f * faster) > contact->gap - manifold->slop;
        manifold->may_close = manifold->may_close || (reaches && approach.speed + faster > threshold);
    }
}

static bool is_static_pair(const rblManifold* manifold)
{
    return manifold->a == 0 || manifold->b == 0;
}

// Whether the time of impact of a pair is computed again. After a flight, a distant pair has only the contact from the start
// of the step, and a ball may touch the other body at another point. Other shapes have further contacts after the first one.
// Their time left is limited instead (impact_slow.c): with new times of impact, spinning boxes passed through walls six times
// as often.
static bool asks_again(const rblStep* step, const rblManifold* manifold, uint32_t round)
{
    const rblWorld* world = step->world;
    const uint32_t slot = step->solver_bodies.data[rbl_manifold_moving_body(manifold)].slot;
    return round > 0 && manifold->fast && !manifold->closed &&
           world->bodies.data[slot].shape.rolling == RBL_ROLLS_AS_BALL;
}

// The narrow phase has computed the time of impact of a fast pair. That of other pairs depends on supports: find_times()
// computes it later.
static void look_at(rblStep* step, rblManifold* manifold, float threshold, uint32_t round)
{
    rblWorld* world = step->world;
    const float known = world->pairs.data[manifold->pair].time_of_impact;
    if (known < 1.0f && round == 0)
    {
        manifold->closing = known * step->seconds;
        manifold->has_impact = !(manifold->closing > 0.0f);
        manifold->may_close = !manifold->has_impact;
        manifold->approaching = true;
        return;
    }
    rbl_manifold_prepare_once(step, manifold);
    look_at_contacts(step, manifold, threshold);
    manifold->may_close = manifold->may_close || asks_again(step, manifold, round);
    manifold->approaching = manifold->has_impact;
}

// Pairs of an isolated body that flew or had an impact in the last round.
static bool goes_on(const rblStep* step, const rblManifold* manifold)
{
    return step->impact->isolations.data[rbl_manifold_moving_body(manifold)] == RBL_ISOLATION_BUSY;
}

// The manifolds of a round: all in the first one, then those of isolated bodies.
static uint32_t count_of(const Look* look)
{
    return (uint32_t)(look->round == 0 ? look->step->manifolds.count
                                       : look->step->impact->isolated_manifolds.count);
}

static uint32_t manifold_of(const Look* look, uint32_t i)
{
    return look->round == 0 ? i : look->step->impact->isolated_manifolds.data[i];
}

// The speed bounds of its bodies show whether a pair can have an impact at all. In a settled pile this skips nearly every
// pair.
static void look_block(rblRange range, void* context)
{
    Look* look = context;
    rblStep* step = look->step;
    bool approaching = false;
    for (uint32_t i = range.begin; i < range.end; ++i)
    {
        rblManifold* manifold = &step->manifolds.data[manifold_of(look, i)];
        const float threshold = rbl_pair_impact_threshold(step, manifold, look->threshold);
        const float speed = step->impact->speeds.data[manifold->a] + step->impact->speeds.data[manifold->b];
        manifold->slow = look->round == 0 ? speed <= threshold && !manifold->early : !goes_on(step, manifold);
        // Relative motion of siblings, and of a pair that misses, is no impact.
        manifold->slow = manifold->slow || manifold->siblings || (manifold->misses && look->round == 0);
        manifold->closing = step->seconds;
        manifold->closed = false;
        manifold->has_impact = false;
        manifold->may_close = false;
        manifold->approaching = false;
        manifold->moved_to_impact = false;
        manifold->later = false;
        if (!manifold->slow)
        {
            look_at(step, manifold, threshold, look->round);
            approaching = approaching || manifold->has_impact || manifold->may_close;
        }
    }
    look->approaching[range.block] = approaching;
}

static bool look_for_impacts(Look* look)
{
    rblStep* step = look->step;
    rblWorld* world = step->world;
    const uint32_t count = count_of(look);
    step->impact->speeds.data[0] = 0.0f;
    step->impact->accelerations.data[0] = rbl_vec3(0, 0, 0);
    step->impact->surface_spins.data[0] = rbl_vec3(0, 0, 0);
    rbl_parallel_for(world->jobs, (uint32_t)step->solver_bodies.count - 1, MIN_BODIES, bound_block, look);
    rbl_parallel_for(world->jobs, count, MIN_MANIFOLDS, look_block, look);
    bool any = false;
    for (uint32_t b = 0; b < rbl_block_count(count, MIN_MANIFOLDS); ++b)
    {
        any = any || look->approaching[b];
    }
    return any;
}

// ---- which bodies may fly ----

// Isolated bodies are alone in their islands. restrict_jointed() and list_closing() exclude those with joints, and those near
// kinematic bodies, sleepers or shapes that are not convex.
static void find_isolated(rblStep* step)
{
    step->impact->isolations.data[0] = RBL_ISOLATION_NONE;
    for (size_t i = 1; i < step->solver_bodies.count; ++i)
    {
        const uint32_t island = step->solver_bodies.data[i].island;
        const bool alone = island != RBL_NONE && step->islands.data[island].count == 1;
        step->impact->isolations.data[i] = alone ? RBL_ISOLATION_IDLE : RBL_ISOLATION_NONE;
    }
}

// ---- groups ----

// Bodies that touch each other without an impact fly as one group. Gravity accelerates all of them equally, so their contacts stay
// as they are. All of them have the same time left after the impact. The state of a group is stored at its root.
static uint32_t group_of(rblStep* step, uint32_t index)
{
    return rbl_union_root(step->impact->groups.data, index);
}

static bool is_dynamic(const rblStep* step, uint32_t index)
{
    return step->solver_bodies.data[index].inverse_mass > 0.0f;
}

static void restrict_freedom(rblStep* step, uint32_t body, rblFreedom how)
{
    unsigned char* freedom = &step->impact->freedoms.data[group_of(step, body)];
    *freedom = *freedom > how ? *freedom : (unsigned char)how;
}

static void join_groups(rblStep* step, uint32_t a, uint32_t b)
{
    const uint32_t root_a = group_of(step, a);
    const uint32_t root_b = group_of(step, b);
    const unsigned char* freedoms = step->impact->freedoms.data;
    const rblFreedom least = freedoms[root_a] > freedoms[root_b] ? freedoms[root_a] : freedoms[root_b];
    const unsigned char meets = step->impact->may_impact.data[root_a] | step->impact->may_impact.data[root_b];
    rbl_union_join(step->impact->groups.data, root_a, root_b);
    step->impact->freedoms.data[group_of(step, a)] = (unsigned char)least;
    step->impact->may_impact.data[group_of(step, a)] = meets;
}

// A closed pair: after an impact now neither body flies, a static body supports the other one, two dynamic bodies form a group.
static void close_pair(rblStep* step, const rblManifold* manifold)
{
    if (!manifold->has_impact && is_dynamic(step, manifold->a) && is_dynamic(step, manifold->b))
    {
        join_groups(step, manifold->a, manifold->b);
        return;
    }
    const rblFreedom how =
        is_static_pair(manifold) && !manifold->has_impact ? RBL_FREEDOM_RESTING : RBL_FREEDOM_NONE;
    restrict_freedom(step, manifold->a, how);
    restrict_freedom(step, manifold->b, how);
}

static void restrict_jointed(rblStep* step)
{
    rblWorld* world = step->world;
    for (size_t i = 0; i < world->joints.count; ++i)
    {
        const rblJoint* joint = &world->joints.data[i];
        if (joint->generation != 0)
        {
            restrict_freedom(step, joint->solver_a, RBL_FREEDOM_NONE);
            restrict_freedom(step, joint->solver_b, RBL_FREEDOM_NONE);
            step->impact->isolations.data[joint->solver_a] = RBL_ISOLATION_NONE;
            step->impact->isolations.data[joint->solver_b] = RBL_ISOLATION_NONE;
        }
    }
}

static bool is_closed(rblStep* step, rblManifold* manifold)
{
    rbl_manifold_prepare_once(step, manifold);
    for (uint32_t i = 0; i < manifold->count; ++i)
    {
        if (step->solver_contacts.data[manifold->first + i].gap <= 2.0f * manifold->slop)
        {
            return true;
        }
    }
    return false;
}

// A body that is still asleep counts as static, but only for one impact: before a second one it may have to wake.
static bool meets_sleeper(const rblStep* step, const rblManifold* manifold)
{
    const rblWorld* world = step->world;
    const rblPair* pair = &world->pairs.data[manifold->pair];
    return step->sleepers > 0 && (step->activities.data[pair->a] == RBL_ACTIVITY_ASLEEP ||
                                  step->activities.data[pair->b] == RBL_ACTIVITY_ASLEEP);
}

// Lists the pairs that may close later in the step. Also excludes bodies with moving, non-convex or sleeping neighbours from
// the isolated ones, and restricts the freedom of supported bodies.
static void list_closing(const Look* look)
{
    rblStep* step = look->step;
    const uint32_t count = count_of(look);
    step->impact->closing_manifolds.count = 0;
    for (uint32_t i = 0; i < count; ++i)
    {
        const uint32_t m = manifold_of(look, i);
        const rblManifold* manifold = &step->manifolds.data[m];
        if (!is_static_pair(manifold) || !rbl_manifold_is_convex(manifold) ||
            rbl_manifold_is_rugged(step, manifold) || meets_sleeper(step, manifold))
        {
            step->impact->isolations.data[manifold->a] = RBL_ISOLATION_NONE;
            step->impact->isolations.data[manifold->b] = RBL_ISOLATION_NONE;
        }
        if (manifold->closed || manifold->has_impact)
        {
            close_pair(step, manifold);
        }
        if (manifold->may_close)
        {
            step->impact->closing_manifolds.data[step->impact->closing_manifolds.count++] = m;
            step->impact->may_impact.data[group_of(step, manifold->a)] = 1;
            step->impact->may_impact.data[group_of(step, manifold->b)] = 1;
        }
    }
}

static bool would_fly(rblStep* step, uint32_t index)
{
    const uint32_t group = group_of(step, index);
    return step->impact->freedoms.data[group] != RBL_FREEDOM_NONE &&
           step->impact->may_impact.data[group] != 0;
}

// The contacts of slow manifolds have not been evaluated yet. They are needed where one of the bodies would fly: a closed
// contact supports it or adds a body to its group. Returns whether there was one.
static bool close_slow_pairs(const Look* look)
{
    rblStep* step = look->step;
    const uint32_t count = count_of(look);
    bool any = false;
    for (uint32_t i = 0; i < count; ++i)
    {
        rblManifold* manifold = &step->manifolds.data[manifold_of(look, i)];
        const bool asked = manifold->slow && !manifold->closed &&
                           (would_fly(step, manifold->a) || would_fly(step, manifold->b));
        if (asked && is_closed(step, manifold))
        {
            manifold->closed = true;
            close_pair(step, manifold);
            any = true;
        }
    }
    return any;
}

static void find_freedoms(const Look* look)
{
    rblStep* step = look->step;
    for (uint32_t i = 0; i < step->solver_bodies.count; ++i)
    {
        step->impact->groups.data[i] = i;
        step->impact->freedoms.data[i] = is_dynamic(step, i) ? RBL_FREEDOM_FREE : RBL_FREEDOM_NONE;
        step->impact->may_impact.data[i] = 0;
    }
    restrict_jointed(step);
    list_closing(look);
    while (step->impact->closing_manifolds.count > 0 && close_slow_pairs(look))
    {
    }
    for (uint32_t i = 0; i < step->solver_bodies.count; ++i)
    {
        step->impact->freedoms.data[i] = step->impact->freedoms.data[group_of(step, i)];
    }
}

// ---- when ----

static bool is_resting(const rblStep* step, const rblManifold* manifold)
{
    return step->impact->freedoms.data[manifold->a] == RBL_FREEDOM_RESTING ||
           step->impact->freedoms.data[manifold->b] == RBL_FREEDOM_RESTING;
}

// Supported bodies do not fall. Curved paths of rotating points are known to second order only, so the shorter of the times
// along the curved and the straight path counts; another flight may follow. For a supported body only the curved path counts:
// the points of a rolling body reach the ground without an impact, although their straight paths lead into it.
static float closing_time(const rblStep* step, const rblManifold* manifold, float threshold)
{
    const float falls_a = step->impact->freedoms.data[manifold->a] == RBL_FREEDOM_FREE ? 1.0f : 0.0f;
    const float falls_b = step->impact->freedoms.data[manifold->b] == RBL_FREEDOM_FREE ? 1.0f : 0.0f;
    const bool rolls = is_resting(step, manifold);
    float first = manifold->seconds;
    for (uint32_t i = 0; i < manifold->count; ++i)
    {
        const rblSolverContact* contact = &step->solver_contacts.data[manifold->first + i];
        const Approach approach = approach_at(step, manifold, contact);
        if (is_open(manifold, contact, approach.speed, threshold))
        {
            const float pull = falls_a * approach.pull_a + falls_b * approach.pull_b;
            const Motion bent = {approach.speed, pull + approach.bend, threshold};
            const Motion straight = {approach.speed, pull, threshold};
            first = rbl_minf(first, time_to_close(manifold, contact->gap, bent));
            first = rolls ? first : rbl_minf(first, time_to_close(manifold, contact->gap, straight));
        }
    }
    return first < manifold->seconds ? first : step->seconds;
}

// For isolated bodies only: the other body is static.
static float meeting_time(rblStep* step, const rblManifold* manifold)
{
    rblWorld* world = step->world;
    const rblPair* pair = &world->pairs.data[manifold->pair];
    const uint32_t index = rbl_manifold_moving_body(manifold);
    const float time = rbl_body_time_to_meet(step, index, manifold->a == index ? pair->b : pair->a);
    const bool meets = time > 0.0f && time < step->solver_bodies.data[index].seconds;
    return meets ? rbl_minf(time, manifold->closing) : manifold->closing;
}

static void time_block(rblRange range, void* context)
{
    const Look* look = context;
    rblStep* step = look->step;
    rblWorld* world = step->world;
    for (uint32_t i = range.begin; i < range.end; ++i)
    {
        rblManifold* manifold = &step->manifolds.data[step->impact->closing_manifolds.data[i]];
        const bool known = look->round == 0 && world->pairs.data[manifold->pair].time_of_impact < 1.0f;
        if (!known)
        {
            const float threshold = rbl_pair_impact_threshold(step, manifold, look->threshold);
            manifold->closing = closing_time(step, manifold, threshold);
            manifold->closing =
                asks_again(step, manifold, look->round) ? meeting_time(step, manifold) : manifold->closing;
            manifold->approaching = manifold->has_impact || manifold->closing < step->seconds;
        }
    }
}

static bool may_fly(const rblStep* step, uint32_t index)
{
    const unsigned char freedom = step->impact->freedoms.data[index];
    return freedom == RBL_FREEDOM_FREE ||
           (freedom == RBL_FREEDOM_RESTING && step->impact->isolations.data[index] != RBL_ISOLATION_NONE);
}

// Returns whether the body flies.
static bool take_time(rblStep* step, uint32_t index, float time)
{
    if (!may_fly(step, index) || !(time < step->solver_bodies.data[index].seconds))
    {
        return false;
    }
    float* first = &step->impact->times.data[group_of(step, index)];
    *first = *first > 0.0f ? rbl_minf(*first, time) : time;
    return true;
}

// Per body, the time of its next impact; 0 when it does not fly. Returns whether any body flies.
static bool find_times(Look* look)
{
    rblStep* step = look->step;
    rblWorld* world = step->world;
    find_freedoms(look);
    rbl_parallel_for(world->jobs, (uint32_t)step->impact->closing_manifolds.count, MIN_MANIFOLDS, time_block,
                     look);
    for (size_t i = 0; i < step->solver_bodies.count; ++i)
    {
        step->impact->times.data[i] = 0.0f;
    }
    if (look->round == 0 && step->impact->closing_manifolds.count > 0)
    {
        rbl_impacts_order(step);
    }
    bool any = false;
    for (size_t i = 0; i < step->impact->closing_manifolds.count; ++i)
    {
        const rblManifold* manifold = &step->manifolds.data[step->impact->closing_manifolds.data[i]];
        if (manifold->closing < step->seconds && !manifold->later)
        {
            any = take_time(step, manifold->a, manifold->closing) || any;
            any = take_time(step, manifold->b, manifold->closing) || any;
        }
    }
    for (uint32_t i = 0; i < step->solver_bodies.count && any; ++i)
    {
        step->impact->times.data[i] = step->impact->times.data[group_of(step, i)];
    }
    return any;
}

rblResult rbl_impacts_reach(rblStep* step, float threshold, uint32_t round, bool* any)
{
    Look look = {.step = step, .threshold = threshold, .round = round};
    *any = look_for_impacts(&look);
    if (!*any)
    {
        return RBL_OK;
    }
    if (round == 0)
    {
        find_isolated(step);
    }
    return find_times(&look) ? rbl_bodies_fly_to_impacts(step, round) : RBL_OK;
}
