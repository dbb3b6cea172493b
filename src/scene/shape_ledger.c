#include "scene/shape_ledger.h"

#include "base/error.h"
#include "field/compound.h"
#include "field/piece.h"
#include "field/shape.h"
#include "scene/call_codec.h"
#include "scene/recording_format.h"

void rbl_shape_ledger_init(rblShapeLedger* ledger, rblRecordingWriter* writer)
{
    const rblAllocator* allocator = rbl_default_allocator();
    ledger->writer = writer;
    rbl_hash_map_init(&ledger->numbers, allocator);
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

// A chunk for a shape whose parts have theirs.
static rblResult write_recipe(rblShapeLedger* ledger, const rblShape* shape)
{
    rblByteSink* sink = &ledger->writer->sink;
    rbl_sink_clear(sink);
    rblResult result = rbl_put_recipe(sink, shape, number_of, ledger);
    result = result == RBL_OK ? rbl_recording_write_chunk(ledger->writer, RBL_CHUNK_RECIPE) : result;
    rbl_sink_clear(sink);
    return result == RBL_OK ? rbl_shape_ledger_know(ledger, shape) : result;
}

// Children of compounds and the root of a piece come first.
rblResult rbl_shape_ledger_write(rblShapeLedger* ledger, const rblShape* shape)
{
    if (rbl_shape_ledger_number(ledger, shape) != RBL_MAP_EMPTY)
    {
        return RBL_OK;
    }
    const rblCompound* compound = rbl_shape_compound(shape);
    for (uint32_t i = 0; compound != NULL && i < compound->count; ++i)
    {
        RBL_TRY(rbl_shape_ledger_write(ledger, compound->children[i].shape));
    }
    const rblPieceField* piece = rbl_shape_piece(shape);
    if (piece != NULL)
    {
        RBL_TRY(rbl_shape_ledger_write(ledger, piece->root));
    }
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
