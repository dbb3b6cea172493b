#include "fem/cholesky.h"

#include "base/error.h"
#include "fem/dense.h"
#include "rubble/mesh.h"
#include <string.h>

#define TASK_DEPTH                                                                                           \
    4 // subtrees below this depth run in parallel, one worker each; the fronts above use all workers

// Working memory of one subtree.
typedef struct Work
{
    double* stack;  // update matrices of fronts for their parents, as a stack
    double* packed; // scratch of the dense kernels
    uint32_t* map;  // position of the rows of a child in its parent
    size_t stack_size;
    bool good;
} Work;

typedef struct Factoring
{
    rblCholesky* factor;
    const rblCholeskyInput* input;
    double** left;       // per front: its update matrix, a full square of its later rows
    rblIndexArray tasks; // roots of subtrees
    Work* works;         // one per task, and one for the rest
    rblJobs* jobs;
} Factoring;

static size_t left_size(const rblFront* front)
{
    const size_t rows = 3 * (size_t)front->row_count;
    return rows * rows;
}

// ---- one front ----

static uint32_t find_row(const uint32_t* rows, uint32_t count, uint32_t place)
{
    uint32_t low = 0, high = count - 1;
    while (low < high)
    {
        const uint32_t middle = low + (high - low) / 2;
        if (rows[middle] < place)
        {
            low = middle + 1;
        }
        else
        {
            high = middle;
        }
    }
    return low;
}

static void put_block(const double* block, uint32_t row_fixed, uint32_t column_fixed, double* to,
                      uint32_t stride)
{
    for (uint32_t j = 0; j < 3; ++j)
    {
        for (uint32_t i = 0; i < 3; ++i)
        {
            const bool held = (row_fixed >> i & 1u) != 0 || (column_fixed >> j & 1u) != 0;
            to[(size_t)j * stride + i] = held ? 0.0 : block[3 * i + j];
        }
    }
}

// Load the columns of the matrix itself.
static void load_front(const Factoring* job, const rblFront* front, double* panel, uint32_t stride)
{
    const rblCholesky* factor = job->factor;
    const rblBlockMatrix* matrix = job->input->matrix;
    const uint32_t* fixed = job->input->fixed;
    for (uint32_t p = front->first; p < front->first + front->count; ++p)
    {
        const uint32_t node = factor->order.data[p];
        double* column = panel + 3 * (size_t)(p - front->first) * stride;
        for (uint32_t i = matrix->starts.data[node]; i < matrix->starts.data[node + 1]; ++i)
        {
            const uint32_t other = matrix->columns.data[i], place = factor->place.data[other];
            if (place < p)
            {
                continue;
            }
            const uint32_t own = place - front->first;
            const uint32_t row =
                own < front->count
                    ? own
                    : front->count + find_row(factor->rows.data + front->row_first, front->row_count, place);
            // The block belongs to (node, other); by symmetry its transpose is needed here.
            double turned[9];
            for (uint32_t k = 0; k < 9; ++k)
            {
                turned[k] = matrix->blocks.data[9 * (size_t)i + 3 * (k % 3) + k / 3];
            }
            put_block(turned, fixed ? fixed[other] : 0, fixed ? fixed[node] : 0, column + 3 * (size_t)row,
                      stride);
        }
        const double* diagonal = rbl_block_matrix_at(matrix, node, node);
        for (uint32_t k = 0; k < 3; ++k)
        {
            column[(size_t)k * stride + 3 * (size_t)(p - front->first) + k] =
                diagonal[4 * k] + (job->input->extra != NULL ? job->input->extra[node] : 0.0);
        }
    }
}

// The positions of the rows of a child among those of its parent; both increase.
static void map_rows(const rblCholesky* factor, const rblFront* child, const rblFront* parent, uint32_t* map)
{
    const uint32_t* rows = factor->rows.data;
    uint32_t at = 0;
    for (uint32_t i = 0; i < child->row_count; ++i)
    {
        const uint32_t place = rows[child->row_first + i];
        if (place < parent->first + parent->count)
        {
            map[i] = place - parent->first;
            continue;
        }
        while (rows[parent->row_first + at] != place)
        {
            at += 1;
        }
        map[i] = parent->count + at;
    }
}

