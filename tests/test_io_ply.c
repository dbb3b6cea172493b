// PLY files: text and both binary orders, any properties in any order, hostile counts.
#include "io_testing.h"

#define PLY RBL_FORMAT_PLY

#define XYZ     "property float x\nproperty float y\nproperty float z\n"
#define INDICES "property list uchar int vertex_indices\n"
#define TRIANGLE_HEADER(format)                                                                              \
    "ply\nformat " format " 1.0\nelement vertex 3\n" XYZ "element face 1\n" INDICES "end_header\n"

static const char triangle[] = TRIANGLE_HEADER("ascii") "0 0 0\n1 0 0\n0 1 0\n3 0 1 2\n";

// Text to a PLY body: numbers of the given types, a letter each (c C s S i I f d), in either byte order.
typedef struct Body
{
    unsigned char bytes[4096];
    size_t size;
    bool big_endian;
} Body;

static void put_bytes(Body* body, const void* value, size_t size)
{
    unsigned char reversed[8];
    memcpy(reversed, value, size);
    for (size_t i = 0; i < size; ++i)
    {
        body->bytes[body->size++] = reversed[body->big_endian ? size - 1 - i : i];
    }
}

static void put(Body* body, char type, double value)
{
    const int8_t c = (int8_t)(int64_t)value;
    const int16_t s = (int16_t)(int64_t)value;
    const int32_t i = (int32_t)(int64_t)value;
    const float f = (float)value;
    switch (type)
    {
    case 'c':
    case 'C':
        put_bytes(body, &c, 1);
        break;
    case 's':
    case 'S':
        put_bytes(body, &s, 2);
        break;
    case 'i':
    case 'I':
        put_bytes(body, &i, 4);
        break;
    case 'f':
        put_bytes(body, &f, 4);
        break;
    default:
        put_bytes(body, &value, 8);
        break;
    }
}

static void put_text(Body* body, const char* text)
{
    memcpy(body->bytes + body->size, text, strlen(text));
    body->size += strlen(text);
}

static void check_is_triangle(const rblMeshView* view)
{
    assert_int_equal(view->vertex_count, 3);
    assert_int_equal(view->face_count, 1);
    assert_int_equal(view->corner_count, 3);
    for (uint32_t k = 0; k < 3; ++k)
    {
        assert_int_equal(view->corner_vertices[k], k);
        assert_true(view->positions[k].x == (k == 1) && view->positions[k].y == (k == 2));
        assert_true(view->positions[k].z == 0);
    }
}

// Otherwise many elements in a small file would need memory by the square of its size.
static void later_face_elements_share_the_layers_of_the_first(void** state)
{
    (void)state;
    rblMeshId id;
    const rblMeshView view = load_text(
        PLY,
        "ply\nformat ascii 1.0\nelement vertex 3\n" XYZ "element face 1\n" INDICES
        "property list uchar float texcoord\nproperty list uchar float texcoord1\nelement face 1\n" INDICES
        "property list uchar float texcoord\nproperty uchar red\nelement face 1\n" INDICES
        "property uchar red\nend_header\n0 0 0\n1 0 0\n0 1 0\n"
        "3 0 1 2 6 1 2 3 4 5 6 6 7 7 7 7 7 7\n3 1 2 0 6 8 8 8 8 8 8 255\n3 2 0 1 255\n",
        &id);
    assert_int_equal(view.face_count, 3);
    assert_int_equal(view.layer_count, 3);
    assert_int_equal(view.layers[0].kind, RBL_LAYER_UV);
    assert_int_equal(view.layers[1].kind, RBL_LAYER_UV);
    assert_int_equal(view.layers[2].kind, RBL_LAYER_COLOR);
    const float first[9] = {1, 3, 5, 8, 8, 8, 0, 0, 0};
    const float second[9] = {7, 7, 7, 0, 0, 0, 0, 0, 0};
    for (uint32_t c = 0; c < 9; ++c)
    {
        assert_true(view.layers[0].data[2 * c] == first[c] && view.layers[1].data[2 * c] == second[c]);
        assert_true(view.layers[2].data[4 * c] == (c < 3 ? 0 : 1));
    }
    rbl_mesh_destroy(id);
}

