// The user's hand: throwing, pulling, breaking, and a list of what it did.
#include "exports.h"
#include <math.h>
#include <stdio.h>
#include <string.h>

#define LARGEST_BALL 10.0f   // m
#define FASTEST_BALL 1000.0f // m/s
#define FARTHEST     1e6f    // m: from the origin
#define PULL_RATE    12.0f   // rad/s: what is held comes to the hand within a quarter of a second
#define PULL_MAX     25.0f   // m/s that a pull may change in a step: what is stuck is not torn through walls
#define SPIN_RATE    8.0f    // 1/s: how fast what is held stops spinning

// What a body of the world is called; empty when the run does not know it.
static const char* name_of(const WebSession* session, rblBodyId body)
{
    rblRunMember member;
    return rbl_run_member(session->run, body, &member) == RBL_OK ? member.name : "";
}

static rblResult act(WebSession* session, WebAction action)
{
    action.step = session->step;
    return LIST_PUSH(&session->actions, action) ? RBL_OK : web_fail_memory();
}

static bool is_place(rblVec3 v)
{
    return rbl_finite3(v) && rbl_length3(v) <= FARTHEST;
}

// ---- throwing ----

// One of the scene's materials, or a preset.
static rblResult find_material(const WebSession* session, const char* name, rblSceneMaterial* out)
{
    const rblSceneView* view = &session->view;
    for (uint32_t i = 0; i < view->material_count; ++i)
    {
        if (strcmp(view->materials[i].name, name) == 0)
        {
            *out = view->materials[i];
            return RBL_OK;
        }
    }
    return rbl_scene_material_preset(name, out);
}

// A name that no body of the scene has.
static void name_ball(WebSession* session, char name[32])
{
    uint32_t taken = 0;
    do
    {
        snprintf(name, 32, "thrown_%u", ++session->thrown);
    } while (rbl_scene_find_body(session->scene, name, &taken) == RBL_OK);
}

// The session keeps the shapes: bodies hold them, but ids of theirs would be stale.
static rblResult make_shape(WebSession* session, float radius, rblShapeId* out)
{
    RBL_TRY(rbl_shape_create_sphere(radius, out));
    if (!LIST_PUSH(&session->balls, *out))
    {
        rbl_shape_destroy(*out);
        return web_fail_memory();
    }
    return RBL_OK;
}

static rblResult make_ball(WebSession* session, const WebAction* ball, const rblMaterial* material,
                           rblBodyId* out)
{
    rblBodyDef def = rbl_default_body_def();
    RBL_TRY(make_shape(session, ball->radius, &def.shape));
    def.material = *material;
    def.pose.p = ball->at;
    def.velocity = ball->vector;
    return rbl_body_create(session->world, &def, out);
}

rblResult web_throw(float x, float y, float z, float vx, float vy, float vz, float radius,
                    const char* material_name)
{
    WebSession* session = NULL;
    RBL_TRY(web_require_session(&session));
    rblSceneMaterial material;
    WebAction ball = {.kind = WEB_ACTION_THROW, .at = {x, y, z}, .vector = {vx, vy, vz}, .radius = radius};
    if (!is_place(ball.at) || !(rbl_length3(ball.vector) <= FASTEST_BALL) ||
        !(radius > 0.0f && radius <= LARGEST_BALL))
    {
        return rbl_fail(RBL_ERROR_ARGUMENT,
                        "a ball needs a place, a radius up to %g m and a speed up to %g m/s",
                        (double)LARGEST_BALL, (double)FASTEST_BALL);
    }
    RBL_TRY(find_material(session, material_name, &material));
    rblBodyId id;
    RBL_TRY(make_ball(session, &ball, &material.values, &id));
    char name[32];
    name_ball(session, name);
    RBL_TRY(rbl_run_add_body(session->run, id, name, &material));
    rblRunView run;
    rblRunMember member;
    RBL_TRY(rbl_run_view(session->run, &run));
    RBL_TRY(rbl_run_member(session->run, id, &member));
    ball.body = member.name;
    ball.material = run.materials[member.material].name;
    return act(session, ball);
}

// ---- what a ray meets ----

