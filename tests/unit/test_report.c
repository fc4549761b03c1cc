/* Reports from profiles. With the arguments `show FORMAT WIDTH [color] [raw]` the sample's report goes to standard
 * output, for tests/golden/suite-report.sh; with `sample FILE` the sample is written to a file. */
#include "unit.h"

#include <errno.h>
#include <jansson.h>

#include "profile_maker.h"
#include "report/format.h"
#include "report/report.h"
#include "report/unicode.h"

/* ---- Allocations that fail
 * ------------------------------------------------------------------------------------------- */

static long allocations_left = -1; /* negative: all succeed */

void *__real_malloc(size_t size);
void *__real_calloc(size_t count, size_t size);
void *__real_realloc(void *p, size_t size);
void *__wrap_malloc(size_t size);
void *__wrap_calloc(size_t count, size_t size);
void *__wrap_realloc(void *p, size_t size);

static bool allocation_fails(void) {
    if (allocations_left < 0)
        return false;
    if (allocations_left == 0)
        return true;
    allocations_left--;
    return false;
}

void *__wrap_malloc(size_t size) {
    return allocation_fails() ? NULL : __real_malloc(size);
}
void *__wrap_calloc(size_t count, size_t size) {
    return allocation_fails() ? NULL : __real_calloc(count, size);
}
void *__wrap_realloc(void *p, size_t size) {
    return allocation_fails() ? NULL : __real_realloc(p, size);
}

/* ---- Running
 * --------------------------------------------------------------------------------------------------------- */

typedef struct result {
    buffer text; /* with a terminator that is not counted */
    unsigned told;
    diag_code code;
    char last[1024];
    size_t refuse_after; /* bytes; 0: never */
} result;

static void keep(void *user, const char *file, diag_severity severity, diag_code code, const char *text) {
    result *r = user;
    (void)file;
    (void)severity;
    r->told++;
    r->code = code;
    snprintf(r->last, sizeof r->last, "%s", text);
}

static int collect(void *user, const char *text, size_t length) {
    result *r = user;
    if (r->refuse_after && r->text.size + length > r->refuse_after)
        return 1;
    long saved = allocations_left;
    allocations_left = -1; /* the test's own memory */
    buffer_append(&r->text, text, length);
    allocations_left = saved;
    return 0;
}

static ecma_status run_on(result *r, const buffer *files, size_t count, const ilj_report_options *options) {
    report_input inputs[4];
    diag diags[4];
    static const char *const names[] = {"a.ilprof", "b.ilprof", "c.ilprof", "d.ilprof"};
    for (size_t i = 0; i < count; i++) {
        diags[i] = (diag){.sink = keep, .user = r, .file = names[i]};
        inputs[i] = (report_input){buffer_bytes(&files[i]), &diags[i]};
    }
    ecma_status status = report_run(inputs, count, options, collect, r);
    if (allocations_left < 0) {
        buffer_u8(&r->text, 0);
        r->text.size--;
    }
    return status;
}

static const char *text_of(const result *r) {
    return (const char *)r->text.data;
}

static json_t *json_of(const buffer *files, size_t count) {
    result r = {0};
    ilj_report_options options = {.format = ILJ_REPORT_JSON};
    assert_int_equal(run_on(&r, files, count, &options), ECMA_OK);
    json_error_t error;
    json_t *root = json_loadb(text_of(&r), r.text.size, JSON_REJECT_DUPLICATES, &error);
    if (!root)
        fail_msg("not JSON: line %d: %s", error.line, error.text);
    buffer_clear(&r.text);
    return root;
}

static long long number_at(const json_t *object, const char *key) {
    const json_t *value = json_object_get(object, key);
    if (!json_is_integer(value))
        fail_msg("no integer %s", key);
    return json_integer_value(value);
}

static const char *string_at(const json_t *object, const char *key) {
    const json_t *value = json_object_get(object, key);
    if (!json_is_string(value))
        fail_msg("no string %s", key);
    return json_string_value(value);
}

static const json_t *function_named(const json_t *root, const char *name) {
    size_t i;
    json_t *f;
    json_array_foreach(json_object_get(root, "functions"), i, f) {
        if (strcmp(string_at(f, "name"), name) == 0)
            return f;
    }
    fail_msg("no function %s", name);
    return NULL;
}

