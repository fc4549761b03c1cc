/* fact_tables NAME - prints the table of that name from the rows of src/facts, for documents in Markdown, for suites as
 * lines of words. */
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "ilinject.h"

static bool meanings; /* settings without their values */

/* The first sentence of a setting's meaning; `ilinject explain` prints all of it. */
static void setting(const char *name, const char *values, const char *usual, const char *meaning) {
    const char *end = strstr(meaning, ". ");
    int length = end ? (int)(end - meaning) + 1 : (int)strlen(meaning);
    if (meanings)
        printf("| `%s` | %.*s |\n", name, length, meaning);
    else
        printf("| `%s` | %s | %s | %.*s |\n", name, values, usual, length, meaning);
}

static void number(const char *name, unsigned least, unsigned most, unsigned usual, const char *meaning) {
    char values[32], shown[16];
    snprintf(values, sizeof values, "%u to %u", least, most);
    snprintf(shown, sizeof shown, "%u", usual);
    setting(name, values, shown, meaning);
}

static void flag(const char *name, int usual, const char *meaning) {
    setting(name, "0, 1", usual ? "1" : "0", meaning);
}

static void other(const char *name, const char *values, const char *shown, const char *meaning) {
    setting(name, values, shown, meaning);
}

/* The first of the words with ", " between them is the default. */
static void choice(const char *name, const char *values, const char *meaning) {
    char shown[32];
    snprintf(shown, sizeof shown, "%.*s", (int)strcspn(values, ","), values);
    setting(name, values, shown, meaning);
}

