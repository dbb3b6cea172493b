#include "rubble/version.h"

#define RBL_TEXT_OF(x) #x
#define RBL_TEXT(x)    RBL_TEXT_OF(x)

const char* rbl_version(void)
{
    return RBL_TEXT(RBL_VERSION_MAJOR) "." RBL_TEXT(RBL_VERSION_MINOR) "." RBL_TEXT(RBL_VERSION_PATCH);
}
