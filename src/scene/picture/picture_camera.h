// The camera of a picture.
#ifndef RBL_SCENE_PICTURE_PICTURE_CAMERA_H
#define RBL_SCENE_PICTURE_PICTURE_CAMERA_H

#include "scene/picture/picture_scene.h"

// In picture coordinates. The ray through (x, y), -1 at the left and bottom and 1 at the right and top, has the direction
// forward + x * right + y * up.
typedef struct rblPictureCamera
{
    rblVec3 eye;
    rblVec3 forward; // unit
    rblVec3 right;   // length: half the width of the picture at distance 1
    rblVec3 up;      // length: half its height
    rblVec3d target;
} rblPictureCamera;

// Without an eye in the definition, the camera shows all items in a three-quarter view that fills the picture. Fails when eye
// and target are equal, or when the cut plane removes everything.
rblResult rbl_picture_camera_init(rblPictureCamera* camera, const rblPictureDef* def,
                                  const rblPictureScene* scene);

#endif
