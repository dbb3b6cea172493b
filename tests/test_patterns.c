// Patterns: as many pieces as were asked for, small where they should be, the same from the same seed.
#include "cells_checks.h"
#include "failing_allocator.h"
#include "fracture/pattern/pattern.h"
#include "math/aabb.h"
#include "math/mat3.h"
#include "pattern_testing.h"
#include "random_point.h"
#include <string.h>

#define BUILT_IN RBL_PATTERN_FILE // kinds below this need no file

// ---- solids to break ----

typedef enum Solid
{
    SOLID_BOX,
    SOLID_PLATE,
    SOLID_BALL,
    SOLID_SHELL,
    SOLID_RING,
    SOLID_CORNER,
    SOLID_COUNT
} Solid;

// A solid in its own axes, and the point of impact.
typedef struct Target
{
    Solid solid;
    rblVec3d half; // extents
    rblMat3d turn; // to pattern space
    rblVec3d point;
} Target;

static bool solid_contains(const Target* target, rblVec3d at)
{
    const rblVec3d p = {at.x / target->half.x, at.y / target->half.y, at.z / target->half.z};
    const double length = rbl_length3d(p);
    const double ring = sqrt(p.x * p.x + p.z * p.z) - 0.75;
    const bool box = fabs(p.x) <= 1.0 && fabs(p.y) <= 1.0 && fabs(p.z) <= 1.0;
    switch (target->solid)
    {
    case SOLID_BALL:
        return length <= 1.0;
    case SOLID_SHELL:
        return length <= 1.0 && length >= 0.85;
    case SOLID_RING:
        return ring * ring + p.y * p.y * 0.0625 <= 0.0625;
    case SOLID_CORNER:
        return box && (p.x < -0.4 || p.y < -0.4);
    default:
        return box;
    }
}

static bool target_contains(rblVec3d point, void* context)
{
    const Target* target = context;
    return solid_contains(target, rbl_add3d(rbl_mat3d_apply_transposed(&target->turn, point), target->point));
}

static rblVec3d random_direction(rblRandom* random)
{
    rblVec3d direction = {0, 0, 0};
    while (rbl_length3d(direction) < 0.1 || rbl_length3d(direction) > 1.0)
    {
        direction = random_in(random, (rblAabbd){{-1, -1, -1}, {1, 1, 1}});
    }
    return rbl_scale3d(direction, 1.0 / rbl_length3d(direction));
}

// From far outside along a random ray that ends in the solid, as far as it is free.
static Target random_target(rblRandom* random, Solid solid)
{
    Target target = {.solid = solid};
    target.half = random_vec3d(random, 0.2, 1.0);
    target.half = solid == SOLID_PLATE ? rbl_vec3d(1.0, 0.03, 0.7) : target.half;
    const rblAabbd box = {rbl_neg3d(target.half), target.half};
    rblVec3d inside = random_in(random, box);
    while (!solid_contains(&target, inside))
    {
        inside = random_in(random, box);
    }
    const rblVec3d direction = random_direction(random);
    target.point = rbl_mul_add3d(inside, -4.0, direction);
    while (!solid_contains(&target, target.point))
    {
        target.point = rbl_mul_add3d(target.point, 0.01, direction);
    }
    target.turn = rbl_pattern_turn(direction);
    return target;
}

static rblPatternBody body_of(Target* target)
{
    rblPatternBody body = {.bounds = rbl_aabbd_empty(),
                           .axes = target->turn,
                           .contains = target_contains,
                           .contains_context = target};
    for (uint32_t k = 0; k < 8; ++k)
    {
        const rblVec3d corner = {(k & 1) != 0 ? target->half.x : -target->half.x,
                                 (k & 2) != 0 ? target->half.y : -target->half.y,
                                 (k & 4) != 0 ? target->half.z : -target->half.z};
        const rblVec3d at = rbl_mat3d_apply(&target->turn, rbl_sub3d(corner, target->point));
        body.bounds = rbl_aabbd_add(body.bounds, at);
    }
    return body;
}

