#ifndef RBL_BASE_TIMER_H
#define RBL_BASE_TIMER_H

// Seconds of a monotonic clock. For measurements only: no result may depend on it.
double rbl_timer_seconds(void);

#endif
