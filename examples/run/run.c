// A scene through time, into a file that Blender opens and a table of every step. Built by the tests against the installed library.
//   run [SCENE.json [OUT.glb [STATISTICS.json]]]
#include <rubble/rubble.h>
#include <stdio.h>
#include <string.h>

// A glass pane falls on a stone floor.
static const char* const pane = "{\"rubble\": 1, \"duration\": 1.0, \"shapes\": {"
                                "\"floor\": {\"kind\": \"plane\"},"
                                "\"pane\": {\"kind\": \"box\", \"size\": [0.6, 0.02, 0.6]}},"
                                "\"bodies\": ["
                                "{\"shape\": \"floor\", \"type\": \"static\", \"material\": \"stone\"},"
                                "{\"name\": \"pane\", \"shape\": \"pane\", \"material\": \"glass\","
                                " \"position\": [0, 1.5, 0],"
                                " \"fracture\": {\"method\": \"prescored\", \"pieces\": 20}}]}";

static bool show_progress(double fraction, void* context)
{
    (void)context;
    fprintf(stderr, "\r%3.0f %%", 100.0 * fraction);
    return true; // false would cancel
}

static rblResult run_scene(rblSceneId scene, const char* glb, const char* statistics)
{
    const rblProgress progress = {.report = show_progress};
    rblRunId run;
    rblRunView view;
    RBL_TRY(rbl_run_create(scene, NULL, &run));
    rblResult result = rbl_run_to_end(run, &progress);
    result = result == RBL_OK ? rbl_run_export(run, glb, NULL) : result;
    result = result == RBL_OK ? rbl_run_save_statistics(run, statistics) : result;
    result = result == RBL_OK ? rbl_run_view(run, &view) : result;
    if (result == RBL_OK)
    {
        printf("%u steps, %u bodies, %zu events: written to %s and %s\n", view.step, view.body_count,
               view.event_count, glb, statistics);
    }
    rbl_run_destroy(run);
    return result;
}

int main(int count, char** arguments)
{
    rblSceneId scene;
    rblResult result = count > 1 ? rbl_scene_load(arguments[1], &scene)
                                 : rbl_scene_load_memory(pane, strlen(pane), "pane.json", &scene);
    if (result == RBL_OK)
    {
        result =
            run_scene(scene, count > 2 ? arguments[2] : "run.glb", count > 3 ? arguments[3] : "run.json");
        rbl_scene_destroy(scene);
    }
    if (result != RBL_OK)
    {
        fprintf(stderr, "%s\n", rbl_last_error());
    }
    return result != RBL_OK;
}
