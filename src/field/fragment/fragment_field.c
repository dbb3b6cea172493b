#include "field/fragment/fragment_field.h"

#include "math/aabb.h"
#include "math/vec.h"

// Distance to a surface, and the direction to it (any length, correct sign).
typedef struct Offset
{
    rblVec3 normal;
    float distance;
} Offset;

#define NOWHERE ((Offset){{0, 1, 0}, INFINITY}) // no surface found
// ---- distances in a tetrahedron ----

static rblFloat4 dot4(const rblFloat4 a[3], const rblFloat4 b[3])
{
    return rbl_add4(rbl_add4(rbl_mul4(a[0], b[0]), rbl_mul4(a[1], b[1])), rbl_mul4(a[2], b[2]));
}

// To the nearest of four discs.
static Offset nearest_disc(const rblCrackPiece* const pieces[4], rblVec3 p)
{
    rblFloat4 c[4], n[4];
    for (uint32_t i = 0; i < 4; ++i)
    {
        c[i] = rbl_load4(&pieces[i]->center.x);
        n[i] = rbl_load4(&pieces[i]->normal.x);
    }
    rbl_transpose4(&c[0], &c[1], &c[2], &c[3]);
    rbl_transpose4(&n[0], &n[1], &n[2], &n[3]);
    const rblFloat4 zero = rbl_splat4(0.0f);
    const rblFloat4 vector[3] = {rbl_sub4(c[0], rbl_splat4(p.x)), rbl_sub4(c[1], rbl_splat4(p.y)),
                                 rbl_sub4(c[2], rbl_splat4(p.z))};
    const rblFloat4 height = dot4(vector, n);
    const rblFloat4 up = rbl_mul4(height, height);
    const rblFloat4 aside = rbl_sqrt4(rbl_max4(rbl_sub4(dot4(vector, vector), up), zero));
    const rblFloat4 beyond = rbl_max4(rbl_sub4(aside, c[3]), zero);
    const rblFloat4 distance = rbl_sqrt4(rbl_add4(up, rbl_mul4(beyond, beyond)));
    float distances[4], heights[4], shares[4];
    rbl_store4(distances, rbl_select4(rbl_less4(n[3], rbl_splat4(INFINITY)), distance, n[3]));
    rbl_store4(heights, height);
    rbl_store4(shares, rbl_div4(beyond, rbl_max4(aside, rbl_splat4(1e-30f))));
    const uint32_t low = distances[1] < distances[0] ? 1u : 0u;
    const uint32_t high = distances[3] < distances[2] ? 3u : 2u;
    const uint32_t k = distances[high] < distances[low] ? high : low;
    const rblVec3 across = rbl_mul_add3(rbl_sub3(pieces[k]->center, p), -heights[k], pieces[k]->normal);
    return (Offset){rbl_mul_add3(rbl_scale3(pieces[k]->normal, heights[k]), shares[k], across), distances[k]};
}

// To the cracks that the nodes of a tetrahedron in one fragment store.
static Offset crack_within(const rblFragmentEvent* e, uint32_t tet, uint32_t label, rblVec3 p)
{
    static const rblCrackPiece none = {{0, 0, 0}, 0, {0, 1, 0}, INFINITY};
    const uint32_t* nodes = e->background->view->nodes + 4 * (size_t)tet;
    const rblCrackPiece* pieces[4];
    bool any = false;
    for (uint32_t i = 0; i < 4; ++i)
    {
        const uint32_t local = rbl_rank_find(e->node_ranks, nodes[i]);
        pieces[i] = local != RBL_NONE && e->labels[local] == label ? &e->cracks[local] : &none;
        any = any || pieces[i]->distance < INFINITY;
    }
    return any ? nearest_disc(pieces, p) : NOWHERE;
}

