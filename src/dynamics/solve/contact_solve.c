// Solve of lasting contacts over the rest of the step.
//
// Positions move by the mean of the velocities before and after, so that the energy of a step changes by exactly
//   sum over contacts J . (u' + u) / 2,   u' and u the relative velocities before and after (docs/step.md).
// The normal velocity of a contact with gap g and time left h must be at least min(0, -u' - 2 g / h): the contact may close
// its gap and no more, it never bounces, and it never gains energy.
#include "dynamics/solve/cold_start.h"
#include "dynamics/solve/contact_math.h"
#include "dynamics/solve/subspace.h"
#include "dynamics/solve/wide.h"
#include "dynamics/stage_memory.h"
#include "dynamics/stages.h"

// ---- tuning ----

#define ENOUGH      2.5e-6f // m/s: smaller changes of velocity end the sweeps
#define STALLED     0.5f    // of the change of the last round: a larger one ends the rounds
#define COLD_CHANGE 0.01f   // m/s: only larger changes after the sweeps make cold islands worth a look
#define COLD_SWEEPS 64      // sweeps over cold islands until they are looked at again
#define COLD_ROUNDS 128     // rounds of these sweeps

// Working data of the stage.
struct rblContactSolver
{
    rblVelocityRowsArray sweep_starts; // per solver body, before a sweep over the contacts
    rblVelocityRowsArray directions;   // per solver body: change of its velocities by p
};

#define ARRAYS(X) X(sweep_starts) X(directions)

RBL_DEFINE_STAGE_MEMORY(struct rblContactSolver, rbl_contact_solver, ARRAYS)

// ---- before ----

void rbl_body_apply_forces(rblStep* step, uint32_t index)
{
    const rblWorld* world = step->world;
    rblSolverBody* body = &step->solver_bodies.data[index];
    step->before_contacts.data[index] = (rblVelocity){body->velocity, body->spin};
    if (body->inverse_mass > 0.0f)
    {
        body->velocity =
            rbl_mul_add3(body->velocity, body->seconds, rbl_body_linear_acceleration(world, body));
        body->spin = rbl_mul_add3(body->spin, body->seconds, rbl_body_angular_acceleration(world, body));
    }
    step->unconstrained.data[index] = (rblVelocity){body->velocity, body->spin};
}

static void force_block(rblRange range, void* context)
{
    for (uint32_t i = range.begin; i < range.end; ++i)
    {
        rbl_body_apply_forces(context, i + 1);
    }
}

// ---- one bundle ----

// Projected Gauss-Seidel, accelerated by conjugate directions (Silcowitz, Niebe and Erleben 2010): the change by a sweep is
// taken as the gradient, and each sweep is followed by a step along the changes of earlier sweeps. A stack of n boxes takes
// about n sweeps instead of n^2.
//   lambda += beta p,   p = beta p + change
// Velocities are linear in the impulses. The step is therefore taken for bodies by themselves (extrapolate_block), and for
// impulses when the next sweep reads them (extrapolate): a sweep reads and writes each contact once.
typedef struct Sweep
{
    rblStep* step;
    uint32_t color;
    float along;       // beta: length of the step along the directions
    bool extrapolates; // false: directions are reset
    uint32_t number;   // of the sweep
    uint32_t most;     // largest number of sweeps
    float joints;      // largest change of a velocity by joints
    double last;       // `square` of the last sweep
    double square;     // sum of squares of the changes of impulses, as energies
    float largest;     // square of the largest change of velocities
    double squares[RBL_MAX_BLOCKS];
    float largests[RBL_MAX_BLOCKS];
} Sweep;

typedef struct Lanes
{
    rblWideBody a, b;
    rblFloat4 friction;
    rblFloat4 weight; // sum of the inverse masses: velocity per impulse
    rblFloat4 square, largest;
} Lanes;

// Step of the impulses of a contact along the directions of earlier sweeps.
static void extrapolate(const Sweep* sweep, rblWideContact* contact, rblFloat4 impulses[3])
{
    const rblFloat4 beta = rbl_splat4(sweep->along);
    for (int k = 0; k < 3; ++k)
    {
        const rblFloat4 step = rbl_mul4(beta, rbl_load4(contact->direction[k]));
        impulses[k] = rbl_add4(impulses[k], step);
        rbl_store4(contact->direction[k], rbl_add4(step, rbl_load4(contact->change[k])));
    }
}

