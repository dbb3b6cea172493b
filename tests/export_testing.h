// A small run to export, and a folder to export it to.
#ifndef RBL_TESTS_EXPORT_TESTING_H
#define RBL_TESTS_EXPORT_TESTING_H

#include "failing_allocator.h"
#include "testing.h"

#include "scene/export/export.h"
#include "scene/run/simulate.h"
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static char folder[32];
static rblSceneId scene;
static rblSimulation simulation;

// A box rests on the floor, a ball with an odd name falls beside it, a second ball appears and the first is taken away.
static const char text[] =
    "{\"rubble\":1,\"step\":0.02,\"duration\":0.4,"
    "\"shapes\":{\"ground\":{\"kind\":\"plane\",\"normal\":[0,1,0]},\"ball\":{\"kind\":\"sphere\",\"radius\":"
    "0.1},"
    "\"brick\":{\"kind\":\"box\",\"size\":[0.2,0.1,0.1]}},"
    "\"bodies\":[{\"name\":\"floor\",\"shape\":\"ground\",\"type\":\"static\",\"material\":\"stone\"},"
    "{\"name\":\"brick\",\"shape\":\"brick\",\"material\":\"clay\",\"position\":[0,0.05,0]},"
    "{\"name\":\"a, \\\"b\\\" "
    "<c>\",\"shape\":\"ball\",\"material\":\"steel\",\"position\":[1,3,0],\"spin\":[0,5,0]}],"
    "\"events\":[{\"time\":0.1,\"spawn\":{\"name\":\"late\",\"shape\":\"ball\",\"material\":\"steel\","
    "\"position\":[0,3,2]}},{\"time\":0.3,\"remove\":{\"body\":\"a, \\\"b\\\" <c>\"}}]}";

static inline int start(void** state)
{
    (void)state;
    snprintf(folder, sizeof folder, "/tmp/rubble_export_XXXXXX");
    assert_non_null(mkdtemp(folder));
    check_ok(rbl_scene_load_memory(text, sizeof text - 1, "test.json", &scene));
    check_ok(rbl_simulation_start(&simulation, scene, true));
    while (!rbl_simulation_done(&simulation))
    {
        check_ok(rbl_simulation_advance(&simulation));
    }
    check_ok(rbl_simulation_finish(&simulation));
    return 0;
}

static inline int finish(void** state)
{
    (void)state;
    char command[128];
    rbl_simulation_free(&simulation);
    check_ok(rbl_scene_destroy(scene));
    assert_int_equal(rbl_mesh_alive_count(), 0);
    snprintf(command, sizeof command, "rm -r %s", folder);
    return system(command);
}

static inline const char* in_folder(const char* name)
{
    static char paths[4][128];
    static int next = 0;
    char* path = paths[next++ % 4];
    snprintf(path, 128, "%s/%s", folder, name);
    return path;
}

static inline char* read_file(const char* name, size_t* size)
{
    FILE* file = fopen(in_folder(name), "rb");
    assert_non_null(file);
    char* bytes = calloc(1, 1 << 22);
    *size = fread(bytes, 1, (1 << 22) - 1, file);
    fclose(file);
    return bytes;
}

static inline uint32_t count_of(const char* haystack, const char* needle)
{
    uint32_t count = 0;
    for (const char* c = strstr(haystack, needle); c != NULL; c = strstr(c + 1, needle))
    {
        ++count;
    }
    return count;
}

static inline rblResult export_to(const char* name, uint32_t every)
{
    rblExportOptions options = rbl_default_export_options();
    options.every = every;
    return rbl_export(&simulation.run, in_folder(name), &options);
}

// The same with memory that can be made to run out.
static FailingAllocator memory;

static inline int start_scarce(void** state)
{
    failing_allocator_start(&memory, SIZE_MAX);
    check_ok(rbl_set_allocator(&memory.allocator));
    return start(state);
}

static inline int finish_scarce(void** state)
{
    const int code = finish(state);
    check_ok(rbl_set_allocator(NULL));
    return code;
}

#endif
