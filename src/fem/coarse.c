#include "fem/coarse.h"

#include "base/error.h"
#include "base/sort.h"
#include "rubble/mesh.h"
#include <string.h>

#define GROUP    40 // nodes per group; from 16 to 64 the number and cost of iterations change, the time hardly
#define SMALLEST 8  // smaller groups are merged with a neighbour
#define FLOOR                                                                                                \
    1e-10 // added to the diagonal, relative to its largest entry: a rigid motion of the whole solid has no stiffness

void rbl_coarse_init(rblCoarse* coarse, const rblAllocator* allocator)
{
    coarse->group_count = 0;
    rbl_array_init(&coarse->groups, allocator);
    rbl_array_init(&coarse->arms, allocator);
    rbl_array_init(&coarse->centres, allocator);
    rbl_array_init(&coarse->member_starts, allocator);
    rbl_array_init(&coarse->members, allocator);
    rbl_block_matrix_init(&coarse->matrix, allocator);
    rbl_cholesky_init(&coarse->factor, allocator);
}

void rbl_coarse_free(rblCoarse* coarse)
{
    rbl_array_free(&coarse->groups);
    rbl_array_free(&coarse->arms);
    rbl_array_free(&coarse->centres);
    rbl_array_free(&coarse->member_starts);
    rbl_array_free(&coarse->members);
    rbl_block_matrix_free(&coarse->matrix);
    rbl_cholesky_free(&coarse->factor);
}

size_t rbl_coarse_bytes(const rblCoarse* coarse)
{
    return (coarse->groups.capacity + coarse->member_starts.capacity + coarse->members.capacity) *
               sizeof(uint32_t) +
           (coarse->arms.capacity + coarse->centres.capacity) * sizeof(rblVec3d) +
           rbl_block_matrix_bytes(&coarse->matrix) + rbl_cholesky_bytes(&coarse->factor);
}

// ---- groups ----

// Any other group that touches these nodes, or RBL_NONE.
static uint32_t group_beside(const rblCoarse* coarse, const rblBlockMatrix* matrix, const uint32_t* nodes,
                             uint32_t count, uint32_t own)
{
    for (uint32_t k = 0; k < count; ++k)
    {
        for (uint32_t i = matrix->starts.data[nodes[k]]; i < matrix->starts.data[nodes[k] + 1]; ++i)
        {
            const uint32_t group = coarse->groups.data[matrix->columns.data[i]];
            if (group != RBL_NONE && group != own)
            {
                return group;
            }
        }
    }
    return RBL_NONE;
}

// Form a group of the nodes around a first one, nearest in edges, that are in no group yet.
static void grow_group(rblCoarse* coarse, const rblBlockMatrix* matrix, uint32_t first)
{
    uint32_t queue[GROUP], count = 1;
    const uint32_t own = coarse->group_count;
    queue[0] = first;
    coarse->groups.data[first] = own;
    for (uint32_t head = 0; head < count; ++head)
    {
        for (uint32_t i = matrix->starts.data[queue[head]];
             i < matrix->starts.data[queue[head] + 1] && count < GROUP; ++i)
        {
            const uint32_t other = matrix->columns.data[i];
            if (coarse->groups.data[other] == RBL_NONE)
            {
                coarse->groups.data[other] = own;
                queue[count++] = other;
            }
        }
    }
    const uint32_t beside = count < SMALLEST ? group_beside(coarse, matrix, queue, count, own) : RBL_NONE;
    for (uint32_t k = 0; beside != RBL_NONE && k < count; ++k)
    {
        coarse->groups.data[queue[k]] = beside;
    }
    coarse->group_count += beside == RBL_NONE;
}

static bool list_members(rblCoarse* coarse)
{
    const size_t nodes = coarse->groups.count;
    if (!rbl_array_resize(&coarse->member_starts, (size_t)coarse->group_count + 1) ||
        !rbl_array_resize(&coarse->members, nodes))
    {
        return false;
    }
    uint32_t* starts = coarse->member_starts.data;
    memset(starts, 0, sizeof *starts * ((size_t)coarse->group_count + 1));
    for (size_t i = 0; i < nodes; ++i)
    {
        starts[coarse->groups.data[i]] += 1;
    }
    uint32_t end = 0;
    for (uint32_t g = 0; g <= coarse->group_count; ++g)
    {
        end += starts[g];
        starts[g] = end;
    }
    for (size_t i = nodes; i-- > 0;)
    {
        coarse->members.data[--starts[coarse->groups.data[i]]] = (uint32_t)i;
    }
    return true;
}

