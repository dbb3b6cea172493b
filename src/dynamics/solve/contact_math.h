// Velocities and impulses at a contact, for impacts, the contact solve, joints and the sleep test.
#ifndef RBL_DYNAMICS_SOLVE_CONTACT_MATH_H
#define RBL_DYNAMICS_SOLVE_CONTACT_MATH_H

#include "dynamics/step.h"
#include <math.h>

// Relative velocity at a contact, of b against a.
static inline rblVec3 rbl_relative_velocity(const rblSolverBody* a, const rblSolverBody* b, rblVec3 arm_a,
                                            rblVec3 arm_b)
{
    const rblVec3 at_a = rbl_add3(a->velocity, rbl_cross3(a->spin, arm_a));
    const rblVec3 at_b = rbl_add3(b->velocity, rbl_cross3(b->spin, arm_b));
    return rbl_sub3(at_b, at_a);
}

// Apply an impulse to b and its opposite to a.
static inline void rbl_apply_impulse(rblSolverBody* a, rblSolverBody* b, rblVec3 arm_a, rblVec3 arm_b,
                                     rblVec3 impulse)
{
    a->velocity = rbl_mul_add3(a->velocity, -a->inverse_mass, impulse);
    a->spin = rbl_sub3(a->spin, rbl_symmetric3_apply(&a->inverse_inertia, rbl_cross3(arm_a, impulse)));
    b->velocity = rbl_mul_add3(b->velocity, b->inverse_mass, impulse);
    b->spin = rbl_add3(b->spin, rbl_symmetric3_apply(&b->inverse_inertia, rbl_cross3(arm_b, impulse)));
}

// e1 . A e2, where A is the inverse effective mass at the contact.
static inline float rbl_contact_compliance(const rblSolverBody* a, const rblSolverBody* b, rblVec3 arm_a,
                                           rblVec3 arm_b, rblVec3 e1, rblVec3 e2)
{
    const rblVec3 turn_a = rbl_symmetric3_apply(&a->inverse_inertia, rbl_cross3(arm_a, e2));
    const rblVec3 turn_b = rbl_symmetric3_apply(&b->inverse_inertia, rbl_cross3(arm_b, e2));
    return (a->inverse_mass + b->inverse_mass) * rbl_dot3(e1, e2) + rbl_dot3(rbl_cross3(arm_a, e1), turn_a) +
           rbl_dot3(rbl_cross3(arm_b, e1), turn_b);
}

static inline rblVec3 rbl_contact_tangent2(const rblSolverContact* contact)
{
    return rbl_cross3(contact->normal, contact->tangent);
}

// The accumulated impulse on b.
static inline rblVec3 rbl_contact_impulse(const rblSolverContact* contact)
{
    rblVec3 impulse = rbl_scale3(contact->normal, contact->normal_impulse);
    impulse = rbl_mul_add3(impulse, contact->tangent_impulse[0], contact->tangent);
    return rbl_mul_add3(impulse, contact->tangent_impulse[1], rbl_contact_tangent2(contact));
}

// Work of a body of infinite mass on the other body, by the impulses in the solver contacts (clamp.c).
double rbl_kinematic_work(const rblStep* step, const rblManifold* manifold, const rblSolverBody* a,
                          const rblSolverBody* b);

// Copy velocities back to a solver body. Bodies of infinite mass are shared by all workers and are never written.
static inline void rbl_body_store(rblSolverBody* to, const rblSolverBody* from)
{
    if (to->inverse_mass > 0.0f)
    {
        to->velocity = from->velocity;
        to->spin = from->spin;
    }
}

// Scale the change of a body's velocities since `before`.
static inline void rbl_body_take_share(rblSolverBody* body, const rblSolverBody* before, float share)
{
    body->velocity = rbl_mul_add3(before->velocity, share, rbl_sub3(body->velocity, before->velocity));
    body->spin = rbl_mul_add3(before->spin, share, rbl_sub3(body->spin, before->spin));
}

