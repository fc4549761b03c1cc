/* The command line's table is parsed as its help says. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "cli/options.h"

typedef struct settings {
    common_settings common;
    bool force;
    int format, by;
    unsigned top;
    const char *output;
    option_list rules, leaves;
} settings;

static const option_row table[] = {
    {"force", 0, OPTION_FLAG, offsetof(settings, force), 0, NULL, ""},
    {"format", 0, OPTION_CHOICE, offsetof(settings, format), 0, "text|tree|json", ""},
    {"json", 0, OPTION_SET, offsetof(settings, format), 2, NULL, ""},
    {"top", 't', OPTION_NUMBER, offsetof(settings, top), 0, "N", ""},
    {"output", 'o', OPTION_TEXT, offsetof(settings, output), 0, "FILE", ""},
    {"include", 'i', OPTION_LIST, offsetof(settings, rules), 5, "PATTERN", ""},
    {"exclude", 0, OPTION_LIST, offsetof(settings, rules), 6, "PATTERN", ""},
    {"by", 0, OPTION_CHOICE, offsetof(settings, by), 0, "function|path||method", ""},
    {"leaves", 0, OPTION_LISTED, offsetof(settings, leaves), 0, "PATTERN", ""},
    {NULL, 0, 0, 0, 0, NULL, NULL},
};

static settings got;
static arguments operands;
static usage_error error;

/* Parses up to eight words; NULL ends them. */
static bool parse_until(option_end end, const char *const *words) {
    static char *items[8];
    size_t count = 0;
    for (; words[count]; count++)
        items[count] = (char *)(uintptr_t)words[count];
    free(got.rules.items);
    free(got.leaves.items);
    got = (settings){0};
    error.text[0] = 0;
    operands = (arguments){.items = items, .count = count};
    return options_parse(&operands, &error, &got, table, end);
}
#define PARSE(...) parse_until(OPTIONS_ANYWHERE, (const char *const[]){__VA_ARGS__, NULL})

static void values_follow_after_equals_sign_space_or_letter(void **state) {
    (void)state;
    assert_true(PARSE("--output=a", "--top", "7"));
    assert_string_equal(got.output, "a");
    assert_int_equal(got.top, 7);
    assert_true(PARSE("-ob", "-t", "8"));
    assert_string_equal(got.output, "b");
    assert_int_equal(got.top, 8);
    assert_true(PARSE("-o", "-x"));
    assert_string_equal(got.output, "-x");
    assert_true(PARSE("--output=a=b"));
    assert_string_equal(got.output, "a=b");
}

static void a_value_that_may_be_left_out_follows_an_equals_sign_alone(void **state) {
    (void)state;
    assert_true(PARSE("--leaves", "a", "--leaves=b,c", "--leaves="));
    assert_int_equal(got.leaves.count, 3);
    assert_string_equal(got.leaves.items[0].value, "");
    assert_string_equal(got.leaves.items[1].value, "b,c");
    assert_string_equal(got.leaves.items[2].value, "");
    assert_int_equal(operands.count, 1);
    assert_string_equal(operands.items[0], "a");
    assert_false(options_want_next(table, "--leaves"));
}

static void a_choice_that_may_be_left_out_counts_from_one(void **state) {
    (void)state;
    assert_true(PARSE("--force", "all"));
    assert_int_equal(got.common.help, 0);
    assert_true(PARSE("--help", "all"));
    assert_int_equal(got.common.help, 1);
    assert_int_equal(operands.count, 1);
    assert_true(PARSE("-h"));
    assert_int_equal(got.common.help, 1);
    assert_true(PARSE("--help=all"));
    assert_int_equal(got.common.help, 2);
    assert_false(PARSE("--help=some"));
    assert_string_equal(error.text, "--help: 'some' is not one of all");
    assert_false(options_want_next(table, "--help"));
}

