// Reads the contents of chunks. Every number is checked: a chunk with the right checksum may still be invalid.
#include "base/error.h"
#include "io/utf8.h"
#include "math/quat.h"
#include "math/vec.h"
#include "mesh/mesh_codec.h"
#include "scene/record/recording_format.h"

#define MAX_STEP 1e9 // s: keeps times finite

static rblResult damaged(const char* what)
{
    return rbl_fail(RBL_ERROR_FORMAT, "%s", what);
}

// ---- texts ----

static bool is_clean(const char* text, size_t size)
{
    const char* end = text + size;
    while (text < end)
    {
        const size_t length = rbl_utf8_length(text, end);
        if (length == 0 || *text == '\0')
        {
            return false;
        }
        text += length;
    }
    return true;
}

static rblResult take_string(rblRecordingReader* reader, rblByteSource* source, const char** out)
{
    size_t size = 0;
    const char* text = rbl_take_text(source, &size);
    if (text == NULL || !is_clean(text, size))
    {
        return damaged("a name is cut short or not UTF-8");
    }
    *out = rbl_run_text(reader->run, text, size);
    return *out != NULL ? RBL_OK : rbl_fail_memory();
}

// ---- settings, materials and shapes ----

static rblResult take_settings(rblRecordingReader* reader, rblByteSource* source, rblRunSettings* s)
{
    RBL_TRY(take_string(reader, source, &s->version));
    RBL_TRY(take_string(reader, source, &s->name));
    RBL_TRY(take_string(reader, source, &s->about));
    const char* text = rbl_take_text(source, &s->text_size);
    s->seed = rbl_take_u64(source);
    s->step = rbl_take_f64(source);
    s->step_count = rbl_take_u32(source);
    s->substeps = rbl_take_u32(source);
    s->sleeping = rbl_take_u8(source) != 0;
    rbl_take_floats(source, &s->gravity.x, 3);
    s->has_camera = rbl_take_u8(source) != 0;
    rbl_take_floats(source, &s->camera.eye.x, 3);
    rbl_take_floats(source, &s->camera.target.x, 3);
    s->camera.fov = rbl_take_f32(source);
    if (source->failed || !(s->step > 0.0 && s->step <= MAX_STEP) || !rbl_finite3(s->gravity) ||
        !rbl_finite3(s->camera.eye) || !rbl_finite3(s->camera.target) || !rbl_finite((double)s->camera.fov))
    {
        return damaged("the settings of the run are invalid");
    }
    s->text = rbl_run_text(reader->run, text, s->text_size);
    return s->text != NULL ? RBL_OK : rbl_fail_memory();
}

static rblResult take_head(rblRecordingReader* reader, rblByteSource* source)
{
    rblRun* run = reader->run;
    const uint32_t kind = rbl_take_u8(source);
    const uint32_t quantised = rbl_take_u8(source);
    if (reader->has_head || quantised > 1)
    {
        return damaged("the header is invalid");
    }
    if (kind != reader->kind)
    {
        static const char* const kinds[] = {"a recording of a run", "a recording of calls", "a checkpoint"};
        return rbl_fail(RBL_ERROR_UNSUPPORTED, "this is %s, not %s",
                        kind < 3 ? kinds[kind] : "of an unknown kind", kinds[reader->kind]);
    }
    RBL_TRY(take_settings(reader, source, &run->settings));
    const float position = rbl_take_f32(source);
    const float rotation = rbl_take_f32(source);
    if (quantised != 0 && (position != RBL_POSITION_QUANTUM || rotation != RBL_ROTATION_QUANTUM))
    {
        return rbl_fail(RBL_ERROR_UNSUPPORTED, "poses are rounded in a way that this version does not know");
    }
    reader->quantised = quantised != 0;
    run->position_error = 0.5f * position;
    run->rotation_error = 0.5f * rotation;
    reader->has_head = true;
    return RBL_OK;
}

