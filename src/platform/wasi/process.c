#include "platform/process.h"

#include <errno.h>

/* No other process is to be seen from here. */
control_status control_open(control_ways *ways, uint32_t pid) {
    (void)pid;
    *ways = (control_ways){0};
    return CONTROL_NOT_HERE;
}

void control_close(control_ways *ways) {
    *ways = (control_ways){0};
}

void control_ask(control_ways *ways, uint32_t pid, const char *command, const char *arguments, unsigned answer_ms,
                 unsigned turn_ms) {
    (void)ways;
    (void)pid;
    (void)command;
    (void)arguments;
    (void)answer_ms;
    (void)turn_ms;
}

size_t control_fetch(const control_way *way, void *to, uint64_t offset, size_t size) {
    (void)way;
    (void)to;
    (void)offset;
    (void)size;
    return 0;
}

FILE *control_new_file(char **name, const char *wanted) {
    *name = NULL;
    (void)wanted;
    errno = ENOSYS;
    return NULL;
}
