/// Linkage macros used by every public header.
#ifndef RUBBLE_LINKAGE_H
#define RUBBLE_LINKAGE_H

#include <stddef.h>

/// In front of every public function: visible from outside of the library.
#if defined(_WIN32) && !defined(RBL_STATIC)
#if defined(RBL_BUILD_SHARED)
#define RBL_API __declspec(dllexport)
#else
#define RBL_API __declspec(dllimport)
#endif
#elif defined(RBL_BUILD_SHARED) && defined(__GNUC__)
#define RBL_API __attribute__((visibility("default")))
#else
#define RBL_API
#endif

/// After a function that takes a format and its values as printf does: compilers then check one against the other. The numbers
/// are those of the parameters, counted from 1.
#if defined(__GNUC__)
#define RBL_PRINTF_LIKE(text, first) __attribute__((format(printf, text, first)))
#else
#define RBL_PRINTF_LIKE(text, first)
#endif

/// Around all declarations: C linkage for those who include them from C++.
#ifdef __cplusplus
#define RBL_EXTERN_C_BEGIN                                                                                   \
    extern "C"                                                                                               \
    {
#define RBL_EXTERN_C_END }
#else
#define RBL_EXTERN_C_BEGIN
#define RBL_EXTERN_C_END
#endif

#endif
