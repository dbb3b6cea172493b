// Events of a scene, sorted by time.
#include "base/sort.h"
#include "io/json/json_values.h"
#include "scene/read/scene.h"
#include <math.h>

static const char* const event_keys[] = {"time",    "spawn",  "break",       "impulse",
                                         "explode", "remove", "setVelocity", NULL};
static const char* const break_keys[] = {"body", "at", "normal", NULL};
static const char* const impulse_keys[] = {"body", "impulse", "at", NULL};
static const char* const explode_keys[] = {"at", "radius", "impulse", NULL};
static const char* const remove_keys[] = {"body", NULL};
static const char* const velocity_keys[] = {"body", "velocity", "spin", NULL};

// Relative tolerance of event times: a multiple of the step may not be exact in decimals.
#define STEP_SLACK 1e-6

const char* rbl_scene_event_name(rblSceneEventKind kind)
{
    // event_keys has the time first, then the kinds in order.
    return (uint32_t)kind < RBL_EVENT_KIND_COUNT ? event_keys[1 + kind] : "unknown";
}

static rblResult read_kind(rblJson json, rblSceneEvent* event)
{
    uint32_t count = 0;
    for (uint32_t kind = 0; kind < RBL_EVENT_KIND_COUNT; ++kind)
    {
        if (rbl_json_exists(rbl_json_find(json, event_keys[1 + kind])))
        {
            event->kind = (rblSceneEventKind)kind;
            ++count;
        }
    }
    return count == 1 ? RBL_OK
                      : rbl_json_fail(json, RBL_ERROR_FORMAT,
                                      "%u kinds of events, must be one of spawn, break, impulse, explode, "
                                      "remove, setVelocity",
                                      count);
}

static rblResult read_time(const rblScene* scene, rblJson json, rblSceneEvent* event)
{
    rblJson time;
    RBL_TRY(rbl_json_require(json, "time", &time));
    RBL_TRY(rbl_json_get_number(time, &event->time));
    if (!(event->time >= 0.0))
    {
        return rbl_json_fail(time, RBL_ERROR_FORMAT, "is %g, must not be negative", event->time);
    }
    const double step = ceil(event->time / scene->view.step - STEP_SLACK);
    event->step = step < 4e9 ? (uint32_t)(step > 0.0 ? step : 0.0) : UINT32_MAX;
    return RBL_OK;
}

static bool earlier(uint32_t a, uint32_t b, const void* context)
{
    const rblSceneEvent* events = context;
    return events[a].time < events[b].time;
}

// Sort events and their JSON values by time.
static rblResult reorder(rblScene* scene)
{
    const size_t count = scene->events.count;
    uint32_t* order = RBL_ARENA_ARRAY(&scene->arena, uint32_t, 2 * count + 1);
    rblSceneEvent* events = RBL_ARENA_ARRAY(&scene->arena, rblSceneEvent, count + 1);
    rblJson* jsons = RBL_ARENA_ARRAY(&scene->arena, rblJson, count + 1);
    if (order == NULL || events == NULL || jsons == NULL)
    {
        return rbl_fail_memory();
    }
    for (uint32_t i = 0; i < count; ++i)
    {
        order[i] = i;
        events[i] = scene->events.data[i];
        jsons[i] = scene->event_jsons.data[i];
    }
    rbl_sort_indices(order, order + count, count, earlier, events);
    for (uint32_t i = 0; i < count; ++i)
    {
        scene->events.data[i] = events[order[i]];
        scene->event_jsons.data[i] = jsons[order[i]];
    }
    return RBL_OK;
}

rblResult rbl_sort_events(rblScene* scene, rblJson root)
{
    const rblJson events = rbl_json_find(root, "events");
    if (!rbl_json_exists(events))
    {
        return RBL_OK;
    }
    RBL_TRY(rbl_json_expect(events, RBL_JSON_ARRAY));
    for (uint32_t i = 0; i < rbl_json_count(events); ++i)
    {
        const rblJson json = rbl_json_item(events, i);
        rblSceneEvent event = {.body = RBL_NONE};
        RBL_TRY(rbl_check_keys(json, event_keys));
        RBL_TRY(read_kind(json, &event));
        RBL_TRY(read_time(scene, json, &event));
        if (!rbl_array_push(&scene->events, event) || !rbl_array_push(&scene->event_jsons, json))
        {
            return rbl_fail_memory();
        }
    }
    RBL_TRY(reorder(scene));
    for (uint32_t i = 0; i < scene->events.count; ++i)
    {
        rblSceneEvent* event = &scene->events.data[i];
        if (event->kind == RBL_EVENT_SPAWN)
        {
            event->body = (uint32_t)scene->bodies.count;
            RBL_TRY(rbl_scene_read_body(scene, rbl_json_find(scene->event_jsons.data[i], "spawn"), i));
            event->count = (uint32_t)scene->bodies.count - event->body;
        }
    }
    return RBL_OK;
}

// ---- contents ----

