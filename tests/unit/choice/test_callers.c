/* Counts without a tree: the callers that a method's time belongs to, and how many nodes a run may have. */
#include "unit.h"

#include "choice/callers.h"
#include "choice/counts.h"

/* Type T at 2, then the names of methods. Texts stand after a zero byte, which is the empty one. */
#define FLAT_TEXTS "\0T\0Main\0Half\0Leaf\0Turn\0Back\0Ns.I.V\0V\0int, A<B, C>\0Peek"
enum {
    AT_T = 1,
    AT_MAIN = 3,
    AT_HALF = 8,
    AT_LEAF = 13,
    AT_TURN = 18,
    AT_BACK = 23,
    AT_IV = 28,
    AT_V = 35,
    AT_TWO = 37,
    AT_PEEK = 50
};
enum { MAIN, HALF, LEAF, TURN, BACK, FIRST_V, SECOND_V, UNCALLED, PEEK, FLAT_METHODS };

/* A profile of counts alone, of one type: all that its methods' IL calls is known. Each method's own work is counted
 * for it already. */
typedef struct flat {
    names n;
    names_type type;
    counted made[FLAT_METHODS];
    uint32_t positions[FLAT_METHODS];
    counted_calls module;
    counts c;
} flat;

#define NAMES(texts, method_list, callee_list, call_list, end_list)                                                    \
    {                                                                                                                  \
        .data = bytes_of(texts, sizeof texts), .methods = method_list,                                                 \
        .method_count = sizeof method_list / sizeof method_list[0], .callees = callee_list,                            \
        .callee_count = sizeof callee_list / sizeof callee_list[0], .calls = call_list, .call_ends = end_list          \
    }

/* `own` may be NULL: none. The arrays of `n` have to live as long as `f`. */
static void make_flat(flat *f, names n, uint32_t type_name, const uint64_t *calls, const uint64_t *own) {
    *f = (flat){.n = n, .type = {.name = type_name}};
    f->n.types = &f->type;
    f->n.type_count = 1;
    for (uint32_t i = 0; i < n.method_count; i++) {
        f->positions[i] = i;
        f->made[i] = (counted){.names = &f->n, .method = i, .owner = i, .calls = calls[i]};
        if (own)
            f->made[i].exclusive_ps = f->made[i].inclusive_ps = own[i];
    }
    f->module = (counted_calls){.names = &f->n, .positions = f->positions};
    f->c = (counts){.list = f->made, .count = n.method_count, .called = &f->module, .runs = 1, .threads = 1};
}

static void works_between(flat *f, const uint64_t *least, const uint64_t *most) {
    assert_true(callers_estimate(&f->c));
    for (uint32_t i = 0; i < f->n.method_count; i++)
        assert_in_range(f->made[i].inclusive_ps, least[i], most[i]);
}

/* Main (1 call) calls Half (2) and Turn, virtually V; Half calls Leaf (8) and itself; Turn (6) and Back (4) call each
 * other, Back calls Leaf; Back calls Peek (1), which calls Back. V has two methods (1 and 3 calls); one of them
 * implements an interface explicitly. */
static void test_work_goes_to_callers(void **state) {
    (void)state;
    static const char texts[] = FLAT_TEXTS;
    static const uint64_t calls[FLAT_METHODS] = {1, 2, 8, 6, 4, 1, 3, 0, 1};
    static const uint64_t own[FLAT_METHODS] = {5, 10, 600, 30, 40, 100, 700, 0, 0};
    /* Leaf's 600 go to Half and Back, which can have called it twice and four times: 200 and 400. Turn, Back and
     * Peek are 30 + 40 + 400 together, all of it Main's. Back is called by Turn four times and by Peek once, so that
     * Turn has 30 + 4/5 of Back's, Peek 1/5; Back would have more than all of it. */
    static const uint64_t wanted[FLAT_METHODS] = {5 + 210 + 470 + 800, 210, 600, 406, 470, 100, 700, 0, 94};
    names_method methods[FLAT_METHODS] = {
        {.name = AT_MAIN},
        {.name = AT_HALF},
        {.name = AT_LEAF},
        {.name = AT_TURN},
        {.name = AT_BACK},
        {.name = AT_IV, .parameters = AT_TWO},
        {.name = AT_V, .parameters = AT_TWO},
        {.name = AT_V},
        {.name = AT_PEEK},
    };
    names_callee callees[] = {{bytes_of("V", 1), bytes_of("", 0), 2},
                              {bytes_of("Leaf", 4), bytes_of("T", 1), 0},
                              {bytes_of("Leaf", 4), bytes_of("U", 1), 0}}; /* another type's: no method here */
    /* Main: Half, Turn, V by name, the other Leaf. Half: Leaf by name and type, Half. Turn: Back. Back: Turn,
     * Leaf, Peek. Peek: Back. */
    uint32_t list[] = {2 * HALF, 2 * TURN, 1,        5,        3,        2 * HALF,
                       2 * BACK, 2 * TURN, 2 * LEAF, 2 * PEEK, 2 * LEAF, 2 * BACK};
    uint32_t ends[FLAT_METHODS] = {4, 6, 6, 7, 10, 10, 10, 11, 12};
    names n = NAMES(texts, methods, callees, list, ends);
    flat f;
    make_flat(&f, n, AT_T, calls, own);
    assert_true(callers_estimate(&f.c));
    for (uint32_t i = 0; i < FLAT_METHODS; i++)
        assert_in_range(f.made[i].inclusive_ps, wanted[i] > 2 ? wanted[i] - 2 : wanted[i],
                        wanted[i]); /* rounded down */
    assert_true(f.made[MAIN].calls_others && !f.made[LEAF].calls_others);
}

