/* Exports as tools read them: sums that agree to the nanosecond, names that are escaped as each format wants it, trees
 * that are too deep. How they look stands in tests/golden/report. */
#include <libdeflate.h>

#include "profile_events.h"
#include "report/model/cut.h"
#include "report_unit.h"

static void write_as(result *r, const buffer *files, size_t count, ilj_report_options options) {
    *r = (result){0};
    assert_int_equal(run_on(r, files, count, &options), ECMA_OK);
}

/* ---- Reading them ----------------------------------------------------------------------------------------------- */

static long long total_of_json(const buffer *files, size_t count) {
    json_t *root = json_of(files, count);
    long long total = 0;
    size_t i;
    json_t *f;
    json_array_foreach(json_object_get(root, "functions"), i, f) total += number_at(f, "exclusive_ns");
    json_decref(root);
    return total;
}

static long long total_of_collapsed(const buffer *files, size_t count, bool threads) {
    result r;
    write_as(&r, files, count, (ilj_report_options){.format = ILJ_REPORT_COLLAPSED, .threads = threads});
    long long total = 0;
    for (const char *line = text_of(&r); *line;) {
        const char *end = strchr(line, '\n'), *space = end;
        while (*space != ' ')
            space--;
        assert_true(space > line);
        total += atoll(space);
        line = end + 1;
    }
    buffer_clear(&r.text);
    return total;
}

/* Every frame that is opened is closed, in order, and time does not go back. */
static long long total_of_speedscope(const buffer *files, size_t count) {
    result r;
    write_as(&r, files, count, (ilj_report_options){.format = ILJ_REPORT_SPEEDSCOPE});
    json_error_t error;
    json_t *root = json_loadb(text_of(&r), r.text.size, JSON_REJECT_DUPLICATES, &error), *p, *e;
    if (!root)
        fail_msg("not JSON: line %d: %s", error.line, error.text);
    size_t frames = json_array_size(json_object_get(json_object_get(root, "shared"), "frames")), i, k;
    long long total = 0;
    json_array_foreach(json_object_get(root, "profiles"), i, p) {
        long long open[CUT_DEPTH + 4], at = 0;
        size_t depth = 0;
        json_array_foreach(json_object_get(p, "events"), k, e) {
            long long frame = number_at(e, "frame"), now = number_at(e, "at");
            assert_true(frame >= 0 && (size_t)frame < frames && now >= at && depth < CUT_DEPTH + 4);
            at = now;
            if (strcmp(string_at(e, "type"), "O") == 0)
                open[depth++] = frame;
            else
                assert_true(depth > 0 && open[--depth] == frame);
        }
        assert_int_equal(depth, 0);
        assert_int_equal(number_at(p, "endValue"), at);
        if (strncmp(string_at(p, "name"), "Async", 5) != 0)
            total += at;
    }
    assert_true((size_t)number_at(root, "activeProfileIndex") < json_array_size(json_object_get(root, "profiles")));
    json_decref(root);
    buffer_clear(&r.text);
    return total;
}

/* The sum of functions' own costs; it has to be the summary, and callees' costs have to be what the callee's are. */
static long long total_of_callgrind(const buffer *files, size_t count) {
    result r;
    write_as(&r, files, count, (ilj_report_options){.format = ILJ_REPORT_CALLGRIND});
    long long total = 0, summary = -1;
    bool callee = false;
    for (const char *line = text_of(&r); *line; line = strchr(line, '\n') + 1) {
        if (strncmp(line, "summary: ", 9) == 0)
            summary = atoll(line + 9);
        else if (strncmp(line, "calls=", 6) == 0)
            callee = true;
        else if (line[0] == '0') {
            if (!callee)
                total += atoll(line + 1);
            callee = false;
        }
    }
    assert_int_equal(total, summary);
    buffer_clear(&r.text);
    return total;
}

static long long total_of_csv(const buffer *files, size_t count) {
    result r;
    write_as(&r, files, count, (ilj_report_options){.format = ILJ_REPORT_CSV});
    long long total = 0;
    unsigned column = 0, row = 0, columns = 0;
    const char *field = text_of(&r);
    for (const char *at = field; *at; at++) {
        if (*at == '"') {
            for (at++; *at != '"' || at[1] == '"'; at += *at == '"' ? 2 : 1)
                assert_true(*at != '\0');
            continue;
        }
        if (*at != ',' && *at != '\r')
            continue;
        if (row > 0 && column == 10)
            total += atoll(field);
        column++;
        if (*at == '\r') {
            assert_int_equal(*++at, '\n');
            if (row++ == 0)
                columns = column;
            assert_int_equal(column, columns);
            column = 0;
        }
        field = at + 1;
    }
    assert_int_equal(column, 0);
    buffer_clear(&r.text);
    return total;
}

