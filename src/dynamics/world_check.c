#include "dynamics/world_check.h"
#include "dynamics/active_pairs.h"
#include "dynamics/pair_list.h"

#include <stdio.h>

static rblResult fault(const char* what, size_t where)
{
    return rbl_fail(RBL_ERROR_FORMAT, "world check: %s (%zu)", what, where);
}

#define CHECK(condition, what, where)                                                                        \
    do                                                                                                       \
    {                                                                                                        \
        if (!(condition))                                                                                    \
        {                                                                                                    \
            return fault((what), (where));                                                                   \
        }                                                                                                    \
    } while (0)

// ---- state ----

static bool exists(const rblWorld* world, uint32_t slot)
{
    return slot < world->bodies.count && world->bodies.data[slot].generation != 0;
}

static rblResult check_ids(const rblWorld* world)
{
    uint32_t alive = 0;
    CHECK(world->motions.count == world->bodies.count, "bodies and motions differ in number",
          world->motions.count);
    for (uint32_t slot = 0; slot < world->bodies.count; ++slot)
    {
        const uint32_t generation = world->bodies.data[slot].generation;
        alive += generation != 0;
        CHECK(generation == 0 || rbl_id_pool_valid(&world->ids, slot + 1, generation),
              "a body's slot has no id", slot);
    }
    CHECK(alive == world->ids.alive, "ids and bodies differ in number", alive);
    uint32_t joints = 0;
    for (uint32_t slot = 0; slot < world->joints.count; ++slot)
    {
        const uint32_t generation = world->joints.data[slot].generation;
        joints += generation != 0;
        CHECK(generation == 0 || rbl_id_pool_valid(&world->joint_ids, slot + 1, generation),
              "a joint's slot has no id", slot);
    }
    CHECK(joints == world->joint_ids.alive, "ids and joints differ in number", joints);
    return RBL_OK;
}

static bool is_zero(rblVec3 v)
{
    return v.x == 0.0f && v.y == 0.0f && v.z == 0.0f;
}

static rblResult check_body(const rblBody* body, const rblMotion* motion, size_t slot)
{
    CHECK(rbl_finite((double)body->mass) && rbl_finite3(motion->moments), "a body's mass is not finite",
          slot);
    CHECK((motion->inverse_mass > 0.0f) == (body->type == RBL_BODY_DYNAMIC),
          "a body's type and mass disagree", slot);
    const bool rising = motion->moments.x <= motion->moments.y && motion->moments.y <= motion->moments.z;
    CHECK(body->type == RBL_BODY_DYNAMIC ? motion->moments.x > 0.0f && rising : is_zero(motion->moments),
          "a body's moments of inertia are not positive and rising, or not zero", slot);
    CHECK(body->type != RBL_BODY_STATIC || (is_zero(motion->velocity) && is_zero(motion->spin)),
          "a static body moves", slot);
    return RBL_OK;
}

// What bodies that break and their fragments have, and the flags of the world that let stages skip them.
static rblResult check_breaking(const rblWorld* world, const rblBody* body, size_t slot)
{
    CHECK(body->sibling_group == 0 || body->ancestors > 0, "a sibling is no fragment", slot);
    CHECK(body->sibling_group == 0 || world->has_siblings, "the world does not know of a sibling", slot);
    CHECK(!body->is_new_fragment || world->has_new_fragments, "the world does not know of a new fragment",
          slot);
    CHECK((!body->is_new && !body->lost_neighbour) || world->has_marks,
          "the world does not know of a marked body", slot);
    CHECK(body->damage >= 0.0f && body->damage <= 1.0f, "a body's damage is not from 0 to 1", slot);
    CHECK(!body->is_prepared || body->breaker != NULL, "a body without a breaker has its data", slot);
    CHECK(!body->owns_shape || body->ancestors > 0, "a body that is no fragment owns its shape", slot);
    CHECK(!body->debris || body->ancestors > 0, "debris is no fragment", slot);
    CHECK(body->lifetime >= 0.0f && rbl_finite((double)body->lifetime), "a body's lifetime is bad", slot);
    return RBL_OK;
}

