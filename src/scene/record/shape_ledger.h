// Writes shapes to a file, each once: how they were made (RCPE in docs/recording.md), after the objects that they were made
// from, including events of fragments (EVNT).
#ifndef RBL_SCENE_RECORD_SHAPE_LEDGER_H
#define RBL_SCENE_RECORD_SHAPE_LEDGER_H

#include "base/hash_map.h"
#include "dynamics/world.h"
#include "scene/record/recording.h"

// The number of the breaker that fragments come from; the function may write the breaker first.
typedef rblResult rblBreakerNumberFcn(const rblBreaker* breaker, void* context, uint32_t* out);

typedef struct rblShapeLedger
{
    rblRecordingWriter* writer;        // its sink must be empty when shapes are written
    rblHashMap numbers;                // by address; RBL_MAP_EMPTY: no number
    RBL_ARRAY(const rblShape*) shapes; // by number; retained
    rblHashMap events;                 // of fragments, by address; retained by the shapes
    uint32_t event_count;
    rblBreakerNumberFcn* number_breaker;
    void* breaker_context;
} rblShapeLedger;

void rbl_shape_ledger_init(rblShapeLedger* ledger, rblRecordingWriter* writer,
                           rblBreakerNumberFcn* number_breaker, void* breaker_context);
void rbl_shape_ledger_free(rblShapeLedger* ledger);

uint32_t rbl_shape_ledger_number(const rblShapeLedger* ledger, const rblShape* shape);

// Give a shape the next number without writing it: readers get it elsewhere.
rblResult rbl_shape_ledger_know(rblShapeLedger* ledger, const rblShape* shape);

// Write a shape and the objects that it was made from, unless it has a number. User-defined shapes are refused by name.
rblResult rbl_shape_ledger_write(rblShapeLedger* ledger, const rblShape* shape);

// The shapes of all bodies.
rblResult rbl_shape_ledger_write_world(rblShapeLedger* ledger, const rblWorld* world);

#endif
