// The cell of every vertex, and the triangles that are in one cell as a whole.
//
// A point is in a cell if no neighbour of the cell has a smaller f. So start with the cell of the vertex before, and
// while a neighbour has a smaller f, continue there. A test of four neighbours at a time in 32 bits nearly always
// decides; otherwise doubles nearly always decide, else exact numbers.
#include "cut/pieces/pieces_private.h"
#include "math/simd.h"

#define PADDING_VALUE 4.0f // value of a padding slot: above every error bound

static uint32_t padded(uint32_t count)
{
    return (count + 3) & ~3u;
}

static bool is_inner(const rblCut* cut, uint32_t facet)
{
    return cut->cells->facets[facet].cells[1] < cut->cells->count;
}

static uint32_t count_slots(rblCut* cut)
{
    const rblCells* cells = cut->cells;
    rblCellRings* rings = &cut->rings;
    uint32_t slots = 0;
    for (uint32_t i = 0; i < cells->count; ++i)
    {
        uint32_t inner = 0;
        for (uint32_t f = cells->cell_starts[i]; f < cells->cell_starts[i + 1]; ++f)
        {
            inner += is_inner(cut, cells->cell_facets[f]) ? 1 : 0;
        }
        rings->starts[i] = slots;
        rings->ends[i] = slots + inner;
        rings->max_slots = inner > rings->max_slots ? inner : rings->max_slots;
        slots += padded(inner);
    }
    rings->starts[cells->count] = slots;
    return slots;
}

// Functions of the slots of cell i about the centre of the box, so that |x| <= 1, divided by the largest coefficient.
static void fill_functions(rblCut* cut, uint32_t i)
{
    rblCellRings* rings = &cut->rings;
    const double scale = 1.0 / rings->inverse_scale;
    double size = 0.0;
    for (int pass = 0; pass < 2; ++pass)
    {
        const double inverse = size > 0.0 ? 1.0 / size : 1.0;
        for (uint32_t s = rings->starts[i]; s < rings->ends[i]; ++s)
        {
            const rblCellRow row = rbl_cell_row(cut->cells, i, rings->cells[s]);
            const rblVec3d g = rbl_scale3d(row.gradient, scale);
            const double w = rbl_dot3d(row.gradient, rings->center) + row.offset;
            size = pass == 0 ? rbl_maxd(size, fabs(g.x) + fabs(g.y) + fabs(g.z) + fabs(w)) : size;
            rings->gx[s] = (float)(g.x * inverse);
            rings->gy[s] = (float)(g.y * inverse);
            rings->gz[s] = (float)(g.z * inverse);
            rings->gw[s] = (float)(w * inverse);
        }
    }
    // Four coefficients of 24 bits, three coordinates, and as many roundings of the sum: less than 2^-20 in total.
    rings->error_bounds[i] = (float)(0x1p-20 + (size > 0.0 ? 4.0 * cut->error_bound / size : 0.0));
}

static void fill_ring(rblCut* cut, uint32_t i)
{
    const rblCells* cells = cut->cells;
    rblCellRings* rings = &cut->rings;
    uint32_t slot = rings->starts[i];
    for (uint32_t f = cells->cell_starts[i]; f < cells->cell_starts[i + 1]; ++f)
    {
        const uint32_t facet = cells->cell_facets[f];
        if (is_inner(cut, facet))
        {
            const uint32_t* pair = cells->facets[facet].cells;
            rings->cells[slot] = pair[0] == i ? pair[1] : pair[0];
            rings->facets[slot++] = facet;
        }
    }
    for (; slot < rings->starts[i + 1]; ++slot)
    {
        rings->cells[slot] = RBL_NONE;
        rings->facets[slot] = RBL_NONE;
        rings->gx[slot] = rings->gy[slot] = rings->gz[slot] = 0.0f;
        rings->gw[slot] = PADDING_VALUE;
    }
}

// Bound of the terms of f_b - f_a at a point of the box; their sum has six roundings.
static double largest_value(const rblCells* cells)
{
    const rblVec3d max_coordinates =
        rbl_max3d(rbl_vec3d(fabs(cells->box.lower.x), fabs(cells->box.lower.y), fabs(cells->box.lower.z)),
                  rbl_vec3d(fabs(cells->box.upper.x), fabs(cells->box.upper.y), fabs(cells->box.upper.z)));
    double largest = 0.0;
    for (uint32_t i = 0; i < cells->count; ++i)
    {
        const rblVec3d g = cells->gradients[i];
        largest = rbl_maxd(largest, fabs(g.x) * max_coordinates.x + fabs(g.y) * max_coordinates.y +
                                        fabs(g.z) * max_coordinates.z + fabs(cells->offsets[i]));
    }
    return 2.0 * largest;
}

