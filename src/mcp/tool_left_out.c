#include <stdlib.h>

#include "mcp/tools.h"
#include "report/view/left_out.h"
#include "report/view/switches.h"

/* What was not recorded, and why. */

/* Rows stand one after another, whatever they are of; those before `first` are passed over. */
typedef struct listing {
    mcp_call *c;
    json_t *rows;
    uint32_t first, position;
    bool full;
} listing;

/* False: there is no room for more. Takes the row over. */
static bool list_row(listing *l, json_t *row) {
    if (l->position++ < l->first) {
        json_decref(row);
        return true;
    }
    if (call_row(l->c, l->rows, row))
        return !l->c->no_memory;
    call_next(l->c, l->position - 1);
    l->full = true;
    return false;
}

static bool list_reasons(listing *l, const function_list *list) {
    bool goes_on = true;
    for (uint32_t i = 0; i < list->module_count && goes_on; i++) {
        const report_module *m = &list->modules[i];
        for (uint32_t k = 0; m->named && k < m->names->left_out_count && goes_on; k++) {
            json_t *row = json_object();
            call_text(l->c, row, "assembly", m->module.size > 0 ? m->module : m->assembly);
            call_text(l->c, row, "not_instrumented", view_left_out_reason(&m->names->left_out[k]));
            call_number(l->c, row, "methods", m->names->left_out[k].count);
            goes_on = list_row(l, row);
        }
    }
    return goes_on;
}

/* Methods that were left out for the price, and who has their time. */
static bool list_prices(listing *l, const mcp_profile *p) {
    buffer text = BUFFER_INIT;
    bool goes_on = true;
    for (uint32_t i = 0; goes_on && view_left_out(&text, &p->r, i); i++) {
        json_t *row = json_object();
        call_text(l->c, row, "left_out_for_the_price", buffer_bytes(&text));
        goes_on = list_row(l, row);
    }
    l->c->no_memory |= text.failed;
    buffer_clear(&text);
    return goes_on;
}

static void list_switches(listing *l, const mcp_profile *p) {
    uint32_t count = 0;
    view_switch *all = view_switches(&p->r, &count);
    l->c->no_memory |= !all;
    for (uint32_t i = 0; all && i < count; i++) {
        json_t *row = json_object();
        call_method(l->c, row, p, all[i].function);
        call_word(l->c, row, "switched",
                  all[i].off == VIEW_OFF_BY_GOVERNOR ? "off, for the price"
                  : all[i].off == VIEW_OFF_BY_USER   ? "off, by the user"
                                                     : "off and on again");
        call_number(l->c, row, "calls_till_then", all[i].calls);
        if (!list_row(l, row))
            break;
    }
    free(all);
}

/* ---- One method ------------------------------------------------------------------------------------------------- */

static bool names_it(bytes name, const char *text) {
    size_t size = strlen(text);
    for (size_t i = 0; i + size <= name.size && size > 0; i++)
        if (memcmp(name.data + i, text, size) == 0)
            return true;
    return false;
}

/* Is it among the methods of some module that were instrumented? */
static bool is_instrumented(mcp_call *c, const function_list *list, const char *text) {
    buffer name = BUFFER_INIT;
    bool found = false;
    for (uint32_t i = 0; i < list->module_count && !found; i++) {
        const report_module *m = &list->modules[i];
        names_parts parts;
        for (uint32_t k = 0; m->named && k < m->names->method_count && !found; k++) {
            names_of_method(&name, &parts, m->names, k, false);
            found = names_it(buffer_bytes(&name), text);
        }
    }
    c->no_memory |= name.failed;
    buffer_clear(&name);
    return found;
}

static void answer_for(mcp_call *c, mcp_profile *p, const char *text) {
    const report_function *called = call_function(c, p, text);
    if (called) {
        call_method(c, c->result, p, called);
        json_object_del(c->result, "name");
        json_object_del(c->result, "file");
        json_object_del(c->result, "line");
        call_word(c, c->result, "answer", "it was recorded: the tool method has its figures");
        return;
    }
    c->problem.size = 0;
    for (uint32_t i = 0; i < p->sum.list.function_count; i++)
        if (names_it(p->sum.list.functions[i].name, text)) {
            call_word(c, c->result, "answer", "several methods with this in their names were recorded");
            return;
        }
    bool known = is_instrumented(c, &p->sum.list, text);
    call_word(c, c->result, "answer",
              known ? "it was instrumented, and not called"
                    : "it is in no instrumented assembly of this run, or was left out for one of the reasons below; "
                      "`ilinject list ASSEMBLY --explain NAME` says which");
}

bool tool_left_out(mcp_call *c) {
    mcp_profile *p = call_profile(c);
    const char *method = call_argument(c, "method");
    uint32_t first;
    if (!p || !call_begin_rows(c, &first))
        return false;
    call_file(c, c->result, "profile", p->id);
    if (method && first == 0)
        answer_for(c, p, method);
    listing l = {.c = c, .rows = call_array(c, c->result, "rows"), .first = first};
    if (list_prices(&l, p) && list_reasons(&l, &p->sum.list))
        list_switches(&l, p);
    return !c->no_memory;
}
