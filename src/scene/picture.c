// The public calls of rubble/picture.h: check, gather, trace tile by tile, develop.
#include "rubble/picture.h"

#include "base/error.h"
#include "base/jobs.h"
#include "base/timer.h"
#include "math/trig.h"
#include "math/vec.h"
#include "rubble/io.h"
#include "scene/picture_light.h"
#include <string.h>

#define PICTURE_COOKIE 0x9C7A4E01u

// ---- colours ----

static float from_srgb(uint32_t byte)
{
    const double c = (double)byte / 255.0;
    return (float)(c <= 0.04045 ? c / 12.92 : rbl_pow((c + 0.055) / 1.055, 2.4));
}

static rblVec3 from_hex(uint32_t rgb)
{
    return (rblVec3){from_srgb(rgb >> 16), from_srgb(rgb >> 8 & 255u), from_srgb(rgb & 255u)};
}

// Sand, slate blue, moss, ochre, plum, pale blue, sage, rose: neighbours differ in lightness as much as in hue, so that
// they stay apart without red or green. Later rounds are lighter or darker. No orange: that is the colour of cracks.
rblVec3 rbl_picture_color(uint32_t index)
{
    static const uint32_t palette[] = {0xD8C8AEu, 0x5F87ADu, 0x93A76Bu, 0xE3C25Bu,
                                       0x84628Fu, 0xA8C8DBu, 0x4F8F80u, 0xD9A3A8u};
    static const float rounds[] = {1.0f, 0.72f, 1.18f, 0.86f};
    const rblVec3 color = from_hex(palette[index % 8]);
    const float factor = rounds[index / 8 % 4];
    const rblVec3 white = {0.92f, 0.92f, 0.92f};
    return factor <= 1.0f ? rbl_scale3(color, factor)
                          : rbl_mul_add3(color, factor - 1.0f, rbl_sub3(white, color));
}

rblPictureItem rbl_default_picture_item(rblMeshId mesh)
{
    return (rblPictureItem){.mesh = mesh,
                            .pose = {{0, 0, 0}, {0, 0, 0, 1}},
                            .color = rbl_picture_color(0),
                            .crack_color = from_hex(0xD06A3Eu),
                            .parts = RBL_PARTS_WHOLE};
}

rblPictureDef rbl_default_picture_def(void)
{
    return (rblPictureDef){.width = 1280,
                           .height = 720,
                           .samples = 16,
                           .field_of_view = 0.45,
                           .background = {0.90f, 0.885f, 0.86f},
                           .seed = 1,
                           .cookie = PICTURE_COOKIE};
}

// ---- checks ----

static rblResult check_item(const rblPictureItem* item, uint32_t index)
{
    const rblQuat q = item->pose.q;
    const float length = sqrtf(q.x * q.x + q.y * q.y + q.z * q.z + q.w * q.w);
    if (!rbl_finite3(item->pose.p) || !(length > 0.99f && length < 1.01f))
    {
        return rbl_fail(RBL_ERROR_ARGUMENT,
                        "picture: item %u: the pose is not finite or its quaternion not unit", index);
    }
    const rblVec3 colors[2] = {item->color, item->crack_color};
    for (uint32_t i = 0; i < 2; ++i)
    {
        const rblVec3 c = colors[i];
        if (!(c.x >= 0.0f && c.x <= 1.0f && c.y >= 0.0f && c.y <= 1.0f && c.z >= 0.0f && c.z <= 1.0f))
        {
            return rbl_fail(RBL_ERROR_ARGUMENT, "picture: item %u: a colour is not in 0 to 1", index);
        }
    }
    if ((unsigned)item->parts > RBL_PARTS_COMPONENTS)
    {
        return rbl_fail(RBL_ERROR_ARGUMENT, "picture: item %u: no such kind of parts", index);
    }
    return RBL_OK;
}

static rblResult check_view(const rblPictureDef* def)
{
    if (def->width < 1 || def->width > RBL_PICTURE_MAX_SIZE || def->height < 1 ||
        def->height > RBL_PICTURE_MAX_SIZE)
    {
        return rbl_fail(RBL_ERROR_ARGUMENT, "picture: %u x %u pixels; width and height must be 1 to %u",
                        def->width, def->height, RBL_PICTURE_MAX_SIZE);
    }
    if (def->samples < 1 || def->samples > RBL_PICTURE_MAX_SAMPLES)
    {
        return rbl_fail(RBL_ERROR_ARGUMENT, "picture: %u samples; must be 1 to %u", def->samples,
                        RBL_PICTURE_MAX_SAMPLES);
    }
    if (!(def->field_of_view >= 0.01 && def->field_of_view <= 3.0))
    {
        return rbl_fail(RBL_ERROR_ARGUMENT, "picture: the field of view must be 0.01 to 3 radians");
    }
    if ((def->has_eye && !rbl_finite3d(def->eye)) || (def->has_target && !rbl_finite3d(def->target)))
    {
        return rbl_fail(RBL_ERROR_ARGUMENT, "picture: eye or target is not finite");
    }
    if (def->has_floor && !rbl_finite(def->floor))
    {
        return rbl_fail(RBL_ERROR_ARGUMENT, "picture: the height of the floor is not finite");
    }
    return RBL_OK;
}

