// Fragments as shapes: a label of an event, samples in an updated copy of the parent's hierarchy (Glondu 2012, 5.2),
// and a mass.
#ifndef RBL_FIELD_FRAGMENT_FRAGMENT_SHAPE_H
#define RBL_FIELD_FRAGMENT_FRAGMENT_SHAPE_H

#include "field/fragment/fragment_field.h"
#include "field/samples/samples.h"

typedef struct rblFragmentShapeDef
{
    const rblFragmentEvent* event; // the shape retains it
    uint32_t label;
    const rblMassProperties* mass; // at density 1, exact
    const rblAabb* bounds;         // of the fragment; null: those of its tetrahedra, which are larger
    float inner_radius;            // m, of an inner ball; 0: computed from the deepest node
    rblSampleTree* samples;        // rbl_fragment_sample_trees(); the shape takes ownership, also on failure
    rblLazySurface surface;        // the shape takes ownership, also on failure
} rblFragmentShapeDef;

rblResult rbl_shape_create_fragment(const rblFragmentShapeDef* def, rblShapeId* out);

// A reference without updates (Glondu 2012, Fig. 9). `exact`: distances to cracks are searched at every node.
// `rebuilt`: its samples have a new hierarchy. Mass and bounds are the same, and the surface is that of the original.
rblResult rbl_shape_create_fragment_reference(const rblShape* fragment, bool exact, bool rebuilt,
                                              rblShapeId* out);

// The same fragment with a new hierarchy of its samples, in place of the updated one of its parent.
rblResult rbl_fragment_rebuild(const rblShape* fragment, rblShapeId* out);

// ---- serialisation (fragment_codec.c) ----

rblResult rbl_put_fragment(rblByteSink* sink, const rblShape* shape, const rblSourceNumbers* numbers);
rblResult rbl_take_fragment(rblByteSource* source, const rblSourceTables* tables, rblShapeId* out);

// ---- samples ----

// A sample that is not a node or a cut point of the mesh: corners of cracks, and intersections of cracks with the
// original surface.
typedef struct rblNewSample
{
    rblVec3 point;
    uint32_t label;
    uint32_t node; // a node of the background near it, in the same fragment; RBL_NONE: none
} rblNewSample;

// Samples of all fragments of an event; `out` has an entry for each. From the template: samples of the original
// surface, and nodes of cut tetrahedra. The parent of each is its closest ancestor in the same fragment. A sample
// without one is a root; later roots become children of the nearest earlier root. Then cut points, as children of their
// nodes, and the samples `added`. A fragment without samples gets null.
rblResult rbl_fragment_sample_trees(const rblFragmentEvent* event, const rblNewSample* added,
                                    uint32_t added_count, rblSampleTree** out);

#endif
