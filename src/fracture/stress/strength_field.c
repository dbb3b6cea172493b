#include "fracture/stress/strength_field.h"
#include "base/error.h"
#include "base/hash_map.h"
#include "io/file.h"
#include "io/nrrd.h"
#include "math/noise.h"
#include "math/vec.h"
#include <math.h>

#define MAX_FACTORS  ((size_t)1 << 27) // of a grid: 1 GiB of memory
#define NOISE_LENGTH 0.1               // default of noise_length, relative to the body's length

// ---- checks ----

static bool is_within(float value, float least, float most)
{
    return value >= least && value <= most; // NaN is not
}

static rblResult check(const rblStrengthVariation* variation)
{
    if (!is_within(variation->noise, 0.0f, 0.99f) || !is_within(variation->noise_length, 0.0f, 1e6f))
    {
        return rbl_fail(
            RBL_ERROR_ARGUMENT,
            "stress: the noise of strength is %g, must be 0 to 0.99; its length is %g m, must be 0 to 1e6",
            (double)variation->noise, (double)variation->noise_length);
    }
    const rblVec3 axis = variation->layer_axis;
    if (axis.x == 0.0f && axis.y == 0.0f && axis.z == 0.0f)
    {
        return RBL_OK;
    }
    if (!rbl_finite3(axis) || !is_within(variation->layer_spacing, 1e-6f, 1e6f) ||
        !is_within(variation->layer_thickness, 0.0f, variation->layer_spacing) ||
        !is_within(variation->layer_factor, 1e-6f, 1.0f))
    {
        return rbl_fail(
            RBL_ERROR_ARGUMENT,
            "stress: weak layers have the axis (%g, %g, %g), must be finite; a spacing of %g, must be above "
            "0; a thickness of %g, must be up to that; and a factor of %g, must be above 0, at most 1",
            RBL_XYZ(axis), (double)variation->layer_spacing, (double)variation->layer_thickness,
            (double)variation->layer_factor);
    }
    return RBL_OK;
}

// ---- grids ----

static double scale_of(rblNrrdType type)
{
    return type == RBL_NRRD_UINT8 ? 1.0 / 255.0 : type == RBL_NRRD_UINT16 ? 1.0 / 65535.0 : 1.0;
}

static bool is_factor(double value)
{
    return value > 0.0 && value < 1e12;
}

static rblResult fail_at(const char* name, const rblNrrd* nrrd, size_t index)
{
    return rbl_fail(RBL_ERROR_FORMAT, "%s: the factor at (%zu, %zu, %zu) is not positive and finite", name,
                    index % nrrd->size[0], index / nrrd->size[0] % nrrd->size[1],
                    index / nrrd->size[0] / nrrd->size[1]);
}

rblResult rbl_strength_grid_parse(const uint8_t* bytes, size_t size, const char* name,
                                  rblStrengthField* field)
{
    rblNrrd nrrd;
    RBL_TRY(rbl_nrrd_parse(bytes, size, name, &nrrd));
    if (nrrd.count > MAX_FACTORS)
    {
        return rbl_fail(RBL_ERROR_LIMIT, "%s: the grid has %zu factors, must be at most %zu", name,
                        nrrd.count, MAX_FACTORS);
    }
    double* factors = RBL_NEW_ARRAY(field->allocator, double, nrrd.count);
    if (factors == NULL)
    {
        return rbl_fail_memory();
    }
    const double scale = scale_of(nrrd.type);
    for (size_t i = 0; i < nrrd.count; ++i)
    {
        factors[i] = scale * rbl_nrrd_number(&nrrd, i);
        if (!is_factor(factors[i]))
        {
            RBL_FREE_ARRAY(field->allocator, factors, nrrd.count);
            return fail_at(name, &nrrd, i);
        }
    }
    field->factors = factors;
    for (int axis = 0; axis < 3; ++axis)
    {
        field->size[axis] = nrrd.size[axis];
    }
    return RBL_OK;
}

rblResult rbl_strength_field_init(rblStrengthField* field, const rblStrengthVariation* variation,
                                  uint64_t seed, const rblAllocator* allocator)
{
    *field = (rblStrengthField){.variation = *variation, .seed = seed, .allocator = allocator};
    RBL_TRY(check(variation));
    if (variation->grid_file == NULL)
    {
        return RBL_OK;
    }
    rblFileBytes file;
    RBL_TRY(rbl_file_read(variation->grid_file, SIZE_MAX, allocator, &file));
    const rblResult result =
        rbl_strength_grid_parse(file.bytes, file.size, rbl_short_name(variation->grid_file), field);
    rbl_file_bytes_free(&file);
    return result;
}

void rbl_strength_grid_put(const rblStrengthField* field, rblByteSink* sink)
{
    for (int axis = 0; axis < 3 && field->factors != NULL; ++axis)
    {
        rbl_put_u32(sink, field->size[axis]);
    }
    rbl_put_doubles(sink, field->factors, (size_t)field->size[0] * field->size[1] * field->size[2]);
}

