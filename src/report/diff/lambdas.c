#include "report/diff/lambdas.h"

#include <stdlib.h>

#include "util/text_keep.h"

static const char mark[] = "lambda#";
enum { MARK = sizeof mark - 1, MOST = 1000 }; /* of more lambdas on a side the rest keep their names */

static uint32_t find(const diff *d, bytes assembly, bytes name) {
    return diff_first_named(d, map_find(&d->function_map, diff_hash_of(assembly, name)), assembly, name);
}

static bool is_lambda(bytes name) {
    for (size_t i = 0; i + MARK < name.size; i++)
        if (name.data[i] == (uint8_t)mark[0] && memcmp(name.data + i, mark, MARK) == 0)
            return true;
    return false;
}

/* Takes the next byte of a name without its lambdas' numbers; 0 at the end. */
static uint8_t next_of(bytes name, size_t *at) {
    bool after_mark = *at >= MARK && memcmp(name.data + *at - MARK, mark, MARK) == 0;
    while (after_mark && *at < name.size && name.data[*at] >= '0' && name.data[*at] <= '9')
        ++*at;
    return *at < name.size ? name.data[(*at)++] : 0;
}

static bool is_alike(bytes a, bytes b) {
    for (size_t i = 0, j = 0;;) {
        const uint8_t one = next_of(a, &i), other = next_of(b, &j);
        if (one != other)
            return false;
        if (one == 0)
            return true;
    }
}

/* One that its side alone has: entries before, functions after. */
typedef struct lonely {
    bytes assembly, name;
    uint32_t position, partner, partners; /* in the other list: the last that is alike, and how many are */
} lonely;

static void add(lonely *list, uint32_t *count, bytes assembly, bytes name, uint32_t position) {
    if (*count < MOST && is_lambda(name))
        list[(*count)++] = (lonely){.assembly = assembly, .name = name, .position = position};
}

static void count_alike(lonely *of, uint32_t count, const lonely *others, uint32_t other_count) {
    for (uint32_t i = 0; i < count; i++)
        for (uint32_t k = 0; k < other_count; k++)
            if (bytes_equal(of[i].assembly, others[k].assembly) && is_alike(of[i].name, others[k].name)) {
                of[i].partner = k;
                of[i].partners++;
            }
}

static bool rename_entry(diff *d, diff_function *entry, const report_function *f) {
    entry->name = f->name;
    entry->parts = f->parts;
    entry->renumbered = true;
    return text_keep(&d->memory, &entry->name);
}

/* Of a later run after: the entries that an earlier one has renamed. */
static void find_renamed(const diff *d, const aggregate *run, uint32_t *entries) {
    for (uint32_t e = 0; e < d->methods.count; e++)
        for (uint32_t i = 0; d->functions[e].renumbered && i < run->list.function_count; i++)
            if (bytes_equal(d->functions[e].name, run->list.functions[i].name) &&
                bytes_equal(d->functions[e].assembly, function_assembly(&run->list, &run->list.functions[i])))
                entries[i] = e;
}

static bool pair(diff *d, const aggregate *run, uint32_t *entries, lonely *before, lonely *after) {
    uint32_t gone = 0, come = 0;
    bool *is_there = calloc((size_t)d->methods.count + 1, sizeof *is_there), done = is_there != NULL;
    for (uint32_t i = 0; done && i < run->list.function_count; i++) {
        const report_function *f = &run->list.functions[i];
        if (!is_lambda(f->name))
            continue;
        const bytes assembly = function_assembly(&run->list, f);
        const uint32_t found = find(d, assembly, f->name);
        if (found == MAP_NONE)
            add(after, &come, assembly, f->name, i);
        else
            is_there[found] = true;
    }
    for (uint32_t e = 0; done && e < d->methods.count; e++)
        if (!is_there[e] && d->methods.entries[e].seen[0])
            add(before, &gone, d->functions[e].assembly, d->functions[e].name, e);
    free(is_there);
    count_alike(before, gone, after, come);
    count_alike(after, come, before, gone);
    for (uint32_t i = 0; done && i < gone; i++) {
        if (before[i].partners != 1 || after[before[i].partner].partners != 1)
            continue;
        const uint32_t function = after[before[i].partner].position;
        entries[function] = before[i].position;
        done = rename_entry(d, &d->functions[before[i].position], &run->list.functions[function]);
    }
    return done;
}

uint32_t *diff_pair_lambdas(diff *d, const aggregate *run) {
    uint32_t *entries = malloc(((size_t)run->list.function_count + 1) * sizeof *entries);
    lonely *before = calloc(MOST, sizeof *before), *after = calloc(MOST, sizeof *after);
    bool done = entries && before && after;
    for (uint32_t i = 0; done && i < run->list.function_count; i++)
        entries[i] = MAP_NONE;
    if (done && d->added > d->runs[0])
        find_renamed(d, run, entries);
    else if (done)
        done = pair(d, run, entries, before, after);
    free(before);
    free(after);
    if (!done) {
        free(entries);
        return NULL;
    }
    return entries;
}
