// Prints one hash per area of the library: scripts/test-hash compares them between compilers, optimisation levels,
// worker counts and WebAssembly. usage: hash WORKERS
#include "../box_breaker.h"
#include "base/hash_map.h"
#include "base/jobs.h"
#include "base/number.h"
#include "base/random.h"
#include "bvh/closest.h"
#include "bvh/intersect.h"
#include "bvh/ray.h"
#include "bvh/region.h"
#include "bvh/signed_distance.h"
#include "dynamics/broad_phase.h"
#include "math/predicates.h"
#include "math/quat.h"
#include "math/trig.h"
#include "rubble/joint.h"
#include "rubble/rubble.h"
#include "rubble/shape.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

static uint64_t area_hash;

static void add_double(double value)
{
    // Every NaN counts as the same: its bits are the compiler's business.
    const double canonical = value == value ? value : 0.0;
    area_hash = rbl_hash_bytes(area_hash, &canonical, sizeof canonical);
}

static void add_u32(uint32_t value)
{
    area_hash = rbl_hash_bytes(area_hash, &value, sizeof value);
}

static bool add_leaf(uint32_t leaf, void* context)
{
    (void)context;
    add_u32(leaf);
    return true;
}

static void print_area(const char* name)
{
    printf("%-14s %016llx\n", name, (unsigned long long)area_hash);
    area_hash = RBL_HASH_START;
}

static void require(rblResult result, const char* what)
{
    if (result != RBL_OK)
    {
        printf("%s failed: %s\n", what, rbl_last_error());
        exit(1);
    }
}

static void hash_functions(void)
{
    rblRandom random = rbl_random_seed(1, 1);
    for (int i = 0; i < 20000; ++i)
    {
        const double x = rbl_random_range(&random, -50, 50);
        const double u = rbl_random_range(&random, -1, 1);
        add_double(rbl_sin(x));
        add_double(rbl_cos(x * 1e5));
        add_double(rbl_atan2(x, u));
        add_double(rbl_acos(u));
        add_double(rbl_exp(x));
        add_double(rbl_log(x * x));
        add_double(rbl_pow(x * x, u));
        add_double(rbl_cbrt(x));
    }
    print_area("functions");
}

static rblVec3d random_point(rblRandom* random)
{
    rblVec3d p;
    p.x = rbl_random_range(random, -1, 1);
    p.y = rbl_random_range(random, -1, 1);
    p.z = rbl_random_range(random, -1, 1);
    return p;
}

static void hash_predicates(void)
{
    rblRandom random = rbl_random_seed(2, 1);
    for (int i = 0; i < 5000; ++i)
    {
        rblVec3d p[5];
        for (int k = 0; k < 5; ++k)
        {
            p[k] = random_point(&random);
        }
        if (i % 2 == 0) // nearly coplanar: the exact path
        {
            p[3].x = (p[0].x + p[1].x + p[2].x) / 3;
            p[3].y = (p[0].y + p[1].y + p[2].y) / 3;
            p[3].z = (p[0].z + p[1].z + p[2].z) / 3;
        }
        add_double(rbl_orient3d(p[0], p[1], p[2], p[3]));
        add_double(rbl_insphere(p[0], p[1], p[2], p[3], p[4]));
        const double a[2] = {p[0].x, p[0].y}, b[2] = {p[1].x, p[1].y}, c[2] = {p[2].x, p[2].y};
        add_double(rbl_orient2d(a, b, c));
    }
    print_area("predicates");
}

static void hash_numbers(void)
{
    rblRandom random = rbl_random_seed(3, 1);
    char text[RBL_NUMBER_SIZE];
    for (int i = 0; i < 20000; ++i)
    {
        const double value = rbl_random_range(&random, -1, 1) * rbl_exp(rbl_random_range(&random, -300, 300));
        const size_t size = rbl_format_double(value, text);
        double back = 0;
        rbl_parse_double(text, text + size, &back);
        area_hash = rbl_hash_bytes(area_hash, text, size);
        add_double(back - value);
    }
    print_area("numbers");
}