static void measure_groups(rblCoarse* coarse, const rblVec3d* positions)
{
    for (uint32_t g = 0; g < coarse->group_count; ++g)
    {
        const uint32_t first = coarse->member_starts.data[g], end = coarse->member_starts.data[g + 1];
        rblVec3d centre = {0.0, 0.0, 0.0};
        for (uint32_t k = first; k < end; ++k)
        {
            centre = rbl_add3d(centre, positions[coarse->members.data[k]]);
        }
        centre = rbl_scale3d(centre, 1.0 / (end - first));
        double square = 0.0;
        for (uint32_t k = first; k < end; ++k)
        {
            const rblVec3d arm = rbl_sub3d(positions[coarse->members.data[k]], centre);
            square += rbl_dot3d(arm, arm) / (end - first);
        }
        const double scale = square > 0.0 ? 1.0 / sqrt(square) : 1.0;
        for (uint32_t k = first; k < end; ++k)
        {
            const uint32_t node = coarse->members.data[k];
            coarse->arms.data[node] = rbl_scale3d(rbl_sub3d(positions[node], centre), scale);
        }
        coarse->centres.data[2 * (size_t)g] = coarse->centres.data[2 * (size_t)g + 1] = centre;
    }
}

static bool make_groups(rblCoarse* coarse, const rblCoarseInput* input)
{
    const uint32_t nodes = rbl_block_matrix_rows(input->matrix);
    if (!rbl_array_resize(&coarse->groups, nodes) || !rbl_array_resize(&coarse->arms, nodes))
    {
        return false;
    }
    memset(coarse->groups.data, 0xff, sizeof *coarse->groups.data * nodes);
    for (uint32_t i = 0; i < nodes; ++i)
    {
        if (coarse->groups.data[i] == RBL_NONE)
        {
            grow_group(coarse, input->matrix, i);
        }
    }
    if (!rbl_array_resize(&coarse->centres, 2 * (size_t)coarse->group_count) || !list_members(coarse))
    {
        return false;
    }
    measure_groups(coarse, input->positions);
    return true;
}

// ---- coarse matrix ----

// Append the groups that touch a group, with rising numbers, as the columns of its two rows. `seen` contains for
// every group the last group that touched it, plus 1.
static bool add_rows(rblCoarse* coarse, const rblBlockMatrix* matrix, uint32_t group, uint32_t* seen,
                     rblIndexArray* met, rblIndexArray* scratch)
{
    rbl_array_clear(met);
    for (uint32_t k = coarse->member_starts.data[group]; k < coarse->member_starts.data[group + 1]; ++k)
    {
        const uint32_t node = coarse->members.data[k];
        for (uint32_t i = matrix->starts.data[node]; i < matrix->starts.data[node + 1]; ++i)
        {
            const uint32_t other = coarse->groups.data[matrix->columns.data[i]];
            if (seen[other] != group + 1)
            {
                seen[other] = group + 1;
                if (!rbl_array_push(met, other))
                {
                    return false;
                }
            }
        }
    }
    if (!rbl_array_resize_amply(scratch, met->count) ||
        !rbl_array_reserve_more(&coarse->matrix.columns, 4 * met->count))
    {
        return false;
    }
    rbl_sort_indices(met->data, scratch->data, met->count, rbl_before_by_value, NULL);
    for (int row = 0; row < 2; ++row)
    {
        for (size_t k = 0; k < met->count; ++k)
        {
            coarse->matrix.columns.data[coarse->matrix.columns.count++] = 2 * met->data[k];
            coarse->matrix.columns.data[coarse->matrix.columns.count++] = 2 * met->data[k] + 1;
        }
        if (!rbl_array_push(&coarse->matrix.starts, (uint32_t)coarse->matrix.columns.count))
        {
            return false;
        }
    }
    return true;
}