static rblResult check_bodies(const rblWorld* world)
{
    uint32_t fragments = 0;
    uint32_t breakable = 0;
    uint32_t debris = 0;
    uint32_t waiting = 0;
    uint32_t sensors = 0;
    for (size_t slot = 0; slot < world->bodies.count; ++slot)
    {
        const rblBody* body = &world->bodies.data[slot];
        if (body->generation != 0)
        {
            RBL_TRY(check_body(body, &world->motions.data[slot], slot));
            RBL_TRY(check_breaking(world, body, slot));
            fragments += body->ancestors > 0;
            breakable += body->breaker != NULL;
            debris += body->debris;
            waiting += body->rebuild > 0;
            sensors += body->sensor;
        }
    }
    CHECK(fragments == world->fragments, "fragments are counted wrong", fragments);
    CHECK(breakable == world->breakable, "breakable bodies are counted wrong", breakable);
    CHECK(debris == world->debris, "debris is counted wrong", debris);
    CHECK(waiting <= world->rebuilding, "bodies that wait for a rebuild are counted wrong", waiting);
    CHECK(sensors == world->sensors, "sensors are counted wrong", sensors);
    return RBL_OK;
}

static bool is_pose(const rblTransform* pose)
{
    const float norm = rbl_quat_dot(pose->q, pose->q);
    return rbl_finite3(pose->p) && norm > 0.99f && norm < 1.01f;
}

static rblResult check_motions(const rblWorld* world)
{
    for (size_t slot = 0; slot < world->bodies.count; ++slot)
    {
        const rblMotion* motion = &world->motions.data[slot];
        const rblTransform pose = rbl_motion_pose(motion);
        const bool lives = world->bodies.data[slot].generation != 0;
        CHECK(!lives || is_pose(&pose), "a body's pose is bad", slot);
        CHECK(!lives || (rbl_finite3(motion->velocity) && rbl_finite3(motion->spin) &&
                         rbl_finite3(motion->momentum)),
              "a body's velocity is not finite", slot);
        CHECK(!lives || is_pose(&world->bodies.data[slot].shape_in_body), "the pose of a body's shape is bad",
              slot);
        CHECK(!lives || is_pose(&world->bodies.data[slot].previous), "a body's last pose is bad", slot);
    }
    return RBL_OK;
}

static rblResult check_joints(const rblWorld* world)
{
    uint64_t ends = 0;
    for (size_t i = 0; i < world->joints.count; ++i)
    {
        const rblJoint* joint = &world->joints.data[i];
        if (joint->generation != 0)
        {
            CHECK(exists(world, joint->a) && (joint->b == RBL_NONE || exists(world, joint->b)),
                  "a joint's body does not exist", i);
            CHECK(rbl_finite3d(joint->linear_impulse) && rbl_finite3d(joint->angular_impulse),
                  "a joint's impulse is not finite", i);
            ends += joint->b == RBL_NONE ? 1u : 2u;
        }
    }
    for (size_t slot = 0; slot < world->bodies.count; ++slot)
    {
        ends -= world->bodies.data[slot].generation != 0 ? world->bodies.data[slot].joint_count : 0;
    }
    CHECK(ends == 0, "the joint counts of bodies are wrong", (size_t)ends);
    return RBL_OK;
}

static rblResult check_pairs(const rblWorld* world)
{
    const uint32_t wrong = rbl_pairs_find_fault(world);
    CHECK(wrong == RBL_NONE, "the holes or the lists of pairs are wrong", wrong);
    for (size_t i = 0; i < world->pairs.count; ++i)
    {
        const rblPair* pair = &world->pairs.data[i];
        if (!rbl_pair_exists(pair))
        {
            CHECK(world->pair_states.data[i] == 0, "a hole has the state of a pair", i);
            continue;
        }
        CHECK(pair->a < pair->b, "the bodies of a pair are out of order", i);
        CHECK(exists(world, pair->a) && exists(world, pair->b) &&
                  world->bodies.data[pair->a].generation == pair->generation_a &&
                  world->bodies.data[pair->b].generation == pair->generation_b,
              "a pair's body does not exist", i);
    }
    CHECK(rbl_broad_phase_has_valid_pairs(world->broad), "the pairs of the broad phase are wrong", 0);
    CHECK(rbl_broad_phase_pair_count(world->broad) == rbl_pair_count(world),
          "world and broad phase differ in the number of pairs", rbl_pair_count(world));
    return RBL_OK;
}

static bool is_awake(const rblStep* step, uint32_t slot)
{
    return step->activities.data[slot] >= RBL_ACTIVITY_AWAKE;
}

