// Asserts are for our own bugs; bad input gives an rblResult.
#ifndef RBL_BASE_ASSERT_H
#define RBL_BASE_ASSERT_H

#include <assert.h>

#define RBL_ASSERT(condition) assert(condition)

#endif
