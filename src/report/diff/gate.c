#include "report/diff/gate.h"

#include <stdio.h>
#include <stdlib.h>

#include "report/print/print.h"

/* ---- Parsing ---------------------------------------------------------------------------------------------------- */

static bytes trimmed(bytes b) {
    while (b.size > 0 && (b.data[0] == ' ' || b.data[0] == '\t'))
        b = (bytes){b.data + 1, b.size - 1};
    while (b.size > 0 && (b.data[b.size - 1] == ' ' || b.data[b.size - 1] == '\t'))
        b.size--;
    return b;
}

static bool is(bytes b, const char *word) {
    return bytes_equal(b, bytes_of(word, strlen(word)));
}

/* Splits at the last, or first, `sign`; false when there is none. */
static bool split(bytes *before, bytes *behind, bytes text, char sign, bool last) {
    size_t at = text.size;
    for (size_t i = 0; i < text.size && (last || at == text.size); i++)
        if (text.data[i] == (uint8_t)sign)
            at = i;
    if (at == text.size)
        return false;
    *before = trimmed((bytes){text.data, at});
    *behind = trimmed((bytes){text.data + at + 1, text.size - at - 1});
    return true;
}

static ecma_status faulty(char fault[DIFF_FAULT], const char *what, bytes where) {
    snprintf(fault, DIFF_FAULT, "%s, not '%.*s'", what, (int)(where.size < 60 ? where.size : 60),
             where.size ? (const char *)where.data : "");
    return ECMA_CONFIG;
}

static bool try_metric(diff_metric *metric, bytes name) {
    for (diff_metric m = 0; m < DIFF_PUBLIC; m++)
        if (is(name, figure_rows[diff_row_of(m)].key)) {
            *metric = m;
            return true;
        }
    return false;
}

/* "12" or "12.5"; what stands after goes to *unit. */
static bool try_number(double *value, bytes *unit, bytes text) {
    double v = 0, part = 1;
    size_t at = 0, digits = 0;
    bool point = false;
    for (; at < text.size; at++) {
        uint8_t c = text.data[at];
        if (c == '.' && !point) {
            point = true;
        } else if (c >= '0' && c <= '9') {
            v = v * 10 + (c - '0');
            part = point ? part * 10 : part;
            digits++;
        } else {
            break;
        }
    }
    *value = v / part;
    *unit = trimmed((bytes){text.data + at, text.size - at});
    return digits > 0 && digits < 16;
}

static ecma_status parse_limit(diff_limit *l, diff_metric metric, bytes text, char fault[DIFF_FAULT]) {
    static const struct {
        const char *name;
        double ns;
    } units[] = {{"ns", 1}, {"us", 1e3}, {"\u00b5s", 1e3}, {"ms", 1e6}, {"s", 1e9}};
    bytes number = text, unit;
    bool more = text.size > 0 && text.data[0] == '+';
    if (more)
        number = trimmed((bytes){text.data + 1, text.size - 1});
    if (!try_number(&l->value, &unit, number))
        return faulty(fault, "expected a limit like +10%, +5ms, 5ms, +100 or 100", text);
    l->kind = more ? DIFF_LIMIT_MORE : DIFF_LIMIT_VALUE;
    if (is(unit, "%")) {
        l->kind = DIFF_LIMIT_PERCENT;
        return more ? ECMA_OK : faulty(fault, "a percentage is one more than before: expected +10%", text);
    }
    figure_form form = figure_rows[diff_row_of(metric)].form;
    bool of_bytes = form == FORM_BYTES;
    static const struct {
        const char *name;
        double bytes;
    } sizes[] = {{"B", 1}, {"kB", 1e3}, {"MB", 1e6}, {"GB", 1e9}, {"KiB", 1024}, {"MiB", 1048576}, {"GiB", 1073741824}};
    for (size_t i = 0; i < sizeof sizes / sizeof sizes[0] && of_bytes; i++)
        if (is(unit, sizes[i].name)) {
            l->value *= sizes[i].bytes;
            return ECMA_OK;
        }
    if (of_bytes)
        return unit.size == 0 ? ECMA_OK : faulty(fault, "expected bytes, with or without B, kB, MB, KiB or MiB", text);
    if (form < FORM_TIME)
        return unit.size == 0 ? ECMA_OK : faulty(fault, "expected a count without a unit, or a percentage", text);
    for (size_t i = 0; i < sizeof units / sizeof units[0]; i++)
        if (is(unit, units[i].name)) {
            l->value *= units[i].ns;
            return ECMA_OK;
        }
    return faulty(fault, "expected a time with its unit, ns, us, ms or s", text);
}

/* The text up to the first "and", which no limit has in it; *rest becomes what stands behind. False: there is none. */
static bool split_and(bytes *first, bytes *rest, bytes text) {
    static const char word[] = {'a', 'n', 'd'};
    for (size_t at = 0; at + sizeof word <= text.size; at++)
        if (memcmp(text.data + at, word, sizeof word) == 0) {
            *first = trimmed((bytes){text.data, at});
            *rest = trimmed((bytes){text.data + at + sizeof word, text.size - at - sizeof word});
            return true;
        }
    return false;
}

/* "LIMIT", "LIMIT and LIMIT" and so on. */
static ecma_status parse_limits(diff_gate *g, bytes text, char fault[DIFF_FAULT]) {
    ecma_status status = ECMA_OK;
    for (bool more = true; more && status == ECMA_OK;) {
        bytes limit = text, rest = text;
        more = split_and(&limit, &rest, text);
        if (g->limit_count == DIFF_LIMITS)
            return faulty(fault, "expected at most 4 limits", limit);
        status = parse_limit(&g->limits[g->limit_count++], g->metric, limit, fault);
        text = rest;
    }
    return status;
}

