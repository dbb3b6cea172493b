#include "mesh/tets/tets.h"

#include "base/error.h"
#include "base/hash_map.h"
#include "math/predicates.h"
#include "math/vec.h"
#include "mesh/tets/tets_locate.h"
#include "mesh/tets/tets_private.h"
#include <string.h>

const uint8_t rbl_tet_faces[4][3] = {{1, 2, 3}, {0, 3, 2}, {0, 1, 3}, {0, 2, 1}};
const uint8_t rbl_tet_edges[6][2] = {{0, 1}, {0, 2}, {0, 3}, {1, 2}, {1, 3}, {2, 3}};

void rbl_tets_parts_init(rblTetsParts* parts, const rblAllocator* allocator)
{
    *parts = (rblTetsParts){0};
    rbl_array_init(&parts->positions, allocator);
    rbl_array_init(&parts->nodes, allocator);
    rbl_array_init(&parts->regions, allocator);
}

void rbl_tets_parts_free(rblTetsParts* parts)
{
    rbl_array_free(&parts->positions);
    rbl_array_free(&parts->nodes);
    rbl_array_free(&parts->regions);
}

void rbl_tets_free(rblTets* tets)
{
    if (tets != NULL)
    {
        rbl_array_free(&tets->neighbors);
        rbl_tets_parts_free(&tets->parts);
        rbl_tets_locator_free(tets->locator);
        rbl_free(tets->allocator, tets, sizeof *tets);
    }
}

const rblTetsView* rbl_tets_get_view(const rblTets* tets)
{
    return &tets->view;
}

const rblTetsLocator* rbl_tets_get_locator(const rblTets* tets)
{
    return tets->locator;
}

double rbl_tet_volume(const rblVec3d corners[4])
{
    const rblVec3d a = corners[0];
    const rblVec3d normal = rbl_cross3d(rbl_sub3d(corners[1], a), rbl_sub3d(corners[2], a));
    return rbl_dot3d(normal, rbl_sub3d(corners[3], a)) / 6.0;
}

void rbl_tet_angle_cosines(const rblVec3d corners[4], double cosines[6])
{
    rblVec3d normals[4];
    for (uint32_t k = 0; k < 4; ++k)
    {
        const uint8_t* face = rbl_tet_faces[k];
        const rblVec3d a = corners[face[0]];
        const rblVec3d normal = rbl_cross3d(rbl_sub3d(corners[face[1]], a), rbl_sub3d(corners[face[2]], a));
        normals[k] = rbl_scale3d(normal, 1.0 / rbl_length3d(normal));
    }
    for (uint32_t e = 0; e < 6; ++e) // edge ij lies in the faces opposite the two other nodes
    {
        const uint8_t* others = rbl_tet_edges[5 - e];
        cosines[e] = rbl_clampd(-rbl_dot3d(normals[others[0]], normals[others[1]]), -1.0, 1.0);
    }
}

// ---- neighbours ----

// Faces in one list per smallest node, so that equal faces are in the same short list.
typedef struct FaceLists
{
    const rblAllocator* allocator;
    uint32_t* starts; // per node: start of its list
    uint32_t* faces;  // 4 * tetrahedron + k
    uint64_t* keys;   // per face in the lists: its two other nodes
    uint32_t face_count, node_count;
} FaceLists;

// The nodes of a face: the smallest, and the others as one number.
static uint32_t sorted_face(const uint32_t* nodes, uint32_t face, uint64_t* others)
{
    const uint32_t* tet = nodes + (size_t)(face & ~3u);
    const uint8_t* corners = rbl_tet_faces[face & 3];
    const uint32_t a = tet[corners[0]], b = tet[corners[1]], c = tet[corners[2]];
    const uint32_t smallest = a < b ? (a < c ? a : c) : (b < c ? b : c);
    *others = smallest == a ? rbl_pair_key(b, c) : smallest == b ? rbl_pair_key(a, c) : rbl_pair_key(a, b);
    return smallest;
}

