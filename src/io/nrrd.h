// NRRD (Teem: nearly raw raster data, http://teem.sourceforge.net/nrrd/format.html), the subset for volumes: a text
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

// A volume of a file in memory. x varies fastest.
typedef struct rblNrrd
{
    uint32_t size[3];
    double spacing[3]; // between samples along each axis; 1 where the file has none
    rblNrrdType type;
    bool big_endian;
    const uint8_t* numbers; // in the file
    size_t count;           // product of the sizes; the file has this many numbers
} rblNrrd;

// All values are checked: sizes must match the number of bytes in the file.
rblResult rbl_nrrd_parse(const uint8_t* bytes, size_t size, const char* name, rblNrrd* out);

// The value of a number; floating-point values can be NaN or infinite.
double rbl_nrrd_number(const rblNrrd* nrrd, size_t index);

#endif
