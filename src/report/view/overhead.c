#include "report/view/overhead.h"

#include "report/print/format.h"
#include "report/view/head_lines.h"
#include "report/view/runs.h"

enum {
    ENOUGH = 80,   /* percent of the whole: no more methods are named */
    LEAST = 2,     /* percent that a method has to cause to be named */
    WORTH_IT = 10, /* one part in that many of the time that probes may have taken before anything is said */
    LEAST_NAME = 24,
};

static uint64_t weight_of(const report_function *f, bool by_calls) {
    return by_calls ? profile_add(f->calls, f->steps) : f->probe_ns;
}

/* By name among those that weigh the same, whichever profile has brought them first. */
static bool is_before(const overhead *o, const report_function *f, const report_function *other) {
    uint64_t weight = weight_of(f, o->by_calls), others = weight_of(other, o->by_calls);
    return weight != others ? weight > others : f->rank < other->rank;
}

/* Puts it into its place among the heaviest. */
static void insert(overhead *o, const report_function *f) {
    uint32_t at = o->count;
    while (at > 0 && is_before(o, f, o->functions[at - 1]))
        at--;
    if (at == OVERHEAD_MOST)
        return;
    uint32_t moved = (o->count < OVERHEAD_MOST ? o->count : OVERHEAD_MOST - 1) - at;
    memmove(&o->functions[at + 1], &o->functions[at], moved * sizeof o->functions[0]);
    o->functions[at] = f;
    o->count += o->count < OVERHEAD_MOST;
}

overhead overhead_of(const aggregate *a) {
    overhead o = {.by_calls = a->totals.probe_ns == 0};
    for (uint32_t i = 0; i < a->list.function_count; i++) {
        const report_function *f = &a->list.functions[i];
        o.whole = profile_add(o.whole, weight_of(f, o.by_calls));
        if (f->names && !f->scope && !f->leaf && !f->outermost)
            insert(&o, f);
    }
    o.whole = profile_add(o.whole, o.by_calls ? 0 : a->totals.switched_probe_ns);
    uint32_t named = 0;
    for (; named < o.count; named++) {
        uint64_t weight = weight_of(o.functions[named], o.by_calls);
        if (weight == 0 || weight < o.whole / 100 * LEAST || o.weight >= o.whole / 100 * ENOUGH)
            break;
        o.weight = profile_add(o.weight, weight);
    }
    o.count = named;
    return o;
}

void overhead_patterns(const report_function *f, buffer *b, void (*each)(void *user, bytes pattern), void *user) {
    const names *n = f->names;
    for (uint32_t i = 0; i < n->method_count; i++) {
        bool machine = n->methods[i].owner == f->method + 1 && n->methods[i].flags & (NAMES_ASYNC | NAMES_ITERATOR);
        if (i != f->method && !machine)
            continue;
        b->size = 0;
        each(user, filter_pattern_of(b, n, i) ? buffer_bytes(b) : (bytes){0});
    }
}

/* ---- For the head ----------------------------------------------------------------------------------------------- */

static bool is_plain(bytes name) {
    static const char others[] = "/._-+,:@%=";
    for (size_t i = 0; i < name.size; i++) {
        uint8_t c = name.data[i];
        bool letter = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
        if (!letter && !memchr(others, c, sizeof others - 1))
            return false;
    }
    return name.size > 0;
}

/* As an operand that a shell takes for just this. A name that a terminal would obey cannot be shown; then there is
 * FILE. */
static void append_operand(buffer *b, bytes name) {
    for (size_t i = 0; i < name.size; i++)
        if (name.data[i] < 0x20 || name.data[i] == 0x7F) {
            buffer_string(b, " FILE");
            return;
        }
    buffer_string(b, name.size > 0 && name.data[0] == '-' ? " ./" : " ");
    if (is_plain(name)) {
        buffer_append(b, name.data, name.size);
        return;
    }
    buffer_u8(b, '\'');
    for (size_t i = 0; i < name.size; i++)
        if (name.data[i] == '\'')
            buffer_string(b, "'\\''");
        else
            buffer_u8(b, name.data[i]);
    buffer_u8(b, '\'');
}

/* The line that writes a configuration, to be pasted: of many profiles it takes the first one alone. */
static void add_command(view_head *h, const report *r) {
    enum { MOST_FILES = 4 };
    buffer *b = head_begin(h, "");
    buffer_string(b, "  ilinject report --suggest=less.xml");
    for (size_t i = 0; i < (r->profile_count <= MOST_FILES ? r->profile_count : 1); i++)
        append_operand(b, bytes_of(r->profiles[i].file, strlen(r->profiles[i].file)));
    head_end(h, VIEW_LINE_WHOLE); /* whatever the width */
}

/* "37.8 to 42.8", or "40.0" when both are the same. */
static void append_shares(buffer *b, const report_totals *t) {
    uint64_t low = t->probe_low_ns < t->recorded_ns ? t->probe_low_ns : t->recorded_ns;
    uint64_t high = t->probe_high_ns < t->recorded_ns ? t->probe_high_ns : t->recorded_ns;
    figure least = format_percent(low, t->recorded_ns), most = format_percent(high, t->recorded_ns);
    if (strcmp(least.text, most.text) != 0)
        buffer_printf(b, "%s to ", least.text);
    buffer_printf(b, "%s %% of the time", most.text);
}

static void add_methods(view_head *h, const overhead *o) {
    for (uint32_t i = 0; i < o->count; i++) {
        const report_function *f = o->functions[i];
        figure share = format_percent(f->probe_ns, o->whole), calls = format_count(profile_add(f->calls, f->steps));
        buffer *b = head_begin(h, "");
        buffer_printf(b, "%*s%s %%  ", 5 - (int)share.columns, "", share.text);
        head_function(h, f);
        buffer_printf(b, ", %s calls", calls.text);
        head_end_function(h, HEAD_COLUMN + 5 + 6 + calls.columns + 7, LEAST_NAME);
    }
}

void head_add_overhead(view_head *h, const report *r) {
    const report_totals *t = &r->sum->totals;
    if (t->probe_ns == 0 || t->probe_high_ns <= t->recorded_ns / WORTH_IT)
        return;
    overhead o = overhead_of(r->sum);
    buffer *b = head_begin(h, "Probes");
    buffer_string(b, "took ");
    append_shares(b, t);
    const profile_run *run = view_only_run(r);
    if (run) {
        buffer_string(b, ", ");
        view_describe_call(b, run);
        buffer_string(b, " a call");
    }
    if (o.count > 0) {
        buffer_printf(b, "; %s %% of that comes from ", format_percent(o.weight, o.whole).text);
        buffer_printf(b, "%s method%s:", format_count(o.count).text, o.count == 1 ? "" : "s");
        head_end(h, VIEW_LINE);
        add_methods(h, &o);
        head_begin(h, "");
        buffer_string(b, "For better figures leave these out: give ilinject --config=less.xml, which is written by");
        head_end(h, VIEW_LINE);
        add_command(h, r);
    } else if (t->switched_probe_ns > t->probe_ns / 2) {
        buffer_string(b, "; most of that before methods were switched off");
        head_end(h, VIEW_LINE);
    } else {
        buffer_string(b, ", and that comes from many methods. For better figures leave out what is small: give "
                         "ilinject --skip-trivial-accessors and --min-il-size=16");
        head_end(h, VIEW_LINE);
    }
}
