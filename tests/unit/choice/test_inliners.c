/* Which methods are left out where each takes native code along that was compiled ahead: the arithmetic. */
#include "unit.h"

#include "choice_unit.h"

/* m0 is a part of m1's and m2's code, m1 of m3's. */
static const uint32_t inlined_first[] = {0, 2, 3, 3, 3, 3}, inlined_in[] = {1, 2, 3};

static void test_native_code_that_goes_costs_once(void **state) {
    (void)state;
    static const uint64_t lost[] = {1, 10, 100, 1000, 0};
    static const struct {
        uint64_t allowed;
        bool left_out[5];
        uint64_t kept, lost;
    } rows[] = {
        /* With m0 all of it goes, and the others take nothing but their own cost then. */
        {1115, {false, false, false, false, false}, 1115, 1111},
        {1114, {true, false, false, false, false}, 1113, 1110},
        /* m3's code is paid with m3; m1 would take it along. */
        {1102, {true, true, false, false, false}, 1102, 1100},
        {1101, {true, true, false, true, false}, 101, 100},
        {1, {true, true, true, true, true}, 0, 0},
    };
    const choice_inliners inliners = {inlined_first, inlined_in, lost};
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        choice_method methods[] = {COSTS(1), COSTS(1), COSTS(1), COSTS(1), COSTS(0)};
        choice_sums sums;
        assert_true(choice_make(methods, 5, &inliners, 0, rows[i].allowed, &sums));
        assert_int_equal(sums.kept_ps, rows[i].kept);
        assert_int_equal(sums.lost_ps, rows[i].lost);
        for (int k = 0; k < 4; k++)
            assert_int_equal(methods[k].left_out, rows[i].left_out[k]);
    }
}

static void test_what_is_not_called_takes_no_code(void **state) {
    (void)state;
    static const uint64_t lost[] = {0, 0, 100, 0, 0};
    const choice_inliners inliners = {inlined_first, inlined_in, lost};
    for (uint64_t allowed = 0; allowed <= 101; allowed += 101) {
        choice_method methods[] = {COSTS(0), COSTS(0), COSTS(1), COSTS(0), COSTS(0)};
        choice_sums sums;
        assert_true(choice_make(methods, 5, &inliners, 0, allowed, &sums));
        assert_int_equal(methods[0].left_out, allowed == 0); /* m2 has lost it with itself, or keeps it */
        assert_int_equal(methods[2].left_out, allowed == 0);
        assert_true(!methods[1].left_out && !methods[3].left_out && !methods[4].left_out);
        assert_int_equal(sums.kept_ps, allowed);
    }
}

/* Of a random graph: what stays costs what it costs by hand, no more than is allowed, and nothing else would fit. */
static void test_any_native_code_is_paid(void **state) {
    (void)state;
    enum { MOST = 12, EDGES = 24, ROUNDS = 2000 };
    uint32_t seed = 815;
    for (int round = 0; round < ROUNDS; round++) {
        choice_method methods[MOST];
        uint64_t lost[MOST], all = 0, price = 0;
        uint32_t count = 1 + next_number(&seed) % MOST, first[MOST + 1], list[MOST * 2], edges = 0;
        bool edge[MOST][MOST] = {{false}}, gone[MOST] = {false};
        for (uint32_t i = 0; i < count; i++) {
            const uint64_t calls = next_number(&seed) % 4;
            methods[i] = (choice_method){.calls = calls, .cost_ps = calls, .fixed = next_number(&seed) % 9 == 0};
            lost[i] = calls ? next_number(&seed) % 20 : 0;
            all += calls + lost[i];
            first[i] = edges;
            for (unsigned k = next_number(&seed) % 3; k > 0; k--) {
                list[edges] = next_number(&seed) % count;
                edge[i][list[edges++]] = true;
            }
        }
        first[count] = edges;
        for (uint32_t via = 0; via < count; via++) /* what follows of it */
            for (uint32_t i = 0; i < count; i++)
                for (uint32_t k = 0; k < count; k++)
                    edge[i][k] |= edge[i][via] && edge[via][k];
        const choice_inliners inliners = {first, list, lost};
        const uint64_t allowed = next_number(&seed) % (all + 10);
        uint64_t fixed = 0;
        choice_sums sums;
        assert_true(choice_make(methods, count, &inliners, 1000, allowed, &sums));
        for (uint32_t i = 0; i < count; i++)
            for (uint32_t k = 0; k < count && !methods[i].left_out; k++)
                gone[k] |= edge[i][k] || i == k;
        for (uint32_t i = 0; i < count; i++) {
            price += (methods[i].left_out ? 0 : methods[i].cost_ps) + (gone[i] ? lost[i] : 0);
            fixed += methods[i].fixed;
        }
        assert_int_equal(price, sums.kept_ps);
        assert_true(price <= allowed || fixed);
        for (uint32_t i = 0; i < count; i++) {
            uint64_t more = methods[i].cost_ps;
            for (uint32_t k = 0; k < count; k++)
                more += (edge[i][k] || i == k) && !gone[k] ? lost[k] : 0;
            if (methods[i].calls == 0)
                assert_int_equal(methods[i].left_out, more > 0);
            else if (methods[i].left_out)
                assert_true(price + more > allowed);
        }
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_native_code_that_goes_costs_once),
        cmocka_unit_test(test_what_is_not_called_takes_no_code),
        cmocka_unit_test(test_any_native_code_is_paid),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
