// What the commands share: exit codes, error lines, and their entry points.
#ifndef RUBBLE_TOOL_TOOL_H
#define RUBBLE_TOOL_TOOL_H

#include "options.h"
#include "rubble/rubble.h"

enum
{
    TOOL_DONE = 0,
    TOOL_REFUSED = 1, // input refused or work failed
    TOOL_USAGE = 2    // wrong command line
};

// One line on standard error, "rubble: ...", whatever bytes the message holds. Returns TOOL_REFUSED.
int tool_fail(const char* format, ...) RBL_PRINTF_LIKE(1, 2);

// The same with rbl_last_error().
int tool_fail_last(void);

// RBL_ERROR_MEMORY with a message.
rblResult tool_fail_memory(void);

// Seconds of a clock that never goes back.
double tool_seconds(void);

// The same for a command line that is wrong in a way the tables cannot express. Returns TOOL_USAGE.
int tool_usage(const Parsed* parsed, const char* format, ...) RBL_PRINTF_LIKE(2, 3);

// Start the progress bar of a command that works on a file, unless --quiet.
void tool_start_progress(const Parsed* parsed, const char* path);

// Enough for any path that we put together, terminator included.
#define TOOL_PATH_SIZE 4096

// Like printf, into a path. Fails when it gets too long.
rblResult tool_compose_path(char out[TOOL_PATH_SIZE], const char* format, ...) RBL_PRINTF_LIKE(2, 3);

// --text asks for a form that the format of this file has: TOOL_DONE, or TOOL_USAGE after an error line.
int tool_check_text(const Parsed* parsed, const char* path);

// "rubble: note: FILE: text" on standard error, unless --quiet.
void tool_note(const Parsed* parsed, const char* path, const char* text);

// What is to be broken must be closed, manifold and oriented outward: any other mesh is replaced by its repaired self, with a
// note, or refused with the file's name. One that only crosses itself is kept, with a note. On failure the mesh is as it was.
rblResult tool_make_solid(const Parsed* parsed, const char* path, rblMeshId* mesh, bool* repaired);

// Write a mesh with the --text option of the command. Returns an exit code.
int tool_save(const Parsed* parsed, rblMeshId mesh, const char* path);

// Read a recording. What could not be read is told in a note, and the rest is used. Returns an exit code;
// rbl_run_destroy() after TOOL_DONE. `report` may be null.
int tool_load_run(const Parsed* parsed, const char* path, rblRunId* run, rblRecordingReport* report);

// 16 hexadecimal digits.
void tool_format_hash(uint64_t hash, char out[17]);

// Tells the progress bar how much of a run is simulated.
extern const rblProgress tool_stepping;

// rubble info, of a recording.
int info_recording(const Parsed* parsed, const char* path);

// rubble info, of a file of tetrahedra.
int info_tetrahedra(const Parsed* parsed, const char* path);

// rubble info and rubble replay, of a recording of calls.
int info_calls(const Parsed* parsed, const char* path);
int replay_calls(const Parsed* parsed, const char* path);

// All of the tool: returns the exit code.
int tool_main(int argument_count, const char* const* arguments);

// The description of the command line. Null, with an error line, when out of memory.
const Program* program_open(void);
void program_close(void);

// The commands, each at the end of its file.
extern const Command info_command, repair_command, convert_command, make_command, pattern_command,
    picture_command, methods_command, fracture_command, dataset_command, tetrahedralize_command,
    decompose_command, simulate_command, replay_command, render_command, plot_command, export_command,
    demo_command, bench_command, completion_command, man_command, help_command;

#endif
