/* serve_rows.h - the rows of a profile that was received (docs/fleet/rows.md), in a file of their own:
 * FOLDER/rows/DAY/NAME.ndjson, DAY being that of the run's start (UTC), NAME the profile's. A later profile of a run
 * has the same place. */
#ifndef ILINJECT_CLI_SERVE_ROWS_H
#define ILINJECT_CLI_SERVE_ROWS_H

#include "console.h"

/* Makes FOLDER/rows. False: it cannot be, which is reported. */
bool serve_rows_open(console *c, const char *folder);

/* Writes the rows of the file `name` of the folder, whole or not at all. Returns ILJ_OK, ILJ_IO or ILJ_NO_MEMORY, or
 * what a report says of its input; `problem`, of ILJ_PROBLEM_BYTES, is then the reason. */
ilj_status serve_rows_write(const char *folder, const char *name, char *problem);

#endif
