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
    uint32_t *previous, *next; // the ring of corners that are left
    uint32_t *order, *skip;    // corners sorted along one axis, and how to jump over the removed ones
    uint32_t* queue;           // corners to look at, first in first out; each at most once
    uint8_t *kinds, *queued;   // per corner
    uint32_t count, left;      // corners of the polygon, and those not yet cut off
    uint32_t queue_head, queue_count;
    uint32_t axis;            // the one `order` goes along
    uint64_t budget;          // comparisons that may still be made
    rblIndexArray* triangles; // where triangles go
    uint32_t base;            // added to every corner number
} rblEarClipper;

void rbl_ear_clipper_init(rblEarClipper* clipper, const rblAllocator* allocator);
void rbl_ear_clipper_free(rblEarClipper* clipper);

// Room for a polygon of `count` corners in clipper->points. False when out of memory.
bool rbl_ear_clipper_reserve(rblEarClipper* clipper, uint32_t count);

// Append exactly count - 2 triangles of the first `count` points as corner numbers plus `base`. A strictly convex polygon becomes
// a fan from its first corner. Every decision is exact: a weakly simple polygon (touching itself, holes joined by
// bridges) is tiled without overlap, with triangles of no area only where no other choice exists. Anything else
// (self-crossing, wrong way round) is cut at the least bad corner. The work is limited to a fixed number of
// comparisons per corner; beyond it, which takes thousands of corners arranged to that end, the rest is a fan.
// False when out of memory.
bool rbl_ear_clip(rblEarClipper* clipper, uint32_t count, uint32_t base, rblIndexArray* triangles);

#endif
