#include <stdio.h>
#include <stdlib.h>

#include "report/diff/write.h"
#include "report/model/figures.h"
#include "report/print/table.h"

/* ---- The table
 * ------------------------------------------------------------------------------------------------------- */

enum {
    BEFORE,
    AFTER,
    CHANGE,
    NOISE,
    OWN_BEFORE,
    OWN_AFTER,
    CALLS_BEFORE,
    CALLS_AFTER,
    EXCEPTIONS,
    FIGURES_BEFORE, /* of the first figure, and after; then those of the next */
    DIFF_COLUMNS = FIGURES_BEFORE + 2 * FIGURES
};
_Static_assert((int)DIFF_COLUMNS <= (int)TABLE_COLUMNS, "each column has its place in a table");

static void leave_out(table *t, unsigned width) {
    enum { WIDE = 110 };
    if (width != 0 && width < WIDE) {
        t->titles[OWN_BEFORE] = "Own";
        t->titles[CALLS_BEFORE] = "Calls";
    }
    int order[DIFF_COLUMNS] = {EXCEPTIONS, NOISE}, count = 2;
    for (int column = FIGURES_BEFORE; column < DIFF_COLUMNS; column++)
        order[count++] = column;
    order[count++] = OWN_BEFORE;
    order[count++] = CALLS_BEFORE;
    order[count] = -1;
    table_fit(t, order, 24, width);
    for (int column = OWN_BEFORE; column <= CALLS_BEFORE; column += CALLS_BEFORE - OWN_BEFORE)
        if (t->hidden[column])
            t->titles[column + 1] = t->titles[column];
}

static figure noise_of(const diff_change *c) {
    figure f;
    f.columns = (unsigned)snprintf(f.text, sizeof f.text, "%.*f %%", c->noise < 0.0995 ? 1 : 0, c->noise * 100);
    return f;
}

/* Both sides' figures, those of a side that has the entry alone. */
static void set_both(const diff_view *v, table_row *row, int before, uint32_t entry, diff_metric metric) {
    const diff_entry *e = &v->table->entries[entry];
    diff_change c = diff_of(v->d, v->table, entry, metric);
    for (int side = 0; side < 2; side++) {
        double value = side == 0 ? c.before : c.after;
        if (e->seen[side])
            row->figures[before + side] = diff_is_time(metric) ? format_time(diff_ns(value)) : diff_format_count(value);
    }
}

static table_row row_of(const diff_view *v, uint32_t entry) {
    diff_change taken = diff_of(v->d, v->table, entry, v->d->untimed ? DIFF_CALLS : DIFF_TAKEN);
    diff_change judged = diff_of(v->d, v->table, entry, v->metric);
    diff_change thrown = diff_of(v->d, v->table, entry, DIFF_EXCEPTIONS);
    table_row row = {{
        [CHANGE] = diff_format_verdict(&taken),
        [NOISE] = noise_of(&judged),
    }};
    if (thrown.before > 0 || thrown.after > 0)
        row.figures[EXCEPTIONS] = diff_format_count(thrown.after);
    if (taken.verdict == DIFF_NEW || taken.verdict == DIFF_GONE)
        row.figures[NOISE] = (figure){.columns = 0};
    set_both(v, &row, BEFORE, entry, DIFF_TAKEN);
    set_both(v, &row, OWN_BEFORE, entry, DIFF_OWN);
    set_both(v, &row, CALLS_BEFORE, entry, DIFF_CALLS);
    for (profile_figure kind = 0; kind < FIGURES; kind++)
        if (diff_figure_is_shown(v, kind))
            set_both(v, &row, FIGURES_BEFORE + 2 * (int)kind, entry, diff_figure(kind, v->metric == DIFF_TAKEN));
    if (thrown.change != 0)
        format_mark(&row.figures[EXCEPTIONS], thrown.change > 0 ? '>' : '<');
    return row;
}

