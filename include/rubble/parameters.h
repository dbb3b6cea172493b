/// Parameters of a definition as a table: one row for each key of a file. Scene files, recordings, checkpoints, the schema of
/// scene files and the reference pages come from the same rows (docs/breakers.md).
#ifndef RUBBLE_PARAMETERS_H
#define RUBBLE_PARAMETERS_H

#include "rubble/linkage.h"
#include <stdbool.h>
#include <stddef.h>

RBL_EXTERN_C_BEGIN

/// The C type of a parameter, and its form in files.
typedef enum rblParameterType
{
    RBL_PARAMETER_END,           ///< ends a table
    RBL_PARAMETER_FLOAT,         ///< float
    RBL_PARAMETER_DOUBLE,        ///< double; scene files give it with the precision of a float
    RBL_PARAMETER_U32,           ///< uint32_t
    RBL_PARAMETER_U64,           ///< uint64_t
    RBL_PARAMETER_BOOL,          ///< bool
    RBL_PARAMETER_CHOICE,        ///< uint32_t or an enum of that size: the index of a word in `choices`
    RBL_PARAMETER_VECTOR,        ///< rblVec3
    RBL_PARAMETER_VECTOR_DOUBLE, ///< rblVec3d; scene files give it with the precision of floats
    RBL_PARAMETER_TEXT,          ///< const char*; null: not given
    RBL_PARAMETER_FILE, ///< const char*, the path of a file; scene files give it relative to their folder
    RBL_PARAMETER_CHOICE_OR_FILE, ///< a choice; a text with a dot is a file: its path is at `file_offset`, and
                                  ///< the index is the number of `choices`
    RBL_PARAMETER_GROUP,          ///< an object of its own in files, with the rows `group` of the same struct
    RBL_PARAMETER_TYPE_COUNT
} rblParameterType;

/// `max` of numbers without an upper limit.
#define RBL_PARAMETER_UNLIMITED 1e308

/// One parameter. Zero is the default of every field that is not needed.
typedef struct rblParameter
{
    const char* key;            ///< in files, unique within its table
    rblParameterType type;      ///< of the field, and its form in files
    size_t offset;              ///< in the struct of the definition, bytes
    const char* about;          ///< one line for the reference: meaning and unit
    double min, max;            ///< range of numbers and components of vectors; both 0: every finite number
    bool min_excluded;          ///< `min` itself is not allowed
    bool max_excluded;          ///< `max` itself is not allowed
    bool required;              ///< files must give it
    bool nonzero;               ///< vectors: not all components are 0
    const char* const* choices; ///< null-terminated
    size_t file_offset;         ///< of RBL_PARAMETER_CHOICE_OR_FILE
    const struct rblParameter* group; ///< ends with a row of RBL_PARAMETER_END
    size_t reserved[2];               ///< for later versions: must be 0
} rblParameter;

/// A buffer that receives bytes for a file, opaque.
typedef struct rblByteSink rblByteSink;

/// Append bytes; null: none. A failure (out of memory) is stored in the sink, and its creator reports it.
RBL_API void rbl_put_bytes(rblByteSink* sink, const void* bytes, size_t size);

RBL_EXTERN_C_END

#endif
