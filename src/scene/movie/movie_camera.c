#include "scene/movie/movie_camera.h"

#include "base/error.h"
#include "base/sort.h"
#include "math/trig.h"
#include "math/vec.h"
#include <math.h>

#define VIEW_SECONDS   0.1  // s: interval between two views
#define SMOOTH_SECONDS 0.8  // s: interval over which views are averaged, so that the camera moves smoothly
#define OUTLIER_SHARE  0.05 // of the bodies on either side of an axis: not followed
#define DEGREE         (RBL_PI / 180.0)
#define AZIMUTH        (32.0 * DEGREE)
#define ELEVATION      (20.0 * DEGREE)
#define FIELD_OF_VIEW  0.60 // radians, vertical
#define MARGIN         1.05 // times the followed region

typedef struct BodyList
{
    rblVec3* positions; // of moving bodies, at one step
    uint32_t* order;
    uint32_t* scratch;
    float radius; // m: radius of the largest body
    uint32_t count;
    int axis;
} BodyList;

static float coordinate(rblVec3 p, int axis)
{
    return axis == 0 ? p.x : axis == 1 ? p.y : p.z;
}

static bool is_before(uint32_t a, uint32_t b, const void* context)
{
    const BodyList* list = context;
    return coordinate(list->positions[a], list->axis) < coordinate(list->positions[b], list->axis);
}

// ---- one view ----

static void gather(const rblRun* run, uint32_t step, BodyList* list)
{
    list->count = 0;
    list->radius = 0.0f;
    for (uint32_t i = 0; i < run->bodies.count; ++i)
    {
        const rblRunBody* body = &run->bodies.data[i];
        rblRunKey key;
        if (body->type == RBL_BODY_STATIC || run->shapes.data[body->shape].surface.index1 == 0 ||
            !rbl_run_state(run, i, step, &key))
        {
            continue;
        }
        const double volume = run->shapes.data[body->shape].mass.volume;
        list->radius = rbl_maxf(list->radius, (float)rbl_cbrt(rbl_maxd(volume, 0.0)));
        list->positions[list->count++] = key.pose.p;
    }
}

// Middle and half extent along an axis, without the outermost bodies.
static void measure_axis(BodyList* list, int axis, double* middle, double* half)
{
    list->axis = axis;
    for (uint32_t i = 0; i < list->count; ++i)
    {
        list->order[i] = i;
    }
    rbl_sort_indices(list->order, list->scratch, list->count, is_before, list);
    const uint32_t left_out = (uint32_t)(OUTLIER_SHARE * list->count);
    const double low = (double)coordinate(list->positions[list->order[left_out]], axis);
    const double high = (double)coordinate(list->positions[list->order[list->count - 1 - left_out]], axis);
    *middle = 0.5 * (low + high);
    *half = 0.5 * (high - low);
}

static rblMovieView find_view(const rblMovie* movie, uint32_t step, BodyList* list)
{
    gather(movie->run, step, list);
    if (list->count == 0)
    {
        return (rblMovieView){{0.0, movie->floor, 0.0}, 1.0};
    }
    double middle[3];
    double half[3];
    for (int axis = 0; axis < 3; ++axis)
    {
        measure_axis(list, axis, &middle[axis], &half[axis]);
    }
    const double size = sqrt(half[0] * half[0] + half[1] * half[1] + half[2] * half[2]);
    return (rblMovieView){{middle[0], middle[1], middle[2]}, size + 1.5 * (double)list->radius + 1e-3};
}

// ---- all views ----

// A weighted mean over SMOOTH_SECONDS on both sides, so that the camera does not jump.
static rblMovieView smooth(const rblMovieView* views, uint32_t count, uint32_t index)
{
    const int reach = (int)(SMOOTH_SECONDS / VIEW_SECONDS + 0.5);
    rblMovieView sum = {{0, 0, 0}, 0};
    double weights = 0.0;
    for (int k = -reach; k <= reach; ++k)
    {
        const int64_t wanted = (int64_t)index + k;
        const uint32_t i = wanted < 0 ? 0 : wanted >= count ? count - 1 : (uint32_t)wanted;
        const double weight = (double)(reach + 1 - (k < 0 ? -k : k));
        sum.target = rbl_add3d(sum.target, rbl_scale3d(views[i].target, weight));
        sum.radius += weight * views[i].radius;
        weights += weight;
    }
    return (rblMovieView){rbl_scale3d(sum.target, 1.0 / weights), sum.radius / weights};
}

// The radius around the smoothed target that contains the regions of this view and of the views before and after it.
static double radius_needed(const rblMovie* movie, const rblMovieView* raw, uint32_t index)
{
    const uint32_t first = index > 0 ? index - 1 : 0;
    const uint32_t last = index + 1 < movie->view_count ? index + 1 : index;
    double needed = 0.0;
    for (uint32_t i = first; i <= last; ++i)
    {
        const double off = rbl_distance3d(movie->views[index].target, raw[i].target);
        needed = rbl_maxd(needed, off + raw[i].radius);
    }
    return needed;
}

