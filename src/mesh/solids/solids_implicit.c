// Figures defined by fields, extracted on a grid.
#include "mesh/solids/solids_implicit.h"

#include "base/error.h"
#include "math/vec.h"
#include "mesh/isosurface/isosurface.h"
#include "mesh/normals.h"
#include "rubble/simplify.h"

// Empty cells around the figure, so that the border of the grid does not cut it.
#define MARGIN 2

// Lower end and number of cells along an axis. The grid is centred on the figure to keep its symmetry.
static uint32_t centred_cells(double lower, double upper, double cell, double* out_lower)
{
    const uint32_t half = (uint32_t)ceil(0.5 * (upper - lower) / cell) + MARGIN;
    *out_lower = 0.5 * (lower + upper) - cell * (double)half;
    return 2 * half;
}

static rblIsosurfaceDef lay_grid(const rblSculpture* s)
{
    rblIsosurfaceDef def = rbl_default_isosurface_def();
    def.field = s->field;
    def.context = s->context;
    def.cells[0] = centred_cells(s->bounds.lower.x, s->bounds.upper.x, s->cell, &def.bounds.lower.x);
    def.cells[2] = centred_cells(s->bounds.lower.z, s->bounds.upper.z, s->cell, &def.bounds.lower.z);
    // The ground is in the middle of a layer of cells, where no sample can be exactly on it.
    def.cells[1] = (uint32_t)ceil(s->bounds.upper.y / s->cell) + 2 * MARGIN;
    def.bounds.lower.y = -(MARGIN - 0.5) * s->cell;
    def.bounds.upper =
        rbl_vec3d(def.bounds.lower.x + s->cell * def.cells[0], def.bounds.lower.y + s->cell * def.cells[1],
                  def.bounds.lower.z + s->cell * def.cells[2]);
    return def;
}

// The map from the extracted surface to the figure: the requested size, with the lowest point on the ground.
typedef struct Fit
{
    double scale, ground;
} Fit;

static Fit fit_surface(const rblSculpture* s, const rblMeshView* view)
{
    const rblAabbd bounds = rbl_mesh_bounds(view);
    const double scale = s->height > 0.0 ? s->height / (bounds.upper.y - bounds.lower.y)
                                         : s->length / (bounds.upper.z - bounds.lower.z);
    return (Fit){scale, bounds.lower.y};
}

static void copy_surface(const Fit* fit, const rblMeshView* view, rblMeshBuilder* builder)
{
    for (uint32_t v = 0; v < view->vertex_count; ++v)
    {
        const rblVec3d p = view->positions[v];
        const rblVec3d standing = {p.x, p.y - fit->ground, p.z};
        rbl_mesh_builder_vertex(builder, rbl_scale3d(standing, fit->scale));
    }
    for (uint32_t f = 0; f < view->face_count; ++f)
    {
        rbl_solid_face(builder, view->corner_vertices + view->face_starts[f], rbl_face_size(view, f));
    }
}

// ---- normals: from the field, which is more accurate than the triangles except at creases ----

static rblVec3d field_normal(const rblSculpture* s, rblVec3d p, rblVec3d fallback)
{
    const double h = 0.25 * s->cell;
    const rblVec3d gradient = {
        s->field(rbl_vec3d(p.x + h, p.y, p.z), s->context) -
            s->field(rbl_vec3d(p.x - h, p.y, p.z), s->context),
        s->field(rbl_vec3d(p.x, p.y + h, p.z), s->context) -
            s->field(rbl_vec3d(p.x, p.y - h, p.z), s->context),
        s->field(rbl_vec3d(p.x, p.y, p.z + h), s->context) -
            s->field(rbl_vec3d(p.x, p.y, p.z - h), s->context),
    };
    const rblVec3d normal = rbl_normalize3d(gradient, fallback);
    return rbl_dot3d(normal, fallback) > 0.8 ? normal : fallback;
}

static rblVec3d layer_normal(const float* normals, uint32_t corner)
{
    const float* n = normals + 3 * (size_t)corner;
    return rbl_vec3d((double)n[0], (double)n[1], (double)n[2]);
}

static bool is_zero(rblVec3d a)
{
    return a.x == 0.0 && a.y == 0.0 && a.z == 0.0;
}

// The normal that all corners of a vertex share; NaN where they differ, at a crease.
static void find_shared_normals(const rblMeshBuilder* builder, const float* normals, rblVec3d* shared)
{
    const rblVec3d crease = {(double)NAN, (double)NAN, (double)NAN};
    for (size_t v = 0; v < builder->positions.count; ++v)
    {
        shared[v] = rbl_vec3d(0, 0, 0);
    }
    for (uint32_t c = 0; c < builder->open_corner; ++c)
    {
        rblVec3d* known = &shared[builder->corner_vertices.data[c]];
        const rblVec3d here = layer_normal(normals, c);
        *known = is_zero(*known) || rbl_equal3d(*known, here) ? here : crease;
    }
}

