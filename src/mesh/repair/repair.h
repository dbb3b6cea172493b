// Mesh repair: one working copy of the mesh and the passes over it, in the order in which repair.c runs them.
//
// The working copy has faces as ranges of corners. Each corner knows the source corner of its attributes, so that every
// pass can cut, remove, flip and add faces and the attributes stay correct.
#ifndef RBL_MESH_REPAIR_REPAIR_H
#define RBL_MESH_REPAIR_REPAIR_H

#include "base/arena.h"
#include "mesh/mesh.h"
#include "rubble/repair.h"

typedef struct rblRepairCorner
{
    uint32_t vertex;
    uint32_t source; // a corner of the source mesh, or source->corner_count + the index of a blend
    uint32_t face;
    uint32_t twin; // the corner of the other half-edge, or RBL_NONE; filled by rbl_repair_pair_edges()
} rblRepairCorner;

typedef struct rblRepairFace
{
    uint32_t begin;  // first corner
    uint32_t size;   // 0: the face was removed
    uint32_t source; // the face of the source mesh that gives material, group and origin
    uint32_t hole;   // the hole it fills (its origin is RBL_NONE then), or RBL_NONE
    bool flipped;    // orientation opposite to its source
} rblRepairFace;

// Attributes of a corner that does not exist in the source mesh: a weighted sum of those of several source corners.
typedef struct rblBlendTerm
{
    uint32_t corner; // of the source mesh
    double weight;
} rblBlendTerm;

// Boundary loops that stay open, for the message.
typedef struct rblOpenLoops
{
    uint32_t count;
    uint32_t lengths[2]; // edges of the first two
} rblOpenLoops;

typedef struct rblRepair
{
    const rblMeshView* source;
    const rblAllocator* allocator;
    rblRepairOptions options;
    rblAabbd bounds;  // of the faces; filled by rbl_repair_drop_non_finite()
    double tolerance; // metres; the value of options.weld_distance

    RBL_ARRAY(rblVec3d) positions; // vertices of the source, then new ones
    RBL_ARRAY(rblRepairFace) faces;
    RBL_ARRAY(rblRepairCorner) corners;
    RBL_ARRAY(rblBlendTerm) blend_terms;
    rblIndexArray blend_starts; // blend i has the terms blend_starts[i] .. blend_starts[i + 1] - 1
    uint8_t* welded;            // per vertex of the source: 1 when it was merged into another one
    uint32_t unorientable;      // components like a Moebius strip; counted by rbl_repair_orient()
    rblOpenLoops open_loops;    // filled by rbl_repair_fill_holes()
    uint32_t hole_count;        // holes that were closed
    bool
        keep_fillings; // do not remove faces that fill holes as duplicates: their removal opened the holes again
    rblArena scratch; // empty between passes
    rblRepairReport* report;
} rblRepair;

// Edges of the remaining faces: edge e has the half-edges corners[starts[e]] .. corners[starts[e + 1] - 1], in
// increasing order. Allocated in the scratch arena.
typedef struct rblRepairEdges
{
    uint32_t count;
    uint32_t* starts;
    uint32_t* corners;
    uint32_t* of_corner; // per corner: its edge
} rblRepairEdges;

// ---- repair_state.c: the working copy ----

rblResult rbl_repair_init(rblRepair* r, const rblMeshView* source, const rblRepairOptions* options,
                          const rblAllocator* allocator, rblRepairReport* report);
void rbl_repair_free(rblRepair* r);

// Scratch memory until the end of the pass; not null for 0 elements.
#define RBL_SCRATCH(r, type, count) RBL_ARENA_ARRAY(&(r)->scratch, type, (size_t)(count) + 1)

static inline uint32_t rbl_repair_next(const rblRepair* r, uint32_t corner)
{
    const rblRepairFace* face = &r->faces.data[r->corners.data[corner].face];
    return corner + 1 == face->begin + face->size ? face->begin : corner + 1;
}

static inline uint32_t rbl_repair_previous(const rblRepair* r, uint32_t corner)
{
    const rblRepairFace* face = &r->faces.data[r->corners.data[corner].face];
    return corner == face->begin ? face->begin + face->size - 1 : corner - 1;
}

static inline uint32_t rbl_repair_vertex(const rblRepair* r, uint32_t corner)
{
    return r->corners.data[corner].vertex;
}

static inline rblVec3d rbl_repair_position(const rblRepair* r, uint32_t corner)
{
    return r->positions.data[r->corners.data[corner].vertex];
}

// True when the half-edge of `corner` goes from the lower to the higher vertex.
static inline bool rbl_repair_rises(const rblRepair* r, uint32_t corner)
{
    return rbl_repair_vertex(r, corner) < rbl_repair_vertex(r, rbl_repair_next(r, corner));
}

// Add a face; its corners follow by rbl_repair_add_corner(). It gets the attributes of a face of the source.
rblResult rbl_repair_add_face(rblRepair* r, uint32_t source, uint32_t* out);
rblResult rbl_repair_add_corner(rblRepair* r, uint32_t face, uint32_t vertex, uint32_t source);
rblResult rbl_repair_add_vertex(rblRepair* r, rblVec3d position, uint32_t* out);

// Make a corner source with attributes interpolated between two others, at parameter t from the first to the second.
rblResult rbl_repair_blend(rblRepair* r, uint32_t first, uint32_t second, double t, uint32_t* out);

// Make a corner source with the mean attributes of several others.
rblResult rbl_repair_mean(rblRepair* r, const uint32_t* sources, uint32_t count, uint32_t* out);

// Remove the gaps of removed and rewritten faces from the arrays; the order does not change.
rblResult rbl_repair_compact(rblRepair* r);

