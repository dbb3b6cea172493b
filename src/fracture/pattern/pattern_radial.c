// Radial and circumferential cracks about the normal, as in glass: a hub at the impact, rings of wedges that become
// larger outwards, and radial cracks (spokes) that fork.
//
// A wedge in ring k and sector j has f = -2 R_k p_j (u_j . x) + R_k^2, where u_j is the direction of the sector in the
// plane of the plate. All f of one ring are equal on the axis. So the facets between sectors are planes through the
// axis, the same planes in all rings: straight spokes. The facet between rings k and k + 1 is the chord at (R_k +
// R_k+1) / (2 p_j): the factor p_j of a sector sets the radii of its rings. Where wedges would become too wide, each
// sector forks in two.
#include "fracture/pattern/pattern_private.h"
#include "math/aabb.h"
#include "math/trig.h"

// ---- tuning ----
#define HUB_RADIUS             0.02 // radius of the hub, relative to the farthest point
#define GRADING                1.6  // exponent: the radius of ring k is proportional to k^GRADING
#define WEDGE_ASPECT           2.6  // ratio of length to width of a wedge
#define LONG_WEDGE_PROBABILITY 0.4  // probability that a wedge continues through the next ring, at jitter 1
#define MIN_SPOKES             4    // in the first ring, at least
#define SPOKE_CHOICES          4    // numbers of spokes that are tried, from MIN_SPOKES
#define MAX_FORKS              12   // of one sector
#define MAX_WEDGES             (0.7 * RBL_MAX_CELLS) // cells of a pattern, with a reserve
// Factor of MAX_WEDGES with a radius, where rings and layers of the rest are added.
#define LIMITED_FRACTION 0.3
#define MAX_ROUNDS       9 // refinements of the web until the body contains enough wedges
// With a radius: twice as many wedges must give at least this factor of wedges inside the body.
#define MIN_GAIN 1.1
// Fraction of the farthest radius; layers are at least as deep as the wedges at that radius are long.
#define LAYER_RADIUS 0.35

typedef struct Web
{
    double hub, farthest; // m
    uint32_t rings, spokes, layers;
    double top, bottom; // m, range of the body along y
    double spread;      // relative difference of ring radii between sectors, at jitter 1
    bool limited;       // whether there is a radius: one more ring, the last, is part of `rest`, region 0;
    bool above, below;  // whether one more layer above the first, below the last, is part of `rest`
} Web;

// A sector of the web, from the ring in which it starts.
typedef struct Sector
{
    double angle, width;
    double factor; // p_j
    // Region of its last wedge if that continues in the next ring; UINT32_MAX: the next wedge is a new piece.
    uint32_t region;
    uint32_t ring;  // the next ring
    uint32_t forks; // number of forks so far
} Sector;

// The web extends to the farthest point of the body, or to the radius.
static void measure(const rblDraft* draft, Web* web)
{
    const rblAabbd bounds = draft->body->bounds;
    const rblPointArray* points = draft->radius > 0.0 ? &draft->near : &draft->points;
    *web = (Web){.top = bounds.lower.y, .bottom = bounds.upper.y, .limited = draft->radius > 0.0};
    for (size_t p = 0; p < points->count; ++p)
    {
        const rblVec3d at = points->data[p];
        web->farthest = rbl_maxd(web->farthest, sqrt(at.x * at.x + at.z * at.z));
        web->top = rbl_maxd(web->top, at.y);
        web->bottom = rbl_mind(web->bottom, at.y);
    }
    web->farthest = rbl_maxd(web->farthest, 1e-3 * (web->limited ? draft->radius : draft->extent));
    web->above = web->limited && bounds.upper.y > draft->radius;
    web->below = web->limited && bounds.lower.y < -draft->radius;
    const double falloff = draft->def->falloff;
    web->hub = falloff > 0.0 ? rbl_mind(falloff, 0.5 * web->farthest) : HUB_RADIUS * web->farthest;
}

// Middle radius of ring k; k may be fractional.
static double radius_of(const Web* web, double k)
{
    return web->hub + (web->farthest - web->hub) * rbl_pow((k + 0.5) / web->rings, GRADING);
}

static double wanted_spokes(const Web* web, uint32_t k)
{
    const double length = radius_of(web, k + 0.5) - radius_of(web, k - 0.5);
    return 2.0 * RBL_PI * radius_of(web, k) * WEDGE_ASPECT / length;
}

static uint32_t forks_at(const Web* web, uint32_t k)
{
    uint32_t forks = 0;
    while (forks < MAX_FORKS && wanted_spokes(web, k) > 1.4 * (double)(web->spokes << forks))
    {
        ++forks;
    }
    return forks;
}

static uint32_t wedge_count(const Web* web)
{
    uint32_t count = 0;
    for (uint32_t k = 0; k < web->rings; ++k)
    {
        count += web->spokes << forks_at(web, k);
    }
    return count;
}

