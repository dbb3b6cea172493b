#include "mesh/mesh_codec.h"

#include "base/arena.h"
#include "base/error.h"
#include "mesh/mesh.h"

// Largest number of layers that are stored. It limits the memory that damaged data can request.
#define MAX_LAYERS 16u

static bool are_floats(const rblMeshView* view)
{
    for (uint32_t i = 0; i < view->vertex_count; ++i)
    {
        const double* p = &view->positions[i].x;
        if ((double)(float)p[0] != p[0] || (double)(float)p[1] != p[1] || (double)(float)p[2] != p[2])
        {
            return false;
        }
    }
    return true;
}

static void put_positions(rblByteSink* sink, const rblMeshView* view)
{
    const bool floats = are_floats(view);
    rbl_put_u8(sink, floats);
    rbl_put_varint(sink, view->vertex_count);
    for (uint32_t i = 0; i < view->vertex_count; ++i)
    {
        const double* p = &view->positions[i].x;
        for (int k = 0; k < 3; ++k)
        {
            if (floats)
            {
                rbl_put_f32(sink, (float)p[k]);
            }
            else
            {
                rbl_put_f64(sink, p[k]);
            }
        }
    }
}

static void put_faces(rblByteSink* sink, const rblMeshView* view)
{
    int64_t last = 0;
    rbl_put_varint(sink, view->face_count);
    for (uint32_t f = 0; f < view->face_count; ++f)
    {
        rbl_put_varint(sink, rbl_face_size(view, f));
    }
    for (uint32_t c = 0; c < view->corner_count; ++c)
    {
        rbl_put_varint(sink, rbl_zigzag((int64_t)view->corner_vertices[c] - last));
        last = view->corner_vertices[c];
    }
}

static void put_materials(rblByteSink* sink, const rblMeshView* view)
{
    rbl_put_varint(sink, view->material_count);
    for (uint32_t i = 0; i < view->material_count; ++i)
    {
        rbl_put_string(sink, view->material_names[i]);
    }
    for (uint32_t f = 0; view->material_count > 0 && f < view->face_count; ++f)
    {
        rbl_put_varint(sink, view->face_materials[f]);
    }
}

void rbl_put_mesh(rblByteSink* sink, const rblMeshView* view)
{
    const uint32_t layers = view->layer_count < MAX_LAYERS ? view->layer_count : MAX_LAYERS;
    put_positions(sink, view);
    put_faces(sink, view);
    rbl_put_varint(sink, layers);
    for (uint32_t i = 0; i < layers; ++i)
    {
        rbl_put_u8(sink, view->layers[i].kind);
        rbl_put_floats(sink, view->layers[i].data, (size_t)view->corner_count * view->layers[i].components);
    }
    put_materials(sink, view);
}

// ---- reading ----

// A mesh that is being read, in the form that rbl_mesh_create() copies.
typedef struct Incoming
{
    rblByteSource* source;
    rblArena arena;
    rblMeshView view;
} Incoming;

static rblResult damaged(const char* what)
{
    return rbl_fail(RBL_ERROR_FORMAT, "the %s of a surface are damaged", what);
}

static rblResult take_positions(Incoming* in)
{
    const bool floats = rbl_take_u8(in->source) != 0;
    const uint32_t count = rbl_take_count(in->source, floats ? 12 : 24);
    rblVec3d* positions = RBL_ARENA_ARRAY(&in->arena, rblVec3d, (size_t)count + 1);
    if (positions == NULL)
    {
        return rbl_fail_memory();
    }
    for (uint32_t i = 0; i < count; ++i)
    {
        double* p = &positions[i].x;
        for (int k = 0; k < 3; ++k)
        {
            p[k] = floats ? (double)rbl_take_f32(in->source) : rbl_take_f64(in->source);
        }
    }
    in->view.vertex_count = count;
    in->view.positions = positions;
    return in->source->failed ? damaged("positions") : RBL_OK;
}

