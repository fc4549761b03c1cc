/* The reader of the sections SPAN, WAIT, BYTE, OBJS, COLL, PAUS, SITE, HIST and TIME: what it takes, and that each
 * broken field is refused. */
#include "profile_unit.h"

#include "profile_times.h"

/* A thread of root, a, b below a, c: then the section, which `payload` is left without. */
static void with_section(buffer *file, const char *kind, buffer *payload) {
    static const shape nodes[] = {{2, 0}, {1, SAMPLE_BASE}, {0, SAMPLE_BASE + 1}, {0, SAMPLE_BASE + 2}};
    file->size = 0;
    with_tree(file, 4, nodes, 4);
    file->size -= 16; /* END */
    maker_section(file, kind, payload);
    maker_end(file);
}

static void event_is(const profile_event *e, uint32_t node, uint64_t start, uint64_t end) {
    assert_int_equal(e->node, node);
    assert_int_equal(e->start, start);
    assert_int_equal(e->end, end);
}

static void what_was_made_is_read(void **state) {
    (void)state;
    buffer file = BUFFER_INIT;
    times_profile(&file);
    told t;
    profile p = PROFILE_INIT;
    assert_int_equal(read_copy(&p, buffer_bytes(&file), &t), ECMA_OK);
    assert_int_equal(p.thread_count, 2);

    const profile_thread *main = &p.threads[0], *ended = &p.threads[1];
    static const uint64_t spans[][2] = {{1, 0}, {1, 0}, {100, 400}, {8, 12}, {1, 0}, {5, 5}};
    for (uint32_t i = 0; i < 6; i++) {
        bool known = spans[i][0] <= spans[i][1];
        const profile_span span = profile_span_at(&main->nodes, PROFILE_LEAST, i);
        assert_true((span.min_ns <= span.max_ns) == known);
        if (known) {
            assert_int_equal(span.min_ns, spans[i][0]);
            assert_int_equal(span.max_ns, spans[i][1]);
        }
    }
    assert_int_equal(main->histogram_count, 2);
    assert_int_equal(main->histograms[0].id, SAMPLE_BASE + 1);
    assert_int_equal(main->histograms[0].first, 22);
    assert_int_equal(main->histograms[0].count, 9);
    assert_int_equal(main->histograms[0].counts[8], 1);

    assert_int_equal(main->stream_count, 1);
    const profile_stream *s = &main->streams[0];
    assert_int_equal(s->thread_id, 1);
    assert_int_equal(s->overwritten, 0);
    assert_int_equal(s->event_count, 8);
    event_is(&s->events[0], 2, 10, 110);
    event_is(&s->events[1], 3, 200, 208);
    event_is(&s->events[2], 2, 120, 320);
    event_is(&s->events[6], 2, 640, 1040);
    event_is(&s->events[7], 5, 1100, 1105);
    assert_int_equal(s->open_count, 1);
    event_is(&s->open[0], 1, 5, 5);

    assert_int_equal(ended->stream_count, 2);
    assert_int_equal(ended->streams[0].thread_id, 4);
    assert_int_equal(ended->streams[0].overwritten, 1);
    event_is(&ended->streams[0].events[0], 1, 20, 26);
    event_is(&ended->streams[1].events[0], 1, 30, 37);
    assert_int_equal(ended->streams[1].open_count, 0);
    profile_clear(&p);
    buffer_clear(&file);
}

/* The bucket of a time, from the format's words. */
static uint32_t bucket_of(uint64_t v) {
    if (v < 8)
        return (uint32_t)v;
    uint32_t e = 0;
    while (v >> e > 1)
        e++;
    return 4 * (e - 1) + (uint32_t)(v >> (e - 2) & 3);
}

static void buckets_hold_what_lies_between_their_bounds(void **state) {
    (void)state;
    for (uint32_t b = 0; b < PROFILE_BUCKETS; b++) {
        assert_int_equal(bucket_of(profile_bucket_low(b)), b);
        assert_int_equal(bucket_of(profile_bucket_low(b + 1) - 1), b);
    }
    assert_true(profile_bucket_low(PROFILE_BUCKETS) == (uint64_t)1 << 63);
}

