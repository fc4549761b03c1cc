/* file.h - a MIBC file: an assembly with records in its global methods, as code that never runs.
 *
 *     ldtoken METHOD  [ldstr "ExclusiveWeight" ldc.i4 CALLS]  [ldstr "WeightedCallData" ldc.i4 N (ldtoken ldc.i4)*]
 *     pop pop
 *
 * A method of records for each assembly, and AssemblyDictionary, which names them by `ldstr "NAME;"`. The second pop
 * is for readers: one that cannot resolve a record's method takes what follows up to a pop as part of it, and would
 * lose the next record. */
#ifndef ILINJECT_REPORT_MIBC_FILE_H
#define ILINJECT_REPORT_MIBC_FILE_H

#include "report/mibc/instances.h"

/* Calls of one method by another: positions in `called`. */
typedef struct mibc_edge {
    uint32_t caller, callee;
    uint64_t calls;
} mibc_edge;

/* What it is made of. */
typedef struct mibc_content {
    const instances *of;
    const uint64_t *calls;  /* of each called method; 0: not known */
    const mibc_edge *edges; /* by caller, then as they are written; no two have the same methods */
    uint32_t edge_count;
} mibc_content;

/* Appends the file to `out`, which is empty. The records stand in the order of the called methods; instances of one
 * stand together, its weights at the first one. The same content gives the same bytes. *records: how many there are.
 * Returns ECMA_OK, ECMA_UNSUPPORTED (a limit of the format), ECMA_NO_MEMORY. */
ecma_status mibc_file_make(buffer *out, uint32_t *records, const mibc_content *content, diag *d);

#endif
