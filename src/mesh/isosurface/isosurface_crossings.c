// The points where grid edges cross the surface, and the normals there: the Hermite data of dual contouring.
#include "base/error.h"
#include "mesh/isosurface/isosurface_private.h"

// Accuracy of a crossing, as a fraction of the edge, and the maximum number of steps to reach it. Three steps halve
// the bracket at worst, so 37 halvings for 1e-11 take at most 111 steps.
#define CROSSING_TOLERANCE 1e-11
#define MAX_ITERATIONS     128

// A field counts as smooth at a point when its one-sided slopes differ by less than this fraction of their sum.
#define SMOOTH_KINK 0.01

typedef struct CrossingJob
{
    const rblIsosurface* iso;
    rblIsoFault* faults; // one per block
} CrossingJob;

// The field along a segment, and an interval in which it changes from inside to outside.
typedef struct Bracket
{
    const rblIsosurface* iso;
    rblVec3d ends[2];
    double t[2]; // t[0] is inside, t[1] outside
    // Field - level; the Illinois rule halves the value of an end that stays for several steps.
    double value[2];
    int kept; // the end that the last step did not move, -1 before the first
} Bracket;

static double next_guess(const Bracket* b, int iteration)
{
    const double middle = 0.5 * (b->t[0] + b->t[1]);
    if (iteration % 3 == 2)
    {
        return middle; // at worst three steps halve the bracket, for any field
    }
    const double guess = b->t[0] + (b->t[1] - b->t[0]) * (b->value[0] / (b->value[0] - b->value[1]));
    return guess > b->t[0] && guess < b->t[1] ? guess : middle; // NaN and infinities lead to the middle too
}

// Evaluate the field at t and shrink the bracket. Returns the end that moved.
static int shrink(Bracket* b, double t, rblIsoFault* fault)
{
    const double value =
        rbl_iso_evaluate(b->iso, rbl_lerp3d(b->ends[0], b->ends[1], t), fault) - b->iso->def->level;
    const int moved = value < 0.0 ? 0 : 1;
    b->value[1 - moved] *= b->kept == 1 - moved ? 0.5 : 1.0;
    b->kept = 1 - moved;
    b->t[moved] = t;
    b->value[moved] = value;
    return moved;
}

// An end where the field is this close to the level is probably the root: evaluate once more, a little inside the
// bracket.
static void probe(Bracket* b, int end, double close_enough, rblIsoFault* fault)
{
    const double t = b->t[end] + (end == 0 ? CROSSING_TOLERANCE : -CROSSING_TOLERANCE);
    if (fabs(b->value[end]) <= close_enough && t > b->t[0] && t < b->t[1])
    {
        shrink(b, t, fault);
    }
}

// The root of field - level: regula falsi with the Illinois rule and a bisection in every third step, until the
// bracket is CROSSING_TOLERANCE wide. When a guess is correct (the field there is as close to the level as it would
// be for a linear field), probe() closes the bracket with one more evaluation.
static double find_root(Bracket* b, rblIsoFault* fault)
{
    const double rise = b->value[1] - b->value[0];
    const double close_enough = rbl_finite(rise) ? CROSSING_TOLERANCE * rise : 0.0;
    probe(b, 0, close_enough, fault);
    probe(b, 1, close_enough, fault);
    for (int i = 0; i < MAX_ITERATIONS && b->t[1] - b->t[0] > 1.5 * CROSSING_TOLERANCE; ++i)
    {
        probe(b, shrink(b, next_guess(b, i), fault), close_enough, fault);
    }
    return fabs(b->value[0]) < fabs(b->value[1]) ? b->t[0] : b->t[1];
}

// One-sided slopes of the field at p along one axis.
typedef struct Slopes
{
    double below, above;
} Slopes;

static Slopes axis_slopes(const rblIsosurface* iso, rblVec3d p, rblVec3d low, rblVec3d high, double value,
                          rblIsoFault* fault)
{
    const double down = rbl_distance3d(p, low);
    const double up = rbl_distance3d(p, high);
    const double below = down > 0.0 ? (value - rbl_iso_evaluate(iso, low, fault)) / down : 0.0;
    const double above = up > 0.0 ? (rbl_iso_evaluate(iso, high, fault) - value) / up : 0.0;
    return (Slopes){down > 0.0 ? below : above, up > 0.0 ? above : below};
}

// Central differences with a step of `share` of a cell, never outside the bounds, where the field may be undefined.
// `kink` receives the difference of the one-sided slopes, relative to their sum.
static rblVec3d differences(const rblIsosurface* iso, rblVec3d p, double share, double* kink,
                            rblIsoFault* fault)
{
    const rblVec3d reach = rbl_scale3d(iso->step, share);
    const rblVec3d low = rbl_max3d(rbl_sub3d(p, reach), iso->def->bounds.lower);
    const rblVec3d high = rbl_min3d(rbl_add3d(p, reach), iso->def->bounds.upper);
    const double value = iso->def->level; // p is on the surface
    const Slopes x =
        axis_slopes(iso, p, rbl_vec3d(low.x, p.y, p.z), rbl_vec3d(high.x, p.y, p.z), value, fault);
    const Slopes y =
        axis_slopes(iso, p, rbl_vec3d(p.x, low.y, p.z), rbl_vec3d(p.x, high.y, p.z), value, fault);
    const Slopes z =
        axis_slopes(iso, p, rbl_vec3d(p.x, p.y, low.z), rbl_vec3d(p.x, p.y, high.z), value, fault);
    const rblVec3d sum = {x.below + x.above, y.below + y.above, z.below + z.above};
    *kink = (fabs(x.above - x.below) + fabs(y.above - y.below) + fabs(z.above - z.below)) /
            (fabs(sum.x) + fabs(sum.y) + fabs(sum.z));
    return sum;
}