ecma_status diff_gate_parse(diff_gate *g, const char *text, arena *a, char fault[DIFF_FAULT]) {
    bytes name, rest, metric, limit;
    diff_gate made = {.text = text};
    if (!split(&name, &rest, bytes_of(text, strlen(text)), ':', true) || !split(&metric, &limit, rest, '>', false))
        return faulty(fault, "expected PATTERN: METRIC > LIMIT [and LIMIT]", bytes_of(text, strlen(text)));
    if (!try_metric(&made.metric, metric))
        return faulty(
            fault,
            "expected calls, exclusive, inclusive, exceptions, or bytes, objects, collections or pause, alone or "
            "after inclusive-",
            metric);
    ecma_status status = parse_limits(&made, limit, fault);
    if (status != ECMA_OK)
        return status;
    char *copy = arena_alloc(a, name.size + 1); /* with its terminator */
    if (!copy)
        return ECMA_NO_MEMORY;
    memcpy(copy, name.data, name.size);
    const char *wrong = NULL;
    status = pattern_compile(&made.pattern, copy, a, &wrong);
    if (status == ECMA_CONFIG || (status == ECMA_OK && made.pattern.attribute)) {
        snprintf(fault, DIFF_FAULT, "the pattern '%.60s': %s", copy, wrong ? wrong : "a profile knows no attributes");
        return ECMA_CONFIG;
    }
    if (status == ECMA_OK)
        *g = made;
    return status;
}

/* ---- Names ------------------------------------------------------------------------------------------------------ */

/* A part of a name as patterns have it: generic arguments are left out, or of a type their number. */
static bytes plain(buffer *scratch, bytes part, bool type) {
    unsigned depth = 0, arguments = 0;
    scratch->size = 0;
    for (size_t i = 0; i < part.size; i++) {
        uint8_t c = part.data[i];
        if (c == '<' && (depth > 0 || i > 0)) {
            arguments += depth++ == 0;
        } else if (c == '>' && depth > 0) {
            depth--;
        } else if (depth == 0) {
            buffer_u8(scratch, c);
        } else if (c == ',' && depth == 1) {
            arguments++;
        }
    }
    if (type && arguments > 0)
        buffer_printf(scratch, "`%u", arguments);
    return buffer_bytes(scratch);
}

/* Feeds a run of parts, one by one; true when the pattern covers what has been named so far. */
static bool feed(const pattern *p, pattern_state *state, bytes name, bool type, buffer *scratch) {
    unsigned depth = 0;
    for (size_t from = 0, at = 0; at <= name.size && *state; at++) {
        uint8_t c = at < name.size ? name.data[at] : '.';
        depth += c == '<' && at > from;
        depth -= c == '>' && depth > 0;
        if (at < name.size && (c != '.' || depth > 0 || at == from)) /* a dot at the start belongs to the part */
            continue;
        *state = pattern_feed(p, *state, plain(scratch, (bytes){name.data + from, at - from}, type));
        if (pattern_covers(p, *state))
            return true;
        from = at + 1;
    }
    return false;
}

bool diff_gate_names(const diff_gate *g, const diff_function *f, buffer *scratch) {
    const pattern *p = &g->pattern;
    const names_parts *parts = &f->parts;
    if (p->has_assembly && !pattern_matches_assembly(p, f->assembly))
        return false;
    pattern_state state = pattern_start(p);
    if (pattern_covers(p, state) ||
        (parts->type_bytes == 0 && pattern_is_text(p, (bytes){f->name.data, parts->parameters})))
        return true;
    size_t type = parts->space_bytes + (parts->space_bytes > 0 && parts->type_bytes > parts->space_bytes);
    const bytes pieces[] = {
        {f->name.data, parts->space_bytes},
        {f->name.data + type, parts->type_bytes > type ? parts->type_bytes - type : 0},
        {f->name.data + parts->method, parts->parameters - parts->method},
    };
    for (size_t i = 0; i < sizeof pieces / sizeof pieces[0]; i++)
        if (pieces[i].size > 0 && feed(p, &state, pieces[i], i == 1, scratch))
            return true;
    if (!p->has_parameters || !pattern_accepts(p, state) || parts->suffix < parts->parameters + 2)
        return false;
    scratch->size = 0;
    buffer_append(scratch, f->name.data + parts->parameters + 1, parts->suffix - parts->parameters - 2);
    return !scratch->failed && pattern_matches_parameters(p, scratch->data, scratch->size);
}

/* ---- Limits ----------------------------------------------------------------------------------------------------- */

static bool exceeds(const diff_limit *l, const diff *d, uint32_t method, diff_metric metric) {
    diff_change c = diff_of(d, &d->methods, method, metric);
    bool time = diff_is_time(metric);
    double before = time ? c.before : c.most[0];
    double more = time ? c.least_change : c.least[1] - c.most[0];
    switch (l->kind) {
    case DIFF_LIMIT_PERCENT:
        return c.verdict != DIFF_NEW && more > before * l->value / 100;
    case DIFF_LIMIT_MORE:
        return more > l->value;
    case DIFF_LIMIT_VALUE:
        break;
    }
    return diff_least_after(d, &d->methods, method, metric) > l->value;
}

bool diff_gate_holds(const diff_gate *g, const diff *d, uint32_t method) {
    bool holds = true;
    for (uint32_t i = 0; i < g->limit_count && holds; i++)
        holds = exceeds(&g->limits[i], d, method, g->metric);
    return holds;
}
