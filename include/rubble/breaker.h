/// Breakers: fracture methods. A breaker gets one body and its impacts, and decides whether the body breaks and into which
/// fragments. It does not know the world; the world calls it during a step. User-defined methods use the same interface.
#ifndef RUBBLE_BREAKER_H
#define RUBBLE_BREAKER_H

#include "rubble/allocator.h"
#include "rubble/material.h"
#include "rubble/parameters.h"
#include "rubble/shape.h"
#include "rubble/tasks.h"
#include <stdbool.h>

RBL_EXTERN_C_BEGIN

/// Handle to a breaker. Zero is null: the body never breaks. Pass by value, compare, store. Bodies reference their breakers.
typedef struct rblBreakerId
{
    uint32_t index1;
    uint32_t generation;
} rblBreakerId;

/// One impact on a body, before the impulse is applied. World axes.
typedef struct rblImpact
{
    rblVec3 point;
    rblVec3 normal;   ///< unit, into the body
    rblVec3 impulse;  ///< on the body if it does not break, N s
    float speed;      ///< approach speed along the normal at the time of impact, m/s
    float duration;   ///< of the contact, by Hertz theory, s
    float mass;       ///< effective mass of the two bodies along the normal, kg
    float energy;     ///< J: mass speed^2 / 2, the upper limit of the energy for cracks
    float peak_force; ///< largest contact force, by Hertz theory, N
} rblImpact;

/// The state of a body that a breaker gets.
typedef struct rblBreakBody
{
    rblShapeView view; ///< of the shape, which is referenced during the call
    rblTransform pose; ///< of the shape's origin
    rblVec3 velocity;  ///< of the centre of mass
    rblVec3 spin;
    float mass; ///< kg; for a static body computed from material and shape
    rblMaterial material;
    uint64_t seed;       ///< the only source of randomness in the break
    uint32_t generation; ///< how many times its ancestors broke
    float damage;        ///< of earlier impacts, 0 to 1
    float payable;       ///< J: largest energy that one of its impacts can spend on cracks; 0: unknown
} rblBreakBody;

/// The decision of a breaker.
typedef struct rblVerdict
{
    bool breaks;
    uint32_t impact; ///< index of the impact that breaks the body
    rblVec3 point;   ///< centre of the pattern, world
    rblVec3 normal;  ///< axis of the pattern, unit, world
    float severity;  ///< 1 at the threshold; grows with the energy of the impact
    float damage;    ///< new damage of the body if it does not break
    double
        budget; ///< largest cost of the crack faces, J. Out of `decide`: an upper limit, 0 for all that the impact can pay. Into
    ///< `shatter`: what the impact can pay; infinite: no limit (broken on demand)
    uint32_t max_fragments; ///< largest number of fragments, by the capacity of the world; 0: no limit
    /// Data of the method that `decide` passes to `shatter`, such as stresses. Null: there is no data, or `decide` was not called
    /// (broken on demand). The caller of `decide` frees it with rbl_verdict_release().
    void* evidence;
} rblVerdict;

/// One fragment. It has the pose of its parent, so that its shape is where this part of the parent was.
typedef struct rblFragment
{
    rblShapeId shape;  ///< handle that the receiver of the fragment owns
    rblTransform pose; ///< of the shape's origin, world
    float mass;     ///< kg; the sum over all fragments is the mass of the parent, to a relative error of 1e-6
    uint32_t piece; ///< index within the break; mates refer to it
    bool debris;    ///< too small to break again
    float lifetime; ///< s until debris may disappear; 0: it stays
    /// Number of steps after which the samples get a new hierarchy, which is built in the background: for fragments that start with
    /// the updated hierarchy of their parent. The body then gets a new shape with the same geometry. 0: never.
    uint32_t rebuild;
} rblFragment;

/// Two mating crack faces. Pieces are indices of fragments; faces are numbered within their piece. rbl_fragment_faces() maps
/// triangles to them.
typedef struct rblMate
{
    uint32_t piece_a, face_a, piece_b, face_b;
} rblMate;

/// The crack face (as numbered in rblMate) of each face of a fragment's surface; RBL_NONE for faces of the original surface. `out`
/// receives up to `capacity` values, `count` the number of faces. Mating faces have the same triangles in the same order, with
/// opposite orientation. Refused: shapes whose breaker does not number crack faces (prescored and stress do), shapes read from
/// a recording.
RBL_API rblResult rbl_fragment_faces(const rblShapeView* fragment, uint32_t* out, uint32_t capacity,
                                     uint32_t* count);

/// The result of a break. Allocate with rbl_fracture_allocate(), free with rbl_fracture_free().
typedef struct rblFracture
{
    rblFragment* fragments;
    rblMate* mates;
    uint32_t fragment_count;
    uint32_t mate_count;
    double crack_area;     ///< m^2, of one side
    double elastic_energy; ///< J, elastic energy in the body before; 0: the method computes no stress
    uint32_t merged;       ///< number of crumbs and slivers that were merged with a neighbour
    double updating;       ///< time for distance fields and samples of the fragments, ms; 0: not measured
    const rblAllocator* allocator;
} rblFracture;

