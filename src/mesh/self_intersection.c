#include "mesh/self_intersection.h"

#include "base/error.h"
#include "base/jobs.h"
#include "base/sort.h"
#include "math/triangle_intersection.h"
#include "math/vec.h"
#include <stdatomic.h>

// The pairs that one block of the parallel loop found.
typedef struct Block
{
    rblIntersectionArray pairs;
    rblIndexArray hits;    // of the current triangle
    rblIndexArray scratch; // for sorting the hits
    atomic_size_t found;   // pairs.count, read by later blocks
    bool failed;
} Block;

typedef struct Search
{
    const rblTriangleSet* set;
    // Per vertex: its number for comparisons; vertices with equal numbers are shared.
    const uint32_t* vertex_names;
    uint32_t limit;
    uint32_t first;   // triangle of item 0 of the current loop
    size_t remaining; // pairs that may still be added
    Block blocks[RBL_MAX_BLOCKS];
} Search;

// The query of one triangle against all later ones.
typedef struct Query
{
    const Search* search;
    Block* block;
    uint32_t triangle;
    uint32_t names[3];
    rblVec3d points[3];
} Query;

static void load(const Search* search, uint32_t triangle, uint32_t names[3], rblVec3d points[3])
{
    rbl_triangle_points(search->set, triangle, points);
    for (uint32_t i = 0; i < 3; ++i)
    {
        const uint32_t vertex = rbl_triangle_vertex(search->set, triangle, i);
        names[i] = search->vertex_names[vertex];
    }
}

// Move the vertices that both triangles share to the front of both, in the same order. Returns their number.
static uint32_t align_shared(const uint32_t names_a[3], rblVec3d a[3], uint32_t names_b[3], rblVec3d b[3])
{
    uint32_t names[3] = {names_a[0], names_a[1], names_a[2]};
    uint32_t shared = 0;
    for (uint32_t i = 0; i < 3; ++i)
    {
        for (uint32_t k = shared; k < 3; ++k)
        {
            if (names[i] != names_b[k])
            {
                continue;
            }
            const rblVec3d swap_a = a[i], swap_b = b[k];
            a[i] = a[shared];
            b[k] = b[shared];
            a[shared] = swap_a;
            b[shared] = swap_b;
            names[i] = names[shared];
            names_b[k] = names_b[shared];
            shared += 1;
            break;
        }
    }
    return shared;
}

static bool test_candidate(uint32_t other, void* context)
{
    const Query* query = context;
    if (other <= query->triangle)
    {
        return true;
    }
    uint32_t names[3];
    rblVec3d b[3];
    rblVec3d a[3] = {query->points[0], query->points[1], query->points[2]};
    load(query->search, other, names, b);
    const uint32_t shared = align_shared(query->names, a, names, b);
    if (rbl_triangles_meet(a, b, shared) && !rbl_array_push(&query->block->hits, other))
    {
        query->block->failed = true;
        return false;
    }
    return true;
}

// Hits are found in tree order; pairs are output in the order of triangle numbers.
static bool flush_found(Block* block, const rblTriangleSet* set, uint32_t triangle)
{
    const size_t count = block->hits.count;
    if (!rbl_array_resize(&block->scratch, count))
    {
        return false;
    }
    rbl_sort_indices(block->hits.data, block->scratch.data, count, rbl_before_by_value, NULL);
    for (size_t i = 0; i < count; ++i)
    {
        const uint32_t other = block->hits.data[i];
        const rblIntersection pair = {{triangle, other}, {set->faces.data[triangle], set->faces.data[other]}};
        if (!rbl_array_push(&block->pairs, pair))
        {
            return false;
        }
    }
    return true;
}

// Whether this block and all blocks before it have found enough pairs. Later finds of this block cannot be among the
// first pairs, so stopping does not change the result, at whatever time it happens. Without it each of the 128 blocks
// would collect as many pairs as are allowed in total.
static bool has_enough(const Search* search, uint32_t block)
{
    size_t sum = 0;
    for (uint32_t b = 0; b <= block; ++b)
    {
        sum += atomic_load(&search->blocks[b].found);
    }
    return sum >= search->remaining;
}

static void search_block(rblRange range, void* context)
{
    Search* search = context;
    Block* block = &search->blocks[range.block];
    Query query = {.search = search, .block = block};
    bool done = has_enough(search, range.block);
    for (uint32_t i = range.begin; i < range.end && !done; ++i)
    {
        query.triangle = search->first + i;
        load(search, query.triangle, query.names, query.points);
        rbl_array_clear(&block->hits);
        rbl_triangles_near(search->set, query.triangle, test_candidate, &query);
        block->failed = block->failed || !flush_found(block, search->set, query.triangle);
        atomic_store(&block->found, block->pairs.count);
        done = block->failed || (block->hits.count > 0 && has_enough(search, range.block));
    }
}

