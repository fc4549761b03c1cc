/* pack.h - the page's data as its script element: plain JSON, or deflated where that is worth it. */
#ifndef ILINJECT_REPORT_PAGE_PACK_H
#define ILINJECT_REPORT_PAGE_PACK_H

#include "report/print/print.h"

/* JSON of more bytes is deflated: a small page stays readable for people, programs and old browsers. */
enum { PAGE_MOST_PLAIN = 128 * 1024 };

/* RFC 4648, section 4. */
void page_base64(printer *out, bytes data);

/* Writes the element #profile: `json`, or as base64 its zlib stream (RFC 1950), which page/model.js inflates. False
 * when memory ran out. */
bool page_data_element(printer *out, bytes json);

#endif
