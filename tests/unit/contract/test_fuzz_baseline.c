/* The fuzz target of baselines, driven plainly: samples, and changes to them from a printed seed. With the arguments
 * `seeds FOLDER` it writes what the fuzzer starts from. */
#define _GNU_SOURCE
#include "fuzz_unit.h"
#include "unit.h"

#include "../../fuzz/fuzz_baseline.c"

#define HEAD    "ilinject baseline 1\n"
#define COLUMNS "runs 3\ncolumns calls made bytes exceptions objects\n"

static const char *const samples[] = {
    HEAD "# ours\nallow bytes 1%+16 **\nallow calls 10 Shop.Cache.**\nignore Legacy.**\n\n" COLUMNS
         "\nassembly Shop\ntype Shop.Cart\n1 2 30 0 Add(int)\n1..3 - 0 0 Add(int)\n9223372036854775807 0 0 0 Sum()\n"
         "type Shop.Item\n2 0 0 1 Item()\n\nobjects\n12 Shop.Item\n3..4 int (boxed)\n",
    HEAD
    "allow all 0.25% [Shop]*.*(int)\r\nruns 1\r\ncolumns calls\r\nassembly\r\n5 \"a scope\"\r\ntype T<U>\r\n1 M()\r\n",
    HEAD "runs 1\ncolumns calls\n",
};
enum { SAMPLES = sizeof samples / sizeof samples[0] };

static void make_sample(buffer *out, unsigned n) {
    buffer_append(out, samples[n], strlen(samples[n]));
}

static void changed_baselines_are_read_as_written_or_refused_with_a_word(void **state) {
    static const uint8_t edges[] = "\n\r #.%-0189*([ \0\xFF";
    (void)state;
    fuzz_replay(make_sample, 0, SAMPLES,
                &(fuzz_plan){.seed = 5,
                             .rounds = 1000,
                             .step = 1,
                             .from = 0,
                             .seldom_from = 0,
                             .edges = edges,
                             .edge_count = sizeof edges - 1});
}

static void keep_message(void *user, const char *file, diag_severity severity, diag_code code, const char *text) {
    (void)file, (void)severity, (void)code;
    snprintf(user, 300, "%s", text);
}

static void a_fault_has_its_line_and_what_was_expected(void **state) {
    static const struct {
        const char *text, *said;
    } faults[] = {
        {"", "line 1: expected `ilinject baseline 1`, but the line ends"},
        {"MZ\n", "line 1: expected `ilinject baseline 1`, found 'MZ'"},
        {"ilinject baseline 2\n", "line 1: expected `ilinject baseline 1`, found 'ilinject baseline 2'"},
        {HEAD "allow speed 1% **\n", "line 2: expected calls, made, bytes, exceptions, objects or all, found 'speed'"},
        {HEAD "allow calls 1s **\n", "line 2: expected a limit as 5%, 100 or 5%+100, found '1s'"},
        {HEAD "ignore\n", "line 2: expected a pattern as Shop.Cache.**, but the line ends"},
        {HEAD "\nruns none\n", "line 3: expected a number of runs, found 'none'"},
        {HEAD "runs 1\nignore A\n", "line 3: expected rules above the line `runs`, found 'ignore'"},
        {HEAD "runs 1\ncolumns made calls\n",
         "line 3: expected calls, made, bytes, exceptions, objects, in this order, found 'calls'"},
        {HEAD "runs 1\ncolumns calls\n1 A()\n",
         "line 4: expected a rule, `runs`, `columns`, `assembly`, `type` or `objects`, found '1'"},
        {HEAD "runs 1\ncolumns calls\nassembly A\n<<<<<<< ours\n",
         "line 5: expected a number, a range as 3..5, or -, found '<<<<<<<'"},
        {HEAD "runs 1\ncolumns calls\nassembly A\n5..3 A()\n",
         "line 5: expected a number, a range as 3..5, or -, found '5..3'"},
        {HEAD "runs 1\ncolumns calls\nassembly A\n5\n", "line 5: expected a name after the numbers, but the line ends"},
        {HEAD "runs 1\ncolumns calls\nassembly A\n1 A()\n1 B()\n1 A()\n",
         "line 7: expected each method once, and methods of one name together, found 'A()'"},
        {HEAD "runs 1\ncolumns calls\nobjects\n",
         "line 4: expected a column objects where there are objects, found 'objects'"},
        {HEAD "runs 1\ncolumns \n", "line 3: expected the column calls, but the line ends"},
        {HEAD, "line 1: expected `runs` and `columns`, but the file ends"},
    };
    (void)state;
    for (unsigned i = 0; i < sizeof faults / sizeof faults[0]; i++) {
        char said[300] = "";
        diag d = {.sink = keep_message, .user = said};
        contract c = CONTRACT_INIT;
        assert_int_not_equal(contract_read(&c, bytes_of(faults[i].text, strlen(faults[i].text)), &d), ECMA_OK);
        assert_string_equal(said, faults[i].said);
        contract_clear(&c);
    }
}

