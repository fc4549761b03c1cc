/* The report of a merged profile: that of its parts together, and each run with all that was known of it. */
#include "merge_unit.h"

/* Takes out the command that the head hints at: it names the files. */
static void forget_command(char *text) {
    char *command = strstr(text, "ilinject report --suggest=");
    size_t size = command ? strcspn(command, "\n") : 0;
    if (command)
        memmove(command, command + size, strlen(command + size) + 1);
}

/* The text after the head, which lists the runs one by one. */
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
                report_is_the_same(
                    files, count, &merged,
                    (ilj_report_options){.format = (ilj_report_format)format,
                                         .offset = (ilj_offset)offset,
                                         .columns =
                                             "calls,steps,exceptions,inclusive,exclusive,range,average,min,max,p50,p90,"
                                             "p99,probes,own",
                                         .async = true,
                                         .raw_names = set % 2});
        figures_are_the_same(files, count, &merged);
        for (size_t i = 0; i < count; i++)
            buffer_clear(&files[i]);
        buffer_clear(&merged);
    }
}

/* Nanoseconds, and nothing is known of probes: `<Main>` has `own` and calls m1 for 50. `shortest`: of the waits that
 * the run can see; "0": none. `waited` of the own time. */
static void entry_profile(buffer *file, const char *shortest, uint64_t own, uint64_t waited) {
    const char *const pairs[] = {"ticks_per_second", "1000000000", "shortest_wait_ns", shortest, NULL};
    maker_lists l = {0};
    buffer b = BUFFER_INIT, names = BUFFER_INIT;
    maker_type(&l, 0, "N", "T", NULL);
    maker_method(&l, 0, 1, 1, "<Main>", NULL, "");
    maker_method(&l, 0, 2, 1, "Work", NULL, "");
    maker_join(&b, &l, "M.dll", "M", 1, 2);
    maker_names(&names, &b, 2, 0x30);
    maker_header(file, 1, 0);
    maker_run(file, pairs);
    b.size = 0;
    buffer_varuint(&b, 1);
    maker_module(&b, SAMPLE_BASE, 2, "M, Version=1.0.0.0", 0x50, buffer_bytes(&names));
    maker_section(file, "MODS", &b);
    maker_thread(&b, 1, "t", 1, 3);
    maker_node(&b, 1, 0, 0, own + 50, 0, 0, 0);
    maker_node(&b, 1, SAMPLE_BASE, 1, own + 50, 0, 0, 0);
    maker_node(&b, 0, SAMPLE_BASE + 1, 1, 50, 0, 0, 0);
    maker_section(file, "THRD", &b);
    if (waited > 0) {
        TIMES_PUT(&b, 1, 1, waited);
        maker_section(file, "WAIT", &b);
    }
    maker_end(file);
    buffer_clear(&b);
    buffer_clear(&names);
}

static void entry_is(const buffer *file, size_t count, long long waiting_ns, long long exclusive_ns) {
    json_t *root = json_of(file, count);
    const json_t *entry = function_named(root, "N.T.Main()");
    assert_int_equal(number_at(entry, "waiting_ns"), waiting_ns);
    assert_int_equal(number_at(entry, "exclusive_ns"), exclusive_ns);
    json_decref(root);
}

/* Where a run can't see waits, the entry point of an async Main has done nothing else; where it can, what it saw. That
 * holds run by run, also of one that could have seen some and has seen none, and of runs merged before. */
static void entry_waits_run_by_run(void **state) {
    (void)state;
    buffer files[3] = {BUFFER_INIT, BUFFER_INIT, BUFFER_INIT}, merged, two;
    entry_profile(&files[0], "0", 320, 0);
    entry_profile(&files[1], "200", 100, 40);
    entry_profile(&files[2], "200", 30, 0);
    const bytes all[] = {buffer_bytes(&files[0]), buffer_bytes(&files[1]), buffer_bytes(&files[2])};
    merged_of(&merged, all, 3);
    entry_is(files, 3, 320 + 40, 60 + 30);
    entry_is(&merged, 1, 320 + 40, 60 + 30);
    figures_are_the_same(files, 3, &merged);
    buffer_clear(&merged);
    merged_of(&two, (const bytes[]){all[0], all[2]}, 2);
    merged_of(&merged, (const bytes[]){buffer_bytes(&two), all[1]}, 2);
    entry_is(&two, 1, 320, 30);
    entry_is(&merged, 1, 320 + 40, 60 + 30);
    buffer_clear(&two);
    buffer_clear(&merged);
    for (int i = 0; i < 3; i++)
        buffer_clear(&files[i]);
}

