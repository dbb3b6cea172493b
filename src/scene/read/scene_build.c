// Creates the bodies and joints of a scene in a world, and applies events.
#include "io/json/json_values.h"
#include "math/transform.h"
#include "math/vec.h"
#include "scene/read/scene.h"

rblResult rbl_scene_prepare(rblSceneId id)
{
    rblScene* scene = NULL;
    RBL_TRY(rbl_scene_find(id, &scene));
    return rbl_scene_make_shapes(scene);
}

rblResult rbl_scene_shape(rblSceneId id, uint32_t shape, rblShapeId* out, rblMeshId* surface)
{
    rblScene* scene = NULL;
    rblShapeView view;
    RBL_TRY(rbl_scene_find(id, &scene));
    if (shape >= scene->shapes.count || out == NULL || surface == NULL)
    {
        return rbl_fail(RBL_ERROR_ARGUMENT, "scene: shape %u must exist, out must not be null", shape);
    }
    RBL_TRY(rbl_scene_make_shapes(scene));
    const rblShapeDef* def = &scene->shape_defs.data[shape];
    RBL_TRY(rbl_shape_view(def->shape, &view));
    rblMeshId drawn = def->surface;
    if (drawn.index1 == 0)
    {
        RBL_TRY(rbl_shape_surface(&view, &drawn));
    }
    *out = def->shape;
    *surface = drawn;
    return RBL_OK;
}

rblResult rbl_scene_find_body(rblSceneId id, const char* name, uint32_t* out)
{
    rblScene* scene = NULL;
    RBL_TRY(rbl_scene_find(id, &scene));
    if (name == NULL || out == NULL)
    {
        return rbl_fail(RBL_ERROR_ARGUMENT, "scene: name and out must not be null");
    }
    const uint32_t index = rbl_scene_names_find(&scene->body_names, name);
    if (index == RBL_NONE)
    {
        return rbl_fail(RBL_ERROR_ARGUMENT, "scene: no body '%.100s'", name);
    }
    *out = scene->named.data[index];
    return RBL_OK;
}

rblResult rbl_scene_world_def(rblSceneId id, rblWorldDef* out)
{
    rblScene* scene = NULL;
    RBL_TRY(rbl_scene_find(id, &scene));
    if (out == NULL)
    {
        return rbl_fail(RBL_ERROR_ARGUMENT, "scene: out must not be null");
    }
    out->gravity = scene->view.gravity;
    out->substeps = scene->view.substeps;
    out->sleeping = scene->view.sleeping;
    out->seed = scene->view.seed;
    return RBL_OK;
}

// ---- bodies and joints ----

static rblResult create_body(rblScene* scene, rblWorldId world, uint32_t index, rblBodyId* out)
{
    const rblSceneBody* body = &scene->bodies.data[index];
    rblBodyDef def = rbl_default_body_def();
    def.shape = scene->shape_defs.data[body->shape].shape;
    def.type = body->type;
    def.material = scene->materials.data[body->material].values;
    def.pose = body->pose;
    def.velocity = body->velocity;
    def.spin = body->spin;
    def.mass = body->mass;
    def.anchor = body->anchor;
    def.sensor = body->sensor;
    def.breaker = body->breaker != RBL_NONE ? scene->breakers.data[body->breaker].id : (rblBreakerId){0};
    const rblResult result = rbl_body_create(world, &def, out);
    return result == RBL_OK ? RBL_OK : rbl_fail_at(scene->body_jsons.data[index], result);
}

// The default anchor of b: the anchor of a, for joints that connect two points.
static rblVec3 default_anchor(const rblScene* scene, const rblSceneJoint* joint)
{
    const rblJointKind kind = joint->def.kind;
    const bool together = kind == RBL_JOINT_BALL || kind == RBL_JOINT_HINGE || kind == RBL_JOINT_FIXED ||
                          kind == RBL_JOINT_SLIDER;
    const rblVec3 point = rbl_transform_point(scene->bodies.data[joint->a].pose, joint->def.anchor_a);
    if (joint->b == RBL_NONE)
    {
        return point;
    }
    return together ? rbl_transform_inverse_point(scene->bodies.data[joint->b].pose, point)
                    : rbl_vec3(0, 0, 0);
}

