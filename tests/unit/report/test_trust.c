/* Reports of an uneven machine: figures worked out by hand. Ticks are nanoseconds. */
#include "profile/correct.h"
#include "profile/waited.h"
#include "report/merge/merge.h"
#include "report/model/trust.h"
#include "report_unit.h"

enum { ID = SAMPLE_BASE, MOST_KEYS = 80 };

typedef struct node {
    uint64_t children, id, calls, ticks;
} node;

/* Each a call, in the order of run_keys.def: inside and outside of one that does nothing, of one that works, and
 * outside where the caller leaves at once. */
#define COSTS(mark, inside_empty, outside_empty, inside_work, outside_work, outside_last)                              \
    "inside_empty" mark "_ps", #inside_empty, "outside_empty" mark "_ps", #outside_empty, "inside_work" mark "_ps",    \
        #inside_work, "outside_work" mark "_ps", #outside_work, "outside_last" mark "_ps", #outside_last
#define QUIET COSTS("", 24500, 30000, 16500, 22000, 32000)

/* `spans`: a section SPAN, with its number of entries; NULL: none. */
static void make(buffer *file, const char *const *keys, const node *nodes, size_t count, const buffer *spans) {
    const char *pairs[MOST_KEYS] = {"ticks_per_second", "1000000000"};
    for (size_t i = 0; keys[i]; i++)
        pairs[2 + i] = keys[i];
    begin_run(file, pairs, 1);
    buffer b = BUFFER_INIT;
    maker_thread(&b, 1, "t", 1, count);
    for (size_t i = 0; i < count; i++)
        maker_node(&b, nodes[i].children, nodes[i].id, nodes[i].calls, nodes[i].ticks, 0, 0, 0);
    maker_section(file, "THRD", &b);
    if (spans) {
        buffer_append(&b, spans->data, spans->size);
        maker_section(file, "SPAN", &b);
    }
    maker_end(file);
    buffer_clear(&b);
}

static void text(result *r, const buffer *file, ilj_report_options options) {
    options.format = ILJ_REPORT_TEXT;
    r->text.size = 0;
    assert_int_equal(run_on(r, file, 1, &options), ECMA_OK);
}

static void has(const result *r, const char *expected) {
    if (strstr(text_of(r), expected))
        return;
    fprintf(stderr, "no\n%s\nin\n%s", expected, text_of(r)); /* more than fail_msg has room for */
    fail();
}

static void has_not(const result *r, const char *unexpected) {
    if (strstr(text_of(r), unexpected))
        fail_msg("%s\nin\n%s", unexpected, text_of(r));
}

static void range_is(const json_t *root, const char *name, long long ns, long long low, long long high) {
    const json_t *f = function_named(root, name);
    assert_int_equal(number_at(f, "exclusive_ns"), ns);
    assert_int_equal(number_at(f, "exclusive_low_ns"), low);
    assert_int_equal(number_at(f, "exclusive_high_ns"), high);
}

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

/* m0 calls m2 100 times, which works for 7 us; both work, so 16.5 ns within and 22 outside at best. */
static const node two[] = {{1, 0, 0, 1000000}, {1, ID, 1, 1000000}, {0, ID + 2, 100, 700000}};

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
        has(&r, i == 0 ? "\nTime     2.00 s, slowed 1.5 times; processor 1.50 s; 1 thread\n"
                       : "\nTime     2.00 s; 1 thread\n");
        assert_true(widest_line(text_of(&r)) <= 80);
        buffer_clear(&r.text);
        buffer_clear(&file);
    }
    whole_head = true;
}

/* With all that it can have, no line of it is wider than 80 columns. A view begins with its table. */
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
                           "Trust    low: 86 % of the time may be off by half: recording\n\n";
    assert_memory_equal(text_of(&r), expected, strlen(expected));
    text(&r, &file, (ilj_report_options){.view = ILJ_VIEW_HOT, .width = 80});
    assert_memory_equal(text_of(&r), "     Calls  Incl", 16);
    whole_head = true;
    text(&r, &file, (ilj_report_options){.view = ILJ_VIEW_HOT, .width = 80});
    has(&r, "Program  (no name)\nFile     a.ilprof\n");
    buffer_clear(&r.text);
    buffer_clear(&file);
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

