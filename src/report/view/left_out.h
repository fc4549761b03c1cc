/* left_out.h - methods that were left out for a price, and which methods have their time. */
#ifndef ILINJECT_REPORT_VIEW_LEFT_OUT_H
#define ILINJECT_REPORT_VIEW_LEFT_OUT_H

#include "report/model/model.h"

/* The reason alone: the names may add who is left out, and within which method. */
bytes view_left_out_reason(const names_left_out *l);

/* Makes the content of `b` the sentence of the one with that number, in the order of the modules: "Vector.Dot,
 * Vector.Add and 26 more, 260081 calls, are within Program.Main", or "Fib, 29860703 calls, except the outermost ones".
 * False: there are no more. */
bool view_left_out(buffer *b, const report *r, uint32_t number);

/* Makes the content of `b` the names of methods that were left out and are within this one, as in "Vector.Dot,
 * Vector.Add and 26 more". False: there are none. */
bool view_left_out_within(buffer *b, const report *r, bytes holder);

#endif
