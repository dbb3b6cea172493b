// What breaks and what does not when impacts, breakers and bodies are not the usual ones: damage, births that fail, anchors.
#include "breaking_testing.h"
#include "failing_allocator.h"
#include "rubble/prescored.h"

static const rblBreakerId nothing = {0, 0};

static rblWorldId make_still_world(void)
{
    const rblWorldId world = make_world(false);
    check_ok(rbl_world_set_gravity(world, vec(0, 0, 0)));
    return world;
}

// A box of a preset; `break_impulse` 0: its strength decides.
static rblBodyId put_matter(rblWorldId world, rblBodyDef def, rblVec3 size, const char* material,
                            float break_impulse)
{
    rblBodyId body;
    def.shape = make_box(size.x, size.y, size.z);
    check_ok(rbl_material_preset(material, &def.material));
    def.material.break_impulse = break_impulse;
    check_ok(rbl_body_create(world, &def, &body));
    check_ok(rbl_shape_destroy(def.shape));
    return body;
}

static rblBodyId put_pane(rblWorldId world, rblBreakerId breaker, rblVec3 at, rblBodyType type,
                          float break_impulse)
{
    rblBodyDef def = rbl_default_body_def();
    def.pose.p = at;
    def.type = type;
    def.breaker = breaker;
    return put_matter(world, def, vec(1, 1, 0.05f), "glass", break_impulse);
}

// A block of steel of 7.85 kg that collides with a pane at `at` in the next step.
static rblBodyId throw_block(rblWorldId world, rblVec3 at, float speed)
{
    rblBodyDef def = rbl_default_body_def();
    def.pose.p = vec(at.x, at.y, at.z + 0.08f);
    def.velocity = vec(0, 0, -speed);
    return put_matter(world, def, vec(0.1f, 0.1f, 0.1f), "steel", 0.0f);
}

static rblBreakerId make_prescored(rblPrescoredDef def)
{
    rblBreakerId breaker;
    check_ok(rbl_breaker_create_prescored(&def, &breaker));
    return breaker;
}

static void finish(rblWorldId world, rblBreakerId breaker)
{
    check_ok(rbl_world_destroy(world));
    check_ok(rbl_breaker_destroy(breaker));
    assert_int_equal(rbl_breaker_alive_count(), 0);
    assert_int_equal(rbl_shape_alive_count(), 0);
}

// ---- damage ----

// What an impact that does not break leaves in a pane while `others` panes far away break in the same step.
static float damage_beside(uint32_t others)
{
    rblPrescoredDef def = rbl_default_prescored_def();
    def.accumulate = true;
    const rblBreakerId breaker = make_prescored(def);
    const rblWorldId world = make_still_world();
    const rblBodyId pane = put_pane(world, breaker, vec(0, 0, 0), RBL_BODY_DYNAMIC, 130.0f);
    throw_block(world, vec(0, 0, 0), 10.0f);
    for (uint32_t i = 0; i < others; ++i)
    {
        const rblVec3 at = {10.0f + 5.0f * (float)i, 0, 0};
        put_pane(world, breaker, at, RBL_BODY_DYNAMIC, 1.0f);
        throw_block(world, at, 20.0f);
    }
    check_ok(rbl_world_step(world, STEP));
    const rblBreakEvent* events;
    assert_int_equal(events_of(world, &events), others);
    const float damage = state_of(world, pane).damage;
    finish(world, breaker);
    return damage;
}

static void an_impact_counts_once_whatever_else_breaks(void** state)
{
    (void)state;
    const float alone = damage_beside(0);
    assert_true(alone > 0.05f && alone < 0.5f);
    check_relative(damage_beside(1), alone, 1e-5);
    check_relative(damage_beside(3), alone, 1e-5);
}

// ---- what impacts can pay ----

typedef struct Heard
{
    float payable, energy; // of the last time that a breaker was asked; negative: never
} Heard;

