// A mesh as GLB: one node, one mesh, one primitive per material.
#include "io/gltf/glb_mesh.h"
#include "io/readers.h"

static void put_index(rblJsonWriter* json, const char* key, uint32_t value)
{
    rbl_json_key(json, key);
    rbl_json_unsigned(json, value);
}

static bool has_layer(const rblGlbMesh* w, rblLayerKind kind)
{
    for (uint32_t i = 0; i < w->view->layer_count; ++i)
    {
        if (w->view->layers[i].kind == kind)
        {
            return true;
        }
    }
    return false;
}

// Rough and light grey, like plaster; white if there are vertex colours, which multiply it.
static void put_material(const rblGlbMesh* w, rblJsonWriter* json, const char* name)
{
    const double shade = has_layer(w, RBL_LAYER_COLOR) ? 1.0 : 0.8;
    rbl_json_begin_object(json);
    if (name[0] != '\0')
    {
        rbl_json_key(json, "name");
        rbl_json_string(json, name);
    }
    rbl_json_key(json, "pbrMetallicRoughness");
    rbl_json_begin_object(json);
    rbl_json_key(json, "baseColorFactor");
    rbl_json_begin_array(json);
    for (int i = 0; i < 4; ++i)
    {
        rbl_json_number(json, i < 3 ? shade : 1.0);
    }
    rbl_json_end_array(json);
    rbl_json_key(json, "metallicFactor");
    rbl_json_number(json, 0.0);
    rbl_json_key(json, "roughnessFactor");
    rbl_json_number(json, 0.9);
    rbl_json_end_object(json);
    rbl_json_end_object(json);
}

static void put_materials(const rblGlbMesh* w, rblJsonWriter* json)
{
    rbl_json_key(json, "materials");
    rbl_json_begin_array(json);
    for (size_t begin = 0; begin < w->faces.count; begin = rbl_glb_mesh_run_end(w, begin))
    {
        const uint32_t material = rbl_glb_mesh_material(w, begin);
        put_material(w, json, material < w->view->material_count ? w->view->material_names[material] : "");
    }
    rbl_json_end_array(json);
}

static void put_node(const rblGlbMesh* w, rblJsonWriter* json)
{
    const bool moved = w->origin.x != 0.0 || w->origin.y != 0.0 || w->origin.z != 0.0;
    rbl_json_key(json, "nodes");
    rbl_json_begin_array(json);
    rbl_json_begin_object(json);
    put_index(json, "mesh", 0);
    if (w->view->group_count == 1 && w->view->group_names[0][0] != '\0')
    {
        rbl_json_key(json, "name");
        rbl_json_string(json, w->view->group_names[0]);
    }
    if (moved)
    {
        rbl_json_key(json, "translation");
        rbl_json_begin_array(json);
        rbl_json_number(json, w->origin.x);
        rbl_json_number(json, w->origin.y);
        rbl_json_number(json, w->origin.z);
        rbl_json_end_array(json);
    }
    rbl_json_end_object(json);
    rbl_json_end_array(json);
}

static void put_scene(rblJsonWriter* json)
{
    put_index(json, "scene", 0);
    rbl_json_key(json, "scenes");
    rbl_json_begin_array(json);
    rbl_json_begin_object(json);
    rbl_json_key(json, "nodes");
    rbl_json_begin_array(json);
    rbl_json_unsigned(json, 0);
    rbl_json_end_array(json);
    rbl_json_end_object(json);
    rbl_json_end_array(json);
}

static rblResult write_file(const rblGlbMesh* w, rblWriter* writer)
{
    rblGlbBuilder glb;
    rbl_glb_builder_init(&glb, w->allocator);
    put_scene(&glb.json);
    put_node(w, &glb.json);
    put_materials(w, &glb.json);
    const rblGlbAttributes attributes = rbl_glb_mesh_add(w, &glb);
    rbl_json_key(&glb.json, "meshes");
    rbl_json_begin_array(&glb.json);
    rbl_glb_mesh_put(w, &glb.json, attributes, 0, NULL);
    rbl_json_end_array(&glb.json);
    const rblResult result = rbl_glb_builder_write(&glb, writer);
    rbl_glb_builder_free(&glb);
    return result;
}

rblResult rbl_write_glb(const rblMeshView* view, const rblSaveOptions* options, rblWriter* writer)
{
    (void)options;
    rblGlbMesh mesh;
    rblResult result = rbl_glb_mesh_prepare(&mesh, view, rbl_glb_mesh_origin(view), writer->allocator);
    result = result == RBL_OK ? write_file(&mesh, writer) : result;
    rbl_glb_mesh_free(&mesh);
    return result;
}
