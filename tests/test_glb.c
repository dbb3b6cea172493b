// Reading glTF: every way to store the same triangles, files beside the file, node transforms. Welding: test_glb_weld.c.
#include "testing.h"

#include "glb_files.h"
#include "io/compress/base64.h"
#include "io/gltf/gltf_private.h"
#include <stdio.h>

static void check_unit_triangle(rblMesh* mesh)
{
    const rblMeshView* view = rbl_mesh_get_view(mesh);
    assert_int_equal(view->face_count, 1);
    assert_int_equal(view->vertex_count, 3);
    check_position(mesh, 0, 0, 0, 0);
    check_position(mesh, 1, 1, 0, 0);
    check_position(mesh, 2, 0, 2, 0);
    rbl_mesh_free(mesh);
}

// ---- storage ----

static void every_index_type_gives_the_same_triangle(void** state)
{
    (void)state;
    static const struct
    {
        uint32_t type, offset;
    } kinds[] = {{5121, 0}, {5123, 4}, {5125, 12}};
    rblMesh* mesh;
    check_ok(read_triangle(plain_triangle, &mesh));
    check_unit_triangle(mesh);
    for (size_t i = 0; i < 3; ++i)
    {
        char json[1024];
        snprintf(json, sizeof json,
                 "{" ASSET "," TRIANGLE_BUFFER ",'accessors':[" POSITIONS ",{'bufferView':1,'byteOffset':%u,"
                 "'componentType':%u,'count':3,'type':'SCALAR'}],'meshes':[{'primitives':[{'attributes':{'"
                 "POSITION':0}"
                 ",'indices':1}]}],'nodes':[{'mesh':0}]}",
                 kinds[i].offset, kinds[i].type);
        check_ok(read_triangle(json, &mesh));
        check_unit_triangle(mesh);
    }
}

static void integer_positions_and_normalisation_follow_the_formulas(void** state)
{
    (void)state;
    static const int8_t bytes[12] = {-128, 127, 0, 0, -127, 64, 1, 0, 0, 0, -1, 0}; // stride 4
    static const struct
    {
        const char* type;
        double expected[9];
    } cases[] = {
        {"5120,'normalized':true", {-1, 1, 0, -1, 64.0 / 127, 1.0 / 127, 0, 0, -1.0 / 127}},
        {"5120", {-128, 127, 0, -127, 64, 1, 0, 0, -1}},
        {"5121,'normalized':true",
         {128.0 / 255, 127.0 / 255, 0, 129.0 / 255, 64.0 / 255, 1.0 / 255, 0, 0, 1}},
        {"5121", {128, 127, 0, 129, 64, 1, 0, 0, 255}},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; ++i)
    {
        char json[1024];
        snprintf(json, sizeof json,
                 "{" ASSET ",'extensionsRequired':['KHR_mesh_quantization'],'buffers':[{'byteLength':12}],"
                 "'bufferViews':[{'buffer':0,'byteLength':12,'byteStride':4}],'accessors':[{'bufferView':0,"
                 "'componentType':%s,'count':3,'type':'VEC3'}]," MESH "}",
                 cases[i].type);
        rblMesh* mesh;
        check_ok(glb_read(json, bytes, sizeof bytes, &mesh));
        for (uint32_t c = 0; c < 3; ++c)
        {
            const double* e = cases[i].expected + 3 * c;
            check_position(mesh, c, e[0], e[1], e[2]);
        }
        rbl_mesh_free(mesh);
    }
    static const int16_t shorts[9] = {-32768, 32767, 0, -32767, 16384, 1, 0, 0, -1};
    rblMesh* mesh;
    check_ok(glb_read(
        "{" ASSET ",'buffers':[{'byteLength':18}],'bufferViews':[{'buffer':0,'byteLength':18}],"
        "'accessors':[{'bufferView':0,'componentType':5122,'normalized':true,'count':3,'type':'VEC3'}"
        "]," MESH "}",
        shorts, sizeof shorts, &mesh));
    check_position(mesh, 0, -1, 1, 0);
    check_position(mesh, 1, -1, 16384.0 / 32767, 1.0 / 32767);
    check_position(mesh, 2, 0, 0, -1.0 / 32767);
    rbl_mesh_free(mesh);
}

