/// Breakers: fracture methods. A breaker looks at one body and the impacts that it felt, and says whether it breaks and
/// into what. It knows no world; the world calls it inside the step. Every method plugs in here, yours too.
#ifndef RUBBLE_BREAKER_H
#define RUBBLE_BREAKER_H

#include "rubble/allocator.h"
#include "rubble/material.h"
#include "rubble/parameters.h"
#include "rubble/shape.h"
#include "rubble/tasks.h"
#include <stdbool.h>

RBL_EXTERN_C_BEGIN

/// Handle to a breaker. Zero is null: never breaks. Pass by value, compare, store. Bodies keep theirs alive.
typedef struct rblBreakerId
{
    uint32_t index1;
    uint32_t generation;
} rblBreakerId;

/// One impact that a body felt, before the impulse is applied. World axes.
typedef struct rblImpact
{
    rblVec3 point;
    rblVec3 normal;   ///< unit, into the body
    rblVec3 impulse;  ///< on the body, N s, were it not to break
    float speed;      ///< of approach along the normal at the time of impact, m/s
    float duration;   ///< of the contact by Hertz, s
    float mass;       ///< kg: what the two bodies together oppose to an impulse along the normal
    float energy;     ///< J: mass speed^2 / 2, the most that the impact can pay
    float peak_force; ///< N: largest force of the contact by Hertz
} rblImpact;

/// A body as a breaker sees it.
typedef struct rblBreakBody
{
    rblShapeView view; ///< of the shape, which stays alive during the call
    rblTransform pose; ///< of the shape's origin
    rblVec3 velocity;  ///< of the centre of mass
    rblVec3 spin;
    float mass; ///< kg; that of a static body is what its material and shape say
    rblMaterial material;
    uint64_t seed;       ///< what is random in the break follows from this alone
    uint32_t generation; ///< how many times its ancestors broke
    float damage;        ///< of earlier impacts, 0 to 1
    float payable;       ///< J: the most that one of its impacts can pay for cracks; 0: nobody says
} rblBreakBody;

/// What a breaker decided.
typedef struct rblVerdict
{
    bool breaks;
    uint32_t impact; ///< the one that broke it
    rblVec3 point;   ///< where the pattern is centred, and
    rblVec3 normal;  ///< how it is turned; world axes
    float severity;  ///< 1 at the threshold, monotone in the energy of the impact
    float damage;    ///< of the body from now on, if it does not break
    double
        budget; ///< J that crack faces may cost. From `decide`: at most, 0 for whatever the impact can pay. To `shatter`:
    ///< what it can pay; infinite: nobody asks (broken on demand)
    uint32_t max_pieces; ///< the same for their number: at most, as the world has capacity for; 0: any number
    /// What `decide` found out and `shatter` goes on with, such as stresses: the method's own. Null: nobody decided (broken on demand),
    /// or there is nothing to hand on. Whoever asked gives it back by rbl_verdict_release().
    void* evidence;
} rblVerdict;

/// One piece. In place: the pose is the parent's, whatever the shape's origin is.
typedef struct rblFragment
{
    rblShapeId shape;  ///< given away with the fragment
    rblTransform pose; ///< of the shape's origin, world
    float mass;        ///< kg; the sum is the parent's to 1e-6
    uint32_t piece;    ///< number within the break: what mates refer to
    bool debris;       ///< too small to go on
    float lifetime;    ///< s until debris may vanish; 0: it stays
    /// Steps after which its samples are put in a hierarchy of their own, made in the meantime beside the simulation: for fragments whose
    /// hierarchy is their parent's, updated. The body then has another shape, which is the same thing otherwise. 0: never.
    uint32_t rebuild;
} rblFragment;

/// Two crack faces that fit. Pieces are indices of the list of fragments, faces are numbered within their piece:
/// rbl_fragment_faces() tells which triangles are theirs.
typedef struct rblMate
{
    uint32_t piece_a, face_a, piece_b, face_b;
} rblMate;

/// What a body breaks into. Allocate with rbl_fracture_allocate(), free with rbl_fracture_free().
typedef struct rblFracture
{
    rblFragment* fragments;
    rblMate* mates;
    uint32_t fragment_count;
    uint32_t mate_count;
    double crack_area;     ///< m^2, of one side
    double elastic_energy; ///< J of elastic energy in the body; 0: the method knows nothing of stress
    uint32_t merged;       ///< crumbs and slivers that were made part of a neighbour
    double updating;       ///< ms that distance fields and samples of the fragments took; 0: not told
    const rblAllocator* allocator;
} rblFracture;

