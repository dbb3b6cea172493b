#include "field/contact/field_sampling.h"

#include "base/bits.h"
#include "math/aabb.h"
#include "math/simd.h"

// ---- tuning ----
// Relative to the size of coordinates: rounding error of distances of transformed points.
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

static float plain_value(const rblShape* shape, rblVec3 point, float limit, rblFieldSlope* slope)
{
    (void)limit;
    *slope = RBL_SLOPE_STEEP;
    rblVec3 unused;
    const rblShapeKind* kind = shape->kind;
    return kind->bound != NULL ? kind->bound(shape->data, point)
                               : kind->distance(shape->data, point, &unused);
}

rblField rbl_field_of(const rblShape* shape)
{
    rblField field = {.shape = shape, .value = plain_value, .grain = INFINITY};
    if (shape->kind->describe_field != NULL)
    {
        shape->kind->describe_field(shape, &field);
    }
    return field;
}

float rbl_field_distance(const rblField* field, rblVec3 point, float limit, rblFieldSlope* slope)
{
    if (field->grid != NULL)
    {
        bool far;
        const float distance = rbl_level_set_distance_only(field->grid, point, &far);
        *slope = far ? RBL_SLOPE_FAR : RBL_SLOPE_STEEP;
        return distance;
    }
    return field->value(field->shape, point, limit, slope);
}

// ---- visits of samples ----

bool rbl_sampling_init(rblSampling* s, const rblShape* samples, const rblShape* field, rblTransform pose,
                       float least, rblFrontier* frontier)
{
    const rblSampleTree* tree;
    if (rbl_shape_tree(samples, &tree) != RBL_OK)
    {
        return false;
    }
    *s = (rblSampling){.tree = tree,
                       .field = rbl_field_of(field),
                       .rotation = rbl_quat_to_mat3(pose.q),
                       .offset = pose.p,
                       .radius = samples->view.radius,
                       .frontier = frontier,
                       .least = least,
                       .clearance = INFINITY};
    if (s->field.out_of_memory)
    {
        return false;
    }
    // Planes have no size; their fields are exact.
    const float size =
        rbl_length3(pose.p) + samples->view.radius + (field->view.bounded ? field->view.radius : 0.0f);
    s->field.rounding = ROUNDING * size + (s->field.grid != NULL ? s->field.grid->unit : 0.0f);
    for (uint32_t i = 0; i < RBL_SAMPLE_LEVELS; ++i)
    {
        rbl_array_clear(&frontier->levels[i]);
    }
    return true;
}

// Put a node into the list of the level of its next child.
static void wait_for_child(rblSampling* s, const rblFrontierNode* node)
{
    const uint32_t level = rbl_floor_log2(s->tree->children[node->next].node) + 1;
    s->out_of_memory |= !rbl_array_push(&s->frontier->levels[level], *node);
    s->waiting += 1;
}

// Values within the error bound are reported, too: the point may be deeper than the value.
static float reporting_limit(const rblSampling* s, float wanted)
{
    return rbl_maxf(wanted, s->field.error);
}

// Samples with values from this bound on are skipped. Until a wanted sample is found, the limit includes the error
// bound, so that skipped samples leave a positive clearance.
static float skip_limit(const rblSampling* s, float wanted)
{
    return wanted >= s->least ? wanted + s->field.error : reporting_limit(s, wanted);
}

// The samples within `radius` of a sample are skipped, since no sample within `free_distance` of it can have a wanted
// value. Updates the clearance, which is needed only until a wanted sample is found.
static void skip(rblSampling* s, float free_distance, float radius, float wanted)
{
    s->clearance = wanted >= s->least ? rbl_minf(free_distance - radius, s->clearance) : s->clearance;
}

// Visit a child; all samples below it are within its radius.
static void visit_child(rblSampling* s, const rblSampleChild* child, const rblFrontierNode* node,
                        float wanted)
{
    s->visited += 1;
    if (node->next == node->end && !(wanted >= s->least))
    {
        return;
    }
    const float free_distance =
        rbl_field_free_distance(&s->field, node->slope, node->distance - skip_limit(s, wanted));
    const bool stay = child->radius > free_distance && node->next < node->end;
    skip(s, free_distance, stay ? 0.0f : child->radius, wanted);
    if (stay)
    {
        wait_for_child(s, node);
    }
}

// From this value on, no sample within `radius` can have a wanted value.
static float limit_of(const rblSampling* s, float radius, float wanted)
{
    return wanted + rbl_field_fall(&s->field, RBL_SLOPE_STEEP, radius);
}

