// Shapes on their way into a file, each once: what they were made from (RCPE in docs/recording.md), after all that they are made
// of, events of fragments (EVNT) among it.
#ifndef RBL_SCENE_RECORD_SHAPE_LEDGER_H
#define RBL_SCENE_RECORD_SHAPE_LEDGER_H

#include "base/hash_map.h"
#include "dynamics/world.h"
#include "scene/record/recording.h"

// The number of a breaker that fragments came from; it may write it.
typedef rblResult rblBreakerNumberFcn(const rblBreaker* breaker, void* context, uint32_t* out);

typedef struct rblShapeLedger
{
    rblRecordingWriter* writer;        // whose sink is empty when shapes are written
    rblHashMap numbers;                // by address; RBL_MAP_EMPTY: not there
    RBL_ARRAY(const rblShape*) shapes; // by number; held
    rblHashMap events;                 // of fragments, by address, which hold them
    uint32_t event_count;
    rblBreakerNumberFcn* number_breaker;
    void* breaker_context;
} rblShapeLedger;

void rbl_shape_ledger_init(rblShapeLedger* ledger, rblRecordingWriter* writer,
                           rblBreakerNumberFcn* number_breaker, void* breaker_context);
void rbl_shape_ledger_free(rblShapeLedger* ledger);

uint32_t rbl_shape_ledger_number(const rblShapeLedger* ledger, const rblShape* shape);

// Give a shape the next number without writing it: readers have it from elsewhere.
rblResult rbl_shape_ledger_know(rblShapeLedger* ledger, const rblShape* shape);

// Write it and what it is made of, unless it has a number. Refused: shapes of the user's own, by name.
rblResult rbl_shape_ledger_write(rblShapeLedger* ledger, const rblShape* shape);

// The shapes of all bodies.
rblResult rbl_shape_ledger_write_world(rblShapeLedger* ledger, const rblWorld* world);

#endif
