/* How the prefix of a group and a pattern become a route, and how a method comes to have two. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "naming/route_text.h"

static void a_slash_stands_where_they_meet_and_none_at_the_end(void **state) {
    (void)state;
    static const struct {
        const char *prefix, *pattern, *route;
    } cases[] = {
        {"", "/", "/"},
        {"", "todos", "/todos"},
        {"", "/todos/", "/todos"},
        {"/todos", "/", "/todos"},
        {"/todos", "", "/todos"},
        {"/todos/", "/{id}", "/todos/{id}"},
        {"api", "v1", "/api/v1"},
        {"", "~/other", "/other"},
        {ROUTE_UNKNOWN, "/both", ROUTE_UNKNOWN "/both"},
        {ROUTE_UNKNOWN "/a", "b", ROUTE_UNKNOWN "/a/b"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        buffer b = BUFFER_INIT;
        buffer_string(&b, "GET ");
        route_join(&b, cases[i].prefix, cases[i].pattern);
        buffer_u8(&b, 0);
        assert_string_equal((const char *)b.data + 4, cases[i].route);
        buffer_clear(&b);
    }
}

static void a_method_has_all_its_routes_up_to_a_length(void **state) {
    (void)state;
    ilj_image image = {.arena = {.one_by_one = true}};
    const char *routes[2] = {NULL, NULL};
    notes_search s = {.image = &image, .routes = routes};
    buffer b = BUFFER_INIT;
    buffer_string(&b, "GET /a");
    assert_true(route_give(&s, 1, &b));
    assert_string_equal(routes[1], "GET /a");
    assert_true(route_give(&s, 1, &b));
    assert_string_equal(routes[1], "GET /a, GET /a");
    while (b.size <= ROUTE_MOST)
        buffer_u8(&b, 'a');
    assert_true(route_give(&s, 1, &b));
    assert_string_equal(routes[1], "GET /a, GET /a");
    buffer_clear(&b);
    arena_clear(&image.arena);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_slash_stands_where_they_meet_and_none_at_the_end),
        cmocka_unit_test(a_method_has_all_its_routes_up_to_a_length),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