static rblResult create_joint(rblScene* scene, rblWorldId world, uint32_t index, const rblBodyId* bodies)
{
    const rblSceneJoint* joint = &scene->joints.data[index];
    rblJointDef def = joint->def;
    rblJointId made;
    def.a = bodies[joint->a];
    def.b = joint->b != RBL_NONE ? bodies[joint->b] : (rblBodyId){0};
    def.anchor_b = joint->has_anchor_b ? def.anchor_b : default_anchor(scene, joint);
    const rblResult result = rbl_joint_create(world, &def, &made);
    return result == RBL_OK ? RBL_OK : rbl_fail_at(scene->joint_jsons.data[index], result);
}

static rblResult create_all(rblScene* scene, rblWorldId world, rblBodyId* bodies)
{
    for (uint32_t i = 0; i < scene->bodies.count; ++i)
    {
        if (scene->bodies.data[i].event == RBL_NONE)
        {
            RBL_TRY(create_body(scene, world, i, &bodies[i]));
        }
    }
    for (uint32_t i = 0; i < scene->joints.count; ++i)
    {
        RBL_TRY(create_joint(scene, world, i, bodies));
    }
    return RBL_OK;
}

rblResult rbl_scene_build(rblSceneId id, rblWorldId world, rblBodyId* bodies)
{
    rblScene* scene = NULL;
    RBL_TRY(rbl_scene_find(id, &scene));
    if (bodies == NULL && scene->bodies.count > 0)
    {
        return rbl_fail(RBL_ERROR_ARGUMENT, "scene: bodies must not be null");
    }
    RBL_TRY(rbl_scene_make_shapes(scene));
    for (size_t i = 0; i < scene->bodies.count; ++i)
    {
        bodies[i] = (rblBodyId){0};
    }
    const rblResult result = create_all(scene, world, bodies);
    for (size_t i = 0; result != RBL_OK && i < scene->bodies.count; ++i)
    {
        // The destruction of a body also destroys its joints.
        if (bodies[i].index1 != 0)
        {
            rbl_body_destroy(world, bodies[i]);
            bodies[i] = (rblBodyId){0};
        }
    }
    return result;
}

// ---- events ----

static rblResult spawn(rblScene* scene, rblWorldId world, const rblSceneEvent* event, rblBodyId* bodies)
{
    for (uint32_t i = 0; i < event->count; ++i)
    {
        RBL_TRY(create_body(scene, world, event->body + i, &bodies[event->body + i]));
    }
    return RBL_OK;
}

// An impulse away from the centre on every dynamic body within the radius, largest at the centre and zero at the radius.
static rblResult push_away(rblWorldId world, const rblSceneEvent* event, const rblBodyId* bodies,
                           uint32_t count)
{
    for (uint32_t i = 0; i < count; ++i)
    {
        rblBodyState state;
        RBL_TRY(rbl_body_state(world, bodies[i], &state));
        if (state.type != RBL_BODY_DYNAMIC)
        {
            continue;
        }
        const rblVec3 away = rbl_sub3(state.center, event->at);
        const float distance = rbl_length3(away);
        if (distance < event->radius)
        {
            const rblVec3 direction = rbl_normalize3(away, rbl_vec3(0, 1, 0));
            const float size = event->strength * (1.0f - distance / event->radius);
            RBL_TRY(rbl_body_apply_impulse(world, bodies[i], rbl_scale3(direction, size), state.center));
        }
    }
    return RBL_OK;
}

static rblResult explode(const rblScene* scene, rblWorldId world, const rblSceneEvent* event)
{
    uint32_t count = 0;
    RBL_TRY(rbl_world_bodies(world, NULL, 0, &count));
    rblBodyId* bodies = RBL_NEW_ARRAY(scene->allocator, rblBodyId, (size_t)count + 1);
    rblResult result = bodies != NULL ? RBL_OK : rbl_fail_memory();
    result = result == RBL_OK ? rbl_world_bodies(world, bodies, count, &count) : result;
    result = result == RBL_OK ? push_away(world, event, bodies, count) : result;
    RBL_FREE_ARRAY(scene->allocator, bodies, (size_t)count + 1);
    return result;
}

