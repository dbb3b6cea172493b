// Numbered files that take the place of an earlier series as a whole: they are written into a folder beside it, and moved
// when all of them are there. What is left of a longer earlier series is removed then.
//   rblSeries series; rbl_series_open(&series, "out", "out/wall.obj.part");
//   rbl_series_path(&series, "wall_0000.obj", path); ...                        write the files
//   rbl_series_close(&series, &(rblSeriesNames){"wall_", ".obj", 4, 100});      or rbl_series_discard(&series);
#ifndef RBL_IO_SERIES_H
#define RBL_IO_SERIES_H

#include "base/array.h"
#include "io/folder.h"
#include <stdint.h>

// A file on its way from the stage to its folder.
typedef struct rblSeriesFile
{
    size_t name;  // where it begins in the names
    bool aside;   // one that was there is in the stage, with SET_ASIDE after its name
    bool arrived; // it is in the folder
} rblSeriesFile;

typedef struct rblSeries
{
    char folder[RBL_PATH_SIZE]; // where the files are to be; it must be there by the time they are moved
    char stage[RBL_PATH_SIZE];  // where they are until then
    RBL_ARRAY(char) names;      // of the files that are being moved, each with its terminator
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

// Begin: makes the stage. From one that a killed program left behind what it had set aside goes back first, then it is emptied;
// a folder that is not ours is refused. On failure there is nothing to discard.
rblResult rbl_series_open(rblSeries* series, const char* folder, const char* stage);

// Where to write a file of this name.
rblResult rbl_series_path(const rblSeries* series, const char* name, char out[RBL_PATH_SIZE]);

// Move all files of the stage to where they belong. When one of them cannot be moved, all are as they were before;
// those that cannot be put back stay in the stage, which the message names.
rblResult rbl_series_move(rblSeries* series);

// rbl_series_move() if that has not been done, then remove files of ours that are named like those of the series but are
// not in it. Files of others stay. The stage is gone afterwards, unless it holds files that could not be put back.
rblResult rbl_series_close(rblSeries* series, const rblSeriesNames* names);

// Give up: what was there before is as it was, also after rbl_series_move(), or kept in the stage, which
// the stored message names then. Fine after rbl_series_close(), and on a zeroed
// series.
void rbl_series_discard(rblSeries* series);

#endif
