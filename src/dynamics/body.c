// Bodies: creation, state, forces.
#include "base/def.h"
#include "dynamics/breaking/fracture.h"
#include "dynamics/orientation.h"
#include "dynamics/stages.h"
#include <math.h>

RBL_DEF_KIND(body_def, rblBodyDef, "body", rbl_default_body_def, 0x424f4459u);

void rbl_body_def_init(rblBodyDef* def, size_t size)
{
    rblBodyDef defaults = {
        .type = RBL_BODY_DYNAMIC,
        .pose = {{0, 0, 0}, {0, 0, 0, 1}},
        .gravity_scale = 1.0f,
        .filter = {.category = 1, .mask = UINT64_MAX},
        .anchor.kind = RBL_ANCHOR_TOUCH,
    };
    (void)rbl_material_preset("stone", &defaults.material);
    rbl_def_init(&body_def, &defaults, def, size);
}

// ---- checks ----

static bool is_unit(rblQuat q)
{
    const float square = rbl_quat_dot(q, q);
    return square > 0.98f && square < 1.02f;
}

static rblResult check_pose(rblTransform pose)
{
    if (!rbl_finite3(pose.p))
    {
        return rbl_fail(RBL_ERROR_ARGUMENT, "body: the position is (%g, %g, %g), must be finite",
                        RBL_XYZ(pose.p));
    }
    return is_unit(pose.q)
               ? RBL_OK
               : rbl_fail(RBL_ERROR_ARGUMENT, "body: the rotation has length %g, must be a unit quaternion",
                          sqrt((double)rbl_quat_dot(pose.q, pose.q)));
}

static rblResult check_out(const void* out)
{
    return out != NULL ? RBL_OK : rbl_fail(RBL_ERROR_ARGUMENT, "body: out must not be null");
}

rblResult rbl_material_check(const rblMaterial* material)
{
    if (!(material->density > 0.0f) || !rbl_finite((double)material->density))
    {
        return rbl_fail(RBL_ERROR_ARGUMENT, "body: density is %g, must be positive and finite",
                        (double)material->density);
    }
    if (!(material->friction >= 0.0f) || !rbl_finite((double)material->friction) ||
        !(material->restitution >= 0.0f && material->restitution <= 1.0f))
    {
        return rbl_fail(
            RBL_ERROR_ARGUMENT,
            "body: friction is %g, restitution %g; friction must not be negative, restitution 0 to 1",
            (double)material->friction, (double)material->restitution);
    }
    if (!(material->poisson > -1.0f && material->poisson < 0.5f))
    {
        return rbl_fail(RBL_ERROR_ARGUMENT, "body: poisson is %g, must be between -1 and 0.5",
                        (double)material->poisson);
    }
    const struct
    {
        float value;
        const char* name;
    } amounts[4] = {{material->young, "young"},
                    {material->strength, "strength"},
                    {material->surface_energy, "surface_energy"},
                    {material->break_impulse, "break_impulse"}};
    for (int i = 0; i < 4; ++i)
    {
        if (!(amounts[i].value >= 0.0f) || !rbl_finite((double)amounts[i].value))
        {
            return rbl_fail(RBL_ERROR_ARGUMENT, "body: %s is %g, must be finite and not negative",
                            amounts[i].name, (double)amounts[i].value);
        }
    }
    for (size_t i = 0; i < sizeof material->reserved / sizeof *material->reserved; ++i)
    {
        if (material->reserved[i] != 0.0f)
        {
            return rbl_fail(RBL_ERROR_ARGUMENT,
                            "body: material.reserved[%zu] is %g, must be 0; start from rbl_material_preset()",
                            i, (double)material->reserved[i]);
        }
    }
    return RBL_OK;
}

static rblResult check_filter(const rblFilter* filter)
{
    return filter->reserved == 0
               ? RBL_OK
               : rbl_fail(RBL_ERROR_ARGUMENT, "body: filter.reserved is %u, must be 0", filter->reserved);
}

