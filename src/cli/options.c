#include "options.h"

#include <limits.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const option_row common_options[] = {
    {"quiet", 'q', OPTION_FLAG, offsetof(common_settings, quiet), 0, NULL, "print no summary and no information lines"},
    {"color", 0, OPTION_CHOICE, offsetof(common_settings, color), 0, "auto|always|never",
     "colours; auto: on a terminal, unless NO_COLOR is set"},
    {"help", 'h', OPTION_MAYBE, offsetof(common_settings, help), 0, "all",
     "show this help; all: every option, in groups"},
    {"version", 0, OPTION_FLAG, offsetof(common_settings, version), 0, NULL, "show the version"},
    {NULL, 0, 0, 0, 0, NULL, NULL},
};

/* ---- Suggestions ----------------------------------------------------------------------------------------------- */

enum { LONGEST_NAME = 32 };

static unsigned least(unsigned a, unsigned b) {
    return a < b ? a : b;
}

/* Edits (insert, delete, replace, swap neighbours) from `a` to `b`; both at most LONGEST_NAME long. */
static unsigned distance(const char *a, const char *b) {
    unsigned rows[3][LONGEST_NAME + 1]; /* the row before the last, the last, the current */
    size_t length = strlen(b);
    for (size_t j = 0; j <= length; j++)
        rows[0][j] = rows[1][j] = (unsigned)j;
    for (size_t i = 0; a[i]; i++) {
        rows[2][0] = (unsigned)i + 1;
        for (size_t j = 0; j < length; j++) {
            unsigned best = least(rows[1][j + 1], rows[2][j]) + 1;
            best = least(best, rows[1][j] + (a[i] != b[j]));
            if (i > 0 && j > 0 && a[i] == b[j - 1] && a[i - 1] == b[j])
                best = least(best, rows[0][j - 1] + 1);
            rows[2][j + 1] = best;
        }
        memcpy(rows[0], rows[1], sizeof rows[0]);
        memcpy(rows[1], rows[2], sizeof rows[0]);
    }
    return rows[1][length];
}

/* Makes `name` the best so far when it is near enough to `given`. */
static void consider(const char **best, unsigned *best_distance, const char *given, const char *name) {
    size_t length = strlen(given);
    if (length == 0 || length > LONGEST_NAME || strlen(name) > LONGEST_NAME)
        return;
    unsigned limit = length < 6 ? 1 : 2;
    unsigned edits = distance(given, name);
    if (edits > limit && length >= 3 && strncmp(given, name, length) == 0)
        edits = limit; /* the beginning of a name */
    if (edits <= limit && edits < *best_distance) {
        *best = name;
        *best_distance = edits;
    }
}

const char *nearest_name(const char *given, const char *const *names) {
    const char *best = NULL;
    unsigned best_distance = UINT_MAX;
    for (; *names; names++)
        consider(&best, &best_distance, given, *names);
    return best;
}

static const char *nearest_option(const char *given, const option_row *table) {
    const char *best = NULL;
    unsigned best_distance = UINT_MAX;
    for (const option_row *row = table; row->name; row++)
        if (row->help)
            consider(&best, &best_distance, given, row->name);
    for (const option_row *row = common_options; row->name; row++)
        consider(&best, &best_distance, given, row->name);
    return best;
}

/* ---- Values ---------------------------------------------------------------------------------------------------- */

/* The position of `text` among "a|b|c", or -1. After "||" the positions begin again. */
static int choice_of(const char *choices, const char *text) {
    size_t length = strlen(text);
    for (int i = 0;; i++) {
        size_t size = strcspn(choices, "|");
        if (size == length && strncmp(choices, text, size) == 0)
            return i;
        if (!choices[size])
            return -1;
        choices += size + 1;
        if (*choices == '|') {
            choices++;
            i = -1;
        }
    }
}

size_t options_choices_shown(const char *value) {
    const char *older = strstr(value, "||");
    return older ? (size_t)(older - value) : strlen(value);
}

static bool number_of(unsigned *number, const char *text) {
    uint64_t value = 0;
    if (!*text)
        return false;
    for (; *text; text++) {
        if (*text < '0' || *text > '9')
            return false;
        value = value * 10 + (uint64_t)(*text - '0');
        if (value > UINT_MAX)
            return false;
    }
    *number = (unsigned)value;
    return true;
}

static bool takes_value(const option_row *row) {
    return row->kind != OPTION_FLAG && row->kind != OPTION_SET && row->kind != OPTION_LISTED &&
           row->kind != OPTION_MAYBE;
}

static bool append(option_list *list, int set, const char *value) {
    struct option_item *items = realloc(list->items, (list->count + 1) * sizeof *items);
    if (!items)
        return false;
    items[list->count++] = (struct option_item){set, value};
    list->items = items;
    return true;
}

const char **option_values(const option_list *list) {
    const char **values = calloc(list->count + 1, sizeof *values);
    for (size_t i = 0; values && i < list->count; i++)
        values[i] = list->items[i].value;
    return values;
}

