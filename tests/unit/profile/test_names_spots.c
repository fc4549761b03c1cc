/* Lines within methods in names resources: of places that allocate, and of calls of leaves. */
#include "names_unit.h"

/* After no reasons: flags 2, 4, 8 and 256. */
enum { FLAGS = 2 | 4 | 8 | 256 };

/* A type A, two places in the methods 0 and 1; no notes; no SourceLink, two files, of methods and leaf; their lines. */
static const char before[] = "\0\1A\0\2\0\1\0\7\0\1\0\0"
                             "\0"
                             "\0\2a\0b\0\1\2\0\x14\5";

static void make(buffer *resource, const char *more, size_t size) {
    buffer b = BUFFER_INIT;
    maker_lists l = {0};
    maker_type(&l, 0, "N", "T", NULL);
    maker_type(&l, 0, "S", "Thread", NULL);
    maker_method(&l, 0, 1, 0, "a", NULL, "");
    maker_method(&l, 0, 2, 0, "b", NULL, "");
    maker_method(&l, 1, 3, NAMES_LEAF, "Sleep", NULL, "int");
    maker_join(&b, &l, "M", "A", l.types, l.methods);
    buffer_append(&b, before, sizeof before - 1);
    buffer_append(&b, more, size);
    maker_flags = FLAGS;
    resource->size = 0;
    maker_names(resource, &b, 3, 1);
    maker_flags = 0;
    buffer_clear(&b);
}

/* The first place is not known, the second one is in b, line 12; calls of the leaf on a:3, a:2 and from 1 on b:9. */
static const char good[] = "\0\2\x18"
                           "\3\0\2\0\6\0\2\0\1\1\2\1\xE";

static void lines_are_those_of_places_and_calls(void **state) {
    (void)state;
    buffer resource = BUFFER_INIT;
    arena a = {.one_by_one = true};
    names n;
    const char *fault;
    make(&resource, good, sizeof good - 1);
    assert_int_equal(names_read(&n, &fault, &a, buffer_bytes(&resource), &(names_room){0}), ECMA_OK);
    assert_int_equal(n.site_count, 2);
    assert_int_equal(n.sites[0].line | n.sites[0].file, 0);
    assert_int_equal(n.sites[1].line, 12);
    assert_true(bytes_equal(names_text(&n, n.sites[1].file), bytes_of("b", 1)));
    static const struct {
        uint32_t method, line;
        const char *file;
    } calls[] = {{0, 3, "a"}, {0, 2, "a"}, {1, 9, "b"}};
    assert_int_equal(n.leaf_call_count, 3);
    for (uint32_t i = 0; i < 3; i++) {
        assert_int_equal(n.leaf_calls[i].method, calls[i].method);
        assert_int_equal(n.leaf_calls[i].leaf, 2);
        assert_int_equal(n.leaf_calls[i].line, calls[i].line);
        assert_true(bytes_equal(names_text(&n, n.leaf_calls[i].file), bytes_of(calls[i].file, 1)));
    }
    arena_clear(&a);
    buffer_clear(&resource);
}

static void cut_lines_are_faults(void **state) {
    (void)state;
    buffer resource = BUFFER_INIT;
    for (size_t size = 0; size + 1 < sizeof good; size++) {
        make(&resource, good, size);
        names_fault(&resource, size < 3 ? "lines within methods run past" : "calls of leaves does not fit");
    }
    buffer_clear(&resource);
}

static void lines_are_checked(void **state) {
    (void)state;
#define CASE(more) more, sizeof(more) - 1
    static const struct {
        const char *more;
        size_t size;
        const char *fault;
    } cases[] = {
        {CASE("\3\0\2\0"), "in a file that does not exist"},
        {CASE("\1\0\0\0"), "line of a place that allocates is out of range"},
        {CASE("\0\0\1\3\2\0\2"), "a method, a leaf or a file that does not exist"},
        {CASE("\0\0\1\0\3\0\2"), "a method, a leaf or a file that does not exist"},
        {CASE("\0\0\1\0\2\2\2"), "a method, a leaf or a file that does not exist"},
        {CASE("\0\0\2\1\2\0\2\2\2\0\2"), "a method, a leaf or a file that does not exist"},
        {CASE("\0\0\1\0\2\0\1"), "line of a call of a leaf is out of range"},
        {CASE("\0\0\1\0\2\0\x80"), "lines within methods run past"},
        {CASE("\0\0\1\0\2\x80\x80"), "lines within methods run past"},
    };
#undef CASE
    buffer resource = BUFFER_INIT;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        make(&resource, cases[i].more, cases[i].size);
        names_fault(&resource, cases[i].fault);
    }
    buffer_clear(&resource);
}

int main(void) {
    static const struct CMUnitTest tests[] = {
        cmocka_unit_test(lines_are_those_of_places_and_calls),
        cmocka_unit_test(cut_lines_are_faults),
        cmocka_unit_test(lines_are_checked),
    };
    return cmocka_run_group_tests_name("names_spots", tests, NULL, NULL);
}