static void the_same_triangle_in_many_spellings(void** state)
{
    (void)state;
    static const char* const texts[] = {
        triangle,
        "ply\r\nformat ascii 1.0\r\nelement vertex 3\r\nproperty float x\r\nproperty float y\r\nproperty "
        "float z\r\n"
        "element face 1\r\nproperty list uchar int vertex_index\r\nend_header\r\n0 0 0\r\n1 0 0\r\n0 1 "
        "0\r\n3 0 1 2\r\n",
        "ply\rformat ascii 1.0\relement vertex 3\rproperty float x\rproperty float y\rproperty float z\r"
        "element face 1\rproperty list uchar int vertex_index\rend_header\r0 0 0\r1 0 0\r0 1 0\r3 0 1 2",
        "ply\nformat ascii 1.0\ncomment hello\nobj_info a b c\n\nelement vertex 3\nproperty double "
        "z\nproperty int8 y\n"
        "property uchar x\nelement face 1\nproperty list int32 uint32 vertex_indices\nend_header\n"
        "0 0 0\n0 0 1\n0 1 0\n3 0 1 2\n",
        // Rows wrapped and run together: it is the numbers that count.
        TRIANGLE_HEADER("ascii") "  0 0\n0 1 0 0 0\n\n1 0 3\t0 1\n 2",
        // Faces first, properties nobody knows, elements nobody knows.
        "ply\nformat ascii 1.0\nelement face 1\nproperty float quality\nproperty list uchar int "
        "vertex_indices\n"
        "property list uchar float stuff\nelement edge 2\nproperty int vertex1\nproperty list uchar int "
        "others\n"
        "element nothing 3\nelement vertex 3\nproperty float confidence\n" XYZ
        "property list uchar int more\nend_header\n"
        "0.5 3 0 1 2 2 8 9\n1 3 3 4 5\n6 0\n0.1 0 0 0 0\n0.2 1 0 0 1 1\n0.3 0 1 0 2 1 1\n",
    };
    for (size_t i = 0; i < sizeof texts / sizeof *texts; ++i)
    {
        rblMeshId id;
        const rblMeshView view = load_text(PLY, texts[i], &id);
        check_is_triangle(&view);
        assert_int_equal(view.layer_count, 0);
        check_ok(rbl_mesh_destroy(id));
    }
}

// Every type for every number, in both byte orders.
static void binary_types_and_orders_all_read_the_same(void** state)
{
    (void)state;
    static const char letters[] = "cCsSiIfd";
    static const char* const names[] = {"char", "uchar",  "int16", "ushort",
                                        "int",  "uint32", "float", "float64"};
    for (int order = 0; order < 2; ++order)
    {
        for (int a = 0; a < 8; ++a)
        {
            for (int b = 0; b < 8; ++b)
            {
                Body body = {.big_endian = order == 1};
                char header[512];
                snprintf(header, sizeof header,
                         "ply\nformat binary_%s_endian 1.0\nelement vertex 3\nproperty %s x\nproperty %s y\n"
                         "property float z\nelement face 1\nproperty list %s %s vertex_indices\nend_header\n",
                         order == 1 ? "big" : "little", names[a], names[b], names[a < 6 ? a : 1], names[b]);
                put_text(&body, header);
                for (int v = 0; v < 3; ++v)
                {
                    put(&body, letters[a], v == 1);
                    put(&body, letters[b], v == 2);
                    put(&body, 'f', 0);
                }
                put(&body, letters[a < 6 ? a : 1], 3);
                for (int k = 0; k < 3; ++k)
                {
                    put(&body, letters[b], k);
                }
                rblMeshId id;
                const rblMeshView view = load_view(PLY, body.bytes, body.size, &id);
                check_is_triangle(&view);
                check_ok(rbl_mesh_destroy(id));
            }
        }
    }
}

