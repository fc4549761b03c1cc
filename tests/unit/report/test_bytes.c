#include "profile_bytes.h"
#include "profile_objects.h"
#include "report/merge/merge.h"
#include "report_unit.h"

/* The bytes and objects that calls allocated, in reports. The figures stand in profile_bytes.h and profile_objects.h.
 */

static void has(const buffer *files, size_t count, const ilj_report_options *options, const char *const *expected) {
    result r = {0};
    assert_int_equal(run_on(&r, files, count, options), ECMA_OK);
    for (; *expected; expected++)
        if (!strstr(text_of(&r), *expected))
            fail_msg("no %s in\n%s", *expected, text_of(&r));
    buffer_clear(&r.text);
}

static void lacks(const buffer *files, size_t count, const ilj_report_options *options, const char *text) {
    result r = {0};
    assert_int_equal(run_on(&r, files, count, options), ECMA_OK);
    if (strstr(text_of(&r), text))
        fail_msg("%s in\n%s", text, text_of(&r));
    buffer_clear(&r.text);
}

static const char *const functions[] = {",exclusive_bytes,inclusive_bytes,file,line\r\n", ",115,175,,\r\n",
                                        ",20,68,,\r\n", ",64,64,,\r\n", NULL};

/* A call that stands below another one of its method counts once. */
static void functions_have_what_their_calls_allocated(void **state) {
    (void)state;
    buffer file = BUFFER_INIT;
    bytes_profile(&file);
    has(&file, 1, &(ilj_report_options){.format = ILJ_REPORT_CSV}, functions);
    static const char *const table[] = {"Bytes    199 allocated: 57.8 % in M!#0, 32.2 % in M!#2\n",
                                        "\n    4       175 B   115 B ", "\n    4        64 B    64 B ",
                                        "\n    2        68 B    20 B ", NULL};
    has(&file, 1, &(ilj_report_options){.view = ILJ_VIEW_FUNCTIONS, .sort = ILJ_SORT_BYTES}, table);
    static const char *const columns[] = {" Bytes  Function\n115 B   M!#0\n 64 B   M!#2\n 20 B   M!#1\n", NULL};
    has(&file, 1, &(ilj_report_options){.view = ILJ_VIEW_FUNCTIONS, .sort = ILJ_SORT_BYTES, .columns = "bytes"},
        columns);
    static const char *const threads[] = {"Incl. bytes   Bytes  Thread\n     192 B   192 B   ", "       7 B     7 B   ",
                                          NULL};
    has(&file, 1,
        &(ilj_report_options){
            .view = ILJ_VIEW_FUNCTIONS, .by = ILJ_BY_THREAD, .threads = true, .columns = "inclusive-bytes,bytes"},
        threads);
    static const char *const types[] = {"Incl. bytes   Bytes  Assembly\n     199 B   199 B   M\n", NULL};
    has(&file, 1,
        &(ilj_report_options){.view = ILJ_VIEW_FUNCTIONS, .by = ILJ_BY_ASSEMBLY, .columns = "inclusive-bytes,bytes"},
        types);
    buffer_clear(&file);
}

/* Own bytes go before those with callees where names have no room. */
static void a_narrow_tree_keeps_room_for_names(void **state) {
    (void)state;
    buffer file = BUFFER_INIT;
    bytes_profile(&file);
    static const char *const wide[] = {"Calls  Incl. bytes   Bytes  Inclusive  Exclusive  Call tree\n", NULL},
                             *const narrow[] = {"Calls  Incl. bytes  Inclusive  Exclusive  Call tree\n", NULL},
                             *const narrowest[] = {"Calls  Inclusive  Exclusive  Call tree\n", NULL};
    has(&file, 1, &(ilj_report_options){.view = ILJ_VIEW_TREE}, wide);
    has(&file, 1, &(ilj_report_options){.view = ILJ_VIEW_TREE, .width = 80}, narrow);
    has(&file, 1, &(ilj_report_options){.view = ILJ_VIEW_TREE, .width = 62}, narrowest);
    buffer_clear(&file);
}

