// The public calls of rubble/tetrahedra.h for files.
#include "io/tets/tets_files.h"
#include <string.h>

#define ENDINGS ".msh, .ele, .node or .vtu"

static bool ends_with(const char* path, const char* ending)
{
    const size_t length = strlen(path), wanted = strlen(ending);
    for (size_t i = 0; length >= wanted && i < wanted; ++i)
    {
        const char c = path[length - wanted + i];
        if ((c >= 'A' && c <= 'Z' ? (char)(c - 'A' + 'a') : c) != ending[i])
        {
            return false;
        }
    }
    return length >= wanted;
}

rblTetsFormat rbl_tets_format_of(const char* path)
{
    return path == NULL                                          ? RBL_TETS_AUTO
           : ends_with(path, ".msh")                             ? RBL_TETS_MSH
           : ends_with(path, ".vtu")                             ? RBL_TETS_VTU
           : ends_with(path, ".ele") || ends_with(path, ".node") ? RBL_TETS_TETGEN
                                                                 : RBL_TETS_AUTO;
}

static size_t default_limit(void)
{
    return rbl_default_load_options().max_bytes;
}

static rblSource source_of(const char* name, const rblFileBytes* file)
{
    return (rblSource){.name = name,
                       .path = name,
                       .bytes = file->size > 0 ? file->bytes : (const uint8_t*)"",
                       .size = file->size,
                       .max_bytes = default_limit(),
                       .allocator = rbl_default_allocator()};
}

// Read in the given format, create the mesh and its id.
static rblResult load_sources(rblTetsFormat format, const rblSource* source, const rblSource* nodes,
                              rblTetsId* out)
{
    rblTetsCollector collector;
    rbl_tets_collector_init(&collector, source);
    rblResult result = format == RBL_TETS_MSH   ? rbl_read_msh(&collector)
                       : format == RBL_TETS_VTU ? rbl_read_vtu(&collector)
                                                : rbl_read_tetgen(&collector, nodes);
    rblTets* tets = NULL;
    if (result == RBL_OK)
    {
        result = rbl_tets_collector_finish(&collector, &tets);
    }
    rbl_tets_collector_free(&collector);
    RBL_TRY(result);
    return rbl_tets_register(tets, out);
}

// Either file of a TetGen pair may be given: the other one differs only in the ending, which has the same case.
static rblResult load_tetgen(const char* path, rblTetsId* out)
{
    const rblAllocator* allocator = rbl_default_allocator();
    const size_t length = strlen(path);
    const size_t stem = length - (ends_with(path, ".ele") ? 4 : 5);
    const bool capitals = path[stem + 1] >= 'A' && path[stem + 1] <= 'Z';
    const char* const endings[2] = {capitals ? ".ELE" : ".ele", capitals ? ".NODE" : ".node"};
    char* names[2] = {rbl_alloc(allocator, stem + 6), rbl_alloc(allocator, stem + 6)};
    rblFileBytes files[2] = {{.allocator = allocator}, {.allocator = allocator}};
    rblResult result = names[0] != NULL && names[1] != NULL ? RBL_OK : rbl_fail_memory();
    for (int i = 0; i < 2 && result == RBL_OK; ++i)
    {
        memcpy(names[i], path, stem);
        const char* ending = ends_with(path, i == 0 ? ".ele" : ".node") ? path + stem : endings[i];
        memcpy(names[i] + stem, ending, strlen(ending) + 1);
        result = rbl_file_read(names[i], default_limit(), allocator, &files[i]);
    }
    if (result == RBL_OK)
    {
        const rblSource source = source_of(names[0], &files[0]), nodes = source_of(names[1], &files[1]);
        result = load_sources(RBL_TETS_TETGEN, &source, &nodes, out);
    }
    for (int i = 0; i < 2; ++i)
    {
        rbl_file_bytes_free(&files[i]);
        rbl_free(allocator, names[i], stem + 6);
    }
    return result;
}

rblResult rbl_tets_load(const char* path, rblTetsId* out)
{
    if (path == NULL || out == NULL)
    {
        return rbl_fail(RBL_ERROR_ARGUMENT, "load: path and out must not be null");
    }
    const rblTetsFormat format = rbl_tets_format_of(path);
    if (format == RBL_TETS_AUTO)
    {
        return rbl_fail(RBL_ERROR_UNSUPPORTED, "%s: the name does not end in " ENDINGS, rbl_short_name(path));
    }
    if (format == RBL_TETS_TETGEN)
    {
        return load_tetgen(path, out);
    }
    rblFileBytes file;
    RBL_TRY(rbl_file_read(path, default_limit(), rbl_default_allocator(), &file));
    const rblSource source = source_of(path, &file);
    const rblResult result = load_sources(format, &source, NULL, out);
    rbl_file_bytes_free(&file);
    return result;
}

static rblResult write_view(const rblTetsView* view, bool rim, rblTetsFormat format, rblWriter* writer,
                            const char* name)
{
    const uint32_t count = rim ? view->tet_count : view->solid_tet_count;
    const rblResult result =
        format == RBL_TETS_MSH ? rbl_write_msh(view, count, writer) : rbl_write_vtu(view, count, writer);
    if (result != RBL_OK)
    {
        rbl_writer_discard(writer);
        return rbl_fail_within(result, rbl_short_name(name));
    }
    return rbl_writer_close(writer);
}

rblResult rbl_tets_save(rblTetsId id, bool rim, const char* path)
{
    if (path == NULL)
    {
        return rbl_fail(RBL_ERROR_ARGUMENT, "save: path must not be null");
    }
    const rblTetsFormat format = rbl_tets_format_of(path);
    if (format != RBL_TETS_MSH && format != RBL_TETS_VTU)
    {
        return rbl_fail(RBL_ERROR_UNSUPPORTED, "%s: the name does not end in .msh or .vtu",
                        rbl_short_name(path));
    }
    rblTets* tets;
    RBL_TRY(rbl_tets_acquire(id, &tets));
    rblWriter writer;
    rblResult result = rbl_writer_open(&writer, path, rbl_default_allocator());
    if (result == RBL_OK)
    {
        result = write_view(rbl_tets_get_view(tets), rim, format, &writer, path);
    }
    rbl_tets_release(tets);
    return result;
}