static void a_binary_body_may_begin_with_a_line_end(void** state)
{
    (void)state;
    // The first byte of the first x is 10, the second 13.
    Body body = {.big_endian = true};
    put_text(&body,
             "ply\nformat binary_big_endian 1.0\nelement vertex 3\nproperty short x\nproperty short y\n"
             "property short z\nelement face 1\n" INDICES "end_header\n");
    for (int i = 0; i < 9; ++i)
    {
        put(&body, 's', 0x0A0D);
    }
    put(&body, 'C', 3);
    for (int i = 0; i < 3; ++i)
    {
        put(&body, 'i', i);
    }
    rblMeshId id;
    const rblMeshView view = load_view(PLY, body.bytes, body.size, &id);
    assert_true(view.positions[0].x == 0x0A0D && view.positions[2].z == 0x0A0D);
    check_ok(rbl_mesh_destroy(id));
}

static void vertex_attributes_go_to_the_corners(void** state)
{
    (void)state;
    rblMeshId id;
    const rblMeshView view = load_text(
        PLY,
        "ply\nformat ascii 1.0\nelement vertex 3\n" XYZ
        "property float nx\nproperty float ny\nproperty float nz\n"
        "property float u\nproperty float v\nproperty uchar red\nproperty uchar green\nproperty uchar blue\n"
        "element face 1\n" INDICES "end_header\n"
        "0 0 0 0 0 2 0.25 0.5 255 0 0\n1 0 0 3 0 0 1 0 0 255 0\n0 1 0 0 0 0 0 1 0 0 128\n3 2 0 1\n",
        &id);
    assert_int_equal(view.layer_count, 3);
    static const float normals[] = {0, 0, 0, 0, 0, 1, 1, 0, 0};
    static const float uvs[] = {0, 1, 0.25f, 0.5f, 1, 0};
    assert_memory_equal(find_layer(&view, RBL_LAYER_NORMAL, 0)->data, normals, sizeof normals);
    assert_memory_equal(find_layer(&view, RBL_LAYER_UV, 0)->data, uvs, sizeof uvs);
    const rblLayer* colors = find_layer(&view, RBL_LAYER_COLOR, 0);
    const double half = pow((128 / 255.0 + 0.055) / 1.055, 2.4);
    const double expected[] = {0, 0, half, 1, 1, 0, 0, 1, 0, 1, 0, 1};
    for (int i = 0; i < 12; ++i)
    {
        check_close(colors->data[i], expected[i], 1e-7);
    }
    check_ok(rbl_mesh_destroy(id));
}

static void corner_lists_and_face_colours_are_read(void** state)
{
    (void)state;
    rblMeshId id;
    rblMeshView view =
        load_text(PLY,
                  "ply\nformat ascii 1.0\nelement vertex 3\n" XYZ "element face 2\n" INDICES
                  "property list uchar float texcoord\nproperty uchar red\nproperty uchar green\n"
                  "property uchar blue\nend_header\n0 0 0\n1 0 0\n0 1 0\n"
                  "3 0 1 2 6 .1 .2 .3 .4 .5 .6 255 0 0\n3 0 1 2 5 1 2 3 4 5 0 255 0\n",
                  &id);
    const rblLayer* uvs = find_layer(&view, RBL_LAYER_UV, 0);
    static const float expected[] = {.1f, .2f, .3f, .4f, .5f, .6f, 0, 0, 0, 0, 0, 0};
    assert_memory_equal(uvs->data, expected, sizeof expected);
    const rblLayer* colors = find_layer(&view, RBL_LAYER_COLOR, 0);
    for (int c = 0; c < 6; ++c)
    {
        assert_true(colors->data[4 * c] == (c < 3) && colors->data[4 * c + 1] == (c >= 3));
        assert_true(colors->data[4 * c + 3] == 1.0f);
    }
    check_ok(rbl_mesh_destroy(id));
}

static void strips_alternate_and_begin_anew_at_minus_one(void** state)
{
    (void)state;
    rblMeshId id;
    const rblMeshView view = load_text(PLY,
                                       "ply\nformat ascii 1.0\nelement vertex 6\n" XYZ "element tristrips 1\n"
                                       "property list int int vertex_indices\nend_header\n"
                                       "0 0 0\n1 0 0\n0 1 0\n1 1 0\n0 2 0\n1 2 0\n8 0 1 2 3 -1 3 4 5\n",
                                       &id);
    static const uint32_t corners[] = {0, 1, 2, 2, 1, 3, 3, 4, 5};
    assert_int_equal(view.face_count, 3);
    assert_memory_equal(view.corner_vertices, corners, sizeof corners);
    check_ok(rbl_mesh_destroy(id));
}

