// The order of elimination and its fronts.
#include "base/sort.h"
#include "fem/cholesky.h"
#include "rubble/mesh.h"
#include <string.h>

#define LEAF_NODES                                                                                           \
    8 // parts of at most this many nodes are not divided; from 3 to 12 the size of the factors differs by 4 %

typedef struct Dissection
{
    rblCholesky* factor;
    const rblBlockMatrix* matrix;
    const rblVec3d* positions;
    uint32_t* items;    // nodes; a part is a range of them
    uint32_t* scratch;  // same size as items
    uint32_t* sides;    // per node: 2 * split + side, of the last split that contained it
    uint32_t* partners; // per node: its partner across the cut; no node is in two pairs
    uint32_t* seen;     // per node: the last search that visited it
    uint32_t* from;     // per node: its predecessor in that search
    uint32_t* queue;    // same size as items
    uint32_t splits, searches;
    bool good; // false when out of memory
} Dissection;

void rbl_cholesky_init(rblCholesky* factor, const rblAllocator* allocator)
{
    rbl_array_init(&factor->order, allocator);
    rbl_array_init(&factor->place, allocator);
    rbl_array_init(&factor->fronts, allocator);
    rbl_array_init(&factor->rows, allocator);
    rbl_array_init(&factor->values, allocator);
    rbl_array_init(&factor->singles, allocator);
    factor->max_rows = 0;
}

void rbl_cholesky_free(rblCholesky* factor)
{
    rbl_array_free(&factor->order);
    rbl_array_free(&factor->place);
    rbl_array_free(&factor->fronts);
    rbl_array_free(&factor->rows);
    rbl_array_free(&factor->values);
    rbl_array_free(&factor->singles);
}

size_t rbl_cholesky_bytes(const rblCholesky* factor)
{
    return (factor->order.capacity + factor->place.capacity + factor->rows.capacity) * sizeof(uint32_t) +
           factor->fronts.capacity * sizeof(rblFront) + factor->values.capacity * sizeof(double) +
           factor->singles.capacity * sizeof(float);
}

typedef struct AxisOrder
{
    const rblVec3d* positions;
    int axis;
} AxisOrder;

static double coordinate(rblVec3d p, int axis)
{
    return axis == 0 ? p.x : axis == 1 ? p.y : p.z;
}

static bool axis_before(uint32_t a, uint32_t b, const void* context)
{
    const AxisOrder* order = context;
    const double x = coordinate(order->positions[a], order->axis);
    const double y = coordinate(order->positions[b], order->axis);
    return x < y || (x == y && a < b);
}

static int longest_axis(const Dissection* dissection, const uint32_t* items, uint32_t count)
{
    rblVec3d lower = dissection->positions[items[0]], upper = lower;
    for (uint32_t i = 1; i < count; ++i)
    {
        lower = rbl_min3d(lower, dissection->positions[items[i]]);
        upper = rbl_max3d(upper, dissection->positions[items[i]]);
    }
    const rblVec3d extent = rbl_sub3d(upper, lower);
    return extent.x >= extent.y && extent.x >= extent.z ? 0 : extent.y >= extent.z ? 1 : 2;
}

// ---- separators ----

typedef struct Cut
{
    uint32_t left, right; // marks in `sides`; a separator node has neither
    uint32_t stamp;       // number of the current search
} Cut;

static bool touches(const Dissection* dissection, uint32_t node, uint32_t side)
{
    const rblBlockMatrix* matrix = dissection->matrix;
    for (uint32_t i = matrix->starts.data[node]; i < matrix->starts.data[node + 1]; ++i)
    {
        if (dissection->sides[matrix->columns.data[i]] == side)
        {
            return true;
        }
    }
    return false;
}