static rblResult read_place(rblJson json, rblSceneEvent* event)
{
    event->has_at = rbl_json_exists(rbl_json_find(json, "at"));
    return rbl_optional_vector(json, "at", &event->at);
}

static rblResult require_body(const rblScene* scene, rblJson json, rblSceneEvent* event)
{
    rblJson body;
    RBL_TRY(rbl_json_require(json, "body", &body));
    return rbl_scene_lookup_body_or_piece(scene, body, &event->body, &event->piece);
}

// The body of an event must be of a type that the event can move. Pieces of static bodies can be of both types.
static rblResult check_type(const rblScene* scene, rblJson json, const rblSceneEvent* event)
{
    const rblBodyType type = scene->bodies.data[event->body].type;
    const bool ok = event->piece != NULL || type == RBL_BODY_DYNAMIC ||
                    (type == RBL_BODY_KINEMATIC && event->kind == RBL_EVENT_SET_VELOCITY);
    return ok ? RBL_OK
              : rbl_json_fail(rbl_json_find(json, "body"), RBL_ERROR_FORMAT,
                              "a %s body cannot be moved by this event",
                              type == RBL_BODY_STATIC ? "static" : "kinematic");
}

static rblResult read_break(const rblScene* scene, rblJson json, rblSceneEvent* event)
{
    const rblJson normal = rbl_json_find(json, "normal");
    RBL_TRY(rbl_check_keys(json, break_keys));
    RBL_TRY(require_body(scene, json, event));
    RBL_TRY(read_place(json, event));
    RBL_TRY(rbl_json_exists(normal) ? rbl_get_direction(normal, &event->normal) : RBL_OK);
    if (scene->bodies.data[event->body].fracture == NULL)
    {
        return rbl_json_fail(rbl_json_find(json, "body"), RBL_ERROR_FORMAT,
                             "the body has no method of fracture and cannot break");
    }
    return RBL_OK;
}

static rblResult read_impulse(const rblScene* scene, rblJson json, rblSceneEvent* event)
{
    RBL_TRY(rbl_check_keys(json, impulse_keys));
    RBL_TRY(require_body(scene, json, event));
    RBL_TRY(check_type(scene, json, event));
    RBL_TRY(rbl_require_vector(json, "impulse", &event->velocity));
    return read_place(json, event);
}

static rblResult read_explosion(rblJson json, rblSceneEvent* event)
{
    RBL_TRY(rbl_check_keys(json, explode_keys));
    RBL_TRY(rbl_require_vector(json, "at", &event->at));
    RBL_TRY(rbl_require_float(json, "radius", RBL_POSITIVE, &event->radius));
    event->has_at = true;
    return rbl_require_float(json, "impulse", RBL_NOT_NEGATIVE, &event->strength);
}

// {"body": NAME}, or only the name.
static rblResult read_removal(const rblScene* scene, rblJson json, rblSceneEvent* event)
{
    if (rbl_json_is(json, RBL_JSON_STRING))
    {
        return rbl_scene_lookup_body_or_piece(scene, json, &event->body, &event->piece);
    }
    RBL_TRY(rbl_check_keys(json, remove_keys));
    return require_body(scene, json, event);
}

static rblResult read_velocity(const rblScene* scene, rblJson json, rblSceneEvent* event)
{
    RBL_TRY(rbl_check_keys(json, velocity_keys));
    RBL_TRY(require_body(scene, json, event));
    RBL_TRY(check_type(scene, json, event));
    event->has_velocity = rbl_json_exists(rbl_json_find(json, "velocity"));
    event->has_spin = rbl_json_exists(rbl_json_find(json, "spin"));
    if (!event->has_velocity && !event->has_spin)
    {
        return rbl_json_fail(json, RBL_ERROR_FORMAT, "needs a velocity, a spin, or both");
    }
    RBL_TRY(rbl_optional_vector(json, "velocity", &event->velocity));
    return rbl_optional_vector(json, "spin", &event->spin);
}

static rblResult read_event(const rblScene* scene, rblJson json, rblSceneEvent* event)
{
    switch (event->kind)
    {
    case RBL_EVENT_BREAK:
        return read_break(scene, json, event);
    case RBL_EVENT_IMPULSE:
        return read_impulse(scene, json, event);
    case RBL_EVENT_EXPLODE:
        return read_explosion(json, event);
    case RBL_EVENT_REMOVE:
        return read_removal(scene, json, event);
    case RBL_EVENT_SET_VELOCITY:
        return read_velocity(scene, json, event);
    case RBL_EVENT_SPAWN: // its bodies are read earlier
    case RBL_EVENT_KIND_COUNT:
        break;
    }
    return RBL_OK;
}

rblResult rbl_scene_read_events(rblScene* scene)
{
    for (uint32_t i = 0; i < scene->events.count; ++i)
    {
        rblSceneEvent* event = &scene->events.data[i];
        const rblJson json = rbl_json_find(scene->event_jsons.data[i], rbl_scene_event_name(event->kind));
        RBL_TRY(read_event(scene, json, event));
    }
    return RBL_OK;
}
