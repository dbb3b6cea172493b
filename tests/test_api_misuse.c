// Every public call with what it must refuse: null pointers, options that no default made, numbers that are not,
// counts that lie, ids that are stale. The result code is right, nothing is written, nothing leaks.
#include "testing.h"

#include <string.h>

#define PATTERN 0xA5

static const double nan_value = (double)NAN;
static const double infinite = (double)INFINITY;

// Outputs of any type, filled before a call that must not write to them.
typedef union Output
{
    rblMeshId id;
    rblMeshView view;
    rblMeshReport report;
    rblMassProperties mass;
    rblRepairReport repair;
    double number;
    void* pointer;
    size_t size;
    unsigned char bytes[sizeof(rblRepairReport)];
} Output;

static Output fresh(void)
{
    Output output;
    memset(&output, PATTERN, sizeof output);
    return output;
}

static void check_untouched(const Output* output)
{
    for (size_t i = 0; i < sizeof output->bytes; ++i)
    {
        assert_int_equal(output->bytes[i], PATTERN);
    }
}

static rblMeshId make_box(void)
{
    rblMeshId id;
    check_ok(rbl_mesh_make("box", NULL, 0, &id));
    return id;
}

static void check_clean(uint32_t alive)
{
    assert_int_equal(rbl_mesh_alive_count(), alive);
    if (alive == 0)
    {
        assert_int_equal(rbl_bytes_in_use(), 0);
    }
}

// ---- ids ----

static rblResult call_destroy(rblMeshId id, Output* out)
{
    (void)out;
    return rbl_mesh_destroy(id);
}

static rblResult call_view(rblMeshId id, Output* out)
{
    return rbl_mesh_view(id, &out->view);
}

static rblResult call_triangulate(rblMeshId id, Output* out)
{
    return rbl_mesh_triangulate(id, &out->id);
}

static rblResult call_transform(rblMeshId id, Output* out)
{
    const rblMat3d identity = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
    return rbl_mesh_transform(id, &identity, (rblVec3d){0, 0, 0}, &out->id);
}

static rblResult call_join_one(rblMeshId id, Output* out)
{
    return rbl_mesh_join(&id, 1, &out->id);
}

static rblResult call_join_after_others(rblMeshId id, Output* out)
{
    const rblMeshId good = make_box();
    const rblMeshId ids[3] = {good, good, id};
    const rblResult result = rbl_mesh_join(ids, 3, &out->id);
    check_ok(rbl_mesh_destroy(good));
    return result;
}

static rblResult call_inspect(rblMeshId id, Output* out)
{
    return rbl_mesh_inspect(id, NULL, &out->report);
}

static rblResult call_mass(rblMeshId id, Output* out)
{
    return rbl_mesh_mass_properties(id, 1000, &out->mass);
}

static rblResult call_simplify(rblMeshId id, Output* out)
{
    Output error = fresh();
    const rblResult result = rbl_mesh_simplify(id, NULL, &out->id, &error.number);
    check_untouched(&error);
    return result;
}

static rblResult call_repair(rblMeshId id, Output* out)
{
    Output report = fresh();
    const rblResult result = rbl_mesh_repair(id, NULL, &out->id, &report.repair);
    check_untouched(&report);
    return result;
}

static rblResult call_save(rblMeshId id, Output* out)
{
    (void)out;
    return rbl_mesh_save(id, "api_misuse_must_not_exist.obj", NULL);
}

static rblResult call_save_memory(rblMeshId id, Output* out)
{
    rblSaveOptions options = rbl_default_save_options();
    options.format = RBL_FORMAT_OBJ;
    Output size = fresh();
    const rblResult result = rbl_mesh_save_memory(id, &options, &out->pointer, &size.size);
    check_untouched(&size);
    return result;
}

