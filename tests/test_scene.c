// Scene files: what is read, what is refused and with which words, and what becomes of it in a world.
#include "testing.h"

#include "base/memory.h"
#include "failing_allocator.h"
#include "math/quat.h"
#include "math/vec.h"
#include "rubble/scene.h"
#include <stdlib.h>
#include <string.h>

#define SHAPES                                                                                               \
    "\"shapes\":{\"ground\":{\"kind\":\"plane\"},\"ball\":{\"kind\":\"sphere\",\"radius\":0.1},"             \
    "\"plate\":{\"kind\":\"box\",\"size\":[1,0.1,1]}}"

static rblResult load(const char* text, rblSceneId* out)
{
    return rbl_scene_load_memory(text, strlen(text), "scene.json", out);
}

// A scene of the given bodies, and more members after a comma.
static rblResult load_parts(const char* bodies, const char* more, rblSceneId* out)
{
    char text[4096];
    snprintf(text, sizeof text, "{\"rubble\":1," SHAPES ",\"bodies\":[%s]%s%s}", bodies,
             more[0] != '\0' ? "," : "", more);
    return load(text, out);
}

static rblSceneView view_of(rblSceneId scene)
{
    rblSceneView view;
    check_ok(rbl_scene_view(scene, &view));
    return view;
}

// ---- what is read ----

static void defaults_are_those_of_the_contract(void** state)
{
    (void)state;
    rblSceneId scene;
    check_ok(load_parts("", "", &scene));
    const rblSceneView view = view_of(scene);
    check_close(view.gravity.y, -9.81, 1e-6);
    check_close(view.step, 1.0 / 60.0, 1e-15);
    check_close(view.duration, 5.0, 0.0);
    assert_int_equal(view.step_count, 300);
    assert_int_equal(view.substeps, 1);
    assert_int_equal(view.seed, 1);
    assert_true(view.sleeping);
    assert_false(view.has_camera);
    assert_int_equal(view.shape_count, 3);
    check_ok(rbl_scene_destroy(scene));
}

// What the contract of scenes shows.
static const char example[] =
    "{ \"rubble\": 1, \"gravity\": [0, -9.81, 0],\n"
    " \"step\": 0.033333333, \"substeps\": 2, \"duration\": 6.0, \"seed\": 7, \"sleeping\": false,\n"
    " \"materials\": { \"pane\": { \"preset\": \"glass\", \"density\": 2501, \"friction\": 0.3, "
    "\"restitution\": 0.2, \"young\": 7.0e10, \"poisson\": 0.22, \"strength\": 4.0e7, \"surfaceEnergy\": "
    "8.0, \"breakImpulse\": 3 } },\n"
    " \"shapes\": { \"ground\": { \"kind\": \"plane\", \"normal\": [0, 1, 0] },\n"
    "   \"ball\": { \"kind\": \"sphere\", \"radius\": 0.1 }, \"brick\": { \"kind\": \"box\", \"size\": "
    "[0.2, 0.1, 0.1] },\n"
    "   \"shard\": { \"kind\": \"hull\", \"points\": [[0, 0, 0], [0.1, 0, 0], [0, 0.1, 0], [0, 0, 0.1]] "
    "},\n"
    "   \"plate\": { \"kind\": \"lathe\", \"profile\": [[0, 0], [0.1, 0], [0.14, 0.02]], \"thickness\": "
    "0.006, \"segments\": 24, \"cells\": 32 } },\n"
    " \"bodies\": [ { \"name\": \"floor\", \"shape\": \"ground\", \"type\": \"static\", \"material\": "
    "\"stone\" },\n"
    "   { \"name\": \"plate\", \"shape\": \"plate\", \"material\": \"pane\", \"position\": [0, 1, 0], "
    "\"rotation\": [0, 0, 0, 1], \"velocity\": [1, 2, 3], \"spin\": [4, 5, 6],\n"
    "     \"fracture\": { \"method\": \"prescored\", \"pattern\": \"radial\", \"pieces\": 25 } },\n"
    "   { \"shape\": \"brick\", \"material\": \"clay\", \"grid\": { \"count\": [4, 8, 1], \"spacing\": "
    "[0.21, 0.11, 0], \"origin\": [2, 0.05, 0] } } ],\n"
    " \"joints\": [ { \"kind\": \"distance\", \"a\": \"plate\", \"anchorA\": [0, 0, 0], \"pointB\": [0, "
    "2, "
    "0], \"length\": 1.0 } ],\n"
    " \"events\": [\n"
    "   { \"time\": 3.0, \"explode\": { \"at\": [0, 0, 0], \"radius\": 2, \"impulse\": 5 } },\n"
    "   { \"time\": 1.0, \"spawn\": { \"shape\": \"ball\", \"material\": \"steel\", \"position\": [0, 3, "
    "0], \"velocity\": [0, -5, 0] } },\n"
    "   { \"time\": 2.0, \"break\": { \"body\": \"plate\", \"at\": [0, 1, 0], \"normal\": [0, 1, 0] } } "
    "],\n"
    " \"camera\": { \"eye\": [1.5, 1.2, 2.0], \"target\": [0, 0.4, 0], \"fov\": 40 } }";

