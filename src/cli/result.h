/* result.h - what a command makes of files: a file that appears whole or not at all, or text on standard output. */
#ifndef ILINJECT_CLI_RESULT_H
#define ILINJECT_CLI_RESULT_H

#include "console.h"

/* Writes the result with `write`, to `to`; reports what is wrong with its inputs. */
typedef ilj_status result_maker(void *user, ilj_write_fn *write, void *to);

/* Files that a result is made of: who may not read one of them may not read the result. */
typedef struct result_inputs {
    const char *const *paths;
    size_t count;
} result_inputs;

/* `path`: of the file; NULL: standard output. Returns EXIT_DONE or the exit value of the maker's status; a file that
 * cannot be written is reported, lost output is left to console_close. */
int result_make(console *c, const char *path, const result_inputs inputs[2], result_maker *make, void *user);

#endif
