/* Methods that were switched off while the program ran: what reports make of section SWCH. Figures were worked out by
 * hand; ticks are nanoseconds. */
#include <libdeflate.h>

#include "report/diff/write.h"
#include "report/merge/merge.h"
#include "report_unit.h"

/* m0 calls m1 and, 3 times, m2; m1 calls m2 10 times, and that m3; m1 calls m4, too. Own times: m0 200, m1 250,
 * m2 200 below m1 and 200 below m0, m3 100, m4 50. */
static const call tree[] = {{1, 0, 0, 1000}, {2, 0, 1, 1000}, {2, 1, 10, 600}, {1, 2, 10, 300},
                            {0, 3, 5, 100},  {0, 4, 2, 50},   {0, 2, 3, 200}};

enum { NODES = sizeof tree / sizeof tree[0], BY_GOVERNOR = 1, BY_USER = 2, WAS = 4 };

static void switches(buffer *file, const uint64_t (*entries)[4], size_t count) {
    buffer b = BUFFER_INIT;
    buffer_varuint(&b, count);
    for (size_t i = 0; i < count; i++)
        for (size_t k = 0; k < 4; k++)
            buffer_varuint(&b, entries[i][k] + (k == 0 ? SAMPLE_BASE : 0));
    maker_section(file, "SWCH", &b);
    buffer_clear(&b);
}

/* `method` is switched for these reasons after half a second, when it had had 13 calls. */
static void make_switched(buffer *file, uint64_t method, uint64_t reasons) {
    begin_profile(file, "1000000000", 1, tree, NODES);
    switches(file, (const uint64_t[][4]){{method, reasons, 500000000, 13}}, 1);
    maker_end(file);
}

static bool has_function(const json_t *root, const char *name) {
    size_t i;
    json_t *f;
    json_array_foreach(json_object_get(root, "functions"), i, f) {
        if (strcmp(string_at(f, "name"), name) == 0)
            return true;
    }
    return false;
}

static void switched_is(const json_t *root, size_t index, const char *name, long long calls, bool governor, bool user) {
    const json_t *s = json_array_get(json_object_get(root, "switched"), index);
    assert_non_null(s);
    assert_string_equal(string_at(s, "name"), name);
    assert_int_equal(number_at(s, "calls"), calls);
    assert_int_equal(number_at(s, "at_ns"), 500000000);
    assert_int_equal(json_is_true(json_object_get(s, "off_by_governor")), governor);
    assert_int_equal(json_is_true(json_object_get(s, "off_by_user")), user);
}

static void time_of_what_the_governor_took_is_its_callers(void **state) {
    (void)state;
    buffer file = BUFFER_INIT;
    make_switched(&file, 2, BY_GOVERNOR);
    json_t *root = json_of(&file, 1);
    assert_false(has_function(root, "N.T.m2()"));
    figures_are(root, "N.T.m0()", 1, 1000, 400);
    figures_are(root, "N.T.m1()", 10, 600, 450);
    figures_are(root, "N.T.m3()", 5, 100, 100);
    figures_are(root, "N.T.m4()", 2, 50, 50);
    const json_t *totals = json_object_get(root, "totals");
    assert_int_equal(number_at(totals, "exclusive_ns"), 1000);
    assert_int_equal(number_at(totals, "enters"), 18);
    const json_t *nodes = json_object_get(json_array_get(json_object_get(root, "threads"), 0), "tree");
    static const int depths[] = {0, 1, 2, 3, 3};
    assert_int_equal(json_array_size(nodes), 5);
    for (size_t i = 0; i < 5; i++)
        assert_int_equal(number_at(json_array_get(nodes, i), "depth"), depths[i]);
    switched_is(root, 0, "N.T.m2()", 13, true, false);
    json_decref(root);
    buffer_clear(&file);
}

static void what_the_user_switched_keeps_its_figures(void **state) {
    (void)state;
    static const uint64_t reasons[] = {BY_USER, BY_USER * WAS, BY_GOVERNOR * WAS};
    for (size_t i = 0; i < 3; i++) {
        buffer file = BUFFER_INIT;
        make_switched(&file, 2, reasons[i]);
        json_t *root = json_of(&file, 1);
        figures_are(root, "N.T.m2()", 13, 500, 400);
        figures_are(root, "N.T.m1()", 10, 600, 250);
        switched_is(root, 0, "N.T.m2()", 13, false, reasons[i] == BY_USER);
        json_decref(root);
        buffer_clear(&file);
    }
}

