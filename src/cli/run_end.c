#define _GNU_SOURCE
#include "run_end.h"

#include "platform/path.h"
#include "platform/system.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void run_says_none_written(console *c, const char *output, bool is_copy, const char *command, int value) {
    const char *ending = system_ending();
    const char *hint = is_copy ? "" : "; 'ilinject run APP.dll' instruments a copy of it first";
    const char *name = path_name(command), *dot = strrchr(name, '.');
    char *before = NULL;
    if (output)
        before = strdup(output);
    else if (asprintf(&before, "%.*s.ilprof", (int)(dot ? dot - name : (ptrdiff_t)strlen(name)), name) < 0)
        before = NULL;
    if (ending)
        console_error(c, "no profile was written: %s was ended by %s before the first one%s", command, ending, hint);
    else if (value != EXIT_DONE)
        console_error(c,
                      "no profile was written: nothing that is instrumented was called, or %s ended in a way that "
                      "writes none, as FailFast does%s",
                      command, hint);
    else
        console_error(c, "no profile was written: nothing that is instrumented was called%s", hint);
    if (before && system_exists(before))
        console_warning(c, "%s is of an earlier run", before);
    free(before);
}