// To the original surface, deep inside: the weighted mean of the planes at the nodes (Glondu 2012, Eq. 1 and 2).
//   d(p) = sum w_j (d_j + n_j . (p_j - p)) / sum w_j,   n(p) ~ sum w_j n_j,   w_j = 1 / |p_j - p|^2
static Offset surface_within(const rblBackground* b, uint32_t tet, rblVec3 p)
{
    const uint32_t* nodes = b->view->nodes + 4 * (size_t)tet;
    Offset sum = {{0, 0, 0}, 0};
    float weights = 0.0f;
    for (uint32_t i = 0; i < 4; ++i)
    {
        const rblBackgroundNode* node = &b->nodes[nodes[i]];
        const rblVec3 vector = rbl_sub3(node->position, p);
        const float w = 1.0f / rbl_maxf(rbl_dot3(vector, vector), 1e-12f * b->edge * b->edge);
        sum.normal = rbl_mul_add3(sum.normal, w, node->normal);
        sum.distance += w * (node->distance + rbl_dot3(node->normal, vector));
        weights += w;
    }
    sum.distance /= weights;
    return sum;
}

// The smallest height above the planes of a part: negative outside it.
static Offset lowest_plane(const rblCutPart* part, rblVec3 p)
{
    Offset lowest = NOWHERE;
    for (uint32_t i = 0; i < part->plane_count; ++i)
    {
        const float value = rbl_dot3(part->planes[i].normal, p) + part->planes[i].offset;
        if (value < lowest.distance)
        {
            lowest = (Offset){rbl_neg3(part->planes[i].normal), value};
        }
    }
    return lowest;
}

// ---- location of points ----

// Location of a point relative to cracks.
typedef struct Location
{
    uint32_t tet; // RBL_NONE: outside all tetrahedra, and the members below are not set
    float barycentric[4];
    bool inside; // inside the fragment, without regard to the original surface
    // Inside: to the nearest crack; outside, in a tetrahedron with a part of the fragment: distance beyond its farthest
    // plane, negative; else 0.
    Offset crack;
} Location;

// To the part of a plane that may be crack, for a point at `height` above it.
static Offset offset_to_plane(const rblCutPlane* plane, float height, rblVec3 p)
{
    const rblVec3 down = rbl_scale3(plane->normal, -height);
    const rblVec3 across = rbl_sub3(rbl_sub3(plane->middle, p), down);
    const float square = rbl_dot3(across, across);
    if (square <= plane->reach * plane->reach)
    {
        return (Offset){rbl_neg3(plane->normal), height};
    }
    const float aside = sqrtf(square), beyond = aside - plane->reach;
    return (Offset){rbl_mul_add3(down, beyond / aside, across), sqrtf(height * height + beyond * beyond)};
}

// In a cut tetrahedron its planes decide what is inside. A crack of another tetrahedron may be closer.
static Offset crack_of_part(const rblFragmentEvent* e, uint32_t tet, const rblCutPart* part, rblVec3 p)
{
    const Offset plane = lowest_plane(part, p);
    if (plane.distance < 0.0f)
    {
        return plane;
    }
    Offset nearest = crack_within(e, tet, part->label, p);
    for (uint32_t i = 0; i < part->plane_count; ++i)
    {
        const float height = rbl_dot3(part->planes[i].normal, p) + part->planes[i].offset;
        if (height < nearest.distance)
        {
            const Offset vector = offset_to_plane(&part->planes[i], height, p);
            nearest = vector.distance < nearest.distance ? vector : nearest;
        }
    }
    return nearest;
}

// Whether a tetrahedron has a part of the fragment: the whole tetrahedron (`part` null), or a part.
static bool has_fragment(const rblFragmentField* field, uint32_t tet, const rblCutPart** part)
{
    const rblFragmentEvent* e = field->event;
    const uint32_t local = rbl_rank_find(e->tet_ranks, tet);
    *part = NULL;
    if (local == RBL_NONE)
    {
        return false;
    }
    const uint32_t state = e->states[local];
    if ((state & RBL_CUT) == 0)
    {
        return state == field->label;
    }
    *part = rbl_fragment_part(e, state & ~RBL_CUT, field->label);
    return *part != NULL;
}