static void stale_ids_are_refused_by_every_call(void** state)
{
    (void)state;
    static rblResult (*const calls[])(rblMeshId, Output*) = {
        call_destroy, call_view, call_triangulate, call_transform, call_join_one, call_join_after_others,
        call_inspect, call_mass, call_simplify,    call_repair,    call_save,     call_save_memory};
    const rblMeshId gone = make_box();
    const rblMeshId kept = make_box();
    check_ok(rbl_mesh_destroy(gone));
    const rblMeshId again = make_box(); // takes the slot of the one destroyed
    const rblMeshId bad[] = {{0, 0},
                             {0, kept.generation},
                             gone,
                             {kept.index1, 0},
                             {kept.index1, kept.generation + 1},
                             {kept.index1, kept.generation + 2},
                             {UINT32_MAX, kept.generation},
                             {UINT32_MAX, UINT32_MAX},
                             {kept.index1 + 1, kept.generation}};
    for (size_t c = 0; c < sizeof calls / sizeof *calls; ++c)
    {
        for (size_t i = 0; i < sizeof bad / sizeof *bad; ++i)
        {
            Output out = fresh();
            check_fails(RBL_ERROR_STALE, calls[c](bad[i], &out));
            check_untouched(&out);
        }
    }
    FILE* file = fopen("api_misuse_must_not_exist.obj", "rb");
    assert_null(file);
    check_clean(2);
    check_ok(rbl_mesh_destroy(kept));
    check_ok(rbl_mesh_destroy(again));
    check_clean(0);
}

// ---- null pointers ----

static void null_pointers_are_refused(void** state)
{
    (void)state;
    const rblMeshId box = make_box();
    Output out = fresh();
    const rblMat3d identity = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
    const rblVec3d zero = {0, 0, 0};
    rblMeshView view;
    check_ok(rbl_mesh_view(box, &view));
    check_fails(RBL_ERROR_ARGUMENT, rbl_mesh_create(NULL, &out.id));
    check_fails(RBL_ERROR_ARGUMENT, rbl_mesh_create(&view, NULL));
    check_fails(RBL_ERROR_ARGUMENT, rbl_mesh_view(box, NULL));
    check_fails(RBL_ERROR_ARGUMENT, rbl_mesh_triangulate(box, NULL));
    check_fails(RBL_ERROR_ARGUMENT, rbl_mesh_transform(box, NULL, zero, &out.id));
    check_fails(RBL_ERROR_ARGUMENT, rbl_mesh_transform(box, &identity, zero, NULL));
    check_fails(RBL_ERROR_ARGUMENT, rbl_mesh_join(NULL, 1, &out.id));
    check_fails(RBL_ERROR_ARGUMENT, rbl_mesh_join(&box, 0, &out.id));
    check_fails(RBL_ERROR_ARGUMENT, rbl_mesh_join(&box, 1, NULL));
    check_fails(RBL_ERROR_ARGUMENT, rbl_mesh_inspect(box, NULL, NULL));
    check_fails(RBL_ERROR_ARGUMENT, rbl_mesh_mass_properties(box, 1, NULL));
    check_fails(RBL_ERROR_ARGUMENT, rbl_mesh_simplify(box, NULL, NULL, &out.number));
    check_fails(RBL_ERROR_ARGUMENT, rbl_mesh_repair(box, NULL, NULL, &out.repair));
    check_fails(RBL_ERROR_ARGUMENT, rbl_mesh_repair(box, NULL, &out.id, NULL));
    check_fails(RBL_ERROR_ARGUMENT, rbl_mesh_make(NULL, NULL, 0, &out.id));
    check_fails(RBL_ERROR_ARGUMENT, rbl_mesh_make("box", NULL, 0, NULL));
    check_fails(RBL_ERROR_ARGUMENT, rbl_mesh_make("box", NULL, 1, &out.id));
    const rblSolidValue nameless = {NULL, &nan_value, 1};
    const rblSolidValue empty = {"size", NULL, 3};
    check_fails(RBL_ERROR_ARGUMENT, rbl_mesh_make("box", &nameless, 1, &out.id));
    check_fails(RBL_ERROR_ARGUMENT, rbl_mesh_make("box", &empty, 1, &out.id));
    assert_non_null(rbl_solid_kinds(NULL));
    check_untouched(&out);
    check_ok(rbl_mesh_destroy(box));
    check_clean(0);
}

