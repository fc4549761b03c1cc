#include "responses.h"

#include "platform/system.h"

#include <errno.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static bool complain(usage_error *error, const char *file, const char *what) {
    snprintf(error->text, sizeof error->text, "the response file %.120s %.100s", file, what);
    return false;
}

static bool no_memory(usage_error *error) {
    error->no_memory = true;
    return false;
}

static bool add(responses *r, usage_error *error, char *item) {
    char **more = realloc(r->items, (r->count + 1) * sizeof *more);
    if (!more)
        return no_memory(error);
    r->items = more;
    r->items[r->count++] = item;
    return true;
}

/* The file with a zero after it, kept in r->texts. Returns NULL or its first byte; *size without the zero. */
static char *read_text(responses *r, usage_error *error, const char *name, size_t *size) {
    char **more = realloc(r->texts, (r->text_count + 1) * sizeof *more);
    char *text = malloc(1);
    if (more)
        r->texts = more;
    if (!more || !text) {
        free(text);
        no_memory(error);
        return NULL;
    }
    char reason[128];
    FILE *file = system_open_file(name);
    *size = 0;
    for (size_t capacity = 4096; file; capacity *= 2) {
        char *moved = realloc(text, capacity + 1);
        if (!moved)
            break;
        text = moved;
        *size += fread(text + *size, 1, capacity - *size, file);
        if (*size < capacity)
            break;
    }
    bool failed = !file || ferror(file) || !feof(file);
    if (failed) {
        snprintf(reason, sizeof reason, "cannot be read: %s; a file whose name begins with @ is ./@...",
                 strerror(errno ? errno : ENOMEM));
        complain(error, name, reason);
    }
    if (file)
        fclose(file);
    text[*size] = 0;
    r->texts[r->text_count++] = text;
    return failed ? NULL : text;
}

/* The next argument's kind, by those so far. */
typedef struct place {
    const option_row *table;
    bool ended; /* a "--" came */
    bool value; /* it belongs to an option */
} place;

static bool names_file(const place *at, const char *item) {
    return !at->ended && !at->value && item[0] == '@' && item[1];
}

static void pass(place *at, const char *item) {
    at->ended = at->ended || (!at->value && strcmp(item, "--") == 0);
    at->value = !at->ended && !at->value && options_want_next(at->table, item);
}

enum { DEEPEST = 16 };

static bool add_lines(responses *r, usage_error *error, const char *name, place *at, unsigned depth) {
    size_t size;
    char *text = read_text(r, error, name, &size);
    if (!text)
        return false;
    if (memchr(text, 0, size))
        return complain(error, name, "has a zero byte: it is no text");
    if (strncmp(text, "\xEF\xBB\xBF", 3) == 0)
        text += 3;
    while (*text) {
        size_t length = strcspn(text, "\n");
        char *next = text + length + (text[length] == '\n');
        text[length] = 0;
        if (length > 0 && text[length - 1] == '\r')
            text[--length] = 0;
        if (names_file(at, text)) {
            if (depth == DEEPEST)
                return complain(error, name, "names another one, too deep: does one name itself?");
            if (!add_lines(r, error, text + 1, at, depth + 1))
                return false;
        } else if (length > 0) {
            if (!add(r, error, text))
                return false;
            pass(at, text);
        }
        text = next;
    }
    return true;
}

bool responses_expand(responses *r, usage_error *error, const option_row *table, char **items, size_t count) {
    place at = {.table = table};
    *r = (responses){0};
    for (size_t i = 0; i < count; i++) {
        if (names_file(&at, items[i])) {
            if (!add_lines(r, error, items[i] + 1, &at, 1))
                return false;
        } else {
            if (!add(r, error, items[i]))
                return false;
            pass(&at, items[i]);
        }
    }
    return true;
}

void responses_free(responses *r) {
    for (size_t i = 0; i < r->text_count; i++)
        free(r->texts[i]);
    free(r->texts);
    free(r->items);
}
