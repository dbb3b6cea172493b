// Triangulation of a polygon in the plane.
#ifndef RBL_MESH_EAR_CLIPPING_H
#define RBL_MESH_EAR_CLIPPING_H

#include "base/array.h"

// Working memory, grown to the largest polygon seen and reused from one polygon to the next.
typedef struct rblEarClipper
{
    const rblAllocator* allocator;
    uint32_t capacity;
    double (*points)[2];       // in: the polygon, counter-clockwise
    double (*sorted)[2];       // the points in the order of `order`
    uint32_t *previous, *next; // the ring of remaining corners
    uint32_t *order,
        *skip;      // corners sorted along one axis, and links over those that cannot be inside an ear
    uint32_t* late; // corners that the links skip but that can be inside an ear again
    uint32_t *queue, *tickets; // corners to test, first in first out, and the last queue position of each
    uint8_t *kinds, *places;   // per corner: its kind, and whether `order` or `late` contains it
    uint32_t count, left;      // corners of the polygon, and remaining ones
    uint32_t queue_begin, queue_end, late_count;
    uint32_t axis;            // the axis of `order`
    uint64_t budget;          // remaining work for this polygon
    uint64_t reserve;         // remaining work for all polygons, beyond the budget of each
    rblIndexArray* triangles; // output
    uint32_t base;            // added to every corner number
} rblEarClipper;

void rbl_ear_clipper_init(rblEarClipper* clipper, const rblAllocator* allocator);
void rbl_ear_clipper_free(rblEarClipper* clipper);

// Capacity for a polygon of `count` corners in clipper->points. False when out of memory.
bool rbl_ear_clipper_reserve(rblEarClipper* clipper, uint32_t count);

// Append exactly count - 2 triangles of the first `count` points as corner numbers plus `base`. A strictly convex
// polygon becomes a fan from its first corner. Every decision is exact: a weakly simple polygon (one that touches
// itself, or holes joined by bridges) is tiled without overlap; triangles without area occur only where no other choice
// exists. Any other polygon (self-intersecting, clockwise) is cut at the least bad corner. The work is limited to a
// multiple of the corners plus a reserve for all polygons together. When it is used up, which needs thousands of corners
// in an adversarial arrangement, the rest of the polygon becomes a fan. False when out of memory.
bool rbl_ear_clip(rblEarClipper* clipper, uint32_t count, uint32_t base, rblIndexArray* triangles);

#endif
