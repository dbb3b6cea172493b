// The block solver against dense elimination, and its order.
#include "base/random.h"
#include "math/sparse_blocks.h"
#include "testing.h"
#include <string.h>

#define MOST 40

typedef struct Problem
{
    rblBlockSystem system;
    uint32_t bodies, joints;
    uint32_t ends[MOST][2]; // of the joints; UINT32_MAX: none
    double matrix[6 * MOST][6 * MOST + 1];
    uint32_t at[MOST + 1]; // first row of each node
} Problem;

static const rblAllocator* allocator(void)
{
    return rbl_default_allocator();
}

// Bodies of six unknowns, joints of one to six between two of them or to one.
static void make_structure(Problem* p, rblRandom* random, bool tree)
{
    rbl_blocks_init(&p->system, allocator());
    for (uint32_t i = 0; i < p->bodies; ++i)
    {
        assert_true(rbl_blocks_add(&p->system, 6, false));
    }
    for (uint32_t j = 0; j < p->joints; ++j)
    {
        assert_true(rbl_blocks_add(&p->system, 1 + rbl_random_below(random, 6), true));
        const uint32_t b = tree ? j : rbl_random_below(random, p->bodies);
        const uint32_t a = b > 0 ? rbl_random_below(random, b) : UINT32_MAX;
        p->ends[j][0] = a;
        p->ends[j][1] = b;
        assert_true(rbl_blocks_join(&p->system, p->bodies + j, b));
        assert_true(a == UINT32_MAX || rbl_blocks_join(&p->system, p->bodies + j, a));
    }
    p->at[0] = 0;
    for (uint32_t i = 0; i < p->bodies + p->joints; ++i)
    {
        p->at[i + 1] = p->at[i] + p->system.nodes.data[i].size;
    }
}

static void set(Problem* p, double* block, uint32_t rows, uint32_t columns, uint32_t r, uint32_t c,
                double value)
{
    block[RBL_BLOCK * r + c] = value;
    p->matrix[p->at[rows] + r][p->at[columns] + c] = value;
    p->matrix[p->at[columns] + c][p->at[rows] + r] = value;
}

static void make_numbers(Problem* p, rblRandom* random)
{
    const uint32_t nodes = p->bodies + p->joints;
    memset(p->matrix, 0, sizeof p->matrix);
    rbl_blocks_zero(&p->system);
    for (uint32_t i = 0; i < nodes; ++i)
    {
        double* block = rbl_blocks_of_node(&p->system, i);
        for (uint32_t r = 0; r < p->system.nodes.data[i].size; ++r)
        {
            for (uint32_t c = 0; c < r; ++c)
            {
                set(p, block, i, i, r, c, i < p->bodies ? rbl_random_range(random, -0.3, 0.3) : 0.0);
            }
            set(p, block, i, i, r, r, i < p->bodies ? rbl_random_range(random, 3.0, 9.0) : -1e-3);
        }
    }
    uint32_t edge = 0;
    for (uint32_t j = 0; j < p->joints; ++j)
    {
        for (int side = 1; side >= 0; --side)
        {
            if (p->ends[j][side] == UINT32_MAX)
            {
                continue;
            }
            double* block = rbl_blocks_of_edge(&p->system, edge++);
            for (uint32_t r = 0; r < p->system.nodes.data[p->bodies + j].size; ++r)
            {
                for (uint32_t c = 0; c < 6; ++c)
                {
                    set(p, block, p->bodies + j, p->ends[j][side], r, c, rbl_random_range(random, -1.0, 1.0));
                }
            }
        }
    }
}

// Largest miss of the solution in the dense matrix, relative to the right side of size one.
static double solve_and_check(Problem* p, rblRandom* random)
{
    const uint32_t nodes = p->bodies + p->joints;
    const uint32_t size = p->at[nodes];
    for (uint32_t i = 0; i < nodes; ++i)
    {
        for (uint32_t r = 0; r < RBL_BLOCK; ++r)
        {
            const double value = rbl_random_range(random, -1.0, 1.0);
            p->system.vector.data[RBL_BLOCK * i + r] = value;
            if (r < p->system.nodes.data[i].size)
            {
                p->matrix[p->at[i] + r][size] = value;
            }
        }
    }
    rbl_blocks_factor(&p->system);
    rbl_blocks_solve(&p->system);
    double worst = 0.0;
    for (uint32_t row = 0; row < size; ++row)
    {
        double sum = -p->matrix[row][size];
        for (uint32_t i = 0; i < nodes; ++i)
        {
            for (uint32_t c = 0; c < p->system.nodes.data[i].size; ++c)
            {
                sum += p->matrix[row][p->at[i] + c] * p->system.vector.data[RBL_BLOCK * i + c];
            }
        }
        worst = fmax(worst, fabs(sum));
    }
    return worst;
}

static void random_systems_are_solved(void** state)
{
    (void)state;
    static Problem p;
    for (uint64_t seed = 1; seed <= 200; ++seed)
    {
        rblRandom random = rbl_random_seed(seed, 1);
        p.bodies = 1 + rbl_random_below(&random, 15);
        p.joints = rbl_random_below(&random, 24);
        make_structure(&p, &random, false);
        assert_true(rbl_blocks_order(&p.system, SIZE_MAX));
        assert_int_equal(p.system.pivots.count, p.bodies + p.joints);
        make_numbers(&p, &random);
        check_close(solve_and_check(&p, &random), 0.0, 1e-8);
        rbl_blocks_free(&p.system);
    }
}

static void an_order_serves_other_numbers(void** state)
{
    (void)state;
    static Problem p;
    rblRandom random = rbl_random_seed(7, 3);
    p.bodies = 12;
    p.joints = 20;
    make_structure(&p, &random, false);
    assert_true(rbl_blocks_order(&p.system, SIZE_MAX));
    for (int i = 0; i < 10; ++i)
    {
        make_numbers(&p, &random);
        check_close(solve_and_check(&p, &random), 0.0, 1e-8);
    }
    rbl_blocks_free(&p.system);
}

static void trees_have_no_fill(void** state)
{
    (void)state;
    static Problem p;
    for (uint64_t seed = 1; seed <= 50; ++seed)
    {
        rblRandom random = rbl_random_seed(seed, 2);
        p.bodies = p.joints = 1 + rbl_random_below(&random, 19);
        make_structure(&p, &random, true);
        const size_t edges = p.system.edges.count;
        assert_true(rbl_blocks_order(&p.system, SIZE_MAX));
        assert_int_equal(p.system.edges.count, edges);
        assert_int_equal(p.system.updates.count, 0);
        make_numbers(&p, &random);
        check_close(solve_and_check(&p, &random), 0.0, 1e-8);
        rbl_blocks_free(&p.system);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(random_systems_are_solved),
        cmocka_unit_test(an_order_serves_other_numbers),
        cmocka_unit_test(trees_have_no_fill),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
