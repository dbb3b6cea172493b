#include "base/error.h"
#include "bvh/query/ray_tree.h"
#include "math/vec.h"
#include <string.h>

// Nodes or blocks per job, at least: enough work to pay for the start of a job.
#define MIN_NODES 512

// ---- which nodes become children ----

// The cheapest ways to cut a subtree into pieces that become children of one node of the ray tree. C(n, i) is the sum of
// the areas of all nodes of the ray tree below n when there are at most i pieces:
//   C(n, 1) = area(n) + D(n, 8)     a node of the ray tree in itself; or a block, and then area(n) for every i
//   C(n, i) = min(D(n, i), C(n, i - 1))
//   D(n, i) = min over k of C(left, k) + C(right, i - k)
typedef struct Cuts
{
    float cost[RBL_RAY_WIDTH - 1];   // C(n, 1) to C(n, 7)
    uint8_t left[RBL_RAY_WIDTH - 1]; // of D(n, 2) to D(n, 8): k, or 0 where C(n, i - 1) is not larger
} Cuts;

typedef struct Collapse
{
    const rblBvh* bvh;
    uint32_t block_level; // of the binary tree
    float scale;          // of sizes
    Cuts* cuts;           // per node of the binary tree down to block_level
    uint32_t level;       // that is being worked on
    uint32_t* places;     // per node of the ray tree: its node of the binary tree, 2^level + position
    uint32_t* first;      // per node of the ray tree: the first child that is a node; the others follow
    rblRayTree* rays;
} Collapse;

static uint32_t index_of(const rblBvh* bvh, uint32_t place)
{
    const uint32_t level = rbl_floor_log2(place);
    return bvh->level_starts[level] + (place - (1u << level));
}

static uint32_t child_count(const rblBvh* bvh, uint32_t place)
{
    const uint32_t level = rbl_floor_log2(place) + 1;
    const uint32_t right = 2 * place + 1 - (1u << level);
    return right < rbl_tree_real_on_level(&bvh->layout, level) ? 2 : 1;
}

static float half_area(const Collapse* collapse, const rblAabb* box)
{
    const rblVec3 size = rbl_scale3(rbl_sub3(box->upper, box->lower), collapse->scale);
    return size.x * size.y + size.y * size.z + size.z * size.x;
}

static void cut_node(const Collapse* collapse, uint32_t place)
{
    const rblBvh* bvh = collapse->bvh;
    const uint32_t index = index_of(bvh, place);
    Cuts* cuts = &collapse->cuts[index];
    const float area = half_area(collapse, &bvh->nodes[index]);
    if (collapse->level == collapse->block_level)
    {
        for (uint32_t i = 0; i < RBL_RAY_WIDTH - 1; ++i)
        {
            cuts->cost[i] = area;
        }
        return;
    }
    const Cuts* left = &collapse->cuts[index_of(bvh, 2 * place)];
    if (child_count(bvh, place) == 1)
    {
        *cuts = *left;
        return;
    }
    const Cuts* right = left + 1;
    float best[RBL_RAY_WIDTH + 1];
    for (uint32_t i = 2; i <= RBL_RAY_WIDTH; ++i)
    {
        best[i] = INFINITY;
        for (uint32_t k = 1; k < i; ++k)
        {
            const float cost = left->cost[k - 1] + right->cost[i - k - 1];
            cuts->left[i - 2] = cost < best[i] ? (uint8_t)k : cuts->left[i - 2];
            best[i] = cost < best[i] ? cost : best[i];
        }
    }
    cuts->cost[0] = area + best[RBL_RAY_WIDTH];
    for (uint32_t i = 2; i < RBL_RAY_WIDTH; ++i)
    {
        const bool fewer = cuts->cost[i - 2] <= best[i];
        cuts->left[i - 2] = fewer ? 0 : cuts->left[i - 2];
        cuts->cost[i - 1] = fewer ? cuts->cost[i - 2] : best[i];
    }
}

static void cut_range(rblRange range, void* context)
{
    const Collapse* collapse = context;
    for (uint32_t i = range.begin; i < range.end; ++i)
    {
        cut_node(collapse, (1u << collapse->level) + i);
    }
}

// The pieces of a node of the ray tree: nodes of the binary tree, in its order. Returns their number.
static uint32_t cut_pieces(const Collapse* collapse, uint32_t place, uint32_t pieces[RBL_RAY_WIDTH])
{
    const rblBvh* bvh = collapse->bvh;
    while (child_count(bvh, place) == 1)
    {
        place = 2 * place;
    }
    uint32_t stack[RBL_RAY_WIDTH], most[RBL_RAY_WIDTH];
    uint32_t size = 0, count = 0;
    const uint32_t k = collapse->cuts[index_of(bvh, place)].left[RBL_RAY_WIDTH - 2];
    stack[size] = 2 * place + 1;
    most[size++] = RBL_RAY_WIDTH - k;
    stack[size] = 2 * place;
    most[size++] = k;
    while (size > 0)
    {
        uint32_t piece = stack[--size];
        uint32_t i = most[size];
        const bool block = rbl_floor_log2(piece) == collapse->block_level;
        if (!block && child_count(bvh, piece) == 1)
        {
            stack[size++] = 2 * piece;
            continue;
        }
        const Cuts* cuts = &collapse->cuts[index_of(bvh, piece)];
        while (!block && i > 1 && cuts->left[i - 2] == 0)
        {
            i -= 1;
        }
        if (block || i == 1)
        {
            pieces[count++] = piece;
            continue;
        }
        stack[size] = 2 * piece + 1;
        most[size++] = i - cuts->left[i - 2];
        stack[size] = 2 * piece;
        most[size++] = cuts->left[i - 2];
    }
    return count;
}

