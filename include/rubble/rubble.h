/// Rubble: brittle fracture in real time. Includes every public header.
#ifndef RUBBLE_RUBBLE_H
#define RUBBLE_RUBBLE_H

#include "rubble/allocator.h"
#include "rubble/breaker.h"
#include "rubble/bvh.h"
#include "rubble/elasticity.h"
#include "rubble/export.h"
#include "rubble/inspect.h"
#include "rubble/io.h"
#include "rubble/isosurface.h"
#include "rubble/joint.h"
#include "rubble/log.h"
#include "rubble/material.h"
#include "rubble/math.h"
#include "rubble/mesh.h"
#include "rubble/pattern.h"
#include "rubble/picture.h"
#include "rubble/prescored.h"
#include "rubble/recorder.h"
#include "rubble/repair.h"
#include "rubble/result.h"
#include "rubble/scene.h"
#include "rubble/shape.h"
#include "rubble/simplify.h"
#include "rubble/solids.h"
#include "rubble/stress.h"
#include "rubble/tasks.h"
#include "rubble/tetrahedra.h"
#include "rubble/version.h"
#include "rubble/world.h"

#endif