static rblResult check_anchor(const rblAnchor* anchor)
{
    for (size_t i = 0; i < sizeof anchor->reserved / sizeof *anchor->reserved; ++i)
    {
        if (anchor->reserved[i] != 0)
        {
            return rbl_fail(RBL_ERROR_ARGUMENT, "body: anchor.reserved[%zu] is %u, must be 0", i,
                            anchor->reserved[i]);
        }
    }
    if ((unsigned)anchor->kind >= RBL_ANCHOR_KIND_COUNT)
    {
        return rbl_fail(RBL_ERROR_ARGUMENT, "body: the anchor is %d, must be below %d", (int)anchor->kind,
                        RBL_ANCHOR_KIND_COUNT);
    }
    const rblVec3 size = rbl_sub3(anchor->box.upper, anchor->box.lower);
    const bool good =
        anchor->kind != RBL_ANCHOR_BOX || (rbl_finite3(anchor->box.lower) && rbl_finite3(anchor->box.upper) &&
                                           size.x > 0.0f && size.y > 0.0f && size.z > 0.0f);
    return good ? RBL_OK
                : rbl_fail(RBL_ERROR_ARGUMENT,
                           "body: the box of the anchor is (%g, %g, %g) to (%g, %g, %g), must be finite and "
                           "not empty",
                           RBL_XYZ(anchor->box.lower), RBL_XYZ(anchor->box.upper));
}

static rblResult check_def(const rblBodyDef* def)
{
    if ((unsigned)def->type >= RBL_BODY_TYPE_COUNT)
    {
        return rbl_fail(RBL_ERROR_ARGUMENT, "body: type is %d, must be below %d", (int)def->type,
                        RBL_BODY_TYPE_COUNT);
    }
    RBL_TRY(check_pose(def->pose));
    RBL_TRY(rbl_material_check(&def->material));
    if (!rbl_finite3(def->velocity) || !rbl_finite3(def->spin) || !rbl_finite((double)def->gravity_scale))
    {
        return rbl_fail(
            RBL_ERROR_ARGUMENT,
            "body: velocity is (%g, %g, %g), spin (%g, %g, %g), gravity_scale %g; they must be finite",
            RBL_XYZ(def->velocity), RBL_XYZ(def->spin), (double)def->gravity_scale);
    }
    if (!(def->mass >= 0.0f) || !rbl_finite((double)def->mass))
    {
        return rbl_fail(RBL_ERROR_ARGUMENT,
                        "body: mass is %g, must be positive and finite, or 0 for density times volume",
                        (double)def->mass);
    }
    RBL_TRY(check_filter(&def->filter));
    if (def->sensor && def->breaker.index1 != 0)
    {
        return rbl_fail(RBL_ERROR_ARGUMENT, "body: a sensor must not have a breaker");
    }
    return check_anchor(&def->anchor);
}

rblResult rbl_id_check(const char* prefix, const rblIdPool* ids, uint32_t serial, uint32_t index1,
                       uint32_t generation, uint32_t world)
{
    if (index1 == 0)
    {
        return rbl_fail(RBL_ERROR_STALE, "%s: the id must not be null", prefix);
    }
    if (world != serial)
    {
        return rbl_fail(RBL_ERROR_STALE, "%s: the id belongs to another world", prefix);
    }
    return rbl_id_pool_valid(ids, index1, generation)
               ? RBL_OK
               : rbl_fail(RBL_ERROR_STALE, "%s: the id %u/%u belongs to a destroyed object", prefix, index1,
                          generation);
}

rblResult rbl_body_find(rblWorld* world, rblBodyId id, uint32_t* slot)
{
    RBL_TRY(rbl_id_check("body", &world->ids, world->serial, id.index1, id.generation, id.world));
    *slot = id.index1 - 1;
    return RBL_OK;
}

static rblResult find_body(rblWorldId world_id, rblBodyId id, rblWorld** world, uint32_t* slot)
{
    RBL_TRY(rbl_world_find(world_id, world));
    return rbl_body_find(*world, id, slot);
}

