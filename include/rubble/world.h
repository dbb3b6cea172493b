/// The world: bodies, their contacts, and the step. Energy never grows but by what is booked as work; results are the
/// same bits for any number of workers. Calls on one world come from one thread at a time; worlds are independent.
#ifndef RUBBLE_WORLD_H
#define RUBBLE_WORLD_H

#include "rubble/allocator.h"
#include "rubble/breaker.h"
#include "rubble/material.h"
#include "rubble/shape.h"
#include "rubble/tasks.h"

RBL_EXTERN_C_BEGIN

/// Handle to a world. Zero is null; pass by value, compare, store.
typedef struct rblWorldId
{
    uint32_t index1;
    uint32_t generation;
} rblWorldId;

/// Handle to a body of a world. Zero is null; pass by value, compare, store. Calls detect ids of destroyed
/// bodies and of other worlds.
typedef struct rblBodyId
{
    uint32_t index1;
    uint32_t generation;
    uint32_t world; ///< serial number of its world, unique in this process
} rblBodyId;

// ---- the world ----

/// What a new world is. Start from rbl_default_world_def() and change fields.
typedef struct rblWorldDef
{
    uint32_t struct_size; ///< bytes of this struct; set by rbl_default_world_def()
    uint32_t cookie;      ///< set by rbl_default_world_def()
    rblVec3 gravity;      ///< m/s^2; default 0, -9.81, 0
    uint32_t substeps;    ///< per step; default 1: the engine is designed for one step per frame
    uint32_t iterations;  ///< of the contact solver; default 8
    bool sleeping;        ///< default true
    float sleep_speed;    ///< m/s: a body may fall asleep when no point of it is faster; default 0.02
    float sleep_time;     ///< s; default 0.5
    float bounce_speed;   ///< m/s: slower impacts do not bounce; default 0.2
    float recovery_speed; ///< m/s: largest speed at which initial overlap is removed, at most 1; default 1
    uint32_t first_count; ///< see rblCollideOptions; UINT32_MAX: every touching point is a contact; default 8
    uint64_t seed;        ///< seed of all random numbers in breaks; default 1
    uint32_t
        max_fragments; ///< largest number of fragments in the world; breakers get the number that is left; 0: no limit
    const rblTasks* tasks; ///< null: the workers that rbl_set_tasks() chose
} rblWorldDef;

/// The defaults named above. `size` is what the caller knows of the struct.
RBL_API void rbl_world_def_init(rblWorldDef* def, size_t size);
static inline rblWorldDef rbl_default_world_def(void)
{
    rblWorldDef def;
    rbl_world_def_init(&def, sizeof def);
    return def;
}

/// Make an empty world. Refused: a definition that did not start from rbl_default_world_def(), numbers out of range.
RBL_API rblResult rbl_world_create(const rblWorldDef* def, rblWorldId* out);

/// Destroy a world with all its bodies and joints.
RBL_API rblResult rbl_world_destroy(rblWorldId world);

/// Advance by `seconds`. Refused: negative, NaN or more than RBL_MAX_STEP. 0, and less than a microsecond
/// per substep, moves nothing.
RBL_API rblResult rbl_world_step(rblWorldId world, float seconds);
#define RBL_MAX_STEP 1.0f

/// Change gravity from the next step on; sleepers wake. The change of potential energy is booked as work.
RBL_API rblResult rbl_world_set_gravity(rblWorldId world, rblVec3 gravity);

// ---- bodies ----

/// How a body moves.
typedef enum rblBodyType
{
    RBL_BODY_DYNAMIC,
    RBL_BODY_STATIC,
    RBL_BODY_KINEMATIC, ///< moves by its velocity, infinite mass
    RBL_BODY_TYPE_COUNT
} rblBodyType;

/// Collision filter: a pair collides when the category of each body is in the mask of the other. Equal groups override
/// this: bodies of one positive group always collide, bodies of one negative group never.
typedef struct rblFilter
{
    uint64_t category; ///< default 1
    uint64_t mask;     ///< default all
    int32_t group;     ///< default 0: none
    uint32_t reserved; ///< for later versions: must be 0
} rblFilter;

