// The public calls of rubble/io.h for meshes.
#include "base/def.h"
#include "io/readers.h"
#include <string.h>

typedef struct Format
{
    rblReadFcn* read;   // null: cannot be read
    rblWriteFcn* write; // null: cannot be written
} Format;

static const Format formats[RBL_FORMAT_COUNT] = {
    [RBL_FORMAT_OBJ] = {rbl_read_obj, rbl_write_obj}, [RBL_FORMAT_PLY] = {rbl_read_ply, rbl_write_ply},
    [RBL_FORMAT_STL] = {rbl_read_stl, rbl_write_stl}, [RBL_FORMAT_OFF] = {rbl_read_off, rbl_write_off},
    [RBL_FORMAT_GLB] = {rbl_read_glb, rbl_write_glb}, [RBL_FORMAT_GLTF] = {rbl_read_gltf, NULL},
};

#define FORMAT_ENDINGS ".obj, .ply, .stl, .off, .glb or .gltf"

RBL_DEF_KIND(load_options, rblLoadOptions, "load", rbl_default_load_options, 0x4C4F4144u);

void rbl_load_options_init(rblLoadOptions* def, size_t size)
{
    const uint64_t max_bytes = sizeof(size_t) > 4 ? (uint64_t)8 << 30 : (uint64_t)2 << 30;
    const rblLoadOptions defaults = {.format = RBL_FORMAT_AUTO, .max_bytes = (size_t)max_bytes};
    rbl_def_init(&load_options, &defaults, def, size);
}

RBL_DEF_KIND(save_options, rblSaveOptions, "save", rbl_default_save_options, 0x53415645u);

void rbl_save_options_init(rblSaveOptions* def, size_t size)
{
    const rblSaveOptions defaults = {.format = RBL_FORMAT_AUTO};
    rbl_def_init(&save_options, &defaults, def, size);
}

// ---- loading ----

// Null means the defaults.
static rblResult read_load_options(const rblLoadOptions* options, rblLoadOptions* out)
{
    *out = rbl_default_load_options();
    RBL_TRY(options != NULL ? rbl_def_read(&load_options, options, out) : RBL_OK);
    if ((unsigned)out->format >= RBL_FORMAT_COUNT)
    {
        return rbl_fail(RBL_ERROR_ARGUMENT, "load: format is %d, must be 0 to %d", (int)out->format,
                        (int)RBL_FORMAT_COUNT - 1);
    }
    return RBL_OK;
}

static rblResult load_source(const rblSource* source, rblFileFormat format, rblMeshId* out)
{
    if (formats[format].read == NULL)
    {
        return rbl_fail(RBL_ERROR_UNSUPPORTED, "%s: files of this kind are not read",
                        rbl_short_name(source->name));
    }
    rblMeshBuilder builder;
    rbl_mesh_builder_init(&builder, source->allocator);
    const rblResult result = formats[format].read(source, &builder);
    if (result != RBL_OK)
    {
        rbl_mesh_builder_discard(&builder);
        return result;
    }
    rblMesh* mesh;
    const rblResult finished = rbl_mesh_builder_finish(&builder, &mesh);
    return finished == RBL_OK ? rbl_mesh_register(mesh, out)
                              : rbl_fail_within(finished, rbl_short_name(source->name));
}

rblResult rbl_mesh_load(const char* path, const rblLoadOptions* options, rblMeshId* out)
{
    rblLoadOptions chosen;
    if (path == NULL || out == NULL)
    {
        return rbl_fail(RBL_ERROR_ARGUMENT, "load: path and out must not be null");
    }
    RBL_TRY(read_load_options(options, &chosen));
    const rblFileFormat format = chosen.format != RBL_FORMAT_AUTO ? chosen.format : rbl_format_of_path(path);
    if (format == RBL_FORMAT_AUTO)
    {
        return rbl_fail(RBL_ERROR_UNSUPPORTED, "%s: the name does not end in " FORMAT_ENDINGS,
                        rbl_short_name(path));
    }
    rblFileBytes file;
    RBL_TRY(rbl_file_read(path, chosen.max_bytes, rbl_default_allocator(), &file));
    const rblSource source = {.name = path,
                              .path = path,
                              .bytes = file.bytes,
                              .size = file.size,
                              .max_bytes = chosen.max_bytes,
                              .keep_non_finite = chosen.keep_non_finite != 0,
                              .allocator = rbl_default_allocator()};
    const rblResult result = load_source(&source, format, out);
    rbl_file_bytes_free(&file);
    return result;
}

