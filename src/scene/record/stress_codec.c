// Stress breakers as bytes (STRS in docs/recording.md): the definition, and the factors of its grid in place of the file.
#include "base/error.h"
#include "rubble/stress.h"
#include "scene/record/call_codec.h"

#define MOST_TETRAHEDRA 4000000u // that a file may ask for

void rbl_put_stress(rblByteSink* sink, const rblStressDef* def, const rblStrengthField* grid)
{
    const rblStrengthVariation* v = &def->variation;
    const float numbers[10] = {def->smallest,      def->smallest_body, v->noise,        v->noise_length,
                               v->layer_axis.x,    v->layer_axis.y,    v->layer_axis.z, v->layer_spacing,
                               v->layer_thickness, v->layer_factor};
    const size_t count = (size_t)grid->size[0] * grid->size[1] * grid->size[2];
    rbl_put_u32(sink, def->tetrahedra);
    rbl_put_f64(sink, def->edge);
    rbl_put_u32(sink, def->most_fragments);
    rbl_put_u32(sink, def->generations);
    rbl_put_u32(sink, def->modes);
    rbl_put_u32(sink, def->rebuild);
    rbl_put_floats(sink, numbers, 10);
    rbl_put_u64(sink, def->seed);
    for (int axis = 0; axis < 3; ++axis)
    {
        rbl_put_u32(sink, grid->size[axis]);
    }
    rbl_put_doubles(sink, grid->factors, count);
}

static void take_def(rblByteSource* source, rblStressDef* def)
{
    float numbers[10];
    rblStrengthVariation* v = &def->variation;
    *def = rbl_default_stress_def();
    def->tetrahedra = rbl_take_u32(source);
    def->edge = rbl_take_f64(source);
    def->most_fragments = rbl_take_u32(source);
    def->generations = rbl_take_u32(source);
    def->modes = rbl_take_u32(source);
    def->rebuild = rbl_take_u32(source);
    rbl_take_floats(source, numbers, 10);
    def->seed = rbl_take_u64(source);
    def->smallest = numbers[0];
    def->smallest_body = numbers[1];
    v->noise = numbers[2];
    v->noise_length = numbers[3];
    v->layer_axis = (rblVec3){numbers[4], numbers[5], numbers[6]};
    v->layer_spacing = numbers[7];
    v->layer_thickness = numbers[8];
    v->layer_factor = numbers[9];
}

rblResult rbl_take_stress(rblByteSource* source, rblBreakerId* out)
{
    const rblAllocator* allocator = rbl_default_allocator();
    rblStressDef def;
    rblStrengthField grid = {.allocator = allocator};
    take_def(source, &def);
    for (int axis = 0; axis < 3; ++axis)
    {
        grid.size[axis] = rbl_take_u32(source);
    }
    const double bytes = (double)grid.size[0] * grid.size[1] * grid.size[2] * sizeof(double);
    if (source->failed || bytes != (double)rbl_source_left(source) || def.tetrahedra > MOST_TETRAHEDRA)
    {
        return rbl_fail(RBL_ERROR_FORMAT, "a stress breaker is cut short or not possible");
    }
    const size_t count = rbl_source_left(source) / sizeof(double);
    grid.factors = RBL_NEW_ARRAY(allocator, double, count + 1);
    if (grid.factors == NULL)
    {
        return rbl_fail_memory();
    }
    rbl_take_doubles(source, grid.factors, count);
    const rblResult result = rbl_breaker_create_with_grid(&def, &grid, out);
    RBL_FREE_ARRAY(allocator, grid.factors, count + 1);
    return result;
}
