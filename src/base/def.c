#include "base/def.h"

#include <string.h>

typedef struct Head
{
    uint32_t size;
    uint32_t cookie;
} Head;

void rbl_def_init(const rblDefKind* kind, const void* defaults, void* def, size_t size)
{
    const Head head = {size < UINT32_MAX ? (uint32_t)size : UINT32_MAX, kind->cookie};
    if (def == NULL || size < sizeof head)
    {
        return; // too small for a definition; later calls refuse it
    }
    const size_t known = size < kind->size ? size : kind->size;
    memcpy(def, defaults, known);
    memset((char*)def + known, 0, size - known);
    memcpy(def, &head, sizeof head);
}

static rblResult check(const rblDefKind* kind, const void* def, Head* head)
{
    if (def == NULL)
    {
        return rbl_fail(RBL_ERROR_ARGUMENT, "%s: the definition must not be null, start from %s",
                        kind->prefix, kind->start);
    }
    memcpy(head, def, sizeof *head);
    if (head->cookie != kind->cookie)
    {
        return rbl_fail(RBL_ERROR_ARGUMENT, "%s: the definition was not made by %s, start from it",
                        kind->prefix, kind->start);
    }
    if (head->size < sizeof *head || head->size > kind->size || head->size % 4 != 0)
    {
        return rbl_fail(RBL_ERROR_ARGUMENT,
                        "%s: the definition has %u bytes, must have at most %u, in steps of 4; start from %s",
                        kind->prefix, head->size, kind->size, kind->start);
    }
    return RBL_OK;
}

rblResult rbl_def_read(const rblDefKind* kind, const void* given, void* out)
{
    Head head;
    RBL_TRY(check(kind, given, &head));
    memcpy(out, given, head.size);
    memcpy(out, &kind->size, sizeof kind->size);
    return RBL_OK;
}

rblResult rbl_def_write(const rblDefKind* kind, const void* value, void* def)
{
    Head head;
    RBL_TRY(check(kind, def, &head));
    memcpy(def, value, head.size);
    memcpy(def, &head, sizeof head);
    return RBL_OK;
}
