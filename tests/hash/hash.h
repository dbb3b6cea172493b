// What the areas are made of: every number goes into the hash of its area.
#ifndef RBL_TESTS_HASH_H
#define RBL_TESTS_HASH_H

#include "base/hash_map.h"
#include "base/random.h"
#include "rubble/math.h"
#include "rubble/rubble.h"

extern uint64_t area_hash;

void add_double(double value);
void add_u32(uint32_t value);
void add_box(const rblAabb* box);

// Print the hash, and begin the next.
void print_area(const char* name);

// End the program when a call fails.
void require(rblResult result, const char* what);

// Within 1 of the origin.
rblVec3d random_point(rblRandom* random);

// ---- areas (hash_meshes.c, hash_worlds.c) ----

void hash_solids(void);
void hash_simplify(rblMeshId mesh);
void hash_repair(rblMeshId mesh);
void hash_trees(rblMeshId mesh);
void hash_tetrahedra(rblMeshId mesh);
void hash_patterns(void);
void hash_picture(rblMeshId mesh);
void hash_fields(rblMeshId mesh);
void hash_broad_phase(void);
void hash_convex(void);
void hash_world(rblMeshId mesh);
void hash_breaks(void);
void hash_prescored(rblMeshId mesh);

#endif
