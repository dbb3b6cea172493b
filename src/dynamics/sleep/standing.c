// Light bodies that stand under heavy ones.
//
// A slab of 40 kg on a shard of 40 g: Gauss-Seidel transfers only a thousandth of the load to the ground in each sweep, so the
// slab would press the shard into the ground. But a body that is pressed onto its support does not move, for any load. The heavy body
// can treat it as static, as a sleeper (Guendelman, Bridson and Fedkiw 2003, section 7, do so for all lower bodies in their last
// sweep). The light body is then *pinned*: the load acts on the ground and not on it.
//
// A body stands when it touches, from above, a supported point of a body that is static, asleep or standing. A load presses it down
// without tipping or sliding when the load lies above the support points of the body. This holds for loads at rest only. An impact
// continues to the bodies below: a ball that falls on a shard on a table acts on the table. Sleepers do not store their support
// points. So a body is pinned for impacts only when all bodies between it and the ground are light and awake.
#include "dynamics/stage_memory.h"
#include "dynamics/stages.h"
#include <math.h>

// ---- tuning ----

#define HEAVIER 20.0f // ratio of masses: smaller ratios are left to the solver
#define UPWARDS 0.9f  // cosine of the normal with the vertical: within the friction cone of 0.5
#define ASIDE   0.5f  // horizontal by vertical distance: the same cone
#define LEVELS  6     // largest number of bodies on top of each other
#define AT_REST 0.5f  // m/s: a slower load is no impact

// Support points of a body.
#define RBL_STAND_POINTS 6

typedef struct rblStand
{
    rblVec3 points[RBL_STAND_POINTS]; // world
    uint32_t count;
    float mass; // kg: the heaviest body below that is not static
    bool firm;  // all bodies below are awake or static
} rblStand;

// Working data of the stage.
struct rblStanding
{
    RBL_ARRAY(rblStand) stands; // by slot; filled when there are loads
    RBL_ARRAY(uint8_t)
    levels; // by slot: number of bodies down to a static or sleeping one; 1 stands on that
    rblIndexArray standing_pairs; // touching pairs
    bool loaded;                  // a body is much heavier than one that it touches
};

#define ARRAYS(X) X(stands) X(levels) X(standing_pairs)

RBL_DEFINE_STAGE_MEMORY(struct rblStanding, rbl_standing, ARRAYS)

#define NOT_DONE UINT8_MAX

static bool is_dynamic(const rblWorld* world, uint32_t slot)
{
    return world->motions.data[slot].inverse_mass > 0.0f;
}

// Kinematic bodies without velocity count as static.
static bool is_moving(const rblStep* step, uint32_t slot)
{
    const rblWorld* world = step->world;
    const rblMotion* motion = &world->motions.data[slot];
    const bool still =
        rbl_dot3(motion->velocity, motion->velocity) + rbl_dot3(motion->spin, motion->spin) == 0.0f;
    return step->solver_index.data[slot] != 0 && (is_dynamic(world, slot) || !still);
}

static rblVec3 up_of(const rblWorld* world)
{
    const float gravity = rbl_length3(world->def.gravity);
    return gravity > 0.0f ? rbl_scale3(world->def.gravity, -1.0f / gravity) : rbl_vec3(0, 0, 0);
}

// ---- loads above support points ----

static rblVec3 horizontal(rblVec3 v, rblVec3 up)
{
    return rbl_mul_add3(v, -rbl_dot3(v, up), up);
}

// Whether a point is close to the segment from p to q, seen from above.
static bool is_over_line(rblVec3 p, rblVec3 q, rblVec3 point, rblVec3 up)
{
    const rblVec3 along = horizontal(rbl_sub3(q, p), up);
    const rblVec3 offset = horizontal(rbl_sub3(point, p), up);
    const float square = rbl_dot3(along, along);
    const float share =
        square > 0.0f ? rbl_minf(rbl_maxf(rbl_dot3(offset, along) / square, 0.0f), 1.0f) : 0.0f;
    const rblVec3 across = rbl_mul_add3(offset, -share, along);
    const float height = rbl_dot3(up, rbl_sub3(point, rbl_mul_add3(p, share, rbl_sub3(q, p))));
    return height > 0.0f && rbl_dot3(across, across) < ASIDE * ASIDE * height * height;
}

static bool is_over_triangle(rblVec3 p, rblVec3 q, rblVec3 r, rblVec3 point, rblVec3 up)
{
    const float a = rbl_dot3(up, rbl_cross3(rbl_sub3(q, p), rbl_sub3(point, p)));
    const float b = rbl_dot3(up, rbl_cross3(rbl_sub3(r, q), rbl_sub3(point, q)));
    const float c = rbl_dot3(up, rbl_cross3(rbl_sub3(p, r), rbl_sub3(point, r)));
    return (a > 0.0f && b > 0.0f && c > 0.0f) || (a < 0.0f && b < 0.0f && c < 0.0f);
}

