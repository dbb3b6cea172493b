// Which cells a piece is in, and what keeps it apart from others in the same cell.
#include "base/error.h"
#include "field/shape.h"
#include "fracture/prescored_private.h"
#include "math/aabb.h"
#include "math/vec.h"
#include <string.h>

// Parts of the piece at hand, by cell.
typedef struct Finder
{
    rblParts* parts;
    uint32_t* part_of; // per cell: part + 1 of the piece at hand
    uint32_t first;    // part of the piece at hand
    bool failed;
} Finder;

static rblPart* find_part(Finder* f, uint32_t piece, uint32_t cell)
{
    const uint32_t known = f->part_of[cell];
    if (known > f->first)
    {
        return &f->parts->list.data[known - 1];
    }
    const rblPart part = {.piece = piece, .cell = cell, .box = rbl_aabbd_empty()};
    if (!rbl_array_push(&f->parts->list, part))
    {
        f->failed = true;
        return NULL;
    }
    f->part_of[cell] = (uint32_t)f->parts->list.count;
    return &f->parts->list.data[f->parts->list.count - 1];
}

static void add_to_part(Finder* f, uint32_t piece, uint32_t cell, rblVec3d position)
{
    rblPart* part = find_part(f, piece, cell);
    if (part != NULL)
    {
        part->box = rbl_aabbd_add(part->box, position);
    }
}

// Corners of a face.
static void face_corners(const rblPieces* pieces, const rblPieceFace* face, uint32_t* begin, uint32_t* end)
{
    *begin = pieces->loop_starts[face->first_loop];
    *end = pieces->loop_starts[face->end_loop];
}

static void add_faces(Finder* f, uint32_t piece)
{
    const rblBreakage* breakage = f->parts->breakage;
    const rblPieces* pieces = breakage->pieces;
    for (uint32_t i = pieces->pieces[piece].first_face; i < pieces->pieces[piece].end_face; ++i)
    {
        const rblPieceFace* face = &pieces->faces[i];
        uint32_t begin;
        uint32_t end;
        face_corners(pieces, face, &begin, &end);
        for (uint32_t k = begin; k < end; ++k)
        {
            add_to_part(f, piece, face->cell, rbl_breakage_position(breakage, pieces->corners[k]));
        }
    }
}

// Triangles that were not cut do not say where they are. With one cell to a piece they are where its faces are.
static void add_triangles(Finder* f, uint32_t piece)
{
    const rblParts* parts = f->parts;
    const rblBreakage* breakage = parts->breakage;
    const rblPiece* p = &breakage->pieces->pieces[piece];
    uint32_t cell =
        f->parts->list.count > f->first && !parts->joined ? parts->list.data[f->first].cell : RBL_NONE;
    for (uint32_t i = p->first_triangle; i < p->end_triangle; ++i)
    {
        for (uint32_t k = 0; k < 3; ++k)
        {
            const rblVec3d position = rbl_parts_triangle_corner(parts, i, k);
            if (cell == RBL_NONE || parts->joined)
            {
                cell = rbl_cells_locate(parts->placing->pattern->cells,
                                        rbl_into_pattern(parts->placing, position));
            }
            add_to_part(f, piece, cell, position);
        }
    }
}

static rblResult find_parts(rblParts* parts, uint32_t* part_of)
{
    Finder f = {.parts = parts, .part_of = part_of};
    for (uint32_t p = 0; p < parts->breakage->pieces->piece_count && !f.failed; ++p)
    {
        f.first = (uint32_t)parts->list.count;
        add_faces(&f, p);
        add_triangles(&f, p);
    }
    return f.failed ? rbl_fail_memory() : RBL_OK;
}

// ---- cells without any surface ----

static rblVec3d cell_middle(const rblCells* cells, uint32_t cell)
{
    rblVec3d sum = {0, 0, 0};
    double count = 0.0;
    for (uint32_t i = cells->cell_starts[cell]; i < cells->cell_starts[cell + 1]; ++i)
    {
        const rblCellFacet* facet = &cells->facets[cells->cell_facets[i]];
        for (uint32_t e = facet->first_edge; e < facet->end_edge; ++e)
        {
            const rblCellEdge* edge = &cells->edges[cells->facet_edges[e]];
            sum = rbl_add3d(sum, cells->vertices[edge->vertices[0]].position);
            sum = rbl_add3d(sum, cells->vertices[edge->vertices[1]].position);
            count += 2.0;
        }
    }
    return rbl_scale3d(sum, 1.0 / count);
}

