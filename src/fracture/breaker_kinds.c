// Kinds of breakers: the library's own in a table, those of the user in a list behind it.
#include "fracture/breaker_kinds.h"

#include "base/def.h"
#include "base/registry.h"
#include "rubble/text.h"
#include <stdio.h>
#include <string.h>

#define MAX_NAME  40u  // characters
#define MAX_KINDS 256u // that are looked at for a suggestion

static const rblBreakerKind* const own[] = {&rbl_none_kind, &rbl_prescored_kind, &rbl_voronoi_kind,
                                            &rbl_stress_kind, &rbl_xfem_kind};

#define OWN_COUNT ((uint32_t)(sizeof own / sizeof *own))

// ---- the list ----

typedef struct Registered
{
    rblBreakerKind kind;
    uint32_t users;
    struct Registered* next;
    const rblAllocator* allocator;
} Registered;

static rblMutex mutex = RBL_MUTEX_INIT;
static Registered* registered; // in order of registration; behind the mutex
static uint32_t holders;       // of the whole list, who may look at it without the mutex; behind the mutex

static bool is_named(const rblBreakerKind* kind, const char* name)
{
    return strcmp(kind->name, name) == 0;
}

static const rblBreakerKind* find_own(const char* name)
{
    for (uint32_t i = 0; i < OWN_COUNT; ++i)
    {
        if (is_named(own[i], name))
        {
            return own[i];
        }
    }
    return NULL;
}

// Where the pointer to a kind of that name is, or the end of the list.
static Registered** find_registered(const char* name)
{
    Registered** at = &registered;
    while (*at != NULL && !is_named(&(*at)->kind, name))
    {
        at = &(*at)->next;
    }
    return at;
}

static void count_user(const rblBreakerKind* kind, uint32_t change)
{
    rbl_mutex_lock(&mutex);
    for (Registered* at = registered; at != NULL; at = at->next)
    {
        at->users += &at->kind == kind ? change : 0;
    }
    rbl_mutex_unlock(&mutex);
}

void rbl_breaker_kind_retain(const rblBreakerKind* kind)
{
    count_user(kind, 1);
}

void rbl_breaker_kind_release(const rblBreakerKind* kind)
{
    count_user(kind, UINT32_MAX);
}

void rbl_breaker_kinds_retain(void)
{
    rbl_mutex_lock(&mutex);
    holders += 1;
    rbl_mutex_unlock(&mutex);
}

void rbl_breaker_kinds_release(void)
{
    rbl_mutex_lock(&mutex);
    holders -= holders > 0;
    rbl_mutex_unlock(&mutex);
}

// ---- registration ----

RBL_DEF_KIND(kind_def, rblBreakerKind, "breaker kind", rbl_default_breaker_kind, 0xB4EA4B1Du);

void rbl_breaker_kind_init(rblBreakerKind* kind, size_t size)
{
    const rblBreakerKind defaults = {0};
    rbl_def_init(&kind_def, &defaults, kind, size);
}

static bool is_possible_name(const char* name)
{
    const size_t length = name != NULL ? strlen(name) : 0;
    bool possible = length > 0 && length <= MAX_NAME;
    for (size_t i = 0; i < length && possible; ++i)
    {
        const char c = name[i];
        possible = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '-' ||
                   c == '_';
    }
    return possible;
}

static rblResult check_defaults(const rblBreakerKind* kind)
{
    const rblAllocator* allocator = rbl_default_allocator();
    void* def = rbl_alloc_zero(allocator, kind->def_size);
    if (def == NULL)
    {
        return rbl_fail_memory();
    }
    kind->set_defaults(def);
    const rblResult result = rbl_parameters_check(kind->parameters, def, kind->name);
    rbl_free(allocator, def, kind->def_size);
    return result;
}

