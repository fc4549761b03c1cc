/* Deployment manifests of any bytes: read, or refused in one word; what is read takes the tracker, and all its other
 * bytes stay. */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include <stdlib.h>

#include "package/manifest.h"

static void must(bool holds) {
    if (!holds)
        abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void count(void *user, const char *file, diag_severity severity, diag_code code, const char *text) {
    (void)file;
    (void)code;
    *(unsigned *)user += severity == DIAG_ERROR && text[0] != 0;
}

static size_t count_of(bytes text, const char *word) {
    size_t count = 0, size = strlen(word);
    const uint8_t *at = text.data;
    for (size_t left = text.size; (at = memmem(at, left, word, size)) != NULL; at += size, count++)
        left = text.size - (size_t)(at + size - text.data);
    return count;
}

/* Put in is one element by the rules of XML and nothing else: white space, perhaps the rest of the tag that had no end,
 * the part, and then perhaps that end. */
static void judge_part(bytes put_in, const manifest *m) {
    static const char name[] = "Name=\"ProfileInfoTracker\"", source[] = " Source=\"ProfileInfoTracker.dll\"";
    size_t tags = m->is_empty ? 2 : 1, opened = count_of(put_in, "<"), closed = count_of(put_in, ">");
    must(count_of(put_in, "AssemblyPart ") == 1 && count_of(put_in, source) == 1);
    must(count_of(put_in, name) == (m->name_prefix != NULL) && count_of(put_in, "\"") == (m->name_prefix ? 4 : 2));
    must(count_of(put_in, " />") == 1 && count_of(put_in, "</") == tags - 1);
    must(opened == tags && closed == opened + m->is_empty);
}

static void add_part(const manifest *m, diag *d) {
    buffer made = BUFFER_INIT;
    size_t tail = m->text.size - m->place - m->skip;
    if (manifest_add(&made, d, m, "ProfileInfoTracker") != ECMA_OK)
        abort();
    if (made.size <= m->text.size || memcmp(made.data, m->text.data, m->place) != 0 ||
        memcmp(made.data + made.size - tail, m->text.data + m->text.size - tail, tail) != 0)
        abort();
    judge_part(bytes_of(made.data + m->place, made.size - tail - m->place), m);
    buffer_clear(&made);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    unsigned errors = 0;
    diag d = {.sink = count, .user = &errors, .file = "x.xap"};
    manifest m;
    ecma_status status = manifest_read(&m, &d, bytes_of(data, size));
    if ((status != ECMA_OK) != (errors > 0) || errors > 1)
        abort();
    if (status == ECMA_OK && m.place > 0)
        add_part(&m, &d);
    manifest_clear(&m);
    return 0;
}
