/* Shortest, longest and percentiles: beside a sorted list of the very times, and in the report of a made profile. */
#include "report_unit.h"

#include "profile_times.h"
#include "report/model/durations.h"

static uint32_t bucket_of(uint64_t v) {
    uint32_t b = 0;
    while (profile_bucket_low(b + 1) <= v)
        b++;
    return b;
}

static int by_value(const void *a, const void *b) {
    uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return x < y ? -1 : x > y;
}

enum { TIMES = 5000 };

/* Times over many powers of two, from a fixed seed; in ticks. */
static void make_times(uint64_t *times, uint64_t counts[PROFILE_BUCKETS], uint32_t seed) {
    uint64_t random = seed;
    for (size_t i = 0; i < TIMES; i++) {
        random = random * 6364136223846793005u + 1442695040888963407u;
        times[i] = (random >> 20) % ((uint64_t)1 << (1 + (random >> 58) % 36));
        counts[bucket_of(times[i])]++;
    }
    qsort(times, TIMES, sizeof *times, by_value);
}

static profile_histogram whole(uint64_t counts[PROFILE_BUCKETS]) {
    return (profile_histogram){.id = 1, .first = 0, .count = PROFILE_BUCKETS, .counts = counts};
}

static void percentiles_lie_in_the_bucket_of_the_true_one(void **state) {
    (void)state;
    profile_run run = {.ticks_per_second = 1000000000};
    for (uint32_t seed = 1; seed <= 20; seed++) {
        uint64_t times[TIMES], counts[PROFILE_BUCKETS] = {0};
        make_times(times, counts, seed);
        profile_histogram h = whole(counts);
        durations d = DURATIONS_INIT;
        arena memory = ARENA_INIT;
        assert_true(durations_add(&d, &memory, &run, &h));
        assert_int_equal(d.total, TIMES);
        for (unsigned percent = 1; percent <= 100; percent++) {
            uint64_t found, truth = times[(TIMES * percent + 99) / 100 - 1];
            assert_true(durations_try_percentile(&d, percent, &found));
            assert_int_equal(bucket_of(found), bucket_of(truth));
        }
        arena_clear(&memory);
    }
}

/* Where a tick is no nanosecond, a bucket of ticks is spread over buckets of nanoseconds: it may move by one. */
static void other_clocks_are_off_by_a_bucket_at_most(void **state) {
    (void)state;
    static const uint64_t rates[] = {10000000, 2400000000u, 1000, 2994375123u};
    for (size_t i = 0; i < sizeof rates / sizeof rates[0]; i++) {
        profile_run run = {.ticks_per_second = rates[i]};
        uint64_t times[TIMES], counts[PROFILE_BUCKETS] = {0};
        make_times(times, counts, 7);
        profile_histogram h = whole(counts);
        durations d = DURATIONS_INIT;
        arena memory = ARENA_INIT;
        assert_true(durations_add(&d, &memory, &run, &h));
        uint64_t sum = 0;
        for (uint32_t b = 0; b < PROFILE_BUCKETS; b++)
            sum += d.counts[b];
        assert_int_equal(sum, TIMES);
        for (unsigned percent = 1; percent <= 100; percent++) {
            uint64_t found, truth = times[(TIMES * percent + 99) / 100 - 1];
            assert_true(durations_try_percentile(&d, percent, &found));
            uint32_t bucket = bucket_of(truth); /* of ticks */
            uint64_t low = profile_ns(&run, profile_bucket_low(bucket)),
                     high = profile_ns(&run, profile_bucket_low(bucket + 1));
            assert_true(bucket_of(found) + 1 >= bucket_of(low));
            assert_true(bucket_of(found) <= bucket_of(high) + 1);
        }
        arena_clear(&memory);
    }
}

static void sums_are_the_same_in_any_order(void **state) {
    (void)state;
    static const uint64_t rates[] = {10000000, 2400000001u, 1000000000};
    durations sums[2] = {DURATIONS_INIT, DURATIONS_INIT};
    arena memory = ARENA_INIT;
    for (int order = 0; order < 2; order++)
        for (size_t i = 0; i < 3; i++) {
            size_t which = order ? 2 - i : i;
            profile_run run = {.ticks_per_second = rates[which]};
            uint64_t times[TIMES], counts[PROFILE_BUCKETS] = {0};
            make_times(times, counts, (uint32_t)which + 1);
            profile_histogram h = whole(counts);
            assert_true(durations_add(&sums[order], &memory, &run, &h));
        }
    assert_memory_equal(sums[0].counts, sums[1].counts, PROFILE_BUCKETS * sizeof *sums[0].counts);
    assert_int_equal(sums[0].total, 3 * TIMES);
    arena_clear(&memory);
}

