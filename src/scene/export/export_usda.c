// A run as USD text: one prim per body with time-sampled transforms and UsdPhysics attributes. Surfaces are shared by
// reference.
#include "base/error.h"
#include "base/number.h"
#include "io/layers.h"
#include "io/text_write.h"
#include "math/vec.h"
#include "scene/export/export.h"
#include <stdio.h>
#include <string.h>

typedef struct UsdWriter
{
    const rblRun* run;
    const rblExportOptions* options;
    rblExportSurfaces surfaces;
    rblWriter writer;
} UsdWriter;

// ---- values ----

static void put(UsdWriter* usd, const char* text)
{
    rbl_write_text(&usd->writer, text);
}

static void put_number(UsdWriter* usd, double value)
{
    char* c = rbl_writer_reserve(&usd->writer);
    rbl_writer_advance(&usd->writer, c + rbl_format_double(value, c));
}

static void put_float(UsdWriter* usd, float value)
{
    char* c = rbl_writer_reserve(&usd->writer);
    rbl_writer_advance(&usd->writer, c + rbl_format_float(value, c));
}

static void put_count(UsdWriter* usd, uint64_t value)
{
    char* c = rbl_writer_reserve(&usd->writer);
    rbl_writer_advance(&usd->writer, c + rbl_format_u64(value, c));
}

// "(a, b, c)"
static void put_tuple(UsdWriter* usd, const float* values, uint32_t count)
{
    for (uint32_t i = 0; i < count; ++i)
    {
        put(usd, i == 0 ? "(" : ", ");
        put_float(usd, values[i]);
    }
    put(usd, ")");
}

static void put_vector(UsdWriter* usd, rblVec3 v)
{
    put_tuple(usd, (const float[3]){v.x, v.y, v.z}, 3);
}

// For attributes of 64 bits: a 32-bit number is written with the digits that give the same number when read in 64 bits.
static void put_exact_vector(UsdWriter* usd, rblVec3d v)
{
    put(usd, "(");
    put_number(usd, v.x);
    put(usd, ", ");
    put_number(usd, v.y);
    put(usd, ", ");
    put_number(usd, v.z);
    put(usd, ")");
}

// A string in quotes. Control characters are left out.
static void put_quoted(UsdWriter* usd, const char* text)
{
    put(usd, "\"");
    for (; *text != '\0'; ++text)
    {
        const bool special = *text == '"' || *text == '\\';
        const bool control = (unsigned char)*text < ' ';
        rbl_write_bytes(&usd->writer, "\\", special);
        rbl_write_bytes(&usd->writer, control ? "_" : text, 1);
    }
    put(usd, "\"");
}

// ---- surfaces ----

static rblVec3 point_of(const rblMeshView* view, rblVec3d origin, uint32_t vertex)
{
    return rbl_to_float3(rbl_sub3d(view->positions[vertex], origin));
}

static void put_points(UsdWriter* usd, const rblMeshView* view, rblVec3d origin)
{
    put(usd, "            point3f[] points = [");
    for (uint32_t v = 0; v < view->vertex_count; ++v)
    {
        put(usd, v > 0 ? ", " : "");
        put_vector(usd, point_of(view, origin, v));
    }
    put(usd, "]\n");
}

static void put_faces(UsdWriter* usd, const rblMeshView* view)
{
    put(usd, "            int[] faceVertexCounts = [");
    for (uint32_t f = 0; f < view->face_count; ++f)
    {
        put(usd, f > 0 ? ", " : "");
        put_count(usd, view->face_starts[f + 1] - view->face_starts[f]);
    }
    put(usd, "]\n            int[] faceVertexIndices = [");
    for (uint32_t c = 0; c < view->corner_count; ++c)
    {
        put(usd, c > 0 ? ", " : "");
        put_count(usd, view->corner_vertices[c]);
    }
    put(usd, "]\n");
}

static void put_layer(UsdWriter* usd, const rblMeshView* view, rblLayerKind kind, const char* name)
{
    const rblLayer* layer = rbl_find_layer(view, kind);
    if (layer == NULL)
    {
        return;
    }
    put(usd, "            ");
    put(usd, name);
    put(usd, " = [");
    for (uint32_t c = 0; c < view->corner_count; ++c)
    {
        put(usd, c > 0 ? ", " : "");
        put_tuple(usd, layer->data + (size_t)c * layer->components, layer->components);
    }
    put(usd, "] (\n                interpolation = \"faceVarying\"\n            )\n");
}

