#include <stdlib.h>

#include "report/print/table.h"
#include "report/text/lines.h"
#include "report/text/text.h"
#include "report/view/calls.h"
#include "report/view/calls_text.h"
#include "report/view/source.h"
#include "util/unicode.h"

/* The text report's view of calls that were seen with their values. */

/* Columns of a call that has no room left; lines of a call, and of one of its values beside others. */
enum { LEAST_TEXT = 40, MOST_LINES = 12, MOST_VALUE_LINES = 4 };

static bool contains(bytes text, const char *part) {
    size_t size = strlen(part);
    for (size_t at = 0; at + size <= text.size; at++)
        if (memcmp(text.data + at, part, size) == 0)
            return true;
    return false;
}

static bool is_wanted(const report *r, const calls_shown *shown, buffer *b) {
    const ilj_report_options *o = r->options;
    const view_call c = view_call_of(r, shown);
    if (!r->sum->list.functions[c.function].wanted || c.ns < o->slower_ns || (o->thrown && !c.thrown))
        return false;
    if (!o->value)
        return true;
    b->size = 0;
    calls_describe(b, r, shown->p, shown->call, SIZE_MAX);
    return contains(buffer_bytes(b), o->value);
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

/* Where an exception and those that caused it came from, a line for each frame. */
static void print_stacks(printer *out, const calls_call *call, size_t column, size_t width) {
    calls_exception e = {.inner = call->exception};
    for (bool outer = true; call->thrown && calls_try_exception(e.inner, &e); outer = false) {
        if (!outer && e.stack.size) {
            print_spaces(out, column);
            print_string(out, "\u2190 ");
            print_wrapped(out, e.type, column, width, 1);
        }
        for (size_t at = 0, end; at < e.stack.size; at = end + 1) {
            for (end = at; end < e.stack.size && e.stack.data[end] != '\n';)
                end++;
            bytes line = {e.stack.data + at, end - at};
            while (line.size && (line.data[0] == ' ' || line.data[0] == '\t'))
                line = (bytes){line.data + 1, line.size - 1};
            while (line.size && (line.data[line.size - 1] == '\r' || line.data[line.size - 1] == ' '))
                line.size--;
            if (line.size == 0)
                continue;
            print_spaces(out, column + 2);
            print_wrapped(out, line, column + 4, width, 2);
        }
    }
}

static table_row figures(const view_call *c) {
    return (table_row){{format_time(c->start_ns), format_time(c->ns),
                        c->went_on ? format_time(c->synchronous_ns) : (figure){"", 0}, format_count(c->thread)}};
}

/* Each value has a piece of the lines of its call: one that is long never takes what is another's. */
static void describe(buffer *b, const report *r, const calls_shown *shown, size_t column) {
    size_t width = r->options->width;
    if (width == 0) {
        b->size = 0;
        calls_describe(b, r, shown->p, shown->call, SIZE_MAX);
        return;
    }
    size_t most = shown->call->value_count > 1 ? MOST_VALUE_LINES : MOST_LINES;
    for (size_t piece = most * (width > column + LEAST_TEXT ? width - column : LEAST_TEXT);; piece -= piece / 4) {
        b->size = 0;
        calls_describe(b, r, shown->p, shown->call, piece);
        if (piece < LEAST_TEXT || wrapped_lines(buffer_bytes(b), column, width) <= MOST_LINES)
            return;
    }
}

/* Where the method stands, after all that is said of the call. */
static void append_place(buffer *b, const report *r, const report_function *f, size_t column) {
    buffer place = BUFFER_INIT;
    size_t width = r->options->width, room = width == 0 ? SIZE_MAX : width > column ? width - column : 0;
    if (r->options->lines || has_wide_lines(r))
        view_place(&place, r, f);
    if (place_columns(&place, r, has_wide_lines(r), unicode_width(buffer_bytes(b)), 0, room) > 0) {
        buffer_string(b, "  ");
        buffer_append(b, place.data, place.size);
    }
    b->failed |= place.failed;
    buffer_clear(&place);
}

bool calls_write(printer *out, const report *r) {
    enum { SYNCHRONOUS = 2 };
    buffer b = BUFFER_INIT;
    uint32_t count = 0, all = 0;
    calls_shown *list = calls_sorted(r, &all);
    if (!list)
        return false;
    for (uint32_t i = 0; i < all; i++)
        if (is_wanted(r, &list[i], &b))
            list[count++] = list[i];
    uint32_t shown = r->options->top == 0 || count < r->options->top ? count : r->options->top;
    table t = {.titles = {"At", "Took", "Synchronous", "Thread"}, .least_name = LEAST_TEXT};
    t.hidden[SYNCHRONOUS] = true;
    for (uint32_t i = 0; i < shown; i++) {
        const view_call c = view_call_of(r, &list[i]);
        t.hidden[SYNCHRONOUS] = t.hidden[SYNCHRONOUS] && !c.went_on;
        table_row row = figures(&c);
        table_measure(&t, &row);
    }
    if (all == 0)
        print_string(out, view_has_calls(r) ? "No call of the captured methods was kept.\n"
                                            : "No calls were seen with their values; instrument with --capture.\n");
    else
        table_head(&t, out, "Calls with their values", r->options->width);
    for (uint32_t i = 0; i < shown; i++) {
        const view_call c = view_call_of(r, &list[i]);
        table_row row = figures(&c);
        table_figures(&t, out, &row);
        describe(&b, r, &list[i], t.name_column);
        append_place(&b, r, &r->sum->list.functions[c.function], t.name_column);
        print_wrapped(out, buffer_bytes(&b), t.name_column, r->options->width, MOST_LINES);
        print_stacks(out, list[i].call, t.name_column, r->options->width);
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
