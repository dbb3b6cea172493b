// The scene of a picture: all triangles of all items in one tree, moved and scaled into the unit ball around the origin. All
// offsets of the tracer are relative to this one length scale, whatever the units of the files.
#ifndef RBL_SCENE_PICTURE_PICTURE_SCENE_H
#define RBL_SCENE_PICTURE_PICTURE_SCENE_H

#include "bvh/query/ray_tree.h"
#include "rubble/picture.h"

// Distance of the floor below the lowest point, in picture units, so that a flat item on the floor does not flicker with it.
// Rays start a tenth of this distance off their surface.
#define RBL_PICTURE_GAP    2e-4f
#define RBL_PICTURE_OFFSET 2e-5f

// Data of a triangle besides its corners.
typedef struct rblPictureFace
{
    uint32_t normals[3]; // at the corners, rbl_pack_normal()
    uint32_t surface;    // part << 2 | flags below
} rblPictureFace;

enum
{
    RBL_FACE_CRACK = 1, // a crack face
    RBL_FACE_CLOSED =
        2 // its component is closed and oriented: a cut plane gets a cap there. Only known with a cut
};

typedef struct rblPicturePart
{
    rblVec3 skin;
    rblVec3 crack;
    rblVec3d centroid; // of its surface, metres
    rblVec3d offset;   // displacement of the exploded view, metres
    rblAabbd bounds;   // before the displacement, metres
    double area;
} rblPicturePart;

typedef struct rblPictureScene
{
    const rblAllocator* allocator;
    rblForest forest;
    rblBvh tree;
    rblRayTree rays;
    uint32_t triangle_count;
    rblPictureFace* faces; // by triangle
    uint32_t*
        colors; // three per triangle, one per corner: rgba, 8 bits linear; null when no mesh has colours
    rblPicturePart* parts;
    uint32_t part_count;

    rblVec3d center; // picture = (metres - center) * scale
    double scale;
    rblAabb bounds; // in picture coordinates
    float ground;   // height of the floor
    bool has_cut;   // rays see only points with dot(cut_normal, p) <= cut_offset
    rblVec3 cut_normal;
    float cut_offset;

    double prepare_seconds, build_seconds;
} rblPictureScene;

// Gather, explode, scale and build. The definition must be checked, except for its meshes.
rblResult rbl_picture_scene_init(rblPictureScene* scene, const rblPictureDef* def,
                                 const rblAllocator* allocator, rblJobs* jobs);
void rbl_picture_scene_free(rblPictureScene* scene);

static inline rblVec3d rbl_to_picture(const rblPictureScene* scene, rblVec3d p)
{
    return (rblVec3d){(p.x - scene->center.x) * scene->scale, (p.y - scene->center.y) * scene->scale,
                      (p.z - scene->center.z) * scene->scale};
}

// Unit vectors in 32 bits: an octahedron unfolded into a square (Meyer et al. 2010, "On Floating-Point Normal Vectors"). The
// error is at most 0.003 degrees.
uint32_t rbl_pack_normal(rblVec3 normal);
rblVec3 rbl_unpack_normal(uint32_t packed);

// ---- parts ----

// The part of every face of a mesh, counted from 0 in order of first appearance.
rblResult rbl_picture_face_parts(const rblMeshView* view, rblPictureParts parts,
                                 const rblAllocator* allocator, uint32_t* labels, uint32_t* count);

// Mark the faces of connected components that are closed and oriented.
rblResult rbl_picture_closed_faces(const rblMeshView* view, const rblAllocator* allocator, uint8_t* closed);

// Whether a material's name makes its faces crack faces.
bool rbl_is_crack_material(const char* name);

// ---- crossings ----

// The lowest part that contains the origin of the ray, or RBL_NONE: signed crossings with closed faces are counted along the
// whole ray.
uint32_t rbl_picture_part_around(const rblPictureScene* scene, const rblRay* ray);

#endif
