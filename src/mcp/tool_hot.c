#include "mcp/tools.h"
#include "report/model/figures.h"
#include "report/model/rows.h"

/* The methods by a figure, in the order of the report's table. */

ilj_sort_key tools_sort_key(const char *name) {
    static const char *const names[] = {
#define NAME(id, name) name,
        ILJ_SORT_KEYS(NAME, NAME)
#undef NAME
    };
    for (int i = 0; i < ILJ_SORT_KEY_COUNT && name; i++)
        if (strcmp(names[i], name) == 0)
            return (ilj_sort_key)i;
    return ILJ_SORT_TIME;
}

bool tool_hot(mcp_call *c) {
    mcp_profile *p = call_profile(c);
    const char *by = call_argument(c, "by");
    report_rows rows = ROWS_INIT;
    uint32_t first;
    if (!p || !call_begin_rows(c, &first))
        return false;
    call_file(c, c->result, "profile", p->id);
    call_word(c, c->result, "by", by ? by : "time");
    ilj_report_options options = p->options;
    options.sort = by ? tools_sort_key(by) : aggregate_only_counts(&p->sum) ? ILJ_SORT_CALLS : ILJ_SORT_TIME;
    report r = p->r;
    r.options = &options;
    bool done = (first > 0 || summary_hot_path(c, p)) && rows_make(&rows, &r);
    json_t *array = done ? call_array(c, c->result, "methods") : NULL;
    for (uint32_t i = first; done && i < rows.count && !c->no_memory; i++) {
        json_t *row = json_object();
        call_method(c, row, p, rows.rows[i].function);
        call_figures(c, row, p, rows.rows[i].function);
        if (!call_row(c, array, row)) {
            call_next(c, i);
            break;
        }
    }
    rows_clear(&rows);
    return done;
}
