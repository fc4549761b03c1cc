/* gunzip.h - a body that came compressed, inflated piece by piece into a file without a name.
 *
 * A body is one gzip member (RFC 1952) and nothing after it. The memory is that of one piece, whatever the body says
 * of itself, and the work ends with the first byte that is too many. */
#ifndef ILINJECT_SERVE_GUNZIP_H
#define ILINJECT_SERVE_GUNZIP_H

#include "base/bytes.h"
#include "base/diag.h"
#include "platform/os_spool.h"

typedef enum gunzip_outcome {
    GUNZIP_DONE,
    GUNZIP_BAD,    /* it is no gzip, is damaged, ends too early or goes on; the problem says so, with the offset */
    GUNZIP_LARGE,  /* more than `most_bytes` come out */
    GUNZIP_FAILED, /* memory, or the file; reported to the diag */
} gunzip_outcome;

enum { GUNZIP_PROBLEM_BYTES = 128 };

/* True if the body begins as gzip does. No profile begins so. */
bool gunzip_is_gzip(bytes body);
/* Appends to `out`, an open spool. `problem` is filled in for GUNZIP_BAD. */
gunzip_outcome gunzip(os_spool *out, bytes body, uint64_t most_bytes, char problem[GUNZIP_PROBLEM_BYTES], diag *d);

#endif
