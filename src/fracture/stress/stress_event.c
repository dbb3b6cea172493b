// Events of stress breakers: creation, and restoration from files.
#include "base/error.h"
#include "fracture/stress/stress_private.h"

static void release_kept(void* kept)
{
    rbl_stress_root_release(kept);
}

rblResult rbl_stress_event_create(rblStressRoot* root, const rblFragmentEventDef* def, rblFragmentEvent** out)
{
    rblFragmentEventDef whole = *def;
    whole.background = root->background;
    whole.kept = root;
    whole.release_kept = release_kept;
    rbl_stress_root_retain(root);
    const rblResult result = rbl_fragment_event_create(&whole, out);
    if (result != RBL_OK)
    {
        rbl_stress_root_release(root);
    }
    return result;
}

bool rbl_stress_find_origin(const rblFragmentEvent* event, rblEventOrigin* out)
{
    rblStressRoot* root = rbl_stress_root_of(event->background);
    if (root == NULL)
    {
        return false;
    }
    *out = (rblEventOrigin){root->shape, root->breaker, root->material};
    rbl_stress_root_release(root); // the event keeps it
    return true;
}

// ---- back ----

static rblResult damaged(void)
{
    return rbl_fail(RBL_ERROR_FORMAT, "fracture event: its labels do not match the body that broke");
}

// The number of nodes of the fragment that breaks.
static uint32_t count_nodes(const rblStressRoot* root, const rblEventRestoreDef* def)
{
    uint32_t count = def->parent == NULL ? root->view.node_count : 0;
    for (uint32_t i = 0; def->parent != NULL && i < def->parent->node_count; ++i)
    {
        count += def->parent->labels[i] == def->parent_label;
    }
    return count;
}

static void spread(const rblStressRoot* root, const rblEventRestoreDef* def, uint32_t* labels,
                   double* weights)
{
    uint32_t next = 0;
    for (uint32_t node = 0; node < root->view.node_count; ++node)
    {
        const rblStressBody body = {.event = def->parent, .label = def->parent_label};
        const bool has = rbl_stress_has_node(&body, node);
        labels[node] = has ? def->labels[next] : RBL_NONE;
        weights[node] = has ? (double)def->weights[next] : 1.0;
        next += has;
    }
}

static rblResult restore_on(rblStressRoot* root, const rblEventRestoreDef* def, rblFragmentEvent** out)
{
    const size_t nodes = root->view.node_count;
    if (def->count != count_nodes(root, def) || def->label_count > def->count)
    {
        return damaged();
    }
    uint32_t* labels = RBL_NEW_ARRAY(root->allocator, uint32_t, nodes);
    double* weights = RBL_NEW_ARRAY(root->allocator, double, nodes);
    rblResult result = labels != NULL && weights != NULL ? RBL_OK : rbl_fail_memory();
    if (result == RBL_OK)
    {
        spread(root, def, labels, weights);
        result = rbl_stress_event_create(root,
                                         &(rblFragmentEventDef){.parent = def->parent,
                                                                .parent_label = def->parent_label,
                                                                .labels = labels,
                                                                .weights = weights,
                                                                .label_count = def->label_count},
                                         out);
    }
    RBL_FREE_ARRAY(root->allocator, labels, nodes);
    RBL_FREE_ARRAY(root->allocator, weights, nodes);
    return result;
}

rblResult rbl_stress_restore_event(const rblEventRestoreDef* def, rblFragmentEvent** out)
{
    const rblFragmentEvent* parent = def->parent;
    rblStressRoot* root = parent != NULL ? rbl_stress_root_of(parent->background) : NULL;
    if (parent != NULL && (root == NULL || parent->depth + 1 >= RBL_STRESS_MAX_EVENTS ||
                           def->parent_label >= parent->label_count))
    {
        if (root != NULL)
        {
            rbl_stress_root_release(root);
        }
        return damaged();
    }
    if (root == NULL)
    {
        const rblStressBreaker* breaker = rbl_stress_breaker(def->origin->breaker);
        RBL_TRY(breaker != NULL ? RBL_OK : damaged());
        RBL_TRY(rbl_stress_root_find(breaker, &def->origin->shape->view, &def->origin->material, &root));
    }
    const rblResult result = restore_on(root, def, out);
    rbl_stress_root_release(root);
    return result;
}