// ---- creation ----

// Set mass, moments and frame of a body from its shape. `wanted`: mass in kg; 0: density times volume.
rblResult rbl_body_init_mass(rblBody* body, rblMotion* motion, float wanted)
{
    const rblMassProperties* unit = &body->shape.mass;
    if (!(unit->volume > 0.0))
    {
        return body->type == RBL_BODY_DYNAMIC
                   ? rbl_fail(RBL_ERROR_ARGUMENT, "body: a %s has no mass and must be static or kinematic",
                              body->shape.kind)
                   : RBL_OK;
    }
    const double density = wanted > 0.0f ? (double)wanted / unit->volume : (double)body->material.density;
    const rblMat3 axes = rbl_to_float_mat3(&unit->principal_axes);
    const rblTransform body_in_shape = {rbl_to_float3(unit->center), rbl_quat_from_mat3(&axes)};
    body->shape_in_body = rbl_transform_inverse(body_in_shape);
    body->mass = (float)(density * unit->volume);
    if (!rbl_finite((double)body->mass))
    {
        return rbl_fail(RBL_ERROR_ARGUMENT, "body: the mass is %g kg, must be below 3.4e38 kg",
                        density * unit->volume);
    }
    if (body->type == RBL_BODY_DYNAMIC)
    {
        motion->moments = rbl_to_float3(rbl_scale3d(unit->moments, density));
        motion->inverse_mass = 1.0f / body->mass;
        const bool usable = rbl_finite((double)motion->inverse_mass) && body->mass > 0.0f &&
                            motion->moments.x > 0.0f && rbl_finite3(motion->moments) &&
                            rbl_finite(1.0 / (double)motion->moments.x);
        if (!usable)
        {
            return rbl_fail(RBL_ERROR_ARGUMENT,
                            "body: the mass is %g kg and the smallest moment %g kg m^2, must be normal "
                            "numbers of 32 bits",
                            density * unit->volume, density * unit->moments.x);
        }
    }
    return RBL_OK;
}

void rbl_body_init_spin(rblBody* body, rblMotion* motion, rblVec3 velocity, rblVec3 spin)
{
    motion->velocity = body->type == RBL_BODY_STATIC ? rbl_vec3(0, 0, 0) : velocity;
    motion->spin = body->type == RBL_BODY_STATIC ? rbl_vec3(0, 0, 0) : spin;
    motion->momentum = rbl_inertia_apply(motion->orientation, motion->moments, spin);
}

static void set_pose(rblBody* body, rblMotion* motion, rblTransform pose)
{
    const rblTransform frame = rbl_transform_mul((rblTransform){pose.p, rbl_quat_normalize(pose.q)},
                                                 rbl_transform_inverse(body->shape_in_body));
    motion->center = frame.p;
    motion->orientation = rbl_quat_normalize(frame.q);
    body->previous = rbl_motion_pose(motion);
    body->rest_pose = body->previous;
    body->is_new = true;
    body->falls = true;
}

void rbl_body_release(rblBody* body)
{
    if (body->breaker != NULL)
    {
        if (body->is_prepared)
        {
            rbl_breaker_forget(body->breaker, body->prepared);
        }
        rbl_breaker_release(body->breaker);
    }
    rbl_shape_release(body->shape.shape);
    if (body->owns_shape && !body->kept)
    {
        (void)rbl_shape_destroy(body->shape_id);
    }
}

// Set material and breaker. The breaker is retained and prepares the shape.
static rblResult set_material(const rblBodyDef* def, rblJobs* jobs, rblBody* body, rblMotion* motion)
{
    RBL_TRY(rbl_body_init_mass(body, motion, def->mass));
    if (!body->shape.bounded && def->type != RBL_BODY_STATIC)
    {
        return rbl_fail(RBL_ERROR_ARGUMENT, "body: a %s must be static", body->shape.kind);
    }
    if (def->breaker.index1 == 0)
    {
        return RBL_OK;
    }
    if (!body->shape.bounded)
    {
        return rbl_fail(RBL_ERROR_ARGUMENT, "body: a %s cannot break", body->shape.kind);
    }
    RBL_TRY(rbl_breaker_acquire(def->breaker, &body->breaker));
    return rbl_body_prepare_breaker(body, jobs);
}

