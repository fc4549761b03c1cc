#include "profile_events.h"
#include "report/view/overhead.h"
#include "report_unit.h"

/* The text's views, and what is said of probes. A run of 1 s, one thread; a probe costs 50 ns of its own frame and 50
 * of its caller's, so those of Tiny 400 ms, 40 % of all; those of Load and its machine 2 ms:
 *
 *   N.T.Main()                          1 call    1,000 ms
 *     N.T`1.Tiny(int)           4,000,000 calls     500 ms     (own: 500 less 200 within, 300)
 *     N.T`1.<Go>b__0_0()           10,000 calls       1 ms
 *       N.T`1.Load()               10,000 calls       0 ms
 *         N.T`1/<Load>d__1.MoveNext() 10,000 calls    0 ms
 *     N.T`1/<>c..ctor()               100 calls       0 ms */

static void dear_profile(buffer *file) {
    buffer b = BUFFER_INIT, names = BUFFER_INIT;
    maker_lists l = {0};
    maker_type(&l, 0, "N", "T", NULL);
    maker_type(&l, 0, "N", "It's`1", "U");
    maker_type(&l, 2, "", "<Load>d__1", NULL);
    maker_type(&l, 2, "", "<>c", NULL);
    maker_method(&l, 0, 1, 1, "Main", NULL, "");
    maker_method(&l, 1, 2, 1, "Tiny", NULL, "int, List<U>");
    maker_method(&l, 1, 3, 0, "<Go>b__0_0", NULL, "");
    maker_method(&l, 1, 4, 0, "Load", NULL, "");
    maker_machine(&l, 2, 5, 16, "MoveNext", NULL, "", 4);
    maker_method(&l, 3, 6, 2, ".ctor", NULL, "");
    maker_join(&b, &l, "M.dll", "M", 4, 6);
    buffer_append(&b, "\2by rule\0\5no body\0\1", 1 + 9 + 9);
    maker_names(&names, &b, 6, 1);
    b.size = 0;
    maker_header(file, 1, 0);
    maker_run(file, (const char *const[]){"name", "Dear", "wall_ticks", "1000000000", "ticks_per_second", "1000000000",
                                          "inside_empty_ps", "50000", "outside_empty_ps", "50000", "inside_work_ps",
                                          "50000", "outside_work_ps", "50000", NULL});
    buffer_varuint(&b, 1);
    maker_module(&b, SAMPLE_BASE, 6, "M, Version=1.0.0.0", 2, buffer_bytes(&names));
    maker_section(file, "MODS", &b);
    maker_thread(&b, 1, "", 1, 7);
    maker_node(&b, 1, 0, 0, 1000000000, 0, 0, 0);
    maker_node(&b, 3, SAMPLE_BASE, 1, 1000000000, 0, 0, 0);
    maker_node(&b, 0, SAMPLE_BASE + 1, 4000000, 500000000, 0, 0, 0);
    maker_node(&b, 1, SAMPLE_BASE + 2, 10000, 5000000, 0, 0, 0);
    maker_node(&b, 1, SAMPLE_BASE + 3, 10000, 3000000, 0, 0, 0);
    maker_node(&b, 0, SAMPLE_BASE + 4, 10000, 1500000, 0, 0, 0);
    maker_node(&b, 0, SAMPLE_BASE + 5, 100, 10000, 0, 0, 0);
    maker_section(file, "THRD", &b);
    maker_section(file, "END ", &b);
    buffer_clear(&b);
    buffer_clear(&names);
}

static void assert_report(const ilj_report_options *options, const char *expected, bool whole) {
    buffer file = BUFFER_INIT;
    result r = {0};
    dear_profile(&file);
    assert_int_equal(run_on(&r, &file, 1, options), ECMA_OK);
    if (whole)
        assert_string_equal(text_of(&r), expected);
    else if (!strstr(text_of(&r), expected))
        fail_msg("no\n%s in\n%s", expected, text_of(&r));
    buffer_clear(&r.text);
    buffer_clear(&file);
}

