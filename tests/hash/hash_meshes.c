// Areas of meshes: solids, simplification, repair, hierarchies, patterns, pictures, tetrahedra.
#include "hash.h"

#include "base/jobs.h"
#include "bvh/query/closest.h"
#include "bvh/query/intersect.h"
#include "bvh/query/ray.h"
#include "bvh/query/region.h"
#include "bvh/query/signed_distance.h"
#include <stdlib.h>

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

void hash_solids(void)
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

void hash_simplify(rblMeshId mesh)
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
void hash_repair(rblMeshId mesh)
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

static bool add_leaf(uint32_t leaf, void* context)
{
    (void)context;
    add_u32(leaf);
    return true;
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
    rblRayTree rays;
    rbl_ray_tree_init(&rays, rbl_default_allocator());
    require(rbl_ray_tree_build(&rays, bvh, rbl_default_jobs()), "ray tree");
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
        rblRayHit other = {0};
        add_u32(rbl_ray_tree_closest(bvh, &rays, &ray, &other));
        add_double((double)other.t + (double)other.u + (double)other.v);
        add_u32(other.triangle);
        add_u32(rbl_ray_tree_any(bvh, &rays, &ray));
    }
    for (uint32_t i = 0; i < rays.node_count; ++i)
    {
        for (uint32_t k = 0; k < RBL_RAY_WIDTH; ++k)
        {
            add_u32(rays.nodes[i].child[k]);
        }
    }
    rbl_ray_tree_free(&rays);
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
        rbl_tree_signed_distance_many(bvh, &winding, &p, 1, 0.5f, RBL_SIGN_CLOSED, rbl_serial_jobs(),
                                      &distance);
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
void hash_trees(rblMeshId mesh)
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
// Every kind of pattern, in a box with an impact off its middle.
void hash_patterns(void)
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

void hash_picture(rblMeshId mesh)
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

// Both solvers, and modes.
static void hash_elasticity(rblTetsId tets)
{
    static rblVec3d displacements[20000], shapes[4 * 20000];
    static rblStress stresses[20000];
    const rblElasticLoad load = {{0.0, 1.0, 0.1}, {3.0, -100.0, 7.0}, 0.02, 1e-4};
    rblElasticDef def = rbl_default_elastic_def();
    def.tets = tets;
    for (int solver = 0; solver < 3; ++solver)
    {
        rblElasticId elastic;
        rblElasticView view;
        rblElasticReport report;
        const rblElasticFields fields = {.displacements = displacements, .node_stresses = stresses};
        def.solver = solver == 0   ? RBL_ELASTIC_ITERATIVE
                     : solver == 1 ? RBL_ELASTIC_DIRECT
                                   : RBL_ELASTIC_ROUNDED;
        def.tolerance = solver == 2 ? 1e-3 : def.tolerance;
        require(rbl_elastic_create(&def, &elastic), "elastic");
        require(rbl_elastic_view(elastic, &view), "view");
        require(view.node_count <= 20000 ? RBL_OK : RBL_ERROR_LIMIT, "nodes");
        require(rbl_elastic_solve(elastic, &load, 1, &fields, &report), "solve");
        area_hash = rbl_hash_bytes(area_hash, displacements, sizeof *displacements * view.node_count);
        area_hash = rbl_hash_bytes(area_hash, stresses, sizeof *stresses * view.node_count);
        add_double(report.energy);
        if (solver == 1)
        {
            double frequencies[4], time = RBL_ELASTIC_PEAK;
            require(rbl_elastic_modes(elastic, 4, frequencies, shapes), "modes");
            require(rbl_elastic_respond(elastic, frequencies, shapes, 4, &load, 1, &time, displacements),
                    "respond");
            area_hash = rbl_hash_bytes(area_hash, frequencies, sizeof frequencies);
            area_hash = rbl_hash_bytes(area_hash, displacements, sizeof *displacements * view.node_count);
        }
        require(rbl_elastic_destroy(elastic), "destroy");
    }
    print_area("elasticity");
}

void hash_tetrahedra(rblMeshId mesh)
{
    rblTetsId tets;
    rblTetsView view;
    rblTetsDef def = rbl_default_tets_def();
    def.count = 6000;
    require(rbl_tets_fill(mesh, &def, NULL, &tets), "fill");
    require(rbl_tets_view(tets, &view), "view");
    area_hash = rbl_hash_bytes(area_hash, view.positions, sizeof *view.positions * view.node_count);
    area_hash = rbl_hash_bytes(area_hash, view.nodes, sizeof *view.nodes * 4 * view.tet_count);
    print_area("tetrahedra");
    hash_elasticity(tets);
    require(rbl_tets_destroy(tets), "destroy");
}
