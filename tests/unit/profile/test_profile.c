/* The profile reader: what it takes, and that each broken field is refused with its place and what was expected. */
#include "profile_unit.h"

static void sample_is_read_with_unknown_keys_sections_and_minor_version(void **state) {
    (void)state;
    buffer file = BUFFER_INIT;
    sample_profile(&file);
    told t;
    profile p = PROFILE_INIT;
    assert_int_equal(read_copy(&p, buffer_bytes(&file), &t), ECMA_OK);
    assert_int_equal(p.run.pid, 4242);
    assert_int_equal(p.run.start_ns, 1767323045000000000);
    assert_int_equal(p.run.folded, 100);
    assert_int_equal(p.module_count, 2);
    assert_int_equal(p.thread_count, 2);
    const profile_thread *main = &p.threads[0];
    assert_int_equal(p.threads[0].node_count, 13);
    assert_int_equal(profile_number(main, PROFILE_OWN, 1), 1799500);
    assert_int_equal(profile_number(main, PROFILE_OWN, 4), 1500000);
    assert_int_equal(main->parents[9], 8);
    assert_int_equal(main->parents[10], 0);
    assert_int_equal(profile_number(main, PROFILE_TICKS, 0), 10000000);
    assert_int_equal(profile_number(main, PROFILE_OWN, 10), 0);
    assert_int_equal(p.threads[1].count, 3);
    assert_ptr_equal(profile_module_of(&p, SAMPLE_BASE), &p.modules[0]);
    assert_ptr_equal(profile_module_of(&p, SAMPLE_BASE + 7), &p.modules[0]);
    assert_null(profile_module_of(&p, SAMPLE_BASE + 8));
    assert_null(profile_module_of(&p, SAMPLE_BASE - 1));
    assert_ptr_equal(profile_module_of(&p, SAMPLE_PLUG + 4), &p.modules[1]);
    assert_null(profile_module_of(&p, SAMPLE_PLUG + 5));
    profile_clear(&p);
    buffer_clear(&file);
}

static void every_truncation_is_refused(void **state) {
    (void)state;
    buffer file = BUFFER_INIT;
    sample_profile(&file);
    for (size_t size = 0; size < file.size; size++) {
        told t;
        profile p = PROFILE_INIT;
        assert_int_equal(read_copy(&p, (bytes){file.data, size}, &t), ECMA_BAD_FILE);
        assert_int_equal(t.code, size < 8 ? DIAG_NOT_PROFILE : DIAG_PROFILE_DAMAGED);
    }
    buffer_clear(&file);
}

static void no_changed_byte_goes_through(void **state) {
    (void)state;
    buffer file = BUFFER_INIT;
    sample_profile(&file);
    unsigned passed_over = 0;
    for (size_t at = 16 + 16; at < file.size - 16; at++) {
        told t;
        profile p = PROFILE_INIT;
        file.data[at] ^= 0x20;
        ecma_status status = read_copy(&p, buffer_bytes(&file), &t);
        if (status == ECMA_OK) {
            profile_clear(&p);
            passed_over++;
        } else {
            assert_int_equal(status, ECMA_BAD_FILE);
        }
        file.data[at] ^= 0x20;
    }
    /* A section of another kind is passed over: the four bytes of XTRA and those of the two THRD. */
    assert_int_equal(passed_over, 12);
    file.data[40] ^= 1;
    refuses(&file, DIAG_PROFILE_DAMAGED, "section 'RUN ', offset 32: expected a payload with the CRC-32");
    buffer_clear(&file);
}

static void headers_are_told_apart(void **state) {
    (void)state;
    buffer b = BUFFER_INIT;
    refuses(&b, DIAG_NOT_PROFILE, "offset 0: expected the magic bytes");
    buffer_string(&b, "ILPROF\n\r and so on");
    refuses(&b, DIAG_NOT_PROFILE, "offset 0");
    b.size = 0;
    maker_header(&b, 2, 0);
    refuses(&b, DIAG_PROFILE_VERSION, "version 2.0; expected 1");
    b.size = 0;
    maker_header(&b, 0, 9);
    refuses(&b, DIAG_PROFILE_DAMAGED, "version 0.9");
    b.size = 0;
    maker_header(&b, 1, 0);
    refuses(&b, DIAG_PROFILE_DAMAGED, "section 'END ', offset 16: expected a section header: the file ends");
    b.size = 10;
    refuses(&b, DIAG_PROFILE_DAMAGED, "header, offset 8: expected 16 bytes");
    buffer_clear(&b);
}

