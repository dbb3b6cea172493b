// Solids with rounded edges: the brick and the tile.
#include "math/vec.h"
#include "mesh/solids/solids.h"

// Normals are those of the rounded shape, not averages over faces: flat sides are shaded flat, and a plain chamfer
// looks like a rounded edge.
static void set_corner_normal(rblMeshBuilder* builder, uint32_t layer, uint32_t corner, rblVec3d normal)
{
    const float values[3] = {(float)normal.x, (float)normal.y, (float)normal.z};
    rbl_mesh_builder_set(builder, layer, corner, values);
}

// ---- brick ----

// A box whose edges are quarter cylinders and whose corners are eighths of a sphere, each cut into `segments`
// steps; one step is a plain chamfer. Corner number `corner` has the sign of axis a in bit a.
typedef struct RoundedBox
{
    rblVec3d half; // of the whole box
    double bevel;
    uint32_t segments;
    rblMeshBuilder builder;
    RBL_ARRAY(rblVec3d) normals; // by vertex
} RoundedBox;

static uint32_t patch_size(const RoundedBox* b)
{
    return (b->segments + 1) * (b->segments + 2) / 2;
}

// The vertex of the patch of a corner whose direction is a mix of the three axes with these weights; their sum is the
// number of segments. Rows of equal weight[0] follow one another, the longest one (weight[0] = 0) last.
static uint32_t patch_vertex(const RoundedBox* b, uint32_t corner, const uint32_t weights[3])
{
    const uint32_t row = b->segments - weights[0];
    return corner * patch_size(b) + row * (row + 1) / 2 + weights[2];
}

// The outward direction of a patch vertex. The sines of the weights, not the weights themselves, give equal steps
// along the borders.
static rblVec3d patch_normal(const RoundedBox* b, uint32_t corner, const uint32_t weights[3])
{
    double direction[3];
    for (uint32_t axis = 0; axis < 3; ++axis)
    {
        const double sine = rbl_circle_point(weights[axis], 4 * b->segments).s;
        direction[axis] = (corner >> axis & 1) != 0 ? sine : -sine;
    }
    return rbl_normalize3d(rbl_vec3d(direction[0], direction[1], direction[2]), rbl_vec3d(1, 0, 0));
}

static void add_patch_vertices(RoundedBox* b, uint32_t corner)
{
    const uint32_t n = b->segments;
    const rblVec3d centre = {
        (corner & 1) != 0 ? b->half.x - b->bevel : b->bevel - b->half.x,
        (corner & 2) != 0 ? b->half.y - b->bevel : b->bevel - b->half.y,
        (corner & 4) != 0 ? b->half.z - b->bevel : b->bevel - b->half.z,
    };
    for (uint32_t row = 0; row <= n; ++row)
    {
        for (uint32_t k = 0; k <= row; ++k)
        {
            const uint32_t weights[3] = {n - row, row - k, k};
            const rblVec3d normal = patch_normal(b, corner, weights);
            rbl_mesh_builder_vertex(&b->builder, rbl_mul_add3d(centre, b->bevel, normal));
            b->builder.failed = b->builder.failed || !rbl_array_push(&b->normals, normal);
        }
    }
}

// Add a face that is counter-clockwise at the corner of three positive signs; it is mirrored where an odd number of
// signs is negative.
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

// The quarter cylinder along `axis` at the signs of the other two axes in `corner` (its sign along `axis` is
// negative).
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

static void add_vertex_normals(RoundedBox* b)
{
    const uint32_t layer = rbl_mesh_builder_layer(&b->builder, RBL_LAYER_NORMAL);
    for (uint32_t c = 0; !b->builder.failed && c < b->builder.open_corner; ++c)
    {
        set_corner_normal(&b->builder, layer, c, b->normals.data[b->builder.corner_vertices.data[c]]);
    }
}

rblResult rbl_make_solid_brick(const rblSolidInput* input, const rblAllocator* allocator, rblMesh** out)
{
    const rblVec3d size = rbl_solid_vector(input, "size");
    RoundedBox box = {.half = rbl_scale3d(size, 0.5),
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
    rbl_array_init(&box.normals, allocator);
    add_rounded_box(&box);
    rbl_solid_box_uvs(&box.builder);
    add_vertex_normals(&box);
    rbl_array_free(&box.normals);
    return rbl_mesh_builder_finish(&box.builder, out);
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

// A tile as a stack of rectangles: the foot, then `steps` + 1 along the quarter circle of the upper edge.
typedef struct Tile
{
    rblVec3d size;
    double bevel;
    uint32_t steps; // 0: a sharp edge
    rblMeshBuilder builder;
} Tile;

static rblCirclePoint tile_arc(const Tile* tile, uint32_t step)
{
    return rbl_circle_point(step, tile->steps > 0 ? 4 * tile->steps : 1);
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

static void add_tile(Tile* tile)
{
    add_rectangle(&tile->builder, 0.5 * tile->size.x, 0.5 * tile->size.z, 0.0);
    for (uint32_t i = 0; i <= tile->steps; ++i)
    {
        const rblCirclePoint arc = tile_arc(tile, i);
        const double inset = tile->bevel * (1.0 - arc.c);
        add_rectangle(&tile->builder, 0.5 * tile->size.x - inset, 0.5 * tile->size.z - inset,
                      tile->size.y - tile->bevel * (1.0 - arc.s));
        add_band(&tile->builder, i);
    }
    const uint32_t top = 4 * (tile->steps + 1);
    rbl_solid_face(&tile->builder, (const uint32_t[4]){top, top + 1, top + 2, top + 3}, 4);
    rbl_solid_face(&tile->builder, (const uint32_t[4]){3, 2, 1, 0}, 4);
}

// Each band has four faces, one along each side; then come top and bottom.
static void add_tile_normals(Tile* tile)
{
    static const rblVec3d sides[4] = {{1, 0, 0}, {0, 0, -1}, {-1, 0, 0}, {0, 0, 1}};
    const uint32_t layer = rbl_mesh_builder_layer(&tile->builder, RBL_LAYER_NORMAL);
    const uint32_t bands = tile->steps + 1;
    for (uint32_t c = 0; c < 16 * bands; ++c)
    {
        const uint32_t band = c / 16;
        const bool upper = c % 4 >= 2;
        const rblCirclePoint arc = tile_arc(tile, upper ? band : (band > 0 ? band - 1 : 0));
        const rblVec3d side = sides[c / 4 % 4];
        set_corner_normal(&tile->builder, layer, c, rbl_vec3d(side.x * arc.c, arc.s, side.z * arc.c));
    }
    for (uint32_t i = 0; i < 8; ++i)
    {
        set_corner_normal(&tile->builder, layer, 16 * bands + i, rbl_vec3d(0, i < 4 ? 1 : -1, 0));
    }
}

rblResult rbl_make_solid_tile(const rblSolidInput* input, const rblAllocator* allocator, rblMesh** out)
{
    Tile tile = {.size = rbl_solid_vector(input, "size"), .bevel = rbl_solid_number(input, "bevel")};
    tile.steps = tile.bevel > 0.0 ? rbl_solid_count(input, "segments") : 0;
    if (tile.bevel >= tile.size.y || 2.0 * tile.bevel >= rbl_mind(tile.size.x, tile.size.z))
    {
        return rbl_solid_refuse(input,
                                "bevel must be less than the thickness and half of the other two sides");
    }
    rbl_mesh_builder_init(&tile.builder, allocator);
    add_tile(&tile);
    rbl_solid_box_uvs(&tile.builder);
    add_tile_normals(&tile);
    return rbl_mesh_builder_finish(&tile.builder, out);
}
