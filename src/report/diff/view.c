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

/* Can it set apart a method with the time that it had before? Of figures only those of its own code do. */
static bool is_counted(const diff *d, diff_metric m) {
    profile_figure kind = diff_figure_of(m);
    if (kind == FIGURES)
        return !diff_is_time(m);
    return figure_kinds[kind].judged && !d->without[kind] && m == diff_figure(kind, false);
}

/* What an entry's changes come to. */
typedef struct judged {
    diff_group_kind group; /* DIFF_GROUPS: it is as before */
    bool hidden;           /* a path that is below a new one, or one that is gone */
    double size[3];        /* what rows are sorted by: the most first, then the next */
} judged;

static double size_of(double x) {
    return x < 0 ? -x : x;
}

/* Beyond the time that is judged; *size: of all counts. */
static bool is_otherwise(const diff_view *v, uint32_t entry, double *size) {
    bool otherwise = false;
    for (diff_metric m = 0; m < DIFF_PUBLIC; m++)
        if (is_counted(v->d, m)) {
            diff_change counted = diff_of(v->d, v->table, entry, m);
            otherwise |= counted.verdict != DIFF_SAME;
            *size += diff_weight(&counted);
        }
    return otherwise;
}

/* A new path is shown by its first new method alone: what is below it is new, too. */
static bool is_below_such(const diff_view *v, uint32_t entry) {
    const diff_entry *e = &v->table->entries[entry], *above = &v->table->entries[e->parent];
    return v->options->by_path && e->depth > 1 && !above->seen[e->seen[0]];
}

/* What only compilers made, and takes next to no time, is no change of the program. */
static bool is_nothing(const diff_view *v, uint32_t entry, const diff_change *taken) {
    const diff_entry *e = &v->table->entries[entry];
    return (e->kind == NODE_CALL || e->kind == NODE_RESUMED) && v->d->functions[e->function].parts.helper &&
           size_of(taken->change) <= DIFF_LEAST_OF_WHOLE * v->d->whole;
}

/* What has changed the program stands first: own time; all time of what is new, gone or called otherwise, as it has
 * come with that; last what only its callees have changed. */
static judged judge(const diff_view *v, uint32_t entry) {
    const diff *d = v->d;
    diff_change own = diff_of(d, v->table, entry, DIFF_OWN), taken = diff_of(d, v->table, entry, DIFF_TAKEN),
                calls = diff_of(d, v->table, entry, DIFF_CALLS);
    diff_verdict of_own = diff_judged(d, &own), of_taken = diff_judged(d, &taken);
    diff_verdict verdict = v->metric == DIFF_OWN ? of_own : of_taken;
    judged j = {.group = DIFF_GROUPS};
    bool otherwise = is_otherwise(v, entry, &j.size[2]);
    j.size[1] = size_of(taken.change);
    if (of_own != DIFF_SAME)
        j.size[0] = size_of(own.change);
    if (verdict == DIFF_NEW || verdict == DIFF_GONE || (calls.verdict != DIFF_SAME && of_taken != DIFF_SAME) ||
        v->metric == DIFF_TAKEN)
        j.size[0] = j.size[0] > j.size[1] ? j.size[0] : j.size[1];
    if (verdict == DIFF_NEW || verdict == DIFF_GONE) {
        j.group = verdict == DIFF_NEW ? DIFF_ADDED : DIFF_REMOVED;
        j.hidden = is_below_such(v, entry);
    } else if (verdict != DIFF_SAME && !d->untimed) {
        j.group = verdict == DIFF_MORE ? DIFF_SLOWER : DIFF_FASTER;
    } else if (otherwise || (of_own != DIFF_SAME && !d->untimed) || (of_taken != DIFF_SAME && !d->untimed)) {
        j.group = DIFF_OTHERWISE;
    }
    if (is_nothing(v, entry, &taken))
        j.group = DIFF_GROUPS;
    return j;
}