static rblResult check_def(const rblPictureDef* def)
{
    if (def == NULL || def->cookie != PICTURE_COOKIE)
    {
        return rbl_fail(RBL_ERROR_ARGUMENT, "picture: the def must come from rbl_default_picture_def()");
    }
    if (def->items == NULL || def->item_count == 0)
    {
        return rbl_fail(RBL_ERROR_ARGUMENT, "picture: there is nothing to draw: no items");
    }
    RBL_TRY(check_view(def));
    if (!(def->explode >= 0.0) || !(def->explode <= 1e6))
    {
        return rbl_fail(RBL_ERROR_ARGUMENT, "picture: explode must be 0 to 1e6");
    }
    const rblVec3d n = def->cut_normal;
    if (def->has_cut &&
        (!rbl_finite3d(def->cut_point) || !rbl_finite3d(n) || (n.x == 0.0 && n.y == 0.0 && n.z == 0.0)))
    {
        return rbl_fail(RBL_ERROR_ARGUMENT,
                        "picture: the cut plane's point or normal is not finite, or it has no normal");
    }
    const rblVec3 b = def->background;
    if (!rbl_finite3d(def->sun) ||
        !(b.x >= 0.0f && b.x <= 1.0f && b.y >= 0.0f && b.y <= 1.0f && b.z >= 0.0f && b.z <= 1.0f))
    {
        return rbl_fail(RBL_ERROR_ARGUMENT, "picture: the sun is not finite or the background not in 0 to 1");
    }
    for (uint32_t i = 0; i < def->item_count; ++i)
    {
        RBL_TRY(check_item(&def->items[i], i));
    }
    return RBL_OK;
}

// ---- developing ----

// Linear up to a knee, then ever flatter towards white: colours stay what they are, highlights do not clip.
static float film(float x)
{
    const float knee = 0.62f;
    if (x <= knee)
    {
        return x;
    }
    const float over = (x - knee) / (1.0f - knee);
    return knee + (1.0f - knee) * (over / sqrtf(1.0f + over * over));
}

#define CODE_STEPS 4096

typedef struct Frame
{
    const rblPictureDef* def;
    rblPictureScene scene;
    rblPictureCamera camera;
    rblPictureLight light;
    uint8_t codes[CODE_STEPS]; // sRGB of (i / (CODE_STEPS - 1))^2: square roots spread the dark tones
    uint8_t* rgba;
    uint32_t columns; // of tiles
    uint32_t first_tile;
    uint64_t rays[RBL_MAX_BLOCKS];
} Frame;

static void fill_codes(Frame* frame)
{
    for (uint32_t i = 0; i < CODE_STEPS; ++i)
    {
        const double root = (double)i / (CODE_STEPS - 1);
        const double x = root * root;
        const double c = x <= 0.0031308 ? 12.92 * x : 1.055 * rbl_pow(x, 1.0 / 2.4) - 0.055;
        frame->codes[i] = (uint8_t)(255.0 * c + 0.5);
    }
}

static uint8_t develop(const Frame* frame, float x)
{
    const float root = sqrtf(rbl_clampf(film(x), 0.0f, 1.0f));
    return frame->codes[(uint32_t)(root * (float)(CODE_STEPS - 1) + 0.5f)];
}

// ---- tracing ----

// A place under a tent one pixel to either side: the filter that weighs samples is in their density.
static float tent(float u)
{
    return u < 0.5f ? sqrtf(2.0f * u) - 1.0f : 1.0f - sqrtf(2.0f - 2.0f * u);
}

#define TILE 16

// A pixel on its way: the sum of its samples, and the least and greatest of their brightnesses.
typedef struct TilePixel
{
    rblVec3 sum;
    float low, high;
    uint32_t count;
} TilePixel;

typedef struct Tile
{
    uint32_t left, top;     // pixels
    uint32_t width, height; // at most TILE
    TilePixel pixels[TILE * TILE];
} Tile;