/* Ann and Bob call each other; Xu (2 calls) calls Ann (10), Yi (8) calls Bob (10). All the work is Ann's: 900. By hand,
 * a and b being what comes by them: a = 900 + b * 10/18, b = a * 10/12, so 1675.9 and 1396.6; Xu has 2/12 of a, and Yi
 * 8/18 of b. Bob has 10/12 of the whole. Yi's lambda (3) takes 50, and compiling it 7; Xu calls a delegate with one
 * parameter. */
static void test_work_leaves_a_circle_where_it_is(void **state) {
    (void)state;
    enum { ANN, BOB, XU, YI, LAMBDA, METHODS };
    static const char texts[] = "\0T\0Ann\0Bob\0Xu\0Yi\0<Yi>b__0_0\0int";
    static const uint64_t calls[METHODS] = {10, 10, 2, 8, 3};
    static const uint64_t own[METHODS] = {900, 0, 0, 0, 50};
    static const uint64_t least[METHODS] = {900, 749, 278 + 57, 619, 50};
    static const uint64_t most[METHODS] = {900, 750, 281 + 57, 622, 50};
    names_method methods[METHODS] = {
        {.name = 3}, {.name = 7}, {.name = 11}, {.name = 14}, {.name = 17, .parameters = 28}};
    names_callee callees[] = {{bytes_of("Invoke", 6), bytes_of("", 0), 1}, {bytes_of("Invoke", 6), bytes_of("", 0), 2}};
    uint32_t list[] = {2 * BOB, 2 * ANN, 2 * ANN, 1, 2 * BOB, 3};
    uint32_t ends[METHODS] = {1, 2, 4, 6, 6};
    names n = NAMES(texts, methods, callees, list, ends);
    flat f;
    make_flat(&f, n, 1, calls, own);
    f.made[LAMBDA].compiled_ps = 7;
    works_between(&f, least, most);
}

/* Main (1 call) calls E by name, which Top (1) and Deep (20) have; Top and Deep call Loop (10), which calls E, too,
 * and Rare (1); Rare calls Loop. All the work is Deep's: 900. Main has no caller, so Top's only call is Main's and
 * none of the circle's, as Rare's is. By hand: of what comes to Loop Top gets 1/11, Deep 10/11 (what goes to Rare
 * comes back); of what comes to E Main gets 1/11, Loop 10/11. So the circle's work leaves it by Top and Main as 10/121
 * to 11/121. Loop is l = 900 * 10/11 + l/12, and Rare l/12. */
static void test_a_single_call_from_the_top_is_in_no_circle(void **state) {
    (void)state;
    enum { TOP_MAIN, TOP, DEEP, LOOP, RARE, METHODS };
    static const char texts[] = "\0T\0Main\0E\0Loop\0Rare";
    static const uint64_t calls[METHODS] = {1, 1, 20, 10, 1};
    static const uint64_t own[METHODS] = {0, 0, 900, 0, 0};
    static const uint64_t least[METHODS] = {895, 425, 900, 888, 73};
    static const uint64_t most[METHODS] = {900, 429, 900, 893, 75};
    names_method methods[METHODS] = {{.name = 3}, {.name = 8}, {.name = 8}, {.name = 10}, {.name = 15}};
    names_callee callees[] = {{bytes_of("E", 1), bytes_of("", 0), 0}};
    uint32_t list[] = {1, 2 * LOOP, 2 * LOOP, 1, 2 * RARE, 2 * LOOP};
    uint32_t ends[METHODS] = {1, 2, 3, 5, 6};
    names n = NAMES(texts, methods, callees, list, ends);
    flat f;
    make_flat(&f, n, 1, calls, own);
    works_between(&f, least, most);
}

