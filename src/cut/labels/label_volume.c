#include "cut/labels/label_volume.h"

#include "base/error.h"
#include "io/file.h"
#include "math/aabb.h"
#include <string.h>

rblResult rbl_labels_create(const uint32_t size[3], rblAabbd box, const rblAllocator* allocator,
                            rblLabelVolume** out)
{
    size_t count = size[0];
    for (int axis = 1; axis < 3; ++axis)
    {
        if (size[axis] == 0 || count == 0 || count > RBL_LABELS_MAX_VOXELS / size[axis])
        {
            return rbl_fail(RBL_ERROR_LIMIT,
                            "labels: the size is %u x %u x %u, must be positive with at most %zu voxels",
                            size[0], size[1], size[2], (size_t)RBL_LABELS_MAX_VOXELS);
        }
        count *= size[axis];
    }
    rblLabelVolume* volume = rbl_alloc_zero(allocator, sizeof *volume);
    uint16_t* labels = RBL_NEW_ARRAY(allocator, uint16_t, count);
    if (volume == NULL || labels == NULL)
    {
        RBL_FREE_ARRAY(allocator, labels, count);
        rbl_free(allocator, volume, sizeof *volume);
        return rbl_fail_memory();
    }
    *volume = (rblLabelVolume){{size[0], size[1], size[2]}, box, labels, 0};
    *out = volume;
    return RBL_OK;
}

void rbl_labels_free(rblLabelVolume* volume, const rblAllocator* allocator)
{
    if (volume != NULL)
    {
        RBL_FREE_ARRAY(allocator, volume->labels, rbl_labels_count(volume));
        rbl_free(allocator, volume, sizeof *volume);
    }
}

static size_t voxel_along(double fraction, uint32_t size)
{
    return (size_t)rbl_clampd(floor(fraction * size), 0.0, size - 1.0);
}

uint32_t rbl_labels_at(const rblLabelVolume* volume, rblVec3d point)
{
    const rblVec3d size = rbl_aabbd_size(volume->box);
    const rblVec3d offset = rbl_sub3d(point, volume->box.lower);
    const size_t x = voxel_along(offset.x / size.x, volume->size[0]);
    const size_t y = voxel_along(offset.y / size.y, volume->size[1]);
    const size_t z = voxel_along(offset.z / size.z, volume->size[2]);
    return volume->labels[(z * volume->size[1] + y) * volume->size[0] + x];
}

static bool is_nrrd(const char* path)
{
    const size_t length = strlen(path);
    static const char ending[] = ".nrrd";
    bool same = length >= sizeof ending - 1;
    for (size_t c = 0; same && c < sizeof ending - 1; ++c)
    {
        const char at = path[length - (sizeof ending - 1) + c];
        same = (at >= 'A' && at <= 'Z' ? at - 'A' + 'a' : at) == ending[c];
    }
    return same;
}

rblResult rbl_labels_load(const char* path, const rblAllocator* allocator, rblLabelVolume** out)
{
    if (!is_nrrd(path))
    {
        rblMeshId mesh;
        RBL_TRY(rbl_mesh_load(path, NULL, &mesh));
        const rblResult result = rbl_labels_from_mesh(mesh, rbl_short_name(path), allocator, out);
        rbl_mesh_destroy(mesh);
        return result;
    }
    rblFileBytes file;
    RBL_TRY(rbl_file_read(path, 4 * RBL_LABELS_MAX_VOXELS, allocator, &file));
    const rblResult result = rbl_labels_parse(file.bytes, file.size, rbl_short_name(path), allocator, out);
    rbl_file_bytes_free(&file);
    return result;
}