// Where the field normal points away from one of the faces around a vertex, the mean of the face normals is used
// instead.
static void drop_contradicted(const rblMeshBuilder* builder, rblVec3d* shared)
{
    for (uint32_t c = 0, f = 0; c < builder->open_corner; ++c)
    {
        f += f + 1 < builder->face_starts.count && builder->face_starts.data[f + 1] == c ? 1 : 0;
        rblVec3d* normal = &shared[builder->corner_vertices.data[c]];
        const rblVec3d face = rbl_solid_face_normal(builder, f);
        if (!(rbl_dot3d(*normal, face) > 0.2 * rbl_length3d(face)))
        {
            normal->x = (double)NAN;
        }
    }
}

static void write_normals(const rblMeshBuilder* builder, const rblVec3d* shared, float* normals)
{
    for (uint32_t c = 0; c < builder->open_corner; ++c)
    {
        const rblVec3d normal = shared[builder->corner_vertices.data[c]];
        if (rbl_finite3d(normal))
        {
            normals[3 * (size_t)c] = (float)normal.x;
            normals[3 * (size_t)c + 1] = (float)normal.y;
            normals[3 * (size_t)c + 2] = (float)normal.z;
        }
    }
}

static void refine_normals(const rblSculpture* s, const Fit* fit, rblMeshBuilder* builder)
{
    rblVec3d* shared = RBL_NEW_ARRAY(builder->allocator, rblVec3d, builder->positions.count);
    if (shared == NULL)
    {
        builder->failed = true;
        return;
    }
    float* normals = builder->layers.data[builder->layers.count - 1].data.data;
    find_shared_normals(builder, normals, shared);
    for (size_t v = 0; v < builder->positions.count; ++v)
    {
        const rblVec3d p = rbl_scale3d(builder->positions.data[v], 1.0 / fit->scale);
        const bool smooth = rbl_finite3d(shared[v]);
        shared[v] = smooth ? field_normal(s, rbl_vec3d(p.x, p.y + fit->ground, p.z), shared[v]) : shared[v];
    }
    drop_contradicted(builder, shared);
    write_normals(builder, shared, normals);
    RBL_FREE_ARRAY(builder->allocator, shared, builder->positions.count);
}

static rblResult finish_surface(const rblSculpture* s, const rblMeshView* view, const rblAllocator* allocator,
                                rblMesh** out)
{
    const Fit fit = fit_surface(s, view);
    rblMeshBuilder builder;
    rbl_mesh_builder_init(&builder, allocator);
    copy_surface(&fit, view, &builder);
    rbl_solid_box_uvs(&builder);
    const rblResult result = rbl_mesh_builder_add_normals(&builder, s->crease_angle);
    if (result != RBL_OK)
    {
        rbl_mesh_builder_discard(&builder);
        return result;
    }
    refine_normals(s, &fit, &builder);
    return rbl_mesh_builder_finish(&builder, out);
}

// Fewer triangles on smooth parts, as many as before where there is detail. Takes ownership of `surface`.
static rblResult simplify_surface(uint32_t triangles, rblMesh* surface, rblMeshId* out)
{
    rblSimplifyOptions options = rbl_default_simplify_options();
    options.target_triangles = triangles;
    rblMeshId fine;
    RBL_TRY(rbl_mesh_register(surface, &fine));
    const rblResult result = rbl_mesh_simplify(fine, &options, out, NULL);
    (void)rbl_mesh_destroy(fine);
    return result;
}

rblResult rbl_check_sculpture_triangles(const rblSolidInput* input)
{
    const uint32_t triangles = rbl_solid_count(input, "triangles");
    return triangles == 0 || triangles >= 3000
               ? RBL_OK
               : rbl_solid_refuse(input, "triangles must be 0 or at least 3000");
}

rblResult rbl_make_sculpture(const rblSculpture* sculpture, const rblAllocator* allocator, rblMesh** out)
{
    const rblIsosurfaceDef def = lay_grid(sculpture);
    rblMesh* surface;
    RBL_TRY(rbl_isosurface(&def, allocator, &surface));
    if (sculpture->triangles == 0)
    {
        const rblResult result = finish_surface(sculpture, rbl_mesh_get_view(surface), allocator, out);
        rbl_mesh_free(surface);
        return result;
    }
    rblMeshId simple;
    rblMeshView view;
    RBL_TRY(simplify_surface(sculpture->triangles, surface, &simple));
    rblResult result = rbl_mesh_view(simple, &view);
    if (result == RBL_OK)
    {
        result = finish_surface(sculpture, &view, allocator, out);
    }
    (void)rbl_mesh_destroy(simple);
    return result;
}
