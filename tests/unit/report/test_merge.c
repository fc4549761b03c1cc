/* Merging: the same bytes whatever the order and shape of the merges, and the same report. The profiles are made from a
 * printed seed. */
#include "profile_events.h"
#include "profile_times.h"
#include "report/merge/merge.h"
#include "report_unit.h"

enum { FILES = 12 };

/* ---- Made profiles ---------------------------------------------------------------------------------------------- */

static uint32_t below(uint32_t *random, uint32_t limit) {
    *random = *random * 1664525u + 1013904223u;
    return (*random >> 8) % limit;
}

static void make_module(buffer *payload, uint64_t base, uint32_t kind) {
    static const uint32_t methods[] = {9, 7, 9, 5};
    buffer b = BUFFER_INIT, names = BUFFER_INIT;
    maker_lists l = {0};
    uint32_t count = methods[kind];
    maker_type(&l, 0, "N", kind % 2 ? "U" : "T", NULL);
    for (unsigned i = 0; i < count; i++) {
        const char name[] = {'m', (char)('0' + i), '\0'};
        /* The last one is the MoveNext of the first. */
        maker_machine(&l, 0, i + 1, i + 1 == count ? 16 : 0, name, NULL, "", i + 1 == count ? 1 : 0);
    }
    maker_join(&b, &l, "M.dll", "M", 1, count);
    maker_names(&names, &b, count, (uint8_t)(kind % 2)); /* 0 and 2 are one input, instrumented twice */
    if (kind == 3)
        names.size = 0;
    maker_module(payload, base, count, kind % 2 ? "U, Version=1.0.0.0" : "M, Version=1.0.0.0", (uint8_t)(kind * 16 + 1),
                 buffer_bytes(&names));
    buffer_clear(&b);
    buffer_clear(&names);
}

/* A tree of `count` nodes in pre-order, children in any order, the same id twice among them, too. */
static void make_tree(buffer *b, uint32_t *random, const uint64_t *ids, size_t id_count, uint32_t count, bool folded) {
    uint32_t parents[64], children[64] = {0};
    for (uint32_t i = 1; i < count; i++) {
        parents[i] = i - 1; /* pre-order: the parent is the node before or one of those above it */
        for (uint32_t up = below(random, 4); up > 0 && parents[i] != 0; up--)
            parents[i] = parents[parents[i]];
        children[parents[i]]++;
    }
    for (uint32_t i = 0; i < count; i++) {
        uint32_t wild = below(random, 12);
        uint64_t calls = below(random, 1000), ticks = below(random, 100000);
        maker_node(b, children[i] + (i == 0 && folded ? 1 : 0), i == 0 ? 0 : ids[below(random, (uint32_t)id_count)],
                   i == 0 ? 0 : calls, wild == 0 ? UINT64_MAX >> below(random, 20) : ticks,
                   wild == 1 ? below(random, 100) : 0, below(random, 3), below(random, 2));
    }
    if (folded) {
        maker_node(b, 2, 1, 0, 100, 0, 0, 0);
        maker_node(b, 0, ids[0], 5, 40, 0, 0, 0);
        maker_node(b, 0, ids[1], 6, 60, 0, 0, 0);
    }
}

static void make_paths(buffer *b, uint32_t *random) {
    static const char *const types[][4] = {{"B", "A", NULL}, {"A", "C", "A", NULL}, {"", "B", NULL}};
    static const char *const messages[] = {"x", "y", "z", "w", "", "xx", NULL};
    const char *const *list = types[below(random, 3)];
    uint32_t count = 0;
    while (list[count])
        count++;
    maker_exception_types(b, list);
    buffer_varuint(b, 2);
    for (int i = 0; i < 2; i++) {
        buffer_varuint(b, below(random, 3));
        buffer_varuint(b, below(random, 9));
    }
    buffer_varuint(b, 6);
    for (int i = 0; i < 6; i++) {
        uint64_t thrower = below(random, 3);
        maker_path(b, &(maker_way){.type = below(random, count + 1),
                                   .thrower = thrower,
                                   .catcher = below(random, 2) ? thrower : 0,
                                   .outcome = below(random, 8),
                                   .count = below(random, 50),
                                   .ticks = below(random, 5000),
                                   .search_ticks = below(random, 50),
                                   .messages = {messages[below(random, 7)], messages[below(random, 7)]}});
    }
}