static void nodes_have_all_below_them(void **state) {
    (void)state;
    buffer file = BUFFER_INIT;
    bytes_profile(&file);
    static const char *const tree[] = {"       175 B   107 B ", "        68 B    20 B ", "         8 B     8 B ",
                                       "        64 B    64 B ", NULL};
    has(&file, 1, &(ilj_report_options){.format = ILJ_REPORT_CALLTREE}, tree);
    static const char *const json[] = {"\"exclusive_bytes\": 199}",
                                       "\"exclusive_bytes\": 0, \"inclusive_bytes\": 192",
                                       "\"exclusive_bytes\": 100, \"inclusive_bytes\": 168",
                                       "\"exclusive_bytes\": 20, \"inclusive_bytes\": 68",
                                       "\"exclusive_bytes\": 7, \"inclusive_bytes\": 7",
                                       "\"bytes\": \"counted\"",
                                       NULL};
    has(&file, 1, &(ilj_report_options){.format = ILJ_REPORT_JSON}, json);
    static const char *const stacks[] = {"M!#0 107\n", "M!#0;M!#1 20\n", "M!#0;M!#1;M!#0 8\n",
                                         "(folded calls);M!#2 64\n", NULL};
    has(&file, 1, &(ilj_report_options){.format = ILJ_REPORT_COLLAPSED, .weight = ILJ_WEIGHT_BYTES}, stacks);
    /* The 40 bytes that folded calls of M!#1 had, and the 24 of the thread's own. */
    static const char *const calls[] = {"\nevents: exclusive_ns bytes\n", " 199\n", NULL};
    has(&file, 1, &(ilj_report_options){.format = ILJ_REPORT_CALLGRIND}, calls);
    static const char *const scopes[] = {": bytes allocated\",\"unit\":\"bytes\"", "\"endValue\":192}",
                                         "\"endValue\":7}", NULL};
    has(&file, 1, &(ilj_report_options){.format = ILJ_REPORT_SPEEDSCOPE}, scopes);
    buffer_clear(&file);
}

static void merged_runs_have_those_of_all(void **state) {
    (void)state;
    buffer files[2] = {BUFFER_INIT, BUFFER_INIT}, merged = BUFFER_INIT;
    bytes_profile(&files[0]);
    static merge m;
    for (int i = 0; i < 2; i++) {
        profile p = PROFILE_INIT;
        diag d = {.file = "one"};
        assert_int_equal(profile_read(&p, buffer_bytes(&files[0]), &d), ECMA_OK);
        assert_int_equal(merge_add(&m, &p, &d), ECMA_OK);
        profile_clear(&p);
    }
    diag d = {.file = "both"};
    assert_int_equal(merge_write(&merged, &m, &d), ECMA_OK);
    static const char *const twice[] = {",230,350,,\r\n", ",40,136,,\r\n", ",128,128,,\r\n", NULL};
    has(&merged, 1, &(ilj_report_options){.format = ILJ_REPORT_CSV}, twice);
    static const char *const whole[] = {"Bytes    398 allocated", NULL};
    has(&merged, 1, &(ilj_report_options){.view = ILJ_VIEW_FUNCTIONS}, whole);
    merge_clear(&m);
    buffer_clear(&files[0]);
    buffer_clear(&merged);
}

