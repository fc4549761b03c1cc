#include "report/model/idle.h"

#include "report/print/table.h"
#include "report/text/lines.h"
#include "report/text/text.h"

/* The text report's lines of what only waits. */

static void append_name(buffer *b, const report_function *f) {
    buffer_append(b, f->name.data, f->parts.parameters);
}

void idle_describe(buffer *b, const aggregate *a, uint32_t node, uint32_t count) {
    const fold_link *nodes = a->tree.places.links;
    uint32_t place = idle_place(a, node);
    buffer_string(b, "(waiting) ");
    append_name(b, &a->list.functions[node_function(&nodes[node])]);
    if (place != node && place != 0) {
        buffer_string(b, " \u2192 ");
        append_name(b, &a->list.functions[node_function(&nodes[place])]);
    }
    if (count > 1)
        buffer_printf(b, " and %s more", format_count(count - 1).text);
}

/* Writes the line, and clears it. False when memory ran out. */
static bool write_line(printer *out, const report *r, buffer *line) {
    print_set_style(out, PRINT_DIM);
    print_fitted(out, r, line);
    print_set_style(out, PRINT_PLAIN);
    bool done = !line->failed;
    buffer_clear(line);
    return done;
}

static bool write_loops(printer *out, const report *r, const report_rows *rows) {
    if (!rows->loop)
        return true;
    buffer line = BUFFER_INIT;
    figure waited = format_time(rows->loops_ns);
    buffer_printf(&line, "\u2026 %s that ", format_trimmed(&waited));
    append_name(&line, rows->loop);
    buffer_printf(&line, "%s waited for others; --idle adds them", rows->loops_ns > rows->loop_ns ? " and more" : "");
    return write_line(out, r, &line);
}

bool idle_write_row(printer *out, const report *r, const report_rows *rows) {
    const report_row *row = &rows->idle;
    uint64_t count = row->sums[ROW_FUNCTIONS], whole = r->sum->totals.exclusive_ns, own = row->times.exclusive_ns;
    if (!write_loops(out, r, rows))
        return false;
    if (count == 0)
        return true;
    buffer line = BUFFER_INIT;
    figure waited = format_time(row->sums[ROW_WAITING]);
    buffer_printf(&line, "\u2026 %s method%s that only wait%s, ", format_count(count).text, count == 1 ? "" : "s",
                  count == 1 ? "s" : "");
    if (count > 1)
        buffer_string(&line, "most in ");
    append_name(&line, row->function);
    buffer_printf(&line, ": %s, and %s %% of own time; --idle shows %s", format_trimmed(&waited),
                  format_percent(own < whole ? own : whole, whole).text, count == 1 ? "it" : "them");
    return write_line(out, r, &line);
}