/* A message's next field; false after the last one. */
typedef struct field {
    unsigned number;
    uint64_t value;
    bytes content;
} field;

static uint64_t varuint(bytes *b) {
    uint64_t value = 0;
    for (unsigned shift = 0;; shift += 7) {
        assert_true(b->size > 0 && shift < 64);
        uint8_t one = *b->data++;
        b->size--;
        value |= (uint64_t)(one & 0x7F) << shift;
        if (one < 0x80)
            return value;
    }
}

static bool next_field(bytes *b, field *f) {
    if (b->size == 0)
        return false;
    uint64_t key = varuint(b);
    f->number = (unsigned)(key >> 3);
    assert_true((key & 7) == 0 || (key & 7) == 2);
    f->value = varuint(b);
    if ((key & 7) == 2) {
        assert_true(f->value <= b->size);
        f->content = (bytes){b->data, f->value};
        b->data += f->value;
        b->size -= f->value;
    }
    return true;
}

/* The profile in all gzip members; *members gets their number. */
static buffer unpacked(const result *r, size_t *members) {
    buffer all = BUFFER_INIT;
    struct libdeflate_decompressor *decompressor = libdeflate_alloc_decompressor();
    enum { ROOM = 80 << 20 };
    uint8_t *room = malloc(ROOM);
    *members = 0;
    for (size_t at = 0; at < r->text.size; ++*members) {
        size_t taken, size;
        assert_int_equal(libdeflate_gzip_decompress_ex(decompressor, r->text.data + at, r->text.size - at, room, ROOM,
                                                       &taken, &size),
                         LIBDEFLATE_SUCCESS);
        buffer_append(&all, room, size);
        at += taken;
    }
    free(room);
    libdeflate_free_decompressor(decompressor);
    return all;
}

enum { PPROF_VALUES = 5 };

/* Sums of all samples by value; the ids that they name have to be there. */
static void totals_of_pprof(long long totals[PPROF_VALUES], const buffer *files, size_t count) {
    result r;
    size_t members, types = 0, locations = 0;
    write_as(&r, files, count, (ilj_report_options){.format = ILJ_REPORT_PPROF});
    buffer all = unpacked(&r, &members);
    memset(totals, 0, PPROF_VALUES * sizeof *totals);
    for (bytes left = buffer_bytes(&all); left.size > 0;) {
        field f;
        next_field(&left, &f);
        types += f.number == 1;
        locations += f.number == 4;
    }
    assert_true(types == 4 || types == 5);
    for (bytes left = buffer_bytes(&all); left.size > 0;) {
        field f, inner;
        next_field(&left, &f);
        while (f.number == 2 && next_field(&f.content, &inner)) {
            size_t values = 0;
            while (inner.number <= 2 && inner.content.size > 0) {
                uint64_t value = varuint(&inner.content);
                if (inner.number == 1)
                    assert_true(value > 0 && value <= locations);
                else
                    totals[values++] += (long long)value;
            }
            assert_true(inner.number != 2 || values == types);
        }
    }
    buffer_clear(&all);
    buffer_clear(&r.text);
}

static void all_agree(const buffer *files, size_t count) {
    long long total = total_of_json(files, count), values[PPROF_VALUES];
    assert_int_equal(total_of_collapsed(files, count, false), total);
    assert_int_equal(total_of_collapsed(files, count, true), total);
    assert_int_equal(total_of_speedscope(files, count), total);
    assert_int_equal(total_of_callgrind(files, count), total);
    assert_int_equal(total_of_csv(files, count), total);
    totals_of_pprof(values, files, count);
    assert_int_equal(values[1], total);
    json_t *root = json_of(files, count), *f;
    long long inclusive = 0, exceptions = 0, awaiting = 0;
    size_t i;
    json_array_foreach(json_object_get(root, "functions"), i, f) inclusive += number_at(f, "inclusive_ns");
    json_array_foreach(json_object_get(root, "exceptions"), i, f) exceptions += number_at(f, "count");
    json_array_foreach(json_object_get(root, "async"), i, f) awaiting += number_at(f, "awaiting_ns");
    assert_int_equal(values[2], inclusive);
    assert_int_equal(values[3], exceptions);
    assert_int_equal(values[4], awaiting);
    json_decref(root);
}

