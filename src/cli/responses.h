/* responses.h - response files: an argument @FILE stands for the arguments in FILE, one a line.
 *
 * A line is an argument as it is, spaces, quotes and backslashes included; empty lines are none. A carriage return at
 * the end of a line and a byte order mark are not part of it. A line can name another response file. After "--" there
 * are none; nor is the value of an option one, as in --include @My.Attribute. */
#ifndef ILINJECT_CLI_RESPONSES_H
#define ILINJECT_CLI_RESPONSES_H

#include "options.h"

typedef struct responses {
    char **items; /* the arguments with those of the files; the strings are the caller's or below */
    size_t count;
    char **texts; /* of the files, cut into lines */
    size_t text_count;
} responses;

/* `table` has the command's options. False: `error` says what is wrong with a file. Free in any case. */
bool responses_expand(responses *r, usage_error *error, const option_row *table, char **items, size_t count);
void responses_free(responses *r);

#endif