// Add the update matrix of a child to the panel and to the update matrix of its parent.
static void add_child(const rblFront* child, const double* from, const rblFront* parent, const uint32_t* map,
                      double* panel, double* left)
{
    const uint32_t from_stride = 3 * child->row_count, left_stride = 3 * parent->row_count;
    const uint32_t stride = 3 * (parent->count + parent->row_count), own = 3 * parent->count;
    for (uint32_t j = 0; j < from_stride; ++j)
    {
        const uint32_t column = 3 * map[j / 3] + j % 3;
        const bool mine = column < own;
        double* to = mine ? panel + (size_t)column * stride : left + (size_t)(column - own) * left_stride;
        const uint32_t skipped = mine ? 0 : own; // the own rows of the parent precede its update matrix
        const double* source = from + (size_t)j * from_stride;
        for (uint32_t b = j / 3; b < child->row_count; ++b)
        {
            double* out = to + (3 * map[b] - skipped);
            out[0] += source[3 * b];
            out[1] += source[3 * b + 1];
            out[2] += source[3 * b + 2];
        }
    }
}

// Eliminate the own nodes of a front; `left` receives its update matrix for the parent.
static bool eliminate(const Factoring* job, uint32_t index, double* left, Work* work, rblJobs* jobs)
{
    rblCholesky* factor = job->factor;
    const rblFront* front = &factor->fronts.data[index];
    const uint32_t own = 3 * front->count, later = 3 * front->row_count, stride = own + later;
    double* panel = factor->values.data + front->panel;
    memset(panel, 0, sizeof(double) * stride * own);
    if (later > 0)
    {
        memset(left, 0, sizeof(double) * left_size(front));
    }
    load_front(job, front, panel, stride);
    for (int c = 0; c < 2; ++c)
    {
        if (front->children[c] != RBL_NONE)
        {
            const rblFront* child = &factor->fronts.data[front->children[c]];
            map_rows(factor, child, front, work->map);
            add_child(child, job->left[front->children[c]], front, work->map, panel, left);
        }
    }
    if (own == 0)
    {
        return true;
    }
    if (!rbl_dense_factor(panel, stride, own, work->packed, jobs))
    {
        return false;
    }
    rbl_dense_subtract(panel + own, stride, later, own, left, later, later, work->packed, jobs);
    return true;
}

// ---- subtrees ----

// The largest size of the stack of a subtree.
static size_t stack_need(const rblCholesky* factor, uint32_t root)
{
    size_t top = 0, most = 0;
    for (uint32_t f = factor->fronts.data[root].begin; f <= root; ++f)
    {
        const rblFront* front = &factor->fronts.data[f];
        const size_t size = left_size(front);
        most = top + size > most ? top + size : most;
        for (int c = 0; c < 2; ++c)
        {
            top -= front->children[c] != RBL_NONE ? left_size(&factor->fronts.data[front->children[c]]) : 0;
        }
        top += size;
    }
    return most;
}

// The update matrices of children are on top of the stack; that of their parent replaces them.
static void eliminate_subtree(const Factoring* job, uint32_t root, Work* work)
{
    const rblCholesky* factor = job->factor;
    size_t top = 0;
    work->good = true;
    for (uint32_t f = factor->fronts.data[root].begin; f <= root && work->good; ++f)
    {
        const rblFront* front = &factor->fronts.data[f];
        double* left = work->stack + top;
        work->good = eliminate(job, f, left, work, rbl_serial_jobs());
        for (int c = 0; c < 2; ++c)
        {
            top -= front->children[c] != RBL_NONE ? left_size(&factor->fronts.data[front->children[c]]) : 0;
        }
        job->left[f] = work->stack + top;
        if (job->left[f] != left)
        {
            memmove(job->left[f], left, sizeof(double) * left_size(front));
        }
        top += left_size(front);
    }
}

static void run_tasks(rblRange range, void* context)
{
    const Factoring* job = context;
    for (uint32_t i = range.begin; i < range.end; ++i)
    {
        eliminate_subtree(job, job->tasks.data[i], &job->works[i]);
    }
}

