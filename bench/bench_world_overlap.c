// How far bodies lie in each other after a run: the same measure for every engine, on the same shapes.
#include "bench/bench_world.h"

#include "base/error.h"
#include "math/transform.h"
#include <math.h>
#include <stdlib.h>

typedef struct Placed
{
    rblShapeView shape;
    rblTransform pose;
    rblAabb box;
    bool moves;
} Placed;

static rblResult place(const rblWorldRuns* runs, const rblTrialRun* run, Placed* out)
{
    const rblTrial* trial = &runs->scene->trial;
    const rblTrialState* states = rbl_trial_frame(trial, run, run->frame_count - 1);
    for (uint32_t i = 0; i < trial->setup.body_count; ++i)
    {
        double p[3];
        double q[4];
        rbl_trial_shape_pose(trial, i, &states[i], p, q);
        out[i].pose = (rblTransform){{(float)p[0], (float)p[1], (float)p[2]},
                                     {(float)q[0], (float)q[1], (float)q[2], (float)q[3]}};
        out[i].moves = trial->bodies[i].moves != 0;
        RBL_TRY(rbl_shape_view(runs->scene->shapes[trial->bodies[i].shape], &out[i].shape));
        out[i].box = rbl_shape_bounds_at(&out[i].shape, out[i].pose);
    }
    return RBL_OK;
}

static bool boxes_meet(const rblAabb* a, const rblAabb* b)
{
    return a->lower.x <= b->upper.x && b->lower.x <= a->upper.x && a->lower.y <= b->upper.y &&
           b->lower.y <= a->upper.y && a->lower.z <= b->upper.z && b->lower.z <= a->upper.z;
}

static rblResult measure_pair(const Placed* a, const Placed* b, rblContactSet* contacts, rblWorldOverlap* out)
{
    const rblCollideOptions options = rbl_default_collide_options();
    RBL_TRY(rbl_shape_collide(&a->shape, &b->shape, rbl_transform_relative(a->pose, b->pose), &options, NULL,
                              contacts));
    double depth = 0.0;
    for (uint32_t i = 0; i < contacts->count; ++i)
    {
        depth = fmax(depth, -(double)contacts->points[i].distance);
    }
    if (depth > 0.0)
    {
        out->pairs += 1.0;
        out->mean += depth;
        out->most = fmax(out->most, depth);
    }
    return RBL_OK;
}

static rblResult measure_all(const Placed* placed, uint32_t count, rblWorldOverlap* out)
{
    rblContactSet contacts = {.count = 0};
    rblResult result = RBL_OK;
    for (uint32_t i = 0; i < count && result == RBL_OK; ++i)
    {
        for (uint32_t j = i + 1; j < count && result == RBL_OK; ++j)
        {
            if ((placed[i].moves || placed[j].moves) && boxes_meet(&placed[i].box, &placed[j].box))
            {
                result = measure_pair(&placed[i], &placed[j], &contacts, out);
            }
        }
    }
    rbl_contact_set_free(&contacts);
    out->mean /= fmax(1.0, out->pairs);
    return result;
}

rblResult rbl_world_overlap(const rblWorldRuns* runs, const rblTrialRun* run, rblWorldOverlap* out)
{
    const uint32_t count = runs->scene->trial.setup.body_count;
    Placed* placed = calloc(count, sizeof *placed);
    *out = (rblWorldOverlap){0.0, 0.0, 0.0};
    if (placed == NULL)
    {
        return rbl_fail_memory();
    }
    rblResult result = place(runs, run, placed);
    if (result == RBL_OK)
    {
        result = measure_all(placed, count, out);
    }
    free(placed);
    return result;
}
