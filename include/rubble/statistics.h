/// Statistics of a run: counters, energies and times of every step, events, and a summary (docs/scenes.md).
#ifndef RUBBLE_STATISTICS_H
#define RUBBLE_STATISTICS_H

#include "rubble/world.h"

RBL_EXTERN_C_BEGIN

/// Milliseconds by stage. Impacts and drift correction are part of `solve`, sleeping of `update`.
typedef struct rblStageTimes
{
    double total, broad, narrow, solve, integrate, fracture, update;
} rblStageTimes;

/// The state at the end of one step.
typedef struct rblStepRecord
{
    double time; ///< s
    rblCounters counters;
    rblEnergy energy;
    rblStageTimes times;
    uint64_t hash; ///< of the state
} rblStepRecord;

/// An event: a body was spawned, broke or was removed, a joint broke, debris disappeared.
typedef struct rblEventRecord
{
    double time; ///< s
    const char*
        type; ///< "spawn", "break", "impulse", "explode", "remove", "setVelocity", "jointBreak", "vanish"
    const char* body;      ///< its name; empty: none
    uint32_t pieces;       ///< fragments of a break, bodies that disappeared
    double impulse;        ///< N s
    double surface_energy; ///< J
    double elastic_energy; ///< J
    double heat;           ///< J
    double mass_error;     ///< of a break, relative to the body's mass
} rblEventRecord;

/// Summary of a run. The energy scale is kinetic_max + potential_max - potential_min. Rises are increases of kinetic + potential energy
/// minus the work done so far.
typedef struct rblRunSummary
{
    rblStageTimes mean, worst; ///< over the steps
    uint32_t contacts_max;
    double kinetic_max, potential_min, potential_max; ///< J
    double work, dissipated;                          ///< J, in total
    double scale;                                     ///< J
    double worst_rise;                                ///< largest rise in one step, J
    double total_rise;                                ///< largest rise above the initial state, J
    double clamped;                                   ///< energy that clamping removed, J
    uint32_t clamp_count;
    uint32_t frozen; ///< bodies whose state became NaN or infinite
} rblRunSummary;

RBL_EXTERN_C_END

#endif
