#ifndef RBL_BASE_SUGGEST_H
#define RBL_BASE_SUGGEST_H

#include <stdint.h>

// "Did you mean": the candidate closest to a mistyped word, null when none is close.
const char* rbl_suggest(const char* word, const char* const* candidates, uint32_t count);

#endif
