// What recordings and checkpoints hold of bodies that break by stress: whatever the bytes, they are refused with a reason, or what was
// taken holds together. The first byte chooses: a breaker, an event, or a fragment of an event that is there.
#include "base/jobs.h"
#include "field/fragment/fragment_shape.h"
#include "fuzz.h"
#include "rubble/stress.h"
#include "scene/record/call_codec.h"
#include <math.h>
#include <string.h>

// A brick that broke once, made with the first input and kept.
typedef struct Broken
{
    rblShapeId shape;
    const rblBreaker* breaker;
    rblFracture fracture;
    rblFragmentEvent* event;
    size_t bytes; // in use with it
} Broken;

static Broken broken;

static void break_brick(void)
{
    rblStressDef def = rbl_default_stress_def();
    rblBreakerId id;
    rblBreakBody body = {.pose = {{0, 0, 0}, {0, 0, 0, 1}}, .seed = 1};
    const rblVerdict verdict = {.breaks = true,
                                .point = {0, 0.03f, 0},
                                .normal = {0, -1, 0},
                                .severity = 1.0f,
                                .budget = (double)INFINITY};
    def.tetrahedra = 60;
    FUZZ_CHECK(rbl_breaker_create_stress(&def, &id) == RBL_OK);
    FUZZ_CHECK(rbl_breaker_acquire(id, &broken.breaker) == RBL_OK);
    FUZZ_CHECK(rbl_shape_create_box((rblVec3){0.2f, 0.06f, 0.1f}, &broken.shape) == RBL_OK);
    FUZZ_CHECK(rbl_shape_view(broken.shape, &body.view) == RBL_OK);
    FUZZ_CHECK(rbl_material_preset("clay", &body.material) == RBL_OK);
    body.mass = (float)((double)body.material.density * body.view.mass.volume);
    FUZZ_CHECK(rbl_breaker_shatter(broken.breaker, NULL, &body, &verdict, rbl_serial_jobs(),
                                   &broken.fracture) == RBL_OK);
    FUZZ_CHECK(broken.fracture.fragment_count > 1);
    rblShapeView view;
    FUZZ_CHECK(rbl_shape_view(broken.fracture.fragments[0].shape, &view) == RBL_OK);
    broken.event = (rblFragmentEvent*)(uintptr_t)rbl_shape_fragment(view.shape)->event;
    broken.bytes = rbl_bytes_in_use();
}

static void check_event(const rblFragmentEvent* event)
{
    FUZZ_CHECK(event->label_count > 0 && event->depth < 32);
    for (uint32_t i = 0; i < event->node_count; ++i)
    {
        FUZZ_CHECK(event->labels[i] < event->label_count && event->weights[i] > 0.0f);
    }
}

static void check_fragment(rblShapeId id)
{
    rblShapeView view;
    rblVec3 gradient;
    FUZZ_CHECK(rbl_shape_view(id, &view) == RBL_OK && strcmp(view.kind, "fragment") == 0);
    FUZZ_CHECK(view.mass.volume > 0.0 && view.radius > 0.0f);
    (void)rbl_shape_distance(view.shape, view.bounds.lower, &gradient);
}

static rblResult take(uint32_t kind, rblByteSource* source)
{
    const rblRecipeTables tables = {
        .made = {.shapes = &broken.shape, .events = &broken.event, .shape_count = 1, .event_count = 1},
        .breakers = &broken.breaker,
        .breaker_count = 1};
    rblBreakerId breaker;
    rblFragmentEvent* event = NULL;
    rblShapeId shape;
    if (kind == 0)
    {
        rblArena arena;
        const rblBreakerKind* of = NULL;
        void* def = NULL;
        rbl_arena_init(&arena, 1024, rbl_default_allocator());
        rblResult result = rbl_breaker_take(source, &arena, &of, &def);
        const bool data = rbl_source_left(source) > 0;
        result = result == RBL_OK ? rbl_breaker_create_from(of, def, data ? source->data + source->at : NULL,
                                                            rbl_source_left(source), &breaker)
                                  : result;
        rbl_arena_free(&arena);
        return result == RBL_OK ? rbl_breaker_destroy(breaker) : result;
    }
    const rblResult result =
        kind == 1 ? rbl_take_event(source, &tables, &event) : rbl_take_fragment(source, &tables.made, &shape);
    if (result != RBL_OK)
    {
        return result;
    }
    if (kind == 1)
    {
        check_event(event);
        rbl_fragment_event_release(event);
        return RBL_OK;
    }
    check_fragment(shape);
    return rbl_shape_destroy(shape);
}

int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size)
{
    if (broken.breaker == NULL)
    {
        break_brick();
    }
    if (size == 0)
    {
        return 0;
    }
    rblByteSource source = {.data = data + 1, .size = size - 1};
    const rblResult result = take(data[0] % 3u, &source);
    FUZZ_CHECK(result == RBL_OK || rbl_last_error()[0] != '\0');
    FUZZ_CHECK(rbl_bytes_in_use() == broken.bytes);
    return 0;
}
