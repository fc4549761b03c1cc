/* intake.h - what becomes of a profile that was received: it is read as a report reads it, and kept as a file.
 *
 * The file's name is made of the run alone: program, start, and a hash of what distinguishes runs in the section RUN
 * (program, host, process, start, the run's own number). So a later profile of a run takes the place of the earlier
 * one, also when the server was started again in between, and another run's never does. A merged profile is of no one
 * run: its hash is that of its content. */
#ifndef ILINJECT_SERVE_INTAKE_H
#define ILINJECT_SERVE_INTAKE_H

#include "base/bytes.h"
#include "base/diag.h"
#include "profile/profile.h"

/* How far a run is known, so that a profile that was overtaken on its way does not replace a later one. */
typedef struct intake_run {
    uint64_t hash;
    uint64_t wall_ns;
} intake_run;

typedef struct intake {
    const char *folder; /* borrowed */
    uint32_t most_files;
    uint32_t files;   /* profiles in the folder when they were last counted, and those made since */
    intake_run *runs; /* the last most_files ones that came */
    uint32_t run_count, next_run;
} intake;

#define INTAKE_INIT ((intake){0})

typedef enum intake_outcome {
    INTAKE_KEPT,
    INTAKE_OVERTAKEN, /* the file holds a later profile of the run; nothing was changed */
    INTAKE_BAD,       /* no profile that this program reads; reported to the diag */
    INTAKE_FULL,      /* it would be one file too many */
    INTAKE_FAILED,    /* it cannot be kept; reported to the diag */
} intake_outcome;

enum { INTAKE_NAME_BYTES = 128 };

typedef struct intake_receipt {
    char name[INTAKE_NAME_BYTES]; /* of the file in the folder */
    uint64_t calls;
    uint32_t methods;
    bool again; /* it took the place of one that was there */
} intake_receipt;

/* Returns ECMA_OK, ECMA_IO, ECMA_NO_MEMORY. */
ecma_status intake_open(intake *in, diag *d, const char *folder, uint32_t most_files);
void intake_close(intake *in);

/* The receipt is filled in when it was kept or overtaken. */
intake_outcome intake_take(intake *in, intake_receipt *receipt, bytes content, diag *d);

/* The name of the file for a profile; `content` is the whole of it. */
void intake_name(char name[INTAKE_NAME_BYTES], const profile *p, bytes content);

#endif
