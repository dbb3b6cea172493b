// The checks of a whole world: quiet while all is well, and every one of them names what is damaged.
#include "world_testing.h"

#include "dynamics/breaking/fracture.h"
#include "dynamics/broad_phase/broad_phase_private.h"
#include "dynamics/pair_list.h"
#include "dynamics/world_check.h"
#include "field/fragment/fragment_field.h"
#include "field/samples/samples.h"
#include "rubble/stress.h"
#include <math.h>
#include <string.h>

#define ALL (RBL_CHECK_STATE | RBL_CHECK_AFTER_CONTACTS | RBL_CHECK_AFTER_ISLANDS | RBL_CHECK_AFTER_SOLVING)

// A heap with ropes, after some steps: everything that is checked is there.
static rblWorld* make_heap(rblWorldId* id)
{
    *id = make_world(false);
    put(*id, make_ground(), RBL_BODY_STATIC, vec(0, 0, 0));
    rblBodyId last = {0};
    for (int i = 0; i < 24; ++i)
    {
        const rblVec3 at = {0.25f * (float)(i % 3), 0.15f + 0.22f * (float)(i / 6),
                            0.25f * (float)(i / 3 % 2)};
        const rblBodyId body = put(*id, make_box(0.3f, 0.2f, 0.25f), RBL_BODY_DYNAMIC, at);
        if (i % 8 == 7)
        {
            rblJointDef def = rbl_default_joint_def();
            rblJointId joint;
            def.kind = RBL_JOINT_ROPE;
            def.a = last;
            def.b = body;
            def.length = 2.0f;
            check_ok(rbl_joint_create(*id, &def, &joint));
        }
        last = body;
    }
    rblWorld* world = NULL;
    check_ok(rbl_world_check_stages(*id, RBL_CHECK_ALL));
    step_times(*id, 40);
    check_ok(rbl_world_find(*id, &world));
    check_ok(rbl_world_check(world, ALL));
    return world;
}

static void expect_fault(const rblWorld* world, const char* what)
{
    assert_int_equal(rbl_world_check(world, ALL), RBL_ERROR_FORMAT);
    if (strstr(rbl_last_error(), what) == NULL)
    {
        fail_msg("expected '%s', found '%s'", what, rbl_last_error());
    }
}

// Write a value, see the check name it, and write the old one back.
#define DAMAGE(world, place, value, what)                                                                    \
    do                                                                                                       \
    {                                                                                                        \
        const __typeof__(place) kept = (place);                                                              \
        (place) = (value);                                                                                   \
        expect_fault((world), (what));                                                                       \
        (place) = kept;                                                                                      \
        check_ok(rbl_world_check((world), ALL));                                                             \
    } while (0)

