#include "report/diff/write.h"

/* A comparison as Markdown, for a comment of a pull request. */

/* One run of code for the whole path: two that touch are none. */
static void markdown_entry(printer *out, diff_view *v, uint32_t entry) {
    const diff_entry *e = &v->table->entries[entry];
    v->scratch.size = 0;
    if (v->options->by_path)
        (void)diff_path_above(v, entry);
    if (e->kind == NODE_FOLDED)
        buffer_string(&v->scratch, "(folded calls)");
    else
        buffer_append(&v->scratch, v->d->functions[e->function].name.data, v->d->functions[e->function].name.size);
    print_markdown(out, buffer_bytes(&v->scratch), true);
}

/* Names are code, as in the table. */
static void markdown_sentence(printer *out, diff_view *v) {
    story_text t = {.name_count = 0};
    story_tell(&t, v->d, &v->story);
    bytes text = buffer_bytes(&t.text);
    size_t at = 0;
    for (size_t i = 0; i < t.name_count && !t.text.failed; i++) {
        print_shown(out, (bytes){text.data + at, t.names[i].start - at});
        print_markdown(out, (bytes){text.data + t.names[i].start, t.names[i].end - t.names[i].start}, false);
        at = t.names[i].end;
    }
    if (!t.text.failed)
        print_shown(out, (bytes){text.data + at, text.size - at});
    print_string(out, "\n\n");
    v->scratch.failed |= t.text.failed;
    buffer_clear(&t.text);
}

static void cell(printer *out, figure f) {
    print_format(out, "| %s ", format_trimmed(&f));
}

static void markdown_row(printer *out, diff_view *v, const diff_row *row) {
    const diff_entry *e = &v->table->entries[row->entry];
    diff_change taken = diff_of(v->d, v->table, row->entry, DIFF_TAKEN),
                own = diff_of(v->d, v->table, row->entry, DIFF_OWN),
                calls = diff_of(v->d, v->table, row->entry, DIFF_CALLS);
    static const figure none = {.columns = 0};
    if (!v->d->untimed) {
        cell(out, e->seen[0] ? format_time(diff_ns(taken.before)) : none);
        cell(out, e->seen[1] ? format_time(diff_ns(taken.after)) : none);
        cell(out, diff_format_verdict(&taken));
        cell(out, e->seen[0] ? format_time(diff_ns(own.before)) : none);
        cell(out, e->seen[1] ? format_time(diff_ns(own.after)) : none);
    } else {
        cell(out, diff_format_verdict(&calls));
    }
    cell(out, e->seen[0] ? diff_format_count(calls.before) : none);
    cell(out, e->seen[1] ? diff_format_count(calls.after) : none);
    print_string(out, "| ");
    for (uint32_t i = 1; i < row->depth && i < 10; i++)
        print_string(out, "&emsp;");
    markdown_entry(out, v, row->entry);
    print_string(out, " |\n");
}

static void markdown_rows(printer *out, diff_view *v) {
    uint32_t top = v->options->top, shown = top == 0 || v->row_count < top ? v->row_count : top;
    if (shown > 0)
        print_string(out, v->d->untimed ? "\n| Change | Calls before | after | Method |\n|---:|---:|---:|---|\n"
                                        : "\n| Before | After | Change | Own before | after | Calls before | after | "
                                          "Method |\n|---:|---:|---:|---:|---:|---:|---:|---|\n");
    for (uint32_t i = 0; i < shown; i++)
        markdown_row(out, v, &v->rows[i]);
    uint32_t more = v->row_count - shown + v->left_out;
    if (more > 0)
        print_format(out, "\n\u2026 %s more\n", format_count(more).text);
    diff_print_same(out, v, "\n");
}

static bool failed(const diff_gate *g, bool allow_missing) {
    return g->untimed || g->uncounted || g->held > 0 || (g->named == 0 && !allow_missing);
}

void diff_write_markdown(printer *out, diff_view *v) {
    double time[2];
    diff_totals(v, time, DIFF_EXCLUSIVE);
    diff_change t = {.before = time[0], .after = time[1], .change = time[1] - time[0]};
    figure before = format_time(diff_ns(time[0])), after = format_time(diff_ns(time[1]));
    print_string(out, "### Profile comparison\n\n");
    markdown_sentence(out, v);
    print_format(out, "**%s slower, ", format_count(v->groups[DIFF_SLOWER]).text);
    print_format(out, "%s faster, ", format_count(v->groups[DIFF_FASTER]).text);
    print_format(out, "%s new, ", format_count(v->groups[DIFF_ADDED]).text);
    print_format(out, "%s gone** ", format_count(v->groups[DIFF_REMOVED]).text);
    if (v->d->untimed) {
        print_format(out, "(%s). Calls were only counted: no times are compared.\n",
                     v->options->by_path ? "paths" : "methods");
    } else {
        print_format(out, "(%s, by %s time).", v->options->by_path ? "paths" : "methods",
                     v->options->inclusive ? "inclusive" : "own");
        print_format(out, " All together %s", format_trimmed(&before));
        print_format(out, " \u2192 %s", format_trimmed(&after));
        if (diff_format_change(&t).columns > 0)
            print_format(out, " (%s)", diff_format_change(&t).text);
        print_string(out, ". Noise: ");
        diff_print_noise(out, v);
        print_string(out, ".\n");
    }
    if (v->d->switched > 0) {
        print_string(out, "\nSwitched: ");
        diff_print_switched(out, v);
        print_string(out, ".\n");
    }
    if (diff_print_priced(out, v, "\nLeft out: "))
        print_string(out, ".\n");
    for (size_t i = 0; i < v->gate_count; i++) {
        print_string(out, i == 0 ? "\n- " : "- ");
        print_markdown(out, bytes_of(v->gates[i].text, strlen(v->gates[i].text)), false);
        bool bold = failed(&v->gates[i], v->options->allow_missing);
        print_string(out, bold ? ": **" : ": ");
        diff_print_gate(out, &v->gates[i], v->options->allow_missing);
        print_string(out, bold ? "**\n" : "\n");
    }
    markdown_rows(out, v);
}