static void sections_stand_in_their_order(void **state) {
    (void)state;
    buffer file = BUFFER_INIT, none = BUFFER_INIT;
    maker_header(&file, 1, 0);
    no_modules(&file);
    refuses(&file, DIAG_PROFILE_DAMAGED, "section 'MODS', offset 32: expected one section MODS, after RUN");
    file.size = 0;
    start(&file);
    maker_run(&file, least_run);
    refuses(&file, DIAG_PROFILE_DAMAGED, "expected one section RUN, the first");
    file.size = 0;
    start(&file);
    maker_section(&file, "THRD", &none);
    refuses(&file, DIAG_PROFILE_DAMAGED, "expected sections THRD after RUN and MODS");
    file.size = 0;
    start(&file);
    maker_end(&file);
    refuses(&file, DIAG_PROFILE_DAMAGED, "expected the sections RUN and MODS before END");
    file.size = 0;
    start(&file);
    no_modules(&file);
    maker_end(&file);
    told t;
    profile p = PROFILE_INIT;
    assert_int_equal(read_copy(&p, buffer_bytes(&file), &t), ECMA_OK);
    profile_clear(&p);
    buffer_u8(&file, 0);
    refuses(&file, DIAG_PROFILE_DAMAGED, "expected nothing after the section END");
    buffer_clear(&file);
}

static void sizes_are_claims(void **state) {
    (void)state;
    buffer file = BUFFER_INIT, b = BUFFER_INIT;
    maker_header(&file, 1, 0);
    maker_section(&file, "RUN ", &b);
    store_u64(file.data + 24, UINT64_MAX);
    refuses(&file, DIAG_PROFILE_DAMAGED,
            "expected 18446744073709551615 bytes of payload, but the file has only 0 more");

    file.size = 16;
    buffer_varuint(&b, UINT64_MAX); /* pairs */
    maker_section(&file, "RUN ", &b);
    refuses(&file, DIAG_PROFILE_DAMAGED, "expected a key");

    file.size = 16;
    buffer_varuint(&b, 1);
    buffer_varuint(&b, UINT64_MAX); /* bytes of the key */
    maker_section(&file, "RUN ", &b);
    refuses(&file, DIAG_PROFILE_DAMAGED, "section 'RUN ', offset 33: expected a key");

    file.size = 0;
    start(&file);
    buffer_varuint(&b, (uint64_t)1 << 40);
    maker_section(&file, "MODS", &b);
    refuses(&file, DIAG_PROFILE_DAMAGED, "expected a number of modules that fits");

    const shape root = {0, 0};
    file.size = 0;
    with_tree(&file, UINT64_MAX, &root, 1);
    refuses(&file, DIAG_PROFILE_DAMAGED, "expected a node count of at least 1 that fits");
    file.size = 0;
    with_tree(&file, 0, &root, 1);
    refuses(&file, DIAG_PROFILE_DAMAGED, "expected a node count of at least 1 that fits");
    buffer_clear(&file);
    buffer_clear(&b);
}

static void run_values_are_checked(void **state) {
    (void)state;
    buffer file = BUFFER_INIT;
    const char *const bad[][3] = {
        {"ticks_per_second", "0", "'ticks_per_second' that is not 0"},
        {"ticks_per_second", "", "a decimal number below 2^63 as the value of 'ticks_per_second'"},
        {"ticks_per_second", "12a", "a decimal number"},
        {"ticks_per_second", "-1", "a decimal number"},
        {"pid", "9223372036854775808", "as the value of 'pid'"},
        {"jit_ns", "9223372036854775808", "as the value of 'jit_ns'"},
        {"inside_empty_mean_ps", "1.5", "as the value of 'inside_empty_mean_ps'"},
        {"name", "n", "'ticks_per_second' that is not 0"},
    };
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        const char *const pairs[] = {bad[i][0], bad[i][1], NULL};
        file.size = 0;
        maker_header(&file, 1, 0);
        maker_run(&file, pairs);
        refuses(&file, DIAG_PROFILE_DAMAGED, bad[i][2]);
    }
    buffer_clear(&file);
}