static void damaged_state_is_named(void** state)
{
    (void)state;
    rblWorldId id;
    rblWorld* world = make_heap(&id);
    DAMAGE(world, world->bodies.data[3].generation, 77u, "slot has no id");
    DAMAGE(world, world->ids.alive, 3u, "ids and bodies differ");
    DAMAGE(world, world->motions.count, 2u, "bodies and motions differ");
    DAMAGE(world, world->joints.data[0].generation, 77u, "joint's slot has no id");
    DAMAGE(world, world->joint_ids.alive, 9u, "ids and joints differ");
    DAMAGE(world, world->motions.data[3].center.x, NAN, "pose is bad");
    DAMAGE(world, world->motions.data[3].orientation.w, 9.0f, "pose is bad");
    DAMAGE(world, world->motions.data[3].velocity.y, INFINITY, "velocity is not finite");
    DAMAGE(world, world->bodies.data[3].shape_in_body.p.x, NAN, "pose of a body's shape is bad");
    DAMAGE(world, world->bodies.data[3].previous.q.w, 9.0f, "last pose is bad");
    DAMAGE(world, world->motions.data[0].spin.y, 1.0f, "static body moves");
    DAMAGE(world, world->motions.data[3].moments.x, 0.0f, "moments of inertia are not positive and rising");
    DAMAGE(world, world->motions.data[3].moments.y, 1e6f, "moments of inertia are not positive and rising");
    DAMAGE(world, world->motions.data[0].moments.y, 1.0f, "or not zero");
    DAMAGE(world, world->bodies.data[3].mass, NAN, "mass is not finite");
    DAMAGE(world, world->motions.data[3].inverse_mass, 0.0f, "type and mass disagree");
    DAMAGE(world, world->bodies.data[3].sibling_group, 1u, "sibling is no fragment");
    DAMAGE(world, world->bodies.data[3].is_new_fragment, true, "does not know of a new fragment");
    DAMAGE(world, world->bodies.data[3].is_new, true, "does not know of a marked body");
    DAMAGE(world, world->bodies.data[3].lost_neighbour, true, "does not know of a marked body");
    DAMAGE(world, world->bodies.data[3].damage, 1.5f, "damage is not from 0 to 1");
    DAMAGE(world, world->bodies.data[3].is_prepared, true, "without a breaker has its data");
    DAMAGE(world, world->bodies.data[3].owns_shape, true, "no fragment owns its shape");
    DAMAGE(world, world->bodies.data[3].debris, true, "debris is no fragment");
    DAMAGE(world, world->bodies.data[3].lifetime, -1.0f, "lifetime is bad");
    DAMAGE(world, world->bodies.data[3].rebuild, 4u, "wait for a rebuild are counted wrong");
    DAMAGE(world, world->fragments, 1u, "fragments are counted wrong");
    DAMAGE(world, world->breakable, 1u, "breakable bodies are counted wrong");
    DAMAGE(world, world->debris, 1u, "debris is counted wrong");
    DAMAGE(world, world->joints.data[0].a, 4000u, "joint's body does not exist");
    DAMAGE(world, world->joints.data[0].linear_impulse.x, NAN, "joint's impulse is not finite");
    DAMAGE(world, world->bodies.data[3].joint_count, 5u, "joint counts of bodies are wrong");
    DAMAGE(world, world->bodies.data[3].sleep_group, 1u, "has a sleep group");
    DAMAGE(world, world->energy.kinetic, (double)NAN, "energy is not finite");
    DAMAGE(world, world->energy.dissipated, (double)INFINITY, "energy is not finite");
    check_ok(rbl_world_destroy(id));
}

// Three boxes on the ground, two of them on a rope, awake and then asleep. A body that flies by keeps the world stepping.
static void damaged_sleep_is_named(void** state)
{
    (void)state;
    const rblWorldId id = make_world(true);
    rblWorld* world = NULL;
    rblBodyId boxes[3];
    put(id, make_ground(), RBL_BODY_STATIC, vec(0, 0, 0));
    for (int i = 0; i < 3; ++i)
    {
        boxes[i] = put(id, make_box(0.4f, 0.4f, 0.4f), RBL_BODY_DYNAMIC, vec((float)i, 0.2f, 0));
    }
    const rblBodyId bird = put(id, make_sphere(0.1f), RBL_BODY_KINEMATIC, vec(0, 50, 0));
    check_ok(rbl_body_set_velocity(id, bird, vec(1, 0, 0), vec(0, 0, 0)));
    rblJointDef def = rbl_default_joint_def();
    rblJointId joint;
    def.kind = RBL_JOINT_ROPE;
    def.a = boxes[0];
    def.b = boxes[1];
    def.length = 2.0f;
    check_ok(rbl_joint_create(id, &def, &joint));
    step_times(id, 10);
    check_ok(rbl_world_find(id, &world));
    const uint32_t a = boxes[0].index1 - 1;
    assert_true(world->bodies.data[a].awake);
    DAMAGE(world, world->joints.data[0].b, boxes[2].index1 - 1, "a joint joins two islands");
    step_times(id, 200);
    assert_true(!world->bodies.data[a].awake && world->bodies.data[a].sleep_group > 0);
    DAMAGE(world, world->motions.data[a].velocity.x, 1e-3f, "sleeping body moves");
    DAMAGE(world, world->motions.data[a].spin.x, 1e-3f, "sleeping body moves");
    DAMAGE(world, world->bodies.data[a].sleep_group, world->last_sleep_group + 1, "was never created");
    const uint32_t group = world->bodies.data[a].sleep_group;
    world->bodies.data[a].sleep_group = 0;
    DAMAGE(world, world->bodies.data[a].awake, true, "one of two jointed bodies sleeps");
    world->bodies.data[a].sleep_group = group;
    check_ok(rbl_world_destroy(id));
}