static rblResult hear(void* context, void* prepared, const rblBreakBody* body, const rblImpact* impacts,
                      uint32_t count, rblVerdict* out)
{
    Heard* heard = context;
    (void)prepared;
    (void)out;
    *heard = (Heard){body->payable, 0.0f};
    for (uint32_t i = 0; i < count; ++i)
    {
        heard->energy = rbl_maxf(heard->energy, impacts[i].energy);
    }
    return RBL_OK;
}

static rblResult stay_whole(void* context, void* prepared, const rblBreakBody* body,
                            const rblVerdict* verdict, rblJobs* jobs, rblFracture* out)
{
    (void)context;
    (void)prepared;
    (void)body;
    (void)verdict;
    (void)jobs;
    (void)out;
    fail(); // nobody asked for it
    return RBL_OK;
}

// A cube flies into the first of two that touch. The first can be paid for; the second feels as hard an impact by way of the first, but the two
// did not come nearer to each other, and nothing pays.
static void breakers_hear_what_impacts_can_pay(void** state)
{
    (void)state;
    Heard heard[2] = {{-1.0f, 0.0f}, {-1.0f, 0.0f}};
    rblBreakerId breakers[2];
    const rblWorldId world = make_still_world();
    rblBodyDef body = rbl_default_body_def();
    for (int i = 0; i < 2; ++i)
    {
        rblBreakerDef def = rbl_default_breaker_def();
        def.name = "hears";
        def.decide = hear;
        def.shatter = stay_whole;
        def.context = &heard[i];
        check_ok(rbl_breaker_create(&def, &breakers[i]));
        body.breaker = breakers[i];
        body.pose.p = vec(0, 0, -0.1f * (float)i);
        put_matter(world, body, vec(0.1f, 0.1f, 0.1f), "steel", 0.0f);
    }
    throw_block(world, vec(0, 0, 0.025f), 10.0f);
    check_ok(rbl_world_step(world, STEP));
    check_relative((double)heard[0].payable, 0.5 * 0.5 * 7.85 * 100.0, 0.02);
    assert_true(heard[1].energy > 0.1f * heard[0].energy);
    assert_true(heard[1].payable > 0.0f && heard[1].payable < 1e-3f * heard[1].energy);
    check_ok(rbl_breaker_destroy(breakers[1]));
    finish(world, breakers[0]);
}

// ---- births that fail ----

typedef enum Fault
{
    FAULT_WEIGHTLESS, // one piece weighs less than a body can
    FAULT_TINY,       // and is that small, too
    FAULT_COUNT
} Fault;

static rblResult always_breaks(void* context, void* prepared, const rblBreakBody* body,
                               const rblImpact* impacts, uint32_t count, rblVerdict* out)
{
    (void)context;
    (void)prepared;
    (void)body;
    (void)count;
    out->breaks = true;
    out->point = impacts->point;
    out->normal = impacts->normal;
    out->severity = 1.0f;
    return RBL_OK;
}

static rblResult break_badly(void* context, void* prepared, const rblBreakBody* body,
                             const rblVerdict* verdict, rblJobs* jobs, rblFracture* out)
{
    const Fault fault = *(const Fault*)context;
    (void)prepared;
    (void)verdict;
    (void)jobs;
    if (rbl_fracture_allocate(out, 2, 0) != RBL_OK)
    {
        return RBL_ERROR_MEMORY;
    }
    out->crack_area = 0.5;
    for (uint32_t i = 0; i < 2; ++i)
    {
        const bool tiny = i == 1 && fault == FAULT_TINY;
        rblFragment* fragment = &out->fragments[i];
        check_ok(
            rbl_shape_create_box(tiny ? vec(1e-6f, 1e-6f, 1e-6f) : vec(0.5f, 1, 0.05f), &fragment->shape));
        fragment->pose = body->pose;
        fragment->pose.p.x += i == 0 ? -0.25f : 0.25f;
        fragment->mass = i == 0 ? body->mass : 1e-44f;
        fragment->piece = i;
    }
    return RBL_OK;
}

