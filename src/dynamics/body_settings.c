// Setters of a body: type, material, gravity scale, breaker. A call that fails changes nothing.
#include "dynamics/breaking/fracture.h"
#include "dynamics/stages.h"

static rblResult find(rblWorldId world_id, rblBodyId id, rblWorld** world, uint32_t* slot)
{
    RBL_TRY(rbl_world_find(world_id, world));
    return rbl_body_find(*world, id, slot);
}

// The mass for rbl_body_make(): 0 (density times volume) unless the definition gave a mass.
static float given_mass(const rblBody* body)
{
    const float own = (float)((double)body->material.density * body->shape.mass.volume);
    return body->mass == own ? 0.0f : body->mass;
}

// The change acts on other bodies through contacts and joints, so the body leaves its sibling group.
static void wake_and_separate(rblWorld* world, uint32_t slot)
{
    rbl_siblings_leave(&world->bodies.data[slot]);
    rbl_slot_wake_neighbours(world, slot);
    rbl_slot_changed(world, slot);
}

// Replace the body and its motion; the change of energy is booked as work.
static void replace_body(rblWorld* world, uint32_t slot, const rblBody* body, const rblMotion* motion)
{
    world->pending_work -= rbl_body_energy(world, slot);
    world->bodies.data[slot] = *body;
    world->motions.data[slot] = *motion;
    world->pending_work += rbl_body_energy(world, slot);
}

// ---- gravity ----

rblResult rbl_body_set_gravity_scale(rblWorldId world_id, rblBodyId id, float scale)
{
    rblWorld* world = NULL;
    uint32_t slot = 0;
    RBL_TRY(find(world_id, id, &world, &slot));
    if (!rbl_finite((double)scale))
    {
        return rbl_fail(RBL_ERROR_ARGUMENT, "body: gravity_scale is %g, must be finite", (double)scale);
    }
    wake_and_separate(world, slot);
    rblBody body = world->bodies.data[slot];
    body.gravity_scale = scale;
    replace_body(world, slot, &body, &world->motions.data[slot]);
    RBL_NOTE_CALL(world, .code = RBL_CALL_BODY_SET_GRAVITY_SCALE, .body = id,
                  .body_def.gravity_scale = scale);
    return RBL_OK;
}

// ---- breaker and material: the breaker prepares the shape again ----

static void release_prepared(const rblBody* body)
{
    if (body->breaker != NULL && body->is_prepared)
    {
        rbl_breaker_forget(body->breaker, body->prepared);
    }
}

rblResult rbl_body_set_material(rblWorldId world_id, rblBodyId id, const rblMaterial* material)
{
    rblWorld* world = NULL;
    uint32_t slot = 0;
    RBL_TRY(find(world_id, id, &world, &slot));
    if (material == NULL)
    {
        return rbl_fail(RBL_ERROR_ARGUMENT, "body: material must not be null");
    }
    RBL_TRY(rbl_material_check(material));
    rblBody body = world->bodies.data[slot];
    rblMotion motion = world->motions.data[slot];
    const float given = given_mass(&body);
    const float mass = (float)((double)given * (double)material->density / (double)body.material.density);
    if (given > 0.0f && !(mass > 0.0f))
    {
        return rbl_fail(RBL_ERROR_ARGUMENT, "body: the density of %g kg/m^3 leaves no mass, must be larger",
                        (double)material->density);
    }
    body.material = *material;
    body.prepared = NULL;
    body.is_prepared = false;
    RBL_TRY(rbl_body_init_mass(&body, &motion, mass));
    RBL_TRY(rbl_body_prepare_breaker(&body, world->jobs));
    release_prepared(&world->bodies.data[slot]);
    world->bodies.data[slot].prepared = body.prepared;
    world->bodies.data[slot].is_prepared = body.is_prepared;
    wake_and_separate(world, slot);
    rblBody now = world->bodies.data[slot];
    now.material = body.material;
    now.mass = body.mass;
    rbl_body_init_spin(&now, &motion, motion.velocity, motion.spin);
    replace_body(world, slot, &now, &motion);
    RBL_NOTE_CALL(world, .code = RBL_CALL_BODY_SET_MATERIAL, .body = id, .body_def.material = *material);
    return RBL_OK;
}

static rblResult set_breaker(rblWorld* world, rblBody* body, rblBreakerId id)
{
    if (id.index1 == 0)
    {
        return RBL_OK;
    }
    if (!body->shape.bounded)
    {
        return rbl_fail(RBL_ERROR_ARGUMENT, "body: a %s cannot break", body->shape.kind);
    }
    RBL_TRY(rbl_breaker_acquire(id, &body->breaker));
    rblResult result = rbl_body_prepare_breaker(body, world->jobs);
    if (result == RBL_OK && body->kept)
    {
        result = rbl_world_keep_breaker(world, body->breaker);
    }
    if (result != RBL_OK)
    {
        release_prepared(body);
        rbl_breaker_release(body->breaker);
    }
    return result;
}

