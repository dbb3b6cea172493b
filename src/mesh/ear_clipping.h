// Triangles of one polygon in the plane.
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
    uint32_t *previous, *next; // the ring of corners that are left
    uint32_t *order,
        *skip;      // corners sorted along one axis, and how to jump over those that cannot be in the way
    uint32_t* late; // corners that were jumped over and turned out to be in the way after all
    uint32_t *queue, *tickets; // corners to look at, first in first out, and the last place of each in there
    uint8_t *kinds, *places;   // per corner: its shape, and whether it is found through `order` or `late`
    uint32_t count, left;      // corners of the polygon, and those not yet cut off
    uint32_t queue_begin, queue_end, late_count;
    uint32_t axis;            // the one `order` goes along
    uint64_t budget;          // work that may still be spent, on this polygon
    uint64_t reserve;         // and in all, beyond what every polygon has of its own
    rblIndexArray* triangles; // where triangles go
    uint32_t base;            // added to every corner number
} rblEarClipper;

void rbl_ear_clipper_init(rblEarClipper* clipper, const rblAllocator* allocator);
void rbl_ear_clipper_free(rblEarClipper* clipper);

// Room for a polygon of `count` corners in clipper->points. False when out of memory.
bool rbl_ear_clipper_reserve(rblEarClipper* clipper, uint32_t count);

// Append exactly count - 2 triangles of the first `count` points as corner numbers plus `base`. A strictly
// convex polygon becomes a fan from its first corner. Every decision is exact: a weakly simple polygon
// (touching itself, holes joined by bridges) is tiled without overlap, with triangles of no area only where
// no other choice exists. Anything else (self-crossing, wrong way round) is cut at the least bad corner. The
// work is limited to a multiple of the corners plus a reserve for all polygons together; where it runs out,
// which takes thousands of corners arranged to that end, the rest of the polygon is a fan. False when out of
// memory.
bool rbl_ear_clip(rblEarClipper* clipper, uint32_t count, uint32_t base, rblIndexArray* triangles);

#endif