static rblResult take_materials(rblRecordingReader* reader, rblByteSource* source)
{
    rblRun* run = reader->run;
    const uint32_t count = rbl_take_count(source, 1 + 11 * sizeof(float));
    if (reader->has_materials)
    {
        return damaged("materials twice");
    }
    for (uint32_t i = 0; i < count; ++i)
    {
        rblSceneMaterial material = {0};
        RBL_TRY(take_string(reader, source, &material.name));
        rbl_take_floats(source, &material.values.density, RBL_RECORDED_MATERIAL);
        rbl_take_floats(source, material.color, 3);
        for (int k = 0; k < 3; ++k)
        {
            source->failed = source->failed || !(material.color[k] >= 0.0f && material.color[k] <= 1.0f);
        }
        if (source->failed)
        {
            return damaged("a material is invalid");
        }
        if (!rbl_array_push(&run->materials, material))
        {
            return rbl_fail_memory();
        }
    }
    reader->has_materials = true;
    return RBL_OK;
}

static bool is_possible(const rblRunShape* shape)
{
    const double* numbers = &shape->mass.volume;
    for (size_t i = 0; i < sizeof shape->mass / sizeof(double); ++i)
    {
        if (!rbl_finite(numbers[i]))
        {
            return false;
        }
    }
    return rbl_finite3(shape->normal) && (!shape->plane || rbl_length3(shape->normal) > 0.5f);
}

static rblResult take_shape(rblRecordingReader* reader, rblByteSource* source)
{
    rblRun* run = reader->run;
    rblRunShape shape = {0};
    RBL_TRY(take_string(reader, source, &shape.name));
    RBL_TRY(take_string(reader, source, &shape.source));
    shape.plane = rbl_take_u8(source) == 0;
    rbl_take_floats(source, &shape.normal.x, 3);
    rbl_take_doubles(source, &shape.mass.volume, sizeof shape.mass / sizeof(double));
    const bool has_surface = rbl_take_u8(source) != 0;
    if (source->failed || !is_possible(&shape))
    {
        return damaged("a shape is invalid");
    }
    if (!rbl_array_reserve_more(&run->shapes, 1))
    {
        return rbl_fail_memory();
    }
    if (has_surface)
    {
        RBL_TRY(rbl_take_mesh(source, run->allocator, &shape.surface));
    }
    run->shapes.data[run->shapes.count++] = shape;
    return RBL_OK;
}

// ---- bodies ----

static rblResult take_body(rblRecordingReader* reader, rblByteSource* source)
{
    rblRun* run = reader->run;
    rblRunBody body = {.birth = (uint32_t)run->statistics.steps.count, .death = RBL_NONE};
    RBL_TRY(take_string(reader, source, &body.name));
    body.shape = rbl_take_u32_varint(source);
    body.material = rbl_take_u32_varint(source);
    body.parent = rbl_take_u32_varint(source) - 1; // 0: RBL_NONE
    const uint32_t type = rbl_take_u8(source);
    body.type = (rblBodyType)type;
    body.mass = rbl_take_f32(source);
    const bool orphan = body.parent == RBL_NONE || body.parent < run->bodies.count;
    if (source->failed || body.shape >= run->shapes.count || body.material >= run->materials.count ||
        !orphan || type >= RBL_BODY_TYPE_COUNT || !(body.mass >= 0.0f) || !rbl_finite((double)body.mass))
    {
        return damaged("a body is invalid");
    }
    const rblStateHistory unknown = {.step = RBL_NONE};
    RBL_TRY(rbl_array_push(&reader->history, unknown) ? RBL_OK : rbl_fail_memory());
    return rbl_run_push_body(run, &body);
}

void rbl_drop_unsettled(rblRecordingReader* reader)
{
    reader->run->bodies.count = reader->settled; // bodies without a state have no keys
    reader->history.count = reader->settled;
}

