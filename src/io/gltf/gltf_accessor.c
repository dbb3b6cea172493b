// Accessors: the layout of numbers in bytes (3.6.2). They are checked once, so that reading an element checks only
// its index.
#include "base/assert.h"
#include "io/gltf/gltf_private.h"
#include <string.h>

static size_t component_size(uint32_t type)
{
    switch (type)
    {
    case RBL_GLTF_BYTE:
    case RBL_GLTF_UNSIGNED_BYTE:
        return 1;
    case RBL_GLTF_SHORT:
    case RBL_GLTF_UNSIGNED_SHORT:
        return 2;
    case RBL_GLTF_UNSIGNED_INT:
    case RBL_GLTF_FLOAT:
        return 4;
    default:
        return 0;
    }
}

static rblResult get_component_type(rblJson object, uint32_t* out)
{
    rblJson type;
    RBL_TRY(rbl_json_require(object, "componentType", &type));
    RBL_TRY(rbl_json_get_u32(type, out));
    return component_size(*out) != 0
               ? RBL_OK
               : rbl_json_fail(type, RBL_ERROR_FORMAT, "%u is not a component type", *out);
}

static rblResult get_components(rblJson object, uint32_t* out)
{
    static const char* const names[] = {"", "SCALAR", "VEC2", "VEC3", "VEC4"};
    rblJson type;
    const char* text;
    RBL_TRY(rbl_json_require(object, "type", &type));
    RBL_TRY(rbl_json_get_string(type, &text));
    for (uint32_t i = 1; i <= 4; ++i)
    {
        if (strcmp(text, names[i]) == 0)
        {
            *out = i;
            return RBL_OK;
        }
    }
    return rbl_json_fail(type, RBL_ERROR_FORMAT, "expected SCALAR, VEC2, VEC3 or VEC4");
}

// The bytes of `count` elements of `element` bytes in the view that `object` refers to, with a check that they exist.
static rblResult get_run(rblGltf* gltf, rblJson object, uint32_t count, size_t element, const uint8_t** bytes,
                         size_t* stride)
{
    rblJson view;
    uint64_t offset = 0;
    size_t size;
    RBL_TRY(rbl_json_require(object, "bufferView", &view));
    RBL_TRY(rbl_gltf_view(gltf, view, bytes, &size, stride));
    RBL_TRY(rbl_json_optional_u64(object, "byteOffset", &offset));
    *stride = *stride == 0 ? element : *stride;
    if (*stride < element)
    {
        return rbl_json_fail(view, RBL_ERROR_FORMAT, "elements of %zu bytes do not fit a stride of %zu",
                             element, *stride);
    }
    if (offset > size || size - offset < element || (size - offset - element) / *stride < count - 1)
    {
        return rbl_json_fail(object, RBL_ERROR_FORMAT,
                             "%u elements of %zu bytes do not fit the view of %zu bytes", count, element,
                             size);
    }
    *bytes += offset;
    return RBL_OK;
}

static uint32_t read_unsigned(const uint8_t* p, uint32_t type)
{
    switch (type)
    {
    case RBL_GLTF_UNSIGNED_BYTE:
        return p[0];
    case RBL_GLTF_UNSIGNED_SHORT:
        return (uint32_t)p[0] | (uint32_t)p[1] << 8;
    default:
        return (uint32_t)p[0] | (uint32_t)p[1] << 8 | (uint32_t)p[2] << 16 | (uint32_t)p[3] << 24;
    }
}

static bool is_index_type(uint32_t type)
{
    return type == RBL_GLTF_UNSIGNED_BYTE || type == RBL_GLTF_UNSIGNED_SHORT || type == RBL_GLTF_UNSIGNED_INT;
}