static void wrong_files_are_refused_with_the_place(void** state)
{
    (void)state;
#define HEAD(vertices, faces)                                                                                \
    "ply\nformat ascii 1.0\nelement vertex " vertices "\n" XYZ "element face " faces "\n" INDICES            \
    "end_header\n"
    static const WrongText cases[] = {
        {"", RBL_ERROR_FORMAT, "test:1: a PLY file begins"},
        {"plyx\n", RBL_ERROR_FORMAT, "test:1: a PLY file begins"},
        {"ply", RBL_ERROR_FORMAT, "end_header"},
        {"ply\n", RBL_ERROR_FORMAT, "end_header"},
        {"ply\nformat ascii 1.0\nelement vertex 3\n", RBL_ERROR_FORMAT, "end_header"},
        {"ply\nend_header\n", RBL_ERROR_FORMAT, "test:2: the header has no format line"},
        {"ply\nformat latin 1.0\nend_header\n", RBL_ERROR_FORMAT, "test:2: the format must be"},
        {"ply\nformat ascii 2.0\nend_header\n", RBL_ERROR_UNSUPPORTED, "test:2: only version 1.0"},
        {"ply\nformat ascii 1.0\nhello\nend_header\n", RBL_ERROR_FORMAT, "test:3: expected format, element"},
        {"ply\nformat ascii 1.0\nelement vertex\nend_header\n", RBL_ERROR_FORMAT,
         "test:3: expected element NAME COUNT"},
        {"ply\nformat ascii 1.0\nelement vertex -1\nend_header\n", RBL_ERROR_FORMAT,
         "test:3: expected element NAME"},
        {"ply\nformat ascii 1.0\nelement vertex 1x\nend_header\n", RBL_ERROR_FORMAT,
         "test:3: expected element NAME"},
        {"ply\nformat ascii 1.0\nelement vertex 99999999999999999999\nend_header\n", RBL_ERROR_FORMAT,
         "test:3:"},
        {"ply\nformat ascii 1.0\nproperty float x\nend_header\n", RBL_ERROR_FORMAT,
         "test:3: a property before"},
        {"ply\nformat ascii 1.0\nelement vertex 1\nproperty long x\nend_header\n", RBL_ERROR_FORMAT,
         "test:4: a property of unknown type"},
        {"ply\nformat ascii 1.0\nelement vertex 1\nproperty float\nend_header\n", RBL_ERROR_FORMAT,
         "test:4: a property without a name"},
        {"ply\nformat ascii 1.0\nelement face 1\nproperty list float int a\nend_header\n", RBL_ERROR_FORMAT,
         "test:4: the length of a list"},
        {"ply\nformat ascii 1.0\nend_header\n", RBL_ERROR_GEOMETRY, "test: the mesh has no faces"},
        {"ply\nformat ascii 1.0\nelement vertex 1\nproperty float x\nend_header\n0\n", RBL_ERROR_FORMAT,
         "no x, y and z"},
        {HEAD("1", "0") "0 0 0\n", RBL_ERROR_GEOMETRY, "no faces"},
        {HEAD("3", "1") "0 0 0\n1 0 0\n0 1 0\n3 0 1 3\n", RBL_ERROR_FORMAT,
         "test:13: corner 2 of the face is out of range, there are 3 vertices"},
        {HEAD("3", "1") "0 0 0\n1 0 0\n0 1 0\n3 0 1 -1\n", RBL_ERROR_FORMAT, "test:13: corner 2"},
        {HEAD("3", "1") "0 0 0\n1 0 0\n0 1 0\n3 0 1 0.5\n", RBL_ERROR_FORMAT, "test:13: corner 2"},
        {HEAD("3", "1") "0 0 0\n1 0 0\n0 1 0\n2 0 1 0\n", RBL_ERROR_FORMAT, "test:13: a face has 2 corners"},
        {HEAD("3", "1") "0 0 0\n1 0 0\n0 1 0\n-3 0 1 2\n", RBL_ERROR_FORMAT,
         "test:13: the length of a list is not a count"},
        {HEAD("3", "1") "0 0 0\n1 0 0\n0 1 0\n300000000 0 1 2\n", RBL_ERROR_FORMAT,
         "test:13: a list of 300000000 entries"},
        {HEAD("3", "1") "0 0 0\n1 0 0\n0 1 0\n3 0 1 a\n", RBL_ERROR_FORMAT,
         "test:13: expected a number, found 'a'"},
        {HEAD("3", "1") "0 0 0\n1 0 0\n0 1 0\n3 0 1\n", RBL_ERROR_FORMAT,
         "test:13: a list of 3 entries does not fit"},
        {HEAD("3", "1") "0 0 0\n1 0 0\n0 1 0\n3 0 1  \n \n", RBL_ERROR_FORMAT,
         "test:15: the file ends too early"},
        {HEAD("3", "1") "0 0 0\n1 0,5 0\n0 1 0\n3 0 1 2\n", RBL_ERROR_FORMAT,
         "test:11: expected a number, found '0,5'"},
        {HEAD("3", "1") "0 0 0\n1 nan 0\n0 1 0\n3 0 1 2\n", RBL_ERROR_FORMAT,
         "test:11: a coordinate is not finite"},
        {HEAD("1000000", "1") "0 0 0\n1 0 0\n0 1 0\n3 0 1 2\n", RBL_ERROR_FORMAT,
         "gives 1000000 rows of 'vertex'"},
        {HEAD("3", "4000000000") "0 0 0\n1 0 0\n0 1 0\n3 0 1 2\n", RBL_ERROR_FORMAT,
         "test:13: the header gives 4000000000 rows of 'face'"},
        {HEAD("9000000000000000000", "1") "0 0 0\n", RBL_ERROR_FORMAT, "gives 9000000000000000000 rows"},
        {"ply\nformat ascii 1.0\nelement vertex 1\n" XYZ
         "element face 1\nproperty int a\nend_header\n0 0 0\n1\n",
         RBL_ERROR_FORMAT, "no list vertex_indices"},
        {"ply\nformat ascii 1.0\nelement x 5000000\nproperty int a\nend_header\n0 0 0\n1\n", RBL_ERROR_FORMAT,
         "gives 5000000 rows of 'x'"},
        {"ply\nformat ascii 1.0\nelement face 1\n" INDICES "end_header\n3 0 1 2\n", RBL_ERROR_FORMAT,
         "there are 0 vertices"},
    };
    check_all_refused(PLY, cases, sizeof cases / sizeof *cases);
}