// Crack faces are a subset with a material of their own.
static void put_crack_subset(UsdWriter* usd, const rblMeshView* view)
{
    bool any = false;
    for (uint32_t f = 0; f < view->face_count; ++f)
    {
        if (rbl_export_is_crack(view, f))
        {
            put(usd, any ? ", "
                         : "            def GeomSubset \"crack\"\n            {\n"
                           "                uniform token elementType = \"face\"\n"
                           "                uniform token familyName = \"materialBind\"\n"
                           "                int[] indices = [");
            put_count(usd, f);
            any = true;
        }
    }
    put(usd, any ? "]\n            }\n" : "");
}

static void put_extent(UsdWriter* usd, const rblMeshView* view, rblVec3d origin)
{
    rblVec3 low = point_of(view, origin, 0);
    rblVec3 high = low;
    for (uint32_t v = 1; v < view->vertex_count; ++v)
    {
        const rblVec3 p = point_of(view, origin, v);
        low = rbl_vec3(rbl_minf(low.x, p.x), rbl_minf(low.y, p.y), rbl_minf(low.z, p.z));
        high = rbl_vec3(rbl_maxf(high.x, p.x), rbl_maxf(high.y, p.y), rbl_maxf(high.z, p.z));
    }
    put(usd, "            float3[] extent = [");
    put_vector(usd, low);
    put(usd, ", ");
    put_vector(usd, high);
    put(usd, "]\n");
}

// Points are in 32 bits. Those of a surface that is far from the origin of its shape are relative to a point near it.
static void put_origin(UsdWriter* usd, rblVec3d origin)
{
    if (rbl_export_is_moved(origin))
    {
        put(usd, "            double3 xformOp:translate = ");
        put_exact_vector(usd, origin);
        put(usd, "\n            uniform token[] xformOpOrder = [\"xformOp:translate\"]\n");
    }
}

static void put_shapes(UsdWriter* usd)
{
    put(usd, "    class \"Shapes\"\n    {\n");
    for (uint32_t i = 0; i < usd->run->shapes.count; ++i)
    {
        const rblMeshView* view = &usd->surfaces.views[i];
        const rblVec3d origin = usd->surfaces.origins[i];
        if (view->vertex_count == 0)
        {
            continue;
        }
        put(usd, "        def Mesh \"shape_");
        put_count(usd, i);
        put(usd, "\" (\n            displayName = ");
        put_quoted(usd, usd->run->shapes.data[i].name);
        put(usd, "\n        )\n        {\n            uniform token subdivisionScheme = \"none\"\n");
        put_origin(usd, origin);
        put_extent(usd, view, origin);
        put_points(usd, view, origin);
        put_faces(usd, view);
        put_layer(usd, view, RBL_LAYER_NORMAL, "normal3f[] normals");
        put_layer(usd, view, RBL_LAYER_UV, "texCoord2f[] primvars:st");
        put_crack_subset(usd, view);
        put(usd, "        }\n");
    }
    put(usd, "    }\n");
}

// ---- materials ----

static void put_material(UsdWriter* usd, uint32_t material, bool crack)
{
    float color[3];
    rbl_export_color(&usd->run->materials.data[material], crack, color);
    put(usd, "        def Material \"material_");
    put_count(usd, material);
    put(usd, crack ? "_crack\" (\n            displayName = " : "\" (\n            displayName = ");
    put_quoted(usd, usd->run->materials.data[material].name);
    put(usd,
        "\n        )\n        {\n            token outputs:surface.connect = </World/Materials/material_");
    put_count(usd, material);
    put(usd, crack ? "_crack/shader.outputs:surface>\n" : "/shader.outputs:surface>\n");
    put(usd, "            def Shader \"shader\"\n            {\n"
             "                uniform token info:id = \"UsdPreviewSurface\"\n"
             "                color3f inputs:diffuseColor = ");
    put_tuple(usd, color, 3);
    put(usd, crack ? "\n                float inputs:roughness = 0.95\n"
                   : "\n                float inputs:roughness = 0.7\n");
    put(usd, "                token outputs:surface\n            }\n        }\n");
}