static void add_samples(const Frame* frame, uint32_t x, uint32_t y, uint32_t end, TilePixel* out,
                        rblPictureTrace* trace)
{
    const rblPictureDef* def = frame->def;
    const rblPictureCamera* camera = &frame->camera;
    const rblPixelSampler pixel = rbl_pixel_sampler(x, y, def->samples, def->seed);
    for (; out->count < end; ++out->count)
    {
        const rblVec2 place = rbl_sample_square(&pixel, out->count, 0);
        const float across = 2.0f * ((float)x + 0.5f + tent(place.x)) / (float)def->width - 1.0f;
        const float along = 1.0f - 2.0f * ((float)y + 0.5f + tent(place.y)) / (float)def->height;
        const rblVec3 direction = rbl_add3(
            camera->forward, rbl_add3(rbl_scale3(camera->right, across), rbl_scale3(camera->up, along)));
        const rblVec3 color =
            rbl_picture_radiance(&frame->light, camera->eye, rbl_picture_unit(direction, camera->forward),
                                 &pixel, out->count, trace);
        const float brightness = color.x + color.y + color.z;
        out->low = out->count == 0 ? brightness : rbl_minf(out->low, brightness);
        out->high = out->count == 0 ? brightness : rbl_maxf(out->high, brightness);
        out->sum = rbl_add3(out->sum, color);
    }
}

// Whether all samples of a pixel and its neighbours in the tile agree: then there is no edge, no shadow's border and little
// noise for more samples to smooth.
static bool is_calm(const Tile* tile, uint32_t x, uint32_t y, float tolerance)
{
    float low = INFINITY;
    float high = 0.0f;
    for (uint32_t ny = y > 0 ? y - 1 : 0; ny <= y + 1 && ny < tile->height; ++ny)
    {
        for (uint32_t nx = x > 0 ? x - 1 : 0; nx <= x + 1 && nx < tile->width; ++nx)
        {
            const TilePixel* pixel = &tile->pixels[ny * TILE + nx];
            low = rbl_minf(low, pixel->low);
            high = rbl_maxf(high, pixel->high);
        }
    }
    return high - low <= tolerance * high;
}

// The samples of a pixel come in up to three rounds: a quarter of them, half, all. How far the brightest may be above the
// darkest for a pixel to be left at that: open floor and backdrop pass the first time, evenly lit surfaces the second.
#define ROUNDS 3
static const float tolerances[ROUNDS] = {0.03f, 0.12f, 0.0f};

static void sample_tile(const Frame* frame, Tile* tile, rblPictureTrace* trace)
{
    const uint32_t samples = frame->def->samples;
    const uint32_t ends[ROUNDS] = {samples < 4   ? samples
                                   : samples < 8 ? 2
                                                 : samples / 4,
                                   samples < 4 ? samples : samples / 2, samples};
    bool active[TILE * TILE];
    memset(active, true, sizeof active);
    for (int round = 0; round < ROUNDS; ++round)
    {
        for (uint32_t i = 0; i < TILE * tile->height; ++i)
        {
            if (active[i] && i % TILE < tile->width)
            {
                add_samples(frame, tile->left + i % TILE, tile->top + i / TILE, ends[round], &tile->pixels[i],
                            trace);
            }
        }
        for (uint32_t i = 0; i < TILE * tile->height; ++i)
        {
            active[i] =
                active[i] && i % TILE < tile->width && !is_calm(tile, i % TILE, i / TILE, tolerances[round]);
        }
    }
}

static void trace_tile(const Frame* frame, uint32_t index, rblPictureTrace* trace)
{
    const rblPictureDef* def = frame->def;
    Tile tile = {.left = index % frame->columns * TILE, .top = index / frame->columns * TILE};
    tile.width = def->width - tile.left < TILE ? def->width - tile.left : TILE;
    tile.height = def->height - tile.top < TILE ? def->height - tile.top : TILE;
    sample_tile(frame, &tile, trace);
    for (uint32_t y = 0; y < tile.height; ++y)
    {
        for (uint32_t x = 0; x < tile.width; ++x)
        {
            const TilePixel* pixel = &tile.pixels[y * TILE + x];
            const rblVec3 mean = rbl_scale3(pixel->sum, 1.0f / (float)pixel->count);
            uint8_t* out = &frame->rgba[4 * ((size_t)(tile.top + y) * def->width + tile.left + x)];
            out[0] = develop(frame, mean.x);
            out[1] = develop(frame, mean.y);
            out[2] = develop(frame, mean.z);
            out[3] = 255;
        }
    }
}

