// Holes: boundary loops, split where they pass a vertex twice, and filled with triangles.
#include "base/error.h"
#include "base/hash_map.h"
#include "math/triangle_intersection.h"
#include "math/vec.h"
#include "mesh/repair/repair.h"
#include "mesh/repair/repair_fill.h"
#include <string.h>

typedef struct Holes
{
    uint32_t* components; // per face
    uint8_t* one_sided;   // per component: orientations disagree, so it has no inside to close
    uint8_t* used;        // per corner: its half-edge is already part of a loop
    uint32_t* first_out;  // per vertex: a boundary half-edge that starts there ...
    uint32_t* next_out;   // ... and per corner: another one
    uint32_t* places;     // per vertex: its position in the path
    uint32_t* path;       // visited boundary half-edges that are not yet part of a loop
    uint32_t path_count;
    rblHashMap edges; // vertex pairs connected by an edge; filled at the first hole
    rblIndexArray triangles;
    rblHashMap inner; // of the current hole: from pairs of loop positions to corners
} Holes;

// ---- boundary loops ----

static void list_boundary(const rblRepair* r, Holes* holes)
{
    memset(holes->one_sided, 0, r->faces.count);
    memset(holes->used, 0, r->corners.count);
    memset(holes->first_out, 0xFF, sizeof *holes->first_out * r->positions.count);
    memset(holes->places, 0xFF, sizeof *holes->places * r->positions.count);
    for (uint32_t c = (uint32_t)r->corners.count; c-- > 0;)
    {
        const rblRepairCorner* corner = &r->corners.data[c];
        if (corner->twin == RBL_NONE)
        {
            holes->next_out[c] = holes->first_out[corner->vertex];
            holes->first_out[corner->vertex] = c;
        }
        else if (rbl_repair_vertex(r, corner->twin) == corner->vertex)
        {
            holes->one_sided[holes->components[corner->face]] = 1;
        }
    }
}

// The boundary half-edge that starts at the end of a boundary half-edge, in the same fan of faces.
static uint32_t end_of_fan(const rblRepair* r, uint32_t arriving)
{
    uint32_t c = rbl_repair_next(r, arriving);
    while (r->corners.data[c].twin != RBL_NONE)
    {
        c = rbl_repair_next(r, r->corners.data[c].twin);
    }
    return c;
}

// Cosine of the opening angle between two boundary half-edges that meet; large for narrow gaps.
static double gap_cosine(const rblRepair* r, uint32_t arriving, uint32_t leaving)
{
    const rblVec3d corner = rbl_repair_position(r, leaving);
    const rblVec3d back = rbl_sub3d(rbl_repair_position(r, arriving), corner);
    const rblVec3d ahead = rbl_sub3d(rbl_repair_position(r, rbl_repair_next(r, leaving)), corner);
    return rbl_dot3d(rbl_normalize3d(back, (rblVec3d){0, 0, 0}), rbl_normalize3d(ahead, (rblVec3d){0, 0, 0}));
}

// The half-edge that follows `arriving` around the same hole. Where several fans meet at a vertex, the hole lies
// between the end of one fan and the start of another: the one with the narrowest gap is chosen.
static uint32_t follow(const rblRepair* r, const Holes* holes, uint32_t arriving)
{
    const uint32_t component = holes->components[r->corners.data[arriving].face];
    const uint32_t own = end_of_fan(r, arriving);
    uint32_t best = RBL_NONE;
    double best_cosine = -(double)INFINITY;
    for (uint32_t c = holes->first_out[rbl_repair_vertex(r, own)]; c != RBL_NONE; c = holes->next_out[c])
    {
        if (c == own || holes->used[c] || holes->components[r->corners.data[c].face] != component)
        {
            continue;
        }
        const double cosine = gap_cosine(r, arriving, c);
        if (cosine > best_cosine)
        {
            best = c;
            best_cosine = cosine;
        }
    }
    return best != RBL_NONE ? best : (holes->used[own] ? RBL_NONE : own);
}

