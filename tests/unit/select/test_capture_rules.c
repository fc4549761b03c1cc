#include "select/capture_rules.h"

#include "profile/calls.h"
#include "report/model/calls_place.h"
#include "unit.h"

/* ---- Rules ------------------------------------------------------------------------------------------------------- */

static arena memory;
static char problem[CAPTURE_PROBLEM];

static capture_rule parsed(const char *text, const char *pattern) {
    capture_rule rule;
    const char *found = NULL;
    assert_int_equal(capture_parse(&rule, &found, text, &memory, problem), ECMA_OK);
    assert_string_equal(found, pattern);
    return rule;
}

static void refused(const char *text, const char *why) {
    capture_rule rule;
    const char *pattern = NULL;
    assert_int_equal(capture_parse(&rule, &pattern, text, &memory, problem), ECMA_CONFIG);
    assert_string_equal(problem, why);
    assert_null(pattern);
}

static void pattern_alone_asks_for_what_is_usual(void **state) {
    (void)state;
    capture_rule r = parsed(" Shop.Orders ", "Shop.Orders");
    assert_true(r.arguments && r.result && r.exception && !r.self && !r.throws);
    assert_int_equal(r.depth, 2);
    assert_int_equal(r.string, 64);
    assert_int_equal(r.items, 10);
    assert_int_equal(r.bytes, 1 << 20);
    assert_int_equal(r.first + r.every, 0);
    r = parsed("Shop: first=3", "Shop");
    assert_true(r.arguments && r.result && r.exception);
}

static void words_say_what_and_how_much(void **state) {
    (void)state;
    capture_rule r =
        parsed("A.**: args , this; first=100,every=10; slower=1500us; depth=0, string=0, items=7; bytes=64k", "A.**");
    assert_true(r.arguments && r.self && !r.result && !r.exception);
    assert_int_equal(r.first, 100);
    assert_int_equal(r.every, 10);
    assert_int_equal(r.slower_ns, 1500000);
    assert_int_equal(r.depth, 0);
    assert_int_equal(r.string, 0);
    assert_int_equal(r.items, 7);
    assert_int_equal(r.bytes, 65536);
    assert_string_equal(r.text,
                        "args , this; first=100,every=10; slower=1500us; depth=0, string=0, items=7; bytes=64k");
    r = parsed("A: return, throws", "A");
    assert_true(r.throws && r.exception && r.result && !r.arguments);
    assert_int_equal(parsed("A: bytes=1g", "A").bytes, 1 << 30);
    assert_string_equal(parsed("A: fields= Id+Name ,args", "A").fields, "Id+Name");
    assert_null(parsed("A: args", "A").fields);
    assert_int_equal(parsed("A: slower=2s", "A").slower_ns, 2000000000);
}

static void what_is_no_word_or_out_of_range_is_told(void **state) {
    (void)state;
    refused("A: ages",
            "'ages' is not known; known are args, return, this, exception, throws, first, every, slower, depth, "
            "string, items, bytes, fields");
    refused("A: args=1", "args: expected no value");
    refused("A: first", "first: expected a whole number from 1 to 1000000000");
    refused("A: first=0", "first: expected a whole number from 1 to 1000000000");
    refused("A: first=99999999999999999999", "first: expected a whole number from 1 to 1000000000");
    refused("A: depth=11", "depth: expected a whole number from 0 to 10");
    refused("A: slower=5", "slower: expected a time as 500us, 1ms or 2s");
    refused("A: slower=0ms", "slower: expected a time as 500us, 1ms or 2s");
    refused("A: fields", "fields: expected names as Id+Name");
    refused("A: fields=+A", "fields: expected names as Id+Name");
    refused("A: fields=A B", "fields: expected names as Id+Name");
    refused("A: bytes=2g", "bytes: expected a size as 4096, 64k or 1m");
    refused("A: bytes=18446744073709551615g", "bytes: expected a size as 4096, 64k or 1m");
}

static void values_alone_may_be_missing(void **state) {
    (void)state;
    capture_rule r;
    assert_int_equal(capture_parse_values(&r, NULL, &memory, problem), ECMA_OK);
    assert_true(r.arguments && r.result);
    assert_int_equal(capture_parse_values(&r, ";;, this ,", &memory, problem), ECMA_OK);
    assert_true(r.self && !r.arguments);
}

