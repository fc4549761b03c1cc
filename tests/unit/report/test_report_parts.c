#include "report_unit.h"

/* How the whole time splits, and collections. One tick is a nanosecond; nothing is known of probes.
 *
 *                            calls      own  of it waiting   collections  pause
 *   N.T.Main()                   1   100 ms          40 ms
 *     N.T.Work()                 2   500 ms                           3   30 ms
 *     Monitor.Enter(object)      4   150 ms         140 ms
 *     Thread.Sleep(int)          1   200 ms         200 ms            1    5 ms
 *     N.T.Native()              10    50 ms                              a leaf that the list does not name
 *     N.T.Run(), async           1     0 ms, and awaits for 400 ms, of it for 300 ms
 *       Task.Delay(int)          1     0 ms
 */

static void parts_profile(buffer *file) {
    enum { ID = SAMPLE_BASE, MS = 1000000, LEAF = 512 };
    static const char *const run[] = {"name",
                                      "Parts",
                                      "wall_ticks",
                                      "2000000000",
                                      "ticks_per_second",
                                      "1000000000",
                                      "shortest_wait_ns",
                                      "200000",
                                      "collections_counted",
                                      "1",
                                      "pauses_counted",
                                      "1",
                                      NULL};
    static const uint64_t async[3][11] = {{1, 0},
                                          {1, ID + 6, 1, 2, 1, 0, 0, 0, 400 * MS, 400 * MS, 0},
                                          {0, ID + 7, 1, 1, 1, 0, 0, 0, 300 * MS, 300 * MS, 0}};
    static const uint64_t waits[] = {3, 1, 40 * MS, 2, 140 * MS, 1, 200 * MS};
    static const uint64_t collections[] = {2, 2, 3, 2, 1, 0}, pauses[] = {2, 2, 30 * MS, 2, 5 * MS, 0};
    maker_lists l = {0};
    buffer b = BUFFER_INIT, names = BUFFER_INIT;
    maker_type(&l, 0, "N", "T", NULL);
    maker_type(&l, 1, "", "<Run>d__1", NULL);
    maker_type(&l, 0, "System.Threading", "Monitor", NULL);
    maker_type(&l, 0, "System.Threading", "Thread", NULL);
    maker_type(&l, 0, "System.Threading.Tasks", "Task", NULL);
    maker_method(&l, 0, 1, 1, "Main", NULL, "");
    maker_method(&l, 0, 2, 1, "Work", NULL, "");
    maker_method(&l, 2, 10, LEAF | 1, "Enter", NULL, "object");
    maker_method(&l, 3, 11, LEAF | 1, "Sleep", NULL, "int");
    maker_method(&l, 0, 12, LEAF | 1, "Native", NULL, "");
    maker_method(&l, 0, 13, 1, "Run", NULL, "");
    maker_machine(&l, 1, 14, 16, "MoveNext", NULL, "", 6);
    maker_method(&l, 4, 15, LEAF | 1, "Delay", NULL, "int");
    maker_join(&b, &l, "M.dll", "M", 5, 8);
    buffer_varuint(&b, 0);
    maker_names(&names, &b, 8, 0x30);
    maker_header(file, 1, 0);
    maker_run(file, run);
    b.size = 0;
    buffer_varuint(&b, 1);
    maker_module(&b, ID, 8, "M, Version=1.0.0.0", 0x50, buffer_bytes(&names));
    maker_section(file, "MODS", &b);
    maker_thread(&b, 1, "", 1, 9);
    maker_node(&b, 1, 0, 0, 1000 * MS, 0, 0, 0);
    maker_node(&b, 5, ID, 1, 1000 * MS, 0, 0, 0);
    maker_node(&b, 0, ID + 1, 2, 500 * MS, 0, 0, 0);
    maker_node(&b, 0, ID + 2, 4, 150 * MS, 0, 0, 0);
    maker_node(&b, 0, ID + 3, 1, 200 * MS, 0, 0, 0);
    maker_node(&b, 0, ID + 4, 10, 50 * MS, 0, 0, 0);
    maker_node(&b, 1, ID + 5, 1, 0, 0, 0, 0);
    maker_node(&b, 1, ID + 6, 1, 0, 0, 0, 0);
    maker_node(&b, 0, ID + 7, 1, 0, 0, 0, 0);
    maker_section(file, "THRD", &b);
    for (size_t i = 0; i < sizeof waits / sizeof waits[0]; i++)
        buffer_varuint(&b, waits[i]);
    maker_section(file, "WAIT", &b);
    for (size_t i = 0; i < sizeof collections / sizeof collections[0]; i++)
        buffer_varuint(&b, collections[i]);
    maker_section(file, "COLL", &b);
    for (size_t i = 0; i < sizeof pauses / sizeof pauses[0]; i++)
        buffer_varuint(&b, pauses[i]);
    maker_section(file, "PAUS", &b);
    buffer_varuint(&b, 3);
    for (size_t i = 0; i < 3; i++)
        maker_async(&b, async[i]);
    maker_section(file, "ASYN", &b);
    maker_end(file);
    buffer_clear(&b);
    buffer_clear(&names);
}

