#include "report/view/source.h"

#include <string.h>

/* Builds on Windows write one separator, all others the other one. */
static bool is_separator(uint8_t c) {
    return c == '/' || c == '\\';
}

/* `FROM=TO` of a path that begins with FROM: how long that is; 0: it does not. */
static size_t matched(bytes path, const char *source) {
    size_t length = strcspn(source, "=");
    if (length > path.size)
        return 0;
    for (size_t i = 0; i < length; i++)
        if (path.data[i] != (uint8_t)source[i] && !(is_separator(path.data[i]) && is_separator((uint8_t)source[i])))
            return 0;
    bool whole =
        length == path.size || (length > 0 && is_separator(path.data[length - 1])) || is_separator(path.data[length]);
    return whole ? length : 0;
}

uint32_t view_source_of(buffer *path, const report *r, const names *n, uint32_t text, uint32_t line) {
    path->size = 0;
    if (!line)
        return 0;
    const ilj_report_options *options = r->options;
    bytes file = names_text(n, text);
    size_t longest = 0;
    const char *to = NULL;
    for (size_t i = 0; i < options->source_count; i++) {
        size_t length = matched(file, options->sources[i]);
        if (length > longest) {
            longest = length;
            to = strchr(options->sources[i], '=') + 1;
        }
    }
    if (to) {
        size_t size = strlen(to);
        bool ends = size > 0 && is_separator((uint8_t)to[size - 1]);
        buffer_append(path, to, size);
        if (ends && longest < file.size && is_separator(file.data[longest]))
            longest++;
        else if (!ends && size > 0 && longest < file.size && !is_separator(file.data[longest]))
            buffer_u8(path, '/');
    }
    size_t start = path->size;
    buffer_append(path, file.data + longest, file.size - longest);
    for (size_t i = start; to && i < path->size; i++)
        if (path->data[i] == '\\')
            path->data[i] = '/';
    return line;
}

uint32_t view_source(buffer *path, const report *r, const report_function *f) {
    const names_method *m = f->names ? &f->names->methods[f->method] : NULL;
    return view_source_of(path, r, f->names, m ? m->file : 0, m ? m->line : 0);
}

/* What a path becomes for a row. */
static void shorten(buffer *place, uint32_t line) {
    size_t start = place->size;
    while (start > 0 && !is_separator(place->data[start - 1]))
        start--;
    if (!line)
        return;
    memmove(place->data, place->data + start, place->size - start);
    place->size -= start;
    buffer_printf(place, ":%u", line);
}

void view_place(buffer *place, const report *r, const report_function *f) {
    shorten(place, view_source(place, r, f));
}

void view_site_place(buffer *place, const report *r, const report_site *s) {
    shorten(place, view_source_of(place, r, s->names, s->file, s->line));
}

uint32_t view_call_source(buffer *path, const report *r, uint32_t caller, uint32_t leaf) {
    const leaf_lines *l = &r->sum->sites.leaves;
    uint32_t at = leaf_lines_of(l, caller, leaf);
    path->size = 0;
    return at == MAP_NONE ? 0 : view_source_of(path, r, l->list[at].names, l->list[at].file, l->list[at].line);
}

void view_call_place(buffer *place, const report *r, uint32_t caller, uint32_t leaf) {
    const leaf_lines *l = &r->sum->sites.leaves;
    uint32_t at = leaf_lines_of(l, caller, leaf);
    shorten(place, view_call_source(place, r, caller, leaf));
    if (at == MAP_NONE)
        return;
    const leaf_line *first = &l->list[at];
    while ((at = l->list[at].next) != MAP_NONE) /* those of other files are few */
        if (bytes_equal(names_text(l->list[at].names, l->list[at].file), names_text(first->names, first->file)))
            buffer_printf(place, ", %u", l->list[at].line);
}