static void check_example(const rblSceneView* view)
{
    assert_int_equal(view->step_count, 180);
    assert_int_equal(view->substeps, 2);
    assert_int_equal(view->seed, 7);
    assert_false(view->sleeping);
    assert_int_equal(view->body_count, 2 + 32 + 1);
    assert_string_equal(view->bodies[0].name, "floor");
    assert_int_equal(view->bodies[0].type, RBL_BODY_STATIC);
    assert_string_equal(view->bodies[1].name, "plate");
    assert_string_equal(view->bodies[1].fracture, "prescored");
    check_close(view->bodies[1].velocity.y, 2.0, 0.0);
    check_close(view->bodies[1].spin.z, 6.0, 0.0);
    const rblSceneMaterial* pane = &view->materials[view->bodies[1].material];
    assert_string_equal(pane->name, "pane");
    check_close(pane->values.density, 2501.0, 0.0);
    check_close(pane->values.break_impulse, 3.0, 0.0);
    assert_string_equal(view->materials[view->bodies[2].material].name, "clay");
    assert_string_equal(view->bodies[2].name, "brick[0][0]");
    assert_string_equal(view->bodies[2 + 4 * 3 + 2].name, "brick[2][3]");
    check_close(view->bodies[2 + 4 * 3 + 2].pose.p.x, 2.42, 1e-6);
    check_close(view->bodies[2 + 4 * 3 + 2].pose.p.y, 0.38, 1e-6);
    assert_string_equal(view->bodies[34].name, "ball");
    assert_int_equal(view->bodies[34].event, 0);
    assert_int_equal(view->event_count, 3);
    assert_int_equal(view->events[0].kind, RBL_EVENT_SPAWN); // in the order of time
    assert_int_equal(view->events[0].step, 30);
    assert_int_equal(view->events[1].kind, RBL_EVENT_BREAK);
    assert_int_equal(view->events[2].kind, RBL_EVENT_EXPLODE);
    check_close(view->events[2].strength, 5.0, 0.0);
    assert_int_equal(view->joint_count, 1);
    check_close(view->joints[0].def.length, 1.0, 0.0);
    assert_true(view->has_camera);
}

static void example_of_the_contract_is_read(void** state)
{
    (void)state;
    rblSceneId scene;
    check_ok(load(example, &scene));
    const rblSceneView view = view_of(scene);
    check_example(&view);
    rblWorldDef def = rbl_default_world_def();
    rblWorldId world;
    rblBodyId bodies[35];
    rblCounters counters;
    check_ok(rbl_scene_world_def(scene, &def));
    check_ok(rbl_world_create(&def, &world));
    check_ok(rbl_scene_build(scene, world, bodies));
    check_ok(rbl_world_step(world, 0.0f));
    check_ok(rbl_world_counters(world, &counters));
    assert_int_equal(counters.bodies, 34);
    assert_int_equal(counters.joints, 1);
    assert_int_equal(bodies[34].index1, 0);
    check_ok(rbl_scene_apply(scene, world, 0, bodies));
    assert_true(rbl_body_is_valid(world, bodies[34]));
    check_ok(rbl_world_destroy(world));
    check_ok(rbl_scene_destroy(scene));
}

static void unnamed_bodies_get_free_names(void** state)
{
    (void)state;
    rblSceneId scene;
    check_ok(load_parts(
        "{\"shape\":\"ball\"},{\"shape\":\"ball\"},{\"shape\":\"plate\",\"name\":\"ball.2\"},"
        "{\"shape\":\"ball\"},{\"shape\":\"plate\",\"grid\":{\"count\":[1,2,1],\"spacing\":[0,1,0]}}",
        "", &scene));
    const rblSceneView view = view_of(scene);
    assert_string_equal(view.bodies[0].name, "ball");
    assert_string_equal(view.bodies[1].name, "ball.3");
    assert_string_equal(view.bodies[2].name, "ball.2");
    assert_string_equal(view.bodies[3].name, "ball.4");
    assert_string_equal(view.bodies[4].name, "plate[0]");
    assert_string_equal(view.bodies[5].name, "plate[1]");
    check_ok(rbl_scene_destroy(scene));
}

