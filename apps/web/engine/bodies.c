// Bodies as the page sees them: who is there, where, and what they are pieces of.
#include "exports.h"

static bool same_id(rblBodyId a, rblBodyId b)
{
    return a.index1 == b.index1 && a.generation == b.generation;
}

static bool grow_slots(WebSession* session, uint32_t slots)
{
    while (session->known.count < slots)
    {
        if (!LIST_PUSH(&session->known, ((WebKnown){.serial = RBL_NONE})))
        {
            return false;
        }
    }
    return true;
}

static const WebKnown* find_known(const WebSession* session, rblBodyId id)
{
    const uint32_t slot = id.index1 - 1;
    return slot < session->known.count && same_id(session->known.data[slot].id, id)
               ? &session->known.data[slot]
               : NULL;
}

// ---- births ----

static const WebBirth* find_birth(const WebSession* session, rblBodyId id)
{
    const uint32_t slot = id.index1 - 1;
    const uint32_t birth = slot < session->birth_of_slot.count ? session->birth_of_slot.data[slot] : RBL_NONE;
    return birth < session->births.count && same_id(session->births.data[birth].id, id)
               ? &session->births.data[birth]
               : NULL;
}

static bool add_birth(WebSession* session, WebBirth birth)
{
    while (session->birth_of_slot.count < birth.id.index1)
    {
        if (!LIST_PUSH(&session->birth_of_slot, RBL_NONE))
        {
            return false;
        }
    }
    session->birth_of_slot.data[birth.id.index1 - 1] = (uint32_t)session->births.count;
    return LIST_PUSH(&session->births, birth);
}

typedef struct Place
{
    rblVec3 center; // of mass, world
    rblQuat turn;
    float volume; // 0: it is not there any more
} Place;

static Place place_of(rblWorldId world, rblBodyId id)
{
    rblBodyState state;
    rblShapeView view;
    if (rbl_body_state(world, id, &state) != RBL_OK || rbl_shape_view(state.shape, &view) != RBL_OK)
    {
        return (Place){.volume = 0.0f};
    }
    return (Place){state.center, state.pose.q, (float)view.mass.volume};
}

// Fragments took the place of a whole: its centre is theirs.
static rblVec3 center_of(rblWorldId world, const rblBreakEvent* event)
{
    rblVec3 sum = {0, 0, 0};
    float volume = 0.0f;
    for (uint32_t i = 0; i < event->fragment_count; ++i)
    {
        const Place place = place_of(world, event->fragments[i]);
        sum = rbl_mul_add3(sum, place.volume, place.center);
        volume += place.volume;
    }
    return rbl_scale3(sum, volume > 0.0f ? 1.0f / volume : 0.0f);
}

static rblResult note_break(WebSession* session, const rblBreakEvent* event)
{
    const rblWorldId world = session->world;
    const WebKnown* known = find_known(session, event->body);
    const WebBirth* born = find_birth(session, event->body);
    const uint32_t parent = known != NULL ? known->serial : born != NULL ? born->parent : RBL_NONE;
    const rblVec3 before = known != NULL ? known->outward : born != NULL ? born->outward : (rblVec3){0, 0, 0};
    const rblVec3 center = center_of(world, event);
    for (uint32_t i = 0; i < event->fragment_count; ++i)
    {
        const Place place = place_of(world, event->fragments[i]);
        const rblVec3 way = rbl_inverse_rotate3(place.turn, rbl_sub3(place.center, center));
        const WebBirth birth = {event->fragments[i], parent, rbl_add3(before, way)};
        if (place.volume > 0.0f && !add_birth(session, birth))
        {
            return web_fail_memory();
        }
    }
    session->totals.surface += event->surface_energy;
    session->totals.heat += event->heat;
    return RBL_OK;
}

rblResult web_note_births(WebSession* session)
{
    const rblBreakEvent* events = NULL;
    uint32_t count = 0;
    RBL_TRY(rbl_world_break_events(session->world, &events, &count));
    for (uint32_t i = 0; i < count; ++i)
    {
        RBL_TRY(note_break(session, &events[i]));
    }
    return RBL_OK;
}

// ---- what a new body is ----