static void list_faces(const FaceLists* lists, const uint32_t* nodes)
{
    uint64_t key;
    memset(lists->starts, 0, sizeof *lists->starts * ((size_t)lists->node_count + 1));
    for (uint32_t face = 0; face < lists->face_count; ++face)
    {
        lists->starts[sorted_face(nodes, face, &key)] += 1;
    }
    uint32_t sum = 0;
    for (uint32_t n = 0; n <= lists->node_count; ++n)
    {
        sum += lists->starts[n];
        lists->starts[n] = sum;
    }
    for (uint32_t face = lists->face_count;
         face-- > 0;) // backwards: each list then increases, and the starts end up correct
    {
        const uint32_t place = --lists->starts[sorted_face(nodes, face, &key)];
        lists->faces[place] = face;
        lists->keys[place] = key;
    }
}

static rblResult join_face(const FaceLists* lists, uint32_t at, uint32_t end, uint32_t* neighbors)
{
    const uint32_t face = lists->faces[at];
    const uint64_t key = lists->keys[at];
    for (uint32_t i = at + 1; i < end; ++i)
    {
        if (lists->keys[i] != key)
        {
            continue;
        }
        const uint32_t other = lists->faces[i];
        if (neighbors[face] != RBL_NONE || neighbors[other] != RBL_NONE)
        {
            return rbl_fail(RBL_ERROR_GEOMETRY,
                            "tetrahedra: tetrahedra %u, %u and another share one face, must be at most two",
                            face / 4, other / 4);
        }
        neighbors[face] = other / 4;
        neighbors[other] = face / 4;
    }
    return RBL_OK;
}

static rblResult join_faces(const FaceLists* lists, uint32_t* neighbors)
{
    for (uint32_t n = 0; n < lists->node_count; ++n)
    {
        const uint32_t end = lists->starts[n + 1];
        for (uint32_t at = lists->starts[n]; at < end; ++at)
        {
            RBL_TRY(join_face(lists, at, end, neighbors));
        }
    }
    return RBL_OK;
}

// The tetrahedron across each face of each tetrahedron; `neighbors` has 4 * tet_count entries. RBL_ERROR_GEOMETRY
// when three tetrahedra share a face.
static rblResult find_neighbors(const uint32_t* nodes, uint32_t tet_count, uint32_t node_count,
                                const rblAllocator* allocator, uint32_t* neighbors)
{
    FaceLists lists = {.allocator = allocator, .face_count = 4 * tet_count, .node_count = node_count};
    lists.starts = RBL_NEW_ARRAY(allocator, uint32_t, (size_t)node_count + 1);
    lists.faces = RBL_NEW_ARRAY(allocator, uint32_t, lists.face_count);
    lists.keys = RBL_NEW_ARRAY(allocator, uint64_t, lists.face_count);
    rblResult result = RBL_ERROR_MEMORY;
    if (lists.starts != NULL && lists.faces != NULL && lists.keys != NULL)
    {
        memset(neighbors, 0xFF, sizeof *neighbors * lists.face_count); // RBL_NONE
        list_faces(&lists, nodes);
        result = join_faces(&lists, neighbors);
    }
    else
    {
        result = rbl_fail_memory();
    }
    RBL_FREE_ARRAY(allocator, lists.starts, (size_t)node_count + 1);
    RBL_FREE_ARRAY(allocator, lists.faces, lists.face_count);
    RBL_FREE_ARRAY(allocator, lists.keys, lists.face_count);
    return result;
}

// ---- construction ----

static rblResult check_counts(const rblTetsParts* parts)
{
    if (parts->nodes.count == 0)
    {
        return rbl_fail(RBL_ERROR_GEOMETRY, "tetrahedra: there are no tetrahedra, at least one is needed");
    }
    if (parts->nodes.count / 4 > RBL_MAX_TETS || parts->positions.count >= RBL_NONE)
    {
        return rbl_fail(RBL_ERROR_LIMIT, "tetrahedra: too many tetrahedra, must be at most %u", RBL_MAX_TETS);
    }
    for (size_t v = 0; v < parts->positions.count; ++v)
    {
        if (!rbl_finite3d(parts->positions.data[v]))
        {
            return rbl_fail(RBL_ERROR_GEOMETRY, "tetrahedra: the position of node %zu must be finite", v);
        }
    }
    return RBL_OK;
}

