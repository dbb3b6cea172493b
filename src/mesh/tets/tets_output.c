// Output of the lattice and its cuts as a mesh: stencils, the rim, and the final numbers of nodes.
#include "base/error.h"
#include "math/vec.h"
#include "mesh/tets/tets_filling.h"
#include "mesh/tets/tets_locate.h"
#include "mesh/tets/tets_stencil.h"

// Radius of the circumscribed sphere of a lattice tetrahedron, in cube edges: sqrt(5)/4, rounded up. Its centre is
// the mean of the nodes.
#define CIRCUMRADIUS 0.559018

typedef struct Output
{
    const rblLattice* lattice;
    rblCuts* cuts;
    const rblFillSolid* solid;
    RBL_ARRAY(uint8_t) fates;             // per lattice tetrahedron
    rblIndexArray solid_nodes, rim_nodes; // four per tetrahedron: nodes of the lattice, then cut edges
    // Per lattice tetrahedron: its first tetrahedron of the mesh; RIM_MARK is set for those of the rim.
    rblIndexArray seeds;
} Output;

enum
{
    FATE_DROPPED, // outside, and not near the surface
    FATE_SOLID,
    FATE_RIM,
    FATE_CUT
};

// Flag of a tetrahedron of the rim, whose final number is known only after all solid ones are counted.
#define RIM_MARK 0x80000000u

static rblVec3d mean_of(const rblLattice* lattice, const uint32_t nodes[4])
{
    const rblVec3d* p = lattice->positions.data;
    const rblVec3d sum = rbl_add3d(rbl_add3d(p[nodes[0]], p[nodes[1]]), rbl_add3d(p[nodes[2]], p[nodes[3]]));
    return rbl_scale3d(sum, 0.25);
}

// A tetrahedron completely outside: whether the surface, or the margin around it, enters its circumscribed sphere.
// Its nodes have not moved.
static uint8_t fate_outside(const Output* output, const uint32_t nodes[4])
{
    const rblLattice* lattice = output->lattice;
    const double reach = (CIRCUMRADIUS + 1e-5) * lattice->tree->edge + lattice->tree->margin;
    double nearest = (double)INFINITY;
    for (uint32_t i = 0; i < 4; ++i)
    {
        nearest = rbl_mind(fabs((double)lattice->nodes.data[nodes[i]].distance), nearest);
    }
    // Every point of the tetrahedron is within the radius of one of its nodes.
    if (nearest > reach)
    {
        return FATE_DROPPED;
    }
    return rbl_fill_touches(output->solid, mean_of(lattice, nodes), reach) ? FATE_RIM : FATE_DROPPED;
}

static uint8_t fate_of(const Output* output, uint32_t tet)
{
    const uint32_t* nodes = output->lattice->tets.data[tet].nodes;
    uint32_t plus = 0, minus = 0;
    for (uint32_t i = 0; i < 4; ++i)
    {
        plus += output->lattice->nodes.data[nodes[i]].sign > 0;
        minus += output->lattice->nodes.data[nodes[i]].sign < 0;
    }
    if (plus > 0)
    {
        return minus > 0 ? FATE_CUT : FATE_SOLID;
    }
    if (minus == 4)
    {
        return fate_outside(output, nodes);
    }
    if (minus > 0)
    {
        return FATE_RIM;
    }
    const rblVec3d middle = mean_of(output->lattice, nodes);
    rblFillBall ball = {.distance = 0.0f};
    return rbl_fill_distance(output->solid, middle, output->lattice->tree->edge, &ball) < 0.0f ? FATE_SOLID
                                                                                               : FATE_RIM;
}

static void choose_fates(rblRange range, void* context)
{
    Output* output = context;
    for (uint32_t tet = range.begin; tet < range.end; ++tet)
    {
        output->fates.data[tet] = fate_of(output, tet);
    }
}

// ---- stencils ----

static bool push_tet(Output* output, bool inside, const uint32_t nodes[4])
{
    rblIndexArray* out = inside ? &output->solid_nodes : &output->rim_nodes;
    bool ok = rbl_array_reserve_more(out, 4);
    for (uint32_t i = 0; i < 4 && ok; ++i)
    {
        out->data[out->count++] = nodes[i];
    }
    return ok;
}