// Number the nodes breadth first. Returns how many there are.
static uint32_t number_nodes(const Collapse* collapse)
{
    uint32_t count = 1;
    collapse->places[0] = 1;
    for (uint32_t i = 0; i < count; ++i)
    {
        uint32_t pieces[RBL_RAY_WIDTH];
        const uint32_t piece_count = cut_pieces(collapse, collapse->places[i], pieces);
        collapse->first[i] = count;
        for (uint32_t k = 0; k < piece_count; ++k)
        {
            if (rbl_floor_log2(pieces[k]) < collapse->block_level)
            {
                collapse->places[count++] = pieces[k];
            }
        }
    }
    return count;
}

// ---- nodes and blocks ----

static void fill_sides(rblRayNode* node, const rblAabb* const boxes[RBL_RAY_WIDTH], uint32_t count,
                       uint32_t axis)
{
    for (uint32_t i = 0; i < count; ++i)
    {
        node->side[axis][i] = (&boxes[i]->lower.x)[axis];
        node->side[3 + axis][i] = (&boxes[i]->upper.x)[axis];
    }
}

static void fill_node(const Collapse* collapse, uint32_t number)
{
    const rblBvh* bvh = collapse->bvh;
    uint32_t pieces[RBL_RAY_WIDTH];
    const rblAabb* boxes[RBL_RAY_WIDTH];
    const uint32_t count = cut_pieces(collapse, collapse->places[number], pieces);
    uint32_t next = collapse->first[number];
    rblRayNode* node = &collapse->rays->nodes[number];
    *node = (rblRayNode){.lanes = (uint8_t)((1u << count) - 1)};
    for (uint32_t i = 0; i < count; ++i)
    {
        const uint32_t level = rbl_floor_log2(pieces[i]);
        boxes[i] = &bvh->nodes[index_of(bvh, pieces[i])];
        node->child[i] =
            level < collapse->block_level ? next++ : (RBL_RAY_BLOCK_BIT | (pieces[i] - (1u << level)));
    }
    for (uint32_t axis = 0; axis < 3; ++axis)
    {
        fill_sides(node, boxes, count, axis);
    }
}

static void fill_nodes(rblRange range, void* context)
{
    for (uint32_t i = range.begin; i < range.end; ++i)
    {
        fill_node(context, i);
    }
}

static void fill_blocks(rblRange range, void* context)
{
    const Collapse* collapse = context;
    const rblBvh* bvh = collapse->bvh;
    for (uint32_t b = range.begin; b < range.end; ++b)
    {
        rblRayBlock* block = &collapse->rays->blocks[b];
        for (uint32_t lane = 0; lane < RBL_RAY_WIDTH; ++lane)
        {
            const uint32_t leaf = RBL_RAY_WIDTH * b + lane;
            const bool real = leaf < bvh->layout.leaves;
            const rblLeafTriangle* t = &bvh->triangles[real ? leaf : bvh->layout.leaves - 1];
            const rblVec3* corners[3] = {&t->a, real ? &t->b : &t->a, real ? &t->c : &t->a};
            for (uint32_t c = 0; c < 3; ++c)
            {
                block->corner[c][0][lane] = corners[c]->x;
                block->corner[c][1][lane] = corners[c]->y;
                block->corner[c][2][lane] = corners[c]->z;
            }
        }
    }
}

// ---- the whole ----

void rbl_ray_tree_init(rblRayTree* rays, const rblAllocator* allocator)
{
    *rays = (rblRayTree){.allocator = allocator,
                         .path = rbl_ray_path_exists(RBL_RAY_AVX2) ? RBL_RAY_AVX2 : RBL_RAY_PORTABLE};
}

void rbl_ray_tree_free(rblRayTree* rays)
{
    rbl_free(rays->allocator, rays->memory, rays->size);
    rbl_ray_tree_init(rays, rays->allocator);
}

#define NODE_ALIGNMENT 64

