// The light that one ray of a picture returns.
#ifndef RBL_SCENE_PICTURE_PICTURE_LIGHT_H
#define RBL_SCENE_PICTURE_PICTURE_LIGHT_H

#include "math/vec.h"
#include "scene/picture/picture_camera.h"
#include "scene/picture/picture_sampler.h"

typedef struct rblPictureLight
{
    const rblPictureScene* scene;
    rblVec3 sun; // unit, towards the sun
    rblVec3 sun_x, sun_y;
    rblVec3 background;
    rblVec2 pool; // centre of the pool of light on the floor, x and z
    float pool_scale;
} rblPictureLight;

rblPictureLight rbl_picture_light(const rblPictureScene* scene, const rblPictureCamera* camera,
                                  const rblPictureDef* def);

// A unit vector, in float where that is exact enough for rays.
static inline rblVec3 rbl_picture_unit(rblVec3 v, rblVec3 fallback)
{
    const float square = rbl_dot3(v, v);
    return square > 1e-12f && square < 1e12f ? rbl_scale3(v, 1.0f / sqrtf(square))
                                             : rbl_normalize3(v, fallback);
}

// Data from earlier rays. It changes the speed of tracing, not the result.
typedef struct rblPictureTrace
{
    uint64_t rays;                     // number of rays
    uint32_t sun_blocker, sky_blocker; // leaves that hid sun and sky last; UINT32_MAX: none
} rblPictureTrace;

// Surface and light that a ray from the eye sees. Sky light is separate: it is noisy and changes slowly along a surface, so
// neighbours share it (picture_filter.c).
typedef struct rblPictureSample
{
    rblVec3 albedo;
    rblVec3 direct;   // sunlight
    rblVec3 sky;      // all other light
    rblVec3 normal;   // unit, towards the viewer
    rblVec3 point;    // units of the picture
    uint32_t surface; // floor, backdrop, or a part; crack faces, caps and inner sides are separate
} rblPictureSample;

#define RBL_SURFACE_BACKDROP UINT32_MAX
#define RBL_SURFACE_FLOOR    (UINT32_MAX - 1)

// `pixel` and `sample` select the points on sun and sky.
rblPictureSample rbl_picture_look(const rblPictureLight* light, rblVec3 eye, rblVec3 direction,
                                  const rblPixelSampler* pixel, uint32_t sample, rblPictureTrace* trace);

// Linear radiance of a surface in the given light. The floor is never brighter than the backdrop.
static inline rblVec3 rbl_picture_shade(uint32_t surface, rblVec3 albedo, rblVec3 direct, rblVec3 sky)
{
    const rblVec3 sum = rbl_add3(direct, sky);
    const rblVec3 lit = surface == RBL_SURFACE_FLOOR ? rbl_min3(sum, (rblVec3){1, 1, 1}) : sum;
    return (rblVec3){albedo.x * lit.x, albedo.y * lit.y, albedo.z * lit.z};
}

#endif
