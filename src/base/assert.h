// Asserts are for our own bugs; bad input gives an rblResult.
#ifndef RBL_BASE_ASSERT_H
#define RBL_BASE_ASSERT_H

#include <assert.h>

#define RBL_ASSERT(condition) assert(condition)

#ifdef NDEBUG
#define RBL_HAS_ASSERTS 0
#else
#define RBL_HAS_ASSERTS 1
#endif

#endif
