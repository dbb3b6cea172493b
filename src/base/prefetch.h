// Ask for memory ahead of time, where what is needed next is known before it is needed.
#ifndef RBL_BASE_PREFETCH_H
#define RBL_BASE_PREFETCH_H

#if defined(__GNUC__)
#define RBL_PREFETCH(address) __builtin_prefetch(address)
#else
#define RBL_PREFETCH(address) ((void)(address))
#endif

#endif