/* ---- The head --------------------------------------------------------------------------------------------------- */

/* 1 ms was recorded; a call costs 53.125 ns within, a sixteenth above the 50 measured, and as much outside: 941 calls
 * cost up to 99.98 us, 942 100.09. m0's is one of them. */
static void the_hint_comes_above_a_tenth(void **state) {
    (void)state;
    static const char *const keys[] = {COSTS("", 50000, 50000, 50000, 50000, 50000), NULL};
    node calls[] = {{1, 0, 0, 1000000}, {1, ID, 1, 1000000}, {0, ID + 1, 940, 900000}};
    result r = {0};
    buffer files[2] = {BUFFER_INIT, BUFFER_INIT};
    make(&files[0], keys, calls, 3, NULL);
    text(&r, &files[0], (ilj_report_options){0});
    has_not(&r, "\nProbes ");
    calls[2].calls = 941;
    make(&files[1], keys, calls, 3, NULL);
    text(&r, &files[1], (ilj_report_options){0});
    has(&r, "\nProbes   took 8.8 to 10.0 % of the time, 100.0 ns a call; 99.9 % of that comes from 1 method:\n"
            "          99.9 %  N.T.m1(), 941 calls\n"
            "         For better figures leave these out: give ilinject --config=less.xml, which is written by\n"
            "           ilinject report --suggest=less.xml a.ilprof\n");
    text(&r, &files[1], (ilj_report_options){.offset = ILJ_OFFSET_NONE});
    has(&r, "\nProbes   took 8.8 to 10.0 % of the time");
    buffer_clear(&r.text);
    buffer_clear(&files[0]);
    buffer_clear(&files[1]);
}

/* For merged runs it is known what was taken off their times: m1's 852,950 ns lie between 850,009 and 855,890, m0's
 * between 49,956 and 55,843; so of 1,000,000 at least 88,267 and at most 100,035 went. */
static void the_hint_is_there_when_runs_were_merged(void **state) {
    (void)state;
    static const char *const keys[] = {COSTS("", 50000, 50000, 50000, 50000, 50000), NULL};
    static merge m;
    node calls[] = {{1, 0, 0, 1000000}, {1, ID, 1, 1000000}, {0, ID + 1, 941, 900000}};
    buffer file = BUFFER_INIT, merged = BUFFER_INIT;
    result r = {0};
    diag d = {.sink = keep, .user = &r, .file = "a.ilprof"};
    make(&file, keys, calls, 3, NULL);
    for (int i = 0; i < 2; i++) {
        profile p = PROFILE_INIT;
        assert_int_equal(profile_read(&p, buffer_bytes(&file), &d), ECMA_OK);
        assert_int_equal(merge_add(&m, &p, &d), ECMA_OK);
        profile_clear(&p);
    }
    assert_int_equal(merge_write(&merged, &m, &d), ECMA_OK);
    text(&r, &merged, (ilj_report_options){0});
    has(&r, "\nProbes   took 8.8 to 10.0 % of the time; 99.9 % of that comes from 1 method:\n");
    text(&r, &merged, (ilj_report_options){.offset = ILJ_OFFSET_NONE});
    has(&r, "\nProbes   took 8.8 to 10.0 % of the time; 99.9 % of that comes from 1 method:\n");
    merge_clear(&m);
    buffer_clear(&r.text);
    buffer_clear(&merged);
    buffer_clear(&file);
}

/* It goes by what calls may have cost: 10 to 100 ns each of 1,000 calls in 0.5 ms. */
static void the_hint_goes_by_the_worst_that_was_measured(void **state) {
    (void)state;
    static const char *const keys[] = {COSTS("", 5000, 5000, 5000, 5000, 5000),
                                       COSTS("_mean", 6000, 6000, 6000, 6000, 6000),
                                       COSTS("_high", 50000, 50000, 50000, 50000, 50000), NULL};
    static const node calls[] = {{1, 0, 0, 500000}, {0, ID, 1000, 500000}};
    result r = {0};
    buffer file = BUFFER_INIT;
    make(&file, keys, calls, 2, NULL);
    text(&r, &file, (ilj_report_options){0});
    /* 9.375 and 106.25 us of 500 */
    has(&r,
        "\nProbes   took 1.9 to 21.3 % of the time, 10.0 to 100.0 ns a call; 100.0 % of that comes from 1 method:\n");
    buffer_clear(&r.text);
    buffer_clear(&file);
}

