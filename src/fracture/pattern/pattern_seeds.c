// Voronoi cells of well-spaced seeds. The kinds voronoi, clustered and splinters differ in the metric.
//
// Seeds are chosen one after the other. Each is the best of a few random candidates inside the body: the candidate
// farthest from all earlier seeds (Mitchell 1991, "Spectrally optimal sampling for distribution ray tracing": best
// candidate). Distances are divided by the wanted size 1 + d / falloff at distance d from the impact, so that pieces
// far away are larger. Distances along the grain are divided by the aspect. A Voronoi diagram in this stretched space
// still has linear functions:
//   |x - s|_M^2 - |x|_M^2 = -2 (M s) . x + s . M s,   M = 1 - (1 - 1 / aspect^2) u u^T.
#include "fracture/pattern/pattern_private.h"
#include <math.h>

// ---- tuning ----
#define MAX_CANDIDATES   16        // per seed
#define CLUSTER_FALLOFF  0.07      // default falloff of clustered cells, relative to the extent of the body
#define SPLINTER_ASPECT  8.0       // default ratio of length to width of splinters
#define TRIES            8         // random points per candidate until one is inside the body
#define CANDIDATE_BUDGET 4000u     // candidates times pieces, about; limits the time
#define COVER_BUDGET     10000000u // points beyond the radius times pieces, at most; limits the time

typedef struct Seeds
{
    rblDraft* draft;
    rblVec3d axis;     // direction of the grain, unit
    double along;      // factor of squared distances along the axis
    double falloff;    // distance at which the wanted size doubles, m; 0: the same size everywhere
    rblPointArray all; // all seeds so far
    uint32_t inner;    // number of seeds that are pieces, the first ones; the others belong to `rest`
} Seeds;

static double distance_squared(const Seeds* seeds, rblVec3d a, rblVec3d b)
{
    const rblVec3d difference = rbl_sub3d(a, b);
    const double along = rbl_dot3d(difference, seeds->axis);
    return rbl_dot3d(difference, difference) - (1.0 - seeds->along) * along * along;
}

static double wanted_size(const Seeds* seeds, rblVec3d at)
{
    return seeds->falloff > 0.0 ? 1.0 + rbl_length3d(at) / seeds->falloff : 1.0;
}

// Factor of a candidate's distance from the impact: smaller pieces near the impact need more seeds there. 1: not moved.
static double random_pull(Seeds* seeds)
{
    rblRandom* random = &seeds->draft->random;
    const double u = rbl_random_double(random);
    return seeds->falloff > 0.0 && rbl_random_below(random, 4) > 0 ? u * u : 1.0;
}

// A random point in the body and within the radius, with higher density where smaller pieces are wanted.
static rblVec3d candidate(Seeds* seeds)
{
    rblDraft* draft = seeds->draft;
    const rblPointArray* points = draft->radius > 0.0 ? &draft->near : &draft->points;
    rblVec3d at = {0, 0, 0};
    for (int t = 0; t < TRIES; ++t)
    {
        at = points->data[rbl_random_below(&draft->random, (uint32_t)points->count)];
        const rblVec3d pulled = rbl_scale3d(at, random_pull(seeds));
        if (rbl_draft_contains(draft, pulled))
        {
            return pulled;
        }
    }
    return at;
}

static bool add_seed(Seeds* seeds, uint32_t candidates)
{
    rblVec3d best = {0, 0, 0};
    double best_distance = -1.0;
    for (uint32_t c = 0; c < candidates; ++c)
    {
        const rblVec3d at = candidate(seeds);
        const double size = wanted_size(seeds, at);
        double distance = (double)INFINITY;
        for (size_t s = 0; s < seeds->all.count; ++s)
        {
            distance = rbl_mind(distance, distance_squared(seeds, at, seeds->all.data[s]));
        }
        distance /= size * size;
        best = distance > best_distance ? at : best;
        best_distance = rbl_maxd(distance, best_distance);
    }
    return rbl_array_push(&seeds->all, best);
}

static uint32_t candidate_count(const rblPatternDef* def)
{
    const double careful = 1.0 + (MAX_CANDIDATES - 1.0) * (1.0 - def->jitter);
    const uint32_t affordable = 2 + CANDIDATE_BUDGET / def->pieces;
    return careful < affordable ? (uint32_t)careful : affordable;
}

static rblResult choose_seeds(Seeds* seeds)
{
    const rblDraft* draft = seeds->draft;
    const uint32_t pieces = draft->def->pieces;
    const uint32_t candidates = candidate_count(draft->def);
    seeds->inner = draft->radius > 0.0 && pieces > 1 ? pieces - 1 : pieces;
    for (uint32_t s = 0; s < seeds->inner; ++s)
    {
        if (!add_seed(seeds, candidates))
        {
            return rbl_fail_memory();
        }
    }
    return RBL_OK;
}