// The list is sorted, and has the pairs with that state: those with an awake body, and others in the step in which they began.
static rblResult check_active_pairs(const rblStep* step)
{
    const rblWorld* world = step->world;
    size_t active = 0;
    for (size_t i = 0; i < step->active_pairs.count; ++i)
    {
        const uint32_t index = step->active_pairs.data[i];
        CHECK(index < world->pairs.count && (world->pair_states.data[index] & RBL_PAIR_ACTIVE) != 0,
              "a listed pair is not active", i);
        const rblPair* pair = &world->pairs.data[index];
        const rblPair* last = i > 0 ? &world->pairs.data[step->active_pairs.data[i - 1]] : NULL;
        CHECK(last == NULL || last->a < pair->a || (last->a == pair->a && last->b < pair->b),
              "active pairs are not sorted and unique", i);
        CHECK(rbl_active_pair_find(step, pair->a, pair->b) == index, "an active pair has the key of another",
              i);
    }
    for (size_t i = 0; i < world->pairs.count; ++i)
    {
        const rblPair* pair = &world->pairs.data[i];
        const bool listed = (world->pair_states.data[i] & RBL_PAIR_ACTIVE) != 0;
        CHECK(listed || !rbl_pair_exists(pair) || !(is_awake(step, pair->a) || is_awake(step, pair->b)),
              "a pair with an awake body is not active", i);
        active += listed;
    }
    CHECK(active == step->active_pairs.count, "an active pair is not listed", active);
    return RBL_OK;
}

static rblResult check_contacts(const rblWorld* world)
{
    size_t total = 0;
    size_t kept = 0;
    for (size_t i = 0; i < world->pairs.count; ++i)
    {
        const rblPair* pair = &world->pairs.data[i];
        const bool parked = (world->pair_states.data[i] & RBL_PAIR_PARKED) != 0;
        CHECK(pair->count == 0 || parked == (pair->first < world->parked_contacts),
              "parked and other contacts are mixed", i);
        kept += parked ? pair->count : 0;
        CHECK(pair->count == 0 || (pair->first <= world->contacts.count &&
                                   pair->count <= world->contacts.count - pair->first),
              "a pair's contacts are out of bounds", i);
        CHECK(pair->leading <= pair->count, "a pair has more leading contacts than contacts", i);
        total += pair->count;
    }
    CHECK(total <= world->contacts.count, "pairs share contacts", total);
    CHECK(kept + world->wasted_contacts == world->parked_contacts, "parked contacts are counted wrong", kept);
    return RBL_OK;
}

static bool is_unit(rblVec3 v)
{
    const float square = rbl_dot3(v, v);
    return square > 0.999f && square < 1.001f; // false for NaN
}

static rblResult check_impulses(const rblWorld* world)
{
    for (size_t i = 0; i < world->pairs.count; ++i)
    {
        const rblPair* pair = &world->pairs.data[i];
        CHECK(pair->initial_depth >= 0.0f && pair->sibling_depth >= 0.0f && pair->break_depth >= 0.0f,
              "the overlap that a pair remembers is negative", i);
        for (uint32_t k = 0; k < pair->count; ++k)
        {
            const rblContact* contact = &world->contacts.data[pair->first + k];
            CHECK(rbl_finite3(contact->anchor_a) && rbl_finite3(contact->anchor_b) &&
                      rbl_finite3(contact->normal) && rbl_finite((double)contact->normal_impulse) &&
                      rbl_finite3(contact->friction) && contact->normal_impulse >= 0.0f,
                  "a contact is not finite or pulls", pair->first + k);
            CHECK(is_unit(contact->normal) && is_unit(contact->normal_in_a),
                  "the normal of a contact has not the length 1", pair->first + k);
        }
    }
    return RBL_OK;
}

// Bodies connected by joints fall asleep and wake together.
static rblResult check_sleeping_joints(const rblWorld* world)
{
    for (size_t i = 0; i < world->joints.count; ++i)
    {
        const rblJoint* joint = &world->joints.data[i];
        if (joint->generation != 0 && exists(world, joint->a) && exists(world, joint->b))
        {
            const rblBody* a = &world->bodies.data[joint->a];
            const rblBody* b = &world->bodies.data[joint->b];
            CHECK(a->type != RBL_BODY_DYNAMIC || b->type != RBL_BODY_DYNAMIC || a->awake == b->awake,
                  "one of two jointed bodies sleeps", i);
        }
    }
    return RBL_OK;
}

