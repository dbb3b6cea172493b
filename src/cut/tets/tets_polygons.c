// Triangles of the surface, cut along the links and sorted by label.
//
// Around a node every cell has one sector. So in a triangle each cell has one incoming and one outgoing half-edge at a
// node, and following them gives the loops around the part of the cell, without geometric decisions. Parts that are not
// convex are triangulated.
#include "cut/pieces/pieces_triangulate.h"
#include "cut/tets/tets_cut_private.h"
#include "math/predicates.h"

typedef struct HalfEdge
{
    uint32_t cell, from, to; // vertices
} HalfEdge;

typedef struct Loop
{
    uint32_t cell;
    uint32_t first, end; // range in `ring`
    double area;
    bool used;
} Loop;

typedef struct PolygonWork
{
    rblTetsCut* work;
    uint32_t* side_starts; // per side: its first intersection in `side_order`; one more entry for the end
    uint32_t* side_order;  // intersections, from the lower vertex to the higher
    uint32_t* link_starts; // per mixed triangle: its first link; one more entry for the end
    uint32_t* link_order;
    uint32_t* next; // per element: end of its half-edge in the current triangle; RBL_NONE: none
    RBL_ARRAY(HalfEdge) half_edges;
    RBL_ARRAY(Loop) loops;
    rblIndexArray ring;
    rblVec3d normal; // of the current triangle
    uint32_t axis;   // axis of the largest component of `normal`
    rblCrackClipper clipper;
    rblIndexArray face_starts, face_corners; // loops of the face that is triangulated
} PolygonWork;

// ---- labels of vertices ----

// The cell of a vertex by the rule of the partition, at the position relative to the shifted cracks.
static uint32_t cell_at(const rblTetsCut* work, uint32_t vertex)
{
    const uint32_t tet = work->surface->vertex_tets.data[vertex];
    uint32_t label, event;
    if (tet == RBL_NONE || rbl_tets_is_whole(work->partition, tet, &label, &event))
    {
        return tet == RBL_NONE ? 0 : rbl_tets_cut_cell(work, label, event);
    }
    rblVec3d corners[4];
    double barycentric[4];
    rblTetRule rule;
    rbl_tet_corners(work->partition->tets, tet, corners);
    rbl_tets_rule(work->partition, tet, &rule);
    const rblVec3d at = rbl_sub3d(work->cut->surface->positions[vertex], work->shift);
    rbl_tet_barycentric(corners, at, barycentric);
    const uint32_t part = rbl_tet_part(&rule, barycentric);
    return rbl_tets_cut_cell(work, rule.labels[part], rule.events[part]);
}

static const uint32_t* intersection_cells(const rblTetsCut* work, const rblSideIntersection* intersection)
{
    return work->facets.data[intersection->facet].cells;
}

// The rule of the partition has rounding errors. If a side of the vertex intersects a crack, that intersection gives
// the exact cell.
static bool label_vertices(PolygonWork* polygons)
{
    rblTetsCut* work = polygons->work;
    rblCut* cut = work->cut;
    cut->labels = RBL_ARENA_ARRAY(cut->arena, uint32_t, cut->vertex_count);
    if (cut->labels == NULL)
    {
        return false;
    }
    for (uint32_t v = 0; v < cut->vertex_count; ++v)
    {
        cut->labels[v] = cell_at(work, v);
    }
    for (uint32_t s = 0; s < work->side_heads.count; ++s)
    {
        const uint32_t begin = polygons->side_starts[s], end = polygons->side_starts[s + 1];
        const rblSideIntersection* first = &work->side_intersections.data[polygons->side_order[begin]];
        const rblSideIntersection* last = &work->side_intersections.data[polygons->side_order[end - 1]];
        const uint32_t* ends = cut->origins.data[first->node].ends;
        cut->labels[ends[0]] = intersection_cells(work, first)[first->rises ? 0 : 1];
        cut->labels[ends[1]] = intersection_cells(work, last)[last->rises ? 1 : 0];
    }
    return true;
}

// ---- order along sides ----

