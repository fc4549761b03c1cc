/* Text in lines of the terminal's width: print_wrapped as lines.h describes it. */
#include "report/text/lines.h"
#include "report_unit.h"

static void wraps(const char *text, size_t column, size_t width, unsigned lines, const char *expected) {
    result r = {0};
    printer out = {.write = collect, .user = &r};
    print_wrapped(&out, (bytes){(const uint8_t *)text, strlen(text)}, column, width, lines);
    print_flush(&out);
    buffer_u8(&r.text, 0);
    assert_string_equal((const char *)r.text.data, expected);
    size_t breaks = 0;
    for (const char *c = expected; *c; c++)
        breaks += *c == '\n';
    if (width > 0)
        assert_int_equal(wrapped_lines((bytes){(const uint8_t *)text, strlen(text)}, column, width), breaks);
    buffer_clear(&r.text);
}

static void text_stands_from_its_column_on(void **state) {
    (void)state;
    static const char text[] = "one two three four five six seven eight";
    wraps(text, 4, 0, 9, "one two three four five six seven eight\n");
    wraps(text, 4, 43, 9, "one two three four five six seven eight\n");
    wraps(text, 4, 28, 9, "one two three four five\n    six seven eight\n");
    /* There are 20 columns at least. */
    wraps(text, 4, 8, 9, "one two three four\n    five six seven eight\n");
    wraps("", 4, 28, 9, "\n");
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(text_stands_from_its_column_on)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
