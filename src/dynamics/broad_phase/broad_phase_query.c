#include "base/error.h"
#include "dynamics/broad_phase/broad_phase_private.h"

// ---- boxes ----

// Returns false when the visitor stops.
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

// A ray prepared for tests with boxes. For an axis with direction 0 the inverse is infinite: (plane - origin) times it is an
// infinity of the right sign, or NaN when the origin lies in the plane. The near plane is chosen by the sign of the direction.
// So NaN always means "no bound on this axis", and min and max (vec.h) then return their second argument.
typedef struct RayTest
{
    rblRay ray;
    rblVec3 inverse;
    rblVec3 half; // enlargement of the boxes
    rblProxyRayVisitor* visit;
    void* context;
    bool stopped;
} RayTest;

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

// The mask of the boxes that the ray intersects, and the t of its entry points. Each bound has two rounding errors. The added
// slack compensates them (Ize 2013), so that no intersected box is left out.
static inline uint32_t intersect_boxes(const RayTest* test, const rblBoxGroup* boxes, float* enter)
{
    const rblRay* ray = &test->ray;
    Span4 span = {rbl_splat4(-INFINITY), rbl_splat4(INFINITY)};
    clip_axis(&span, boxes->lower_x, boxes->upper_x, ray->origin.x, ray->direction.x, test->inverse.x,
              test->half.x);
    clip_axis(&span, boxes->lower_y, boxes->upper_y, ray->origin.y, ray->direction.y, test->inverse.y,
              test->half.y);
    clip_axis(&span, boxes->lower_z, boxes->upper_z, ray->origin.z, ray->direction.z, test->inverse.z,
              test->half.z);
    const rblFloat4 enters = rbl_sub4(span.enter, rounding4(span.enter));
    const rblFloat4 leaves = rbl_add4(span.leave, rounding4(span.leave));
    const rblFloat4 in_range = rbl_and4(rbl_less_equal4(enters, rbl_splat4(ray->t_max)),
                                        rbl_less_equal4(rbl_splat4(ray->t_min), leaves));
    rbl_store4(enter, enters);
    // For a box that is not intersected, the entry is infinite, the exit is minus infinity, or the entry is after the exit by
    // more than the slack.
    return rbl_mask4(rbl_and4(in_range, rbl_less_equal4(enters, leaves)));
}

// Apply the result of the visitor: a smaller t_max, or negative to stop.
static void visit_proxy(RayTest* test, uint32_t proxy)
{
    const float t = test->visit(proxy, &test->ray, test->context);
    test->stopped = t < 0.0f;
    test->ray.t_max = rbl_minf(t, test->ray.t_max);
}

typedef struct RayEntry
{
    uint32_t level, index; // a group; level UINT32_MAX: a leaf
    float enter;
} RayEntry;

// Push the lanes of a group onto the stack, the nearest last.
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

static void ray_tree(RayTest* test, const rblProxyTree* tree)
{
    RayEntry stack[RBL_TREE_STACK + 4];
    uint32_t size = 0;
    if (tree->count > 0)
    {
        stack[size++] = (RayEntry){tree->level_count - 1, 0, -INFINITY};
    }
    while (size > 0 && !test->stopped)
    {
        const RayEntry entry = stack[--size];
        if (!(entry.enter <= test->ray.t_max))
        {
            continue;
        }
        if (entry.level == UINT32_MAX)
        {
            visit_proxy(test, tree->proxies[entry.index]);
            continue;
        }
        float enter[4];
        const rblBoxGroup boxes =
            rbl_boxes4_load(&tree->groups[tree->level_start[entry.level] + entry.index]);
        const uint32_t mask = intersect_boxes(test, &boxes, enter);
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

// Bound of the rounding error when box planes are moved by half a size.
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
    RayTest test = {.ray = *ray, .visit = visit, .context = context};
    test.inverse =
        rbl_vec3(inverse_of(ray->direction.x), inverse_of(ray->direction.y), inverse_of(ray->direction.z));
    test.half = rbl_add3(half_size, rbl_vec3(rounding, rounding, rounding));
    for (size_t i = 0; i < broad->unbounded.count && !test.stopped; ++i)
    {
        float enter[4];
        const rblBoxGroup box = rbl_box_splat(&broad->boxes[broad->unbounded.data[i]]);
        if (intersect_boxes(&test, &box, enter) != 0)
        {
            visit_proxy(&test, broad->unbounded.data[i]);
        }
    }
    ray_tree(&test, &broad->trees[0]);
    ray_tree(&test, &broad->trees[1]);
}
