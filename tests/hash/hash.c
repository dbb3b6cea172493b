// Prints one hash per area of the library: scripts/test-hash compares them between compilers, optimisation levels,
// worker counts and WebAssembly. usage: hash WORKERS
#include "hash.h"

#include "base/number.h"
#include "math/predicates.h"
#include "math/trig.h"
#include <stdio.h>
#include <stdlib.h>

uint64_t area_hash;

void add_double(double value)
{
    // Every NaN counts as the same: its bits are the compiler's business.
    const double canonical = value == value ? value : 0.0;
    area_hash = rbl_hash_bytes(area_hash, &canonical, sizeof canonical);
}

void add_u32(uint32_t value)
{
    area_hash = rbl_hash_bytes(area_hash, &value, sizeof value);
}

void print_area(const char* name)
{
    printf("%-14s %016llx\n", name, (unsigned long long)area_hash);
    area_hash = RBL_HASH_START;
}

void require(rblResult result, const char* what)
{
    if (result != RBL_OK)
    {
        printf("%s failed: %s\n", what, rbl_last_error());
        exit(1);
    }
}

static void hash_functions(void)
{
    rblRandom random = rbl_random_seed(1, 1);
    for (int i = 0; i < 20000; ++i)
    {
        const double x = rbl_random_range(&random, -50, 50);
        const double u = rbl_random_range(&random, -1, 1);
        add_double(rbl_sin(x));
        add_double(rbl_cos(x * 1e5));
        add_double(rbl_atan2(x, u));
        add_double(rbl_acos(u));
        add_double(rbl_exp(x));
        add_double(rbl_log(x * x));
        add_double(rbl_pow(x * x, u));
        add_double(rbl_cbrt(x));
    }
    print_area("functions");
}

rblVec3d random_point(rblRandom* random)
{
    rblVec3d p;
    p.x = rbl_random_range(random, -1, 1);
    p.y = rbl_random_range(random, -1, 1);
    p.z = rbl_random_range(random, -1, 1);
    return p;
}

static void hash_predicates(void)
{
    rblRandom random = rbl_random_seed(2, 1);
    for (int i = 0; i < 5000; ++i)
    {
        rblVec3d p[4];
        for (int k = 0; k < 4; ++k)
        {
            p[k] = random_point(&random);
        }
        if (i % 2 == 0) // nearly coplanar: the exact path
        {
            p[3].x = (p[0].x + p[1].x + p[2].x) / 3;
            p[3].y = (p[0].y + p[1].y + p[2].y) / 3;
            p[3].z = (p[0].z + p[1].z + p[2].z) / 3;
        }
        add_double(rbl_orient3d(p[0], p[1], p[2], p[3]));
        const double a[2] = {p[0].x, p[0].y}, b[2] = {p[1].x, p[1].y}, c[2] = {p[2].x, p[2].y};
        add_double(rbl_orient2d(a, b, c));
    }
    print_area("predicates");
}

static void hash_numbers(void)
{
    rblRandom random = rbl_random_seed(3, 1);
    char text[RBL_NUMBER_SIZE];
    for (int i = 0; i < 20000; ++i)
    {
        const double value = rbl_random_range(&random, -1, 1) * rbl_exp(rbl_random_range(&random, -300, 300));
        const size_t size = rbl_format_double(value, text);
        double back = 0;
        rbl_parse_double(text, text + size, &back);
        area_hash = rbl_hash_bytes(area_hash, text, size);
        add_double(back - value);
    }
    print_area("numbers");
}

void add_box(const rblAabb* box)
{
    add_double((double)box->lower.x);
    add_double((double)box->lower.y);
    add_double((double)box->lower.z);
    add_double((double)box->upper.x);
    add_double((double)box->upper.y);
    add_double((double)box->upper.z);
}

int main(int argc, char** argv)
{
    area_hash = RBL_HASH_START;
    rblTasks tasks = rbl_default_tasks();
    tasks.worker_count = argc > 1 ? (uint32_t)atoi(argv[1]) : 1;
    require(rbl_set_tasks(&tasks), "tasks");
    hash_functions();
    hash_predicates();
    hash_numbers();
    hash_solids();
    rblMeshId statue;
    require(rbl_mesh_make("statue", NULL, 0, &statue), "statue");
    hash_simplify(statue);
    hash_repair(statue);
    hash_trees(statue);
    hash_tetrahedra(statue);
    hash_patterns();
    hash_picture(statue);
    hash_fields(statue);
    hash_broad_phase();
    hash_convex();
    hash_world(statue);
    hash_breaks();
    hash_prescored(statue);
    require(rbl_mesh_destroy(statue), "destroy");
    return rbl_set_tasks(NULL) == RBL_OK ? 0 : 1;
}
