// Breaking by a pattern: the pattern cuts the body, with fewer pieces until the impact can pay for the cracks (unless their
// number is fixed), and pieces get shapes.
#include "base/error.h"
#include "base/random.h"
#include "field/shape.h"
#include "fracture/prescored/prescored_private.h"
#include "math/aabb.h"
#include "math/quat.h"
#include "math/transform.h"
#include "math/trig.h"
#include "math/vec.h"

#define HALVINGS 60 // bisection steps of the volume limit: to the precision of double
#define MAX_TRIES                                                                                            \
    8u // attempts to find a number of pieces that the impact can pay for; then the body stays whole
#define SLIVER    0.02 // default of `thinnest`, relative to the body's thickness
#define THIN_SLAB 0.2  // smallest thickness of a slab, relative to the mean one

// State of a break: the pattern and the solids that it cuts.
typedef struct Shattering
{
    const rblPrescoredDef* def;
    const rblLabelVolume* labels; // of a pattern from a file
    const rblBreakBody* body;
    const rblVerdict* verdict;
    const rblInsidePoints* inside;
    rblJobs* jobs;
    const rblAllocator* allocator;
    rblPattern* pattern;
    rblMat3d turn; // from the body's axes to the pattern's
    rblVec3d offset;
    uint32_t solid_count;
    rblPlacing* placings;
    rblTransform* poses; // of the solids in the body
    rblBreakage** breakages;
    double area;
    uint32_t piece_count;
    uint32_t wanted; // pieces of the next attempt
} Shattering;

static void drop_cuts(Shattering* s)
{
    for (uint32_t i = 0; i < s->solid_count; ++i)
    {
        rbl_breakage_release(s->breakages[i]);
        s->breakages[i] = NULL;
    }
    rbl_pattern_free(s->pattern);
    s->pattern = NULL;
}

static void shattering_free(Shattering* s)
{
    if (s->breakages != NULL)
    {
        drop_cuts(s);
    }
    RBL_FREE_ARRAY(s->allocator, s->breakages, s->solid_count);
    RBL_FREE_ARRAY(s->allocator, s->placings, s->solid_count);
    RBL_FREE_ARRAY(s->allocator, s->poses, s->solid_count);
}

// The axis of the body nearest to a direction.
static rblVec3d nearest_axis(rblVec3d n)
{
    const double x = fabs(n.x);
    const double y = fabs(n.y);
    const double z = fabs(n.z);
    if (x >= y && x >= z)
    {
        return (rblVec3d){n.x < 0.0 ? -1.0 : 1.0, 0, 0};
    }
    return y >= z ? (rblVec3d){0, n.y < 0.0 ? -1.0 : 1.0, 0} : (rblVec3d){0, 0, n.z < 0.0 ? -1.0 : 1.0};
}

// The pattern's origin is the impact point; its -y axis points into the body.
static void place_pattern(Shattering* s)
{
    const rblTransform pose = s->body->pose;
    const rblVec3d point = rbl_to_double3(rbl_transform_inverse_point(pose, s->verdict->point));
    const rblVec3d normal = rbl_to_double3(rbl_rotate3(rbl_quat_conjugate(pose.q), s->verdict->normal));
    s->turn = rbl_pattern_turn(s->def->aligned ? nearest_axis(normal) : normal);
    s->offset = rbl_scale3d(rbl_mat3d_apply(&s->turn, point), -1.0);
}

// Each child of a compound is a solid.
static rblResult list_solids(Shattering* s)
{
    const rblShapeParts* parts = rbl_shape_parts(s->body->view.shape);
    s->solid_count = parts != NULL ? parts->count : 1;
    s->placings = RBL_NEW_ARRAY(s->allocator, rblPlacing, s->solid_count);
    s->poses = RBL_NEW_ARRAY(s->allocator, rblTransform, s->solid_count);
    s->breakages = rbl_alloc_zero(s->allocator, sizeof *s->breakages * s->solid_count);
    if (s->placings == NULL || s->poses == NULL || s->breakages == NULL)
    {
        return rbl_fail_memory();
    }
    for (uint32_t i = 0; i < s->solid_count; ++i)
    {
        s->poses[i] = parts != NULL ? parts->parts[i].pose : (rblTransform){{0, 0, 0}, {0, 0, 0, 1}};
        const rblMat3d own = rbl_quatd_to_mat3d(rbl_to_double_quat(s->poses[i].q));
        const rblVec3d at = rbl_to_double3(s->poses[i].p);
        s->placings[i] = (rblPlacing){.solid = parts != NULL ? &parts->parts[i].shape->view : &s->body->view,
                                      .turn = rbl_mat3d_mul(&s->turn, &own),
                                      .offset = rbl_add3d(rbl_mat3d_apply(&s->turn, at), s->offset)};
    }
    return RBL_OK;
}