static void forget_direction(rblWideContact* contact)
{
    for (int k = 0; k < 3; ++k)
    {
        rbl_store4(contact->direction[k], rbl_splat4(0.0f));
    }
}

// Friction impulse that makes the tangential velocity x, y zero, within Coulomb's cone.
static void find_friction(const Lanes* lanes, const rblWideContact* contact, const rblFloat4 impulses[3],
                          rblFloat4 x, rblFloat4 y, rblFloat4 out[2])
{
    const rblFloat4 xx = rbl_load4(contact->tangent_mass[0]);
    const rblFloat4 yy = rbl_load4(contact->tangent_mass[1]);
    const rblFloat4 xy = rbl_load4(contact->tangent_mass[2]);
    const rblFloat4 mean = rbl_load4(contact->tangent_mass[3]);
    const rblFloat4 stick_x = rbl_sub4(impulses[1], rbl_add4(rbl_mul4(xx, x), rbl_mul4(xy, y)));
    const rblFloat4 stick_y = rbl_sub4(impulses[2], rbl_add4(rbl_mul4(xy, x), rbl_mul4(yy, y)));
    const rblFloat4 limit = rbl_mul4(lanes->friction, impulses[0]);
    const rblFloat4 size = rbl_add4(rbl_mul4(stick_x, stick_x), rbl_mul4(stick_y, stick_y));
    const rblFloat4 slides = rbl_less4(rbl_mul4(limit, limit), size);
    // Sliding: friction opposes the velocity. The inverse of the 2x2 block would give another direction.
    const rblFloat4 tangent_x = rbl_sub4(impulses[1], rbl_mul4(mean, x));
    const rblFloat4 tangent_y = rbl_sub4(impulses[2], rbl_mul4(mean, y));
    const rblFloat4 length =
        rbl_sqrt4(rbl_add4(rbl_mul4(tangent_x, tangent_x), rbl_mul4(tangent_y, tangent_y)));
    const rblFloat4 one = rbl_splat4(1.0f);
    const rblFloat4 scale = rbl_select4(rbl_less4(limit, length), rbl_div4(limit, length), one);
    out[0] = rbl_select4(slides, rbl_mul4(tangent_x, scale), stick_x);
    out[1] = rbl_select4(slides, rbl_mul4(tangent_y, scale), stick_y);
}

// Whether all lanes of a contact are open and stay open: they have no impulses and get none.
static bool stays_open(const rblFloat4 old[3], rblFloat4 coming)
{
    const rblFloat4 zero = rbl_splat4(0.0f);
    const rblFloat4 slides = rbl_add4(rbl_wide_absolute(old[1]), rbl_wide_absolute(old[2]));
    const rblFloat4 all = rbl_add4(rbl_wide_absolute(old[0]), slides);
    return rbl_mask4(rbl_and4(rbl_less_equal4(all, zero), rbl_less_equal4(coming, zero))) == 15u;
}

static void store_impulses(rblWideContact* contact, const rblFloat4 impulses[3], const rblFloat4 change[3])
{
    rbl_store4(contact->normal_impulse, impulses[0]);
    rbl_store4(contact->tangent_impulse[0], impulses[1]);
    rbl_store4(contact->tangent_impulse[1], impulses[2]);
    rbl_store4(contact->change[0], change[0]);
    rbl_store4(contact->change[1], change[1]);
    rbl_store4(contact->change[2], change[2]);
}

