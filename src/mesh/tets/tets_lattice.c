// Nodes and tetrahedra of the graded body-centred cubic lattice (Labelle and Shewchuk 2007, section 5).
//
// A cube has a node at its centre and at its corners. The tetrahedra at each face of a cube depend on the neighbour:
//  - a cube of the same size: one tetrahedron of both centres and each edge of the face, halved where smaller cubes have
//    a node in the middle of that edge;
//  - smaller cubes: eight tetrahedra of its centre, the middle of the face and half of an edge;
//  - a larger cube: a pyramid over the face, divided in two by the diagonal that the larger cube has there.
#include "base/error.h"
#include "math/vec.h"
#include "mesh/tets/tets_filling.h"

typedef struct Builder
{
    rblLattice* lattice;
    const rblCubeTree* tree;
    const rblFillSolid* solid;
    rblIndexArray leaf_nodes; // per leaf: its eight corners (x, y, z as bits 0, 1, 2), then its centre
    double tolerance;         // nodes closer to the surface than this count as on it, m
    bool failed;
} Builder;

// ---- leaves and nodes ----

static bool number_leaves(Builder* builder)
{
    rblLattice* lattice = builder->lattice;
    uint32_t leaves = 0;
    for (uint32_t level = 0; level <= builder->tree->top; ++level)
    {
        const rblCubeArray* cubes = &builder->tree->cubes[level];
        lattice->leaf_starts[level] = leaves;
        if (!rbl_array_resize(&lattice->leaf_numbers[level], cubes->count))
        {
            return false;
        }
        for (size_t i = 0; i < cubes->count; ++i)
        {
            lattice->leaf_numbers[level].data[i] = cubes->data[i].split ? RBL_NONE : leaves++;
        }
    }
    lattice->leaf_starts[builder->tree->top + 1] = leaves;
    return rbl_array_resize(&lattice->faces, leaves) &&
           rbl_array_resize(&builder->leaf_nodes, 9 * (size_t)leaves);
}

static uint32_t node_at(Builder* builder, uint32_t x, uint32_t y, uint32_t z)
{
    rblLattice* lattice = builder->lattice;
    bool added = false;
    const uint32_t* place = rbl_hash_map_get_or_add(&lattice->places, rbl_lattice_key(x, y, z),
                                                    (uint32_t)lattice->nodes.count, &added);
    if (place == NULL)
    {
        builder->failed = true;
        return 0;
    }
    const uint32_t node = *place;
    if (added)
    {
        const rblLatticeNode fresh = {.x = x, .y = y, .z = z};
        builder->failed |= !rbl_array_push(&lattice->nodes, fresh);
    }
    return node;
}

// A corner that is closer to the centre than the surface is lies on the same side of the surface as the centre.
static void bound_corner(Builder* builder, uint32_t node, const rblCube* cube, double half_diagonal)
{
    rblLatticeNode* corner = &builder->lattice->nodes.data[node];
    const double distance = fabs((double)cube->distance) - half_diagonal;
    if (distance > builder->tolerance && (!corner->known || distance > fabs((double)corner->distance)))
    {
        corner->known = true;
        corner->distance = (float)(cube->distance < 0.0f ? -distance : distance);
    }
}

static void add_leaf_nodes(Builder* builder, uint32_t level, const rblCube* cube, uint32_t leaf)
{
    uint32_t* nodes = builder->leaf_nodes.data + 9 * (size_t)leaf;
    const uint32_t side = 2u << level;
    const double half_diagonal = 0.8660255 * builder->tree->edge * (double)(1u << level);
    for (uint32_t c = 0; c < 8; ++c)
    {
        nodes[c] = node_at(builder, side * (cube->x + (c & 1)), side * (cube->y + (c >> 1 & 1)),
                           side * (cube->z + (c >> 2)));
    }
    nodes[8] =
        node_at(builder, side * cube->x + side / 2, side * cube->y + side / 2, side * cube->z + side / 2);
    if (builder->failed)
    {
        return;
    }
    for (uint32_t c = 0; c < 8; ++c)
    {
        bound_corner(builder, nodes[c], cube, half_diagonal);
    }
    rblLatticeNode* center = &builder->lattice->nodes.data[nodes[8]];
    center->known = true;
    center->distance = cube->distance;
}