static void make_async(buffer *b, uint32_t *random, const uint64_t *ids, size_t id_count) {
    enum { NODES = 4 };
    buffer_varuint(b, NODES);
    for (uint64_t i = 0; i < NODES; i++) {
        uint64_t fields[11] = {i + 1 < NODES, i == 0 ? 0 : ids[below(random, (uint32_t)id_count)]};
        for (int k = 2; k < 11; k++)
            fields[k] = below(random, 1000);
        maker_async(b, fields);
    }
}

static void make_durations(buffer *file, uint32_t *random, const uint64_t *ids, size_t id_count) {
    buffer b = BUFFER_INIT;
    buffer_varuint(&b, 2); /* the second node or the third, and one behind */
    for (int i = 0; i < 2; i++) {
        buffer_varuint(&b, 1 + (i == 0 ? below(random, 2) : 0));
        buffer_varuint(&b, below(random, 100));
        buffer_varuint(&b, below(random, 100));
    }
    maker_section(file, "SPAN", &b);
    buffer_varuint(&b, 3);
    for (int i = 0; i < 3; i++) {
        uint64_t id = ids[below(random, (uint32_t)id_count)];
        buffer_varuint(&b, id < 0x1000000 ? 0x7E000000 : id);
        buffer_varuint(&b, below(random, 244));
        buffer_varuint(&b, 4);
        for (int k = 0; k < 4; k++)
            buffer_varuint(&b, below(random, 3));
    }
    maker_section(file, "HIST", &b);
    buffer_clear(&b);
}

static void make_threads(buffer *file, uint32_t *random, const uint64_t *ids, size_t id_count) {
    static const char *const names[] = {"", "main", "pool", "io"};
    buffer b = BUFFER_INIT;
    for (uint32_t t = below(random, 4); t > 0; t--) {
        uint32_t nodes = 4 + below(random, 29);
        bool folded = below(random, 3) == 0;
        maker_thread(&b, below(random, 3), names[below(random, 4)], 1 + below(random, 3), nodes + (folded ? 3 : 0));
        /* The first three nodes are a chain, so that paths can go along it. */
        make_tree(&b, random, ids, id_count, nodes, folded);
        maker_section(file, "THRD", &b);
        if (below(random, 2))
            make_durations(file, random, ids, id_count);
        if (below(random, 2)) {
            make_paths(&b, random);
            maker_section(file, "EXCP", &b);
        }
        if (below(random, 2)) {
            make_async(&b, random, ids, id_count);
            maker_section(file, "ASYN", &b);
        }
    }
    buffer_clear(&b);
}

static void make_random(buffer *file, uint32_t *random, bool own_names) {
    static const char *const rates[] = {"1000000000", "10000000", "2893214568", "3", "1000"};
    static const char *const hosts[] = {"till-1", "till-2", "", "till-3"};
    char name[32], start[32], pid[32];
    snprintf(name, sizeof name, own_names ? "App%u" : "App", below(random, 1000));
    snprintf(start, sizeof start, "%u", below(random, 5));
    snprintf(pid, sizeof pid, "%u", below(random, 3));
    bool calibrated = below(random, 2);
    const char *const run[] = {"ticks_per_second",
                               rates[below(random, 5)],
                               "name",
                               name,
                               "host",
                               hosts[below(random, 4)],
                               "start",
                               start,
                               "pid",
                               pid,
                               "wall_ticks",
                               "12345",
                               "folded",
                               "3",
                               "dropped",
                               pid,
                               "folded_async",
                               start,
                               calibrated ? "inside_empty_ps" : "x",
                               "30123",
                               calibrated ? "outside_empty_ps" : "x",
                               "10457",
                               calibrated ? "inside_work_ps" : "x",
                               "25001",
                               calibrated ? "outside_work_ps" : "x",
                               "11000",
                               calibrated ? "outside_last_ps" : "x",
                               "12500",
                               calibrated ? "clock_read_ps" : "x",
                               "17003",
                               below(random, 2) ? "inside_work_mean_ps" : "x",
                               "41000",
                               below(random, 2) ? "ran_ns" : "x",
                               "8000000",
                               below(random, 2) ? "collection_ns" : "x",
                               pid,
                               NULL};
    buffer b = BUFFER_INIT;
    maker_header(file, 1, 0);
    maker_run(file, run);
    uint64_t ids[40] = {below(random, 2) ? 2 : 0x1000003, 0x7F000000 + below(random, 2)}, base = 0x1000000;
    size_t id_count = 2;
    uint32_t modules = 1 + below(random, 3), first = below(random, 4);
    buffer_varuint(&b, modules);
    for (uint32_t i = 0; i < modules; i++) {
        base += below(random, 20) + 20;
        make_module(&b, base, (first + i) % 4);
        for (uint32_t k = 0; k < 4; k++)
            ids[id_count++] = base + k;
        ids[id_count++] = base + ((first + i) % 2 ? 6 : 8); /* MoveNext; of 3 behind its end */
        base += 9;
    }
    maker_section(file, "MODS", &b);
    make_threads(file, random, ids, id_count);
    maker_end(file);
    buffer_clear(&b);
}

