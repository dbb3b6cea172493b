// The scene reader: whatever the text, it is refused with a line that names the file, or all that it says holds together, and
// a small scene of exact shapes can be built and run for some steps without a number that is none.
#include "fuzz.h"
#include "math/vec.h"
#include "rubble/scene.h"
#include <string.h>

static void check_bodies(const rblSceneView* view)
{
    for (uint32_t i = 0; i < view->body_count; ++i)
    {
        const rblSceneBody* body = &view->bodies[i];
        const float* numbers = &body->pose.p.x;
        FUZZ_CHECK(body->name[0] != '\0');
        FUZZ_CHECK(body->shape < view->shape_count && body->material < view->material_count);
        FUZZ_CHECK(body->type < RBL_BODY_TYPE_COUNT && (body->fracture != NULL || body->breaker == RBL_NONE));
        FUZZ_CHECK(body->mass >= 0.0f);
        FUZZ_CHECK(body->event == RBL_NONE || body->event < view->event_count);
        for (uint32_t k = 0; k < sizeof body->pose / sizeof(float); ++k)
        {
            FUZZ_CHECK(numbers[k] - numbers[k] == 0.0f);
        }
    }
}

static void check_rest(const rblSceneView* view)
{
    FUZZ_CHECK(view->step > 0.0 && view->substeps >= 1);
    for (uint32_t i = 0; i < view->joint_count; ++i)
    {
        const rblSceneJoint* joint = &view->joints[i];
        FUZZ_CHECK(joint->a < view->body_count && (joint->b == RBL_NONE || joint->b < view->body_count));
        FUZZ_CHECK(joint->a != joint->b);
    }
    for (uint32_t i = 0; i < view->event_count; ++i)
    {
        const rblSceneEvent* event = &view->events[i];
        FUZZ_CHECK(event->kind < RBL_EVENT_KIND_COUNT && event->time >= 0.0);
        FUZZ_CHECK(i == 0 || view->events[i - 1].time <= event->time);
        FUZZ_CHECK(event->kind == RBL_EVENT_EXPLODE || event->body < view->body_count);
    }
    for (uint32_t i = 0; i < view->material_count; ++i)
    {
        const rblMaterial* material = &view->materials[i].values;
        FUZZ_CHECK(material->density > 0.0f && material->restitution <= 1.0f && material->friction >= 0.0f);
    }
}

#define MAX_BODIES 24
#define STEPS      4

// Level sets take a moment to make: too long for a fuzzer.
static bool is_quick(const rblSceneView* view)
{
    static const char* const exact[] = {"plane", "sphere", "capsule", "box", "cylinder", "hull"};
    bool quick = view->body_count <= MAX_BODIES;
    for (uint32_t i = 0; i < view->shape_count; ++i)
    {
        bool known = false;
        for (size_t k = 0; k < sizeof exact / sizeof *exact; ++k)
        {
            known = known || strcmp(view->shapes[i].kind, exact[k]) == 0;
        }
        quick = quick && known;
    }
    return quick;
}

static void check_states(rblWorldId world, const rblBodyId* bodies, uint32_t count)
{
    for (uint32_t i = 0; i < count; ++i)
    {
        rblBodyState state;
        if (rbl_body_state(world, bodies[i], &state) == RBL_OK) // others are not born yet, or gone
        {
            FUZZ_CHECK(rbl_finite3(state.pose.p) && rbl_finite3(state.velocity) && rbl_finite3(state.spin));
        }
    }
}

static void run_scene(rblSceneId scene, const rblSceneView* view)
{
    rblWorldDef def = rbl_default_world_def();
    rblWorldId world;
    rblBodyId bodies[MAX_BODIES] = {{0}};
    FUZZ_CHECK(rbl_scene_world_def(scene, &def) == RBL_OK);
    FUZZ_CHECK(rbl_world_create(&def, &world) == RBL_OK);
    if (rbl_scene_build(scene, world, bodies) == RBL_OK)
    {
        for (uint32_t i = 0; i < view->event_count; ++i)
        {
            (void)rbl_scene_apply(scene, world, i, bodies);
        }
        for (int i = 0; i < STEPS; ++i)
        {
            FUZZ_CHECK(rbl_world_step(world, (float)view->step) == RBL_OK);
            check_states(world, bodies, view->body_count);
        }
    }
    FUZZ_CHECK(rbl_world_destroy(world) == RBL_OK);
}

int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size)
{
    rblSceneId scene;
    if (rbl_scene_load_memory(data, size, "fuzz", &scene) == RBL_OK)
    {
        rblSceneView view;
        FUZZ_CHECK(rbl_scene_view(scene, &view) == RBL_OK);
        check_bodies(&view);
        check_rest(&view);
        if (is_quick(&view))
        {
            run_scene(scene, &view);
        }
        FUZZ_CHECK(rbl_scene_destroy(scene) == RBL_OK);
    }
    else
    {
        FUZZ_CHECK(strncmp(rbl_last_error(), "fuzz:", 5) == 0);
        FUZZ_CHECK(strchr(rbl_last_error(), '\n') == NULL);
    }
    FUZZ_CHECK(rbl_bytes_in_use() == 0);
    return 0;
}