static rblResult take_bodies(rblRecordingReader* reader, rblByteSource* source)
{
    const uint32_t step = rbl_take_u32_varint(source);
    const uint32_t count = rbl_take_count(source, 9);
    if (source->failed || step != reader->run->statistics.steps.count)
    {
        return damaged("bodies of another step");
    }
    for (uint32_t i = 0; i < count; ++i)
    {
        RBL_TRY(take_body(reader, source));
    }
    return RBL_OK;
}

// ---- steps ----

void rbl_take_step_record(rblByteSource* source, rblStepRecord* record)
{
    rblCounters* c = &record->counters;
    uint32_t* const counts[] = {&c->bodies,   &c->awake,     &c->pairs,   &c->touching,
                                &c->contacts, &c->colliding, &c->islands, &c->colors,
                                &c->joints,   &c->fast,      &c->frozen};
    rblEnergy* e = &record->energy;
    double* const energies[] = {&e->kinetic, &e->potential, &e->work, &e->dissipated, &e->clamped};
    record->hash = rbl_take_u64(source);
    for (size_t i = 0; i < sizeof counts / sizeof counts[0]; ++i)
    {
        *counts[i] = rbl_take_u32_varint(source);
    }
    c->bytes = (size_t)rbl_take_varint(source);
    for (size_t i = 0; i < sizeof energies / sizeof energies[0]; ++i)
    {
        *energies[i] = rbl_take_f64(source);
    }
    e->clamp_count = rbl_take_u32_varint(source);
    rbl_take_doubles(source, e->momentum, 3);
    rbl_take_doubles(source, e->angular_momentum, 3);
    rbl_take_doubles(source, e->drift_momentum, 3);
    rbl_take_doubles(source, &record->times.total, sizeof record->times / sizeof(double));
}

// The next body of a list of gaps; false at its end or when the gap is too large.
static bool next_body(rblByteSource* source, uint32_t count, uint32_t* next, uint32_t* body)
{
    const uint32_t gap = rbl_take_u32_varint(source);
    source->failed = source->failed || gap > count - *next;
    if (source->failed || gap == count - *next)
    {
        return false;
    }
    *body = *next + gap;
    *next = *body + 1;
    return true;
}

static bool is_there(const rblRecordingReader* reader, uint32_t body)
{
    return reader->run->bodies.data[body].death == RBL_NONE;
}

static rblResult take_deaths(rblRecordingReader* reader, rblByteSource* source)
{
    const uint32_t count = rbl_take_count(source, 1);
    uint32_t next = 0;
    for (uint32_t i = 0; i < count; ++i)
    {
        uint32_t body = 0;
        if (!next_body(source, reader->settled, &next, &body) || !is_there(reader, body))
        {
            return damaged("a body that does not exist dies");
        }
        if (!rbl_array_push(&reader->frame.deaths, body))
        {
            return rbl_fail_memory();
        }
    }
    return source->failed ? damaged("the deaths are cut short") : RBL_OK;
}

rblResult rbl_take_events(rblRecordingReader* reader, rblByteSource* source)
{
    const uint32_t count = rbl_take_count(source, 19);
    for (uint32_t i = 0; i < count; ++i)
    {
        rblEventRecord event = {.time = rbl_take_f64(source)};
        RBL_TRY(take_string(reader, source, &event.type));
        RBL_TRY(take_string(reader, source, &event.body));
        event.pieces = rbl_take_u32_varint(source);
        event.impulse = rbl_take_f64(source);
        source->failed = source->failed || !rbl_finite(event.time);
        if (source->failed)
        {
            break;
        }
        if (!rbl_array_push(&reader->run->statistics.events, event))
        {
            return rbl_fail_memory();
        }
    }
    return source->failed ? damaged("the events are cut short") : RBL_OK;
}

