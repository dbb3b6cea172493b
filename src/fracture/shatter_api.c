// The public calls of rubble/shatter.h that make and look at pieces.
#include "base/error.h"
#include "base/registry.h"
#include "cut/pieces/pieces_save.h"
#include "fracture/shatter.h"

typedef struct PiecesItem
{
    rblPieces* pieces;
    rblMesh* surface; // that was broken
} PiecesItem;

static rblRegistry registry = RBL_REGISTRY_INIT;

static rblResult fail_stale(rblPiecesId id)
{
    return rbl_fail(RBL_ERROR_STALE, "pieces: the id %u/%u is null or was destroyed", id.index1,
                    id.generation);
}

static rblResult find(rblPiecesId id, PiecesItem** out)
{
    rbl_mutex_lock(&registry.mutex);
    PiecesItem* item = rbl_registry_find(&registry, id.index1, id.generation);
    rbl_mutex_unlock(&registry.mutex);
    *out = item;
    return item != NULL ? RBL_OK : fail_stale(id);
}

static void free_item(PiecesItem* item)
{
    rbl_pieces_free(item->pieces);
    rbl_mesh_release(item->surface);
    rbl_free(rbl_default_allocator(), item, sizeof *item);
}

static rblResult publish(rblPieces* pieces, rblMesh* surface, rblPiecesId* out)
{
    PiecesItem* item = rbl_alloc_zero(rbl_default_allocator(), sizeof *item);
    if (item == NULL)
    {
        rbl_pieces_free(pieces);
        rbl_mesh_release(surface);
        return rbl_fail_memory();
    }
    *item = (PiecesItem){pieces, surface};
    rbl_mutex_lock(&registry.mutex);
    const bool added = rbl_registry_add(&registry, item, &out->index1, &out->generation);
    rbl_mutex_unlock(&registry.mutex);
    if (!added)
    {
        free_item(item);
    }
    return added ? RBL_OK : rbl_fail_memory();
}

rblResult rbl_mesh_shatter(rblMeshId mesh, const rblShatterDef* def, rblPiecesId* out)
{
    rblShatterDef chosen;
    rblMesh* surface = NULL;
    rblPieces* pieces = NULL;
    RBL_TRY(rbl_shatter_read_def(def, &chosen));
    if (out == NULL)
    {
        return rbl_fail(RBL_ERROR_ARGUMENT, "shatter: out must not be null");
    }
    RBL_TRY(rbl_mesh_acquire(mesh, &surface));
    const rblResult result =
        rbl_shatter_mesh(mesh, &chosen, rbl_default_jobs(), rbl_default_allocator(), &pieces);
    if (result != RBL_OK)
    {
        rbl_mesh_release(surface);
        return result;
    }
    return publish(pieces, surface, out);
}

rblResult rbl_pieces_destroy(rblPiecesId id)
{
    rbl_mutex_lock(&registry.mutex);
    PiecesItem* item = rbl_registry_remove(&registry, id.index1, id.generation);
    rbl_mutex_unlock(&registry.mutex);
    if (item == NULL)
    {
        return fail_stale(id);
    }
    free_item(item);
    return RBL_OK;
}

uint32_t rbl_pieces_alive_count(void)
{
    rbl_mutex_lock(&registry.mutex);
    const uint32_t alive = rbl_registry_alive(&registry);
    rbl_mutex_unlock(&registry.mutex);
    return alive;
}

// ---- looking ----

static rblResult check_out(const void* out)
{
    return out != NULL ? RBL_OK : rbl_fail(RBL_ERROR_ARGUMENT, "pieces: out must not be null");
}

static rblResult find_piece(rblPiecesId id, uint32_t piece, const void* out, PiecesItem** item)
{
    RBL_TRY(find(id, item));
    RBL_TRY(check_out(out));
    const uint32_t count = (*item)->pieces->piece_count;
    return piece < count
               ? RBL_OK
               : rbl_fail(RBL_ERROR_ARGUMENT, "pieces: there is no piece %u; there are %u", piece, count);
}

rblResult rbl_pieces_info(rblPiecesId id, rblPiecesInfo* out)
{
    PiecesItem* item = NULL;
    RBL_TRY(find(id, &item));
    RBL_TRY(check_out(out));
    *out = (rblPiecesInfo){item->pieces->piece_count, item->pieces->merged, item->pieces->crack_area};
    return RBL_OK;
}

rblResult rbl_pieces_piece(rblPiecesId id, uint32_t number, rblPieceInfo* out)
{
    PiecesItem* item = NULL;
    RBL_TRY(find_piece(id, number, out, &item));
    const rblPiece* piece = &item->pieces->pieces[number];
    *out = (rblPieceInfo){piece->mass, piece->bounds, piece->area, piece->convex};
    return RBL_OK;
}

rblResult rbl_pieces_mesh(rblPiecesId id, uint32_t number, rblMeshId* out)
{
    PiecesItem* item = NULL;
    RBL_TRY(find_piece(id, number, out, &item));
    return rbl_piece_mesh(item->pieces, number, rbl_mesh_get_view(item->surface), out, NULL);
}

rblResult rbl_pieces_mates(rblPiecesId id, rblPieceMate* out, size_t capacity, size_t* count)
{
    PiecesItem* item = NULL;
    RBL_TRY(find(id, &item));
    RBL_TRY(check_out(count));
    RBL_TRY(capacity > 0 ? check_out(out) : RBL_OK);
    rblPieceMates mates;
    rbl_array_init(&mates, rbl_default_allocator());
    const rblResult result = rbl_pieces_find_mates(item->pieces, rbl_mesh_get_view(item->surface), &mates);
    if (result == RBL_OK)
    {
        *count = mates.count;
        for (size_t i = 0; i < mates.count && i < capacity; ++i)
        {
            out[i] = mates.data[i];
        }
    }
    rbl_array_free(&mates);
    return result;
}

// ---- files ----

static rblResult check_saving(double density, double explode, const char* path)
{
    if (path == NULL)
    {
        return rbl_fail(RBL_ERROR_ARGUMENT, "pieces: the path must not be null");
    }
    return density > 0.0 && density <= 1e30 && explode >= 0.0 && explode <= 1e30
               ? RBL_OK
               : rbl_fail(RBL_ERROR_ARGUMENT,
                          "pieces: the density is %g, must be positive; explode is %g, must be 0 to 1e30",
                          density, explode);
}

rblResult rbl_pieces_save_folder(rblPiecesId id, double density, const char* folder, bool force)
{
    PiecesItem* item = NULL;
    RBL_TRY(find(id, &item));
    RBL_TRY(check_saving(density, 0.0, folder));
    return rbl_pieces_write_folder(item->pieces, rbl_mesh_get_view(item->surface), density, folder, force);
}

rblResult rbl_pieces_save_glb(rblPiecesId id, double density, double explode, const char* path)
{
    PiecesItem* item = NULL;
    RBL_TRY(find(id, &item));
    RBL_TRY(check_saving(density, explode, path));
    return rbl_pieces_write_glb(item->pieces, rbl_mesh_get_view(item->surface), density, explode, path);
}
