/* run_end.h - the end of `ilinject run`: the profile's name, and what it says when there is none. */
#ifndef ILINJECT_CLI_RUN_END_H
#define ILINJECT_CLI_RUN_END_H

#include "run_profile.h"

/* A run that dies writes nothing, whatever it has called. A file where its profile would be is of a run before.
 * `value`: what the program ended with. */
void run_says_none_written(const run_profile *l, const char *command, int value);

/* The program that the command `dotnet` or `mono` is given; NULL: none, or another command. */
const char *run_given_program(arguments command);

/* True for an exit value with which .NET's host says that it did not start the program, for lack of a framework or by a
 * damaged deps.json. A program may choose the same. */
bool run_did_not_start(int value);

/* The usual name of the profile, that of its only process, else that of the command; for the caller to free. */
char *run_usual_output(char *const *profiles, size_t count, const char *command);

#endif
