#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "serve/reader.h"
#include "serve/serve.h"

enum {
    CONNECTIONS = 320,            /* beyond these, new ones wait until the system takes them for us */
    KEPT = 256,                   /* beyond these, the oldest one without a head goes */
    CONNECTIONS_PER_ADDRESS = 32, /* but on the loopback, where all have one */
    CONNECTION_BYTES = 32 << 10,  /* for the head, and parts of the body */
    IDLE_SECONDS = 10,
    TELL_ENDS_MS = 100, /* so often at most, as long as there are connections */
    TOLD_PER_MINUTE = 20,
    LONGEST_WAIT_MS = 1000,
};
#define SECOND_NS        ((uint64_t)1000000000)
#define HEAD_NS          (10 * SECOND_NS) /* for a request's head, and for a refused one whole */
#define BODY_NS          (30 * SECOND_NS) /* for a body, and then it has to have come as fast as this: */
#define BYTES_PER_SECOND 16384

/* ---- Connections ------------------------------------------------------------------------------------------------- */

static void end_connection(ilj_server *s, serve_connection *c) {
    c->ended = true;
    s->connection_count--;
    os_shut_socket(c->socket);
}

/* Any client may connect; one with the token sends it at once. So when there are too many, a client that has sent
 * nothing, or nothing that counts, is closed: the one that has been silent longest. The newest connection stays, and so
 * does one with input that is not read yet. */
static void make_room(ilj_server *s) {
    serve_connection *silent = NULL;
    for (serve_connection *c = s->connections->next; c; c = c->next)
        if (!c->known && !c->ended && (!silent || c->age_ns >= silent->age_ns) && !os_socket_has_input(c->socket))
            silent = c;
    if (silent)
        end_connection(s, silent);
}

static void connection_changed(void *user, void *connection, void **context, int what) {
    ilj_server *s = user;
    serve_connection *c = *context;
    if (what == HTTPD_CONNECTION_STARTED) {
        const union httpd_info_value *info = s->library.MHD_get_connection_info(connection, HTTPD_INFO_CONNECTION_FD);
        c = info ? calloc(1, sizeof *c) : NULL;
        if (!c)
            return; /* its requests are refused */
        *c = (serve_connection){.next = s->connections, .place = &s->connections, .socket = info->connect_fd};
        if (c->next)
            c->next->place = &c->next;
        s->connections = c;
        *context = c;
        if (++s->connection_count > KEPT)
            make_room(s);
    } else if (c) {
        s->connection_count -= !c->ended;
        *c->place = c->next;
        if (c->next)
            c->next->place = c->place;
        free(c);
        *context = NULL;
    }
}

/* Ends connections that take too long. This thread's other work in between is not their fault. */
static void end_slow_ones(ilj_server *s) {
    uint64_t now = os_now_ns(), passed = now - s->looked_ns;
    s->looked_ns = now;
    if (passed > SECOND_NS)
        passed = SECOND_NS;
    for (serve_connection *c = s->connections; c; c = c->next) {
        uint64_t allowed = c->uploading ? BODY_NS + c->body_bytes / BYTES_PER_SECOND * SECOND_NS : HEAD_NS;
        c->age_ns += passed;
        if (c->age_ns <= allowed || c->ended)
            continue;
        if (c->uploading)
            serve_tell(s, c, "ended: it sends too slowly");
        end_connection(s, c);
    }
}

/* A client that has sent a part of its request and ended is not waited for, and its place is free again. */
static void tell_ends(ilj_server *s) {
    uint64_t now = os_now_ns();
    if (now - s->told_ends_ns < TELL_ENDS_MS * (SECOND_NS / 1000))
        return;
    s->told_ends_ns = now;
    for (serve_connection *c = s->connections; c; c = c->next)
        if (!c->ended)
            os_tell_end(c->socket);
}

/* ---- The public side --------------------------------------------------------------------------------------------- */

