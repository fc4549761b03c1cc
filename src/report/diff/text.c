#include <stdio.h>
#include <stdlib.h>

#include "report/diff/write.h"
#include "report/model/figures.h"
#include "report/print/table.h"

/* ---- Parts that both have --------------------------------------------------------------------------------------- */

static const char *const titles[DIFF_GROUPS] = {
    [DIFF_SLOWER] = "Slower",
    [DIFF_FASTER] = "Faster",
    [DIFF_ADDED] = "New",
    [DIFF_REMOVED] = "Gone",
    [DIFF_COUNTED] = "As fast, but called otherwise",
};

/* Has the figure columns of its own? */
static bool is_shown(const diff_view *v, profile_figure kind) {
    return figure_kinds[kind].judged && !v->d->without[kind];
}

static const char *title_of(const diff_view *v, diff_group_kind kind) {
    if (kind != DIFF_COUNTED)
        return titles[kind];
    if (v->d->untimed)
        return "Called otherwise";
    for (profile_figure of = 0; of < FIGURES; of++)
        if (is_shown(v, of))
            return "As fast, but called or allocating otherwise";
    return titles[kind];
}

static uint64_t ns_of(double ns) {
    return ns <= 0 ? 0 : ns >= (double)PROFILE_MAX ? PROFILE_MAX : (uint64_t)(ns + 0.5);
}

static uint32_t shown_of(const diff_view *v, const diff_group *g) {
    return v->options->top == 0 || g->count < v->options->top ? g->count : v->options->top;
}

/* The means of all methods together. */
static void totals_of(const diff_view *v, double sums[2], diff_metric metric) {
    sums[0] = sums[1] = 0;
    for (uint32_t i = 0; i < v->d->methods.count; i++) {
        diff_change c = diff_of(v->d, &v->d->methods, i, metric);
        sums[0] += c.before;
        sums[1] += c.after;
    }
}

