#define _GNU_SOURCE
#include "run_end.h"

#include "platform/path.h"
#include "platform/system.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

bool run_did_not_start(int value) {
    /* The last byte of the status codes that .NET's host ends with (StatusCode), 0x80008081 to 0x800080A6. */
    enum { FIRST = 0x81, LAST = 0xA6 };
    unsigned code = (unsigned)value, status = code & 0xFF;
    return !system_ending() && (code == status || code >> 8 == 0x800080) && status >= FIRST && status <= LAST;
}

char *run_usual_output(char *const *profiles, size_t count, const char *command) {
    static const char ending[] = ".ilprof";
    const char *name = path_name(count == 1 ? profiles[0] : command);
    const char *end = name + strlen(name);
    if (count == 1) {
        end -= sizeof ending - 1;
        while (end > name && end[-1] != '.')
            end--;
        end -= end > name;
    }
    char *path = NULL;
    return asprintf(&path, "%.*s%s", (int)(end - name), name, ending) < 0 ? NULL : path;
}

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
    else if (run_did_not_start(value))
        console_error(c,
                      "no profile was written: %s did not start, and its host says above why (it ended with %d; a "
                      "program may do so, too)",
                      command, value);
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
