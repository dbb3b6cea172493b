// Faces: the four cells around every crossed edge of the grid are connected by a quad. The quad is cut into triangles
// in such a way that the triangles stay inside the four tetrahedra that the edge forms with neighbouring pairs of
// vertices. Tetrahedra of different edges do not overlap while cells have one vertex each, so the surface does not
// intersect itself (Ju and Udeshi 2006, "Intersection-free contouring on an octree grid").
#include "base/error.h"
#include "math/predicates.h"
#include "mesh/isosurface/isosurface_private.h"

// A quad stays uncut when both of its cuts cross the edge within this distance of each other, as a fraction of the
// edge.
#define FLAT 1e-6

typedef enum Cut
{
    CUT_NONE,   // not cut, stays a quad: both cuts are valid
    CUT_FIRST,  // along vertices 0 and 2
    CUT_SECOND, // along vertices 1 and 3
    CUT_FAN     // no cut is valid: four triangles around the crossing, which becomes a vertex
} Cut;

typedef struct Quad
{
    rblVec3d ends[2];     // of the edge
    double crossing;      // from ends[0], as a fraction of the edge
    uint32_t vertices[4]; // counter-clockwise seen from outside
    rblVec3d positions[4];
} Quad;

typedef struct CutJob
{
    const rblIsosurface* iso;
    uint8_t* cuts; // per crossing: a Cut
} CutJob;

// The quad around the edge along `axis` that starts at corner 0 of `cell`.
static Quad make_quad(const rblIsosurface* iso, const rblIsoCell* cell, uint32_t axis)
{
    // Seen from the upper end: bit 0 is a step down along u, bit 1 along v.
    static const uint8_t around[4] = {3, 2, 0, 1};
    uint32_t place[3];
    rbl_iso_cell_place(cell, place);
    const uint32_t u = (axis + 1) % 3;
    const uint32_t v = (axis + 2) % 3;
    const bool outward = (cell->inside & 1) != 0; // the upper end is outside
    Quad quad = {.crossing = iso->crossings[rbl_iso_owned_crossing(cell, axis)].t};
    quad.ends[0] = rbl_iso_node(iso, place[0], place[1], place[2]);
    quad.ends[1] = rbl_iso_node(iso, place[0] + (axis == 0), place[1] + (axis == 1), place[2] + (axis == 2));
    for (uint32_t i = 0; i < 4; ++i)
    {
        const uint32_t down = around[outward ? i : 3 - i];
        uint32_t beside[3] = {place[0], place[1], place[2]};
        beside[u] -= down & 1;
        beside[v] -= down >> 1;
        const rblIsoCell* other = &iso->cells[rbl_iso_find_cell(iso, beside[0], beside[1], beside[2])];
        // In the other cell the edge starts at the corner `down` steps above corner 0.
        const uint32_t corner = (down & 1) << u | (down >> 1) << v;
        uint32_t edge = 4 * axis;
        while (rbl_iso_edge_corner(edge) != corner)
        {
            edge += 1;
        }
        quad.vertices[i] = other->first_vertex + rbl_iso_edge_patch(other, edge);
        quad.positions[i] = iso->vertices[quad.vertices[i]];
    }
    return quad;
}

static bool same_sign(double a, double b)
{
    return (a > 0.0 && b > 0.0) || (a < 0.0 && b < 0.0);
}

// Whether the segment a c passes through the triangle of the edge p q and m. It may touch p q, but not the other two
// sides.
static bool passes_through(rblVec3d a, rblVec3d c, rblVec3d p, rblVec3d q, rblVec3d m)
{
    const double at_edge = rbl_orient3d(a, c, p, q);
    const double at_q = rbl_orient3d(a, c, q, m);
    const double at_p = rbl_orient3d(a, c, m, p);
    return same_sign(at_q, at_p) && (at_edge == 0.0 || same_sign(at_edge, at_q));
}

// The point where the triangle crosses the edge p q, as a fraction of the edge; false when it misses the edge or
// touches an end.
static bool crosses_edge(rblVec3d a, rblVec3d b, rblVec3d c, rblVec3d p, rblVec3d q, double* where)
{
    const double at_p = rbl_orient3d(a, b, c, p);
    const double at_q = rbl_orient3d(a, b, c, q);
    if (!same_sign(at_p, -at_q))
    {
        return false;
    }
    *where = at_p / (at_p - at_q);
    return true;
}

// Whether the quad may be cut from vertex `from` to the opposite one. The cut must pass through the triangle of the
// edge and one of the other two vertices, and the triangle on the other side of the edge must cross the edge.
static bool cut_fits(const Quad* quad, uint32_t from, double* where)
{
    const rblVec3d p = quad->ends[0];
    const rblVec3d q = quad->ends[1];
    const rblVec3d a = quad->positions[from];
    const rblVec3d b = quad->positions[from + 1];
    const rblVec3d c = quad->positions[from + 2];
    const rblVec3d d = quad->positions[(from + 3) % 4];
    return (passes_through(a, c, p, q, b) && crosses_edge(a, c, d, p, q, where)) ||
           (passes_through(a, c, p, q, d) && crosses_edge(a, b, c, p, q, where));
}

