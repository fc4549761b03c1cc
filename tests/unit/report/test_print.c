/* The parts of reports: UTF-8 and its columns, figures, shortened names. */
#include "unit.h"

#include "base/buffer.h"
#include "profile/profile.h"
#include "report/print/format.h"
#include "report/print/print.h"
#include "util/unicode.h"

static void utf8_is_decoded_strictly(void **state) {
    (void)state;
    const struct {
        const char *utf8;
        uint32_t code_points[4];
        size_t count;
    } cases[] = {
        {"\xC3\xA9", {0xE9}, 1},
        {"\xF0\x9F\x98\x80", {0x1F600}, 1},
        {"\xC0\xAF", {0xFFFD, 0xFFFD}, 2},
        {"\xE0\x80\xAF", {0xFFFD, 0xFFFD, 0xFFFD}, 3},
        {"\xED\xA0\x80", {0xFFFD, 0xFFFD, 0xFFFD}, 3},
        {"\xF4\x90\x80\x80", {0xFFFD, 0xFFFD, 0xFFFD, 0xFFFD}, 4},
        {"\xE2\x82z", {0xFFFD, 'z'}, 2},
        {"\xE2\x82", {0xFFFD}, 1},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        bytes s = bytes_of(cases[i].utf8, strlen(cases[i].utf8));
        size_t at = 0, count = 0;
        while (at < s.size) {
            assert_true(count < cases[i].count);
            assert_int_equal(unicode_next(s, &at), cases[i].code_points[count]);
            count++;
        }
        assert_int_equal(count, cases[i].count);
    }
    assert_int_equal(unicode_width(bytes_of("e\xCC\x81", 3)), 1);
    assert_int_equal(unicode_width(bytes_of("商品", 6)), 4);
    assert_int_equal(unicode_width(bytes_of("ﾊﾝ", 6)), 2);
    assert_int_equal(unicode_columns(0x10FFFF), 1);
}

static void figures_have_three_digits_and_a_unit(void **state) {
    (void)state;
    const struct {
        uint64_t ns;
        const char *text;
    } times[] = {
        {0, "0 ns"},
        {999, "999 ns"},
        {1000, "1.00 \u00b5s"},
        {9994, "9.99 \u00b5s"},
        {9995, "10.0 \u00b5s"},
        {99950, "100 \u00b5s"},
        {999499, "999 \u00b5s"},
        {999500, "1.00 ms"},
        {1234567, "1.23 ms"},
        {999500000, "1.00 s "},
        {12345678901234, "12,346 s "},
        {PROFILE_MAX, "9,223,372,037 s "},
    };
    for (size_t i = 0; i < sizeof times / sizeof times[0]; i++) {
        figure f = format_time(times[i].ns);
        assert_string_equal(f.text, times[i].text);
        assert_int_equal(f.columns, unicode_width(bytes_of(f.text, strlen(f.text))));
    }
    assert_string_equal(format_count(0).text, "0");
    assert_string_equal(format_count(999).text, "999");
    assert_string_equal(format_count(1000).text, "1,000");
    assert_string_equal(format_count(UINT64_MAX).text, "18,446,744,073,709,551,615");
    assert_string_equal(format_bytes(0).text, "0 B ");
    assert_string_equal(format_bytes(999).text, "999 B ");
    assert_string_equal(format_bytes(1234).text, "1.23 kB");
    assert_string_equal(format_bytes(160192000).text, "160 MB");
    assert_string_equal(format_bytes(12345000000000).text, "12,345 GB");
    assert_string_equal(format_percent(1, 3).text, "33.3");
    assert_string_equal(format_percent(2, 3).text, "66.7");
    assert_string_equal(format_percent(0, 0).text, "0.0");
    assert_string_equal(format_percent(PROFILE_MAX, PROFILE_MAX).text, "100.0");
}

static int collect(void *user, const char *text, size_t length) {
    buffer_append(user, text, length);
    return 0;
}

static void name_in(size_t columns, const char *name, const char *expected) {
    buffer text = BUFFER_INIT;
    printer out = {.write = collect, .user = &text};
    const char *parameters = strchr(name, '(');
    size_t taken = print_name(&out, bytes_of(name, strlen(name)), (size_t)(parameters - name), strlen(name), columns);
    assert_true(print_flush(&out));
    buffer_u8(&text, 0);
    assert_string_equal((const char *)text.data, expected);
    assert_int_equal(taken, unicode_width(bytes_of(expected, strlen(expected))));
    assert_true(taken <= columns);
    buffer_clear(&text);
}

