/* The data of a page: that its sums are the report's whatever is left out, and that nothing in a name can end the
 * element around it. How the page looks and acts is tried in a browser: tests/e2e/report/suite-full-page.sh. */
#include <zlib.h>

#include "profile_events.h"
#include "profile_times.h"
#include "report/page/pack.h"
#include "report/page/page.h"
#include "report_unit.h"

/* What base64 stands for. */
static void unbase64(buffer *to, const char *text, const char *end) {
    static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    assert_int_equal((end - text) % 4, 0);
    for (; text < end; text += 4) {
        uint32_t three = 0;
        size_t count = text[2] == '=' ? 1 : text[3] == '=' ? 2 : 3;
        for (size_t i = 0; i <= count; i++)
            three |= (uint32_t)(strchr(digits, text[i]) - digits) << (18 - 6 * i);
        for (size_t i = 0; i < count; i++)
            buffer_u8(to, (uint8_t)(three >> (16 - 8 * i)));
    }
}

/* The JSON of the page's element, up to its first `<`. */
static void data_of(buffer *json, const char *page) {
    static const char start[] = "id=\"profile\">", plain[] = "<script type=\"application/json\" ";
    const char *at = strstr(page, start);
    assert_non_null(at);
    const char *data = at + sizeof start - 1, *end = strchr(data, '<');
    assert_non_null(end);
    assert_memory_equal(end, "</script>", 9);
    if (strncmp(at - (sizeof plain - 1), plain, sizeof plain - 1) == 0) {
        assert_true(end - data <= PAGE_MOST_PLAIN);
        buffer_append(json, data, (size_t)(end - data));
        return;
    }
    buffer packed = BUFFER_INIT;
    unbase64(&packed, data, end);
    uLongf size = 64 << 20;
    uint8_t *to = buffer_extend(json, size);
    assert_non_null(to);
    assert_int_equal(uncompress(to, &size, packed.data, packed.size), Z_OK);
    json->size = size;
    assert_true(size > PAGE_MOST_PLAIN && packed.size < size);
    buffer_clear(&packed);
}

/* The page's data, taken out of the page by its element. */
static json_t *page_of(const buffer *files, size_t count, size_t before_count) {
    static const char *const names[] = {"", "", "", ""};
    result r = {0};
    buffer data = BUFFER_INIT;
    ilj_report_options options = {.format = ILJ_REPORT_HTML, .before = names, .before_count = before_count};
    assert_int_equal(run_on(&r, files, count, &options), ECMA_OK);
    data_of(&data, text_of(&r));
    json_error_t error;
    json_t *root = json_loadb((const char *)data.data, data.size, JSON_REJECT_DUPLICATES, &error);
    if (!root)
        fail_msg("not JSON: line %d: %s", error.line, error.text);
    buffer_clear(&data);
    buffer_clear(&r.text);
    return root;
}

static long long sum_of(const json_t *columns, const char *name) {
    long long sum = 0;
    size_t i;
    json_t *value;
    json_array_foreach(json_object_get(columns, name), i, value) sum += json_integer_value(value);
    return sum;
}

/* Own times of all nodes that are there, and the sums that stand for the others. */
static void sums_are(const json_t *data, long long time, long long calls) {
    const json_t *nodes = json_object_get(data, "nodes");
    assert_int_equal(sum_of(nodes, "exclusive") + sum_of(nodes, "left_out_weight"), time);
    assert_int_equal(number_at(json_object_get(data, "totals"), "exclusive"), time);
    assert_int_equal(number_at(json_object_get(data, "totals"), "calls"), calls);
}

static void times_and_calls_are_those_of_the_profile(void **state) {
    (void)state;
    buffer files[2] = {BUFFER_INIT, BUFFER_INIT};
    sample_profile(&files[0]);
    events_profile(&files[1]);
    for (size_t i = 0; i < 2; i++) {
        json_t *json = json_of(&files[i], 1), *page = page_of(&files[i], 1, 0);
        json_t *totals = json_object_get(json, "totals"), *data = json_object_get(page, "profile");
        assert_true(json_is_null(json_object_get(page, "before")));
        sums_are(data, number_at(totals, "exclusive_ns"), number_at(totals, "enters"));
        json_t *functions = json_object_get(json, "functions"), *columns = json_object_get(data, "functions"), *f;
        size_t k;
        json_array_foreach(functions, k, f) {
            assert_int_equal(number_at(f, "calls"),
                             json_integer_value(json_array_get(json_object_get(columns, "calls"), k)));
            assert_int_equal(number_at(f, "inclusive_ns"),
                             json_integer_value(json_array_get(json_object_get(columns, "inclusive"), k)));
            assert_int_equal(number_at(f, "exclusive_ns"),
                             json_integer_value(json_array_get(json_object_get(columns, "exclusive"), k)));
            /* With "[async]" after it. */
            const char *name = string_at(f, "name");
            assert_int_equal(
                strncmp(name, json_string_value(json_array_get(json_object_get(columns, "name"), k)), strlen(name)), 0);
        }
        assert_int_equal(k, json_array_size(json_object_get(columns, "name")));
        json_decref(json);
        json_decref(page);
    }
    buffer_clear(&files[0]);
    buffer_clear(&files[1]);
}