/// Which fragments of a static body stay static when it breaks. The others fall.
typedef enum rblAnchorKind
{
    RBL_ANCHOR_TOUCH,  ///< those that touch other static bodies; default
    RBL_ANCHOR_BOTTOM, ///< those that reach the lowest part of the body
    RBL_ANCHOR_BOX,    ///< those that reach into a box of the world
    RBL_ANCHOR_NONE,   ///< none
    RBL_ANCHOR_KIND_COUNT
} rblAnchorKind;

/// The rule, and what it refers to.
typedef struct rblAnchor
{
    rblAnchorKind kind;
    rblAabb box;          ///< RBL_ANCHOR_BOX: world axes
    uint32_t reserved[3]; ///< for later versions: must be 0
} rblAnchor;

/// What a new body is. Start from rbl_default_body_def() and change fields.
typedef struct rblBodyDef
{
    uint32_t struct_size; ///< bytes of this struct; set by rbl_default_body_def()
    uint32_t cookie;      ///< set by rbl_default_body_def()
    rblShapeId shape;     ///< shared, reference-counted
    rblBodyType type;     ///< default dynamic
    rblMaterial material; ///< default stone
    rblTransform pose;    ///< of the shape's own origin, not of its centre of mass
    rblVec3 velocity;     ///< of the centre of mass, m/s
    rblVec3 spin;         ///< rad/s, world axes
    float mass;           ///< kg; 0: density times volume
    float gravity_scale;  ///< default 1
    rblFilter filter;
    rblBreakerId breaker; ///< retained; fragments inherit it; null: the body never breaks
    rblAnchor anchor;     ///< of a static body that may break
    bool asleep;          ///< created asleep; its velocity applies when it wakes; default false
    void* user_data;      ///< returned in events, never read; fragments inherit it
    bool sensor; ///< collides with nothing and reports what overlaps it (rblSensorEvent); default false
} rblBodyDef;

/// The defaults named above. `size` is what the caller knows of the struct.
RBL_API void rbl_body_def_init(rblBodyDef* def, size_t size);
static inline rblBodyDef rbl_default_body_def(void)
{
    rblBodyDef def;
    rbl_body_def_init(&def, sizeof def);
    return def;
}

/// Refused: a pose or velocity that is not finite, a quaternion far from unit length, mass not positive, a plane that is not
/// static, a stale shape or breaker, a material with a density that is not positive, a restitution or Poisson's ratio out of
/// range, or with a friction, modulus, strength, surface energy or break impulse that is negative or not finite, a sensor with a
/// breaker. A body with velocity brings energy with it: booked as work of the next step.
RBL_API rblResult rbl_body_create(rblWorldId world, const rblBodyDef* def, rblBodyId* out);

/// Remove a body and its joints. Bodies that touched it wake. The id becomes stale. The energy of the body is booked as work.
RBL_API rblResult rbl_body_destroy(rblWorldId world, rblBodyId body);

/// Whether the id refers to an existing body of this world.
RBL_API bool rbl_body_is_valid(rblWorldId world, rblBodyId body);

/// All of a body's state.
typedef struct rblBodyState
{
    rblTransform pose;        ///< of the shape's origin
    rblVec3 center;           ///< of mass, world
    rblVec3 velocity;         ///< of the centre of mass
    rblVec3 spin;             ///< rad/s, world axes
    rblVec3 angular_momentum; ///< about the centre of mass, kg m^2/s
    float mass;               ///< 0 for static and kinematic bodies
    float kinetic_energy;     ///< J
    rblBodyType type;
    bool awake;
    uint32_t generation; ///< how many times its ancestors broke; 0: it is no fragment
    float damage;        ///< of earlier impacts, 0 to 1
    bool debris;         ///< a crumb: it never breaks,
    float lifetime;      ///< and is removed after this time, s; 0: never removed
    rblShapeId shape;
    void* user_data;
    rblMaterial material;
    float gravity_scale;
    rblFilter filter;
    rblAnchor anchor;
    const rblBreaker* breaker; ///< the body's own reference; null: it never breaks
    bool sensor;
} rblBodyState;

/// Read the current state of a body.
RBL_API rblResult rbl_body_state(rblWorldId world, rblBodyId body, rblBodyState* out);