static void add_mesh(rblMeshId mesh)
{
    rblMeshView view;
    require(rbl_mesh_view(mesh, &view), "view");
    for (uint32_t v = 0; v < view.vertex_count; ++v)
    {
        add_double(view.positions[v].x);
        add_double(view.positions[v].y);
        add_double(view.positions[v].z);
    }
    for (uint32_t c = 0; c < view.corner_count; ++c)
    {
        add_u32(view.corner_vertices[c]);
    }
    for (uint32_t i = 0; i < view.layer_count; ++i)
    {
        for (size_t k = 0; k < (size_t)view.corner_count * view.layers[i].components; ++k)
        {
            add_double((double)view.layers[i].data[k]);
        }
    }
}

static void add_mass(rblMeshId mesh)
{
    rblMassProperties mass;
    require(rbl_mesh_mass_properties(mesh, 2500, &mass), "mass");
    add_double(mass.mass);
    add_double(mass.center.x + mass.center.y + mass.center.z);
    add_double(mass.moments.x);
    add_double(mass.moments.y);
    add_double(mass.moments.z);
    add_double(mass.principal_axes.cx.x + mass.principal_axes.cy.y + mass.principal_axes.cz.z);
}

static void hash_solids(void)
{
    uint32_t count;
    const rblSolidKind* kinds = rbl_solid_kinds(&count);
    for (uint32_t i = 0; i < count; ++i)
    {
        rblMeshId mesh;
        require(rbl_mesh_make(kinds[i].name, NULL, 0, &mesh), kinds[i].name);
        add_mesh(mesh);
        add_mass(mesh);
        require(rbl_mesh_destroy(mesh), "destroy");
        print_area(kinds[i].name);
    }
}

static void hash_simplify(rblMeshId mesh)
{
    rblSimplifyOptions options = rbl_default_simplify_options();
    options.target_triangles = 2000;
    rblMeshId simple;
    require(rbl_mesh_simplify(mesh, &options, &simple, NULL), "simplify");
    add_mesh(simple);
    require(rbl_mesh_destroy(simple), "destroy");
    print_area("simplify");
}

// Take out every 97th face, mend the holes, inspect the result.
static void hash_repair(rblMeshId mesh)
{
    rblMeshId triangles;
    rblMeshView view;
    require(rbl_mesh_triangulate(mesh, &triangles), "triangulate");
    require(rbl_mesh_view(triangles, &view), "view");
    uint32_t* corners = malloc(sizeof *corners * view.corner_count);
    uint32_t* starts = malloc(sizeof *starts * ((size_t)view.face_count + 1));
    if (corners == NULL || starts == NULL)
    {
        exit(1);
    }
    uint32_t kept = 0;
    for (uint32_t f = 0; f < view.face_count; ++f)
    {
        for (uint32_t k = 0; k < 3 && f % 97 != 0; ++k)
        {
            corners[3 * kept + k] = view.corner_vertices[3 * f + k];
        }
        kept += f % 97 != 0;
    }
    for (uint32_t f = 0; f <= kept; ++f)
    {
        starts[f] = 3 * f;
    }
    const rblMeshView torn = {.vertex_count = view.vertex_count,
                              .face_count = kept,
                              .corner_count = 3 * kept,
                              .positions = view.positions,
                              .face_starts = starts,
                              .corner_vertices = corners};
    rblMeshId broken;
    rblMeshId mended;
    rblRepairReport report;
    require(rbl_mesh_create(&torn, &broken), "create");
    require(rbl_mesh_repair(broken, NULL, &mended, &report), "repair");
    add_mesh(mended);
    add_u32(report.filled_holes);
    add_u32(report.solid);
    add_double(report.after.volume);
    add_double(report.after.area);
    print_area("repair");
    free(corners);
    free(starts);
    require(rbl_mesh_destroy(broken), "destroy");
    require(rbl_mesh_destroy(mended), "destroy");
    require(rbl_mesh_destroy(triangles), "destroy");
}

static void add_box(const rblAabb* box)
{
    add_double((double)box->lower.x);
    add_double((double)box->lower.y);
    add_double((double)box->lower.z);
    add_double((double)box->upper.x);
    add_double((double)box->upper.y);
    add_double((double)box->upper.z);
}

static void add_tree(const rblBvh* bvh)
{
    for (uint32_t i = 0; i < rbl_tree_node_count(&bvh->layout); ++i)
    {
        add_box(&bvh->nodes[i]);
    }
    for (uint32_t i = 0; i < bvh->layout.leaves; ++i)
    {
        add_u32(bvh->order[i]);
    }
}

