// One fracture of a body or of a fragment (Glondu 2012, 4): labels of nodes, cut tetrahedra, distances to cracks, and
// cells for sets of fragments, which are created at their first use. An event is immutable and reference-counted. All
// its fragments share it; a later event, which breaks one of them, retains it.
//
// A point in a tetrahedron gets the label with the largest sum of w_i b_i over the nodes of the label
// (mesh/tets/tets_partition.h). Only nodes of the broken fragment are counted. So the part of a fragment in a
// tetrahedron is bounded by at most three planes, for any number of events: each plane excludes at least one node, and
// an excluded node is not counted any more.
#ifndef RBL_FIELD_FRAGMENT_FRAGMENT_EVENT_H
#define RBL_FIELD_FRAGMENT_FRAGMENT_EVENT_H

#include "field/fragment/background.h"
#include "field/samples/rank.h"

typedef struct rblFragmentEvent rblFragmentEvent;

typedef struct rblFragmentEventDef
{
    const rblBackground* background;
    const rblFragmentEvent* parent; // null: the whole body breaks
    uint32_t parent_label;          // the fragment of the parent that breaks
    // Per node of the background: its fragment; only nodes of the parent's fragment are read.
    const uint32_t* labels;
    const double* weights; // per node of the background: positive and finite; only the same nodes are read
    uint32_t label_count;  // labels are below this; each has a node
    bool exact;            // whether distances to cracks are searched at every node: slow, as a reference
    void* kept;            // owner of the background's data, released with the event; null: none
    void (*release_kept)(void* kept);
} rblFragmentEventDef;

// The crack piece nearest to a node, approximated by a disc. A crack piece is the part of a crack in one tetrahedron.
typedef struct rblCrackPiece
{
    rblVec3 center;
    float radius;
    rblVec3 normal; // unit, in either direction
    float distance; // m, from the node; infinite if no crack is closer than the original surface
} rblCrackPiece;

// normal . p + offset is the distance from the plane; the unit normal points into the part. Only the part of the plane
// within `reach` of `middle` is a crack in this tetrahedron.
typedef struct rblCutPlane
{
    rblVec3 normal;
    float offset;
    rblVec3 middle;
    float reach;
} rblCutPlane;

// The part of one fragment in a cut tetrahedron.
typedef struct rblCutPart
{
    uint32_t label;
    uint32_t plane_count;
    uint32_t own_count;  // number of planes of this event, the last ones
    rblCutPlane* planes; // at most three, in the array of the event
} rblCutPart;

// A crack piece on the border of a fragment.
typedef struct rblBorder
{
    uint32_t label;
    uint32_t piece;
} rblBorder;

// Intersection of a crack with an edge of the mesh: one for the fragment of each end.
typedef struct rblCutPoint
{
    rblVec3 point;
    uint32_t local; // the node of the event at that end
} rblCutPoint;

#define RBL_CUT 0x80000000u // flag in rblFragmentEvent.states

// Contents of the cells of the background (Glondu 2012, 4.5).
typedef struct rblFragmentCells
{
    // Borders in every finest cell that they touch, sorted by label.
    uint32_t* first_borders; // per finest cell, with one more entry
    rblBorder* near;
    uint32_t near_count;

    // Per cell of all levels: a label; RBL_NONE: no fragment; or RBL_CUT with the start of a list: number of labels,
    // then labels in rising order.
    uint32_t* sets;
    uint32_t* lists;
    uint32_t list_size;
} rblFragmentCells;

typedef struct rblFragmentFacts
{
    uint32_t nodes;
    rblAabb bounds; // of its tetrahedra
    // m, largest distance of its nodes from its surface by the field; negative: all its nodes are outside the solid.
    float deepest;
} rblFragmentFacts;

struct rblFragmentEvent
{
    const rblBackground* background; // retained
    const rblFragmentEvent* parent;  // retained
    uint32_t parent_label;
    uint32_t label_count;
    uint32_t depth; // number of earlier events
    void* kept;
    void (*release_kept)(void* kept);

