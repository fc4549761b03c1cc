/* serve.h - the inside of ilj_server: connections, what each may take, and one request on its way.
 *
 * One thread does it all, when ilj_server_run is called: the library calls back from there, so nothing is locked.
 * Memory is bounded by the number of connections; bodies stand in files without a name until they are whole. */
#ifndef ILINJECT_SERVE_SERVE_H
#define ILINJECT_SERVE_SERVE_H

#include "input/context.h"
#include "platform/os.h"
#include "platform/os_net.h"
#include "serve/httpd.h"
#include "serve/intake.h"

enum { SERVE_TEXT_BYTES = 512 };

/* A bound for events in a minute, in one burst or spread over it. */
typedef struct serve_rate {
    uint64_t cost_ns;   /* of one */
    uint64_t credit_ns; /* up to a minute */
    uint64_t last_ns;
} serve_rate;

serve_rate serve_rate_of(uint32_t per_minute);
/* Takes one from the bound. False: there may be no more now. */
bool serve_rate_try(serve_rate *r, uint64_t now_ns);
/* Seconds until there may be one again, at least 1. */
uint64_t serve_rate_wait(const serve_rate *r);

typedef struct serve_connection {
    struct serve_connection *next, **place; /* the pointer that leads here */
    int socket;
    uint64_t age_ns; /* of its request, or of its waiting for one */
    uint64_t body_bytes;
    bool known;     /* its request has the token, and is not answered to its end yet */
    bool uploading; /* its body is wanted */
    bool ended;     /* by us, and not gone yet */
} serve_connection;

/* What readers may have (reader.h). */
typedef enum serve_shown {
    SERVE_SHELL,
    SERVE_SCRIPT,
    SERVE_VERSION,
    SERVE_REPORT,
    SERVE_METRICS,
    SERVE_SHOWN_COUNT
} serve_shown;

struct ilj_server {
    ilj_context *context;
    httpd library;
    void *daemon;
    os_listener listener;
    bool ending; /* the listener is ours again, and closed */
    char *folder, *token, *url;
    char *reader, *reader_url;      /* NULL: nothing can be read */
    void *shown[SERVE_SHOWN_COUNT]; /* responses of the library; NULL: none yet */
    uint64_t version;               /* how often the report was shown */
    uint64_t most_bytes;            /* of a body */
    ilj_received_fn *received;
    ilj_keep_fn *keep;
    void *user;
    intake intake;
    serve_rate posts, tellings;
    uint64_t untold; /* refusals since the last one that was reported */
    serve_connection *connections;
    unsigned connection_count, uploads; /* those that were ended are not counted */
    uint64_t looked_ns;                 /* when the connections were looked at */
    uint64_t told_ends_ns;              /* when the connections that have ended were reported */
};

/* Reports a client that was refused or went away, at a bounded rate. */
void serve_tell(ilj_server *s, const serve_connection *c, const char *text);
/* Says how many were refused and not reported one by one, if any were; `when` says which. */
void serve_tell_untold(ilj_server *s, const char *when);

/* Callbacks of libmicrohttpd; `user` is the server. */
httpd_handler_fn request_handle;
httpd_completed_fn request_completed;

#endif
