// A scene in which things break, for tests of what becomes of it. Include after testing.h.
#ifndef RBL_TESTS_SMASH_TESTING_H
#define RBL_TESTS_SMASH_TESTING_H

#include "scene/read/scene.h"
#include "scene/run/simulate.h"
#include <string.h>

// A plate on two rails under a falling ball, and a wall that is broken on demand.
static const char smash[] =
    "{\"rubble\":1,\"step\":0.0333333333,\"duration\":0.8,\"seed\":7,"
    "\"materials\":{\"pane\":{\"preset\":\"glass\",\"breakImpulse\":3}},"
    "\"shapes\":{\"ground\":{\"kind\":\"plane\",\"normal\":[0,1,0]},"
    "\"plate\":{\"kind\":\"box\",\"size\":[0.4,0.01,0.4]},\"ball\":{\"kind\":\"sphere\",\"radius\":0.05},"
    "\"rail\":{\"kind\":\"box\",\"size\":[0.05,0.4,0.5]},\"wall\":{\"kind\":\"box\",\"size\":[1,1,0.1]}},"
    "\"bodies\":[{\"shape\":\"ground\",\"type\":\"static\"},"
    "{\"shape\":\"rail\",\"type\":\"static\",\"position\":[-0.175,0.2,0]},"
    "{\"shape\":\"rail\",\"type\":\"static\",\"position\":[0.175,0.2,0]},"
    "{\"name\":\"plate\",\"shape\":\"plate\",\"material\":\"pane\",\"position\":[0,0.405,0],"
    "\"fracture\":{\"method\":\"prescored\",\"pattern\":\"radial\",\"pieces\":20,\"generations\":1}},"
    "{\"name\":\"ball\",\"shape\":\"ball\",\"material\":\"steel\",\"position\":[0.02,0.8,0.01],"
    "\"velocity\":[0,-4,0]},"
    "{\"name\":\"wall\",\"shape\":\"wall\",\"type\":\"static\",\"position\":[2,0.5,0],\"anchor\":\"bottom\","
    "\"fracture\":{\"method\":\"prescored\",\"pattern\":\"voronoi\",\"pieces\":12,\"generations\":1}}],"
    "\"events\":[{\"time\":0.3,\"break\":{\"body\":\"wall\",\"at\":[2,0.7,0.05],\"normal\":[0,0,-1]}},"
    "{\"time\":0.5,\"explode\":{\"at\":[2,0.5,0],\"radius\":2,\"impulse\":0.5}},"
    "{\"time\":0.6,\"impulse\":{\"body\":\"plate\",\"impulse\":[0,1,0]}}]}";

static inline rblSceneId load(const char* text)
{
    rblSceneId scene;
    check_ok(rbl_scene_load_memory(text, strlen(text), "smash.json", &scene));
    return scene;
}

static inline void run_through(rblSimulation* simulation)
{
    while (!rbl_simulation_done(simulation))
    {
        check_ok(rbl_simulation_advance(simulation));
    }
    check_ok(rbl_simulation_finish(simulation));
}

#endif
