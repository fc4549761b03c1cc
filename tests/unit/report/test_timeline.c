/* The formats that are made of a timeline. */
#include "profile_times.h"
#include "report/model/timeline.h"
#include "report_unit.h"

/* ---- Callers and callees ---------------------------------------------------------------------------------------- */

/* Nodes of one thread: 1 has no caller, 2 is called by 1, 3 by 2; 5 is folded, below 4. */
static uint32_t parents[] = {0, 0, 1, 2, 0, 4}, depths[] = {0, 1, 2, 3, 1, 2},
                ids[] = {0, 100, 101, 102, PROFILE_ID_FOLDED, 101};
static const profile_thread thread = {.parents = parents, .ids = ids, .depths = depths, .node_count = 6};

/* Each call as "node@start-end", with as many dots before it as it has callers. */
static void order_is(const profile_event *events, uint32_t count, const profile_event *open, uint32_t open_count,
                     const char *expected) {
    const profile_stream s = {.events = (profile_event *)(uintptr_t)events,
                              .event_count = count,
                              .open = (profile_event *)(uintptr_t)open,
                              .open_count = open_count};
    timeline_call *calls;
    uint32_t made;
    buffer text = BUFFER_INIT;
    assert_true(timeline_calls(&calls, &made, &thread, &s, 100));
    assert_int_equal(made, count + open_count);
    for (uint32_t i = 0; i < made; i++) {
        buffer_string(&text, i > 0 ? " " : "");
        for (uint32_t d = 0; d < calls[i].depth; d++)
            buffer_string(&text, ".");
        buffer_printf(&text, "%u@%u-%u%s", calls[i].node, (unsigned)calls[i].start, (unsigned)calls[i].end,
                      calls[i].open ? "+" : "");
    }
    buffer_u8(&text, 0);
    assert_string_equal((char *)text.data, expected);
    free(calls);
    buffer_clear(&text);
}
#define ORDER_IS(expected, ...)                                                                                        \
    order_is((const profile_event[]){__VA_ARGS__}, sizeof(const profile_event[]){__VA_ARGS__} / sizeof(profile_event), \
             NULL, 0, expected)

static void callers_stand_before_their_callees(void **state) {
    (void)state;
    ORDER_IS("1@0-10 .2@1-4 ..3@2-3 .2@5-9", {3, 2, 3}, {2, 1, 4}, {2, 5, 9}, {1, 0, 10});
    ORDER_IS("1@0-1 1@2-3 1@4-5", {1, 0, 1}, {1, 2, 3}, {1, 4, 5});
}

static void calls_of_no_time_are_told_apart_by_depth(void **state) {
    (void)state;
    ORDER_IS("1@5-5 .2@5-5 ..3@5-5 .2@5-5", {3, 5, 5}, {2, 5, 5}, {2, 5, 5}, {1, 5, 5});
    /* The first call of 2 has ended before the second one, which begins at the same tick. */
    ORDER_IS("1@5-9 .2@5-5 .2@5-7 ..3@5-5", {2, 5, 5}, {3, 5, 5}, {2, 5, 7}, {1, 5, 9});
    ORDER_IS("1@5-9 .2@5-9 ..3@5-9", {3, 5, 9}, {2, 5, 9}, {1, 5, 9});
}

static void folded_calls_stand_where_they_were_made(void **state) {
    (void)state;
    ORDER_IS("1@0-10 .2@1-4 ..5@2-3 ...5@2-2", {5, 2, 2}, {5, 2, 3}, {2, 1, 4}, {1, 0, 10});
    ORDER_IS("1@0-10 .5@1-4 ..3@2-3", {3, 2, 3}, {5, 1, 4}, {1, 0, 10});
}

static void calls_whose_callers_are_lost_keep_their_depth(void **state) {
    (void)state;
    ORDER_IS("..3@2-3 ..3@4-5 1@6-7", {3, 2, 3}, {3, 4, 5}, {1, 6, 7});
}

