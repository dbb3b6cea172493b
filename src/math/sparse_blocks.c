#include "math/sparse_blocks.h"

#include <string.h>

#define NONE UINT32_MAX
// Largest degree with its own list; nodes of this degree and more keep their original order.
#define MAX_DEGREE 63

void rbl_blocks_init(rblBlockSystem* system, const rblAllocator* allocator)
{
    rbl_array_init(&system->nodes, allocator);
    rbl_array_init(&system->edges, allocator);
    rbl_array_init(&system->pivots, allocator);
    rbl_array_init(&system->pattern, allocator);
    rbl_array_init(&system->updates, allocator);
    rbl_array_init(&system->values, allocator);
    rbl_array_init(&system->vector, allocator);
    rbl_array_init(&system->quotients, allocator);
    system->inverts = false;
}

void rbl_blocks_free(rblBlockSystem* system)
{
    rbl_array_free(&system->nodes);
    rbl_array_free(&system->edges);
    rbl_array_free(&system->pivots);
    rbl_array_free(&system->pattern);
    rbl_array_free(&system->updates);
    rbl_array_free(&system->values);
    rbl_array_free(&system->vector);
    rbl_array_free(&system->quotients);
}

// ---- structure ----

void rbl_blocks_clear(rblBlockSystem* system)
{
    rbl_array_clear(&system->nodes);
    rbl_array_clear(&system->edges);
    rbl_array_clear(&system->pivots);
    rbl_array_clear(&system->pattern);
    rbl_array_clear(&system->updates);
}

bool rbl_blocks_reserve(rblBlockSystem* system, size_t nodes, size_t edges)
{
    const size_t blocks = nodes + edges;
    return rbl_array_reserve_more(&system->nodes, nodes) && rbl_array_reserve_more(&system->pivots, nodes) &&
           rbl_array_reserve_more(&system->edges, edges) && rbl_array_reserve_more(&system->pattern, edges) &&
           rbl_array_reserve_more(&system->updates, 2 * edges) &&
           rbl_array_resize_amply(&system->values, RBL_BLOCK_VALUES * blocks) &&
           rbl_array_resize_amply(&system->vector, RBL_BLOCK * nodes);
}

bool rbl_blocks_add(rblBlockSystem* system, uint32_t size, bool late)
{
    const rblBlockNode node = {.size = size, .half = NONE, .late = late};
    return rbl_array_push(&system->nodes, node);
}

bool rbl_blocks_join(rblBlockSystem* system, uint32_t a, uint32_t b)
{
    const uint32_t edge = (uint32_t)system->edges.count;
    rblBlockNode* nodes = system->nodes.data;
    const rblBlockEdge made = {{a, b}, {nodes[a].half, nodes[b].half}};
    if (!rbl_array_push(&system->edges, made))
    {
        return false;
    }
    nodes[a].half = 2 * edge;
    nodes[b].half = 2 * edge + 1;
    nodes[a].degree += 1;
    nodes[b].degree += 1;
    return true;
}

static uint32_t far_end(const rblBlockSystem* system, uint32_t half)
{
    return system->edges.data[half / 2].ends[1 - half % 2];
}

static uint32_t next_half(const rblBlockSystem* system, uint32_t half)
{
    return system->edges.data[half / 2].next[half % 2];
}

// ---- order of pivots ----

// Nodes that can be the next pivot, by degree.
typedef struct Queue
{
    rblBlockSystem* system;
    uint32_t heads[MAX_DEGREE + 1];
} Queue;

static uint32_t rung(const rblBlockNode* node)
{
    return node->degree < MAX_DEGREE ? node->degree : MAX_DEGREE;
}

static void enqueue(Queue* queue, uint32_t index)
{
    rblBlockNode* nodes = queue->system->nodes.data;
    uint32_t* head = &queue->heads[rung(&nodes[index])];
    nodes[index].next = *head;
    nodes[index].previous = NONE;
    nodes[index].listed = true;
    if (*head != NONE)
    {
        nodes[*head].previous = index;
    }
    *head = index;
}

