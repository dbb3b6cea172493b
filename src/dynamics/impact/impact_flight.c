// Flight to the next impact: free, or sliding on supports. Both keep the energy law (docs/step.md, section 1).
#include "dynamics/impact/impacts.h"
#include "dynamics/orientation.h"
#include "dynamics/solve/contact_math.h"
#include "dynamics/stages.h"

// ---- tuning ----

#define MIN_BODIES 64    // bodies for one worker, at least
#define SWEEPS     64    // over the contacts of a body that slides, at most
#define ENOUGH     1e-6f // m/s: smaller changes of velocity end the sweeps

static bool flies(const rblStep* step, uint32_t index)
{
    return step->impact->times.data[index] > 0.0f;
}

// ---- free flight ----

typedef struct Flight
{
    rblStep* step;
    uint32_t round;
    double work[RBL_MAX_BLOCKS]; // J: of user forces
} Flight;

static void arrive(rblStep* step, uint32_t index, float time)
{
    rblWorld* world = step->world;
    rblSolverBody* body = &step->solver_bodies.data[index];
    rblMotion* motion = &world->motions.data[body->slot];
    motion->spin = rbl_angular_velocity(motion->orientation, motion->momentum, motion->moments);
    rbl_inertia_update(motion, body);
    body->velocity = motion->velocity;
    body->spin = motion->spin;
    body->seconds -= time;
    step->clocks.data[index] += time;
    step->at_start.data[index] = (rblVelocity){body->velocity, body->spin};
}

// Returns the work of user forces during the flight.
static double fly(rblStep* step, uint32_t index, float time)
{
    rblWorld* world = step->world;
    const rblSolverBody* body = &step->solver_bodies.data[index];
    rblMotion* motion = &world->motions.data[body->slot];
    const rblBody* record = &world->bodies.data[body->slot];
    const rblVec3 acceleration = rbl_body_linear_acceleration(world, body);
    const rblVec3 displacement =
        rbl_mul_add3(rbl_scale3(motion->velocity, time), 0.5f * time * time, acceleration);
    motion->center = rbl_add3(motion->center, displacement);
    motion->velocity = rbl_mul_add3(motion->velocity, time, acceleration);
    const rblVec3 before = motion->momentum;
    const rblVec3 after = rbl_mul_add3(before, time, record->torque);
    const rblVec3 mean = rbl_scale3(rbl_add3(before, after), 0.5f);
    const double turning = rbl_rotational_energy(motion->orientation, after, motion->moments) -
                           rbl_rotational_energy(motion->orientation, before, motion->moments);
    motion->orientation = rbl_orientation_advance(motion->orientation, mean, after, motion->moments, time);
    motion->momentum = after;
    arrive(step, index, time);
    return rbl_dot3d(rbl_to_double3(record->force), rbl_to_double3(displacement)) + turning;
}

// Kinematic bodies do not fly: their contacts are solved at the poses of the start of the step.
static void fly_block(rblRange range, void* context)
{
    Flight* flight = context;
    double work = 0.0;
    for (uint32_t i = range.begin + 1; i < range.end + 1; ++i)
    {
        if (flies(flight->step, i) && flight->step->impact->freedoms.data[i] == RBL_FREEDOM_FREE)
        {
            work += fly(flight->step, i, flight->step->impact->times.data[i]);
        }
    }
    flight->work[range.block] = work;
}

// ---- slide ----

// An isolated body on static supports, for a part of the step. Its contacts are solved as lasting contacts (contact_solve.c),
// for this body alone.
typedef struct Slide
{
    rblStep* step;
    uint32_t index;
    float time;
    rblSolverBody before; // v'
    rblSolverBody forced; // v*: with forces, without contacts
    rblSolverBody after;  // v
} Slide;

static uint32_t first_of(const Slide* slide)
{
    return slide->step->impact->slides.data[slide->index];
}

static uint32_t next_of(const Slide* slide, uint32_t manifold)
{
    return slide->step->impact->slides.data[slide->step->solver_bodies.count + manifold];
}

typedef void ContactFcn(Slide* slide, rblManifold* manifold, uint32_t number, void* context);

// All contacts that support the body.
static void for_each_contact(Slide* slide, ContactFcn* act, void* context)
{
    for (uint32_t m = first_of(slide); m != RBL_NONE; m = next_of(slide, m))
    {
        rblManifold* manifold = &slide->step->manifolds.data[m];
        for (uint32_t i = 0; i < manifold->count; ++i)
        {
            if (slide->step->solver_contacts.data[manifold->first + i].gap <= 2.0f * manifold->slop)
            {
                act(slide, manifold, i, context);
            }
        }
    }
}

