/* What the whole head of a report says of recording, the machine and the runtime. */
#include "trust_unit.h"

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
 * 1.9 s are 950 ms of work. The short head says it, too. */
static void the_head_says_what_the_runtime_did_beside(void **state) {
    (void)state;
    static const struct {
        const char *jit_ns, *collection_ns, *ready_ns, *lines, *brief;
    } cases[] = {
        {"1900000000", "300000000", "0",
         "\nCompiled 4,312 methods just in time in 1.90 s, 35.2 % of the processor time\n"
         "Paused   1,204 garbage collections took 300 ms, 10.0 % of the wall time\nThreads",
         " methods\nCompiled 4,312 methods just in time in 1.90 s, 35.2 % of the processor time\n"
         "Paused   1,204 garbage collections took 300 ms, 10.0 % of the wall time\nTrust "},
        {"1900000000", "299000000", "5400000000",
         "\nCompiled 4,312 methods just in time in 950 ms, 17.6 % of the processor time\nThreads",
         " methods\nCompiled 4,312 methods just in time in 950 ms, 17.6 % of the processor time\nTrust "},
        {"600000000", "0", "5400000000", /* 300 ms of work are 5.6 % */
         "\nCompiled 4,312 methods just in time in 600 ms, 20.0 % of the wall time\nThreads",
         " methods\nCompiled 4,312 methods just in time in 600 ms, 20.0 % of the wall time\nTrust "},
        {"299000000", "299000000", "0", "\nWall     3.00 s\nThreads", " methods\nTrust "},
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
        whole_head = false;
        text(&r, &file, (ilj_report_options){.width = 80});
        whole_head = true;
        has(&r, cases[i].brief);
        buffer_clear(&r.text);
        buffer_clear(&file);
    }
}

/* One call of 2 s, while threads took twice their work's time: 1 s of the processor's. Below a third is seldom seen. */
static void the_head_says_that_most_work_was_in_no_call(void **state) {
    (void)state;
    static const struct {
        const char *cpu_ns, *tracker_ns, *line;
    } cases[] = {
        {"3000000000", "0", NULL},
        {"4000000000", "0",
         "\nUnseen   75.0 % of the processor time was in no recorded call: threads of packages (--all), of the "
         "runtime\nCalls "},
        {"4000000000", "400000000", NULL},
        {"40000000000", "3000000000",
         "\nUnseen   90.0 % of the processor time was in no recorded call: threads of packages (--all), of the "
         "runtime\nCalls "},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        const char *const keys[] = {"ticks_per_second",
                                    "1000000000",
                                    "wall_ticks",
                                    "3000000000",
                                    "cpu_ns",
                                    cases[i].cpu_ns,
                                    "tracker_ns",
                                    cases[i].tracker_ns,
                                    "ran_ns",
                                    "4000000000",
                                    "ready_ns",
                                    "4000000000",
                                    NULL};
        buffer file = BUFFER_INIT, b = BUFFER_INIT;
        result r = {0};
        begin_run(&file, keys, 1);
        maker_thread(&b, 1, "t", 1, 2);
        maker_node(&b, 1, 0, 0, 2000000000, 0, 0, 0);
        maker_node(&b, 0, ID, 1, 2000000000, 0, 0, 0);
        maker_section(&file, "THRD", &b);
        maker_end(&file);
        whole_head = false;
        text(&r, &file, (ilj_report_options){0});
        whole_head = true;
        if (cases[i].line)
            has(&r, cases[i].line);
        else
            has_not(&r, "\nUnseen ");
        buffer_clear(&b);
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
            has(&r,
                "\nCompiled 3 of these methods again: the input's code that was compiled ahead (ReadyToRun) is lost "
                "when it is instrumented\n");
        else
            has_not(&r, "methods again:");
        buffer_clear(&r.text);
        buffer_clear(&file);
    }
}

/* Three methods of 30 that were compiled, in 2 s, of 10 s of the processor. */
static void compiling_again_is_a_part_of_the_price(void **state) {
    (void)state;
    static const struct {
        const char *jit_ns, *methods;
        uint16_t ahead;
        const char *line;
    } cases[] = {{"2000000000", "30", 1, "\nPrice    compiling again took 2.0 % of the processor time\n"},
                 {"1000000000", "30", 1, "\nPrice    compiling again took 1.0 % of the processor time\n"},
                 {"999000000", "30", 1, NULL},
                 {"2000000000", "2", 1, NULL},
                 {"2000000000", "30", 0, NULL}};
    static const node three[] = {
        {1, 0, 0, 1000000000}, {2, ID, 1, 1000000000}, {0, ID + 1, 1000000, 100000000}, {0, ID + 2, 100, 700000}};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        const char *const keys[] = {"wall_ticks",     "3000000000", "cpu_ns",        "10000000000", "jit_methods",
                                    cases[i].methods, "jit_ns",     cases[i].jit_ns, NULL};
        buffer file = BUFFER_INIT;
        result r = {0};
        maker_flags = cases[i].ahead;
        make(&file, keys, three, 4, NULL);
        maker_flags = 0;
        whole_head = false;
        text(&r, &file, (ilj_report_options){.width = 80});
        whole_head = true;
        if (cases[i].line)
            has(&r, cases[i].line);
        else
            has_not(&r, "Price");
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

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_hint_comes_above_a_tenth),
        cmocka_unit_test(the_hint_is_there_when_runs_were_merged),
        cmocka_unit_test(the_hint_goes_by_the_worst_that_was_measured),
        cmocka_unit_test(the_head_says_how_the_machine_was),
        cmocka_unit_test(threads_wait_for_one_another),
        cmocka_unit_test(the_head_says_what_the_runtime_did_beside),
        cmocka_unit_test(the_head_says_that_most_work_was_in_no_call),
        cmocka_unit_test(the_head_says_what_the_tracker_took),
        cmocka_unit_test(code_that_was_compiled_ahead_is_told),
        cmocka_unit_test(compiling_again_is_a_part_of_the_price),
        cmocka_unit_test(one_call_that_took_most_is_told),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
