// Dual contouring of Hermite data (Ju, Losasso, Schaefer and Warren 2002) on a uniform grid, with one vertex per
// patch of surface in a cell (Nielson 2004, "Dual marching cubes"; Schaefer, Ju and Warren 2007, "Manifold dual
// contouring"), so that the result is closed and manifold for every field. docs/isosurface.md describes it in full.
#include "mesh/isosurface/isosurface.h"

#include "base/def.h"
#include "base/error.h"
#include "mesh/isosurface/isosurface_private.h"

RBL_DEF_KIND(isosurface_def, rblIsosurfaceDef, "isosurface", rbl_default_isosurface_def, 0x69736F31u);

void rbl_isosurface_def_init(rblIsosurfaceDef* def, size_t size)
{
    const rblIsosurfaceDef defaults = {
        .bounds = {{-1, -1, -1}, {1, 1, 1}},
        .cells = {64, 64, 64},
        .method = RBL_DUAL_CONTOURING,
    };
    rbl_def_init(&isosurface_def, &defaults, def, size);
}

// Check one axis of the grid. Cells must be so large that positions inside them that are RBL_ISO_INSET apart are
// different numbers: a cell of 2^-32 of the coordinates leaves about a hundred units in the last place.
static rblResult check_axis(double lower, double upper, uint32_t cells, char axis)
{
    if (!rbl_finite(lower) || !rbl_finite(upper) || !(lower < upper) || !rbl_finite(upper - lower))
    {
        return rbl_fail(RBL_ERROR_ARGUMENT, "isosurface: the bounds along %c must be finite and increase",
                        axis);
    }
    if (cells < 2 || cells > RBL_ISO_MAX_CELLS)
    {
        return rbl_fail(RBL_ERROR_ARGUMENT, "isosurface: %u cells along %c, must be 2 to %d", cells, axis,
                        RBL_ISO_MAX_CELLS);
    }
    if ((upper - lower) / cells < rbl_maxd(fabs(lower), fabs(upper)) / 4294967296.0)
    {
        return rbl_fail(RBL_ERROR_ARGUMENT,
                        "isosurface: the cells along %c are too small for their distance from the origin",
                        axis);
    }
    return RBL_OK;
}

static rblResult check_def(const rblIsosurfaceDef* def)
{
    if (def->field == NULL)
    {
        return rbl_fail(RBL_ERROR_ARGUMENT, "isosurface: field must not be null");
    }
    if (def->method != RBL_DUAL_CONTOURING && def->method != RBL_SURFACE_NETS)
    {
        return rbl_fail(RBL_ERROR_ARGUMENT, "isosurface: method is %d, must be 0 or 1", (int)def->method);
    }
    if (!rbl_finite(def->level))
    {
        return rbl_fail(RBL_ERROR_ARGUMENT, "isosurface: level is %g, must be finite", def->level);
    }
    RBL_TRY(check_axis(def->bounds.lower.x, def->bounds.upper.x, def->cells[0], 'x'));
    RBL_TRY(check_axis(def->bounds.lower.y, def->bounds.upper.y, def->cells[1], 'y'));
    return check_axis(def->bounds.lower.z, def->bounds.upper.z, def->cells[2], 'z');
}

static rblResult extract(rblIsosurface* iso, rblMesh** out)
{
    RBL_TRY(rbl_iso_sample(iso));
    RBL_TRY(rbl_iso_find_cells(iso));
    RBL_TRY(rbl_iso_find_patches(iso));
    RBL_TRY(rbl_iso_find_crossings(iso));
    RBL_TRY(rbl_iso_place_vertices(iso));
    if (iso->def->method == RBL_DUAL_CONTOURING)
    {
        RBL_TRY(rbl_iso_sharpen(iso));
        rbl_iso_untangle(iso);
        RBL_TRY(rbl_iso_reach_tips(iso));
    }
    return rbl_iso_make_faces(iso, out);
}

static void free_all(rblIsosurface* iso)
{
    const size_t nodes_y = (size_t)iso->def->cells[1] + 1;
    const size_t nodes_z = (size_t)iso->def->cells[2] + 1;
    RBL_FREE_ARRAY(iso->allocator, iso->inside, iso->row_words * nodes_y * nodes_z);
    RBL_FREE_ARRAY(iso->allocator, iso->row_starts, (size_t)rbl_iso_row_count(iso) + 1);
    RBL_FREE_ARRAY(iso->allocator, iso->cells, iso->cell_count);
    RBL_FREE_ARRAY(iso->allocator, iso->crossings, iso->crossing_count);
    RBL_FREE_ARRAY(iso->allocator, iso->vertices, iso->vertex_count);
    RBL_FREE_ARRAY(iso->allocator, iso->sharp, iso->sharp_count);
}

rblResult rbl_isosurface(const rblIsosurfaceDef* def, const rblAllocator* allocator, rblMesh** out)
{
    RBL_TRY(check_def(def));
    const rblVec3d size = rbl_sub3d(def->bounds.upper, def->bounds.lower);
    rblIsosurface iso = {
        .def = def,
        .allocator = allocator,
        .step = {size.x / def->cells[0], size.y / def->cells[1], size.z / def->cells[2]},
    };
    const rblResult result = extract(&iso, out);
    free_all(&iso);
    return result;
}

rblResult rbl_mesh_isosurface(const rblIsosurfaceDef* given, rblMeshId* out)
{
    rblIsosurfaceDef def = rbl_default_isosurface_def();
    RBL_TRY(rbl_def_read(&isosurface_def, given, &def));
    if (out == NULL)
    {
        return rbl_fail(RBL_ERROR_ARGUMENT, "isosurface: out must not be null");
    }
    rblMesh* mesh;
    RBL_TRY(rbl_isosurface(&def, rbl_default_allocator(), &mesh));
    return rbl_mesh_register(mesh, out);
}
