// What one ray of a picture sees.
#ifndef RBL_SCENE_PICTURE_LIGHT_H
#define RBL_SCENE_PICTURE_LIGHT_H

#include "math/vec.h"
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

// A vector at unit length, in 32 bits where that is safe: rays need no more.
static inline rblVec3 rbl_picture_unit(rblVec3 v, rblVec3 fallback)
{
    const float square = rbl_dot3(v, v);
    return square > 1e-12f && square < 1e12f ? rbl_scale3(v, 1.0f / sqrtf(square))
                                             : rbl_normalize3(v, fallback);
}

// What tracing keeps from one ray to the next. It changes how soon answers come, not what they are.
typedef struct rblPictureTrace
{
    uint64_t rays;                     // counted
    uint32_t sun_blocker, sky_blocker; // leaves that hid them last; UINT32_MAX: none yet
} rblPictureTrace;

// Linear radiance along a ray from the eye. `pixel` and `sample` choose the points on sun and sky.
rblVec3 rbl_picture_radiance(const rblPictureLight* light, rblVec3 eye, rblVec3 direction,
                             const rblPixelSampler* pixel, uint32_t sample, rblPictureTrace* trace);

#endif