/* A path from its outermost call on, with arrows between; the last method's name is left to the caller when `above`. */
static bytes path_above(diff_view *v, uint32_t entry) {
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

static void print_noise(printer *out, const diff_view *v) {
    if (diff_knows_noise(v->d))
        print_format(out, "judged from %u and %u runs; a method's time typically varies by %.1f %%", v->d->runs[0],
                     v->d->runs[1], v->d->spread[v->metric] * 100);
    else
        print_string(out, "not known: one run a side; give several of each (A1 A2 A3 -- B1 B2 B3)");
}

static void print_switched(printer *out, const diff_view *v) {
    bool one = v->d->switched == 1;
    print_format(out, "%s method%s off by the governor in some run: %s not compared, and %s callers' times have %s",
                 format_count(v->d->switched).text, one ? " was" : "s were", one ? "it is" : "they are",
                 one ? "its" : "their", one ? "its own" : "theirs");
}

static bool failed(const diff_gate *g, bool allow_missing) {
    return g->untimed || g->uncounted || g->held > 0 || (g->named == 0 && !allow_missing);
}

static void print_gate(printer *out, const diff_gate *g, bool allow_missing) {
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

/* ---- Text ------------------------------------------------------------------------------------------------------- */

enum {
    BEFORE,
    AFTER,
    CHANGE,
    NOISE,
    CALLS_BEFORE,
    CALLS_AFTER,
    EXCEPTIONS,
    FIGURES_BEFORE, /* of the first figure, and after; then those of the next */
    DIFF_COLUMNS = FIGURES_BEFORE + 2 * FIGURES
};
_Static_assert((int)DIFF_COLUMNS <= (int)TABLE_COLUMNS, "each column has its place in a table");

static void leave_out(table *t, unsigned width) {
    int order[DIFF_COLUMNS] = {EXCEPTIONS, NOISE, CALLS_BEFORE, CALLS_AFTER}, count = 4;
    for (int column = FIGURES_BEFORE; column < DIFF_COLUMNS; column++)
        order[count++] = column;
    order[count] = -1;
    table_fit(t, order, 24, width);
}

static figure noise_of(const diff_change *c) {
    figure f;
    f.columns = (unsigned)snprintf(f.text, sizeof f.text, "%.*f %%", c->noise < 0.0995 ? 1 : 0, c->noise * 100);
    return f;
}

static table_row row_of(const diff_view *v, uint32_t entry, diff_metric metric) {
    diff_change time = diff_of(v->d, v->table, entry, metric);
    diff_change calls = diff_of(v->d, v->table, entry, DIFF_CALLS);
    diff_change thrown = diff_of(v->d, v->table, entry, DIFF_EXCEPTIONS);
    table_row row = {{
        [BEFORE] = format_time(ns_of(time.before)),
        [AFTER] = format_time(ns_of(time.after)),
        [CHANGE] = diff_format_change(&time),
        [NOISE] = noise_of(&time),
        [CALLS_BEFORE] = diff_format_count(calls.before),
        [CALLS_AFTER] = diff_format_count(calls.after),
        [EXCEPTIONS] = diff_format_count(thrown.after),
    }};
    for (profile_figure kind = 0; kind < FIGURES; kind++)
        if (is_shown(v, kind)) {
            diff_change of = diff_of(v->d, v->table, entry, diff_figure(kind, metric == DIFF_INCLUSIVE));
            row.figures[FIGURES_BEFORE + 2 * kind] = diff_format_count(of.before);
            row.figures[FIGURES_BEFORE + 2 * kind + 1] = diff_format_count(of.after);
        }
    if (thrown.change != 0)
        format_mark(&row.figures[EXCEPTIONS], thrown.change > 0 ? '>' : '<');
    return row;
}

static void print_entry(printer *out, diff_view *v, uint32_t entry, size_t room) {
    const diff_entry *e = &v->table->entries[entry];
    if (v->options->by_path) {
        bytes above = path_above(v, entry);
        size_t columns = room == SIZE_MAX ? SIZE_MAX : room / 2;
        if (above.size > 0) {
            size_t taken = print_name(out, above, above.size, above.size, columns);
            room = room == SIZE_MAX ? room : room - taken;
        }
    }
    if (e->kind == NODE_FOLDED) {
        print_string(out, "(folded calls)");
        return;
    }
    const diff_function *f = &v->d->functions[e->function];
    print_name(out, f->name, f->parts.parameters, f->parts.suffix, room);
}

/* A path that is new, or gone, is reported with all below it. */
static diff_metric metric_of(const diff_view *v, diff_group_kind kind) {
    return v->options->by_path && (kind == DIFF_ADDED || kind == DIFF_REMOVED) ? DIFF_INCLUSIVE : v->metric;
}

static void print_group(printer *out, diff_view *v, diff_group_kind kind) {
    const diff_group *g = &v->groups[kind];
    uint32_t shown = shown_of(v, g);
    if (g->count == 0)
        return;
    bool exceptions = false;
    table t = {.titles =
                   {
                       "Before",
                       "After",
                       "Change",
                       "Noise",
                       "Calls before",
                       "after",
                       "Exceptions",
#define COUNTED_FIGURE(ID, name, title, ...) title " before", "after",
#include "facts/figures.def"
                   },
               .least_name = 12,
               .hidden = {[NOISE] = !diff_knows_noise(v->d)}};
    t.hidden[CHANGE] = t.hidden[NOISE] |= kind == DIFF_ADDED || kind == DIFF_REMOVED;
    t.hidden[CHANGE] = kind == DIFF_ADDED || kind == DIFF_REMOVED;
    t.hidden[BEFORE] = t.hidden[CALLS_BEFORE] = kind == DIFF_ADDED;
    t.hidden[AFTER] = t.hidden[CALLS_AFTER] = kind == DIFF_REMOVED;
    for (profile_figure of = 0; of < FIGURES; of++) {
        int before = FIGURES_BEFORE + 2 * (int)of, after = before + 1;
        t.hidden[before] = !is_shown(v, of) || kind == DIFF_ADDED;
        t.hidden[after] = !is_shown(v, of) || kind == DIFF_REMOVED;
        if (kind == DIFF_ADDED || kind == DIFF_REMOVED)
            t.titles[kind == DIFF_ADDED ? after : before] = figure_rows[figure_kinds[of].own].title;
    }
    if (v->d->untimed)
        t.hidden[BEFORE] = t.hidden[AFTER] = t.hidden[CHANGE] = t.hidden[NOISE] = true;
    if (kind == DIFF_ADDED)
        t.titles[CALLS_AFTER] = "Calls";
    if (kind == DIFF_REMOVED)
        t.titles[CALLS_BEFORE] = "Calls";
    for (uint32_t i = 0; i < shown; i++) {
        table_row row = row_of(v, g->entries[i], metric_of(v, kind));
        table_measure(&t, &row);
        diff_change thrown = diff_of(v->d, v->table, g->entries[i], DIFF_EXCEPTIONS);
        exceptions |= thrown.before > 0 || thrown.after > 0;
    }
    t.hidden[EXCEPTIONS] = !exceptions;
    leave_out(&t, v->options->width);
    print_string(out, "\n");
    table_head(&t, out, title_of(v, kind), v->options->width);
    for (uint32_t i = 0; i < shown; i++) {
        table_row row = row_of(v, g->entries[i], metric_of(v, kind));
        table_figures(&t, out, &row);
        print_entry(out, v, g->entries[i], table_room(&t, 1));
        print_string(out, "\n");
    }
    if (shown < g->count)
        print_format(out, "\u2026 %s more\n", format_count(g->count - shown).text);
}

static void print_side(printer *out, const diff_view *v, int side) {
    const diff_side *s = &v->sides[side];
    print_format(out, "%s%s run%s", side == 0 ? "Before   " : "After    ", format_count(s->runs).text,
                 s->runs == 1 ? "" : "s");
    for (uint32_t i = 0; i < v->d->runs[side] && i < 3; i++) {
        print_string(out, i == 0 ? ": " : ", ");
        print_shown(out, bytes_of(s->files[i], strlen(s->files[i])));
    }
    if (v->d->runs[side] > 3)
        print_format(out, ", \u2026 %s more", format_count(v->d->runs[side] - 3).text);
    print_string(out, "\n");
}

static figure format_figure(profile_figure kind, double value) {
    return figure_kinds[kind].form == FORM_TIME_IF_ANY ? format_time(ns_of(value)) : diff_format_count(value);
}

static void print_total(printer *out, const diff_view *v, profile_figure kind) {
    double sums[2];
    totals_of(v, sums, diff_figure(kind, false));
    figure before = format_figure(kind, sums[0]), after = format_figure(kind, sums[1]);
    diff_change change = {.before = sums[0], .after = sums[1], .change = sums[1] - sums[0]};
    print_format(out, ", %s %s", figure_kinds[kind].name, format_trimmed(&before));
    print_format(out, " -> %s", format_trimmed(&after));
    if (diff_format_change(&change).columns > 0)
        print_format(out, " (%s)", diff_format_change(&change).text);
}

static void print_totals(printer *out, const diff_view *v) {
    double calls[2], time[2];
    totals_of(v, calls, DIFF_CALLS);
    totals_of(v, time, DIFF_EXCLUSIVE);
    if (v->d->untimed) {
        print_format(out, "Total    calls %s", diff_format_count(calls[0]).text);
        print_format(out, " -> %s a run; calls were only counted: no times are compared\n",
                     diff_format_count(calls[1]).text);
        return;
    }
    diff_change t = {.before = time[0], .after = time[1], .change = time[1] - time[0]};
    figure before = format_time(ns_of(time[0])), after = format_time(ns_of(time[1]));
    print_format(out, "Total    %s", format_trimmed(&before));
    print_format(out, " -> %s", format_trimmed(&after));
    if (diff_format_change(&t).columns > 0)
        print_format(out, " (%s)", diff_format_change(&t).text);
    print_format(out, ", calls %s", diff_format_count(calls[0]).text);
    print_format(out, " -> %s", diff_format_count(calls[1]).text);
    for (profile_figure kind = 0; kind < FIGURES; kind++)
        if (!v->d->without[kind])
            print_total(out, v, kind);
    print_string(out, " a run\n");
}

void diff_write_text(printer *out, diff_view *v) {
    print_set_style(out, PRINT_DIM);
    print_side(out, v, 0);
    print_side(out, v, 1);
    if (!v->d->untimed) {
        print_string(out, "Noise    ");
        print_noise(out, v);
        print_string(out, "\n");
    }
    print_totals(out, v);
    if (v->d->switched > 0) {
        print_string(out, "Switched ");
        print_switched(out, v);
        print_string(out, "\n");
    }
    print_string(out, v->options->by_path ? "Paths    " : "Methods  ");
    for (int kind = 0; kind < DIFF_COUNTED; kind++) {
        static const char *const words[] = {"slower", "faster", "new", "gone"};
        print_format(out, "%s%s %s", kind ? ", " : "", format_count(v->groups[kind].count).text, words[kind]);
    }
    if (v->d->untimed)
        print_string(out, "\n");
    else
        print_format(out, "; by %s time\n", v->options->inclusive ? "inclusive" : "exclusive");
    print_set_style(out, PRINT_PLAIN);
    for (int kind = 0; kind < DIFF_GROUPS; kind++)
        print_group(out, v, (diff_group_kind)kind);
    for (size_t i = 0; i < v->gate_count; i++) {
        if (i == 0)
            print_string(out, "\n");
        print_string(out, v->gates[i].text);
        print_string(out, ": ");
        print_gate(out, &v->gates[i], v->options->allow_missing);
        print_string(out, "\n");
    }
}

/* ---- Markdown --------------------------------------------------------------------------------------------------- */

/* As code, in which a forge makes no mention of @somebody, no link of an address or a number, and no markup of
 * anything: between more backticks than stand in it anywhere. `in_cell`: a line that would end the cell has a
 * backslash. */
static void markdown(printer *out, bytes text, bool in_cell) {
    size_t most = 0, run = 0;
    for (size_t i = 0; i < text.size; i++) {
        run = text.data[i] == '`' ? run + 1 : 0;
        most = run > most ? run : most;
    }
    if (text.size == 0)
        return;
    /* A space on each side is no part of the code, and keeps its own backticks apart. */
    uint8_t first = text.data[0], last = text.data[text.size - 1];
    bool apart = first == '`' || last == '`' || (first == ' ' && last == ' ');
    for (size_t i = 0; i <= most; i++)
        print_string(out, "`");
    print_string(out, apart ? " " : "");
    for (size_t from = 0; from < text.size;) {
        const uint8_t *line = in_cell ? memchr(text.data + from, '|', text.size - from) : NULL;
        size_t to = line ? (size_t)(line - text.data) : text.size;
        print_shown(out, (bytes){text.data + from, to - from});
        if (line)
            print_string(out, "\\|");
        from = to + (line != NULL);
    }
    print_string(out, apart ? " " : "");
    for (size_t i = 0; i <= most; i++)
        print_string(out, "`");
}

/* One run of code for the whole path: two that touch are none. */
static void markdown_entry(printer *out, diff_view *v, uint32_t entry) {
    const diff_entry *e = &v->table->entries[entry];
    v->scratch.size = 0;
    if (v->options->by_path)
        (void)path_above(v, entry);
    if (e->kind == NODE_FOLDED)
        buffer_string(&v->scratch, "(folded calls)");
    else
        buffer_append(&v->scratch, v->d->functions[e->function].name.data, v->d->functions[e->function].name.size);
    markdown(out, buffer_bytes(&v->scratch), true);
}

static void markdown_group(printer *out, diff_view *v, diff_group_kind kind) {
    const diff_group *g = &v->groups[kind];
    uint32_t shown = shown_of(v, g);
    bool added = kind == DIFF_ADDED, removed = kind == DIFF_REMOVED;
    if (g->count == 0)
        return;
    print_format(out, "\n#### %s\n\n", title_of(v, kind));
    if (v->d->untimed)
        print_string(out, added || removed ? "| Calls | Method |\n|---:|---|\n"
                                           : "| Calls before | after | Method |\n|---:|---:|---|\n");
    else if (added || removed)
        print_string(out, "| Time | Calls | Method |\n|---:|---:|---|\n");
    else
        print_string(out,
                     "| Before | After | Change | Calls before | after | Method |\n|---:|---:|---:|---:|---:|---|\n");
    for (uint32_t i = 0; i < shown; i++) {
        diff_change time = diff_of(v->d, v->table, g->entries[i], metric_of(v, kind));
        diff_change calls = diff_of(v->d, v->table, g->entries[i], DIFF_CALLS);
        figure before = format_time(ns_of(time.before)), after = format_time(ns_of(time.after));
        if (added || removed) {
            if (!v->d->untimed)
                print_format(out, "| %s ", format_trimmed(added ? &after : &before));
            print_format(out, "| %s | ", diff_format_count(added ? calls.after : calls.before).text);
        } else {
            if (!v->d->untimed) {
                print_format(out, "| %s ", format_trimmed(&before));
                print_format(out, "| %s ", format_trimmed(&after));
                print_format(out, "| %s ", diff_format_change(&time).text);
            }
            print_format(out, "| %s ", diff_format_count(calls.before).text);
            print_format(out, "| %s | ", diff_format_count(calls.after).text);
        }
        markdown_entry(out, v, g->entries[i]);
        print_string(out, " |\n");
    }
    if (shown < g->count)
        print_format(out, "\n\u2026 %s more\n", format_count(g->count - shown).text);
}

void diff_write_markdown(printer *out, diff_view *v) {
    double time[2];
    totals_of(v, time, DIFF_EXCLUSIVE);
    diff_change t = {.before = time[0], .after = time[1], .change = time[1] - time[0]};
    figure before = format_time(ns_of(time[0])), after = format_time(ns_of(time[1]));
    print_string(out, "### Profile comparison\n\n");
    print_format(out, "**%s slower, ", format_count(v->groups[DIFF_SLOWER].count).text);
    print_format(out, "%s faster, ", format_count(v->groups[DIFF_FASTER].count).text);
    print_format(out, "%s new, ", format_count(v->groups[DIFF_ADDED].count).text);
    print_format(out, "%s gone** ", format_count(v->groups[DIFF_REMOVED].count).text);
    if (v->d->untimed) {
        print_format(out, "(%s). Calls were only counted: no times are compared.\n",
                     v->options->by_path ? "paths" : "methods");
    } else {
        print_format(out, "(%s, by %s time).", v->options->by_path ? "paths" : "methods",
                     v->options->inclusive ? "inclusive" : "exclusive");
        print_format(out, " All together %s", format_trimmed(&before));
        print_format(out, " \u2192 %s", format_trimmed(&after));
        if (diff_format_change(&t).columns > 0)
            print_format(out, " (%s)", diff_format_change(&t).text);
        print_string(out, ". Noise: ");
        print_noise(out, v);
        print_string(out, ".\n");
    }
    if (v->d->switched > 0) {
        print_string(out, "\nSwitched: ");
        print_switched(out, v);
        print_string(out, ".\n");
    }
    for (size_t i = 0; i < v->gate_count; i++) {
        print_string(out, i == 0 ? "\n- " : "- ");
        markdown(out, bytes_of(v->gates[i].text, strlen(v->gates[i].text)), false);
        bool bold = failed(&v->gates[i], v->options->allow_missing);
        print_string(out, bold ? ": **" : ": ");
        print_gate(out, &v->gates[i], v->options->allow_missing);
        print_string(out, bold ? "**\n" : "\n");
    }
    for (int kind = 0; kind < DIFF_GROUPS; kind++)
        markdown_group(out, v, (diff_group_kind)kind);
}
