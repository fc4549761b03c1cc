/* Reports from profiles. With the arguments `show FORMAT WIDTH [color] [raw] [threads] [async] [events | times]` the
 * report of a made profile goes to standard output, for tests/golden/suite-report.sh; with `sample FILE` the sample is
 * written to a file, with `events FILE` and `times FILE` the others. */
#include "profile/names.h"
#include "profile_events.h"
#include "profile_times.h"
#include "report_unit.h"

/* ---- Figures ---------------------------------------------------------------------------------------------------- */

static void sample_has_the_figures_worked_out_by_hand(void **state) {
    (void)state;
    buffer file = BUFFER_INIT;
    sample_profile(&file);
    json_t *root = json_of(&file, 1);
    assert_string_equal(string_at(root, "format"), "ilinject-profile");
    assert_int_equal(number_at(root, "version"), 1);

    const json_t *run = json_array_get(json_object_get(root, "runs"), 0);
    assert_string_equal(string_at(run, "name"), "Shop");
    assert_int_equal(number_at(run, "pid"), 4242);
    assert_int_equal(number_at(run, "start_ns"), 1767323045000000000);
    assert_int_equal(number_at(run, "wall_ns"), 1234567800);
    assert_string_equal(string_at(run, "file"), "a.ilprof");

    const json_t *totals = json_object_get(root, "totals");
    /* 1 + 1 + 2 + 1,234,567 + 9,876,543 + 1,234,567 + 1 + 2 + 4 + 90 + 10 + 30 + 30 + 3 + 1 */
    assert_int_equal(number_at(totals, "enters"), 12345852);
    assert_int_equal(number_at(totals, "leaves"), 12345849);
    assert_int_equal(number_at(totals, "resynchronised"), 2);
    assert_int_equal(number_at(totals, "open"), 1);
    assert_int_equal(number_at(totals, "folded"), 100);
    assert_int_equal(number_at(totals, "dropped"), 7);

    figures_are(root, "Shop.Program.Main(string[])", 1, 1000000000, 179950000);
    figures_are(root, "Shop.Data.Store<T>.Cursor.MoveNext()", 9876543, 400000000, 400000000);
    /* 30 calls, and 10 within them. */
    figures_and_average_are(root, "Shop.商品カタログ.検索(string)", 40, 30000000, 23000000, (30000000 + 10000000) / 40);
    figures_are(root, "Plug!#2", 3, 2000000, 2000000);
    figures_are(root, "?0x7f000000", 1, 1000, 1000);
    /* Fib: inclusive counted once is 100 ms; its own time with the folded calls is 115 ms, which inclusive can't be
     * below. */
    /* 90 were folded. */
    figures_and_average_are(root, "Shop.Program.Fib(int)", 97, 115000000, 115000000,
                            (100000000 + 80000000 + 50000000) / 7);

    const json_t *modules = json_object_get(root, "modules");
    assert_int_equal(json_array_size(modules), 2);
    assert_string_equal(string_at(json_array_get(modules, 0), "mvid"), "13121110-1514-1716-1819-1a1b1c1d1e1f");
    assert_string_equal(string_at(json_array_get(modules, 0), "module"), "Shop.exe");
    assert_true(json_is_null(json_object_get(json_array_get(modules, 1), "mvid")));

    const json_t *functions = json_object_get(root, "functions");
    assert_int_equal(json_array_size(functions), 10);
    const json_t *first = json_array_get(functions, 0);
    assert_string_equal(string_at(first, "type"), "Shop.Data.Store<T>.Cursor");
    assert_string_equal(string_at(first, "method"), "MoveNext()");
    assert_string_equal(string_at(first, "token"), "0x06000007");
    const json_t *constructor = function_named(root, "Shop.Data.Store<T>.Store(int)");
    assert_string_equal(string_at(constructor, "type"), "Shop.Data.Store<T>");
    assert_string_equal(string_at(constructor, "method"), "Store(int)");
    assert_int_equal(number_at(function_named(root, "?0x7f000000"), "module"), -1);
    long long last = INT64_MAX;
    for (size_t i = 0; i < json_array_size(functions); i++) {
        long long own = number_at(json_array_get(functions, i), "exclusive_ns");
        assert_true(own <= last);
        last = own;
    }

    const json_t *threads = json_object_get(root, "threads");
    assert_int_equal(json_array_size(threads), 2);
    const json_t *tree = json_object_get(json_array_get(threads, 0), "tree");
    assert_int_equal(json_array_size(tree), 13);
    assert_int_equal(number_at(json_array_get(tree, 0), "function"), -1);
    assert_int_equal(number_at(json_array_get(tree, 10), "function"), -2);
    assert_int_equal(number_at(json_array_get(tree, 10), "exclusive_ns"), 0);
    const json_t *inner = json_array_get(functions, (size_t)number_at(json_array_get(tree, 5), "function"));
    assert_string_equal(string_at(inner, "name"), "Shop.Data.Store<T>.Cursor.MoveNext()");
    assert_int_equal(number_at(json_array_get(tree, 9), "depth"), 4);
    json_decref(root);
    buffer_clear(&file);
}