static void trace_range(rblRange range, void* context)
{
    Frame* frame = context;
    rblPictureTrace trace = {.sun_blocker = UINT32_MAX, .sky_blocker = UINT32_MAX};
    for (uint32_t tile = range.begin; tile < range.end; ++tile)
    {
        trace_tile(frame, frame->first_tile + tile, &trace);
    }
    frame->rays[range.block] += trace.rays;
}

// A few rows of tiles at a time, so that progress can be told in between.
static void trace_frame(Frame* frame, rblJobs* jobs)
{
    const rblPictureDef* def = frame->def;
    frame->columns = (def->width + TILE - 1) / TILE;
    const uint32_t tiles = frame->columns * ((def->height + TILE - 1) / TILE);
    const uint32_t band = tiles / 16 > 256 ? tiles / 16 : 256;
    for (frame->first_tile = 0; frame->first_tile < tiles; frame->first_tile += band)
    {
        const uint32_t left = tiles - frame->first_tile;
        rbl_parallel_for(jobs, left < band ? left : band, 1, trace_range, frame);
        if (def->progress != NULL)
        {
            const uint32_t done = left < band ? tiles : frame->first_tile + band;
            def->progress(0.15 + 0.85 * (double)done / (double)tiles, def->progress_context);
        }
    }
}

static rblVec3d to_metres(const rblPictureScene* scene, rblVec3d p)
{
    return rbl_mul_add3d(scene->center, 1.0 / scene->scale, p);
}

static void tell(const Frame* frame, double trace_seconds, rblPictureStats* stats)
{
    const rblPictureScene* scene = &frame->scene;
    *stats = (rblPictureStats){.triangles = scene->triangle_count,
                               .parts = scene->part_count,
                               .prepare_seconds = scene->prepare_seconds,
                               .build_seconds = scene->build_seconds,
                               .trace_seconds = trace_seconds,
                               .eye = to_metres(scene, rbl_to_double3(frame->camera.eye)),
                               .target = to_metres(scene, frame->camera.target)};
    for (uint32_t b = 0; b < RBL_MAX_BLOCKS; ++b)
    {
        stats->rays += frame->rays[b];
    }
}

static rblResult render(Frame* frame, rblJobs* jobs, rblPictureStats* stats)
{
    RBL_TRY(rbl_picture_camera_init(&frame->camera, frame->def, &frame->scene));
    frame->light = rbl_picture_light(&frame->scene, &frame->camera, frame->def);
    fill_codes(frame);
    const double start = rbl_timer_seconds();
    trace_frame(frame, jobs);
    if (stats != NULL)
    {
        tell(frame, rbl_timer_seconds() - start, stats);
    }
    return RBL_OK;
}

rblResult rbl_picture_render(const rblPictureDef* def, uint8_t* rgba, rblPictureStats* stats)
{
    RBL_TRY(check_def(def));
    if (rgba == NULL)
    {
        return rbl_fail(RBL_ERROR_ARGUMENT, "picture: rgba must not be null");
    }
    const rblAllocator* allocator = rbl_default_allocator();
    rblJobs* jobs = rbl_default_jobs();
    Frame frame = {.def = def, .rgba = rgba};
    RBL_TRY(rbl_picture_scene_init(&frame.scene, def, allocator, jobs));
    if (def->progress != NULL)
    {
        def->progress(0.15, def->progress_context);
    }
    const rblResult result = render(&frame, jobs, stats);
    rbl_picture_scene_free(&frame.scene);
    return result;
}

// Every pixel is opaque: three channels say it all.
static void drop_alpha(uint8_t* pixels, size_t count)
{
    for (size_t i = 0; i < count; ++i)
    {
        memmove(&pixels[3 * i], &pixels[4 * i], 3);
    }
}

rblResult rbl_picture_save(const rblPictureDef* def, const char* path, rblPictureStats* stats)
{
    RBL_TRY(check_def(def));
    if (path == NULL)
    {
        return rbl_fail(RBL_ERROR_ARGUMENT, "picture: path must not be null");
    }
    const rblAllocator* allocator = rbl_default_allocator();
    const size_t count = (size_t)def->width * def->height;
    uint8_t* pixels = RBL_NEW_ARRAY(allocator, uint8_t, 4 * count);
    if (pixels == NULL)
    {
        return rbl_fail_memory();
    }
    rblPictureStats found;
    rblResult result = rbl_picture_render(def, pixels, &found);
    if (result == RBL_OK)
    {
        drop_alpha(pixels, count);
        result = rbl_image_save_png(path, pixels, def->width, def->height, 3);
    }
    if (result == RBL_OK && stats != NULL)
    {
        *stats = found;
    }
    RBL_FREE_ARRAY(allocator, pixels, 4 * count);
    return result;
}
