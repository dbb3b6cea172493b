#include "field/contact/field_pair_cache.h"

#include "math/transform.h"
#include <string.h>

// Layout of the six words: the position as three floats; the components of the quaternion except the largest, 16 bits
// each; a mark that the data are valid, with the index of the largest component in its last two bits; and the gap.
#define CACHE_MARK 0x5EECu

// Error of the rotation, rad: three components have an error of 1.5e-5; the largest component, at least 0.5, then has
// an error of 5e-5. The bound is twice the length of these errors, with a margin for rounding in floats.
#define ROTATION_ERROR 2e-4f

#define POSITION_ERROR 1e-6f // relative to the size of coordinates: rounding error of positions

static uint32_t bits_of(float x)
{
    uint32_t bits;
    memcpy(&bits, &x, sizeof bits);
    return bits;
}

static float float_of(uint32_t bits)
{
    float x;
    memcpy(&x, &bits, sizeof x);
    return x;
}

static uint32_t pack16(float x)
{
    const float steps = floorf(rbl_clampf(x, -1.0f, 1.0f) * 32767.0f + 0.5f);
    return (uint32_t)((int32_t)steps + 32768);
}

static float unpack16(uint32_t packed)
{
    return (float)((int32_t)(packed & 0xFFFFu) - 32768) / 32767.0f;
}

void rbl_field_cache_store(rblPairCache* cache, rblTransform b_in_a, float gap)
{
    const float q[4] = {b_in_a.q.x, b_in_a.q.y, b_in_a.q.z, b_in_a.q.w};
    uint32_t largest = 0;
    for (uint32_t i = 1; i < 4; ++i)
    {
        largest = fabsf(q[i]) > fabsf(q[largest]) ? i : largest;
    }
    const float sign = q[largest] < 0.0f ? -1.0f : 1.0f;
    cache->words[0] = bits_of(b_in_a.p.x);
    cache->words[1] = bits_of(b_in_a.p.y);
    cache->words[2] = bits_of(b_in_a.p.z);
    cache->words[3] = pack16(sign * q[(largest + 1) % 4]) << 16 | pack16(sign * q[(largest + 2) % 4]);
    cache->words[4] = pack16(sign * q[(largest + 3) % 4]) << 16 | CACHE_MARK | largest;
    cache->words[5] = bits_of(gap);
}

void rbl_field_cache_clear(rblPairCache* cache)
{
    cache->words[4] = 0;
}

static rblTransform cached_pose(const rblPairCache* cache)
{
    const uint32_t largest = cache->words[4] & 3u;
    const float a = unpack16(cache->words[3] >> 16);
    const float b = unpack16(cache->words[3]);
    const float c = unpack16(cache->words[4] >> 16);
    float q[4];
    q[largest] = sqrtf(rbl_maxf(1.0f - a * a - b * b - c * c, 0.0f));
    q[(largest + 1) % 4] = a;
    q[(largest + 2) % 4] = b;
    q[(largest + 3) % 4] = c;
    return (rblTransform){{float_of(cache->words[0]), float_of(cache->words[1]), float_of(cache->words[2])},
                          rbl_quat_normalize((rblQuat){q[0], q[1], q[2], q[3]})};
}

// Bound of the motion of all points of a shape: the motion of the centre of its ball, plus 2 sin(theta / 2) radius for
// a rotation by theta. The sine is the length of the vector part of the quaternion.
static float moved_by(const rblShapeView* shape, rblTransform from, rblTransform to)
{
    const rblVec3 center = rbl_to_float3(shape->mass.center);
    const rblQuat turn = rbl_quat_mul(rbl_quat_conjugate(from.q), to.q);
    const float angle = 2.0f * rbl_length3(rbl_vec3(turn.x, turn.y, turn.z)) + ROTATION_ERROR;
    const float moved =
        rbl_length3(rbl_sub3(rbl_transform_point(to, center), rbl_transform_point(from, center)));
    const float lever = shape->radius + rbl_length3(center);
    return moved + angle * lever + POSITION_ERROR * (rbl_length3(to.p) + lever);
}

bool rbl_field_cache_apart(const rblPairCache* cache, const rblShapeView* a, const rblShapeView* b,
                           rblTransform b_in_a, float margin)
{
    if (cache == NULL || (cache->words[4] & 0xFFFCu) != CACHE_MARK)
    {
        return false;
    }
    const rblTransform before = cached_pose(cache);
    // Measured in the axes of the other shape, for a shape that is bounded; the ball of a plane is infinite.
    const float moved = b->bounded
                            ? moved_by(b, before, b_in_a)
                            : moved_by(a, rbl_transform_inverse(before), rbl_transform_inverse(b_in_a));
    return float_of(cache->words[5]) - moved > margin;
}
