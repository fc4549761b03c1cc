/* one_call.h - methods that spent most of their time in one call: a first call, that compiles and loads, a collection that
 * it met, or a pause of the machine. An average says nothing of such a method. */
#ifndef ILINJECT_REPORT_VIEW_ONE_CALL_H
#define ILINJECT_REPORT_VIEW_ONE_CALL_H

#include "report/model/model.h"

/* Which functions stand out, without those that have it from what they call, and without recursive ones: of these the
 * outermost call holds the others. A flag a function, to be freed; NULL without memory. */
bool *view_one_call_find(const aggregate *a);

/* Of those that were found the one with the longest call, which is then taken out; NULL: there is none. */
const report_function *view_one_call_take(const report *r, bool *found);

/* Is it so large a part of all time that it stands above the table? */
bool view_one_call_is_large(const report *r, const report_function *f);

#endif