static void add_rays(const rblBvh* bvh)
{
    rblRandom random = rbl_random_seed(4, 1);
    for (int i = 0; i < 2000; ++i)
    {
        const rblVec3d o = random_point(&random);
        const rblVec3d d = random_point(&random);
        const rblRay ray = {.origin = {(float)o.x, (float)o.y, (float)o.z},
                            .direction = {(float)d.x, (float)d.y, (float)d.z},
                            .t_max = 10.0f};
        rblRayHit hit = {0};
        add_u32(rbl_tree_ray_closest(bvh, &ray, &hit));
        add_double((double)hit.t + (double)hit.u + (double)hit.v);
        add_u32(hit.triangle);
    }
}

// Closest points, winding numbers, signed distances and boxes at random places.
static void add_points(const rblBvh* bvh)
{
    rblRandom random = rbl_random_seed(5, 1);
    rblWinding winding;
    rbl_winding_init(&winding, rbl_default_allocator());
    require(rbl_winding_build(&winding, bvh, rbl_default_jobs()), "winding");
    for (int i = 0; i < 1000; ++i)
    {
        const rblVec3d at = random_point(&random);
        const rblVec3 p = {(float)at.x, (float)at.y, (float)at.z};
        rblClosestPoint closest = {.triangle = UINT32_MAX};
        add_u32(rbl_tree_closest(bvh, p, 1.0f, RBL_NO_LEAF, &closest));
        add_double((double)closest.distance + (double)closest.u + (double)closest.v);
        add_u32(closest.triangle);
        add_u32((uint32_t)closest.feature);
        add_double((double)rbl_tree_winding_number(bvh, &winding, p, RBL_WINDING_BETA));
        float distance = 0.0f;
        rbl_tree_signed_distance(bvh, &winding, p, 0.5f, RBL_SIGN_CLOSED, &distance);
        add_double((double)distance);
        const rblAabb box = {p, {p.x + 0.1f, p.y + 0.1f, p.z + 0.1f}};
        rbl_tree_visit_box(bvh, &box, add_leaf, NULL);
    }
    rbl_winding_free(&winding);
}

static void add_overlaps(const rblForest* forest)
{
    const rblTreePair itself = {0, 0};
    const rblOverlapOptions options = rbl_default_overlap_options();
    rblLeafPairArray found;
    rbl_array_init(&found, rbl_default_allocator());
    require(rbl_overlap_leaves(forest, &itself, 1, &options, rbl_default_jobs(), &found, NULL), "overlap");
    for (size_t i = 0; i < found.count; ++i)
    {
        add_u32(found.data[i].leaf_a);
        add_u32(found.data[i].leaf_b);
    }
    rbl_array_free(&found);
}

// All pairs that touch or cross, neighbours too, of the mesh with itself and with its own copy moved a little.
static void add_intersections(const rblForest* forest, const rblTriangleSpan* spans)
{
    const rblTreePair pairs[2] = {{0, 0}, {0, 1}};
    const rblOverlapScene scene = {forest, spans, pairs, 2};
    rblIntersectOptions options = rbl_default_intersect_options();
    options.neighbours = RBL_NEIGHBOURS_KEEP;
    rblTrianglePairArray found;
    rbl_array_init(&found, rbl_default_allocator());
    require(rbl_overlap_triangles(&scene, &options, rbl_default_jobs(), &found, NULL), "intersections");
    for (size_t i = 0; i < found.count; ++i)
    {
        const rblTrianglePair* pair = &found.data[i];
        add_u32(pair->triangle_a);
        add_u32(pair->triangle_b);
        add_u32(pair->count);
        for (int e = 0; e < 2; ++e)
        {
            add_u32(pair->ends[e].part_a * 8u + pair->ends[e].part_b);
            add_double(pair->ends[e].at.x);
            add_double(pair->ends[e].at.y);
            add_double(pair->ends[e].at.z);
        }
    }
    rbl_array_free(&found);
}