static void dequeue(Queue* queue, uint32_t index)
{
    rblBlockNode* nodes = queue->system->nodes.data;
    rblBlockNode* node = &nodes[index];
    if (!node->listed)
    {
        return;
    }
    node->listed = false;
    if (node->previous != NONE)
    {
        nodes[node->previous].next = node->next;
    }
    else
    {
        queue->heads[rung(node)] = node->next;
    }
    if (node->next != NONE)
    {
        nodes[node->next].previous = node->previous;
    }
}

static uint32_t least(const Queue* queue)
{
    for (uint32_t r = 0; r <= MAX_DEGREE; ++r)
    {
        if (queue->heads[r] != NONE)
        {
            return queue->heads[r];
        }
    }
    return NONE;
}

// The half edge from one node to another; it is created when elimination couples them.
static bool find_or_join(rblBlockSystem* system, uint32_t from, uint32_t to, uint32_t* found)
{
    for (uint32_t half = system->nodes.data[from].half; half != NONE; half = next_half(system, half))
    {
        if (far_end(system, half) == to)
        {
            *found = half;
            return true;
        }
    }
    *found = 2 * (uint32_t)system->edges.count;
    return rbl_blocks_join(system, from, to);
}

// List the remaining neighbours of a pivot, and couple them with each other.
static bool eliminate(rblBlockSystem* system, uint32_t index)
{
    rblBlockPivot pivot = {index, (uint32_t)system->pattern.count, 0, (uint32_t)system->updates.count};
    system->nodes.data[index].done = true;
    for (uint32_t half = system->nodes.data[index].half; half != NONE; half = next_half(system, half))
    {
        if (!system->nodes.data[far_end(system, half)].done)
        {
            if (!rbl_array_push(&system->pattern, half))
            {
                return false;
            }
            pivot.count += 1;
        }
    }
    for (uint32_t j = 1; j < pivot.count; ++j)
    {
        const uint32_t to = far_end(system, system->pattern.data[pivot.first + j]);
        for (uint32_t i = 0; i < j; ++i)
        {
            uint32_t half = NONE;
            const uint32_t from = far_end(system, system->pattern.data[pivot.first + i]);
            if (!find_or_join(system, from, to, &half) || !rbl_array_push(&system->updates, half))
            {
                return false;
            }
        }
    }
    return rbl_array_push(&system->pivots, pivot);
}

// Remove one pivot from the queue, and update the positions of its neighbours.
static bool take(Queue* queue, uint32_t index)
{
    rblBlockSystem* system = queue->system;
    dequeue(queue, index);
    for (uint32_t half = system->nodes.data[index].half; half != NONE; half = next_half(system, half))
    {
        dequeue(queue, far_end(system, half));
    }
    if (!eliminate(system, index))
    {
        return false;
    }
    const rblBlockPivot* pivot = &system->pivots.data[system->pivots.count - 1];
    for (uint32_t i = 0; i < pivot->count; ++i)
    {
        const uint32_t other = far_end(system, system->pattern.data[pivot->first + i]);
        system->nodes.data[other].degree -= 1;
        enqueue(queue, other);
    }
    return true;
}

bool rbl_blocks_order(rblBlockSystem* system, size_t most)
{
    Queue queue = {.system = system};
    for (uint32_t r = 0; r <= MAX_DEGREE; ++r)
    {
        queue.heads[r] = NONE;
    }
    for (uint32_t i = (uint32_t)system->nodes.count; i-- > 0;)
    {
        if (!system->nodes.data[i].late)
        {
            enqueue(&queue, i);
        }
    }
    for (uint32_t index = least(&queue); index != NONE; index = least(&queue))
    {
        if (!take(&queue, index))
        {
            return false;
        }
        if (system->updates.count > most)
        {
            rbl_array_clear(&system->pivots);
            return true;
        }
    }
    const size_t blocks = system->nodes.count + system->edges.count;
    return rbl_array_resize_amply(&system->values, RBL_BLOCK_VALUES * blocks) &&
           rbl_array_resize_amply(&system->vector, RBL_BLOCK * system->nodes.count) &&
           (!system->inverts ||
            rbl_array_resize_amply(&system->quotients, RBL_BLOCK_VALUES * system->edges.count));
}

