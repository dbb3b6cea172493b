// The public calls of rubble/picture.h: check, gather, trace tile by tile, convert to sRGB.
#include "rubble/picture.h"

#include "base/def.h"
#include "base/error.h"
#include "base/jobs.h"
#include "base/progress.h"
#include "base/timer.h"
#include "math/trig.h"
#include "math/vec.h"
#include "rubble/io.h"
#include "scene/picture/picture_filter.h"
#include <string.h>

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

// Sand, slate blue, moss, ochre, plum, pale blue, sage, rose. Neighbours differ in lightness as much as in hue, so that
// colour-blind readers can distinguish them. Later rounds are lighter or darker. Orange is the colour of cracks and not used.
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

RBL_DEF_KIND(picture_def, rblPictureDef, "picture", rbl_default_picture_def, 0x9C7A4E01u);

void rbl_picture_def_init(rblPictureDef* def, size_t size)
{
    const rblPictureDef defaults = {.width = 1280,
                                    .height = 720,
                                    .samples = 16,
                                    .field_of_view = 0.45,
                                    .background = {0.90f, 0.885f, 0.86f},
                                    .seed = 1};
    rbl_def_init(&picture_def, &defaults, def, size);
}

// ---- checks ----

static rblResult check_item(const rblPictureItem* item, uint32_t index)
{
    const rblQuat q = item->pose.q;
    const float length = sqrtf(q.x * q.x + q.y * q.y + q.z * q.z + q.w * q.w);
    if (!rbl_finite3(item->pose.p) || !(length > 0.99f && length < 1.01f))
    {
        return rbl_fail(RBL_ERROR_ARGUMENT,
                        "picture: item %u: the pose must be finite, with a unit quaternion", index);
    }
    const rblVec3 colors[2] = {item->color, item->crack_color};
    for (uint32_t i = 0; i < 2; ++i)
    {
        const rblVec3 c = colors[i];
        if (!(c.x >= 0.0f && c.x <= 1.0f && c.y >= 0.0f && c.y <= 1.0f && c.z >= 0.0f && c.z <= 1.0f))
        {
            return rbl_fail(RBL_ERROR_ARGUMENT, "picture: item %u: colours must be 0 to 1", index);
        }
    }
    if ((unsigned)item->parts > RBL_PARTS_COMPONENTS)
    {
        return rbl_fail(RBL_ERROR_ARGUMENT, "picture: item %u: parts must be a value of rblPictureParts",
                        index);
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
        return rbl_fail(RBL_ERROR_ARGUMENT, "picture: samples is %u, must be 1 to %u", def->samples,
                        RBL_PICTURE_MAX_SAMPLES);
    }
    if (!(def->field_of_view >= 0.01 && def->field_of_view <= 3.0))
    {
        return rbl_fail(RBL_ERROR_ARGUMENT, "picture: the field of view is %g, must be 0.01 to 3 radians",
                        def->field_of_view);
    }
    if ((def->has_eye && !rbl_finite3d(def->eye)) || (def->has_target && !rbl_finite3d(def->target)))
    {
        return rbl_fail(RBL_ERROR_ARGUMENT,
                        "picture: eye is (%g, %g, %g), target (%g, %g, %g); they must be finite",
                        RBL_XYZ(def->eye), RBL_XYZ(def->target));
    }
    if (def->has_floor && !rbl_finite(def->floor))
    {
        return rbl_fail(RBL_ERROR_ARGUMENT, "picture: the height of the floor is %g, must be finite",
                        def->floor);
    }
    return RBL_OK;
}

