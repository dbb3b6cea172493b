// Fragments as shapes: a label of an event, samples in a hierarchy that is the parent's, updated (Glondu 2012, 5.2), and a mass.
#ifndef RBL_FIELD_FRAGMENT_FRAGMENT_SHAPE_H
#define RBL_FIELD_FRAGMENT_FRAGMENT_SHAPE_H

#include "field/fragment/fragment_field.h"
#include "field/samples/samples.h"

typedef struct rblFragmentShapeDef
{
    const rblFragmentEvent* event; // held by the shape
    uint32_t label;
    const rblMassProperties* mass; // at density 1, exact
    const rblAabb* bounds;         // of the fragment; null: those of its tetrahedra, which are wider
    float inner_radius;            // of a ball inside; 0: about the deepest node
    rblSampleTree* samples;        // rbl_fragment_sample_trees(); taken over, also on failure
    rblLazySurface surface;        // taken over, also on failure
} rblFragmentShapeDef;

rblResult rbl_shape_create_fragment(const rblFragmentShapeDef* def, rblShapeId* out);

// What a fragment would be without updates (Glondu 2012, Fig. 9): `exact`, distances to cracks found at every node anew; `rebuilt`, its
// samples in a hierarchy of their own. Mass and bounds are the same, and the surface is the original's.
rblResult rbl_shape_create_fragment_anew(const rblShape* fragment, bool exact, bool rebuilt, rblShapeId* out);

// The same fragment with its samples in a hierarchy of their own, where it has its parent's, updated.
rblResult rbl_fragment_rebuild(const rblShape* fragment, rblShapeId* out);

// ---- as bytes (fragment_codec.c) ----

rblResult rbl_put_fragment(rblByteSink* sink, const rblShape* shape, const rblSourceNumbers* numbers);
rblResult rbl_take_fragment(rblByteSource* source, const rblSourceTables* tables, rblShapeId* out);

// ---- samples ----

// A point of a fragment's surface that no node or edge of the mesh gives: corners of cracks, and where they meet the original surface.
typedef struct rblNewSample
{
    rblVec3 point;
    uint32_t label;
    uint32_t node; // of the background, near it and in the same fragment; RBL_NONE: none is
} rblNewSample;

// Samples of all fragments of an event, `out` with an entry each. From the template: samples of the original surface, and nodes of cut
// tetrahedra. Each keeps its closest ancestor in the same fragment as its parent; those without one are roots, and the later roots
// hang below the nearest of the earlier ones. Then where edges are cut, below their nodes, and the new ones given.
// A fragment without any sample gets null.
rblResult rbl_fragment_sample_trees(const rblFragmentEvent* event, const rblNewSample* added,
                                    uint32_t added_count, rblSampleTree** out);

#endif
