// How far apart two shapes are, as far as samples tell.
#include "field/field_contact.h"
#include "field/field_sampling.h"

#define DEEPEST 64 // levels: points are numbered in 32 bits, each level doubles their count

static float fall_of(const rblSampling* s, const rblFrontierNode* node, float reach, float best)
{
    return best > 0.0f ? rbl_field_fall_outside(&s->field, node->far, reach)
                       : rbl_field_fall(&s->field, node->far, reach);
}

// The smallest field value at any sample, when below `best`, else `best`: depth first, leaving branches that are too far.
static float smallest_value(const rblSampling* s, float best)
{
    if (s->tree == NULL)
    {
        return best;
    }
    rblFrontierNode stack[DEEPEST];
    uint32_t depth = 0;
    const rblSampleTree* tree = s->tree;
    bool far;
    const float first = rbl_field_distance(&s->field, rbl_sampling_point(s, tree->points[0]), &far);
    best = rbl_minf(first, best);
    stack[depth++] = (rblFrontierNode){tree->first_children[0], tree->first_children[1], first, far};
    while (depth > 0)
    {
        rblFrontierNode* top = &stack[depth - 1];
        const rblSampleChild* child = &tree->children[top->next];
        if (top->next == top->end || !(top->distance - fall_of(s, top, child->reach, best) < best))
        {
            depth -= 1;
            continue;
        }
        top->next += 1;
        const float distance = rbl_field_distance(&s->field, rbl_sampling_point(s, child->point), &far);
        best = rbl_minf(distance, best);
        stack[depth++] = (rblFrontierNode){child->first, child->end, distance, far};
    }
    return best;
}

float rbl_field_gap(const rblShapeView* a, const rblShapeView* b, rblTransform b_in_a)
{
    rblFrontier unused;
    rbl_frontier_init(&unused, NULL);
    rblSampling sides[2];
    if (!rbl_sampling_init(&sides[0], a->shape, b->shape, rbl_transform_inverse(b_in_a), &unused) ||
        !rbl_sampling_init(&sides[1], b->shape, a->shape, b_in_a, &unused))
    {
        return 0.0f; // no memory: as if they touched, and the search for their contacts will say so
    }
    float gap = INFINITY;
    for (int i = 0; i < 2; ++i)
    {
        gap = smallest_value(&sides[i], gap);
    }
    return gap;
}
