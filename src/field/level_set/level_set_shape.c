// Level sets as shapes: resolution from the wanted error, samples, mass.
#include "base/def.h"
#include "base/error.h"
#include "base/log.h"
#include "field/field.h"
#include "field/level_set/level_set.h"
#include "field/samples/surface_samples.h"
#include "field/shape_codec.h"
#include "field/solid_check.h"
#include "math/aabb.h"
#include "mesh/inspect.h"
#include "mesh/mass.h"
#include "mesh/mesh_codec.h"

// ---- tuning ----
#define DEFAULT_ERROR 0.002      // relative to the diagonal of the bounds
#define MIN_CELLS     8u         // cells along the longest side
#define MAX_CELLS     2048u      // cells along the longest side
#define MAX_SAMPLES   65536u     // samples of a shape
#define SAMPLE_SEED   0x5A3D1E5u // of the random samples
#define FIRST_CELL    16.0       // relative to the wanted error; first cell size, enough for smooth surfaces
#define FINEST_STEP   0.35       // smallest factor on the cell size in one refinement
#define COARSEST_STEP 0.8        // largest factor on the cell size in one refinement

RBL_DEF_KIND(level_set_def, rblLevelSetDef, "level set", rbl_default_level_set_def, 0x1E5E75E7u);

void rbl_level_set_def_init(rblLevelSetDef* def, size_t size)
{
    const rblLevelSetDef defaults = {.max_cells = 128};
    rbl_def_init(&level_set_def, &defaults, def, size);
}

static bool is_size(float x)
{
    return x >= 0.0f && rbl_finite((double)x);
}

static rblResult check_def(const rblLevelSetDef* def)
{
    if (!is_size(def->error) || !is_size(def->cell) || !is_size(def->sample_spacing))
    {
        return rbl_fail(
            RBL_ERROR_ARGUMENT,
            "level set: error is %g, cell %g, sample_spacing %g; they must be 0 or positive, and finite",
            (double)def->error, (double)def->cell, (double)def->sample_spacing);
    }
    if (def->max_cells < MIN_CELLS || def->max_cells > MAX_CELLS)
    {
        return rbl_fail(RBL_ERROR_ARGUMENT, "level set: max_cells is %u, must be %u to %u", def->max_cells,
                        MIN_CELLS, MAX_CELLS);
    }
    return RBL_OK;
}

// ---- resolution ----

typedef struct Resolution
{
    double error;    // wanted, m
    double cell;     // current, m
    double smallest; // smallest allowed cell, m
} Resolution;

static Resolution first_resolution(const rblLevelSetDef* def, const rblMeshReport* report)
{
    const rblVec3d size = rbl_aabbd_size(report->bounds);
    const double longest = rbl_maxd(size.x, rbl_maxd(size.y, size.z));
    Resolution r = {.error = def->error > 0.0f ? (double)def->error : DEFAULT_ERROR * rbl_length3d(size),
                    .smallest = longest / def->max_cells};
    // Twice volume over area is the thickness of a sheet. It needs two cells across, or the inside is lost.
    const double half_thickness = report->volume / report->area;
    r.cell = rbl_mind(rbl_mind(FIRST_CELL * r.error, half_thickness), longest / MIN_CELLS);
    if (def->cell > 0.0f)
    {
        r.cell = (double)def->cell;
        r.error = (double)INFINITY;
    }
    r.cell = rbl_maxd(r.cell, r.smallest);
    return r;
}

static rblResult build_measured(const rblMeshView* view, double cell, const rblAllocator* allocator,
                                rblLevelSet** out)
{
    rblLevelSet* set;
    RBL_TRY(rbl_level_set_build(view, cell, rbl_default_jobs(), allocator, &set));
    const rblResult result = rbl_level_set_measure(set, view, rbl_default_jobs());
    if (result != RBL_OK)
    {
        rbl_level_set_free(set);
        return result;
    }
    *out = set;
    return RBL_OK;
}

// From coarse to fine, until the error is small enough. Each refinement costs a multiple of the one before, so that the
// last one dominates the time.
static rblResult build_refined(const rblMeshView* view, Resolution r, const rblAllocator* allocator,
                               rblLevelSet** out)
{
    rblLevelSet* set = NULL;
    RBL_TRY(build_measured(view, r.cell, allocator, &set));
    while ((double)set->error > r.error && r.cell > r.smallest)
    {
        const double step = rbl_clampd(0.9 * r.error / (double)set->error, FINEST_STEP, COARSEST_STEP);
        r.cell = rbl_maxd(r.cell * step, r.smallest);
        rbl_level_set_free(set);
        RBL_TRY(build_measured(view, r.cell, allocator, &set));
    }
    if ((double)set->error > r.error || set->thin_share > 0.1f)
    {
        rbl_log_message(RBL_LOG_WARNING, "level set: %s at the finest cells allowed",
                        (double)set->error > r.error ? "the wanted error is not reached"
                                                     : "parts are thinner than two cells");
    }
    *out = set;
    return RBL_OK;
}

