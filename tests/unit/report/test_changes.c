/* Unified diffs, as tools write them, and what is none. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "report/view/changes.h"

static ecma_status read(changes *c, const char *text, const char **fault, uint32_t *line) {
    *c = (changes){0};
    *fault = NULL;
    return changes_read(c, bytes_of(text, strlen(text)), fault, line);
}

static void expect(const char *text, const char *path, const changed_line *lines, uint32_t count) {
    changes c;
    const char *fault;
    uint32_t line;
    assert_int_equal(read(&c, text, &fault, &line), ECMA_OK);
    assert_int_equal(c.file_count, 1);
    assert_true(bytes_equal(c.files[0].path, bytes_of(path, strlen(path))));
    assert_int_equal(c.line_count, count);
    for (uint32_t i = 0; i < count; i++) {
        assert_int_equal(c.lines[i].file, 0);
        assert_int_equal(c.lines[i].line, lines[i].line);
        assert_int_equal(c.lines[i].after, lines[i].after);
    }
    changes_clear(&c);
}

static void a_line_that_goes_is_changed_and_a_new_one_stands_after_the_one_before(void **state) {
    (void)state;
    expect("--- a/x.cs\n+++ b/x.cs\n@@ -10,4 +10,4 @@ void M()\n a\n-b\n+c\n d\n e\n", "x.cs",
           (changed_line[]){{0, 11, false}, {0, 11, true}}, 2);
    expect("--- x.cs\n+++ x.cs\n@@ -10,2 +10,3 @@\n a\n+n\n b\n", "x.cs", (changed_line[]){{0, 10, true}}, 1);
    expect("--- x.cs\n+++ x.cs\n@@ -10,0 +11 @@\n+n\n", "x.cs", (changed_line[]){{0, 10, true}}, 1);
    expect("--- x.cs\n+++ x.cs\n@@ -0,0 +1 @@\n+n\n", "x.cs", (changed_line[]){{0, 0, true}}, 1);
    expect("--- x.cs\r\n+++ x.cs\r\n@@ -3 +3 @@\r\n-a\r\n+b\r\n\\ No newline at end of file\r\n", "x.cs",
           (changed_line[]){{0, 3, false}, {0, 3, true}}, 2);
}

static void lines_of_a_hunk_may_look_like_heads(void **state) {
    (void)state;
    expect("--- x.cs\n+++ x.cs\n@@ -5,2 +5,2 @@\n--- a\n-b\n+++ c\n+d\n", "x.cs",
           (changed_line[]){{0, 5, false}, {0, 6, false}, {0, 6, true}, {0, 6, true}}, 4);
    expect("--- x.cs\n+++ x.cs\n@@ -5,2 +5,1 @@\n\n-b\n", "x.cs", (changed_line[]){{0, 6, false}}, 1);
}

static void paths_are_without_the_marks_of_tools(void **state) {
    (void)state;
    expect("--- a/src/x y.cs\t2026-01-01\n+++ b/src/x y.cs\t2026-01-02\n", "src/x y.cs", NULL, 0);
    expect("--- \"a/src/x.cs\"\n+++ \"b/src/x.cs\"\n", "src/x.cs", NULL, 0);
    expect("--- ./x.cs\n+++ ./x.cs\n", "x.cs", NULL, 0);
    expect("--- /dev/null\n+++ b/new.cs\n@@ -0,0 +1,1 @@\n+a\n", "new.cs", (changed_line[]){{0, 0, true}}, 1);
    expect("--- a/old.cs\n+++ /dev/null\n@@ -1 +0,0 @@\n-a\n", "old.cs", (changed_line[]){{0, 1, false}}, 1);
}

static void a_fault_is_named_with_its_line(void **state) {
    (void)state;
    static const struct {
        const char *text;
        uint32_t line;
    } faults[] = {
        {"@@ -1 +1 @@\n-a\n+b\n", 1},
        {"--- x\n+++ x\n@@ -1 +1\n", 3},
        {"--- x\n+++ x\n@@ -a +1 @@\n", 3},
        {"--- x\n+++ x\n@@ -99999999999 +1 @@\n", 3},
        {"--- x\n+++ x\n@@ -1 +1 @@\n-a\n-b\n", 5},
        {"--- x\n+++ x\n@@ -1 +1 @@\n*a\n", 4},
        {"--- x\n+++ x\n@@ -1,2 +1,2 @@\n-a\n", 5},
        {"", 1},
        {"text\n", 2},
    };
    for (size_t i = 0; i < sizeof faults / sizeof faults[0]; i++) {
        changes c;
        const char *fault;
        uint32_t line;
        assert_int_equal(read(&c, faults[i].text, &fault, &line), ECMA_CONFIG);
        assert_non_null(fault);
        assert_int_equal(line, faults[i].line);
        changes_clear(&c);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_line_that_goes_is_changed_and_a_new_one_stands_after_the_one_before),
        cmocka_unit_test(lines_of_a_hunk_may_look_like_heads),
        cmocka_unit_test(paths_are_without_the_marks_of_tools),
        cmocka_unit_test(a_fault_is_named_with_its_line),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