// The number of the mesh of a shape: a new one for a shape that the page does not know.
static rblResult number_mesh(WebSession* session, rblShapeId shape, WebBody* out)
{
    IndexList* table = &session->mesh_of_shape;
    while (table->count < shape.index1)
    {
        if (!LIST_PUSH(table, RBL_NONE))
        {
            return web_fail_memory();
        }
    }
    uint32_t* number = &table->data[shape.index1 - 1];
    const rblShapeId* before = *number != RBL_NONE ? &session->shapes_of_meshes.data[*number] : NULL;
    if (before == NULL || before->generation != shape.generation)
    {
        if (!LIST_PUSH(&session->shapes_of_meshes, shape))
        {
            return web_fail_memory();
        }
        *number = session->next_mesh++;
        out->flags |= WEB_NEW_MESH;
    }
    out->mesh = *number;
    return RBL_OK;
}

static rblResult look_at_shape(WebSession* session, rblShapeId shape, rblTransform pose, WebBody* out)
{
    rblShapeView view;
    RBL_TRY(rbl_shape_view(shape, &view));
    out->mesh = RBL_NONE;
    if (!view.bounded)
    {
        rblVec3 normal = {0, 1, 0};
        rbl_shape_distance(view.shape, (rblVec3){0, 0, 0}, &normal);
        out->normal = rbl_rotate3(pose.q, normal);
        out->flags |= WEB_PLANE;
        return RBL_OK;
    }
    rblMeshId surface;
    RBL_TRY(rbl_shape_surface(&view, &surface));
    out->center = rbl_to_float3(view.mass.center);
    out->radius = view.radius;
    return surface.index1 != 0 ? number_mesh(session, shape, out) : RBL_OK;
}

// Name, material and whether it breaks come from the scene, from the body that it is a piece of, or from the hand that threw it.
static rblResult look_up(const WebSession* session, rblBodyId id, const rblBodyState* state, WebBody* out,
                         uint32_t* made_of)
{
    rblRunView run;
    rblRunMember member;
    RBL_TRY(rbl_run_view(session->run, &run));
    RBL_TRY(rbl_run_member(session->run, id, &member));
    *made_of = member.material;
    out->name = member.name;
    out->material = "";
    if (member.material < run.material_count)
    {
        const rblSceneMaterial* values = &run.materials[member.material];
        out->material = values->name;
        for (int k = 0; k < 3; ++k)
        {
            out->color[k] = values->color[k];
        }
    }
    const bool breaks = member.scene_body != RBL_NONE &&
                        session->view.bodies[member.scene_body].breaker != RBL_NONE && !state->debris;
    out->flags |= (state->type == RBL_BODY_DYNAMIC ? WEB_MOVABLE : 0u) | (breaks ? WEB_BREAKABLE : 0u);
    return RBL_OK;
}

static rblResult add_body(WebSession* session, rblBodyId id)
{
    rblBodyState state;
    RBL_TRY(rbl_body_state(session->world, id, &state));
    const uint32_t slot = id.index1 - 1;
    const WebBirth* birth = find_birth(session, id);
    WebBody body = {.slot = slot,
                    .serial = session->next_serial++,
                    .parent = birth != NULL ? birth->parent : RBL_NONE,
                    .outward = birth != NULL ? birth->outward : (rblVec3){0, 0, 0}};
    uint32_t material = RBL_NONE;
    RBL_TRY(look_up(session, id, &state, &body, &material));
    RBL_TRY(look_at_shape(session, state.shape, state.pose, &body));
    session->known.data[slot] = (WebKnown){.id = id,
                                           .serial = body.serial,
                                           .material = material,
                                           .breakable = (body.flags & WEB_BREAKABLE) != 0,
                                           .outward = body.outward};
    return LIST_PUSH(&session->added, body) ? RBL_OK : web_fail_memory();
}

// ---- a frame ----

static rblResult read_motions(WebSession* session)
{
    uint32_t count = 0;
    const rblWorldId world = session->world;
    RBL_TRY(rbl_world_motions(world, NULL, 0, &count));
    if (!LIST_RESIZE(&session->motions, count))
    {
        return web_fail_memory();
    }
    RBL_TRY(rbl_world_motions(world, session->motions.data, count, &count));
    const uint32_t slots = count > 0 ? session->motions.data[count - 1].body.index1 : 0;
    return grow_slots(session, slots) ? RBL_OK : web_fail_memory();
}