rblResult rbl_body_make(const rblBodyDef* def, rblJobs* jobs, rblBody* body, rblMotion* motion)
{
    *body = (rblBody){
        .shape_id = def->shape,
        .shape_in_body = rbl_transform_identity(),
        .type = def->type,
        .material = def->material,
        .filter = def->filter,
        .gravity_scale = def->gravity_scale,
        .anchor = def->anchor,
        .awake = !def->asleep && def->type != RBL_BODY_STATIC,
        .rest.untried = def->asleep && def->type == RBL_BODY_DYNAMIC,
        .user_data = def->user_data,
        .sensor = def->sensor,
    };
    *motion = (rblMotion){.orientation = rbl_quat_identity()};
    RBL_TRY(rbl_shape_acquire(def->shape, &body->shape));
    body->shape_memory = rbl_shape_memory(&body->shape);
    const rblResult result = set_material(def, jobs, body, motion);
    if (result != RBL_OK)
    {
        rbl_body_release(body);
        return result;
    }
    set_pose(body, motion, def->pose);
    rbl_body_init_spin(body, motion, def->velocity, def->spin);
    return RBL_OK;
}

// Reserve the records of a slot. Slots are used in order, so at most one record is new.
static bool reserve_slot(rblWorld* world)
{
    return rbl_array_reserve_more(&world->bodies, 1) && rbl_array_reserve_more(&world->motions, 1);
}

rblResult rbl_body_enter_world(rblWorld* world, rblBody* body, const rblMotion* motion, uint32_t* slot)
{
    if (!reserve_slot(world) || !rbl_id_pool_take(&world->ids, slot, &body->generation))
    {
        return rbl_fail_memory();
    }
    const rblAabb box = rbl_shape_bounds_at(&body->shape, rbl_shape_pose(body, motion));
    const rblResult result = rbl_broad_phase_add(world->broad, *slot, box, body->type != RBL_BODY_STATIC);
    if (result != RBL_OK)
    {
        rbl_id_pool_give(&world->ids, *slot);
        return result;
    }
    const uint32_t end = *slot < world->bodies.count ? (uint32_t)world->bodies.count : *slot + 1;
    world->bodies.count = world->motions.count = end;
    world->bodies.data[*slot] = *body;
    world->motions.data[*slot] = *motion;
    rbl_box_forget(world->step, *slot);
    rbl_slot_changed(world, *slot);
    world->breakable += body->breaker != NULL;
    world->sensors += body->sensor;
    world->fragments += body->ancestors > 0;
    world->debris += body->debris;
    return RBL_OK;
}

void rbl_body_leave_world(rblWorld* world, uint32_t slot)
{
    rblBody* body = &world->bodies.data[slot];
    world->breakable -= body->breaker != NULL;
    world->sensors -= body->sensor;
    world->fragments -= body->ancestors > 0;
    world->debris -= body->debris;
    rbl_broad_phase_remove(world->broad, slot);
    rbl_body_release(body);
    world->bodies_destroyed = true;
    rbl_slot_changed(world, slot);
    *body = (rblBody){0};
    world->motions.data[slot] = (rblMotion){0};
    rbl_id_pool_give(&world->ids, slot);
}