static rblPattern* make(const rblPatternDef* def, const rblPatternBody* body)
{
    rblPattern* pattern = NULL;
    check_ok(rbl_pattern_create(def, body, rbl_serial_jobs(), rbl_default_allocator(), &pattern));
    return pattern;
}

static rblPatternDef def_of(rblPatternKind kind, uint32_t pieces, uint64_t seed)
{
    rblPatternDef def = rbl_default_pattern_def();
    def.kind = kind;
    def.pieces = pieces;
    def.seed = seed;
    return def;
}

// How many regions have something of the body.
static uint32_t regions_sampled(const rblPattern* pattern, const rblPatternBody* body, uint32_t points)
{
    unsigned char* sampled = calloc(pattern->region_count, 1);
    rblRandom random = rbl_random_seed(77, 0);
    uint32_t count = 0;
    for (uint32_t found = 0; found < points;)
    {
        const rblVec3d at = random_in(&random, body->bounds);
        if (!body->contains(at, body->contains_context))
        {
            continue;
        }
        unsigned char* region = &sampled[pattern_locate(pattern, at)];
        count += *region == 0 ? 1 : 0;
        *region = 1;
        ++found;
    }
    free(sampled);
    return count;
}

// ---- tests ----

static void as_many_pieces_as_were_asked_for(void** state)
{
    (void)state;
    rblRandom random = rbl_random_seed(1, 0);
    for (uint32_t round = 0; round < 210; ++round)
    {
        const Solid solid = (Solid)(round % SOLID_COUNT);
        const rblPatternKind kind = (rblPatternKind)(round / SOLID_COUNT % BUILT_IN);
        Target target = random_target(&random, solid);
        const rblPatternBody body = body_of(&target);
        const rblPatternDef def = def_of(kind, 4 + rbl_random_below(&random, 80), round);
        rblPattern* pattern = make(&def, &body);
        const uint32_t count = regions_sampled(pattern, &body, 4000);
        if (count < 0.6 * def.pieces || count > 1.6 * def.pieces + 4.0)
        {
            fail_msg("%s, solid %d, round %u: %u pieces of %u", rbl_pattern_kind_name(kind), (int)solid,
                     round, count, def.pieces);
        }
        rbl_pattern_free(pattern);
    }
}

static void cells_of_all_kinds_make_one_complex(void** state)
{
    (void)state;
    rblRandom random = rbl_random_seed(2, 0);
    for (uint32_t round = 0; round < 4 * BUILT_IN; ++round)
    {
        Target target = random_target(&random, (Solid)(round % SOLID_COUNT));
        const rblPatternBody body = body_of(&target);
        rblPatternDef def = def_of((rblPatternKind)(round % BUILT_IN), 30, round);
        def.jitter = (round / BUILT_IN) / 3.0;
        rblPattern* pattern = make(&def, &body);
        check_edges(pattern->cells);
        check_facets(pattern->cells);
        check_volumes(pattern->cells, 1e-9);
        for (uint32_t i = 0; i < pattern->cells->count; ++i)
        {
            assert_true(pattern->regions[i] < pattern->region_count);
        }
        rbl_pattern_free(pattern);
    }
}

static bool same_cells(const rblPattern* a, const rblPattern* b)
{
    return a->cells->count == b->cells->count && a->cells->vertex_count == b->cells->vertex_count &&
           memcmp(a->cells->vertices, b->cells->vertices,
                  sizeof *a->cells->vertices * a->cells->vertex_count) == 0 &&
           memcmp(a->regions, b->regions, sizeof *a->regions * a->cells->count) == 0;
}

static void the_seed_decides_and_nothing_else(void** state)
{
    (void)state;
    rblRandom random = rbl_random_seed(3, 0);
    rblJobs* jobs;
    const rblTasks tasks = tasks_of(3);
    check_ok(rbl_jobs_create(&tasks, rbl_default_allocator(), &jobs));
    for (uint32_t kind = 0; kind < BUILT_IN; ++kind)
    {
        Target target = random_target(&random, SOLID_BOX);
        const rblPatternBody body = body_of(&target);
        rblPatternDef def = def_of((rblPatternKind)kind, 40, 5);
        rblPattern* first = make(&def, &body);
        rblPattern* again = NULL;
        check_ok(rbl_pattern_create(&def, &body, jobs, rbl_default_allocator(), &again));
        assert_true(same_cells(first, again));
        rbl_pattern_free(again);
        def.seed = 6;
        again = make(&def, &body);
        assert_false(same_cells(first, again));
        rbl_pattern_free(again);
        rbl_pattern_free(first);
    }
    rbl_jobs_destroy(jobs);
}

