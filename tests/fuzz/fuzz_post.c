/* What a receiver of reports may answer, and what may be given for its URL and its headers. The first byte says which:
 * an odd one, a URL and headers. An answer is read at every length that it may have come to; what is found of it lies
 * in it. */
#include <stdlib.h>

#include "post/answer.h"
#include "post/headers.h"
#include "post/url.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void must(bool holds) {
    if (!holds)
        abort();
}

static bool lies_in(bytes part, bytes whole) {
    return part.size == 0 || (part.data >= whole.data && part.data + part.size <= whole.data + whole.size);
}

static post_reading read_it(bytes all, bool ended, buffer *joined) {
    post_answer a = {0};
    const post_reading state = post_answer_read(&a, all, ended, joined);
    must(state != POST_MORE || !ended);
    if (state != POST_WHOLE)
        return state;
    must(a.status >= 200 && a.status <= 599 && lies_in(a.reason, all));
    must(lies_in(a.body, all) || lies_in(a.body, buffer_bytes(joined)));
    uint64_t rejected;
    bytes message;
    if (post_read_partial(a.body, &rejected, &message))
        must(lies_in(message, a.body));
    must(lies_in(post_read_message(&a), a.body));
    return state;
}

/* One that is whole at some length stays so, or was read to its end. */
static void answer_it(bytes all) {
    buffer joined = BUFFER_INIT;
    for (size_t size = 0; size <= all.size && size < 300; size++)
        (void)read_it((bytes){all.data, size}, false, &joined);
    (void)read_it(all, false, &joined);
    (void)read_it(all, true, &joined);
    buffer_clear(&joined);
}

/* Each ends its line, and nothing else ends one. */
static void headers_it(const char *text) {
    buffer lines = BUFFER_INIT;
    diag d = {.file = "x"};
    if (post_headers_read(&lines, text, &d) == ECMA_OK && !lines.failed) {
        must(lines.size == 0 || (lines.size > 4 && lines.data[lines.size - 1] == '\n'));
        for (size_t i = 0; i < lines.size; i++) {
            const bool ends = lines.data[i] == '\r';
            must((lines.data[i] >= ' ' && lines.data[i] != 0x7F) || lines.data[i] == '\t' || ends ||
                 (lines.data[i] == '\n' && i > 0 && lines.data[i - 1] == '\r'));
            must(!ends || (i + 1 < lines.size && lines.data[i + 1] == '\n'));
        }
    }
    buffer_clear(&lines);
}

static void url_it(bytes text) {
    char *copy = malloc(text.size + 1);
    post_url url;
    diag d = {.file = "x"};
    if (!copy)
        return;
    if (text.size > 0)
        memcpy(copy, text.data, text.size);
    copy[text.size] = 0;
    if (post_url_read(&url, copy, &d) == ECMA_OK) {
        must(*url.host && strchr(url.path, '/') == url.path && atol(url.port) > 0 && atol(url.port) <= UINT16_MAX);
        must(!strpbrk(url.path, " \r\n\t") && !strpbrk(url.authority, " \r\n\t/@"));
    }
    headers_it(copy);
    free(copy);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    if (size == 0)
        return 0;
    const bytes rest = {data + 1, size - 1};
    if (data[0] & 1)
        url_it(rest);
    else
        answer_it(rest);
    return 0;
}
