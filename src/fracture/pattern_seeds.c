// Voronoi cells of seeds that keep their distance: voronoi, clustered and splinters differ in how distance is measured.
//
// Seeds are chosen one after the other, each the best of a few candidates inside the body: the one farthest from all seeds so
// far (Mitchell 1991, "Spectrally optimal sampling for distribution ray tracing": best candidate). Distances count less where
// pieces may be large: they are divided by the wanted size 1 + d / falloff at distance d from the impact. Along the grain they
// count less by the aspect; a Voronoi diagram in stretched space still has linear functions:
//   |x - s|_M^2 - |x|_M^2 = -2 (M s) . x + s . M s,   M = 1 - (1 - 1 / aspect^2) u u^T.
#include "fracture/pattern_private.h"
#include <math.h>

#define MOST_CANDIDATES  16
#define CROWDING         0.07 // falloff of clustered cells, by the body's extent
#define SPLINTER_ASPECT  8.0
#define TRIES            8
#define REST_SEEDS       12    // beyond the radius, at least
#define CANDIDATE_BUDGET 4000u // candidates times pieces, about

typedef struct Seeds
{
    rblDraft* draft;
    rblVec3d axis;     // unit
    double along;      // weight of squared distance along the axis
    double falloff;    // 0: one size everywhere
    double radius;     // 0: none
    bool beyond;       // seeds of what stays one piece, beyond the radius
    rblPointArray all; // so far
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

// How far a candidate along the ray from the impact to an inner point is moved towards the impact: 1 not at all.
static double pull(Seeds* seeds, double distance)
{
    rblRandom* random = &seeds->draft->random;
    const double u = rbl_random_double(random);
    if (seeds->beyond)
    {
        const double border = seeds->radius * (1.0 + 0.6 * u);
        return distance > border && rbl_random_below(random, 3) > 0 ? border / distance : 1.0;
    }
    if (seeds->radius > 0.0 && distance > seeds->radius)
    {
        return seeds->radius * rbl_maxd(u, rbl_random_double(random)) / distance;
    }
    return seeds->falloff > 0.0 && rbl_random_below(random, 4) > 0 ? u * u : 1.0;
}

// Somewhere in the body, more often where small pieces are wanted.
static rblVec3d candidate(Seeds* seeds)
{
    rblDraft* draft = seeds->draft;
    rblVec3d at = {0, 0, 0};
    for (int t = 0; t < TRIES; ++t)
    {
        at = draft->points.data[rbl_random_below(&draft->random, (uint32_t)draft->points.count)];
        const double distance = rbl_length3d(at);
        if (seeds->beyond && distance < seeds->radius)
        {
            continue;
        }
        const rblVec3d pulled = rbl_scale3d(at, pull(seeds, distance));
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
    const double careful = 1.0 + (MOST_CANDIDATES - 1.0) * (1.0 - def->jitter);
    const uint32_t affordable = 2 + CANDIDATE_BUDGET / def->pieces;
    return careful < affordable ? (uint32_t)careful : affordable;
}

// Seeds, the last `rest` of which belong to what stays one piece.
static rblResult choose_seeds(Seeds* seeds, uint32_t* rest)
{
    const rblPatternDef* def = seeds->draft->def;
    const uint32_t candidates = candidate_count(def);
    bool has_rest = false;
    for (size_t p = 0; seeds->radius > 0.0 && p < seeds->draft->points.count; ++p)
    {
        has_rest = has_rest || rbl_length3d(seeds->draft->points.data[p]) > seeds->radius;
    }
    const uint32_t inner = has_rest && def->pieces > 1 ? def->pieces - 1 : def->pieces;
    *rest = has_rest ? REST_SEEDS + def->pieces + def->pieces / 2 : 0;
    for (uint32_t s = 0; s < inner + *rest; ++s)
    {
        seeds->beyond = s >= inner;
        if (!add_seed(seeds, candidates))
        {
            return rbl_fail_memory();
        }
    }
    return RBL_OK;
}

// Splinters are longer than the space between seeds beyond the radius: each ends where it leaves the radius along the grain,
// by a seed of the rest that is its mirror image there.
static rblResult end_splinters(Seeds* seeds, uint32_t* rest)
{
    const uint32_t inner = (uint32_t)seeds->all.count - *rest;
    for (uint32_t s = 0; s<inner&& * rest> 0 && seeds->along < 1.0; ++s)
    {
        const rblVec3d at = seeds->all.data[s];
        const double along = rbl_dot3d(at, seeds->axis);
        const double half = seeds->radius * seeds->radius - (rbl_dot3d(at, at) - along * along);
        const double border = sqrt(rbl_maxd(half, 0.0));
        for (int side = -1; side <= 1; side += 2)
        {
            if (!rbl_array_push(&seeds->all, rbl_mul_add3d(at, 2.0 * (side * border - along), seeds->axis)))
            {
                return rbl_fail_memory();
            }
            *rest += 1;
        }
    }
    return RBL_OK;
}

static rblResult add_cells(const Seeds* seeds, uint32_t rest)
{
    const uint32_t inner = (uint32_t)seeds->all.count - rest;
    for (uint32_t s = 0; s < seeds->all.count; ++s)
    {
        const rblVec3d at = seeds->all.data[s];
        const double along = rbl_dot3d(at, seeds->axis);
        const rblVec3d stretched = rbl_mul_add3d(at, -(1.0 - seeds->along) * along, seeds->axis);
        RBL_TRY(rbl_draft_add(seeds->draft, rbl_scale3d(stretched, -2.0), rbl_dot3d(at, stretched),
                              s < inner ? s : inner));
    }
    return RBL_OK;
}

rblResult rbl_make_voronoi(rblDraft* draft)
{
    const rblPatternDef* def = draft->def;
    Seeds seeds = {
        .draft = draft, .axis = {0, 1, 0}, .along = 1.0, .falloff = def->falloff, .radius = def->radius};
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
    uint32_t rest;
    rblResult result = choose_seeds(&seeds, &rest);
    result = result == RBL_OK ? end_splinters(&seeds, &rest) : result;
    result = result == RBL_OK ? add_cells(&seeds, rest) : result;
    rbl_array_free(&seeds.all);
    return result;
}
