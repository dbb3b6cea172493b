/// Statistics of a run: what every step counted, the energies, events, and a summary (docs/scenes.md).
#ifndef RUBBLE_STATISTICS_H
#define RUBBLE_STATISTICS_H

#include "rubble/world.h"

RBL_EXTERN_C_BEGIN

/// Milliseconds by stage. Impacts and drift correction are part of `solve`, sleeping of `update`.
typedef struct rblStageTimes
{
    double total, broad, narrow, solve, integrate, fracture, update;
} rblStageTimes;

/// One step, as it ended.
typedef struct rblStepRecord
{
    double time; ///< s
    rblCounters counters;
    rblEnergy energy;
    rblStageTimes times;
    uint64_t hash; ///< of the state
} rblStepRecord;

/// Something that happened: a body spawned, broke or was removed, a joint broke, debris vanished.
typedef struct rblEventRecord
{
    double time; ///< s
    const char*
        type; ///< "spawn", "break", "impulse", "explode", "remove", "setVelocity", "jointBreak", "vanish"
    const char* body;      ///< its name; empty: none
    uint32_t pieces;       ///< fragments of a break, bodies that vanished
    double impulse;        ///< N s
    double surface_energy; ///< J
    double elastic_energy; ///< J
    double heat;           ///< J
    double mass_error;     ///< of a break, in parts of the body's mass
} rblEventRecord;

/// A run in a few numbers. The scale of energy is kinetic_max + potential_max - potential_min; rises are of kinetic + potential
/// energy less the work done so far.
typedef struct rblRunSummary
{
    rblStageTimes mean, worst; ///< of the steps
    uint32_t contacts_max;
    double kinetic_max, potential_min, potential_max; ///< J
    double work, dissipated;                          ///< J, in all
    double scale;                                     ///< J
    double worst_rise;                                ///< in one step, J
    double total_rise;                                ///< highest above the start, J
    double clamped;                                   ///< energy that the solver took away, J
    uint32_t clamp_count;
    uint32_t frozen; ///< bodies whose numbers went bad
} rblRunSummary;

RBL_EXTERN_C_END

#endif
