// Serialisation of pieces: all data that are needed to draw and create them without the break.
#include "base/array.h"
#include "base/error.h"
#include "field/piece.h"
#include "field/shape_codec.h"
#include "math/aabb.h"
#include "math/vec.h"

#define PLANE_BYTES (4 * sizeof(float) + 1)

static void put_points(rblByteSink* sink, const rblVec3* points, uint32_t count)
{
    rbl_put_varint(sink, count);
    for (uint32_t i = 0; i < count; ++i)
    {
        rbl_put_floats(sink, &points[i].x, 3);
    }
}

static void put_region(rblByteSink* sink, const rblRegion* region)
{
    rbl_put_varint(sink, region->cell_count);
    for (uint32_t c = 0; c < region->cell_count; ++c)
    {
        const uint32_t count = rbl_region_plane_count(region, c);
        rbl_put_floats(sink, &region->boxes[c].lower.x, 6);
        rbl_put_varint(sink, count);
        for (uint32_t i = 0; i < count; ++i)
        {
            const rblHalfSpace plane = rbl_region_plane(region, c, i);
            rbl_put_floats(sink, &plane.normal.x, 3);
            rbl_put_f32(sink, plane.offset);
            rbl_put_u8(sink, plane.inner);
        }
    }
}

void rbl_put_piece_head(rblByteSink* sink, const rblShape* shape, bool convex)
{
    rbl_put_u8(sink, convex);
    rbl_put_doubles(sink, &shape->view.mass.volume, sizeof shape->view.mass / sizeof(double));
}

rblResult rbl_put_piece(rblByteSink* sink, const rblShape* shape, const rblSourceNumbers* numbers)
{
    const rblPieceField* field = shape->data;
    rbl_put_piece_head(sink, shape, false);
    rbl_put_varint(sink, numbers->shape(field->root, numbers->context));
    rbl_put_floats(sink, &shape->view.bounds.lower.x, 6);
    rbl_put_f32(sink, shape->view.inner_radius);
    put_points(sink, shape->view.samples, shape->view.sample_count);
    put_region(sink, field->region);
    return rbl_put_drawn_surface(sink, shape);
}

// ---- reading ----

typedef struct Taken
{
    bool convex;
    rblMassProperties mass;
    uint32_t root;
    rblAabb bounds;
    float inner_radius;
    RBL_ARRAY(rblVec3) points;
    RBL_ARRAY(rblHalfSpace) planes;
    rblIndexArray starts;
    RBL_ARRAY(rblAabb) boxes;
    rblMeshId surface;
} Taken;

static rblResult damaged(void)
{
    return rbl_fail(RBL_ERROR_FORMAT, "a piece is incomplete or has invalid numbers");
}

static rblResult take_points(rblByteSource* source, Taken* taken)
{
    const uint32_t count = rbl_take_count(source, sizeof(rblVec3));
    if (!rbl_array_resize(&taken->points, (size_t)count))
    {
        return rbl_fail_memory();
    }
    for (uint32_t i = 0; i < count; ++i)
    {
        rbl_take_floats(source, &taken->points.data[i].x, 3);
    }
    return source->failed || count == 0 ? damaged() : RBL_OK;
}

static bool is_plane(const rblHalfSpace* plane)
{
    const float length = rbl_length3(plane->normal);
    return length > 0.99f && length < 1.01f && rbl_finite((double)plane->offset);
}

static rblResult take_cell(rblByteSource* source, Taken* taken)
{
    rblAabb box;
    rbl_take_floats(source, &box.lower.x, 6);
    const uint32_t count = rbl_take_count(source, PLANE_BYTES);
    for (uint32_t i = 0; i < count; ++i)
    {
        rblHalfSpace plane = {.offset = 0.0f};
        rbl_take_floats(source, &plane.normal.x, 3);
        plane.offset = rbl_take_f32(source);
        plane.inner = rbl_take_u8(source) != 0;
        if (source->failed || !is_plane(&plane))
        {
            return damaged();
        }
        if (!rbl_array_push(&taken->planes, plane))
        {
            return rbl_fail_memory();
        }
    }
    if (source->failed || count == 0)
    {
        return damaged();
    }
    return rbl_array_push(&taken->starts, (uint32_t)taken->planes.count) && rbl_array_push(&taken->boxes, box)
               ? RBL_OK
               : rbl_fail_memory();
}

