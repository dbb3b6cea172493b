// Ways to group the faces of the working copy.
#include "base/error.h"
#include "mesh/repair/repair.h"
#include <string.h>

// Give all faces that `seed` reaches across edges of at most `limit` faces a label.
static void spread(const rblRepair* r, const rblRepairEdges* edges, uint32_t limit, uint32_t seed,
                   uint32_t label, uint32_t* labels, uint32_t* stack, uint8_t* walked)
{
    uint32_t count = 0;
    stack[count++] = seed;
    labels[seed] = label;
    while (count > 0)
    {
        const rblRepairFace* face = &r->faces.data[stack[--count]];
        for (uint32_t c = face->begin; c < face->begin + face->size; ++c)
        {
            const uint32_t e = edges->of_corner[c];
            if (walked[e] || rbl_repair_edge_size(edges, e) > limit)
            {
                continue;
            }
            walked[e] = 1; // each edge is visited once, for any number of faces
            for (uint32_t i = edges->starts[e]; i < edges->starts[e + 1]; ++i)
            {
                const uint32_t other = r->corners.data[edges->corners[i]].face;
                if (labels[other] == RBL_NONE)
                {
                    labels[other] = label;
                    stack[count++] = other;
                }
            }
        }
    }
}

static rblResult label_faces(rblRepair* r, const rblRepairEdges* edges, uint32_t limit, uint32_t* labels,
                             uint32_t* count)
{
    uint32_t* stack = RBL_SCRATCH(r, uint32_t, r->faces.count);
    uint8_t* walked = RBL_SCRATCH(r, uint8_t, edges->count);
    if (stack == NULL || walked == NULL)
    {
        return rbl_fail_memory();
    }
    memset(labels, 0xFF, sizeof *labels * r->faces.count);
    memset(walked, 0, edges->count);
    *count = 0;
    for (uint32_t f = 0; f < r->faces.count; ++f)
    {
        if (labels[f] == RBL_NONE && r->faces.data[f].size > 0)
        {
            spread(r, edges, limit, f, (*count)++, labels, stack, walked);
        }
    }
    return RBL_OK;
}

rblResult rbl_repair_piles(rblRepair* r, const rblRepairEdges* edges, uint32_t* labels, uint32_t* count)
{
    return label_faces(r, edges, UINT32_MAX, labels, count);
}

rblResult rbl_repair_patches(rblRepair* r, const rblRepairEdges* edges, rblRepairPatches* out)
{
    rblRepairPatches patches = {.labels = RBL_SCRATCH(r, uint32_t, r->faces.count),
                                .faces = RBL_SCRATCH(r, uint32_t, r->faces.count)};
    if (patches.labels == NULL || patches.faces == NULL)
    {
        return rbl_fail_memory();
    }
    RBL_TRY(label_faces(r, edges, 2, patches.labels, &patches.count));
    patches.starts = RBL_SCRATCH(r, uint32_t, patches.count + 1);
    if (patches.starts == NULL)
    {
        return rbl_fail_memory();
    }
    memset(patches.starts, 0, sizeof *patches.starts * ((size_t)patches.count + 2));
    for (size_t f = 0; f < r->faces.count; ++f)
    {
        patches.starts[patches.labels[f] + 2] += 1;
    }
    for (uint32_t p = 2; p < patches.count + 2; ++p)
    {
        patches.starts[p] += patches.starts[p - 1];
    }
    for (uint32_t f = 0; f < r->faces.count; ++f)
    {
        patches.faces[patches.starts[patches.labels[f] + 1]++] = f;
    }
    *out = patches;
    return RBL_OK;
}

rblResult rbl_repair_view(rblRepair* r, rblMeshView* out)
{
    uint32_t* starts = RBL_SCRATCH(r, uint32_t, r->faces.count);
    uint32_t* vertices = RBL_SCRATCH(r, uint32_t, r->corners.count);
    if (starts == NULL || vertices == NULL)
    {
        return rbl_fail_memory();
    }
    for (size_t f = 0; f < r->faces.count; ++f)
    {
        starts[f] = r->faces.data[f].begin;
    }
    starts[r->faces.count] = (uint32_t)r->corners.count;
    for (size_t c = 0; c < r->corners.count; ++c)
    {
        vertices[c] = r->corners.data[c].vertex;
    }
    *out = (rblMeshView){
        .vertex_count = (uint32_t)r->positions.count,
        .face_count = (uint32_t)r->faces.count,
        .corner_count = (uint32_t)r->corners.count,
        .positions = r->positions.data,
        .face_starts = starts,
        .corner_vertices = vertices,
    };
    return RBL_OK;
}
