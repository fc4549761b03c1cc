#include <stdlib.h>

#include "report/report.h"
#include "report/table.h"

/* The text report's view of calls that were seen with their values. */

typedef struct shown_call {
    const profile *p;
    const calls_call *call;
    uint64_t start_ns, ns;
} shown_call;

/* In the order of time; those of one profile before those of the next. */
static int by_start(const void *left, const void *right) {
    const shown_call *a = left, *b = right;
    if (a->p != b->p)
        return a->p < b->p ? -1 : 1;
    if (a->call->start != b->call->start)
        return a->call->start < b->call->start ? -1 : 1;
    if (a->call->ticks != b->call->ticks) /* the caller before what it calls */
        return a->call->ticks > b->call->ticks ? -1 : 1;
    return a->call < b->call ? -1 : a->call > b->call;
}

static void append(buffer *b, bytes text) {
    buffer_append(b, text.data, text.size);
}

static void append_argument(buffer *b, const calls_call *call, const calls_method *m, uint32_t position) {
    const calls_parameter *parameter = &m->parameters[position];
    bytes value;
    if (parameter->name.size)
        append(b, parameter->name);
    else
        buffer_printf(b, "#%u", position + 1);
    buffer_string(b, ": ");
    bool before = calls_try_value(call, position, &value);
    if (before)
        calls_append_text(b, value);
    else if (parameter->flags & CALLS_BY_TYPE || !(parameter->flags & CALLS_NOT_BEFORE))
        buffer_string(b, "(by type)");
    if (calls_try_value(call, CALLS_BECOMES_FIRST - (int64_t)position, &value)) {
        buffer_string(b, before ? " \u21d2 " : "\u21d2 ");
        calls_append_text(b, value);
    }
}

void calls_describe(buffer *b, const report *r, const profile *p, const calls_call *call) {
    const calls_method *m = &p->calls.methods[call->method];
    const report_function *f = &r->sum->functions[m->function];
    bytes value;
    append(b, (bytes){f->name.data, f->parts.parameters});
    if (m->flags & CALLS_ARGUMENTS) {
        buffer_string(b, "(");
        for (uint32_t i = 0; i < m->parameter_count; i++) {
            buffer_string(b, i ? ", " : "");
            append_argument(b, call, m, i);
        }
        buffer_string(b, ")");
    } else {
        append(b, (bytes){f->name.data + f->parts.parameters, f->parts.suffix - f->parts.parameters});
    }
    if (calls_try_value(call, CALLS_POSITION_RESULT, &value)) {
        buffer_string(b, " \u2192 ");
        calls_append_text(b, value);
    } else if (m->flags & CALLS_RESULT_BY_TYPE && !call->thrown) {
        buffer_string(b, " \u2192 (by type)");
    }
    if (calls_try_value(call, CALLS_POSITION_THIS, &value)) {
        buffer_string(b, " this: ");
        calls_append_text(b, value);
    }
    if (!call->thrown)
        return;
    buffer_string(b, " threw ");
    if (call->exception.size && call->exception.data[0] != 'n')
        calls_append_text(b, call->exception);
    else
        buffer_string(b, "(not known)");
}

static bool contains(bytes text, const char *part) {
    size_t size = strlen(part);
    for (size_t at = 0; at + size <= text.size; at++)
        if (memcmp(text.data + at, part, size) == 0)
            return true;
    return false;
}

static bool is_wanted(const report *r, const profile *p, const calls_call *call, buffer *b) {
    const ilj_report_options *o = r->options;
    if (!r->sum->functions[p->calls.methods[call->method].function].wanted ||
        profile_ns(&p->run, call->ticks) < o->slower_ns)
        return false;
    if (!o->value)
        return true;
    b->size = 0;
    calls_describe(b, r, p, call);
    return contains(buffer_bytes(b), o->value);
}

/* Those that are to be shown, and how many there are of all. */
static shown_call *gather(const report *r, uint32_t *count, uint64_t *all, buffer *b) {
    size_t most = 0;
    *count = 0;
    for (size_t i = 0; i < r->profile_count; i++)
        most += r->profiles[i].calls.count;
    *all = most;
    shown_call *list = calloc(most + 1, sizeof *list);
    for (size_t i = 0; i < r->profile_count && list; i++) {
        const profile *p = &r->profiles[i];
        for (uint32_t k = 0; k < p->calls.count; k++) {
            const calls_call *call = &p->calls.list[k];
            if (is_wanted(r, p, call, b))
                list[(*count)++] =
                    (shown_call){p, call, profile_ns(&p->run, call->start), profile_ns(&p->run, call->ticks)};
        }
    }
    if (list)
        qsort(list, *count, sizeof *list, by_start);
    return list;
}

static void print_rules(printer *out, const report *r) {
    for (size_t i = 0; i < r->profile_count; i++)
        for (uint32_t k = 0; k < r->profiles[i].calls.rule_count; k++) {
            const calls_rule *rule = &r->profiles[i].calls.rules[k];
            if (rule->dropped == 0)
                continue;
            print_format(out, "%s earlier calls of ", format_count(rule->dropped).text);
            print_shown(out, rule->text);
            print_string(out, " have gone for want of room\n");
        }
}

bool calls_write(printer *out, const report *r) {
    enum { LEAST_TEXT = 40, MOST_LINES = 12 };
    buffer b = BUFFER_INIT;
    uint32_t count = 0;
    uint64_t all = 0;
    shown_call *list = gather(r, &count, &all, &b);
    if (!list)
        return false;
    uint32_t shown = r->options->top == 0 || count < r->options->top ? count : r->options->top;
    table t = {.titles = {"At", "Took", "Thread"}, .least_name = LEAST_TEXT};
    for (uint32_t i = 0; i < shown; i++)
        table_measure(&t, &(table_row){{format_time(list[i].start_ns), format_time(list[i].ns),
                                        format_count(list[i].call->thread)}});
    bool any = false;
    for (size_t i = 0; i < r->profile_count; i++)
        any |= r->profiles[i].calls.there;
    if (all == 0)
        print_string(out, any ? "No call of the captured methods was kept.\n"
                              : "No calls were seen with their values; instrument with --capture.\n");
    else
        table_head(&t, out, "Calls with their values", r->options->width);
    for (uint32_t i = 0; i < shown; i++) {
        table_row row = {{format_time(list[i].start_ns), format_time(list[i].ns), format_count(list[i].call->thread)}};
        table_figures(&t, out, &row);
        b.size = 0;
        calls_describe(&b, r, list[i].p, list[i].call);
        print_wrapped(out, buffer_bytes(&b), t.name_column, r->options->width, MOST_LINES);
    }
    if (shown < count)
        print_format(out, "\u2026 %s more\n", format_count(count - shown).text);
    if (count < all)
        print_format(out, "%s of %s calls that were kept\n", format_count(count).text, format_count(all).text);
    print_rules(out, r);
    bool done = !b.failed;
    buffer_clear(&b);
    free(list);
    return done;
}
