// What the JSON parser and the accessors share.
#ifndef RBL_IO_JSON_JSON_PRIVATE_H
#define RBL_IO_JSON_JSON_PRIVATE_H

#include "io/json/json.h"

// Up to this many members are searched one by one; larger objects have their keys sorted.
#define RBL_JSON_FEW_MEMBERS 8

// Line and column of a byte, from 1; LF, CR LF and CR end a line.
void rbl_json_locate(const rblJsonDocument* document, size_t offset, uint32_t* line, uint32_t* column);

// Byte order; a shorter key comes before a longer one that it begins.
int rbl_json_compare_keys(const rblJsonDocument* document, const rblJsonNode* a, const rblJsonNode* b);

// Copy for a message: what would break the line becomes '?', what does not fit is cut.
void rbl_json_printable(const char* text, size_t length, char* out, size_t size);

#endif