// Of a long edge, the node whose lattice coordinates have an even sum in cubes. Two adjacent nodes never both have
// one.
static uint8_t preferred_of(const Output* output, const uint32_t* nodes, uint8_t first)
{
    const rblLatticeNode* node = &output->lattice->nodes.data[nodes[first]];
    return (uint8_t)(first + ((node->x / 2 + node->y / 2 + node->z / 2) & 1));
}

static bool push_stencil(Output* output, uint32_t tet)
{
    const rblLattice* lattice = output->lattice;
    const uint32_t* nodes = lattice->tets.data[tet].nodes;
    const uint8_t preferred[2] = {preferred_of(output, nodes, 0), preferred_of(output, nodes, 2)};
    int8_t signs[4];
    for (uint32_t i = 0; i < 4; ++i)
    {
        signs[i] = lattice->nodes.data[nodes[i]].sign;
    }
    const rblStencil stencil = rbl_stencil_cut(signs, preferred);
    bool ok = true;
    for (uint32_t k = 0; k < stencil.count && ok; ++k)
    {
        uint32_t places[4];
        for (uint32_t i = 0; i < 4; ++i)
        {
            const uint8_t place = stencil.places[k][i];
            places[i] = place;
            if (place < RBL_STENCIL_CUTS)
            {
                places[i] = nodes[place];
                continue;
            }
            const uint8_t* ends = rbl_stencil_edges[place - RBL_STENCIL_CUTS];
            places[i] =
                (uint32_t)lattice->nodes.count +
                rbl_hash_map_find(&output->cuts->places, rbl_pair_key(nodes[ends[0]], nodes[ends[1]]));
        }
        ok = push_tet(output, stencil.inside[k], places);
    }
    return ok;
}

static rblResult push_all(Output* output)
{
    const rblLattice* lattice = output->lattice;
    bool ok = true;
    for (uint32_t tet = 0; tet < lattice->tets.count && ok; ++tet)
    {
        const uint8_t fate = output->fates.data[tet];
        const uint32_t solid_count = (uint32_t)(output->solid_nodes.count / 4);
        const uint32_t rim_count = (uint32_t)(output->rim_nodes.count / 4);
        output->seeds.data[tet] = fate == FATE_DROPPED ? RBL_NONE
                                  : fate == FATE_RIM   ? rim_count | RIM_MARK
                                                       : solid_count;
        if (fate == FATE_CUT)
        {
            ok = push_stencil(output, tet);
        }
        else if (fate != FATE_DROPPED)
        {
            ok = push_tet(output, fate == FATE_SOLID, lattice->tets.data[tet].nodes);
        }
    }
    return ok ? RBL_OK : rbl_fail_memory();
}

// ---- numbers ----

static rblVec3d position_of(const Output* output, uint32_t node)
{
    const rblLattice* lattice = output->lattice;
    if (node < lattice->nodes.count)
    {
        return lattice->positions.data[node];
    }
    const rblCutEdge* edge = &output->cuts->edges.data[node - lattice->nodes.count];
    return rbl_lerp3d(lattice->positions.data[edge->a], lattice->positions.data[edge->b], edge->fraction);
}

// New numbers in the order of first use, so that neighbours are also close in memory.
static rblResult number_nodes(Output* output, const rblIndexArray* from, rblIndexArray* numbers,
                              rblTetsParts* parts)
{
    for (size_t i = 0; i < from->count; ++i)
    {
        uint32_t* number = &numbers->data[from->data[i]];
        if (*number == RBL_NONE)
        {
            *number = (uint32_t)parts->positions.count;
            const rblVec3d position = rbl_add3d(position_of(output, from->data[i]), output->solid->center);
            if (!rbl_array_push(&parts->positions, position))
            {
                return rbl_fail_memory();
            }
        }
        if (!rbl_array_push(&parts->nodes, *number))
        {
            return rbl_fail_memory();
        }
    }
    return RBL_OK;
}

