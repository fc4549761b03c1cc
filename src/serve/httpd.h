/* httpd.h - all that is asked of libmicrohttpd (0.9.73 and later), which is loaded when a server is made and not
 * before.
 *
 * Its handles are void *; the numbers are those of its microhttpd.h. */
#ifndef ILINJECT_SERVE_HTTPD_H
#define ILINJECT_SERVE_HTTPD_H

#include <stddef.h>
#include <stdint.h>

#include "base/diag.h"

enum { HTTPD_NO, HTTPD_YES }; /* enum MHD_Result */

/* How it waits; without a thread of its own: MHD_run_wait does the work. */
enum httpd_flag { HTTPD_USE_SELECT = 0, HTTPD_USE_EPOLL = 512 };

enum httpd_option {
    HTTPD_OPTION_END = 0,
    HTTPD_OPTION_CONNECTION_MEMORY_LIMIT = 1, /* size_t */
    HTTPD_OPTION_CONNECTION_LIMIT = 2,        /* unsigned */
    HTTPD_OPTION_CONNECTION_TIMEOUT = 3,      /* unsigned, seconds without any data */
    HTTPD_OPTION_NOTIFY_COMPLETED = 4,        /* httpd_completed_fn *, void * */
    HTTPD_OPTION_PER_IP_CONNECTION_LIMIT = 5, /* unsigned */
    HTTPD_OPTION_LISTEN_SOCKET = 12,     /* os_native_socket; it is closed with the daemon, unless that was quiesced */
    HTTPD_OPTION_NOTIFY_CONNECTION = 27, /* httpd_connection_fn *, void * */
};

enum httpd_info { HTTPD_INFO_CONNECTION_FD = 6, HTTPD_INFO_SOCKET_CONTEXT = 7 };
union httpd_info_value {
    int connect_fd;
    void *socket_context;
};

enum { HTTPD_CONNECTION_STARTED, HTTPD_CONNECTION_CLOSED };
enum { HTTPD_COMPLETED_OK };
enum { HTTPD_HEADER_KIND = 1 };
enum { HTTPD_COPY_CONTENT = 2 }; /* MHD_RESPMEM_MUST_COPY */

/* Called when a request's headers are there (the first time: *request is NULL, no data), with each part of its body
 * (*size is to become what was not taken), and at its end (no data). The answer may be queued at the first call, the
 * rest of the request is then not read, or at the last one. HTTPD_NO closes the connection. */
typedef int httpd_handler_fn(void *user, void *connection, const char *path, const char *method, const char *version,
                             const char *data, size_t *size, void **request);
typedef void httpd_completed_fn(void *user, void *connection, void **request, int how);
/* Called with each value of a kind, in their order, until it returns HTTPD_NO. */
typedef int httpd_value_fn(void *user, int kind, const char *key, const char *value);
typedef void httpd_connection_fn(void *user, void *connection, void **context, int what);

/* One row per function: result, name, parameters. */
#define HTTPD_FUNCTIONS(F)                                                                                             \
    F(void *, MHD_start_daemon,                                                                                        \
      (unsigned flags, uint16_t port, void *accept, void *accept_user, httpd_handler_fn *handler, void *user, ...))    \
    F(void, MHD_stop_daemon, (void *daemon))                                                                           \
    F(int, MHD_quiesce_daemon, (void *daemon))                                                                         \
    F(int, MHD_run_wait, (void *daemon, int32_t milliseconds))                                                         \
    F(const union httpd_info_value *, MHD_get_connection_info, (void *connection, int what, ...))                      \
    F(int, MHD_get_connection_values, (void *connection, int kind, httpd_value_fn *each, void *user))                  \
    F(const char *, MHD_lookup_connection_value, (void *connection, int kind, const char *key))                        \
    F(void *, MHD_create_response_from_buffer, (size_t size, void *content, int mode))                                 \
    F(int, MHD_add_response_header, (void *response, const char *name, const char *value))                             \
    F(int, MHD_queue_response, (void *connection, unsigned status, void *response))                                    \
    F(void, MHD_destroy_response, (void *response))

typedef struct httpd {
#define MEMBER(result, name, parameters) result(*name) parameters;
    HTTPD_FUNCTIONS(MEMBER)
#undef MEMBER
} httpd;

/* Returns ECMA_OK, ECMA_UNSUPPORTED (NO_HTTP: it is not here). */
ecma_status httpd_load(httpd *h, diag *d);

#endif