static void every_procedural_kind_is_a_shape(void** state)
{
    (void)state;
    uint32_t count = 0;
    const rblSolidKind* kinds = rbl_solid_kinds(&count);
    for (uint32_t i = 0; i < count; ++i)
    {
        static const char* const sized[] = {"box", "sphere", "capsule", "cylinder"};
        char text[256];
        bool plain = false;
        for (uint32_t k = 0; k < 4; ++k)
        {
            plain = plain || strcmp(sized[k], kinds[i].name) == 0;
        }
        if (!plain)
        {
            rblSceneId scene;
            snprintf(text, sizeof text, "{\"rubble\":1,\"shapes\":{\"a\":{\"kind\":\"%s\"}},\"bodies\":[]}",
                     kinds[i].name);
            check_ok(load(text, &scene));
            check_ok(rbl_scene_destroy(scene));
        }
    }
}

static void convex_solids_become_hulls(void** state)
{
    (void)state;
    rblSceneId scene;
    rblShapeId shape;
    rblMeshId surface;
    rblShapeView view;
    check_ok(
        load("{\"rubble\":1,\"shapes\":{\"a\":{\"kind\":\"brick\"},\"b\":{\"kind\":\"torus\",\"cells\":16,"
             "\"segments\":12,\"sides\":8},\"c\":{\"kind\":\"cylinder\",\"radius\":1,\"height\":2}},"
             "\"bodies\":[]}",
             &scene));
    check_ok(rbl_scene_shape(scene, 0, &shape, &surface));
    check_ok(rbl_shape_view(shape, &view));
    assert_string_equal(view.kind, "hull");
    check_ok(rbl_scene_shape(scene, 1, &shape, &surface));
    check_ok(rbl_shape_view(shape, &view));
    assert_string_equal(view.kind, "level set");
    check_ok(rbl_scene_shape(scene, 2, &shape, &surface));
    check_ok(rbl_shape_view(shape, &view));
    assert_string_equal(view.kind, "cylinder");
    assert_true(surface.index1 != 0);
    check_fails(RBL_ERROR_ARGUMENT, rbl_scene_shape(scene, 3, &shape, &surface));
    check_ok(rbl_scene_destroy(scene));
    assert_int_equal(rbl_shape_alive_count(), 0);
    assert_int_equal(rbl_mesh_alive_count(), 0);
}

// ---- what is refused ----

typedef struct Refusal
{
    const char* text;
    const char* message; // a part of it
} Refusal;

static void check_refusal(const Refusal* refusal)
{
    rblSceneId scene = {7, 7};
    if (load(refusal->text, &scene) == RBL_OK)
    {
        fail_msg("accepted: %s", refusal->text);
    }
    if (strstr(rbl_last_error(), refusal->message) == NULL ||
        strncmp(rbl_last_error(), "scene.json:", 11) != 0)
    {
        fail_msg("'%s' is not in: %s", refusal->message, rbl_last_error());
    }
    assert_int_equal(scene.index1, 7);
    assert_int_equal(rbl_bytes_in_use(), 0);
}

#define TOP(more)    "{\"rubble\":1," SHAPES ",\"bodies\":[]," more "}"
#define BODY(body)   "{\"rubble\":1," SHAPES ",\"bodies\":[{\"name\":\"rock\",\"shape\":\"ball\"}," body "]}"
#define SHAPE(shape) "{\"rubble\":1,\"shapes\":{\"a\":" shape "},\"bodies\":[]}"
#define JOINT(joint)                                                                                         \
    "{\"rubble\":1," SHAPES ",\"bodies\":[{\"name\":\"x\",\"shape\":\"ball\"},{\"name\":\"floor\",\"type\":" \
    "\"static\",\"shape\":\"ground\"}],\"joints\":[" joint "],\"events\":[{\"time\":1,\"spawn\":{\"name\":"  \
    "\"late\",\"shape\":\"ball\"}}]}"
#define EVENT(event)                                                                                         \
    "{\"rubble\":1," SHAPES ",\"bodies\":[{\"name\":\"x\",\"shape\":\"ball\"},{\"name\":\"floor\",\"type\":" \
    "\"static\",\"shape\":\"ground\"}],\"events\":[" event "]}"