rblResult rbl_mesh_load_memory(const void* bytes, size_t size, const char* name,
                               const rblLoadOptions* options, rblMeshId* out)
{
    if ((bytes == NULL && size > 0) || options == NULL || out == NULL)
    {
        return rbl_fail(RBL_ERROR_ARGUMENT, "load: bytes, options and out must not be null");
    }
    rblLoadOptions chosen;
    RBL_TRY(read_load_options(options, &chosen));
    if (chosen.format == RBL_FORMAT_AUTO)
    {
        return rbl_fail(RBL_ERROR_ARGUMENT, "load: bytes in memory need a format in the options");
    }
    if (size > chosen.max_bytes)
    {
        return rbl_fail(RBL_ERROR_LIMIT, "%s: larger than the limit of %zu bytes",
                        name != NULL ? rbl_short_name(name) : "memory", chosen.max_bytes);
    }
    const rblSource source = {.name = name != NULL ? name : "memory",
                              .bytes = size > 0 ? bytes : (const void*)"",
                              .size = size,
                              .max_bytes = chosen.max_bytes,
                              .keep_non_finite = chosen.keep_non_finite != 0,
                              .allocator = rbl_default_allocator()};
    return load_source(&source, chosen.format, out);
}

// ---- saving ----

// Null means the defaults.
static rblResult read_save_options(const rblSaveOptions* options, rblSaveOptions* out)
{
    *out = rbl_default_save_options();
    RBL_TRY(options != NULL ? rbl_def_read(&save_options, options, out) : RBL_OK);
    if ((unsigned)out->format >= RBL_FORMAT_COUNT)
    {
        return rbl_fail(RBL_ERROR_ARGUMENT, "save: format is %d, must be 0 to %d", (int)out->format,
                        (int)RBL_FORMAT_COUNT - 1);
    }
    return RBL_OK;
}

static rblResult check_writable(rblFileFormat format, const char* name)
{
    if (format == RBL_FORMAT_AUTO)
    {
        return rbl_fail(RBL_ERROR_UNSUPPORTED, "%s: the name does not end in .obj, .ply, .stl, .off or .glb",
                        rbl_short_name(name));
    }
    if (formats[format].write == NULL)
    {
        return rbl_fail(RBL_ERROR_UNSUPPORTED, "%s: files of this kind are not written",
                        rbl_short_name(name));
    }
    return RBL_OK;
}

static rblResult write_view(const rblMeshView* view, rblFileFormat format, const rblSaveOptions* options,
                            const char* name, rblWriter* writer)
{
    const rblResult result = formats[format].write(view, options, writer);
    if (result != RBL_OK)
    {
        rbl_writer_discard(writer);
        return rbl_fail_within(result, rbl_short_name(name));
    }
    return rbl_writer_close(writer);
}

rblResult rbl_mesh_save(rblMeshId id, const char* path, const rblSaveOptions* options)
{
    rblSaveOptions chosen;
    if (path == NULL)
    {
        return rbl_fail(RBL_ERROR_ARGUMENT, "save: path must not be null");
    }
    RBL_TRY(read_save_options(options, &chosen));
    const rblFileFormat format = chosen.format != RBL_FORMAT_AUTO ? chosen.format : rbl_format_of_path(path);
    RBL_TRY(check_writable(format, path));
    rblMesh* mesh;
    RBL_TRY(rbl_mesh_acquire(id, &mesh));
    rblWriter writer;
    rblResult result = rbl_writer_open(&writer, path, rbl_default_allocator());
    if (result == RBL_OK)
    {
        result = write_view(rbl_mesh_get_view(mesh), format, &chosen, path, &writer);
    }
    rbl_mesh_release(mesh);
    return result;
}

rblResult rbl_mesh_save_memory(rblMeshId id, const rblSaveOptions* options, void** bytes, size_t* size)
{
    if (options == NULL || bytes == NULL || size == NULL)
    {
        return rbl_fail(RBL_ERROR_ARGUMENT, "save: options, bytes and size must not be null");
    }
    rblSaveOptions chosen;
    RBL_TRY(read_save_options(options, &chosen));
    if (chosen.format == RBL_FORMAT_AUTO)
    {
        return rbl_fail(RBL_ERROR_ARGUMENT, "save: bytes in memory need a format in the options");
    }
    RBL_TRY(check_writable(chosen.format, "memory"));
    rblMesh* mesh;
    RBL_TRY(rbl_mesh_acquire(id, &mesh));
    rblWriter writer;
    rblResult result = rbl_writer_open_memory(&writer, rbl_default_allocator());
    if (result == RBL_OK)
    {
        result = write_view(rbl_mesh_get_view(mesh), chosen.format, &chosen, "memory", &writer);
    }
    rbl_mesh_release(mesh);
    RBL_TRY(result);
    // A copy of exactly the size of the file, so that the caller can free it by its size.
    void* exact = rbl_alloc(rbl_default_allocator(), writer.size);
    if (exact == NULL)
    {
        rbl_writer_discard(&writer);
        return rbl_fail_memory();
    }
    memcpy(exact, writer.buffer, writer.size);
    *bytes = exact;
    *size = writer.size;
    rbl_writer_discard(&writer);
    return RBL_OK;
}

void rbl_free_saved(void* bytes, size_t size)
{
    rbl_free(rbl_default_allocator(), bytes, size);
}
