// Indices of the edges and faces of a mesh and of the sides of a surface's triangles, so that the cut needs no
// searches.
#include "base/error.h"
#include "cut/tets/tets_cut_private.h"

// In the order of tetrahedra: the first of the two tetrahedra of a face gives its index.
static void number_faces(rblTetsSurface* surface)
{
    const rblTetsView* tets = surface->tets;
    surface->face_count = 0;
    for (uint32_t t = 0; t < tets->tet_count; ++t)
    {
        for (uint32_t k = 0; k < 4; ++k)
        {
            const uint32_t other = tets->neighbors[4 * (size_t)t + k];
            uint32_t j = 0;
            while (other != RBL_NONE && other < t && j < 3 && tets->neighbors[4 * (size_t)other + j] != t)
            {
                ++j;
            }
            surface->face_indices.data[4 * (size_t)t + k] =
                other != RBL_NONE && other < t ? surface->face_indices.data[4 * (size_t)other + j]
                                               : surface->face_count++;
        }
    }
}

// Index of a pair, in the order of first occurrence.
static bool number_pair(rblHashMap* numbers, uint32_t a, uint32_t b, uint32_t* count, uint32_t* out)
{
    bool added;
    const uint32_t* number = rbl_hash_map_get_or_add(numbers, rbl_pair_key(a, b), *count, &added);
    if (number == NULL)
    {
        return false;
    }
    *out = *number;
    *count += added ? 1 : 0;
    return true;
}

static bool number_edges(rblTetsSurface* surface, rblHashMap* numbers)
{
    const rblTetsView* tets = surface->tets;
    bool stored = true;
    for (size_t n = 0; n < 6 * (size_t)tets->tet_count && stored; ++n)
    {
        const uint32_t* nodes = tets->nodes + 4 * (n / 6);
        const uint8_t* ends = rbl_tet_edges[n % 6];
        stored = number_pair(numbers, nodes[ends[0]], nodes[ends[1]], &surface->edge_count,
                             &surface->edge_indices.data[n]);
    }
    return stored;
}

static bool number_sides(rblTetsSurface* surface, rblHashMap* numbers)
{
    bool stored = true;
    for (size_t n = 0; n < 3 * (size_t)surface->triangle_count && stored; ++n)
    {
        const uint32_t* vertices = surface->triangle_vertices + n - n % 3;
        stored = number_pair(numbers, vertices[n % 3], vertices[(n + 1) % 3], &surface->side_count,
                             &surface->side_indices.data[n]);
    }
    return stored;
}

rblResult rbl_tets_surface_number(rblTetsSurface* surface)
{
    const size_t tets = surface->tets->tet_count;
    rblHashMap edges, sides;
    rbl_hash_map_init(&edges, surface->allocator);
    rbl_hash_map_init(&sides, surface->allocator);
    bool stored = rbl_array_resize(&surface->face_indices, 4 * tets) &&
                  rbl_array_resize(&surface->edge_indices, 6 * tets) &&
                  rbl_array_resize(&surface->side_indices, 3 * (size_t)surface->triangle_count) &&
                  rbl_hash_map_reserve(&edges, 2 * tets) &&
                  rbl_hash_map_reserve(&sides, 2 * (size_t)surface->triangle_count);
    if (stored)
    {
        number_faces(surface);
        stored = number_edges(surface, &edges) && number_sides(surface, &sides);
    }
    rbl_hash_map_free(&edges);
    rbl_hash_map_free(&sides);
    return stored ? RBL_OK : rbl_fail_memory();
}
