// Tetrahedra from and to files: every form of MSH, VTU and TetGen, and what is wrong with them.
#include "testing.h"

#include "io/tets/tets_files.h"
#include "tets_checks.h"
#include <stdlib.h>
#include <string.h>

// Two tetrahedra that share a face, the second turned over; node numbers with gaps, and a node that none uses.
static const char msh_2[] =
    "$MeshFormat\n2.2 0 8\n$EndMeshFormat\n$PhysicalNames\n1\n3 7 \"stone\"\n$EndPhysicalNames\n"
    "$Nodes\n6\n1 0 0 0\n2 1 0 0\n3 0 1 0\n10 0 0 1\n11 1 1 1\n12 9 9 9\n$EndNodes\n"
    "$Elements\n3\n1 2 2 0 1 1 2 3\n2 4 2 7 1 1 2 3 10\n3 4 2 0 5 2 3 10 11\n$EndElements\n";
static const char msh_4[] =
    "$MeshFormat\r\n4.1 0 8\r\n$EndMeshFormat\r\n$Entities\r\n0 0 0 0\r\n$EndEntities\r\n"
    "$Nodes\r\n2 6 1 12\r\n2 1 1 1\r\n1\r\n0 0 0 0.5 0.5\r\n3 1 0 5\r\n2\r\n3\r\n10\r\n11\r\n12\r\n"
    "1 0 0\r\n0 1 0\r\n0 0 1\r\n1 1 1\r\n9 9 9\r\n$EndNodes\r\n"
    "$Elements\r\n3 3 1 3\r\n2 1 2 1\r\n1 1 2 3\r\n3 7 4 1\r\n2 1 2 3 10\r\n3 5 4 1\r\n3 2 3 10 11\r\n"
    "$EndElements\r\n";
static const char vtu_text[] =
    "<?xml version=\"1.0\"?>\n<!-- > by hand -->\n<VTKFile type=\"UnstructuredGrid\" version=\"0.1\" "
    "byte_order=\"LittleEndian\">\n<UnstructuredGrid>\n<Piece NumberOfPoints=\"6\" NumberOfCells=\"3\">\n"
    "<PointData><DataArray type=\"Float32\" Name=\"x\" format=\"ascii\">oops</DataArray></PointData>\n"
    "<Points><DataArray type=\"Float32\" NumberOfComponents=\"3\" format=\"ascii\">\n"
    "0 0 0 1 0 0 0 1 0 0 0 1 1 1 1 9 9 9</DataArray></Points>\n"
    "<Cells><DataArray type=\"Int32\" Name='connectivity' format=\"ascii\">0 1 2 0 1 2 3 1 2 3 "
    "4</DataArray>\n"
    "<DataArray type=\"Int32\" Name=\"offsets\" format=\"ascii\">3 7 11</DataArray>\n"
    "<DataArray type=\"UInt8\" Name=\"types\" format=\"ascii\">5 10 10</DataArray></Cells>\n"
    "<CellData><DataArray type=\"Int32\" Name=\"region\" format=\"ascii\">0 7 5</DataArray></CellData>\n"
    "</Piece></UnstructuredGrid></VTKFile>\n";
// The same points and cells in base64, each array behind its length.
static const char vtu_base64[] =
    "<VTKFile type=\"UnstructuredGrid\" header_type=\"UInt32\"><UnstructuredGrid>"
    "<Piece NumberOfPoints=\"4\" NumberOfCells=\"1\"><Points>"
    "<DataArray type=\"Float32\" "
    "format=\"binary\">MAAAAAAAAAAAAAAAAAAAAAAAgD8AAAAAAAAAAAAAAAAAAIA/AAAAAAAAAAAAAAAAAACAPw=="
    "</DataArray></Points><Cells>"
    "<DataArray type=\"UInt8\" Name=\"connectivity\" format=\"binary\">BAAAAAABAgM=</DataArray>"
    "<DataArray type=\"UInt8\" Name=\"offsets\" format=\"binary\">AQAAAA==BA==</DataArray>"
    "<DataArray type=\"UInt8\" Name=\"types\" format=\"binary\">AQAAAAo=</DataArray></Cells>"
    "</Piece></UnstructuredGrid></VTKFile>";