static void interleaved_attributes_are_taken_apart(void** state)
{
    (void)state;
    // position, UV as normalised bytes padded to 4, colour without alpha
    struct
    {
        float position[3];
        uint8_t uv[4];
        float color[3];
    } vertices[3] = {{{0, 0, 0}, {0, 51, 0, 0}, {1, 0, 0}},
                     {{1, 0, 0}, {255, 102, 0, 0}, {0, 1, 0}},
                     {{0, 1, 0}, {0, 255, 0, 0}, {0, 0, 0.5f}}};
    rblMesh* mesh;
    check_ok(glb_read(
        "{" ASSET ",'buffers':[{'byteLength':84}],'bufferViews':[{'buffer':0,'byteLength':84,"
        "'byteStride':28}],'accessors':[{'bufferView':0,'componentType':5126,'count':3,'type':'VEC3'},"
        "{'bufferView':0,'byteOffset':12,'componentType':5121,'normalized':true,'count':3,'type':'VEC2'"
        "},{'bufferView':0,'byteOffset':16,'componentType':5126,'count':3,'type':'VEC3'}],"
        "'meshes':[{'primitives':[{'attributes':{'POSITION':0,'TEXCOORD_0':1,'COLOR_0':2}}]}]}",
        vertices, sizeof vertices, &mesh));
    const rblMeshView* view = rbl_mesh_get_view(mesh);
    assert_int_equal(view->layer_count, 2);
    assert_int_equal(view->layers[0].kind, RBL_LAYER_UV);
    assert_int_equal(view->layers[1].kind, RBL_LAYER_COLOR);
    static const float uvs[6] = {0, 0.8f, 1, 0.6f, 0, 0}; // v counts upwards
    static const float colors[12] = {1, 0, 0, 1, 0, 1, 0, 1, 0, 0, 0.5f, 1};
    for (int i = 0; i < 6; ++i)
    {
        check_close(view->layers[0].data[i], uvs[i], 1e-7);
    }
    assert_memory_equal(view->layers[1].data, colors, sizeof colors);
    rbl_mesh_free(mesh);
}

static void sparse_accessors_replace_elements(void** state)
{
    (void)state;
    struct
    {
        uint16_t indices[2];
        float values[6];
    } data = {{1, 3}, {5, 6, 7, 8, 9, 10}};
    rblMesh* mesh;
    // Four vertices that are zero but for two; the base has no buffer view.
    check_ok(glb_read(
        "{" ASSET ",'buffers':[{'byteLength':28}],'bufferViews':[{'buffer':0,'byteLength':4},{'buffer':"
        "0,'byteOffset':4,'byteLength':24}],'accessors':[{'componentType':5126,'count':4,'type':'VEC3',"
        "'sparse':{'count':2,'indices':{'bufferView':0,'componentType':5123},'values':{'bufferView':1}}}"
        "],'meshes':[{'primitives':[{'attributes':{'POSITION':0},'mode':6}]}]}",
        &data, sizeof data, &mesh));
    assert_int_equal(rbl_mesh_get_view(mesh)->face_count, 2);
    assert_int_equal(rbl_mesh_get_view(mesh)->vertex_count, 3);
    check_position(mesh, 0, 5, 6, 7);
    check_position(mesh, 1, 0, 0, 0);
    check_position(mesh, 2, 0, 0, 0);
    check_position(mesh, 4, 8, 9, 10);
    rbl_mesh_free(mesh);
}