static void null_pointers_are_refused_by_files(void** state)
{
    (void)state;
    const rblMeshId box = make_box();
    Output out = fresh();
    rblLoadOptions load = rbl_default_load_options();
    rblSaveOptions save = rbl_default_save_options();
    check_fails(RBL_ERROR_ARGUMENT, rbl_mesh_load(NULL, NULL, &out.id));
    check_fails(RBL_ERROR_ARGUMENT, rbl_mesh_load("x.obj", NULL, NULL));
    check_fails(RBL_ERROR_FILE, rbl_mesh_load("no/such/file.obj", NULL, &out.id));
    rblLoadOptions small = load;
    small.format = RBL_FORMAT_OBJ;
    small.max_bytes = 100;
    check_fails(RBL_ERROR_FILE, rbl_mesh_load(".obj/", &small, &out.id));
    check_fails(RBL_ERROR_UNSUPPORTED, rbl_mesh_load("", NULL, &out.id));
    check_fails(RBL_ERROR_ARGUMENT, rbl_mesh_load_memory("", 0, "m", NULL, &out.id));
    check_fails(RBL_ERROR_ARGUMENT, rbl_mesh_load_memory("", 0, "m", &load, &out.id)); // no format
    load.format = RBL_FORMAT_OBJ;
    check_fails(RBL_ERROR_ARGUMENT, rbl_mesh_load_memory(NULL, 1, "m", &load, &out.id));
    check_fails(RBL_ERROR_ARGUMENT, rbl_mesh_load_memory("", 0, "m", &load, NULL));
    for (int format = RBL_FORMAT_OBJ; format < RBL_FORMAT_COUNT; ++format) // nothing is no file of any kind
    {
        load.format = (rblFileFormat)format;
        assert_int_not_equal(rbl_mesh_load_memory(NULL, 0, NULL, &load, &out.id), RBL_OK);
    }
    check_fails(RBL_ERROR_ARGUMENT, rbl_mesh_save(box, NULL, NULL));
    check_fails(RBL_ERROR_UNSUPPORTED, rbl_mesh_save(box, "", NULL));
    check_fails(RBL_ERROR_FILE, rbl_mesh_save(box, "no/such/folder/x.obj", NULL));
    check_fails(RBL_ERROR_ARGUMENT, rbl_mesh_save_memory(box, &save, &out.pointer, &out.size)); // no format
    save.format = RBL_FORMAT_OBJ;
    check_fails(RBL_ERROR_ARGUMENT, rbl_mesh_save_memory(box, NULL, &out.pointer, &out.size));
    check_fails(RBL_ERROR_ARGUMENT, rbl_mesh_save_memory(box, &save, NULL, &out.size));
    check_fails(RBL_ERROR_ARGUMENT, rbl_mesh_save_memory(box, &save, &out.pointer, NULL));
    rbl_free_saved(NULL, 0);
    rbl_free_saved(NULL, 7);
    check_untouched(&out);
    check_ok(rbl_mesh_destroy(box));
    check_clean(0);
}