/* Parameters first, then what stands outside, then the parentheses, then the type's start; the method's name last. */
static void names_keep_the_method_and_its_type(void **state) {
    (void)state;
    name_in(26, "Name.Space.Type.Method(int)", "Name.Space.Type.Method(\u2026)");
    name_in(27, "Name.Space.Type.Method(int)", "Name.Space.Type.Method(int)");
    name_in(20, "Name.Space.Type.Method(int)", "Space.Type.Method(\u2026)");
    name_in(19, "Name.Space.Type.Method(int)", "Type.Method(int)");
    name_in(26, "Type.Method(A<B, C>, int, int)", "Type.Method(A<B, C>, \u2026)");
    name_in(23, "Type.Method(A<B, C>, int, int)", "Type.Method(A<B, C>, \u2026)");
    name_in(22, "Type.Method(A<B, C>, int, int)", "Type.Method(\u2026)");
    name_in(29, "Type.Method(A<B, C>, int, int)", "Type.Method(A<B, C>, int, \u2026)");
    name_in(13, "Name.Space.Type.Method(int)", "Type.Method");
    name_in(10, "Name.Space.Type.Method(int)", "\u2026pe.Method");
    name_in(7, "Name.Space.Type.Method(int)", "\u2026Method");
    name_in(6, "Name.Space.Type.Method(int)", "T\u2026thod");
    name_in(1, "Name.Space.Type.Method(int)", "\u2026");
    name_in(20, "Name.Space.Type.Method()", "Space.Type.Method()");
    name_in(12, "Space.Type<A.B>.Method(int)", "\u2026e<\u2026>.Method");
    name_in(18, "Space.Type<A.B>.Method(int)", "Type<A.B>.Method");
    name_in(24, "N.Generator<TOperation, TModel>.GenerateFile(int)", "\u2026nerator<\u2026>.GenerateFile");
    name_in(25, "N.Generator<TOperation, TModel>.GenerateFile(int)", "Generator<\u2026>.GenerateFile");
    name_in(28, "N.Generator<TOperation, TModel>.GenerateFile(int)", "Generator<\u2026>.GenerateFile(\u2026)");
    name_in(19, "N.Holder<T, U<V>>.Find<R, S>(int)", "Holder<\u2026>.Find<\u2026>");
    name_in(16, "Name.<Main>g.Long.<T>b(int)", "Long.<T>b(int)");
    name_in(11, "Longer.<T>b(int)", "Longer.<T>b");
    name_in(14, "Space.Vector.operator <(int)", "\u2026or.operator <");
    name_in(12, "商品カタログ.検索()", "\u2026タログ.検索");
}

/* Each byte at each place of a text longer than what is looked at at once. */
static void plain_text_ends_where_a_character_is_not(void **state) {
    (void)state;
    char text[] = "Name.Space.Type.Method";
    const size_t size = sizeof text - 1;
    for (size_t at = 0; at < size; at++) {
        char kept = text[at];
        for (unsigned byte = 0; byte < 256; byte++) {
            bool plain = byte >= 0x20 && byte < 0x7F;
            text[at] = (char)byte;
            assert_int_equal(unicode_plain(bytes_of(text, size), 0), plain ? size : at);
            assert_int_equal(unicode_unquoted(bytes_of(text, size), 0),
                             plain && byte != '"' && byte != '\\' ? size : at);
            assert_int_equal(unicode_plain(bytes_of(text, size), at + 1), size - at - 1);
        }
        text[at] = kept;
    }
}

static void numbers_are_decimal(void **state) {
    (void)state;
    buffer text = BUFFER_INIT;
    printer out = {.write = collect, .user = &text};
    const int64_t numbers[] = {0, 9, 10, -1, INT64_MAX, INT64_MIN};
    for (size_t i = 0; i < sizeof numbers / sizeof numbers[0]; i++) {
        print_signed(&out, numbers[i]);
        print_spaces(&out, 1);
    }
    print_number(&out, UINT64_MAX);
    assert_true(print_flush(&out));
    buffer_u8(&text, 0);
    assert_string_equal((const char *)text.data,
                        "0 9 10 -1 9223372036854775807 -9223372036854775808 18446744073709551615");
    buffer_clear(&text);
}

static void json_strings_escape_what_they_must(void **state) {
    (void)state;
    static const char shown[] = "Type\"With\\All\x01 and \x7F \xC3\xA9 plain text";
    buffer text = BUFFER_INIT;
    printer out = {.write = collect, .user = &text};
    print_json(&out, bytes_of(shown, sizeof shown - 1));
    assert_true(print_flush(&out));
    buffer_u8(&text, 0);
    assert_string_equal((const char *)text.data, "\"Type\\\"With\\\\All\\u0001 and \\u007f \xC3\xA9 plain text\"");
    buffer_clear(&text);
}

static int refuse(void *user, const char *text, size_t length) {
    (void)text;
    (void)length;
    ++*(int *)user;
    return 1;
}

static void nothing_is_handed_over_after_a_refusal(void **state) {
    (void)state;
    int handed = 0;
    printer out = {.write = refuse, .user = &handed};
    print_spaces(&out, 100000);
    assert_false(print_flush(&out));
    assert_int_equal(handed, 1);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(utf8_is_decoded_strictly),
        cmocka_unit_test(figures_have_three_digits_and_a_unit),
        cmocka_unit_test(names_keep_the_method_and_its_type),
        cmocka_unit_test(plain_text_ends_where_a_character_is_not),
        cmocka_unit_test(numbers_are_decimal),
        cmocka_unit_test(json_strings_escape_what_they_must),
        cmocka_unit_test(nothing_is_handed_over_after_a_refusal),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