static rblResult check_sleep(const rblWorld* world)
{
    for (size_t slot = 0; slot < world->bodies.count; ++slot)
    {
        const rblBody* body = &world->bodies.data[slot];
        CHECK(body->generation == 0 || !body->awake || body->sleep_group == 0,
              "an awake body has a sleep group", slot);
        CHECK(body->sleep_group <= world->last_sleep_group, "a sleep group was never created", slot);
        const rblMotion* motion = &world->motions.data[slot];
        CHECK(body->generation == 0 || body->awake || body->rest.untried ||
                  (is_zero(motion->velocity) && is_zero(motion->spin)),
              "a sleeping body moves", slot);
    }
    return check_sleeping_joints(world);
}

// An id of this world: of a body that is a fragment, or that is gone, as it broke in its turn.
static bool is_fragment(const rblWorld* world, rblBodyId id)
{
    if (id.index1 == 0 || id.index1 > world->bodies.count || id.generation == 0 || id.world != world->serial)
    {
        return false;
    }
    const rblBody* body = &world->bodies.data[id.index1 - 1];
    return body->generation != id.generation || body->ancestors > 0;
}

static rblResult check_breaks(const rblWorld* world)
{
    const rblBreakLog* log = &world->break_log;
    size_t ids = 0;
    size_t mates = 0;
    for (size_t i = 0; i < log->events.count; ++i)
    {
        const rblBreakEvent* event = &log->events.data[i];
        CHECK(event->crack_area >= 0.0 && event->surface_energy >= 0.0 && rbl_finite(event->surface_energy) &&
                  rbl_finite(event->heat) && event->mass_error <= 1e-6,
              "the energy or the mass of a break event is bad", i);
        CHECK(event->fragment_count <= log->ids.count - ids,
              "a break event counts fragments that are not there", i);
        CHECK(event->mate_count <= log->mates.count - mates, "a break event counts mates that are not there",
              i);
        for (uint32_t k = 0; k < event->fragment_count; ++k)
        {
            CHECK(is_fragment(world, log->ids.data[ids + k]), "a fragment cannot be reached", ids + k);
        }
        for (uint32_t k = 0; k < event->mate_count; ++k)
        {
            const rblMate* mate = &log->mates.data[mates + k];
            CHECK(mate->piece_a < event->fragment_count && mate->piece_b < event->fragment_count,
                  "mates are of fragments that are not there", mates + k);
        }
        ids += event->fragment_count;
        mates += event->mate_count;
    }
    CHECK(ids == log->ids.count, "fragments belong to no break event", ids);
    CHECK(mates == log->mates.count, "mates belong to no break event", mates);
    CHECK(log->reported <= log->events.count && log->reported_ids <= ids && log->reported_mates <= mates,
          "more break events are reported than there are", log->reported);
    return RBL_OK;
}

static rblResult check_energy(const rblWorld* world)
{
    const rblEnergy* energy = &world->energy;
    CHECK(rbl_finite(energy->kinetic) && rbl_finite(energy->potential) && rbl_finite(energy->work) &&
              rbl_finite(energy->dissipated) && rbl_finite(world->total) && rbl_finite(world->pending_work),
          "an energy is not finite", 0);
    return RBL_OK;
}

static rblResult check_broad(const rblWorld* world)
{
    const uint32_t proxy = rbl_broad_phase_find_fault(world->broad);
    CHECK(proxy == UINT32_MAX, "a tree of the broad phase does not cover a leaf", proxy);
    for (uint32_t slot = 0; slot < world->bodies.count; ++slot)
    {
        CHECK((world->bodies.data[slot].generation != 0) == rbl_broad_phase_has(world->broad, slot),
              "bodies and boxes of the broad phase differ", slot);
    }
    return RBL_OK;
}

// Bodies with the shape of the one before are not looked at again.
static rblResult check_shapes(const rblWorld* world)
{
    const rblShape* last = NULL;
    for (size_t slot = 0; slot < world->bodies.count; ++slot)
    {
        const rblBody* body = &world->bodies.data[slot];
        const bool is_new = body->generation != 0 && body->shape.shape != last;
        const rblResult result = is_new ? rbl_shape_check(&body->shape) : RBL_OK;
        if (result != RBL_OK)
        {
            char where[64];
            snprintf(where, sizeof where, "world check: the shape of a body (%zu)", slot);
            return rbl_fail_within(result, where);
        }
        last = is_new ? body->shape.shape : last;
    }
    return RBL_OK;
}

