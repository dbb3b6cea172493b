// Shared by the JSON parser and the accessors.
#ifndef RBL_IO_JSON_JSON_PRIVATE_H
#define RBL_IO_JSON_JSON_PRIVATE_H

#include "io/json/json.h"

// Up to this many members are searched linearly; the keys of larger objects are sorted.
#define RBL_JSON_FEW_MEMBERS 8

// Line and column of a byte, from 1; LF, CR LF and CR end a line.
void rbl_json_locate(const rblJsonDocument* document, size_t offset, uint32_t* line, uint32_t* column);

// Byte order; a key that is a prefix of a longer one is smaller.
int rbl_json_compare_keys(const rblJsonDocument* document, const rblJsonNode* a, const rblJsonNode* b);

// Copy for a message: characters that would break the line become '?', the rest is cut when it does not fit.
void rbl_json_printable(const char* text, size_t length, char* out, size_t size);

#endif
