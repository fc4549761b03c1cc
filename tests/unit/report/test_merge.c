/* Merging: the same bytes whatever the order and shape of the merges. The profiles are made from a printed seed. */
#include "merge_unit.h"
#include "util/varuint.h"

enum { FILES = 12 };

/* Merges neighbours at random, two to four at a time, until one is left. */
static void fold_parts(buffer *out, uint32_t *random, const buffer *files, size_t count) {
    buffer parts[FILES];
    for (size_t i = 0; i < count; i++) {
        parts[i] = BUFFER_INIT;
        buffer_append(&parts[i], files[i].data, files[i].size);
    }
    for (size_t i = count; i > 1; i--) { /* in any order */
        size_t other = below(random, (uint32_t)i);
        buffer swapped = parts[i - 1];
        parts[i - 1] = parts[other];
        parts[other] = swapped;
    }
    do {
        size_t at = below(random, (uint32_t)count), some = 1 + below(random, 4);
        some = some < count - at ? some : count - at;
        bytes group[4];
        for (size_t i = 0; i < some; i++)
            group[i] = buffer_bytes(&parts[at + i]);
        buffer merged;
        merged_of(&merged, group, some);
        for (size_t i = 0; i < some; i++)
            buffer_clear(&parts[at + i]);
        parts[at] = merged;
        memmove(&parts[at + 1], &parts[at + some], (count - at - some) * sizeof *parts);
        count -= some - 1;
        if (count == 1)
            break;
    } while (true);
    bytes last = buffer_bytes(&parts[0]);
    merged_of(out, &last, 1); /* which changes nothing more */
    buffer_clear(&parts[0]);
}

static void is_order_free(const buffer *files, size_t count, uint32_t *random, int rounds) {
    bytes all[FILES];
    for (size_t i = 0; i < count; i++)
        all[i] = buffer_bytes(&files[i]);
    buffer whole;
    merged_of(&whole, all, count);
    for (int round = 0; round < rounds; round++) {
        buffer folded;
        fold_parts(&folded, random, files, count);
        assert_int_equal(folded.size, whole.size);
        assert_memory_equal(folded.data, whole.data, whole.size);
        buffer_clear(&folded);
    }
    buffer_clear(&whole);
}

static void merges_of_any_shape_and_order_give_the_same_bytes(void **state) {
    (void)state;
    enum { SEED = 7, SETS = 90, ROUNDS = 6 };
    uint32_t random = SEED;
    printf("seed %u, %d sets\n", random, SETS);
    make_anything = true;
    for (int set = 0; set < SETS; set++) {
        buffer files[FILES];
        size_t count = 2 + below(&random, FILES - 2);
        const bool measured = set % 3 > 0; /* else the times are as recorded in all of them */
        for (size_t i = 0; i < count; i++) {
            files[i] = BUFFER_INIT;
            uint32_t kind = below(&random, 12);
            if (kind == 0)
                sample_profile(&files[i]);
            else if (kind == 1)
                events_profile(&files[i]);
            else if (kind == 2)
                times_profile(&files[i]);
            else
                make_random_run(&files[i], &random, false, measured);
            if (!measured && kind <= 2) {
                files[i].size = 0;
                make_random_run(&files[i], &random, false, false);
            }
        }
        is_order_free(files, count, &random, ROUNDS);
        for (size_t i = 0; i < count; i++)
            buffer_clear(&files[i]);
    }
}

/* A profile of one thread with this name, in a run with another. */
static void make_named(buffer *file, uint32_t number) {
    char name[32], ticks[32];
    snprintf(name, sizeof name, "n%05u", number * 7919 % 1000);
    snprintf(ticks, sizeof ticks, "%u", 1000 + number);
    const char *const run[] = {"ticks_per_second", "1000", "host", name, "wall_ticks", ticks, "start", ticks, NULL};
    buffer b = BUFFER_INIT;
    maker_header(file, 1, 0);
    maker_run(file, run);
    buffer_varuint(&b, 0);
    maker_section(file, "MODS", &b);
    maker_thread(&b, 1, name, 1, 3);
    maker_node(&b, 1, 0, 0, 0, 0, 0, 0);
    maker_node(&b, 1, 0x1000000 + number % 3, 1, 10, 0, 0, 0);
    maker_node(&b, 0, 0x1000010, 2, 4, 0, 0, 0);
    maker_section(file, "THRD", &b);
    buffer_clear(&b);
    maker_end(file);
}