static const rblAabbd plate = {{-1, -0.1, -1}, {1, 0, 1}}; // in pattern space, with the impact in the middle

static double region_volume(const rblPattern* pattern, uint32_t region)
{
    double volume = 0.0;
    for (uint32_t i = 0; i < pattern->cells->count; ++i)
    {
        volume += pattern->regions[i] == region ? cell_volume(pattern->cells, i) : 0.0;
    }
    return volume;
}

static void pieces_are_small_at_the_impact(void** state)
{
    (void)state;
    const rblPatternKind kinds[] = {RBL_PATTERN_RADIAL, RBL_PATTERN_CLUSTERED};
    const rblPatternBody body = {.bounds = plate, .axes = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}, .tight = true};
    for (int k = 0; k < 2; ++k)
    {
        for (uint32_t seed = 1; seed <= 10; ++seed)
        {
            const rblPatternDef def = def_of(kinds[k], 60, seed);
            rblPattern* pattern = make(&def, &body);
            double near_sum = 0.0, far_sum = 0.0;
            for (uint32_t turn = 0; turn < 16; ++turn)
            {
                const double angle = 2.0 * 3.14159265358979 * turn / 16;
                const rblVec3d out = {cos(angle), 0, sin(angle)};
                const rblVec3d shallow = {0, -0.02, 0};
                near_sum +=
                    region_volume(pattern, pattern_locate(pattern, rbl_mul_add3d(shallow, 0.06, out)));
                far_sum += region_volume(pattern, pattern_locate(pattern, rbl_mul_add3d(shallow, 0.8, out)));
            }
            assert_true(4.0 * near_sum < far_sum);
            rbl_pattern_free(pattern);
        }
    }
}

static void without_falloff_pieces_are_alike(void** state)
{
    (void)state;
    const rblPatternBody body = {
        .bounds = {{-1, -2, -1}, {1, 0, 1}}, .axes = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}, .tight = true};
    rblPatternDef def = def_of(RBL_PATTERN_VORONOI, 100, 1);
    def.jitter = 0.2;
    rblPattern* pattern = make(&def, &body);
    double smallest = 8.0, largest = 0.0;
    for (uint32_t region = 0; region < pattern->region_count; ++region)
    {
        smallest = fmin(smallest, region_volume(pattern, region));
        largest = fmax(largest, region_volume(pattern, region));
    }
    assert_int_equal(pattern->region_count, 100);
    assert_true(largest < 10.0 * smallest);
    rbl_pattern_free(pattern);
}

static void slabs_thicken_beyond_the_falloff(void** state)
{
    (void)state;
    const rblPatternBody body = {.bounds = {{-0.1, -0.1, -0.1}, {3, 0, 0.1}},
                                 .axes = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}},
                                 .tight = true};
    for (uint64_t seed = 1; seed <= 5; ++seed)
    {
        rblPatternDef def = def_of(RBL_PATTERN_SLABS, 20, seed);
        def.axis = (rblVec3d){1, 0, 0};
        def.falloff = 0.2;
        rblPattern* pattern = make(&def, &body);
        assert_int_equal(pattern->region_count, 20);
        const double near_volume = region_volume(pattern, pattern_locate(pattern, (rblVec3d){0.0, -0.05, 0}));
        const double far_volume = region_volume(pattern, pattern_locate(pattern, (rblVec3d){2.5, -0.05, 0}));
        assert_true(4.0 * near_volume < far_volume);
        rbl_pattern_free(pattern);
    }
}

