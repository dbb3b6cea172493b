// A tree of sub-boxes by bisection. Each leaf has the cells that can have the smallest f in its box.
//
// A linear function that is positive at all corners of a box is positive in the whole box. So cell j is nowhere the
// smallest in a box if some cell i has f_j > f_i at its eight corners. As i we test the cells that are the smallest at
// a corner or at the centre; this finds nearly all cells that can be dropped. The test holds for any linear functions
// and needs neither seeds nor a metric, so stretched and weighted diagrams are no special cases.
#include "base/error.h"
#include "cut/cells/cells_private.h"
#include "math/aabb.h"
#include <string.h>

// ---- tuning ----
#define LEAF_CANDIDATES 20 // nodes with at most this many candidates are leaves
#define MAX_DEPTH       60 // of the tree
// Bisections in a row whose halves both keep nearly all candidates; then the node becomes a leaf.
#define MAX_USELESS_SPLITS 6
#define PROBES             9     // eight corners and the centre
#define MARGIN             1e-12 // relative to the units of f: margin for rounding errors
typedef struct Values
{
    double at[PROBES];
} Values;

// A box that is not split yet. Its candidates are at the end of the stack of candidates.
typedef struct Task
{
    rblAabbd box;
    uint32_t node;
    uint32_t first, end; // range in Builder.stack
    uint32_t depth, idle;
} Task;

typedef struct Builder
{
    const rblCells* cells;
    rblCellTree* tree;
    rblIndexArray stack; // candidates of all tasks, in the order of the tasks
    RBL_ARRAY(Task) tasks;
    RBL_ARRAY(Values) values;
} Builder;

static void probes_of(rblAabbd box, rblVec3d out[PROBES])
{
    for (uint32_t k = 0; k < 8; ++k)
    {
        out[k] = rbl_vec3d((k & 1) != 0 ? box.upper.x : box.lower.x, (k & 2) != 0 ? box.upper.y : box.lower.y,
                           (k & 4) != 0 ? box.upper.z : box.lower.z);
    }
    out[8] = rbl_scale3d(rbl_add3d(box.lower, box.upper), 0.5);
}

// f of all candidates at all probes. `smallest` receives the index of the smallest at each probe.
static void evaluate(const rblCells* cells, const uint32_t* candidates, uint32_t count,
                     const rblVec3d probes[PROBES], Values* values, uint32_t smallest[PROBES])
{
    memset(smallest, 0, sizeof *smallest * PROBES);
    for (uint32_t c = 0; c < count; ++c)
    {
        const rblVec3d gradient = cells->gradients[candidates[c]];
        const double offset = cells->offsets[candidates[c]];
        for (int k = 0; k < PROBES; ++k)
        {
            values[c].at[k] = rbl_dot3d(gradient, probes[k]) + offset;
        }
    }
    for (uint32_t c = 1; c < count; ++c)
    {
        for (int k = 0; k < PROBES; ++k)
        {
            smallest[k] = values[c].at[k] < values[smallest[k]].at[k] ? c : smallest[k];
        }
    }
}

static bool is_above(const Values* upper, const Values* lower, double margin)
{
    for (int k = 0; k < 8; ++k)
    {
        if (!(upper->at[k] - lower->at[k] > margin))
        {
            return false;
        }
    }
    return true;
}

// Push those of the candidates first .. end - 1 that can be the smallest in the box.
static bool push_candidates(Builder* builder, uint32_t first, uint32_t end, rblAabbd box)
{
    const uint32_t count = end - first;
    if (!rbl_array_resize_amply(&builder->values, count) || !rbl_array_reserve_more(&builder->stack, count))
    {
        return false;
    }
    const uint32_t* candidates = builder->stack.data + first;
    const Values* values = builder->values.data;
    rblVec3d probes[PROBES];
    uint32_t smallest[PROBES];
    probes_of(box, probes);
    evaluate(builder->cells, candidates, count, probes, builder->values.data, smallest);
    for (uint32_t c = 0; c < count; ++c)
    {
        bool above = false;
        for (int k = PROBES - 1; k >= 0 && !above; --k)
        {
            above = is_above(&values[c], &values[smallest[k]], builder->tree->margin);
        }
        if (!above)
        {
            builder->stack.data[builder->stack.count++] = candidates[c];
        }
    }
    return true;
}

// The axis along which the candidates differ most over the box.
static uint32_t best_axis(const rblCells* cells, const uint32_t* candidates, uint32_t count, rblAabbd box)
{
    rblAabbd spread = rbl_aabbd_empty();
    for (uint32_t c = 0; c < count; ++c)
    {
        spread = rbl_aabbd_add(spread, cells->gradients[candidates[c]]);
    }
    const rblVec3d range = rbl_aabbd_size(spread);
    const rblVec3d size = rbl_aabbd_size(box);
    const double x = range.x * size.x, y = range.y * size.y, z = range.z * size.z;
    return x >= y && x >= z ? 0 : (y >= z ? 1 : 2);
}

static bool close_leaf(Builder* builder, const Task* task)
{
    rblCellTree* tree = builder->tree;
    const uint32_t count = task->end - task->first;
    if (!rbl_array_reserve_more(&tree->candidates, count))
    {
        return false;
    }
    const uint32_t first = (uint32_t)tree->candidates.count;
    for (uint32_t c = task->first; c < task->end; ++c)
    {
        const uint32_t cell = builder->stack.data[c];
        tree->candidates.data[tree->candidates.count++] = cell;
        tree->leaves[cell] = tree->leaves[cell] == RBL_NO_LEAF ? task->node : tree->leaves[cell];
    }
    tree->nodes.data[task->node] =
        (rblCellNode){.axis = 3, .first = first, .end = (uint32_t)tree->candidates.count};
    return true;
}

