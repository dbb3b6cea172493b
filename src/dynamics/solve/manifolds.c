// Manifolds of pairs with contacts, with graph colouring: two manifolds of one colour share no moving body.
#include "dynamics/solve/contact_math.h"
#include "dynamics/solve/wide.h"
#include "dynamics/stage_memory.h"
#include "dynamics/stages.h"
#include "math/simd.h"
#include <math.h>

// Working data of the stage.
struct rblManifoldBuilder
{
    RBL_ARRAY(uint64_t) color_masks;       // per solver body: see MOVES
    rblIndexArray chosen;                  // Chosen of every pair with contacts
    rblRange block_counts[RBL_MAX_BLOCKS]; // the part of `chosen` that a block has filled
};

#define ARRAYS(X) X(color_masks) X(chosen)

RBL_DEFINE_STAGE_MEMORY(struct rblManifoldBuilder, rbl_manifold_builder, ARRAYS)

// ---- pairs and colours ----

// The colours of a solver body are bits. The last bit marks bodies that can move: bodies of infinite mass can have any number of
// manifolds of one colour.
#define MOVES (1ull << (RBL_MAX_COLORS - 1))

// ---- tuning ----
#define MIN_PAIRS 256 // smallest number of pairs for one worker
#define FETCHED   8   // number of pairs that are prefetched ahead

// Manifolds of a colour are sorted by their number of contacts, so that the lanes of a bundle have equal work.
#define MAX_COUNTS 32 // contacts: larger numbers count as equal; affects speed, and results by rounding only

static void write_surface(rblStep* step, uint32_t slot)
{
    rblWorld* world = step->world;
    const rblBody* body = &world->bodies.data[slot];
    step->surfaces.data[slot] = (rblSurface){
        .friction = body->material.friction,
        .restitution = body->material.restitution,
        .slop = rbl_pair_slop(body, body),
        .inner_radius = body->shape.bounded ? body->shape.inner_radius : INFINITY,
        .joint_count = body->joint_count,
        .exact = rbl_shape_is_exact(&body->shape),
        .round = body->shape.rolling != RBL_ROLLS_NOT,
    };
}

static void surface_block(rblRange range, void* context)
{
    rblStep* step = context;
    for (uint32_t i = range.begin; i < range.end; ++i)
    {
        write_surface(step, step->movers.data[i]);
    }
}

// Half of the inner radius of the thinner body. It is infinite for shapes that are not convex: their contacts are known along
// the whole path.
static float safe_distance(const rblSurface* a, const rblSurface* b)
{
    return a->exact && b->exact ? 0.5f * rbl_minf(a->inner_radius, b->inner_radius) : INFINITY;
}

static void clear_colors(rblStep* step)
{
    for (size_t i = 0; i < step->solver_bodies.count; ++i)
    {
        step->manifold_builder->color_masks.data[i] =
            step->solver_bodies.data[i].inverse_mass > 0.0f ? MOVES : 0;
    }
}

// The first colour that neither body has.
static uint32_t choose_color(uint64_t* a, uint64_t* b)
{
    const uint64_t taken = *a | *b;
    uint32_t color = 0;
    while (color < RBL_MAX_COLORS - 1 && (taken >> color & 1) != 0)
    {
        ++color;
    }
    const uint64_t bit = 1ull << color;
    *a |= (*a & MOVES) != 0 ? bit : 0;
    *b |= (*b & MOVES) != 0 ? bit : 0;
    return color;
}

// A pair with contacts and a moving body, and its position in the order.
typedef struct Chosen
{
    uint32_t pair;
    uint32_t pinned;         // rblPinned: treated as static
    uint32_t body_a, body_b; // in the solver
    uint32_t rank;           // colour times MAX_COUNTS, plus the number of contacts
    uint32_t manifold_index; // of its manifold
    uint32_t first;          // of its solver contacts; at first their number
} Chosen;

static Chosen* chosen_pairs(const rblStep* step)
{
    return (Chosen*)(void*)step->manifold_builder->chosen.data;
}

static bool moves(const rblStep* step, uint32_t body)
{
    return (step->manifold_builder->color_masks.data[body] & MOVES) != 0;
}