static void bricks_stay_together_beyond_the_falloff(void** state)
{
    (void)state;
    const rblPatternBody body = {
        .bounds = {{-1, -0.1, -0.7}, {1, 0, 0.7}}, .axes = {{1, 0, 0}, {0, 0, 1}, {0, -1, 0}}, .tight = true};
    for (uint32_t pieces = 20; pieces <= 160; pieces *= 2)
    {
        rblPatternDef def = def_of(RBL_PATTERN_BRICKS, pieces, 1);
        def.falloff = 0.12;
        rblPattern* pattern = make(&def, &body);
        const double near_volume =
            region_volume(pattern, pattern_locate(pattern, (rblVec3d){0.01, -0.05, 0.01}));
        const double far_volume =
            region_volume(pattern, pattern_locate(pattern, (rblVec3d){0.6, -0.05, 0.4}));
        assert_true(pattern->region_count >= pieces);
        assert_true(3.0 * near_volume < far_volume);
        rbl_pattern_free(pattern);
    }
}

// Mean extent of the cells along x and across it.
static void mean_extents(const rblPattern* pattern, double* along, double* across)
{
    *along = *across = 0.0;
    for (uint32_t i = 0; i < pattern->cells->count; ++i)
    {
        rblAabbd box = rbl_aabbd_empty();
        for (uint32_t k = pattern->cells->cell_starts[i]; k < pattern->cells->cell_starts[i + 1]; ++k)
        {
            const rblCellFacet* facet = &pattern->cells->facets[pattern->cells->cell_facets[k]];
            for (uint32_t c = 0; c < facet->end_edge - facet->first_edge; ++c)
            {
                const uint32_t vertex = facet_vertex(pattern->cells, facet, c);
                box = rbl_aabbd_add(box, pattern->cells->vertices[vertex].position);
            }
        }
        const rblVec3d size = rbl_aabbd_size(box);
        *along += size.x;
        *across += 0.5 * (size.y + size.z);
    }
}

static void splinters_run_along_the_grain_and_slabs_across(void** state)
{
    (void)state;
    rblPatternBody body = {
        .bounds = {{-2, -1, -0.5}, {2, 0, 0.5}}, .axes = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}, .tight = true};
    rblPatternDef def = def_of(RBL_PATTERN_SPLINTERS, 120, 1);
    double along, across;
    rblPattern* pattern = make(&def, &body); // the grain is where it is longest
    mean_extents(pattern, &along, &across);
    assert_true(along > 3.0 * across);
    rbl_pattern_free(pattern);

    body.bounds = (rblAabbd){{-1, -2, -1}, {1, 0, 1}}; // a given axis wins, in the body's axes
    body.axes = (rblMat3d){{0, 1, 0}, {1, 0, 0}, {0, 0, -1}};
    def.axis = rbl_vec3d(0, 5, 0);
    pattern = make(&def, &body);
    mean_extents(pattern, &along, &across);
    assert_true(along > 2.5 * across);
    rbl_pattern_free(pattern);

    def.kind = RBL_PATTERN_SLABS;
    def.pieces = 16;
    pattern = make(&def, &body);
    mean_extents(pattern, &along, &across);
    assert_true(across > 4.0 * along);
    rbl_pattern_free(pattern);
}

static void bricks_of_one_course_are_offset_by_half(void** state)
{
    (void)state;
    const rblPatternBody body = {
        .bounds = {{-1, -0.2, -0.8}, {1, 0, 0.8}}, .axes = {{1, 0, 0}, {0, 0, 1}, {0, -1, 0}}, .tight = true};
    rblPatternDef def = def_of(RBL_PATTERN_BRICKS, 60, 1);
    def.jitter = 0.0;
    rblPattern* pattern = make(&def, &body);
    assert_in_range(pattern->region_count, 60, 72);
    // Two bricks side by side: above the joint between them lies the middle of one.
    uint32_t joints = 0, broken = 0;
    for (uint32_t f = 0; f < pattern->cells->facet_count; ++f)
    {
        const rblCellFacet* facet = &pattern->cells->facets[f];
        const rblVec3d area = facet_area(pattern->cells, facet);
        if (facet->cells[1] >= pattern->cells->count || fabs(area.x) < 0.9 * rbl_length3d(area) ||
            rbl_length3d(area) < 1e-3 ||
            pattern->regions[facet->cells[0]] == pattern->regions[facet->cells[1]])
        {
            continue;
        }
        rblAabbd box = rbl_aabbd_empty();
        for (uint32_t c = 0; c < facet->end_edge - facet->first_edge; ++c)
        {
            box =
                rbl_aabbd_add(box, pattern->cells->vertices[facet_vertex(pattern->cells, facet, c)].position);
        }
        const double height = box.upper.z - box.lower.z;
        const rblVec3d above = {box.lower.x, 0.5 * (box.lower.y + box.upper.y), box.upper.z + 0.5 * height};
        if (above.z < body.bounds.upper.z)
        {
            const uint32_t left = pattern_locate(pattern, rbl_add3d(above, rbl_vec3d(-1e-3, 0, 0)));
            const uint32_t right = pattern_locate(pattern, rbl_add3d(above, rbl_vec3d(1e-3, 0, 0)));
            joints += 1;
            broken += left != right ? 1 : 0;
        }
    }
    assert_true(joints > 30);
    assert_int_equal(broken, 0);
    rbl_pattern_free(pattern);
}

