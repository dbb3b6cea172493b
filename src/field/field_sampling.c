#include "field/field_sampling.h"

#include "base/bits.h"
#include "field/compound.h"
#include "field/field_contact.h"
#include "field/piece.h"
#include "math/aabb.h"

// Of a distance of transformed points, in parts of the coordinates' size.
#define ROUNDING 2e-6f

void rbl_frontier_init(rblFrontier* frontier, const rblAllocator* allocator)
{
    for (uint32_t i = 0; i < RBL_SAMPLE_LEVELS; ++i)
    {
        rbl_array_init(&frontier->levels[i], allocator);
    }
}

void rbl_frontier_free(rblFrontier* frontier)
{
    for (uint32_t i = 0; i < RBL_SAMPLE_LEVELS; ++i)
    {
        rbl_array_free(&frontier->levels[i]);
    }
}

// ---- fields ----

float rbl_field_slack(const rblShape* shape)
{
    const rblPieceField* piece = rbl_shape_piece(shape);
    if (piece != NULL)
    {
        return rbl_field_slack(piece->root);
    }
    const rblLevelSet* set = rbl_shape_level_set(shape);
    const rblCompound* compound = rbl_shape_compound(shape);
    float slack = set != NULL ? rbl_level_set_slack(set) : 0.0f;
    for (uint32_t i = 0; compound != NULL && i < compound->count; ++i)
    {
        slack = rbl_maxf(rbl_field_slack(compound->children[i].shape), slack);
    }
    return slack;
}

rblField rbl_field_of(const rblShape* shape)
{
    return (rblField){shape, rbl_shape_level_set(shape), shape->view.kind == RBL_SHAPE_PIECE,
                      rbl_field_slack(shape), 0.0f};
}

// ---- meeting samples ----

void rbl_sampling_init(rblSampling* s, const rblShape* samples, const rblShape* field, rblTransform pose,
                       rblFrontier* frontier)
{
    *s = (rblSampling){.tree = samples->samples,
                       .field = rbl_field_of(field),
                       .rotation = rbl_quat_to_mat3(pose.q),
                       .offset = pose.p,
                       .radius = samples->view.radius,
                       .frontier = frontier,
                       .nearest = INFINITY};
    // Planes have no size; their fields are exact.
    const float size =
        rbl_length3(pose.p) + samples->view.radius + (field->view.bounded ? field->view.radius : 0.0f);
    s->field.rounding = ROUNDING * size + (s->field.grid != NULL ? s->field.grid->unit : 0.0f);
    for (uint32_t i = 0; i < RBL_SAMPLE_LEVELS; ++i)
    {
        rbl_array_clear(&frontier->levels[i]);
    }
}

// Whether a sample and all below it lie so far outside the field's box that they need not be met.
static bool is_beyond(rblSampling* s, float radius, rblVec3 point, float wanted)
{
    const rblShapeView* view = &s->field.shape->view;
    const float outside = view->bounded ? rbl_aabb_distance_squared(view->bounds, point) : 0.0f;
    if (!(outside > 0.0f))
    {
        return false;
    }
    const float reach = wanted + rbl_field_fall(&s->field, true, radius);
    const bool beyond = reach < 0.0f || outside > reach * reach;
    if (beyond)
    {
        s->nearest = rbl_minf(sqrtf(outside) - rbl_field_fall(&s->field, true, radius), s->nearest);
    }
    return beyond;
}

// Have a node wait for the level of its next child.
static void wait_for_child(rblSampling* s, const rblFrontierNode* node)
{
    const uint32_t level = rbl_floor_log2(s->tree->children[node->next].node) + 1;
    s->out_of_memory |= !rbl_array_push(&s->frontier->levels[level], *node);
    s->waiting += 1;
}

// A sample whose own children are from `first` to before `end`.
static bool visit_sample(rblSampling* s, uint32_t first, uint32_t end, rblSampleVisit* visit)
{
    bool far;
    visit->distance = rbl_field_distance(&s->field, visit->point, &far);
    s->nearest = rbl_minf(visit->distance - rbl_field_fall(&s->field, far, 0.0f), s->nearest);
    if (first < end)
    {
        wait_for_child(s, &(rblFrontierNode){first, end, visit->distance, far});
    }
    return !s->out_of_memory;
}

static bool first_sample(rblSampling* s, rblSampleVisit* visit)
{
    const rblSampleTree* tree = s->tree;
    visit->sample = 0;
    visit->point = rbl_sampling_point(s, tree->points[0]);
    return s->place++ == 0 && visit_sample(s, tree->first_children[0], tree->first_children[1], visit);
}

bool rbl_sampling_next(rblSampling* s, float wanted, rblSampleVisit* visit)
{
    const rblFrontierList* list = &s->frontier->levels[s->level];
    if (s->level == 0)
    {
        return first_sample(s, visit);
    }
    for (; s->place < list->count && !s->out_of_memory; ++s->place)
    {
        rblFrontierNode* node = &list->data[s->place];
        while (node->next < node->end)
        {
            const rblSampleChild* child = &s->tree->children[node->next];
            if (!(node->distance - rbl_field_fall_outside(&s->field, node->far, child->reach) < wanted))
            {
                s->nearest =
                    rbl_minf(node->distance - rbl_field_fall(&s->field, node->far, child->reach), s->nearest);
                break;
            }
            if ((uint64_t)child->node >> s->level != 0)
            {
                wait_for_child(s, node);
                break;
            }
            node->next += 1;
            visit->sample = child->node;
            visit->point = rbl_sampling_point(s, child->point);
            if (!is_beyond(s, child->radius, visit->point, wanted))
            {
                return visit_sample(s, child->first, child->end, visit);
            }
        }
    }
    return false;
}

void rbl_sampling_next_level(rblSampling* s)
{
    s->waiting -= s->frontier->levels[s->level].count;
    s->level += 1;
    s->place = 0;
}

// ---- early out ----

static bool box_near(const rblShapeView* a, const rblShapeView* b, rblTransform b_in_a, float margin)
{
    return !a->bounded || !b->bounded ||
           rbl_aabb_overlaps(rbl_aabb_grown(a->bounds, margin), rbl_shape_bounds_at(b, b_in_a));
}

bool rbl_boxes_near(const rblShapeView* a, const rblShapeView* b, rblTransform b_in_a, float margin)
{
    return box_near(a, b, b_in_a, margin) && box_near(b, a, rbl_transform_inverse(b_in_a), margin);
}
