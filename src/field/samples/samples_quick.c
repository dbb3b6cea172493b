// Clusters of points around their centres; the widest cluster is split first. A split visits the points of one cluster
// only, and clusters shrink quickly: n log n for points on a surface, with few operations per point.
#include "field/samples/samples_order.h"

#include "base/bits.h"
#include "base/error.h"
#include "math/aabb.h"
#include "math/vec.h"

typedef struct Member
{
    rblVec3 point;
    uint32_t index; // of the point in the input
    float squared;  // m^2, squared distance to the centre of its cluster
} Member;

// The points around one point of the order, which is the centre.
typedef struct Cluster
{
    uint32_t begin, end; // range in Split.members
    Member farthest;
} Cluster;

typedef struct Split
{
    Member* members;
    Cluster* clusters; // one per entry of the order
    uint32_t* heap;    // clusters, the widest on top
    uint32_t heap_count;
    uint32_t count; // number of points
    const rblAllocator* allocator;
} Split;

static void split_free(Split* s)
{
    RBL_FREE_ARRAY(s->allocator, s->members, s->count);
    RBL_FREE_ARRAY(s->allocator, s->clusters, s->count);
    RBL_FREE_ARRAY(s->allocator, s->heap, s->count);
}

static bool split_init(Split* s, const rblVec3* points, uint32_t count, const rblAllocator* allocator)
{
    *s = (Split){.count = count, .allocator = allocator};
    s->members = RBL_NEW_ARRAY(allocator, Member, count);
    s->clusters = RBL_NEW_ARRAY(allocator, Cluster, count);
    s->heap = RBL_NEW_ARRAY(allocator, uint32_t, count);
    if (s->members == NULL || s->clusters == NULL || s->heap == NULL)
    {
        split_free(s);
        return false;
    }
    for (uint32_t i = 0; i < count; ++i)
    {
        s->members[i] = (Member){points[i], i, 0.0f};
    }
    return true;
}

// ---- heap ----

static bool is_wider(const Split* s, uint32_t a, uint32_t b)
{
    const Cluster* x = &s->clusters[a];
    const Cluster* y = &s->clusters[b];
    return x->farthest.squared > y->farthest.squared || (x->farthest.squared == y->farthest.squared && a < b);
}

static void heap_push(Split* s, uint32_t cluster)
{
    uint32_t at = s->heap_count++;
    while (at > 0 && is_wider(s, cluster, s->heap[(at - 1) / 2]))
    {
        s->heap[at] = s->heap[(at - 1) / 2];
        at = (at - 1) / 2;
    }
    s->heap[at] = cluster;
}

static uint32_t heap_pop(Split* s)
{
    const uint32_t top = s->heap[0];
    const uint32_t moved = s->heap[--s->heap_count];
    uint32_t at = 0;
    for (;;)
    {
        uint32_t child = 2 * at + 1;
        if (child >= s->heap_count)
        {
            break;
        }
        child += child + 1 < s->heap_count && is_wider(s, s->heap[child + 1], s->heap[child]);
        if (!is_wider(s, s->heap[child], moved))
        {
            break;
        }
        s->heap[at] = s->heap[child];
        at = child;
    }
    s->heap[at] = moved;
    return top;
}

// ---- clusters ----

static const Member nobody = {{0, 0, 0}, UINT32_MAX, -1.0f};

// Of equally far points, the first in the input.
static bool is_farther(const Member* a, const Member* b)
{
    return a->squared > b->squared || (a->squared == b->squared && a->index < b->index);
}

static float distance_squared(rblVec3 a, rblVec3 b)
{
    const rblVec3 d = rbl_sub3(a, b);
    return rbl_dot3(d, d);
}

// All points around `middle`.
static void gather_all(Split* s, rblVec3 middle)
{
    Member farthest = nobody;
    for (uint32_t i = 0; i < s->count; ++i)
    {
        Member* member = &s->members[i];
        member->squared = distance_squared(member->point, middle);
        farthest = is_farther(member, &farthest) ? *member : farthest;
    }
    s->clusters[0] = (Cluster){.end = s->count, .farthest = farthest};
}

// The first point is the one farthest from the centre of the box.
static void first_cluster(Split* s, rblSampleOrder* order)
{
    rblAabb box = rbl_aabb_empty();
    for (uint32_t i = 0; i < s->count; ++i)
    {
        box = rbl_aabb_add(box, s->members[i].point);
    }
    gather_all(s, rbl_aabb_center(box));
    const Member first = s->clusters[0].farthest;
    gather_all(s, first.point);
    order->chosen[0] = first.index;
    order->parents[0] = 0;
    order->count = 1;
}

// Members closer to the new centre are moved to the end of the cluster and become a cluster of their own.
static void split_cluster(Split* s, uint32_t which, uint32_t order_index)
{
    Cluster* old = &s->clusters[which];
    const rblVec3 middle = old->farthest.point;
    Member far_old = nobody;
    Member far_new = nobody;
    uint32_t end = old->end;
    for (uint32_t i = old->begin; i < end;)
    {
        Member* member = &s->members[i];
        const float squared = distance_squared(member->point, middle);
        if (!(squared < member->squared))
        {
            if (is_farther(member, &far_old))
            {
                far_old = *member;
            }
            i += 1;
            continue;
        }
        Member moved = *member;
        moved.squared = squared;
        if (is_farther(&moved, &far_new))
        {
            far_new = moved;
        }
        *member = s->members[--end];
        s->members[end] = moved;
    }
    s->clusters[order_index] = (Cluster){.begin = end, .end = old->end, .farthest = far_new};
    old->end = end;
    old->farthest = far_old;
}

// Level of an entry of the order: 0 for the first, l for the entries 2^(l - 1) to 2^l - 1.
static uint32_t level_of(uint32_t order_index)
{
    return order_index == 0 ? 0 : rbl_floor_log2(order_index) + 1;
}

static uint32_t parent_above(const rblSampleOrder* order, uint32_t parent, uint32_t order_index)
{
    while (level_of(parent) >= level_of(order_index))
    {
        parent = order->parents[parent];
    }
    return parent;
}

static void split_all(Split* s, rblSampleOrder* order)
{
    first_cluster(s, order);
    heap_push(s, 0);
    while (s->clusters[s->heap[0]].farthest.squared > 0.0f)
    {
        const uint32_t which = heap_pop(s);
        const uint32_t order_index = order->count++;
        order->chosen[order_index] = s->clusters[which].farthest.index;
        order->parents[order_index] = parent_above(order, which, order_index);
        split_cluster(s, which, order_index);
        heap_push(s, which);
        heap_push(s, order_index);
    }
}

rblResult rbl_sample_order_init_quick(rblSampleOrder* order, const rblVec3* points, uint32_t count,
                                      const rblAllocator* allocator)
{
    Split split;
    if (!split_init(&split, points, count, allocator))
    {
        return rbl_fail_memory();
    }
    *order = (rblSampleOrder){.capacity = count, .allocator = allocator};
    order->chosen = RBL_NEW_ARRAY(allocator, uint32_t, count);
    order->parents = RBL_NEW_ARRAY(allocator, uint32_t, count);
    const bool ok = order->chosen != NULL && order->parents != NULL;
    if (ok)
    {
        split_all(&split, order);
    }
    split_free(&split);
    if (!ok)
    {
        rbl_sample_order_free(order);
        return rbl_fail_memory();
    }
    return RBL_OK;
}