// The same arrays one behind the other.
static const char vtu_appended[] =
    "<VTKFile type=\"UnstructuredGrid\" header_type=\"UInt32\"><UnstructuredGrid>"
    "<Piece NumberOfPoints=\"4\" NumberOfCells=\"1\"><Points>"
    "<DataArray type=\"Float32\" format=\"appended\" offset=\"0\"/></Points><Cells>"
    "<DataArray type=\"UInt8\" Name=\"connectivity\" format=\"appended\" offset=\"72\"/>"
    "<DataArray type=\"UInt8\" Name=\"offsets\" format=\"appended\" offset=\"84\"/>"
    "<DataArray type=\"UInt8\" Name=\"types\" format=\"appended\" offset=\"96\"/></Cells>"
    "</Piece></UnstructuredGrid><AppendedData encoding=\"base64\">\n_"
    "MAAAAAAAAAAAAAAAAAAAAAAAgD8AAAAAAAAAAAAAAAAAAIA/AAAAAAAAAAAAAAAAAACAPw=="
    "BAAAAAABAgM=AQAAAA==BA==AQAAAAo=\n</AppendedData></VTKFile>";
static const char tetgen_nodes[] = "# by hand\n6 3 1 1\n1 0 0 0 0.5 1\n2 1 0 0 0.5 1\n3 0 1 0 0.5 1 # here\n"
                                   "4 0 0 1 0.5 1\n5 1 1 1 0.5 1\n6 9 9 9 0.5 0\n";
static const char tetgen_tets[] = "2 4 1\n1 1 2 3 4 7\n2 2 3 4 5 5\n";

typedef rblResult ReadFcn(rblTetsCollector* collector);

static rblSource source_of(const char* name, const void* bytes, size_t size)
{
    return (rblSource){.name = name,
                       .bytes = bytes,
                       .size = size,
                       .max_bytes = (size_t)1 << 24,
                       .allocator = rbl_default_allocator()};
}

// From a block of their own, so that sanitizers see who reads past the end.
static rblResult read_bytes(ReadFcn* read, const void* bytes, size_t size, rblTetsId* out)
{
    void* block = malloc(size > 0 ? size : 1);
    assert_non_null(block);
    memcpy(block, bytes, size);
    const rblSource source = source_of("some file", block, size);
    rblTetsCollector collector;
    rblTets* tets;
    rbl_tets_collector_init(&collector, &source);
    rblResult result = read(&collector);
    if (result == RBL_OK)
    {
        result = rbl_tets_collector_finish(&collector, &tets);
    }
    rbl_tets_collector_free(&collector);
    free(block);
    return result == RBL_OK ? rbl_tets_register(tets, out) : result;
}

static rblResult read_pair(const char* nodes, const char* tets, rblTetsId* out)
{
    const rblSource node_source = source_of("some file", nodes, strlen(nodes));
    const rblSource source = source_of("some file", tets, strlen(tets));
    rblTetsCollector collector;
    rblTets* made;
    rbl_tets_collector_init(&collector, &source);
    rblResult result = rbl_read_tetgen(&collector, &node_source);
    if (result == RBL_OK)
    {
        result = rbl_tets_collector_finish(&collector, &made);
    }
    rbl_tets_collector_free(&collector);
    return result == RBL_OK ? rbl_tets_register(made, out) : result;
}

// The two tetrahedra above.
static void check_pair(rblTetsId tets)
{
    rblTetsView view;
    check_ok(rbl_tets_view(tets, &view));
    assert_int_equal(view.tet_count, 2);
    assert_int_equal(view.node_count, 5);
    assert_int_equal(view.regions[0], 7);
    assert_int_equal(view.regions[1], 5);
    check_close(check_tets(tets).solid_volume, 1.0 / 6.0 + 1.0 / 3.0, 1e-12);
    assert_int_equal(view.neighbors[0], 1); // across the face opposite to the first node
    check_ok(rbl_tets_destroy(tets));
}

