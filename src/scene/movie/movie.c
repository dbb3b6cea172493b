#include "scene/movie/movie.h"

#include "base/def.h"
#include "base/error.h"
#include "base/number.h"
#include "math/quat.h"
#include "math/trig.h"
#include "math/vec.h"
#include "scene/movie/movie_camera.h"
#include <math.h>
#include <stdio.h>

#define MAX_FRAMES 10000000.0

RBL_DEF_KIND(movie_def, rblMovieDef, "movie", rbl_default_movie_def, 0x4D4F5649u);

void rbl_movie_def_init(rblMovieDef* def, size_t size)
{
    const rblMovieDef defaults = {.width = 1280,
                                  .height = 720,
                                  .samples = 8,
                                  .rate = 30.0,
                                  .speed = 1.0,
                                  .end = (double)INFINITY,
                                  .overlay = true};
    rbl_def_init(&movie_def, &defaults, def, size);
}

// ---- opening ----

rblResult rbl_movie_read_def(const rblMovieDef* given, rblMovieDef* out)
{
    *out = rbl_default_movie_def();
    return given != NULL ? rbl_def_read(&movie_def, given, out) : RBL_OK;
}

static rblResult check_picture(const rblMovieDef* def)
{
    if (def->width < 1 || def->height < 1 || def->width > RBL_PICTURE_MAX_SIZE ||
        def->height > RBL_PICTURE_MAX_SIZE)
    {
        return rbl_fail(RBL_ERROR_ARGUMENT, "movie: %u x %u pixels, must be 1 to %u each", def->width,
                        def->height, RBL_PICTURE_MAX_SIZE);
    }
    return def->samples >= 1 && def->samples <= RBL_PICTURE_MAX_SAMPLES
               ? RBL_OK
               : rbl_fail(RBL_ERROR_ARGUMENT, "movie: %u samples a pixel, must be 1 to %u", def->samples,
                          RBL_PICTURE_MAX_SAMPLES);
}

rblResult rbl_movie_check(const rblMovieDef* given, double last)
{
    rblMovieDef chosen;
    const rblMovieDef* def = &chosen;
    RBL_TRY(rbl_movie_read_def(given, &chosen));
    RBL_TRY(check_picture(def));
    if (!(def->rate >= 0.01 && def->rate <= 1000.0))
    {
        return rbl_fail(RBL_ERROR_ARGUMENT, "movie: the rate is %g, must be 0.01 to 1000 frames a second",
                        def->rate);
    }
    if (!(def->speed >= 1e-4 && def->speed <= 1e4))
    {
        return rbl_fail(RBL_ERROR_ARGUMENT, "movie: the speed is %g, must be 0.0001 to 10000", def->speed);
    }
    if (!(def->begin >= 0.0 && def->end >= def->begin))
    {
        return rbl_fail(RBL_ERROR_ARGUMENT,
                        "movie: begin is %g s, end %g s; they must be 0 or more, and in this order",
                        def->begin, def->end);
    }
    if (def->begin > last)
    {
        return rbl_fail(RBL_ERROR_ARGUMENT,
                        "movie: begin is %g s, must not be after the end of the run at %g s", def->begin,
                        last);
    }
    return RBL_OK;
}

static double last_time(const rblRun* run)
{
    return rbl_run_last_step(run) * run->settings.step;
}

static rblResult count_frames(rblMovie* movie)
{
    const double end = rbl_mind(movie->def.end, last_time(movie->run));
    const double count =
        floor((end - movie->def.begin) * movie->def.rate / movie->def.speed * (1.0 + 1e-9)) + 1.0;
    if (count > MAX_FRAMES)
    {
        return rbl_fail(RBL_ERROR_LIMIT, "movie: the number of frames is %g, must be at most ten million",
                        count);
    }
    movie->frame_count = (uint32_t)count;
    return RBL_OK;
}