static void images_that_are_none_are_refused(void** state)
{
    (void)state;
    const uint8_t pixel[4] = {1, 2, 3, 4};
    const char* path = "api_misuse_must_not_exist.png";
    check_fails(RBL_ERROR_ARGUMENT, rbl_image_save_png(NULL, pixel, 1, 1, 4));
    check_fails(RBL_ERROR_ARGUMENT, rbl_image_save_png(path, NULL, 1, 1, 4));
    check_fails(RBL_ERROR_ARGUMENT, rbl_image_save_png(path, pixel, 0, 1, 4));
    check_fails(RBL_ERROR_ARGUMENT, rbl_image_save_png(path, pixel, 1, 0, 4));
    check_fails(RBL_ERROR_ARGUMENT, rbl_image_save_png(path, pixel, 1, 1, 0));
    check_fails(RBL_ERROR_ARGUMENT, rbl_image_save_png(path, pixel, 1, 1, 5));
    assert_int_not_equal(rbl_image_save_png(path, pixel, UINT32_MAX, UINT32_MAX, 4), RBL_OK);
    check_fails(RBL_ERROR_FILE, rbl_image_save_png("no/such/folder/x.png", pixel, 1, 1, 4));
    assert_null(fopen(path, "rb"));
    check_clean(0);
}

// ---- options ----

static void options_that_no_default_made_are_refused(void** state)
{
    (void)state;
    const rblMeshId box = make_box();
    Output out = fresh();
    Output other = fresh();
    const rblInspectOptions inspect = {0};
    const rblSimplifyOptions simplify = {0};
    const rblRepairOptions repair = {0};
    rblLoadOptions load = {.format = RBL_FORMAT_OBJ, .max_bytes = 1000};
    rblSaveOptions save = {.format = RBL_FORMAT_OBJ};
    for (int round = 0; round < 2; ++round)
    {
        check_fails(RBL_ERROR_ARGUMENT, rbl_mesh_inspect(box, &inspect, &out.report));
        check_fails(RBL_ERROR_ARGUMENT, rbl_mesh_simplify(box, &simplify, &out.id, &other.number));
        check_fails(RBL_ERROR_ARGUMENT, rbl_mesh_repair(box, &repair, &out.id, &other.repair));
        check_fails(RBL_ERROR_ARGUMENT, rbl_mesh_load("x.obj", &load, &out.id));
        check_fails(RBL_ERROR_ARGUMENT, rbl_mesh_load_memory("", 0, "m", &load, &out.id));
        check_fails(RBL_ERROR_ARGUMENT, rbl_mesh_save(box, "api_misuse_must_not_exist.obj", &save));
        check_fails(RBL_ERROR_ARGUMENT, rbl_mesh_save_memory(box, &save, &out.pointer, &other.size));
        load.cookie = rbl_default_save_options().cookie; // each kind has a cookie of its own
        save.cookie = rbl_default_load_options().cookie;
    }
    check_untouched(&out);
    check_untouched(&other);
    assert_null(fopen("api_misuse_must_not_exist.obj", "rb"));
    check_ok(rbl_mesh_destroy(box));
    check_clean(0);
}

static void options_out_of_range_are_refused(void** state)
{
    (void)state;
    const rblMeshId box = make_box();
    Output out = fresh();
    Output other = fresh();
    const double bad[] = {nan_value, -1, -infinite, -5e-324};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; ++i)
    {
        rblSimplifyOptions simplify = rbl_default_simplify_options();
        simplify.max_error = bad[i];
        check_fails(RBL_ERROR_ARGUMENT, rbl_mesh_simplify(box, &simplify, &out.id, &other.number));
        simplify = rbl_default_simplify_options();
        simplify.attribute_weight = bad[i];
        check_fails(RBL_ERROR_ARGUMENT, rbl_mesh_simplify(box, &simplify, &out.id, &other.number));
        check_fails(RBL_ERROR_ARGUMENT, rbl_mesh_mass_properties(box, bad[i], &out.mass));
    }
    rblSimplifyOptions simplify = rbl_default_simplify_options();
    simplify.attribute_weight = infinite;
    check_fails(RBL_ERROR_ARGUMENT, rbl_mesh_simplify(box, &simplify, &out.id, &other.number));
    check_fails(RBL_ERROR_ARGUMENT, rbl_mesh_mass_properties(box, infinite, &out.mass));
    check_fails(RBL_ERROR_ARGUMENT, rbl_mesh_mass_properties(box, 0, &out.mass));
    rblRepairOptions repair = rbl_default_repair_options();
    repair.weld_distance = nan_value;
    check_fails(RBL_ERROR_ARGUMENT, rbl_mesh_repair(box, &repair, &out.id, &other.repair));
    repair.weld_distance = infinite;
    check_fails(RBL_ERROR_ARGUMENT, rbl_mesh_repair(box, &repair, &out.id, &other.repair));
    const uint32_t cells[] = {1, 15, 513, UINT32_MAX};
    for (size_t i = 0; i < sizeof cells / sizeof *cells; ++i)
    {
        repair = rbl_default_repair_options();
        repair.remesh_cells = cells[i];
        check_fails(RBL_ERROR_ARGUMENT, rbl_mesh_repair(box, &repair, &out.id, &other.repair));
    }
    check_untouched(&out);
    check_untouched(&other);
    check_ok(rbl_mesh_destroy(box));
    check_clean(0);
}

