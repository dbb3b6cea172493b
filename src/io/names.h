// Material and group names from files.
#ifndef RBL_IO_NAMES_H
#define RBL_IO_NAMES_H

#include "mesh/mesh.h"

typedef enum rblNameKind
{
    RBL_NAME_MATERIAL,
    RBL_NAME_GROUP
} rblNameKind;

// The index of the name, which need not be terminated. Bytes that would break a line of text become blanks. A failure
// sets builder->failed.
uint32_t rbl_intern_name(rblMeshBuilder* builder, rblNameKind kind, const char* name, size_t length);

#endif
