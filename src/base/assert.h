// Asserts are for our own bugs; bad input is answered with an rblResult.
#ifndef RBL_BASE_ASSERT_H
#define RBL_BASE_ASSERT_H

#include <assert.h>

#define RBL_ASSERT(condition) assert(condition)

#endif