/* ---- Rows ---------------------------------------------------------------------------------------------------------
 */

/* An entry on its way to a row. */
typedef struct place {
    judged of;
    bool shown;
    uint32_t caller, first_child, next; /* entries, or MAP_NONE; a caller's row stands above */
    double best[3];                     /* the largest size of itself and of what stands below it */
} place;

static int by_size(const double a[3], const double b[3]) {
    for (int i = 0; i < 3; i++)
        if (a[i] != b[i])
            return a[i] > b[i] ? -1 : 1;
    return 0;
}

typedef struct sort_key {
    double size[3];
    uint32_t entry;
} sort_key;

static int by_best(const void *left, const void *right) {
    const sort_key *a = left, *b = right;
    int order = by_size(a->size, b->size);
    return order ? order : list_compare(a->entry, b->entry);
}

static bool is_new_or_gone(const place *p) {
    return p->of.group == DIFF_ADDED || p->of.group == DIFF_REMOVED;
}

static bool stands_above(const place *places, uint32_t above, uint32_t entry) {
    while (entry != MAP_NONE && entry != above)
        entry = places[entry].caller;
    return entry == above;
}

/* Gives methods that are new or gone the caller for which they took most time. False when memory ran out. */
static bool find_callers(const diff_view *v, place *places) {
    const diff_table *paths = &v->d->paths;
    double *most = calloc((size_t)v->table->count + 1, sizeof *most), *sums = NULL;
    uint32_t sum_count = 0, sum_capacity = 0;
    map edges = MAP_INIT;
    bool done = most != NULL;
    for (uint32_t i = 1; i < paths->count && done; i++) {
        const diff_entry *e = &paths->entries[i], *above = &paths->entries[e->parent];
        if (e->kind != NODE_CALL || above->kind != NODE_CALL || !is_new_or_gone(&places[e->function]) ||
            !is_shown(v, above->function) || !places[e->function].shown)
            continue;
        uint32_t *slot = map_slot(&edges, map_key(e->function, above->function));
        done = slot && list_grow((void **)&sums, sum_count, &sum_capacity, sizeof *sums);
        if (!done)
            break;
        if (*slot == MAP_NONE) {
            sums[sum_count] = 0;
            *slot = sum_count++;
        }
        diff_change taken = diff_of(v->d, paths, i, DIFF_TAKEN), calls = diff_of(v->d, paths, i, DIFF_CALLS);
        sums[*slot] += size_of(taken.change) + size_of(calls.change) * 1e-6;
        if (sums[*slot] > most[e->function] && !stands_above(places, e->function, above->function)) {
            most[e->function] = sums[*slot];
            places[e->function].caller = above->function;
        }
    }
    map_clear(&edges);
    free(sums);
    free(most);
    return done;
}

/* Appends the row of an entry, and below it those of what it has called. */
static void append_rows(diff_view *v, place *places, uint32_t entry, uint32_t depth) {
    enum { MOST_BELOW = 5 }; /* what a new method has called is new, too, and there may be a lot of it */
    uint32_t count = 0;
    v->rows[v->row_count++] = (diff_row){entry, depth};
    places[entry].shown = false;
    bool all = v->options->top == 0 || !is_new_or_gone(&places[entry]);
    for (uint32_t i = places[entry].first_child; i != MAP_NONE; i = places[i].next)
        if (depth < 100 && (all || count++ < MOST_BELOW))
            append_rows(v, places, i, depth + 1);
}

/* Gives an entry a row, though it is as before. */
static void show(diff_view *v, place *p) {
    v->same -= !p->shown && p->of.group == DIFF_GROUPS;
    p->shown = true;
}

/* What the sentence names stands above all else. */
static void promote(diff_view *v, place *places) {
    const uint32_t named[] = {v->story.cause, v->story.subject};
    for (size_t i = 0; i < sizeof named / sizeof named[0]; i++)
        if (named[i] != STORY_NONE && is_shown(v, named[i])) {
            show(v, &places[named[i]]);
            places[named[i]].of.size[0] = 1e30 * (double)(i + 1);
        }
}

