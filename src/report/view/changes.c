#include "report/view/changes.h"

#include <stdlib.h>

#include "util/list.h"

/* ---- The diff ---------------------------------------------------------------------------------------------------- */

/* The next line, without its end. */
static bytes take_line(bytes *rest) {
    const uint8_t *end = rest->size ? memchr(rest->data, '\n', rest->size) : NULL;
    bytes line = {rest->data, end ? (size_t)(end - rest->data) : rest->size};
    size_t taken = line.size + (end != NULL);
    *rest = (bytes){rest->data + taken, rest->size - taken};
    if (line.size > 0 && line.data[line.size - 1] == '\r')
        line.size--;
    return line;
}

static bool begins(bytes line, const char *text) {
    size_t size = strlen(text);
    return line.size >= size && memcmp(line.data, text, size) == 0;
}

/* `--- a/src/Shop.cs<tab>date`: without the marks of git, quotes and date. */
static bytes path_of(bytes line) {
    bytes path = {line.data + 4, line.size - 4};
    const uint8_t *tab = path.size ? memchr(path.data, '\t', path.size) : NULL;
    if (tab)
        path.size = (size_t)(tab - path.data);
    if (path.size >= 2 && path.data[0] == '"' && path.data[path.size - 1] == '"')
        path = (bytes){path.data + 1, path.size - 2};
    if (begins(path, "a/") || begins(path, "b/"))
        path = (bytes){path.data + 2, path.size - 2};
    while (begins(path, "./"))
        path = (bytes){path.data + 2, path.size - 2};
    return path;
}

static bool try_number(bytes *at, uint32_t *number) {
    uint64_t value = 0;
    size_t digits = 0;
    for (; digits < at->size && at->data[digits] >= '0' && at->data[digits] <= '9' && value <= INT32_MAX; digits++)
        value = value * 10 + (uint64_t)(at->data[digits] - '0');
    *at = (bytes){at->data + digits, at->size - digits};
    *number = (uint32_t)value;
    return digits > 0 && value <= INT32_MAX;
}

/* `12` or `12,3`. */
static bool try_range(bytes *at, uint32_t *first, uint32_t *count) {
    *count = 1;
    if (!try_number(at, first))
        return false;
    if (!begins(*at, ","))
        return true;
    *at = (bytes){at->data + 1, at->size - 1};
    return try_number(at, count);
}

typedef struct hunk {
    uint32_t old, old_left, new_left;
} hunk;

static bool try_hunk(hunk *h, bytes line) {
    uint32_t first;
    bytes at = {line.data + 4, line.size - 4};
    if (!try_range(&at, &h->old, &h->old_left) || !begins(at, " +"))
        return false;
    at = (bytes){at.data + 2, at.size - 2};
    if (!try_range(&at, &first, &h->new_left) || !begins(at, " @@"))
        return false;
    h->old += h->old_left == 0; /* of nothing the line before is named */
    return true;
}

static bool add_file(changes *c, bytes path, bool is_new) {
    if (!list_grow((void **)&c->files, c->file_count, &c->file_capacity, sizeof *c->files))
        return false;
    c->files[c->file_count++] = (changed_file){path, is_new, false};
    return true;
}

static bool add_line(changes *c, uint32_t line, bool after) {
    if (!list_grow((void **)&c->lines, c->line_count, &c->line_capacity, sizeof *c->lines))
        return false;
    c->lines[c->line_count++] = (changed_line){c->file_count - 1, line, after};
    return true;
}

/* A line of a hunk. */
static ecma_status take_change(changes *c, hunk *h, bytes line, const char **fault) {
    uint8_t mark = line.size > 0 ? line.data[0] : ' ';
    bool is_old = mark == '-' || mark == ' ', is_new = mark == '+' || mark == ' ';
    if (mark == '\\')
        return ECMA_OK;
    if ((!is_old && !is_new) || (is_old && h->old_left == 0) || (is_new && h->new_left == 0)) {
        *fault = "expected a line of the hunk, with +, - or a space before it";
        return ECMA_CONFIG;
    }
    if (mark != ' ' && !add_line(c, mark == '+' ? h->old - (h->old > 0) : h->old, mark == '+'))
        return ECMA_NO_MEMORY;
    h->old += is_old;
    h->old_left -= is_old;
    h->new_left -= is_new;
    return ECMA_OK;
}

ecma_status changes_read(changes *c, bytes diff, const char **fault, uint32_t *line) {
    hunk h = {0};
    bool in_file = false, any = false;
    bytes before = {0};
    for (*line = 1; diff.size > 0; ++*line) {
        bytes text = take_line(&diff);
        if (h.old_left > 0 || h.new_left > 0) {
            ecma_status status = take_change(c, &h, text, fault);
            if (status)
                return status;
        } else if (begins(text, "--- ")) {
            before = path_of(text);
            in_file = false;
        } else if (begins(text, "+++ ") && before.data) {
            bool is_new = bytes_equal(before, bytes_of("/dev/null", 9));
            if (!add_file(c, is_new ? path_of(text) : before, is_new))
                return ECMA_NO_MEMORY;
            in_file = any = true;
        } else if (begins(text, "@@ -")) {
            if (!in_file || !try_hunk(&h, text)) {
                *fault = in_file ? "expected @@ -LINE,COUNT +LINE,COUNT @@" : "a hunk stands before any file";
                return ECMA_CONFIG;
            }
        } else if (begins(text, "rename from ") || begins(text, "Binary files ") || begins(text, "diff ")) {
            any = true;
        }
    }
    if (h.old_left > 0 || h.new_left > 0) {
        *fault = "the last hunk is cut off";
        return ECMA_CONFIG;
    }
    *fault = any ? NULL : "it is no unified diff: nothing begins with --- and +++";
    return any ? ECMA_OK : ECMA_CONFIG;
}

