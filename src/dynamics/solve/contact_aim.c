// Target velocities and effective masses of contacts, four manifolds at a time.
#include "dynamics/solve/wide.h"
#include "dynamics/stages.h"
#include <math.h>

// ---- tuning ----

#define AT_REST 1e-4f // m/s: slower normal velocities before the solve count as zero

// Poses of four bodies.
typedef struct Frames
{
    rblWide3 center;
    rblWide3 axis; // vector part of the orientation
    rblFloat4 w;
} Frames;

// Data that all contacts of a bundle share.
typedef struct Aim
{
    rblWideBody a, b;               // current velocities, with forces
    rblWideBody before_a, before_b; // velocities before forces and contacts: v'
    rblWideBody free_a, free_b;     // velocities without impacts and contacts, for siblings
    Frames frame_a, frame_b;
    rblWide3 shift; // from the current lever arms to those at mid-step
    rblFloat4 seconds, slop;
} Aim;

_Static_assert(offsetof(rblMotion, orientation) == 12, "rows of a motion");

static Frames gather_frames(const rblMotion* motions, const uint32_t slots[4])
{
    rblFloat4 r[4];
    rblFloat4 s[4];
    for (int i = 0; i < 4; ++i)
    {
        const float* at = (const float*)(const void*)&motions[slots[i]];
        r[i] = rbl_load4(at);
        s[i] = rbl_load3(at + 4);
    }
    rbl_transpose4(&r[0], &r[1], &r[2], &r[3]);
    rbl_transpose4(&s[0], &s[1], &s[2], &s[3]);
    return (Frames){{r[0], r[1], r[2]}, {r[3], s[0], s[1]}, s[2]};
}

// Rotate from body axes to world axes.
static rblWide3 turn(const Frames* frame, rblWide3 v)
{
    const rblWide3 half = rbl_wide_cross3(frame->axis, v);
    const rblWide3 t = rbl_wide_add3(half, half);
    return rbl_wide_add3(rbl_wide_mul_add3(v, frame->w, t), rbl_wide_cross3(frame->axis, t));
}

// Positions move for half a step with the old velocities and for half with the new ones; the impulses act in between. The
// lever arms are those at mid-step, so that the two bodies of a pair exchange angular momentum through one point. A round
// body is touched below its centre all the time: with shifted arms, the load on a roller would drive it, and sink. There only
// conserve.c corrects the angular momentum.
static rblWide3 distance_to_middle(const Aim* aim, uint32_t rounds)
{
    const rblFloat4 zero = rbl_splat4(0.0f);
    const rblWide3 apart = rbl_wide_sub3(aim->before_b.velocity, aim->before_a.velocity);
    const rblWide3 shift = rbl_wide_scale3(apart, rbl_mul4(rbl_splat4(0.25f), aim->seconds));
    const rblFloat4 far = rbl_less4(rbl_splat4(1e-10f), rbl_wide_dot3(shift, shift));
    const rblFloat4 both =
        rbl_and4(rbl_less4(zero, aim->a.inverse_mass), rbl_less4(zero, aim->b.inverse_mass));
    const rblWide3 none = {zero, zero, zero};
    return rbl_wide_select3(rbl_wide_lanes(rounds), none, rbl_wide_select3(rbl_and4(far, both), shift, none));
}

// Velocities without impacts and contacts: those of the start of the step, plus the change by forces.
static rblWideBody free_motion(const rblStep* step, const uint32_t index[4], rblWideBody now)
{
    rblWideBody start = now;
    rblWideBody before = now;
    rblWideBody forced = now;
    rbl_gather_velocities4(step->at_start.data, index, &start);
    rbl_gather_velocities4(step->before_contacts.data, index, &before);
    rbl_gather_velocities4(step->unconstrained.data, index, &forced);
    start.velocity = rbl_wide_add3(start.velocity, rbl_wide_sub3(forced.velocity, before.velocity));
    start.spin = rbl_wide_add3(start.spin, rbl_wide_sub3(forced.spin, before.spin));
    return start;
}

static Aim begin_aim(const rblStep* step, const rblBundle* bundle)
{
    const rblWorld* world = step->world;
    Aim aim;
    aim.a = rbl_gather_bodies4(step->solver_bodies.data, bundle->a);
    aim.b = rbl_gather_bodies4(step->solver_bodies.data, bundle->b);
    aim.before_a = aim.a;
    aim.before_b = aim.b;
    rbl_gather_velocities4(step->before_contacts.data, bundle->a, &aim.before_a);
    rbl_gather_velocities4(step->before_contacts.data, bundle->b, &aim.before_b);
    aim.free_a = aim.a;
    aim.free_b = aim.b;
    if (bundle->free != 0)
    {
        aim.free_a = free_motion(step, bundle->a, aim.a);
        aim.free_b = free_motion(step, bundle->b, aim.b);
    }
    aim.frame_a = gather_frames(world->motions.data, bundle->slot_a);
    aim.frame_b = gather_frames(world->motions.data, bundle->slot_b);
    aim.seconds = rbl_max4(aim.a.seconds, aim.b.seconds);
    aim.slop = rbl_load4(bundle->slop);
    aim.shift = distance_to_middle(&aim, bundle->rounds);
    return aim;
}