static void figures_are(const json_t *root, const char *name, long long calls, long long inclusive_ns,
                        long long exclusive_ns) {
    const json_t *f = function_named(root, name);
    assert_int_equal(number_at(f, "calls"), calls);
    assert_int_equal(number_at(f, "inclusive_ns"), inclusive_ns);
    assert_int_equal(number_at(f, "exclusive_ns"), exclusive_ns);
    assert_int_equal(number_at(f, "average_ns"), calls ? inclusive_ns / calls : 0);
}

/* A profile of one thread; method ids count from the base, and the names are m0, m1 … of type N.T. */
typedef struct call {
    uint64_t children, method, calls, ticks;
} call;

static void make_profile(buffer *file, const char *rate, uint8_t mvid, const call *calls, size_t count) {
    buffer b = BUFFER_INIT, names = BUFFER_INIT;
    const char *const pairs[] = {"ticks_per_second", rate, "name", "\xFF\"quoted\"\t\\\xC3", NULL};
    maker_header(file, 1, 0);
    maker_run(file, pairs);
    maker_str(&b, "M.dll");
    maker_str(&b, "M");
    buffer_varuint(&b, 1);
    maker_type(&b, 0, "N", "T", NULL);
    buffer_varuint(&b, 9);
    for (unsigned i = 0; i < 9; i++) {
        const char name[] = {'m', (char)('0' + i), '\0'};
        maker_method(&b, 0, i + 1, 0, name, NULL, "");
    }
    maker_names(&names, &b, 9, mvid);
    b.size = 0;
    buffer_varuint(&b, 1);
    maker_module(&b, SAMPLE_BASE, 9, "M, Version=1.0.0.0", (uint8_t)(mvid + 100), buffer_bytes(&names));
    maker_section(file, "MODS", &b);
    maker_thread(&b, 1, "t", 1, count);
    for (size_t i = 0; i < count; i++)
        maker_node(&b, calls[i].children, i == 0 ? 0 : SAMPLE_BASE + calls[i].method, calls[i].calls, calls[i].ticks, 0,
                   0, 0);
    maker_section(file, "THRD", &b);
    maker_end(file);
    buffer_clear(&b);
    buffer_clear(&names);
}

/* ---- Figures
 * --------------------------------------------------------------------------------------------------------- */