// ---- filling one loop ----

// The source of material and group of a new face: the majority of the faces around it, if there is one (Boyer and
// Moore 1981).
static uint32_t choose_source(const rblRepair* r, const uint32_t* loop, uint32_t count)
{
    const rblMeshView* source = r->source;
    uint32_t chosen = r->faces.data[r->corners.data[loop[0]].face].source;
    uint32_t lead = 0;
    for (uint32_t i = 0; i < count; ++i)
    {
        const uint32_t face = r->faces.data[r->corners.data[loop[i]].face].source;
        if (lead == 0)
        {
            chosen = face;
        }
        const bool same = source->face_materials[face] == source->face_materials[chosen] &&
                          source->face_groups[face] == source->face_groups[chosen];
        lead = same ? lead + 1 : lead - 1;
    }
    return chosen;
}

// The loop in the direction of the new faces: opposite to its half-edges.
typedef struct Rim
{
    uint32_t count;
    uint32_t* across; // per edge: the boundary half-edge on its other side
    uint32_t* vertices;
    uint32_t* sources; // per vertex: the source of its attributes
    rblVec3d* points;
    rblVec3d* normals; // per edge: normal of the face across
    uint32_t face;     // face of the source that gives the new faces material and group
} Rim;

static rblResult make_rim(rblRepair* r, const uint32_t* loop, uint32_t count, Rim* rim)
{
    *rim = (Rim){.count = count,
                 .across = RBL_SCRATCH(r, uint32_t, count),
                 .vertices = RBL_SCRATCH(r, uint32_t, count),
                 .sources = RBL_SCRATCH(r, uint32_t, count),
                 .points = RBL_SCRATCH(r, rblVec3d, count),
                 .normals = RBL_SCRATCH(r, rblVec3d, count)};
    if (rim->across == NULL || rim->vertices == NULL || rim->sources == NULL || rim->points == NULL ||
        rim->normals == NULL)
    {
        return rbl_fail_memory();
    }
    for (uint32_t i = 0; i < count; ++i)
    {
        const uint32_t c = loop[(count - i) % count];
        rim->across[i] = loop[count - 1 - i];
        rim->vertices[i] = rbl_repair_vertex(r, c);
        rim->sources[i] = r->corners.data[c].source;
        rim->points[i] = rbl_repair_position(r, c);
        const rblVec3d normal = rbl_repair_normal_area2(r, r->corners.data[rim->across[i]].face);
        rim->normals[i] = rbl_normalize3d(normal, (rblVec3d){0, 0, 0});
    }
    rim->face = choose_source(r, loop, count);
    return RBL_OK;
}

static rblResult list_edges(const rblRepair* r, Holes* holes)
{
    for (uint32_t c = 0; c < r->corners.count; ++c)
    {
        bool added;
        const uint64_t key =
            rbl_pair_key(rbl_repair_vertex(r, c), rbl_repair_vertex(r, rbl_repair_next(r, c)));
        if (rbl_hash_map_get_or_add(&holes->edges, key, 0, &added) == NULL)
        {
            return rbl_fail_memory();
        }
    }
    return RBL_OK;
}

