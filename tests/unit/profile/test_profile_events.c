/* The reader of the sections EXCP and ASYN: what it takes, and that each broken field is refused. */
#include "profile_unit.h"

/* A thread of root, a, b below a, c: then the section, which `b` is left with. */
static void with_section(buffer *file, const char *kind, buffer *payload) {
    static const shape nodes[] = {{2, 0}, {1, SAMPLE_BASE}, {0, SAMPLE_BASE + 1}, {0, SAMPLE_BASE + 2}};
    file->size = 0;
    with_tree(file, 4, nodes, 4);
    file->size -= 16; /* END */
    maker_section(file, kind, payload);
    maker_end(file);
}

static void exceptions_are_read_with_what_a_later_version_adds(void **state) {
    (void)state;
    buffer file = BUFFER_INIT, b = BUFFER_INIT;
    maker_exception_types(&b, (const char *const[]){"N.E", NULL});
    events_left(&b, (const uint64_t[][2]){{1, 3}, {2, 4}, {1, 5}}, 3);
    const maker_way way = {1, 2, 1, 77, 6, 7, 8, 9, 10, {"a", "b", "c"}};
    events_paths(&b, &way, 1);
    /* A fourth message is passed over. */
    b.size -= 7;
    buffer_u8(&b, 4);
    for (const char *message = "abcd"; *message; message++)
        maker_str(&b, (const char[]){*message, '\0'});
    buffer_string(&b, "later fields");
    with_section(&file, "EXCP", &b);
    told t;
    profile p = PROFILE_INIT;
    assert_int_equal(read_copy(&p, buffer_bytes(&file), &t), ECMA_OK);
    assert_int_equal(profile_number(&p.threads[0], PROFILE_BY_EXCEPTION, 1), 8);
    assert_int_equal(profile_number(&p.threads[0], PROFILE_BY_EXCEPTION, 2), 4);
    assert_int_equal(p.threads[0].exception_type_count, 1);
    assert_int_equal(p.threads[0].path_count, 1);
    const profile_path *path = &p.threads[0].paths[0];
    assert_int_equal(path->thrower, 2);
    assert_int_equal(path->catcher, 1);
    assert_int_equal(path->outcome, PROFILE_OUTCOMES);
    assert_int_equal(path->count, 6);
    assert_int_equal(path->ticks, 7);
    assert_int_equal(path->search_ticks, 8);
    assert_int_equal(path->frames_searched, 9);
    assert_int_equal(path->frames_unwound, 10);
    assert_int_equal(path->message_count, 3);
    profile_clear(&p);
    buffer_clear(&b);
    buffer_clear(&file);
}

static void exceptions_name_what_is_there(void **state) {
    (void)state;
    static const struct {
        uint64_t types, entries, node, paths;
        maker_way way;
        const char *expected;
    } cases[] = {
        {1000, 0, 0, 0, {0}, "expected a number of exception types that fits"},
        {1, 1000, 0, 0, {0}, "expected a number of nodes that fits"},
        {1, 1, 4, 0, {0}, "expected a node of the section THRD before"},
        {1, 1, 1, 1000, {0}, "expected a number of paths that fits"},
        {1, 1, 1, 1, {.type = 2}, "expected 0 or 1 + the position of a type"},
        {1, 1, 1, 1, {.thrower = 4}, "expected a thrower of the section THRD before"},
        {1, 1, 1, 1, {.thrower = 2, .catcher = 4}, "expected a catcher of the section THRD before"},
        {1, 1, 1, 1, {.thrower = 1, .catcher = 2}, "expected a catcher that is the thrower or above it"},
        {1, 1, 1, 1, {.thrower = 3, .catcher = 1}, "expected a catcher that is the thrower or above it"},
        {1, 1, 1, 1, {.thrower = 3, .catcher = 2}, "expected a catcher that is the thrower or above it"},
    };
    buffer file = BUFFER_INIT, b = BUFFER_INIT;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        buffer_varuint(&b, cases[i].types);
        maker_str(&b, "N.E");
        buffer_varuint(&b, cases[i].entries);
        buffer_varuint(&b, cases[i].node);
        buffer_varuint(&b, 1);
        buffer_varuint(&b, cases[i].paths);
        maker_path(&b, &cases[i].way);
        with_section(&file, "EXCP", &b);
        refuses(&file, DIAG_PROFILE_DAMAGED, cases[i].expected);
    }
    buffer_clear(&b);
    buffer_clear(&file);
}

