#include "tool.h"
#include <stdlib.h>
#if defined(__GLIBC__)
#include <malloc.h>
#endif

// Memory that was used once is kept to be used again: given back to the system and fetched anew, page by page, it takes up to a fifth of
// the time of a break.
static void keep_memory(void)
{
#if defined(__GLIBC__)
    (void)mallopt(M_MMAP_THRESHOLD, 32 << 20); // no more is allowed
    (void)mallopt(M_TRIM_THRESHOLD, 1 << 30);
#endif
}

int main(int argument_count, char** arguments)
{
    keep_memory();
    return tool_main(argument_count, (const char* const*)arguments);
}