static void every_form_is_read(void** state)
{
    (void)state;
    rblTetsId tets;
    check_ok(read_bytes(rbl_read_msh, msh_2, sizeof msh_2 - 1, &tets));
    check_pair(tets);
    check_ok(read_bytes(rbl_read_msh, msh_4, sizeof msh_4 - 1, &tets));
    check_pair(tets);
    check_ok(read_bytes(rbl_read_vtu, vtu_text, sizeof vtu_text - 1, &tets));
    check_pair(tets);
    check_ok(read_pair(tetgen_nodes, tetgen_tets, &tets));
    check_pair(tets);
    check_ok(read_bytes(rbl_read_vtu, vtu_base64, sizeof vtu_base64 - 1, &tets));
    check_close(check_tets(tets).solid_volume, 1.0 / 6.0, 1e-12);
    check_ok(rbl_tets_destroy(tets));
    check_ok(read_bytes(rbl_read_vtu, vtu_appended, sizeof vtu_appended - 1, &tets));
    check_close(check_tets(tets).solid_volume, 1.0 / 6.0, 1e-12);
    check_ok(rbl_tets_destroy(tets));
}

// ---- binary MSH ----

typedef struct Bytes
{
    uint8_t data[2048];
    size_t size;
} Bytes;

static void put(Bytes* bytes, const void* data, size_t size)
{
    memcpy(bytes->data + bytes->size, data, size);
    bytes->size += size;
}

static void put_text(Bytes* bytes, const char* text)
{
    put(bytes, text, strlen(text));
}

static void put_ints(Bytes* bytes, const int32_t* values, size_t count)
{
    put(bytes, values, sizeof *values * count);
}

static void put_sizes(Bytes* bytes, const uint64_t* values, size_t count)
{
    put(bytes, values, sizeof *values * count);
}

static const double pair_positions[5][3] = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}, {1, 1, 1}};

static Bytes binary_2(void)
{
    Bytes bytes = {.size = 0};
    const int32_t one = 1;
    put_text(&bytes, "$MeshFormat\n2.2 1 8\n");
    put_ints(&bytes, &one, 1);
    put_text(&bytes, "\n$EndMeshFormat\n$Nodes\n5\n");
    for (int32_t n = 0; n < 5; ++n)
    {
        const int32_t number = n + 1;
        put_ints(&bytes, &number, 1);
        put(&bytes, pair_positions[n], sizeof pair_positions[n]);
    }
    const int32_t triangle[] = {2, 1, 2, 1, 0, 1, 1, 2, 3};
    const int32_t tets[] = {4, 2, 2, 2, 7, 1, 1, 2, 3, 4, 3, 0, 5, 2, 3, 4, 5};
    put_text(&bytes, "\n$EndNodes\n$Elements\n3\n");
    put_ints(&bytes, triangle, 9);
    put_ints(&bytes, tets, 17);
    put_text(&bytes, "\n$EndElements\n");
    return bytes;
}

static Bytes binary_4(void)
{
    Bytes bytes = {.size = 0};
    const int32_t one = 1;
    put_text(&bytes, "$MeshFormat\n4.1 1 8\n");
    put_ints(&bytes, &one, 1);
    put_text(&bytes, "\n$EndMeshFormat\n$Nodes\n");
    put_sizes(&bytes, (const uint64_t[]){1, 5, 1, 5}, 4);
    put_ints(&bytes, (const int32_t[]){3, 1, 0}, 3);
    put_sizes(&bytes, (const uint64_t[]){5, 1, 2, 3, 4, 5}, 6);
    put(&bytes, pair_positions, sizeof pair_positions);
    put_text(&bytes, "\n$EndNodes\n$Elements\n");
    put_sizes(&bytes, (const uint64_t[]){2, 2, 1, 2}, 4);
    put_ints(&bytes, (const int32_t[]){3, 7, 4}, 3);
    put_sizes(&bytes, (const uint64_t[]){1, 1, 1, 2, 3, 4}, 6);
    put_ints(&bytes, (const int32_t[]){3, 5, 4}, 3);
    put_sizes(&bytes, (const uint64_t[]){1, 2, 2, 3, 4, 5}, 6);
    put_text(&bytes, "\n$EndElements\n");
    return bytes;
}