static void wrong_binary_files_are_refused_with_the_byte(void** state)
{
    (void)state;
    Body good = {0};
    put_text(&good, TRIANGLE_HEADER("binary_little_endian"));
    const size_t head = good.size;
    for (int i = 0; i < 9; ++i)
    {
        put(&good, 'f', i);
    }
    put(&good, 'C', 3);
    for (int i = 0; i < 3; ++i)
    {
        put(&good, 'i', i);
    }
    assert_true(survive(PLY, good.bytes, good.size, false));
    char message[64];
    Body bad = good;
    bad.bytes[head + 37] = 3; // the first index
    snprintf(message, sizeof message, "test: byte %zu: corner 0 of the face", head + 36);
    check_refused(PLY, bad.bytes, bad.size, RBL_ERROR_FORMAT, message);
    bad = good;
    bad.bytes[head + 36] = 200; // the length of the list
    snprintf(message, sizeof message, "test: byte %zu: a list of 200 entries", head + 36);
    check_refused(PLY, bad.bytes, bad.size, RBL_ERROR_FORMAT, message);
    bad = good;
    memset(bad.bytes + head + 12, 0xFF, 4); // the second vertex's x
    snprintf(message, sizeof message, "test: byte %zu: a coordinate is not finite", head + 12);
    check_refused(PLY, bad.bytes, bad.size, RBL_ERROR_FORMAT, message);
    snprintf(message, sizeof message, "test: byte %zu: the header gives 1 rows of 'face'", head + 36);
    check_refused(PLY, good.bytes, good.size - 1, RBL_ERROR_FORMAT, message);
}