static rblResult shoot(const WebSession* session, rblVec3 origin, rblVec3 direction, rblWorldHit* hit)
{
    if (!is_place(origin) || !rbl_finite3(direction) || !(rbl_length3(direction) > 1e-12f))
    {
        return rbl_fail(RBL_ERROR_ARGUMENT, "a ray needs a place and a direction");
    }
    const rblRay ray = {origin, rbl_scale3(direction, 1.0f / rbl_length3(direction)), 0.0f, FARTHEST};
    return rbl_world_ray(session->world, &ray, UINT64_MAX, hit);
}

// ---- breaking ----

rblResult web_break(float x, float y, float z, float dx, float dy, float dz)
{
    WebSession* session = NULL;
    RBL_TRY(web_require_session(&session));
    rblWorldHit hit;
    RBL_TRY(shoot(session, (rblVec3){x, y, z}, (rblVec3){dx, dy, dz}, &hit));
    if (hit.body.index1 == 0)
    {
        return rbl_fail(RBL_ERROR_ARGUMENT, "there is nothing to break here");
    }
    const WebAction action = {.kind = WEB_ACTION_BREAK,
                              .body = name_of(session, hit.body),
                              .at = hit.point,
                              .vector = rbl_neg3(hit.normal)};
    RBL_TRY(rbl_body_break(session->world, hit.body, action.at, action.vector));
    return act(session, action);
}

// ---- pulling ----

// Take what the ray meets, if it can be moved; WebFrame.grabbed tells. The point that was met is written to `point`.
rblResult web_grab(float x, float y, float z, float dx, float dy, float dz, float* point)
{
    WebSession* session = NULL;
    RBL_TRY(web_require_session(&session));
    rblWorldHit hit;
    rblBodyState state;
    session->grab.holds = false;
    RBL_TRY(shoot(session, (rblVec3){x, y, z}, (rblVec3){dx, dy, dz}, &hit));
    if (hit.body.index1 == 0)
    {
        return RBL_OK;
    }
    RBL_TRY(rbl_body_state(session->world, hit.body, &state));
    session->grab = (WebGrab){.holds = state.type == RBL_BODY_DYNAMIC,
                              .body = hit.body,
                              .point = rbl_transform_inverse_point(state.pose, hit.point),
                              .target = hit.point};
    point[0] = hit.point.x;
    point[1] = hit.point.y;
    point[2] = hit.point.z;
    return RBL_OK;
}

uint32_t web_grabbed(void)
{
    const WebSession* session = web_session();
    return session != NULL && session->grab.holds ? session->grab.body.index1 - 1 : RBL_NONE;
}

rblResult web_drag(float x, float y, float z)
{
    WebSession* session = NULL;
    RBL_TRY(web_require_session(&session));
    const rblVec3 target = {x, y, z};
    if (!is_place(target))
    {
        return rbl_fail(RBL_ERROR_ARGUMENT, "the hand must be somewhere");
    }
    session->grab.target = target;
    return RBL_OK;
}

void web_release(void)
{
    if (web_session() != NULL)
    {
        web_session()->grab.holds = false;
    }
}

// A body's inertia now, world axes.
typedef struct Inertia
{
    double mass;
    rblVec3d axes[3]; // principal
    double moments[3];
} Inertia;

static Inertia inertia_of(const rblBodyState* state, const rblMassProperties* unit)
{
    const rblMat3d turn = rbl_quatd_to_mat3d(rbl_to_double_quat(state->pose.q));
    const rblMat3d axes = rbl_mat3d_mul(&turn, &unit->principal_axes);
    const double scale = (double)state->mass / unit->mass;
    return (Inertia){(double)state->mass,
                     {axes.cx, axes.cy, axes.cz},
                     {unit->moments.x * scale, unit->moments.y * scale, unit->moments.z * scale}};
}

// By how much the velocity at r from the centre of mass changes for an impulse there:
//   K = 1 / m + R^T I^-1 R,   R x = r cross x
static rblMat3d mobility(const Inertia* inertia, rblVec3d r)
{
    const double light = 1.0 / inertia->mass;
    rblMat3d k = {{light, 0, 0}, {0, light, 0}, {0, 0, light}};
    for (int i = 0; i < 3; ++i)
    {
        const rblVec3d lever = rbl_cross3d(inertia->axes[i], r); // R^T a = a cross r
        k.cx = rbl_mul_add3d(k.cx, lever.x / inertia->moments[i], lever);
        k.cy = rbl_mul_add3d(k.cy, lever.y / inertia->moments[i], lever);
        k.cz = rbl_mul_add3d(k.cz, lever.z / inertia->moments[i], lever);
    }
    return k;
}