// The height of a horizontal plane; without one, the lowest point of static bodies; without these, of moving bodies.
static double find_floor(const rblRun* run)
{
    double lowest[2] = {(double)INFINITY, (double)INFINITY}; // of moving bodies, of static bodies
    for (uint32_t i = 0; i < run->bodies.count; ++i)
    {
        const rblRunBody* body = &run->bodies.data[i];
        const rblRunShape* shape = &run->shapes.data[body->shape];
        const bool fixed = body->type == RBL_BODY_STATIC;
        rblMeshView view;
        if (body->keys.count == 0)
        {
            continue;
        }
        const rblTransform pose = body->keys.data[body->keys.count - 1].pose;
        if (shape->surface.index1 == 0)
        {
            if (rbl_rotate3(pose.q, shape->normal).y > 0.99f)
            {
                return (double)pose.p.y;
            }
            continue;
        }
        for (uint32_t v = 0; rbl_mesh_view(shape->surface, &view) == RBL_OK && v < view.vertex_count; ++v)
        {
            const rblVec3 p = rbl_rotate3(pose.q, rbl_to_float3(view.positions[v]));
            lowest[fixed] = rbl_mind(lowest[fixed], (double)(p.y + pose.p.y));
        }
    }
    const double found = lowest[1] < (double)INFINITY ? lowest[1] : lowest[0];
    return found < (double)INFINITY ? found : 0.0;
}

rblResult rbl_movie_open(rblMovie* movie, const rblRun* run, const rblMovieDef* def)
{
    *movie = (rblMovie){.run = run, .def = *def};
    RBL_TRY(rbl_movie_check(def, last_time(run)));
    RBL_TRY(count_frames(movie));
    movie->floor = find_floor(run);
    return run->settings.has_camera ? RBL_OK : rbl_movie_plan_camera(movie);
}

void rbl_movie_close(rblMovie* movie)
{
    if (movie->run != NULL)
    {
        RBL_FREE_ARRAY(movie->run->allocator, movie->views, movie->view_count);
    }
    *movie = (rblMovie){0};
}

// ---- one frame ----

double rbl_movie_time(const rblMovie* movie, uint32_t frame)
{
    return movie->def.begin + movie->def.speed * frame / movie->def.rate;
}

// Poses between two steps are interpolated. A body that exists at only one of the two steps is drawn at its pose there.
static bool pose_at(const rblRun* run, uint32_t body, double time, rblTransform* out)
{
    const double steps = rbl_mind(time / run->settings.step, rbl_run_last_step(run));
    const uint32_t step = (uint32_t)(steps + 1e-6);
    const float share = (float)rbl_maxd(steps - step, 0.0);
    rblRunKey before;
    rblRunKey after;
    if (!rbl_run_state(run, body, step, &before))
    {
        return false;
    }
    *out = before.pose;
    if (share > 1e-4f && rbl_run_state(run, body, step + 1, &after))
    {
        const rblVec3 displacement = rbl_sub3(after.pose.p, before.pose.p);
        out->p = rbl_mul_add3(before.pose.p, share, displacement);
        out->q = rbl_quat_nlerp(before.pose.q, after.pose.q, share);
    }
    return true;
}

rblVec3 rbl_movie_color(const rblRun* run, uint32_t body)
{
    while (run->bodies.data[body].parent != RBL_NONE)
    {
        body = run->bodies.data[body].parent;
    }
    const rblRunBody* whole = &run->bodies.data[body];
    const float* color = run->materials.data[whole->material].color;
    return whole->type == RBL_BODY_DYNAMIC ? rbl_picture_color(body) : rbl_vec3(color[0], color[1], color[2]);
}

// List the bodies that exist. Planes are drawn as the floor.
static uint32_t gather(const rblMovie* movie, double time, rblPictureItem* items)
{
    const rblRun* run = movie->run;
    uint32_t count = 0;
    for (uint32_t i = 0; i < run->bodies.count; ++i)
    {
        const rblRunBody* body = &run->bodies.data[i];
        const rblMeshId surface = run->shapes.data[body->shape].surface;
        rblTransform pose;
        if (surface.index1 != 0 && pose_at(run, i, time, &pose))
        {
            items[count] = rbl_default_picture_item(surface);
            items[count].pose = pose;
            items[count].color = rbl_movie_color(run, i);
            ++count;
        }
    }
    return count;
}