// One Gauss-Seidel iteration: friction, then the normal impulse that makes the normal velocity equal to the target, both
// accumulated. The change of the normal velocity by friction follows from the compliance of the contact, so that the
// velocities of the bodies are read and changed once. contact_math.h has the scalar form.
static void solve_wide_contact(const Sweep* sweep, Lanes* lanes, rblWideContact* contact)
{
    const rblWide3 arm_a = rbl_wide_load3(contact->arm_a);
    const rblWide3 arm_b = rbl_wide_load3(contact->arm_b);
    const rblWide3 normal = rbl_wide_load3(contact->normal);
    rblFloat4 old[3] = {rbl_load4(contact->normal_impulse), rbl_load4(contact->tangent_impulse[0]),
                        rbl_load4(contact->tangent_impulse[1])};
    if (sweep->extrapolates)
    {
        extrapolate(sweep, contact, old);
    }
    else
    {
        forget_direction(contact);
    }
    const rblWide3 u = rbl_wide_relative_velocity(&lanes->a, &lanes->b, arm_a, arm_b);
    const rblFloat4 straight = rbl_wide_dot3(u, normal);
    const rblFloat4 target = rbl_load4(contact->target);
    const rblFloat4 mass = rbl_load4(contact->normal_mass);
    if (stays_open(old, rbl_mul4(mass, rbl_sub4(target, straight))))
    {
        const rblFloat4 none[3] = {rbl_splat4(0.0f), rbl_splat4(0.0f), rbl_splat4(0.0f)};
        store_impulses(contact, none, none);
        return;
    }
    const rblWide3 tangent = rbl_wide_load3(contact->tangent);
    const rblWide3 tangent2 = rbl_wide_cross3(normal, tangent);
    rblFloat4 impulses[3];
    find_friction(lanes, contact, old, rbl_wide_dot3(u, tangent), rbl_wide_dot3(u, tangent2), &impulses[1]);
    rblFloat4 change[3];
    change[1] = rbl_sub4(impulses[1], old[1]);
    change[2] = rbl_sub4(impulses[2], old[2]);
    const rblFloat4 coupled = rbl_add4(rbl_mul4(rbl_load4(contact->coupling[0]), change[1]),
                                       rbl_mul4(rbl_load4(contact->coupling[1]), change[2]));
    const rblFloat4 miss = rbl_sub4(target, rbl_add4(straight, coupled));
    impulses[0] = rbl_max4(rbl_add4(old[0], rbl_mul4(mass, miss)), rbl_splat4(0.0f));
    change[0] = rbl_sub4(impulses[0], old[0]);
    store_impulses(contact, impulses, change);
    rbl_wide_apply_impulse(&lanes->a, &lanes->b, arm_a, arm_b,
                           rbl_wide_in_frame(normal, tangent, tangent2, change));
    const rblFloat4 sum = rbl_add4(rbl_add4(rbl_mul4(change[0], change[0]), rbl_mul4(change[1], change[1])),
                                   rbl_mul4(change[2], change[2]));
    const rblFloat4 energy = rbl_mul4(sum, lanes->weight);
    lanes->square = rbl_add4(lanes->square, energy);
    lanes->largest = rbl_max4(lanes->largest, rbl_mul4(energy, lanes->weight));
}

static void sweep_block(rblRange range, void* context)
{
    Sweep* sweep = context;
    rblStep* step = sweep->step;
    rblSolverBody* bodies = step->solver_bodies.data;
    Lanes lanes;
    lanes.square = rbl_splat4(0.0f);
    lanes.largest = rbl_splat4(0.0f);
    for (uint32_t i = range.begin; i < range.end; ++i)
    {
        const rblBundle* bundle = &step->bundles.data[step->color_bundles[sweep->color] + i];
        if (bundle->idle)
        {
            continue;
        }
        lanes.a = rbl_gather_bodies4(bodies, bundle->a);
        lanes.b = rbl_gather_bodies4(bodies, bundle->b);
        lanes.friction = rbl_load4(bundle->friction);
        lanes.weight = rbl_add4(lanes.a.inverse_mass, lanes.b.inverse_mass);
        for (uint32_t k = 0; k < bundle->count; ++k)
        {
            solve_wide_contact(sweep, &lanes, &step->wide_contacts.data[bundle->first + k]);
        }
        rbl_scatter_bodies4(bodies, bundle->a, &lanes.a);
        rbl_scatter_bodies4(bodies, bundle->b, &lanes.b);
    }
    sweep->squares[range.block] = (double)rbl_wide_sum(lanes.square);
    sweep->largests[range.block] = rbl_wide_largest(lanes.largest);
}

// ---- bodies between two sweeps ----

// One row of a body: v += beta p, p = beta p + change. The next sweep starts from v.
static void extrapolate_row(const Sweep* sweep, float* velocity, float start[4], float direction[4])
{
    rblFloat4 v = rbl_load3(velocity);
    rblFloat4 p = rbl_splat4(0.0f);
    if (sweep->extrapolates)
    {
        const rblFloat4 step = rbl_mul4(rbl_splat4(sweep->along), rbl_load4(direction));
        p = rbl_add4(step, rbl_sub4(v, rbl_load4(start)));
        v = rbl_add4(v, step);
        rbl_store3(velocity, v);
    }
    rbl_store4(direction, p);
    rbl_store4(start, v);
}