static void dear_probes_are_told_with_a_command_to_paste(void **state) {
    (void)state;
    assert_report(&(ilj_report_options){.view = ILJ_VIEW_FUNCTIONS},
                  "Methods  6 instrumented, 5 called; 6 left out: 5 by rule, 1 no body\n", false);
    assert_report(&(ilj_report_options){.view = ILJ_VIEW_FUNCTIONS},
                  /* 4,030,101 calls, 100 ns each and a sixteenth less or more, of 1 s */
                  "Probes   took 37.8 to 42.8 % of the time, 100.0 ns a call; 99.3 % of that comes from 1 method:\n"
                  "          99.3 %  N.It's<U>.Tiny(int, List<U>), 4,000,000 calls\n"
                  "         For better figures leave these out: give ilinject --config=less.xml, which is written by\n"
                  "           ilinject report --suggest=less.xml a.ilprof\n",
                  false);
}

static void suggestions_are_a_configuration(void **state) {
    (void)state;
    assert_report(&(ilj_report_options){.format = ILJ_REPORT_SUGGESTIONS},
                  "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
                  "<!-- Methods with 99.3 % of the cost of all probes. -->\n"
                  "<ilinject>\n  <selection>\n"
                  "    <exclude pattern=\"N.It's`1.Tiny(int, List&lt;U&gt;)\"/>\n"
                  "  </selection>\n</ilinject>\n",
                  true);
}

static void without_calibration_calls_decide(void **state) {
    (void)state;
    buffer file = BUFFER_INIT;
    result r = {0};
    dear_profile(&file);
    /* As if it were not calibrated: by calls; Tiny has nearly all of them. */
    for (size_t i = 0; i + 5 <= file.size; i++)
        if (memcmp(file.data + i, "MODS", 4) == 0) {
            buffer rest = BUFFER_INIT, plain = BUFFER_INIT;
            buffer_append(&rest, file.data + i, file.size - i);
            maker_header(&plain, 1, 0);
            maker_run(&plain, (const char *const[]){"ticks_per_second", "1000000000", NULL});
            buffer_append(&plain, rest.data, rest.size);
            buffer_clear(&rest);
            buffer_clear(&file);
            file = plain;
            break;
        }
    ilj_report_options options = {.format = ILJ_REPORT_SUGGESTIONS};
    assert_int_equal(run_on(&r, &file, 1, &options), ECMA_OK);
    assert_non_null(strstr(text_of(&r), "of all calls; the cost of the probes was not measured"));
    assert_non_null(strstr(text_of(&r), "Tiny"));
    buffer_clear(&r.text);
    buffer_clear(&file);
}

static void keep_pattern(void *user, bytes pattern) {
    buffer_append(user, pattern.data, pattern.size);
    buffer_u8(user, ';');
}

static void a_method_is_left_out_with_its_machine(void **state) {
    (void)state;
    arena a = {.one_by_one = true};
    buffer resource = BUFFER_INIT, data = BUFFER_INIT, scratch = BUFFER_INIT, patterns = BUFFER_INIT;
    maker_lists l = {0};
    maker_type(&l, 0, "", "Outer", NULL);
    maker_type(&l, 1, "", "In`2", "A,B");
    maker_type(&l, 2, "", "<Load>d__0", NULL);
    maker_method(&l, 1, 1, 2, ".ctor", NULL, "");
    maker_method(&l, 1, 2, 0, "Load", NULL, "A");
    maker_machine(&l, 2, 3, 16, "MoveNext", NULL, "", 2);
    maker_machine(&l, 2, 4, 0, "Other", NULL, "", 2);
    maker_join(&data, &l, "M", "A", 3, 4);
    maker_names(&resource, &data, 4, 1);
    names n;
    const char *fault;
    assert_int_equal(names_read(&n, &fault, &a, buffer_bytes(&resource), &(names_room){0}), ECMA_OK);
    overhead_patterns(&(report_function){.names = &n, .method = 1}, &scratch, keep_pattern, &patterns);
    overhead_patterns(&(report_function){.names = &n, .method = 0}, &scratch, keep_pattern, &patterns);
    static const char expected[] = "Outer.In`2.Load(A);Outer.In`2.<Load>d__0.MoveNext();Outer.In`2..ctor();";
    assert_true(bytes_equal(buffer_bytes(&patterns), bytes_of(expected, sizeof expected - 1)));
    arena_clear(&a);
    buffer_clear(&scratch);
    buffer_clear(&patterns);
    buffer_clear(&resource);
    buffer_clear(&data);
}

/* Bytes that a terminal obeys, that are no UTF-8, that XML has not, or that a pattern gives a
 * meaning become `?`, one for each character; an empty name is no pattern's. */
