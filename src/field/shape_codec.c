#include "field/shape_codec.h"

#include "base/error.h"
#include "field/shape_kinds.h"
#include "mesh/mesh_codec.h"
#include <string.h>

#define BY_NAME       255u // in place of a code: the name of the kind follows
#define MAX_NAME_SIZE 64u  // bytes of the name, with terminator

rblResult rbl_shape_fail_damaged(const rblShapeKind* kind)
{
    return rbl_fail(RBL_ERROR_FORMAT, "a %s is incomplete or has invalid numbers",
                    kind != NULL ? kind->name : "shape");
}

rblResult rbl_shape_visit_sources(const rblShape* shape, const rblSourceVisitor* visitor)
{
    return shape->kind->visit != NULL ? shape->kind->visit(shape, visitor) : RBL_OK;
}

rblResult rbl_put_shape(rblByteSink* sink, const rblShape* shape, const rblSourceNumbers* numbers)
{
    const rblShapeKind* kind = shape->kind;
    rbl_put_u8(sink, kind->code != 0 ? kind->code - 1u : BY_NAME);
    if (kind->code == 0)
    {
        rbl_put_string(sink, kind->name);
    }
    return kind->put(sink, shape, numbers);
}

static const rblShapeKind* find_code(uint32_t code)
{
    const rblShapeKind* kind;
    for (uint32_t i = 0; (kind = rbl_shape_kind_at(i)) != NULL; ++i)
    {
        if (kind->code == code + 1)
        {
            return kind;
        }
    }
    return NULL;
}

static rblResult take_kind(rblByteSource* source, const rblShapeKind** out)
{
    const uint32_t code = rbl_take_u8(source);
    if (code != BY_NAME)
    {
        *out = source->failed ? NULL : find_code(code);
        return *out != NULL ? RBL_OK : rbl_shape_fail_damaged(NULL);
    }
    size_t size;
    const char* text = rbl_take_text(source, &size);
    char name[MAX_NAME_SIZE] = "";
    if (source->failed || size >= MAX_NAME_SIZE)
    {
        return rbl_shape_fail_damaged(NULL);
    }
    memcpy(name, text, size);
    *out = rbl_shape_kind_find(name);
    return *out != NULL
               ? RBL_OK
               : rbl_fail(RBL_ERROR_UNSUPPORTED, "shape: kind '%s' is not known to this program", name);
}

rblResult rbl_take_shape(rblByteSource* source, const rblSourceTables* tables, rblShapeId* out)
{
    const rblShapeKind* kind = NULL;
    RBL_TRY(take_kind(source, &kind));
    return kind->take != NULL ? kind->take(source, tables, out) : rbl_shape_fail_damaged(kind);
}

rblResult rbl_put_drawn_surface(rblByteSink* sink, const rblShape* shape)
{
    rblMeshId surface = {0, 0};
    rblMeshView view;
    RBL_TRY(rbl_shape_surface(&shape->view, &surface));
    rbl_put_u8(sink, surface.index1 != 0);
    if (surface.index1 != 0)
    {
        RBL_TRY(rbl_mesh_view(surface, &view));
        rbl_put_mesh(sink, &view);
    }
    return RBL_OK;
}

rblResult rbl_take_drawn_surface(rblByteSource* source, rblMeshId* out)
{
    *out = (rblMeshId){0, 0};
    return rbl_take_u8(source) != 0 ? rbl_take_mesh(source, rbl_default_allocator(), out) : RBL_OK;
}