// Relative velocity at a contact, of b against a, with the velocities of the sliding body given by `body`.
static rblVec3 speed_of(const Slide* slide, const rblManifold* manifold, const rblSolverContact* contact,
                        const rblSolverBody* body)
{
    const rblSolverBody* still = &slide->step->solver_bodies.data[0];
    return manifold->a == slide->index ? rbl_relative_velocity(body, still, contact->arm_a, contact->arm_b)
                                       : rbl_relative_velocity(still, body, contact->arm_a, contact->arm_b);
}

static void push_on(Slide* slide, const rblManifold* manifold, const rblSolverContact* contact,
                    rblVec3 impulse)
{
    rblSolverBody still = slide->step->solver_bodies.data[0];
    if (manifold->a == slide->index)
    {
        rbl_apply_impulse(&slide->after, &still, contact->arm_a, contact->arm_b, impulse);
    }
    else
    {
        rbl_apply_impulse(&still, &slide->after, contact->arm_a, contact->arm_b, impulse);
    }
}

// Targets as in section 5 of docs/step.md. The impulses of the last step, scaled to the duration of the slide, are the warm
// start.
static void begin_contact(Slide* slide, rblManifold* manifold, uint32_t number, void* context)
{
    (void)context;
    const rblStep* step = slide->step;
    const rblWorld* world = step->world;
    rblSolverContact* contact = &step->solver_contacts.data[manifold->first + number];
    const rblContact* last = &world->contacts.data[manifold->contact + number];
    const float since = world->pairs.data[manifold->pair].seconds;
    const float share = since > 0.0f ? slide->time / since : 0.0f;
    rbl_contact_prepare_masses(&step->solver_bodies.data[manifold->a], &step->solver_bodies.data[manifold->b],
                               contact);
    const float before = rbl_dot3(speed_of(slide, manifold, contact, &slide->before), contact->normal);
    const float open = rbl_maxf(contact->gap - manifold->slop, 0.0f);
    if (-before > rbl_pair_impact_threshold(step, manifold, rbl_impact_threshold(step)))
    {
        contact->target = -RBL_NO_TARGET; // the impact at the end of the slide
        contact->normal_impulse = 0.0f;
        contact->tangent_impulse[0] = 0.0f;
        contact->tangent_impulse[1] = 0.0f;
        return;
    }
    contact->target = rbl_minf(-before - 2.0f * open / slide->time, 0.0f);
    contact->normal_impulse = share * last->normal_impulse;
    contact->tangent_impulse[0] = share * rbl_dot3(last->friction, contact->tangent);
    contact->tangent_impulse[1] = share * rbl_dot3(last->friction, rbl_contact_tangent2(contact));
    push_on(slide, manifold, contact, rbl_contact_impulse(contact));
}

static void solve_slide_contact(Slide* slide, rblManifold* manifold, uint32_t number, void* context)
{
    float* largest = context;
    rblSolverContact* contact = &slide->step->solver_contacts.data[manifold->first + number];
    rblSolverBody still = slide->step->solver_bodies.data[0];
    rblSolverBody* a = manifold->a == slide->index ? &slide->after : &still;
    rblSolverBody* b = manifold->a == slide->index ? &still : &slide->after;
    rbl_contact_solve(a, b, contact, manifold->friction);
    const float change = fabsf(contact->change[0]) + fabsf(contact->change[1]) + fabsf(contact->change[2]);
    *largest = rbl_maxf(*largest, change * slide->after.inverse_mass);
}

// Twice the energy gain by the impulses: its derivative at share 0, J.(u' + u*), and its value at share 1, J.(u' + u).
typedef struct Gain
{
    double small, all;
} Gain;

static void add_gain(Slide* slide, rblManifold* manifold, uint32_t number, void* context)
{
    Gain* gain = context;
    const rblSolverContact* contact = &slide->step->solver_contacts.data[manifold->first + number];
    const rblVec3 impulse = rbl_contact_impulse(contact);
    const rblVec3 before = speed_of(slide, manifold, contact, &slide->before);
    const rblVec3 forced = speed_of(slide, manifold, contact, &slide->forced);
    const rblVec3 after = speed_of(slide, manifold, contact, &slide->after);
    gain->small += (double)rbl_dot3(impulse, rbl_add3(before, forced));
    gain->all += (double)rbl_dot3(impulse, rbl_add3(before, after));
}

// The largest share of the impulses without an energy gain (docs/step.md, section 7).
static float allowed_share(Slide* slide)
{
    Gain gain = {0.0, 0.0};
    for_each_contact(slide, add_gain, &gain);
    if (gain.all <= 0.0)
    {
        return 1.0f;
    }
    return gain.small < 0.0 ? (float)(gain.small / (gain.small - gain.all)) : 0.0f;
}

