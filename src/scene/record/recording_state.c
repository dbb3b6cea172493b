// States of bodies in few bytes: exact, or rounded.
#include "math/quat.h"
#include "math/simd.h"
#include "math/vec.h"
#include "scene/record/recording_format.h"
#include <math.h>

#define FLOATS 13
#define COORDS 7

// ---- exact ----

// Every float is stored as the bits that differ from the last state: none, two, three or four bytes, as a code of two bits
// says. For slow bodies, most sign, exponent and high bits do not change.
static const uint8_t lengths[4] = {0, 2, 3, 4};
#define LENGTH_BYTES 4

// Spreads four bits: bit i goes to bit 2 i.
static const uint8_t spread[16] = {0, 1, 4, 5, 16, 17, 20, 21, 64, 65, 68, 69, 80, 81, 84, 85};

// Codes of four floats from the differences of their bits, lowest two bits first.
static uint32_t codes_of(rblInt4 differences)
{
    const uint32_t none = rbl_mask_below4(differences, 0);
    const uint32_t two = rbl_mask_below4(differences, 16);
    const uint32_t three = rbl_mask_below4(differences, 24);
    return spread[(two & ~none) | (~three & 15u)] | (uint32_t)spread[~two & 15u] << 1;
}

// Store two differences. May write beyond their end, where the next ones are stored.
static uint8_t* store_pair(uint8_t* to, const uint32_t pair[2], uint32_t codes)
{
    const unsigned first = lengths[codes & 3];
    rbl_store_u64(to, pair[0] | (uint64_t)pair[1] << 8 * first);
    return to + first + lengths[codes >> 2 & 3];
}

static uint8_t* store_four(uint8_t* to, rblInt4 differences, uint32_t codes)
{
    uint32_t four[4];
    rbl_store_int4(four, differences);
    return store_pair(store_pair(to, four, codes), four + 2, codes >> 4);
}

uint8_t* rbl_store_state(uint8_t* to, const rblFrameChange* change, const rblFrameChange* before)
{
    const float* now = &change->pose.p.x;
    const float* last = &before->pose.p.x;
    uint32_t codes = 0;
    uint8_t* const start = to;
    to += LENGTH_BYTES;
    for (unsigned i = 0; i < FLOATS - 1; i += 4)
    {
        const rblInt4 differences =
            rbl_xor_int4(rbl_bits4(rbl_load4(now + i)), rbl_bits4(rbl_load4(last + i)));
        const uint32_t four = codes_of(differences);
        to = store_four(to, differences, four);
        codes |= four << 2 * i;
    }
    const uint32_t one[2] = {rbl_bits_of_float(change->spin.z) ^ rbl_bits_of_float(before->spin.z), 0};
    const uint32_t code = (uint32_t)(one[0] > 0) + (one[0] >> 16 > 0) + (one[0] >> 24 > 0);
    to = store_pair(to, one, code);
    rbl_store_u32(start, codes | code << 2 * (FLOATS - 1));
    return to;
}

void rbl_take_state(rblByteSource* source, rblStateHistory* history, rblFrameChange* change)
{
    const uint32_t codes = rbl_take_u32(source);
    source->failed = source->failed || codes >> 2 * FLOATS != 0;
    for (unsigned i = 0; i < FLOATS; ++i)
    {
        const unsigned length = lengths[codes >> 2 * i & 3];
        const uint8_t* bytes = rbl_take_bytes(source, length);
        uint32_t difference = 0;
        for (unsigned k = 0; bytes != NULL && k < length; ++k)
        {
            difference |= (uint32_t)bytes[k] << 8 * k;
        }
        history->bits[i] ^= difference;
    }
    memcpy(&change->pose, history->bits, sizeof history->bits);
}

// ---- rounded ----

#define MAX_QUANTA 1e12 // quanta: larger coordinates are clamped

