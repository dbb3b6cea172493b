#include "scene/picture/picture_camera.h"

#include "base/error.h"
#include "math/aabb.h"
#include "math/trig.h"
#include "math/vec.h"

#define DEGREE (RBL_PI / 180.0)

// Set the axes of a view along `forward`. For a vertical view, the top of the picture is -Z.
static void orient(rblPictureCamera* camera, rblVec3 forward, const rblPictureDef* def)
{
    const double half = rbl_tan(0.5 * def->field_of_view);
    const float height = (float)half;
    const float width = (float)(half * (double)def->width / (double)def->height);
    const bool steep = fabsf(forward.y) > 0.99999f;
    const rblVec3 sky = steep ? (rblVec3){0, 0, forward.y > 0.0f ? 1.0f : -1.0f} : (rblVec3){0, 1, 0};
    const rblVec3 right = rbl_normalize3(rbl_cross3(forward, sky), (rblVec3){1, 0, 0});
    camera->forward = forward;
    camera->right = rbl_scale3(right, width);
    camera->up = rbl_scale3(rbl_cross3(right, forward), height);
}

// The direction from the middle of the scene to the viewer: from the front and the right, more from the broader side, and more
// from above for a flat scene.
static rblVec3 default_direction(const rblPictureScene* scene)
{
    const rblVec3 size = rbl_aabb_size(scene->bounds);
    const double azimuth = (size.x >= 0.8f * size.z ? 32.0 : 58.0) * DEGREE;
    const float widest = rbl_maxf(rbl_maxf(size.x, size.z), 1e-6f);
    const float flatness = 1.0f - rbl_minf(size.y / widest, 1.0f);
    const double elevation = (17.0 + 16.0 * (double)(flatness * flatness)) * DEGREE;
    rblVec3 direction = {(float)(rbl_cos(elevation) * rbl_sin(azimuth)), (float)rbl_sin(elevation),
                         (float)(rbl_cos(elevation) * rbl_cos(azimuth))};
    if (scene->has_cut)
    {
        // Look at the cut, a little from the side.
        const rblVec3 n = scene->cut_normal;
        direction.x = n.x < -0.2f ? -direction.x : direction.x;
        direction.z = n.z < -0.2f ? -direction.z : direction.z;
        direction = rbl_mul_add3(direction, n.y > 0.0f ? 0.8f : 0.5f, n);
        direction.y = rbl_maxf(direction.y, 0.2f);
    }
    return rbl_normalize3(direction, (rblVec3){0, 0, 1});
}

// ---- fitting ----

// The four sides of the frustum are moved outwards until all points are inside: for the right side x + z w <= distance w +
// shift, for the left -x + z w <= distance w - shift, where z is towards the viewer and w half the width at distance 1.
typedef struct Fit
{
    rblVec3 right, up, back; // unit
    float half_width, half_height;
    float most_right, most_left, most_up, most_down;
    bool any;
} Fit;

static void fit_point(Fit* fit, rblVec3 p)
{
    const float x = rbl_dot3(fit->right, p);
    const float y = rbl_dot3(fit->up, p);
    const float z = rbl_dot3(fit->back, p);
    fit->most_right = rbl_maxf(fit->most_right, x + z * fit->half_width);
    fit->most_left = rbl_maxf(fit->most_left, -x + z * fit->half_width);
    fit->most_up = rbl_maxf(fit->most_up, y + z * fit->half_height);
    fit->most_down = rbl_maxf(fit->most_down, -y + z * fit->half_height);
}

static bool is_kept(const rblPictureScene* scene, rblVec3 p)
{
    return !scene->has_cut || rbl_dot3(scene->cut_normal, p) <= scene->cut_offset;
}

