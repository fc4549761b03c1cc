/* Configuration files and patterns on any bytes. The first byte says what the rest is: an odd one, a pattern, a line
 * end, and names that it is fed; an even one, a configuration file. */
#include <stdlib.h>

#include "config.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void try_pattern(const uint8_t *data, size_t size) {
    const uint8_t *end = memchr(data, '\n', size);
    size_t length = end ? (size_t)(end - data) : size;
    char *text = malloc(length + 1);
    uint8_t *names = malloc(size - length + 1);
    if (!text || !names)
        abort();
    memcpy(text, data, length);
    text[length] = 0;
    memcpy(names, data + length, size - length);
    size_t names_bytes = size - length;
    arena a = {.one_by_one = true};
    pattern p;
    const char *fault = NULL;
    if (pattern_compile(&p, text, &a, &fault) == ECMA_OK) {
        pattern_state state = pattern_start(&p);
        pattern_matches_assembly(&p, bytes_of(names, names_bytes));
        for (unsigned i = 0; i < 3; i++) {
            bool covered = pattern_covers(&p, state);
            state = pattern_feed(&p, state, bytes_of(names, names_bytes));
            if (covered && !pattern_covers(&p, state))
                abort(); /* what it covers it covers with all that is in it */
            if (state >> p.part_count > 1)
                abort();
        }
        if (p.has_parameters)
            pattern_matches_parameters(&p, names, names_bytes);
    } else if (!fault) {
        abort();
    }
    arena_clear(&a);
    free(names);
    free(text);
}

static void count(void *user, const ilj_diagnostic *diagnostic) {
    *(unsigned *)user += diagnostic->severity == ILJ_ERROR && diagnostic->text[0] != 0;
}

static void try_config(const uint8_t *data, size_t size) {
    unsigned errors = 0;
    ilj_context *context;
    ilj_selection *s;
    if (ilj_context_new(&context, count, &errors) != ILJ_OK)
        return;
    if (ilj_selection_new(&s, context, &(ilj_selection_options){0}) == ILJ_OK) {
        ecma_status status = config_read_bytes(s, context, "x.xml", bytes_of(data, size));
        if ((status != ECMA_OK) != (errors > 0))
            abort(); /* a failure without a word, or words without a failure */
        ilj_selection_free(s);
    }
    ilj_context_free(context);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    if (size == 0)
        return 0;
    uint8_t *copy = malloc(size); /* of its very size, so that a sanitizer sees each overrun */
    if (!copy)
        return 0;
    memcpy(copy, data + 1, size - 1);
    if (data[0] % 2)
        try_pattern(copy, size - 1);
    else
        try_config(copy, size - 1);
    free(copy);
    return 0;
}
