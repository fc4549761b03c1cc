/* Reports of what exceptions did, of iterators and async methods, and of threads apart. */
#include "profile_events.h"
#include "report_unit.h"

static const json_t *element(const json_t *root, const char *array, size_t position) {
    const json_t *value = json_array_get(json_object_get(root, array), position);
    if (!value)
        fail_msg("no %s[%zu]", array, position);
    return value;
}

static const char *function_of(const json_t *root, const json_t *object) {
    return string_at(element(root, "functions", (size_t)number_at(object, "function")), "name");
}

/* ---- The made profile ------------------------------------------------------------------------------------------- */

static void calls_of_machines_are_steps_of_the_method_that_the_user_wrote(void **state) {
    (void)state;
    static const char *const keys[] = {"calls", "steps", "by_exception", "inclusive_ns", "exclusive_ns", "open", NULL};
    static const struct {
        const char *name, *machine;
        long long figures[6];
    } expected[] = {
        {"Bank.Program.Main(string[])", NULL, {1, 0, 0, 102000000, 91700000, 1}},
        {"Bank.Program.Load(int)", NULL, {10, 0, 3, 5000000, 1000000, 0}},
        {"Bank.Db.Query(string)", NULL, {26, 0, 12, 4700000, 4700000, 0}},
        {"Bank.Program.Numbers(int)", "iterator", {2, 12, 2, 300000, 100000, 0}},
        {"Bank.Program.FetchAsync(string)", "async", {3, 9, 0, 2900000, 2000000, 0}},
        {"Bank.Program.SaveAsync()", "async", {3, 5, 1, 1100000, 1100000, 0}},
        {"Bank.Program.Walk(int)", NULL, {9, 0, 3, 2000000, 2000000, 0}},
    };
    buffer file = BUFFER_INIT;
    events_profile(&file);
    json_t *root = json_of(&file, 1);
    assert_int_equal(json_array_size(json_object_get(root, "functions")), 7);
    for (size_t i = 0; i < EVENTS_COUNT(expected); i++) {
        const json_t *f = function_named(root, expected[i].name);
        numbers_are(f, keys, expected[i].figures);
        const json_t *machine = json_object_get(f, "machine");
        if (expected[i].machine)
            assert_string_equal(json_string_value(machine), expected[i].machine);
        else
            assert_true(json_is_null(machine));
    }
    const json_t *totals = json_object_get(root, "totals");
    assert_int_equal(number_at(totals, "enters"), 80);
    assert_int_equal(number_at(totals, "steps"), 26);
    assert_int_equal(number_at(totals, "leaves"), 58);
    assert_int_equal(number_at(totals, "by_exception"), 21);
    assert_int_equal(number_at(totals, "folded_async"), 5);
    json_decref(root);
    buffer_clear(&file);
}

static void exceptions_are_summed_by_type_and_told_by_path(void **state) {
    (void)state;
    static const char *const keys[] = {"count", "ns", "average_ns", "search_ns", "searched", "unwound", NULL};
    static const struct {
        const char *type;
        long long figures[6];
    } expected[] = {
        {"System.InvalidOperationException", {14, 1420000, 101428, 55000, 20, 15}},
        {"(others)", {4, 40000, 10000, 0, 0, 0}},
        {"System.IO.IOException", {3, 1000000, 333333, 6000, 8, 7}},
        {NULL, {2, 30000, 15000, 1000, 1, 4}},
    };
    buffer file = BUFFER_INIT;
    events_profile(&file);
    json_t *root = json_of(&file, 1);
    assert_int_equal(json_array_size(json_object_get(root, "exceptions")), 4);
    for (size_t i = 0; i < 4; i++) {
        const json_t *type = element(root, "exceptions", i);
        numbers_are(type, keys, expected[i].figures);
        if (expected[i].type)
            assert_string_equal(string_at(type, "type"), expected[i].type);
        else
            assert_true(json_is_null(json_object_get(type, "type")));
    }
    const json_t *main_thread = element(root, "threads", 0), *pool = element(root, "threads", 1);
    assert_int_equal(json_array_size(json_object_get(main_thread, "exceptions")), 7);
    const json_t *path = element(main_thread, "exceptions", 2);
    static const char *const path_keys[] = {"thrower",   "catcher",  "count",   "ns",
                                            "search_ns", "searched", "unwound", NULL};
    numbers_are(path, path_keys, (const long long[]){13, 1, 1, 900000, 4000, 4, 3});
    assert_string_equal(string_at(path, "outcome"), "caught");
    assert_string_equal(json_string_value(json_array_get(json_object_get(path, "messages"), 0)),
                        "Value cannot be null.\r\nParameter name: 名前");
    static const char *const outcomes[] = {"stored", "left thread", "on its way", "replaced", "unknown"};
    for (size_t i = 0; i < 5; i++)
        assert_string_equal(string_at(element(pool, "exceptions", i), "outcome"), outcomes[i]);
    json_decref(root);
    buffer_clear(&file);
}

