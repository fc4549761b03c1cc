/* timeline.h - the events of a profile's timeline. */
#ifndef ILINJECT_REPORT_VIEW_TIMELINE_H
#define ILINJECT_REPORT_VIEW_TIMELINE_H

#include "report/model/model.h"

/* The end of a profile's run in the ticks of its timeline: no event lies after it. `profile`: its position. */
uint64_t view_timeline_end(const report *r, size_t profile);

#endif