// ---- numbers ----

void rbl_blocks_zero(rblBlockSystem* system)
{
    for (size_t i = 0; i < system->values.count; ++i)
    {
        system->values.data[i] = 0.0;
    }
}

double* rbl_blocks_of_node(rblBlockSystem* system, uint32_t node)
{
    return &system->values.data[RBL_BLOCK_VALUES * (size_t)node];
}

double* rbl_blocks_of_edge(rblBlockSystem* system, uint32_t edge)
{
    return &system->values.data[RBL_BLOCK_VALUES * (system->nodes.count + edge)];
}

// L D L^T of one block in place: L below the diagonal, the inverse of D on it.
static void factor_block(double* a, uint32_t size)
{
    for (uint32_t j = 0; j < size; ++j)
    {
        double scaled[RBL_BLOCK];
        double d = a[RBL_BLOCK * j + j];
        for (uint32_t k = 0; k < j; ++k)
        {
            // The diagonal contains inverses; L_jk D_k, which would be L_jk / (1 / D_k), is stored above the
            // diagonal.
            scaled[k] = a[RBL_BLOCK * k + j];
            d -= a[RBL_BLOCK * j + k] * scaled[k];
        }
        const double inverse = d != 0.0 ? 1.0 / d : 0.0;
        for (uint32_t i = j + 1; i < size; ++i)
        {
            double sum = a[RBL_BLOCK * i + j];
            for (uint32_t k = 0; k < j; ++k)
            {
                sum -= a[RBL_BLOCK * i + k] * scaled[k];
            }
            a[RBL_BLOCK * j + i] = sum;
            a[RBL_BLOCK * i + j] = sum * inverse;
        }
        a[RBL_BLOCK * j + j] = inverse;
    }
}

// One vector: x = (L D L^T)^-1 x.
static void solve_block(const double* a, uint32_t size, double* x)
{
    for (uint32_t i = 1; i < size; ++i)
    {
        for (uint32_t k = 0; k < i; ++k)
        {
            x[i] -= a[RBL_BLOCK * i + k] * x[k];
        }
    }
    for (uint32_t i = size; i-- > 0;)
    {
        x[i] *= a[RBL_BLOCK * i + i];
        for (uint32_t k = i + 1; k < size; ++k)
        {
            x[i] -= a[RBL_BLOCK * k + i] * x[k];
        }
    }
}

// Entries of blocks that a node or an edge does not use are zero, so that whole rows are processed, which compilers
// vectorise.
static void subtract_row(double* restrict to, double factor, const double* restrict from)
{
    for (uint32_t c = 0; c < RBL_BLOCK; ++c)
    {
        to[c] -= factor * from[c];
    }
}

// The same for all columns of a block.
static void solve_columns(const double* a, uint32_t size, double* x)
{
    for (uint32_t i = 1; i < size; ++i)
    {
        for (uint32_t k = 0; k < i; ++k)
        {
            subtract_row(&x[RBL_BLOCK * i], a[RBL_BLOCK * i + k], &x[RBL_BLOCK * k]);
        }
    }
    for (uint32_t i = size; i-- > 0;)
    {
        for (uint32_t c = 0; c < RBL_BLOCK; ++c)
        {
            x[RBL_BLOCK * i + c] *= a[RBL_BLOCK * i + i];
        }
        for (uint32_t k = i + 1; k < size; ++k)
        {
            subtract_row(&x[RBL_BLOCK * i], a[RBL_BLOCK * k + i], &x[RBL_BLOCK * k]);
        }
    }
}

// target -= left^T right.
static void subtract_product(double* restrict target, const double* restrict left,
                             const double* restrict right, uint32_t size)
{
    for (uint32_t r = 0; r < RBL_BLOCK; ++r)
    {
        double sums[RBL_BLOCK] = {0.0};
        for (uint32_t k = 0; k < size; ++k)
        {
            for (uint32_t c = 0; c < RBL_BLOCK; ++c)
            {
                sums[c] += left[RBL_BLOCK * k + r] * right[RBL_BLOCK * k + c];
            }
        }
        for (uint32_t c = 0; c < RBL_BLOCK; ++c)
        {
            target[RBL_BLOCK * r + c] -= sums[c];
        }
    }
}

