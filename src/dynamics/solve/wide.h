// SIMD forms of vectors, bodies and contacts: four manifolds of a bundle at a time, one per lane.
#ifndef RBL_DYNAMICS_SOLVE_WIDE_H
#define RBL_DYNAMICS_SOLVE_WIDE_H

#include "dynamics/step.h"
#include "math/simd.h"
#include <stddef.h>

// ---- vectors ----

typedef struct rblWide3
{
    rblFloat4 x, y, z;
} rblWide3;

typedef struct rblWideSymmetric3
{
    rblFloat4 xx, yy, zz, xy, xz, yz;
} rblWideSymmetric3;

static inline rblWide3 rbl_wide_load3(float rows[3][4])
{
    return (rblWide3){rbl_load4(rows[0]), rbl_load4(rows[1]), rbl_load4(rows[2])};
}

static inline void rbl_wide_store3(float rows[3][4], rblWide3 v)
{
    rbl_store4(rows[0], v.x);
    rbl_store4(rows[1], v.y);
    rbl_store4(rows[2], v.z);
}

static inline rblWide3 rbl_wide_add3(rblWide3 a, rblWide3 b)
{
    return (rblWide3){rbl_add4(a.x, b.x), rbl_add4(a.y, b.y), rbl_add4(a.z, b.z)};
}

static inline rblWide3 rbl_wide_sub3(rblWide3 a, rblWide3 b)
{
    return (rblWide3){rbl_sub4(a.x, b.x), rbl_sub4(a.y, b.y), rbl_sub4(a.z, b.z)};
}

static inline rblWide3 rbl_wide_scale3(rblWide3 a, rblFloat4 s)
{
    return (rblWide3){rbl_mul4(a.x, s), rbl_mul4(a.y, s), rbl_mul4(a.z, s)};
}

// a + s b.
static inline rblWide3 rbl_wide_mul_add3(rblWide3 a, rblFloat4 s, rblWide3 b)
{
    return rbl_wide_add3(a, rbl_wide_scale3(b, s));
}

static inline rblFloat4 rbl_wide_dot3(rblWide3 a, rblWide3 b)
{
    return rbl_add4(rbl_add4(rbl_mul4(a.x, b.x), rbl_mul4(a.y, b.y)), rbl_mul4(a.z, b.z));
}

static inline rblWide3 rbl_wide_cross3(rblWide3 a, rblWide3 b)
{
    return (rblWide3){rbl_sub4(rbl_mul4(a.y, b.z), rbl_mul4(a.z, b.y)),
                      rbl_sub4(rbl_mul4(a.z, b.x), rbl_mul4(a.x, b.z)),
                      rbl_sub4(rbl_mul4(a.x, b.y), rbl_mul4(a.y, b.x))};
}

static inline rblWide3 rbl_wide_select3(rblFloat4 mask, rblWide3 a, rblWide3 b)
{
    return (rblWide3){rbl_select4(mask, a.x, b.x), rbl_select4(mask, a.y, b.y), rbl_select4(mask, a.z, b.z)};
}

static inline rblWide3 rbl_wide_symmetric3_apply(const rblWideSymmetric3* m, rblWide3 v)
{
    return (rblWide3){
        rbl_add4(rbl_add4(rbl_mul4(m->xx, v.x), rbl_mul4(m->xy, v.y)), rbl_mul4(m->xz, v.z)),
        rbl_add4(rbl_add4(rbl_mul4(m->xy, v.x), rbl_mul4(m->yy, v.y)), rbl_mul4(m->yz, v.z)),
        rbl_add4(rbl_add4(rbl_mul4(m->xz, v.x), rbl_mul4(m->yz, v.y)), rbl_mul4(m->zz, v.z)),
    };
}

// A mask from bits, one per lane, in the form that comparisons return.
static inline rblFloat4 rbl_wide_lanes(uint32_t bits)
{
    static const float lanes[16][4] = {{0, 0, 0, 0}, {1, 0, 0, 0}, {0, 1, 0, 0}, {1, 1, 0, 0},
                                       {0, 0, 1, 0}, {1, 0, 1, 0}, {0, 1, 1, 0}, {1, 1, 1, 0},
                                       {0, 0, 0, 1}, {1, 0, 0, 1}, {0, 1, 0, 1}, {1, 1, 0, 1},
                                       {0, 0, 1, 1}, {1, 0, 1, 1}, {0, 1, 1, 1}, {1, 1, 1, 1}};
    return rbl_less4(rbl_splat4(0.0f), rbl_load4(lanes[bits]));
}

static inline rblFloat4 rbl_wide_absolute(rblFloat4 a)
{
    return rbl_max4(a, rbl_sub4(rbl_splat4(0.0f), a));
}

// Sum of the lanes, in a fixed order, and the largest lane; no lane is negative.
static inline float rbl_wide_sum(rblFloat4 a)
{
    float lanes[4];
    rbl_store4(lanes, a);
    return (lanes[0] + lanes[1]) + (lanes[2] + lanes[3]);
}