static uint32_t take_partner(const rblRecordingReader* reader, rblByteSource* source)
{
    const uint32_t body = rbl_take_u32_varint(source) - 1; // 0: RBL_NONE
    source->failed = source->failed || (body != RBL_NONE && body >= reader->run->bodies.count);
    return body;
}

static rblResult take_contacts(rblRecordingReader* reader, rblByteSource* source)
{
    const uint32_t count = rbl_take_count(source, 3);
    for (uint32_t i = 0; i < count; ++i)
    {
        rblRunContact contact = {.step = reader->frame.step};
        const uint32_t kind = rbl_take_u8(source);
        contact.kind = (rblContactEventKind)kind;
        contact.a = take_partner(reader, source);
        contact.b = take_partner(reader, source);
        if (contact.kind == RBL_CONTACT_IMPACT)
        {
            rbl_take_impact(source, &contact, reader->quantised);
        }
        if (source->failed || kind > RBL_CONTACT_END)
        {
            return damaged("a contact is invalid");
        }
        if (!rbl_array_push(&reader->frame.contacts, contact))
        {
            return rbl_fail_memory();
        }
    }
    return source->failed ? damaged("the contacts are cut short") : RBL_OK;
}

static bool is_state(const rblFrameChange* change)
{
    const float norm = rbl_quat_dot(change->pose.q, change->pose.q);
    return rbl_finite3(change->pose.p) && norm > 0.9f && norm < 1.1f && rbl_finite3(change->velocity) &&
           rbl_finite3(change->spin);
}

// Whether a body dies in this step. Bodies rise over the calls, as deaths do.
static bool is_dying(const rblFrame* frame, uint32_t body, size_t* next)
{
    while (*next < frame->deaths.count && frame->deaths.data[*next] < body)
    {
        ++*next;
    }
    return *next < frame->deaths.count && frame->deaths.data[*next] == body;
}

static rblResult take_changes(rblRecordingReader* reader, rblByteSource* source)
{
    rblFrame* frame = &reader->frame;
    size_t next_death = 0;
    const uint32_t count = (uint32_t)reader->run->bodies.count;
    uint32_t newborn = 0;
    uint32_t next = 0;
    rblFrameChange change;
    while (next_body(source, count, &next, &change.body))
    {
        rblStateHistory* history = &reader->history.data[change.body];
        if (frame->full)
        {
            *history = (rblStateHistory){.step = RBL_NONE};
        }
        if (reader->quantised)
        {
            rbl_take_rounded(source, history, frame->step, &change);
        }
        else
        {
            rbl_take_state(source, history, &change);
        }
        history->step = frame->step;
        newborn += change.body >= reader->settled;
        if (source->failed || !is_there(reader, change.body) || is_dying(frame, change.body, &next_death) ||
            !is_state(&change))
        {
            return damaged("the state of a body is invalid");
        }
        if (!rbl_array_push(&frame->changes, change))
        {
            return rbl_fail_memory();
        }
    }
    return !source->failed && newborn == count - reader->settled ? RBL_OK
                                                                 : damaged("states are cut short or missing");
}

static rblResult fill_frame(rblRecordingReader* reader, rblByteSource* source, rblStepRecord* record)
{
    rblFrame* frame = &reader->frame;
    rbl_array_clear(&frame->deaths);
    rbl_array_clear(&frame->changes);
    rbl_array_clear(&frame->contacts);
    frame->step = rbl_take_u32_varint(source);
    frame->full = rbl_take_u8(source) != 0;
    if (source->failed || frame->step != reader->run->statistics.steps.count || !reader->has_materials)
    {
        return damaged("a step out of order");
    }
    record->time = (double)frame->step * reader->run->settings.step;
    rbl_take_step_record(source, record);
    RBL_TRY(take_deaths(reader, source));
    RBL_TRY(rbl_take_events(reader, source));
    RBL_TRY(take_contacts(reader, source));
    RBL_TRY(take_changes(reader, source));
    return rbl_source_left(source) == 0 ? RBL_OK : damaged("a step has bytes left over");
}

