/* State machines in the call tree: iterators, slices, steps, and the order of nodes of the same time. */
#include "profile_events.h"
#include "report_unit.h"

/* A module of one type N.T with the given methods, and the head of a profile that has it. */
static void begin_machines(buffer *file, maker_lists *l) {
    buffer b = BUFFER_INIT, names = BUFFER_INIT;
    unsigned methods = l->methods;
    maker_header(file, 1, 0);
    maker_run(file, (const char *const[]){"ticks_per_second", "1000000", NULL});
    maker_join(&b, l, "M.dll", "M", 1, methods);
    maker_names(&names, &b, methods, 1);
    b.size = 0;
    buffer_varuint(&b, 1);
    maker_module(&b, SAMPLE_BASE, methods, "M, Version=1.0.0.0", 2, buffer_bytes(&names));
    maker_section(file, "MODS", &b);
    buffer_clear(&b);
    buffer_clear(&names);
}

/* Ends the profile with the thread in `b`; its call tree is `expected`. */
static void end_machines(buffer *file, buffer *b, const char *expected) {
    maker_section(file, "THRD", b);
    maker_end(file);
    result r = {0};
    ilj_report_options options = {.format = ILJ_REPORT_CALLTREE, .physical = true};
    assert_int_equal(run_on(&r, file, 1, &options), ECMA_OK);
    assert_string_equal(text_of(&r), expected);
    buffer_clear(&r.text);
    buffer_clear(b);
    buffer_clear(file);
}

static void iterator_that_steps_one_of_its_own_stands_above_it(void **state) {
    (void)state;
    buffer file = BUFFER_INIT, b = BUFFER_INIT;
    maker_lists l = {0};
    maker_type(&l, 0, "N", "T", NULL);
    maker_method(&l, 0, 1, 0, "Walk", NULL, "");
    maker_machine(&l, 0, 2, 32, "MoveNext", NULL, "", 1);
    maker_machine(&l, 0, 3, 16 + 32, "MoveNextToo", NULL, "", 1);
    begin_machines(&file, &l);
    maker_thread(&b, 1, "", 1, 5);
    maker_node(&b, 1, 0, 0, 90, 0, 0, 0);
    maker_node(&b, 2, SAMPLE_BASE + 1, 3, 90, 0, 0, 0);
    maker_node(&b, 0, SAMPLE_BASE, 1, 5, 0, 0, 0);
    maker_node(&b, 1, SAMPLE_BASE + 1, 2, 40, 0, 0, 0);
    maker_node(&b, 0, SAMPLE_BASE + 2, 1, 30, 0, 0, 0);
    end_machines(&file, &b,
                 "Calls  Inclusive  Exclusive  Call tree\n"
                 "    0    90.0 \u00b5s    45.0 \u00b5s  N.T.Walk() [async iterator] (3 steps)\n"
                 "    1    45.0 \u00b5s    15.0 \u00b5s    N.T.Walk() [async iterator] (2 steps)\n"
                 "    0    30.0 \u00b5s    30.0 \u00b5s      N.T.Walk() [async iterator] (1 step)\n");
}

static void first_slice_below_the_builders_frames_is_not_resumed(void **state) {
    (void)state;
    buffer file = BUFFER_INIT, b = BUFFER_INIT;
    maker_lists l = {0};
    maker_type(&l, 0, "N", "T", NULL);
    maker_method(&l, 0, 1, 0, "Load", NULL, "");
    maker_method(&l, 0, 2, 0, "Start", NULL, "");
    maker_machine(&l, 0, 3, 16, "MoveNext", NULL, "", 1);
    begin_machines(&file, &l);
    maker_thread(&b, 1, "", 1, 10);
    maker_node(&b, 2, 0, 0, 90, 0, 0, 0);
    maker_node(&b, 1, SAMPLE_BASE, 3, 60, 0, 0, 0);
    maker_node(&b, 1, SAMPLE_BASE + 1, 3, 50, 0, 0, 0);
    maker_node(&b, 1, SAMPLE_BASE + 1, 3, 40, 0, 0, 0);
    maker_node(&b, 1, SAMPLE_BASE + 1, 3, 30, 0, 0, 0);
    maker_node(&b, 1, SAMPLE_BASE + 2, 3, 20, 0, 0, 0);
    maker_node(&b, 1, SAMPLE_BASE + 1, 1, 10, 0, 0, 0);
    maker_node(&b, 0, SAMPLE_BASE + 2, 2, 5, 0, 0, 0);
    maker_node(&b, 1, SAMPLE_BASE + 1, 1, 30, 0, 0, 0);
    maker_node(&b, 0, SAMPLE_BASE + 2, 4, 10, 0, 0, 0);
    end_machines(&file, &b,
                 "Calls  Inclusive  Exclusive  Call tree\n"
                 "    3    60.0 \u00b5s    10.0 \u00b5s  N.T.Load() [async]\n"
                 "    3    50.0 \u00b5s    10.0 \u00b5s    N.T.Start()\n"
                 "    3    40.0 \u00b5s    10.0 \u00b5s      N.T.Start()\n"
                 "    3    30.0 \u00b5s    10.0 \u00b5s        N.T.Start()\n"
                 "    0    20.0 \u00b5s    10.0 \u00b5s          N.T.Load() [async] (3 steps)\n"
                 "    1    10.0 \u00b5s    5.00 \u00b5s            N.T.Start()\n"
                 "    2    5.00 \u00b5s    5.00 \u00b5s              N.T.Load() [async] (resumed)\n"
                 "    1    30.0 \u00b5s    20.0 \u00b5s  N.T.Start()\n"
                 "    4    10.0 \u00b5s    10.0 \u00b5s    N.T.Load() [async] (resumed)\n");
}

