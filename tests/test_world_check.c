// The checks of a whole world: quiet while all is well, and every one of them names what is damaged.
#include "world_testing.h"

#include "dynamics/breaking/fracture.h"
#include "dynamics/broad_phase/broad_phase_private.h"
#include "dynamics/world_check.h"
#include <math.h>
#include <string.h>

#define ALL (RBL_CHECK_STATE | RBL_CHECK_AFTER_CONTACTS | RBL_CHECK_AFTER_ISLANDS)

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
    check_ok(rbl_world_check_stages(*id, true));
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
    DAMAGE(world, world->motions.data[3].center.x, NAN, "pose is bad");
    DAMAGE(world, world->motions.data[3].orientation.w, 9.0f, "pose is bad");
    DAMAGE(world, world->motions.data[3].velocity.y, INFINITY, "velocity is not finite");
    DAMAGE(world, world->bodies.data[3].mass, NAN, "mass is not finite");
    DAMAGE(world, world->motions.data[3].inverse_mass, 0.0f, "type and mass disagree");
    DAMAGE(world, world->bodies.data[3].sibling_group, 1u, "sibling is no fragment");
    DAMAGE(world, world->fragments, 1u, "fragments are counted wrong");
    DAMAGE(world, world->breakable, 1u, "breakable bodies are counted wrong");
    DAMAGE(world, world->debris, 1u, "debris is counted wrong");
    DAMAGE(world, world->joints.data[0].a, 4000u, "joint's body does not exist");
    DAMAGE(world, world->joints.data[0].linear_impulse.x, NAN, "joint's impulse is not finite");
    DAMAGE(world, world->bodies.data[3].joint_count, 5u, "joint counts of bodies are wrong");
    DAMAGE(world, world->bodies.data[3].sleep_group, 1u, "has a sleep group");
    DAMAGE(world, world->energy.kinetic, (double)NAN, "energy is not finite");
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
    DAMAGE(world, world->pairs.data[5], world->pairs.data[4], "not sorted and unique");
    DAMAGE(world, world->pairs.data[5], world->pairs.data[6], "not sorted and unique");
    DAMAGE(world, world->pairs.data[5].generation_a, 99u, "pair's body does not exist");
    DAMAGE(world, world->pairs.data[touching].first, (uint32_t)world->contacts.count,
           "contacts are out of bounds");
    DAMAGE(world, world->pairs.data[touching].leading, 1000u, "more leading contacts");
    DAMAGE(world, world->contacts.data[world->pairs.data[touching].first].normal.x, NAN,
           "contact is not finite");
    DAMAGE(world, world->contacts.data[world->pairs.data[touching].first].normal_impulse, -1.0f, "or pulls");
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
    DAMAGE(world, step->manifolds.data[2].pair, 100000u, "manifold's pair does not exist");
    DAMAGE(world, step->manifolds.data[2].a, 100000u, "manifold's body does not exist");
    DAMAGE(world, step->manifolds.data[2].first, 100000u, "manifold's contacts are out of bounds");
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
    rblBreakLog* log = &world->break_log;
    assert_true(rbl_array_push(&log->events, ((rblBreakEvent){.pieces = 1})));
    expect_fault(world, "counts fragments that are not there");
    assert_true(rbl_array_push(&log->ids, ((rblBodyId){1, 1, world->serial})));
    check_ok(rbl_world_check(world, ALL));
    DAMAGE(world, log->ids.data[0].index1, 5000u, "fragment cannot be reached");
    DAMAGE(world, log->events.data[0].pieces, 0u, "fragments belong to no break event");
    DAMAGE(world, log->events.data[0].mate_count, 2u, "counts mates that are not there");
    assert_true(rbl_array_push(&log->mates, ((rblMate){0})));
    expect_fault(world, "mates belong to no break event");
    check_ok(rbl_world_destroy(id));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(damaged_state_is_named),
        cmocka_unit_test(damaged_pairs_and_contacts_are_named),
        cmocka_unit_test(a_damaged_step_is_named),
        cmocka_unit_test(damaged_trees_and_events_are_named),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
