// rubble-peers assimp FILE REPEATS             time reading a file, print one line of JSON
// rubble-peers PEER TASK full|quick FILE...    time a task of a triangle hierarchy, print a line for every figure
// rubble-peers PEER-world NAME TRIAL RUN       play the scene in the file TRIAL and write what happened into RUN
// See bench/peer.h.
#define _POSIX_C_SOURCE 200809L
#include "peers.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

double peer_seconds(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

void peer_answer(const char* name, double milliseconds, double count)
{
    printf("{\"peer\": \"%s\", \"milliseconds\": %.6f, \"count\": %.0f}\n", name, milliseconds, count);
}

void peer_figure(const char* name, const char* metric, double value, double count)
{
    printf("{\"peer\": \"%s\", \"metric\": \"%s\", \"value\": %.6f, \"count\": %.0f}\n", name, metric, value,
           count);
    fflush(stdout);
}

double peer_best(const PeerWork* work, void (*run)(void* context), void* context)
{
    const int least = work->quick ? 1 : 2;
    const double budget = work->quick ? 0.0 : 0.35;
    double best = 0.0;
    double total = 0.0;
    for (int i = 0; i < least || total < budget; ++i)
    {
        const clock_t processor = clock();
        const double start = peer_seconds();
        run(context);
        const double passed = peer_seconds() - start;
        const double used = (double)(clock() - processor) / CLOCKS_PER_SEC;
        const double taken = used < passed ? used : passed; // as rbl_bvh_bench_best()
        best = i == 0 || taken < best ? taken : best;
        total += taken > 1e-6 ? taken : 1e-6;
    }
    return 1e3 * best;
}

static void* read_values(FILE* file, size_t count)
{
    // Embree reads 16 bytes at the last vertex.
    void* values = calloc(count + 4, sizeof(uint32_t));
    if (values != NULL && fread(values, sizeof(uint32_t), count, file) != count)
    {
        free(values);
        values = NULL;
    }
    return values;
}

static int read_mesh(const char* path, PeerMesh* mesh)
{
    FILE* file = fopen(path, "rb");
    uint32_t counts[2];
    int ok = file != NULL && fread(counts, sizeof counts, 1, file) == 1;
    if (ok)
    {
        mesh->vertex_count = counts[0];
        mesh->triangle_count = counts[1];
        mesh->positions = read_values(file, 3 * (size_t)counts[0]);
        mesh->indices = read_values(file, 3 * (size_t)counts[1]);
        ok = mesh->positions != NULL && mesh->indices != NULL;
    }
    if (file != NULL)
    {
        fclose(file);
    }
    return ok;
}

static int read_table(const char* path, PeerTable* table)
{
    FILE* file = fopen(path, "rb");
    uint32_t counts[2];
    int ok = file != NULL && fread(counts, sizeof counts, 1, file) == 1;
    if (ok)
    {
        table->row_count = counts[0];
        table->column_count = counts[1];
        table->values = read_values(file, (size_t)counts[0] * counts[1]);
        ok = table->values != NULL;
    }
    if (file != NULL)
    {
        fclose(file);
    }
    return ok;
}

static int run_task(PeerFcn* peer, int count, char** arguments)
{
    PeerWork work = {.task = arguments[0], .quick = strcmp(arguments[1], "quick") == 0};
    int ok = read_mesh(arguments[2], &work.mesh);
    if (count > 3 && strcmp(work.task, "overlap") == 0)
    {
        ok = ok && read_mesh(arguments[3], &work.other);
    }
    else if (count > 3)
    {
        ok = ok && read_table(arguments[3], &work.table);
    }
    if (!ok)
    {
        fprintf(stderr, "rubble-peers: the files of the task could not be read\n");
    }
    const int code = ok ? peer(&work) : 1;
    free(work.mesh.positions);
    free(work.mesh.indices);
    free(work.other.positions);
    free(work.other.indices);
    free(work.table.values);
    return code;
}

typedef struct Peer
{
    const char* name;
    PeerFcn* run;
} Peer;

static const Peer peers[] = {
#ifdef PEER_EMBREE
    {"embree", peer_embree},
#endif
#ifdef PEER_FCL
    {"fcl", peer_fcl},
#endif
#ifdef PEER_BULLET
    {"bullet", peer_bullet},
#endif
    {NULL, NULL},
};

typedef struct WorldPeer
{
    const char* name;
    PeerWorldFcn* run;
} WorldPeer;

static const WorldPeer world_peers[] = {
#ifdef PEER_BULLET_WORLD
    {"bullet-world", peer_bullet_world},
#endif
#ifdef PEER_BULLET_PARTS_WORLD
    {"bullet-parts-world", peer_bullet_parts_world},
#endif
#ifdef PEER_ODE_WORLD
    {"ode-world", peer_ode_world},
#endif
    {NULL, NULL},
};

// What this program was built with, a name a line.
static int list_peers(void)
{
#ifdef PEER_ASSIMP
    puts("assimp");
#endif
    for (const Peer* peer = peers; peer->name != NULL; ++peer)
    {
        puts(peer->name);
    }
    for (const WorldPeer* peer = world_peers; peer->name != NULL; ++peer)
    {
        puts(peer->name);
    }
    return 0;
}

int main(int argc, char** argv)
{
#ifdef PEER_ASSIMP
    if (argc == 4 && strcmp(argv[1], "assimp") == 0 && atoi(argv[3]) > 0)
    {
        return peer_assimp(argv[2], atoi(argv[3]));
    }
#endif
    if (argc == 2 && strcmp(argv[1], "list") == 0)
    {
        return list_peers();
    }
    for (const Peer* peer = peers; peer->name != NULL && argc >= 5; ++peer)
    {
        if (strcmp(argv[1], peer->name) == 0)
        {
            return run_task(peer->run, argc - 2, argv + 2);
        }
    }
    for (const WorldPeer* peer = world_peers; peer->name != NULL && argc == 5; ++peer)
    {
        if (strcmp(argv[1], peer->name) == 0)
        {
            return peer->run(argv[3], argv[4]);
        }
    }
    fprintf(stderr, "usage: rubble-peers list\n"
                    "       rubble-peers assimp FILE REPEATS\n"
                    "       rubble-peers PEER TASK full|quick FILE...\n"
                    "       rubble-peers PEER-world NAME TRIAL RUN\n");
    return 2;
}