static void strips_and_fans_keep_one_orientation(void** state)
{
    (void)state;
    // Six points around a hexagon for the fan, in zigzag order for the strip; all triangles must face +z.
    static const float hexagon[18] = {2, 0, 0, 1, 2, 0, -1, 2, 0, -2, 0, 0, -1, -2, 0, 1, -2, 0};
    static const float zigzag[18] = {0, 0, 0, 1, 0, 0, 0, 1, 0, 1, 1, 0, 0, 2, 0, 1, 2, 0};
    for (uint32_t mode = 5; mode <= 6; ++mode)
    {
        char json[512];
        snprintf(json, sizeof json,
                 "{" ASSET
                 ",'buffers':[{'byteLength':72}],'bufferViews':[{'buffer':0,'byteLength':72}],'accessors':["
                 "{'bufferView':0,'componentType':5126,'count':6,'type':'VEC3'}],'meshes':[{'primitives':[{"
                 "'attributes':{'POSITION':0},'mode':%u}]}]}",
                 mode);
        rblMesh* mesh;
        check_ok(glb_read(json, mode == 5 ? zigzag : hexagon, 72, &mesh));
        const rblMeshView* view = rbl_mesh_get_view(mesh);
        assert_int_equal(view->face_count, 4);
        double area2 = 0;
        for (uint32_t f = 0; f < 4; ++f)
        {
            const rblVec3d normal = rbl_face_normal_area2(view, f);
            assert_true(normal.z > 0);
            area2 += normal.z;
        }
        check_close(area2, mode == 5 ? 4.0 : 24.0, 1e-12);
        rbl_mesh_free(mesh);
    }
}

static void strip_jumps_are_left_out(void** state)
{
    (void)state;
    static const struct
    {
        float positions[12];
        uint8_t indices[8];
    } data = {{0, 0, 0, 1, 0, 0, 0, 1, 0, 1, 1, 0}, {0, 1, 2, 2, 1, 1, 2, 3}};
    rblMesh* mesh;
    check_ok(glb_read(
        "{" ASSET ",'buffers':[{'byteLength':56}],'bufferViews':[{'buffer':0,'byteLength':48},{'buffer':0,"
        "'byteOffset':48,'byteLength':8}],'accessors':[{'bufferView':0,'componentType':5126,'count':4,"
        "'type':'VEC3'},{'bufferView':1,'componentType':5121,'count':8,'type':'SCALAR'}],'meshes':[{"
        "'primitives':[{'attributes':{'POSITION':0},'indices':1,'mode':5}]}]}",
        &data, sizeof data, &mesh));
    assert_int_equal(rbl_mesh_get_view(mesh)->face_count, 2);
    rbl_mesh_free(mesh);
}

typedef struct LogCount
{
    int lines;
    char last[256];
} LogCount;

static void count_line(rblLogLevel level, const char* line, void* context)
{
    LogCount* log = context;
    log->lines += level == RBL_LOG_WARNING;
    snprintf(log->last, sizeof log->last, "%s", line);
}

static void points_and_lines_are_skipped_with_a_word(void** state)
{
    (void)state;
    LogCount log = {0};
    rblMesh* mesh;
    rbl_set_log(count_line, &log, RBL_LOG_DEBUG);
    check_ok(read_triangle(
        "{" ASSET "," TRIANGLE_BUFFER ",'accessors':[" POSITIONS "],'meshes':[{'primitives':[{"
        "'attributes':{'POSITION':0},'mode':0},{'attributes':{'POSITION':0,'NORMAL':0},'mode':1},{"
        "'attributes':{'POSITION':0}}]}]}",
        &mesh));
    rbl_set_log(NULL, NULL, RBL_LOG_DEBUG);
    assert_int_equal(log.lines, 1);
    assert_non_null(strstr(log.last, "meshes[0].primitives[0]: points and lines are left out"));
    assert_int_equal(rbl_mesh_get_view(mesh)->layer_count, 0);
    check_unit_triangle(mesh);
}