static void open_calls_last_to_the_end(void **state) {
    (void)state;
    static const profile_event ended[] = {{3, 3, 4}, {3, 7, 7}}, open[] = {{1, 0, 0}, {2, 2, 2}};
    order_is(ended, 2, open, 2, "1@0-100+ .2@2-100+ ..3@3-4 ..3@7-7");
    order_is(NULL, 0, open, 2, "1@0-100+ .2@2-100+");
    order_is(NULL, 0, NULL, 0, "");
}

/* A clock that was set back: nothing is lost. */
static void calls_that_overlap_stay(void **state) {
    (void)state;
    ORDER_IS(".2@1-6 1@3-7", {2, 1, 6}, {1, 3, 7});
}

/* ---- Samples ----------------------------------------------------------------------------------------------------- */

static void samples_are(const profile_event *events, uint32_t count, const char *expected) {
    const profile_stream s = {.events = (profile_event *)(uintptr_t)events, .event_count = count};
    timeline_call *calls;
    uint32_t made;
    buffer text = BUFFER_INIT;
    assert_true(timeline_sampled(&calls, &made, &thread, &s));
    for (uint32_t i = 0; i < made; i++)
        buffer_printf(&text, "%s%u.%u@%u-%u", i > 0 ? " " : "", calls[i].depth, calls[i].node, (unsigned)calls[i].start,
                      (unsigned)calls[i].end);
    buffer_u8(&text, 0);
    assert_string_equal((char *)text.data, expected);
    free(calls);
    buffer_clear(&text);
}
#define SAMPLES_ARE(expected, ...)                                                                                     \
    samples_are((const profile_event[]){__VA_ARGS__},                                                                  \
                sizeof(const profile_event[]){__VA_ARGS__} / sizeof(profile_event), expected)

static void a_path_of_samples_in_a_row_is_one_call(void **state) {
    (void)state;
    SAMPLES_ARE("0.1@0-9 1.2@0-7 2.3@0-3 2.3@5-7", {3, 0, 2}, {3, 2, 3}, {2, 3, 5}, {3, 5, 7}, {1, 7, 9});
    SAMPLES_ARE("0.1@1-3 0.4@3-4 1.5@3-4", {1, 1, 3}, {5, 3, 4});
    samples_are(NULL, 0, "");
}

static void what_did_not_run_meanwhile_ends(void **state) {
    (void)state;
    SAMPLES_ARE("0.1@0-2 1.2@0-2 0.1@4-6 1.2@4-6", {2, 0, 2}, {2, 4, 6});
    SAMPLES_ARE("0.1@0-5", {1, 0, 4}, {1, 2, 5}); /* a clock that was set back */
}

/* ---- Formats ---------------------------------------------------------------------------------------------------- */

static void chrome_events_are_nested_and_rounded_together(void **state) {
    (void)state;
    buffer file = BUFFER_INIT, b = BUFFER_INIT;
    static const char *const run[] = {"name", "R", "wall_ticks", "9", "ticks_per_second", "3", "pid", "7", NULL};
    maker_header(&file, 1, 0);
    maker_run(&file, run);
    buffer_varuint(&b, 0);
    maker_section(&file, "MODS", &b);
    maker_thread(&b, 1, "", 1, 3);
    maker_node(&b, 1, 0, 0, 4, 0, 0, 0);
    maker_node(&b, 1, SAMPLE_BASE, 1, 4, 0, 0, 0);
    maker_node(&b, 0, SAMPLE_BASE + 1, 1, 2, 0, 0, 0);
    maker_section(&file, "THRD", &b);
    TIMES_PUT(&b, 0, 1, 1);
    maker_str(&b, "");
    TIMES_PUT(&b, 0, 2, 2, 5, 2, 1, 0, 4, 0);
    maker_section(&file, "TIME", &b);
    maker_end(&file);
    result r = {0};
    ilj_report_options options = {.format = ILJ_REPORT_CHROME};
    assert_int_equal(run_on(&r, &file, 1, &options), ECMA_OK);
    assert_string_equal(
        text_of(&r), "{\"displayTimeUnit\":\"ns\",\"traceEvents\":[\n"
                     "{\"ph\":\"M\",\"pid\":7,\"tid\":0,\"name\":\"process_name\",\"args\":{\"name\":\"R\"}},\n"
                     "{\"ph\":\"M\",\"pid\":7,\"tid\":1,\"name\":\"thread_name\",\"args\":{\"name\":\"Thread 1\"}},\n"
                     "{\"ph\":\"B\",\"pid\":7,\"tid\":1,\"name\":\"?0x1000000\",\"ts\":333333.333,\"cat\":\"call\"},\n"
                     "{\"ph\":\"B\",\"pid\":7,\"tid\":1,\"name\":\"?0x1000001\",\"ts\":1000000.000,\"cat\":\"call\"},\n"
                     "{\"ph\":\"E\",\"pid\":7,\"tid\":1,\"name\":\"?0x1000001\",\"ts\":1666666.666},\n"
                     "{\"ph\":\"E\",\"pid\":7,\"tid\":1,\"name\":\"?0x1000000\",\"ts\":1666666.666}\n"
                     "],\"otherData\":{\"exporter\":\"ilinject " ILJ_VERSION "\",\"overwritten\":\"0\"}}\n");
    buffer_clear(&r.text);
    buffer_clear(&file);
    buffer_clear(&b);
}