static void older_names_of_choices_stand_for_the_first_ones(void **state) {
    (void)state;
    assert_true(PARSE("--by=path"));
    assert_int_equal(got.by, 1);
    assert_true(PARSE("--by=method"));
    assert_int_equal(got.by, 0);
    assert_false(PARSE("--by=type"));
    assert_string_equal(error.text, "--by: 'type' is not one of function|path");
    assert_false(PARSE("--by="));
}

static void letters_join_and_the_last_may_take_a_value(void **state) {
    (void)state;
    assert_true(PARSE("-qofile"));
    assert_true(got.common.quiet);
    assert_string_equal(got.output, "file");
    assert_false(PARSE("-qz"));
    assert_string_equal(error.text, "unknown option -z");
}

static void operands_keep_their_order_around_options(void **state) {
    (void)state;
    assert_true(PARSE("a", "--force", "-", "-o", "out", "b"));
    assert_true(got.force);
    assert_int_equal(operands.count, 3);
    assert_string_equal(operands.items[0], "a");
    assert_string_equal(operands.items[1], "-");
    assert_string_equal(operands.items[2], "b");
}

static void two_dashes_end_the_options(void **state) {
    (void)state;
    assert_true(PARSE("--", "--force", "--", "-q"));
    assert_false(got.force);
    assert_int_equal(operands.count, 3);
    assert_string_equal(operands.items[1], "--");
}

static void the_first_dashes_part_operands_and_the_second_end_the_options(void **state) {
    (void)state;
    const char *const words[] = {"a", "b", "--", "c", "--force", "--", "-q", NULL};
    assert_true(parse_until(OPTIONS_ON_BOTH_SIDES, words));
    assert_true(got.force);
    assert_false(got.common.quiet);
    assert_int_equal(operands.count, 4);
    assert_true(operands.has_dashes);
    assert_int_equal(operands.before_dashes, 2);
    assert_string_equal(operands.items[2], "c");
    assert_string_equal(operands.items[3], "-q");
    assert_true(parse_until(OPTIONS_ON_BOTH_SIDES, (const char *const[]){"a", "-q", "b", NULL}));
    assert_true(got.common.quiet);
    assert_false(operands.has_dashes);
}

static void the_first_operand_of_a_launcher_ends_the_options(void **state) {
    (void)state;
    assert_true(parse_until(OPTIONS_BEFORE_OPERANDS, (const char *const[]){"-q", "a", "--force", "--", NULL}));
    assert_true(got.common.quiet);
    assert_false(got.force);
    assert_int_equal(operands.count, 3);
}

static void choices_are_told_by_position(void **state) {
    (void)state;
    assert_true(PARSE("--format=tree"));
    assert_int_equal(got.format, 1);
    assert_true(PARSE("--json"));
    assert_int_equal(got.format, 2);
    assert_false(PARSE("--format=tre"));
    assert_string_equal(error.text, "--format: 'tre' is not one of text|tree|json");
    assert_false(PARSE("--format=text|tree"));
    assert_false(PARSE("--format="));
}

static void numbers_are_whole_and_fit(void **state) {
    (void)state;
    assert_true(PARSE("--top=4294967295"));
    assert_int_equal(got.top, 4294967295u);
    assert_false(PARSE("--top=4294967296"));
    assert_false(PARSE("--top=-1"));
    assert_false(PARSE("--top=1x"));
    assert_false(PARSE("--top="));
    assert_string_equal(error.text, "--top: '' is not a number from 0 to 4294967295");
    assert_false(PARSE("--top=99999999999999999999999999"));
}

static void repeated_options_keep_their_order(void **state) {
    (void)state;
    assert_true(PARSE("--include=a", "--exclude", "b", "x", "-ic", "--include=a"));
    assert_int_equal(operands.count, 1);
    assert_int_equal(got.rules.count, 4);
    static const struct option_item expected[] = {{5, "a"}, {6, "b"}, {5, "c"}, {5, "a"}};
    for (size_t i = 0; i < 4; i++) {
        assert_int_equal(got.rules.items[i].set, expected[i].set);
        assert_string_equal(got.rules.items[i].value, expected[i].value);
    }
    assert_false(PARSE("--include="));
    assert_string_equal(error.text, "--include is given an empty value");
    assert_false(PARSE("--exclude"));
}