static rblBreakerId make_bad_breaker(Fault* fault)
{
    rblBreakerDef def = rbl_default_breaker_def();
    rblBreakerId breaker;
    def.name = "bad";
    def.decide = always_breaks;
    def.shatter = break_badly;
    def.context = fault;
    check_ok(rbl_breaker_create(&def, &breaker));
    return breaker;
}

// The hash of a world some steps after an impact on a pane.
static uint64_t hash_after_impact(rblBreakerId breaker)
{
    const rblWorldId world = make_still_world();
    const rblBodyId pane = put_pane(world, breaker, vec(0, 0, 0), RBL_BODY_DYNAMIC, 0.0f);
    throw_block(world, vec(0.1f, 0, 0), 20.0f);
    step_times(world, 5);
    const rblBreakEvent* events;
    assert_int_equal(events_of(world, &events), 0);
    assert_true(rbl_body_is_valid(world, pane));
    if (breaker.index1 != 0)
    {
        check_fails(RBL_ERROR_ARGUMENT, rbl_body_break(world, pane, vec(0, 0, 0), vec(0, 0, 1)));
    }
    const uint64_t hash = hash_of(world);
    check_ok(rbl_world_destroy(world));
    return hash;
}

static void a_birth_that_fails_leaves_the_body_as_if_nothing_had_been_asked(void** state)
{
    (void)state;
    const uint64_t unbreakable = hash_after_impact(nothing);
    for (Fault fault = 0; fault < FAULT_COUNT; ++fault)
    {
        const rblBreakerId breaker = make_bad_breaker(&fault);
        assert_true(hash_after_impact(breaker) == unbreakable);
        check_ok(rbl_breaker_destroy(breaker));
    }
    assert_int_equal(rbl_shape_alive_count(), 0);
}

// ---- anchors ----

// How many fragments stay of a pane that is held in a box from y = -0.3 down.
static uint32_t held_in_box(float size, uint32_t* pieces)
{
    const rblBreakerId breaker = make_prescored(rbl_default_prescored_def());
    const rblWorldId world = make_still_world();
    rblBodyDef def = rbl_default_body_def();
    def.type = RBL_BODY_STATIC;
    def.breaker = breaker;
    def.anchor = (rblAnchor){.kind = RBL_ANCHOR_BOX, .box = {{-size, -size, -size}, {size, -0.3f, size}}};
    put_matter(world, def, vec(1, 1, 0.05f), "glass", 1.0f);
    throw_block(world, vec(0.2f, 0, 0), 20.0f);
    check_ok(rbl_world_step(world, STEP));
    const rblBreakEvent* event;
    assert_int_equal(events_of(world, &event), 1);
    uint32_t held = 0;
    for (uint32_t i = 0; i < event->fragment_count; ++i)
    {
        held += state_of(world, event->fragments[i]).type == RBL_BODY_STATIC;
    }
    *pieces = event->fragment_count;
    finish(world, breaker);
    return held;
}

static void boxes_of_anchors_may_be_of_any_size(void** state)
{
    (void)state;
    const float sizes[5] = {1e3f, 1e6f, 1e12f, 1e20f, 3e38f};
    uint32_t pieces = 0;
    const uint32_t held = held_in_box(1.0f, &pieces);
    assert_true(held > 0 && held < pieces);
    for (int i = 0; i < 5; ++i)
    {
        assert_int_equal(held_in_box(sizes[i], &pieces), held);
    }
}

// ---- what is told ----

// What a breaker with wishes of its own was given.
typedef struct Wishes
{
    double budget;
    uint32_t pieces;
} Wishes;

static rblResult wish(void* context, void* prepared, const rblBreakBody* body, const rblImpact* impacts,
                      uint32_t count, rblVerdict* out)
{
    const Wishes* wishes = context;
    const rblResult result = always_breaks(context, prepared, body, impacts, count, out);
    out->budget = wishes->budget;
    out->max_fragments = wishes->pieces;
    return result;
}

