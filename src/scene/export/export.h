// Writers of runs in formats of other programs. All files are in metres, seconds, right-handed with Y up, and state so.
#ifndef RBL_SCENE_EXPORT_EXPORT_H
#define RBL_SCENE_EXPORT_EXPORT_H

#include "io/folder.h"
#include "mesh/mesh.h"
#include "rubble/exporter.h"
#include "scene/run/run.h"

// Write a run in the format of the ending of `path` (rubble/exporter.h). The options must be checked.
rblResult rbl_export(const rblRun* run, const char* path, const rblExportOptions* options);

rblResult rbl_export_glb(const rblRun* run, const char* path, const rblExportOptions* options);
rblResult rbl_export_png(const rblRun* run, const char* path, const rblExportOptions* options);
rblResult rbl_export_csv(const rblRun* run, const char* path, const rblExportOptions* options);
rblResult rbl_export_obj(const rblRun* run, const char* path, const rblExportOptions* options);
rblResult rbl_export_pvd(const rblRun* run, const char* path, const rblExportOptions* options);
rblResult rbl_export_usda(const rblRun* run, const char* path, const rblExportOptions* options);

// ---- shared by the writers ----

// Surfaces to draw, one per shape that a body uses. A format stores either world positions of every frame, which
// rbl_export_vertex() gives, or 32-bit positions relative to `origins`, and adds the origin before the pose.
typedef struct rblExportSurfaces
{
    const rblRun* run;
    rblMeshId* ids;
    rblMeshView* views; // zeros for shapes that no body uses
    rblVec3d* origins;  // 0 unless the surface is far from the origin of its shape, compared with its size
} rblExportSurfaces;

rblResult rbl_export_surfaces_open(rblExportSurfaces* surfaces, const rblRun* run);
void rbl_export_surfaces_close(rblExportSurfaces* surfaces);

// Whether an origin is not 0.
bool rbl_export_is_moved(rblVec3d origin);

// A pose in 64 bits, with a rotation of exactly unit length, and a vertex of a surface in the world at that pose. Positions in
// 32 bits would lose the shape of small bodies far from the origin.
typedef struct rblExportPose
{
    rblQuatd q;
    rblVec3d p;
} rblExportPose;

rblExportPose rbl_export_pose(rblTransform pose);
rblVec3d rbl_export_vertex(const rblExportPose* pose, const rblMeshView* view, uint32_t vertex);

// Number of frames: the steps 0, every, 2 every, ...
uint32_t rbl_export_frame_count(const rblRun* run, const rblExportOptions* options);

// Whether an animation of every n-th step contains this key. It contains the keys of these steps, the first and the last key of
// a body, and the keys before and after a rest, so that interpolation does not move a resting body.
bool rbl_export_keeps_key(const rblRunBody* body, size_t key, uint32_t every);

// Number of digits for file names of that many frames, at least 4.
int rbl_export_digits(uint32_t frame_count);

// Whether a face is a crack face, and the linear colour of crack faces or of the outer surface.
bool rbl_export_is_crack(const rblMeshView* view, uint32_t face);
void rbl_export_color(const rblSceneMaterial* material, bool crack, float out[3]);

// The file name of a path, and the length of a path without its ending.
const char* rbl_path_last(const char* path);
size_t rbl_path_stem_length(const char* path);

// The folder of the frames of a .pvd file.
rblResult rbl_export_pvd_folder(const char* path, char out[RBL_PATH_SIZE]);

// Report progress. RBL_ERROR_CANCELLED when the caller asks to stop.
rblResult rbl_export_progress(const rblExportOptions* options, uint32_t done, uint32_t all);

#endif