// Vertices with the same name count as one; null: each vertex has its own name.
rblResult rbl_repair_edges(rblRepair* r, const uint32_t* names, rblRepairEdges* out);

static inline uint32_t rbl_repair_edge_size(const rblRepairEdges* edges, uint32_t edge)
{
    return edges->starts[edge + 1] - edges->starts[edge];
}

// Patches: faces connected through edges of exactly two faces. Patch p has the faces faces[starts[p]] .. faces[starts[p
// + 1] - 1], in increasing order. Allocated in the scratch arena.
typedef struct rblRepairPatches
{
    uint32_t count;
    uint32_t* labels; // per face: its patch
    uint32_t* starts;
    uint32_t* faces;
} rblRepairPatches;

rblResult rbl_repair_patches(rblRepair* r, const rblRepairEdges* edges, rblRepairPatches* out);

// Label the faces by pile: connected through edges of any number of faces. Returns the number of piles.
rblResult rbl_repair_piles(rblRepair* r, const rblRepairEdges* edges, uint32_t* labels, uint32_t* count);

// Positions and corners as a view without attributes, for queries. Call it on compacted faces. It is allocated in the
// scratch arena; later changes of positions are visible in it, other changes are not.
rblResult rbl_repair_view(rblRepair* r, rblMeshView* out);

// Twice the area times the normal (Newell), and six times the volume between the face and `origin`.
rblVec3d rbl_repair_normal_area2(const rblRepair* r, uint32_t face);
double rbl_repair_volume6(const rblRepair* r, uint32_t face, rblVec3d origin);

// Make the half-edges of every edge of two faces twins; all others have no twin (repair_edges.c).
void rbl_repair_pair_plain_edges(rblRepair* r, const rblRepairEdges* edges);

// Per corner the first corner of its fan: the corners of its vertex whose faces are connected across edges
// (repair_vertices.c).
void rbl_repair_fans(const rblRepair* r, uint32_t* fans);

// For each chosen vertex the one it would be merged into, for others the vertex itself (repair_weld.c).
rblResult rbl_repair_cluster(rblRepair* r, const uint8_t* chosen, uint32_t* targets);
void rbl_repair_mark_used(const rblRepair* r, uint8_t* used);

// Label the remaining faces by component, connected through twins, 0 .. *count - 1 in order of first appearance;
// RBL_NONE for removed faces.
rblResult rbl_repair_components(rblRepair* r, uint32_t* labels, uint32_t* count);

// Flip the faces whose mark is set; twins are updated.
rblResult rbl_repair_flip(rblRepair* r, const uint8_t* marks);

// ---- repair_output.c ----

rblResult rbl_repair_build(rblRepair* r, rblMesh** out);

// Set the normal of a corner of a new face to that of its face when the inherited normal differs by more than 60
// degrees: it then comes from the other side of a sharp edge.
void rbl_repair_adjust_normals(rblMeshBuilder* builder, uint32_t corner, rblVec3d unit);

// ---- the passes; each counts its changes in the report ----

rblResult rbl_repair_drop_non_finite(rblRepair* r); // repair_faces.c
rblResult rbl_repair_weld(rblRepair* r);            // repair_weld.c
rblResult rbl_repair_clean_faces(rblRepair* r);     // repair_faces.c
rblResult rbl_repair_drop_degenerate(rblRepair* r); // repair_faces.c
rblResult rbl_repair_drop_duplicates(rblRepair* r); // repair_duplicates.c
rblResult rbl_repair_t_junctions(rblRepair* r);     // repair_junctions.c
rblResult rbl_repair_drop_fins(rblRepair* r);       // repair_fins.c
rblResult rbl_repair_pair_edges(rblRepair* r);      // repair_edges.c
rblResult rbl_repair_orient(rblRepair* r);          // repair_orient.c
rblResult rbl_repair_fill_holes(rblRepair* r);      // repair_holes.c
rblResult rbl_repair_drop_components(rblRepair* r); // repair_components.c
rblResult rbl_repair_split_vertices(rblRepair* r);  // repair_vertices.c
rblResult rbl_repair_orient_outward(rblRepair* r);  // repair_components.c
rblResult
rbl_repair_count(rblRepair* r); // repair_state.c: counts the flips and fillings that remain at the end

// All passes, in order, until nothing changes (repair.c).
rblResult rbl_repair_mend(rblRepair* r);

// ---- repair_verdict.c ----

// The report of rbl_mesh_inspect(), except that faces that touch in vertices of equal position do not intersect.
rblResult rbl_repair_inspect(const rblMeshView* mesh, const rblAllocator* allocator, rblMeshReport* after);

// The same for a source mesh: *clean is whether all edges and faces are valid. If not, intersections are not computed.
rblResult rbl_repair_examine(const rblMeshView* mesh, const rblAllocator* allocator, rblMeshReport* after,
                             bool* clean);

// Set `solid` and `reason` of the report from `after`.
void rbl_repair_judge(const rblRepair* r);

// ---- repair_crossings.c ----

// Remove the faces where `mesh`, the result of rbl_repair_build(), intersects itself, and repair the rest. *out is null
// when the result is not solid; otherwise `report` has the changes.
rblResult rbl_repair_cut_crossings(const rblRepair* r, const rblMeshView* mesh, rblRepairReport* report,
                                   rblMesh** out);

// ---- repair_remesh.c ----

// The surface around the region with winding number of `mesh` above 1/2, on a grid, with sharp edges or smooth;
// attributes come from the closest face. `mesh` is the result of rbl_repair_build(). RBL_ERROR_GEOMETRY when the grid
// finds no surface.
rblResult rbl_repair_remesh(const rblRepair* r, const rblMeshView* mesh, bool smooth, rblMesh** out);

#endif