static void profiles_are_merged_by_method_and_path_whatever_their_clocks(void **state) {
    (void)state;
    buffer files[3] = {BUFFER_INIT, BUFFER_INIT, BUFFER_INIT};
    const call one[] = {{1, 0, 0, 0}, {1, 0, 1, 1000}, {0, 1, 5, 400}};                            /* 1 tick = 1 ms */
    const call two[] = {{1, 0, 0, 0}, {2, 0, 2, 3000000}, {0, 1, 1, 1000000}, {0, 2, 1, 1000000}}; /* 1 us */
    make_profile(&files[0], "1000", 7, one, 3);
    make_profile(&files[1], "1000000", 7, two, 4);
    make_profile(&files[2], "1000", 8, one, 3); /* another module with the same names */
    json_t *root = json_of(files, 2);
    figures_are(root, "N.T.m0()", 3, 4000000000, 1600000000);
    figures_are(root, "N.T.m1()", 6, 1400000000, 1400000000);
    assert_int_equal(json_array_size(json_object_get(root, "functions")), 3);
    assert_int_equal(json_array_size(json_object_get(root, "modules")), 1);
    assert_int_equal(number_at(json_array_get(json_object_get(root, "threads"), 1), "run"), 1);
    json_decref(root);
    root = json_of(files, 3);
    assert_int_equal(json_array_size(json_object_get(root, "functions")), 5);
    assert_int_equal(json_array_size(json_object_get(root, "modules")), 2);
    json_decref(root);

    result r = {0};
    ilj_report_options options = {.format = ILJ_REPORT_CALLTREE};
    assert_int_equal(run_on(&r, files, 2, &options), ECMA_OK);
    assert_string_equal(text_of(&r), "Calls  Inclusive  Exclusive  Call tree\n"
                                     "    3    4.00 s     1.60 s   N.T.m0()\n"
                                     "    6    1.40 s     1.40 s     N.T.m1()\n"
                                     "    1    1.00 s     1.00 s     N.T.m2()\n");
    buffer_clear(&r.text);
    for (int i = 0; i < 3; i++)
        buffer_clear(&files[i]);
}

/* Without its names a module's methods are called by its assembly's name, up to the version and no longer than a name
 * may be, and their number. */
static void a_method_without_a_name_has_the_assembly_s_and_a_number(void **state) {
    (void)state;
    enum { LONG = NAMES_MAX_NAME + 9 };
    char *assembly = malloc(LONG + 1);
    assert_non_null(assembly);
    memset(assembly, 'a', LONG);
    assembly[LONG] = 0;
    for (int i = 0; i < 3; i++) {
        buffer file = BUFFER_INIT, b = BUFFER_INIT;
        maker_header(&file, 1, 0);
        maker_run(&file, (const char *const[]){"ticks_per_second", "1000", NULL});
        buffer_varuint(&b, 1);
        maker_module(&b, SAMPLE_BASE, 9, i == 0 ? "App, Version=1.0" : i == 1 ? "App" : assembly, 1, (bytes){0});
        maker_section(&file, "MODS", &b);
        maker_thread(&b, 1, "t", 1, 2);
        maker_node(&b, 1, 0, 0, 0, 0, 0, 0);
        maker_node(&b, 0, SAMPLE_BASE + 7, 1, 5, 0, 0, 0);
        maker_section(&file, "THRD", &b);
        maker_end(&file);
        json_t *root = json_of(&file, 1);
        const char *name = string_at(json_array_get(json_object_get(root, "functions"), 0), "name");
        if (i < 2) {
            assert_string_equal(name, "App!#7");
        } else {
            assert_int_equal(strspn(name, "a"), NAMES_MAX_NAME);
            assert_string_equal(name + NAMES_MAX_NAME, "!#7");
        }
        json_decref(root);
        buffer_clear(&file);
        buffer_clear(&b);
    }
    free(assembly);
}