static void async_calls_are_summed_over_threads(void **state) {
    (void)state;
    static const char *const keys[] = {"calls",      "completed",   "failed",  "cancelled",  "open",     "suspensions",
                                       "running_ns", "awaiting_ns", "wall_ns", "average_ns", "unlinked", NULL};
    static const struct {
        const char *name;
        long long depth, figures[11];
    } expected[] = {
        {"Bank.Program.FetchAsync(string)", 1, {3, 1, 1, 0, 1, 4, 2800000, 9000000, 10700000, 5350000, 0}},
        {"Bank.Program.SaveAsync()", 2, {3, 2, 0, 0, 1, 2, 950000, 2500000, 3030000, 1515000, 0}},
        {"Bank.Program.SaveAsync()", 1, {1, 1, 0, 1, 0, 1, 100000, 5000000, 6000000, IS_NULL, 1}},
    };
    static const long long whole_save[] = {4, 3, 0, 1, 0, 3, 1050000, 7500000, 9030000, IS_NULL, 1};
    buffer file = BUFFER_INIT;
    events_profile(&file);
    json_t *root = json_of(&file, 1);
    assert_int_equal(json_array_size(json_object_get(root, "async_tree")), 3);
    for (size_t i = 0; i < 3; i++) {
        const json_t *call = element(root, "async_tree", i);
        assert_string_equal(function_of(root, call), expected[i].name);
        assert_int_equal(number_at(call, "depth"), expected[i].depth);
        numbers_are(call, keys, expected[i].figures);
    }
    assert_int_equal(json_array_size(json_object_get(root, "async")), 2);
    assert_string_equal(function_of(root, element(root, "async", 0)), expected[0].name);
    numbers_are(element(root, "async", 0), keys, expected[0].figures);
    assert_string_equal(function_of(root, element(root, "async", 1)), expected[1].name);
    numbers_are(element(root, "async", 1), keys, whole_save);
    json_decref(root);
    buffer_clear(&file);
}

/* After the names stands how calls have ended, but for those that all have completed. */
static void calls_that_all_completed_say_nothing_of_their_ends(void **state) {
    (void)state;
    for (unsigned cancelled = 0; cancelled < 2; cancelled++) {
        buffer file = BUFFER_INIT, b = BUFFER_INIT;
        begin_run(&file, (const char *const[]){"ticks_per_second", "1000", NULL}, 1);
        maker_thread(&b, 1, "t", 1, 2);
        maker_node(&b, 1, 0, 0, 0, 0, 0, 0);
        maker_node(&b, 0, SAMPLE_BASE + 1, 3, 9, 0, 0, 0);
        maker_section(&file, "THRD", &b);
        buffer_varuint(&b, 2);
        maker_async(&b, (const uint64_t[]){1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0});
        maker_async(&b, (const uint64_t[]){0, SAMPLE_BASE + 1, 3, 0, 3 - cancelled, 0, cancelled, 9, 0, 9, 0});
        maker_section(&file, "ASYN", &b);
        maker_end(&file);
        result r = {0};
        ilj_report_options options = {.format = ILJ_REPORT_TEXT, .width = 200, .async = true};
        assert_int_equal(run_on(&r, &file, 1, &options), ECMA_OK);
        if (cancelled)
            assert_non_null(strstr(text_of(&r), "N.T.m1()  2 completed, 1 cancelled\n"));
        else
            assert_null(strstr(text_of(&r), " completed"));
        buffer_clear(&r.text);
        buffer_clear(&file);
        buffer_clear(&b);
    }
}