#define MACHINE(ready)                                                                                                 \
    QUIET, COSTS("_mean", 29400, 36000, 19800, 26400, 38400), COSTS("_high", 75950, 93000, 51150, 68200, 99200),       \
        "wall_ticks", "5000000000", "cpu_ns", "4000000000", "processors", "2", "load_permille", "930", "ran_ns",       \
        "4000000000", "ready_ns", ready
#define CALM_BUT_LOAD "wall_ticks", "5000000000", "cpu_ns", "4000000000", "processors", "2", QUIET
#define CALM          CALM_BUT_LOAD, "load_permille", "930"

/* The process had 4 of the 10 s that two processors have in 5; mean costs are 1.2 times the best, high ones 3.1. */
static void the_head_says_how_the_machine_was(void **state) {
    (void)state;
    static const struct {
        const char *keys[MOST_KEYS], *line;
    } cases[] = {
        {{MACHINE("2000000000"), NULL},
         "\nMachine  2 processors, 93 % busy (53 % with other programs), threads waited 2.00 s for a processor in 4.00 "
         "s "
         "of work: times are 1.5 times as long as on a quiet machine, a call cost 1.2 to 3.1 times as much as at best; "
         "shares hold as far as their ranges go, seconds do not\n"},
        {{MACHINE("390000000"), NULL}, /* 1.0975 */
         ", threads waited 390 ms for a processor in 4.00 s of work: times are about as long as on a quiet machine, a "
         "call cost 1.2 to 3.1 times as much as at best\n"},
        {{CALM, "ran_ns", "4000000000", "ready_ns", "396000000", NULL}, NULL}, /* 1.099 */
        {{CALM, "ran_ns", "4000000000", "ready_ns", "400000000", NULL},
         "\nMachine  2 processors, 93 % busy (53 % with other programs), threads waited 400 ms for a processor in 4.00 "
         "s "
         "of work: times are 1.1 times as long as on a quiet machine; shares hold as far as their ranges go, seconds "
         "do "
         "not\n"},
        /* The process had 4 of the 10 s: 40 %. From 5 % on, others had a part. */
        {{"load_permille", "449", CALM_BUT_LOAD, "ran_ns", "4000000000", "ready_ns", "2000000000", NULL},
         "\nMachine  2 processors, 45 % busy, threads waited 2.00 s for a processor in 4.00 s of work: times are 1.5 "
         "times as long as with a processor for each of the program's own threads\n"},
        {{"load_permille", "450", CALM_BUT_LOAD, "ran_ns", "4000000000", "ready_ns", "2000000000", NULL},
         "\nMachine  2 processors, 45 % busy (5 % with other programs), threads waited 2.00 s for a processor in 4.00 "
         "s of work: times are 1.5 times as long as on a quiet machine; shares hold as far as their ranges go, seconds "
         "do not\n"},
        {{CALM, "ran_ns", "4000000000", "stolen_permille", "49", NULL}, NULL},
        {{CALM, "ran_ns", "4000000000", "stolen_permille", "200", NULL}, /* 1 / 0.8 */
         "\nMachine  2 processors, 93 % busy (53 % with other programs), 20 % of that time taken by the host for other "
         "machines, threads waited 0 ns for a processor in 4.00 s of work: times are 1.3 times as long as on a quiet "
         "machine; shares hold as far as their ranges go, seconds do not\n"},
        {{CALM, NULL}, /* it is not known how long threads waited */
         "\nMachine  2 processors, 93 % busy (53 % with other programs): times may be longer than on a quiet machine; "
         "shares hold as far as their ranges go, seconds do not\n"},
        {{QUIET, "wall_ticks", "5000000000", NULL}, NULL},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        buffer file = BUFFER_INIT;
        result r = {0};
        make(&file, cases[i].keys, two, 3, NULL);
        text(&r, &file, (ilj_report_options){0});
        if (cases[i].line)
            has(&r, cases[i].line);
        else
            has_not(&r, "\nMachine");
        buffer_clear(&r.text);
        buffer_clear(&file);
    }
}

