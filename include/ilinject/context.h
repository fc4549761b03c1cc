/* ilinject/context.h - what all functions of the interface are given: where diagnostics go. */
#ifndef ILINJECT_CONTEXT_H
#define ILINJECT_CONTEXT_H

#include <stdbool.h>
#include <stddef.h>

#include "status.h"

#ifdef __cplusplus
extern "C" {
#endif
#ifdef __ELF__
#pragma GCC visibility push(default)
#endif

typedef enum ilj_severity { ILJ_INFO, ILJ_WARNING, ILJ_ERROR } ilj_severity;

/* One diagnostic. `code` is stable (ilj_explain_word); all strings live only during the call. */
typedef struct ilj_diagnostic {
    const char *file; /* the input concerned, as the caller named it; a configuration file as rules.xml(LINE) */
    ilj_severity severity;
    const char *code; /* "ILJ0123" */
    const char *text; /* one line, without a newline */
} ilj_diagnostic;

typedef void ilj_diagnostic_fn(void *user, const ilj_diagnostic *diagnostic);

/* Receives output text in pieces; returns 0, or nonzero to stop (the job then ends with ILJ_IO). */
typedef int ilj_write_fn(void *user, const char *text, size_t length);

typedef struct ilj_context ilj_context;

/* The sink may be NULL: diagnostics are then dropped. Returns ILJ_OK, ILJ_NO_MEMORY. */
ilj_status ilj_context_new(ilj_context **context, ilj_diagnostic_fn *sink, void *user);
void ilj_context_free(ilj_context *context);

/* Writes, for people, in lines of at most 80 columns, what a word means: the code of a diagnostic ("ILJ0435" or
 * "435"), a setting of the tracker, a column of the report's table, in any case; "diagnostics", "settings" or "columns"
 * is the list of these, NULL all three. Returns false for another word; `near` then has the names that are near, ended
 * by NULL. */
enum { ILJ_NEAR_WORDS = 3 };
bool ilj_explain_word(const char *near[ILJ_NEAR_WORDS + 1], const char *word, ilj_write_fn *write, void *user);

#ifdef __ELF__
#pragma GCC visibility pop
#endif
#ifdef __cplusplus
}
#endif
#endif
