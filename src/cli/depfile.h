/* depfile.h - what outputs depend on, for make and ninja: one rule, and an empty one for each file that was found on
 * the way, so that its absence one day is no error.
 *
 * Written as gcc writes them: "\ " for a space, "\#", "$$". */
#ifndef ILINJECT_CLI_DEPFILE_H
#define ILINJECT_CLI_DEPFILE_H

#include "inputs.h"

typedef struct depfile_options {
    const char *path;
    const char *target;        /* NULL: the outputs */
    const char *const *others; /* files that decided every output: configuration, tracker, key; NULLs are passed over */
    size_t other_count;
    const option_list *profiles; /* the same */
} depfile_options;

/* Returns the value to exit with. */
int depfile_write(console *c, ilj_context *context, const inputs *in, arguments operands,
                  const depfile_options *options);

#endif