static void transpose(double* block)
{
    for (uint32_t r = 1; r < RBL_BLOCK; ++r)
    {
        for (uint32_t c = 0; c < r; ++c)
        {
            const double above = block[RBL_BLOCK * c + r];
            block[RBL_BLOCK * c + r] = block[RBL_BLOCK * r + c];
            block[RBL_BLOCK * r + c] = above;
        }
    }
}

static double* edge_of_pivot(rblBlockSystem* system, const rblBlockPivot* pivot, uint32_t number)
{
    return rbl_blocks_of_edge(system, system->pattern.data[pivot->first + number] / 2);
}

// From here on the rows of the edges of a pivot belong to the pivot, at both ends.
static void turn_edges(rblBlockSystem* system, const rblBlockPivot* pivot)
{
    for (uint32_t j = 0; j < pivot->count; ++j)
    {
        if (system->pattern.data[pivot->first + j] % 2 != 0)
        {
            transpose(edge_of_pivot(system, pivot, j));
        }
    }
}

static double* quotient_of_pivot(rblBlockSystem* system, const rblBlockPivot* pivot, uint32_t number)
{
    return &system->quotients
                .data[RBL_BLOCK_VALUES * (size_t)(system->pattern.data[pivot->first + number] / 2)];
}

// Replace the factors of a block by its inverse.
static void invert_block(double* block, uint32_t size)
{
    double inverse[RBL_BLOCK_VALUES] = {0.0};
    for (uint32_t r = 0; r < size; ++r)
    {
        inverse[RBL_BLOCK * r + r] = 1.0;
    }
    solve_columns(block, size, inverse);
    memcpy(block, inverse, sizeof inverse);
}

static void factor_pivot(rblBlockSystem* system, const rblBlockPivot* pivot)
{
    double* diagonal = rbl_blocks_of_node(system, pivot->node);
    const uint32_t size = system->nodes.data[pivot->node].size;
    uint32_t update = pivot->update;
    factor_block(diagonal, size);
    turn_edges(system, pivot);
    for (uint32_t j = 0; j < pivot->count; ++j)
    {
        const double* edge = edge_of_pivot(system, pivot, j);
        double scratch[RBL_BLOCK_VALUES];
        double* divided = system->inverts ? quotient_of_pivot(system, pivot, j) : scratch;
        memcpy(divided, edge, sizeof scratch);
        solve_columns(diagonal, size, divided);
        for (uint32_t i = 0; i < j; ++i)
        {
            const uint32_t half = system->updates.data[update++];
            const double* other = edge_of_pivot(system, pivot, i);
            const bool first = half % 2 == 0; // the rows of its block belong to `other`
            subtract_product(rbl_blocks_of_edge(system, half / 2), first ? other : divided,
                             first ? divided : other, size);
        }
        const uint32_t node = far_end(system, system->pattern.data[pivot->first + j]);
        subtract_product(rbl_blocks_of_node(system, node), edge, divided, size);
    }
    if (system->inverts)
    {
        invert_block(diagonal, size);
    }
}

void rbl_blocks_factor(rblBlockSystem* system)
{
    for (size_t i = 0; i < system->pivots.count; ++i)
    {
        factor_pivot(system, &system->pivots.data[i]);
    }
}

static void solve_forward(rblBlockSystem* system, const rblBlockPivot* pivot)
{
    const uint32_t size = system->nodes.data[pivot->node].size;
    double x[RBL_BLOCK];
    memcpy(x, &system->vector.data[RBL_BLOCK * (size_t)pivot->node], sizeof x);
    solve_block(rbl_blocks_of_node(system, pivot->node), size, x);
    for (uint32_t j = 0; j < pivot->count; ++j)
    {
        const double* edge = edge_of_pivot(system, pivot, j);
        const uint32_t node = far_end(system, system->pattern.data[pivot->first + j]);
        double* other = &system->vector.data[RBL_BLOCK * (size_t)node];
        for (uint32_t k = 0; k < size; ++k)
        {
            subtract_row(other, x[k], &edge[RBL_BLOCK * k]);
        }
    }
}