static rblResult list_removed(WebSession* session)
{
    for (uint32_t slot = 0; slot < session->known.count; ++slot)
    {
        WebKnown* known = &session->known.data[slot];
        if (known->id.index1 == 0 || rbl_body_is_valid(session->world, known->id))
        {
            continue;
        }
        known->id = (rblBodyId){0};
        if (!LIST_PUSH(&session->removed, slot))
        {
            return web_fail_memory();
        }
    }
    return RBL_OK;
}

static rblResult list_added(WebSession* session)
{
    for (size_t i = 0; i < session->motions.count; ++i)
    {
        const rblBodyId id = session->motions.data[i].body;
        if (find_known(session, id) != NULL)
        {
            continue;
        }
        RBL_TRY(add_body(session, id));
    }
    return RBL_OK;
}

static void put_pose(const rblBodyMotion* motion, float* out)
{
    out[0] = motion->pose.p.x;
    out[1] = motion->pose.p.y;
    out[2] = motion->pose.p.z;
    out[3] = motion->pose.q.x;
    out[4] = motion->pose.q.y;
    out[5] = motion->pose.q.z;
    out[6] = motion->pose.q.w;
    out[7] = WEB_THERE + (motion->awake ? WEB_AWAKE : 0.0f);
}

static rblResult fill_poses(WebSession* session)
{
    const size_t count = session->known.count * WEB_POSE_FLOATS;
    if (!LIST_RESIZE(&session->poses, count))
    {
        return web_fail_memory();
    }
    for (size_t i = 7; i < count; i += WEB_POSE_FLOATS)
    {
        session->poses.data[i] = 0.0f;
    }
    for (size_t i = 0; i < session->motions.count; ++i)
    {
        const rblBodyMotion* motion = &session->motions.data[i];
        put_pose(motion, &session->poses.data[(size_t)(motion->body.index1 - 1) * WEB_POSE_FLOATS]);
    }
    return RBL_OK;
}

static rblResult fill_numbers(WebSession* session)
{
    const rblStepRecord* last = &session->last;
    double* n = session->frame.numbers;
    rblProfile p;
    rblCounters c;
    RBL_TRY(rbl_world_profile(session->world, &p));
    RBL_TRY(rbl_world_counters(session->world, &c));
    n[WEB_TIME] = (double)session->step * session->view.step;
    n[WEB_BODIES] = c.bodies;
    n[WEB_AWAKE_BODIES] = c.awake;
    n[WEB_FRAGMENTS] = c.fragments;
    n[WEB_CONTACTS] = c.contacts;
    n[WEB_ISLANDS] = c.islands;
    n[WEB_BREAKS] = c.breaks;
    n[WEB_KINETIC] = last->energy.kinetic;
    n[WEB_POTENTIAL] = last->energy.potential;
    n[WEB_WORK] = session->totals.work;
    n[WEB_DISSIPATED] = session->totals.dissipated;
    n[WEB_SURFACE] = session->totals.surface;
    n[WEB_HEAT] = session->totals.heat;
    n[WEB_TOTAL_MS] = (double)p.total;
    const float stages[] = {p.broad,     p.narrow, p.impact, p.fracture, p.solve,
                            p.integrate, p.drift,  p.sleep,  p.update};
    for (int i = 0; i < WEB_NUMBERS - WEB_STAGE_MS; ++i)
    {
        n[WEB_STAGE_MS + i] = (double)stages[i];
    }
    return RBL_OK;
}

// What changed since the last call, and where everything is now; see web_frame().
rblResult web_look(void)
{
    WebSession* session = NULL;
    RBL_TRY(web_require_session(&session));
    session->added.count = 0;
    session->removed.count = 0;
    RBL_TRY(read_motions(session));
    RBL_TRY(list_removed(session));
    RBL_TRY(list_added(session));
    session->births.count = 0;
    RBL_TRY(fill_poses(session));
    RBL_TRY(fill_numbers(session));
    WebFrame* frame = &session->frame;
    const uint64_t hash = session->last.hash;
    frame->step = session->step;
    frame->slots = (uint32_t)session->known.count;
    frame->poses = session->poses.data;
    frame->added_count = (uint32_t)session->added.count;
    frame->added = session->added.data;
    frame->removed_count = (uint32_t)session->removed.count;
    frame->removed = session->removed.data;
    frame->hash_low = (uint32_t)hash;
    frame->hash_high = (uint32_t)(hash >> 32);
    frame->grabbed = web_grabbed();
    return RBL_OK;
}

const WebFrame* web_frame(void)
{
    return web_session() != NULL ? &web_session()->frame : NULL;
}
