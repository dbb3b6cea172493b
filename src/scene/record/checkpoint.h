// Checkpoints: a simulation in a file, to go on with in another process, as if it had never stopped. The same container as
// recordings (docs/recording.md); written whole or not at all. They belong to the build of Rubble that wrote them.
#ifndef RBL_SCENE_RECORD_CHECKPOINT_H
#define RBL_SCENE_RECORD_CHECKPOINT_H

#include "scene/run/simulate.h"

rblResult rbl_checkpoint_save(const rblSimulation* simulation, const char* path);

// Like rbl_simulation_start(), from where the checkpoint was written. The scene must be the one that it is of; meshes come
// from the checkpoint. Statistics begin at the start of the run; motion does not: it goes on into a recording, when
// rbl_simulation_record() is given the one of the steps before. rbl_simulation_free() in any case.
rblResult rbl_checkpoint_resume(rblSimulation* simulation, rblSceneId scene, const char* path);

#endif
