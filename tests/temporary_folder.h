// A folder of a test's own, made before it and removed after it. Tests define _XOPEN_SOURCE for mkdtemp.
#ifndef RBL_TESTS_TEMPORARY_FOLDER_H
#define RBL_TESTS_TEMPORARY_FOLDER_H

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static char folder[64];

static inline const char* in_folder(const char* name)
{
    static char paths[4][512];
    static int next = 0;
    next = (next + 1) % 4;
    snprintf(paths[next], sizeof paths[next], "%s/%s", folder, name);
    return paths[next];
}

static inline int make_folder(void** state)
{
    (void)state;
    snprintf(folder, sizeof folder, "/tmp/rubble-test-XXXXXX");
    return mkdtemp(folder) != NULL ? 0 : -1;
}

static inline int remove_folder(void** state)
{
    (void)state;
    DIR* directory = opendir(folder);
    for (struct dirent* entry = readdir(directory); entry != NULL; entry = readdir(directory))
    {
        if (strcmp(entry->d_name, ".") != 0 && strcmp(entry->d_name, "..") != 0)
        {
            remove(in_folder(entry->d_name));
        }
    }
    closedir(directory);
    return rmdir(folder);
}

static inline int count_entries(void)
{
    int count = -2; // . and ..
    DIR* directory = opendir(folder);
    while (readdir(directory) != NULL)
    {
        count += 1;
    }
    closedir(directory);
    return count;
}

#endif
