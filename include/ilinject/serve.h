/* ilinject/serve.h - receives profiles by HTTP and keeps them as files (docs/serve.md). */
#ifndef ILINJECT_SERVE_H
#define ILINJECT_SERVE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "context.h"

#ifdef __cplusplus
extern "C" {
#endif
#ifdef __ELF__
#pragma GCC visibility push(default)
#endif

/* A server that profiles are sent to by HTTP (docs/serve.md) and that keeps them as files. It works while
 * ilj_server_run is called, on that thread. */
typedef struct ilj_server ilj_server;

#define ILJ_SERVE_PORT "8465"
enum { ILJ_TOKEN_LEAST = 16, ILJ_TOKEN_MOST = 128, ILJ_FILES_MOST = 1000000 };

/* A profile that was kept. */
typedef struct ilj_received {
    const char *file; /* its name in the folder */
    uint64_t bytes, calls;
    uint32_t methods;
    bool again; /* a later one of a run that had sent one before; it took the place of that one */
} ilj_received;

typedef void ilj_received_fn(void *user, const ilj_received *received);
/* What else is to be done before the sender learns that its profile is kept. ILJ_OK: that was done. ILJ_IO,
 * ILJ_NO_MEMORY: it cannot be done now, and the sender is answered 503, to send again; any other: 400. `problem`, of
 * ILJ_PROBLEM_BYTES, is then the reason, which a warning (ILJ0722) has. */
enum { ILJ_PROBLEM_BYTES = 384 };
typedef ilj_status ilj_keep_fn(void *user, const ilj_received *received, char *problem);
typedef struct ilj_server_options {
    size_t size;        /* sizeof(ilj_server_options) */
    const char *listen; /* ADDRESS:PORT; without an address every one of the machine, port 0: any that is free */
    const char *token; /* the path that profiles are sent to; ILJ_TOKEN_LEAST to ILJ_TOKEN_MOST letters, digits, -_.~ */
    const char *folder; /* it is there */
    uint64_t max_bytes; /* of a profile */
    uint32_t max_files; /* *.ilprof in the folder, ILJ_FILES_MOST at most; later profiles of a run need no other file */
    uint32_t per_minute;       /* profiles */
    ilj_received_fn *received; /* called for each one from ilj_server_run; may be NULL */
    void *user;
    const char *reader; /* a second path, for readers of what ilj_server_show is given; NULL: nothing can be read */
    ilj_keep_fn *keep;  /* called for each one before its sender is answered, when its file is there; may be NULL */
} ilj_server_options;

/* *server must be freed before its context. Clients that are refused are reported as warnings (ILJ0722), twenty a
 * minute at most. Returns ILJ_OK, ILJ_UNSUPPORTED (libmicrohttpd is not here), ILJ_CONFIG, ILJ_IO, ILJ_NO_MEMORY. */
ilj_status ilj_server_new(ilj_server **server, ilj_context *context, const ilj_server_options *options);
/* Ends connections; a profile that has not come whole leaves nothing. */
void ilj_server_free(ilj_server *server);

/* The URL to send to, with address, port and token; the server's. */
const char *ilj_server_url(const ilj_server *server);
/* The URL of the page for readers, which renews itself: `metrics` after it is Prometheus'. The server's; NULL: readers
 * have nothing. */
const char *ilj_server_reader_url(const ilj_server *server);

/* What readers have from now on, copied: a report as a page (ILJ_REPORT_HTML), or as Prometheus' text. Nothing of
 * either is there before. Returns ILJ_OK, ILJ_NO_MEMORY (what was there stays). */
typedef enum ilj_shown { ILJ_SHOWN_PAGE, ILJ_SHOWN_METRICS } ilj_shown;
ilj_status ilj_server_show(ilj_server *server, ilj_shown what, const void *content, size_t size);

/* True if no other machine can reach it. */
bool ilj_server_is_private(const ilj_server *server);

/* Serves for milliseconds, a second at most; less when something was done or a signal came. Returns ILJ_OK, ILJ_IO. */
ilj_status ilj_server_run(ilj_server *server, unsigned milliseconds);

/* Takes no further connections. True: no profile is on its way any more. */
bool ilj_server_finish(ilj_server *server);

#ifdef __ELF__
#pragma GCC visibility pop
#endif
#ifdef __cplusplus
}
#endif
#endif