static void sample_has_the_figures_worked_out_by_hand(void **state) {
    (void)state;
    buffer file = BUFFER_INIT;
    sample_profile(&file);
    json_t *root = json_of(&file, 1);
    assert_string_equal(string_at(root, "format"), "ilinject-profile");
    assert_int_equal(number_at(root, "version"), 1);

    const json_t *run = json_array_get(json_object_get(root, "runs"), 0);
    assert_string_equal(string_at(run, "name"), "Shop");
    assert_int_equal(number_at(run, "pid"), 4242);
    assert_int_equal(number_at(run, "start_ns"), 1767323045000000000);
    assert_int_equal(number_at(run, "wall_ns"), 1234567800);
    assert_string_equal(string_at(run, "file"), "a.ilprof");

    const json_t *totals = json_object_get(root, "totals");
    /* 1 + 1 + 2 + 1,234,567 + 9,876,543 + 1,234,567 + 1 + 2 + 4 + 90 + 10 + 30 + 30 + 3 + 1 */
    assert_int_equal(number_at(totals, "enters"), 12345852);
    assert_int_equal(number_at(totals, "leaves"), 12345849);
    assert_int_equal(number_at(totals, "resynchronised"), 2);
    assert_int_equal(number_at(totals, "open"), 1);
    assert_int_equal(number_at(totals, "folded"), 100);
    assert_int_equal(number_at(totals, "dropped"), 7);

    figures_are(root, "Shop.Program.Main(string[])", 1, 1000000000, 179950000);
    figures_are(root, "Shop.Data.Store<T>.Cursor.MoveNext()", 9876543, 400000000, 400000000);
    figures_are(root, "Shop.商品カタログ.検索(string)", 40, 30000000, 23000000);
    figures_are(root, "Plug!#2", 3, 2000000, 2000000);
    figures_are(root, "?0x7f000000", 1, 1000, 1000);
    /* Fib: inclusive counted once is 100 ms; its own time with the folded calls is 115 ms, which inclusive can't be
     * below. */
    figures_are(root, "Shop.Program.Fib(int)", 97, 115000000, 115000000);

    const json_t *modules = json_object_get(root, "modules");
    assert_int_equal(json_array_size(modules), 2);
    assert_string_equal(string_at(json_array_get(modules, 0), "mvid"), "13121110-1514-1716-1819-1a1b1c1d1e1f");
    assert_string_equal(string_at(json_array_get(modules, 0), "module"), "Shop.exe");
    assert_true(json_is_null(json_object_get(json_array_get(modules, 1), "mvid")));

    const json_t *functions = json_object_get(root, "functions");
    assert_int_equal(json_array_size(functions), 10);
    const json_t *first = json_array_get(functions, 0);
    assert_string_equal(string_at(first, "type"), "Shop.Data.Store<T>.Cursor");
    assert_string_equal(string_at(first, "method"), "MoveNext()");
    assert_string_equal(string_at(first, "token"), "0x06000007");
    assert_int_equal(number_at(function_named(root, "?0x7f000000"), "module"), -1);
    long long last = INT64_MAX;
    for (size_t i = 0; i < json_array_size(functions); i++) {
        long long own = number_at(json_array_get(functions, i), "exclusive_ns");
        assert_true(own <= last);
        last = own;
    }

    const json_t *threads = json_object_get(root, "threads");
    assert_int_equal(json_array_size(threads), 2);
    const json_t *tree = json_object_get(json_array_get(threads, 0), "tree");
    assert_int_equal(json_array_size(tree), 13);
    assert_int_equal(number_at(json_array_get(tree, 0), "function"), -1);
    assert_int_equal(number_at(json_array_get(tree, 10), "function"), -2);
    assert_int_equal(number_at(json_array_get(tree, 10), "exclusive_ns"), 0);
    const json_t *inner = json_array_get(functions, (size_t)number_at(json_array_get(tree, 5), "function"));
    assert_string_equal(string_at(inner, "name"), "Shop.Data.Store<T>.Cursor.MoveNext()");
    assert_int_equal(number_at(json_array_get(tree, 9), "depth"), 4);
    json_decref(root);
    buffer_clear(&file);
}

static void profiles_are_merged_by_method_and_path_whatever_their_clocks(void **state) {
    (void)state;
    buffer files[3] = {BUFFER_INIT, BUFFER_INIT, BUFFER_INIT};
    const call one[] = {{1, 0, 0, 0}, {1, 0, 1, 1000}, {0, 1, 5, 400}};                            /* 1 tick = 1 ms */
    const call two[] = {{1, 0, 0, 0}, {2, 0, 2, 3000000}, {0, 1, 1, 1000000}, {0, 2, 1, 1000000}}; /* 1 us */
    make_profile(&files[0], "1000", 7, one, 3);
    make_profile(&files[1], "1000000", 7, two, 4);
    make_profile(&files[2], "1000", 8, one, 3); /* another module with the same names */
    json_t *root = json_of(files, 2);
    figures_are(root, "N.T.m0()", 3, 4000000000, 1600000000);
    figures_are(root, "N.T.m1()", 6, 1400000000, 1400000000);
    assert_int_equal(json_array_size(json_object_get(root, "functions")), 3);
    assert_int_equal(json_array_size(json_object_get(root, "modules")), 1);
    assert_int_equal(number_at(json_array_get(json_object_get(root, "threads"), 1), "run"), 1);
    json_decref(root);
    root = json_of(files, 3);
    assert_int_equal(json_array_size(json_object_get(root, "functions")), 5);
    assert_int_equal(json_array_size(json_object_get(root, "modules")), 2);
    json_decref(root);

    result r = {0};
    ilj_report_options options = {.format = ILJ_REPORT_TREE};
    assert_int_equal(run_on(&r, files, 2, &options), ECMA_OK);
    assert_string_equal(text_of(&r), "Calls  Inclusive  Exclusive  Call tree\n"
                                     "    3    4.00 s     1.60 s   N.T.m0()\n"
                                     "    6    1.40 s     1.40 s     N.T.m1()\n"
                                     "    1    1.00 s     1.00 s     N.T.m2()\n");
    buffer_clear(&r.text);
    for (int i = 0; i < 3; i++)
        buffer_clear(&files[i]);
}

