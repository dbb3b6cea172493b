// rubble-peers PEER FILE REPEATS: time what another library does, and print one line of JSON. See bench/peer.h.
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

int main(int argc, char** argv)
{
    const int repeats = argc == 4 ? atoi(argv[3]) : 0;
    if (repeats > 0 && strcmp(argv[1], "assimp") == 0)
    {
        return peer_assimp(argv[2], repeats);
    }
    fprintf(stderr, "usage: rubble-peers assimp FILE REPEATS\n");
    return 2;
}