// ---- the pattern ----

typedef struct Containing
{
    const Shattering* s;
} Containing;

static bool contains(rblVec3d point, void* context)
{
    const Shattering* s = ((const Containing*)context)->s;
    const rblVec3d x = rbl_mat3d_apply_transposed(&s->turn, rbl_sub3d(point, s->offset));
    return rbl_shape_distance(s->body->view.shape, rbl_to_float3(x), NULL) < 0.0f;
}

// The box of the drawn surfaces in pattern space: solids must be inside the box of the cells.
static rblResult pattern_bounds(const Shattering* s, rblAabbd* out)
{
    *out = rbl_aabbd_empty();
    for (uint32_t i = 0; i < s->solid_count; ++i)
    {
        rblMeshId mesh = {0, 0};
        rblMeshView surface = {0};
        RBL_TRY(rbl_shape_surface(s->placings[i].solid, &mesh));
        if (mesh.index1 == 0)
        {
            continue;
        }
        RBL_TRY(rbl_mesh_view(mesh, &surface));
        for (uint32_t v = 0; v < surface.vertex_count; ++v)
        {
            *out = rbl_aabbd_add(*out, rbl_into_pattern(&s->placings[i], surface.positions[v]));
        }
    }
    return RBL_OK;
}

static uint64_t mixed_seed(uint64_t pattern, uint64_t body)
{
    rblRandom random = rbl_random_seed(pattern, body);
    return rbl_random_u64(&random);
}

static rblResult make_pattern(Shattering* s, uint32_t pieces)
{
    rblPatternDef def = s->def->pattern;
    def.pieces = pieces;
    def.seed = mixed_seed(def.seed, s->body->seed);
    Containing containing = {s};
    rblPatternBody body = {.axes = s->turn, .contains = contains, .contains_context = &containing};
    RBL_TRY(pattern_bounds(s, &body.bounds));
    rblVec3d* points = RBL_NEW_ARRAY(s->allocator, rblVec3d, s->inside->count);
    if (points == NULL && s->inside->count > 0)
    {
        return rbl_fail_memory();
    }
    for (uint32_t i = 0; i < s->inside->count; ++i)
    {
        points[i] = rbl_add3d(rbl_mat3d_apply(&s->turn, s->inside->points[i]), s->offset);
    }
    body.points = points;
    body.point_count = s->inside->count;
    const rblResult result =
        s->labels != NULL ? rbl_pattern_fit_labels(&def, &body, s->labels, s->jobs, s->allocator, &s->pattern)
                          : rbl_pattern_create(&def, &body, s->jobs, s->allocator, &s->pattern);
    RBL_FREE_ARRAY(s->allocator, points, s->inside->count);
    return result;
}

// ---- the cut ----

static uint32_t max_pieces(const Shattering* s)
{
    return rbl_max_fragments_of(s->def->max_fragments, s->verdict);
}

// With many slabs each is thin; jitter makes some of them several times thinner than others.
static double thinnest_allowed(const Shattering* s)
{
    const double thickness = (double)s->body->view.thinnest;
    const double slab = THIN_SLAB * thickness / (double)s->def->pattern.pieces;
    const double least =
        s->def->pattern.kind == RBL_PATTERN_SLABS ? rbl_mind(slab, SLIVER * thickness) : SLIVER * thickness;
    return s->def->thinnest > 0.0f ? (double)s->def->thinnest : least;
}

// The pattern's origin in the axes of a solid.
static rblVec3d impact_in(const rblPlacing* placing)
{
    return rbl_mat3d_apply_transposed(&placing->turn, rbl_neg3d(placing->offset));
}

static rblResult cut_solid(Shattering* s, uint32_t solid, uint32_t most)
{
    const bool merge = s->def->crumbs == RBL_CRUMBS_MERGE;
    const double volume = s->placings[solid].solid->mass.volume;
    s->placings[solid].pattern = s->pattern;
    const rblCutOptions options = {.regions = s->pattern->regions,
                                   .smallest_volume = merge ? (double)s->def->smallest * volume : 0.0,
                                   .thinnest = merge ? thinnest_allowed(s) : 0.0,
                                   .max_pieces = most,
                                   .noise = s->pattern->noise,
                                   .noise_length = s->pattern->noise_length,
                                   .radius = s->pattern->radius,
                                   .center = impact_in(&s->placings[solid]),
                                   .rest = s->pattern->rest};
    rbl_breakage_release(s->breakages[solid]);
    s->breakages[solid] = NULL;
    return rbl_breakage_create(&s->placings[solid], &options, s->jobs, &s->breakages[solid]);
}

