// New paths of deflected bodies. Pairs and contacts are those of the predicted path of a body. A body that bounces in
// mid-step takes another path, along which no collisions were searched. They are searched here: the body gets as much of the
// step as takes it to the first collision, and the next step solves the impact. A limit costs time, not energy.
#include "dynamics/active_pairs.h"
#include "dynamics/impact/impacts.h"
#include "dynamics/stages.h"

typedef struct Search
{
    rblStep* step;
    uint32_t slot;
    uint32_t index; // solver body
    uint32_t other; // slot of the first body that it reaches
    float time;     // of that impact, s of the substep
    bool supported; // the body does not fall
} Search;

static bool is_isolated(const rblStep* step, uint32_t index)
{
    return step->impact->isolations.data[index] != RBL_ISOLATION_NONE;
}

// Whether the contacts of a pair describe its motion. Those of a fast pair are of its predicted impact. They do not when the pair
// has not had that impact yet and another impact has changed a path. Those of an isolated body are found again in its next round.
static bool has_valid_contacts(const rblStep* step, size_t pair)
{
    const uint32_t index = step->manifold_of_pair.data[pair];
    const rblManifold* manifold = index != RBL_NONE ? &step->manifolds.data[index] : NULL;
    return manifold == NULL || !manifold->fast || manifold->closed || manifold->last_impact != 0 ||
           is_isolated(step, manifold->a) || is_isolated(step, manifold->b);
}

// Pairs with valid contacts are part of the sweeps, and pairs that overlap since a break are left out.
static bool is_known(const rblStep* step, uint32_t a, uint32_t b)
{
    const uint32_t index = rbl_active_pair_find(step, a, b);
    const rblPair* pair = index != RBL_NONE ? &step->world->pairs.data[index] : NULL;
    return pair != NULL &&
           ((pair->count > 0 && has_valid_contacts(step, index) && !rbl_pair_is_rugged(step, pair)) ||
            pair->siblings || pair->break_depth > 0.0f || rbl_pair_is_filtered(step, index));
}

// Path of a body from a time of the substep on. Up to that time it flies with its current velocities.
typedef struct Path
{
    rblSweep sweep;
    rblVec3 bend; // m: displacement by gravity
} Path;

// Pose of a shape after a free flight of its body.
static rblTransform pose_after(const rblWorld* world, const rblSolverBody* solver, rblVec3 displacement,
                               float seconds)
{
    const rblBody* body = &world->bodies.data[solver->slot];
    rblMotion motion = world->motions.data[solver->slot];
    motion.center = rbl_add3(motion.center, displacement);
    if (seconds > 0.0f)
    {
        const rblQuat turn = rbl_quat_from_axis_angle(solver->spin, seconds * rbl_length3(solver->spin));
        motion.orientation = rbl_quat_normalize(rbl_quat_mul(turn, motion.orientation));
    }
    return rbl_shape_pose(body, &motion);
}

static Path path_of(const rblStep* step, uint32_t index, float begin, float seconds, bool supported)
{
    const rblWorld* world = step->world;
    const rblSolverBody* solver = &step->solver_bodies.data[index];
    const rblBody* body = &world->bodies.data[solver->slot];
    const rblVec3 pull = rbl_scale3(world->def.gravity,
                                    solver->inverse_mass > 0.0f && !supported ? body->gravity_scale : 0.0f);
    const float before = begin - step->clocks.data[index];
    const rblVec3 to = rbl_mul_add3(rbl_scale3(solver->velocity, before), 0.5f * before * before, pull);
    const rblVec3 velocity = rbl_mul_add3(solver->velocity, before, pull);
    Path path = {.bend = rbl_scale3(pull, 0.5f * seconds * seconds)};
    path.sweep.from = pose_after(world, solver, to, before);
    path.sweep.translation = rbl_mul_add3(path.bend, seconds, velocity);
    path.sweep.rotation = rbl_scale3(solver->spin, seconds);
    return path;
}

static Path resting_path(const rblWorld* world, uint32_t slot)
{
    return (Path){.sweep.from = rbl_shape_pose(&world->bodies.data[slot], &world->motions.data[slot])};
}

static float end_of(const rblStep* step, uint32_t index)
{
    return step->clocks.data[index] + step->solver_bodies.data[index].seconds;
}

