/* What the view makes: facts as formats write them, rows of async methods and of exceptions. */
#include "report/view/async.h"
#include "report/view/exceptions.h"
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

static void an_average_needs_a_call_that_ended(void **state) {
    (void)state;
    async_method m = {.figures = {.calls = 2}};
    bool unlinked = false;
    aggregate a = {.async = {.methods = &m, .method_count = 1, .unlinked = &unlinked}};
    const report r = {.sum = &a};
    assert_false(view_async_method(&r, 0).has_average);
    assert_int_equal(view_async_method(&r, 0).open, 2);
    m.figures.completed = 1;
    assert_true(view_async_method(&r, 0).has_average);
    m.figures.unlinked = 1;
    assert_false(view_async_method(&r, 0).has_average);
}

/* A type, an end, two frames below it, or one. */
static void a_frame_of_all_has_no_figures_of_its_own(void **state) {
    (void)state;
    exception_node nodes[] = {{.kind = EXCEPTION_ROOT, .first_child = 1, .function = NO_FUNCTION},
                              {.kind = EXCEPTION_TYPE, .first_child = 2, .function = NO_FUNCTION},
                              {.kind = EXCEPTION_END, .parent = 1, .first_child = 3, .function = NO_FUNCTION},
                              {.kind = EXCEPTION_FRAME, .parent = 2, .next_sibling = 4, .function = NO_FUNCTION},
                              {.kind = EXCEPTION_FRAME, .parent = 2, .function = NO_FUNCTION}};
    exception_type type = {.name = bytes_of("T", 1)};
    aggregate a = {.exceptions = {.nodes = nodes, .node_count = 5, .types = &type, .type_count = 1}};
    const report r = {.sum = &a};
    view_exception row;
    uint32_t count = 0;
    for (view_exceptions walk = {.r = &r}; view_next_exception(&walk, &row); count++)
        assert_true(row.has_figures);
    assert_int_equal(count, 4);
    nodes[3].next_sibling = 0;
    for (view_exceptions walk = {.r = &r}; view_next_exception(&walk, &row);)
        assert_true(row.has_figures == (row.kind != EXCEPTION_FRAME));
    nodes[3].next_sibling = 4;
    for (view_exceptions walk = {.r = &r, .below = 1}; view_next_exception(&walk, &row);)
        assert_int_equal(row.more, row.depth == 3 && row.kind == EXCEPTION_ROOT ? 1 : 0);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_room_has_its_facts_alone),
        cmocka_unit_test(a_group_stands_in_braces),
        cmocka_unit_test(memory_that_ran_out_is_reported),
        cmocka_unit_test(an_average_needs_a_call_that_ended),
        cmocka_unit_test(a_frame_of_all_has_no_figures_of_its_own),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