static void lists_are_bounded_and_still_order_free(void **state) {
    (void)state;
    enum { RUNS = 260, PART = 13 };
    buffer parts[2][RUNS / PART], whole[2];
    for (int order = 0; order < 2; order++) {
        for (uint32_t part = 0; part < RUNS / PART; part++) {
            bytes files[PART];
            buffer made[PART];
            for (uint32_t i = 0; i < PART; i++) {
                made[i] = BUFFER_INIT;
                make_named(&made[i], order == 0 ? part * PART + i : i * (RUNS / PART) + part);
                files[i] = buffer_bytes(&made[i]);
            }
            merged_of(&parts[order][part], files, PART);
            for (uint32_t i = 0; i < PART; i++)
                buffer_clear(&made[i]);
        }
        bytes all[RUNS / PART];
        for (int i = 0; i < RUNS / PART; i++)
            all[i] = buffer_bytes(&parts[order][order == 0 ? i : RUNS / PART - 1 - i]);
        merged_of(&whole[order], all, RUNS / PART);
    }
    assert_int_equal(whole[0].size, whole[1].size);
    assert_memory_equal(whole[0].data, whole[1].data, whole[0].size);

    diag d = {.file = "x"};
    profile p = PROFILE_INIT;
    assert_int_equal(profile_read(&p, buffer_bytes(&whole[0]), &d), ECMA_OK);
    assert_int_equal(p.run.merged, RUNS);
    assert_int_equal(p.runs.count, MERGE_LISTED);
    assert_int_equal(p.runs.listed[0].start_ns, 1000);
    assert_int_equal(p.runs.listed[MERGE_LISTED - 1].start_ns, 1000 + MERGE_LISTED - 1);
    assert_int_equal(p.runs.facts[PROFILE_FACT_HOST].count, MERGE_LISTED);
    assert_int_equal(p.runs.facts[PROFILE_FACT_HOST].others, RUNS - MERGE_LISTED);
    assert_int_equal(p.runs.facts[PROFILE_FACT_CLOCK].count, 1);
    assert_int_equal(p.runs.facts[PROFILE_FACT_CLOCK].values[0].runs, RUNS);
    assert_int_equal(p.thread_count, MERGE_LISTED + 1);
    assert_int_equal(p.threads[0].name.size, 0); /* the rest of the names */
    assert_int_equal(p.threads[0].count, RUNS - MERGE_LISTED);
    uint64_t calls = 0;
    for (size_t t = 0; t < p.thread_count; t++)
        for (uint32_t i = 0; i < p.threads[t].node_count; i++)
            calls += profile_number(&p.threads[t], PROFILE_CALLS, i);
    assert_int_equal(calls, 3 * RUNS);
    profile_clear(&p);
    for (int order = 0; order < 2; order++) {
        buffer_clear(&whole[order]);
        for (int part = 0; part < RUNS / PART; part++)
            buffer_clear(&parts[order][part]);
    }
}

/* ---- Limits and failures ---------------------------------------------------------------------------------------- */

static void too_many_methods_are_refused_and_change_nothing(void **state) {
    (void)state;
    buffer files[3] = {BUFFER_INIT, BUFFER_INIT, BUFFER_INIT}, before = BUFFER_INIT, after = BUFFER_INIT;
    merge *m = calloc(1, sizeof *m);
    for (uint8_t i = 0; i < 3; i++) {
        buffer b = BUFFER_INIT;
        maker_header(&files[i], 1, 0);
        maker_run(&files[i], (const char *const[]){"ticks_per_second", "1", NULL});
        buffer_varuint(&b, 1);
        maker_module(&b, 0x1000000, 0x40000000, "Huge", (uint8_t)(i * 20), (bytes){NULL, 0});
        maker_section(&files[i], "MODS", &b);
        maker_end(&files[i]);
        buffer_clear(&b);
    }
    result r = {0};
    diag d = {.sink = keep, .user = &r, .file = "x"};
    for (int i = 0; i < 3; i++) {
        profile p = PROFILE_INIT;
        assert_int_equal(profile_read(&p, buffer_bytes(&files[i]), &d), ECMA_OK);
        if (i == 1)
            assert_int_equal(merge_write(&before, m, &d), ECMA_OK);
        assert_int_equal(merge_add(m, &p, &d), i == 0 ? ECMA_OK : ECMA_UNSUPPORTED);
        profile_clear(&p);
    }
    assert_int_equal(r.code, DIAG_MERGE_LIMIT);
    assert_int_equal(merge_write(&after, m, &d), ECMA_OK);
    assert_int_equal(before.size, after.size);
    assert_memory_equal(before.data, after.data, after.size);
    merge_clear(m);
    free(m);
    buffer_clear(&before);
    buffer_clear(&after);
    for (int i = 0; i < 3; i++)
        buffer_clear(&files[i]);
}

