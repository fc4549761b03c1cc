#include <stdlib.h>

#include "report/print/format.h"
#include "report/view/head_lines.h"

/* What was counted beside times and calls, and where most of it was. */

bool view_has_waits(const report *r) {
    enum { NOTICEABLE = 100 }; /* one part in that many of the whole */
    const report_totals *t = &r->sum->totals;
    return t->waiting_ns > profile_add(t->exclusive_ns, t->waiting_ns) / NOTICEABLE;
}

void head_add_waits(view_head *h, const report *r) {
    enum { MOST = 2, NOTICEABLE = 10 /* one part in that many of the waiting is worth a name */ };
    if (!view_has_waits(r))
        return;
    const report_function **sorted = report_sorted(r->sum, ILJ_SORT_WAITING);
    if (!sorted) {
        h->failed = true;
        return;
    }
    uint64_t all = r->sum->totals.waiting_ns;
    figure time = format_time(all);
    buffer *line = head_begin(h, "Waiting");
    buffer_printf(line, "%s in which threads were blocked", format_trimmed(&time));
    for (uint32_t i = 0; i < MOST && i < r->sum->list.function_count && sorted[i]->waiting_ns >= all / NOTICEABLE;
         i++) {
        buffer_printf(line, "%s%s %% in ", i == 0 ? ": " : ", ", format_percent(sorted[i]->waiting_ns, all).text);
        buffer_append(line, sorted[i]->name.data, sorted[i]->name.size);
    }
    buffer_string(line, "; no part of exclusive times");
    free(sorted);
    head_end(h, VIEW_LINE);
}

void head_add_bytes(view_head *h, const report *r) {
    enum { MOST = 2, NOTICEABLE = 10 /* as above */ };
    const aggregate *a = r->sum;
    if (a->bytes_missing > 0) {
        buffer *line = head_begin(h, "Bytes");
        buffer_string(line, "not counted");
        if (a->runs > 1)
            buffer_printf(line, " in %s of %s runs", format_count(a->bytes_missing).text, format_count(a->runs).text);
        buffer_string(line, ": the runtime does not say what a thread has allocated");
        head_end(h, VIEW_LINE);
    }
    const report_function **sorted = a->counted.bytes > 0 ? report_sorted(a, ILJ_SORT_BYTES) : NULL;
    if (sorted) {
        uint64_t all = a->totals.figures.bytes;
        buffer *line = head_begin(h, "Bytes");
        buffer_printf(line, "%s allocated", format_count(all).text);
        for (uint32_t i = 0;
             i < MOST && i < a->list.function_count && all > 0 && sorted[i]->figures.bytes >= all / NOTICEABLE; i++) {
            buffer_printf(line, "%s%s %% in ", i == 0 ? ": " : ", ",
                          format_percent(sorted[i]->figures.bytes, all).text);
            buffer_append(line, sorted[i]->name.data, sorted[i]->name.size);
        }
        head_end(h, VIEW_LINE);
    } else if (a->counted.bytes > 0) {
        h->failed = true;
    }
    free(sorted);
}

void head_add_objects(view_head *h, const report *r) {
    enum { MOST = 2, NOTICEABLE = 10 /* as above */ };
    const aggregate *a = r->sum;
    const report_type **sorted = a->counted.objects > 0 ? sites_types_sorted(&a->sites) : NULL;
    if (!sorted)
        return;
    buffer *line = head_begin(h, "Objects");
    buffer_printf(line, "%s allocated", format_count(a->totals.figures.objects).text);
    if (a->counted.objects < a->runs)
        buffer_printf(line, " in %s of %s runs", format_count(a->counted.objects).text, format_count(a->runs).text);
    for (uint32_t i = 0; i < MOST && i < a->sites.type_count && sorted[i]->objects >= a->sites.objects / NOTICEABLE;
         i++) {
        buffer_printf(line, "%s%s %% ", i == 0 ? ": " : ", ",
                      format_percent(sorted[i]->objects, a->sites.objects).text);
        buffer_append(line, sorted[i]->name.data, sorted[i]->name.size);
        buffer_string(line, sorted[i]->kind == NAMES_SITE_BOX ? " (boxed)" : "");
    }
    head_end(h, VIEW_LINE);
    free(sorted);
}

/* By their pauses where these are known, else by their number. */
void head_add_collections(view_head *h, const report *r) {
    enum { MOST = 2, NOTICEABLE = 10 /* as above */ };
    const aggregate *a = r->sum;
    if (a->counted.collections == 0)
        return;
    bool timed = a->counted.pause_ns > 0;
    const report_function **sorted = report_sorted(a, timed ? ILJ_SORT_PAUSE : ILJ_SORT_COLLECTIONS);
    if (!sorted) {
        h->failed = true;
        return;
    }
    profile_figure kind = timed ? FIGURE_PAUSE : FIGURE_COLLECTIONS;
    uint64_t all = a->totals.figures.all[kind], count = a->totals.figures.collections;
    figure pause = format_time(a->totals.figures.pause_ns);
    buffer *line = head_begin(h, "Garbage");
    buffer_printf(line, "%s collection%s while calls ran", format_count(count).text, count == 1 ? "" : "s");
    if (timed && count > 0)
        buffer_printf(line, ", %s of pauses", format_trimmed(&pause));
    if (a->counted.collections < a->runs)
        buffer_printf(line, " in %s of %s runs", format_count(a->counted.collections).text, format_count(a->runs).text);
    for (uint32_t i = 0;
         i < MOST && i < a->list.function_count && all > 0 && sorted[i]->figures.all[kind] >= all / NOTICEABLE; i++) {
        buffer_printf(line, "%s%s %% in ", i == 0 ? ": " : ", ",
                      format_percent(sorted[i]->figures.all[kind], all).text);
        buffer_append(line, sorted[i]->name.data, sorted[i]->name.size);
    }
    head_end(h, VIEW_LINE);
    free(sorted);
}
