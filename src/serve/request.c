/* One request: who may ask for what, its body on its way, its answer. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "platform/os_spool.h"
#include "serve/gunzip.h"
#include "serve/policy.h"
#include "serve/reader.h"
#include "serve/serve.h"

enum {
    OK = 200,
    NO_CONTENT = 204,
    BAD_REQUEST = 400,
    FORBIDDEN = 403,
    NOT_FOUND = 404,
    WRONG_METHOD = 405,
    TOO_LARGE = 413,
    WRONG_CODING = 415,
    TOO_MANY = 429,
    FAILED = 500,
    BUSY = 503,
    FULL = 507,
};

/* When who was put off may come again: what is lacking here may be there soon, or once a person has made room. */
enum { BUSY_SECONDS = 1, FULL_SECONDS = 60 };

/* Bytes that are read of a refused body, as many clients look for an answer only when they have sent all. With the
 * token, the bound of a profile is added. */
enum { PASSED_OVER_BYTES = 1 << 20 };

typedef struct request {
    serve_connection *connection;
    bool known;      /* it has the token */
    bool closes;     /* nothing after it is known from it */
    bool compressed; /* its head says so */
    unsigned status; /* 0: not decided, its body is wanted */
    const char *type;
    char text[SERVE_TEXT_BYTES]; /* the answer's body, without its newline */
    const char *content;         /* the answer's body instead */
    void *shown;                 /* the answer instead: a response of the server's */
    uint64_t retry_s;            /* when it may be sent again; 0: that would be of no use */
    os_spool body;
    uint64_t passed_over;
} request;

/* ---- Answers ---------------------------------------------------------------------------------------------------- */

static int answer(ilj_server *s, void *connection, const request *r) {
    if (r->shown)
        return s->library.MHD_queue_response(connection, r->status, r->shown);
    char line[SERVE_TEXT_BYTES + 1], seconds[24];
    snprintf(line, sizeof line, "%s\n", r->text);
    snprintf(seconds, sizeof seconds, "%" PRIu64, r->retry_s);
    const char *content = r->content ? r->content : r->status == NO_CONTENT ? "" : line;
    void *response =
        s->library.MHD_create_response_from_buffer(strlen(content), (void *)(uintptr_t)content, HTTPD_COPY_CONTENT);
    if (!response)
        return HTTPD_NO;
    const struct {
        const char *name, *value;
        bool wanted;
    } headers[] = {
        {"Content-Type", r->type ? r->type : "text/plain; charset=utf-8", r->status != NO_CONTENT},
        {"Cache-Control", "no-store", true},
        {"X-Content-Type-Options", "nosniff", true},
        /* Any page may send: who has the token may, wherever it runs. */
        {"Access-Control-Allow-Origin", "*", true},
        {"Access-Control-Allow-Methods", "POST, OPTIONS", r->status == NO_CONTENT},
        {"Access-Control-Allow-Headers", "Content-Type, Content-Encoding", r->status == NO_CONTENT},
        {"Access-Control-Allow-Private-Network", "true", r->status == NO_CONTENT},
        {"Access-Control-Max-Age", "86400", r->status == NO_CONTENT},
        {"Allow", "POST, OPTIONS", r->status == WRONG_METHOD},
        {"Accept-Encoding", "gzip, identity", r->status == WRONG_CODING},
        {"Connection", "close", r->closes},
        {"Retry-After", seconds, r->retry_s > 0},
    };
    for (size_t i = 0; i < sizeof headers / sizeof headers[0]; i++)
        if (headers[i].wanted)
            s->library.MHD_add_response_header(response, headers[i].name, headers[i].value);
    int done = s->library.MHD_queue_response(connection, r->status, response);
    s->library.MHD_destroy_response(response);
    return done;
}

static void no_more_body(ilj_server *s, request *r) {
    os_spool_close(&r->body);
    if (r->connection && r->connection->uploading) {
        r->connection->uploading = false;
        s->uploads--;
    }
}

static void refuse(ilj_server *s, request *r, unsigned status, const char *text) {
    char line[SERVE_TEXT_BYTES + 32];
    no_more_body(s, r);
    r->status = status;
    snprintf(r->text, sizeof r->text, "%s", text);
    snprintf(line, sizeof line, "refused with %u: %s", status, text);
    serve_tell(s, r->connection, line);
}

/* It is welcome later. */
static void put_off(ilj_server *s, request *r, unsigned status, uint64_t seconds, const char *text) {
    refuse(s, r, status, text);
    r->retry_s = seconds;
}

/* ---- Diagnostics of a body --------------------------------------------------------------------------------------- */

