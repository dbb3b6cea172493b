// Material and group names as they stand in a file.
#ifndef RBL_IO_NAMES_H
#define RBL_IO_NAMES_H

#include "mesh/mesh.h"

typedef enum rblNameKind
{
    RBL_NAME_MATERIAL,
    RBL_NAME_GROUP
} rblNameKind;

// The number of the name, which need not be terminated; bytes that would spoil a line of text become blanks. A failure
// shows in builder->failed.
uint32_t rbl_intern_name(rblMeshBuilder* builder, rblNameKind kind, const char* name, size_t length);

#endif
