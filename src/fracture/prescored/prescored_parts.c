// The cells of a piece, and the separation of pieces that share a cell.
#include "base/error.h"
#include "field/shape.h"
#include "fracture/prescored/prescored_private.h"
#include "math/aabb.h"
#include "math/vec.h"
#include <string.h>

// A piece has a part in every cell that a face or a triangle of it is in. `part_of` is per cell, 0 at first: part + 1 of the
// last piece there.
static bool add_part(rblParts* parts, uint32_t* part_of, uint32_t first, uint32_t piece, uint32_t cell)
{
    if (part_of[cell] > first)
    {
        return true;
    }
    const rblPart part = {.piece = piece, .cell = cell, .box = parts->breakage->pieces->pieces[piece].bounds};
    part_of[cell] = (uint32_t)parts->list.count + 1;
    return rbl_array_push(&parts->list, part);
}

static rblResult find_parts(rblParts* parts, uint32_t* part_of)
{
    const rblPieces* pieces = parts->breakage->pieces;
    bool good = true;
    for (uint32_t p = 0; p < pieces->piece_count && good; ++p)
    {
        const uint32_t first = (uint32_t)parts->list.count;
        for (uint32_t i = pieces->pieces[p].first_face; i < pieces->pieces[p].end_face && good; ++i)
        {
            good = add_part(parts, part_of, first, p, pieces->faces[i].cell);
        }
        for (uint32_t i = pieces->pieces[p].first_triangle; i < pieces->pieces[p].end_triangle && good; ++i)
        {
            good = add_part(parts, part_of, first, p, pieces->triangle_cells[i]);
        }
    }
    return good ? RBL_OK : rbl_fail_memory();
}

// ---- boxes of parts that share a cell ----

static rblPart* shared_part(rblParts* parts, uint32_t piece, uint32_t cell)
{
    const uint32_t begin = parts->cell_starts[cell];
    const uint32_t end = parts->cell_starts[cell + 1];
    for (uint32_t i = begin; i < end && end > begin + 1; ++i)
    {
        rblPart* part = &parts->list.data[parts->by_cell[i]];
        if (part->piece == piece)
        {
            return part;
        }
    }
    return NULL;
}

static void measure_faces(rblParts* parts, uint32_t piece)
{
    const rblPieces* pieces = parts->breakage->pieces;
    for (uint32_t f = pieces->pieces[piece].first_face; f < pieces->pieces[piece].end_face; ++f)
    {
        const rblPieceFace* face = &pieces->faces[f];
        rblPart* part = shared_part(parts, piece, face->cell);
        const uint32_t end = part != NULL ? pieces->loop_starts[face->end_loop] : 0;
        for (uint32_t k = pieces->loop_starts[face->first_loop]; k < end; ++k)
        {
            part->box = rbl_aabbd_add(part->box, rbl_breakage_position(parts->breakage, pieces->corners[k]));
        }
    }
}

static void measure_triangles(rblParts* parts, uint32_t piece)
{
    const rblPieces* pieces = parts->breakage->pieces;
    for (uint32_t t = pieces->pieces[piece].first_triangle; t < pieces->pieces[piece].end_triangle; ++t)
    {
        rblPart* part = shared_part(parts, piece, pieces->triangle_cells[t]);
        for (uint32_t k = 0; k < 3 && part != NULL; ++k)
        {
            part->box = rbl_aabbd_add(part->box, rbl_parts_triangle_corner(parts, t, k));
        }
    }
}

// Most parts are alone in their cell and need no box.
static void measure_parts(rblParts* parts)
{
    for (uint32_t p = 0; p < parts->breakage->pieces->piece_count; ++p)
    {
        bool shares = false;
        for (uint32_t i = parts->piece_starts[p]; i < parts->piece_starts[p + 1]; ++i)
        {
            rblPart* part = shared_part(parts, p, parts->list.data[i].cell);
            if (part != NULL)
            {
                part->box = rbl_aabbd_empty();
                shares = true;
            }
        }
        if (shares)
        {
            measure_faces(parts, p);
            measure_triangles(parts, p);
        }
    }
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

// A cell in the middle of a region that lies wholly in the solid has no faces; it belongs to the piece of its neighbours.
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

// ---- the whole ----

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
    measure_parts(parts);
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
        // Inside the shell of a part within another part, the point belongs to the inner part.
        if (squared < nearest || (squared == nearest && rbl_part_is_smaller(parts, number, best)))
        {
            nearest = squared;
            best = number;
        }
    }
    return best != RBL_NONE ? parts->list.data[best].piece : RBL_NONE;
}
