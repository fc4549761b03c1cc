/* Configuration files and patterns on any bytes. Each match of a pattern is worked out a second time, place by place,
 * in the plainest way. The first byte says what the rest is: an odd one, a pattern, a line end, and names that it is
 * fed; an even one, a configuration file. */
#include <stdlib.h>

#include "metadata/index.h"
#include "select/config.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* ---- The same by another way (docs/configuration.md, "Patterns") ------------------------------------------------- */

enum { MOST_PLAIN = 200 }; /* bytes of a name; a square of it is looked at */

/* Does the text match from place to place, the rest of it the rest? Every place is asked once. */
static bool plain_glob(bytes wanted, bytes text) {
    static bool can[MOST_PLAIN + 2];
    memset(can, 0, sizeof can);
    can[0] = true;
    for (size_t w = 0; w < wanted.size; w++) {
        bool next[MOST_PLAIN + 2] = {false};
        for (size_t t = 0; t <= text.size; t++) {
            if (!can[t])
                continue;
            if (wanted.data[w] == '*') {
                for (size_t end = t; end <= text.size; end++)
                    next[end] = true;
            } else if (t < text.size && wanted.data[w] == '?') {
                size_t end = t + 1;
                while (end < text.size && (text.data[end] & 0xC0) == 0x80)
                    end++;
                next[end] = true;
            } else if (t < text.size && wanted.data[w] == text.data[t]) {
                next[t + 1] = true;
            }
        }
        memcpy(can, next, sizeof can);
    }
    return can[text.size];
}

static bool plain_part(const pattern_part *part, bytes text) {
    size_t length;
    return plain_glob(part->text, text) ||
           (md_name_arity(text, &length) != 0 && plain_glob(part->text, bytes_of(text.data, length)));
}

/* Do the pattern's parts, used up from the first on, name all of a name, or a part of it that begins it? */
static bool plain_accepts(const pattern *p, bytes name) {
    bool can[PATTERN_PARTS + 1] = {true}, covered = false;
    bool whole_only = p->has_parameters || p->attribute;
    for (size_t at = 0;;) {
        for (unsigned i = 0; i < p->part_count; i++)
            if (can[i] && p->parts[i].any)
                can[i + 1] = true;
        covered |= !whole_only && can[p->part_count];
        if (at >= name.size)
            return covered || can[p->part_count];
        size_t end = at + 1;
        while (end < name.size && name.data[end] != '.')
            end++;
        bool next[PATTERN_PARTS + 1] = {false};
        for (unsigned i = 0; i < p->part_count; i++) {
            if (can[i] && p->parts[i].any)
                next[i] = true;
            else if (can[i] && plain_part(&p->parts[i], bytes_of(name.data + at, end - at)))
                next[i + 1] = true;
        }
        memcpy(can, next, sizeof can);
        at = end + 1;
    }
}

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
        bytes whole = bytes_of(names, names_bytes);
        if (names_bytes <= MOST_PLAIN) {
            if (pattern_accepts(&p, pattern_feed(&p, state, whole)) != plain_accepts(&p, whole))
                abort();
            if (pattern_matches_assembly(&p, whole) != (!p.has_assembly || plain_glob(p.assembly, whole)))
                abort();
        }
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
    if (ilj_selection_new(&s, context, &(ilj_selection_options){.size = sizeof(ilj_selection_options)}) == ILJ_OK) {
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