// Centre of a body after a free flight.
static rblVec3 center_after(const rblWorld* world, const rblSolverBody* body, float seconds)
{
    const float scale = body->inverse_mass > 0.0f ? world->bodies.data[body->slot].gravity_scale : 0.0f;
    const rblVec3 bent = rbl_mul_add3(world->motions.data[body->slot].center, seconds, body->velocity);
    return rbl_mul_add3(bent, 0.5f * seconds * seconds * scale, world->def.gravity);
}

// Whether no test is needed: the relative motion is safe and the next step finds the pair, or the bounding balls miss each
// other.
static bool passes_by(const Search* search, uint32_t slot, uint32_t index, float begin, float seconds)
{
    const rblStep* step = search->step;
    const rblWorld* world = step->world;
    const rblSolverBody* own = &step->solver_bodies.data[search->index];
    const rblSolverBody* other = &step->solver_bodies.data[index];
    const rblShapeView* a = &world->bodies.data[search->slot].shape;
    const rblShapeView* b = &world->bodies.data[slot].shape;
    const float own_wait = begin - step->clocks.data[search->index];
    const float wait = index != 0 ? begin - step->clocks.data[index] : 0.0f;
    const rblVec3 from = center_after(world, own, own_wait);
    const rblVec3 to = center_after(world, own, own_wait + seconds);
    const rblVec3 rest = world->motions.data[slot].center;
    const rblVec3 other_from = index != 0 ? center_after(world, other, wait) : rest;
    const rblVec3 other_to = index != 0 ? center_after(world, other, wait + seconds) : rest;
    const rblVec3 apart = rbl_sub3(other_from, from);
    const rblVec3 travel = rbl_sub3(rbl_sub3(other_to, to), apart);
    const float square = rbl_dot3(travel, travel);
    const float turning = seconds * (a->radius * rbl_length3(own->spin) +
                                     (b->bounded ? b->radius * rbl_length3(other->spin) : 0.0f));
    if (!b->bounded || !a->bounded)
    {
        return false;
    }
    const float t = square > 0.0f ? rbl_clampf(-rbl_dot3(apart, travel) / square, 0.0f, 1.0f) : 0.0f;
    const rblVec3 nearest = rbl_mul_add3(apart, t, travel);
    const float reach = 1.01f * (a->radius + b->radius); // paths are slightly curved
    const float smaller = rbl_minf(a->inner_radius, b->inner_radius);
    const float safe = rbl_minf(a->inner_radius + b->inner_radius, 4.0f * smaller); // as in narrow_phase.c
    return sqrtf(square) + turning < safe || rbl_dot3(nearest, nearest) > reach * reach;
}

// Time of impact with another body, s of the substep; the end of the body's own time when there is none. The interval begins
// when both bodies have reached it, and ends with the shorter time left. Sleeping and static bodies do not move.
static float meeting_time(const Search* search, uint32_t slot)
{
    const rblStep* step = search->step;
    const rblWorld* world = step->world;
    const uint32_t index = step->solver_index.data[slot];
    const bool moves = index != 0;
    const float clock = step->clocks.data[search->index];
    const float begin = moves ? rbl_maxf(clock, step->clocks.data[index]) : clock;
    const float own_end = end_of(step, search->index);
    const float end = moves ? rbl_minf(own_end, end_of(step, index)) : own_end;
    if (!(end > begin))
    {
        return own_end;
    }
    if (passes_by(search, slot, index, begin, end - begin))
    {
        return own_end;
    }
    const Path own = path_of(step, search->index, begin, end - begin, search->supported);
    const Path other = moves ? path_of(step, index, begin, end - begin, false) : resting_path(world, slot);
    const float slop = rbl_pair_slop(&world->bodies.data[search->slot], &world->bodies.data[slot]);
    const rblImpactQuery query = {.a = &world->bodies.data[search->slot].shape,
                                  .b = &world->bodies.data[slot].shape,
                                  .sweep_a = &own.sweep,
                                  .sweep_b = &other.sweep,
                                  .sag = rbl_sub3(other.bend, own.bend),
                                  .target = slop,
                                  .tolerance = 0.5f * slop,
                                  .leaves_contact = search->supported};
    const float clear = rbl_shape_find_impact(&query);
    return clear < 1.0f ? begin + clear * (end - begin) : own_end;
}

float rbl_body_time_to_meet(rblStep* step, uint32_t index, uint32_t slot)
{
    const Search search = {.step = step, .slot = step->solver_bodies.data[index].slot, .index = index};
    return meeting_time(&search, slot) - step->clocks.data[index];
}