// ---- one contact of each lane ----

// One contact of each lane. Lever arms end midway between the surfaces.
typedef struct Geometry
{
    rblWide3 arm_a, arm_b, normal;
    rblFloat4 gap;
    rblFloat4 normal_impulse; // of the last step
    rblWide3 friction;
} Geometry;

_Static_assert(offsetof(rblContact, anchor_b) == 12 && offsetof(rblContact, normal) == 36 &&
                   offsetof(rblContact, friction) == offsetof(rblContact, normal_impulse) + 4,
               "rows of a contact");

// All fields are zero in lanes without a contact.
static Geometry gather_geometry(const rblWorld* world, const rblBundle* bundle, uint32_t number,
                                const Frames* frame_a, const Frames* frame_b)
{
    static const rblContact none = {0};
    rblFloat4 r[4];
    rblFloat4 s[4];
    rblFloat4 n[4];
    rblFloat4 p[4];
    for (int i = 0; i < 4; ++i)
    {
        const rblContact* found = rbl_bundle_contact(world, bundle, (uint32_t)i, number);
        const rblContact* contact = found != NULL ? found : &none;
        const float* at = (const float*)(const void*)contact;
        r[i] = rbl_load4(at);
        s[i] = rbl_load2(at + 4);
        n[i] = rbl_load3(&contact->normal.x);
        p[i] = rbl_load4(&contact->normal_impulse);
    }
    rbl_transpose4(&r[0], &r[1], &r[2], &r[3]);
    rbl_transpose4(&s[0], &s[1], &s[2], &s[3]);
    rbl_transpose4(&n[0], &n[1], &n[2], &n[3]);
    rbl_transpose4(&p[0], &p[1], &p[2], &p[3]);
    const rblWide3 on_a = turn(frame_a, (rblWide3){r[0], r[1], r[2]});
    const rblWide3 on_b = turn(frame_b, (rblWide3){r[3], s[0], s[1]});
    const rblWide3 apart = rbl_wide_sub3(frame_b->center, frame_a->center);
    const rblWide3 sum = rbl_wide_add3(on_a, on_b);
    const rblFloat4 half = rbl_splat4(0.5f);
    const rblWide3 normal = {n[0], n[1], n[2]};
    return (Geometry){
        .arm_a = rbl_wide_scale3(rbl_wide_add3(sum, apart), half),
        .arm_b = rbl_wide_scale3(rbl_wide_sub3(sum, apart), half),
        .normal = normal,
        .gap = rbl_wide_dot3(normal, rbl_wide_add3(apart, rbl_wide_sub3(on_b, on_a))),
        .normal_impulse = p[0],
        .friction = {p[1], p[2], p[3]},
    };
}

// Unit vector perpendicular to the normal and to the axis with its smallest component. manifolds.c has the scalar form.
static rblWide3 some_tangent(rblWide3 n)
{
    const rblFloat4 zero = rbl_splat4(0.0f);
    const rblFloat4 x = rbl_wide_absolute(n.x);
    const rblFloat4 y = rbl_wide_absolute(n.y);
    const rblFloat4 z = rbl_wide_absolute(n.z);
    const rblFloat4 least_x = rbl_and4(rbl_less_equal4(x, y), rbl_less_equal4(x, z));
    const rblWide3 across_x = {zero, n.z, rbl_sub4(zero, n.y)};
    const rblWide3 across_y = {rbl_sub4(zero, n.z), zero, n.x};
    const rblWide3 across_z = {n.y, rbl_sub4(zero, n.x), zero};
    const rblWide3 others = rbl_wide_select3(rbl_less_equal4(y, z), across_y, across_z);
    const rblWide3 t = rbl_wide_select3(least_x, across_x, others);
    return rbl_wide_scale3(t, rbl_div4(rbl_splat4(1.0f), rbl_sqrt4(rbl_wide_dot3(t, t))));
}

// Rows of the inverse effective mass: e_j . A e_k for the normal and both tangents. manifolds.c has the scalar form.
typedef struct Compliance
{
    rblFloat4 nn, xx, yy, xy, nx, ny;
} Compliance;