/* ---- Sums ------------------------------------------------------------------------------------------------------- */

static void totals_of_all_formats_are_those_of_the_profile(void **state) {
    (void)state;
    buffer files[3] = {BUFFER_INIT, BUFFER_INIT, BUFFER_INIT};
    sample_profile(&files[0]);
    events_profile(&files[1]);
    /* A clock with ticks that are no whole nanoseconds. */
    static const call calls[] = {{3, 0, 0, 1001}, {2, 1, 1, 700}, {0, 2, 5, 333}, {1, 3, 7, 301},
                                 {0, 4, 9, 299},  {0, 5, 1, 1},   {1, 6, 3, 300}, {0, 1, 3, 299}};
    make_profile(&files[2], "2999999", 0x30, calls, 8);
    assert_int_equal(total_of_json(&files[0], 1), 1030001000);
    for (size_t i = 0; i < 3; i++)
        all_agree(&files[i], 1);
    all_agree(files, 3);
    for (size_t i = 0; i < 3; i++)
        buffer_clear(&files[i]);
}

static void inclusive_times_are_sums_of_own_ones_whatever_the_clock(void **state) {
    (void)state;
    static const char *const rates[] = {"1", "3", "2999999", "10000000", "1000000000", "3187204001"};
    static const call calls[] = {{2, 0, 0, 1001}, {2, 1, 1, 700}, {0, 2, 5, 333}, {1, 3, 7, 301},
                                 {0, 4, 9, 299},  {1, 6, 3, 301}, {0, 7, 3, 299}};
    for (size_t i = 0; i < sizeof rates / sizeof rates[0]; i++) {
        buffer file = BUFFER_INIT;
        make_profile(&file, rates[i], 1, calls, 7);
        json_t *root = json_of(&file, 1), *node;
        const json_t *tree = json_object_get(json_array_get(json_object_get(root, "threads"), 0), "tree");
        long long own = 0;
        size_t k;
        json_array_foreach(tree, k, node) {
            long long below = 0;
            for (size_t c = k + 1; c < json_array_size(tree); c++) {
                const json_t *child = json_array_get(tree, c);
                if (number_at(child, "depth") <= number_at(node, "depth"))
                    break;
                if (number_at(child, "depth") == number_at(node, "depth") + 1)
                    below += number_at(child, "inclusive_ns");
            }
            assert_int_equal(number_at(node, "inclusive_ns"), number_at(node, "exclusive_ns") + below);
            own += number_at(node, "exclusive_ns");
        }
        /* 1,001 ticks, rounded down once. */
        assert_int_equal(own, 1001LL * 1000000000 / atoll(rates[i]));
        json_decref(root);
        buffer_clear(&file);
    }
}

static void chains_are_cut_without_losing_time(void **state) {
    (void)state;
    buffer file = BUFFER_INIT;
    make_chain(&file, 100000);
    all_agree(&file, 1);
    static const int cut[] = {ILJ_REPORT_TREE, ILJ_REPORT_CALLLOG, ILJ_REPORT_SPEEDSCOPE, ILJ_REPORT_COLLAPSED,
                              ILJ_REPORT_PPROF};
    for (size_t i = 0; i < sizeof cut / sizeof cut[0]; i++) {
        result r;
        write_as(&r, &file, 1, (ilj_report_options){.format = (ilj_report_format)cut[i]});
        assert_true(r.text.size < 4 << 20);
        assert_true(cut[i] == ILJ_REPORT_PPROF || strstr(text_of(&r), "(deeper calls)"));
        buffer_clear(&r.text);
    }
    buffer_clear(&file);
}

static void chains_that_are_just_not_too_deep_are_whole(void **state) {
    (void)state;
    for (uint32_t depth = CUT_DEPTH; depth <= CUT_DEPTH + 1; depth++) {
        buffer file = BUFFER_INIT;
        result r;
        make_chain(&file, depth);
        all_agree(&file, 1);
        write_as(&r, &file, 1, (ilj_report_options){.format = ILJ_REPORT_COLLAPSED});
        assert_int_equal(strstr(text_of(&r), "(deeper calls)") != NULL, depth > CUT_DEPTH);
        buffer_clear(&r.text);
        buffer_clear(&file);
    }
}

