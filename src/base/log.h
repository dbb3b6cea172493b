#ifndef RBL_BASE_LOG_H
#define RBL_BASE_LOG_H

#include "base/error.h"
#include "rubble/log.h"

// Send one line to the log hook; nothing is formatted without a hook.
void rbl_log_message(rblLogLevel level, const char* format, ...) RBL_PRINTF_LIKE(2, 3);

#endif
