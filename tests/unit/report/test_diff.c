/* Comparing: how methods are matched, what is noise, when a condition holds. */
#include "report/diff/write.h"
#include "report/model/ticks.h"
#include "report_unit.h"

typedef struct method {
    const char *name;
    uint64_t calls, ns;
} method;

/* The next profiles' times are by ticks, a millisecond between two. */
static bool by_ticks;

/* A profile with methods of type N.T<A>, all called by the root. */
static void make(buffer *file, const char *assembly, const method *methods, unsigned count) {
    buffer b = BUFFER_INIT, names = BUFFER_INIT;
    maker_header(file, 1, 0);
    maker_run(file, by_ticks ? (const char *const[]){"ticks_per_second", "1000000000", "clock_ticks", "1000",
                                                     "clock_step_ns", "1000000", NULL}
                             : (const char *const[]){"ticks_per_second", "1000000000", NULL});
    maker_lists l = {0};
    maker_type(&l, 0, "N", "T`1", "A");
    for (unsigned i = 0; i < count; i++)
        maker_method(&l, 0, i + 1, 0, methods[i].name, NULL, "int, System.Func<A, int>");
    maker_join(&b, &l, "M.dll", assembly, 1, count);
    maker_names(&names, &b, count, 1);
    b.size = 0;
    buffer_varuint(&b, 1);
    maker_module(&b, SAMPLE_BASE, count, assembly, 1, buffer_bytes(&names));
    maker_section(file, "MODS", &b);
    maker_thread(&b, 1, "t", 1, count + 1);
    maker_node(&b, count, 0, 0, 0, 0, 0, 0);
    for (unsigned i = 0; i < count; i++)
        maker_node(&b, 0, SAMPLE_BASE + i, methods[i].calls, methods[i].ns, 0, 0, 0);
    maker_section(file, "THRD", &b);
    maker_end(file);
    buffer_clear(&b);
    buffer_clear(&names);
}

static bool add(diff *d, const buffer *file) {
    diag told = {.file = "x"};
    profile p = PROFILE_INIT;
    aggregate sum = AGGREGATE_INIT;
    bool done = profile_read(&p, buffer_bytes(file), &told) == ECMA_OK;
    if (done) {
        done = aggregate_profile(&sum, &p, 0, NULL, &told) == ECMA_OK && ticks_widen(&sum, &p, 1) &&
               aggregate_finish(&sum, &told) == ECMA_OK && diff_add(d, &sum, profile_runs_in(&p.run));
        profile_clear(&p);
    }
    aggregate_clear(&sum);
    return done;
}

static void add_methods(diff *d, const method *methods, unsigned count) {
    buffer file = BUFFER_INIT;
    make(&file, "M, Version=1.0", methods, count);
    assert_true(add(d, &file));
    buffer_clear(&file);
}

/* One method in several runs, with a companion that sets the typical spread. */
static void compare(diff *d, const uint64_t *before, uint32_t n, const uint64_t *after, uint32_t m, bool calls) {
    *d = DIFF_INIT;
    diff_start(d, n, m);
    for (uint32_t i = 0; i < n + m; i++) {
        uint64_t value = i < n ? before[i] : after[i - n];
        const method methods[] = {{"a", calls ? value : 1, calls ? 1000 : value},
                                  {"b", 1, 100000000 + (i % 3) * 1000000}}; /* about 1 % */
        add_methods(d, methods, 2);
    }
    assert_true(diff_judge(d));
    assert_int_equal(d->methods.count, 2);
    assert_memory_equal(d->functions[0].name.data, "N.T<A>.a(", 9);
}

static diff_verdict verdict(const uint64_t *before, uint32_t n, const uint64_t *after, uint32_t m, bool calls) {
    diff d;
    compare(&d, before, n, after, m, calls);
    diff_verdict found = diff_of(&d, &d.methods, 0, calls ? DIFF_CALLS : DIFF_EXCLUSIVE).verdict;
    diff_clear(&d);
    return found;
}
#define VERDICT(calls, before, after)                                                                                  \
    verdict(before, sizeof(before) / sizeof *(before), after, sizeof(after) / sizeof *(after), calls)
