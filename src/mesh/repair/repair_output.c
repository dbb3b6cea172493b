// From the working copy of mesh repair to a finished mesh.
#include "base/error.h"
#include "math/vec.h"
#include "mesh/repair/repair.h"
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

// The cosine between a stored normal and the normal of its face; 1 when the layer has no normals.
static double normal_cosine(const rblMeshBuilder* builder, uint32_t layer, uint32_t corner, rblVec3d unit)
{
    const rblBuilderLayer* normals = &builder->layers.data[layer];
    if (normals->kind != RBL_LAYER_NORMAL)
    {
        return 1;
    }
    const float* n = normals->data.data + (size_t)corner * 3;
    return (double)n[0] * unit.x + (double)n[1] * unit.y + (double)n[2] * unit.z;
}

void rbl_repair_adjust_normals(rblMeshBuilder* builder, uint32_t corner, rblVec3d unit)
{
    const rblVec3 own = rbl_to_float3(unit);
    for (uint32_t k = 0; k < builder->layers.count && !builder->failed; ++k)
    {
        if (normal_cosine(builder, k, corner, unit) < 0.5)
        {
            rbl_mesh_builder_set(builder, k, corner, (const float[3]){own.x, own.y, own.z});
        }
    }
}

// The stored normals of a flipped face: those that point to the back are flipped too.
static void turn_normals(rblMeshBuilder* builder, uint32_t corner, rblVec3d unit)
{
    for (uint32_t k = 0; k < builder->layers.count && !builder->failed; ++k)
    {
        if (normal_cosine(builder, k, corner, unit) < 0)
        {
            const float* n = builder->layers.data[k].data.data + (size_t)corner * 3;
            rbl_mesh_builder_set(builder, k, corner, (const float[3]){-n[0], -n[1], -n[2]});
        }
    }
}

static void mend_normals(const rblRepair* r, rblMeshBuilder* builder, uint32_t f, uint32_t first_corner)
{
    const rblRepairFace* face = &r->faces.data[f];
    const rblVec3d unit = rbl_normalize3d(rbl_repair_normal_area2(r, f), (rblVec3d){0, 0, 0});
    for (uint32_t i = 0; i < face->size; ++i)
    {
        if (face->hole != RBL_NONE)
        {
            rbl_repair_adjust_normals(builder, first_corner + i, unit);
        }
        else if (face->flipped)
        {
            turn_normals(builder, first_corner + i, unit);
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
    mend_normals(r, builder, f, first_corner);
    rbl_mesh_builder_face(builder, r->source->face_materials[face->source],
                          r->source->face_groups[face->source],
                          face->hole == RBL_NONE ? r->source->face_origins[face->source] : RBL_NONE);
}

// Number the vertices that faces use, in their original order, and add them.
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
