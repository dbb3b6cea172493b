// Figures sculpted as fields, extracted on a grid.
#include "mesh/solids_implicit.h"

#include "base/error.h"
#include "math/vec.h"
#include "mesh/isosurface.h"
#include "rubble/simplify.h"

// Cells of free space around the figure: the grid must not cut it off.
#define MARGIN 2

// Lower end and cell count along an axis whose grid is centred on the figure, so that symmetry survives.
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
    // The ground lies in the middle of a layer of cells, where no sample can fall on it.
    def.cells[1] = (uint32_t)ceil(s->bounds.upper.y / s->cell) + 2 * MARGIN;
    def.bounds.lower.y = -(MARGIN - 0.5) * s->cell;
    def.bounds.upper =
        rbl_vec3d(def.bounds.lower.x + s->cell * def.cells[0], def.bounds.lower.y + s->cell * def.cells[1],
                  def.bounds.lower.z + s->cell * def.cells[2]);
    return def;
}

// Scale and shift that give the surface the size asked for and put it on the ground.
static double fit_scale(const rblSculpture* s, const rblAabbd* bounds)
{
    return s->height > 0.0 ? s->height / (bounds->upper.y - bounds->lower.y)
                           : s->length / (bounds->upper.z - bounds->lower.z);
}

static void copy_surface(const rblSculpture* s, const rblMeshView* view, rblMeshBuilder* builder)
{
    const rblAabbd bounds = rbl_mesh_bounds(view);
    const double scale = fit_scale(s, &bounds);
    for (uint32_t v = 0; v < view->vertex_count; ++v)
    {
        const rblVec3d p = view->positions[v];
        rbl_mesh_builder_vertex(builder, rbl_vec3d(scale * p.x, scale * (p.y - bounds.lower.y), scale * p.z));
    }
    for (uint32_t f = 0; f < view->face_count; ++f)
    {
        rbl_solid_face(builder, view->corner_vertices + view->face_starts[f], rbl_face_size(view, f));
    }
}

static rblResult finish_surface(const rblSculpture* s, const rblMeshView* view, const rblAllocator* allocator,
                                rblMesh** out)
{
    rblMeshBuilder builder;
    rbl_mesh_builder_init(&builder, allocator);
    copy_surface(s, view, &builder);
    rbl_solid_box_uvs(&builder);
    return rbl_solid_finish(&builder, s->crease_angle, out);
}

// Fewer triangles on plain parts, as many as before where there is detail. Takes over `surface`.
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
