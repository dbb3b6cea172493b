// Writing GLB: what is written reads back as it was, closed meshes stay closed, and the container is as the format asks.
#include "glb_files.h"
#include "testing.h"

#include "base/random.h"
#include "failing_allocator.h"
#include "io/gltf/glb_builder.h"
#include "mesh/topology.h"

// A mesh as bytes of a GLB file, to be freed with rbl_writer_discard().
static rblWriter write_mesh(const rblMesh* mesh)
{
    const rblSaveOptions options = {.format = RBL_FORMAT_GLB};
    rblWriter writer;
    check_ok(rbl_writer_open_memory(&writer, rbl_default_allocator()));
    check_ok(rbl_write_glb(rbl_mesh_get_view(mesh), &options, &writer));
    check_ok(rbl_writer_close(&writer));
    return writer;
}

static rblMesh* write_and_read(const rblMesh* mesh)
{
    rblWriter writer = write_mesh(mesh);
    const rblSource source = glb_source((const uint8_t*)writer.buffer, writer.size);
    rblMesh* read;
    check_ok(glb_read_with(rbl_read_glb, &source, &read));
    rbl_writer_discard(&writer);
    return read;
}

static void add_quad(rblMeshBuilder* builder, const uint32_t v[4], uint32_t material)
{
    for (int i = 0; i < 4; ++i)
    {
        rbl_mesh_builder_corner(builder, v[i]);
    }
    rbl_mesh_builder_face(builder, material, 0, 0);
}

// A box of quads from `lower` to `upper`, two materials, no attributes.
static rblMesh* make_box(rblVec3d lower, rblVec3d upper)
{
    static const uint32_t sides[6][4] = {{0, 4, 6, 2}, {1, 3, 7, 5}, {0, 1, 5, 4},
                                         {2, 6, 7, 3}, {0, 2, 3, 1}, {4, 5, 7, 6}};
    rblMeshBuilder builder;
    rblMesh* mesh;
    rbl_mesh_builder_init(&builder, rbl_default_allocator());
    rbl_mesh_builder_material(&builder, "stone");
    rbl_mesh_builder_material(&builder, "never used");
    rbl_mesh_builder_material(&builder, "moss \"green\"");
    rbl_mesh_builder_group(&builder, "box");
    for (uint32_t v = 0; v < 8; ++v)
    {
        rbl_mesh_builder_vertex(&builder,
                                (rblVec3d){(v & 1) != 0 ? upper.x : lower.x, (v & 2) != 0 ? upper.y : lower.y,
                                           (v & 4) != 0 ? upper.z : lower.z});
    }
    for (uint32_t f = 0; f < 6; ++f)
    {
        add_quad(&builder, sides[f], f == 3 ? 2 : 0);
    }
    check_ok(rbl_mesh_builder_finish(&builder, &mesh));
    return mesh;
}

static void check_closed(const rblMeshView* view)
{
    rblTopology topology;
    check_ok(rbl_topology_init(&topology, view, rbl_default_allocator()));
    for (uint32_t c = 0; c < view->corner_count; ++c)
    {
        assert_true(rbl_has_twin(&topology, c) && !rbl_same_direction(&topology, c));
    }
    rbl_topology_free(&topology);
}

static void a_box_of_two_materials_comes_back_closed(void** state)
{
    (void)state;
    rblMesh* box = make_box((rblVec3d){-1, -2, -3}, (rblVec3d){1, 2, 3});
    rblMesh* read = write_and_read(box);
    const rblMeshView* view = rbl_mesh_get_view(read);
    assert_int_equal(view->vertex_count, 8);
    assert_int_equal(view->face_count, 12);
    check_closed(view);
    assert_int_equal(view->material_count, 2);
    assert_string_equal(view->material_names[0], "stone");
    assert_string_equal(view->material_names[1], "moss \"green\"");
    assert_int_equal(view->group_count, 1);
    assert_string_equal(view->group_names[0], "box");
    for (uint32_t f = 0; f < 12; ++f)
    {
        assert_int_equal(view->face_materials[f], f < 10 ? 0 : 1);
        const rblVec3d n = rbl_face_normal_area2(view, f);
        const double length = sqrt(n.x * n.x + n.y * n.y + n.z * n.z);
        for (uint32_t c = 3 * f; c < 3 * f + 3; ++c) // flat normals were made
        {
            const float* written = view->layers[0].data + 3 * c;
            check_close(n.x * (double)written[0] + n.y * (double)written[1] + n.z * (double)written[2],
                        length, 1e-6);
        }
    }
    rbl_mesh_free(read);
    rbl_mesh_free(box);
}

