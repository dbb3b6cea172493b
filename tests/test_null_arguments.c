// Every public call with a null pointer: it is refused, or answers with what its comment says. None crashes.
#include "testing.h"

#include <stdlib.h>
#include <string.h>

#define ROOM ((size_t)1 << 24) // bytes for whatever calls would write

// One of each, and arguments that are good.
static struct
{
    rblBreakerId breaker;
    rblBvhId bvh;
    rblElasticId elastic;
    rblMeshId mesh;
    rblMovieId movie;
    rblPiecesId pieces;
    rblRunId run;
    rblSceneId scene;
    rblShapeId shape;
    rblTetsId tets;
    rblWorldId world;
    rblBodyId body;
    rblJointId joint;
    rblAllocator allocator_def;
    rblBreakerDef breaker_def;
    rblBreakerKind breaker_kind;
    rblBvhDef bvh_def;
    rblDatasetDef dataset_def;
    rblElasticDef elastic_def;
    rblExportOptions export_options;
    rblInspectOptions inspect_options;
    rblLoadOptions load_options;
    rblSaveOptions save_options;
    rblIsosurfaceDef isosurface_def;
    rblJointDef joint_def;
    rblMovieDef movie_def;
    rblPatternDef pattern_def;
    rblPictureDef picture_def;
    rblSheetDef sheet_def;
    rblPrescoredDef prescored_def;
    rblRepairOptions repair_options;
    rblRunDef run_def;
    rblLevelSetDef level_set_def;
    rblUserShape user_shape;
    rblHeightFieldDef height_field_def;
    rblCollideOptions collide_options;
    rblShatterDef shatter_def;
    rblSimplifyOptions simplify_options;
    rblStressDef stress_def;
    rblTasks tasks;
    rblTetsDef tets_def;
    rblWorldDef world_def;
    rblBodyDef body_def;
    rblDebugDraw debug_draw;
    const rblBreaker* method;
    rblShapeView view;
    rblMaterial material;
    rblMat3d identity;
    rblSweep sweep;
    rblRay ray;
    rblBreakBody break_body;
    rblMeshView mesh_view;
    rblTetsView tets_view;
    rblPictureItem item;
    rblDatasetMesh dataset_mesh;
    rblTransform view_pose;
    rblAabbd box;
    rblVec3 up;
    rblVec3d up_double;
    rblVec2 corner;
    void* any; // ROOM bytes, all zero
} o;