static void extrapolate_block(rblRange range, void* context)
{
    const Sweep* sweep = context;
    rblStep* step = sweep->step;
    for (uint32_t i = range.begin; i < range.end; ++i)
    {
        rblSolverBody* body = &step->solver_bodies.data[i];
        rblVelocityRows* start = &step->contact_solver->sweep_starts.data[i];
        rblVelocityRows* direction = &step->contact_solver->directions.data[i];
        extrapolate_row(sweep, &body->velocity.x, start->velocity, direction->velocity);
        extrapolate_row(sweep, &body->spin.x, start->spin, direction->spin);
    }
}

// Joints are solved before the contacts in each sweep. Their changes are not part of the directions.
static void sweep_joints(Sweep* sweep)
{
    rblStep* step = sweep->step;
    rblWorld* world = step->world;
    sweep->joints = rbl_joints_sweep(step);
    for (size_t i = 0; i < world->joints.count; ++i)
    {
        const rblJoint* joint = &world->joints.data[i];
        const uint32_t indices[2] = {joint->solver_a, joint->solver_b};
        for (int k = 0; k < 2 && joint->generation != 0; ++k)
        {
            const rblSolverBody* body = &step->solver_bodies.data[indices[k]];
            rblVelocityRows* start = &step->contact_solver->sweep_starts.data[indices[k]];
            rbl_store4(start->velocity, rbl_load3(&body->velocity.x));
            rbl_store4(start->spin, rbl_load3(&body->spin.x));
        }
    }
}

// ---- all colours ----

static void aim_block(rblRange range, void* context)
{
    const Sweep* sweep = context;
    const rblBundle* bundles = sweep->step->bundles.data + sweep->step->color_bundles[sweep->color];
    for (uint32_t i = range.begin; i < range.end; ++i)
    {
        if (i + 2 < range.end)
        {
            rbl_bundle_expect(sweep->step->world, &bundles[i + 2]);
        }
        rbl_bundle_aim(sweep->step, &bundles[i]);
    }
}

// The order of loops: forces on all bodies, then targets and warm start, colour by colour.
static bool next_to_aim(rblLoop* loop, void* context)
{
    Sweep* sweep = context;
    rblStep* step = sweep->step;
    if (sweep->number == 0)
    {
        sweep->number = 1;
        *loop = (rblLoop){(uint32_t)step->solver_bodies.count - 1, 256, force_block, step};
        return true;
    }
    if (sweep->number > step->color_count)
    {
        return false;
    }
    sweep->color = sweep->number++ - 1;
    *loop = rbl_color_loop(step, sweep->color, aim_block, sweep);
    return true;
}

static void add_blocks(Sweep* sweep)
{
    const rblLoop loop = rbl_color_loop(sweep->step, sweep->color, sweep_block, sweep);
    for (uint32_t b = 0; b < rbl_block_count(loop.count, loop.min_range); ++b)
    {
        sweep->square += sweep->squares[b];
        sweep->largest = rbl_maxf(sweep->largest, sweep->largests[b]);
    }
}

// End of a sweep: the length of the next step along the directions. False when the sweeps are finished.
static bool end_sweep(Sweep* sweep)
{
    const float change = rbl_maxf(sqrtf(sweep->largest), sweep->joints);
    sweep->largest = change;
    if (change < ENOUGH || sweep->number >= sweep->most)
    {
        return false;
    }
    // In worlds with huge masses the squares of impulses overflow. Directions are then not used.
    const bool known = sweep->last > 0.0 && sweep->last < (double)INFINITY;
    sweep->extrapolates = known && sweep->square <= sweep->last;
    sweep->along = sweep->extrapolates ? (float)(sweep->square / sweep->last) : 0.0f;
    sweep->last = sweep->square;
    return true;
}

// Values of `color` that are no colour: before the first sweep, and during the loop over bodies.
#define START  (UINT32_MAX - 1)
#define BODIES UINT32_MAX

