#include "post/answer.h"

#include <string.h>
#include <strings.h>

enum { MOST_SECONDS = 1000000 };

/* ---- HTTP ------------------------------------------------------------------------------------------------------- */

/* The line that begins at *at, without its end, after which *at then is; false: it has none yet. */
static bool next_line(bytes all, size_t *at, bytes *line) {
    const uint8_t *start = all.data + *at;
    const uint8_t *end = *at < all.size ? memchr(start, '\n', all.size - *at) : NULL;
    if (!end)
        return false;
    *at = (size_t)(end - all.data) + 1;
    *line = (bytes){start, (size_t)(end - start)};
    if (line->size > 0 && end[-1] == '\r')
        line->size--;
    return true;
}

/* The number that the text begins with, and how many bytes of it that is; MOST at most. */
static size_t read_number(bytes text, unsigned base, uint64_t most, uint64_t *number) {
    size_t at = 0;
    *number = 0;
    for (; at < text.size; at++) {
        const uint8_t c = text.data[at];
        unsigned digit = 16;
        if (c >= '0' && c <= '9')
            digit = c - (unsigned)'0';
        else if ((c | 0x20) >= 'a' && (c | 0x20) <= 'f')
            digit = (c | 0x20u) - 'a' + 10;
        if (digit >= base)
            break;
        *number = *number * base + digit;
        if (*number > most)
            *number = most;
    }
    return at;
}

static bytes trimmed(bytes text) {
    while (text.size > 0 && (text.data[0] == ' ' || text.data[0] == '\t'))
        text = (bytes){text.data + 1, text.size - 1};
    while (text.size > 0 && (text.data[text.size - 1] == ' ' || text.data[text.size - 1] == '\t'))
        text.size--;
    return text;
}

/* The value of a header of this name. */
static bool is_header(bytes line, const char *name, bytes *value) {
    const size_t size = strlen(name);
    if (line.size <= size || line.data[size] != ':' || strncasecmp((const char *)line.data, name, size) != 0)
        return false;
    *value = trimmed((bytes){line.data + size + 1, line.size - size - 1});
    return true;
}

typedef struct framing {
    bool stated, chunked;
    uint64_t length;
} framing;

static void read_header(post_answer *a, framing *f, bytes line) {
    bytes value;
    uint64_t number;
    if (is_header(line, "Content-Length", &value) && read_number(value, 10, UINT32_MAX, &number) > 0) {
        f->stated = true;
        f->length = number;
    } else if (is_header(line, "Transfer-Encoding", &value)) {
        f->chunked = value.size == 7 && strncasecmp((const char *)value.data, "chunked", 7) == 0;
    } else if (is_header(line, "Retry-After", &value)) {
        /* A date is no number, and asks for a while. */
        a->retries = value.size > 0 && read_number(value, 10, MOST_SECONDS, &a->retry_after) == value.size;
    } else if (is_header(line, "Content-Type", &value)) {
        a->is_protobuf = value.size >= 22 && strncasecmp((const char *)value.data, "application/x-protobuf", 22) == 0;
    }
}

/* "HTTP/1.1 200 OK". False: it is none. */
static bool read_status(post_answer *a, bytes line) {
    uint64_t status;
    if (line.size < 12 || memcmp(line.data, "HTTP/1.", 7) != 0 || line.data[8] != ' ' ||
        read_number((bytes){line.data + 9, line.size - 9}, 10, 1000, &status) != 3 || status < 100 || status > 599)
        return false;
    *a = (post_answer){.status = (unsigned)status, .reason = trimmed((bytes){line.data + 12, line.size - 12})};
    return true;
}

/* Lines with sizes in hexadecimal, each before as many bytes; the last one is 0. */
static post_reading join_chunks(bytes rest, buffer *joined) {
    joined->size = 0;
    for (size_t at = 0;;) {
        bytes line;
        uint64_t size;
        if (!next_line(rest, &at, &line))
            return POST_MORE;
        if (read_number(line, 16, UINT32_MAX, &size) == 0)
            return POST_BAD;
        if (size == 0)
            return POST_WHOLE;
        if (size > rest.size - at)
            return POST_MORE;
        buffer_append(joined, rest.data + at, (size_t)size);
        at += (size_t)size;
        if (rest.size - at < 2)
            return POST_MORE;
        at += rest.data[at] == '\r' ? 2 : 1;
    }
}