static void recursion_counts_inclusive_time_once(void **state) {
    (void)state;
    buffer file = BUFFER_INIT;
    /* m0 -> m1 -> m0 -> m1, and m1 beside it */
    const call calls[] = {{2, 0, 0, 0}, {1, 0, 1, 100}, {1, 1, 2, 80}, {1, 0, 3, 50}, {0, 1, 4, 20}, {0, 1, 5, 7}};
    make_profile(&file, "1000000000", 1, calls, 6);
    json_t *root = json_of(&file, 1);
    figures_are(root, "N.T.m0()", 4, 100, 20 + 30);
    figures_are(root, "N.T.m1()", 11, 87, 30 + 20 + 7);
    json_decref(root);
    buffer_clear(&file);
}

static void own_time_is_never_negative_and_sums_never_wrap(void **state) {
    (void)state;
    buffer file = BUFFER_INIT;
    const call calls[] = {
        {2, 0, 0, 0}, {1, 0, UINT64_MAX, 100}, {0, 1, UINT64_MAX, 200}, {0, 0, UINT64_MAX, UINT64_MAX}};
    make_profile(&file, "1", 1, calls, 4);
    json_t *root = json_of(&file, 1);
    figures_are(root, "N.T.m0()", INT64_MAX, INT64_MAX, INT64_MAX);
    figures_are(root, "N.T.m1()", INT64_MAX, 200000000000, 200000000000);
    assert_int_equal(number_at(json_object_get(root, "totals"), "enters"), INT64_MAX);
    json_decref(root);
    buffer_clear(&file);
}

/* ---- Size
 * ------------------------------------------------------------------------------------------------------------ */

/* A chain: each node calls the next; methods alternate. */
static void make_chain(buffer *file, uint32_t depth) {
    call *calls = calloc(depth + 1, sizeof *calls);
    calls[0].children = 1;
    for (uint32_t i = 1; i <= depth; i++)
        calls[i] = (call){i < depth, i % 9, 1, depth + 1 - i};
    make_profile(file, "1000", 1, calls, depth + 1);
    free(calls);
}

static size_t widest_line(const char *text) {
    size_t widest = 0;
    while (*text) {
        size_t size = strcspn(text, "\n"), width = unicode_width(bytes_of(text, size));
        widest = width > widest ? width : widest;
        text += size + (text[size] == '\n');
    }
    return widest;
}

static size_t lines_of(const char *text) {
    size_t count = 0;
    for (; *text; text++)
        count += *text == '\n';
    return count;
}

static void chains_of_200000_calls_are_reported_within_the_width(void **state) {
    (void)state;
    buffer file = BUFFER_INIT;
    make_chain(&file, 200000);
    result r = {0};
    ilj_report_options options = {.format = ILJ_REPORT_TREE, .width = 80};
    assert_int_equal(run_on(&r, &file, 1, &options), ECMA_OK);
    assert_int_equal(lines_of(text_of(&r)), 200001);
    assert_true(widest_line(text_of(&r)) <= 80);
    assert_non_null(strstr(text_of(&r), "[200,000] N.T.m2()\n"));
    r.text.size = 0;
    options.format = ILJ_REPORT_TEXT;
    assert_int_equal(run_on(&r, &file, 1, &options), ECMA_OK);
    assert_true(lines_of(text_of(&r)) < 120);
    assert_non_null(strstr(text_of(&r), "\u2026 199,936 more\n"));
    buffer_clear(&r.text);
    json_t *root = json_of(&file, 1);
    figures_are(root, "N.T.m1()", 22223, 200000000000, 22223000000);
    json_decref(root);
    buffer_clear(&file);
}

