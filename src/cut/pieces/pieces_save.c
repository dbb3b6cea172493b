// Pieces as a folder of OBJ files with a list in JSON.
#include "cut/pieces/pieces_save.h"

#include "base/error.h"
#include "base/sort.h"
#include "io/file.h"
#include "io/folder.h"
#include "rubble/json.h"

typedef struct SaveWork
{
    const rblPieces* pieces;
    const rblMeshView* surface;
    double density;
    const char* folder;
    uint32_t** faces; // per piece; rbl_piece_mesh()
    uint32_t* face_counts;
    rblJsonWriter json;
} SaveWork;

// ---- mates ----

// Mates have the same triangles in the same order: triangle k of one matches triangle k of the other. `faces` are the
// lists of rbl_piece_mesh() for every piece, with `face_counts` entries. Returns false without memory.
static bool list_mates(const rblPieces* pieces, uint32_t* const* faces, const uint32_t* face_counts,
                       rblPieceMates* out)
{
    uint32_t* firsts = RBL_NEW_ARRAY(pieces->allocator, uint32_t, (size_t)pieces->face_count + 1);
    bool stored = firsts != NULL;
    for (uint32_t p = 0; p < pieces->piece_count && stored; ++p)
    {
        for (uint32_t f = face_counts[p]; f > 0; --f)
        {
            if (faces[p][f - 1] != RBL_NONE)
            {
                firsts[faces[p][f - 1]] = f - 1;
            }
        }
    }
    for (uint32_t p = 0; p < pieces->piece_count && stored; ++p)
    {
        for (uint32_t f = 0; f < face_counts[p] && stored; ++f)
        {
            const rblPieceFace* face = faces[p][f] != RBL_NONE ? &pieces->faces[faces[p][f]] : NULL;
            if (face != NULL && face->mate != RBL_NONE && p < pieces->faces[face->mate].piece)
            {
                const uint32_t other = firsts[face->mate] + (f - firsts[faces[p][f]]);
                stored = rbl_array_push(out, ((rblPieceMate){p, f, pieces->faces[face->mate].piece, other}));
            }
        }
    }
    RBL_FREE_ARRAY(pieces->allocator, firsts, (size_t)pieces->face_count + 1);
    return stored;
}

// ---- list ----

static void put_number(rblJsonWriter* json, const char* key, double value)
{
    rbl_json_key(json, key);
    rbl_json_number(json, value);
}

// Pieces with a common crack face, in rising order without repetition.
static rblResult put_neighbours(SaveWork* work, uint32_t p)
{
    const rblPieces* pieces = work->pieces;
    const rblPiece* piece = &pieces->pieces[p];
    const size_t capacity = (size_t)(piece->end_face - piece->first_face) + 1;
    uint32_t* others = RBL_NEW_ARRAY(pieces->allocator, uint32_t, 2 * capacity);
    if (others == NULL)
    {
        return rbl_fail_memory();
    }
    size_t count = 0;
    for (uint32_t f = piece->first_face; f < piece->end_face; ++f)
    {
        if (pieces->faces[f].mate != RBL_NONE)
        {
            others[count++] = pieces->faces[pieces->faces[f].mate].piece;
        }
    }
    rbl_sort_indices(others, others + capacity, count, rbl_before_by_value, NULL);
    rbl_json_key(&work->json, "neighbours");
    rbl_json_begin_row(&work->json);
    for (size_t n = 0; n < count; ++n)
    {
        if (n == 0 || others[n] != others[n - 1])
        {
            rbl_json_unsigned(&work->json, others[n]);
        }
    }
    rbl_json_end_array(&work->json);
    RBL_FREE_ARRAY(pieces->allocator, others, 2 * capacity);
    return RBL_OK;
}

static rblResult put_piece(SaveWork* work, uint32_t p)
{
    const rblMassProperties* mass = &work->pieces->pieces[p].mass;
    char name[32];
    snprintf(name, sizeof name, "piece_%04u.obj", p);
    rbl_json_begin_object(&work->json);
    rbl_json_key(&work->json, "file");
    rbl_json_string(&work->json, name);
    put_number(&work->json, "volume", mass->volume);
    put_number(&work->json, "mass", work->density * mass->volume);
    rbl_json_key(&work->json, "center");
    rbl_json_begin_row(&work->json);
    rbl_json_number(&work->json, mass->center.x);
    rbl_json_number(&work->json, mass->center.y);
    rbl_json_number(&work->json, mass->center.z);
    rbl_json_end_array(&work->json);
    RBL_TRY(put_neighbours(work, p));
    rbl_json_end_object(&work->json);
    return RBL_OK;
}

