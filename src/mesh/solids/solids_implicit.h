// From a field to a solid with UVs and normals.
#ifndef RBL_MESH_SOLIDS_SOLIDS_IMPLICIT_H
#define RBL_MESH_SOLIDS_SOLIDS_IMPLICIT_H

#include "mesh/solids/solids.h"
#include "rubble/isosurface.h"

typedef struct rblSculpture
{
    rblFieldFcn* field; // negative inside, metres
    void* context;
    rblAabbd bounds;       // a box around the figure, which stands on y = 0
    double cell;           // edge of the grid's cubes, metres
    uint32_t triangles;    // simplify to about this many; 0: keep what the grid gives
    double height, length; // scale the result to this extent along y or z, whichever is not 0, metres
    double crease_angle;
} rblSculpture;

// The parameter "triangles" of a figure: below a few thousand features would melt into each other.
rblResult rbl_check_sculpture_triangles(const rblSolidInput* input);

// Extract the figure by dual contouring on a grid that is symmetric about x = 0, simplify, and put its lowest
// point on the ground.
rblResult rbl_make_sculpture(const rblSculpture* sculpture, const rblAllocator* allocator, rblMesh** out);

#endif