/* Characters that may stand in a URL without being escaped. */
static bool is_token_text(const char *token) {
    static const char allowed[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_.~";
    size_t size = strlen(token);
    return size >= ILJ_TOKEN_LEAST && size <= ILJ_TOKEN_MOST && strspn(token, allowed) == size;
}

static ecma_status check_options(const ilj_server_options *o, ilj_context *context) {
    diag token = context_diag(context, "token"), limits = context_diag(context, "limits");
    if (!is_token_text(o->token))
        return diag_report(&token, DIAG_SERVE_OPTION, "a token has %d to %d letters, digits or marks of -_.~",
                           ILJ_TOKEN_LEAST, ILJ_TOKEN_MOST);
    if (o->reader && (!is_token_text(o->reader) || strcmp(o->reader, o->token) == 0))
        return diag_report(&token, DIAG_SERVE_OPTION,
                           "readers have another one than senders, of %d to %d letters, digits or marks of -_.~",
                           ILJ_TOKEN_LEAST, ILJ_TOKEN_MOST);
    if (o->max_bytes == 0 || o->max_files == 0 || o->max_files > ILJ_FILES_MOST || o->per_minute == 0)
        return diag_report(&limits, DIAG_SERVE_OPTION, "they are at least 1, and of files at most %d", ILJ_FILES_MOST);
    return ECMA_OK;
}

/* HOST:PORT, HOST, :PORT or PORT; an IPv6 address stands in brackets. */
static ecma_status listen_at(os_listener *l, const char *where, diag *d) {
    char host[256], port[8];
    const char *bracket = *where == '[' ? strchr(where, ']') : NULL;
    const char *colon = strrchr(bracket ? bracket : where, ':');
    bool alone = !colon && strspn(where, "0123456789") == strlen(where);
    const char *end = alone ? where : colon ? colon : where + strlen(where);
    const char *number = alone ? where : colon ? colon + 1 : ILJ_SERVE_PORT;
    const char *start = where + (bracket != NULL);
    size_t size = (size_t)((bracket ? bracket : end) - start);
    if ((*where == '[') != (bracket != NULL) || (bracket && bracket + 1 != end) ||
        (!bracket && memchr(where, ':', size)) || size >= sizeof host || strlen(number) == 0 || strlen(number) > 5 ||
        strspn(number, "0123456789") != strlen(number) || atol(number) > UINT16_MAX)
        return diag_report(d, DIAG_SERVE_OPTION, "expected ADDRESS:PORT, an IPv6 ADDRESS in brackets");
    snprintf(host, sizeof host, "%.*s", (int)size, start);
    snprintf(port, sizeof port, "%s", number);
    return os_listen(l, d, alone ? "127.0.0.1" : host, port);
}

static ecma_status start(ilj_server *s, const char *where, diag *d) {
    if (!os_has_network())
        return diag_report(d, DIAG_LISTEN, "cannot be listened at: this build of ilinject has no network");
    ecma_status status = httpd_load(&s->library, d);
    if (status == ECMA_OK)
        status = listen_at(&s->listener, where, d);
    if (status != ECMA_OK)
        return status;
    s->daemon = s->library.MHD_start_daemon(
        os_has_epoll() ? HTTPD_USE_EPOLL : HTTPD_USE_SELECT, 0, NULL, NULL, request_handle, s,
        HTTPD_OPTION_LISTEN_SOCKET, (os_native_socket)s->listener.socket, HTTPD_OPTION_NOTIFY_CONNECTION,
        connection_changed, s, HTTPD_OPTION_NOTIFY_COMPLETED, request_completed, s, HTTPD_OPTION_CONNECTION_LIMIT,
        (unsigned)CONNECTIONS, HTTPD_OPTION_PER_IP_CONNECTION_LIMIT,
        s->listener.loopback ? 0u : (unsigned)CONNECTIONS_PER_ADDRESS, HTTPD_OPTION_CONNECTION_TIMEOUT,
        (unsigned)IDLE_SECONDS, HTTPD_OPTION_CONNECTION_MEMORY_LIMIT, (size_t)CONNECTION_BYTES, HTTPD_OPTION_END);
    if (!s->daemon) {
        os_close_socket(s->listener.socket);
        return diag_report(d, DIAG_LISTEN, "libmicrohttpd does not start");
    }
    return ECMA_OK;
}

static char *url_of(const ilj_server *s, const char *token, const char *end) {
    const size_t size = strlen(s->listener.host) + strlen(token) + 32;
    char *url = malloc(size);
    if (url)
        snprintf(url, size, "http://%s:%u/%s%s", s->listener.host, s->listener.port, token, end);
    return url;
}

ilj_status ilj_server_new(ilj_server **made, ilj_context *context, const ilj_server_options *given) {
    ilj_server_options own;
    const ilj_server_options *options = &own;
    ecma_status status = options_copy(&own, given, sizeof own, "ilj_server_options", context);
    if (status)
        return status;
    diag at = context_diag(context, options->listen), in = context_diag(context, options->folder);
    ilj_server *s = calloc(1, sizeof *s);
    if (!s)
        return diag_no_memory(&in);
    *s = (ilj_server){.context = context,
                      .most_bytes = options->max_bytes,
                      .received = options->received,
                      .keep = options->keep,
                      .user = options->user,
                      .looked_ns = os_now_ns()};
    status = check_options(options, context);
    if (status == ECMA_OK) {
        s->posts = serve_rate_of(options->per_minute);
        s->tellings = serve_rate_of(TOLD_PER_MINUTE);
        s->token = strdup(options->token);
        s->reader = options->reader ? strdup(options->reader) : NULL;
        status = s->token && (s->reader || !options->reader) ? os_full_path(&in, options->folder, &s->folder)
                                                             : diag_no_memory(&in);
    }
    if (status == ECMA_OK)
        status = intake_open(&s->intake, &in, s->folder, options->max_files);
    if (status == ECMA_OK)
        status = start(s, options->listen, &at);
    if (status == ECMA_OK) {
        s->url = url_of(s, s->token, "");
        s->reader_url = s->reader ? url_of(s, s->reader, "/") : NULL;
        if (!s->url || (s->reader && (!s->reader_url || !reader_open(s))))
            status = diag_no_memory(&in);
    }
    if (status == ECMA_OK)
        *made = s;
    else
        ilj_server_free(s);
    return status;
}

const char *ilj_server_url(const ilj_server *s) {
    return s->url;
}

bool ilj_server_is_private(const ilj_server *s) {
    return s->listener.loopback;
}

ilj_status ilj_server_run(ilj_server *s, unsigned milliseconds) {
    diag d = context_diag(s->context, s->listener.host);
    unsigned longest = s->connections ? TELL_ENDS_MS : LONGEST_WAIT_MS;
    int worked = s->library.MHD_run_wait(s->daemon, (int32_t)(milliseconds < longest ? milliseconds : longest));
    end_slow_ones(s);
    tell_ends(s);
    return worked == HTTPD_YES ? ILJ_OK : diag_report(&d, DIAG_LISTEN, "libmicrohttpd has failed");
}

bool ilj_server_finish(ilj_server *s) {
    if (!s->ending) {
        int listener = s->library.MHD_quiesce_daemon(s->daemon);
        if (listener >= 0)
            os_close_socket(listener);
        s->ending = true;
    }
    return s->uploads == 0;
}

void ilj_server_free(ilj_server *s) {
    if (!s)
        return;
    if (s->daemon) {
        serve_tell_untold(s, "at the end");
        reader_close(s);
        s->library.MHD_stop_daemon(s->daemon);
    }
    intake_close(&s->intake);
    free(s->folder);
    free(s->token);
    free(s->url);
    free(s->reader);
    free(s->reader_url);
    free(s);
}