static void profile_without_a_timeline_is_told_what_to_set(void **state) {
    (void)state;
    buffer files[2] = {BUFFER_INIT, BUFFER_INIT};
    sample_profile(&files[0]);
    times_profile(&files[1]);
    result r = {0};
    ilj_report_options options = {.format = ILJ_REPORT_CHROME};
    assert_int_equal(run_on(&r, files, 1, &options), ECMA_UNSUPPORTED);
    assert_int_equal(r.code, DIAG_NO_TIMELINE);
    assert_non_null(strstr(r.last, "ILINJECT_TIMELINE=1"));
    assert_int_equal(r.text.size, 0);
    assert_int_equal(run_on(&r, files, 2, &options), ECMA_OK); /* of those that have one */
    buffer_clear(&r.text);
    /* A log as it happened needs all of them. */
    r = (result){0};
    options.format = ILJ_REPORT_CALLLOG;
    assert_int_equal(run_on(&r, files, 2, &options), ECMA_OK);
    assert_int_equal(strncmp(text_of(&r), "# Made from sums", 16), 0);
    buffer_clear(&r.text);
    for (int i = 0; i < 2; i++)
        buffer_clear(&files[i]);
}

static void every_allocation_and_write_may_fail(void **state) {
    (void)state;
    buffer file = BUFFER_INIT;
    times_profile(&file);
    static const ilj_report_format formats[] = {ILJ_REPORT_CHROME, ILJ_REPORT_CALLLOG};
    for (int i = 0; i < 2; i++) {
        ilj_report_options options = {.format = formats[i]};
        later_ones_fail = false;
        assert_true(fail_each(&file, 1, &options) > 20);
        later_ones_fail = true;
        assert_true(fail_each(&file, 1, &options) > 20);
        result r = {.refuse_after = 1};
        assert_int_equal(run_on(&r, &file, 1, &options), ECMA_IO);
        buffer_clear(&r.text);
    }
    buffer_clear(&file);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(callers_stand_before_their_callees),
        cmocka_unit_test(calls_of_no_time_are_told_apart_by_depth),
        cmocka_unit_test(folded_calls_stand_where_they_were_made),
        cmocka_unit_test(calls_whose_callers_are_lost_keep_their_depth),
        cmocka_unit_test(open_calls_last_to_the_end),
        cmocka_unit_test(calls_that_overlap_stay),
        cmocka_unit_test(a_path_of_samples_in_a_row_is_one_call),
        cmocka_unit_test(what_did_not_run_meanwhile_ends),
        cmocka_unit_test(chrome_events_are_nested_and_rounded_together),
        cmocka_unit_test(profile_without_a_timeline_is_told_what_to_set),
        cmocka_unit_test(every_allocation_and_write_may_fail),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
