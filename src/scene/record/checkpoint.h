// Checkpoints: a simulation in a file, so that another process can continue it exactly. The container is that of recordings
// (docs/recording.md). A file is written completely or not at all. Only the build of Rubble that wrote a checkpoint can read
// it.
#ifndef RBL_SCENE_RECORD_CHECKPOINT_H
#define RBL_SCENE_RECORD_CHECKPOINT_H

#include "scene/run/simulate.h"

rblResult rbl_checkpoint_save(const rblSimulation* simulation, const char* path);

// Like rbl_simulation_start(), from the state of the checkpoint. The scene must be that of the checkpoint; meshes come from the
// checkpoint. Statistics begin at the start of the run. Motion in memory does not; a recording continues when
// rbl_simulation_record() gets the recording of the steps before. rbl_simulation_free() is required in any case.
rblResult rbl_checkpoint_resume(rblSimulation* simulation, rblSceneId scene, const char* path);

#endif