// Choose the pairs of a block: they go to the front of its part of the array.
static void choose_block(rblRange range, void* context)
{
    rblStep* step = context;
    const rblWorld* world = step->world;
    Chosen* out = chosen_pairs(step) + range.begin;
    uint32_t count = 0;
    for (uint32_t k = range.begin; k < range.end; ++k)
    {
        const uint32_t index = step->active_pairs.data[k];
        const uint32_t later = step->active_pairs.data[k + FETCHED < range.end ? k + FETCHED : k];
        const rblPair* pair = &world->pairs.data[index];
        rbl_prefetch(&world->pairs.data[later].count);
        step->manifold_of_pair.data[index] = RBL_NONE;
        if (pair->count == 0)
        {
            continue;
        }
        const rblPinned pinned = rbl_pair_find_pinned(step, pair);
        const uint32_t a = pinned == RBL_PINNED_A ? 0 : step->solver_index.data[pair->a];
        const uint32_t b = pinned == RBL_PINNED_B ? 0 : step->solver_index.data[pair->b];
        if (moves(step, a) || moves(step, b))
        {
            const uint32_t contacts = pair->leading < MAX_COUNTS ? pair->leading : MAX_COUNTS - 1;
            out[count++] = (Chosen){.pair = index,
                                    .pinned = pinned,
                                    .body_a = a,
                                    .body_b = b,
                                    .rank = contacts,
                                    .first = pair->leading};
        }
    }
    step->manifold_builder->block_counts[range.block] =
        (rblRange){.begin = range.begin, .end = range.begin + count};
}

// Join the blocks, and colour the pairs in order.
static uint32_t color_pairs(rblStep* step)
{
    const rblWorld* world = step->world;
    uint64_t* colors = step->manifold_builder->color_masks.data;
    Chosen* chosen = chosen_pairs(step);
    const uint32_t blocks = rbl_block_count((uint32_t)step->active_pairs.count, MIN_PAIRS);
    uint32_t count = 0;
    for (uint32_t b = 0; b < blocks; ++b)
    {
        const rblRange part = step->manifold_builder->block_counts[b];
        for (uint32_t i = part.begin; i < part.end; ++i)
        {
            Chosen next = chosen[i];
            if (next.body_a == 0 || next.body_b == 0)
            {
                const rblPair* pair = &world->pairs.data[next.pair];
                write_surface(step, next.body_a == 0 ? pair->a : pair->b); // movers: surface_block()
            }
            next.rank += MAX_COUNTS * choose_color(&colors[next.body_a], &colors[next.body_b]);
            chosen[count++] = next;
        }
    }
    return count;
}

// Per rank, the number of manifolds and contacts before it.
typedef struct Ranks
{
    uint32_t manifolds[RBL_MAX_COLORS * MAX_COUNTS + 1];
    uint32_t contacts[RBL_MAX_COLORS * MAX_COUNTS + 1];
} Ranks;

static void count_ranks(rblStep* step, const Chosen* chosen, uint32_t count, Ranks* ranks)
{
    for (uint32_t i = 0; i < count; ++i)
    {
        ranks->manifolds[chosen[i].rank + 1] += 1;
        ranks->contacts[chosen[i].rank + 1] += chosen[i].first;
    }
    step->color_count = 0;
    for (uint32_t color = 0; color < RBL_MAX_COLORS; ++color)
    {
        step->color_starts[color] = ranks->manifolds[color * MAX_COUNTS];
        for (uint32_t r = color * MAX_COUNTS; r < (color + 1) * MAX_COUNTS; ++r)
        {
            step->color_count = ranks->manifolds[r + 1] > 0 ? color + 1 : step->color_count;
            ranks->manifolds[r + 1] += ranks->manifolds[r];
            ranks->contacts[r + 1] += ranks->contacts[r];
        }
    }
    step->color_starts[RBL_MAX_COLORS] = count;
}

// Sort by colour and number of contacts, keeping the order of pairs. Returns the number of contacts.
static uint32_t sort_pairs(rblStep* step, Chosen* chosen, uint32_t count)
{
    Ranks ranks = {0};
    count_ranks(step, chosen, count, &ranks);
    for (uint32_t i = 0; i < count; ++i)
    {
        const uint32_t contacts = chosen[i].first;
        chosen[i].manifold_index = ranks.manifolds[chosen[i].rank]++;
        chosen[i].first = ranks.contacts[chosen[i].rank];
        ranks.contacts[chosen[i].rank] += contacts;
    }
    return ranks.contacts[RBL_MAX_COLORS * MAX_COUNTS];
}

static rblManifold make_manifold(const rblStep* step, const Chosen* chosen)
{
    const rblWorld* world = step->world;
    const rblPair* pair = &world->pairs.data[chosen->pair];
    const rblSurface* a = &step->surfaces.data[pair->a];
    const rblSurface* b = &step->surfaces.data[pair->b];
    return (rblManifold){
        .pair = chosen->pair,
        .a = chosen->body_a,
        .b = chosen->body_b,
        .first = chosen->first,
        .count = pair->leading,
        .redundant = pair->count - pair->leading,
        .contact = pair->first,
        .friction = sqrtf(a->friction * b->friction),
        .restitution = pair->siblings ? 0.0f : rbl_maxf(a->restitution, b->restitution),
        .slop = rbl_minf(a->slop, b->slop),
        .fast = pair->fast,
        .safe_distance = safe_distance(a, b),
        .had_overlap = pair->initial_depth > 0.0f || pair->sibling_depth > 0.0f,
        .siblings = pair->siblings,
        .misses = pair->time_of_impact > 1.0f,
        .round = a->round || b->round,
        .early = !pair->siblings &&
                 (a->joint_count > 0 || b->joint_count > 0 || (pair->fast && pair->time_of_impact < 1.0f)),
    };
}