static post_reading read_body(post_answer *a, const framing *f, bytes rest, bool ended, buffer *joined) {
    post_reading state = ended ? POST_WHOLE : POST_MORE;
    a->body = rest;
    if (f->chunked) {
        state = join_chunks(rest, joined);
        a->body = buffer_bytes(joined);
        return state == POST_MORE && ended ? POST_WHOLE : state;
    }
    if (f->stated && rest.size >= f->length) {
        a->body.size = (size_t)f->length;
        state = POST_WHOLE;
    }
    return state;
}

post_reading post_answer_read(post_answer *a, bytes received, bool ended, buffer *joined) {
    const post_reading open = ended ? POST_BAD : POST_MORE;
    bytes line;
    for (size_t at = 0;;) {
        framing f = {0};
        if (!next_line(received, &at, &line))
            return open;
        if (!read_status(a, line))
            return POST_BAD;
        do {
            if (!next_line(received, &at, &line))
                return open;
            read_header(a, &f, line);
        } while (line.size > 0);
        if (a->status >= 200) /* others come before the answer */
            return read_body(a, &f, (bytes){received.data + at, received.size - at}, ended, joined);
    }
}

/* ---- Protocol Buffers ------------------------------------------------------------------------------------------- */

typedef struct field {
    uint64_t number, value; /* value: of a varint */
    bytes content;          /* of what has a length */
} field;

static bool read_varint(bytes all, size_t *at, uint64_t *value) {
    *value = 0;
    for (unsigned shift = 0; shift < 64 && *at < all.size; shift += 7) {
        const uint8_t byte = all.data[(*at)++];
        *value |= (uint64_t)(byte & 0x7F) << shift;
        if (byte < 0x80)
            return true;
    }
    return false;
}

static bool next_field(bytes all, size_t *at, field *f) {
    enum { VARINT = 0, FIXED64 = 1, LENGTH = 2, FIXED32 = 5 };
    uint64_t head, size;
    *f = (field){0};
    if (!read_varint(all, at, &head))
        return false;
    f->number = head >> 3;
    switch (head & 7) {
    case VARINT:
        return read_varint(all, at, &f->value);
    case FIXED64:
    case FIXED32:
        size = (head & 7) == FIXED64 ? 8 : 4;
        break;
    case LENGTH:
        if (!read_varint(all, at, &size))
            return false;
        break;
    default:
        return false;
    }
    if (size > all.size - *at)
        return false;
    f->content = (bytes){all.data + *at, (size_t)size};
    *at += (size_t)size;
    return true;
}

bool post_read_partial(bytes body, uint64_t *rejected, bytes *message) {
    enum { PARTIAL_SUCCESS = 1, REJECTED = 1, MESSAGE = 2 };
    field outer, inner;
    *rejected = 0;
    *message = (bytes){0};
    for (size_t at = 0; at < body.size;) {
        if (!next_field(body, &at, &outer))
            return false;
        for (size_t in = 0; outer.number == PARTIAL_SUCCESS && in < outer.content.size;) {
            if (!next_field(outer.content, &in, &inner))
                return false;
            if (inner.number == REJECTED)
                *rejected = inner.value;
            else if (inner.number == MESSAGE)
                *message = inner.content;
        }
    }
    return true;
}

bytes post_read_message(const post_answer *a) {
    enum { MESSAGE = 2 };
    bytes found = {0};
    field f;
    for (size_t at = 0; a->is_protobuf && at < a->body.size && next_field(a->body, &at, &f);)
        if (f.number == MESSAGE)
            found = f.content;
    if (!a->is_protobuf)
        found = a->body;
    const uint8_t *end = found.size > 0 ? memchr(found.data, '\n', found.size) : NULL;
    if (end)
        found.size = (size_t)(end - found.data);
    return trimmed(found);
}