static void patterns_say_no_more_than_they_can(void **state) {
    (void)state;
    buffer data = BUFFER_INIT, resource = BUFFER_INIT, patterns = BUFFER_INIT, scratch = BUFFER_INIT;
    arena a = ARENA_INIT;
    maker_lists l = {0};
    maker_type(&l, 0, "", "@T\033(/)", NULL);
    maker_method(&l, 0, 1, 0, "a\302\233*?\357\277\276b", NULL, "int*, P\377\a");
    maker_method(&l, 0, 2, 0, "", NULL, "");
    maker_join(&data, &l, "M", "A", 1, 2);
    maker_names(&resource, &data, 2, 1);
    names n;
    const char *fault;
    assert_int_equal(names_read(&n, &fault, &a, buffer_bytes(&resource), &(names_room){0}), ECMA_OK);
    overhead_patterns(&(report_function){.names = &n, .method = 0}, &scratch, keep_pattern, &patterns);
    overhead_patterns(&(report_function){.names = &n, .method = 1}, &scratch, keep_pattern, &patterns);
    static const char expected[] = "\?T\?\?\?\?.a\?\?\?\?b(int*, P\?\?);;";
    assert_true(bytes_equal(buffer_bytes(&patterns), bytes_of(expected, sizeof expected - 1)));
    arena_clear(&a);
    buffer_clear(&scratch);
    buffer_clear(&patterns);
    buffer_clear(&resource);
    buffer_clear(&data);
}

static void helpers_are_one_line_unless_asked_for(void **state) {
    (void)state;
    assert_report(&(ilj_report_options){.view = ILJ_VIEW_FUNCTIONS},
                  "\u2026 1 compiler helper, 100 calls, 0.0 % of own time; --helpers shows them\n", false);
    assert_report(&(ilj_report_options){.view = ILJ_VIEW_FUNCTIONS, .helpers = true}, "  N.It's<U>.closure()\n", false);
    /* The fifth of the page's functions. */
    assert_report(&(ilj_report_options){.format = ILJ_REPORT_HTML}, "\"helpers\":[4]", false);
    assert_report(&(ilj_report_options){.format = ILJ_REPORT_HTML, .helpers = true}, "\"helpers\":[]", false);
}

static void filters_go_by_metadata_and_shown_names(void **state) {
    (void)state;
    static const struct {
        const char *pattern;
        const char *found[3]; /* the names of the functions */
    } cases[] = {
        {"N.T", {"N.T.Main()"}},
        {"N", {"N.T.Main()", "N.It's<U>.Tiny(int, List<U>)", "N.It's<U>.Go.lambda#1()"}},
        {"N.It's", {"N.It's<U>.Tiny(int, List<U>)", "N.It's<U>.Load() [async]", "N.It's<U>.Go.lambda#1()"}},
        {"**.Tiny(int, **)", {"N.It's<U>.Tiny(int, List<U>)"}},
        {"N.It's.Go", {"N.It's<U>.Go.lambda#1()"}},
        {"**.<Go>b__*(**)", {"N.It's<U>.Go.lambda#1()"}},
        {"[M]**.Main", {"N.T.Main()"}},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        for (size_t k = 0; k < 3 && cases[i].found[k]; k++)
            assert_report(
                &(ilj_report_options){.view = ILJ_VIEW_FUNCTIONS, .patterns = &cases[i].pattern, .pattern_count = 1},
                cases[i].found[k], false);
    }
    static const char *const nowhere[] = {"[Other]**", "M.T", "**.Tiny(int)", "It's"};
    for (size_t i = 0; i < 4; i++)
        assert_report(&(ilj_report_options){.view = ILJ_VIEW_FUNCTIONS, .patterns = &nowhere[i], .pattern_count = 1},
                      "\nNo function matches --filter.\n", false);
}

static void what_is_asked_for_wrongly_is_told(void **state) {
    (void)state;
    static const char *const attribute = "@N.Hot", *const open = "N.T(";
    const ilj_report_options wrong[] = {{.columns = "calls,size"},
                                        {.columns = ""},
                                        {.patterns = &attribute, .pattern_count = 1},
                                        {.patterns = &open, .pattern_count = 1}};
    static const char *const told[] = {"--columns: 'size' is none of functions, calls", "--columns: '' is none of",
                                       "--filter '@N.Hot': a profile does not say", "--filter 'N.T(': ( is not closed"};
    for (size_t i = 0; i < 4; i++) {
        buffer file = BUFFER_INIT;
        result r = {0};
        dear_profile(&file);
        assert_int_equal(run_on(&r, &file, 1, &wrong[i]), ECMA_CONFIG);
        assert_int_equal(r.told, 1);
        if (!strstr(r.last, told[i]))
            fail_msg("%s", r.last);
        buffer_clear(&r.text);
        buffer_clear(&file);
    }
}