static bool allocate_rings(rblCut* cut)
{
    rblCellRings* rings = &cut->rings;
    const uint32_t count = cut->cells->count;
    rings->starts = RBL_ARENA_ARRAY(cut->arena, uint32_t, (size_t)count + 1);
    rings->ends = RBL_ARENA_ARRAY(cut->arena, uint32_t, count);
    rings->error_bounds = RBL_ARENA_ARRAY(cut->arena, float, count);
    if (rings->starts == NULL || rings->ends == NULL || rings->error_bounds == NULL)
    {
        return false;
    }
    const size_t slots = (size_t)count_slots(cut) + 1;
    rings->cells = RBL_ARENA_ARRAY(cut->arena, uint32_t, slots);
    rings->facets = RBL_ARENA_ARRAY(cut->arena, uint32_t, slots);
    rings->gx = RBL_ARENA_ARRAY(cut->arena, float, slots);
    rings->gy = RBL_ARENA_ARRAY(cut->arena, float, slots);
    rings->gz = RBL_ARENA_ARRAY(cut->arena, float, slots);
    rings->gw = RBL_ARENA_ARRAY(cut->arena, float, slots);
    return rings->cells != NULL && rings->facets != NULL && rings->gx != NULL && rings->gy != NULL &&
           rings->gz != NULL && rings->gw != NULL;
}

rblCutStatus rbl_cut_rings(rblCut* cut)
{
    const rblAabbd box = cut->cells->box;
    cut->error_bound = 8.0 * 0x1p-53 * largest_value(cut->cells);
    cut->rings = (rblCellRings){.center = rbl_lerp3d(box.lower, box.upper, 0.5)};
    const rblVec3d half = rbl_scale3d(rbl_sub3d(box.upper, box.lower), 0.5);
    cut->rings.inverse_scale = 1.0 / rbl_maxd(half.x, rbl_maxd(half.y, half.z));
    if (!allocate_rings(cut))
    {
        return RBL_CUT_MEMORY;
    }
    for (uint32_t i = 0; i < cut->cells->count; ++i)
    {
        fill_ring(cut, i);
        fill_functions(cut, i);
    }
    return RBL_CUT_OK;
}

// ---- vertices ----

// The neighbour whose f is below that of `cell` by most, and by more than the error bound; `cell` if there is none;
// RBL_NONE if 32 bits cannot decide.
static uint32_t step_narrow(const rblCellRings* rings, uint32_t cell, const float at[3])
{
    const rblFloat4 x = rbl_splat4(at[0]), y = rbl_splat4(at[1]), z = rbl_splat4(at[2]);
    const rblFloat4 error_bound = rbl_splat4(rings->error_bounds[cell]);
    float least = 0.0f;
    uint32_t nearest = cell;
    bool doubtful = false;
    for (uint32_t s = rings->starts[cell]; s < rings->starts[cell + 1]; s += 4)
    {
        const rblFloat4 xy =
            rbl_add4(rbl_mul4(rbl_load4(rings->gx + s), x), rbl_mul4(rbl_load4(rings->gy + s), y));
        const rblFloat4 zw = rbl_add4(rbl_mul4(rbl_load4(rings->gz + s), z), rbl_load4(rings->gw + s));
        const rblFloat4 value = rbl_add4(xy, zw);
        if (rbl_mask4(rbl_less4(value, error_bound)) == 0)
        {
            continue;
        }
        float lanes[4];
        rbl_store4(lanes, value);
        for (uint32_t k = 0; k < 4; ++k)
        {
            doubtful =
                doubtful || (lanes[k] < rings->error_bounds[cell] && lanes[k] >= -rings->error_bounds[cell]);
            nearest = lanes[k] < least ? rings->cells[s + k] : nearest;
            least = lanes[k] < least ? lanes[k] : least;
        }
    }
    if (least < -rings->error_bounds[cell])
    {
        return nearest;
    }
    return doubtful ? RBL_NONE : cell;
}

