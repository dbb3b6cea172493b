// What the tests of every file format share.
#ifndef RBL_TESTS_IO_TESTING_H
#define RBL_TESTS_IO_TESTING_H

#include "testing.h"

#include "base/random.h"
#include "failing_allocator.h"
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

static inline rblLoadOptions load_options(rblFileFormat format, bool keep_non_finite)
{
    rblLoadOptions options = rbl_default_load_options();
    options.format = format;
    options.keep_non_finite = keep_non_finite;
    return options;
}

// From a copy that ends where the bytes end, so that a look past the end is caught.
static inline rblResult try_load(rblFileFormat format, const void* bytes, size_t size, bool keep_non_finite,
                                 rblMeshId* out)
{
    void* copy = malloc(size > 0 ? size : 1);
    if (size > 0)
    {
        memcpy(copy, bytes, size);
    }
    const rblLoadOptions options = load_options(format, keep_non_finite);
    const rblResult result = rbl_mesh_load_memory(copy, size, "test", &options, out);
    free(copy);
    return result;
}

static inline rblMeshView load_view(rblFileFormat format, const void* bytes, size_t size, rblMeshId* id)
{
    check_ok(try_load(format, bytes, size, false, id));
    rblMeshView view;
    check_ok(rbl_mesh_view(*id, &view));
    return view;
}

static inline rblMeshView load_text(rblFileFormat format, const char* text, rblMeshId* id)
{
    return load_view(format, text, strlen(text), id);
}

// The bytes must be refused with that code and a message that contains `message`.
static inline void check_refused(rblFileFormat format, const void* bytes, size_t size, rblResult expected,
                                 const char* message)
{
    rblMeshId id = {77, 77};
    const rblResult result = try_load(format, bytes, size, false, &id);
    if (result != expected)
    {
        fail_msg("%s instead of %s for: %.200s", rbl_result_name(result), rbl_result_name(expected),
                 (const char*)bytes);
    }
    if (strstr(rbl_last_error(), message) == NULL)
    {
        fail_msg("\"%s\" does not say \"%s\"", rbl_last_error(), message);
    }
    assert_true(id.index1 == 77 && id.generation == 77);
}

static inline void check_refused_text(rblFileFormat format, const char* text, rblResult expected,
                                      const char* message)
{
    check_refused(format, text, strlen(text), expected, message);
}

// A file that cannot be read, and how it is refused.
typedef struct WrongText
{
    const char* text;
    rblResult result;
    const char* message;
} WrongText;

static inline void check_all_refused(rblFileFormat format, const WrongText* cases, size_t count)
{
    for (size_t i = 0; i < count; ++i)
    {
        check_refused_text(format, cases[i].text, cases[i].result, cases[i].message);
    }
}

// Whatever loads is a mesh whose indices and numbers can be trusted.
static inline void check_sound(rblMeshId id, bool finite)
{
    rblMeshView view;
    check_ok(rbl_mesh_view(id, &view));
    assert_true(view.face_count > 0 && view.face_starts[0] == 0);
    assert_int_equal(view.face_starts[view.face_count], view.corner_count);
    for (uint32_t f = 0; f < view.face_count; ++f)
    {
        assert_true(view.face_starts[f + 1] >= view.face_starts[f] + 3);
        assert_true(view.face_origins[f] == f);
        assert_true(view.material_count == 0 || view.face_materials[f] < view.material_count);
        assert_true(view.group_count == 0 || view.face_groups[f] < view.group_count);
    }
    for (uint32_t c = 0; c < view.corner_count; ++c)
    {
        assert_true(view.corner_vertices[c] < view.vertex_count);
    }
    for (uint32_t v = 0; finite && v < view.vertex_count; ++v)
    {
        assert_true(isfinite(view.positions[v].x) && isfinite(view.positions[v].y) &&
                    isfinite(view.positions[v].z));
    }
    for (uint32_t i = 0; i < view.layer_count; ++i)
    {
        for (size_t k = 0; k < (size_t)view.corner_count * view.layers[i].components; ++k)
        {
            assert_true(isfinite(view.layers[i].data[k]));
        }
    }
}