// K rings with radii proportional to k^g: a wedge of ring k is k / g times its length away from the axis. So ring k has
// 2 pi s k / g spokes if wedges are s times as long as wide, and all rings have pi s K^2 / g wedges. The number of
// spokes is a power of two times the number of the first ring. The loop looks for the numbers of rings and of first
// spokes whose number of wedges is nearest to `wedges`.
static void choose_rings(Web* web, double wedges)
{
    const double about = sqrt(wedges * GRADING / (RBL_PI * WEDGE_ASPECT));
    const double fewest = wedges < 10.0 ? 1.0 : 2.0;
    Web best = *web;
    double best_miss = (double)INFINITY;
    for (uint32_t trial = 0; trial < 3 * SPOKE_CHOICES; ++trial)
    {
        web->rings = (uint32_t)rbl_maxd(floor(about) + trial / SPOKE_CHOICES - 1.0, fewest);
        web->spokes = web->rings > 1 ? MIN_SPOKES + trial % SPOKE_CHOICES : (uint32_t)rbl_maxd(wedges, 2.0);
        const double miss = fabs(wedge_count(web) - wedges);
        best = miss < best_miss ? *web : best;
        best_miss = rbl_mind(miss, best_miss);
    }
    *web = best;
    web->spread = 0.25 / (2.0 + web->rings);
}

// With L layers each layer has wedges / L wedges. So the number of rings is proportional to 1 / sqrt(L), and the length
// of wedges to sqrt(L). Layers are as deep as wedges are long for L = (depth / length)^(2/3), where `length` is that
// for one layer.
static void choose_web(Web* web, double wedges)
{
    const double rings = rbl_maxd(sqrt(wedges * GRADING / (RBL_PI * WEDGE_ASPECT)), 1.0);
    const double deep = (web->top - web->bottom) * rings / (LAYER_RADIUS * GRADING * web->farthest);
    const double layers = rbl_cbrt(deep * deep);
    web->layers = (uint32_t)rbl_clampd(floor(layers), 1.0, rbl_maxd(1.0, 0.5 * sqrt(wedges)));
    choose_rings(web, rbl_maxd(wedges / web->layers, 2.0));
}

static rblVec3d wedge_gradient(rblVec3d depth, double angle, double reach)
{
    double sine, cosine;
    rbl_sincos(angle, &sine, &cosine);
    return rbl_mul_add3d(depth, -2.0 * reach, rbl_vec3d(cosine, 0.0, sine));
}

// The cell beyond the last ring of a sector, part of `rest`. It starts at the radius that limits the web.
static rblResult add_rest(rblDraft* draft, const Web* web, const Sector* s, rblVec3d depth,
                          double depth_offset)
{
    const double radius = 2.0 * web->farthest - radius_of(web, web->rings - 1.0);
    const rblVec3d gradient = wedge_gradient(depth, s->angle, radius * s->factor);
    return rbl_draft_add(draft, gradient, radius * radius + depth_offset, 0);
}

// Add the wedges of one sector from the inside outwards, and of the sectors that fork from it, the closer half first.
static rblResult add_sector(rblDraft* draft, const Web* web, Sector sector, rblVec3d depth,
                            double depth_offset)
{
    Sector waiting[MAX_FORKS + 1];
    uint32_t count = 0;
    waiting[count++] = sector;
    while (count > 0)
    {
        Sector* s = &waiting[count - 1];
        if (s->ring == web->rings)
        {
            RBL_TRY(web->limited ? add_rest(draft, web, s, depth, depth_offset) : RBL_OK);
            --count;
            continue;
        }
        if (s->forks < forks_at(web, s->ring) && count <= MAX_FORKS)
        {
            const double quarter = 0.25 * s->width;
            *s = (Sector){s->angle - quarter, 2.0 * quarter, s->factor, UINT32_MAX, s->ring, s->forks + 1};
            waiting[count] = *s;
            waiting[count].angle += 2.0 * quarter;
            waiting[count++].factor *= 1.0 + web->spread * rbl_draft_jitter(draft);
            continue;
        }
        const double radius = radius_of(web, s->ring++);
        const double reach = radius * s->factor * (1.0 + 0.3 * web->spread * rbl_draft_jitter(draft));
        const uint32_t region = s->region != UINT32_MAX ? s->region : draft->region_count;
        RBL_TRY(rbl_draft_add(draft, wedge_gradient(depth, s->angle, reach), radius * radius + depth_offset,
                              region));
        const bool goes_on = s->region == UINT32_MAX &&
                             rbl_random_double(&draft->random) < LONG_WEDGE_PROBABILITY * draft->def->jitter;
        s->region = goes_on ? region : UINT32_MAX;
    }
    return RBL_OK;
}