/* ---- Values ------------------------------------------------------------------------------------------------------ */

#define VALUE(text) bytes_of(text, sizeof text - 1)

static void shows(bytes value, const char *text, const char *json) {
    buffer b = BUFFER_INIT;
    reader r = reader_of(value);
    assert_true(calls_skip_value(&r));
    assert_int_equal(reader_left(&r), 0);
    calls_append_text(&b, value, SIZE_MAX);
    buffer_u8(&b, 0);
    assert_string_equal((const char *)b.data, text);
    b.size = 0;
    calls_append_json(&b, value);
    buffer_u8(&b, 0);
    assert_string_equal((const char *)b.data, json);
    buffer_clear(&b);
}

static void cut(bytes value, size_t most, const char *text) {
    buffer b = BUFFER_INIT;
    buffer_string(&b, "before ");
    calls_append_text(&b, value, most);
    buffer_u8(&b, 0);
    assert_string_equal((const char *)b.data + 7, text);
    buffer_clear(&b);
}

static void what_has_no_room_is_an_ellipsis(void **state) {
    (void)state;
    /* Pair { One = Box { X = 1, Y = 2 }, Two = "0123456789abcdefghij" } */
    const bytes pair = VALUE("o\4Pair\2\2\3Oneo\3Box\2\2\1Xv\0011\1Yv\0012\3Twos\x14\x14"
                             "0123456789abcdefghij");
    cut(pair, SIZE_MAX, "Pair { One = Box { X = 1, Y = 2 }, Two = \"0123456789abcdefghij\" }");
    cut(pair, 60, "Pair { One = Box { X = 1, Y = 2 }, Two = \"0123456789abcdefghi\"\u2026(20) }");
    cut(pair, 40, "Pair { One = Box { X = 1, Y = 2 }, Two = \"0123456789abcdef\"\u2026(20) }");
    cut(pair, 33, "Pair { One = Box { X = 1, Y = 2 }, \u2026 }");
    cut(pair, 24, "Pair { One = Box { X = 1, \u2026 }, \u2026 }");
    /* Of five items two are in the profile: one ellipsis says both. */
    const bytes list = VALUE("a\7Int32[]\5\2v\0017v\0018");
    cut(list, SIZE_MAX, "Int32[5] { 7, 8, \u2026 }");
    cut(list, 4, "Int32[5] { 7, \u2026 }");
    const bytes pairs = VALUE("d\1D\2\2v\0017v\0018v\0019v\0016");
    cut(pairs, 1, "D(2) { 7 = 8, \u2026 }");
    /* Not within a character. */
    cut(VALUE("s\x14\x28"
              "\u00e4\u00e4\u00e4\u00e4\u00e4\u00e4\u00e4\u00e4\u00e4\u00e4\u00e4\u00e4\u00e4\u00e4\u00e4\u00e4\u00e4"
              "\u00e4\u00e4\u00e4"),
        17, "\"\u00e4\u00e4\u00e4\u00e4\u00e4\u00e4\u00e4\u00e4\"\u2026(20)");
}