// Insertion sort, since sides have few intersections. Returns false if two are at the same position.
static bool sort_side(const PolygonWork* polygons, uint32_t side)
{
    const rblTetsCut* work = polygons->work;
    const uint32_t begin = polygons->side_starts[side], end = polygons->side_starts[side + 1];
    uint32_t* order = polygons->side_order;
    for (uint32_t n = begin + 1; n < end; ++n)
    {
        const uint32_t own = order[n];
        const rblSideIntersection* intersection = &work->side_intersections.data[own];
        const uint32_t* ends = work->cut->origins.data[intersection->node].ends;
        const rblVec3d p = work->cut->surface->positions[ends[0]], q = work->cut->surface->positions[ends[1]];
        rblVec3d own_triangle[3], other_triangle[3];
        rbl_crack_half(work, intersection->facet, intersection->half, own_triangle);
        uint32_t at = n;
        for (; at > begin; --at)
        {
            const rblSideIntersection* before = &work->side_intersections.data[order[at - 1]];
            rbl_crack_half(work, before->facet, before->half, other_triangle);
            const int first = rbl_crossing_order(p, q, own_triangle, other_triangle);
            if (first == 0)
            {
                return false;
            }
            if (first > 0)
            {
                break;
            }
            order[at] = order[at - 1];
        }
        order[at] = own;
    }
    return true;
}

static rblCutStatus sort_sides(PolygonWork* polygons)
{
    const rblTetsCut* work = polygons->work;
    const uint32_t side_count = (uint32_t)work->side_heads.count;
    uint32_t* starts = RBL_ARENA_ARRAY(work->cut->arena, uint32_t, (size_t)side_count + 2);
    polygons->side_order = RBL_ARENA_ARRAY(work->cut->arena, uint32_t, work->side_intersections.count + 1);
    if (starts == NULL || polygons->side_order == NULL)
    {
        return RBL_CUT_MEMORY;
    }
    polygons->side_starts = starts;
    memset(starts, 0, sizeof *starts * ((size_t)side_count + 2));
    for (size_t n = 0; n < work->side_intersections.count; ++n)
    {
        starts[work->side_intersections.data[n].side + 2] += 1;
    }
    for (uint32_t s = 0; s < side_count; ++s)
    {
        starts[s + 2] += starts[s + 1];
    }
    for (uint32_t n = 0; n < work->side_intersections.count; ++n)
    {
        polygons->side_order[starts[work->side_intersections.data[n].side + 1]++] = n;
    }
    bool generic = true;
    for (uint32_t s = 0; s < side_count && generic; ++s)
    {
        generic = sort_side(polygons, s);
    }
    return generic ? RBL_CUT_OK : RBL_CUT_TIE;
}

// ---- half-edges ----

static bool add_half_edge(PolygonWork* polygons, uint32_t cell, uint32_t from, uint32_t to)
{
    return rbl_array_push(&polygons->half_edges, ((HalfEdge){cell, from, to}));
}

// Half-edges of side k of a triangle, one per cell that it passes through.
static rblCutStatus add_side(PolygonWork* polygons, uint32_t triangle, uint32_t k)
{
    const rblTetsCut* work = polygons->work;
    const rblCut* cut = work->cut;
    const uint32_t* vertices = cut->triangle_vertices + 3 * (size_t)triangle;
    const uint32_t a = vertices[k], b = vertices[(k + 1) % 3];
    const uint32_t side = work->side_numbers[work->surface->side_indices.data[3 * (size_t)triangle + k]];
    uint32_t cell = cut->labels[a], from = a;
    bool stored = true;
    const uint32_t begin = side == RBL_NONE ? 0 : polygons->side_starts[side];
    const uint32_t end = side == RBL_NONE ? 0 : polygons->side_starts[side + 1];
    for (uint32_t n = begin; n < end; ++n)
    {
        const rblSideIntersection* intersection =
            &work->side_intersections.data[polygons->side_order[a < b ? n : end - 1 - (n - begin)]];
        const bool rises = intersection->rises == (a < b);
        if (intersection_cells(work, intersection)[rises ? 0 : 1] != cell)
        {
            return RBL_CUT_TIE;
        }
        const uint32_t to = cut->vertex_count + intersection->node;
        stored = stored && add_half_edge(polygons, cell, from, to);
        from = to;
        cell = intersection_cells(work, intersection)[rises ? 1 : 0];
    }
    stored = stored && add_half_edge(polygons, cell, from, b);
    return !stored ? RBL_CUT_MEMORY : (cell == cut->labels[b] ? RBL_CUT_OK : RBL_CUT_TIE);
}

