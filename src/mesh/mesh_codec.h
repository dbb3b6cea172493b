// Meshes as bytes (docs/recording.md): positions exactly, the rest in few bytes.
#ifndef RBL_MESH_MESH_CODEC_H
#define RBL_MESH_MESH_CODEC_H

#include "base/bytes.h"
#include "rubble/mesh.h"

void rbl_put_mesh(rblByteSink* sink, const rblMeshView* view);

// Refused: what is cut short or no mesh.
rblResult rbl_take_mesh(rblByteSource* source, const rblAllocator* allocator, rblMeshId* out);

#endif