// Limits the total number of sparse indices: if many accessors share the same indices, checking them would take
// quadratic time. Ordinary files do not share them that often.
static rblResult charge_sparse(rblGltf* gltf, rblJson sparse, uint32_t count)
{
    const uint64_t limit = 16 * ((uint64_t)gltf->source->size + gltf->loaded_bytes);
    gltf->sparse_elements += count;
    return gltf->sparse_elements <= limit
               ? RBL_OK
               : rbl_json_fail(sparse, RBL_ERROR_LIMIT, "the accessors up to here replace %llu elements",
                               (unsigned long long)gltf->sparse_elements);
}

// Sparse indices must increase and be below the count; they are found by binary search.
static rblResult check_sparse_indices(rblJson sparse, const rblGltfAccessor* accessor)
{
    uint32_t previous = 0;
    for (uint32_t i = 0; i < accessor->sparse_count; ++i)
    {
        const size_t size = component_size(accessor->sparse_index_type);
        const uint32_t index =
            read_unsigned(accessor->sparse_indices + i * size, accessor->sparse_index_type);
        if (index >= accessor->count || (i > 0 && index <= previous))
        {
            return rbl_json_fail(sparse, RBL_ERROR_FORMAT,
                                 "sparse index %u (number %u) must increase and be below %u", index, i,
                                 accessor->count);
        }
        previous = index;
    }
    return RBL_OK;
}

static rblResult read_sparse(rblGltf* gltf, rblJson sparse, rblGltfAccessor* accessor)
{
    rblJson count, indices, values;
    size_t stride;
    RBL_TRY(rbl_json_require(sparse, "count", &count));
    RBL_TRY(rbl_json_get_u32(count, &accessor->sparse_count));
    RBL_TRY(rbl_json_require(sparse, "indices", &indices));
    RBL_TRY(rbl_json_require(sparse, "values", &values));
    RBL_TRY(get_component_type(indices, &accessor->sparse_index_type));
    if (accessor->sparse_count == 0 || accessor->sparse_count > accessor->count)
    {
        return rbl_json_fail(count, RBL_ERROR_FORMAT, "expected 1 to %u replaced elements", accessor->count);
    }
    if (!is_index_type(accessor->sparse_index_type))
    {
        return rbl_json_fail(indices, RBL_ERROR_FORMAT, "indices must be unsigned");
    }
    const size_t index_size = component_size(accessor->sparse_index_type);
    const size_t element = accessor->components * component_size(accessor->component_type);
    RBL_TRY(get_run(gltf, indices, accessor->sparse_count, index_size, &accessor->sparse_indices, &stride));
    if (stride != index_size)
    {
        return rbl_json_fail(indices, RBL_ERROR_FORMAT, "sparse indices must be tightly packed");
    }
    RBL_TRY(get_run(gltf, values, accessor->sparse_count, element, &accessor->sparse_values, &stride));
    if (stride != element)
    {
        return rbl_json_fail(values, RBL_ERROR_FORMAT, "sparse values must be tightly packed");
    }
    RBL_TRY(charge_sparse(gltf, sparse, accessor->sparse_count));
    return check_sparse_indices(sparse, accessor);
}

// An accessor without a view contains only zeros. Its count is then limited by the size of the file.
static rblResult check_zeros(const rblGltf* gltf, rblJson object, uint32_t count)
{
    const uint64_t bytes = (uint64_t)gltf->source->size + gltf->loaded_bytes;
    return count <= bytes ? RBL_OK
                          : rbl_json_fail(object, RBL_ERROR_LIMIT,
                                          "%u elements without a buffer view, in a file of %llu bytes", count,
                                          (unsigned long long)bytes);
}

static rblResult read_accessor(rblGltf* gltf, rblJson object, rblGltfAccessor* accessor)
{
    rblJson count;
    const rblJson sparse = rbl_json_find(object, "sparse");
    RBL_TRY(get_component_type(object, &accessor->component_type));
    RBL_TRY(get_components(object, &accessor->components));
    RBL_TRY(rbl_json_optional_bool(object, "normalized", &accessor->normalized));
    RBL_TRY(rbl_json_require(object, "count", &count));
    RBL_TRY(rbl_json_get_u32(count, &accessor->count));
    if (accessor->count == 0)
    {
        return rbl_json_fail(count, RBL_ERROR_FORMAT, "the accessor has no elements");
    }
    if (rbl_json_exists(rbl_json_find(object, "bufferView")))
    {
        const size_t element = accessor->components * component_size(accessor->component_type);
        RBL_TRY(get_run(gltf, object, accessor->count, element, &accessor->bytes, &accessor->stride));
    }
    if (rbl_json_exists(sparse))
    {
        RBL_TRY(read_sparse(gltf, sparse, accessor));
    }
    return accessor->bytes == NULL ? check_zeros(gltf, object, accessor->count) : RBL_OK;
}

