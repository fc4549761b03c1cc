/* inputs.h - what `ilinject instrument` works on: its operands, the assemblies of folders among them, and where each
 * goes. */
#ifndef ILINJECT_CLI_INPUTS_H
#define ILINJECT_CLI_INPUTS_H

#include "command.h"
#include "summary.h"

typedef struct inputs {
    file_result *files; /* those of folders in the order of their names */
    size_t work, count; /* those from `work` on are refused already: single-file programs */
    folder_result *folders;
    ilj_folder **read; /* one for each of the folders */
    size_t folder_count;
    bool failed; /* a folder could not be read or copied whole; told */
    char **owned;
    size_t owned_count;
} inputs;

typedef struct input_wishes {
    const char *output; /* NULL: each in its own place */
    bool all;           /* every assembly of a folder, not its own alone */
    bool dry_run;
} input_wishes;

/* Refuses outputs that are in each other's way, reads the folders and makes the one to write to. The strings are the
 * operands' or the inputs' own. Returns the value to exit with; free in any case. */
int inputs_make(inputs *in, console *c, ilj_context *context, arguments operands, const input_wishes *wishes);

/* Copies what stays as it is of each folder to its output, and removes what a run that was killed has left. */
void inputs_copy_folders(inputs *in, console *c, ilj_context *context);

void inputs_free(inputs *in);

#endif
