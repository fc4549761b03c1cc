/* Which methods are left out so that a price is kept: the arithmetic, profiles that are read for it, and the guess. */
#include "report_unit.h"

#include "choice/callers.h"
#include "choice/counts.h"
#include "choice/guess.h"
#include "report/choice_file.h"

/* ---- The arithmetic ---------------------------------------------------------------------------------------------- */

static void test_work_is_told_from_counts(void **state) {
    (void)state;
    /* By hand: how many times the counts the measured time is decides. */
    static const struct {
        uint64_t counted, measured, work;
    } rows[] = {
        {1000, 0, 1000},       {1000, 1000, 1000},
        {1000, 400, 1000},     {1000, 399, 250},
        {1000, 25, 250},       {1000, 24, 62},
        {1000, 1, 62},         {1000, 39999, 1000},
        {1000, 40000, 16000},  {1000, 159999, 16000},
        {1000, 160000, 64000}, {1000, 640000, 256000},
        {0, 1000, 0},          {UINT64_MAX, 5000, UINT64_MAX / 16},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++)
        assert_int_equal(choice_work(rows[i].counted, rows[i].measured), rows[i].work);
    assert_true(choice_work(1, UINT64_MAX) <= UINT64_MAX / 40 * 16); /* and it ends */
}

static void test_a_busy_machine_gives_the_same_work(void **state) {
    (void)state;
    /* Two compilers, a library and a service took 700 to 12,500 on a quiet machine, at 1,000 of counts, and may take
     * three times as much on a loaded one. */
    for (uint64_t measured = 700; measured <= 37500; measured += 100)
        assert_int_equal(choice_work(1000, measured), 1000);
}

static void test_a_price_is_a_part_of_the_work(void **state) {
    (void)state;
    /* 10 % of 1 s is 100 ms. */
    assert_int_equal(choice_allowed(1000000000000, 10), 100000000000);
    assert_int_equal(choice_allowed(1000000000000, 1000), 10000000000000);
    assert_int_equal(choice_allowed(1000, 1), CHOICE_LEAST_PS);
    assert_int_equal(choice_allowed(UINT64_MAX, 1000), UINT64_MAX);
}

static void test_what_compiles_much_may_record_less(void **state) {
    (void)state;
    /* With nothing, half and all of the work compiled 100 ms leave all, two thirds and half. */
    assert_int_equal(choice_for_calls(100000000000, 1000000000000, 0), 100000000000);
    assert_int_equal(choice_for_calls(100000000000, 1000000000000, 500000000000), 66666666666);
    assert_int_equal(choice_for_calls(100000000000, 1000000000000, 1000000000000), 50000000000);
    /* 2 ms stay in any case, but no more than is allowed. */
    assert_int_equal(choice_for_calls(3000000000, 1000, 1000), CHOICE_LEAST_PS);
    assert_int_equal(choice_for_calls(1000, 1000, 1000), 1000);
    assert_int_equal(choice_for_calls(CHOICE_LEAST_PS, 0, 0), CHOICE_LEAST_PS);
    assert_int_equal(choice_for_calls(UINT64_MAX, UINT64_MAX, 0), UINT64_MAX);
}

static void test_all_costs_are_known(void **state) {
    (void)state;
    for (int r = 0; r < CHOICE_RUNTIMES; r++)
        for (int k = 0; k < CHOICE_RECORDED; k++) {
            assert_true(choice_costs[r][k].usual_ps > 0);
            assert_true(choice_costs[r][k].most_ps >= choice_costs[r][k].usual_ps);
        }
}

#define COSTS(n)                                                                                                       \
    { .calls = (n), .cost_ps = (n) }

