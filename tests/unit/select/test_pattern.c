/* Patterns: what each part of the language matches, and what is refused. */
#include "unit.h"

#include "select/pattern.h"

/* Feeds up to four pieces, "" ends them, as the namespace, types and method of one name. */
static bool matches(const char *text, const char *const *pieces, const char *parameters) {
    arena a = {.one_by_one = true};
    pattern p;
    const char *fault = NULL;
    assert_int_equal(pattern_compile(&p, text, &a, &fault), ECMA_OK);
    pattern_state state = pattern_start(&p);
    for (unsigned i = 0; pieces[i]; i++) {
        bytes piece = bytes_of(pieces[i], strlen(pieces[i]));
        bool before = pattern_accepts(&p, state);
        state = pattern_feed(&p, state, piece);
        if (pattern_accepts(&p, state) && !before)
            assert_true(pattern_may_end_in(&p, piece));
    }
    bool matched = pattern_accepts(&p, state);
    if (matched && p.has_parameters) {
        uint8_t copy[256];
        memcpy(copy, parameters, strlen(parameters));
        matched = pattern_matches_parameters(&p, copy, strlen(parameters));
    }
    arena_clear(&a);
    return matched;
}
#define NAME(...) ((const char *const[]){__VA_ARGS__, NULL})

typedef struct expectation {
    const char *pattern;
    bool matched;
} expectation;

static void expect(const expectation *rows, size_t count, const char *const *name, const char *parameters) {
    for (size_t i = 0; i < count; i++)
        if (matches(rows[i].pattern, name, parameters) != rows[i].matched)
            fail_msg("'%s' should %smatch", rows[i].pattern, rows[i].matched ? "" : "not ");
}
#define EXPECT(rows, name, parameters) expect(rows, sizeof rows / sizeof rows[0], name, parameters)

static void a_pattern_stands_for_all_that_is_in_what_it_names(void **state) {
    (void)state;
    static const expectation rows[] = {
        {"App", true},
        {"App.Data", true},
        {"App.Data.Store", true},
        {"App.Data.Store.Load", true},
        {"App.Data.Store.Load.More", false},
        {"App.Dat", false},
        {"app.Data", false},
        {"Data", false},
        {"Store.Load", false},
        {"  App.Data  ", true},
        {"App/Data/Store", true},
    };
    EXPECT(rows, NAME("App.Data", "Store", "Load"), "");
}

static void stars_stay_within_a_part_double_stars_do_not(void **state) {
    (void)state;
    static const expectation rows[] = {
        {"*", true},
        {"**", true},
        {"*.*.*.*", true},
        {"*.*.*.*.*", false},
        {"**.Load", true},
        {"**.Lo?d", true},
        {"**.L*", true},
        {"**.*d", true},
        {"**.*o*a*", true},
        {"**.L*x", false},
        {"*.Load", false},
        {"App.*.Store", true},
        {"App.*.Load", false},
        {"App.**.Load", true},
        {"App.**.Data.Store", true}, /* no part at all */
        {"App.Data.Store.Load.**", true},
        {"App.Data.Store.Load.*", false},
        {"**.Data.**.Load", true},
        {"**.Load.**.Data", false},
        {"A??.Data", true},
        {"A?.Data", false},
        {"App*", true},
        {"Ap*.D*", true},
    };
    EXPECT(rows, NAME("App.Data", "Store", "Load"), "");
}

static void a_character_counts_as_one_whatever_its_bytes(void **state) {
    (void)state;
    static const expectation rows[] = {{"Gr?n", true}, {"Gr??n", false}, {"Gr*n", true}, {"Grün", true}};
    EXPECT(rows, NAME("Grün"), "");
}

static void nested_types_and_arities_are_written_or_not(void **state) {
    (void)state;
    static const expectation rows[] = {
        {"N.Outer.Inner", true},   {"N.Outer/Inner", true},    {"N.Outer`1/Inner`2.Add", true},
        {"N.Outer`1.Inner", true}, {"N.Outer`2.Inner", false}, {"N.Oute.Inner", false},
        {"N.*r.Inn?r", true},      {"N.Outer`?", true},
    };
    EXPECT(rows, NAME("N", "Outer`1", "Inner`2", "Add"), "");
}

static void constructors_and_explicit_implementations_have_names(void **state) {
    (void)state;
    static const expectation constructor[] = {
        {"N.T..ctor", true},      {"N.T..cctor", false}, {"**..ctor", true},  {"N.T.*", true},
        {"N.T..ctor(int)", true}, {"**..?tor(*)", true}, {"N.T.ctor", false},
    };
    EXPECT(constructor, NAME("N", "T", ".ctor"), "int");
    static const expectation explicit_one[] = {
        {"N.T.System.IDisposable.Dispose", true}, {"**.Dispose()", true}, {"N.T.Dispose", false}};
    EXPECT(explicit_one, NAME("N", "T", "System.IDisposable.Dispose"), "");
    static const expectation global[] = {{"Main", true}, {"Main()", true}, {"*.Main", false}, {"**.Main", true}};
    EXPECT(global, NAME("", "Main"), "");
}