static void million_nodes_are_merged(void **state) {
    (void)state;
    enum { WIDE = 125000 }; /* times eight nodes */
    buffer file = BUFFER_INIT;
    call *calls = calloc(WIDE * 8 + 1, sizeof *calls);
    calls[0].children = WIDE;
    for (size_t i = 0; i < WIDE; i++)
        for (size_t k = 0; k < 8; k++)
            calls[1 + i * 8 + k] = (call){k < 7, k, 1, 8 - k};
    make_profile(&file, "1000000000", 1, calls, WIDE * 8 + 1);
    free(calls);
    result r = {0};
    ilj_report_options options = {.format = ILJ_REPORT_TREE};
    assert_int_equal(run_on(&r, &file, 1, &options), ECMA_OK);
    assert_int_equal(lines_of(text_of(&r)), 9);
    assert_non_null(strstr(text_of(&r), "125,000     125 \u00b5s     125 \u00b5s                N.T.m7()\n"));
    buffer_clear(&r.text);
    buffer_clear(&file);
}

/* ---- Text
 * ------------------------------------------------------------------------------------------------------------ */

static void tables_are_sorted_and_cut_as_asked(void **state) {
    (void)state;
    static const char *const firsts[] = {
        [ILJ_SORT_EXCLUSIVE] = "Shop.Data.Store<T>.Cursor.MoveNext()",
        [ILJ_SORT_INCLUSIVE] = "Shop.Program.Main(string[])",
        [ILJ_SORT_CALLS] = "Shop.Data.Store<T>.Cursor.MoveNext()",
        [ILJ_SORT_AVERAGE] = "Shop.Program.Main(string[])",
        [ILJ_SORT_NAME] = "?0x7f000000",
    };
    buffer file = BUFFER_INIT;
    sample_profile(&file);
    for (int sort = ILJ_SORT_EXCLUSIVE; sort <= ILJ_SORT_NAME; sort++) {
        result r = {0};
        ilj_report_options options = {.sort = (ilj_sort_key)sort, .top = 1};
        assert_int_equal(run_on(&r, &file, 1, &options), ECMA_OK);
        const char *row = strstr(text_of(&r), "Function\n");
        assert_non_null(row);
        row += strlen("Function\n");
        size_t size = strcspn(row, "\n"), name = strlen(firsts[sort]);
        assert_true(size > name);
        assert_memory_equal(row + size - name, firsts[sort], name);
        assert_non_null(strstr(row, "\n\u2026 9 more functions, "));
        buffer_clear(&r.text);
    }
    buffer_clear(&file);
}

static void reports_keep_to_the_width(void **state) {
    (void)state;
    buffer file = BUFFER_INIT;
    sample_profile(&file);
    for (unsigned width = 64; width <= 200; width++) {
        result r = {0};
        ilj_report_options options = {.width = width};
        assert_int_equal(run_on(&r, &file, 1, &options), ECMA_OK);
        const char *table = strstr(text_of(&r), "\n\n");
        assert_true(widest_line(table) <= width);
        buffer_clear(&r.text);
    }
    buffer_clear(&file);
}

static void steering_characters_do_not_reach_the_terminal(void **state) {
    (void)state;
    buffer file = BUFFER_INIT, b = BUFFER_INIT;
    const char *const pairs[] = {"ticks_per_second", "1000", "name", "\033[31m\xC2\x9B\xE2\x80\xAE", NULL};
    maker_header(&file, 1, 0);
    maker_run(&file, pairs);
    buffer_varuint(&b, 1);
    maker_module(&b, SAMPLE_BASE, 1, "\033]0;x\007", 1, (bytes){NULL, 0});
    maker_section(&file, "MODS", &b);
    maker_thread(&b, 1, "", 1, 2);
    maker_node(&b, 1, 0, 0, 1, 0, 0, 0);
    maker_node(&b, 0, SAMPLE_BASE, 1, 1, 0, 0, 0);
    maker_section(&file, "THRD", &b);
    maker_end(&file);
    result r = {0};
    ilj_report_options options = {.format = ILJ_REPORT_TEXT};
    assert_int_equal(run_on(&r, &file, 1, &options), ECMA_OK);
    assert_int_equal(r.code, DIAG_PROFILE_NAMES);
    assert_null(strchr(text_of(&r), '\033'));
    assert_null(strchr(text_of(&r), '\007'));
    assert_non_null(strstr(text_of(&r), "Program  \uFFFD[31m\uFFFD\uFFFD\n"));
    buffer_clear(&r.text);
    buffer_clear(&b);
    buffer_clear(&file);
}

