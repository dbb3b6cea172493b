/// Geometry and image files. Readers treat every file as hostile input.
#ifndef RUBBLE_IO_H
#define RUBBLE_IO_H

#include "rubble/mesh.h"
#include <stdbool.h>
#include <stddef.h>

RBL_EXTERN_C_BEGIN

/// Formats of mesh files (docs/formats.md, docs/gltf.md).
typedef enum rblFileFormat
{
    RBL_FORMAT_AUTO, ///< by the extension of the file name
    RBL_FORMAT_OBJ,
    RBL_FORMAT_PLY,
    RBL_FORMAT_STL,
    RBL_FORMAT_OFF,
    RBL_FORMAT_GLB,
    RBL_FORMAT_GLTF, ///< read only
    RBL_FORMAT_COUNT
} rblFileFormat;

/// Options for reading. Start from rbl_default_load_options().
typedef struct rblLoadOptions
{
    uint32_t struct_size; ///< bytes of this struct; set by rbl_default_load_options()
    uint32_t cookie;      ///< set by rbl_default_load_options()
    rblFileFormat format; ///< default RBL_FORMAT_AUTO
    size_t
        max_bytes; ///< limit for the size of the file and for allocations from counts in it; default 8 GiB (2 GiB on 32 bit)
    /// Not 0: keep faces with NaN or infinite positions, so that a repair can remove and count them. Default 0: refuse
    /// the file.
    int keep_non_finite;
} rblLoadOptions;

/// The defaults named above.
RBL_API void rbl_load_options_init(rblLoadOptions* def, size_t size);
static inline rblLoadOptions rbl_default_load_options(void)
{
    rblLoadOptions def;
    rbl_load_options_init(&def, sizeof def);
    return def;
}

/// Read a mesh from a file. Polygons, UVs, normals, colours, material and group names are kept; glTF node
/// transforms are applied. STL corners at equal positions become one vertex. Errors name file and line or byte.
RBL_API rblResult rbl_mesh_load(const char* path, const rblLoadOptions* options, rblMeshId* out);

/// Read a mesh from memory. `name` is the name of the file in messages; `options->format` must not be RBL_FORMAT_AUTO.
RBL_API rblResult rbl_mesh_load_memory(const void* bytes, size_t size, const char* name,
                                       const rblLoadOptions* options, rblMeshId* out);

/// Options for writing. Start from rbl_default_save_options().
typedef struct rblSaveOptions
{
    uint32_t struct_size; ///< bytes of this struct; set by rbl_default_save_options()
    uint32_t cookie;      ///< set by rbl_default_save_options()
    rblFileFormat format; ///< default RBL_FORMAT_AUTO
    int text;             ///< PLY and STL: 1 writes the text form; default 0, binary
} rblSaveOptions;

/// The defaults named above.
RBL_API void rbl_save_options_init(rblSaveOptions* def, size_t size);
static inline rblSaveOptions rbl_default_save_options(void)
{
    rblSaveOptions def;
    rbl_save_options_init(&def, sizeof def);
    return def;
}

/// Write a mesh. The call writes a temporary file and renames it: an existing file is replaced completely or not at all.
RBL_API rblResult rbl_mesh_save(rblMeshId mesh, const char* path, const rblSaveOptions* options);

/// Write a mesh to memory: `*bytes` is the complete file; free it with rbl_free_saved(). `options->format` must not be
/// RBL_FORMAT_AUTO.
RBL_API rblResult rbl_mesh_save_memory(rblMeshId mesh, const rblSaveOptions* options, void** bytes,
                                       size_t* size);

/// Free the result of rbl_mesh_save_memory(); `size` is the size it returned. Null is allowed.
RBL_API void rbl_free_saved(void* bytes, size_t size);

/// The format that the ending of a file name stands for, in any case of letters; RBL_FORMAT_AUTO: none of ours.
RBL_API rblFileFormat rbl_format_of_path(const char* path);

// ---- before long work ----

/// Whether a file can be written, to be asked before the work whose result it is to hold. Leaves nothing behind. Pipes and
/// devices are not tried.
RBL_API rblResult rbl_output_check(const char* path);

/// The same for a folder that is to be filled: one that is not there, is empty or was made by Rubble. Refused without `force`:
/// one that holds other files.
RBL_API rblResult rbl_output_check_folder(const char* path, bool force);

// ---- images ----

/// Write an image with 8 bits per channel, top row first, `channels` 1, 2, 3 or 4 (grey, grey-alpha, RGB, RGBA).
RBL_API rblResult rbl_image_save_png(const char* path, const uint8_t* pixels, uint32_t width, uint32_t height,
                                     uint32_t channels);

RBL_EXTERN_C_END

#endif
