/* A report on its way to a collector: made once, whole and compressed, and then sent until it was taken. */
#include <inttypes.h>
#include <libdeflate.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/buffer.h"
#include "input/context.h"
#include "platform/os_connect.h"
#include "platform/os_net.h"
#include "post/answer.h"
#include "post/headers.h"
#include "post/url.h"

enum {
    LEVEL = 6,
    MOST_BYTES = ILJ_POST_MOST_MIB << 20, /* before it is compressed: what receivers take at most */
    MOST_ANSWER = 64 << 10,
    TRY_SECONDS = 10, /* and a second for each MiB */
    MOST_PAUSE_SECONDS = 30,
    TEXT_BYTES = 200, /* of an answer's text */
};
#define SECOND_NS ((uint64_t)1000000000)

typedef struct post {
    const ilj_post_options *options;
    diag *d;
    post_url url;
    buffer headers; /* lines of the head that were given */
    bytes body;     /* compressed */
} post;

static os_patience patience(const post *p, uint64_t ns) {
    return (os_patience){os_now_ns() + ns, p->options->ends, p->options->user};
}

static bool is_given_up(const post *p) {
    return p->options->ends && p->options->ends(p->options->user);
}

/* ---- One try ---------------------------------------------------------------------------------------------------- */

static void make_head(buffer *head, const post *p) {
    buffer_printf(head,
                  "POST %s HTTP/1.1\r\n"
                  "Host: %s\r\n"
                  "User-Agent: ilinject/" ILJ_VERSION "\r\n"
                  "Content-Type: application/x-protobuf\r\n"
                  "Content-Encoding: gzip\r\n"
                  "Content-Length: %zu\r\n"
                  "OTLP-Profiles-Development-Version: 1\r\n"
                  "Connection: close\r\n",
                  p->url.path, p->url.authority, p->body.size);
    buffer_append(head, p->headers.data, p->headers.size);
    buffer_string(head, "\r\n");
}

/* Reads until there is an answer. What was received stays in `got`. */
static bool receive(int socket, post_answer *a, buffer *got, buffer *joined, const os_patience *until,
                    char problem[OS_PROBLEM_BYTES]) {
    uint8_t piece[4096];
    for (int size = 1; size > 0;) {
        size = os_receive(socket, piece, sizeof piece, until, problem);
        if (size < 0)
            return false;
        buffer_append(got, piece, (size_t)size);
        const bool full = got->size > MOST_ANSWER;
        const post_reading state = post_answer_read(a, buffer_bytes(got), size == 0 || full, joined);
        if (state == POST_WHOLE)
            return !got->failed && !joined->failed;
        if (state == POST_BAD || full) {
            snprintf(problem, OS_PROBLEM_BYTES,
                     got->size > 0 ? "what came back is no answer of HTTP" : "the connection ended without an answer");
            return false;
        }
    }
    return false;
}

/* False: `problem` says why there is no answer. */
static bool try_once(const post *p, post_answer *a, buffer *got, buffer *joined, char problem[OS_PROBLEM_BYTES]) {
    const os_patience until = patience(p, (TRY_SECONDS + (p->body.size >> 20)) * SECOND_NS);
    const int socket = os_connect(p->url.host, p->url.port, &until, problem);
    if (socket < 0)
        return false;
    buffer head = BUFFER_INIT;
    make_head(&head, p);
    char of_sending[OS_PROBLEM_BYTES];
    const bool sent = !head.failed && os_send(socket, buffer_bytes(&head), &until, of_sending) &&
                      os_send(socket, p->body, &until, of_sending);
    /* One that refuses may answer before it has read all. */
    bool answered = receive(socket, a, got, joined, &until, problem);
    if (!sent && !answered && !head.failed)
        memcpy(problem, of_sending, OS_PROBLEM_BYTES);
    buffer_clear(&head);
    os_close_socket(socket);
    return answered;
}

/* ---- Tries ------------------------------------------------------------------------------------------------------ */

static bool asks_for_another(unsigned status) {
    return status == 429 || status == 502 || status == 503 || status == 504;
}

static bytes at_most(bytes text) {
    return (bytes){text.data, text.size < TEXT_BYTES ? text.size : TEXT_BYTES};
}

static ecma_status report_taken(const post *p, const post_answer *a) {
    uint64_t rejected;
    bytes message;
    if (!post_read_partial(a->body, &rejected, &message))
        return ECMA_OK; /* what a proxy says, perhaps */
    message = at_most(message);
    const char *colon = message.size > 0 ? ": " : "";
    if (rejected > 0)
        return diag_report(p->d, DIAG_POST_REJECTED, "the receiver has not taken %" PRIu64 " of the profiles%s%.*s",
                           rejected, colon, (int)message.size, message.data);
    if (message.size > 0)
        return diag_report(p->d, DIAG_POST_WARNED, "the receiver says: %.*s", (int)message.size, message.data);
    return ECMA_OK;
}