static void every_allocation_may_fail(void **state) {
    (void)state;
    buffer files[3] = {BUFFER_INIT, BUFFER_INIT, BUFFER_INIT};
    sample_profile(&files[0]);
    events_profile(&files[1]);
    uint32_t random = 5;
    make_random(&files[2], &random, true);
    merge *m = calloc(1, sizeof *m);
    long n = 0;
    for (bool failed = true; failed; n++) {
        result r = {0};
        diag d = {.sink = keep, .user = &r, .file = "x"};
        buffer out = BUFFER_INIT;
        allocations_left = n;
        one_failed = false;
        ecma_status status = ECMA_OK;
        for (int i = 0; i < 3 && status == ECMA_OK; i++) {
            profile p = PROFILE_INIT;
            status = profile_read(&p, buffer_bytes(&files[i]), &d);
            if (status == ECMA_OK) {
                status = merge_add(m, &p, &d);
                profile_clear(&p);
            }
        }
        if (status == ECMA_OK)
            status = merge_write(&out, m, &d);
        allocations_left = -1;
        failed = one_failed;
        assert_int_equal(status, failed ? ECMA_NO_MEMORY : ECMA_OK);
        assert_int_equal(r.told, failed ? 1 : 0);
        merge_clear(m);
        buffer_clear(&out);
    }
    assert_true(n > 50);
    free(m);
    for (int i = 0; i < 3; i++)
        buffer_clear(&files[i]);
}

static void deep_chains_are_merged(void **state) {
    (void)state;
    buffer files[2] = {BUFFER_INIT, BUFFER_INIT}, merged;
    make_chain(&files[0], 200000);
    make_chain(&files[1], 100000);
    const bytes all[] = {buffer_bytes(&files[0]), buffer_bytes(&files[1])};
    diag d = {.file = "x"};
    profile p = PROFILE_INIT;
    merged_of(&merged, all, 2);
    assert_int_equal(profile_read(&p, buffer_bytes(&merged), &d), ECMA_OK);
    assert_int_equal(p.threads[0].node_count, 200001);
    assert_int_equal(profile_number(&p.threads[0], PROFILE_CALLS, 100000), 2);
    assert_int_equal(profile_number(&p.threads[0], PROFILE_CALLS, 100001), 1);
    profile_clear(&p);
    buffer_clear(&merged);
    buffer_clear(&files[0]);
    buffer_clear(&files[1]);
}

/* Section SWCH after a profile's last one: one method. */
static void switch_off(buffer *file, uint64_t id, uint64_t reasons, uint64_t at_ns, uint64_t calls) {
    enum { END_BYTES = 16 };
    buffer b = BUFFER_INIT;
    file->size -= END_BYTES;
    const uint64_t all[] = {1, id, reasons, at_ns, calls};
    for (size_t i = 0; i < sizeof all / sizeof all[0]; i++)
        buffer_varuint(&b, all[i]);
    maker_section(file, "SWCH", &b);
    maker_end(file);
    buffer_clear(&b);
}

/* docs/profile-format.md, "Merged profiles": reasons are those of any run, times the earliest, calls add up. */
static void switches_of_one_method_become_one(void **state) {
    (void)state;
    buffer files[2] = {BUFFER_INIT, BUFFER_INIT}, merged;
    sample_profile(&files[0]);
    sample_profile(&files[1]);
    switch_off(&files[0], SAMPLE_BASE + 1, PROFILE_BY_GOVERNOR, 1000, 10);
    switch_off(&files[1], SAMPLE_BASE + 1, PROFILE_BY_USER, 700, 32);
    const bytes all[] = {buffer_bytes(&files[0]), buffer_bytes(&files[1])};
    diag d = {.file = "x"};
    profile p = PROFILE_INIT;
    merged_of(&merged, all, 2);
    assert_int_equal(profile_read(&p, buffer_bytes(&merged), &d), ECMA_OK);
    assert_int_equal(p.switch_count, 1);
    assert_int_equal(p.switches[0].reasons, PROFILE_BY_GOVERNOR | PROFILE_BY_USER);
    assert_int_equal(p.switches[0].at_ns, 700);
    assert_int_equal(p.switches[0].calls, 42);
    profile_clear(&p);
    buffer_clear(&merged);
    buffer_clear(&files[0]);
    buffer_clear(&files[1]);
}

