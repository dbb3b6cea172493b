// A solid that was cut: its pieces as fragments, their mates, and their surfaces, which are created on demand.
#include "base/error.h"
#include "field/shape.h"
#include "fracture/kit/kit.h"
#include <stdatomic.h>

static void breakage_free(rblBreakage* breakage)
{
    rbl_pieces_free(breakage->pieces);
    if (breakage->release_kept != NULL)
    {
        breakage->release_kept(breakage->kept);
    }
    if (breakage->mesh.index1 != 0)
    {
        rbl_mesh_destroy(breakage->mesh);
    }
    rbl_free(breakage->allocator, breakage, sizeof *breakage);
}

void rbl_breakage_release(rblBreakage* breakage)
{
    if (breakage != NULL && atomic_fetch_sub(&breakage->references, 1) == 1)
    {
        breakage_free(breakage);
    }
}

rblResult rbl_breakage_adopt(rblMeshId mesh, rblPieces* pieces, rblBreakage** out)
{
    const rblAllocator* allocator = rbl_default_allocator();
    rblBreakage* breakage = rbl_alloc_zero(allocator, sizeof *breakage);
    if (breakage == NULL)
    {
        rbl_pieces_free(pieces);
        return rbl_fail_memory();
    }
    breakage->allocator = allocator;
    breakage->pieces = pieces;
    atomic_init(&breakage->references, 1);
    rblResult result = rbl_mesh_share(mesh, &breakage->mesh);
    result = result == RBL_OK ? rbl_mesh_view(breakage->mesh, &breakage->surface) : result;
    if (result != RBL_OK)
    {
        breakage_free(breakage);
        return result;
    }
    *out = breakage;
    return RBL_OK;
}

// ---- mates ----

uint32_t rbl_count_mates(const rblPieces* pieces)
{
    uint32_t count = 0;
    for (uint32_t f = 0; f < pieces->face_count; ++f)
    {
        count += pieces->faces[f].mate != RBL_NONE && pieces->faces[f].mate > f;
    }
    return count;
}

uint32_t rbl_fill_mates(const rblPieces* pieces, uint32_t first, uint32_t at, rblFracture* out)
{
    for (uint32_t f = 0; f < pieces->face_count; ++f)
    {
        const rblPieceFace* a = &pieces->faces[f];
        if (a->mate == RBL_NONE || a->mate < f)
        {
            continue;
        }
        const rblPieceFace* b = &pieces->faces[a->mate];
        out->mates[at++] = (rblMate){.piece_a = first + a->piece,
                                     .face_a = f - pieces->pieces[a->piece].first_face,
                                     .piece_b = first + b->piece,
                                     .face_b = a->mate - pieces->pieces[b->piece].first_face};
    }
    return at;
}

// ---- fragments ----

double rbl_pieces_volume(const rblPieces* pieces)
{
    double volume = 0.0;
    for (uint32_t i = 0; i < pieces->piece_count; ++i)
    {
        volume += pieces->pieces[i].mass.volume;
    }
    return volume;
}

void rbl_fill_fragments(const rblPieces* pieces, rblTransform pose, double density, uint32_t first,
                        rblFracture* out)
{
    for (uint32_t i = 0; i < pieces->piece_count; ++i)
    {
        out->fragments[first + i] = (rblFragment){
            .pose = pose, .mass = (float)(density * pieces->pieces[i].mass.volume), .piece = first + i};
    }
    out->crack_area += pieces->crack_area;
    out->merged += pieces->merged;
}

// ---- surfaces ----

typedef struct PieceSurface
{
    rblBreakage* breakage;
    uint32_t piece;
} PieceSurface;

static rblResult build_surface(void* context, rblMeshId* out)
{
    const PieceSurface* surface = context;
    return rbl_piece_mesh(surface->breakage->pieces, surface->piece, &surface->breakage->surface, out, NULL);
}

static void free_surface(void* context)
{
    PieceSurface* surface = context;
    rblBreakage* breakage = surface->breakage;
    rbl_free(breakage->allocator, surface, sizeof *surface);
    rbl_breakage_release(breakage);
}

// From faces of all pieces to crack faces of one.
static uint32_t crack_number(const rblPieces* pieces, uint32_t piece, uint32_t face)
{
    const bool crack = face != RBL_NONE && pieces->faces[face].mate != RBL_NONE;
    return crack ? face - pieces->pieces[piece].first_face : UINT32_MAX;
}

static rblResult crack_faces(void* context, uint32_t* out, uint32_t capacity, uint32_t* count)
{
    const PieceSurface* surface = context;
    const rblPieces* pieces = surface->breakage->pieces;
    rblMeshId mesh = {0, 0};
    rblMeshView view;
    uint32_t* faces = NULL;
    RBL_TRY(rbl_piece_mesh(pieces, surface->piece, &surface->breakage->surface, &mesh, &faces));
    const rblResult result = rbl_mesh_view(mesh, &view);
    for (uint32_t f = 0; result == RBL_OK && f < view.face_count && f < capacity; ++f)
    {
        out[f] = crack_number(pieces, surface->piece, faces[f]);
    }
    if (result == RBL_OK)
    {
        *count = view.face_count;
        RBL_FREE_ARRAY(pieces->allocator, faces, view.face_count);
    }
    (void)rbl_mesh_destroy(mesh);
    return result;
}

// Out of memory: the surface is empty, and reading it reports the error.
rblLazySurface rbl_breakage_surface(rblBreakage* breakage, uint32_t piece)
{
    PieceSurface* surface = rbl_alloc(breakage->allocator, sizeof *surface);
    if (surface == NULL)
    {
        return (rblLazySurface){.context = NULL};
    }
    *surface = (PieceSurface){breakage, piece};
    atomic_fetch_add(&breakage->references, 1);
    return (rblLazySurface){
        .build = build_surface, .crack_faces = crack_faces, .free = free_surface, .context = surface};
}

// ---- crack faces ----

// A shape with rebuilt samples has the surface of the shape before.
rblResult rbl_fragment_faces(const rblShapeView* fragment, uint32_t* out, uint32_t capacity, uint32_t* count)
{
    if (fragment == NULL || fragment->shape == NULL || count == NULL || (out == NULL && capacity > 0))
    {
        return rbl_fail(RBL_ERROR_ARGUMENT, "fragment faces: fragment, out and count must not be null");
    }
    const rblShape* shape = fragment->shape->lazy.of != NULL ? fragment->shape->lazy.of : fragment->shape;
    return shape->lazy.crack_faces != NULL
               ? shape->lazy.crack_faces(shape->lazy.context, out, capacity, count)
               : rbl_fail(RBL_ERROR_UNSUPPORTED, "fragment faces: the shape must be a fragment of a breaker");
}
