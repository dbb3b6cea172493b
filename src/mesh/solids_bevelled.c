// Solids with rounded edges: the brick and the tile.
#include "math/vec.h"
#include "mesh/normals.h"
#include "mesh/solids.h"

// A box whose edges are quarter cylinders and whose corners are eighths of a sphere, each cut into `segments` steps; one
// step is a plain chamfer. Corner number `corner` has the sign of axis a in bit a.
typedef struct RoundedBox
{
    double half[3]; // of the whole box
    double bevel;
    uint32_t segments;
    rblMeshBuilder builder;
} RoundedBox;

static uint32_t patch_size(const RoundedBox* b)
{
    return (b->segments + 1) * (b->segments + 2) / 2;
}

// The vertex of a corner's patch whose direction is mixed from the three axes with these weights, which add up to the
// number of segments. Rows of equal weight[0] follow one another, the longest (weight[0] = 0) last.
static uint32_t patch_vertex(const RoundedBox* b, uint32_t corner, const uint32_t weights[3])
{
    const uint32_t row = b->segments - weights[0];
    return corner * patch_size(b) + row * (row + 1) / 2 + weights[2];
}

static void add_patch_vertices(RoundedBox* b, uint32_t corner)
{
    const uint32_t n = b->segments;
    for (uint32_t row = 0; row <= n; ++row)
    {
        for (uint32_t k = 0; k <= row; ++k)
        {
            // Sines rather than the weights themselves: even steps along the three borders.
            const uint32_t weights[3] = {n - row, row - k, k};
            double direction[3];
            double p[3];
            for (uint32_t axis = 0; axis < 3; ++axis)
            {
                direction[axis] = rbl_circle_point(weights[axis], 4 * n).s;
            }
            const rblVec3d unit =
                rbl_normalize3d(rbl_vec3d(direction[0], direction[1], direction[2]), rbl_vec3d(1, 0, 0));
            const double offset[3] = {unit.x, unit.y, unit.z};
            for (uint32_t axis = 0; axis < 3; ++axis)
            {
                const double distance = b->half[axis] - b->bevel * (1.0 - offset[axis]);
                p[axis] = (corner >> axis & 1) != 0 ? distance : -distance;
            }
            rbl_mesh_builder_vertex(&b->builder, rbl_vec3d(p[0], p[1], p[2]));
        }
    }
}

// A face that is counter-clockwise at the corner of three positive signs; mirrored where an odd number is negative.
static void add_mirrored(RoundedBox* b, uint32_t* vertices, uint32_t count, bool mirrored)
{
    for (uint32_t i = 0; mirrored && i < count / 2; ++i)
    {
        const uint32_t swapped = vertices[i];
        vertices[i] = vertices[count - 1 - i];
        vertices[count - 1 - i] = swapped;
    }
    rbl_solid_face(&b->builder, vertices, count);
}

static bool has_odd_negatives(uint32_t signs)
{
    return ((~signs & 1) + (~signs >> 1 & 1) + (~signs >> 2 & 1)) % 2 == 1;
}

static void add_patch_faces(RoundedBox* b, uint32_t corner)
{
    const uint32_t n = b->segments;
    const bool mirrored = has_odd_negatives(corner);
    for (uint32_t row = 0; row < n; ++row)
    {
        for (uint32_t k = 0; k <= row; ++k)
        {
            const uint32_t tip[3] = {n - row, row - k, k};
            const uint32_t left[3] = {n - row - 1, row - k + 1, k};
            const uint32_t right[3] = {n - row - 1, row - k, k + 1};
            uint32_t up[3] = {patch_vertex(b, corner, tip), patch_vertex(b, corner, left),
                              patch_vertex(b, corner, right)};
            add_mirrored(b, up, 3, mirrored);
            if (k < row)
            {
                const uint32_t beside[3] = {n - row, row - k - 1, k + 1};
                uint32_t down[3] = {patch_vertex(b, corner, tip), patch_vertex(b, corner, right),
                                    patch_vertex(b, corner, beside)};
                add_mirrored(b, down, 3, mirrored);
            }
        }
    }
}

// The quarter cylinder along `axis` at the signs of the other two axes in `corner` (whose own sign is negative).
static void add_edge_faces(RoundedBox* b, uint32_t axis, uint32_t corner)
{
    const uint32_t second = (axis + 1) % 3;
    const uint32_t third = (axis + 2) % 3;
    const uint32_t opposite = corner | 1u << axis;
    const bool mirrored = has_odd_negatives(opposite);
    for (uint32_t t = 0; t < b->segments; ++t)
    {
        uint32_t here[3] = {0, 0, 0};
        uint32_t next[3] = {0, 0, 0};
        here[second] = b->segments - t;
        here[third] = t;
        next[second] = b->segments - t - 1;
        next[third] = t + 1;
        uint32_t quad[4] = {patch_vertex(b, corner, here), patch_vertex(b, corner, next),
                            patch_vertex(b, opposite, next), patch_vertex(b, opposite, here)};
        add_mirrored(b, quad, 4, mirrored);
    }
}

