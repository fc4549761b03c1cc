#include <stdio.h>
#include <stdlib.h>

#include "report/diff/write.h"
#include "util/list.h"

/* The rows of a comparison that are shown, and their order. */

static bool is_shown(const diff_view *v, uint32_t entry) {
    const diff_entry *e = &v->table->entries[entry];
    if (e->kind != NODE_FOLDED && e->kind != NODE_ROOT && v->d->functions[e->function].switched)
        return false;
    return e->kind == NODE_CALL || e->kind == NODE_RESUMED || (e->kind == NODE_FOLDED && v->options->by_path);
}

/* May this set a method apart whose time is as before? Of figures what its own code has does. */
static bool is_counted(const diff *d, diff_metric m) {
    profile_figure kind = diff_figure_of(m);
    if (kind == FIGURES)
        return !diff_is_time(m);
    return figure_kinds[kind].judged && !d->without[kind] && m == diff_figure(kind, false);
}

/* The group an entry belongs to, or DIFF_GROUPS; *size is what it is sorted by. A new path is told by its first new
 * method alone: what is below it is new, too. */
static diff_group_kind group_of(const diff_view *v, uint32_t entry, double *size) {
    const diff_entry *e = &v->table->entries[entry];
    diff_change c = diff_of(v->d, v->table, entry, v->metric);
    *size = c.change < 0 ? -c.change : c.change;
    switch (c.verdict) {
    case DIFF_MORE:
        return DIFF_SLOWER;
    case DIFF_LESS:
        return DIFF_FASTER;
    case DIFF_NEW:
    case DIFF_GONE: {
        bool below = v->options->by_path && e->depth > 1;
        const diff_entry *above = &v->table->entries[e->parent];
        if (below && !above->seen[c.verdict == DIFF_NEW ? 0 : 1])
            return DIFF_GROUPS;
        if (v->options->by_path) { /* with all that is below it */
            diff_change whole = diff_of(v->d, v->table, entry, DIFF_INCLUSIVE);
            *size = whole.before + whole.after;
        }
        return c.verdict == DIFF_NEW ? DIFF_ADDED : DIFF_REMOVED;
    }
    case DIFF_SAME:
        break;
    }
    bool same = true;
    *size = 0;
    for (diff_metric m = 0; m < DIFF_METRICS; m++)
        if (is_counted(v->d, m)) {
            diff_change counted = diff_of(v->d, v->table, entry, m);
            same &= counted.verdict == DIFF_SAME;
            *size += counted.change < 0 ? -counted.change : counted.change;
        }
    if (same)
        return DIFF_GROUPS;
    return DIFF_COUNTED;
}

typedef struct sort_key {
    double size;
    uint32_t entry;
    diff_group_kind group;
} sort_key;

static int by_group(const void *left, const void *right) {
    const sort_key *a = left, *b = right;
    if (a->group != b->group)
        return a->group < b->group ? -1 : 1;
    if (a->size != b->size)
        return a->size > b->size ? -1 : 1;
    return list_compare(a->entry, b->entry);
}

bool diff_view_make(diff_view *v) {
    sort_key *keys = calloc((size_t)v->table->count + 1, sizeof *keys);
    v->storage = calloc((size_t)v->table->count + 1, sizeof *v->storage);
    uint32_t count = 0;
    bool done = keys && v->storage;
    for (uint32_t i = 0; i < v->table->count && done; i++) {
        sort_key key = {.entry = i};
        key.group = is_shown(v, i) ? group_of(v, i, &key.size) : DIFF_GROUPS;
        if (key.group != DIFF_GROUPS)
            keys[count++] = key;
    }
    if (done && count > 0)
        qsort(keys, count, sizeof *keys, by_group);
    for (uint32_t i = 0; i < count; i++) {
        diff_group *g = &v->groups[keys[i].group];
        if (g->count++ == 0)
            g->entries = &v->storage[i];
        v->storage[i] = keys[i].entry;
    }
    free(keys);
    return done;
}

void diff_view_clear(diff_view *v) {
    free(v->storage);
    buffer_clear(&v->scratch);
    v->storage = NULL;
}

figure diff_format_change(const diff_change *c) {
    figure f = {.columns = 0};
    if (c->before <= 0)
        return f;
    double percent = c->change * 100 / c->before;
    double size = percent < 0 ? -percent : percent;
    if (size >= 1000)
        snprintf(f.text, sizeof f.text, c->after / c->before < 100 ? "x%.1f" : "x%.0f", c->after / c->before);
    else
        snprintf(f.text, sizeof f.text, "%+.*f %%", size < 9.95 ? 1 : 0, percent);
    f.columns = (unsigned)strlen(f.text);
    return f;
}

figure diff_format_count(double count) {
    if (count >= (double)PROFILE_MAX)
        return format_count(PROFILE_MAX);
    uint64_t whole = (uint64_t)(count + 0.05);
    unsigned tenth = (unsigned)((count + 0.05 - (double)whole) * 10);
    figure f = format_count(whole);
    if (tenth > 0 && f.columns < 20) {
        snprintf(f.text + f.columns, sizeof f.text - f.columns, ".%u", tenth);
        f.columns += 2;
    }
    return f;
}