static void begin_sweep(Sweep* sweep)
{
    sweep_joints(sweep);
    sweep->number += 1;
    sweep->square = 0.0;
    sweep->largest = 0.0f;
    sweep->color = 0;
}

// The order of loops: bodies, joints, all colours, bodies, ...
static bool next_of_sweep(rblLoop* loop, void* context)
{
    Sweep* sweep = context;
    rblStep* step = sweep->step;
    const bool colors = sweep->color < START; // the last loop was over a colour
    if (colors)
    {
        add_blocks(sweep);
        sweep->color += 1;
    }
    if (sweep->color == BODIES)
    {
        begin_sweep(sweep);
    }
    if (sweep->color < step->color_count)
    {
        *loop = rbl_color_loop(step, sweep->color, sweep_block, sweep);
        return true;
    }
    if (sweep->color != START && !end_sweep(sweep))
    {
        return false;
    }
    sweep->color = BODIES;
    *loop = (rblLoop){(uint32_t)step->solver_bodies.count, 512, extrapolate_block, sweep};
    return true;
}

// Sweeps with conjugate directions. Returns the largest change of a velocity in the last sweep, m/s.
static float iterate(rblStep* step, uint32_t most)
{
    rblWorld* world = step->world;
    Sweep sweep = {.step = step, .color = START, .most = most};
    rbl_parallel_chain(world->jobs, next_of_sweep, &sweep);
    return sweep.largest;
}

// Small worlds have more rounds: a tower of boxes needs them, and in a large heap the difference is not visible.
static uint32_t max_rounds(const rblStep* step)
{
    const rblWorld* world = step->world;
    const size_t contacts = step->solver_contacts.count;
    if (contacts <= RBL_SMALL_WORLD / 4)
    {
        return 6;
    }
    return contacts <= RBL_SMALL_ISLAND ? 3 : world->joint_ids.alive > 0 ? 2 : 1;
}

// More sweeps over islands that begin without impulses (cold_start.h).
static rblResult solve_cold(rblStep* step)
{
    bool any = false;
    RBL_TRY(rbl_cold_islands_find(step, &any));
    if (!any)
    {
        return RBL_OK;
    }
    for (uint32_t round = 0; round < COLD_ROUNDS && any; ++round)
    {
        (void)iterate(step, COLD_SWEEPS);
        any = rbl_cold_islands_check(step);
    }
    rbl_cold_islands_end(step);
    return RBL_OK;
}

// Rounds of sweeps over all contacts and direct solves of small islands (subspace.c). Without direct solves there is one
// round, or a second one that updates the rows of joints.
static rblResult solve_rounds(rblStep* step)
{
    rblWorld* world = step->world;
    const uint32_t rounds = max_rounds(step);
    float before = INFINITY;
    for (uint32_t round = 0; round < rounds; ++round)
    {
        if (round > 0)
        {
            (void)rbl_joints_refresh(step);
        }
        const float change = iterate(step, world->def.iterations);
        if (round == 0 && change > COLD_CHANGE)
        {
            RBL_TRY(solve_cold(step));
        }
        const bool stalls = world->joint_ids.alive > 0 && change > STALLED * before;
        before = change;
        if (round + 1 == rounds || ((change < ENOUGH || stalls) && round > 0))
        {
            return RBL_OK;
        }
        bool solved = false;
        RBL_TRY(rbl_subspaces_solve(step, round, &solved));
        if (!solved && (round > 0 || world->joint_ids.alive == 0))
        {
            return RBL_OK;
        }
    }
    return RBL_OK;
}

rblResult rbl_contacts_solve(rblStep* step)
{
    rblWorld* world = step->world;
    const size_t bodies = step->solver_bodies.count;
    if (!rbl_array_resize_amply(&step->contact_solver->sweep_starts, bodies) ||
        !rbl_array_resize_amply(&step->contact_solver->directions, bodies))
    {
        return rbl_fail_memory();
    }
    step->before_contacts.data[0] = step->at_start.data[0];
    step->unconstrained.data[0] = step->at_start.data[0];
    rbl_joints_prepare(step); // with the velocities before forces and contacts
    Sweep aim = {.step = step};
    rbl_parallel_chain(world->jobs, next_to_aim, &aim);
    rbl_joints_first_refresh(step);
    RBL_TRY(solve_rounds(step));
    rbl_joints_polish(step);
    return RBL_OK;
}