static void test_leaves_go_before_nodes_and_names_decide(void **state) {
    (void)state;
    choice_method methods[] = {
        COSTS(10), {.calls = 10, .cost_ps = 10, .calls_others = true}, COSTS(10), COSTS(1), COSTS(0),
    };
    choice_sums sums;
    assert_true(choice_make(methods, 5, 0, 21, &sums));
    assert_false(methods[0].left_out); /* the earlier one of two leaves */
    assert_false(methods[1].left_out); /* an inner node */
    assert_true(methods[2].left_out);
    assert_false(methods[3].left_out);
    assert_false(methods[4].left_out); /* costs nothing */
    assert_int_equal(sums.calls, 31);
    assert_int_equal(sums.kept_calls, 21);
    assert_int_equal(sums.called, 4);
    assert_int_equal(sums.kept, 3);
}

static void test_what_holds_much_work_stays(void **state) {
    (void)state;
    /* 5/1000 of the work are worth 6 methods: 60 calls for 6 is less than 20 for one. */
    choice_method methods[] = {COSTS(20), {.calls = 60, .cost_ps = 60, .work_ps = 5}, COSTS(20)};
    choice_sums sums;
    assert_true(choice_make(methods, 3, 1000, 60, &sums));
    assert_true(methods[0].left_out && !methods[1].left_out && methods[2].left_out);
}

static void test_fixed_ones_stay_whatever_they_cost(void **state) {
    (void)state;
    choice_method methods[] = {{.calls = 1000, .cost_ps = 1000, .fixed = true}, COSTS(1), COSTS(5)};
    choice_sums sums;
    assert_true(choice_make(methods, 3, 0, 10, &sums));
    assert_true(!methods[0].left_out && methods[1].left_out && methods[2].left_out);
    assert_int_equal(sums.kept_calls, 1000);
    assert_int_equal(sums.kept, 1);
}

static void test_sums_do_not_wrap(void **state) {
    (void)state;
    choice_method methods[] = {
        COSTS(UINT64_MAX), {.calls = UINT64_MAX, .cost_ps = UINT64_MAX, .fixed = true}, COSTS(3)};
    choice_sums sums;
    assert_true(choice_make(methods, 3, UINT64_MAX, 100, &sums));
    assert_int_equal(sums.kept_calls, UINT64_MAX);
    assert_true(methods[0].left_out && methods[2].left_out);
}

static uint32_t next_number(uint32_t *seed) {
    *seed = *seed * 1664525 + 1013904223;
    return *seed >> 16;
}

/* Every subset is tried: what the greedy one keeps is worth at least the best less one method. */
static void test_no_subset_is_much_better(void **state) {
    (void)state;
    enum { MOST = 11, ROUNDS = 400, WORK = 1000000 };
    uint32_t seed = 4711;
    for (int round = 0; round < ROUNDS; round++) {
        choice_method methods[MOST];
        uint64_t worths[MOST], all = 0, most_worth = 0;
        uint32_t count = 1 + next_number(&seed) % MOST;
        for (uint32_t i = 0; i < count; i++) {
            methods[i] = (choice_method){.calls = 1,
                                         .cost_ps = 1 + next_number(&seed) % 50,
                                         .work_ps = next_number(&seed) % (WORK / 100),
                                         .calls_others = next_number(&seed) % 2};
            worths[i] = 1000 + methods[i].work_ps; /* in thousandths: 1/1000 of the work is one method more */
            most_worth = worths[i] > most_worth ? worths[i] : most_worth;
            all += methods[i].cost_ps;
        }
        uint64_t allowed = next_number(&seed) % (all + 10), best = 0, kept = 0, price = 0;
        for (uint32_t set = 0; set < 1u << count; set++) {
            uint64_t worth = 0, cost = 0;
            for (uint32_t i = 0; i < count; i++)
                if (set >> i & 1) {
                    worth += worths[i];
                    cost += methods[i].cost_ps;
                }
            if (cost <= allowed && worth > best)
                best = worth;
        }
        choice_sums sums;
        assert_true(choice_make(methods, count, WORK, allowed, &sums));
        for (uint32_t i = 0; i < count; i++)
            if (!methods[i].left_out) {
                kept += worths[i];
                price += methods[i].cost_ps;
            }
        assert_true(price <= allowed);
        assert_int_equal(price, sums.kept_ps);
        assert_true(kept + most_worth >= best);
        for (uint32_t i = 0; i < count; i++)
            assert_true(!methods[i].left_out || price + methods[i].cost_ps > allowed);
    }
}