static rblResult note_verdict(void* context, void* prepared, const rblBreakBody* body,
                              const rblVerdict* verdict, rblJobs* jobs, rblFracture* out)
{
    Wishes* given = context;
    (void)prepared;
    (void)body;
    (void)jobs;
    (void)out;
    *given = (Wishes){verdict->budget, verdict->max_fragments};
    return RBL_OK;
}

static Wishes given_for(Wishes wishes, uint32_t max_fragments)
{
    rblBreakerDef def = rbl_default_breaker_def();
    rblBreakerId breaker;
    def.name = "wishes";
    def.decide = wish;
    def.shatter = note_verdict;
    def.context = &wishes;
    check_ok(rbl_breaker_create(&def, &breaker));
    rblWorldDef world_def = rbl_default_world_def();
    world_def.max_fragments = max_fragments;
    rblWorldId world;
    check_ok(rbl_world_create(&world_def, &world));
    put_pane(world, breaker, vec(0, 0, 0), RBL_BODY_DYNAMIC, 0.0f);
    throw_block(world, vec(0, 0, 0), 20.0f);
    check_ok(rbl_world_step(world, STEP));
    finish(world, breaker);
    return wishes;
}

static void breakers_may_ask_for_less_than_there_is(void** state)
{
    (void)state;
    const Wishes any = given_for((Wishes){0.0, 0}, 0);
    assert_true(any.budget > 1000.0 && any.pieces == 0); // 7.85 kg at 20 m/s
    const Wishes less = given_for((Wishes){0.125, 3}, 100);
    assert_true(less.budget == 0.125 && less.pieces == 3);
    const Wishes more = given_for((Wishes){1e9, 200}, 100);
    assert_true(more.budget == any.budget && more.pieces == 100);
}

// Of a light fast block and a heavy slow one at the same time, each at its place.
static void events_tell_of_one_impact(void** state)
{
    (void)state;
    const rblBreakerId breaker = make_prescored(rbl_default_prescored_def());
    const rblWorldId world = make_still_world();
    rblBodyDef def = rbl_default_body_def();
    def.breaker = breaker;
    put_matter(world, def, vec(4, 4, 0.2f), "stone", 100.0f);
    def.breaker = nothing;
    def.pose.p = vec(-1.5f, 0, 0.16f);
    def.velocity = vec(0, 0, -60);
    const rblBodyId fast = put_matter(world, def, vec(0.1f, 0.1f, 0.1f), "wood", 0.0f);
    def.pose.p = vec(1.5f, 0, 0.351f);
    def.velocity = vec(0, 0, -0.6f);
    const rblBodyId slow = put_matter(world, def, vec(0.5f, 0.5f, 0.5f), "steel", 0.0f);
    check_ok(rbl_world_step(world, STEP));
    const rblBreakEvent* event;
    assert_int_equal(events_of(world, &event), 1);
    assert_true(event->by.index1 == fast.index1 || event->by.index1 == slow.index1);
    check_close(event->point.x, event->by.index1 == fast.index1 ? -1.5 : 1.5, 0.3);
    check_relative(event->severity, (double)event->impulse * (double)event->impulse / 1e4, 1e-2);
    assert_true(event->by.index1 == fast.index1 ? event->speed > 50.0f : event->speed < 1.0f);
    finish(world, breaker);
}

// ---- on demand ----

static rblBreakEvent break_at(rblPatternKind kind, rblVec3 point, rblVec3 normal, uint32_t* pieces)
{
    rblPrescoredDef def = rbl_default_prescored_def();
    def.pattern.kind = kind;
    const rblBreakerId breaker = make_prescored(def);
    const rblWorldId world = make_still_world();
    const rblBodyId pane = put_pane(world, breaker, vec(0, 0, 0), RBL_BODY_DYNAMIC, 0.0f);
    check_ok(rbl_body_break(world, pane, point, normal));
    const rblBreakEvent* event;
    assert_int_equal(events_of(world, &event), 1);
    const rblBreakEvent told = *event;
    *pieces = told.fragment_count;
    finish(world, breaker);
    return told;
}