static bool is_over(const rblStand* stand, rblVec3 point, rblVec3 up)
{
    for (uint32_t i = 0; i < stand->count; ++i)
    {
        for (uint32_t j = 0; j <= i; ++j)
        {
            if (is_over_line(stand->points[i], stand->points[j], point, up))
            {
                return true;
            }
            for (uint32_t k = 0; k < j && j < i; ++k)
            {
                if (is_over_triangle(stand->points[i], stand->points[j], stand->points[k], point, up))
                {
                    return true;
                }
            }
        }
    }
    return false;
}

// ---- standing bodies ----

// The midpoint of a contact, and the cosine of its normal (towards b) with the vertical. False: the contact is open.
static bool place_contact(const rblWorld* world, const rblPair* pair, uint32_t number, rblVec3 up,
                          rblVec3* middle, float* upwards)
{
    const rblContact* contact = &world->contacts.data[pair->first + number];
    const rblVec3 on_a =
        rbl_transform_point(rbl_motion_pose(&world->motions.data[pair->a]), contact->anchor_a);
    const rblVec3 on_b =
        rbl_transform_point(rbl_motion_pose(&world->motions.data[pair->b]), contact->anchor_b);
    const float gap = rbl_dot3(contact->normal, rbl_sub3(on_b, on_a));
    *middle = rbl_scale3(rbl_add3(on_a, on_b), 0.5f);
    *upwards = rbl_dot3(contact->normal, up);
    return gap < 2.0f * rbl_pair_slop(&world->bodies.data[pair->a], &world->bodies.data[pair->b]);
}

// Add `below` and the bodies below it.
static void add_support(const rblStep* step, uint32_t below, rblStand* stand)
{
    const rblWorld* world = step->world;
    const bool moves = is_moving(step, below);
    const rblStand* lower = &step->standing->stands.data[below];
    const bool fixed = world->bodies.data[below].type != RBL_BODY_DYNAMIC;
    stand->mass = fixed ? stand->mass : rbl_maxf(stand->mass, world->bodies.data[below].mass);
    stand->mass = moves ? rbl_maxf(stand->mass, lower->mass) : stand->mass;
    const bool sleeps = step->activities.data[below] == RBL_ACTIVITY_ASLEEP;
    stand->firm = stand->firm && !sleeps && (!moves || lower->firm);
}

// Add the support points of `slot` from one pair.
static void stand_on(rblStep* step, const rblPair* pair, uint32_t slot, uint8_t level, rblVec3 up)
{
    rblWorld* world = step->world;
    const bool is_b = pair->b == slot;
    const uint32_t below = is_b ? pair->a : pair->b;
    rblStand* stand = &step->standing->stands.data[slot];
    for (uint32_t i = 0; i < pair->leading && stand->count < RBL_STAND_POINTS; ++i)
    {
        rblVec3 point;
        float upwards;
        const bool closed = place_contact(world, pair, i, up, &point, &upwards);
        const bool freedoms = level == 1 || is_over(&step->standing->stands.data[below], point, up);
        if (closed && freedoms && (is_b ? upwards : -upwards) > UPWARDS)
        {
            if (stand->count == 0)
            {
                stand->mass = 0.0f;
                stand->firm = true;
            }
            stand->points[stand->count++] = point;
            step->standing->levels.data[slot] = level;
            add_support(step, below, stand);
        }
    }
}

// A round body rolls under a load, so it is never pinned. Upright cylinders do not roll.
static bool rolls(const rblStep* step, uint32_t slot, rblVec3 up)
{
    const rblWorld* world = step->world;
    const rblBody* body = &world->bodies.data[slot];
    const rblTransform pose = rbl_shape_pose(body, &world->motions.data[slot]);
    const bool upright = body->shape.rolling == RBL_ROLLS_LYING &&
                         fabsf(rbl_dot3(rbl_rotate3(pose.q, rbl_vec3(0, 1, 0)), up)) > UPWARDS;
    return step->surfaces.data[slot].round && !upright;
}

static bool can_stand(const rblStep* step, uint32_t slot, rblVec3 up)
{
    const rblWorld* world = step->world;
    return is_dynamic(world, slot) && !rolls(step, slot, up);
}

static uint8_t level_of(const rblStep* step, uint32_t slot)
{
    return is_moving(step, slot) ? step->standing->levels.data[slot] : 0;
}

// Bodies of one level stand on bodies of the level below. Pairs that cannot matter for higher levels leave the list.
static void find_level(rblStep* step, uint8_t level, rblVec3 up)
{
    rblWorld* world = step->world;
    size_t left = 0;
    for (size_t k = 0; k < step->standing->standing_pairs.count; ++k)
    {
        const uint32_t index = step->standing->standing_pairs.data[k];
        const rblPair* pair = &world->pairs.data[index];
        for (int side = 0; side < 2; ++side)
        {
            const uint32_t slot = side == 0 ? pair->a : pair->b;
            const uint32_t below = side == 0 ? pair->b : pair->a;
            if (level_of(step, below) + 1 == level && level_of(step, slot) >= level &&
                can_stand(step, slot, up))
            {
                stand_on(step, pair, slot, level, up);
            }
        }
        if (level_of(step, pair->a) >= level || level_of(step, pair->b) >= level)
        {
            step->standing->standing_pairs.data[left++] = index;
        }
    }
    step->standing->standing_pairs.count = left;
}