#define RUNS(...)                                                                                                      \
    (const uint64_t[]) {                                                                                               \
        __VA_ARGS__                                                                                                    \
    }

static void times_change_beyond_noise_alone(void **state) {
    (void)state;
    assert_int_equal(VERDICT(false, RUNS(1000, 1010, 990), RUNS(1200, 1210, 1190)), DIFF_MORE);
    assert_int_equal(VERDICT(false, RUNS(1200, 1210, 1190), RUNS(1000, 1010, 990)), DIFF_LESS);
    assert_int_equal(VERDICT(false, RUNS(1000, 1010, 990), RUNS(1005, 1015, 995)), DIFF_SAME);
    /* The same step between runs that vary a lot is noise. */
    assert_int_equal(VERDICT(false, RUNS(700, 1300, 1000), RUNS(900, 1500, 1200)), DIFF_SAME);
    /* Runs that happen to agree do not make a small change certain: others vary by 1 %. */
    assert_int_equal(VERDICT(false, RUNS(1000, 1000), RUNS(1010, 1010)), DIFF_SAME);
    assert_int_equal(VERDICT(false, RUNS(1000, 1000), RUNS(1200, 1200)), DIFF_MORE);
    /* With one run a side every change is one. */
    assert_int_equal(VERDICT(false, RUNS(1000), RUNS(1001)), DIFF_MORE);
    assert_int_equal(VERDICT(false, RUNS(0, 0, 0), RUNS(0, 0, 0)), DIFF_SAME);
}

/* 100 ms are 100 ticks, which vary by a tenth. One run a side, 115 ms: ln 1.15 = 0.14 is less than 2.576 * sqrt(1 / 100
 * + 1 / 115) = 0.353, and ln 2 = 0.69 is more than 0.315. Three runs that agree: ln 1.2 = 0.18 is less than 3.355 *
 * sqrt((1 / 100 + 1 / 120) / 3) = 0.262, and ln 1.4 = 0.34 is more than 0.254. */
static void a_change_within_the_chance_of_ticks_is_none(void **state) {
    (void)state;
    enum { MS = 1000000 };
    by_ticks = true;
    assert_int_equal(VERDICT(false, RUNS(100 * MS), RUNS(115 * MS)), DIFF_SAME);
    assert_int_equal(VERDICT(false, RUNS(100 * MS), RUNS(200 * MS)), DIFF_MORE);
    assert_int_equal(VERDICT(false, RUNS(200 * MS), RUNS(100 * MS)), DIFF_LESS);
    assert_int_equal(VERDICT(false, RUNS(100 * MS, 100 * MS, 100 * MS), RUNS(120 * MS, 120 * MS, 120 * MS)), DIFF_SAME);
    assert_int_equal(VERDICT(false, RUNS(100 * MS, 100 * MS, 100 * MS), RUNS(140 * MS, 140 * MS, 140 * MS)), DIFF_MORE);
    assert_int_equal(VERDICT(true, RUNS(100), RUNS(101)), DIFF_MORE);
    diff d;
    compare(&d, RUNS(100 * MS), 1, RUNS(200 * MS), 1, false);
    const double least = diff_least_after(&d, &d.methods, 0, DIFF_EXCLUSIVE);
    assert_true(least > 166.6 * MS && least < 166.8 * MS); /* 200 ms by e to the 2.576 * sqrt(1 / 200) */
    diff_clear(&d);
    by_ticks = false;
    assert_int_equal(VERDICT(false, RUNS(100 * MS), RUNS(115 * MS)), DIFF_MORE);
}

static void counts_change_when_their_ranges_do_not_meet(void **state) {
    (void)state;
    assert_int_equal(VERDICT(true, RUNS(10, 10, 10), RUNS(11, 11, 11)), DIFF_MORE);
    assert_int_equal(VERDICT(true, RUNS(10, 12, 10), RUNS(12, 13, 14)), DIFF_SAME);
    assert_int_equal(VERDICT(true, RUNS(10, 12, 10), RUNS(9, 9, 8)), DIFF_LESS);
    assert_int_equal(VERDICT(true, RUNS(10), RUNS(10)), DIFF_SAME);
}