/* How many changes one run has that calls A.M `calls` times, where the baseline's runs had `before`. */
static uint32_t found(const char *rules, unsigned runs, const char *before, const char *after) {
    char texts[2][300];
    contract sides[2] = {CONTRACT_INIT, CONTRACT_INIT};
    diag d = {0};
    snprintf(texts[0], sizeof texts[0], HEAD "%sruns %u\ncolumns calls bytes\nassembly a\ntype A\n%s", rules, runs,
             before);
    snprintf(texts[1], sizeof texts[1], HEAD "runs 1\ncolumns calls bytes\nassembly a\ntype A\n%s", after);
    for (int i = 0; i < 2; i++)
        assert_int_equal(contract_read(&sides[i], bytes_of(texts[i], strlen(texts[i])), &d), ECMA_OK);
    uint32_t count = changes(&sides[0], &sides[1]);
    contract_clear(&sides[0]);
    contract_clear(&sides[1]);
    return count;
}

static void what_holds_still_is_held_to_its_count(void **state) {
    (void)state;
    assert_int_equal(found("", 1, "5 7 M()\n", "5 7 M()\n"), 0);
    assert_int_equal(found("", 1, "5 7 M()\n", "6 7 M()\n"), 1);
    assert_int_equal(found("", 1, "5 7 M()\n", "5 6 M()\n"), 1);
    assert_int_equal(found("", 1, "5 7 M()\n", ""), 1);
    assert_int_equal(found("", 1, "", "5 7 M()\n"), 1);
    assert_int_equal(found("", 1, "- - M()\n", "5 7 M()\n"), 0);
    assert_int_equal(found("", 1, "5 7 M()\n1 0 M()\n", "5 7 M()\n2 0 M()\n"), 1);
}

/* 10..12 of 7 runs lets 8 and 14 pass, of 4 runs 6 and 16, of 2 runs 0 and 24. */
static void a_range_is_widened_by_how_few_runs_made_it(void **state) {
    static const struct { unsigned runs, least, most; } wide[] = {{2, 0, 24}, {4, 6, 16}, {7, 8, 14}, {100, 8, 14}};
    (void)state;
    for (unsigned i = 0; i < sizeof wide / sizeof wide[0]; i++)
        for (unsigned calls = 0; calls < 40; calls++) {
            char after[40];
            snprintf(after, sizeof after, "%u 0 M()\n", calls);
            assert_int_equal(found("", wide[i].runs, "10..12 0 M()\n", after),
                             calls < wide[i].least || calls > wide[i].most);
        }
    assert_int_equal(found("", 7, "0..1 0 M()\n", ""), 0);
    assert_int_equal(found("", 7, "999..1000 0 M()\n", "979 0 M()\n"), 0);
    assert_int_equal(found("", 7, "999..1000 0 M()\n", "978 0 M()\n"), 1);
}

static void the_last_rule_that_names_a_method_decides(void **state) {
    (void)state;
    const char *before = "100 1000 M()\n", *after = "105 1010 M()\n";
    assert_int_equal(found("allow all 5% **\n", 1, before, after), 0);
    assert_int_equal(found("allow all 4.9% **\n", 1, before, after), 1);
    assert_int_equal(found("allow all 3%+2 **\n", 1, before, after), 0);
    assert_int_equal(found("allow all 3%+1 **\n", 1, before, after), 1);
    assert_int_equal(found("allow calls 5 A.M\nallow bytes 10 A\n", 1, before, after), 0);
    assert_int_equal(found("allow calls 4 A.M\nallow bytes 10 A\n", 1, before, after), 1);
    assert_int_equal(found("allow all 5% **\nallow all 0 A.M\n", 1, before, after), 1);
    assert_int_equal(found("allow all 0 A.M\nallow all 5% **\n", 1, before, after), 0);
    assert_int_equal(found("allow all 0 B.M\nignore [a]A\n", 1, before, after), 0);
    assert_int_equal(found("ignore [b]A\n", 1, before, after), 1);
    assert_int_equal(found("ignore A\nallow bytes 1% A.M()\n", 1, before, after), 0);
}

int main(int argc, char **argv) {
    int value = fuzz_arguments(argc, argv, make_sample, SAMPLES);
    if (value >= 0)
        return value;
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(changed_baselines_are_read_as_written_or_refused_with_a_word),
        cmocka_unit_test(a_fault_has_its_line_and_what_was_expected),
        cmocka_unit_test(what_holds_still_is_held_to_its_count),
        cmocka_unit_test(a_range_is_widened_by_how_few_runs_made_it),
        cmocka_unit_test(the_last_rule_that_names_a_method_decides),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
