// Lights and materials of a picture: a gradient sky, a sun with soft shadows, matte surfaces, and a floor that continues into
// the backdrop.
#include "scene/picture/picture_light.h"

#include "bvh/query/ray.h"
#include "math/aabb.h"
#include "math/vec.h"

static const rblVec3 sun_color = {0.98f, 0.90f, 0.78f};    // irradiance of a surface that faces it
static const rblVec3 zenith_color = {0.40f, 0.46f, 0.55f}; // radiance
static const rblVec3 horizon_color = {0.48f, 0.49f, 0.50f};
static const float sun_size = 0.055f; // tangent of its radius: six times the real one, like a studio lamp
static const float far_floor = 60.0f; // no shadows beyond this distance from the middle

enum
{
    PURPOSE_SUN = 1, // 0 is the position in the pixel
    PURPOSE_SKY
};

static rblVec3 times(rblVec3 a, rblVec3 b)
{
    return (rblVec3){a.x * b.x, a.y * b.y, a.z * b.z};
}

static rblVec3 mix(rblVec3 a, rblVec3 b, float t)
{
    return rbl_mul_add3(a, t, rbl_sub3(b, a));
}

static float smooth_step(float low, float high, float x)
{
    const float t = rbl_clampf((x - low) / (high - low), 0.0f, 1.0f);
    return t * t * (3.0f - 2.0f * t);
}

// Two unit vectors that make a right-handed frame with a third (Duff et al. 2017, "Building an Orthonormal Basis,
// Revisited").
static void make_frame(rblVec3 n, rblVec3* x, rblVec3* y)
{
    const float sign = n.z < 0.0f ? -1.0f : 1.0f;
    const float a = -1.0f / (sign + n.z);
    const float b = n.x * n.y * a;
    *x = (rblVec3){1.0f + sign * n.x * n.x * a, sign * b, -sign * n.x};
    *y = (rblVec3){b, sign + n.y * n.y * a, -n.y};
}

// The pool of light is around the items. In frames of a run, whose floor is given and which bodies may leave, it is at the
// target of the camera: an eye that shows the unit ball of the picture in a view of 0.6 radians has the distance POOL_DISTANCE.
#define POOL_DISTANCE 3.6

static void place_pool(rblPictureLight* light, const rblPictureDef* def)
{
    light->pool_scale = 1.0f;
    if (def->has_floor && def->has_eye && def->has_target)
    {
        const rblVec3d target = rbl_to_picture(light->scene, def->target);
        const double distance = rbl_length3d(rbl_sub3d(rbl_to_picture(light->scene, def->eye), target));
        light->pool = (rblVec2){(float)target.x, (float)target.z};
        light->pool_scale = (float)(POOL_DISTANCE / rbl_maxd(distance, 1e-6));
    }
}

rblPictureLight rbl_picture_light(const rblPictureScene* scene, const rblPictureCamera* camera,
                                  const rblPictureDef* def)
{
    rblPictureLight light = {.scene = scene, .background = def->background};
    // The sun is behind the left shoulder of the viewer, 45 degrees up. Shadows then fall to the right and back. A cut plane
    // faces the light.
    const rblVec3 right = rbl_normalize3((rblVec3){camera->right.x, 0, camera->right.z}, (rblVec3){1, 0, 0});
    const rblVec3 back = rbl_cross3(right, (rblVec3){0, 1, 0});
    rblVec3 side = rbl_add3(rbl_scale3(right, -0.80f), rbl_scale3(back, 0.60f));
    if (scene->has_cut)
    {
        const rblVec3 n = {scene->cut_normal.x, 0, scene->cut_normal.z};
        side = rbl_normalize3(rbl_add3(side, rbl_scale3(n, 0.7f)), side);
    }
    const rblVec3 fallback = rbl_normalize3(rbl_add3(side, (rblVec3){0, 1.05f, 0}), (rblVec3){0, 1, 0});
    light.sun = rbl_to_float3(rbl_normalize3d(def->sun, rbl_to_double3(fallback)));
    make_frame(light.sun, &light.sun_x, &light.sun_y);
    place_pool(&light, def);
    return light;
}

// ---- rays ----

// Flag of a surface that is seen from inside. It uses the bit of a flag that only cut planes need. Caps are crack faces, too.
#define SEEN_FROM_INSIDE 2u

typedef struct Seen
{
    rblVec3 point;
    rblVec3 face_normal; // towards the viewer
    rblVec3 normal;      // interpolated, towards the viewer
    rblVec3 safe_point;  // start of shadow rays
    rblVec3 albedo;
    uint32_t surface;
} Seen;