// Transform a contact from the axes of a's shape to the frames of the bodies, without impulses. Overlap by a break or between
// siblings counts as zero.
static inline rblContact rbl_contact_locate(const rblPair* pair, const rblContactPoint* found,
                                            rblTransform shape_a, rblTransform frame_a, rblTransform frame_b)
{
    const rblVec3 normal = rbl_rotate3(shape_a.q, found->normal);
    const rblVec3 middle = rbl_transform_point(shape_a, found->point);
    const float open = found->distance + pair->break_depth;
    const float gap = pair->siblings ? rbl_maxf(open, 0.0f) : open;
    const rblVec3 on_a = rbl_mul_add3(middle, -0.5f * gap, normal);
    const rblVec3 on_b = rbl_mul_add3(middle, 0.5f * gap, normal);
    return (rblContact){
        .anchor_a = rbl_transform_inverse_point(frame_a, on_a),
        .anchor_b = rbl_transform_inverse_point(frame_b, on_b),
        .normal_in_a = rbl_inverse_rotate3(frame_a.q, normal),
        .normal = normal,
        .feature = found->feature,
    };
}

// Fill in the geometry of the solver contacts of a manifold at the current poses, for the impact phase, which needs few of
// them (manifolds.c).
void rbl_manifold_prepare(rblStep* step, rblManifold* manifold);

static inline void rbl_manifold_prepare_once(rblStep* step, rblManifold* manifold)
{
    if (!manifold->prepared)
    {
        rbl_manifold_prepare(step, manifold);
    }
}

// Fill in the tangent and the effective masses from the geometry, for contacts that are solved one at a time.
void rbl_contact_prepare_masses(const rblSolverBody* a, const rblSolverBody* b, rblSolverContact* contact);

// One Gauss-Seidel iteration: friction within Coulomb's cone, then the normal impulse that makes the normal velocity equal to
// `target`, both accumulated. The change of the normal velocity by friction follows from the compliance of the contact, so
// that the bodies are read and written once. contact_solve.c has the SIMD form.
static inline void rbl_contact_solve(rblSolverBody* a, rblSolverBody* b, rblSolverContact* contact,
                                     float friction)
{
    const rblVec3 u = rbl_relative_velocity(a, b, contact->arm_a, contact->arm_b);
    const float straight = rbl_dot3(u, contact->normal);
    if (contact->normal_impulse == 0.0f && contact->tangent_impulse[0] == 0.0f &&
        contact->tangent_impulse[1] == 0.0f && contact->normal_mass * (contact->target - straight) <= 0.0f)
    {
        contact->change[0] = contact->change[1] = contact->change[2] = 0.0f; // open, and stays open
        return;
    }
    const rblVec3 tangent2 = rbl_contact_tangent2(contact);
    const float x = rbl_dot3(u, contact->tangent);
    const float y = rbl_dot3(u, tangent2);

    float tangent_x =
        contact->tangent_impulse[0] - (contact->tangent_mass[0] * x + contact->tangent_mass[2] * y);
    float tangent_y =
        contact->tangent_impulse[1] - (contact->tangent_mass[2] * x + contact->tangent_mass[1] * y);
    const float limit = friction * contact->normal_impulse;
    if (tangent_x * tangent_x + tangent_y * tangent_y > limit * limit)
    {
        // Sliding: friction opposes the velocity. The inverse of the 2x2 block would give another direction.
        tangent_x = contact->tangent_impulse[0] - contact->tangent_mass[3] * x;
        tangent_y = contact->tangent_impulse[1] - contact->tangent_mass[3] * y;
        const float length = sqrtf(tangent_x * tangent_x + tangent_y * tangent_y);
        const float scale = length > limit ? limit / length : 1.0f;
        tangent_x *= scale;
        tangent_y *= scale;
    }
    const float change_x = tangent_x - contact->tangent_impulse[0];
    const float change_y = tangent_y - contact->tangent_impulse[1];
    const float along = straight + contact->coupling[0] * change_x + contact->coupling[1] * change_y;
    const float normal_impulse =
        rbl_maxf(contact->normal_impulse + contact->normal_mass * (contact->target - along), 0.0f);
    contact->change[0] = normal_impulse - contact->normal_impulse;
    contact->change[1] = change_x;
    contact->change[2] = change_y;
    rblVec3 impulse = rbl_scale3(contact->normal, contact->change[0]);
    impulse = rbl_mul_add3(impulse, change_x, contact->tangent);
    impulse = rbl_mul_add3(impulse, change_y, tangent2);
    contact->normal_impulse = normal_impulse;
    contact->tangent_impulse[0] = tangent_x;
    contact->tangent_impulse[1] = tangent_y;
    rbl_apply_impulse(a, b, contact->arm_a, contact->arm_b, impulse);
}

#endif
