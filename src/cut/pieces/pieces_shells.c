// Connected surfaces within each cell (shells), and the integrals over them (as in mesh/mass.c: Tonon 2004, divergence
// theorem).
//
// Cells have no common vertex elements, so they are processed in parallel. Faces are joined through common vertices,
// not edges: except on a non-manifold surface, faces with a common vertex are connected through edges, too.
#include "base/union_find.h"
#include "cut/pieces/pieces_private.h"

// ---- faces sorted by cell ----

// Sort items by cell. `cell_of` returns the cell of an item.
typedef uint32_t CellOfFcn(const rblCut* cut, uint32_t item);

static uint32_t cell_of_polygon(const rblCut* cut, uint32_t item)
{
    return cut->polygons.data[item].cell;
}

static uint32_t cell_of_side(const rblCut* cut, uint32_t item)
{
    return cut->cells->facets[cut->caps.data[item / 2].facet].cells[item % 2];
}

static bool sort_by_cell(rblCut* cut, uint32_t count, CellOfFcn* cell_of, uint32_t** starts, uint32_t** order)
{
    const size_t cells = cut->cells->count;
    uint32_t* s = RBL_ARENA_ARRAY(cut->arena, uint32_t, cells + 2);
    uint32_t* o = RBL_ARENA_ARRAY(cut->arena, uint32_t, (size_t)count + 1);
    if (s == NULL || o == NULL)
    {
        return false;
    }
    memset(s, 0, sizeof *s * (cells + 2));
    for (uint32_t n = 0; n < count; ++n)
    {
        s[cell_of(cut, n) + 2] += 1;
    }
    for (size_t i = 0; i < cells; ++i)
    {
        s[i + 2] += s[i + 1];
    }
    for (uint32_t n = 0; n < count; ++n)
    {
        o[s[cell_of(cut, n) + 1]++] = n;
    }
    *starts = s;
    *order = o;
    return true;
}

// ---- connected faces ----

// Returns the root of all corners of the loop.
static uint32_t join_loop(const rblCut* cut, uint32_t loop, uint32_t cell, uint32_t root)
{
    for (uint32_t c = cut->loop_starts.data[loop]; c < cut->loop_starts.data[loop + 1]; ++c)
    {
        root = rbl_union_join_root(cut->parents, root, rbl_cut_element(cut, cut->corners.data[c], cell));
    }
    return root;
}

static uint32_t first_element(const rblCut* cut, uint32_t loop, uint32_t cell)
{
    return rbl_cut_element(cut, cut->corners.data[cut->loop_starts.data[loop]], cell);
}

static void join_cell(const rblCut* cut, uint32_t cell)
{
    for (uint32_t t = cut->uncut_starts[cell]; t < cut->uncut_starts[cell + 1]; ++t)
    {
        const uint32_t* v = cut->triangle_vertices + 3 * (size_t)cut->uncut[t];
        rbl_union_join(cut->parents, v[0], v[1]);
        rbl_union_join(cut->parents, v[1], v[2]);
    }
    for (uint32_t p = cut->polygon_starts[cell]; p < cut->polygon_starts[cell + 1]; ++p)
    {
        const uint32_t loop = cut->polygon_order[p];
        (void)join_loop(cut, loop, cell, rbl_union_root(cut->parents, first_element(cut, loop, cell)));
    }
    for (uint32_t s = cut->side_starts[cell]; s < cut->side_starts[cell + 1]; ++s)
    {
        const rblCutCap* cap = &cut->caps.data[cut->side_order[s] / 2];
        uint32_t root = rbl_union_root(cut->parents, first_element(cut, cap->first_loop, cell));
        for (uint32_t loop = cap->first_loop; loop < cap->end_loop; ++loop)
        {
            root = join_loop(cut, loop, cell, root);
        }
    }
}

// A root without a number is a new shell. Returns the number of shells so far.
static uint32_t number_shell(const rblCut* cut, uint32_t element, uint32_t count)
{
    const uint32_t root = rbl_union_root(cut->parents, element);
    uint32_t* shell = &cut->shell_of[root];
    const bool fresh = *shell == RBL_NONE;
    *shell = fresh ? count : *shell;
    return fresh ? count + 1 : count;
}

// Shells are numbered from 0 in every cell until the total is known.
static uint32_t number_shells(const rblCut* cut, uint32_t cell)
{
    uint32_t count = 0;
    for (uint32_t t = cut->uncut_starts[cell]; t < cut->uncut_starts[cell + 1]; ++t)
    {
        count = number_shell(cut, cut->triangle_vertices[3 * (size_t)cut->uncut[t]], count);
    }
    for (uint32_t p = cut->polygon_starts[cell]; p < cut->polygon_starts[cell + 1]; ++p)
    {
        count = number_shell(cut, first_element(cut, cut->polygon_order[p], cell), count);
    }
    for (uint32_t s = cut->side_starts[cell]; s < cut->side_starts[cell + 1]; ++s)
    {
        const rblCutCap* cap = &cut->caps.data[cut->side_order[s] / 2];
        count = number_shell(cut, first_element(cut, cap->first_loop, cell), count);
    }
    return count;
}

