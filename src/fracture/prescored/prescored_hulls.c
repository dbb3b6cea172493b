// Pieces as convex hulls. A piece in one cell is as convex as the solid is there: where the hull of a few corners is within a tolerance
// of the surface, the hull is the shape of the piece. It stays in its cell, so that pieces do not overlap.
#include "base/error.h"
#include "field/convex/hull.h"
#include "fracture/prescored/prescored_private.h"
#include "math/aabb.h"
#include "math/vec.h"

#define ALLOWED                                                                                              \
    0.012 // largest distance of hull and surface where the solid is not convex, relative to the piece's size
#define WANTED       0.01 // relative to the piece's size: no corner is added within this distance of the hull
#define MAX_CHOSEN   64u  // corners of a hull: contacts of larger hulls are slow
#define MAX_CORNERS  4096u // of a piece that are considered
#define ROUND_A_FACE 3u    // points of each crack face that the hull must include, at least
#define MIDDLES      24u   // midpoints between corners that are tested first

// All vertices of a piece, each once.
typedef struct VertexList
{
    const rblBreakage* breakage;
    uint32_t* met; // a bit for every vertex
    rblSampleList* out;
} VertexList;

static bool add_vertex(VertexList* list, uint32_t vertex)
{
    const uint32_t bit = 1u << (vertex & 31);
    if ((list->met[vertex >> 5] & bit) != 0)
    {
        return true;
    }
    list->met[vertex >> 5] |= bit;
    return rbl_array_push(list->out, rbl_to_float3(rbl_breakage_position(list->breakage, vertex)));
}

static bool add_vertices(const uint32_t* vertices, uint32_t count, void* context)
{
    bool good = true;
    for (uint32_t k = 0; k < count && good; ++k)
    {
        good = add_vertex(context, vertices[k]);
    }
    return good;
}

// Whether an edge between crack faces ends on the surface of the solid, or inside it.
static bool is_crack_corner(const rblPieces* pieces, uint32_t vertex)
{
    return vertex >= pieces->surface_vertex_count &&
           pieces->origins[vertex - pieces->surface_vertex_count].ends[0] == RBL_NONE;
}

// Corners of crack faces, and some more points around each: enough to span the plane of the face. Mates share their loops and
// therefore these points.
static bool add_cracks(VertexList* list, uint32_t piece)
{
    const rblPieces* pieces = list->breakage->pieces;
    bool good = true;
    for (uint32_t f = pieces->pieces[piece].first_face; f < pieces->pieces[piece].end_face && good; ++f)
    {
        const rblPieceFace* face = &pieces->faces[f];
        if (face->triangle != RBL_NONE)
        {
            continue;
        }
        const uint32_t begin = pieces->loop_starts[face->first_loop];
        const uint32_t count = pieces->loop_starts[face->first_loop + 1] - begin;
        for (uint32_t k = 0; k < count && good; ++k)
        {
            const uint32_t vertex = pieces->corners[begin + k];
            good = !is_crack_corner(pieces, vertex) || add_vertex(list, vertex);
        }
        for (uint32_t k = 0; k < ROUND_A_FACE && good; ++k)
        {
            good = add_vertex(list, pieces->corners[begin + k * count / ROUND_A_FACE]);
        }
    }
    return good;
}

// The first `kept` points span the crack faces.
static bool list_vertices(const rblParts* parts, uint32_t piece, rblSampleList* out, uint32_t* kept)
{
    const rblPieces* pieces = parts->breakage->pieces;
    const size_t words = ((size_t)pieces->surface_vertex_count + pieces->vertex_count) / 32 + 1;
    VertexList list = {.breakage = parts->breakage,
                       .met = rbl_alloc_zero(parts->allocator, words * sizeof(uint32_t)),
                       .out = out};
    bool good = list.met != NULL && add_cracks(&list, piece);
    *kept = (uint32_t)out->count;
    good = good && rbl_visit_polygons(parts, piece, add_vertices, &list);
    RBL_FREE_ARRAY(parts->allocator, list.met, words);
    return good;
}

// Whether midpoints between corners lie in the solid: a fast test that rejects concave pieces.
static bool seems_convex(const rblParts* parts, const rblSampleList* corners, double allowed)
{
    const size_t count = corners->count;
    const rblShape* solid = parts->placing->solid->shape;
    for (size_t k = 0; k < MIDDLES; ++k)
    {
        const rblVec3 a = corners->data[k * count / MIDDLES];
        const rblVec3 b = corners->data[(k * count / MIDDLES + count / 2) % count];
        if ((double)rbl_shape_distance(solid, rbl_scale3(rbl_add3(a, b), 0.5f), NULL) > allowed)
        {
            return false;
        }
    }
    return true;
}

// Few of the corners. What a convex solid leaves in a cell is convex, and any hull of its corners lies within.
static rblResult choose_corners(const rblParts* parts, uint32_t piece, const rblSampleList* corners,
                                uint32_t kept, double size, rblSampleList* out, bool* fits)
{
    const rblPiece* p = &parts->breakage->pieces->pieces[piece];
    rblHullChoice choice = {.worst = 0.0};
    rbl_array_init(&choice.chosen, parts->allocator);
    const rblHullChoosing choosing = {.points = corners->data,
                                      .count = (uint32_t)corners->count,
                                      .kept = kept,
                                      .most = MAX_CHOSEN > kept + 16 ? MAX_CHOSEN : kept + 16,
                                      .tolerance = WANTED * size,
                                      .measured = !parts->placing->solid->convex,
                                      .max_depth = ALLOWED * size,
                                      .max_volume = p->mass.volume + 0.5 * ALLOWED * size * p->area};
    rblResult result = rbl_hull_choose(&choosing, &choice);
    const bool near = choice.worst <= choosing.max_depth && choice.volume <= choosing.max_volume;
    *fits = result == RBL_OK && (parts->placing->solid->convex || near);
    result = result == RBL_ERROR_GEOMETRY ? RBL_OK : result;
    for (size_t i = 0; i < choice.chosen.count && *fits && result == RBL_OK; ++i)
    {
        result = rbl_array_push(out, corners->data[choice.chosen.data[i]]) ? RBL_OK : rbl_fail_memory();
    }
    rbl_array_free(&choice.chosen);
    return result;
}

rblResult rbl_piece_hull_points(const rblParts* parts, uint32_t piece, rblSampleList* out, bool* fits)
{
    const double size = rbl_length3d(rbl_aabbd_size(parts->breakage->pieces->pieces[piece].bounds));
    rblSampleList corners;
    uint32_t kept = 0;
    *fits = false;
    if (parts->breakage->pieces->pieces[piece].convex)
    {
        *fits = true;
        return rbl_piece_corners(parts, piece, out) ? RBL_OK : rbl_fail_memory();
    }
    if (parts->piece_starts[piece + 1] > parts->piece_starts[piece] + 1)
    {
        return RBL_OK; // a hull would overlap other cells
    }
    rbl_array_init(&corners, parts->allocator);
    rblResult result = list_vertices(parts, piece, &corners, &kept) ? RBL_OK : rbl_fail_memory();
    if (result == RBL_OK && corners.count >= 4 && corners.count <= MAX_CORNERS &&
        (parts->placing->solid->convex || seems_convex(parts, &corners, ALLOWED * size)))
    {
        result = choose_corners(parts, piece, &corners, kept, size, out, fits);
    }
    rbl_array_free(&corners);
    return result;
}
