#include "mesh/tets/tets_locate.h"

#include "base/error.h"
#include "bvh/group.h"
#include "bvh/node_stack.h"
#include "math/aabb.h"
#include "math/predicates.h"
#include "mesh/tets/tets_filling.h"

struct rblTetsLocator
{
    const rblAllocator* allocator;
    bool by_lattice;

    rblForest forest; // of the boxes: the leaf triangle of a tetrahedron has the same box
    rblBvh bvh;

    rblVec3d origin; // of the lattice, in the coordinates of the mesh
    double edge;
    uint32_t levels;
    rblHashMap leaves; // from rbl_cube_key() to the leaf
    rblLeafFacesArray faces;
    rblIndexArray seeds;
};

static rblTetsLocator* new_locator(const rblAllocator* allocator)
{
    rblTetsLocator* locator = rbl_alloc_zero(allocator, sizeof *locator);
    if (locator != NULL)
    {
        locator->allocator = allocator;
        rbl_forest_init(&locator->forest, allocator);
        rbl_hash_map_init(&locator->leaves, allocator);
        rbl_array_init(&locator->faces, allocator);
        rbl_array_init(&locator->seeds, allocator);
    }
    return locator;
}

void rbl_tets_locator_free(rblTetsLocator* locator)
{
    if (locator != NULL)
    {
        rbl_forest_free(&locator->forest);
        rbl_hash_map_free(&locator->leaves);
        rbl_array_free(&locator->faces);
        rbl_array_free(&locator->seeds);
        rbl_free(locator->allocator, locator, sizeof *locator);
    }
}

// ---- boxes ----

static rblResult build_boxes(rblTetsLocator* locator, const rblTetsView* view, rblVec3dArray* corners)
{
    if (!rbl_array_resize(corners, 3 * (size_t)view->tet_count))
    {
        return rbl_fail_memory();
    }
    for (uint32_t tet = 0; tet < view->tet_count; ++tet)
    {
        rblVec3d nodes[4];
        rbl_tet_corners(view, tet, nodes);
        rblVec3d* box = corners->data + 3 * (size_t)tet;
        box[0] = rbl_min3d(rbl_min3d(nodes[0], nodes[1]), rbl_min3d(nodes[2], nodes[3]));
        box[1] = rbl_max3d(rbl_max3d(nodes[0], nodes[1]), rbl_max3d(nodes[2], nodes[3]));
        box[2] = box[1];
    }
    const rblTriangleSpan span = {.positions = corners->data,
                                  .stride = sizeof(rblVec3d),
                                  .is_double = true,
                                  .vertex_count = 3 * view->tet_count,
                                  .triangle_count = view->tet_count};
    RBL_TRY(rbl_forest_build(&locator->forest, &span, 1, RBL_BVH_QUALITY, rbl_default_jobs()));
    rbl_forest_free_scratch(&locator->forest);
    locator->bvh = rbl_forest_tree(&locator->forest, 0);
    return RBL_OK;
}

rblResult rbl_tets_locator_over_boxes(const rblTetsView* view, const rblAllocator* allocator,
                                      rblTetsLocator** out)
{
    rblTetsLocator* locator = new_locator(allocator);
    if (locator == NULL)
    {
        return rbl_fail_memory();
    }
    rblVec3dArray corners;
    rbl_array_init(&corners, allocator);
    const rblResult result = build_boxes(locator, view, &corners);
    rbl_array_free(&corners);
    if (result != RBL_OK)
    {
        rbl_tets_locator_free(locator);
        return result;
    }
    *out = locator;
    return RBL_OK;
}

// The first face that the point is outside of, 4 when there is none: the point is inside or on the border.
static uint32_t face_towards(const rblTetsView* view, uint32_t tet, rblVec3d point)
{
    rblVec3d corners[4];
    rbl_tet_corners(view, tet, corners);
    for (uint32_t k = 0; k < 4; ++k)
    {
        const uint8_t* face = rbl_tet_faces[k];
        if (rbl_orient3d(corners[face[0]], corners[face[1]], corners[face[2]], point) < 0.0)
        {
            return k;
        }
    }
    return 4;
}

// The tetrahedron with the lowest number in a group of leaves that contains the point, if lower than `best`.
static uint32_t search_leaves(const rblTetsView* view, const rblBvh* bvh, rblVec3d point, uint32_t mask,
                              uint32_t first, uint32_t best)
{
    for (; mask != 0; mask &= mask - 1)
    {
        const uint32_t tet = bvh->order[first + rbl_lowest_bit(mask)];
        if (tet < best && face_towards(view, tet, point) == 4)
        {
            best = tet;
        }
    }
    return best;
}