/* ---- Profiles ---------------------------------------------------------------------------------------------------- */

/* Methods N.T.m0 to m8 of 17 bytes of IL each (maker_machine). m1 calls m2 and m3. */
static const call busy[] = {{2, 0, 0, 600}, {2, 1, 10, 500}, {0, 2, 50000, 300}, {0, 3, 60000, 100}, {0, 4, 1, 100}};
static const call slower[] = {
    {2, 0, 0, 1800}, {2, 1, 10, 1500}, {0, 2, 50000, 900}, {0, 3, 60000, 300}, {0, 4, 1, 300}};

static void add(counts *c, const buffer *file) {
    profile p = PROFILE_INIT;
    diag d = {0};
    assert_int_equal(profile_read(&p, buffer_bytes(file), &d), ECMA_OK);
    assert_int_equal(counts_add(c, &p, &d), ECMA_OK);
    profile_clear(&p);
}

static const counted *method_named(const counts *c, char digit) {
    for (uint32_t i = 0; i < c->count; i++)
        if (names_text(c->list[i].names, c->list[i].names->methods[c->list[i].method].name).data[1] == digit)
            return &c->list[i];
    fail_msg("no method m%c", digit);
    return NULL;
}

static void test_profiles_are_counted_by_name(void **state) {
    (void)state;
    buffer file = BUFFER_INIT, other = BUFFER_INIT;
    counts c = COUNTS_INIT;
    make_profile(&file, "1000", 1, busy, 5);
    make_profile(&other, "1000", 7, busy, 5); /* another build: a different MVID */
    add(&c, &file);
    add(&c, &other);
    assert_int_equal(c.count, 9);
    assert_int_equal(method_named(&c, '2')->calls, 100000);
    assert_int_equal(method_named(&c, '2')->exclusive_ps, 100000ull * 17 * CHOICE_IL_PS);
    /* Its own calls and those of m2 and m3, which its calls have compiled: 150 µs each on .NET. */
    assert_int_equal(method_named(&c, '1')->inclusive_ps,
                     2ull * ((10 + 50000 + 60000) * 17 * CHOICE_IL_PS + 2 * 150000000));
    assert_int_equal(method_named(&c, '2')->inclusive_ps, 2ull * 50000 * 17 * CHOICE_IL_PS);
    assert_true(method_named(&c, '1')->calls_others);
    assert_false(method_named(&c, '2')->calls_others);
    assert_true(c.unmeasured); /* no processor time in them */
    assert_true(counts_choose(&c, 1));
    /* 1 % of so little work is less than CHOICE_LEAST_PS; only m1 and m4 fit. */
    assert_int_equal(c.allowed_ps, CHOICE_LEAST_PS);
    assert_int_equal(method_named(&c, '2')->nodes, 2); /* a run each */
    assert_true(method_named(&c, '2')->left_out && method_named(&c, '3')->left_out);
    assert_true(!method_named(&c, '1')->left_out && !method_named(&c, '4')->left_out);
    assert_false(method_named(&c, '8')->left_out); /* never called */
    counts_clear(&c);
    buffer_clear(&file);
    buffer_clear(&other);
}