static void binary_msh_is_read(void** state)
{
    (void)state;
    const Bytes two = binary_2(), four = binary_4();
    rblTetsId tets;
    check_ok(read_bytes(rbl_read_msh, two.data, two.size, &tets));
    check_pair(tets);
    check_ok(read_bytes(rbl_read_msh, four.data, four.size, &tets));
    check_pair(tets);
}

// ---- what is wrong ----

// A copy with the first `from` replaced.
static char* replaced(const char* text, const char* from, const char* to)
{
    const char* at = strstr(text, from);
    assert_non_null(at);
    char* copy = malloc(strlen(text) + strlen(to) + 1);
    assert_non_null(copy);
    memcpy(copy, text, (size_t)(at - text));
    strcpy(copy + (at - text), to);
    strcat(copy, at + strlen(from));
    return copy;
}

static void check_refused(ReadFcn* read, const char* text, const char* from, const char* to,
                          const char* words)
{
    char* copy = replaced(text, from, to);
    rblTetsId tets;
    const rblResult result = read_bytes(read, copy, strlen(copy), &tets);
    if (result == RBL_OK || strstr(rbl_last_error(), words) == NULL ||
        strncmp(rbl_last_error(), "some file:", 10) != 0)
    {
        fail_msg("'%s' for '%s': %s, %s", to, from, rbl_result_name(result), rbl_last_error());
    }
    free(copy);
}

static void what_is_wrong_is_named(void** state)
{
    (void)state;
    check_refused(rbl_read_msh, msh_2, "2.2 0 8", "3.7 0 8", "some file:2: versions");
    check_refused(rbl_read_msh, msh_2, "$MeshFormat", "$Mesh", "no MSH");
    check_refused(rbl_read_msh, msh_2, "3 0 1 0\n", "3 0 one 0\n",
                  "some file:12: expected a number, found 'one'");
    check_refused(rbl_read_msh, msh_2, "3 0 1 0\n", "2 0 1 0\n", "twice");
    check_refused(rbl_read_msh, msh_2, "1 2 3 10\n", "1 2 3 13\n", "node 13, which does not exist");
    check_refused(rbl_read_msh, msh_2, "3 0 1 0\n", "3 0 inf 0\n", "not finite");
    check_refused(rbl_read_msh, msh_2, "0 1 0\n10 0 0 1", "0 1 0\n10 0 0 0", "flat");
    check_refused(rbl_read_msh, msh_2, "2 4 2 7", "2 99 2 7", "type 99");
    check_refused(rbl_read_msh, msh_2, "$EndElements\n", "", "some file:");
    check_refused(rbl_read_msh, msh_2, "$Elements\n3\n", "$Elements\n4\n", "integer");
    check_refused(rbl_read_msh, msh_4, "3 1 0 5\r\n", "3 1 0 -5\r\n", "negative");
    check_refused(rbl_read_msh, msh_4, "3 1 0 5\r\n", "3 1 0 5000000\r\n", "more than there is");
    check_refused(rbl_read_vtu, vtu_text, "UnstructuredGrid", "PolyData", "expected <VTKFile");
    check_refused(rbl_read_vtu, vtu_text, "0 1 2 0 1 2 3", "0 1 2 0 1 2 6", "cell 1 has too few points");
    check_refused(rbl_read_vtu, vtu_text, "3 7 11", "3 7 12", "offset");
    check_refused(rbl_read_vtu, vtu_text, "3 7 11", "3 7", "not as many");
    check_refused(rbl_read_vtu, vtu_text, "9 9 9", "9 9", "points");
    check_refused(rbl_read_vtu, vtu_text, "version=\"0.1\"", "compressor=\"vtkZLibDataCompressor\"",
                  "compressed");
    check_refused(rbl_read_vtu, vtu_text, "</Piece>", "", "not closed");
    check_refused(rbl_read_vtu, vtu_text, "5 10 10", "5 5 5", "no tetrahedra");
    check_refused(rbl_read_vtu, vtu_base64, "BAAAAAABAgM=", "BAAAAAAB", "shorter");
    check_refused(rbl_read_vtu, vtu_base64, "BAAAAAABAgM=", "BAA*AAABAgM=", "base64");
    rblTetsId tets;
    char* copy = replaced(tetgen_tets, "2 2 3 4 5 5", "2 2 3 4 9 5");
    check_fails(RBL_ERROR_FORMAT, read_pair(tetgen_nodes, copy, &tets));
    free(copy);
    check_fails(RBL_ERROR_FORMAT, read_pair("1 2 0 0\n", tetgen_tets, &tets));
    check_fails(RBL_ERROR_FORMAT, read_pair(tetgen_nodes, "1 5 0\n", &tets));
}