/* ---- Merging ---------------------------------------------------------------------------------------------------- */

static void merged_of(buffer *out, const bytes *files, size_t count) {
    diag d = {.file = "x"};
    merge *m = calloc(1, sizeof *m);
    for (size_t i = 0; i < count; i++) {
        profile p = PROFILE_INIT;
        p.memory.one_by_one = true;
        assert_int_equal(profile_read(&p, files[i], &d), ECMA_OK);
        assert_int_equal(merge_add(m, &p, &d), ECMA_OK);
        profile_clear(&p);
    }
    *out = BUFFER_INIT;
    assert_int_equal(merge_write(out, m, &d), ECMA_OK);
    merge_clear(m);
    free(m);
}

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
    enum { SEED = 7, SETS = 60, ROUNDS = 6 };
    uint32_t random = SEED;
    printf("seed %u, %d sets\n", random, SETS);
    for (int set = 0; set < SETS; set++) {
        buffer files[FILES];
        size_t count = 2 + below(&random, FILES - 2);
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
                make_random(&files[i], &random, false);
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
            calls += p.threads[t].nodes[i].calls;
    assert_int_equal(calls, 3 * RUNS);
    profile_clear(&p);
    for (int order = 0; order < 2; order++) {
        buffer_clear(&whole[order]);
        for (int part = 0; part < RUNS / PART; part++)
            buffer_clear(&parts[order][part]);
    }
}

/* ---- The report ------------------------------------------------------------------------------------------------- */

/* Takes out the command that the head hints at: it names the files. */
static void forget_command(char *text) {
    char *command = strstr(text, "ilinject report --suggest=");
    size_t size = command ? strcspn(command, "\n") : 0;
    if (command)
        memmove(command, command + size, strlen(command + size) + 1);
}

/* The text behind the head, which tells of the runs one by one. */
static void report_is_the_same(const buffer *files, size_t count, const buffer *merged, ilj_report_options options) {
    result apart = {0}, together = {0};
    assert_int_equal(run_on(&apart, files, count, &options), ECMA_OK);
    assert_int_equal(run_on(&together, merged, 1, &options), ECMA_OK);
    const char *from = options.format == ILJ_REPORT_TEXT ? "\nThreads  " : "";
    char *a = strstr(text_of(&apart), from), *b = strstr(text_of(&together), from);
    assert_non_null(a);
    assert_non_null(b);
    forget_command(a);
    forget_command(b);
    if (strcmp(a, b) != 0) {
        size_t at = 0;
        while (a[at] == b[at])
            at++;
        while (at > 0 && a[at - 1] != '\n')
            at--;
        fail_msg("apart:\n%.300s\ntogether:\n%.300s", a + at, b + at);
    }
    buffer_clear(&apart.text);
    buffer_clear(&together.text);
}

static json_t *by_name(json_t *root) {
    json_t *functions = json_object();
    size_t i;
    json_t *f;
    json_array_foreach(json_object_get(root, "functions"), i, f) {
        json_t *copy = json_copy(f);
        json_object_del(copy, "module"); /* positions are in the order of reading */
        char key[256];
        snprintf(key, sizeof key, "%s %s %lld", string_at(f, "name"), json_string_value(json_object_get(f, "token")),
                 number_at(f, "calls"));
        json_object_set_new(functions, key, copy);
    }
    return functions;
}

