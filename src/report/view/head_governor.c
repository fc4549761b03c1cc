#include "report/print/format.h"
#include "report/view/head_lines.h"

enum { PERMILLE_PER_PERCENT = 10 };

static bool is_by_governor(const report_switch *s) {
    return (s->of.reasons & PROFILE_BY_GOVERNOR) != 0;
}

/* "8.2 %" */
static void append_permille(buffer *b, uint64_t permille) {
    buffer_printf(b, "%llu.%llu %%", (unsigned long long)(permille / 10), (unsigned long long)(permille % 10));
}

void head_add_governor(view_head *h, const report *r, uint32_t position) {
    const profile_governor *g = &r->profiles[position].run.governor;
    uint64_t off = 0;
    if (g->percent == 0)
        return;
    for (uint32_t i = 0; i < r->sum->switch_count; i++)
        off += r->sum->switches[i].run == position && is_by_governor(&r->sum->switches[i]);
    buffer *b = head_begin(h, "Governor");
    buffer_printf(b, "allows recording %llu %% of the program's processor time", (unsigned long long)g->percent);
    if (g->call_ps > 0) {
        uint64_t last = g->settled > 0 ? g->settled - 1 : g->permille;
        buffer_string(b, ": it took ");
        append_permille(b, g->permille);
        if (g->settled > 0) {
            buffer_string(b, " over the run, ");
            append_permille(b, last);
            buffer_string(b, " after the first second");
        }
        figure call = format_time(g->call_ps / 1000);
        buffer_printf(b, ", at %s a call", format_trimmed(&call));
        bool kept = last <= g->percent * PERMILLE_PER_PERCENT;
        buffer_string(b, kept             ? "; the price was kept"
                         : g->settled > 0 ? "; the price was not kept"
                                          : "; the run was too short to keep the price");
    }
    if (off > 0) {
        buffer_printf(b, "; %s method", format_count(off).text);
        buffer_string(b, off == 1 ? " was switched off" : "s were switched off");
    }
    head_end(h, VIEW_LINE);
}