/* A profile of counts alone has no tree; the run that it is for will have one. */
/* m4 is called once. Its calls ended when it was switched off: by the governor it goes, by the user it stays. */
static void test_what_the_governor_took_stays_out(void **state) {
    (void)state;
    for (uint64_t reasons = 1; reasons <= 2; reasons++)
        for (int fixed = 0; fixed < 2; fixed++) {
            buffer file = BUFFER_INIT, section = BUFFER_INIT;
            counts c = COUNTS_INIT;
            begin_profile(&file, "1000", 1, busy, 5);
            buffer_varuint(&section, 1);
            buffer_varuint(&section, SAMPLE_BASE + 4);
            buffer_varuint(&section, reasons); /* 1: the governor, 2: the user */
            buffer_varuint(&section, 1000);
            buffer_varuint(&section, 1);
            maker_section(&file, "SWCH", &section);
            maker_end(&file);
            add(&c, &file);
            ((counted *)(uintptr_t)method_named(&c, '4'))->fixed = fixed;
            assert_true(counts_choose(&c, 10));
            assert_int_equal(method_named(&c, '4')->left_out, reasons == 1 && !fixed);
            assert_false(method_named(&c, '1')->left_out);
            counts_clear(&c);
            buffer_clear(&section);
            buffer_clear(&file);
        }
}

static void test_a_flat_profile_has_nodes_to_come(void **state) {
    (void)state;
    static const call flat[] = {{2, 0, 0, 0}, {0, 1, 800, 0}, {0, 2, 7, 0}};
    buffer file = BUFFER_INIT;
    counts c = COUNTS_INIT;
    make_profile(&file, "1000", 1, flat, 3);
    add(&c, &file);
    assert_int_equal(method_named(&c, '1')->nodes, 101); /* one for eight calls */
    assert_int_equal(method_named(&c, '2')->nodes, 1);
    counts_clear(&c);
    buffer_clear(&file);
}

static void test_recursion_counts_once(void **state) {
    (void)state;
    static const call calls[] = {{1, 0, 0, 9}, {1, 1, 2, 9}, {1, 1, 3, 8}, {0, 2, 4, 1}};
    buffer file = BUFFER_INIT;
    counts c = COUNTS_INIT;
    make_profile(&file, "1000", 1, calls, 4);
    add(&c, &file);
    assert_int_equal(method_named(&c, '1')->calls, 5);
    /* Three of its five calls, which have that part in compiling it, are its own. */
    assert_int_equal(method_named(&c, '1')->inclusive_ps,
                     (2 + 3 + 4) * 17ull * CHOICE_IL_PS + 150000000 + 150000000 / 5 * 3);
    assert_int_equal(method_named(&c, '2')->inclusive_ps, 4 * 17ull * CHOICE_IL_PS);
    counts_clear(&c);
    buffer_clear(&file);
}

/* ---- Counts without a tree --------------------------------------------------------------------------------------- */

/* Type T at 2, then the names of methods. Texts stand behind a zero byte, which is the empty one. */
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

/* `own` may be NULL: none. What `n` points to has to live as long. */
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

/* Main (1 call) calls Half (2) and Turn, virtually V; Half calls Leaf (8) and itself; Turn (6) and Back (4) call each
 * other, Back calls Leaf; Back calls Peek (1), which calls Back. V has two methods (1 and 3 calls), of which one
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
                              {bytes_of("Leaf", 4), bytes_of("U", 1), 0}}; /* another type's: nobody's */
    /* Main: Half, Turn, V by name, the other Leaf. Half: Leaf by name and type, Half. Turn: Back. Back: Turn,
     * Leaf, Peek. Peek: Back. */
    uint32_t list[] = {2 * HALF, 2 * TURN, 1,        5,        3,        2 * HALF,
                       2 * BACK, 2 * TURN, 2 * LEAF, 2 * PEEK, 2 * LEAF, 2 * BACK};
    uint32_t ends[FLAT_METHODS] = {4, 6, 6, 7, 10, 10, 10, 11, 12};
    names n = {.data = bytes_of(texts, sizeof texts),
               .methods = methods,
               .method_count = FLAT_METHODS,
               .callees = callees,
               .callee_count = 3,
               .calls = list,
               .call_ends = ends};
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
    names n = {.data = bytes_of(texts, sizeof texts),
               .methods = methods,
               .method_count = METHODS,
               .callees = callees,
               .callee_count = 2,
               .calls = list,
               .call_ends = ends};
    flat f;
    make_flat(&f, n, 1, calls, own);
    f.made[LAMBDA].compiled_ps = 7;
    assert_true(callers_estimate(&f.c));
    for (uint32_t i = 0; i < METHODS; i++)
        assert_in_range(f.made[i].inclusive_ps, least[i], most[i]);
}

