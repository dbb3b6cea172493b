// Label volumes: grids of labels in a box, the regions of patterns from files.
#ifndef RBL_CUT_LABELS_LABEL_VOLUME_H
#define RBL_CUT_LABELS_LABEL_VOLUME_H

#include "base/bytes.h"
#include "base/memory.h"
#include "rubble/math.h"
#include "rubble/mesh.h"

// The index of x changes fastest.
typedef struct rblLabelVolume
{
    uint32_t size[3];
    rblAabbd box; // divided into size[0] * size[1] * size[2] equal voxels
    uint16_t* labels;
    uint32_t label_count; // labels are below this; each occurs at least once
} rblLabelVolume;

#define RBL_LABELS_MAX_VOXELS ((size_t)1 << 27) // limits the memory
// Labels from a NRRD file: three axes of unsigned 8- or 16-bit numbers, raw, in the file itself (docs/patterns.md). The
// different numbers become labels 0, 1, ... in rising order. The sizes in the header are checked against the size of
// the file.
rblResult rbl_labels_parse(const uint8_t* bytes, size_t size, const char* name, const rblAllocator* allocator,
                           rblLabelVolume** out);

// Labels from a mesh. Each component must be a closed region, and the regions must fill their common box without
// overlap. If they do not, the error names the place.
rblResult rbl_labels_from_mesh(rblMeshId mesh, const char* name, const rblAllocator* allocator,
                               rblLabelVolume** out);

// The extension decides: .nrrd, or a format of meshes.
rblResult rbl_labels_load(const char* path, const rblAllocator* allocator, rblLabelVolume** out);

// The labels are not initialised. Refused: a size of 0, more than RBL_LABELS_MAX_VOXELS voxels.
rblResult rbl_labels_create(const uint32_t size[3], rblAabbd box, const rblAllocator* allocator,
                            rblLabelVolume** out);
void rbl_labels_free(rblLabelVolume* volume, const rblAllocator* allocator);

// Serialisation. Refused: truncated or inconsistent bytes.
void rbl_labels_put(rblByteSink* sink, const rblLabelVolume* labels);
rblResult rbl_labels_take(rblByteSource* source, const rblAllocator* allocator, rblLabelVolume** out);

static inline size_t rbl_labels_count(const rblLabelVolume* volume)
{
    return (size_t)volume->size[0] * volume->size[1] * volume->size[2];
}

// The label at a point; outside the box the label of the nearest voxel.
uint32_t rbl_labels_at(const rblLabelVolume* volume, rblVec3d point);

#endif