/// Pose and velocities of a body.
typedef struct rblBodyMotion
{
    rblBodyId body;
    rblTransform pose; ///< of the shape's origin
    rblVec3 velocity;  ///< of the centre of mass, m/s
    rblVec3 spin;      ///< rad/s, world axes
    bool awake;
} rblBodyMotion;

/// Poses and velocities of all bodies in id order, for drawing and recording. At most `capacity` of them are written to
/// `out`; `count` receives the number of bodies.
RBL_API rblResult rbl_world_motions(rblWorldId world, rblBodyMotion* out, uint32_t capacity, uint32_t* count);

/// Pose interpolated between the last two steps, for drawing: fraction 0 is the earlier step, 1 the last one.
RBL_API rblResult rbl_body_pose_at(rblWorldId world, rblBodyId body, float fraction, rblTransform* out);

/// Move a body to a pose. Its contacts are discarded; the change of potential energy is booked as work.
RBL_API rblResult rbl_body_teleport(rblWorldId world, rblBodyId body, rblTransform pose);

/// Set the velocities of a dynamic or kinematic body; it wakes. The change of kinetic energy is booked as work. Kinematic
/// bodies are driven by this call.
RBL_API rblResult rbl_body_set_velocity(rblWorldId world, rblBodyId body, rblVec3 velocity, rblVec3 spin);

/// Apply a force, torque or impulse to a dynamic body; it wakes. Forces and torques act during the next step, impulses at
/// once. World axes.
RBL_API rblResult rbl_body_apply_force(rblWorldId world, rblBodyId body, rblVec3 force, rblVec3 point);
RBL_API rblResult rbl_body_apply_torque(rblWorldId world, rblBodyId body, rblVec3 torque);
RBL_API rblResult rbl_body_apply_impulse(rblWorldId world, rblBodyId body, rblVec3 impulse, rblVec3 point);

/// Change the collision filter. The body wakes, and contacts that the filter excludes end.
RBL_API rblResult rbl_body_set_filter(rblWorldId world, rblBodyId body, rblFilter filter);

/// Change the type of a body. The body and all that it touches wake, and its contacts begin anew. A static body that becomes dynamic has the
/// mass that its definition says and is at rest; a kinematic one keeps its velocity; a static one loses it. The change of energy is
/// booked as work. The same type again changes nothing. Refused: a plane that is not static, a body that is the only dynamic one of
/// a joint, an unknown type.
RBL_API rblResult rbl_body_set_type(rblWorldId world, rblBodyId body, rblBodyType type);

/// Change the material of a body, as if it had been created with it. Its velocities stay, its mass is scaled with the density. The change of energy is booked as work; the body and all that it touches wake; its breaker
/// prepares again, which can be slow. Refused: what rbl_body_create() refuses.
RBL_API rblResult rbl_body_set_material(rblWorldId world, rblBodyId body, const rblMaterial* material);

/// Change the breaker of a body; null: it never breaks. The new breaker is retained, the old one released; damage and anchor
/// stay. Refused: a stale breaker, a plane, what the breaker refuses to prepare.
RBL_API rblResult rbl_body_set_breaker(rblWorldId world, rblBodyId body, rblBreakerId breaker);

/// Change the factor on gravity of a body. The body and all that it touches wake. The change of potential energy is booked as work.
/// Refused: a number that is not finite.
RBL_API rblResult rbl_body_set_gravity_scale(rblWorldId world, rblBodyId body, float scale);

/// Wake a body and the bodies of its sleeping island.
RBL_API rblResult rbl_body_wake(rblWorldId world, rblBodyId body);

/// Break a body on demand, without a limit of energy, as by an impact at a point. A point off the body is moved to its
/// nearest surface point. The normal points into the body. The id of the body becomes stale, and the break event is
/// reported with those of the next step. Refused: a body without a breaker, a point that is not
/// finite, a normal without direction. When the breaker returns no fragments, the body is unchanged and the
/// result is RBL_OK.
RBL_API rblResult rbl_body_break(rblWorldId world, rblBodyId body, rblVec3 point, rblVec3 normal);

// ---- hooks ----

/// Whether two bodies may collide, asked when their boxes begin to overlap and after changes of filters, types and joints. It is
/// called from several threads at once, so it must depend on nothing but the two bodies, and must not call the world.
typedef bool rblPairFilter(rblBodyId a, rblBodyId b, void* context);