static void check_pair_with(ReadFcn* read, const char* text, const char* from, const char* to)
{
    char* copy = replaced(text, from, to);
    rblTetsId tets;
    check_ok(read_bytes(read, copy, strlen(copy), &tets));
    free(copy);
    check_pair(tets);
}

// VTK puts keys into arrays of vectors; what follows them is within the same element as before.
static void keys_within_arrays_hide_nothing(void** state)
{
    (void)state;
    check_pair_with(rbl_read_vtu, vtu_text, "<CellData>",
                    "<CellData><DataArray type=\"Float64\" Name=\"speed\" NumberOfComponents=\"3\" "
                    "format=\"ascii\">0 0 0 0 0 0 0 0 0 <InformationKey name=\"L2_NORM_RANGE\" "
                    "location=\"vtkDataArray\" length=\"2\"><Value index=\"0\">0</Value>"
                    "</InformationKey></DataArray>");
    check_pair_with(rbl_read_vtu, vtu_text, "</CellData>",
                    "</CellData><FieldData><DataArray type=\"Int32\" Name=\"region\" "
                    "format=\"ascii\">1</DataArray></FieldData><Cells/>");
}

// Of tetrahedra of any order the corners are taken.
static void curved_tetrahedra_give_their_corners(void** state)
{
    (void)state;
    static const struct
    {
        const char* start;
        int nodes;
    } orders[] = {{"2 11 2 7 1 1 2 3 10", 10},
                  {"2 29 2 7 1 1 2 3 10", 20},
                  {"2 30 2 7 1 1 2 3 10", 35},
                  {"2 31 2 7 1 1 2 3 10", 56}};
    for (size_t i = 0; i < sizeof orders / sizeof orders[0]; ++i)
    {
        char line[256];
        strcpy(line, orders[i].start);
        for (int n = 4; n < orders[i].nodes; ++n)
        {
            strcat(line, " 12");
        }
        check_pair_with(rbl_read_msh, msh_2, "2 4 2 7 1 1 2 3 10", line);
    }
    check_pair_with(rbl_read_vtu, vtu_text, "5 10 10", "5 71 10");
    check_pair_with(rbl_read_vtu, vtu_text, "5 10 10", "5 10 78");
}

static void negative_groups_are_no_regions(void** state)
{
    (void)state;
    char* copy = replaced(msh_2, "2 4 2 7 1", "2 4 2 -7 1");
    rblTetsId tets;
    rblTetsView view;
    check_ok(read_bytes(rbl_read_msh, copy, strlen(copy), &tets));
    free(copy);
    check_ok(rbl_tets_view(tets, &view));
    assert_int_equal(view.regions[0], 0);
    assert_int_equal(view.regions[1], 5);
    check_ok(rbl_tets_destroy(tets));
}

static void count_left_out(rblLogLevel level, const char* message, void* context)
{
    (void)level;
    *(uint32_t*)context += strstr(message, "1 volume cells that are no tetrahedra") != NULL;
}