/* Main (1 call) calls E by name, which Top (1) and Deep (20) have; Top and Deep call Loop (10), which calls E, too, and
 * Rare (1); Rare calls Loop. All the work is Deep's: 900. Nobody calls Main, so Top's only call is Main's and none of
 * the circle's, as Rare's is. By hand: of what comes to Loop Top gets 1/11, Deep 10/11 (what goes to Rare comes back);
 * of what comes to E Main gets 1/11, Loop 10/11. So the circle's work leaves it by Top and Main as 10/121 to 11/121.
 * Loop is l = 900 * 10/11 + l/12, and Rare l/12. */
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
    names n = {.data = bytes_of(texts, sizeof texts),
               .methods = methods,
               .method_count = METHODS,
               .callees = callees,
               .callee_count = 1,
               .calls = list,
               .call_ends = ends};
    flat f;
    make_flat(&f, n, 1, calls, own);
    assert_true(callers_estimate(&f.c));
    for (uint32_t i = 0; i < METHODS; i++)
        assert_in_range(f.made[i].inclusive_ps, least[i], most[i]);
}

/* Main (1 call) calls Loop (1,000), which calls Leaf (8,000), and Leaf by two ways (Main, too); Self (800) calls
 * itself; V (800) is called by name. On two threads a method has at most two nodes for each way, and twice that with a
 * state machine; of Self and V, to which other ways may lead, the calls tell. Below Self is Under, by as many ways as
 * Self has nodes. With a tree at hand nothing is taken off. */
static void test_nodes_are_no_more_than_ways(void **state) {
    (void)state;
    enum { WAYS_MAIN, WAYS_LOOP, WAYS_LEAF, WAYS_SELF, WAYS_V, WAYS_UNDER, METHODS };
    static const char texts[] = "\0T\0Main\0Loop\0Leaf\0Self\0V\0Under";
    static const uint64_t calls[METHODS] = {1, 1000, 8000, 800, 800, 800};
    static const uint64_t expected[METHODS] = {1, 126, 381, 101, 101, 101};
    static const uint64_t wanted[METHODS] = {1, 4, 8, 101, 101, 101};
    names_method methods[METHODS] = {{.name = 3}, {.name = 8}, {.name = 13}, {.name = 18}, {.name = 23}, {.name = 25}};
    names_callee callees[] = {{bytes_of("V", 1), bytes_of("", 0), 0}};
    uint32_t list[] = {2 * WAYS_LOOP, 2 * WAYS_LEAF, 2 * WAYS_SELF, 1, 2 * WAYS_LEAF, 2 * WAYS_SELF, 2 * WAYS_UNDER};
    uint32_t ends[METHODS] = {4, 5, 5, 7, 7, 7};
    names n = {.data = bytes_of(texts, sizeof texts),
               .methods = methods,
               .method_count = METHODS,
               .callees = callees,
               .callee_count = 1,
               .calls = list,
               .call_ends = ends};
    flat f;
    for (int has_tree = 0; has_tree < 2; has_tree++) {
        make_flat(&f, n, 1, calls, NULL);
        for (uint32_t i = 0; i < METHODS; i++)
            f.made[i].nodes = expected[i];
        f.c.threads = 2;
        f.c.has_tree = has_tree;
        assert_true(callers_estimate(&f.c));
        for (uint32_t i = 0; i < METHODS; i++)
            assert_int_equal(f.made[i].nodes, has_tree ? expected[i] : wanted[i]);
    }
}

static void suggested(result *r, const buffer *files, size_t count, unsigned percent) {
    ilj_report_options options = {.format = ILJ_REPORT_SUGGESTIONS, .overhead = percent};
    *r = (result){0};
    assert_int_equal(run_on(r, files, count, &options), ECMA_OK);
}