static void json_strings_are_utf8_whatever_the_file_holds(void **state) {
    (void)state;
    buffer file = BUFFER_INIT;
    const call calls[] = {{0, 0, 0, 0}};
    make_profile(&file, "1000", 1, calls, 1);
    json_t *root = json_of(&file, 1);
    const json_t *run = json_array_get(json_object_get(root, "runs"), 0);
    assert_string_equal(string_at(run, "name"), "\uFFFD\"quoted\"\t\\\uFFFD");
    assert_int_equal(json_array_size(json_object_get(root, "functions")), 0);
    json_decref(root);
    result r = {0};
    ilj_report_options options = {.format = ILJ_REPORT_TEXT};
    assert_int_equal(run_on(&r, &file, 1, &options), ECMA_OK);
    assert_non_null(strstr(text_of(&r), "No calls were recorded.\n"));
    buffer_clear(&r.text);
    buffer_clear(&file);
}

static void utf8_is_decoded_strictly(void **state) {
    (void)state;
    const struct {
        const char *utf8;
        uint32_t code_points[4];
        size_t count;
    } cases[] = {
        {"\xC3\xA9", {0xE9}, 1},
        {"\xF0\x9F\x98\x80", {0x1F600}, 1},
        {"\xC0\xAF", {0xFFFD, 0xFFFD}, 2},
        {"\xE0\x80\xAF", {0xFFFD, 0xFFFD, 0xFFFD}, 3},
        {"\xED\xA0\x80", {0xFFFD, 0xFFFD, 0xFFFD}, 3},
        {"\xF4\x90\x80\x80", {0xFFFD, 0xFFFD, 0xFFFD, 0xFFFD}, 4},
        {"\xE2\x82z", {0xFFFD, 'z'}, 2},
        {"\xE2\x82", {0xFFFD}, 1},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        bytes s = bytes_of(cases[i].utf8, strlen(cases[i].utf8));
        size_t at = 0, count = 0;
        while (at < s.size) {
            assert_true(count < cases[i].count);
            assert_int_equal(unicode_next(s, &at), cases[i].code_points[count]);
            count++;
        }
        assert_int_equal(count, cases[i].count);
    }
    assert_int_equal(unicode_width(bytes_of("e\xCC\x81", 3)), 1);
    assert_int_equal(unicode_width(bytes_of("商品", 6)), 4);
    assert_int_equal(unicode_width(bytes_of("ﾊﾝ", 6)), 2);
    assert_int_equal(unicode_columns(0x10FFFF), 1);
}

static void figures_have_three_digits_and_a_unit(void **state) {
    (void)state;
    const struct {
        uint64_t ns;
        const char *text;
    } times[] = {
        {0, "0 ns"},
        {999, "999 ns"},
        {1000, "1.00 \u00b5s"},
        {9994, "9.99 \u00b5s"},
        {9995, "10.0 \u00b5s"},
        {99950, "100 \u00b5s"},
        {999499, "999 \u00b5s"},
        {999500, "1.00 ms"},
        {1234567, "1.23 ms"},
        {999500000, "1.00 s "},
        {12345678901234, "12,346 s "},
        {PROFILE_MAX, "9,223,372,037 s "},
    };
    for (size_t i = 0; i < sizeof times / sizeof times[0]; i++) {
        figure f = format_time(times[i].ns);
        assert_string_equal(f.text, times[i].text);
        assert_int_equal(f.columns, unicode_width(bytes_of(f.text, strlen(f.text))));
    }
    assert_string_equal(format_count(0).text, "0");
    assert_string_equal(format_count(999).text, "999");
    assert_string_equal(format_count(1000).text, "1,000");
    assert_string_equal(format_count(UINT64_MAX).text, "18,446,744,073,709,551,615");
    assert_string_equal(format_percent(1, 3).text, "33.3");
    assert_string_equal(format_percent(2, 3).text, "66.7");
    assert_string_equal(format_percent(0, 0).text, "0.0");
    assert_string_equal(format_percent(PROFILE_MAX, PROFILE_MAX).text, "100.0");
}