static void skins_and_morph_targets_are_left_out_with_one_word_each(void** state)
{
    (void)state;
    LogCount log = {0};
    rblMesh* mesh;
    rbl_set_log(count_line, &log, RBL_LOG_DEBUG);
    check_ok(
        read_triangle("{" ASSET "," TRIANGLE_BUFFER ",'accessors':[" POSITIONS
                      "],'meshes':[{'primitives':[{'attributes':{'POSITION':0},'targets':[{'POSITION':0}]},"
                      "{'attributes':{'POSITION':0},'targets':[{'POSITION':0}]}]}],"
                      "'nodes':[{'mesh':0,'skin':0},{'mesh':0,'skin':0}]}",
                      &mesh));
    rbl_set_log(NULL, NULL, RBL_LOG_DEBUG);
    assert_int_equal(log.lines, 2); // not for each of them
    assert_int_equal(rbl_mesh_get_view(mesh)->face_count, 4);
    rbl_mesh_free(mesh);
}

static void data_uris_hold_buffers(void** state)
{
    (void)state;
    static const char json[] = "{\"asset\":{\"version\":\"2.0\"},\"buffers\":[{\"byteLength\":36,\"uri\":"
                               "\"data:application/octet-stream;"
                               "base64,AAAAAAAAAAAAAAAAAACAPwAAAAAAAAAAAAAAAAAAAEAAAAAA\"}],\"bufferViews\":["
                               "{\"buffer\":0,\"byteLength\":36}"
                               "],\"accessors\":[{\"bufferView\":0,\"componentType\":5126,\"count\":3,"
                               "\"type\":\"VEC3\"}],\"meshes\":[{"
                               "\"primitives\":[{\"attributes\":{\"POSITION\":0}}]}]}";
    const rblSource source = glb_source((const uint8_t*)json, sizeof json - 1);
    rblMesh* mesh;
    check_ok(glb_read_with(rbl_read_gltf, &source, &mesh));
    check_unit_triangle(mesh);
}

static void base64_takes_what_the_rfc_allows(void** state)
{
    (void)state;
    static const struct
    {
        const char* text;
        const char* bytes; // null: refused
    } cases[] = {{"", ""},
                 {"Zg==", "f"},
                 {"Zm8=", "fo"},
                 {"Zm9v", "foo"},
                 {"Zm9vYg==", "foob"},
                 {"Zm9vYmE=", "fooba"},
                 {"Zm9vYmFy", "foobar"},
                 {"Zg", "f"},
                 {"Zm8", "fo"},
                 {"+/+/", "\xFB\xFF\xBF"},
                 {"Z", NULL},
                 {"Zg=", NULL},
                 {"Zh==", NULL},
                 {"Zm9v=", NULL},
                 {"====", NULL},
                 {"Zm 9v", NULL},
                 {"Zm9-", NULL},
                 {"Zg==Zg==", NULL},
                 {"Zm9vY===", NULL}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; ++i)
    {
        uint8_t out[16];
        size_t size = 0;
        const bool ok = rbl_base64_decode(cases[i].text, strlen(cases[i].text), out, &size);
        if (ok != (cases[i].bytes != NULL))
        {
            fail_msg("\"%s\" was %s", cases[i].text, ok ? "accepted" : "refused");
        }
        if (ok)
        {
            assert_int_equal(size, strlen(cases[i].bytes));
            assert_memory_equal(out, cases[i].bytes, size);
        }
    }
}

// ---- files beside the file ----