static rblResult orient(rblTetsParts* parts, uint32_t tet)
{
    uint32_t* nodes = parts->nodes.data + 4 * (size_t)tet;
    for (uint32_t i = 0; i < 4; ++i)
    {
        if (nodes[i] >= parts->positions.count)
        {
            return rbl_fail(RBL_ERROR_GEOMETRY,
                            "tetrahedra: tetrahedron %u has node %u, but there are %zu nodes", tet, nodes[i],
                            parts->positions.count);
        }
    }
    const rblVec3d* p = parts->positions.data;
    const double sign = rbl_orient3d(p[nodes[0]], p[nodes[1]], p[nodes[2]], p[nodes[3]]);
    if (sign == 0.0)
    {
        return rbl_fail(RBL_ERROR_GEOMETRY, "tetrahedra: tetrahedron %u is flat (nodes %u, %u, %u, %u)", tet,
                        nodes[0], nodes[1], nodes[2], nodes[3]);
    }
    if (sign > 0.0) // orient3d is positive below the plane: the fourth node must be above it
    {
        const uint32_t last = nodes[3];
        nodes[3] = nodes[2];
        nodes[2] = last;
    }
    return RBL_OK;
}

static rblResult check_parts(rblTetsParts* parts)
{
    RBL_TRY(check_counts(parts));
    const uint32_t count = (uint32_t)(parts->nodes.count / 4);
    for (uint32_t tet = 0; tet < count; ++tet)
    {
        RBL_TRY(orient(parts, tet));
    }
    return RBL_OK;
}

static bool fill_regions(rblTetsParts* parts, size_t count)
{
    if (parts->regions.count == count)
    {
        return true;
    }
    if (!rbl_array_resize(&parts->regions, count))
    {
        return false;
    }
    for (size_t i = 0; i < count; ++i)
    {
        parts->regions.data[i] = 1;
    }
    return true;
}

static rblResult complete(rblTets* tets)
{
    rblTetsParts* parts = &tets->parts;
    RBL_TRY(check_parts(parts));
    const uint32_t count = (uint32_t)(parts->nodes.count / 4);
    const uint32_t node_count = (uint32_t)parts->positions.count;
    if (!fill_regions(parts, count) || !rbl_array_resize(&tets->neighbors, 4 * (size_t)count))
    {
        return rbl_fail_memory();
    }
    RBL_TRY(find_neighbors(parts->nodes.data, count, node_count, tets->allocator, tets->neighbors.data));
    tets->view = (rblTetsView){.node_count = node_count,
                               .tet_count = count,
                               .solid_node_count = parts->solid_node_count,
                               .solid_tet_count = parts->solid_tet_count,
                               .positions = parts->positions.data,
                               .nodes = parts->nodes.data,
                               .neighbors = tets->neighbors.data,
                               .regions = parts->regions.data};
    return tets->locator != NULL ? RBL_OK
                                 : rbl_tets_locator_over_boxes(&tets->view, tets->allocator, &tets->locator);
}

rblResult rbl_tets_new(rblTetsParts* parts, rblTetsLocator* locator, const rblAllocator* allocator,
                       rblTets** out)
{
    rblTets* tets = rbl_alloc_zero(allocator, sizeof *tets);
    if (tets == NULL)
    {
        rbl_tets_parts_free(parts);
        rbl_tets_locator_free(locator);
        return rbl_fail_memory();
    }
    tets->allocator = allocator;
    tets->parts = *parts;
    tets->locator = locator;
    atomic_init(&tets->references, 1);
    rbl_array_init(&tets->neighbors, allocator);
    rbl_tets_parts_init(parts, allocator);
    const rblResult result = complete(tets);
    if (result != RBL_OK)
    {
        rbl_tets_free(tets);
        return result;
    }
    *out = tets;
    return RBL_OK;
}