// The default point is the centre of the body, the default normal points down. A body without a breaker does not break.
static rblResult break_body(rblScene* scene, rblWorldId world, const rblSceneEvent* event, rblBodyId body)
{
    rblBodyState state;
    if (scene->bodies.data[event->body].breaker == RBL_NONE)
    {
        return RBL_OK;
    }
    RBL_TRY(rbl_body_state(world, body, &state));
    const bool turned = rbl_dot3(event->normal, event->normal) > 0.0f;
    return rbl_body_break(world, body, event->has_at ? event->at : state.center,
                          turned ? event->normal : rbl_vec3(0, -1, 0));
}

static rblResult push(rblWorldId world, const rblSceneEvent* event, rblBodyId body)
{
    rblBodyState state;
    RBL_TRY(rbl_body_state(world, body, &state));
    return rbl_body_apply_impulse(world, body, event->velocity, event->has_at ? event->at : state.center);
}

static rblResult set_velocity(rblWorldId world, const rblSceneEvent* event, rblBodyId body)
{
    rblBodyState state;
    RBL_TRY(rbl_body_state(world, body, &state));
    return rbl_body_set_velocity(world, body, event->has_velocity ? event->velocity : state.velocity,
                                 event->has_spin ? event->spin : state.spin);
}

static rblResult apply_to_body(rblScene* scene, rblWorldId world, const rblSceneEvent* event, rblBodyId* body)
{
    if (!rbl_body_is_valid(world, *body))
    {
        return RBL_OK;
    }
    switch (event->kind)
    {
    case RBL_EVENT_IMPULSE:
        return push(world, event, *body);
    case RBL_EVENT_SET_VELOCITY:
        return set_velocity(world, event, *body);
    case RBL_EVENT_REMOVE:
        RBL_TRY(rbl_body_destroy(world, *body));
        *body = (rblBodyId){0};
        return RBL_OK;
    case RBL_EVENT_BREAK:
        return break_body(scene, world, event, *body);
    case RBL_EVENT_SPAWN:
    case RBL_EVENT_EXPLODE:
    case RBL_EVENT_KIND_COUNT:
        break;
    }
    return RBL_OK;
}

rblResult rbl_scene_apply(rblSceneId id, rblWorldId world, uint32_t index, rblBodyId* bodies)
{
    rblScene* scene = NULL;
    RBL_TRY(rbl_scene_find(id, &scene));
    if (index >= scene->events.count || (bodies == NULL && scene->bodies.count > 0))
    {
        return rbl_fail(RBL_ERROR_ARGUMENT, "scene: event %u must exist, bodies must not be null", index);
    }
    const rblSceneEvent* event = &scene->events.data[index];
    RBL_TRY(rbl_scene_make_shapes(scene));
    rblResult result;
    if (event->kind == RBL_EVENT_SPAWN)
    {
        result = spawn(scene, world, event, bodies);
    }
    else if (event->kind == RBL_EVENT_EXPLODE)
    {
        result = explode(scene, world, event);
    }
    else
    {
        result = event->piece == NULL ? apply_to_body(scene, world, event, &bodies[event->body]) : RBL_OK;
    }
    return result == RBL_OK ? RBL_OK : rbl_fail_at(scene->event_jsons.data[index], result);
}

rblResult rbl_scene_apply_to_piece(rblSceneId id, rblWorldId world, uint32_t index, rblBodyId piece)
{
    rblScene* scene = NULL;
    RBL_TRY(rbl_scene_find(id, &scene));
    if (index >= scene->events.count || scene->events.data[index].piece == NULL)
    {
        return rbl_fail(RBL_ERROR_ARGUMENT, "scene: event %u must exist and be of a piece", index);
    }
    const rblSceneEvent* event = &scene->events.data[index];
    const bool moves = event->kind == RBL_EVENT_IMPULSE || event->kind == RBL_EVENT_SET_VELOCITY;
    rblBodyState state;
    if (!rbl_body_is_valid(world, piece))
    {
        return RBL_OK;
    }
    RBL_TRY(rbl_body_state(world, piece, &state));
    const rblResult result =
        moves && state.type == RBL_BODY_STATIC ? RBL_OK : apply_to_body(scene, world, event, &piece);
    return result == RBL_OK ? RBL_OK : rbl_fail_at(scene->event_jsons.data[index], result);
}
