// Which pairs may pass through each other in a substep (passages.c).
#include "base/sort.h"
#include "dynamics/impact/impacts.h"
#include "dynamics/impact/passages.h"
#include "dynamics/pair_list.h"
#include "dynamics/stages.h"
#include <math.h>
#include <string.h>

// ---- tuning ----

#define DEPTH     0.5f // of the smaller inner radius: overlap that a motion may add
#define SAFE      2.0f // times that overlap: a relative motion that cannot pass through a body
#define MIN_PAIRS 256  // bodies or pairs for one worker, at least

// ---- motions ----

// Bound of the motion of the points of a body in the substep, m. The spin of a tumbling body changes without torques.
static float reach_of(const rblStep* step, uint32_t index)
{
    const struct rblPassageStage* stage = step->passages;
    const rblSolverBody* body = &step->solver_bodies.data[index];
    const rblShapeView* shape = &step->world->bodies.data[body->slot].shape;
    const rblVelocity* before = &step->before_contacts.data[index];
    const float radius = shape->rolling == RBL_ROLLS_AS_BALL || !shape->bounded ? 0.0f : shape->radius;
    const rblVec3 sum = rbl_add3(before->velocity, body->velocity);
    const float spin = rbl_maxf(rbl_length3(before->spin), rbl_length3(body->spin));
    float reach = body->seconds * (0.5f * rbl_length3(sum) + 1.5f * radius * spin);
    for (uint32_t f = stage->firsts.data[index]; f != 0; f = stage->nexts.data[f - 1])
    {
        const rblFlown* flown = &stage->flown.data[f - 1];
        const float time = flown->end - flown->begin;
        reach +=
            time * (rbl_length3(flown->motion.velocity) + 1.5f * radius * rbl_length3(flown->motion.spin) +
                    0.5f * time * rbl_length3(flown->acceleration));
    }
    return reach;
}

static void reach_block(rblRange range, void* context)
{
    rblStep* step = context;
    for (uint32_t i = range.begin; i < range.end; ++i)
    {
        step->passages->reaches.data[i + 1] = reach_of(step, i + 1);
    }
}

// Overlap that a motion may add, m.
float rbl_passage_depth(const rblStep* step, uint32_t a, uint32_t b)
{
    const rblBodyPath* path_a = &step->paths.data[a];
    const rblBodyPath* path_b = &step->paths.data[b];
    return DEPTH * rbl_minf(path_a->bounded ? path_a->inner_radius : INFINITY,
                            path_b->bounded ? path_b->inner_radius : INFINITY);
}

// Whether the filter of contacts lets one body pass through the other.
static bool is_filtered(const rblStep* step, uint32_t a, uint32_t b)
{
    const rblWorld* world = step->world;
    const uint32_t index = world->contact_filter != NULL ? rbl_pair_find(world, a, b) : RBL_NONE;
    return index != RBL_NONE && rbl_pair_is_filtered(step, index);
}

// Unbounded ground is left out: a half space pushes a body out of any depth; for triangles see rbl_paths_limit_on_ground().
static bool may_be_passed(const rblStep* step, uint32_t a, uint32_t b)
{
    return step->paths.data[a].bounded && step->paths.data[b].bounded &&
           !rbl_bodies_are_siblings(&step->paths.data[a], &step->paths.data[b]) && !is_filtered(step, a, b);
}

// Two bodies of samples that both move must pass each other by the thickness of both. The search for their time costs far more than
// that of convex shapes, and in a collapse nearly all pairs of fragments are fast.
static float motion_of_passage(const rblStep* step, uint32_t a, uint32_t b)
{
    const rblBodyPath* path_a = &step->paths.data[a];
    const rblBodyPath* path_b = &step->paths.data[b];
    const bool sampled = !path_a->exact && !path_b->exact && step->solver_index.data[a] != 0 &&
                         step->solver_index.data[b] != 0;
    return sampled ? path_a->inner_radius + path_b->inner_radius : SAFE * rbl_passage_depth(step, a, b);
}

bool rbl_passage_reaches(const rblStep* step, uint32_t a, uint32_t b)
{
    const float* all = step->passages->reaches.data;
    return all[step->solver_index.data[a]] + all[step->solver_index.data[b]] >
               motion_of_passage(step, a, b) &&
           may_be_passed(step, a, b);
}