static void order_rows(diff_view *v, place *places, sort_key *keys) {
    uint32_t count = 0;
    for (uint32_t i = 0; i < v->table->count; i++) /* a caller without a row of its own gets one */
        if (places[i].shown && places[i].caller != MAP_NONE)
            show(v, &places[places[i].caller]);
    for (uint32_t i = 0; i < v->table->count; i++)
        memcpy(places[i].best, places[i].of.size, sizeof places[i].best);
    for (uint32_t i = 0; i < v->table->count; i++)
        for (uint32_t above = places[i].caller; places[i].shown && above != MAP_NONE; above = places[above].caller)
            if (by_size(places[i].of.size, places[above].best) < 0)
                memcpy(places[above].best, places[i].of.size, sizeof places[i].best);
    for (uint32_t i = 0; i < v->table->count; i++)
        if (places[i].shown) {
            keys[count].entry = i;
            memcpy(keys[count++].size, places[i].best, sizeof keys->size);
        }
    if (count > 0)
        qsort(keys, count, sizeof *keys, by_best);
    for (uint32_t i = count; i-- > 0;) {
        place *p = &places[keys[i].entry];
        if (p->caller != MAP_NONE) {
            p->next = places[p->caller].first_child;
            places[p->caller].first_child = keys[i].entry;
        }
    }
    for (uint32_t i = 0; i < count; i++)
        if (places[keys[i].entry].caller == MAP_NONE)
            append_rows(v, places, keys[i].entry, 1);
    v->left_out = count - v->row_count;
}

bool diff_view_make(diff_view *v) {
    size_t entries = (size_t)v->table->count + 1;
    place *places = calloc(entries, sizeof *places);
    sort_key *keys = calloc(entries, sizeof *keys);
    v->rows = calloc(entries, sizeof *v->rows);
    bool done = places && keys && v->rows && story_find(&v->story, v->d);
    for (uint32_t i = 0; i < v->table->count && done; i++) {
        places[i] = (place){.caller = MAP_NONE, .first_child = MAP_NONE, .next = MAP_NONE};
        if (!is_shown(v, i))
            continue;
        places[i].of = judge(v, i);
        places[i].shown = places[i].of.group != DIFF_GROUPS && !places[i].of.hidden;
        if (places[i].of.group == DIFF_GROUPS)
            v->same++;
        else
            v->groups[places[i].of.group] += places[i].shown;
    }
    if (done && !v->options->by_path) {
        promote(v, places);
        done = find_callers(v, places);
    }
    if (done)
        order_rows(v, places, keys);
    free(places);
    free(keys);
    return done;
}

void diff_view_clear(diff_view *v) {
    free(v->rows);
    buffer_clear(&v->scratch);
    v->rows = NULL;
}

figure diff_format_change(const diff_change *c) {
    figure f = {.columns = 0};
    if (c->before <= 0)
        return f;
    double percent = c->change * 100 / c->before;
    double size = percent < 0 ? -percent : percent;
    if (size >= 100 && percent > 0)
        snprintf(f.text, sizeof f.text, c->after / c->before < 100 ? "%.1fx" : "%.0fx", c->after / c->before);
    else
        snprintf(f.text, sizeof f.text, "%+.*f %%", size < 9.95 ? 1 : 0, percent);
    f.columns = (unsigned)strlen(f.text);
    return f;
}

figure diff_format_verdict(const diff_change *c) {
    figure f;
    if (c->verdict != DIFF_NEW && c->verdict != DIFF_GONE)
        return diff_format_change(c);
    f.columns = (unsigned)snprintf(f.text, sizeof f.text, c->verdict == DIFF_NEW ? "new" : "gone");
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