// Trees of every quality over one mesh, what rays hit in them, and what overlaps.
static void hash_trees(rblMeshId mesh)
{
    rblMeshId triangles;
    rblMeshView view;
    require(rbl_mesh_triangulate(mesh, &triangles), "triangulate");
    require(rbl_mesh_view(triangles, &view), "view");
    const rblTriangleSpan span = {.positions = view.positions,
                                  .stride = sizeof(rblVec3d),
                                  .is_double = true,
                                  .vertex_count = view.vertex_count,
                                  .indices = view.corner_vertices,
                                  .triangle_count = view.face_count};
    rblVec3d* moved = malloc(sizeof *moved * view.vertex_count);
    if (moved == NULL)
    {
        exit(1);
    }
    for (uint32_t v = 0; v < view.vertex_count; ++v)
    {
        moved[v] = view.positions[v];
        moved[v].x += 0.01;
        moved[v].y += 0.003;
    }
    rblTriangleSpan spans[2] = {span, span};
    spans[1].positions = moved;
    rblForest forest;
    rbl_forest_init(&forest, rbl_default_allocator());
    for (int quality = RBL_BVH_FAST; quality <= RBL_BVH_QUALITY; ++quality)
    {
        require(rbl_forest_build(&forest, spans, 2, (rblBvhQuality)quality, rbl_default_jobs()), "forest");
        const rblBvh bvh = rbl_forest_tree(&forest, 0);
        add_tree(&bvh);
        add_rays(&bvh);
        add_points(&bvh);
        add_overlaps(&forest);
        add_intersections(&forest, spans);
    }
    rbl_forest_free(&forest);
    free(moved);
    require(rbl_mesh_destroy(triangles), "destroy");
    print_area("trees");
}

// Every kind of ray and pixel: two items, moved apart, cut open, one turned.
// Every kind of pattern, in a box that is hit off its middle.
static void hash_patterns(void)
{
    const rblAabbd box = {{-0.5, 0, -0.2}, {0.5, 0.8, 0.2}};
    for (uint32_t kind = 0; kind < RBL_PATTERN_FILE; ++kind)
    {
        rblPatternDef def = rbl_default_pattern_def();
        def.kind = (rblPatternKind)kind;
        def.pieces = 200;
        rblMeshId mesh;
        require(rbl_pattern_draw(&def, box, (rblVec3d){0.1, 0.3, 0.2}, (rblVec3d){0, 0, -1}, &mesh),
                "pattern");
        add_mesh(mesh);
        rbl_mesh_destroy(mesh);
    }
    print_area("patterns");
}

static void hash_picture(rblMeshId mesh)
{
    static uint8_t rgba[4 * 80 * 60];
    rblPictureItem items[2] = {rbl_default_picture_item(mesh), rbl_default_picture_item(mesh)};
    items[1].pose = (rblTransform){{0.3f, 0.0f, 0.1f}, {0.0f, 0.6f, 0.0f, 0.8f}};
    items[1].parts = RBL_PARTS_COMPONENTS;
    rblPictureDef def = rbl_default_picture_def();
    def.items = items;
    def.item_count = 2;
    def.width = 80;
    def.height = 60;
    def.samples = 4;
    def.explode = 0.1;
    def.has_cut = 1;
    def.cut_normal = (rblVec3d){0.2, 0.1, 1.0};
    require(rbl_picture_render(&def, rgba, NULL), "picture");
    require(rbl_picture_write(rgba, 80, 60, "Rubble 0.1", (rblVec2){3, 12}, 8, (const uint8_t[3]){9, 9, 9}),
            "text");
    area_hash = rbl_hash_bytes(area_hash, rgba, sizeof rgba);
    print_area("picture");
}

static void add_contacts(const rblShapeView* a, const rblShapeView* b, rblTransform pose)
{
    rblContactSet set = {0};
    const rblCollideOptions options = {.margin = 0.01f, .first_count = 8};
    require(rbl_shape_collide(a, b, pose, &options, NULL, &set), "collide");
    for (uint32_t i = 0; i < set.count; ++i)
    {
        area_hash = rbl_hash_bytes(area_hash, &set.points[i], sizeof set.points[i]);
    }
    rbl_contact_set_free(&set);
}

