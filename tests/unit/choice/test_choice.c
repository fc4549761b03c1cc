/* Which methods are left out so that a price is kept: the arithmetic, and profiles that are read for it. */
#include "choice_unit.h"
#include "report_unit.h"

#include "choice/counts.h"
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
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) /* most of it was guessed */
        assert_int_equal(choice_work(rows[i].counted, rows[i].measured, UINT64_MAX / 2), rows[i].work);
    assert_true(choice_work(1, UINT64_MAX, UINT64_MAX / 2) <= UINT64_MAX / 40 * 16); /* and it ends */
}

/* Where a third of the time or less was guessed: steps of two from twice the counts on, below the time. */
static void test_work_is_told_from_time(void **state) {
    (void)state;
    static const struct {
        uint64_t counted, measured, guessed, work;
    } rows[] = {
        {1000, 1999, 0, 1000},      {1000, 2000, 0, 2000},     {1000, 3999, 0, 2000},    {1000, 4000, 0, 4000},
        {1000, 16000, 5333, 16000}, {1000, 16000, 5334, 1000}, {1000, 44000, 80, 32000}, {1, 1000000, 1000, 524288},
        {1000, 400, 0, 1000},       {1000, 399, 0, 250},       {0, 8000, 0, 0},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++)
        assert_int_equal(choice_work(rows[i].counted, rows[i].measured, rows[i].guessed), rows[i].work);
    for (uint64_t measured = 2000; measured < 4000000; measured += 777) {
        uint64_t work = choice_work(1000, measured, measured / 3);
        assert_true(work <= measured && work > measured / 2);
    }
    assert_true(choice_work(1, UINT64_MAX, 0) <= UINT64_MAX); /* and it ends */
}

static void test_a_busy_machine_gives_the_same_work(void **state) {
    (void)state;
    /* Two compilers and a library took 500 to 2,800 on a quiet machine, at 1,000 of counts, and may take three times as
     * much on a loaded one. Of those the one with 2,800 compiles for most of its time. */
    for (uint64_t measured = 500; measured < 2000; measured += 100)
        assert_int_equal(choice_work(1000, measured, 0), 1000);
    for (uint64_t measured = 2800; measured < 8400; measured += 100)
        assert_int_equal(choice_work(1000, measured, 2800), 1000);
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
    /* With nothing, half and all of the work compiled 100 ms leave all, four fifths and two thirds. */
    assert_int_equal(choice_for_calls(100000000000, 1000000000000, 0), 100000000000);
    assert_int_equal(choice_for_calls(100000000000, 1000000000000, 500000000000), 80000000000);
    assert_int_equal(choice_for_calls(100000000000, 1000000000000, 1000000000000), 66666666666);
    /* 2 ms stay in any case, but no more than is allowed. */
    assert_int_equal(choice_for_calls(3000000000, 1000, 1000), CHOICE_LEAST_PS);
    assert_int_equal(choice_for_calls(1000, 1000, 1000), 1000);
    assert_int_equal(choice_for_calls(CHOICE_LEAST_PS, 0, 0), CHOICE_LEAST_PS);
    assert_int_equal(choice_for_calls(UINT64_MAX, UINT64_MAX, 0), UINT64_MAX);
}

static void test_the_start_is_part_of_the_price(void **state) {
    (void)state;
    /* In ms: allowed, start, what is left for calls. */
    static const uint64_t rows[][3] = {{100, 25, 75}, {31, 25, 6}, {30, 25, 5}, {25, 25, 5}, {10, 25, 5},
                                       {1, 25, 1},    {0, 25, 0},  {9, 5, 4},   {6, 5, 2},   {100, 0, 100}};
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++)
        assert_int_equal(choice_after_start(rows[i][0] * CHOICE_LEAST_PS / 2, rows[i][1] * CHOICE_LEAST_PS / 2),
                         rows[i][2] * CHOICE_LEAST_PS / 2);
    assert_int_equal(choice_after_start(UINT64_MAX, UINT64_MAX), UINT64_MAX / 5);
    for (int r = 0; r < CHOICE_RUNTIMES; r++)
        assert_true(choice_trackers[r].ahead_ps > 0 && choice_trackers[r].ahead_ps <= choice_trackers[r].start_ps);
}