/// Set the filter of pairs, after the filters of bodies; null: none. Bodies wake, and pairs are asked again. Hooks are no part of
/// snapshots and recordings: a replay needs the same ones.
RBL_API rblResult rbl_world_set_pair_filter(rblWorldId world, rblPairFilter* filter, void* context);

/// Contacts of two bodies in a substep, before they are solved.
typedef struct rblPairContacts
{
    rblBodyId a, b;
    rblVec3 point;  ///< of the deepest contact, world
    rblVec3 normal; ///< there, from a to b
    float distance; ///< there, m: negative in overlap
    uint32_t count; ///< of contacts
    bool touching;  ///< at the end of the substep before
} rblPairContacts;

/// Whether the contacts of a pair act in this substep. Called in each substep, and again when something breaks in it, on the thread of
/// rbl_world_step(), in the order of ids, for awake pairs with contacts. Bodies of a pair that is refused pass through each other at
/// any speed. It must not change the world.
typedef bool rblContactFilter(const rblPairContacts* contacts, void* context);

/// Set the filter of contacts; null: none. Bodies wake. No part of snapshots and recordings, as the filter of pairs.
RBL_API rblResult rbl_world_set_contact_filter(rblWorldId world, rblContactFilter* filter, void* context);

// ---- what happened in the last step ----

/// Kind of a contact event.
typedef enum rblContactEventKind
{
    RBL_CONTACT_BEGIN,  ///< the bodies of the pair begin to touch
    RBL_CONTACT_IMPACT, ///< an impact: approach faster than bounce_speed
    RBL_CONTACT_END     ///< the bodies separated, or one was removed: its id is stale
} rblContactEventKind;

/// Event of a pair of bodies in the last step.
typedef struct rblContactEvent
{
    rblContactEventKind kind;
    rblBodyId a, b;
    rblVec3 point;  ///< world
    rblVec3 normal; ///< from a to b
    float impulse;  ///< N s along the normal; impacts only
    float speed;    ///< m/s of approach; impacts only
    float duration; ///< s: Hertz estimate of the contact time; impacts only
} rblContactEvent;

/// Events of the last step in a fixed order. Valid until the next call that changes the world.
RBL_API rblResult rbl_world_contact_events(rblWorldId world, const rblContactEvent** events, uint32_t* count);

/// A dynamic or kinematic body has begun or ended to overlap a sensor. A body that has crossed a sensor within a step does both.
typedef struct rblSensorEvent
{
    rblBodyId sensor, body; ///< stale at the end when they were removed
    bool begins;            ///< otherwise it ends
} rblSensorEvent;

/// Events of sensors in the last step, in a fixed order: of each substep first what began or crossed, then what ended, each by sensor
/// and body. Filters apply; sensors see neither each other nor static bodies. Valid until the next call that changes the world.
RBL_API rblResult rbl_world_sensor_events(rblWorldId world, const rblSensorEvent** events, uint32_t* count);

/// Bodies that overlapped a sensor at the end of the last step, in id order. At most `capacity` of them are written to `out`;
/// `count` receives their number. A body that is no sensor has none.
RBL_API rblResult rbl_sensor_overlaps(rblWorldId world, rblBodyId sensor, rblBodyId* out, uint32_t capacity,
                                      uint32_t* count);

/// Impulse on a body in the last step: of an impact, or of a lasting contact in the last substep. Together with gravity,
/// joints and rblEnergy.drift_impulse, these impulses are the change of momentum of the body.
typedef struct rblFeltImpulse
{
    rblBodyId other;
    rblVec3 point;   ///< world
    rblVec3 impulse; ///< on this body, N s
    float speed;     ///< of approach, m/s; 0 for lasting contacts
    float duration;  ///< s: Hertz time of an impact, the step for a lasting contact
} rblFeltImpulse;

/// Impulses on a body. At most `capacity` of them are written to `out`; `count` receives their number.
RBL_API rblResult rbl_body_impulses(rblWorldId world, rblBodyId body, rblFeltImpulse* out, uint32_t capacity,
                                    uint32_t* count);