static void keep_first(void *user, const char *file, diag_severity severity, diag_code code, const char *text) {
    char *kept = user;
    (void)file;
    (void)code;
    if (severity == DIAG_ERROR && !*kept)
        snprintf(kept, SERVE_TEXT_BYTES, "%s", text);
}

/* A fault on this side is reported here, and the client learns no more than that there is one. */
static void fail(ilj_server *s, request *r, const char *text) {
    char line[SERVE_TEXT_BYTES + 32];
    no_more_body(s, r);
    r->status = FAILED;
    snprintf(r->text, sizeof r->text, "the profile cannot be kept");
    snprintf(line, sizeof line, "a profile cannot be kept: %s", text);
    serve_tell(s, r->connection, line);
}

/* ---- The head -----------------------------------------------------------------------------------------------------
 */

/* Takes as long for a token that is wrong in its first letter as for one that is wrong in its last. */
static bool is_token(const ilj_server *s, const char *path) {
    size_t expected = strlen(s->token), size = strlen(path);
    unsigned differs = size != expected + 1;
    for (size_t i = 0; i < expected; i++)
        differs |=
            (unsigned)(unsigned char)s->token[i] ^ (unsigned)(unsigned char)(size > 0 ? path[(i + 1) % size] : 0);
    return size > 0 && path[0] == '/' && differs == 0;
}

/* The stated length; false when none is stated. */
static bool stated_bytes(const ilj_server *s, void *connection, uint64_t *bytes) {
    const char *text = s->library.MHD_lookup_connection_value(connection, HTTPD_HEADER_KIND, "Content-Length");
    if (!text || !*text || strspn(text, "0123456789") != strlen(text))
        return false;
    *bytes = strlen(text) > 18 ? UINT64_MAX : strtoull(text, NULL, 10);
    return true;
}

/* How the request's head says where its body ends, and in what form it is. */
typedef struct framing {
    const char *length; /* the first Content-Length */
    bool coded, contradicts;
    bool compressed, foreign; /* Content-Encoding: gzip; another one, or several */
} framing;

/* "x-gzip" is a name of old for it (RFC 9110, section 8.4.1.3). */
static void add_coding(framing *f, const char *value) {
    bool gzip = value && (strcasecmp(value, "gzip") == 0 || strcasecmp(value, "x-gzip") == 0);
    f->foreign |= f->compressed || (!gzip && (!value || strcasecmp(value, "identity") != 0));
    f->compressed |= gzip;
}

/* A name with anything else in it is none (RFC 9110, section 5.6.2): "Transfer-Encoding " is one that a proxy may take
 * for the name without the space. */
static bool is_name(const char *key) {
    return *key && strspn(key, "!#$%&'*+-.^_`|~0123456789abcdefghijklmnopqrstuvwxyz"
                               "ABCDEFGHIJKLMNOPQRSTUVWXYZ") == strlen(key);
}

/* Has a value a byte that ends a line, or a whole head, for another reader (RFC 9110, section 5.5)? */
static bool has_control(const char *value) {
    for (; value && *value; value++)
        if (((unsigned char)*value < ' ' && *value != '\t') || *value == 0x7F)
            return true;
    return false;
}

/* Some proxies take one for the other. */
static bool is_with_underscore(const char *key) {
    return strcasecmp(key, "Transfer_Encoding") == 0 || strcasecmp(key, "Content_Length") == 0;
}

static int add_framing(void *user, int kind, const char *key, const char *value) {
    framing *f = user;
    (void)kind;
    f->contradicts |= !is_name(key) || has_control(value) || is_with_underscore(key);
    if (strcasecmp(key, "Transfer-Encoding") == 0) {
        f->contradicts |= f->coded || !value || strcasecmp(value, "chunked") != 0;
        f->coded = true;
    } else if (strcasecmp(key, "Content-Length") == 0) {
        f->contradicts |= f->length || !value || !*value || strspn(value, "0123456789") != strlen(value);
        f->length = value;
    } else if (strcasecmp(key, "Content-Encoding") == 0) {
        add_coding(f, value);
    }
    return HTTPD_YES;
}

/* A proxy in front may take another end of the body for the right one, and the rest for a request of its own (RFC 9112,
 * section 6.3). */
static bool ends_in_two_places(const framing *f) {
    return f->contradicts || (f->length && f->coded);
}

static void refuse_size(ilj_server *s, request *r) {
    char text[SERVE_TEXT_BYTES];
    snprintf(text, sizeof text, "a profile may have %" PRIu64 " bytes, and this one is larger", s->most_bytes);
    refuse(s, r, TOO_LARGE, text);
}