// Load whatever this is, check it and let it go. True when it loaded.
static inline bool survive(rblFileFormat format, const void* bytes, size_t size, bool keep_non_finite)
{
    rblMeshId id;
    const rblResult result = try_load(format, bytes, size, keep_non_finite, &id);
    if (result != RBL_OK)
    {
        assert_true(rbl_last_error()[0] != '\0');
        return false;
    }
    check_sound(id, !keep_non_finite);
    check_ok(rbl_mesh_destroy(id));
    return true;
}

static inline void check_every_prefix(rblFileFormat format, const void* bytes, size_t size)
{
    for (size_t n = 0; n < size; ++n)
    {
        survive(format, bytes, n, false);
    }
    assert_true(survive(format, bytes, size, false));
    assert_int_equal(rbl_mesh_alive_count(), 0);
    assert_int_equal(rbl_bytes_in_use(), 0);
}

// Change, remove or insert a few random bytes, over and over.
static inline void check_mutations(rblFileFormat format, const void* bytes, size_t size, uint64_t seed,
                                   int rounds)
{
    static const char interesting[] = "\0\n\r /-.#\\0123456789eEnaif\xFF\x80\x7F";
    rblRandom random = rbl_random_seed(seed, 9);
    unsigned char* copy = malloc(size + 16);
    for (int round = 0; round < rounds; ++round)
    {
        memcpy(copy, bytes, size);
        size_t length = size;
        for (uint32_t k = 1 + rbl_random_below(&random, 4); k > 0 && length > 1; --k)
        {
            const size_t at = rbl_random_below(&random, (uint32_t)length);
            switch (rbl_random_below(&random, 4))
            {
            case 0:
                copy[at] = (unsigned char)rbl_random_u32(&random);
                break;
            case 1:
                copy[at] = (unsigned char)interesting[rbl_random_below(&random, sizeof interesting - 1)];
                break;
            case 2:
                memmove(copy + at, copy + at + 1, length - at - 1);
                length -= 1;
                break;
            default:
                memmove(copy + at + 1, copy + at, length - at);
                length += 1;
                break;
            }
        }
        survive(format, copy, length, round % 2 == 0);
    }
    free(copy);
    assert_int_equal(rbl_mesh_alive_count(), 0);
    assert_int_equal(rbl_bytes_in_use(), 0);
}

// Loading with the n-th allocation failing, for every n, until none fails.
static inline void check_load_without_memory(rblFileFormat format, const void* bytes, size_t size)
{
    for (size_t n = 0;; ++n)
    {
        assert_true(n < 10000);
        FailingAllocator memory;
        failing_allocator_start(&memory, n);
        check_ok(rbl_set_allocator(&memory.allocator));
        rblMeshId id;
        const rblResult result = try_load(format, bytes, size, false, &id);
        if (result == RBL_OK)
        {
            check_ok(rbl_mesh_destroy(id));
        }
        assert_int_equal(memory.live, 0);
        check_ok(rbl_set_allocator(NULL));
        assert_true(result == RBL_OK || result == RBL_ERROR_MEMORY);
        if (result == RBL_OK)
        {
            assert_true(n > 3);
            return;
        }
    }
}

static inline rblSaveOptions save_options(rblFileFormat format, bool text)
{
    rblSaveOptions options = rbl_default_save_options();
    options.format = format;
    options.text = text;
    return options;
}

// Saving with the n-th allocation failing, for every n. The mesh is loaded from `bytes` first.
static inline void check_save_without_memory(rblFileFormat source_format, const void* source,
                                             size_t source_size, rblFileFormat format, bool text)
{
    for (size_t n = 0;; ++n)
    {
        assert_true(n < 10000);
        FailingAllocator memory;
        failing_allocator_start(&memory, SIZE_MAX);
        check_ok(rbl_set_allocator(&memory.allocator));
        rblMeshId id;
        check_ok(try_load(source_format, source, source_size, false, &id));
        memory.left = n;
        const rblSaveOptions options = save_options(format, text);
        void* saved;
        size_t size;
        const rblResult result = rbl_mesh_save_memory(id, &options, &saved, &size);
        if (result == RBL_OK)
        {
            rbl_free_saved(saved, size);
        }
        check_ok(rbl_mesh_destroy(id));
        assert_int_equal(memory.live, 0);
        check_ok(rbl_set_allocator(NULL));
        assert_true(result == RBL_OK || result == RBL_ERROR_MEMORY);
        if (result == RBL_OK)
        {
            assert_true(n > 1);
            return;
        }
    }
}