static void put_materials(UsdWriter* usd)
{
    put(usd, "    def Scope \"Materials\"\n    {\n");
    for (uint32_t i = 0; i < usd->run->materials.count; ++i)
    {
        put_material(usd, i, false);
        put_material(usd, i, true);
    }
    put(usd, "    }\n");
}

// ---- bodies ----

static void put_rotation(UsdWriter* usd, const rblTransform* pose)
{
    const rblQuat q = pose->q;
    put_tuple(usd, (const float[4]){q.w, q.x, q.y, q.z}, 4); // the real part comes first in USD
}

static void put_translation(UsdWriter* usd, const rblTransform* pose)
{
    put_exact_vector(usd, rbl_to_double3(pose->p));
}

typedef void PoseFcn(UsdWriter* usd, const rblTransform* pose);

// One part of the pose: a constant, or keys between which USD interpolates.
static void put_samples(UsdWriter* usd, const char* name, const rblRunBody* body, PoseFcn* put_part)
{
    put(usd, "            ");
    put(usd, name);
    if (rbl_run_body_is_still(body))
    {
        put(usd, " = ");
        put_part(usd, &body->keys.data[0].pose);
        put(usd, "\n");
        return;
    }
    put(usd, ".timeSamples = {\n");
    for (size_t i = 0; i < body->keys.count; ++i)
    {
        if (rbl_export_keeps_key(body, i, usd->options->every))
        {
            put(usd, "                ");
            put_count(usd, body->keys.data[i].step);
            put(usd, ": ");
            put_part(usd, &body->keys.data[i].pose);
            put(usd, ",\n");
        }
    }
    put(usd, "            }\n");
}

static void put_pose(UsdWriter* usd, const rblRunBody* body)
{
    put_samples(usd, "double3 xformOp:translate", body, put_translation);
    put_samples(usd, "quatf xformOp:orient", body, put_rotation);
    put(usd, "            uniform token[] xformOpOrder = [\"xformOp:translate\", \"xformOp:orient\"]\n");
}

static void put_presence(UsdWriter* usd, const rblRunBody* body)
{
    if (body->birth == 0 && body->death == RBL_NONE)
    {
        return;
    }
    put(usd, "            token visibility.timeSamples = {\n");
    if (body->birth > 0)
    {
        put(usd, "                0: \"invisible\",\n");
    }
    put(usd, "                ");
    put_count(usd, body->birth);
    put(usd, ": \"inherited\",\n");
    if (body->death != RBL_NONE)
    {
        put(usd, "                ");
        put_count(usd, body->death);
        put(usd, ": \"invisible\",\n");
    }
    put(usd, "            }\n");
}

static void put_physics(UsdWriter* usd, const rblRunBody* body)
{
    const rblRunKey* first = &body->keys.data[0];
    if (body->type == RBL_BODY_STATIC)
    {
        return;
    }
    put(usd, body->type == RBL_BODY_KINEMATIC ? "            bool physics:kinematicEnabled = 1\n" : "");
    put(usd, "            vector3f physics:velocity = ");
    put_vector(usd, first->velocity);
    // UsdPhysics measures spins in degrees a second.
    put(usd, "\n            vector3f physics:angularVelocity = ");
    put_vector(usd, rbl_scale3(first->spin, 57.295779513f));
    put(usd, "\n");
    if (body->mass > 0.0f)
    {
        const rblVec3d center = usd->run->shapes.data[body->shape].mass.center;
        put(usd, "            float physics:mass = ");
        put_float(usd, body->mass);
        put(usd, "\n            point3f physics:centerOfMass = ");
        put_vector(usd, rbl_to_float3(center));
        put(usd, "\n");
    }
}

static bool has_cracks(const rblMeshView* view)
{
    for (uint32_t f = 0; f < view->face_count; ++f)
    {
        if (rbl_export_is_crack(view, f))
        {
            return true;
        }
    }
    return false;
}

static void put_surface(UsdWriter* usd, const rblRunBody* body)
{
    put(usd, "            def Mesh \"surface\" (\n"
             "                prepend apiSchemas = [\"MaterialBindingAPI\", \"PhysicsCollisionAPI\"]\n"
             "                prepend references = </World/Shapes/shape_");
    put_count(usd, body->shape);
    put(usd, ">\n            )\n            {\n                rel material:binding = "
             "</World/Materials/material_");
    put_count(usd, body->material);
    put(usd, ">\n");
    if (has_cracks(&usd->surfaces.views[body->shape]))
    {
        put(usd, "                over \"crack\" (\n                    prepend apiSchemas = "
                 "[\"MaterialBindingAPI\"]\n"
                 "                )\n                {\n"
                 "                    rel material:binding = </World/Materials/material_");
        put_count(usd, body->material);
        put(usd, "_crack>\n                }\n");
    }
    put(usd, "            }\n");
}