static void noise_is_what_the_statistic_says(void **state) {
    (void)state;
    diff d;
    compare(&d, RUNS(1000, 1000, 1000), 3, RUNS(2000, 2000, 2000), 3, false);
    /* For the companion: ln of 1, 1.01, 1.02 on both sides, s = 0.0099018; only the prior counts for the method:
     * s' = s * sqrt(4 / 8), half = 3.355 * s' * sqrt(2 / 3) = 0.019179. */
    assert_true(d.spread[DIFF_EXCLUSIVE] > 0.00990 && d.spread[DIFF_EXCLUSIVE] < 0.00991);
    diff_change c = diff_of(&d, &d.methods, 0, DIFF_EXCLUSIVE);
    assert_true(c.noise > 0.01935 && c.noise < 0.01938);
    /* ln(2001 / 1001) - 0.019179 = 0.673468: 1.961024 times as much */
    assert_true(c.least_change > 960.9 && c.least_change < 961.2);
    diff_clear(&d);
}

static void noise_is_shown_in_percent(void **state) {
    (void)state;
    static const char *const files[] = {"a", "b", "c", "d", "e", "f"};
    const ilj_diff_options options = {.top = 5, .width = 200};
    diff d;
    result r = {0};
    printer out = {.write = collect, .user = &r};
    compare(&d, RUNS(1000, 1000, 1000), 3, RUNS(2000, 2000, 2000), 3, false);
    diff_view v = {
        .d = &d, .table = &d.methods, .options = &options, .metric = DIFF_OWN, .sides = {{files, 3}, {files + 3, 3}}};
    assert_true(diff_view_make(&v));
    diff_write_text(&out, &v);
    print_flush(&out);
    buffer_u8(&r.text, 0);
    /* The half width of above, 0.019179, as a factor: e to that is 1.019364. */
    if (!strstr((const char *)r.text.data, " 1.9 %"))
        fail_msg("%s", (const char *)r.text.data);
    diff_view_clear(&v);
    diff_clear(&d);
    buffer_clear(&r.text);
}

/* A method that the runs before do not have says nothing about noise, however long it takes. */
static void a_method_of_one_side_does_not_set_the_noise(void **state) {
    (void)state;
    static const uint64_t far_apart[] = {1000000000, 5000000000, 20000000000};
    diff d = DIFF_INIT;
    diff_start(&d, 3, 3);
    for (uint32_t i = 0; i < 6; i++) {
        const method methods[] = {{"b", 1, 100000000 + (i % 3) * 1000000}, {"new", 1, far_apart[i % 3]}};
        add_methods(&d, methods, i < 3 ? 1 : 2);
    }
    assert_true(diff_judge(&d));
    assert_int_equal(d.methods.count, 2);
    assert_true(d.spread[DIFF_EXCLUSIVE] > 0.00990 && d.spread[DIFF_EXCLUSIVE] < 0.00991);
    diff_clear(&d);
}

/* The sample's paths as JSON (docs/diff.md, "The JSON"): each one's parent stands before it and is one level
 * up; those at the top have none. The tree has more than one level. */
static void paths_of_JSON_name_their_parents(void **state) {
    (void)state;
    buffer file = BUFFER_INIT;
    sample_profile(&file);
    static const char *const files[] = {"a", "b"};
    const ilj_diff_options options = {.by_path = true, .top = 5, .width = 60};
    diff d = DIFF_INIT;
    result r = {0};
    printer out = {.write = collect, .user = &r};
    json_error_t error;
    diff_start(&d, 1, 1);
    assert_true(add(&d, &file) && add(&d, &file) && diff_judge(&d));
    diff_view v = {
        .d = &d, .table = &d.paths, .options = &options, .metric = DIFF_OWN, .sides = {{files, 1}, {files + 1, 1}}};
    assert_true(diff_view_make(&v));
    diff_write_json(&out, &v);
    print_flush(&out);
    json_t *root = json_loadb((const char *)r.text.data, r.text.size, JSON_REJECT_DUPLICATES, &error);
    assert_non_null(root);
    const json_t *paths = json_object_get(root, "paths");
    long long deepest = 0, top = 0;
    size_t i;
    json_t *path;
    json_array_foreach(paths, i, path) {
        long long depth = number_at(path, "depth");
        const json_t *parent = json_object_get(path, "parent");
        deepest = depth > deepest ? depth : deepest;
        top += depth == 1;
        if (depth == 1) {
            assert_true(json_is_null(parent));
            continue;
        }
        assert_true(json_is_integer(parent) && json_integer_value(parent) < (long long)i);
        assert_int_equal(number_at(json_array_get(paths, (size_t)json_integer_value(parent)), "depth"), depth - 1);
    }
    assert_true(deepest > 1 && top > 0);
    json_decref(root);
    diff_view_clear(&v);
    diff_clear(&d);
    buffer_clear(&r.text);
    buffer_clear(&file);
}

