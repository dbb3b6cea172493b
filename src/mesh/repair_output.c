// From the working copy of mesh repair to a finished mesh.
#include "base/error.h"
#include "math/vec.h"
#include "mesh/repair.h"
#include <string.h>

static void add_corner(rblRepair* r, rblMeshBuilder* builder, uint32_t vertex, uint32_t source,
                       rblIndexArray* corners, rblDoubleArray* weights)
{
    if (source < r->source->corner_count)
    {
        rbl_mesh_builder_corner_copy(builder, vertex, r->source, source);
        return;
    }
    const uint32_t blend = source - r->source->corner_count;
    rbl_array_clear(corners);
    rbl_array_clear(weights);
    for (uint32_t i = r->blend_starts.data[blend]; i < r->blend_starts.data[blend + 1]; ++i)
    {
        const rblBlendTerm term = r->blend_terms.data[i];
        if (!rbl_array_push(corners, term.corner) || !rbl_array_push(weights, term.weight))
        {
            builder->failed = true;
            return;
        }
    }
    rbl_mesh_builder_corner_blend(builder, vertex, r->source, corners->data, weights->data,
                                  (uint32_t)corners->count);
}

// The stored normals of a face that was turned over or is new must look the way it does: one that looks back
// is turned too, and one that a new face took over from around a sharp rim (more than 60 degrees off) is
// replaced.
static void mend_normals(rblRepair* r, rblMeshBuilder* builder, const rblRepairFace* face, rblVec3d unit,
                         uint32_t first_corner)
{
    for (uint32_t k = 0; k < r->source->layer_count; ++k)
    {
        for (uint32_t i = 0;
             r->source->layers[k].kind == RBL_LAYER_NORMAL && i < face->size && !builder->failed; ++i)
        {
            const uint32_t corner = first_corner + i;
            const float* stored = builder->layers.data[k].data.data + (size_t)corner * 3;
            const double along =
                (double)stored[0] * unit.x + (double)stored[1] * unit.y + (double)stored[2] * unit.z;
            if (face->hole != RBL_NONE && along < 0.5)
            {
                const rblVec3 own = rbl_to_float3(unit);
                rbl_mesh_builder_set(builder, k, corner, (const float[3]){own.x, own.y, own.z});
            }
            else if (along < 0)
            {
                rbl_mesh_builder_set(builder, k, corner,
                                     (const float[3]){-stored[0], -stored[1], -stored[2]});
            }
        }
    }
}

static void add_face(rblRepair* r, rblMeshBuilder* builder, uint32_t f, const uint32_t* numbers,
                     rblIndexArray* corners, rblDoubleArray* weights)
{
    const rblRepairFace* face = &r->faces.data[f];
    const uint32_t first_corner = (uint32_t)builder->corner_vertices.count;
    for (uint32_t i = 0; i < face->size; ++i)
    {
        const rblRepairCorner* corner = &r->corners.data[face->begin + i];
        add_corner(r, builder, numbers[corner->vertex], corner->source, corners, weights);
    }
    if (face->flipped || face->hole != RBL_NONE)
    {
        const rblVec3d unit = rbl_normalize3d(rbl_repair_normal_area2(r, f), (rblVec3d){0, 0, 0});
        mend_normals(r, builder, face, unit, first_corner);
    }
    rbl_mesh_builder_face(builder, r->source->face_materials[face->source],
                          r->source->face_groups[face->source],
                          face->hole == RBL_NONE ? r->source->face_origins[face->source] : RBL_NONE);
}

// Number the vertices that faces use, in their order, and add them.
static void add_vertices(rblRepair* r, rblMeshBuilder* builder, uint32_t* numbers)
{
    memset(numbers, 0xFF, sizeof *numbers * r->positions.count);
    for (size_t f = 0; f < r->faces.count; ++f)
    {
        const rblRepairFace* face = &r->faces.data[f];
        for (uint32_t c = face->begin; c < face->begin + face->size; ++c)
        {
            numbers[rbl_repair_vertex(r, c)] = 0;
        }
    }
    for (size_t v = 0; v < r->positions.count; ++v)
    {
        if (numbers[v] != RBL_NONE)
        {
            numbers[v] = rbl_mesh_builder_vertex(builder, r->positions.data[v]);
        }
        else
        {
            r->report->dropped_vertices += v < r->source->vertex_count && !r->welded[v];
        }
    }
}

rblResult rbl_repair_build(rblRepair* r, rblMesh** out)
{
    uint32_t* numbers = RBL_SCRATCH(r, uint32_t, r->positions.count);
    if (numbers == NULL)
    {
        return rbl_fail_memory();
    }
    rblIndexArray corners;
    rblDoubleArray weights;
    rbl_array_init(&corners, r->allocator);
    rbl_array_init(&weights, r->allocator);
    rblMeshBuilder builder;
    rbl_mesh_builder_init(&builder, r->allocator);
    rbl_mesh_builder_like(&builder, r->source);
    rbl_mesh_builder_reserve(&builder, r->positions.count, r->faces.count, r->corners.count);
    r->report->dropped_vertices = 0;
    add_vertices(r, &builder, numbers);
    for (uint32_t f = 0; f < r->faces.count && !builder.failed; ++f)
    {
        if (r->faces.data[f].size > 0)
        {
            add_face(r, &builder, f, numbers, &corners, &weights);
        }
    }
    rbl_array_free(&corners);
    rbl_array_free(&weights);
    return rbl_mesh_builder_finish(&builder, out);
}
