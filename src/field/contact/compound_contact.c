// Contacts of shapes with parts: contacts of all pairs of parts.
#include "base/error.h"
#include "base/hash_map.h"
#include "field/contact/collide.h"
#include "field/contact/field_contact.h"
#include "field/contact/field_sampling.h"
#include "field/contact/part_pairs.h"
#include "math/aabb.h"
#include "math/transform.h"
#include <string.h>

// ---- tuning ----
// Relative to the margin; gap of parts that pass each other on the predicted paths, and still get contacts.
#define ASIDE 0.35f

// The number of a pair exceeds 32 bits only for two shapes of many parts.
static uint32_t mix_feature(uint64_t pair, uint32_t feature)
{
    const uint64_t far = pair >> 32 != 0 ? rbl_hash_u64(pair >> 32) : 0;
    return (uint32_t)(rbl_hash_u64((pair << 32 | feature) ^ far) >> 32);
}

// Redundant contacts stay behind all others.
static rblResult append_part(const rblContactSet* part, const rblPartView* a, uint64_t pair,
                             rblContactSet* out)
{
    if (!rbl_contact_set_reserve(out, part->count))
    {
        return rbl_fail_memory();
    }
    const uint32_t leading = rbl_contact_set_leading(out);
    const uint32_t added = rbl_contact_set_leading(part);
    if (out->count > leading)
    {
        memmove(out->points + leading + added, out->points + leading,
                sizeof *out->points * (out->count - leading));
    }
    for (uint32_t i = 0; i < part->count; ++i)
    {
        rblContactPoint c = part->points[i];
        if (a->has_pose)
        {
            c.point = rbl_transform_point(a->pose, c.point);
            c.normal = rbl_rotate3(a->pose.q, c.normal);
        }
        c.feature = mix_feature(pair, c.feature);
        out->points[i < added ? leading + i : out->count + i] = c;
    }
    out->count += part->count;
    rbl_contact_set_keep_leading(out, leading + added);
    out->colliding += part->colliding;
    out->visited += part->visited;
    return RBL_OK;
}

// The pose of the second part in the first part, from the pose of the second shape in the first shape.
static rblTransform pose_of_parts(const rblPartView* first, const rblPartView* second, rblTransform b_in_a)
{
    const rblTransform second_in_a = second->has_pose ? rbl_transform_mul(b_in_a, second->pose) : b_in_a;
    return first->has_pose ? rbl_transform_relative(first->pose, second_in_a) : second_in_a;
}

static rblContactOptions options_of_parts(const rblContactOptions* options, const rblPartView* first,
                                          const rblPartView* second, rblPredictedPath paths[RBL_MAX_PATHS])
{
    rblContactOptions out = *options;
    out.paths = paths;
    out.path_count = options->path_count < RBL_MAX_PATHS ? options->path_count : RBL_MAX_PATHS;
    for (uint32_t i = 0; i < out.path_count; ++i)
    {
        const rblPredictedPath* whole = &options->paths[i];
        paths[i].of_first = whole->of_first;
        paths[i].end = pose_of_parts(first, second, whole->end);
        paths[i].pivot =
            first->has_pose ? rbl_transform_inverse_point(first->pose, whole->pivot) : whole->pivot;
    }
    return out;
}

typedef struct PairList
{
    rblPartPairArray* pairs;
    bool full; // no memory
} PairList;

static bool list_pair(uint32_t part_a, uint32_t part_b, void* context)
{
    PairList* list = context;
    const rblPartPair pair = {part_a, part_b};
    list->full = !rbl_array_push(list->pairs, pair);
    return !list->full;
}

static uint64_t number_of(rblPartPair pair)
{
    return (uint64_t)pair.a << 32 | pair.b;
}