static void formats_that_do_not_exist_are_refused(void** state)
{
    (void)state;
    const rblMeshId box = make_box();
    Output out = fresh();
    Output other = fresh();
    const int bad[] = {-1, RBL_FORMAT_COUNT, 1000};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; ++i)
    {
        rblLoadOptions load = rbl_default_load_options();
        rblSaveOptions save = rbl_default_save_options();
        load.format = save.format = (rblFileFormat)bad[i];
        check_fails(RBL_ERROR_ARGUMENT, rbl_mesh_load("x.obj", &load, &out.id));
        check_fails(RBL_ERROR_ARGUMENT, rbl_mesh_load_memory("", 0, "m", &load, &out.id));
        check_fails(RBL_ERROR_ARGUMENT, rbl_mesh_save(box, "api_misuse_must_not_exist.obj", &save));
        check_fails(RBL_ERROR_ARGUMENT, rbl_mesh_save_memory(box, &save, &out.pointer, &other.size));
    }
    rblSaveOptions save = rbl_default_save_options();
    save.format = RBL_FORMAT_GLTF; // read only
    check_fails(RBL_ERROR_UNSUPPORTED, rbl_mesh_save_memory(box, &save, &out.pointer, &other.size));
    check_untouched(&out);
    check_untouched(&other);
    check_ok(rbl_mesh_destroy(box));
    check_clean(0);
}

// ---- views ----

typedef struct Quad
{
    rblVec3d positions[4];
    uint32_t starts[2];
    uint32_t corners[4];
    uint32_t numbers[1];
    float uvs[8];
    const char* names[1];
    rblLayer layer;
    rblMeshView view;
} Quad;

static void fill_quad(Quad* q)
{
    *q = (Quad){.positions = {{0, 0, 0}, {1, 0, 0}, {1, 1, 0}, {0, 1, 0}},
                .starts = {0, 4},
                .corners = {0, 1, 2, 3},
                .names = {"name"}};
    q->layer = (rblLayer){RBL_LAYER_UV, 2, q->uvs};
    q->view = (rblMeshView){.vertex_count = 4,
                            .face_count = 1,
                            .corner_count = 4,
                            .positions = q->positions,
                            .face_starts = q->starts,
                            .corner_vertices = q->corners,
                            .layer_count = 1,
                            .layers = &q->layer,
                            .face_materials = q->numbers,
                            .face_groups = q->numbers,
                            .face_origins = q->numbers,
                            .material_count = 1,
                            .material_names = q->names,
                            .group_count = 1,
                            .group_names = q->names};
}

