/* changes.h - which methods a change touches: the lines of a unified diff, of the code before it, as profiles have it.
 */
#ifndef ILINJECT_REPORT_VIEW_CHANGES_H
#define ILINJECT_REPORT_VIEW_CHANGES_H

#include "report/model/model.h"

typedef struct changed_line {
    uint32_t file; /* position */
    uint32_t line; /* from 1: one that goes, or the one before something new */
    bool after;    /* something new stands after it: also the line that follows */
} changed_line;

typedef struct changed_file {
    bytes path;  /* in the diff */
    bool is_new; /* there was no such file before */
    bool known;  /* some method is in it; from changes_mark */
} changed_file;

/* All zero, changes_read for each diff, changes_mark, changes_clear. The texts are in the diffs. */
typedef struct changes {
    changed_file *files;
    uint32_t file_count, file_capacity;
    changed_line *lines;
    uint32_t line_count, line_capacity;
} changes;

/* Returns ECMA_OK, ECMA_NO_MEMORY, or ECMA_CONFIG: *fault says what is wrong in the *line of the diff, from 1. */
ecma_status changes_read(changes *c, bytes diff, const char **fault, uint32_t *line);

/* Marks the functions that have one of the lines: those of the last method that starts at or before it in a file with a
 * path that ends in that of the diff. `wanted`: by function, then by method that was switched off. False: memory ran
 * out. */
bool changes_mark(bool *wanted, changes *c, const report *r);

void changes_clear(changes *c);

#endif