// ---- loads ----

static bool is_heavier(const rblStep* step, uint32_t heavy, uint32_t light)
{
    const rblWorld* world = step->world;
    return is_dynamic(world, heavy) && is_moving(step, heavy) && is_moving(step, light) &&
           world->motions.data[light].inverse_mass > HEAVIER * world->motions.data[heavy].inverse_mass;
}

// Whether any two bodies have such a ratio of masses.
static bool has_mass_ratio(const rblStep* step)
{
    float least = INFINITY;
    float most = 0.0f;
    for (size_t i = 1; i < step->solver_bodies.count; ++i)
    {
        const float inverse = step->solver_bodies.data[i].inverse_mass;
        least = inverse > 0.0f ? rbl_minf(least, inverse) : least;
        most = rbl_maxf(most, inverse);
    }
    return most > HEAVIER * least;
}

// List touching pairs, and find whether one of them is loaded.
static bool list_pairs(rblStep* step)
{
    rblWorld* world = step->world;
    bool loaded = false;
    rbl_array_clear(&step->standing->standing_pairs);
    for (size_t k = 0; k < step->active_pairs.count; ++k)
    {
        const uint32_t index = step->active_pairs.data[k];
        const rblPair* pair = &world->pairs.data[index];
        if (pair->leading == 0)
        {
            continue;
        }
        loaded = loaded || is_heavier(step, pair->a, pair->b) || is_heavier(step, pair->b, pair->a);
        if (pair->touching)
        {
            step->standing->standing_pairs.data[step->standing->standing_pairs.count++] = index;
        }
    }
    return loaded;
}

rblResult rbl_standing_find(rblStep* step)
{
    rblWorld* world = step->world;
    const rblVec3 up = up_of(world);
    step->standing->loaded = false;
    if (!(rbl_dot3(up, up) > 0.0f) || !has_mass_ratio(step))
    {
        return RBL_OK;
    }
    if (!rbl_array_resize_amply(&step->standing->stands, world->bodies.count) ||
        !rbl_array_resize_amply(&step->standing->levels, world->bodies.count) ||
        !rbl_array_reserve(&step->standing->standing_pairs, step->active_pairs.count))
    {
        return rbl_fail_memory();
    }
    step->standing->loaded = list_pairs(step);
    for (size_t i = 0; i < step->movers.count && step->standing->loaded; ++i)
    {
        step->standing->levels.data[step->movers.data[i]] = NOT_DONE;
        step->standing->stands.data[step->movers.data[i]].count = 0;
    }
    for (uint8_t level = 1;
         level <= LEVELS && step->standing->loaded && step->standing->standing_pairs.count > 0; ++level)
    {
        find_level(step, level, up);
    }
    return RBL_OK;
}

static bool is_pressed_down(const rblStep* step, const rblPair* pair, uint32_t heavy, uint32_t light)
{
    const rblWorld* world = step->world;
    const rblStand* stand = &step->standing->stands.data[light];
    const rblMotion* motion = &world->motions.data[light];
    const rblBody* body = &world->bodies.data[light];
    const rblBody* load = &world->bodies.data[heavy];
    const rblMotion* load_motion = &world->motions.data[heavy];
    if (!is_heavier(step, heavy, light) || stand->count == 0 || body->joint_count > 0 ||
        rbl_body_max_speed(body, motion->velocity, motion->spin) > world->def.bounce_speed)
    {
        return false;
    }
    const bool firm = stand->firm && HEAVIER * stand->mass < load->mass;
    if (!firm && rbl_body_max_speed(load, load_motion->velocity, load_motion->spin) > AT_REST)
    {
        return false;
    }
    const rblVec3 up = up_of(world);
    for (uint32_t i = 0; i < pair->leading; ++i)
    {
        rblVec3 point;
        float upwards;
        (void)place_contact(world, pair, i, up, &point, &upwards);
        if ((light == pair->b ? -upwards : upwards) < UPWARDS || !is_over(stand, point, up))
        {
            return false;
        }
    }
    return true;
}

rblPinned rbl_pair_find_pinned(const rblStep* step, const rblPair* pair)
{
    if (!step->standing->loaded)
    {
        return RBL_PINNED_NONE;
    }
    if (is_pressed_down(step, pair, pair->b, pair->a))
    {
        return RBL_PINNED_A;
    }
    return is_pressed_down(step, pair, pair->a, pair->b) ? RBL_PINNED_B : RBL_PINNED_NONE;
}
