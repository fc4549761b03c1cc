/* trust.h - how far a report's times can be trusted, in words. */
#ifndef ILINJECT_REPORT_VIEW_TRUST_H
#define ILINJECT_REPORT_VIEW_TRUST_H

#include "base/buffer.h"
#include "report/model/model.h"

/* The part of the processors' time that others than this process used, in permille; 0: none, or not known. */
uint64_t view_used_by_others(const profile_run *run);

/* Appends what times lie between two ends for: "recording and other programs", what a fifth of the ranges and more is
 * due to, most first. False: there are no ranges. */
bool view_why_open(buffer *out, const report *r);

/* Appends how much of the time is in methods with an own time that may be wrong, and why: in few words where it would
 * not fit into `most` columns. */
void view_describe_trust(buffer *out, const report *r, size_t most);

#endif