static rblVec3d out_of_pattern(const rblPlacing* placing, rblVec3d y)
{
    const rblMat3d back = rbl_mat3d_transpose(&placing->turn);
    return rbl_mat3d_apply(&back, rbl_sub3d(y, placing->offset));
}

// A cell in the middle of a region that lies wholly in the solid has no faces; it belongs to whom its neighbours do.
static uint32_t owner_by_neighbours(const rblCells* cells, uint32_t cell, const uint32_t* owners)
{
    for (uint32_t i = cells->cell_starts[cell]; i < cells->cell_starts[cell + 1]; ++i)
    {
        const rblCellFacet* facet = &cells->facets[cells->cell_facets[i]];
        const uint32_t other = facet->cells[0] == cell ? facet->cells[1] : facet->cells[0];
        if (other < cells->count && owners[other] != RBL_NONE)
        {
            return owners[other];
        }
    }
    return RBL_NONE;
}

// `owners`: a piece of each cell, RBL_NONE for none.
static rblResult add_hidden_cells(rblParts* parts, uint32_t* owners)
{
    const rblCells* cells = parts->placing->pattern->cells;
    bool found = true;
    while (found)
    {
        found = false;
        for (uint32_t c = 0; c < cells->count; ++c)
        {
            if (owners[c] != RBL_NONE || cells->cell_starts[c] == cells->cell_starts[c + 1])
            {
                continue;
            }
            const uint32_t owner = owner_by_neighbours(cells, c, owners);
            const rblVec3d middle = out_of_pattern(parts->placing, cell_middle(cells, c));
            if (owner == RBL_NONE ||
                rbl_shape_distance(parts->placing->solid->shape, rbl_to_float3(middle), NULL) > 0.0f)
            {
                continue;
            }
            const rblPart part = {
                .piece = owner, .cell = c, .box = parts->breakage->pieces->pieces[owner].bounds};
            if (!rbl_array_push(&parts->list, part))
            {
                return rbl_fail_memory();
            }
            owners[c] = owner;
            found = true;
        }
    }
    return RBL_OK;
}

// ---- order ----

// By piece, and a list by cell. Counting sorts keep the order in which parts were found.
static bool sort_parts(rblParts* parts, uint32_t piece_count, uint32_t cell_count)
{
    const uint32_t count = (uint32_t)parts->list.count;
    rblPart* sorted = RBL_NEW_ARRAY(parts->allocator, rblPart, count);
    if (sorted == NULL)
    {
        return false;
    }
    for (uint32_t i = 0; i < count; ++i)
    {
        parts->piece_starts[parts->list.data[i].piece + 1] += 1;
    }
    for (uint32_t p = 0; p < piece_count; ++p)
    {
        parts->piece_starts[p + 1] += parts->piece_starts[p];
    }
    for (uint32_t i = 0; i < count; ++i)
    {
        sorted[parts->piece_starts[parts->list.data[i].piece]++] = parts->list.data[i];
    }
    for (uint32_t p = piece_count; p > 0; --p)
    {
        parts->piece_starts[p] = parts->piece_starts[p - 1];
    }
    parts->piece_starts[0] = 0;
    memcpy(parts->list.data, sorted, count * sizeof *sorted);
    RBL_FREE_ARRAY(parts->allocator, sorted, count);
    for (uint32_t i = 0; i < count; ++i)
    {
        parts->cell_starts[parts->list.data[i].cell + 1] += 1;
    }
    for (uint32_t c = 0; c < cell_count; ++c)
    {
        parts->cell_starts[c + 1] += parts->cell_starts[c];
    }
    for (uint32_t i = 0; i < count; ++i)
    {
        parts->by_cell[parts->cell_starts[parts->list.data[i].cell]++] = i;
    }
    for (uint32_t c = cell_count; c > 0; --c)
    {
        parts->cell_starts[c] = parts->cell_starts[c - 1];
    }
    parts->cell_starts[0] = 0;
    return true;
}

// ---- all of it ----

void rbl_parts_free(rblParts* parts)
{
    const uint32_t piece_count = parts->breakage->pieces->piece_count;
    const uint32_t cell_count = parts->placing->pattern->cells->count;
    RBL_FREE_ARRAY(parts->allocator, parts->by_cell, parts->list.count);
    RBL_FREE_ARRAY(parts->allocator, parts->piece_starts, (size_t)piece_count + 1);
    RBL_FREE_ARRAY(parts->allocator, parts->cell_starts, (size_t)cell_count + 1);
    rbl_array_free(&parts->list);
    rbl_array_free(&parts->walls);
    rbl_array_free(&parts->holes);
    rbl_array_free(&parts->corners);
}

