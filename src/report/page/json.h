/* json.h - JSON in a page. */
#ifndef ILINJECT_REPORT_PAGE_JSON_H
#define ILINJECT_REPORT_PAGE_JSON_H

#include "base/bytes.h"
#include "report/view/facts.h"

/* A string. A `<` is written as an escape, so that nothing can end the element around it. */
void page_string(printer *out, bytes s);

/* A field of an object, after a comma. */
void page_text_field(printer *out, const char *name, bytes s);
void page_field(printer *out, const char *name, uint64_t value);

/* How the facts of the view are written. */
extern const view_style page_facts;

/* Element `i` of an array. */
void page_element(printer *out, uint32_t i, uint64_t value);

#endif