// One thing wrong with a view at a time; false when there are no more.
static bool spoil_layout(Quad* q, int what)
{
    switch (what)
    {
    case 0:
        q->view.positions = NULL;
        return true;
    case 1:
        q->view.face_starts = NULL;
        return true;
    case 2:
        q->view.corner_vertices = NULL;
        return true;
    case 3:
        q->view.vertex_count = 0;
        return true;
    case 4:
        q->view.face_count = 0;
        return true;
    case 5:
        q->view.corner_count = 0;
        return true;
    case 6:
        q->starts[0] = 1;
        return true;
    case 7:
        q->starts[1] = 2;
        return true;
    case 8:
        q->starts[1] = UINT32_MAX;
        return true;
    case 9:
        q->view.corner_count = 5;
        return true;
    case 10:
        q->corners[3] = 4;
        return true;
    default:
        q->corners[0] = RBL_NONE;
        return what == 11;
    }
}

static bool spoil_content(Quad* q, int what)
{
    switch (what)
    {
    case 0:
        q->positions[2].y = nan_value;
        return true;
    case 1:
        q->positions[3].z = -infinite;
        return true;
    case 2:
        q->uvs[7] = (float)nan_value;
        return true;
    case 3:
        q->view.layers = NULL;
        return true;
    case 4:
        q->layer.data = NULL;
        return true;
    case 5:
        q->layer.kind = RBL_LAYER_KIND_COUNT;
        return true;
    case 6:
        q->layer.kind = (rblLayerKind)-1;
        return true;
    case 7:
        q->layer.components = 3;
        return true;
    case 8:
        q->view.material_names = NULL;
        return true;
    case 9:
        q->view.group_names = NULL;
        return true;
    case 10:
        q->names[0] = NULL;
        return true;
    default:
        q->numbers[0] = 1;
        return what == 11;
    }
}

static void views_with_anything_wrong_are_refused(void** state)
{
    (void)state;
    static bool (*const spoilers[])(Quad*, int) = {spoil_layout, spoil_content};
    Quad quad;
    Output out = fresh();
    for (int s = 0; s < 2; ++s)
    {
        fill_quad(&quad);
        for (int what = 0; spoilers[s](&quad, what); ++what)
        {
            check_fails(RBL_ERROR_ARGUMENT, rbl_mesh_create(&quad.view, &out.id));
            fill_quad(&quad);
        }
    }
    fill_quad(&quad);
    quad.view.vertex_count = UINT32_MAX;
    check_fails(RBL_ERROR_LIMIT, rbl_mesh_create(&quad.view, &out.id));
    fill_quad(&quad);
    quad.view.corner_count = UINT32_MAX;
    check_fails(RBL_ERROR_LIMIT, rbl_mesh_create(&quad.view, &out.id));
    check_untouched(&out);
    fill_quad(&quad); // and with nothing wrong
    rblMeshId id;
    check_ok(rbl_mesh_create(&quad.view, &id));
    check_ok(rbl_mesh_destroy(id));
    check_clean(0);
}

static void matrices_that_are_none_are_refused(void** state)
{
    (void)state;
    const rblMeshId box = make_box();
    Output out = fresh();
    const rblMat3d identity = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
    for (size_t i = 0; i < 9; ++i)
    {
        const double bad[] = {nan_value, infinite, -infinite};
        for (size_t k = 0; k < 3; ++k)
        {
            double entries[9];
            memcpy(entries, &identity, sizeof entries);
            entries[i] = bad[k];
            rblMat3d m;
            memcpy(&m, entries, sizeof m);
            check_fails(RBL_ERROR_ARGUMENT, rbl_mesh_transform(box, &m, (rblVec3d){0, 0, 0}, &out.id));
        }
    }
    check_fails(RBL_ERROR_ARGUMENT, rbl_mesh_transform(box, &identity, (rblVec3d){0, nan_value, 0}, &out.id));
    const rblMat3d zero = {{0, 0, 0}, {0, 0, 0}, {0, 0, 0}};
    check_fails(RBL_ERROR_ARGUMENT, rbl_mesh_transform(box, &zero, (rblVec3d){0, 0, 0}, &out.id));
    check_untouched(&out);
    check_ok(rbl_mesh_destroy(box));
    check_clean(0);
}

// ---- solids ----