/// Allocate zeroed arrays of fragments and mates in an empty fracture, and set the counts.
RBL_API rblResult rbl_fracture_allocate(rblFracture* fracture, uint32_t fragment_count, uint32_t mate_count);

/// Destroy the shapes that are left (ids that are not null) and free the arrays. The fracture is empty afterwards. Null: nothing happens.
RBL_API void rbl_fracture_free(rblFracture* fracture);

typedef struct rblBreaker rblBreaker; ///< opaque

/// A fracture method. Several threads may call the functions at once for different bodies; results must depend on the arguments
/// only. `context` belongs to the method.
/// Functions must not call the world that asks them: it is between two states. Its calls answer RBL_ERROR_BUSY then.
typedef struct rblBreakerDef
{
    uint32_t struct_size; ///< bytes of this struct; set by rbl_default_breaker_def()
    uint32_t cookie;      ///< set by rbl_default_breaker_def()
    const char* name;     ///< copied; used in messages

    /// Precompute data of a shape and a material; called when a body is created, may be slow. `prepared` is passed to `decide` and
    /// `shatter`, and freed by `forget`. Both functions may be null.
    rblResult (*prepare)(void* context, const rblShapeView* shape, const rblMaterial* material, rblJobs* jobs,
                         void** prepared);
    void (*forget)(void* context, void* prepared);

    /// Decide whether the body breaks. Called for every impact, so it should be fast. `out` starts as "does not break" with the
    /// damage so far.
    rblResult (*decide)(void* context, void* prepared, const rblBreakBody* body, const rblImpact* impacts,
                        uint32_t count, rblVerdict* out);

    /// Free the evidence of a verdict, whether the body broke or not. May be null when `decide` attaches none.
    void (*release_evidence)(void* context, void* evidence);

    /// Break the body. `out` is empty at first. Zero or one fragment: the body stays whole (the budget does not cover a crack). On
    /// failure the caller frees `out`.
    rblResult (*shatter)(void* context, void* prepared, const rblBreakBody* body, const rblVerdict* verdict,
                         rblJobs* jobs, rblFracture* out);

    /// Receives the breaker that owns the context; called once, before all other functions. May be null.
    void (*attach)(void* context, const rblBreaker* self);

    void (*destroy)(void* context); ///< called after the last use; may be null
    void* context;
} rblBreakerDef;

/// Size and cookie are set, all other fields are zero.
RBL_API void rbl_breaker_def_init(rblBreakerDef* def, size_t size);
static inline rblBreakerDef rbl_default_breaker_def(void)
{
    rblBreakerDef def;
    rbl_breaker_def_init(&def, sizeof def);
    return def;
}

/// Create a breaker from functions; it takes over the context. Refused, and the context stays with the caller: a missing name,
/// `decide` or `shatter`, `prepare` without `forget`, a definition that did not start from the default.
RBL_API rblResult rbl_breaker_create(const rblBreakerDef* def, rblBreakerId* out);

/// Destroy a handle. The breaker exists as long as bodies reference it.
RBL_API rblResult rbl_breaker_destroy(rblBreakerId breaker);

/// The number of handles that exist: a leak check for tests.
RBL_API uint32_t rbl_breaker_alive_count(void);

// ---- calls of a world ----

// Refused: breakers, shapes, materials, bodies and outputs that are null. Calls that return nothing do nothing then. Null jobs: serially.

/// References without a handle, as bodies have them. Acquire: find the breaker and add a reference; retain: add another;
/// release: remove one.
RBL_API rblResult rbl_breaker_acquire(rblBreakerId breaker, const rblBreaker** out);
RBL_API void rbl_breaker_retain(const rblBreaker* breaker);
RBL_API void rbl_breaker_release(const rblBreaker* breaker);

/// The definition of the breaker; the name is a copy. Null: the breaker is.
RBL_API const rblBreakerDef* rbl_breaker_def(const rblBreaker* breaker);

/// Call the function of the same name. `prepared` is null without such a function.
RBL_API rblResult rbl_breaker_prepare(const rblBreaker* breaker, const rblShapeView* shape,
                                      const rblMaterial* material, rblJobs* jobs, void** prepared);
RBL_API void rbl_breaker_forget(const rblBreaker* breaker, void* prepared);

/// Call `decide` and check the verdict. Refused: an impact out of range, numbers that are not finite, a normal that is not of unit
/// length, a damage outside of 0 to 1.
RBL_API rblResult rbl_breaker_decide(const rblBreaker* breaker, void* prepared, const rblBreakBody* body,
                                     const rblImpact* impacts, uint32_t count, rblVerdict* out);