static void sums_that_are_too_large_stop_at_the_largest_number(void **state) {
    (void)state;
    profile_run run = {.ticks_per_second = 1};
    uint64_t counts[PROFILE_BUCKETS];
    for (uint32_t b = 0; b < PROFILE_BUCKETS; b++)
        counts[b] = PROFILE_MAX;
    profile_histogram h = whole(counts);
    durations d = DURATIONS_INIT;
    arena memory = ARENA_INIT;
    for (int i = 0; i < 3; i++)
        assert_true(durations_add(&d, &memory, &run, &h));
    uint64_t ns, last = 0;
    for (unsigned percent = 1; percent <= 100; percent++) {
        assert_true(durations_try_percentile(&d, percent, &ns));
        assert_true(ns >= last && ns <= PROFILE_MAX);
        last = ns;
    }
    durations none = DURATIONS_INIT;
    assert_false(durations_try_percentile(&none, 50, &ns));
    assert_false(durations_has_span(&none));
    arena_clear(&memory);
}

static void durations_are(const json_t *root, const char *name, const long long figures[5]) {
    static const char *const keys[] = {"min_ns", "max_ns", "p50_ns", "p90_ns", "p99_ns"};
    const json_t *f = function_named(root, name);
    for (int i = 0; i < 5; i++) {
        if (figures[i] >= 0)
            assert_int_equal(number_at(f, keys[i]), figures[i]);
        else
            assert_true(json_is_null(json_object_get(f, keys[i])));
    }
}

static void functions_have_them_over_nodes_threads_and_profiles(void **state) {
    (void)state;
    buffer files[2] = {BUFFER_INIT, BUFFER_INIT};
    times_profile(&files[0]);
    times_profile(&files[1]);
    for (size_t count = 1; count <= 2; count++) {
        json_t *root = json_of(files, count);
        durations_are(root, "M!#0", (const long long[]){-1, -1, -1, -1, -1});
        /* 200 us lies in the bucket 192,000 to 224,000 ns, which falls mostly into 196,608 to 229,376: with one call,
         * its middle. The last of two is a quarter further. The others end at the longest. */
        durations_are(root, "M!#1", (const long long[]){100000, 400000, count == 1 ? 212992 : 221184, 400000, 400000});
        json_t *tree = json_object_get(json_array_get(json_object_get(root, "threads"), 0), "tree");
        assert_int_equal(number_at(json_array_get(tree, 2), "min_ns"), 100000);
        assert_int_equal(number_at(json_array_get(tree, 3), "max_ns"), 12000);
        assert_int_equal(number_at(json_array_get(tree, 5), "min_ns"), 5000); /* its one call is the longest, too */
        assert_int_equal(number_at(json_array_get(tree, 5), "max_ns"), 5000);
        assert_true(json_is_null(json_object_get(json_array_get(tree, 1), "min_ns")));
        assert_true(json_is_null(json_object_get(json_array_get(tree, 1), "max_ns")));
        /* 5 6 7 8 10 12 50 us: the fourth is 8, within 8,192 to 10,240 ns for the most part. */
        const json_t *f = function_named(root, "M!#2");
        assert_int_equal(number_at(f, "min_ns"), 5000);
        assert_int_equal(number_at(f, "max_ns"), 50000);
        assert_in_range(number_at(f, "p50_ns"), 8000, 10240);
        assert_in_range(number_at(f, "p90_ns"), 48000, 50000);
        json_decref(root);
    }
    buffer_clear(&files[0]);
    buffer_clear(&files[1]);
}

static void lack_of_memory_is_told(void **state) {
    (void)state;
    buffer file = BUFFER_INIT;
    times_profile(&file);
    ilj_report_options options = {.format = ILJ_REPORT_JSON};
    assert_true(fail_each(&file, 1, &options) > 10);
    buffer_clear(&file);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(percentiles_lie_in_the_bucket_of_the_true_one),
        cmocka_unit_test(other_clocks_are_off_by_a_bucket_at_most),
        cmocka_unit_test(sums_are_the_same_in_any_order),
        cmocka_unit_test(sums_that_are_too_large_stop_at_the_largest_number),
        cmocka_unit_test(functions_have_them_over_nodes_threads_and_profiles),
        cmocka_unit_test(lack_of_memory_is_told),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
