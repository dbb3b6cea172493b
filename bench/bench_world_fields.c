// Level sets: a pile of statues, non-convex against non-convex, and the rolling plate of Glondu 2012, Fig. 5.
#include "bench/bench_world.h"

#include "base/error.h"
#include <math.h>
#include <stdio.h>
#include <string.h>

// ---- statues ----

#define STATUES_SPACING 0.5
#define STATUES_WIDTH   8
#define STATUE_PARTS    5 // convex parts of a statue that is no level set

// Coarse, for the sake of engines that collide triangles.
static rblResult make_statue(rblMeshId* out)
{
    rblMeshId fine;
    rblSimplifyOptions options = rbl_default_simplify_options();
    options.target_triangles = 1000;
    RBL_TRY(rbl_mesh_make("statue", NULL, 0, &fine));
    const rblResult result = rbl_mesh_simplify(fine, &options, out, NULL);
    rbl_mesh_destroy(fine);
    return result;
}

// Centres of mass lie in a grid, farther apart than statues are long: none overlap at the start.
static void place_statue(const rblTrial* trial, uint32_t index, rblTrialBody* body)
{
    const double middle = 0.5 * (STATUES_WIDTH - 1);
    const double at[3] = {index % STATUES_WIDTH - middle, 0.7 + index / (STATUES_WIDTH * STATUES_WIDTH),
                          index / STATUES_WIDTH % STATUES_WIDTH - middle};
    double rotation[4];
    double offset[3];
    for (int k = 0; k < 4; ++k)
    {
        rotation[k] = (double)body->rotation[k];
    }
    rbl_trial_turn(rotation, trial->shapes[body->shape].center, offset);
    for (int k = 0; k < 3; ++k)
    {
        body->position[k] = (float)(STATUES_SPACING * at[k] - offset[k]);
    }
}

// Level sets, or compounds of convex parts.
static rblResult build_statues(rblWorldScene* scene, uint32_t count, double half, bool as_parts)
{
    uint32_t shape;
    rblMeshId mesh;
    uint64_t random = 1;
    RBL_TRY(rbl_world_scene_walls(scene, half));
    RBL_TRY(make_statue(&mesh));
    const rblResult result = as_parts ? rbl_world_scene_parts(scene, mesh, STATUE_PARTS, &shape)
                                      : rbl_world_scene_level_set(scene, mesh, &shape);
    rbl_mesh_destroy(mesh);
    RBL_TRY(result);
    for (uint32_t i = 0; i < count; ++i)
    {
        rblTrialBody body = rbl_world_body(shape, 0.0f, 0.0f, 0.0f);
        body.density = 2500.0f;
        rbl_world_random_turn(&random, body.rotation);
        place_statue(&scene->trial, i, &body);
        RBL_TRY(rbl_world_scene_add(scene, &body));
    }
    return RBL_OK;
}

static rblResult report_statues(rblWorldBench* bench, const char* subject, double half,
                                const rblWorldRuns* runs)
{
    static const double no_marks[2] = {0.0, 0.0};
    const rblWorldRow rows[] = {
        {subject, "settled step, 1T", "ms", rbl_world_settled_step, NULL, NULL, 0.0},
        {subject, "worst step, 1T", "ms", rbl_world_worst_step, NULL, NULL, 0.0},
        {subject, "contacts at the end", "contacts", rbl_world_contacts, NULL, NULL, 0.0},
        {subject, "escaped", "bodies", rbl_world_escaped, &half, NULL, 0.0},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; ++i)
    {
        rbl_world_row(bench, runs, &rows[i]);
    }
    rblWorldOverlap overlap;
    const rblTrialState* last = rbl_trial_frame(&runs->scene->trial, &runs->ours, runs->ours.frame_count - 1);
    RBL_TRY(rbl_world_overlap_rows(bench, runs, (rblWorldRow){.subject = subject}, no_marks));
    RBL_TRY(rbl_world_overlap(runs->scene, last, true, &overlap));
    rbl_world_fact(bench, subject, "contacts within 1 mm, all", overlap.all, "contacts");
    rbl_world_fact(bench, subject, "contacts within 1 mm, selected", overlap.selected, "contacts");
    rbl_world_energy_rows(bench, subject, runs);
    rbl_world_stage_rows(bench, subject, runs);
    return RBL_OK;
}