// A level set of a mesh: its samples, its field, and what it touches.
static void hash_fields(rblMeshId mesh)
{
    rblRandom random = rbl_random_seed(9, 1);
    rblLevelSetDef def = rbl_default_level_set_def();
    rblShapeId shape;
    rblShapeView view;
    def.mesh = mesh;
    def.max_cells = 32;
    require(rbl_shape_create_level_set(&def, &shape), "level set");
    require(rbl_shape_view(shape, &view), "view");
    area_hash = rbl_hash_bytes(area_hash, view.samples, sizeof *view.samples * view.sample_count);
    for (int i = 0; i < 2000; ++i)
    {
        const rblVec3 p = {(float)rbl_random_range(&random, -0.5, 0.5),
                           (float)rbl_random_range(&random, -0.5, 0.5),
                           (float)rbl_random_range(&random, -0.5, 0.5)};
        rblVec3 gradient;
        add_double((double)rbl_shape_distance(view.shape, p, &gradient));
        area_hash = rbl_hash_bytes(area_hash, &gradient, sizeof gradient);
        add_contacts(&view, &view, (rblTransform){p, {0.36f, 0.48f, 0.0f, 0.8f}});
    }
    require(rbl_shape_destroy(shape), "destroy");
    print_area("fields");
}

static bool any_pair(uint32_t a, uint32_t b, const void* context)
{
    (void)context;
    return (a + b) % 7 != 0;
}

static bool add_visit(uint32_t proxy, void* context)
{
    (void)context;
    add_u32(proxy);
    return true;
}

static float add_ray_visit(uint32_t proxy, const rblRay* ray, void* context)
{
    (void)context;
    add_u32(proxy);
    return 0.9f * ray->t_max;
}

static rblAabb random_box(rblRandom* random)
{
    const rblVec3d p = random_point(random);
    const float size = 0.2f * rbl_random_float(random);
    const rblVec3 lower = {(float)p.x, (float)p.y, (float)p.z};
    return (rblAabb){lower, {lower.x + size, lower.y + 0.5f * size, lower.z + size}};
}

static void add_pairs(const rblProxyPairArray* pairs)
{
    for (size_t i = 0; i < pairs->count; ++i)
    {
        add_u32(pairs->data[i].a);
        add_u32(pairs->data[i].b);
    }
}

// Boxes that drift: what begins and ends, and in which order queries meet the trees.
static void hash_broad_phase(void)
{
    enum
    {
        PROXIES = 4000
    };
    static rblAabb boxes[PROXIES];
    static uint32_t proxies[PROXIES];
    rblRandom random = rbl_random_seed(5, 1);
    rblBroadPhase* broad;
    rblProxyPairArray begun, ended;
    rbl_array_init(&begun, rbl_default_allocator());
    rbl_array_init(&ended, rbl_default_allocator());
    require(rbl_broad_phase_create(rbl_default_allocator(), &broad), "broad phase");
    for (uint32_t i = 0; i < PROXIES; ++i)
    {
        proxies[i] = i;
        boxes[i] = random_box(&random);
        require(rbl_broad_phase_add(broad, i, boxes[i], i % 8 != 0), "proxy");
    }
    for (uint32_t step = 0; step < 12; ++step)
    {
        const float way = step % 4 == 0 ? 0.05f : 0.001f;
        for (uint32_t i = 0; i < PROXIES; ++i)
        {
            const float by = i % 8 != 0 ? way * (rbl_random_float(&random) - 0.5f) : 0.0f;
            boxes[i].lower.x += by;
            boxes[i].upper.x += by;
        }
        require(rbl_broad_phase_move(broad, proxies, boxes, PROXIES, 0.0f, rbl_default_jobs()), "move");
        require(rbl_broad_phase_update(broad, any_pair, NULL, rbl_default_jobs(), &begun, &ended), "update");
        add_pairs(&begun);
        add_pairs(&ended);
        rbl_broad_phase_query(broad, rbl_broad_phase_fat_box(broad, step), add_visit, NULL);
        const rblRay ray = {boxes[step].lower, {1.0f, -0.5f, 0.25f}, 0.0f, 10.0f};
        rbl_broad_phase_ray(broad, &ray, (rblVec3){0.1f, 0.1f, 0.1f}, add_ray_visit, NULL);
    }
    rbl_array_free(&begun);
    rbl_array_free(&ended);
    rbl_broad_phase_destroy(broad);
    print_area("broad phase");
}

static rblVec3 to_float(rblVec3d p)
{
    return (rblVec3){(float)p.x, (float)p.y, (float)p.z};
}

