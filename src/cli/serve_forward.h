/* serve_forward.h - profiles that were received, sent on to a collector by a thread of its own: receiving never waits
 * for it. */
#ifndef ILINJECT_CLI_SERVE_FORWARD_H
#define ILINJECT_CLI_SERVE_FORWARD_H

#include "console.h"

enum { FORWARD_MOST = 256, FORWARD_NAME_BYTES = 160 };

typedef struct system_monitor system_monitor;
typedef struct system_threads system_threads;

/* FORWARD_INIT, forward_open, forward_add… with forward_tell now and then, forward_end, forward_is_done,
 * forward_close. */
typedef struct forward {
    const char *url, *headers, *folder; /* borrowed; headers: NULL, or as ilj_post_options has them */
    system_monitor *monitor;            /* guards what follows; NULL: nothing is forwarded */
    system_threads *threads;
    char (*names)[FORWARD_NAME_BYTES]; /* FORWARD_MOST files that wait, the oldest one at `first` */
    unsigned first, count;
    bool ending, given_up, done;
    uint64_t sent, dropped;
    char problem[512]; /* of the last one that was dropped */
    uint64_t told_dropped, told_ns;
} forward;

#define FORWARD_INIT ((forward){0})

/* Starts the thread, which confines itself; before system_confine of the caller. False: reported to the console. */
bool forward_open(forward *f, console *c, const char *url, const char *headers, const char *folder);
/* The file NAME of the folder is to be sent, in place of an earlier one of this name that still waits. When there are
 * too many, the oldest one is dropped. */
void forward_add(forward *f, const char *name);
/* Reports what was dropped, once a minute at most. */
void forward_tell(forward *f, console *c);
/* Nothing more is added; what waits is still sent. */
void forward_end(forward *f);
bool forward_is_done(forward *f);
/* Drops what still waits, and says how many were sent and dropped. */
void forward_close(forward *f, console *c);

#endif