// Save to memory and load again.
static inline rblMeshId save_and_load(rblMeshId id, rblFileFormat format, bool text, bool keep_non_finite)
{
    const rblSaveOptions options = save_options(format, text);
    void* bytes;
    size_t size;
    check_ok(rbl_mesh_save_memory(id, &options, &bytes, &size));
    rblMeshId back;
    check_ok(try_load(format, bytes, size, keep_non_finite, &back));
    rbl_free_saved(bytes, size);
    return back;
}

static inline const rblLayer* find_layer(const rblMeshView* view, rblLayerKind kind, uint32_t nth)
{
    for (uint32_t i = 0; i < view->layer_count; ++i)
    {
        if (view->layers[i].kind == kind && nth-- == 0)
        {
            return &view->layers[i];
        }
    }
    return NULL;
}

// Positions to the last bit, the same faces.
static inline void check_same_surface(const rblMeshView* a, const rblMeshView* b)
{
    assert_int_equal(a->vertex_count, b->vertex_count);
    assert_int_equal(a->face_count, b->face_count);
    assert_int_equal(a->corner_count, b->corner_count);
    assert_memory_equal(a->positions, b->positions, a->vertex_count * sizeof *a->positions);
    assert_memory_equal(a->face_starts, b->face_starts, (a->face_count + 1) * sizeof *a->face_starts);
    assert_memory_equal(a->corner_vertices, b->corner_vertices, a->corner_count * sizeof *a->corner_vertices);
}

static inline void check_same_layer(const rblMeshView* a, const rblMeshView* b, rblLayerKind kind,
                                    uint32_t nth, double tolerance)
{
    const rblLayer* first = find_layer(a, kind, nth);
    const rblLayer* second = find_layer(b, kind, nth);
    assert_non_null(first);
    assert_non_null(second);
    for (size_t i = 0; i < (size_t)a->corner_count * first->components; ++i)
    {
        check_close(second->data[i], first->data[i], tolerance);
    }
}

static inline void check_same_names(const rblMeshView* a, const rblMeshView* b)
{
    for (uint32_t f = 0; f < a->face_count; ++f)
    {
        if (a->material_count > 0)
        {
            assert_string_equal(a->material_names[a->face_materials[f]],
                                b->material_names[b->face_materials[f]]);
        }
        if (a->group_count > 0)
        {
            assert_string_equal(a->group_names[a->face_groups[f]], b->group_names[b->face_groups[f]]);
        }
    }
}

typedef enum MeshExtras
{
    EXTRA_SMOOTH_NORMALS = 1, // equal at all corners of a vertex
    EXTRA_CORNER_NORMALS = 2, // different at every corner
    EXTRA_SMOOTH_UVS = 4,
    EXTRA_CORNER_UVS = 8,
    EXTRA_SECOND_UVS = 16,
    EXTRA_SMOOTH_COLORS = 32,
    EXTRA_CORNER_COLORS = 64,
    EXTRA_NAMES = 128
} MeshExtras;

#define RANDOM_VERTICES 40
#define RANDOM_FACES    30
#define RANDOM_CORNERS  200

