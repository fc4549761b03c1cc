/* keep.h - whether the native code of an image can stay beside changed IL, and which of it. */
#ifndef ECMA335_READY_TO_RUN_KEEP_H
#define ECMA335_READY_TO_RUN_KEEP_H

#include "ready_to_run/tables.h"

/* NULL when it is sure that code which is kept means what it meant after rows were added, also to AssemblyRef, and
 * bodies were replaced, and when all code that holds the body of a method is known. Else why not: a static text.
 * All of the image that r2r_keep_close and r2r_tables_plan read has been read. `method_rows`: of MethodDef. */
const char *r2r_why_not_kept(const r2r_image *r, uint32_t method_rows);

/* Of each MethodDef row the rows that have inlined it: list[first[row]] to list[first[row + 1]]. Both are the arena's.
 */
typedef struct r2r_inliners {
    uint32_t *first, *list;
} r2r_inliners;

/* `rows`: of MethodDef. Returns ECMA_OK, ECMA_BAD_FILE (not reported), ECMA_NO_MEMORY (not reported). */
ecma_status r2r_inliners_read(r2r_inliners *found, const r2r_image *r, uint32_t rows, arena *a);

/* Finds the rows that have code, as themselves or as instantiations. Returns ECMA_OK, ECMA_NO_MEMORY (not reported). */
ecma_status r2r_rows_with_code(r2r_rows *have, const r2r_image *r, uint32_t rows, arena *a);

/* Adds to the rows those that have inlined one of them, and those that have inlined these. Returns ECMA_OK,
 * ECMA_BAD_FILE (not reported), ECMA_NO_MEMORY (not reported). */
ecma_status r2r_keep_close(r2r_rows *rows, const r2r_image *r, arena *a);

#endif
