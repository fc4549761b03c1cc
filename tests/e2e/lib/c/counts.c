/* counts - judges the JSON of `ilinject report --format=json`.
 *
 *   counts REPORT.json                the totals agree: enters = leaves + resynchronised + open, and with the tree's
 * nodes counts REPORT.json FILE.expected  and each function was called as often as the file says
 *
 * The .expected file: `#` begins a comment; else `CALLS PATTERN` a line, the pattern (fnmatch) matched against
 * "TYPE::METHOD". A line's calls are the sum over all functions that match it and no earlier line; `?` instead of a
 * number admits functions without asking for any. A called function that matches no line is an error; a leaf, which no
 * line means, is none. */
#include <fnmatch.h>
#include <jansson.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_LINES = 1000 };

typedef struct expectation {
    bool any;
    long long calls;
    long long found;
    char pattern[512];
} expectation;

static int faults;

static long long integer(const json_t *object, const char *key) {
    const json_t *value = json_object_get(object, key);
    if (!json_is_integer(value)) {
        printf("no integer \"%s\"\n", key);
        faults++;
        return 0;
    }
    return json_integer_value(value);
}

static void expect_equal(const char *what, long long expected, long long found) {
    if (expected != found) {
        printf("%s: expected %lld, found %lld\n", what, expected, found);
        faults++;
    }
}

static void check_totals(const json_t *report) {
    const json_t *totals = json_object_get(report, "totals");
    long long enters = integer(totals, "enters"), leaves = integer(totals, "leaves");
    long long resynchronised = integer(totals, "resynchronised"), open = integer(totals, "open");
    long long by_exception = integer(totals, "by_exception");
    printf("enters %lld leaves %lld by exception %lld resynchronised %lld open %lld\n", enters, leaves, by_exception,
           resynchronised, open);
    expect_equal("enters against leaves + by exception + resynchronised + open", enters,
                 leaves + by_exception + resynchronised + open);
    long long calls = 0, node_calls = 0;
    size_t i, j;
    const json_t *function, *thread, *node;
    json_array_foreach(json_object_get(report, "functions"), i, function) calls +=
        integer(function, "calls") + integer(function, "steps");
    json_array_foreach(json_object_get(report, "threads"), i, thread)
        json_array_foreach(json_object_get(thread, "tree"), j, node) if (integer(node, "function") >= 0) node_calls +=
        integer(node, "calls") + integer(node, "steps");
    expect_equal("sum of the functions' calls and steps", enters, calls);
    expect_equal("sum of the nodes' calls and steps", enters, node_calls);
    if (enters == 0) {
        puts("nothing was recorded");
        faults++;
    }
}

static size_t read_expectations(const char *path, expectation *lines) {
    FILE *file = fopen(path, "r");
    if (!file) {
        perror(path);
        exit(2);
    }
    size_t count = 0;
    char line[600], number[32];
    while (fgets(line, sizeof line, file)) {
        if (line[0] == '#' || line[0] == '\n')
            continue;
        expectation *e = &lines[count];
        *e = (expectation){0};
        if (count == MAX_LINES || sscanf(line, "%31s %511[^\n]", number, e->pattern) != 2) {
            printf("%s: not understood: %s", path, line);
            exit(2);
        }
        e->any = strcmp(number, "?") == 0;
        e->calls = e->any ? 0 : atoll(number);
        count++;
    }
    fclose(file);
    return count;
}

static void check_functions(const json_t *report, expectation *lines, size_t count) {
    size_t i;
    const json_t *function;
    json_array_foreach(json_object_get(report, "functions"), i, function) {
        const char *type = json_string_value(json_object_get(function, "type"));
        const char *method = json_string_value(json_object_get(function, "method"));
        long long calls = integer(function, "calls");
        char name[2048];
        snprintf(name, sizeof name, "%s::%s", type ? type : "(no type)", method ? method : "(no method)");
        if (calls == 0 || json_is_true(json_object_get(function, "leaf")))
            continue;
        size_t line = 0;
        while (line < count && fnmatch(lines[line].pattern, name, FNM_NOESCAPE) != 0)
            line++;
        if (line < count) {
            lines[line].found += calls;
        } else {
            printf("not expected: %lld calls of %s\n", calls, name);
            faults++;
        }
    }
    for (i = 0; i < count; i++)
        if (!lines[i].any)
            expect_equal(lines[i].pattern, lines[i].calls, lines[i].found);
}

int main(int argc, char **argv) {
    if (argc != 2 && argc != 3) {
        fputs("usage: counts REPORT.json [FILE.expected]\n", stderr);
        return 2;
    }
    json_error_t error;
    json_t *report = json_load_file(argv[1], 0, &error);
    if (!report) {
        printf("%s:%d: %s\n", argv[1], error.line, error.text);
        return 1;
    }
    check_totals(report);
    if (argc == 3) {
        static expectation lines[MAX_LINES];
        check_functions(report, lines, read_expectations(argv[2], lines));
    }
    json_decref(report);
    return faults != 0;
}
