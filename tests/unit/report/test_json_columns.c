/* JSON in columns (--compact) has what JSON with an object for each node has. */
#include "profile_events.h"
#include "report_unit.h"

static json_t *written(const buffer *file, bool compact, ilj_offset offset) {
    result r = {0};
    const ilj_report_options options = {.format = ILJ_REPORT_JSON, .compact = compact, .offset = offset};
    assert_int_equal(run_on(&r, file, 1, &options), ECMA_OK);
    json_t *root = json_loadb(text_of(&r), r.text.size, JSON_REJECT_DUPLICATES, NULL);
    assert_non_null(root);
    buffer_clear(&r.text);
    return root;
}

/* Each field of a node is in its column: the value, or no column when it is 0 or null there. */
static void node_is_in_columns(const json_t *node, size_t at, const json_t *columns) {
    const char *field;
    json_t *value, *unsure;
    size_t i;
    bool sure = true;
    json_object_foreach((json_t *)(uintptr_t)node, field, value) {
        const json_t *column = json_object_get(columns, field);
        if (strcmp(field, "sure") == 0)
            sure = false;
        else if (column)
            assert_true(json_equal(json_array_get(column, at), value));
        else
            assert_true(json_is_null(value) || json_integer_value(value) == 0);
    }
    json_array_foreach(json_object_get(columns, "unsure"), i, unsure) if ((size_t)json_integer_value(unsure) == at)
        assert_false(sure),
        sure = true;
    assert_true(sure);
}

static void columns_are_of(const buffer *file, ilj_offset offset) {
    json_t *nodes = written(file, false, offset), *columns = written(file, true, offset), *thread, *node;
    size_t t, i;
    assert_int_equal(number_at(nodes, "version"), 1);
    assert_int_equal(number_at(columns, "version"), 2);
    json_array_foreach(json_object_get(nodes, "threads"), t, thread) {
        json_t *tree = json_object_get(thread, "tree");
        json_t *other = json_array_get(json_object_get(columns, "threads"), t), *in = json_object_get(other, "nodes");
        assert_null(json_object_get(other, "tree"));
        assert_int_equal(json_array_size(json_object_get(in, "function")), json_array_size(tree));
        json_array_foreach(tree, i, node) node_is_in_columns(node, i, in);
        json_object_del(thread, "tree");
        json_object_del(other, "nodes");
    }
    json_object_del(nodes, "version");
    json_object_del(columns, "version");
    assert_true(json_equal(nodes, columns)); /* all the rest */
    json_decref(nodes);
    json_decref(columns);
}

/* Probes take more than a tenth of the time: times have ends, and an own time is not sure. */
static void calibrated_profile(buffer *file) {
    static const char *const pairs[] = {"ticks_per_second",
                                        "1000000000",
                                        "inside_empty_ps",
                                        "24500",
                                        "outside_empty_ps",
                                        "30000",
                                        "inside_work_ps",
                                        "16500",
                                        "outside_work_ps",
                                        "22000",
                                        "outside_last_ps",
                                        "32000",
                                        "clock_read_ps",
                                        "21250",
                                        NULL};
    static const uint64_t nodes[][4] = {{1, 0, 0, 200000},
                                        {2, SAMPLE_BASE, 1, 200000},
                                        {0, SAMPLE_BASE + 1, 1000, 26500},
                                        {0, SAMPLE_BASE + 2, 100, 70000}};
    buffer b = BUFFER_INIT;
    begin_run(file, pairs, 1);
    maker_thread(&b, 1, "t", 1, 4);
    for (size_t i = 0; i < 4; i++)
        maker_node(&b, nodes[i][0], nodes[i][1], nodes[i][2], nodes[i][3], 0, 0, 0);
    maker_section(file, "THRD", &b);
    maker_end(file);
    buffer_clear(&b);
}

static void compact_json_has_each_number_of_the_nodes(void **state) {
    (void)state;
    buffer files[3] = {BUFFER_INIT, BUFFER_INIT, BUFFER_INIT};
    sample_profile(&files[0]);
    events_profile(&files[1]);
    calibrated_profile(&files[2]);
    for (size_t i = 0; i < 3; i++) {
        columns_are_of(&files[i], ILJ_OFFSET_CALIBRATED);
        columns_are_of(&files[i], ILJ_OFFSET_ARTICLE);
        buffer_clear(&files[i]);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(compact_json_has_each_number_of_the_nodes)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
