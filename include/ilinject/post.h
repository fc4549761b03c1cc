/* ilinject/post.h - sends reports to a collector of OpenTelemetry by HTTP (docs/exports.md). */
#ifndef ILINJECT_POST_H
#define ILINJECT_POST_H

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

struct ilj_report_options;

enum { ILJ_POST_TRIES = 5, ILJ_POST_MOST_MIB = 64 };

typedef struct ilj_post_options {
    size_t size;              /* sizeof(ilj_post_options) */
    const char *url;          /* http://HOST[:PORT][/PATH]; without a path that of OTLP, /v1development/profiles */
    bool patient;             /* a connection that fails is tried again, too, as an answer is that asks for it */
    bool (*ends)(void *user); /* NULL, or what is called a few times a second; true: it is given up */
    void *user;
    const char *headers; /* NULL, or others of a request, as OpenTelemetry's OTEL_EXPORTER_OTLP_HEADERS has them */
} ilj_post_options;

/* Returns ILJ_OK, or ILJ_CONFIG: nothing can be sent there. */
ilj_status ilj_post_check(ilj_context *context, const char *url);
/* Returns ILJ_OK, ILJ_NO_MEMORY, or ILJ_CONFIG (ILJ0728): ilj_post_options.headers cannot be so. */
ilj_status ilj_post_check_headers(ilj_context *context, const char *headers);

/* Makes a report of the format `otlp` (all else is as `report` says) and sends it, ILJ_POST_TRIES times at most, with
 * growing pauses or those that the answers ask for. Returns ILJ_OK, ILJ_CONFIG, what ilj_report returns, or ILJ_IO: it
 * was not sent (ILJ0725), or a part of it was not taken (ILJ0726). */
ilj_status ilj_post(ilj_context *context, const char *const *profiles, size_t profile_count,
                    const struct ilj_report_options *report, const ilj_post_options *options);

#ifdef __ELF__
#pragma GCC visibility pop
#endif
#ifdef __cplusplus
}
#endif
#endif
