// The cost of a collapse: quadrics of shape per vertex and of attributes per wedge, the optimal position of the
// remaining vertex, and the validity of the triangles around it.
//
// Attribute quadrics follow Hoppe 1999, "New Quadric Metric for Simplifying Meshes with Appearance Attributes": over a
// triangle an attribute is a linear function g . x + d, and a vertex at x with value s has the error (g . x + d - s)^2.
// Attributes are scaled to metres first (rblSimplifyCost.attribute_scale).
#ifndef RBL_MESH_SIMPLIFY_SIMPLIFY_COST_H
#define RBL_MESH_SIMPLIFY_SIMPLIFY_COST_H

#include "mesh/simplify/collapse_mesh.h"
#include "mesh/simplify/quadric.h"

// Sums over the triangles of a wedge of area * g and area * d, for one attribute component.
typedef struct rblAttributeTerm
{
    rblVec3d g;
    double d;
} rblAttributeTerm;

typedef struct rblSimplifyCost
{
    const rblAllocator* allocator;
    rblCollapseMesh* mesh;
    int exponent; // positions are those of the mesh times 2^-exponent: the longest side of the box is 1 to 2
    double attribute_scale;   // the length that an attribute difference of 1 corresponds to, in scaled metres
    uint32_t component_count; // floats per corner over all layers; 0 when attributes are ignored
    rblVec3d* positions;      // per vertex, scaled
    uint8_t* moved;           // per vertex: 1 when not at its position in the input
    rblQuadric* quadrics;     // per vertex, about its position
    rblQuadric* wedge_quadrics;    // per wedge: the sums of area * (g . x + d)^2
    rblAttributeTerm* wedge_terms; // per wedge and component
    float* wedge_values;           // per wedge and component
    uint8_t* normal_starts;        // per component: 1 for the first of the three components of a normal
} rblSimplifyCost;

// A collapse with its optimal position.
typedef struct rblCandidate
{
    rblCollapse collapse;
    rblVec3d position;      // of the kept vertex, scaled
    double blend;           // interpolation of its attributes: 0 the kept vertex, 1 the removed one
    double square;          // squared error times area, attributes included
    double cost;            // the same plus a small cost of the movement; the key of the heap
    double attribute_error; // scaled metres: root mean square
} rblCandidate;

rblResult rbl_simplify_cost_init(rblSimplifyCost* cost, rblCollapseMesh* mesh, const rblMeshView* view,
                                 double attribute_weight, const rblAllocator* allocator);
void rbl_simplify_cost_free(rblSimplifyCost* cost);

// The best collapse of an edge; false when neither vertex can be removed.
bool rbl_simplify_candidate(const rblSimplifyCost* cost, uint32_t corner, rblCandidate* out);

// Whether no triangle around the edge is flipped or degenerate.
bool rbl_simplify_keeps_shape(const rblSimplifyCost* cost, const rblCandidate* candidate);

// Carry out a collapse on positions, quadrics, attributes and connectivity.
void rbl_simplify_apply(rblSimplifyCost* cost, const rblCandidate* candidate);

#endif
