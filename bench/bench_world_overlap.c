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

static rblResult place(const rblWorldScene* scene, const rblTrialState* states, Placed* out)
{
    const rblTrial* trial = &scene->trial;
    for (uint32_t i = 0; i < trial->setup.body_count; ++i)
    {
        double p[3];
        double q[4];
        rbl_trial_shape_pose(trial, i, &states[i], p, q);
        out[i].pose = (rblTransform){{(float)p[0], (float)p[1], (float)p[2]},
                                     {(float)q[0], (float)q[1], (float)q[2], (float)q[3]}};
        out[i].moves = trial->bodies[i].moves != 0;
        RBL_TRY(rbl_shape_view(scene->shapes[trial->bodies[i].shape], &out[i].shape));
        out[i].box = rbl_shape_bounds_at(&out[i].shape, out[i].pose);
    }
    return RBL_OK;
}

static bool boxes_meet(const rblAabb* a, const rblAabb* b)
{
    return a->lower.x <= b->upper.x && b->lower.x <= a->upper.x && a->lower.y <= b->upper.y &&
           b->lower.y <= a->upper.y && a->lower.z <= b->upper.z && b->lower.z <= a->upper.z;
}

typedef struct Measuring
{
    rblWorldOverlap* out;
    rblContactSet contacts;
    bool count; // contacts too
} Measuring;

// Contacts of all points less than a millimetre apart, with and without the selection.
static rblResult count_contacts(const Placed* a, const Placed* b, Measuring* measuring)
{
    rblCollideOptions options = rbl_default_collide_options();
    const rblTransform between = rbl_transform_relative(a->pose, b->pose);
    options.margin = 0.001f;
    RBL_TRY(rbl_shape_collide(&a->shape, &b->shape, between, &options, NULL, &measuring->contacts));
    measuring->out->selected += measuring->contacts.count;
    options.first_count = UINT32_MAX;
    RBL_TRY(rbl_shape_collide(&a->shape, &b->shape, between, &options, NULL, &measuring->contacts));
    measuring->out->all += measuring->contacts.count;
    return RBL_OK;
}

static rblResult measure_pair(const Placed* a, const Placed* b, Measuring* measuring)
{
    rblCollideOptions options = rbl_default_collide_options();
    options.first_count = UINT32_MAX;
    const rblTransform between = rbl_transform_relative(a->pose, b->pose);
    RBL_TRY(rbl_shape_collide(&a->shape, &b->shape, between, &options, NULL, &measuring->contacts));
    double depth = 0.0;
    for (uint32_t i = 0; i < measuring->contacts.count; ++i)
    {
        depth = fmax(depth, -(double)measuring->contacts.points[i].distance);
    }
    if (depth > 0.0)
    {
        measuring->out->pairs += 1.0;
        measuring->out->mean += depth;
        measuring->out->most = fmax(measuring->out->most, depth);
    }
    return measuring->count ? count_contacts(a, b, measuring) : RBL_OK;
}

static rblResult measure_all(const Placed* placed, uint32_t count, Measuring* measuring)
{
    for (uint32_t i = 0; i < count; ++i)
    {
        for (uint32_t j = i + 1; j < count; ++j)
        {
            if ((placed[i].moves || placed[j].moves) && boxes_meet(&placed[i].box, &placed[j].box))
            {
                RBL_TRY(measure_pair(&placed[i], &placed[j], measuring));
            }
        }
    }
    return RBL_OK;
}

rblResult rbl_world_overlap(const rblWorldScene* scene, const rblTrialState* states, bool count_contacts_too,
                            rblWorldOverlap* out)
{
    const uint32_t count = scene->trial.setup.body_count;
    Placed* placed = calloc(count, sizeof *placed);
    *out = (rblWorldOverlap){.pairs = 0.0};
    if (placed == NULL)
    {
        return rbl_fail_memory();
    }
    Measuring measuring = {.out = out, .count = count_contacts_too};
    rblResult result = place(scene, states, placed);
    if (result == RBL_OK)
    {
        result = measure_all(placed, count, &measuring);
    }
    out->mean /= fmax(1.0, out->pairs);
    rbl_contact_set_free(&measuring.contacts);
    free(placed);
    return result;
}