static rblShapeId convex_shape(rblRandom* random, uint32_t kind)
{
    rblShapeId id = {0, 0};
    rblVec3 points[16];
    switch (kind)
    {
    case 0:
        require(rbl_shape_create_sphere(0.6f, &id), "sphere");
        break;
    case 1:
        require(rbl_shape_create_capsule(0.3f, 1.5f, &id), "capsule");
        break;
    case 2:
        require(rbl_shape_create_box((rblVec3){1.0f, 0.7f, 1.3f}, &id), "box");
        break;
    case 3:
        require(rbl_shape_create_cylinder(0.5f, 0.8f, &id), "cylinder");
        break;
    default:
        for (int i = 0; i < 16; ++i)
        {
            points[i] = to_float(random_point(random));
        }
        require(rbl_shape_create_hull(points, 16, &id), "hull");
    }
    return id;
}

// Convex shapes: mass, samples, boxes, contacts, times of impact.
static void hash_convex(void)
{
    rblRandom random = rbl_random_seed(10, 1);
    for (uint32_t round = 0; round < 100; ++round)
    {
        const rblShapeId ids[2] = {convex_shape(&random, round % 5), convex_shape(&random, round / 5 % 5)};
        rblShapeView a;
        rblShapeView b;
        require(rbl_shape_view(ids[0], &a), "view");
        require(rbl_shape_view(ids[1], &b), "view");
        add_double(a.mass.moments.x);
        require(rbl_shape_samples(&a, &a.samples, &a.sample_count), "samples");
        area_hash = rbl_hash_bytes(area_hash, a.samples, sizeof *a.samples * a.sample_count);
        for (int i = 0; i < 20; ++i)
        {
            const rblVec3d axis = random_point(&random);
            const rblTransform pose = {to_float(random_point(&random)),
                                       rbl_quat_from_axis_angle(to_float(axis), (float)i)};
            const rblSweep still = {.from = {{0, 0, 0}, {0, 0, 0, 1}}};
            const rblSweep moving = {{{3, 3, 3}, pose.q}, {-4, -4, -4}, to_float(axis)};
            const rblAabb box = rbl_shape_bounds_at(&b, pose);
            add_box(&box);
            add_contacts(&a, &b, pose);
            add_double((double)rbl_shape_time_of_impact(&a, &still, &b, &moving, 0.0f, 1e-3f));
        }
        require(rbl_shape_destroy(ids[0]), "destroy");
        require(rbl_shape_destroy(ids[1]), "destroy");
    }
    print_area("convex");
}

static rblBodyId add_body(rblWorldId world, rblShapeId shape, rblBodyType type, rblTransform pose)
{
    rblBodyDef def = rbl_default_body_def();
    def.shape = shape;
    def.type = type;
    def.pose = pose;
    def.material.restitution = 0.3f;
    rblBodyId body;
    require(rbl_body_create(world, &def, &body), "body");
    return body;
}

static void add_joint(rblWorldId world, rblJointKind kind, rblBodyId a, rblBodyId b)
{
    rblJointDef def = rbl_default_joint_def();
    def.kind = kind;
    def.a = a;
    def.b = b;
    def.anchor_b = (rblVec3){0.0f, 0.6f, 0.0f};
    rblJointId joint;
    require(rbl_joint_create(world, &def, &joint), "joint");
}