static void test_compiling_is_measured_in_steps(void **state) {
    (void)state;
    /* Methods, time in µs: what one more costs, in µs. */
    static const struct {
        uint64_t methods, took, costs;
    } rows[] = {{0, 0, 0},        {0, 100, 0},       {100, 0, 0},       {10, 1, 50},    {100, 5000, 50},
                {100, 5100, 100}, {100, 10000, 100}, {100, 10100, 200}, {1, 2000, 200}, {1, 4000000000, 200}};
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++)
        assert_int_equal(choice_compiling(rows[i].methods, rows[i].took * 1000000), rows[i].costs * 1000000);
}

static void test_a_fourth_goes_to_the_cheapest(void **state) {
    (void)state;
    /* The two large ones are worth 500 methods and more, and 100 each for their cost. One of them fits into three
     * fourths of 12; the other would fit into all of it, and three that are worth one each come first. */
    choice_method methods[] = {{.calls = 1, .cost_ps = 5, .work_ps = 500},
                               {.calls = 1, .cost_ps = 5, .work_ps = 500},
                               COSTS(2),
                               COSTS(1),
                               COSTS(3)};
    choice_sums sums;
    assert_true(choice_make(methods, 5, NULL, 1000, 12, &sums));
    assert_int_equal(sums.kept_ps, 11);
    assert_true(methods[0].left_out != methods[1].left_out);
    assert_true(!methods[2].left_out && !methods[3].left_out && !methods[4].left_out);
}

static void test_all_costs_are_known(void **state) {
    (void)state;
    for (int r = 0; r < CHOICE_RUNTIMES; r++)
        for (int k = 0; k < CHOICE_RECORDED; k++) {
            assert_true(choice_costs[r][k].usual_ps > 0);
            assert_true(choice_costs[r][k].most_ps >= choice_costs[r][k].usual_ps);
        }
}

static void test_leaves_go_before_nodes_and_names_decide(void **state) {
    (void)state;
    choice_method methods[] = {
        COSTS(10), {.calls = 10, .cost_ps = 10, .calls_others = true}, COSTS(10), COSTS(1), COSTS(0),
    };
    choice_sums sums;
    assert_true(choice_make(methods, 5, NULL, 0, 21, &sums));
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
    /* 5/1000 of the work are worth 6 methods: 60 calls for 6 is less than 20 for one. A fourth of 79 is below 20. */
    choice_method methods[] = {COSTS(20), {.calls = 60, .cost_ps = 60, .work_ps = 5}, COSTS(20)};
    choice_sums sums;
    assert_true(choice_make(methods, 3, NULL, 1000, 79, &sums));
    assert_true(methods[0].left_out && !methods[1].left_out && methods[2].left_out);
}

static void test_fixed_ones_stay_whatever_they_cost(void **state) {
    (void)state;
    choice_method methods[] = {{.calls = 1000, .cost_ps = 1000, .fixed = true}, COSTS(1), COSTS(5)};
    choice_sums sums;
    assert_true(choice_make(methods, 3, NULL, 0, 10, &sums));
    assert_true(!methods[0].left_out && methods[1].left_out && methods[2].left_out);
    assert_int_equal(sums.kept_calls, 1000);
    assert_int_equal(sums.kept, 1);
}

static void test_sums_do_not_wrap(void **state) {
    (void)state;
    choice_method methods[] = {
        COSTS(UINT64_MAX), {.calls = UINT64_MAX, .cost_ps = UINT64_MAX, .fixed = true}, COSTS(3)};
    choice_sums sums;
    assert_true(choice_make(methods, 3, NULL, UINT64_MAX, 100, &sums));
    assert_int_equal(sums.kept_calls, UINT64_MAX);
    assert_true(methods[0].left_out && methods[2].left_out);
}

