#include "base/error.h"
#include "dynamics/broad_phase/broad_phase_private.h"

// ---- boxes ----

// False when the visitor has had enough.
static bool visit_lanes(const rblProxyTree* tree, uint32_t group, uint32_t mask, rblProxyVisitor* visit,
                        void* context)
{
    for (; mask != 0; mask &= mask - 1)
    {
        if (!visit(tree->proxies[4 * group + rbl_first_lane(mask)], context))
        {
            return false;
        }
    }
    return true;
}

static bool query_tree(const rblProxyTree* tree, const rblBoxGroup* box, rblProxyVisitor* visit,
                       void* context)
{
    rblGroupIndex stack[RBL_TREE_STACK];
    uint32_t size = 0;
    if (tree->count > 0)
    {
        stack[size++] = (rblGroupIndex){tree->level_count - 1, 0};
    }
    while (size > 0)
    {
        const rblGroupIndex entry = stack[--size];
        const rblBoxGroup boxes =
            rbl_boxes4_load(&tree->groups[tree->level_start[entry.level] + entry.group]);
        uint32_t mask = rbl_groups_overlap(&boxes, box);
        if (entry.level == 0)
        {
            if (!visit_lanes(tree, entry.group, mask, visit, context))
            {
                return false;
            }
            continue;
        }
        for (; mask != 0; mask &= mask - 1)
        {
            stack[size++] = (rblGroupIndex){entry.level - 1, 4 * entry.group + rbl_first_lane(mask)};
        }
    }
    return true;
}

void rbl_broad_phase_query(const rblBroadPhase* broad, rblAabb box, rblProxyVisitor* visit, void* context)
{
    for (size_t i = 0; i < broad->unbounded.count; ++i)
    {
        const uint32_t proxy = broad->unbounded.data[i];
        if (rbl_aabb_overlaps(broad->boxes[proxy], box) && !visit(proxy, context))
        {
            return;
        }
    }
    const rblBoxGroup splat = rbl_box_splat_finite(&box);
    if (query_tree(&broad->trees[0], &splat, visit, context))
    {
        (void)query_tree(&broad->trees[1], &splat, visit, context);
    }
}

// ---- rays ----

// A ray made ready for boxes. An axis along which it does not go has an infinite inverse: (plane - origin) times it is
// an infinity of the right sign, or NaN when the origin lies in the plane. With the near plane chosen by the sign of the
// direction, NaN can only mean "no bound from here", and min and max (vec.h) then keep their second argument.
typedef struct Probe
{
    rblRay ray;
    rblVec3 inverse;
    rblVec3 half; // what boxes are grown by
    rblProxyRayVisitor* visit;
    void* context;
    bool stopped;
} Probe;

typedef struct Span4
{
    rblFloat4 enter, leave;
} Span4;

static inline void clip_axis(Span4* span, rblFloat4 lower, rblFloat4 upper, float origin, float direction,
                             float inverse, float half)
{
    const rblFloat4 grown_lower = rbl_sub4(lower, rbl_splat4(half));
    const rblFloat4 grown_upper = rbl_add4(upper, rbl_splat4(half));
    const rblFloat4 o = rbl_splat4(origin);
    const rblFloat4 i = rbl_splat4(inverse);
    const bool forward = direction >= 0.0f;
    span->enter = rbl_max4(rbl_mul4(rbl_sub4(forward ? grown_lower : grown_upper, o), i), span->enter);
    span->leave = rbl_min4(rbl_mul4(rbl_sub4(forward ? grown_upper : grown_lower, o), i), span->leave);
}

static inline rblFloat4 rounding4(rblFloat4 t)
{
    return rbl_mul4(rbl_splat4(0x1p-21f), rbl_max4(t, rbl_sub4(rbl_splat4(0.0f), t)));
}

// Which of four boxes the ray meets, and where it enters them. Each bound carries two roundings, of which the slack makes up
// (Ize 2013): no box that is met is missed.
static inline uint32_t meet_boxes(const Probe* probe, const rblBoxGroup* boxes, float* enter)
{
    const rblRay* ray = &probe->ray;
    Span4 span = {rbl_splat4(-INFINITY), rbl_splat4(INFINITY)};
    clip_axis(&span, boxes->lower_x, boxes->upper_x, ray->origin.x, ray->direction.x, probe->inverse.x,
              probe->half.x);
    clip_axis(&span, boxes->lower_y, boxes->upper_y, ray->origin.y, ray->direction.y, probe->inverse.y,
              probe->half.y);
    clip_axis(&span, boxes->lower_z, boxes->upper_z, ray->origin.z, ray->direction.z, probe->inverse.z,
              probe->half.z);
    const rblFloat4 enters = rbl_sub4(span.enter, rounding4(span.enter));
    const rblFloat4 leaves = rbl_add4(span.leave, rounding4(span.leave));
    const rblFloat4 in_range = rbl_and4(rbl_less_equal4(enters, rbl_splat4(ray->t_max)),
                                        rbl_less_equal4(rbl_splat4(ray->t_min), leaves));
    rbl_store4(enter, enters);
    // A miss is entered at infinity or left at minus infinity, or by more than the slack in the wrong order.
    return rbl_mask4(rbl_and4(in_range, rbl_less_equal4(enters, leaves)));
}

