// Definitions through their tables of parameters: checks, comparison, copies, bytes. JSON is in io/json/json_parameters.h.
#ifndef RBL_BASE_PARAMETERS_H
#define RBL_BASE_PARAMETERS_H

#include "base/arena.h"
#include "base/bytes.h"
#include "base/error.h"
#include "rubble/parameters.h"

#define RBL_PARAMETER_MAX_ROWS  64u  // of one table: reading reports the given ones as a bit mask
#define RBL_PARAMETER_MAX_DEPTH 4u   // of groups in groups
#define RBL_PARAMETER_MAX_PATH  160u // characters of a path of keys with dots

// How many words a null-terminated list has.
uint32_t rbl_parameter_choice_count(const char* const* choices);

// Whether a table can be used for structs of that size; `name` is of its kind, for the message. Refused: keys that are missing,
// repeated or too long, fields outside of the struct or not aligned for their type, choices without words.
rblResult rbl_parameters_check_table(const rblParameter* rows, size_t size, const char* name);

// Whether every value is within its range: "NAME: KEY must be ...".
rblResult rbl_parameters_check(const rblParameter* rows, const void* def, const char* name);

// The range of a row as "must be 0 to 1" and the like. False: a value is in it.
bool rbl_parameter_out_of_range(const rblParameter* row, double value);
void rbl_parameter_range_text(const rblParameter* row, char* out, size_t size);

// Same values; texts are compared by their characters.
bool rbl_parameters_equal(const rblParameter* rows, const void* a, const void* b);

// A copy in one block of memory with all its texts, `bytes` large. Null when out of memory.
void* rbl_parameters_copy(const rblParameter* rows, const void* def, size_t size,
                          const rblAllocator* allocator, size_t* bytes);

// Visit every path of a file; the visitor may replace it, and stops by failing.
typedef rblResult rblParameterFileFcn(const rblParameter* row, const char** path, void* context);
rblResult rbl_parameters_visit_files(const rblParameter* rows, void* def, rblParameterFileFcn* visit,
                                     void* context);

// All values by key: a varint of how many; for each a text with the keys of its groups and its own, separated by dots, a u8 (its type)
// and the value. `files` false: without paths of files.
void rbl_parameters_put(rblByteSink* sink, const rblParameter* rows, const void* def, bool files);

// Values over those that `def` has, with texts in the arena. Refused: keys that the table does not have, by name, other types than it says,
// bytes that are cut short. rbl_parameters_check() looks at the values.
rblResult rbl_parameters_take(rblByteSource* source, const rblParameter* rows, void* def, rblArena* texts,
                              const char* name);

#endif
