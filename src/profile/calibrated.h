/* calibrated.h - a thread's times without the probes' cost, by the calibration of its run. For correct.c alone. */
#ifndef ILINJECT_PROFILE_CALIBRATED_H
#define ILINJECT_PROFILE_CALIBRATED_H

#include "profile/corrected.h"

/* Sets the times of all nodes, and what their probes have cost. False when memory ran out. */
bool correct_by_calibration(corrected_thread *made, const profile_run *run);

#endif