// `surface` is the distance to the original surface; points outside it may be outside the mesh, too.
static void look_up(const rblFragmentField* field, rblVec3 p, float surface, Location* location)
{
    const rblFragmentEvent* e = field->event;
    const rblCutPart* part;
    location->inside = false;
    location->crack.distance = 0.0f;
    location->tet = surface > 0.0f ? rbl_background_walk(e->background, p, location->barycentric)
                                   : rbl_background_locate(e->background, p, location->barycentric);
    if (location->tet == RBL_NONE)
    {
        return;
    }
    if (has_fragment(field, location->tet, &part))
    {
        location->crack = part != NULL ? crack_of_part(e, location->tet, part, p)
                                       : crack_within(e, location->tet, field->label, p);
        location->inside = location->crack.distance >= 0.0f;
    }
}

// ---- cells ----

// Radius around the point that cells without the fragment certainly cover, on one level: the eight cells around the
// nearest grid point. 0 if one of them has the fragment.
static float clear_radius_of_level(const rblFragmentField* field, const rblFragmentCells* cells,
                                   uint32_t which, rblVec3 p)
{
    const rblBackground* b = field->event->background;
    const rblCellLevel* level = &b->levels[which];
    const float side = b->cell * (float)(1u << which);
    const float u[3] = {(p.x - b->cell_origin.x) / side, (p.y - b->cell_origin.y) / side,
                        (p.z - b->cell_origin.z) / side};
    int32_t at[3];
    float clear = 1.0f;
    for (uint32_t i = 0; i < 3; ++i)
    {
        const float highest = (float)level->size[i] + 1.0f;
        at[i] = (int32_t)floorf(rbl_clampf(u[i], -1.0f, highest) + 0.5f);
        if (u[i] >= -1.0f && u[i] <= highest)
        {
            clear = rbl_minf(clear, 1.0f - fabsf(u[i] - (float)at[i]));
        }
    }
    for (uint32_t k = 0; k < 8; ++k)
    {
        const int32_t x = at[0] - (int32_t)(k & 1), y = at[1] - (int32_t)(k >> 1 & 1),
                      z = at[2] - (int32_t)(k >> 2);
        if (x >= 0 && y >= 0 && z >= 0 && (uint32_t)x < level->size[0] && (uint32_t)y < level->size[1] &&
            (uint32_t)z < level->size[2] &&
            rbl_fragment_cell_has(cells,
                                  level->first + (uint32_t)x +
                                      level->size[0] * ((uint32_t)y + level->size[1] * (uint32_t)z),
                                  field->label))
        {
            return 0.0f;
        }
    }
    return clear * side;
}

// Without cells the radius is 0.
static float clear_radius(const rblFragmentField* field, rblVec3 p)
{
    const rblFragmentCells* cells = rbl_fragment_event_cells(field->event);
    float clear = 0.0f;
    for (uint32_t level = 0; cells != NULL && level < field->event->background->level_count; ++level)
    {
        const float wider = clear_radius_of_level(field, cells, level, p);
        if (wider <= clear)
        {
            break;
        }
        clear = wider;
    }
    return clear;
}

// ---- distances from outside ----

// Among the borders of a cell, the first of the fragment; or the end, if there is none.
static uint32_t first_border(const rblFragmentCells* cells, uint32_t cell, uint32_t label)
{
    uint32_t begin = cells->first_borders[cell], end = cells->first_borders[cell + 1];
    while (begin < end)
    {
        const uint32_t middle = (begin + end) / 2;
        if (cells->near[middle].label < label)
        {
            begin = middle + 1;
        }
        else
        {
            end = middle;
        }
    }
    return begin;
}

// The nearest of some crack pieces of the fragment, four at a time.
static void search_borders(const rblFragmentField* field, const rblBorder* borders, uint32_t count, rblVec3 p,
                           Offset* nearest)
{
    for (uint32_t first = 0; first < count; first += 4)
    {
        const rblCrackPiece* pieces[4];
        for (uint32_t k = 0; k < 4; ++k)
        {
            pieces[k] = &field->event->pieces[borders[first + k < count ? first + k : first].piece];
        }
        const Offset vector = nearest_disc(pieces, p);
        *nearest = vector.distance < nearest->distance ? vector : *nearest;
    }
}

