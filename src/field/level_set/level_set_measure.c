// Accuracy of a level set: its values at points of the surface, where the exact distance is zero.
#include "base/error.h"
#include "field/level_set/level_set.h"
#include "math/vec.h"

// ---- tuning ----
#define MAX_ROWS          512.0 // rows of the lattice along a side
#define TRIANGLES_PER_JOB 32u   // triangles per block of a parallel loop

// Result of a block of triangles.
typedef struct Measure
{
    const rblLevelSet* set;
    double step; // m, distance between points
    float worst;
    uint64_t count, thin;
} Measure;

typedef struct Measuring
{
    const rblLevelSet* set;
    const rblMeshView* view;
    rblIndexArray corners; // three per triangle
    Measure found[RBL_MAX_BLOCKS];
} Measuring;

static void probe(Measure* m, rblVec3d position, rblVec3d normal)
{
    rblVec3 gradient;
    const double cell = (double)m->set->cell;
    const rblVec3 below = rbl_to_float3(rbl_mul_add3d(position, -cell, normal));
    m->worst = rbl_maxf(fabsf(rbl_level_set_distance(m->set, rbl_to_float3(position), &gradient)), m->worst);
    m->thin += rbl_level_set_distance(m->set, below, &gradient) >= 0.0f;
    m->count += 1;
}

// Rows of points from the longest side to the opposite corner, inclusive.
static void probe_triangle(Measure* m, const rblVec3d t[3])
{
    int first = 0;
    for (int i = 1; i < 3; ++i)
    {
        first =
            rbl_distance3d(t[i], t[(i + 1) % 3]) > rbl_distance3d(t[first], t[(first + 1) % 3]) ? i : first;
    }
    const rblVec3d a = t[first];
    const rblVec3d along = rbl_sub3d(t[(first + 1) % 3], a);
    const rblVec3d up = rbl_sub3d(t[(first + 2) % 3], a);
    const rblVec3d area = rbl_cross3d(along, up);
    const double length = rbl_length3d(along);
    if (!(length > 0.0))
    {
        return;
    }
    const rblVec3d normal = rbl_normalize3d(area, rbl_vec3d(0, 0, 0));
    const double rows = rbl_clampd(ceil(rbl_length3d(area) / length / m->step), 1.0, MAX_ROWS);
    for (double row = 0.0; row <= rows; row += 1.0)
    {
        const double v = row / rows;
        const double columns = rbl_clampd(ceil((1.0 - v) * length / m->step), 1.0, MAX_ROWS);
        for (double column = 0.0; column <= columns; column += 1.0)
        {
            const double u = (1.0 - v) * column / columns;
            probe(m, rbl_mul_add3d(rbl_mul_add3d(a, u, along), v, up), normal);
        }
    }
}

static void probe_triangles(rblRange range, void* context)
{
    Measuring* measuring = context;
    const rblMeshView* view = measuring->view;
    Measure m = {.set = measuring->set, .step = 0.5 * (double)measuring->set->cell};
    for (uint32_t triangle = range.begin; triangle < range.end; ++triangle)
    {
        rblVec3d t[3];
        for (size_t k = 0; k < 3; ++k)
        {
            t[k] = view->positions[view->corner_vertices[measuring->corners.data[3 * (size_t)triangle + k]]];
        }
        probe_triangle(&m, t);
    }
    measuring->found[range.block] = m;
}

rblResult rbl_level_set_measure(rblLevelSet* set, const rblMeshView* view, rblJobs* jobs)
{
    Measuring measuring = {.set = set, .view = view};
    rbl_array_init(&measuring.corners, set->allocator);
    const rblResult result = rbl_triangulate_corners(view, &measuring.corners, NULL);
    if (result == RBL_OK)
    {
        const uint32_t count = (uint32_t)(measuring.corners.count / 3);
        rbl_parallel_for(jobs, count, TRIANGLES_PER_JOB, probe_triangles, &measuring);
        Measure all = {.count = 0};
        for (uint32_t b = 0; b < rbl_block_count(count, TRIANGLES_PER_JOB); ++b)
        {
            all.worst = rbl_maxf(measuring.found[b].worst, all.worst);
            all.count += measuring.found[b].count;
            all.thin += measuring.found[b].thin;
        }
        set->error = all.worst;
        set->thin_share = all.count > 0 ? (float)((double)all.thin / (double)all.count) : 0.0f;
    }
    rbl_array_free(&measuring.corners);
    return result;
}