static bool first_sample(rblSampling* s, float wanted, rblSampleVisit* visit)
{
    const rblSampleTree* tree = s->tree;
    rblFieldSlope slope;
    if (s->cursor++ > 0)
    {
        return false;
    }
    visit->sample = 0;
    visit->point = rbl_sampling_point(s, tree->points[0]);
    const rblSampleChild child = {.radius = rbl_sample_radius(tree, 0)};
    visit->distance = rbl_field_distance(&s->field, visit->point, limit_of(s, child.radius, wanted), &slope);
    const rblFrontierNode node = {tree->first_children[0], tree->first_children[1], visit->distance, slope,
                                  visit->point};
    visit_child(s, &child, &node, wanted);
    return !s->out_of_memory && visit->distance <= reporting_limit(s, wanted);
}

// ---- children, four at a time ----

// Add the children of one node on this level. Returns false if the group of four is full before the end of the list.
static bool gather_children(rblSampling* s, rblFrontierNode* node, float wanted)
{
    rblSampleGroup* group = &s->group;
    const float free_distance =
        rbl_field_free_distance(&s->field, node->slope, node->distance - skip_limit(s, wanted));
    for (; node->next < node->end; ++node->next)
    {
        const rblSampleChild* child = &s->tree->children[node->next];
        if (!(child->reach > free_distance))
        {
            skip(s, free_distance, child->reach, wanted);
            return true;
        }
        if ((uint64_t)child->node >> s->level != 0)
        {
            wait_for_child(s, node);
            return true;
        }
        if (group->count == 4)
        {
            return false;
        }
        const uint32_t lane = group->count++;
        group->children[lane] = child;
        group->free_distance[lane] = free_distance;
        group->x[lane] = node->point.x;
        group->y[lane] = node->point.y;
        group->z[lane] = node->point.z;
        rbl_prefetch(&s->tree->children[child->first]); // its children, if it is not skipped
    }
    return true;
}

// The next four children of this level (fewer at its end) that may have a sample below `wanted`.
static void gather_group(rblSampling* s, float wanted)
{
    const rblFrontierList* list = &s->frontier->levels[s->level];
    s->group.count = 0;
    while (s->cursor < list->count && !s->out_of_memory && gather_children(s, &list->data[s->cursor], wanted))
    {
        s->cursor += 1;
    }
}

static rblFloat4 transformed(const float rows[3], float offset, rblFloat4 x, rblFloat4 y, rblFloat4 z)
{
    const rblFloat4 rotated =
        rbl_add4(rbl_add4(rbl_mul4(rbl_splat4(rows[0]), x), rbl_mul4(rbl_splat4(rows[1]), y)),
                 rbl_mul4(rbl_splat4(rows[2]), z));
    return rbl_add4(rotated, rbl_splat4(offset));
}

// Transform to the axes of the field; unused lanes repeat the first point. Returns the radii.
static rblFloat4 locate_group(const rblSampling* s, rblFloat4 out[3])
{
    const rblSampleGroup* group = &s->group;
    const rblMat3* m = &s->rotation;
    rblFloat4 p[4];
    float radii[4];
    for (uint32_t i = 0; i < 4; ++i)
    {
        const rblSampleChild* child = group->children[i < group->count ? i : 0];
        p[i] = rbl_load4(&child->point.x);
        radii[i] = child->radius;
    }
    rbl_transpose4(&p[0], &p[1], &p[2], &p[3]);
    const float rows[3][3] = {
        {m->cx.x, m->cy.x, m->cz.x}, {m->cx.y, m->cy.y, m->cz.y}, {m->cx.z, m->cy.z, m->cz.z}};
    out[0] = transformed(rows[0], s->offset.x, p[0], p[1], p[2]);
    out[1] = transformed(rows[1], s->offset.y, p[0], p[1], p[2]);
    out[2] = transformed(rows[2], s->offset.z, p[0], p[1], p[2]);
    return rbl_load4(radii);
}

static rblFloat4 square_of(rblFloat4 x, rblFloat4 y, rblFloat4 z)
{
    return rbl_add4(rbl_add4(rbl_mul4(x, x), rbl_mul4(y, y)), rbl_mul4(z, z));
}

static float min_lane(rblFloat4 values, uint32_t lanes)
{
    float value[4];
    float least = INFINITY;
    rbl_store4(value, values);
    for (uint32_t i = 0; i < 4; ++i)
    {
        least = (lanes >> i & 1) != 0 ? rbl_minf(value[i], least) : least;
    }
    return least;
}