static rblCutStatus collect_half_edges(PolygonWork* polygons, uint32_t mixed)
{
    const rblCut* cut = polygons->work->cut;
    rbl_array_clear(&polygons->half_edges);
    rblCutStatus status = RBL_CUT_OK;
    for (uint32_t k = 0; k < 3 && status == RBL_CUT_OK; ++k)
    {
        status = add_side(polygons, cut->mixed[mixed], k);
    }
    bool stored = true;
    for (uint32_t n = polygons->link_starts[mixed]; n < polygons->link_starts[mixed + 1] && stored; ++n)
    {
        const rblCutLink* link = &cut->links.data[polygons->link_order[n]];
        const uint32_t* cells = cut->cells->facets[link->facet].cells;
        stored = add_half_edge(polygons, cells[0], link->to, link->from) &&
                 add_half_edge(polygons, cells[1], link->from, link->to);
    }
    return stored ? status : RBL_CUT_MEMORY;
}

// ---- loops ----

static void flatten(const PolygonWork* polygons, uint32_t vertex, double out[2])
{
    const rblVec3d p = rbl_cut_position(polygons->work->cut, vertex);
    const double x = polygons->axis == 0 ? p.y : (polygons->axis == 1 ? p.z : p.x);
    const double y = polygons->axis == 0 ? p.z : (polygons->axis == 1 ? p.x : p.y);
    const rblVec3d n = polygons->normal;
    const double along = polygons->axis == 0 ? n.x : (polygons->axis == 1 ? n.y : n.z);
    out[0] = along > 0.0 ? x : y;
    out[1] = along > 0.0 ? y : x;
}

// Twice the area, along the normal of the triangle.
static double loop_area(const PolygonWork* polygons, const Loop* loop)
{
    double origin[2], before[2] = {0, 0}, sum = 0.0;
    flatten(polygons, polygons->ring.data[loop->first], origin);
    for (uint32_t n = loop->first + 1; n < loop->end; ++n)
    {
        double at[2];
        flatten(polygons, polygons->ring.data[n], at);
        at[0] -= origin[0];
        at[1] -= origin[1];
        sum += before[0] * at[1] - before[1] * at[0];
        before[0] = at[0];
        before[1] = at[1];
    }
    return sum;
}

static rblCutStatus trace_loop(PolygonWork* polygons, const HalfEdge* start)
{
    const rblCut* cut = polygons->work->cut;
    Loop loop = {.cell = start->cell, .first = (uint32_t)polygons->ring.count};
    uint32_t vertex = start->from;
    do
    {
        uint32_t* next = &polygons->next[rbl_cut_element(cut, vertex, start->cell)];
        if (*next == RBL_NONE || !rbl_array_push(&polygons->ring, vertex))
        {
            return *next == RBL_NONE ? RBL_CUT_OPEN : RBL_CUT_MEMORY;
        }
        vertex = *next;
        *next = RBL_NONE;
    } while (vertex != start->from);
    loop.end = (uint32_t)polygons->ring.count;
    loop.area = loop_area(polygons, &loop);
    return rbl_array_push(&polygons->loops, loop) ? RBL_CUT_OK : RBL_CUT_MEMORY;
}

static rblCutStatus trace_loops(PolygonWork* polygons)
{
    const rblCut* cut = polygons->work->cut;
    rbl_array_clear(&polygons->loops);
    rbl_array_clear(&polygons->ring);
    for (size_t n = 0; n < polygons->half_edges.count; ++n)
    {
        const HalfEdge* edge = &polygons->half_edges.data[n];
        uint32_t* next = &polygons->next[rbl_cut_element(cut, edge->from, edge->cell)];
        if (*next != RBL_NONE)
        {
            return RBL_CUT_OPEN;
        }
        *next = edge->to;
    }
    rblCutStatus status = RBL_CUT_OK;
    for (size_t n = 0; n < polygons->half_edges.count && status == RBL_CUT_OK; ++n)
    {
        const HalfEdge* edge = &polygons->half_edges.data[n];
        if (polygons->next[rbl_cut_element(cut, edge->from, edge->cell)] != RBL_NONE)
        {
            status = trace_loop(polygons, edge);
        }
    }
    return status;
}

// ---- faces ----

