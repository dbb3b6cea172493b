/// Recording what a program does to a world, call by call, so that a bug arrives as a file that replays (docs/recording.md).
#ifndef RUBBLE_RECORDER_H
#define RUBBLE_RECORDER_H

#include "rubble/world.h"

RBL_EXTERN_C_BEGIN

/// From now on write every call that changes this world to a file: bodies and joints created and destroyed, forces,
/// teleports, velocities, settings, steps, snapshots taken and gone back to. What is there already is written first. The file
/// is PATH.part until the recording is stopped; calls before a step are in it before the step begins, so that one that
/// never returns can be replayed, too. Refused: a world that is being recorded, bodies with shapes or breakers of your own (by name).
RBL_API rblResult rbl_world_record(rblWorldId world, const char* path);

/// Complete the file. Destroying the world does the same. Fails when something could not be recorded on the way (a shape of
/// your own, a snapshot from before the recording, a full disk): the calls until then are in PATH.part. Calls on the
/// world never fail because of a recording.
RBL_API rblResult rbl_world_stop_recording(rblWorldId world);

/// What became of a replay.
typedef struct rblReplayReport
{
    uint64_t calls;            ///< made
    uint32_t steps;            ///< of them
    bool complete;             ///< the recording was stopped properly
    bool same;                 ///< every step had the recorded hash, every id was the recorded one
    uint32_t first_difference; ///< the step, counted from 1, after which the state differs; RBL_NONE: none
    uint64_t expected, found;  ///< hashes of that step
    char problem[256];         ///< why the replay ended before the end of the file; empty: it did not
} rblReplayReport;

/// Make the calls of a recording again, in a world of its own that is gone afterwards, up to the first difference. Fails only
/// when the file cannot be read at all; what is damaged ends the replay there.
RBL_API rblResult rbl_calls_replay(const char* path, rblReplayReport* out);

/// How often a call is in a recording.
typedef struct rblCallCount
{
    const char* name;
    uint64_t count;
} rblCallCount;

/// Kinds of calls that a recording can have, at most.
#define RBL_CALLS_MAX_KINDS 64

/// What a recording of calls holds.
typedef struct rblCallsReport
{
    uint64_t calls; ///< in all
    uint64_t steps; ///< of them
    uint32_t kind_count;
    rblCallCount kinds[RBL_CALLS_MAX_KINDS]; ///< those that are in it
    uint32_t shapes;                         ///< that it brings
    uint64_t size, used;                     ///< bytes of the file, and of what was read
    bool complete;                           ///< the recording was stopped properly
    char version[32];                        ///< of the engine
    char problem[256];                       ///< why reading stopped; empty: at the end
} rblCallsReport;

/// Look into a recording of calls without making them. Fails when the file cannot be read at all.
RBL_API rblResult rbl_calls_inspect(const char* path, rblCallsReport* out);

RBL_EXTERN_C_END

#endif
