// Voronoi cells of well-spaced seeds: voronoi, clustered and splinters differ in how distance is measured.
//
// Seeds are chosen one after the other, each the best of a few candidates inside the body: the one farthest from all seeds so
// far (Mitchell 1991, "Spectrally optimal sampling for distribution ray tracing": best candidate). Distances count less where
// pieces may be large: they are divided by the wanted size 1 + d / falloff at distance d from the impact. Along the grain they
// count less by the aspect; a Voronoi diagram in stretched space still has linear functions:
//   |x - s|_M^2 - |x|_M^2 = -2 (M s) . x + s . M s,   M = 1 - (1 - 1 / aspect^2) u u^T.
#include "fracture/pattern/pattern_private.h"
#include <math.h>

#define MAX_CANDIDATES   16        // per seed
#define CROWDING         0.07      // default falloff of clustered cells, relative to the body's extent
#define SPLINTER_ASPECT  8.0       // default ratio of length to width of splinters
#define TRIES            8         // random points per candidate
#define CANDIDATE_BUDGET 4000u     // candidates times pieces, about: bounds the time
#define COVER_BUDGET     10000000u // points beyond the radius times pieces, at most: bounds the time

typedef struct Seeds
{
    rblDraft* draft;
    rblVec3d axis;     // unit
    double along;      // weight of squared distance along the axis
    double falloff;    // 0: one size everywhere
    rblPointArray all; // so far
    uint32_t inner;    // the first ones, of a piece each; the others belong to what stays one piece
} Seeds;

static double distance_squared(const Seeds* seeds, rblVec3d a, rblVec3d b)
{
    const rblVec3d apart = rbl_sub3d(a, b);
    const double along = rbl_dot3d(apart, seeds->axis);
    return rbl_dot3d(apart, apart) - (1.0 - seeds->along) * along * along;
}

static double wanted_size(const Seeds* seeds, rblVec3d at)
{
    return seeds->falloff > 0.0 ? 1.0 + rbl_length3d(at) / seeds->falloff : 1.0;
}

// How far a candidate is moved towards the impact, where small pieces are wanted: 1 not at all.
static double pull(Seeds* seeds)
{
    rblRandom* random = &seeds->draft->random;
    const double u = rbl_random_double(random);
    return seeds->falloff > 0.0 && rbl_random_below(random, 4) > 0 ? u * u : 1.0;
}

// Somewhere in the body, within the radius, more often where small pieces are wanted.
static rblVec3d candidate(Seeds* seeds)
{
    rblDraft* draft = seeds->draft;
    const rblPointArray* points = draft->radius > 0.0 ? &draft->near : &draft->points;
    rblVec3d at = {0, 0, 0};
    for (int t = 0; t < TRIES; ++t)
    {
        at = points->data[rbl_random_below(&draft->random, (uint32_t)points->count)];
        const rblVec3d pulled = rbl_scale3d(at, pull(seeds));
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
    double best_room = -1.0;
    for (uint32_t c = 0; c < candidates; ++c)
    {
        const rblVec3d at = candidate(seeds);
        const double size = wanted_size(seeds, at);
        double room = (double)INFINITY;
        for (size_t s = 0; s < seeds->all.count; ++s)
        {
            room = rbl_mind(room, distance_squared(seeds, at, seeds->all.data[s]));
        }
        room /= size * size;
        best = room > best_room ? at : best;
        best_room = rbl_maxd(room, best_room);
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

// ---- what stays one piece ----

// The mirror image of a seed in the sphere, along a unit vector of which the seed has so much. Distances along the grain and
// across it are measured alike within each, so the cell ends in the middle between the two.
static bool add_mirror(Seeds* seeds, rblVec3d at, rblVec3d direction, double along)
{
    const double radius = seeds->draft->radius;
    const double half = radius * radius - (rbl_dot3d(at, at) - along * along);
    const double border = sqrt(rbl_maxd(half, 0.0));
    return rbl_array_push(&seeds->all, rbl_mul_add3d(at, 2.0 * (border - along), direction));
}

// Each seed's cell ends where it leaves the radius, by seeds of the rest: along the ray from the impact, for splinters both
// ways along the grain and away from the impact across it.
static bool add_mirrors(Seeds* seeds)
{
    const bool grained = seeds->along < 1.0;
    bool stored = true;
    for (uint32_t s = 0; s < seeds->inner && stored; ++s)
    {
        const rblVec3d at = seeds->all.data[s];
        const double along = grained ? rbl_dot3d(at, seeds->axis) : 0.0;
        const rblVec3d away = rbl_mul_add3d(at, -along, seeds->axis);
        const double distance = rbl_length3d(away);
        if (grained)
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
        const double here = distance_squared(seeds, at, seeds->all.data[s]);
        nearest = here < least ? s : nearest;
        least = rbl_mind(here, least);
    }
    return nearest < seeds->inner;
}

// Points of the body beyond the radius that are still in a cell within it become seeds of the rest themselves.
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
        seeds.falloff = CROWDING * draft->extent;
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