// How the velocity at the point is to change in one step of a spring with critical damping, rate w, between the hand and the point,
// taken at the end of the step so that it is stable however stiff:
//   (w^2 h (target - p) - (2 w h + w^2 h^2) v) / (1 + 2 w h + w^2 h^2)
static rblVec3 wanted_change(const WebGrab* grab, rblVec3 point, rblVec3 velocity, float step)
{
    const float a = PULL_RATE * PULL_RATE * step;
    const float b = 2.0f * PULL_RATE * step + a * step;
    const rblVec3 spring = rbl_scale3(rbl_sub3(grab->target, point), a);
    const rblVec3 change = rbl_scale3(rbl_sub3(spring, rbl_scale3(velocity, b)), 1.0f / (1.0f + b));
    const float length = rbl_length3(change);
    return length > PULL_MAX ? rbl_scale3(change, PULL_MAX / length) : change;
}

// The body's velocities after the impulse that makes that change. A hand also keeps what it holds from spinning on.
static bool pull_of(const rblBodyState* state, const rblMassProperties* unit, const WebGrab* grab, float step,
                    WebAction* out)
{
    const rblVec3 point = rbl_transform_point(state->pose, grab->point);
    const rblVec3 r = rbl_sub3(point, state->center);
    const rblVec3 speed = rbl_add3(state->velocity, rbl_cross3(state->spin, r));
    const Inertia inertia = inertia_of(state, unit);
    const rblMat3d k = mobility(&inertia, rbl_to_double3(r));
    rblMat3d inverse;
    if (!rbl_mat3d_inverse(&k, &inverse))
    {
        return false;
    }
    const rblVec3d change = rbl_to_double3(wanted_change(grab, point, speed, step));
    const rblVec3d impulse = rbl_mat3d_apply(&inverse, change);
    const rblVec3d twist = rbl_cross3d(rbl_to_double3(r), impulse);
    rblVec3d spin = rbl_to_double3(state->spin);
    for (int i = 0; i < 3; ++i)
    {
        const double along = rbl_dot3d(inertia.axes[i], twist) / inertia.moments[i];
        spin = rbl_mul_add3d(spin, along, inertia.axes[i]);
    }
    const rblVec3d velocity = rbl_mul_add3d(rbl_to_double3(state->velocity), 1.0 / inertia.mass, impulse);
    out->vector = rbl_to_float3(velocity);
    out->spin = rbl_to_float3(rbl_scale3d(spin, 1.0 / (1.0 + (double)(SPIN_RATE * step))));
    return rbl_finite3(out->vector) && rbl_finite3(out->spin);
}

rblResult web_pull(WebSession* session)
{
    WebGrab* grab = &session->grab;
    rblBodyState state;
    rblShapeView view;
    WebAction action = {.kind = WEB_ACTION_PULL};
    // What was broken on demand is told after the step: then a piece of it is held.
    if (!grab->holds || !rbl_body_is_valid(session->world, grab->body))
    {
        return RBL_OK;
    }
    RBL_TRY(rbl_body_state(session->world, grab->body, &state));
    RBL_TRY(rbl_shape_view(state.shape, &view));
    if (!pull_of(&state, &view.mass, grab, (float)session->view.step, &action))
    {
        return RBL_OK;
    }
    action.body = name_of(session, grab->body);
    RBL_TRY(rbl_body_set_velocity(session->world, grab->body, action.vector, action.spin));
    return act(session, action);
}

static bool same_id(rblBodyId a, rblBodyId b)
{
    return a.index1 == b.index1 && a.generation == b.generation;
}

// The fragment that has the point that was held, or is nearest to it; the place is that of the hand now.
static void hold_fragment(WebSession* session, const rblBreakEvent* event)
{
    WebGrab* grab = &session->grab;
    const rblVec3 held = grab->point;
    float nearest = INFINITY;
    grab->holds = false;
    for (uint32_t i = 0; i < event->fragment_count; ++i)
    {
        rblBodyState state;
        rblShapeView view;
        if (rbl_body_state(session->world, event->fragments[i], &state) != RBL_OK ||
            rbl_shape_view(state.shape, &view) != RBL_OK || state.type != RBL_BODY_DYNAMIC)
        {
            continue;
        }
        const float distance = rbl_shape_distance(view.shape, held, NULL);
        if (distance < nearest)
        {
            nearest = distance;
            grab->holds = true;
            grab->body = event->fragments[i];
        }
    }
}

