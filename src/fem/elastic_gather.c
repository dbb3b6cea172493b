// The selected tetrahedra, and the connections of their nodes.
//
// Tetrahedra are connected through faces. A node whose tetrahedra are not connected with each other around it becomes
// several nodes: otherwise parts that touch at a node or along an edge would be hinged there, and a hinge has no
// stiffness.
#include "base/error.h"
#include "base/sort.h"
#include "base/union_find.h"
#include "fem/elastic.h"
#include <string.h>

static rblResult choose_tets(rblElastic* elastic, const rblTetsView* tets, const rblElasticDef* def,
                             uint32_t* local)
{
    const uint32_t count = def->subset != NULL ? def->subset_count : tets->solid_tet_count;
    if (count == 0)
    {
        return rbl_fail(RBL_ERROR_GEOMETRY, "elastic solid: there are no tetrahedra, at least one is needed");
    }
    memset(local, 0xff, sizeof *local * tets->tet_count);
    for (uint32_t i = 0; i < count; ++i)
    {
        const uint32_t tet = def->subset != NULL ? def->subset[i] : i;
        if (tet >= tets->tet_count)
        {
            return rbl_fail(RBL_ERROR_ARGUMENT,
                            "elastic solid: tetrahedron %u is out of range, the mesh has %u", tet,
                            tets->tet_count);
        }
        if (local[tet] != RBL_NONE)
        {
            return rbl_fail(RBL_ERROR_GEOMETRY, "elastic solid: tetrahedron %u is listed twice", tet);
        }
        local[tet] = 0;
    }
    if (!rbl_array_reserve(&elastic->mesh_tets, count))
    {
        return rbl_fail_memory();
    }
    for (uint32_t tet = 0; tet < tets->tet_count; ++tet)
    {
        if (local[tet] != RBL_NONE)
        {
            local[tet] = (uint32_t)elastic->mesh_tets.count;
            elastic->mesh_tets.data[elastic->mesh_tets.count++] = tet;
        }
    }
    return RBL_OK;
}

// The tetrahedron across face `face`, in the numbering of the solid; RBL_NONE at its surface.
static uint32_t neighbor_of(const rblElastic* elastic, const rblTetsView* tets, const uint32_t* local,
                            uint32_t tet, uint32_t face)
{
    const uint32_t other = tets->neighbors[4 * (size_t)elastic->mesh_tets.data[tet] + face];
    return other == RBL_NONE ? RBL_NONE : local[other];
}

static void join_corners(const uint32_t* a_nodes, uint32_t a, const uint32_t* b_nodes, uint32_t b,
                         uint32_t* corners)
{
    for (uint32_t i = 0; i < 4; ++i)
    {
        for (uint32_t j = 0; j < 4; ++j)
        {
            if (a_nodes[i] == b_nodes[j])
            {
                rbl_union_join(corners, 4 * a + i, 4 * b + j);
            }
        }
    }
}

// Unite across common faces: the corners that are the same node, and the tetrahedra of one part. List the faces
// without a neighbour as triples of corners.
static bool join_faces(rblElastic* elastic, const rblTetsView* tets, const uint32_t* local, uint32_t* corners,
                       uint32_t* parts)
{
    for (uint32_t tet = 0; tet < elastic->mesh_tets.count; ++tet)
    {
        const uint32_t* own = tets->nodes + 4 * (size_t)elastic->mesh_tets.data[tet];
        for (uint32_t face = 0; face < 4; ++face)
        {
            const uint32_t other = neighbor_of(elastic, tets, local, tet, face);
            if (other == RBL_NONE)
            {
                const uint8_t* k = rbl_tet_faces[face];
                if (!rbl_array_reserve_more(&elastic->surface, 3))
                {
                    return false;
                }
                for (uint32_t i = 0; i < 3; ++i)
                {
                    elastic->surface.data[elastic->surface.count++] = 4 * tet + k[i];
                }
            }
            else if (other > tet)
            {
                join_corners(own, tet, tets->nodes + 4 * (size_t)elastic->mesh_tets.data[other], other,
                             corners);
                rbl_union_join(parts, tet, other);
            }
        }
    }
    return true;
}

typedef struct CornerOrder
{
    const rblTetsView* tets;
    const uint32_t* mesh_tets;
} CornerOrder;

static uint32_t mesh_node_of(const CornerOrder* order, uint32_t corner)
{
    return order->tets->nodes[4 * (size_t)order->mesh_tets[corner / 4] + corner % 4];
}

static bool corner_before(uint32_t a, uint32_t b, const void* context)
{
    return mesh_node_of(context, a) < mesh_node_of(context, b);
}