static bool reserve(rblRayTree* rays, uint32_t nodes, uint32_t blocks)
{
    const size_t nodes_size = sizeof(rblRayNode) * nodes;
    const size_t size = NODE_ALIGNMENT + nodes_size + sizeof(rblRayBlock) * blocks;
    if (rays->size < size)
    {
        rbl_free(rays->allocator, rays->memory, rays->size);
        rays->memory = rbl_alloc(rays->allocator, size);
        rays->size = rays->memory != NULL ? size : 0;
    }
    if (rays->memory == NULL)
    {
        return false;
    }
    char* memory = rays->memory;
    memory += (NODE_ALIGNMENT - (uintptr_t)memory % NODE_ALIGNMENT) % NODE_ALIGNMENT;
    rays->nodes = (rblRayNode*)(void*)memory;
    rays->blocks = (rblRayBlock*)(void*)(memory + nodes_size);
    rays->node_count = nodes;
    rays->block_count = blocks;
    return true;
}

// Areas are compared in units of the size of the tree, so that they are neither infinite nor all zero.
static float inverse_size(const rblAabb* box)
{
    const rblVec3 size = rbl_sub3(box->upper, box->lower);
    const float longest = rbl_maxf(size.x, rbl_maxf(size.y, size.z));
    return longest > 1e-37f ? 1.0f / longest : 1e37f;
}

static rblResult fill(Collapse* collapse, rblJobs* jobs)
{
    const rblBvh* bvh = collapse->bvh;
    for (collapse->level = collapse->block_level + 1; collapse->level-- > 0;)
    {
        rbl_parallel_for(jobs, rbl_tree_real_on_level(&bvh->layout, collapse->level), MIN_NODES, cut_range,
                         collapse);
    }
    const uint32_t blocks = rbl_tree_real_on_level(&bvh->layout, collapse->block_level);
    if (!reserve(collapse->rays, number_nodes(collapse), blocks))
    {
        return rbl_fail_memory();
    }
    rbl_parallel_for(jobs, collapse->rays->node_count, MIN_NODES, fill_nodes, collapse);
    rbl_parallel_for(jobs, blocks, MIN_NODES, fill_blocks, collapse);
    return RBL_OK;
}

rblResult rbl_ray_tree_build(rblRayTree* rays, const rblBvh* bvh, rblJobs* jobs)
{
    rays->node_count = 0;
    rays->block_count = 0;
    if (bvh->layout.leaves <= RBL_RAY_WIDTH)
    {
        return RBL_OK;
    }
    Collapse collapse = {.bvh = bvh,
                         .block_level = bvh->layout.leaf_level - RBL_RAY_BLOCK_HEIGHT,
                         .scale = inverse_size(&bvh->nodes[0]),
                         .rays = rays};
    const uint32_t blocks = rbl_tree_real_on_level(&bvh->layout, collapse.block_level);
    const uint32_t cut_count = bvh->level_starts[collapse.block_level] + blocks;
    collapse.cuts = RBL_NEW_ARRAY(rays->allocator, Cuts, cut_count);
    collapse.places = RBL_NEW_ARRAY(rays->allocator, uint32_t, 2 * (size_t)blocks);
    rblResult result = RBL_OK;
    if (collapse.cuts == NULL || collapse.places == NULL)
    {
        result = rbl_fail_memory();
    }
    else
    {
        collapse.first = collapse.places + blocks;
        result = fill(&collapse, jobs);
    }
    RBL_FREE_ARRAY(rays->allocator, collapse.cuts, cut_count);
    RBL_FREE_ARRAY(rays->allocator, collapse.places, 2 * (size_t)blocks);
    return result;
}

// ---- check ----

static bool contains_box(const rblRayNode* node, uint32_t lane, const rblAabb* box)
{
    for (uint32_t axis = 0; axis < 3; ++axis)
    {
        const float lower = node->side[axis][lane];
        const float upper = node->side[3 + axis][lane];
        if (lower > (&box->lower.x)[axis] || upper < (&box->upper.x)[axis])
        {
            return false;
        }
    }
    return true;
}

// The union of what is below a child, checked on the way; blocks are counted.
static bool check_child(const rblRayTree* rays, const rblBvh* bvh, uint32_t child, rblAabb* box,
                        uint32_t* blocks)
{
    if ((child & RBL_RAY_BLOCK_BIT) != 0)
    {
        const uint32_t block = child & ~RBL_RAY_BLOCK_BIT;
        const uint32_t level = bvh->layout.leaf_level - RBL_RAY_BLOCK_HEIGHT;
        if (block != *blocks)
        {
            return false; // children are in the order of the leaves
        }
        *blocks += 1;
        *box = bvh->nodes[bvh->level_starts[level] + block];
        return true;
    }
    const rblRayNode* node = &rays->nodes[child];
    for (uint32_t lane = 0; lane < RBL_RAY_WIDTH && (node->lanes >> lane & 1) != 0; ++lane)
    {
        rblAabb part;
        if (!check_child(rays, bvh, node->child[lane], &part, blocks) || !contains_box(node, lane, &part))
        {
            return false;
        }
        *box =
            lane == 0 ? part : (rblAabb){rbl_min3(part.lower, box->lower), rbl_max3(part.upper, box->upper)};
    }
    return true;
}

bool rbl_ray_tree_is_sound(const rblRayTree* rays, const rblBvh* bvh)
{
    rblAabb box;
    uint32_t blocks = 0;
    return check_child(rays, bvh, 0, &box, &blocks) && blocks == rays->block_count;
}