// ---- shape ----

typedef struct LevelSetShape
{
    const rblLevelSet* set;
    rblLevelSet* own;   // null: the grid belongs to another shape, which is retained through its surface
    rblLevelSetDef def; // without the mesh, which is the surface
} LevelSetShape;

static float distance(const void* data, rblVec3 point, rblVec3* gradient)
{
    return rbl_level_set_distance(((const LevelSetShape*)data)->set, point, gradient);
}

static float bound(const void* data, rblVec3 point)
{
    bool far;
    return rbl_level_set_distance_only(((const LevelSetShape*)data)->set, point, &far);
}

static const rblLevelSet* level_set(const void* data)
{
    return ((const LevelSetShape*)data)->set;
}

static void describe_field(const rblShape* shape, rblField* field)
{
    const rblLevelSet* set = level_set(shape->data);
    field->grid = set;
    field->interpolated = true;
    field->slack = rbl_level_set_slack(set);
    field->grain = 0.75f * set->cell * set->cell;
}

static void free_level_set(void* data, const rblAllocator* allocator)
{
    LevelSetShape* shape = data;
    rbl_level_set_free(shape->own);
    rbl_free(allocator, shape, sizeof *shape);
}

static rblResult put(rblByteSink* sink, const rblShape* shape, const rblSourceNumbers* numbers)
{
    (void)numbers;
    const LevelSetShape* made = shape->data;
    const float sizes[3] = {made->def.error, made->def.cell, made->def.sample_spacing};
    rblMeshView surface;
    rbl_put_floats(sink, sizes, 3);
    rbl_put_u32(sink, made->def.max_cells);
    RBL_TRY(rbl_mesh_view(shape->view.surface, &surface));
    rbl_put_mesh(sink, &surface);
    return RBL_OK;
}

static rblResult take(rblByteSource* source, const rblSourceTables* tables, rblShapeId* out)
{
    (void)tables;
    float sizes[3];
    rblLevelSetDef def = rbl_default_level_set_def();
    rbl_take_floats(source, sizes, 3);
    def.error = sizes[0];
    def.cell = sizes[1];
    def.sample_spacing = sizes[2];
    def.max_cells = rbl_take_u32(source);
    RBL_TRY(rbl_take_mesh(source, rbl_default_allocator(), &def.mesh));
    const rblResult result = rbl_shape_create_level_set(&def, out);
    rbl_mesh_destroy(def.mesh);
    return result;
}

const rblShapeKind rbl_level_set_kind = {.name = "level set",
                                         .code = 7,
                                         .joinable = true,
                                         .fine_samples = true,
                                         .distance = distance,
                                         .bound = bound,
                                         .describe_field = describe_field,
                                         .level_set = level_set,
                                         .put = put,
                                         .take = take,
                                         .free = free_level_set};

static float round_down(double x)
{
    const float f = (float)x;
    return (double)f > x ? f - fabsf(f) * 0x1p-23f : f;
}

static float ball_radius(const rblMeshView* view, rblVec3d center)
{
    double squared = 0.0;
    for (uint32_t i = 0; i < view->corner_count; ++i)
    {
        const rblVec3d d = rbl_sub3d(view->positions[view->corner_vertices[i]], center);
        squared = rbl_maxd(rbl_dot3d(d, d), squared);
    }
    return -round_down(-sqrt(squared));
}

static void fill_view(rblShapeView* out, const rblLevelSet* set, const rblMeshReport* report)
{
    const rblAabbd box = report->bounds;
    const rblVec3d size = rbl_aabbd_size(box);
    out->bounds.lower = rbl_vec3(round_down(box.lower.x), round_down(box.lower.y), round_down(box.lower.z));
    out->bounds.upper =
        rbl_vec3(-round_down(-box.upper.x), -round_down(-box.upper.y), -round_down(-box.upper.z));
    out->inner_radius = set->deepest;
    out->thinnest =
        (float)rbl_mind(rbl_mind(size.x, rbl_mind(size.y, size.z)), 2.0 * report->volume / report->area);
}

static rblResult sample_surface(const rblMeshView* view, float spacing, const rblLevelSet* set,
                                rblSurfacePoints* out)
{
    rblSurfaceSampling sampling = {.spacing = spacing > 0.0f ? (double)spacing : 2.0 * (double)set->cell,
                                   .max_count = MAX_SAMPLES,
                                   .seed = SAMPLE_SEED};
    return rbl_surface_samples(view, &sampling, out);
}

