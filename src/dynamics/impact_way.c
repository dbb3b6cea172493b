// Where bodies go after an impact. Pairs and contacts are those of the way that a body was on; one that bounces in mid-step goes
// another way, on which nothing was looked for. Static bodies there are looked for here: the body gets as much of the step as
// it takes to get there, and the next step has the impact. What it loses is time, no energy.
#include "dynamics/impacts.h"
#include "dynamics/stages.h"

typedef struct Way
{
    const rblWorld* world;
    uint32_t slot;
    rblSweep sweep;
    rblVec3 sag;
    float clear; // fraction of the way that nothing is in
} Way;

// A pair that has contacts is known to the sweeps; pairs are sorted.
static bool has_contacts(const rblWorld* world, uint32_t a, uint32_t b)
{
    size_t begin = 0;
    size_t end = world->pairs.count;
    while (begin < end)
    {
        const size_t middle = begin + (end - begin) / 2;
        const rblPair* pair = &world->pairs.data[middle];
        if (pair->a == a && pair->b == b)
        {
            return pair->count > 0;
        }
        const bool before = pair->a < a || (pair->a == a && pair->b < b);
        begin = before ? middle + 1 : begin;
        end = before ? end : middle;
    }
    return false;
}

static bool meet(uint32_t slot, void* context)
{
    Way* way = context;
    const rblWorld* world = way->world;
    const rblBody* other = &world->bodies.data[slot];
    const uint32_t a = slot < way->slot ? slot : way->slot;
    const uint32_t b = slot < way->slot ? way->slot : slot;
    if (other->type != RBL_BODY_STATIC)
    {
        return false; // static ones come first
    }
    if (!rbl_wants_pair(world, a, b) || has_contacts(world, a, b))
    {
        return true;
    }
    const rblBody* body = &world->bodies.data[way->slot];
    const float slop = rbl_pair_slop(body, other);
    const rblSweep stays = {rbl_shape_pose(other, &world->motions.data[slot]), {0, 0, 0}, {0, 0, 0}};
    const rblImpactQuery query = {.a = &body->shape,
                                  .b = &other->shape,
                                  .sweep_a = &way->sweep,
                                  .sweep_b = &stays,
                                  .sag = way->sag,
                                  .target = slop,
                                  .tolerance = 0.5f * slop};
    way->clear = rbl_minf(way->clear, rbl_shape_find_impact(&query));
    return true;
}

// Half as far as a body is thick it is not lost: the next step finds what it overlaps.
static bool look_ahead(rblWorld* world, uint32_t index)
{
    rblSolverBody* solver = &world->solver_bodies.data[index];
    const float seconds = solver->seconds;
    if (!(solver->inverse_mass > 0.0f))
    {
        return false;
    }
    const rblBody* body = &world->bodies.data[solver->slot];
    const rblVec3 bend = rbl_scale3(world->def.gravity, 0.5f * seconds * seconds * body->gravity_scale);
    Way way = {.world = world, .slot = solver->slot, .sag = rbl_neg3(bend), .clear = 1.0f};
    way.sweep.from = rbl_shape_pose(body, &world->motions.data[solver->slot]);
    way.sweep.translation = rbl_mul_add3(bend, seconds, solver->velocity);
    way.sweep.rotation = rbl_scale3(solver->spin, seconds);
    if (!(rbl_length3(way.sweep.translation) > body->shape.inner_radius))
    {
        return false;
    }
    const float turning = body->shape.radius * rbl_minf(rbl_length3(way.sweep.rotation), 2.0f);
    const rblAabb box = rbl_shape_bounds_at(&body->shape, way.sweep.from);
    const rblAabb end = {rbl_add3(box.lower, way.sweep.translation),
                         rbl_add3(box.upper, way.sweep.translation)};
    rbl_broad_phase_query(world->broad, rbl_aabb_grown(rbl_aabb_union(box, end), turning), meet, &way);
    return rbl_hold_body(world, index, seconds * way.clear);
}

void rbl_look_after_blows(rblWorld* world, size_t first)
{
    bool held = false;
    for (size_t i = first; i < world->blows.count; ++i)
    {
        const rblManifold* manifold = &world->manifolds.data[world->blows.data[i].manifold];
        held = look_ahead(world, manifold->a) || held;
        held = look_ahead(world, manifold->b) || held;
    }
    if (held)
    {
        rbl_share_joint_seconds(world);
    }
}
