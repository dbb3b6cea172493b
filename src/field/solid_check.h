// The check of a mesh that must have an inside.
#ifndef RBL_FIELD_SOLID_CHECK_H
#define RBL_FIELD_SOLID_CHECK_H

#include "rubble/inspect.h"

// Refused: a surface that is open, not manifold, not oriented, or without volume. `who` begins the message.
rblResult rbl_check_solid(const rblMeshView* view, const char* who, rblMeshReport* report);

#endif
