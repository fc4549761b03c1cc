/* figures.h - how the figures that are counted for each node are named and written. */
#ifndef ILINJECT_REPORT_MODEL_FIGURES_H
#define ILINJECT_REPORT_MODEL_FIGURES_H

#include "profile/profile.h"
#include "report/print/format.h"

typedef struct figure_kind {
    const char *name;              /* of a gate, and of an event of callgrind: "bytes" */
    const char *field;             /* of JSON and CSV, after exclusive_ and inclusive_: "pause_ns" */
    const char *title, *all_title; /* of columns */
    const char *what;              /* "bytes allocated" */
    const char *unit;              /* speedscope's */
} figure_kind;

extern const figure_kind figure_kinds[FIGURES];

/* As a column has it: a count, or of a pause a time. */
figure figure_format(profile_figure kind, uint64_t value);

#endif
