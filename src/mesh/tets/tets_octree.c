// An octree of cubes: the finest near the surface, larger ones deep inside, none far outside.
#include "base/error.h"
#include "math/trig.h"
#include "math/vec.h"
#include "mesh/tets/tets_filling.h"

// Distance from the surface, in edges, within which all cubes have the finest level. The surface touches only
// tetrahedra whose cubes have their centres within 1 edge of it. It moves nodes by at most 0.36 edges, which affects
// tetrahedra within 1.36 edges. All of these must lie between finest cubes.
#define NEAR 1.5

// Half the diagonal of a cube, in edges: sqrt(3)/2, rounded up.
#define HALF_DIAGONAL 0.8660255

// Maximum number of cubes of a level: about 700 million tetrahedra.
#define MAX_CUBES (1u << 26)

static double side_of(const rblCubeTree* tree, uint32_t level)
{
    return tree->edge * (double)(1u << level);
}

static rblVec3d center_of(const rblCubeTree* tree, uint32_t level, const rblCube* cube)
{
    const double side = side_of(tree, level);
    return rbl_vec3d(tree->origin.x + side * ((double)cube->x + 0.5),
                     tree->origin.y + side * ((double)cube->y + 0.5),
                     tree->origin.z + side * ((double)cube->z + 0.5));
}

static rblResult add_cube(rblCubeTree* tree, uint32_t level, rblCube cube)
{
    if (tree->cubes[level].count >= MAX_CUBES)
    {
        return rbl_fail(RBL_ERROR_LIMIT,
                        "tetrahedra: more than %u cubes of one size; edge is too short for this solid",
                        MAX_CUBES);
    }
    bool added;
    const bool stored = rbl_hash_map_get_or_add(&tree->places, rbl_cube_key(level, cube.x, cube.y, cube.z),
                                                (uint32_t)tree->cubes[level].count, &added) != NULL;
    return stored && rbl_array_push(&tree->cubes[level], cube) ? RBL_OK : rbl_fail_memory();
}

// ---- descent ----

typedef struct Descent
{
    rblCubeTree* tree;
    const rblFillSolid* solid;
    rblCubeArray found; // of the current level, before those far outside are removed
    uint32_t level;
    rblResult result;
} Descent;

// Compute the distances of all cubes of a level. A cube with a parent deep inside needs none: it has a bound.
static void measure_cubes(rblRange range, void* context)
{
    const Descent* descent = context;
    const rblCubeTree* tree = descent->tree;
    const double reach = NEAR * tree->edge + tree->margin +
                         HALF_DIAGONAL * (side_of(tree, descent->level) + 0.001 * tree->edge);
    rblFillBall ball = {.distance = 0.0f};
    for (uint32_t i = range.begin; i < range.end; ++i)
    {
        rblCube* cube = &descent->found.data[i];
        if (!((double)cube->distance < -reach))
        {
            const rblVec3d center = center_of(tree, descent->level, cube);
            cube->distance = rbl_fill_distance(descent->solid, center, reach, &ball);
        }
    }
}

static rblResult add_children(rblCubeArray* out, const rblCube* parent, double shift)
{
    // The child is deeper than the centre of the parent by at most the distance between the centres; infinite means
    // unknown.
    const double bound = (double)parent->distance + shift;
    if (out->count > MAX_CUBES - 8)
    {
        return rbl_fail(RBL_ERROR_LIMIT, "tetrahedra: edge is too short for this solid");
    }
    for (uint32_t child = 0; child < 8; ++child)
    {
        const rblCube cube = {.x = 2 * parent->x + (child & 1),
                              .y = 2 * parent->y + (child >> 1 & 1),
                              .z = 2 * parent->z + (child >> 2),
                              .distance = bound < 0.0 ? (float)bound : INFINITY};
        if (!rbl_array_push(out, cube))
        {
            return rbl_fail_memory();
        }
    }
    return RBL_OK;
}

// Keep the cubes that are inside or near the surface; those that may be leaves are not split.
static rblResult sort_cubes(Descent* descent, rblCubeArray* children)
{
    rblCubeTree* tree = descent->tree;
    const uint32_t level = descent->level;
    const double reach = HALF_DIAGONAL * (side_of(tree, level) - tree->edge);
    const double deepest = -NEAR * tree->edge - reach;
    for (size_t i = 0; i < descent->found.count; ++i)
    {
        rblCube cube = descent->found.data[i];
        const double distance = (double)cube.distance;
        if (distance > NEAR * tree->edge + tree->margin + reach)
        {
            continue;
        }
        cube.split = level > 0 && (level > tree->levels || distance > deepest);
        RBL_TRY(add_cube(tree, level, cube));
        if (cube.split)
        {
            RBL_TRY(add_children(children, &cube, HALF_DIAGONAL * side_of(tree, level - 1)));
        }
    }
    return RBL_OK;
}

static rblResult descend(Descent* descent)
{
    rblCubeArray children;
    rbl_array_init(&children, descent->found.allocator);
    rblResult result = RBL_OK;
    for (uint32_t level = descent->tree->top + 1; level-- > 0 && result == RBL_OK;)
    {
        descent->level = level;
        rbl_parallel_for(descent->solid->jobs, (uint32_t)descent->found.count, 32, measure_cubes, descent);
        result = sort_cubes(descent, &children);
        const rblCubeArray done = descent->found;
        descent->found = children;
        children = done;
        rbl_array_clear(&children);
    }
    rbl_array_free(&children);
    return result;
}