static void add_compliance(const rblWideBody* body, rblWide3 arm, const rblWide3 axes[3], Compliance* sum)
{
    const rblWide3 n = rbl_wide_cross3(arm, axes[0]);
    const rblWide3 x = rbl_wide_cross3(arm, axes[1]);
    const rblWide3 y = rbl_wide_cross3(arm, axes[2]);
    const rblWide3 turned_n = rbl_wide_symmetric3_apply(&body->inverse_inertia, n);
    const rblWide3 turned_x = rbl_wide_symmetric3_apply(&body->inverse_inertia, x);
    const rblWide3 turned_y = rbl_wide_symmetric3_apply(&body->inverse_inertia, y);
    sum->nn = rbl_add4(sum->nn, rbl_add4(body->inverse_mass, rbl_wide_dot3(n, turned_n)));
    sum->xx = rbl_add4(sum->xx, rbl_add4(body->inverse_mass, rbl_wide_dot3(x, turned_x)));
    sum->yy = rbl_add4(sum->yy, rbl_add4(body->inverse_mass, rbl_wide_dot3(y, turned_y)));
    sum->xy = rbl_add4(sum->xy, rbl_wide_dot3(y, turned_x));
    sum->nx = rbl_add4(sum->nx, rbl_wide_dot3(n, turned_x));
    sum->ny = rbl_add4(sum->ny, rbl_wide_dot3(n, turned_y));
}

static void write_masses(const rblWideBody* a, const rblWideBody* b, const Geometry* geometry,
                         const rblWide3 axes[3], rblFloat4 there, rblWideContact* out)
{
    const rblFloat4 zero = rbl_splat4(0.0f);
    Compliance sum = {zero, zero, zero, zero, zero, zero};
    add_compliance(a, geometry->arm_a, axes, &sum);
    add_compliance(b, geometry->arm_b, axes, &sum);
    const rblFloat4 determinant = rbl_sub4(rbl_mul4(sum.xx, sum.yy), rbl_mul4(sum.xy, sum.xy));
    const rblFloat4 scale = rbl_div4(rbl_splat4(1.0f), determinant);
    const rblFloat4 mean = rbl_div4(rbl_splat4(2.0f), rbl_add4(sum.xx, sum.yy));
    const rblFloat4 normal_mass = rbl_div4(rbl_splat4(1.0f), sum.nn);
    rbl_store4(out->normal_mass, rbl_select4(there, normal_mass, zero));
    rbl_store4(out->tangent_mass[0], rbl_select4(there, rbl_mul4(sum.yy, scale), zero));
    rbl_store4(out->tangent_mass[1], rbl_select4(there, rbl_mul4(sum.xx, scale), zero));
    rbl_store4(out->tangent_mass[2], rbl_select4(there, rbl_sub4(zero, rbl_mul4(sum.xy, scale)), zero));
    rbl_store4(out->tangent_mass[3], rbl_select4(there, mean, zero));
    rbl_store4(out->coupling[0], sum.nx);
    rbl_store4(out->coupling[1], sum.ny);
}

static void pack_contact(const rblWideBody* a, const rblWideBody* b, const Geometry* geometry,
                         rblWideContact* out)
{
    const rblFloat4 zero = rbl_splat4(0.0f);
    const rblFloat4 there = rbl_wide_there(geometry->normal);
    const rblWide3 none = {zero, zero, zero};
    const rblWide3 tangent = rbl_wide_select3(there, some_tangent(geometry->normal), none);
    const rblWide3 axes[3] = {geometry->normal, tangent, rbl_wide_cross3(geometry->normal, tangent)};
    write_masses(a, b, geometry, axes, there, out);
    rbl_store4(out->gap, geometry->gap);
    rbl_wide_store3(out->arm_a, geometry->arm_a);
    rbl_wide_store3(out->arm_b, geometry->arm_b);
    rbl_wide_store3(out->normal, geometry->normal);
    rbl_wide_store3(out->tangent, tangent);
}

void rbl_bundle_pack(rblStep* step, const rblBundle* bundle)
{
    rblWorld* world = step->world;
    const rblWideBody a = rbl_gather_bodies4(step->solver_bodies.data, bundle->a);
    const rblWideBody b = rbl_gather_bodies4(step->solver_bodies.data, bundle->b);
    const Frames frame_a = gather_frames(world->motions.data, bundle->slot_a);
    const Frames frame_b = gather_frames(world->motions.data, bundle->slot_b);
    for (uint32_t i = 0; i < bundle->count; ++i)
    {
        const Geometry geometry = gather_geometry(world, bundle, i, &frame_a, &frame_b);
        pack_contact(&a, &b, &geometry, &step->wide_contacts.data[bundle->first + i]);
    }
}