/* The keys by hand, each with a value of its own: a field that another key is read into shows. */
static void calibrations_and_the_machine_are_read(void **state) {
    (void)state;
    static const char *const keys[] = {
        "inside_empty_ps",
        "outside_empty_ps",
        "inside_work_ps",
        "outside_work_ps",
        "outside_last_ps",
        "inside_empty_mean_ps",
        "outside_empty_mean_ps",
        "inside_work_mean_ps",
        "outside_work_mean_ps",
        "outside_last_mean_ps",
        "inside_empty_high_ps",
        "outside_empty_high_ps",
        "inside_work_high_ps",
        "outside_work_high_ps",
        "outside_last_high_ps",
        "calibrations",
        "cpu_ns",
        "ready_ns",
        "ran_ns",
        "slices",
        "stolen_permille",
        "processors",
        "load_permille",
        "jit_methods",
        "jit_ns",
        "collections",
        "collection_ns",
    };
    enum { KEYS = sizeof keys / sizeof keys[0] };
    const char *pairs[2 * KEYS + 3] = {"ticks_per_second", "1000"};
    char values[KEYS][24];
    for (unsigned i = 0; i < KEYS; i++) {
        snprintf(values[i], sizeof values[i], "%u", 101 + i);
        pairs[2 + 2 * i] = keys[i];
        pairs[3 + 2 * i] = values[i];
    }
    buffer file = BUFFER_INIT;
    maker_header(&file, 1, 0);
    maker_run(&file, pairs);
    no_modules(&file);
    maker_end(&file);
    told t;
    profile p = PROFILE_INIT;
    assert_int_equal(read_copy(&p, buffer_bytes(&file), &t), ECMA_OK);
    const profile_run *r = &p.run;
    const profile_conditions *m = &r->machine;
    const uint64_t fields[KEYS] = {
        r->quiet.inside_empty_ps,
        r->quiet.outside_empty_ps,
        r->quiet.inside_work_ps,
        r->quiet.outside_work_ps,
        r->quiet.outside_last_ps,
        r->mean.inside_empty_ps,
        r->mean.outside_empty_ps,
        r->mean.inside_work_ps,
        r->mean.outside_work_ps,
        r->mean.outside_last_ps,
        r->high.inside_empty_ps,
        r->high.outside_empty_ps,
        r->high.inside_work_ps,
        r->high.outside_work_ps,
        r->high.outside_last_ps,
        r->calibrations,
        m->cpu_ns,
        m->ready_ns,
        m->ran_ns,
        m->slices,
        m->stolen_permille,
        m->processors,
        m->load_permille,
        m->jit_methods,
        m->jit_ns,
        m->collections,
        m->collection_ns,
    };
    for (unsigned i = 0; i < KEYS; i++)
        if (fields[i] != 101 + i)
            fail_msg("%s is %u", keys[i], (unsigned)fields[i]);
    assert_int_equal(r->quiet.inside_empty_ps, 101);
    assert_int_equal(r->quiet.outside_last_ps, 105);
    assert_true(profile_is_calibrated(r));
    profile_clear(&p);
    buffer_clear(&file);
}

