// What the parts of `rubble bench prescored` share: solids, random breaks of them, and rows.
#ifndef RBL_BENCH_BENCH_PRESCORED_H
#define RBL_BENCH_BENCH_PRESCORED_H

#include "bench/bench.h"

#define RBL_SMASH_SOLIDS 14

// A solid to break, and points inside its drawn surface.
typedef struct rblSmashSolid
{
    const char* name;
    rblShapeId shape;
    rblShapeView view;
    rblVec3d* points;
    uint32_t point_count;
} rblSmashSolid;

// A solid, a pattern and an impact, all at random but the same in every run.
typedef struct rblSmashCase
{
    const rblSmashSolid* solid;
    rblPrescoredDef def;
    rblTransform pose;
    rblVec3 point, normal; // of the impact; the normal points into the body
    rblVec3 velocity, spin;
    uint64_t seed;
    char name[96];
} rblSmashCase;

rblResult rbl_smash_solids(rblSmashSolid* out, uint32_t points_each);
void rbl_smash_solids_free(rblSmashSolid* solids);
rblSmashCase rbl_smash_case(const rblSmashSolid* solids, uint32_t index);

// Whether a point is inside a closed mesh of triangles: crossings of the ray to +x.
bool rbl_smash_inside(const rblMeshView* mesh, rblVec3d point);

void rbl_smash_row(rblBench* bench, const char* subject, const char* metric, double value, const char* unit);
void rbl_smash_goal(rblBench* bench, const char* subject, const char* metric, double value, const char* unit,
                    double paper);

// Say which case a worst figure comes from.
void rbl_smash_worst(rblBench* bench, const char* figure, double value, const char* unit, const char* name);

// The parts.
rblResult rbl_bench_prescored_time(rblBench* bench);
rblResult rbl_bench_prescored_tiling(rblBench* bench, const rblSmashSolid* solids);
rblResult rbl_bench_prescored_birth(rblBench* bench, const rblSmashSolid* solids);
rblResult rbl_bench_prescored_table(rblBench* bench);
rblResult rbl_bench_prescored_dataset(rblBench* bench);

#endif
