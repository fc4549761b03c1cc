/* A file's bytes in text, and how text reaches the caller. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "dump/text_out.h"

static void assert_text(buffer *b, const char *expected) {
    buffer_u8(b, 0);
    assert_string_equal((const char *)b->data, expected);
    buffer_clear(b);
}

static void text_stays_one_line_of_valid_utf8(void **state) {
    (void)state;
    static const struct {
        const char *text, *plain, *quoted, *json;
    } rows[] = {
        {"Name", "Name", "\"Name\"", "\"Name\""},
        {"say \"hi\"\\", "say \"hi\"\\", "\"say \\\"hi\\\"\\\\\"", "\"say \\\"hi\\\"\\\\\""},
        {"a\nb\x1b[2J\x7f", "a\\x0ab\\x1b[2J\\x7f", "\"a\\x0ab\\x1b[2J\\x7f\"", "\"a\\u000ab\\u001b[2J\\u007f\""},
        {"h\xc3\xa9 \xe2\x82\xac \xf0\x9f\x99\x82", "h\xc3\xa9 \xe2\x82\xac \xf0\x9f\x99\x82",
         "\"h\xc3\xa9 \xe2\x82\xac \xf0\x9f\x99\x82\"", "\"h\xc3\xa9 \xe2\x82\xac \xf0\x9f\x99\x82\""},
        {"\xff\xc3", "\\xff\\xc3", "\"\\xff\\xc3\"", "\"\xef\xbf\xbd\xef\xbf\xbd\""},
        {"\xc0\x80", "\\xc0\\x80", "\"\\xc0\\x80\"", "\"\xef\xbf\xbd\xef\xbf\xbd\""}, /* overlong */
        {"\xed\xa0\x80", "\\xed\\xa0\\x80", "\"\\xed\\xa0\\x80\"",
         "\"\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd\""}, /* surrogate */
        {"\xf4\x90\x80\x80", "\\xf4\\x90\\x80\\x80", "\"\\xf4\\x90\\x80\\x80\"",
         "\"\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd\""},                          /* past U+10FFFF */
        {"x\xe2\x80\xaey", "x\\xe2\\x80\\xaey", "\"x\\xe2\\x80\\xaey\"", "\"x\\u202ey\""}, /* right-to-left override */
        {"", "", "\"\"", "\"\""},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        buffer b = BUFFER_INIT;
        text_plain(&b, text_of(rows[i].text));
        assert_text(&b, rows[i].plain);
        text_quoted(&b, text_of(rows[i].text));
        assert_text(&b, rows[i].quoted);
        text_json(&b, text_of(rows[i].text));
        assert_text(&b, rows[i].json);
    }
}

static void utf16_becomes_utf8(void **state) {
    (void)state;
    static const uint8_t text[] = {'a',  0,    '"',  0,    10,   0,    1,   0, 0xAC, 0x20,
                                   0x3D, 0xD8, 0x42, 0xDE, 0x3D, 0xD8, 'z', 0, 0,    0xDC,
                                   0,    0xD8, 0,    0xDC, 0xFF, 0xDB, 0xFF, 0xDF, /* U+10000, U+10FFFF */
                                   0,    0xD8, 0,    0xE0, 0,    0xD8, 0xFF, 0xDB}; /* each by itself */
    buffer b = BUFFER_INIT;
    text_quoted_utf16(&b, bytes_of(text, sizeof text));
    assert_text(&b, "\"a\\\"\\n\\u0001\xe2\x82\xac\xf0\x9f\x99\x82\\ud83dz\\udc00"
                    "\xf0\x90\x80\x80\xf4\x8f\xbf\xbf\\ud800\xee\x80\x80\\ud800\\udbff\"");
}

typedef struct taker {
    size_t calls, size, stop_at; /* stop_at: the call that says no more */
} taker;

static int take(void *user, const char *text, size_t length) {
    taker *t = user;
    (void)text;
    t->size += length;
    return ++t->calls == t->stop_at;
}

static void text_goes_out_in_pieces(void **state) {
    (void)state;
    taker t = {0};
    text_out out = TEXT_OUT_INIT(take, &t, 1 << 20);
    for (int i = 0; i < 10000; i++) {
        buffer_string(&out.b, "0123456789");
        assert_true(text_out_flush(&out));
    }
    assert_true(t.calls >= 2 && t.calls <= 4);
    assert_int_equal(text_out_finish(&out, &(diag){0}), ILJ_OK);
    assert_int_equal(t.size, 100000);
}

static void caller_can_stop_the_text(void **state) {
    (void)state;
    taker t = {.stop_at = 1};
    text_out out = TEXT_OUT_INIT(take, &t, 1 << 20);
    buffer_append_zeros(&out.b, 40000);
    assert_false(text_out_flush(&out));
    buffer_append_zeros(&out.b, 40000);
    assert_false(text_out_flush(&out));
    assert_int_equal(text_out_finish(&out, &(diag){0}), ILJ_IO);
    assert_int_equal(t.calls, 1);
}

static void lack_of_memory_is_told_at_the_end(void **state) {
    (void)state;
    taker t = {0};
    text_out out = TEXT_OUT_INIT(take, &t, 1 << 20);
    out.b.failed = true;
    assert_false(text_out_flush(&out));
    assert_int_equal(text_out_finish(&out, &(diag){0}), ILJ_NO_MEMORY);
    assert_int_equal(t.calls, 0);
}

static void text_ends_at_its_bound(void **state) {
    (void)state;
    taker t = {0};
    text_out out = TEXT_OUT_INIT(take, &t, 100000);
    diag d = {0};
    bool more = true;
    for (int i = 0; i < 20000; i++) {
        buffer_string(&out.b, "0123456789");
        more = text_out_flush(&out);
    }
    assert_false(more);
    assert_int_equal(text_out_finish(&out, &d), ILJ_UNSUPPORTED);
    assert_int_equal(t.size, 100000);
    assert_int_equal(d.errors, 1);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(text_ends_at_its_bound),
        cmocka_unit_test(text_stays_one_line_of_valid_utf8), cmocka_unit_test(utf16_becomes_utf8),
        cmocka_unit_test(text_goes_out_in_pieces),           cmocka_unit_test(caller_can_stop_the_text),
        cmocka_unit_test(lack_of_memory_is_told_at_the_end),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