static rblResult check_def(const rblPictureDef* def)
{
    if (def->items == NULL || def->item_count == 0)
    {
        return rbl_fail(RBL_ERROR_ARGUMENT, "picture: there must be at least one item");
    }
    RBL_TRY(check_view(def));
    if (!(def->explode >= 0.0) || !(def->explode <= 1e6))
    {
        return rbl_fail(RBL_ERROR_ARGUMENT, "picture: explode is %g, must be 0 to 1e6", def->explode);
    }
    const rblVec3d n = def->cut_normal;
    if (def->has_cut &&
        (!rbl_finite3d(def->cut_point) || !rbl_finite3d(n) || (n.x == 0.0 && n.y == 0.0 && n.z == 0.0)))
    {
        return rbl_fail(RBL_ERROR_ARGUMENT,
                        "picture: the point of the cut plane is (%g, %g, %g), must be finite; its normal is "
                        "(%g, %g, %g), must be finite and not zero",
                        RBL_XYZ(def->cut_point), RBL_XYZ(n));
    }
    const rblVec3 b = def->background;
    if (!rbl_finite3d(def->sun) ||
        !(b.x >= 0.0f && b.x <= 1.0f && b.y >= 0.0f && b.y <= 1.0f && b.z >= 0.0f && b.z <= 1.0f))
    {
        return rbl_fail(RBL_ERROR_ARGUMENT,
                        "picture: the sun is (%g, %g, %g), must be finite; the background is (%g, %g, %g), "
                        "must be 0 to 1",
                        RBL_XYZ(def->sun), RBL_XYZ(b));
    }
    for (uint32_t i = 0; i < def->item_count; ++i)
    {
        RBL_TRY(check_item(&def->items[i], i));
    }
    return RBL_OK;
}

static rblResult read_def(const rblPictureDef* given, rblPictureDef* def)
{
    *def = rbl_default_picture_def();
    RBL_TRY(rbl_def_read(&picture_def, given, def));
    return check_def(def);
}

// ---- conversion to sRGB ----

// Tone curve: linear up to a knee, then ever flatter towards white. Normal colours are unchanged, and highlights do not clip.
static float tone_curve(float x)
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
    uint8_t
        codes[CODE_STEPS]; // sRGB of (i / (CODE_STEPS - 1))^2: the square root gives dark tones more codes
    uint8_t* rgba;
    rblTexelRows rows;
    uint32_t top;      // first row of the band
    uint32_t finished; // number of finished rows
    bool is_first;     // in the first round of samples
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

static uint8_t to_srgb(const Frame* frame, float x)
{
    const float root = sqrtf(rbl_clampf(tone_curve(x), 0.0f, 1.0f));
    return frame->codes[(uint32_t)(root * (float)(CODE_STEPS - 1) + 0.5f)];
}

// ---- tracing ----

// A tent filter one pixel to either side: the density of the samples is the weight of the filter.
static float tent(float u)
{
    return u < 0.5f ? sqrtf(2.0f * u) - 1.0f : 1.0f - sqrtf(2.0f - 2.0f * u);
}

// The first round has a quarter of the samples. This is enough for an even surface.
static uint32_t first_samples(uint32_t samples)
{
    return samples < 4 ? samples : samples < 8 ? 2 : samples / 4;
}

// The sampler of a round. All pixels of a round share one sequence without gaps, because otherwise the errors of neighbours
// would not compensate each other.
static rblPixelSampler round_sampler(const rblPictureDef* def, uint32_t x, uint32_t y, bool is_first)
{
    const uint32_t first = first_samples(def->samples);
    return is_first ? rbl_pixel_sampler(x, y, first, def->seed)
                    : rbl_pixel_sampler(x, y, def->samples - first, rbl_mix32(def->seed));
}

static void add_samples(const Frame* frame, uint32_t x, uint32_t y, rblPictureTrace* trace)
{
    const rblPictureDef* def = frame->def;
    const rblPictureCamera* camera = &frame->camera;
    const rblPixelSampler pixel = round_sampler(def, x, y, frame->is_first);
    rblTexel* texel = rbl_texel(&frame->rows, x, y);
    const uint32_t end = frame->is_first ? first_samples(def->samples) : def->samples - texel->count;
    for (uint32_t i = 0; i < end; ++i)
    {
        const rblVec2 jitter = rbl_sample_square(&pixel, i, 0);
        const float across = 2.0f * ((float)x + 0.5f + tent(jitter.x)) / (float)def->width - 1.0f;
        const float along = 1.0f - 2.0f * ((float)y + 0.5f + tent(jitter.y)) / (float)def->height;
        const rblVec3 direction = rbl_add3(
            camera->forward, rbl_add3(rbl_scale3(camera->right, across), rbl_scale3(camera->up, along)));
        const rblPictureSample sample = rbl_picture_look(
            &frame->light, camera->eye, rbl_picture_unit(direction, camera->forward), &pixel, i, trace);
        rbl_texel_add(texel, &sample);
    }
}

