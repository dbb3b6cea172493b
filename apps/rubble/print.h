// Numbers and tables for people, the same in every locale.
#ifndef RUBBLE_TOOL_PRINT_H
#define RUBBLE_TOOL_PRINT_H

#include "rubble/json.h"
#include "rubble/math.h"
#include "rubble/text.h"
#include <stdio.h>

// About `digits` significant digits (1 to 15), no trailing zeros: "0.1667", "12.5", "1e+20".
size_t print_number(double value, uint32_t digits, char out[RBL_NUMBER_SIZE]);

// Three numbers with a space between.
#define PRINT_VECTOR_SIZE (3 * RBL_NUMBER_SIZE)
void print_vector(rblVec3d vector, char out[PRINT_VECTOR_SIZE]);

// "  label        text" with the text at one column for the whole report.
void print_line(FILE* out, const char* label, const char* text);

// The finished text of a writer on standard output. The writer is freed. Returns an exit code.
int print_json(rblJsonWriter* writer);

// A vector as an array on one line.
void json_vector(rblJsonWriter* writer, rblVec3d vector);

#endif