/* The payload of a section of a file that is whole. */
static reader section_of(bytes file, const char *kind) {
    reader r = reader_of(file);
    reader_skip(&r, 16);
    for (;;) {
        const uint8_t *head = reader_take(&r, 16);
        assert_non_null(head);
        bytes payload = reader_bytes(&r, (size_t)load_u64(head + 8));
        if (memcmp(head, kind, 4) == 0)
            return reader_of(payload);
    }
}

/* Merged profiles of all versions have these numbers of a run in this order. */
static void a_key_keeps_its_place_in_the_list_of_runs(void **state) {
    (void)state;
    static const char *const places[] = {"inside_empty_mean_ps",
                                         "outside_empty_mean_ps",
                                         "inside_work_mean_ps",
                                         "outside_work_mean_ps",
                                         "outside_last_mean_ps",
                                         "inside_empty_high_ps",
                                         "outside_empty_high_ps",
                                         "inside_work_high_ps",
                                         "outside_work_high_ps",
                                         "outside_last_high_ps",
                                         "calibrations",
                                         "cpu_ns",
                                         "ready_ns",
                                         "ran_ns",
                                         "slices",
                                         "stolen_permille",
                                         "processors",
                                         "load_permille",
                                         "jit_methods",
                                         "jit_ns",
                                         "collections",
                                         "collection_ns",
                                         NULL,
                                         "overhead",
                                         "call_ps",
                                         "overhead_permille",
                                         "overhead_settled",
                                         "tracker_ns",
                                         "shortest_wait_ns",
                                         "bytes_counted",
                                         "bytes_missing",
                                         "objects_counted",
                                         "clock_step_ns",
                                         "collections_counted",
                                         "pauses_counted",
                                         "inside_folded_ps",
                                         "outside_folded_ps",
                                         "taken_back_ps",
                                         "skipped_ps",
                                         "late"};
    enum { PLACES = sizeof places / sizeof *places, ONLY_COUNTS = 22 };
    const char *pairs[2 * PLACES + 4] = {"ticks_per_second", "1000000000", "mode", "counts"};
    char values[PLACES][8];
    size_t count = 4;
    for (unsigned i = 0; i < PLACES; i++)
        if (places[i]) {
            snprintf(values[i], sizeof values[i], "%u", 100 + i);
            pairs[count++] = places[i];
            pairs[count++] = values[i];
        }
    pairs[count] = NULL;
    buffer file = BUFFER_INIT, merged, modules = BUFFER_INIT;
    maker_header(&file, 1, 0);
    maker_run(&file, pairs);
    buffer_varuint(&modules, 0);
    maker_section(&file, "MODS", &modules);
    maker_end(&file);
    merged_of(&merged, (const bytes[]){buffer_bytes(&file)}, 1);
    reader list = section_of(buffer_bytes(&merged), "RUNS");
    assert_int_equal(reader_varuint(&list), 1);
    reader run = reader_of(reader_counted(&list));
    static const char fixed[] = "nsnsnssssnnnnnn"; /* numbers and strings that every run has */
    for (const char *kind = fixed; *kind; kind++)
        if (*kind == 's')
            reader_counted(&run);
        else
            reader_varuint(&run);
    for (unsigned i = 0; i < PLACES; i++)
        assert_int_equal(reader_varuint(&run), i == ONLY_COUNTS ? 1 : 100 + i);
    assert_true(reader_left(&run) == 0 && !run.failed);
    buffer_clear(&modules);
    buffer_clear(&merged);
    buffer_clear(&file);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(merges_of_any_shape_and_order_give_the_same_bytes),
        cmocka_unit_test(a_key_keeps_its_place_in_the_list_of_runs),
        cmocka_unit_test(lists_are_bounded_and_still_order_free),
        cmocka_unit_test(too_many_methods_are_refused_and_change_nothing),
        cmocka_unit_test(every_allocation_may_fail),
        cmocka_unit_test(deep_chains_are_merged),
        cmocka_unit_test(switches_of_one_method_become_one),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