static void recursion_counts_inclusive_time_once(void **state) {
    (void)state;
    buffer file = BUFFER_INIT;
    /* m0 -> m1 -> m0 -> m1, and m1 beside it */
    const call calls[] = {{2, 0, 0, 0}, {1, 0, 1, 100}, {1, 1, 2, 80}, {1, 0, 3, 50}, {0, 1, 4, 20}, {0, 1, 5, 7}};
    make_profile(&file, "1000000000", 1, calls, 6);
    json_t *root = json_of(&file, 1);
    /* The average is of all calls, whatever stands above them. */
    figures_and_average_are(root, "N.T.m0()", 4, 100, 20 + 30, (100 + 50) / 4);
    figures_and_average_are(root, "N.T.m1()", 11, 87, 30 + 20 + 7, (80 + 20 + 7) / 11);
    json_decref(root);
    buffer_clear(&file);
}

static void own_time_is_never_negative_and_sums_never_wrap(void **state) {
    (void)state;
    buffer file = BUFFER_INIT;
    const call calls[] = {
        {2, 0, 0, 0}, {1, 0, UINT64_MAX, 100}, {0, 1, UINT64_MAX, 200}, {0, 0, UINT64_MAX, UINT64_MAX}};
    make_profile(&file, "1", 1, calls, 4);
    json_t *root = json_of(&file, 1);
    figures_are(root, "N.T.m0()", INT64_MAX, INT64_MAX, INT64_MAX);
    figures_are(root, "N.T.m1()", INT64_MAX, 200000000000, 200000000000);
    assert_int_equal(number_at(json_object_get(root, "totals"), "enters"), INT64_MAX);
    json_decref(root);
    buffer_clear(&file);
}

/* ---- Size ------------------------------------------------------------------------------------------------------- */

static size_t lines_of(const char *text) {
    size_t count = 0;
    for (; *text; text++)
        count += *text == '\n';
    return count;
}

static void chains_of_200000_calls_are_reported_within_the_width(void **state) {
    (void)state;
    buffer file = BUFFER_INIT;
    make_chain(&file, 200000);
    result r = {0};
    ilj_report_options options = {.format = ILJ_REPORT_CALLTREE, .width = 80};
    assert_int_equal(run_on(&r, &file, 1, &options), ECMA_OK);
    assert_int_equal(lines_of(text_of(&r)), 200001);
    assert_true(widest_line(text_of(&r)) <= 80);
    assert_non_null(strstr(text_of(&r), "[200,000] N.T.m2()\n"));
    r.text.size = 0;
    options.format = ILJ_REPORT_TEXT;
    assert_int_equal(run_on(&r, &file, 1, &options), ECMA_OK);
    assert_true(lines_of(text_of(&r)) < 120);
    assert_non_null(strstr(text_of(&r), "\u2026 199,936 more\n"));
    buffer_clear(&r.text);
    json_t *root = json_of(&file, 1);
    /* A millisecond each; of m1 the calls with 200,000, 199,991 … and 2 calls in them. */
    figures_and_average_are(root, "N.T.m1()", 22223, 200000000000, 22223000000, (200000000000 + 2000000) / 2);
    json_decref(root);
    buffer_clear(&file);
}

static void million_nodes_are_merged(void **state) {
    (void)state;
    enum { WIDE = 125000 }; /* times eight nodes */
    buffer file = BUFFER_INIT;
    call *calls = calloc(WIDE * 8 + 1, sizeof *calls);
    calls[0].children = WIDE;
    for (size_t i = 0; i < WIDE; i++)
        for (size_t k = 0; k < 8; k++)
            calls[1 + i * 8 + k] = (call){k < 7, k, 1, 8 - k};
    make_profile(&file, "1000000000", 1, calls, WIDE * 8 + 1);
    free(calls);
    result r = {0};
    ilj_report_options options = {.format = ILJ_REPORT_CALLTREE};
    assert_int_equal(run_on(&r, &file, 1, &options), ECMA_OK);
    assert_int_equal(lines_of(text_of(&r)), 9);
    assert_non_null(strstr(text_of(&r), "125,000     125 \u00b5s     125 \u00b5s                N.T.m7()\n"));
    buffer_clear(&r.text);
    buffer_clear(&file);
}

