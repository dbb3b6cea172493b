// States of many bodies: gathered and packed in blocks, the same for any number of threads, and given back by the reader.
#include "testing.h"

#include "base/jobs.h"
#include "base/random.h"
#include "math/quat.h"
#include "scene/record/recording_format.h"
#include "scene/run/simulate.h"
#include <stdlib.h>
#include <string.h>

#define BODIES 3000u // more than one block, and not a multiple of one
#define STEPS  6u

static const uint32_t worker_counts[] = {1, 2, 3, 8};

static void set_workers(uint32_t count)
{
    const rblTasks tasks = tasks_of(count);
    check_ok(rbl_set_tasks(&tasks));
}

// ---- packing ----

// Some bodies move, most by little, so that rounding leaves some of them out; long runs of bodies rest.
static void move_some(rblRandom* random, rblFrameChange states[BODIES], uint32_t step, rblFrame* frame)
{
    rbl_array_clear(&frame->changes);
    frame->step = step;
    frame->full = step == 0;
    for (uint32_t body = 0; body < BODIES; ++body)
    {
        const bool rests = body / 400 % 3 == step % 3 || rbl_random_below(random, 3) == 0;
        if (rests && step > 0)
        {
            continue;
        }
        rblFrameChange* state = &states[body];
        const float far = rbl_random_below(random, 4) == 0 ? 1.0f : 1e-6f;
        state->body = body;
        state->pose.p.x += far * rbl_random_float(random);
        state->pose.q = rbl_quat_normalize((rblQuat){far * rbl_random_float(random), 0.0f, 0.1f, 1.0f});
        state->velocity.y = rbl_random_float(random);
        state->spin.z = far;
        assert_true(rbl_array_push(&frame->changes, *state));
    }
}

typedef struct Packing
{
    rblRecordingWriter writer;
    rblFrame frame;
    const rblFrameChange* before; // by change
} Packing;

static void pack_block(rblRange range, void* context)
{
    Packing* packing = context;
    rbl_pack_changes(range.block, packing->frame.changes.data + range.begin, packing->before + range.begin,
                     range.end - range.begin, &packing->writer);
}

// The changes of a step, beside what the bodies were in `last`, which becomes what they are.
static void pack_step(Packing* packing, rblFrameChange* last)
{
    const rblFrameChangeArray* changes = &packing->frame.changes;
    rblFrameChange* before = calloc(BODIES, sizeof *before);
    for (size_t i = 0; i < changes->count; ++i)
    {
        before[i] = last[changes->data[i].body];
        last[changes->data[i].body] = changes->data[i];
    }
    packing->before = before;
    check_ok(rbl_pack_begin(&packing->writer, BODIES, packing->frame.step, packing->frame.full));
    rbl_parallel_for(rbl_default_jobs(), (uint32_t)changes->count, RBL_FRAME_BLOCK, pack_block, packing);
    rbl_put_changes(&packing->writer, BODIES);
    free(before);
}

// The bytes of all steps, one after the other.
static void pack_all(uint32_t workers, bool quantise, rblByteSink* out)
{
    Packing packing;
    const rblByteSink* sink = &packing.writer.sink;
    rblRandom random = rbl_random_seed(11, 1);
    rblFrameChange* states = calloc(BODIES, sizeof *states);
    rblFrameChange* last = calloc(BODIES, sizeof *last);
    set_workers(workers);
    rbl_recording_init(&packing.writer, quantise);
    rbl_frame_init(&packing.frame, rbl_default_allocator());
    for (uint32_t step = 0; step < STEPS; ++step)
    {
        move_some(&random, states, step, &packing.frame);
        rbl_sink_clear(&packing.writer.sink);
        pack_step(&packing, last);
        assert_false(sink->failed);
        rbl_put_bytes(out, sink->bytes.data, sink->bytes.count);
    }
    rbl_frame_free(&packing.frame);
    rbl_recording_abandon(&packing.writer);
    check_ok(rbl_set_tasks(NULL));
    free(last);
    free(states);
}

static void bytes_do_not_depend_on_the_number_of_threads(void** state)
{
    (void)state;
    for (int quantise = 0; quantise < 2; ++quantise)
    {
        rblByteSink first;
        rbl_sink_init(&first, rbl_default_allocator());
        pack_all(worker_counts[0], quantise != 0, &first);
        for (size_t i = 1; i < sizeof worker_counts / sizeof worker_counts[0]; ++i)
        {
            rblByteSink other;
            rbl_sink_init(&other, rbl_default_allocator());
            pack_all(worker_counts[i], quantise != 0, &other);
            assert_int_equal(other.bytes.count, first.bytes.count);
            assert_memory_equal(other.bytes.data, first.bytes.data, first.bytes.count);
            rbl_sink_free(&other);
        }
        rbl_sink_free(&first);
    }
}

// Read one step back into `found`; returns how many bodies were in it.
static uint32_t unpack(rblByteSource* source, bool quantise, uint32_t step, rblStateHistory* histories,
                       rblFrameChange found[BODIES])
{
    uint32_t count = 0;
    uint32_t body = rbl_take_u32_varint(source);
    while (body < BODIES)
    {
        if (quantise)
        {
            rbl_take_rounded(source, &histories[body], step, &found[body]);
        }
        else
        {
            rbl_take_state(source, &histories[body], &found[body]);
        }
        histories[body].step = step;
        ++count;
        body += 1 + rbl_take_u32_varint(source);
    }
    assert_false(source->failed);
    assert_int_equal(body, BODIES);
    return count;
}

