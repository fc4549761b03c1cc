/* Reports of an uneven machine: figures worked out by hand. Ticks are nanoseconds. */
#include "trust_unit.h"

/* ---- The part that is taken off --------------------------------------------------------------------------------- */

static void waiting_is_what_a_running_thread_took_longer(void **state) {
    (void)state;
    profile_run run = {.ticks_per_second = 1};
    assert_int_equal(correct_waiting(&run), 1000);
    run.machine = (profile_conditions){.ran_ns = 2000000000, .ready_ns = 1000000000};
    assert_int_equal(correct_waiting(&run), 1500);
    run.machine.stolen_permille = 250; /* 1.5 / 0.75 */
    assert_int_equal(correct_waiting(&run), 2000);
    run.clock = bytes_of("cpu", 3);
    assert_int_equal(correct_waiting(&run), 1000);
    run.clock = bytes_of("fast", 4);
    run.machine.stolen_permille = 1000; /* of a damaged file */
    assert_int_equal(correct_waiting(&run), 1500);
    run.machine = (profile_conditions){.ran_ns = 1, .ready_ns = PROFILE_MAX, .stolen_permille = 999};
    assert_int_equal(correct_waiting(&run), 1000000);
    run.machine = (profile_conditions){.ready_ns = 5, .stolen_permille = 200}; /* 1 / 0.8 */
    assert_int_equal(correct_waiting(&run), 1250);
}

/* On average a call cost twice as much as at best, and threads took 1.5 times as long as they ran: three times. The
 * worst is three times the best, so 4.5.
 *   m2: 700,000 less 100 * 49.5; low: 110.25 and a sixteenth, 117.14; high: 16.5 less a sixteenth, 15.469.
 *   m0: 300,000 less 49.5 and 100 * 66.24: one in 100 calls is the last, 4 times in 5: 66 + 30 * 4 / 5 / 100.
 *       low: 117.14 and 100 * 153, high: 15.469 and 100 * 20.625. */
static void means_and_waiting_are_taken_off(void **state) {
    (void)state;
    static const char *const keys[] = {QUIET,
                                       COSTS("_mean", 49000, 60000, 33000, 44000, 64000),
                                       COSTS("_high", 73500, 90000, 49500, 66000, 96000),
                                       "ran_ns",
                                       "2000000000",
                                       "ready_ns",
                                       "1000000000",
                                       NULL};
    buffer file = BUFFER_INIT;
    make(&file, keys, two, 3, NULL);
    json_t *root = json_of(&file, 1);
    range_is(root, "N.T.m2()", 700000 - 4950, 700000 - 11714, 700000 - 1546 - 1);
    range_is(root, "N.T.m0()", 300000 - 6673 - 1, 300000 - 15417 - 1, 300000 - 2077 - 1);
    json_decref(root);
    result r = {0};
    text(&r, &file, (ilj_report_options){0});
    has(&r, ": recording a call took 16.5 to 110.3 ns inside of it and 22.0 to 144.0 ns in its caller\n");
    buffer_clear(&r.text);
    buffer_clear(&file);
}

static void waiting_counts_without_means_too(void **state) {
    (void)state;
    static const char *const keys[] = {QUIET, "ran_ns", "2000000000", "ready_ns", "1000000000", NULL};
    buffer file = BUFFER_INIT;
    make(&file, keys, two, 3, NULL);
    json_t *root = json_of(&file, 1);
    /* 16.5 * 1.5 = 24.75; the most is 24.5 * 1.5 = 36.75 and a sixteenth, 39.046 */
    range_is(root, "N.T.m2()", 700000 - 2475, 700000 - 3904 - 1, 700000 - 1546 - 1);
    json_decref(root);
    buffer_clear(&file);
}

/* 2,000 slices of 2 s are 1 ms long, 2,001 are shorter. In 0.7 ms falls half of a wait, or all waiting, or none: the
 * low ends are two thirds of what they were. No more has passed than was recorded, so the high ones stay. */
static void waiting_in_some_methods_alone_widens_the_ranges(void **state) {
    (void)state;
    static const char *const apart[] = {QUIET,        "ran_ns", "2000000000", "ready_ns",
                                        "1000000000", "slices", "2001",       NULL};
    static const char *const spread[] = {QUIET,        "ran_ns", "2000000000", "ready_ns",
                                         "1000000000", "slices", "2000",       NULL};
    static const char says[] = "; which methods waited is not known: each range goes from all of the waiting to none\n";
    for (int i = 0; i < 2; i++) {
        buffer file = BUFFER_INIT;
        result r = {0};
        make(&file, i == 0 ? apart : spread, two, 3, NULL);
        json_t *root = json_of(&file, 1);
        long long low = 700000 - 3904 - 1, high = 700000 - 1546 - 1;
        range_is(root, "N.T.m2()", 700000 - 2475, low * 2 / 3, high);
        json_decref(root);
        text(&r, &file, (ilj_report_options){0});
        assert_int_equal(strstr(text_of(&r), says) != NULL, i == 0);
        buffer_clear(&r.text);
        buffer_clear(&file);
    }
}