// Search from a node on the left, over edges to the right and back over pairs, through nodes that were not visited
// before. With `augment` stop at a node on the right without a partner and swap the pairs on the path: then there is
// one pair more, and the result is true.
static bool search(Dissection* dissection, uint32_t start, const Cut* cut, bool augment)
{
    const rblBlockMatrix* matrix = dissection->matrix;
    uint32_t head = 0, tail = 0;
    dissection->queue[tail++] = start;
    dissection->seen[start] = cut->stamp;
    while (head < tail)
    {
        const uint32_t node = dissection->queue[head++];
        for (uint32_t i = matrix->starts.data[node]; i < matrix->starts.data[node + 1]; ++i)
        {
            uint32_t other = matrix->columns.data[i];
            if (dissection->sides[other] != cut->right || dissection->seen[other] == cut->stamp)
            {
                continue;
            }
            dissection->seen[other] = cut->stamp;
            dissection->from[other] = node;
            if (dissection->partners[other] != RBL_NONE)
            {
                dissection->seen[dissection->partners[other]] = cut->stamp;
                dissection->queue[tail++] = dissection->partners[other];
                continue;
            }
            while (augment && other != RBL_NONE)
            {
                const uint32_t before = dissection->from[other], next = dissection->partners[before];
                dissection->partners[before] = other;
                dissection->partners[other] = before;
                other = next;
            }
            if (augment)
            {
                return true;
            }
        }
    }
    return false;
}

// The smallest set of nodes that touches all edges between the two sides (Koenig 1931): for a maximum matching, the
// nodes on the left that cannot be reached from a node on the left without a partner, and the nodes on the right that
// can. They lose their side.
static void separate(Dissection* dissection, const uint32_t* items, uint32_t half, uint32_t count, Cut* cut)
{
    for (uint32_t i = 0; i < count; ++i)
    {
        dissection->partners[items[i]] = RBL_NONE;
    }
    for (uint32_t i = 0; i < half; ++i)
    {
        cut->stamp = ++dissection->searches;
        search(dissection, items[i], cut, true);
    }
    cut->stamp = ++dissection->searches;
    for (uint32_t i = 0; i < half; ++i)
    {
        if (dissection->partners[items[i]] == RBL_NONE && touches(dissection, items[i], cut->right))
        {
            search(dissection, items[i], cut, false);
        }
    }
    for (uint32_t i = 0; i < count; ++i)
    {
        const bool reached = dissection->seen[items[i]] == cut->stamp;
        const bool paired = dissection->partners[items[i]] != RBL_NONE;
        if (paired && reached == (i >= half))
        {
            dissection->sides[items[i]] = 0;
        }
    }
}

typedef struct Split
{
    uint32_t left, right; // numbers of nodes; the rest is the separator
} Split;

// Sort items into left, right and separator, each in the order along the longest axis.
static Split split_items(Dissection* dissection, uint32_t* items, uint32_t count)
{
    const AxisOrder order = {dissection->positions, longest_axis(dissection, items, count)};
    rbl_sort_indices(items, dissection->scratch, count, axis_before, &order);
    const uint32_t half = count / 2;
    Cut cut = {.left = 2 * ++dissection->splits};
    cut.right = cut.left + 1;
    for (uint32_t i = 0; i < count; ++i)
    {
        dissection->sides[items[i]] = i < half ? cut.left : cut.right;
    }
    separate(dissection, items, half, count, &cut);
    uint32_t kept = 0, parted = 0;
    Split split = {0, 0};
    for (uint32_t i = 0; i < count; ++i)
    {
        const uint32_t side = dissection->sides[items[i]];
        if (side == 0)
        {
            dissection->scratch[parted++] = items[i];
            continue;
        }
        split.left += side == cut.left;
        split.right += side == cut.right;
        items[kept++] = items[i];
    }
    memcpy(items + kept, dissection->scratch, sizeof *items * parted);
    return split;
}

// Order the items and create their fronts. Returns the last front, RBL_NONE without items.
static uint32_t dissect(Dissection* dissection, uint32_t* items, uint32_t count, uint32_t depth)
{
    rblCholesky* factor = dissection->factor;
    rblFront front = {.children = {RBL_NONE, RBL_NONE}, .depth = depth};
    front.begin = (uint32_t)factor->fronts.count;
    if (count == 0)
    {
        return RBL_NONE;
    }
    uint32_t before = 0;
    if (count > LEAF_NODES)
    {
        const Split split = split_items(dissection, items, count);
        front.children[0] = dissect(dissection, items, split.left, depth + 1);
        front.children[1] = dissect(dissection, items + split.left, split.right, depth + 1);
        before = split.left + split.right;
    }
    front.first = (uint32_t)factor->order.count;
    front.count = count - before;
    memcpy(factor->order.data + factor->order.count, items + before, sizeof *items * front.count);
    factor->order.count += front.count;
    const uint32_t index = (uint32_t)factor->fronts.count;
    dissection->good = rbl_array_push(&factor->fronts, front) && dissection->good;
    return index;
}