// ---- within a step ----

static bool is_dynamic(const rblStep* step, uint32_t index)
{
    return step->solver_bodies.data[index].inverse_mass > 0.0f;
}

static rblResult check_manifold(const rblStep* step, size_t m)
{
    const rblManifold* manifold = &step->manifolds.data[m];
    const rblWorld* world = step->world;
    CHECK(manifold->pair < world->pairs.count, "a manifold's pair does not exist", m);
    CHECK(manifold->a < step->solver_bodies.count && manifold->b < step->solver_bodies.count,
          "a manifold's body does not exist", m);
    CHECK(is_dynamic(step, manifold->a) || is_dynamic(step, manifold->b), "no body of a manifold is dynamic",
          m);
    CHECK(manifold->first <= step->solver_contacts.count &&
              manifold->count <= step->solver_contacts.count - manifold->first &&
              manifold->contact <= world->contacts.count &&
              manifold->count <= world->contacts.count - manifold->contact,
          "a manifold's contacts are out of bounds", m);
    const rblBundle* bundle =
        manifold->bundle < step->bundles.count ? &step->bundles.data[manifold->bundle] : NULL;
    CHECK(bundle != NULL && m >= bundle->manifold && m - bundle->manifold < bundle->lanes,
          "a manifold is in no lane of its bundle", m);
    return RBL_OK;
}

static rblResult check_solver(const rblStep* step)
{
    CHECK(step->solver_bodies.count == step->movers.count + 1, "movers and solver bodies differ in number",
          step->movers.count);
    for (uint32_t i = 1; i < step->solver_bodies.count; ++i)
    {
        const uint32_t slot = step->solver_bodies.data[i].slot;
        CHECK(slot == step->movers.data[i - 1] && step->solver_index.data[slot] == i,
              "a solver body is not its mover", i);
        CHECK(i == 1 || step->movers.data[i - 2] < slot, "movers are not sorted", i);
        CHECK(step->solver_bodies.data[i].inverse_mass == step->world->motions.data[slot].inverse_mass,
              "a solver body has another mass than its body", i);
        const float seconds = step->solver_bodies.data[i].seconds;
        CHECK(seconds >= 0.0f && seconds <= step->seconds, "a body has more time left than the step", i);
    }
    for (size_t m = 0; m < step->manifolds.count; ++m)
    {
        RBL_TRY(check_manifold(step, m));
    }
    return RBL_OK;
}

// `seen` has an entry per solver body. The manifolds of the last colour may share bodies.
static rblResult check_colors(const rblStep* step, uint32_t* seen)
{
    CHECK(step->color_starts[0] == 0 && step->color_starts[RBL_MAX_COLORS] == step->manifolds.count,
          "the colours are not those of all manifolds", step->color_starts[RBL_MAX_COLORS]);
    for (uint32_t color = 0; color + 1 < RBL_MAX_COLORS; ++color)
    {
        CHECK(step->color_starts[color + 1] <= step->manifolds.count, "a colour is out of bounds", color);
        for (uint32_t m = step->color_starts[color]; m < step->color_starts[color + 1]; ++m)
        {
            const uint32_t bodies[2] = {step->manifolds.data[m].a, step->manifolds.data[m].b};
            for (int k = 0; k < 2; ++k)
            {
                CHECK(!is_dynamic(step, bodies[k]) || seen[bodies[k]] != color + 1,
                      "two manifolds of a colour share a body", m);
                seen[bodies[k]] = color + 1;
            }
        }
    }
    return RBL_OK;
}

// The island of a body that takes part in the step and can move; RBL_NONE: it does not.
static uint32_t island_of(const rblStep* step, uint32_t slot)
{
    const uint32_t index = slot < step->solver_index.count ? step->solver_index.data[slot] : 0;
    const bool moves = index > 0 && index < step->solver_bodies.count && is_dynamic(step, index) &&
                       step->solver_bodies.data[index].slot == slot;
    return moves ? step->solver_bodies.data[index].island : RBL_NONE;
}