#define TILE 16

// Pixels are traced in squares, because rays of neighbours visit the same nodes of the tree.
static void trace_tiles(rblRange range, void* context)
{
    Frame* frame = context;
    const rblPictureDef* def = frame->def;
    const uint32_t columns = (def->width + TILE - 1) / TILE;
    rblPictureTrace trace = {.sun_blocker = UINT32_MAX, .sky_blocker = UINT32_MAX};
    for (uint32_t tile = range.begin; tile < range.end; ++tile)
    {
        const uint32_t left = tile % columns * TILE;
        const uint32_t top = frame->top + tile / columns * TILE;
        for (uint32_t i = 0; i < TILE * TILE; ++i)
        {
            const uint32_t x = left + i % TILE;
            const uint32_t y = top + i / TILE;
            if (x < def->width && y < frame->rows.end && !rbl_texel(&frame->rows, x, y)->settled)
            {
                add_samples(frame, x, y, &trace);
            }
        }
    }
    frame->rays[range.block] += trace.rays;
}

static void find_smooth_pixels(rblRange range, void* context)
{
    const Frame* frame = context;
    for (uint32_t y = frame->top + range.begin; y < frame->top + range.end; ++y)
    {
        for (uint32_t x = 0; x < frame->rows.width; ++x)
        {
            rbl_texel(&frame->rows, x, y)->settled = rbl_texel_is_smooth(&frame->rows, x, y);
        }
    }
}

static void finish_rows(rblRange range, void* context)
{
    const Frame* frame = context;
    const uint32_t width = frame->rows.width;
    for (uint32_t y = frame->finished + range.begin; y < frame->finished + range.end; ++y)
    {
        for (uint32_t x = 0; x < width; ++x)
        {
            const rblVec3 color = rbl_texel_resolve(&frame->rows, x, y);
            uint8_t* out = &frame->rgba[4 * ((size_t)y * width + x)];
            out[0] = to_srgb(frame, color.x);
            out[1] = to_srgb(frame, color.y);
            out[2] = to_srgb(frame, color.z);
            out[3] = 255;
        }
    }
}

// ---- bands ----

#define OVERLAP (2u * RBL_FILTER_REACH) // rows of a band that the next band reads

// Trace the rows from `top` to `bottom`, which are stored after the last rows of the band before. A row is finished when all
// rows that its filter reads are traced.
static void trace_band(Frame* frame, uint32_t bottom, rblJobs* jobs)
{
    rblTexelRows* rows = &frame->rows;
    const uint32_t height = bottom - frame->top;
    const uint32_t tiles = (frame->def->width + TILE - 1) / TILE * ((height + TILE - 1) / TILE);
    const uint32_t kept = frame->top < OVERLAP ? frame->top : OVERLAP;
    memmove(rows->texels, rbl_texel(rows, 0, frame->top - kept), kept * rows->width * sizeof *rows->texels);
    rows->first = frame->top - kept;
    rows->end = bottom;
    memset(rbl_texel(rows, 0, frame->top), 0, height * rows->width * sizeof *rows->texels);
    frame->is_first = true;
    rbl_parallel_for(jobs, tiles, 1, trace_tiles, frame);
    rbl_parallel_for(jobs, height, 1, find_smooth_pixels, frame);
    frame->is_first = false;
    rbl_parallel_for(jobs, tiles, 1, trace_tiles, frame);
    const uint32_t end = bottom == frame->def->height ? bottom : bottom - RBL_FILTER_REACH;
    rbl_parallel_for(jobs, end - frame->finished, 1, finish_rows, frame);
    frame->finished = end;
}