void changes_clear(changes *c) {
    free(c->files);
    free(c->lines);
    *c = (changes){0};
}

/* ---- The methods ------------------------------------------------------------------------------------------------- */

/* A method, called or not, by the line where it starts. */
typedef struct start {
    const names *n;
    uint32_t method; /* index; that of the one that the user wrote */
    uint32_t line;
    bool touched;
} start;

typedef struct starts {
    start *list; /* of one file, by line */
    uint32_t count, capacity;
} starts;

static bool is_separator(uint8_t c) {
    return c == '/' || c == '\\';
}

/* Does the compiler's path end in that of the diff? */
static bool ends_in(bytes path, bytes end) {
    if (end.size == 0 || path.size < end.size)
        return false;
    const uint8_t *at = path.data + (path.size - end.size);
    for (size_t i = 0; i < end.size; i++)
        if (at[i] != end.data[i] && !(is_separator(at[i]) && is_separator(end.data[i])))
            return false;
    return path.size == end.size || is_separator(at[-1]) || is_separator(end.data[0]);
}

static int by_line(const void *left, const void *right) {
    const start *a = left, *b = right;
    return list_compare(a->line, b->line);
}

static bool add_starts_of(starts *s, const names *n, bytes path) {
    uint32_t known = 0; /* text of the file that was asked about last */
    bool fits = false;
    for (uint32_t i = 0; i < n->method_count; i++) {
        const names_method *m = &n->methods[i];
        if (!m->file)
            continue;
        if (m->file != known)
            fits = ends_in(names_text(n, known = m->file), path);
        if (!fits)
            continue;
        if (!list_grow((void **)&s->list, s->count, &s->capacity, sizeof *s->list))
            return false;
        s->list[s->count++] = (start){n, m->owner ? m->owner - 1 : i, m->line, false};
    }
    return true;
}

static bool find_starts(starts *s, const function_list *list, bytes path) {
    s->count = 0;
    for (uint32_t i = 0; i < list->module_count; i++) {
        const names *n = list->modules[i].names;
        bool met = !n;
        for (uint32_t k = 0; k < i && !met; k++)
            met = list->modules[k].names == n;
        if (!met && !add_starts_of(s, n, path))
            return false;
    }
    if (s->count > 1)
        qsort(s->list, s->count, sizeof *s->list, by_line);
    return true;
}

/* Those of the last line at or before `line` on which methods start. */
static void touch(starts *s, uint32_t line) {
    uint32_t low = 0, past = s->count;
    while (low < past) {
        uint32_t middle = low + (past - low) / 2;
        if (s->list[middle].line <= line)
            low = middle + 1;
        else
            past = middle;
    }
    for (uint32_t i = low; i-- > 0 && s->list[i].line == s->list[low - 1].line;)
        s->list[i].touched = true;
}

static int by_method(const void *left, const void *right) {
    const start *a = left, *b = right;
    return a->n != b->n ? (a->n < b->n ? -1 : 1) : list_compare(a->method, b->method);
}

static bool is_touched(const starts *s, uint32_t count, const report_function *f) {
    const start asked = {.n = f->names, .method = f->method};
    return asked.n && bsearch(&asked, s->list, count, sizeof asked, by_method);
}

static void mark(bool *wanted, starts *s, const aggregate *a) {
    const uint32_t functions = a->list.function_count;
    uint32_t kept = 0;
    for (uint32_t i = 0; i < s->count; i++)
        if (s->list[i].touched)
            s->list[kept++] = s->list[i];
    if (kept > 1)
        qsort(s->list, kept, sizeof *s->list, by_method);
    for (uint32_t i = 0; i < functions && kept > 0; i++)
        wanted[i] |= is_touched(s, kept, &a->list.functions[i]);
    for (uint32_t i = 0; i < a->switch_count && kept > 0; i++)
        wanted[functions + i] |= is_touched(s, kept, &a->switches[i].function);
}

bool changes_mark(bool *wanted, changes *c, const report *r) {
    starts s = {0};
    bool done = true;
    for (uint32_t file = 0, at = 0; file < c->file_count && done; file++) {
        done = find_starts(&s, &r->sum->list, c->files[file].path);
        c->files[file].known = s.count > 0;
        for (; at < c->line_count && c->lines[at].file == file && done; at++) {
            touch(&s, c->lines[at].line);
            if (c->lines[at].after)
                touch(&s, c->lines[at].line + 1);
        }
        if (done)
            mark(wanted, &s, r->sum);
    }
    free(s.list);
    return done;
}