rblResult rbl_body_create(rblWorldId world_id, const rblBodyDef* given, rblBodyId* out)
{
    rblWorld* world = NULL;
    rblBodyDef def = rbl_default_body_def();
    RBL_TRY(rbl_world_find(world_id, &world));
    RBL_TRY(rbl_def_read(&body_def, given, &def));
    RBL_TRY(check_def(&def));
    if (out == NULL)
    {
        return rbl_fail(RBL_ERROR_ARGUMENT, "body: out must not be null");
    }
    rblBody body;
    rblMotion motion;
    uint32_t slot = 0;
    RBL_TRY(rbl_body_make(&def, world->jobs, &body, &motion));
    const rblResult result = rbl_body_enter_world(world, &body, &motion, &slot);
    if (result != RBL_OK)
    {
        rbl_body_release(&body);
        return result;
    }
    rbl_slot_marked(world, slot);
    world->pending_work += rbl_body_energy(world, slot);
    *out = rbl_body_id(world, slot);
    RBL_NOTE_CALL(world, .code = RBL_CALL_BODY_CREATE, .body = *out, .body_def = def);
    return RBL_OK;
}

rblResult rbl_body_destroy(rblWorldId world_id, rblBodyId id)
{
    rblWorld* world = NULL;
    uint32_t slot = 0;
    RBL_TRY(find_body(world_id, id, &world, &slot));
    rbl_slot_wake_neighbours(world, slot);
    rbl_body_remove_joints(world, slot);
    world->pending_work -= rbl_body_energy(world, slot);
    rbl_body_leave_world(world, slot);
    RBL_NOTE_CALL(world, .code = RBL_CALL_BODY_DESTROY, .body = id);
    return RBL_OK;
}

bool rbl_body_is_valid(rblWorldId world_id, rblBodyId id)
{
    rblWorld* world = NULL;
    return rbl_world_find(world_id, &world) == RBL_OK && id.world == world->serial &&
           rbl_id_pool_valid(&world->ids, id.index1, id.generation);
}

// ---- state ----

rblResult rbl_body_state(rblWorldId world_id, rblBodyId id, rblBodyState* out)
{
    rblWorld* world = NULL;
    uint32_t slot = 0;
    RBL_TRY(find_body(world_id, id, &world, &slot));
    RBL_TRY(check_out(out));
    const rblBody* body = &world->bodies.data[slot];
    const rblMotion* motion = &world->motions.data[slot];
    const float square = rbl_dot3(motion->velocity, motion->velocity);
    const bool dynamic = body->type == RBL_BODY_DYNAMIC;
    *out = (rblBodyState){
        .pose = rbl_shape_pose(body, motion),
        .center = motion->center,
        .velocity = motion->velocity,
        .spin = motion->spin,
        .angular_momentum = motion->momentum,
        .mass = dynamic ? body->mass : 0.0f,
        .kinetic_energy =
            dynamic ? 0.5f * body->mass * square +
                          (float)rbl_rotational_energy(motion->orientation, motion->momentum, motion->moments)
                    : 0.0f,
        .type = body->type,
        .awake = body->awake,
        .generation = body->ancestors,
        .damage = body->damage,
        .debris = body->debris,
        .lifetime = body->lifetime,
        .shape = body->shape_id,
        .user_data = body->user_data,
        .material = body->material,
        .gravity_scale = body->gravity_scale,
        .filter = body->filter,
        .anchor = body->anchor,
        .breaker = body->breaker,
        .sensor = body->sensor,
    };
    return RBL_OK;
}

rblResult rbl_body_pose_at(rblWorldId world_id, rblBodyId id, float fraction, rblTransform* out)
{
    rblWorld* world = NULL;
    uint32_t slot = 0;
    RBL_TRY(find_body(world_id, id, &world, &slot));
    RBL_TRY(check_out(out));
    if (!(fraction >= 0.0f && fraction <= 1.0f))
    {
        return rbl_fail(RBL_ERROR_ARGUMENT, "body: fraction is %g, must be 0 to 1", (double)fraction);
    }
    const rblBody* body = &world->bodies.data[slot];
    const rblTransform now = rbl_motion_pose(&world->motions.data[slot]);
    const rblVec3 displacement = rbl_sub3(now.p, body->previous.p);
    const rblTransform between = {rbl_mul_add3(body->previous.p, fraction, displacement),
                                  rbl_quat_slerp(body->previous.q, now.q, fraction)};
    *out = rbl_transform_mul(fraction == 1.0f ? now : between, body->shape_in_body);
    return RBL_OK;
}

