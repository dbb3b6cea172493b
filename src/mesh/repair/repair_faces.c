// Faces with a defect of their own: not finite, with a vertex used twice, without area.
#include "base/error.h"
#include "math/aabb.h"
#include "math/triangle_intersection.h"
#include "mesh/repair/repair.h"
#include <string.h>

// Largest coordinate that counts as finite, m. Volumes are products of three coordinates: 1e300 is near the limit of
// double.
#define LARGEST_COORDINATE 1e100

static bool is_usable(rblVec3d p)
{
    return fabs(p.x) <= LARGEST_COORDINATE && fabs(p.y) <= LARGEST_COORDINATE &&
           fabs(p.z) <= LARGEST_COORDINATE;
}

static void measure_bounds(rblRepair* r)
{
    r->bounds = rbl_aabbd_empty();
    for (uint32_t c = 0; c < r->corners.count; ++c)
    {
        r->bounds = rbl_aabbd_add(r->bounds, rbl_repair_position(r, c));
    }
    if (r->options.weld_distance < 0 && r->corners.count > 0)
    {
        r->tolerance = 1e-6 * rbl_distance3d(r->bounds.lower, r->bounds.upper);
    }
}

rblResult rbl_repair_drop_non_finite(rblRepair* r)
{
    for (size_t f = 0; f < r->faces.count; ++f)
    {
        rblRepairFace* face = &r->faces.data[f];
        bool usable = true;
        for (uint32_t c = face->begin; c < face->begin + face->size; ++c)
        {
            usable = usable && is_usable(rbl_repair_position(r, c));
        }
        if (!usable)
        {
            face->size = 0;
            r->report->dropped_non_finite += 1;
        }
    }
    RBL_TRY(rbl_repair_compact(r));
    measure_bounds(r);
    return RBL_OK;
}

// State of clean_face(): the visited corners that are not yet part of a closed loop, and per vertex its position
// among them, or RBL_NONE.
typedef struct Walk
{
    rblRepairCorner* corners;
    uint32_t count;
    uint32_t* places;
} Walk;

static void forget(Walk* walk, uint32_t down_to)
{
    for (uint32_t i = down_to; i < walk->count; ++i)
    {
        walk->places[walk->corners[i].vertex] = RBL_NONE;
    }
    walk->count = down_to;
}

static bool repeats_a_vertex(const rblRepair* r, const rblRepairFace* face, Walk* walk)
{
    bool repeats = false;
    for (uint32_t c = face->begin; c < face->begin + face->size; ++c)
    {
        const uint32_t vertex = rbl_repair_vertex(r, c);
        repeats = repeats || walk->places[vertex] != RBL_NONE;
        walk->places[vertex] = c;
    }
    for (uint32_t c = face->begin; c < face->begin + face->size; ++c)
    {
        walk->places[rbl_repair_vertex(r, c)] = RBL_NONE;
    }
    return repeats;
}

// Write the corners from `first` on as a face. A loop of one or two edges encloses nothing and is dropped.
static rblResult emit_loop(rblRepair* r, const Walk* walk, uint32_t first, const rblRepairFace* like,
                           uint32_t* made)
{
    if (walk->count - first < 3)
    {
        return RBL_OK;
    }
    uint32_t face;
    RBL_TRY(rbl_repair_add_face(r, like->source, &face));
    r->faces.data[face].flipped = like->flipped;
    for (uint32_t i = first; i < walk->count; ++i)
    {
        RBL_TRY(rbl_repair_add_corner(r, face, walk->corners[i].vertex, walk->corners[i].source));
    }
    *made += 1;
    return RBL_OK;
}

// Whenever the loop around the face returns to a vertex, the corners in between form a separate loop.
static rblResult clean_face(rblRepair* r, uint32_t f, Walk* walk)
{
    const rblRepairFace face = r->faces.data[f];
    uint32_t made = 0;
    walk->count = 0;
    for (uint32_t i = 0; i < face.size; ++i)
    {
        const rblRepairCorner corner = r->corners.data[face.begin + i];
        const uint32_t place = walk->places[corner.vertex];
        if (place != RBL_NONE)
        {
            RBL_TRY(emit_loop(r, walk, place, &face, &made));
            forget(walk, place);
        }
        walk->places[corner.vertex] = walk->count;
        walk->corners[walk->count++] = corner;
    }
    RBL_TRY(emit_loop(r, walk, 0, &face, &made));
    forget(walk, 0);
    r->faces.data[f].size = 0;
    r->report->cleaned_faces += made > 0;
    r->report->dropped_degenerate += made == 0;
    return RBL_OK;
}

rblResult rbl_repair_clean_faces(rblRepair* r)
{
    uint32_t largest = 0;
    for (size_t f = 0; f < r->faces.count; ++f)
    {
        largest = r->faces.data[f].size > largest ? r->faces.data[f].size : largest;
    }
    Walk walk = {RBL_SCRATCH(r, rblRepairCorner, largest), 0, RBL_SCRATCH(r, uint32_t, r->positions.count)};
    if (walk.corners == NULL || walk.places == NULL)
    {
        return rbl_fail_memory();
    }
    memset(walk.places, 0xFF, sizeof *walk.places * r->positions.count);
    const size_t count = r->faces.count; // the loops appended at the end are clean
    for (uint32_t f = 0; f < count; ++f)
    {
        if (repeats_a_vertex(r, &r->faces.data[f], &walk))
        {
            RBL_TRY(clean_face(r, f, &walk));
        }
    }
    return rbl_repair_compact(r);
}

static bool has_area(const rblRepair* r, const rblRepairFace* face)
{
    const rblVec3d a = rbl_repair_position(r, face->begin);
    rblVec3d b = a;
    for (uint32_t c = face->begin + 1; c < face->begin + face->size; ++c)
    {
        const rblVec3d p = rbl_repair_position(r, c);
        if (rbl_equal3d(a, b))
        {
            b = p;
        }
        else if (!rbl_collinear3d(a, b, p))
        {
            return true;
        }
    }
    return false;
}

// Removing a face whose corners are all collinear opens no hole: its middle vertices lie on the edges of the faces
// around it, and rbl_repair_t_junctions() inserts them there.
rblResult rbl_repair_drop_degenerate(rblRepair* r)
{
    for (size_t f = 0; f < r->faces.count; ++f)
    {
        if (!has_area(r, &r->faces.data[f]))
        {
            r->faces.data[f].size = 0;
            r->report->dropped_degenerate += 1;
        }
    }
    return rbl_repair_compact(r);
}