static void has_lines(const ilj_report_options *options, const char *expected) {
    buffer file = BUFFER_INIT;
    result r = {0};
    parts_profile(&file);
    assert_int_equal(run_on(&r, &file, 1, options), ECMA_OK);
    if (!strstr(text_of(&r), expected))
        fail_msg("no\n%s in\n%s", expected, text_of(&r));
    buffer_clear(&r.text);
    buffer_clear(&file);
}

static void the_whole_time_splits_by_parts(void **state) {
    (void)state;
    /* The parts are 60 + 500 ms of work, 40 of waiting and 100 of awaiting in methods; locks and waits as above; 1,400
     * ms. */
    has_lines(&(ilj_report_options){.by = ILJ_BY_PART},
              "\nCalls  Collections    Pause  Exclusive  Waiting  Awaiting  Time %  Part\n"
              "    4            3  30.0 ms     560 ms  40.0 ms    100 ms    50.0  methods\n"
              "    2            1  5.00 ms       0 ns   200 ms    300 ms    35.7  waits\n"
              "    4            0             10.0 ms   140 ms              10.7  locks\n"
              "   10            0             50.0 ms                        3.6  other calls\n");
}

static void they_can_be_sorted_and_cut(void **state) {
    (void)state;
    has_lines(&(ilj_report_options){.by = ILJ_BY_PART, .sort = ILJ_SORT_CALLS, .top = 1, .columns = "calls,time"},
              "\nCalls  Time %  Part\n"
              "   10     3.6  other calls\n"
              "\u2026 3 more parts, ");
}

static void data_has_them_too(void **state) {
    (void)state;
    static const struct {
        const char *part;
        long long values[6];
    } expected[] = {
        {"methods", {4, 560000000, 40000000, 100000000, 3, 30000000}},
        {"locks", {4, 10000000, 140000000, 0, 0, 0}},
        {"waits", {2, 0, 200000000, 300000000, 1, 5000000}},
        {"other calls", {10, 50000000, 0, 0, 0, 0}},
    };
    static const char *const keys[] = {"calls",       "exclusive_ns",          "waiting_ns",
                                       "awaiting_ns", "exclusive_collections", "exclusive_pause_ns"};
    buffer file = BUFFER_INIT;
    parts_profile(&file);
    json_t *root = json_of(&file, 1);
    const json_t *parts = json_object_get(root, "parts");
    assert_int_equal(json_array_size(parts), sizeof expected / sizeof expected[0]);
    for (size_t i = 0; i < sizeof expected / sizeof expected[0]; i++) {
        assert_string_equal(string_at(json_array_get(parts, i), "part"), expected[i].part);
        for (size_t k = 0; k < sizeof keys / sizeof keys[0]; k++)
            assert_int_equal(number_at(json_array_get(parts, i), keys[k]), expected[i].values[k]);
    }
    json_decref(root);
    buffer_clear(&file);
}

static void collections_stand_at_the_calls_that_they_held_up(void **state) {
    (void)state;
    has_lines(&(ilj_report_options){.view = ILJ_VIEW_FUNCTIONS, .sort = ILJ_SORT_PAUSE, .top = 2},
              "Garbage  4 collections while calls ran, 35.0 ms of pauses: 85.7 % in N.T.Work(), 14.3 % in "
              "System.Threading.Thread.Sleep(int)");
    has_lines(&(ilj_report_options){.view = ILJ_VIEW_FUNCTIONS,
                                    .sort = ILJ_SORT_INCLUSIVE,
                                    .top = 1,
                                    .columns = "inclusive-collections,collections,inclusive-pause,pause"},
              "\nIncl. collections  Collections  Incl. pause  Pause  Function\n"
              "                4            0      35.0 ms         N.T.Main()\n");
}

static void failing_allocations_are_told(void **state) {
    (void)state;
    buffer file = BUFFER_INIT;
    parts_profile(&file);
    fail_each(&file, 1, &(ilj_report_options){.by = ILJ_BY_PART});
    fail_each(&file, 1, &(ilj_report_options){.format = ILJ_REPORT_JSON});
    buffer_clear(&file);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_whole_time_splits_by_parts),
        cmocka_unit_test(they_can_be_sorted_and_cut),
        cmocka_unit_test(data_has_them_too),
        cmocka_unit_test(collections_stand_at_the_calls_that_they_held_up),
        cmocka_unit_test(failing_allocations_are_told),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