static rblResult check_jointed_islands(const rblStep* step)
{
    for (size_t i = 0; i < step->world->joints.count; ++i)
    {
        const rblJoint* joint = &step->world->joints.data[i];
        const bool two = joint->generation != 0 && joint->b != RBL_NONE;
        const uint32_t a = two ? island_of(step, joint->a) : RBL_NONE;
        const uint32_t b = two ? island_of(step, joint->b) : RBL_NONE;
        CHECK(a == b || a == RBL_NONE || b == RBL_NONE, "a joint joins two islands", i);
    }
    return RBL_OK;
}

// `seen` has an entry per solver body, all zero.
static rblResult check_islands(const rblStep* step, uint32_t* seen)
{
    for (size_t i = 0; i < step->islands.count; ++i)
    {
        const rblIsland* island = &step->islands.data[i];
        CHECK(island->first <= step->island_bodies.count &&
                  island->count <= step->island_bodies.count - island->first,
              "the bodies of an island are out of bounds", i);
        for (uint32_t k = 0; k < island->count; ++k)
        {
            const uint32_t body = step->island_bodies.data[island->first + k];
            CHECK(step->solver_bodies.data[body].island == i && seen[body] == 0,
                  "a body is in an island that is not its own", body);
            seen[body] = 1;
        }
    }
    for (uint32_t i = 1; i < step->solver_bodies.count; ++i)
    {
        CHECK(is_dynamic(step, i) == (seen[i] != 0), "islands do not partition the awake bodies", i);
    }
    for (size_t m = 0; m < step->manifolds.count; ++m)
    {
        const rblManifold* manifold = &step->manifolds.data[m];
        CHECK(!is_dynamic(step, manifold->a) || !is_dynamic(step, manifold->b) ||
                  step->solver_bodies.data[manifold->a].island ==
                      step->solver_bodies.data[manifold->b].island,
              "a manifold joins two islands", m);
    }
    return check_jointed_islands(step);
}

typedef rblResult PerBodyCheck(const rblStep* step, uint32_t* seen);

static rblResult with_marks(const rblStep* step, PerBodyCheck* check)
{
    const size_t count = step->solver_bodies.count;
    uint32_t* seen = rbl_alloc_zero(rbl_default_allocator(), sizeof *seen * count);
    if (seen == NULL)
    {
        return count > 0 ? rbl_fail_memory() : RBL_OK;
    }
    const rblResult result = check(step, seen);
    rbl_free(rbl_default_allocator(), seen, sizeof *seen * count);
    return result;
}

// ---- all ----

rblResult rbl_world_check(const rblWorld* world, uint32_t checks)
{
    const struct
    {
        uint32_t bit;
        rblResult (*check)(const rblWorld* world);
    } states[] = {
        {RBL_CHECK_IDS, check_ids},         {RBL_CHECK_BODIES, check_bodies},
        {RBL_CHECK_JOINTS, check_joints},   {RBL_CHECK_PAIRS, check_pairs},
        {RBL_CHECK_SLEEP, check_sleep},     {RBL_CHECK_CONTACTS, check_contacts},
        {RBL_CHECK_BROAD, check_broad},     {RBL_CHECK_BREAKS, check_breaks},
        {RBL_CHECK_ENERGY, check_energy},   {RBL_CHECK_SHAPES, check_shapes},
        {RBL_CHECK_MOTIONS, check_motions}, {RBL_CHECK_IMPULSES, check_impulses},
    };
    for (size_t i = 0; i < sizeof states / sizeof *states; ++i)
    {
        if ((checks & states[i].bit) != 0)
        {
            RBL_TRY(states[i].check(world));
        }
    }
    RBL_TRY((checks & RBL_CHECK_ACTIVE) != 0 ? check_active_pairs(world->step) : RBL_OK);
    RBL_TRY((checks & RBL_CHECK_SOLVER) != 0 ? check_solver(world->step) : RBL_OK);
    RBL_TRY((checks & RBL_CHECK_COLORS) != 0 ? with_marks(world->step, check_colors) : RBL_OK);
    return (checks & RBL_CHECK_ISLANDS) != 0 ? with_marks(world->step, check_islands) : RBL_OK;
}

rblResult rbl_world_check_stages(rblWorldId id, uint32_t checks)
{
    rblWorld* world = NULL;
    RBL_TRY(rbl_world_find(id, &world));
    world->stage_checks = checks;
    return RBL_OK;
}
