// Light of the sky, shared by pixels that see one surface.
#ifndef RBL_SCENE_PICTURE_PICTURE_FILTER_H
#define RBL_SCENE_PICTURE_PICTURE_FILTER_H

#include "scene/picture/picture_light.h"

// Pixels to either side that share.
#define RBL_FILTER_REACH 3

// What the samples of a pixel saw: sums.
typedef struct rblTexel
{
    rblVec3 color;         // radiance
    rblVec3 albedo;        // these four mean something while all samples saw one surface
    rblVec3 direct, sky;   //
    rblVec3 normal, point; // of the first sample
    float low, high;       // least and greatest brightness of the direct light
    uint32_t surface;      // of the first sample
    uint32_t count;        // samples
    bool mixed;            // they saw several surfaces, or one that bends sharply
    bool settled;          // it needs no more samples
} rblTexel;

// Rows of pixels: those of a band, and enough of the band before it.
typedef struct rblTexelRows
{
    rblTexel* texels;
    uint32_t width;
    uint32_t first, end; // rows of the picture that are there
    float pixel_angle;   // size of a pixel at distance one
    rblVec3 eye;
} rblTexelRows;

static inline rblTexel* rbl_texel(const rblTexelRows* rows, uint32_t x, uint32_t y)
{
    return &rows->texels[(size_t)(y - rows->first) * rows->width + x];
}

void rbl_texel_add(rblTexel* texel, const rblPictureSample* sample);

// Whether a pixel and those around it see one surface in even direct light: its samples are enough then.
bool rbl_texel_is_smooth(const rblTexelRows* rows, uint32_t x, uint32_t y);

// Linear radiance of a pixel.
rblVec3 rbl_texel_resolve(const rblTexelRows* rows, uint32_t x, uint32_t y);

#endif
