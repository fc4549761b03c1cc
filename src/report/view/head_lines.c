#include "report/view/head_lines.h"

#include <stdlib.h>
#include <string.h>

#include "util/list.h"

buffer *head_begin(view_head *h, const char *title) {
    if (list_grow((void **)&h->lines, h->count, &h->capacity, sizeof *h->lines))
        h->lines[h->count] = (view_line){.start = h->text.size};
    else
        h->failed = true;
    static const char spaces[] = "         ";
    size_t size = strlen(title);
    buffer_append(&h->text, title, size);
    if (size < HEAD_COLUMN)
        buffer_append(&h->text, spaces, HEAD_COLUMN - size);
    return &h->text;
}

void head_end(view_head *h, view_line_kind kind) {
    if (h->failed)
        return;
    view_line *l = &h->lines[h->count++];
    l->kind = kind;
    l->size = h->text.size - l->start;
}

void head_drop(view_head *h) {
    if (!h->failed)
        h->text.size = h->lines[h->count].start;
}

void head_function(view_head *h, const report_function *f) {
    if (h->failed)
        return;
    view_line *l = &h->lines[h->count];
    l->function = f;
    l->size = h->text.size - l->start;
}

void head_end_function(view_head *h, size_t taken, size_t least) {
    if (h->failed)
        return;
    view_line *l = &h->lines[h->count++];
    l->kind = VIEW_LINE_FUNCTION;
    l->after_size = h->text.size - l->start - l->size;
    l->taken = taken;
    l->least = least;
}

void view_head_clear(view_head *h) {
    buffer_clear(&h->text);
    free(h->lines);
}
