// Numbered files that replace an earlier series as a whole. They are written to a folder beside it, the stage, and moved
// when all of them are complete. Remaining files of a longer earlier series are then removed.
//   rblSeries series; rbl_series_open(&series, "out", "out/wall.obj.part", NULL);
//   rbl_series_path(&series, "wall_0000.obj", path); ...                        write the files
//   rbl_series_close(&series, &(rblSeriesNames){"wall_", ".obj", 4, 100});      or rbl_series_discard(&series);
// Files are moved one by one. Before the first move a journal in the stage lists all of them; it is removed after the
// last move. When the program is killed in between, the journal remains, and the next rbl_series_open() completes the
// moves.
#ifndef RBL_IO_SERIES_H
#define RBL_IO_SERIES_H

#include "base/array.h"
#include "io/folder.h"
#include <stdint.h>

// The name in the stage of a file that lists the series and belongs in another folder.
#define RBL_SERIES_LIST ".list"

// A file to be moved from the stage to its folder, or one of a longer earlier series to be removed.
typedef struct rblSeriesFile
{
    size_t name; // offset of its name in `names`
    bool left_over;
    bool aside;   // an older file of this name is in the stage, with SET_ASIDE after its name
    bool arrived; // the new file is in the folder
} rblSeriesFile;

typedef struct rblSeries
{
    char folder[RBL_PATH_SIZE]; // the target folder; it must exist when the files are moved
    char stage[RBL_PATH_SIZE];  // the folder of the files until then
    char list[RBL_PATH_SIZE];   // the target path of RBL_SERIES_LIST; empty when there is none
    RBL_ARRAY(char) names; // of all files, each with a prefix character (see the journal) and a terminator
    RBL_ARRAY(rblSeriesFile) files;
    bool stranded; // older files could not be restored: the stage must stay
    bool open;
} rblSeries;

// The files PREFIX000ENDING and so on, `count` of them with at least that many digits.
typedef struct rblSeriesNames
{
    const char* prefix;
    const char* ending;
    int digits;
    uint32_t count;
} rblSeriesNames;

// Start: creates the stage. Moves that a killed program left unfinished are completed first, or undone when that fails.
// A folder that is not ours is refused. `list` may be null. On failure there is nothing to discard.
rblResult rbl_series_open(rblSeries* series, const char* folder, const char* stage, const char* list);

// The path at which to write a file of this name.
rblResult rbl_series_path(const rblSeries* series, const char* name, char out[RBL_PATH_SIZE]);

// Move all files of the stage to their folder, and remove our files with names of the series that are not in it. Other
// files stay. When a file cannot be moved, all moves are undone. The stage is removed afterwards, unless it has files
// that cannot be restored: then the message names it.
rblResult rbl_series_close(rblSeries* series, const rblSeriesNames* names);

// Abandon the series; the old files are unchanged. Allowed after rbl_series_close(), and on a zeroed series.
void rbl_series_discard(rblSeries* series);

#endif