static rblResult number_all(Output* output, rblTetsParts* parts)
{
    rblIndexArray numbers;
    rbl_array_init(&numbers, parts->nodes.allocator);
    const size_t count = output->lattice->nodes.count + output->cuts->edges.count;
    rblResult result = rbl_array_resize(&numbers, count) ? RBL_OK : rbl_fail_memory();
    for (size_t i = 0; i < count && result == RBL_OK; ++i)
    {
        numbers.data[i] = RBL_NONE;
    }
    if (result == RBL_OK)
    {
        result = number_nodes(output, &output->solid_nodes, &numbers, parts);
        parts->solid_node_count = (uint32_t)parts->positions.count;
        parts->solid_tet_count = (uint32_t)(output->solid_nodes.count / 4);
    }
    if (result == RBL_OK)
    {
        result = number_nodes(output, &output->rim_nodes, &numbers, parts);
    }
    rbl_array_free(&numbers);
    return result;
}

static rblResult set_regions(const Output* output, rblTetsParts* parts)
{
    const size_t solid_count = output->solid_nodes.count / 4;
    const size_t count = solid_count + output->rim_nodes.count / 4;
    if (!rbl_array_resize(&parts->regions, count))
    {
        return rbl_fail_memory();
    }
    for (size_t i = 0; i < count; ++i)
    {
        parts->regions.data[i] = i < solid_count ? 1 : 2;
    }
    return RBL_OK;
}

// ---- all steps ----

static void tell_edges(const Output* output, rblTetsFill* fill)
{
    const rblLattice* lattice = output->lattice;
    for (size_t i = 0; i < output->cuts->edges.count; ++i)
    {
        const rblCutEdge* edge = &output->cuts->edges.data[i];
        const int sign_a = lattice->nodes.data[edge->a].sign, sign_b = lattice->nodes.data[edge->b].sign;
        fill->cut_edges += sign_a * sign_b < 0;
        fill->hidden_edges += edge->hidden > 0.0f;
        const rblVec3d p = lattice->positions.data[edge->a], q = lattice->positions.data[edge->b];
        const double length = (double)edge->hidden * rbl_distance3d(p, q);
        if (length > fill->hidden_length)
        {
            fill->hidden_length = length;
            const double middle = (double)edge->hidden_from + 0.5 * (double)edge->hidden;
            fill->hidden_at = rbl_add3d(rbl_lerp3d(p, q, middle), output->solid->center);
        }
    }
    for (uint32_t level = 0; level <= lattice->tree->top; ++level)
    {
        fill->cubes += (uint32_t)lattice->leaf_starts[level + 1] - lattice->leaf_starts[level];
    }
    fill->moved_nodes = output->cuts->moved;
    fill->off_surface = output->cuts->pulled_back;
}

static rblResult make(Output* output, rblTetsParts* parts, rblTetsLocator** locator, rblTetsFill* fill)
{
    const rblLattice* lattice = output->lattice;
    if (!rbl_array_resize(&output->fates, lattice->tets.count) ||
        !rbl_array_resize(&output->seeds, lattice->tets.count))
    {
        return rbl_fail_memory();
    }
    rbl_parallel_for(output->solid->jobs, (uint32_t)lattice->tets.count, 256, choose_fates, output);
    RBL_TRY(push_all(output));
    RBL_TRY(number_all(output, parts));
    RBL_TRY(set_regions(output, parts));
    for (size_t i = 0; i < output->seeds.count; ++i)
    {
        uint32_t* seed = &output->seeds.data[i];
        *seed = *seed != RBL_NONE && (*seed & RIM_MARK) != 0 ? (*seed & ~RIM_MARK) + parts->solid_tet_count
                                                             : *seed;
    }
    tell_edges(output, fill);
    return rbl_tets_locator_over_lattice(lattice, output->solid->center, &output->seeds, locator);
}

rblResult rbl_fill_output(const rblLattice* lattice, rblCuts* cuts, const rblFillSolid* solid,
                          rblTetsParts* parts, rblTetsLocator** locator, rblTetsFill* fill)
{
    const rblAllocator* allocator = lattice->nodes.allocator;
    Output output = {.lattice = lattice, .cuts = cuts, .solid = solid};
    rbl_array_init(&output.fates, allocator);
    rbl_array_init(&output.solid_nodes, allocator);
    rbl_array_init(&output.rim_nodes, allocator);
    rbl_array_init(&output.seeds, allocator);
    const rblResult result = make(&output, parts, locator, fill);
    rbl_array_free(&output.fates);
    rbl_array_free(&output.solid_nodes);
    rbl_array_free(&output.rim_nodes);
    rbl_array_free(&output.seeds);
    return result;
}