// The largest radius over SMOOTH_SECONDS on both sides. A mean of such maxima contains everything that each single view
// contains.
static double largest_around(const rblMovieView* views, uint32_t count, uint32_t index)
{
    const uint32_t reach = (uint32_t)(SMOOTH_SECONDS / VIEW_SECONDS + 0.5);
    const uint32_t end = count - index > reach ? index + reach + 1 : count;
    double largest = 0.0;
    for (uint32_t i = index > reach ? index - reach : 0; i < end; ++i)
    {
        largest = rbl_maxd(largest, views[i].radius);
    }
    return largest;
}

static void plan_views(rblMovie* movie, rblMovieView* raw, BodyList* list)
{
    const rblRun* run = movie->run;
    const uint32_t count = movie->view_count;
    for (uint32_t i = 0; i < count; ++i)
    {
        const double position = VIEW_SECONDS * i / run->settings.step;
        const double last = rbl_run_last_step(run);
        raw[i] = find_view(movie, (uint32_t)rbl_mind(position, last), list);
    }
    for (uint32_t i = 0; i < count; ++i)
    {
        movie->views[i].target = smooth(raw, count, i).target;
    }
    for (uint32_t i = 0; i < count; ++i)
    {
        movie->views[i].radius = radius_needed(movie, raw, i);
    }
    for (uint32_t i = 0; i < count; ++i)
    {
        raw[i].radius = largest_around(movie->views, count, i);
    }
    for (uint32_t i = 0; i < count; ++i)
    {
        movie->views[i].radius = smooth(raw, count, i).radius;
    }
}

rblResult rbl_movie_plan_camera(rblMovie* movie)
{
    const rblAllocator* allocator = movie->run->allocator;
    const size_t bodies = movie->run->bodies.count;
    const double seconds = rbl_run_last_step(movie->run) * movie->run->settings.step;
    const double count = rbl_mind(ceil(seconds / VIEW_SECONDS), 1e8) + 1.0;
    movie->view_count = (uint32_t)count;
    movie->views = RBL_NEW_ARRAY(allocator, rblMovieView, movie->view_count);
    rblMovieView* raw = RBL_NEW_ARRAY(allocator, rblMovieView, movie->view_count);
    BodyList list = {.positions = RBL_NEW_ARRAY(allocator, rblVec3, bodies),
                     .order = RBL_NEW_ARRAY(allocator, uint32_t, bodies),
                     .scratch = RBL_NEW_ARRAY(allocator, uint32_t, bodies)};
    const bool crowded = list.positions != NULL && list.order != NULL && list.scratch != NULL;
    const bool enough = movie->views != NULL && raw != NULL && (crowded || bodies == 0);
    if (enough)
    {
        plan_views(movie, raw, &list);
    }
    RBL_FREE_ARRAY(allocator, raw, movie->view_count);
    RBL_FREE_ARRAY(allocator, list.positions, bodies);
    RBL_FREE_ARRAY(allocator, list.order, bodies);
    RBL_FREE_ARRAY(allocator, list.scratch, bodies);
    return enough ? RBL_OK : rbl_fail_memory();
}

// ---- aiming ----

rblMovieView rbl_movie_view(const rblMovie* movie, double time)
{
    const double last = movie->view_count - 1;
    const double position = rbl_mind(rbl_maxd(time / VIEW_SECONDS, 0.0), last);
    const uint32_t before = (uint32_t)position;
    const uint32_t after = before + 1 < movie->view_count ? before + 1 : before;
    const double share = position - before;
    const rblMovieView* a = &movie->views[before];
    const rblMovieView* b = &movie->views[after];
    return (rblMovieView){rbl_add3d(rbl_scale3d(a->target, 1.0 - share), rbl_scale3d(b->target, share)),
                          (1.0 - share) * a->radius + share * b->radius};
}

void rbl_movie_aim(const rblMovie* movie, double time, rblPictureDef* def)
{
    def->has_eye = 1;
    def->has_target = 1;
    if (movie->run->settings.has_camera)
    {
        const rblSceneCamera* camera = &movie->run->settings.camera;
        def->eye = rbl_to_double3(camera->eye);
        def->target = rbl_to_double3(camera->target);
        def->field_of_view = (double)camera->fov * DEGREE;
        return;
    }
    const rblMovieView view = rbl_movie_view(movie, time);
    const double narrow = rbl_mind(1.0, (double)movie->def.width / movie->def.height);
    const double distance = MARGIN * view.radius / (rbl_sin(0.5 * FIELD_OF_VIEW) * narrow);
    const rblVec3d back = {rbl_cos(ELEVATION) * rbl_sin(AZIMUTH), rbl_sin(ELEVATION),
                           rbl_cos(ELEVATION) * rbl_cos(AZIMUTH)};
    def->target = view.target;
    def->eye = rbl_add3d(view.target, rbl_scale3d(back, distance));
    def->field_of_view = FIELD_OF_VIEW;
}
