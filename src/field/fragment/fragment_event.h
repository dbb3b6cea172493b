// What a fracture did to a body or to a fragment of it (Glondu 2012, 4): labels of nodes, cut tetrahedra, distances to cracks, and cells
// of sets of fragments when somebody asks for these. Made once, never changed, counted; all fragments of the event share it, and a
// later event, which breaks one of them, holds it.
//
// A point in a tetrahedron has the label of the largest sum of w_i b_i over its nodes of one label (mesh/tets/tets_partition.h); only nodes
// of what breaks have a say. So the part of a fragment in a tetrahedron is what at most three planes leave of it, whatever the number
// of events: each plane keeps out at least one node, and that has no say any more.
#ifndef RBL_FIELD_FRAGMENT_FRAGMENT_EVENT_H
#define RBL_FIELD_FRAGMENT_FRAGMENT_EVENT_H

#include "field/fragment/background.h"
#include "field/samples/rank.h"

typedef struct rblFragmentEvent rblFragmentEvent;

typedef struct rblFragmentEventDef
{
    const rblBackground* background;
    const rblFragmentEvent* parent; // null: the whole body breaks
    uint32_t parent_label;          // the fragment of it that breaks
    const uint32_t* labels; // per node of the background: its fragment; read for nodes of the parent only
    const double* weights;  // per node: positive and finite; read for the same
    uint32_t label_count;   // labels are below, each has a node
    bool exact;             // distances to cracks are searched for at every node: slow, to compare with
    void* kept;             // what the background came from: let go with the event; null: nothing
    void (*release_kept)(void* kept);
} rblFragmentEventDef;

// The piece of crack that is nearest to a node, as a disc: the part of a crack in one tetrahedron.
typedef struct rblCrackPiece
{
    rblVec3 center;
    float radius;
    rblVec3 normal; // unit, either way
    float distance; // from the node; infinite where no crack is nearer than the original surface
} rblCrackPiece;

// normal . p + offset is the distance inwards; the normal has unit length and points into the part. What of the plane is crack in its
// tetrahedron is no farther than `reach` from the middle: beyond that the plane goes on, the crack does not.
typedef struct rblCutPlane
{
    rblVec3 normal;
    float offset;
    rblVec3 middle;
    float reach;
} rblCutPlane;

// What one fragment has of a cut tetrahedron.
typedef struct rblCutPart
{
    uint32_t label;
    uint32_t plane_count;
    uint32_t own_count;  // the last of the planes, those of this event
    rblCutPlane* planes; // in the event's: three at most
} rblCutPart;

// A piece of crack that borders a fragment.
typedef struct rblBorder
{
    uint32_t label;
    uint32_t piece;
} rblBorder;

// Where a crack cuts an edge: once for the fragment of each end.
typedef struct rblCutPoint
{
    rblVec3 point;
    uint32_t local; // node of the event at that end
} rblCutPoint;

#define RBL_CUT 0x80000000u // in rblFragmentEvent.states

// What is in the cells of the background (Glondu 2012, 4.5).
typedef struct rblFragmentCells
{
    // Borders in every finest cell that they touch, by label.
    uint32_t* first_borders; // per finest cell, one more
    rblBorder* near;
    uint32_t near_count;

    // Per cell of all levels a label, RBL_NONE for none, or RBL_CUT and the start of a list: how many, then labels, rising.
    uint32_t* sets;
    uint32_t* lists;
    uint32_t list_size;
} rblFragmentCells;

typedef struct rblFragmentFacts
{
    uint32_t nodes;
    rblAabb bounds; // of its tetrahedra
    float
        deepest; // the largest distance of its nodes from its surface, as far as the field tells; negative: all nodes are outside the solid
} rblFragmentFacts;

struct rblFragmentEvent
{
    const rblBackground* background; // held
    const rblFragmentEvent* parent;  // held
    uint32_t parent_label;
    uint32_t label_count;
    uint32_t depth; // events before it
    void* kept;
    void (*release_kept)(void* kept);

    rblRankWord* node_ranks; // from nodes of the background to those of the parent; null: all of them
    rblRankWord* tet_ranks;  // and tetrahedra with at least one of these
    uint32_t node_count, tet_count;
    uint32_t* nodes; // in the background, rising
    uint32_t* tets;

    uint32_t* labels; // per node
    float* weights;
    rblCrackPiece* cracks;
    uint32_t* states; // per tetrahedron: the label of all of it, or RBL_CUT and its number among the cut ones
    uint32_t cut_count;
    uint32_t* cut_tets;    // their numbers in the event, rising
    uint32_t* first_parts; // per cut tetrahedron, one more
    rblCutPart* parts;
    rblCutPlane* planes; // of all parts, one after the other
    uint32_t plane_count;
    uint8_t* exposed;        // per node: 1 where one of its tetrahedra is cut
    rblCutPoint* cut_points; // those of earlier events on the edges of its nodes first
    uint32_t cut_point_count;
    uint32_t cut_point_capacity;

    // All pieces of crack around the fragments, and which of these they border; those of this event come last, two borders a piece.
    rblCrackPiece* pieces;
    uint32_t* piece_tets;
    uint32_t piece_count, piece_capacity, piece_tet_capacity;
    uint32_t first_new_piece, first_new_border;
    rblBorder* borders;
    uint32_t border_count, border_capacity;

    // The same borders by label, and behind those of each label.
    rblBorder* by_label;
    uint32_t* label_ends;

    _Atomic(rblFragmentCells*) cells; // null: nobody has asked yet (rbl_fragment_event_cells())

    rblFragmentFacts* facts; // per label

    uint32_t new_cut_count; // tetrahedra that this event cut
    uint32_t touched;       // nodes whose distance it changed
    uint32_t rings;         // of the front
    const rblAllocator* allocator;
    atomic_uint references;
};

// Refused: labels out of range or without a node, weights that are not positive and finite, a parent label that is not there. What is
// kept is the event's from now on, and after a failure still the caller's.
rblResult rbl_fragment_event_create(const rblFragmentEventDef* def, rblFragmentEvent** out);
void rbl_fragment_event_retain(const rblFragmentEvent* event);
void rbl_fragment_event_release(const rblFragmentEvent* event);

// The part of a tetrahedron, by its number in the event, that has a label; null: none. Of cut ones only.
const rblCutPart* rbl_fragment_part(const rblFragmentEvent* event, uint32_t cut, uint32_t label);

// Its cells, made now if need be: rays and distances from outside want them, contacts of fragments with grids do not. The same whoever
// asks first. Null: out of memory.
const rblFragmentCells* rbl_fragment_event_cells(const rblFragmentEvent* event);

// Whether a cell, counted over all levels, holds some of a fragment.
bool rbl_fragment_cell_has(const rblFragmentCells* cells, uint32_t cell, uint32_t label);

// ---- making one ----

// Which tetrahedra are cut, and their parts.
rblResult rbl_fragment_event_cut(rblFragmentEvent* event);
// Pieces of crack, what they border, and how far planes are crack.
rblResult rbl_fragment_event_list_pieces(rblFragmentEvent* event);

// Distances to cracks spread from the nodes of tetrahedra that this event cut.
rblResult rbl_fragment_event_spread(rblFragmentEvent* event);

// The same by looking at all pieces that border a node's fragment.
void rbl_fragment_event_measure(rblFragmentEvent* event);

// What pieces border, by labels.
rblResult rbl_fragment_event_sort_pieces(rblFragmentEvent* event);
void rbl_fragment_event_free_cells(const rblFragmentEvent* event, rblFragmentCells* cells);

#endif
