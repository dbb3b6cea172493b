// PLY to mesh: the header, then all elements, then vertex attributes are copied to the corners.
#include "io/layers.h"
#include "io/names.h"
#include "io/ply/ply.h"
#include "io/text_rows.h"
#include "math/vec.h"

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
        RBL_TRY(rbl_ply_prepare_vertices(cursor, header, element, builder, vertices));
        RBL_TRY(rbl_ply_read_vertices(cursor, element, builder, vertices));
        return rbl_ply_finish_vertices(cursor, vertices);
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

static rblResult read_elements(rblPlyCursor* cursor, const rblPlyHeader* header, rblMeshBuilder* builder,
                               rblPlyVertices* vertices)
{
    for (size_t i = 0; i < header->elements.count; ++i)
    {
        RBL_TRY(read_element(cursor, header, &header->elements.data[i], builder, vertices));
    }
    return RBL_OK;
}

// ---- text of vertices and faces, parsed in parallel ----

typedef struct RowContext
{
    const rblPlyVertices* vertices;
    const rblVec3d* positions;
    bool keep_non_finite;
} RowContext;

static const char* read_vertex_row(const char* line, const char* end, uint32_t row, void* context)
{
    const RowContext* rows = context;
    const char* const after = rbl_ply_read_text_row(rows->vertices, line, end, RBL_TEXT_BLANK, row);
    return after != NULL && (rows->keep_non_finite || rbl_finite3d(rows->positions[row])) ? after : NULL;
}

// The usual text: vertices of numbers, faces of indices only, and no other elements.
static bool is_usual_text(const rblPlyHeader* header)
{
    if (header->format != RBL_PLY_ASCII || header->elements.count != 2)
    {
        return false;
    }
    const rblPlyElement* vertex = &header->elements.data[0];
    const rblPlyElement* face = &header->elements.data[1];
    return rbl_ply_name_is(vertex->name, "vertex") && !vertex->has_lists && vertex->count > 0 &&
           rbl_ply_name_is(face->name, "face") && face->count > 0 && face->count < UINT32_MAX - 3 &&
           rbl_ply_faces_are_plain(header, face);
}

static rblResult read_usual_text(rblPlyCursor* cursor, const rblPlyHeader* header, rblMeshBuilder* builder,
                                 rblPlyVertices* vertices)
{
    const rblPlyElement* vertex = &header->elements.data[0];
    const rblPlyElement* face = &header->elements.data[1];
    RBL_TRY(rbl_ply_prepare_vertices(cursor, header, vertex, builder, vertices));
    RowContext context = {vertices, builder->positions.data, cursor->source->keep_non_finite};
    const rblTextRows rows = {.begin = (const char*)cursor->at,
                              .end = (const char*)cursor->end,
                              .vertex_count = (uint32_t)vertex->count,
                              .face_count = (uint32_t)face->count,
                              .vertex = read_vertex_row,
                              .context = &context};
    if (!rbl_text_rows_read(&rows, builder))
    {
        RBL_TRY(rbl_ply_read_vertices(cursor, vertex, builder, vertices));
        RBL_TRY(rbl_ply_read_faces(cursor, header, face, vertices->count, builder));
    }
    return rbl_ply_finish_vertices(cursor, vertices);
}

static rblResult read_body(const rblSource* source, rblPlyHeader* header, rblMeshBuilder* builder,
                           rblPlyVertices* vertices)
{
    rblPlyCursor cursor = {source, header->format, header->body, source->bytes + source->size};
    vertices->count = count_vertices(header);
    RBL_TRY(add_names(header, builder));
    RBL_TRY((is_usual_text(header) ? read_usual_text : read_elements)(&cursor, header, builder, vertices));
    // Vertex attributes are copied to the corners, unless the faces have their own.
    RBL_TRY(rbl_spread_to_corners(&vertices->attributes[RBL_PLY_NORMAL], RBL_LAYER_NORMAL, builder));
    RBL_TRY(rbl_spread_to_corners(&vertices->attributes[RBL_PLY_UV], RBL_LAYER_UV, builder));
    return rbl_spread_to_corners(&vertices->attributes[RBL_PLY_COLOR], RBL_LAYER_COLOR, builder);
}

rblResult rbl_read_ply(const rblSource* source, rblMeshBuilder* builder)
{
    rblPlyHeader header;
    RBL_TRY(rbl_ply_header_parse(&header, source));
    rblPlyVertices vertices;
    rbl_ply_vertices_init(&vertices, source->allocator);
    const rblResult result = read_body(source, &header, builder, &vertices);
    rbl_ply_vertices_free(&vertices);
    rbl_ply_header_free(&header);
    return result;
}
