// Pairs with contacts into manifolds, coloured so that no two of a colour share a moving body.
#include "dynamics/contact_math.h"
#include "dynamics/stages.h"
#include <math.h>

// ---- which pairs, in which colour ----

static bool needs_solving(const rblWorld* world, const rblPair* pair)
{
    const rblSolverBody* a = &world->solver_bodies.data[world->solver_index.data[pair->a]];
    const rblSolverBody* b = &world->solver_bodies.data[world->solver_index.data[pair->b]];
    return pair->count > 0 && (a->inverse_mass > 0.0f || b->inverse_mass > 0.0f);
}

static rblManifold make_manifold(const rblWorld* world, uint32_t index)
{
    const rblPair* pair = &world->pairs.data[index];
    const rblBody* a = &world->bodies.data[pair->a];
    const rblBody* b = &world->bodies.data[pair->b];
    return (rblManifold){
        .pair = index,
        .a = world->solver_index.data[pair->a],
        .b = world->solver_index.data[pair->b],
        .count = pair->count,
        .contact = pair->first,
        .friction = sqrtf(a->material.friction * b->material.friction),
        .restitution = rbl_maxf(a->material.restitution, b->material.restitution),
        .slop = rbl_pair_slop(a, b),
        .fast = pair->fast,
        .early = a->joint_count > 0 || b->joint_count > 0 || pair->time_of_impact < 1.0f,
    };
}

// The first colour that neither body has yet. Bodies of infinite mass take any number.
static uint32_t choose_color(const rblWorld* world, uint64_t* used, const rblManifold* manifold)
{
    const bool a_moves = world->solver_bodies.data[manifold->a].inverse_mass > 0.0f;
    const bool b_moves = world->solver_bodies.data[manifold->b].inverse_mass > 0.0f;
    const uint64_t taken = (a_moves ? used[manifold->a] : 0) | (b_moves ? used[manifold->b] : 0);
    uint32_t color = 0;
    while (color < RBL_MAX_COLORS - 1 && (taken >> color & 1) != 0)
    {
        ++color;
    }
    const uint64_t bit = 1ull << color;
    used[manifold->a] |= a_moves ? bit : 0;
    used[manifold->b] |= b_moves ? bit : 0;
    return color;
}

// Sort by colour, keeping the order of pairs, and lay out the contacts in that order.
static void place_by_color(rblWorld* world, const uint32_t* colors, uint32_t count)
{
    uint32_t places[RBL_MAX_COLORS + 1] = {0};
    for (uint32_t i = 0; i < count; ++i)
    {
        places[colors[2 * i + 1] + 1] += 1;
    }
    world->color_count = 0;
    for (uint32_t c = 0; c < RBL_MAX_COLORS; ++c)
    {
        world->color_count = places[c + 1] > 0 ? c + 1 : world->color_count;
        places[c + 1] += places[c];
        world->color_starts[c] = places[c];
    }
    world->color_starts[RBL_MAX_COLORS] = count;
    for (uint32_t i = 0; i < count; ++i)
    {
        world->manifolds.data[places[colors[2 * i + 1]]++] = make_manifold(world, colors[2 * i]);
    }
    uint32_t first = 0;
    for (uint32_t i = 0; i < count; ++i)
    {
        world->manifolds.data[i].first = first;
        first += world->manifolds.data[i].count;
    }
}

// ---- contact data ----

static rblVec3 some_tangent(rblVec3 n)
{
    // Cross with the axis that the normal is least along.
    const float x = fabsf(n.x);
    const float y = fabsf(n.y);
    const float z = fabsf(n.z);
    const rblVec3 axis =
        x <= y && x <= z ? rbl_vec3(1, 0, 0) : (y <= z ? rbl_vec3(0, 1, 0) : rbl_vec3(0, 0, 1));
    const rblVec3 t = rbl_cross3(n, axis);
    return rbl_scale3(t, 1.0f / rbl_length3(t));
}

// Rows of the inverse effective mass: e_j . A e_k for the normal and both tangents, from one body.
typedef struct Compliance
{
    float nn, xx, yy, xy, nx, ny;
} Compliance;