// Number the sets of corners in the order of the nodes of the mesh, and apply these numbers everywhere. `roots` and
// `scratch` have one entry per corner.
static bool number_nodes(rblElastic* elastic, const rblTetsView* tets, uint32_t* corners, uint32_t* roots,
                         uint32_t* scratch)
{
    const CornerOrder order = {tets, elastic->mesh_tets.data};
    const uint32_t corner_count = 4 * (uint32_t)elastic->mesh_tets.count;
    uint32_t count = 0;
    for (uint32_t c = 0; c < corner_count; ++c)
    {
        if (rbl_union_root(corners, c) == c)
        {
            roots[count++] = c;
        }
    }
    rbl_sort_indices(roots, scratch, count, corner_before, &order);
    if (!rbl_array_resize(&elastic->mesh_nodes, count) || !rbl_array_resize(&elastic->positions, count) ||
        !rbl_array_resize(&elastic->nodes, corner_count) || !rbl_array_resize(&elastic->node_parts, count))
    {
        return false;
    }
    uint32_t* number = scratch;
    for (uint32_t i = 0; i < count; ++i)
    {
        number[roots[i]] = i;
        elastic->mesh_nodes.data[i] = mesh_node_of(&order, roots[i]);
        elastic->positions.data[i] = tets->positions[elastic->mesh_nodes.data[i]];
    }
    for (uint32_t c = 0; c < corner_count; ++c)
    {
        elastic->nodes.data[c] = number[rbl_union_root(corners, c)];
    }
    for (size_t i = 0; i < elastic->surface.count; ++i)
    {
        elastic->surface.data[i] = elastic->nodes.data[elastic->surface.data[i]];
    }
    return true;
}

// Number the parts in the order of their first tetrahedra. `numbers` has one entry per tetrahedron.
static bool number_parts(rblElastic* elastic, uint32_t* joined, uint32_t* numbers)
{
    for (uint32_t tet = 0; tet < elastic->mesh_tets.count; ++tet)
    {
        const uint32_t root = rbl_union_root(joined, tet);
        if (root == tet)
        {
            numbers[tet] = (uint32_t)elastic->parts.count;
            if (!rbl_array_push(&elastic->parts, ((rblElasticPart){.mass = 0.0})))
            {
                return false;
            }
        }
        for (uint32_t k = 0; k < 4; ++k)
        {
            elastic->node_parts.data[elastic->nodes.data[4 * (size_t)tet + k]] = numbers[root];
        }
    }
    return true;
}

static bool list_incident(rblElastic* elastic)
{
    const size_t node_count = elastic->mesh_nodes.count;
    if (!rbl_array_resize(&elastic->incident_starts, node_count + 1) ||
        !rbl_array_resize(&elastic->incident, elastic->nodes.count))
    {
        return false;
    }
    uint32_t* starts = elastic->incident_starts.data;
    memset(starts, 0, sizeof *starts * (node_count + 1));
    for (size_t c = 0; c < elastic->nodes.count; ++c)
    {
        starts[elastic->nodes.data[c]] += 1;
    }
    uint32_t end = 0;
    for (size_t i = 0; i <= node_count; ++i)
    {
        end += starts[i];
        starts[i] = end;
    }
    for (size_t c = elastic->nodes.count; c-- > 0;)
    {
        elastic->incident.data[--starts[elastic->nodes.data[c]]] = (uint32_t)(c / 4);
    }
    return true;
}

static rblResult gather_with(rblElastic* elastic, const rblTetsView* tets, uint32_t* local, uint32_t* corners)
{
    const size_t count = elastic->mesh_tets.count;
    uint32_t* parts = corners + 4 * count;
    uint32_t* roots = parts + count;
    uint32_t* scratch = roots + 4 * count;
    for (uint32_t c = 0; c < 4 * count; ++c)
    {
        corners[c] = c;
    }
    for (uint32_t tet = 0; tet < count; ++tet)
    {
        parts[tet] = tet;
    }
    return join_faces(elastic, tets, local, corners, parts) &&
                   number_nodes(elastic, tets, corners, roots, scratch) &&
                   number_parts(elastic, parts, scratch) && list_incident(elastic)
               ? RBL_OK
               : rbl_fail_memory();
}

rblResult rbl_elastic_gather(rblElastic* elastic, const rblTetsView* tets, const rblElasticDef* def)
{
    const rblAllocator* allocator = elastic->allocator;
    uint32_t* local = RBL_NEW_ARRAY(allocator, uint32_t, tets->tet_count);
    if (local == NULL)
    {
        return rbl_fail_memory();
    }
    rblResult result = choose_tets(elastic, tets, def, local);
    if (result == RBL_OK)
    {
        const size_t capacity = 13 * elastic->mesh_tets.count;
        uint32_t* corners = RBL_NEW_ARRAY(allocator, uint32_t, capacity);
        result = corners != NULL ? gather_with(elastic, tets, local, corners) : rbl_fail_memory();
        RBL_FREE_ARRAY(allocator, corners, capacity);
    }
    RBL_FREE_ARRAY(allocator, local, tets->tet_count);
    return result;
}
