// Packs the states of a step with several workers. Blocks of bodies are packed in parallel and joined in order, so that the
// bytes do not depend on the workers.
#include "base/error.h"
#include "base/jobs.h"
#include "scene/record/recording_format.h"

#define MAX_GAP_BYTES   5
#define MAX_ENTRY_BYTES (MAX_GAP_BYTES + RBL_MAX_STATE_BYTES)

// The gap before the first body of a block is not packed, because it depends on the earlier blocks.
static uint8_t* put_gap(uint8_t* to, rblPackedBlock* block, uint32_t body)
{
    if (block->first == block->next)
    {
        block->first = body;
    }
    else
    {
        to = rbl_store_varint(to, body - block->next);
    }
    block->next = body + 1;
    return to;
}

static uint8_t* pack_exact(uint8_t* to, rblPackedBlock* block, const rblFrameChange* change,
                           const rblFrameChange* before)
{
    return rbl_store_state(put_gap(to, block, change->body), change, before);
}

// A body whose rounded pose did not change is left out.
static uint8_t* pack_rounded(uint8_t* to, rblPackedBlock* block, rblRecordingWriter* writer,
                             const rblFrameChange* change)
{
    rblStateHistory* history = &writer->history.data[change->body];
    rblRoundedPose pose;
    if (writer->full)
    {
        *history = (rblStateHistory){.step = RBL_NONE};
    }
    if (rbl_round_pose(history, change, &pose))
    {
        to = rbl_store_rounded(put_gap(to, block, change->body), history, writer->step, &pose);
        history->step = writer->step;
    }
    return to;
}

void rbl_pack_changes(uint32_t block, const rblFrameChange* changes, const rblFrameChange* before,
                      uint32_t count, void* context)
{
    rblRecordingWriter* writer = context;
    rblPackedBlock* packed = &writer->blocks.data[block];
    rblByteArray* bytes = &packed->sink.bytes;
    uint8_t* to = bytes->data + bytes->count;
    for (uint32_t i = 0; i < count; ++i)
    {
        to = writer->quantised ? pack_rounded(to, packed, writer, &changes[i])
                               : pack_exact(to, packed, &changes[i], &before[i]);
    }
    bytes->count = (size_t)(to - bytes->data);
}

static bool grow_tables(rblRecordingWriter* writer, size_t body_count, uint32_t blocks)
{
    const rblStateHistory unknown = {.step = RBL_NONE};
    rblPackedBlock empty = {0};
    rbl_sink_init(&empty.sink, writer->allocator);
    while (writer->quantised && writer->history.count < body_count)
    {
        if (!rbl_array_push(&writer->history, unknown))
        {
            return false;
        }
    }
    while (writer->blocks.count < blocks)
    {
        if (!rbl_array_push(&writer->blocks, empty))
        {
            return false;
        }
    }
    return true;
}

// Reserve all memory, so that the workers allocate nothing.
rblResult rbl_pack_begin(rblRecordingWriter* writer, size_t body_count, uint32_t step, bool full)
{
    const uint32_t blocks = body_count > 0 ? rbl_block_count((uint32_t)body_count, RBL_FRAME_BLOCK) : 0;
    const size_t shared = (body_count + RBL_MAX_BLOCKS - 1) / RBL_MAX_BLOCKS;
    const size_t most = shared > RBL_FRAME_BLOCK ? shared : RBL_FRAME_BLOCK; // as jobs.h divides loops
    if (!grow_tables(writer, body_count, blocks))
    {
        return rbl_fail_memory();
    }
    for (size_t i = 0; i < writer->blocks.count; ++i)
    {
        rblPackedBlock* block = &writer->blocks.data[i];
        block->first = block->next = 0;
        rbl_sink_clear(&block->sink);
        if (i < blocks && rbl_sink_reserve(&block->sink, most * MAX_ENTRY_BYTES) == NULL)
        {
            return rbl_fail_memory();
        }
    }
    writer->step = step;
    writer->full = full;
    return RBL_OK;
}

// Write bodies as gaps to the body before, each with its state. The list ends with a gap that leads past every body, because
// the number of changed bodies is known only after rounding.
void rbl_put_changes(rblRecordingWriter* writer, size_t body_count)
{
    uint32_t next = 0;
    for (size_t i = 0; i < writer->blocks.count; ++i)
    {
        const rblPackedBlock* block = &writer->blocks.data[i];
        if (block->first != block->next)
        {
            rbl_put_varint(&writer->sink, block->first - next);
            rbl_put_bytes(&writer->sink, block->sink.bytes.data, block->sink.bytes.count);
            next = block->next;
        }
    }
    rbl_put_varint(&writer->sink, body_count - next);
}

rblResult rbl_recording_gather(rblRecordingWriter* writer, rblTracker* tracker, rblWorldId world,
                               uint32_t step, bool full)
{
    RBL_TRY(rbl_pack_begin(writer, tracker->bodies.count, step, full));
    tracker->look = rbl_pack_changes;
    tracker->look_context = writer;
    const rblResult result = rbl_tracker_gather(tracker, world, step, full);
    tracker->look = NULL;
    return result;
}
