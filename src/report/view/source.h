/* source.h - where a function stands in its source, on this machine. */
#ifndef ILINJECT_REPORT_VIEW_SOURCE_H
#define ILINJECT_REPORT_VIEW_SOURCE_H

#include "report/model/model.h"

/* Makes the path of the function's source the content of `path`: as the compiler had it, but for what the options'
 * `sources` put in the place of its beginning. Returns the line of its first statement, from 1; 0, with an empty path:
 * it is not known, as of methods without symbols. */
uint32_t view_source(buffer *path, const report *r, const report_function *f);

/* The same of any file that the names have, and a line in it; 0: none. */
uint32_t view_source_of(buffer *path, const report *r, const names *n, uint32_t file, uint32_t line);

/* "Shop.cs:12", of a place that allocates; empty where no line is known. */
void view_site_place(buffer *place, const report *r, const report_site *s);

/* "Shop.cs:12" or "Shop.cs:12, 15": where the function calls the leaf, both positions of functions. Empty as above. */
void view_call_place(buffer *place, const report *r, uint32_t caller, uint32_t leaf);

/* The first of these lines, and its file as of view_source; 0: none is known. */
uint32_t view_call_source(buffer *path, const report *r, uint32_t caller, uint32_t leaf);

/* "Shop.cs:12", without folders, for a row; empty where no line is known. */
void view_place(buffer *place, const report *r, const report_function *f);

#endif
