/* No figure of a text goes beyond what it is a part of: averages of recursion, callers' rows, shares of the run. */
#include "profile_bytes.h"
#include "report/model/ticks.h"
#include "report_unit.h"

enum { ID = SAMPLE_BASE };

static const char *text_with(result *r, const buffer *file, ilj_report_options options) {
    assert_int_equal(run_on(r, file, 1, &options), ECMA_OK);
    return text_of(r);
}

/* The line that has these words. */
static void line_is(const char *text, const char *words, const char *expected) {
    const char *at = strstr(text, words);
    assert_non_null(at);
    while (at > text && at[-1] != '\n')
        at--;
    char line[200];
    snprintf(line, sizeof line, "%.*s", (int)strcspn(at, "\n"), at);
    assert_string_equal(line, expected);
}

/* m0 calls itself 1,000 times, for 30 each: less than a call may cost there, 26.031, and 5 more of its own. */
static void bound_of_an_average_is_of_all_calls(void **state) {
    (void)state;
    static const char *const pairs[] = {"ticks_per_second",
                                        "1000000000",
                                        "inside_empty_ps",
                                        "24500",
                                        "outside_empty_ps",
                                        "30000",
                                        "inside_work_ps",
                                        "16500",
                                        "outside_work_ps",
                                        "22000",
                                        "outside_last_ps",
                                        "32000",
                                        NULL};
    buffer file = BUFFER_INIT, b = BUFFER_INIT;
    begin_run(&file, pairs, 1);
    maker_thread(&b, 1, "t", 1, 3);
    maker_node(&b, 1, 0, 0, 30010, 0, 0, 0);
    maker_node(&b, 1, ID, 1, 30010, 0, 0, 0);
    maker_node(&b, 0, ID, 1000, 30000, 0, 0, 0);
    maker_section(&file, "THRD", &b);
    maker_end(&file);
    result r = {0};
    const char *text =
        text_with(&r, &file,
                  (ilj_report_options){
                      .format = ILJ_REPORT_TEXT, .view = ILJ_VIEW_FUNCTIONS, .columns = "calls,inclusive,average"});
    /* 1,000 * (30 - 16.5) = 13,500, but for 5.5 a call that may be the caller's. It is inside of the outer call as
     * well: twice that by 1,001 calls. */
    line_is(text, "s  N.T.m0()\n", "1,001   ~13.5 \u00b5s   ~26 ns  N.T.m0()");
    buffer_clear(&r.text);
    buffer_clear(&b);
    buffer_clear(&file);
}

/* Nine methods, and one of them allocated 100 bytes: in 60 columns their columns go first, in 100 they stay. */
static void columns_without_news_go_first(void **state) {
    (void)state;
    enum { METHODS = 9 };
    static const char *const pairs[] = {"ticks_per_second", "1000000000", "bytes_counted", "1", NULL};
    buffer file = BUFFER_INIT, b = BUFFER_INIT;
    begin_run(&file, pairs, 1);
    maker_thread(&b, 1, "t", 1, METHODS + 1);
    maker_node(&b, METHODS, 0, 0, METHODS * 1000, 0, 0, 0);
    for (unsigned i = 0; i < METHODS; i++)
        maker_node(&b, 0, ID + i, 1, 1000, 0, 0, 0);
    maker_section(&file, "THRD", &b);
    BYTES_PUT(&b, 1, 1, 100, 0);
    maker_section(&file, "BYTE", &b);
    maker_end(&file);
    for (unsigned width = 60; width <= 100; width += 40) {
        result r = {0};
        const char *text = text_with(
            &r, &file, (ilj_report_options){.format = ILJ_REPORT_TEXT, .view = ILJ_VIEW_FUNCTIONS, .width = width});
        line_is(text, "Function\n",
                width == 60 ? "Calls  Inclusive  Exclusive  Own %  Function"
                            : "Calls  Incl. bytes   Bytes  Inclusive  Exclusive  Average  Own %  Function");
        buffer_clear(&r.text);
    }
    buffer_clear(&b);
    buffer_clear(&file);
}