// The number of pieces of a solid of at least this volume; the largest always counts.
static uint32_t count_large(const rblPieces* pieces, double volume)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < pieces->piece_count; ++i)
    {
        count += pieces->pieces[i].mass.volume >= volume ? 1 : 0;
    }
    return count > 0 ? count : 1;
}

// The volume limit of pieces that leaves at most `most` pieces in all solids together, by bisection.
static double min_volume(const Shattering* s, uint32_t most)
{
    double low = 0.0, high = s->body->view.mass.volume;
    for (int round = 0; round < HALVINGS; ++round)
    {
        const double middle = 0.5 * (low + high);
        uint64_t count = 0;
        for (uint32_t i = 0; i < s->solid_count; ++i)
        {
            count += count_large(s->breakages[i]->pieces, middle);
        }
        low = count > most ? middle : low;
        high = count > most ? high : middle;
    }
    return high;
}

// Of several solids the smallest pieces of all are merged, each within its own solid.
static rblResult merge_across(Shattering* s, uint32_t most)
{
    const double volume = min_volume(s, most);
    for (uint32_t i = 0; i < s->solid_count; ++i)
    {
        const uint32_t own = count_large(s->breakages[i]->pieces, volume);
        RBL_TRY(own < s->breakages[i]->pieces->piece_count ? cut_solid(s, i, own) : RBL_OK);
    }
    return RBL_OK;
}

static uint32_t count_pieces(const Shattering* s)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < s->solid_count; ++i)
    {
        count += s->breakages[i]->pieces->piece_count;
    }
    return count;
}

// Patterns are created for a number of pieces; of a file the smallest regions are joined.
static rblResult cut_all(Shattering* s, uint32_t pieces)
{
    const uint32_t limit = max_pieces(s);
    const bool is_fewer = s->labels != NULL && pieces < s->labels->label_count;
    const uint32_t most = (is_fewer || s->def->fixed_pieces) && pieces < limit ? pieces : limit;
    for (uint32_t i = 0; i < s->solid_count; ++i)
    {
        RBL_TRY(cut_solid(s, i, most));
    }
    if (count_pieces(s) > most)
    {
        RBL_TRY(merge_across(s, most));
    }
    s->piece_count = count_pieces(s);
    s->area = 0.0;
    for (uint32_t i = 0; i < s->solid_count; ++i)
    {
        s->area += s->breakages[i]->pieces->crack_area;
    }
    return RBL_OK;
}

// Fragments break into fewer pieces than their parents, but at least two.
static uint32_t wanted_pieces(const Shattering* s)
{
    double pieces = (double)s->def->pattern.pieces;
    for (uint32_t i = 0; i < s->body->generation && pieces > 2.0; ++i)
    {
        pieces = rbl_maxd(pieces * (double)s->def->share, 2.0);
    }
    return (uint32_t)rbl_mind(pieces, RBL_PATTERN_MAX_PIECES);
}

// Cells outside of the body, and crumbs, are no pieces of their own. For a fixed number of pieces the pattern gets more cells
// until there are enough pieces; the smallest ones too many are merged.
static rblResult cut_fixed(Shattering* s)
{
    uint32_t cells = s->wanted;
    for (uint32_t i = 0; i < MAX_TRIES; ++i)
    {
        drop_cuts(s);
        RBL_TRY(make_pattern(s, cells));
        RBL_TRY(cut_all(s, s->wanted));
        const uint32_t missing = s->piece_count < s->wanted ? s->wanted - s->piece_count : 0;
        if (missing == 0 || s->labels != NULL || missing > RBL_PATTERN_MAX_PIECES - cells)
        {
            break;
        }
        cells += missing;
    }
    return RBL_OK;
}

static rblResult attempt(void* context, double* cost, bool* cracked)
{
    Shattering* s = context;
    *cracked = s->wanted > 1;
    if (!*cracked)
    {
        return RBL_OK;
    }
    if (s->def->fixed_pieces)
    {
        RBL_TRY(cut_fixed(s));
    }
    else
    {
        RBL_TRY(make_pattern(s, s->wanted));
        RBL_TRY(cut_all(s, s->wanted));
    }
    *cost = rbl_crack_price(&s->body->material) * s->area;
    return RBL_OK;
}