// Clip a ray to the visible side of the cut plane. False: nothing is left. `entered`: the ray begins on the other side.
static bool clip_ray(const rblPictureScene* scene, rblRay* ray, bool* entered)
{
    *entered = false;
    if (!scene->has_cut)
    {
        return true;
    }
    const float height = rbl_dot3(scene->cut_normal, ray->origin) - scene->cut_offset;
    const float slope = rbl_dot3(scene->cut_normal, ray->direction);
    if (height <= 0.0f)
    {
        ray->t_max = slope > 0.0f ? rbl_minf(ray->t_max, -height / slope) : ray->t_max;
        return ray->t_min <= ray->t_max;
    }
    if (slope >= 0.0f)
    {
        return false;
    }
    *entered = true;
    ray->t_min = rbl_maxf(ray->t_min, -height / slope);
    return ray->t_min <= ray->t_max;
}

// A ray that enters through the cut plane inside a solid intersects its surface later, so caps need no test here.
static bool is_blocked(const rblPictureScene* scene, rblVec3 from, rblVec3 direction, float t_max,
                       uint32_t* blocker)
{
    rblRay ray = {from, direction, 0.0f, t_max};
    bool entered;
    return clip_ray(scene, &ray, &entered) && rbl_ray_tree_blocked(&scene->tree, &scene->rays, &ray, blocker);
}

// ---- sky, floor ----

static rblVec3 sky_radiance(rblVec3 direction)
{
    return mix(horizon_color, zenith_color, rbl_maxf(direction.y, 0.0f));
}

// Floor and backdrop form one continuous surface: a pool of light around the middle that fades into the colour of the distance,
// and a wall that becomes a little darker upwards.
static rblVec3 backdrop(const rblPictureLight* light, rblVec3 direction)
{
    const float up = smooth_step(-0.02f, 0.55f, direction.y);
    return times(light->background, mix((rblVec3){0.86f, 0.87f, 0.88f}, (rblVec3){0.60f, 0.64f, 0.69f}, up));
}

static rblVec3 floor_color(const rblPictureLight* light, rblVec3 point, rblVec3 direction)
{
    const float x = light->pool_scale * (point.x - light->pool.x);
    const float z = light->pool_scale * (point.z - light->pool.y);
    const float distance = sqrtf(x * x + z * z);
    return mix(light->background, backdrop(light, direction), smooth_step(0.6f, 7.0f, distance));
}

// sin(pi / 2 x) for x in 0 to 1 by its series, with an error of at most 4e-6.
static float quarter_sine(float x)
{
    const float s = x * x;
    return x *
           (1.5707963f - s * (0.64596410f - s * (0.079692626f - s * (0.0046817541f - s * 0.00016044118f))));
}

// The point on the unit circle at a fraction of the full turn.
static rblVec2 point_on_circle(float turn)
{
    const float quarters = 4.0f * turn;
    const int quarter = (int)quarters;
    const float sine = quarter_sine(quarters - (float)quarter);
    const float cosine = quarter_sine(1.0f - (quarters - (float)quarter));
    const rblVec2 points[4] = {{cosine, sine}, {-sine, cosine}, {-cosine, -sine}, {sine, -cosine}};
    return points[quarter & 3];
}

static rblVec3 point_on_sun(const rblPictureLight* light, rblVec2 u)
{
    const float radius = sun_size * sqrtf(u.x);
    const rblVec2 around = point_on_circle(u.y);
    return rbl_add3(light->sun, rbl_add3(rbl_scale3(light->sun_x, radius * around.x),
                                         rbl_scale3(light->sun_y, radius * around.y)));
}

// A direction around the normal with a density proportional to its cosine (Malley's method).
static rblVec3 point_on_sky(rblVec3 normal, rblVec2 u)
{
    rblVec3 x, y;
    make_frame(normal, &x, &y);
    const float radius = sqrtf(u.x);
    const float height = sqrtf(rbl_maxf(0.0f, 1.0f - u.x));
    const rblVec2 around = point_on_circle(u.y);
    return rbl_add3(rbl_scale3(normal, height),
                    rbl_add3(rbl_scale3(x, radius * around.x), rbl_scale3(y, radius * around.y)));
}