static uint32_t find_by_boxes(const rblTetsView* view, const rblBvh* bvh, rblVec3d point)
{
    const rblAabbd exact = {point, point};
    const rblAabb box = rbl_aabb_around(exact);
    const uint32_t leaf_level = bvh->layout.leaf_level;
    if (leaf_level == 0)
    {
        return search_leaves(view, bvh, point, 1, 0, RBL_NONE);
    }
    uint32_t best = RBL_NONE;
    rblNodePosition stack[RBL_NODE_STACK_SIZE];
    uint32_t size = 1;
    stack[0] = (rblNodePosition){0, 0};
    while (size > 0)
    {
        const rblNodePosition node = stack[--size];
        const uint32_t step = rbl_group_step(bvh, node.level);
        const uint32_t level = node.level + step;
        const uint32_t position = node.position << step;
        const rblBoxGroup group = rbl_group_load(&bvh->nodes[bvh->level_starts[level] + position]);
        uint32_t mask = rbl_group_overlaps(&group, &box) & rbl_group_lanes(bvh, level, position, 1u << step);
        if (level == leaf_level)
        {
            best = search_leaves(view, bvh, point, mask, position, best);
            continue;
        }
        for (; mask != 0; mask &= mask - 1)
        {
            stack[size++] = (rblNodePosition){level, position + rbl_lowest_bit(mask)};
        }
    }
    return best;
}

// ---- lattice ----

static rblResult copy_lattice(rblTetsLocator* locator, const rblLattice* lattice, const rblIndexArray* seeds)
{
    const uint32_t leaves = (uint32_t)lattice->faces.count;
    if (!rbl_hash_map_reserve(&locator->leaves, leaves) || !rbl_array_resize(&locator->faces, leaves) ||
        !rbl_array_resize(&locator->seeds, seeds->count))
    {
        return rbl_fail_memory();
    }
    memcpy(locator->faces.data, lattice->faces.data, sizeof *lattice->faces.data * leaves);
    memcpy(locator->seeds.data, seeds->data, sizeof *seeds->data * seeds->count);
    for (uint32_t level = 0; level <= locator->levels; ++level)
    {
        const rblCubeArray* cubes = &lattice->tree->cubes[level];
        for (size_t i = 0; i < cubes->count; ++i)
        {
            const rblCube* cube = &cubes->data[i];
            bool added;
            if (!cube->split &&
                rbl_hash_map_get_or_add(&locator->leaves, rbl_cube_key(level, cube->x, cube->y, cube->z),
                                        lattice->leaf_numbers[level].data[i], &added) == NULL)
            {
                return rbl_fail_memory();
            }
        }
    }
    return RBL_OK;
}

rblResult rbl_tets_locator_over_lattice(const rblLattice* lattice, rblVec3d center,
                                        const rblIndexArray* seeds, rblTetsLocator** out)
{
    rblTetsLocator* locator = new_locator(lattice->nodes.allocator);
    if (locator == NULL)
    {
        return rbl_fail_memory();
    }
    locator->by_lattice = true;
    locator->origin = rbl_add3d(lattice->tree->origin, center);
    locator->edge = lattice->tree->edge;
    locator->levels = lattice->tree->levels;
    const rblResult result = copy_lattice(locator, lattice, seeds);
    if (result != RBL_OK)
    {
        rbl_tets_locator_free(locator);
        return result;
    }
    *out = locator;
    return RBL_OK;
}

// The leaf that contains a position, given in finest cubes from the origin, and its level.
static uint32_t leaf_at(const rblTetsLocator* locator, const double place[3], uint32_t* level)
{
    const double highest = (double)(1u << 19);
    for (int i = 0; i < 3; ++i)
    {
        if (!(place[i] >= 0.0 && place[i] < highest))
        {
            return RBL_MAP_EMPTY;
        }
    }
    const uint32_t x = (uint32_t)place[0], y = (uint32_t)place[1], z = (uint32_t)place[2];
    uint32_t leaf = RBL_MAP_EMPTY;
    for (uint32_t l = 0; l <= locator->levels && leaf == RBL_MAP_EMPTY; ++l)
    {
        leaf = rbl_hash_map_find(&locator->leaves, rbl_cube_key(l, x >> l, y >> l, z >> l));
        *level = l;
    }
    return leaf;
}

