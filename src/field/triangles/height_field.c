// Height fields: two triangles a cell.
#include "base/def.h"
#include "base/error.h"
#include "field/shape.h"
#include "mesh/mesh.h"

#define MAX_POINTS (1u << 28)

RBL_DEF_KIND(height_field_def, rblHeightFieldDef, "height field", rbl_default_height_field_def, 0x4E164F1Eu);

void rbl_height_field_def_init(rblHeightFieldDef* def, size_t size)
{
    const rblHeightFieldDef defaults = {.spacing = 1.0f};
    rbl_def_init(&height_field_def, &defaults, def, size);
}

static rblResult check_def(const rblHeightFieldDef* def)
{
    if (def->heights == NULL)
    {
        return rbl_fail(RBL_ERROR_ARGUMENT, "height field: heights must not be null");
    }
    if (def->columns < 2 || def->rows < 2 || def->columns > MAX_POINTS / def->rows)
    {
        return rbl_fail(RBL_ERROR_ARGUMENT,
                        "height field: %u x %u points, must be at least 2 x 2 and at most %u in all",
                        def->columns, def->rows, MAX_POINTS);
    }
    if (!(def->spacing > 0.0f) || !rbl_finite((double)def->spacing))
    {
        return rbl_fail(RBL_ERROR_ARGUMENT, "height field: spacing is %g, must be positive and finite",
                        (double)def->spacing);
    }
    for (uint32_t i = 0; i < def->columns * def->rows; ++i)
    {
        const float height = def->heights[i];
        if (height == height && !rbl_finite((double)height))
        {
            return rbl_fail(RBL_ERROR_ARGUMENT,
                            "height field: height %u is infinite, must be finite, or NaN for a hole", i);
        }
    }
    return RBL_OK;
}

static bool is_hole(const rblHeightFieldDef* def, uint32_t point)
{
    return def->heights[point] != def->heights[point];
}

static void add_triangle(rblMeshBuilder* builder, const rblHeightFieldDef* def, const uint32_t points[3])
{
    if (is_hole(def, points[0]) || is_hole(def, points[1]) || is_hole(def, points[2]))
    {
        return;
    }
    for (uint32_t i = 0; i < 3; ++i)
    {
        (void)rbl_mesh_builder_corner(builder, points[i]);
    }
    rbl_mesh_builder_face(builder, 0, 0, RBL_NONE);
}

static rblResult make_mesh(const rblHeightFieldDef* def, rblMeshId* out)
{
    rblMeshBuilder builder;
    rblMesh* mesh;
    rbl_mesh_builder_init(&builder, rbl_default_allocator());
    for (uint32_t i = 0; i < def->columns * def->rows; ++i)
    {
        const double x = (double)def->spacing * (i % def->columns);
        const double z = (double)def->spacing * (i / def->columns);
        (void)rbl_mesh_builder_vertex(&builder,
                                      (rblVec3d){x, is_hole(def, i) ? 0.0 : (double)def->heights[i], z});
    }
    for (uint32_t row = 0; row + 1 < def->rows; ++row)
    {
        for (uint32_t column = 0; column + 1 < def->columns; ++column)
        {
            const uint32_t p = row * def->columns + column;
            const uint32_t below = p + def->columns;
            add_triangle(&builder, def, (const uint32_t[3]){p, below, p + 1});
            add_triangle(&builder, def, (const uint32_t[3]){p + 1, below, below + 1});
        }
    }
    RBL_TRY(rbl_mesh_builder_finish(&builder, &mesh));
    return rbl_mesh_register(mesh, out);
}

rblResult rbl_shape_create_height_field(const rblHeightFieldDef* given, rblShapeId* out)
{
    rblHeightFieldDef def = rbl_default_height_field_def();
    RBL_TRY(rbl_def_read(&height_field_def, given, &def));
    if (out == NULL)
    {
        return rbl_fail(RBL_ERROR_ARGUMENT, "height field: out must not be null");
    }
    RBL_TRY(check_def(&def));
    rblMeshId mesh;
    RBL_TRY(make_mesh(&def, &mesh));
    const rblResult result = rbl_shape_create_triangles(mesh, out);
    rbl_mesh_destroy(mesh);
    return result;
}
