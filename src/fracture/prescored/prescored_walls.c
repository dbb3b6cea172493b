// Separation of parts in one cell: by their boxes (two legs of a table), or by a plane between them. A part in a cavity of another has no
// such plane: it gets a shell of planes around it, and the inside of the shell is removed from the other part.
#include "base/error.h"
#include "fracture/prescored/prescored_private.h"
#include "math/aabb.h"

#define MAX_WALL_STEPS 64 // iterations of the search for a separating plane
#define MAX_HOLES                                                                                            \
    2u // per part: each divides the rest of the part into as many convex cells as its shell has planes

typedef RBL_ARRAY(rblVec3d) PointList;

static bool gather_points(const rblParts* parts, const rblPart* part, PointList* out)
{
    const rblPieces* pieces = parts->breakage->pieces;
    const rblPiece* piece = &pieces->pieces[part->piece];
    bool good = true;
    for (uint32_t i = piece->first_face; i < piece->end_face && good; ++i)
    {
        const rblPieceFace* face = &pieces->faces[i];
        const uint32_t end = pieces->loop_starts[face->end_loop];
        for (uint32_t k = pieces->loop_starts[face->first_loop]; k < end && good && face->cell == part->cell;
             ++k)
        {
            good = rbl_array_push(out, rbl_breakage_position(parts->breakage, pieces->corners[k]));
        }
    }
    for (uint32_t i = piece->first_triangle; i < piece->end_triangle && good; ++i)
    {
        for (uint32_t k = 0; k < 3 && good && pieces->triangle_cells[i] == part->cell; ++k)
        {
            good = rbl_array_push(out, rbl_parts_triangle_corner(parts, i, k));
        }
    }
    return good;
}

// The point farthest along a direction.
static rblVec3d farthest(const PointList* points, rblVec3d direction)
{
    rblVec3d best = points->data[0];
    for (size_t i = 1; i < points->count; ++i)
    {
        best = rbl_dot3d(points->data[i], direction) > rbl_dot3d(best, direction) ? points->data[i] : best;
    }
    return best;
}

// Rotate a plane until `inner` is behind it and `outer` in front of it: each iteration uses the pair of points with the largest error
// (Rosenblatt 1958).
static bool find_wall(const PointList* inner, const PointList* outer, rblWall* wall)
{
    rblVec3d n = rbl_sub3d(outer->data[0], inner->data[0]);
    for (int step = 0; step < MAX_WALL_STEPS; ++step)
    {
        const double length = rbl_length3d(n);
        if (!(length > 0.0))
        {
            return false;
        }
        n = rbl_scale3d(n, 1.0 / length);
        const rblVec3d a = farthest(inner, n);
        const rblVec3d b = farthest(outer, rbl_scale3d(n, -1.0));
        const rblVec3d gap = rbl_sub3d(b, a);
        if (rbl_dot3d(gap, n) > 0.0)
        {
            *wall = (rblWall){.normal = n, .offset = 0.5 * (rbl_dot3d(a, n) + rbl_dot3d(b, n))};
            return true;
        }
        n = rbl_add3d(n, rbl_normalize3d(gap, (rblVec3d){0, 1, 0}));
    }
    return false;
}

// Faces, edges and corners of a cube give the 26 directions.
static bool add_shell(rblParts* parts, const PointList* points)
{
    bool good = true;
    for (int k = 0; k < 27 && good; ++k)
    {
        const rblVec3d way = {k % 3 - 1, k / 3 % 3 - 1, k / 9 - 1};
        if (k != 13)
        {
            const rblVec3d n = rbl_normalize3d(way, way);
            const rblWall wall = {.normal = n, .offset = rbl_dot3d(farthest(points, n), n), .shell = true};
            good = rbl_array_push(&parts->walls, wall);
        }
    }
    return good;
}

bool rbl_part_is_smaller(const rblParts* parts, uint32_t a, uint32_t b)
{
    const rblVec3d p = rbl_aabbd_size(parts->list.data[a].box);
    const rblVec3d q = rbl_aabbd_size(parts->list.data[b].box);
    const double first = p.x * p.y * p.z;
    const double second = q.x * q.y * q.z;
    return first < second || (first == second && a < b);
}

// Separate the first of two parts with overlapping boxes: it gets a wall, a hole, or needs a shell.
static bool part_two(rblParts* parts, uint32_t number, uint32_t other, const PointList* inner, bool* shell)
{
    PointList outer;
    rblWall wall;
    rblPart* part = &parts->list.data[number];
    rbl_array_init(&outer, parts->allocator);
    bool good = gather_points(parts, &parts->list.data[other], &outer);
    if (good && outer.count > 0)
    {
        if (find_wall(inner, &outer, &wall))
        {
            good = rbl_array_push(&parts->walls, wall);
        }
        else if (rbl_part_is_smaller(parts, number, other))
        {
            *shell = true;
        }
        else if (parts->holes.count - part->first_hole < MAX_HOLES)
        {
            good = rbl_array_push(&parts->holes, other);
        }
    }
    rbl_array_free(&outer);
    return good;
}

static bool build_walls(rblParts* parts, uint32_t cell, uint32_t number)
{
    PointList inner;
    bool good = true;
    bool shell = false;
    rblPart* part = &parts->list.data[number];
    rbl_array_init(&inner, parts->allocator);
    for (uint32_t i = parts->cell_starts[cell]; i < parts->cell_starts[cell + 1] && good; ++i)
    {
        const uint32_t other = parts->by_cell[i];
        if (parts->list.data[other].piece == part->piece ||
            !rbl_aabbd_overlaps(parts->list.data[other].box, part->box))
        {
            continue;
        }
        good = inner.count > 0 || gather_points(parts, part, &inner);
        good = good && (inner.count == 0 || part_two(parts, number, other, &inner, &shell));
    }
    good = good && (!shell || add_shell(parts, &inner));
    rbl_array_free(&inner);
    return good;
}

rblResult rbl_parts_tell_apart(rblParts* parts)
{
    const uint32_t cell_count = parts->placing->pattern->cells->count;
    for (uint32_t c = 0; c < cell_count; ++c)
    {
        const uint32_t count = parts->cell_starts[c + 1] - parts->cell_starts[c];
        for (uint32_t i = parts->cell_starts[c]; i < parts->cell_starts[c + 1]; ++i)
        {
            rblPart* part = &parts->list.data[parts->by_cell[i]];
            part->alone = count == 1;
            part->first_wall = (uint32_t)parts->walls.count;
            part->first_hole = (uint32_t)parts->holes.count;
            if (!part->alone && !build_walls(parts, c, parts->by_cell[i]))
            {
                return rbl_fail_memory();
            }
            part->end_wall = (uint32_t)parts->walls.count;
            part->end_hole = (uint32_t)parts->holes.count;
        }
    }
    return RBL_OK;
}
