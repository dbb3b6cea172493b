#ifndef RBL_MESH_INSPECT_H
#define RBL_MESH_INSPECT_H

#include "rubble/inspect.h"

// rbl_mesh_inspect() on a view. `options` may be null; `out` does not change on failure.
rblResult rbl_inspect_view(const rblMeshView* view, const rblInspectOptions* options, rblMeshReport* out);

#endif