/* 600 threads with a chain of 500 calls each are 75 MB of stacks; a member holds 4 MiB of them. */
static void large_profiles_are_several_gzip_members(void **state) {
    (void)state;
    enum { THREADS = 600, DEPTH = 500 };
    buffer file = BUFFER_INIT, b = BUFFER_INIT;
    call calls[DEPTH + 1] = {{1, 0, 0, 0}};
    for (uint32_t i = 1; i <= DEPTH; i++)
        calls[i] = (call){i < DEPTH, i % 9, 1, DEPTH + 1 - i};
    begin_profile(&file, "1000", 1, calls, DEPTH + 1);
    for (unsigned thread = 2; thread <= THREADS; thread++) {
        maker_thread(&b, thread, "t", 1, DEPTH + 1);
        for (uint32_t i = 0; i <= DEPTH; i++)
            maker_node(&b, calls[i].children, i == 0 ? 0 : SAMPLE_BASE + calls[i].method, calls[i].calls,
                       calls[i].ticks, 0, 0, 0);
        maker_section(&file, "THRD", &b);
    }
    maker_end(&file);
    result r;
    size_t members;
    write_as(&r, &file, 1, (ilj_report_options){.format = ILJ_REPORT_PPROF});
    buffer all = unpacked(&r, &members);
    assert_true(members >= 10);
    long long values[PPROF_VALUES];
    totals_of_pprof(values, &file, 1);
    assert_int_equal(values[0], THREADS * DEPTH);
    assert_int_equal(values[1], THREADS * DEPTH * 1000000LL);
    buffer_clear(&all);
    buffer_clear(&r.text);
    buffer_clear(&b);
    buffer_clear(&file);
}

/* ---- Names ------------------------------------------------------------------------------------------------------ */

/* A profile of one method with this name. */
static void named_profile(buffer *file, const char *name) {
    static const char *const pairs[] = {"ticks_per_second", "1000", NULL};
    buffer b = BUFFER_INIT, names = BUFFER_INIT;
    maker_lists l = {0};
    maker_type(&l, 0, "", "T", NULL);
    maker_method(&l, 0, 1, 0, name, NULL, "");
    maker_join(&b, &l, "M.dll", "M", 1, 1);
    maker_names(&names, &b, 1, 1);
    b.size = 0;
    maker_header(file, 1, 0);
    maker_run(file, pairs);
    buffer_varuint(&b, 1);
    maker_module(&b, SAMPLE_BASE, 1, "M, \"Version\"=1", 101, buffer_bytes(&names));
    maker_section(file, "MODS", &b);
    maker_thread(&b, 1, "t;\n\xFF", 1, 2);
    maker_node(&b, 1, 0, 0, 5, 0, 0, 0);
    maker_node(&b, 0, SAMPLE_BASE, 1, 5, 0, 0, 0);
    maker_section(file, "THRD", &b);
    maker_end(file);
    buffer_clear(&b);
    buffer_clear(&names);
}

static void contains(const buffer *file, ilj_report_format format, const char *text) {
    result r;
    write_as(&r, file, 1, (ilj_report_options){.format = format, .threads = true});
    if (!strstr(text_of(&r), text))
        fail_msg("no %s in:\n%s", text, text_of(&r));
    buffer_clear(&r.text);
}

static void names_are_escaped_as_each_format_wants_it(void **state) {
    (void)state;
    buffer file = BUFFER_INIT;
    named_profile(&file, "a;b\"c\\d\n\x01\xC3(2) ");
    contains(&file, ILJ_REPORT_COLLAPSED, "Thread 1 t: \uFFFD;T.a:b\"c\\d \uFFFD\uFFFD(2) () 5000000\n");
    contains(&file, ILJ_REPORT_SPEEDSCOPE, "{\"name\":\"T.a;b\\\"c\\\\d \uFFFD\uFFFD(2) ()\",\"file\":\"M.dll\"}");
    contains(&file, ILJ_REPORT_CALLGRIND, "fn=(1) T.a;b\"c\\d \uFFFD\uFFFD(2) ()\n");
    contains(&file, ILJ_REPORT_CSV,
             "\"M, \"\"Version\"\"=1\",\"M.dll\",0x06000001,\"T.a;b\"\"c\\d \uFFFD\uFFFD(2) ()\",");
    contains(&file, ILJ_REPORT_TREE,
             "Thread 1 t; \uFFFD took 5,000,000\n    T.a;b\"c\\d \uFFFD\uFFFD(2) () took 5,000,000\n");
    contains(&file, ILJ_REPORT_CALLLOG, "\n T.a;b\"c\\d \uFFFD\uFFFD(2) , id=16777216, call count = 1\n");
    buffer_clear(&file);
}