// ---- balance ----

static rblResult split_cube(rblCubeTree* tree, uint32_t level, uint32_t place)
{
    rblCubeArray children;
    rbl_array_init(&children, tree->places.allocator);
    tree->cubes[level].data[place].split = true;
    const double shift = HALF_DIAGONAL * side_of(tree, level - 1);
    rblResult result = add_children(&children, &tree->cubes[level].data[place], shift);
    for (size_t i = 0; i < children.count && result == RBL_OK; ++i)
    {
        result = add_cube(tree, level - 1, children.data[i]);
    }
    rbl_array_free(&children);
    return result;
}

// Split cubes until no leaf at this position is larger than this level.
static rblResult ensure_cube(rblCubeTree* tree, uint32_t level, uint32_t x, uint32_t y, uint32_t z)
{
    uint32_t up = 0;
    uint32_t place = RBL_MAP_EMPTY;
    while (level + up <= tree->levels && place == RBL_MAP_EMPTY)
    {
        place = rbl_hash_map_find(&tree->places, rbl_cube_key(level + up, x >> up, y >> up, z >> up));
        up += place == RBL_MAP_EMPTY;
    }
    for (; up > 0 && place != RBL_MAP_EMPTY && !tree->cubes[level + up].data[place].split; --up)
    {
        RBL_TRY(split_cube(tree, level + up, place));
        place = rbl_hash_map_find(&tree->places,
                                  rbl_cube_key(level + up - 1, x >> (up - 1), y >> (up - 1), z >> (up - 1)));
    }
    return RBL_OK;
}

static rblResult balance_around(rblCubeTree* tree, uint32_t level, rblCube cube)
{
    for (uint32_t n = 0; n < 27; ++n)
    {
        const uint32_t x = cube.x + n % 3 - 1, y = cube.y + n / 3 % 3 - 1, z = cube.z + n / 9 - 1;
        const bool outside = x >= 1u << 19 || y >= 1u << 19 || z >= 1u << 19;
        RBL_TRY(outside ? RBL_OK : ensure_cube(tree, level, x, y, z));
    }
    return RBL_OK;
}

// From the finest level up: all cubes around a split cube are at least as fine as it was. A split adds split cubes to
// higher levels only, which are processed later.
static rblResult balance(rblCubeTree* tree)
{
    for (uint32_t level = 1; level < tree->levels; ++level)
    {
        for (size_t i = 0; i < tree->cubes[level].count; ++i)
        {
            if (tree->cubes[level].data[i].split)
            {
                RBL_TRY(balance_around(tree, level, tree->cubes[level].data[i]));
            }
        }
    }
    return RBL_OK;
}

// ---- all steps ----

// The centre of the bounding box of the solid is a corner of the largest cubes, so that a box whose sides are
// multiples of the edge is filled exactly.
static rblResult choose_size(rblCubeTree* tree, const rblFillSolid* solid)
{
    const double longest = rbl_maxd(solid->half.x, rbl_maxd(solid->half.y, solid->half.z));
    const double reach = longest + (NEAR + 1.0) * tree->edge + tree->margin;
    tree->top = tree->levels;
    while (side_of(tree, tree->top) < reach && tree->top < 18)
    {
        tree->top += 1;
    }
    const double side = side_of(tree, tree->top);
    if (side < reach)
    {
        return rbl_fail(RBL_ERROR_LIMIT,
                        "tetrahedra: edge is too short, there must be at most 262144 cubes across the solid");
    }
    // Early check: a ball has the least surface of all solids of volume V, 4.8 V^(2/3), and each square of one edge
    // of the surface needs a cube. Other solids reach the limit later.
    const double across = rbl_cbrt(solid->volume) / tree->edge;
    if (4.8 * across * across > (double)MAX_CUBES)
    {
        return rbl_fail(RBL_ERROR_LIMIT, "tetrahedra: edge is too short for this solid");
    }
    tree->origin = rbl_vec3d(-side, -side, -side);
    return RBL_OK;
}

static rblResult build(rblCubeTree* tree, Descent* descent)
{
    RBL_TRY(choose_size(tree, descent->solid));
    const rblCube root = {.distance = INFINITY};
    RBL_TRY(add_children(&descent->found, &root, 0.0)); // eight around the centre
    RBL_TRY(descend(descent));
    return balance(tree);
}

rblResult rbl_cube_tree_build(rblCubeTree* tree, const rblFillSolid* solid, double edge, uint32_t levels,
                              double margin, const rblAllocator* allocator)
{
    *tree = (rblCubeTree){.edge = edge, .levels = levels, .margin = margin};
    for (uint32_t level = 0; level <= RBL_FILL_MAX_LEVELS; ++level)
    {
        rbl_array_init(&tree->cubes[level], allocator);
    }
    rbl_hash_map_init(&tree->places, allocator);
    Descent descent = {.tree = tree, .solid = solid};
    rbl_array_init(&descent.found, allocator);
    const rblResult result = build(tree, &descent);
    rbl_array_free(&descent.found);
    if (result != RBL_OK)
    {
        rbl_cube_tree_free(tree);
    }
    return result;
}

void rbl_cube_tree_free(rblCubeTree* tree)
{
    for (uint32_t level = 0; level <= RBL_FILL_MAX_LEVELS; ++level)
    {
        rbl_array_free(&tree->cubes[level]);
    }
    rbl_hash_map_free(&tree->places);
}
