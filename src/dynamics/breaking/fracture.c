// The fracture stage: breakers are asked about the impacts of the trial, and bodies that break pay for their cracks.
//
// The impacts of a substep are solved first as if nothing broke. When something does, none of that has happened: bodies are
// where their impacts are, with the velocities that they arrived with. The cracks are paid out of these (fracture_impacts.c),
// fragments take the bodies' places (fracture_birth.c), and the substep goes on: pairs and contacts are found anew, and the
// rest of every impact acts on what is there now (Su 2009, 4.2).
#include "dynamics/breaking/fracture.h"
#include "base/log.h"
#include "base/random.h"
#include "base/timer.h"
#include "dynamics/stage_memory.h"
#include "dynamics/stages.h"
#include <float.h>
#include <math.h>

// ---- tuning ----

#define MIN_ASKED 16 // bodies with a breaker for one worker, at least

// ---- a body as its breaker sees it ----

static uint64_t seed_of(const rblWorld* world, uint32_t slot)
{
    const uint64_t id = (uint64_t)world->bodies.data[slot].generation << 32 | slot;
    rblRandom random = rbl_random_seed(world->def.seed, id);
    random = rbl_random_seed(rbl_random_u64(&random), world->substeps);
    return rbl_random_u64(&random);
}

// A body as its breaker sees it.
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

// A breaker that fails leaves its body whole.
static void log_failure(const rblWorld* world, uint32_t slot, const char* what)
{
    const rblBody* body = &world->bodies.data[slot];
    rbl_log_message(RBL_LOG_WARNING, "body %u/%u stays whole: breaker %s failed to %s", slot + 1,
                    body->generation, rbl_breaker_def(body->breaker)->name, what);
}

// ---- asking ----

// The impacts on a body into the list of impacts.
static bool list_impacts(rblStep* step, rblAsked* asked)
{
    rblFractureStage* stage = step->fracture;
    asked->first = (uint32_t)stage->body_impacts.count;
    for (uint32_t i = stage->heads.data[asked->slot]; i != RBL_NONE;)
    {
        const rblPairImpact* impact = &stage->pair_impacts.data[i];
        const bool on_b = impact->b == asked->slot;
        if (!rbl_array_push(&stage->body_impacts, rbl_pair_impact_on(impact, on_b)) ||
            !rbl_array_push(&stage->body_impact_pairs, i))
        {
            return false;
        }
        i = impact->next[on_b];
    }
    asked->count = (uint32_t)stage->body_impacts.count - asked->first;
    return true;
}

static rblResult list_asked(rblStep* step)
{
    rblWorld* world = step->world;
    rblFractureStage* stage = step->fracture;
    rbl_array_clear(&stage->asked);
    rbl_array_clear(&stage->body_impacts);
    rbl_array_clear(&stage->body_impact_pairs);
    for (uint32_t slot = 0; slot < world->bodies.count; ++slot)
    {
        if (stage->heads.data[slot] == RBL_NONE)
        {
            continue;
        }
        rblAsked asked = {.slot = slot};
        if (rbl_body_prepare_breaker(&world->bodies.data[slot], world->jobs) != RBL_OK)
        {
            log_failure(world, slot, "prepare");
            continue;
        }
        if (!list_impacts(step, &asked) || !rbl_array_push(&stage->asked, asked))
        {
            return rbl_fail_memory();
        }
    }
    return RBL_OK;
}

// What a support answers to an impact on the other side pays nothing: its two did not come nearer to each other. Never 0, which is nothing said.
static float payable(const rblStep* step, const rblAsked* asked)
{
    const rblWorld* world = step->world;
    const rblFractureStage* stage = step->fracture;
    double most = 0.0;
    for (uint32_t i = 0; i < asked->count; ++i)
    {
        const uint32_t impact = stage->body_impact_pairs.data[asked->first + i];
        most = rbl_maxd(most, rbl_pair_impact_energy(world, &stage->pair_impacts.data[impact]));
    }
    return rbl_maxf((float)most, FLT_MIN);
}

static void ask_block(rblRange range, void* context)
{
    rblStep* step = context;
    rblWorld* world = step->world;
    for (uint32_t i = range.begin; i < range.end; ++i)
    {
        rblAsked* asked = &step->fracture->asked.data[i];
        const rblBody* body = &world->bodies.data[asked->slot];
        rblBreakBody seen = body_for_breaker(world, asked->slot);
        seen.payable = payable(step, asked);
        asked->result = rbl_breaker_decide(body->breaker, body->prepared, &seen,
                                           &step->fracture->body_impacts.data[asked->first], asked->count,
                                           &asked->verdict);
    }
}

// ---- plans ----

