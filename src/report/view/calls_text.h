/* calls_text.h - a call that was seen with its values, for people. */
#ifndef ILINJECT_REPORT_VIEW_CALLS_TEXT_H
#define ILINJECT_REPORT_VIEW_CALLS_TEXT_H

#include "base/buffer.h"
#include "report/model/model.h"

/* Appends one of them for people: whole with its name, about `most` bytes of each value; what its name is followed by
 * where it begins; what it returned, threw and changed, after a space, or nothing. */
void calls_describe(buffer *b, const report *r, const profile *p, const calls_call *call, size_t most);
void calls_describe_begin(buffer *b, const calls_method *m, const calls_call *call);
void calls_describe_end(buffer *b, const calls_method *m, const calls_call *call);

#endif