// Smaller answers cut the ray, negative ones end it.
static void visit_proxy(Probe* probe, uint32_t proxy)
{
    const float t = probe->visit(proxy, &probe->ray, probe->context);
    probe->stopped = t < 0.0f;
    probe->ray.t_max = rbl_minf(t, probe->ray.t_max);
}

typedef struct RayEntry
{
    uint32_t level, index; // a group; or a leaf, on level UINT32_MAX
    float enter;
} RayEntry;

// The lanes of a group onto the stack, the nearest last.
static uint32_t push_lanes(RayEntry* stack, uint32_t size, uint32_t level, uint32_t first, uint32_t mask,
                           const float* enter)
{
    const uint32_t bottom = size;
    for (; mask != 0; mask &= mask - 1)
    {
        const uint32_t lane = rbl_first_lane(mask);
        uint32_t k = size++;
        for (; k > bottom && stack[k - 1].enter < enter[lane]; --k)
        {
            stack[k] = stack[k - 1];
        }
        stack[k] = (RayEntry){level, first + lane, enter[lane]};
    }
    return size;
}

static void ray_tree(Probe* probe, const rblProxyTree* tree)
{
    RayEntry stack[RBL_TREE_STACK + 4];
    uint32_t size = 0;
    if (tree->count > 0)
    {
        stack[size++] = (RayEntry){tree->level_count - 1, 0, -INFINITY};
    }
    while (size > 0 && !probe->stopped)
    {
        const RayEntry entry = stack[--size];
        if (!(entry.enter <= probe->ray.t_max))
        {
            continue;
        }
        if (entry.level == UINT32_MAX)
        {
            visit_proxy(probe, tree->proxies[entry.index]);
            continue;
        }
        float enter[4];
        const rblBoxGroup boxes =
            rbl_boxes4_load(&tree->groups[tree->level_start[entry.level] + entry.index]);
        const uint32_t mask = meet_boxes(probe, &boxes, enter);
        size = push_lanes(stack, size, entry.level - 1, 4 * entry.index, mask, enter);
    }
}

static bool is_ray(const rblRay* ray)
{
    const rblVec3 d = ray->direction;
    return rbl_finite3(ray->origin) && rbl_finite3(d) && (d.x != 0.0f || d.y != 0.0f || d.z != 0.0f) &&
           ray->t_min <= ray->t_max;
}

static float inverse_of(float x)
{
    return x == 0.0f ? INFINITY : 1.0f / x;
}

// Moving the planes of boxes by half a size rounds; this much more makes up for it.
static float rounding_of(const rblBroadPhase* broad)
{
    float farthest = 0.0f;
    for (uint32_t t = 0; t < 2; ++t)
    {
        const rblProxyTree* tree = &broad->trees[t];
        const uint32_t root = tree->level_count > 0 ? tree->level_start[tree->level_count - 1] : 0;
        for (uint32_t lane = 0; lane < 4 && tree->live > 0; ++lane)
        {
            const rblBoxes4* g = &tree->groups[root];
            if (g->lower_x[lane] <= g->upper_x[lane])
            {
                farthest = rbl_maxf(farthest, rbl_maxf(-g->lower_x[lane], g->upper_x[lane]));
                farthest = rbl_maxf(farthest, rbl_maxf(-g->lower_y[lane], g->upper_y[lane]));
                farthest = rbl_maxf(farthest, rbl_maxf(-g->lower_z[lane], g->upper_z[lane]));
            }
        }
    }
    return farthest * 0x1p-23f;
}

void rbl_broad_phase_ray(const rblBroadPhase* broad, const rblRay* ray, rblVec3 half_size,
                         rblProxyRayVisitor* visit, void* context)
{
    if (!is_ray(ray) || !rbl_finite3(half_size))
    {
        return;
    }
    const float rounding = rounding_of(broad);
    Probe probe = {.ray = *ray, .visit = visit, .context = context};
    probe.inverse =
        rbl_vec3(inverse_of(ray->direction.x), inverse_of(ray->direction.y), inverse_of(ray->direction.z));
    probe.half = rbl_add3(half_size, rbl_vec3(rounding, rounding, rounding));
    for (size_t i = 0; i < broad->unbounded.count && !probe.stopped; ++i)
    {
        float enter[4];
        const rblBoxGroup box = rbl_box_splat(&broad->boxes[broad->unbounded.data[i]]);
        if (meet_boxes(&probe, &box, enter) != 0)
        {
            visit_proxy(&probe, broad->unbounded.data[i]);
        }
    }
    ray_tree(&probe, &broad->trees[0]);
    ray_tree(&probe, &broad->trees[1]);
}