static void raw_names_keep_machines_apart(void **state) {
    (void)state;
    buffer file = BUFFER_INIT;
    events_profile(&file);
    result r = {0};
    ilj_report_options options = {.format = ILJ_REPORT_CALLTREE, .raw_names = true};
    assert_int_equal(run_on(&r, &file, 1, &options), ECMA_OK);
    assert_non_null(
        strstr(text_of(&r), "\n    3     900 \u00b5s     100 \u00b5s    Bank.Program::FetchAsync(string)\n"));
    assert_non_null(strstr(text_of(&r),
                           "\n    3     800 \u00b5s     300 \u00b5s      Bank.Program/<FetchAsync>d__4::MoveNext()\n"));
    assert_null(strstr(text_of(&r), "resumed"));
    buffer_clear(&r.text);
    buffer_clear(&file);
}

static void physical_trees_show_slices_where_they_ran(void **state) {
    (void)state;
    buffer file = BUFFER_INIT;
    events_profile(&file);
    result r = {0};
    ilj_report_options options = {.format = ILJ_REPORT_CALLTREE, .physical = true};
    assert_int_equal(run_on(&r, &file, 1, &options), ECMA_OK);
    assert_string_equal(text_of(&r),
                        "Calls  Inclusive  Exclusive  Call tree\n"
                        "    1     100 ms    91.7 ms  Bank.Program.Main(string[])\n"
                        "   10    5.00 ms    1.00 ms    Bank.Program.Load(int)\n"
                        "   10    4.00 ms    4.00 ms      Bank.Db.Query(string)\n"
                        "    1    2.00 ms     100 \u00b5s    Bank.Program.Walk(int)\n"
                        "    4    1.90 ms     400 \u00b5s      Bank.Program.Walk(int)\n"
                        "    4    1.50 ms    1.50 ms        Bank.Program.Walk(int)\n"
                        "    3     900 \u00b5s     400 \u00b5s    Bank.Program.FetchAsync(string) [async]\n"
                        "    3     500 \u00b5s     500 \u00b5s      Bank.Program.SaveAsync() [async]\n"
                        "    2     300 \u00b5s     100 \u00b5s    Bank.Program.Numbers(int) [iterator] (12 steps)\n"
                        "   12     200 \u00b5s     200 \u00b5s      Bank.Db.Query(string)\n"
                        "    4    2.00 ms    1.50 ms  Bank.Program.FetchAsync(string) [async] (resumed)\n"
                        "    4     500 \u00b5s     500 \u00b5s    Bank.Db.Query(string)\n"
                        "    2     600 \u00b5s     600 \u00b5s  Bank.Program.SaveAsync() [async] (resumed)\n"
                        "    0     100 \u00b5s       0 ns  (folded calls)\n"
                        "    0     100 \u00b5s     100 \u00b5s    Bank.Program.FetchAsync(string) [async] (2 steps)\n");
    buffer_clear(&r.text);
    buffer_clear(&file);
}

/* FetchAsync is called at one place, so its slices are there; SaveAsync by FetchAsync, and by no other method that was
 * seen. */
