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

/// Handle to a body of a world. Zero is null; pass by value, compare, store. Ids of destroyed bodies and of other worlds are caught.
typedef struct rblBodyId
{
    uint32_t index1;
    uint32_t generation;
    uint32_t world; ///< serial number of its world, never used again in this process
} rblBodyId;

// ---- the world ----

/// What a new world is. Start from rbl_default_world_def() and change fields.
typedef struct rblWorldDef
{
    uint32_t struct_size; ///< bytes of this struct; set by rbl_default_world_def()
    uint32_t cookie;      ///< set by rbl_default_world_def()
    rblVec3 gravity;      ///< m/s^2; default 0, -9.81, 0
    uint32_t substeps;    ///< per step; default 1: one step a frame is what the engine is made for
    uint32_t iterations;  ///< of the contact solver; default 8
    bool sleeping;        ///< default true
    float sleep_speed;    ///< m/s of a body's fastest point, below which it may fall asleep; default 0.02
    float sleep_time;     ///< s; default 0.5
    float bounce_speed;   ///< m/s: slower impacts do not bounce; default 0.2
    float recovery_speed; ///< m/s: how fast deep overlap is undone, at most 1; default 1
    uint32_t
        first_count; ///< of rblCollideOptions: UINT32_MAX makes a contact of every point that touches; default 8
    uint64_t seed;          ///< of all that is random in breaks; default 1
    uint32_t max_fragments; ///< that may be there at a time; breakers are told how many more; 0: no limit
    const rblTasks* tasks;  ///< null: the workers that rbl_set_tasks() chose
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

/// What moves a body.
typedef enum rblBodyType
{
    RBL_BODY_DYNAMIC,
    RBL_BODY_STATIC,
    RBL_BODY_KINEMATIC, ///< moves by its velocity, infinite mass
    RBL_BODY_TYPE_COUNT
} rblBodyType;

/// Who meets whom: a pair collides when each one's category is in the other's mask. Equal groups override: positive ones
/// always collide, negative ones never.
typedef struct rblFilter
{
    uint64_t category; ///< default 1
    uint64_t mask;     ///< default all
    int32_t group;     ///< default 0: none
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
    rblAabb box; ///< RBL_ANCHOR_BOX: world axes
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
    rblBreakerId breaker; ///< how it breaks; retained, and inherited by its fragments; null: never
    rblAnchor anchor;     ///< of a static body that may break
    bool asleep;          ///< born asleep, to go on with its velocity when it wakes; default false
    void* user_data;      ///< returned in events, never read; fragments inherit it
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
/// range, or with a friction, modulus, strength, surface energy or break impulse that is negative or not finite. A body with velocity brings energy with it: booked as work of the next step.
RBL_API rblResult rbl_body_create(rblWorldId world, const rblBodyDef* def, rblBodyId* out);

/// Remove a body and its joints; what it touched wakes. Its id is stale from now on, its energy is booked as work.
RBL_API rblResult rbl_body_destroy(rblWorldId world, rblBodyId body);

/// Whether the id is that of a body of this world that is still there.
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
    bool debris;         ///< a crumb: it does not break any more,
    float lifetime;      ///< and vanishes after so many seconds; 0: it stays
    rblShapeId shape;
    void* user_data;
    rblMaterial material;
    float gravity_scale;
    rblFilter filter;
    rblAnchor anchor;
    const rblBreaker* breaker; ///< the body's own reference; null: it never breaks
} rblBodyState;

/// Read it as it is now.
RBL_API rblResult rbl_body_state(rblWorldId world, rblBodyId body, rblBodyState* out);

/// Where a body is and how it moves.
typedef struct rblBodyMotion
{
    rblBodyId body;
    rblTransform pose; ///< of the shape's origin
    rblVec3 velocity;  ///< of the centre of mass, m/s
    rblVec3 spin;      ///< rad/s, world axes
    bool awake;
} rblBodyMotion;

/// All bodies at once, in id order: what those who draw or record read after every step. Up to `capacity` of them into
/// `out`; `count` receives how many there are.
RBL_API rblResult rbl_world_motions(rblWorldId world, rblBodyMotion* out, uint32_t capacity, uint32_t* count);

/// Pose between the last two steps, for drawing: 0 the one before, 1 the last.
RBL_API rblResult rbl_body_pose_at(rblWorldId world, rblBodyId body, float fraction, rblTransform* out);

/// Put a body elsewhere. Contacts are forgotten; the change of potential energy is booked as work.
RBL_API rblResult rbl_body_teleport(rblWorldId world, rblBodyId body, rblTransform pose);

/// Give a dynamic or kinematic body other velocities; it wakes. The change of kinetic energy is booked as work. This is how
/// kinematic bodies are steered.
RBL_API rblResult rbl_body_set_velocity(rblWorldId world, rblBodyId body, rblVec3 velocity, rblVec3 spin);

/// Act on a dynamic body; it wakes. Forces and torques last for the next step, impulses act at once. World axes.
RBL_API rblResult rbl_body_apply_force(rblWorldId world, rblBodyId body, rblVec3 force, rblVec3 point);
RBL_API rblResult rbl_body_apply_torque(rblWorldId world, rblBodyId body, rblVec3 torque);
RBL_API rblResult rbl_body_apply_impulse(rblWorldId world, rblBodyId body, rblVec3 impulse, rblVec3 point);

/// Change whom it meets; it wakes, and contacts that are no longer wanted end.
RBL_API rblResult rbl_body_set_filter(rblWorldId world, rblBodyId body, rblFilter filter);

/// Change what moves a body. It wakes with all that it touches, and its contacts begin anew. A static body that becomes dynamic has the
/// mass that its definition says and is at rest; a kinematic one keeps its velocity; a static one loses it. The change of energy is
/// booked as work. The same type again changes nothing. Refused: a plane that is not static, a body that is the only dynamic one of
/// a joint, an unknown type.
RBL_API rblResult rbl_body_set_type(rblWorldId world, rblBodyId body, rblBodyType type);

/// Change what a body is made of: it goes on as if it had been created so. Its velocities stay, its mass follows the density (one that
/// its definition gave, in proportion). The change of energy is booked as work; it wakes with all that it touches; its breaker prepares
/// anew, which may take its time. Refused: what rbl_body_create() refuses.
RBL_API rblResult rbl_body_set_material(rblWorldId world, rblBodyId body, const rblMaterial* material);

/// Change how a body breaks from now on; null: it never breaks. The breaker is retained, the one before released; damage and anchor
/// stay. Refused: a stale breaker, a plane, what the breaker refuses to prepare.
RBL_API rblResult rbl_body_set_breaker(rblWorldId world, rblBodyId body, rblBreakerId breaker);

/// Change how much of gravity a body feels; it wakes with all that it touches. The change of potential energy is booked as work.
/// Refused: a number that is not finite.
RBL_API rblResult rbl_body_set_gravity_scale(rblWorldId world, rblBodyId body, float scale);

/// Wake a body and all that sleeps with it.
RBL_API rblResult rbl_body_wake(rblWorldId world, rblBodyId body);

/// Break a body on demand, whatever it takes, as if an impact were at a point (one that is not on it is moved to where it is
/// nearest); the normal points into the body. Its id is stale
/// from now on, and the event is told with those of the next step. Refused: a body without a breaker, a point that is not
/// finite, a normal without direction. A body that its breaker leaves whole is as before, with RBL_OK.
RBL_API rblResult rbl_body_break(rblWorldId world, rblBodyId body, rblVec3 point, rblVec3 normal);

// ---- what happened in the last step ----

/// What a contact event tells.
typedef enum rblContactEventKind
{
    RBL_CONTACT_BEGIN,  ///< the first touch of a pair
    RBL_CONTACT_IMPACT, ///< an impact: approach faster than bounce_speed
    RBL_CONTACT_END     ///< the pair parted, or one of it is gone: its id is stale
} rblContactEventKind;

/// Something that happened to a pair of bodies in the last step.
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

/// Impulses that a body felt in the last step: those of all its impacts, and those of its lasting contacts in the last
/// substep. Together with gravity and joints they are the change of its momentum.
typedef struct rblFeltImpulse
{
    rblBodyId other;
    rblVec3 point;   ///< world
    rblVec3 impulse; ///< on this body, N s
    float speed;     ///< of approach, m/s; 0 for lasting contacts
    float duration;  ///< s: Hertz time of an impact, the step for a lasting contact
} rblFeltImpulse;

/// Up to `capacity` of them into `out`; `count` receives how many there are.
RBL_API rblResult rbl_body_impulses(rblWorldId world, rblBodyId body, rblFeltImpulse* out, uint32_t capacity,
                                    uint32_t* count);

/// A body broke in the last step, or on demand since the step before. Its fragments took its place: same mass and motion.
typedef struct rblBreakEvent
{
    rblBodyId body;             ///< that broke: stale
    rblBodyId by;               ///< whose impact broke it; null: on demand. May have broken, too
    const rblBodyId* fragments; ///< in the breaker's order
    uint32_t pieces;            ///< how many
    const rblMate* mates;       ///< crack faces that fit each other; pieces are indices of `fragments`
    uint32_t mate_count;        ///< how many
    uint32_t merged;            ///< crumbs and slivers that became part of a neighbour
    uint32_t debris;            ///< fragments that are crumbs and may vanish after a while
    rblVec3 point, normal;      ///< where, and into the body
    float impulse;              ///< N s along the normal of the impact, had it not broken
    float speed;                ///< m/s of approach at the time of impact
    float severity;             ///< 1 at the threshold
    double crack_area;          ///< m^2, of one side
    double surface_energy;      ///< J: what the cracks took; paid by the impact, on demand by nobody
    double
        elastic_energy; ///< J of elastic energy in the body when it broke; 0: its breaker knows nothing of stress
    double heat;        ///< J that the impact lost beyond the cracks, and its fragments at their birth
    double
        kinetic_lost; ///< J of motion that the two had before the cracks, less theirs and the fragments' after: surface and heat
    double mass_error; ///< sum of the fragments' masses against that of the body, in parts of it
    void* user_data;   ///< of the body that broke
} rblBreakEvent;

/// Breaks in the order in which they happened. Valid until the next call that changes the world.
RBL_API rblResult rbl_world_break_events(rblWorldId world, const rblBreakEvent** events, uint32_t* count);

/// Where energy went. All in joules; `work` and `dissipated` of the last step, the others now.
typedef struct rblEnergy
{
    double kinetic;
    double potential; ///< - sum m g.x
    double
        work; ///< put in by spawns, removals, kinematic bodies, user forces, explosions and overlap recovery
    double dissipated;    ///< taken out by contacts, joints, breaking and drift correction
    double clamped;       ///< energy that clamping kept from appearing, last step
    uint32_t clamp_count; ///< islands that were clamped, last step
    double momentum[3];
    double angular_momentum[3]; ///< about the world's origin
    double drift_momentum[3];   ///< angular momentum that drift correction changed, last step
} rblEnergy;

/// The books of the last step.
RBL_API rblResult rbl_world_energy(rblWorldId world, rblEnergy* out);

/// How much there is of what, after the last step.
typedef struct rblCounters
{
    uint32_t bodies, awake, pairs, touching, contacts, colliding, islands, colors, joints, fast;
    uint32_t
        frozen; ///< bodies whose numbers went bad and that were stopped, since the world began; 0 is normal
    uint32_t fragments;   ///< bodies that are pieces of others
    uint32_t breaks;      ///< bodies that broke, since the world began
    uint32_t debris;      ///< bodies that are debris
    uint32_t vanished;    ///< debris that is gone at the end of its life, since the world began,
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

// ---- questions ----

/// What a ray or a cast met: where along it, in world axes, with the normal out of the body.
typedef struct rblWorldHit
{
    rblBodyId body;
    float t;
    rblVec3 point, normal;
} rblWorldHit;

/// Nearest body along a ray whose category is in `mask`. Nothing found: the body of `out` is null, its t infinite.
RBL_API rblResult rbl_world_ray(rblWorldId world, const rblRay* ray, uint64_t mask, rblWorldHit* out);

/// First body that a shape meets when it moves by `translation` from `pose`; t is the fraction of the way. Nothing found: as
/// by rbl_world_ray().
RBL_API rblResult rbl_world_cast(rblWorldId world, rblShapeId shape, rblTransform pose, rblVec3 translation,
                                 uint64_t mask, rblWorldHit* out);

/// Called for each body found; false ends the search.
typedef bool rblBodyVisitor(rblBodyId body, void* context);

/// Bodies whose boxes overlap a box. Nothing found: no call.
RBL_API rblResult rbl_world_overlap_box(rblWorldId world, rblAabb box, uint64_t mask, rblBodyVisitor* visit,
                                        void* context);

/// Bodies that a shape at a pose touches.
RBL_API rblResult rbl_world_overlap_shape(rblWorldId world, rblShapeId shape, rblTransform pose,
                                          uint64_t mask, rblBodyVisitor* visit, void* context);

/// All bodies in id order.
RBL_API rblResult rbl_world_bodies(rblWorldId world, rblBodyId* out, uint32_t capacity, uint32_t* count);

// ---- keeping and going back ----

/// Size of a snapshot now, and the snapshot itself: all that decides the future of the world. Shapes are not stored but
/// referred to, and are kept alive by the world that made it. To restore, the buffer must be aligned to 8 bytes. Null buffer: the size
/// alone. RBL_ERROR_LIMIT: the buffer is too small; `size` says what is needed.
RBL_API rblResult rbl_world_save(rblWorldId world, void* buffer, size_t capacity, size_t* size);

/// Go back to a snapshot of this world: its future is then the same to the last bit. Refused, and nothing changes: a buffer that
/// is not one, is damaged or comes from another world.
RBL_API rblResult rbl_world_restore(rblWorldId world, const void* buffer, size_t size);

// ---- looking inside ----

/// What to draw and how: every call gets points of the world and a colour 0xRRGGBBAA. Null functions are not called.
typedef struct rblDebugDraw
{
    void (*line)(rblVec3 from, rblVec3 to, uint32_t color, void* context);
    void (*point)(rblVec3 at, float size, uint32_t color, void* context);
    bool boxes, contacts, normals, impulses, centers, islands, samples, joints;
    void* context;
} rblDebugDraw;

/// Draw what `draw` asks for, in a fixed order.
RBL_API rblResult rbl_world_draw(rblWorldId world, const rblDebugDraw* draw);

RBL_EXTERN_C_END

#endif
