/* text_out.h - text on its way to a caller's ilj_write_fn, in pieces of some size, with what a file's bytes need before
 * they may stand in text: names and literals can hold anything. */
#ifndef ILINJECT_DUMP_TEXT_OUT_H
#define ILINJECT_DUMP_TEXT_OUT_H

#include "base/buffer.h"
#include "base/diag.h"
#include "ilinject.h"

/* TEXT_OUT_INIT, write to `b` with the buffer's functions or those below, text_out_flush now and then (it writes only
 * when enough has come together), text_out_finish. */
typedef struct text_out {
    buffer b;
    ilj_write_fn *write;
    void *user;
    bool stopped; /* the caller wants no more: what comes is dropped */
    uint64_t most, passed; /* bytes that may be handed over, and that were */
    bool over; /* there are more */
} text_out;

#define TEXT_OUT_INIT(write_fn, user_data, most_bytes)                                                                 \
    ((text_out){.write = (write_fn), .user = (user_data), .most = (most_bytes)})

/* Hands over what has come together, once it is 32 KiB. false when there is no point in going on. */
bool text_out_flush(text_out *out);

/* Hands over the rest and frees the buffer. Returns ILJ_OK, ILJ_IO when the caller stopped it, ILJ_UNSUPPORTED
 * (reported) when there is more than `most`; ILJ_NO_MEMORY. */
ilj_status text_out_finish(text_out *out, diag *d);

/* Valid UTF-8 as it is, but control characters and bytes that are not UTF-8 as \xNN: safe for a terminal. */
void text_plain(buffer *b, bytes text);
/* The same between double quotes, with \" and \\. */
void text_quoted(buffer *b, bytes text);
/* UTF-16, little-endian, between double quotes, as UTF-8; lone surrogates as \uNNNN. */
void text_quoted_utf16(buffer *b, bytes utf16);
/* A JSON string; bytes that are not UTF-8 become U+FFFD. */
void text_json(buffer *b, bytes text);

static inline bytes text_of(const char *s) {
    return bytes_of(s, strlen(s));
}

#endif