// Fill the hole by a vertex in the middle and a triangle to each edge: possible when the middle is collinear with no
// edge.
static rblResult fan_out(rblRepair* r, Holes* holes, Rim* rim, bool* found)
{
    rblVec3d sum = {0, 0, 0};
    for (uint32_t i = 0; i < rim->count; ++i)
    {
        sum = rbl_add3d(sum, rim->points[i]);
    }
    const rblVec3d middle = rbl_scale3d(sum, 1.0 / rim->count);
    *found = true;
    for (uint32_t i = 0; i < rim->count && *found; ++i)
    {
        const uint32_t next = i + 1 == rim->count ? 0 : i + 1;
        *found = !rbl_collinear3d(middle, rim->points[i], rim->points[next]);
        if (!rbl_array_push(&holes->triangles, i) || !rbl_array_push(&holes->triangles, next) ||
            !rbl_array_push(&holes->triangles, rim->count))
        {
            return rbl_fail_memory();
        }
    }
    if (!*found)
    {
        return RBL_OK;
    }
    // The rim has capacity for one more vertex (RBL_SCRATCH).
    RBL_TRY(rbl_repair_add_vertex(r, middle, &rim->vertices[rim->count]));
    return rbl_repair_mean(r, rim->sources, rim->count, &rim->sources[rim->count]);
}

// Give a half-edge of a new face, from position i to position k of the rim, its twin: the half-edge across the rim,
// or that of an earlier new face.
static rblResult join_new(rblRepair* r, Holes* holes, const Rim* rim, uint32_t corner, uint32_t i, uint32_t k)
{
    uint32_t twin;
    if (i < rim->count && k == (i + 1) % rim->count)
    {
        twin = rim->across[i];
    }
    else
    {
        bool added;
        const uint64_t key = rbl_pair_key(rim->vertices[i], rim->vertices[k]);
        const uint32_t* other = rbl_hash_map_get_or_add(&holes->inner, rbl_pair_key(i, k), corner, &added);
        if (other == NULL)
        {
            return rbl_fail_memory();
        }
        if (added)
        {
            return rbl_hash_map_get_or_add(&holes->edges, key, 0, &added) != NULL ? RBL_OK
                                                                                  : rbl_fail_memory();
        }
        twin = *other;
    }
    r->corners.data[corner].twin = twin;
    r->corners.data[twin].twin = corner;
    return RBL_OK;
}

static rblResult add_triangle(rblRepair* r, Holes* holes, const Rim* rim, const uint32_t places[3])
{
    uint32_t face;
    RBL_TRY(rbl_repair_add_face(r, rim->face, &face));
    r->faces.data[face].hole = r->hole_count;
    for (int i = 0; i < 3; ++i)
    {
        RBL_TRY(rbl_repair_add_corner(r, face, rim->vertices[places[i]], rim->sources[places[i]]));
    }
    for (uint32_t i = 0; i < 3; ++i)
    {
        RBL_TRY(join_new(r, holes, rim, r->faces.data[face].begin + i, places[i], places[(i + 1) % 3]));
    }
    return RBL_OK;
}

static rblResult fill_loop(rblRepair* r, Holes* holes, const uint32_t* loop, uint32_t count)
{
    Rim rim;
    RBL_TRY(make_rim(r, loop, count, &rim));
    if (holes->edges.count == 0)
    {
        RBL_TRY(list_edges(r, holes));
    }
    const rblHole hole = {count, rim.vertices, rim.points, rim.normals, &holes->edges};
    bool found;
    rbl_array_clear(&holes->triangles);
    RBL_TRY(rbl_hole_triangulate(&hole, &r->scratch, &holes->triangles, &found));
    if (!found)
    {
        RBL_TRY(fan_out(r, holes, &rim, &found));
    }
    if (!found)
    {
        return RBL_OK;
    }
    rbl_hash_map_free(&holes->inner);
    for (size_t i = 0; i < holes->triangles.count; i += 3)
    {
        RBL_TRY(add_triangle(r, holes, &rim, holes->triangles.data + i));
    }
    r->hole_count += 1;
    return RBL_OK;
}

static rblResult close_loop(rblRepair* r, Holes* holes, const uint32_t* loop, uint32_t count)
{
    if (count == 2) // two half-edges of the same edge, left over from an edge of many faces
    {
        r->corners.data[loop[0]].twin = loop[1];
        r->corners.data[loop[1]].twin = loop[0];
        return RBL_OK;
    }
    if (count > r->options.max_hole_edges)
    {
        if (r->open_loops.count < 2)
        {
            r->open_loops.lengths[r->open_loops.count] = count;
        }
        r->open_loops.count += 1;
        return RBL_OK;
    }
    const rblArenaMark mark = rbl_arena_mark(&r->scratch);
    const rblResult result = fill_loop(r, holes, loop, count);
    rbl_arena_rewind(&r->scratch, mark);
    return result;
}