static void add_compliance(const rblSolverBody* body, rblVec3 arm, const rblVec3 axes[3], Compliance* out)
{
    if (!(body->inverse_mass > 0.0f))
    {
        return;
    }
    const rblVec3 n = rbl_cross3(arm, axes[0]);
    const rblVec3 x = rbl_cross3(arm, axes[1]);
    const rblVec3 y = rbl_cross3(arm, axes[2]);
    const rblVec3 turned_x = rbl_symmetric3_apply(&body->inverse_inertia, x);
    const rblVec3 turned_y = rbl_symmetric3_apply(&body->inverse_inertia, y);
    out->nn += body->inverse_mass + rbl_dot3(n, rbl_symmetric3_apply(&body->inverse_inertia, n));
    out->xx += body->inverse_mass + rbl_dot3(x, turned_x);
    out->yy += body->inverse_mass + rbl_dot3(y, turned_y);
    out->xy += rbl_dot3(y, turned_x);
    out->nx += rbl_dot3(n, turned_x);
    out->ny += rbl_dot3(n, turned_y);
}

void rbl_prepare_masses(const rblSolverBody* a, const rblSolverBody* b, rblSolverContact* contact)
{
    const rblVec3 axes[3] = {contact->normal, contact->tangent, rbl_contact_tangent2(contact)};
    Compliance sum = {0};
    add_compliance(a, contact->arm_a, axes, &sum);
    add_compliance(b, contact->arm_b, axes, &sum);
    const float scale = 1.0f / (sum.xx * sum.yy - sum.xy * sum.xy);
    contact->normal_mass = 1.0f / sum.nn;
    contact->tangent_mass[0] = sum.yy * scale;
    contact->tangent_mass[1] = sum.xx * scale;
    contact->tangent_mass[2] = -sum.xy * scale;
    contact->tangent_mass[3] = 2.0f / (sum.xx + sum.yy);
    contact->coupling[0] = sum.nx;
    contact->coupling[1] = sum.ny;
}

static rblTransform solver_frame(const rblWorld* world, uint32_t slot)
{
    return rbl_motion_pose(&world->motions.data[slot]);
}

void rbl_prepare_manifold(rblWorld* world, rblManifold* manifold)
{
    const rblSolverBody* a = &world->solver_bodies.data[manifold->a];
    const rblSolverBody* b = &world->solver_bodies.data[manifold->b];
    const rblPair* pair = &world->pairs.data[manifold->pair];
    const rblTransform frame_a = solver_frame(world, pair->a);
    const rblTransform frame_b = solver_frame(world, pair->b);
    for (uint32_t i = 0; i < manifold->count; ++i)
    {
        const rblContact* from = &world->contacts.data[manifold->contact + i];
        rblSolverContact* contact = &world->solver_contacts.data[manifold->first + i];
        const rblVec3 on_a = rbl_transform_point(frame_a, from->anchor_a);
        const rblVec3 on_b = rbl_transform_point(frame_b, from->anchor_b);
        const rblVec3 middle = rbl_scale3(rbl_add3(on_a, on_b), 0.5f);
        *contact = (rblSolverContact){
            .arm_a = rbl_sub3(middle, frame_a.p),
            .arm_b = rbl_sub3(middle, frame_b.p),
            .normal = from->normal,
            .tangent = some_tangent(from->normal),
            .gap = rbl_dot3(from->normal, rbl_sub3(on_b, on_a)),
        };
        rbl_prepare_masses(a, b, contact);
    }
    manifold->seconds = rbl_maxf(a->seconds, b->seconds);
}

static void prepare_block(rblRange range, void* context)
{
    rblWorld* world = context;
    for (uint32_t i = range.begin; i < range.end; ++i)
    {
        rbl_prepare_manifold(world, &world->manifolds.data[i]);
    }
}

rblResult rbl_build_manifolds(rblWorld* world)
{
    // Scratch: per manifold its pair and its colour; then a colour mask per body.
    const size_t bodies = world->solver_bodies.count;
    if (!rbl_array_resize_amply(&world->scratch, 2 * world->pairs.count + 2 * bodies) ||
        !rbl_array_resize_amply(&world->color_masks, bodies))
    {
        return rbl_fail_memory();
    }
    uint64_t* used = world->color_masks.data;
    for (size_t i = 0; i < bodies; ++i)
    {
        used[i] = 0;
    }
    uint32_t count = 0;
    uint32_t contacts = 0;
    for (uint32_t i = 0; i < world->pairs.count; ++i)
    {
        if (needs_solving(world, &world->pairs.data[i]))
        {
            const rblManifold manifold = make_manifold(world, i);
            world->scratch.data[2 * count] = i;
            world->scratch.data[2 * count + 1] = choose_color(world, used, &manifold);
            contacts += manifold.count;
            ++count;
        }
    }
    if (!rbl_array_resize_amply(&world->manifolds, count) ||
        !rbl_array_resize_amply(&world->solver_contacts, contacts))
    {
        return rbl_fail_memory();
    }
    place_by_color(world, world->scratch.data, count);
    rbl_parallel_for(world->jobs, count, 64, prepare_block, world);
    return RBL_OK;
}