// Shell sort with the gaps of Ciura 2001: few pairs, nearly in order.
static void sort_pairs(rblPartPairArray* pairs)
{
    static const size_t gaps[] = {1750, 701, 301, 132, 57, 23, 10, 4, 1};
    for (size_t g = 0; g < sizeof gaps / sizeof *gaps; ++g)
    {
        for (size_t i = gaps[g]; i < pairs->count; ++i)
        {
            const rblPartPair pair = pairs->data[i];
            size_t k = i;
            for (; k >= gaps[g] && number_of(pairs->data[k - gaps[g]]) > number_of(pair); k -= gaps[g])
            {
                pairs->data[k] = pairs->data[k - gaps[g]];
            }
            pairs->data[k] = pair;
        }
    }
}

// The pairs in the order of the parts, which does not depend on the trees.
static rblResult find_pairs(const rblShapeView* a, const rblShapeView* b, rblTransform b_in_a, float margin,
                            rblPartPairArray* pairs)
{
    PairList list = {.pairs = pairs};
    const rblPartPairs search = {
        .a = a, .b = b, .b_in_a = b_in_a, .margin = margin, .visit = list_pair, .context = &list};
    pairs->count = 0;
    rbl_part_pairs_visit(&search);
    sort_pairs(pairs);
    return list.full ? rbl_fail_memory() : RBL_OK;
}

// The margin is as wide as the longest path, in every direction. A pair of parts is needed if its boxes come close on one of the paths;
// close is a share of the margin, for bodies that are deflected. A point on an arc is at most length * angle / 8 from its chord.
static bool may_meet(const rblPartView* first, const rblPartView* second, rblTransform pose,
                     const rblContactOptions* options, float radius)
{
    if (options->path_count == 0 || !first->view->bounded || !second->view->bounded)
    {
        return true;
    }
    const rblAabb start = rbl_shape_bounds_at(second->view, pose);
    for (uint32_t i = 0; i < options->path_count; ++i)
    {
        const rblTransform end = options->paths[i].end;
        const float cosine = rbl_quat_dot(pose.q, end.q);
        const float bulge = radius * rbl_maxf(1.0f - cosine * cosine, 0.0f); // of twice the half angle
        const rblAabb swept = rbl_aabb_union(start, rbl_shape_bounds_at(second->view, end));
        if (rbl_aabb_overlaps(rbl_aabb_grown(swept, ASIDE * options->margin + bulge), first->view->bounds))
        {
            return true;
        }
    }
    return false;
}

rblResult rbl_parts_collide(const rblShapeView* a, const rblShapeView* b, rblTransform b_in_a,
                            const rblContactOptions* options, rblContactSet* out)
{
    rblPartPairArray* pairs = NULL;
    rblContactSet* part = rbl_contact_set_part(out, &pairs);
    if (part == NULL)
    {
        return rbl_fail_memory();
    }
    RBL_TRY(find_pairs(a, b, b_in_a, options->margin, pairs));
    const rblShapeParts* parts_b = rbl_shape_parts(b->shape);
    const float reach = (a->bounded ? a->radius : 0.0f) + (b->bounded ? b->radius : 0.0f);
    const uint64_t b_count = parts_b != NULL ? parts_b->count : 1;
    for (size_t i = 0; i < pairs->count; ++i)
    {
        const rblPartView first = rbl_part_view(a, pairs->data[i].a);
        const rblPartView second = rbl_part_view(b, pairs->data[i].b);
        const rblTransform pose = pose_of_parts(&first, &second, b_in_a);
        if (rbl_boxes_gap(first.view, second.view, pose) <= options->margin)
        {
            rblPredictedPath paths[RBL_MAX_PATHS];
            const rblContactOptions part_options = options_of_parts(options, &first, &second, paths);
            if (!may_meet(&first, &second, pose, &part_options, reach))
            {
                continue;
            }
            RBL_TRY(rbl_shape_find_contacts(first.view, second.view, pose, &part_options, NULL, part));
            RBL_TRY(append_part(part, &first, pairs->data[i].a * b_count + pairs->data[i].b, out));
        }
    }
    return RBL_OK;
}