/* m2's 150 ms are a hundred times the mean 1.5 ms from wait to wait: three deviations are 0.3 of the waiting, which
 * is a third of the low end, 149,998,570. */
static void the_luck_of_waiting_is_less_in_longer_times(void **state) {
    (void)state;
    static const char *const keys[] = {QUIET, "ran_ns", "2000000000", "ready_ns", "1000000000", "slices", "2000", NULL};
    static const node nodes[] = {{1, 0, 0, 1000000000}, {1, ID, 1, 1000000000}, {0, ID + 2, 100, 150002475}};
    buffer file = BUFFER_INIT;
    make(&file, keys, nodes, 3, NULL);
    json_t *root = json_of(&file, 1);
    range_is(root, "N.T.m2()", 150000000, 149998570 - 14999857, 150000928);
    json_decref(root);
    buffer_clear(&file);
}

/* ---- Unknown times ---------------------------------------------------------------------------------------------- */

/* Two methods of one line, called 60 million times each, beside a loop of 387 ms. At best a call costs 35 to 52 ns, on
 * average 160 to 175, in nine tenths of the time no more than 285.
 *   m1: 106.6 ns a call were recorded. Less 70, 36.6: 2,196 ms. At most 106.6 - 15.938 (17 less a sixteenth): 5,439.72
 * ms. m2: 76.6 ns a call, 1.6 above 75, of 2.5: less 75 - 5 * 1.6 / 2.5, 4.8: 288 ms. At most 60.662: 3,640 ms. m3: the
 * loop, 387 ms less one call. m0: 11,500 ms of its own for 120 million calls; at most 11,500 less 120 million * 18 * 15
 * / 16: 9,475 ms. */
static const node tiny[] = {{1, 0, 0, 22879000000},
                            {3, ID, 1, 22879000000},
                            {0, ID + 1, 60000000, 6396000000},
                            {0, ID + 2, 60000000, 4596000000},
                            {0, ID + 3, 1, 387000000}};
static const char *const uneven[] = {COSTS("", 20000, 32000, 17000, 18000, 30000),
                                     COSTS("_mean", 75000, 100000, 70000, 90000, 95000),
                                     COSTS("_high", 135000, 150000, 130000, 140000, 150000), NULL};

static void rows_stand_in_the_order_of_estimates(void **state) {
    (void)state;
    buffer file = BUFFER_INIT;
    make(&file, uneven, tiny, 5, NULL);
    result r = {0};
    text(&r, &file, (ilj_report_options){.view = ILJ_VIEW_FUNCTIONS, .width = 80});
    /* Shares are of 2,196, 387 and 288 ms. Nothing is estimated for m0; its part is at most 9,475 of 9,862. */
    has(&r, "     Calls  Inclusive  Exclusive         Range   Own %  Function\n"
            "60,000,000   ~2.20 s    ~2.20 s   0 ns\u20135.44 s    ~76.5  N.T.m1()\n"
            "         1     387 ms     387 ms                 ~13.5  N.T.m3()\n"
            "60,000,000    ~288 ms    ~288 ms  0 ns\u20133.64 s    ~10.0  N.T.m2()\n"
            "         1   ~2.87 s   \u2264 9.47 s   0 ns\u20139.47 s   \u2264 96.1  N.T.m0()\n"
            "~ may be off by more than 10 %: recording\n"
            "\u2264 at most this time, perhaps none\n");
    assert_true(widest_line(text_of(&r)) <= 80);
    text(&r, &file, (ilj_report_options){.view = ILJ_VIEW_FUNCTIONS, .sort = ILJ_SORT_INCLUSIVE, .top = 2});
    has(&r, "N.T.m1()\n\u2026 2 more functions, 23.5 % of own time\n");
    text(&r, &file, (ilj_report_options){.view = ILJ_VIEW_FUNCTIONS, .top = 3});
    has(&r, "N.T.m2()\n\u2026 1 more functions, 0.0 % of own time; 1 of them took at most 9.47 s: N.T.m0\n");
    text(&r, &file, (ilj_report_options){.view = ILJ_VIEW_HOT});
    has(&r, "         1   ~2.87 s   \u2264 9.47 s   100.0  N.T.m0()\n"
            "60,000,000   ~2.20 s    ~2.20 s   ~76.5    N.T.m1()\n~");
    text(&r, &file, (ilj_report_options){.view = ILJ_VIEW_TREE});
    has(&r, "N.T.m0()\n"
            "60,000,000   ~2.20 s    ~2.20 s     N.T.m1()\n"
            "         1     387 ms     387 ms    N.T.m3()\n"
            "60,000,000    ~288 ms    ~288 ms    N.T.m2()\n"
            "~ may");
    text(&r, &file, (ilj_report_options){.view = ILJ_VIEW_CALLERS, .top = 1});
    has(&r, "%  Function, and who called it\n60,000,000   ~2.20 s    ~2.20 s   100.0  N.T.m1()\n");
    json_t *root = json_of(&file, 1);
    const json_t *first = json_array_get(json_object_get(root, "functions"), 0);
    assert_string_equal(string_at(first, "name"), "N.T.m1()");
    assert_null(json_object_get(function_named(root, "N.T.m3()"), "sure"));
    range_is(root, "N.T.m1()", 2196000000, 0, 5439720000);
    assert_true(json_is_false(json_object_get(function_named(root, "N.T.m1()"), "sure")));
    const json_t *tree = json_object_get(json_array_get(json_object_get(root, "threads"), 0), "tree");
    assert_true(json_is_false(json_object_get(json_array_get(tree, 2), "sure")));
    assert_null(json_object_get(json_array_get(tree, 4), "sure"));
    json_decref(root);
    buffer_clear(&r.text);
    buffer_clear(&file);
}

