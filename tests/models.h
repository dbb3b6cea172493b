// Real models for tests: found through RUBBLE_MODELS, or beside the repository. A test that finds none of its models calls skip(), and a
// program all of whose tests were skipped returns SKIPPED.
#ifndef RBL_TESTS_MODELS_H
#define RBL_TESTS_MODELS_H

#include <stdio.h>
#include <stdlib.h>

#define SKIPPED 77 // SKIP_RETURN_CODE of ctest

// The path of a model, valid until the next call; null, after one line that says so, when it is not there.
static inline const char* model_path(const char* name)
{
    static char path[1024];
    const char* folder = getenv("RUBBLE_MODELS");
    folder = folder != NULL && folder[0] != '\0' ? folder : RBL_TEST_DATA "/../../../shared/models";
    snprintf(path, sizeof path, "%s/%s", folder, name);
    FILE* file = fopen(path, "rb");
    if (file == NULL)
    {
        printf("not checked: there is no model %s (set RUBBLE_MODELS)\n", path);
        return NULL;
    }
    fclose(file);
    return path;
}

#endif
