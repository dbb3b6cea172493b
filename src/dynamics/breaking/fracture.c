// The fracture stage: breakers decide about the impacts of the trial, and the bodies that break pay for their cracks.
//
// The impacts of a substep are solved first as if no body broke: the trial. When a body breaks, the result of the trial is
// discarded: bodies are at the poses of their impacts, with their velocities before the impacts. The energy of the cracks is
// taken from these velocities (fracture_impacts.c), fragments replace the bodies (fracture_birth.c), and the substep continues:
// pairs and contacts are found again, and the rest of every impact acts on the fragments (Su 2009, section 4.2).
#include "dynamics/breaking/fracture.h"
#include "base/log.h"
#include "base/random.h"
#include "base/timer.h"
#include "dynamics/stage_memory.h"
#include "dynamics/stages.h"
#include <float.h>
#include <math.h>

// ---- tuning ----

#define MIN_QUERIES 16 // smallest number of bodies with a breaker for one worker

// ---- a body as its breaker sees it ----

static uint64_t seed_of(const rblWorld* world, uint32_t slot)
{
    const uint64_t id = (uint64_t)world->bodies.data[slot].generation << 32 | slot;
    rblRandom random = rbl_random_seed(world->def.seed, id);
    random = rbl_random_seed(rbl_random_u64(&random), world->substeps);
    return rbl_random_u64(&random);
}

// The data of a body that its breaker gets.
static rblBreakBody body_for_breaker(const rblWorld* world, uint32_t slot)
{
    const rblBody* body = &world->bodies.data[slot];
    const rblMotion* motion = &world->motions.data[slot];
    return (rblBreakBody){
        .view = body->shape,
        .pose = rbl_shape_pose(body, motion),
        .velocity = motion->velocity,
        .spin = motion->spin,
        .mass = body->mass,
        .material = body->material,
        .seed = seed_of(world, slot),
        .generation = body->ancestors,
        .damage = body->damage,
    };
}

rblResult rbl_body_prepare_breaker(rblBody* body, rblJobs* jobs)
{
    if (body->breaker == NULL || body->is_prepared)
    {
        return RBL_OK;
    }
    RBL_TRY(rbl_breaker_prepare(body->breaker, &body->shape, &body->material, jobs, &body->prepared));
    body->is_prepared = true;
    return RBL_OK;
}

// When a breaker fails, its body does not break.
static void log_failure(const rblWorld* world, uint32_t slot, const char* what)
{
    const rblBody* body = &world->bodies.data[slot];
    rbl_log_message(RBL_LOG_WARNING, "body %u/%u stays whole: breaker %s failed to %s", slot + 1,
                    body->generation, rbl_breaker_def(body->breaker)->name, what);
}

// ---- decisions of breakers ----

// Append the impacts on a body to the list of impacts.
static bool list_impacts(rblStep* step, rblBreakQuery* query)
{
    rblFractureStage* stage = step->fracture;
    query->first = (uint32_t)stage->body_impacts.count;
    for (uint32_t i = stage->heads.data[query->slot]; i != RBL_NONE;)
    {
        const rblPairImpact* impact = &stage->pair_impacts.data[i];
        const bool on_b = impact->b == query->slot;
        if (!rbl_array_push(&stage->body_impacts, rbl_pair_impact_on(impact, on_b)) ||
            !rbl_array_push(&stage->body_impact_pairs, i))
        {
            return false;
        }
        i = impact->next[on_b];
    }
    query->count = (uint32_t)stage->body_impacts.count - query->first;
    return true;
}

static rblResult list_queries(rblStep* step)
{
    rblWorld* world = step->world;
    rblFractureStage* stage = step->fracture;
    rbl_array_clear(&stage->queries);
    rbl_array_clear(&stage->body_impacts);
    rbl_array_clear(&stage->body_impact_pairs);
    for (uint32_t slot = 0; slot < world->bodies.count; ++slot)
    {
        if (stage->heads.data[slot] == RBL_NONE)
        {
            continue;
        }
        rblBreakQuery query = {.slot = slot};
        if (rbl_body_prepare_breaker(&world->bodies.data[slot], world->jobs) != RBL_OK)
        {
            log_failure(world, slot, "prepare");
            continue;
        }
        if (!list_impacts(step, &query) || !rbl_array_push(&stage->queries, query))
        {
            return rbl_fail_memory();
        }
    }
    return RBL_OK;
}

// The largest energy that an impact on the body can pay, J. A support that reacts to an impact on the other side of the body
// did not approach and pays nothing. The result is never 0, because 0 means that the energy is unknown.
static float largest_payable_energy(const rblStep* step, const rblBreakQuery* query)
{
    const rblWorld* world = step->world;
    const rblFractureStage* stage = step->fracture;
    double most = 0.0;
    for (uint32_t i = 0; i < query->count; ++i)
    {
        const uint32_t impact = stage->body_impact_pairs.data[query->first + i];
        most = rbl_maxd(most, rbl_pair_impact_energy(world, &stage->pair_impacts.data[impact]));
    }
    return rbl_maxf((float)most, FLT_MIN);
}