/* The outermost calls of the first one hold all work for 5. With 100 all of it fits, with 99 they alone do, beside the
 * second method, and with 4 not even they. */
static void test_outermost_calls_stay_alone(void **state) {
    (void)state;
    static const struct {
        uint64_t outer, allowed;
        bool left_out, outermost;
        uint64_t kept;
    } rows[] = {{5, 140, false, false, 101}, {5, 99, true, true, 6}, {5, 4, true, false, 1}, {0, 99, true, false, 1}};
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        choice_method methods[] = {
            {.calls = 100, .cost_ps = 100, .work_ps = 1000, .outer_calls = rows[i].outer, .outer_ps = rows[i].outer},
            COSTS(1)};
        choice_sums sums;
        assert_true(choice_make(methods, 2, NULL, 1000, rows[i].allowed, &sums));
        assert_int_equal(methods[0].left_out, rows[i].left_out);
        assert_int_equal(methods[0].outermost, rows[i].outermost);
        assert_int_equal(sums.kept_ps, rows[i].kept);
        assert_int_equal(sums.kept_calls, rows[i].kept);
        assert_int_equal(sums.kept, rows[i].left_out ? 1 : 2);
    }
}

/* Every subset is tried: what the greedy one keeps is worth at least the best of three fourths of the price, less one
 * method. */
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
            if (cost <= allowed - allowed / CHOICE_CHEAP_PART && worth > best)
                best = worth;
        }
        choice_sums sums;
        assert_true(choice_make(methods, count, NULL, WORK, allowed, &sums));
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
    /* m1 calls the two, and has their time. */
    const counted *m1 = method_named(&c, '1');
    assert_ptr_equal(&c.list[method_named(&c, '2')->within - 1], m1);
    assert_ptr_equal(&c.list[method_named(&c, '3')->within - 1], m1);
    assert_int_equal(m1->within, 0);
    counts_clear(&c);
    buffer_clear(&file);
    buffer_clear(&other);
}

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

/* By hand, 1000 % on Mono: 50 ms to start, four methods of 80 us, or 10 us where Mono finds their code, and the calls;
 * ten times that, without the 70 or 30 ms that the tracker takes. */
static void test_a_price_includes_the_start(void **state) {
    (void)state;
    static const char *const mono[] = {"ticks_per_second", "1000", "runtime", "Mono 6.8", NULL};
    static const uint64_t method[] = {80000000, 10000000}, start[] = {70000000000, 30000000000};
    const uint64_t called = (10 + 50000 + 60000 + 1) * 17ull * CHOICE_IL_PS;
    for (int again = 0; again < 2; again++) {
        buffer file = BUFFER_INIT;
        counts c = COUNTS_INIT;
        const uint64_t work = 50000000000 + 4 * method[again] + called;
        begin_run(&file, mono, 1);
        add_calls(&file, busy, 5);
        maker_end(&file);
        c.compiled_again = again;
        add(&c, &file);
        assert_true(counts_choose(&c, 1000));
        assert_int_equal(c.work_ps, work);
        assert_int_equal(c.price_ps, 10 * work);
        assert_int_equal(c.start_ps, start[again]);
        assert_int_equal(c.allowed_ps, choice_for_calls(10 * work - start[again], work, 4 * method[again]));
        counts_clear(&c);
        buffer_clear(&file);
    }
}