/* No method is left to have the time. */
static void outermost_methods_may_go(void **state) {
    (void)state;
    buffer file = BUFFER_INIT;
    make_switched(&file, 0, BY_GOVERNOR);
    json_t *root = json_of(&file, 1);
    assert_false(has_function(root, "N.T.m0()"));
    figures_are(root, "N.T.m1()", 10, 600, 250);
    figures_are(root, "N.T.m2()", 13, 500, 400);
    assert_int_equal(number_at(json_object_get(root, "totals"), "exclusive_ns"), 800);
    const json_t *top = json_array_get(json_object_get(json_array_get(json_object_get(root, "threads"), 0), "tree"), 0);
    assert_int_equal(number_at(top, "inclusive_ns"), 800);
    json_decref(root);
    buffer_clear(&file);
}

static void methods_below_each_other_may_go(void **state) {
    (void)state;
    buffer file = BUFFER_INIT;
    begin_profile(&file, "1000000000", 1, tree, NODES);
    switches(&file, (const uint64_t[][4]){{1, BY_GOVERNOR, 500000000, 10}, {2, BY_GOVERNOR | BY_USER, 500000000, 13}},
             2);
    maker_end(&file);
    json_t *root = json_of(&file, 1);
    figures_are(root, "N.T.m0()", 1, 1000, 850);
    figures_are(root, "N.T.m3()", 5, 100, 100);
    figures_are(root, "N.T.m4()", 2, 50, 50);
    switched_is(root, 0, "N.T.m1()", 10, true, false);
    switched_is(root, 1, "N.T.m2()", 13, true, true);
    json_decref(root);
    buffer_clear(&file);
}

/* A call costs 10 ns inside and 20 ns outside. m1: 50,000 own, less 100 calls inside, less 1,000 calls of m2 outside,
 * is 29,000. m2: 30,000 less 10,000. Both together are m1's. */
static void the_cost_of_recorded_calls_is_taken_off(void **state) {
    (void)state;
    static const char *const keys[] = {"ticks_per_second",
                                       "1000000000",
                                       "inside_empty_ps",
                                       "10000",
                                       "outside_empty_ps",
                                       "20000",
                                       "inside_work_ps",
                                       "10000",
                                       "outside_work_ps",
                                       "20000",
                                       "outside_last_ps",
                                       "20000",
                                       NULL};
    buffer file = BUFFER_INIT, b = BUFFER_INIT;
    begin_run(&file, keys, 1);
    maker_thread(&b, 1, "t", 1, 4);
    maker_node(&b, 1, 0, 0, 1000000, 0, 0, 0);
    maker_node(&b, 1, SAMPLE_BASE, 1, 1000000, 0, 0, 0);
    maker_node(&b, 1, SAMPLE_BASE + 1, 100, 80000, 0, 0, 0);
    maker_node(&b, 0, SAMPLE_BASE + 2, 1000, 30000, 0, 0, 0);
    maker_section(&file, "THRD", &b);
    switches(&file, (const uint64_t[][4]){{2, BY_GOVERNOR, 500000000, 1000}}, 1);
    maker_end(&file);
    json_t *root = json_of(&file, 1);
    assert_int_equal(number_at(function_named(root, "N.T.m1()"), "exclusive_ns"), 49000);
    assert_int_equal(number_at(function_named(root, "N.T.m1()"), "inclusive_ns"), 49000);
    json_decref(root);
    buffer_clear(&b);
    buffer_clear(&file);
}