static void uris_stay_beside_the_file(void** state)
{
    (void)state;
    static const struct
    {
        const char* uri;
        const char* path; // null: refused
    } cases[] = {
        {"a.bin", "dir/sub/a.bin"},
        {"b/a.bin", "dir/sub/b/a.bin"},
        {"./a.bin", "dir/sub/./a.bin"},
        {"b/../a.bin", "dir/sub/b/../a.bin"},
        {"two%20words%C3%A9.bin", "dir/sub/two words\xC3\xA9.bin"},
        {"a%25b", "dir/sub/a%b"},
        {"../a.bin", NULL},
        {"b/../../a.bin", NULL},
        {"%2e%2e/a.bin", NULL},
        {"b/..%2F..%2Fa.bin", NULL},
        {"/etc/passwd", NULL},
        {"%2Fetc/passwd", NULL},
        {"//host/share", NULL},
        {"http://example.com/a.bin", NULL},
        {"file:///etc/passwd", NULL},
        {"C:/a.bin", NULL},
        {"C%3A/a.bin", NULL},
        {"b\\..\\..\\a.bin", NULL},
        {"a%00.bin", NULL},
        {"a%0A.bin", NULL},
        {"a%2", NULL},
        {"a%GG", NULL},
        {"", NULL},
        {".", NULL},
        {"b/..", NULL},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; ++i)
    {
        char* path = NULL;
        size_t size = 0;
        const rblResult result =
            rbl_gltf_resolve(cases[i].uri, "dir/sub/x.gltf", rbl_default_allocator(), &path, &size);
        if ((result == RBL_OK) != (cases[i].path != NULL) ||
            (path != NULL && strcmp(path, cases[i].path) != 0))
        {
            fail_msg("\"%s\": %s", cases[i].uri, path != NULL ? path : "refused");
        }
        rbl_free(rbl_default_allocator(), path, size);
    }
    char* path;
    size_t size;
    check_ok(rbl_gltf_resolve("a.bin", "x.gltf", rbl_default_allocator(), &path, &size));
    assert_string_equal(path, "a.bin");
    rbl_free(rbl_default_allocator(), path, size);
    assert_int_equal(rbl_bytes_in_use(), 0);
}

static void external_buffers_are_found_beside_the_file(void** state)
{
    (void)state;
    rblSource source = glb_source((const uint8_t*)external, sizeof external - 1);
    rblMesh* mesh;
    check_fails(RBL_ERROR_UNSUPPORTED, glb_read_with(rbl_read_gltf, &source, &mesh)); // from memory
    source.path = "./test_glb.gltf";
    remove("test_glb buffer.bin");
    check_fails(RBL_ERROR_FILE, glb_read_with(rbl_read_gltf, &source, &mesh));
    assert_non_null(strstr(rbl_last_error(), "buffers[0].uri: ./test_glb buffer.bin"));
    write_buffer(36);
    check_ok(glb_read_with(rbl_read_gltf, &source, &mesh));
    check_unit_triangle(mesh);
    source.max_bytes = 35;
    check_fails(RBL_ERROR_LIMIT, glb_read_with(rbl_read_gltf, &source, &mesh));
    source.max_bytes = 1 << 20;
    write_buffer(35);
    check_fails(RBL_ERROR_FORMAT, glb_read_with(rbl_read_gltf, &source, &mesh));
    assert_non_null(strstr(rbl_last_error(), "36 bytes are needed, but there are only 35"));
    remove("test_glb buffer.bin");
    assert_int_equal(rbl_bytes_in_use(), 0);
}

// ---- nodes ----

static void transforms_compose_down_the_tree(void** state)
{
    (void)state;
    rblMesh* mesh;
    // Scale by (2, 3, 4), then a quarter turn about z (x to y), then move by (10, 0, 0); then moved again by the parent.
    check_ok(read_triangle(NODES_BEFORE SCENE
                           ",'nodes':[{'children':[1],'translation':[0,0,5]},{'mesh':0,'scale':[2,3,"
                           "4],'rotation':[0,0,0.7071067811865476,0.7071067811865476],"
                           "'translation':[10,0,0]}]}",
                           &mesh));
    check_position(mesh, 0, 10, 0, 5);
    check_position(mesh, 1, 10, 2, 5);
    check_position(mesh, 2, 4, 0, 5);
    rbl_mesh_free(mesh);
    // The same as one matrix, column by column.
    check_ok(read_triangle(NODES_BEFORE "'nodes':[{'mesh':0,'matrix':[0,2,0,0,-3,0,0,0,0,0,4,0,10,0,5,1]}]}",
                           &mesh));
    check_position(mesh, 0, 10, 0, 5);
    check_position(mesh, 1, 10, 2, 5);
    check_position(mesh, 2, 4, 0, 5);
    rbl_mesh_free(mesh);
    // A rotation need not be unit.
    check_ok(read_triangle(NODES_BEFORE "'nodes':[{'mesh':0,'rotation':[0,0,3,3]}]}", &mesh));
    check_position(mesh, 1, 0, 1, 0);
    check_position(mesh, 2, -2, 0, 0);
    rbl_mesh_free(mesh);
}

