// Triangle strips in PLY files, as in models of the Stanford repository: lists of indices; -1 starts a new strip.
#include "io/ply/ply.h"

typedef struct Strip
{
    uint32_t vertices[2]; // the last two vertices
    uint32_t length;      // vertices since the last -1
} Strip;

static rblResult add_vertex(Strip* strip, uint32_t vertex, rblMeshBuilder* builder)
{
    if (strip->length >= 2)
    {
        // Every second triangle of a strip has the opposite direction.
        const bool odd = strip->length % 2 != 0;
        rbl_mesh_builder_corner(builder, strip->vertices[odd ? 1 : 0]);
        rbl_mesh_builder_corner(builder, strip->vertices[odd ? 0 : 1]);
        rbl_mesh_builder_corner(builder, vertex);
        rbl_mesh_builder_face(builder, 0, 0, (uint32_t)builder->face_starts.count);
    }
    strip->vertices[0] = strip->vertices[1];
    strip->vertices[1] = vertex;
    strip->length += 1;
    return builder->failed ? rbl_fail_memory() : RBL_OK;
}

static rblResult read_strip(rblPlyCursor* cursor, const rblPlyProperty* property, uint64_t vertex_count,
                            rblMeshBuilder* builder)
{
    uint32_t count;
    RBL_TRY(rbl_ply_list_count(cursor, property, &count));
    Strip strip = {0};
    for (uint32_t k = 0; k < count; ++k)
    {
        const rblPlyCursor start = rbl_ply_next(cursor);
        double index;
        RBL_TRY(rbl_ply_scalar(cursor, property->type, &index));
        if (index == -1)
        {
            strip.length = 0;
            continue;
        }
        if (!(index >= 0 && index < (double)vertex_count) || (double)(uint32_t)index != index)
        {
            return rbl_ply_fail(&start, "the strip has an index out of range, there are %llu vertices",
                                (unsigned long long)vertex_count);
        }
        RBL_TRY(add_vertex(&strip, (uint32_t)index, builder));
    }
    return RBL_OK;
}

rblResult rbl_ply_read_strips(rblPlyCursor* cursor, const rblPlyHeader* header, const rblPlyElement* element,
                              uint64_t vertex_count, rblMeshBuilder* builder)
{
    const rblPlyProperty* property = &header->properties.data[element->first_property];
    if (element->property_count != 1 || !property->is_list)
    {
        return rbl_ply_skip(cursor, header, element);
    }
    const bool is_text = cursor->format == RBL_PLY_ASCII;
    RBL_TRY(rbl_ply_check_count(cursor, element, is_text ? 2 : element->row_bytes));
    for (uint64_t row = 0; row < element->count; ++row)
    {
        RBL_TRY(read_strip(cursor, property, vertex_count, builder));
    }
    return RBL_OK;
}