static void views_end_cleanly_without_memory(void **state) {
    (void)state;
    static const char *const pattern = "**.Query";
    const ilj_report_options options[] = {
        {.view = ILJ_VIEW_CALLERS},
        {.view = ILJ_VIEW_HOT},
        {.view = ILJ_VIEW_FUNCTIONS, .by = ILJ_BY_TYPE},
        {.view = ILJ_VIEW_FUNCTIONS, .by = ILJ_BY_THREAD},
        {.patterns = &pattern, .pattern_count = 1},
        {.format = ILJ_REPORT_SUGGESTIONS},
    };
    for (size_t i = 0; i < sizeof options / sizeof options[0]; i++) {
        buffer file = BUFFER_INIT;
        events_profile(&file);
        for (long after = 0;; after++) {
            result r = {0};
            one_failed = false;
            allocations_left = after;
            ecma_status status = run_on(&r, &file, 1, &options[i]);
            allocations_left = -1;
            bool failed = one_failed;
            buffer_clear(&r.text);
            if (!failed) {
                assert_int_equal(status, ECMA_OK);
                break;
            }
            assert_int_equal(status, ECMA_NO_MEMORY);
        }
        buffer_clear(&file);
    }
}

/* 35 exceptions were stored, thrown again by an await and stored, and thrown again and caught: but for one. */
static void exceptions_that_awaits_throw_again_are_counted_once(void **state) {
    (void)state;
    buffer file = BUFFER_INIT, b = BUFFER_INIT;
    const call calls[] = {{1, 0, 0, 0}, {0, 0, 1, 10}};
    begin_profile(&file, "1000000000", 1, calls, 2);
    maker_exception_types(&b, (const char *const[]){"N.E", NULL});
    events_left(&b, NULL, 0);
    const maker_way ways[] = {
        {1, 1, 1, 4, 35, 70, 0, 0, 0, {"first"}},
        {1, 1, 1, 6, 35, 0, 0, 0, 0, {"again"}},
        {1, 1, 1, 7, 34, 0, 0, 0, 0, {"again"}},
        {1, 1, 0, 8, 1, 0, 0, 0, 0, {"again"}},
    };
    events_paths(&b, ways, 4);
    maker_section(&file, "EXCP", &b);
    maker_end(&file);
    json_t *root = json_of(&file, 1);
    const json_t *type = json_array_get(json_object_get(root, "exceptions"), 0);
    assert_int_equal(number_at(type, "count"), 35);
    assert_int_equal(number_at(type, "ns"), 70);
    const json_t *paths = json_object_get(json_array_get(json_object_get(root, "threads"), 0), "exceptions");
    static const char *const outcomes[] = {"stored", "stored again", "caught again", "left thread again"};
    for (size_t i = 0; i < 4; i++)
        assert_string_equal(string_at(json_array_get(paths, i), "outcome"), outcomes[i]);
    json_decref(root);
    result r = {0};
    ilj_report_options options = {.format = ILJ_REPORT_TEXT};
    assert_int_equal(run_on(&r, &file, 1, &options), ECMA_OK);
    static const char *const lines[] = {"\n   35  70 ns     2 ns  N.E\n",
                                        "    stored in the task of ",
                                        "    passed on by await to the task of ",
                                        "    passed on by await, caught by ",
                                        "    passed on by await, left all instrumented code\n",
                                        "\"first\""};
    for (size_t i = 0; i < sizeof lines / sizeof lines[0]; i++)
        if (!strstr(text_of(&r), lines[i]))
            fail_msg("no \"%s\" in:\n%s", lines[i], text_of(&r));
    assert_null(strstr(text_of(&r), "thrown again here"));
    buffer_clear(&r.text);
    buffer_clear(&b);
    buffer_clear(&file);
}