static void profiles_to_compare_with_stand_apart(void **state) {
    (void)state;
    buffer files[2] = {BUFFER_INIT, BUFFER_INIT};
    sample_profile(&files[0]);
    events_profile(&files[1]);
    json_t *page = page_of(files, 2, 1), *now = page_of(&files[0], 1, 0), *before = page_of(&files[1], 1, 0);
    /* All but the name of the file. */
    json_object_del(json_object_get(page, "before"), "runs");
    json_object_del(json_object_get(before, "profile"), "runs");
    assert_true(json_equal(json_object_get(page, "profile"), json_object_get(now, "profile")));
    assert_true(json_equal(json_object_get(page, "before"), json_object_get(before, "profile")));
    json_decref(page);
    json_decref(now);
    json_decref(before);
    buffer_clear(&files[0]);
    buffer_clear(&files[1]);
}

/* ---- Made trees ------------------------------------------------------------------------------------------------- */

typedef struct place {
    uint64_t children, method, calls, ticks;
} place;

/* A profile of one thread; methods are `names`, ended by NULL. A tick is a nanosecond. */
static void made_profile(buffer *file, const char *const *names, const place *places, size_t count) {
    static const char *const pairs[] = {"ticks_per_second", "1000000000", NULL};
    buffer b = BUFFER_INIT, resource = BUFFER_INIT;
    maker_lists l = {0};
    unsigned methods = 0;
    uint64_t roots = 0, total = 0, pending = 0;
    maker_type(&l, 0, "N", "T", NULL);
    while (names[methods]) {
        maker_method(&l, 0, methods + 1, 1, names[methods], NULL, "");
        methods++;
    }
    maker_join(&b, &l, "M.dll", "M", 1, methods);
    maker_names(&resource, &b, methods, 1);
    b.size = 0;
    maker_header(file, 1, 0);
    maker_run(file, pairs);
    buffer_varuint(&b, 1);
    maker_module(&b, SAMPLE_BASE, methods, "M", 101, buffer_bytes(&resource));
    maker_section(file, "MODS", &b);
    for (size_t i = 0; i < count; i++) {
        if (pending == 0) {
            roots++;
            total += places[i].ticks;
        }
        pending += places[i].children - (pending > 0);
    }
    maker_thread(&b, 1, "t", 1, count + 1);
    maker_node(&b, roots, 0, 0, total, 0, 0, 0);
    for (size_t i = 0; i < count; i++)
        maker_node(&b, places[i].children, SAMPLE_BASE + places[i].method, places[i].calls, places[i].ticks, 0, 0, 0);
    maker_section(file, "THRD", &b);
    maker_end(file);
    buffer_clear(&b);
    buffer_clear(&resource);
}

static const json_t *edge(const json_t *data, const char *column, size_t i) {
    return json_array_get(json_object_get(json_object_get(data, "edges"), column), i);
}

/* a 100 (own 20) calls b 80 (own 30), which calls a 50 (own 10), which calls b 40. */
static void recursion_counts_once_between_callers_and_callees(void **state) {
    (void)state;
    static const char *const names[] = {"a", "b", NULL};
    static const place places[] = {{1, 0, 1, 100}, {1, 1, 2, 80}, {1, 0, 3, 50}, {0, 1, 4, 40}};
    static const struct {
        const char *caller, *callee;
        long long calls, called, calling;
    } expected[] = {{NULL, "N.T.a()", 1, 100, 0}, {"N.T.b()", "N.T.a()", 3, 0, 50}, {"N.T.a()", "N.T.b()", 6, 80, 80}};
    buffer file = BUFFER_INIT;
    made_profile(&file, names, places, 4);
    json_t *page = page_of(&file, 1, 0), *data = json_object_get(page, "profile");
    json_t *shown = json_object_get(json_object_get(data, "functions"), "name");
    assert_int_equal(json_array_size(json_object_get(json_object_get(data, "edges"), "calls")), 3);
    long long caller = -1;
    for (size_t i = 0; i < 3; i++) {
        long long callee = json_integer_value(edge(data, "callee", i));
        caller += json_integer_value(edge(data, "caller", i));
        if (expected[i].caller)
            assert_string_equal(json_string_value(json_array_get(shown, (size_t)caller)), expected[i].caller);
        else
            assert_int_equal(caller, -1);
        assert_string_equal(json_string_value(json_array_get(shown, (size_t)callee)), expected[i].callee);
        assert_int_equal(json_integer_value(edge(data, "calls", i)), expected[i].calls);
        assert_int_equal(json_integer_value(edge(data, "called", i)), expected[i].called);
        assert_int_equal(json_integer_value(edge(data, "called", i)) + json_integer_value(edge(data, "calling", i)),
                         expected[i].calling);
    }
    json_decref(page);
    buffer_clear(&file);
}