/* Steps of 1 s leave much open. But the run has taken 2 s on its one thread, and so has every call. */
static void no_end_is_above_what_has_passed(void **state) {
    (void)state;
    static const char *const steps[] = {"clock_step_ns", "1000000000", NULL};
    static const char *const wall[] = {"clock_step_ns", "1000000000", "wall_ticks", "2000000000", NULL};
    static const node nodes[] = {{1, 0, 0, 1000000}, {1, ID, 1, 1000000}, {0, ID + 2, 100, 700000}};
    for (int i = 0; i < 2; i++) {
        buffer file = BUFFER_INIT;
        make(&file, i == 0 ? steps : wall, nodes, 3, NULL);
        json_t *root = json_of(&file, 1);
        /* 100 calls: three halves of their root, 15 s */
        assert_int_equal(number_at(function_named(root, "N.T.m2()"), "exclusive_high_ns"),
                         i == 0 ? 15000700000 : 2000000000);
        json_decref(root);
        buffer_clear(&file);
    }
}

/* Of m2's 150 ms, 0.3 of the waiting are open, and what recording cost by 3 us: it is not named. The machine was
 * busy all along: this process had 1.5 of 4 s on its two processors. */
static void marks_say_what_they_are_due_to(void **state) {
    (void)state;
    static const char *const others[] = {
        QUIET,  "ran_ns",     "2000000000", "ready_ns", "1000000000", "slices",     "2000",       "load_permille",
        "1000", "processors", "2",          "cpu_ns",   "1500000000", "wall_ticks", "2000000000", NULL};
    static const char *const alone[] = {QUIET,    "ran_ns", "2000000000", "ready_ns",   "1000000000",
                                        "slices", "2000",   "wall_ticks", "2000000000", NULL};
    static const node nodes[] = {{1, 0, 0, 1000000000}, {1, ID, 1, 1000000000}, {0, ID + 2, 100, 150002475}};
    static const char *const words[] = {"other programs", "waiting for a processor"};
    whole_head = false;
    for (int i = 0; i < 2; i++) {
        buffer file = BUFFER_INIT;
        result r = {0};
        char line[120];
        make(&file, i == 0 ? others : alone, nodes, 3, NULL);
        text(&r, &file, (ilj_report_options){.width = 80});
        snprintf(line, sizeof line, "\n~ may be off by more than 10 %%: %s\n", words[i]);
        has(&r, line);
        snprintf(line, sizeof line, "\nTrust    fair: 15 %% of the time may be off by a tenth: %s\n", words[i]);
        has(&r, line);
        has(&r, i == 0 ? "\nTime     2.00 s, slowed 1.5 times by other programs; processor 1.50 s; 1 thread\n"
                       : "\nTime     2.00 s; 1 thread\n");
        assert_true(widest_line(text_of(&r)) <= 80);
        buffer_clear(&r.text);
        buffer_clear(&file);
    }
    whole_head = true;
}