/// Allocate fragments and mates of an empty fracture, all zero, and set their counts.
RBL_API rblResult rbl_fracture_allocate(rblFracture* fracture, uint32_t fragment_count, uint32_t mate_count);

/// Destroy the shapes that were not taken (ids that are not null) and free the arrays; it is empty again. Null: nothing happens.
RBL_API void rbl_fracture_free(rblFracture* fracture);

typedef struct rblBreaker rblBreaker; ///< opaque

/// A fracture method. Functions may be called from several threads at once for different bodies; what they return depends
/// on their arguments alone. `context` is the method's own.
/// Functions must not call the world that is being stepped: it is between two states, and its calls do not check that.
typedef struct rblBreakerDef
{
    uint32_t struct_size; ///< bytes of this struct; set by rbl_default_breaker_def()
    uint32_t cookie;      ///< set by rbl_default_breaker_def()
    const char* name;     ///< copied; recordings name breakers that they cannot store

    /// What can be known of a shape and a material before anything happens; called when a body is made, may take its
    /// time. `prepared` is handed to the other two and given back in `forget`. Both may be null.
    rblResult (*prepare)(void* context, const rblShapeView* shape, const rblMaterial* material, rblJobs* jobs,
                         void** prepared);
    void (*forget)(void* context, void* prepared);

    /// Does it break? Cheap: asked for every impact. `out` says no, and the damage so far, unless changed.
    rblResult (*decide)(void* context, void* prepared, const rblBreakBody* body, const rblImpact* impacts,
                        uint32_t count, rblVerdict* out);

    /// Free the evidence of a verdict, whether the body broke or not. May be null when `decide` hands on none.
    void (*release_evidence)(void* context, void* evidence);

    /// Break it. `out` is empty. Zero or one fragment: it stays whole (the budget pays for no crack). What was put into
    /// `out` before a failure is freed by the caller.
    rblResult (*shatter)(void* context, void* prepared, const rblBreakBody* body, const rblVerdict* verdict,
                         rblJobs* jobs, rblFracture* out);

    /// Told which breaker the context belongs to, once, before all else. May be null.
    void (*attach)(void* context, const rblBreaker* self);

    void (*destroy)(void* context); ///< after the last use; may be null
    void* context;
} rblBreakerDef;

/// Everything empty but size and cookie.
RBL_API void rbl_breaker_def_init(rblBreakerDef* def, size_t size);
static inline rblBreakerDef rbl_default_breaker_def(void)
{
    rblBreakerDef def;
    rbl_breaker_def_init(&def, sizeof def);
    return def;
}

/// Register a method of your own; the context is taken over. Refused, and the context stays yours: no name, no decide or
/// shatter function, a prepare function without forget, a definition that did not start from the default.
RBL_API rblResult rbl_breaker_create(const rblBreakerDef* def, rblBreakerId* out);

/// Give up a handle. The breaker lives on while bodies use it.
RBL_API rblResult rbl_breaker_destroy(rblBreakerId breaker);

/// How many handles there are: a leak check for tests.
RBL_API uint32_t rbl_breaker_alive_count(void);

// ---- what those who own bodies call ----

// Breakers, bodies and outputs must not be null, unless a comment says otherwise.

/// Keep a breaker alive without its handle, once more, and let go again. What bodies do.
RBL_API rblResult rbl_breaker_acquire(rblBreakerId breaker, const rblBreaker** out);
RBL_API void rbl_breaker_retain(const rblBreaker* breaker);
RBL_API void rbl_breaker_release(const rblBreaker* breaker);

/// What it was made from; the name is the breaker's own copy.
RBL_API const rblBreakerDef* rbl_breaker_def(const rblBreaker* breaker);

/// Call the function of that name. `prepared` is null where there is no such function.
RBL_API rblResult rbl_breaker_prepare(const rblBreaker* breaker, const rblShapeView* shape,
                                      const rblMaterial* material, rblJobs* jobs, void** prepared);
RBL_API void rbl_breaker_forget(const rblBreaker* breaker, void* prepared);

/// The same; what comes back is checked. Refused: an impact that is not there, numbers that are not finite, a normal that is
/// not of unit length, a damage that is not between 0 and 1.
RBL_API rblResult rbl_breaker_decide(const rblBreaker* breaker, void* prepared, const rblBreakBody* body,
                                     const rblImpact* impacts, uint32_t count, rblVerdict* out);