static void broken_fields_are_refused(void **state) {
    (void)state;
    enum { ID = SAMPLE_BASE };
    static const struct {
        const char *kind;
        uint64_t values[16];
        size_t count;
        const char *expected;
    } cases[] = {
        {"SPAN", {1}, 1, "expected a number of nodes that fits"},
        {"SPAN", {2, 1, 1, 1}, 4, "expected a number of nodes that fits"},
        {"SPAN", {1, 0, 1, 1}, 4, "expected a node of the section THRD before, after that of the entry before"},
        {"SPAN", {1, 4, 1, 1}, 4, "expected a node of the section THRD before, after that of the entry before"},
        {"SPAN", {2, 3, 1, 1, 1, 1, 1}, 7, "expected a node of the section THRD before, after that of the"},
        {"SPAN", {2, 3, 1, 1, UINT64_MAX, 1, 1}, 7, "expected a node of the section THRD before, after"},
        {"SPAN", {1, 1, 0x4000, 0x4000}, 4, NULL},
        {"TICK", {1, 1}, 2, "expected a number of nodes that fits"},
        {"TICK", {1, 0, 1}, 3, "expected a node of the section THRD before, after that of the entry before"},
        {"TICK", {1, 4, 1}, 3, "expected a node of the section THRD before, after that of the entry before"},
        {"TICK", {1, 1, 0x4000}, 3, NULL},
        {"PROB", {1, 1}, 2, "expected a number of nodes that fits"},
        {"PROB", {1, 4, 1}, 3, "expected a node of the section THRD before, after that of the entry before"},
        {"PROB", {1, 1, 0x4000}, 3, NULL},
        {"WAIT", {1, 1}, 2, "expected a number of nodes that fits"},
        {"WAIT", {1, 0, 1}, 3, "expected a node of the section THRD before, after that of the entry before"},
        {"WAIT", {1, 4, 1}, 3, "expected a node of the section THRD before, after that of the entry before"},
        {"WAIT", {2, 3, 1, 1, 1}, 5, "expected a node of the section THRD before, after that of the"},
        {"WAIT", {1, 1, 0x4000}, 3, NULL},
        {"BYTE", {1, 1}, 2, "expected a number of nodes that fits"},
        {"BYTE", {1, 0, 1}, 3, "expected a node of the section THRD before, after that of the entry before"},
        {"BYTE", {1, 4, 1, 0}, 4, "expected a node of the section THRD before, after that of the entry before"},
        {"BYTE", {1, 1, 8}, 3, "expected a number of nodes, but the section ends"},
        {"BYTE", {1, 1, 8, 1, 4, 1}, 6, "expected a node of the section THRD before, after that of the entry before"},
        {"BYTE", {1, 1, 0x4000, 1, 2, 0x4000}, 6, NULL},
        {"OBJS", {1, 1}, 2, "expected a number of nodes that fits"},
        {"OBJS", {UINT64_MAX, 1, 1, 0}, 4, "expected a number of nodes that fits"},
        {"OBJS", {1, 0, 1}, 3, "expected a node of the section THRD before, after that of the entry before"},
        {"OBJS", {1, 4, 1, 0}, 4, "expected a node of the section THRD before, after that of the entry before"},
        {"OBJS", {2, 3, 1, UINT64_MAX, 1, 0}, 6, "expected a node of the section THRD before, after that of the"},
        {"OBJS", {1, 1, 8}, 3, "expected a number of nodes, but the section ends"},
        {"OBJS", {1, 1, 8, 1, 4, 1}, 6, "expected a node of the section THRD before, after that of the entry before"},
        {"OBJS", {1, 1, 0x4000, 1, 2, UINT64_MAX}, 6, NULL},
        {"COLL", {1, 1, 8}, 3, "expected a number of nodes, but the section ends"},
        {"COLL", {1, 0, 1, 0}, 4, "expected a node of the section THRD before, after that of the entry before"},
        {"COLL", {1, 1, 2, 1, 2, 1}, 6, NULL},
        {"PAUS", {2, 3, 1, 1, 1, 0}, 6, "expected a node of the section THRD before, after that of the"},
        {"PAUS", {1, 1, UINT64_MAX, 0}, 4, NULL},
        {"HIST", {100, ID, 1, 1, 1}, 5, "expected a number of histograms that fits"},
        {"HIST", {1, ID - 1, 0, 1, 1}, 5, "expected an id from 2^24"},
        {"HIST", {1, 0x80000000u, 0, 1, 1}, 5, "expected an id from 2^24"},
        {"HIST", {1, ID, 248, 1, 1}, 5, "expected buckets below 248"},
        {"HIST", {1, ID, 247, 2, 1, 1}, 6, "expected buckets below 248"},
        {"HIST", {1, ID, 1, 3, 1}, 5, "expected a bucket count that fits the section's size"},
        {"HIST", {1, ID, 0, 2, 0x4000}, 5, "expected a bucket's count, but the section ends"},
        {"HIST", {1, ID, 246, 2, 1, 1}, 6, NULL},
        {"TIME", {0}, 0, "expected a number of lost events, but the section ends"},
        {"TIME", {0, 9, 1, 0, 0, 0, 0}, 7, "expected a number of streams that fits"},
        {"TIME", {0, 1, 1, 5, 0, 0, 0}, 7, "expected a thread's name, but the section ends"},
        {"TIME", {0, 1, 1, 0, 0, 2, 1, 1, 1}, 9, "expected a number of events that fits"},
        {"TIME", {0, 1, 1, 0, 0, 1, 0, 1, 1, 0}, 10, "expected a node other than the root"},
        {"TIME", {0, 1, 1, 0, 0, 1, 4, 1, 1, 0}, 10, "expected a node of the section THRD before"},
        {"TIME", {0, 1, 1, 0, 0, 1, 1, 1, 2, 0}, 10, "expected a duration that begins with the run or later"},
        {"TIME", {0, 1, 1, 0, 0, 0, 2, 1, 1}, 9, "expected a number of open calls that fits"},
        {"TIME", {0, 1, 1, 0, 0, 0, 1, 0, 1}, 9, "expected a node other than the root"},
        {"TIME", {0, 1, 1, 0, 0, 0, 1, 9, 1}, 9, "expected a node of the section THRD before"},
        {"SAMP", {0, 1, 1, 0, 0, 1, 1, 1, 2, 0}, 10, "expected a duration that begins with the run or later"},
        {"SAMP", {0, 1, 1, 0, 0, 1, 0, 1, 1, 0}, 10, "expected a node other than the root"},
        {"SAMP", {2, 1, 1, 0, 3, 2, 1, 5, 5, 1, 2, 2, 0}, 13, NULL},
        {"TIME", {7, 0}, 2, NULL},
        {"TIME", {0, 1, 1, 0, 3, 2, 1, 5, 5, 1, UINT64_MAX, 2, 1, 2, UINT64_MAX, 9}, 16, NULL},
    };
    buffer file = BUFFER_INIT, b = BUFFER_INIT;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        times_put(&b, cases[i].values, cases[i].count);
        with_section(&file, cases[i].kind, &b);
        if (cases[i].expected) {
            refuses(&file, DIAG_PROFILE_DAMAGED, cases[i].expected);
            continue;
        }
        told t;
        profile p = PROFILE_INIT;
        assert_int_equal(read_copy(&p, buffer_bytes(&file), &t), ECMA_OK);
        profile_clear(&p);
    }
    buffer_clear(&b);
    buffer_clear(&file);
}