// Random triangles over a few points with every kind of attribute, three materials.
static rblMesh* make_random(uint32_t seed, uint32_t triangles, uint32_t uv_sets, uint32_t color_sets,
                            bool normals)
{
    rblRandom random = rbl_random_seed(seed, 3);
    rblMeshBuilder builder;
    rblMesh* mesh;
    rbl_mesh_builder_init(&builder, rbl_default_allocator());
    for (uint32_t i = 0; i < (uint32_t)normals + uv_sets + color_sets; ++i)
    {
        const rblLayerKind kind = i < (uint32_t)normals ? RBL_LAYER_NORMAL : RBL_LAYER_UV;
        rbl_mesh_builder_layer(&builder, i < (uint32_t)normals + uv_sets ? kind : RBL_LAYER_COLOR);
    }
    rbl_mesh_builder_material(&builder, "a");
    rbl_mesh_builder_material(&builder, "b");
    rbl_mesh_builder_material(&builder, "c");
    for (uint32_t v = 0; v < 20; ++v)
    {
        // Distinct: points at the same place would be welded by the reader.
        rbl_mesh_builder_vertex(
            &builder, (rblVec3d){v, (double)rbl_random_float(&random), (double)rbl_random_float(&random)});
    }
    for (uint32_t t = 0; t < triangles; ++t)
    {
        const uint32_t first = rbl_random_below(&random, 18);
        for (uint32_t i = 0; i < 3; ++i)
        {
            const uint32_t corner = rbl_mesh_builder_corner(&builder, first + i);
            for (uint32_t l = 0; l < builder.layers.count; ++l)
            {
                float values[4];
                for (int k = 0; k < 4; ++k) // few different values, so that some vertices are shared
                {
                    values[k] = (float)rbl_random_below(&random, 3) * 0.375f;
                }
                if (builder.layers.data[l].kind == RBL_LAYER_NORMAL)
                {
                    const uint32_t axis = rbl_random_below(&random, 3);
                    values[0] = values[1] = values[2] = 0.0f;
                    values[axis] = 1.0f;
                }
                rbl_mesh_builder_set(&builder, l, corner, values);
            }
        }
        rbl_mesh_builder_face(&builder, rbl_random_below(&random, 3), 0, t);
    }
    check_ok(rbl_mesh_builder_finish(&builder, &mesh));
    return mesh;
}

// Triangles come back sorted by material, otherwise in order, with the same bits everywhere.
static void check_same_triangles(const rblMeshView* written, const rblMeshView* read)
{
    assert_int_equal(read->face_count, written->face_count);
    assert_int_equal(read->layer_count, written->layer_count);
    uint32_t next = 0;
    for (uint32_t material = 0; material < 3; ++material)
    {
        for (uint32_t f = 0; f < written->face_count; ++f)
        {
            if (written->face_materials[f] != material)
            {
                continue;
            }
            assert_string_equal(read->material_names[read->face_materials[next]],
                                written->material_names[material]);
            for (uint32_t i = 0; i < 3; ++i)
            {
                const uint32_t a = 3 * f + i;
                const uint32_t b = 3 * next + i;
                assert_memory_equal(&written->positions[written->corner_vertices[a]],
                                    &read->positions[read->corner_vertices[b]], sizeof(rblVec3d));
                for (uint32_t l = 0; l < written->layer_count; ++l)
                {
                    const uint32_t n = written->layers[l].components;
                    assert_int_equal(written->layers[l].kind, read->layers[l].kind);
                    assert_memory_equal(written->layers[l].data + a * n, read->layers[l].data + b * n, 4 * n);
                }
            }
            next += 1;
        }
    }
    assert_int_equal(next, written->face_count);
}

static void every_attribute_survives_the_round_trip(void** state)
{
    (void)state;
    for (uint32_t seed = 0; seed < 40; ++seed)
    {
        rblMesh* mesh = make_random(seed, 1 + seed * 5, seed % 4, seed / 4 % 3, true);
        rblMesh* read = write_and_read(mesh);
        check_same_triangles(rbl_mesh_get_view(mesh), rbl_mesh_get_view(read));
        rbl_mesh_free(read);
        rbl_mesh_free(mesh);
    }
}

