// From a field to a solid with UVs and normals.
#ifndef RBL_MESH_SOLIDS_SOLIDS_IMPLICIT_H
#define RBL_MESH_SOLIDS_SOLIDS_IMPLICIT_H

#include "mesh/solids/solids.h"
#include "rubble/isosurface.h"

typedef struct rblSculpture
{
    rblFieldFcn* field; // negative inside, metres
    void* context;
    rblAabbd bounds;       // bounding box of the figure, which stands on y = 0
    double cell;           // cell size of the grid, metres
    uint32_t triangles;    // simplify to about this number; 0: no simplification
    double height, length; // scale the result to this extent along y or z, whichever is not 0, metres
    double crease_angle;
} rblSculpture;

// Check the parameter "triangles" of a figure: below a few thousand triangles its features would merge.
rblResult rbl_check_sculpture_triangles(const rblSolidInput* input);

// Extract the figure by dual contouring on a grid that is symmetric about x = 0, simplify it, and move its lowest point
// to the ground.
rblResult rbl_make_sculpture(const rblSculpture* sculpture, const rblAllocator* allocator, rblMesh** out);

#endif
