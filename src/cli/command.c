#include "command.h"

#include <stdarg.h>
#include <stdio.h>

int usage_failure(console *c, const command *of, const char *format, ...) {
    char text[1024];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    console_error(c, "%s (see 'ilinject%s%s --help')", text, of ? " " : "", of ? of->name : "");
    return EXIT_USAGE;
}

int exit_of(ilj_status status) {
    return status == ILJ_OK ? EXIT_DONE : status == ILJ_CONFIG ? EXIT_USAGE : EXIT_FAILED;
}