static rblResult add_nodes(Builder* builder)
{
    for (uint32_t level = 0; level <= builder->tree->levels; ++level)
    {
        const rblCubeArray* cubes = &builder->tree->cubes[level];
        for (size_t i = 0; i < cubes->count && !builder->failed; ++i)
        {
            if (!cubes->data[i].split)
            {
                add_leaf_nodes(builder, level, &cubes->data[i],
                               builder->lattice->leaf_numbers[level].data[i]);
            }
        }
    }
    return builder->failed ? rbl_fail_memory() : RBL_OK;
}

static void measure_nodes(rblRange range, void* context)
{
    const Builder* builder = context;
    const rblLattice* lattice = builder->lattice;
    rblFillBall ball = {.distance = 0.0f};
    for (uint32_t n = range.begin; n < range.end; ++n)
    {
        rblLatticeNode* node = &lattice->nodes.data[n];
        const rblVec3d position = rbl_lattice_index(lattice, n);
        lattice->positions.data[n] = position;
        if (!node->known)
        {
            node->distance = rbl_fill_distance(builder->solid, position, 1.001 * builder->tree->edge, &ball);
            node->known = true;
        }
        const bool on = fabs((double)node->distance) <= builder->tolerance;
        node->sign = (int8_t)(on ? 0 : node->distance < 0.0f ? 1 : -1);
    }
}

// ---- tetrahedra ----

static void push_tet(Builder* builder, uint32_t a, uint32_t b, uint32_t c, uint32_t d)
{
    const rblVec3d* p = builder->lattice->positions.data;
    const rblVec3d corners[4] = {p[a], p[b], p[c], p[d]};
    const bool turned = rbl_tet_volume(corners) < 0.0;
    const rblLatticeTet tet = {{a, b, turned ? d : c, turned ? c : d}};
    builder->failed |= !rbl_array_push(&builder->lattice->tets, tet);
}

// The four corners of a face in order around it; `axis` 0, 1, 2, `upper`: the side of the cube.
static void face_corners(uint32_t axis, bool upper, uint32_t out[4])
{
    const uint32_t v = 1u << (axis + 1) % 3, w = 1u << (axis + 2) % 3;
    const uint32_t base = upper ? 1u << axis : 0;
    out[0] = base;
    out[1] = base + v;
    out[2] = base + v + w;
    out[3] = base + w;
}

// The node in the middle of two nodes, or RBL_NONE.
static uint32_t node_between(const Builder* builder, uint32_t a, uint32_t b)
{
    const rblLatticeNode* p = &builder->lattice->nodes.data[a];
    const rblLatticeNode* q = &builder->lattice->nodes.data[b];
    return rbl_hash_map_find(&builder->lattice->places,
                             rbl_lattice_key((p->x + q->x) / 2, (p->y + q->y) / 2, (p->z + q->z) / 2));
}

typedef struct Face
{
    uint32_t level;
    const rblCube* cube;
    uint32_t leaf;
    uint32_t axis;
    bool upper;
} Face;