static rblResult take_field(rblByteSource* source, Taken* taken)
{
    taken->root = rbl_take_u32_varint(source);
    rbl_take_floats(source, &taken->bounds.lower.x, 6);
    taken->inner_radius = rbl_take_f32(source);
    RBL_TRY(take_points(source, taken));
    const uint32_t cells = rbl_take_count(source, PLANE_BYTES);
    if (!rbl_array_push(&taken->starts, 0u))
    {
        return rbl_fail_memory();
    }
    for (uint32_t c = 0; c < cells; ++c)
    {
        RBL_TRY(take_cell(source, taken));
    }
    return cells > 0 && !(taken->inner_radius < 0.0f) ? RBL_OK : damaged();
}

static rblResult take_all(rblByteSource* source, Taken* taken)
{
    taken->convex = rbl_take_u8(source) != 0;
    rbl_take_doubles(source, &taken->mass.volume, sizeof taken->mass / sizeof(double));
    RBL_TRY(taken->convex ? take_points(source, taken) : take_field(source, taken));
    RBL_TRY(rbl_take_drawn_surface(source, &taken->surface));
    return source->failed ? damaged() : RBL_OK;
}

// The piece takes ownership of the surface.
static rblResult make_piece(Taken* taken, const rblSourceTables* tables, rblShapeId* out)
{
    const rblLazySurface surface = {.made = taken->surface};
    rblShapeView root;
    if (taken->convex)
    {
        taken->surface = (rblMeshId){0, 0};
        return rbl_shape_create_convex_piece(
            &(rblConvexPieceDef){.corners = taken->points.data,
                                 .corner_count = (uint32_t)taken->points.count,
                                 .mass = &taken->mass,
                                 .surface = surface},
            out);
    }
    if (taken->root >= tables->shape_count)
    {
        return damaged();
    }
    RBL_TRY(rbl_shape_view(tables->shapes[taken->root], &root));
    if (root.shape->kind->root != NULL)
    {
        return damaged();
    }
    const rblPieceShapeDef def = {.parent = root.shape,
                                  .region = {.planes = taken->planes.data,
                                             .starts = taken->starts.data,
                                             .boxes = taken->boxes.data,
                                             .cell_count = (uint32_t)taken->boxes.count},
                                  .samples = taken->points.data,
                                  .sample_count = (uint32_t)taken->points.count,
                                  .mass = &taken->mass,
                                  .bounds = taken->bounds,
                                  .inner_radius = taken->inner_radius,
                                  .surface = surface};
    taken->surface = (rblMeshId){0, 0};
    return rbl_shape_create_piece(&def, out);
}

rblResult rbl_take_piece(rblByteSource* source, const rblSourceTables* tables, rblShapeId* out)
{
    const rblAllocator* allocator = rbl_default_allocator();
    Taken taken = {0};
    rbl_array_init(&taken.points, allocator);
    rbl_array_init(&taken.planes, allocator);
    rbl_array_init(&taken.starts, allocator);
    rbl_array_init(&taken.boxes, allocator);
    rblResult result = take_all(source, &taken);
    if (result == RBL_OK)
    {
        result = make_piece(&taken, tables, out);
    }
    if (taken.surface.index1 != 0)
    {
        rbl_mesh_destroy(taken.surface);
    }
    rbl_array_free(&taken.points);
    rbl_array_free(&taken.planes);
    rbl_array_free(&taken.starts);
    rbl_array_free(&taken.boxes);
    return result;
}
