/* run_input.h - the standard input of a program that runs twice. */
#ifndef ILINJECT_CLI_RUN_INPUT_H
#define ILINJECT_CLI_RUN_INPUT_H

#include "console.h"

/* Keeps the input for two runs. *twice becomes false where that cannot be, which is said. Returns EXIT_DONE, or
 * EXIT_NOT_STARTED where a part of it is lost (reported). */
int run_keep_input(bool *twice, console *c, const char *folder);

#endif