static rblResult put_mates(SaveWork* work)
{
    rblPieceMates mates;
    rbl_array_init(&mates, work->pieces->allocator);
    const bool stored = list_mates(work->pieces, work->faces, work->face_counts, &mates);
    rbl_json_key(&work->json, "mates");
    rbl_json_begin_array(&work->json);
    for (size_t n = 0; n < mates.count && stored; ++n)
    {
        rbl_json_begin_row(&work->json);
        rbl_json_unsigned(&work->json, mates.data[n].piece_a);
        rbl_json_unsigned(&work->json, mates.data[n].face_a);
        rbl_json_unsigned(&work->json, mates.data[n].piece_b);
        rbl_json_unsigned(&work->json, mates.data[n].face_b);
        rbl_json_end_array(&work->json);
    }
    rbl_json_end_array(&work->json);
    rbl_array_free(&mates);
    return stored ? RBL_OK : rbl_fail_memory();
}

static rblResult put_list(SaveWork* work)
{
    double volume = 0.0;
    rbl_json_begin_object(&work->json);
    rbl_json_key(&work->json, "pieces");
    rbl_json_begin_array(&work->json);
    for (uint32_t p = 0; p < work->pieces->piece_count; ++p)
    {
        volume += work->pieces->pieces[p].mass.volume;
        RBL_TRY(put_piece(work, p));
    }
    rbl_json_end_array(&work->json);
    put_number(&work->json, "parentVolume", volume);
    put_number(&work->json, "crackArea", work->pieces->crack_area);
    rbl_json_key(&work->json, "merged");
    rbl_json_unsigned(&work->json, work->pieces->merged);
    RBL_TRY(put_mates(work));
    rbl_json_end_object(&work->json);
    return rbl_json_writer_finish(&work->json);
}

static rblResult save_list(SaveWork* work)
{
    char path[RBL_PATH_SIZE];
    rblWriter writer;
    RBL_TRY(rbl_compose_path(path, "%s/pieces.json", work->folder));
    RBL_TRY(put_list(work));
    RBL_TRY(rbl_writer_open(&writer, path, work->pieces->allocator));
    rbl_write_bytes(&writer, work->json.text, work->json.size);
    return rbl_writer_close(&writer);
}

// ---- files ----

// Create the mesh of a piece and the list of its faces. Write the file if there is a folder.
static rblResult save_piece(SaveWork* work, uint32_t p)
{
    char path[RBL_PATH_SIZE];
    rblMeshId mesh;
    rblMeshView view;
    RBL_TRY(work->folder != NULL ? rbl_compose_path(path, "%s/piece_%04u.obj", work->folder, p) : RBL_OK);
    RBL_TRY(rbl_piece_mesh(work->pieces, p, work->surface, &mesh, &work->faces[p]));
    rblResult result = rbl_mesh_view(mesh, &view);
    work->face_counts[p] = view.face_count;
    result = result == RBL_OK && work->folder != NULL ? rbl_mesh_save(mesh, path, NULL) : result;
    (void)rbl_mesh_destroy(mesh);
    return result;
}

static rblResult save_all(SaveWork* work, rblPieceMates* mates)
{
    for (uint32_t p = 0; p < work->pieces->piece_count; ++p)
    {
        RBL_TRY(save_piece(work, p));
    }
    if (mates == NULL)
    {
        return save_list(work);
    }
    return list_mates(work->pieces, work->faces, work->face_counts, mates) ? RBL_OK : rbl_fail_memory();
}

// Write the files, or find the mates.
static rblResult save_or_find(SaveWork* work, rblPieceMates* mates)
{
    const rblAllocator* allocator = work->pieces->allocator;
    const size_t count = work->pieces->piece_count;
    work->faces = rbl_alloc_zero(allocator, sizeof *work->faces * count);
    work->face_counts = rbl_alloc_zero(allocator, sizeof *work->face_counts * count);
    rbl_json_writer_init(&work->json, 1, allocator);
    const bool allocated = work->faces != NULL && work->face_counts != NULL;
    const rblResult result = allocated ? save_all(work, mates) : rbl_fail_memory();
    for (size_t p = 0; p < count && allocated; ++p)
    {
        RBL_FREE_ARRAY(allocator, work->faces[p], work->face_counts[p]);
    }
    RBL_FREE_ARRAY(allocator, work->faces, count);
    RBL_FREE_ARRAY(allocator, work->face_counts, count);
    rbl_json_writer_free(&work->json);
    return result;
}

rblResult rbl_pieces_write_files(const rblPieces* pieces, const rblMeshView* surface, double density,
                                 const char* folder)
{
    SaveWork work = {.pieces = pieces, .surface = surface, .density = density, .folder = folder};
    return save_or_find(&work, NULL);
}

rblResult rbl_pieces_find_mates(const rblPieces* pieces, const rblMeshView* surface, rblPieceMates* out)
{
    SaveWork work = {.pieces = pieces, .surface = surface};
    return save_or_find(&work, out);
}

rblResult rbl_pieces_write_folder(const rblPieces* pieces, const rblMeshView* surface, double density,
                                  const char* folder, bool force)
{
    RBL_TRY(rbl_folder_open(folder, force));
    RBL_TRY(rbl_folder_remove_numbered(folder, "piece_", ".obj"));
    return rbl_pieces_write_files(pieces, surface, density, folder);
}
