// NRRD (Teem: nearly raw raster data, http://teem.sourceforge.net/nrrd/format.html), the part that volumes need: a text
// header of "key: value" lines, an empty line, the numbers.
#ifndef RBL_IO_NRRD_H
#define RBL_IO_NRRD_H

#include "rubble/result.h"
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef enum rblNrrdType
{
    RBL_NRRD_UNKNOWN,
    RBL_NRRD_UINT8,
    RBL_NRRD_UINT16,
    RBL_NRRD_FLOAT,
    RBL_NRRD_DOUBLE
} rblNrrdType;

// A volume in a file that is in memory. x runs fastest.
typedef struct rblNrrd
{
    uint32_t size[3];
    double spacing[3]; // of numbers along each axis; 1 where the file does not say
    rblNrrdType type;
    bool big_endian;
    const uint8_t* numbers; // in the file
    size_t count;           // product of the sizes; there are as many
} rblNrrd;

// Nothing is believed: sizes are checked against the bytes that are there.
rblResult rbl_nrrd_parse(const uint8_t* bytes, size_t size, const char* name, rblNrrd* out);

// A number as what it means; floating point may be anything, NaN included.
double rbl_nrrd_number(const rblNrrd* nrrd, size_t index);

#endif