// The floor has the colour of the backdrop, darkened where items hide sun and sky.
static rblPictureSample shade_floor(const rblPictureLight* light, rblVec3 point, rblVec3 direction,
                                    const rblPixelSampler* pixel, uint32_t sample, rblPictureTrace* trace)
{
    const rblVec3 sun_part = {0.56f, 0.53f, 0.48f};
    const rblVec3 sky_part = {0.44f, 0.47f, 0.52f};
    const rblVec3 bounced = {0.035f, 0.035f, 0.035f}; // light reflected by the items that hide the sky
    rblPictureSample out = {.albedo = floor_color(light, point, direction),
                            .direct = rbl_add3(bounced, sun_part),
                            .sky = sky_part,
                            .normal = {0, 1, 0},
                            .point = point,
                            .surface = RBL_SURFACE_FLOOR};
    if (point.x * point.x + point.z * point.z > far_floor * far_floor)
    {
        return out;
    }
    const rblVec3 from = {point.x, point.y + RBL_PICTURE_OFFSET, point.z};
    const rblVec3 sun = point_on_sun(light, rbl_sample_square(pixel, sample, PURPOSE_SUN));
    const rblVec3 sky = point_on_sky((rblVec3){0, 1, 0}, rbl_sample_square(pixel, sample, PURPOSE_SKY));
    trace->rays += 2;
    if (light->sun.y <= 0.0f || is_blocked(light->scene, from, sun, INFINITY, &trace->sun_blocker))
    {
        out.direct = bounced;
    }
    if (is_blocked(light->scene, from, sky, INFINITY, &trace->sky_blocker))
    {
        out.sky = (rblVec3){0, 0, 0};
    }
    return out;
}

// ---- surfaces ----

// Light from one direction: from the sky, or from the sunlit floor.
static rblVec3 incoming(const rblPictureLight* light, rblVec3 from, rblVec3 direction, rblVec3 albedo,
                        rblPictureTrace* trace)
{
    const rblPictureScene* scene = light->scene;
    const bool falls = direction.y < 0.0f && from.y > scene->ground;
    const float reach = falls ? (from.y - scene->ground) / -direction.y : INFINITY;
    if (is_blocked(scene, from, direction, reach, &trace->sky_blocker))
    {
        return rbl_scale3(albedo, 0.16f); // indirect light of other surfaces
    }
    return falls ? rbl_scale3(light->background, 0.46f) : sky_radiance(direction);
}

static rblPictureSample shade_surface(const rblPictureLight* light, const Seen* seen,
                                      const rblPixelSampler* pixel, uint32_t sample, rblPictureTrace* trace)
{
    rblPictureSample out = {
        .albedo = seen->albedo, .normal = seen->normal, .point = seen->point, .surface = seen->surface};
    const rblVec3 sun = point_on_sun(light, rbl_sample_square(pixel, sample, PURPOSE_SUN));
    const float cosine = rbl_dot3(seen->normal, light->sun);
    if (cosine > 0.0f && light->sun.y > 0.0f)
    {
        trace->rays += 1;
        if (!is_blocked(light->scene, seen->safe_point, sun, INFINITY, &trace->sun_blocker))
        {
            out.direct = rbl_scale3(sun_color, cosine);
        }
    }
    const rblVec3 sky = point_on_sky(seen->normal, rbl_sample_square(pixel, sample, PURPOSE_SKY));
    trace->rays += 1;
    out.sky = incoming(light, seen->safe_point, sky, seen->albedo, trace);
    return out;
}

// Interpolated normals light points that the flat triangle shadows itself. Shadow rays start from the smooth surface that the
// normals suggest, which avoids visible triangles (Hanika 2021, "Hacking the Shadow Terminator").
static rblVec3 lifted_point(const rblLeafTriangle* t, const rblVec3 normals[3], const float weights[3],
                            rblVec3 point, float side)
{
    const rblVec3 corners[3] = {t->a, t->b, t->c};
    rblVec3 lifted = point;
    for (int i = 0; i < 3; ++i)
    {
        const rblVec3 normal = rbl_scale3(normals[i], side);
        const float depth = rbl_minf(0.0f, rbl_dot3(rbl_sub3(point, corners[i]), normal));
        lifted = rbl_mul_add3(lifted, -depth * weights[i], normal);
    }
    return lifted;
}

static rblVec3 corner_color(uint32_t packed, rblVec3 fallback)
{
    if (packed >> 24 == 0)
    {
        return fallback;
    }
    const float unit = 1.0f / 255.0f;
    return (rblVec3){(float)(packed & 255u) * unit, (float)(packed >> 8 & 255u) * unit,
                     (float)(packed >> 16 & 255u) * unit};
}

static rblVec3 albedo_at(const rblPictureScene* scene, const rblRayHit* hit, const float weights[3],
                         bool outside)
{
    const uint32_t surface = scene->faces[hit->triangle].surface;
    const rblPicturePart* part = &scene->parts[surface >> 2];
    if (surface & RBL_FACE_CRACK)
    {
        return part->crack;
    }
    rblVec3 color = part->skin;
    if (scene->colors != NULL)
    {
        const uint32_t* packed = &scene->colors[3 * (size_t)hit->triangle];
        color = (rblVec3){0, 0, 0};
        for (int i = 0; i < 3; ++i)
        {
            color = rbl_mul_add3(color, weights[i], corner_color(packed[i], part->skin));
        }
    }
    // The inner side of a surface, seen through a hole, is darker and greyer.
    const float grey = 0.33f * (color.x + color.y + color.z);
    return outside ? color : rbl_scale3(mix(color, (rblVec3){grey, grey, grey}, 0.55f), 0.55f);
}