static rblResult take_faces(Incoming* in)
{
    const uint32_t faces = rbl_take_count(in->source, 4); // its size and three corners
    uint32_t* starts = RBL_ARENA_ARRAY(&in->arena, uint32_t, (size_t)faces + 1);
    if (starts == NULL)
    {
        return rbl_fail_memory();
    }
    starts[0] = 0;
    for (uint32_t f = 0; f < faces; ++f)
    {
        const uint32_t size = rbl_take_u32_varint(in->source);
        if (size > rbl_source_left(in->source) || size > UINT32_MAX - starts[f])
        {
            return damaged("faces");
        }
        starts[f + 1] = starts[f] + size;
    }
    const uint32_t corners = starts[faces];
    if (in->source->failed || corners > rbl_source_left(in->source))
    {
        return damaged("faces");
    }
    uint32_t* vertices = RBL_ARENA_ARRAY(&in->arena, uint32_t, (size_t)corners + 1);
    if (vertices == NULL)
    {
        return rbl_fail_memory();
    }
    uint64_t last = 0;
    for (uint32_t c = 0; c < corners; ++c)
    {
        last += (uint64_t)rbl_unzigzag(rbl_take_varint(in->source));
        vertices[c] =
            last < in->view.vertex_count ? (uint32_t)last : RBL_NONE; // refused by rbl_mesh_create()
    }
    in->view.face_count = faces;
    in->view.corner_count = corners;
    in->view.face_starts = starts;
    in->view.corner_vertices = vertices;
    return in->source->failed ? damaged("corners") : RBL_OK;
}

static rblResult take_layers(Incoming* in)
{
    const uint32_t count = rbl_take_u32_varint(in->source);
    if (count > MAX_LAYERS)
    {
        return damaged("layers");
    }
    rblLayer* layers = RBL_ARENA_ARRAY(&in->arena, rblLayer, (size_t)count + 1);
    for (uint32_t i = 0; layers != NULL && i < count; ++i)
    {
        const rblLayerKind kind = (rblLayerKind)rbl_take_u8(in->source);
        if (kind >= RBL_LAYER_KIND_COUNT)
        {
            return damaged("layers");
        }
        const uint32_t components = rbl_layer_components(kind);
        const size_t floats = (size_t)in->view.corner_count * components;
        if (floats > rbl_source_left(in->source) / 4)
        {
            return damaged("layers");
        }
        float* data = RBL_ARENA_ARRAY(&in->arena, float, floats + 1);
        if (data == NULL)
        {
            return rbl_fail_memory();
        }
        rbl_take_floats(in->source, data, floats);
        layers[i] = (rblLayer){kind, components, data};
    }
    in->view.layer_count = count;
    in->view.layers = layers;
    return layers != NULL ? RBL_OK : rbl_fail_memory();
}

static rblResult take_materials(Incoming* in)
{
    const uint32_t count = rbl_take_count(in->source, 1);
    if (count == 0)
    {
        return in->source->failed ? damaged("materials") : RBL_OK;
    }
    if (in->view.face_count > rbl_source_left(in->source))
    {
        return damaged("materials");
    }
    const char** names = RBL_ARENA_ARRAY(&in->arena, const char*, count);
    uint32_t* materials = RBL_ARENA_ARRAY(&in->arena, uint32_t, in->view.face_count);
    if (names == NULL || materials == NULL)
    {
        return rbl_fail_memory();
    }
    for (uint32_t i = 0; i < count; ++i)
    {
        size_t size = 0;
        const char* text = rbl_take_text(in->source, &size);
        char* name = rbl_arena_alloc(&in->arena, size + 1);
        if (name == NULL)
        {
            return rbl_fail_memory();
        }
        memcpy(name, text != NULL ? text : "", text != NULL ? size : 0);
        name[text != NULL ? size : 0] = '\0';
        names[i] = name;
    }
    for (uint32_t f = 0; f < in->view.face_count; ++f)
    {
        materials[f] = rbl_take_u32_varint(in->source);
        in->source->failed = in->source->failed || materials[f] >= count;
    }
    in->view.material_count = count;
    in->view.material_names = names;
    in->view.face_materials = materials;
    return in->source->failed ? damaged("materials") : RBL_OK;
}

rblResult rbl_take_mesh(rblByteSource* source, const rblAllocator* allocator, rblMeshId* out)
{
    Incoming in = {.source = source};
    rbl_arena_init(&in.arena, 65536, allocator);
    rblResult result = take_positions(&in);
    result = result == RBL_OK ? take_faces(&in) : result;
    result = result == RBL_OK && in.view.face_count == 0 ? damaged("faces") : result;
    result = result == RBL_OK ? take_layers(&in) : result;
    result = result == RBL_OK ? take_materials(&in) : result;
    result = result == RBL_OK ? rbl_mesh_create(&in.view, out) : result;
    rbl_arena_free(&in.arena);
    return result;
}