/* ---- Text ------------------------------------------------------------------------------------------------------- */

static void tables_are_sorted_and_cut_as_asked(void **state) {
    (void)state;
    static const char *const firsts[] = {
        [ILJ_SORT_EXCLUSIVE] = "Shop.Data.Store<T>.Cursor.MoveNext()",
        [ILJ_SORT_INCLUSIVE] = "Shop.Program.Main(string[])",
        [ILJ_SORT_CALLS] = "Shop.Data.Store<T>.Cursor.MoveNext()",
        [ILJ_SORT_AVERAGE] = "Shop.Program.Main(string[])",
        [ILJ_SORT_NAME] = "?0x7f000000",
    };
    buffer file = BUFFER_INIT;
    sample_profile(&file);
    for (int sort = ILJ_SORT_EXCLUSIVE; sort <= ILJ_SORT_NAME; sort++) {
        result r = {0};
        ilj_report_options options = {.sort = (ilj_sort_key)sort, .top = 1};
        assert_int_equal(run_on(&r, &file, 1, &options), ECMA_OK);
        const char *row = strstr(text_of(&r), "Function\n");
        assert_non_null(row);
        row += strlen("Function\n");
        size_t size = strcspn(row, "\n"), name = strlen(firsts[sort]);
        assert_true(size > name);
        assert_memory_equal(row + size - name, firsts[sort], name);
        assert_non_null(strstr(row, "\n\u2026 9 more functions, "));
        buffer_clear(&r.text);
    }
    buffer_clear(&file);
}

static void reports_keep_to_the_width(void **state) {
    (void)state;
    buffer file = BUFFER_INIT;
    sample_profile(&file);
    for (unsigned width = 64; width <= 200; width++) {
        result r = {0};
        ilj_report_options options = {.width = width};
        assert_int_equal(run_on(&r, &file, 1, &options), ECMA_OK);
        const char *table = strstr(text_of(&r), "\n\n");
        assert_true(widest_line(table) <= width);
        buffer_clear(&r.text);
    }
    buffer_clear(&file);
}

static void steering_characters_do_not_reach_the_terminal(void **state) {
    (void)state;
    buffer file = BUFFER_INIT, b = BUFFER_INIT;
    const char *const pairs[] = {"ticks_per_second", "1000", "name", "\033[31m\xC2\x9B\xE2\x80\xAE", NULL};
    maker_header(&file, 1, 0);
    maker_run(&file, pairs);
    buffer_varuint(&b, 1);
    maker_module(&b, SAMPLE_BASE, 1, "\033]0;x\007", 1, (bytes){NULL, 0});
    maker_section(&file, "MODS", &b);
    maker_thread(&b, 1, "", 1, 2);
    maker_node(&b, 1, 0, 0, 1, 0, 0, 0);
    maker_node(&b, 0, SAMPLE_BASE, 1, 1, 0, 0, 0);
    maker_section(&file, "THRD", &b);
    maker_end(&file);
    result r = {0};
    ilj_report_options options = {.format = ILJ_REPORT_TEXT};
    assert_int_equal(run_on(&r, &file, 1, &options), ECMA_OK);
    assert_int_equal(r.code, DIAG_PROFILE_NAMES);
    assert_null(strchr(text_of(&r), '\033'));
    assert_null(strchr(text_of(&r), '\007'));
    assert_non_null(strstr(text_of(&r), "Program  \uFFFD[31m\uFFFD\uFFFD\n"));
    buffer_clear(&r.text);
    buffer_clear(&b);
    buffer_clear(&file);
}