// How far a quaternion is from another or its negative, whichever is nearer.
static float turn_between(rblQuat a, rblQuat b)
{
    const float sign = rbl_quat_dot(a, b) < 0.0f ? -1.0f : 1.0f;
    const float parts[4] = {a.x - sign * b.x, a.y - sign * b.y, a.z - sign * b.z, a.w - sign * b.w};
    float most = 0.0f;
    for (int i = 0; i < 4; ++i)
    {
        most = fmaxf(most, fabsf(parts[i]));
    }
    return most;
}

static void check_states(const rblFrameChange* states, const rblFrameChange* found, bool quantise)
{
    for (uint32_t body = 0; body < BODIES; ++body)
    {
        if (!quantise)
        {
            assert_memory_equal(&found[body].pose, &states[body].pose, sizeof found[body].pose);
            assert_memory_equal(&found[body].velocity, &states[body].velocity, sizeof found[body].velocity);
            assert_memory_equal(&found[body].spin, &states[body].spin, sizeof found[body].spin);
        }
        else
        {
            check_close(found[body].pose.p.x, states[body].pose.p.x, 0.5 * (double)RBL_POSITION_QUANTUM);
            check_close(turn_between(found[body].pose.q, states[body].pose.q), 0.0, 2.1e-5);
        }
    }
}

static void states_come_back(void** state)
{
    (void)state;
    for (int quantise = 0; quantise < 2; ++quantise)
    {
        rblByteSink bytes;
        rblFrame frame;
        uint32_t left_out = 0;
        rblRandom random = rbl_random_seed(11, 1);
        rblFrameChange* states = calloc(BODIES, sizeof *states);
        rblFrameChange* found = calloc(BODIES, sizeof *found);
        rblStateHistory* histories = calloc(BODIES, sizeof *histories);
        for (uint32_t body = 0; body < BODIES; ++body)
        {
            histories[body].step = RBL_NONE;
        }
        rbl_sink_init(&bytes, rbl_default_allocator());
        rbl_frame_init(&frame, rbl_default_allocator());
        pack_all(2, quantise != 0, &bytes);
        rblByteSource source = {.data = bytes.bytes.data, .size = bytes.bytes.count};
        for (uint32_t step = 0; step < STEPS; ++step)
        {
            move_some(&random, states, step, &frame);
            const uint32_t count = unpack(&source, quantise != 0, step, histories, found);
            left_out += (uint32_t)frame.changes.count - count;
            check_states(states, found, quantise != 0);
        }
        assert_int_equal(rbl_source_left(&source), 0);
        assert_true(quantise != 0 ? left_out > 100 : left_out == 0);
        rbl_frame_free(&frame);
        rbl_sink_free(&bytes);
        free(histories);
        free(found);
        free(states);
    }
}

// ---- gathering ----

typedef struct Crowd
{
    rblWorldId world;
    rblShapeId shape;
    rblTracker tracker;
    rblBodyId ids[700];
} Crowd;

static void make_crowd(Crowd* crowd)
{
    rblWorldDef def = rbl_default_world_def();
    check_ok(rbl_world_create(&def, &crowd->world));
    check_ok(rbl_shape_create_sphere(0.1f, &crowd->shape));
    rbl_tracker_init(&crowd->tracker, rbl_default_allocator());
    for (uint32_t i = 0; i < 700; ++i)
    {
        rblBodyDef body = rbl_default_body_def();
        body.shape = crowd->shape;
        body.pose.p.x = (float)i;
        body.type = i % 5 == 0 ? RBL_BODY_STATIC : RBL_BODY_DYNAMIC;
        check_ok(rbl_body_create(crowd->world, &body, &crowd->ids[i]));
        check_ok(rbl_tracker_watch(&crowd->tracker, crowd->ids[i]));
    }
}

static void free_crowd(Crowd* crowd)
{
    rbl_tracker_free(&crowd->tracker);
    check_ok(rbl_world_destroy(crowd->world));
    check_ok(rbl_shape_destroy(crowd->shape));
}

// Dynamic ones fall and are changes, static ones are not, those that are taken away are deaths, once.
static void frames_hold_what_moved_and_what_died(void** state)
{
    (void)state;
    for (size_t w = 0; w < sizeof worker_counts / sizeof worker_counts[0]; ++w)
    {
        Crowd crowd;
        set_workers(worker_counts[w]);
        make_crowd(&crowd);
        const rblFrame* frame = &crowd.tracker.frame;
        check_ok(rbl_tracker_gather(&crowd.tracker, crowd.world, 0, true));
        assert_int_equal(frame->changes.count, 700);
        check_ok(rbl_world_step(crowd.world, 0.01f));
        for (uint32_t i = 3; i < 700; i += 7)
        {
            check_ok(rbl_body_destroy(crowd.world, crowd.ids[i]));
        }
        check_ok(rbl_tracker_gather(&crowd.tracker, crowd.world, 1, false));
        size_t change = 0;
        size_t death = 0;
        for (uint32_t i = 0; i < 700; ++i)
        {
            if (i % 7 == 3)
            {
                assert_int_equal(frame->deaths.data[death++], i);
            }
            else if (i % 5 != 0)
            {
                assert_int_equal(frame->changes.data[change].body, i);
                assert_true(frame->changes.data[change++].velocity.y < 0.0f);
            }
        }
        assert_int_equal(frame->changes.count, change);
        assert_int_equal(frame->deaths.count, death);
        check_ok(rbl_tracker_gather(&crowd.tracker, crowd.world, 2, false));
        assert_int_equal(frame->changes.count, 0);
        assert_int_equal(frame->deaths.count, 0);
        free_crowd(&crowd);
        check_ok(rbl_set_tasks(NULL));
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(bytes_do_not_depend_on_the_number_of_threads),
        cmocka_unit_test(states_come_back),
        cmocka_unit_test(frames_hold_what_moved_and_what_died),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