// Wide differences are best for fields with some noise, but near an edge of the solid they mix the slopes of both
// faces. So the step is reduced while the one-sided slopes disagree, and the differences that agree best are used.
static rblVec3d estimate_gradient(const rblIsosurface* iso, rblVec3d p, rblIsoFault* fault)
{
    static const double shares[] = {1e-3, 1e-5, 1e-7};
    rblVec3d best = {0, 0, 0};
    double least = (double)INFINITY;
    for (int i = 0; i < 3 && !(least < SMOOTH_KINK); ++i)
    {
        double kink;
        const rblVec3d gradient = differences(iso, p, shares[i], &kink, fault);
        if (kink < least)
        {
            least = kink;
            best = gradient;
        }
    }
    return best;
}

// Unit normal: the gradient of the user; differences where the gradient has no direction; `fallback` where they have
// none either.
static rblVec3d surface_normal(const rblIsosurface* iso, rblVec3d p, rblVec3d fallback, rblIsoFault* fault)
{
    const rblVec3d none = {0, 0, 0};
    rblVec3d normal = none;
    if (iso->def->gradient != NULL)
    {
        normal = rbl_normalize3d(iso->def->gradient(p, iso->def->context), none);
    }
    return rbl_equal3d(normal, none) ? rbl_normalize3d(estimate_gradient(iso, p, fault), fallback) : normal;
}

bool rbl_iso_cross_segment(const rblIsosurface* iso, rblVec3d inner, rblVec3d outer, rblIsoCrossing* out,
                           rblIsoFault* fault)
{
    const double level = iso->def->level;
    const double value[2] = {rbl_iso_evaluate(iso, inner, fault) - level,
                             rbl_iso_evaluate(iso, outer, fault) - level};
    if (!(value[0] < 0.0 && value[1] >= 0.0))
    {
        return false;
    }
    Bracket bracket = {iso, {inner, outer}, {0.0, 1.0}, {value[0], value[1]}, -1};
    out->t = find_root(&bracket, fault);
    if (iso->def->method == RBL_DUAL_CONTOURING)
    {
        const rblVec3d across = rbl_normalize3d(rbl_sub3d(outer, inner), (rblVec3d){1, 0, 0});
        out->normal = surface_normal(iso, rbl_lerp3d(inner, outer, out->t), across, fault);
    }
    return true;
}

static void cross_edge(const rblIsosurface* iso, const rblIsoCell* cell, uint32_t axis, rblIsoCrossing* out,
                       rblIsoFault* fault)
{
    uint32_t place[3];
    rbl_iso_cell_place(cell, place);
    const rblVec3d low = rbl_iso_node(iso, place[0], place[1], place[2]);
    const rblVec3d high =
        rbl_iso_node(iso, place[0] + (axis == 0), place[1] + (axis == 1), place[2] + (axis == 2));
    const bool upward = (cell->inside & 1) != 0;
    if (!rbl_iso_cross_segment(iso, upward ? low : high, upward ? high : low, out, fault))
    {
        // The outer end lies on the border of the grid and counts as outside by definition: the surface is closed
        // there.
        const double sign = upward ? 1.0 : -1.0;
        out->normal = (rblVec3d){axis == 0 ? sign : 0.0, axis == 1 ? sign : 0.0, axis == 2 ? sign : 0.0};
        out->t = 1.0;
    }
    out->t = upward ? out->t : 1.0 - out->t;
}

static void cross_cell(const rblIsosurface* iso, const rblIsoCell* cell, rblIsoFault* fault)
{
    uint32_t next = cell->first_crossing;
    for (uint32_t axis = 0; axis < 3; ++axis)
    {
        if (rbl_iso_crosses(cell->inside, 4 * axis))
        {
            cross_edge(iso, cell, axis, &iso->crossings[next++], fault);
        }
    }
}

static void cross_block(rblRange range, void* context)
{
    const CrossingJob* job = context;
    rblIsoFault* fault = &job->faults[range.block];
    for (uint32_t i = range.begin; i < range.end && !fault->found; ++i)
    {
        cross_cell(job->iso, &job->iso->cells[i], fault);
    }
}

rblResult rbl_iso_find_crossings(rblIsosurface* iso)
{
    iso->crossings = RBL_NEW_ARRAY(iso->allocator, rblIsoCrossing, iso->crossing_count);
    if (iso->crossings == NULL)
    {
        return rbl_fail_memory();
    }
    rblIsoFault faults[RBL_MAX_BLOCKS] = {0};
    CrossingJob job = {iso, faults};
    rbl_parallel_for(rbl_default_jobs(), iso->cell_count, 64, cross_block, &job);
    return rbl_iso_check_faults(faults, RBL_MAX_BLOCKS);
}
