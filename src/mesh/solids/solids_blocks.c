// Solids made of the cells of an uneven grid: the box and the wall.
#include "base/error.h"
#include "base/hash_map.h"
#include "math/vec.h"
#include "mesh/normals.h"
#include "mesh/solids/solids.h"
#include <string.h>

// A grid of cells, some of them solid. The surface consists of the cell sides between solid and empty cells. It is
// manifold when no two solid cells share only an edge or only a vertex.
typedef struct Blocks
{
    const double* lines[3]; // cells[axis] + 1 rising coordinates
    uint32_t cells[3];
    const uint8_t* solid; // by cell, x fastest; null: all of them
    rblHashMap vertices;  // by lattice point
    rblMeshBuilder builder;
} Blocks;

static bool is_solid(const Blocks* b, const int64_t cell[3])
{
    for (uint32_t axis = 0; axis < 3; ++axis)
    {
        if (cell[axis] < 0 || cell[axis] >= (int64_t)b->cells[axis])
        {
            return false;
        }
    }
    const int64_t index = cell[0] + (int64_t)b->cells[0] * (cell[1] + (int64_t)b->cells[1] * cell[2]);
    return b->solid == NULL || b->solid[index] != 0;
}

static uint32_t lattice_vertex(Blocks* b, const int64_t point[3])
{
    const uint64_t key = (uint64_t)point[0] << 42 | (uint64_t)point[1] << 21 | (uint64_t)point[2];
    bool added = false;
    uint32_t* vertex =
        rbl_hash_map_get_or_add(&b->vertices, key, (uint32_t)b->builder.positions.count, &added);
    if (vertex == NULL)
    {
        b->builder.failed = true;
        return 0;
    }
    if (added)
    {
        rbl_mesh_builder_vertex(
            &b->builder, rbl_vec3d(b->lines[0][point[0]], b->lines[1][point[1]], b->lines[2][point[2]]));
    }
    return *vertex;
}

// The side of `cell` towards higher (or lower) coordinates of `axis`, counter-clockwise seen from that side.
static void add_side(Blocks* b, const int64_t cell[3], uint32_t axis, bool upper)
{
    static const int64_t around[4][2] = {{0, 0}, {1, 0}, {1, 1}, {0, 1}};
    const uint32_t second = (axis + 1) % 3;
    const uint32_t third = (axis + 2) % 3;
    uint32_t quad[4];
    for (uint32_t i = 0; i < 4; ++i)
    {
        int64_t point[3];
        const int64_t* step = around[upper ? i : 3 - i];
        point[axis] = cell[axis] + (upper ? 1 : 0);
        point[second] = cell[second] + step[0];
        point[third] = cell[third] + step[1];
        quad[i] = lattice_vertex(b, point);
    }
    rbl_solid_face(&b->builder, quad, 4);
}

// All sides with normals along `axis`, over every row of cells in that direction.
static void add_sides_along(Blocks* b, uint32_t axis)
{
    const uint32_t second = (axis + 1) % 3;
    const uint32_t third = (axis + 2) % 3;
    int64_t cell[3];
    for (cell[third] = 0; cell[third] < (int64_t)b->cells[third]; ++cell[third])
    {
        for (cell[second] = 0; cell[second] < (int64_t)b->cells[second]; ++cell[second])
        {
            bool before = false;
            for (int64_t i = 0; i <= (int64_t)b->cells[axis]; ++i)
            {
                cell[axis] = i;
                const bool here = is_solid(b, cell);
                cell[axis] = before ? i - 1 : i;
                if (here != before)
                {
                    add_side(b, cell, axis, before);
                }
                before = here;
            }
        }
    }
}

static rblResult make_blocks(Blocks* b, const rblAllocator* allocator, rblMesh** out)
{
    rbl_mesh_builder_init(&b->builder, allocator);
    rbl_hash_map_init(&b->vertices, allocator);
    for (uint32_t axis = 0; axis < 3; ++axis)
    {
        add_sides_along(b, axis);
    }
    rbl_hash_map_free(&b->vertices);
    rbl_solid_box_uvs(&b->builder);
    return rbl_solid_finish(&b->builder, RBL_DEFAULT_CREASE_ANGLE, out);
}

// `segments` + 1 evenly spaced coordinates, exactly symmetric when low = -high.
static void even_lines(double low, double high, uint32_t segments, double* out)
{
    for (uint32_t i = 0; i <= segments; ++i)
    {
        out[i] = (low * (double)(segments - i) + high * (double)i) / (double)segments;
    }
}

// A box of equal cells between its lower and upper corners.
static rblResult make_segmented_box(rblVec3d lower, rblVec3d upper, const uint32_t segments[3],
                                    const rblAllocator* allocator, rblMesh** out)
{
    const size_t line_count = (size_t)segments[0] + segments[1] + segments[2] + 3;
    double* lines = RBL_NEW_ARRAY(allocator, double, line_count);
    if (lines == NULL)
    {
        return rbl_fail_memory();
    }
    double* y_lines = lines + segments[0] + 1;
    double* z_lines = y_lines + segments[1] + 1;
    even_lines(lower.x, upper.x, segments[0], lines);
    even_lines(lower.y, upper.y, segments[1], y_lines);
    even_lines(lower.z, upper.z, segments[2], z_lines);
    Blocks blocks = {.lines = {lines, y_lines, z_lines}, .cells = {segments[0], segments[1], segments[2]}};
    const rblResult result = make_blocks(&blocks, allocator, out);
    RBL_FREE_ARRAY(allocator, lines, line_count);
    return result;
}