static void test_times_do_not_change_the_choice(void **state) {
    (void)state;
    buffer files[2] = {BUFFER_INIT, BUFFER_INIT};
    result quiet, loaded;
    make_profile(&files[0], "1000", 1, busy, 5);
    make_profile(&files[1], "1000", 1, slower, 5);
    suggested(&quiet, &files[0], 1, 1);
    suggested(&loaded, &files[1], 1, 1);
    assert_string_equal(text_of(&quiet), text_of(&loaded));
    assert_string_equal(text_of(&quiet),
                        "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
                        "<!-- For a price of 1 %: 2 of the 4 methods that were called stay, with 11 of their 110011 "
                        "calls. -->\n"
                        "<ilinject>\n  <choice>\n"
                        "    <exclude pattern=\"N.T.m3()\"/> <!-- 60000 calls -->\n"
                        "    <exclude pattern=\"N.T.m2()\"/> <!-- 50000 calls -->\n"
                        "  </choice>\n</ilinject>\n");
    buffer_clear(&quiet.text);
    buffer_clear(&loaded.text);
    for (int i = 0; i < 2; i++)
        buffer_clear(&files[i]);
}

static void test_the_order_of_profiles_does_not_matter(void **state) {
    (void)state;
    static const call few[] = {{1, 0, 0, 9}, {0, 5, 30000, 9}};
    buffer files[2] = {BUFFER_INIT, BUFFER_INIT}, turned[2];
    result first, second;
    make_profile(&files[0], "1000", 1, busy, 5);
    make_profile(&files[1], "1000", 9, few, 2);
    turned[0] = files[1];
    turned[1] = files[0];
    suggested(&first, files, 2, 1);
    suggested(&second, turned, 2, 1);
    assert_string_equal(text_of(&first), text_of(&second));
    assert_non_null(strstr(text_of(&first), "N.T.m5()"));
    buffer_clear(&first.text);
    buffer_clear(&second.text);
    for (int i = 0; i < 2; i++)
        buffer_clear(&files[i]);
}

static void test_a_bad_profile_is_told(void **state) {
    (void)state;
    buffer files[2] = {BUFFER_INIT, BUFFER_INIT};
    result r = {0};
    ilj_report_options options = {.format = ILJ_REPORT_SUGGESTIONS, .overhead = 10};
    make_profile(&files[0], "1000", 1, busy, 5);
    buffer_string(&files[1], "no profile");
    assert_int_equal(run_on(&r, files, 2, &options), ECMA_BAD_FILE);
    assert_int_equal(r.told, 1);
    assert_int_equal(r.code, DIAG_NOT_PROFILE);
    assert_int_equal(r.text.size, 0);
    buffer_clear(&r.text);
    for (int i = 0; i < 2; i++)
        buffer_clear(&files[i]);
}

static void test_memory_that_runs_out_is_told(void **state) {
    (void)state;
    buffer file = BUFFER_INIT;
    ilj_report_options options = {.format = ILJ_REPORT_SUGGESTIONS, .overhead = 10};
    make_profile(&file, "1000", 1, busy, 5);
    assert_true(fail_each(&file, 1, &options) > 10);
    buffer_clear(&file);
}

/* ---- The guess --------------------------------------------------------------------------------------------------- */

static guess guess_at(uint32_t impl_flags, const uint8_t *code, size_t size) {
    il_body body = {.code = {code, size}, .tiny = true};
    return guess_of(impl_flags, &body);
}

