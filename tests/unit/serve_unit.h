/* serve_unit.h - a server on a made-up library: a request is a head and parts of a body, and the answer is kept. */
#ifndef TESTS_UNIT_SERVE_UNIT_H
#define TESTS_UNIT_SERVE_UNIT_H

#include <stdio.h>
#include <stdlib.h>
#include <strings.h>

#include "serve/serve.h"

typedef struct serve_call {
    const char *path, *method, *length, *coding, *expect; /* headers: NULL: not there */
    unsigned status;                                      /* of the answer; 0: none was given */
    char text[1024];
} serve_call;

static serve_call serve_now;
static serve_connection serve_client;

static const char *serve_header(void *connection, int kind, const char *key) {
    (void)connection;
    (void)kind;
    return strcasecmp(key, "Content-Length") == 0     ? serve_now.length
           : strcasecmp(key, "Content-Encoding") == 0 ? serve_now.coding
           : strcasecmp(key, "Expect") == 0           ? serve_now.expect
                                                      : NULL;
}

static const union httpd_info_value *serve_info(void *connection, int what, ...) {
    static const union httpd_info_value value = {.socket_context = &serve_client};
    (void)connection;
    (void)what;
    return &value;
}

static void *serve_response(size_t size, void *content, int mode) {
    (void)mode;
    snprintf(serve_now.text, sizeof serve_now.text, "%.*s", (int)size, (const char *)content);
    return serve_now.text;
}

static int serve_add_header(void *response, const char *name, const char *value) {
    (void)response;
    (void)name;
    (void)value;
    return HTTPD_YES;
}

static int serve_queue(void *connection, unsigned status, void *response) {
    (void)connection;
    (void)response;
    if (serve_now.status != 0)
        abort(); /* one answer for each */
    serve_now.status = status;
    return HTTPD_YES;
}

static void serve_drop(void *response) {
    (void)response;
}

static int serve_values(void *connection, int kind, httpd_value_fn *each, void *user) {
    static const char *const keys[] = {"Content-Length", "Transfer-Encoding", "Content-Encoding"};
    int count = 0;
    for (size_t i = 0; i < sizeof keys / sizeof keys[0]; i++) {
        const char *value = serve_header(connection, kind, keys[i]);
        if (value && ++count && each(user, kind, keys[i], value) == HTTPD_NO)
            break;
    }
    return count;
}

#define SERVE_TOKEN "0123456789abcdef"

/* `folder` has to be there, and outlives the server. */
static inline void serve_make(ilj_server *s, ilj_context *context, char *folder, uint64_t most_bytes,
                              uint32_t most_files) {
    static char token[] = SERVE_TOKEN;
    diag d = {0};
    serve_client = (serve_connection){.socket = -1};
    *s = (ilj_server){
        .context = context,
        .library = {.MHD_lookup_connection_value = serve_header,
                    .MHD_get_connection_values = serve_values,
                    .MHD_get_connection_info = serve_info,
                    .MHD_create_response_from_buffer = serve_response,
                    .MHD_add_response_header = serve_add_header,
                    .MHD_queue_response = serve_queue,
                    .MHD_destroy_response = serve_drop},
        .folder = folder,
        .token = token,
        .most_bytes = most_bytes,
        .posts = serve_rate_of(1000000),
        .tellings = serve_rate_of(1000000),
    };
    if (intake_open(&s->intake, &d, folder, most_files) != ECMA_OK)
        abort();
}

/* Sends serve_now with a body in parts of `step` bytes, whole or not: as the library calls. Returns the status, or 0
 * for a connection that was closed without an answer. */
static inline unsigned serve_send(ilj_server *s, bytes body, size_t step, bool whole) {
    void *request = NULL;
    size_t size = 0;
    serve_now.status = 0;
    serve_now.text[0] = 0;
    int going_on = request_handle(s, NULL, serve_now.path, serve_now.method, "HTTP/1.1", NULL, &size, &request);
    for (size_t at = 0; going_on == HTTPD_YES && serve_now.status == 0 && at < body.size; at += step) {
        size = body.size - at < step ? body.size - at : step;
        going_on = request_handle(s, NULL, serve_now.path, serve_now.method, "HTTP/1.1", (const char *)body.data + at,
                                  &size, &request);
        if (size != 0)
            abort(); /* a part is always taken */
    }
    if (going_on == HTTPD_YES && serve_now.status == 0 && whole)
        going_on = request_handle(s, NULL, serve_now.path, serve_now.method, "HTTP/1.1", NULL, &size, &request);
    request_completed(s, NULL, &request, serve_now.status != 0 && going_on == HTTPD_YES ? HTTPD_COMPLETED_OK : 1);
    if (request || s->uploads != 0 || serve_client.uploading || serve_client.body_bytes != 0)
        abort(); /* nothing of it is left */
    return serve_now.status;
}

#endif
