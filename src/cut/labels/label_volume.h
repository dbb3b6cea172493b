// Boxes full of labels: the regions of patterns that come from files.
#ifndef RBL_CUT_LABELS_LABEL_VOLUME_H
#define RBL_CUT_LABELS_LABEL_VOLUME_H

#include "base/bytes.h"
#include "base/memory.h"
#include "rubble/math.h"
#include "rubble/mesh.h"

// x runs fastest.
typedef struct rblLabelVolume
{
    uint32_t size[3];
    rblAabbd box; // labels are those of size[0] * size[1] * size[2] equal boxes in it
    uint16_t* labels;
    uint32_t label_count; // labels are below this; each occurs
} rblLabelVolume;

#define RBL_LABELS_MAX_VOXELS ((size_t)1 << 27)

// Labels from a NRRD file: three axes of 8- or 16-bit unsigned numbers, raw, in the file itself (docs/patterns.md). Different
// numbers become labels 0, 1, ... in rising order. Nothing is believed: sizes are checked against the bytes that are there.
rblResult rbl_labels_parse(const uint8_t* bytes, size_t size, const char* name, const rblAllocator* allocator,
                           rblLabelVolume** out);

// From a mesh each of whose components is a closed region; components must fill their common box without overlap. Refused, with
// the place, where they do not.
rblResult rbl_labels_from_mesh(rblMeshId mesh, const char* name, const rblAllocator* allocator,
                               rblLabelVolume** out);

// By the ending of the name: .nrrd, or one of a mesh.
rblResult rbl_labels_load(const char* path, const rblAllocator* allocator, rblLabelVolume** out);

// Labels are not initialised. Refused: sizes of 0 or more than RBL_LABELS_MAX_VOXELS in all.
rblResult rbl_labels_create(const uint32_t size[3], rblAabbd box, const rblAllocator* allocator,
                            rblLabelVolume** out);
void rbl_labels_free(rblLabelVolume* volume, const rblAllocator* allocator);

// As bytes and back. Refused: bytes that are cut short, numbers that do not fit together.
void rbl_labels_put(rblByteSink* sink, const rblLabelVolume* labels);
rblResult rbl_labels_take(rblByteSource* source, const rblAllocator* allocator, rblLabelVolume** out);

static inline size_t rbl_labels_count(const rblLabelVolume* volume)
{
    return (size_t)volume->size[0] * volume->size[1] * volume->size[2];
}

// The label at a point; beyond the box that of the nearest voxel.
uint32_t rbl_labels_at(const rblLabelVolume* volume, rblVec3d point);

#endif