rblResult rbl_strength_grid_take(rblByteSource* source, rblStrengthField* field)
{
    uint32_t size[3];
    for (int axis = 0; axis < 3; ++axis)
    {
        size[axis] = rbl_take_u32(source);
    }
    const double bytes = (double)size[0] * size[1] * size[2] * sizeof(double);
    if (source->failed || bytes == 0.0 || bytes != (double)rbl_source_left(source))
    {
        return rbl_fail(RBL_ERROR_FORMAT, "stress: the bytes of a strength grid are incomplete or invalid");
    }
    const size_t count = rbl_source_left(source) / sizeof(double);
    double* factors = RBL_NEW_ARRAY(field->allocator, double, count);
    if (factors == NULL)
    {
        return rbl_fail_memory();
    }
    rbl_take_doubles(source, factors, count);
    bool good = true;
    for (size_t i = 0; i < count; ++i)
    {
        good = good && is_factor(factors[i]);
    }
    if (!good)
    {
        RBL_FREE_ARRAY(field->allocator, factors, count);
        return rbl_fail(RBL_ERROR_FORMAT,
                        "stress: the factors of a strength grid must be positive and finite");
    }
    field->factors = factors;
    memcpy(field->size, size, sizeof size);
    return RBL_OK;
}

void rbl_strength_field_free(rblStrengthField* field)
{
    if (field->factors != NULL)
    {
        RBL_FREE_ARRAY(field->allocator, field->factors,
                       (size_t)field->size[0] * field->size[1] * field->size[2]);
        field->factors = NULL;
    }
}

// ---- factors ----

// Along one axis: the two grid boxes around a position from 0 to 1, and the interpolation weight.
static double between(double place, uint32_t size, uint32_t* first, uint32_t* second)
{
    const double at = rbl_clampd(place * size - 0.5, 0.0, (double)(size - 1));
    *first = (uint32_t)at;
    *second = *first + 1 < size ? *first + 1 : *first;
    return at - *first;
}

static double grid_factor(const rblStrengthField* field, const rblAabbd* bounds, rblVec3d point)
{
    const rblVec3d size = rbl_sub3d(bounds->upper, bounds->lower);
    const rblVec3d off = rbl_sub3d(point, bounds->lower);
    const double places[3] = {size.x > 0.0 ? off.x / size.x : 0.5, size.y > 0.0 ? off.y / size.y : 0.5,
                              size.z > 0.0 ? off.z / size.z : 0.5};
    uint32_t ends[3][2];
    double parts[3], sum = 0.0;
    for (int axis = 0; axis < 3; ++axis)
    {
        parts[axis] = between(places[axis], field->size[axis], &ends[axis][0], &ends[axis][1]);
    }
    for (int k = 0; k < 8; ++k)
    {
        const int x = k & 1, y = k >> 1 & 1, z = k >> 2;
        const double weight = (x ? parts[0] : 1.0 - parts[0]) * (y ? parts[1] : 1.0 - parts[1]) *
                              (z ? parts[2] : 1.0 - parts[2]);
        const size_t row = (size_t)ends[2][z] * field->size[1] + ends[1][y];
        sum += weight * field->factors[row * field->size[0] + ends[0][x]];
    }
    return sum;
}

static double noise_factor(const rblStrengthField* field, const rblAabbd* bounds, rblVec3d point)
{
    const double given = (double)field->variation.noise_length;
    const double length = given > 0.0 ? given : NOISE_LENGTH * rbl_distance3d(bounds->lower, bounds->upper);
    const uint64_t mixed = rbl_hash_u64(field->seed);
    const rblVec3d shift = {(double)(mixed & 1023), (double)(mixed >> 10 & 1023),
                            (double)(mixed >> 20 & 1023)};
    const double noise = length > 0.0 ? rbl_noise3d(rbl_add3d(rbl_scale3d(point, 1.0 / length), shift)) : 0.0;
    return 1.0 - (double)field->variation.noise * 0.5 * (1.0 - noise);
}

static double layer_factor(const rblStrengthVariation* variation, rblVec3d point)
{
    const rblVec3d axis = rbl_normalize3d(rbl_to_double3(variation->layer_axis), (rblVec3d){0.0, 0.0, 0.0});
    const double at = rbl_dot3d(axis, point) / (double)variation->layer_spacing;
    const double off = fabs(at - floor(at + 0.5)) * (double)variation->layer_spacing;
    const bool weak = rbl_dot3d(axis, axis) > 0.0 && off <= 0.5 * (double)variation->layer_thickness;
    return weak ? (double)variation->layer_factor : 1.0;
}

double rbl_strength_factor(const rblStrengthField* field, const rblAabbd* bounds, rblVec3d point)
{
    double factor = noise_factor(field, bounds, point);
    if (field->variation.layer_spacing > 0.0f)
    {
        factor *= layer_factor(&field->variation, point);
    }
    return field->factors != NULL ? factor * grid_factor(field, bounds, point) : factor;
}