/* As above, and m0 was blocked for half of the second: that is sure. It works for 350 ms, and the 150 ms of m2 are 15 %
 * of all. */
static void waiting_is_sure(void **state) {
    (void)state;
    static const char *const keys[] = {"ticks_per_second",
                                       "1000000000",
                                       QUIET,
                                       "ran_ns",
                                       "2000000000",
                                       "ready_ns",
                                       "1000000000",
                                       "slices",
                                       "2000",
                                       "wall_ticks",
                                       "2000000000",
                                       "shortest_wait_ns",
                                       "1",
                                       "load_permille",
                                       "1000",
                                       "processors",
                                       "2",
                                       "cpu_ns",
                                       "1500000000",
                                       NULL};
    buffer file = BUFFER_INIT, b = BUFFER_INIT;
    result r = {0};
    begin_run(&file, keys, 1);
    maker_thread(&b, 1, "t", 1, 3);
    maker_node(&b, 1, 0, 0, 1000000000, 0, 0, 0);
    maker_node(&b, 1, ID, 1, 1000000000, 0, 0, 0);
    maker_node(&b, 0, ID + 2, 100, 150002475, 0, 0, 0);
    maker_section(&file, "THRD", &b);
    buffer_varuint(&b, 1);
    buffer_varuint(&b, 1);
    buffer_varuint(&b, 500000000);
    maker_section(&file, "WAIT", &b);
    maker_end(&file);
    whole_head = false;
    text(&r, &file, (ilj_report_options){.width = 80});
    whole_head = true;
    /* It waited 1 s for a processor beside 2 s of work and what it was blocked. */
    has(&r, "\nTime     2.00 s, slowed 1.4 times by others; processor 1.50 s; blocked 500 ms\n");
    has(&r, "\nTrust    fair: 15 % of the time may be off by ");
    buffer_clear(&r.text);
    buffer_clear(&file);
    buffer_clear(&b);
}

/* The hot path follows. With all that the head can have, no line is wider than 80 columns. A view begins with its
 * table. */
static void the_head_has_five_lines(void **state) {
    (void)state;
    buffer file = BUFFER_INIT;
    result r = {0};
    make(&file, uneven, tiny, 5, NULL);
    whole_head = false;
    text(&r, &file, (ilj_report_options){.width = 80});
    const char *expected = "Program  (no name)\n"
                           "Time     0 ns; 1 thread\n"
                           "Calls    120,000,002 of 4 methods\n"
                           "Price    recording took 89.6 % of the time (taken off); to lower it: --verbose\n"
                           "Trust    low: 86 % of the time may be off by half: recording\nHot path ";
    assert_memory_equal(text_of(&r), expected, strlen(expected));
    text(&r, &file, (ilj_report_options){.view = ILJ_VIEW_HOT, .width = 80});
    assert_memory_equal(text_of(&r), "     Calls  Incl", 16);
    whole_head = true;
    text(&r, &file, (ilj_report_options){.view = ILJ_VIEW_HOT, .width = 80});
    has(&r, "Program  (no name)\nFile     a.ilprof\n");
    buffer_clear(&r.text);
    buffer_clear(&file);
}

/* m0 is estimated at nothing and may have 9.47 s. That is little beside 387 s of m3, and much beside 50. */
static void what_may_be_above_nothing_lessens_trust(void **state) {
    (void)state;
    static const struct {
        uint64_t m3_s;
        const char *line;
    } cases[] = {{387, "\nTrust    good: times are right to a tenth\n"},
                 {50, "\nTrust    low: methods with \u2264 may have taken more: recording\n"}};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        const uint64_t m3 = cases[i].m3_s * 1000000000, others = 22879000000 - 387000000;
        const node nodes[] = {{1, 0, 0, others + m3}, {3, ID, 1, others + m3}, tiny[2], tiny[3], {0, ID + 3, 1, m3}};
        buffer file = BUFFER_INIT;
        result r = {0};
        make(&file, uneven, nodes, 5, NULL);
        whole_head = false;
        text(&r, &file, (ilj_report_options){.width = 80});
        whole_head = true;
        has(&r, cases[i].line);
        buffer_clear(&r.text);
        buffer_clear(&file);
    }
}

/* As recorded nothing is open, and the largest comes first. */
static void raw_times_have_no_bounds(void **state) {
    (void)state;
    buffer file = BUFFER_INIT;
    make(&file, uneven, tiny, 5, NULL);
    result r = {0};
    text(&r, &file, (ilj_report_options){.view = ILJ_VIEW_FUNCTIONS, .offset = ILJ_OFFSET_NONE, .top = 1});
    has(&r, "    1    22.9 s     11.5 s   22.9 s    50.3  N.T.m0()\n");
    has_not(&r, "\u2264");
    buffer_clear(&r.text);
    buffer_clear(&file);
}

