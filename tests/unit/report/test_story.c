/* The sentence that a comparison begins with, for trees with a known change. */
#include "report/diff/write.h"
#include "report_unit.h"

enum { MS = 1000000 };

/* A call in a tree, in pre-order: its level from 1, its method, how often, its own milliseconds. */
typedef struct of_method {
    unsigned level;
    const char *method;
    uint64_t calls, own_ms;
} of_method;

static unsigned children_of(const of_method *calls, size_t at) {
    unsigned count = 0, level = at == 0 ? 1 : calls[at - 1].level + 1;
    for (; calls[at].method && calls[at].level >= level; at++)
        count += calls[at].level == level;
    return count;
}

static const char *const method_names[] = {"Main", "Handle", "List", "Load", "Scan", "Write"};
enum { NAMES = sizeof method_names / sizeof method_names[0] };

static uint64_t id_of(const char *method) {
    for (unsigned i = 0; i < NAMES; i++)
        if (strcmp(method_names[i], method) == 0)
            return SAMPLE_BASE + i;
    fail_msg("no method %s", method);
    return 0;
}

static void make(buffer *file, const of_method *calls) {
    buffer b = BUFFER_INIT, resource = BUFFER_INIT;
    size_t count = 0;
    while (calls[count].method)
        count++;
    maker_header(file, 1, 0);
    maker_run(file, (const char *const[]){"ticks_per_second", "1000000000", NULL});
    maker_lists l = {0};
    maker_type(&l, 0, "N", "T", NULL);
    for (unsigned i = 0; i < NAMES; i++)
        maker_method(&l, 0, i + 1, 0, method_names[i], NULL, "int");
    maker_join(&b, &l, "M.dll", "M, Version=1.0", 1, NAMES);
    maker_names(&resource, &b, NAMES, 1);
    b.size = 0;
    buffer_varuint(&b, 1);
    maker_module(&b, SAMPLE_BASE, NAMES, "M, Version=1.0", 1, buffer_bytes(&resource));
    maker_section(file, "MODS", &b);
    maker_thread(&b, 1, "t", 1, count + 1);
    maker_node(&b, children_of(calls, 0), 0, 0, 0, 0, 0, 0);
    for (size_t i = 0; i < count; i++) {
        uint64_t whole = calls[i].own_ms;
        for (size_t k = i + 1; k < count && calls[k].level > calls[i].level; k++)
            whole += calls[k].own_ms;
        maker_node(&b, children_of(calls, i + 1), id_of(calls[i].method), calls[i].calls, whole * MS, 0, 0, 0);
    }
    maker_section(file, "THRD", &b);
    maker_end(file);
    buffer_clear(&b);
    buffer_clear(&resource);
}

static void add(diff *d, const of_method *calls) {
    buffer file = BUFFER_INIT;
    diag told = {.file = "x"};
    profile p = PROFILE_INIT;
    aggregate sum = AGGREGATE_INIT;
    make(&file, calls);
    assert_int_equal(profile_read(&p, buffer_bytes(&file), &told), ECMA_OK);
    assert_int_equal(aggregate_profile(&sum, &p, 0, NULL, &told), ECMA_OK);
    assert_int_equal(aggregate_finish(&sum, &told), ECMA_OK);
    assert_true(diff_add(d, &sum, 1));
    profile_clear(&p);
    aggregate_clear(&sum);
    buffer_clear(&file);
}

static void tells(const char *sentence, const of_method *before, const of_method *after) {
    diff d = DIFF_INIT;
    diff_start(&d, 1, 1);
    add(&d, before);
    add(&d, after);
    diff_story story;
    story_text t = {.name_count = 0};
    assert_true(diff_judge(&d) && story_find(&story, &d));
    story_tell(&t, &d, &story);
    buffer_u8(&t.text, 0);
    assert_string_equal((const char *)t.text.data, sentence);
    buffer_clear(&t.text);
    diff_clear(&d);
}
#define CALLS(...)                                                                                                     \
    (const of_method[]) {                                                                                              \
        __VA_ARGS__, {                                                                                                 \
            .method = NULL                                                                                             \
        }                                                                                                              \
    }

static const of_method before[] = {{1, "Main", 1, 10},  {2, "Handle", 20, 20}, {3, "List", 20, 70},
                                   {4, "Scan", 20, 10}, {3, "Write", 20, 20},  {.method = NULL}};

static void a_new_method_is_named_with_its_calls(void **state) {
    (void)state;
    tells("T.Handle takes 46.0 ms instead of 6.00 ms a call: T.Load, new, is called 40 times in each call of T.List.",
          before,
          CALLS({1, "Main", 1, 10}, {2, "Handle", 20, 20}, {3, "List", 20, 70}, {4, "Scan", 20, 10},
                {4, "Load", 800, 50}, {5, "Scan", 800, 750}, {3, "Write", 20, 20}));
    tells("T.Main takes 930 ms instead of 130 ms: T.Load, new, is called once.", before,
          CALLS({1, "Main", 1, 10}, {2, "Handle", 20, 20}, {3, "List", 20, 70}, {4, "Scan", 20, 10},
                {3, "Write", 20, 20}, {2, "Load", 1, 800}));
}

