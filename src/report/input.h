/* input.h - the profiles that a report is made of, as they are given. */
#ifndef ILINJECT_REPORT_INPUT_H
#define ILINJECT_REPORT_INPUT_H

#include "base/bytes.h"
#include "base/diag.h"

/* One profile. The diag names its file. */
typedef struct report_input {
    bytes content;
    diag *d;
    bool at_path; /* the content is that of the diag's file */
} report_input;

#endif