static rblCutStatus add_polygon(PolygonWork* polygons, uint32_t triangle, uint32_t cell,
                                const uint32_t* corners, uint32_t count)
{
    rblCut* cut = polygons->work->cut;
    bool stored = rbl_array_push(&cut->polygons, ((rblCutPolygon){triangle, cell})) &&
                  rbl_array_push(&cut->loop_starts, (uint32_t)cut->corners.count);
    for (uint32_t n = 0; n < count; ++n)
    {
        stored = stored && rbl_array_push(&cut->corners, corners[n]);
    }
    return stored ? RBL_CUT_OK : RBL_CUT_MEMORY;
}

static bool is_convex(const PolygonWork* polygons, const Loop* loop)
{
    const uint32_t* ring = polygons->ring.data + loop->first;
    const uint32_t count = loop->end - loop->first;
    double a[2], b[2], c[2];
    flatten(polygons, ring[count - 2], a);
    flatten(polygons, ring[count - 1], b);
    bool convex = true;
    for (uint32_t n = 0; n < count && convex; ++n)
    {
        flatten(polygons, ring[n], c);
        convex = rbl_orient2d(a, b, c) > 0.0;
        memcpy(a, b, sizeof a);
        memcpy(b, c, sizeof b);
    }
    return convex;
}

static bool encloses(const PolygonWork* polygons, const Loop* loop, const double at[2])
{
    bool inside = false;
    double a[2], b[2];
    flatten(polygons, polygons->ring.data[loop->end - 1], a);
    for (uint32_t n = loop->first; n < loop->end; ++n)
    {
        flatten(polygons, polygons->ring.data[n], b);
        const bool up = a[1] <= at[1] && b[1] > at[1], down = b[1] <= at[1] && a[1] > at[1];
        const double side = up || down ? rbl_orient2d(a, b, at) : 0.0;
        inside = inside != ((up && side > 0.0) || (down && side < 0.0));
        memcpy(a, b, sizeof a);
    }
    return inside;
}

// The smallest loop of the hole's cell that encloses it; the largest loop if rounding finds none.
static uint32_t loop_around(const PolygonWork* polygons, const Loop* hole)
{
    double at[2];
    flatten(polygons, polygons->ring.data[hole->first], at);
    uint32_t around = RBL_NONE, largest = RBL_NONE;
    for (uint32_t n = 0; n < polygons->loops.count; ++n)
    {
        const Loop* loop = &polygons->loops.data[n];
        if (loop->cell != hole->cell || !(loop->area > 0.0))
        {
            continue;
        }
        const Loop* loops = polygons->loops.data;
        largest = largest == RBL_NONE || loop->area > loops[largest].area ? n : largest;
        const bool smaller = around == RBL_NONE || loop->area < loops[around].area;
        around = smaller && encloses(polygons, loop, at) ? n : around;
    }
    return around != RBL_NONE ? around : largest;
}

static bool append_loop(PolygonWork* polygons, const Loop* loop)
{
    bool stored = rbl_array_push(&polygons->face_starts, (uint32_t)polygons->face_corners.count);
    for (uint32_t n = loop->first; n < loop->end && stored; ++n)
    {
        stored = rbl_array_push(&polygons->face_corners, polygons->ring.data[n]);
    }
    return stored;
}

// Triangulate the loops of face_starts.
static rblCutStatus add_triangles(PolygonWork* polygons, uint32_t triangle, uint32_t cell)
{
    const rblCut* cut = polygons->work->cut;
    const uint32_t loop_count = (uint32_t)polygons->face_starts.count;
    if (!rbl_array_push(&polygons->face_starts, (uint32_t)polygons->face_corners.count))
    {
        return RBL_CUT_MEMORY;
    }
    const rblPieces flat = {.surface_vertex_count = cut->vertex_count,
                            .vertices = cut->positions.data,
                            .loop_starts = polygons->face_starts.data,
                            .corners = polygons->face_corners.data,
                            .vertex_count = (uint32_t)cut->nodes.count,
                            .loop_count = loop_count,
                            .corner_count = (uint32_t)polygons->face_corners.count};
    const rblPieceFace face = {.triangle = triangle, .end_loop = loop_count};
    if (!rbl_crack_triangulate(&polygons->clipper, &flat, cut->surface, &face, polygons->normal))
    {
        return RBL_CUT_MEMORY;
    }
    rblCutStatus status = polygons->clipper.repeats ? RBL_CUT_TIE : RBL_CUT_OK;
    for (size_t n = 0; n + 2 < polygons->clipper.triangles.count && status == RBL_CUT_OK; n += 3)
    {
        status = add_polygon(polygons, triangle, cell, polygons->clipper.triangles.data + n, 3);
    }
    return status;
}