static void decide_block(rblRange range, void* context)
{
    rblStep* step = context;
    rblWorld* world = step->world;
    for (uint32_t i = range.begin; i < range.end; ++i)
    {
        rblBreakQuery* query = &step->fracture->queries.data[i];
        const rblBody* body = &world->bodies.data[query->slot];
        rblBreakBody view = body_for_breaker(world, query->slot);
        view.payable = largest_payable_energy(step, query);
        query->result = rbl_breaker_decide(body->breaker, body->prepared, &view,
                                           &step->fracture->body_impacts.data[query->first], query->count,
                                           &query->verdict);
    }
}

// ---- plans ----

// The impact that pays for the cracks: the one with the most energy on this body. The reaction of a support does not exist
// before the impact and pays nothing.
static uint32_t find_payer(const rblStep* step, const rblBreakQuery* query)
{
    const rblWorld* world = step->world;
    const rblFractureStage* stage = step->fracture;
    uint32_t payer = stage->body_impact_pairs.data[query->first + query->verdict.impact];
    double most = rbl_pair_impact_energy(world, &stage->pair_impacts.data[payer]);
    for (uint32_t i = 0; i < query->count; ++i)
    {
        const uint32_t impact = stage->body_impact_pairs.data[query->first + i];
        const double energy = rbl_pair_impact_energy(world, &stage->pair_impacts.data[impact]);
        payer = energy > most ? impact : payer;
        most = rbl_maxd(most, energy);
    }
    return payer;
}

static rblResult make_plans(rblStep* step)
{
    rblWorld* world = step->world;
    rblFractureStage* stage = step->fracture;
    for (size_t i = 0; i < stage->queries.count; ++i)
    {
        const rblBreakQuery* query = &stage->queries.data[i];
        if (query->result != RBL_OK)
        {
            log_failure(world, query->slot, "decide");
            continue;
        }
        if (!query->verdict.breaks)
        {
            continue;
        }
        const uint32_t payer = find_payer(step, query);
        const rblBreakPlan plan = {.slot = query->slot,
                                   .payer = payer,
                                   .cause =
                                       stage->body_impact_pairs.data[query->first + query->verdict.impact],
                                   .verdict = query->verdict};
        if (!rbl_array_push(&stage->plans, plan))
        {
            return rbl_fail_memory();
        }
        stage->pair_impacts.data[payer].breaks += 1;
    }
    return RBL_OK;
}

// Store the damage from impacts that break no body. This is done only when no body breaks in this round. Otherwise the trial is
// discarded, and the impacts are solved again.
static void store_damage(rblStep* step)
{
    rblWorld* world = step->world;
    for (size_t i = 0; i < step->fracture->queries.count; ++i)
    {
        const rblBreakQuery* query = &step->fracture->queries.data[i];
        if (query->result == RBL_OK)
        {
            world->bodies.data[query->slot].damage = query->verdict.damage;
        }
    }
}

uint32_t rbl_max_fragments(const rblWorld* world, uint32_t count)
{
    if (world->def.max_fragments == 0)
    {
        return 0;
    }
    const uint32_t left =
        world->def.max_fragments > world->fragments ? world->def.max_fragments - world->fragments : 0;
    const uint32_t each = left / count;
    return each > 1 ? each : 1;
}

// Two bodies that break by the same impact share its energy. The budget of a plan is not larger than its breaker requested.
static void set_budgets(rblStep* step)
{
    rblWorld* world = step->world;
    rblFractureStage* stage = step->fracture;
    const uint32_t count = (uint32_t)stage->plans.count;
    const uint32_t most = count > 0 ? rbl_max_fragments(world, count) : 0;
    for (size_t i = 0; i < stage->plans.count; ++i)
    {
        rblBreakPlan* plan = &stage->plans.data[i];
        const rblPairImpact* impact = &stage->pair_impacts.data[plan->payer];
        const double share = rbl_pair_impact_energy(world, impact) / (double)impact->breaks;
        const double requested = plan->verdict.budget;
        const uint32_t own = plan->verdict.max_fragments;
        plan->verdict.budget = requested > 0.0 && requested < share ? requested : share;
        plan->verdict.max_fragments = own > 0 && (most == 0 || own < most) ? own : most;
    }
}