// The impact that pays: of those on the body the one that can pay most. What a support answers was not there before the impact.
static uint32_t find_payer(const rblStep* step, const rblAsked* asked)
{
    const rblWorld* world = step->world;
    const rblFractureStage* stage = step->fracture;
    uint32_t payer = stage->body_impact_pairs.data[asked->first + asked->verdict.impact];
    double most = rbl_pair_impact_energy(world, &stage->pair_impacts.data[payer]);
    for (uint32_t i = 0; i < asked->count; ++i)
    {
        const uint32_t impact = stage->body_impact_pairs.data[asked->first + i];
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
    for (size_t i = 0; i < stage->asked.count; ++i)
    {
        const rblAsked* asked = &stage->asked.data[i];
        if (asked->result != RBL_OK)
        {
            log_failure(world, asked->slot, "decide");
            continue;
        }
        if (!asked->verdict.breaks)
        {
            continue;
        }
        const uint32_t payer = find_payer(step, asked);
        const rblBreakPlan plan = {.slot = asked->slot,
                                   .payer = payer,
                                   .cause =
                                       stage->body_impact_pairs.data[asked->first + asked->verdict.impact],
                                   .verdict = asked->verdict};
        if (!rbl_array_push(&stage->plans, plan))
        {
            return rbl_fail_memory();
        }
        stage->pair_impacts.data[payer].breaks += 1;
    }
    return RBL_OK;
}

// What impacts leave behind that break nothing. Only when the round stands: if something broke, none of it has happened, and the
// impacts come again.
static void keep_damage(rblStep* step)
{
    rblWorld* world = step->world;
    for (size_t i = 0; i < step->fracture->asked.count; ++i)
    {
        const rblAsked* asked = &step->fracture->asked.data[i];
        if (asked->result == RBL_OK)
        {
            world->bodies.data[asked->slot].damage = asked->verdict.damage;
        }
    }
}

uint32_t rbl_max_pieces(const rblWorld* world, uint32_t count)
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

// Two that break by the same impact share what it can pay. A breaker that asked for less gets that.
static void allot(rblStep* step)
{
    rblWorld* world = step->world;
    rblFractureStage* stage = step->fracture;
    const uint32_t count = (uint32_t)stage->plans.count;
    const uint32_t most = count > 0 ? rbl_max_pieces(world, count) : 0;
    for (size_t i = 0; i < stage->plans.count; ++i)
    {
        rblBreakPlan* plan = &stage->plans.data[i];
        const rblPairImpact* impact = &stage->pair_impacts.data[plan->payer];
        const double share = rbl_pair_impact_energy(world, impact) / (double)impact->breaks;
        const double asked = plan->verdict.budget;
        const uint32_t own = plan->verdict.max_pieces;
        plan->verdict.budget = asked > 0.0 && asked < share ? asked : share;
        plan->verdict.max_pieces = own > 0 && (most == 0 || own < most) ? own : most;
    }
}

rblResult rbl_body_shatter(rblStep* step, rblBreakPlan* plan)
{
    rblWorld* world = step->world;
    const rblBody* body = &world->bodies.data[plan->slot];
    const rblBreakBody seen = body_for_breaker(world, plan->slot);
    if (plan->verdict.max_pieces == 1)
    {
        return RBL_OK;
    }
    RBL_TRY(rbl_breaker_shatter(body->breaker, body->prepared, &seen, &plan->verdict, world->jobs,
                                &plan->fracture));
    const rblResult checked = rbl_fragments_check(world, plan);
    if (checked != RBL_OK)
    {
        rbl_fracture_free(&plan->fracture);
        return checked;
    }
    plan->cost = 2.0 * (double)body->material.surface_energy * plan->fracture.crack_area;
    const uint32_t most = plan->verdict.max_pieces;
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

// ---- paying ----

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

// Breakers that ran out of memory: nobody has paid yet.
static rblResult check_memory(const rblFractureStage* stage)
{
    bool enough = true;
    for (size_t i = 0; i < stage->asked.count; ++i)
    {
        enough = enough && stage->asked.data[i].result != RBL_ERROR_MEMORY;
    }
    for (size_t i = 0; i < stage->plans.count; ++i)
    {
        enough = enough && stage->plans.data[i].result != RBL_ERROR_MEMORY;
    }
    return enough ? RBL_OK : rbl_fail_memory();
}

// Impacts pay in order. One that cannot any more, because another has slowed it, leaves its bodies whole for this round: the
// next one asks again.
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

// Bodies that broke or not: what breakers found out about these impacts is of no more use.
static void release_verdicts(rblStep* step)
{
    rblFractureStage* stage = step->fracture;
    for (size_t i = 0; i < stage->plans.count; ++i)
    {
        stage->plans.data[i].verdict.evidence = NULL; // the same as that of the question
    }
    for (size_t i = 0; i < stage->asked.count; ++i)
    {
        rblAsked* asked = &stage->asked.data[i];
        rbl_verdict_release(step->world->bodies.data[asked->slot].breaker, &asked->verdict);
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
    allot(step);
    rbl_parallel_for(world->jobs, (uint32_t)stage->plans.count, 1, shatter_block, step);
    RBL_TRY(check_memory(stage));
    pay(step);
    return RBL_OK;
}

static rblResult plan(rblStep* step)
{
    rblFractureStage* stage = step->fracture;
    RBL_TRY(list_asked(step));
    rbl_parallel_for(step->world->jobs, (uint32_t)stage->asked.count, MIN_ASKED, ask_block, step);
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
        keep_damage(step);
    }
    for (size_t i = 0; i < stage->plans.count; ++i)
    {
        world->profile.fields += (float)stage->plans.data[i].fracture.updating;
    }
    const float spent = (float)(1000.0 * (rbl_timer_seconds() - start));
    world->profile.fracture += spent;
    world->profile.impact -= spent; // it will be measured as a part of them
    return RBL_OK;
}

// ---- the stage ----

// What every body has left of the substep.
static bool keep_time(rblStep* step)
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
        // Not less for those that are slowed: contacts are found anew.
        left->data[step->solver_bodies.data[i].slot] = step->seconds - step->clocks.data[i];
    }
    return true;
}

// Plans from `first` on come to nothing, the last first: their bodies are as they were.
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
    const bool reserved = keep_time(step) && rbl_array_reserve_more(&world->impacts, count) &&
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
    world->regrouped = world->regrouped || world->has_new_fragments; // paths say who is fresh
    world->has_new_fragments = false;
    step->break_round = 0;
    world->substeps += 1;
}

#define ARRAYS(X)                                                                                            \
    X(pair_impacts)                                                                                          \
    X(heads)                                                                                                 \
    X(asked)                                                                                                 \
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
