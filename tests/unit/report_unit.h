/* report_unit.h - runs reports on made profiles, and lets allocations fail (link with --wrap=malloc, calloc, realloc).
 */
#ifndef TESTS_UNIT_REPORT_UNIT_H
#define TESTS_UNIT_REPORT_UNIT_H

#include <jansson.h>

#include "profile_maker.h"
#include "report/report.h"
#include "unit.h"
#include "util/unicode.h"

/* ---- Allocations that fail -------------------------------------------------------------------------------------- */

static long allocations_left = -1; /* that succeed; negative: all */
static bool later_ones_fail;       /* not only the one after these */
static bool one_failed;

void *__real_malloc(size_t size);
void *__real_calloc(size_t count, size_t size);
void *__real_realloc(void *p, size_t size);
void *__wrap_malloc(size_t size);
void *__wrap_calloc(size_t count, size_t size);
void *__wrap_realloc(void *p, size_t size);

static inline bool allocation_fails(void) {
    if (allocations_left < 0)
        return false;
    if (allocations_left > 0) {
        allocations_left--;
        return false;
    }
    if (!later_ones_fail)
        allocations_left = -1;
    return one_failed = true;
}

void *__wrap_malloc(size_t size) {
    return allocation_fails() ? NULL : __real_malloc(size);
}
void *__wrap_calloc(size_t count, size_t size) {
    return allocation_fails() ? NULL : __real_calloc(count, size);
}
void *__wrap_realloc(void *p, size_t size) {
    return allocation_fails() ? NULL : __real_realloc(p, size);
}

/* ---- Running ---------------------------------------------------------------------------------------------------- */

typedef struct result {
    buffer text; /* with a terminator that is not counted */
    unsigned told;
    diag_code code;
    char last[1024];
    size_t refuse_after; /* bytes; 0: never */
} result;

static inline void keep(void *user, const char *file, diag_severity severity, diag_code code, const char *text) {
    result *r = user;
    (void)file;
    (void)severity;
    r->told++;
    r->code = code;
    snprintf(r->last, sizeof r->last, "%s", text);
}

static inline int collect(void *user, const char *text, size_t length) {
    result *r = user;
    if (r->refuse_after && r->text.size + length > r->refuse_after)
        return 1;
    long saved = allocations_left;
    allocations_left = -1; /* the test's own memory */
    buffer_append(&r->text, text, length);
    allocations_left = saved;
    return 0;
}

/* Whether reports have the whole head, as most tests look at it. */
static bool whole_head = true;

static inline ecma_status run_on(result *r, const buffer *files, size_t count, const ilj_report_options *asked) {
    ilj_report_options own = *asked, *options = &own;
    own.verbose = whole_head;
    report_input inputs[4];
    diag diags[4];
    static const char *const names[] = {"a.ilprof", "b.ilprof", "c.ilprof", "d.ilprof"};
    for (size_t i = 0; i < count; i++) {
        diags[i] = (diag){.sink = keep, .user = r, .file = names[i]};
        inputs[i] = (report_input){.content = buffer_bytes(&files[i]), .d = &diags[i]};
    }
    ecma_status status = report_run(inputs, count, options, collect, r);
    if (allocations_left < 0) {
        buffer_u8(&r->text, 0);
        r->text.size--;
    }
    return status;
}

static inline const char *text_of(const result *r) {
    return (const char *)r->text.data;
}

static inline json_t *json_of(const buffer *files, size_t count) {
    result r = {0};
    ilj_report_options options = {.format = ILJ_REPORT_JSON};
    assert_int_equal(run_on(&r, files, count, &options), ECMA_OK);
    json_error_t error;
    json_t *root = json_loadb(text_of(&r), r.text.size, JSON_REJECT_DUPLICATES, &error);
    if (!root)
        fail_msg("not JSON: line %d: %s", error.line, error.text);
    buffer_clear(&r.text);
    return root;
}

static inline long long number_at(const json_t *object, const char *key) {
    const json_t *value = json_object_get(object, key);
    if (!json_is_integer(value))
        fail_msg("no integer %s", key);
    return json_integer_value(value);
}

static inline const char *string_at(const json_t *object, const char *key) {
    const json_t *value = json_object_get(object, key);
    if (!json_is_string(value))
        fail_msg("no string %s", key);
    return json_string_value(value);
}

static inline const json_t *function_named(const json_t *root, const char *name) {
    size_t i;
    json_t *f;
    json_array_foreach(json_object_get(root, "functions"), i, f) {
        if (strcmp(string_at(f, "name"), name) == 0)
            return f;
    }
    fail_msg("no function %s", name);
    return NULL;
}

