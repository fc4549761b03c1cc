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

static bool is_program(const char *path) {
    const char *dot = strrchr(path_name(path), '.');
    return dot && (path_compare(dot, ".dll") == 0 || path_compare(dot, ".exe") == 0) && system_exists(path);
}

const char *run_given_program(arguments command) {
    const char *host = path_name(command.items[0]);
    const size_t stem = strcspn(host, ".");
    const bool is_host =
        (stem == 6 && strncmp(host, "dotnet", stem) == 0) || (stem == 4 && strncmp(host, "mono", stem) == 0);
    for (size_t i = 1; is_host && i < command.count; i++)
        if (is_program(command.items[i]))
            return command.items[i];
    return NULL;
}

void run_says_none_written(const run_profile *l, const char *command, int value) {
    console *c = l->console;
    const char *ending = system_ending(), *output = l->output;
    char hint[512] = "";
    if (!l->is_copy)
        snprintf(hint, sizeof hint, "; 'ilinject run %s' instruments a copy of it first",
                 l->given && strlen(l->given) < sizeof hint / 2 ? l->given : "APP.dll");
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