// The crack area of N pieces grows as N^(1/3) in a block and as N^(1/2) in a plate: the estimate is rather a few pieces too low.
static void want_fewer(void* context, double cost)
{
    Shattering* s = context;
    const double share = rbl_clampd(rbl_pow(s->verdict->budget / cost, 2.5), 0.05, 0.8);
    const uint32_t fewer = (uint32_t)(share * (double)s->wanted);
    s->wanted = fewer < 2 && s->wanted > 2 ? 2 : fewer;
    drop_cuts(s);
}

// ---- fragments ----

static bool is_crumb(const Shattering* s, uint32_t solid, const rblPiece* piece)
{
    const double volume = s->placings[solid].solid->mass.volume;
    return s->def->crumbs == RBL_CRUMBS_DEBRIS &&
           (piece->mass.volume < (double)s->def->smallest * volume ||
            2.0 * piece->mass.volume < thinnest_allowed(s) * piece->area);
}

// Drawn surfaces may be slightly smaller than the solid; the masses of pieces sum up to the solid's.
static double mass_scale(const Shattering* s, uint32_t solid)
{
    const double volume = rbl_pieces_volume(s->breakages[solid]->pieces);
    double all = 0.0;
    for (uint32_t i = 0; i < s->solid_count; ++i)
    {
        all += s->placings[i].solid->mass.volume;
    }
    return (double)s->body->mass * s->placings[solid].solid->mass.volume / (all * volume);
}

static rblResult fill_fragments(const Shattering* s, uint32_t solid, uint32_t first, rblFracture* out)
{
    rblBreakage* breakage = s->breakages[solid];
    const rblPieces* pieces = breakage->pieces;
    rblShapeId* shapes = RBL_NEW_ARRAY(s->allocator, rblShapeId, pieces->piece_count);
    rblResult result = shapes != NULL ? rbl_breakage_shapes(breakage, &s->placings[solid], s->jobs, shapes)
                                      : rbl_fail_memory();
    rbl_fill_fragments(pieces, rbl_transform_mul(s->body->pose, s->poses[solid]), mass_scale(s, solid), first,
                       out);
    for (uint32_t i = 0; result == RBL_OK && i < pieces->piece_count; ++i)
    {
        rblFragment* fragment = &out->fragments[first + i];
        fragment->shape = shapes[i];
        fragment->debris = is_crumb(s, solid, &pieces->pieces[i]);
        fragment->lifetime = fragment->debris ? s->def->lifetime : 0.0f;
    }
    RBL_FREE_ARRAY(s->allocator, shapes, pieces->piece_count);
    return result;
}

static uint32_t count_mates(const Shattering* s)
{
    uint32_t count = 0;
    for (uint32_t k = 0; k < s->solid_count; ++k)
    {
        count += rbl_count_mates(s->breakages[k]->pieces);
    }
    return count;
}

static rblResult make_fracture(const Shattering* s, rblFracture* out)
{
    RBL_TRY(rbl_fracture_allocate(out, s->piece_count, count_mates(s)));
    uint32_t first = 0;
    uint32_t mate = 0;
    for (uint32_t k = 0; k < s->solid_count; ++k)
    {
        RBL_TRY(fill_fragments(s, k, first, out));
        mate = rbl_fill_mates(s->breakages[k]->pieces, first, mate, out);
        first += s->breakages[k]->pieces->piece_count;
    }
    return RBL_OK;
}

rblResult rbl_prescored_shatter(const rblPrescoredDef* def, const rblLabelVolume* labels,
                                const rblInsidePoints* inside, const rblBreakBody* body,
                                const rblVerdict* verdict, rblJobs* jobs, rblFracture* out)
{
    Shattering s = {.def = def,
                    .labels = labels,
                    .body = body,
                    .verdict = verdict,
                    .inside = inside,
                    .jobs = jobs != NULL ? jobs : rbl_serial_jobs(),
                    .allocator = rbl_default_allocator()};
    bool affordable = false;
    place_pattern(&s);
    rblResult result = list_solids(&s);
    if (result == RBL_OK &&
        s.solid_count <= max_pieces(&s)) // otherwise the capacity is too small: the body stays whole
    {
        const uint32_t most_tries = def->fixed_pieces ? 1 : MAX_TRIES;
        const rblBudgetTries tries = {verdict->budget, most_tries, attempt, want_fewer};
        s.wanted = wanted_pieces(&s);
        result = rbl_break_within_budget(&tries, &s, &affordable);
    }
    if (result == RBL_OK && affordable && s.piece_count > 1)
    {
        result = make_fracture(&s, out);
    }
    shattering_free(&s);
    return result;
}