// Of two valid cuts the better one has the triangles that meet the edge nearer to the true crossing: at a sharp edge
// of the solid this is the cut along it.
static Cut choose_cut(const Quad* quad)
{
    double first, second;
    const bool first_fits = cut_fits(quad, 0, &first);
    const bool second_fits = cut_fits(quad, 1, &second);
    if (first_fits && second_fits)
    {
        if (fabs(first - second) < FLAT)
        {
            return CUT_NONE;
        }
        return fabs(first - quad->crossing) <= fabs(second - quad->crossing) ? CUT_FIRST : CUT_SECOND;
    }
    return first_fits ? CUT_FIRST : (second_fits ? CUT_SECOND : CUT_FAN);
}

static void cut_block(rblRange range, void* context)
{
    const CutJob* job = context;
    for (uint32_t i = range.begin; i < range.end; ++i)
    {
        const rblIsoCell* cell = &job->iso->cells[i];
        uint32_t crossing = cell->first_crossing;
        for (uint32_t axis = 0; axis < 3; ++axis)
        {
            if (rbl_iso_crosses(cell->inside, 4 * axis))
            {
                const Quad quad = make_quad(job->iso, cell, axis);
                job->cuts[crossing++] = (uint8_t)choose_cut(&quad);
            }
        }
    }
}

static void add_face(rblMeshBuilder* builder, const uint32_t* vertices, uint32_t count)
{
    for (uint32_t i = 0; i < count; ++i)
    {
        rbl_mesh_builder_corner(builder, vertices[i]);
    }
    rbl_mesh_builder_face(builder, 0, 0, RBL_NONE);
}

static void add_fan(rblMeshBuilder* builder, const Quad* quad)
{
    const double t = rbl_clampd(quad->crossing, RBL_ISO_INSET, 1.0 - RBL_ISO_INSET);
    const uint32_t middle = rbl_mesh_builder_vertex(builder, rbl_lerp3d(quad->ends[0], quad->ends[1], t));
    for (uint32_t i = 0; i < 4; ++i)
    {
        add_face(builder, (uint32_t[]){middle, quad->vertices[i], quad->vertices[(i + 1) % 4]}, 3);
    }
}

static void add_quad(rblMeshBuilder* builder, const Quad* quad, Cut cut)
{
    const uint32_t* v = quad->vertices;
    switch (cut)
    {
    case CUT_NONE:
        add_face(builder, v, 4);
        break;
    case CUT_FIRST:
        add_face(builder, (uint32_t[]){v[0], v[1], v[2]}, 3);
        add_face(builder, (uint32_t[]){v[0], v[2], v[3]}, 3);
        break;
    case CUT_SECOND:
        add_face(builder, (uint32_t[]){v[1], v[2], v[3]}, 3);
        add_face(builder, (uint32_t[]){v[1], v[3], v[0]}, 3);
        break;
    case CUT_FAN:
        add_fan(builder, quad);
        break;
    }
}

static void reserve_builder(rblMeshBuilder* builder, const rblIsosurface* iso, const uint8_t* cuts)
{
    size_t counts[4] = {0};
    for (uint32_t i = 0; i < iso->crossing_count; ++i)
    {
        counts[cuts[i]] += 1;
    }
    const size_t pairs = counts[CUT_FIRST] + counts[CUT_SECOND];
    rbl_mesh_builder_reserve(builder, iso->vertex_count + counts[CUT_FAN],
                             counts[CUT_NONE] + 2 * pairs + 4 * counts[CUT_FAN],
                             4 * counts[CUT_NONE] + 6 * pairs + 12 * counts[CUT_FAN]);
}

static rblResult build_mesh(const rblIsosurface* iso, const uint8_t* cuts, rblMesh** out)
{
    rblMeshBuilder builder;
    rbl_mesh_builder_init(&builder, iso->allocator);
    reserve_builder(&builder, iso, cuts);
    for (uint32_t i = 0; i < iso->vertex_count; ++i)
    {
        rbl_mesh_builder_vertex(&builder, iso->vertices[i]);
    }
    for (uint32_t i = 0; i < iso->cell_count; ++i)
    {
        const rblIsoCell* cell = &iso->cells[i];
        uint32_t crossing = cell->first_crossing;
        for (uint32_t axis = 0; axis < 3; ++axis)
        {
            if (rbl_iso_crosses(cell->inside, 4 * axis))
            {
                const Quad quad = make_quad(iso, cell, axis);
                add_quad(&builder, &quad, (Cut)cuts[crossing++]);
            }
        }
    }
    return rbl_mesh_builder_finish(&builder, out);
}

rblResult rbl_iso_make_faces(const rblIsosurface* iso, rblMesh** out)
{
    uint8_t* cuts = RBL_NEW_ARRAY(iso->allocator, uint8_t, iso->crossing_count);
    if (cuts == NULL)
    {
        return rbl_fail_memory();
    }
    CutJob job = {iso, cuts};
    rbl_parallel_for(rbl_default_jobs(), iso->cell_count, 256, cut_block, &job);
    const rblResult result = build_mesh(iso, cuts, out);
    RBL_FREE_ARRAY(iso->allocator, cuts, iso->crossing_count);
    return result;
}