/* One thread of a run of 1,000 ns, as recorded: Main, and its callees. */
static void begin_thousand(buffer *file, buffer *b, uint32_t nodes) {
    maker_header(file, 1, 0);
    maker_run(file, (const char *const[]){"name", "Run", "wall_ticks", "1000", "ticks_per_second", "1000000000", NULL});
    buffer_varuint(b, 1);
    maker_module(b, SAMPLE_BASE, 9, "M", 2, (bytes){0});
    maker_section(file, "MODS", b);
    maker_thread(b, 1, "", 1, nodes);
}

/* Three callees of 7, 6 and 5 ns are below a hundredth each, and 18 ns together are above. */
static void calls_that_are_not_shown_take_their_sum(void **state) {
    (void)state;
    buffer file = BUFFER_INIT, b = BUFFER_INIT;
    begin_thousand(&file, &b, 6);
    maker_node(&b, 1, 0, 0, 1000, 0, 0, 0);
    maker_node(&b, 4, SAMPLE_BASE, 1, 1000, 0, 0, 0);
    maker_node(&b, 0, SAMPLE_BASE + 1, 1, 900, 0, 0, 0);
    maker_node(&b, 0, SAMPLE_BASE + 2, 1, 7, 0, 0, 0);
    maker_node(&b, 0, SAMPLE_BASE + 3, 1, 6, 0, 0, 0);
    maker_node(&b, 0, SAMPLE_BASE + 4, 1, 5, 0, 0, 0);
    maker_section(&file, "THRD", &b);
    maker_end(&file);
    result r = {0};
    assert_int_equal(run_on(&r, &file, 1, &(ilj_report_options){.view = ILJ_VIEW_TREE}), ECMA_OK);
    if (!strstr(text_of(&r), "\n    3      18 ns               \u2026 3 more\n"))
        fail_msg("no 18 ns in\n%s", text_of(&r));
    buffer_clear(&r.text);
    buffer_clear(&b);
    buffer_clear(&file);
}

/* Main waited for 600 of its 700 ns, its callee worked for 300: the callee is what works most. A wait that is longer
 * than the own time, as it may be read while the thread runs on, is all of that. */
static void waits_are_no_own_time(void **state) {
    (void)state;
    static const uint64_t waits[] = {600, 5000};
    static const char *const rows[] = {"\n    1    1.00 \u00b5s     100 ns   600 ns    70.0  1.00 \u00b5s  M!#0\n"
                                       "    1     300 ns     300 ns             30.0   300 ns  M!#1\n",
                                       "\n    1    1.00 \u00b5s       0 ns   700 ns    70.0  1.00 \u00b5s  M!#0\n"
                                       "    1     300 ns     300 ns             30.0   300 ns  M!#1\n"};
    static const char *const stacks[] = {"M!#0 100\nM!#0;M!#1 300\nM!#0;(waiting) 600\n",
                                         "M!#0;M!#1 300\nM!#0;(waiting) 700\n"};
    for (int i = 0; i < 2; i++) {
        buffer file = BUFFER_INIT, b = BUFFER_INIT;
        begin_thousand(&file, &b, 3);
        maker_node(&b, 1, 0, 0, 1000, 0, 0, 0);
        maker_node(&b, 1, SAMPLE_BASE, 1, 1000, 0, 0, 0);
        maker_node(&b, 0, SAMPLE_BASE + 1, 1, 300, 0, 0, 0);
        maker_section(&file, "THRD", &b);
        const uint64_t wait[] = {1, 1, waits[i]};
        for (size_t k = 0; k < 3; k++)
            buffer_varuint(&b, wait[k]);
        maker_section(&file, "WAIT", &b);
        maker_end(&file);
        result r = {0};
        assert_int_equal(run_on(&r, &file, 1, &(ilj_report_options){.view = ILJ_VIEW_FUNCTIONS}), ECMA_OK);
        if (!strstr(text_of(&r), rows[i]))
            fail_msg("no%sin\n%s", rows[i], text_of(&r));
        buffer_clear(&r.text);
        r = (result){0};
        assert_int_equal(run_on(&r, &file, 1, &(ilj_report_options){.format = ILJ_REPORT_COLLAPSED}), ECMA_OK);
        for (const char *line = stacks[i], *end; *line; line = end + 1) {
            char one[64] = "";
            end = strchr(line, '\n');
            memcpy(one, line, (size_t)(end - line));
            if (!strstr(text_of(&r), one))
                fail_msg("no %s in\n%s", one, text_of(&r));
        }
        buffer_clear(&r.text);
        buffer_clear(&b);
        buffer_clear(&file);
    }
}

