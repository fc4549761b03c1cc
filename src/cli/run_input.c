#include "run_input.h"

#include "platform/system.h"

#include <errno.h>
#include <string.h>

int run_keep_input(bool *twice, console *c, const char *folder) {
    static const char *const reasons[] = {
        [SYSTEM_INPUT_ONCE] = "is a pipe",
        [SYSTEM_INPUT_LARGE] = "is a pipe with more than 64 MB",
        [SYSTEM_INPUT_SILENT] = "is a pipe that stays open",
    };
    system_input input = system_keep_input(folder);
    *twice = input == SYSTEM_INPUT_TWICE;
    if (input == SYSTEM_INPUT_LOST) {
        console_error(c, "the standard input cannot be stored: %s", strerror(errno));
        return EXIT_NOT_STARTED;
    }
    if (!*twice && !c->quiet)
        console_note(c,
                     "the standard input %s, so the program runs once, and the tracker alone keeps the price; "
                     "'< /dev/null' gives it no input, and two runs",
                     reasons[input]);
    return EXIT_DONE;
}
