// Reading glTF: welding, and what is filled in where files leave it out.
#include "testing.h"

#include "base/random.h"
#include "glb_files.h"
#include "mesh/topology.h"
#include <stdio.h>

// A cube as renderers like it: four vertices a side, each with the side's normal.
static void fill_cube(float positions[72], float normals[72], uint16_t indices[36])
{
    for (int side = 0; side < 6; ++side)
    {
        const int axis = side / 2;
        const float sign = side % 2 == 0 ? -1.0f : 1.0f;
        for (int corner = 0; corner < 4; ++corner)
        {
            float* p = positions + 12 * side + 3 * corner;
            float* n = normals + 12 * side + 3 * corner;
            const int turn = side % 2 == 0 ? 3 - corner : corner;
            p[axis] = sign;
            p[(axis + 1) % 3] = turn == 1 || turn == 2 ? 1.0f : -1.0f;
            p[(axis + 2) % 3] = turn >= 2 ? 1.0f : -1.0f;
            n[0] = n[1] = n[2] = 0.0f;
            n[axis] = sign;
        }
        const uint16_t order[6] = {0, 1, 2, 0, 2, 3};
        for (int i = 0; i < 6; ++i)
        {
            indices[6 * side + i] = (uint16_t)(4 * side + order[i]);
        }
    }
}

static void check_closed_cube(const rblMesh* mesh)
{
    const rblMeshView* view = rbl_mesh_get_view(mesh);
    rblTopology topology;
    assert_int_equal(view->vertex_count, 8);
    assert_int_equal(view->face_count, 12);
    check_ok(rbl_topology_init(&topology, view, rbl_default_allocator()));
    double volume6 = 0.0;
    for (uint32_t c = 0; c < view->corner_count; ++c)
    {
        assert_true(rbl_has_twin(&topology, c) && !rbl_same_direction(&topology, c));
    }
    for (uint32_t f = 0; f < view->face_count; ++f)
    {
        const rblVec3d p = view->positions[view->corner_vertices[3 * f]];
        const rblVec3d n = rbl_face_normal_area2(view, f);
        volume6 += p.x * n.x + p.y * n.y + p.z * n.z;
    }
    check_close(volume6 / 6.0, 8.0, 1e-12);
    rbl_topology_free(&topology);
}

static void a_cube_split_for_normals_and_materials_comes_back_closed(void** state)
{
    (void)state;
    struct
    {
        float positions[72];
        float normals[72];
        uint16_t indices[36];
    } data;
    fill_cube(data.positions, data.normals, data.indices);
    data.positions[0] = data.positions[0] == 0.0f ? -0.0f : data.positions[0];
    // Two primitives: the first 18 indices, and the last 18.
    static const char json[] = "{" ASSET ",'buffers':[{'byteLength':648}],'bufferViews':[{'buffer':0,'"
                               "byteLength':288},{'buffer':0,'byteOffset':288,"
                               "'byteLength':288},{'buffer':0,'byteOffset':576,'byteLength':72}],'accessors':"
                               "[{'bufferView':0,'componentType':5126,"
                               "'count':24,'type':'VEC3'},{'bufferView':1,'componentType':5126,'count':24,'"
                               "type':'VEC3'},{'bufferView':2,"
                               "'componentType':5123,'count':18,'type':'SCALAR'},{'bufferView':2,'byteOffset'"
                               ":36,'componentType':5123,'count':18,"
                               "'type':'SCALAR'}],'meshes':[{'primitives':[{'attributes':{'POSITION':0,'"
                               "NORMAL':1},'indices':2},{'attributes':{"
                               "'POSITION':0,'NORMAL':1},'indices':3}]}]}";
    rblMesh* mesh;
    check_ok(glb_read(json, &data, sizeof data, &mesh));
    check_closed_cube(mesh);
    const rblMeshView* view = rbl_mesh_get_view(mesh);
    for (uint32_t c = 0; c < view->corner_count; ++c) // seams survive in the corners
    {
        assert_memory_equal(view->layers[0].data + 3 * c, data.normals + 3 * data.indices[c], 12);
    }
    rbl_mesh_free(mesh);
}

static void zero_is_zero_whatever_its_sign(void** state)
{
    (void)state;
    static const float data[18] = {0, 0, 0, 1, 0, 0, 0, 1, 0, -0.0f, 0, 0, 0, 1, -0.0f, 1, 1, 0};
    rblMesh* mesh;
    check_ok(glb_read(
        "{" ASSET ",'buffers':[{'byteLength':72}],'bufferViews':[{'buffer':0,'byteLength':72}],'accessors':["
        "{'bufferView':0,'componentType':5126,'count':6,'type':'VEC3'}]," MESH "}",
        data, sizeof data, &mesh));
    assert_int_equal(rbl_mesh_get_view(mesh)->vertex_count, 4);
    rbl_mesh_free(mesh);
}