static void figures_are_the_same(const buffer *files, size_t count, const buffer *merged) {
    json_t *apart = json_of(files, count), *together = json_of(merged, 1);
    json_t *a = by_name(apart), *b = by_name(together);
    assert_true(json_equal(a, b));
    assert_true(json_equal(json_object_get(apart, "totals"), json_object_get(together, "totals")));
    assert_true(json_equal(json_object_get(apart, "exceptions"), json_object_get(together, "exceptions")));
    assert_int_equal(number_at(together, "run_count"), count);
    json_decref(a);
    json_decref(b);
    json_decref(apart);
    json_decref(together);
}

static void merged_profile_is_reported_as_its_parts_together(void **state) {
    (void)state;
    enum { SEED = 11, SETS = 80, MOST = 4 };
    uint32_t random = SEED;
    printf("seed %u, %d sets\n", random, SETS);
    for (int set = 0; set < SETS; set++) {
        buffer files[MOST], merged;
        bytes all[MOST];
        size_t count = 2 + below(&random, MOST - 1);
        for (size_t i = 0; i < count; i++) {
            files[i] = BUFFER_INIT;
            if (set < 4)
                (set % 3 == 0 ? events_profile : set % 3 == 1 ? sample_profile : times_profile)(&files[i]);
            else
                make_random(&files[i], &random, true);
            all[i] = buffer_bytes(&files[i]);
        }
        merged_of(&merged, all, count);
        for (int format = ILJ_REPORT_TEXT; format <= ILJ_REPORT_CALLTREE; format++)
            for (int offset = ILJ_OFFSET_CALIBRATED; offset <= ILJ_OFFSET_ARTICLE; offset++)
                report_is_the_same(files, count, &merged,
                                   (ilj_report_options){.format = (ilj_report_format)format,
                                                        .offset = (ilj_offset)offset,
                                                        .async = true,
                                                        .raw_names = set % 2});
        figures_are_the_same(files, count, &merged);
        for (size_t i = 0; i < count; i++)
            buffer_clear(&files[i]);
        buffer_clear(&merged);
    }
}

static void head_tells_of_the_runs(void **state) {
    (void)state;
    buffer files[3] = {BUFFER_INIT, BUFFER_INIT, BUFFER_INIT}, merged;
    sample_profile(&files[0]);
    sample_profile(&files[1]);
    events_profile(&files[2]);
    const bytes all[] = {buffer_bytes(&files[0]), buffer_bytes(&files[1]), buffer_bytes(&files[2])};
    merged_of(&merged, all, 3);
    result r = {0};
    assert_int_equal(run_on(&r, &merged, 1, &(ilj_report_options){.threads = true}), ECMA_OK);
    static const char *const lines[] = {
        "Program  Bank (1), Shop (2), 3 runs\n",
        "File     a.ilprof, written at: exit, tracker (not known) (1), 0.1.0 (2)\n",
        "Host     (not known) (1), till-3 (2); (not known) (1), Mono 6.12.0.199 (2)\n",
        "Wall     2.59 s of all runs, from 2026-01-02 03:04:05 to 2026-01-02 03:04:06 UTC, clock ",
        " UTC, clock (not known) (1), stopwatch (2)\n",
        " 3 threads main\n",
    };
    for (size_t i = 0; i < sizeof lines / sizeof lines[0]; i++)
        if (!strstr(text_of(&r), lines[i]))
            fail_msg("no '%s' in:\n%.1500s", lines[i], text_of(&r));
    buffer_clear(&r.text);
    buffer_clear(&merged);
    for (int i = 0; i < 3; i++)
        buffer_clear(&files[i]);
}

/* A run keeps what is known of it: each figure stands at its own, also when merged again, and what was not known stays
 * so. The bytes that hold a run are those of the format: two figures alone, up to the last one. */