// No body exists at this time. A picture takes its scale from its items, so a small patch is drawn under the floor, as deep as
// the eye is distant, where it is not visible.
static rblResult draw_floor(rblPictureDef* def, uint8_t* rgba, rblPictureStats* stats)
{
    const double size = rbl_length3d(rbl_sub3d(def->eye, def->target));
    const rblVec3d positions[3] = {{-size, 0, -size}, {0, 0, size}, {size, 0, -size}};
    static const uint32_t starts[2] = {0, 3};
    static const uint32_t vertices[3] = {0, 1, 2};
    const rblMeshView view = {.vertex_count = 3,
                              .face_count = 1,
                              .corner_count = 3,
                              .positions = positions,
                              .face_starts = starts,
                              .corner_vertices = vertices};
    rblMeshId mesh;
    RBL_TRY(rbl_mesh_create(&view, &mesh));
    rblPictureItem patch = rbl_default_picture_item(mesh);
    patch.pose.p = rbl_to_float3(rbl_vec3d(def->target.x, def->floor - size, def->target.z));
    def->items = &patch;
    def->item_count = 1;
    const rblResult result = rbl_picture_render(def, rgba, stats);
    rbl_mesh_destroy(mesh);
    return result;
}

static rblResult draw(const rblMovie* movie, double time, rblPictureItem* items, uint8_t* rgba,
                      rblPictureStats* stats)
{
    rblPictureDef def = rbl_default_picture_def();
    def.item_count = gather(movie, time, items);
    def.items = items;
    def.width = movie->def.width;
    def.height = movie->def.height;
    def.samples = movie->def.samples;
    def.has_floor = 1;
    def.floor = movie->floor;
    rbl_movie_aim(movie, time, &def);
    return def.item_count > 0 ? rbl_picture_render(&def, rgba, stats) : draw_floor(&def, rgba, stats);
}

rblResult rbl_movie_picture(const rblMovie* movie, double time, uint8_t* rgba, rblPictureStats* stats)
{
    const rblAllocator* allocator = movie->run->allocator;
    const size_t count = movie->run->bodies.count;
    rblPictureItem* items = RBL_NEW_ARRAY(allocator, rblPictureItem, count);
    if (items == NULL && count > 0)
    {
        return rbl_fail_memory();
    }
    const rblResult result = draw(movie, time, items, rgba, stats);
    RBL_FREE_ARRAY(allocator, items, count);
    return result;
}

// ---- overlay ----

// Dark text over a pale outline is readable on any background.
static rblResult write_line(const rblMovie* movie, uint8_t* rgba, const char* text, float line)
{
    static const uint8_t pale[3] = {250, 248, 244};
    static const uint8_t ink[3] = {38, 40, 44};
    const float size = rbl_maxf(0.022f * (float)movie->def.height, 7.0f);
    const rblVec2 corner = {1.6f * size, (float)movie->def.height - 1.6f * size - 2.0f * size * line};
    const rblVec2 below = {corner.x + 0.09f * size, corner.y + 0.09f * size};
    RBL_TRY(rbl_picture_write(rgba, movie->def.width, movie->def.height, text, below, size, pale));
    return rbl_picture_write(rgba, movie->def.width, movie->def.height, text, corner, size, ink);
}

static rblResult write_overlay(const rblMovie* movie, double time, uint8_t* rgba)
{
    const rblStatistics* statistics = &movie->run->statistics;
    if (statistics->steps.count == 0)
    {
        return RBL_OK;
    }
    const double steps = time / movie->run->settings.step + 0.5;
    const size_t last = statistics->steps.count - 1;
    const size_t step = steps < (double)last ? (size_t)steps : last;
    const rblStepRecord* record = &statistics->steps.data[step];
    char seconds[RBL_NUMBER_SIZE];
    char milliseconds[RBL_NUMBER_SIZE];
    char text[128];
    rbl_format_fixed(time, 2, seconds);
    rbl_format_fixed(record->times.total, 2, milliseconds);
    snprintf(text, sizeof text, "%s s   %u bodies   %u contacts   %s ms", seconds, record->counters.bodies,
             record->counters.contacts, milliseconds);
    return write_line(movie, rgba, text, 0.0f);
}

rblResult rbl_movie_frame(const rblMovie* movie, uint32_t frame, uint8_t* rgba, rblPictureStats* stats)
{
    const double time = rbl_movie_time(movie, frame);
    RBL_TRY(rbl_movie_picture(movie, time, rgba, stats));
    return movie->def.overlay ? write_overlay(movie, time, rgba) : RBL_OK;
}