static void damaged_pairs_and_contacts_are_named(void** state)
{
    (void)state;
    rblWorldId id;
    rblWorld* world = make_heap(&id);
    assert_true(world->pairs.count > 10 && world->contacts.count > 10);
    size_t touching = 0;
    while (world->pairs.data[touching].count == 0)
    {
        touching += 1;
    }
    DAMAGE(world, world->pairs.data[5].generation_a, 99u, "pair's body does not exist");
    DAMAGE(world, world->broad->pairs.count, world->broad->pairs.count - 1, "differ in the number of pairs");
    DAMAGE(world, world->broad->pairs.pairs[1], world->broad->pairs.pairs[0],
           "pairs of the broad phase are wrong");
    DAMAGE(world, world->pairs.data[touching].first, (uint32_t)world->contacts.count,
           "contacts are out of bounds");
    DAMAGE(world, world->pairs.data[touching].leading, 1000u, "more leading contacts");
    DAMAGE(world, world->contacts.data[world->pairs.data[touching].first].normal.x, NAN,
           "contact is not finite");
    rblPair* pair = &world->pairs.data[touching];
    rblContact* contact = &world->contacts.data[pair->first];
    DAMAGE(world, contact->normal_impulse, -1.0f, "or pulls");
    DAMAGE(world, contact->friction.z, NAN, "contact is not finite");
    DAMAGE(world, contact->normal.x, contact->normal.x + 0.5f, "has not the length 1");
    DAMAGE(world, contact->normal_in_a, vec(0, 0.9f, 0), "has not the length 1");
    DAMAGE(world, pair->initial_depth, -1e-3f, "overlap that a pair remembers is negative");
    DAMAGE(world, pair->sibling_depth, -1e-3f, "overlap that a pair remembers is negative");
    DAMAGE(world, pair->break_depth, NAN, "overlap that a pair remembers is negative");
    const rblPair before = *pair;
    pair->first = 0;
    DAMAGE(world, pair->count, (uint32_t)world->contacts.count, "pairs share contacts");
    *pair = before;
    check_ok(rbl_world_check(world, ALL));
    check_ok(rbl_world_destroy(id));
}

// The lists that spare a step the pairs at rest.
static void damaged_lists_of_pairs_are_named(void** state)
{
    (void)state;
    rblWorldId id;
    rblWorld* world = make_heap(&id);
    rblStep* step = world->step;
    const uint32_t listed = step->active_pairs.data[3];
    const uint32_t slot = world->pairs.data[5].b;
    const uint32_t side = rbl_first_side(world, slot);
    // A body far away, then gone, leaves holes.
    assert_true(step->active_pairs.count > 8 && rbl_next_side(world, side) != RBL_NONE);
    check_ok(rbl_body_destroy(id, rbl_body_id(world, (uint32_t)world->bodies.count - 2)));
    step_times(id, 2);
    check_ok(rbl_world_check(world, ALL));
    assert_true(world->free_pairs.count > 0);
    const uint32_t hole = world->free_pairs.data[0];
    DAMAGE(world, world->free_pairs.data[0], 5u, "holes or the lists of pairs");
    DAMAGE(world, world->free_pairs.count, world->free_pairs.count - 1, "holes or the lists of pairs");
    DAMAGE(world, world->pair_states.data[hole], RBL_PAIR_ACTIVE, "hole has the state");
    DAMAGE(world, world->pairs.data[hole].generation_a, 1u, "holes or the lists of pairs");
    DAMAGE(world, world->first_sides.data[slot], RBL_NONE, "holes or the lists of pairs");
    DAMAGE(world, world->first_sides.data[slot], rbl_next_side(world, side), "holes or the lists of pairs");
    DAMAGE(world, world->pair_sides.data[side].next, side, "holes or the lists of pairs");
    DAMAGE(world, world->pair_sides.data[side].last, 1u, "holes or the lists of pairs");
    DAMAGE(world, world->pairs.data[listed].a, world->pairs.data[listed].b, "holes or the lists of pairs");
    DAMAGE(world, world->pair_states.data[listed], 0, "listed pair is not active");
    DAMAGE(world, step->active_pairs.data[3], step->active_pairs.data[4], "not sorted and unique");
    DAMAGE(world, step->active_keys.data[3].b, 0u, "key of another");
    DAMAGE(world, step->active_pairs.count, step->active_pairs.count - 1, "active pair is not listed");
    DAMAGE(world, world->parked_contacts, 1u, "parked");
    DAMAGE(world, world->wasted_contacts, 1u, "parked contacts are counted wrong");
    check_ok(rbl_world_destroy(id));
}