static void every_parameter_of_every_solid_refuses_what_is_no_number(void** state)
{
    (void)state;
    uint32_t kind_count;
    const rblSolidKind* kinds = rbl_solid_kinds(&kind_count);
    const double bad[] = {nan_value, infinite, -infinite};
    Output out = fresh();
    for (uint32_t k = 0; k < kind_count; ++k)
    {
        for (uint32_t p = 0; p < kinds[k].parameter_count; ++p)
        {
            const rblSolidParameter* parameter = &kinds[k].parameters[p];
            for (size_t i = 0; i < sizeof bad / sizeof *bad; ++i)
            {
                const double numbers[8] = {bad[i], bad[i], bad[i], bad[i], bad[i], bad[i], bad[i], bad[i]};
                const uint32_t count = parameter->components != 0 ? parameter->components : 4;
                rblSolidValue value = {parameter->name, numbers, count};
                check_fails(RBL_ERROR_ARGUMENT, rbl_mesh_make(kinds[k].name, &value, 1, &out.id));
                value.count = parameter->components != 0 ? count + 1 : RBL_SOLID_MAX_PAIRS + 1;
                check_fails(RBL_ERROR_ARGUMENT, rbl_mesh_make(kinds[k].name, &value, 1, &out.id));
                value.count = 0;
                check_fails(RBL_ERROR_ARGUMENT, rbl_mesh_make(kinds[k].name, &value, 1, &out.id));
            }
        }
    }
    check_fails(RBL_ERROR_ARGUMENT, rbl_mesh_make("", NULL, 0, &out.id));
    check_fails(RBL_ERROR_ARGUMENT, rbl_mesh_make("no such solid", NULL, 0, &out.id));
    check_untouched(&out);
    check_clean(0);
}

// ---- settings ----

static void* no_memory(size_t size, size_t alignment, void* context)
{
    (void)size;
    (void)alignment;
    (void)context;
    return NULL;
}

static void free_nothing(void* memory, size_t size, void* context)
{
    (void)memory;
    (void)size;
    (void)context;
}

static void finish_nothing(void* handle, void* context)
{
    (void)handle;
    (void)context;
}

static void settings_that_make_no_sense_change_nothing(void** state)
{
    (void)state;
    rblAllocator no_free = rbl_default_allocator_def();
    rblAllocator no_alloc = no_free, useless = no_free;
    no_free.alloc = useless.alloc = no_memory;
    no_alloc.free = useless.free = free_nothing;
    check_fails(RBL_ERROR_ARGUMENT, rbl_set_allocator(&no_free));
    check_fails(RBL_ERROR_ARGUMENT, rbl_set_allocator(&no_alloc));
    const rblMeshId box = make_box(); // still with the old one
    check_fails(RBL_ERROR_BUSY, rbl_set_allocator(&useless));
    check_fails(RBL_ERROR_BUSY, rbl_set_allocator(NULL));
    check_ok(rbl_mesh_destroy(box));
    rblTasks workers[] = {tasks_of(0), tasks_of(RBL_MAX_WORKERS + 1), tasks_of(UINT32_MAX), tasks_of(2)};
    workers[3].finish = finish_nothing;
    for (size_t i = 0; i < sizeof workers / sizeof *workers; ++i)
    {
        check_fails(RBL_ERROR_ARGUMENT, rbl_set_tasks(&workers[i]));
        assert_int_equal(rbl_worker_count(), 1);
    }
    check_ok(rbl_set_allocator(&useless));
    Output out = fresh();
    check_fails(RBL_ERROR_MEMORY, rbl_mesh_make("box", NULL, 0, &out.id));
    check_untouched(&out);
    const rblTasks pool = tasks_of(4);
    check_fails(RBL_ERROR_MEMORY, rbl_set_tasks(&pool));
    assert_int_equal(rbl_worker_count(), 1);
    check_ok(rbl_set_allocator(NULL));
    rbl_set_log(NULL, NULL, (rblLogLevel)99);
    rbl_set_log(NULL, NULL, RBL_LOG_DEBUG);
    assert_string_equal(rbl_result_name((rblResult)-1), "unknown");
    assert_string_equal(rbl_result_name(RBL_RESULT_COUNT), "unknown");
    assert_non_null(rbl_last_error());
    assert_true(rbl_version()[0] != '\0');
    assert_true(rbl_peak_bytes() >= rbl_bytes_in_use());
    check_clean(0);
}