static void search_cell(const rblFragmentField* field, const rblFragmentCells* cells, uint32_t cell,
                        rblVec3 p, Offset* nearest)
{
    const uint32_t first = first_border(cells, cell, field->label);
    const uint32_t end = first_border(cells, cell, field->label + 1);
    search_borders(field, cells->near + first, end - first, p, nearest);
}

// Distance of a point from a cell.
static float outside_cell(const rblBackground* b, rblVec3 p, const uint32_t at[3])
{
    const rblVec3 low = {b->cell_origin.x + b->cell * (float)at[0], b->cell_origin.y + b->cell * (float)at[1],
                         b->cell_origin.z + b->cell * (float)at[2]};
    const rblVec3 high = {low.x + b->cell, low.y + b->cell, low.z + b->cell};
    return sqrtf(rbl_aabb_distance_squared((rblAabb){low, high}, p));
}

// The nearest crack of the fragment in the eight cells around the nearest grid point, or the radius that these cells
// cover, if that is smaller. The cell of the point is searched first; other cells only if they may have a closer crack.
static Offset nearest_border(const rblFragmentField* field, rblVec3 p)
{
    const rblFragmentEvent* e = field->event;
    const rblBackground* b = e->background;
    if (field->discs != NULL)
    {
        Offset vector;
        vector.distance =
            rbl_nearest_in_blocks(field->discs, field->disc_blocks, p, INFINITY, &vector.normal);
        return vector;
    }
    const rblFragmentCells* cells = rbl_fragment_event_cells(e);
    Offset nearest = {{0, 0, 0}, b->cell};
    if (cells == NULL) // without memory for the cells all pieces are tested; the result is the same
    {
        const uint32_t first = field->label > 0 ? e->label_ends[field->label - 1] : 0;
        search_borders(field, e->by_label + first, e->label_ends[field->label] - first, p, &nearest);
        return nearest;
    }
    const rblVec3 u = rbl_scale3(rbl_sub3(p, b->cell_origin), 1.0f / b->cell);
    const float location[3] = {u.x, u.y, u.z};
    int32_t home[3], beside[3];
    for (uint32_t i = 0; i < 3; ++i)
    {
        const float size = (float)b->levels[0].size[i];
        const float integer = floorf(rbl_clampf(location[i], -2.0f, size + 2.0f));
        home[i] = (int32_t)integer;
        beside[i] = location[i] - integer < 0.5f ? home[i] - 1 : home[i] + 1;
        const float side =
            location[i] - integer < 0.5f ? 1.0f - (location[i] - integer) : location[i] - integer;
        nearest.distance = rbl_minf(b->cell * rbl_maxf(side, 0.0f), nearest.distance);
    }
    for (uint32_t k = 0; k < 8; ++k)
    {
        const int32_t at[3] = {(k & 1) != 0 ? beside[0] : home[0], (k & 2) != 0 ? beside[1] : home[1],
                               (k & 4) != 0 ? beside[2] : home[2]};
        const uint32_t* size = b->levels[0].size;
        const uint32_t cell[3] = {(uint32_t)at[0], (uint32_t)at[1], (uint32_t)at[2]};
        if (at[0] >= 0 && at[1] >= 0 && at[2] >= 0 && cell[0] < size[0] && cell[1] < size[1] &&
            cell[2] < size[2] && outside_cell(b, p, cell) < nearest.distance)
        {
            search_cell(field, cells, cell[0] + size[0] * (cell[1] + size[1] * cell[2]), p, &nearest);
        }
    }
    return nearest;
}

static float exit_at(const rblBackground* b, const Location* location)
{
    const uint32_t* nodes = b->view->nodes + 4 * (size_t)location->tet;
    float exit = 0.0f;
    for (uint32_t i = 0; i < 4; ++i)
    {
        exit += rbl_maxf(location->barycentric[i], 0.0f) * b->nodes[nodes[i]].exit;
    }
    return exit;
}