static void slices_stand_below_their_calls(void **state) {
    (void)state;
    buffer file = BUFFER_INIT;
    events_profile(&file);
    result r = {0};
    ilj_report_options options = {.format = ILJ_REPORT_CALLTREE};
    assert_int_equal(run_on(&r, &file, 1, &options), ECMA_OK);
    assert_string_equal(text_of(&r),
                        "Calls  Inclusive  Exclusive  Call tree\n"
                        "    1     102 ms    91.7 ms  Bank.Program.Main(string[])\n"
                        "   10    5.00 ms    1.00 ms    Bank.Program.Load(int)\n"
                        "   10    4.00 ms    4.00 ms      Bank.Db.Query(string)\n"
                        "    3    2.90 ms    1.90 ms    Bank.Program.FetchAsync(string) [async]\n"
                        "    4     500 \u00b5s     500 \u00b5s      Bank.Db.Query(string)\n"
                        "    3     500 \u00b5s     500 \u00b5s      Bank.Program.SaveAsync() [async]\n"
                        "    1    2.00 ms     100 \u00b5s    Bank.Program.Walk(int)\n"
                        "    4    1.90 ms     400 \u00b5s      Bank.Program.Walk(int)\n"
                        "    4    1.50 ms    1.50 ms        Bank.Program.Walk(int)\n"
                        "    2     300 \u00b5s     100 \u00b5s    Bank.Program.Numbers(int) [iterator] (12 steps)\n"
                        "   12     200 \u00b5s     200 \u00b5s      Bank.Db.Query(string)\n"
                        "    2     600 \u00b5s     600 \u00b5s  Bank.Program.SaveAsync() [async] (resumed)\n"
                        "    0     100 \u00b5s       0 ns  (folded calls)\n"
                        "    0     100 \u00b5s     100 \u00b5s    Bank.Program.FetchAsync(string) [async] (2 steps)\n");
    buffer_clear(&r.text);
    buffer_clear(&file);
}

static void threads_have_trees_of_their_own_when_asked(void **state) {
    (void)state;
    buffer files[2] = {BUFFER_INIT, BUFFER_INIT};
    sample_profile(&files[0]);
    events_profile(&files[1]);
    result r = {0};
    ilj_report_options options = {.format = ILJ_REPORT_CALLTREE, .threads = true};
    assert_int_equal(run_on(&r, files, 2, &options), ECMA_OK);
    /* The root's time of each, and all enters of it. */
    const char *const rows[] = {"12,345,788    1.00 s        0 ns  Thread 1 main of Shop, process 4242\n",
                                "        64    30.0 ms       0 ns  Ended threads (3) of Shop, process 4242\n",
                                "        70     100 ms       0 ns  Thread 1 main of Bank, process 77\n",
                                "        10    2.60 ms       0 ns  Thread 7 .NET TP Worker of Bank, process 77\n"};
    for (size_t i = 0; i < EVENTS_COUNT(rows); i++)
        if (!strstr(text_of(&r), rows[i]))
            fail_msg("no row %s in\n%s", rows[i], text_of(&r));
    buffer_clear(&r.text);
    json_t *root = json_of(files, 2);
    const json_t *pool = element(root, "threads", 3);
    assert_string_equal(string_at(pool, "name"), ".NET TP Worker");
    assert_int_equal(number_at(pool, "id"), 7);
    assert_int_equal(number_at(json_array_get(json_object_get(pool, "tree"), 0), "inclusive_ns"), 2600000);
    json_decref(root);
    buffer_clear(&files[0]);
    buffer_clear(&files[1]);
}

/* ---- Merging and size ------------------------------------------------------------------------------------------- */

static void two_runs_have_twice_of_all(void **state) {
    (void)state;
    buffer files[2] = {BUFFER_INIT, BUFFER_INIT};
    events_profile(&files[0]);
    events_profile(&files[1]);
    result r = {0};
    ilj_report_options options = {.format = ILJ_REPORT_TEXT, .async = true};
    assert_int_equal(run_on(&r, files, 2, &options), ECMA_OK);
    static const char *const parts[] = {
        "\n   28  2.84 ms   101 \u00b5s  System.InvalidOperationException\n"
        "   10  1.00 ms   100 \u00b5s    caught by Bank.Program.Load(int)\n"
        "                             first pass 40.0 \u00b5s, 20 frames searched, 10 unwound\n"
        "                             thrown in Bank.Db.Query(string)\n"
        "                               \"Sequence contains no elements\"\n"
        "    6  1.20 ms   200 \u00b5s    caught by Bank.Program.Main(string[])\n",
        "\n    6          8  5.60 ms   18.0 ms  21.4 ms  5.35 ms  Bank.Program.FetchAsync(string)  2 completed, 2 "
        "failed, 2 open\n",
        "Calls    160 with 52 steps: 116 returned, 42 left by exception, 2 open\n"
        "Times    as recorded: no profile is calibrated\n"
        "Open     2 \u00d7 Bank.Program.Main(string[])\n",
    };
    for (size_t i = 0; i < EVENTS_COUNT(parts); i++)
        if (!strstr(text_of(&r), parts[i]))
            fail_msg("no\n%s in\n%s", parts[i], text_of(&r));
    buffer_clear(&r.text);
    buffer_clear(&files[0]);
    buffer_clear(&files[1]);
}

