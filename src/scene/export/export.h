// Runs into the formats that other programs open. Metres, seconds, right-handed, Y up: each file says so itself.
#ifndef RBL_SCENE_EXPORT_EXPORT_H
#define RBL_SCENE_EXPORT_EXPORT_H

#include "io/folder.h"
#include "mesh/mesh.h"
#include "rubble/exporter.h"
#include "scene/run/run.h"

// Write a run as the ending of `path` says (rubble/exporter.h); the options were checked.
rblResult rbl_export(const rblRun* run, const char* path, const rblExportOptions* options);

rblResult rbl_export_glb(const rblRun* run, const char* path, const rblExportOptions* options);
rblResult rbl_export_png(const rblRun* run, const char* path, const rblExportOptions* options);
rblResult rbl_export_csv(const rblRun* run, const char* path, const rblExportOptions* options);
rblResult rbl_export_obj(const rblRun* run, const char* path, const rblExportOptions* options);
rblResult rbl_export_pvd(const rblRun* run, const char* path, const rblExportOptions* options);
rblResult rbl_export_usda(const rblRun* run, const char* path, const rblExportOptions* options);

// ---- shared by the writers ----

// Surfaces to draw, one per shape that a body uses.
typedef struct rblExportSurfaces
{
    const rblRun* run;
    rblMeshId* ids;
    rblMeshView* views; // zeroed for shapes that nobody uses
} rblExportSurfaces;

rblResult rbl_export_surfaces_open(rblExportSurfaces* surfaces, const rblRun* run);
void rbl_export_surfaces_close(rblExportSurfaces* surfaces);

// Frames are the steps 0, every, 2 every, ... and their count.
uint32_t rbl_export_frame_count(const rblRun* run, const rblExportOptions* options);

// Whether an animation of every n-th step has this key: those of these steps, the first and the last of a body, and those
// before and after a rest, so that what rests does not creep.
bool rbl_export_keeps_key(const rblRunBody* body, size_t key, uint32_t every);

// Digits for the numbers of that many frames, at least 4.
int rbl_export_digits(uint32_t frame_count);

// Whether breaking laid a face open, and the linear colour of such a face or of the skin.
bool rbl_export_is_crack(const rblMeshView* view, uint32_t face);
void rbl_export_color(const rblSceneMaterial* material, bool crack, float out[3]);

// What follows the last slash of a path, and how long a path is without its ending.
const char* rbl_path_last(const char* path);
size_t rbl_path_stem_length(const char* path);

// The folder of a .pvd file.
rblResult rbl_export_pvd_folder(const char* path, char out[RBL_PATH_SIZE]);

// Tell how far it is; RBL_ERROR_CANCELLED when that asks to stop.
rblResult rbl_export_progress(const rblExportOptions* options, uint32_t done, uint32_t all);

#endif
