/* inputs.h - what `ilinject instrument` works on: its operands, the assemblies of folders and archives among them, and
 * where each goes. */
#ifndef ILINJECT_CLI_INPUTS_H
#define ILINJECT_CLI_INPUTS_H

#include "command.h"
#include "input_list.h"

typedef struct input_options {
    const char *output; /* NULL: each in its own place */
    bool all;           /* every assembly of a folder, not its own alone */
    bool dry_run;
} input_options;

/* Refuses outputs that are in each other's way, reads the folders and makes the one to write to. The strings are the
 * operands' or the inputs' own. `of`: the command; its usage is shown on an error. Returns the value to exit with; free
 * in any case. */
int inputs_make(inputs *in, console *c, ilj_context *context, const command *of, arguments operands,
                const input_options *options);

/* Removes the folders that this run has made for its outputs. */
void inputs_remove_made(const inputs *in);

/* Copies what stays as it is of each folder to its output, and removes what a run that was killed has left. */
void inputs_copy_folders(inputs *in, console *c, ilj_context *context);

void inputs_free(inputs *in);

#endif