static void points_outside_a_body_are_moved_to_where_it_is_nearest(void** state)
{
    (void)state;
    const float far[5] = {0.6f, 100.0f, 1e6f, 1e30f, 3e38f};
    for (uint32_t kind = 0; kind < RBL_PATTERN_FILE; ++kind)
    {
        uint32_t at_edge = 0;
        break_at((rblPatternKind)kind, vec(0.5f, 0.1f, 0), vec(-0.6f, 0, 0.8f), &at_edge);
        for (int i = 0; i < 5; ++i)
        {
            uint32_t pieces = 0;
            const rblBreakEvent event =
                break_at((rblPatternKind)kind, vec(far[i], 0.1f, 0), vec(-0.6f, 0, 0.8f), &pieces);
            check_close(event.point.x, 0.5, 1e-3);
            check_close(event.point.y, 0.1, 1e-3);
            assert_int_equal(pieces, at_edge);
        }
    }
}

static void normals_may_be_of_any_length(void** state)
{
    (void)state;
    const float lengths[4] = {1e-44f, 1e-30f, 1e20f, 3e38f};
    for (int i = 0; i < 4; ++i)
    {
        uint32_t pieces = 0;
        const float l = lengths[i];
        const rblBreakEvent event = break_at(RBL_PATTERN_RADIAL, vec(0, 0, 0), vec(0, l, 0), &pieces);
        check_close(event.normal.y, 1.0, 1e-6);
        assert_true(pieces > 10);
    }
}

// ---- going back ----

static void breaks_on_demand_are_told_after_going_back_to_them(void** state)
{
    (void)state;
    const rblBreakerId breaker = make_prescored(rbl_default_prescored_def());
    const rblWorldId world = make_still_world();
    const rblBodyId pane = put_pane(world, breaker, vec(0, 0, 0), RBL_BODY_DYNAMIC, 0.0f);
    check_ok(rbl_world_step(world, STEP));
    check_ok(rbl_body_break(world, pane, vec(0, 0, 0), vec(0, 0, 1)));
    size_t size = 0;
    check_ok(rbl_world_save(world, NULL, 0, &size));
    void* buffer = malloc(size);
    check_ok(rbl_world_save(world, buffer, size, &size));
    uint32_t pieces = 0;
    for (int i = 0; i < 3; ++i)
    {
        const rblBreakEvent* event;
        check_ok(rbl_world_step(world, STEP));
        assert_int_equal(events_of(world, &event), 1);
        assert_true(event->body.index1 == pane.index1 && (i == 0 || event->fragment_count == pieces));
        pieces = event->fragment_count;
        for (uint32_t f = 0; f < pieces; ++f)
        {
            assert_true(rbl_body_is_valid(world, event->fragments[f]));
        }
        check_ok(rbl_world_step(world, STEP));
        assert_int_equal(events_of(world, &event), 0);
        check_ok(rbl_world_restore(world, buffer, size));
    }
    free(buffer);
    finish(world, breaker);
}

// Seeds follow from the substeps so far, and a world in which all sleep does none.
static void what_breaks_after_going_back_to_sleep_breaks_alike(void** state)
{
    (void)state;
    const rblBreakerId breaker = make_prescored(rbl_default_prescored_def());
    const rblWorldId world = make_world(true);
    check_ok(rbl_world_set_gravity(world, vec(0, 0, 0)));
    const rblBodyId pane = put_pane(world, breaker, vec(0, 0, 0), RBL_BODY_DYNAMIC, 0.0f);
    for (int i = 0; i < 60; ++i)
    {
        check_ok(rbl_world_step(world, STEP));
    }
    assert_int_equal(counters_of(world).awake, 0);
    size_t size = 0;
    check_ok(rbl_world_save(world, NULL, 0, &size));
    void* buffer = malloc(size);
    check_ok(rbl_world_save(world, buffer, size, &size));
    uint64_t hashes[3];
    for (int i = 0; i < 3; ++i)
    {
        check_ok(rbl_world_step(world, STEP));
        check_ok(rbl_body_break(world, pane, vec(0, 0, 0), vec(0, 0, 1)));
        check_ok(rbl_world_step(world, STEP));
        check_ok(rbl_world_hash(world, &hashes[i]));
        assert_true(hashes[i] == hashes[0]);
        check_ok(rbl_world_restore(world, buffer, size));
    }
    free(buffer);
    finish(world, breaker);
}

