/* parts.h - the parts of a page's data that say what leaves are about (docs/leaves.md). */
#ifndef ILINJECT_REPORT_PAGE_PARTS_H
#define ILINJECT_REPORT_PAGE_PARTS_H

#include "report/model/model.h"
#include "report/print/print.h"

/* Writes the names of the parts, where there are leaves. */
void page_parts_write(printer *out, bool has_leaves);

/* A function's part in the page: 0 for a method, else 1 + its place among these names. */
static inline uint64_t page_part_of(const report_function *f) {
    return f->leaf || f->command ? 1 + (uint64_t)f->part : 0;
}

#endif