static rblCutStatus add_face(PolygonWork* polygons, uint32_t triangle, uint32_t outer, bool holes)
{
    const Loop* loop = &polygons->loops.data[outer];
    if (!holes && is_convex(polygons, loop))
    {
        return add_polygon(polygons, triangle, loop->cell, polygons->ring.data + loop->first,
                           loop->end - loop->first);
    }
    rbl_array_clear(&polygons->face_starts);
    rbl_array_clear(&polygons->face_corners);
    bool stored = append_loop(polygons, loop);
    for (uint32_t n = 0; n < polygons->loops.count && holes; ++n)
    {
        Loop* hole = &polygons->loops.data[n];
        if (hole->cell == loop->cell && !(hole->area > 0.0) && !hole->used &&
            loop_around(polygons, hole) == outer)
        {
            hole->used = true;
            stored = stored && append_loop(polygons, hole);
        }
    }
    return stored ? add_triangles(polygons, triangle, loop->cell) : RBL_CUT_MEMORY;
}

// Clockwise loops are holes. Exception: the only loop of a cell is clockwise only by rounding.
static rblCutStatus add_faces(PolygonWork* polygons, uint32_t triangle)
{
    rblCutStatus status = RBL_CUT_OK;
    for (uint32_t n = 0; n < polygons->loops.count && status == RBL_CUT_OK; ++n)
    {
        const Loop* loop = &polygons->loops.data[n];
        bool outers = false, holes = false;
        for (uint32_t m = 0; m < polygons->loops.count; ++m)
        {
            const Loop* other = &polygons->loops.data[m];
            outers = outers || (other->cell == loop->cell && other->area > 0.0);
            holes = holes || (other->cell == loop->cell && !(other->area > 0.0));
        }
        if (loop->area > 0.0 || !outers)
        {
            status = add_face(polygons, triangle, n, holes && outers);
        }
    }
    return status;
}

static void set_triangle(PolygonWork* polygons, uint32_t triangle)
{
    rblVec3d p[3];
    rbl_tets_cut_triangle(polygons->work, triangle, p);
    polygons->normal =
        rbl_normalize3d(rbl_cross3d(rbl_sub3d(p[1], p[0]), rbl_sub3d(p[2], p[0])), rbl_vec3d(0, 0, 1));
    const rblVec3d n = {fabs(polygons->normal.x), fabs(polygons->normal.y), fabs(polygons->normal.z)};
    polygons->axis = n.x >= n.y && n.x >= n.z ? 0 : (n.y >= n.z ? 1 : 2);
}

static rblCutStatus cut_triangle(PolygonWork* polygons, uint32_t mixed)
{
    const uint32_t triangle = polygons->work->cut->mixed[mixed];
    set_triangle(polygons, triangle);
    rblCutStatus status = collect_half_edges(polygons, mixed);
    status = status == RBL_CUT_OK ? trace_loops(polygons) : status;
    return status == RBL_CUT_OK ? add_faces(polygons, triangle) : status;
}

// ---- triangles that are not cut ----

static rblCutStatus sort_uncut(PolygonWork* polygons, const uint32_t* mixed_numbers)
{
    rblCut* cut = polygons->work->cut;
    const uint32_t cell_count = cut->cells->count;
    uint32_t* starts = RBL_ARENA_ARRAY(cut->arena, uint32_t, (size_t)cell_count + 2);
    cut->uncut = RBL_ARENA_ARRAY(cut->arena, uint32_t, (size_t)cut->triangle_count + 1);
    if (starts == NULL || cut->uncut == NULL)
    {
        return RBL_CUT_MEMORY;
    }
    memset(starts, 0, sizeof *starts * ((size_t)cell_count + 2));
    for (uint32_t t = 0; t < cut->triangle_count; ++t)
    {
        const uint32_t* v = cut->triangle_vertices + 3 * (size_t)t;
        if (mixed_numbers[t] != RBL_NONE)
        {
            continue;
        }
        if (cut->labels[v[0]] != cut->labels[v[1]] || cut->labels[v[1]] != cut->labels[v[2]])
        {
            return RBL_CUT_TIE;
        }
        starts[cut->labels[v[0]] + 2] += 1;
    }
    for (uint32_t c = 0; c < cell_count; ++c)
    {
        starts[c + 2] += starts[c + 1];
    }
    for (uint32_t t = 0; t < cut->triangle_count; ++t)
    {
        if (mixed_numbers[t] == RBL_NONE)
        {
            cut->uncut[starts[cut->labels[cut->triangle_vertices[3 * (size_t)t]] + 1]++] = t;
        }
    }
    cut->uncut_starts = starts;
    return RBL_CUT_OK;
}