rblResult rbl_body_shatter(rblStep* step, rblBreakPlan* plan)
{
    rblWorld* world = step->world;
    const rblBody* body = &world->bodies.data[plan->slot];
    const rblBreakBody view = body_for_breaker(world, plan->slot);
    if (plan->verdict.max_fragments == 1)
    {
        return RBL_OK;
    }
    RBL_TRY(rbl_breaker_shatter(body->breaker, body->prepared, &view, &plan->verdict, world->jobs,
                                &plan->fracture));
    const rblResult checked = rbl_fragments_check(world, plan);
    if (checked != RBL_OK)
    {
        rbl_fracture_free(&plan->fracture);
        return checked;
    }
    plan->cost = 2.0 * (double)body->material.surface_energy * plan->fracture.crack_area;
    const uint32_t most = plan->verdict.max_fragments;
    const bool fits = most == 0 || plan->fracture.fragment_count <= most;
    if (plan->fracture.fragment_count < 2 || !fits || !(plan->cost <= plan->verdict.budget))
    {
        rbl_fracture_free(&plan->fracture);
    }
    return RBL_OK;
}

static void shatter_block(rblRange range, void* context)
{
    rblStep* step = context;
    for (uint32_t i = range.begin; i < range.end; ++i)
    {
        rblBreakPlan* plan = &step->fracture->plans.data[i];
        plan->result = rbl_body_shatter(step, plan);
    }
}

// ---- payment ----

static void sum_costs(rblStep* step)
{
    rblFractureStage* stage = step->fracture;
    for (size_t i = 0; i < stage->plans.count; ++i)
    {
        const rblBreakPlan* plan = &stage->plans.data[i];
        if (plan->fracture.fragment_count > 0)
        {
            stage->pair_impacts.data[plan->payer].cost += plan->cost;
        }
    }
}

// Report breakers that ran out of memory. No impact has paid yet.
static rblResult check_memory(const rblFractureStage* stage)
{
    bool enough = true;
    for (size_t i = 0; i < stage->queries.count; ++i)
    {
        enough = enough && stage->queries.data[i].result != RBL_ERROR_MEMORY;
    }
    for (size_t i = 0; i < stage->plans.count; ++i)
    {
        enough = enough && stage->plans.data[i].result != RBL_ERROR_MEMORY;
    }
    return enough ? RBL_OK : rbl_fail_memory();
}

// Impacts pay in order. An impact may no longer be able to pay, because another one has slowed its bodies. Its bodies then do
// not break in this round; the next round asks their breakers again.
static void pay(rblStep* step)
{
    rblWorld* world = step->world;
    rblFractureStage* stage = step->fracture;
    sum_costs(step);
    for (size_t i = 0; i < stage->plans.count; ++i)
    {
        rblBreakPlan* plan = &stage->plans.data[i];
        if (plan->result != RBL_OK)
        {
            log_failure(world, plan->slot, "shatter");
        }
        if (plan->fracture.fragment_count == 0)
        {
            continue;
        }
        const rblPairImpact* impact = &stage->pair_impacts.data[plan->payer];
        if (!impact->paid)
        {
            rbl_pair_impact_pay(step, plan);
        }
        if (!impact->paid)
        {
            rbl_fracture_free(&plan->fracture);
        }
    }
}

static bool drop_plans(rblFractureStage* stage)
{
    size_t count = 0;
    for (size_t i = 0; i < stage->plans.count; ++i)
    {
        if (stage->plans.data[i].fracture.fragment_count > 0)
        {
            stage->plans.data[count++] = stage->plans.data[i];
        }
    }
    stage->plans.count = count;
    return count > 0;
}

static void free_plans(rblStep* step)
{
    for (size_t i = 0; i < step->fracture->plans.count; ++i)
    {
        rbl_fracture_free(&step->fracture->plans.data[i].fracture);
    }
    rbl_array_clear(&step->fracture->plans);
}

// The evidence of all verdicts is not needed any more, whether the bodies break or not.
static void release_verdicts(rblStep* step)
{
    rblFractureStage* stage = step->fracture;
    for (size_t i = 0; i < stage->plans.count; ++i)
    {
        stage->plans.data[i].verdict.evidence = NULL; // the query owns it
    }
    for (size_t i = 0; i < stage->queries.count; ++i)
    {
        rblBreakQuery* query = &stage->queries.data[i];
        rbl_verdict_release(step->world->bodies.data[query->slot].breaker, &query->verdict);
    }
}

static rblResult shatter(rblStep* step)
{
    rblWorld* world = step->world;
    rblFractureStage* stage = step->fracture;
    if (step->break_round >= RBL_BREAK_ROUNDS)
    {
        return RBL_OK;
    }
    RBL_TRY(make_plans(step));
    set_budgets(step);
    rbl_parallel_for(world->jobs, (uint32_t)stage->plans.count, 1, shatter_block, step);
    RBL_TRY(check_memory(stage));
    pay(step);
    return RBL_OK;
}