static inline float rbl_wide_largest(rblFloat4 a)
{
    float lanes[4];
    rbl_store4(lanes, a);
    return rbl_maxf(rbl_maxf(lanes[0], lanes[1]), rbl_maxf(lanes[2], lanes[3]));
}

// ---- bodies ----

typedef struct rblWideBody
{
    rblWide3 velocity;
    rblFloat4 inverse_mass;
    rblWide3 spin;
    rblFloat4 seconds;
    rblWideSymmetric3 inverse_inertia;
} rblWideBody;

// A body is read as rows of four numbers.
_Static_assert(sizeof(rblSolverBody) == 64 && offsetof(rblSolverBody, inverse_mass) == 12 &&
                   offsetof(rblSolverBody, spin) == 16 && offsetof(rblSolverBody, seconds) == 28 &&
                   offsetof(rblSolverBody, inverse_inertia) == 32,
               "rows of a solver body");

static inline rblWideBody rbl_gather_bodies4(const rblSolverBody* bodies, const uint32_t index[4])
{
    const float* at[4];
    for (int i = 0; i < 4; ++i)
    {
        at[i] = (const float*)(const void*)&bodies[index[i]];
    }
    rblFloat4 r0 = rbl_load4(at[0]), r1 = rbl_load4(at[1]), r2 = rbl_load4(at[2]), r3 = rbl_load4(at[3]);
    rbl_transpose4(&r0, &r1, &r2, &r3);
    rblFloat4 s0 = rbl_load4(at[0] + 4), s1 = rbl_load4(at[1] + 4);
    rblFloat4 s2 = rbl_load4(at[2] + 4), s3 = rbl_load4(at[3] + 4);
    rbl_transpose4(&s0, &s1, &s2, &s3);
    rblFloat4 i0 = rbl_load4(at[0] + 8), i1 = rbl_load4(at[1] + 8);
    rblFloat4 i2 = rbl_load4(at[2] + 8), i3 = rbl_load4(at[3] + 8);
    rbl_transpose4(&i0, &i1, &i2, &i3);
    rblFloat4 j0 = rbl_load2(at[0] + 12), j1 = rbl_load2(at[1] + 12);
    rblFloat4 j2 = rbl_load2(at[2] + 12), j3 = rbl_load2(at[3] + 12);
    rbl_transpose4(&j0, &j1, &j2, &j3);
    return (rblWideBody){{r0, r1, r2}, r3, {s0, s1, s2}, s3, {i0, i1, i2, i3, j0, j1}};
}

// Velocities and spins of four bodies; the other fields do not change.
static inline void rbl_gather_velocities4(const rblVelocity* velocities, const uint32_t index[4],
                                          rblWideBody* out)
{
    rblFloat4 v[4];
    rblFloat4 w[4];
    for (int i = 0; i < 4; ++i)
    {
        v[i] = rbl_load3(&velocities[index[i]].velocity.x);
        w[i] = rbl_load3(&velocities[index[i]].spin.x);
    }
    rbl_transpose4(&v[0], &v[1], &v[2], &v[3]);
    rbl_transpose4(&w[0], &w[1], &w[2], &w[3]);
    out->velocity = (rblWide3){v[0], v[1], v[2]};
    out->spin = (rblWide3){w[0], w[1], w[2]};
}

// Write velocities back. Bodies of infinite mass are shared by all workers and are never written.
static inline void rbl_scatter_bodies4(rblSolverBody* bodies, const uint32_t index[4],
                                       const rblWideBody* from)
{
    rblFloat4 rows[4] = {from->velocity.x, from->velocity.y, from->velocity.z, from->inverse_mass};
    rblFloat4 spins[4] = {from->spin.x, from->spin.y, from->spin.z, from->seconds};
    rbl_transpose4(&rows[0], &rows[1], &rows[2], &rows[3]);
    rbl_transpose4(&spins[0], &spins[1], &spins[2], &spins[3]);
    const uint32_t moving = rbl_mask4(rbl_less4(rbl_splat4(0.0f), from->inverse_mass));
    for (int i = 0; i < 4; ++i)
    {
        if ((moving >> i & 1) != 0)
        {
            float* to = (float*)(void*)&bodies[index[i]];
            rbl_store4(to, rows[i]);
            rbl_store4(to + 4, spins[i]);
        }
    }
}

// ---- contacts ----

// Relative velocity at a contact, of b against a.
static inline rblWide3 rbl_wide_relative_velocity(const rblWideBody* a, const rblWideBody* b, rblWide3 arm_a,
                                                  rblWide3 arm_b)
{
    const rblWide3 at_a = rbl_wide_add3(a->velocity, rbl_wide_cross3(a->spin, arm_a));
    const rblWide3 at_b = rbl_wide_add3(b->velocity, rbl_wide_cross3(b->spin, arm_b));
    return rbl_wide_sub3(at_b, at_a);
}