static double* axis_of(rblVec3d* v, uint32_t axis)
{
    return axis == 0 ? &v->x : (axis == 1 ? &v->y : &v->z);
}

static bool push_half(Builder* builder, const Task* task, rblAabbd box, uint32_t node)
{
    const uint32_t first = (uint32_t)builder->stack.count;
    if (!push_candidates(builder, task->first, task->end, box))
    {
        return false;
    }
    const uint32_t end = (uint32_t)builder->stack.count;
    const Task half = {box, node, first, end, task->depth + 1, 0};
    return rbl_array_push(&builder->tasks, half);
}

static bool split_box(Builder* builder, const Task* task, uint32_t axis)
{
    rblCellTree* tree = builder->tree;
    rblAabbd lower = task->box, upper = task->box;
    const double low = *axis_of(&lower.lower, axis), high = *axis_of(&lower.upper, axis);
    const double split = 0.5 * low + 0.5 * high;
    *axis_of(&lower.upper, axis) = split;
    *axis_of(&upper.lower, axis) = split;
    const uint32_t first = (uint32_t)tree->nodes.count;
    if (!rbl_array_reserve_more(&tree->nodes, 2))
    {
        return false;
    }
    tree->nodes.count += 2;
    tree->nodes.data[task->node] = (rblCellNode){.split = split, .axis = axis, .first = first};
    // The upper half is pushed last: its candidates end the stack, and it is processed next.
    if (!push_half(builder, task, lower, first) || !push_half(builder, task, upper, first + 1))
    {
        return false;
    }
    Task* halves = builder->tasks.data + builder->tasks.count - 2;
    const uint32_t kept = halves[1].end - halves[0].first;
    const bool idle = 4 * (uint64_t)kept > 7 * (uint64_t)(task->end - task->first);
    halves[0].idle = halves[1].idle = idle ? task->idle + 1 : 0;
    return true;
}

static bool build(Builder* builder)
{
    while (builder->tasks.count > 0)
    {
        const Task task = builder->tasks.data[--builder->tasks.count];
        builder->stack.count = task.end;
        const uint32_t count = task.end - task.first;
        bool done;
        if (count < LEAF_CANDIDATES || task.depth == MAX_DEPTH || task.idle == MAX_USELESS_SPLITS)
        {
            done = close_leaf(builder, &task);
        }
        else
        {
            done = split_box(builder, &task,
                             best_axis(builder->cells, builder->stack.data + task.first, count, task.box));
        }
        if (!done)
        {
            return false;
        }
    }
    return true;
}

static bool start(Builder* builder, const uint32_t* alive, uint32_t alive_count)
{
    rblCellTree* tree = builder->tree;
    tree->leaves = RBL_NEW_ARRAY(builder->cells->allocator, uint32_t, tree->cell_count);
    if (tree->leaves == NULL || !rbl_array_resize(&tree->nodes, 1) ||
        !rbl_array_resize(&builder->stack, alive_count))
    {
        return false;
    }
    memset(tree->leaves, 0xFF, sizeof *tree->leaves * tree->cell_count); // RBL_NO_LEAF
    memcpy(builder->stack.data, alive, sizeof *alive * alive_count);
    return rbl_array_push(&builder->tasks, ((Task){builder->cells->box, 0, 0, alive_count, 0, 0}));
}

rblResult rbl_cell_tree_create(const rblCells* cells, const uint32_t* alive, uint32_t alive_count,
                               rblCellUnits units, rblCellTree** out)
{
    rblCellTree* tree = rbl_alloc_zero(cells->allocator, sizeof *tree);
    if (tree == NULL)
    {
        return rbl_fail_memory();
    }
    rbl_array_init(&tree->nodes, cells->allocator);
    rbl_array_init(&tree->candidates, cells->allocator);
    tree->margin = MARGIN * units.gradient * units.length;
    tree->cell_count = cells->count;

    Builder builder = {.cells = cells, .tree = tree};
    rbl_array_init(&builder.stack, cells->allocator);
    rbl_array_init(&builder.tasks, cells->allocator);
    rbl_array_init(&builder.values, cells->allocator);
    const bool built = start(&builder, alive, alive_count) && build(&builder);
    rbl_array_free(&builder.stack);
    rbl_array_free(&builder.tasks);
    rbl_array_free(&builder.values);
    if (!built)
    {
        rbl_cell_tree_free(tree, cells->allocator);
        return rbl_fail_memory();
    }
    *out = tree;
    return RBL_OK;
}

void rbl_cell_tree_free(rblCellTree* tree, const rblAllocator* allocator)
{
    if (tree == NULL)
    {
        return;
    }
    rbl_array_free(&tree->nodes);
    rbl_array_free(&tree->candidates);
    RBL_FREE_ARRAY(allocator, tree->leaves, tree->cell_count);
    rbl_free(allocator, tree, sizeof *tree);
}

const rblCellNode* rbl_cell_tree_leaf(const rblCellTree* tree, rblVec3d point)
{
    const rblCellNode* node = tree->nodes.data;
    while (node->axis < 3)
    {
        const double at = *axis_of(&point, node->axis);
        node = tree->nodes.data + node->first + (at >= node->split ? 1 : 0);
    }
    return node;
}
