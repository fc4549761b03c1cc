/* choice_file.h - a choice (counts.h) as a configuration file that leaves out the same methods: `report --suggest=FILE
 * --overhead=N%`. */
#ifndef ILINJECT_REPORT_CHOICE_FILE_H
#define ILINJECT_REPORT_CHOICE_FILE_H

#include "choice/counts.h"
#include "ilinject.h"
#include "report/input.h"

/* Reads one input and adds it; as counts_add_file. */
ecma_status choice_file_add(counts *c, const report_input *input);

/* Reads the inputs, all of them, so that each bad one is reported, and writes an exact exclude for each method that is
 * left out, most calls first, and how many calls it had. A method that no pattern can name is said to be there. Returns
 * what report_run returns. */
ecma_status choice_file_write(const report_input *inputs, size_t count, unsigned percent, ilj_write_fn *write,
                              void *user);

#endif
