// What a peer is asked to do, and what it answers. Peers are written in C where their interface is C, in C++ otherwise.
#ifndef RBL_BENCH_PEERS_H
#define RBL_BENCH_PEERS_H

#include "../bench_world_trial.h"
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C"
{
#endif

    // A file of bench/bench_bvh.c: two 32-bit counts, then that many rows of floats, then for a mesh its indices.
    typedef struct PeerMesh
    {
        uint32_t vertex_count;
        uint32_t triangle_count;
        float* positions;  // 3 a vertex
        uint32_t* indices; // 3 a triangle
    } PeerMesh;

    typedef struct PeerTable
    {
        uint32_t row_count;
        uint32_t column_count;
        float* values;
    } PeerTable;

    typedef struct PeerWork
    {
        const char* task; // "build", "rays", "points", "overlap", "self"
        int quick;        // once is enough
        PeerMesh mesh;
        PeerMesh other;  // for "overlap"
        PeerTable table; // rays: origin, direction, least and largest t; points: x, y, z
    } PeerWork;

    // 0 when done, otherwise the program's exit code. A task that the peer does not know is no error: it answers nothing.
    typedef int PeerFcn(const PeerWork* work);
    PeerFcn peer_embree, peer_fcl, peer_bullet;

    // Play the trial in one file and write the run into another. 0 when done.
    typedef int PeerWorldFcn(const char* trial, const char* run);
    PeerWorldFcn peer_bullet_world, peer_bullet_parts_world, peer_ode_world;
    int peer_play(const char* trial, const char* run, const rblTrialEngine* engine);

    // Read a file `repeats` times.
    int peer_assimp(const char* path, int repeats);

    // Seconds of a clock that never goes back.
    double peer_seconds(void);

    // Print the one line that a peer of a single figure answers with.
    void peer_answer(const char* name, double milliseconds, double count);

    // Print one of several figures.
    void peer_figure(const char* name, const char* metric, double value, double count);

    // The shortest of several runs, in milliseconds: at least two, and as many as fit into a third of a second.
    double peer_best(const PeerWork* work, void (*run)(void* context), void* context);

    // Whether two triangles meet in at least a point; triangles of one plane count as apart. In double from float corners:
    // the test that every peer without one of its own uses.
    int peer_triangles_meet(const PeerMesh* a, uint32_t triangle_a, const PeerMesh* b, uint32_t triangle_b);

    // Whether two triangles of one mesh have a vertex in common.
    int peer_share_vertex(const PeerMesh* mesh, uint32_t a, uint32_t b);

#ifdef __cplusplus
}
#endif

#endif
