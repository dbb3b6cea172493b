// Simulate a scene once, and compare all that is exported of it, and what the page gets, with the engine.
#ifndef RBL_TESTS_EXPORT_COMPARISON_H
#define RBL_TESTS_EXPORT_COMPARISON_H

#include "export_readers.h"

#include "exports.h"
#include <unistd.h>

#define TIMES 10u // at which files are compared

static Oracle oracle;

// ---- the page ----

typedef struct PageBody
{
    char name[64];
    uint32_t mesh;
    uint32_t flags;
    rblVec3 normal;
} PageBody;

// What JavaScript keeps: bodies by slot, and meshes by number.
typedef struct Page
{
    PageBody* bodies;
    uint32_t body_count;
    PointList* meshes;
    uint32_t mesh_count;
} Page;

static Page page;

// The layout of WebMesh, which JavaScript reads.
typedef struct DrawnMesh
{
    const float* positions;
    const float* normals;
    const uint32_t* indices;
    uint32_t vertex_count;
} DrawnMesh;

static inline void page_fetch_mesh(uint32_t number)
{
    DrawnMesh drawn;
    check_ok(web_draw_mesh(number));
    memcpy(&drawn, web_drawn(), sizeof drawn);
    assert_int_equal(number, page.mesh_count);
    page.meshes = realloc(page.meshes, (page.mesh_count + 1) * sizeof *page.meshes);
    PointList* points = &page.meshes[page.mesh_count++];
    *points = (PointList){0};
    for (uint32_t i = 0; i < drawn.vertex_count; ++i)
    {
        const float* p = &drawn.positions[3 * i];
        add_point(points, (rblVec3d){(double)p[0], (double)p[1], (double)p[2]});
    }
}

static inline const WebFrame* page_look(void)
{
    check_ok(web_look());
    const WebFrame* frame = web_frame();
    if (frame->slots > page.body_count)
    {
        page.bodies = realloc(page.bodies, frame->slots * sizeof *page.bodies);
        page.body_count = frame->slots;
    }
    for (uint32_t i = 0; i < frame->added_count; ++i)
    {
        const WebBody* added = &frame->added[i];
        PageBody* body = &page.bodies[added->slot];
        *body = (PageBody){.mesh = added->mesh, .flags = added->flags, .normal = added->normal};
        snprintf(body->name, sizeof body->name, "%s", added->name);
        if ((added->flags & WEB_NEW_MESH) != 0)
        {
            page_fetch_mesh(added->mesh);
        }
    }
    return frame;
}

static inline void compare_page_body(const PageBody* body, const float* pose)
{
    const double p[3] = {(double)pose[0], (double)pose[1], (double)pose[2]};
    const double q[4] = {(double)pose[3], (double)pose[4], (double)pose[5], (double)pose[6]};
    if ((body->flags & WEB_PLANE) != 0)
    {
        const OracleBody* met = oracle_meet(&oracle, body->name);
        const rblVec3d n = {(double)body->normal.x, (double)body->normal.y, (double)body->normal.z};
        const rblVec3d off = minus(n, turned(q, met->normal));
        check_close(sqrt(dot(off, off)), 0.0, TOLERANCE);
        return;
    }
    PointList points = {0};
    assert_true(body->mesh < page.mesh_count);
    for (uint32_t i = 0; i < page.meshes[body->mesh].count; ++i)
    {
        add_point(&points, placed(q, p, page.meshes[body->mesh].data[i]));
    }
    oracle_compare(&oracle, &(FileBody){body->name, points.data, points.count});
    free(points.data);
}

static inline void compare_page(const WebFrame* frame)
{
    oracle_index(&oracle);
    oracle_begin(&oracle, frame->step);
    for (uint32_t slot = 0; slot < frame->slots; ++slot)
    {
        const float* pose = &frame->poses[WEB_POSE_FLOATS * slot];
        if (pose[7] != 0.0f)
        {
            compare_page_body(&page.bodies[slot], pose);
        }
    }
    oracle_end(&oracle);
}