static bool meet_row(rblCholesky* factor, uint32_t place, uint32_t end, uint32_t front, uint32_t* seen)
{
    if (place < end || seen[place] == front + 1)
    {
        return true;
    }
    seen[place] = front + 1;
    return rbl_array_push(&factor->rows, place);
}

// The later nodes that a front is coupled to: those of the matrix, and those of its children.
static bool find_rows(rblCholesky* factor, const rblBlockMatrix* matrix, uint32_t index, uint32_t* seen,
                      uint32_t* scratch)
{
    rblFront* front = &factor->fronts.data[index];
    const uint32_t end = front->first + front->count;
    const size_t first = factor->rows.count;
    bool good = true;
    for (uint32_t p = front->first; good && p < end; ++p)
    {
        const uint32_t node = factor->order.data[p];
        for (uint32_t i = matrix->starts.data[node]; good && i < matrix->starts.data[node + 1]; ++i)
        {
            good = meet_row(factor, factor->place.data[matrix->columns.data[i]], end, index, seen);
        }
    }
    for (int c = 0; c < 2; ++c)
    {
        const rblFront* child =
            front->children[c] != RBL_NONE ? &factor->fronts.data[front->children[c]] : NULL;
        for (uint32_t i = 0; good && child != NULL && i < child->row_count; ++i)
        {
            good = meet_row(factor, factor->rows.data[child->row_first + i], end, index, seen);
        }
    }
    front->row_first = (uint32_t)first;
    front->row_count = (uint32_t)(factor->rows.count - first);
    if (front->row_count > 0)
    {
        rbl_sort_indices(factor->rows.data + first, scratch, front->row_count, rbl_before_by_value, NULL);
    }
    return good;
}

static bool find_all_rows(rblCholesky* factor, const rblBlockMatrix* matrix, uint32_t* seen,
                          uint32_t* scratch)
{
    size_t values = 0;
    for (uint32_t f = 0; f < factor->fronts.count; ++f)
    {
        if (!find_rows(factor, matrix, f, seen, scratch))
        {
            return false;
        }
        rblFront* front = &factor->fronts.data[f];
        const uint32_t rows = 3 * (front->count + front->row_count);
        front->panel = values;
        values += (size_t)rows * 3 * front->count;
        factor->max_rows = rows > factor->max_rows ? rows : factor->max_rows;
    }
    return rbl_array_resize(&factor->values, values);
}

bool rbl_cholesky_dissect(rblCholesky* factor, const rblBlockMatrix* matrix, const rblVec3d* positions)
{
    const rblAllocator* allocator = factor->order.allocator;
    const uint32_t count = rbl_block_matrix_rows(matrix);
    uint32_t* memory = rbl_alloc_zero(allocator, 7 * (size_t)count * sizeof *memory);
    bool good =
        memory != NULL && rbl_array_reserve(&factor->order, count) && rbl_array_resize(&factor->place, count);
    if (good)
    {
        Dissection dissection = {.factor = factor, .matrix = matrix, .positions = positions, .good = true};
        dissection.items = memory;
        dissection.scratch = dissection.items + count;
        dissection.sides = dissection.scratch + count;
        dissection.partners = dissection.sides + count;
        dissection.seen = dissection.partners + count;
        dissection.from = dissection.seen + count;
        dissection.queue = dissection.from + count;
        for (uint32_t i = 0; i < count; ++i)
        {
            dissection.items[i] = i;
        }
        dissect(&dissection, dissection.items, count, 0);
        good = dissection.good;
    }
    if (good)
    {
        for (uint32_t p = 0; p < count; ++p)
        {
            factor->place.data[factor->order.data[p]] = p;
        }
        memset(memory, 0, sizeof *memory * count);
        good = find_all_rows(factor, matrix, memory, memory + count);
    }
    rbl_free(allocator, memory, 7 * (size_t)count * sizeof *memory);
    return good;
}
