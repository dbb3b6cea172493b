// Readers and writers of tetrahedra; tets_io.c dispatches to them.
#ifndef RBL_IO_TETS_TETS_FILES_H
#define RBL_IO_TETS_TETS_FILES_H

#include "base/hash_map.h"
#include "io/readers.h"
#include "mesh/tets/tets.h"

// Collects the elements that a reader finds. Nodes are identified by the numbers of the file; unused nodes are dropped.
typedef struct rblTetsCollector
{
    const rblSource* source;
    rblVec3dArray positions; // of all nodes, as they come
    rblHashMap numbers;      // from the number in the file to the index in `positions`
    rblIndexArray nodes;     // four per tetrahedron: indices in `positions`
    rblIndexArray regions;
} rblTetsCollector;

void rbl_tets_collector_init(rblTetsCollector* collector, const rblSource* source);
void rbl_tets_collector_free(rblTetsCollector* collector);

// `at` is the position in the source for messages. RBL_ERROR_FORMAT: a number that occurs twice, or a position that is
// not finite.
rblResult rbl_collect_node(rblTetsCollector* collector, uint64_t number, rblVec3d position, const void* at);

// RBL_ERROR_FORMAT: a node that does not exist.
rblResult rbl_collect_tet(rblTetsCollector* collector, const uint64_t numbers[4], uint32_t region,
                          const void* at);

// Fill an empty collector. Errors name file and line or byte.
rblResult rbl_read_msh(rblTetsCollector* collector);
rblResult rbl_read_vtu(rblTetsCollector* collector);

// The two files of TetGen; the collector's source is that of the tetrahedra.
rblResult rbl_read_tetgen(rblTetsCollector* collector, const rblSource* nodes);

// Make a mesh of the collected elements.
rblResult rbl_tets_collector_finish(rblTetsCollector* collector, rblTets** out);

rblResult rbl_write_msh(const rblTetsView* view, uint32_t tet_count, rblWriter* writer);
rblResult rbl_write_vtu(const rblTetsView* view, uint32_t tet_count, rblWriter* writer);

#endif