// ---- memory ----

// Impacts on panes, with memory that runs out at some request. Returns whether it did not run out.
static bool smash_panes(FailingAllocator* memory, size_t granted, bool demand, rblBodyType type)
{
    failing_allocator_start(memory, SIZE_MAX);
    check_ok(rbl_set_allocator(&memory->allocator));
    rblPrescoredDef def = rbl_default_prescored_def();
    def.pattern.pieces = 8;
    const rblBreakerId breaker = make_prescored(def);
    const rblWorldId world = make_still_world();
    rblBodyId panes[2];
    for (int i = 0; i < 2; ++i)
    {
        const rblVec3 at = {3.0f * (float)i, 0, 0};
        panes[i] = put_pane(world, breaker, at, type, 1.0f);
        if (!demand)
        {
            throw_block(world, at, 20.0f);
        }
    }
    const double kinetic = energy_of(world).kinetic;
    memory->left = granted;
    const rblResult result =
        demand ? rbl_body_break(world, panes[1], vec(3, 0, 0), vec(0, 0, 1)) : rbl_world_step(world, STEP);
    const bool enough = memory->left > 0;
    memory->left = SIZE_MAX;
    const rblBreakEvent* events;
    const uint32_t count = events_of(world, &events);
    for (uint32_t i = 0; i < count; ++i)
    {
        assert_false(rbl_body_is_valid(world, events[i].body));
        for (uint32_t f = 0; f < events[i].fragment_count; ++f)
        {
            assert_true(rbl_body_is_valid(world, events[i].fragments[f]));
        }
    }
    const bool whole = rbl_body_is_valid(world, panes[0]) && rbl_body_is_valid(world, panes[1]);
    assert_true(whole == (count == 0));
    if (result != RBL_OK && whole)
    {
        check_close(energy_of(world).kinetic, kinetic, 1e-6 * kinetic);
    }
    step_times(world, 3);
    assert_true(demand || (!rbl_body_is_valid(world, panes[0]) && !rbl_body_is_valid(world, panes[1])));
    finish(world, breaker);
    assert_int_equal(memory->live, 0);
    check_ok(rbl_set_allocator(NULL));
    return enough;
}

static void running_out_of_memory_leaves_no_break_half_done(void** state)
{
    (void)state;
    FailingAllocator memory;
    for (int i = 0; i < 4; ++i)
    {
        size_t granted = 0;
        while (!smash_panes(&memory, granted, i % 2 == 1, i < 2 ? RBL_BODY_DYNAMIC : RBL_BODY_STATIC))
        {
            granted += granted < 300 ? 7 : 3;
        }
        assert_true(granted > 100);
    }
}

// ---- materials ----

static void materials_that_make_no_sense_are_refused(void** state)
{
    (void)state;
    const float bad[3] = {NAN, -1.0f, INFINITY};
    const rblWorldId world = make_still_world();
    for (int i = 0; i < 3; ++i)
    {
        for (int field = 0; field < 6; ++field)
        {
            rblBodyDef def = rbl_default_body_def();
            float* fields[6] = {&def.material.density,  &def.material.young,
                                &def.material.strength, &def.material.surface_energy,
                                &def.material.poisson,  &def.material.break_impulse};
            rblBodyId body;
            def.shape = make_box(1, 1, 1);
            *fields[field] = bad[i];
            check_fails(RBL_ERROR_ARGUMENT, rbl_body_create(world, &def, &body));
            check_ok(rbl_shape_destroy(def.shape));
        }
    }
    check_ok(rbl_world_destroy(world));
}

