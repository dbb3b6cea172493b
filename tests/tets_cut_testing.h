// Solids in tetrahedra with labels on the nodes, for tests of the cut.
#ifndef RBL_TESTS_TETS_CUT_TESTING_H
#define RBL_TESTS_TETS_CUT_TESTING_H

#include "cut/tets/tets_cut.h"
#include "mesh/tets/tets_locate.h"
#include "pieces_testing.h"
#include "tets_dividing.h"

#define MAX_EVENTS 3

// A solid, the mesh around it, and what broke it.
typedef struct Broken
{
    rblMeshId solid;
    rblMeshView view;
    rblTetsId id;
    rblTets* tets;
    const rblTetsView* mesh;
    rblTetsSurface* surface;
    uint32_t* labels[MAX_EVENTS];
    double* weights[MAX_EVENTS];
    rblTetsEvent events[MAX_EVENTS];
    rblTetsPartition partition;
    uint32_t label_count; // of the last event
} Broken;

static inline void begin_broken_def(Broken* broken, rblMeshId solid, const rblTetsDef* def)
{
    *broken = (Broken){.solid = solid, .view = view_of(solid)};
    check_ok(rbl_tets_fill(solid, def, NULL, &broken->id));
    check_ok(rbl_tets_acquire(broken->id, &broken->tets));
    broken->mesh = rbl_tets_get_view(broken->tets);
    check_ok(rbl_tets_surface_create(&broken->view, broken->tets, rbl_default_allocator(), &broken->surface));
    broken->partition = (rblTetsPartition){broken->mesh, broken->events, 0};
}

static inline void begin_broken_mesh(Broken* broken, rblMeshId solid, uint32_t tet_count)
{
    rblTetsDef def = rbl_default_tets_def();
    def.count = tet_count;
    begin_broken_def(broken, solid, &def);
}

static inline void begin_broken_edge(Broken* broken, rblMeshId solid, double edge)
{
    rblTetsDef def = rbl_default_tets_def();
    def.edge = edge;
    begin_broken_def(broken, solid, &def);
}

static inline void begin_broken(Broken* broken, const char* kind, uint32_t tet_count)
{
    begin_broken_mesh(broken, make_solid(kind), tet_count);
}

static inline void free_broken(Broken* broken)
{
    for (uint32_t e = 0; e < MAX_EVENTS; ++e)
    {
        free(broken->labels[e]);
        free(broken->weights[e]);
    }
    rbl_tets_surface_free(broken->surface);
    rbl_tets_release(broken->tets);
    check_ok(rbl_tets_destroy(broken->id));
    check_ok(rbl_mesh_destroy(broken->solid));
}

// Room for another event: all nodes of `kept` in the one before break, or all.
static inline uint32_t add_event(Broken* broken, uint32_t kept)
{
    const uint32_t e = broken->partition.event_count++;
    const size_t nodes = broken->mesh->node_count;
    broken->labels[e] = malloc(sizeof(uint32_t) * nodes);
    broken->weights[e] = malloc(sizeof(double) * nodes);
    broken->events[e] = (rblTetsEvent){broken->labels[e], broken->weights[e], 0};
    if (e > 0)
    {
        broken->events[e].first_label = broken->events[e - 1].first_label + broken->label_count;
    }
    for (size_t n = 0; n < nodes; ++n)
    {
        const bool breaks = e == 0 || broken->labels[e - 1][n] == kept;
        broken->labels[e][n] = breaks ? 0 : RBL_NONE;
        broken->weights[e][n] = 1.0;
    }
    return e;
}

static inline void end_event(Broken* broken, uint32_t e)
{
    check_ok(tets_label_components(broken->mesh, broken->labels[e], &broken->label_count,
                                   rbl_default_allocator()));
    tets_clamp_weights(broken->mesh, broken->labels[e], broken->weights[e]);
}

// Seeds on random nodes of what breaks; a node's weight is how much nearer its own is than any other.
static inline void break_by_seeds(Broken* broken, uint32_t kept, uint32_t seeds, rblRandom* random)
{
    const uint32_t e = add_event(broken, kept);
    const rblTetsView* mesh = broken->mesh;
    rblVec3d at[64];
    for (uint32_t s = 0; s < seeds; ++s)
    {
        uint32_t node;
        do
        {
            node = rbl_random_below(random, mesh->node_count);
        } while (broken->labels[e][node] == RBL_NONE);
        at[s] = mesh->positions[node];
    }
    for (uint32_t n = 0; n < mesh->node_count; ++n)
    {
        if (broken->labels[e][n] == RBL_NONE)
        {
            continue;
        }
        double best = 1e30, second = 1e30;
        for (uint32_t s = 0; s < seeds; ++s)
        {
            const double distance = rbl_distance3d(at[s], mesh->positions[n]);
            second = distance < best ? best : (distance < second ? distance : second);
            broken->labels[e][n] = distance < best ? s : broken->labels[e][n];
            best = distance < best ? distance : best;
        }
        broken->weights[e][n] = second - best;
    }
    end_event(broken, e);
}

// The sign of a function of the place.
typedef double ImplicitFcn(rblVec3d p, const void* context);

static inline void break_by_function(Broken* broken, uint32_t kept, ImplicitFcn* function,
                                     const void* context)
{
    const uint32_t e = add_event(broken, kept);
    for (uint32_t n = 0; n < broken->mesh->node_count; ++n)
    {
        if (broken->labels[e][n] != RBL_NONE)
        {
            const double g = function(broken->mesh->positions[n], context);
            broken->labels[e][n] = g > 0.0 ? 1 : 0;
            broken->weights[e][n] = fabs(g);
        }
    }
    end_event(broken, e);
}

static inline rblPieces* cut_broken(const Broken* broken, uint32_t event, const rblCutOptions* options,
                                    rblJobs* jobs)
{
    rblPieces* pieces = NULL;
    check_ok(rbl_cut_by_tets(broken->surface, &broken->partition, event, options, jobs,
                             rbl_default_allocator(), &pieces));
    return pieces;
}

static inline void check_pieces(const Broken* broken, const rblPieces* pieces, bool intersections)
{
    for (uint32_t p = 0; p < pieces->piece_count; ++p)
    {
        check_piece(pieces, p, &broken->view, intersections);
    }
    check_mates(pieces);
    check_tiling(pieces, broken->solid);
}

// A plane, for break_by_function().
typedef struct Plane
{
    rblVec3d normal;
    double offset;
} Plane;

static inline double plane(rblVec3d p, const void* context)
{
    const Plane* at = context;
    return rbl_dot3d(p, at->normal) - at->offset;
}

#endif