static void huge_counts_allocate_nothing(void** state)
{
    (void)state;
    static const char* const texts[] = {
        "ply\nformat binary_little_endian 1.0\nelement vertex 4000000000\n" XYZ
        "element face 4000000000\n" INDICES "end_header\n0123456789",
        "ply\nformat binary_little_endian 1.0\nelement nothing 4000000000000\nelement vertex 0\n" XYZ
        "element face 4000000000\n" INDICES "end_header\n0123456789",
        "ply\nformat ascii 1.0\nelement nothing 4000000000000\nelement vertex 0\n" XYZ
        "end_header\n0123456789",
        "ply\nformat binary_little_endian 1.0\nelement tristrips 4000000000\nproperty list uint uchar "
        "vertex_indices\n"
        "end_header\n\xFF\xFF\xFF\xFF!",
    };
    const size_t before = rbl_peak_bytes();
    for (size_t i = 0; i < sizeof texts / sizeof *texts; ++i)
    {
        assert_false(survive(PLY, texts[i], strlen(texts[i]), false));
    }
    assert_true(rbl_peak_bytes() < before + 100000);
}

static void non_finite_numbers_are_kept_or_zeroed_on_request(void** state)
{
    (void)state;
    const char* text =
        "ply\nformat ascii 1.0\nelement vertex 3\n" XYZ "property float s\nproperty float t\n"
        "element face 1\n" INDICES "end_header\nnan 0 0 inf 1\n1 -inf 0 1e39 1\n0 1 0 0 0\n3 0 1 2\n";
    check_refused_text(PLY, text, RBL_ERROR_FORMAT, "not finite");
    rblMeshId id;
    check_ok(try_load(PLY, text, strlen(text), true, &id));
    check_sound(id, false);
    rblMeshView view;
    check_ok(rbl_mesh_view(id, &view));
    assert_true(isnan(view.positions[0].x) && isinf(view.positions[1].y));
    for (int as_text = 0; as_text < 2; ++as_text)
    {
        const rblMeshId back = save_and_load(id, PLY, as_text, true);
        rblMeshView again;
        check_ok(rbl_mesh_view(back, &again));
        assert_true(isnan(again.positions[0].x) && isinf(again.positions[1].y));
        check_ok(rbl_mesh_destroy(back));
    }
    check_ok(rbl_mesh_destroy(id));
}

static void what_is_written_reads_back(void** state)
{
    (void)state;
    static const unsigned extras[] = {0,
                                      EXTRA_SMOOTH_NORMALS,
                                      EXTRA_CORNER_NORMALS,
                                      EXTRA_SMOOTH_UVS,
                                      EXTRA_CORNER_UVS,
                                      EXTRA_SMOOTH_UVS | EXTRA_SECOND_UVS,
                                      EXTRA_SMOOTH_COLORS,
                                      EXTRA_CORNER_COLORS,
                                      EXTRA_NAMES,
                                      EXTRA_SMOOTH_NORMALS | EXTRA_SMOOTH_UVS | EXTRA_SMOOTH_COLORS,
                                      EXTRA_CORNER_NORMALS | EXTRA_CORNER_UVS | EXTRA_SECOND_UVS |
                                          EXTRA_CORNER_COLORS | EXTRA_NAMES};
    for (size_t i = 0; i < 2 * sizeof extras / sizeof *extras; ++i)
    {
        const rblMeshId id = make_random_mesh(100 + i, extras[i / 2], 3, 6);
        const rblMeshId back = save_and_load(id, PLY, i % 2 == 1, false);
        rblMeshView a;
        rblMeshView b;
        check_ok(rbl_mesh_view(id, &a));
        check_ok(rbl_mesh_view(back, &b));
        check_same_surface(&a, &b);
        assert_int_equal(a.layer_count, b.layer_count);
        uint32_t nth[RBL_LAYER_KIND_COUNT] = {0};
        for (uint32_t k = 0; k < a.layer_count; ++k)
        {
            const rblLayerKind kind = a.layers[k].kind;
            // A step of an 8-bit colour is at most 1.13 / 255 of linear light, half of it rounding.
            const double tolerance = kind == RBL_LAYER_UV       ? 0
                                     : kind == RBL_LAYER_NORMAL ? 2e-7
                                                                : 2.4 / 1.055 / 510;
            check_same_layer(&a, &b, kind, nth[kind]++, tolerance);
        }
        check_same_names(&a, &b);
        check_ok(rbl_mesh_destroy(id));
        check_ok(rbl_mesh_destroy(back));
    }
}

