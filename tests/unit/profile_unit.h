/* profile_unit.h - reads made profiles and expects diagnostics, and pieces to make them of. */
#ifndef TESTS_UNIT_PROFILE_UNIT_H
#define TESTS_UNIT_PROFILE_UNIT_H

#include "unit.h"

#include "profile/names.h"
#include "profile/profile.h"
#include "profile_events.h"
#include "util/varuint.h"

typedef struct told {
    unsigned count;
    diag_code code;
    char text[1024];
} told;

static inline void keep(void *user, const char *file, diag_severity severity, diag_code code, const char *text) {
    told *t = user;
    (void)severity;
    assert_string_equal(file, "x.ilprof");
    t->count++;
    t->code = code;
    snprintf(t->text, sizeof t->text, "%s", text);
}

/* Reads a copy without a byte of room after it, so that a sanitizer sees every read past the end. */
static inline ecma_status read_copy(profile *p, bytes content, told *t) {
    diag d = {.sink = keep, .user = t, .file = "x.ilprof"};
    uint8_t *copy = malloc(content.size ? content.size : 1);
    assert_non_null(copy);
    if (content.size)
        memcpy(copy, content.data, content.size);
    *t = (told){0};
    p->memory.one_by_one = true;
    ecma_status status = profile_read(p, (bytes){copy, content.size}, &d);
    if (status != ECMA_OK)
        assert_int_equal(t->count, 1);
    else
        assert_int_equal(t->count, 0);
    /* Only figures are looked at after this. */
    free(copy);
    return status;
}

static inline void refuses(const buffer *file, diag_code code, const char *part) {
    told t;
    profile p = PROFILE_INIT;
    assert_int_equal(read_copy(&p, buffer_bytes(file), &t), diag_status_of(code));
    assert_int_equal(t.code, code);
    if (!strstr(t.text, part))
        fail_msg("'%s' does not say '%s'", t.text, part);
}

/* ---- Pieces ----------------------------------------------------------------------------------------------------- */

static const char *const least_run[] = {"ticks_per_second", "1000", NULL};

static inline void start(buffer *file) {
    maker_header(file, 1, 0);
    maker_run(file, least_run);
}

static inline void no_modules(buffer *file) {
    buffer b = BUFFER_INIT;
    buffer_varuint(&b, 0);
    maker_section(file, "MODS", &b);
    buffer_clear(&b);
}

/* A profile with one thread; its nodes are given by child count and id. */
typedef struct shape {
    uint64_t children, id;
} shape;

static inline void with_tree(buffer *file, uint64_t stated, const shape *nodes, size_t count) {
    buffer b = BUFFER_INIT;
    start(file);
    no_modules(file);
    maker_thread(&b, 1, "t", 1, stated);
    for (size_t i = 0; i < count; i++)
        maker_node(&b, nodes[i].children, nodes[i].id, 1, 1, 0, 0, 0);
    maker_section(file, "THRD", &b);
    maker_end(file);
    buffer_clear(&b);
}

#endif
