#include <stdlib.h>

#include "findings/findings.h"
#include "report/diff/write.h"
#include "util/list.h"
#include "util/text_keep.h"

/* Conditions that held, as findings for forges: one for each method. */

void diff_gate_words(buffer *b, const diff_gate *g, const diff *d, uint32_t method) {
    enum { NAME = 400 }; /* bytes */
    const diff_function *f = &d->functions[method];
    diff_change c = diff_of(d, &d->methods, method, g->metric);
    figure before, after, change = diff_format_change(&c);
    if (figure_rows[diff_row_of(g->metric)].form >= FORM_TIME) {
        before = format_time((uint64_t)c.before);
        after = format_time((uint64_t)c.after);
    } else {
        before = diff_format_count(c.before);
        after = diff_format_count(c.after);
    }
    buffer_append(b, f->name.data, f->name.size < NAME ? f->name.size : NAME);
    buffer_printf(b, ": %s -> %s%s%s%s: ", format_trimmed(&before), format_trimmed(&after), change.columns ? " (" : "",
                  change.text, change.columns ? ")" : "");
    buffer_string(b, g->text);
    buffer_string(b, diff_is_time(g->metric) && !diff_knows_noise(d) ? " (noise is not known)" : "");
}

typedef struct gate_findings {
    diff_view *v;
    finding *list;
    uint32_t count, capacity;
    arena memory;
    buffer text;
} gate_findings;

/* Adds a finding with what stands in the buffer as its text. */
static bool add(gate_findings *g, finding made) {
    made.text = buffer_bytes(&g->text);
    if (g->text.failed || !list_grow((void **)&g->list, g->count, &g->capacity, sizeof *g->list) ||
        !text_keep(&g->memory, &made.text))
        return false;
    g->list[g->count++] = made;
    g->text.size = 0;
    return true;
}

static bool add_gate(gate_findings *g, const diff_gate *gate) {
    const diff *d = g->v->d;
    const bytes condition = bytes_of(gate->text, strlen(gate->text));
    if (gate->untimed || gate->uncounted || gate->named == 0) {
        if (gate->named == 0 && !gate->untimed && !gate->uncounted && g->v->options->allow_missing)
            return true;
        buffer_printf(&g->text, "nothing is judged by the condition ");
        buffer_append(&g->text, condition.data, condition.size);
        return add(g, (finding){.code = DIAG_FAIL_IF_MISSING, .name = condition});
    }
    for (uint32_t i = 0; i < d->methods.count && gate->held > 0; i++) {
        const diff_function *f = &d->functions[i];
        if (f->switched || !diff_gate_names(gate, f, &g->v->scratch) || !diff_gate_holds(gate, d, i))
            continue;
        diff_gate_words(&g->text, gate, d, i);
        const finding held = {
            .code = DIAG_FAIL_IF_HELD, .name = f->name, .rule = condition, .path = f->path, .line = f->line};
        if (!add(g, held))
            return false;
    }
    return !g->v->scratch.failed;
}

bool diff_write_findings(printer *out, diff_view *v) {
    gate_findings g = {.v = v};
    bool done = true;
    for (size_t i = 0; i < v->gate_count && done; i++)
        done = add_gate(&g, &v->gates[i]);
    const findings f = {g.list, g.count, v->options->root};
    if (done && v->options->format == ILJ_DIFF_SARIF)
        findings_sarif(out, &f);
    else if (done && v->options->format == ILJ_DIFF_GITHUB)
        findings_github(out, &f);
    else if (done)
        findings_gitlab(out, &f);
    free(g.list);
    arena_clear(&g.memory);
    buffer_clear(&g.text);
    return done;
}
