#include "serve/gunzip.h"

#include <inttypes.h>
#include <stdio.h>
#include <zlib.h>

enum {
    PIECE_BYTES = 64 << 10,
    PART_BYTES = 1 << 30,        /* zlib counts what it is given in 32 bits */
    GZIP_ALONE = 16 + MAX_WBITS, /* inflateInit2: gzip, and not zlib's own format */
    ID1 = 0x1F,
    ID2 = 0x8B, /* RFC 1952, section 2.3.1 */
};

bool gunzip_is_gzip(bytes body) {
    return body.size >= 2 && body.data[0] == ID1 && body.data[1] == ID2;
}

static gunzip_outcome bad(char problem[GUNZIP_PROBLEM_BYTES], uint64_t offset, const char *text) {
    snprintf(problem, GUNZIP_PROBLEM_BYTES, "the gzip body is damaged: offset %" PRIu64 ": %s", offset, text);
    return GUNZIP_BAD;
}

static gunzip_outcome inflate_all(z_stream *z, os_spool *out, bytes body, uint64_t most_bytes,
                                  char problem[GUNZIP_PROBLEM_BYTES], diag *d) {
    uint8_t piece[PIECE_BYTES];
    uint64_t given = 0, made = 0;
    int result = Z_OK;
    while (result != Z_STREAM_END) {
        if (z->avail_in == 0 && given < body.size) {
            uint64_t part = body.size - given < PART_BYTES ? body.size - given : PART_BYTES;
            z->next_in = (z_const Bytef *)(uintptr_t)(body.data + given);
            z->avail_in = (uInt)part;
            given += part;
        }
        z->next_out = piece;
        z->avail_out = sizeof piece;
        result = inflate(z, Z_NO_FLUSH);
        uint64_t offset = given - z->avail_in;
        if (result == Z_MEM_ERROR) {
            diag_no_memory(d);
            return GUNZIP_FAILED;
        }
        if (result == Z_BUF_ERROR) /* nothing was left to take, and there was room to put it */
            return bad(problem, offset, "expected more of it");
        if (result != Z_OK && result != Z_STREAM_END)
            return bad(problem, offset, z->msg ? z->msg : "expected no dictionary");
        size_t size = sizeof piece - z->avail_out;
        if (size > most_bytes - made)
            return GUNZIP_LARGE;
        made += size;
        if (os_spool_append(out, d, bytes_of(piece, size)) != ECMA_OK)
            return GUNZIP_FAILED;
    }
    given -= z->avail_in;
    return given < body.size ? bad(problem, given, "expected nothing after its end") : GUNZIP_DONE;
}

gunzip_outcome gunzip(os_spool *out, bytes body, uint64_t most_bytes, char problem[GUNZIP_PROBLEM_BYTES], diag *d) {
    z_stream z = {0};
    if (inflateInit2(&z, GZIP_ALONE) != Z_OK) {
        diag_no_memory(d);
        return GUNZIP_FAILED;
    }
    gunzip_outcome outcome = inflate_all(&z, out, body, most_bytes, problem, d);
    inflateEnd(&z);
    return outcome;
}