static void missing_and_superfluous_values_are_refused(void **state) {
    (void)state;
    assert_false(PARSE("--output"));
    assert_string_equal(error.text, "--output needs a value");
    assert_false(PARSE("-o"));
    assert_string_equal(error.text, "-o needs a value");
    assert_false(PARSE("--output="));
    assert_false(PARSE("--force=yes"));
    assert_string_equal(error.text, "--force takes no value");
}

static void unknown_options_suggest_the_nearest(void **state) {
    (void)state;
    assert_false(PARSE("--forse"));
    assert_string_equal(error.text, "unknown option --forse; did you mean --force?");
    assert_false(PARSE("--ouptut=x"));
    assert_string_equal(error.text, "unknown option --ouptut; did you mean --output?");
    assert_false(PARSE("--out"));
    assert_string_equal(error.text, "unknown option --out; did you mean --output?");
    assert_false(PARSE("--colour=never"));
    assert_string_equal(error.text, "unknown option --colour; did you mean --color?");
    assert_false(PARSE("--wibble"));
    assert_string_equal(error.text, "unknown option --wibble");
    assert_false(PARSE("--"
                       "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"));
    assert_null(strstr(error.text, "mean"));
}

static void names_are_near_within_two_edits(void **state) {
    (void)state;
    static const char *const names[] = {"instrument", "list", "dump", "report", NULL};
    assert_string_equal(nearest_name("lsit", names), "list");
    assert_string_equal(nearest_name("reprot", names), "report");
    assert_string_equal(nearest_name("instrumnt", names), "instrument");
    assert_string_equal(nearest_name("inst", names), "instrument");
    assert_null(nearest_name("help", names));
    assert_null(nearest_name("", names));
    assert_null(nearest_name("li", names));
}

static void leading_common_options_end_at_the_commands_name(void **state) {
    (void)state;
    char *words[] = {(char[]){"-q"}, (char[]){"--color"}, (char[]){"never"}, (char[]){"list"}, (char[]){"-q"}};
    assert_int_equal(options_leading(words, 5), 3);
    char *own[] = {(char[]){"--force"}, (char[]){"list"}};
    assert_int_equal(options_leading(own, 2), 0);
    char *end[] = {(char[]){"--"}, (char[]){"list"}};
    assert_int_equal(options_leading(end, 2), 0);
    assert_int_equal(options_leading(words, 1), 1);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(values_follow_after_equals_sign_space_or_letter),
        cmocka_unit_test(a_value_that_may_be_left_out_follows_an_equals_sign_alone),
        cmocka_unit_test(a_choice_that_may_be_left_out_counts_from_one),
        cmocka_unit_test(older_names_of_choices_stand_for_the_first_ones),
        cmocka_unit_test(letters_join_and_the_last_may_take_a_value),
        cmocka_unit_test(operands_keep_their_order_around_options),
        cmocka_unit_test(two_dashes_end_the_options),
        cmocka_unit_test(the_first_dashes_part_operands_and_the_second_end_the_options),
        cmocka_unit_test(the_first_operand_of_a_launcher_ends_the_options),
        cmocka_unit_test(choices_are_told_by_position),
        cmocka_unit_test(numbers_are_whole_and_fit),
        cmocka_unit_test(repeated_options_keep_their_order),
        cmocka_unit_test(missing_and_superfluous_values_are_refused),
        cmocka_unit_test(unknown_options_suggest_the_nearest),
        cmocka_unit_test(names_are_near_within_two_edits),
        cmocka_unit_test(leading_common_options_end_at_the_commands_name),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