// The earliest impact, independent of the order of calls.
static bool visit_neighbour(uint32_t slot, void* context)
{
    Search* search = context;
    const uint32_t a = slot < search->slot ? slot : search->slot;
    const uint32_t b = slot < search->slot ? search->slot : slot;
    if (slot == search->slot || !rbl_pair_is_wanted(search->step->world, a, b) ||
        is_known(search->step, a, b))
    {
        return true;
    }
    const float time = meeting_time(search, slot);
    if (time < search->time || (time == search->time && slot < search->other))
    {
        search->time = time;
        search->other = slot;
    }
    return true;
}

// Limit both bodies to the time of the impact.
static void slow_both(const Search* search)
{
    rblStep* step = search->step;
    const uint32_t index = search->other != RBL_NONE ? step->solver_index.data[search->other] : 0;
    if (search->time < end_of(step, search->index))
    {
        (void)(rbl_body_may_slow(step, search->index, index) &&
               rbl_body_slow(step, search->index, search->time - step->clocks.data[search->index]));
        (void)(index != 0 && rbl_body_may_slow(step, index, search->index) &&
               rbl_body_slow(step, index, search->time - step->clocks.data[index]));
    }
}

// Largest distance of points of the body from where they would have been without the impacts, m.
static float deviation(const rblStep* step, uint32_t index)
{
    const rblSolverBody* body = &step->solver_bodies.data[index];
    const rblVelocity* before = &step->at_start.data[index];
    const float radius = step->world->bodies.data[body->slot].shape.radius;
    return body->seconds * (rbl_length3(rbl_sub3(body->velocity, before->velocity)) +
                            radius * rbl_length3(rbl_sub3(body->spin, before->spin)));
}

// A deviation of up to the inner radius is safe: the next step finds the overlap.
static void look_ahead(rblStep* step, uint32_t index)
{
    rblWorld* world = step->world;
    const rblSolverBody* solver = &step->solver_bodies.data[index];
    const rblBody* body = &world->bodies.data[solver->slot];
    if (!(solver->inverse_mass > 0.0f) || !(deviation(step, index) > body->shape.inner_radius))
    {
        return;
    }
    const Path path = path_of(step, index, step->clocks.data[index], solver->seconds, false);
    const rblVec3 translation = path.sweep.translation;
    Search search = {
        .step = step, .slot = solver->slot, .index = index, .other = RBL_NONE, .time = end_of(step, index)};
    const float turning = body->shape.radius * rbl_minf(rbl_length3(path.sweep.rotation), 2.0f);
    const rblAabb box = rbl_shape_bounds_at(&body->shape, path.sweep.from);
    const rblAabb end = {rbl_add3(box.lower, translation), rbl_add3(box.upper, translation)};
    rbl_broad_phase_query(world->broad, rbl_aabb_grown(rbl_aabb_union(box, end), turning), visit_neighbour,
                          &search);
    slow_both(&search);
}

// Bodies that touch ground of any form and move on fast: their contacts tell nothing of the ground ahead.
void rbl_paths_limit_on_ground(rblStep* step)
{
    for (size_t i = 0; i < step->manifolds.count; ++i)
    {
        const rblManifold* manifold = &step->manifolds.data[i];
        const uint32_t index = rbl_manifold_moving_body(manifold);
        const rblSolverBody* solver = &step->solver_bodies.data[index];
        if (!(solver->inverse_mass > 0.0f) || !rbl_manifold_is_rugged(step, manifold))
        {
            continue;
        }
        const rblShapeView* shape = &step->world->bodies.data[solver->slot].shape;
        const float speed = rbl_length3(solver->velocity) + shape->radius * rbl_length3(solver->spin);
        if (speed * solver->seconds > shape->inner_radius)
        {
            const rblPair* pair = &step->world->pairs.data[manifold->pair];
            const uint32_t ground = pair->a == solver->slot ? pair->b : pair->a;
            const Search search = {.step = step, .slot = solver->slot, .index = index, .supported = true};
            (void)rbl_body_slow(step, index, meeting_time(&search, ground) - step->clocks.data[index]);
        }
    }
}

void rbl_paths_limit_new(rblStep* step)
{
    for (uint32_t i = 1; i < step->solver_bodies.count; ++i)
    {
        if (step->impact->last_change.data[i] > 0)
        {
            look_ahead(step, i);
        }
    }
    if (step->impact->any_slowed)
    {
        rbl_joints_share_seconds(step);
    }
}