/// Give the evidence of a verdict back, if it has any. To be called once for each verdict of rbl_breaker_decide(), by whatever thread,
/// after rbl_breaker_shatter() or in its place.
RBL_API void rbl_verdict_release(const rblBreaker* breaker, rblVerdict* verdict);

/// The same. Refused, and `out` is empty: stale shapes, planes, poses that are not finite, masses that are not positive or whose
/// sum is off the body's by more than 1e-6, mates of pieces that are not there.
RBL_API rblResult rbl_breaker_shatter(const rblBreaker* breaker, void* prepared, const rblBreakBody* body,
                                      const rblVerdict* verdict, rblJobs* jobs, rblFracture* out);

// ---- kinds ----

/// A kind of breaker: a method with a name and parameters, for scene files, recordings and replays. Kinds are rows of one table,
/// and nothing else knows the methods; yours is added by rbl_breaker_kind_register(). Start from rbl_default_breaker_kind().
typedef struct rblBreakerKind
{
    uint32_t struct_size;           ///< bytes of this struct; set by rbl_default_breaker_kind()
    uint32_t cookie;                ///< set by rbl_default_breaker_kind()
    const char* name;               ///< "method" of scene files: 1 to 40 letters, digits, '-' and '_'
    const char* about;              ///< one line for lists
    size_t def_size;                ///< bytes of its definition
    const rblParameter* parameters; ///< of its definition; ends with a row of RBL_PARAMETER_END

    /// Give every field of a definition its default.
    void (*set_defaults)(void* def);

    /// Derive what a scene file left out from what it said: bit i of `given` is set when row i of the parameters was there, `material` is
    /// the name of the preset that the body's material began as, or null. May be null.
    rblResult (*complete)(void* def, uint64_t given, const char* material);

    /// Make the method: fill functions and context of `out`, whose name is set. `def` has values within their ranges and lives until
    /// this returns. `data` is what `put_data` put, in place of the files that `def` names; null: read the files. Null: a name that is
    /// reserved, whose bodies stay whole.
    rblResult (*create)(const void* def, const void* data, size_t data_size, rblBreakerDef* out);

    /// What was read from files, for recordings: a replay needs no files. Nothing put: nothing was read. May be null.
    rblResult (*put_data)(const void* context, rblByteSink* sink);

    const struct rblBreakerKindInternals* internals; ///< of the library's own kinds; null for yours
} rblBreakerKind;

/// Everything empty but size and cookie.
RBL_API void rbl_breaker_kind_init(rblBreakerKind* kind, size_t size);
static inline rblBreakerKind rbl_default_breaker_kind(void)
{
    rblBreakerKind kind;
    rbl_breaker_kind_init(&kind, sizeof kind);
    return kind;
}

/// Add a kind to the table. The struct is copied; texts and parameters must stay until it is removed. Refused: names that are taken or
/// not possible, a table that does not fit its definition, defaults that are out of their own ranges, no functions.
RBL_API rblResult rbl_breaker_kind_register(const rblBreakerKind* kind);

/// Remove a kind that was registered. Refused: unknown names and the library's own; RBL_ERROR_BUSY: breakers or scenes use it.
RBL_API rblResult rbl_breaker_kind_unregister(const char* name);

/// The kind of a name. Refused, with the nearest name: unknown ones. Valid until it is removed.
RBL_API rblResult rbl_breaker_kind_find(const char* name, const rblBreakerKind** out);

/// The number of kinds, and the kind at an index, in a fixed order: the library's own first. Null beyond the last.
RBL_API uint32_t rbl_breaker_kind_count(void);
RBL_API const rblBreakerKind* rbl_breaker_kind_at(uint32_t index);

/// Make a breaker of a kind. `def` is of the kind's own type, and copied with its texts. Refused: unknown and reserved names, values
/// out of their ranges, what the kind refuses.
RBL_API rblResult rbl_breaker_create_kind(const char* name, const void* def, rblBreakerId* out);

/// The kind of a breaker and the definition that it was made from, which live as long as the breaker does. Null: it was made by
/// rbl_breaker_create(), and recordings cannot store it; or the breaker is null, as rblBodyState.breaker of a body that never breaks.
RBL_API const rblBreakerKind* rbl_breaker_kind(const rblBreaker* breaker);
RBL_API const void* rbl_breaker_kind_def(const rblBreaker* breaker);

RBL_EXTERN_C_END

#endif