static bool holds(const char *condition, const uint64_t *before, uint32_t n, const uint64_t *after, uint32_t m,
                  bool calls) {
    diff d;
    arena memory = ARENA_INIT;
    diff_gate g;
    char fault[DIFF_FAULT];
    buffer scratch = BUFFER_INIT;
    compare(&d, before, n, after, m, calls);
    assert_int_equal(diff_gate_parse(&g, condition, &memory, fault), ECMA_OK);
    bool found = diff_gate_names(&g, &d.functions[0], &scratch) && diff_gate_holds(&g, &d, 0);
    diff_clear(&d);
    arena_clear(&memory);
    buffer_clear(&scratch);
    return found;
}
#define HOLDS(condition, calls, before, after)                                                                         \
    holds(condition, before, sizeof(before) / sizeof *(before), after, sizeof(after) / sizeof *(after), calls)

static void conditions_hold_for_what_is_certain(void **state) {
    (void)state;
    assert_true(HOLDS("N: exclusive > +10%", false, RUNS(1000, 1000, 1000), RUNS(1200, 1200, 1200)));
    assert_false(HOLDS("N: exclusive > +20%", false, RUNS(1000, 1000, 1000), RUNS(1200, 1200, 1200)));
    /* 12 % more, but noise leaves no more than 9.9 %. */
    assert_false(HOLDS("N: exclusive > +10%", false, RUNS(1000, 1000, 1000), RUNS(1120, 1120, 1120)));
    assert_true(HOLDS("N: exclusive > +10%", false, RUNS(1000), RUNS(1120)));
    assert_true(HOLDS("N: exclusive > +100ns", false, RUNS(1000, 1000, 1000), RUNS(1200, 1200, 1200)));
    assert_false(HOLDS("N: exclusive > +200 ns", false, RUNS(1000, 1000, 1000), RUNS(1200, 1200, 1200)));
    assert_true(HOLDS("N: exclusive > 1.1us", false, RUNS(1000, 1000, 1000), RUNS(1200, 1200, 1200)));
    assert_false(HOLDS("N: exclusive > 1.2us", false, RUNS(1000, 1000, 1000), RUNS(1200, 1200, 1200)));
    assert_true(HOLDS("N: inclusive > +10%", false, RUNS(1000, 1000, 1000), RUNS(1200, 1200, 1200)));
    assert_true(HOLDS("N: calls > +10%", true, RUNS(10, 10), RUNS(12, 12)));
    assert_false(HOLDS("N: calls > +10%", true, RUNS(10, 11), RUNS(12, 13)));
    assert_true(HOLDS("N: calls > +0", true, RUNS(10, 11), RUNS(12, 13)));
    assert_true(HOLDS("N: calls > 11", true, RUNS(10, 11), RUNS(12, 13)));
    assert_false(HOLDS("N: calls > 12", true, RUNS(10, 11), RUNS(12, 13)));
    assert_false(HOLDS("N: exceptions > 0", true, RUNS(10, 11), RUNS(12, 13)));
}

/* 200 ns more are 20 % of 1000 ns. */
static void of_joined_limits_each_has_to_be_exceeded(void **state) {
    (void)state;
    static const struct {
        const char *condition;
        bool holds;
    } cases[] = {
        {"N: exclusive > +10% and +100ns", true},
        {"N: exclusive > +10%and+100ns", true},
        {"N: exclusive > +100ns and +10%", true},
        {"N: exclusive > +10% and +200ns", false},
        {"N: exclusive > +20% and +100ns", false},
        {"N: exclusive > +10% and 1.1us", true},
        {"N: exclusive > +10% and 1.2us", false},
        {"N: exclusive > +10% and +100ns and 1.1us and 1us", true},
        {"N: exclusive > +10% and +100ns and 1.1us and 2us", false},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++)
        if (HOLDS(cases[i].condition, false, RUNS(1000), RUNS(1200)) != cases[i].holds)
            fail_msg("%s", cases[i].condition);
    assert_true(HOLDS("N: calls > +10% and +1", true, RUNS(10), RUNS(12)));
    assert_false(HOLDS("N: calls > +10% and +2", true, RUNS(10), RUNS(12)));
}