static bool store(usage_error *error, void *settings, const option_row *row, const char *value) {
    void *place = (char *)settings + row->offset;
    int choice;
    switch (row->kind) {
    case OPTION_FLAG:
        *(bool *)place = true;
        return true;
    case OPTION_SET:
        *(int *)place = row->set;
        return true;
    case OPTION_TEXT:
    case OPTION_LIST:
        if (!*value) {
            snprintf(error->text, sizeof error->text, "--%s is given an empty value", row->name);
            return false;
        }
        if (row->kind == OPTION_LIST && !append(place, row->set, value)) {
            error->no_memory = true;
            return false;
        }
        if (row->kind == OPTION_TEXT)
            *(const char **)place = value;
        return true;
    case OPTION_LISTED:
        error->no_memory = !append(place, row->set, value ? value : "");
        return !error->no_memory;
    case OPTION_NUMBER:
        if (number_of(place, value))
            return true;
        snprintf(error->text, sizeof error->text, "--%s: '%.60s' is not a number from 0 to %u", row->name, value,
                 UINT_MAX);
        return false;
    case OPTION_CHOICE:
    case OPTION_MAYBE:
        choice = !value ? -1 : choice_of(row->value, value);
        if (choice < 0 && value)
            snprintf(error->text, sizeof error->text, "--%s: '%.60s' is not one of %.*s", row->name, value,
                     (int)options_choices_shown(row->value), row->value);
        else
            *(int *)place = row->kind == OPTION_CHOICE ? choice : choice + 2;
        return choice >= 0 || !value;
    }
    return false;
}

/* ---- Parsing --------------------------------------------------------------------------------------------------- */

static const option_row *find_in(const option_row *table, const char *name, size_t length, char letter) {
    for (const option_row *row = table; row->name; row++)
        if (letter ? row->letter == letter : strlen(row->name) == length && strncmp(row->name, name, length) == 0)
            return row;
    return NULL;
}

static const option_row *find(const option_row *table, const char *name, size_t length, char letter) {
    const option_row *row = find_in(table, name, length, letter);
    return row ? row : find_in(common_options, name, length, letter);
}

typedef struct parser {
    char **items;
    size_t count;
    size_t next; /* the first argument not looked at yet */
    const option_row *table;
    void *settings;
    usage_error *error;
} parser;

static bool complain(const parser *p, const char *before, const char *what, const char *after) {
    snprintf(p->error->text, sizeof p->error->text, "%s%.100s%s", before, what, after);
    return false;
}

static bool unknown_long(const parser *p, const char *name, size_t length) {
    char given[64];
    snprintf(given, sizeof given, "%.*s", (int)(length < 60 ? length : 60), name);
    const char *near = nearest_option(given, p->table);
    snprintf(p->error->text, sizeof p->error->text,
             near ? "unknown option --%s; did you mean --%s?" : "unknown option --%s", given, near);
    return false;
}

static bool parse_long(parser *p, const char *name) {
    size_t length = strcspn(name, "=");
    const char *value = name[length] ? name + length + 1 : NULL;
    const option_row *row = find(p->table, name, length, 0);
    if (!row)
        return unknown_long(p, name, length);
    if (!takes_value(row) && row->kind != OPTION_LISTED && row->kind != OPTION_MAYBE && value)
        return complain(p, "--", row->name, " takes no value");
    if (takes_value(row) && !value) {
        if (p->next == p->count)
            return complain(p, "--", row->name, " needs a value");
        value = p->items[p->next++];
    }
    return store(p->error, p->settings, row, value);
}

static bool parse_short(parser *p, const char *letters) {
    for (; *letters; letters++) {
        const char letter[2] = {*letters, 0};
        const option_row *row = find(p->table, NULL, 0, *letters);
        if (!row)
            return complain(p, "unknown option -", letter, "");
        if (!takes_value(row)) {
            if (!store(p->error, p->settings, row, NULL))
                return false;
            continue;
        }
        const char *value = letters + 1;
        if (!*value) {
            if (p->next == p->count)
                return complain(p, "-", letter, " needs a value");
            value = p->items[p->next++];
        }
        return store(p->error, p->settings, row, value);
    }
    return true;
}

bool options_want_next(const option_row *table, const char *item) {
    if (item[0] != '-' || !item[1] || strcmp(item, "--") == 0)
        return false;
    if (item[1] == '-') {
        const option_row *row = find(table, item + 2, strlen(item + 2), 0);
        return row && takes_value(row);
    }
    for (const char *letter = item + 1; *letter; letter++) {
        const option_row *row = find(table, NULL, 0, *letter);
        if (!row || takes_value(row))
            return row && !letter[1];
    }
    return false;
}

bool options_parse(arguments *operands, usage_error *error, void *settings, const option_row *table, option_end end) {
    char **items = operands->items;
    const size_t count = operands->count;
    parser p = {items, count, 0, table, settings, error};
    size_t kept = 0, before = 0;
    bool options = true, dashes = false;
    while (p.next < count) {
        char *item = items[p.next++];
        if (!options || item[0] != '-' || !item[1]) {
            items[kept++] = item;
            options = options && end != OPTIONS_BEFORE_OPERANDS;
        } else if (strcmp(item, "--") == 0) {
            options = end == OPTIONS_ON_BOTH_SIDES && !dashes;
            before = dashes ? before : kept;
            dashes = true;
        } else if (!(item[1] == '-' ? parse_long(&p, item + 2) : parse_short(&p, item + 1))) {
            return false;
        }
    }
    *operands = (arguments){items, kept, dashes ? before : kept, dashes};
    return true;
}

size_t options_leading(char **items, size_t count) {
    static const option_row none[] = {{NULL, 0, 0, 0, 0, NULL, NULL}};
    common_settings settings = {0};
    usage_error error = {0};
    parser p = {items, count, 0, none, &settings, &error};
    while (p.next < count) {
        size_t before = p.next;
        const char *item = items[p.next++];
        bool option = item[0] == '-' && item[1] && strcmp(item, "--") != 0;
        if (!option || !(item[1] == '-' ? parse_long(&p, item + 2) : parse_short(&p, item + 1)))
            return before;
    }
    return count;
}