static void print_entry(printer *out, diff_view *v, uint32_t entry, size_t room) {
    const diff_entry *e = &v->table->entries[entry];
    if (v->options->by_path) {
        bytes above = diff_path_above(v, entry);
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

static table table_of(const diff_view *v) {
    table t = {.titles =
                   {
                       "Before",
                       "After",
                       "Change",
                       "Noise",
                       "Own before",
                       "after",
                       "Calls before",
                       "after",
                       "Exceptions",
#define COUNTED_FIGURE(ID, name, title, ...) title " before", "after",
#include "facts/figures.def"
                   },
               .least_name = 12,
               .hidden = {[NOISE] = !diff_knows_noise(v->d), [EXCEPTIONS] = true}};
    for (profile_figure of = 0; of < FIGURES; of++)
        t.hidden[FIGURES_BEFORE + 2 * (int)of] = t.hidden[FIGURES_BEFORE + 2 * (int)of + 1] =
            !diff_figure_is_shown(v, of);
    if (v->d->untimed)
        t.hidden[BEFORE] = t.hidden[AFTER] = t.hidden[NOISE] = t.hidden[OWN_BEFORE] = t.hidden[OWN_AFTER] = true;
    return t;
}

static void print_rows(printer *out, diff_view *v) {
    uint32_t top = v->options->top, shown = top == 0 || v->row_count < top ? v->row_count : top;
    table t = table_of(v);
    for (uint32_t i = 0; i < shown; i++) {
        table_row row = row_of(v, v->rows[i].entry);
        table_measure(&t, &row);
        diff_change thrown = diff_of(v->d, v->table, v->rows[i].entry, DIFF_EXCEPTIONS);
        t.hidden[EXCEPTIONS] &= thrown.before <= 0 && thrown.after <= 0;
    }
    leave_out(&t, v->options->width);
    print_string(out, "\n");
    if (shown > 0)
        table_head(&t, out, v->options->by_path ? "Path" : "Method", v->options->width);
    for (uint32_t i = 0; i < shown; i++) {
        table_row row = row_of(v, v->rows[i].entry);
        table_figures(&t, out, &row);
        print_entry(out, v, v->rows[i].entry, table_indent(&t, out, v->rows[i].depth));
        print_string(out, "\n");
    }
    uint32_t more = v->row_count - shown + v->left_out;
    if (more > 0)
        print_format(out, "\u2026 %s more\n", format_count(more).text);
    diff_print_same(out, v, "");
}

/* ---- The head -----------------------------------------------------------------------------------------------------
 */

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
    return figure_kinds[kind].form == FORM_TIME_IF_ANY ? format_time(diff_ns(value)) : diff_format_count(value);
}

static void print_total(printer *out, const diff_view *v, profile_figure kind) {
    double sums[2];
    diff_totals(v, sums, diff_figure(kind, false));
    figure before = format_figure(kind, sums[0]), after = format_figure(kind, sums[1]);
    diff_change change = {.before = sums[0], .after = sums[1], .change = sums[1] - sums[0]};
    print_format(out, ", %s %s", figure_kinds[kind].name, format_trimmed(&before));
    print_format(out, " -> %s", format_trimmed(&after));
    if (diff_format_change(&change).columns > 0)
        print_format(out, " (%s)", diff_format_change(&change).text);
}

static void print_totals(printer *out, const diff_view *v) {
    double calls[2], time[2];
    diff_totals(v, calls, DIFF_CALLS);
    diff_totals(v, time, DIFF_EXCLUSIVE);
    if (v->d->untimed) {
        print_format(out, "Total    calls %s", diff_format_count(calls[0]).text);
        print_format(out, " -> %s a run; calls were only counted: no times are compared\n",
                     diff_format_count(calls[1]).text);
        return;
    }
    diff_change t = {.before = time[0], .after = time[1], .change = time[1] - time[0]};
    figure before = format_time(diff_ns(time[0])), after = format_time(diff_ns(time[1]));
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

static void print_story(printer *out, diff_view *v) {
    story_text t = {.name_count = 0};
    story_tell(&t, v->d, &v->story);
    print_set_style(out, PRINT_BOLD);
    if (!t.text.failed)
        print_shown(out, buffer_bytes(&t.text));
    print_set_style(out, PRINT_PLAIN);
    print_string(out, "\n\n");
    v->scratch.failed |= t.text.failed;
    buffer_clear(&t.text);
}

void diff_write_text(printer *out, diff_view *v) {
    print_story(out, v);
    print_set_style(out, PRINT_DIM);
    print_side(out, v, 0);
    print_side(out, v, 1);
    if (!v->d->untimed) {
        print_string(out, "Noise    ");
        diff_print_noise(out, v);
        print_string(out, "\n");
    }
    print_totals(out, v);
    if (v->d->switched > 0) {
        print_string(out, "Switched ");
        diff_print_switched(out, v);
        print_string(out, "\n");
    }
    if (diff_print_priced(out, v, "Left out "))
        print_string(out, "\n");
    print_string(out, v->options->by_path ? "Paths    " : "Methods  ");
    for (int kind = 0; kind < DIFF_OTHERWISE; kind++) {
        static const char *const words[] = {"slower", "faster", "new", "gone"};
        print_format(out, "%s%s %s", kind ? ", " : "", format_count(v->groups[kind]).text, words[kind]);
    }
    if (v->d->untimed)
        print_string(out, "\n");
    else
        print_format(out, "; by %s time\n", v->options->inclusive ? "inclusive" : "own");
    print_set_style(out, PRINT_PLAIN);
    print_rows(out, v);
    for (size_t i = 0; i < v->gate_count; i++) {
        if (i == 0)
            print_string(out, "\n");
        print_string(out, v->gates[i].text);
        print_string(out, ": ");
        diff_print_gate(out, &v->gates[i], v->options->allow_missing);
        print_string(out, "\n");
    }
}