static void json_strings_are_utf8_whatever_the_file_holds(void **state) {
    (void)state;
    buffer file = BUFFER_INIT;
    const call calls[] = {{0, 0, 0, 0}};
    make_profile(&file, "1000", 1, calls, 1);
    json_t *root = json_of(&file, 1);
    const json_t *run = json_array_get(json_object_get(root, "runs"), 0);
    assert_string_equal(string_at(run, "name"), "\uFFFD\"quoted\"\t\\\uFFFD");
    assert_int_equal(json_array_size(json_object_get(root, "functions")), 0);
    json_decref(root);
    result r = {0};
    ilj_report_options options = {.format = ILJ_REPORT_TEXT};
    assert_int_equal(run_on(&r, &file, 1, &options), ECMA_OK);
    assert_non_null(strstr(text_of(&r), "No calls were recorded.\n"));
    buffer_clear(&r.text);
    buffer_clear(&file);
}

/* ---- Failures --------------------------------------------------------------------------------------------------- */

static void one_bad_profile_among_good_ones_stops_all_output(void **state) {
    (void)state;
    buffer files[3] = {BUFFER_INIT, BUFFER_INIT, BUFFER_INIT};
    sample_profile(&files[0]);
    sample_profile(&files[1]);
    sample_profile(&files[2]);
    files[1].size -= 1;
    files[2].size -= 40;
    result r = {0};
    ilj_report_options options = {.format = ILJ_REPORT_TEXT};
    assert_int_equal(run_on(&r, files, 3, &options), ECMA_BAD_FILE);
    assert_int_equal(r.text.size, 0);
    assert_int_equal(r.told, 3); /* with the names that the first one lacks */
    buffer_clear(&r.text);
    for (int i = 0; i < 3; i++)
        buffer_clear(&files[i]);
}

static void refused_write_ends_with_io(void **state) {
    (void)state;
    buffer file = BUFFER_INIT;
    make_chain(&file, 10000);
    for (int format = ILJ_REPORT_CALLTREE; format < ILJ_REPORT_FORMAT_COUNT; format++) {
        if (format == ILJ_REPORT_CHROME || format == ILJ_REPORT_COBERTURA || format == ILJ_REPORT_LCOV ||
            format == ILJ_REPORT_MIBC)
            continue; /* they need a timeline (test_timeline.c), lines (e2e/coverage), or assemblies (test_mibc.c) */
        /* Some write less than that: the first piece is refused. */
        bool large = format == ILJ_REPORT_CALLTREE || format == ILJ_REPORT_JSON || format == ILJ_REPORT_COLLAPSED;
        result r = {.refuse_after = large ? 20000 : 1};
        ilj_report_options options = {.format = (ilj_report_format)format};
        assert_int_equal(run_on(&r, &file, 1, &options), ECMA_IO);
        assert_true(r.text.size <= r.refuse_after);
        buffer_clear(&r.text);
    }
    buffer_clear(&file);
}

static void every_allocation_may_fail(void **state) {
    (void)state;
    buffer files[2] = {BUFFER_INIT, BUFFER_INIT};
    sample_profile(&files[0]);
    make_chain(&files[1], 300);
    for (int format = ILJ_REPORT_TEXT; format < ILJ_REPORT_FORMAT_COUNT; format++) {
        if (format == ILJ_REPORT_CHROME || format == ILJ_REPORT_COBERTURA || format == ILJ_REPORT_LCOV ||
            format == ILJ_REPORT_MIBC)
            continue; /* they need a timeline (test_timeline.c), lines (e2e/coverage), or assemblies (test_mibc.c) */
        ilj_report_options options = {.format = (ilj_report_format)format};
        later_ones_fail = false;
        assert_true(fail_each(files, 2, &options) > 20);
        later_ones_fail = true;
        assert_true(fail_each(files, 2, &options) > 20);
    }
    buffer_clear(&files[0]);
    buffer_clear(&files[1]);
}

static int silent(void *user, const char *text, size_t length) {
    (void)user;
    (void)text;
    (void)length;
    return 0;
}

static void told_to_result(void *user, const ilj_diagnostic *diagnostic) {
    result *r = user;
    r->told++;
    snprintf(r->last, sizeof r->last, "%s %s", diagnostic->code, diagnostic->file);
}

