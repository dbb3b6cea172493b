#include "field/decompose/part_merge.h"

#include "base/error.h"
#include "base/jobs.h"

void rbl_part_hulls_free(rblPartHulls* hulls)
{
    for (size_t i = 0; i < hulls->count; ++i)
    {
        rbl_array_free(&hulls->data[i].points);
    }
    rbl_array_free(hulls);
}

// ---- pairs ----

// The volume that the common hull of a pair has outside of its pieces, for all pairs i < j.
typedef struct Pairs
{
    const rblPartHulls* hulls;
    size_t width; // of a row
    double* outside;
    uint32_t fresh; // the hull whose pairs are measured; UINT32_MAX: all pairs
    rblResult* results;
} Pairs;

static double* pair_of(const Pairs* pairs, size_t i, size_t j)
{
    return &pairs->outside[i < j ? i * pairs->width + j : j * pairs->width + i];
}

static bool join_points(const rblPartHull* a, const rblPartHull* b, rblPointArray* out)
{
    bool stored = true;
    for (size_t i = 0; stored && i < a->points.count; ++i)
    {
        stored = rbl_array_push(out, a->points.data[i]);
    }
    for (size_t i = 0; stored && i < b->points.count; ++i)
    {
        stored = rbl_array_push(out, b->points.data[i]);
    }
    return stored;
}

static rblResult measure_pair(const Pairs* pairs, uint32_t i, uint32_t j)
{
    const rblPartHull* a = &pairs->hulls->data[i];
    const rblPartHull* b = &pairs->hulls->data[j];
    rblPointArray points;
    double volume = 0.0;
    rbl_array_init(&points, pairs->hulls->allocator);
    rblResult result = join_points(a, b, &points) ? RBL_OK : rbl_fail_memory();
    if (result == RBL_OK)
    {
        result = rbl_points_hull_volume(points.data, (uint32_t)points.count, points.allocator, NULL, &volume);
    }
    rbl_array_free(&points);
    *pair_of(pairs, i, j) = volume - a->volume - b->volume;
    return result;
}

static void measure_row(rblRange range, void* context)
{
    const Pairs* pairs = context;
    const uint32_t count = (uint32_t)pairs->hulls->count;
    for (uint32_t i = range.begin; i < range.end; ++i)
    {
        pairs->results[i] = RBL_OK;
        const bool all = pairs->fresh == UINT32_MAX;
        for (uint32_t j = all ? i + 1 : 0; all && j < count && pairs->results[i] == RBL_OK; ++j)
        {
            pairs->results[i] = measure_pair(pairs, i, j);
        }
        if (!all && i != pairs->fresh)
        {
            pairs->results[i] = measure_pair(pairs, i, pairs->fresh);
        }
    }
}

static rblResult measure(Pairs* pairs, uint32_t fresh)
{
    const uint32_t count = (uint32_t)pairs->hulls->count;
    pairs->fresh = fresh;
    rbl_parallel_for(rbl_default_jobs(), count, 1, measure_row, pairs);
    for (uint32_t i = 0; i < count; ++i)
    {
        RBL_TRY(pairs->results[i] == RBL_OK ? RBL_OK : rbl_fail_memory());
    }
    return RBL_OK;
}

// ---- joining ----

static rblResult join(rblPartHulls* hulls, uint32_t i, uint32_t j)
{
    rblPartHull whole = {.volume = hulls->data[i].volume + hulls->data[j].volume};
    rblPointArray points;
    rbl_array_init(&points, hulls->allocator);
    rbl_array_init(&whole.points, hulls->allocator);
    rblResult result = join_points(&hulls->data[i], &hulls->data[j], &points) ? RBL_OK : rbl_fail_memory();
    if (result == RBL_OK)
    {
        result = rbl_points_hull_volume(points.data, (uint32_t)points.count, points.allocator, &whole.points,
                                        &whole.hull_volume);
    }
    rbl_array_free(&points);
    if (result != RBL_OK)
    {
        rbl_array_free(&whole.points);
        return result;
    }
    rbl_array_free(&hulls->data[i].points);
    rbl_array_free(&hulls->data[j].points);
    hulls->data[i] = whole;
    hulls->data[j] = hulls->data[--hulls->count];
    return RBL_OK;
}

// The last hull takes the place of hull j.
static void move_last_pairs(const Pairs* pairs, uint32_t j)
{
    const size_t last = pairs->hulls->count; // after the join
    for (size_t k = 0; k < last; ++k)
    {
        if (k != j && j != last)
        {
            *pair_of(pairs, k, j) = *pair_of(pairs, k, last);
        }
    }
}

static rblResult join_best(Pairs* pairs, rblPartHulls* hulls, uint32_t most, double allowed, bool* joined)
{
    const uint32_t count = (uint32_t)hulls->count;
    double best = (double)INFINITY;
    uint32_t best_i = 0;
    uint32_t best_j = 0;
    for (uint32_t i = 0; i < count; ++i)
    {
        for (uint32_t j = i + 1; j < count; ++j)
        {
            if (*pair_of(pairs, i, j) < best)
            {
                best = *pair_of(pairs, i, j);
                best_i = i;
                best_j = j;
            }
        }
    }
    *joined = best < (double)INFINITY && (count > most || best <= allowed);
    if (!*joined)
    {
        return RBL_OK;
    }
    RBL_TRY(join(hulls, best_i, best_j));
    move_last_pairs(pairs, best_j);
    return measure(pairs, best_i);
}

static void sort_by_volume(rblPartHulls* hulls)
{
    for (size_t i = 1; i < hulls->count; ++i)
    {
        const rblPartHull hull = hulls->data[i];
        size_t k = i;
        for (; k > 0 && hulls->data[k - 1].hull_volume < hull.hull_volume; --k)
        {
            hulls->data[k] = hulls->data[k - 1];
        }
        hulls->data[k] = hull;
    }
}

rblResult rbl_part_hulls_merge(rblPartHulls* hulls, uint32_t most, double allowed)
{
    const size_t width = hulls->count;
    Pairs pairs = {.hulls = hulls, .width = width};
    pairs.outside = RBL_NEW_ARRAY(hulls->allocator, double, width* width);
    pairs.results = RBL_NEW_ARRAY(hulls->allocator, rblResult, width);
    rblResult result = pairs.outside != NULL && pairs.results != NULL ? RBL_OK : rbl_fail_memory();
    if (result == RBL_OK)
    {
        result = measure(&pairs, UINT32_MAX);
    }
    for (bool joined = true; joined && result == RBL_OK;)
    {
        result = join_best(&pairs, hulls, most, allowed, &joined);
    }
    RBL_FREE_ARRAY(hulls->allocator, pairs.outside, width * width);
    RBL_FREE_ARRAY(hulls->allocator, pairs.results, width);
    sort_by_volume(hulls);
    return result;
}
