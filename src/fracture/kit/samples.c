// Removal of samples that are too close to each other.
#include "base/hash_map.h"
#include "fracture/kit/kit.h"
#include "math/vec.h"
#include <math.h>

// The key of the grid cell of a point. Cells that are more than 2^20 steps apart may share a key.
static uint64_t grid_key(rblVec3 p, double step)
{
    const uint64_t mask = ((uint64_t)1 << 21) - 1;
    const int64_t x = (int64_t)floor((double)p.x / step);
    const int64_t y = (int64_t)floor((double)p.y / step);
    const int64_t z = (int64_t)floor((double)p.z / step);
    return ((uint64_t)x & mask) | ((uint64_t)y & mask) << 21 | ((uint64_t)z & mask) << 42;
}

bool rbl_thin_samples(rblSampleList* samples, size_t first, double step)
{
    rblHashMap taken;
    size_t kept = first;
    bool good = true;
    rbl_hash_map_init(&taken, samples->allocator);
    for (size_t i = 0; i < samples->count && good; ++i)
    {
        bool added = false;
        good = rbl_hash_map_get_or_add(&taken, grid_key(samples->data[i], step), 0, &added) != NULL;
        if (good && added && i >= first)
        {
            samples->data[kept++] = samples->data[i];
        }
    }
    samples->count = kept;
    rbl_hash_map_free(&taken);
    return good;
}
