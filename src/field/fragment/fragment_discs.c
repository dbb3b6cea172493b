#include "field/fragment/fragment_discs.h"

#include "math/simd.h"
#include "math/vec.h"

static uint32_t first_of(const rblFragmentEvent* e, uint32_t label)
{
    return label > 0 ? e->label_ends[label - 1] : 0;
}

uint32_t rbl_disc_blocks_of(const rblFragmentEvent* e, uint32_t label)
{
    const uint32_t blocks = (e->label_ends[label] - first_of(e, label) + 3) / 4;
    return blocks <= RBL_MAX_DISC_BLOCKS ? blocks : 0;
}

void rbl_disc_blocks_fill(const rblFragmentEvent* e, uint32_t label, rblDiscBlock* out)
{
    const uint32_t first = first_of(e, label);
    const uint32_t count = e->label_ends[label] - first;
    for (uint32_t i = 0; i < ((count + 3) & ~3u); ++i)
    {
        const rblCrackPiece* piece = &e->pieces[e->by_label[first + (i < count ? i : 0)].piece];
        rblDiscBlock* block = &out[i / 4];
        block->center[0][i & 3] = piece->center.x;
        block->center[1][i & 3] = piece->center.y;
        block->center[2][i & 3] = piece->center.z;
        block->normal[0][i & 3] = piece->normal.x;
        block->normal[1][i & 3] = piece->normal.y;
        block->normal[2][i & 3] = piece->normal.z;
        block->radius[i & 3] = i < count ? piece->radius : -INFINITY;
    }
}

// The nearest disc so far, with its squared distance.
typedef struct Nearest
{
    float square;
    const rblDiscBlock* block; // null: none yet
    uint32_t lane;
} Nearest;

static rblFloat4 dot4(const rblFloat4 a[3], const rblFloat4 b[3])
{
    return rbl_add4(rbl_add4(rbl_mul4(a[0], b[0]), rbl_mul4(a[1], b[1])), rbl_mul4(a[2], b[2]));
}

static void update_nearest(Nearest* nearest, const rblDiscBlock* block, rblFloat4 squares)
{
    float lanes[4];
    rbl_store4(lanes, squares);
    for (uint32_t i = 0; i < 4; ++i)
    {
        if (lanes[i] < nearest->square && block->radius[i] >= 0.0f)
        {
            *nearest = (Nearest){lanes[i], block, i};
        }
    }
}

// The balls around the discs exclude most blocks.
static void search_block(const rblDiscBlock* block, const rblFloat4 p[3], float best, Nearest* nearest)
{
    rblFloat4 offset[3], normal[3];
    for (int k = 0; k < 3; ++k)
    {
        offset[k] = rbl_sub4(rbl_load4(block->center[k]), p[k]);
        normal[k] = rbl_load4(block->normal[k]);
    }
    const rblFloat4 zero = rbl_splat4(0.0f);
    const rblFloat4 radius = rbl_load4(block->radius);
    const rblFloat4 square = dot4(offset, offset);
    const rblFloat4 reach = rbl_max4(rbl_add4(radius, rbl_splat4(best)), zero);
    if (rbl_mask4(rbl_less4(square, rbl_mul4(reach, reach))) == 0)
    {
        return;
    }
    const rblFloat4 height = dot4(offset, normal);
    const rblFloat4 up = rbl_mul4(height, height);
    const rblFloat4 aside = rbl_sqrt4(rbl_max4(rbl_sub4(square, up), zero));
    const rblFloat4 beyond = rbl_max4(rbl_sub4(aside, radius), zero);
    update_nearest(nearest, block, rbl_add4(up, rbl_mul4(beyond, beyond)));
}

static rblVec3 lane_of(const float rows[3][4], uint32_t lane)
{
    return (rblVec3){rows[0][lane], rows[1][lane], rows[2][lane]};
}

static rblVec3 offset_to(const Nearest* nearest, rblVec3 p)
{
    const rblVec3 normal = lane_of(nearest->block->normal, nearest->lane);
    const rblVec3 offset = rbl_sub3(lane_of(nearest->block->center, nearest->lane), p);
    const float height = rbl_dot3(offset, normal);
    const rblVec3 across = rbl_mul_add3(offset, -height, normal);
    const float aside = rbl_length3(across);
    const float beyond = rbl_maxf(aside - nearest->block->radius[nearest->lane], 0.0f);
    return rbl_mul_add3(rbl_scale3(normal, height), beyond / rbl_maxf(aside, 1e-30f), across);
}

float rbl_nearest_in_blocks(const rblDiscBlock* blocks, uint32_t count, rblVec3 point, float limit,
                            rblVec3* offset)
{
    const rblFloat4 p[3] = {rbl_splat4(point.x), rbl_splat4(point.y), rbl_splat4(point.z)};
    Nearest nearest = {limit * limit, NULL, 0};
    float best = limit;
    for (uint32_t i = 0; i < count; ++i)
    {
        const float before = nearest.square;
        search_block(&blocks[i], p, best, &nearest);
        best = nearest.square < before ? sqrtf(nearest.square) : best;
    }
    *offset = nearest.block != NULL ? offset_to(&nearest, point) : rbl_vec3(0, 0, 0);
    return best;
}
