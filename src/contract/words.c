/* What a check says of each change, in the same words in all formats. */
#include <inttypes.h>

#include "contract/judge.h"
#include "report/print/format.h"

static void append_range(buffer *b, const contract_range *r) {
    buffer_string(b, format_count(r->least).text);
    if (r->most == r->least)
        return;
    buffer_string(b, "..");
    buffer_string(b, format_count(r->most).text);
}

/* " (+1)" or " (-1,200, -8.3 %)": by how much the runs lie outside of the baseline at least. */
static void append_change(buffer *b, const contract_range *was, const contract_range *is) {
    bool more = is->least > was->most;
    uint64_t before = more ? was->most : was->least;
    uint64_t by = more ? is->least - was->most : was->least - is->most;
    buffer_printf(b, " (%s%s", more ? "+" : "-", format_count(by).text);
    if (before >= 100 && by < before)
        buffer_printf(b, ", %s%s %%", more ? "+" : "-", format_percent(by, before).text);
    buffer_string(b, ")");
}

static void append_times(buffer *b, const contract_range *r) {
    append_range(b, r);
    buffer_string(b, r->least == 1 && r->most == 1 ? " time" : " times");
}

void change_words(buffer *b, const judgement *j, const change *c) {
    bool any = false;
    for (int i = 0; i < CONTRACT_METRICS; i++) {
        contract_metric m = (contract_metric)i;
        if (!change_has(c, m) || (m == CONTRACT_MADE && change_has(c, CONTRACT_CALLS)))
            continue;
        contract_range was = change_range(j, c, m, false), is = change_range(j, c, m, true);
        buffer_string(b, any ? ", " : "");
        any = true;
        if (m == CONTRACT_CALLS && (c->before == MAP_NONE || c->after == MAP_NONE)) {
            buffer_string(b, c->before == MAP_NONE ? "new: called " : "not called any more: in the baseline ");
            append_times(b, c->before == MAP_NONE ? &is : &was);
            if (c->after == MAP_NONE)
                return; /* what it did is gone with it */
            continue;
        }
        buffer_string(b, contract_metric_words[m]);
        buffer_string(b, " ");
        append_range(b, &was);
        buffer_string(b, " -> ");
        append_range(b, &is);
        append_change(b, &was, &is);
    }
}

bool change_place(buffer *b, const judgement *j, const contract_entry *e) {
    if (!e->line)
        return false;
    findings_path(b, e->path, j->options->root);
    buffer_printf(b, ":%" PRIu32, e->line);
    return true;
}

/* Type and method without namespaces and parameters: "Cart.Add". */
static void append_short(buffer *b, const contract_entry *e) {
    bytes type = e->type, name = e->name;
    const uint8_t *open = name.size ? memchr(name.data, '(', name.size) : NULL;
    size_t from = 0;
    int depth = 0;
    for (size_t i = 0; i < type.size; i++) {
        depth += (type.data[i] == '<') - (type.data[i] == '>');
        from = type.data[i] == '.' && depth == 0 ? i + 1 : from;
    }
    buffer_append(b, type.data + from, type.size - from);
    buffer_string(b, type.size ? "." : "");
    buffer_append(b, name.data, open ? (size_t)(open - name.data) : name.size);
}

bool change_path(buffer *b, const judgement *j, const change *c) {
    enum { LEVELS = 8 };
    const contract_entry *path[LEVELS], *e = c->entry;
    uint32_t count = 0;
    if (c->after == MAP_NONE || e->above == MAP_NONE)
        return false;
    for (; count < LEVELS; e = &j->after->entries[e->above]) {
        path[count++] = e;
        if (e->above == MAP_NONE)
            break;
    }
    buffer_string(b, path[count - 1]->above == MAP_NONE ? "" : "... > ");
    while (count > 0) {
        append_short(b, path[--count]);
        buffer_string(b, count ? " > " : "");
    }
    return true;
}

void judgement_summary(buffer *b, const judgement *j) {
    uint32_t types = 0;
    for (uint32_t i = 0; i < j->count; i++)
        types += j->list[i].entry->is_type;
    uint32_t methods = j->count - types;
    if (j->count == 0)
        buffer_string(b, "Nothing changed: ");
    else if (methods > 0)
        buffer_printf(b, "%s %s changed", format_count(methods).text, methods == 1 ? "method" : "methods");
    if (types > 0)
        buffer_printf(b, "%s%s %s of objects%s", methods > 0 ? ", and " : "", format_count(types).text,
                      types == 1 ? "type" : "types", methods > 0 ? "" : " changed");
    buffer_printf(b, "%s%s as in the baseline", j->count ? "; " : "", format_count(j->same).text);
    if (j->ignored)
        buffer_printf(b, ", %s by rules not compared", format_count(j->ignored).text);
}

uint32_t change_edges(const judgement *j, const change *c, const contract_edge *shown[EDGES_SHOWN]) {
    uint32_t count = 0, edge = 0;
    if (c->entry->is_type || (c->kind == CHANGE_OWN && !change_has(c, CONTRACT_CALLS)))
        return 0;
    for (;;) {
        edge = c->kind == CHANGE_PARTS ? change_next_callee(j, c, edge) : change_next_caller(j, c, edge);
        if (!edge)
            return count;
        if (count < EDGES_SHOWN)
            shown[count] = &j->after->edges[edge - 1];
        count++;
    }
}
