// Events of fragments on tetrahedra, for all kinds of breakers.
#include "fracture/breaker_kinds.h"

bool rbl_event_find_origin(const rblFragmentEvent* event, rblEventOrigin* out)
{
    const rblBreakerKind* kind = NULL;
    bool found = false;
    for (uint32_t i = 0; !found && (kind = rbl_breaker_kind_of_library(i)) != NULL; ++i)
    {
        found = kind->internals != NULL && kind->internals->find_origin != NULL &&
                kind->internals->find_origin(event, out);
    }
    return found;
}

rblResult rbl_event_restore(const rblEventRestoreDef* def, rblFragmentEvent** out)
{
    rblEventOrigin of_parent;
    const rblEventOrigin* origin = def->origin;
    if (def->parent != NULL)
    {
        origin = rbl_event_find_origin(def->parent, &of_parent) ? &of_parent : NULL;
    }
    const rblBreakerKind* kind = origin != NULL ? rbl_breaker_kind(origin->breaker) : NULL;
    if (kind == NULL || kind->internals == NULL || kind->internals->restore_event == NULL)
    {
        return rbl_fail(RBL_ERROR_FORMAT, "fracture event: the kind of its breaker has no events");
    }
    return kind->internals->restore_event(def, out);
}
