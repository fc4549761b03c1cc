/* findings.h - findings of a gate, for forges and editors: one list, several formats. */
#ifndef ILINJECT_FINDINGS_FINDINGS_H
#define ILINJECT_FINDINGS_FINDINGS_H

#include "base/buffer.h"
#include "base/diag.h"
#include "report/print/print.h"

/* One finding. Texts are borrowed, and on one line. */
typedef struct finding {
    diag_code code; /* the rule */
    bytes name;     /* full name of the method, so that a forge knows the finding again when lines move */
    bytes rule;     /* a condition that says more than the code; empty: none */
    bytes text;     /* a sentence */
    bytes path;     /* of the source as the profile has it, or mapped; empty: not known */
    uint32_t line;  /* from 1; 0: not known */
} finding;

typedef struct findings {
    const finding *list;
    size_t count;
    const char *root; /* folder of the repository, to which paths are made relative; NULL: not known */
} findings;

/* SARIF 2.1.0 (https://docs.oasis-open.org/sarif/sarif/v2.1.0/os/sarif-v2.1.0-os.html). */
void findings_sarif(printer *out, const findings *f);

/* Workflow commands of GitHub Actions: `::error file=a.cs,line=3,title=...::text`, a line each. */
void findings_github(printer *out, const findings *f);

/* GitLab's Code Quality report: a JSON array. */
void findings_gitlab(printer *out, const findings *f);

/* Appends the path as a repository has it: slashes, without the root and without the `/_/` that builds of continuous
 * integration put in its place. Returns false where it stays absolute. */
bool findings_path(buffer *b, bytes path, const char *root);

#endif