/* The path ends where six take a sixth each. What all of them call stands after it with the calls of all. */
static void a_leaf_of_many_callers_is_on_the_hot_path(void **state) {
    (void)state;
    enum { CALLERS = 6 };
    buffer file = BUFFER_INIT, b = BUFFER_INIT;
    begin_thousand(&file, &b, 2 + 2 * CALLERS);
    maker_node(&b, 1, 0, 0, 960, 0, 0, 0);
    maker_node(&b, CALLERS, SAMPLE_BASE, 1, 960, 0, 0, 0);
    for (uint32_t i = 0; i < CALLERS; i++) {
        maker_node(&b, 1, SAMPLE_BASE + 1 + i, 1, 160, 0, 0, 0);
        maker_node(&b, 0, SAMPLE_BASE + 7, 10, 150, 0, 0, 0);
    }
    maker_section(&file, "THRD", &b);
    maker_end(&file);
    result r = {0};
    assert_int_equal(run_on(&r, &file, 1, &(ilj_report_options){.view = ILJ_VIEW_DEFAULT}), ECMA_OK);
    if (!strstr(text_of(&r), "\nHot path M!#0 \u2192 \u2026 \u2192 60 \u00d7 M!#7\n"))
        fail_msg("not on the path: %s", text_of(&r));
    buffer_clear(&r.text);
    buffer_clear(&b);
    buffer_clear(&file);
}

/* Nodes in pre-order: children, which function, inclusive time. */
static void path_is(const char *expected, const uint32_t (*nodes)[3], size_t count) {
    buffer file = BUFFER_INIT, b = BUFFER_INIT;
    begin_thousand(&file, &b, (uint32_t)count + 1);
    maker_node(&b, 1, 0, 0, 1000, 0, 0, 0);
    for (size_t i = 0; i < count; i++)
        maker_node(&b, nodes[i][0], SAMPLE_BASE + nodes[i][1], 1, nodes[i][2], 0, 0, 0);
    maker_section(&file, "THRD", &b);
    maker_end(&file);
    result r = {0};
    assert_int_equal(run_on(&r, &file, 1, &(ilj_report_options){.view = ILJ_VIEW_DEFAULT}), ECMA_OK);
    if (!strstr(text_of(&r), expected))
        fail_msg("no%sin\n%s", expected, text_of(&r));
    buffer_clear(&r.text);
    buffer_clear(&b);
    buffer_clear(&file);
}

/* M!#3 takes 90 of 1,000, and so is not on the path, though that is much of M!#2's 240. */
static void the_hot_path_ends_below_a_tenth(void **state) {
    (void)state;
    static const uint32_t nodes[][3] = {{1, 0, 1000}, {1, 1, 600}, {1, 2, 240}, {0, 3, 90}};
    path_is("\nHot path M!#0 \u2192 M!#1 \u2192 M!#2\n", nodes, 4);
}

/* M!#3 takes most by itself, and in one place; but below M!#1 there is more. */
static void the_hot_path_is_left_for_many_places_alone(void **state) {
    (void)state;
    static const uint32_t nodes[][3] = {{2, 0, 1000}, {1, 1, 500}, {0, 2, 250}, {0, 3, 400}};
    path_is("\nHot path M!#0 \u2192 M!#1 \u2192 M!#2\n", nodes, 4);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_hot_path_ends_below_a_tenth),
        cmocka_unit_test(the_hot_path_is_left_for_many_places_alone),
        cmocka_unit_test(a_leaf_of_many_callers_is_on_the_hot_path),
        cmocka_unit_test(exceptions_that_awaits_throw_again_are_counted_once),
        cmocka_unit_test(calls_that_are_not_shown_take_their_sum),
        cmocka_unit_test(waits_are_no_own_time),
        cmocka_unit_test(dear_probes_are_told_with_a_command_to_paste),
        cmocka_unit_test(suggestions_are_a_configuration),
        cmocka_unit_test(patterns_say_no_more_than_they_can),
        cmocka_unit_test(without_calibration_calls_decide),
        cmocka_unit_test(a_method_is_left_out_with_its_machine),
        cmocka_unit_test(helpers_are_one_line_unless_asked_for),
        cmocka_unit_test(filters_go_by_metadata_and_shown_names),
        cmocka_unit_test(what_is_asked_for_wrongly_is_told),
        cmocka_unit_test(views_end_cleanly_without_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