static const Refusal refusals[] = {
    {"", "the text ends early"},
    {"[]", "expected an object"},
    {"{}", "rubble"},
    {"{\"rubble\":2}", "rubble: the version of the scene file is 2, must be 1"},
    {"{\"rubble\":1}", "shapes"},
    {"{\"rubble\":1,\"shapes\":{}}", "bodies"},
    {TOP("\"gravty\":[0,0,0]"), "gravty: unknown key; did you mean 'gravity'?"},
    {TOP("\"gravity\":[0,0]"), "gravity"},
    {TOP("\"gravity\":[0,0,\"a\"]"), "gravity[2]: expected a number, found a string"},
    {TOP("\"gravity\":[0,0,1e39]"), "gravity[2]: is 1e+39, too large"},
    {TOP("\"gravity\":[0,0,NaN]"), "scene.json:1:"},
    {TOP("\"step\":0"), "step: is 0, must be positive"},
    {TOP("\"step\":2"), "step: is 2, must be at most 1 s"},
    {TOP("\"duration\":-1"), "duration: is -1, must be positive"},
    {TOP("\"substeps\":0"), "substeps: is 0, must be 1 to 64"},
    {TOP("\"substeps\":1.5"), "substeps"},
    {TOP("\"sleeping\":1"), "sleeping: expected"},
    {TOP("\"seed\":-1"), "seed"},
    {TOP("\"step\":1e-9,\"duration\":1e6"), "must be at most 100 million"},
    {TOP("\"materials\":{\"m\":{\"densty\":1}}"), "materials.m.densty: unknown key; did you mean 'density'?"},
    {TOP("\"materials\":{\"m\":{\"density\":0}}"), "materials.m.density: is 0, must be positive"},
    {TOP("\"materials\":{\"m\":{\"density\":1e-60}}"), "must be positive"},
    {TOP("\"materials\":{\"m\":{\"preset\":\"glas\"}}"), "no preset 'glas'; did you mean 'glass'?"},
    {TOP("\"materials\":{\"m\":{\"restitution\":1.1}}"), "materials.m.restitution: must be 0 to 1"},
    {TOP("\"materials\":{\"m\":{\"poisson\":0.5}}"), "materials.m.poisson: must be between -1 and 0.5"},
    {TOP("\"materials\":{\"m\":{\"friction\":-1}}"), "materials.m.friction: is -1, must not be negative"},
    {TOP("\"materials\":{\"m\":{\"color\":[0,0,2]}}"), "materials.m.color"},
    {TOP("\"camera\":{\"eye\":[0,0,0],\"target\":[0,0,0]}"),
     "camera: eye and target are both (0, 0, 0), must be different points"},
    {TOP("\"camera\":{\"eye\":[0,0,0],\"target\":[0,0,1],\"fov\":180}"), "camera.fov"},
    {TOP("\"camera\":{\"target\":[0,0,1]}"), "eye"},
    {SHAPE("{}"), "shapes.a"},
    {SHAPE("{\"kind\":\"spehre\"}"), "shapes.a.kind: no kind of shape 'spehre'; did you mean 'sphere'?"},
    {SHAPE("{\"kind\":\"sphere\"}"), "radius"},
    {SHAPE("{\"kind\":\"sphere\",\"radius\":-1}"), "shapes.a.radius: is -1, must be positive"},
    {SHAPE("{\"kind\":\"sphere\",\"radius\":1,\"size\":1}"), "shapes.a.size: unknown key"},
    {SHAPE("{\"kind\":\"sphere\",\"radius\":1,\"segments\":1}"), "shapes.a.segments: must be 4 to 4096"},
    {SHAPE("{\"kind\":\"box\",\"size\":[1,0,1]}"), "shapes.a.size[1]: is 0, must be positive"},
    {SHAPE("{\"kind\":\"box\",\"size\":1}"), "shapes.a.size: expected"},
    {SHAPE("{\"kind\":\"capsule\",\"radius\":1,\"height\":1}"),
     "shapes.a.height: the height must be at least twice the radius"},
    {SHAPE("{\"kind\":\"plane\",\"normal\":[0,0,0]}"), "shapes.a.normal: a direction must not be 0"},
    {SHAPE("{\"kind\":\"hull\",\"points\":[[0,0,0],[1,0,0],[0,1,0]]}"), "shapes.a.points: a hull has 4"},
    {SHAPE("{\"kind\":\"mesh\"}"), "file"},
    {SHAPE("{\"kind\":\"mesh\",\"file\":\"\"}"), "shapes.a.file: a text must not be empty"},
    {SHAPE("{\"kind\":\"mesh\",\"file\":\"x.obj\",\"height\":0}"), "shapes.a.height: is 0, must be positive"},
    {SHAPE("{\"kind\":\"mesh\",\"file\":\"x.obj\",\"cells\":4}"), "shapes.a.cells: is 4, must be 8 to 2048"},
    {SHAPE("{\"kind\":\"vase\",\"radius\":-1}"), "shapes.a.radius: must be 0.0001 to 10000"},
    {SHAPE("{\"kind\":\"vase\",\"segments\":10.5}"), "shapes.a.segments: is 10.5, must be an integer"},
    {SHAPE("{\"kind\":\"vase\",\"hieght\":1}"), "shapes.a.hieght: unknown key; did you mean 'height'?"},
    {SHAPE("{\"kind\":\"lathe\",\"profile\":[[0,0],[1]]}"), "shapes.a.profile[1]"},
    {SHAPE("{\"kind\":\"lathe\",\"profile\":[]}"), "shapes.a.profile: must have 1 to 4096 points"},
    {BODY("{}"), "bodies[1]"},
    {BODY("{\"shape\":\"plat\"}"), "bodies[1].shape: no shape 'plat'; did you mean 'plate'?"},
    {BODY("{\"shape\":3}"), "bodies[1].shape: expected a string"},
    {BODY("{\"shape\":\"ball\",\"material\":\"glas\"}"),
     "bodies[1].material: no material 'glas'; did you mean"},
    {BODY("{\"shape\":\"ball\",\"colour\":1}"), "bodies[1].colour: unknown key, must be one of "},
    {BODY("{\"shape\":\"ball\",\"type\":\"fixed\"}"),
     "bodies[1].type: no type of body 'fixed', must be one of "},
    {BODY("{\"shape\":\"ball\",\"name\":\"rock\"}"), "bodies[1].name: the name 'rock' must be unique"},
    {BODY("{\"shape\":\"ball\",\"name\":\"\"}"), "bodies[1].name: a name must not be empty"},
    {BODY("{\"shape\":\"ball\",\"mass\":0}"), "bodies[1].mass: is 0, must be positive"},
    {BODY("{\"shape\":\"ball\",\"rotation\":[0,0,0,0]}"),
     "bodies[1].rotation: the length of the quaternion x, y, z, w is 0, must be 1"},
    {BODY("{\"shape\":\"ball\",\"rotation\":[0,0,1]}"), "bodies[1].rotation"},
    {BODY("{\"shape\":\"ground\"}"), "bodies[1]: a plane is unbounded and has no mass"},
    {BODY("{\"shape\":\"ball\",\"type\":\"static\",\"velocity\":[1,0,0]}"),
     "bodies[1].velocity: a static body"},
    {BODY("{\"shape\":\"ball\",\"anchor\":\"bottom\"}"), "bodies[1].anchor: only a static body"},
    {BODY("{\"shape\":\"ball\",\"type\":\"static\",\"anchor\":\"top\"}"),
     "bodies[1].anchor: no anchor 'top', must be one of "},
    {BODY("{\"shape\":\"ball\",\"type\":\"static\",\"anchor\":{\"box\":[[0,0,0],[1,1,-1]]}}"),
     "bodies[1].anchor.box: the lower corner"},
    {BODY("{\"shape\":\"ball\",\"fracture\":{\"method\":\"xfm\"}}"),
     "no method of fracture 'xfm'; did you mean"},
    {BODY("{\"shape\":\"ball\",\"fracture\":{\"method\":\"prescored\",\"pattern\":\"radail\"}}"),
     "did you mean 'radial'?"},
    {BODY("{\"shape\":\"ball\",\"fracture\":{\"method\":\"prescored\",\"pieces\":0}}"),
     "bodies[1].fracture.pieces: is 0, must be 1 to"},
    {BODY("{\"shape\":\"ball\",\"grid\":{\"count\":[1,1],\"spacing\":[0,0,0]}}"), "bodies[1].grid.count"},
    {BODY("{\"shape\":\"ball\",\"grid\":{\"count\":[1,0,1],\"spacing\":[0,0,0]}}"),
     "bodies[1].grid.count[1]"},
    {BODY("{\"shape\":\"ball\",\"grid\":{\"count\":[1,2,1]}}"), "spacing"},
    {BODY("{\"shape\":\"ball\",\"grid\":{\"count\":[4000000000,4000000000,1],\"spacing\":[1,1,1]}}"),
     "bodies[1]: a scene has at most"},
    {JOINT("{\"kind\":\"glue\",\"a\":\"x\"}"), "joints[0].kind: no kind of joint 'glue'"},
    {JOINT("{\"kind\":\"ball\"}"), "joints[0]"},
    {JOINT("{\"kind\":\"ball\",\"a\":\"y\"}"), "joints[0].a: no body 'y'"},
    {JOINT("{\"kind\":\"ball\",\"a\":\"x\",\"b\":\"x\"}"), "joints[0].b: a and b must be different bodies"},
    {JOINT("{\"kind\":\"ball\",\"a\":\"x\",\"length\":1}"),
     "joints[0].length: only distance joints and ropes"},
    {JOINT("{\"kind\":\"rope\",\"a\":\"x\",\"pointB\":[0,0,0],\"length\":0}"),
     "joints[0].length: is 0, must be positive"},
    {JOINT("{\"kind\":\"ball\",\"a\":\"x\",\"b\":\"floor\",\"pointB\":[0,0,0]}"), "joints[0].pointB"},
    {JOINT("{\"kind\":\"ball\",\"a\":\"x\",\"anchorB\":[0,0,0]}"), "joints[0].anchorB: there is no body b"},
    {JOINT("{\"kind\":\"ball\",\"a\":\"floor\"}"), "joints[0]: one of the two bodies must be dynamic"},
    {JOINT("{\"kind\":\"ball\",\"a\":\"late\"}"), "joints[0].a: the body is spawned later"},
    {JOINT("{\"kind\":\"hinge\",\"a\":\"x\",\"axis\":[0,0,0]}"), "joints[0].axis: a direction must not be 0"},
    {EVENT("{\"time\":1}"), "kinds of events, must be one of"},
    {EVENT("{\"remove\":\"x\"}"), "time"},
    {EVENT("{\"time\":-1,\"remove\":\"x\"}"), "events[0].time: is -1, must not be negative"},
    {EVENT("{\"time\":1,\"remove\":\"y\"}"), "events[0].remove: no body 'y'"},
    {EVENT("{\"time\":1,\"remove\":\"x\",\"impulse\":{}}"), "kinds of events, must be one of"},
    {EVENT("{\"time\":1,\"impulse\":{\"body\":\"x\"}}"), "impulse"},
    {EVENT("{\"time\":1,\"impulse\":{\"body\":\"floor\",\"impulse\":[0,0,1]}}"),
     "events[0].impulse.body: a static body cannot be moved by this event"},
    {EVENT("{\"time\":1,\"explode\":{\"at\":[0,0,0],\"radius\":0,\"impulse\":1}}"),
     "events[0].explode.radius"},
    {EVENT("{\"time\":1,\"setVelocity\":{\"body\":\"x\"}}"), "events[0].setVelocity: needs a velocity"},
    {EVENT("{\"time\":1,\"break\":{\"body\":\"x\",\"normal\":[0,0,0]}}"), "events[0].break.normal"},
    {EVENT("{\"time\":1,\"spawn\":{\"shape\":\"bal\"}}"), "events[0].spawn.shape: no shape 'bal'"},
};