static void other_solids_are_told(void** state)
{
    (void)state;
    static const char* const types[] = {"5 12 10", "5 25 10", "5 26 10", "5 27 10",
                                        "5 29 10", "5 42 10", "5 72 10"};
    const uint32_t count = sizeof types / sizeof types[0];
    uint32_t told = 0;
    rbl_set_log(count_left_out, &told, RBL_LOG_DEBUG);
    for (uint32_t i = 0; i < count; ++i)
    {
        char* copy = replaced(vtu_text, "5 10 10", types[i]);
        rblTetsId tets;
        check_ok(read_bytes(rbl_read_vtu, copy, strlen(copy), &tets));
        free(copy);
        check_ok(rbl_tets_destroy(tets));
    }
    rbl_set_log(NULL, NULL, RBL_LOG_DEBUG);
    assert_int_equal(told, count);
}

// Every beginning of a file is refused or read, never more.
static void cut_files_do_no_harm(void** state)
{
    (void)state;
    const Bytes two = binary_2(), four = binary_4();
    for (size_t size = 0; size < sizeof vtu_text; ++size)
    {
        rblTetsId tets;
        if (read_bytes(rbl_read_vtu, vtu_text, size, &tets) == RBL_OK)
        {
            check_pair(tets);
        }
        if (size < sizeof msh_4 && read_bytes(rbl_read_msh, msh_4, size, &tets) == RBL_OK)
        {
            check_pair(tets);
        }
        if (size < two.size && read_bytes(rbl_read_msh, two.data, size, &tets) == RBL_OK)
        {
            check_pair(tets);
        }
        if (size < four.size && read_bytes(rbl_read_msh, four.data, size, &tets) == RBL_OK)
        {
            check_pair(tets);
        }
    }
    assert_int_equal(rbl_tets_alive_count(), 0);
}

// ---- written and read ----

static void check_round_trip(rblTetsId tets, bool rim, const char* path)
{
    rblTetsView view, again;
    rblTetsId back;
    check_ok(rbl_tets_save(tets, rim, path));
    check_ok(rbl_tets_load(path, &back));
    check_ok(rbl_tets_view(tets, &view));
    check_ok(rbl_tets_view(back, &again));
    const uint32_t count = rim ? view.tet_count : view.solid_tet_count;
    const uint32_t nodes = rim ? view.node_count : view.solid_node_count;
    assert_int_equal(again.tet_count, count);
    assert_int_equal(again.node_count, nodes);
    assert_memory_equal(again.nodes, view.nodes, sizeof *view.nodes * 4 * count);
    assert_memory_equal(again.positions, view.positions, sizeof *view.positions * nodes);
    assert_memory_equal(again.regions, view.regions, sizeof *view.regions * count);
    check_ok(rbl_tets_destroy(back));
    assert_int_equal(remove(path), 0);
}

static void write_text(const char* path, const char* text)
{
    FILE* file = fopen(path, "wb");
    assert_non_null(file);
    fputs(text, file);
    fclose(file);
}

static void pairs_of_files_may_end_in_capitals(void** state)
{
    (void)state;
    rblTetsId tets;
    write_text("test_tets_capitals.ELE", tetgen_tets);
    write_text("test_tets_capitals.NODE", tetgen_nodes);
    check_ok(rbl_tets_load("test_tets_capitals.ELE", &tets));
    check_pair(tets);
    check_ok(rbl_tets_load("test_tets_capitals.NODE", &tets));
    check_pair(tets);
    assert_int_equal(remove("test_tets_capitals.ELE"), 0);
    assert_int_equal(remove("test_tets_capitals.NODE"), 0);
}