static void each_section_follows_a_thread_once(void **state) {
    (void)state;
    static const char *const kinds[] = {"SPAN", "TICK", "PROB", "WAIT", "BYTE", "OBJS",
                                        "COLL", "PAUS", "HIST", "TIME", "SAMP"};
    buffer file = BUFFER_INIT, b = BUFFER_INIT;
    for (size_t k = 0; k < sizeof kinds / sizeof kinds[0]; k++) {
        file.size = 0;
        start(&file);
        no_modules(&file);
        maker_section(&file, kinds[k], &b);
        refuses(&file, DIAG_PROFILE_DAMAGED, "expected at most one of its kind, after a section THRD");
        TIMES_PUT(&b, 0, 0);
        with_section(&file, kinds[k], &b);
        file.size -= 16;
        TIMES_PUT(&b, 0, 0);
        maker_section(&file, kinds[k], &b);
        maker_end(&file);
        refuses(&file, DIAG_PROFILE_DAMAGED, "expected at most one of its kind, after a section THRD");
    }
    buffer_clear(&b);
    buffer_clear(&file);
}

/* Two modules of three methods each, then the sections SITE. */
static void with_sites(buffer *file, buffer *payload, int sections) {
    buffer b = BUFFER_INIT;
    file->size = 0;
    start(file);
    buffer_varuint(&b, 2);
    maker_module(&b, SAMPLE_BASE, 3, "M", 0x20, (bytes){NULL, 0});
    maker_module(&b, SAMPLE_PLUG, 3, "P", 0x40, (bytes){NULL, 0});
    maker_section(file, "MODS", &b);
    while (sections-- > 0) {
        buffer_append(&b, payload->data, payload->size);
        maker_section(file, "SITE", &b);
    }
    maker_end(file);
    payload->size = 0;
    buffer_clear(&b);
}

