// One label per piece. The nodes of a label are connected through edges of tetrahedra, but at concave parts of the surface an edge may run
// outside of the solid: then the label has several pieces inside the solid. Two bodies must not share a label: each would have the stress
// and the cracks of both.
#include "base/array.h"
#include "base/error.h"
#include "fracture/stress/stress_private.h"
#include "math/vec.h"

typedef struct Claims
{
    const rblStressRoot* root;
    const rblBreakage* breakage;
    uint32_t* labels;
    uint32_t* owners; // per node: its piece; RBL_NONE: unknown
    float* nearest;   // per node: squared distance to the vertex by which it has its piece
    rblIndexArray open;
} Claims;

// Nodes of the piece's label around a vertex of it.
static void claim_around(Claims* claims, uint32_t piece, uint32_t vertex)
{
    const rblTetsView* tets = &claims->root->view;
    const rblVec3d point = rbl_breakage_position(claims->breakage, vertex);
    float barycentric[4];
    const uint32_t tet = rbl_background_locate(claims->root->background, rbl_to_float3(point), barycentric);
    for (uint32_t i = 0; tet != RBL_NONE && i < 4; ++i)
    {
        const uint32_t node = tets->nodes[4 * (size_t)tet + i];
        const rblVec3d off = rbl_sub3d(tets->positions[node], point);
        const float square = (float)rbl_dot3d(off, off);
        const bool ours = claims->labels[node] == claims->breakage->pieces->pieces[piece].region;
        if (ours && (claims->owners[node] == RBL_NONE || square < claims->nearest[node]))
        {
            claims->owners[node] = piece;
            claims->nearest[node] = square;
        }
    }
}

static void claim_piece(Claims* claims, uint32_t piece)
{
    const rblPieces* pieces = claims->breakage->pieces;
    const rblPiece* of = &pieces->pieces[piece];
    for (uint32_t t = of->first_triangle; t < of->end_triangle; ++t)
    {
        const uint32_t* vertices = rbl_tets_surface_triangle(claims->root->crossing, pieces->triangles[t]);
        for (uint32_t k = 0; k < 3; ++k)
        {
            claim_around(claims, piece, vertices[k]);
        }
    }
    for (uint32_t f = of->first_face; f < of->end_face; ++f)
    {
        const uint32_t end = pieces->loop_starts[pieces->faces[f].end_loop];
        for (uint32_t c = pieces->loop_starts[pieces->faces[f].first_loop]; c < end; ++c)
        {
            claim_around(claims, piece, pieces->corners[c]);
        }
    }
}

// Nodes farther inside and in the rim get the piece of a neighbour.
static bool spread_claims(Claims* claims)
{
    const rblTetGraph* graph = &claims->root->graph;
    for (uint32_t node = 0; node < claims->root->view.node_count; ++node)
    {
        if (claims->owners[node] != RBL_NONE && !rbl_array_push(&claims->open, node))
        {
            return false;
        }
    }
    for (size_t head = 0; head < claims->open.count; ++head)
    {
        const uint32_t node = claims->open.data[head];
        for (uint32_t k = graph->starts[node]; k < graph->starts[node + 1]; ++k)
        {
            const uint32_t next = graph->nodes[k];
            if (claims->owners[next] != RBL_NONE || claims->labels[next] != claims->labels[node])
            {
                continue;
            }
            claims->owners[next] = claims->owners[node];
            if (!rbl_array_push(&claims->open, next))
            {
                return false;
            }
        }
    }
    return true;
}

static uint32_t count_nodes(const Claims* claims, uint32_t piece)
{
    uint32_t count = 0;
    for (uint32_t node = 0; node < claims->root->view.solid_node_count; ++node)
    {
        count += claims->owners[node] == piece;
    }
    return count;
}

// The first piece with nodes keeps the label.
static void relabel(const Claims* claims, uint32_t first, uint32_t end, uint32_t most, uint32_t* count)
{
    bool kept = false;
    for (uint32_t piece = first; piece < end; ++piece)
    {
        if (count_nodes(claims, piece) == 0)
        {
            continue;
        }
        for (uint32_t node = 0; kept && *count < most && node < claims->root->view.node_count; ++node)
        {
            claims->labels[node] = claims->owners[node] == piece ? *count : claims->labels[node];
        }
        *count += kept && *count < most;
        kept = true;
    }
}

static uint32_t end_of_region(const rblPieces* pieces, uint32_t first)
{
    uint32_t end = first + 1;
    while (end < pieces->piece_count && pieces->pieces[end].region == pieces->pieces[first].region)
    {
        end += 1;
    }
    return end;
}

rblResult rbl_stress_split_labels(const rblStressRoot* root, const rblBreakage* breakage, uint32_t most,
                                  uint32_t* labels, uint32_t* count)
{
    const rblPieces* pieces = breakage->pieces;
    const size_t nodes = root->view.node_count;
    Claims claims = {.root = root, .breakage = breakage, .labels = labels};
    claims.owners = RBL_NEW_ARRAY(root->allocator, uint32_t, nodes);
    claims.nearest = RBL_NEW_ARRAY(root->allocator, float, nodes);
    rbl_array_init(&claims.open, root->allocator);
    bool ok = claims.owners != NULL && claims.nearest != NULL;
    for (size_t node = 0; ok && node < nodes; ++node)
    {
        claims.owners[node] = RBL_NONE;
    }
    for (uint32_t first = 0, end; ok && first < pieces->piece_count; first = end)
    {
        end = end_of_region(pieces, first);
        for (uint32_t piece = first; piece < end && end > first + 1; ++piece)
        {
            claim_piece(&claims, piece);
        }
    }
    ok = ok && spread_claims(&claims);
    for (uint32_t first = 0, end; ok && first < pieces->piece_count; first = end)
    {
        end = end_of_region(pieces, first);
        relabel(&claims, first, end > first + 1 ? end : first, most, count);
    }
    rbl_array_free(&claims.open);
    RBL_FREE_ARRAY(root->allocator, claims.nearest, nodes);
    RBL_FREE_ARRAY(root->allocator, claims.owners, nodes);
    return ok ? RBL_OK : rbl_fail_memory();
}