// ---- pass ----

static void shorten_path(const rblRepair* r, Holes* holes, uint32_t count)
{
    for (uint32_t i = count; i < holes->path_count; ++i)
    {
        holes->places[rbl_repair_vertex(r, holes->path[i])] = RBL_NONE;
    }
    holes->path_count = count;
}

// Follow the boundary from a half-edge. Each time the path returns to one of its own vertices, the part in between is
// a loop that passes no vertex twice.
static rblResult walk_boundary(rblRepair* r, Holes* holes, uint32_t start)
{
    holes->path_count = 0;
    for (uint32_t c = start; c != RBL_NONE;)
    {
        holes->used[c] = 1;
        holes->places[rbl_repair_vertex(r, c)] = holes->path_count;
        holes->path[holes->path_count++] = c;
        const uint32_t end = rbl_repair_vertex(r, rbl_repair_next(r, c));
        const uint32_t place = holes->places[end];
        if (place != RBL_NONE)
        {
            const uint32_t count = holes->path_count - place;
            shorten_path(r, holes, place);
            RBL_TRY(close_loop(r, holes, holes->path + place, count));
        }
        c = holes->path_count > 0 ? follow(r, holes, holes->path[holes->path_count - 1]) : RBL_NONE;
    }
    shorten_path(r, holes, 0);
    return RBL_OK;
}

static rblResult prepare(rblRepair* r, Holes* holes)
{
    holes->components = RBL_SCRATCH(r, uint32_t, r->faces.count);
    holes->one_sided = RBL_SCRATCH(r, uint8_t, r->faces.count);
    holes->used = RBL_SCRATCH(r, uint8_t, r->corners.count);
    holes->first_out = RBL_SCRATCH(r, uint32_t, r->positions.count);
    holes->next_out = RBL_SCRATCH(r, uint32_t, r->corners.count);
    holes->places = RBL_SCRATCH(r, uint32_t, r->positions.count);
    holes->path = RBL_SCRATCH(r, uint32_t, r->corners.count);
    if (holes->components == NULL || holes->one_sided == NULL || holes->used == NULL ||
        holes->first_out == NULL || holes->next_out == NULL || holes->places == NULL || holes->path == NULL)
    {
        return rbl_fail_memory();
    }
    uint32_t component_count;
    RBL_TRY(rbl_repair_components(r, holes->components, &component_count));
    list_boundary(r, holes);
    return RBL_OK;
}

static rblResult fill_all(rblRepair* r, Holes* holes)
{
    RBL_TRY(prepare(r, holes));
    const size_t count = r->corners.count; // corners of new faces are appended
    for (uint32_t c = 0; c < count; ++c)
    {
        if (r->corners.data[c].twin == RBL_NONE && !holes->used[c] &&
            !holes->one_sided[holes->components[r->corners.data[c].face]])
        {
            RBL_TRY(walk_boundary(r, holes, c));
        }
    }
    return RBL_OK;
}

rblResult rbl_repair_fill_holes(rblRepair* r)
{
    Holes holes = {.path_count = 0};
    r->open_loops.count = 0;
    rbl_hash_map_init(&holes.edges, r->allocator);
    rbl_hash_map_init(&holes.inner, r->allocator);
    rbl_array_init(&holes.triangles, r->allocator);
    const rblResult result = fill_all(r, &holes);
    rbl_hash_map_free(&holes.edges);
    rbl_hash_map_free(&holes.inner);
    rbl_array_free(&holes.triangles);
    return result;
}
