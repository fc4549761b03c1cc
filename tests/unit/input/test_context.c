/* A context's diagnostics reach its sink in the public form; options of an older or a newer caller. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "ilinject/post.h"
#include "input/context.h"

static void keep(void *user, const ilj_diagnostic *told) {
    static const char *const severities[] = {"info", "warning", "error"};
    snprintf(user, 200, "%s: %s %s: %s", told->file, severities[told->severity], told->code, told->text);
}

static void diagnostic_reaches_sink_with_file_severity_code_and_text(void **state) {
    (void)state;
    char line[200] = "";
    ilj_context *context = NULL;
    assert_int_equal(ilj_context_new(&context, keep, line), ILJ_OK);
    diag d = context_diag(context, "app.dll");
    assert_int_equal(diag_report(&d, DIAG_NOT_PE, "byte %d is %s", 0, "odd"), ECMA_BAD_FILE);
    assert_string_equal(line, "app.dll: error ILJ0100: byte 0 is odd");
    assert_int_equal(diag_report(&d, DIAG_BODY, "kept"), ECMA_OK);
    assert_string_equal(line, "app.dll: warning ILJ0300: kept");
    assert_int_equal(diag_report(&d, DIAG_NOTHING_SELECTED, "no bodies"), ECMA_OK);
    assert_string_equal(line, "app.dll: info ILJ0402: no bodies");
    assert_int_equal(d.errors, 1);
    assert_int_equal(d.warnings, 1);
    ilj_context_free(context);
}

static void control_characters_do_not_break_the_line(void **state) {
    (void)state;
    char line[200] = "";
    ilj_context *context = NULL;
    assert_int_equal(ilj_context_new(&context, keep, line), ILJ_OK);
    diag d = context_diag(context, "a.dll");
    diag_report(&d, DIAG_NOT_PE, "name %s", "x\n\x1b[2Jy");
    assert_string_equal(line, "a.dll: error ILJ0100: name x??[2Jy");
    ilj_context_free(context);
}

static void context_without_sink_stays_silent_but_counts(void **state) {
    (void)state;
    ilj_context *context = NULL;
    assert_int_equal(ilj_context_new(&context, NULL, NULL), ILJ_OK);
    diag d = context_diag(context, "a.dll");
    assert_int_equal(diag_report(&d, DIAG_IO_OPEN, "gone"), ILJ_IO);
    assert_int_equal(d.errors, 1);
    ilj_context_free(context);
}

typedef struct some_options {
    size_t size;
    const char *text;
    uint32_t first, second;
    void *last;
} some_options;

static void options_that_a_shorter_struct_has_not_are_0(void **state) {
    (void)state;
    char line[200] = "";
    ilj_context *context = NULL;
    assert_int_equal(ilj_context_new(&context, keep, line), ILJ_OK);
    for (size_t size = sizeof(size_t); size <= sizeof(some_options); size += sizeof(size_t)) {
        some_options given = {size, "text", 1, 2, line}, own;
        memset(&own, 0xff, sizeof own);
        assert_int_equal(options_copy(&own, &given, sizeof own, "some_options", context), ILJ_OK);
        assert_int_equal(own.size, sizeof own);
        bool has_text = size > offsetof(some_options, text), has_numbers = size > offsetof(some_options, first);
        assert_ptr_equal(own.text, has_text ? given.text : NULL);
        assert_int_equal(own.first, has_numbers ? 1 : 0);
        assert_int_equal(own.second, has_numbers ? 2 : 0);
        assert_ptr_equal(own.last, size > offsetof(some_options, last) ? given.last : NULL);
    }
    assert_string_equal(line, "");
    ilj_context_free(context);
}

static void options_of_a_size_that_is_not_known_are_reported(void **state) {
    (void)state;
    const struct {
        size_t size;
        const char *text;
    } cases[] = {
        {0, "its size is 0: set it to sizeof(some_options)"},
        {1, "its size is 1: set it to sizeof(some_options)"},
        {sizeof(some_options) - 4, "its size is 28: set it to sizeof(some_options)"},
        {sizeof(some_options) + sizeof(size_t),
         "its size is 40, and ilinject " ILJ_VERSION " knows 32 bytes of it: load a newer library"},
        {(size_t)-8,
         "its size is 18446744073709551608, and ilinject " ILJ_VERSION " knows 32 bytes of it: load a newer library"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        ilj_context *context = NULL;
        some_options given = {.size = cases[i].size}, own = {.size = 7};
        char line[200] = "", expected[200];
        snprintf(expected, sizeof expected, "some_options: error ILJ0800: %s", cases[i].text);
        assert_int_equal(ilj_context_new(&context, keep, line), ILJ_OK);
        assert_int_equal(options_copy(&own, &given, sizeof own, "some_options", context), ILJ_CONFIG);
        assert_int_equal(own.size, 7);
        assert_string_equal(line, expected);
        ilj_context_free(context);
    }
}

/* The size does not show an option in the padding after the last one of an older struct, so no struct ends with
 * padding. A further last option takes the place of the one that stands here. */
#define ENDS_WITH(type, last) assert_int_equal(sizeof(type), offsetof(type, last) + sizeof(((type *)NULL)->last))

static void structs_of_options_end_with_an_option(void **state) {
    (void)state;
    ENDS_WITH(ilj_selection_options, root_count);
    ENDS_WITH(ilj_instrument_options, trace_user);
    ENDS_WITH(ilj_report_options, counted_count);
    ENDS_WITH(ilj_diff_options, root);
    ENDS_WITH(ilj_baseline_options, previous);
    ENDS_WITH(ilj_check_options, source_count);
    ENDS_WITH(ilj_server_options, keep);
    ENDS_WITH(ilj_post_options, headers);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(diagnostic_reaches_sink_with_file_severity_code_and_text),
        cmocka_unit_test(control_characters_do_not_break_the_line),
        cmocka_unit_test(context_without_sink_stays_silent_but_counts),
        cmocka_unit_test(options_that_a_shorter_struct_has_not_are_0),
        cmocka_unit_test(options_of_a_size_that_is_not_known_are_reported),
        cmocka_unit_test(structs_of_options_end_with_an_option),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
