/* diag.h - where the detail of an error goes: once, where it is understood, to the sink the caller passed.
 *
 * A diag belongs to one input file. Each code is a row of diagnostics.def, which also fixes the severity and the
 * status: `return diag_report(d, DIAG_PE_TRUNCATED, "...", ...)` reports and fails in one step. */
#ifndef ECMA335_BASE_DIAG_H
#define ECMA335_BASE_DIAG_H

#include "base/status.h"

typedef enum diag_severity { DIAG_INFO, DIAG_WARNING, DIAG_ERROR } diag_severity;

typedef enum diag_code {
#define DIAG(number, name, severity, status, meaning) DIAG_##name = number,
#include "base/diagnostics.def"
#undef DIAG
} diag_code;

typedef void diag_sink(void *user, const char *file, diag_severity severity, diag_code code, const char *text);

typedef struct diag {
    diag_sink *sink; /* may be NULL: nothing is reported */
    void *user;
    const char *file; /* as the caller named it; borrowed */
    unsigned errors;  /* reported so far */
    unsigned warnings;
} diag;

/* Reports one line and returns the code's status (ECMA_OK for infos and warnings). Text over 1,000 bytes is cut.
 * Control characters from the input are replaced by '?', so that a diagnostic stays one line. */
ecma_status diag_report(diag *d, diag_code code, const char *format, ...) __attribute__((format(printf, 3, 4)));

/* Shorthand for the code with which every layer reports that memory ran out. */
ecma_status diag_no_memory(diag *d);

diag_severity diag_severity_of(diag_code code);
ecma_status diag_status_of(diag_code code);
const char *diag_meaning_of(diag_code code);

#endif
