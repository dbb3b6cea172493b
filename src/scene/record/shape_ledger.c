#include "scene/record/shape_ledger.h"

#include "base/error.h"
#include "field/fragment/fragment_shape.h"
#include "field/shape_codec.h"
#include "scene/record/call_codec.h"
#include "scene/record/recording_format.h"

void rbl_shape_ledger_init(rblShapeLedger* ledger, rblRecordingWriter* writer,
                           rblBreakerNumberFcn* number_breaker, void* breaker_context)
{
    const rblAllocator* allocator = rbl_default_allocator();
    *ledger = (rblShapeLedger){
        .writer = writer, .number_breaker = number_breaker, .breaker_context = breaker_context};
    rbl_hash_map_init(&ledger->numbers, allocator);
    rbl_hash_map_init(&ledger->events, allocator);
    rbl_array_init(&ledger->shapes, allocator);
}

void rbl_shape_ledger_free(rblShapeLedger* ledger)
{
    for (size_t i = 0; i < ledger->shapes.count; ++i)
    {
        rbl_shape_release(ledger->shapes.data[i]);
    }
    rbl_array_free(&ledger->shapes);
    rbl_hash_map_free(&ledger->numbers);
    rbl_hash_map_free(&ledger->events);
}

uint32_t rbl_shape_ledger_number(const rblShapeLedger* ledger, const rblShape* shape)
{
    return rbl_hash_map_find(&ledger->numbers, (uint64_t)(uintptr_t)shape);
}

rblResult rbl_shape_ledger_know(rblShapeLedger* ledger, const rblShape* shape)
{
    bool added;
    const uint32_t number = (uint32_t)ledger->shapes.count;
    if (!rbl_array_push(&ledger->shapes, shape))
    {
        return rbl_fail_memory();
    }
    rbl_shape_retain(shape);
    return rbl_hash_map_get_or_add(&ledger->numbers, (uint64_t)(uintptr_t)shape, number, &added) != NULL
               ? RBL_OK
               : rbl_fail_memory();
}

static uint32_t number_of(const rblShape* shape, void* context)
{
    return rbl_shape_ledger_number(context, shape);
}

static uint32_t event_number(const rblFragmentEvent* event, void* context)
{
    const rblShapeLedger* ledger = context;
    return rbl_hash_map_find(&ledger->events, (uint64_t)(uintptr_t)event);
}

// Write the chunk of a shape whose parts are in the file already.
static rblResult write_recipe(rblShapeLedger* ledger, const rblShape* shape)
{
    rblByteSink* sink = &ledger->writer->sink;
    rbl_sink_clear(sink);
    const rblSourceNumbers numbers = {number_of, event_number, ledger};
    rblResult result = rbl_put_shape(sink, shape, &numbers);
    result = result == RBL_OK ? rbl_recording_write_chunk(ledger->writer, RBL_CHUNK_RECIPE) : result;
    rbl_sink_clear(sink);
    return result == RBL_OK ? rbl_shape_ledger_know(ledger, shape) : result;
}

// ---- events ----

static rblResult find_location(rblShapeLedger* ledger, const rblFragmentEvent* event, rblEventLocation* out)
{
    rblEventOrigin origin;
    if (event->parent != NULL)
    {
        *out = (rblEventLocation){.parent = event_number(event->parent, ledger)};
        return RBL_OK;
    }
    if (!rbl_event_find_origin(event, &origin))
    {
        return rbl_fail(
            RBL_ERROR_UNSUPPORTED,
            "recording: a fragment of tetrahedra that no registered breaker made cannot be recorded");
    }
    RBL_TRY(rbl_shape_ledger_write(ledger, origin.shape));
    *out = (rblEventLocation){.parent = RBL_NONE,
                              .shape = rbl_shape_ledger_number(ledger, origin.shape),
                              .material = origin.material};
    return ledger->number_breaker(origin.breaker, ledger->breaker_context, &out->breaker);
}

// Write an event after its ancestors.
static rblResult write_event(rblShapeLedger* ledger, const rblFragmentEvent* event)
{
    rblEventLocation location;
    bool added;
    if (event_number(event, ledger) != RBL_MAP_EMPTY)
    {
        return RBL_OK;
    }
    if (event->parent != NULL)
    {
        RBL_TRY(write_event(ledger, event->parent));
    }
    RBL_TRY(find_location(ledger, event, &location));
    rbl_sink_clear(&ledger->writer->sink);
    rbl_put_event(&ledger->writer->sink, event, &location);
    const rblResult result = rbl_recording_write_chunk(ledger->writer, RBL_CHUNK_EVENT);
    rbl_sink_clear(&ledger->writer->sink);
    RBL_TRY(result);
    return rbl_hash_map_get_or_add(&ledger->events, (uint64_t)(uintptr_t)event, ledger->event_count++,
                                   &added) != NULL
               ? RBL_OK
               : rbl_fail_memory();
}

// ---- whole shapes ----

static rblResult write_shape(const rblShape* shape, void* context)
{
    return rbl_shape_ledger_write(context, shape);
}

static rblResult write_event_first(const rblFragmentEvent* event, void* context)
{
    return write_event(context, event);
}

// Write a shape after everything that it was made from.
rblResult rbl_shape_ledger_write(rblShapeLedger* ledger, const rblShape* shape)
{
    if (rbl_shape_ledger_number(ledger, shape) != RBL_MAP_EMPTY)
    {
        return RBL_OK;
    }
    const rblSourceVisitor visitor = {write_shape, write_event_first, ledger};
    RBL_TRY(rbl_shape_visit_sources(shape, &visitor));
    return write_recipe(ledger, shape);
}

rblResult rbl_shape_ledger_write_world(rblShapeLedger* ledger, const rblWorld* world)
{
    for (size_t i = 0; i < world->bodies.count; ++i)
    {
        if (world->bodies.data[i].generation != 0)
        {
            RBL_TRY(rbl_shape_ledger_write(ledger, world->bodies.data[i].shape.shape));
        }
    }
    return RBL_OK;
}