// Lanes whose samples are all so close to the parent that its value decides: they are skipped. (The radius of the
// parent contains its farthest child.)
static uint32_t skip_near(rblSampling* s, const rblFloat4 p[3], rblFloat4 radii, float wanted)
{
    const rblSampleGroup* group = &s->group;
    const rblFloat4 square =
        square_of(rbl_sub4(p[0], rbl_load4(group->x)), rbl_sub4(p[1], rbl_load4(group->y)),
                  rbl_sub4(p[2], rbl_load4(group->z)));
    const rblFloat4 spare = rbl_sub4(rbl_load4(group->free_distance), radii);
    const rblFloat4 near =
        rbl_and4(rbl_less4(rbl_splat4(0.0f), spare), rbl_less4(square, rbl_mul4(spare, spare)));
    const uint32_t lanes = rbl_mask4(near) & ((1u << group->count) - 1);
    if (lanes != 0 && wanted >= s->least)
    {
        s->clearance = rbl_minf(min_lane(rbl_sub4(spare, rbl_sqrt4(square)), lanes), s->clearance);
    }
    return lanes;
}

static rblFloat4 outside_along(rblFloat4 p, float lower, float upper)
{
    const rblFloat4 out = rbl_max4(rbl_sub4(rbl_splat4(lower), p), rbl_sub4(p, rbl_splat4(upper)));
    return rbl_max4(out, rbl_splat4(0.0f));
}

// Lanes whose samples are all so far outside the box of the field that they are skipped.
static uint32_t skip_outside(rblSampling* s, const rblFloat4 p[3], rblFloat4 radii, float wanted)
{
    if (!s->field.shape->view.bounded)
    {
        return 0;
    }
    const rblAabb* box = &s->field.shape->view.bounds;
    const rblFloat4 square = square_of(outside_along(p[0], box->lower.x, box->upper.x),
                                       outside_along(p[1], box->lower.y, box->upper.y),
                                       outside_along(p[2], box->lower.z, box->upper.z));
    const rblFloat4 used = rbl_add4(radii, rbl_splat4(rbl_field_fall(&s->field, RBL_SLOPE_FAR, 0.0f)));
    const rblFloat4 clear = rbl_add4(used, rbl_splat4(skip_limit(s, wanted)));
    const uint32_t lanes =
        rbl_mask4(rbl_less4(rbl_mul4(clear, clear), square)) & ((1u << s->group.count) - 1);
    if (lanes != 0 && wanted >= s->least)
    {
        const rblFloat4 clearance = rbl_sub4(rbl_sqrt4(square), clear);
        s->clearance = rbl_minf(min_lane(clearance, lanes), s->clearance);
    }
    return lanes;
}

// Add the lanes of a group that are not skipped to the batch. Returns false at the end of the level.
static bool add_group(rblSampling* s, float wanted)
{
    const rblSampleGroup* group = &s->group;
    rblSampleBatch* batch = &s->batch;
    gather_group(s, wanted);
    if (group->count == 0)
    {
        return false;
    }
    rblFloat4 p[3];
    float x[4], y[4], z[4];
    const rblFloat4 radii = locate_group(s, p);
    // Without a grid, an evaluation costs no more than the test whether it is needed.
    const uint32_t near = s->field.grid != NULL ? skip_near(s, p, radii, wanted) : 0;
    const uint32_t left = near | skip_outside(s, p, radii, wanted);
    rbl_store4(x, p[0]);
    rbl_store4(y, p[1]);
    rbl_store4(z, p[2]);
    for (uint32_t i = 0; i < group->count; ++i)
    {
        const uint32_t cursor = batch->count;
        batch->children[cursor] = group->children[i];
        batch->x[cursor] = x[i];
        batch->y[cursor] = y[i];
        batch->z[cursor] = z[i];
        batch->count += (left >> i & 1) == 0;
    }
    return true;
}

// ---- samples, four at a time ----

// Unused lanes repeat the first point.
static void evaluate_grid(rblSampling* s)
{
    rblSampleBatch* batch = &s->batch;
    for (uint32_t i = batch->visited; i < 4; ++i)
    {
        batch->x[i] = batch->x[0];
        batch->y[i] = batch->y[0];
        batch->z[i] = batch->z[0];
    }
    uint32_t far;
    rbl_store4(batch->distances, rbl_level_set_distance4(s->field.grid, rbl_load4(batch->x),
                                                         rbl_load4(batch->y), rbl_load4(batch->z), &far));
    for (uint32_t i = 0; i < 4; ++i)
    {
        batch->slopes[i] = (far >> i & 1) != 0 ? RBL_SLOPE_FAR : RBL_SLOPE_STEEP;
    }
}