// Sort the triangles with links by index, and their links. `numbers`: per triangle its index among these.
static rblCutStatus sort_links(PolygonWork* polygons, uint32_t* numbers)
{
    rblCut* cut = polygons->work->cut;
    const uint32_t* link_triangles = polygons->work->link_triangles.data;
    const size_t link_count = cut->links.count;
    memset(numbers, 0xFF, sizeof *numbers * cut->triangle_count);
    for (size_t n = 0; n < link_count; ++n)
    {
        numbers[link_triangles[n]] = 0;
    }
    for (uint32_t t = 0; t < cut->triangle_count; ++t)
    {
        numbers[t] = numbers[t] == 0 ? cut->mixed_count++ : RBL_NONE;
    }
    cut->mixed = RBL_ARENA_ARRAY(cut->arena, uint32_t, (size_t)cut->mixed_count + 1);
    uint32_t* starts = RBL_ARENA_ARRAY(cut->arena, uint32_t, (size_t)cut->mixed_count + 2);
    polygons->link_order = RBL_ARENA_ARRAY(cut->arena, uint32_t, link_count + 1);
    if (cut->mixed == NULL || starts == NULL || polygons->link_order == NULL)
    {
        return RBL_CUT_MEMORY;
    }
    memset(starts, 0, sizeof *starts * ((size_t)cut->mixed_count + 2));
    for (size_t n = 0; n < link_count; ++n)
    {
        const uint32_t number = numbers[link_triangles[n]];
        cut->mixed[number] = link_triangles[n];
        starts[number + 2] += 1;
    }
    for (uint32_t m = 0; m < cut->mixed_count; ++m)
    {
        starts[m + 2] += starts[m + 1];
    }
    for (uint32_t n = 0; n < link_count; ++n)
    {
        polygons->link_order[starts[numbers[link_triangles[n]] + 1]++] = n;
    }
    polygons->link_starts = starts;
    return RBL_CUT_OK;
}

// ---- stage ----

static rblCutStatus cut_triangles(PolygonWork* polygons)
{
    rblCut* cut = polygons->work->cut;
    const size_t elements = cut->vertex_count + 4 * cut->nodes.count + 1;
    uint32_t* numbers = RBL_ARENA_ARRAY(cut->arena, uint32_t, (size_t)cut->triangle_count + 1);
    polygons->next = RBL_ARENA_ARRAY(cut->arena, uint32_t, elements);
    if (numbers == NULL || polygons->next == NULL)
    {
        return RBL_CUT_MEMORY;
    }
    memset(polygons->next, 0xFF, sizeof *polygons->next * elements);
    rblCutStatus status = sort_sides(polygons);
    status = status == RBL_CUT_OK && !label_vertices(polygons) ? RBL_CUT_MEMORY : status;
    status = status == RBL_CUT_OK ? sort_links(polygons, numbers) : status;
    status = status == RBL_CUT_OK ? sort_uncut(polygons, numbers) : status;
    for (uint32_t m = 0; m < cut->mixed_count && status == RBL_CUT_OK; ++m)
    {
        status = cut_triangle(polygons, m);
    }
    return status;
}

rblCutStatus rbl_tets_cut_polygons(rblTetsCut* work)
{
    const rblAllocator* allocator = work->cut->allocator;
    PolygonWork polygons = {.work = work};
    rbl_array_init(&polygons.half_edges, allocator);
    rbl_array_init(&polygons.loops, allocator);
    rbl_array_init(&polygons.ring, allocator);
    rbl_array_init(&polygons.face_starts, allocator);
    rbl_array_init(&polygons.face_corners, allocator);
    rbl_crack_clipper_init(&polygons.clipper, allocator);
    const rblCutStatus status = cut_triangles(&polygons);
    rbl_array_free(&polygons.half_edges);
    rbl_array_free(&polygons.loops);
    rbl_array_free(&polygons.ring);
    rbl_array_free(&polygons.face_starts);
    rbl_array_free(&polygons.face_corners);
    rbl_crack_clipper_free(&polygons.clipper);
    return status;
}