// Overlap of a pair with a body of infinite mass at the beginning of the last leg, m.
static float overlap_of(const rblStep* step, uint32_t number)
{
    const rblWorld* world = step->world;
    const uint32_t m = step->manifold_of_pair.data[number];
    const rblManifold* manifold = m != RBL_NONE ? &step->manifolds.data[m] : NULL;
    if (manifold == NULL || (rbl_is_dynamic(step, manifold->a) && rbl_is_dynamic(step, manifold->b)))
    {
        return 0.0f;
    }
    const rblPair* pair = &world->pairs.data[number];
    const rblTransform a = rbl_motion_pose(&world->motions.data[pair->a]);
    const rblTransform b = rbl_motion_pose(&world->motions.data[pair->b]);
    float overlap = 0.0f;
    for (uint32_t i = 0; i < manifold->count; ++i)
    {
        const rblContact* contact = &world->contacts.data[manifold->contact + i];
        const rblVec3 gap =
            rbl_sub3(rbl_transform_point(b, contact->anchor_b), rbl_transform_point(a, contact->anchor_a));
        overlap = rbl_maxf(overlap, -rbl_dot3(gap, contact->normal));
    }
    return overlap;
}

// Whether a body of infinite mass has been entered so far that no slow motion may go on. Depths of samples are at most the inner
// radius.
static bool is_deep(const rblStep* step, uint32_t number)
{
    const rblPair* pair = &step->world->pairs.data[number];
    const float depth = rbl_passage_depth(step, pair->a, pair->b);
    const bool convex = step->paths.data[pair->a].exact && step->paths.data[pair->b].exact;
    return may_be_passed(step, pair->a, pair->b) && overlap_of(step, number) > (convex ? SAFE : 1.0f) * depth;
}

static void any_block(rblRange range, void* context)
{
    rblStep* step = context;
    for (uint32_t i = range.begin; i < range.end; ++i)
    {
        const rblPair* pair = &step->world->pairs.data[step->active_pairs.data[i]];
        if (rbl_passage_reaches(step, pair->a, pair->b) || is_deep(step, step->active_pairs.data[i]))
        {
            atomic_store_explicit(&step->passages->any, true, memory_order_relaxed);
            return;
        }
    }
}

// What follows begins at the current poses.
void rbl_reaches_measure(rblStep* step)
{
    const uint32_t bodies = (uint32_t)step->solver_bodies.count;
    step->passages->reaches.data[0] = 0.0f;
    rbl_parallel_for(step->world->jobs, bodies - 1, MIN_PAIRS, reach_block, step);
}

bool rbl_passages_possible(rblStep* step)
{
    atomic_store(&step->passages->any, false);
    rbl_parallel_for(step->world->jobs, (uint32_t)step->active_pairs.count, MIN_PAIRS, any_block, step);
    return atomic_load(&step->passages->any);
}

// ---- all pairs ----

// Whether a body has one leg over the whole substep, or stays where it is.
static bool is_straight(const rblStep* step, uint32_t slot)
{
    const uint32_t index = step->solver_index.data[slot];
    return index == 0 || (step->passages->firsts.data[index] == 0 &&
                          step->solver_bodies.data[index].seconds >= step->seconds);
}

// Whether two straight motions differ so much that the bodies may pass through each other.
static bool moves_past(const rblStep* step, uint32_t a, uint32_t b)
{
    const rblWorld* world = step->world;
    const struct rblPassageStage* stage = step->passages;
    const uint32_t slots[2] = {a, b};
    rblVec3 travel[2] = {{0, 0, 0}, {0, 0, 0}};
    float bound = 0.0f;
    for (int k = 0; k < 2; ++k)
    {
        const uint32_t index = step->solver_index.data[slots[k]];
        if (index != 0)
        {
            const rblSolverBody* body = &step->solver_bodies.data[index];
            const rblVec3 sum = rbl_add3(step->before_contacts.data[index].velocity, body->velocity);
            travel[k] = rbl_sub3(world->motions.data[slots[k]].center, stage->saved.data[index].center);
            bound += rbl_maxf(stage->reaches.data[index] - 0.5f * body->seconds * rbl_length3(sum), 0.0f);
        }
    }
    return rbl_length3(rbl_sub3(travel[0], travel[1])) + bound > SAFE * rbl_passage_depth(step, a, b);
}