static inline void page_free(void)
{
    for (uint32_t i = 0; i < page.mesh_count; ++i)
    {
        free(page.meshes[i].data);
    }
    free(page.meshes);
    free(page.bodies);
    page = (Page){0};
}

static inline uint32_t count_pieces(void)
{
    const OracleStep* last = &oracle.steps[oracle.step_count - 1];
    uint32_t count = 0;
    for (uint32_t i = 0; i < last->count; ++i)
    {
        count += oracle.bodies[last->poses[i].body].piece;
    }
    return count;
}

// The pieces as the page saves them, at the last step.
static inline void compare_saved_pieces(void)
{
    rblJsonDocument list;
    if (count_pieces() == 0)
    {
        check_fails(RBL_ERROR_ARGUMENT, web_export_pieces());
        return;
    }
    check_ok(web_export_pieces());
    const char* text = web_text();
    check_ok(rbl_json_parse(&list, text, strlen(text), "pieces", rbl_default_allocator()));
    const uint32_t count = rbl_json_count(rbl_json_root(&list));
    assert_int_equal(count, count_pieces());
    oracle_begin(&oracle, oracle.step_count - 1);
    for (uint32_t i = 0; i < count; ++i)
    {
        const rblJson piece = rbl_json_item(rbl_json_root(&list), i);
        const char* name = "";
        const char* file = "";
        PointList points = {0};
        size_t size;
        check_ok(rbl_json_optional_string(piece, "name", &name));
        check_ok(rbl_json_optional_string(piece, "file", &file));
        char* obj = read_whole(file, &size);
        read_obj_vertices(obj, &points);
        oracle_compare(&oracle, &(FileBody){name, points.data, points.count});
        assert_int_equal(remove(file), 0);
        free(points.data);
        free(obj);
    }
    rbl_json_free(&list);
}

// ---- files ----

static inline bool is_birth(uint32_t step)
{
    return step > 0 && oracle.bodies_at[step] > oracle.bodies_at[step - 1];
}

static inline void take_step(uint32_t* steps, uint32_t* count, uint32_t step)
{
    bool known = *count == TIMES;
    for (uint32_t i = 0; i < *count; ++i)
    {
        known = known || steps[i] == step;
    }
    if (!known)
    {
        steps[(*count)++] = step;
    }
}

// Start and end; the steps before and at which bodies appear, the first and the last ones; others evenly.
static inline uint32_t choose_steps(uint32_t steps[TIMES])
{
    const uint32_t last = oracle.step_count - 1;
    uint32_t count = 0;
    take_step(steps, &count, 0);
    take_step(steps, &count, last);
    for (uint32_t s = 1, births = 0; s <= last && births < 2; ++s)
    {
        if (is_birth(s))
        {
            take_step(steps, &count, s - 1);
            take_step(steps, &count, s);
            births += 1;
        }
    }
    for (uint32_t s = last; s > 0 && count < 8; --s)
    {
        if (is_birth(s))
        {
            take_step(steps, &count, s - 1);
            take_step(steps, &count, s);
        }
    }
    for (uint32_t i = 1; i < 64; ++i)
    {
        take_step(steps, &count, (uint32_t)((uint64_t)last * (i * 37 % 64) / 64));
    }
    return count;
}

static inline void compare_animations(rblRunId run)
{
    rblRunView view;
    uint32_t steps[TIMES];
    check_ok(rbl_run_view(run, &view));
    check_ok(web_export_run("run.glb")); // as the page saves it
    check_ok(rbl_run_export(run, "run.usda", NULL));
    Animation glb = read_glb("run.glb");
    Animation usda = read_usda("run.usda", view.shape_count);
    const uint32_t count = choose_steps(steps);
    for (uint32_t i = 0; i < count; ++i)
    {
        // Times of GLB are 32-bit numbers, those of USD are steps.
        const double time = (double)(float)(steps[i] * view.settings.step);
        compare_animation(&oracle, steps[i], &glb, time, 0.5 * view.settings.step);
        compare_animation(&oracle, steps[i], &usda, steps[i], 0.5);
    }
    animation_free(&glb);
    animation_free(&usda);
}

