// Mesh repair: one working copy of the mesh and the passes over it, in the order in which repair.c runs them.
//
// The working copy holds faces as runs of corners that remember where in the source mesh their attributes
// come from, so that every pass may cut, drop, turn over and add faces and the attributes follow.
#ifndef RBL_MESH_REPAIR_REPAIR_H
#define RBL_MESH_REPAIR_REPAIR_H

#include "base/arena.h"
#include "mesh/mesh.h"
#include "rubble/repair.h"

typedef struct rblRepairCorner
{
    uint32_t vertex;
    uint32_t source; // a corner of the source mesh, or source->corner_count + the number of a blend
    uint32_t face;
    uint32_t twin; // the corner of the other half-edge, or RBL_NONE; filled by rbl_repair_pair_edges()
} rblRepairCorner;

typedef struct rblRepairFace
{
    uint32_t begin;  // first corner
    uint32_t size;   // 0: the face was dropped
    uint32_t source; // the face of the source mesh whose material, group and origin it has
    uint32_t hole;   // the hole it fills (its origin is RBL_NONE then), or RBL_NONE
    bool flipped;    // runs the other way round than its source
} rblRepairFace;

// Attributes of a corner that the source mesh does not have: a weighted sum of those of several that it has.
typedef struct rblBlendTerm
{
    uint32_t corner; // of the source mesh
    double weight;
} rblBlendTerm;

// Boundary loops that stay open, for the verdict.
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
    double tolerance; // metres; what options.weld_distance comes to

    RBL_ARRAY(rblVec3d) positions; // vertices of the source, then new ones
    RBL_ARRAY(rblRepairFace) faces;
    RBL_ARRAY(rblRepairCorner) corners;
    RBL_ARRAY(rblBlendTerm) blend_terms;
    rblIndexArray blend_starts; // blend i has the terms blend_starts[i] .. blend_starts[i + 1] - 1
    uint8_t* welded;            // per vertex of the source: it became another one
    uint32_t unorientable;      // components like a Moebius strip; counted by rbl_repair_orient()
    rblOpenLoops open_loops;    // filled by rbl_repair_fill_holes()
    uint32_t hole_count;        // holes it closed
    bool keep_fillings; // faces that fill holes are no longer dropped as duplicates: that opened them again
    rblArena scratch;   // empty between passes
    rblRepairReport* report;
} rblRepair;

// Edges of the faces that are left: edge e joins the half-edges corners[starts[e]] .. corners[starts[e + 1] -
// 1], in rising order. Lives in the scratch arena.
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

// Scratch memory that lives until the pass ends; never null for lack of elements.
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

// True when the half-edge of `corner` runs from the lower to the higher vertex.
static inline bool rbl_repair_rises(const rblRepair* r, uint32_t corner)
{
    return rbl_repair_vertex(r, corner) < rbl_repair_vertex(r, rbl_repair_next(r, corner));
}

// Add a face whose corners follow by rbl_repair_add_corner(). It takes its attributes from a face of the
// source.
rblResult rbl_repair_add_face(rblRepair* r, uint32_t source, uint32_t* out);
rblResult rbl_repair_add_corner(rblRepair* r, uint32_t face, uint32_t vertex, uint32_t source);
rblResult rbl_repair_add_vertex(rblRepair* r, rblVec3d position, uint32_t* out);

// Make a corner source of the attributes between two others, t of the way from the first to the second.
rblResult rbl_repair_blend(rblRepair* r, uint32_t first, uint32_t second, double t, uint32_t* out);

// The same as the mean of several.
rblResult rbl_repair_mean(rblRepair* r, const uint32_t* sources, uint32_t count, uint32_t* out);

// Close the gaps that dropped and rewritten faces left in the arrays; order stays.
rblResult rbl_repair_compact(rblRepair* r);

// Vertices count as one when they have the same name; null: each has its own.
rblResult rbl_repair_edges(rblRepair* r, const uint32_t* names, rblRepairEdges* out);

static inline uint32_t rbl_repair_edge_size(const rblRepairEdges* edges, uint32_t edge)
{
    return edges->starts[edge + 1] - edges->starts[edge];
}