static int64_t round_to(double quanta)
{
    const double bounded = rbl_clampd(quanta, -MAX_QUANTA, MAX_QUANTA) + 0.5;
    if (bounded != bounded)
    {
        return 0;
    }
    const int64_t towards_zero = (int64_t)bounded;
    return towards_zero - (bounded < (double)towards_zero);
}

bool rbl_round_pose(const rblStateHistory* history, const rblFrameChange* change, rblRoundedPose* out)
{
    const float* p = &change->pose.p.x;
    const float* q = &change->pose.q.x;
    double along = 0.0;
    for (int i = 0; i < 4; ++i)
    {
        along += (double)history->now[3 + i] * (double)q[i];
    }
    // A quaternion and its negative are the same rotation; the nearer one gives smaller differences.
    const double sign = along < 0.0 ? -1.0 : 1.0;
    for (int i = 0; i < 3; ++i)
    {
        out->coordinates[i] = round_to((double)p[i] / (double)RBL_POSITION_QUANTUM);
    }
    for (int i = 0; i < 4; ++i)
    {
        out->coordinates[3 + i] = round_to(sign * (double)q[i] / (double)RBL_ROTATION_QUANTUM);
    }
    return history->step == RBL_NONE || memcmp(out->coordinates, history->now, sizeof out->coordinates) != 0;
}

// Predict a state: constant velocity for a body that was written in the step before, otherwise rest. Arithmetic wraps when
// values of an untrusted file overflow.
static void predict(const rblStateHistory* history, uint32_t step, uint64_t out[COORDS])
{
    const bool moving = history->step != RBL_NONE && history->step + 1 == step;
    for (int i = 0; i < COORDS; ++i)
    {
        const uint64_t now = (uint64_t)history->now[i];
        out[i] = moving ? 2 * now - (uint64_t)history->before[i] : now;
    }
}

static void remember(rblStateHistory* history, const int64_t coordinates[COORDS])
{
    memcpy(history->before, history->now, sizeof history->before);
    memcpy(history->now, coordinates, sizeof history->now);
}

// Store one bit per coordinate that differs from its prediction, then the differences.
uint8_t* rbl_store_rounded(uint8_t* to, rblStateHistory* history, uint32_t step, const rblRoundedPose* pose)
{
    uint64_t predicted[COORDS];
    uint32_t mask = 0;
    uint8_t* const start = to++;
    predict(history, step, predicted);
    for (unsigned i = 0; i < COORDS; ++i)
    {
        const uint64_t off = (uint64_t)pose->coordinates[i] - predicted[i];
        if (off != 0)
        {
            mask |= 1u << i;
            to = rbl_store_varint(to, rbl_zigzag((int64_t)off));
        }
    }
    *start = (uint8_t)mask;
    remember(history, pose->coordinates);
    return to;
}

void rbl_take_rounded(rblByteSource* source, rblStateHistory* history, uint32_t step, rblFrameChange* change)
{
    uint64_t predicted[COORDS];
    int64_t rounded[COORDS];
    const uint32_t mask = rbl_take_u8(source);
    source->failed = source->failed || mask >> COORDS != 0;
    predict(history, step, predicted);
    for (unsigned i = 0; i < COORDS; ++i)
    {
        const int64_t off = (mask >> i & 1) != 0 ? rbl_unzigzag(rbl_take_varint(source)) : 0;
        rounded[i] = (int64_t)(predicted[i] + (uint64_t)off);
    }
    remember(history, rounded);
    float numbers[COORDS];
    for (unsigned i = 0; i < COORDS; ++i)
    {
        numbers[i] =
            (float)((double)rounded[i] * (double)(i < 3 ? RBL_POSITION_QUANTUM : RBL_ROTATION_QUANTUM));
    }
    change->pose.p = rbl_vec3(numbers[0], numbers[1], numbers[2]);
    change->pose.q = rbl_quat_normalize((rblQuat){numbers[3], numbers[4], numbers[5], numbers[6]});
    change->velocity = change->spin = rbl_vec3(0, 0, 0);
}

// ---- impacts ----