static void add_between_equals(Builder* builder, const Face* face, uint32_t other)
{
    const uint32_t* nodes = builder->leaf_nodes.data + 9 * (size_t)face->leaf;
    const uint32_t far = builder->leaf_nodes.data[9 * (size_t)other + 8];
    uint32_t corners[4];
    face_corners(face->axis, face->upper, corners);
    const uint32_t start = (uint32_t)builder->lattice->tets.count;
    for (uint32_t e = 0; e < 4; ++e)
    {
        const uint32_t a = nodes[corners[e]], b = nodes[corners[(e + 1) % 4]];
        const uint32_t middle = face->level > 0 ? node_between(builder, a, b) : RBL_MAP_EMPTY;
        if (middle == RBL_MAP_EMPTY)
        {
            push_tet(builder, a, b, nodes[8], far);
            continue;
        }
        push_tet(builder, a, middle, nodes[8], far);
        push_tet(builder, middle, b, nodes[8], far);
    }
    const uint32_t count = (uint32_t)builder->lattice->tets.count - start;
    const uint32_t mark = count == 4 ? start | RBL_FACE_OF_FOUR : start;
    builder->lattice->faces.data[face->leaf].starts[2 * face->axis + face->upper] = mark;
    builder->lattice->faces.data[other].starts[2 * face->axis + !face->upper] = mark;
}

static void add_beside_smaller(Builder* builder, const Face* face)
{
    const uint32_t* nodes = builder->leaf_nodes.data + 9 * (size_t)face->leaf;
    uint32_t corners[4];
    face_corners(face->axis, face->upper, corners);
    const uint32_t middle = node_between(builder, nodes[corners[0]], nodes[corners[2]]);
    for (uint32_t e = 0; e < 4; ++e)
    {
        const uint32_t a = nodes[corners[e]], b = nodes[corners[(e + 1) % 4]];
        const uint32_t between = node_between(builder, a, b);
        push_tet(builder, nodes[8], middle, a, between);
        push_tet(builder, nodes[8], middle, between, b);
    }
}

// The face is a quarter of a face of the larger cube: the diagonal runs from the middle of the larger face to its
// corner.
static void add_beside_larger(Builder* builder, const Face* face)
{
    const uint32_t* nodes = builder->leaf_nodes.data + 9 * (size_t)face->leaf;
    const uint32_t place[3] = {face->cube->x & 1, face->cube->y & 1, face->cube->z & 1};
    const uint32_t v = (face->axis + 1) % 3, w = (face->axis + 2) % 3;
    const uint32_t base = face->upper ? 1u << face->axis : 0;
    const uint32_t corner = base + (place[v] << v) + (place[w] << w);
    const uint32_t middle = base + ((1 - place[v]) << v) + ((1 - place[w]) << w);
    push_tet(builder, nodes[8], nodes[corner], nodes[middle],
             nodes[base + (place[v] << v) + ((1 - place[w]) << w)]);
    push_tet(builder, nodes[8], nodes[corner], nodes[middle],
             nodes[base + ((1 - place[v]) << v) + (place[w] << w)]);
}

static uint32_t cube_beside(const Builder* builder, const Face* face, uint32_t up)
{
    const uint32_t step = face->upper ? 1u : UINT32_MAX;
    const uint32_t x = face->cube->x + (face->axis == 0 ? step : 0);
    const uint32_t y = face->cube->y + (face->axis == 1 ? step : 0);
    const uint32_t z = face->cube->z + (face->axis == 2 ? step : 0);
    const uint32_t highest = (1u << 19) - 1;
    if (x > highest || y > highest || z > highest)
    {
        return RBL_MAP_EMPTY;
    }
    return rbl_hash_map_find(&builder->tree->places,
                             rbl_cube_key(face->level + up, x >> up, y >> up, z >> up));
}

// Tetrahedra between two finest cubes are added in a separate first pass (`fine`).
static void add_face(Builder* builder, const Face* face, bool fine)
{
    rblLattice* lattice = builder->lattice;
    const uint32_t beside = cube_beside(builder, face, 0);
    if (beside != RBL_MAP_EMPTY)
    {
        const uint32_t other = lattice->leaf_numbers[face->level].data[beside];
        if (other != RBL_NONE && face->upper && fine == (face->level == 0))
        {
            add_between_equals(builder, face, other);
        }
        else if (other == RBL_NONE && !fine)
        {
            lattice->faces.data[face->leaf].starts[2 * face->axis + face->upper] =
                (uint32_t)lattice->tets.count;
            add_beside_smaller(builder, face);
        }
        return;
    }
    const uint32_t larger = fine ? RBL_MAP_EMPTY : cube_beside(builder, face, 1);
    if (larger != RBL_MAP_EMPTY && !builder->tree->cubes[face->level + 1].data[larger].split)
    {
        lattice->faces.data[face->leaf].starts[2 * face->axis + face->upper] = (uint32_t)lattice->tets.count;
        add_beside_larger(builder, face);
    }
}

