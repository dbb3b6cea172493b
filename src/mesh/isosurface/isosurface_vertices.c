// One vertex for every patch. Surface nets place it at the mean of the crossings of the patch (Gibson 1998), dual
// contouring at the point where the tangent planes at the crossings meet (isosurface_feature.c).
#include "base/error.h"
#include "mesh/isosurface/isosurface_private.h"

// The crossing on any edge of a cell.
static const rblIsoCrossing* edge_crossing(const rblIsosurface* iso, const rblIsoCell* cell, uint32_t edge)
{
    uint32_t place[3];
    rbl_iso_cell_place(cell, place);
    const uint32_t corner = rbl_iso_edge_corner(edge);
    const uint32_t owner = rbl_iso_find_cell(iso, place[0] + (corner & 1), place[1] + (corner >> 1 & 1),
                                             place[2] + (corner >> 2));
    return &iso->crossings[rbl_iso_owned_crossing(&iso->cells[owner], edge / 4)];
}

void rbl_iso_gather_patches(const rblIsosurface* iso, const rblIsoCell* cell, rblIsoPatch patches[4])
{
    for (uint32_t i = 0; i < cell->patch_count; ++i)
    {
        patches[i].count = 0;
    }
    for (uint32_t edge = 0; edge < 12; ++edge)
    {
        if (!rbl_iso_crosses(cell->inside, edge))
        {
            continue;
        }
        const rblIsoCrossing* crossing = edge_crossing(iso, cell, edge);
        const uint32_t corner = rbl_iso_edge_corner(edge);
        rblIsoPatch* patch = &patches[rbl_iso_edge_patch(cell, edge)];
        patch->points[patch->count] =
            rbl_lerp3d(rbl_iso_corner_offset(iso, corner),
                       rbl_iso_corner_offset(iso, corner | 1u << edge / 4), crossing->t);
        patch->normals[patch->count] = crossing->normal;
        patch->count += 1;
    }
    for (uint32_t i = 0; i < cell->patch_count; ++i)
    {
        rblVec3d sum = {0, 0, 0};
        for (uint32_t k = 0; k < patches[i].count; ++k)
        {
            sum = rbl_add3d(sum, patches[i].points[k]);
        }
        patches[i].mean = rbl_scale3d(sum, 1.0 / patches[i].count);
    }
}

rblVec3d rbl_iso_keep_inside(const rblIsosurface* iso, const uint32_t place[3], rblVec3d point)
{
    const rblVec3d corner = rbl_iso_node(iso, place[0], place[1], place[2]);
    const rblVec3d lower = rbl_mul_add3d(corner, RBL_ISO_INSET, iso->step);
    const rblVec3d upper = rbl_mul_add3d(corner, 1.0 - RBL_ISO_INSET, iso->step);
    return rbl_max3d(lower, rbl_min3d(upper, point));
}

static void place_cell(const rblIsosurface* iso, rblIsoCell* cell)
{
    rblIsoPatch patches[4];
    rbl_iso_gather_patches(iso, cell, patches);
    uint32_t place[3];
    rbl_iso_cell_place(cell, place);
    const rblVec3d corner = rbl_iso_node(iso, place[0], place[1], place[2]);
    for (uint32_t k = 0; k < cell->patch_count; ++k)
    {
        rblVec3d x = patches[k].mean;
        if (iso->def->method == RBL_DUAL_CONTOURING && cell->patch_count == 1)
        {
            const rblIsoFeature feature = rbl_iso_fit_feature(&patches[k]);
            x = rbl_iso_feature_in_box(&feature, rbl_iso_cell_box(iso));
            cell->rank = (uint8_t)feature.rank;
        }
        const rblVec3d point = rbl_mul_add3d(corner, rbl_iso_unit(iso), x);
        iso->vertices[cell->first_vertex + k] = rbl_iso_keep_inside(iso, place, point);
    }
}

static void place_block(rblRange range, void* context)
{
    const rblIsosurface* iso = context;
    for (uint32_t i = range.begin; i < range.end; ++i)
    {
        place_cell(iso, &iso->cells[i]);
    }
}

rblResult rbl_iso_place_vertices(rblIsosurface* iso)
{
    iso->vertices = RBL_NEW_ARRAY(iso->allocator, rblVec3d, iso->vertex_count);
    if (iso->vertices == NULL)
    {
        return rbl_fail_memory();
    }
    rbl_parallel_for(rbl_default_jobs(), iso->cell_count, 256, place_block, iso);
    return RBL_OK;
}
