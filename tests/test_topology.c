// Connectivity against brute force, over meshes of every kind of disorder.
#include "testing.h"

#include "base/random.h"
#include "mesh/topology.h"
#include "shapes.h"
#include <stdlib.h>
#include <string.h>

enum
{
    MAX_CORNERS = 160
};

typedef struct Soup
{
    rblVec3d positions[32];
    uint32_t corners[MAX_CORNERS];
    uint32_t starts[MAX_CORNERS / 3 + 1];
    rblMeshView view;
} Soup;

// Now and then a face has the same vertex twice in a row.
static void make_soup(Soup* soup, rblRandom* random)
{
    *soup = (Soup){.view = {.vertex_count = 3 + rbl_random_below(random, 14)}};
    rblMeshView* view = &soup->view;
    const uint32_t faces = 1 + rbl_random_below(random, 24);
    const bool loops = rbl_random_below(random, 3) == 0;
    for (uint32_t f = 0; f < faces; ++f)
    {
        const uint32_t size = 3 + rbl_random_below(random, 3);
        for (uint32_t i = 0; i < size; ++i)
        {
            uint32_t vertex = rbl_random_below(random, view->vertex_count);
            while (!loops && i > 0 &&
                   (vertex == soup->corners[view->corner_count - 1] ||
                    (i + 1 == size && vertex == soup->corners[view->corner_count - i])))
            {
                vertex = rbl_random_below(random, view->vertex_count);
            }
            soup->corners[view->corner_count++] = vertex;
        }
        soup->starts[++view->face_count] = view->corner_count;
    }
    view->positions = soup->positions;
    view->face_starts = soup->starts;
    view->corner_vertices = soup->corners;
}

static uint32_t end_of(const rblTopology* t, uint32_t corner)
{
    return t->view->corner_vertices[rbl_next_corner(t, corner)];
}

static bool same_edge(const rblTopology* t, uint32_t c, uint32_t d)
{
    const uint32_t a = t->view->corner_vertices[c], b = end_of(t, c);
    const uint32_t x = t->view->corner_vertices[d], y = end_of(t, d);
    return (a == x && b == y) || (a == y && b == x);
}

static void check_twins(const rblTopology* t)
{
    for (uint32_t c = 0; c < t->view->corner_count; ++c)
    {
        uint32_t faces = 0;
        uint32_t other = RBL_NONE;
        for (uint32_t d = 0; d < t->view->corner_count; ++d)
        {
            if (same_edge(t, c, d))
            {
                faces += 1;
                other = d != c ? d : other;
            }
        }
        const uint32_t expected = faces == 1 ? RBL_BOUNDARY : (faces == 2 ? other : RBL_NON_MANIFOLD);
        assert_int_equal(t->twins[c], expected);
        assert_int_equal(rbl_has_twin(t, c), faces == 2);
        if (faces == 2)
        {
            assert_int_equal(rbl_same_direction(t, c),
                             t->view->corner_vertices[c] == t->view->corner_vertices[other]);
        }
    }
}

static void check_corners(const rblTopology* t)
{
    const rblMeshView* view = t->view;
    for (uint32_t f = 0; f < view->face_count; ++f)
    {
        for (uint32_t c = view->face_starts[f]; c < view->face_starts[f + 1]; ++c)
        {
            assert_int_equal(t->corner_faces[c], f);
            assert_int_equal(rbl_previous_corner(t, rbl_next_corner(t, c)), c);
            assert_int_equal(t->corner_faces[rbl_next_corner(t, c)], f);
        }
    }
    for (uint32_t v = 0; v < view->vertex_count; ++v)
    {
        uint32_t first = RBL_NONE;
        for (uint32_t c = view->corner_count; c-- > 0;)
        {
            first = view->corner_vertices[c] == v ? c : first;
        }
        assert_int_equal(t->vertex_corners[v], first);
    }
}

// Spread the smallest number over everything that is linked until nothing changes.
static void spread(uint32_t* marks, uint32_t count, const bool* linked)
{
    bool changed = true;
    while (changed)
    {
        changed = false;
        for (uint32_t i = 0; i < count * count; ++i)
        {
            if (linked[i] && marks[i / count] > marks[i % count])
            {
                marks[i / count] = marks[i % count];
                changed = true;
            }
        }
    }
}

static void check_components(const rblTopology* t)
{
    static bool linked[MAX_CORNERS * MAX_CORNERS];
    const uint32_t faces = t->view->face_count;
    uint32_t marks[MAX_CORNERS];
    memset(linked, 0, sizeof linked);
    for (uint32_t f = 0; f < faces; ++f)
    {
        marks[f] = f;
    }
    for (uint32_t c = 0; c < t->view->corner_count; ++c)
    {
        for (uint32_t d = 0; d < t->view->corner_count; ++d)
        {
            const uint32_t link = t->corner_faces[c] * faces + t->corner_faces[d];
            linked[link] = linked[link] || same_edge(t, c, d);
        }
    }
    spread(marks, faces, linked);
    uint32_t labels[MAX_CORNERS];
    uint32_t count;
    check_ok(rbl_face_components(t, labels, &count));
    uint32_t next = 0;
    for (uint32_t f = 0; f < faces; ++f)
    {
        assert_int_equal(labels[f], marks[f] == f ? next : labels[marks[f]]);
        next += marks[f] == f;
    }
    assert_int_equal(count, next);
}

