/// Recordings of all calls on a world, so that a bug can be reported as a file that replays (docs/recording.md).
#ifndef RUBBLE_RECORDER_H
#define RUBBLE_RECORDER_H

#include "rubble/world.h"

RBL_EXTERN_C_BEGIN

/// Start to write every call that changes this world to a file: creation and destruction of bodies and joints, forces, teleports,
/// velocities, settings, steps, snapshots and their restoration. The present state is written first. The file is PATH.part until the
/// recording is stopped. Calls are written before the next step starts, so that a step that never returns can be replayed. Refused: a
/// world that is recorded already, bodies whose shapes or breakers have no registered kind (the message names them).
RBL_API rblResult rbl_world_record(rblWorldId world, const char* path);

/// Stop the recording and complete the file. Destroying the world does the same. Fails when a call could not be recorded (a shape of an
/// unregistered kind, a snapshot from before the recording, a full disk): PATH.part then has the calls before it. Calls on the world
/// never fail because of a recording.
RBL_API rblResult rbl_world_stop_recording(rblWorldId world);

/// Report of a replay.
typedef struct rblReplayReport
{
    uint64_t calls;            ///< repeated
    uint32_t steps;            ///< number of these that are steps
    bool complete;             ///< the recording was stopped properly
    bool same;                 ///< every step had the recorded hash, every id was the recorded one
    uint32_t first_difference; ///< the step, counted from 1, after which the state differs; RBL_NONE: none
    uint64_t expected, found;  ///< hashes of that step
    char problem[256];         ///< why the replay stopped before the end of the file; empty: it did not
} rblReplayReport;

/// Make the calls of a recording again, in a world of its own that is gone afterwards, up to the first difference. Fails
/// when the file cannot be read at all, and for what this program does not know, by name: kinds of breakers and shapes that are not
/// registered, another version of the format, an image of another build. What is damaged ends the replay there.
RBL_API rblResult rbl_calls_replay(const char* path, rblReplayReport* out);

/// The number of calls of one kind in a recording.
typedef struct rblCallCount
{
    const char* name;
    uint64_t count;
} rblCallCount;

/// Upper limit of the kinds of calls in a recording.
#define RBL_CALLS_MAX_KINDS 64

/// Content of a recording of calls.
typedef struct rblCallsReport
{
    uint64_t calls; ///< in total
    uint64_t steps; ///< number of these that are steps
    uint32_t kind_count;
    rblCallCount kinds[RBL_CALLS_MAX_KINDS]; ///< kinds that occur
    uint32_t shapes;                         ///< number of shapes in the file
    uint64_t size, used;                     ///< bytes of the file, and bytes that were read
    bool complete;                           ///< the recording was stopped properly
    char version[32];                        ///< of the engine
    char problem[256];                       ///< why reading stopped; empty: it was read to the end
} rblCallsReport;

/// Read a recording of calls without repeating them. Fails when the file cannot be read at all.
RBL_API rblResult rbl_calls_inspect(const char* path, rblCallsReport* out);

RBL_EXTERN_C_END

#endif