static void mirroring_turns_faces_over_and_normals_follow(void** state)
{
    (void)state;
    rblMesh* mesh;
    static const float data[18] = {0, 0, 0, 1, 0, 0, 0, 2, 0, 0, 0, 1, 0, 0, 1, 0, 0, 1};
    const char* json =
        "{" ASSET ",'buffers':[{'byteLength':72}],'bufferViews':[{'buffer':0,'byteLength':36},{'buffer':0,"
        "'byteOffset':36,'byteLength':36}],'accessors':[" POSITIONS ",{'bufferView':1,'componentType':5126,"
        "'count':3,'type':'VEC3'}],'meshes':[{'primitives':[{'attributes':{'POSITION':0,'NORMAL':1}}]}],"
        "'nodes':[{'mesh':0,'scale':[-3,1,2]},{'mesh':0,'scale':[1,1,-2]}]}";
    check_ok(glb_read(json, data, sizeof data, &mesh));
    const rblMeshView* view = rbl_mesh_get_view(mesh);
    assert_int_equal(view->face_count, 2);
    // Mirrored in x the triangle still faces +z; mirrored in z it faces -z.
    for (uint32_t f = 0; f < 2; ++f)
    {
        const double side = f == 0 ? 1.0 : -1.0;
        assert_true(rbl_face_normal_area2(view, f).z * side > 0);
        for (uint32_t c = 3 * f; c < 3 * f + 3; ++c)
        {
            check_close(view->layers[0].data[3 * c + 2], side, 1e-6);
        }
    }
    rbl_mesh_free(mesh);
}

static void normals_follow_uneven_scaling(void** state)
{
    (void)state;
    // A slope at 45 degrees, stretched: the normal must stay across the face.
    static const float h = 0.70710678f;
    const float data[18] = {0, 0, 0, 1, -1, 0, 0, 0, -1, h, h, 0, h, h, 0, h, h, 0};
    rblMesh* mesh;
    check_ok(glb_read(
        "{" ASSET ",'buffers':[{'byteLength':72}],'bufferViews':[{'buffer':0,'byteLength':36},{'buffer':0,"
        "'byteOffset':36,'byteLength':36}],'accessors':[" POSITIONS ",{'bufferView':1,'componentType':5126,"
        "'count':3,'type':'VEC3'}],'meshes':[{'primitives':[{'attributes':{'POSITION':0,'NORMAL':1}}]}],"
        "'nodes':[{'mesh':0,'scale':[3,1,1],'rotation':[0,0,0.6,0.8]}]}",
        data, sizeof data, &mesh));
    const rblMeshView* view = rbl_mesh_get_view(mesh);
    const rblVec3d across = rbl_face_normal_area2(view, 0);
    const double length = sqrt(across.x * across.x + across.y * across.y + across.z * across.z);
    for (uint32_t c = 0; c < 3; ++c)
    {
        const float* n = view->layers[0].data + 3 * c;
        check_close((double)n[0] * across.x + (double)n[1] * across.y + (double)n[2] * across.z, length,
                    1e-6 * length);
    }
    rbl_mesh_free(mesh);
}

static void names_become_groups_and_materials(void** state)
{
    (void)state;
    rblMesh* mesh;
    check_ok(read_triangle(
        "{" ASSET "," TRIANGLE_BUFFER ",'accessors':[" POSITIONS
        "],'materials':[{},{'name':'stone'}],'meshes':[{'name':'wedge','primitives':[{'attributes':{"
        "'POSITION':0},'material':1},{'attributes':{'POSITION':0},'material':0},{'attributes':{"
        "'POSITION':0}}]}],'nodes':[{'mesh':0,'name':'le\\nft'},{'mesh':0,'translation':[9,0,0]}]}",
        &mesh));
    const rblMeshView* view = rbl_mesh_get_view(mesh);
    assert_int_equal(view->face_count, 6);
    assert_int_equal(view->group_count, 2);
    assert_string_equal(view->group_names[0], "le ft"); // what would break a line of text becomes a blank
    assert_string_equal(view->group_names[1], "wedge");
    assert_int_equal(view->material_count, 3);
    static const char* const materials[3] = {"stone", "material 0", "default"};
    for (uint32_t f = 0; f < 6; ++f)
    {
        assert_int_equal(view->face_groups[f], f / 3);
        assert_int_equal(view->face_origins[f], f);
        assert_string_equal(view->material_names[view->face_materials[f]], materials[f % 3]);
    }
    rbl_mesh_free(mesh);
}

