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

uint32_t view_source(buffer *path, const report *r, const report_function *f) {
    const names_method *m = f->names ? &f->names->methods[f->method] : NULL;
    path->size = 0;
    if (!m || !m->line)
        return 0;
    const ilj_report_options *options = r->options;
    bytes file = names_text(f->names, m->file);
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
    return m->line;
}

void view_place(buffer *place, const report *r, const report_function *f) {
    uint32_t line = view_source(place, r, f);
    size_t start = place->size;
    while (start > 0 && !is_separator(place->data[start - 1]))
        start--;
    if (!line)
        return;
    memmove(place->data, place->data + start, place->size - start);
    place->size -= start;
    buffer_printf(place, ":%u", line);
}
