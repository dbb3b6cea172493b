// The thread primitives that Rubble needs. WebAssembly has one thread; there they do nothing.
#ifndef RBL_BASE_THREAD_H
#define RBL_BASE_THREAD_H

#if defined(__wasm__)
#define RBL_HAS_THREADS 0

typedef int rblMutex;
#define RBL_MUTEX_INIT          0
#define rbl_mutex_lock(mutex)   ((void)(mutex))
#define rbl_mutex_unlock(mutex) ((void)(mutex))
#define rbl_thread_pause()      ((void)0)
#define rbl_thread_yield()      ((void)0)

#else
#define RBL_HAS_THREADS 1
#include <pthread.h>
#include <sched.h>
#if defined(__SSE2__)
#include <emmintrin.h>
#endif

// pthreads rather than C11 threads, because ThreadSanitizer supports only the former.
typedef pthread_mutex_t rblMutex;
#define RBL_MUTEX_INIT          PTHREAD_MUTEX_INITIALIZER
#define rbl_mutex_lock(mutex)   ((void)pthread_mutex_lock(mutex))
#define rbl_mutex_unlock(mutex) ((void)pthread_mutex_unlock(mutex))

// While spinning: let the hyper-thread of the core run, and let another thread use the core.
#if defined(__SSE2__)
#define rbl_thread_pause() _mm_pause()
#else
#define rbl_thread_pause() ((void)0)
#endif
#define rbl_thread_yield() ((void)sched_yield())

#endif

#endif