static rblResult check_kind(const rblBreakerKind* kind)
{
    if (!is_possible_name(kind->name))
    {
        return rbl_fail(RBL_ERROR_ARGUMENT,
                        "breaker kind: the name must be 1 to %u letters, digits, '-' and '_'", MAX_NAME);
    }
    if (kind->about == NULL || kind->set_defaults == NULL || kind->create == NULL || kind->def_size == 0)
    {
        return rbl_fail(RBL_ERROR_ARGUMENT,
                        "breaker kind '%s': about, def_size, set_defaults and create must be given",
                        kind->name);
    }
    RBL_TRY(rbl_parameters_check_table(kind->parameters, kind->def_size, kind->name));
    for (const rblParameter* row = kind->parameters; row->type != RBL_PARAMETER_END; ++row)
    {
        if (strcmp(row->key, RBL_BREAKER_KIND_KEY) == 0)
        {
            return rbl_fail(RBL_ERROR_ARGUMENT,
                            "breaker kind '%s': '" RBL_BREAKER_KIND_KEY "' is the key of its name",
                            kind->name);
        }
    }
    return check_defaults(kind);
}

rblResult rbl_breaker_kind_register(const rblBreakerKind* given)
{
    const rblAllocator* allocator = rbl_default_allocator();
    rblBreakerKind kind = {0};
    RBL_TRY(rbl_def_read(&kind_def, given, &kind));
    kind.internals = NULL;
    RBL_TRY(check_kind(&kind));
    Registered* added = rbl_alloc_zero(allocator, sizeof *added);
    if (added == NULL)
    {
        return rbl_fail_memory();
    }
    added->kind = kind;
    added->allocator = allocator;
    rbl_mutex_lock(&mutex);
    Registered** end = find_registered(kind.name);
    const bool taken = *end != NULL || find_own(kind.name) != NULL;
    if (!taken)
    {
        *end = added;
    }
    rbl_mutex_unlock(&mutex);
    if (taken)
    {
        rbl_free(allocator, added, sizeof *added);
        return rbl_fail(RBL_ERROR_ARGUMENT, "breaker kind: '%s' is registered already", kind.name);
    }
    return RBL_OK;
}

rblResult rbl_breaker_kind_unregister(const char* name)
{
    if (name == NULL)
    {
        return rbl_fail(RBL_ERROR_ARGUMENT, "breaker kind: the name must not be null");
    }
    rbl_mutex_lock(&mutex);
    Registered** at = find_registered(name);
    Registered* found = *at;
    const uint32_t users = found != NULL ? found->users : 0;
    const bool held = holders > 0;
    if (found != NULL && users == 0 && !held)
    {
        *at = found->next;
        rbl_free(found->allocator, found, sizeof *found);
    }
    rbl_mutex_unlock(&mutex);
    if (found == NULL)
    {
        return rbl_fail(RBL_ERROR_ARGUMENT,
                        "breaker kind: '%.60s' must be a kind that rbl_breaker_kind_register() added", name);
    }
    if (users > 0)
    {
        return rbl_fail(RBL_ERROR_BUSY,
                        "breaker kind: '%.60s' is in use (%u), destroy its breakers and scenes first", name,
                        users);
    }
    return held ? rbl_fail(RBL_ERROR_BUSY,
                           "breaker kind: '%.60s' cannot be removed while all kinds are retained, try again",
                           name)
                : RBL_OK;
}

// ---- looking ----

uint32_t rbl_breaker_kind_count(void)
{
    uint32_t count = OWN_COUNT;
    rbl_mutex_lock(&mutex);
    for (const Registered* at = registered; at != NULL; at = at->next)
    {
        ++count;
    }
    rbl_mutex_unlock(&mutex);
    return count;
}

const rblBreakerKind* rbl_breaker_kind_at(uint32_t index)
{
    if (index < OWN_COUNT)
    {
        return own[index];
    }
    rbl_mutex_lock(&mutex);
    const Registered* at = registered;
    for (uint32_t i = OWN_COUNT; at != NULL && i < index; ++i)
    {
        at = at->next;
    }
    rbl_mutex_unlock(&mutex);
    return at != NULL ? &at->kind : NULL;
}