// What a heap parks when it sleeps is taken back when it wakes.
static void pairs_of_sleepers_are_parked(void** state)
{
    (void)state;
    rblWorldId id;
    rblWorld* world = make_heap(&id);
    world->def.sleeping = true;
    const size_t pairs = world->step->active_pairs.count;
    for (int i = 0; i < 600 && (world->step->movers.count > 0 || world->activity_changed); ++i)
    {
        step_times(id, 1);
    }
    rblBodyDef def = rbl_default_body_def();
    rblBodyId visitor;
    def.shape = make_box(0.1f, 0.1f, 0.1f);
    def.pose.p = vec(5, 0.06f, 5);
    check_ok(rbl_body_create(id, &def, &visitor));
    step_times(id, 3);
    check_ok(rbl_world_check(world, ALL));
    assert_int_equal(world->step->movers.count, 1);
    assert_true(world->step->active_pairs.count < 3 && world->parked_contacts > 20);
    uint32_t parked = 0;
    while (world->pair_states.data[parked] != RBL_PAIR_PARKED || world->pairs.data[parked].count == 0)
    {
        parked += 1;
    }
    DAMAGE(world, world->pairs.data[parked].first, (uint32_t)world->parked_contacts,
           "parked and other contacts");
    DAMAGE(world, world->step->activities.data[world->pairs.data[parked].b], RBL_ACTIVITY_AWAKE,
           "pair with an awake body is not active");
    for (uint32_t slot = 1; slot < world->bodies.count; ++slot)
    {
        if (world->bodies.data[slot].generation != 0)
        {
            check_ok(rbl_body_wake(id, rbl_body_id(world, slot)));
        }
    }
    step_times(id, 1);
    check_ok(rbl_world_check(world, ALL));
    assert_true(world->step->active_pairs.count >= pairs / 2);
    assert_int_equal(world->parked_contacts, world->wasted_contacts);
    check_ok(rbl_world_destroy(id));
}

static uint32_t count_descents(const rblIndexArray* pairs)
{
    uint32_t descents = 0;
    for (size_t i = 1; i < pairs->count; ++i)
    {
        descents += pairs->data[i - 1] > pairs->data[i];
    }
    return descents;
}

// Pairs that begin in holes are out of order; when they are many, all are put in order again.
static void pairs_are_put_in_order_again(void** state)
{
    (void)state;
    const rblWorldId id = make_world(false);
    rblWorld* world = NULL;
    const rblShapeId box = make_box(0.5f, 0.4f, 0.3f);
    put(id, make_ground(), RBL_BODY_STATIC, vec(0, 0, 0));
    for (int i = 0; i < 729; ++i)
    {
        const rblVec3 at = {0.45f * (float)(i % 9), 0.3f + 0.5f * (float)(i / 81),
                            0.45f * (float)(i / 9 % 9)};
        rblBodyDef def = rbl_default_body_def();
        rblBodyId body;
        def.shape = box;
        def.pose.p = at;
        def.velocity = vec(i % 2 == 0 ? 2.0f : -2.0f, 0, i % 3 == 0 ? 3.0f : -1.0f);
        check_ok(rbl_body_create(id, &def, &body));
    }
    check_ok(rbl_shape_destroy(box));
    check_ok(rbl_world_find(id, &world));
    check_ok(rbl_world_check_stages(id, RBL_CHECK_ALL));
    uint32_t last = 0;
    uint32_t ordered_again = 0;
    for (int i = 0; i < 30; ++i)
    {
        step_times(id, 1);
        const uint32_t descents = count_descents(&world->step->active_pairs);
        ordered_again += descents == 0 && last > 100;
        last = descents;
    }
    assert_true(ordered_again > 0);
    check_ok(rbl_world_destroy(id));
}

