// Tetrahedra to MSH 2.2 (text) and VTU (appended raw data).
#include "base/bytes.h"
#include "io/tets/tets_files.h"
#include "io/text_write.h"

static uint32_t used_nodes(const rblTetsView* view, uint32_t tet_count)
{
    return tet_count < view->tet_count ? view->solid_node_count : view->node_count;
}

static void write_number(rblWriter* writer, uint64_t number, const char* after)
{
    char* c = rbl_writer_reserve(writer);
    rbl_writer_advance(writer, c + rbl_format_u64(number, c));
    rbl_write_text(writer, after);
}

rblResult rbl_write_msh(const rblTetsView* view, uint32_t tet_count, rblWriter* writer)
{
    const uint32_t node_count = used_nodes(view, tet_count);
    rbl_write_text(writer, "$MeshFormat\n2.2 0 8\n$EndMeshFormat\n$Nodes\n");
    write_number(writer, node_count, "\n");
    for (uint32_t n = 0; n < node_count; ++n)
    {
        char* c = rbl_writer_reserve(writer);
        c += rbl_format_u64(n + 1, c);
        c = rbl_print_position(c, view->positions[n]);
        *c++ = '\n';
        rbl_writer_advance(writer, c);
    }
    rbl_write_text(writer, "$EndNodes\n$Elements\n");
    write_number(writer, tet_count, "\n");
    for (uint32_t t = 0; t < tet_count; ++t)
    {
        char* c = rbl_writer_reserve(writer);
        const uint32_t* nodes = view->nodes + 4 * (size_t)t;
        const uint64_t region = view->regions[t]; // as physical group and as entity
        const uint64_t row[] = {(uint64_t)t + 1,
                                4,
                                2,
                                region,
                                region,
                                (uint64_t)nodes[0] + 1,
                                (uint64_t)nodes[1] + 1,
                                (uint64_t)nodes[2] + 1,
                                (uint64_t)nodes[3] + 1};
        for (uint32_t i = 0; i < 9; ++i)
        {
            c += rbl_format_u64(row[i], c);
            *c++ = i < 8 ? ' ' : '\n';
        }
        rbl_writer_advance(writer, c);
    }
    rbl_write_text(writer, "$EndElements\n");
    return RBL_OK;
}

// ---- VTU ----

typedef struct Array
{
    const char* heading; // opening tag, up to the offset
    uint64_t bytes;
} Array;

static void write_array_tag(rblWriter* writer, const Array* array, uint64_t* offset)
{
    rbl_write_text(writer, array->heading);
    rbl_write_text(writer, " format=\"appended\" offset=\"");
    write_number(writer, *offset, "\"/>\n");
    *offset += 8 + array->bytes;
}

static void write_heading(rblWriter* writer, uint32_t node_count, uint32_t tet_count)
{
    const Array points = {"<Points>\n<DataArray type=\"Float64\" NumberOfComponents=\"3\"",
                          24 * (uint64_t)node_count};
    const Array cells[3] = {
        {"</Points>\n<Cells>\n<DataArray type=\"Int64\" Name=\"connectivity\"", 32 * (uint64_t)tet_count},
        {"<DataArray type=\"Int64\" Name=\"offsets\"", 8 * (uint64_t)tet_count},
        {"<DataArray type=\"UInt8\" Name=\"types\"", tet_count}};
    const Array regions = {
        "</Cells>\n<CellData Scalars=\"region\">\n<DataArray type=\"UInt32\" Name=\"region\"",
        4 * (uint64_t)tet_count};
    rbl_write_text(writer, "<?xml version=\"1.0\"?>\n<VTKFile type=\"UnstructuredGrid\" version=\"1.0\" "
                           "byte_order=\"LittleEndian\" header_type=\"UInt64\">\n<UnstructuredGrid>\n"
                           "<Piece NumberOfPoints=\"");
    write_number(writer, node_count, "\" NumberOfCells=\"");
    write_number(writer, tet_count, "\">\n");
    uint64_t offset = 0;
    write_array_tag(writer, &points, &offset);
    for (int i = 0; i < 3; ++i)
    {
        write_array_tag(writer, &cells[i], &offset);
    }
    write_array_tag(writer, &regions, &offset);
    rbl_write_text(writer, "</CellData>\n</Piece>\n</UnstructuredGrid>\n<AppendedData encoding=\"raw\">\n_");
}

// Write the collected bytes, in blocks of at least `least`. Numbers are little-endian on every machine.
static void flush_sink(rblByteSink* sink, rblWriter* writer, size_t least)
{
    if (sink->bytes.count >= least)
    {
        rbl_write_bytes(writer, sink->bytes.data, sink->bytes.count);
        sink->bytes.count = 0;
    }
}

// Bytes that are collected before they go to the writer.
#define FLUSH_SIZE 16384

static void write_data(rblByteSink* sink, const rblTetsView* view, uint32_t node_count, uint32_t tet_count,
                       rblWriter* writer)
{
    rbl_put_u64(sink, 24 * (uint64_t)node_count);
    for (uint32_t n = 0; n < node_count; ++n)
    {
        rbl_put_f64(sink, view->positions[n].x);
        rbl_put_f64(sink, view->positions[n].y);
        rbl_put_f64(sink, view->positions[n].z);
        flush_sink(sink, writer, FLUSH_SIZE);
    }
    rbl_put_u64(sink, 32 * (uint64_t)tet_count);
    for (size_t i = 0; i < 4 * (size_t)tet_count; ++i)
    {
        rbl_put_u64(sink, view->nodes[i]);
        flush_sink(sink, writer, FLUSH_SIZE);
    }
    rbl_put_u64(sink, 8 * (uint64_t)tet_count);
    for (uint32_t t = 0; t < tet_count; ++t)
    {
        rbl_put_u64(sink, 4 * ((uint64_t)t + 1));
        flush_sink(sink, writer, FLUSH_SIZE);
    }
    rbl_put_u64(sink, tet_count);
    for (uint32_t t = 0; t < tet_count; ++t)
    {
        rbl_put_u8(sink, 10); // VTK_TETRA
        flush_sink(sink, writer, FLUSH_SIZE);
    }
    rbl_put_u64(sink, 4 * (uint64_t)tet_count);
    for (uint32_t t = 0; t < tet_count; ++t)
    {
        rbl_put_u32(sink, view->regions[t]);
        flush_sink(sink, writer, FLUSH_SIZE);
    }
    flush_sink(sink, writer, 0);
}

rblResult rbl_write_vtu(const rblTetsView* view, uint32_t tet_count, rblWriter* writer)
{
    const uint32_t node_count = used_nodes(view, tet_count);
    rblByteSink sink;
    rbl_sink_init(&sink, writer->allocator);
    write_heading(writer, node_count, tet_count);
    write_data(&sink, view, node_count, tet_count, writer);
    const bool failed = sink.failed;
    rbl_sink_free(&sink);
    rbl_write_text(writer, "\n</AppendedData>\n</VTKFile>\n");
    return failed ? rbl_fail_memory() : RBL_OK;
}
