// Sky light that pixels of one surface share.
#ifndef RBL_SCENE_PICTURE_PICTURE_FILTER_H
#define RBL_SCENE_PICTURE_PICTURE_FILTER_H

#include "scene/picture/picture_light.h"

// Radius of the filter, px.
#define RBL_FILTER_REACH 3

// Sums over the samples of a pixel.
typedef struct rblTexel
{
    rblVec3 color;         // radiance
    rblVec3 albedo;        // this and the next three fields are valid while all samples see one surface
    rblVec3 direct, sky;   //
    rblVec3 normal, point; // of the first sample
    float low, high;       // smallest and largest brightness of the direct light
    uint32_t surface;      // of the first sample
    uint32_t count;        // samples
    bool mixed;            // the samples see several surfaces, or one with a sharp edge
    bool settled;          // no more samples are needed
} rblTexel;

// Rows of pixels: those of a band, and the last ones of the band before.
typedef struct rblTexelRows
{
    rblTexel* texels;
    uint32_t width;
    uint32_t first, end; // stored rows of the picture
    float pixel_angle;   // size of a pixel at distance one
    rblVec3 eye;
} rblTexelRows;

static inline rblTexel* rbl_texel(const rblTexelRows* rows, uint32_t x, uint32_t y)
{
    return &rows->texels[(size_t)(y - rows->first) * rows->width + x];
}

void rbl_texel_add(rblTexel* texel, const rblPictureSample* sample);

// Whether a pixel and its neighbours see one surface in even direct light. It then needs no more samples.
bool rbl_texel_is_smooth(const rblTexelRows* rows, uint32_t x, uint32_t y);

// Linear radiance of a pixel.
rblVec3 rbl_texel_resolve(const rblTexelRows* rows, uint32_t x, uint32_t y);

#endif