// The first neighbour with a smaller f, exactly; `cell` if there is none.
static uint32_t step_exact(const rblCut* cut, uint32_t cell, uint32_t vertex, bool* tie)
{
    const rblCellRings* rings = &cut->rings;
    for (uint32_t s = rings->starts[cell]; s < rings->ends[cell]; ++s)
    {
        const uint32_t other = rings->cells[s];
        const double value = rbl_cut_value(cut, cell, other, vertex);
        int side = value < 0.0 ? -1 : 1;
        if (!(fabs(value) > cut->error_bound))
        {
            const rblImplicitPoint point = {1, {cut->points[vertex]}, {cell}};
            side = rbl_implicit_side(cut->cells, &point, cell, other);
            *tie = *tie || side == 0;
        }
        if (side < 0)
        {
            return other;
        }
    }
    return cell;
}

static uint32_t find_cell(const rblCut* cut, uint32_t start, uint32_t vertex, bool* tie)
{
    const rblCellRings* rings = &cut->rings;
    const rblVec3d p = rbl_scale3d(rbl_sub3d(cut->points[vertex], rings->center), rings->inverse_scale);
    const float at[3] = {(float)p.x, (float)p.y, (float)p.z};
    uint32_t cell = start;
    for (;;)
    {
        uint32_t next = step_narrow(rings, cell, at);
        next = next == RBL_NONE ? step_exact(cut, cell, vertex, tie) : next;
        if (next == cell)
        {
            return cell;
        }
        cell = next;
    }
}

typedef struct LabelJob
{
    rblCut* cut;
    uint32_t start; // a cell with facets
    rblCutStatus status[RBL_MAX_BLOCKS];
} LabelJob;

static bool is_in_box(const rblCells* cells, rblVec3d p)
{
    return p.x > cells->box.lower.x && p.y > cells->box.lower.y && p.z > cells->box.lower.z &&
           p.x < cells->box.upper.x && p.y < cells->box.upper.y && p.z < cells->box.upper.z;
}

static void label_block(rblRange range, void* context)
{
    LabelJob* job = context;
    rblCut* cut = job->cut;
    uint32_t cell = job->start;
    bool tie = false, inside = true;
    for (uint32_t v = range.begin; v < range.end; ++v)
    {
        const rblVec3d p = cut->surface->positions[v];
        cut->points[v] = rbl_add3d(rbl_mat3d_apply(&cut->linear, p), cut->offset);
        inside = inside && is_in_box(cut->cells, cut->points[v]);
        cell = inside ? find_cell(cut, cell, v, &tie) : cell;
        cut->labels[v] = cell;
    }
    job->status[range.block] = !inside ? RBL_CUT_OUTSIDE : (tie ? RBL_CUT_TIE : RBL_CUT_OK);
}

static uint32_t first_cell(const rblCut* cut)
{
    uint32_t i = 0;
    while (i + 1 < cut->cells->count && cut->cells->cell_starts[i] == cut->cells->cell_starts[i + 1])
    {
        ++i;
    }
    return i;
}

// ---- triangles ----

#define TRIANGLE_RANGE 4096 // triangles per block of the parallel loop
typedef struct SortJob
{
    rblCut* cut;
    uint32_t blocks;
    // Per block: one entry for each cell, one for mixed triangles and one for edges. First the counts, then the
    // positions in the output.
    uint32_t* counts;
} SortJob;

static bool is_uncut(const rblCut* cut, const uint32_t* v)
{
    return cut->labels[v[0]] == cut->labels[v[1]] && cut->labels[v[1]] == cut->labels[v[2]];
}

// An edge has two half-edges; the one towards the higher vertex represents both.
static bool leaves_cell(const rblCut* cut, uint32_t a, uint32_t b)
{
    return a < b && cut->labels[a] != cut->labels[b];
}

static void count_block(rblRange range, void* context)
{
    SortJob* job = context;
    const rblCut* cut = job->cut;
    const uint32_t cell_count = cut->cells->count;
    uint32_t* counts = job->counts + (size_t)range.block * (cell_count + 2);
    for (uint32_t i = 0; i < cell_count + 2; ++i)
    {
        counts[i] = 0;
    }
    for (uint32_t t = range.begin; t < range.end; ++t)
    {
        const uint32_t* v = cut->triangle_vertices + 3 * (size_t)t;
        if (is_uncut(cut, v))
        {
            counts[cut->labels[v[0]]] += 1;
            continue;
        }
        counts[cell_count] += 1;
        for (uint32_t k = 0; k < 3; ++k)
        {
            counts[cell_count + 1] += leaves_cell(cut, v[k], v[(k + 1) % 3]) ? 1 : 0;
        }
    }
}