/* The MVID of the module of the first function, its first byte in hexadecimal digits. */
static void first_module_is(const buffer *files, size_t count, const char *digits) {
    json_t *root = json_of(files, count);
    const json_t *first = json_array_get(json_object_get(root, "functions"), 0);
    const json_t *module = json_array_get(json_object_get(root, "modules"), (size_t)number_at(first, "module"));
    const char *mvid = string_at(module, "mvid");
    if (!strstr(mvid, digits))
        fail_msg("%s has no %s", mvid, digits);
    json_decref(root);
}

/* Functions that weigh the same stand in the order of names, and of modules where the names are the same, whichever
 * profile has brought them first. */
static void ties_are_broken_by_name(void **state) {
    (void)state;
    static const call one[] = {{1, 0, 0, 0}, {0, 1, 700, 100}}, other[] = {{1, 0, 0, 0}, {0, 0, 700, 100}};
    buffer files[2] = {BUFFER_INIT, BUFFER_INIT}, merged;
    make_profile(&files[0], "1000", 1, one, 2);
    make_profile(&files[1], "1000", 1, other, 2);
    merged_of(&merged, (const bytes[]){buffer_bytes(&files[0]), buffer_bytes(&files[1])}, 2);
    const ilj_report_options suggestions = {.format = ILJ_REPORT_SUGGESTIONS};
    result apart = {0}, together = {0};
    assert_int_equal(run_on(&apart, files, 2, &suggestions), ECMA_OK);
    assert_int_equal(run_on(&together, &merged, 1, &suggestions), ECMA_OK);
    const ilj_report_options page = {.format = ILJ_REPORT_HTML};
    result of_page = {0};
    assert_int_equal(run_on(&of_page, files, 2, &page), ECMA_OK);
    const char *edges = strstr(text_of(&of_page), "\"edges\":");
    assert_non_null(edges);
    assert_non_null(strstr(edges, "\"callee\":[0,1]"));
    buffer_clear(&of_page.text);
    const result *const both[] = {&apart, &together};
    for (int i = 0; i < 2; i++) {
        const char *first = strstr(text_of(both[i]), "m0"), *second = strstr(text_of(both[i]), "m1");
        assert_true(first && second && first < second);
    }
    buffer_clear(&apart.text);
    buffer_clear(&together.text);
    buffer_clear(&merged);
    buffer_clear(&files[0]);
    buffer_clear(&files[1]);

    make_profile(&files[0], "1000", 0x72, other, 2);
    make_profile(&files[1], "1000", 0x71, other, 2);
    merged_of(&merged, (const bytes[]){buffer_bytes(&files[0]), buffer_bytes(&files[1])}, 2);
    first_module_is(files, 2, "71");
    first_module_is(&merged, 1, "71");
    buffer_clear(&merged);
    buffer_clear(&files[0]);
    buffer_clear(&files[1]);
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
    assert_int_equal(run_on(&r, &merged, 1, &(ilj_report_options){.format = ILJ_REPORT_SPEEDSCOPE}), ECMA_OK);
    assert_non_null(strstr(text_of(&r), "\"name\":\"Threads main (3)\""));
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
    assert_int_equal(p.run.start_ns, 1);
    const profile_run *listed = p.runs.listed;
    assert_int_equal(listed[0].quiet.inside_empty_ps, 7);
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

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(merged_profile_is_reported_as_its_parts_together),
        cmocka_unit_test(entry_waits_run_by_run),
        cmocka_unit_test(ties_are_broken_by_name),
        cmocka_unit_test(head_tells_of_the_runs),
        cmocka_unit_test(runs_keep_their_machine),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