// ---- the rest: what is beyond the radius ----

// The ray from a seed along `direction` (unit) leaves the sphere of the radius at a point. Add the mirror image of the
// seed in the plane across the ray through this point. `direction` is along or across the grain, so that this plane is
// the facet between the two seeds. `along`: component of the seed along `direction`.
static bool add_mirror(Seeds* seeds, rblVec3d at, rblVec3d direction, double along)
{
    const double radius = seeds->draft->radius;
    const double half = radius * radius - (rbl_dot3d(at, at) - along * along);
    const double border = sqrt(rbl_maxd(half, 0.0));
    return rbl_array_push(&seeds->all, rbl_mul_add3d(at, 2.0 * (border - along), direction));
}

// Mirror seeds belong to `rest` and end the cell of each seed at the radius: one along the ray from the impact; for
// splinters two along the grain and one across it, away from the impact.
static bool add_mirrors(Seeds* seeds)
{
    const bool has_grain = seeds->along < 1.0;
    bool stored = true;
    for (uint32_t s = 0; s < seeds->inner && stored; ++s)
    {
        const rblVec3d at = seeds->all.data[s];
        const double along = has_grain ? rbl_dot3d(at, seeds->axis) : 0.0;
        const rblVec3d away = rbl_mul_add3d(at, -along, seeds->axis);
        const double distance = rbl_length3d(away);
        if (has_grain)
        {
            stored = add_mirror(seeds, at, seeds->axis, along) &&
                     add_mirror(seeds, at, rbl_neg3d(seeds->axis), -along);
        }
        if (distance > 1e-9 * seeds->draft->radius)
        {
            stored = stored && add_mirror(seeds, at, rbl_scale3d(away, 1.0 / distance), distance);
        }
    }
    return stored;
}

static bool is_nearest_inner(const Seeds* seeds, rblVec3d at)
{
    double least = (double)INFINITY;
    size_t nearest = 0;
    for (size_t s = 0; s < seeds->all.count; ++s)
    {
        const double squared = distance_squared(seeds, at, seeds->all.data[s]);
        nearest = squared < least ? s : nearest;
        least = rbl_mind(squared, least);
    }
    return nearest < seeds->inner;
}

// Points of the body beyond the radius that are still in the cell of a piece become seeds of `rest`.
static bool cover_beyond(Seeds* seeds)
{
    const rblPointArray* points = &seeds->draft->points;
    const size_t stride = 1 + points->count * seeds->inner / COVER_BUDGET;
    bool stored = true;
    for (size_t p = 0; p < points->count && stored; p += stride)
    {
        const rblVec3d at = points->data[p];
        if (rbl_length3d(at) > seeds->draft->radius && is_nearest_inner(seeds, at))
        {
            stored = rbl_array_push(&seeds->all, at);
        }
    }
    return stored;
}

static rblResult add_cells(const Seeds* seeds)
{
    for (uint32_t s = 0; s < seeds->all.count; ++s)
    {
        const rblVec3d at = seeds->all.data[s];
        const double along = rbl_dot3d(at, seeds->axis);
        const rblVec3d stretched = rbl_mul_add3d(at, -(1.0 - seeds->along) * along, seeds->axis);
        RBL_TRY(rbl_draft_add(seeds->draft, rbl_scale3d(stretched, -2.0), rbl_dot3d(at, stretched),
                              s < seeds->inner ? s : seeds->inner));
    }
    return RBL_OK;
}

rblResult rbl_make_voronoi(rblDraft* draft)
{
    const rblPatternDef* def = draft->def;
    Seeds seeds = {.draft = draft, .axis = {0, 1, 0}, .along = 1.0, .falloff = def->falloff};
    if (def->kind == RBL_PATTERN_CLUSTERED && def->falloff == 0.0)
    {
        seeds.falloff = CLUSTER_FALLOFF * draft->extent;
    }
    if (def->kind == RBL_PATTERN_SPLINTERS)
    {
        const double aspect = def->aspect > 0.0 ? def->aspect : SPLINTER_ASPECT;
        seeds.axis = rbl_draft_axis(draft, true);
        seeds.along = 1.0 / (aspect * aspect);
    }
    rbl_array_init(&seeds.all, draft->allocator);
    rblResult result = choose_seeds(&seeds);
    if (result == RBL_OK && draft->radius > 0.0)
    {
        draft->rest = seeds.inner;
        result = add_mirrors(&seeds) && cover_beyond(&seeds) ? RBL_OK : rbl_fail_memory();
    }
    result = result == RBL_OK ? add_cells(&seeds) : result;
    rbl_array_free(&seeds.all);
    return result;
}