static void receive(ilj_server *s, request *r) {
    char told[SERVE_TEXT_BYTES] = "";
    diag d = {.sink = keep_first, .user = told, .file = s->folder};
    if (os_spool_open(&r->body, &d, s->folder) != ECMA_OK) {
        fail(s, r, told);
        return;
    }
    r->connection->uploading = true;
    s->uploads++;
}

/* Decides what can be decided before the body comes. */
static void decide(ilj_server *s, void *connection, request *r, const char *path, const char *method,
                   const char *version) {
    r->known = r->connection->known = is_token(s, path);
    bool reads = strcmp(method, "GET") == 0 || strcmp(method, "HEAD") == 0;
    framing f = {0};
    uint64_t bytes = 0;
    s->library.MHD_get_connection_values(connection, HTTPD_HEADER_KIND, add_framing, &f);
    r->compressed = f.compressed;
    /* Before HTTP/1.1 there are no chunks (RFC 9112, section 6.1). */
    f.contradicts |= f.coded && strcmp(version, "HTTP/1.1") != 0;
    if (ends_in_two_places(&f)) {
        r->closes = true;
        refuse(s, r, BAD_REQUEST, "the request says in two ways where it ends");
    } else if (strcmp(method, "OPTIONS") == 0) {
        r->status = NO_CONTENT;
    } else if (reads && (r->content = policy_at(path))) {
        r->status = OK;
        r->type = "text/xml; charset=utf-8";
    } else if (reads && reader_knows(s, path)) {
        r->connection->known = true;
        r->shown = reader_find(s, path);
        r->status = r->shown ? OK : NOT_FOUND;
        snprintf(r->text, sizeof r->text, "there is nothing, or nothing yet");
    } else if (!r->known) {
        refuse(s, r, FORBIDDEN, "forbidden");
    } else if (strcmp(method, "POST") != 0) {
        refuse(s, r, WRONG_METHOD, "profiles are sent by POST");
    } else if (f.foreign) {
        refuse(s, r, WRONG_CODING, "a profile is sent as it is, or with the Content-Encoding gzip");
    } else if (stated_bytes(s, connection, &bytes) && bytes > s->most_bytes) {
        refuse_size(s, r);
    } else if (!serve_rate_try(&s->posts, os_now_ns())) {
        put_off(s, r, TOO_MANY, serve_rate_wait(&s->posts), "too many profiles in a minute");
    } else {
        receive(s, r);
    }
}

/* ---- The body -----------------------------------------------------------------------------------------------------
 */

static uint64_t most_passed_over(const ilj_server *s, const request *r) {
    return PASSED_OVER_BYTES + (r->known ? s->most_bytes : 0);
}

static int take_part(ilj_server *s, request *r, bytes part) {
    serve_connection *c = r->connection;
    char told[SERVE_TEXT_BYTES] = "";
    diag d = {.sink = keep_first, .user = told, .file = s->folder};
    if (r->status != 0) {
        r->passed_over += part.size;
        return r->passed_over > most_passed_over(s, r) ? HTTPD_NO : HTTPD_YES;
    }
    if (part.size > s->most_bytes - c->body_bytes) {
        refuse_size(s, r);
        return HTTPD_YES;
    }
    c->body_bytes += part.size;
    if (os_spool_append(&r->body, &d, part) != ECMA_OK)
        fail(s, r, told);
    return HTTPD_YES;
}

/* A file that is in its place may still lack what the caller makes of it. False: the answer is decided. */
static bool is_kept(ilj_server *s, request *r, const ilj_received *received) {
    char problem[ILJ_PROBLEM_BYTES] = "", line[SERVE_TEXT_BYTES];
    const ilj_status status = s->keep ? s->keep(s->user, received, problem) : ILJ_OK;
    if (status == ILJ_OK)
        return true;
    if (status != ILJ_IO && status != ILJ_NO_MEMORY) {
        refuse(s, r, BAD_REQUEST, problem);
        return false;
    }
    snprintf(line, sizeof line, "it cannot be kept now: %s", problem);
    put_off(s, r, BUSY, BUSY_SECONDS, line);
    /* The client learns no more of this side. */
    snprintf(r->text, sizeof r->text, "the profile cannot be kept now; send it again");
    return false;
}