static void runs_keep_their_machine(void **state) {
    (void)state;
    static const char *const full[] = {"ticks_per_second",
                                       "1000",
                                       "start",
                                       "1",
                                       "inside_empty_ps",
                                       "7",
                                       "inside_empty_mean_ps",
                                       "9",
                                       "ran_ns",
                                       "70000",
                                       "collection_ns",
                                       "300",
                                       "outside_work_high_ps",
                                       "8",
                                       "calibrations",
                                       "4",
                                       NULL};
    static const char *const part[] = {"ticks_per_second",      "1000", "start", "2", "inside_empty_mean_ps", "5",
                                       "outside_empty_mean_ps", "6",    NULL};
    static const char *const none[] = {"ticks_per_second", "1000", "start", "3", NULL};
    const char *const *const runs[] = {none, full, part};
    buffer files[3] = {BUFFER_INIT, BUFFER_INIT, BUFFER_INIT}, b = BUFFER_INIT, first, merged;
    for (int i = 0; i < 3; i++) {
        maker_header(&files[i], 1, 0);
        maker_run(&files[i], runs[i]);
        buffer_varuint(&b, 0);
        maker_section(&files[i], "MODS", &b);
        maker_end(&files[i]);
    }
    merged_of(&first, (const bytes[]){buffer_bytes(&files[0]), buffer_bytes(&files[1])}, 2);
    merged_of(&merged, (const bytes[]){buffer_bytes(&first), buffer_bytes(&files[2])}, 2);
    diag d = {.file = "x"};
    profile p = PROFILE_INIT;
    assert_int_equal(profile_read(&p, buffer_bytes(&merged), &d), ECMA_OK);
    assert_int_equal(p.runs.count, 3);
    const profile_run *listed = p.runs.listed;
    assert_int_equal(listed[0].inside_empty_ps, 7);
    assert_int_equal(listed[0].mean.inside_empty_ps, 9);
    assert_int_equal(listed[0].mean.outside_empty_ps, 0);
    assert_int_equal(listed[0].machine.ran_ns, 70000);
    assert_int_equal(listed[0].machine.ready_ns, 0);
    assert_int_equal(listed[0].machine.collection_ns, 300);
    assert_int_equal(listed[1].mean.inside_empty_ps, 5);
    assert_int_equal(listed[1].mean.outside_empty_ps, 6);
    assert_int_equal(listed[1].machine.ran_ns, 0);
    assert_int_equal(listed[2].mean.inside_empty_ps, 0);
    assert_int_equal(listed[2].start_ns, 3);
    profile_clear(&p);
    json_t *root = json_of(&merged, 1);
    const json_t *shown = json_object_get(root, "runs"), *one = json_array_get(shown, 0);
    assert_int_equal(number_at(json_object_get(one, "machine"), "ran_ns"), 70000);
    assert_int_equal(number_at(json_object_get(one, "machine"), "ready_ns"), 0);
    assert_int_equal(number_at(json_object_get(one, "machine"), "collection_ns"), 300);
    one = json_object_get(one, "calibration");
    assert_int_equal(number_at(one, "inside_empty_ps"), 7);
    assert_int_equal(number_at(one, "calibrations"), 4);
    assert_int_equal(number_at(json_object_get(one, "mean"), "inside_empty_ps"), 9);
    assert_int_equal(number_at(json_object_get(one, "high"), "outside_last_ps"), 0);
    assert_int_equal(number_at(json_object_get(one, "high"), "outside_work_ps"), 8);
    one = json_array_get(shown, 2);
    assert_true(json_is_null(json_object_get(one, "machine")) && json_is_null(json_object_get(one, "calibration")));
    json_decref(root);
    /* Size, start, name, process, host, wall time, four texts, six figures; and of the second run two more. */
    static const uint8_t packed[] = {17, 2,  0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 5,
                                     6,  15, 3, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0};
    bool found = false;
    for (size_t at = 0; at + sizeof packed <= merged.size && !found; at++)
        found = memcmp(merged.data + at, packed, sizeof packed) == 0;
    assert_true(found);
    buffer_clear(&first);
    buffer_clear(&merged);
    buffer_clear(&b);
    for (int i = 0; i < 3; i++)
        buffer_clear(&files[i]);
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
    assert_int_equal(p.threads[0].nodes[100000].calls, 2);
    assert_int_equal(p.threads[0].nodes[100001].calls, 1);
    profile_clear(&p);
    buffer_clear(&merged);
    buffer_clear(&files[0]);
    buffer_clear(&files[1]);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(merges_of_any_shape_and_order_give_the_same_bytes),
        cmocka_unit_test(lists_are_bounded_and_still_order_free),
        cmocka_unit_test(merged_profile_is_reported_as_its_parts_together),
        cmocka_unit_test(head_tells_of_the_runs),
        cmocka_unit_test(runs_keep_their_machine),
        cmocka_unit_test(too_many_methods_are_refused_and_change_nothing),
        cmocka_unit_test(every_allocation_may_fail),
        cmocka_unit_test(deep_chains_are_merged),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
