#include "bvh/query/signed_distance.h"

#include "bvh/query/closest.h"
#include "math/vec.h"

typedef struct Query
{
    const rblBvh* bvh;
    const rblWinding* winding;
    float radius;
    rblSignMode mode;
} Query;

// Results of the previous point of a row, which speed up the next point.
typedef struct Neighbour
{
    uint32_t leaf; // hint: the closest triangle
    rblClearBall ball;
} Neighbour;

static const Neighbour no_neighbour = {.leaf = RBL_NO_LEAF, .ball = {.radius = -1.0f}};

bool rbl_below_face(const rblLeafTriangle* t, rblVec3 point)
{
    const rblVec3d a = rbl_to_double3(t->a);
    const rblVec3d ab = rbl_sub3d(rbl_to_double3(t->b), a);
    const rblVec3d ac = rbl_sub3d(rbl_to_double3(t->c), a);
    return rbl_dot3d(rbl_cross3d(ab, ac), rbl_sub3d(rbl_to_double3(point), a)) < 0.0;
}

bool rbl_clear_ball_contains(const rblClearBall* ball, rblVec3 point)
{
    const rblVec3d offset = rbl_sub3d(rbl_to_double3(point), rbl_to_double3(ball->center));
    return rbl_length3d(offset) < 0.999 * (double)ball->radius;
}

static bool is_inside(const Query* query, rblVec3 point, const rblClosestPoint* closest,
                      const Neighbour* neighbour)
{
    if (query->mode == RBL_SIGN_CLOSED)
    {
        if (rbl_clear_ball_contains(&neighbour->ball, point))
        {
            return neighbour->ball.inside;
        }
        if (closest != NULL && closest->feature == RBL_FEATURE_FACE)
        {
            return rbl_below_face(&query->bvh->triangles[closest->leaf], point);
        }
    }
    return rbl_tree_inside(query->bvh, query->winding, point);
}

static void measure(const Query* query, rblVec3 point, Neighbour* neighbour, float* out)
{
    if (!rbl_finite3(point) || !(query->radius >= 0.0f))
    {
        *out = NAN;
        return;
    }
    if (query->bvh->layout.leaves == 0)
    {
        *out = query->radius;
        return;
    }
    rblClosestPoint closest;
    const bool found = rbl_tree_closest(query->bvh, point, query->radius, neighbour->leaf, &closest);
    const float distance = found ? closest.distance : query->radius;
    const bool inside = is_inside(query, point, found ? &closest : NULL, neighbour);
    *neighbour = (Neighbour){found ? closest.leaf : neighbour->leaf, {point, distance, inside}};
    *out = inside && distance > 0.0f ? -distance : distance;
}

// ---- many ----

// Points per job, at least: enough work to pay for the start of a job.
#define MIN_POINTS 64

typedef struct Batch
{
    Query query;
    const rblVec3* points;
    const rblPointGrid* grid;
    float* out;
} Batch;

static void measure_points(rblRange range, void* context)
{
    const Batch* batch = context;
    Neighbour neighbour = no_neighbour;
    for (uint32_t i = range.begin; i < range.end; ++i)
    {
        measure(&batch->query, batch->points[i], &neighbour, &batch->out[i]);
    }
}

void rbl_tree_signed_distance_many(const rblBvh* bvh, const rblWinding* winding, const rblVec3* points,
                                   uint32_t count, float radius, rblSignMode mode, rblJobs* jobs, float* out)
{
    Batch batch = {.query = {bvh, winding, radius, mode}, .points = points, .out = out};
    rbl_parallel_for(jobs, count, MIN_POINTS, measure_points, &batch);
}

// Alternate the direction of rows, so that the end of a row is next to the start of the following one.
static void measure_rows(rblRange range, void* context)
{
    const Batch* batch = context;
    const rblPointGrid* grid = batch->grid;
    const uint32_t width = grid->counts[0];
    Neighbour neighbour = no_neighbour;
    for (uint32_t row = range.begin; row < range.end; ++row)
    {
        rblVec3 point;
        point.y = grid->origin.y + grid->spacing * (float)(row % grid->counts[1]);
        point.z = grid->origin.z + grid->spacing * (float)(row / grid->counts[1]);
        for (uint32_t i = 0; i < width; ++i)
        {
            const uint32_t column = row % 2 == 0 ? i : width - 1 - i;
            point.x = grid->origin.x + grid->spacing * (float)column;
            measure(&batch->query, point, &neighbour, &batch->out[(size_t)row * width + column]);
        }
    }
}

void rbl_tree_signed_distance_grid(const rblBvh* bvh, const rblWinding* winding, const rblPointGrid* grid,
                                   float radius, rblSignMode mode, rblJobs* jobs, float* out)
{
    Batch batch = {.query = {bvh, winding, radius, mode}, .grid = grid, .out = out};
    rbl_parallel_for(jobs, grid->counts[1] * grid->counts[2], 1, measure_rows, &batch);
}
