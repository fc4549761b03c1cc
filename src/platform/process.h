/* process.h - ways to the trackers in another process: control.h has their layout. All of it asks the
 * operating system, as system.h does. */
#ifndef ILINJECT_PLATFORM_PROCESS_H
#define ILINJECT_PLATFORM_PROCESS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

/* The way to a tracker, open: one for each tracker in the process. */
typedef struct control_way {
    intptr_t place; /* the system's own: what the tracker is asked through */
    uint64_t request; /* the number of the one that waits for its answer; 0: others are asking, and there is none yet */
    uint64_t end_ns;  /* of a request: until when it waits, by system_now_ns */
    enum { WAY_WAITS, WAY_ANSWERED, WAY_FAILED, WAY_CLOSED } state;
    char profile[7168 + 1]; /* of an answer: the path of the tracker's profile, UTF-8; may be empty */
    uint64_t payload;       /* of an answer: size of what came with it, bytes; fetched by control_fetch. For WAY_FAILED
                             * as well, 0 when there was none */
} control_way;

typedef struct control_ways {
    control_way *items;
    size_t count;
} control_ways;

typedef enum control_status {
    CONTROL_OK,
    CONTROL_NO_PROCESS, /* there is none with this number */
    CONTROL_NOT_YOURS,  /* the system does not let this user look into it */
    CONTROL_NO_TRACKER, /* nothing in it listens */
    CONTROL_EXPOSED,    /* other users may open its control file, as the trackers of old made it */
    CONTROL_NOT_HERE,   /* on this system there is no way to a tracker */
    CONTROL_NO_MEMORY,
} control_status;

/* The numbers of the processes that are there, in ascending order, for the caller to free. Anything but CONTROL_OK:
 * there is nothing to free. */
control_status control_processes(uint32_t **pids, size_t *count);

/* With which command line a process runs, or the path of its program, for the caller to free; NULL: it is not known. */
char *control_command_line(uint32_t pid);

/* Finds the trackers in a process. On anything but CONTROL_OK nothing is to be closed. */
control_status control_open(control_ways *ways, uint32_t pid);
void control_close(control_ways *ways);

enum { CONTROL_MOST_ARGUMENTS = 65536 };

/* Asks all of them, and waits until each has answered, so long at most from its request on; the state of each way says
 * what came of it: WAY_WAITS for no answer in time. Others that ask at the same time come first, for `turn` at most.
 * `arguments`: lines of UTF-8 with a line feed between them, of at most CONTROL_MOST_ARGUMENTS bytes; NULL: none. */
void control_ask(control_ways *ways, uint32_t pid, const char *command, const char *arguments, unsigned answer_ms,
                 unsigned turn_ms);

/* Reads `size` bytes of what came with the answer, from `offset` on. Returns how many there were; 0: the end, or an
 * error, with errno. */
size_t control_fetch(const control_way *way, void *to, uint64_t offset, size_t size);

/* Makes a file that did not exist, NAME with a number before its extension where that is taken. The name that it got is
 * for the caller to free. NULL: it cannot be made, errno says why. */
FILE *control_new_file(char **name, const char *wanted);

#endif
