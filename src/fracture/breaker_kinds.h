// The table of breaker kinds, from inside.
#ifndef RBL_FRACTURE_BREAKER_KINDS_H
#define RBL_FRACTURE_BREAKER_KINDS_H

#include "base/parameters.h"
#include "field/fragment/fragment_event.h"
#include "rubble/breaker.h"

#define RBL_BREAKER_KIND_KEY  "method" // of a kind's name in scene files
#define RBL_BREAKER_KIND_NONE "none"   // the kind of bodies that say nothing

// The library's own kinds: a new one is a line here and a line in breaker_kinds.c.
extern const rblBreakerKind rbl_prescored_kind;
extern const rblBreakerKind rbl_stress_kind;
extern const rblBreakerKind rbl_none_kind, rbl_voronoi_kind,
    rbl_xfem_kind; // without a method (reserved_kinds.c)

// Users of a kind: one that was registered cannot be removed while it has any.
void rbl_breaker_kind_retain(const rblBreakerKind* kind);
void rbl_breaker_kind_release(const rblBreakerKind* kind);

// rbl_breaker_kind_find() with one more user, who releases it: no thread can remove the kind before.
rblResult rbl_breaker_kind_find_retained(const char* name, const rblBreakerKind** out);

// The library's own kinds, by number from 0 on; null behind the last one. They are never removed.
const rblBreakerKind* rbl_breaker_kind_of_library(uint32_t index);

// A definition of a kind with its defaults, in the arena; zero where set_defaults() sets nothing. Null: out of memory.
void* rbl_breaker_kind_new_def(const rblBreakerKind* kind, rblArena* arena);

// A breaker of a kind whose definition is complete; `data` is as in rblBreakerKind.create.
rblResult rbl_breaker_create_from(const rblBreakerKind* kind, const void* def, const void* data, size_t size,
                                  rblBreakerId* out);

// rbl_breaker_create() of a method with its kind and a copy of its definition (may both be null) (breaker.c).
rblResult rbl_breaker_create_described(const rblBreakerDef* def, const rblBreakerKind* kind,
                                       const void* kind_def, rblBreakerId* out);

// ---- breakers as bytes (breaker_bytes.c) ----

// The kind's name and the definition, without paths of files where the kind puts data. Refused: breakers without a kind, by name.
rblResult rbl_breaker_put(const rblBreaker* breaker, rblByteSink* sink);

// What the breaker read from files; nothing for most.
rblResult rbl_breaker_put_data(const rblBreaker* breaker, rblByteSink* sink);

// The kind, with one more user, and the definition again, in the arena. RBL_ERROR_UNSUPPORTED: the kind is not registered; the message
// names it. The kind is null when it fails.
rblResult rbl_breaker_take(rblByteSource* source, rblArena* arena, const rblBreakerKind** kind, void** def);

// ---- fragments on tetrahedra, whose shapes refer to what their breaker knows of the first body (breaker_events.c) ----

// What the tetrahedra of an event came from: a shape, prepared by a breaker, and the material of the first body.
typedef struct rblEventOrigin
{
    const rblShape* shape;
    const rblBreaker* breaker;
    rblMaterial material;
} rblEventOrigin;

// The event again: a pure function of where it came from, of the events before it and of what happened to the nodes. Labels and weights
// are those of its nodes alone, rising; `count` of them. The origin is read only when there is no parent.
typedef struct rblEventRestoreDef
{
    const rblEventOrigin* origin;
    const rblFragmentEvent* parent;
    uint32_t parent_label;
    const uint32_t* labels;
    const float* weights;
    uint32_t count;
    uint32_t label_count;
} rblEventRestoreDef;

// What kinds of the library may do beyond the public interface. Functions may be null.
typedef struct rblBreakerKindInternals
{
    bool (*find_origin)(const rblFragmentEvent* event, rblEventOrigin* out);
    rblResult (*restore_event)(const rblEventRestoreDef* def, rblFragmentEvent** out);
} rblBreakerKindInternals;

// False: no breaker of the table made the event. What comes out lives as long as the event does.
bool rbl_event_find_origin(const rblFragmentEvent* event, rblEventOrigin* out);

// Refused: what does not fit, breakers whose kind makes no events.
rblResult rbl_event_restore(const rblEventRestoreDef* def, rblFragmentEvent** out);

#endif
