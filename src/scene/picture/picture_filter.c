// Samples of a pixel, and the light that neighbouring pixels share. The light of the sky is the noisy part of a picture,
// because each sample has one random direction. Along a surface it changes slowly. So pixels of one surface with similar
// normals near a common plane average it (a cross-bilateral filter: Petschnigg et al. 2004; Eisemann and Durand 2004). Colours
// and sunlight are not filtered, so edges, textures and shadow borders stay sharp.
#include "scene/picture/picture_filter.h"

static const float sharp_bend =
    0.9f; // cosine between normals in one pixel: below it, the surface is not smooth
static const float even_light =
    0.03f; // of the brightness of the sun: largest difference of direct light on an even surface
static const float plane_distance = 4.0f; // px: largest distance from the common plane
static const float binomial[RBL_FILTER_REACH + 1] = {20.0f, 15.0f, 6.0f, 1.0f};

static float brightness(rblVec3 color)
{
    return color.x + color.y + color.z;
}

void rbl_texel_add(rblTexel* texel, const rblPictureSample* sample)
{
    const float direct = brightness(sample->direct);
    if (texel->count == 0)
    {
        texel->surface = sample->surface;
        texel->normal = sample->normal;
        texel->point = sample->point;
        texel->low = texel->high = direct;
    }
    texel->mixed = texel->mixed || texel->surface != sample->surface ||
                   rbl_dot3(texel->normal, sample->normal) < sharp_bend;
    texel->low = rbl_minf(texel->low, direct);
    texel->high = rbl_maxf(texel->high, direct);
    texel->color = rbl_add3(texel->color,
                            rbl_picture_shade(sample->surface, sample->albedo, sample->direct, sample->sky));
    texel->albedo = rbl_add3(texel->albedo, sample->albedo);
    texel->direct = rbl_add3(texel->direct, sample->direct);
    texel->sky = rbl_add3(texel->sky, sample->sky);
    texel->count += 1;
}

bool rbl_texel_is_smooth(const rblTexelRows* rows, uint32_t x, uint32_t y)
{
    const rblTexel* texel = rbl_texel(rows, x, y);
    for (uint32_t ny = y > rows->first ? y - 1 : y; ny <= y + 1 && ny < rows->end; ++ny)
    {
        for (uint32_t nx = x > 0 ? x - 1 : 0; nx <= x + 1 && nx < rows->width; ++nx)
        {
            const rblTexel* other = rbl_texel(rows, nx, ny);
            const float low = rbl_minf(texel->low, other->low);
            const float high = rbl_maxf(texel->high, other->high);
            if (other->mixed || other->surface != texel->surface ||
                rbl_dot3(other->normal, texel->normal) < sharp_bend || high - low > 3.0f * even_light)
            {
                return false;
            }
        }
    }
    return true;
}

// The weight of the sky light of a neighbour, 0 to 1.
static float similarity(const rblTexel* texel, const rblTexel* other, float reach)
{
    if (other->mixed || other->surface != texel->surface)
    {
        return 0.0f;
    }
    const float off = rbl_dot3(texel->normal, rbl_sub3(other->point, texel->point));
    float cosine = rbl_maxf(0.0f, rbl_dot3(texel->normal, other->normal));
    for (int i = 0; i < 5; ++i)
    {
        cosine *= cosine; // finally to the power of 32
    }
    return fabsf(off) <= reach ? cosine : 0.0f;
}

static rblVec3 shared_sky(const rblTexelRows* rows, uint32_t x, uint32_t y)
{
    const rblTexel* texel = rbl_texel(rows, x, y);
    const float reach = plane_distance * rows->pixel_angle * rbl_length3(rbl_sub3(texel->point, rows->eye));
    rblVec3 sum = {0, 0, 0};
    float weights = 0.0f;
    for (int dy = -RBL_FILTER_REACH; dy <= RBL_FILTER_REACH; ++dy)
    {
        for (int dx = -RBL_FILTER_REACH; dx <= RBL_FILTER_REACH; ++dx)
        {
            const int64_t nx = (int64_t)x + dx;
            const int64_t ny = (int64_t)y + dy;
            if (nx < 0 || nx >= rows->width || ny < rows->first || ny >= rows->end)
            {
                continue;
            }
            const rblTexel* other = rbl_texel(rows, (uint32_t)nx, (uint32_t)ny);
            const float weight =
                binomial[dx < 0 ? -dx : dx] * binomial[dy < 0 ? -dy : dy] * similarity(texel, other, reach);
            sum = rbl_mul_add3(sum, weight, other->sky);
            weights += weight * (float)other->count;
        }
    }
    return rbl_scale3(sum, 1.0f / weights);
}

rblVec3 rbl_texel_resolve(const rblTexelRows* rows, uint32_t x, uint32_t y)
{
    const rblTexel* texel = rbl_texel(rows, x, y);
    const float part = 1.0f / (float)texel->count;
    if (texel->mixed || texel->surface == RBL_SURFACE_BACKDROP)
    {
        return rbl_scale3(texel->color, part);
    }
    return rbl_picture_shade(texel->surface, rbl_scale3(texel->albedo, part), rbl_scale3(texel->direct, part),
                             shared_sky(rows, x, y));
}
