/* Lists of leaves choose the methods that their patterns name, the last one deciding. */
#include "select/leaf_patterns.h"

#include "input/context.h"
#include "unit.h"

static arena memory;
static leaf_patterns leaves;
static buffer scratch;

static bytes text_of(const char *text) {
    return bytes_of(text, strlen(text));
}

static ecma_status add(const char *text) {
    diag silent = {0};
    return leaf_patterns_add(&leaves, &memory, &silent, text, NULL, 0);
}

static void listed(const char *text) {
    leaves = (leaf_patterns){0};
    assert_int_equal(add(text), ECMA_OK);
}

/* "Namespace Type Method", one part after another. */
static bool is_leaf(const char *assembly, const char *const names[3], const char *parameters, bool native) {
    leaf_name name = {.assembly = text_of(assembly), .parameters = text_of(parameters), .native = native, .count = 3};
    for (unsigned i = 0; i < 3; i++)
        name.names[i] = text_of(names[i]);
    return leaf_patterns_match(&leaves, &name, &scratch);
}
#define IS_LEAF(space, type, method, parameters)                                                                       \
    is_leaf("Lib", (const char *const[]){space, type, method}, parameters, false)

static void names_stand_for_all_in_them(void **state) {
    (void)state;
    listed("A.B, C.D.E");
    assert_true(IS_LEAF("A.B", "T", "M", ""));
    assert_true(IS_LEAF("A", "B", "M", "int"));
    assert_true(IS_LEAF("C", "D", "E", ""));
    assert_false(IS_LEAF("C", "D", "F", ""));
    assert_false(IS_LEAF("", "A", "M", ""));
    listed("*");
    assert_true(IS_LEAF("A.B", "T", "M", ""));
    assert_true(IS_LEAF("", "T", "M", ""));
    assert_true(is_leaf("Own", (const char *const[]){"", "T", "M"}, "", true));
}

static void last_one_that_matches_decides(void **state) {
    (void)state;
    listed("A,!A.T,A.T.M(int)");
    assert_true(IS_LEAF("A", "U", "M", ""));
    assert_false(IS_LEAF("A", "T", "M", ""));
    assert_true(IS_LEAF("A", "T", "M", "int"));
    assert_int_equal(add("! A"), ECMA_OK);
    assert_false(IS_LEAF("A", "T", "M", "int"));
}

/* The pattern that decides about A.T.M is named. */
static void decides(const char *wanted) {
    leaf_name name = {.assembly = text_of("Lib"), .names = {text_of("A"), text_of("T"), text_of("M")}, .count = 3};
    uint32_t by = leaf_patterns_find(&leaves, &name, &scratch);
    scratch.size = 0;
    if (by != LEAF_PATTERN_NONE)
        leaf_patterns_describe(&scratch, &leaves, by);
    buffer_u8(&scratch, 0);
    assert_string_equal((const char *)scratch.data, wanted);
}

static void the_one_that_decides_is_told(void **state) {
    (void)state;
    listed("A, A.T ,!A.T.N,native");
    decides("--leaves 'A.T'");
    assert_int_equal(add("! A.T.M"), ECMA_OK);
    decides("--leaves '!A.T.M'");
    listed("B,native");
    decides("");
}

static void commas_between_brackets_part_parameters(void **state) {
    (void)state;
    listed("A.T.M(int, string),A.T.N(D<int, int>)");
    assert_int_equal(leaves.count, 2);
    assert_true(IS_LEAF("A", "T", "M", "int, string"));
    assert_false(IS_LEAF("A", "T", "M", "int"));
    assert_true(IS_LEAF("A", "T", "N", "D<int, int>"));
}

static void assemblies_and_arities_count(void **state) {
    (void)state;
    listed("[Lib]A.List");
    assert_true(IS_LEAF("A", "List`1", "Add", "T"));
    assert_false(is_leaf("Other", (const char *const[]){"A", "List`1", "Add"}, "T", false));
}

static void words_are_lists(void **state) {
    (void)state;
    listed("native");
    assert_true(is_leaf("Own", (const char *const[]){"", "T", "M"}, "", true));
    assert_false(IS_LEAF("", "T", "M", ""));
    listed("default,!native");
    assert_false(is_leaf("Own", (const char *const[]){"", "T", "M"}, "", true));
    assert_true(IS_LEAF("System.Threading", "Monitor", "Enter", "object, ref bool"));
    assert_true(IS_LEAF("System.Threading.Tasks", "Task`1", "get_Result", ""));
    assert_true(IS_LEAF("System.IO", "FileStream", ".ctor", "string"));
    assert_true(IS_LEAF("Microsoft.Data.Sqlite", "SqliteCommand", "ExecuteReader", ""));
    assert_false(IS_LEAF("System.Threading", "Monitor", "Exit", "object"));
    assert_false(IS_LEAF("System.Collections.Generic", "List`1", "Add", "T"));
    uint32_t count = leaves.count;
    listed("");
    assert_int_equal(leaves.count, count - 1);
    listed(" default ");
    assert_int_equal(leaves.count, count - 1);
}

static void faults_are_refused(void **state) {
    (void)state;
    static const char *const bad[] = {"A,", ",A", "@Mark", "A.(", "[A", "!", "A..B**"};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        leaves = (leaf_patterns){0};
        assert_int_equal(add(bad[i]), ECMA_CONFIG);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(names_stand_for_all_in_them),
        cmocka_unit_test(last_one_that_matches_decides),
        cmocka_unit_test(the_one_that_decides_is_told),
        cmocka_unit_test(commas_between_brackets_part_parameters),
        cmocka_unit_test(assemblies_and_arities_count),
        cmocka_unit_test(words_are_lists),
        cmocka_unit_test(faults_are_refused),
    };
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    buffer_clear(&scratch);
    arena_clear(&memory);
    return failed;
}