// The gaps that bodies leave among the parked contacts when they wake are closed when they are many.
static void gaps_of_parked_contacts_are_closed(void** state)
{
    (void)state;
    const rblWorldId id = make_world(false);
    rblWorld* world = NULL;
    rblBodyId bodies[700];
    const rblShapeId box = make_box(0.5f, 0.5f, 0.5f);
    put(id, make_ground(), RBL_BODY_STATIC, vec(0, 0, 0));
    for (uint32_t i = 0; i < 700; ++i)
    {
        const uint32_t row = i / 25;
        rblBodyDef def = rbl_default_body_def();
        def.shape = box;
        def.asleep = true;
        def.pose.p = vec((float)(i % 25), 0.25f, (float)row);
        check_ok(rbl_body_create(id, &def, &bodies[i]));
    }
    check_ok(rbl_shape_destroy(box));
    check_ok(rbl_world_find(id, &world));
    check_ok(rbl_world_check_stages(id, RBL_CHECK_ALL));
    world->def.sleeping = true;
    check_ok(rbl_body_wake(id, bodies[0]));
    step_times(id, 3);
    assert_int_equal(world->step->movers.count, 1);
    assert_int_equal(world->parked_contacts, 4 * 699);
    for (uint32_t i = 1; i < 690; ++i)
    {
        check_ok(rbl_body_wake(id, bodies[i]));
    }
    step_times(id, 1);
    check_ok(rbl_world_check(world, ALL));
    assert_int_equal(world->wasted_contacts, 0);
    assert_int_equal(world->parked_contacts, 4 * 10);
    check_ok(rbl_world_destroy(id));
}

static void a_damaged_step_is_named(void** state)
{
    (void)state;
    rblWorldId id;
    rblWorld* world = make_heap(&id);
    rblStep* step = world->step;
    assert_true(step->manifolds.count > 8 && step->islands.count > 0);
    DAMAGE(world, step->movers.count, step->movers.count - 1, "movers and solver bodies differ");
    DAMAGE(world, step->solver_bodies.data[2].slot, step->solver_bodies.data[1].slot, "not its mover");
    DAMAGE(world, step->solver_bodies.data[2].seconds, 2.0f, "more time left than the step");
    DAMAGE(world, step->manifolds.data[2].pair, 100000u, "manifold's pair does not exist");
    DAMAGE(world, step->manifolds.data[2].a, 100000u, "manifold's body does not exist");
    DAMAGE(world, step->manifolds.data[2].first, 100000u, "manifold's contacts are out of bounds");
    DAMAGE(world, step->manifolds.data[2].bundle, 100000u, "in no lane of its bundle");
    DAMAGE(world, step->manifolds.data[0].bundle, step->manifolds.data[0].bundle + 1,
           "in no lane of its bundle");
    DAMAGE(world, step->solver_bodies.data[2].inverse_mass, 7.0f, "another mass than its body");
    DAMAGE(world, step->color_starts[0], 1u, "colours are not those of all manifolds");
    DAMAGE(world, step->color_starts[RBL_MAX_COLORS], 0u, "colours are not those of all manifolds");
    DAMAGE(world, step->color_starts[1], 100000u, "a colour is out of bounds");
    DAMAGE(world, step->islands.data[0].first, 100000u, "bodies of an island are out of bounds");
    DAMAGE(world, step->manifolds.data[1].a, step->manifolds.data[0].b, "manifolds of a colour share a body");
    DAMAGE(world, step->island_bodies.data[1], step->island_bodies.data[0], "not its own");
    DAMAGE(world, step->islands.data[0].count, step->islands.data[0].count - 1, "do not partition");
    check_ok(rbl_world_destroy(id));
}