// A heap of random polygons with whatever attributes are asked for; vertices 0 .. 3 are used by no face.
static inline rblMeshId make_random_mesh(uint64_t seed, unsigned extras, uint32_t fewest, uint32_t most)
{
    rblRandom random = rbl_random_seed(seed, 5);
    rblVec3d positions[RANDOM_VERTICES];
    uint32_t starts[RANDOM_FACES + 1] = {0};
    uint32_t corners[RANDOM_CORNERS];
    static float data[8][RANDOM_CORNERS * 4];
    float vertex_data[RANDOM_VERTICES][4];
    rblLayer layers[8];
    uint32_t layer_count = 0;
    for (int v = 0; v < RANDOM_VERTICES; ++v)
    {
        positions[v] = (rblVec3d){rbl_random_range(&random, -1, 1), rbl_random_range(&random, -1e6, 1e6),
                                  rbl_random_range(&random, -1e-9, 1e-9)};
    }
    for (uint32_t f = 0; f < RANDOM_FACES; ++f)
    {
        starts[f + 1] = starts[f] + fewest + rbl_random_below(&random, most - fewest + 1);
        const uint32_t first = 4 + rbl_random_below(&random, RANDOM_VERTICES - 4);
        for (uint32_t c = starts[f]; c < starts[f + 1]; ++c)
        {
            corners[c] = 4 + (first + c - starts[f]) % (RANDOM_VERTICES - 4);
        }
    }
    static const struct
    {
        unsigned extra;
        rblLayerKind kind;
        bool smooth;
    } wanted[] = {
        {EXTRA_SMOOTH_NORMALS, RBL_LAYER_NORMAL, true}, {EXTRA_CORNER_NORMALS, RBL_LAYER_NORMAL, false},
        {EXTRA_SMOOTH_UVS, RBL_LAYER_UV, true},         {EXTRA_CORNER_UVS, RBL_LAYER_UV, false},
        {EXTRA_SECOND_UVS, RBL_LAYER_UV, false},        {EXTRA_SMOOTH_COLORS, RBL_LAYER_COLOR, true},
        {EXTRA_CORNER_COLORS, RBL_LAYER_COLOR, false}};
    for (size_t i = 0; i < sizeof wanted / sizeof *wanted; ++i)
    {
        if ((extras & wanted[i].extra) == 0)
        {
            continue;
        }
        const uint32_t components = wanted[i].kind == RBL_LAYER_NORMAL ? 3
                                    : wanted[i].kind == RBL_LAYER_UV   ? 2
                                                                       : 4;
        for (uint32_t v = 0; v < RANDOM_VERTICES; ++v)
        {
            for (int k = 0; k < 4; ++k)
            {
                vertex_data[v][k] = rbl_random_float(&random);
            }
        }
        for (uint32_t c = 0; c < starts[RANDOM_FACES]; ++c)
        {
            float values[4];
            double length = 0;
            for (uint32_t k = 0; k < 4; ++k)
            {
                values[k] = wanted[i].smooth ? vertex_data[corners[c]][k] : rbl_random_float(&random);
                length += k < 3 ? (double)values[k] * (double)values[k] : 0;
            }
            for (uint32_t k = 0; k < components; ++k)
            {
                const double scale = wanted[i].kind == RBL_LAYER_NORMAL ? 1 / sqrt(length) : 1;
                data[layer_count][c * components + k] = (float)((double)values[k] * scale);
            }
        }
        layers[layer_count] = (rblLayer){wanted[i].kind, components, data[layer_count]};
        layer_count += 1;
    }
    uint32_t materials[RANDOM_FACES];
    uint32_t groups[RANDOM_FACES];
    for (uint32_t f = 0; f < RANDOM_FACES; ++f)
    {
        materials[f] = rbl_random_below(&random, 3);
        groups[f] = f / 12;
    }
    static const char* const material_names[] = {"stone", "cold glass", "wood"};
    static const char* const group_names[] = {"left wing", "right", "tail"};
    const bool named = (extras & EXTRA_NAMES) != 0;
    const rblMeshView view = {.vertex_count = RANDOM_VERTICES,
                              .face_count = RANDOM_FACES,
                              .corner_count = starts[RANDOM_FACES],
                              .positions = positions,
                              .face_starts = starts,
                              .corner_vertices = corners,
                              .layer_count = layer_count,
                              .layers = layers,
                              .face_materials = named ? materials : NULL,
                              .face_groups = named ? groups : NULL,
                              .material_count = named ? 3 : 0,
                              .material_names = material_names,
                              .group_count = named ? 3 : 0,
                              .group_names = group_names};
    rblMeshId id;
    check_ok(rbl_mesh_create(&view, &id));
    return id;
}

// The log, for tests that expect a warning.
static inline void keep_last_line(rblLogLevel level, const char* line, void* context)
{
    (void)level;
    snprintf(context, 512, "%s", line);
}

#endif