// Takes ownership of `own`, also on failure.
static bool set_data(rblShape* parts, const rblLevelSet* set, rblLevelSet* own, const rblLevelSetDef* def)
{
    LevelSetShape* shape = rbl_alloc(parts->allocator, sizeof *shape);
    if (shape == NULL)
    {
        rbl_level_set_free(own);
        return false;
    }
    *shape = (LevelSetShape){set, own, *def};
    shape->def.mesh = (rblMeshId){0, 0};
    parts->data = shape;
    return true;
}

static rblResult register_set(const rblMeshView* view, const rblLevelSetDef* def, rblShape* parts,
                              const rblLevelSet* set, rblShapeId* out)
{
    rblSurfacePoints samples;
    rbl_array_init(&samples, parts->allocator);
    rblResult result = sample_surface(view, def->sample_spacing, set, &samples);
    if (result == RBL_OK)
    {
        result = rbl_mesh_share(def->mesh, &parts->view.surface);
    }
    if (result == RBL_OK)
    {
        result = rbl_shape_register(parts, sizeof(LevelSetShape) + set->bytes, samples.data,
                                    (uint32_t)samples.count, out);
    }
    else
    {
        free_level_set(parts->data, parts->allocator);
    }
    rbl_array_free(&samples);
    return result;
}

static rblResult create_from(const rblMeshView* view, const rblLevelSetDef* def, rblShapeId* out)
{
    rblShape parts = {.kind = &rbl_level_set_kind, .allocator = rbl_default_allocator()};
    rblMeshReport report;
    rblLevelSet* set = NULL;
    RBL_TRY(rbl_check_solid(view, "level set", &report));
    RBL_TRY(rbl_mass_properties(view, 1.0, parts.allocator, &parts.view.mass));
    RBL_TRY(build_refined(view, first_resolution(def, &report), parts.allocator, &set));
    fill_view(&parts.view, set, &report);
    parts.view.radius = ball_radius(view, parts.view.mass.center);
    return set_data(&parts, set, set, def) ? register_set(view, def, &parts, set, out) : rbl_fail_memory();
}

rblResult rbl_shape_create_level_set(const rblLevelSetDef* given, rblShapeId* out)
{
    rblLevelSetDef def = rbl_default_level_set_def();
    RBL_TRY(rbl_def_read(&level_set_def, given, &def));
    if (out == NULL)
    {
        return rbl_fail(RBL_ERROR_ARGUMENT, "level set: out must not be null");
    }
    RBL_TRY(check_def(&def));
    rblMesh* mesh;
    RBL_TRY(rbl_mesh_acquire(def.mesh, &mesh));
    const rblResult result = create_from(rbl_mesh_get_view(mesh), &def, out);
    rbl_mesh_release(mesh);
    return result;
}

// ---- the same level set with other samples ----

bool rbl_level_set_is_made_by(const rblShape* shape, const rblLevelSetDef* def)
{
    const LevelSetShape* made = shape->kind == &rbl_level_set_kind ? shape->data : NULL;
    return made != NULL && made->def.error == def->error && made->def.cell == def->cell &&
           made->def.max_cells == def->max_cells;
}

// The grid belongs to the original shape, which is retained through its surface.
rblResult rbl_level_set_resample(const rblShape* shape, float spacing, rblShapeId* out)
{
    const rblShape* original = shape->lazy.of != NULL ? shape->lazy.of : shape;
    const LevelSetShape* made = shape->data;
    rblLevelSetDef def = made->def;
    rblShape parts = {.view = shape->view, .kind = shape->kind, .allocator = shape->allocator};
    parts.view.surface = (rblMeshId){0, 0};
    def.sample_spacing = spacing;
    rblMesh* mesh;
    rblSurfacePoints samples;
    RBL_TRY(rbl_mesh_acquire(original->view.surface, &mesh));
    rbl_array_init(&samples, parts.allocator);
    rblResult result = sample_surface(rbl_mesh_get_view(mesh), spacing, made->set, &samples);
    if (result == RBL_OK && !set_data(&parts, made->set, NULL, &def))
    {
        result = rbl_fail_memory();
    }
    if (result == RBL_OK)
    {
        parts.lazy.of = original;
        rbl_shape_retain(original);
        result = rbl_shape_register(&parts, sizeof *made, samples.data, (uint32_t)samples.count, out);
    }
    rbl_array_free(&samples);
    rbl_mesh_release(mesh);
    return result;
}