static void places_rise_in_modules_that_are_there(void **state) {
    (void)state;
    enum { ID = SAMPLE_BASE, PLUG = SAMPLE_PLUG };
    static const struct {
        uint64_t values[12];
        size_t count;
        const char *expected; /* NULL: it is read */
        uint32_t sites;
    } cases[] = {
        {{0}, 1, NULL, 0},
        {{2, ID, 2, 0, 5, 3, 6, PLUG, 1, 7, UINT64_MAX}, 11, NULL, 3},
        {{1, PLUG, 1, INT32_MAX, 1}, 5, NULL, 1},
        {{1, ID, 0}, 3, NULL, 0},
        {{0}, 0, "expected a number of modules, but the section ends", 0},
        {{1}, 1, "expected a number of modules that fits", 0},
        {{UINT64_MAX, ID, 0}, 3, "expected a number of modules that fits", 0},
        {{1, ID, 2, 0, 1}, 5, "expected a number of places that fits", 0},
        {{1, ID, UINT64_MAX, 0, 1}, 5, "expected a number of places that fits", 0},
        {{1, ID, 1, 0x4000}, 4, "expected the objects that a place allocated, but the section ends", 0},
        {{1, ID + 1, 1, 0, 1}, 5, "expected the first id of a module of MODS, in their order", 0},
        {{2, PLUG, 1, 0, 1, ID, 1, 0, 1}, 9, "expected the first id of a module of MODS, in their order", 0},
        {{2, ID, 1, 0, 1, ID, 1, 0, 1}, 9, "expected the first id of a module of MODS, in their order", 0},
        {{1, ID, 2, 3, 1, 0, 1}, 7, "expected places in their order, below 2^31", 0},
        {{1, ID, 1, (uint64_t)INT32_MAX + 1, 1}, 5, "expected places in their order, below 2^31", 0},
        {{1, ID, 2, 3, 1, UINT64_MAX - 1, 1}, 7, "expected places in their order, below 2^31", 0},
    };
    buffer file = BUFFER_INIT, b = BUFFER_INIT;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        b.size = 0;
        times_put(&b, cases[i].values, cases[i].count);
        with_sites(&file, &b, 1);
        if (cases[i].expected) {
            refuses(&file, DIAG_PROFILE_DAMAGED, cases[i].expected);
            continue;
        }
        told t;
        profile p = PROFILE_INIT;
        assert_int_equal(read_copy(&p, buffer_bytes(&file), &t), ECMA_OK);
        assert_int_equal(p.site_count, cases[i].sites);
        if (cases[i].sites == 3) {
            static const profile_site sites[] = {{0, 0, 5}, {0, 3, 6}, {1, 7, PROFILE_MAX}};
            for (int k = 0; k < 3; k++) {
                assert_int_equal(p.sites[k].module, sites[k].module);
                assert_int_equal(p.sites[k].site, sites[k].site);
                assert_true(p.sites[k].objects == sites[k].objects);
            }
        }
        profile_clear(&p);
    }
    TIMES_PUT(&b, 0);
    with_sites(&file, &b, 2);
    refuses(&file, DIAG_PROFILE_DAMAGED, "expected at most one section SITE, after RUN and MODS");
    file.size = 0;
    start(&file);
    TIMES_PUT(&b, 0);
    maker_section(&file, "SITE", &b);
    refuses(&file, DIAG_PROFILE_DAMAGED, "expected at most one section SITE, after RUN and MODS");
    buffer_clear(&b);
    buffer_clear(&file);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_was_made_is_read),
        cmocka_unit_test(buckets_hold_what_lies_between_their_bounds),
        cmocka_unit_test(broken_fields_are_refused),
        cmocka_unit_test(each_section_follows_a_thread_once),
        cmocka_unit_test(places_rise_in_modules_that_are_there),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