static Fit fit_scene(const rblPictureScene* scene, const rblPictureCamera* camera, rblVec3 origin,
                     float margin)
{
    const rblVec3 zero = {0, 0, 0};
    Fit fit = {.right = rbl_normalize3(camera->right, zero),
               .up = rbl_normalize3(camera->up, zero),
               .back = rbl_neg3(camera->forward),
               .half_width = rbl_length3(camera->right) * margin,
               .half_height = rbl_length3(camera->up) * margin,
               .most_right = -INFINITY,
               .most_left = -INFINITY,
               .most_up = -INFINITY,
               .most_down = -INFINITY};
    for (uint32_t leaf = 0; leaf < scene->triangle_count; ++leaf)
    {
        const rblLeafTriangle* t = &scene->tree.triangles[leaf];
        if (is_kept(scene, t->a) || is_kept(scene, t->b) || is_kept(scene, t->c))
        {
            fit_point(&fit, rbl_sub3(t->a, origin));
            fit_point(&fit, rbl_sub3(t->b, origin));
            fit_point(&fit, rbl_sub3(t->c, origin));
            fit.any = true;
        }
    }
    return fit;
}

#define MARGIN 0.80f // part of the width and height that the items may cover

// Centre the items, as close as possible.
static void fit_freely(rblPictureCamera* camera, const Fit* fit)
{
    const float across = (fit->most_right + fit->most_left) / (2.0f * fit->half_width);
    const float along = (fit->most_up + fit->most_down) / (2.0f * fit->half_height);
    const float distance = rbl_maxf(rbl_maxf(across, along), 1e-3f);
    const float x = 0.5f * (fit->most_right - fit->most_left);
    const float y = 0.5f * (fit->most_up - fit->most_down);
    const rblVec3 middle = rbl_add3(rbl_scale3(fit->right, x), rbl_scale3(fit->up, y));
    camera->eye = rbl_mul_add3(middle, distance, fit->back);
    camera->target = rbl_to_double3(middle);
}

// The same with the target in the middle.
static void fit_around(rblPictureCamera* camera, const Fit* fit, rblVec3 target)
{
    const float across = rbl_maxf(fit->most_right, fit->most_left) / fit->half_width;
    const float along = rbl_maxf(fit->most_up, fit->most_down) / fit->half_height;
    camera->eye = rbl_mul_add3(target, rbl_maxf(rbl_maxf(across, along), 1e-3f), fit->back);
}

static rblResult look_from_eye(rblPictureCamera* camera, const rblPictureDef* def,
                               const rblPictureScene* scene)
{
    const rblVec3d eye = rbl_to_picture(scene, def->eye);
    camera->target =
        def->has_target ? rbl_to_picture(scene, def->target) : rbl_to_double3(rbl_aabb_center(scene->bounds));
    const rblVec3d none = {0, 0, 0};
    const rblVec3d forward = rbl_normalize3d(rbl_sub3d(camera->target, eye), none);
    if (rbl_equal3d(forward, none))
    {
        return rbl_fail(RBL_ERROR_ARGUMENT, "picture: eye and target must be different points");
    }
    camera->eye = rbl_to_float3(eye);
    if (!rbl_finite3(camera->eye))
    {
        return rbl_fail(RBL_ERROR_ARGUMENT, "picture: the eye is too far away");
    }
    orient(camera, rbl_to_float3(forward), def);
    return RBL_OK;
}

rblResult rbl_picture_camera_init(rblPictureCamera* camera, const rblPictureDef* def,
                                  const rblPictureScene* scene)
{
    orient(camera, rbl_neg3(default_direction(scene)), def);
    const rblVec3d target = def->has_target ? rbl_to_picture(scene, def->target) : rbl_vec3d(0, 0, 0);
    const Fit fit = fit_scene(scene, camera, rbl_to_float3(target), MARGIN);
    if (!fit.any)
    {
        return rbl_fail(RBL_ERROR_ARGUMENT,
                        "picture: the cut plane takes everything away; turn its normal or move it");
    }
    if (def->has_eye)
    {
        return look_from_eye(camera, def, scene);
    }
    if (def->has_target)
    {
        camera->target = target;
        fit_around(camera, &fit, rbl_to_float3(target));
        return rbl_finite3(camera->eye) ? RBL_OK
                                        : rbl_fail(RBL_ERROR_ARGUMENT, "picture: the target is too far away");
    }
    fit_freely(camera, &fit);
    return RBL_OK;
}
