#include "serve_live.h"

#include "platform/system.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

bool live_open(live *l, const char *title) {
    live made = {.title = strdup(title), .changed = true};
    if (!made.title || ilj_context_new(&made.context, NULL, NULL) != ILJ_OK) {
        free(made.title);
        return false;
    }
    *l = made;
    return true;
}

void live_close(live *l) {
    for (size_t i = 0; i < l->count; i++)
        free(l->paths[i]);
    free(l->paths);
    free(l->title);
    ilj_context_free(l->context);
    *l = LIVE_INIT;
}

static bool is_known(const live *l, const char *path) {
    for (size_t i = 0; i < l->count; i++)
        if (strcmp(l->paths[i], path) == 0)
            return true;
    return false;
}

void live_add(live *l, const char *path, uint64_t received, const char *line) {
    snprintf(l->status, sizeof l->status, "%" PRIu64 " received, the last one %s", received, line);
    l->changed = true;
    if (is_known(l, path))
        return;
    if (l->count == l->capacity) {
        size_t wanted = l->capacity ? l->capacity * 2 : 16;
        char **moved = reallocarray(l->paths, wanted, sizeof *moved);
        if (!moved)
            return;
        l->paths = moved;
        l->capacity = wanted;
    }
    char *copy = strdup(path);
    if (copy)
        l->paths[l->count++] = copy;
}

/* ---- Drawing ----------------------------------------------------------------------------------------------------- */

/* The text of a report, as much of it as lines are left. */
typedef struct screen {
    console *c;
    unsigned left;
} screen;

static void end_line(screen *s) {
    console_write(s->c, "\x1b[K\n", 4);
    s->left--;
}

static int draw(void *user, const char *text, size_t length) {
    screen *s = user;
    while (length > 0 && s->left > 0) {
        const char *end = memchr(text, '\n', length);
        size_t size = end ? (size_t)(end - text) : length;
        if (console_write(s->c, text, size) != 0)
            return 1;
        if (end) {
            end_line(s);
            size++;
        }
        text += size;
        length -= size;
    }
    return 0;
}

/* Whole, however many rows that takes: it has what is to be copied. */
static void draw_title(screen *s, const char *title, unsigned width) {
    unsigned rows = (unsigned)((strlen(title) + width - 1) / width);
    s->left -= rows - 1 < s->left ? rows - 1 : s->left - 1;
    console_printf(s->c, "%s", title);
    end_line(s);
}

static void draw_status(screen *s, const char *status, unsigned width) {
    if (s->left == 0)
        return;
    console_printf(s->c, "%.*s", (int)width, status);
    end_line(s);
}

/* Files that were removed in the meantime are no longer shown. */
static size_t those_that_are_there(const live *l, const char **there) {
    size_t count = 0;
    for (size_t i = 0; i < l->count; i++)
        if (system_exists(l->paths[i]))
            there[count++] = l->paths[i];
    return count;
}

static void draw_report(const live *l, screen *s) {
    const char **there = calloc(l->count + 1, sizeof *there);
    size_t count = there ? those_that_are_there(l, there) : 0;
    ilj_report_options wanted = {
        .size = sizeof wanted, .view = ILJ_VIEW_FUNCTIONS, .top = s->left, .width = l->width, .color = s->c->color_out};
    if (count > 0)
        ilj_report(l->context, there, count, &wanted, draw, s);
    free(there);
}

void live_draw(live *l, console *c, bool now) {
    enum { HALF_SECOND = 500000000 };
    unsigned width = system_width(), height = system_height();
    uint64_t start = system_now_ns();
    if (!now && ((!l->changed && width == l->width && height == l->height) || start < l->next_ns))
        return;
    screen s = {c, height > 1 ? height - 1 : 1}; /* the cursor stands on the last row */
    l->width = width;
    l->height = height;
    l->changed = false;
    console_write(c, "\x1b[H", 3);
    draw_title(&s, l->title, width);
    draw_status(&s, l->status, width);
    draw_report(l, &s);
    /* The report may end in the middle. */
    if (c->color_out)
        console_write(c, "\x1b[0m", 4);
    console_write(c, "\x1b[J", 3);
    (void)system_flush();
    uint64_t end = system_now_ns(), pause = (end - start) * 4;
    l->next_ns = end + (pause > HALF_SECOND ? pause : HALF_SECOND);
}