static void each_kind_of_value_is_shown(void **state) {
    (void)state;
    shows(VALUE("n"), "null", "null");
    shows(VALUE("m"), "***", "{\"kind\": \"masked\"}");
    shows(VALUE("."), "\u2026", "{\"kind\": \"cut\"}");
    shows(VALUE("v\x02-7"), "-7", "-7");
    shows(VALUE("v\x04true"), "true", "true");
    shows(VALUE("v\x03Red"), "Red", "{\"kind\": \"literal\", \"text\": \"Red\"}");
    shows(VALUE("v\x04"
                "1.50"),
          "1.50", "1.50");
    shows(VALUE("v\x02"
                "07"),
          "07", "{\"kind\": \"literal\", \"text\": \"07\"}");
    shows(VALUE("v\x14"
                "18446744073709551615"),
          "18446744073709551615", "{\"kind\": \"literal\", \"text\": \"18446744073709551615\"}");
    shows(VALUE("s\x03\x03"
                "a\"b"),
          "\"a\"b\"", "\"a\\\"b\"");
    shows(VALUE("s\x64\x02"
                "ab"),
          "\"ab\"\u2026(100)", "{\"kind\": \"string\", \"value\": \"ab\", \"length\": 100}");
    shows(VALUE("s\x02\x04\xF0\x9F\x98\x80"), "\"\xF0\x9F\x98\x80\"", "\"\xF0\x9F\x98\x80\""); /* two code units */
    shows(VALUE("t\x05"
                "A.B.C"),
          "{C}", "{\"kind\": \"type\", \"type\": \"A.B.C\"}");
    shows(VALUE("r\x03"
                "A.B"),
          "{B, again}", "{\"kind\": \"cycle\", \"type\": \"A.B\"}");
    shows(VALUE("o\x03"
                "A.P\x02\x01\x01Xv\x01"
                "1"),
          "P { X = 1, \u2026 }", "{\"kind\": \"object\", \"type\": \"A.P\", \"fields\": {\"X\": 1}, \"more\": 1}");
    shows(VALUE("o\x01P\x00\x00"), "P {}", "{\"kind\": \"object\", \"type\": \"P\", \"fields\": {}}");
    shows(VALUE("o\x1bSystem.ValueTuple<int, A.B>\x02\x02\x01"
                "av\x01"
                "1\x01"
                "bn"),
          "(1, null)",
          "{\"kind\": \"object\", \"type\": \"System.ValueTuple<int, A.B>\", \"fields\": {\"a\": 1, \"b\": null}}");
    shows(VALUE("a\x05int[]\x03\x01v\x01"
                "1"),
          "int[3] { 1, \u2026 }", "{\"kind\": \"list\", \"type\": \"int[]\", \"length\": 3, \"items\": [1]}");
    shows(VALUE("a\x0a"
                "B.L<A.C.D>\x00\x00"),
          "L<D>(0) {}", "{\"kind\": \"list\", \"type\": \"B.L<A.C.D>\", \"length\": 0, \"items\": []}");
    shows(VALUE("d\x01M\x01\x01n"
                "m"),
          "M(1) { null = *** }",
          "{\"kind\": \"map\", \"type\": \"M\", \"length\": 1, \"items\": [[null, {\"kind\": \"masked\"}]]}");
    shows(VALUE("x\x01"
                "E\x02no\x02"
                "at\x00n"),
          "E: no",
          "{\"kind\": \"exception\", \"type\": \"E\", \"message\": \"no\", \"stack\": \"at\", \"fields\": {}, "
          "\"inner\": null}");
    shows(VALUE("x\x01"
                "E\x00\x00\x01\x01"
                "Cv\x01"
                "1x\x01"
                "F\x01"
                "f\x00\x00n"),
          "E:  { C = 1 } \u2190 F: f",
          "{\"kind\": \"exception\", \"type\": \"E\", \"message\": \"\", \"stack\": \"\", \"fields\": {\"C\": 1}, "
          "\"inner\": "
          "{\"kind\": \"exception\", \"type\": \"F\", \"message\": \"f\", \"stack\": \"\", \"fields\": {}, \"inner\": "
          "null}}");
}

static void what_is_no_value_is_refused(void **state) {
    (void)state;
    static const char *const bad[] = {"",
                                      "?",
                                      "v",
                                      "v\x02"
                                      "1",
                                      "s\x01",
                                      "o\x01P\x01\x02\x01Xn",
                                      "o\x01P\x02\x02\x01Xn",
                                      "a\x01"
                                      "A\x01\x02nn",
                                      "d\x01M\x01\x01n",
                                      "x\x01"
                                      "E\x00\x00\x01\x01"
                                      "Cn"};
    static const size_t sizes[] = {0, 1, 1, 3, 2, 8, 8, 7, 6, 9};
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        reader r = reader_of(bytes_of(bad[i], sizes[i]));
        assert_false(calls_skip_value(&r));
    }
    uint8_t deep[400];
    for (size_t i = 0; i < sizeof deep; i += 4)
        memcpy(deep + i, "a\x00\x01\x01", 4);
    reader r = reader_of(bytes_of(deep, sizeof deep));
    assert_false(calls_skip_value(&r));
}

static uint32_t other_of(const calls_event *events, size_t count, bool seen, uint32_t index) {
    for (size_t i = 0; i < count; i++)
        if (events[i].seen == seen && events[i].index == index)
            return events[i].other;
    fail();
    return 0;
}