static void add_faces(Builder* builder, uint32_t level, bool fine)
{
    const rblCubeArray* cubes = &builder->tree->cubes[level];
    for (size_t i = 0; i < cubes->count && !builder->failed; ++i)
    {
        const uint32_t leaf = builder->lattice->leaf_numbers[level].data[i];
        for (uint32_t f = 0; f < 6 && leaf != RBL_NONE; ++f)
        {
            const Face face = {level, &cubes->data[i], leaf, f / 2, f % 2 != 0};
            add_face(builder, &face, fine);
        }
    }
}

static rblResult add_tets(Builder* builder)
{
    rblLattice* lattice = builder->lattice;
    for (size_t i = 0; i < lattice->faces.count; ++i)
    {
        for (uint32_t f = 0; f < 6; ++f)
        {
            lattice->faces.data[i].starts[f] = RBL_NONE;
        }
    }
    add_faces(builder, 0, true);
    lattice->fine_count = (uint32_t)lattice->tets.count;
    for (uint32_t level = 0; level <= builder->tree->levels; ++level)
    {
        add_faces(builder, level, false);
    }
    return builder->failed ? rbl_fail_memory() : RBL_OK;
}

// ---- all steps ----

static rblResult build(Builder* builder)
{
    rblLattice* lattice = builder->lattice;
    if (!number_leaves(builder))
    {
        return rbl_fail_memory();
    }
    RBL_TRY(add_nodes(builder));
    if (!rbl_array_resize(&lattice->positions, lattice->nodes.count))
    {
        return rbl_fail_memory();
    }
    rbl_parallel_for(builder->solid->jobs, (uint32_t)lattice->nodes.count, 64, measure_nodes, builder);
    return add_tets(builder);
}

rblResult rbl_lattice_build(rblLattice* lattice, const rblCubeTree* tree, const rblFillSolid* solid,
                            const rblAllocator* allocator)
{
    *lattice = (rblLattice){.tree = tree};
    rbl_array_init(&lattice->nodes, allocator);
    rbl_array_init(&lattice->positions, allocator);
    rbl_array_init(&lattice->tets, allocator);
    rbl_array_init(&lattice->faces, allocator);
    rbl_hash_map_init(&lattice->places, allocator);
    for (uint32_t level = 0; level <= RBL_FILL_MAX_LEVELS; ++level)
    {
        rbl_array_init(&lattice->leaf_numbers[level], allocator);
    }
    const double longest = rbl_maxd(solid->half.x, rbl_maxd(solid->half.y, solid->half.z));
    Builder builder = {
        .lattice = lattice, .tree = tree, .solid = solid, .tolerance = 1e-6 * tree->edge + 3e-7 * longest};
    rbl_array_init(&builder.leaf_nodes, allocator);
    const rblResult result = build(&builder);
    rbl_array_free(&builder.leaf_nodes);
    if (result != RBL_OK)
    {
        rbl_lattice_free(lattice);
    }
    return result;
}

void rbl_lattice_free(rblLattice* lattice)
{
    rbl_array_free(&lattice->nodes);
    rbl_array_free(&lattice->positions);
    rbl_array_free(&lattice->tets);
    rbl_array_free(&lattice->faces);
    rbl_hash_map_free(&lattice->places);
    for (uint32_t level = 0; level <= RBL_FILL_MAX_LEVELS; ++level)
    {
        rbl_array_free(&lattice->leaf_numbers[level]);
    }
}