rblResult rbl_make_box(rblVec3d size, const uint32_t segments[3], const rblAllocator* allocator,
                       rblMesh** out)
{
    const rblVec3d half = rbl_scale3d(size, 0.5);
    return make_segmented_box(rbl_neg3d(half), half, segments, allocator, out);
}

static void vector_counts(rblVec3d v, uint32_t out[3])
{
    out[0] = (uint32_t)v.x;
    out[1] = (uint32_t)v.y;
    out[2] = (uint32_t)v.z;
}

rblResult rbl_make_solid_box(const rblSolidInput* input, const rblAllocator* allocator, rblMesh** out)
{
    uint32_t segments[3];
    vector_counts(rbl_solid_vector(input, "segments"), segments);
    return rbl_make_box(rbl_solid_vector(input, "size"), segments, allocator, out);
}

// ---- wall ----

// Running bond: courses of `bricks` bricks, every second course shifted by half a brick. The joints lie
// `relief` deep on both faces; bricks end flush with the wall's own edges.
typedef struct Wall
{
    double width, height, thickness;
    uint32_t courses, bricks;
    double joint, relief;
} Wall;

static Wall read_wall(const rblSolidInput* input)
{
    return (Wall){
        .width = rbl_solid_number(input, "width"),
        .height = rbl_solid_number(input, "height"),
        .thickness = rbl_solid_number(input, "thickness"),
        .courses = rbl_solid_count(input, "courses"),
        .bricks = rbl_solid_count(input, "bricks"),
        .joint = rbl_solid_number(input, "joint"),
        .relief = rbl_solid_number(input, "relief"),
    };
}

static rblResult check_relief(const rblSolidInput* input, const Wall* w)
{
    if (2.0 * w->relief >= w->thickness)
    {
        return rbl_solid_refuse(input, "relief must be less than half the thickness");
    }
    if (w->joint >= w->height / w->courses || w->joint >= 0.5 * w->width / w->bricks)
    {
        return rbl_solid_refuse(input, "joint must be narrower than a course is high and half a brick long");
    }
    return RBL_OK;
}

// Both sides of every joint between `count` equal parts of [low, high], without the ends.
static void joint_lines(double low, double high, uint32_t count, double joint, double* out)
{
    out[0] = low;
    out[2 * count - 1] = high;
    for (uint32_t i = 1; i < count; ++i)
    {
        const double middle = (low * (double)(count - i) + high * (double)i) / (double)count;
        out[2 * i - 1] = middle - 0.5 * joint;
        out[2 * i] = middle + 0.5 * joint;
    }
}

// The raised cells of the outer two layers. Along x half bricks alternate with possible joints: cell 2 i + 1 lies
// between half brick i and i + 1. Along y courses alternate with joints.
static void raise_bricks(const uint32_t cells[3], uint8_t* solid)
{
    size_t index = 0;
    for (uint32_t z = 0; z < cells[2]; ++z)
    {
        for (uint32_t y = 0; y < cells[1]; ++y)
        {
            const bool is_bed_joint = y % 2 == 1;
            const bool is_shifted = y / 2 % 2 == 1;
            for (uint32_t x = 0; x < cells[0]; ++x)
            {
                const bool is_head_joint = x % 2 == 1 && ((x / 2 % 2 == 0) == is_shifted);
                solid[index++] = z == 1 || !(is_bed_joint || is_head_joint);
            }
        }
    }
}

static rblResult make_relief_wall(const Wall* w, const rblAllocator* allocator, rblMesh** out)
{
    const uint32_t cells[3] = {4 * w->bricks - 1, 2 * w->courses - 1, 3};
    const size_t line_count = (size_t)cells[0] + cells[1] + 2;
    const size_t cell_count = (size_t)cells[0] * cells[1] * cells[2];
    double* lines = RBL_NEW_ARRAY(allocator, double, line_count);
    uint8_t* solid = RBL_NEW_ARRAY(allocator, uint8_t, cell_count);
    rblResult result = lines != NULL && solid != NULL ? RBL_OK : rbl_fail_memory();
    if (result == RBL_OK)
    {
        double* y_lines = lines + cells[0] + 1;
        const double front = 0.5 * w->thickness;
        const double z_lines[4] = {-front, w->relief - front, front - w->relief, front};
        joint_lines(-0.5 * w->width, 0.5 * w->width, 2 * w->bricks, w->joint, lines);
        joint_lines(0.0, w->height, w->courses, w->joint, y_lines);
        raise_bricks(cells, solid);
        Blocks blocks = {
            .lines = {lines, y_lines, z_lines}, .cells = {cells[0], cells[1], 3}, .solid = solid};
        result = make_blocks(&blocks, allocator, out);
    }
    RBL_FREE_ARRAY(allocator, lines, line_count);
    RBL_FREE_ARRAY(allocator, solid, cell_count);
    return result;
}

rblResult rbl_make_solid_wall(const rblSolidInput* input, const rblAllocator* allocator, rblMesh** out)
{
    const Wall wall = read_wall(input);
    if (wall.relief > 0.0)
    {
        RBL_TRY(check_relief(input, &wall));
        return make_relief_wall(&wall, allocator, out);
    }
    uint32_t segments[3];
    vector_counts(rbl_solid_vector(input, "segments"), segments);
    const rblVec3d lower = {-0.5 * wall.width, 0.0, -0.5 * wall.thickness};
    const rblVec3d upper = {0.5 * wall.width, wall.height, 0.5 * wall.thickness};
    return make_segmented_box(lower, upper, segments, allocator, out);
}