static void only_the_default_scene_is_shown(void** state)
{
    (void)state;
    rblMesh* mesh;
    check_ok(read_triangle(NODES_BEFORE
                           "'scene':1,'scenes':[{'nodes':[0,1]},{'nodes':[2]}],'nodes':[{'mesh':0},{"
                           "'mesh':0},{'mesh':0,'translation':[7,0,0]}]}",
                           &mesh));
    assert_int_equal(rbl_mesh_get_view(mesh)->face_count, 1);
    check_position(mesh, 0, 7, 0, 0);
    rbl_mesh_free(mesh);
    check_ok(
        read_triangle(NODES_BEFORE "'nodes':[{'mesh':0},{'children':[0,2]},{'mesh':0},{'mesh':0}]}", &mesh));
    assert_int_equal(rbl_mesh_get_view(mesh)->face_count, 3);
    rbl_mesh_free(mesh);
}

// A chain of nodes, each the child of the one before, the last with the mesh.
static void write_chain(rblCharArray* text, uint32_t count)
{
    static const char head[] =
        "{" ASSET "," TRIANGLE_BUFFER ",'accessors':[" POSITIONS "]," MESH "," SCENE ",'nodes':[";
    char node[64];
    for (const char* c = head; *c != '\0'; ++c)
    {
        assert_true(rbl_array_push(text, *c));
    }
    for (uint32_t i = 0; i < count; ++i)
    {
        snprintf(node, sizeof node,
                 i + 1 < count ? "{'children':[%u],'translation':[0,1,0]}," : "{'mesh':0}]}", i + 1);
        for (const char* c = node; *c != '\0'; ++c)
        {
            assert_true(rbl_array_push(text, *c));
        }
    }
    assert_true(rbl_array_push(text, '\0'));
}

static void deep_chains_of_nodes_need_no_stack(void** state)
{
    (void)state;
    enum
    {
        DEPTH = 100000
    };
    rblCharArray text;
    rbl_array_init(&text, rbl_default_allocator());
    write_chain(&text, DEPTH);
    rblMesh* mesh;
    check_ok(read_triangle(text.data, &mesh));
    check_position(mesh, 1, 1, DEPTH - 1, 0);
    rbl_mesh_free(mesh);
    rbl_array_free(&text);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_index_type_gives_the_same_triangle),
        cmocka_unit_test(integer_positions_and_normalisation_follow_the_formulas),
        cmocka_unit_test(interleaved_attributes_are_taken_apart),
        cmocka_unit_test(sparse_accessors_replace_elements),
        cmocka_unit_test(strips_and_fans_keep_one_orientation),
        cmocka_unit_test(strip_jumps_are_left_out),
        cmocka_unit_test(points_and_lines_are_skipped_with_a_word),
        cmocka_unit_test(skins_and_morph_targets_are_left_out_with_one_word_each),
        cmocka_unit_test(data_uris_hold_buffers),
        cmocka_unit_test(base64_takes_what_the_rfc_allows),
        cmocka_unit_test(uris_stay_beside_the_file),
        cmocka_unit_test(external_buffers_are_found_beside_the_file),
        cmocka_unit_test(transforms_compose_down_the_tree),
        cmocka_unit_test(mirroring_turns_faces_over_and_normals_follow),
        cmocka_unit_test(normals_follow_uneven_scaling),
        cmocka_unit_test(names_become_groups_and_materials),
        cmocka_unit_test(only_the_default_scene_is_shown),
        cmocka_unit_test(deep_chains_of_nodes_need_no_stack),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