static void what_is_gone_is_named(void **state) {
    (void)state;
    tells("T.Handle takes 5.50 ms instead of 6.50 ms a call: T.Load is no longer called.",
          CALLS({1, "Main", 1, 10}, {2, "Handle", 20, 40}, {3, "List", 20, 70}, {4, "Load", 20, 20}),
          CALLS({1, "Main", 1, 10}, {2, "Handle", 20, 40}, {3, "List", 20, 70}));
}

static void a_number_of_calls_that_has_grown_is_named(void **state) {
    (void)state;
    tells("T.Handle takes 15.5 ms instead of 6.00 ms a call: T.Scan is called 40 times instead of once in each call of "
          "T.List.",
          before,
          CALLS({1, "Main", 1, 10}, {2, "Handle", 20, 20}, {3, "List", 20, 70}, {4, "Scan", 800, 200},
                {3, "Write", 20, 20}));
}

/* The callee is called as often as before: what takes longer is its own code. */
static void own_code_is_named(void **state) {
    (void)state;
    tells("T.Handle takes 15.0 ms instead of 6.00 ms a call: T.Write's own code takes 10.0 ms instead of 1.00 ms of "
          "that.",
          before,
          CALLS({1, "Main", 1, 10}, {2, "Handle", 20, 20}, {3, "List", 20, 70}, {4, "Scan", 20, 10},
                {3, "Write", 20, 200}));
    tells("T.Handle takes 15.0 ms instead of 6.00 ms a call: its own code takes 10.0 ms instead of 1.00 ms.", before,
          CALLS({1, "Main", 1, 10}, {2, "Handle", 20, 200}, {3, "List", 20, 70}, {4, "Scan", 20, 10},
                {3, "Write", 20, 20}));
}

/* A leaf that is called from everywhere: no callee has half of the change. */
static void a_leaf_is_found_below_several_callers(void **state) {
    (void)state;
    tells("T.Main takes 314 ms instead of 14.0 ms: T.Scan's own code takes 306 ms instead of 6.00 ms of that.",
          CALLS({1, "Main", 1, 2}, {2, "List", 1, 2}, {3, "Scan", 9, 2}, {2, "Load", 1, 2}, {3, "Scan", 9, 2},
                {2, "Write", 1, 2}, {3, "Scan", 9, 2}),
          CALLS({1, "Main", 1, 2}, {2, "List", 1, 2}, {3, "Scan", 9, 102}, {2, "Load", 1, 2}, {3, "Scan", 9, 102},
                {2, "Write", 1, 2}, {3, "Scan", 9, 102}));
}

static void what_only_recurses_is_one_method(void **state) {
    (void)state;
    tells("T.Main takes 604 ms instead of 8.00 ms: T.Scan's own code takes 602 ms instead of 6.00 ms of that.",
          CALLS({1, "Main", 1, 2}, {2, "Scan", 1, 2}, {3, "Scan", 1, 2}, {4, "Scan", 1, 2}),
          CALLS({1, "Main", 1, 2}, {2, "Scan", 1, 200}, {3, "Scan", 1, 201}, {4, "Scan", 1, 201}));
}

/* A load test has a fixed duration: fewer requests that each take longer. */
static void fewer_calls_that_take_longer_are_slower(void **state) {
    (void)state;
    tells("T.Handle takes 50.0 ms instead of 5.00 ms a call: T.Scan is called 10 times in each instead of once.",
          CALLS({1, "Handle", 200, 200}, {2, "Scan", 200, 800}), CALLS({1, "Handle", 20, 20}, {2, "Scan", 200, 980}));
}

static void a_spread_change_names_no_cause(void **state) {
    (void)state;
    tells("T.Main takes 38.0 ms instead of 5.00 ms: no method has half of that.",
          CALLS({1, "Main", 1, 2}, {2, "List", 1, 1}, {2, "Load", 1, 1}, {2, "Write", 1, 1}),
          CALLS({1, "Main", 1, 2}, {2, "List", 1, 12}, {2, "Load", 1, 12}, {2, "Write", 1, 12}));
}

static void without_a_change_it_says_so(void **state) {
    (void)state;
    tells("No time has changed by a tenth or more.", before, before);
    tells("No time has changed by a tenth or more; T.Scan is called 25 times instead of 20.", before,
          CALLS({1, "Main", 1, 10}, {2, "Handle", 20, 20}, {3, "List", 20, 70}, {4, "Scan", 25, 10},
                {3, "Write", 20, 20}));
}

/* Five calls of a method that is new say more than five beside a thousand. */
static void of_equal_numbers_the_new_one_is_named(void **state) {
    (void)state;
    tells("No time has changed by a tenth or more; T.Write, new, is called 5 times.",
          CALLS({1, "Main", 1, 100}, {2, "Scan", 1000, 10}),
          CALLS({1, "Main", 1, 100}, {2, "Scan", 1005, 10}, {2, "Write", 5, 0}));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_new_method_is_named_with_its_calls),
        cmocka_unit_test(what_is_gone_is_named),
        cmocka_unit_test(a_number_of_calls_that_has_grown_is_named),
        cmocka_unit_test(own_code_is_named),
        cmocka_unit_test(a_leaf_is_found_below_several_callers),
        cmocka_unit_test(what_only_recurses_is_one_method),
        cmocka_unit_test(fewer_calls_that_take_longer_are_slower),
        cmocka_unit_test(a_spread_change_names_no_cause),
        cmocka_unit_test(without_a_change_it_says_so),
        cmocka_unit_test(of_equal_numbers_the_new_one_is_named),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