static void beyond_the_radius_all_is_one(void** state)
{
    (void)state;
    const rblPatternBody body = {.bounds = plate, .axes = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}};
    for (uint32_t kind = 0; kind < BUILT_IN; ++kind)
    {
        rblPatternDef def = def_of((rblPatternKind)kind, 60, 3);
        def.radius = 0.4;
        def.axis = kind == RBL_PATTERN_SLABS || kind == RBL_PATTERN_SPLINTERS ? rbl_vec3d(1, 0, 0)
                                                                              : rbl_vec3d(0, 0, 0);
        rblPattern* pattern = make(&def, &body);
        const uint32_t rest = pattern_locate(pattern, rbl_vec3d(0.95, -0.05, 0.1));
        const bool joined =
            kind == RBL_PATTERN_SLABS || kind == RBL_PATTERN_BRICKS || kind == RBL_PATTERN_PLANES;
        uint32_t others = 0, points = 0;
        rblRandom random = rbl_random_seed(4, 0);
        for (int p = 0; p < 20000; ++p)
        {
            const rblVec3d at = random_in(&random, plate);
            const bool far = joined ? fabs(at.x) > 0.85 : rbl_length3d(at) > 1.3 * def.radius;
            points += far ? 1 : 0;
            others += far && pattern_locate(pattern, at) != rest ? 1 : 0;
        }
        assert_true(pattern->region_count > 4);
        assert_int_equal(others, 0);
        assert_true(points > 1000);
        rbl_pattern_free(pattern);
    }
}

// A web as fine as twenty times what was asked for would take seconds.
static void webs_within_a_small_radius_are_no_finer_than_they_must_be(void** state)
{
    (void)state;
    const rblAabbd block = {{-0.5, -1, -0.5}, {0.5, 0, 0.5}};
    const rblPatternBody body = {.bounds = block, .axes = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}};
    const double radii[3] = {0.1, 0.01, 0.001};
    for (int i = 0; i < 3; ++i)
    {
        rblPatternDef def = def_of(RBL_PATTERN_RADIAL, 100, 3);
        def.radius = radii[i];
        rblPattern* pattern = make(&def, &body);
        assert_in_range(pattern->region_count, 80, 200);
        assert_true(pattern->cells->count < 700);
        assert_true(pattern_locate(pattern, rbl_vec3d(0, -1.2 * radii[i], 0)) == pattern->rest);
        rbl_pattern_free(pattern);
    }
}

static void one_piece_is_the_whole(void** state)
{
    (void)state;
    const rblPatternBody body = {.bounds = plate, .axes = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}};
    for (uint32_t kind = 0; kind < BUILT_IN; ++kind)
    {
        const rblPatternDef def = def_of((rblPatternKind)kind, 1, 3);
        rblPattern* pattern = make(&def, &body);
        assert_int_equal(pattern->region_count, 1);
        rbl_pattern_free(pattern);
    }
}