static void eight_bit_colours_survive_any_number_of_trips(void** state)
{
    (void)state;
    const rblMeshId id = make_random_mesh(5, EXTRA_SMOOTH_COLORS, 3, 3);
    const rblMeshId once = save_and_load(id, PLY, false, false);
    const rblMeshId twice = save_and_load(once, PLY, true, false);
    rblMeshView a;
    rblMeshView b;
    check_ok(rbl_mesh_view(once, &a));
    check_ok(rbl_mesh_view(twice, &b));
    check_same_layer(&a, &b, RBL_LAYER_COLOR, 0, 0);
    const rblMeshId all[] = {id, once, twice};
    for (int i = 0; i < 3; ++i)
    {
        check_ok(rbl_mesh_destroy(all[i]));
    }
}

static void large_polygons_and_numbers_without_names_survive(void** state)
{
    (void)state;
    enum
    {
        CORNERS = 500
    };
    rblVec3d positions[CORNERS];
    uint32_t corners[CORNERS];
    float uvs[2 * CORNERS];
    for (uint32_t i = 0; i < CORNERS; ++i)
    {
        positions[i] = (rblVec3d){i, 0.5 * i, 0.25};
        corners[i] = i % 400;
        uvs[2 * i] = (float)i;
        uvs[2 * i + 1] = 0;
    }
    const uint32_t starts[] = {0, CORNERS};
    const uint32_t number = 4000000000u;
    const rblLayer layer = {RBL_LAYER_UV, 2, uvs};
    static const char* const names[] = {"same", "same"};
    const uint32_t second = 1;
    const rblMeshView view = {.vertex_count = CORNERS,
                              .face_count = 1,
                              .corner_count = CORNERS,
                              .positions = positions,
                              .face_starts = starts,
                              .corner_vertices = corners,
                              .layer_count = 1,
                              .layers = &layer,
                              .face_materials = &number,
                              .face_groups = &second,
                              .group_count = 2,
                              .group_names = names};
    rblMeshId id;
    check_ok(rbl_mesh_create(&view, &id));
    for (int text = 0; text < 2; ++text)
    {
        const rblMeshId back = save_and_load(id, PLY, text, false);
        rblMeshView b;
        check_ok(rbl_mesh_view(back, &b));
        check_same_surface(&view, &b);
        check_same_layer(&view, &b, RBL_LAYER_UV, 0, 0);
        assert_true(b.face_materials[0] == number);
        assert_string_equal(b.group_names[b.face_groups[0]], "same");
        check_ok(rbl_mesh_destroy(back));
    }
    check_ok(rbl_mesh_destroy(id));
}

static const char everything[] =
    "ply\nformat ascii 1.0\ncomment rubble material a\ncomment rubble material b\ncomment rubble group g\n"
    "element vertex 4\n" XYZ "property float nx\nproperty float ny\nproperty float nz\nproperty uchar red\n"
    "property uchar green\nproperty uchar blue\nelement face 2\n" INDICES
    "property list uchar float texcoord\nproperty int material_index\nproperty int group_index\nelement edge "
    "1\n"
    "property int a\nproperty list uchar int b\nelement tristrips 1\nproperty list int int "
    "vertex_indices\nend_header\n"
    "0 0 0 0 0 1 255 0 0\n1 0 0 0 1 0 1 2 3\n0 1 0 1 0 0 9 9 9\n0 0 1 0 0 0 0 0 0\n"
    "3 0 1 2 6 0 0 1 0 1 1 0 0\n4 0 1 2 3 0 1 0\n7 2 8 9\n5 0 1 2 -1 3\n";