/* The tree has lost the calls of m4: it was called all the same, and is not left out for the sake of native code. */
static void test_what_the_governor_took_was_called(void **state) {
    (void)state;
    static const call without[] = {{1, 0, 0, 600}, {2, 1, 10, 500}, {0, 2, 50000, 300}, {0, 3, 60000, 100}};
    buffer file = BUFFER_INIT, section = BUFFER_INIT;
    counts c = COUNTS_INIT;
    begin_profile(&file, "1000", 1, without, 4);
    buffer_varuint(&section, 1);
    buffer_varuint(&section, SAMPLE_BASE + 4);
    buffer_varuint(&section, 1);
    buffer_varuint(&section, 1000);
    buffer_varuint(&section, 1);
    maker_section(&file, "SWCH", &section);
    maker_end(&file);
    add(&c, &file);
    assert_true(counts_choose(&c, 10));
    assert_true(method_named(&c, '4')->left_out && method_named(&c, '4')->owner_calls == 0);
    assert_false(method_named(&c, '4')->takes_code);
    counts_clear(&c);
    buffer_clear(&section);
    buffer_clear(&file);
}

/* A profile of counts alone has no tree; the run that it is for will have one. */
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

/* m2 calls itself a million times, after 100 calls of m3. In the second tree m3 is called too often itself, and then
 * nothing of m2 can be recorded. */
static void test_outermost_calls_need_their_caller(void **state) {
    (void)state;
    for (uint64_t often = 0; often < 2; often++) {
        const call calls[] = {
            {1, 0, 0, 9}, {1, 1, 10, 9}, {1, 3, often ? 50000 : 10, 9}, {1, 2, 100, 8}, {0, 2, 1000000, 8}};
        buffer file = BUFFER_INIT;
        counts c = COUNTS_INIT;
        make_profile(&file, "1000", 1, calls, 5);
        add(&c, &file);
        assert_true(counts_choose(&c, 1));
        assert_int_equal(c.allowed_ps, CHOICE_LEAST_PS); /* 20,000 calls */
        const counted *m2 = method_named(&c, '2'), *m3 = method_named(&c, '3');
        assert_int_equal(m2->calls, 1000100);
        assert_true(m2->left_out);
        assert_int_equal(m2->outermost, !often);
        assert_int_equal(m2->outer_calls, often ? 0 : 100);
        assert_int_equal(m3->left_out, often);
        /* The next one up that has a row. */
        assert_ptr_equal(&c.list[m2->within - 1], often ? method_named(&c, '1') : m3);
        assert_true(c.sums.kept_ps <= c.allowed_ps);
        counts_clear(&c);
        buffer_clear(&file);
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

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_work_is_told_from_counts),
        cmocka_unit_test(test_work_is_told_from_time),
        cmocka_unit_test(test_a_busy_machine_gives_the_same_work),
        cmocka_unit_test(test_a_price_is_a_part_of_the_work),
        cmocka_unit_test(test_what_compiles_much_may_record_less),
        cmocka_unit_test(test_the_start_is_part_of_the_price),
        cmocka_unit_test(test_compiling_is_measured_in_steps),
        cmocka_unit_test(test_a_fourth_goes_to_the_cheapest),
        cmocka_unit_test(test_all_costs_are_known),
        cmocka_unit_test(test_leaves_go_before_nodes_and_names_decide),
        cmocka_unit_test(test_what_holds_much_work_stays),
        cmocka_unit_test(test_fixed_ones_stay_whatever_they_cost),
        cmocka_unit_test(test_sums_do_not_wrap),
        cmocka_unit_test(test_outermost_calls_stay_alone),
        cmocka_unit_test(test_no_subset_is_much_better),
        cmocka_unit_test(test_profiles_are_counted_by_name),
        cmocka_unit_test(test_what_the_governor_took_stays_out),
        cmocka_unit_test(test_what_the_governor_took_was_called),
        cmocka_unit_test(test_a_price_includes_the_start),
        cmocka_unit_test(test_a_flat_profile_has_nodes_to_come),
        cmocka_unit_test(test_recursion_counts_once),
        cmocka_unit_test(test_outermost_calls_need_their_caller),
        cmocka_unit_test(test_times_do_not_change_the_choice),
        cmocka_unit_test(test_the_order_of_profiles_does_not_matter),
        cmocka_unit_test(test_a_bad_profile_is_told),
        cmocka_unit_test(test_memory_that_runs_out_is_told),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
