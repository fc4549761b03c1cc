#include "responses.h"

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
    snprintf(error->text, sizeof error->text, "out of memory");
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

/* The file with a zero behind it, kept in r->texts. Returns NULL or its first byte; *size without the zero. */
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
    FILE *file = fopen(name, "rb");
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

/* *ended: a "--" came. */
static bool add_lines(responses *r, usage_error *error, const char *name, bool *ended) {
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
        if (!*ended && text[0] == '@' && text[1])
            return complain(error, name,
                            "names another one: they do not nest; a file whose name begins with @ is ./@...");
        *ended = *ended || strcmp(text, "--") == 0;
        if (length > 0 && !add(r, error, text))
            return false;
        text = next;
    }
    return true;
}

bool responses_expand(responses *r, usage_error *error, char **items, size_t count) {
    bool ended = false;
    *r = (responses){0};
    for (size_t i = 0; i < count; i++) {
        bool names_file = !ended && items[i][0] == '@' && items[i][1];
        ended = ended || strcmp(items[i], "--") == 0;
        if (!(names_file ? add_lines(r, error, items[i] + 1, &ended) : add(r, error, items[i])))
            return false;
    }
    return true;
}

void responses_free(responses *r) {
    for (size_t i = 0; i < r->text_count; i++)
        free(r->texts[i]);
    free(r->texts);
    free(r->items);
}