static void put_provenance(UsdWriter* usd, uint32_t index)
{
    const rblRunBody* body = &usd->run->bodies.data[index];
    put(usd, "            custom int rubble:id = ");
    put_count(usd, index);
    put(usd, "\n            custom double rubble:birth = ");
    put_number(usd, (double)body->birth * usd->run->settings.step);
    put(usd, "\n");
    if (body->parent != RBL_NONE)
    {
        put(usd, "            custom int rubble:parent = ");
        put_count(usd, body->parent);
        put(usd, "\n");
    }
}

static void put_body(UsdWriter* usd, uint32_t index)
{
    const rblRunBody* body = &usd->run->bodies.data[index];
    put(usd, "        def Xform \"body_");
    put_count(usd, index);
    put(usd, "\" (\n            displayName = ");
    put_quoted(usd, body->name);
    put(usd, body->type == RBL_BODY_STATIC ? "\n        )\n        {\n"
                                           : "\n            prepend apiSchemas = [\"PhysicsRigidBodyAPI\", "
                                             "\"PhysicsMassAPI\"]\n        )\n        {\n");
    put_pose(usd, body);
    put_presence(usd, body);
    put_physics(usd, body);
    put_provenance(usd, index);
    put_surface(usd, body);
    put(usd, "        }\n");
}

// ---- the stage ----

static void put_header(UsdWriter* usd)
{
    const rblRunSettings* settings = &usd->run->settings;
    const double rate = settings->step > 0.0 ? 1.0 / settings->step : 60.0;
    put(usd, "#usda 1.0\n(\n    defaultPrim = \"World\"\n    doc = ");
    put_quoted(usd, settings->name);
    put(usd, "\n    metersPerUnit = 1\n    kilogramsPerUnit = 1\n    upAxis = \"Y\"\n    startTimeCode = 0\n "
             "   endTimeCode = ");
    put_count(usd, rbl_run_last_step(usd->run));
    put(usd, "\n    timeCodesPerSecond = ");
    put_number(usd, rate);
    put(usd, "\n    framesPerSecond = ");
    put_number(usd, rate);
    put(usd, "\n)\n\ndef Xform \"World\"\n{\n");
}

static void put_gravity(UsdWriter* usd)
{
    const rblVec3 gravity = usd->run->settings.gravity;
    const float size = rbl_length3(gravity);
    const rblVec3 down = rbl_normalize3(gravity, rbl_vec3(0, -1, 0));
    put(usd, "    def PhysicsScene \"Physics\"\n    {\n        vector3f physics:gravityDirection = ");
    put_vector(usd, down);
    put(usd, "\n        float physics:gravityMagnitude = ");
    put_float(usd, size);
    put(usd, "\n    }\n");
}

static rblResult write_stage(UsdWriter* usd, const char* path)
{
    const rblRun* run = usd->run;
    RBL_TRY(rbl_export_surfaces_open(&usd->surfaces, run));
    RBL_TRY(rbl_writer_open(&usd->writer, path, run->allocator));
    put_header(usd);
    put_gravity(usd);
    put_materials(usd);
    put_shapes(usd);
    put(usd, "    def Xform \"Bodies\"\n    {\n");
    for (uint32_t i = 0; i < run->bodies.count; ++i)
    {
        if (run->bodies.data[i].keys.count > 0)
        {
            put_body(usd, i);
        }
        RBL_TRY(rbl_export_progress(usd->options, i + 1, (uint32_t)run->bodies.count));
    }
    put(usd, "    }\n}\n");
    return rbl_writer_close(&usd->writer);
}

rblResult rbl_export_usda(const rblRun* run, const char* path, const rblExportOptions* options)
{
    UsdWriter usd = {.run = run, .options = options};
    const rblResult result = write_stage(&usd, path);
    rbl_export_surfaces_close(&usd.surfaces);
    return result;
}
