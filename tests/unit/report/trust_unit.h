/* trust_unit.h - profiles of an uneven machine, and what their reports say. Ticks are nanoseconds. */
#ifndef ILINJECT_TRUST_UNIT_H
#define ILINJECT_TRUST_UNIT_H

#include "profile/correct.h"
#include "profile/waited.h"
#include "report/merge/merge.h"
#include "report/model/trust.h"
#include "report_unit.h"

enum { ID = SAMPLE_BASE, MOST_KEYS = 80 };

typedef struct node {
    uint64_t children, id, calls, ticks;
} node;

/* Each a call, in the order of run_keys.def: inside and outside of one that does nothing, of one that works, and
 * outside where the caller leaves at once. */
#define COSTS(mark, inside_empty, outside_empty, inside_work, outside_work, outside_last)                              \
    "inside_empty" mark "_ps", #inside_empty, "outside_empty" mark "_ps", #outside_empty, "inside_work" mark "_ps",    \
        #inside_work, "outside_work" mark "_ps", #outside_work, "outside_last" mark "_ps", #outside_last
#define QUIET COSTS("", 24500, 30000, 16500, 22000, 32000)

/* `spans`: a section SPAN, with its number of entries; NULL: none. */
static inline void make(buffer *file, const char *const *keys, const node *nodes, size_t count, const buffer *spans) {
    const char *pairs[MOST_KEYS] = {"ticks_per_second", "1000000000"};
    for (size_t i = 0; keys[i]; i++)
        pairs[2 + i] = keys[i];
    begin_run(file, pairs, 1);
    buffer b = BUFFER_INIT;
    maker_thread(&b, 1, "t", 1, count);
    for (size_t i = 0; i < count; i++)
        maker_node(&b, nodes[i].children, nodes[i].id, nodes[i].calls, nodes[i].ticks, 0, 0, 0);
    maker_section(file, "THRD", &b);
    if (spans) {
        buffer_append(&b, spans->data, spans->size);
        maker_section(file, "SPAN", &b);
    }
    maker_end(file);
    buffer_clear(&b);
}

static inline void text(result *r, const buffer *file, ilj_report_options options) {
    options.format = ILJ_REPORT_TEXT;
    r->text.size = 0;
    assert_int_equal(run_on(r, file, 1, &options), ECMA_OK);
}

static inline void has(const result *r, const char *expected) {
    if (strstr(text_of(r), expected))
        return;
    fprintf(stderr, "no\n%s\nin\n%s", expected, text_of(r)); /* more than fail_msg has room for */
    fail();
}

static inline void has_not(const result *r, const char *unexpected) {
    if (strstr(text_of(r), unexpected))
        fail_msg("%s\nin\n%s", unexpected, text_of(r));
}

static inline void range_is(const json_t *root, const char *name, long long ns, long long low, long long high) {
    const json_t *f = function_named(root, name);
    assert_int_equal(number_at(f, "exclusive_ns"), ns);
    assert_int_equal(number_at(f, "exclusive_low_ns"), low);
    assert_int_equal(number_at(f, "exclusive_high_ns"), high);
}

/* m0 calls m2 100 times, which works for 7 us; both work, so 16.5 ns within and 22 outside at best. */
static const node two[] = {{1, 0, 0, 1000000}, {1, ID, 1, 1000000}, {0, ID + 2, 100, 700000}};

#endif