static inline void compare_series(rblRunId run)
{
    rblRunView view;
    rblExportOptions options = rbl_default_export_options();
    size_t size;
    check_ok(rbl_run_view(run, &view));
    options.every = (oracle.step_count - 2) / (TIMES - 1) + 1;
    check_ok(rbl_run_export(run, "run.obj", &options));
    check_ok(rbl_run_export(run, "run.pvd", &options));
    char* list = read_whole("run.pvd", &size);
    const char* entry = list;
    uint32_t frame = 0;
    for (uint32_t step = 0; step < oracle.step_count; step += options.every, ++frame)
    {
        char path[32];
        char wanted[64];
        snprintf(path, sizeof path, "run_%04u.obj", frame);
        compare_obj(&oracle, step, path);
        remove(path);
        snprintf(path, sizeof path, "run/%04u.vtu", frame);
        snprintf(wanted, sizeof wanted, "file=\"%s\"", path);
        entry = strstr(entry, "timestep=\"") + 10;
        check_close(strtod(entry, NULL), step * view.settings.step, 0.0);
        assert_non_null(strstr(entry, wanted));
        compare_vtu(&oracle, step, run, path);
        remove(path);
    }
    assert_null(strstr(entry, "timestep=\""));
    free(list);
}

// ---- runs ----

typedef void BetweenStepsFcn(rblRunId run, rblWorldId world, uint32_t step);

typedef struct SceneCheck
{
    const char* name;
    const char* text;
    size_t size;
    uint32_t most_steps;
    BetweenStepsFcn* between; // may be null
    bool without_page;        // see rubble/drawable.h
} SceneCheck;

static inline void check_step(const SceneCheck* check, uint32_t step, bool chosen)
{
    const rblRunId run = web_session()->run;
    const rblWorldId world = web_session()->world;
    if (check->between != NULL && step > 0)
    {
        check->between(run, world, step);
    }
    if (step > 0)
    {
        check_ok(web_step());
    }
    oracle_note(&oracle, run, world);
    const WebFrame* frame = page_look();
    if (!check->without_page && (chosen || is_birth(step)))
    {
        compare_page(frame);
    }
}

// Simulate a scene on the page and compare everything. Returns how many bodies were born.
static inline uint32_t check_scene(const SceneCheck* check)
{
    rblRunView view;
    check_ok(web_load(check->text, check->size, check->name));
    const rblRunId run = web_session()->run;
    check_ok(rbl_run_view(run, &view));
    const uint32_t planned = view.settings.step_count;
    const uint32_t steps = planned < check->most_steps ? planned : check->most_steps;
    const uint32_t every = (steps - 1) / (TIMES - 1) + 1;
    for (uint32_t s = 0; s <= steps; ++s)
    {
        check_step(check, s, s % every == 0);
    }
    oracle_index(&oracle);
    check_ok(rbl_run_view(run, &view));
    assert_int_equal(view.record_count, oracle.step_count); // the whole motion was kept
    compare_animations(run);
    compare_series(run);
    compare_saved_pieces();
    const uint32_t born = oracle.body_count - oracle.bodies_at[0];
    print_message("%s: %u steps, %u bodies, %u of them born; within %.2g of their sizes\n", check->name,
                  steps, oracle.body_count, born, oracle.worst);
    oracle_free(&oracle);
    page_free();
    web_unload();
    return born;
}

// Files are written to a folder of their own.
static inline int run_in_folder(const struct CMUnitTest* tests, size_t count)
{
    char folder[] = "/tmp/rubble_vertices_XXXXXX";
    char command[64];
    if (mkdtemp(folder) == NULL || chdir(folder) != 0)
    {
        return 1;
    }
    const int failed = _cmocka_run_group_tests("exports", tests, count, NULL, NULL);
    snprintf(command, sizeof command, "rm -r %s", folder);
    return failed + system(command);
}

#endif