static float solve_slide(Slide* slide)
{
    const rblStep* step = slide->step;
    const rblWorld* world = step->world;
    slide->forced.velocity = rbl_mul_add3(slide->before.velocity, slide->time,
                                          rbl_body_linear_acceleration(world, &slide->before));
    slide->forced.spin =
        rbl_mul_add3(slide->before.spin, slide->time, rbl_body_angular_acceleration(world, &slide->before));
    slide->after = slide->forced;
    for_each_contact(slide, begin_contact, NULL);
    float largest = 2.0f * ENOUGH;
    for (int sweep = 0; sweep < SWEEPS && largest > ENOUGH; ++sweep)
    {
        largest = 0.0f;
        for_each_contact(slide, solve_slide_contact, &largest);
    }
    const float share = allowed_share(slide);
    rbl_body_take_share(&slide->after, &slide->forced, share);
    return share;
}

// Move by the mean velocity, as rbl_integrate() does.
static void slide_move(Slide* slide)
{
    rblStep* step = slide->step;
    rblWorld* world = step->world;
    const rblBody* record = &world->bodies.data[slide->before.slot];
    rblMotion* motion = &world->motions.data[slide->before.slot];
    const rblVec3 twice = rbl_add3(slide->before.velocity, slide->after.velocity);
    const rblVec3 turned = rbl_sub3(slide->after.spin, motion->spin);
    const rblVec3 end =
        rbl_add3(motion->momentum, rbl_inertia_apply(motion->orientation, motion->moments, turned));
    const rblVec3 middle = rbl_scale3(rbl_add3(motion->momentum, end), 0.5f);
    const double energy = rbl_body_energy(world, slide->before.slot);
    const rblVec3d spins = rbl_add3d(rbl_to_double3(slide->before.spin), rbl_to_double3(slide->after.spin));
    const double work = 0.5 * (double)slide->time *
                        (rbl_dot3d(rbl_to_double3(record->force), rbl_to_double3(twice)) +
                         rbl_dot3d(rbl_to_double3(record->torque), spins));
    motion->center = rbl_mul_add3(motion->center, 0.5f * slide->time, twice);
    motion->orientation =
        rbl_orientation_advance(motion->orientation, middle, end, motion->moments, slide->time);
    motion->velocity = slide->after.velocity;
    motion->momentum = end;
    arrive(step, slide->index, slide->time);
    world->energy.work += work;
    const double lost = energy + work - rbl_body_energy(world, slide->before.slot);
    world->contact_loss += lost;
    step->islands.data[slide->before.island].budget += rbl_maxd(lost, 0.0);
}

// Contact impulses of one support during the slide, for rblImpactRecord.
typedef struct ImpactSum
{
    rblVec3 impulse; // on b
    rblVec3 point;
    float most; // N s: largest normal impulse of a contact
} ImpactSum;

static ImpactSum sum_manifold(const Slide* slide, const rblManifold* manifold, float share)
{
    const rblStep* step = slide->step;
    const rblWorld* world = step->world;
    const rblVec3 center = world->motions.data[slide->before.slot].center;
    ImpactSum sum = {{0, 0, 0}, {0, 0, 0}, 0.0f};
    for (uint32_t i = 0; i < manifold->count; ++i)
    {
        const rblSolverContact* contact = &step->solver_contacts.data[manifold->first + i];
        if (contact->gap <= 2.0f * manifold->slop && contact->normal_impulse > 0.0f)
        {
            const rblVec3 arm = manifold->a == slide->index ? contact->arm_a : contact->arm_b;
            sum.impulse = rbl_mul_add3(sum.impulse, share, rbl_contact_impulse(contact));
            sum.point = contact->normal_impulse > sum.most ? rbl_add3(center, arm) : sum.point;
            sum.most = rbl_maxf(sum.most, contact->normal_impulse);
        }
    }
    return sum;
}

static bool report_slide(const Slide* slide, float share)
{
    rblStep* step = slide->step;
    rblWorld* world = step->world;
    for (uint32_t m = first_of(slide); m != RBL_NONE; m = next_of(slide, m))
    {
        const rblManifold* manifold = &step->manifolds.data[m];
        const rblPair* pair = &world->pairs.data[manifold->pair];
        const ImpactSum sum = sum_manifold(slide, manifold, share);
        const rblImpactRecord record = {.a = {pair->a + 1, pair->generation_a, world->serial},
                                        .b = {pair->b + 1, pair->generation_b, world->serial},
                                        .point = sum.point,
                                        .impulse = sum.impulse,
                                        .duration = slide->time};
        if (sum.most > 0.0f && !rbl_array_push(&world->impacts, record))
        {
            return false;
        }
    }
    return true;
}