static void async_trees_have_the_shape_that_is_stated(void **state) {
    (void)state;
    static const struct {
        uint64_t nodes, root[2], other[2];
        const char *expected;
    } cases[] = {
        {0, {0, 0}, {0, 1}, "expected a node count of at least 1"},
        {1000, {0, 0}, {0, 1}, "expected a node count that fits"},
        {2, {2, 0}, {0, 1}, "expected a child count not above"},
        {2, {1, 0}, {1, 1}, "expected a child count not above"},
        {2, {0, 0}, {0, 1}, "expected the end of the tree"},
        {1, {1, 0}, {0, 1}, "expected a child count not above"},
        {2, {1, 5}, {0, 1}, "expected the root's id, 0"},
        {2, {1, 0}, {0, 0}, "expected an id below 2^31 that is not the root's"},
        {2, {1, 0}, {0, 0x80000000}, "expected an id below 2^31 that is not the root's"},
        {2, {1, 0}, {0, 1}, NULL},
    };
    buffer file = BUFFER_INIT, b = BUFFER_INIT;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        buffer_varuint(&b, cases[i].nodes);
        maker_async(&b, (const uint64_t[11]){cases[i].root[0], cases[i].root[1]});
        maker_async(&b, (const uint64_t[11]){cases[i].other[0], cases[i].other[1], 1, 2, 3, 4, 5, 6, 7, 8, 9});
        with_section(&file, "ASYN", &b);
        if (cases[i].expected) {
            refuses(&file, DIAG_PROFILE_DAMAGED, cases[i].expected);
            continue;
        }
        told t;
        profile p = PROFILE_INIT;
        assert_int_equal(read_copy(&p, buffer_bytes(&file), &t), ECMA_OK);
        assert_int_equal(p.threads[0].async_count, 2);
        const profile_async *n = &p.threads[0].async[1];
        const uint64_t found[] = {n->calls,         n->suspensions,    n->completed,  n->failed,  n->cancelled,
                                  n->running_ticks, n->awaiting_ticks, n->wall_ticks, n->unlinked};
        for (uint64_t k = 0; k < 9; k++)
            assert_int_equal(found[k], k + 1);
        profile_clear(&p);
    }
    buffer_clear(&b);
    buffer_clear(&file);
}

static void extra_sections_follow_a_thread_once(void **state) {
    (void)state;
    static const char *const kinds[] = {"EXCP", "ASYN"};
    buffer file = BUFFER_INIT, b = BUFFER_INIT;
    for (int k = 0; k < 2; k++) {
        file.size = 0;
        start(&file);
        no_modules(&file);
        maker_section(&file, kinds[k], &b);
        refuses(&file, DIAG_PROFILE_DAMAGED, "expected at most one of its kind, after a section THRD");
        for (int i = 0; i < 12; i++)
            buffer_u8(&b, i == 0 && k == 1); /* no types, nodes, paths; a root alone */
        with_section(&file, kinds[k], &b);
        file.size -= 16;
        for (int i = 0; i < 12; i++)
            buffer_u8(&b, i == 0 && k == 1);
        maker_section(&file, kinds[k], &b);
        refuses(&file, DIAG_PROFILE_DAMAGED, "expected at most one of its kind, after a section THRD");
    }
    buffer_clear(&b);
    buffer_clear(&file);
}

static void every_cut_of_an_extra_section_is_told(void **state) {
    (void)state;
    buffer file = BUFFER_INIT, b = BUFFER_INIT;
    events_profile(&file);
    for (size_t at = 16; file.size - at > 16;) {
        size_t size = load_u32(file.data + at + 8);
        const uint8_t *payload = file.data + at + 16;
        bool extra = memcmp(file.data + at, "EXCP", 4) == 0 || memcmp(file.data + at, "ASYN", 4) == 0;
        for (size_t cut = 0; extra && cut < size; cut++) {
            buffer cut_file = BUFFER_INIT;
            buffer_append(&cut_file, file.data, at);
            buffer_append(&b, payload, cut);
            maker_section(&cut_file,
                          (const char[]){(char)file.data[at], (char)file.data[at + 1], (char)file.data[at + 2],
                                         (char)file.data[at + 3]},
                          &b);
            maker_end(&cut_file);
            refuses(&cut_file, DIAG_PROFILE_DAMAGED, memcmp(file.data + at, "EXCP", 4) == 0 ? "'EXCP'" : "'ASYN'");
            buffer_clear(&cut_file);
        }
        at += 16 + size;
    }
    buffer_clear(&b);
    buffer_clear(&file);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(exceptions_are_read_with_what_a_later_version_adds),
        cmocka_unit_test(exceptions_name_what_is_there),
        cmocka_unit_test(async_trees_have_the_shape_that_is_stated),
        cmocka_unit_test(extra_sections_follow_a_thread_once),
        cmocka_unit_test(every_cut_of_an_extra_section_is_told),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