static void patterns_name_methods_as_they_are_shown(void **state) {
    (void)state;
    static const char *const names[] = {"N",
                                        "N.T",
                                        "N.T`1",
                                        "N.T.a",
                                        "*.T.a",
                                        "**.a",
                                        "N.*",
                                        "[M]N.T.a",
                                        "[M]",
                                        "N.T.?",
                                        "N.T.a(int, System.Func<A, int>)",
                                        "**.a(int, **)",
                                        "N.T.a(**)"};
    static const char *const others[] = {"T", "N.T.b", "N.T.a.b", "[X]N.T.a", "N.T.a(int)", "*", "N.T.a()", "N.U"};
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        char condition[100];
        snprintf(condition, sizeof condition, "%s : calls > 0", names[i]);
        bool star = strcmp(names[i], "*") == 0;
        if (!star && !HOLDS(condition, true, RUNS(1), RUNS(1)))
            fail_msg("%s does not name the method", names[i]);
    }
    for (size_t i = 0; i < sizeof others / sizeof others[0]; i++) {
        char condition[100];
        snprintf(condition, sizeof condition, "%s: calls > 0", others[i]);
        if (strcmp(others[i], "*") != 0 && HOLDS(condition, true, RUNS(1), RUNS(1)))
            fail_msg("%s names the method", others[i]);
    }
}

static void wrong_conditions_are_told(void **state) {
    (void)state;
    static const char *const wrong[][2] = {
        {"", "expected PATTERN: METRIC > LIMIT"},
        {"N: calls", "expected PATTERN: METRIC > LIMIT"},
        {"N: speed > +1%", "expected calls, exclusive, inclusive, exceptions, or bytes, objects, collections or pause, "
                           "alone or after inclusive-, not 'speed'"},
        {"N: bytes > 5ms", "expected bytes, with or without B, kB, MB, KiB or MiB, not '5ms'"},
        {"N: exclusive > 10%", "expected +10%"},
        {"N: exclusive > +5", "expected a time with its unit"},
        {"N: calls > +5ms", "expected a count without a unit"},
        {"N: calls > +", "expected a limit like"},
        {"N: calls > +1.2.3", "without a unit"},
        {"N: calls > 99999999999999999999", "expected a limit like"},
        {"N: exclusive > and +5ms", "expected a limit like +10%, +5ms, 5ms, +100 or 100, not ''"},
        {"N: exclusive > +10% and", "expected a limit like +10%, +5ms, 5ms, +100 or 100, not ''"},
        {"N: exclusive > +10% and 5", "expected a time with its unit, ns, us, ms or s, not '5'"},
        {"N: exclusive > +10% or +5ms", "expected a time with its unit"},
        {"N: exclusive > +10% and exclusive > +5ms", "expected a limit like"},
        {"N: calls > 1 and 2 and 3 and 4 and 5", "expected at most 4 limits, not '5'"},
        {": calls > 1", "the pattern '': it is empty"},
        {"@A.B: calls > 1", "knows no attributes"},
    };
    for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++) {
        arena memory = ARENA_INIT;
        diff_gate g;
        char fault[DIFF_FAULT] = "";
        assert_int_equal(diff_gate_parse(&g, wrong[i][0], &memory, fault), ECMA_CONFIG);
        if (!strstr(fault, wrong[i][1]))
            fail_msg("'%s' is told as '%s'", wrong[i][0], fault);
        arena_clear(&memory);
    }
}