static void equal_vertices_are_written_once(void** state)
{
    (void)state;
    // A strip of 100 triangles in a plane, smooth: as many vertices as points.
    rblMeshBuilder builder;
    rblMesh* mesh;
    rbl_mesh_builder_init(&builder, rbl_default_allocator());
    for (uint32_t v = 0; v < 102; ++v)
    {
        rbl_mesh_builder_vertex(&builder, (rblVec3d){v / 2, v % 2, 0});
    }
    for (uint32_t t = 0; t < 100; ++t)
    {
        rbl_mesh_builder_corner(&builder, t);
        rbl_mesh_builder_corner(&builder, t + 1 + (t & 1));
        rbl_mesh_builder_corner(&builder, t + 2 - (t & 1));
        rbl_mesh_builder_face(&builder, 0, 0, t);
    }
    check_ok(rbl_mesh_builder_finish(&builder, &mesh));
    rblWriter writer = write_mesh(mesh);
    // 102 vertices of 24 bytes and 300 short indices; the rest is JSON.
    assert_in_range(writer.size, 102 * 24 + 600, 102 * 24 + 600 + 1100);
    rbl_writer_discard(&writer);
    rbl_mesh_free(mesh);
}

static void far_from_the_origin_positions_keep_their_digits(void** state)
{
    (void)state;
    // A box of 10 cm at 6,400 km: 32-bit positions would be wrong by half a metre.
    const rblVec3d lower = {6.4e6 + 0.125, -1.0, 1e9};
    const rblVec3d upper = {6.4e6 + 0.225, 1.0, 1e9 + 4096.0};
    rblMesh* box = make_box(lower, upper);
    rblMesh* read = write_and_read(box);
    const rblMeshView* view = rbl_mesh_get_view(read);
    assert_int_equal(view->vertex_count, 8);
    for (uint32_t v = 0; v < 8; ++v)
    {
        const rblVec3d p = view->positions[v];
        const double x = fabs(p.x - lower.x) < fabs(p.x - upper.x) ? lower.x : upper.x;
        check_close(p.x, x, 1e-7);
        check_close(fabs(p.y), 1.0, 0.0);
        assert_true(p.z == lower.z || p.z == upper.z);
    }
    rbl_mesh_free(read);
    rbl_mesh_free(box);
}

static void more_than_65535_vertices_get_wide_indices(void** state)
{
    (void)state;
    enum
    {
        ROW = 300
    };
    rblMeshBuilder builder;
    rblMesh* mesh;
    rbl_mesh_builder_init(&builder, rbl_default_allocator());
    for (uint32_t v = 0; v < ROW * ROW; ++v)
    {
        rbl_mesh_builder_vertex(&builder, (rblVec3d){v % ROW, v / ROW, 0});
    }
    for (uint32_t y = 0; y + 1 < ROW; ++y)
    {
        for (uint32_t x = 0; x + 1 < ROW; ++x)
        {
            const uint32_t v = y * ROW + x;
            add_quad(&builder, (uint32_t[4]){v, v + 1, v + ROW + 1, v + ROW}, 0);
        }
    }
    check_ok(rbl_mesh_builder_finish(&builder, &mesh));
    rblMesh* read = write_and_read(mesh);
    const rblMeshView* view = rbl_mesh_get_view(read);
    assert_int_equal(view->vertex_count, ROW * ROW);
    assert_int_equal(view->face_count, 2 * (ROW - 1) * (ROW - 1));
    assert_int_equal(view->material_count, 0); // none were named
    for (uint32_t f = 0; f < view->face_count; ++f)
    {
        check_close(rbl_face_normal_area2(view, f).z, 1.0, 0.0);
    }
    rbl_mesh_free(read);
    rbl_mesh_free(mesh);
}