static void damaged_trees_and_events_are_named(void** state)
{
    (void)state;
    rblWorldId id;
    rblWorld* world = make_heap(&id);
    DAMAGE(world, world->broad->boxes[3].upper.x, 1e6f, "does not cover a leaf");
    check_ok(rbl_body_destroy(id, (rblBodyId){5, world->bodies.data[4].generation, world->serial}));
    check_ok(rbl_world_check(world, RBL_CHECK_BROAD));
    world->bodies.data[4].generation = 1;
    assert_int_equal(rbl_world_check(world, RBL_CHECK_BROAD), RBL_ERROR_FORMAT);
    assert_non_null(strstr(rbl_last_error(), "bodies and boxes of the broad phase differ"));
    world->bodies.data[4].generation = 0;
    step_times(id, 1);
    rblBreakLog* log = &world->break_log;
    assert_true(rbl_array_push(&log->events, ((rblBreakEvent){.fragment_count = 1})));
    expect_fault(world, "counts fragments that are not there");
    assert_true(rbl_array_push(&log->ids, ((rblBodyId){1, 7, world->serial}))); // it is gone since
    check_ok(rbl_world_check(world, ALL));
    DAMAGE(world, log->ids.data[0].index1, 5000u, "fragment cannot be reached");
    DAMAGE(world, log->ids.data[0].generation, 1u, "fragment cannot be reached"); // the ground
    DAMAGE(world, log->ids.data[0].world, world->serial + 1, "fragment cannot be reached");
    DAMAGE(world, log->events.data[0].fragment_count, 0u, "fragments belong to no break event");
    DAMAGE(world, log->events.data[0].mate_count, 2u, "counts mates that are not there");
    assert_true(rbl_array_push(&log->mates, ((rblMate){0})));
    expect_fault(world, "mates belong to no break event");
    log->events.data[0].mate_count = 1;
    check_ok(rbl_world_check(world, ALL));
    DAMAGE(world, log->mates.data[0].piece_b, 1u, "mates are of fragments that are not there");
    DAMAGE(world, log->events.data[0].surface_energy, -1.0, "the energy or the mass of a break event is bad");
    DAMAGE(world, log->events.data[0].heat, (double)NAN, "the energy or the mass of a break event is bad");
    DAMAGE(world, log->events.data[0].mass_error, 1e-3, "the energy or the mass of a break event is bad");
    DAMAGE(world, log->reported, 2u, "more break events are reported than there are");
    DAMAGE(world, log->reported_ids, 2u, "more break events are reported than there are");
    check_ok(rbl_world_destroy(id));
}

// ---- shapes ----

// A brick that was broken by stress, and its fragments, which were broken again.
static rblWorld* make_fragments(rblWorldId* id)
{
    const rblVec3 down = {0, -1, 0};
    rblStressDef stress = rbl_default_stress_def();
    rblBodyDef def = rbl_default_body_def();
    rblBodyId body;
    *id = make_world(false);
    put(*id, make_ground(), RBL_BODY_STATIC, vec(0, 0, 0));
    stress.tetrahedra = 400;
    stress.smallest_body = 0.01f;
    check_ok(rbl_breaker_create_stress(&stress, &def.breaker));
    check_ok(rbl_material_preset("clay", &def.material));
    def.shape = make_box(0.2f, 0.06f, 0.1f);
    def.pose.p = vec(0, 1.0f, 0);
    check_ok(rbl_body_create(*id, &def, &body));
    check_ok(rbl_shape_destroy(def.shape));
    check_ok(rbl_breaker_destroy(def.breaker));
    check_ok(rbl_world_check_stages(*id, RBL_CHECK_ALL));
    check_ok(rbl_body_break(*id, body, vec(0, 1.03f, 0), down));
    rblWorld* world = NULL;
    check_ok(rbl_world_find(*id, &world));
    assert_true(world->fragments > 1);
    for (uint32_t slot = 1; slot < world->bodies.count; ++slot)
    {
        const rblBodyId piece = {slot + 1, world->bodies.data[slot].generation, world->serial};
        if (piece.generation != 0 && world->bodies.data[slot].ancestors == 1)
        {
            check_ok(rbl_body_break(*id, piece, world->motions.data[slot].center, down));
        }
    }
    step_times(*id, 2);
    check_ok(rbl_world_check(world, ALL | RBL_CHECK_SHAPES));
    assert_true(world->has_siblings);
    DAMAGE(world, world->has_siblings, false, "does not know of a sibling");
    return world;
}

