/* What lies beside a program's probes, by its small methods. Figures were worked out by hand; ticks are nanoseconds. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "profile/beside.h"
#include "profile/call_costs.h"

enum { FIRST = PROFILE_ID_FIRST, MOST_NODES = 8, STEP = 1000, BESIDE = 3000 };

/* own: with what ticks saw of its probes. */
typedef struct node {
    uint32_t parent, id;
    uint64_t calls, own, probed;
} node;

/* All calls are by ticks, but those of the method with this id. */
static uint64_t leaves_of(const node *nodes, uint32_t count, uint32_t timed) {
    uint32_t parents[MOST_NODES] = {0}, ids[MOST_NODES] = {0};
    profile_thread t = {.node_count = count + 1, .parents = parents, .ids = ids, .has_ticks = true, .has_probed = true};
    profile_module module = {.base = FIRST, .method_count = MOST_NODES};
    assert_true(columns_extend(&t.nodes, count + 1));
    for (uint32_t i = 1; i <= count; i++) {
        const node *n = &nodes[i - 1];
        parents[i] = n->parent;
        ids[i] = FIRST + n->id;
        columns_set(&t.nodes, PROFILE_CALLS, i, n->calls);
        columns_set(&t.nodes, PROFILE_OWN, i, n->own);
        columns_set(&t.nodes, PROFILE_PROBED, i, n->probed);
        columns_set(&t.nodes, PROFILE_TICKED_CALLS, i, n->id == timed ? 0 : n->calls);
    }
    const profile p = {.run = {.ticks_per_second = 1000000000, .clock_step_ns = STEP, .beside_probes_ps = BESIDE},
                       .modules = &module,
                       .module_count = 1,
                       .threads = &t,
                       .thread_count = 1};
    const uint64_t ps = beside_of_leaves(&p);
    columns_clear(&t.nodes);
    return ps;
}

/* m1 takes 2 ns a call without probes, m2 3 ns, m3 4 ns; m0 calls them. */
static const node small[] = {
    {0, 0, 1, 900000, 0}, {1, 1, 20000, 240000, 200000}, {1, 2, 30000, 290000, 200000}, {1, 3, 40000, 260000, 100000}};

enum { NODES = sizeof small / sizeof small[0], NONE = MOST_NODES };

static void half_of_the_calls_take_at_most_that(void **state) {
    (void)state;
    assert_int_equal(leaves_of(small, NODES, NONE), 3000);
    assert_int_equal(leaves_of(small, NODES - 1, NONE), 3000);
    assert_int_equal(leaves_of(small, NODES - 2, NONE), 2000);
}

static void methods_that_call_others_or_work_say_nothing(void **state) {
    (void)state;
    node more[NODES + 1];
    for (uint32_t i = 0; i < NODES; i++)
        more[i] = small[i];
    more[NODES] = (node){3, 1, 20000, 40000, 0}; /* m2 calls m1 */
    assert_int_equal(leaves_of(more, NODES + 1, NONE), 2000);
    more[NODES] = (node){1, 4, 1000000, 18001000, 0}; /* six times BESIDE is less */
    assert_int_equal(leaves_of(more, NODES + 1, NONE), 3000);
    more[NODES] = (node){1, 4, 1000000, 18000000, 0};
    assert_int_equal(leaves_of(more, NODES + 1, NONE), 18000);
    more[NODES] = (node){1, 4, 1000000, 29999, 0}; /* thirty ticks are more */
    assert_int_equal(leaves_of(more, NODES + 1, NONE), 3000);
}

static void calls_by_another_clock_say_nothing(void **state) {
    (void)state;
    assert_int_equal(leaves_of(small, NODES, 2), 4000);
    assert_int_equal(leaves_of(small, 1, NONE), 0);
}

static void costs_are(uint64_t leaf_ps, uint64_t inside, uint64_t outside) {
    const profile_run run = {.beside_probes_ps = BESIDE, .leaf_ps = leaf_ps};
    const call_costs c = call_costs_of(&run);
    assert_int_equal(c.beside_ps, inside);
    assert_int_equal(c.beside_out_ps, outside);
    const bool known = inside != BESIDE / 2;
    assert_int_equal(c.inside.least, known ? inside / 2 : 0);
    assert_int_equal(c.inside.most, known ? inside + inside / 2 : BESIDE);
    assert_int_equal(c.outside.most, known ? outside + outside / 2 : BESIDE);
    assert_int_equal(c.lost_ps, known ? 0 : 2000);
}

static void calls_cost_what_small_methods_show(void **state) {
    (void)state;
    costs_are(0, BESIDE / 2, BESIDE / 2);
    costs_are(2400, 2400, 1800);
    costs_are(4800, 4800, 3600);
    costs_are(6000, 6000, 4500);
    costs_are(6004, BESIDE / 2, BESIDE / 2); /* they all work */
    costs_are(100, 750, 561);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(half_of_the_calls_take_at_most_that),
        cmocka_unit_test(methods_that_call_others_or_work_say_nothing),
        cmocka_unit_test(calls_by_another_clock_say_nothing),
        cmocka_unit_test(calls_cost_what_small_methods_show),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
