// The result for the caller: groups of shells as pieces, with their faces, masses and neighbours.
#include "base/sort.h"
#include "cut/pieces/pieces_private.h"

// Distance of a corner outside the plane of a face, relative to the size of the piece.
#define CONVEX_TOLERANCE 1e-6

typedef struct OutputWork
{
    rblCut* cut;
    rblPieces* out;
    uint32_t* pieces;          // per shell: its piece; RBL_NONE: a shell of the excluded cell
    uint32_t* representatives; // per piece: its representative shell
    uint32_t* side_faces;      // per side of a cap: its face
    uint32_t* triangles;       // per piece: index of its next triangle
    uint32_t* faces;           // per piece: index of its next face
} OutputWork;

static bool is_before(uint32_t a, uint32_t b, const void* context)
{
    const rblCut* cut = context;
    return cut->group_regions[a] < cut->group_regions[b] ||
           (cut->group_regions[a] == cut->group_regions[b] && a < b);
}

static bool allocate_arrays(OutputWork* work)
{
    rblCut* cut = work->cut;
    const size_t shells = (size_t)cut->shell_count + 1;
    work->pieces = RBL_ARENA_ARRAY(cut->arena, uint32_t, shells);
    work->representatives = RBL_ARENA_ARRAY(cut->arena, uint32_t, 2 * shells);
    work->triangles = RBL_ARENA_ARRAY(cut->arena, uint32_t, shells);
    work->faces = RBL_ARENA_ARRAY(cut->arena, uint32_t, shells);
    work->side_faces = RBL_ARENA_ARRAY(cut->arena, uint32_t, 2 * cut->caps.count + 1);
    return work->pieces != NULL && work->representatives != NULL && work->triangles != NULL &&
           work->faces != NULL && work->side_faces != NULL;
}

static void number_pieces(OutputWork* work)
{
    const rblCut* cut = work->cut;
    uint32_t count = 0;
    for (uint32_t s = 0; s < cut->shell_count; ++s)
    {
        work->pieces[s] = RBL_NONE;
        if (cut->shells[s].group == s && cut->shells[s].cell != cut->excluded)
        {
            work->representatives[count++] = s;
        }
    }
    rbl_sort_indices(work->representatives, work->representatives + cut->shell_count + 1, count, is_before,
                     cut);
    for (uint32_t p = 0; p < count; ++p)
    {
        work->pieces[work->representatives[p]] = p;
    }
    for (uint32_t s = 0; s < cut->shell_count; ++s)
    {
        work->pieces[s] = work->pieces[rbl_cut_group(cut, s)];
    }
    work->out->piece_count = count;
}

// The piece of a cell, if the whole cell belongs to one piece; else RBL_NONE.
static uint32_t piece_of_cell(const OutputWork* work, uint32_t cell)
{
    const uint32_t* starts = work->cut->shell_starts;
    const uint32_t piece = starts[cell] < starts[cell + 1] ? work->pieces[starts[cell]] : RBL_NONE;
    bool all = true;
    for (uint32_t s = starts[cell]; s < starts[cell + 1]; ++s)
    {
        all = all && work->pieces[s] == piece;
    }
    return all ? piece : RBL_NONE;
}

static uint32_t piece_of_triangle(const OutputWork* work, uint32_t uncut, uint32_t cell)
{
    const rblCut* cut = work->cut;
    return work->pieces[rbl_cut_shell(cut, cut->triangle_vertices[3 * (size_t)cut->uncut[uncut]], cell)];
}

static uint32_t piece_of_polygon(const OutputWork* work, uint32_t polygon, uint32_t cell)
{
    return work->pieces[rbl_cut_shell(work->cut, rbl_cut_first_corner(work->cut, polygon), cell)];
}

// ---- counting and placing ----

static void count_cell(OutputWork* work, uint32_t cell)
{
    const rblCut* cut = work->cut;
    const uint32_t only = piece_of_cell(work, cell);
    const uint32_t first = cut->uncut_starts[cell], end = cut->uncut_starts[cell + 1];
    if (only != RBL_NONE)
    {
        work->triangles[only] += end - first;
        work->faces[only] += cut->polygon_starts[cell + 1] - cut->polygon_starts[cell];
        return;
    }
    for (uint32_t t = first; t < end; ++t)
    {
        work->triangles[piece_of_triangle(work, t, cell)] += 1;
    }
    for (uint32_t p = cut->polygon_starts[cell]; p < cut->polygon_starts[cell + 1]; ++p)
    {
        work->faces[piece_of_polygon(work, cut->polygon_order[p], cell)] += 1;
    }
}

