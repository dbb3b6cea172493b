/// The one place where the version lives; the build reads it from here.
#ifndef RUBBLE_VERSION_H
#define RUBBLE_VERSION_H

#include "rubble/linkage.h"

/// The version of the headers.
#define RBL_VERSION_MAJOR 0
#define RBL_VERSION_MINOR 1
#define RBL_VERSION_PATCH 0

RBL_EXTERN_C_BEGIN

/// The version of the library that is linked, as "major.minor.patch". Static text, never freed.
RBL_API const char* rbl_version(void);

RBL_EXTERN_C_END

#endif