static void filled_solids_come_back_the_same(void** state)
{
    (void)state;
    rblMeshId mesh;
    rblTetsId tets;
    check_ok(rbl_mesh_make("statue", NULL, 0, &mesh));
    rblTetsDef def = rbl_default_tets_def();
    def.edge = 0.03;
    check_ok(rbl_tets_fill(mesh, &def, NULL, &tets));
    check_round_trip(tets, true, "test_tets_files.msh");
    check_round_trip(tets, false, "test_tets_files.msh");
    check_round_trip(tets, true, "test_tets_files.vtu");
    check_round_trip(tets, false, "test_tets_files.VTU");
    check_fails(RBL_ERROR_UNSUPPORTED, rbl_tets_save(tets, true, "test_tets_files.obj"));
    check_fails(RBL_ERROR_UNSUPPORTED, rbl_tets_load("test_tets_files.obj", &tets));
    check_fails(RBL_ERROR_FILE, rbl_tets_load("no such folder/none.msh", &tets));
    check_fails(RBL_ERROR_FILE, rbl_tets_load("no such folder/none.ele", &tets));
    check_ok(rbl_tets_destroy(tets));
    check_ok(rbl_mesh_destroy(mesh));
}

// ---- reports ----

static void a_regular_tetrahedron_is_reported_as_such(void** state)
{
    (void)state;
    const rblVec3d positions[4] = {{1, 1, 1}, {1, -1, -1}, {-1, 1, -1}, {-1, -1, 1}};
    const uint32_t nodes[4] = {0, 1, 2, 3};
    const rblTetsView view = {.node_count = 4, .tet_count = 1, .positions = positions, .nodes = nodes};
    rblTetsId tets;
    rblTetsReport report;
    check_ok(rbl_tets_create(&view, &tets));
    check_ok(rbl_tets_inspect(tets, &report));
    const double angle = acos(1.0 / 3.0) * 180.0 / 3.14159265358979323846;
    check_close(report.smallest_angle, angle, 1e-9);
    check_close(report.largest_angle, angle, 1e-9);
    check_close(report.worst_ratio, 1.0, 1e-12);
    check_close(report.mean_ratio, 1.0, 1e-12);
    check_close(report.volume, 8.0 / 3.0, 1e-12);
    check_close(report.shortest_edge, sqrt(8.0), 1e-12);
    assert_int_equal(report.angles[7], 6);
    assert_int_equal(report.parts, 1);
    assert_int_equal(report.surface_faces, 4);
    assert_int_equal(report.surface_genus, 0);
    check_ok(rbl_tets_destroy(tets));
}

// Half an edge is far more than a smooth ball needs; both ways, and against the closed form.
static void the_surface_error_of_a_ball_is_small(void** state)
{
    (void)state;
    rblMeshId ball;
    check_ok(rbl_mesh_make("icosphere", NULL, 0, &ball));
    double last = 1.0;
    for (uint32_t i = 0; i < 3; ++i)
    {
        rblTetsDef def = rbl_default_tets_def();
        rblTetsId tets;
        rblTetsError error;
        rblTetsFill fill;
        def.edge = 0.05 / (1u << i);
        check_ok(rbl_tets_fill(ball, &def, &fill, &tets));
        check_ok(rbl_tets_compare(tets, ball, &error));
        assert_true(fill.same_topology);
        assert_true(error.outward_max < 0.25 * def.edge && error.original_max < 0.25 * def.edge);
        assert_true(error.outward_mean < error.outward_max);
        assert_true(error.outward_max < 0.5 * last);
        assert_true(error.volume_ratio < 1.0 && error.volume_ratio > 0.9);
        last = error.outward_max;
        check_ok(rbl_tets_destroy(tets));
    }
    check_ok(rbl_mesh_destroy(ball));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_form_is_read),
        cmocka_unit_test(binary_msh_is_read),
        cmocka_unit_test(what_is_wrong_is_named),
        cmocka_unit_test(keys_within_arrays_hide_nothing),
        cmocka_unit_test(curved_tetrahedra_give_their_corners),
        cmocka_unit_test(negative_groups_are_no_regions),
        cmocka_unit_test(other_solids_are_told),
        cmocka_unit_test(cut_files_do_no_harm),
        cmocka_unit_test(pairs_of_files_may_end_in_capitals),
        cmocka_unit_test(filled_solids_come_back_the_same),
        cmocka_unit_test(a_regular_tetrahedron_is_reported_as_such),
        cmocka_unit_test(the_surface_error_of_a_ball_is_small),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