/* Events are 0, 1, 2, ... in their order; calls with values are, too. */
static void values_find_their_events(void **state) {
    (void)state;
    calls_event events[] = {
        {.thread = 1, .function = 7, .start = 100, .ticks = 50, .index = 0},               /* recursive */
        {.thread = 1, .function = 7, .start = 110, .ticks = 10, .index = 1},               /* within it */
        {.thread = 1, .function = 7, .start = 200, .ticks = 10, .index = 2},               /* without values */
        {.thread = 2, .function = 7, .start = 300, .ticks = 10, .index = 3},               /* of another thread */
        {.thread = 1, .function = 8, .start = 300, .ticks = 10, .index = 4},               /* of another method */
        {.thread = 1, .function = 7, .start = 400, .ticks = 9, .index = 5},                /* two at one tick, */
        {.thread = 1, .function = 7, .start = 400, .ticks = 1, .index = 6},                /* one within the other */
        {.thread = 1, .function = 7, .start = 600, .ticks = 90, .index = 7},               /* longer than its values' */
        {.thread = 1, .function = 7, .start = 99, .ticks = 60, .seen = true, .index = 0},  /* of event 0 */
        {.thread = 1, .function = 7, .start = 109, .ticks = 12, .seen = true, .index = 1}, /* of 1 */
        {.thread = 1, .function = 7, .start = 290, .ticks = 50, .seen = true, .index = 2}, /* its event was not kept */
        {.thread = 1, .function = 7, .start = 399, .ticks = 5, .seen = true, .index = 3},  /* of 6: the inner ends first
                                                                                            */
        {.thread = 1, .function = 7, .start = 399, .ticks = 12, .seen = true, .index = 4}, /* of 5 */
        {.thread = 1, .function = 7, .start = 500, .ticks = 20, .seen = true, .index = 5}, /* its event was not kept */
        {.thread = 1, .function = 7, .start = 700, .ticks = 20, .seen = true, .index = 6}, /* the same */
    };
    enum { COUNT = sizeof events / sizeof events[0], NONE = -1 };
    static const int of_event[] = {0, 1, NONE, NONE, NONE, 4, 3, NONE}, of_seen[] = {0, 1, NONE, 6, 5, NONE, NONE};
    calls_place(events, COUNT);
    for (uint32_t i = 0; i < sizeof of_event / sizeof of_event[0]; i++)
        assert_int_equal(other_of(events, COUNT, false, i), (uint32_t)of_event[i]);
    for (uint32_t i = 0; i < sizeof of_seen / sizeof of_seen[0]; i++)
        assert_int_equal(other_of(events, COUNT, true, i), (uint32_t)of_seen[i]);
    calls_place(events, 0);
}

static void a_chain_of_exceptions_is_read_one_by_one(void **state) {
    (void)state;
    bytes value = bytes_of("x\x01"
                           "E\x01m\x02st\x01\x01"
                           "Cv\x01"
                           "1x\x01"
                           "F\x00\x00\x00n",
                           20);
    calls_exception e;
    assert_true(calls_try_exception(value, &e));
    assert_memory_equal(e.type.data, "E", 1);
    assert_memory_equal(e.message.data, "m", 1);
    assert_memory_equal(e.stack.data, "st", 2);
    assert_true(calls_try_exception(e.inner, &e));
    assert_memory_equal(e.type.data, "F", 1);
    assert_int_equal(e.stack.size, 0);
    assert_false(calls_try_exception(e.inner, &e));
    assert_false(calls_try_exception(bytes_of("x\x05", 2), &e));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(pattern_alone_asks_for_what_is_usual),
        cmocka_unit_test(words_say_what_and_how_much),
        cmocka_unit_test(what_is_no_word_or_out_of_range_is_told),
        cmocka_unit_test(values_alone_may_be_missing),
        cmocka_unit_test(what_has_no_room_is_an_ellipsis),
        cmocka_unit_test(each_kind_of_value_is_shown),
        cmocka_unit_test(what_is_no_value_is_refused),
        cmocka_unit_test(values_find_their_events),
        cmocka_unit_test(a_chain_of_exceptions_is_read_one_by_one),
    };
    int result = cmocka_run_group_tests(tests, NULL, NULL);
    arena_clear(&memory);
    return result;
}