static void join_block(rblRange range, void* context)
{
    rblCut* cut = context;
    for (uint32_t cell = range.begin; cell < range.end; ++cell)
    {
        join_cell(cut, cell);
        cut->shell_starts[cell + 1] = number_shells(cut, cell);
    }
}

static void begin_block(rblRange range, void* context)
{
    rblCut* cut = context;
    for (uint32_t e = range.begin; e < range.end; ++e)
    {
        cut->parents[e] = e;
        cut->shell_of[e] = RBL_NONE;
    }
}

// ---- integrals ----

static void add_triangle(rblShell* shell, rblVec3d pa, rblVec3d pb, rblVec3d pc)
{
    const rblVec3d a = rbl_sub3d(pa, shell->origin);
    const rblVec3d b = rbl_sub3d(pb, shell->origin);
    const rblVec3d c = rbl_sub3d(pc, shell->origin);
    const rblVec3d cross = rbl_cross3d(rbl_sub3d(b, a), rbl_sub3d(c, a));
    const double d = rbl_dot3d(a, cross);
    const rblVec3d s = rbl_add3d(rbl_add3d(a, b), c);
    shell->volume += d;
    shell->first = rbl_mul_add3d(shell->first, d, s);
    shell->squares.x += d * (s.x * s.x + (a.x * a.x + b.x * b.x + c.x * c.x));
    shell->squares.y += d * (s.y * s.y + (a.y * a.y + b.y * b.y + c.y * c.y));
    shell->squares.z += d * (s.z * s.z + (a.z * a.z + b.z * b.z + c.z * c.z));
    shell->products.x += d * (s.x * s.y + (a.x * a.y + b.x * b.y + c.x * c.y));
    shell->products.y += d * (s.x * s.z + (a.x * a.z + b.x * b.z + c.x * c.z));
    shell->products.z += d * (s.y * s.z + (a.y * a.z + b.y * b.z + c.y * c.z));
    shell->area += 0.5 * rbl_length3d(cross);
}

static void add_bounds(rblShell* shell, rblVec3d p)
{
    shell->bounds.lower = rbl_min3d(p, shell->bounds.lower);
    shell->bounds.upper = rbl_max3d(p, shell->bounds.upper);
}

// Integrate over a fan from the first corner of the loop. The loop may have any shape: parts outside are negative.
// Mates have the same fans, so their rounding errors cancel.
static void add_loop(const rblCut* cut, rblShell* shell, uint32_t loop, bool backwards)
{
    const uint32_t begin = cut->loop_starts.data[loop], end = cut->loop_starts.data[loop + 1];
    const rblVec3d a = rbl_cut_position(cut, cut->corners.data[begin]);
    rblVec3d b = a;
    for (uint32_t c = begin; c < end; ++c)
    {
        const rblVec3d p = rbl_cut_position(cut, cut->corners.data[c]);
        add_bounds(shell, p);
        if (c >= begin + 2)
        {
            add_triangle(shell, a, backwards ? p : b, backwards ? b : p);
        }
        b = p;
    }
}

// The fan of a crack face that is not convex counts some area twice, so the area is taken from the cap.
static void add_side(const rblCut* cut, rblShell* shell, uint32_t side)
{
    const rblCutCap* cap = &cut->caps.data[side / 2];
    const double area = shell->area + cap->area;
    for (uint32_t loop = cap->first_loop; loop < cap->end_loop; ++loop)
    {
        add_loop(cut, shell, loop, side % 2 != 0);
    }
    shell->area = area;
}

static rblVec3d any_position(const rblCut* cut, uint32_t cell)
{
    if (cut->uncut_starts[cell] < cut->uncut_starts[cell + 1])
    {
        return cut->surface
            ->positions[cut->triangle_vertices[3 * (size_t)cut->uncut[cut->uncut_starts[cell]]]];
    }
    if (cut->side_starts[cell] < cut->side_starts[cell + 1])
    {
        const uint32_t loop = cut->caps.data[cut->side_order[cut->side_starts[cell]] / 2].first_loop;
        return rbl_cut_position(cut, cut->corners.data[cut->loop_starts.data[loop]]);
    }
    return rbl_vec3d(0, 0, 0);
}

static void integrate_uncut(const rblCut* cut, uint32_t cell, rblShell* shells, bool several)
{
    for (uint32_t t = cut->uncut_starts[cell]; t < cut->uncut_starts[cell + 1]; ++t)
    {
        const uint32_t* v = cut->triangle_vertices + 3 * (size_t)cut->uncut[t];
        rblShell* shell = &shells[several ? cut->shell_of[rbl_union_root(cut->parents, v[0])] : 0];
        const rblVec3d* p = cut->surface->positions;
        add_triangle(shell, p[v[0]], p[v[1]], p[v[2]]);
        add_bounds(shell, p[v[0]]);
        add_bounds(shell, p[v[1]]);
        add_bounds(shell, p[v[2]]);
    }
}

