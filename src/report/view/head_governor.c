#include "report/print/format.h"
#include "report/view/head_lines.h"
#include "report/view/switches.h"

enum { PERMILLE_PER_PERCENT = 10 };

/* "8.2 %" */
static void append_permille(buffer *b, uint64_t permille) {
    buffer_printf(b, "%llu.%llu %%", (unsigned long long)(permille / 10), (unsigned long long)(permille % 10));
}

void head_add_governor(view_head *h, const report *r, uint32_t position) {
    const profile_governor *g = &r->profiles[position].run.governor;
    uint64_t off = 0;
    if (g->percent == 0)
        return;
    for (uint32_t i = 0; i < view_switch_count(r); i++) {
        const view_switch s = view_switch_at(r, i);
        off += s.run == position && s.off == VIEW_OFF_BY_GOVERNOR;
    }
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