// Refused with a message that speaks of null, before anything is written.
#define REFUSED(call)                                                                                        \
    do                                                                                                       \
    {                                                                                                        \
        check_fails(RBL_ERROR_ARGUMENT, call);                                                               \
        if (strstr(rbl_last_error(), "null") == NULL)                                                        \
        {                                                                                                    \
            fail_msg("%s: %s", #call, rbl_last_error());                                                     \
        }                                                                                                    \
    } while (0)

static bool visit_triangle(uint32_t span, uint32_t triangle, void* context)
{
    (void)span;
    (void)triangle;
    (void)context;
    return true;
}

static bool visit_pair(const rblBvhPair* pair, void* context)
{
    (void)pair;
    (void)context;
    return true;
}

static bool visit_body(rblBodyId body, void* context)
{
    (void)body;
    (void)context;
    return true;
}

static void count_one(uint32_t index, void* context)
{
    (void)index;
    *(uint32_t*)context += 1;
}

static void breakers_refuse_null(void** state)
{
    (void)state;
    REFUSED(rbl_fragment_faces(NULL, o.any, 1, o.any));
    REFUSED(rbl_fragment_faces(&o.view, NULL, 1, o.any));
    REFUSED(rbl_fragment_faces(&o.view, o.any, 1, NULL));
    REFUSED(rbl_fracture_allocate(NULL, 1, 1));
    REFUSED(rbl_breaker_create(NULL, o.any));
    REFUSED(rbl_breaker_create(&o.breaker_def, NULL));
    REFUSED(rbl_breaker_acquire(o.breaker, NULL));
    REFUSED(rbl_breaker_prepare(NULL, &o.view, &o.material, o.any, o.any));
    REFUSED(rbl_breaker_prepare(o.method, NULL, &o.material, o.any, o.any));
    REFUSED(rbl_breaker_prepare(o.method, &o.view, NULL, o.any, o.any));
    REFUSED(rbl_breaker_prepare(o.method, &o.view, &o.material, o.any, NULL));
    REFUSED(rbl_breaker_decide(NULL, o.any, &o.break_body, o.any, 1, o.any));
    REFUSED(rbl_breaker_decide(o.method, o.any, NULL, o.any, 1, o.any));
    REFUSED(rbl_breaker_decide(o.method, o.any, &o.break_body, NULL, 1, o.any));
    REFUSED(rbl_breaker_decide(o.method, o.any, &o.break_body, o.any, 1, NULL));
    REFUSED(rbl_breaker_shatter(NULL, o.any, &o.break_body, o.any, o.any, o.any));
    REFUSED(rbl_breaker_shatter(o.method, o.any, NULL, o.any, o.any, o.any));
    REFUSED(rbl_breaker_shatter(o.method, o.any, &o.break_body, NULL, o.any, o.any));
    REFUSED(rbl_breaker_shatter(o.method, o.any, &o.break_body, o.any, o.any, NULL));
    REFUSED(rbl_breaker_kind_register(NULL));
    REFUSED(rbl_breaker_kind_unregister(NULL));
    REFUSED(rbl_breaker_kind_find(NULL, o.any));
    REFUSED(rbl_breaker_kind_find("stress", NULL));
    REFUSED(rbl_breaker_create_kind(NULL, &o.stress_def, o.any));
    REFUSED(rbl_breaker_create_kind("stress", NULL, o.any));
    REFUSED(rbl_breaker_create_kind("stress", &o.stress_def, NULL));
    REFUSED(rbl_breaker_create_prescored(NULL, o.any));
    REFUSED(rbl_breaker_create_prescored(&o.prescored_def, NULL));
    REFUSED(rbl_breaker_create_stress(NULL, o.any));
    REFUSED(rbl_breaker_create_stress(&o.stress_def, NULL));
    REFUSED(rbl_pattern_preset(NULL, &o.pattern_def));
    REFUSED(rbl_pattern_preset("glass", NULL));
    REFUSED(rbl_pattern_kind_from_name(NULL, o.any));
    REFUSED(rbl_pattern_kind_from_name("radial", NULL));
    REFUSED(rbl_pattern_check(NULL));
    REFUSED(rbl_pattern_draw(NULL, o.box, o.up_double, o.up_double, o.any));
    REFUSED(rbl_pattern_draw(&o.pattern_def, o.box, o.up_double, o.up_double, NULL));
    REFUSED(rbl_pattern_save_glb(o.mesh, NULL));
    REFUSED(rbl_material_preset(NULL, o.any));
    REFUSED(rbl_material_preset("glass", NULL));
}

static void hierarchies_refuse_null(void** state)
{
    (void)state;
    REFUSED(rbl_bvh_create(NULL, o.any));
    REFUSED(rbl_bvh_create(&o.bvh_def, NULL));
    REFUSED(rbl_bvh_rebuild(o.bvh, NULL));
    REFUSED(rbl_bvh_refit(o.bvh, NULL, 1));
    REFUSED(rbl_bvh_stats(o.bvh, NULL));
    REFUSED(rbl_bvh_ray_closest(o.bvh, NULL, 1, o.any));
    REFUSED(rbl_bvh_ray_closest(o.bvh, &o.ray, 1, NULL));
    REFUSED(rbl_bvh_ray_any(o.bvh, NULL, 1, o.any));
    REFUSED(rbl_bvh_ray_any(o.bvh, &o.ray, 1, NULL));
    REFUSED(rbl_bvh_closest(o.bvh, NULL, 1, 0.5f, o.any));
    REFUSED(rbl_bvh_closest(o.bvh, o.any, 1, 0.5f, NULL));
    REFUSED(rbl_bvh_winding_number(o.bvh, NULL, 1, o.any));
    REFUSED(rbl_bvh_winding_number(o.bvh, o.any, 1, NULL));
    REFUSED(rbl_bvh_signed_distance(o.bvh, NULL, 1, 0.5f, (rblSignMode)0, o.any));
    REFUSED(rbl_bvh_signed_distance(o.bvh, o.any, 1, 0.5f, (rblSignMode)0, NULL));
    REFUSED(rbl_bvh_signed_distance_grid(o.bvh, NULL, 0.5f, (rblSignMode)0, o.any));
    REFUSED(rbl_bvh_signed_distance_grid(o.bvh, o.any, 0.5f, (rblSignMode)0, NULL));
    REFUSED(rbl_bvh_overlap_box(o.bvh, o.view.bounds, NULL, o.any));
    REFUSED(rbl_bvh_overlap_sphere(o.bvh, o.up, 0.5f, NULL, o.any));
    REFUSED(rbl_bvh_overlap_pairs(o.bvh, o.any, 1, false, NULL, o.any));
    REFUSED(rbl_bvh_overlap_pairs(o.bvh, NULL, 1, false, visit_pair, o.any));
}

static void meshes_refuse_null(void** state)
{
    (void)state;
    REFUSED(rbl_mesh_create(NULL, o.any));
    REFUSED(rbl_mesh_create(&o.mesh_view, NULL));
    REFUSED(rbl_mesh_view(o.mesh, NULL));
    REFUSED(rbl_mesh_triangulate(o.mesh, NULL));
    REFUSED(rbl_mesh_transform(o.mesh, NULL, o.up_double, o.any));
    REFUSED(rbl_mesh_transform(o.mesh, &o.identity, o.up_double, NULL));
    REFUSED(rbl_mesh_join(NULL, 1, o.any));
    REFUSED(rbl_mesh_join(o.any, 1, NULL));
    REFUSED(rbl_mesh_create_bvh(o.mesh, (rblBvhQuality)0, false, NULL));
    REFUSED(rbl_mesh_inspect(o.mesh, &o.inspect_options, NULL));
    REFUSED(rbl_mesh_mass_properties(o.mesh, 0.5f, NULL));
    REFUSED(rbl_mesh_isosurface(NULL, o.any));
    REFUSED(rbl_mesh_isosurface(&o.isosurface_def, NULL));
    REFUSED(rbl_mesh_repair(o.mesh, &o.repair_options, NULL, o.any));
    REFUSED(rbl_mesh_repair(o.mesh, &o.repair_options, o.any, NULL));
    REFUSED(rbl_mesh_simplify(o.mesh, &o.simplify_options, NULL, o.any));
    REFUSED(rbl_mesh_decompose(o.mesh, NULL, NULL, o.any));
    REFUSED(rbl_shape_create_parts(o.mesh, NULL, NULL, o.any));
    REFUSED(rbl_mesh_make(NULL, o.any, 1, o.any));
    REFUSED(rbl_mesh_make("box", NULL, 1, o.any));
    REFUSED(rbl_mesh_make("box", o.any, 1, NULL));
    REFUSED(rbl_drawable_create(o.mesh, NULL));
}

static void files_refuse_null(void** state)
{
    (void)state;
    REFUSED(rbl_mesh_load(NULL, &o.load_options, o.any));
    REFUSED(rbl_mesh_load("null_arguments.obj", &o.load_options, NULL));
    REFUSED(rbl_mesh_load_memory(NULL, 1, "box", &o.load_options, o.any));
    REFUSED(rbl_mesh_load_memory(o.any, 1, "box", NULL, o.any));
    REFUSED(rbl_mesh_load_memory(o.any, 1, "box", &o.load_options, NULL));
    REFUSED(rbl_mesh_save(o.mesh, NULL, &o.save_options));
    REFUSED(rbl_mesh_save_memory(o.mesh, NULL, o.any, o.any));
    REFUSED(rbl_mesh_save_memory(o.mesh, &o.save_options, NULL, o.any));
    REFUSED(rbl_mesh_save_memory(o.mesh, &o.save_options, o.any, NULL));
    REFUSED(rbl_output_check(NULL));
    REFUSED(rbl_output_check_folder(NULL, false));
    REFUSED(rbl_image_save_png(NULL, o.any, 1, 1, 1));
    REFUSED(rbl_image_save_png("null_arguments.obj", NULL, 1, 1, 1));
    REFUSED(rbl_dataset_write(NULL, "null_arguments_folder", o.any));
    REFUSED(rbl_dataset_remove(NULL));
    REFUSED(rbl_run_export(o.run, NULL, &o.export_options));
    REFUSED(rbl_export_check(NULL, &o.export_options));
    REFUSED(rbl_run_plot(o.run, NULL));
    REFUSED(rbl_statistics_plot(NULL, "null_arguments.obj"));
    REFUSED(rbl_statistics_plot("null_arguments.obj", NULL));
    REFUSED(rbl_dataset_write(&o.dataset_def, NULL, o.any));
    REFUSED(rbl_json_writer_finish(NULL));
}

static void tetrahedra_refuse_null(void** state)
{
    (void)state;
    REFUSED(rbl_tets_create(NULL, o.any));
    REFUSED(rbl_tets_create(&o.tets_view, NULL));
    REFUSED(rbl_tets_view(o.tets, NULL));
    REFUSED(rbl_tets_fill(o.mesh, &o.tets_def, o.any, NULL));
    REFUSED(rbl_tets_locate(o.tets, NULL, 1, o.any));
    REFUSED(rbl_tets_locate(o.tets, o.any, 1, NULL));
    REFUSED(rbl_tets_inspect(o.tets, NULL));
    REFUSED(rbl_tets_compare(o.tets, o.mesh, NULL));
    REFUSED(rbl_tets_surface(o.tets, false, NULL));
    REFUSED(rbl_tets_load(NULL, o.any));
    REFUSED(rbl_tets_load("null_arguments.obj", NULL));
    REFUSED(rbl_tets_save(o.tets, false, NULL));
    REFUSED(rbl_elastic_create(NULL, o.any));
    REFUSED(rbl_elastic_create(&o.elastic_def, NULL));
    REFUSED(rbl_elastic_view(o.elastic, NULL));
    REFUSED(rbl_elastic_solve(o.elastic, NULL, 1, o.any, o.any));
    REFUSED(rbl_elastic_solve(o.elastic, o.any, 1, NULL, o.any));
    REFUSED(rbl_elastic_evaluate(o.elastic, NULL, o.any, o.any));
    REFUSED(rbl_elastic_evaluate(o.elastic, o.any, NULL, o.any));
    REFUSED(rbl_elastic_forces(o.elastic, NULL, 1, o.any));
    REFUSED(rbl_elastic_forces(o.elastic, o.any, 1, NULL));
    REFUSED(rbl_elastic_solve_forces(o.elastic, NULL, o.any, o.any));
    REFUSED(rbl_elastic_solve_forces(o.elastic, o.any, NULL, o.any));
    REFUSED(rbl_elastic_modes(o.elastic, 1, NULL, o.any));
    REFUSED(rbl_elastic_modes(o.elastic, 1, o.any, NULL));
    REFUSED(rbl_elastic_respond(o.elastic, NULL, o.any, 1, o.any, 1, o.any, o.any));
    REFUSED(rbl_elastic_respond(o.elastic, o.any, NULL, 1, o.any, 1, o.any, o.any));
    REFUSED(rbl_elastic_respond(o.elastic, o.any, o.any, 1, NULL, 1, o.any, o.any));
    REFUSED(rbl_elastic_respond(o.elastic, o.any, o.any, 1, o.any, 1, NULL, o.any));
    REFUSED(rbl_elastic_respond(o.elastic, o.any, o.any, 1, o.any, 1, o.any, NULL));
}

static void shapes_refuse_null(void** state)
{
    (void)state;
    REFUSED(rbl_shape_create_plane(o.up, NULL));
    REFUSED(rbl_shape_create_sphere(0.5f, NULL));
    REFUSED(rbl_shape_create_capsule(0.5f, 0.5f, NULL));
    REFUSED(rbl_shape_create_box(o.up, NULL));
    REFUSED(rbl_shape_create_cylinder(0.5f, 0.5f, NULL));
    REFUSED(rbl_shape_create_hull(NULL, 1, o.any));
    REFUSED(rbl_shape_create_hull(o.any, 1, NULL));
    REFUSED(rbl_shape_create_level_set(NULL, o.any));
    REFUSED(rbl_shape_create_level_set(&o.level_set_def, NULL));
    REFUSED(rbl_shape_create_compound(NULL, 1, o.any));
    REFUSED(rbl_shape_create_compound(o.any, 1, NULL));
    REFUSED(rbl_shape_create_triangles((rblMeshId){0, 0}, NULL));
    rbl_height_field_def_init(NULL, 1000);
    REFUSED(rbl_shape_create_height_field(NULL, o.any));
    REFUSED(rbl_shape_create_height_field(&o.height_field_def, NULL));
    REFUSED(rbl_shape_create_user(NULL, o.any));
    REFUSED(rbl_shape_create_user(&o.user_shape, NULL));
    REFUSED(rbl_shape_view(o.shape, NULL));
    REFUSED(rbl_shape_surface(NULL, o.any));
    REFUSED(rbl_shape_surface(&o.view, NULL));
    REFUSED(rbl_shape_samples(NULL, o.any, o.any));
    REFUSED(rbl_shape_samples(&o.view, NULL, o.any));
    REFUSED(rbl_shape_samples(&o.view, o.any, NULL));
    REFUSED(rbl_shape_acquire(o.shape, NULL));
    REFUSED(rbl_shape_collide(NULL, &o.view, o.view_pose, &o.collide_options, o.any, o.any));
    REFUSED(rbl_shape_collide(&o.view, NULL, o.view_pose, &o.collide_options, o.any, o.any));
    REFUSED(rbl_shape_collide(&o.view, &o.view, o.view_pose, &o.collide_options, o.any, NULL));
    REFUSED(rbl_shatter_place(o.mesh, o.any, o.any, NULL, o.any));
    REFUSED(rbl_mesh_shatter(o.mesh, &o.shatter_def, NULL));
    REFUSED(rbl_pieces_info(o.pieces, NULL));
    REFUSED(rbl_pieces_piece(o.pieces, 1, NULL));
    REFUSED(rbl_pieces_mesh(o.pieces, 1, NULL));
    REFUSED(rbl_pieces_mates(o.pieces, NULL, 1, o.any));
    REFUSED(rbl_pieces_mates(o.pieces, o.any, 1, NULL));
    REFUSED(rbl_pieces_save_folder(o.pieces, 0.5f, NULL, false));
    REFUSED(rbl_pieces_save_glb(o.pieces, 0.5f, 0.5f, NULL));
}

static void worlds_refuse_null(void** state)
{
    (void)state;
    REFUSED(rbl_world_create(NULL, o.any));
    REFUSED(rbl_world_create(&o.world_def, NULL));
    REFUSED(rbl_body_create(o.world, NULL, o.any));
    REFUSED(rbl_body_create(o.world, &o.body_def, NULL));
    REFUSED(rbl_body_state(o.world, o.body, NULL));
    REFUSED(rbl_world_motions(o.world, NULL, 1, o.any));
    REFUSED(rbl_world_motions(o.world, o.any, 1, NULL));
    REFUSED(rbl_body_pose_at(o.world, o.body, 0.5f, NULL));
    REFUSED(rbl_body_set_material(o.world, o.body, NULL));
    REFUSED(rbl_world_contact_events(o.world, NULL, o.any));
    REFUSED(rbl_world_contact_events(o.world, o.any, NULL));
    REFUSED(rbl_world_sensor_events(o.world, NULL, o.any));
    REFUSED(rbl_world_sensor_events(o.world, o.any, NULL));
    REFUSED(rbl_sensor_overlaps(o.world, o.body, NULL, 1, o.any));
    REFUSED(rbl_sensor_overlaps(o.world, o.body, o.any, 1, NULL));
    check_ok(rbl_world_set_pair_filter(o.world, NULL, NULL)); // no filter
    check_ok(rbl_world_set_contact_filter(o.world, NULL, NULL));
    REFUSED(rbl_body_impulses(o.world, o.body, NULL, 1, o.any));
    REFUSED(rbl_body_impulses(o.world, o.body, o.any, 1, NULL));
    REFUSED(rbl_world_break_events(o.world, NULL, o.any));
    REFUSED(rbl_world_break_events(o.world, o.any, NULL));
    REFUSED(rbl_world_energy(o.world, NULL));
    REFUSED(rbl_world_counters(o.world, NULL));
    REFUSED(rbl_world_profile(o.world, NULL));
    REFUSED(rbl_world_hash(o.world, NULL));
    REFUSED(rbl_world_ray(o.world, NULL, 1, o.any));
    REFUSED(rbl_world_ray(o.world, &o.ray, 1, NULL));
    REFUSED(rbl_world_cast(o.world, o.shape, o.view_pose, o.up, 1, NULL));
    REFUSED(rbl_world_ray_all(o.world, NULL, 1, o.any, 1, o.any));
    REFUSED(rbl_world_ray_all(o.world, &o.ray, 1, NULL, 1, o.any));
    REFUSED(rbl_world_ray_all(o.world, &o.ray, 1, o.any, 1, NULL));
    REFUSED(rbl_world_cast_all(o.world, o.shape, o.view_pose, o.up, 1, NULL, 1, o.any));
    REFUSED(rbl_world_cast_all(o.world, o.shape, o.view_pose, o.up, 1, o.any, 1, NULL));
    REFUSED(rbl_world_overlap_box(o.world, o.view.bounds, 1, NULL, o.any));
    REFUSED(rbl_world_overlap_shape(o.world, o.shape, o.view_pose, 1, NULL, o.any));
    REFUSED(rbl_world_bodies(o.world, NULL, 1, o.any));
    REFUSED(rbl_world_bodies(o.world, o.any, 1, NULL));
    REFUSED(rbl_world_save(o.world, o.any, 1, NULL));
    REFUSED(rbl_world_draw(o.world, NULL));
    REFUSED(rbl_joint_create(o.world, NULL, o.any));
    REFUSED(rbl_joint_create(o.world, &o.joint_def, NULL));
    REFUSED(rbl_joint_state(o.world, o.joint, NULL));
    REFUSED(rbl_world_joint_events(o.world, NULL, o.any));
    REFUSED(rbl_world_joint_events(o.world, o.any, NULL));
    REFUSED(rbl_calls_replay(NULL, o.any));
    REFUSED(rbl_calls_replay("null_arguments.obj", NULL));
    REFUSED(rbl_calls_inspect(NULL, o.any));
    REFUSED(rbl_calls_inspect("null_arguments.obj", NULL));
    REFUSED(rbl_world_record(o.world, NULL));
    REFUSED(rbl_world_restore(o.world, NULL, 1000));
}

static void scenes_and_runs_refuse_null(void** state)
{
    (void)state;
    REFUSED(rbl_scene_load(NULL, o.any));
    REFUSED(rbl_scene_load("null_arguments.obj", NULL));
    REFUSED(rbl_scene_load_memory(NULL, 1, "box", o.any));
    REFUSED(rbl_scene_load_memory(o.any, 1, NULL, o.any));
    REFUSED(rbl_scene_load_memory(o.any, 1, "box", NULL));
    REFUSED(rbl_scene_view(o.scene, NULL));
    REFUSED(rbl_scene_find_body(o.scene, NULL, o.any));
    REFUSED(rbl_scene_find_body(o.scene, "box", NULL));
    REFUSED(rbl_scene_material_preset(NULL, o.any));
    REFUSED(rbl_scene_material_preset("glass", NULL));
    REFUSED(rbl_scene_shape(o.scene, 0, NULL, o.any));
    REFUSED(rbl_scene_shape(o.scene, 0, o.any, NULL));
    REFUSED(rbl_scene_world_def(o.scene, NULL));
    REFUSED(rbl_scene_build(o.scene, o.world, NULL));
    REFUSED(rbl_run_create(o.scene, &o.run_def, NULL));
    REFUSED(rbl_run_save_checkpoint(o.run, NULL));
    REFUSED(rbl_run_world(o.run, NULL));
    REFUSED(rbl_run_load(NULL, o.any, o.any));
    REFUSED(rbl_run_load("null_arguments.obj", NULL, o.any));
    REFUSED(rbl_run_load_memory(NULL, 1, "box", o.any, o.any));
    REFUSED(rbl_run_load_memory(o.any, 1, NULL, o.any, o.any));
    REFUSED(rbl_run_load_memory(o.any, 1, "box", NULL, o.any));
    REFUSED(rbl_run_replay(o.run, o.any, NULL));
    REFUSED(rbl_run_view(o.run, NULL));
    REFUSED(rbl_run_body(o.run, 1, NULL));
    REFUSED(rbl_run_body_state(o.run, 1, 1, NULL));
    REFUSED(rbl_run_surface(o.run, 1, NULL));
    REFUSED(rbl_run_last_record(o.run, NULL));
    REFUSED(rbl_run_summary(o.run, NULL));
    REFUSED(rbl_run_save_statistics(o.run, NULL));
    REFUSED(rbl_run_member(o.run, o.body, NULL));
    REFUSED(rbl_run_piece(o.run, 1, NULL));
    check_fails(RBL_ERROR_ARGUMENT, rbl_run_add_body(o.run, o.body, NULL, o.any));
    check_fails(RBL_ERROR_ARGUMENT, rbl_run_add_body(o.run, o.body, "box", NULL));
    REFUSED(rbl_scene_apply(o.scene, o.world, 0, NULL));
}

static void pictures_refuse_null(void** state)
{
    (void)state;
    REFUSED(rbl_picture_render(NULL, o.any, o.any));
    REFUSED(rbl_picture_save(NULL, "null_arguments.obj", o.any));
    REFUSED(rbl_sheet_size(NULL, 1, o.any, o.any));
    REFUSED(rbl_sheet_size(&o.sheet_def, 1, NULL, o.any));
    REFUSED(rbl_sheet_size(&o.sheet_def, 1, o.any, NULL));
    REFUSED(rbl_sheet_draw(NULL, o.any, 1, o.any));
    REFUSED(rbl_sheet_draw(&o.sheet_def, NULL, 1, o.any));
    REFUSED(rbl_sheet_draw(&o.sheet_def, o.any, 1, NULL));
    REFUSED(rbl_picture_write(NULL, 1, 1, "1", o.corner, 0.5f, o.any));
    REFUSED(rbl_picture_write(o.any, 1, 1, NULL, o.corner, 0.5f, o.any));
    REFUSED(rbl_picture_write(o.any, 1, 1, "1", o.corner, 0.5f, NULL));
    REFUSED(rbl_movie_create(o.run, &o.movie_def, NULL));
    REFUSED(rbl_movie_frame_count(o.movie, NULL));
    REFUSED(rbl_movie_frame_time(o.movie, 1, NULL));
    REFUSED(rbl_movie_draw(o.movie, 1, NULL, o.any));
    REFUSED(rbl_movie_save_frames(o.movie, NULL, false, o.any, o.any));
    REFUSED(rbl_movie_remove_frames(NULL));
    REFUSED(rbl_picture_render(&o.picture_def, NULL, o.any));
    REFUSED(rbl_picture_save(&o.picture_def, NULL, o.any));
}

// ---- what answers instead ----

static void shapes_answer_null(void** state)
{
    (void)state;
    rblVec3 gradient = {1, 2, 3};
    rblShapeView empty = {0};
    rblContactSet set = {0};
    assert_true(isinf(rbl_shape_distance(NULL, o.up, &gradient)));
    assert_true(gradient.x == 0.0f && gradient.y == 0.0f && gradient.z == 0.0f);
    assert_true(isinf(rbl_shape_distance(NULL, o.up, NULL)));
    assert_true(rbl_shape_distance(o.view.shape, o.up, NULL) == 0.5f);
    assert_true(rbl_shape_bounds_at(NULL, o.view_pose).lower.x >
                rbl_shape_bounds_at(NULL, o.view_pose).upper.x);
    assert_true(isinf(rbl_shape_bounds_at(&empty, o.view_pose).lower.y));
    assert_true(isinf(rbl_shape_ray(NULL, &o.ray).t) && isinf(rbl_shape_ray(o.view.shape, NULL).t));
    assert_true(rbl_shape_time_of_impact(NULL, &o.sweep, &o.view, &o.sweep, 0.0f, 0.01f) == 1.0f);
    assert_true(rbl_shape_time_of_impact(&o.view, NULL, &o.view, &o.sweep, 0.0f, 0.01f) == 1.0f);
    assert_true(rbl_shape_time_of_impact(&o.view, &o.sweep, NULL, &o.sweep, 0.0f, 0.01f) == 1.0f);
    assert_true(rbl_shape_time_of_impact(&o.view, &o.sweep, &o.view, NULL, 0.0f, 0.01f) == 1.0f);
    assert_true(rbl_shape_time_of_impact(&empty, &o.sweep, &empty, &o.sweep, 0.0f, 0.01f) == 1.0f);
    REFUSED(rbl_shape_collide(&empty, &o.view, o.view_pose, NULL, NULL, &set));
    REFUSED(rbl_shape_samples(&empty, o.any, o.any));
    check_ok(rbl_shape_collide(&o.view, &o.view, o.view_pose, NULL, NULL, &set));
    assert_true(set.count > 0);
    rbl_contact_set_free(&set);
    rbl_contact_set_free(NULL);
    rbl_shape_retain(NULL);
    rbl_shape_release(NULL);
}

static void breakers_answer_null(void** state)
{
    (void)state;
    const rblVerdict verdict = {
        .breaks = true, .point = {0, 0.5f, 0}, .normal = {0, -1, 0}, .budget = (double)INFINITY};
    rblVerdict released = {0};
    rblFracture fracture = {0};
    void* prepared = NULL;
    assert_null(rbl_breaker_def(NULL));
    assert_null(rbl_breaker_kind(NULL));
    assert_null(rbl_breaker_kind_def(NULL));
    rbl_breaker_retain(NULL);
    rbl_breaker_release(NULL);
    rbl_breaker_forget(NULL, o.any);
    rbl_breaker_forget(o.method, NULL);
    rbl_verdict_release(NULL, &released);
    rbl_verdict_release(o.method, NULL);
    rbl_fracture_free(NULL);
    check_ok(rbl_breaker_prepare(o.method, &o.view, &o.material, NULL, &prepared)); // serially
    check_ok(rbl_breaker_decide(o.method, prepared, &o.break_body, NULL, 0, &released));
    check_ok(rbl_breaker_shatter(o.method, prepared, &o.break_body, &verdict, NULL, &fracture));
    rbl_fracture_free(&fracture);
    rbl_breaker_forget(o.method, prepared);
}

static void texts_answer_null(void** state)
{
    (void)state;
    static const char digits[] = "1.5";
    static const char* const words[] = {"box"};
    double number = 7.0;
    assert_null(rbl_parse_double(NULL, digits + 3, &number));
    assert_null(rbl_parse_double(digits, NULL, &number));
    assert_null(rbl_parse_double(digits, digits + 3, NULL));
    assert_true(number == 7.0);
    assert_int_equal(rbl_format_double(1.5, NULL), 0);
    assert_int_equal(rbl_format_float(1.5f, NULL), 0);
    assert_int_equal(rbl_format_fixed(1.5, 2, NULL), 0);
    assert_int_equal(rbl_format_fixed((double)NAN, 2, NULL), 0);
    assert_null(rbl_suggest(NULL, words, 1));
    assert_null(rbl_suggest("boxx", NULL, 1));
    assert_int_equal(rbl_fail(RBL_ERROR_FORMAT, NULL), RBL_ERROR_FORMAT);
    assert_string_equal(rbl_last_error(), "no message");
    assert_int_equal(rbl_fail_within(RBL_ERROR_FORMAT, NULL), RBL_ERROR_FORMAT);
    assert_string_equal(rbl_last_error(), "no message");
    rbl_put_bytes(NULL, digits, 3);
    rbl_free_saved(NULL, 1);
    rbl_drawable_free(NULL);
    assert_int_equal(rbl_format_of_path(NULL), RBL_FORMAT_AUTO);
    assert_int_equal(rbl_tets_format_of(NULL), RBL_TETS_AUTO);
    assert_int_equal(rbl_recording_kind(NULL), RBL_RECORDING_NONE);
    assert_non_null(rbl_solid_kinds(NULL));
    rbl_set_log(NULL, NULL, RBL_LOG_WARNING);
}

static void writers_answer_null(void** state)
{
    (void)state;
    rblJsonWriter writer;
    rbl_json_writer_init(NULL, 0, NULL);
    rbl_json_writer_free(NULL);
    rbl_json_begin_object(NULL);
    rbl_json_end_object(NULL);
    rbl_json_begin_array(NULL);
    rbl_json_begin_row(NULL);
    rbl_json_end_array(NULL);
    rbl_json_key(NULL, "key");
    rbl_json_string(NULL, "text");
    rbl_json_string_n(NULL, "text", 4);
    rbl_json_number(NULL, 0.5);
    rbl_json_float(NULL, 0.5f);
    rbl_json_unsigned(NULL, 1);
    rbl_json_signed(NULL, -1);
    rbl_json_bool(NULL, true);
    rbl_json_null(NULL);
    for (int i = 0; i < 3; ++i) // a null text is no JSON, and finishing says so
    {
        rbl_json_writer_init(&writer, 0, NULL);
        rbl_json_begin_object(&writer);
        rbl_json_key(&writer, i == 0 ? NULL : "key");
        i == 1 ? rbl_json_string(&writer, NULL) : rbl_json_string_n(&writer, NULL, i == 2 ? 3 : 0);
        rbl_json_end_object(&writer);
        check_fails(RBL_ERROR_ARGUMENT, rbl_json_writer_finish(&writer));
        rbl_json_writer_free(&writer);
    }
}

static void numbers_answer_null(void** state)
{
    (void)state;
    const rblStress stress = {.xx = 3.0, .yy = 1.0, .zz = 2.0};
    rblVec3d values = {7, 7, 7};
    rblMat3d directions = o.identity;
    uint32_t calls = 0;
    assert_true(rbl_stress_largest(NULL) == 0.0);
    rbl_stress_principal(NULL, &values, &directions);
    assert_true(values.x == 0.0 && values.y == 0.0 && values.z == 0.0);
    rbl_stress_principal(&stress, &values, NULL);
    assert_true(fabs(values.x - 3.0) < 1e-12 && fabs(values.z - 1.0) < 1e-12);
    rbl_stress_principal(&stress, NULL, &directions);
    assert_true(fabs(fabs(directions.cx.x) - 1.0) < 1e-12);
    assert_false(rbl_mat3d_inverse(NULL, &directions));
    assert_false(rbl_mat3d_inverse(&o.identity, NULL));
    check_ok(rbl_movie_check(NULL, 1.0)); // the default
    check_ok(rbl_bvh_overlap_box(o.bvh, o.view.bounds, visit_triangle, NULL));
    check_ok(rbl_world_overlap_box(o.world, o.view.bounds, UINT64_MAX, visit_body, NULL));
    rbl_run_parallel(NULL, 3, count_one, &calls);
    rbl_run_parallel(NULL, 3, NULL, &calls);
    assert_int_equal(calls, 3);
}

static void defaults_of_null_do_nothing(void** state)
{
    (void)state;
    rbl_allocator_def_init(NULL, 1000);
    rbl_breaker_def_init(NULL, 1000);
    rbl_breaker_kind_init(NULL, 1000);
    rbl_bvh_def_init(NULL, 1000);
    rbl_dataset_def_init(NULL, 1000);
    rbl_elastic_def_init(NULL, 1000);
    rbl_export_options_init(NULL, 1000);
    rbl_inspect_options_init(NULL, 1000);
    rbl_load_options_init(NULL, 1000);
    rbl_save_options_init(NULL, 1000);
    rbl_isosurface_def_init(NULL, 1000);
    rbl_joint_def_init(NULL, 1000);
    rbl_movie_def_init(NULL, 1000);
    rbl_pattern_def_init(NULL, 1000);
    rbl_picture_def_init(NULL, 1000);
    rbl_sheet_def_init(NULL, 1000);
    rbl_prescored_def_init(NULL, 1000);
    rbl_repair_options_init(NULL, 1000);
    rbl_run_def_init(NULL, 1000);
    rbl_level_set_def_init(NULL, 1000);
    rbl_user_shape_init(NULL, 1000);
    rbl_collide_options_init(NULL, 1000);
    rbl_shatter_def_init(NULL, 1000);
    rbl_simplify_options_init(NULL, 1000);
    rbl_decompose_options_init(NULL, 1000);
    rbl_stress_def_init(NULL, 1000);
    rbl_tasks_init(NULL, 1000);
    rbl_tets_def_init(NULL, 1000);
    rbl_world_def_init(NULL, 1000);
    rbl_body_def_init(NULL, 1000);
    rbl_debug_draw_init(NULL, 1000);
    check_fails(RBL_ERROR_BUSY, rbl_set_allocator(NULL));
    check_ok(rbl_set_tasks(NULL));
}

// ---- every call ----

static char* read_text(const char* path)
{
    FILE* file = fopen(path, "rb");
    assert_non_null(file);
    char* text = calloc(1, ROOM);
    const size_t size = fread(text, 1, ROOM - 1, file);
    assert_true(size > 0 && size < ROOM - 1);
    fclose(file);
    return text;
}

// Spaces instead of comments.
static void remove_comments(char* text)
{
    for (char* at = strstr(text, "//"); at != NULL; at = strstr(at, "//"))
    {
        while (*at != '\n' && *at != '\0')
        {
            *at++ = ' ';
        }
    }
}

// Every declaration with a pointer is called in this file. Returns how many there are.
static int check_header(const char* name, const char* calls)
{
    char path[512];
    int count = 0;
    snprintf(path, sizeof path, "%s/../include/rubble/%s", RBL_TEST_DOCS, name);
    char* text = read_text(path);
    remove_comments(text);
    for (char* at = strstr(text, "\nRBL_API "); at != NULL; at = strstr(at + 1, "\nRBL_API "))
    {
        char* open = strchr(at, '(');
        char* end = strchr(at, ';');
        assert_true(open != NULL && end != NULL && open < end);
        const bool pointer = memchr(open, '*', (size_t)(end - open)) != NULL ||
                             memchr(open, '[', (size_t)(end - open)) != NULL;
        char* start = open;
        while (start[-1] != ' ' && start[-1] != '*')
        {
            --start;
        }
        char call[128];
        snprintf(call, sizeof call, "%.*s(", (int)(open - start), start);
        if (pointer && strstr(calls, call) == NULL)
        {
            fail_msg("%s: %s...) is not called with null here", name, call);
        }
        count += pointer;
    }
    free(text);
    return count;
}

static void every_call_is_here(void** state)
{
    (void)state;
    char path[512];
    int count = 0;
    snprintf(path, sizeof path, "%s/../test_null_arguments.c", RBL_TEST_DATA);
    char* calls = read_text(path);
    snprintf(path, sizeof path, "%s/../include/rubble/rubble.h", RBL_TEST_DOCS);
    char* all = read_text(path);
    static const char include[] = "#include \"rubble/";
    for (char* at = strstr(all, include); at != NULL; at = strstr(at + 1, include))
    {
        char name[64];
        const char* from = at + sizeof include - 1;
        snprintf(name, sizeof name, "%.*s", (int)strcspn(from, "\""), from);
        count += check_header(name, calls);
    }
    assert_true(count > 200);
    free(all);
    free(calls);
}

// ---- setting up ----

static void make_solids(void)
{
    rblMeshId quads;
    check_ok(rbl_mesh_make("box", NULL, 0, &quads));
    check_ok(rbl_mesh_triangulate(quads, &o.mesh));
    check_ok(rbl_mesh_destroy(quads));
    check_ok(rbl_mesh_view(o.mesh, &o.mesh_view));
    check_ok(rbl_mesh_create_bvh(o.mesh, RBL_BVH_BALANCED, true, &o.bvh));
    o.tets_def.edge = 0.2;
    check_ok(rbl_tets_fill(o.mesh, &o.tets_def, NULL, &o.tets));
    check_ok(rbl_tets_view(o.tets, &o.tets_view));
    o.elastic_def.tets = o.tets;
    check_ok(rbl_elastic_create(&o.elastic_def, &o.elastic));
    check_ok(rbl_mesh_shatter(o.mesh, NULL, &o.pieces));
    o.level_set_def.mesh = o.mesh;
    o.item = rbl_default_picture_item(o.mesh);
    o.picture_def.items = &o.item;
    o.picture_def.item_count = 1;
    o.dataset_mesh = (rblDatasetMesh){.file = "box.obj", .mesh = o.mesh};
    o.dataset_def.meshes = &o.dataset_mesh;
    o.dataset_def.mesh_count = 1;
}

static void make_world(void)
{
    o.view_pose = (rblTransform){{0, 0, 0}, {0, 0, 0, 1}};
    o.sweep.from = o.view_pose;
    o.stress_def.tetrahedra = 300;
    check_ok(rbl_shape_create_box((rblVec3){1, 1, 1}, &o.shape));
    check_ok(rbl_shape_view(o.shape, &o.view));
    check_ok(rbl_material_preset("clay", &o.material));
    check_ok(rbl_world_create(&o.world_def, &o.world));
    o.body_def.shape = o.shape;
    check_ok(rbl_body_create(o.world, &o.body_def, &o.body));
    o.joint_def.a = o.body;
    check_ok(rbl_joint_create(o.world, &o.joint_def, &o.joint));
    check_ok(rbl_breaker_create_stress(&o.stress_def, &o.breaker));
    check_ok(rbl_breaker_acquire(o.breaker, &o.method));
    o.break_body =
        (rblBreakBody){.view = o.view, .pose = o.view_pose, .mass = 2000.0f, .material = o.material};
    o.ray = (rblRay){.direction = {0, 1, 0}, .t_max = 1.0f};
}

static void make_run(void)
{
    static const char text[] = "{\"rubble\":1,\"duration\":0.1,\"shapes\":{\"ground\":{\"kind\":\"plane\"}},"
                               "\"bodies\":[{\"shape\":\"ground\",\"type\":\"static\"}]}";
    check_ok(rbl_scene_load_memory(text, strlen(text), "null.json", &o.scene));
    check_ok(rbl_scene_prepare(o.scene));
    check_ok(rbl_run_create(o.scene, &o.run_def, &o.run));
    check_ok(rbl_run_to_end(o.run, NULL));
    check_ok(rbl_movie_create(o.run, &o.movie_def, &o.movie));
}

static int set_up(void** state)
{
    (void)state;
    o.any = calloc(1, ROOM);
    o.identity = (rblMat3d){{1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
    o.box = (rblAabbd){{-1, -1, -1}, {1, 1, 1}};
    o.up = (rblVec3){0, 1, 0};
    o.up_double = (rblVec3d){0, 1, 0};
    rbl_allocator_def_init(&o.allocator_def, sizeof o.allocator_def);
    rbl_breaker_def_init(&o.breaker_def, sizeof o.breaker_def);
    rbl_breaker_kind_init(&o.breaker_kind, sizeof o.breaker_kind);
    rbl_bvh_def_init(&o.bvh_def, sizeof o.bvh_def);
    rbl_dataset_def_init(&o.dataset_def, sizeof o.dataset_def);
    rbl_elastic_def_init(&o.elastic_def, sizeof o.elastic_def);
    rbl_export_options_init(&o.export_options, sizeof o.export_options);
    rbl_inspect_options_init(&o.inspect_options, sizeof o.inspect_options);
    rbl_load_options_init(&o.load_options, sizeof o.load_options);
    rbl_save_options_init(&o.save_options, sizeof o.save_options);
    rbl_isosurface_def_init(&o.isosurface_def, sizeof o.isosurface_def);
    rbl_joint_def_init(&o.joint_def, sizeof o.joint_def);
    rbl_movie_def_init(&o.movie_def, sizeof o.movie_def);
    rbl_pattern_def_init(&o.pattern_def, sizeof o.pattern_def);
    rbl_picture_def_init(&o.picture_def, sizeof o.picture_def);
    rbl_sheet_def_init(&o.sheet_def, sizeof o.sheet_def);
    rbl_prescored_def_init(&o.prescored_def, sizeof o.prescored_def);
    rbl_repair_options_init(&o.repair_options, sizeof o.repair_options);
    rbl_run_def_init(&o.run_def, sizeof o.run_def);
    rbl_level_set_def_init(&o.level_set_def, sizeof o.level_set_def);
    rbl_user_shape_init(&o.user_shape, sizeof o.user_shape);
    rbl_height_field_def_init(&o.height_field_def, sizeof o.height_field_def);
    rbl_collide_options_init(&o.collide_options, sizeof o.collide_options);
    rbl_shatter_def_init(&o.shatter_def, sizeof o.shatter_def);
    rbl_simplify_options_init(&o.simplify_options, sizeof o.simplify_options);
    rbl_stress_def_init(&o.stress_def, sizeof o.stress_def);
    rbl_tasks_init(&o.tasks, sizeof o.tasks);
    rbl_tets_def_init(&o.tets_def, sizeof o.tets_def);
    rbl_world_def_init(&o.world_def, sizeof o.world_def);
    rbl_body_def_init(&o.body_def, sizeof o.body_def);
    rbl_debug_draw_init(&o.debug_draw, sizeof o.debug_draw);
    make_solids();
    make_world();
    make_run();
    return 0;
}

// What a refused call has written is not zero any more.
static int tear_down(void** state)
{
    (void)state;
    static const char zeros[64] = {0};
    assert_memory_equal(o.any, zeros, sizeof zeros);
    free(o.any);
    check_ok(rbl_movie_destroy(o.movie));
    check_ok(rbl_run_destroy(o.run));
    check_ok(rbl_scene_destroy(o.scene));
    rbl_breaker_release(o.method);
    check_ok(rbl_breaker_destroy(o.breaker));
    check_ok(rbl_world_destroy(o.world));
    check_ok(rbl_shape_destroy(o.shape));
    check_ok(rbl_pieces_destroy(o.pieces));
    check_ok(rbl_elastic_destroy(o.elastic));
    check_ok(rbl_tets_destroy(o.tets));
    check_ok(rbl_bvh_destroy(o.bvh));
    check_ok(rbl_mesh_destroy(o.mesh));
    assert_int_equal(rbl_bytes_in_use(), 0);
    return 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(breakers_refuse_null),        cmocka_unit_test(hierarchies_refuse_null),
        cmocka_unit_test(meshes_refuse_null),          cmocka_unit_test(files_refuse_null),
        cmocka_unit_test(tetrahedra_refuse_null),      cmocka_unit_test(shapes_refuse_null),
        cmocka_unit_test(worlds_refuse_null),          cmocka_unit_test(scenes_and_runs_refuse_null),
        cmocka_unit_test(pictures_refuse_null),        cmocka_unit_test(shapes_answer_null),
        cmocka_unit_test(breakers_answer_null),        cmocka_unit_test(texts_answer_null),
        cmocka_unit_test(writers_answer_null),         cmocka_unit_test(numbers_answer_null),
        cmocka_unit_test(defaults_of_null_do_nothing), cmocka_unit_test(every_call_is_here),
    };
    return cmocka_run_group_tests_name("null arguments", tests, set_up, tear_down);
}