/* Nodes of the same time without calls of their own stand by their names, whichever ran first; a
 * resumed one does, too. */
static void equal_steps_stand_in_the_order_of_their_names(void **state) {
    (void)state;
    for (unsigned first = 0; first < 2; first++) {
        buffer file = BUFFER_INIT, b = BUFFER_INIT;
        maker_lists l = {0};
        maker_type(&l, 0, "N", "T", NULL);
        maker_method(&l, 0, 1, 0, "Alpha", NULL, "");
        maker_method(&l, 0, 2, 0, "Beta", NULL, "");
        maker_machine(&l, 0, 3, 16, "MoveNext", NULL, "", 1);
        maker_machine(&l, 0, 4, 32, "MoveNextToo", NULL, "", 2);
        begin_machines(&file, &l);
        maker_thread(&b, 1, "", 1, 3);
        maker_node(&b, 2, 0, 0, 40, 0, 0, 0);
        maker_node(&b, 0, SAMPLE_BASE + (first == 0 ? 3 : 2), 4, 20, 0, 0, 0);
        maker_node(&b, 0, SAMPLE_BASE + (first == 0 ? 2 : 3), 4, 20, 0, 0, 0);
        end_machines(&file, &b,
                     "Calls  Inclusive  Exclusive  Call tree\n"
                     "    4    20.0 \u00b5s    20.0 \u00b5s  N.T.Alpha() [async] (resumed)\n"
                     "    0    20.0 \u00b5s    20.0 \u00b5s  N.T.Beta() [iterator] (4 steps)\n");
    }
}

static void slices_of_methods_that_the_runtime_suspends_are_no_calls(void **state) {
    (void)state;
    buffer file = BUFFER_INIT, b = BUFFER_INIT;
    const call calls[] = {{2, 0, 0, 0}, {1, 0, 1, 90}, {0, 1, 5, 40}, {0, 1, 7, 30}};
    begin_profile(&file, "1000000", 1, calls, 4);
    buffer_varuint(&b, 2);
    maker_async(&b, (const uint64_t[11]){1});
    maker_async(&b, (const uint64_t[11]){0, SAMPLE_BASE + 1, 5, 7, 5, 0, 0, 70, 100, 170});
    maker_section(&file, "ASYN", &b);
    maker_end(&file);
    json_t *root = json_of(&file, 1);
    const json_t *f = function_named(root, "N.T.m1()");
    static const char *const keys[] = {"calls", "steps", "inclusive_ns", "average_ns", NULL};
    numbers_are(f, keys, (const long long[]){5, 7, 70000, 14000});
    assert_string_equal(string_at(f, "machine"), "runtime async");
    assert_int_equal(number_at(json_object_get(root, "totals"), "enters"), 13);
    assert_int_equal(number_at(json_object_get(root, "totals"), "steps"), 7);
    assert_int_equal(number_at(function_named(root, "N.T.m0()"), "calls"), 1);
    json_decref(root);
    buffer_clear(&b);
    buffer_clear(&file);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(iterator_that_steps_one_of_its_own_stands_above_it),
        cmocka_unit_test(first_slice_below_the_builders_frames_is_not_resumed),
        cmocka_unit_test(equal_steps_stand_in_the_order_of_their_names),
        cmocka_unit_test(slices_of_methods_that_the_runtime_suspends_are_no_calls),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