// A fan of many thin triangles with a normal each: the vertices at the hub never match, and it must not take for ever.
static void a_hub_of_many_normals_stays_cheap(void** state)
{
    (void)state;
    enum
    {
        SPOKES = 60000
    };
    rblMeshBuilder builder;
    rblMesh* mesh;
    rbl_mesh_builder_init(&builder, rbl_default_allocator());
    rbl_mesh_builder_vertex(&builder, (rblVec3d){0, 1, 0});
    for (uint32_t i = 0; i <= SPOKES; ++i)
    {
        const double angle = 6.0 * i / SPOKES;
        rbl_mesh_builder_vertex(&builder, (rblVec3d){cos(angle), 0, sin(angle)});
    }
    for (uint32_t i = 0; i < SPOKES; ++i)
    {
        rbl_mesh_builder_corner(&builder, 0);
        rbl_mesh_builder_corner(&builder, i + 2);
        rbl_mesh_builder_corner(&builder, i + 1);
        rbl_mesh_builder_face(&builder, 0, 0, i);
    }
    check_ok(rbl_mesh_builder_finish(&builder, &mesh));
    rblMesh* read = write_and_read(mesh);
    assert_int_equal(rbl_mesh_get_view(read)->vertex_count, SPOKES + 2);
    rbl_mesh_free(read);
    rbl_mesh_free(mesh);
}

static void degenerate_faces_still_get_a_unit_normal(void** state)
{
    (void)state;
    rblMeshBuilder builder;
    rblMesh* mesh;
    rbl_mesh_builder_init(&builder, rbl_default_allocator());
    rbl_mesh_builder_layer(&builder, RBL_LAYER_NORMAL); // zero
    for (uint32_t i = 0; i < 3; ++i)
    {
        rbl_mesh_builder_corner(&builder, rbl_mesh_builder_vertex(&builder, (rblVec3d){i, 0, 0}));
    }
    rbl_mesh_builder_face(&builder, 0, 0, 0);
    check_ok(rbl_mesh_builder_finish(&builder, &mesh));
    rblMesh* read = write_and_read(mesh);
    static const float up[3] = {0, 1, 0};
    assert_memory_equal(rbl_mesh_get_view(read)->layers[0].data, up, sizeof up);
    rbl_mesh_free(read);
    rbl_mesh_free(mesh);
}

static void positions_that_32_bits_cannot_hold_are_refused(void** state)
{
    (void)state;
    static const double wrong[] = {1e39, (double)NAN, (double)INFINITY};
    const rblSaveOptions options = {.format = RBL_FORMAT_GLB};
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; ++i)
    {
        rblMesh* box = make_box((rblVec3d){0, 0, 0}, (rblVec3d){1, wrong[i], 1});
        rblWriter writer;
        check_ok(rbl_writer_open_memory(&writer, rbl_default_allocator()));
        check_fails(RBL_ERROR_GEOMETRY, rbl_write_glb(rbl_mesh_get_view(box), &options, &writer));
        rbl_writer_discard(&writer);
        rbl_mesh_free(box);
    }
}

static void the_container_is_padded_and_counted(void** state)
{
    (void)state;
    rblMesh* mesh = make_random(7, 5, 1, 1, true);
    rblWriter writer = write_mesh(mesh);
    const uint8_t* p = (const uint8_t*)writer.buffer;
    assert_memory_equal(p, "glTF\x02\0\0\0", 8);
    uint32_t sizes[3]; // of the file, the JSON chunk, the BIN chunk
    memcpy(&sizes[0], p + 8, 4);
    memcpy(&sizes[1], p + 12, 4);
    assert_int_equal(sizes[0], writer.size);
    assert_int_equal(sizes[1] % 4, 0);
    assert_memory_equal(p + 16, "JSON{\"asset\":{\"version\":\"2.0\",\"generator\":\"rubble ", 50);
    memcpy(&sizes[2], p + 20 + sizes[1], 4);
    assert_memory_equal(p + 24 + sizes[1], "BIN", 4);
    assert_int_equal(28 + sizes[1] + sizes[2], writer.size);
    rbl_writer_discard(&writer);
    rbl_mesh_free(mesh);
}

static void count_line(rblLogLevel level, const char* line, void* context)
{
    assert_int_equal(level, RBL_LOG_WARNING);
    assert_true(strncmp(line, "GLB: ", 5) == 0);
    *(int*)context += 1;
}