// The fronts above the subtrees, one after the other, each with all workers. They have their own memory.
static rblResult eliminate_top(const Factoring* job, Work* work)
{
    rblCholesky* factor = job->factor;
    for (uint32_t f = 0; f < factor->fronts.count; ++f)
    {
        const rblFront* front = &factor->fronts.data[f];
        if (front->depth >= TASK_DEPTH)
        {
            continue;
        }
        const size_t size = left_size(front);
        job->left[f] = RBL_NEW_ARRAY(factor->order.allocator, double, size);
        if (size > 0 && job->left[f] == NULL)
        {
            return rbl_fail_memory();
        }
        if (!eliminate(job, f, job->left[f], work, job->jobs))
        {
            return rbl_fail(RBL_ERROR_GEOMETRY,
                            "elastic solid: the stiffness matrix is not positive definite near node %u",
                            factor->order.data[front->first]);
        }
    }
    return RBL_OK;
}

static rblResult run(Factoring* job)
{
    const uint32_t count = (uint32_t)job->tasks.count;
    rbl_parallel_for(job->jobs, count, 1, run_tasks, job);
    for (uint32_t i = 0; i < count; ++i)
    {
        if (!job->works[i].good)
        {
            return rbl_fail(RBL_ERROR_GEOMETRY,
                            "elastic solid: the stiffness matrix is not positive definite in subtree %u", i);
        }
    }
    return eliminate_top(job, &job->works[count]);
}

// ---- memory ----

static bool prepare_work(const rblCholesky* factor, size_t stack_size, Work* work)
{
    const rblAllocator* allocator = factor->order.allocator;
    work->stack_size = stack_size;
    work->stack = RBL_NEW_ARRAY(allocator, double, stack_size);
    work->packed = RBL_NEW_ARRAY(allocator, double, rbl_dense_scratch(factor->max_rows));
    work->map = RBL_NEW_ARRAY(allocator, uint32_t, factor->max_rows);
    return (work->stack != NULL || stack_size == 0) && work->packed != NULL && work->map != NULL;
}

static void free_work(const rblCholesky* factor, Work* work)
{
    const rblAllocator* allocator = factor->order.allocator;
    RBL_FREE_ARRAY(allocator, work->stack, work->stack_size);
    RBL_FREE_ARRAY(allocator, work->packed, rbl_dense_scratch(factor->max_rows));
    RBL_FREE_ARRAY(allocator, work->map, factor->max_rows);
}

static bool prepare(Factoring* job)
{
    rblCholesky* factor = job->factor;
    for (uint32_t f = 0; f < factor->fronts.count; ++f)
    {
        if (factor->fronts.data[f].depth == TASK_DEPTH && !rbl_array_push(&job->tasks, f))
        {
            return false;
        }
    }
    job->left = rbl_alloc_zero(factor->order.allocator, sizeof *job->left * factor->fronts.count);
    job->works = rbl_alloc_zero(factor->order.allocator, sizeof *job->works * (job->tasks.count + 1));
    bool good = job->left != NULL && job->works != NULL;
    for (uint32_t i = 0; good && i <= job->tasks.count; ++i)
    {
        const bool rest = i == job->tasks.count;
        good = prepare_work(factor, rest ? 0 : stack_need(factor, job->tasks.data[i]), &job->works[i]);
    }
    return good;
}

static void clean(Factoring* job)
{
    rblCholesky* factor = job->factor;
    const rblAllocator* allocator = factor->order.allocator;
    for (uint32_t f = 0; job->left != NULL && f < factor->fronts.count; ++f)
    {
        if (factor->fronts.data[f].depth < TASK_DEPTH)
        {
            RBL_FREE_ARRAY(allocator, job->left[f], left_size(&factor->fronts.data[f]));
        }
    }
    for (uint32_t i = 0; job->works != NULL && i <= job->tasks.count; ++i)
    {
        free_work(factor, &job->works[i]);
    }
    RBL_FREE_ARRAY(allocator, job->left, factor->fronts.count);
    RBL_FREE_ARRAY(allocator, job->works, job->tasks.count + 1);
    rbl_array_free(&job->tasks);
}

rblResult rbl_cholesky_factor(rblCholesky* factor, const rblCholeskyInput* input, rblJobs* jobs)
{
    Factoring job = {.factor = factor, .input = input, .jobs = jobs};
    rbl_array_init(&job.tasks, factor->order.allocator);
    const rblResult result = prepare(&job) ? run(&job) : rbl_fail_memory();
    clean(&job);
    return result;
}
