// Numbered files that take the place of an earlier series as a whole: they are written into a folder beside it, the stage,
// and moved when all of them are there. What is left of a longer earlier series goes then.
//   rblSeries series; rbl_series_open(&series, "out", "out/wall.obj.part", NULL);
//   rbl_series_path(&series, "wall_0000.obj", path); ...                        write the files
//   rbl_series_close(&series, &(rblSeriesNames){"wall_", ".obj", 4, 100});      or rbl_series_discard(&series);
// Files are moved one by one. Before the first of them a journal in the stage lists all, and it goes after the last: a program
// that is killed in between leaves it behind, and the next rbl_series_open() finishes what it had begun.
#ifndef RBL_IO_SERIES_H
#define RBL_IO_SERIES_H

#include "base/array.h"
#include "io/folder.h"
#include <stdint.h>

// The name in the stage of a file that lists the series and is not in its folder.
#define RBL_SERIES_LIST ".list"

// A file on its way from the stage to its folder, or one of a longer earlier series on its way out.
typedef struct rblSeriesFile
{
    size_t name; // where it begins in the names
    bool left_over;
    bool aside;   // one that was there is in the stage, with SET_ASIDE after its name
    bool arrived; // it is in the folder
} rblSeriesFile;

typedef struct rblSeries
{
    char folder[RBL_PATH_SIZE]; // where the files are to be; it must be there by the time they are moved
    char stage[RBL_PATH_SIZE];  // where they are until then
    char list[RBL_PATH_SIZE];   // where RBL_SERIES_LIST is to be; empty when there is none
    RBL_ARRAY(char) names; // of all files, each with a sign before it (see the journal) and its terminator
    RBL_ARRAY(rblSeriesFile) files;
    bool stranded; // files that were there could not be put back: the stage must stay
    bool open;
} rblSeries;

// The files PREFIX000ENDING and so on, `count` of them with that many digits at least.
typedef struct rblSeriesNames
{
    const char* prefix;
    const char* ending;
    int digits;
    uint32_t count;
} rblSeriesNames;

// Begin: makes the stage. What a killed program left in it is finished first, or put back when that fails; a
// folder that is not ours is refused. `list` may be null. On failure there is nothing to discard.
rblResult rbl_series_open(rblSeries* series, const char* folder, const char* stage, const char* list);

// Where to write a file of this name.
rblResult rbl_series_path(const rblSeries* series, const char* name, char out[RBL_PATH_SIZE]);

// Move all files of the stage to where they belong, and out those of ours that are named like them but are not
// in the series. Files of others stay. When one of them cannot be moved, all are as they were before; the stage is gone
// afterwards, unless it holds files that cannot be put back: then the message names it.
rblResult rbl_series_close(rblSeries* series, const rblSeriesNames* names);

// Give up: what was there before is as it was. Fine after rbl_series_close(), and on a zeroed series.
void rbl_series_discard(rblSeries* series);

#endif
