/* listing.h - the text of sources in a page, where a report was asked for it. */
#ifndef ILINJECT_REPORT_PAGE_LISTING_H
#define ILINJECT_REPORT_PAGE_LISTING_H

#include "report/model/model.h"
#include "report/print/print.h"

enum {
    LISTING_BEFORE = 6,      /* lines before that of a method's first statement ... */
    LISTING_AFTER = 40,      /* ... and after it */
    LISTING_MOST = 4 << 20,  /* bytes of all lines in a page */
    LISTING_LINE = 1000,     /* of one line */
    LISTING_FILE = 16 << 20, /* larger files are not read */
};

/* What the files of a page share. */
typedef struct page_listing {
    size_t room; /* bytes that lines may still take */
} page_listing;

/* Writes an element of the field `sources` for the file of these functions, by lines in ascending order:
 * `parts` (of each run of lines the first one's number, then each line), and `changed` or `cut` where it is so; or
 * `missing`, why it is not there. A file is read by its absolute path, or by one that --source gives; none that has a
 * `..` in it. False: memory ran out. */
bool page_listing_write(printer *out, page_listing *l, const report *r, const report_function *in,
                        const uint32_t *lines, uint32_t count);

#endif
