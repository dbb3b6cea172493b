// Label volumes as bytes (the data of a prescored breaker in docs/recording.md).
#include "base/error.h"
#include "cut/labels/label_volume.h"
#include "math/vec.h"
#include "rubble/pattern.h"

// Most files have at most 256 regions: then one byte per label is enough.
static uint32_t bytes_per_label(uint32_t label_count)
{
    return label_count <= 256 ? 1 : 2;
}

void rbl_labels_put(rblByteSink* sink, const rblLabelVolume* labels)
{
    const size_t count = rbl_labels_count(labels);
    const uint32_t width = bytes_per_label(labels->label_count);
    for (int axis = 0; axis < 3; ++axis)
    {
        rbl_put_u32(sink, labels->size[axis]);
    }
    rbl_put_doubles(sink, &labels->box.lower.x, 6);
    rbl_put_u32(sink, labels->label_count);
    uint8_t* to = rbl_sink_reserve(sink, count * width);
    if (to == NULL)
    {
        return;
    }
    for (size_t v = 0; v < count; ++v)
    {
        to[v * width] = (uint8_t)labels->labels[v];
        if (width == 2)
        {
            to[v * width + 1] = (uint8_t)(labels->labels[v] >> 8);
        }
    }
    sink->bytes.count += count * width;
}

static rblResult damaged(void)
{
    return rbl_fail(RBL_ERROR_FORMAT, "labels: the data are incomplete or invalid");
}

static bool is_possible_box(rblAabbd box)
{
    const rblVec3d size = rbl_sub3d(box.upper, box.lower);
    return rbl_finite3d(box.lower) && rbl_finite3d(box.upper) && rbl_finite3d(size) && size.x > 0.0 &&
           size.y > 0.0 && size.z > 0.0;
}

// Every label is below the count, and every label occurs. The fit of patterns to bodies depends on both.
static rblResult check_labels(const rblLabelVolume* labels, const rblAllocator* allocator)
{
    const size_t count = rbl_labels_count(labels);
    uint8_t* seen = rbl_alloc_zero(allocator, labels->label_count);
    if (seen == NULL)
    {
        return rbl_fail_memory();
    }
    bool valid = true;
    uint32_t different = 0;
    for (size_t v = 0; v < count && valid; ++v)
    {
        const uint32_t label = labels->labels[v];
        valid = label < labels->label_count;
        different += valid && seen[label] == 0;
        seen[valid ? label : 0] = 1;
    }
    valid = valid && different == labels->label_count;
    rbl_free(allocator, seen, labels->label_count);
    return valid ? RBL_OK : damaged();
}

static rblResult fill_labels(rblLabelVolume* labels, const uint8_t* bytes, uint32_t label_count,
                             const rblAllocator* allocator)
{
    const size_t count = rbl_labels_count(labels);
    const uint32_t width = bytes_per_label(label_count);
    labels->label_count = label_count;
    for (size_t v = 0; v < count; ++v, bytes += width)
    {
        labels->labels[v] = (uint16_t)(bytes[0] | (width == 2 ? bytes[1] : 0u) << 8);
    }
    return check_labels(labels, allocator);
}

rblResult rbl_labels_take(rblByteSource* source, const rblAllocator* allocator, rblLabelVolume** out)
{
    uint32_t size[3];
    double box[6];
    for (int axis = 0; axis < 3; ++axis)
    {
        size[axis] = rbl_take_u32(source);
    }
    rbl_take_doubles(source, box, 6);
    const uint32_t label_count = rbl_take_u32(source);
    const rblAabbd bounds = {{box[0], box[1], box[2]}, {box[3], box[4], box[5]}};
    const double bytes = (double)size[0] * size[1] * size[2] * bytes_per_label(label_count);
    if (source->failed || label_count == 0 || label_count > RBL_PATTERN_MAX_PIECES ||
        !is_possible_box(bounds) || bytes != (double)rbl_source_left(source))
    {
        return damaged();
    }
    rblLabelVolume* labels = NULL;
    RBL_TRY(rbl_labels_create(size, bounds, allocator, &labels));
    const rblResult result =
        fill_labels(labels, rbl_take_bytes(source, rbl_source_left(source)), label_count, allocator);
    if (result != RBL_OK)
    {
        rbl_labels_free(labels, allocator);
        return result;
    }
    *out = labels;
    return RBL_OK;
}