static void module_ids_are_apart(void **state) {
    (void)state;
    const struct {
        uint64_t base[2], count[2];
        const char *part;
    } cases[] = {
        {{0x1000000, 0x1000009}, {10, 1}, "not below the end of the module before"},
        {{0xFFFFFF, 0x1000009}, {1, 1}, "a base of at least 2^24"},
        {{0x1000000, 0x80000000}, {1, 1}, "ids below 2^31"},
        {{0x1000000, 0x7FFFFFFF}, {1, 2}, "ids below 2^31"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        buffer file = BUFFER_INIT, b = BUFFER_INIT;
        start(&file);
        buffer_varuint(&b, 2);
        for (int m = 0; m < 2; m++)
            maker_module(&b, cases[i].base[m], cases[i].count[m], "A", 1, (bytes){NULL, 0});
        maker_section(&file, "MODS", &b);
        refuses(&file, DIAG_PROFILE_DAMAGED, cases[i].part);
        buffer_clear(&file);
        buffer_clear(&b);
    }
}

static void trees_have_the_shape_that_is_stated(void **state) {
    (void)state;
    enum { ID = 0x1000000 };
    const struct {
        uint64_t stated;
        shape nodes[4];
        size_t count;
        const char *part;
    } cases[] = {
        {2, {{0, 0}, {0, ID}}, 2, "the end of the tree: every node has its children already"},
        {3, {{1, 0}, {0, ID}, {0, ID}}, 3, "every node has its children already"},
        {2, {{2, 0}, {0, ID}}, 2, "a child count not above the number of nodes that are left"},
        {3, {{2, 0}, {1, ID}, {0, ID}}, 3, "more nodes: the child counts add up to more than the node count"},
        {3, {{1, 0}, {2, ID}, {0, ID}}, 3, "a child count not above"},
        {2, {{UINT64_MAX, 0}, {0, ID}}, 2, "a child count not above"},
        {2, {{1, ID}, {0, ID}}, 2, "the root's id, 0"},
        {2, {{1, 0}, {0, 0}}, 2, "an id other than the root's"},
        {2, {{1, 0}, {0, 0x80000000}}, 2, "an id below 2^31"},
        {3, {{2, 0}, {0, 1}, {0, ID}}, 3, "the folded calls as the last child of the root"},
        {3, {{1, 0}, {1, ID}, {0, 1}}, 3, "the folded calls as the last child of the root"},
        {4, {{1, 0}, {1, 1}, {1, ID}, {0, ID}}, 4, "no children under a folded method"},
        {3, {{1, 0}, {0, ID}}, 2, "a node count of at least 1 that fits"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        buffer file = BUFFER_INIT;
        with_tree(&file, cases[i].stated, cases[i].nodes, cases[i].count);
        refuses(&file, DIAG_PROFILE_DAMAGED, cases[i].part);
        buffer_clear(&file);
    }
}

static void varuints_end_after_ten_bytes(void **state) {
    (void)state;
    const uint8_t most[] = {0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0x01};
    const uint8_t over[] = {0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0x02};
    const uint8_t eleven[] = {0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x00};
    reader r = reader_of(bytes_of(most, sizeof most));
    assert_true(reader_varuint(&r) == UINT64_MAX && !r.failed);
    r = reader_of(bytes_of(over, sizeof over));
    assert_true(reader_varuint(&r) == 0 && r.failed);
    r = reader_of(bytes_of(eleven, sizeof eleven));
    assert_true(reader_varuint(&r) == 0 && r.failed);
    r = reader_of(bytes_of(most, 4));
    assert_true(reader_varuint(&r) == 0 && r.failed);
}

static void ticks_become_nanoseconds_exactly(void **state) {
    (void)state;
    profile_run run = {.ticks_per_second = 3579545};
    assert_int_equal(profile_ns(&run, 3579545), 1000000000);
    assert_int_equal(profile_ns(&run, 1), 279);
    assert_int_equal(profile_ns(&run, (uint64_t)3579545 * 86400 * 365), (uint64_t)31536000 * 1000000000);
    run.ticks_per_second = 1;
    assert_true(profile_ns(&run, PROFILE_MAX) == PROFILE_MAX);
    run.ticks_per_second = 1000000000;
    assert_int_equal(profile_ns(&run, 12345), 12345);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sample_is_read_with_unknown_keys_sections_and_minor_version),
        cmocka_unit_test(every_truncation_is_refused),
        cmocka_unit_test(no_changed_byte_goes_through),
        cmocka_unit_test(headers_are_told_apart),
        cmocka_unit_test(sections_stand_in_their_order),
        cmocka_unit_test(sizes_are_claims),
        cmocka_unit_test(run_values_are_checked),
        cmocka_unit_test(calibrations_and_the_machine_are_read),
        cmocka_unit_test(module_ids_are_apart),
        cmocka_unit_test(trees_have_the_shape_that_is_stated),
        cmocka_unit_test(varuints_end_after_ten_bytes),
        cmocka_unit_test(ticks_become_nanoseconds_exactly),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