static void solve_backward(rblBlockSystem* system, const rblBlockPivot* pivot)
{
    const uint32_t size = system->nodes.data[pivot->node].size;
    double* x = &system->vector.data[RBL_BLOCK * (size_t)pivot->node];
    for (uint32_t j = 0; j < pivot->count; ++j)
    {
        const double* edge = edge_of_pivot(system, pivot, j);
        const uint32_t node = far_end(system, system->pattern.data[pivot->first + j]);
        const double* other = &system->vector.data[RBL_BLOCK * (size_t)node];
        const uint32_t columns = system->nodes.data[node].size;
        for (uint32_t k = 0; k < size; ++k)
        {
            for (uint32_t c = 0; c < columns; ++c)
            {
                x[k] -= edge[RBL_BLOCK * k + c] * other[c];
            }
        }
    }
    solve_block(rbl_blocks_of_node(system, pivot->node), size, x);
}

// With inverted pivots: the right side of later pivots, and the quotient of this one.
static void divide_forward(rblBlockSystem* system, const rblBlockPivot* pivot)
{
    const uint32_t size = system->nodes.data[pivot->node].size;
    const double* inverse = rbl_blocks_of_node(system, pivot->node);
    double* x = &system->vector.data[RBL_BLOCK * (size_t)pivot->node];
    double quotient[RBL_BLOCK] = {0.0};
    for (uint32_t j = 0; j < pivot->count; ++j)
    {
        const double* edge = quotient_of_pivot(system, pivot, j);
        const uint32_t node = far_end(system, system->pattern.data[pivot->first + j]);
        double* other = &system->vector.data[RBL_BLOCK * (size_t)node];
        for (uint32_t k = 0; k < size; ++k)
        {
            subtract_row(other, x[k], &edge[RBL_BLOCK * k]);
        }
    }
    for (uint32_t k = 0; k < size; ++k)
    {
        subtract_row(quotient, -x[k], &inverse[RBL_BLOCK * k]);
    }
    memcpy(x, quotient, sizeof quotient);
}

// x -= the divided edges times the solution at later pivots.
static void substitute_backward(rblBlockSystem* system, const rblBlockPivot* pivot)
{
    const uint32_t size = system->nodes.data[pivot->node].size;
    double* x = &system->vector.data[RBL_BLOCK * (size_t)pivot->node];
    for (uint32_t j = 0; j < pivot->count; ++j)
    {
        const double* edge = quotient_of_pivot(system, pivot, j);
        const uint32_t node = far_end(system, system->pattern.data[pivot->first + j]);
        const double* other = &system->vector.data[RBL_BLOCK * (size_t)node];
        for (uint32_t k = 0; k < size; ++k)
        {
            const double* row = &edge[RBL_BLOCK * k];
            x[k] -= ((row[0] * other[0] + row[1] * other[1]) + (row[2] * other[2] + row[3] * other[3])) +
                    (row[4] * other[4] + row[5] * other[5]);
        }
    }
}

static void solve_inverted(rblBlockSystem* system)
{
    for (size_t i = 0; i < system->pivots.count; ++i)
    {
        divide_forward(system, &system->pivots.data[i]);
    }
    for (size_t i = system->pivots.count; i-- > 0;)
    {
        substitute_backward(system, &system->pivots.data[i]);
    }
}

void rbl_blocks_solve(rblBlockSystem* system)
{
    if (system->inverts)
    {
        solve_inverted(system);
        return;
    }
    for (size_t i = 0; i < system->pivots.count; ++i)
    {
        solve_forward(system, &system->pivots.data[i]);
    }
    for (size_t i = system->pivots.count; i-- > 0;)
    {
        solve_backward(system, &system->pivots.data[i]);
    }
}