// Append the pairs of all blocks in block order, up to the limit.
static rblResult merge_blocks(Search* search, uint32_t block_count, rblIntersectionArray* out)
{
    bool ok = true;
    for (uint32_t b = 0; b < block_count; ++b)
    {
        Block* block = &search->blocks[b];
        ok = ok && !block->failed;
        for (size_t i = 0; i < block->pairs.count && out->count < search->limit && ok; ++i)
        {
            ok = rbl_array_push(out, block->pairs.data[i]);
        }
        rbl_array_clear(&block->pairs);
        atomic_store(&block->found, 0);
    }
    return ok ? RBL_OK : rbl_fail_memory();
}

// One parallel loop per wave, over waves of growing size: a mesh with more pairs than the limit stops early, at the
// same triangle for any number of workers.
static rblResult search_waves(Search* search, rblIntersectionArray* out)
{
    enum
    {
        FIRST_WAVE = 16,
        LARGEST_WAVE = 1 << 15,
        PER_BLOCK = 8
    };
    const uint32_t count = rbl_triangle_count(search->set);
    uint32_t wave = FIRST_WAVE;
    for (uint32_t first = 0; first < count && out->count < search->limit; first += wave)
    {
        wave = first < FIRST_WAVE || wave == LARGEST_WAVE ? wave : 2 * wave;
        wave = wave < count - first ? wave : count - first;
        search->first = first;
        search->remaining = search->limit - out->count;
        rbl_parallel_for(rbl_default_jobs(), wave, PER_BLOCK, search_block, search);
        RBL_TRY(merge_blocks(search, rbl_block_count(wave, PER_BLOCK), out));
    }
    return RBL_OK;
}

// Per vertex: the first vertex at the same position.
static bool name_by_position(const rblMeshView* view, uint32_t* names, const rblAllocator* allocator)
{
    rblHashMap first_at;
    rbl_hash_map_init(&first_at, allocator);
    bool ok = rbl_hash_map_reserve(&first_at, view->vertex_count);
    for (uint32_t v = 0; v < view->vertex_count && ok; ++v)
    {
        // Adding zero turns -0 into 0, so that both have the same bytes.
        const rblVec3d p = rbl_add3d(view->positions[v], rbl_vec3d(0, 0, 0));
        uint64_t key = rbl_hash_bytes(RBL_HASH_START, &p, sizeof p);
        bool added = false;
        const uint32_t* first = rbl_hash_map_get_or_add(&first_at, key, v, &added);
        while (first != NULL && !added && !rbl_equal3d(view->positions[*first], p) && rbl_finite3d(p))
        {
            key = rbl_hash_u64(key + 1);
            first = rbl_hash_map_get_or_add(&first_at, key, v, &added);
        }
        ok = first != NULL;
        names[v] = ok ? *first : v;
    }
    rbl_hash_map_free(&first_at);
    return ok;
}

static void init_blocks(Search* search, const rblAllocator* allocator)
{
    for (int b = 0; b < RBL_MAX_BLOCKS; ++b)
    {
        rbl_array_init(&search->blocks[b].pairs, allocator);
        rbl_array_init(&search->blocks[b].hits, allocator);
        rbl_array_init(&search->blocks[b].scratch, allocator);
        atomic_init(&search->blocks[b].found, 0);
    }
}

static void free_blocks(Search* search)
{
    for (int b = 0; b < RBL_MAX_BLOCKS; ++b)
    {
        rbl_array_free(&search->blocks[b].pairs);
        rbl_array_free(&search->blocks[b].hits);
        rbl_array_free(&search->blocks[b].scratch);
    }
}

rblResult rbl_triangle_intersections(const rblTriangleSet* set, const rblIntersectionOptions* options,
                                     rblIntersectionArray* out)
{
    const rblAllocator* allocator = out->allocator;
    const uint32_t limit = options != NULL && options->limit > 0 ? options->limit : RBL_MAX_INTERSECTIONS;
    const uint32_t name_count = set->view->vertex_count;
    uint32_t* names = RBL_NEW_ARRAY(allocator, uint32_t, name_count);
    Search* search = rbl_alloc_zero(allocator, sizeof *search);
    rblResult result = RBL_OK;
    rbl_array_clear(out);
    if (search == NULL || (names == NULL && name_count > 0) || !name_by_position(set->view, names, allocator))
    {
        result = rbl_fail_memory();
    }
    else
    {
        search->set = set;
        search->vertex_names = names;
        search->limit = limit;
        init_blocks(search, allocator);
        result = search_waves(search, out);
        free_blocks(search);
    }
    rbl_free(allocator, search, sizeof *search);
    RBL_FREE_ARRAY(allocator, names, name_count);
    return result;
}

rblResult rbl_self_intersections(const rblMeshView* view, const rblIntersectionOptions* options,
                                 rblIntersectionArray* out)
{
    rblTriangleSet set;
    RBL_TRY(rbl_triangle_set_init(&set, view, out->allocator));
    const rblResult result = rbl_triangle_intersections(&set, options, out);
    rbl_triangle_set_free(&set);
    return result;
}
