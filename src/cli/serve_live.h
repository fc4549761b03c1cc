/* serve_live.h - the table of all that was received, on a terminal, drawn again in place when it changes. */
#ifndef ILINJECT_CLI_SERVE_LIVE_H
#define ILINJECT_CLI_SERVE_LIVE_H

#include "console.h"

/* LIVE_INIT, live_add…, live_draw now and then, live_close. */
typedef struct live {
    ilj_context *context;
    char **paths; /* the profiles' */
    size_t count, capacity;
    char *title;      /* the first lines */
    char status[640]; /* the next one: how many came, and which came last */
    bool changed;
    unsigned width, height; /* that it was drawn for */
    uint64_t next_ns;       /* not drawn again before */
} live;

#define LIVE_INIT ((live){0})

/* `title` is one line, copied. False: memory ran out. */
bool live_open(live *l, const char *title);
/* The `received`th profile stands at `path`; `line` is what is to be said of it. */
void live_add(live *l, const char *path, uint64_t received, const char *line);
/* Draws when there is something new, the size of the terminal has changed, or `now`: but for the last, at most twice a
 * second, and at most a fifth of the time. */
void live_draw(live *l, console *c, bool now);
void live_close(live *l);

#endif
