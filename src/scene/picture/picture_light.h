// What one ray of a picture sees.
#ifndef RBL_SCENE_PICTURE_PICTURE_LIGHT_H
#define RBL_SCENE_PICTURE_PICTURE_LIGHT_H

#include "math/vec.h"
#include "scene/picture/picture_camera.h"
#include "scene/picture/picture_sampler.h"

typedef struct rblPictureLight
{
    const rblPictureScene* scene;
    rblVec3 sun; // unit, towards it
    rblVec3 sun_x, sun_y;
    rblVec3 background;
    rblVec2 pool; // the middle of the pool of light on the floor, x and z
    float pool_scale;
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

// What a ray from the eye sees: a surface of some colour, and the light on it. That of the sky is apart: it is noisy and
// changes slowly along a surface, so that neighbours may share it (picture_filter.c).
typedef struct rblPictureSample
{
    rblVec3 albedo;
    rblVec3 direct;   // light of the sun
    rblVec3 sky;      // and of everything else
    rblVec3 normal;   // unit, towards the viewer
    rblVec3 point;    // units of the picture
    uint32_t surface; // which: floor, backdrop, or a part, its cracks, caps and wrong side apart
} rblPictureSample;

#define RBL_SURFACE_BACKDROP UINT32_MAX
#define RBL_SURFACE_FLOOR    (UINT32_MAX - 1)

// `pixel` and `sample` choose the points on sun and sky.
rblPictureSample rbl_picture_look(const rblPictureLight* light, rblVec3 eye, rblVec3 direction,
                                  const rblPixelSampler* pixel, uint32_t sample, rblPictureTrace* trace);

// Linear radiance of a surface in some light. The floor is never brighter than the backdrop.
static inline rblVec3 rbl_picture_shade(uint32_t surface, rblVec3 albedo, rblVec3 direct, rblVec3 sky)
{
    const rblVec3 sum = rbl_add3(direct, sky);
    const rblVec3 lit = surface == RBL_SURFACE_FLOOR ? rbl_min3(sum, (rblVec3){1, 1, 1}) : sum;
    return (rblVec3){albedo.x * lit.x, albedo.y * lit.y, albedo.z * lit.z};
}

#endif
