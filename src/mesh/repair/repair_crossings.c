// Small regions where a surface intersects itself: the faces there, and rings of neighbours around them, are removed
// and the holes are filled (after Attene 2010, section 4). This is done only for a surface that has no other defect,
// when it intersects itself and not another component, and when the removed part is small and the volume changes
// little.
#include "base/error.h"
#include "math/vec.h"
#include "mesh/repair/repair.h"
#include "mesh/self_intersection.h"
#include "mesh/topology.h"
#include <string.h>

// Rings of neighbours that each attempt removes together with the intersecting faces.
static const uint32_t ring_counts[] = {1, 2, 4};

#define LARGEST_CUT    0.1  // largest removed part, as a fraction of the area
#define LARGEST_CHANGE 0.01 // largest change, as a fraction of the volume

typedef struct Crossings
{
    const rblRepair* r; // the repair that made `mesh`
    const rblMeshView* mesh;
    rblTopology topology;
    rblIntersectionArray pairs;
    uint8_t* marks; // per face: remove it
} Crossings;

// Find the intersecting pairs; *local tells whether they are few and each within one component.
static rblResult find_pairs(Crossings* crossings, bool* local)
{
    const rblMeshView* mesh = crossings->mesh;
    uint32_t* labels = RBL_NEW_ARRAY(crossings->r->allocator, uint32_t, mesh->face_count);
    uint32_t count;
    rblResult result = labels != NULL ? RBL_OK : rbl_fail_memory();
    result = result == RBL_OK ? rbl_face_components(&crossings->topology, labels, &count) : result;
    result = result == RBL_OK ? rbl_self_intersections(mesh, NULL, &crossings->pairs) : result;
    *local = crossings->pairs.count <= mesh->face_count / 10;
    for (size_t i = 0; i < crossings->pairs.count && *local && result == RBL_OK; ++i)
    {
        const uint32_t* faces = crossings->pairs.data[i].faces;
        *local = labels[faces[0]] == labels[faces[1]];
    }
    RBL_FREE_ARRAY(crossings->r->allocator, labels, mesh->face_count);
    return result;
}

// Mark the neighbours of marked faces too, including those that share only a vertex.
static void grow_marks(Crossings* crossings, uint8_t* vertex_marks)
{
    const rblMeshView* mesh = crossings->mesh;
    memset(vertex_marks, 0, mesh->vertex_count);
    for (uint32_t c = 0; c < mesh->corner_count; ++c)
    {
        vertex_marks[mesh->corner_vertices[c]] |= crossings->marks[crossings->topology.corner_faces[c]];
    }
    for (uint32_t c = 0; c < mesh->corner_count; ++c)
    {
        crossings->marks[crossings->topology.corner_faces[c]] |= vertex_marks[mesh->corner_vertices[c]];
    }
}

static rblResult mark_faces(Crossings* crossings, uint32_t rings)
{
    const rblMeshView* mesh = crossings->mesh;
    uint8_t* vertex_marks = RBL_NEW_ARRAY(crossings->r->allocator, uint8_t, mesh->vertex_count);
    if (vertex_marks == NULL)
    {
        return rbl_fail_memory();
    }
    memset(crossings->marks, 0, mesh->face_count);
    for (size_t i = 0; i < crossings->pairs.count; ++i)
    {
        crossings->marks[crossings->pairs.data[i].faces[0]] = 1;
        crossings->marks[crossings->pairs.data[i].faces[1]] = 1;
    }
    for (uint32_t i = 0; i < rings; ++i)
    {
        grow_marks(crossings, vertex_marks);
    }
    RBL_FREE_ARRAY(crossings->r->allocator, vertex_marks, mesh->vertex_count);
    return RBL_OK;
}

// Remove the marked faces; false when that is too much of the surface.
static bool cut_out(const Crossings* crossings, rblRepair* second)
{
    double all = 0;
    double cut = 0;
    for (uint32_t f = 0; f < crossings->mesh->face_count; ++f)
    {
        const double area = rbl_length3d(rbl_face_normal_area2(crossings->mesh, f));
        all += area;
        cut += crossings->marks[f] ? area : 0;
        second->report->cut_crossings += crossings->marks[f];
        second->faces.data[f].size = crossings->marks[f] ? 0 : second->faces.data[f].size;
    }
    return cut <= LARGEST_CUT * all;
}

// Remove, repair and check. *out stays null when the result is not better.
static rblResult try_cut(const Crossings* crossings, rblRepair* second, rblMesh** out)
{
    const double volume = crossings->r->report->after.volume;
    if (!cut_out(crossings, second))
    {
        return RBL_OK;
    }
    RBL_TRY(rbl_repair_mend(second));
    if (second->faces.count == 0)
    {
        return RBL_OK;
    }
    rblMesh* mesh;
    RBL_TRY(rbl_repair_build(second, &mesh));
    const rblResult result =
        rbl_repair_inspect(rbl_mesh_get_view(mesh), second->allocator, &second->report->after);
    if (result == RBL_OK)
    {
        rbl_repair_judge(second);
    }
    const bool better = result == RBL_OK && second->report->solid &&
                        fabs(second->report->after.volume - volume) <= LARGEST_CHANGE * fabs(volume);
    if (better)
    {
        *out = mesh;
    }
    else
    {
        rbl_mesh_free(mesh);
    }
    return result;
}

static rblResult try_rings(Crossings* crossings, rblRepairReport* report, rblMesh** out)
{
    const size_t attempts = sizeof ring_counts / sizeof *ring_counts;
    for (size_t i = 0; i < attempts && *out == NULL; ++i)
    {
        rblRepair second;
        *report = (rblRepairReport){.solid = false};
        RBL_TRY(mark_faces(crossings, ring_counts[i]));
        RBL_TRY(rbl_repair_init(&second, crossings->mesh, &crossings->r->options, crossings->r->allocator,
                                report));
        const rblResult result = try_cut(crossings, &second, out);
        rbl_repair_free(&second);
        RBL_TRY(result);
    }
    return RBL_OK;
}

rblResult rbl_repair_cut_crossings(const rblRepair* r, const rblMeshView* mesh, rblRepairReport* report,
                                   rblMesh** out)
{
    *out = NULL;
    Crossings crossings = {.r = r, .mesh = mesh};
    rbl_array_init(&crossings.pairs, r->allocator);
    RBL_TRY(rbl_topology_init(&crossings.topology, mesh, r->allocator));
    crossings.marks = RBL_NEW_ARRAY(r->allocator, uint8_t, mesh->face_count);
    bool local = false;
    rblResult result = crossings.marks != NULL ? find_pairs(&crossings, &local) : rbl_fail_memory();
    if (result == RBL_OK && local)
    {
        result = try_rings(&crossings, report, out);
    }
    RBL_FREE_ARRAY(r->allocator, crossings.marks, mesh->face_count);
    rbl_topology_free(&crossings.topology);
    rbl_array_free(&crossings.pairs);
    return result;
}