// Gaps and velocities below the limits for rest count as zero, so that all corners of a resting box have the same target.
static rblFloat4 find_target(const Aim* aim, rblFloat4 gap, rblFloat4 before)
{
    const rblFloat4 zero = rbl_splat4(0.0f);
    const rblFloat4 open = rbl_max4(rbl_sub4(gap, aim->slop), zero);
    const rblFloat4 size = rbl_wide_absolute(before);
    const rblFloat4 speed = rbl_select4(rbl_less4(size, rbl_splat4(AT_REST)), zero, before);
    const rblFloat4 back = rbl_sub4(zero, speed);
    const rblFloat4 closing = rbl_div4(rbl_add4(open, open), aim->seconds); // infinite when no time is left
    const rblFloat4 target = rbl_select4(rbl_less4(zero, open), rbl_sub4(back, closing), back);
    return rbl_min4(target, zero);
}

static void aim_contact(const rblWorld* world, const rblBundle* bundle, uint32_t number, Aim* aim,
                        rblWideContact* out)
{
    const rblFloat4 zero = rbl_splat4(0.0f);
    Geometry geometry = gather_geometry(world, bundle, number, &aim->frame_a, &aim->frame_b);
    const rblFloat4 there = rbl_wide_there(geometry.normal);
    geometry.arm_a = rbl_wide_add3(geometry.arm_a, aim->shift);
    geometry.arm_b = rbl_wide_sub3(geometry.arm_b, aim->shift);
    const rblWide3 none = {zero, zero, zero};
    const rblWide3 tangent = rbl_wide_select3(there, some_tangent(geometry.normal), none);
    const rblWide3 axes[3] = {geometry.normal, tangent, rbl_wide_cross3(geometry.normal, tangent)};
    write_masses(&aim->a, &aim->b, &geometry, axes, there, out);

    const rblWide3 u =
        rbl_wide_relative_velocity(&aim->before_a, &aim->before_b, geometry.arm_a, geometry.arm_b);
    rblFloat4 target = find_target(aim, geometry.gap, rbl_wide_dot3(u, geometry.normal));
    if (bundle->free != 0)
    {
        // Contacts of siblings oppose relative motion by other bodies, not the relative motion of the siblings at the start.
        const rblWide3 own =
            rbl_wide_relative_velocity(&aim->free_a, &aim->free_b, geometry.arm_a, geometry.arm_b);
        const rblFloat4 least = rbl_min4(target, rbl_wide_dot3(own, geometry.normal));
        target = rbl_select4(rbl_wide_lanes(bundle->free), least, target);
    }
    const rblFloat4 impulses[3] = {geometry.normal_impulse, rbl_wide_dot3(geometry.friction, axes[1]),
                                   rbl_wide_dot3(geometry.friction, axes[2])};
    rbl_store4(out->gap, geometry.gap);
    rbl_wide_store3(out->arm_a, geometry.arm_a);
    rbl_wide_store3(out->arm_b, geometry.arm_b);
    rbl_wide_store3(out->normal, geometry.normal);
    rbl_wide_store3(out->tangent, tangent);
    rbl_store4(out->target, rbl_select4(there, target, zero));
    rbl_store4(out->normal_impulse, impulses[0]);
    rbl_store4(out->tangent_impulse[0], impulses[1]);
    rbl_store4(out->tangent_impulse[1], impulses[2]);
    rbl_wide_apply_impulse(&aim->a, &aim->b, geometry.arm_a, geometry.arm_b,
                           rbl_wide_in_frame(axes[0], axes[1], axes[2], impulses));
}

// Contacts are stored in the order of pairs, so those of a bundle are scattered: prefetch them.
void rbl_bundle_expect(const rblWorld* world, const rblBundle* bundle)
{
    for (uint32_t i = 0; i < bundle->lanes; ++i)
    {
        const rblContact* contact = &world->contacts.data[bundle->contact[i]];
        for (uint32_t k = 0; k < bundle->counts[i] + bundle->redundant_counts[i]; ++k)
        {
            rbl_prefetch(&contact[k]);
            rbl_prefetch(&contact[k].normal_impulse);
        }
        rbl_prefetch(&world->motions.data[bundle->slot_a[i]]);
        rbl_prefetch(&world->motions.data[bundle->slot_b[i]]);
    }
}

void rbl_bundle_aim(rblStep* step, const rblBundle* bundle)
{
    rblWorld* world = step->world;
    Aim aim = begin_aim(step, bundle);
    for (uint32_t i = 0; i < bundle->count + bundle->redundant; ++i)
    {
        aim_contact(world, bundle, i, &aim, &step->wide_contacts.data[bundle->first + i]);
    }
    rbl_scatter_bodies4(step->solver_bodies.data, bundle->a, &aim.a);
    rbl_scatter_bodies4(step->solver_bodies.data, bundle->b, &aim.b);
}