rblResult rbl_body_set_breaker(rblWorldId world_id, rblBodyId id, rblBreakerId breaker)
{
    rblWorld* world = NULL;
    uint32_t slot = 0;
    RBL_TRY(find(world_id, id, &world, &slot));
    rblBody* body = &world->bodies.data[slot];
    if (body->sensor && breaker.index1 != 0)
    {
        return rbl_fail(RBL_ERROR_ARGUMENT, "body: a sensor must not have a breaker");
    }
    const rblBody before = *body;
    rblBody after = before;
    after.breaker = NULL;
    after.prepared = NULL;
    after.is_prepared = false;
    RBL_TRY(set_breaker(world, &after, breaker));
    release_prepared(&before);
    if (before.breaker != NULL)
    {
        rbl_breaker_release(before.breaker);
    }
    *body = after;
    world->breakable += after.breaker != NULL;
    world->breakable -= before.breaker != NULL;
    RBL_NOTE_CALL(world, .code = RBL_CALL_BODY_SET_BREAKER, .body = id,
                  .body_def = {.breaker = breaker, .anchor = after.anchor});
    return RBL_OK;
}

// ---- type ----

// A joint needs a dynamic body.
static rblResult check_joints(const rblWorld* world, uint32_t slot, rblBodyType type)
{
    if (type == RBL_BODY_DYNAMIC || world->bodies.data[slot].joint_count == 0)
    {
        return RBL_OK;
    }
    for (size_t i = 0; i < world->joints.count; ++i)
    {
        const rblJoint* joint = &world->joints.data[i];
        const uint32_t other = joint->a == slot ? joint->b : joint->a;
        if (joint->generation != 0 && (joint->a == slot || joint->b == slot) &&
            (other == RBL_NONE || world->bodies.data[other].type != RBL_BODY_DYNAMIC))
        {
            return rbl_fail(RBL_ERROR_ARGUMENT,
                            "body: the body is the only dynamic one of joint %zu, destroy the joint first",
                            i + 1);
        }
    }
    return RBL_OK;
}

// The broad phase has a separate tree for static boxes.
static rblResult change_tree(rblWorld* world, uint32_t slot, bool moving)
{
    const rblBody* body = &world->bodies.data[slot];
    const rblAabb box = rbl_shape_bounds_at(&body->shape, rbl_shape_pose(body, &world->motions.data[slot]));
    if (moving == (body->type != RBL_BODY_STATIC))
    {
        rbl_broad_phase_touch(world->broad, slot);
        return RBL_OK;
    }
    RBL_TRY(rbl_broad_phase_change_tree(world->broad, slot, box, moving));
    rbl_box_forget(world->step, slot);
    return RBL_OK;
}

// Set the data that only dynamic bodies have. Current overlap counts as initial overlap.
static void init_dynamic(rblBody* body, const rblMotion* motion)
{
    body->force = body->torque = rbl_vec3(0, 0, 0);
    body->rest_pose = rbl_motion_pose(motion);
    body->rest_time = body->still_time = 0.0f;
    body->is_new = true;
    body->falls = true;
    body->slow_debt = body->direct_wait = 0;
    body->rest = (rblRest){0};
}

rblResult rbl_body_set_type(rblWorldId world_id, rblBodyId id, rblBodyType type)
{
    rblWorld* world = NULL;
    uint32_t slot = 0;
    RBL_TRY(find(world_id, id, &world, &slot));
    if ((unsigned)type >= RBL_BODY_TYPE_COUNT)
    {
        return rbl_fail(RBL_ERROR_ARGUMENT, "body: type is %d, must be below %d", (int)type,
                        RBL_BODY_TYPE_COUNT);
    }
    rblBody body = world->bodies.data[slot];
    rblMotion motion = world->motions.data[slot];
    if (!body.shape.bounded && type != RBL_BODY_STATIC)
    {
        return rbl_fail(RBL_ERROR_ARGUMENT, "body: a %s must be static", body.shape.kind);
    }
    if (type == body.type)
    {
        return RBL_OK;
    }
    RBL_TRY(check_joints(world, slot, type));
    body.type = type;
    motion.inverse_mass = 0.0f;
    motion.moments = rbl_vec3(0, 0, 0);
    RBL_TRY(rbl_body_init_mass(&body, &motion, given_mass(&body)));
    RBL_TRY(change_tree(world, slot, type != RBL_BODY_STATIC));
    wake_and_separate(world, slot);
    rblBody now = world->bodies.data[slot];
    now.type = type;
    now.mass = body.mass;
    now.awake = type != RBL_BODY_STATIC;
    init_dynamic(&now, &motion);
    rbl_body_init_spin(&now, &motion, motion.velocity, motion.spin);
    replace_body(world, slot, &now, &motion);
    rbl_slot_marked(world, slot);
    RBL_NOTE_CALL(world, .code = RBL_CALL_BODY_SET_TYPE, .body = id, .body_def.type = type);
    return RBL_OK;
}
