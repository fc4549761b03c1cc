/* reader.h - what readers of the server may have, below a token of their own: a page that renews itself around the
 * newest report, the report, and figures for Prometheus.
 *
 *     /READER/             the page          /READER/report.html   what ilj_server_show was given
 *     /READER/live.js      its script        /READER/metrics       the same
 *     /READER/version      how often the report was shown
 *
 * Each is a response that the library counts the uses of: a reader that is slow keeps the one that it began with. */
#ifndef ILINJECT_SERVE_READER_H
#define ILINJECT_SERVE_READER_H

#include "serve/serve.h"

/* Makes what is there from the start. False when memory ran out. */
bool reader_open(ilj_server *s);
void reader_close(ilj_server *s);

/* Has the path the readers' token? */
bool reader_knows(const ilj_server *s, const char *path);

/* The response at a path that reader_knows; NULL: there is none, or none yet. The server's. */
void *reader_find(const ilj_server *s, const char *path);

#endif
