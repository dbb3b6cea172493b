// The few thread primitives we need. WebAssembly has one thread, and there they do nothing.
#ifndef RBL_BASE_THREAD_H
#define RBL_BASE_THREAD_H

#if defined(__wasm__)
#define RBL_HAS_THREADS 0

typedef int rblMutex;
#define RBL_MUTEX_INIT          0
#define rbl_mutex_lock(mutex)   ((void)(mutex))
#define rbl_mutex_unlock(mutex) ((void)(mutex))

#else
#define RBL_HAS_THREADS 1
#include <pthread.h>

// pthreads rather than C11 threads: ThreadSanitizer sees through the former only.
typedef pthread_mutex_t rblMutex;
#define RBL_MUTEX_INIT          PTHREAD_MUTEX_INITIALIZER
#define rbl_mutex_lock(mutex)   ((void)pthread_mutex_lock(mutex))
#define rbl_mutex_unlock(mutex) ((void)pthread_mutex_unlock(mutex))

#endif

#endif