rblResult web_keep_hold(WebSession* session)
{
    const rblBreakEvent* events = NULL;
    uint32_t count = 0;
    RBL_TRY(rbl_world_break_events(session->world, &events, &count));
    for (uint32_t i = 0; i < count; ++i)
    {
        if (session->grab.holds && same_id(events[i].body, session->grab.body))
        {
            hold_fragment(session, &events[i]);
        }
    }
    session->grab.holds = session->grab.holds && rbl_body_is_valid(session->world, session->grab.body);
    return RBL_OK;
}

// ---- as events of a scene ----

static void put_ball(rblJsonWriter* json, const WebAction* action)
{
    char shape[48];
    snprintf(shape, sizeof shape, "ball of %s", action->body);
    rbl_json_key(json, "spawn");
    rbl_json_begin_object(json);
    web_put_text(json, "name", action->body);
    web_put_text(json, "shape", shape);
    web_put_text(json, "material", action->material);
    web_put_vector(json, "position", action->at);
    web_put_vector(json, "velocity", action->vector);
    rbl_json_end_object(json);
}

static void put_pull(rblJsonWriter* json, const WebAction* action)
{
    rbl_json_key(json, "setVelocity");
    rbl_json_begin_object(json);
    web_put_text(json, "body", action->body);
    web_put_vector(json, "velocity", action->vector);
    web_put_vector(json, "spin", action->spin);
    rbl_json_end_object(json);
}

static void put_break(rblJsonWriter* json, const WebAction* action)
{
    rbl_json_key(json, "break");
    rbl_json_begin_object(json);
    web_put_text(json, "body", action->body);
    web_put_vector(json, "at", action->at);
    web_put_vector(json, "normal", action->vector);
    rbl_json_end_object(json);
}

// What the user did before a step comes before what the scene itself lets happen then, as it did: at a time shortly after the
// step before.
static double time_of(const WebSession* session, uint32_t step)
{
    return step > 0 ? ((double)step - 0.999) * session->view.step : 0.0;
}

static void put_ball_shapes(rblJsonWriter* json, const WebSession* session)
{
    rbl_json_key(json, "shapes");
    rbl_json_begin_object(json);
    for (size_t i = 0; i < session->actions.count; ++i)
    {
        const WebAction* action = &session->actions.data[i];
        char shape[48];
        if (action->kind != WEB_ACTION_THROW)
        {
            continue;
        }
        snprintf(shape, sizeof shape, "ball of %s", action->body);
        rbl_json_key(json, shape);
        rbl_json_begin_object(json);
        web_put_text(json, "kind", "sphere");
        rbl_json_key(json, "radius");
        rbl_json_float(json, action->radius);
        rbl_json_end_object(json);
    }
    rbl_json_end_object(json);
}

static void put_actions(rblJsonWriter* json, const WebSession* session)
{
    static void (*const put[])(rblJsonWriter*, const WebAction*) = {put_ball, put_pull, put_break};
    rbl_json_begin_object(json);
    put_ball_shapes(json, session);
    rbl_json_key(json, "events");
    rbl_json_begin_array(json);
    for (size_t i = 0; i < session->actions.count; ++i)
    {
        const WebAction* action = &session->actions.data[i];
        rbl_json_begin_object(json);
        rbl_json_key(json, "time");
        rbl_json_number(json, time_of(session, action->step));
        put[action->kind](json, action);
        rbl_json_end_object(json);
    }
    rbl_json_end_array(json);
    rbl_json_end_object(json);
}

// Shapes and events that a scene needs to show what the user did, as JSON in web_text().
rblResult web_actions(void)
{
    WebSession* session = NULL;
    RBL_TRY(web_require_session(&session));
    rblJsonWriter json;
    rbl_json_writer_init(&json, 0, NULL);
    put_actions(&json, session);
    rblResult result = rbl_json_writer_finish(&json);
    result = result == RBL_OK ? web_keep_text(&json) : result;
    rbl_json_writer_free(&json);
    return result;
}
