#include "peers.h"

#include <assimp/cimport.h>
#include <assimp/scene.h>
#include <assimp/version.h>
#include <stdio.h>

static double count_faces(const struct aiScene* scene)
{
    double faces = 0;
    for (unsigned i = 0; i < scene->mNumMeshes; ++i)
    {
        faces += scene->mMeshes[i]->mNumFaces;
    }
    return faces;
}

// Without any post-processing, which is the fastest Assimp reads.
int peer_assimp(const char* path, int repeats)
{
    double best = 0;
    double faces = 0;
    for (int i = 0; i < repeats; ++i)
    {
        const double start = peer_seconds();
        const struct aiScene* scene = aiImportFile(path, 0);
        const double taken = peer_seconds() - start;
        if (scene == NULL)
        {
            fprintf(stderr, "rubble-peers: %s: %s\n", path, aiGetErrorString());
            return 1;
        }
        best = i == 0 || taken < best ? taken : best;
        faces = count_faces(scene);
        aiReleaseImport(scene);
    }
    char name[64];
    snprintf(name, sizeof name, "Assimp %u.%u.%u", aiGetVersionMajor(), aiGetVersionMinor(),
             aiGetVersionPatch());
    peer_answer(name, 1e3 * best, faces);
    return 0;
}