/* Thrown in m2, caught in m1: the thrower is m1 then, at 2 as the catcher. */
static void exceptions_stay_with_who_is_left(void **state) {
    (void)state;
    buffer file = BUFFER_INIT, b = BUFFER_INIT;
    begin_profile(&file, "1000000000", 1, tree, NODES);
    maker_exception_types(&b, (const char *const[]){"N.E", NULL});
    buffer_varuint(&b, 0);
    buffer_varuint(&b, 1);
    maker_path(&b, &(maker_way){.type = 1, .thrower = 4, .catcher = 3, .count = 2, .ticks = 7});
    maker_section(&file, "EXCP", &b);
    switches(&file, (const uint64_t[][4]){{2, BY_GOVERNOR, 500000000, 13}}, 1);
    maker_end(&file);
    json_t *root = json_of(&file, 1);
    const json_t *thread = json_array_get(json_object_get(root, "threads"), 0);
    const json_t *path = json_array_get(json_object_get(thread, "exceptions"), 0);
    assert_int_equal(number_at(path, "thrower"), 3);
    assert_int_equal(number_at(path, "catcher"), 2);
    json_decref(root);
    buffer_clear(&b);
    buffer_clear(&file);
}

static void merge_of(buffer *merged, const buffer *files, size_t count) {
    result r = {0};
    diag d = {.sink = keep, .user = &r, .file = "a.ilprof"};
    static merge m;
    for (size_t i = 0; i < count; i++) {
        profile p = PROFILE_INIT;
        assert_int_equal(profile_read(&p, buffer_bytes(&files[i]), &d), ECMA_OK);
        assert_int_equal(merge_add(&m, &p, &d), ECMA_OK);
        profile_clear(&p);
    }
    assert_int_equal(merge_write(merged, &m, &d), ECMA_OK);
    merge_clear(&m);
    m = MERGE_INIT;
}

/* In one run m2 went, in the other it stayed: what is left of it is the other's. */
static void merged_profiles_keep_it_apart(void **state) {
    (void)state;
    buffer files[2] = {BUFFER_INIT, BUFFER_INIT}, merged = BUFFER_INIT, other = BUFFER_INIT, again = BUFFER_INIT;
    make_switched(&files[0], 2, BY_GOVERNOR);
    make_profile(&files[1], "1000000000", 1, tree, NODES);
    merge_of(&merged, files, 2);
    json_t *root = json_of(&merged, 1);
    figures_are(root, "N.T.m2()", 13, 500, 400);
    figures_are(root, "N.T.m1()", 20, 1200, 700);
    figures_are(root, "N.T.m0()", 2, 2000, 600);
    switched_is(root, 0, "N.T.m2()", 13, true, false);
    json_decref(root);
    merge_of(&other, (const buffer[]){files[1], files[0]}, 2);
    merge_of(&again, &merged, 1);
    assert_int_equal(merged.size, other.size);
    assert_memory_equal(merged.data, other.data, merged.size);
    assert_int_equal(merged.size, again.size);
    assert_memory_equal(merged.data, again.data, merged.size);
    buffer_clear(&files[0]);
    buffer_clear(&files[1]);
    buffer_clear(&merged);
    buffer_clear(&other);
    buffer_clear(&again);
}

/* m0 calls m1, that starts m2; another thread's stack has m2's later slice. m0 went, on the way to m2, too. */
static void a_later_slice_stands_in_its_call_without_them(void **state) {
    (void)state;
    buffer files[2] = {BUFFER_INIT, BUFFER_INIT}, b = BUFFER_INIT;
    const call calls[] = {{2, 0, 0, 0}, {1, 0, 1, 100}, {1, 1, 1, 80}, {0, 2, 1, 30}, {0, 2, 1, 50}};
    begin_profile(&files[0], "1000000000", 1, calls, 5);
    buffer_varuint(&b, 4);
    maker_async(&b, (const uint64_t[11]){1});
    maker_async(&b, (const uint64_t[11]){1, SAMPLE_BASE});
    maker_async(&b, (const uint64_t[11]){1, SAMPLE_BASE + 1});
    maker_async(&b, (const uint64_t[11]){0, SAMPLE_BASE + 2, 1, 1, 1, 0, 0, 80, 100, 180});
    maker_section(&files[0], "ASYN", &b);
    for (const uint8_t *at = (const uint8_t[]){1, 4, 3}, *end = at + 3; at < end; at++)
        buffer_varuint(&b, *at); /* one node, the fourth, of the place at position 3 */
    maker_section(&files[0], "SLIC", &b);
    switches(&files[0], (const uint64_t[][4]){{0, BY_GOVERNOR, 500000000, 1}}, 1);
    maker_end(&files[0]);
    merge_of(&files[1], files, 1);
    for (size_t i = 0; i < 2; i++) {
        json_t *root = json_of(&files[i], 1);
        figures_are(root, "N.T.m1()", 1, 130, 50);
        const json_t *f = function_named(root, "N.T.m2()");
        assert_int_equal(number_at(f, "calls"), 1);
        assert_int_equal(number_at(f, "inclusive_ns"), 80);
        json_decref(root);
        buffer_clear(&files[i]);
    }
    buffer_clear(&b);
}

