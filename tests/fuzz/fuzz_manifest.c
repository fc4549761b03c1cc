/* Deployment manifests of any bytes: read, or refused in one word; what is read takes the tracker, and all its other
 * bytes stay. */
#include <stdlib.h>

#include "package/manifest.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void count(void *user, const char *file, diag_severity severity, diag_code code, const char *text) {
    (void)file;
    (void)code;
    *(unsigned *)user += severity == DIAG_ERROR && text[0] != 0;
}

static void add_part(const manifest *m, diag *d) {
    buffer made = BUFFER_INIT;
    size_t tail = m->text.size - m->place - m->skip;
    if (manifest_add(&made, d, m, "ProfileInfoTracker") != ECMA_OK)
        abort();
    if (made.size <= m->text.size || memcmp(made.data, m->text.data, m->place) != 0 ||
        memcmp(made.data + made.size - tail, m->text.data + m->text.size - tail, tail) != 0)
        abort();
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