static void methods_of_one_name_are_matched_by_their_order(void **state) {
    (void)state;
    diff d = DIFF_INIT;
    diff_start(&d, 1, 1);
    add_methods(&d, (const method[]){{"x", 1, 1}, {"same", 2, 1}, {"same", 3, 1}}, 3);
    add_methods(&d, (const method[]){{"same", 4, 1}, {"y", 6, 1}, {"same", 5, 1}, {"same", 7, 1}}, 4);
    assert_int_equal(d.methods.count, 5);
    static const uint64_t calls[][2] = {{2, 4}, {3, 5}, {1, 0}, {0, 7}, {0, 6}};
    unsigned found = 0;
    for (uint32_t i = 0; i < d.methods.count; i++)
        for (size_t k = 0; k < 5; k++)
            found += diff_value(&d, &d.methods, i, DIFF_CALLS, 0) == (double)calls[k][0] &&
                     diff_value(&d, &d.methods, i, DIFF_CALLS, 1) == (double)calls[k][1];
    assert_int_equal(found, 5);
    diff_clear(&d);
}

static void assemblies_are_told_apart_versions_are_not(void **state) {
    (void)state;
    static const char *const assemblies[] = {"M, Version=1.0", "M, Version=2.0", "K, Version=1.0"};
    diff d = DIFF_INIT;
    diff_start(&d, 1, 2);
    for (int i = 0; i < 3; i++) {
        buffer file = BUFFER_INIT;
        make(&file, assemblies[i], (const method[]){{"x", 1, 1}}, 1);
        assert_true(add(&d, &file));
        buffer_clear(&file);
    }
    assert_int_equal(d.methods.count, 2);
    diff_clear(&d);
}

static void every_allocation_may_fail(void **state) {
    (void)state;
    buffer files[2] = {BUFFER_INIT, BUFFER_INIT};
    sample_profile(&files[0]);
    make(&files[1], "Shop, Version=9", (const method[]){{"x", 1, 1}, {"x", 1, 1}}, 2);
    ilj_diff_options options = {.by_path = true};
    long n = 0;
    for (bool failed = true; failed || options.by_path; n++) {
        if (!failed) { /* all is done for paths: now the same for methods */
            options.by_path = false;
            n = 0;
        }
        diff d = DIFF_INIT;
        diff_view v = {
            .d = &d, .table = options.by_path ? &d.paths : &d.methods, .options = &options, .metric = DIFF_OWN};
        diff_start(&d, 1, 2);
        allocations_left = n;
        one_failed = false;
        bool done =
            add(&d, &files[0]) && add(&d, &files[1]) && add(&d, &files[0]) && diff_judge(&d) && diff_view_make(&v);
        allocations_left = -1;
        failed = one_failed;
        assert_int_equal(done, !failed);
        diff_view_clear(&v);
        diff_clear(&d);
    }
    assert_true(n > 50);
    buffer_clear(&files[0]);
    buffer_clear(&files[1]);
}

/* Sums and averages of counts stop where one count does. */
static void counts_are_shown_up_to_the_most_that_one_has(void **state) {
    (void)state;
    assert_string_equal(diff_format_count(2.56).text, "2.6");
    assert_string_equal(diff_format_count(0x1p63).text, diff_format_count((double)PROFILE_MAX).text);
    assert_string_equal(diff_format_count(0x1p70).text, format_count(PROFILE_MAX).text);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(times_change_beyond_noise_alone),
        cmocka_unit_test(a_change_within_the_chance_of_ticks_is_none),
        cmocka_unit_test(counts_change_when_their_ranges_do_not_meet),
        cmocka_unit_test(noise_is_what_the_statistic_says),
        cmocka_unit_test(noise_is_shown_in_percent),
        cmocka_unit_test(counts_are_shown_up_to_the_most_that_one_has),
        cmocka_unit_test(a_method_of_one_side_does_not_set_the_noise),
        cmocka_unit_test(paths_of_JSON_name_their_parents),
        cmocka_unit_test(conditions_hold_for_what_is_certain),
        cmocka_unit_test(of_joined_limits_each_has_to_be_exceeded),
        cmocka_unit_test(patterns_name_methods_as_they_are_shown),
        cmocka_unit_test(wrong_conditions_are_told),
        cmocka_unit_test(methods_of_one_name_are_matched_by_their_order),
        cmocka_unit_test(assemblies_are_told_apart_versions_are_not),
        cmocka_unit_test(every_allocation_may_fail),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