static void count_faces(OutputWork* work)
{
    const rblCut* cut = work->cut;
    rblPieces* out = work->out;
    for (uint32_t p = 0; p < out->piece_count; ++p)
    {
        work->triangles[p] = work->faces[p] = 0;
    }
    for (uint32_t cell = 0; cell < cut->cells->count; ++cell)
    {
        if (cell != cut->excluded)
        {
            count_cell(work, cell);
        }
    }
    for (uint32_t c = 0; c < cut->caps.count; ++c)
    {
        const uint32_t a = work->pieces[rbl_cut_cap_shell(cut, c, 0)];
        const uint32_t b = work->pieces[rbl_cut_cap_shell(cut, c, 1)];
        if (a == b)
        {
            continue;
        }
        work->faces[a != RBL_NONE ? a : b] += 1;
        if (a != RBL_NONE && b != RBL_NONE) // else the crack existed before
        {
            work->faces[b] += 1;
            out->crack_area += cut->caps.data[c].area;
        }
    }
    for (uint32_t p = 0; p < out->piece_count; ++p)
    {
        rblPiece* piece = &out->pieces[p];
        *piece = (rblPiece){.first_triangle = out->triangle_count, .first_face = out->face_count};
        out->triangle_count += work->triangles[p];
        out->face_count += work->faces[p];
        piece->end_triangle = out->triangle_count;
        piece->end_face = out->face_count;
        work->triangles[p] = piece->first_triangle;
        work->faces[p] = piece->first_face;
    }
}

static void place_triangles(OutputWork* work, uint32_t cell)
{
    const rblCut* cut = work->cut;
    const uint32_t only = piece_of_cell(work, cell);
    for (uint32_t t = cut->uncut_starts[cell]; t < cut->uncut_starts[cell + 1]; ++t)
    {
        const uint32_t piece = only != RBL_NONE ? only : piece_of_triangle(work, t, cell);
        const uint32_t place = work->triangles[piece]++;
        work->out->triangles[place] = cut->uncut[t];
        work->out->triangle_cells[place] = cell;
    }
}

static void place_polygons(OutputWork* work, uint32_t cell)
{
    const rblCut* cut = work->cut;
    const uint32_t only = piece_of_cell(work, cell);
    for (uint32_t n = cut->polygon_starts[cell]; n < cut->polygon_starts[cell + 1]; ++n)
    {
        const uint32_t p = cut->polygon_order[n];
        const uint32_t piece = only != RBL_NONE ? only : piece_of_polygon(work, p, cell);
        work->out->faces[work->faces[piece]++] =
            (rblPieceFace){cut->polygons.data[p].triangle, RBL_NONE, piece, cell, RBL_NONE, p, p + 1, false};
    }
}

static void place_sides(OutputWork* work, uint32_t cell)
{
    const rblCut* cut = work->cut;
    for (uint32_t n = cut->side_starts[cell]; n < cut->side_starts[cell + 1]; ++n)
    {
        const uint32_t side = cut->side_order[n];
        const rblCutCap* cap = &cut->caps.data[side / 2];
        const uint32_t* pair = cut->cells->facets[cap->facet].cells;
        const uint32_t piece = work->pieces[rbl_cut_cap_shell(cut, side / 2, side % 2)];
        work->side_faces[side] = RBL_NONE;
        if (piece != RBL_NONE && piece != work->pieces[rbl_cut_cap_shell(cut, side / 2, 1 - side % 2)])
        {
            work->side_faces[side] = work->faces[piece];
            work->out->faces[work->faces[piece]++] =
                (rblPieceFace){RBL_NONE,           RBL_NONE,        piece,         pair[side % 2],
                               pair[1 - side % 2], cap->first_loop, cap->end_loop, side % 2 != 0};
        }
    }
}