static rblResult take_step(rblRecordingReader* reader, rblByteSource* source)
{
    rblStatistics* statistics = &reader->run->statistics;
    const size_t events = statistics->events.count;
    rblStepRecord record = {0};
    const rblResult result = fill_frame(reader, source, &record);
    if (result != RBL_OK)
    {
        statistics->events.count = events;
        return result;
    }
    if (statistics->steps.count > 0)
    {
        // The count of the step before; a chunk of breaks states changes.
        record.counters.fragments = statistics->steps.data[statistics->steps.count - 1].counters.fragments;
    }
    RBL_TRY(rbl_array_push(&statistics->steps, record) ? RBL_OK : rbl_fail_memory());
    statistics->hash = record.hash;
    reader->settled = (uint32_t)reader->run->bodies.count;
    return rbl_run_add_frame(reader->run, &reader->frame);
}

// Elastic energies come last and are missing in older files.
void rbl_take_break_costs(rblByteSource* source, rblEventRecord* events, uint32_t count)
{
    for (uint32_t i = 0; i < count; ++i)
    {
        events[i].surface_energy = rbl_take_f64(source);
        events[i].heat = rbl_take_f64(source);
        events[i].mass_error = rbl_take_f64(source);
    }
    for (uint32_t i = 0; i < count && rbl_source_left(source) > 0; ++i)
    {
        events[i].elastic_energy = rbl_take_f64(source);
    }
}

// The costs belong to the last events of the last step.
static rblResult take_breaks(rblRecordingReader* reader, rblByteSource* source)
{
    rblStatistics* statistics = &reader->run->statistics;
    const uint32_t fragments = rbl_take_u32_varint(source);
    const uint32_t count = rbl_take_count(source, 3 * sizeof(double));
    if (source->failed || statistics->steps.count == 0 || count > statistics->events.count)
    {
        return damaged("breaks without a step or events");
    }
    rbl_take_break_costs(source, &statistics->events.data[statistics->events.count - count], count);
    statistics->steps.data[statistics->steps.count - 1].counters.fragments = fragments;
    return source->failed ? damaged("breaks are cut short") : RBL_OK;
}

static rblResult take_done(rblRecordingReader* reader, rblByteSource* source)
{
    const uint32_t last = rbl_take_u32_varint(source);
    const uint64_t hash = rbl_take_u64(source);
    const rblRun* run = reader->run;
    if (source->failed || run->statistics.steps.count == 0 || last != rbl_run_last_step(run) ||
        hash != run->statistics.hash)
    {
        return damaged("the end does not match the steps before it");
    }
    reader->done = true;
    return RBL_OK;
}

rblResult rbl_take_chunk(rblRecordingReader* reader, uint32_t type, rblByteSource* source)
{
    if (!reader->has_head && type != RBL_CHUNK_HEAD)
    {
        return damaged("the header is missing");
    }
    switch (type)
    {
    case RBL_CHUNK_HEAD:
        return take_head(reader, source);
    case RBL_CHUNK_MATERIALS:
        return take_materials(reader, source);
    case RBL_CHUNK_SHAPE:
        return take_shape(reader, source);
    case RBL_CHUNK_BODIES:
        return take_bodies(reader, source);
    case RBL_CHUNK_STEP:
        return take_step(reader, source);
    case RBL_CHUNK_BREAKS:
        return take_breaks(reader, source);
    case RBL_CHUNK_DONE:
        return take_done(reader, source);
    default:
        break;
    }
    if (reader->take_other != NULL)
    {
        return reader->take_other(reader, type, source);
    }
    // A lower-case first letter marks chunks that readers may skip.
    const bool optional = (type & 0x20) != 0;
    return optional ? RBL_OK
                    : rbl_fail(RBL_ERROR_UNSUPPORTED, "a type of chunk that this version does not know");
}
