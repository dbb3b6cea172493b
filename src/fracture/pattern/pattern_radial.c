// Spokes and rings about the normal, as in glass: a hub at the impact, then rings of wedges that grow outwards, and spokes that
// fork.
//
// A wedge in ring k and sector j has f = -2 R_k p_j (u_j . x) + R_k^2, with u_j its direction in the plane of the plate. All f
// of one ring agree at the axis, so the facets between its sectors are planes through the axis, and the same ones in all
// rings: straight spokes. Between rings k and k + 1 the facet is the chord at (R_k + R_k+1) / (2 p_j): each sector has its rings
// where its own factor p_j puts them. Where wedges would become too wide each sector forks in two.
#include "fracture/pattern/pattern_private.h"
#include "math/aabb.h"
#include "math/trig.h"

#define HUB           0.02 // radius of the hub, relative to the farthest point
#define GRADING       1.6  // exponent: radii grow with this power of the ring index
#define SLENDER       2.6  // ratio of length to width of a wedge
#define LONG_SHARDS   0.4  // probability that a wedge continues through the next ring, at jitter 1
#define FEWEST_SPOKES 4    // of the first ring
#define SPOKE_CHOICES 4    // numbers of spokes that are tried from there
#define MAX_FORKS     12   // of a sector
#define MAX_WEDGES    (0.7 * RBL_MAX_CELLS)
#define LIMITED_SHARE 0.3 // factor of MAX_WEDGES where rings and layers of the rest are added
#define MAX_ROUNDS    9   // refinements of the web until enough wedges are in the body
#define FINER_ADDS    1.1 // within a radius, twice as many wedges must meet the body this many times as often
#define FLAT          0.35 // layers are as deep as wedges at this part of the farthest radius are long, or more

typedef struct Web
{
    double hub, farthest; // radii
    uint32_t rings, spokes, layers;
    double top, bottom; // of the body, along y
    double unrest;      // by which rings may differ between sectors, at full jitter
    bool limited;       // one more ring, the last, is what stays one piece: region 0,
    bool above, below;  // and so are one more layer above the first and below the last
} Web;

// A sector of the web, from the ring in which it forks off.
typedef struct Sector
{
    double angle, width;
    double factor;   // p_j
    uint32_t region; // of its last wedge when that goes on; UINT32_MAX: the next wedge is a piece of its own
    uint32_t ring;   // next
    uint32_t forks;  // so far
} Sector;

// The web extends to the farthest point of the body, within the radius.
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
    web->hub = falloff > 0.0 ? rbl_mind(falloff, 0.5 * web->farthest) : HUB * web->farthest;
}

// The middle of ring k; k may lie between rings.
static double radius_of(const Web* web, double k)
{
    return web->hub + (web->farthest - web->hub) * rbl_pow((k + 0.5) / web->rings, GRADING);
}

