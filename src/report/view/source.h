/* source.h - where a function stands in its source, on this machine. */
#ifndef ILINJECT_REPORT_VIEW_SOURCE_H
#define ILINJECT_REPORT_VIEW_SOURCE_H

#include "report/model/model.h"

/* Makes the path of the function's source the content of `path`: as the compiler had it, but for what the options'
 * `sources` put in the place of its beginning. Returns the line of its first statement, from 1; 0, with an empty path:
 * it is not known, as of methods without symbols. */
uint32_t view_source(buffer *path, const report *r, const report_function *f);

/* "Shop.cs:12", without folders, for a row; empty where no line is known. */
void view_place(buffer *place, const report *r, const report_function *f);

#endif