static void what_the_format_cannot_hold_is_left_out_with_a_word(void** state)
{
    (void)state;
    rblMeshBuilder builder;
    rblMesh* mesh;
    rbl_mesh_builder_init(&builder, rbl_default_allocator());
    rbl_mesh_builder_layer(&builder, RBL_LAYER_NORMAL);
    rbl_mesh_builder_layer(&builder, RBL_LAYER_NORMAL);
    rbl_mesh_builder_layer(&builder, RBL_LAYER_COLOR);
    rbl_mesh_builder_group(&builder, "left");
    rbl_mesh_builder_group(&builder, "right");
    for (uint32_t i = 0; i < 3; ++i)
    {
        const float bright[4] = {7.0f, -1.0f, 0.5f, 1.0f};
        const uint32_t vertex = rbl_mesh_builder_vertex(&builder, (rblVec3d){i == 1, i == 2, 0});
        rbl_mesh_builder_set(&builder, 2, rbl_mesh_builder_corner(&builder, vertex), bright);
    }
    rbl_mesh_builder_face(&builder, 5, 1, 0);
    check_ok(rbl_mesh_builder_finish(&builder, &mesh));
    int lines = 0;
    rbl_set_log(count_line, &lines, RBL_LOG_DEBUG);
    rblMesh* read = write_and_read(mesh);
    rbl_set_log(NULL, NULL, RBL_LOG_DEBUG);
    assert_int_equal(lines, 2);
    const rblMeshView* view = rbl_mesh_get_view(read);
    static const float clamped[4] = {1.0f, 0.0f, 0.5f, 1.0f};
    assert_int_equal(view->layer_count, 2);
    assert_memory_equal(view->layers[1].data, clamped, sizeof clamped);
    assert_int_equal(view->face_materials[0], 0); // unnamed numbers close ranks
    rbl_mesh_free(read);
    rbl_mesh_free(mesh);
}

static void files_are_saved_and_loaded_by_their_ending(void** state)
{
    (void)state;
    rblMeshId box, read;
    rblMeshView view;
    check_ok(rbl_mesh_register(make_box((rblVec3d){0, 0, 0}, (rblVec3d){1, 2, 3}), &box));
    check_ok(rbl_mesh_save(box, "test_glb_write.GLB", NULL));
    check_ok(rbl_mesh_load("test_glb_write.GLB", NULL, &read));
    check_ok(rbl_mesh_view(read, &view));
    assert_int_equal(view.vertex_count, 8);
    check_closed(&view);
    check_fails(RBL_ERROR_UNSUPPORTED, rbl_mesh_save(box, "test_glb_write.gltf", NULL));
    rblLoadOptions options = rbl_default_load_options();
    options.format = RBL_FORMAT_GLTF; // it is not JSON
    check_fails(RBL_ERROR_FORMAT, rbl_mesh_load("test_glb_write.GLB", &options, &read));
    check_ok(rbl_mesh_destroy(read));
    check_ok(rbl_mesh_destroy(box));
    remove("test_glb_write.GLB");
    assert_int_equal(rbl_bytes_in_use(), 0);
}

static void running_out_of_memory_is_reported_and_leaks_nothing(void** state)
{
    (void)state;
    rblMesh* mesh = make_random(9, 20, 2, 1, true);
    const rblSaveOptions options = {.format = RBL_FORMAT_GLB};
    rblResult result = RBL_ERROR_MEMORY;
    for (size_t granted = 0; result != RBL_OK; ++granted)
    {
        FailingAllocator memory;
        failing_allocator_start(&memory, granted);
        rblWriter writer;
        result = rbl_writer_open_memory(&writer, &memory.allocator);
        if (result == RBL_OK)
        {
            result = rbl_write_glb(rbl_mesh_get_view(mesh), &options, &writer);
            result = result == RBL_OK ? rbl_writer_close(&writer) : result;
            rbl_writer_discard(&writer);
        }
        assert_true(result == RBL_OK || result == RBL_ERROR_MEMORY);
        assert_int_equal(memory.live, 0);
    }
    rbl_mesh_free(mesh);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_box_of_two_materials_comes_back_closed),
        cmocka_unit_test(every_attribute_survives_the_round_trip),
        cmocka_unit_test(equal_vertices_are_written_once),
        cmocka_unit_test(far_from_the_origin_positions_keep_their_digits),
        cmocka_unit_test(more_than_65535_vertices_get_wide_indices),
        cmocka_unit_test(a_hub_of_many_normals_stays_cheap),
        cmocka_unit_test(degenerate_faces_still_get_a_unit_normal),
        cmocka_unit_test(positions_that_32_bits_cannot_hold_are_refused),
        cmocka_unit_test(the_container_is_padded_and_counted),
        cmocka_unit_test(what_the_format_cannot_hold_is_left_out_with_a_word),
        cmocka_unit_test(files_are_saved_and_loaded_by_their_ending),
        cmocka_unit_test(running_out_of_memory_is_reported_and_leaks_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