/* A caller with more callees than a page takes: one of each, with 1, 2, 3 … ns. */
static void what_is_left_out_stands_in_sums(void **state) {
    (void)state;
    enum { CALLEES = PAGE_MAX_NODES + 1000 };
    static const char *const one[] = {"a", "b", NULL};
    place *places = calloc(2 * CALLEES, sizeof *places);
    uint64_t time = 0;
    for (uint64_t i = 0; i < CALLEES; i++) {
        places[2 * i] = (place){1, 0, 1, i + 3};
        places[2 * i + 1] = (place){0, 1, 2, i + 1};
        time += i + 3;
    }
    /* Equal paths are one node: so each chain has a thread of its own. */
    buffer file = BUFFER_INIT, b = BUFFER_INIT, resource = BUFFER_INIT;
    made_profile(&file, one, places, 2);
    file.size -= 16; /* END */
    for (uint64_t i = 1; i < CALLEES; i++) {
        maker_thread(&b, i + 1, "t", 1, 3);
        maker_node(&b, 1, 0, 0, i + 3, 0, 0, 0);
        maker_node(&b, 1, SAMPLE_BASE, 1, i + 3, 0, 0, 0);
        maker_node(&b, 0, SAMPLE_BASE + 1, 2, i + 1, 0, 0, 0);
        maker_section(&file, "THRD", &b);
    }
    maker_end(&file);
    json_t *page = page_of(&file, 1, 0), *data = json_object_get(page, "profile"),
           *nodes = json_object_get(data, "nodes");
    sums_are(data, (long long)time, 3 * CALLEES);
    assert_int_equal(json_array_size(json_object_get(nodes, "kind")), PAGE_MAX_NODES);
    assert_int_equal(number_at(nodes, "left_out"), 1 + 3 * CALLEES - PAGE_MAX_NODES);
    /* Each node comes after its parent: its `up` leads to an earlier one. */
    size_t i;
    json_t *up;
    json_array_foreach(json_object_get(nodes, "up"), i, up) assert_true(
        i == 0 ? json_integer_value(up) == 0 : json_integer_value(up) > 0 && (size_t)json_integer_value(up) <= i);
    json_decref(page);
    free(places);
    buffer_clear(&file);
    buffer_clear(&b);
    buffer_clear(&resource);
}

static void names_cannot_end_their_element(void **state) {
    (void)state;
    static const char *const names[] = {"</script><!--\"\\\n\xFF", NULL};
    static const place places[] = {{0, 0, 1, 5}};
    buffer file = BUFFER_INIT;
    made_profile(&file, names, places, 1);
    json_t *page = page_of(&file, 1, 0); /* which looks for the first < after the start */
    json_t *shown = json_object_get(json_object_get(json_object_get(page, "profile"), "functions"), "name");
    assert_non_null(strstr(json_string_value(json_array_get(shown, 0)), "</script><!--\"\\"));
    json_decref(page);
    buffer_clear(&file);
}

static void without_a_clock_calls_are_the_weight(void **state) {
    (void)state;
    static const char *const names[] = {"a", "b", NULL};
    static const place places[] = {{1, 0, 3, 0}, {0, 1, 7, 0}};
    buffer file = BUFFER_INIT;
    made_profile(&file, names, places, 2);
    json_t *page = page_of(&file, 1, 0), *data = json_object_get(page, "profile");
    assert_string_equal(string_at(data, "unit"), "calls");
    sums_are(data, 10, 10);
    json_decref(page);
    buffer_clear(&file);
}

static void each_allocation_fails_once(void (*make)(buffer *file)) {
    buffer file = BUFFER_INIT;
    make(&file);
    ilj_report_options options = {.format = ILJ_REPORT_HTML};
    long failures = 0;
    for (long i = 0;; i++) {
        result r = {0};
        allocations_left = i;
        one_failed = false;
        ecma_status status = run_on(&r, &file, 1, &options);
        allocations_left = -1;
        buffer_clear(&r.text);
        if (!one_failed) {
            assert_int_equal(status, ECMA_OK);
            break;
        }
        assert_int_equal(status, ECMA_NO_MEMORY);
        failures++;
    }
    assert_true(failures > 20);
    buffer_clear(&file);
}

static void running_out_of_memory_is_told(void **state) {
    (void)state;
    each_allocation_fails_once(events_profile);
    each_allocation_fails_once(times_profile); /* with a timeline */
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(times_and_calls_are_those_of_the_profile),
        cmocka_unit_test(profiles_to_compare_with_stand_apart),
        cmocka_unit_test(recursion_counts_once_between_callers_and_callees),
        cmocka_unit_test(what_is_left_out_stands_in_sums),
        cmocka_unit_test(names_cannot_end_their_element),
        cmocka_unit_test(without_a_clock_calls_are_the_weight),
        cmocka_unit_test(running_out_of_memory_is_told),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
