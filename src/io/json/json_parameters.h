// Definitions in JSON through their tables of parameters (base/parameters.h): reading, writing, and the schema of what is read.
#ifndef RBL_IO_JSON_JSON_PARAMETERS_H
#define RBL_IO_JSON_JSON_PARAMETERS_H

#include "base/parameters.h"
#include "io/json/json.h"

// An object with no keys but those of the table and `tag` (may be null). The nearest key is suggested for others.
rblResult rbl_json_check_parameter_keys(rblJson object, const rblParameter* rows, const char* tag);

// Values of an object over those that `def` has; other keys than the table's are left alone, those of groups are refused. Texts
// live as long as the document. Bit i of `given` (may be null) tells whether row i was there. Every failure names the path.
rblResult rbl_json_read_parameters(rblJson object, const rblParameter* rows, void* def, uint64_t* given);

// The row of a key, null when the table has none such.
const rblParameter* rbl_json_find_parameter(const rblParameter* rows, const char* key);

// Values as members of the object that was begun. Texts that are null are left out.
void rbl_json_write_parameters(rblJsonWriter* writer, const rblParameter* rows, const void* def);

// The rows as members of "properties" of a JSON schema; `defaults` is a definition to take defaults from.
void rbl_json_write_parameter_schema(rblJsonWriter* writer, const rblParameter* rows, const void* defaults);

// The keys that must be there, as member "required" of a schema; nothing when there are none. `tag` (may be null) comes first.
void rbl_json_write_required(rblJsonWriter* writer, const rblParameter* rows, const char* tag);

#endif