// The names are those of kinds that another thread may remove: not without the mutex.
static rblResult fail_unknown(const char* name)
{
    const char* names[MAX_KINDS];
    char close[MAX_NAME + 1] = "";
    uint32_t count = 0;
    rbl_mutex_lock(&mutex);
    for (; count < OWN_COUNT; ++count)
    {
        names[count] = own[count]->name;
    }
    for (const Registered* at = registered; at != NULL && count < MAX_KINDS; at = at->next)
    {
        names[count++] = at->kind.name;
    }
    const char* found = rbl_suggest(name, names, count);
    snprintf(close, sizeof close, "%s", found != NULL ? found : "");
    rbl_mutex_unlock(&mutex);
    return close[0] != '\0'
               ? rbl_fail(RBL_ERROR_UNSUPPORTED,
                          "breaker kind: '%.60s' is not registered; did you mean '%s'?", name, close)
               : rbl_fail(RBL_ERROR_UNSUPPORTED, "breaker kind: '%.60s' is not registered", name);
}

// Found and counted at once, so that no other thread removes it in between.
static const rblBreakerKind* look_up(const char* name, uint32_t users)
{
    const rblBreakerKind* kind = find_own(name);
    if (kind == NULL)
    {
        rbl_mutex_lock(&mutex);
        Registered* found = *find_registered(name);
        if (found != NULL)
        {
            found->users += users;
            kind = &found->kind;
        }
        rbl_mutex_unlock(&mutex);
    }
    return kind;
}

rblResult rbl_breaker_kind_find(const char* name, const rblBreakerKind** out)
{
    if (name == NULL || out == NULL)
    {
        return rbl_fail(RBL_ERROR_ARGUMENT, "breaker kind: name and out must not be null");
    }
    const rblBreakerKind* kind = look_up(name, 0);
    *out = kind != NULL ? kind : *out;
    return kind != NULL ? RBL_OK : fail_unknown(name);
}

rblResult rbl_breaker_kind_find_retained(const char* name, const rblBreakerKind** out)
{
    *out = look_up(name, 1);
    return *out != NULL ? RBL_OK : fail_unknown(name);
}

const rblBreakerKind* rbl_breaker_kind_of_library(uint32_t index)
{
    return index < OWN_COUNT ? own[index] : NULL;
}

void* rbl_breaker_kind_new_def(const rblBreakerKind* kind, rblArena* arena)
{
    void* def = rbl_arena_alloc(arena, kind->def_size);
    if (def != NULL)
    {
        memset(def, 0, kind->def_size);
        kind->set_defaults(def);
    }
    return def;
}

// ---- making breakers ----

rblResult rbl_breaker_create_from(const rblBreakerKind* kind, const void* def, const void* data, size_t size,
                                  rblBreakerId* out)
{
    if (kind->create == NULL)
    {
        return rbl_fail(RBL_ERROR_UNSUPPORTED, "breaker kind: '%s' has no method, %s", kind->name,
                        kind->about);
    }
    if (def == NULL || out == NULL)
    {
        return rbl_fail(RBL_ERROR_ARGUMENT, "%s: def and out must not be null", kind->name);
    }
    RBL_TRY(rbl_parameters_check(kind->parameters, def, kind->name));
    rblBreakerDef method = rbl_default_breaker_def();
    method.name = kind->name;
    RBL_TRY(kind->create(def, data, size, &method));
    method.name = kind->name;
    const rblResult result = rbl_breaker_create_described(&method, kind, def, out);
    if (result != RBL_OK && method.destroy != NULL)
    {
        method.destroy(method.context);
    }
    return result;
}

rblResult rbl_breaker_create_kind(const char* name, const void* def, rblBreakerId* out)
{
    const rblBreakerKind* kind = NULL;
    if (name == NULL)
    {
        return rbl_fail(RBL_ERROR_ARGUMENT, "breaker kind: the name must not be null");
    }
    RBL_TRY(rbl_breaker_kind_find_retained(name, &kind));
    const rblResult result = rbl_breaker_create_from(kind, def, NULL, 0, out);
    rbl_breaker_kind_release(kind);
    return result;
}