/* A chain of m0 … m8, m0 … with exceptions from the innermost to the outermost. */
static void make_deep_path(buffer *file, uint32_t depth, uint32_t cycle, uint32_t paths) {
    call *calls = calloc(depth + 1, sizeof *calls);
    calls[0].children = 1;
    for (uint32_t i = 1; i <= depth; i++)
        calls[i] = (call){i < depth, i % cycle, 1, depth + 1 - i};
    begin_profile(file, "1000", 1, calls, depth + 1);
    free(calls);
    buffer b = BUFFER_INIT;
    maker_exception_types(&b, (const char *const[]){"N.Deep", NULL});
    events_left(&b, NULL, 0);
    const maker_way way = {.type = 1, .thrower = depth, .catcher = 1, .count = 1, .ticks = 5};
    buffer_varuint(&b, paths);
    for (uint32_t i = 0; i < paths; i++)
        maker_path(&b, &way);
    maker_section(file, "EXCP", &b);
    maker_end(file);
    buffer_clear(&b);
}

static void long_paths_are_told_by_their_ends(void **state) {
    (void)state;
    buffer file = BUFFER_INIT;
    /* 1,000 frames deep: 999 stand below the catcher, and 24 at each end are shown. */
    make_deep_path(&file, 1000, 9, 1);
    result r = {0};
    ilj_report_options options = {.format = ILJ_REPORT_TEXT, .width = 120};
    assert_int_equal(run_on(&r, &file, 1, &options), ECMA_OK);
    const char *text = strstr(text_of(&r), "caught by N.T.m1()");
    assert_non_null(text);
    assert_non_null(strstr(text, " through N.T.m2()\n"));
    assert_non_null(strstr(text, "through 951 more frames\n"));
    assert_non_null(strstr(text, "thrown in N.T.m1()\n")); /* 1,000 = 111 * 9 + 1 */
    assert_true(widest_line(text) <= 120);
    buffer_clear(&r.text);
    buffer_clear(&file);

    /* Recursion is one row, however deep. */
    r = (result){0};
    make_deep_path(&file, 100000, 1, 1);
    assert_int_equal(run_on(&r, &file, 1, &options), ECMA_OK);
    assert_non_null(strstr(text_of(&r), "thrown in N.T.m0() \u00d7 99,999\n"));
    buffer_clear(&r.text);
    buffer_clear(&file);
}

static void many_long_paths_take_bounded_time(void **state) {
    (void)state;
    buffer file = BUFFER_INIT;
    /* 2^26 nodes are looked at: those of 672 paths; of the others 4,096 each. */
    make_deep_path(&file, 100000, 1, 680);
    result r = {0};
    ilj_report_options options = {.format = ILJ_REPORT_TEXT, .width = 120};
    assert_int_equal(run_on(&r, &file, 1, &options), ECMA_OK);
    static const char *const parts[] = {"  672 ", " thrown in N.T.m0() \u00d7 99,999\n", "    8 ",
                                        " through 95,903 more frames\n", "   thrown in N.T.m0() \u00d7 4,096\n"};
    const char *at = strstr(text_of(&r), "caught by ");
    for (size_t i = 0; i < EVENTS_COUNT(parts); i++)
        if (!(at = strstr(at, parts[i])))
            fail_msg("no\n%s in\n%s", parts[i], text_of(&r));
    buffer_clear(&r.text);
    buffer_clear(&file);
}

