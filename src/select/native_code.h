/* native_code.h - which of the code that was compiled ahead (ReadyToRun) an output keeps, and the tables that say so.
 *
 * A method that is instrumented loses its code, and so does each that it was inlined into: the runtime compiles them
 * when they are called. */
#ifndef ILINJECT_SELECT_NATIVE_CODE_H
#define ILINJECT_SELECT_NATIVE_CODE_H

#include "ready_to_run/tables.h"
#include "select/bodies.h"

typedef struct native_code {
    const r2r_image *image;
    r2r_rows dropped;
    r2r_tables tables;
    uint32_t methods, kept; /* that have code, as themselves or as instantiations, and that keep it */
} native_code;

/* Finds which methods keep their code, where ready_to_run_keep has decided that it stays. Returns ECMA_OK, ECMA_BUG
 * (reported: what was read before cannot be read), ECMA_NO_MEMORY (reported). */
ecma_status native_code_find(native_code *n, const r2r_image *r, const bodies *b, ilj_image *image);

/* False when so few methods keep their code that the output is better off without any: the tables and all the code
 * would stay in it. */
bool native_code_is_worth_it(const native_code *n);

/* Plans the tables, of bodies that are settled. Returns what native_code_find returns. */
ecma_status native_code_plan(native_code *n, ilj_image *image);

/* Writes the tables to where they lie in the output, and into the headers of their sections that they lie there. An
 * RVA of 0: there is no such table. */
void native_code_write(const native_code *n, uint32_t methods_rva, uint8_t *methods, uint32_t instances_rva,
                       uint8_t *instances, uint8_t *out);

/* Reads the output: what was dropped is gone, what was kept leads to the code that it led to. */
bool native_code_reads_back(const native_code *n, const pe_image *output);

#endif