static void files_are_opened_by_the_public_function(void **state) {
    (void)state;
    result r = {0};
    ilj_context *context;
    ilj_report_options options = {.size = sizeof options, .format = ILJ_REPORT_TEXT};
    assert_int_equal(ilj_context_new(&context, told_to_result, &r), ILJ_OK);
    assert_int_equal(ilj_report(context, NULL, 0, &options, silent, NULL), ILJ_IO);
    assert_string_equal(r.last, "ILJ0604 ");
    const char *const missing[] = {"no such file.ilprof", "/dev/null/x"};
    assert_int_equal(ilj_report(context, missing, 2, &options, silent, NULL), ILJ_IO);
    assert_int_equal(r.told, 3);
    assert_string_equal(r.last, "ILJ0900 /dev/null/x");
    ilj_context_free(context);
}

/* ---- For the golden suite --------------------------------------------------------------------------------------- */

static int to_stdout(void *user, const char *text, size_t length) {
    (void)user;
    return fwrite(text, 1, length, stdout) != length;
}

static int write_made(const char *path, void (*make)(buffer *file)) {
    buffer file = BUFFER_INIT;
    make(&file);
    FILE *f = fopen(path, "wb");
    bool written = f && fwrite(file.data, 1, file.size, f) == file.size;
    if (f && fclose(f) != 0)
        written = false;
    buffer_clear(&file);
    return !written;
}

static int show(int count, char **arguments) {
    whole_head = false;
    ilj_report_options options = {.format = ILJ_REPORT_TEXT, .width = (unsigned)atoi(arguments[1])};
    static const char *const formats[] = {
#define NAME(id, name) [ILJ_REPORT_##id] = (name),
        ILJ_REPORT_FORMATS(NAME, NAME)
#undef NAME
    };
    for (int i = 0; i < ILJ_REPORT_FORMAT_COUNT; i++)
        if (strcmp(arguments[0], formats[i]) == 0)
            options.format = (ilj_report_format)i;
    void (*make)(buffer * file) = sample_profile;
    for (int i = 2; i < count; i++) {
        options.color |= strcmp(arguments[i], "color") == 0;
        options.raw_names |= strcmp(arguments[i], "raw") == 0;
        options.threads |= strcmp(arguments[i], "threads") == 0;
        options.async |= strcmp(arguments[i], "async") == 0;
        if (strcmp(arguments[i], "events") == 0)
            make = events_profile;
        if (strcmp(arguments[i], "times") == 0)
            make = times_profile;
    }
    buffer file = BUFFER_INIT;
    make(&file);
    diag d = {.file = "sample.ilprof"};
    ecma_status status =
        report_run(&(report_input){.content = buffer_bytes(&file), .d = &d}, 1, &options, to_stdout, NULL);
    buffer_clear(&file);
    return status != ECMA_OK;
}

int main(int count, char **arguments) {
    if (count == 3 && strcmp(arguments[1], "sample") == 0)
        return write_made(arguments[2], sample_profile);
    if (count == 3 && strcmp(arguments[1], "events") == 0)
        return write_made(arguments[2], events_profile);
    if (count == 3 && strcmp(arguments[1], "times") == 0)
        return write_made(arguments[2], times_profile);
    if (count >= 4 && strcmp(arguments[1], "show") == 0)
        return show(count - 2, arguments + 2);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sample_has_the_figures_worked_out_by_hand),
        cmocka_unit_test(profiles_are_merged_by_method_and_path_whatever_their_clocks),
        cmocka_unit_test(a_method_without_a_name_has_the_assembly_s_and_a_number),
        cmocka_unit_test(recursion_counts_inclusive_time_once),
        cmocka_unit_test(own_time_is_never_negative_and_sums_never_wrap),
        cmocka_unit_test(chains_of_200000_calls_are_reported_within_the_width),
        cmocka_unit_test(million_nodes_are_merged),
        cmocka_unit_test(tables_are_sorted_and_cut_as_asked),
        cmocka_unit_test(reports_keep_to_the_width),
        cmocka_unit_test(steering_characters_do_not_reach_the_terminal),
        cmocka_unit_test(json_strings_are_utf8_whatever_the_file_holds),
        cmocka_unit_test(one_bad_profile_among_good_ones_stops_all_output),
        cmocka_unit_test(refused_write_ends_with_io),
        cmocka_unit_test(every_allocation_may_fail),
        cmocka_unit_test(files_are_opened_by_the_public_function),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