// A world: convex shapes and level sets fall onto a moving floor, some on joints; with sleep, impacts and a snapshot.
static void hash_world(rblMeshId mesh)
{
    rblRandom random = rbl_random_seed(11, 1);
    rblWorldDef world_def = rbl_default_world_def();
    rblWorldId world;
    require(rbl_world_create(&world_def, &world), "world");
    rblShapeId shapes[7];
    for (uint32_t i = 0; i < 5; ++i)
    {
        shapes[i] = convex_shape(&random, i);
    }
    rblLevelSetDef level_def = rbl_default_level_set_def();
    level_def.mesh = mesh;
    level_def.max_cells = 24;
    require(rbl_shape_create_level_set(&level_def, &shapes[5]), "level set");
    require(rbl_shape_create_box((rblVec3){20.0f, 1.0f, 20.0f}, &shapes[6]), "floor");
    const rblTransform below = {{0.0f, -0.5f, 0.0f}, {0, 0, 0, 1}};
    const rblBodyId floor = add_body(world, shapes[6], RBL_BODY_KINEMATIC, below);
    require(rbl_body_set_velocity(world, floor, (rblVec3){0.1f, 0.2f, 0.0f}, (rblVec3){0, 0.1f, 0}), "floor");
    rblBodyId last = {0, 0};
    for (uint32_t i = 0; i < 120; ++i)
    {
        const rblVec3 axis = to_float(random_point(&random));
        const rblTransform pose = {
            {1.3f * (float)(i % 4), 1.0f + 1.3f * (float)(i / 16), 1.3f * (float)(i / 4 % 4)},
            rbl_quat_from_axis_angle(axis, (float)i)};
        const rblBodyId body = add_body(world, shapes[i % 6], RBL_BODY_DYNAMIC, pose);
        if (i % 10 == 9)
        {
            add_joint(world, (rblJointKind)(i / 10 % RBL_JOINT_KIND_COUNT), body, last);
        }
        last = body;
    }
    for (int step = 0; step < 30; ++step)
    {
        uint64_t hash;
        rblEnergy energy;
        require(rbl_world_step(world, 1.0f / 30.0f), "step");
        require(rbl_world_hash(world, &hash), "hash");
        require(rbl_world_energy(world, &energy), "energy");
        area_hash = rbl_hash_bytes(area_hash, &hash, sizeof hash);
        add_double(energy.kinetic + energy.potential);
        add_double(energy.work);
    }
    for (int i = 0; i < 7; ++i)
    {
        require(rbl_shape_destroy(shapes[i]), "destroy");
    }
    require(rbl_world_destroy(world), "destroy");
    print_area("world");
}

// Slabs fall in a heap and break: hundreds of births, several in a step, some by other fragments.
static void hash_breaks(void)
{
    BoxBreaker boxes = {.counts = {4, 1, 3}, .energy = 3.0f};
    const rblBreakerId breaker = make_box_breaker(&boxes);
    rblWorldDef world_def = rbl_default_world_def();
    rblWorldId world;
    rblShapeId ground;
    rblBodyDef def = rbl_default_body_def();
    require(rbl_world_create(&world_def, &world), "world");
    require(rbl_shape_create_plane((rblVec3){0, 1, 0}, &ground), "plane");
    require(rbl_shape_create_box((rblVec3){0.4f, 0.08f, 0.3f}, &def.shape), "box");
    add_body(world, ground, RBL_BODY_STATIC, (rblTransform){{0, 0, 0}, {0, 0, 0, 1}});
    def.breaker = breaker;
    for (int i = 0; i < 32; ++i)
    {
        rblBodyId body;
        def.pose.p = (rblVec3){0.3f * (float)(i % 4), 0.8f + 0.15f * (float)i, 0.2f * (float)(i % 3)};
        def.pose.q = rbl_quat_from_axis_angle((rblVec3){1, 0.5f, 0.2f}, 0.4f * (float)i);
        require(rbl_body_create(world, &def, &body), "body");
    }
    for (int i = 0; i < 60; ++i)
    {
        uint64_t hash;
        require(rbl_world_step(world, 1.0f / 30.0f), "step");
        require(rbl_world_hash(world, &hash), "hash");
        add_u32((uint32_t)hash);
        add_u32((uint32_t)(hash >> 32));
    }
    rblCounters counters;
    require(rbl_world_counters(world, &counters), "counters");
    add_u32(counters.fragments);
    require(rbl_world_destroy(world), "destroy");
    rbl_shape_destroy(def.shape);
    rbl_shape_destroy(ground);
    rbl_breaker_destroy(breaker);
    print_area("breaks");
}