static rblResult plan(rblStep* step)
{
    rblFractureStage* stage = step->fracture;
    RBL_TRY(list_queries(step));
    rbl_parallel_for(step->world->jobs, (uint32_t)stage->queries.count, MIN_QUERIES, decide_block, step);
    const rblResult result = shatter(step);
    release_verdicts(step);
    return result;
}

rblResult rbl_breaks_plan(rblStep* step, bool* any)
{
    rblWorld* world = step->world;
    rblFractureStage* stage = step->fracture;
    *any = false;
    rbl_array_clear(&stage->plans);
    if (world->breakable == 0)
    {
        return RBL_OK;
    }
    RBL_TRY(rbl_pair_impacts_gather(step));
    if (stage->pair_impacts.count == 0)
    {
        return RBL_OK;
    }
    const double start = rbl_timer_seconds();
    const rblResult result = plan(step);
    if (result != RBL_OK)
    {
        free_plans(step);
        return result;
    }
    *any = drop_plans(stage);
    if (!*any)
    {
        store_damage(step);
    }
    for (size_t i = 0; i < stage->plans.count; ++i)
    {
        world->profile.fields += (float)stage->plans.data[i].fracture.updating;
    }
    const float spent = (float)(1000.0 * (rbl_timer_seconds() - start));
    world->profile.fracture += spent;
    world->profile.impact -= spent; // the caller measures this time as a part of the impacts
    return RBL_OK;
}

// ---- the stage ----

// Store the time of the substep that each body has left, s.
static bool store_time_left(rblStep* step)
{
    rblWorld* world = step->world;
    rblFloatArray* left = &step->time_left;
    if (!rbl_array_resize_amply(left, world->bodies.count))
    {
        return false;
    }
    for (size_t slot = 0; slot < world->bodies.count; ++slot)
    {
        left->data[slot] = step->seconds;
    }
    for (size_t i = 1; i < step->solver_bodies.count; ++i)
    {
        // Slowed bodies get the full remaining time, too, because contacts are found again.
        left->data[step->solver_bodies.data[i].slot] = step->seconds - step->clocks.data[i];
    }
    return true;
}

// Undo the payments of the plans from `first` on, in reverse order.
static void refund(rblStep* step, size_t first)
{
    for (size_t i = step->fracture->plans.count; i > first; --i)
    {
        rbl_pair_impact_refund(step, &step->fracture->plans.data[i - 1]);
    }
}

void rbl_breaks_cancel(rblStep* step)
{
    refund(step, 0);
    free_plans(step);
}

rblResult rbl_bodies_break(rblStep* step)
{
    rblWorld* world = step->world;
    const size_t count = step->fracture->plans.count;
    const bool reserved = store_time_left(step) && rbl_array_reserve_more(&world->impacts, count) &&
                          rbl_array_reserve_more(&world->events, count);
    size_t done = 0;
    const rblResult result = reserved ? rbl_breaks_apply(step, &done) : rbl_fail_memory();
    refund(step, done);
    for (size_t i = 0; i < done; ++i)
    {
        if (step->fracture->plans.data[i].pays)
        {
            rbl_payment_report(step, &step->fracture->plans.data[i]);
        }
    }
    free_plans(step);
    step->break_round += 1;
    return result;
}

void rbl_breaks_begin(rblStep* step)
{
    step->break_round = 0;
}

void rbl_breaks_end(rblStep* step)
{
    rblWorld* world = step->world;
    for (size_t slot = 0; slot < world->bodies.count && world->has_new_fragments; ++slot)
    {
        world->bodies.data[slot].is_new_fragment = false;
        world->bodies.data[slot].unbreakable_yet = false;
    }
    step->stale_paths.all = step->stale_paths.all || world->has_new_fragments; // the paths mark new fragments
    world->has_new_fragments = false;
    step->break_round = 0;
    world->substeps += 1;
}

#define ARRAYS(X)                                                                                            \
    X(pair_impacts)                                                                                          \
    X(heads)                                                                                                 \
    X(queries)                                                                                               \
    X(body_impacts)                                                                                          \
    X(body_impact_pairs)                                                                                     \
    X(plans)                                                                                                 \
    X(fragments)                                                                                             \
    X(movers)                                                                                                \
    X(anchored)

rblFractureStage* rbl_fracture_stage_create(const rblAllocator* allocator)
{
    rblFractureStage* stage = rbl_alloc_zero(allocator, sizeof *stage);
    if (stage != NULL)
    {
        ARRAYS(RBL_STAGE_INIT_ARRAY)
        stage->contacts.allocator = allocator;
    }
    return stage;
}

void rbl_fracture_stage_destroy(rblFractureStage* stage, const rblAllocator* allocator)
{
    if (stage != NULL)
    {
        ARRAYS(RBL_STAGE_FREE_ARRAY)
        rbl_contact_set_free(&stage->contacts);
    }
    rbl_free(allocator, stage, sizeof *stage);
}