static void add_flat_face(RoundedBox* b, uint32_t axis, bool positive)
{
    uint32_t weights[3] = {0, 0, 0};
    weights[axis] = b->segments;
    const uint32_t second = 1u << (axis + 1) % 3;
    const uint32_t third = 1u << (axis + 2) % 3;
    const uint32_t base = positive ? 1u << axis : 0;
    uint32_t quad[4] = {patch_vertex(b, base, weights), patch_vertex(b, base | second, weights),
                        patch_vertex(b, base | second | third, weights),
                        patch_vertex(b, base | third, weights)};
    add_mirrored(b, quad, 4, !positive);
}

static void add_rounded_box(RoundedBox* b)
{
    for (uint32_t corner = 0; corner < 8; ++corner)
    {
        add_patch_vertices(b, corner);
    }
    for (uint32_t axis = 0; axis < 3; ++axis)
    {
        add_flat_face(b, axis, false);
        add_flat_face(b, axis, true);
    }
    for (uint32_t corner = 0; corner < 8; ++corner)
    {
        for (uint32_t axis = 0; axis < 3; ++axis)
        {
            if ((corner >> axis & 1) == 0)
            {
                add_edge_faces(b, axis, corner);
            }
        }
    }
    for (uint32_t corner = 0; corner < 8; ++corner)
    {
        add_patch_faces(b, corner);
    }
}

rblResult rbl_make_solid_brick(const rblSolidInput* input, const rblAllocator* allocator, rblMesh** out)
{
    const rblVec3d size = rbl_solid_vector(input, "size");
    RoundedBox box = {.half = {0.5 * size.x, 0.5 * size.y, 0.5 * size.z},
                      .bevel = rbl_solid_number(input, "bevel"),
                      .segments = rbl_solid_count(input, "segments")};
    if (2.0 * box.bevel >= rbl_mind(size.x, rbl_mind(size.y, size.z)))
    {
        return rbl_solid_refuse(input, "bevel must be less than half of every side");
    }
    if (box.bevel == 0.0)
    {
        return rbl_make_box(size, (const uint32_t[3]){1, 1, 1}, allocator, out);
    }
    rbl_mesh_builder_init(&box.builder, allocator);
    add_rounded_box(&box);
    rbl_solid_box_uvs(&box.builder);
    return rbl_solid_finish(&box.builder, RBL_DEFAULT_CREASE_ANGLE, out);
}

// ---- tile ----

// Four corners of a rectangle at a height, counter-clockwise seen from above.
static void add_rectangle(rblMeshBuilder* builder, double half_x, double half_z, double y)
{
    rbl_mesh_builder_vertex(builder, rbl_vec3d(half_x, y, half_z));
    rbl_mesh_builder_vertex(builder, rbl_vec3d(half_x, y, -half_z));
    rbl_mesh_builder_vertex(builder, rbl_vec3d(-half_x, y, -half_z));
    rbl_mesh_builder_vertex(builder, rbl_vec3d(-half_x, y, half_z));
}

// The band of faces between rectangles `ring` and `ring + 1`.
static void add_band(rblMeshBuilder* builder, uint32_t ring)
{
    for (uint32_t i = 0; i < 4; ++i)
    {
        const uint32_t next = (i + 1) % 4;
        const uint32_t quad[4] = {4 * ring + i, 4 * ring + next, 4 * ring + 4 + next, 4 * ring + 4 + i};
        rbl_solid_face(builder, quad, 4);
    }
}

rblResult rbl_make_solid_tile(const rblSolidInput* input, const rblAllocator* allocator, rblMesh** out)
{
    const rblVec3d size = rbl_solid_vector(input, "size");
    const double bevel = rbl_solid_number(input, "bevel");
    const uint32_t steps = bevel > 0.0 ? rbl_solid_count(input, "segments") : 0;
    if (bevel >= size.y || 2.0 * bevel >= rbl_mind(size.x, size.z))
    {
        return rbl_solid_refuse(input,
                                "bevel must be less than the thickness and half of the other two sides");
    }
    rblMeshBuilder builder;
    rbl_mesh_builder_init(&builder, allocator);
    add_rectangle(&builder, 0.5 * size.x, 0.5 * size.z, 0.0);
    for (uint32_t i = 0; i <= steps; ++i)
    {
        const rblCirclePoint arc = rbl_circle_point(i, steps > 0 ? 4 * steps : 1);
        const double inset = bevel * (1.0 - arc.c);
        add_rectangle(&builder, 0.5 * size.x - inset, 0.5 * size.z - inset, size.y - bevel * (1.0 - arc.s));
        add_band(&builder, i);
    }
    const uint32_t top = 4 * (steps + 1);
    rbl_solid_face(&builder, (const uint32_t[4]){3, 2, 1, 0}, 4);
    rbl_solid_face(&builder, (const uint32_t[4]){top, top + 1, top + 2, top + 3}, 4);
    rbl_solid_box_uvs(&builder);
    return rbl_solid_finish(&builder, RBL_DEFAULT_CREASE_ANGLE, out);
}
