// Breakers as bytes (BRKR and DATA in docs/recording.md).
#include "fracture/breaker_kinds.h"

rblResult rbl_breaker_put(const rblBreaker* breaker, rblByteSink* sink)
{
    const rblBreakerKind* kind = rbl_breaker_kind(breaker);
    if (kind == NULL)
    {
        return rbl_fail(RBL_ERROR_UNSUPPORTED,
                        "recording: the breaker '%.60s' has no registered kind and cannot be recorded",
                        rbl_breaker_def(breaker)->name);
    }
    rbl_put_string(sink, kind->name);
    rbl_parameters_put(sink, kind->parameters, rbl_breaker_kind_def(breaker), kind->put_data == NULL);
    return RBL_OK;
}

rblResult rbl_breaker_put_data(const rblBreaker* breaker, rblByteSink* sink)
{
    const rblBreakerKind* kind = rbl_breaker_kind(breaker);
    return kind != NULL && kind->put_data != NULL ? kind->put_data(rbl_breaker_def(breaker)->context, sink)
                                                  : RBL_OK;
}

static rblResult drop_path(const rblParameter* row, const char** path, void* context)
{
    (void)row;
    (void)context;
    *path = NULL;
    return RBL_OK;
}

static rblResult take_def(rblByteSource* source, rblArena* arena, const rblBreakerKind* kind, void** def)
{
    if (kind->create == NULL)
    {
        return rbl_fail(RBL_ERROR_FORMAT, "breaker: the kind '%s' has no method", kind->name);
    }
    *def = rbl_breaker_kind_new_def(kind, arena);
    if (*def == NULL)
    {
        return rbl_fail_memory();
    }
    RBL_TRY(rbl_parameters_take(source, kind->parameters, *def, arena, kind->name));
    // Data in the recording replaces files: paths are ignored.
    return kind->put_data != NULL ? rbl_parameters_visit_files(kind->parameters, *def, drop_path, NULL)
                                  : RBL_OK;
}

rblResult rbl_breaker_take(rblByteSource* source, rblArena* arena, const rblBreakerKind** kind, void** def)
{
    char name[64];
    size_t length = 0;
    const char* text = rbl_take_text(source, &length);
    *kind = NULL;
    if (text == NULL || length >= sizeof name || memchr(text, '\0', length) != NULL)
    {
        return rbl_fail(RBL_ERROR_FORMAT, "breaker: the bytes are incomplete or have no name");
    }
    memcpy(name, text, length);
    name[length] = '\0';
    RBL_TRY(rbl_breaker_kind_find_retained(name, kind));
    const rblResult result = take_def(source, arena, *kind, def);
    if (result != RBL_OK)
    {
        rbl_breaker_kind_release(*kind);
        *kind = NULL;
    }
    return result;
}