static void wrong_scenes_are_refused_with_their_path(void** state)
{
    (void)state;
    for (size_t i = 0; i < sizeof refusals / sizeof refusals[0]; ++i)
    {
        check_refusal(&refusals[i]);
    }
}

static void missing_files_and_broken_solids_name_their_path(void** state)
{
    (void)state;
    static const Refusal late[] = {
        {SHAPE("{\"kind\":\"mesh\",\"file\":\"no_such.obj\"}"), "shapes.a.file: "},
        {SHAPE("{\"kind\":\"mesh\",\"file\":\"no_such.xyz\"}"), "shapes.a.file: "},
        {SHAPE("{\"kind\":\"torus\",\"radius\":0.1,\"tube\":0.2}"), "shapes.a: "},
        {SHAPE("{\"kind\":\"hull\",\"points\":[[0,0,0],[1,0,0],[0,1,0],[1,1,0]]}"), "shapes.a: "},
        {BODY("{\"shape\":\"ball\",\"fracture\":{\"method\":\"prescored\",\"pattern\":\"no_such.json\"}}"),
         "bodies[1].fracture.pattern: no"},
    };
    for (size_t i = 0; i < sizeof late / sizeof late[0]; ++i)
    {
        rblSceneId scene;
        check_ok(load(late[i].text, &scene));
        assert_true(rbl_scene_prepare(scene) != RBL_OK);
        if (strstr(rbl_last_error(), late[i].message) == NULL)
        {
            fail_msg("'%s' is not in: %s", late[i].message, rbl_last_error());
        }
        check_ok(rbl_scene_destroy(scene));
        assert_int_equal(rbl_bytes_in_use(), 0);
    }
    rblSceneId scene;
    check_fails(RBL_ERROR_FILE, rbl_scene_load("no_such_scene.json", &scene));
}