static void place_faces(OutputWork* work)
{
    const rblCut* cut = work->cut;
    for (uint32_t cell = 0; cell < cut->cells->count; ++cell)
    {
        if (cell != cut->excluded)
        {
            place_triangles(work, cell);
            place_polygons(work, cell);
        }
        place_sides(work, cell);
    }
    for (uint32_t c = 0; c < cut->caps.count; ++c)
    {
        const uint32_t a = work->side_faces[2 * c], b = work->side_faces[2 * c + 1];
        const uint32_t sides[2] = {a, b};
        for (uint32_t s = 0; s < 2; ++s)
        {
            if (sides[s] != RBL_NONE)
            {
                work->out->faces[sides[s]].mate = sides[1 - s];
                work->out->pieces[work->out->faces[sides[s]].piece].area += cut->caps.data[c].area;
            }
        }
    }
}

// ---- masses ----

// The same integrals about another origin.
static rblShell move_origin(const rblShell* shell, rblVec3d origin)
{
    rblShell m = *shell;
    const rblVec3d r = rbl_sub3d(shell->origin, origin);
    const rblVec3d f = shell->first;
    const double v = shell->volume;
    m.origin = origin;
    m.first = rbl_mul_add3d(f, v, r);
    m.squares.x += 2.0 * r.x * f.x + v * r.x * r.x;
    m.squares.y += 2.0 * r.y * f.y + v * r.y * r.y;
    m.squares.z += 2.0 * r.z * f.z + v * r.z * r.z;
    m.products.x += r.x * f.y + r.y * f.x + v * r.x * r.y;
    m.products.y += r.x * f.z + r.z * f.x + v * r.x * r.z;
    m.products.z += r.y * f.z + r.z * f.y + v * r.y * r.z;
    return m;
}

static void add_shell(rblShell* sum, const rblShell* shell)
{
    const rblShell m = move_origin(shell, sum->origin);
    sum->volume += m.volume;
    sum->first = rbl_add3d(sum->first, m.first);
    sum->squares = rbl_add3d(sum->squares, m.squares);
    sum->products = rbl_add3d(sum->products, m.products);
    sum->bounds.lower = rbl_min3d(m.bounds.lower, sum->bounds.lower);
    sum->bounds.upper = rbl_max3d(m.bounds.upper, sum->bounds.upper);
}

static void fill_mass(const rblShell* shell, rblPiece* piece)
{
    rblMassProperties* mass = &piece->mass;
    const rblVec3d center_offset =
        shell->volume != 0.0 ? rbl_scale3d(shell->first, 1.0 / shell->volume) : rbl_vec3d(0, 0, 0);
    mass->center = rbl_add3d(shell->origin, center_offset);
    const rblShell about = move_origin(shell, mass->center);
    mass->volume = mass->mass = shell->volume;
    const rblVec3d s = about.squares, p = about.products;
    mass->inertia = (rblMat3d){{s.y + s.z, -p.x, -p.y}, {-p.x, s.x + s.z, -p.z}, {-p.y, -p.z, s.x + s.y}};
    rbl_eigen_symmetric3d(&mass->inertia, &mass->moments, &mass->principal_axes);
    piece->bounds = shell->bounds;
}

// The shells of a piece are summed in their order, about the origin of the representative.
static bool sum_masses(OutputWork* work)
{
    const rblCut* cut = work->cut;
    rblPieces* out = work->out;
    rblShell* sums = RBL_ARENA_ARRAY(cut->arena, rblShell, (size_t)out->piece_count + 1);
    if (sums == NULL)
    {
        return false;
    }
    const double infinity = (double)INFINITY;
    for (uint32_t p = 0; p < out->piece_count; ++p)
    {
        const rblShell* representative = &cut->shells[work->representatives[p]];
        sums[p] = (rblShell){.bounds = {{infinity, infinity, infinity}, {-infinity, -infinity, -infinity}}};
        sums[p].origin =
            representative->volume != 0.0
                ? rbl_mul_add3d(representative->origin, 1.0 / representative->volume, representative->first)
                : representative->origin;
        out->pieces[p].region = cut->group_regions[work->representatives[p]];
    }
    for (uint32_t s = 0; s < cut->shell_count; ++s)
    {
        if (work->pieces[s] != RBL_NONE)
        {
            add_shell(&sums[work->pieces[s]], &cut->shells[s]);
            out->pieces[work->pieces[s]].area += cut->shells[s].outer_area;
        }
    }
    for (uint32_t p = 0; p < out->piece_count; ++p)
    {
        fill_mass(&sums[p], &out->pieces[p]);
    }
    return true;
}

