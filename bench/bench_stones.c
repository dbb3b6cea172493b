#include "bench/bench_stones.h"

#include "base/error.h"
#include "base/random.h"
#include "io/file.h"
#include "math/trig.h"
#include "rubble/json.h"
#include <math.h>
#include <stdio.h>

#define SPACING 0.36 // m between the middles of hulls: none overlap

static void put_number(rblJsonWriter* json, const char* key, double value)
{
    rbl_json_key(json, key);
    rbl_json_number(json, value);
}

static void put_text(rblJsonWriter* json, const char* key, const char* text)
{
    rbl_json_key(json, key);
    rbl_json_string(json, text);
}

static void put_row(rblJsonWriter* json, const double* values, uint32_t count)
{
    rbl_json_begin_row(json);
    for (uint32_t i = 0; i < count; ++i)
    {
        rbl_json_float(json, (float)values[i]);
    }
    rbl_json_end_array(json);
}

static void put_box(rblJsonWriter* json, const char* name, double x, double y, double z)
{
    rbl_json_key(json, name);
    rbl_json_begin_object(json);
    put_text(json, "kind", "box");
    rbl_json_key(json, "size");
    put_row(json, (const double[3]){x, y, z}, 3);
    rbl_json_end_object(json);
}

static void put_hull(rblJsonWriter* json, uint32_t index, rblRandom* random)
{
    char name[16];
    double axes[3];
    for (int k = 0; k < 3; ++k)
    {
        axes[k] = rbl_random_range(random, 0.05, 0.15);
    }
    snprintf(name, sizeof name, "h%u", index);
    rbl_json_key(json, name);
    rbl_json_begin_object(json);
    put_text(json, "kind", "hull");
    rbl_json_key(json, "points");
    rbl_json_begin_array(json);
    for (int i = 0; i < 16; ++i)
    {
        const double z = rbl_random_range(random, -1.0, 1.0);
        const double angle = rbl_random_range(random, 0.0, 2.0 * RBL_PI);
        const double r = sqrt(1.0 - z * z);
        put_row(json,
                (const double[3]){axes[0] * r * rbl_cos(angle), axes[1] * r * rbl_sin(angle), axes[2] * z},
                3);
    }
    rbl_json_end_array(json);
    rbl_json_end_object(json);
}

static void put_body(rblJsonWriter* json, const char* name, const char* shape, bool moves,
                     const double place[3], const double* turn)
{
    rbl_json_begin_object(json);
    put_text(json, "name", name);
    put_text(json, "shape", shape);
    put_text(json, "type", moves ? "dynamic" : "static");
    put_text(json, "material", "rock");
    rbl_json_key(json, "position");
    put_row(json, place, 3);
    if (turn != NULL)
    {
        rbl_json_key(json, "rotation");
        put_row(json, turn, 4);
    }
    rbl_json_end_object(json);
}

static void put_stone(rblJsonWriter* json, uint32_t index, uint32_t width, rblRandom* random)
{
    char name[16];
    double turn[4];
    double length = 0.0;
    const double middle = 0.5 * (width - 1);
    const double place[3] = {(index % width - middle) * SPACING, 0.5 + index / (width * width) * SPACING,
                             (index / width % width - middle) * SPACING};
    while (!(length > 0.1 && length < 1.0))
    {
        length = 0.0;
        for (int k = 0; k < 4; ++k)
        {
            turn[k] = rbl_random_range(random, -1.0, 1.0);
            length += turn[k] * turn[k];
        }
        length = sqrt(length);
    }
    for (int k = 0; k < 4; ++k)
    {
        turn[k] /= length;
    }
    snprintf(name, sizeof name, "h%u", index);
    put_body(json, name, name, true, place, turn);
}

static void put_walls(rblJsonWriter* json, double half, double high)
{
    put_body(json, "slab", "slab", false, (const double[3]){0, -0.5, 0}, NULL);
    put_body(json, "east", "wallX", false, (const double[3]){half + 0.5, high / 2, 0}, NULL);
    put_body(json, "west", "wallX", false, (const double[3]){-half - 0.5, high / 2, 0}, NULL);
    put_body(json, "south", "wallZ", false, (const double[3]){0, high / 2, half + 0.5}, NULL);
    put_body(json, "north", "wallZ", false, (const double[3]){0, high / 2, -half - 0.5}, NULL);
}