// The shape of the fragment that comes from the longest chain of events.
static rblShape* youngest_shape(const rblWorld* world)
{
    rblShape* found = NULL;
    for (size_t slot = 0; slot < world->bodies.count; ++slot)
    {
        rblShape* shape =
            world->bodies.data[slot].generation != 0 ? world->bodies.data[slot].shape.shape->self : NULL;
        const rblFragmentField* field = shape != NULL ? rbl_shape_fragment(shape) : NULL;
        if (field != NULL && (found == NULL || field->event->depth > rbl_shape_fragment(found)->event->depth))
        {
            found = shape;
        }
    }
    assert_non_null(found);
    return found;
}

// As DAMAGE, for shapes alone.
#define DAMAGE_SHAPE(world, place, value, what)                                                              \
    do                                                                                                       \
    {                                                                                                        \
        const __typeof__(place) kept = (place);                                                              \
        (place) = (value);                                                                                   \
        expect_shape_fault((world), (what));                                                                 \
        (place) = kept;                                                                                      \
        check_ok(rbl_world_check((world), RBL_CHECK_SHAPES));                                                \
    } while (0)

static void expect_shape_fault(const rblWorld* world, const char* what)
{
    assert_int_equal(rbl_world_check(world, RBL_CHECK_SHAPES), RBL_ERROR_FORMAT);
    if (strstr(rbl_last_error(), what) == NULL ||
        strstr(rbl_last_error(), "world check: the shape of a body (") == NULL)
    {
        fail_msg("expected '%s', found '%s'", what, rbl_last_error());
    }
}

static void damaged_samples_are_named(void** state)
{
    (void)state;
    rblWorldId id;
    rblWorld* world = make_fragments(&id);
    rblShape* shape = youngest_shape(world);
    rblSampleTree* tree = atomic_load(&shape->samples);
    assert_true(tree->count > 20);
    const uint32_t last = tree->count - 1;
    DAMAGE_SHAPE(world, shape->view.sample_count, last, "not those of its hierarchy");
    DAMAGE_SHAPE(world, shape->view.bounds.lower.x, 1e6f, "box of a shape is bad");
    DAMAGE_SHAPE(world, shape->view.mass.mass, -1.0, "mass of a shape is not positive");
    DAMAGE_SHAPE(world, tree->points[last].x, NAN, "sample is not finite");
    DAMAGE_SHAPE(world, tree->points[last].x, 1e3f, "is another point");
    DAMAGE_SHAPE(world, tree->first_children[0], 1u, "has no root");
    DAMAGE_SHAPE(world, tree->first_children[2], last + 7, "children of samples are out of bounds");
    DAMAGE_SHAPE(world, tree->first_children[tree->count], last - 1, "children of samples are out of bounds");
    DAMAGE_SHAPE(world, tree->children[0].node, 0u, "comes before its parent");
    DAMAGE_SHAPE(world, tree->children[1], tree->children[0], "sample has two parents");
    DAMAGE_SHAPE(world, tree->children[0].end, last + 1, "has other children");
    DAMAGE_SHAPE(world, tree->children[0].radius, 1e6f, "has another radius");
    DAMAGE_SHAPE(world, tree->children[0].reach, 1e-6f, "out of the reach of an ancestor");
    check_ok(rbl_world_destroy(id));
}