// Apply an impulse to b and its opposite to a.
static inline void rbl_wide_apply_impulse(rblWideBody* a, rblWideBody* b, rblWide3 arm_a, rblWide3 arm_b,
                                          rblWide3 impulse)
{
    const rblWide3 turn_a = rbl_wide_symmetric3_apply(&a->inverse_inertia, rbl_wide_cross3(arm_a, impulse));
    const rblWide3 turn_b = rbl_wide_symmetric3_apply(&b->inverse_inertia, rbl_wide_cross3(arm_b, impulse));
    a->velocity = rbl_wide_sub3(a->velocity, rbl_wide_scale3(impulse, a->inverse_mass));
    a->spin = rbl_wide_sub3(a->spin, turn_a);
    b->velocity = rbl_wide_mul_add3(b->velocity, b->inverse_mass, impulse);
    b->spin = rbl_wide_add3(b->spin, turn_b);
}

// n f0 + t f1 + (n x t) f2.
static inline rblWide3 rbl_wide_in_frame(rblWide3 normal, rblWide3 tangent, rblWide3 tangent2,
                                         const rblFloat4 amounts[3])
{
    const rblWide3 along = rbl_wide_scale3(normal, amounts[0]);
    return rbl_wide_mul_add3(rbl_wide_mul_add3(along, amounts[1], tangent), amounts[2], tangent2);
}

// Build the bundles of all colours from the manifolds (bundles.c).
bool rbl_bundles_build(rblStep* step);

// Fill in the wide contacts of a bundle for impacts: lever arms, gaps and effective masses at the current poses. Targets and
// impulses are not set (contact_aim.c).
void rbl_bundle_pack(rblStep* step, const rblBundle* bundle);

// Fill in the wide contacts of a bundle for the contact solve: lever arms at mid-step, effective masses, targets, and the
// impulses of the last step as warm start. The impulses are applied to the bodies (contact_aim.c).
void rbl_bundle_aim(rblStep* step, const rblBundle* bundle);

// Prefetch the data of a bundle for rbl_bundle_aim().
void rbl_bundle_expect(const rblWorld* world, const rblBundle* bundle);

// The contact of a lane in a wide contact of a bundle, by its number: first those of the manifold, then, from `count` of the
// bundle on, the redundant ones. Null: none.
static inline const rblContact* rbl_bundle_contact(const rblWorld* world, const rblBundle* bundle,
                                                   uint32_t lane, uint32_t number)
{
    const uint32_t leading = bundle->counts[lane];
    const bool redundant = number >= bundle->count;
    const uint32_t rank = redundant ? number - bundle->count : number;
    const bool there = rank < (redundant ? bundle->redundant_counts[lane] : leading);
    return there ? &world->contacts.data[bundle->contact[lane] + (redundant ? leading : 0) + rank] : NULL;
}

// ---- tuning ----
// Sums over the bundles of a colour are sums over blocks: the value changes results by rounding only.
#define RBL_MIN_BUNDLES 16 // bundles of a colour for one worker, at least

// A loop over the bundles of a colour. Manifolds of the last colour may share bodies, so one worker solves them all.
static inline rblLoop rbl_color_loop(const rblStep* step, uint32_t color, rblRangeFcn* block, void* context)
{
    const uint32_t count = step->color_bundles[color + 1] - step->color_bundles[color];
    return (rblLoop){count, color + 1 < RBL_MAX_COLORS ? RBL_MIN_BUNDLES : count, block, context};
}

// The island of a manifold: that of its first body that is in one.
static inline uint32_t rbl_manifold_island(const rblStep* step, const rblManifold* manifold)
{
    const uint32_t a = step->solver_bodies.data[manifold->a].island;
    return a != RBL_NONE ? a : step->solver_bodies.data[manifold->b].island;
}

// The lane of a manifold in its bundle.
static inline uint32_t rbl_manifold_lane(const rblStep* step, const rblManifold* manifold)
{
    return (uint32_t)(manifold - step->manifolds.data) - step->bundles.data[manifold->bundle].manifold;
}

// A vector of one lane.
static inline rblVec3 rbl_lane3(const float rows[3][4], uint32_t lane)
{
    return (rblVec3){rows[0][lane], rows[1][lane], rows[2][lane]};
}

// Mask of the lanes with a contact. The normal is zero in the others.
static inline rblFloat4 rbl_wide_there(rblWide3 normal)
{
    return rbl_less4(rbl_splat4(0.0f), rbl_wide_dot3(normal, normal));
}

// Copy the contacts of a lane to the solver contacts of its manifold, all but gap and impact impulse; copy impulses back to
// the lane. For code that solves contacts one at a time (bundles.c).
void rbl_manifold_unpack(rblStep* step, const rblManifold* manifold);
void rbl_impulses_repack(rblStep* step, const rblManifold* manifold);

#endif