static void has(const char *text, const char *part) {
    if (!strstr(text, part))
        fail_msg("no\n%s\nin\n%s", part, text);
}

static void text_says_it(void **state) {
    (void)state;
    static const char *const keys[] = {"ticks_per_second",  "1000000000", "overhead",         "10", "call_ps", "65000",
                                       "overhead_permille", "123",        "overhead_settled", "83", NULL};
    buffer file = BUFFER_INIT, b = BUFFER_INIT;
    begin_run(&file, keys, 1);
    maker_thread(&b, 1, "t", 1, 2);
    maker_node(&b, 1, 0, 0, 100, 0, 0, 0);
    maker_node(&b, 0, SAMPLE_BASE + 8, 1, 100, 0, 0, 0);
    maker_section(&file, "THRD", &b);
    switches(&file,
             (const uint64_t[][4]){{1, BY_GOVERNOR, 500000000, 1300}, {3, BY_USER, 600000000, 2000}, {5, 8, 7, 1}}, 3);
    maker_end(&file);
    result r = {0};
    ilj_report_options options = {.format = ILJ_REPORT_TEXT};
    assert_int_equal(run_on(&r, &file, 1, &options), ECMA_OK);
    has(text_of(&r), "\nGovernor allows recording 10 % of the program's processor time: it took 12.3 % over the run, "
                     "8.2 % after the first second, at 65 ns a call; the price was kept; 1 method was switched off\n");
    has(text_of(&r), "          2,000 calls  by hand         at 600 ms  N.T.m3()\n"
                     "          1,300 calls  by the governor at 500 ms  N.T.m1()\n"
                     "              1 calls  on again        at 7 ns  N.T.m5()\n");
    buffer_clear(&r.text);
    buffer_clear(&b);
    buffer_clear(&file);
}

/* Two methods; the governor took one. */
static void make_noted(buffer *file) {
    begin_profile(file, "1000000000", 1, tree, NODES);
    switches(file, (const uint64_t[][4]){{2, BY_GOVERNOR, 500000000, 13}, {4, BY_USER, 500000000, 1}}, 2);
    maker_end(file);
}

/* A run that has counted 13 calls of m2, and knows no time. */
static void make_counted(buffer *file) {
    static const char *const keys[] = {"ticks_per_second", "1000000000", "mode", "counts", NULL};
    buffer b = BUFFER_INIT;
    begin_run(file, keys, 1);
    maker_thread(&b, 1, "t", 1, 2);
    maker_node(&b, 1, 0, 0, 0, 0, 0, 0);
    maker_node(&b, 0, SAMPLE_BASE + 2, 13, 0, 0, 0, 0);
    maker_section(file, "THRD", &b);
    maker_end(file);
    buffer_clear(&b);
}

static void written(result *r, const buffer *file, ilj_report_format format) {
    *r = (result){0};
    assert_int_equal(run_on(r, file, 1, &(ilj_report_options){.format = format}), ECMA_OK);
}

static const char summary[] = "2 methods were switched off while the program ran, 1 of them by the governor: its time "
                              "is their callers'";