/* As recorded: m0 calls m1 for 100, which calls itself for 90, and that for 80; m2 calls m1 for 7. */
static void callers_have_their_own_time_in_their_inclusive_one(void **state) {
    (void)state;
    static const call calls[] = {{2, 0, 0, 0},     {1, 0, 1, 110000}, {1, 1, 1, 100000}, {1, 1, 1, 90000},
                                 {0, 1, 1, 80000}, {1, 2, 1, 7000},   {0, 1, 1, 7000}};
    buffer file = BUFFER_INIT;
    make_profile(&file, "1000000000", 1, calls, 7);
    result r = {0};
    const char *text = strstr(
        text_with(&r, &file, (ilj_report_options){.format = ILJ_REPORT_TEXT, .view = ILJ_VIEW_CALLERS}), " N.T.m1()\n");
    assert_non_null(text);
    line_is(text, "\u2190 N.T.m1()", "    2    90.0 \u00b5s    90.0 \u00b5s   84.1    \u2190 N.T.m1()");
    line_is(text, "\u2190 N.T.m0()", "    1     100 \u00b5s    10.0 \u00b5s   93.5    \u2190 N.T.m0()");
    buffer_clear(&r.text);
    buffer_clear(&file);
}

/* Times that passed while threads waited are no part of the processor time that is less. */
static void no_share_is_above_the_whole(void **state) {
    (void)state;
    static const char *const pairs[] = {"ticks_per_second", "1000000000", "wall_ticks", "10000000", "cpu_ns",
                                        "1000000",          "tracker_ns", "2000000",    "jit_ns",   "3000000",
                                        "jit_methods",      "5",          "clock",      "cpu",      NULL};
    buffer file = BUFFER_INIT;
    begin_run(&file, pairs, 1);
    maker_end(&file);
    result r = {0};
    const char *text = text_with(&r, &file, (ilj_report_options){.format = ILJ_REPORT_TEXT});
    line_is(text, &"\nTracker"[1],
            "Tracker  its start, calibrations and samples took 2.00 ms; a longer run has less of it");
    line_is(text, &"\nCompiled"[1], "Compiled 5 methods just in time in 3.00 ms, 30.0 % of the wall time");
    buffer_clear(&r.text);
    buffer_clear(&file);
}

/* Two methods of 100 ms each, by ticks of a millisecond: each may be off by two roots of 100 ticks, and one that came
 * after them; both together by two roots of 200. */
static void ends_of_a_sum_are_those_of_its_ticks(void **state) {
    (void)state;
    enum { MS = 1000000 };
    const uint64_t down = 20 * MS, up = 21099751; /* 1 + 2 * sqrt(101) */
    const ticked_own each = {.ns = 100 * MS, .pieces = MS, .down_ns = down, .up_ns = up};
    const aggregate a = {.pause_ns = MS, .ticked = (ticked_own[]){each, each}}, none = {.pause_ns = MS};
    ticked_own both = {0}, nothing = {0};
    for (uint32_t i = 0; i < 2; i++) {
        ticks_add(&a, &both, i);
        ticks_add(&none, &nothing, i);
    }
    uint64_t low = 2 * (100 * MS - down), high = 2 * (100 * MS + up);
    ticks_settle(&a, &both, 200 * MS, &low, &high);
    assert_int_equal(low, 200 * MS - 28284271);           /* 2 * sqrt(200) */
    assert_int_equal(high, 200 * MS + 1 * MS + 28354893); /* 2 * sqrt(201) */
    low = 190 * MS;
    high = 210 * MS;
    ticks_settle(&a, &nothing, 200 * MS, &low, &high);
    assert_int_equal(low, 190 * MS);
    assert_int_equal(high, 210 * MS);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(ends_of_a_sum_are_those_of_its_ticks),
        cmocka_unit_test(bound_of_an_average_is_of_all_calls),
        cmocka_unit_test(columns_without_news_go_first),
        cmocka_unit_test(callers_have_their_own_time_in_their_inclusive_one),
        cmocka_unit_test(no_share_is_above_the_whole),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