static void says(rblResult result, const char* words)
{
    assert_int_equal(result, RBL_ERROR_ARGUMENT);
    if (strstr(rbl_last_error(), words) == NULL)
    {
        fail_msg("'%s' does not contain '%s'", rbl_last_error(), words);
    }
}

static void messages_name_the_value_and_what_is_allowed(void** state)
{
    (void)state;
    rblWorldId world;
    rblShapeId shape, plane = {0};
    rblBodyId body;
    rblWorldDef world_def = rbl_default_world_def();
    rblBodyDef good = rbl_default_body_def();
    world_def.bounce_speed = -2.0f;
    says(rbl_world_create(&world_def, &world), "bounce_speed -2, must not be negative");
    world_def = rbl_default_world_def();
    world_def.gravity.y = INFINITY;
    says(rbl_world_create(&world_def, &world), "world: gravity is (0, inf, 0), must be finite");
    world_def = rbl_default_world_def();
    check_ok(rbl_world_create(&world_def, &world));
    check_ok(rbl_shape_create_sphere(0.5f, &shape));
    good.shape = shape;
    rblBodyDef def = good;
    def.pose.p.x = NAN;
    says(rbl_body_create(world, &def, &body), "nan, 0, 0), must be finite");
    def = good;
    def.pose.q.w = 2.0f;
    says(rbl_body_create(world, &def, &body), "body: the rotation has length 2, must be a unit quaternion");
    def = good;
    def.material.poisson = 0.75f;
    says(rbl_body_create(world, &def, &body), "body: poisson is 0.75, must be between -1 and 0.5");
    def = good;
    def.material.young = -3.0f;
    says(rbl_body_create(world, &def, &body), "body: young is -3, must be finite and not negative");
    def = good;
    def.anchor.kind = RBL_ANCHOR_BOX;
    def.anchor.box.upper.x = -1.0f;
    says(rbl_body_create(world, &def, &body), "is (0, 0, 0) to (-1, 0, 0), must be finite and not empty");
    check_ok(rbl_body_create(world, &good, &body));
    says(rbl_body_set_gravity_scale(world, body, INFINITY), "body: gravity_scale is inf, must be finite");
    says(rbl_shape_create_capsule(0.5f, 0.75f, &plane),
         "height is 0.75, must be at least twice the radius 0.5");
    says(rbl_shape_create_plane((rblVec3){0, 0, 0}, &plane),
         "normal is (0, 0, 0), must be finite and not zero");
    check_ok(rbl_world_destroy(world));
    check_ok(rbl_shape_destroy(shape));
    check_clean(0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(stale_ids_are_refused_by_every_call),
        cmocka_unit_test(null_pointers_are_refused),
        cmocka_unit_test(null_pointers_are_refused_by_files),
        cmocka_unit_test(images_that_are_none_are_refused),
        cmocka_unit_test(options_that_no_default_made_are_refused),
        cmocka_unit_test(options_out_of_range_are_refused),
        cmocka_unit_test(formats_that_do_not_exist_are_refused),
        cmocka_unit_test(views_with_anything_wrong_are_refused),
        cmocka_unit_test(matrices_that_are_none_are_refused),
        cmocka_unit_test(every_parameter_of_every_solid_refuses_what_is_no_number),
        cmocka_unit_test(settings_that_make_no_sense_change_nothing),
        cmocka_unit_test(messages_name_the_value_and_what_is_allowed),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
