// What one ray of a picture sees.
#ifndef RBL_SCENE_PICTURE_LIGHT_H
#define RBL_SCENE_PICTURE_LIGHT_H

#include "scene/picture_camera.h"
#include "scene/picture_sampler.h"

typedef struct rblPictureLight
{
    const rblPictureScene* scene;
    rblVec3 sun; // unit, towards it
    rblVec3 sun_x, sun_y;
    rblVec3 background;
} rblPictureLight;

rblPictureLight rbl_picture_light(const rblPictureScene* scene, const rblPictureCamera* camera,
                                  const rblPictureDef* def);

// Linear radiance along a ray from the eye. `pixel` and `sample` choose the points on sun and sky; `rays` counts.
rblVec3 rbl_picture_radiance(const rblPictureLight* light, rblVec3 eye, rblVec3 direction,
                             const rblPixelSampler* pixel, uint32_t sample, uint64_t* rays);

#endif