// Whether the balls around two bodies without flights stay apart.
static bool balls_miss(const rblStep* step, uint32_t a, uint32_t b)
{
    const rblWorld* world = step->world;
    const struct rblPassageStage* stage = step->passages;
    const uint32_t slots[2] = {a, b};
    rblVec3 from[2];
    rblVec3 travel[2];
    float more = 0.0f;
    for (int k = 0; k < 2; ++k)
    {
        const uint32_t index = step->solver_index.data[slots[k]];
        const rblVec3 now = world->motions.data[slots[k]].center;
        from[k] = index != 0 ? stage->saved.data[index].center : now;
        travel[k] = rbl_sub3(now, from[k]);
        more += world->bodies.data[slots[k]].shape.radius;
        more += index != 0
                    ? 0.125f * step->seconds * step->seconds * rbl_length3(rbl_last_acceleration(step, index))
                    : 0.0f;
    }
    const rblVec3 apart = rbl_sub3(from[1], from[0]);
    const rblVec3 moved = rbl_sub3(travel[1], travel[0]);
    const float square = rbl_dot3(moved, moved);
    const float t = square > 0.0f ? rbl_clampf(-rbl_dot3(apart, moved) / square, 0.0f, 1.0f) : 0.0f;
    const rblVec3 nearest = rbl_mul_add3(apart, t, moved);
    const float reach = 1.001f * more;
    return rbl_dot3(nearest, nearest) > reach * reach;
}

static bool add_passage(rblStep* step, uint32_t a, uint32_t b, bool waits)
{
    struct rblPassageStage* stage = step->passages;
    const rblPassage passage = {.a = a, .b = b, .time = INFINITY, .waits = waits};
    const uint32_t ends[2] = {step->solver_index.data[a], step->solver_index.data[b]};
    if (!rbl_array_push(&stage->passages, passage))
    {
        return false;
    }
    for (int k = 0; k < 2; ++k)
    {
        uint32_t* head = &stage->heads.data[ends[k]]; // that of static bodies is never read
        if (!rbl_array_push(&stage->links, *head))
        {
            return false;
        }
        *head = (uint32_t)stage->links.count;
    }
    return (waits || (rbl_path_make(step, step->solver_index.data[a]) &&
                      rbl_path_make(step, step->solver_index.data[b])));
}

// Bodies that move on together only have to be followed when one of them stops.
static bool collect(rblStep* step)
{
    const rblWorld* world = step->world;
    struct rblPassageStage* stage = step->passages;
    rbl_array_clear(&stage->passages);
    rbl_array_clear(&stage->links);
    rbl_array_clear(&stage->legs);
    if (!rbl_array_resize_amply(&stage->heads, step->solver_bodies.count))
    {
        return false;
    }
    memset(stage->heads.data, 0, stage->heads.count * sizeof *stage->heads.data);
    for (size_t i = 0; i < step->active_pairs.count; ++i)
    {
        const uint32_t number = step->active_pairs.data[i];
        const rblPair* pair = &world->pairs.data[number];
        const bool far = rbl_passage_reaches(step, pair->a, pair->b);
        if (!far && (stage->displaces || !is_deep(step, number)))
        {
            continue;
        }
        const bool straight = is_straight(step, pair->a) && is_straight(step, pair->b);
        const bool misses = straight && !stage->displaces && far &&
                            (!moves_past(step, pair->a, pair->b) || balls_miss(step, pair->a, pair->b));
        if (!add_passage(step, pair->a, pair->b, misses && !is_deep(step, number)))
        {
            return false;
        }
    }
    return true;
}

// ---- deflected bodies ----

static rblAabb box_around_leg(const rblLeg* leg, const rblBody* body)
{
    const rblAabb from = rbl_shape_bounds_at(
        &body->shape, rbl_transform_mul((rblTransform){leg->center, leg->from}, body->shape_in_body));
    const rblAabb to = {rbl_add3(from.lower, leg->travel), rbl_add3(from.upper, leg->travel)};
    const float more = body->shape.radius * rbl_length3(leg->turn) + 0.25f * rbl_length3(leg->bend);
    return rbl_aabb_grown(rbl_aabb_union(from, to), more);
}

rblAabb rbl_path_box(const rblStep* step, uint32_t index)
{
    const struct rblPassageStage* stage = step->passages;
    const rblPath* path = &stage->paths.data[index];
    const rblBody* body = &step->world->bodies.data[step->solver_bodies.data[index].slot];
    rblAabb box = box_around_leg(&stage->legs.data[path->first], body);
    for (uint32_t i = 1; i < path->count; ++i)
    {
        box = rbl_aabb_union(box, box_around_leg(&stage->legs.data[path->first + i], body));
    }
    return box;
}

// Whether a body has left its predicted path by more than a body of its thickness may.
static bool is_deflected(const rblStep* step, uint32_t index)
{
    const rblWorld* world = step->world;
    const rblSolverBody* body = &step->solver_bodies.data[index];
    const rblBodyPath* path = &step->paths.data[body->slot];
    const rblVec3 predicted = rbl_add3(path->frame.p, path->translation);
    const rblVec3 apart = rbl_sub3(world->motions.data[body->slot].center, predicted);
    const rblVec3 spin = rbl_scale3(step->sweeps.data[body->slot].rotation, 1.0f / step->seconds);
    const float turning = step->seconds * path->radius * rbl_length3(rbl_sub3(body->spin, spin));
    return path->bounded && rbl_length3(apart) + turning > path->inner_radius;
}