static void bad_calls_get_results(void** state)
{
    (void)state;
    rblSceneId scene;
    rblSceneView view;
    rblWorldDef def = rbl_default_world_def();
    check_fails(RBL_ERROR_ARGUMENT, rbl_scene_load(NULL, &scene));
    check_fails(RBL_ERROR_ARGUMENT, rbl_scene_load_memory(NULL, 3, "x", &scene));
    check_fails(RBL_ERROR_ARGUMENT, rbl_scene_load_memory("{}", 2, NULL, &scene));
    check_fails(RBL_ERROR_STALE, rbl_scene_view((rblSceneId){0}, &view));
    check_ok(load_parts("{\"shape\":\"ball\"}", "", &scene));
    check_fails(RBL_ERROR_ARGUMENT, rbl_scene_view(scene, NULL));
    check_fails(RBL_ERROR_ARGUMENT, rbl_scene_world_def(scene, NULL));
    rblBodyId body = {0};
    check_fails(RBL_ERROR_STALE, rbl_scene_build(scene, (rblWorldId){0}, &body));
    check_fails(RBL_ERROR_ARGUMENT, rbl_scene_apply(scene, (rblWorldId){0}, 0, &body));
    check_ok(rbl_scene_destroy(scene));
    check_fails(RBL_ERROR_STALE, rbl_scene_world_def(scene, &def));
    check_fails(RBL_ERROR_STALE, rbl_scene_destroy(scene));
    assert_string_equal(rbl_scene_event_name(RBL_EVENT_SET_VELOCITY), "setVelocity");
}