static rblResult fill_parts(rblParts* parts, uint32_t* cell_numbers)
{
    const rblCells* cells = parts->placing->pattern->cells;
    const uint32_t piece_count = parts->breakage->pieces->piece_count;
    memset(cell_numbers, 0, cells->count * sizeof *cell_numbers);
    RBL_TRY(find_parts(parts, cell_numbers));
    if (parts->joined)
    {
        for (uint32_t c = 0; c < cells->count; ++c)
        {
            cell_numbers[c] = cell_numbers[c] > 0 ? parts->list.data[cell_numbers[c] - 1].piece : RBL_NONE;
        }
        RBL_TRY(add_hidden_cells(parts, cell_numbers));
    }
    parts->by_cell = RBL_NEW_ARRAY(parts->allocator, uint32_t, parts->list.count);
    parts->piece_starts = rbl_alloc_zero(parts->allocator, sizeof(uint32_t) * ((size_t)piece_count + 1));
    parts->cell_starts = rbl_alloc_zero(parts->allocator, sizeof(uint32_t) * ((size_t)cells->count + 1));
    if (parts->by_cell == NULL || parts->piece_starts == NULL || parts->cell_starts == NULL ||
        !sort_parts(parts, piece_count, cells->count))
    {
        return rbl_fail_memory();
    }
    return rbl_parts_tell_apart(parts);
}

rblResult rbl_parts_init(rblParts* parts, const rblPlacing* placing, const rblBreakage* breakage)
{
    const rblCells* cells = placing->pattern->cells;
    *parts = (rblParts){.placing = placing, .breakage = breakage, .allocator = rbl_default_allocator()};
    parts->joined = placing->pattern->region_count < cells->count || breakage->pieces->merged > 0;
    rbl_array_init(&parts->list, parts->allocator);
    rbl_array_init(&parts->walls, parts->allocator);
    rbl_array_init(&parts->holes, parts->allocator);
    rbl_array_init(&parts->corners, parts->allocator);
    uint32_t* cell_numbers = RBL_NEW_ARRAY(parts->allocator, uint32_t, cells->count);
    rblResult result = cell_numbers != NULL ? RBL_OK : rbl_fail_memory();
    if (result == RBL_OK)
    {
        result = rbl_triangulate_corners(&breakage->surface, &parts->corners, NULL);
    }
    if (result == RBL_OK)
    {
        result = fill_parts(parts, cell_numbers);
    }
    RBL_FREE_ARRAY(parts->allocator, cell_numbers, cells->count);
    if (result != RBL_OK)
    {
        rbl_parts_free(parts);
    }
    return result;
}

rblVec3d rbl_parts_triangle_corner(const rblParts* parts, uint32_t number, uint32_t corner)
{
    const rblBreakage* breakage = parts->breakage;
    const size_t triangle = breakage->pieces->triangles[number];
    const uint32_t vertex = breakage->surface.corner_vertices[parts->corners.data[3 * triangle + corner]];
    return breakage->surface.positions[vertex];
}

// How far a point is from a part, squared: from its box and beyond its walls.
static double squared_distance(const rblParts* parts, const rblPart* part, rblVec3d point)
{
    double squared = rbl_aabbd_distance_squared(part->box, point);
    for (uint32_t w = part->first_wall; w < part->end_wall; ++w)
    {
        const rblWall* wall = &parts->walls.data[w];
        const double beyond = rbl_maxd(rbl_dot3d(wall->normal, point) - wall->offset, 0.0);
        squared += beyond * beyond;
    }
    return squared;
}

uint32_t rbl_parts_locate(const rblParts* parts, rblVec3d point)
{
    const rblCells* cells = parts->placing->pattern->cells;
    const uint32_t cell = rbl_cells_locate(cells, rbl_into_pattern(parts->placing, point));
    uint32_t best = RBL_NONE;
    double nearest = (double)INFINITY;
    for (uint32_t i = parts->cell_starts[cell]; i < parts->cell_starts[cell + 1]; ++i)
    {
        const uint32_t number = parts->by_cell[i];
        const double squared = squared_distance(parts, &parts->list.data[number], point);
        // Within the shell of a part that lies in another it is that one's.
        if (squared < nearest || (squared == nearest && rbl_part_is_smaller(parts, number, best)))
        {
            nearest = squared;
            best = number;
        }
    }
    return best != RBL_NONE ? parts->list.data[best].piece : RBL_NONE;
}