static void print_settings(void) {
    puts(meanings ? "| setting | |\n|---|---|" : "| setting | values | default | meaning |\n|---|---|---|---|");
#define NUMBER(name, least, most, usual, values, shown, meaning)  number(name, least, most, usual, meaning);
#define FLAG(name, least, most, usual, values, shown, meaning)    flag(name, 0, meaning);
#define FLAG_ON(name, least, most, usual, values, shown, meaning) flag(name, 1, meaning);
#define CHOICE(name, least, most, usual, values, shown, meaning)  choice(name, values, meaning);
#define OTHER(name, least, most, usual, values, shown, meaning)   other(name, values, shown, meaning);
#define PATH                                                      OTHER
#define PERCENT                                                   OTHER
#define START                                                     OTHER
#define STOP                                                      OTHER
#define METHOD                                                    OTHER
#define CLOCK                                                     OTHER
#define ADDRESS                                                   OTHER
#define PATTERNS                                                  OTHER
#define TIME                                                      OTHER
#define LABELS                                                    OTHER
#define SETTING(name, Member, KIND, least, most, usual, PART, values, shown, meaning)                                  \
    KIND(#name, least, most, usual, values, shown, meaning)
#include "facts/settings.def"
}

#define NO_PATH     "%q"
#define NO_PERCENT  "0"
#define NO_FLAG     "2"
#define NO_FLAG_ON  "yes"
#define NO_CHOICE   "neither"
#define NO_START    ","
#define NO_STOP     "1e9"
#define NO_METHOD   "5"
#define NO_CLOCK    "sundial"
#define NO_ADDRESS  "127.0.0.1"
#define NO_PATTERNS "x("
#define NO_TIME     "5"
#define NO_LABELS   "release"

static void broken(const char *name, const char *value, unsigned most) {
    if (value)
        printf("%s %s\n", name, value);
    else
        printf("%s %u\n", name, most + 1);
}

/* A value of each setting that its kind does not take: "name value"; numbers are one too large. */
static void print_broken(void) {
#undef SETTING
#define NO_NUMBER                                                                     NULL
#define SETTING(name, Member, KIND, least, most, usual, PART, values, shown, meaning) broken(#name, NO_##KIND, most);
#include "facts/settings.def"
}

/* The prototypes of the tracker's methods in C#, without the names of parameters, as code in Markdown. */
#define CS_VOID               "void"
#define CS_BOOLEAN            "bool"
#define CS_I4                 "int"
#define CS_I8                 "long"
#define CS_R8                 "double"
#define CS_STRING             "string"
#define CS_OBJECT             "object"
#define CS_BYTES              "byte[]"
#define CS_T                  "T"
#define CS_REF_T              "ref T"
#define TAKES1(r, a)          CS_##r, "", CS_##a
#define TAKES2(r, a, b)       CS_##r, "", CS_##a ", " CS_##b
#define TAKES3(r, a, b, c)    CS_##r, "", CS_##a ", " CS_##b ", " CS_##c
#define TAKES4(r, a, b, c, d) CS_##r, "", CS_##a ", " CS_##b ", " CS_##c ", " CS_##d
#define GENERIC3(r, a, b, c)  CS_##r, "<T>", CS_##a ", " CS_##b ", " CS_##c
static void prototype(const char *name, const char *result, const char *generic, const char *parameters) {
    printf("    %s %s%s(%s)\n", result, name, generic, parameters);
}

static void print_methods(void) {
#undef METHOD
#define METHOD_GROUP(GROUP, requires)
#define METHOD(GROUP, ID, name, SIGNATURE, forwarder, ids) prototype(name, SIGNATURE);
#define GUARD_METHOD(ID, name, takes_exception, RESULT)                                                                \
    prototype(name, CS_##RESULT, "", takes_exception ? "object, int" : "int");
#include "facts/tracker_methods.def"
}

/* A section's place as the document calls it, with the profiles that alone may have it. */
static void section(const char *kind, const char *place, const char *in, const char *meaning) {
    printf("| `%s` | %s%s | %s |\n", kind, place, in, meaning);
}

static void print_sections(void) {
    puts("| kind | stands | holds |\n|---|---|---|");
#define HEAD                                                 "once"
#define TREE                                                 "trees"
#define OF_TREE                                              "per tree"
#define FIGURE                                               OF_TREE
#define OF_RUN                                               "once"
#define LAST                                                 "last"
#define TRACKERS                                             ", unmerged"
#define MERGED                                               ", merged"
#define ALL                                                  ""
#define SECTION(ID, kind, PLACE, needs, reader, IN, meaning) section(kind, PLACE, IN, meaning);
#include "facts/sections.def"
#undef FIGURE
}

static void print_setting_meanings(void) {
    meanings = true;
    print_settings();
}

/* A column of rows, and the tables that have it. */
static void row_column(const char *name, unsigned tables, const char *meaning) {
    static const char *const names[] = {"`run`", "`method`", "`path`", "`node`"};
    printf("| `%s` |", name);
    for (unsigned i = 0, any = 0; i < sizeof names / sizeof *names; i++)
        if (tables >> i & 1)
            printf("%s %s", any++ ? "," : "", names[i]);
    printf(" | %s |\n", meaning);
}

static void print_row_columns(void) {
    enum { IN_RUN = 1, IN_METHOD = 2, IN_PATH = 4, IN_NODE = 8 };
    puts("| column | in | holds |\n|---|---|---|");
#define IN(TABLE)                                   IN_##TABLE
#define ROW_COLUMN(ID, name, TYPE, tables, meaning) row_column(name, tables, meaning);
#include "facts/row_columns.def"
#undef ROW_COLUMN
}

static void outcome(int value, const char *word, const char *meaning) {
    printf("| %d | `\"%s\"` | %s |\n", value, word, meaning);
}

static void print_outcomes(void) {
    puts("| outcome | in JSON | how |\n|---|---|---|");
#define OUTCOME(ID, Member, value, word, alone, before, after, meaning) outcome(value, word, meaning);
#include "facts/outcomes.def"
}

static void flag_row(int value, const char *meaning) {
    printf("| %d | %s |\n", value, meaning);
}

static const struct {
    const char *of, *meaning;
    int value;
} call_flags[] = {
#define CALL_FLAG(OF, ID, Member, value, meaning) {#OF, meaning, value},
#include "facts/captured_calls.def"
};

static void print_call_flags(const char *of) {
    puts("| flag | meaning |\n|---|---|");
    for (size_t i = 0; i < sizeof call_flags / sizeof *call_flags; i++)
        if (strcmp(call_flags[i].of, of) == 0)
            flag_row(call_flags[i].value, call_flags[i].meaning);
}

static void print_name_flags(void) {
    puts("| flag | a method |\n|---|---|");
#define NAMES_FILE_FLAG(ID, value, meaning)
#define NAME_FLAG(ID, value, KEPT, meaning) flag_row(value, meaning);
#include "facts/name_flags.def"
#undef NAME_FLAG
#undef NAMES_FILE_FLAG
}

static void print_file_flags(void) {
    puts("| flag | the module |\n|---|---|");
#define NAMES_FILE_FLAG(ID, value, meaning) flag_row(value, meaning);
#define NAME_FLAG(ID, value, KEPT, meaning)
#include "facts/name_flags.def"
}

static void print_root_kinds(void) {
    puts("| kind | in JSON | the method is |\n|---|---|---|");
#define ROOT_KIND(ID, value, key, meaning) printf("| %d | `\"%s\"` | %s |\n", value, key, meaning);
#include "facts/roots.def"
}

static const struct {
    const char *group, *key, *merged, *meaning;
    int place;
} run_keys[] = {
#define ALONE                                                    ""
#define SUM                                                      "sum"
#define TOTAL                                                    "sum"
#define LEAST                                                    "least"
#define MOST                                                     "greatest"
#define FACT                                                     "values"
#define RUN_KEY(GROUP, key, KIND, field, MERGED, place, meaning) {#GROUP, #key, MERGED, meaning, place},
#include "facts/run_keys.def"
};

/* Keys with one meaning are one row. */
static void print_group(const char *group) {
    puts("| key | meaning | merged |\n|---|---|---|");
    char keys[512] = "", places[64] = "";
    for (size_t i = 0; i < sizeof run_keys / sizeof *run_keys; i++) {
        if (strcmp(run_keys[i].group, group) != 0)
            continue;
        size_t at = strlen(keys), placed = strlen(places);
        snprintf(keys + at, sizeof keys - at, "%s`%s`", at ? ", " : "", run_keys[i].key);
        if (run_keys[i].place)
            snprintf(places + placed, sizeof places - placed, "%s%d", placed ? ", " : "", run_keys[i].place);
        if (*run_keys[i].meaning) {
            printf("| %s | %s | %s%s%s |\n", keys, run_keys[i].meaning, run_keys[i].merged,
                   *run_keys[i].merged && *places ? "; " : "", places);
            *keys = *places = 0;
        }
    }
}

/* The columns of the text report's table. */
static void column(const char *name, const char *title, const char *meaning) {
    printf("| `%s` | %s | %s |\n", name, title, meaning);
}

static void print_columns(void) {
    puts("| column | its head | meaning |\n|---|---|---|");
#define FIGURE(ID, key, title, FORM, SOURCE, of, SHOWN, meaning, ...) column(key, title, meaning);
#include "facts/figures.def"
}

static const struct {
    const char *key, *meaning;
} figures[] = {
#define FIGURE(ID, key, title, FORM, SOURCE, of, SHOWN, meaning, ...) {key, meaning},
#include "facts/figures.def"
};
enum {
#define FIGURE(ID, ...) AT_##ID,
#include "facts/figures.def"
    COLUMNS
};
/* What comparisons compare. */
static const int metrics[] = {
#define METRIC(ID, ...) AT_##ID,
#include "facts/figures.def"
#define COUNTED_FIGURE(ID, ...) AT_##ID, AT_ALL_##ID,
#define FIGURE(ID, ...)
#include "facts/figures.def"
};
enum { METRICS = sizeof metrics / sizeof *metrics };

/* The same names for a manual page. */
static void manual_name(int i, int count, const char *end, const char *name) {
    enum { A_LINE = 7 };
    const char *gap = i + 1 == count ? end : i % A_LINE == A_LINE - 1 ? " ,\n" : " ,";
    printf("%s%s%s", i % A_LINE == 0 ? ".Cm " : " ", name, gap);
}

static void print_column_names(void) {
    for (int i = 0; i < COLUMNS; i++)
        manual_name(i, COLUMNS, " .\n", figures[i].key);
}

static void print_metric_names(void) {
    for (int i = 0; i < METRICS; i++)
        manual_name(i, METRICS, " ,\n", figures[metrics[i]].key);
}

static void print_metrics(void) {
    puts("| METRIC | of the method |\n|---|---|");
    for (int i = 0; i < METRICS; i++)
        printf("| `%s` | %s |\n", figures[metrics[i]].key, figures[metrics[i]].meaning);
}

/* Options with lists of the public header: "option choice choice…". */
static void print_choices(void) {
#define FIRST(ID, name) name
#define NEXT(ID, name)  " " name
    puts("sort " ILJ_SORT_KEYS(FIRST, NEXT));
    puts("weight " ILJ_WEIGHTS(FIRST, NEXT));
}

int main(int count, char **names) {
    static const struct {
        const char *name;
        void (*print)(void);
    } tables[] = {{"settings", print_settings},
                  {"setting_meanings", print_setting_meanings},
                  {"broken", print_broken},
                  {"methods", print_methods},
                  {"columns", print_columns},
                  {"column_names", print_column_names},
                  {"choices", print_choices},
                  {"metrics", print_metrics},
                  {"metric_names", print_metric_names},
                  {"sections", print_sections},
                  {"name_flags", print_name_flags},
                  {"file_flags", print_file_flags},
                  {"outcomes", print_outcomes},
                  {"root_kinds", print_root_kinds},
                  {"row_columns", print_row_columns}};
    for (size_t i = 0; count == 2 && i < sizeof tables / sizeof *tables; i++)
        if (strcmp(names[1], tables[i].name) == 0)
            return tables[i].print(), fflush(stdout) != 0;
    if (count == 2 && strncmp(names[1], "run_", 4) == 0)
        return print_group(names[1] + 4), fflush(stdout) != 0;
    if (count == 2 && strncmp(names[1], "call_", 5) == 0)
        return print_call_flags(names[1] + 5), fflush(stdout) != 0;
    fputs("fact_tables: expected the name of a table\n", stderr);
    return 2;
}
