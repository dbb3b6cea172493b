// What tests of the stress breaker share.
#ifndef RBL_TESTS_STRESS_TESTING_H
#define RBL_TESTS_STRESS_TESTING_H

#include "prescored_testing.h"
#include "rubble/stress.h"

static inline const rblBreaker* make_stress(const rblStressDef* def)
{
    rblBreakerId id;
    const rblBreaker* breaker = NULL;
    check_ok(rbl_breaker_create_stress(def, &id));
    check_ok(rbl_breaker_acquire(id, &breaker));
    check_ok(rbl_breaker_destroy(id));
    return breaker;
}

#endif