static void formats_with_comments_say_it(void **state) {
    (void)state;
    static const char *const notes[] = {summary, "off by the governor after 13 calls: N.T.m2()",
                                        "off by hand after 1 call: N.T.m4()"};
    buffer files[2] = {BUFFER_INIT, BUFFER_INIT};
    make_noted(&files[0]);
    make_counted(&files[1]);
    result r;
    char line[256];
    written(&r, &files[0], ILJ_REPORT_CALLGRIND);
    for (size_t i = 0; i < 3; i++) {
        snprintf(line, sizeof line, "\ndesc: Note: %s\n", notes[i]);
        has(text_of(&r), line);
    }
    buffer_clear(&r.text);
    written(&r, &files[1], ILJ_REPORT_CALLGRIND);
    has(text_of(&r), "\npart: 1\ndesc: Note: calls were only counted: there are no times\n\npositions: line\n");
    buffer_clear(&r.text);
    written(&r, &files[0], ILJ_REPORT_SPEEDSCOPE);
    snprintf(line, sizeof line, " (%s)\",", summary);
    has(text_of(&r), line);
    buffer_clear(&r.text);
    written(&r, &files[1], ILJ_REPORT_SPEEDSCOPE);
    has(text_of(&r), " (calls were only counted: there are no times)\",");
    buffer_clear(&r.text);
    buffer_clear(&files[0]);
    buffer_clear(&files[1]);
}

/* Field 13, the comments, are numbers of strings, which are field 6: of the first, and of each note. */
static void pprof_says_it(void **state) {
    (void)state;
    enum { COMMENT = 13 << 3, STRING = 6 << 3 | 2, MOST = 1 << 16 };
    buffer file = BUFFER_INIT;
    make_noted(&file);
    result r;
    written(&r, &file, ILJ_REPORT_PPROF);
    struct libdeflate_decompressor *d = libdeflate_alloc_decompressor();
    static uint8_t plain[MOST];
    size_t size;
    assert_non_null(d);
    assert_int_equal(libdeflate_gzip_decompress(d, r.text.data, r.text.size, plain, MOST, &size), 0);
    libdeflate_free_decompressor(d);
    uint64_t comments[8], count = 0, strings = 0;
    for (int pass = 0; pass < 2; pass++) { /* comments first, then what they name */
        strings = 0;
        for (reader in = reader_of((bytes){plain, size}); reader_left(&in) > 0;) {
            uint64_t key = 0, value = 0;
            for (unsigned shift = 0, b = 0x80; b & 0x80; shift += 7)
                key |= (uint64_t)((b = reader_u8(&in)) & 0x7F) << shift;
            for (unsigned shift = 0, b = 0x80; b & 0x80; shift += 7)
                value |= (uint64_t)((b = reader_u8(&in)) & 0x7F) << shift;
            assert_false(in.failed);
            if (pass == 0 && key == COMMENT && count < 8)
                comments[count++] = value;
            if (pass == 1 && key == STRING) {
                if (count == 4 && strings == comments[1])
                    assert_memory_equal(in.at, summary, sizeof summary - 1);
                if (count == 4 && strings == comments[2])
                    assert_memory_equal(in.at, "off by the governor after 13 calls: N.T.m2()", 44);
                strings++;
            }
            if ((key & 7) == 2)
                reader_skip(&in, value);
        }
    }
    assert_int_equal(count, 4);
    assert_true(comments[3] == strings - 1);
    buffer_clear(&r.text);
    buffer_clear(&file);
}

static void page_says_it(void **state) {
    (void)state;
    buffer file = BUFFER_INIT;
    make_counted(&file);
    result r;
    written(&r, &file, ILJ_REPORT_HTML);
    has(text_of(&r), "\n\"counted\":true");
    buffer_clear(&r.text);
    buffer_clear(&file);
}

