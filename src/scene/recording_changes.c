// The states of a step, packed by many workers. Blocks of bodies are packed beside each other and joined in order, so that
// the bytes do not depend on who packed them.
#include "base/error.h"
#include "base/jobs.h"
#include "scene/recording_format.h"

#define MIN_BLOCK        128 // bodies
#define MOST_GAP_BYTES   5
#define MOST_ENTRY_BYTES (MOST_GAP_BYTES + RBL_MOST_STATE_BYTES)

// The bodies of a block that were written. The gap before the first is not in its bytes: it depends on the blocks before.
typedef struct PackedBlock
{
    uint32_t first, next; // first body, and the one after the last; equal: none
} PackedBlock;

typedef struct Packing
{
    rblRecordingWriter* writer;
    const rblFrame* frame;
    PackedBlock blocks[RBL_MAX_BLOCKS];
} Packing;

static void put_gap(rblByteSink* sink, PackedBlock* block, uint32_t body)
{
    if (block->first == block->next)
    {
        block->first = body;
    }
    else
    {
        rbl_put_varint(sink, body - block->next);
    }
    block->next = body + 1;
}

static void pack_exact(rblByteSink* sink, PackedBlock* block, rblStateHistory* history,
                       const rblFrameChange* change)
{
    put_gap(sink, block, change->body);
    rbl_put_state(sink, history, change);
}

// A body that rounds to where it was is left out.
static void pack_rounded(rblByteSink* sink, PackedBlock* block, rblStateHistory* history, uint32_t step,
                         const rblFrameChange* change)
{
    rblRoundedPose pose;
    if (rbl_round_pose(history, change, &pose))
    {
        put_gap(sink, block, change->body);
        rbl_put_rounded(sink, history, step, &pose);
        history->step = step;
    }
}

static void pack_block(rblRange range, void* context)
{
    Packing* packing = context;
    rblRecordingWriter* writer = packing->writer;
    const rblFrame* frame = packing->frame;
    rblByteSink* sink = &writer->blocks.data[range.block];
    PackedBlock block = {0};
    for (uint32_t i = range.begin; i < range.end; ++i)
    {
        const rblFrameChange* change = &frame->changes.data[i];
        rblStateHistory* history = &writer->history.data[change->body];
        if (frame->full)
        {
            *history = (rblStateHistory){.step = RBL_NONE};
        }
        if (writer->quantised)
        {
            pack_rounded(sink, &block, history, frame->step, change);
        }
        else
        {
            pack_exact(sink, &block, history, change);
        }
    }
    packing->blocks[range.block] = block;
}

// Nothing is allocated while many pack.
static bool make_room(rblRecordingWriter* writer, size_t body_count, uint32_t changes, uint32_t blocks)
{
    const rblStateHistory fresh = {.step = RBL_NONE};
    rblByteSink empty;
    rbl_sink_init(&empty, writer->allocator);
    while (writer->history.count < body_count)
    {
        if (!rbl_array_push(&writer->history, fresh))
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
    const size_t shared = ((size_t)changes + RBL_MAX_BLOCKS - 1) / RBL_MAX_BLOCKS;
    const size_t most = shared > MIN_BLOCK ? shared : MIN_BLOCK; // as jobs.h cuts loops
    for (uint32_t i = 0; i < blocks; ++i)
    {
        rbl_sink_clear(&writer->blocks.data[i]);
        if (rbl_sink_room(&writer->blocks.data[i], most * MOST_ENTRY_BYTES) == NULL)
        {
            return false;
        }
    }
    return true;
}

// Bodies as gaps to the one before, each with its state. How many there are stands at the end of the list, as a gap of
// its own that leads past every body: rounding decides on the way which of them have changed.
rblResult rbl_put_changes(rblRecordingWriter* writer, size_t body_count, const rblFrame* frame)
{
    Packing packing = {.writer = writer, .frame = frame};
    const uint32_t count = (uint32_t)frame->changes.count;
    const uint32_t blocks = count > 0 ? rbl_block_count(count, MIN_BLOCK) : 0;
    if (!make_room(writer, body_count, count, blocks))
    {
        return rbl_fail_memory();
    }
    if (blocks > 0)
    {
        rbl_parallel_for(rbl_default_jobs(), count, MIN_BLOCK, pack_block, &packing);
    }
    uint32_t next = 0;
    for (uint32_t i = 0; i < blocks; ++i)
    {
        const PackedBlock* block = &packing.blocks[i];
        const rblByteArray* bytes = &writer->blocks.data[i].bytes;
        if (block->first != block->next)
        {
            rbl_put_varint(&writer->sink, block->first - next);
            rbl_put_bytes(&writer->sink, bytes->data, bytes->count);
            next = block->next;
        }
    }
    rbl_put_varint(&writer->sink, body_count - next);
    return RBL_OK;
}