static void take_profile(ilj_server *s, request *r, bytes content) {
    char told[SERVE_TEXT_BYTES] = "";
    diag d = {.sink = keep_first, .user = told, .file = s->folder};
    intake_receipt receipt;
    intake_outcome outcome = intake_take(&s->intake, &receipt, content, &d);
    switch (outcome) {
    case INTAKE_BAD:
        refuse(s, r, BAD_REQUEST, told);
        return;
    case INTAKE_FULL:
        put_off(s, r, FULL, FULL_SECONDS, "there are as many profiles as may be kept");
        return;
    case INTAKE_FAILED:
        fail(s, r, told);
        return;
    case INTAKE_OVERTAKEN:
    case INTAKE_KEPT:
        break;
    }
    const bool overtaken = outcome == INTAKE_OVERTAKEN;
    const ilj_received received = {receipt.name, content.size, receipt.calls, receipt.methods,
                                   receipt.again || overtaken};
    if (!is_kept(s, r, &received))
        return;
    no_more_body(s, r);
    r->status = OK;
    snprintf(r->text, sizeof r->text, "%s", receipt.name);
    if (!overtaken && s->received)
        s->received(s->user, &received);
}

/* The profile that comes out takes the place of the body. */
static bool inflate_body(ilj_server *s, request *r, bytes compressed) {
    char told[SERVE_TEXT_BYTES] = "", problem[GUNZIP_PROBLEM_BYTES];
    diag d = {.sink = keep_first, .user = told, .file = s->folder};
    os_spool inflated = OS_SPOOL_INIT;
    gunzip_outcome outcome = GUNZIP_FAILED;
    if (os_spool_open(&inflated, &d, s->folder) == ECMA_OK)
        outcome = gunzip(&inflated, compressed, s->most_bytes, problem, &d);
    os_spool_close(&r->body);
    r->body = inflated;
    if (outcome == GUNZIP_BAD)
        refuse(s, r, BAD_REQUEST, problem);
    else if (outcome == GUNZIP_LARGE)
        refuse_size(s, r);
    else if (outcome == GUNZIP_FAILED)
        fail(s, r, told);
    return outcome == GUNZIP_DONE;
}

static bool map_body(ilj_server *s, request *r, os_map *map) {
    char told[SERVE_TEXT_BYTES] = "";
    diag d = {.sink = keep_first, .user = told, .file = s->folder};
    if (os_spool_map(map, &r->body, &d) == ECMA_OK)
        return true;
    fail(s, r, told);
    return false;
}

/* gzip is known by its first bytes, too: a page that is being left sends without a head of its own, as a browser would
 * ask first whether it may (CORS). */
static void take_whole(ilj_server *s, request *r) {
    os_map map = OS_MAP_INIT;
    bool there = map_body(s, r, &map);
    if (there && (r->compressed || gunzip_is_gzip(map.content))) {
        there = inflate_body(s, r, map.content);
        os_unmap(&map);
        there = there && map_body(s, r, &map);
    }
    if (there)
        take_profile(s, r, map.content);
    os_unmap(&map);
}

/* ---- Callbacks of libmicrohttpd ------------------------------------------------------------------------------------
 */

/* An answer before the end of the request closes the connection; what is small is read to its end instead, so that
 * the client, which may be sending still, finds the answer and not a connection that is gone. */
static bool is_worth_reading(const ilj_server *s, void *connection, const request *r) {
    uint64_t bytes = 0;
    if (r->closes || s->library.MHD_lookup_connection_value(connection, HTTPD_HEADER_KIND, "Expect"))
        return false;
    return !stated_bytes(s, connection, &bytes) || bytes <= most_passed_over(s, r);
}

/* libmicrohttpd's MHD_AccessHandlerCallback, hence that many parameters. */
int request_handle(void *user, void *connection, const char *path, const char *method, const char *version,
                   const char *data, size_t *size, void **kept) {
    ilj_server *s = user;
    request *r = *kept;
    if (!r) {
        const union httpd_info_value *info = s->library.MHD_get_connection_info(connection, HTTPD_INFO_SOCKET_CONTEXT);
        r = info && info->socket_context ? calloc(1, sizeof *r) : NULL;
        if (!r)
            return HTTPD_NO;
        *r = (request){.connection = info->socket_context, .body = OS_SPOOL_INIT};
        *kept = r;
        decide(s, connection, r, path, method, version);
        return r->status == 0 || is_worth_reading(s, connection, r) ? HTTPD_YES : answer(s, connection, r);
    }
    if (*size > 0) {
        int going_on = take_part(s, r, bytes_of(data, *size));
        *size = 0;
        return going_on;
    }
    if (r->status == 0)
        take_whole(s, r);
    return answer(s, connection, r);
}

void request_completed(void *user, void *connection, void **kept, int how) {
    ilj_server *s = user;
    request *r = *kept;
    (void)connection;
    if (!r)
        return;
    if (how != HTTPD_COMPLETED_OK && r->status == 0)
        serve_tell(s, r->connection, "the connection ended before the profile was whole; nothing of it is kept");
    no_more_body(s, r);
    r->connection->age_ns = r->connection->body_bytes = 0;
    r->connection->known = false;
    free(r);
    *kept = NULL;
}