// Index of the loop's shell within the cell.
static uint32_t shell_of_loop(const rblCut* cut, uint32_t loop, uint32_t cell)
{
    return cut->shell_of[rbl_union_root(cut->parents, first_element(cut, loop, cell))];
}

static void integrate_cell(const rblCut* cut, uint32_t cell)
{
    const uint32_t first = cut->shell_starts[cell], end = cut->shell_starts[cell + 1];
    rblShell* shells = cut->shells + first;
    const rblVec3d origin = any_position(cut, cell);
    const double infinity = (double)INFINITY;
    for (uint32_t s = first; s < end; ++s)
    {
        cut->shells[s] = (rblShell){.cell = cell, .group = s, .origin = origin};
        cut->shells[s].bounds = (rblAabbd){{infinity, infinity, infinity}, {-infinity, -infinity, -infinity}};
    }
    if (cell == cut->excluded)
    {
        return;
    }
    const bool several = end - first > 1;
    integrate_uncut(cut, cell, shells, several);
    for (uint32_t p = cut->polygon_starts[cell]; p < cut->polygon_starts[cell + 1]; ++p)
    {
        const uint32_t loop = cut->polygon_order[p];
        add_loop(cut, &shells[several ? shell_of_loop(cut, loop, cell) : 0], loop, false);
    }
    for (uint32_t s = first; s < end; ++s)
    {
        cut->shells[s].outer_area = cut->shells[s].area;
    }
    for (uint32_t s = cut->side_starts[cell]; s < cut->side_starts[cell + 1]; ++s)
    {
        const rblCutCap* cap = &cut->caps.data[cut->side_order[s] / 2];
        const uint32_t shell = several ? shell_of_loop(cut, cap->first_loop, cell) : 0;
        add_side(cut, &shells[shell], cut->side_order[s]);
    }
    for (uint32_t s = first; s < end; ++s)
    {
        rblShell* shell = &cut->shells[s];
        shell->volume /= 6.0;
        shell->first = rbl_scale3d(shell->first, 1.0 / 24.0);
        shell->squares = rbl_scale3d(shell->squares, 1.0 / 120.0);
        shell->products = rbl_scale3d(shell->products, 1.0 / 120.0);
    }
}

static void integrate_block(rblRange range, void* context)
{
    for (uint32_t cell = range.begin; cell < range.end; ++cell)
    {
        integrate_cell(context, cell);
    }
}

// ---- the stage ----

static bool allocate_arrays(rblCut* cut, size_t elements)
{
    cut->parents = RBL_ARENA_ARRAY(cut->arena, uint32_t, elements);
    cut->shell_of = RBL_ARENA_ARRAY(cut->arena, uint32_t, elements);
    cut->shell_starts = RBL_ARENA_ARRAY(cut->arena, uint32_t, (size_t)cut->cells->count + 1);
    return cut->parents != NULL && cut->shell_of != NULL && cut->shell_starts != NULL &&
           sort_by_cell(cut, (uint32_t)cut->polygons.count, cell_of_polygon, &cut->polygon_starts,
                        &cut->polygon_order) &&
           sort_by_cell(cut, 2 * (uint32_t)cut->caps.count, cell_of_side, &cut->side_starts,
                        &cut->side_order);
}

rblCutStatus rbl_cut_shells(rblCut* cut)
{
    const size_t elements = cut->vertex_count + 4 * cut->nodes.count;
    if (elements > UINT32_MAX || !allocate_arrays(cut, elements))
    {
        return RBL_CUT_MEMORY;
    }
    const uint32_t cell_count = cut->cells->count;
    rbl_parallel_for(cut->jobs, (uint32_t)elements, 16384, begin_block, cut);
    cut->shell_starts[0] = 0;
    rbl_parallel_for(cut->jobs, cell_count, 1, join_block, cut);
    for (uint32_t cell = 0; cell < cell_count; ++cell)
    {
        cut->shell_starts[cell + 1] += cut->shell_starts[cell];
    }
    cut->shell_count = cut->shell_starts[cell_count];
    cut->shells = RBL_ARENA_ARRAY(cut->arena, rblShell, (size_t)cut->shell_count + 1);
    if (cut->shells == NULL)
    {
        return RBL_CUT_MEMORY;
    }
    rbl_parallel_for(cut->jobs, cell_count, 1, integrate_block, cut);
    double volume = 0.0;
    for (uint32_t s = 0; s < cut->shell_count; ++s)
    {
        volume += cut->shells[s].volume;
    }
    if (!(volume > 0.0))
    {
        return RBL_CUT_INVERTED;
    }
    rbl_cut_cavities(cut);
    return RBL_CUT_OK;
}