static void running_out_of_memory_is_reported_and_leaks_nothing(void** state)
{
    (void)state;
    static const char text[] = EVENT(
        "{\"time\":1,\"remove\":\"x\"},{\"time\":0.5,\"spawn\":{\"shape\":\"plate\",\"material\":\"glass\","
        "\"grid\":{\"count\":[3,3,3],\"spacing\":[2,2,2]}}}");
    bool loaded = false;
    for (size_t n = 0; !loaded && n < 10000; ++n)
    {
        FailingAllocator memory;
        rblSceneId scene;
        failing_allocator_start(&memory, n);
        check_ok(rbl_set_allocator(&memory.allocator));
        rblResult result = load(text, &scene);
        if (result == RBL_OK)
        {
            result = rbl_scene_prepare(scene);
            check_ok(rbl_scene_destroy(scene));
        }
        assert_true(result == RBL_OK || result == RBL_ERROR_MEMORY);
        loaded = result == RBL_OK;
        assert_int_equal(memory.live, 0);
        check_ok(rbl_set_allocator(NULL));
    }
    assert_true(loaded);
}

// ---- in a world ----

static void events_do_what_they_say(void** state)
{
    (void)state;
    rblSceneId scene;
    check_ok(load_parts(
        "{\"name\":\"x\",\"shape\":\"ball\",\"mass\":2},{\"name\":\"y\",\"shape\":\"ball\",\"mass\":2,"
        "\"position\":[1,0,0]}",
        "\"gravity\":[0,0,0],\"events\":["
        "{\"time\":0,\"impulse\":{\"body\":\"x\",\"impulse\":[0,0,4]}},"
        "{\"time\":0,\"setVelocity\":{\"body\":\"y\",\"velocity\":[0,1,0]}},"
        "{\"time\":1,\"explode\":{\"at\":[0,-1,0],\"radius\":2,\"impulse\":8}},"
        "{\"time\":2,\"remove\":{\"body\":\"x\"}},"
        "{\"time\":3,\"impulse\":{\"body\":\"x\",\"impulse\":[0,0,4]}}]",
        &scene));
    rblWorldDef def = rbl_default_world_def();
    rblWorldId world;
    rblBodyId bodies[2];
    rblBodyState body;
    check_ok(rbl_scene_world_def(scene, &def));
    check_ok(rbl_world_create(&def, &world));
    check_ok(rbl_scene_build(scene, world, bodies));
    check_ok(rbl_scene_apply(scene, world, 0, bodies));
    check_ok(rbl_scene_apply(scene, world, 1, bodies));
    check_ok(rbl_body_state(world, bodies[0], &body));
    check_close(body.velocity.z, 2.0, 1e-6);
    check_ok(rbl_body_state(world, bodies[1], &body));
    check_close(body.velocity.y, 1.0, 1e-6);
    check_ok(rbl_scene_apply(scene, world, 2, bodies)); // at distance 1 of 2: half of 8 N s on 2 kg
    check_ok(rbl_body_state(world, bodies[0], &body));
    check_close(body.velocity.y, 2.0, 1e-5);
    check_ok(rbl_scene_apply(scene, world, 3, bodies));
    assert_int_equal(bodies[0].index1, 0);
    check_ok(rbl_scene_apply(scene, world, 4, bodies)); // it is gone: nothing happens
    check_ok(rbl_world_destroy(world));
    check_ok(rbl_scene_destroy(scene));
}

