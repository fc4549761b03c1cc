/* Notes of names resources: routes, and whose part a closure is. */
#include "names_unit.h"

typedef struct maker_note {
    unsigned step, home;
    const char *route;
} maker_note;

/* A module of six methods: a function, two lambdas, closures of F# and a sequence that the function makes. The notes
 * stand after no reasons, no types and no places. */
static void make_noted(buffer *resource, const maker_note *notes, unsigned count, uint16_t flags, unsigned claimed) {
    buffer b = BUFFER_INIT;
    maker_lists l = {0};
    maker_type(&l, 0, "N", "App", NULL);
    maker_type(&l, 1, "", "<>c", NULL);
    maker_type(&l, 1, "", "total@18", NULL);
    maker_type(&l, 1, "", "main@20-1", NULL);
    maker_type(&l, 1, "", "inner@19", NULL);
    maker_method(&l, 0, 1, 1, "main", NULL, "string[]");
    maker_method(&l, 0, 2, 1, "Get", NULL, "int");
    maker_method(&l, 1, 3, 8, "<main>b__0_0", NULL, "int");
    maker_method(&l, 2, 4, 0, "Invoke", NULL, "int");
    maker_method(&l, 3, 5, 0, "Invoke", NULL, "int");
    maker_machine(&l, 4, 6, 32, "GenerateNext", NULL, "ref IEnumerable<int>", 1);
    maker_join(&b, &l, "M", "A", l.types, l.methods);
    for (int i = 0; i < 3; i++) /* no reasons, types, places */
        buffer_varuint(&b, 0);
    buffer_varuint(&b, claimed);
    for (unsigned i = 0; i < count; i++) {
        buffer_varuint(&b, notes[i].step);
        buffer_varuint(&b, notes[i].home);
        maker_strz(&b, notes[i].route);
    }
    maker_flags = flags;
    maker_names(resource, &b, 6, 1);
    maker_flags = 0;
    buffer_clear(&b);
}

static const maker_note good_notes[] = {
    {1, 0, "GET /a/{id}"}, {1, 0, "POST /a"}, {1, 1, ""}, {1, 1, ""}, {1, 1, ""},
};

static void shows(const names *n, uint32_t method, const char *expected) {
    buffer b = BUFFER_INIT;
    names_parts parts;
    names_of_method(&b, &parts, n, method, false);
    buffer_u8(&b, 0);
    assert_string_equal((const char *)b.data, expected);
    buffer_clear(&b);
}

static void notes_say_routes_and_whose_part_a_closure_is(void **state) {
    (void)state;
    buffer resource = BUFFER_INIT, place = BUFFER_INIT;
    arena a = {.one_by_one = true};
    names n;
    names_parts parts;
    const char *fault;
    make_noted(&resource, good_notes, 5, 6, 5);
    assert_int_equal(names_read(&n, &fault, &a, buffer_bytes(&resource), &(names_room){0}), ECMA_OK);
    shows(&n, 0, "N.App.main(string[])");
    shows(&n, 1, "N.App.Get(int) [GET /a/{id}]");
    shows(&n, 2, "POST /a");
    shows(&n, 3, "N.App.main.total@18(int)");
    shows(&n, 4, "N.App.main@20-1(int)");
    shows(&n, 5, "N.App.main.inner@19 [iterator]");
    assert_true(names_is_route(&n, 2));
    assert_false(names_is_route(&n, 1));
    names_of_place(&place, &parts, &n, 2);
    assert_int_equal(parts.parameters, strlen("N.App.main.lambda#1"));
    assert_memory_equal(place.data, "N.App.main.lambda#1(int)", parts.suffix);
    name_is(&n, 2, true, "N.App/<>c::<main>b__0_0(int)");
    arena_clear(&a);
    buffer_clear(&place);
    buffer_clear(&resource);
}

/* A reader of before, to which the flag means nothing, ends before them. */
static void notes_can_be_passed_over(void **state) {
    (void)state;
    buffer resource = BUFFER_INIT;
    arena a = {.one_by_one = true};
    names n;
    const char *fault;
    make_noted(&resource, good_notes, 5, 2, 5);
    assert_int_equal(names_read(&n, &fault, &a, buffer_bytes(&resource), &(names_room){0}), ECMA_OK);
    shows(&n, 0, "N.App.main(string[]) [iterator]");
    shows(&n, 1, "N.App.Get(int)");
    shows(&n, 2, "N.App.main.lambda#1(int)");
    arena_clear(&a);
    buffer_clear(&resource);
}

static void notes_are_checked(void **state) {
    (void)state;
    static const struct {
        maker_note note;
        unsigned claimed;
        const char *part;
    } cases[] = {
        {{6, 0, "GET /a"}, 1, "method that does not exist"},
        {{0, 7, ""}, 1, "method that does not exist"},
        {{0, 1, ""}, 2, "past the end"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        buffer resource = BUFFER_INIT;
        make_noted(&resource, &cases[i].note, 1, 6, cases[i].claimed);
        names_fault(&resource, cases[i].part);
        buffer_clear(&resource);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(notes_say_routes_and_whose_part_a_closure_is),
        cmocka_unit_test(notes_can_be_passed_over),
        cmocka_unit_test(notes_are_checked),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