static void parameters_are_matched_one_by_one(void **state) {
    (void)state;
    static const expectation rows[] = {
        {"T.F", true},
        {"T.F()", false},
        {"T.F(**)", true},
        {"T.F(*)", false},
        {"T.F(*, *, *)", true},
        {"T.F(*,*,*)", true},
        {"T.F(int, **)", true},
        {"T.F(**, out byte)", true},
        {"T.F(**, int, **)", true},
        {"T.F(**, long, **)", false},
        {"T.F(int, Dictionary<string, int[,]>, out byte)", true},
        {"T.F(int,Dictionary<string,int[,]>,out byte)", true},
        {"T.F(int, Dict*, out *)", true},
        {"T.F(int, Dict*, ref *)", false},
        {"T(**)", false}, /* with parameters, methods only */
        {"**(int, **)", true},
        {"**.F(int, *)", false},
    };
    EXPECT(rows, NAME("", "T", "F"), "int, Dictionary<string, int[,]>, out byte");
    static const expectation none[] = {{"T.F()", true}, {"T.F(**)", true}, {"T.F(*)", false}, {"T.F(**,**)", true}};
    EXPECT(none, NAME("", "T", "F"), "");
    static const expectation pointers[] = {{"T.F(int**)", true}, {"T.F(int*)", true}, {"T.F(int)", false}};
    EXPECT(pointers, NAME("", "T", "F"), "int**");
}

static void assemblies_are_one_text(void **state) {
    (void)state;
    static const struct {
        const char *pattern, *name;
        bool matched;
    } rows[] = {
        {"[App]", "App", true},         {"[App]", "App.Core", false}, {"[App*]", "App.Core", true},
        {"[*.Core]", "App.Core", true}, {"[app]", "App", false},      {"App", "Other", true},
        {"[App]N.T", "App", true},      {"[?pp]@A.B", "App", true},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        arena a = ARENA_INIT;
        pattern p;
        const char *fault;
        assert_int_equal(pattern_compile(&p, rows[i].pattern, &a, &fault), ECMA_OK);
        assert_int_equal(pattern_matches_assembly(&p, bytes_of(rows[i].name, strlen(rows[i].name))), rows[i].matched);
        arena_clear(&a);
    }
    assert_true(matches("[App]", NAME("Any", "Name"), ""));
}

static void what_cannot_be_the_end_of_a_name_is_seen_at_once(void **state) {
    (void)state;
    arena a = ARENA_INIT;
    pattern p;
    const char *fault;
    assert_int_equal(pattern_compile(&p, "@Space.MarkAttribute", &a, &fault), ECMA_OK);
    assert_true(pattern_may_end_in(&p, bytes_of("Mark", 4)));
    assert_true(pattern_may_end_in(&p, bytes_of("Space.MarkAttribute", 19))); /* a dot in a type's name */
    assert_false(pattern_may_end_in(&p, bytes_of("Other", 5)));
    assert_int_equal(pattern_compile(&p, "@Space.*Attribute", &a, &fault), ECMA_OK);
    assert_true(pattern_may_end_in(&p, bytes_of("Other", 5)));
    arena_clear(&a);
}

static void what_is_no_pattern_is_refused_with_the_reason(void **state) {
    (void)state;
    char parts[400] = "", long_one[5000];
    for (int i = 0; i < 100; i++)
        strcat(parts, i ? ".a" : "a");
    memset(long_one, 'a', sizeof long_one);
    long_one[sizeof long_one - 1] = 0;
    const struct {
        const char *pattern, *fault;
    } rows[] = {
        {"", "it is empty"},
        {"  ", "it is empty"},
        {"@", "it is empty"},
        {"A.", "a name is empty"},
        {"A..", "a name is empty"},
        {"A...B", "a name is empty"},
        {"A**", "** stands for whole parts; within one write *"},
        {"A.***", "** stands for whole parts; within one write *"},
        {"[App", "[ is not closed"},
        {"[]A", "[] names no assembly"},
        {"A.B(int", "( is not closed"},
        {"A.B(int)x", "( is not closed"},
        {"A.B)", ") closes nothing"},
        {"A.B(int,)", "a parameter is empty"},
        {"A.B(,int)", "a parameter is empty"},
        {"(int)", "a name is empty"},
        {"@A.B(int)", "an attribute has no parameters here"},
        {parts, "it has too many parts"},
        {long_one, "it is longer than 4096 bytes"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        arena a = {.one_by_one = true};
        pattern p;
        const char *fault = NULL;
        if (pattern_compile(&p, rows[i].pattern, &a, &fault) != ECMA_CONFIG)
            fail_msg("'%s' is taken", rows[i].pattern);
        assert_string_equal(fault, rows[i].fault);
        arena_clear(&a);
    }
}

static void many_stars_take_no_long_time(void **state) {
    (void)state;
    char name[300], text[128] = "";
    memset(name, 'a', sizeof name);
    name[sizeof name - 1] = 0;
    for (int i = 0; i < 20; i++)
        strcat(text, "*a");
    strcat(text, "b");
    assert_false(matches(text, NAME(name), ""));
    assert_false(matches("**.a.**.a.**.a.**.a.**.a.**.b", NAME("a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a"), ""));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_pattern_stands_for_all_that_is_in_what_it_names),
        cmocka_unit_test(stars_stay_within_a_part_double_stars_do_not),
        cmocka_unit_test(a_character_counts_as_one_whatever_its_bytes),
        cmocka_unit_test(nested_types_and_arities_are_written_or_not),
        cmocka_unit_test(constructors_and_explicit_implementations_have_names),
        cmocka_unit_test(parameters_are_matched_one_by_one),
        cmocka_unit_test(assemblies_are_one_text),
        cmocka_unit_test(what_cannot_be_the_end_of_a_name_is_seen_at_once),
        cmocka_unit_test(what_is_no_pattern_is_refused_with_the_reason),
        cmocka_unit_test(many_stars_take_no_long_time),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