// ---- convexity ----

typedef struct Corners
{
    uint32_t vertices[RBL_PIECE_HULL_CORNERS];
    uint32_t count; // one more than the capacity: too many
} Corners;

static void add_corner(Corners* corners, uint32_t vertex)
{
    for (uint32_t n = 0; n < corners->count && n < RBL_PIECE_HULL_CORNERS; ++n)
    {
        if (corners->vertices[n] == vertex)
        {
            return;
        }
    }
    if (corners->count < RBL_PIECE_HULL_CORNERS)
    {
        corners->vertices[corners->count] = vertex;
    }
    corners->count =
        corners->count < RBL_PIECE_HULL_CORNERS ? corners->count + 1 : RBL_PIECE_HULL_CORNERS + 1;
}

static void collect_corners(const rblCut* cut, const rblPieces* out, const rblPiece* piece, Corners* corners)
{
    for (uint32_t t = piece->first_triangle;
         t < piece->end_triangle && corners->count <= RBL_PIECE_HULL_CORNERS; ++t)
    {
        for (uint32_t k = 0; k < 3; ++k)
        {
            add_corner(corners, cut->triangle_vertices[3 * (size_t)out->triangles[t] + k]);
        }
    }
    for (uint32_t f = piece->first_face; f < piece->end_face && corners->count <= RBL_PIECE_HULL_CORNERS; ++f)
    {
        const rblPieceFace* face = &out->faces[f];
        const uint32_t end = cut->loop_starts.data[face->end_loop];
        for (uint32_t c = cut->loop_starts.data[face->first_loop]; c < end; ++c)
        {
            add_corner(corners, cut->corners.data[c]);
        }
    }
}

static bool is_below(const rblCut* cut, const Corners* corners, rblVec3d normal, rblVec3d at, double slack)
{
    bool below = true;
    for (uint32_t n = 0; n < corners->count && below; ++n)
    {
        const rblVec3d p = rbl_cut_position(cut, corners->vertices[n]);
        below = rbl_dot3d(normal, rbl_sub3d(p, at)) <= slack;
    }
    return below;
}

static bool triangle_is_below(const rblCut* cut, const Corners* corners, uint32_t triangle, double slack)
{
    const uint32_t* v = cut->triangle_vertices + 3 * (size_t)triangle;
    const rblVec3d a = cut->surface->positions[v[0]];
    const rblVec3d ab = rbl_sub3d(cut->surface->positions[v[1]], a);
    const rblVec3d ac = rbl_sub3d(cut->surface->positions[v[2]], a);
    return is_below(cut, corners, rbl_normalize3d(rbl_cross3d(ab, ac), rbl_vec3d(0, 0, 0)), a, slack);
}

// Outward from the piece; any length.
static rblVec3d crack_normal(const rblCut* cut, const rblPieceFace* face)
{
    if (cut->facet_normals == NULL)
    {
        const rblCellRow row = rbl_cell_row(cut->cells, face->other, face->cell);
        return rbl_mat3d_apply_transposed(&cut->linear, row.gradient);
    }
    const uint32_t begin = cut->loop_starts.data[face->first_loop];
    const uint32_t end = cut->loop_starts.data[face->first_loop + 1];
    const rblVec3d origin = rbl_cut_position(cut, cut->corners.data[begin]);
    rblVec3d sum = {0, 0, 0};
    for (uint32_t c = begin + 1; c + 1 < end; ++c)
    {
        const rblVec3d a = rbl_sub3d(rbl_cut_position(cut, cut->corners.data[c]), origin);
        const rblVec3d b = rbl_sub3d(rbl_cut_position(cut, cut->corners.data[c + 1]), origin);
        sum = rbl_add3d(sum, rbl_cross3d(a, b));
    }
    return face->reversed ? rbl_neg3d(sum) : sum;
}

static bool crack_is_below(const rblCut* cut, const Corners* corners, const rblPieceFace* face, double slack)
{
    const rblVec3d along = crack_normal(cut, face);
    const rblVec3d at = rbl_cut_position(cut, rbl_cut_first_corner(cut, face->first_loop));
    return face->end_loop == face->first_loop + 1 &&
           is_below(cut, corners, rbl_normalize3d(along, rbl_vec3d(0, 0, 0)), at, slack);
}