static void name_in(size_t columns, const char *name, const char *expected) {
    result r = {0};
    printer out = {.write = collect, .user = &r};
    const char *parameters = strchr(name, '(');
    size_t taken = print_name(&out, bytes_of(name, strlen(name)), (size_t)(parameters - name), columns);
    assert_true(print_flush(&out));
    buffer_u8(&r.text, 0);
    assert_string_equal(text_of(&r), expected);
    assert_int_equal(taken, unicode_width(bytes_of(expected, strlen(expected))));
    assert_true(taken <= columns);
    buffer_clear(&r.text);
}

static void names_are_shortened_from_parameters_to_the_middle(void **state) {
    (void)state;
    name_in(26, "Name.Space.Type.Method(int)", "Name.Space.Type.Method(\u2026)");
    name_in(27, "Name.Space.Type.Method(int)", "Name.Space.Type.Method(int)");
    name_in(20, "Name.Space.Type.Method(int)", "Name.\u2026Type.Method(\u2026)");
    name_in(10, "Name.Space.Type.Method(int)", "Nam\u2026Method");
    name_in(1, "Name.Space.Type.Method(int)", "\u2026");
    name_in(20, "Name.Space.Type.Method()", "Name.S\u2026Type.Method()");
    name_in(12, "商品カタログ.検索()", "商\u2026.検索()");
}

/* ---- Failures
 * -------------------------------------------------------------------------------------------------------- */

static void one_bad_profile_among_good_ones_stops_all_output(void **state) {
    (void)state;
    buffer files[3] = {BUFFER_INIT, BUFFER_INIT, BUFFER_INIT};
    sample_profile(&files[0]);
    sample_profile(&files[1]);
    sample_profile(&files[2]);
    files[1].size -= 1;
    files[2].size -= 40;
    result r = {0};
    ilj_report_options options = {.format = ILJ_REPORT_TEXT};
    assert_int_equal(run_on(&r, files, 3, &options), ECMA_BAD_FILE);
    assert_int_equal(r.text.size, 0);
    assert_int_equal(r.told, 2);
    buffer_clear(&r.text);
    for (int i = 0; i < 3; i++)
        buffer_clear(&files[i]);
}

static void refused_write_ends_with_io(void **state) {
    (void)state;
    buffer file = BUFFER_INIT;
    make_chain(&file, 10000);
    for (int format = ILJ_REPORT_TREE; format <= ILJ_REPORT_JSON; format++) {
        result r = {.refuse_after = 20000};
        ilj_report_options options = {.format = (ilj_report_format)format};
        assert_int_equal(run_on(&r, &file, 1, &options), ECMA_IO);
        assert_true(r.text.size <= 20000);
        buffer_clear(&r.text);
    }
    buffer_clear(&file);
}

static void every_allocation_may_fail(void **state) {
    (void)state;
    buffer files[2] = {BUFFER_INIT, BUFFER_INIT};
    sample_profile(&files[0]);
    make_chain(&files[1], 300);
    for (int format = ILJ_REPORT_TEXT; format <= ILJ_REPORT_JSON; format++) {
        ilj_report_options options = {.format = (ilj_report_format)format};
        ecma_status status = ECMA_NO_MEMORY;
        long n = 0;
        /* Sorting makes do without memory of its own, so that some failures change nothing. */
        for (; n < 1000 && (status == ECMA_NO_MEMORY || n < 20); n++) {
            result r = {0};
            allocations_left = n;
            status = run_on(&r, files, 2, &options);
            allocations_left = -1;
            assert_true(status == ECMA_OK || status == ECMA_NO_MEMORY);
            if (status == ECMA_NO_MEMORY)
                assert_int_equal(r.code, DIAG_NO_MEMORY);
            buffer_clear(&r.text);
        }
        assert_int_equal(status, ECMA_OK);
        assert_true(n > 20);
    }
    buffer_clear(&files[0]);
    buffer_clear(&files[1]);
}