// One fragment's breaks again: what comes out of a field's break, too.
static void add_fragments(const rblBreaker* breaker, rblBreakBody* body, uint32_t depth)
{
    const rblVec3 top = {0.0f, body->view.bounds.upper.y, 0.0f};
    const rblVerdict verdict = {.breaks = true, .point = top, .normal = {0.0f, -1.0f, 0.0f}, .budget = 1e30};
    void* prepared = NULL;
    rblFracture fracture;
    require(rbl_breaker_prepare(breaker, &body->view, &body->material, rbl_default_jobs(), &prepared),
            "prepare");
    require(rbl_breaker_shatter(breaker, prepared, body, &verdict, rbl_default_jobs(), &fracture), "shatter");
    rbl_breaker_forget(breaker, prepared);
    add_double(fracture.crack_area);
    add_u32(fracture.mate_count);
    for (uint32_t i = 0; i < fracture.fragment_count; ++i)
    {
        rblShapeView view;
        require(rbl_shape_view(fracture.fragments[i].shape, &view), "fragment");
        add_double((double)fracture.fragments[i].mass);
        add_double(view.mass.volume);
        require(rbl_shape_samples(&view, &view.samples, &view.sample_count), "samples");
        for (uint32_t k = 0; k < view.sample_count; ++k)
        {
            rblVec3 gradient;
            add_double((double)view.samples[k].x);
            add_double((double)rbl_shape_distance(view.shape, view.samples[k], &gradient));
            add_double((double)gradient.y);
        }
    }
    if (depth > 0 && fracture.fragment_count > 0)
    {
        rblBreakBody next = *body;
        require(rbl_shape_view(fracture.fragments[0].shape, &next.view), "fragment");
        next.mass = fracture.fragments[0].mass;
        next.generation += 1;
        add_fragments(breaker, &next, depth - 1);
    }
    rbl_fracture_free(&fracture);
}

static void hash_prescored(rblMeshId mesh)
{
    rblLevelSetDef def = rbl_default_level_set_def();
    rblPrescoredDef prescored = rbl_default_prescored_def();
    rblBreakerId id;
    const rblBreaker* breaker = NULL;
    rblShapeId shapes[2];
    def.mesh = mesh;
    def.max_cells = 32;
    prescored.share = 0.5f;
    require(rbl_shape_create_level_set(&def, &shapes[0]), "level set");
    require(rbl_shape_create_box((rblVec3){0.5f, 0.3f, 0.1f}, &shapes[1]), "box");
    require(rbl_breaker_create_prescored(&prescored, &id), "prescored");
    require(rbl_breaker_hold(id, &breaker), "hold");
    for (int i = 0; i < 2; ++i)
    {
        rblBreakBody body = {.pose = {{0, 0, 0}, {0, 0, 0, 1}}, .mass = 1.0f, .seed = 5};
        require(rbl_shape_view(shapes[i], &body.view), "view");
        require(rbl_material_preset("glass", &body.material), "glass");
        add_fragments(breaker, &body, 2);
        require(rbl_shape_destroy(shapes[i]), "destroy");
    }
    rbl_breaker_release(breaker);
    require(rbl_breaker_destroy(id), "destroy");
    print_area("prescored");
}

static void hash_tetrahedra(rblMeshId mesh)
{
    rblTetsId tets;
    rblTetsView view;
    rblTetsDef def = rbl_default_tets_def();
    def.count = 6000;
    require(rbl_tets_fill(mesh, &def, NULL, &tets), "fill");
    require(rbl_tets_view(tets, &view), "view");
    area_hash = rbl_hash_bytes(area_hash, view.positions, sizeof *view.positions * view.node_count);
    area_hash = rbl_hash_bytes(area_hash, view.nodes, sizeof *view.nodes * 4 * view.tet_count);
    require(rbl_tets_destroy(tets), "destroy");
    print_area("tetrahedra");
}

int main(int argc, char** argv)
{
    area_hash = RBL_HASH_START;
    const rblTasks tasks = {.worker_count = argc > 1 ? (uint32_t)atoi(argv[1]) : 1};
    require(rbl_set_tasks(&tasks), "tasks");
    hash_functions();
    hash_predicates();
    hash_numbers();
    hash_solids();
    rblMeshId statue;
    require(rbl_mesh_make("statue", NULL, 0, &statue), "statue");
    hash_simplify(statue);
    hash_repair(statue);
    hash_trees(statue);
    hash_tetrahedra(statue);
    hash_patterns();
    hash_picture(statue);
    hash_fields(statue);
    hash_broad_phase();
    hash_convex();
    hash_world(statue);
    hash_breaks();
    hash_prescored(statue);
    require(rbl_mesh_destroy(statue), "destroy");
    return rbl_set_tasks(NULL) == RBL_OK ? 0 : 1;
}
