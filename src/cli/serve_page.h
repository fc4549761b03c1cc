/* serve_page.h - what readers of the server see: a page of the newest runs, and figures of all that was received. */
#ifndef ILINJECT_CLI_SERVE_PAGE_H
#define ILINJECT_CLI_SERVE_PAGE_H

#include "console.h"

/* LIVE_PAGE_INIT, live_page_open, live_page_add…, live_page_show now and then, live_page_close. */
typedef struct live_page {
    ilj_context *context; /* NULL: nothing is shown */
    char **paths;         /* the profiles', the newest last */
    size_t count, capacity;
    bool changed;
    uint64_t next_ns; /* not made again before */
} live_page;

#define LIVE_PAGE_INIT ((live_page){0})

/* False: memory ran out. */
bool live_page_open(live_page *l);
/* A profile has come, or has come again. */
void live_page_add(live_page *l, const char *path);
/* Makes page and figures where there is something new: at most every second, and at most a fifth of the time. What
 * cannot be made leaves what was shown before. */
void live_page_show(live_page *l, ilj_server *server);
void live_page_close(live_page *l);

#endif
