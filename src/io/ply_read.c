// PLY to mesh: header, then element by element, then vertex attributes spread to the corners.
#include "io/layers.h"
#include "io/names.h"
#include "io/ply.h"

static uint64_t count_vertices(const rblPlyHeader* header)
{
    for (size_t i = 0; i < header->elements.count; ++i)
    {
        if (rbl_ply_name_is(header->elements.data[i].name, "vertex"))
        {
            return header->elements.data[i].count;
        }
    }
    return 0;
}

static bool add_name(rblMeshBuilder* builder, rblNameKind kind, rblPlyName name, rblIndexArray* numbers)
{
    const uint32_t number = rbl_intern_name(builder, kind, name.text, name.length);
    return !builder->failed && rbl_array_push(numbers, number);
}

static rblResult add_names(rblPlyHeader* header, rblMeshBuilder* builder)
{
    bool ok = true;
    for (size_t i = 0; ok && i < header->materials.count; ++i)
    {
        ok = add_name(builder, RBL_NAME_MATERIAL, header->materials.data[i], &header->material_numbers);
    }
    for (size_t i = 0; ok && i < header->groups.count; ++i)
    {
        ok = add_name(builder, RBL_NAME_GROUP, header->groups.data[i], &header->group_numbers);
    }
    return ok ? RBL_OK : rbl_fail_memory();
}

static rblResult read_element(rblPlyCursor* cursor, const rblPlyHeader* header, const rblPlyElement* element,
                              rblMeshBuilder* builder, rblPlyVertices* vertices)
{
    if (rbl_ply_name_is(element->name, "vertex") && builder->positions.count == 0)
    {
        return rbl_ply_read_vertices(cursor, header, element, builder, vertices);
    }
    if (rbl_ply_name_is(element->name, "face"))
    {
        return rbl_ply_read_faces(cursor, header, element, vertices->count, builder);
    }
    if (rbl_ply_name_is(element->name, "tristrips"))
    {
        return rbl_ply_read_strips(cursor, header, element, vertices->count, builder);
    }
    return rbl_ply_skip(cursor, header, element);
}

static rblResult read_body(const rblSource* source, rblPlyHeader* header, rblMeshBuilder* builder,
                           rblPlyVertices* vertices)
{
    rblPlyCursor cursor = {source, header->format, header->body, source->bytes + source->size};
    vertices->count = count_vertices(header);
    RBL_TRY(add_names(header, builder));
    for (size_t i = 0; i < header->elements.count; ++i)
    {
        RBL_TRY(read_element(&cursor, header, &header->elements.data[i], builder, vertices));
    }
    // What the vertices bring goes to their corners, unless the faces have brought their own.
    RBL_TRY(rbl_spread_to_corners(&vertices->attributes[RBL_PLY_NORMAL], RBL_LAYER_NORMAL, builder));
    RBL_TRY(rbl_spread_to_corners(&vertices->attributes[RBL_PLY_UV], RBL_LAYER_UV, builder));
    return rbl_spread_to_corners(&vertices->attributes[RBL_PLY_COLOR], RBL_LAYER_COLOR, builder);
}

rblResult rbl_read_ply(const rblSource* source, rblMeshBuilder* builder)
{
    rblPlyHeader header;
    RBL_TRY(rbl_ply_header_parse(&header, source));
    rblPlyVertices vertices = {0};
    for (int a = 0; a < RBL_PLY_ATTRIBUTE_COUNT; ++a)
    {
        rbl_array_init(&vertices.attributes[a], source->allocator);
    }
    const rblResult result = read_body(source, &header, builder, &vertices);
    for (int a = 0; a < RBL_PLY_ATTRIBUTE_COUNT; ++a)
    {
        rbl_array_free(&vertices.attributes[a]);
    }
    rbl_ply_header_free(&header);
    return result;
}
