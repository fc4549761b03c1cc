/* Facts as formats write them: the right ones, grouped, with the right commas. */
#include "report/view/facts.h"
#include "report_unit.h"

static void prints(const view_facts *f, const view_style *style, bool first, const char *expected) {
    result r = {0};
    printer out = {.write = collect, .user = &r};
    view_print(&out, f, style, first);
    print_flush(&out);
    buffer_u8(&r.text, 0);
    assert_string_equal((const char *)r.text.data, expected);
    buffer_clear(&r.text);
}

static const view_style json = {VIEW_JSON, ", ", ": ", print_json}, page = {VIEW_PAGE, ",", ":", print_json};

static void a_room_has_its_facts_alone(void **state) {
    (void)state;
    view_facts f = {.list = NULL};
    view_add_text(&f, VIEW_EACH, "name", bytes_of("a\"b", 3));
    view_add_number(&f, VIEW_PAGE, "left", 1);
    view_add_known(&f, VIEW_JSON, "known", true, 7);
    view_add_known(&f, VIEW_JSON, "unknown", false, 7);
    view_add_word(&f, VIEW_EACH, "mode", "mixed");
    prints(&f, &json, true, "\"name\": \"a\\\"b\", \"known\": 7, \"unknown\": null, \"mode\": \"mixed\"");
    prints(&f, &page, false, ",\"name\":\"a\\\"b\",\"left\":1,\"mode\":\"mixed\"");
    view_facts_clear(&f);
}

static void a_group_stands_in_braces(void **state) {
    (void)state;
    view_facts f = {.list = NULL};
    view_begin(&f, VIEW_JSON, "outer");
    view_add_number(&f, VIEW_JSON, "one", 1);
    view_begin(&f, VIEW_JSON, "inner");
    view_add_null(&f, VIEW_JSON, "two");
    view_end(&f, VIEW_JSON);
    view_end(&f, VIEW_JSON);
    view_add_number(&f, VIEW_EACH, "three", 3);
    prints(&f, &json, true, "\"outer\": {\"one\": 1, \"inner\": {\"two\": null}}, \"three\": 3");
    prints(&f, &page, true, "\"three\":3");
    view_facts_clear(&f);
}

static void memory_that_ran_out_is_reported(void **state) {
    (void)state;
    printer out = {.used = 0};
    view_print(&out, &(view_facts){.failed = true}, &json, true);
    assert_true(out.no_memory);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_room_has_its_facts_alone),
        cmocka_unit_test(a_group_stands_in_braces),
        cmocka_unit_test(memory_that_ran_out_is_reported),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