static void describe_hit(const rblPictureScene* scene, const rblRayHit* hit, rblVec3 direction, Seen* seen)
{
    const rblLeafTriangle* t = &scene->tree.triangles[hit->leaf];
    const rblPictureFace* face = &scene->faces[hit->triangle];
    const float weights[3] = {1.0f - hit->u - hit->v, hit->u, hit->v};
    const rblVec3 flat =
        rbl_picture_unit(rbl_cross3(rbl_sub3(t->b, t->a), rbl_sub3(t->c, t->a)), rbl_neg3(direction));
    const float side = rbl_dot3(flat, direction) > 0.0f ? -1.0f : 1.0f;
    rblVec3 normals[3];
    rblVec3 normal = {0, 0, 0};
    for (int i = 0; i < 3; ++i)
    {
        normals[i] = rbl_unpack_normal(face->normals[i]);
        normal = rbl_mul_add3(normal, weights[i], normals[i]);
    }
    seen->point = rbl_add3(rbl_scale3(t->a, weights[0]),
                           rbl_add3(rbl_scale3(t->b, weights[1]), rbl_scale3(t->c, weights[2])));
    seen->face_normal = rbl_scale3(flat, side);
    // Normals in files may point inwards, so the orientation of the triangle decides.
    const float agreement = rbl_dot3(normal, flat) < 0.0f ? -side : side;
    seen->normal = rbl_picture_unit(rbl_scale3(normal, agreement), seen->face_normal);
    seen->albedo = albedo_at(scene, hit, weights, side > 0.0f);
    seen->surface = (face->surface & ~(uint32_t)RBL_FACE_CLOSED) | (side > 0.0f ? 0u : SEEN_FROM_INSIDE);
    const rblVec3 lifted = lifted_point(t, normals, weights, seen->point, agreement);
    seen->safe_point = rbl_mul_add3(lifted, RBL_PICTURE_OFFSET, seen->face_normal);
}

static void describe_cap(const rblPictureScene* scene, uint32_t part, rblVec3 point, Seen* seen)
{
    *seen = (Seen){.point = point,
                   .face_normal = scene->cut_normal,
                   .normal = scene->cut_normal,
                   .safe_point = rbl_mul_add3(point, RBL_PICTURE_OFFSET, scene->cut_normal),
                   .albedo = scene->parts[part].crack,
                   .surface = part << 2 | SEEN_FROM_INSIDE | RBL_FACE_CRACK};
}

// The first intersection of the ray before `t_max`.
static bool look(const rblPictureScene* scene, rblVec3 eye, rblVec3 direction, float t_max, Seen* seen)
{
    rblRay ray = {eye, direction, 0.0f, t_max};
    bool entered;
    rblRayHit hit;
    if (!clip_ray(scene, &ray, &entered) || !rbl_ray_tree_closest(&scene->tree, &scene->rays, &ray, &hit))
    {
        return false;
    }
    if (entered)
    {
        const rblRay inside = {rbl_mul_add3(eye, ray.t_min, direction), direction, 0.0f, INFINITY};
        const uint32_t part = rbl_picture_part_around(scene, &inside);
        if (part != RBL_NONE)
        {
            describe_cap(scene, part, inside.origin, seen);
            return true;
        }
    }
    describe_hit(scene, &hit, direction, seen);
    return true;
}

rblPictureSample rbl_picture_look(const rblPictureLight* light, rblVec3 eye, rblVec3 direction,
                                  const rblPixelSampler* pixel, uint32_t sample, rblPictureTrace* trace)
{
    const rblPictureScene* scene = light->scene;
    const bool falls = direction.y < 0.0f && eye.y > scene->ground;
    const float floor_distance = falls ? (scene->ground - eye.y) / direction.y : INFINITY;
    Seen seen;
    trace->rays += 1;
    if (look(scene, eye, direction, floor_distance, &seen))
    {
        return shade_surface(light, &seen, pixel, sample, trace);
    }
    if (!falls || !rbl_finite((double)floor_distance))
    {
        return (rblPictureSample){.albedo = backdrop(light, direction),
                                  .direct = {1, 1, 1},
                                  .normal = rbl_neg3(direction),
                                  .surface = RBL_SURFACE_BACKDROP};
    }
    return shade_floor(light, rbl_mul_add3(eye, floor_distance, direction), direction, pixel, sample, trace);
}