static void what_is_left_out_is_counted(void **state) {
    (void)state;
    buffer file = BUFFER_INIT, b = BUFFER_INIT;
    call calls[10] = {{1, 0, 0, 0}};
    for (uint32_t i = 1; i <= 9; i++)
        calls[i] = (call){i < 9, i - 1, 1, 10 - i};
    begin_profile(&file, "1000", 1, calls, 10);
    /* 23 types; the first ends in 18 ways; of 9 async methods 8 are shown. */
    buffer_varuint(&b, 23);
    for (char name[] = "N.A"; name[2] < 'A' + 23; name[2]++)
        maker_str(&b, name);
    events_left(&b, NULL, 0);
    buffer_varuint(&b, 22 + 18);
    for (uint64_t i = 0; i < 18; i++)
        maker_path(&b, &(maker_way){.type = 1, .thrower = 9, .catcher = 1 + i % 9, .outcome = i / 9 * 4, .count = 2});
    for (uint64_t i = 0; i < 22; i++)
        maker_path(&b, &(maker_way){.type = 2 + i, .thrower = 9, .catcher = 1, .count = 1});
    maker_section(&file, "EXCP", &b);
    buffer_varuint(&b, 10);
    maker_async(&b, (const uint64_t[11]){9});
    for (uint64_t i = 0; i < 9; i++)
        maker_async(&b, (const uint64_t[11]){0, SAMPLE_BASE + i, 1, 0, 1, 0, 0, 20 - i, 0, 20 - i});
    maker_section(&file, "ASYN", &b);
    maker_end(&file);
    static const char *const parts[] = {"caught by N.T.m7()\n",
                                        "    \u2026 10 more, 20 times\n",
                                        "  N.V\n",
                                        "  \u2026 3 more, 3 times\n",
                                        "  N.T.m7()\n",
                                        "1 more async method\n",
                                        "  \u2026 1 more, 1 call\n"};
    result r = {0};
    ilj_report_options options = {.top = 8, .async = true};
    assert_int_equal(run_on(&r, &file, 1, &options), ECMA_OK);
    for (size_t i = 0; i < EVENTS_COUNT(parts); i++)
        if ((strstr(text_of(&r), parts[i]) == NULL) != (i == 2))
            fail_msg("no\n%s in\n%s", parts[i], text_of(&r));
    buffer_clear(&r.text);
    r = (result){0};
    options.top = 0;
    assert_int_equal(run_on(&r, &file, 1, &options), ECMA_OK);
    assert_null(strstr(text_of(&r), " more"));
    assert_non_null(strstr(text_of(&r), parts[2]));
    buffer_clear(&r.text);
    buffer_clear(&b);
    buffer_clear(&file);
}

static void steering_characters_of_exceptions_do_not_reach_the_terminal(void **state) {
    (void)state;
    buffer file = BUFFER_INIT, b = BUFFER_INIT;
    const call calls[] = {{1, 0, 0, 0}, {0, 0, 1, 10}};
    begin_profile(&file, "1000", 1, calls, 2);
    maker_exception_types(&b, (const char *const[]){"N.\033[31mE", NULL});
    events_left(&b, NULL, 0);
    const maker_way way = {
        .type = 1, .thrower = 1, .catcher = 1, .count = 1, .messages = {"a\033]0;x\007\tb\nc\r\nd\xE2\x80\xAE"}};
    events_paths(&b, &way, 1);
    maker_section(&file, "EXCP", &b);
    maker_end(&file);
    result r = {0};
    ilj_report_options options = {.format = ILJ_REPORT_TEXT};
    assert_int_equal(run_on(&r, &file, 1, &options), ECMA_OK);
    assert_null(strchr(text_of(&r), '\033'));
    assert_null(strchr(text_of(&r), '\007'));
    assert_non_null(strstr(text_of(&r), " N.\uFFFD[31mE\n"));
    assert_non_null(strstr(text_of(&r), " \"a\uFFFD]0;x\uFFFD b c d\uFFFD\"\n"));
    buffer_clear(&r.text);
    buffer_clear(&b);
    buffer_clear(&file);
}

static void reports_of_events_keep_to_the_width(void **state) {
    (void)state;
    buffer file = BUFFER_INIT;
    events_profile(&file);
    for (unsigned width = 80; width <= 200; width++) {
        result r = {0};
        ilj_report_options options = {.width = width, .threads = width % 2, .async = true};
        assert_int_equal(run_on(&r, &file, 1, &options), ECMA_OK);
        if (widest_line(text_of(&r)) > width)
            fail_msg("%zu columns instead of %u:\n%s", widest_line(text_of(&r)), width, text_of(&r));
        buffer_clear(&r.text);
    }
    buffer_clear(&file);
}

