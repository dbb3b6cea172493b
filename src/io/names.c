#include "io/names.h"

// Names below this size, in bytes, are copied to the stack and need no allocation.
#define SHORT_NAME 128

uint32_t rbl_intern_name(rblMeshBuilder* builder, rblNameKind kind, const char* name, size_t length)
{
    char small[SHORT_NAME];
    char* copy = length < SHORT_NAME ? small : rbl_alloc(builder->allocator, length + 1);
    if (copy == NULL)
    {
        builder->failed = true;
        return 0;
    }
    for (size_t i = 0; i < length; ++i)
    {
        copy[i] = (unsigned char)name[i] < ' ' ? ' ' : name[i];
    }
    copy[length] = '\0';
    const uint32_t number = kind == RBL_NAME_MATERIAL ? rbl_mesh_builder_material(builder, copy)
                                                      : rbl_mesh_builder_group(builder, copy);
    if (copy != small)
    {
        rbl_free(builder->allocator, copy, length + 1);
    }
    return number;
}
