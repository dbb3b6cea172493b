// The criterion and the costs of cracks that all methods share.
#include "base/error.h"
#include "fracture/kit/kit.h"
#include "math/aabb.h"
#include "math/vec.h"

static float longest_extent(const rblShapeView* view)
{
    const rblVec3 size = rbl_aabb_size(view->bounds);
    return rbl_maxf(size.x, rbl_maxf(size.y, size.z));
}

bool rbl_may_break(const rblBreakBody* body, uint32_t generations, float smallest_body)
{
    return body->view.bounded && body->generation < generations &&
           (body->generation == 0 || longest_extent(&body->view) >= smallest_body);
}

double rbl_impulse_severity(const rblBreakBody* body, const rblImpact* impact)
{
    const double ratio = (double)rbl_length3(impact->impulse) / (double)body->material.break_impulse;
    return ratio * ratio;
}

double rbl_crack_price(const rblMaterial* material)
{
    return 2.0 * (double)material->surface_energy;
}

double rbl_min_crack_cost(const rblBreakBody* body)
{
    const double section = body->view.mass.volume / (double)longest_extent(&body->view);
    return rbl_crack_price(&body->material) * section;
}

uint32_t rbl_max_fragments_of(uint32_t own, const rblVerdict* verdict)
{
    const uint32_t wanted = own > 0 ? own : UINT32_MAX;
    const uint32_t capacity = verdict->max_fragments > 0 ? verdict->max_fragments : UINT32_MAX;
    return wanted < capacity ? wanted : capacity;
}

rblResult rbl_break_within_budget(const rblBudgetTries* tries, void* context, bool* affordable)
{
    *affordable = false;
    for (uint32_t i = 0; i < tries->max; ++i)
    {
        double cost = 0.0;
        bool cracked = false;
        RBL_TRY(tries->attempt(context, &cost, &cracked));
        if (!cracked || cost <= tries->budget)
        {
            *affordable = cracked;
            return RBL_OK;
        }
        tries->lower(context, cost);
    }
    return RBL_OK;
}