rblResult rbl_body_teleport(rblWorldId world_id, rblBodyId id, rblTransform pose)
{
    rblWorld* world = NULL;
    uint32_t slot = 0;
    RBL_TRY(find_body(world_id, id, &world, &slot));
    RBL_TRY(check_pose(pose));
    rblBody* body = &world->bodies.data[slot];
    rblMotion* motion = &world->motions.data[slot];
    const rblTransform shape_pose = {pose.p, rbl_quat_normalize(pose.q)};
    const rblAabb box = rbl_shape_bounds_at(&body->shape, shape_pose);
    RBL_TRY(rbl_broad_phase_move(world->broad, &slot, &box, 1, 0.0f, rbl_serial_jobs()));
    rbl_slot_wake_neighbours(world, slot);
    world->pending_work -= rbl_body_energy(world, slot);
    const rblVec3 spin = motion->spin;
    set_pose(body, motion, pose);
    rbl_siblings_leave(body);
    rbl_slot_changed(world, slot);
    rbl_slot_marked(world, slot);
    rbl_body_init_spin(body, motion, motion->velocity, spin);
    world->pending_work += rbl_body_energy(world, slot);
    RBL_NOTE_CALL(world, .code = RBL_CALL_BODY_TELEPORT, .body = id, .pose = pose);
    return RBL_OK;
}

rblResult rbl_body_set_velocity(rblWorldId world_id, rblBodyId id, rblVec3 velocity, rblVec3 spin)
{
    rblWorld* world = NULL;
    uint32_t slot = 0;
    RBL_TRY(find_body(world_id, id, &world, &slot));
    rblBody* body = &world->bodies.data[slot];
    if (!rbl_finite3(velocity) || !rbl_finite3(spin))
    {
        return rbl_fail(RBL_ERROR_ARGUMENT,
                        "body: velocity is (%g, %g, %g), spin (%g, %g, %g); they must be finite",
                        RBL_XYZ(velocity), RBL_XYZ(spin));
    }
    if (body->type == RBL_BODY_STATIC)
    {
        return rbl_fail(RBL_ERROR_ARGUMENT,
                        "body: a static body cannot have a velocity, the body must be dynamic or kinematic");
    }
    rbl_siblings_leave(body);
    rbl_slot_wake(world, slot);
    world->pending_work -= rbl_body_energy(world, slot);
    rbl_body_init_spin(body, &world->motions.data[slot], velocity, spin);
    world->pending_work += rbl_body_energy(world, slot);
    RBL_NOTE_CALL(world, .code = RBL_CALL_BODY_SET_VELOCITY, .body = id, .first = velocity, .second = spin);
    return RBL_OK;
}

// ---- forces ----

static rblResult find_dynamic(rblWorldId world_id, rblBodyId id, rblVec3 a, rblVec3 b, rblWorld** world,
                              uint32_t* slot)
{
    RBL_TRY(find_body(world_id, id, world, slot));
    if (!rbl_finite3(a) || !rbl_finite3(b))
    {
        return rbl_fail(
            RBL_ERROR_ARGUMENT,
            "body: force or impulse is (%g, %g, %g), point or 0 (%g, %g, %g); they must be finite",
            RBL_XYZ(a), RBL_XYZ(b));
    }
    if ((*world)->bodies.data[*slot].type != RBL_BODY_DYNAMIC)
    {
        return rbl_fail(RBL_ERROR_ARGUMENT, "body: the body must be dynamic to get a force or an impulse");
    }
    rbl_siblings_leave(&(*world)->bodies.data[*slot]);
    rbl_slot_wake(*world, *slot);
    return RBL_OK;
}