static void sort_block(rblRange range, void* context)
{
    SortJob* job = context;
    rblCut* cut = job->cut;
    const uint32_t cell_count = cut->cells->count;
    uint32_t* parameters = job->counts + (size_t)range.block * (cell_count + 2);
    for (uint32_t t = range.begin; t < range.end; ++t)
    {
        const uint32_t* v = cut->triangle_vertices + 3 * (size_t)t;
        if (is_uncut(cut, v))
        {
            cut->uncut[parameters[cut->labels[v[0]]]++] = t;
            continue;
        }
        cut->mixed[parameters[cell_count]++] = t;
        for (uint32_t k = 0; k < 3; ++k)
        {
            if (leaves_cell(cut, v[k], v[(k + 1) % 3]))
            {
                cut->edges[parameters[cell_count + 1]++] = (rblCutEdge){{v[k], v[(k + 1) % 3]}, 0, 0};
            }
        }
    }
}

// Replace the counts by positions: entries of one kind are stored block after block.
static uint32_t place_kind(SortJob* job, uint32_t kind, uint32_t begin)
{
    for (uint32_t b = 0; b < job->blocks; ++b)
    {
        uint32_t* place = &job->counts[(size_t)b * (job->cut->cells->count + 2) + kind];
        const uint32_t count = *place;
        *place = begin;
        begin += count;
    }
    return begin;
}

static rblCutStatus sort_triangles(rblCut* cut)
{
    const uint32_t cell_count = cut->cells->count;
    SortJob job = {cut, rbl_block_count(cut->triangle_count, TRIANGLE_RANGE), NULL};
    job.counts = RBL_ARENA_ARRAY(cut->arena, uint32_t, (size_t)job.blocks * (cell_count + 2));
    cut->uncut_starts = RBL_ARENA_ARRAY(cut->arena, uint32_t, (size_t)cell_count + 1);
    if (job.counts == NULL || cut->uncut_starts == NULL)
    {
        return RBL_CUT_MEMORY;
    }
    rbl_parallel_for(cut->jobs, cut->triangle_count, TRIANGLE_RANGE, count_block, &job);
    uint32_t place = 0;
    for (uint32_t i = 0; i < cell_count; ++i)
    {
        cut->uncut_starts[i] = place;
        place = place_kind(&job, i, place);
    }
    cut->uncut_starts[cell_count] = place;
    cut->mixed_count = place_kind(&job, cell_count, 0);
    cut->edge_count = place_kind(&job, cell_count + 1, 0);
    cut->uncut = RBL_ARENA_ARRAY(cut->arena, uint32_t, (size_t)place + 1);
    cut->mixed = RBL_ARENA_ARRAY(cut->arena, uint32_t, (size_t)cut->mixed_count + 1);
    cut->edges = RBL_ARENA_ARRAY(cut->arena, rblCutEdge, (size_t)cut->edge_count + 1);
    if (cut->uncut == NULL || cut->mixed == NULL || cut->edges == NULL)
    {
        return RBL_CUT_MEMORY;
    }
    rbl_parallel_for(cut->jobs, cut->triangle_count, TRIANGLE_RANGE, sort_block, &job);
    return RBL_CUT_OK;
}

rblCutStatus rbl_cut_label(rblCut* cut)
{
    const uint32_t min_range = 1024;
    LabelJob job = {.cut = cut, .start = first_cell(cut)};
    cut->points = RBL_ARENA_ARRAY(cut->arena, rblVec3d, cut->vertex_count);
    cut->labels = RBL_ARENA_ARRAY(cut->arena, uint32_t, cut->vertex_count);
    if (cut->points == NULL || cut->labels == NULL)
    {
        return RBL_CUT_MEMORY;
    }
    rbl_parallel_for(cut->jobs, cut->vertex_count, min_range, label_block, &job);
    rblCutStatus status = RBL_CUT_OK;
    for (uint32_t b = 0; b < rbl_block_count(cut->vertex_count, min_range); ++b)
    {
        status = job.status[b] > status ? job.status[b] : status;
    }
    return status != RBL_CUT_OK ? status : sort_triangles(cut);
}
