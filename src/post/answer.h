/* answer.h - the answer to a request that was sent: HTTP/1.1 (RFC 9112), and what its body says in Protocol Buffers'
 * wire form. Nothing of it is trusted. */
#ifndef ILINJECT_POST_ANSWER_H
#define ILINJECT_POST_ANSWER_H

#include <stdint.h>

#include "base/buffer.h"

/* Texts and the body borrow from what was received, but a body in chunks, which is put together in `joined`. */
typedef struct post_answer {
    unsigned status; /* 200 to 599 */
    bytes reason;    /* as "Bad Gateway"; may be empty */
    bytes body;
    uint64_t retry_after; /* seconds */
    bool retries;         /* it said so */
    bool is_protobuf;
} post_answer;

typedef enum post_reading {
    POST_MORE,  /* it goes on */
    POST_WHOLE, /* as much of it as was stated, or as came before its end */
    POST_BAD,   /* that is none */
} post_reading;

/* Reads all that was received until now; `ended`: there is no more. `joined` is emptied first. */
post_reading post_answer_read(post_answer *a, bytes received, bool ended, buffer *joined);

/* Of an ExportProfilesServiceResponse: how many profiles were not taken, and the text about it. False: it is none. */
bool post_read_partial(bytes body, uint64_t *rejected, bytes *message);

/* What an answer that refuses says: a google.rpc.Status, or the first line of a text. */
bytes post_read_message(const post_answer *a);

#endif