/* Two threads may have waited for each other, with or without others. */
static void threads_wait_for_one_another(void **state) {
    (void)state;
    static const char *const pairs[] = {"ticks_per_second", "1000000000", MACHINE("2000000000"), NULL};
    buffer file = BUFFER_INIT;
    result r = {0};
    begin_run(&file, pairs, 1);
    for (uint64_t thread = 1; thread <= 2; thread++) {
        buffer b = BUFFER_INIT;
        maker_thread(&b, thread, "t", 1, 2);
        maker_node(&b, 1, 0, 0, 1000000, 0, 0, 0);
        maker_node(&b, 0, ID, 1, 1000000, 0, 0, 0);
        maker_section(&file, "THRD", &b);
        buffer_clear(&b);
    }
    maker_end(&file);
    text(&r, &file, (ilj_report_options){0});
    has(&r,
        " s of work: times are 1.5 times as long as with a processor for each of the program's own threads, a call");
    has(&r, "; shares hold as far as their ranges go, seconds do not\n");
    buffer_clear(&r.text);
    buffer_clear(&file);
}

/* In 5.4 s of processor time and 3 s of wall time. Compiling waited for a processor as all did: with twice the time,
 * 1.9 s are 950 ms of work. */
static void the_head_says_what_the_runtime_did_beside(void **state) {
    (void)state;
    static const struct {
        const char *jit_ns, *collection_ns, *ready_ns, *lines;
    } cases[] = {
        {"1900000000", "300000000", "0",
         "\nCompiled 4,312 methods just in time in 1.90 s, 35.2 % of the processor time\n"
         "Paused   1,204 garbage collections stopped the program for 300 ms, 10.0 % of the wall time\nThreads"},
        {"1900000000", "299000000", "5400000000",
         "\nCompiled 4,312 methods just in time in 1.90 s, 17.6 % of the processor time\nThreads"},
        {"600000000", "0", "5400000000", /* 300 ms of work are 5.6 % */
         "\nCompiled 4,312 methods just in time in 600 ms, 20.0 % of the wall time\nThreads"},
        {"299000000", "299000000", "0", "\nWall     3.00 s\nThreads"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        const char *const keys[] = {"wall_ticks",  "3000000000", "cpu_ns",        "5400000000",
                                    "jit_methods", "4312",       "jit_ns",        cases[i].jit_ns,
                                    "collections", "1204",       "collection_ns", cases[i].collection_ns,
                                    "ran_ns",      "5400000000", "ready_ns",      cases[i].ready_ns,
                                    NULL};
        buffer file = BUFFER_INIT;
        result r = {0};
        make(&file, keys, two, 3, NULL);
        text(&r, &file, (ilj_report_options){0});
        has(&r, cases[i].lines);
        buffer_clear(&r.text);
        buffer_clear(&file);
    }
}

/* A twentieth of 0.4 s. */
static void the_head_says_what_the_tracker_took(void **state) {
    (void)state;
    static const char *const took[] = {"19999999", "20000000"};
    static const char says[] = "\nTracker  its start, calibrations and samples took 20.0 ms, 5.0 % of the processor "
                               "time; a longer run has less of it\n";
    for (int i = 0; i < 2; i++) {
        const char *const keys[] = {"wall_ticks", "3000000000", "cpu_ns", "400000000", "tracker_ns", took[i], NULL};
        buffer file = BUFFER_INIT;
        result r = {0};
        make(&file, keys, two, 3, NULL);
        text(&r, &file, (ilj_report_options){0});
        if (i == 1)
            has(&r, says);
        else
            has_not(&r, "\nTracker ");
        buffer_clear(&r.text);
        buffer_clear(&file);
    }
}

/* Three of the module's methods were called. */
static void code_that_was_compiled_ahead_is_told(void **state) {
    (void)state;
    static const struct {
        const char *jit_ns;
        uint16_t ahead;
        bool told;
    } cases[] = {{"300000000", 1, true}, {"299000000", 1, false}, {"0", 1, true}, {"300000000", 0, false}};
    static const node three[] = {
        {1, 0, 0, 1000000}, {2, ID, 1, 1000000}, {0, ID + 1, 100, 100000}, {0, ID + 2, 100, 700000}};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        const char *const keys[] = {"wall_ticks", "3000000000", "jit_ns", cases[i].jit_ns, NULL};
        buffer file = BUFFER_INIT;
        result r = {0};
        maker_flags = cases[i].ahead;
        make(&file, keys, three, 4, NULL);
        maker_flags = 0;
        text(&r, &file, (ilj_report_options){0});
        if (cases[i].told)
            has(&r, "\nCompiled 3 of these methods anew: the input's code that was compiled ahead (ReadyToRun) is lost "
                    "when it is instrumented\n");
        else
            has_not(&r, " anew");
        buffer_clear(&r.text);
        buffer_clear(&file);
    }
}