rblResult rbl_body_apply_force(rblWorldId world_id, rblBodyId id, rblVec3 force, rblVec3 point)
{
    rblWorld* world = NULL;
    uint32_t slot = 0;
    RBL_TRY(find_dynamic(world_id, id, force, point, &world, &slot));
    rblBody* body = &world->bodies.data[slot];
    const rblVec3 arm = rbl_sub3(point, world->motions.data[slot].center);
    body->force = rbl_add3(body->force, force);
    body->torque = rbl_add3(body->torque, rbl_cross3(arm, force));
    RBL_NOTE_CALL(world, .code = RBL_CALL_BODY_APPLY_FORCE, .body = id, .first = force, .second = point);
    return RBL_OK;
}

rblResult rbl_body_apply_torque(rblWorldId world_id, rblBodyId id, rblVec3 torque)
{
    rblWorld* world = NULL;
    uint32_t slot = 0;
    RBL_TRY(find_dynamic(world_id, id, torque, torque, &world, &slot));
    world->bodies.data[slot].torque = rbl_add3(world->bodies.data[slot].torque, torque);
    RBL_NOTE_CALL(world, .code = RBL_CALL_BODY_APPLY_TORQUE, .body = id, .first = torque);
    return RBL_OK;
}

rblResult rbl_body_apply_impulse(rblWorldId world_id, rblBodyId id, rblVec3 impulse, rblVec3 point)
{
    rblWorld* world = NULL;
    uint32_t slot = 0;
    RBL_TRY(find_dynamic(world_id, id, impulse, point, &world, &slot));
    rblMotion* motion = &world->motions.data[slot];
    world->pending_work -= rbl_body_energy(world, slot);
    motion->velocity = rbl_mul_add3(motion->velocity, motion->inverse_mass, impulse);
    motion->momentum = rbl_add3(motion->momentum, rbl_cross3(rbl_sub3(point, motion->center), impulse));
    motion->spin = rbl_angular_velocity(motion->orientation, motion->momentum, motion->moments);
    world->pending_work += rbl_body_energy(world, slot);
    RBL_NOTE_CALL(world, .code = RBL_CALL_BODY_APPLY_IMPULSE, .body = id, .first = impulse, .second = point);
    return RBL_OK;
}

rblResult rbl_body_set_filter(rblWorldId world_id, rblBodyId id, rblFilter filter)
{
    rblWorld* world = NULL;
    uint32_t slot = 0;
    RBL_TRY(find_body(world_id, id, &world, &slot));
    RBL_TRY(check_filter(&filter));
    rbl_slot_wake_neighbours(world, slot);
    world->bodies.data[slot].filter = filter;
    rbl_broad_phase_touch(world->broad, slot);
    RBL_NOTE_CALL(world, .code = RBL_CALL_BODY_SET_FILTER, .body = id, .filter = filter);
    return RBL_OK;
}

rblResult rbl_body_wake(rblWorldId world_id, rblBodyId id)
{
    rblWorld* world = NULL;
    uint32_t slot = 0;
    RBL_TRY(find_body(world_id, id, &world, &slot));
    rbl_slot_wake(world, slot);
    RBL_NOTE_CALL(world, .code = RBL_CALL_BODY_WAKE, .body = id);
    return RBL_OK;
}

rblResult rbl_world_bodies(rblWorldId world_id, rblBodyId* out, uint32_t capacity, uint32_t* count)
{
    rblWorld* world = NULL;
    RBL_TRY(rbl_world_find(world_id, &world));
    RBL_TRY(check_out(count));
    RBL_TRY(capacity > 0 ? check_out(out) : RBL_OK);
    *count = 0;
    for (uint32_t slot = 0; slot < world->bodies.count; ++slot)
    {
        const uint32_t generation = world->bodies.data[slot].generation;
        if (generation != 0 && *count < capacity)
        {
            out[*count] = rbl_body_id(world, slot);
        }
        *count += generation != 0;
    }
    return RBL_OK;
}
