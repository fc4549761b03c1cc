/* hidden.h - files that have assemblies in them where no reader of assemblies finds them: bundles, packages of phones
 * and browsers, deployments. */
#ifndef ILINJECT_INPUT_HIDDEN_H
#define ILINJECT_INPUT_HIDDEN_H

#include "base/bytes.h"
#include "base/diag.h"

typedef enum hidden_kind {
    HIDDEN_NONE,
#define HIDDEN(id, code, text) HIDDEN_##id,
#include "input/hidden.def"
#undef HIDDEN
    HIDDEN_KINDS,
} hidden_kind;

/* The kind of a file, by its name (with folders or not) and its content. `programs`: native code is searched for what makes
 * it a program of .NET. */
hidden_kind hidden_find(const char *path, bytes content, bool programs);

/* True if a file of this name may be one. Not for programs, .dll and .exe. */
bool hidden_has_name(const char *path);

/* Reports the diag's file as one of that kind, with `more` of them beside it. Returns the status of an error. */
ecma_status hidden_report(hidden_kind kind, diag *d, size_t more);

/* The text alone. */
const char *hidden_text(hidden_kind kind);

#endif