static rblResult measure_statues(rblWorldBench* bench, bool as_parts)
{
    const double half = STATUES_SPACING * STATUES_WIDTH / 2.0 + 0.05;
    const bool quick = rbl_bench_quick(bench->bench);
    const char* subject = as_parts ? "pile of 500 statues as 5 parts" : "pile of 500 statues";
    rblWorldScene scene = rbl_world_scene(quick ? 0.5 : 3.0);
    rblWorldRuns runs = {.scene = NULL};
    const uint32_t peers = as_parts ? RBL_WORLD_PARTS : RBL_WORLD_ALL | RBL_WORLD_PARTS;
    rblResult result = build_statues(&scene, rbl_bench_size(bench->bench, 500, 10), half, as_parts);
    if (result == RBL_OK)
    {
        result = rbl_world_compare(bench, subject, &scene, peers, &runs);
    }
    if (result == RBL_OK)
    {
        result = report_statues(bench, subject, half, &runs);
    }
    rbl_world_runs_free(&runs);
    rbl_world_scene_free(&scene);
    return result;
}

// ---- the plate ----

#define PLATE_RADIUS 0.13
#define PLATE_LEAN   0.5 // radians off upright
#define PLATE_SPEED  1.0 // m/s along z

// On its rim, leaning, and rolling without slipping.
static rblResult build_plate(rblWorldScene* scene)
{
    rblMeshId mesh;
    uint32_t ground_shape;
    uint32_t plate;
    RBL_TRY(rbl_world_scene_plane(scene, &ground_shape));
    RBL_TRY(rbl_mesh_make("plate", NULL, 0, &mesh));
    const rblResult result = rbl_world_scene_level_set(scene, mesh, &plate);
    rbl_mesh_destroy(mesh);
    RBL_TRY(result);
    rblTrialBody ground = rbl_world_body(ground_shape, 0.0f, 0.0f, 0.0f);
    ground.moves = 0;
    RBL_TRY(rbl_world_scene_add(scene, &ground));
    // The plate's axis is y; turned about z it lies nearly along x.
    const double turn = 0.5 * 3.14159265358979323846 - PLATE_LEAN;
    rblTrialBody body = rbl_world_body(plate, 0.0f, (float)(PLATE_RADIUS * cos(PLATE_LEAN) + 0.001), 0.0f);
    body.rotation[2] = (float)sin(0.5 * turn);
    body.rotation[3] = (float)cos(0.5 * turn);
    body.velocity[2] = (float)PLATE_SPEED;
    body.spin[0] = (float)(PLATE_SPEED / PLATE_RADIUS);
    return rbl_world_scene_add(scene, &body);
}

// Contacts of the steps in which it touches the ground; the paper tells the most of each.
static rblResult report_plate(rblWorldBench* bench, const char* subject, const rblWorldRuns* runs)
{
    double used = 0.0;
    double most_used = 0.0;
    double all = 0.0;
    double most_all = 0.0;
    double touching = 0.0;
    for (uint32_t i = 0; i < runs->ours.step_count; ++i)
    {
        const rblTrialState* states = rbl_trial_frame(&runs->scene->trial, &runs->ours, i);
        rblWorldOverlap overlap;
        RBL_TRY(rbl_world_overlap(runs->scene, states, true, &overlap));
        const double contacts = runs->ours.steps[i].contacts;
        touching += contacts > 0.0;
        used += contacts;
        all += overlap.all;
        most_used = fmax(most_used, contacts);
        most_all = fmax(most_all, overlap.all);
    }
    const rblBenchRow rows[] = {
        {subject, "contacts used, mean", used / fmax(1.0, touching), "contacts", NULL, 0.0, 0.0},
        {subject, "contacts used, most", most_used, "contacts", NULL, 0.0, 6.0},
        {subject, "contacts without selection, mean", all / fmax(1.0, touching), "contacts", NULL, 0.0, 0.0},
        {subject, "contacts without selection, most", most_all, "contacts", NULL, 0.0, 128.0},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; ++i)
    {
        rbl_bench_row(bench->bench, &rows[i]);
    }
    rbl_world_energy_rows(bench, subject, runs);
    return RBL_OK;
}

static rblResult measure_plate(rblWorldBench* bench)
{
    const char* subject = "rolling plate";
    rblWorldScene scene = rbl_world_scene(rbl_bench_quick(bench->bench) ? 0.5 : 5.0);
    rblWorldRuns runs = {.scene = NULL};
    scene.trial.setup.every_step = 1;
    rblResult result = build_plate(&scene);
    if (result == RBL_OK)
    {
        result = rbl_world_compare(bench, subject, &scene, 0, &runs);
    }
    if (result == RBL_OK)
    {
        result = report_plate(bench, subject, &runs);
    }
    rbl_world_runs_free(&runs);
    rbl_world_scene_free(&scene);
    return result;
}

rblResult rbl_bench_world_fields(rblWorldBench* bench)
{
    RBL_TRY(measure_plate(bench));
    RBL_TRY(measure_statues(bench, false));
    return measure_statues(bench, true);
}
