// Where a picture is taken from.
#ifndef RBL_SCENE_PICTURE_PICTURE_CAMERA_H
#define RBL_SCENE_PICTURE_PICTURE_CAMERA_H

#include "scene/picture/picture_scene.h"

// In the picture's coordinates. The ray through (x, y), both -1 at the left and bottom and 1 at the right and top, runs
// along forward + x * right + y * up.
typedef struct rblPictureCamera
{
    rblVec3 eye;
    rblVec3 forward; // unit
    rblVec3 right;   // as long as half the picture is wide at distance 1
    rblVec3 up;      // the same, half its height
    rblVec3d target;
} rblPictureCamera;

// Without an eye of its own the picture is a three-quarter view that holds everything drawn and fills it. Fails when
// eye and target are the same point, or when the cut plane leaves nothing.
rblResult rbl_picture_camera_init(rblPictureCamera* camera, const rblPictureDef* def,
                                  const rblPictureScene* scene);

#endif