static inline void figures_and_average_are(const json_t *root, const char *name, long long calls,
                                           long long inclusive_ns, long long exclusive_ns, long long average_ns) {
    const json_t *f = function_named(root, name);
    assert_int_equal(number_at(f, "calls"), calls);
    assert_int_equal(number_at(f, "inclusive_ns"), inclusive_ns);
    assert_int_equal(number_at(f, "exclusive_ns"), exclusive_ns);
    assert_int_equal(number_at(f, "average_ns"), average_ns);
}

/* For a method that does not call itself. */
static inline void figures_are(const json_t *root, const char *name, long long calls, long long inclusive_ns,
                               long long exclusive_ns) {
    figures_and_average_are(root, name, calls, inclusive_ns, exclusive_ns, calls ? inclusive_ns / calls : 0);
}

#define IS_NULL (-1)

/* The members of these names; IS_NULL: null. */
static inline void numbers_are(const json_t *object, const char *const *keys, const long long *values) {
    for (size_t i = 0; keys[i]; i++)
        if (values[i] == IS_NULL)
            assert_true(json_is_null(json_object_get(object, keys[i])));
        else if (number_at(object, keys[i]) != values[i])
            fail_msg("%s is %lld, expected %lld", keys[i], number_at(object, keys[i]), values[i]);
}

/* A profile of one thread; method ids count from the base, and the names are m0, m1 … of type N.T. */
typedef struct call {
    uint64_t children, method, calls, ticks;
} call;

/* The profile of a run up to its modules; threads and the end are the caller's. */
static inline void begin_run(buffer *file, const char *const *pairs, uint8_t mvid) {
    buffer b = BUFFER_INIT, names = BUFFER_INIT;
    maker_header(file, 1, 0);
    maker_run(file, pairs);
    maker_lists l = {0};
    maker_type(&l, 0, "N", "T", NULL);
    for (unsigned i = 0; i < 9; i++) {
        const char name[] = {'m', (char)('0' + i), '\0'};
        maker_method(&l, 0, i + 1, 0, name, NULL, "");
    }
    maker_join(&b, &l, "M.dll", "M", 1, 9);
    maker_names(&names, &b, 9, mvid);
    b.size = 0;
    buffer_varuint(&b, 1);
    maker_module(&b, SAMPLE_BASE, 9, "M, Version=1.0.0.0", (uint8_t)(mvid + 100), buffer_bytes(&names));
    maker_section(file, "MODS", &b);
    buffer_clear(&b);
    buffer_clear(&names);
}

static inline void add_calls(buffer *file, const call *calls, size_t count) {
    buffer b = BUFFER_INIT;
    maker_thread(&b, 1, "t", 1, count);
    for (size_t i = 0; i < count; i++)
        maker_node(&b, calls[i].children, i == 0 ? 0 : SAMPLE_BASE + calls[i].method, calls[i].calls, calls[i].ticks, 0,
                   0, 0);
    maker_section(file, "THRD", &b);
    buffer_clear(&b);
}

/* The profile up to and with its thread; what follows and the end are the caller's. */
static inline void begin_profile(buffer *file, const char *rate, uint8_t mvid, const call *calls, size_t count) {
    const char *const pairs[] = {"ticks_per_second", rate, "name", "\xFF\"quoted\"\t\\\xC3", NULL};
    begin_run(file, pairs, mvid);
    add_calls(file, calls, count);
}

static inline void make_profile(buffer *file, const char *rate, uint8_t mvid, const call *calls, size_t count) {
    begin_profile(file, rate, mvid, calls, count);
    maker_end(file);
}

/* A chain: each node calls the next; methods alternate. */
static inline void make_chain(buffer *file, uint32_t depth) {
    call *calls = calloc(depth + 1, sizeof *calls);
    calls[0].children = 1;
    for (uint32_t i = 1; i <= depth; i++)
        calls[i] = (call){i < depth, i % 9, 1, depth + 1 - i};
    make_profile(file, "1000", 1, calls, depth + 1);
    free(calls);
}

/* Runs with the n-th allocation failing, for each n, until there is no n-th. */
static inline long fail_each(const buffer *files, size_t count, const ilj_report_options *options) {
    for (long n = 0;; n++) {
        result r = {0};
        allocations_left = n;
        one_failed = false;
        ecma_status status = run_on(&r, files, count, options);
        allocations_left = -1;
        assert_true(status == ECMA_OK || (status == ECMA_NO_MEMORY && one_failed));
        if (status == ECMA_NO_MEMORY)
            assert_int_equal(r.code, DIAG_NO_MEMORY);
        buffer_clear(&r.text);
        if (!one_failed)
            return n;
    }
}

static inline size_t widest_line(const char *text) {
    size_t widest = 0;
    while (*text) {
        size_t size = strcspn(text, "\n"), width = unicode_width(bytes_of(text, size));
        widest = width > widest ? width : widest;
        text += size + (text[size] == '\n');
    }
    return widest;
}

#endif