// The lattice tetrahedron at a position in a cube: the largest component of the offset selects the face, the larger
// of the two others the edge. Edges have the order -w, +v, +w, -v; v and w are the axes after the axis of the face.
static uint32_t seed_in(const rblTetsLocator* locator, uint32_t leaf, const double offset[3])
{
    uint32_t axis = 0;
    for (uint32_t i = 1; i < 3; ++i)
    {
        axis = fabs(offset[i]) > fabs(offset[axis]) ? i : axis;
    }
    const uint32_t start = locator->faces.data[leaf].starts[2 * axis + (offset[axis] > 0.0)];
    if (start == RBL_NONE)
    {
        return RBL_NONE;
    }
    const double v = offset[(axis + 1) % 3], w = offset[(axis + 2) % 3];
    const uint32_t edge = fabs(v) > fabs(w) ? (v > 0.0 ? 1u : 3u) : (w > 0.0 ? 2u : 0u);
    const bool four = (start & RBL_FACE_OF_FOUR) != 0;
    return locator->seeds.data[four ? (start & ~RBL_FACE_OF_FOUR) + edge : start];
}

static uint32_t seed_at(const rblTetsLocator* locator, rblVec3d point)
{
    const double place[3] = {(point.x - locator->origin.x) / locator->edge,
                             (point.y - locator->origin.y) / locator->edge,
                             (point.z - locator->origin.z) / locator->edge};
    uint32_t level = 0;
    const uint32_t leaf = leaf_at(locator, place, &level);
    if (leaf == RBL_MAP_EMPTY)
    {
        return RBL_NONE;
    }
    double offset[3];
    for (int i = 0; i < 3; ++i)
    {
        const double side = (double)(1u << level);
        offset[i] = place[i] / side - floor(place[i] / side) - 0.5;
    }
    return seed_in(locator, leaf, offset);
}

// The search moves from neighbour to neighbour, first through faces that the point is outside of. When that ends at
// the border or takes more than WALK_STEPS tetrahedra, all neighbours are searched, ring by ring, up to RING_SIZE
// tetrahedra. Nodes move by less than the thickness of lattice tetrahedra, so the point is in a tetrahedron near the
// lattice tetrahedron that contains it: these are about two hundred, and mostly the second or third one is correct.
#define WALK_STEPS 48
#define RING_SIZE  1024

static uint32_t walk(const rblTetsView* view, uint32_t tet, rblVec3d point)
{
    for (uint32_t step = 0; step < WALK_STEPS; ++step)
    {
        const uint32_t face = face_towards(view, tet, point);
        if (face == 4)
        {
            return tet;
        }
        tet = view->neighbors[4 * (size_t)tet + face];
        if (tet == RBL_NONE)
        {
            return RBL_NONE;
        }
    }
    return RBL_NONE;
}

static uint32_t search_rings(const rblTetsView* view, uint32_t tet, rblVec3d point)
{
    uint32_t ring[RING_SIZE];
    uint32_t count = 1;
    ring[0] = tet;
    for (uint32_t i = 0; i < count; ++i)
    {
        if (face_towards(view, ring[i], point) == 4)
        {
            return ring[i];
        }
        for (uint32_t k = 0; k < 4 && count < RING_SIZE; ++k)
        {
            const uint32_t next = view->neighbors[4 * (size_t)ring[i] + k];
            bool fresh = next != RBL_NONE;
            for (uint32_t j = 0; j < count && fresh; ++j)
            {
                fresh = ring[j] != next;
            }
            ring[count] = next;
            count += fresh;
        }
    }
    return RBL_NONE;
}

uint32_t rbl_tets_find(const rblTets* tets, rblVec3d point)
{
    const rblTetsLocator* locator = rbl_tets_get_locator(tets);
    const rblTetsView* view = rbl_tets_get_view(tets);
    if (!rbl_finite3d(point))
    {
        return RBL_NONE;
    }
    if (!locator->by_lattice)
    {
        return find_by_boxes(view, &locator->bvh, point);
    }
    const uint32_t seed = seed_at(locator, point);
    if (seed == RBL_NONE)
    {
        return RBL_NONE;
    }
    const uint32_t found = walk(view, seed, point);
    return found != RBL_NONE ? found : search_rings(view, seed, point);
}