/* ---- Order ------------------------------------------------------------------------------------------------------ */

static void historic_formats_keep_the_order_of_first_calls(void **state) {
    (void)state;
    static const call calls[] = {{1, 0, 0, 100}, {3, 0, 1, 100}, {0, 1, 1, 10}, {0, 2, 7, 60}, {0, 3, 1, 5}};
    buffer file = BUFFER_INIT;
    make_profile(&file, "1000000000", 1, calls, 5);
    result r;
    write_as(&r, &file, 1, (ilj_report_options){.format = ILJ_REPORT_TREE});
    assert_string_equal(text_of(&r), "N.T.m0() took 100\n"
                                     "    N.T.m1() took 10\n"
                                     "    N.T.m2() took 60\n"
                                     "    N.T.m3() took 5\n");
    buffer_clear(&r.text);
    write_as(&r, &file, 1, (ilj_report_options){.format = ILJ_REPORT_CALLLOG});
    assert_string_equal(text_of(&r),
                        "# Made from sums: each path once, in the order of first calls, with all its calls.\n"
                        "N.T.m0, id=16777216, call count = 1\n"
                        " N.T.m1, id=16777217, call count = 1\n"
                        " N.T.m2, id=16777218, call count = 7\n"
                        " N.T.m3, id=16777219, call count = 1\n"
                        "\n"
                        "N.T.m0 : call count = 1\n"
                        "N.T.m1 : call count = 1\n"
                        "N.T.m2 : call count = 7\n"
                        "N.T.m3 : call count = 1\n");
    buffer_clear(&r.text);
    buffer_clear(&file);
}

static void profiles_without_time_are_weighed_by_calls(void **state) {
    (void)state;
    static const call calls[] = {{1, 0, 0, 0}, {1, 0, 2, 0}, {0, 1, 7, 0}};
    buffer file = BUFFER_INIT;
    make_profile(&file, "1000", 1, calls, 3);
    result r;
    write_as(&r, &file, 1, (ilj_report_options){.format = ILJ_REPORT_COLLAPSED});
    assert_string_equal(text_of(&r), "N.T.m0() 2\nN.T.m0();N.T.m1() 7\n");
    buffer_clear(&r.text);
    contains(&file, ILJ_REPORT_SPEEDSCOPE, "\"unit\":\"none\"");
    contains(&file, ILJ_REPORT_SPEEDSCOPE, "\"endValue\":9}");
    buffer_clear(&file);
}

static void profiles_without_threads_are_whole_files(void **state) {
    (void)state;
    static const char *const pairs[] = {"ticks_per_second", "1000", NULL};
    buffer file = BUFFER_INIT, none = BUFFER_INIT;
    maker_header(&file, 1, 0);
    maker_run(&file, pairs);
    buffer_varuint(&none, 0);
    maker_section(&file, "MODS", &none);
    maker_end(&file);
    all_agree(&file, 1);
    buffer_clear(&file);
    buffer_clear(&none);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(totals_of_all_formats_are_those_of_the_profile),
        cmocka_unit_test(inclusive_times_are_sums_of_own_ones_whatever_the_clock),
        cmocka_unit_test(chains_are_cut_without_losing_time),
        cmocka_unit_test(chains_that_are_just_not_too_deep_are_whole),
        cmocka_unit_test(large_profiles_are_several_gzip_members),
        cmocka_unit_test(names_are_escaped_as_each_format_wants_it),
        cmocka_unit_test(historic_formats_keep_the_order_of_first_calls),
        cmocka_unit_test(profiles_without_time_are_weighed_by_calls),
        cmocka_unit_test(profiles_without_threads_are_whole_files),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
