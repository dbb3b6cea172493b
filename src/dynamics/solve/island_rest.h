// What cold starts and direct solves ask of an island: its manifolds, whether it is at rest, and how far it is from solved.
#ifndef RBL_DYNAMICS_SOLVE_ISLAND_REST_H
#define RBL_DYNAMICS_SOLVE_ISLAND_REST_H

#include "dynamics/solve/subspace_system.h"

// List the manifolds of all islands. The list holds until the manifolds are built again.
bool rbl_island_manifolds_list(rblStep* step);

// Make an island the one of the system: its manifolds and the number of its contacts.
void rbl_subspace_choose(rblSubspace* system, uint32_t island);

// Copy the wide contacts of the island to its solver contacts.
void rbl_subspace_unpack(const rblSubspace* system);

// Residual energy, J: the change by one more Gauss-Seidel iteration at each contact. Zero when all contacts are solved.
double rbl_subspace_residual(const rblSubspace* system);

// Kinetic energy that gravity gives to an island in a step, from rest.
double rbl_island_fall(const rblStep* step, const rblIsland* island);

// Whether all bodies of an island are slow.
bool rbl_island_is_at_rest(const rblStep* step, const rblIsland* island);

// Sweeps skip bundles whose lanes are all of idle islands.
void rbl_idle_bundles_find(rblStep* step);

#endif
