/* The machine of a run beside the one that cost.def was measured on: its times are put into that one's. */
#include "merge_unit.h"

#include "choice/ahead.h"
#include "choice/counts.h"

#define PS_OF_MS 1000000000ull

static void test_a_slow_machine_works_longer(void **state) {
    (void)state;
    for (int r = 0; r < CHOICE_RUNTIMES; r++) {
        const uint64_t step = choice_steps[r];
        const struct {
            uint64_t ps, step, by_reference;
        } rows[] = {
            {1000, step, 1000},        {1000, 2 * step, 500},  {3000, step * 3 / 2, 2000},
            {1000, 8 * step, 125},     {1000, 9 * step, 125},  {1000, UINT64_MAX, 125},
            {1000, step / 2, 2000},    {1000, step / 3, 2000}, {1000, 1, 2000},
            {1000, 0, 1000},           {0, step, 0},           {0, 1, 0},
            {UINT64_MAX, step, ~0ull}, {UINT64_MAX, 1, ~0ull}, {UINT64_MAX, 0, ~0ull},
        };
        assert_true(step > 0 && step % 2 == 0);
        for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++)
            assert_int_equal(choice_by_reference(rows[i].ps, rows[i].step, (choice_runtime)r), rows[i].by_reference);
    }
}

/* A run of nothing that counted. `step`: "" where it is not known. */
static void make_run(buffer *file, const char *runtime, const char *cpu, const char *step) {
    const char *pairs[] = {"ticks_per_second", "1000000000", "mode",        "counts", "runtime", runtime,
                           "cpu_ns",           cpu,          "jit_methods", "2",      "jit_ns",  cpu,
                           "machine_step_ps",  step,         NULL};
    buffer modules = BUFFER_INIT;
    if (*step == 0)
        pairs[12] = NULL;
    maker_header(file, 1, 0);
    maker_run(file, pairs);
    buffer_varuint(&modules, 0);
    maker_section(file, "MODS", &modules);
    buffer_clear(&modules);
    maker_end(file);
}

static counts counts_of(const buffer *file) {
    counts c = COUNTS_INIT;
    profile p = PROFILE_INIT;
    diag d = {0};
    assert_int_equal(profile_read(&p, buffer_bytes(file), &d), ECMA_OK);
    assert_int_equal(counts_add(&c, &p, &d), ECMA_OK);
    profile_clear(&p);
    return c;
}

static void expect(const buffer *file, uint64_t ms) {
    counts c = counts_of(file);
    assert_int_equal(c.measured_ps, ms * PS_OF_MS);
    assert_int_equal(c.compiling_ps, ms * PS_OF_MS);
    counts_clear(&c);
}

static void test_a_run_says_how_fast_its_machine_is(void **state) {
    (void)state;
    static const char *const runtimes[CHOICE_RUNTIMES] = {"Mono 6.8", ".NET 10.0"};
    for (int r = 0; r < CHOICE_RUNTIMES; r++) {
        char twice[24];
        buffer known = BUFFER_INIT, unknown = BUFFER_INIT;
        snprintf(twice, sizeof twice, "%llu", (unsigned long long)(2 * choice_steps[r]));
        make_run(&known, runtimes[r], "800000000", twice);
        make_run(&unknown, runtimes[r], "800000000", "");
        expect(&known, 400);
        expect(&unknown, 800);
        buffer_clear(&known);
        buffer_clear(&unknown);
    }
}

static void test_each_merged_run_has_its_own_machine(void **state) {
    (void)state;
    char same[24], four[24];
    buffer files[3] = {BUFFER_INIT, BUFFER_INIT, BUFFER_INIT}, merged;
    snprintf(same, sizeof same, "%llu", (unsigned long long)choice_steps[CHOICE_MONO]);
    snprintf(four, sizeof four, "%llu", (unsigned long long)(4 * choice_steps[CHOICE_MONO]));
    make_run(&files[0], "Mono 6.8", "100000000", same);
    make_run(&files[1], "Mono 6.8", "800000000", four);
    make_run(&files[2], "Mono 6.8", "300000000", "");
    const bytes all[] = {buffer_bytes(&files[0]), buffer_bytes(&files[1]), buffer_bytes(&files[2])};
    merged_of(&merged, all, 3);
    expect(&merged, 100 + 200 + 300);
    buffer_clear(&merged);
    for (int i = 0; i < 3; i++)
        buffer_clear(&files[i]);
}

/* Two methods that had native code, called often, and one that had none. */
static void test_runs_say_how_much_they_compiled(void **state) {
    (void)state;
    enum { METHODS = 3 };
    names_method methods[METHODS] = {{.il_size = 100}, {.il_size = 100}, {.il_size = 100}};
    uint32_t ends[METHODS] = {0}, positions[METHODS] = {0, 1, 2};
    uint8_t native[METHODS] = {1, 1, 0};
    names n = {.methods = methods, .method_count = METHODS, .inliner_ends = ends, .native = native};
    counted list[METHODS], *order[METHODS];
    counted_calls module = {&n, positions, NULL};
    const uint64_t slow = 1000ull * 100 * choice_lost.il_ps, often = choice_lost.often_ps, once = choice_lost.seldom_ps;
    const struct {
        uint64_t compiled, compiling;
    } rows[] = {{0, 2 * often}, {1, once}, {4, 4 * once}, {1000, 2 * often}};
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        counts c = {.list = list, .count = METHODS, .runs = 1, .compiled_methods = rows[i].compiled, .ahead = &module};
        ahead found;
        for (uint32_t k = 0; k < METHODS; k++) {
            list[k] = (counted){.names = &n, .method = k, .owner = k, .calls = 1000};
            order[k] = &list[k];
        }
        assert_true(ahead_find(&found, &c, order, METHODS));
        assert_int_equal(found.compiling_ps, rows[i].compiling);
        assert_int_equal(found.inliners.lost_ps[0], rows[i].compiling / 2 + slow);
        assert_int_equal(found.inliners.lost_ps[1], rows[i].compiling / 2 + slow);
        assert_int_equal(found.inliners.lost_ps[2], 0);
        arena_clear(&c.memory);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_a_slow_machine_works_longer),
        cmocka_unit_test(test_a_run_says_how_fast_its_machine_is),
        cmocka_unit_test(test_each_merged_run_has_its_own_machine),
        cmocka_unit_test(test_runs_say_how_much_they_compiled),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