static bool make_pattern(rblCoarse* coarse, const rblBlockMatrix* matrix)
{
    const rblAllocator* allocator = coarse->groups.allocator;
    uint32_t* seen = rbl_alloc_zero(allocator, sizeof *seen * coarse->group_count);
    rblIndexArray met, scratch;
    rbl_array_init(&met, allocator);
    rbl_array_init(&scratch, allocator);
    bool good = seen != NULL && rbl_array_push(&coarse->matrix.starts, 0u);
    for (uint32_t g = 0; good && g < coarse->group_count; ++g)
    {
        good = add_rows(coarse, matrix, g, seen, &met, &scratch);
    }
    good = good && rbl_array_resize(&coarse->matrix.blocks, 9 * coarse->matrix.columns.count);
    if (good)
    {
        memset(coarse->matrix.blocks.data, 0, sizeof(double) * coarse->matrix.blocks.count);
    }
    rbl_array_free(&met);
    rbl_array_free(&scratch);
    RBL_FREE_ARRAY(allocator, seen, coarse->group_count);
    return good;
}

static rblVec3d free_part(rblVec3d v, uint32_t axes)
{
    return rbl_vec3d((axes & 1u) != 0 ? 0.0 : v.x, (axes & 2u) != 0 ? 0.0 : v.y,
                     (axes & 4u) != 0 ? 0.0 : v.z);
}

// The six displacements of a node by the rigid motions of its group: translations along the axes, rotations about
// them.
static void motions_of(const rblCoarse* coarse, uint32_t node, uint32_t axes, rblVec3d out[6])
{
    const rblVec3d a = coarse->arms.data[node];
    out[0] = rbl_vec3d(1.0, 0.0, 0.0);
    out[1] = rbl_vec3d(0.0, 1.0, 0.0);
    out[2] = rbl_vec3d(0.0, 0.0, 1.0);
    out[3] = rbl_vec3d(0.0, -a.z, a.y);
    out[4] = rbl_vec3d(a.z, 0.0, -a.x);
    out[5] = rbl_vec3d(-a.y, a.x, 0.0);
    for (int k = 0; k < 6; ++k)
    {
        out[k] = free_part(out[k], axes);
    }
}

// Add P_i^T t to the blocks of two groups; t has six columns.
static void add_product(rblCoarse* coarse, uint32_t row, uint32_t column, const rblVec3d motions[6],
                        const rblVec3d t[6])
{
    for (uint32_t half = 0; half < 4; ++half)
    {
        double* block = rbl_block_matrix_at(&coarse->matrix, 2 * row + half / 2, 2 * column + half % 2);
        for (uint32_t k = 0; k < 9; ++k)
        {
            block[k] += rbl_dot3d(motions[3 * (half / 2) + k / 3], t[3 * (half % 2) + k % 3]);
        }
    }
}

// Compute K_ij P_j for a row of K, summed for each group of j, then multiply by P_i^T. A row whose neighbours are all
// in its own group contributes nothing, because the group moves as a rigid body.
static void add_node(rblCoarse* coarse, const rblCoarseInput* input, uint32_t node)
{
    enum
    {
        MOST = 16
    };
    uint32_t met[MOST], count = 0;
    rblVec3d sums[MOST][6], motions[6];
    const rblBlockMatrix* matrix = input->matrix;
    const uint32_t group = coarse->groups.data[node];
    motions_of(coarse, node, input->fixed ? input->fixed[node] : 0, motions);
    for (uint32_t i = matrix->starts.data[node]; i < matrix->starts.data[node + 1]; ++i)
    {
        const uint32_t other = matrix->columns.data[i], of = coarse->groups.data[other];
        uint32_t at = 0;
        while (at < count && met[at] != of)
        {
            at += 1;
        }
        if (at == MOST)
        {
            // Free one entry; the same group may occur again.
            add_product(coarse, group, met[0], motions, sums[0]);
            at = 0;
        }
        if (at == count || met[at] != of)
        {
            met[at] = of;
            memset(sums[at], 0, sizeof sums[at]);
            count += at == count;
        }
        rblVec3d moved[6];
        motions_of(coarse, other, input->fixed ? input->fixed[other] : 0, moved);
        const double* b = matrix->blocks.data + 9 * (size_t)i;
        for (int k = 0; k < 6; ++k)
        {
            const rblVec3d m = moved[k];
            sums[at][k].x += b[0] * m.x + b[1] * m.y + b[2] * m.z;
            sums[at][k].y += b[3] * m.x + b[4] * m.y + b[5] * m.z;
            sums[at][k].z += b[6] * m.x + b[7] * m.y + b[8] * m.z;
        }
    }
    for (uint32_t k = 0; k < count && (count > 1 || input->fixed != NULL); ++k)
    {
        add_product(coarse, group, met[k], motions, sums[k]);
    }
}