rblResult rbl_gltf_accessor(rblGltf* gltf, rblJson reference, const rblGltfAccessor** out)
{
    uint32_t index;
    RBL_TRY(rbl_gltf_refer(reference, gltf->accessors, "accessor", &index));
    rblGltfAccessor* slot = &gltf->accessor_slots[index];
    if (!slot->ready)
    {
        rblGltfAccessor accessor = {0};
        RBL_TRY(read_accessor(gltf, rbl_json_item(gltf->accessors, index), &accessor));
        *slot = accessor;
        slot->ready = true;
    }
    *out = slot;
    return RBL_OK;
}

// The bytes of an element, null for zeros.
static const uint8_t* find_element(const rblGltfAccessor* accessor, uint32_t index)
{
    RBL_ASSERT(index < accessor->count);
    uint32_t low = 0;
    uint32_t high = accessor->sparse_count;
    const size_t size = component_size(accessor->sparse_index_type);
    while (low < high)
    {
        const uint32_t middle = low + (high - low) / 2;
        const uint32_t found =
            read_unsigned(accessor->sparse_indices + middle * size, accessor->sparse_index_type);
        if (found == index)
        {
            return accessor->sparse_values +
                   middle * accessor->components * component_size(accessor->component_type);
        }
        low = found < index ? middle + 1 : low;
        high = found < index ? high : middle;
    }
    return accessor->bytes != NULL ? accessor->bytes + index * accessor->stride : NULL;
}

static double read_float(const uint8_t* p)
{
    const uint32_t bits = read_unsigned(p, RBL_GLTF_UNSIGNED_INT);
    float value;
    memcpy(&value, &bits, sizeof value);
    return (double)value;
}

// Normalised integers: unsigned c / max, signed max(c / max, -1) (3.6.2.2).
static double read_component(const uint8_t* p, uint32_t type, bool normalized)
{
    double value;
    double largest;
    switch (type)
    {
    case RBL_GLTF_FLOAT:
        return read_float(p);
    case RBL_GLTF_BYTE:
        value = p[0] < 128 ? p[0] : p[0] - 256.0;
        largest = 127.0;
        break;
    case RBL_GLTF_SHORT:
        value = (double)read_unsigned(p, RBL_GLTF_UNSIGNED_SHORT);
        value = value < 32768.0 ? value : value - 65536.0;
        largest = 32767.0;
        break;
    default:
        value = (double)read_unsigned(p, type);
        largest = type == RBL_GLTF_UNSIGNED_BYTE ? 255.0
                                                 : (type == RBL_GLTF_UNSIGNED_SHORT ? 65535.0 : 4294967295.0);
    }
    if (!normalized)
    {
        return value;
    }
    return value < -largest ? -1.0 : value / largest;
}

void rbl_gltf_read(const rblGltfAccessor* accessor, uint32_t index, double* out)
{
    const uint8_t* element = find_element(accessor, index);
    const size_t size = component_size(accessor->component_type);
    for (uint32_t i = 0; i < accessor->components; ++i)
    {
        out[i] = element == NULL
                     ? 0.0
                     : read_component(element + i * size, accessor->component_type, accessor->normalized);
    }
}

uint32_t rbl_gltf_read_index(const rblGltfAccessor* accessor, uint32_t index)
{
    const uint8_t* element = find_element(accessor, index);
    return element != NULL ? read_unsigned(element, accessor->component_type) : 0;
}