// ---- all bodies ----

static bool slides(const rblStep* step, uint32_t index)
{
    return flies(step, index) && step->impact->freedoms.data[index] == RBL_FREEDOM_RESTING;
}

// Lists of manifolds, one per sliding body, in the order of manifolds.
static bool chain_manifolds(rblStep* step)
{
    const size_t bodies = step->solver_bodies.count;
    if (!rbl_array_resize_amply(&step->impact->slides, bodies + step->manifolds.count))
    {
        return false;
    }
    for (size_t i = 0; i < bodies; ++i)
    {
        step->impact->slides.data[i] = RBL_NONE;
    }
    for (uint32_t m = (uint32_t)step->manifolds.count; m-- > 0;)
    {
        const rblManifold* manifold = &step->manifolds.data[m];
        const uint32_t body = manifold->a != 0 ? manifold->a : manifold->b;
        if (slides(step, body))
        {
            rbl_manifold_prepare_once(step, &step->manifolds.data[m]);
            step->impact->slides.data[bodies + m] = step->impact->slides.data[body];
            step->impact->slides.data[body] = m;
        }
    }
    return true;
}

static bool slide_all(rblStep* step)
{
    bool any = false;
    for (uint32_t i = 1; i < step->solver_bodies.count; ++i)
    {
        any = any || slides(step, i);
    }
    if (any && !chain_manifolds(step))
    {
        return false;
    }
    for (uint32_t i = 1; i < step->solver_bodies.count && any; ++i)
    {
        if (slides(step, i))
        {
            Slide slide = {.step = step, .index = i, .time = step->impact->times.data[i]};
            slide.before = step->solver_bodies.data[i];
            slide.forced = slide.before;
            const float share = solve_slide(&slide);
            if (!report_slide(&slide, share))
            {
                return false;
            }
            slide_move(&slide);
        }
    }
    return true;
}

static bool renew(rblStep* step, const rblManifold* manifold, rblContactSet* set)
{
    rblWorld* world = step->world;
    const bool isolated_manifolds = step->impact->isolations.data[manifold->a] != RBL_ISOLATION_NONE ||
                                    step->impact->isolations.data[manifold->b] != RBL_ISOLATION_NONE;
    if (isolated_manifolds)
    {
        return rbl_pair_renew_contacts(step, manifold, set);
    }
    rbl_manifold_reanchor_balls(world, manifold);
    return true;
}

static void prepare_moved_block(rblRange range, void* context)
{
    const Flight* flight = context;
    rblStep* step = flight->step;
    for (uint32_t i = range.begin; i < range.end; ++i)
    {
        rblManifold* manifold =
            &step->manifolds.data[flight->round == 0 ? i : step->impact->isolated_manifolds.data[i]];
        if (flies(step, manifold->a) || flies(step, manifold->b))
        {
            if (!renew(step, manifold, &step->impact->worker_contacts[range.worker]))
            {
                atomic_store(&step->impact->out_of_memory, true);
            }
            rbl_manifold_prepare(step, manifold);
            manifold->approaching = true; // perhaps: its contacts were evaluated at the old poses
            manifold->moved_to_impact = true;
        }
    }
}

rblResult rbl_bodies_fly_to_impacts(rblStep* step, uint32_t round)
{
    rblWorld* world = step->world;
    Flight flight = {.step = step, .round = round};
    const uint32_t count = (uint32_t)step->solver_bodies.count - 1;
    step->impact->times.data[0] = 0.0f;
    for (uint32_t i = 1; i <= count; ++i)
    {
        if (flies(step, i) && step->impact->freedoms.data[i] != RBL_FREEDOM_NONE)
        {
            RBL_TRY(rbl_flight_note(step, i, step->impact->times.data[i]));
        }
    }
    if (!slide_all(step))
    {
        return rbl_fail_memory();
    }
    rbl_parallel_for(world->jobs, count, MIN_BODIES, fly_block, &flight);
    for (uint32_t b = 0; b < rbl_block_count(count, MIN_BODIES); ++b)
    {
        world->energy.work += flight.work[b];
    }
    const size_t manifolds = round == 0 ? step->manifolds.count : step->impact->isolated_manifolds.count;
    atomic_store(&step->impact->out_of_memory, false);
    rbl_parallel_for(world->jobs, (uint32_t)manifolds, MIN_BODIES, prepare_moved_block, &flight);
    return atomic_load(&step->impact->out_of_memory) ? rbl_fail_memory() : RBL_OK;
}