static double wanted_spokes(const Web* web, uint32_t k)
{
    const double length = radius_of(web, k + 0.5) - radius_of(web, k - 0.5);
    return 2.0 * RBL_PI * radius_of(web, k) * SLENDER / length;
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

// With K rings whose radii grow as k^g, the wedges of ring k are k / g times their length from the axis, and the spokes there
// 2 pi s k / g for wedges s times as long as wide: pi s K^2 / g in all. Spokes come in powers of two times those of the first
// ring, so look for the numbers of rings and of first spokes that come nearest.
static void choose_rings(Web* web, double wedges)
{
    const double about = sqrt(wedges * GRADING / (RBL_PI * SLENDER));
    const double fewest = wedges < 10.0 ? 1.0 : 2.0;
    Web best = *web;
    double best_miss = (double)INFINITY;
    for (uint32_t trial = 0; trial < 3 * SPOKE_CHOICES; ++trial)
    {
        web->rings = (uint32_t)rbl_maxd(floor(about) + trial / SPOKE_CHOICES - 1.0, fewest);
        web->spokes =
            web->rings > 1 ? FEWEST_SPOKES + trial % SPOKE_CHOICES : (uint32_t)rbl_maxd(wedges, 2.0);
        const double miss = fabs(wedge_count(web) - wedges);
        best = miss < best_miss ? *web : best;
        best_miss = rbl_mind(miss, best_miss);
    }
    *web = best;
    web->unrest = 0.25 / (2.0 + web->rings);
}

// L layers have wedges / L wedges each, so rings as many as 1 / sqrt(L), and wedges sqrt(L) times as long: layers as deep as that
// are (depth / length)^(2/3), with the length that wedges of a single layer have.
static void choose_web(Web* web, double wedges)
{
    const double rings = rbl_maxd(sqrt(wedges * GRADING / (RBL_PI * SLENDER)), 1.0);
    const double deep = (web->top - web->bottom) * rings / (FLAT * GRADING * web->farthest);
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

// What lies beyond the last ring of a sector: it begins at the radius that limits the web.
static rblResult add_rest(rblDraft* draft, const Web* web, const Sector* s, rblVec3d depth,
                          double depth_offset)
{
    const double radius = 2.0 * web->farthest - radius_of(web, web->rings - 1.0);
    const rblVec3d gradient = wedge_gradient(depth, s->angle, radius * s->factor);
    return rbl_draft_add(draft, gradient, radius * radius + depth_offset, 0);
}

// Wedges outwards along one sector, and along those that fork off it, the nearer half first.
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
            waiting[count++].factor *= 1.0 + web->unrest * rbl_draft_jitter(draft);
            continue;
        }
        const double radius = radius_of(web, s->ring++);
        const double reach = radius * s->factor * (1.0 + 0.3 * web->unrest * rbl_draft_jitter(draft));
        const uint32_t region = s->region != UINT32_MAX ? s->region : draft->region_count;
        RBL_TRY(rbl_draft_add(draft, wedge_gradient(depth, s->angle, reach), radius * radius + depth_offset,
                              region));
        const bool goes_on =
            s->region == UINT32_MAX && rbl_random_double(&draft->random) < LONG_SHARDS * draft->def->jitter;
        s->region = goes_on ? region : UINT32_MAX;
    }
    return RBL_OK;
}

// How much more the distance from a layer counts than that from a wedge: the factors p_j raise and lower wedges by 4 unrest times
// their squared radius, which must not lift them into the next layer.
static double layer_weight(const Web* web, double jitter)
{
    const double steps = web->layers * web->farthest / rbl_maxd(web->top - web->bottom, 1e-6 * web->farthest);
    return 1.0 + 8.0 * web->unrest * jitter * steps * steps;
}

// The middle of a layer. They grow deeper away from the impact, as rings do.
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
                               .factor = 1.0 + 2.0 * web->unrest * rbl_draft_jitter(draft),
                               .region = UINT32_MAX};
        RBL_TRY(add_sector(draft, web, sector, depth, offset));
    }
    return RBL_OK;
}

// A layer of what stays one piece. It is a web like the others, so that it begins at one height all over.
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

// Without its hub the wedges of a layer would all meet along the axis.
static bool is_hub(rblVec3d gradient)
{
    return gradient.x == 0.0 && gradient.z == 0.0;
}

// Wedges outside of the body are lost: refine the web until enough of them are in the body.
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
    const double most = rbl_mind(20.0 * wanted + 100.0, (web.limited ? LIMITED_SHARE : 1.0) * MAX_WEDGES);
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
        if (web.limited && high == 0.0 && round > 1 && count < FINER_ADDS * before)
        {
            break;
        }
        wedges = high > 0.0 ? sqrt(low * high) : rbl_mind(2.0 * wedges, most);
    }
    choose_web(&web, best);
    RBL_TRY(add_web(draft, &web));
    return rbl_draft_trim(draft, is_hub);
}