static void sums_of_events_stop_at_the_largest(void **state) {
    (void)state;
    buffer file = BUFFER_INIT, b = BUFFER_INIT;
    const call calls[] = {{1, 0, 0, 0}, {0, 0, 1, 10}};
    begin_profile(&file, "1000000000", 1, calls, 2);
    maker_exception_types(&b, (const char *const[]){"N.E", NULL});
    events_left(&b, (const uint64_t[][2]){{1, UINT64_MAX}, {1, UINT64_MAX}}, 2);
    const uint64_t most = UINT64_MAX;
    const maker_way way = {1, 1, 1, 0, most, most, most, most, most, {NULL}}, ways[] = {way, way};
    events_paths(&b, ways, 2);
    maker_section(&file, "EXCP", &b);
    buffer_varuint(&b, 3);
    maker_async(&b, (const uint64_t[]){2, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0});
    for (int i = 0; i < 2; i++)
        maker_async(&b, (const uint64_t[]){0, SAMPLE_BASE, most, most, most, most, most, most, most, most, most});
    maker_section(&file, "ASYN", &b);
    maker_end(&file);
    json_t *root = json_of(&file, 1);
    assert_int_equal(number_at(function_named(root, "N.T.m0()"), "by_exception"), INT64_MAX);
    static const char *const keys[] = {"count", "ns", "search_ns", "searched", "unwound", NULL};
    numbers_are(element(root, "exceptions", 0), keys,
                (const long long[]){INT64_MAX, INT64_MAX, INT64_MAX, INT64_MAX, INT64_MAX});
    static const char *const async_keys[] = {"calls", "wall_ns", "open", "average_ns", NULL};
    numbers_are(element(root, "async", 0), async_keys, (const long long[]){INT64_MAX, INT64_MAX, 0, IS_NULL});
    json_decref(root);
    buffer_clear(&b);
    buffer_clear(&file);
}

static void every_allocation_may_fail_with_events(void **state) {
    (void)state;
    buffer files[2] = {BUFFER_INIT, BUFFER_INIT};
    events_profile(&files[0]);
    make_deep_path(&files[1], 100, 9, 1);
    for (int format = ILJ_REPORT_TEXT; format < ILJ_REPORT_FORMAT_COUNT; format++) {
        if (format == ILJ_REPORT_CHROME || format == ILJ_REPORT_COBERTURA || format == ILJ_REPORT_LCOV ||
            format == ILJ_REPORT_MIBC)
            continue; /* they need a timeline (test_timeline.c), lines (e2e/coverage), or assemblies (test_mibc.c) */
        ilj_report_options options = {.format = (ilj_report_format)format, .threads = true, .async = true};
        later_ones_fail = false;
        assert_true(fail_each(files, 2, &options) > 20);
        later_ones_fail = true;
        assert_true(fail_each(files, 2, &options) > 20);
    }
    buffer_clear(&files[0]);
    buffer_clear(&files[1]);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(calls_of_machines_are_steps_of_the_method_that_the_user_wrote),
        cmocka_unit_test(exceptions_are_summed_by_type_and_told_by_path),
        cmocka_unit_test(async_calls_are_summed_over_threads),
        cmocka_unit_test(calls_that_all_completed_say_nothing_of_their_ends),
        cmocka_unit_test(raw_names_keep_machines_apart),
        cmocka_unit_test(physical_trees_show_slices_where_they_ran),
        cmocka_unit_test(slices_stand_below_their_calls),
        cmocka_unit_test(threads_have_trees_of_their_own_when_asked),
        cmocka_unit_test(two_runs_have_twice_of_all),
        cmocka_unit_test(long_paths_are_told_by_their_ends),
        cmocka_unit_test(many_long_paths_take_bounded_time),
        cmocka_unit_test(what_is_left_out_is_counted),
        cmocka_unit_test(steering_characters_of_exceptions_do_not_reach_the_terminal),
        cmocka_unit_test(reports_of_events_keep_to_the_width),
        cmocka_unit_test(sums_of_events_stop_at_the_largest),
        cmocka_unit_test(every_allocation_may_fail_with_events),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
