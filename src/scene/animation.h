// The motion of a run: poses by body and step, and how they become a file.
#ifndef RBL_SCENE_ANIMATION_H
#define RBL_SCENE_ANIMATION_H

#include "base/array.h"
#include "rubble/scene.h"

typedef struct rblPoseKey
{
    uint32_t step;
    rblTransform pose;
} rblPoseKey;

// One body. While it rests there are two equal keys only, at the beginning and the end of the rest.
typedef struct rblTrack
{
    RBL_ARRAY(rblPoseKey) keys;
    uint32_t birth; // the step at which it is there first; RBL_NONE: never
    uint32_t death; // the step at which it is gone; RBL_NONE: never
} rblTrack;

typedef struct rblAnimation
{
    const rblAllocator* allocator;
    rblTrack* tracks; // by body of the scene
    uint32_t track_count;
    uint32_t step_count; // the last step recorded
} rblAnimation;

rblResult rbl_animation_init(rblAnimation* animation, uint32_t body_count, const rblAllocator* allocator);
void rbl_animation_free(rblAnimation* animation);

// Add the poses of all bodies at a step; `bodies` as rbl_scene_build() gave them.
rblResult rbl_animation_record(rblAnimation* animation, rblWorldId world, const rblBodyId* bodies,
                               uint32_t step);

// The pose of a body at a step. False: it is not there.
bool rbl_animation_pose(const rblAnimation* animation, uint32_t body, uint32_t step, rblTransform* out);

// A prepared shape's surface as it is drawn: with UVs and, for planes, a square that is large for the scene. To be
// destroyed by the caller.
rblResult rbl_scene_drawn_surface(rblSceneId scene, uint32_t shape, rblMeshId* out);

// glTF 2.0: a node per body, named after it; meshes shared by bodies of one shape and material; keys in seconds. Bodies
// that are not there have a scale of 0.
rblResult rbl_animation_write_glb(const rblAnimation* animation, rblSceneId scene, const char* path);

// A contact sheet: frames from the first to the last step, seen by the scene's camera.
rblResult rbl_animation_write_png(const rblAnimation* animation, rblSceneId scene, const char* path);

#endif