static ecma_status report_refused(const post *p, const post_answer *a, unsigned tries) {
    const bytes message = at_most(post_read_message(a)), reason = at_most(a->reason);
    char times[48] = "";
    if (tries > 1)
        snprintf(times, sizeof times, ", asked %u times", tries);
    return diag_report(p->d, DIAG_POST_FAILED, "the answer is %u%s%.*s%s%s%.*s", a->status, reason.size > 0 ? " " : "",
                       (int)reason.size, reason.data, times, message.size > 0 ? ": " : "", (int)message.size,
                       message.data);
}

static ecma_status send_it(const post *p) {
    uint64_t pause = 1;
    for (unsigned tries = 1;; tries++) {
        post_answer a = {0};
        buffer got = BUFFER_INIT, joined = BUFFER_INIT;
        char problem[OS_PROBLEM_BYTES] = "memory ran out";
        const bool answered = try_once(p, &a, &got, &joined, problem);
        const bool again =
            tries < ILJ_POST_TRIES && (answered ? asks_for_another(a.status) : p->options->patient) && !is_given_up(p);
        const uint64_t asked = answered && a.retries ? a.retry_after : pause;
        ecma_status status = ECMA_OK;
        if (!again)
            status = !answered             ? diag_report(p->d, DIAG_POST_FAILED, "it cannot be sent: %s", problem)
                     : a.status / 100 != 2 ? report_refused(p, &a, tries)
                                           : report_taken(p, &a);
        buffer_clear(&got);
        buffer_clear(&joined);
        if (!again)
            return status;
        const os_patience rest = patience(p, (asked < MOST_PAUSE_SECONDS ? asked : MOST_PAUSE_SECONDS) * SECOND_NS);
        os_pause(&rest);
        pause *= 2;
    }
}

/* ---- The request ------------------------------------------------------------------------------------------------ */

static int gather(void *user, const char *text, size_t size) {
    buffer *to = user;
    buffer_append(to, text, size);
    return to->failed;
}

static ecma_status compress(buffer *packed, const buffer *plain, diag *d) {
    struct libdeflate_compressor *c = libdeflate_alloc_compressor(LEVEL);
    const size_t bound = c ? libdeflate_gzip_compress_bound(c, plain->size) : 0;
    uint8_t *to = c ? buffer_extend(packed, bound) : NULL;
    packed->size = to ? libdeflate_gzip_compress(c, plain->data, plain->size, to, bound) : 0;
    libdeflate_free_compressor(c);
    return packed->size > 0 ? ECMA_OK : diag_no_memory(d);
}

static ecma_status read_headers(buffer *to, const char *text, ilj_context *context) {
    diag d = context_diag(context, "headers");
    const ecma_status status = post_headers_read(to, text ? text : "", &d);
    return status == ECMA_OK && to->failed ? diag_no_memory(&d) : status;
}

ilj_status ilj_post_check(ilj_context *context, const char *url) {
    diag d = context_diag(context, url);
    post_url read;
    return post_url_read(&read, url, &d);
}

ilj_status ilj_post_check_headers(ilj_context *context, const char *headers) {
    buffer read = BUFFER_INIT;
    const ecma_status status = read_headers(&read, headers, context);
    buffer_clear(&read);
    return status;
}

ilj_status ilj_post(ilj_context *context, const char *const *profiles, size_t profile_count,
                    const struct ilj_report_options *report, const ilj_post_options *options) {
    ilj_post_options own;
    ilj_report_options wanted;
    ecma_status status = options_copy(&own, options, sizeof own, "ilj_post_options", context);
    if (status == ECMA_OK)
        status = options_copy(&wanted, report, sizeof wanted, "ilj_report_options", context);
    if (status != ECMA_OK)
        return status;
    diag d = context_diag(context, own.url);
    post p = {.options = &own, .d = &d, .headers = BUFFER_INIT};
    buffer plain = {.most = MOST_BYTES}, packed = BUFFER_INIT;
    wanted.size = sizeof wanted;
    wanted.format = ILJ_REPORT_OTLP;
    status = post_url_read(&p.url, own.url, &d);
    if (status == ECMA_OK)
        status = read_headers(&p.headers, own.headers, context);
    if (status == ECMA_OK)
        status = ilj_report(context, profiles, profile_count, &wanted, gather, &plain);
    if (plain.over)
        status = diag_report(&d, DIAG_POST_FAILED,
                             "the request would have more than %d MiB, which receivers refuse: send fewer profiles at "
                             "once, or --format=otlp to a file",
                             ILJ_POST_MOST_MIB);
    else if (plain.failed)
        status = diag_no_memory(&d);
    if (status == ECMA_OK)
        status = compress(&packed, &plain, &d);
    buffer_clear(&plain);
    p.body = buffer_bytes(&packed);
    if (status == ECMA_OK)
        status = send_it(&p);
    buffer_clear(&packed);
    buffer_clear(&p.headers);
    return status;
}