/// A body broke in the last step, or on demand since the step before. Its fragments replaced it, with the same total mass
/// and motion.
typedef struct rblBreakEvent
{
    rblBodyId body;             ///< the body that broke; its id is stale
    rblBodyId by;               ///< the body whose impact broke it; null: on demand. It may have broken, too
    const rblBodyId* fragments; ///< in the breaker's order
    uint32_t fragment_count;    ///< how many
    const rblMate* mates;       ///< mating crack faces; their pieces are indices into `fragments`
    uint32_t mate_count;        ///< how many
    uint32_t merged;            ///< crumbs and slivers that became part of a neighbour
    uint32_t debris;            ///< fragments that are crumbs; they may be removed after a lifetime
    rblVec3 point, normal;      ///< point of the impact; normal into the body
    float impulse;              ///< N s: normal impulse of the impact if the body had not broken
    float speed;                ///< m/s of approach at the time of impact
    float severity;             ///< 1 at the threshold
    double crack_area;          ///< m^2, of one side
    double
        surface_energy; ///< J: energy of the crack faces; taken from the impact, for breaks on demand from nothing
    double elastic_energy; ///< J: elastic energy of the body when it broke; 0: its breaker computes no stress
    double
        heat; ///< J: energy lost beyond the cost of the cracks: by the creation of the fragments, and by contacts between them in the same step
    double
        kinetic_lost; ///< J: kinetic energy that the break took: surface energy and heat; for breaks on demand the heat alone
    double mass_error; ///< relative error of the sum of the fragments' masses
    void* user_data;   ///< of the body that broke
} rblBreakEvent;

/// Breaks in the order in which they happened. Valid until the next call that changes the world.
RBL_API rblResult rbl_world_break_events(rblWorldId world, const rblBreakEvent** events, uint32_t* count);

/// Energy balance, J. `work` and `dissipated` are those of the last step, the others are current.
typedef struct rblEnergy
{
    double kinetic;
    double potential; ///< - sum m g.x
    double
        work; ///< put in by spawns, removals, kinematic bodies, user forces, explosions, springs, motors, joints in loops as they
              ///< spring back, and overlap recovery
    double dissipated;    ///< taken out by contacts, joints, breaking and drift correction
    double clamped;       ///< energy gain that clamping prevented, last step
    uint32_t clamp_count; ///< islands that were clamped, last step
    double momentum[3];
    double angular_momentum[3]; ///< about the world's origin
    double drift_momentum[3];   ///< angular momentum that drift correction changed, last step
    double
        drift_impulse; ///< N s: sum of the changes of momentum of bodies by which drift correction keeps the angular momentum of islands in free flight, and where bodies that were stopped on their way paid for it, last step
} rblEnergy;

/// Read the energy balance of the last step.
RBL_API rblResult rbl_world_energy(rblWorldId world, rblEnergy* out);

/// Counts after the last step.
typedef struct rblCounters
{
    uint32_t bodies, awake, pairs, touching, contacts, colliding, islands, colors, joints, fast;
    uint32_t
        frozen; ///< bodies that were stopped because their state was NaN or infinite, since the world was created; 0 is normal
    uint32_t fragments;   ///< bodies that are fragments
    uint32_t breaks;      ///< bodies that broke, since the world was created
    uint32_t debris;      ///< bodies that are debris
    uint32_t vanished;    ///< debris removed at the end of its lifetime, since the world was created,
    double vanished_mass; ///< and its mass, kg
    size_t bytes;         ///< memory of the world, without its shapes
} rblCounters;

/// Read the counters.
RBL_API rblResult rbl_world_counters(rblWorldId world, rblCounters* out);

/// Milliseconds of the last step.
typedef struct rblProfile
{
    float total, broad, narrow, impact, fracture, solve, integrate, drift, sleep, update;
    float fields; ///< a part of `fracture`: distance fields and samples of fragments, all threads together
} rblProfile;

/// Read the profile.
RBL_API rblResult rbl_world_profile(rblWorldId world, rblProfile* out);

/// Hash of poses and velocities of all bodies in id order: equal for equal states, on every platform.
RBL_API rblResult rbl_world_hash(rblWorldId world, uint64_t* out);

// ---- queries ----
// No query finds sensors (rblBodyDef.sensor); ask rbl_sensor_overlaps().