static size_t make_binary(Body* body, bool big_endian)
{
    *body = (Body){.big_endian = big_endian};
    put_text(body,
             big_endian ? "ply\nformat binary_big_endian 1.0\n" : "ply\nformat binary_little_endian 1.0\n");
    put_text(body,
             "element vertex 3\n" XYZ "property uchar red\nelement face 2\nproperty uchar flags\n" INDICES
             "property list uchar float texcoord\nelement tristrips 1\nproperty list int int "
             "vertex_indices\nend_header\n");
    for (int v = 0; v < 3; ++v)
    {
        put(body, 'f', v);
        put(body, 'f', v * v);
        put(body, 'f', 1);
        put(body, 'C', 77);
    }
    for (int f = 0; f < 2; ++f)
    {
        put(body, 'C', 1);
        put(body, 'C', 3);
        for (int k = 0; k < 3; ++k)
        {
            put(body, 'i', k);
        }
        put(body, 'C', f * 6);
        for (int k = 0; k < f * 6; ++k)
        {
            put(body, 'f', k);
        }
    }
    put(body, 'i', 4);
    for (int k = 0; k < 4; ++k)
    {
        put(body, 'i', k % 3);
    }
    return body->size;
}

static void every_prefix_loads_or_fails_cleanly(void** state)
{
    (void)state;
    Body body;
    check_every_prefix(PLY, everything, sizeof everything - 1);
    make_binary(&body, false);
    check_every_prefix(PLY, body.bytes, body.size);
    make_binary(&body, true);
    check_every_prefix(PLY, body.bytes, body.size);
}

static void damaged_files_load_or_fail_cleanly(void** state)
{
    (void)state;
    Body body;
    check_mutations(PLY, everything, sizeof everything - 1, 1, 3000);
    check_mutations(PLY, triangle, sizeof triangle - 1, 2, 2000);
    make_binary(&body, false);
    check_mutations(PLY, body.bytes, body.size, 3, 3000);
    make_binary(&body, true);
    check_mutations(PLY, body.bytes, body.size, 4, 2000);
}

static void running_out_of_memory_leaks_nothing(void** state)
{
    (void)state;
    Body body;
    make_binary(&body, false);
    check_load_without_memory(PLY, everything, sizeof everything - 1);
    check_load_without_memory(PLY, triangle, sizeof triangle - 1);
    check_load_without_memory(PLY, body.bytes, body.size);
    check_save_without_memory(PLY, everything, sizeof everything - 1, PLY, true);
    check_save_without_memory(PLY, everything, sizeof everything - 1, PLY, false);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_same_triangle_in_many_spellings),
        cmocka_unit_test(later_face_elements_share_the_layers_of_the_first),
        cmocka_unit_test(binary_types_and_orders_all_read_the_same),
        cmocka_unit_test(a_binary_body_may_begin_with_a_line_end),
        cmocka_unit_test(vertex_attributes_go_to_the_corners),
        cmocka_unit_test(corner_lists_and_face_colours_are_read),
        cmocka_unit_test(strips_alternate_and_begin_anew_at_minus_one),
        cmocka_unit_test(wrong_files_are_refused_with_the_place),
        cmocka_unit_test(wrong_binary_files_are_refused_with_the_byte),
        cmocka_unit_test(huge_counts_allocate_nothing),
        cmocka_unit_test(non_finite_numbers_are_kept_or_zeroed_on_request),
        cmocka_unit_test(what_is_written_reads_back),
        cmocka_unit_test(eight_bit_colours_survive_any_number_of_trips),
        cmocka_unit_test(large_polygons_and_numbers_without_names_survive),
        cmocka_unit_test(every_prefix_loads_or_fails_cleanly),
        cmocka_unit_test(damaged_files_load_or_fail_cleanly),
        cmocka_unit_test(running_out_of_memory_leaks_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