// Weight of squared distances along y relative to those in the plane. The factors p_j change f of a wedge by up to 4
// spread times its squared radius. The weight keeps that below the difference between two layers.
static double layer_weight(const Web* web, double jitter)
{
    const double steps = web->layers * web->farthest / rbl_maxd(web->top - web->bottom, 1e-6 * web->farthest);
    return 1.0 + 8.0 * web->spread * jitter * steps * steps;
}

// Middle of a layer along y. Layers become deeper away from the impact, as rings become wider.
static double layer_height(const Web* web, uint32_t layer)
{
    const double from = (double)(layer * layer) / (web->layers * web->layers);
    const double to = (double)((layer + 1) * (layer + 1)) / (web->layers * web->layers);
    return web->top - 0.5 * (from + to) * (web->top - web->bottom);
}

static rblResult add_layer(rblDraft* draft, const Web* web, double y)
{
    const double weight = layer_weight(web, draft->def->jitter);
    const rblVec3d depth = {0, -2.0 * weight * y, 0};
    const double offset = weight * y * y;
    const double turn = rbl_random_range(&draft->random, 0.0, 2.0 * RBL_PI);
    const double width = 2.0 * RBL_PI / web->spokes;
    if (web->rings > 1)
    {
        RBL_TRY(rbl_draft_add(draft, depth, offset, draft->region_count));
    }
    for (uint32_t j = 0; j < web->spokes; ++j)
    {
        const Sector sector = {.angle = turn + width * (j + 0.3 * rbl_draft_jitter(draft)),
                               .width = width,
                               .factor = 1.0 + 2.0 * web->spread * rbl_draft_jitter(draft),
                               .region = UINT32_MAX};
        RBL_TRY(add_sector(draft, web, sector, depth, offset));
    }
    return RBL_OK;
}

// A layer of `rest`. It is a web like the others, so that its boundary is at one height everywhere.
static rblResult add_rest_layer(rblDraft* draft, const Web* web, double y)
{
    const size_t first = draft->regions.count;
    const uint32_t regions = draft->region_count;
    RBL_TRY(add_layer(draft, web, y));
    for (size_t i = first; i < draft->regions.count; ++i)
    {
        draft->regions.data[i] = draft->rest;
    }
    draft->region_count = regions;
    return RBL_OK;
}

static rblResult add_web(rblDraft* draft, const Web* web)
{
    rbl_draft_clear(draft);
    draft->region_count = web->limited ? 1 : 0;
    draft->rest = web->limited ? 0 : UINT32_MAX;
    draft->random = rbl_random_seed(draft->def->seed, 1);
    for (uint32_t layer = 0; layer < web->layers; ++layer)
    {
        RBL_TRY(add_layer(draft, web, layer_height(web, layer)));
    }
    if (web->above)
    {
        RBL_TRY(add_rest_layer(draft, web, 2.0 * web->top - layer_height(web, 0)));
    }
    return web->below ? add_rest_layer(draft, web, 2.0 * web->bottom - layer_height(web, web->layers - 1))
                      : RBL_OK;
}

// The hub always stays: without it all wedges of a layer would meet on the axis.
static bool is_hub(rblVec3d gradient)
{
    return gradient.x == 0.0 && gradient.z == 0.0;
}

// Some wedges are outside the body. Refine the web until enough wedges are inside.
rblResult rbl_make_radial(rblDraft* draft)
{
    const double wanted = draft->def->pieces - (draft->radius > 0.0 ? 1.0 : 0.0);
    if (draft->def->pieces == 1)
    {
        return rbl_draft_add(draft, rbl_vec3d(0, 0, 0), 0.0, 0);
    }
    Web web;
    measure(draft, &web);
    double low = 0.4 * wanted, high = 0.0, wedges = wanted, best = wanted, best_miss = (double)INFINITY;
    const double most = rbl_mind(20.0 * wanted + 100.0, (web.limited ? LIMITED_FRACTION : 1.0) * MAX_WEDGES);
    uint32_t count = 0, before = 0;
    for (int round = 0; round < MAX_ROUNDS && best_miss > 0.08 && low < most; ++round)
    {
        before = count;
        choose_web(&web, wedges);
        RBL_TRY(add_web(draft, &web));
        RBL_TRY(rbl_draft_count(draft, &count));
        const double miss = count < wanted ? 2.0 * (wanted - count) / wanted : (count - wanted) / wanted;
        best = miss < best_miss ? wedges : best;
        best_miss = rbl_mind(miss, best_miss);
        low = count < wanted ? wedges : low;
        high = count < wanted ? high : wedges;
        if (web.limited && high == 0.0 && round > 1 && count < MIN_GAIN * before)
        {
            break;
        }
        wedges = high > 0.0 ? sqrt(low * high) : rbl_mind(2.0 * wedges, most);
    }
    choose_web(&web, best);
    RBL_TRY(add_web(draft, &web));
    return rbl_draft_trim(draft, is_hub);
}