static bool is_convex(const rblCut* cut, const rblPieces* out, const rblPiece* piece)
{
    // A closed surface without handles and with n corners has at most 2 n - 4 faces (Euler).
    const uint32_t faces =
        piece->end_triangle - piece->first_triangle + (piece->end_face - piece->first_face);
    if (faces > 2 * RBL_PIECE_HULL_CORNERS - 4)
    {
        return false;
    }
    Corners corners = {.count = 0};
    collect_corners(cut, out, piece, &corners);
    bool convex = corners.count <= RBL_PIECE_HULL_CORNERS && piece->mass.volume > 0.0;
    const double slack = CONVEX_TOLERANCE * rbl_distance3d(piece->bounds.lower, piece->bounds.upper);
    for (uint32_t f = piece->first_face; f < piece->end_face && convex; ++f)
    {
        const rblPieceFace* face = &out->faces[f];
        convex = face->triangle == RBL_NONE ? crack_is_below(cut, &corners, face, slack)
                                            : triangle_is_below(cut, &corners, face->triangle, slack);
    }
    for (uint32_t t = piece->first_triangle; t < piece->end_triangle && convex; ++t)
    {
        convex = triangle_is_below(cut, &corners, out->triangles[t], slack);
    }
    return convex;
}

static void convex_block(rblRange range, void* context)
{
    const OutputWork* work = context;
    for (uint32_t p = range.begin; p < range.end; ++p)
    {
        work->out->pieces[p].convex = is_convex(work->cut, work->out, &work->out->pieces[p]);
    }
}

// ---- the stage ----

static bool allocate_output(rblPieces* out)
{
    out->triangles = RBL_NEW_ARRAY(out->allocator, uint32_t, (size_t)out->triangle_count + 1);
    out->triangle_cells = RBL_NEW_ARRAY(out->allocator, uint32_t, (size_t)out->triangle_count + 1);
    out->faces = RBL_NEW_ARRAY(out->allocator, rblPieceFace, (size_t)out->face_count + 1);
    return out->triangles != NULL && out->triangle_cells != NULL && out->faces != NULL;
}

// The output takes over the arrays. Their capacities are stored for the release of the memory.
static void move_arrays(rblCut* cut, rblPieces* out)
{
    out->surface_vertex_count = cut->vertex_count;
    out->vertex_count = (uint32_t)cut->nodes.count;
    out->loop_count = (uint32_t)cut->loop_starts.count - 1;
    out->corner_count = (uint32_t)cut->corners.count;
    out->merged = cut->merged;
    out->vertices = cut->positions.data;
    out->vertex_capacity = cut->positions.capacity;
    out->origins = cut->origins.data;
    out->origin_capacity = cut->origins.capacity;
    out->loop_starts = cut->loop_starts.data;
    out->loop_capacity = cut->loop_starts.capacity;
    out->corners = cut->corners.data;
    out->corner_capacity = cut->corners.capacity;
    rbl_array_init(&cut->positions, cut->allocator);
    rbl_array_init(&cut->origins, cut->allocator);
    rbl_array_init(&cut->loop_starts, cut->allocator);
    rbl_array_init(&cut->corners, cut->allocator);
}

rblCutStatus rbl_cut_output(rblCut* cut, rblPieces* out)
{
    OutputWork work = {.cut = cut, .out = out};
    if (!allocate_arrays(&work))
    {
        return RBL_CUT_MEMORY;
    }
    number_pieces(&work);
    out->pieces = RBL_NEW_ARRAY(out->allocator, rblPiece, (size_t)out->piece_count + 1);
    if (out->pieces == NULL)
    {
        return RBL_CUT_MEMORY;
    }
    count_faces(&work);
    if (!allocate_output(out))
    {
        return RBL_CUT_MEMORY;
    }
    place_faces(&work);
    if (!sum_masses(&work))
    {
        return RBL_CUT_MEMORY;
    }
    rbl_parallel_for(cut->jobs, out->piece_count, 4, convex_block, &work);
    move_arrays(cut, out);
    return RBL_CUT_OK;
}
