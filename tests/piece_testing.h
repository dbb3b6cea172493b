// What tests of pieces of shapes share.
#ifndef RBL_TESTS_PIECE_TESTING_H
#define RBL_TESTS_PIECE_TESTING_H

#include "field/piece.h"
#include "field_shapes.h"
#include "math/aabb.h"
#include "math/trig.h"
#include "math/vec.h"
#include "random_point.h"

// Mass is not what these tests are about: that of the box.
static inline rblMassProperties box_mass(rblAabb box)
{
    const rblVec3d s = rbl_to_double3(rbl_aabb_size(box));
    const double volume = s.x * s.y * s.z;
    rblMassProperties mass = {.volume = volume, .mass = volume};
    mass.center = rbl_to_double3(rbl_aabb_center(box));
    mass.moments = (rblVec3d){volume * s.x, volume * s.x, volume * s.x};
    mass.inertia = (rblMat3d){{volume * s.x, 0, 0}, {0, volume * s.x, 0}, {0, 0, volume * s.x}};
    mass.principal_axes = (rblMat3d){{1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
    return mass;
}

// Half a ball, cut at y = 0, flat side down.
static inline rblShapeId make_dome(rblShapeId* ball)
{
    check_ok(rbl_shape_create_sphere(0.5f, ball));
    const rblShapeView view = view_of(*ball);
    const rblHalfSpace plane = {{0, -1, 0}, 0.0f, false};
    const uint32_t starts[2] = {0, 1};
    rblVec3 samples[600];
    uint32_t count = 0;
    for (uint32_t i = 0; i < view.sample_count; ++i)
    {
        if (view.samples[i].y >= 0.0f)
        {
            samples[count++] = view.samples[i];
        }
    }
    for (int i = 0; i < 64; ++i)
    {
        const double angle = 2.0 * RBL_PI * i / 64;
        samples[count++] = rbl_vec3(0.5f * (float)rbl_cos(angle), 0, 0.5f * (float)rbl_sin(angle));
    }
    const rblAabb bounds = {{-0.5f, 0, -0.5f}, {0.5f, 0.5f, 0.5f}};
    const rblMassProperties mass = box_mass(bounds);
    const rblPieceShapeDef def = {.parent = view.shape,
                                  .region = {&plane, starts, NULL, 1},
                                  .samples = samples,
                                  .sample_count = count,
                                  .mass = &mass,
                                  .bounds = bounds};
    rblShapeId id;
    check_ok(rbl_shape_create_piece(&def, &id));
    return id;
}

#endif
