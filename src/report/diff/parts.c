#include "report/diff/write.h"

/* What the texts of a comparison share. */

bool diff_figure_is_shown(const diff_view *v, profile_figure kind) {
    return figure_kinds[kind].judged && !v->d->without[kind];
}

void diff_totals(const diff_view *v, double sums[2], diff_metric metric) {
    sums[0] = sums[1] = 0;
    for (uint32_t i = 0; i < v->d->methods.count; i++) {
        diff_change c = diff_of(v->d, &v->d->methods, i, metric);
        sums[0] += c.before;
        sums[1] += c.after;
    }
}

bytes diff_path_above(diff_view *v, uint32_t entry) {
    enum { MOST = 200 }; /* calls that are written out */
    uint32_t chain[MOST], depth = 0;
    const diff_entry *entries = v->table->entries;
    uint32_t at = entries[entry].parent;
    v->scratch.size = 0;
    for (; at != 0 && depth < MOST; at = entries[at].parent)
        chain[depth++] = at;
    if (at != 0)
        buffer_string(&v->scratch, "\u2026 > ");
    while (depth-- > 0) {
        const diff_function *f = &v->d->functions[entries[chain[depth]].function];
        if (entries[chain[depth]].kind == NODE_FOLDED)
            buffer_string(&v->scratch, "(folded calls)");
        else
            buffer_append(&v->scratch, f->name.data + f->parts.method, f->parts.parameters - f->parts.method);
        buffer_string(&v->scratch, " > ");
    }
    return buffer_bytes(&v->scratch);
}

void diff_print_noise(printer *out, const diff_view *v) {
    if (diff_knows_noise(v->d))
        print_format(out, "judged from %u and %u runs; a method's time typically varies by %.1f %%", v->d->runs[0],
                     v->d->runs[1], v->d->spread[v->metric] * 100);
    else
        print_string(out, "not known: one run a side; give several of each (A1 A2 A3 -- B1 B2 B3)");
}

void diff_print_switched(printer *out, const diff_view *v) {
    bool one = v->d->switched == 1;
    print_format(out, "%s method%s off by the governor in some run: %s not compared, and %s callers' times have %s",
                 format_count(v->d->switched).text, one ? " was" : "s were", one ? "it is" : "they are",
                 one ? "its" : "their", one ? "its own" : "theirs");
}

bool diff_print_priced(printer *out, const diff_view *v, const char *before) {
    const bool added = v->groups[DIFF_ADDED] > 0 && diff_may_be_unrecorded(v->d, DIFF_NEW);
    const bool removed = v->groups[DIFF_REMOVED] > 0 && diff_may_be_unrecorded(v->d, DIFF_GONE);
    if (!added && !removed)
        return false;
    print_format(out, "%s%s method%s before", before, format_count(v->d->priced[0]).text,
                 v->d->priced[0] == 1 ? "" : "s");
    print_format(out, ", %s after, for a price: those that are %s may be among them",
                 format_count(v->d->priced[1]).text,
                 added && removed ? "new or gone"
                 : added          ? "new"
                                  : "gone");
    return true;
}

void diff_print_gate(printer *out, const diff_gate *g, bool allow_missing) {
    if (g->untimed)
        print_string(out, "failed, calls were only counted");
    else if (g->uncounted)
        print_format(out, "failed, %s were not counted", figure_kinds[diff_figure_of(g->metric)].name);
    else if (g->named == 0)
        print_string(out, allow_missing ? "not judged, it names no method" : "failed, it names no method");
    else if (g->held > 0)
        print_format(out, "failed for %s method%s", format_count(g->held).text, g->held == 1 ? "" : "s");
    else
        print_string(out, "passed");
}

void diff_print_same(printer *out, const diff_view *v, const char *before) {
    if (v->same == 0)
        return;
    print_string(out, before);
    const char *noun = v->options->by_path ? "path" : "method", *plural = v->same == 1 ? "" : "s";
    if (v->d->untimed || diff_knows_noise(v->d))
        print_format(out, "%s %s%s %s as before%s", format_count(v->same).text, noun, plural,
                     v->same == 1 ? "is" : "are", v->d->untimed ? "" : ", within noise");
    else
        print_format(out, "%s %s%s changed by less than 10 %%, or than 1 %% of the whole", format_count(v->same).text,
                     noun, plural);
    print_string(out, "\n");
}