// Every straight path to the fragment crosses one of its cracks or leaves the mesh.
static float min_distance(const rblFragmentField* field, const Location* location, float crack)
{
    return location->tet == RBL_NONE ? 0.0f : rbl_minf(crack, exit_at(field->event->background, location));
}

// ---- public functions ----

// Depth below the original surface where the grid has only a bound.
static float depth_within(const rblFragmentField* field, const Location* location, rblVec3 p, float bound,
                          rblVec3* normal)
{
    const Offset surface = surface_within(field->event->background, location->tet, p);
    if (surface.distance > bound)
    {
        *normal = surface.normal;
    }
    return rbl_maxf(surface.distance, bound);
}

bool rbl_fragment_inside(const rblFragmentField* field, rblVec3 p)
{
    bool far;
    if (rbl_level_set_distance_only(field->event->background->grid, p, &far) > 0.0f)
    {
        return false;
    }
    float unused[4];
    const rblCutPart* part;
    const uint32_t tet = rbl_background_locate(field->event->background, p, unused);
    return tet != RBL_NONE && has_fragment(field, tet, &part) &&
           (part == NULL || lowest_plane(part, p).distance >= 0.0f);
}

static float box_distance(const rblFragmentField* field, rblVec3 p)
{
    return sqrtf(rbl_aabb_distance_squared(field->bounds, p));
}

// For a point inside, whose distance from the original surface is not positive.
static float depth_at(const rblFragmentField* field, const Location* location, rblVec3 p, float surface,
                      bool far, rblVec3* gradient)
{
    const float crack = rbl_maxf(location->crack.distance, 0.0f);
    const float depth =
        far && crack > -surface ? depth_within(field, location, p, -surface, gradient) : -surface;
    *gradient = rbl_normalize3(crack < depth ? location->crack.normal : *gradient, *gradient);
    return rbl_minf(crack, depth);
}

float rbl_fragment_depth(const rblFragmentField* field, rblVec3 p, rblVec3* gradient)
{
    bool far;
    const rblLevelSet* solid = field->event->background->grid;
    const float surface = rbl_level_set_distance_only(solid, p, &far);
    if (surface > 0.0f)
    {
        return 0.0f;
    }
    Location location;
    look_up(field, p, surface, &location);
    if (!location.inside)
    {
        return 0.0f;
    }
    (void)rbl_level_set_distance(solid, p, gradient);
    return depth_at(field, &location, p, surface, far, gradient);
}

// The direction away from the box; if the point is inside the box, `fallback`.
static rblVec3 away_from_box(const rblFragmentField* field, rblVec3 p, rblVec3 fallback)
{
    const rblVec3 nearest = rbl_min3(rbl_max3(p, field->bounds.lower), field->bounds.upper);
    return rbl_normalize3(rbl_sub3(p, nearest), fallback);
}

static float distance_outside(const rblFragmentField* field, rblVec3 p, const Location* location,
                              float surface, rblVec3* gradient)
{
    const float box = box_distance(field, p);
    const float clear = clear_radius(field, p);
    float distance = surface;
    if (clear == 0.0f)
    {
        const Offset crack = nearest_border(field, p);
        const float least = min_distance(field, location, crack.distance);
        if (least > distance)
        {
            distance = least;
            *gradient = rbl_normalize3(rbl_neg3(crack.normal), *gradient);
        }
    }
    if (rbl_maxf(box, clear) > distance)
    {
        distance = rbl_maxf(box, clear);
        *gradient = away_from_box(field, p, *gradient);
    }
    return distance;
}

float rbl_fragment_distance(const rblFragmentField* field, rblVec3 p, rblVec3* gradient)
{
    const float surface = rbl_level_set_distance(field->event->background->grid, p, gradient);
    Location location;
    look_up(field, p, surface, &location);
    if (!location.inside)
    {
        return distance_outside(field, p, &location, surface, gradient);
    }
    if (surface > 0.0f)
    {
        return surface;
    }
    bool far;
    (void)rbl_level_set_distance_only(field->event->background->grid, p, &far);
    return -depth_at(field, &location, p, surface, far, gradient);
}