static void make_block(rblRange range, void* context)
{
    rblStep* step = context;
    const rblWorld* world = step->world;
    const Chosen* chosen = chosen_pairs(step);
    for (uint32_t i = range.begin; i < range.end; ++i)
    {
        rbl_prefetch(&world->pairs.data[chosen[i + FETCHED < range.end ? i + FETCHED : i].pair]);
        step->manifolds.data[chosen[i].manifold_index] = make_manifold(step, &chosen[i]);
        step->manifold_of_pair.data[chosen[i].pair] = chosen[i].manifold_index;
    }
}

// ---- contact data ----

static rblVec3 some_tangent(rblVec3 n)
{
    // Perpendicular to the axis with the smallest component of the normal. contact_aim.c has the SIMD form.
    const float x = fabsf(n.x);
    const float y = fabsf(n.y);
    const float z = fabsf(n.z);
    const rblVec3 axis =
        x <= y && x <= z ? rbl_vec3(1, 0, 0) : (y <= z ? rbl_vec3(0, 1, 0) : rbl_vec3(0, 0, 1));
    const rblVec3 t = rbl_cross3(n, axis);
    return rbl_scale3(t, 1.0f / rbl_length3(t));
}

// Rows of the inverse effective mass: e_j . A e_k for the normal and both tangents. contact_aim.c has the SIMD form.
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

void rbl_contact_prepare_masses(const rblSolverBody* a, const rblSolverBody* b, rblSolverContact* contact)
{
    contact->tangent = some_tangent(contact->normal);
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

void rbl_manifold_prepare(rblStep* step, rblManifold* manifold)
{
    rblWorld* world = step->world;
    const rblSolverBody* a = &step->solver_bodies.data[manifold->a];
    const rblSolverBody* b = &step->solver_bodies.data[manifold->b];
    const rblPair* pair = &world->pairs.data[manifold->pair];
    const rblTransform frame_a = solver_frame(world, pair->a);
    const rblTransform frame_b = solver_frame(world, pair->b);
    for (uint32_t i = 0; i < manifold->count; ++i)
    {
        const rblContact* from = &world->contacts.data[manifold->contact + i];
        rblSolverContact* contact = &step->solver_contacts.data[manifold->first + i];
        const rblVec3 on_a = rbl_transform_point(frame_a, from->anchor_a);
        const rblVec3 on_b = rbl_transform_point(frame_b, from->anchor_b);
        const rblVec3 middle = rbl_scale3(rbl_add3(on_a, on_b), 0.5f);
        contact->arm_a = rbl_sub3(middle, frame_a.p);
        contact->arm_b = rbl_sub3(middle, frame_b.p);
        contact->normal = from->normal;
        contact->gap = rbl_dot3(from->normal, rbl_sub3(on_b, on_a));
    }
    manifold->seconds = rbl_maxf(a->seconds, b->seconds);
    manifold->prepared = true;
}

rblResult rbl_manifolds_build(rblStep* step)
{
    rblWorld* world = step->world;
    const size_t numbers = sizeof(Chosen) / sizeof(uint32_t);
    if (!rbl_array_renew(&step->manifold_builder->chosen, numbers * step->active_pairs.count,
                         rbl_pile_capacity(step, numbers * RBL_PILE_PAIRS)) ||
        !rbl_array_resize_amply(&step->manifold_builder->color_masks, step->solver_bodies.count) ||
        !rbl_array_resize_amply(&step->surfaces, world->bodies.count) ||
        !rbl_array_renew(&step->manifold_of_pair, world->pairs.count, 0))
    {
        return rbl_fail_memory();
    }
    rbl_parallel_for(world->jobs, (uint32_t)step->movers.count, 512, surface_block, step);
    clear_colors(step);
    RBL_TRY(rbl_standing_find(step));
    rbl_parallel_for(world->jobs, (uint32_t)step->active_pairs.count, MIN_PAIRS, choose_block, step);
    const uint32_t count = color_pairs(step);
    const uint32_t contacts = sort_pairs(step, chosen_pairs(step), count);
    if (!rbl_array_renew(&step->manifolds, count, rbl_pile_capacity(step, RBL_PILE_CONTACTS / 2)) ||
        !rbl_array_renew(&step->solver_contacts, contacts, rbl_pile_capacity(step, RBL_PILE_CONTACTS)))
    {
        return rbl_fail_memory();
    }
    rbl_parallel_for(world->jobs, count, 256, make_block, step);
    return rbl_bundles_build(step) ? RBL_OK : rbl_fail_memory();
}