typedef struct Search
{
    rblStep* step;
    uint32_t slot;
    bool out_of_memory;
} Search;

static bool add_if_new(rblStep* step, uint32_t one, uint32_t other)
{
    const rblWorld* world = step->world;
    const uint32_t a = one < other ? one : other;
    const uint32_t b = one < other ? other : one;
    if (a == b || !rbl_passage_reaches(step, a, b) || !rbl_pair_is_wanted(world, a, b) ||
        rbl_pair_find(world, a, b) != RBL_NONE)
    {
        return true;
    }
    // Of the body that is searched around, which moves.
    const struct rblPassageStage* stage = step->passages;
    for (uint32_t link = stage->heads.data[step->solver_index.data[one]]; link != 0;
         link = stage->links.data[link - 1])
    {
        const rblPassage* passage = &stage->passages.data[(link - 1) / 2];
        if (passage->a == a && passage->b == b)
        {
            return true;
        }
    }
    return add_passage(step, a, b, false);
}

static bool visit_neighbour(uint32_t slot, void* context)
{
    Search* search = context;
    search->out_of_memory = !add_if_new(search->step, search->slot, slot);
    return !search->out_of_memory;
}

// Pairs of a body along a path that the broad phase does not know.
bool rbl_passages_search_around(rblStep* step, uint32_t index, rblAabb box)
{
    Search search = {.step = step, .slot = step->solver_bodies.data[index].slot};
    rbl_broad_phase_query(step->world->broad, box, visit_neighbour, &search);
    return !search.out_of_memory;
}

static bool starts_before(uint32_t a, uint32_t b, const void* context)
{
    const struct rblPassageStage* stage = context;
    return stage->boxes.data[a].lower.x < stage->boxes.data[b].lower.x;
}

// Pairs of two deflected bodies.
static bool pair_deflected(rblStep* step)
{
    struct rblPassageStage* stage = step->passages;
    const size_t count = stage->deflected.count;
    if (count < 2)
    {
        return true;
    }
    if (!rbl_array_resize_amply(&stage->turns, 2 * count))
    {
        return false;
    }
    uint32_t* order = stage->turns.data;
    for (uint32_t i = 0; i < count; ++i)
    {
        order[i] = i;
    }
    rbl_sort_indices(order, order + count, count, starts_before, stage);
    for (size_t i = 0; i < count; ++i)
    {
        const rblAabb box = stage->boxes.data[order[i]];
        const uint32_t slot = step->solver_bodies.data[stage->deflected.data[order[i]]].slot;
        for (size_t k = i + 1; k < count && stage->boxes.data[order[k]].lower.x <= box.upper.x; ++k)
        {
            const uint32_t other = step->solver_bodies.data[stage->deflected.data[order[k]]].slot;
            if (rbl_aabb_overlaps(box, stage->boxes.data[order[k]]) && !add_if_new(step, slot, other))
            {
                return false;
            }
        }
    }
    return true;
}

static bool collect_deflected(rblStep* step)
{
    struct rblPassageStage* stage = step->passages;
    rbl_array_clear(&stage->deflected);
    rbl_array_clear(&stage->boxes);
    for (uint32_t i = 1; i < step->solver_bodies.count; ++i)
    {
        const rblShapeView* shape = &step->world->bodies.data[step->solver_bodies.data[i].slot].shape;
        const bool far =
            stage->displaces ? stage->reaches.data[i] > shape->inner_radius : is_deflected(step, i);
        if (!rbl_is_dynamic(step, i) || !far)
        {
            continue;
        }
        if (!rbl_path_make(step, i))
        {
            return false;
        }
        const rblAabb box = rbl_path_box(step, i);
        const uint32_t slot = step->solver_bodies.data[i].slot;
        if (rbl_aabb_contains(rbl_broad_phase_fat_box(step->world->broad, slot), box))
        {
            continue;
        }
        if (!rbl_array_push(&stage->deflected, i) || !rbl_array_push(&stage->boxes, box) ||
            !rbl_passages_search_around(step, i, box))
        {
            return false;
        }
    }
    return pair_deflected(step);
}

bool rbl_passages_collect(rblStep* step)
{
    return collect(step) && collect_deflected(step);
}
