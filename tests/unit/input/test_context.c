/* A context's diagnostics reach its sink in the public form. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

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

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(diagnostic_reaches_sink_with_file_severity_code_and_text),
        cmocka_unit_test(control_characters_do_not_break_the_line),
        cmocka_unit_test(context_without_sink_stays_silent_but_counts),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