/* ---- One call --------------------------------------------------------------------------------------------------- */

/* m1 has 1.2 s of 1.3 s in one of 4,000 calls, m0 has it from there: 1.21 of 1.4 s in one of 10. m2's two calls, of 300
 * and 40 ms, differ as their work may. m3 is recursive: its outermost call holds all. */
static void one_call_that_took_most_is_told(void **state) {
    (void)state;
    static const char *const keys[] = {"wall_ticks", "3000000000", NULL};
    static const node calls[] = {{3, 0, 0, 2040000000},     {1, ID, 10, 1400000000},   {0, ID + 1, 4000, 1300000000},
                                 {0, ID + 2, 2, 340000000}, {1, ID + 3, 1, 300000000}, {0, ID + 3, 999, 200000000}};
    static const uint64_t spans[] = {5,        1,         1000000, 1209000000, 1, 10000, 1199990000, 1,
                                     40000000, 260000000, 1,       300000000,  0, 1,     1000,       99999000};
    buffer file = BUFFER_INIT, b = BUFFER_INIT;
    for (size_t i = 0; i < sizeof spans / sizeof spans[0]; i++)
        buffer_varuint(&b, spans[i]);
    make(&file, keys, calls, 6, &b);
    result r = {0};
    text(&r, &file, (ilj_report_options){.view = ILJ_VIEW_FUNCTIONS});
    has(&r, "\n\nOne call took most of it: a first call, a collection, or a pause of the machine\n"
            "  1.20 s of 1.30 s in 1 of 4,000 calls: N.T.m1()\n");
    assert_null(strstr(strstr(text_of(&r), "1 of 4,000 calls"), " in 1 of "));
    text(&r, &file, (ilj_report_options){.view = ILJ_VIEW_FUNCTIONS, .by = ILJ_BY_TYPE});
    has_not(&r, "One call");
    buffer_clear(&r.text);
    buffer_clear(&file);
    buffer_clear(&b);
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
        cmocka_unit_test(the_head_has_five_lines),
        cmocka_unit_test(raw_times_have_no_bounds),
        cmocka_unit_test(what_a_compiler_would_inline_may_be_nothing),
        cmocka_unit_test(a_time_is_open_below_half_of_what_may_be),
        cmocka_unit_test(the_hint_comes_above_a_tenth),
        cmocka_unit_test(the_hint_is_there_when_runs_were_merged),
        cmocka_unit_test(the_hint_goes_by_the_worst_that_was_measured),
        cmocka_unit_test(the_head_says_how_the_machine_was),
        cmocka_unit_test(threads_wait_for_one_another),
        cmocka_unit_test(the_head_says_what_the_runtime_did_beside),
        cmocka_unit_test(the_head_says_what_the_tracker_took),
        cmocka_unit_test(code_that_was_compiled_ahead_is_told),
        cmocka_unit_test(one_call_that_took_most_is_told),
        cmocka_unit_test(reports_end_cleanly_without_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