/* m1's own time is 26.5 less 20.5: 6 ns a call, which a compiler that inlines it may save, and 2 ns of m0's with it. m2
 * has 44.5 of the 61 that were recorded. Both were called 1,000 times. */
static void what_a_compiler_would_inline_may_be_nothing(void **state) {
    (void)state;
    static const char *const keys[] = {QUIET, NULL};
    static const node calls[] = {
        {1, 0, 0, 200000}, {2, ID, 1, 200000}, {0, ID + 1, 1000, 26500}, {0, ID + 2, 1000, 61000}};
    buffer file = BUFFER_INIT;
    make(&file, keys, calls, 4, NULL);
    json_t *root = json_of(&file, 1);
    range_is(root, "N.T.m1()", 6000, 0, 26500 - 15469);
    range_is(root, "N.T.m2()", 61000 - 16500, 61000 - 26031, 61000 - 15469);
    /* 112,500 of its own: once 26.031, 2,000 times 34, and m1's calls themselves */
    assert_int_equal(number_at(function_named(root, "N.T.m0()"), "exclusive_low_ns"), 112500 - 26 - 1 - 68000 - 2000);
    json_decref(root);
    buffer_clear(&file);
}

/* In all 1,000 us; low to high: 500 to 1,000 is half, and 5 us or less is little beside all. */
static void a_time_is_open_below_half_of_what_may_be(void **state) {
    (void)state;
    assert_int_equal(times_trust_of(700, 500, 1000, 1000), TIMES_ROUGH);
    assert_int_equal(times_trust_of(700, 499, 1000, 1000), TIMES_OPEN);
    assert_int_equal(times_trust_of(10, 0, 1000, 1000), TIMES_OPEN); /* a hundredth */
    assert_int_equal(times_trust_of(9, 0, 1000, 1000), TIMES_AT_MOST);
    assert_int_equal(times_trust_of(700, 660, 730, 1000), TIMES_SURE); /* 70 is a tenth */
    assert_int_equal(times_trust_of(700, 659, 730, 1000), TIMES_ROUGH);
    assert_int_equal(times_trust_of(3, 0, 5, 1000), TIMES_SURE);
    assert_int_equal(times_trust_of(3, 0, 6, 1000), TIMES_OPEN);
    assert_int_equal(times_trust_of(0, 0, 0, 0), TIMES_SURE);
}

static void reports_end_cleanly_without_memory(void **state) {
    (void)state;
    buffer file = BUFFER_INIT;
    make(&file, uneven, tiny, 5, NULL);
    assert_true(fail_each(&file, 1, &(ilj_report_options){.format = ILJ_REPORT_TEXT}) > 10);
    buffer_clear(&file);
}

/* `uneven FILE` writes the profile of the two methods of one line. */
int main(int argc, char **argv) {
    if (argc == 3 && strcmp(argv[1], "uneven") == 0) {
        buffer file = BUFFER_INIT;
        make(&file, uneven, tiny, 5, NULL);
        FILE *out = fopen(argv[2], "wb");
        bool done = out && fwrite(file.data, 1, file.size, out) == file.size;
        done = out && fclose(out) == 0 && done;
        buffer_clear(&file);
        return done ? 0 : 1;
    }
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(waiting_is_what_a_running_thread_took_longer),
        cmocka_unit_test(means_and_waiting_are_taken_off),
        cmocka_unit_test(waiting_counts_without_means_too),
        cmocka_unit_test(waiting_in_some_methods_alone_widens_the_ranges),
        cmocka_unit_test(the_luck_of_waiting_is_less_in_longer_times),
        cmocka_unit_test(rows_stand_in_the_order_of_estimates),
        cmocka_unit_test(no_end_is_above_what_has_passed),
        cmocka_unit_test(marks_say_what_they_are_due_to),
        cmocka_unit_test(waiting_is_sure),
        cmocka_unit_test(the_head_has_five_lines),
        cmocka_unit_test(what_may_be_above_nothing_lessens_trust),
        cmocka_unit_test(raw_times_have_no_bounds),
        cmocka_unit_test(what_a_compiler_would_inline_may_be_nothing),
        cmocka_unit_test(a_time_is_open_below_half_of_what_may_be),
        cmocka_unit_test(reports_end_cleanly_without_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
