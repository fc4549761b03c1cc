/* What only waits while others work is one line, as src/report/model/idle.h describes it. One tick is a nanosecond.
 *
 * thread 1                  calls     ticks  of them waiting
 *   Main (#0)                   1    10,000
 *     Run (#1)                  1     9,990            9,985
 * thread 2
 *   Serve (#2)                  1    10,000            6,000
 *     Request (#3)             40     3,000            2,000
 *
 * 2,000 are Serve's and Request's work, 15 Main's and Run's. */
#include "report_unit.h"

typedef struct made {
    uint64_t main_ticks, run_calls, run_ticks, run_waits, serve_waits, request_waits;
} made;

static const made usual = {10000, 1, 9990, 9985, 6000, 2000};

static void put(buffer *b, const uint64_t *fields, size_t count) {
    for (size_t i = 0; i < count; i++)
        buffer_varuint(b, fields[i]);
}

static void make(buffer *file, const made *m) {
    buffer b = BUFFER_INIT;
    maker_header(file, 1, 0);
    maker_run(file, (const char *const[]){"name", "Run", "wall_ticks", "10000", "ticks_per_second", "1000000000",
                                          "shortest_wait_ns", "1", NULL});
    buffer_varuint(&b, 1);
    maker_module(&b, SAMPLE_BASE, 9, "M", 2, (bytes){0});
    maker_section(file, "MODS", &b);
    maker_thread(&b, 1, "", 1, 3);
    maker_node(&b, 1, 0, 0, m->main_ticks, 0, 0, 0);
    maker_node(&b, 1, SAMPLE_BASE, 1, m->main_ticks, 0, 0, 0);
    maker_node(&b, 0, SAMPLE_BASE + 1, m->run_calls, m->run_ticks, 0, 0, 0);
    maker_section(file, "THRD", &b);
    put(&b, (const uint64_t[]){1, 2, m->run_waits}, 3);
    maker_section(file, "WAIT", &b);
    maker_thread(&b, 2, "", 1, 3);
    maker_node(&b, 1, 0, 0, 10000, 0, 0, 0);
    maker_node(&b, 1, SAMPLE_BASE + 2, 1, 10000, 0, 0, 0);
    maker_node(&b, 0, SAMPLE_BASE + 3, 40, 3000, 0, 0, 0);
    maker_section(file, "THRD", &b);
    put(&b, (const uint64_t[]){2, 1, m->serve_waits, 1, m->request_waits}, 5);
    maker_section(file, "WAIT", &b);
    maker_end(file);
    buffer_clear(&b);
}

/* The report has the first text, and lacks the second one; NULL: either. */
static void shows(const made *m, ilj_report_options options, const char *has, const char *lacks) {
    buffer file = BUFFER_INIT;
    make(&file, m);
    result r = {0};
    assert_int_equal(run_on(&r, &file, 1, &options), ECMA_OK);
    if (has && !strstr(text_of(&r), has))
        fail_msg("no '%s' in\n%s", has, text_of(&r));
    if (lacks && strstr(text_of(&r), lacks))
        fail_msg("'%s' in\n%s", lacks, text_of(&r));
    buffer_clear(&r.text);
    buffer_clear(&file);
}

static const ilj_report_options tree = {.view = ILJ_VIEW_TREE}, table = {.view = ILJ_VIEW_FUNCTIONS};

static void a_path_that_only_waits_is_a_line(void **state) {
    (void)state;
    shows(&usual, tree, " 10.0 \u00b5s      15 ns  (waiting) M!#0 \u2192 M!#1\n", "  M!#0\n");
    shows(&usual, tree, "  M!#2\n", NULL);
    shows(&usual, table,
          "\u2026 2 methods that only wait, most in M!#1: 9.99 \u00b5s, and 0.7 % of own time; --idle shows them\n",
          "  M!#0\n");
    shows(&usual, table, "  M!#3\n", NULL);
}

/* One that does some work first stays, and what it ends in is the line. */
static void work_before_it_stays(void **state) {
    (void)state;
    const made m = {10000, 1, 9500, 9490, 6000, 2000};
    shows(&m, tree, "  M!#0\n", "  M!#1\n");
    shows(&m, tree, "(waiting) M!#1\n", NULL);
    shows(&m, table, "1 method that only waits, M!#1: 9.49 \u00b5s,", "  M!#1\n");
}

static void others_are_shown(void **state) {
    (void)state;
    static const struct {
        const char *why;
        made m;
    } others[] = {
        {"its waits are those of many calls", {10000, 40, 9990, 9985, 6000, 2000}},
        {"a tenth of its time is work", {10000, 1, 8990, 8980, 6000, 2000}},
        {"it is short", {4000, 1, 3990, 3985, 6000, 2000}},
        {"nothing else works more", {10000, 1, 9100, 9095, 7000, 3000}},
    };
    for (size_t i = 0; i < sizeof others / sizeof others[0]; i++) {
        shows(&others[i].m, tree, "  M!#0\n", "(waiting) M!");
        shows(&others[i].m, table, "  M!#0\n", "only wait");
    }
}

static void whoever_asks_sees_it(void **state) {
    (void)state;
    static const char *const main_alone[] = {"M!#0"};
    ilj_report_options idle_tree = tree, idle_table = table, filtered = table;
    idle_tree.idle = idle_table.idle = 1;
    filtered.patterns = main_alone;
    filtered.pattern_count = 1;
    shows(&usual, idle_tree, "  M!#0\n", "(waiting) M!");
    shows(&usual, idle_table, "  M!#0\n", "only wait");
    shows(&usual, filtered, "  M!#0\n", "only wait");
}

/* Functions stand by their own time; nodes as they are made: the root, the thread, Main. */
static void a_page_has_its_places(void **state) {
    (void)state;
    ilj_report_options page = {.format = ILJ_REPORT_HTML}, whole = {.format = ILJ_REPORT_HTML, .idle = 1};
    shows(&usual, page, "\"idle\":[0,3],\n\"helpers\":[],\n\"loops\":[],\n\"ranges\"", "\"idle\":[]");
    shows(&usual, page, "\n\"idle\":[2]},", NULL);
    shows(&usual, whole, "\n\"idle\":[]},", "\"idle\":[2");
}

static void it_ends_cleanly_without_memory(void **state) {
    (void)state;
    buffer file = BUFFER_INIT;
    make(&file, &usual);
    const ilj_report_options formats[] = {tree, table, {.format = ILJ_REPORT_HTML}};
    for (size_t f = 0, i = 0; f < sizeof formats / sizeof formats[0]; i++) {
        result r = {0};
        allocations_left = (long)i;
        one_failed = false;
        ecma_status status = run_on(&r, &file, 1, &formats[f]);
        allocations_left = -1;
        buffer_clear(&r.text);
        assert_int_equal(status, one_failed ? ECMA_NO_MEMORY : ECMA_OK);
        if (!one_failed) { /* the next format from the first allocation on */
            f++;
            i = SIZE_MAX;
        }
    }
    buffer_clear(&file);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_path_that_only_waits_is_a_line),
        cmocka_unit_test(work_before_it_stays),
        cmocka_unit_test(others_are_shown),
        cmocka_unit_test(whoever_asks_sees_it),
        cmocka_unit_test(a_page_has_its_places),
        cmocka_unit_test(it_ends_cleanly_without_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