/* m2 is in one run alone, since the governor took it in the other: neither new nor gone. */
static void comparisons_leave_it_out(void **state) {
    (void)state;
    buffer files[2] = {BUFFER_INIT, BUFFER_INIT};
    result text = {0};
    make_profile(&files[0], "1000000000", 1, tree, NODES);
    make_switched(&files[1], 2, BY_GOVERNOR);
    const ilj_diff_options options = {.width = 200};
    const char *name = "a.ilprof";
    diff d = DIFF_INIT;
    diff_view v = {
        .d = &d, .table = &d.methods, .options = &options, .metric = DIFF_OWN, .sides = {{&name, 1}, {&name, 1}}};
    diff_start(&d, 1, 1);
    for (size_t i = 0; i < 2; i++) {
        result r = {0};
        diag told = {.sink = keep, .user = &r, .file = "a.ilprof"};
        profile p = PROFILE_INIT;
        aggregate sum = AGGREGATE_INIT;
        assert_int_equal(profile_read(&p, buffer_bytes(&files[i]), &told), ECMA_OK);
        assert_int_equal(aggregate_profile(&sum, &p, 0, NULL, &told), ECMA_OK);
        assert_int_equal(aggregate_finish(&sum, &told), ECMA_OK);
        assert_true(diff_add(&d, &sum, 1));
        aggregate_clear(&sum);
        profile_clear(&p);
    }
    assert_true(diff_judge(&d) && diff_view_make(&v));
    assert_int_equal(v.groups[DIFF_REMOVED], 0);
    assert_int_equal(d.switched, 1);
    static printer out;
    out = (printer){.write = collect, .user = &text};
    diff_write_text(&out, &v);
    assert_true(print_flush(&out));
    buffer_u8(&text.text, 0);
    has(text_of(&text), "\nSwitched 1 method was off by the governor in some run: it is not compared, and its "
                        "callers' times have its own\n");
    diff_view_clear(&v);
    diff_clear(&d);
    buffer_clear(&text.text);
    buffer_clear(&files[0]);
    buffer_clear(&files[1]);
}

static void refuses(const buffer *file, const char *part) {
    result r = {0};
    ilj_report_options options = {.format = ILJ_REPORT_JSON};
    assert_int_equal(run_on(&r, file, 1, &options), ECMA_BAD_FILE);
    assert_int_equal(r.code, DIAG_PROFILE_DAMAGED);
    has(r.last, part);
    buffer_clear(&r.text);
}

static void damaged_sections_are_refused(void **state) {
    (void)state;
    buffer file = BUFFER_INIT, b = BUFFER_INIT;
    begin_profile(&file, "1000000000", 1, tree, NODES);
    switches(&file, (const uint64_t[][4]){{2, 1, 0, 0}, {2, 1, 0, 0}}, 2);
    maker_end(&file);
    refuses(&file, "ids of methods in their order");
    file.size = 0;
    begin_profile(&file, "1000000000", 1, tree, NODES);
    buffer_varuint(&b, 100);
    maker_section(&file, "SWCH", &b);
    maker_end(&file);
    refuses(&file, "a number of methods that fits");
    file.size = 0;
    begin_profile(&file, "1000000000", 1, tree, NODES);
    switches(&file, (const uint64_t[][4]){{2, 1, 0, 0}}, 1);
    switches(&file, (const uint64_t[][4]){{3, 1, 0, 0}}, 1);
    maker_end(&file);
    refuses(&file, "at most one section SWCH");
    buffer_clear(&b);
    buffer_clear(&file);
}

static void it_ends_cleanly_without_memory(void **state) {
    (void)state;
    buffer file = BUFFER_INIT;
    make_switched(&file, 2, BY_GOVERNOR);
    assert_true(fail_each(&file, 1, &(ilj_report_options){.format = ILJ_REPORT_TEXT}) > 10);
    buffer_clear(&file);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(time_of_what_the_governor_took_is_its_callers),
        cmocka_unit_test(what_the_user_switched_keeps_its_figures),
        cmocka_unit_test(outermost_methods_may_go),
        cmocka_unit_test(methods_below_each_other_may_go),
        cmocka_unit_test(the_cost_of_recorded_calls_is_taken_off),
        cmocka_unit_test(exceptions_stay_with_who_is_left),
        cmocka_unit_test(merged_profiles_keep_it_apart),
        cmocka_unit_test(a_later_slice_stands_in_its_call_without_them),
        cmocka_unit_test(text_says_it),
        cmocka_unit_test(formats_with_comments_say_it),
        cmocka_unit_test(pprof_says_it),
        cmocka_unit_test(page_says_it),
        cmocka_unit_test(comparisons_leave_it_out),
        cmocka_unit_test(damaged_sections_are_refused),
        cmocka_unit_test(it_ends_cleanly_without_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