/// Result of a ray or a cast: fraction t along it, point and outward normal of the body in world axes.
typedef struct rblWorldHit
{
    rblBodyId body;
    float t;
    rblVec3 point, normal;
} rblWorldHit;

/// Nearest body along a ray whose category is in `mask`. Nothing found: the body of `out` is null, its t infinite.
RBL_API rblResult rbl_world_ray(rblWorldId world, const rblRay* ray, uint64_t mask, rblWorldHit* out);

/// All bodies along a ray whose category is in `mask`, each where the ray first meets it, nearest first; of equal distances the
/// lower id first. At most `capacity` of them are written to `out`; `count` receives their number.
RBL_API rblResult rbl_world_ray_all(rblWorldId world, const rblRay* ray, uint64_t mask, rblWorldHit* out,
                                    uint32_t capacity, uint32_t* count);

/// First body that a shape meets when it moves by `translation` from `pose`; t is the fraction of the
/// translation. Nothing found: as by rbl_world_ray().
RBL_API rblResult rbl_world_cast(rblWorldId world, rblShapeId shape, rblTransform pose, rblVec3 translation,
                                 uint64_t mask, rblWorldHit* out);

/// All bodies that a shape meets, as rbl_world_ray_all() lists them.
RBL_API rblResult rbl_world_cast_all(rblWorldId world, rblShapeId shape, rblTransform pose,
                                     rblVec3 translation, uint64_t mask, rblWorldHit* out, uint32_t capacity,
                                     uint32_t* count);

/// Called for each body found; false ends the search.
typedef bool rblBodyVisitor(rblBodyId body, void* context);

/// Bodies whose boxes overlap a box. Nothing found: no call.
RBL_API rblResult rbl_world_overlap_box(rblWorldId world, rblAabb box, uint64_t mask, rblBodyVisitor* visit,
                                        void* context);

/// Bodies that overlap a shape at a pose. Nothing found: no call.
RBL_API rblResult rbl_world_overlap_shape(rblWorldId world, rblShapeId shape, rblTransform pose,
                                          uint64_t mask, rblBodyVisitor* visit, void* context);

/// All bodies in id order.
RBL_API rblResult rbl_world_bodies(rblWorldId world, rblBodyId* out, uint32_t capacity, uint32_t* count);

// ---- snapshots ----

/// Write a snapshot: all state that the next steps depend on. `size` receives its size. Shapes are not stored; the
/// snapshot refers to them, and the world keeps them alive. To restore, the buffer must be aligned to 8 bytes.
RBL_API rblResult rbl_world_save(rblWorldId world, void* buffer, size_t capacity, size_t* size);

/// Restore a snapshot of this world. The following steps give the same results, bit for bit. Refused, and nothing changes:
/// a buffer that is no snapshot, is damaged or comes from another world.
RBL_API rblResult rbl_world_restore(rblWorldId world, const void* buffer, size_t size);

// ---- debug drawing ----

/// Debug drawing: functions get points in world axes and a colour 0xRRGGBBAA; null functions are not called. The flags
/// select what is drawn.
/// Start from rbl_default_debug_draw() and set fields.
typedef struct rblDebugDraw
{
    uint32_t struct_size; ///< bytes of this struct; set by rbl_default_debug_draw()
    uint32_t cookie;      ///< set by rbl_default_debug_draw()
    void (*line)(rblVec3 from, rblVec3 to, uint32_t color, void* context);
    void (*point)(rblVec3 at, float size, uint32_t color, void* context);
    bool boxes, contacts, normals, impulses, centers, islands, samples, joints;
    void* context;
} rblDebugDraw;

/// Size and cookie are set, all other fields are zero: nothing is drawn.
RBL_API void rbl_debug_draw_init(rblDebugDraw* draw, size_t size);
static inline rblDebugDraw rbl_default_debug_draw(void)
{
    rblDebugDraw draw;
    rbl_debug_draw_init(&draw, sizeof draw);
    return draw;
}

/// Draw what the flags of `draw` select, in a fixed order. Refused: a `draw` that is null or did not start from the default.
RBL_API rblResult rbl_world_draw(rblWorldId world, const rblDebugDraw* draw);

RBL_EXTERN_C_END

#endif