// ---- calls from inside ----

typedef struct Meddler
{
    rblWorldId world;
    rblBodyId body;
    rblResult results[6]; // of calls from `decide`, then from `shatter`
    uint32_t asked;
} Meddler;

static rblResult meddle(void* context, void* prepared, const rblBreakBody* body, const rblImpact* impacts,
                        uint32_t count, rblVerdict* out)
{
    Meddler* meddler = context;
    (void)prepared;
    (void)body;
    (void)impacts;
    (void)count;
    (void)out;
    meddler->asked += 1;
    meddler->results[0] = rbl_world_step(meddler->world, STEP);
    meddler->results[1] = rbl_body_destroy(meddler->world, meddler->body);
    meddler->results[2] = rbl_body_set_breaker(meddler->world, meddler->body, (rblBreakerId){0, 0});
    meddler->results[3] = rbl_world_destroy(meddler->world);
    return RBL_OK;
}

static rblResult meddle_in_a_break(void* context, void* prepared, const rblBreakBody* body,
                                   const rblVerdict* verdict, rblJobs* jobs, rblFracture* out)
{
    Meddler* meddler = context;
    (void)prepared;
    (void)body;
    (void)verdict;
    (void)jobs;
    (void)out;
    meddler->results[4] = rbl_body_destroy(meddler->world, meddler->body);
    meddler->results[5] = rbl_body_break(meddler->world, meddler->body, vec(0, 0, 0), vec(0, 0, 1));
    return RBL_OK;
}

static void breakers_cannot_call_the_world_that_asks_them(void** state)
{
    (void)state;
    Meddler meddler = {.asked = 0};
    rblBreakerDef def = rbl_default_breaker_def();
    rblBreakerId breaker;
    def.name = "meddler";
    def.decide = meddle;
    def.shatter = meddle_in_a_break;
    def.context = &meddler;
    check_ok(rbl_breaker_create(&def, &breaker));
    meddler.world = make_still_world();
    meddler.body = put_pane(meddler.world, breaker, vec(0, 0, 0), RBL_BODY_DYNAMIC, 0.0f);
    throw_block(meddler.world, vec(0, 0, 0), 5.0f);
    step_times(meddler.world, 10);
    assert_true(meddler.asked > 0);
    check_ok(rbl_body_break(meddler.world, meddler.body, vec(0, 0, 0), vec(0, 0, 1)));
    for (int i = 0; i < 6; ++i)
    {
        assert_int_equal(meddler.results[i], RBL_ERROR_BUSY);
    }
    assert_true(rbl_body_is_valid(meddler.world, meddler.body));
    finish(meddler.world, breaker);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_impact_counts_once_whatever_else_breaks),
        cmocka_unit_test(breakers_hear_what_impacts_can_pay),
        cmocka_unit_test(a_birth_that_fails_leaves_the_body_as_if_nothing_had_been_asked),
        cmocka_unit_test(boxes_of_anchors_may_be_of_any_size),
        cmocka_unit_test(breakers_may_ask_for_less_than_there_is),
        cmocka_unit_test(events_tell_of_one_impact),
        cmocka_unit_test(points_outside_a_body_are_moved_to_where_it_is_nearest),
        cmocka_unit_test(normals_may_be_of_any_length),
        cmocka_unit_test(breaks_on_demand_are_told_after_going_back_to_them),
        cmocka_unit_test(what_breaks_after_going_back_to_sleep_breaks_alike),
        cmocka_unit_test(running_out_of_memory_leaves_no_break_half_done),
        cmocka_unit_test(materials_that_make_no_sense_are_refused),
        cmocka_unit_test(breakers_cannot_call_the_world_that_asks_them),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