/* Main (1 call) calls Loop (1,000), which calls Leaf (8,000), and Leaf by two ways (Main, too); Self (800) calls
 * itself; V (800) is called by name. On two threads a method has at most two nodes for each way, and twice that with a
 * state machine; for V, where other ways may lead, the calls decide. Self, by one way, is 24 levels deep where half of
 * its calls come from outside; where that is not known, the calls decide. Below Self is Under, by as many ways as Self
 * has. With a tree at hand nothing is taken off. */
static void test_nodes_are_no_more_than_ways(void **state) {
    (void)state;
    enum { WAYS_MAIN, WAYS_LOOP, WAYS_LEAF, WAYS_SELF, WAYS_V, WAYS_UNDER, METHODS };
    static const char texts[] = "\0T\0Main\0Loop\0Leaf\0Self\0V\0Under";
    static const uint64_t calls[METHODS] = {1, 1000, 8000, 800, 800, 800};
    enum { LEVELS = 24, EACH = 4, OF_SELF = LEVELS * EACH };
    static const uint64_t expected[METHODS] = {1, 126, 381, 400, 101, 400};
    static const uint64_t wanted[METHODS] = {1, 4, 8, OF_SELF, 101, OF_SELF};
    names_method methods[METHODS] = {{.name = 3}, {.name = 8}, {.name = 13}, {.name = 18}, {.name = 23}, {.name = 25}};
    names_callee callees[] = {{bytes_of("V", 1), bytes_of("", 0), 0}};
    uint32_t list[] = {2 * WAYS_LOOP, 2 * WAYS_LEAF, 2 * WAYS_SELF, 1, 2 * WAYS_LEAF, 2 * WAYS_SELF, 2 * WAYS_UNDER};
    uint32_t ends[METHODS] = {4, 5, 5, 7, 7, 7};
    names n = NAMES(texts, methods, callees, list, ends);
    flat f;
    for (int round = 0; round < 3; round++) {
        const bool has_tree = round == 1, from_outside = round != 2;
        make_flat(&f, n, 1, calls, NULL);
        for (uint32_t i = 0; i < METHODS; i++)
            f.made[i].nodes = expected[i];
        f.made[WAYS_SELF].outer_calls = from_outside ? calls[WAYS_SELF] / 2 : 0;
        f.c.threads = 2;
        f.c.has_tree = has_tree;
        assert_true(callers_estimate(&f.c));
        for (uint32_t i = 0; i < METHODS; i++)
            assert_int_equal(f.made[i].nodes, has_tree || (!from_outside && i >= WAYS_SELF) ? expected[i] : wanted[i]);
    }
}

/* Nearest (1,000 calls) makes a closure that F# lists call 600,000 times. Once (1 call) calls something of the names
 * Invoke and Seen: not as often as these have run, so it does not stand for their callers. Often (1,000) calls Heard.
 */
static void test_a_name_alone_is_no_caller(void **state) {
    (void)state;
    enum { NEAREST, MAKER, INVOKE, ONCE, SEEN, OFTEN, HEARD, METHODS };
    static const char texts[] = "\0T\0Nearest\0near@24\0.ctor\0Invoke\0int\0Once\0Seen\0Often\0Heard";
    static const uint64_t calls[METHODS] = {1000, 1000, 600000, 1, 600000, 1000, 600000};
    names_method methods[METHODS] = {{.name = 3},
                                     {.name = 19, .type = 1},
                                     {.name = 25, .parameters = 32, .type = 1},
                                     {.name = 36},
                                     {.name = 41},
                                     {.name = 46},
                                     {.name = 52}};
    names_callee callees[] = {{bytes_of("Invoke", 6), bytes_of("", 0), 1},
                              {bytes_of("Seen", 4), bytes_of("", 0), 0},
                              {bytes_of("Heard", 5), bytes_of("", 0), 0}};
    uint32_t list[] = {2 * MAKER, 1, 3, 5};
    uint32_t ends[METHODS] = {1, 1, 1, 3, 3, 4, 4};
    names n = NAMES(texts, methods, callees, list, ends);
    names_type types[] = {{.name = 1}, {.name = 11}};
    flat f;
    make_flat(&f, n, 1, calls, NULL);
    f.n.types = types;
    f.n.type_count = 2;
    assert_true(callers_estimate(&f.c));
    assert_int_equal(f.made[INVOKE].caller, 1 + NEAREST);
    assert_int_equal(f.made[SEEN].caller, 0);
    assert_int_equal(f.made[HEARD].caller, 1 + OFTEN);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_work_goes_to_callers),
        cmocka_unit_test(test_work_leaves_a_circle_where_it_is),
        cmocka_unit_test(test_a_single_call_from_the_top_is_in_no_circle),
        cmocka_unit_test(test_nodes_are_no_more_than_ways),
        cmocka_unit_test(test_a_name_alone_is_no_caller),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