static void damaged_fragment_events_are_named(void** state)
{
    (void)state;
    rblWorldId id;
    rblWorld* world = make_fragments(&id);
    rblFragmentField* field = youngest_shape(world)->data;
    rblFragmentEvent* event = (rblFragmentEvent*)(uintptr_t)field->event;
    rblFragmentEvent* parent = (rblFragmentEvent*)(uintptr_t)event->parent;
    assert_non_null(parent);
    assert_true(event->cut_count > 1 && event->label_count > 1 && event->label_count < parent->node_count);
    DAMAGE_SHAPE(world, field->label, event->label_count, "a fragment is none of its event");
    for (int i = 0; i < 2; ++i) // the event of the fragment, and the one before
    {
        rblFragmentEvent* e = i == 0 ? event : parent;
        uint32_t at = 0;
        while (e->facts[e->labels[at]].nodes < 2)
        {
            at += 1;
        }
        DAMAGE_SHAPE(world, e->depth, 9u, "does not follow its parent");
        DAMAGE_SHAPE(world, e->labels[1], e->label_count, "label of a fragment event is out of range");
        DAMAGE_SHAPE(world, e->labels[at], (e->labels[at] + 1) % e->label_count, "counted wrong");
        DAMAGE_SHAPE(world, e->weights[1], 0.0f, "weight of a fragment event is not positive");
        DAMAGE_SHAPE(world, e->weights[1], NAN, "weight of a fragment event is not positive");
        DAMAGE_SHAPE(world, e->nodes[1], e->nodes[0], "node of a fragment event is out of order");
        DAMAGE_SHAPE(world, e->tets[1], e->tets[0], "tetrahedron of a fragment event is out of order");
        DAMAGE_SHAPE(world, e->cracks[1].distance, -1.0f, "distance to a crack is negative");
        DAMAGE_SHAPE(world, e->facts[0].nodes, 0u, "nodes of a fragment are counted wrong");
        DAMAGE_SHAPE(world, e->states[0], e->states[0] ^ 1u, "state of a tetrahedron");
        DAMAGE_SHAPE(world, e->cut_tets[0], e->cut_tets[1], "cut tetrahedron is not listed");
        DAMAGE_SHAPE(world, e->first_parts[1], e->first_parts[1] + 1, "has not a part for each label");
        DAMAGE_SHAPE(world, e->parts[0].label, e->label_count, "has another label");
        DAMAGE_SHAPE(world, e->parts[0].plane_count, 4u, "more than three planes");
        DAMAGE_SHAPE(world, e->planes[0].normal.x, 2.0f, "plane of a cut tetrahedron is bad");
        DAMAGE_SHAPE(world, e->borders[0].piece, e->piece_count, "border of a fragment is out of range");
    }
    DAMAGE_SHAPE(world, event->parent_label, parent->label_count, "breaks a fragment that is not there");
    DAMAGE_SHAPE(world, event->parent_label, (event->parent_label + 1) % parent->label_count,
                 "not of what broke");
    DAMAGE_SHAPE(world, parent->node_count, parent->node_count - 1, "does not break the whole body");
    check_ok(rbl_world_destroy(id));
}

static void parts_of_compounds_are_checked(void** state)
{
    (void)state;
    const rblQuat none = {0, 0, 0, 1};
    const rblWorldId id = make_world(false);
    rblWorld* world = NULL;
    rblShapeChild children[2] = {{make_box(1, 1, 1), {{-1, 0, 0}, none}},
                                 {make_box(1, 2, 1), {{1, 0, 0}, none}}};
    rblShapeId both;
    check_ok(rbl_shape_create_compound(children, 2, &both));
    put(id, both, RBL_BODY_DYNAMIC, vec(0, 3, 0));
    check_ok(rbl_world_find(id, &world));
    check_ok(rbl_world_check(world, RBL_CHECK_SHAPES));
    rblShapeView view;
    check_ok(rbl_shape_view(children[1].shape, &view));
    DAMAGE_SHAPE(world, view.shape->self->view.mass.mass, NAN, "compound: the mass of a shape");
    check_ok(rbl_shape_destroy(children[0].shape));
    check_ok(rbl_shape_destroy(children[1].shape));
    check_ok(rbl_world_destroy(id));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(damaged_state_is_named),
        cmocka_unit_test(damaged_sleep_is_named),
        cmocka_unit_test(damaged_pairs_and_contacts_are_named),
        cmocka_unit_test(damaged_lists_of_pairs_are_named),
        cmocka_unit_test(pairs_of_sleepers_are_parked),
        cmocka_unit_test(pairs_are_put_in_order_again),
        cmocka_unit_test(gaps_of_parked_contacts_are_closed),
        cmocka_unit_test(a_damaged_step_is_named),
        cmocka_unit_test(damaged_trees_and_events_are_named),
        cmocka_unit_test(damaged_samples_are_named),
        cmocka_unit_test(damaged_fragment_events_are_named),
        cmocka_unit_test(parts_of_compounds_are_checked),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