/* One sentence where the runtime had no count, with the number of runs without it; nothing if it was not requested. */
static void missing_counts_are_told(void **state) {
    (void)state;
    buffer files[2] = {BUFFER_INIT, BUFFER_INIT}, b = BUFFER_INIT;
    maker_header(&files[0], 1, 0);
    maker_run(&files[0], (const char *const[]){"name", "Run", "ticks_per_second", "1000", "bytes_missing", "1", NULL});
    buffer_varuint(&b, 0);
    maker_section(&files[0], "MODS", &b);
    maker_end(&files[0]);
    bytes_profile(&files[1]);
    static const char *const one[] = {"\nBytes    not counted: the runtime does not say what a thread has allocated\n",
                                      NULL};
    const ilj_report_options options = {.view = ILJ_VIEW_FUNCTIONS}, json = {.format = ILJ_REPORT_JSON};
    has(&files[0], 1, &options, one);
    lacks(&files[0], 1, &options, "Incl. bytes");
    lacks(&files[0], 1, &json, "_bytes");
    static const char *const missing[] = {"\"bytes\": \"missing\"", NULL};
    has(&files[0], 1, &json, missing);
    static const char *const two[] = {
        "\nBytes    not counted in 1 of 2 runs: the runtime does not say what a thread has allocated\n"
        "Bytes    199 allocated",
        NULL};
    has(files, 2, &options, two);
    buffer_clear(&files[0]);
    maker_header(&files[0], 1, 0);
    maker_run(&files[0], (const char *const[]){"name", "Run", "ticks_per_second", "1000", NULL});
    buffer_varuint(&b, 0);
    maker_section(&files[0], "MODS", &b);
    maker_end(&files[0]);
    lacks(&files[0], 1, &options, "Bytes");
    for (int i = 0; i < 2; i++)
        buffer_clear(&files[i]);
    buffer_clear(&b);
}

static void place_is(const json_t *root, size_t at, const char *type, const char *kind, long long objects,
                     long long offset) {
    const json_t *place = json_array_get(json_object_get(root, "objects"), at);
    assert_string_equal(string_at(place, "type"), type);
    assert_string_equal(string_at(place, "kind"), kind);
    assert_int_equal(number_at(place, "objects"), objects);
    assert_int_equal(number_at(place, "offset"), offset);
}

static void objects_stand_at_their_places(void **state) {
    (void)state;
    buffer file = BUFFER_INIT;
    objects_profile(&file);
    json_t *root = json_of(&file, 1);
    assert_int_equal(json_array_size(json_object_get(root, "objects")), 3);
    place_is(root, 0, "N.Plain", "new", 6, 0);
    place_is(root, 1, "N.Plain[]", "array", 4, 5);
    place_is(root, 2, "N.Plain", "new", 3, 7);
    static const char *const keys[] = {"exclusive_objects", "inclusive_objects", NULL};
    numbers_are(function_named(root, "N.T.m0()"), keys, (const long long[]){10, 13});
    numbers_are(function_named(root, "N.T.m1()"), keys, (const long long[]){3, 3});
    numbers_are(function_named(root, "System.Threading.Thread.Sleep(int)"), keys, (const long long[]){0, 0});
    json_decref(root);
    buffer_clear(&file);
}

/* The names have four places. */
static void places_beyond_the_names_are_left_out(void **state) {
    (void)state;
    static const uint64_t places[] = {3, 0, 6, 4, 9, INT32_MAX - 4, 1};
    buffer file = BUFFER_INIT;
    objects_profile_with(&file, places, sizeof places / sizeof places[0]);
    json_t *root = json_of(&file, 1);
    assert_int_equal(json_array_size(json_object_get(root, "objects")), 1);
    place_is(root, 0, "N.Plain", "new", 6, 0);
    assert_int_equal(number_at(json_object_get(root, "totals"), "exclusive_objects"), 13);
    json_decref(root);
    buffer_clear(&file);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(functions_have_what_their_calls_allocated),
        cmocka_unit_test(a_narrow_tree_keeps_room_for_names),
        cmocka_unit_test(nodes_have_all_below_them),
        cmocka_unit_test(merged_runs_have_those_of_all),
        cmocka_unit_test(missing_counts_are_told),
        cmocka_unit_test(objects_stand_at_their_places),
        cmocka_unit_test(places_beyond_the_names_are_left_out),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