// Two corners at one vertex are linked when their faces share an edge that ends there.
static bool fan_neighbours(const rblTopology* t, uint32_t c, uint32_t d)
{
    const uint32_t edges_c[2] = {c, rbl_previous_corner(t, c)};
    const uint32_t edges_d[2] = {d, rbl_previous_corner(t, d)};
    if (t->view->corner_vertices[c] != t->view->corner_vertices[d])
    {
        return false;
    }
    return same_edge(t, edges_c[0], edges_d[0]) || same_edge(t, edges_c[0], edges_d[1]) ||
           same_edge(t, edges_c[1], edges_d[0]) || same_edge(t, edges_c[1], edges_d[1]);
}

static void check_fans(const rblTopology* t)
{
    static bool linked[MAX_CORNERS * MAX_CORNERS];
    const uint32_t corners = t->view->corner_count;
    uint32_t marks[MAX_CORNERS];
    for (uint32_t c = 0; c < corners; ++c)
    {
        marks[c] = c;
        for (uint32_t d = 0; d < corners; ++d)
        {
            linked[c * corners + d] = fan_neighbours(t, c, d);
        }
    }
    spread(marks, corners, linked);
    uint32_t fans[MAX_CORNERS];
    check_ok(rbl_corner_fans(t, fans));
    for (uint32_t c = 0; c < corners; ++c)
    {
        assert_int_equal(fans[c], marks[c]);
    }
}

// A corner with an edge from a vertex to itself: which corners such an edge links is a matter of taste.
static bool has_loops(const rblTopology* t)
{
    bool loops = false;
    for (uint32_t c = 0; c < t->view->corner_count; ++c)
    {
        loops = loops || t->view->corner_vertices[c] == end_of(t, c);
    }
    return loops;
}

static void random_soups_agree_with_brute_force(void** state)
{
    (void)state;
    rblRandom random = rbl_random_seed(31, 0);
    uint32_t fans_checked = 0;
    for (int round = 0; round < 300; ++round)
    {
        Soup soup;
        make_soup(&soup, &random);
        rblTopology t;
        check_ok(rbl_topology_init(&t, &soup.view, rbl_default_allocator()));
        check_corners(&t);
        check_twins(&t);
        check_components(&t);
        if (!has_loops(&t))
        {
            check_fans(&t);
            fans_checked += 1;
        }
        rbl_topology_free(&t);
    }
    assert_true(fans_checked > 30);
    assert_int_equal(rbl_bytes_in_use(), 0);
}

static void every_edge_of_a_torus_has_two_opposite_faces(void** state)
{
    (void)state;
    rblMeshBuilder builder = start_shape();
    add_torus(&builder, 40, 25, (rblVec3d){0, 0, 0}, false);
    rblMesh* mesh = finish_shape(&builder);
    rblTopology t;
    check_ok(rbl_topology_init(&t, rbl_mesh_get_view(mesh), rbl_default_allocator()));
    for (uint32_t c = 0; c < t.view->corner_count; ++c)
    {
        assert_true(rbl_has_twin(&t, c));
        assert_int_equal(t.twins[t.twins[c]], c);
        assert_false(rbl_same_direction(&t, c));
    }
    rbl_topology_free(&t);
    rbl_mesh_free(mesh);
}

static void a_vertex_of_a_hundred_thousand_faces_is_no_trouble(void** state)
{
    (void)state;
    const uint32_t count = 100000;
    rblMeshBuilder builder = start_shape();
    for (uint32_t i = 0; i <= count; ++i)
    {
        rbl_mesh_builder_vertex(&builder, (rblVec3d){i, 0, 0});
    }
    for (uint32_t i = 0; i < count; ++i)
    {
        add_triangle(&builder, 0, 1 + i, 1 + (i + 1) % count);
    }
    rblMesh* mesh = finish_shape(&builder);
    rblTopology t;
    check_ok(rbl_topology_init(&t, rbl_mesh_get_view(mesh), rbl_default_allocator()));
    uint32_t* fans = calloc(t.view->corner_count, sizeof *fans);
    uint32_t components;
    check_ok(rbl_corner_fans(&t, fans));
    for (uint32_t c = 0; c < t.view->corner_count; c += 3)
    {
        assert_int_equal(fans[c], 0);
    }
    check_ok(rbl_face_components(&t, fans, &components));
    assert_int_equal(components, 1);
    free(fans);
    rbl_topology_free(&t);
    rbl_mesh_free(mesh);
}

static void a_hundred_thousand_faces_on_one_edge_are_no_trouble(void** state)
{
    (void)state;
    const uint32_t count = 100000;
    rblMeshBuilder builder = start_shape();
    for (uint32_t i = 0; i < count + 2; ++i)
    {
        rbl_mesh_builder_vertex(&builder, (rblVec3d){i, 0, 0});
    }
    for (uint32_t i = 0; i < count; ++i)
    {
        add_triangle(&builder, i % 2, 1 - i % 2, 2 + i);
    }
    rblMesh* mesh = finish_shape(&builder);
    rblTopology t;
    check_ok(rbl_topology_init(&t, rbl_mesh_get_view(mesh), rbl_default_allocator()));
    uint32_t* labels = calloc(count, sizeof *labels);
    uint32_t components;
    check_ok(rbl_face_components(&t, labels, &components));
    assert_int_equal(components, 1);
    assert_int_equal(t.twins[0], RBL_NON_MANIFOLD);
    assert_int_equal(t.twins[1], RBL_BOUNDARY);
    free(labels);
    rbl_topology_free(&t);
    rbl_mesh_free(mesh);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(random_soups_agree_with_brute_force),
        cmocka_unit_test(every_edge_of_a_torus_has_two_opposite_faces),
        cmocka_unit_test(a_vertex_of_a_hundred_thousand_faces_is_no_trouble),
        cmocka_unit_test(a_hundred_thousand_faces_on_one_edge_are_no_trouble),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
