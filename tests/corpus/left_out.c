/* left_out - adds up what `ilinject --json` said of many images, and says what was left out and why.
 *
 *   left_out LIST NAME=FILE…      FILE holds any number of summaries one after another, and is a column of the table
 *
 * Prints the images by outcome and the methods by reason. Writes LIST: a line for each image that was not instrumented,
 * and one for each reason other than having no body for which methods of an image were left out:
 * "REASON<tab>METHODS<tab>IMAGE". Fails when 1 in 10,000 methods or more were left out for such a reason. Methods of
 * reference assemblies (their code never runs) are neither counted as left out nor as methods. */
#include <ctype.h>
#include <jansson.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_ROWS = 40, MAX_COLUMNS = 10, LIMIT = 10000 };

/* Nothing to instrument: there is no IL, or it is not what runs. */
static const char *const without_body[] = {"abstract", "extern", "runtime", "internal call", "unmanaged", "no body"};

typedef struct row {
    char name[64];
    long long counts[MAX_COLUMNS];
} row;

typedef struct table {
    row rows[MAX_ROWS];
    size_t row_count;
} table;

static table images, methods;
static const char *names[MAX_COLUMNS];
static size_t columns;
static FILE *list;

static void die(const char *what, const char *which) {
    fprintf(stderr, "left_out: %s: %s\n", which, what);
    exit(2);
}

static void add(table *t, const char *name, long long count) {
    size_t i = 0;
    while (i < t->row_count && strcmp(t->rows[i].name, name) != 0)
        i++;
    if (i == MAX_ROWS)
        die("too many kinds", name);
    if (i == t->row_count) {
        snprintf(t->rows[i].name, sizeof t->rows[i].name, "%s", name);
        t->row_count++;
    }
    t->rows[i].counts[columns] += count;
}

static long long all(const table *t, const char *name) {
    long long sum = 0;
    for (size_t i = 0; i < t->row_count; i++)
        for (size_t c = 0; c < columns && strcmp(t->rows[i].name, name) == 0; c++)
            sum += t->rows[i].counts[c];
    return sum;
}

static bool has_no_body(const char *reason) {
    for (size_t i = 0; i < sizeof without_body / sizeof *without_body; i++)
        if (strcmp(reason, without_body[i]) == 0)
            return true;
    return false;
}

static void one_image(const json_t *file, const char *path) {
    const char *input = json_string_value(json_object_get(file, "input"));
    const char *outcome = json_string_value(json_object_get(file, "outcome"));
    const char *skip_reason = json_string_value(json_object_get(file, "skip_reason"));
    const json_t *count;
    const char *reason;
    if (!input || !outcome)
        die("not a summary", path);
    if (strcmp(outcome, "instrumented") != 0) {
        skip_reason = skip_reason ? skip_reason : "refused";
        long long of_image = json_integer_value(json_object_get(file, "methods"));
        add(&images, skip_reason, 1);
        fprintf(list, "%s\t%lld\t%s\n", skip_reason, of_image, input);
        if (strcmp(skip_reason, "reference assembly") == 0)
            return;
    } else {
        add(&images, outcome, 1);
    }
    add(&methods, "in all", json_integer_value(json_object_get(file, "methods")));
    add(&methods, "instrumented", json_integer_value(json_object_get(file, "instrumented")));
    json_object_foreach((json_t *)json_object_get(file, "left_out"), reason, count) {
        add(&methods, reason, json_integer_value(count));
        if (!has_no_body(reason))
            fprintf(list, "%s\t%lld\t%s\n", reason, json_integer_value(count), input);
    }
}

static void one_column(const char *path) {
    FILE *file = fopen(path, "r");
    if (!file)
        die("cannot be read", path);
    for (int c; (c = fgetc(file)) != EOF;) {
        if (isspace(c))
            continue;
        ungetc(c, file);
        json_error_t error;
        json_t *summary = json_loadf(file, JSON_DISABLE_EOF_CHECK, &error);
        if (!summary)
            die(error.text, path);
        const json_t *image;
        size_t i;
        json_array_foreach(json_object_get(summary, "files"), i, image) one_image(image, path);
        json_decref(summary);
    }
    fclose(file);
}

static void print(const table *t, const char *title) {
    printf("%-30s", title);
    for (size_t c = 0; c < columns; c++)
        printf(" %12s", names[c]);
    printf(" %12s\n", "all");
    for (size_t i = 0; i < t->row_count; i++) {
        printf("  %-28s", t->rows[i].name);
        for (size_t c = 0; c < columns; c++)
            printf(" %12lld", t->rows[i].counts[c]);
        printf(" %12lld\n", all(t, t->rows[i].name));
    }
}

int main(int argc, char **argv) {
    if (argc < 3 || argc - 2 > MAX_COLUMNS || !(list = fopen(argv[1], "w"))) {
        fputs("usage: left_out LIST NAME=FILE...\n", stderr);
        return 2;
    }
    for (int i = 2; i < argc; i++, columns++) {
        char *path = strchr(argv[i], '=');
        if (!path)
            die("no NAME=FILE", argv[i]);
        *path = 0;
        names[columns] = argv[i];
        one_column(path + 1);
    }
    fclose(list);
    print(&images, "images");
    print(&methods, "methods");
    long long in_all = all(&methods, "in all"), reasons = all(&methods, "instrumented"), other = 0;
    for (size_t i = 0; i < methods.row_count; i++) {
        const char *reason = methods.rows[i].name;
        if (strcmp(reason, "in all") == 0 || strcmp(reason, "instrumented") == 0)
            continue;
        reasons += all(&methods, reason);
        if (!has_no_body(reason))
            other += all(&methods, reason);
    }
    printf("%lld of %lld methods were left out although they have a body\n", other, in_all);
    if (reasons != in_all)
        printf("%lld methods were neither instrumented nor left out for a reason\n", in_all - reasons);
    return in_all == 0 || reasons != in_all || other * LIMIT >= in_all;
}
