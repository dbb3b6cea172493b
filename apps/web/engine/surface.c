// Surfaces as graphics hardware takes them (rubble/drawable.h).
#include "exports.h"

// Read by JavaScript as 32-bit words.
struct WebMesh
{
    const float* positions;
    const float* normals;
    const uint32_t* indices;
    uint32_t vertex_count;
    uint32_t index_count;
    uint32_t crack_start; // in the indices
};

static struct
{
    WebMesh mesh;
    rblDrawable drawable;
} drawn;

void web_forget_drawn(void)
{
    rbl_drawable_free(&drawn.drawable);
}

// The mesh of that number, in web_drawn(). Only while a body has it.
rblResult web_draw_mesh(uint32_t number)
{
    WebSession* session = NULL;
    RBL_TRY(web_require_session(&session));
    if (number >= session->shapes_of_meshes.count)
    {
        return rbl_fail(RBL_ERROR_ARGUMENT, "there is no mesh %u", number);
    }
    rblShapeView view;
    rblMeshId surface;
    RBL_TRY(rbl_shape_view(session->shapes_of_meshes.data[number], &view));
    RBL_TRY(rbl_shape_surface(&view, &surface));
    web_forget_drawn();
    RBL_TRY(rbl_drawable_create(surface, &drawn.drawable));
    const rblDrawable* drawable = &drawn.drawable;
    drawn.mesh = (WebMesh){.positions = drawable->positions,
                           .normals = drawable->normals,
                           .indices = drawable->indices,
                           .vertex_count = drawable->vertex_count,
                           .index_count = drawable->index_count,
                           .crack_start = drawable->crack_start};
    return RBL_OK;
}

const WebMesh* web_drawn(void)
{
    return &drawn.mesh;
}