    rblRankWord* node_ranks; // from nodes of the background to nodes of this event; null: all nodes
    rblRankWord* tet_ranks;  // from tetrahedra of the background to those with at least one of these nodes
    uint32_t node_count, tet_count;
    uint32_t* nodes; // indices in the background, in rising order
    uint32_t* tets;

    uint32_t* labels; // per node
    float* weights;
    rblCrackPiece* cracks;
    uint32_t* states; // per tetrahedron: its only label, or RBL_CUT with its index among the cut ones
    uint32_t cut_count;
    uint32_t* cut_tets;    // indices in the event, in rising order
    uint32_t* first_parts; // per cut tetrahedron, with one more entry
    rblCutPart* parts;
    rblCutPlane* planes; // of all parts, in order
    uint32_t plane_count;
    uint8_t* exposed;        // per node: 1 if one of its tetrahedra is cut
    rblCutPoint* cut_points; // first those of earlier events on edges of its nodes
    uint32_t cut_point_count;
    uint32_t cut_point_capacity;

    // All crack pieces around the fragments, and the fragments at their two sides. The pieces of this event are the
    // last; each has two borders.
    rblCrackPiece* pieces;
    uint32_t* piece_tets;
    uint32_t piece_count, piece_capacity, piece_tet_capacity;
    uint32_t first_new_piece, first_new_border;
    rblBorder* borders;
    uint32_t border_count, border_capacity;

    // The same borders sorted by label, and the end of each label.
    rblBorder* by_label;
    uint32_t* label_ends;

    _Atomic(rblFragmentCells*) cells; // null before the first call of rbl_fragment_event_cells()

    rblFragmentFacts* facts; // per label

    uint32_t new_cut_count; // tetrahedra that this event has cut
    uint32_t touched;       // nodes whose distance this event has changed
    uint32_t rings;         // number of rings of the spread
    const rblAllocator* allocator;
    atomic_uint references;
};

// Refused: labels out of range or without a node, weights that are not positive and finite, a parent label that does
// not exist. The event takes ownership of `kept`; on failure the caller still owns it.
rblResult rbl_fragment_event_create(const rblFragmentEventDef* def, rblFragmentEvent** out);
void rbl_fragment_event_retain(const rblFragmentEvent* event);
void rbl_fragment_event_release(const rblFragmentEvent* event);

// The part of a cut tetrahedron with a label; null: none. `cut` is an index among the cut tetrahedra.
const rblCutPart* rbl_fragment_part(const rblFragmentEvent* event, uint32_t cut, uint32_t label);

// The cells of the event, created at the first call. Rays and distances from outside need them; contacts of fragments
// with grids do not. The result does not depend on which thread calls first. Null: no memory.
const rblFragmentCells* rbl_fragment_event_cells(const rblFragmentEvent* event);

// Whether a cell, with an index over all levels, contains a part of a fragment.
bool rbl_fragment_cell_has(const rblFragmentCells* cells, uint32_t cell, uint32_t label);

// ---- creation ----

// Finds the cut tetrahedra and their parts.
rblResult rbl_fragment_event_cut(rblFragmentEvent* event);
// Finds the crack pieces, the fragments at their sides, and the reach of planes.
rblResult rbl_fragment_event_list_pieces(rblFragmentEvent* event);

// Spreads distances to cracks from the nodes of tetrahedra that this event cut.
rblResult rbl_fragment_event_spread(rblFragmentEvent* event);

// The same by a test of all pieces at the border of a node's fragment.
void rbl_fragment_event_measure(rblFragmentEvent* event);

// Sorts the borders by label.
rblResult rbl_fragment_event_sort_pieces(rblFragmentEvent* event);
void rbl_fragment_event_free_cells(const rblFragmentEvent* event, rblFragmentCells* cells);

#endif