// Patches: faces connected through edges of exactly two. Patch p has the faces faces[starts[p]] ..
// faces[starts[p + 1] - 1], in rising order. Lives in the scratch arena.
typedef struct rblRepairPatches
{
    uint32_t count;
    uint32_t* labels; // per face: its patch
    uint32_t* starts;
    uint32_t* faces;
} rblRepairPatches;

rblResult rbl_repair_patches(rblRepair* r, const rblRepairEdges* edges, rblRepairPatches* out);

// Label the faces by pile: connected through edges of any number of faces. Returns the count of piles.
rblResult rbl_repair_piles(rblRepair* r, const rblRepairEdges* edges, uint32_t* labels, uint32_t* count);

// Positions and corners as a view without attributes, for queries. Call it on compacted faces; lives in the
// scratch arena and sees later changes of the positions only.
rblResult rbl_repair_view(rblRepair* r, rblMeshView* out);

// Twice the area times the normal (Newell), and six times the volume between the face and `origin`.
rblVec3d rbl_repair_normal_area2(const rblRepair* r, uint32_t face);
double rbl_repair_volume6(const rblRepair* r, uint32_t face, rblVec3d origin);

// Make the half-edges of every edge of two faces twins, and all others have none (repair_edges.c).
void rbl_repair_pair_plain_edges(rblRepair* r, const rblRepairEdges* edges);

// Per corner the first corner of its fan: those of its vertex whose faces are joined across edges
// (repair_vertices.c).
void rbl_repair_fans(const rblRepair* r, uint32_t* fans);

// For each chosen vertex the one it would be welded into, for others themselves (repair_weld.c).
rblResult rbl_repair_cluster(rblRepair* r, const uint8_t* chosen, uint32_t* targets);
void rbl_repair_mark_used(const rblRepair* r, uint8_t* used);

// Label the faces that are left by component, connected through twins, 0 .. *count - 1 in order of first
// appearance; RBL_NONE for dropped ones.
rblResult rbl_repair_components(rblRepair* r, uint32_t* labels, uint32_t* count);

// Turn over the faces whose mark is set; twins follow.
rblResult rbl_repair_flip(rblRepair* r, const uint8_t* marks);

// ---- repair_output.c ----

rblResult rbl_repair_build(rblRepair* r, rblMesh** out);

// Give a corner of a new face its face's normal where the one it took over is more than 60 degrees off: it
// comes from around a sharp edge.
void rbl_repair_adjust_normals(rblMeshBuilder* builder, uint32_t corner, rblVec3d unit);

// ---- the passes; each counts what it does in the report ----

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
rblResult rbl_repair_count(rblRepair* r); // repair_state.c: flips and fillings that are left at the end

// All of them, in their order, until nothing changes (repair.c).
rblResult rbl_repair_mend(rblRepair* r);

// ---- repair_verdict.c ----

// What rbl_mesh_inspect() reports, but for faces that touch in vertices of equal position: they do not
// intersect here.
rblResult rbl_repair_inspect(const rblMeshView* mesh, const rblAllocator* allocator, rblMeshReport* after);

// The same for a source: *clean tells whether every edge and face is as it should be. If not, intersections
// are not looked for.
rblResult rbl_repair_examine(const rblMeshView* mesh, const rblAllocator* allocator, rblMeshReport* after,
                             bool* clean);

// Fill `solid` and `reason` of the report from `after`.
void rbl_repair_judge(const rblRepair* r);

// ---- repair_crossings.c ----

// Cut out the faces where `mesh`, which rbl_repair_build() made, crosses itself, and mend what is left. *out
// is null when that does not make it solid; otherwise `report` tells what was done.
rblResult rbl_repair_cut_crossings(const rblRepair* r, const rblMeshView* mesh, rblRepairReport* report,
                                   rblMesh** out);

// ---- repair_remesh.c ----

// The surface around everything that `mesh` winds round, on a grid, with sharp edges or smooth; attributes
// from the closest face. `mesh` is what rbl_repair_build() made. RBL_ERROR_GEOMETRY when the grid sees
// nothing.
rblResult rbl_repair_remesh(const rblRepair* r, const rblMeshView* mesh, bool smooth, rblMesh** out);

#endif