/// Free the evidence of a verdict, if it has any. To be called once for each verdict of rbl_breaker_decide(), by any thread, after
/// rbl_breaker_shatter() or instead of it.
RBL_API void rbl_verdict_release(const rblBreaker* breaker, rblVerdict* verdict);

/// Call `shatter` and check the result. Refused, and `out` is empty: stale shapes, planes, poses that are not finite, masses that
/// are not positive or whose sum differs from the body's by more than 1e-6 of it, mates with pieces out of range.
RBL_API rblResult rbl_breaker_shatter(const rblBreaker* breaker, void* prepared, const rblBreakBody* body,
                                      const rblVerdict* verdict, rblJobs* jobs, rblFracture* out);

// ---- kinds ----

/// A kind of breaker: a method with a name and parameters, for scene files, recordings and replays. Kinds are rows of one table, and
/// no other code knows the methods. rbl_breaker_kind_register() adds a kind of the user. Start from rbl_default_breaker_kind().
typedef struct rblBreakerKind
{
    uint32_t struct_size;           ///< bytes of this struct; set by rbl_default_breaker_kind()
    uint32_t cookie;                ///< set by rbl_default_breaker_kind()
    const char* name;               ///< "method" of scene files: 1 to 40 letters, digits, '-' and '_'
    const char* about;              ///< one line for lists
    size_t def_size;                ///< bytes of its definition
    const rblParameter* parameters; ///< of its definition; ends with a row of RBL_PARAMETER_END

    /// Set every field of a definition to its default.
    void (*set_defaults)(void* def);

    /// Derive parameters that a scene file does not give from those that it gives: bit i of `given` is set when row i of the parameters
    /// is given; `material` is the name of the preset of the body's material, or null. May be null.
    rblResult (*complete)(void* def, uint64_t given, const char* material);

    /// Create the method: fill functions and context of `out`, whose name is set. The values of `def` are within their ranges; `def` is
    /// valid during the call. `data` has the bytes of `put_data` and replaces the files that `def` names; null: read the files. A kind
    /// without `create` is a reserved name: its bodies stay whole, and scene files may give its parameters only.
    rblResult (*create)(const void* def, const void* data, size_t data_size, rblBreakerDef* out);

    /// Write the data that was read from files, so that a replay needs no files. May be null or write nothing.
    rblResult (*put_data)(const void* context, rblByteSink* sink);

    const struct rblBreakerKindInternals* internals; ///< of kinds of the library; null for kinds of the user
} rblBreakerKind;

/// Size and cookie are set, all other fields are zero.
RBL_API void rbl_breaker_kind_init(rblBreakerKind* kind, size_t size);
static inline rblBreakerKind rbl_default_breaker_kind(void)
{
    rblBreakerKind kind;
    rbl_breaker_kind_init(&kind, sizeof kind);
    return kind;
}

/// Add a kind to the table. The struct is copied; texts and parameters must stay valid until it is removed. Refused: names that are
/// taken or invalid, parameters outside of the definition or not aligned, defaults out of their ranges, missing functions.
RBL_API rblResult rbl_breaker_kind_register(const rblBreakerKind* kind);

/// Remove a registered kind. Refused: unknown names, kinds of the library; RBL_ERROR_BUSY: breakers or scenes use it, or all kinds are
/// retained (rbl_breaker_kinds_retain()).
RBL_API rblResult rbl_breaker_kind_unregister(const char* name);

/// Find a kind by its name. The pointer is valid until the kind is removed. Unknown names are refused; the message suggests the nearest
/// name.
RBL_API rblResult rbl_breaker_kind_find(const char* name, const rblBreakerKind** out);

/// Keep all kinds: until the matching release, none is removed. Around loops over rbl_breaker_kind_at() and the use of what
/// rbl_breaker_kind_find() returned, when another thread may remove kinds. The library does the same while it reads scenes. Calls may be
/// nested, and come from several threads.
RBL_API void rbl_breaker_kinds_retain(void);
RBL_API void rbl_breaker_kinds_release(void);

/// The number of kinds, and the kind at an index, in a fixed order: those of the library first, then the others in the order of
/// registration. Null for larger indices. Kinds are added at the end.
RBL_API uint32_t rbl_breaker_kind_count(void);
RBL_API const rblBreakerKind* rbl_breaker_kind_at(uint32_t index);

/// Create a breaker of a kind. `def` has the type of the kind's definition; it is copied with its texts. Refused: unknown and reserved
/// names, values out of their ranges, and whatever `create` of the kind refuses.
RBL_API rblResult rbl_breaker_create_kind(const char* name, const void* def, rblBreakerId* out);

/// The kind of a breaker and its definition, valid as long as the breaker. Null: it was created by rbl_breaker_create(), and cannot
/// be recorded; or the breaker is null, as rblBodyState.breaker of a body that never breaks.
RBL_API const rblBreakerKind* rbl_breaker_kind(const rblBreaker* breaker);
RBL_API const void* rbl_breaker_kind_def(const rblBreaker* breaker);

RBL_EXTERN_C_END

#endif