// Also with far fewer points than pieces.
static void thousands_of_pieces_will_do(void** state)
{
    (void)state;
    const rblVec3d points[3] = {{0.1, -0.05, 0.1}, {-0.5, -0.02, 0.3}, {0.4, -0.07, -0.6}};
    const rblPatternBody body = {.bounds = plate,
                                 .axes = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}},
                                 .points = points,
                                 .point_count = 3,
                                 .tight = true};
    for (uint32_t kind = 0; kind < BUILT_IN; ++kind)
    {
        const rblPatternDef def = def_of((rblPatternKind)kind, 1500, 3);
        rblPattern* pattern = make(&def, &body);
        assert_in_range(pattern->region_count, 900, 2400);
        check_volumes(pattern->cells, 1e-9);
        rbl_pattern_free(pattern);
    }
}

static void impacts_far_away_and_thin_bodies_will_do(void** state)
{
    (void)state;
    const rblAabbd boxes[] = {
        {{4, -3, 5}, {5, -2, 6}}, {{-1, -1e-4, -1}, {1, 0, 1}}, {{-1e-3, -1, -1e-3}, {0, 0, 0}}};
    for (uint32_t round = 0; round < 3 * BUILT_IN; ++round)
    {
        const rblPatternBody body = {.bounds = boxes[round / BUILT_IN],
                                     .axes = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}};
        const rblPatternDef def = def_of((rblPatternKind)(round % BUILT_IN), 20, 3);
        rblPattern* pattern = make(&def, &body);
        check_volumes(pattern->cells, 1e-9);
        const bool wide = round == RBL_PATTERN_RADIAL; // the web about a far point is too wide for the body
        assert_true(pattern->region_count >= (wide ? 2 : 12));
        rbl_pattern_free(pattern);
    }
}

static void drawn_patterns_are_closed_and_fill_the_box(void** state)
{
    (void)state;
    const rblAabbd box = {{-0.5, 0, -0.1}, {0.5, 0.8, 0.1}};
    for (uint32_t kind = 0; kind < BUILT_IN; ++kind)
    {
        const rblPatternDef def = def_of((rblPatternKind)kind, 30, 2);
        rblMeshId mesh;
        check_ok(rbl_pattern_draw(&def, box, rbl_vec3d(0.1, 0.4, 0.1), rbl_vec3d(0, 0, -1), &mesh));
        rblInspectOptions options = rbl_default_inspect_options();
        options.self_intersections = false;
        rblMeshReport report;
        check_ok(rbl_mesh_inspect(mesh, &options, &report));
        rblMeshView view;
        check_ok(rbl_mesh_view(mesh, &view));
        assert_true(report.closed && report.manifold && report.oriented && report.outward);
        assert_int_equal(report.components, view.group_count);
        check_close(report.volume, 0.16, 1e-8); // very short edges are not drawn
        check_close(report.bounds.lower.x, -0.5, 1e-12);
        check_close(report.bounds.upper.y, 0.8, 1e-12);
        check_ok(rbl_mesh_destroy(mesh));
    }
}

static void names_and_presets(void** state)
{
    (void)state;
    for (uint32_t kind = 0; kind < BUILT_IN; ++kind)
    {
        rblPatternKind found = RBL_PATTERN_FILE;
        check_ok(rbl_pattern_kind_from_name(rbl_pattern_kind_name((rblPatternKind)kind), &found));
        assert_int_equal(found, kind);
    }
    rblPatternKind untouched = RBL_PATTERN_SLABS;
    check_fails(RBL_ERROR_ARGUMENT, rbl_pattern_kind_from_name("radiall", &untouched));
    check_fails(RBL_ERROR_ARGUMENT, rbl_pattern_kind_from_name("file", &untouched));
    check_fails(RBL_ERROR_ARGUMENT, rbl_pattern_kind_from_name(NULL, &untouched));
    assert_int_equal(untouched, RBL_PATTERN_SLABS);
    const char* const* names = rbl_material_preset_names();
    for (uint32_t m = 0; names[m] != NULL; ++m)
    {
        rblPatternDef def = rbl_default_pattern_def();
        check_ok(rbl_pattern_preset(names[m], &def));
        check_ok(rbl_pattern_check(&def));
    }
    rblPatternDef wood = rbl_default_pattern_def();
    check_ok(rbl_pattern_preset("wood", &wood));
    assert_int_equal(wood.kind, RBL_PATTERN_SPLINTERS);
    check_fails(RBL_ERROR_ARGUMENT, rbl_pattern_preset("cheese", &wood));
}

