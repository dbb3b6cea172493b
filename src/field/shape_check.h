// Checks of shapes, for tests and for runs that look for bugs: what every query may rely on. RBL_ERROR_FORMAT with a message that names
// the first invariant that does not hold, and where. Nothing changes.
#ifndef RBL_FIELD_SHAPE_CHECK_H
#define RBL_FIELD_SHAPE_CHECK_H

#include "base/error.h"
#include "field/fragment/fragment_event.h"
#include "field/samples/samples.h"

#define RBL_SHAPE_CHECK(condition, what, where)                                                              \
    do                                                                                                       \
    {                                                                                                        \
        if (!(condition))                                                                                    \
        {                                                                                                    \
            return rbl_fail(RBL_ERROR_FORMAT, "%s (%zu)", (what), (size_t)(where));                          \
        }                                                                                                    \
    } while (0)

// Every point but the first has one parent, before it; reaches cover all descendants; children repeat what their nodes say.
rblResult rbl_sample_tree_check(const rblSampleTree* tree);

// Labels, weights, cut tetrahedra and their parts agree with each other, with the mesh and with the event before; so do the events
// before.
rblResult rbl_fragment_event_check(const rblFragmentEvent* event);

#endif