static void put_material(rblJsonWriter* json)
{
    rbl_json_key(json, "materials");
    rbl_json_begin_object(json);
    rbl_json_key(json, "rock");
    rbl_json_begin_object(json);
    put_text(json, "preset", "stone");
    put_number(json, "density", 2500.0);
    put_number(json, "friction", 0.5);
    put_number(json, "restitution", 0.0);
    rbl_json_end_object(json);
    rbl_json_end_object(json);
}

// Over the walls, down on the stones: seen from outside, the walls would hide them.
static void put_camera(rblJsonWriter* json, double half, double high)
{
    const double eye[3] = {0.0, high + 2.0 * half, 0.6 * half};
    const double target[3] = {0.0, 0.2, 0.0};
    rbl_json_key(json, "camera");
    rbl_json_begin_object(json);
    rbl_json_key(json, "eye");
    put_row(json, eye, 3);
    rbl_json_key(json, "target");
    put_row(json, target, 3);
    put_number(json, "fov", 30.0);
    rbl_json_end_object(json);
}

static void put_pile(rblJsonWriter* json, uint32_t count, uint32_t width, double step, uint32_t steps)
{
    const double half = 0.5 * SPACING * width + 0.05;
    const double high = 6.0;
    rblRandom random = rbl_random_seed(12345, 1);
    rbl_json_begin_object(json);
    put_number(json, "rubble", 1);
    put_number(json, "step", step);
    put_number(json, "duration", step * steps);
    rbl_json_key(json, "sleeping");
    rbl_json_bool(json, false);
    put_camera(json, half, high);
    put_material(json);
    rbl_json_key(json, "shapes");
    rbl_json_begin_object(json);
    put_box(json, "slab", 2 * half + 4, 1, 2 * half + 4);
    put_box(json, "wallX", 1, high, 2 * half + 2);
    put_box(json, "wallZ", 2 * half, high, 1);
    for (uint32_t i = 0; i < count; ++i)
    {
        put_hull(json, i, &random);
    }
    rbl_json_end_object(json);
    rbl_json_key(json, "bodies");
    rbl_json_begin_array(json);
    put_walls(json, half, high);
    for (uint32_t i = 0; i < count; ++i)
    {
        put_stone(json, i, width, &random);
    }
    rbl_json_end_array(json);
    rbl_json_end_object(json);
}

typedef rblResult TextFcn(const rblJsonWriter* json, void* context);

static rblResult with_pile(uint32_t count, uint32_t width, double step, uint32_t steps, TextFcn* use,
                           void* context)
{
    rblJsonWriter json;
    rbl_json_writer_init(&json, 0, rbl_default_allocator());
    put_pile(&json, count, width, step, steps);
    rblResult result = rbl_json_writer_finish(&json);
    result = result == RBL_OK ? use(&json, context) : result;
    rbl_json_writer_free(&json);
    return result;
}

static rblResult load(const rblJsonWriter* json, void* context)
{
    return rbl_scene_load_memory(json->text, json->size, "pile.json", context);
}

static rblResult save(const rblJsonWriter* json, void* context)
{
    rblWriter writer;
    RBL_TRY(rbl_writer_open(&writer, context, rbl_default_allocator()));
    rbl_write_bytes(&writer, json->text, json->size);
    return rbl_writer_close(&writer);
}

rblResult rbl_bench_pile_scene(uint32_t count, uint32_t width, double step, uint32_t steps, rblSceneId* out)
{
    return with_pile(count, width, step, steps, load, out);
}

rblResult rbl_bench_write_pile(uint32_t count, uint32_t width, double step, uint32_t steps, const char* path)
{
    union
    {
        const char* from;
        void* to;
    } name = {.from = path}; // only read
    return with_pile(count, width, step, steps, save, name.to);
}