// The six numbers of an impact besides its point.
static void impact_numbers(rblRunContact* contact, float* out[6])
{
    float* const numbers[6] = {&contact->normal.x, &contact->normal.y, &contact->normal.z,
                               &contact->impulse,  &contact->speed,    &contact->duration};
    memcpy(out, numbers, sizeof numbers);
}

// The upper half of a float, rounded to nearest: eight bits of mantissa.
static uint32_t upper_half(float value)
{
    const uint32_t bits = rbl_bits_of_float(value);
    return (bits + 0x7FFF + (bits >> 16 & 1)) >> 16;
}

#define MAX_IMPACT_BYTES 42 // three varints and six half floats; nine floats are smaller

void rbl_put_impact(rblByteSink* sink, const rblRunContact* contact, bool quantised)
{
    rblRunContact copy = *contact;
    float* numbers[6];
    const float* point = &contact->point.x;
    uint8_t* start = rbl_sink_reserve(sink, MAX_IMPACT_BYTES);
    if (start == NULL)
    {
        return;
    }
    uint8_t* to = start;
    impact_numbers(&copy, numbers);
    for (int i = 0; i < 3 && quantised; ++i)
    {
        to = rbl_store_varint(to, rbl_zigzag(round_to((double)point[i] / (double)RBL_IMPACT_QUANTUM)));
    }
    for (int i = 0; i < 3 && !quantised; ++i, to += 4)
    {
        rbl_store_u32(to, rbl_bits_of_float(point[i]));
    }
    for (int i = 0; i < 6 && quantised; ++i, to += 2)
    {
        const uint32_t half = upper_half(*numbers[i]);
        to[0] = (uint8_t)half;
        to[1] = (uint8_t)(half >> 8);
    }
    for (int i = 0; i < 6 && !quantised; ++i, to += 4)
    {
        rbl_store_u32(to, rbl_bits_of_float(*numbers[i]));
    }
    sink->bytes.count += (size_t)(to - start);
}

void rbl_take_impact(rblByteSource* source, rblRunContact* contact, bool quantised)
{
    float* numbers[6];
    float* point = &contact->point.x;
    impact_numbers(contact, numbers);
    for (int i = 0; i < 3; ++i)
    {
        point[i] = quantised
                       ? (float)((double)rbl_unzigzag(rbl_take_varint(source)) * (double)RBL_IMPACT_QUANTUM)
                       : rbl_take_f32(source);
        source->failed = source->failed || !rbl_finite((double)point[i]);
    }
    for (int i = 0; i < 6; ++i)
    {
        const uint32_t low = quantised ? rbl_take_u8(source) : 0;
        const uint32_t half = quantised ? low | rbl_take_u8(source) << 8 : 0;
        *numbers[i] = quantised ? rbl_float_of_bits(half << 16) : rbl_take_f32(source);
        source->failed = source->failed || !rbl_finite((double)*numbers[i]);
    }
}

// ---- velocities of rounded states ----

static void derive(rblRunKey* key, const rblRunKey* last, double step)
{
    const double rate = 1.0 / ((double)(key->step - last->step) * step);
    const rblQuat turn = rbl_quat_mul(key->pose.q, rbl_quat_conjugate(last->pose.q));
    const float twice = (float)(2.0 * rate * (turn.w < 0.0f ? -1.0 : 1.0));
    key->velocity = rbl_scale3(rbl_sub3(key->pose.p, last->pose.p), (float)rate);
    key->spin = rbl_scale3(rbl_vec3(turn.x, turn.y, turn.z), twice);
}

void rbl_run_derive_velocities(rblRun* run)
{
    for (size_t i = 0; i < run->bodies.count; ++i)
    {
        const rblRunKeyArray* keys = &run->bodies.data[i].keys;
        for (size_t k = 1; k < keys->count; ++k)
        {
            derive(&keys->data[k], &keys->data[k - 1], run->settings.step);
        }
    }
    run->has_velocities = false;
}