static void welding_equals_brute_force(void** state)
{
    (void)state;
    rblRandom random = rbl_random_seed(41, 0);
    for (int round = 0; round < 100; ++round)
    {
        float data[300];
        const uint32_t range = 2 + rbl_random_below(&random, 5);
        const uint32_t vertices = 3 * (1 + rbl_random_below(&random, 33));
        uint32_t distinct = 0;
        char json[512];
        for (uint32_t i = 0; i < 3 * vertices; ++i)
        {
            data[i] = (float)rbl_random_below(&random, range);
        }
        for (uint32_t i = 0; i < vertices; ++i)
        {
            uint32_t twin = 0;
            while (memcmp(data + 3 * twin, data + 3 * i, 12) != 0)
            {
                twin += 1;
            }
            distinct += twin == i;
        }
        snprintf(json, sizeof json,
                 "{" ASSET
                 ",'buffers':[{'byteLength':%u}],'bufferViews':[{'buffer':0,'byteLength':%u}],'accessors':[{"
                 "'bufferView':0,'componentType':5126,'count':%u,'type':'VEC3'}]," MESH "}",
                 12 * vertices, 12 * vertices, vertices);
        rblMesh* mesh;
        check_ok(glb_read(json, data, 12 * vertices, &mesh));
        const rblMeshView* view = rbl_mesh_get_view(mesh);
        assert_int_equal(view->vertex_count, distinct);
        for (uint32_t c = 0; c < vertices; ++c)
        {
            check_position(mesh, c, (double)data[3 * c], (double)data[3 * c + 1], (double)data[3 * c + 2]);
        }
        rbl_mesh_free(mesh);
    }
}

// ---- what is missing is filled ----

static void primitives_without_an_attribute_get_its_default(void** state)
{
    (void)state;
    rblMesh* mesh;
    check_ok(read_triangle(
        "{" ASSET "," TRIANGLE_BUFFER ",'accessors':[" POSITIONS ",{'bufferView':0,'componentType':5126,"
        "'count':3,'type':'VEC2'}],'meshes':[{'primitives':[{'attributes':{'POSITION':0}},{'attributes'"
        ":{'POSITION':0,'NORMAL':0,'TEXCOORD_0':1,'TEXCOORD_1':1,'TEXCOORD_3':1,'COLOR_0':0}}]}]}",
        &mesh));
    const rblMeshView* view = rbl_mesh_get_view(mesh);
    assert_int_equal(view->layer_count, 4); // TEXCOORD_3 stands after a gap
    static const float normal[3] = {0, 0, 1};
    static const float uv[2] = {0, 0};
    static const float white[4] = {1, 1, 1, 1};
    for (uint32_t c = 0; c < 3; ++c)
    {
        assert_memory_equal(view->layers[0].data + 3 * c, normal, sizeof normal);
        assert_memory_equal(view->layers[1].data + 2 * c, uv, sizeof uv);
        assert_memory_equal(view->layers[3].data + 4 * c, white, sizeof white);
    }
    // The second primitive's normals are (0,0,0), (1,0,0), (0,2,0): replaced, kept, made unit.
    static const float mended[9] = {0, 0, 1, 1, 0, 0, 0, 1, 0};
    assert_memory_equal(view->layers[0].data + 9, mended, sizeof mended);
    rbl_mesh_free(mesh);
}

static void positions_that_are_not_finite_are_refused_or_kept_as_asked(void** state)
{
    (void)state;
    Triangle bad = triangle;
    bad.positions[4] = NAN;
    const GlbFile file = glb_file(plain_triangle, &bad, sizeof bad);
    rblSource source = glb_source(file.bytes, file.size);
    rblMesh* mesh;
    check_fails(RBL_ERROR_FORMAT, glb_read_with(rbl_read_glb, &source, &mesh));
    assert_non_null(
        strstr(rbl_last_error(), "meshes[0].primitives[0].attributes.POSITION: position 1 is not finite"));
    source.keep_non_finite = true;
    check_ok(glb_read_with(rbl_read_glb, &source, &mesh));
    const rblMeshView* view = rbl_mesh_get_view(mesh);
    assert_true(isnan(view->positions[view->corner_vertices[1]].y));
    rbl_mesh_free(mesh);
    free(file.bytes);
}

static void attributes_that_are_not_finite_are_refused_or_zeroed_as_asked(void** state)
{
    (void)state;
    struct
    {
        Triangle triangle;
        float uvs[6];
    } data = {triangle, {0, 0, INFINITY, 0.5f, 0, 0}};
    const GlbFile file =
        glb_file("{" ASSET ",'buffers':[{'byteLength':84}],'bufferViews':[{'buffer':0,'byteLength':36},{"
                 "'buffer':0,'byteOffset':60,'byteLength':24}],'accessors':[" POSITIONS
                 ",{'bufferView':1,'componentType':5126,'count':3,'type':'VEC2'}],'meshes':[{"
                 "'primitives':[{'attributes':{'POSITION':0,'TEXCOORD_0':1}}]}]}",
                 &data, sizeof data);
    rblSource source = glb_source(file.bytes, file.size);
    rblMesh* mesh;
    check_fails(RBL_ERROR_FORMAT, glb_read_with(rbl_read_glb, &source, &mesh));
    assert_non_null(
        strstr(rbl_last_error(), "meshes[0].primitives[0]: an attribute of vertex 1 is not finite"));
    source.keep_non_finite = true;
    check_ok(glb_read_with(rbl_read_glb, &source, &mesh));
    static const float expected[6] = {0, 1, 0, 0.5f, 0, 1};
    assert_memory_equal(rbl_mesh_get_view(mesh)->layers[0].data, expected, sizeof expected);
    rbl_mesh_free(mesh);
    free(file.bytes);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_cube_split_for_normals_and_materials_comes_back_closed),
        cmocka_unit_test(zero_is_zero_whatever_its_sign),
        cmocka_unit_test(welding_equals_brute_force),
        cmocka_unit_test(primitives_without_an_attribute_get_its_default),
        cmocka_unit_test(positions_that_are_not_finite_are_refused_or_kept_as_asked),
        cmocka_unit_test(attributes_that_are_not_finite_are_refused_or_zeroed_as_asked),
    };
    return cmocka_run_group_tests_name("glb_weld", tests, NULL, NULL);
}
