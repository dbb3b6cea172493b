// The scene reader: whatever the text, it is refused with a line that names the file, or all that it says holds together.
#include "fuzz.h"
#include "rubble/scene.h"

static void check_bodies(const rblSceneView* view)
{
    for (uint32_t i = 0; i < view->body_count; ++i)
    {
        const rblSceneBody* body = &view->bodies[i];
        const float* numbers = &body->pose.p.x;
        FUZZ_CHECK(body->name[0] != '\0');
        FUZZ_CHECK(body->shape < view->shape_count && body->material < view->material_count);
        FUZZ_CHECK(body->type < RBL_BODY_TYPE_COUNT && body->fracture < RBL_FRACTURE_METHOD_COUNT);
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

int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size)
{
    rblSceneId scene;
    if (rbl_scene_load_memory(data, size, "fuzz", &scene) == RBL_OK)
    {
        rblSceneView view;
        FUZZ_CHECK(rbl_scene_view(scene, &view) == RBL_OK);
        check_bodies(&view);
        check_rest(&view);
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