static int silent(void *user, const char *text, size_t length) {
    (void)user;
    (void)text;
    (void)length;
    return 0;
}

static void told_to_result(void *user, const ilj_diagnostic *diagnostic) {
    result *r = user;
    r->told++;
    snprintf(r->last, sizeof r->last, "%s %s", diagnostic->code, diagnostic->file);
}

static void files_are_opened_by_the_public_function(void **state) {
    (void)state;
    result r = {0};
    ilj_context *context;
    ilj_report_options options = {.format = ILJ_REPORT_TEXT};
    assert_int_equal(ilj_context_new(&context, told_to_result, &r), ILJ_OK);
    assert_int_equal(ilj_report(context, NULL, 0, &options, silent, NULL), ILJ_IO);
    assert_string_equal(r.last, "ILJ0604 ");
    const char *const missing[] = {"no such file.ilprof", "/dev/null/x"};
    assert_int_equal(ilj_report(context, missing, 2, &options, silent, NULL), ILJ_IO);
    assert_int_equal(r.told, 3);
    assert_string_equal(r.last, "ILJ0900 /dev/null/x");
    ilj_context_free(context);
}

/* ---- For the golden suite
 * -------------------------------------------------------------------------------------------- */

static int to_stdout(void *user, const char *text, size_t length) {
    (void)user;
    return fwrite(text, 1, length, stdout) != length;
}

static int write_sample(const char *path) {
    buffer file = BUFFER_INIT;
    sample_profile(&file);
    FILE *f = fopen(path, "wb");
    bool written = f && fwrite(file.data, 1, file.size, f) == file.size;
    if (f && fclose(f) != 0)
        written = false;
    buffer_clear(&file);
    return !written;
}

static int show(int count, char **arguments) {
    ilj_report_options options = {.format = ILJ_REPORT_TEXT, .width = (unsigned)atoi(arguments[1])};
    if (strcmp(arguments[0], "tree") == 0)
        options.format = ILJ_REPORT_TREE;
    else if (strcmp(arguments[0], "json") == 0)
        options.format = ILJ_REPORT_JSON;
    for (int i = 2; i < count; i++) {
        options.color |= strcmp(arguments[i], "color") == 0;
        options.raw_names |= strcmp(arguments[i], "raw") == 0;
    }
    buffer file = BUFFER_INIT;
    sample_profile(&file);
    diag d = {.file = "sample.ilprof"};
    ecma_status status = report_run(&(report_input){buffer_bytes(&file), &d}, 1, &options, to_stdout, NULL);
    buffer_clear(&file);
    return status != ECMA_OK;
}

int main(int count, char **arguments) {
    if (count == 3 && strcmp(arguments[1], "sample") == 0)
        return write_sample(arguments[2]);
    if (count >= 4 && strcmp(arguments[1], "show") == 0)
        return show(count - 2, arguments + 2);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sample_has_the_figures_worked_out_by_hand),
        cmocka_unit_test(profiles_are_merged_by_method_and_path_whatever_their_clocks),
        cmocka_unit_test(recursion_counts_inclusive_time_once),
        cmocka_unit_test(own_time_is_never_negative_and_sums_never_wrap),
        cmocka_unit_test(chains_of_200000_calls_are_reported_within_the_width),
        cmocka_unit_test(million_nodes_are_merged),
        cmocka_unit_test(tables_are_sorted_and_cut_as_asked),
        cmocka_unit_test(reports_keep_to_the_width),
        cmocka_unit_test(steering_characters_do_not_reach_the_terminal),
        cmocka_unit_test(json_strings_are_utf8_whatever_the_file_holds),
        cmocka_unit_test(utf8_is_decoded_strictly),
        cmocka_unit_test(figures_have_three_digits_and_a_unit),
        cmocka_unit_test(names_are_shortened_from_parameters_to_the_middle),
        cmocka_unit_test(one_bad_profile_among_good_ones_stops_all_output),
        cmocka_unit_test(refused_write_ends_with_io),
        cmocka_unit_test(every_allocation_may_fail),
        cmocka_unit_test(files_are_opened_by_the_public_function),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
