// Strength in space: factors of the material's strength and toughness.
#ifndef RBL_FRACTURE_STRESS_STRENGTH_FIELD_H
#define RBL_FRACTURE_STRESS_STRENGTH_FIELD_H

#include "base/bytes.h"
#include "base/memory.h"
#include "rubble/stress.h"

typedef struct rblStrengthField
{
    rblStrengthVariation variation;
    uint64_t seed;
    uint32_t size[3]; // of the grid; 0: none
    double* factors;  // size[0] * size[1] * size[2], x fastest; at the middles of equal boxes
    const rblAllocator* allocator;
} rblStrengthField;

// Check the variation and read its file.
rblResult rbl_strength_field_init(rblStrengthField* field, const rblStrengthVariation* variation,
                                  uint64_t seed, const rblAllocator* allocator);

// Write the grid as bytes (none without a grid), and read it into a field without a grid. Refused: incomplete bytes, factors that are not
// positive and finite.
void rbl_strength_grid_put(const rblStrengthField* field, rblByteSink* sink);
rblResult rbl_strength_grid_take(rblByteSource* source, rblStrengthField* field);
void rbl_strength_field_free(rblStrengthField* field);

// The factor at a point of a body with those bounds, above 0.
double rbl_strength_factor(const rblStrengthField* field, const rblAabbd* bounds, rblVec3d point);

// A grid out of a file in memory; `out` has the capacity of its sizes and gets the factors.
rblResult rbl_strength_grid_parse(const uint8_t* bytes, size_t size, const char* name,
                                  rblStrengthField* field);

#endif