typedef struct Filling
{
    rblCoarse* coarse;
    const rblCoarseInput* input;
} Filling;

static void fill_groups(rblRange range, void* context)
{
    const Filling* filling = context;
    for (uint32_t g = range.begin; g < range.end; ++g)
    {
        for (uint32_t k = filling->coarse->member_starts.data[g];
             k < filling->coarse->member_starts.data[g + 1]; ++k)
        {
            add_node(filling->coarse, filling->input, filling->coarse->members.data[k]);
        }
    }
}

// Make the matrix positive definite, and give rows of fixed nodes a valid diagonal.
static void raise_diagonal(rblCoarse* coarse)
{
    double largest = 0.0;
    for (int pass = 0; pass < 2; ++pass)
    {
        for (uint32_t row = 0; row < 2 * coarse->group_count; ++row)
        {
            double* block = rbl_block_matrix_at(&coarse->matrix, row, row);
            for (uint32_t k = 0; k < 9; k += 4)
            {
                largest = rbl_maxd(largest, block[k]);
                block[k] += pass == 0 ? 0.0 : largest > 0.0 ? FLOOR * largest : 1.0;
            }
        }
    }
}

rblResult rbl_coarse_prepare(rblCoarse* coarse, const rblCoarseInput* input, rblJobs* jobs)
{
    if (!make_groups(coarse, input) || !make_pattern(coarse, input->matrix))
    {
        return rbl_fail_memory();
    }
    Filling filling = {coarse, input};
    rbl_parallel_for(jobs, coarse->group_count, 16, fill_groups, &filling);
    raise_diagonal(coarse);
    if (!rbl_cholesky_dissect(&coarse->factor, &coarse->matrix, coarse->centres.data))
    {
        return rbl_fail_memory();
    }
    const rblCholeskyInput factoring = {&coarse->matrix, NULL, NULL};
    return rbl_cholesky_factor(&coarse->factor, &factoring, jobs);
}

// ---- use ----

size_t rbl_coarse_scratch(const rblCoarse* coarse)
{
    return 6 * (size_t)coarse->group_count + rbl_cholesky_scratch(&coarse->factor, 1);
}

void rbl_coarse_add(const rblCoarse* coarse, const rblVec3d* forces, rblVec3d* out, double* scratch)
{
    rblVec3d* motion = (rblVec3d*)scratch;
    for (uint32_t g = 0; g < coarse->group_count; ++g)
    {
        rblVec3d shift = {0.0, 0.0, 0.0}, turn = {0.0, 0.0, 0.0};
        for (uint32_t k = coarse->member_starts.data[g]; k < coarse->member_starts.data[g + 1]; ++k)
        {
            const uint32_t node = coarse->members.data[k];
            shift = rbl_add3d(shift, forces[node]);
            turn = rbl_add3d(turn, rbl_cross3d(coarse->arms.data[node], forces[node]));
        }
        motion[2 * (size_t)g] = shift;
        motion[2 * (size_t)g + 1] = turn;
    }
    rbl_cholesky_solve(&coarse->factor, &motion, 1, scratch + 6 * (size_t)coarse->group_count);
    for (size_t i = 0; i < coarse->groups.count; ++i)
    {
        const rblVec3d* of = motion + 2 * (size_t)coarse->groups.data[i];
        out[i] = rbl_add3d(out[i], rbl_add3d(of[0], rbl_cross3d(of[1], coarse->arms.data[i])));
    }
}