static void bodies_are_placed_by_their_shapes_origin(void** state)
{
    (void)state;
    rblSceneId scene;
    check_ok(load(
        "{\"rubble\":1,\"shapes\":{\"t\":{\"kind\":\"hull\",\"points\":[[1,0,0],[2,0,0],[1,1,0],[1,0,1]]}},"
        "\"bodies\":[{\"shape\":\"t\",\"position\":[0,5,0],\"rotation\":[0,0,0.70710678,0.70710678],"
        "\"mass\":3}]}",
        &scene));
    rblWorldDef def = rbl_default_world_def();
    rblWorldId world;
    rblBodyId body;
    rblBodyState is;
    check_ok(rbl_scene_world_def(scene, &def));
    check_ok(rbl_world_create(&def, &world));
    check_ok(rbl_scene_build(scene, world, &body));
    check_ok(rbl_body_state(world, body, &is));
    check_close(is.pose.p.y, 5.0, 1e-6);
    check_close(is.center.x, -0.25, 1e-6); // x and y are a quarter turn about z of 1.25 and 0.25
    check_close(is.center.y, 6.25, 1e-6);
    check_close(is.mass, 3.0, 1e-6);
    check_ok(rbl_world_destroy(world));
    check_ok(rbl_scene_destroy(scene));
}

static void failed_builds_leave_nothing_behind(void** state)
{
    (void)state;
    rblSceneId scene;
    // A hull so heavy that its mass is not finite cannot become a body; the one before it must be taken back.
    check_ok(
        load("{\"rubble\":1,\"materials\":{\"m\":{\"density\":1e38}},\"shapes\":{\"a\":{\"kind\":\"sphere\","
             "\"radius\":1},\"b\":{\"kind\":\"sphere\",\"radius\":1000}},\"bodies\":[{\"shape\":\"a\"},"
             "{\"shape\":\"b\",\"material\":\"m\"}]}",
             &scene));
    rblWorldDef def = rbl_default_world_def();
    rblWorldId world;
    rblBodyId bodies[2];
    rblCounters counters;
    check_ok(rbl_scene_world_def(scene, &def));
    check_ok(rbl_world_create(&def, &world));
    const rblResult result = rbl_scene_build(scene, world, bodies);
    if (result != RBL_OK)
    {
        assert_non_null(strstr(rbl_last_error(), "bodies[1]: "));
        check_ok(rbl_world_step(world, 0.0f));
        check_ok(rbl_world_counters(world, &counters));
        assert_int_equal(counters.bodies, 0);
    }
    check_ok(rbl_world_destroy(world));
    check_ok(rbl_scene_destroy(scene));
    assert_int_equal(rbl_shape_alive_count(), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(defaults_are_those_of_the_contract),
        cmocka_unit_test(example_of_the_contract_is_read),
        cmocka_unit_test(unnamed_bodies_get_free_names),
        cmocka_unit_test(every_procedural_kind_is_a_shape),
        cmocka_unit_test(convex_solids_become_hulls),
        cmocka_unit_test(wrong_scenes_are_refused_with_their_path),
        cmocka_unit_test(missing_files_and_broken_solids_name_their_path),
        cmocka_unit_test(bad_calls_get_results),
        cmocka_unit_test(running_out_of_memory_is_reported_and_leaks_nothing),
        cmocka_unit_test(events_do_what_they_say),
        cmocka_unit_test(bodies_are_placed_by_their_shapes_origin),
        cmocka_unit_test(failed_builds_leave_nothing_behind),
    };
    return cmocka_run_group_tests_name("scene", tests, NULL, NULL);
}
