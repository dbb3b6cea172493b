// Contacts of shapes with parts: contacts of all pairs of parts.
#include "base/error.h"
#include "base/hash_map.h"
#include "field/contact/collide.h"
#include "field/contact/field_contact.h"
#include "field/contact/field_sampling.h"
#include "math/aabb.h"
#include "math/transform.h"
#include <string.h>

// One part of a shape. A shape without parts is its own only part.
typedef struct Part
{
    const rblShapeView* view;
    rblTransform pose; // in the axes of the whole shape
    bool has_pose;     // whether the pose is not the identity
} Part;

static uint32_t part_count(const rblShapeView* view)
{
    const rblShapeParts* parts = rbl_shape_parts(view->shape);
    return parts != NULL ? parts->count : 1;
}

static Part part_of(const rblShapeView* view, uint32_t index)
{
    const rblShapeParts* parts = rbl_shape_parts(view->shape);
    if (parts == NULL)
    {
        return (Part){view, rbl_transform_identity(), false};
    }
    const rblShapePart* part = &parts->parts[index];
    return (Part){&part->shape->view, part->pose, true};
}

static uint32_t mix_feature(uint32_t pair, uint32_t feature)
{
    return (uint32_t)(rbl_hash_u64((uint64_t)pair << 32 | feature) >> 32);
}

// Redundant contacts stay behind all others.
static rblResult append_part(const rblContactSet* part, const Part* a, uint32_t pair, rblContactSet* out)
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
static rblTransform pose_of_parts(const Part* first, const Part* second, rblTransform b_in_a)
{
    const rblTransform second_in_a = second->has_pose ? rbl_transform_mul(b_in_a, second->pose) : b_in_a;
    return first->has_pose ? rbl_transform_relative(first->pose, second_in_a) : second_in_a;
}

static rblContactOptions options_of_parts(const rblContactOptions* options, const Part* first,
                                          const Part* second, rblPredictedPath paths[RBL_MAX_PATHS])
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

rblResult rbl_parts_collide(const rblShapeView* a, const rblShapeView* b, rblTransform b_in_a,
                            const rblContactOptions* options, rblContactSet* out)
{
    rblContactSet* part = rbl_contact_set_part(out);
    if (part == NULL)
    {
        return rbl_fail_memory();
    }
    const uint32_t b_count = part_count(b);
    for (uint32_t pair = 0; pair < part_count(a) * b_count; ++pair)
    {
        const Part first = part_of(a, pair / b_count);
        const Part second = part_of(b, pair % b_count);
        const rblTransform pose = pose_of_parts(&first, &second, b_in_a);
        if (rbl_boxes_gap(first.view, second.view, pose) <= options->margin)
        {
            rblPredictedPath paths[RBL_MAX_PATHS];
            const rblContactOptions part_options = options_of_parts(options, &first, &second, paths);
            RBL_TRY(rbl_shape_find_contacts(first.view, second.view, pose, &part_options, NULL, part));
            RBL_TRY(append_part(part, &first, pair, out));
        }
    }
    return RBL_OK;
}