static void evaluate_field(rblSampling* s, float wanted)
{
    rblSampleBatch* batch = &s->batch;
    for (uint32_t i = 0; i < batch->visited; ++i)
    {
        const rblVec3 point = rbl_vec3(batch->x[i], batch->y[i], batch->z[i]);
        const float limit = limit_of(s, batch->children[i]->radius, wanted);
        batch->distances[i] = rbl_field_distance(&s->field, point, limit, &batch->slopes[i]);
    }
}

static void evaluate_batch(rblSampling* s, float wanted)
{
    rblSampleBatch* batch = &s->batch;
    const float reported = reporting_limit(s, wanted);
    batch->near = 0;
    for (uint32_t i = 0; i < batch->visited; ++i)
    {
        const rblSampleChild* child = batch->children[i];
        const rblFrontierNode node = {child->first, child->end, batch->distances[i], batch->slopes[i],
                                      rbl_vec3(batch->x[i], batch->y[i], batch->z[i])};
        visit_child(s, child, &node, wanted);
        batch->near |= (node.distance <= reported ? 1u : 0u) << i;
    }
}

// Move the waiting samples to the front.
static void end_batch(rblSampleBatch* batch)
{
    batch->count -= batch->visited;
    for (uint32_t i = 0; i < batch->count; ++i)
    {
        batch->children[i] = batch->children[batch->visited + i];
        batch->x[i] = batch->x[batch->visited + i];
        batch->y[i] = batch->y[batch->visited + i];
        batch->z[i] = batch->z[batch->visited + i];
    }
    batch->visited = 0;
}

static bool next_batch(rblSampling* s, float wanted)
{
    // Only a grid evaluates four lanes at a time; other fields are evaluated one by one.
    const uint32_t most = s->field.grid != NULL ? 4 : 1;
    rblSampleBatch* batch = &s->batch;
    end_batch(batch);
    while (batch->count < most && add_group(s, wanted))
    {
    }
    if (batch->count == 0 || s->out_of_memory)
    {
        return false;
    }
    batch->visited = batch->count < 4 ? batch->count : 4;
    if (s->field.grid != NULL)
    {
        evaluate_grid(s);
    }
    else
    {
        evaluate_field(s, wanted);
    }
    evaluate_batch(s, wanted);
    return !s->out_of_memory;
}

bool rbl_sampling_next(rblSampling* s, float wanted, rblSampleVisit* visit)
{
    if (s->level == 0)
    {
        return first_sample(s, wanted, visit);
    }
    rblSampleBatch* batch = &s->batch;
    while (batch->near != 0 || next_batch(s, wanted))
    {
        const uint32_t lane = batch->near != 0 ? rbl_lowest_bit(batch->near) : 0;
        const bool reported = batch->near != 0 && batch->distances[lane] <= reporting_limit(s, wanted);
        batch->near &= batch->near - 1;
        if (reported)
        {
            visit->sample = batch->children[lane]->node;
            visit->point = rbl_vec3(batch->x[lane], batch->y[lane], batch->z[lane]);
            visit->distance = batch->distances[lane];
            return true;
        }
    }
    return false;
}

void rbl_sampling_next_level(rblSampling* s)
{
    s->waiting -= s->frontier->levels[s->level].count;
    s->level += 1;
    s->cursor = 0;
    s->batch.near = 0;
    s->batch.count = s->batch.visited = 0;
}

// ---- early out ----

// The gap along the best axis.
static float gap_in_axes(const rblShapeView* a, const rblShapeView* b, rblTransform b_in_a)
{
    const rblAabb box = rbl_shape_bounds_at(b, b_in_a);
    const rblVec3 below = rbl_sub3(a->bounds.lower, box.upper);
    const rblVec3 above = rbl_sub3(box.lower, a->bounds.upper);
    const rblVec3 gap = rbl_max3(below, above);
    return rbl_maxf(gap.x, rbl_maxf(gap.y, gap.z));
}

float rbl_boxes_gap(const rblShapeView* a, const rblShapeView* b, rblTransform b_in_a)
{
    return a->bounded && b->bounded
               ? rbl_maxf(gap_in_axes(a, b, b_in_a), gap_in_axes(b, a, rbl_transform_inverse(b_in_a)))
               : -INFINITY;
}