// A few rows of tiles at a time: this limits the memory of the samples, and progress can be reported in between.
static rblResult trace_frame(Frame* frame, const rblAllocator* allocator, rblJobs* jobs)
{
    const rblPictureDef* def = frame->def;
    const uint32_t columns = (def->width + TILE - 1) / TILE;
    const uint32_t rows =
        def->height / (16 * TILE) > 512 / columns ? def->height / (16 * TILE) : 512 / columns;
    const uint32_t band = TILE * (rows > 0 ? rows : 1);
    const size_t count = (size_t)def->width * (band + OVERLAP);
    frame->rows = (rblTexelRows){.texels = RBL_NEW_ARRAY(allocator, rblTexel, count),
                                 .width = def->width,
                                 .pixel_angle = 2.0f * rbl_length3(frame->camera.up) / (float)def->height,
                                 .eye = frame->camera.eye};
    if (frame->rows.texels == NULL)
    {
        return rbl_fail_memory();
    }
    rblResult result = RBL_OK;
    for (frame->top = 0; frame->top < def->height && result == RBL_OK;)
    {
        const uint32_t bottom = def->height - frame->top < band ? def->height : frame->top + band;
        trace_band(frame, bottom, jobs);
        frame->top = bottom;
        result = rbl_progress_report(&def->progress, 0.15 + 0.85 * (double)bottom / (double)def->height);
    }
    RBL_FREE_ARRAY(allocator, frame->rows.texels, count);
    return result;
}

static rblVec3d to_metres(const rblPictureScene* scene, rblVec3d p)
{
    return rbl_mul_add3d(scene->center, 1.0 / scene->scale, p);
}

static void fill_stats(const Frame* frame, double trace_seconds, rblPictureStats* stats)
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
    RBL_TRY(trace_frame(frame, frame->scene.allocator, jobs));
    if (stats != NULL)
    {
        fill_stats(frame, rbl_timer_seconds() - start, stats);
    }
    return RBL_OK;
}

static rblResult render_picture(const rblPictureDef* def, uint8_t* rgba, rblPictureStats* stats)
{
    const rblAllocator* allocator = rbl_default_allocator();
    rblJobs* jobs = rbl_default_jobs();
    Frame frame = {.def = def, .rgba = rgba};
    RBL_TRY(rbl_picture_scene_init(&frame.scene, def, allocator, jobs));
    rblResult result = rbl_progress_report(&def->progress, 0.15);
    result = result == RBL_OK ? render(&frame, jobs, stats) : result;
    rbl_picture_scene_free(&frame.scene);
    return result;
}

rblResult rbl_picture_render(const rblPictureDef* given, uint8_t* rgba, rblPictureStats* stats)
{
    rblPictureDef def;
    RBL_TRY(read_def(given, &def));
    if (rgba == NULL)
    {
        return rbl_fail(RBL_ERROR_ARGUMENT, "picture: rgba must not be null");
    }
    return render_picture(&def, rgba, stats);
}

// Every pixel is opaque, so three channels are enough.
static void drop_alpha(uint8_t* pixels, size_t count)
{
    for (size_t i = 0; i < count; ++i)
    {
        memmove(&pixels[3 * i], &pixels[4 * i], 3);
    }
}

rblResult rbl_picture_save(const rblPictureDef* given, const char* path, rblPictureStats* stats)
{
    rblPictureDef def;
    RBL_TRY(read_def(given, &def));
    if (path == NULL)
    {
        return rbl_fail(RBL_ERROR_ARGUMENT, "picture: path must not be null");
    }
    const rblAllocator* allocator = rbl_default_allocator();
    const size_t count = (size_t)def.width * def.height;
    uint8_t* pixels = RBL_NEW_ARRAY(allocator, uint8_t, 4 * count);
    if (pixels == NULL)
    {
        return rbl_fail_memory();
    }
    rblPictureStats found;
    rblResult result = render_picture(&def, pixels, &found);
    if (result == RBL_OK)
    {
        drop_alpha(pixels, count);
        result = rbl_image_save_png(path, pixels, def.width, def.height, 3);
    }
    if (result == RBL_OK && stats != NULL)
    {
        *stats = found;
    }
    RBL_FREE_ARRAY(allocator, pixels, 4 * count);
    return result;
}
