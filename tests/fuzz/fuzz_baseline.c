/* Baselines of any bytes: read, or refused in one line; what is read is written, and read again as the same. Compared
 * with itself nothing has changed. */
#include <stdlib.h>

#include "contract/judge.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void must(bool holds) {
    if (!holds)
        abort();
}

static void count(void *user, const char *file, diag_severity severity, diag_code code, const char *text) {
    (void)file;
    (void)code;
    *(unsigned *)user += severity == DIAG_ERROR && text[0] != 0;
}

static int keep_text(void *user, const char *text, size_t length) {
    buffer_append(user, text, length);
    return 0;
}

static void write_all(buffer *text, const contract *c) {
    printer *out = calloc(1, sizeof *out);
    must(out != NULL);
    out->write = keep_text;
    out->user = text;
    must(contract_write(out, c) && print_flush(out));
    free(out);
}

static void write_outcomes(judgement *j, ilj_check_options *options) {
    for (int format = ILJ_CHECK_TEXT; format <= ILJ_CHECK_GITLAB; format++) {
        buffer text = BUFFER_INIT;
        printer *out = calloc(1, sizeof *out);
        must(out != NULL);
        out->write = keep_text;
        out->user = &text;
        options->format = (ilj_check_format)format;
        if (format == ILJ_CHECK_TEXT)
            check_text(out, j);
        else if (format == ILJ_CHECK_MARKDOWN)
            check_markdown(out, j);
        else
            must(check_findings(out, j));
        must(print_flush(out) && !out->no_memory);
        free(out);
        buffer_clear(&text);
    }
}

/* A judgement of `after` against `before` is made and written. */
static uint32_t changes(contract *before, const contract *after) {
    ilj_check_options options = {.size = sizeof options, .root = "/r"};
    judgement j = {.before = before, .after = after, .options = &options};
    must(judge(&j));
    uint32_t found = j.count;
    write_outcomes(&j, &options);
    judgement_clear(&j);
    return found;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    unsigned errors = 0;
    diag d = {.sink = count, .user = &errors, .file = "x.txt"};
    contract c = CONTRACT_INIT, again = CONTRACT_INIT, none = CONTRACT_INIT;
    ecma_status status = contract_read(&c, bytes_of(data, size), &d);
    must((status != ECMA_OK) == (errors > 0) && errors <= 1);
    if (status == ECMA_OK) {
        buffer text = BUFFER_INIT, twice = BUFFER_INIT;
        none.runs = 1;
        memcpy(none.known, c.known, sizeof none.known);
        write_all(&text, &c);
        must(contract_read(&again, buffer_bytes(&text), &d) == ECMA_OK);
        write_all(&twice, &again);
        must(bytes_equal(buffer_bytes(&text), buffer_bytes(&twice)));
        must(changes(&again, &c) == 0);
        changes(&c, &none);
        changes(&none, &again);
        buffer_clear(&text);
        buffer_clear(&twice);
    }
    contract_clear(&c);
    contract_clear(&again);
    contract_clear(&none);
    return 0;
}
