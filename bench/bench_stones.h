// The pile of stones of docs/benchmarks.md as a scene.
#ifndef RBL_BENCH_BENCH_STONES_H
#define RBL_BENCH_BENCH_STONES_H

#include "rubble/scene.h"

// `count` hulls of 16 points, `width` by `width` in each layer, between four walls; sleeping off.
rblResult rbl_bench_pile_scene(uint32_t count, uint32_t width, double step, uint32_t steps, rblSceneId* out);
rblResult rbl_bench_write_pile(uint32_t count, uint32_t width, double step, uint32_t steps, const char* path);

#endif