static void test_small_straight_code_is_guessed(void **state) {
    (void)state;
    static const uint8_t getter[] = {0x02, 0x7B, 1, 0, 0, 4, 0x2A}; /* ldarg.0, ldfld, ret */
    static const uint8_t thrower[] = {0x14, 0x7A};                  /* ldnull, throw */
    static const uint8_t loop[] = {0x00, 0x2B, 0xFD, 0x2A};         /* nop, br.s to it, ret */
    static const uint8_t broken[] = {0x24, 0x2A};                   /* no opcode */
    assert_int_equal(guess_at(0, getter, sizeof getter), GUESS_SMALL);
    assert_int_equal(guess_at(0x0100, getter, sizeof getter), GUESS_FORCED);
    for (uint32_t flag = 1; flag <= 0x2000; flag <<= 1)
        if (flag == 0x0008 || flag == 0x0020 || flag == 0x0040 || flag == 0x0200 || flag == 0x2000)
            assert_int_equal(guess_at(flag, getter, sizeof getter), GUESS_STAYS);
    assert_int_equal(guess_at(0, thrower, sizeof thrower), GUESS_STAYS);
    assert_int_equal(guess_at(0, loop, sizeof loop), GUESS_STAYS);
    assert_int_equal(guess_at(0, broken, sizeof broken), GUESS_STAYS);
    il_body guarded = {.code = {getter, sizeof getter}, .clause_count = 1};
    assert_int_equal(guess_of(0x0100, &guarded), GUESS_STAYS);
}

/* `size` bytes: ldarg.0, pop over and over, `calls` calls before the end, and a ret. */
static guess guess_long(size_t size, unsigned calls, bool branch) {
    uint8_t code[128] = {0};
    size_t at = 0;
    if (branch) {
        code[at++] = 0x02;
        code[at++] = 0x2C; /* brfalse.s */
        code[at++] = 0x01; /* over one nop */
        at++;
    }
    for (; calls > 0; calls--, at += 5)
        code[at] = 0x28;   /* call */
    code[size - 1] = 0x2A; /* and nops before it */
    return guess_at(0, code, size);
}

static void test_the_limits_of_sizes(void **state) {
    (void)state;
    assert_int_equal(guess_long(19, 2, true), GUESS_SMALL);
    assert_int_equal(guess_long(20, 2, false), GUESS_STAYS);
    assert_int_equal(guess_long(20, 1, true), GUESS_STAYS);
    assert_int_equal(guess_long(32, 1, false), GUESS_WRAPPER);
    assert_int_equal(guess_long(33, 1, false), GUESS_STAYS);
    assert_int_equal(guess_long(100, 0, true), GUESS_LEAF);
    assert_int_equal(guess_long(101, 0, true), GUESS_STAYS);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_work_is_told_from_counts),
        cmocka_unit_test(test_a_busy_machine_gives_the_same_work),
        cmocka_unit_test(test_a_price_is_a_part_of_the_work),
        cmocka_unit_test(test_what_compiles_much_may_record_less),
        cmocka_unit_test(test_all_costs_are_known),
        cmocka_unit_test(test_leaves_go_before_nodes_and_names_decide),
        cmocka_unit_test(test_what_holds_much_work_stays),
        cmocka_unit_test(test_fixed_ones_stay_whatever_they_cost),
        cmocka_unit_test(test_sums_do_not_wrap),
        cmocka_unit_test(test_no_subset_is_much_better),
        cmocka_unit_test(test_profiles_are_counted_by_name),
        cmocka_unit_test(test_what_the_governor_took_stays_out),
        cmocka_unit_test(test_nodes_are_no_more_than_ways),
        cmocka_unit_test(test_a_flat_profile_has_nodes_to_come),
        cmocka_unit_test(test_recursion_counts_once),
        cmocka_unit_test(test_work_goes_to_callers),
        cmocka_unit_test(test_work_leaves_a_circle_where_it_is),
        cmocka_unit_test(test_a_single_call_from_the_top_is_in_no_circle),
        cmocka_unit_test(test_times_do_not_change_the_choice),
        cmocka_unit_test(test_the_order_of_profiles_does_not_matter),
        cmocka_unit_test(test_a_bad_profile_is_told),
        cmocka_unit_test(test_memory_that_runs_out_is_told),
        cmocka_unit_test(test_small_straight_code_is_guessed),
        cmocka_unit_test(test_the_limits_of_sizes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