static void bad_definitions_are_refused(void** state)
{
    (void)state;
    const double nan = (double)NAN;
    rblPatternDef defs[14];
    for (int i = 0; i < 14; ++i)
    {
        defs[i] = rbl_default_pattern_def();
    }
    defs[0].cookie = 0;
    defs[1].pieces = 0;
    defs[2].pieces = 1000000;
    defs[3].jitter = nan;
    defs[4].jitter = 1.5;
    defs[5].radius = -1.0;
    defs[6].falloff = nan;
    defs[7].noise = -0.1;
    defs[8].axis.y = nan;
    defs[9].aspect = (double)INFINITY;
    defs[10].kind = (rblPatternKind)99;
    defs[11].kind = RBL_PATTERN_FILE;
    defs[12].size = -2.0;
    defs[13].noise_length = nan;
    const rblPatternBody body = {.bounds = plate, .axes = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}};
    for (int i = 0; i < 14; ++i)
    {
        rblPattern* pattern = NULL;
        check_fails(RBL_ERROR_ARGUMENT, rbl_pattern_create(&defs[i], &body, rbl_serial_jobs(),
                                                           rbl_default_allocator(), &pattern));
        assert_null(pattern);
    }
    const rblPatternDef def = rbl_default_pattern_def();
    rblMeshId mesh;
    check_fails(RBL_ERROR_ARGUMENT,
                rbl_pattern_draw(&def, plate, rbl_vec3d(0, 0, 0), rbl_vec3d(0, 0, 0), &mesh));
    check_fails(RBL_ERROR_ARGUMENT,
                rbl_pattern_draw(&def, plate, rbl_vec3d(nan, 0, 0), rbl_vec3d(0, 1, 0), &mesh));
}

static void running_out_of_memory_leaks_nothing(void** state)
{
    (void)state;
    const rblPatternBody body = {.bounds = plate, .axes = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}};
    for (uint32_t kind = 0; kind < BUILT_IN; ++kind)
    {
        rblPatternDef def = def_of((rblPatternKind)kind, 6, 3);
        def.radius = 0.6;
        rblResult result = RBL_ERROR_MEMORY;
        for (size_t granted = 0; result == RBL_ERROR_MEMORY; ++granted)
        {
            FailingAllocator memory;
            failing_allocator_start(&memory, granted);
            rblPattern* pattern = NULL;
            result = rbl_pattern_create(&def, &body, rbl_serial_jobs(), &memory.allocator, &pattern);
            assert_true((result == RBL_OK) == (pattern != NULL));
            rbl_pattern_free(pattern);
            assert_int_equal(memory.live, 0);
        }
        assert_int_equal(result, RBL_OK);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(as_many_pieces_as_were_asked_for),
        cmocka_unit_test(cells_of_all_kinds_make_one_complex),
        cmocka_unit_test(the_seed_decides_and_nothing_else),
        cmocka_unit_test(pieces_are_small_at_the_impact),
        cmocka_unit_test(without_falloff_pieces_are_alike),
        cmocka_unit_test(slabs_thicken_beyond_the_falloff),
        cmocka_unit_test(bricks_stay_together_beyond_the_falloff),
        cmocka_unit_test(splinters_run_along_the_grain_and_slabs_across),
        cmocka_unit_test(bricks_of_one_course_are_offset_by_half),
        cmocka_unit_test(beyond_the_radius_all_is_one),
        cmocka_unit_test(webs_within_a_small_radius_are_no_finer_than_they_must_be),
        cmocka_unit_test(one_piece_is_the_whole),
        cmocka_unit_test(thousands_of_pieces_will_do),
        cmocka_unit_test(impacts_far_away_and_thin_bodies_will_do),
        cmocka_unit_test(drawn_patterns_are_closed_and_fill_the_box),
        cmocka_unit_test(names_and_presets),
        cmocka_unit_test(bad_definitions_are_refused),
        cmocka_unit_test(running_out_of_memory_leaks_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
